"""triton_configs.py - the Triton configuration files of vLLM and SGLang: for each number of tokens M its tuple

SPDX-License-Identifier: MIT

    {"16": {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 128, "GROUP_SIZE_M": 1, "num_warps": 4,
            "num_stages": 3}, "32": ...}

The file's name says all else. Tuples that run the same code become one, by facts from vLLM (layers/fused_moe and
layers/quantization/utils of model_executor) and SGLang (srt/layers/moe/moe_runner/triton_utils, kernels/ops), as of
August 2026:

- num_stages: if absent 3, on AMD's GPUs 2, and 0 is 2 there (Triton before 3.2 said it so); num_warps: if absent 4;
  GROUP_SIZE_M: if absent 1 (SGLang's channelwise GEMM has no groups); waves_per_eu, matrix_instr_nonkdim: if absent 0;
  kpack: if absent 1.
- vLLM's MoE with blocks of scales runs the least of BLOCK_SIZE_K and the two sizes of a block.
- SGLang's block GEMM runs the block's size along K where BLOCK_SIZE_K does not divide it, and on all GPUs but NVIDIA's
  where it is smaller.

A parameter that the spec lacks has to have the value that it has if absent.
"""
import re
from typing import Any, Callable, Dict, Iterable, Iterator, Set, Tuple

from .command import Asked
from .json_text import Text, scalar, whole
from .table import Bad, Table
from .triton_names import BLOCK_GEMM, MOE, SGLANG, VLLM, Name, read_name, size, vendor, version

_FIELDS = ("server", "triton", "gpu", "dtype", "block", "per_channel", "E", "N", "K", "M")
MEMBERS = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages", "waves_per_eu",
           "matrix_instr_nonkdim", "kpack")
_ABSENT = {"GROUP_SIZE_M": 1, "num_warps": 4, "num_stages": 3, "waves_per_eu": 0, "matrix_instr_nonkdim": 0, "kpack": 1}
_TYPES = {"": "bf16", "float8": "fp8_w8a8"} # the second is what vLLM called it at first
_VERSION = "triton_version" # a member of vLLM's, beside the tuples

Tuple_ = Tuple[Name, str, int, Dict[str, int]] # the GPU as the spec calls it, M, and the members as the file has them


class LeftOut(Exception):
    """Why there is no row: a word, and if this is an error the column, the value and what is wrong"""


class Rows:
    """A file, or a table of files, as rows of a spec; without a spec, of all fields and members"""

    def __init__(self, path: str, kind: str, asked: Asked) -> None:
        self.asked, self.table = asked, Table(path, kind)
        self.table.columns = [name for name in (*_FIELDS, *MEMBERS)
                              if not asked.has_spec or name in (*asked.fields, *asked.params)]
        self.table.has_drops = True
        self.table.say("untimed")

    def check(self, name: Name) -> None:
        """It may be about another kernel than the spec, or of a server that the spec lacks."""
        if self.asked.has_spec and (name.kernel != self.asked.kernel or (
                "server" in self.table.columns and name.server not in self.asked.servers)):
            raise LeftOut("OTHER")

    def read(self, items: Iterable[Tuple[int, Any]], tuple_of: Callable[[Any], Tuple_]) -> Table:
        """A row of each item, which stands in that line"""
        for at, item in items:
            try:
                self._add(str(at), *tuple_of(item))
            except LeftOut as e:
                self.table.drop(str(at), *e.args)
        return self.table

    def _add(self, at: str, name: Name, gpu: str, m: int, members: Dict[str, int]) -> None:
        is_amd = vendor(name.device) == "amd"
        absent = {**_ABSENT, "num_stages": 2 if is_amd else 3}
        values = {**absent, **members}
        if is_amd and values["num_stages"] == 0:
            values["num_stages"] = 2
        if "BLOCK_SIZE_K" in values:
            values["BLOCK_SIZE_K"] = _block_k(name, values["BLOCK_SIZE_K"])
        problem = (name.server or VLLM, name.triton, gpu, _TYPES.get(name.dtype, name.dtype), name.block[1], name.per_channel,
                   name.e, name.n, name.k, m)
        row = {**dict(zip(_FIELDS, problem)), **values}
        cells = [str(row.get(column)) for column in self.table.columns]
        try:
            self._check_row(name, values, absent)
            self.table.add(at, cells)
        except LeftOut as e:
            self.table.drop(at, *e.args, values=cells)

    def _check_row(self, name: Name, values: Dict[str, int], absent: Dict[str, int]) -> None:
        if name.block[0] != name.block[1] and "block" in self.table.columns:
            raise LeftOut("OUTSIDE", "block", "{},{}".format(*name.block), "is not a square")
        for member in MEMBERS:
            if member not in values:
                raise LeftOut("BROKEN", member, "", "is missing")
            if member not in self.table.columns and values[member] != absent.get(member):
                raise LeftOut("PARAMS", member, str(values[member]), "the spec has no such parameter, without which it "
                              f"would be {absent.get(member)}")


def _block_k(name: Name, k: int) -> int:
    """BLOCK_SIZE_K of the code that runs"""
    of_block = name.block[1]
    if not of_block or k < 1:
        return k
    if (name.server, name.kernel) == (VLLM, MOE):
        return min(k, *name.block)
    is_other = of_block % k or (k < of_block and vendor(name.device) != "nvidia")
    return of_block if (name.server, name.kernel) == (SGLANG, BLOCK_GEMM) and is_other else k


def _members(t: Text, said: Dict[str, str]) -> Iterator[Tuple[int, Tuple[str, Any]]]:
    """Each M with its line and its tuple; what else is said stands in `said`."""
    t.expect("{", "expected an object with a tuple for each M")
    while True:
        t.peek()
        line, key, value = t.place(t.at)[0], t.name(), t.value()
        if key == _VERSION and isinstance(value, str):
            said[key] = value
        else:
            yield line, (key, value)
        if not t.take(","):
            break
    t.expect("}", "after a tuple: expected a comma or the last brace")
    if t.peek():
        t.fail(t.at, "expected the end of the file")


def _tuple(name: Name, seen: Set[int], key: str, value: Any) -> Tuple[int, Dict[str, int]]:
    """M, and the tuple's members. null is what SGLang's tuner writes where another kernel won."""
    m = size(key)
    if not m:
        raise LeftOut("BROKEN", "M", key, "is not an integer from 1 to 2^24")
    if m in seen:
        raise LeftOut("OTHER_TUPLE", "M", key, "is given twice")
    seen.add(m)
    if value is None:
        raise LeftOut("NULL")
    if not isinstance(value, dict):
        raise LeftOut("BROKEN", "M", key, "has no object with a tuple")
    return m, {member: _number(name, member, v) for member, v in value.items()}


def _number(name: Name, member: str, value: Any) -> int:
    """Of a member. SPLIT_K and num_ctas are 1 wherever a tuner wrote them; with another value other code would run.
    USE_TMA says how SGLang's MoE loads a tile. Its tuner tries both, of both GEMMs, and keeps one row of an M: no spec
    has it, and the tile counts. The block GEMM has no such member."""
    number = int(value) if isinstance(value, bool) else whole(value)
    if number is None:
        raise LeftOut("BROKEN", member, scalar(value) or "", "is not a whole number")
    if member in ("SPLIT_K", "num_ctas") and number != 1:
        raise LeftOut("PARAMS", member, str(number), "is not 1, and the spec has no such parameter")
    if member not in (*MEMBERS, "SPLIT_K", "num_ctas", *["USE_TMA"][:name.kernel != BLOCK_GEMM]):
        raise LeftOut("PARAMS", member, str(number), "is not a member of such a tuple")
    return number


def _guess(text: str, rows: Rows) -> str:
    """The server where name and folders leave it open: vLLM alone writes a Triton version."""
    if _VERSION in text:
        return VLLM
    if rows.asked.server is not None:
        rows.table.say("given", "server")
        return SGLANG if rows.asked.server == SGLANG else VLLM
    rows.table.say("guess", "neither its name nor its folders tell the server: vllm is taken (--set server=... says "
                   "another)")
    return VLLM


def sees(path: str, text: str) -> bool:
    return bool(re.match(r"(E=[^,]*,N|N=[^,]*,K)=.*device_name=", path.rpartition("/")[2]))


def read(path: str, text: str, asked: Asked) -> Table:
    rows, seen = Rows(path, "Triton configuration file of vLLM or SGLang", asked), set() # type: Rows, Set[int]
    said = {} # type: Dict[str, str]
    try:
        name, members = read_name(path), list(_members(Text(path, text), said))
    except Bad:
        if not asked.is_lenient:
            raise
        rows.table.drop("1", "FILE")
        return rows.table
    if name.server is None and "server" in rows.table.columns:
        name = name._replace(server=_guess(text, rows))

    name = name._replace(triton=version(said.get(_VERSION, "")) or name.triton)

    def tuple_of(member: Tuple[str, Any]) -> Tuple_:
        rows.check(name)
        return (name, name.device, *_tuple(name, seen, *member))
    return rows.read(members, tuple_of)
