"""json_text.py - JSON text read value by value, with the place of each

SPDX-License-Identifier: MIT

Python's json reads the values. What lies around those of a long list is read here, so that each has its line, and the
list needs no more memory than one of them. NaN and the infinities, which Python writes, are null. What the standard
does not have is refused, and so are a member that stands twice in an object and numbers out of range.
"""
import json
import re
from typing import Any, Dict, Iterator, NoReturn, Optional, Tuple, Type

from .json_strict import CAREFUL, FAST, ODD, Wrong, is_clean, may_overflow, place_of
from .numbers import number_text
from .table import Bad

_BLANK = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_OTHERS = r'[^"{}\[\]]*'
_FLAT = f"{_OTHERS}(?:{_STRING.pattern}{_OTHERS}){{0,99}}"
# The next bracket that has others within, unless much stands before it; in a text that does not end no bracket counts.
_BRACKET = re.compile(rf"{_OTHERS}(?:(?:{_STRING.pattern}|\[{_FLAT}\]|\{{{_FLAT}\}}){_OTHERS}){{0,99}}"
                      r'(?:([{}\[\]])|"[^"\\]*(?:\\.[^"\\]*)*\\?\Z)?', re.DOTALL)
_SCALAR = re.compile(r"[^ \t\n\r,\]}]*")
_LAST = re.compile(r"[ \t\n\r]*[^ \t\n\r{}\[\]\",:]*\Z")


class Cut(Bad):
    """The text ends within this value."""


class Text:
    """A JSON text, and a place in it; what is wrong raises Bad."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text, self.at = path, text, 0
        self._seen, self._line, self._start = 0, 1, 0
        data = text.encode("utf-8", "surrogatepass")
        self._is_odd = (b"\\u" in data or b"\xed" in data) and ODD.search(text) is not None
        self._decode = (CAREFUL if may_overflow(data) else FAST).raw_decode
        self._ahead: Dict[int, Tuple[Any, int]] = {} # values that were read before their time, and their ends

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
        character = self.text[self.at:self.at + 1]
        if not character.isspace():
            return character
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
        start = self.at
        try:
            value, self.at = self._ahead.pop(start, None) or self._decode(self.text, start)
        except json.JSONDecodeError as e:
            self.fail(e.pos, f"is not JSON: {e.msg[0].lower()}{e.msg[1:]}", Cut if self._ends_within(e) else Bad)
        except RecursionError:
            self.fail(start, "is nested too deeply")
        except Wrong as e:
            self.fail(place_of(e, self.text, start), str(e))
        odd = ODD.search(self.text, start, self.at) if self._is_odd else None
        if odd and not is_clean(value):
            self.fail(odd.start(), "a text has a NUL, or is not valid Unicode")
        return value

    def look_ahead(self, at: int) -> Iterator[Any]:
        """The values of a list from this one on, as far as they are sound; they stay to be read."""
        start = self.at
        try:
            self.at = at
            while not self._ahead or self.take(","):
                self.peek()
                at, value = self.at, self.value()
                self._ahead[at] = value, self.at
                yield value
        except Bad:
            pass
        self.at = start

    def _ends_within(self, e: json.JSONDecodeError) -> bool:
        end = self.end_of_value(self.at)
        is_open = end is None or (end == len(self.text) and self.text[self.at:self.at + 1] not in ("{", "[", '"'))
        return is_open and (e.msg.startswith("Unterminated") or _LAST.match(self.text, e.pos) is not None)

    def name(self) -> str:
        """A member's name, and the colon"""
        if self.peek() != '"':
            self.fail(self.at, "expected the name of a member, in double quotes" if self.peek()
                      else "the file ends here, before its last brace")
        name: str = self.value()
        if not self.take(":"):
            self.fail(self.at, "after a name: expected a colon", Bad if self.peek() else Cut)
        return name

    def each(self, brackets: str) -> Iterator[str]:
        """The names of an object's members, or "" for each item of a list; their values are read in between."""
        is_list = brackets == "[]"
        self.expect(brackets[0], "expected a list" if is_list else "expected an object")
        if not self.take(brackets[1]):
            yield "" if is_list else self.name()
            while self.take(","):
                yield "" if is_list else self.name()
            self.expect(brackets[1], "expected a comma or a " + ("bracket" if is_list else "brace"))

    def end_of_value(self, at: int) -> Optional[int]:
        """Where the value at this place ends, as far as quotes and brackets tell; None: the text ends within it."""
        first = self.text[at:at + 1]
        if first not in ("{", "["):
            m = _STRING.match(self.text, at) if first == '"' else _SCALAR.match(self.text, at)
            return m.end() if m else None
        depth = 0
        for m in _BRACKET.finditer(self.text, at + 1):
            if m[1]:
                depth += 1 if m[1] in "{[" else -1
                if depth < 0:
                    return m.end()
        return None


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
