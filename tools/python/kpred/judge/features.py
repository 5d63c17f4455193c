"""features.py - functions of the user's, and the features that one makes of fields and parameters

SPDX-License-Identifier: MIT

A function is called with columns by the names of its parameters: those of the spec's fields and parameters, an entry a
tuple. Columns are NumPy's arrays where NumPy is installed, of integers or of names, and else lists. `**others` takes
the rest. A function for --features returns a dict of the model's features by their names, or, for a model that has no
names, a list of them in its order, or an array with a row a tuple. A feature is a column or one value for all tuples.
"""
import importlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from ..convert.table import Bad
from .tuples import array

Given = Union[Dict[str, Any], List[Any]]
NAME = re.compile(r"(.+\.py|[^\W\d]\w*(?:\.[^\W\d]\w*)*):([^\W\d]\w*)")


def first_line(error: BaseException) -> str:
    text = re.sub(r"^\[[\d:]+\] (\S+:\d+: )?", "", str(error).strip()).split("\n", 1)[0][:300]
    return text if isinstance(error, Bad) else f"{type(error).__name__}: {text}"


def failed(what: str, error: BaseException) -> Bad:
    """The user's or a library's error, and where it is"""
    frames = [f for f in traceback.extract_tb(error.__traceback__)
              if not re.search("(site|dist)-packages|kpred/judge", f.filename)]
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return Bad(f"{what}: {first_line(error)}{place}")


def load(option: str, text: str) -> Any:
    """What MODULE:NAME or FILE.py:NAME names"""
    found = NAME.fullmatch(text)
    if not found:
        raise Bad(f'{option} {text}: is neither MODULE:NAME nor FILE.py:NAME')
    place, name = found.groups()
    try:
        if place.endswith(".py"):
            spec = importlib.util.spec_from_file_location(re.sub(r"\W", "_", os.path.basename(place)[:-3]), place)
            assert spec and spec.loader
            module = importlib.util.module_from_spec(spec)
            sys.modules.setdefault(spec.name, module)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(place)
    except FileNotFoundError as e:
        raise Bad(f"{option} {text}: {e.filename}: {e.strerror}") from None
    except (Exception, SystemExit) as e: # pylint: disable=broad-except
        raise failed(f"{option} {text}", e) from None
    if not hasattr(module, name):
        raise Bad(f"{option} {text}: {place} has no {name}")
    return getattr(module, name)


def call(what: str, function: Callable[..., Any], columns: Mapping[str, Any]) -> Any:
    """Its answer to the columns that it asks for"""
    try:
        wanted = inspect.signature(function).parameters.values()
    except ValueError: # of a function in C
        wanted = [] # type: ignore[assignment]
    takes_all = not wanted or any(p.kind == p.VAR_KEYWORD for p in wanted)
    for p in wanted:
        if p.kind == p.POSITIONAL_ONLY or p.kind == p.VAR_POSITIONAL:
            raise Bad(f"{what}: its parameter {p.name} has no name that can be given")
        if p.default is p.empty and p.kind != p.VAR_KEYWORD and p.name not in columns:
            raise Bad(f"{what}: its parameter {p.name} is none of {', '.join(columns)}")
    names = set(columns) if takes_all else {p.name for p in wanted} & set(columns)
    try:
        return function(**{name: column for name, column in columns.items() if name in names})
    except (Exception, SystemExit) as e: # pylint: disable=broad-except
        raise failed(what, e) from None


def _column(what: str, name: Any, value: Any, n: int) -> Any:
    if isinstance(value, (str, bytes)) or not hasattr(value, "__len__"):
        if not isinstance(value, (str, int, float, bool)) and not hasattr(value, "dtype"):
            raise Bad(f"{what}: feature {name}: is a {type(value).__name__}, no column of {n} and no value for all")
        return array([value] * n)
    if len(value) != n:
        raise Bad(f"{what}: feature {name}: has {len(value)} values for {n} tuples")
    return value


class Features:
    """What the model sees: what a function returns, or fields and parameters as they are"""

    def __init__(self, option: Optional[str]) -> None:
        self.what = f"--features {option}"
        self._function = load("--features", option) if option else None
        if self._function is not None and not callable(self._function):
            raise Bad(f"{self.what}: is no function")

    def of(self, columns: Mapping[str, Any], n: int) -> Given:
        if self._function is None:
            return dict(columns)
        given = call(self.what, self._function, columns)
        if isinstance(given, Mapping):
            return {name: _column(self.what, name, value, n) for name, value in given.items()}
        if getattr(given, "ndim", 0) == 2:
            if len(given) != n:
                raise Bad(f"{self.what}: has returned {len(given)} rows for {n} tuples")
            given = list(given.T)
        if not isinstance(given, (list, tuple)):
            raise Bad(f"{self.what}: has returned a {type(given).__name__}, neither a dict nor a list of columns")
        return [_column(self.what, i, value, n) for i, value in enumerate(given)]
