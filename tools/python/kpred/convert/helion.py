"""helion.py - what Helion measured (measurements_HARDWARE.csv)

SPDX-License-Identifier: MIT

A cell of such a table has a configuration as JSON, with lists in it, and another one the shapes of the arguments. Each
member becomes a column, and of lists each item: NAME_0, NAME_1. What is null, "" or missing is -1 in a column of
integers and else `none`; a column without anything else is left out.
"""
import re
from typing import Any, Dict, List, Set, Tuple

from .command import Asked
from .json_text import Text, scalar
from .numbers import NUMBER
from .records import Records
from .table import Bad, Table
from .units import metric_of_unit

CONFIG, SHAPE, TIME, KERNEL = "config", "shape_features", "timing_ms", "kernel_name"
MOST_COLUMNS, MOST_NAME = 512, 60
_MS = metric_of_unit("ms")
_NO_LETTER = re.compile(rb"[^A-Za-z0-9_.+-]")
_INTEGER = re.compile("-?[0-9]{1,19}")
_FILE = re.compile(r"measurements_[^_]*_(.*)_[^_]*\.csv")
_Cells = List[Tuple[str, str]] # columns and their texts


def sees(path: str, text: str) -> bool:
    line = text[:text.find("\n")]
    return all(name in line for name in (CONFIG, SHAPE, TIME, KERNEL))


def read(path: str, text: str, asked: Asked) -> Table:
    records = Records(path, text, False)
    for name in CONFIG, SHAPE, TIME, KERNEL:
        if name not in records.header:
            raise Bad(f"{path}:{records.header_line}: there is no column {name}")
    flat = _Flat(path)
    column = {name: records.columns[i] for i, name in reversed(list(enumerate(records.header)))}
    for line, kernel, shape, config in zip(records.lines, column[KERNEL], column[SHAPE], column[CONFIG]):
        flat.add(line, kernel, shape, config)
    return flat.table(records.lines, column[TIME], asked)


def _plain(text: str) -> str:
    """A name as a spec has them: without torch., and with _ for what else cannot be in one"""
    text = text[len("torch."):] if text.startswith("torch.") else text
    return _NO_LETTER.sub(b"_", text.encode("utf-8", "surrogateescape")).decode()


class _Flat:
    def __init__(self, path: str) -> None:
        self.path = path
        self.kernel = ""
        self.names: Dict[str, int] = {} # in the order in which they came
        self.shapes: Set[str] = set()
        self.values: Dict[str, Set[str]] = {}
        self.rows: List[Dict[str, str]] = []
        self._seen: Dict[Tuple[str, str], _Cells] = {} # what cells hold
        self._texts: Dict[Tuple[str, str, type, Any], str] = {} # of values that came before

    # ---- one record ----

    def add(self, line: int, kernel: str, shape: str, config: str) -> None:
        if not self.rows:
            self.kernel = kernel
        if kernel != self.kernel:
            raise Bad(f'{self.path}:{line}: {KERNEL}: value "{kernel}": other rows are of {self.kernel}: a spec is of '
                      "one kernel, so leave the rows of one")
        row: Dict[str, str] = {}
        for which, cell in (SHAPE, shape), (CONFIG, config):
            if (which, cell) not in self._seen:
                self._seen[which, cell] = self._object(line, which, cell)
            row.update(self._seen[which, cell])
        self.rows.append(row)

    def _object(self, line: int, which: str, cell: str) -> _Cells:
        text = Text(self.path, cell)
        try:
            v = text.value()
        except Bad:
            v = None
        if not isinstance(v, dict) or text.peek():
            raise Bad(f'{self.path}:{line}: {which}: value "{cell[:60]}": is not an object of JSON')
        cells: _Cells = []
        for name, one in v.items():
            self._value(cells, line, which, name, one)
        return cells

    def _value(self, cells: _Cells, line: int, which: str, name: str, v: Any) -> None:
        """Adds the columns of a value."""
        if isinstance(v, list):
            if v and len(name) > MOST_NAME:
                raise Bad(f"{self.path}:{line}: {name}: is too long a name")
            for i, one in enumerate(v):
                self._value(cells, line, which, f"{name}_{i}", one)
            return
        if isinstance(v, dict):
            raise Bad(f"{self.path}:{line}: {name}: is neither a number nor a string")
        key = which, name, type(v), v
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = self._new_text(line, which, name, v)
        if text: # else it has its place among the columns
            cells.append((name, text))

    def _new_text(self, line: int, which: str, name: str, v: Any) -> str:
        if self.names.setdefault(name, len(self.names)) == MOST_COLUMNS:
            raise Bad(f"{self.path}:{line}: has more than {MOST_COLUMNS} members")
        text = _plain(scalar(v) or "")
        values = self.values.setdefault(name, set())
        if text:
            values.add(text)
            (self.shapes.add if which == SHAPE else self.shapes.discard)(name)
        return text

    # ---- the table ----

    def table(self, lines: List[int], times: List[str], asked: Asked) -> Table:
        t = Table(self.path, "Helion table")
        t.columns = [name for name in self.names if self.values[name]]
        t.say("kernel", self.kernel)
        gpu = _FILE.match(self.path.rpartition("/")[2])
        if gpu and asked.gpu is None:
            t.say("device", gpu.group(1))
        fields = asked.fields or [name for name in t.columns if self._is_field(name) and name not in asked.ignored]
        t.say("fields", *fields)
        t.say("ignored", *(name for name in t.columns if name in self.shapes and name not in fields))
        missing = [self._missing(name) for name in t.columns]
        for line, row, time in zip(lines, self.rows, times):
            us = repr(_MS.us(float(time))) if NUMBER.fullmatch(time) else time
            t.add(str(line), map(row.get, t.columns, missing), us)
        return t

    def _is_field(self, name: str) -> bool:
        """Sizes that vary are what a problem is; how many elements there are follows from them."""
        return name in self.shapes and len(self.values[name]) > 1 and not name.endswith("_numel")

    def _missing(self, name: str) -> str:
        is_integers = all(map(_INTEGER.fullmatch, self.values[name])) and name not in self.shapes
        return "-1" if is_integers else "none"
