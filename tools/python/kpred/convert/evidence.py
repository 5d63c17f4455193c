"""evidence.py - what times and tuples show of a column that may tell which rows failed

SPDX-License-Identifier: MIT
"""
from collections import Counter
from typing import Dict, List, NamedTuple, Sequence, Set, Tuple

from .columns import FIELD
from .times import Times


def _are_most(part: int, of: int, least: int) -> bool:
    return of >= least and 10 * part >= 9 * of


class Group(NamedTuple):
    """Of rows that would be failures, or of the others: how many there are, how many have no time, how many have the
    time of the first, and of those whose problem has some in the other group, how many are faster than all of these"""
    n: int
    none: int
    same: int
    compared: int
    fast: int

    def are_fast(self, least: int = 2) -> bool:
        """What crashed is faster than all that ran."""
        return _are_most(self.fast, self.compared, least)

    def are_same(self) -> bool:
        """A limit of time, or a number in the place of a time"""
        return self.none < self.n and _are_most(self.same, self.n - self.none, 3)


class Evidence:
    """The rows' times and problems, and the columns that may be of the tuple and the problem"""

    def __init__(self, t: Times, tuple_: Sequence[int]) -> None:
        self.columns, self.tuple_, self.n, self.us = t.r.columns, tuple_, len(t.r.lines), t.least_us()
        numbers: Dict[Tuple[str, ...], int] = {}
        fields = [t.r.columns[at] for at, role in enumerate(t.roles) if role == FIELD]
        self.problems = [numbers.setdefault(cells, len(numbers)) for cells in zip(*fields)] if fields else [0] * self.n

    def has_twins(self, at: int, part: float) -> bool:
        """Have more than this part of the rows a twin that differs in this column alone, as those of a parameter do?"""
        others = [self.columns[other] for other in self.tuple_ if other != at]
        rest = list(map(hash, zip(*others))) if others else [0] * self.n
        kinds = Counter(h for h, _ in set(zip(rest, self.columns[at])))
        return sum(kinds[h] > 1 for h in rest) > part * self.n

    def compare(self, at: int, good: Set[str], enough: int = 1) -> Tuple[Group, Group]:
        """The failures, and the others; those of a problem are compared if the other group has `enough` there."""
        times: Tuple[Dict[int, List[float]], Dict[int, List[float]]] = ({}, {})
        is_good = [cell in good for cell in self.columns[at]]
        for us, which, problem in zip(self.us, is_good, self.problems):
            if us > 0:
                times[which].setdefault(problem, []).append(us)
        n_good = sum(is_good)
        return _group(self.n - n_good, *times, enough), _group(n_good, *times[::-1], enough)


def _group(n: int, own: Dict[int, List[float]], others: Dict[int, List[float]], enough: int) -> Group:
    first = next((us[0] for us in own.values()), 0)
    compared = [problem for problem in own if len(others.get(problem, ())) >= enough]
    fast = sum(us < 0.75 * least for problem in compared for least in [min(others[problem])] for us in own[problem])
    return Group(n, n - sum(map(len, own.values())), sum(us.count(first) for us in own.values()),
                 sum(len(own[problem]) for problem in compared), fast)


def are_contrary(bad: Group, good: Group) -> bool:
    """Do the rows say the contrary of the names?"""
    return bad.n > 0 and 10 * bad.none <= 2 * bad.n and (
        10 * good.none >= 8 * good.n or (2 * good.n <= bad.n and good.are_fast() and not bad.are_same()))


def are_told_by_most(bad: Group, good: Group, enough_rows: int) -> bool:
    """Is what most rows have a success, as the others are odd, or a few?"""
    are_odd = _are_most(bad.none + bad.fast, bad.none + bad.compared, 2) or (bad.are_same() and not good.are_same())
    are_few = good.n + bad.n >= enough_rows and good.n >= 9 * bad.n
    return good.n >= bad.n and (are_odd or are_few) and (bad.are_same() or not good.are_fast()) and not good.are_same()
