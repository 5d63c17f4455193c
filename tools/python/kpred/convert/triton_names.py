"""triton_names.py - the names of the Triton configuration files of vLLM and SGLang

SPDX-License-Identifier: MIT

Both servers are under Apache-2.0. tools/triton/names.c reads and writes such names for `kpred triton` and `serve`.

    E=..,N=..,device_name=..[,dtype=..][,block_shape=[..]][,per_channel_quant=True][_down].json
    N=..,K=..,device_name=..[,dtype=..][,block_shape=[..]].json

Of block_shape vLLM writes [128,128], SGLang [128, 128].
"""
import functools
import re
from typing import NamedTuple, Optional, Tuple

from .table import Bad

MOST = 1 << 24 # of a size
MOE, MOE_DOWN, BLOCK_GEMM = "moe", "moe_down", "block_gemm"
VLLM, SGLANG = "vllm", "sglang"
_FOLDERS = {"vllm": VLLM, "sglang": SGLANG, "sgl_kernel": SGLANG, "sgl-kernel": SGLANG}

# First words of GPUs' names, as gpu_names.c and gpu_products.c of the C tools have them
_AMD = re.compile(r"amd|ati|radeon|instinct|firepro|(vega|rx)(\d.*)?|(mi|gfx|wx?|r)\d.*|wx|v[567]\d\d|vii|80[56]0s")
_NVIDIA = re.compile(r"nvidia|geforce|tesla|quadro|titan|jetson|nvs|([rg]tx)(\d.*)?|[ahlkmpt]\d.*|v100s?|[bg]b?\d\d.*|"
                     r"g[hpv]\d.*|pg503|[1-5]0[5-9]0.*|16[3-6]0.*")


class Name(NamedTuple):
    """What a file's name says of all its tuples"""
    server: Optional[str] # None: it is open
    kernel: str
    device: str # as torch.cuda.get_device_name() has it, with _ for blanks
    dtype: str # "": bf16 or fp16
    e: int
    n: int
    k: int
    block: Optional[Tuple[int, int]] # along N and K
    per_channel: int


@functools.lru_cache(maxsize=None)
def vendor(device: str) -> str:
    """amd, nvidia or another one's"""
    word = re.match("[a-z0-9]*", device.lower())[0]  # type: ignore[index]
    return "amd" if _AMD.fullmatch(word) else "nvidia" if _NVIDIA.fullmatch(word) else ""


class _Pieces:
    """What is left of a name: its pieces KEY=VALUE are cut off, one after the other."""

    def __init__(self, rest: str) -> None:
        self.rest = rest

    def cut(self, key: str) -> Optional[str]:
        piece = re.match(key + r"=((?:\[[^\]]*(?:\]|\Z)|[^,\[])*)(?:,|\Z)", self.rest)
        self.rest = self.rest[piece.end():] if piece else self.rest
        return piece[1] if piece else None

    def size(self, key: str) -> int:
        value = self.cut(key)
        if value is None:
            raise ValueError(f"its name has no {key}= where one belongs")
        return _size(value) or _bad(key, value, "is not an integer from 1 to 2^24")

    def text(self, key: str, most: int) -> Optional[str]:
        value = self.cut(key)
        if value is not None and (not value or len(value) >= most):
            _bad(key, value, "is too long" if value else "is empty")
        return value


def _bad(key: str, value: str, what: str) -> int:
    raise ValueError(f'{key}: value "{value}": {what}')


def _size(text: str) -> int:
    """0: it is none."""
    return int(text) if re.fullmatch("[0-9]{1,8}", text) and int(text) <= MOST else 0


def _block(value: Optional[str]) -> Optional[Tuple[int, int]]:
    if value is None:
        return None
    n, k = [*(_size(part.strip(" ")) for part in value[1:].rstrip("]").split(",")), 0, 0][:2]
    return (n, k) if n and k else (_bad("block_shape", value, "is not a pair of sizes"), 0)


def _server(name: Name, path: str) -> Optional[str]:
    """Where the pieces leave it open, by the folder nearest to the file that tells"""
    if name.kernel == MOE_DOWN or name.per_channel or name.dtype.endswith("channelwise"):
        return SGLANG
    for folder in reversed(path.split("/")[:-1]):
        if folder in _FOLDERS or re.match("triton_[0-9]", folder):
            return _FOLDERS.get(folder, SGLANG)
    return None


def written(name: Name) -> str:
    """The name as the server looks for it, without folders; that of vLLM where the server is open"""
    between = ", " if name.server == SGLANG else ","
    return "".join([f"N={name.n},K={name.k}" if name.kernel == BLOCK_GEMM else f"E={name.e},N={name.n}",
                    f",device_name={name.device}", f",dtype={name.dtype}" if name.dtype else "",
                    f",block_shape=[{between.join(map(str, name.block))}]" if name.block else "",
                    ",per_channel_quant=True" if name.per_channel else "",
                    "_down" if name.kernel == MOE_DOWN else "", ".json"])


def _parse(path: str, stem: str) -> Name:
    is_moe, is_down = stem.startswith("E="), stem.startswith("E=") and stem.endswith("_down")
    at = _Pieces(stem[:-len("_down")] if is_down else stem)
    e = at.size("E") if is_moe else 0
    n = at.size("N")
    k = 0 if is_moe else at.size("K")
    device = at.text("device_name", 128)
    if device is None:
        raise ValueError("its name has no device_name= where one belongs")
    dtype = at.text("dtype", 64) or ""
    shape = at.cut("block_shape")
    per_channel = at.cut("per_channel_quant") if is_moe else None
    server = None if shape is None else SGLANG if " " in shape else VLLM
    name = Name(server, MOE_DOWN if is_down else MOE if is_moe else BLOCK_GEMM, device, dtype, e, n, k, _block(shape),
                per_channel is not None)
    if per_channel not in (None, "True"):
        _bad("per_channel_quant", str(per_channel), "is not True")
    if at.rest:
        raise ValueError(f'"{at.rest}": is not a part of such a name')
    if written(name) != stem + ".json": # or the server would not find it
        raise ValueError(f"its name is not written as the server writes it, {written(name)}")
    return name if server else name._replace(server=_server(name, path))


def read_name(path: str) -> Name:
    stem = re.fullmatch(r"(.+)\.json(\.bz2|\.gz)?", path.rpartition("/")[2], re.DOTALL)
    try:
        if stem is None:
            raise ValueError("its name does not end in .json")
        return _parse(path, stem[1])
    except ValueError as e:
        raise Bad(f"{path}: {e}") from None
