"""triton_tables.py - tables of the tuples of many Triton configuration files of vLLM and SGLang

SPDX-License-Identifier: MIT

A row is an M of a file. Its column `file` says what the file's name says, with 0 for what it lacks and `none` for the
type; the other columns are the GPU (device), M and the tuple. The column is

    SERVER|KERNEL|TRITON|DEVICE|E|N|K|DTYPE|BLOCK|BLOCK|PER_CHANNEL#CONTENT
"""
import re
from typing import Dict, List, Optional

from .command import Asked
from .numbers import number_text
from .records import Rows as Lines
from .table import Table
from .triton_names import BLOCK_GEMM, MOE, MOE_DOWN, MOST, SGLANG, VLLM, Name
from .triton_rows import MEMBERS, Rows

_KERNELS = {"moe": MOE, "moe_down": MOE_DOWN, "bfp8": BLOCK_GEMM}
_TUPLE = ("block_m", "block_n_tile", "block_k_tile", "group_m", "warps", "stages", "waves_per_eu", "nonkdim", "kpack")
_COLUMNS = ("file", "device", "M", *_TUPLE)


def sees(path: str, text: str) -> bool:
    return "block_m" in text and {"file", "block_m"} <= set(Lines(path, text).header)


def _name(text: str) -> Optional[Name]:
    """Of a file, as a table has it; None: it is of another form."""
    pieces = text.split("#")[0].split("|")
    if len(pieces) < 11 or any(not re.fullmatch("[0-9]{1,8}", pieces[i]) for i in (4, 5, 6, 8, 9, 10)):
        return None
    server, kernel, _, device, *rest = pieces[:11]
    e, n, k, block_n, block_k, per_channel = (int(rest[i]) for i in (0, 1, 2, 4, 5, 6))
    if server not in (VLLM, SGLANG) or kernel not in _KERNELS or max(e, n, k, block_n, block_k, per_channel) > MOST:
        return None
    return Name(server, _KERNELS[kernel], device, "" if rest[3] == "none" else rest[3], e, n, k,
                (block_n, block_k) if block_k else None, per_channel != 0)


class _Reader(Rows):
    def __init__(self, path: str, text: str, asked: Asked) -> None:
        super().__init__(path, "table of Triton configuration files", asked)
        self.lines = Lines(path, text)
        self.lines.check_header()
        header, self.at = self.lines.header, self.lines.header_line
        for name in _COLUMNS:
            if name not in header:
                raise self.lines.fail(self.at, f'there is no column "{name}"')
        self.places = {name: header.index(name) for name in _COLUMNS}

    def drop(self, why: str, *said: str) -> None:
        self.table.drop(str(self.at), why, *said)

    def number(self, cells: List[str], column: str, least: int) -> Optional[int]:
        """None: it is none, and the row is dropped."""
        cell = cells[self.places[column]]
        text = number_text(cell)
        value = int(text) if re.fullmatch("[0-9]{1,8}", text) else -1
        if least <= value <= MOST:
            return value
        self.drop("BROKEN", column, cell, f"is not an integer from {least} to 2^24")
        return None

    def row(self, at: int, cells: List[str]) -> None:
        self.at = at
        if len(cells) != len(self.lines.header):
            self.drop("BROKEN", "row", cells[0], self.lines.ragged(cells))
            return
        file = cells[self.places["file"]]
        name = _name(file)
        if name is None:
            self.drop("BROKEN", "file", file, "is not of the form "
                      "SERVER|KERNEL|TRITON|DEVICE|E|N|K|DTYPE|BLOCK|BLOCK|PER_CHANNEL#CONTENT")
            return
        if self.is_other(name):
            self.drop("OTHER")
            return
        members: Dict[str, int] = {}
        for column, member in zip(("M", *_TUPLE), ("M", *MEMBERS)):
            value = self.number(cells, column, 1 if member == "M" else 0)
            if value is None:
                return
            members[member] = value
        self.add(self.at, name, cells[self.places["device"]], members.pop("M"), members)


def read(path: str, text: str, asked: Asked) -> Table:
    reader = _Reader(path, text, asked)
    for at, cells in reader.lines.rows:
        reader.row(at, cells)
    return reader.table
