"""words.py - what else the names of columns tell: counters, parameters, repeats, and the tuples of wide tables

SPDX-License-Identifier: MIT
"""
import re
from typing import List, NamedTuple, Optional, Tuple

_COUNTERS = {"id", "index", "idx", "row", "run", "run_id", "rowid", "row_id", "unnamed: 0", "#"}
_TUNING = re.compile("block|tile|unroll|thread|vec|warp|wave|stage|group|use_|shmem|split|lds|prefetch|pad")
_TUNING_WHOLE = set("bm bn bk bx by bz tx ty tz".split())
REPEATS = set("run rep repeat repetition trial sample measurement measure iter iteration".split())
_LAST_NUMBER = re.compile(r"(.*?)(\d{1,6})(\D*)", re.ASCII | re.DOTALL)


def is_counter(name: str) -> bool:
    return name.lower() in _COUNTERS


def is_tuning(name: str) -> bool:
    low = name[:63].lower()
    return bool(_TUNING.search(low)) or low in _TUNING_WHOLE


def pattern_of(name: str) -> Tuple[str, int]:
    """Of a name with a number: with * in its place, "run* (ms)", and the number"""
    m = _LAST_NUMBER.fullmatch(name)
    return (f"{m[1][:60]}*{m[3]}", int(m[2])) if m else ("", -1)


class Tuple_(NamedTuple):
    """A tuple as a column's name says it: "BM=64 BN=128", "bm64_bn128", or "64x128" without names"""
    form: str
    names: List[str]
    values: List[str]


PAIRS, LETTERS, NUMBERS = "pairs", "letters", "numbers"
_BETWEEN = r" ;,/|&()\[\]{}_"
# Of each form: what may stand before all, and one name and value with what may follow these
_FORMS = [(form, re.compile(f"[{first}]*((?:{item})+)", re.ASCII), re.compile(item, re.ASCII)) for form, first, item in (
    (PAIRS, _BETWEEN, r"([A-Za-z_][A-Za-z0-9_]{0,62})[=:]((?:[^ ;,/|&()\[\]{}_]|_(?![A-Za-z][^=: _;,]*=))+)"
     f"[{_BETWEEN}]*"),
    (LETTERS, r"_\- ", r"([A-Za-z]+)(\d{1,8})(?!\d)[-_ ;,]*"),
    (NUMBERS, r"(\[ ", r"()(\d{1,8})(?!\d)(?=[] x,*;_/:()[X-]|\Z)[] x,*;_/:()[X-]*"))]
MOST_PARAMS = 32


def tuple_of(name: str) -> Optional[Tuple_]:
    for form, whole, item in _FORMS:
        m = whole.fullmatch(name[:201])
        items = item.findall(m[1]) if m else []
        if items and len(name) <= 200 and len(items) <= MOST_PARAMS:
            return Tuple_(form, [name for name, _ in items if name], [value for _, value in items])
    return None


def fit_value(name: str) -> str:
    """A text that a spec takes as a value, like the name"""
    shown = "".join(c if " " <= c <= "~" and c not in '\\"?' else "_" * len(c.encode("utf-8", "surrogateescape"))
                    for c in name)
    return re.sub(r"/(?=\*)|\*(?=/)", "_", shown)
