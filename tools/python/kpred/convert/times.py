"""times.py - what the figures in a table's columns of times are, and their texts in a plain table

SPDX-License-Identifier: MIT
"""
from typing import Callable, Dict, List, Optional

from .columns import Columns
from .command import Asked
from .figures import Place, Seen, figure, mark_of
from .numbers import NUMBER
from .records import Records
from .units import FAILED_TIME, NONE, RATE, TIME, Metric, metric_of_name, metric_of_unit


class Times(Columns):
    """The columns of times of a table, what they are called, and their unit"""

    def __init__(self, r: Records, asked: Asked, note: Callable[[int, str], None]) -> None:
        super().__init__(r, asked, note)
        self.kind, self.mark, self.is_rate = Metric(TIME), ".", False
        self.us: Dict[str, float] = {} # microseconds of each cell of times that is one
        self.texts: Dict[str, str] = {} # and what a plain table has: that, and what is none as it is

    def read_kind(self) -> None:
        """What the slots' figures are. Where the column's name does not say the unit, all cells do, or none."""
        first: Dict[str, Place] = {}
        for slot in self.slots:
            first = {**self.seen[slot.at].first, **first}
        self.kind = metric_of_name(self.name)
        self.mark = self.mark_of(self.name, first, False) or ""
        if not self.mark:
            comma, point = (first.get(m) or first["either" + m] for m in ",.")
            raise self.r.fail(comma[0], f'{self.name}: value "{comma[1]}": is written with a decimal comma, but '
                              f'"{point[1]}" in line {point[0]} with a decimal point')
        if not self.kind.has_unit and "unit" in first:
            self.kind = self._unit_of_cells(first)
        self.is_rate = self.kind.kind == RATE
        self._tell_kind()
        if self.kind.kind == NONE:
            self.kind = self.kind._replace(kind=TIME)
        for slot in self.slots:
            self._read(self.seen[slot.at])

    def mark_of(self, name: str, first: Dict[str, Place], is_integer: bool) -> Optional[str]:
        """The decimal mark of a column, None: its cells contradict each other"""
        mark, told = mark_of(first, self.r.separator, is_integer)
        if told:
            self.note(first.get("either,", first.get("either.", (0, "")))[0], f'column "{name}": {told}')
        return mark

    def _unit_of_cells(self, first: Dict[str, Place]) -> Metric:
        unit, bare = first["unit"], first.get("bare")
        if bare:
            raise self.r.fail(bare[0], f'{self.name}: value "{bare[1]}": has no unit, but "{unit[1]}" in line '
                              f"{unit[0]} has one")
        f = figure(unit[1])
        return metric_of_unit(f.unit) if f else self.kind

    def _tell_kind(self) -> None:
        what = "a column for each tuple" if self.is_wide else f'column "{self.name}"'
        if self.is_rate:
            self.note(self.r.header_line, f'column "{self.name}": is a speed, so a time is a constant divided by it: '
                      "only ratios within one problem count")
        elif not self.kind.has_unit:
            self.note(self.r.header_line,
                      what + ": has no unit: it is taken as microseconds, and only ratios within one problem count")
        elif self.has_found and not self.asked.has_spec:
            self.note(self.r.header_line, what + ": is the column of times")

    def _read(self, s: Seen) -> None:
        for cell in s.counts:
            f = s.figures.get(cell)
            unit = metric_of_unit(f.unit) if f and f.unit else self.kind
            is_figure = f and cell[0] != "-" and unit.kind == self.kind.kind
            x = float(f.plain(self.mark)) if f and is_figure else float("inf")
            if 0 < x < FAILED_TIME:
                self.us[cell] = us = unit.us(x)
                self.texts[cell] = repr(us)
            else:
                self.texts[cell] = f"{x:.17g}" if x < float("inf") else cell

    def has_time(self, cell: str) -> bool:
        """Is it a figure that is not 0, of whatever unit?"""
        return cell in self.us or (NUMBER.match(self.texts[cell]) is not None and self.texts[cell] != "0")

    def least_us(self) -> List[float]:
        """The microseconds of each row, of the least of its slots; 0: it has no time"""
        rows = [[self.us.get(cell, 0.0) for cell in self.r.columns[slot.at]] for slot in self.slots]
        if len(rows) < 2:
            return rows[0] if rows else [0.0] * len(self.r.lines)
        return [min((us for us in row if us > 0), default=0.0) for row in zip(*rows)]

    # ---- what is odd about a time ----

    def check(self) -> None:
        """A line of units, or the header once more, in the place of a row; a unit that is not the header's"""
        for slot in self.slots:
            s, name = self.seen[slot.at], self.r.header[slot.at]
            other = next((cell for cell, f in s.figures.items() if f.unit and cell in self.us
                          and metric_of_unit(f.unit).power != self.kind.power), None)
            if other is not None and metric_of_name(name).has_unit:
                line, text = s.place(other)
                self.note(line, f'{name}: value "{text}": its own unit counts, not that of the column\'s name')
            for cell in s.counts if not self.asked.is_lenient else ():
                is_name = cell == name
                if is_name or (cell not in s.figures and metric_of_unit(cell).kind != NONE):
                    raise self.r.fail(s.place(cell)[0], f'{name}: value "{cell}": ' + (
                        "the row repeats the header: leave it out" if is_name else "is a unit, so this is a second "
                        "header: write the unit into the first, behind the name, and leave this line out"))
