"""json_text.py - JSON text read value by value, with the place of each

SPDX-License-Identifier: MIT

Python's json reads the values. What lies around those of a long list is read here, so that each has its line, and the
list needs no more memory than one of them. NaN and the infinities, which Python writes, are null. What the standard
does not have is refused, and so are a member that stands twice in an object and numbers out of range.
"""
import json
import math
import re
from typing import Any, Dict, List, NoReturn, Optional, Tuple

from .numbers import number_text
from .table import Bad

_BLANK = re.compile(r"[ \t\n\r]*")
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
_WHITE_OR_END = re.compile(r"[ \t\n\r,\]}]|\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Text:
    """A JSON text, and a place in it; what is wrong raises Bad."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text, self.at = path, text, 0
        self._seen, self._line, self._start = 0, 1, 0
        self._decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=lambda word: None,
                                         parse_float=_float, parse_int=_integer)

    def place(self, at: int) -> Tuple[int, int]:
        """The line and the column of a character, from 1"""
        if at < self._seen:
            self._seen, self._line, self._start = 0, 1, 0
        lines = self.text.count("\n", self._seen, at)
        if lines:
            self._start = self.text.rindex("\n", self._seen, at) + 1
        self._line, self._seen = self._line + lines, at
        return self._line, at - self._start + 1

    def fail(self, at: int, what: str) -> NoReturn:
        line, column = self.place(at)
        raise Bad(f"{self.path}:{line}:{column}: {what}")

    def peek(self) -> str:
        """Passes over blanks; the character there, or ""."""
        self.at = _BLANK.match(self.text, self.at).end()  # type: ignore[union-attr]
        return self.text[self.at:self.at + 1]

    def take(self, character: str) -> bool:
        """Moves behind that character, if it is there."""
        is_there = self.peek() == character
        self.at += is_there
        return is_there

    def expect(self, character: str, why: str) -> None:
        if not self.take(character):
            self.fail(self.at, why)

    def value(self) -> Any:
        self.peek()
        try:
            value, self.at = self._decoder.raw_decode(self.text, self.at)
        except json.JSONDecodeError as e:
            self.fail(e.pos, e.msg)
        except RecursionError:
            self.fail(self.at, "is nested too deeply")
        except ValueError as e:
            self.fail(self.at, str(e))
        return value

    def name(self) -> str:
        """A member's name, and the colon"""
        if self.peek() != '"':
            self.fail(self.at, "expected the name of a member, in double quotes" if self.peek()
                      else "the file ends here, before its last brace")
        name: str = self.value()
        self.expect(":", "after a name: expected a colon")
        return name

    def end_of_value(self, at: int) -> Optional[int]:
        """Where the value at this place ends, as far as quotes and brackets tell; None: the text ends within it."""
        if self.text[at:at + 1] not in ("{", "[", '"'):
            return _WHITE_OR_END.search(self.text, at).start()  # type: ignore[union-attr]
        depth = 0
        for m in _BRACKET.finditer(self.text, at):
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(m.group(), 0)
            if depth == 0:
                return m.end() if len(m.group()) == 1 or m.group()[-1] == '"' else None
        return None


def _object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"duplicate object key: {next(n for n in names if names.count(n) > 1)}")
    return result


def _float(text: str) -> float:
    if math.isinf(float(text)):
        raise ValueError(f"real number overflow: {text}")
    return float(text)


def _integer(text: str) -> int:
    if len(text) > 20 or not -2 ** 63 <= int(text) < 2 ** 63:
        raise ValueError(f"too big an integer: {text[:20]}")
    return int(text)


def scalar(value: Any) -> Optional[str]:
    """The text of a number, a truth value or a string; None: it is none of these."""
    if isinstance(value, str):
        return None if "\0" in value or _SURROGATE.search(value) else value
    return number_text(str(value)) if isinstance(value, (bool, int, float)) else None


def whole(value: Any) -> Optional[int]:
    """An integer, maybe written as 1000.0"""
    if isinstance(value, float) and value.is_integer() and abs(value) <= 9e15:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
