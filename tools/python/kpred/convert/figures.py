"""figures.py - numbers in cells, as people write them, and what all cells of a column are

SPDX-License-Identifier: MIT
"""
import re
from collections import Counter
from typing import Dict, NamedTuple, Optional, Sequence, Tuple

from .failures import is_failure
from .units import NONE, metric_of_unit

_MARKS = "[ '_\u00a0\u202f\u2009\u2019]" # between thousands, beside a point or a comma
_NUMBER = re.compile(rf"[-+]?((?:\d|[.,]|(?<=\d){_MARKS}(?=\d))*)([eE][-+]?\d+)?", re.ASCII)
_USUAL = re.compile(r"[-+]?(\d*)(?:([.,])(\d*))?([eE][-+]?\d+)?", re.ASCII)
_SPLIT = re.compile(r"[^\d]", re.ASCII)

_PLAIN = {mark: {**dict.fromkeys(map(ord, " '_\u00a0\u202f\u2009\u2019.,")), ord(mark): "."} for mark in ".,"}


class Figure(NamedTuple):
    """A number at the beginning of a cell, with nothing or a unit behind it"""
    text: str # the unit excluded
    unit: str = ""
    is_plain: bool = False # as C writes it, without a unit
    is_fraction: bool = False # it has a decimal mark, or may have
    proves: str = "" # the decimal mark of its column, . or ,
    either: str = "" # a mark that may be that or stand between thousands

    def plain(self, mark: str) -> str:
        """The number as C writes it, where `mark` is the decimal mark"""
        if self.is_plain and mark == ".":
            return self.text
        return self.text.translate(_PLAIN[mark])


def _are_thousands(marks: str, groups: Sequence[str]) -> bool:
    return 1 <= len(groups[0]) <= 3 and marks == marks[:1] * len(marks) and all(len(g) == 3 for g in groups[1:])


def figure(cell: str) -> Optional[Figure]:
    m = _USUAL.fullmatch(cell)
    if not m:
        return _odd_figure(cell)
    whole, mark, part, exponent = m.groups()
    if not whole and not part:
        return None
    if not mark:
        return Figure(cell, "", True)
    is_either = len(part) == 3 and 1 <= len(whole) <= 3 and whole[0] != "0" and not exponent
    return Figure(cell, "", mark == ".", True, "" if is_either else mark, mark if is_either else "")


def _odd_figure(cell: str) -> Optional[Figure]:
    m = _NUMBER.match(cell)
    digits = m.group(1) # type: ignore[union-attr]
    groups = _SPLIT.split(digits)
    marks = "".join(c if c in ".," else "'" for c in digits if not "0" <= c <= "9")
    text, unit = m.group(), cell[m.end():].lstrip(" \u00a0\u202f") # type: ignore[union-attr]
    is_plain = m.end() == len(cell) and marks in ("", ".") # type: ignore[union-attr]
    if not marks:
        return Figure(text, unit, is_plain) if digits else None
    if len(marks) == 1:
        may_be = _are_thousands(marks, groups) and groups[0][0] != "0" and not m.group(2) # type: ignore[union-attr]
        if marks == "'":
            return Figure(text, unit, is_plain) if may_be else None
        kept = Figure(text, unit, is_plain, True, "" if may_be else marks, marks if may_be else "")
        return kept if groups[0] or groups[1] else None
    if marks[-1] == marks[0]: # 1,234,567
        proves = {",": ".", ".": ","}.get(marks[0], "")
        return Figure(text, unit, is_plain, False, proves) if _are_thousands(marks, groups) else None
    if marks[-1] != "'" and _are_thousands(marks[:-1], groups[:-1]): # 1,234.5
        return Figure(text, unit, is_plain, True, marks[-1])
    return None


Place = Tuple[int, str] # a cell's line, and its text


def cut(text: str, n: int) -> str:
    """The first bytes of a text, for a message"""
    return text.encode("utf-8", "surrogateescape")[:n].decode("utf-8", "surrogateescape")


class Seen:
    """What the cells of a column are: how many of each kind, and the first of some kinds"""

    def __init__(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        self.counts: Dict[str, int] = Counter(cells)
        self._cells, self._lines, counts = cells, lines, self.counts
        self.n, self.n_empty = len(cells), counts.get("", 0)
        self.n_figures = self.n_plain = self.n_fractions = self.n_failures = self.n_odd = 0
        self.first: Dict[str, Place] = {} # of what proves a mark, "." and ","; either., either,; unit, bare, odd
        self.figures: Dict[str, Figure] = {}
        for cell, count in counts.items():
            if cell:
                self._see(cell, count)

    def _see(self, cell: str, count: int) -> None:
        f = figure(cell)
        if f and (not f.unit or metric_of_unit(f.unit).kind != NONE):
            self.figures[cell] = f
            self.n_figures += count
            if f.is_plain:
                self.n_plain += count
            if f.is_fraction or f.unit:
                self.n_fractions += count
            self._note("unit" if f.unit else "bare", cell)
            if f.proves:
                self._note(f.proves, cell)
            elif f.either:
                self._note("either" + f.either, cell)
        elif is_failure(cell):
            self.n_failures += count
        elif cell[0] in "0123456789.+-~":
            self.n_odd += count
            self._note("odd", cell)

    def _note(self, what: str, cell: str) -> None:
        if what not in self.first:
            self.first[what] = self.place(cell)

    def place(self, cell: str) -> Place:
        return self._lines[self._cells.index(cell)], cut(cell, 39)

    def has_figures(self) -> bool:
        return self.n_figures > 0 and 2 * self.n_figures >= self.n - self.n_empty - self.n_failures


def mark_of(first: Dict[str, Place], separator: str, is_integer: bool) -> Tuple[Optional[str], str]:
    """The decimal mark of a column, None: its cells contradict each other; and what is told of a guess. `is_integer`:
    no fraction makes sense there."""
    if "," in first or "." in first:
        return None if "," in first and "." in first else "," if "," in first else ".", ""
    if "either," in first and "either." in first:
        return None, ""
    mark = "," if "either," in first else "."
    if "either" + mark not in first or (mark == "." and (not is_integer or separator == ",")):
        return ".", ""
    is_decimal = mark == "," and separator != "," and not is_integer
    told = (f'value "{first["either" + mark][1]}": the {"comma" if mark == "," else "point"} is taken as '
            + ("a decimal comma" if is_decimal else "a mark between thousands"))
    return mark if is_decimal else "," if mark == "." else ".", told
