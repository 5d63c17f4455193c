"""tensile.py - the tables of Tensile's benchmarks: the speed of every GEMM kernel

SPDX-License-Identifier: MIT

A row is a shape: SizeI (m), SizeJ (n), SizeK (batch), SizeL (k), TotalFlops and others, and behind TotalFlops the
GFLOP/s of each kernel; 0 and -1 mean that the measurement failed. A column has its kernel's name:

    Cijk_Ailk_Bljk_SB_MT64x128x8_MI32x32x2x1_SE_EPS1_GRVW1_..._TT1_64_WG64_4_1_WGM1

From MT on it is pieces, letters with no number (which counts as 1), one or several. They have the names of parameters:
GRVW, of several numbers MT0, MT1, MT2. A spec needs to list no more of them than tell the kernels of a table apart.
"""
import math
import re
from typing import Dict, List, NamedTuple, Optional, Sequence

from .command import Asked
from .records import Rows
from .table import Bad, Table

SIZES = {"m": "SizeI", "n": "SizeJ", "batch": "SizeK", "k": "SizeL"}
_FLOPS = "TotalFlops"
_MOST_PIECES = 64
_KEY, _NUMBERS = "[A-Za-z]{1,12}", "[0-9]{1,9}(?:[x_][0-9]{1,9})*"
_PIECE = re.compile(rf"({_KEY})({_NUMBERS})?(?:_|\Z)")
_PIECES = re.compile(rf"{_KEY}(?:{_NUMBERS})?(?:_{_KEY}(?:{_NUMBERS})?)*")
_FIGURE = re.compile(r"[0-9.eE+-]+")
_INTEGER = re.compile(r"-?[0-9]{1,19}")


class Kernel(NamedTuple):
    """A column"""
    name: str
    values: Sequence[str] # of the parameters
    why: str # it cannot be read; "": it can


def sees(path: str, text: str) -> bool:
    """Does the header have the column that stands before the kernels?"""
    return _FLOPS in text and any(cell.strip(" \t") == _FLOPS for cell in Rows(path, text).header)


def _pieces(name: str) -> Optional[Dict[str, str]]:
    """What a column's name says of its kernel; None: it is no kernel's name."""
    start = name.find("_MT") + 1
    if start == 0 or not name[start + 2:start + 3].isdigit() or not _PIECES.fullmatch(name, start):
        return None
    found: Dict[str, str] = {}
    for key, numbers in _PIECE.findall(name, start):
        several = re.split("[x_]", numbers) if not numbers.isdigit() and numbers else ()
        pieces = {f"{key}{i}": number for i, number in enumerate(several)} or {key: numbers or "1"}
        if found.keys() & pieces:
            return None
        found.update(pieces)
    return found if len(found) <= _MOST_PIECES else None


def _kernel(name: str, params: Sequence[str]) -> Kernel:
    pieces = _pieces(name)
    if pieces is None:
        return Kernel(name, (), "is not a kernel's name")
    lacking = [param for param in params if param not in pieces]
    return Kernel(name, [pieces.get(param, "") for param in params], f"has no {lacking[0]}" if lacking else "")


def _common(names: Sequence[str]) -> List[str]:
    """The parameters that all kernels have, without those that are the same for all"""
    known = [pieces for pieces in map(_pieces, names) if pieces is not None]
    return [name for name in (known[0] if known else ()) if all(name in pieces for pieces in known)
            and len({pieces[name] for pieces in known}) > 1]


def _check_apart(where: str, kernels: Sequence[Kernel]) -> None:
    seen: Dict[Sequence[str], str] = {}
    for name, values in ((kernel.name, tuple(kernel.values)) for kernel in kernels if not kernel.why):
        if values in seen:
            raise Bad(f'{where}: columns "{seen[values]}" and "{name}": the parameters of the spec do not tell them '
                      "apart")
        seen[values] = name


def _check_fields(path: str, asked: Asked) -> None:
    for field in SIZES:
        if field not in asked.fields:
            raise Bad(f'{path}: the spec lacks a field "{field}", without which Tensile tables cannot be read')
    for field in asked.fields:
        if field not in SIZES and field != "gpu":
            raise Bad(f'{path}: field "{field}" of the spec: is not in a Tensile table')


def _integer(text: str, least: int) -> Optional[int]:
    value = int(text) if _INTEGER.fullmatch(text) else least - 1
    return value if least <= value < 2 ** 63 else None


def _time(flops: int, text: str) -> Optional[str]:
    """The time in microseconds, 0 of a failure; None: the text is no speed."""
    try:
        speed = float(text) if _FIGURE.fullmatch(text) else math.nan
    except ValueError:
        return None
    if speed in (0, -1):
        return "0"
    return repr(float(flops) / speed / 1000) if 0 < speed < math.inf else None


class _Reader:
    def __init__(self, path: str, text: str, asked: Asked) -> None:
        self.records = Rows(path, text)
        self.table = Table(path, "Tensile table")
        header = [cell.strip(" \t") for cell in self.records.header]
        first, where = header.index(_FLOPS) + 1, f"{path}:{self.records.header_line}"
        if asked.has_spec:
            _check_fields(path, asked)
        for column in SIZES.values():
            if column not in header[:first]:
                raise Bad(f'{where}: there is no column "{column}" before "{_FLOPS}"')
        if first == len(header):
            raise Bad(f"{where}: no kernel follows the column {_FLOPS}")
        params = asked.params if asked.has_spec else _common(header[first:])
        self.sizes, self.first, self.n = [header.index(name) for name in SIZES.values()], first, len(header)
        self.header_at = self.at = str(self.records.header_line)
        self.kernels = [_kernel(name, params) for name in header[first:]]
        if asked.is_lenient or not any(kernel.why for kernel in self.kernels):
            _check_apart(where, self.kernels)
        self.table.columns = [*SIZES, *params]
        self.table.has_drops = True

    def drop_row(self, column: str, value: str, what: str) -> None:
        """Each of the row's measurements is left out."""
        for _ in self.kernels:
            self.table.drop(self.at, "BROKEN", column, value, what)

    def row(self, at: int, cells: List[str]) -> None:
        self.at = str(at)
        if len(cells) != self.n:
            self.drop_row("row", cells[0], self.records.ragged(cells))
            return
        cells = [cell.strip(" \t") for cell in cells]
        sizes = [_integer(cells[i], -2 ** 63) for i in self.sizes]
        flops = _integer(cells[self.first - 1], 1)
        for name, size, i in zip(SIZES, sizes, self.sizes):
            if size is None:
                self.drop_row(name, cells[i], "is not an integer")
                return
        if flops is None:
            self.drop_row(_FLOPS, cells[self.first - 1], "is not a number of operations")
            return
        problem = list(map(str, sizes))
        for kernel, text in zip(self.kernels, cells[self.first:]):
            self.cell(kernel, problem, flops, text)

    def cell(self, kernel: Kernel, problem: List[str], flops: int, text: str) -> None:
        time = _time(flops, text)
        if kernel.why:
            self.table.drop(self.header_at, "BROKEN", "column", kernel.name, kernel.why)
        elif time is None:
            self.table.drop(self.at, "BROKEN", kernel.name, text, "is not a finite number of at least 0")
        elif time == "inf":
            self.table.drop(self.at, "BROKEN", "time_us", time, "is not a time")
        else:
            self.table.add(self.at, [*problem, *kernel.values], time)


def read(path: str, text: str, asked: Asked) -> Table:
    reader = _Reader(path, text, asked)
    for at, cells in reader.records.rows:
        reader.row(at, cells)
    return reader.table
