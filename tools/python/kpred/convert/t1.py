"""t1.py - a T1 input: what a tuner is told of a kernel, its parameters and their conditions; it has no measurements

SPDX-License-Identifier: MIT
"""
from typing import Callable, Dict, List, Set, Tuple

from .command import Asked
from .expressions import Place, values_of
from .form import MOST_SIZES, SIZES
from .json_text import Text, whole
from .table import Bad, Table

SPACE = "ConfigurationSpace"
_String = Tuple[str, int, int] # and the place of its first character


def sees(path: str, text: str) -> bool:
    """It tells by that member."""
    t = Text(path, text if SPACE in text else "")
    try:
        is_more = t.take("{")
        while is_more and t.name() != SPACE:
            t.peek()
            end = t.end_of_value(t.at)
            t.at = end or len(text)
            is_more = end is not None and t.take(",")
        return is_more
    except Bad:
        return False


def read(path: str, text: str, asked: Asked) -> Table:
    return _T1(path, text).read()


class _T1:
    def __init__(self, path: str, text: str) -> None:
        self.text, self.table = Text(path, text), Table(path, "T1 input")
        self.kernel: Dict[str, _String] = {}
        self.params: Set[str] = set()
        self.sizes: List[int] = []

    def read(self) -> Table:
        t = self.text
        self._object(self._top)
        if t.peek():
            t.fail(t.at, "unexpected text after the end")
        if not self.params:
            raise Bad(f"{t.path}: has no TuningParameters")
        if self.kernel:
            self.table.say("kernel", self.kernel["KernelName"][0])
        for name, size in zip(SIZES, self.sizes):
            self.table.say("size", name, str(size))
        return self.table

    # ---- objects and lists, whose members and elements have functions of their own ----

    def _object(self, member: Callable[[str], None]) -> None:
        t = self.text
        t.expect("{", "expected an object")
        if not t.take("}"):
            member(t.name())
            while t.take(","):
                member(t.name())
            t.expect("}", "expected a comma or a brace")

    def _list(self, element: Callable[[], None]) -> None:
        t = self.text
        t.expect("[", "expected a list")
        if not t.take("]"):
            element()
            while t.take(","):
                element()
            t.expect("]", "expected a comma or a bracket")

    def _strings(self, *names: str) -> Tuple[int, Dict[str, _String]]:
        """Where an object begins, and those members, which are strings"""
        strings: Dict[str, _String] = {}
        self.text.peek()
        start = self.text.at
        self._object(lambda name: self._string(name, strings) if name in names else self._pass_over())
        return start, strings

    def _string(self, name: str, strings: Dict[str, _String]) -> None:
        t = self.text
        t.peek()
        start = t.at
        v = t.value()
        if not isinstance(v, str):
            t.fail(start, f"{name} should be a string")
        if name in strings:
            t.fail(start, f"{name} is given twice")
        line, column = t.place(start)
        strings[name] = v, line, column + 1

    def _pass_over(self) -> None:
        self.text.value()

    # ---- the members ----

    def _top(self, name: str) -> None:
        reader = {SPACE: self._space, "KernelSpecification": self._specification}.get(name)
        self._object(reader) if reader else self._pass_over()

    def _space(self, name: str) -> None:
        reader = {"TuningParameters": self._param, "Conditions": self._condition}.get(name)
        self._list(reader) if reader else self._pass_over()

    def _param(self) -> None:
        start, strings = self._strings("Name", "Values")
        for member in "Name", "Values":
            if member not in strings:
                self.text.fail(start, f'the parameter has no "{member}"')
        name, (text, line, column) = strings["Name"][0], strings["Values"]
        if name in self.params:
            self.text.fail(start, f'there is already a parameter "{name}"')
        self.params.add(name)
        self.table.say("values", name, *values_of(text, Place(self.text.path, name, line, column)))

    def _condition(self) -> None:
        start, strings = self._strings("Expression")
        if not strings:
            self.text.fail(start, 'the condition has no "Expression"')
        text, line, column = strings["Expression"]
        self.table.say("condition", str(line), str(column), text)

    def _specification(self, name: str) -> None:
        if name == "KernelName":
            self._string(name, self.kernel)
        elif name != "ProblemSize":
            self._pass_over()
        elif self.text.peek() == "[":
            self._list(self._size)
        else:
            self._size()

    def _size(self) -> None:
        self.text.peek()
        start = self.text.at
        size = whole(self.text.value())
        if size is None or len(self.sizes) == MOST_SIZES:
            self.text.fail(start, f"ProblemSize should be up to {MOST_SIZES} integers")
        self.sizes.append(size)
