"""tensile.py - the tables of Tensile's benchmarks: the speed of every GEMM kernel

SPDX-License-Identifier: MIT

A row is a shape: SizeI (m), SizeJ (n), SizeK (batch), SizeL (k), TotalFlops and others, and behind TotalFlops the
GFLOP/s of each kernel; 0 and -1 mean that the measurement failed. A column has its kernel's name:

    Cijk_Ailk_Bljk_SB_MT64x128x8_MI32x32x2x1_SE_EPS1_GRVW1_..._TT1_64_WG64_4_1_WGM1

From MT on it is pieces, letters with no number (which counts as 1), one or several. They have the names of parameters:
GRVW, of several numbers MT0, MT1, MT2. A spec needs to list no more of them than tell the kernels of a table apart.
"""
import re
from typing import Dict, List, NamedTuple, Sequence, Tuple

from .command import Asked
from .numbers import NUMBER
from .records import Rows
from .table import Bad, Table

SIZES = {"m": "SizeI", "n": "SizeJ", "batch": "SizeK", "k": "SizeL"}
_FLOPS = "TotalFlops"
_MOST_PIECES = 64
_KEY, _NUMBERS = "[A-Za-z]{1,12}", "[0-9]{1,9}(?:[x_][0-9]{1,9})*"
_PIECE = re.compile(rf"({_KEY})({_NUMBERS})?(?:_|\Z)")
_PIECES = re.compile(rf"MT{_NUMBERS}(?:_{_KEY}(?:{_NUMBERS})?)*")
_INTEGER = re.compile(r"-?[0-9]{1,19}")


class Kernel(NamedTuple):
    """A column"""
    name: str
    values: Sequence[str] # of the parameters
    why: str # it cannot be read; "": it can


def sees(path: str, text: str) -> bool:
    """Does the header have the column that stands before the kernels?"""
    return _FLOPS in text and any(cell.strip(" \t") == _FLOPS for cell in Rows(path, text).header)


def _pieces(name: str) -> Dict[str, str]:
    """What a column's name says of its kernel; empty: it is no kernel's name."""
    text, found = "MT" + name.partition("_MT")[2], [] # type: str, List[Tuple[str, str]]
    for key, numbers in _PIECE.findall(text) if _PIECES.fullmatch(text) else ():
        several = re.split("[x_]", numbers or "1")
        found += [(f"{key}{i}" if len(several) > 1 else key, number) for i, number in enumerate(several)]
    pieces = dict(found)
    return pieces if len(pieces) == len(found) <= _MOST_PIECES else {}


def _common(kernels: Sequence[Dict[str, str]]) -> List[str]:
    """The parameters that all kernels have, without those that are the same for all"""
    known = [pieces for pieces in kernels if pieces]
    return [name for name in (known[0] if known else ()) if all(name in pieces for pieces in known)
            and len({pieces[name] for pieces in known}) > 1]


def _kernel(name: str, pieces: Dict[str, str], params: Sequence[str]) -> Kernel:
    lacking = [f"has no {param}" for param in params if param not in pieces]
    return Kernel(name, tuple(pieces.get(param, "") for param in params),
                  "" if pieces and not lacking else lacking[0] if pieces else "is not a kernel's name")


def _check_apart(where: str, kernels: Sequence[Kernel]) -> None:
    seen: Dict[Sequence[str], str] = {}
    for name, values, _ in (kernel for kernel in kernels if not kernel.why):
        if values in seen:
            raise Bad(f'{where}: columns "{seen[values]}" and "{name}": the parameters of the spec do not tell them '
                      "apart")
        seen[values] = name


def _check_fields(path: str, fields: Sequence[str]) -> None:
    for field in SIZES:
        if field not in fields:
            raise Bad(f'{path}: the spec lacks a field "{field}", without which Tensile tables cannot be read')
    for field in fields:
        if field not in (*SIZES, "gpu"):
            raise Bad(f'{path}: field "{field}" of the spec: is not in a Tensile table')


def _time(flops: int, text: str) -> str:
    """The time in microseconds, 0 of a failure; "": the text is no speed."""
    speed = float(text) if NUMBER.fullmatch(text) else -2
    if speed in (0, -1):
        return "0"
    return repr(float(flops) / speed / 1000) if 0 < speed < float("inf") else ""


class _Reader:
    def __init__(self, path: str, text: str, asked: Asked) -> None:
        self.records, self.table = Rows(path, text), Table(path, "Tensile table")
        self.header_at = str(self.records.header_line)
        header, where = [cell.strip(" \t") for cell in self.records.header], f"{path}:{self.header_at}"
        self.first = first = header.index(_FLOPS) + 1
        if asked.has_spec:
            _check_fields(path, asked.fields)
        for column in SIZES.values():
            if column not in header[:first]:
                raise Bad(f'{where}: there is no column "{column}" before "{_FLOPS}"')
        if first == len(header):
            raise Bad(f"{where}: no kernel follows the column {_FLOPS}")
        self.sizes = {name: header.index(column) for name, column in SIZES.items()}
        pieces = [_pieces(name) for name in header[first:]]
        params = asked.params if asked.has_spec else _common(pieces)
        self.kernels = [_kernel(name, of, params) for name, of in zip(header[first:], pieces)]
        if asked.is_lenient or not any(kernel.why for kernel in self.kernels):
            _check_apart(where, self.kernels)
        self.table.columns = [*SIZES, *params]
        self.table.has_drops = True

    def wrong(self, cells: List[str]) -> Sequence[str]:
        """What is wrong with the numbers of a whole row; empty: nothing"""
        for name, i in self.sizes.items():
            if not _INTEGER.fullmatch(cells[i]) or not -2 ** 63 <= int(cells[i]) < 2 ** 63:
                return name, cells[i], "is not an integer"
        flops = cells[self.first - 1]
        is_good = _INTEGER.fullmatch(flops) and 1 <= int(flops) < 2 ** 63
        return () if is_good else (_FLOPS, flops, "is not a number of operations")

    def row(self, at: str, cells: List[str]) -> None:
        is_ragged = len(cells) != len(self.records.header)
        why = ("row", cells[0], self.records.ragged(cells)) if is_ragged else () # type: Sequence[str]
        cells = [cell.strip(" \t") for cell in cells]
        why = why or self.wrong(cells)
        if why: # each of its measurements is left out
            for _ in self.kernels:
                self.table.drop(at, "BROKEN", *why)
            return
        problem, flops = [str(int(cells[i])) for i in self.sizes.values()], int(cells[self.first - 1])
        for kernel, text in zip(self.kernels, cells[self.first:]):
            self.cell(at, kernel, problem, flops, text)

    def cell(self, at: str, kernel: Kernel, problem: List[str], flops: int, text: str) -> None:
        time = _time(flops, text)
        if kernel.why:
            self.table.drop(self.header_at, "BROKEN", "column", kernel.name, kernel.why)
        elif time == "":
            self.table.drop(at, "BROKEN", kernel.name, text, "is not a finite number of at least 0")
        elif time == "inf":
            self.table.drop(at, "BROKEN", "time_us", time, "is not a time")
        else:
            self.table.add(at, [*problem, *kernel.values], time)


def read(path: str, text: str, asked: Asked) -> Table:
    reader = _Reader(path, text, asked)
    for at, cells in reader.records.rows:
        reader.row(str(at), cells)
    return reader.table
