"""t1.py - a T1 input: what a tuner is told of a kernel, its parameters and their conditions; it has no measurements

SPDX-License-Identifier: MIT
"""
from typing import Any, List, NoReturn, Set, Tuple

from .expressions import values_of
from .form import MOST_SIZES, SIZES
from .json_text import Text, whole
from .table import Bad, Table

SPACE = "ConfigurationSpace"
_Node = Tuple[Any, int] # a value, of which each member or item is such a pair, and where it begins


def read(path: str, text: str) -> Table:
    t = Text(path, text)
    try:
        tree = t.tree()
    except RecursionError:
        t.fail(t.at, "is nested too deeply")
    t.end()
    return _T1(t).read(tree)


class _T1:
    def __init__(self, text: Text) -> None:
        self.text, self.table = text, Table(text.path, "T1 input")
        self.params: Set[str] = set()

    def read(self, tree: _Node) -> Table:
        space = self._object(tree[0][SPACE])
        for node in self._list(space, "TuningParameters"):
            self._param(node)
        for node in self._list(space, "Conditions"):
            condition, at = self._string(node, "condition", "Expression")
            self.table.say("condition", *map(str, self.text.place(at)), condition)
        if not self.params:
            raise Bad(f"{self.text.path}: has no TuningParameters")
        self._specification(self._object(tree[0].get("KernelSpecification", ({}, 0))))
        return self.table

    def _object(self, node: _Node) -> Any:
        return node[0] if isinstance(node[0], dict) else self.text.fail(node[1], "expected an object")

    def _list(self, members: Any, name: str) -> List[_Node]:
        nodes, at = members.get(name, ([], 0))
        return nodes if isinstance(nodes, list) else self.text.fail(at, "expected a list")

    def _string(self, node: _Node, what: str, name: str) -> Tuple[str, int]:
        """That member of an object, and where its first character is"""
        v, at = self._object(node).get(name) or self.text.fail(node[1], f'the {what} has no "{name}"')
        return (v, at + 1) if isinstance(v, str) else self.text.fail(at, f"{name} should be a string")

    def _param(self, node: _Node) -> None:
        (name, _), (text, at) = self._string(node, "parameter", "Name"), self._string(node, "parameter", "Values")
        if name in self.params:
            self.text.fail(node[1], f'there is already a parameter "{name}"')
        self.params.add(name)
        def fail(before: int, what: str) -> NoReturn:
            self.text.fail(at + before, f"values of {name}: {what}: {text}")
        self.table.say("values", name, *values_of(text, fail))

    def _specification(self, kernel: Any) -> None:
        if "KernelName" in kernel:
            self.table.say("kernel", self._string((kernel, 0), "", "KernelName")[0])
        sizes, at = kernel.get("ProblemSize", ([], 0))
        for i, (size, place) in enumerate(sizes if isinstance(sizes, list) else [(sizes, at)]):
            if whole(size) is None or i == MOST_SIZES:
                self.text.fail(place, f"ProblemSize should be up to {MOST_SIZES} integers")
            self.table.say("size", SIZES[i], str(whole(size)))
