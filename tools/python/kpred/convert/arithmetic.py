"""arithmetic.py - integers in Python's words: tokens, and + - * // % ** within limits; nothing is executed

SPDX-License-Identifier: MIT
"""
import re
from typing import NamedTuple, NoReturn, Optional, Tuple

from .table import Bad

MOST_DEPTH, MOST_STEPS = 32, 1 << 21
MOST_NUMBER = 1 << 40 # of a number on the way to a value

_BLANKS = re.compile(r"[ \t\r\n]*")
_TOKEN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|[0-9]+|'[^']*'|\"[^\"]*\"|//|\*\*|.|", re.DOTALL)
_INTEGER = re.compile(r"(?:0[xX][0-9a-fA-F]+|0+|[1-9][0-9]*)(?![.A-Za-z_0-9])")


class Place(NamedTuple):
    """Where an expression stands, for messages"""
    path: str
    param: str
    line: int
    column: int # of its first character


def is_word(token: str) -> bool:
    return token.isidentifier() and token.isascii()


class Numbers:
    """An expression, and a place in it"""

    def __init__(self, text: str, place: Place) -> None:
        self.text, self.place, self.at, self.depth, self.steps = text, place, 0, 0, 0
        self.variable: Optional[str] = None # of the comprehension that is being read, and its value
        self.value = 0

    # ---- messages and signs ----

    def fail(self, what: str, at: Optional[int] = None) -> NoReturn:
        column = self.place.column + (self.at if at is None else at)
        raise Bad(f"{self.place.path}:{self.place.line}:{column}: values of {self.place.param}: {what}: {self.text}")

    def peek(self, at: Optional[int] = None) -> Tuple[int, str]:
        """Where the next token begins, and it; "" at the end"""
        self.steps += 1
        if self.steps > MOST_STEPS:
            self.fail("it is too long")
        start = _BLANKS.match(self.text, self.at if at is None else at).end()  # type: ignore[union-attr]
        return start, _TOKEN.match(self.text, start).group()  # type: ignore[union-attr]

    def sees(self, text: str) -> bool:
        return self.peek()[1] == text

    def takes(self, text: str) -> bool:
        """Moves to the next token, and behind it if it is this sign or word."""
        self.at, token = self.peek()
        if token == text:
            self.at += len(text)
        return token == text

    def expect(self, sign: str) -> None:
        if not self.takes(sign):
            self.fail(f'expected "{sign}"')

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            self.fail("it is nested too deep")

    # ---- numbers ----

    def fit(self, number: int) -> int:
        if abs(number) > MOST_NUMBER:
            self.fail("a number is too large")
        return number

    def operand(self) -> int:
        self.at, token = self.peek()
        if token[:1].isdigit():
            m = _INTEGER.match(self.text, self.at) or self.fail("expected an integer")
            if len(m.group()) > 99:
                self.fail("a number is too large")
            number = self.fit(int(m.group(), 16 if m.group()[1:2] in ("x", "X") else 10))
            self.at = m.end()
            return number
        if self.takes("("):
            number = self.number()
            self.expect(")")
            return number
        if not is_word(token):
            self.fail("expected a number")
        if token != self.variable:
            self.fail("this name is not known here")
        self.at += len(token)
        return self.value

    def power(self) -> int:
        """** binds tighter than a sign before it, and from right to left."""
        base = self.operand()
        if not self.takes("**"):
            return base
        self.deeper()
        exponent = self.sign()
        self.depth -= 1
        if exponent < 0:
            self.fail("a negative power is not an integer")
        if -1 <= base <= 1:
            exponent = min(exponent, 2 + exponent % 2)
        return self.fit(base ** exponent if exponent <= 40 else MOST_NUMBER + 1)

    def sign(self) -> int:
        is_minus = self.takes("-")
        self.deeper()
        number = self.sign() if is_minus or self.takes("+") else self.power()
        self.depth -= 1
        return -number if is_minus else number

    def term(self) -> int:
        number = self.sign()
        while True:
            operation = next((op for op in ("*", "%", "//") if self.takes(op)), None)
            if operation is None:
                return self.fail("/ gives no integer in Python, write //") if self.sees("/") else number
            other = self.sign()
            if operation != "*" and other == 0:
                self.fail("a division by 0")
            number = self.fit(number * other if operation == "*" else number % other if operation == "%"
                              else number // other)

    def number(self) -> int:
        self.deeper()
        number = self.term()
        while True:
            is_minus = self.takes("-")
            if not is_minus and not self.takes("+"):
                break
            other = self.term()
            number = self.fit(number - other if is_minus else number + other)
        self.depth -= 1
        return number
