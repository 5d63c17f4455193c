"""status_rows.py - what the rows of a table show of columns that may tell which of them failed, and the decision

SPDX-License-Identifier: MIT
"""
import random
from collections import Counter
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from .columns import FIELD, OTHER, PARAM
from .figures import cut
from .failures import BAD, GOOD, N_GOOD, OTHER as OTHER_WORD
from .status import ASKED, CHECK, CLOSED, ENOUGH_ROWS, MOST, RARE, WORDS, Column
from .times import Times
from .words import is_counter, is_measurement


class Group(NamedTuple):
    """Of rows that would be failures, or of the others: how many there are, how many have no time, how many have the
    time of the first, and of those whose problem has some in the other group, how many are faster than all of these"""
    n: int
    none: int
    same: int
    compared: int
    fast: int

    def are_fast(self) -> bool:
        """What crashed is faster than all that ran."""
        return _are_most(self.fast, self.compared, 2)

    def are_same(self) -> bool:
        """A limit of time, or a number in the place of a time"""
        return self.none < self.n and _are_most(self.same, self.n - self.none, 3)


def _are_most(part: int, of: int, least: int) -> bool:
    return of >= least and 10 * part >= 9 * of


class Rows:
    """The rows' times, problems, and hashes of all cells that may be the tuple's and the problem's"""

    def __init__(self, t: Times, columns: Sequence[Column]) -> None:
        slots = {slot.at for slot in t.slots}
        fields = [at for at, role in enumerate(t.roles) if role == FIELD]
        self.r, self.n = t.r, len(t.r.lines)
        self.us = t.least_us()
        numbers: Dict[Tuple[str, ...], int] = {}
        cells = list(zip(*(t.r.columns[at] for at in fields))) if fields else [()] * self.n
        self.problem = [numbers.setdefault(c, len(numbers)) for c in cells]
        rng = random.Random(1)
        self.hashes: Dict[int, List[int]] = {}
        for c in columns:
            is_param = c.role == PARAM or (c.role == OTHER and not is_counter(c.name) and not is_measurement(c.name)
                                           and (c.is_out or c.open == RARE))
            if c.role == FIELD or (is_param and c.at not in slots):
                of = {cell: rng.getrandbits(62) for cell in t.seen[c.at].counts}
                self.hashes[c.at] = [of[cell] for cell in t.r.columns[c.at]]
        self.rest = [sum(row) for row in zip(*self.hashes.values())] if self.hashes else [0] * self.n
        self.is_field = set(fields)

    def twins(self, c: Column) -> float:
        """Which part of the rows has a twin that differs in this column alone, as those of a parameter do"""
        own = self.hashes.get(c.at)
        rest = [a - b for a, b in zip(self.rest, own)] if own and c.at not in self.is_field else self.rest
        kinds = Counter(h for h, _ in set(zip(rest, self.r.columns[c.at])))
        return sum(kinds[h] > 1 for h in rest) / self.n if self.n else 0

    def compare(self, c: Column, enough: int) -> Tuple[Group, Group]:
        """The failures, and the others"""
        is_good = [cell in c.good for cell in self.r.columns[c.at]]
        least: Dict[Tuple[int, bool], float] = {}
        count: Dict[Tuple[int, bool], int] = {}
        for us, problem, good in zip(self.us, self.problem, is_good):
            if us > 0:
                key = problem, good
                count[key] = count.get(key, 0) + 1
                least[key] = min(us, least.get(key, us))
        found = []
        for which in False, True:
            rows = [(us, problem) for us, problem, good in zip(self.us, self.problem, is_good) if good == which]
            timed = [row for row in rows if row[0] > 0]
            compared = [row for row in timed if count.get((row[1], not which), 0) >= enough]
            fast = sum(us < 0.75 * least[problem, not which] for us, problem in compared)
            same = sum(us == timed[0][0] for us, _ in timed)
            found.append(Group(len(rows), len(rows) - len(timed), same, len(compared), fast))
        return found[0], found[1]

    def decide(self, c: Column) -> None:
        twins, has_text = self.twins(c), any(c.words[cell] in (GOOD, BAD, OTHER_WORD) for cell in c.counts)
        was = c.open
        if was in (MOST, RARE):
            c.take_most()
        if was == RARE:
            c.open, c.is_out = CLOSED, True
            if twins < 0.02 and c.n >= ENOUGH_ROWS and any(
                    _are_most(g.fast, g.compared, 3) for g in self.compare(c, 3)):
                c.is_out = False
                c.ask("in each problem one value goes with times that no other row has")
            return
        if (c.is_weak and twins > 0.25 and not has_text) or (was == WORDS and twins > 0.02):
            c.is_out = True
            return
        bad, good = self.compare(c, 1)
        if was == CHECK and good.n == 0 and c.n > c.rows(BAD):
            c.ask("by its name and cells all rows failed")
        elif was == CHECK and _is_contrary(bad, good):
            c.ask("its name says the contrary of what the times say")
        elif was == MOST and ((c.is_weak and not has_text) or not _are_told_by_most(bad, good)):
            c.ask("neither its name nor the times say which value is success")


def _is_contrary(bad: Group, good: Group) -> bool:
    """Do the rows say the contrary of the names?"""
    return bad.n > 0 and 10 * bad.none <= 2 * bad.n and (
        10 * good.none >= 8 * good.n or (2 * good.n <= bad.n and good.are_fast() and not bad.are_same()))


def _are_told_by_most(bad: Group, good: Group) -> bool:
    are_odd = _are_most(bad.none + bad.fast, bad.none + bad.compared, 2) or (bad.are_same() and not good.are_same())
    are_few = good.n + bad.n >= ENOUGH_ROWS and good.n >= 9 * bad.n
    return good.n >= bad.n and (are_odd or are_few) and (bad.are_same() or not good.are_fast()) and not good.are_same()


class Status:
    """The decision: which columns tell, and the words that a spec has to say of them"""

    def __init__(self, t: Times) -> None:
        self.t, self.success, self.failures = t, [], [] # type: Times, List[str], List[str]
        self.columns = [Column(t, at) for at in range(len(t.r.header))]
        t.may_be_status = lambda at: self.columns[at].may_tell()

    def decide(self) -> None:
        t = self.t
        for c in self.columns:
            if not c.is_out and not c.is_given:
                c.decide()
            c.is_out |= c.n == 0 or (c.open == RARE and (not t.slots or t.is_wide))
        open_ = [c for c in self.columns if not c.is_out and c.open not in (CLOSED, ASKED)]
        rows = Rows(t, self.columns) if open_ else None
        for c in open_:
            rows.decide(c) # type: ignore[union-attr]
        for is_asked in False, True:
            for c in self.columns:
                if not c.is_out and (c.open == ASKED) == is_asked:
                    self._finish(c)

    def _finish(self, c: Column) -> None:
        is_spared = c.is_amount and any(other.tells for other in self.columns if other is not c)
        if c.is_ignored or (c.open == ASKED and is_spared): # where one column tells it, an amount need not
            c.good, c.tells = set(c.counts), not c.is_ignored
            self.success.append(c.name + "=*")
            return
        if c.open == ASKED:
            raise self._question(c)
        if c.is_given:
            if not c.good and self.t.asked.is_only: # words that name no row of the only table are a slip
                raise self._fail(f'--success: column "{c.name}": no row has worked: it has {c.told(False)}')
        else:
            for cell in c.counts:
                (self.success if cell in c.good else self.failures).append(f"{c.name}={cell}")
            other = "a line `success` in [data] of the spec" if self.t.asked.has_spec else "--success"
            self.t.note(self.t.r.header_line, f'column "{c.name}": tells which rows failed: {c.told(False)} failed, '
                        f"{c.told(True)} worked; {other} says otherwise")
        c.tells = True

    def _fail(self, what: str) -> Exception:
        return self.t.r.fail(self.t.r.header_line, what)

    def _question(self, c: Column) -> Exception:
        """With what answers it: an option, or a line of the spec"""
        has_spec = self.t.asked.has_spec
        test = "=VALUE" if not c.is_amount else ">=LIMIT" if c.kind == N_GOOD else "<=LIMIT"
        option, end = ("`success = ", "`") if has_spec else ("--success ", "")
        mark = '"' if not has_spec or " " in c.name else ""
        rest = ("it does not tell; the line stands in [data] of the spec" if has_spec
                else "it is a parameter, --ignore leaves it out")
        return self._fail(f'column "{c.name}" has {c.told(None)}: may it tell which rows failed? {c.why}: '
                          f"{option}{mark}{c.name}{test}{mark}{end} says what worked, "
                          f"{option}{mark}{c.name}=*{mark}{end} that {rest}")

    def failures_of_rows(self) -> Optional[List[str]]:
        """What each row failed by, "" if it has not; None: no column tells."""
        found: Optional[List[str]] = None
        for c in self.columns:
            if c.tells and len(c.good) < len(c.counts):
                text = {cell: "" if cell in c.good else f"failed: {cut(c.name, 40)}={cut(cell, 60)}"
                        for cell in c.counts}
                own = [text[cell] for cell in self.t.r.columns[c.at]]
                found = own if found is None else [a or b for a, b in zip(found, own)]
        return found

