"""expressions.py - the values of a parameter, which a Python expression of a T1 input gives; nothing is executed

SPDX-License-Identifier: MIT

    [1, 2, 4]  ['fast', "slow"]  [True, False]  [0.5, 1.0]      a list
    [2**i for i in range(0, 6)]  [32 * i for i in [1, 2, 3]]    one for each of range() or a list
    list(range(32, 1025, 32))  tuple(...)  (1, 2)  range(4)
    [1] + [2 * i for i in range(1, 11)]                         one after the other

The operand of a comprehension stands before its `for`: it is passed over once and read again for each value of the
variable.
"""
import re
from typing import List, Optional

from .arithmetic import MOST_NUMBER, Numbers, Place, is_word
from .numbers import number_text

MOST_VALUES, MOST_TEXT = 1024, 255
_FRACTION = re.compile(r"[-+]?(?:(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)")
_VARIABLE = re.compile(r"-?[0-9]{1,13}")


def values_of(text: str, place: Place) -> List[str]:
    """The values, each once, as a spec writes them"""
    reader = _Lists(text, place)
    values = reader.lists()
    reader.at = reader.peek()[0]
    if reader.at < len(text):
        reader.fail("unexpected text after the list")
    if not values:
        reader.fail("it has no value")
    return list(dict.fromkeys(values))


class _Lists(Numbers):
    # ---- elements ----

    def element(self) -> str:
        self.at, token = self.peek()
        if token[:1] in ("'", '"'):
            return self.quoted(token)
        m = _FRACTION.match(self.text, self.at)
        if m:
            self.at = m.end()
            return number_text(repr(float(m.group())))
        if token in ("True", "False"):
            self.at += len(token)
            return "1" if token == "True" else "0"
        return str(self.number())

    def quoted(self, token: str) -> str:
        if len(token) == 1:
            self.fail("there is no closing quote")
        if len(token) - 2 > MOST_TEXT or "\\" in token:
            self.fail("a text is long or has a backslash")
        self.at += len(token)
        return token[1:-1]

    def add(self, values: List[str], value: str) -> None:
        if len(values) == MOST_VALUES:
            self.fail("it has more than 1024 values")
        values.append(value)

    # ---- what has several values ----

    def lists(self) -> List[str]:
        """One after the other"""
        self.deeper()
        values = self.one_list()
        while self.takes("+"):
            for value in self.one_list():
                self.add(values, value)
        self.depth -= 1
        return values

    def one_list(self) -> List[str]:
        if self.takes("range"):
            return self.range()
        if self.takes("list") or self.takes("tuple"):
            self.expect("(")
            values = self.lists()
            self.expect(")")
            return values
        close = "]" if self.takes("[") else ")" if self.takes("(") else self.fail(
            "expected a list, such as [1, 2] or list(range(4))")
        return self.elements(close)

    def range(self) -> List[str]:
        """range(STOP), range(START, STOP) or range(START, STOP, STEP), behind the word"""
        start = self.at
        self.expect("(")
        bounds = [self.number()]
        while len(bounds) < 3 and self.takes(","):
            bounds.append(self.number())
        self.expect(")")
        if bounds[2:] == [0]:
            self.fail("a range with a step of 0", start)
        values: List[str] = []
        for i in range(*bounds):
            self.add(values, str(i))
        return values

    def elements(self, close: str) -> List[str]:
        """Up to the bracket that closes, which a comma may precede"""
        at_for = self.find_for()
        values: List[str] = [] if at_for is None else self.comprehension(at_for)
        if at_for is None:
            while not self.takes(close):
                self.add(values, self.element())
                if not self.takes(","):
                    self.expect(close)
                    break
        else:
            self.expect(close)
        return values

    def find_for(self) -> Optional[int]:
        """The `for` of the list whose first element comes next; None: there is none."""
        at, depth = self.at, 0
        while depth >= 0:
            at, token = self.peek(at)
            if token in ("", "'", '"'):
                return None
            if depth == 0 and token == "for":
                return at
            depth += (token in "([") - (token in ")]")
            at += len(token)
        return None

    def comprehension(self, at_for: int) -> List[str]:
        """EXPRESSION for NAME in VALUES, where the reader stands at the expression"""
        operand, values = self.at, []
        if self.variable is not None:
            self.fail("one comprehension within another", at_for)
        self.at, variable = self.peek(at_for + len("for"))
        self.at += len(variable) if is_word(variable) else 0
        if not is_word(variable) or not self.takes("in"):
            self.fail('expected a name and "in"')
        turns = self.lists()
        end, self.variable = self.at, variable
        for turn in turns:
            if not _VARIABLE.fullmatch(turn) or abs(int(turn)) > MOST_NUMBER:
                self.fail("the variable is not an integer")
            self.value, self.at = int(turn), operand
            self.add(values, self.element())
            if not self.sees("for"):
                self.fail('expected "for"')
        self.variable, self.at = None, end
        return values
