"""figures.py - numbers in cells, as people write them, and what all cells of a column are

SPDX-License-Identifier: MIT
"""
import re
from collections import Counter
from typing import Dict, NamedTuple, Optional, Sequence, Tuple

from .failures import is_failure
from .numbers import NUMBER
from .units import NONE, metric_of_unit

# Between thousands stands a point, a comma, or a blank or a quote of some kind.
_FIGURE = re.compile(r"""
    ([-+]? (?=[.,]?\d)
     (?: [1-9]\d{0,2} (?: ([.,]) \d{3} (?:\2\d{3})* | (?:[ '_\u00a0\u202f\u2009\u2019]\d{3})+ ) (?!\d) | \d* )
     (?: (?!\2) ([.,]) \d* )?
     ( [eE][-+]?\d+ )? )
    [ \u00a0\u202f]* ( (?: [^\d., \u00a0\u202f] \D* )? )""", re.ASCII | re.VERBOSE)
_PLAIN = {mark: str.maketrans(mark, ".", " '_\u00a0\u202f\u2009\u2019.,".replace(mark, "")) for mark in ".,"}


class Figure(NamedTuple):
    """A number in a cell, with nothing or a unit behind it"""
    text: str # the unit excluded
    unit: str
    is_plain: bool # as C writes it, without a unit
    is_fraction: bool # it has a decimal mark, or may have
    proves: str # the decimal mark of its column, . or ,
    either: str # a mark that may be that or stand between thousands

    def plain(self, mark: str) -> str:
        """The number as C writes it, where `mark` is the decimal mark"""
        return self.text if self.is_plain and mark == "." else self.text.translate(_PLAIN[mark])


def figure(cell: str) -> Optional[Figure]:
    m = _FIGURE.fullmatch(cell)
    if not m:
        return None
    text, between, mark, exponent, unit = m.groups()
    proves, either = mark or "", ""
    if not mark and between in (".", ","):
        if text.count(between) > 1:
            proves = "," if between == "." else "."
        elif exponent:
            mark = proves = between
        else:
            either = between
    return Figure(text, unit, NUMBER.fullmatch(cell) is not None, bool(mark or either), proves, either)


Place = Tuple[int, str] # a cell's line, and its text


class Seen:
    """What the cells of a column are. Kinds of cells are: empty, failure, figure, and of those plain, fraction, unit or
    bare, and . or , where that is proved to be the decimal mark, or either. or either,; odd: others like a number."""

    def __init__(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        self.counts: Dict[str, int] = Counter(cells)
        self.n = len(cells)
        self.rows: Dict[str, int] = Counter() # of each kind,
        self.first: Dict[str, Place] = {} # and the first of them
        self.figures: Dict[str, Figure] = {}
        self._cells, self._lines = cells, lines
        for cell, count in self.counts.items():
            for kind in self._kinds(cell):
                if kind not in self.first:
                    self.first[kind] = self.place(cell)
                self.rows[kind] += count

    def _kinds(self, cell: str) -> Sequence[str]:
        f = figure(cell)
        if f:
            self.figures[cell] = f
        if f and (not f.unit or metric_of_unit(f.unit).kind != NONE):
            marked = f.proves or (f.either and "either" + f.either)
            kinds = {"plain": f.is_plain, "fraction": f.is_fraction or f.unit, marked: marked}
            return "figure", "unit" if f.unit else "bare", *(kind for kind, is_so in kinds.items() if is_so)
        if is_failure(cell):
            return ("failure",) if cell else ("empty",)
        return ("odd",) if cell[0] in "0123456789.+-~" else ()

    def place(self, cell: str) -> Place:
        return self._lines[self._cells.index(cell)], cell[:39]

    def has_figures(self) -> bool:
        n = self.rows["figure"]
        return n > 0 and 2 * n >= self.n - self.rows["empty"] - self.rows["failure"]


def mark_of(first: Dict[str, Place], separator: str, is_integer: bool) -> Tuple[Optional[str], str]:
    """The decimal mark of a column, None: its cells contradict each other; and what is told of a guess. `is_integer`:
    no fraction makes sense there."""
    proved, may_be = ([mark for mark in ",." if kind + mark in first] for kind in ("", "either"))
    if proved or len(may_be) != 1:
        return None if len(proved or may_be) > 1 else (proved or ["."])[0], ""
    mark = may_be[0]
    if mark == "." and (not is_integer or separator == ","):
        return ".", ""
    is_decimal = mark == "," and separator != "," and not is_integer
    told = (f'value "{first["either" + mark][1]}": the {"comma" if mark == "," else "point"} is taken as '
            + ("a decimal comma" if is_decimal else "a mark between thousands"))
    return mark if is_decimal else "," if mark == "." else ".", told
