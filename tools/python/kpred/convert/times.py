"""times.py - what the figures in a table's columns of times are, and their texts in a plain table

SPDX-License-Identifier: MIT
"""
import re
from typing import Callable, Dict, List, Optional, Tuple

from .columns import Columns
from .command import Asked
from .figures import Figure, Place, figure, mark_of
from .records import Records
from .units import FAILED_TIME, NONE, RATE, TIME, Metric, metric_of_unit
from .words import metric_of_name

_NOT_ZERO = re.compile("[1-9]")


class Times(Columns):
    """The columns of times of a table, what they are called, and their unit"""

    def __init__(self, r: Records, asked: Asked, note: Callable[[int, str], None]) -> None:
        super().__init__(r, asked, note)
        self.kind, self.mark, self.is_rate, self._has_told_unit = Metric(TIME), ".", False, False
        self.us: Dict[str, float] = {} # microseconds of each cell of times that is one
        self.texts: Dict[str, str] = {} # and what a plain table has: that, and what is none as it is
        self._has_time: Dict[str, bool] = {}

    def read_kind(self) -> None:
        """What the slots' figures are. Where the column's name does not say the unit, all cells do, or none."""
        first: Dict[str, Place] = {}
        for slot in self.slots:
            for what, place in self.seen[slot.at].first.items():
                first.setdefault(what, place)
        name, self.kind = self.name, metric_of_name(self.name)
        mark, told = mark_of(first, self.r.separator, False)
        if told:
            self.tell_mark(name, first, told)
        if mark is None:
            comma, point = (first.get(m) or first["either" + m] for m in ",.")
            raise self.r.fail(comma[0], f'{name}: value "{comma[1]}": is written with a decimal comma, but '
                              f'"{point[1]}" in line {point[0]} with a decimal point')
        self.mark = mark
        if not self.kind.has_unit and "unit" in first:
            unit, bare = first["unit"], first.get("bare")
            if bare:
                raise self.r.fail(bare[0], f'{name}: value "{bare[1]}": has no unit, but "{unit[1]}" in line {unit[0]} '
                                  "has one")
            f = figure(unit[1])
            self.kind = metric_of_unit(f.unit) if f else self.kind
        self.is_rate = self.kind.kind == RATE
        self._tell_kind(name)
        if self.kind.kind == NONE:
            self.kind = self.kind._replace(kind=TIME)
        self._read()

    def tell_mark(self, name: str, first: Dict[str, Place], told: str) -> None:
        self.note(first.get("either,", first.get("either.", (0, "")))[0], f'column "{name}": {told}')

    def _tell_kind(self, name: str) -> None:
        if self.is_rate:
            self.note(self.r.header_line, f'column "{name}": is a speed, so a time is a constant divided by it: only '
                      "ratios within one problem count")
        elif not self.kind.has_unit:
            self.note(self.r.header_line, ("a column for each tuple" if self.is_wide else f'column "{name}"')
                      + ": has no unit: it is taken as microseconds, and only ratios within one problem count")
        elif self.has_found and not self.asked.has_spec:
            self.note(self.r.header_line, f'column "{name}": is the column of times')

    # ---- cells ----

    def figure(self, cell: str, f: Optional[Figure]) -> Optional[Tuple[float, Metric]]:
        """A cell of times that is a figure of its kind, and its unit"""
        if not f or cell[0] == "-":
            return None
        unit = metric_of_unit(f.unit) if f.unit else self.kind
        x = float(f.plain(self.mark))
        return (x, unit) if unit.kind == self.kind.kind and x != float("inf") else None

    def _read(self) -> None:
        for slot in self.slots:
            figures = self.seen[slot.at].figures
            for cell in self.seen[slot.at].counts:
                found = self.figure(cell, figures.get(cell))
                if not found:
                    self.texts[cell] = cell
                elif 0 < found[0] < FAILED_TIME:
                    self.us[cell] = us = found[1].us(found[0])
                    self.texts[cell] = repr(us)
                else:
                    self.texts[cell] = f"{found[0]:.17g}"

    def has_time(self, cell: str) -> bool:
        """Is it a figure that is not 0, of whatever unit?"""
        if cell not in self._has_time:
            f = figure(cell)
            self._has_time[cell] = f is not None and _NOT_ZERO.search(f.text) is not None
        return self._has_time[cell]

    def least_us(self) -> List[float]:
        """The microseconds of each row, of the least of its slots; 0: it has no time"""
        rows = [[self.us.get(cell, 0.0) for cell in self.r.columns[slot.at]] for slot in self.slots]
        if len(rows) < 2:
            return rows[0] if rows else [0.0] * len(self.r.lines)
        return [min((us for us in row if us > 0), default=0.0) for row in zip(*rows)]

    # ---- what is odd about a time ----

    def may_be_odd(self, cell: str) -> bool:
        """At a quick look"""
        return cell[-1:].isalpha() or cell[-1:] in (")", "]", "}", ".", " ") or cell in self.r.header

    def check(self, line: int, cell: str, name: str) -> None:
        """A line of units, or the header once more, in the place of a row; a unit that is not the header's"""
        f = figure(cell)
        if f and cell[0] != "-":
            if (not self._has_told_unit and self.figure(cell, f) and f.unit and metric_of_name(name).has_unit
                    and metric_of_unit(f.unit).power != self.kind.power):
                self.note(line, f'{name}: value "{cell}": its own unit counts, not that of the column\'s name')
                self._has_told_unit = True
        elif not self.asked.is_lenient and cell == name:
            raise self.r.fail(line, f'{name}: value "{cell}": the row repeats the header: leave it out')
        elif not self.asked.is_lenient and metric_of_unit(cell).kind != NONE:
            raise self.r.fail(line, f'{name}: value "{cell}": is a unit, so this is a second header: write the unit '
                              "into the first, behind the name, and leave this line out")
