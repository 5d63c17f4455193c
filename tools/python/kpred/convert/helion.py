"""helion.py - what Helion measured (measurements_HARDWARE.csv)

SPDX-License-Identifier: MIT

A cell of such a table has a configuration as JSON, with lists in it, and another one the shapes of the arguments. Each
member becomes a column, and of lists each item: NAME_0, NAME_1. What is null, "" or missing is -1 in a column of
integers and else `none`; a column without anything else is left out.
"""
import functools
import re
from typing import Any, Dict, Iterator, List, NoReturn, Optional, Set, Tuple

from .command import Asked
from .form import MS
from .json_text import Text, scalar
from .numbers import NUMBER
from .records import Records
from .table import Bad, Table

CONFIG, SHAPE, TIME, KERNEL = "config", "shape_features", "timing_ms", "kernel_name"
MOST_COLUMNS, MOST_NAME = 512, 60
_NO_LETTER = re.compile(rb"[^A-Za-z0-9_.+-]")
_INTEGER = re.compile("-?[0-9]{1,19}")
_FILE = re.compile(r"measurements_[^_]*_(.*)_[^_]*\.csv")


def sees(path: str, text: str) -> bool:
    line = text[:text.find("\n")]
    return all(name in line for name in (CONFIG, SHAPE, TIME, KERNEL))


def read(path: str, text: str, asked: Asked) -> Table:
    records = Records(path, text, False)
    for name in CONFIG, SHAPE, TIME, KERNEL:
        if name not in records.header:
            raise Bad(f"{path}:{records.header_line}: there is no column {name}")
    flat = _Flat(path)
    rows: List[Dict[str, str]] = []
    column = {name: records.columns[i] for i, name in reversed(list(enumerate(records.header)))}
    for line, kernel, shape, config in zip(records.lines, column[KERNEL], column[SHAPE], column[CONFIG]):
        flat.line = line
        if kernel != column[KERNEL][0]:
            flat.fail(f'{KERNEL}: value "{kernel}": other rows are of {column[KERNEL][0]}: a spec is of one kernel, so '
                      "leave the rows of one")
        rows.append({**flat.cells(SHAPE, shape), **flat.cells(CONFIG, config)})
    t = flat.table("".join(column[KERNEL][:1]), asked)
    missing = [flat.missing(name) for name in t.columns]
    for line, row, time in zip(records.lines, rows, column[TIME]):
        us = repr(MS.us(float(time))) if NUMBER.fullmatch(time) else time
        t.add(str(line), map(row.get, t.columns, missing), us)
    return t


@functools.lru_cache(1 << 16, typed=True)
def _plain(v: Any) -> str:
    """A value as a spec has names: without torch., and with _ for what else cannot be in one"""
    text = scalar(v) or ""
    text = text[len("torch."):] if text.startswith("torch.") else text
    return _NO_LETTER.sub(b"_", text.encode("utf-8", "surrogateescape")).decode()


class _Flat:
    """All columns, and what of them each cell holds"""

    def __init__(self, path: str) -> None:
        self.path, self.line = path, 0
        self.values: Dict[str, Set[str]] = {} # of columns, in the order in which they came
        self.configs: Set[str] = set() # columns of configurations; the others are of shapes
        self._seen: Dict[Tuple[str, str], Dict[str, str]] = {}

    def fail(self, what: str) -> NoReturn:
        raise Bad(f"{self.path}:{self.line}: {what}")

    def cells(self, which: str, cell: str) -> Dict[str, str]:
        """The columns of a cell, and their texts"""
        found = self._seen.get((which, cell))
        if found is None:
            texts = [(name, _plain(v)) for name, v in self._items(None, self._object(which, cell))]
            for name, text in texts: # without a text, too, a column has its place
                values = self.values.setdefault(name, set())
                if text:
                    values.add(text)
            if len(self.values) > MOST_COLUMNS:
                self.fail(f"has more than {MOST_COLUMNS} members")
            found = self._seen[which, cell] = {name: text for name, text in texts if text}
            self.configs.update(found if which == CONFIG else ())
        return found

    def _object(self, which: str, cell: str) -> Dict[str, Any]:
        try:
            text = Text(self.path, cell)
            v = text.value()
            text.end()
        except Bad:
            v = None
        return v if isinstance(v, dict) else self.fail(f'{which}: value "{cell[:60]}": is not an object of JSON')

    def _items(self, name: Optional[str], v: Any) -> Iterator[Tuple[str, Any]]:
        """The columns of a member, and their values"""
        for key, one in v.items() if isinstance(v, dict) else enumerate(v):
            below = str(key) if name is None else f"{name}_{key}"
            if isinstance(one, dict):
                self.fail(f"{below}: is neither a number nor a string")
            if not isinstance(one, list):
                yield below, one
            elif one and len(below) > MOST_NAME:
                self.fail(f"{below}: is too long a name")
            else:
                yield from self._items(below, one)

    # ---- the table ----

    def table(self, kernel: str, asked: Asked) -> Table:
        """Without its rows"""
        t = Table(self.path, "Helion table")
        t.columns = [name for name in self.values if self.values[name]]
        t.say("kernel", kernel)
        gpu = _FILE.match(self.path.rpartition("/")[2])
        if gpu and asked.gpu is None:
            t.say("device", gpu.group(1))
        fields = asked.fields or [name for name in t.columns if self._is_field(name) and name not in asked.ignored]
        t.say("fields", *fields)
        t.say("ignored", *(name for name in t.columns if name not in self.configs and name not in fields))
        return t

    def _is_field(self, name: str) -> bool:
        """Sizes that vary are what a problem is; how many elements there are follows from them."""
        return name not in self.configs and len(self.values[name]) > 1 and not name.endswith("_numel")

    def missing(self, name: str) -> str:
        return "-1" if name in self.configs and all(map(_INTEGER.fullmatch, self.values[name])) else "none"
