"""t1.py - a T1 input: what a tuner is told of a kernel, its parameters and their conditions; it has no measurements

SPDX-License-Identifier: MIT
"""
from typing import Dict, List, Set, Tuple

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
        t, readers = self.text, {SPACE: self._space, "KernelSpecification": self._specification}
        for name in t.each("{}"):
            readers.get(name, t.value)()
        if t.peek():
            t.fail(t.at, "unexpected text after the end")
        if not self.params:
            raise Bad(f"{t.path}: has no TuningParameters")
        if self.kernel:
            self.table.say("kernel", self.kernel["KernelName"][0])
        for name, size in zip(SIZES, self.sizes):
            self.table.say("size", name, str(size))
        return self.table

    def _space(self) -> None:
        readers = {"TuningParameters": self._param, "Conditions": self._condition}
        for name in self.text.each("{}"):
            if name not in readers:
                self.text.value()
                continue
            for _ in self.text.each("[]"):
                readers[name]()

    def _strings(self, what: str, *names: str) -> Tuple[int, List[_String]]:
        """Where an object begins, and those members, which are strings"""
        self.text.peek()
        start, strings = self.text.at, {} # type: int, Dict[str, _String]
        for name in self.text.each("{}"):
            self._string(name, strings) if name in names else self.text.value()
        for name in names:
            if name not in strings:
                self.text.fail(start, f'the {what} has no "{name}"')
        return start, [strings[name] for name in names]

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

    def _param(self) -> None:
        start, ((name, *_), (text, line, column)) = self._strings("parameter", "Name", "Values")
        if name in self.params:
            self.text.fail(start, f'there is already a parameter "{name}"')
        self.params.add(name)
        self.table.say("values", name, *values_of(text, Place(self.text.path, name, line, column)))

    def _condition(self) -> None:
        _, ((text, line, column),) = self._strings("condition", "Expression")
        self.table.say("condition", str(line), str(column), text)

    def _specification(self) -> None:
        t = self.text
        for name in t.each("{}"):
            if name == "KernelName":
                self._string(name, self.kernel)
            elif name != "ProblemSize":
                t.value()
            elif t.peek() == "[":
                for _ in t.each("[]"):
                    self._size()
            else:
                self._size()

    def _size(self) -> None:
        self.text.peek()
        start = self.text.at
        size = whole(self.text.value())
        if size is None or len(self.sizes) == MOST_SIZES:
            self.text.fail(start, f"ProblemSize should be up to {MOST_SIZES} integers")
        self.sizes.append(size)
