"""times.py - what the figures in a table's columns of times are, and their texts in a plain table

SPDX-License-Identifier: MIT
"""
import re
from typing import Callable, Dict, List, Optional, Tuple

from .columns import Columns
from .command import Asked
from .figures import Place, figure, mark_of
from .records import Records
from .units import FAILED_TIME, NONE, RATE, TIME, Metric, metric_of_unit
from .words import metric_of_name

_NOT_ZERO = re.compile("[1-9]")


class Times(Columns):
    """The columns of times of a table, what they are called, and their unit"""

    def __init__(self, r: Records, asked: Asked, note: Callable[[int, str], None]) -> None:
        super().__init__(r, asked, note)
        self.kind, self.mark, self.is_rate, self._has_told_unit = Metric(TIME), ".", False, False
        self._texts: Dict[str, str] = {}
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
            raise self.r.fail(comma[0], f'{name}: value "{comma[1]}": is written with a decimal comma, but "{point[1]}" in '
                              f"line {point[0]} with a decimal point")
        self.mark = mark
        if not self.kind.has_unit and "unit" in first:
            unit, bare = first["unit"], first.get("bare")
            if bare:
                raise self.r.fail(bare[0], f'{name}: value "{bare[1]}": has no unit, but "{unit[1]}" in line {unit[0]} has one')
            f = figure(unit[1])
            self.kind = metric_of_unit(f.unit) if f else self.kind
        self.is_rate = self.kind.kind == RATE
        self._tell_kind(name)
        if self.kind.kind == NONE:
            self.kind = self.kind._replace(kind=TIME)

    def tell_mark(self, name: str, first: Dict[str, Place], told: str) -> None:
        self.note(first.get("either,", first.get("either.", (0, "")))[0], f'column "{name}": {told}')

    def _tell_kind(self, name: str) -> None:
        if self.is_rate:
            self.note(self.r.header_line, f'column "{name}": is a speed, so a time is a constant divided by it: only ratios '
                      "within one problem count")
        elif not self.kind.has_unit:
            self.note(self.r.header_line, ("a column for each tuple" if self.is_wide else f'column "{name}"')
                      + ": has no unit: it is taken as microseconds, and only ratios within one problem count")
        elif self.has_found and not self.asked.has_spec:
            self.note(self.r.header_line, f'column "{name}": is the column of times')

    # ---- cells ----

    @property
    def has_time(self) -> Dict[str, bool]:
        """Of each cell of times whether it is a figure that is not 0"""
        if not self._has_time:
            for slot in self.slots:
                for cell in self.seen[slot.at].counts:
                    f = figure(cell)
                    self._has_time[cell] = f is not None and _NOT_ZERO.search(f.text) is not None
        return self._has_time

    def figure(self, cell: str) -> Optional[Tuple[float, Metric]]:
        """A cell of times that is a figure of its kind, and its unit"""
        f = figure(cell)
        if not f or cell[0] == "-":
            return None
        unit = metric_of_unit(f.unit) if f.unit else self.kind
        x = float(f.plain(self.mark))
        return (x, unit) if unit.kind == self.kind.kind and x != float("inf") else None

    @property
    def texts(self) -> Dict[str, str]:
        """Of each cell of times what a plain table has: microseconds, what is none as it is"""
        if not self._texts:
            for slot in self.slots:
                self._texts.update((cell, self._text(cell)) for cell in self.seen[slot.at].counts)
        return self._texts

    def _text(self, cell: str) -> str:
        found = self.figure(cell)
        if not found:
            return cell
        x, unit = found
        return repr(unit.us(x) if 0 < x < FAILED_TIME else x)

    def us(self, cell: str) -> float:
        """Microseconds; 0: it is no time"""
        found = self.figure(cell)
        return found[1].us(found[0]) if found and 0 < found[0] < FAILED_TIME else 0.0

    def least_us(self) -> List[float]:
        """The microseconds of each row, of the least of its slots; 0: it has no time"""
        rows = []
        for slot in self.slots:
            of = {cell: self.us(cell) for cell in self.seen[slot.at].counts}
            rows.append([of[cell] for cell in self.r.columns[slot.at]])
        if len(rows) == 1:
            return rows[0]
        return [min((us for us in row if us > 0), default=0.0) for row in zip(*rows)] if rows else [0.0] * len(self.r.lines)

    # ---- what is odd about a time ----

    def may_be_odd(self, cell: str) -> bool:
        """At a quick look"""
        return cell[-1:].isalpha() or cell[-1:] in (")", "]", "}", ".", " ") or cell in self.r.header

    def check(self, line: int, cell: str, name: str) -> None:
        """A line of units, or the header once more, in the place of a row; a unit that is not the header's"""
        f = figure(cell)
        if f and cell[0] != "-":
            if (not self._has_told_unit and self.figure(cell) and f.unit and metric_of_name(name).has_unit
                    and metric_of_unit(f.unit).power != self.kind.power):
                self.note(line, f'{name}: value "{cell}": its own unit counts, not that of the column\'s name')
                self._has_told_unit = True
        elif not self.asked.is_lenient and cell == name:
            raise self.r.fail(line, f'{name}: value "{cell}": the row repeats the header: leave it out')
        elif not self.asked.is_lenient and metric_of_unit(cell).kind != NONE:
            raise self.r.fail(line, f'{name}: value "{cell}": is a unit, so this is a second header: write the unit into the '
                              "first, behind the name, and leave this line out")
