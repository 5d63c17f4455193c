"""models.py - what a judge is given: a feature or a category too many or too few is an error that names it

SPDX-License-Identifier: MIT
"""
import importlib
import math
from typing import Any, Dict, List, Optional, Sequence

from ..convert.numbers import NUMBER, number_text
from ..convert.table import Bad
from .features import Given, call, failed

Codes = Dict[str, float] # of a feature's categories, by their one text
STRANGE = "nan", "inf", "-inf" # numbers all the same


def codes_of(what: str, feature: str, categories: Sequence[Any]) -> Codes:
    codes = {number_text(str(c)): float(i) for i, c in enumerate(categories)}
    if len(codes) < len(categories):
        raise Bad(f"{what}: feature {feature}: two of its categories are the same in the spec: {list(categories)[:20]}")
    return codes


def plain(column: Any) -> List[Any]:
    return list(column.tolist() if hasattr(column, "tolist") else column)


def has_names(column: Any) -> bool:
    kind = getattr(getattr(column, "dtype", None), "kind", "O")
    return kind in "US" or kind == "O" and any(isinstance(x, str) for x in column)


class Judge:
    """Whoever has `names` of features, or only takes n of them (no names, no n: any)"""
    names: Optional[List[str]] = None
    n: Optional[int] = None

    def __init__(self, text: str) -> None:
        self.text = text

    def scores(self, columns: List[Any], n: int) -> Any:
        raise NotImplementedError

    def ask(self, given: Given, n: int) -> Any:
        columns = self._ordered(given)
        try:
            return self.scores(columns, n)
        except (Bad, KeyboardInterrupt):
            raise
        except Exception as e: # pylint: disable=broad-except
            raise failed(self.text, e) from None

    def _ordered(self, given: Given) -> List[Any]:
        """The features in the model's order; each is there, and no other one"""
        if self.names is None:
            if isinstance(given, dict):
                raise Bad(f"{self.text}: its features have no names: --features has to return them as a list, in order")
            if self.n is not None and len(given) != self.n:
                raise Bad(f"{self.text}: has {self.n} features, and --features has returned {len(given)}")
            return given
        if not isinstance(given, dict):
            raise Bad(f"{self.text}: its features have names: --features has to return a dict")
        for name in self.names:
            if name not in given:
                raise Bad(f'{self.text}: feature "{name}" is missing: a function for --features has to return it; there '
                          f"are {', '.join(map(str, given))}")
        for name in given:
            if name not in self.names:
                raise Bad(f'{self.text}: "{name}" is none of its features: a function for --features has to return '
                          f"{', '.join(self.names)}")
        return [given[name] for name in self.names]

    def coded(self, i: int, column: Any, codes: Optional[Codes]) -> Any:
        """A column as numbers; codes: of its categories, None: it has none. What is not a number is missing."""
        if codes is None and not has_names(column):
            return column
        values = plain(column)
        table: Dict[Any, float] = {}
        for x in set(values):
            text = number_text(str(x))
            if codes is None and not NUMBER.fullmatch(text) and text not in STRANGE:
                raise Bad(f"{self.text}: feature {self.name(i)}: the model has no names of categories for it: a function "
                          f"for --features has to return a number in place of {x}")
            if codes is not None and text not in codes and text != "nan":
                raise Bad(f"{self.text}: feature {self.name(i)}: category {x} is unknown to the model; it knows "
                          f"{', '.join(list(codes)[:20])}")
            table[x] = codes.get(text, math.nan) if codes else float(text)
        return [table.get(x, math.nan) for x in values]

    def name(self, i: int) -> str:
        return self.names[i] if self.names else str(i)

    def matrix(self, columns: List[Any], codes: Sequence[Optional[Codes]]) -> Any:
        numpy = importlib.import_module("numpy")
        return numpy.column_stack([numpy.asarray(self.coded(i, column, codes[i]), dtype=float)
                                   for i, column in enumerate(columns)])


class Function(Judge):
    def __init__(self, text: str, function: Any) -> None:
        super().__init__(text)
        self._function = function

    def ask(self, given: Given, n: int) -> Any:
        if isinstance(given, dict):
            return call(self.text, self._function, given)
        raise Bad(f"{self.text}: takes columns by their names: --features has to return a dict")
