"""expressions.py - the values of a parameter, which a Python expression of a T1 input gives; nothing is executed

SPDX-License-Identifier: MIT

    [1, 2, 4]  ['fast', "slow"]  [True, False]  [0.5, 1.0]      a list
    [2**i for i in range(0, 6)]  [32 * i for i in [1, 2, 3]]    one for each of range() or a list
    list(range(32, 1025, 32))  tuple(...)  (1, 2)  range(4)
    [1] + [2 * i for i in range(1, 11)]                         one after the other

Python's ast reads the text. The nodes that are known here are computed, within limits, and any other node is refused.
"""
import ast
import operator
import re
import warnings
from typing import Callable, Dict, List, NoReturn, Optional

from .numbers import number_text

MOST_VALUES, MOST_TEXT = 1024, 255
MOST_LENGTH, MOST_SIGNS = 1 << 18, 4096 # of an expression, as old versions of ast crash where one is nested too deep
MOST_NUMBER, MOST_POWER = 1 << 40, 40 # of a number on the way to a value
_TEXT = re.compile(r"""'[^']*'|"[^"]*\"""")
_PLAIN = re.compile(_TEXT.pattern + r"|[0-9.,\s]+")
_OPERATIONS: Dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Pow: operator.pow}

_SIGNS: Dict[type, Callable[[int], int]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


def values_of(text: str, fail: Callable[[int, str], NoReturn]) -> List[str]:
    """The values, each once, as a spec writes them; `fail` is told what is wrong, and how many characters before it."""
    reader = _Reader(text, fail)
    try:
        values = reader.top()
    except (RecursionError, MemoryError):
        reader.fail("it is nested too deep")
    return list(dict.fromkeys(values)) or reader.fail("it has no value")


class _Reader:
    def __init__(self, text: str, tell: Callable[[int, str], NoReturn]) -> None:
        self.text, self.tell = text, tell
        self.code = text.strip().replace("\n", " ").replace("\r", " ") # as if brackets were around it
        self.variables: Dict[str, int] = {}

    def fail(self, what: str, node: Optional[ast.expr] = None) -> NoReturn:
        """At a node, or at the beginning"""
        lead = len(self.text) - len(self.text.lstrip())
        self.tell(0 if node is None else lead + len(self.code.encode()[:node.col_offset].decode()), what)

    def top(self) -> List[str]:
        if len(self.text) > MOST_LENGTH or len(_PLAIN.sub("", self.text)) > MOST_SIGNS:
            self.fail("it is too long")
        if any(sign in text for text in _TEXT.findall(self.text) for sign in "\\\n\r"):
            self.fail("a text has a backslash, or the end of a line")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error") # as of 1for
                body = ast.parse(self.code, mode="eval").body
        except (SyntaxError, ValueError): # the latter of a NUL
            self.fail("it is not an expression in Python")
        is_in_brackets = self.text.lstrip()[:1] == "(" and isinstance(body, (ast.Constant, ast.UnaryOp))
        return [self.element(body)] if is_in_brackets else self.values(body)

    # ---- what has several values ----

    def values(self, node: ast.expr) -> List[str]:
        if isinstance(node, (ast.List, ast.Tuple)):
            values = [self.element(one) for one in node.elts]
        elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            values = self.comprehension(node)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            values = self.values(node.left) + self.values(node.right)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            values = self.call(node, node.func.id)
        else:
            self.fail("expected a list, such as [1, 2] or list(range(4))", node)
        if len(values) > MOST_VALUES:
            self.fail(f"it has more than {MOST_VALUES} values", node)
        return values

    def call(self, node: ast.Call, name: str) -> List[str]:
        if name in ("list", "tuple") and len(node.args) == 1:
            return self.values(node.args[0])
        if name != "range" or not 1 <= len(node.args) <= 3:
            self.fail("only range, list and tuple are known here", node)
        bounds = [self.number(one) for one in node.args]
        if bounds[2:] == [0]:
            self.fail("a range with a step of 0", node)
        return list(map(str, range(*bounds)[:MOST_VALUES + 1]))

    def comprehension(self, node: "ast.ListComp | ast.GeneratorExp") -> List[str]:
        """EXPRESSION for NAME in VALUES"""
        turns, values = node.generators[0], []
        if len(node.generators) > 1 or turns.ifs or turns.is_async or not isinstance(turns.target, ast.Name):
            self.fail("expected one name and one list behind `for`", node)
        for turn in self.values(turns.iter):
            if not re.fullmatch("-?[0-9]{1,13}", turn) or abs(int(turn)) > MOST_NUMBER:
                self.fail("the variable is not an integer", turns.iter)
            self.variables = {turns.target.id: int(turn)}
            values.append(self.element(node.elt))
        self.variables = {}
        return values

    # ---- one value ----

    def element(self, node: ast.expr) -> str:
        try:
            value = ast.literal_eval(node) # of a text, a truth value, and a fraction with its sign
        except (ValueError, TypeError):
            value = None
        if isinstance(value, str):
            return value if len(value) <= MOST_TEXT else self.fail("a text is long", node)
        if isinstance(value, (bool, float)):
            return number_text(str(value))
        return str(self.number(node))

    def number(self, node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            number = node.value
        elif isinstance(node, ast.Name):
            number = self.variables[node.id] if node.id in self.variables else self.fail(
                "this name is not known here", node)
        elif isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
            number = _SIGNS[type(node.op)](self.number(node.operand))
        elif isinstance(node, ast.BinOp):
            number = self.operation(node, self.number(node.left), self.number(node.right))
        else:
            self.fail("expected an integer", node)
        return number if abs(number) <= MOST_NUMBER else self.fail("a number is too large", node)

    def operation(self, node: ast.BinOp, left: int, right: int) -> int:
        if type(node.op) not in _OPERATIONS:
            self.fail("/ gives no integer in Python, write //" if isinstance(node.op, ast.Div)
                      else "this operation is not known here", node)
        if isinstance(node.op, ast.Pow) and (right < 0 or (right > MOST_POWER and abs(left) > 1)):
            self.fail("a negative power is not an integer" if right < 0 else "a number is too large", node)
        try:
            return _OPERATIONS[type(node.op)](left, right)
        except ZeroDivisionError:
            self.fail("a division by 0", node)
