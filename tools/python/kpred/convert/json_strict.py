"""json_strict.py - Python's reader of JSON values, as strict as the standard, and where they are not

SPDX-License-Identifier: MIT
"""
import json
import math
import re
import sys
from typing import Any, Dict, List, Optional, Set, Tuple

_SURROGATE = re.compile("[\ud800-\udfff]")
ODD = re.compile("[\ud800-\udfff]|" r"\\u(?:0000|[dD][89a-fA-F])") # what no text may hold, or half of what it may
TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"[ \t\n\r]*(:?)|[{}\[\]]', re.DOTALL)
_ZEROS = bytes.maketrans(b"123456789E", b"000000000e")

sys.setrecursionlimit(max(sys.getrecursionlimit(), 2300)) # values may be nested 2048 deep


class Wrong(ValueError):
    """A value is not as it has to be, by a member or a number in it; both are as the text has them."""

    def __init__(self, what: str, number: str = "") -> None:
        super().__init__(what)
        self.number = number


def is_clean(value: Any) -> bool:
    """Without a NUL or half a character in all of its texts"""
    left = [value]
    while left:
        v = left.pop()
        if isinstance(v, str) and ("\0" in v or _SURROGATE.search(v)):
            return False
        left += v if isinstance(v, list) else [*v, *v.values()] if isinstance(v, dict) else []
    return True


def _object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise Wrong(f"duplicate object key: {first_twice([name for name, _ in pairs])}")
    return result


def first_twice(names: List[str]) -> Optional[str]:
    """The first name that stands there a second time"""
    seen: Set[str] = set()
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value]


def may_overflow(data: bytes) -> bool:
    """Might a number be out of range? A look at each of them would take half as long as to read them."""
    digits = data.translate(_ZEROS)
    return any(long in digits for long in (b"0" * 19, b"e000", b"e+000"))


def _float(text: str) -> float:
    if math.isinf(float(text)):
        raise Wrong(f"real number overflow: {text[:20]}", text)
    return float(text)


def _integer(text: str) -> int:
    if len(text) > 20 or not -2 ** 63 <= int(text) < 2 ** 63:
        raise Wrong(f"too big an integer: {text[:20]}", text)
    return int(text)


FAST = json.JSONDecoder(object_pairs_hook=_object, parse_constant=lambda word: None)
CAREFUL = json.JSONDecoder(object_pairs_hook=_object, parse_constant=lambda word: None, parse_float=_float,
                            parse_int=_integer)


def place_of(e: Wrong, text: str, at: int) -> int:
    """Where it is, in the value at this place: a number, or else the first member that stands twice"""
    if e.number:
        return max(at, text.find(e.number, at))
    open_: List[Set[str]] = []
    for m in TOKEN.finditer(text, at):
        if m.group() in ("{", "["):
            open_.append(set())
        elif m.group() in ("}", "]"):
            open_.pop()
        elif m.group(2) and m.group(1) in open_[-1]:
            return m.start()
        elif m.group(2):
            open_[-1].add(m.group(1))
    return at
