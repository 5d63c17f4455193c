"""triton_names.py - the names of the Triton configuration files of vLLM and SGLang

SPDX-License-Identifier: MIT

Both servers are under Apache-2.0. tools/triton/names.c reads and writes such names for `kpred triton` and `serve`.

    E=..,N=..,device_name=..[,dtype=..][,block_shape=[..]][,per_channel_quant=True][_down].json
    N=..,K=..,device_name=..[,dtype=..][,block_shape=[..]].json

Of block_shape vLLM writes [128,128], SGLang [128, 128].
"""
import functools
import re
from typing import Dict, NamedTuple, Optional, Tuple

from .table import Bad

MOST = 1 << 24 # of a size
MOE, MOE_DOWN, BLOCK_GEMM = "moe", "moe_down", "block_gemm"
VLLM, SGLANG = "vllm", "sglang"
_FOLDERS = {"vllm": VLLM, "sglang": SGLANG, "sgl_kernel": SGLANG, "sgl-kernel": SGLANG}
_OF_MOE = "E", "N", "device_name", "dtype", "block_shape", "per_channel_quant" # pieces; the first three are needed
_OF_GEMM = "N", "K", "device_name", "dtype", "block_shape"
_VALUE = r"=((?:\[[^\]]*(?:\]|\Z)|[^,\[])*)(?:,|\Z)" # behind a piece's key; in brackets there may be commas
_LONGEST = {"device_name": 127, "dtype": 63}

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
    block: Tuple[int, int] # along N and K; 0: it has none
    per_channel: int
    triton: int = 0 # its version, as version() has it


def version(text: str) -> int:
    """3.5.1 or 3_5_1: 305, and 3.10 is 310. 0: it is none"""
    found = re.match(r"([1-9])[._]([0-9]{1,2})(?![0-9])", text)
    return 100 * int(found[1]) + int(found[2]) if found else 0


@functools.lru_cache(maxsize=None)
def vendor(device: str) -> str:
    """amd, nvidia or another one's"""
    word = re.match("[a-z0-9]*", device.lower())[0]  # type: ignore[index]
    return "amd" if _AMD.fullmatch(word) else "nvidia" if _NVIDIA.fullmatch(word) else ""


def size(text: str) -> int:
    """0: it is none."""
    return int(text) if re.fullmatch("[0-9]{1,8}", text) and int(text) <= MOST else 0


def _as_written(key: str, value: str) -> str:
    """A piece's value as the server writes it"""
    if key in _LONGEST:
        written, what = value[:_LONGEST[key]], "is too long" if value else "is empty"
        written = written if written == value else ""
    elif key == "block_shape":
        n, k = [*(size(part.strip(" ")) for part in value[1:].rstrip("]").split(",")), 0, 0][:2]
        written, what = f"[{n},{' ' * (' ' in value)}{k}]" if n and k else "", "is not a pair of sizes"
    elif key == "per_channel_quant":
        written, what = value if value == "True" else "", "is not True"
    else:
        written, what = str(size(value) or ""), "is not an integer from 1 to 2^24"
    if not written:
        raise ValueError(f'{key}: value "{value}": {what}')
    return written


def _parse(stem: str) -> Name:
    """The name without its endings; the server as far as the pieces tell"""
    is_moe = stem.startswith("E=")
    down = "_down" if is_moe and stem.endswith("_down") else ""
    rest, said = stem[:len(stem) - len(down)], {} # type: str, Dict[str, str]
    for i, key in enumerate(_OF_MOE if is_moe else _OF_GEMM):
        piece = re.match(key + _VALUE, rest)
        if piece:
            said[key], rest = _as_written(key, piece[1]), rest[piece.end():]
        elif i < 3:
            raise ValueError(f"its name has no {key}= where one belongs")
    if rest:
        raise ValueError(f'"{rest}": is not a part of such a name')
    written = ",".join(f"{key}={value}" for key, value in said.items()) + down
    if written != stem: # or the server would not find it
        raise ValueError(f"its name is not written as the server writes it, {written}.json")
    block = said.get("block_shape", "")
    is_sglang = down or "per_channel_quant" in said or said.get("dtype", "").endswith("channelwise")
    server = SGLANG if " " in block else VLLM if block else SGLANG if is_sglang else None
    n, k = map(int, re.findall("[0-9]+", block) or (0, 0))
    return Name(server, MOE_DOWN if down else MOE if is_moe else BLOCK_GEMM, said["device_name"], said.get("dtype", ""),
                int(said.get("E", 0)), int(said["N"]), int(said.get("K", 0)), (n, k), int("per_channel_quant" in said))


def _server_of(path: str) -> Optional[str]:
    """By the folder nearest to the file that tells"""
    for folder in reversed(path.split("/")[:-1]):
        if folder in _FOLDERS or re.match("triton_[0-9]", folder):
            return _FOLDERS.get(folder, SGLANG)
    return None


def _version_of(path: str) -> int:
    """By the folder nearest to the file that tells"""
    found = re.findall(r"(?:^|/)triton_([0-9_]*)(?=[^/]*/)", path)
    return version(found[-1]) if found else 0


def read_name(path: str) -> Name:
    stem = re.fullmatch(r"(.+)\.json(\.bz2|\.gz)?", path.rpartition("/")[2], re.DOTALL)
    try:
        if stem is None:
            raise ValueError("its name does not end in .json")
        name = _parse(stem[1])
    except ValueError as e:
        raise Bad(f"{path}: {e}") from None
    return name._replace(server=name.server or _server_of(path), triton=_version_of(path))
