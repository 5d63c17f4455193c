"""triton_rows.py - rows of the tuples of Triton configuration files; tuples that run the same code become one

SPDX-License-Identifier: MIT

Facts from vLLM (model_executor/layers/fused_moe, layers/quantization/utils) and SGLang
(srt/layers/moe/moe_runner/triton_utils, kernels/ops), as of August 2026:

- num_stages: if absent 3, on AMD's GPUs 2, and 0 is 2 there (Triton before 3.2 said it so); num_warps: if absent 4;
  GROUP_SIZE_M: if absent 1 (SGLang's channelwise GEMM has no groups); waves_per_eu, matrix_instr_nonkdim: if absent 0;
  kpack: if absent 1.
- vLLM's MoE with blocks of scales runs the least of BLOCK_SIZE_K and the two sizes of a block.
- SGLang's block GEMM runs the block's size along K where BLOCK_SIZE_K does not divide it, and on all GPUs but NVIDIA's
  where it is smaller.

A parameter that the spec lacks has to have the value that it has if absent.
"""
from typing import Dict, Optional

from .command import Asked
from .table import Table
from .triton_names import BLOCK_GEMM, MOE, SGLANG, VLLM, Name, vendor

FIELDS = ("server", "gpu", "dtype", "block", "per_channel", "E", "N", "K", "M")
MEMBERS = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages", "waves_per_eu",
           "matrix_instr_nonkdim", "kpack")
_USUAL = {"GROUP_SIZE_M": 1, "num_warps": 4, "num_stages": 3, "waves_per_eu": 0, "matrix_instr_nonkdim": 0, "kpack": 1}
_TYPES = {"": "bf16", "float8": "fp8_w8a8"} # the second is what vLLM called it at first


def _usual(name: Name, member: str) -> Optional[int]:
    """What a member is that a tuple lacks; None: it may not lack it."""
    return 2 if member == "num_stages" and vendor(name.device) == "amd" else _USUAL.get(member)


def _block_k(name: Name, k: int) -> int:
    """BLOCK_SIZE_K of the code that runs"""
    if name.block is None or k < 1:
        return k
    if (name.server, name.kernel) == (VLLM, MOE):
        return min(k, *name.block)
    whole = name.block[1]
    is_smaller = k < whole and vendor(name.device) != "nvidia"
    return whole if (name.server, name.kernel) == (SGLANG, BLOCK_GEMM) and (whole % k or is_smaller) else k


def _normal(name: Name, member: str, value: Optional[int]) -> Optional[int]:
    if value is None or (member == "num_stages" and value == 0 and vendor(name.device) == "amd"):
        return _usual(name, member)
    return _block_k(name, value) if member == "BLOCK_SIZE_K" else value


class Rows:
    """A file, or a table of files, as rows of a spec; without a spec, of all fields and members"""

    def __init__(self, path: str, kind: str, asked: Asked) -> None:
        self.asked = asked
        self.table = Table(path, kind)
        self.fields = [name for name in FIELDS if not asked.has_spec or name in asked.fields]
        self.params = [name for name in MEMBERS if not asked.has_spec or name in asked.params]
        self.table.columns = [*self.fields, *self.params]
        self.table.has_drops = True
        self.table.say("untimed")

    def is_other(self, name: Name) -> bool:
        """Is it about another kernel than the spec, or of a server that the spec lacks?"""
        return self.asked.has_spec and (name.kernel != self.asked.kernel
                                        or ("server" in self.fields and name.server not in self.asked.servers))

    def add(self, at: int, name: Name, gpu: str, m: int, members: Dict[str, int]) -> None:
        """A row; the members as the file has them"""
        block = name.block or (0, 0)
        problem = {"server": name.server or VLLM, "gpu": gpu, "dtype": _TYPES.get(name.dtype, name.dtype), "block": block[1],
                   "per_channel": int(name.per_channel), "E": name.e, "N": name.n, "K": name.k, "M": m}
        values = {member: _normal(name, member, members.get(member)) for member in MEMBERS}
        cells = [str(problem[field]) for field in self.fields] + [str(values[param]) for param in self.params]
        if block[0] != block[1] and "block" in self.fields:
            self.table.drop(str(at), "OUTSIDE", "block", f"{block[0]},{block[1]}", "is not a square",
                            values=cells)
            return
        for member, value in values.items():
            usual = _usual(name, member)
            if value is None:
                self.table.drop(str(at), "BROKEN", member, "", "is missing", values=cells)
                return
            if member not in self.params and value != usual:
                self.table.drop(str(at), "PARAMS", member, str(value), "the spec has no such parameter, without which it "
                                f"would be {usual}", values=cells)
                return
        self.table.add(str(at), cells)
