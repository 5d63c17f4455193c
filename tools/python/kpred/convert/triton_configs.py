"""triton_configs.py - the Triton configuration files of vLLM and SGLang: for each number of tokens M its tuple

SPDX-License-Identifier: MIT

    {"16": {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 128, "GROUP_SIZE_M": 1, "num_warps": 4,
            "num_stages": 3}, "32": ...}

The file's name says all else.
"""
import re
from typing import Any, Dict, Set

from .command import Asked
from .json_text import Text, scalar, whole
from .table import Bad, Table
from .triton_names import BLOCK_GEMM, MOST, SGLANG, VLLM, read_name
from .triton_rows import MEMBERS, Rows

KIND = "Triton configuration file of vLLM or SGLang"
_VERSION = "triton_version" # a member of vLLM's, beside the tuples


class _Reader(Rows):
    def __init__(self, path: str, text: str, asked: Asked) -> None:
        super().__init__(path, KIND, asked)
        self.json, self.name = Text(path, text), read_name(path)
        self.seen: Set[int] = set()
        if self.name.server is None and "server" in self.fields:
            self.name = self.name._replace(server=self.guess(text))

    def guess(self, text: str) -> str:
        """The server where name and folders leave it open: vLLM alone writes a Triton version."""
        if _VERSION in text:
            return VLLM
        if self.asked.server is not None:
            self.table.say("given", "server")
            return SGLANG if self.asked.server == SGLANG else VLLM
        self.table.say("guess", "neither its name nor its folders tell the server: vllm is taken (--set server=... says "
                       "another)")
        return VLLM

    def drop(self, at: int, why: str, *said: str) -> None:
        self.table.drop(str(at), why, *said)

    def file(self) -> None:
        """Member by member"""
        t = self.json
        t.expect("{", "expected an object with a tuple for each M")
        while True:
            t.peek()
            line = t.place(t.at)[0]
            key = t.name()
            value = t.value()
            if key != _VERSION or not isinstance(value, str):
                self.member(line, key, value)
            if not t.take(","):
                break
        t.expect("}", "after a tuple: expected a comma or the last brace")
        if t.peek():
            t.fail(t.at, "expected the end of the file")

    def member(self, at: int, key: str, value: Any) -> None:
        """An M and its tuple. null is what SGLang's tuner writes where another kernel won."""
        m = int(key) if re.fullmatch("[0-9]{1,8}", key) else 0
        is_twice = m in self.seen
        if self.is_other(self.name):
            self.drop(at, "OTHER")
        elif not 1 <= m <= MOST:
            self.drop(at, "BROKEN", "M", key, "is not an integer from 1 to 2^24")
        elif is_twice:
            self.drop(at, "OTHER_TUPLE", "M", key, "is given twice")
        elif value is None:
            self.drop(at, "NULL")
        elif not isinstance(value, dict):
            self.drop(at, "BROKEN", "M", key, "has no object with a tuple")
        else:
            self.tuple(at, m, value)
        self.seen.add(m)

    def tuple(self, at: int, m: int, value: Dict[str, Any]) -> None:
        members: Dict[str, int] = {}
        for name, v in value.items():
            number = int(v) if isinstance(v, bool) else whole(v)
            if number is None:
                self.drop(at, "BROKEN", name, scalar(v) or "", "is not a whole number")
                return
            if name not in MEMBERS and not self.is_passed_over(name, number):
                self.drop(at, "PARAMS", name, str(number), "is not 1, and the spec has no such parameter"
                          if name in ("SPLIT_K", "num_ctas") else "is not a member of such a tuple")
                return
            members[name] = number
        self.add(at, self.name, self.name.device, m, members)

    def is_passed_over(self, name: str, value: int) -> bool:
        """SPLIT_K and num_ctas are 1 wherever a tuner wrote them; with another value other code would run. USE_TMA says
        how SGLang's MoE loads a tile. Its tuner tries both, of both GEMMs, and keeps one row of an M: no spec has it,
        and the tile counts. The block GEMM has no such member."""
        return (name in ("SPLIT_K", "num_ctas") and value == 1) or (name == "USE_TMA" and self.name.kernel != BLOCK_GEMM)


def sees(path: str, text: str) -> bool:
    return bool(re.match(r"(E=[^,]*,N|N=[^,]*,K)=.*device_name=", path.rpartition("/")[2]))


def read(path: str, text: str, asked: Asked) -> Table:
    try:
        reader = _Reader(path, text, asked)
        reader.file()
        return reader.table
    except Bad:
        if not asked.is_lenient:
            raise
    rows = Rows(path, KIND, asked)
    rows.table.drop("1", "FILE")
    return rows.table
