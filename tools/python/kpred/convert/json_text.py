"""json_text.py - JSON text read value by value, with the place of each

SPDX-License-Identifier: MIT

Python's json reads the values. What lies around those of a long list is read here, so that each has its place. NaN and
the infinities, which Python writes, are null. What the standard does not have is refused, and so are a member that
stands twice in an object, numbers out of range, and texts that have a NUL or are not Unicode.
"""
import json
import math
import re
import sys
from typing import Any, Dict, Iterator, List, NoReturn, Optional, Tuple, Type

from .numbers import number_text
from .table import Bad

_BLANK = re.compile(r"[ \t\n\r]*")
# Behind a backslash: both halves of a character, one where the text ends, what is neither one nor a NUL; (u) is wrong
_ESCAPE = re.compile(r'(?s)\\(?:u[dD][89abAB](?:..\\u[dD][c-fC-F]|[^"]{0,5}\Z)|u(?!0000|[dD][89a-fA-F])|[^u]|(u))')
_ENDS = "the file ends here, before its last brace"
_PART = re.compile(r"[ \t\n\r]*[^ \t\n\r{}\[\]\",:]*\Z") # of a value, where the text ends
_ZEROS = bytes.maketrans(b"123456789E", b"000000000e")

sys.setrecursionlimit(max(sys.getrecursionlimit(), 2070)) # values may be nested 2048 deep
_names: Dict[str, str] = {} # each that came, once


class Cut(Bad):
    """The text ends within this value."""


class _Wrong(ValueError):
    """What is wrong with a number, and it; of a member that stands twice neither."""


def _object(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    share = _names.setdefault
    result = {share(name, name): value for name, value in pairs}
    if len(result) < len(pairs):
        raise _Wrong("", "")
    return result


def _float(text: str) -> float:
    if math.isinf(float(text)):
        raise _Wrong("real number overflow", text)
    return float(text)


def _integer(text: str) -> int:
    if len(text) > 20 or not -2 ** 63 <= int(text) < 2 ** 63:
        raise _Wrong("too big an integer", text)
    return int(text)


_FAST = json.JSONDecoder(object_pairs_hook=_object, parse_constant=lambda word: None)
_CAREFUL = json.JSONDecoder(object_pairs_hook=_object, parse_constant=lambda word: None, parse_float=_float,
                            parse_int=_integer)


def _may_overflow(data: bytes) -> bool:
    """Might a number be out of range? A look at each of them would take half as long as to read them."""
    digits = data.translate(_ZEROS)
    return any(long in digits for long in (b"0" * 19, b"e000", b"e+000"))


class Text:
    """A JSON text, and a place in it; what is wrong raises Bad."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text, self.at = path, text, 0
        self.item = 0 # where the present member or item begins
        self._seen, self._line, self._start = 0, 1, 0
        try:
            data = text.encode()
            odd = next((m.start() for m in _ESCAPE.finditer(text) if m[1]), -1) if b"\\u" in data else -1
        except UnicodeEncodeError as e:
            odd = e.start
        if odd >= 0:
            self.fail(odd, "a text has a NUL, or is not valid Unicode")
        self._decode = (_CAREFUL if _may_overflow(data) else _FAST).raw_decode

    def place(self, at: int) -> Tuple[int, int]:
        """The line and the column of a character, from 1"""
        if at < self._seen:
            self._seen, self._line, self._start = 0, 1, 0
        lines = self.text.count("\n", self._seen, at)
        if lines:
            self._start = self.text.rindex("\n", self._seen, at) + 1
        self._line, self._seen = self._line + lines, at
        return self._line, at - self._start + 1

    def fail(self, at: int, what: str, kind: Type[Bad] = Bad) -> NoReturn:
        line, column = self.place(at)
        raise kind(f"{self.path}:{line}:{column}: {what}")

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
            self.fail(self.at, why if self.peek() else f"the file ends here: {why}", Bad if self.peek() else Cut)

    def end(self) -> None:
        if self.peek():
            self.fail(self.at, "unexpected text after the last brace")

    def value(self) -> Any:
        self.peek()
        start = self.at
        try:
            value, self.at = self._decode(self.text, start)
        except json.JSONDecodeError as e:
            is_cut = e.msg.startswith("Unterminated") or _PART.match(self.text, e.pos)
            self.fail(e.pos, f"is not JSON: {e.msg[0].lower()}{e.msg[1:]}", Cut if is_cut else Bad)
        except RecursionError:
            self.fail(start, "is nested too deeply")
        except _Wrong as e:
            what, number = e.args
            if number:
                self.fail(self.text.index(number, start), f"{what}: {number[:20]}")
            self.tree()
        return value

    def tree(self) -> Tuple[Any, int]:
        """A value and where it begins; its members or items are such pairs."""
        brackets, start = {"{": "{}", "[": "[]"}.get(self.peek()), self.at
        if brackets == "[]":
            return [self.tree() for _ in self.each(brackets)], start
        if brackets is None:
            return self.value(), start
        members: Dict[str, Tuple[Any, int]] = {}
        for name in self.each(brackets):
            if name in members:
                self.fail(self.item, f"duplicate object key: {name}")
            members[name] = self.tree()
        return members, start

    def name(self) -> str:
        """A member's name, and the colon"""
        if self.peek() != '"':
            self.fail(self.at, "expected the name of a member, in double quotes" if self.peek() else _ENDS)
        name: str = self.value()
        self.expect(":", "after a name: expected a colon")
        return name

    def each(self, brackets: str, behind: str = "") -> Iterator[str]:
        """The names of an object's members, or "" for each item of a list; their values are read in between."""
        self.expect(brackets[0], "expected a list" if brackets == "[]" else "expected an object")
        is_more = not self.take(brackets[1])
        while is_more:
            if not self.peek():
                self.fail(self.at, _ENDS, Cut)
            self.item = self.at
            yield self.name() if brackets == "{}" else ""
            is_more = self.take(",")
            if not is_more:
                self.expect(brackets[1], f"{behind}expected a comma or {brackets[1]}")


def scalar(value: Any) -> Optional[str]:
    """The text of a number, a truth value or a string; None: it is none of these."""
    if isinstance(value, str):
        return value
    if type(value) is int: # the most there are
        return str(value)
    return number_text(str(value)) if isinstance(value, (bool, int, float)) else None


def whole(value: Any) -> Optional[int]:
    """An integer, maybe written as 1000.0"""
    if isinstance(value, float) and value.is_integer() and abs(value) <= 9e15:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
