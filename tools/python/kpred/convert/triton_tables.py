"""triton_tables.py - tables of the tuples of many Triton configuration files of vLLM and SGLang

SPDX-License-Identifier: MIT

A row is an M of a file. Its column `file` says what the file's name says, with 0 for what it lacks and `none` for the
type; the other columns are the GPU (device), M and the tuple. The column is

    SERVER|KERNEL|TRITON|DEVICE|E|N|K|DTYPE|BLOCK|BLOCK|PER_CHANNEL#CONTENT

vLLM says the version of Triton in the file: it is read from json/CONTENT*.json beside the table, if that is there.
"""
import functools
import glob
import re
from typing import List

from .command import Asked
from .numbers import number_text
from .records import Rows as Lines
from .table import Table
from .triton_configs import LeftOut, Rows, Tuple_
from .triton_names import BLOCK_GEMM, MOE, MOE_DOWN, MOST, Name, version

_FORM = "SERVER|KERNEL|TRITON|DEVICE|E|N|K|DTYPE|BLOCK|BLOCK|PER_CHANNEL#CONTENT"
_TEXT, _SIZE = r"\|([^|#]*)", r"\|([0-9]{1,8})"
_FILE = re.compile(rf"(vllm|sglang)\|(moe|moe_down|bfp8){_TEXT * 2}{_SIZE * 3}{_TEXT}{_SIZE * 3}(?:[|#].*)?", re.DOTALL)
_KERNELS = {"moe": MOE, "moe_down": MOE_DOWN, "bfp8": BLOCK_GEMM}
_NUMBERS = {"M": "M", "block_m": "BLOCK_SIZE_M", "block_n_tile": "BLOCK_SIZE_N", "block_k_tile": "BLOCK_SIZE_K",
            "group_m": "GROUP_SIZE_M", "warps": "num_warps", "stages": "num_stages", "waves_per_eu": "waves_per_eu",
            "nonkdim": "matrix_instr_nonkdim", "kpack": "kpack"}


def sees(path: str, text: str) -> bool:
    return "block_m" in text and {"file", "block_m"} <= set(Lines(path, text).header)


@functools.lru_cache(maxsize=None)
def _version_in(pattern: str) -> int:
    """What the file of that content says; 0: nothing, or it is not there"""
    for path in glob.glob(pattern):
        with open(path, encoding="utf-8", errors="replace") as f:
            found = re.search(r'"triton_version"\s*:\s*"([^"]*)"', f.read())
        return version(found[1]) if found else 0
    return 0


def _name(text: str, folder: str) -> Name:
    """Of a file, as a table in the folder has it"""
    found = _FILE.fullmatch(text)
    sizes = [int(size) for size in found.group(5, 6, 7, 9, 10, 11)] if found else [MOST + 1]
    if found is None or max(sizes) > MOST:
        raise LeftOut("BROKEN", "file", text, f"is not of the form {_FORM}")
    server, kernel, triton, device, dtype = found.group(1, 2, 3, 4, 8)
    content = re.search("#([0-9a-f]{8,})", text)
    e, n, k, block_n, block_k, per_channel = sizes
    return Name(server, _KERNELS[kernel], device, "" if dtype == "none" else dtype, e, n, k,
                (block_n, block_k) if block_k else (0, 0), int(per_channel != 0),
                version(triton) or (_version_in(f"{glob.escape(folder)}json/{content[1]}*.json") if content else 0))


def _number(column: str, cell: str) -> int:
    text, least = number_text(cell), int(column == "M")
    if not re.fullmatch("[0-9]{1,8}", text) or not least <= int(text) <= MOST:
        raise LeftOut("BROKEN", column, cell, f"is not an integer from {least} to 2^24")
    return int(text)


def read(path: str, text: str, asked: Asked) -> Table:
    rows, lines = Rows(path, "table of Triton configuration files", asked), Lines(path, text)
    lines.check_header()
    for column in ("file", "device", *_NUMBERS):
        if column not in lines.header:
            raise lines.fail(lines.header_line, f'there is no column "{column}"')

    def tuple_of(cells: List[str]) -> Tuple_:
        if len(cells) != len(lines.header):
            raise LeftOut("BROKEN", "row", cells[0], lines.ragged(cells))
        row = dict(zip(lines.header, cells))
        name = _name(row["file"], path[:len(path) - len(path.rpartition("/")[2])])
        rows.check(name)
        members = {member: _number(column, row[column]) for column, member in _NUMBERS.items()}
        return name, row["device"], members.pop("M"), members
    return rows.read(lines.rows, tuple_of)
