"""form.py - what all forms of tuners' files share: members, parameters by the first measurement, times, failures

SPDX-License-Identifier: MIT
"""
import re
from typing import Any, Dict, List, NoReturn, Optional, Sequence, Tuple

from .command import Asked
from .json_text import Text, scalar
from .table import FAILED, REJECTED, Table
from .units import FAILED_TIME, TIME, Metric, metric_of_unit

MOST_SIZES = 8
SIZES = ["problem_size_" + (axis or str(i)) for i, axis in enumerate(["x", "y", "z", *[""] * (MOST_SIZES - 3)])]
MISSING = object()
NUMBERS = int, float # and no bool
MS = metric_of_unit("ms")
_FAILURES = {"InvalidConfig": REJECTED, "constraints": REJECTED, "DeviceLimitsExceeded": REJECTED,
             **dict.fromkeys(("CompilationFailedConfig", "RuntimeFailedConfig", "compile", "runtime", "correctness",
                              "timeout"), FAILED)}
_WHOLE = re.compile("-?0{1,19}|[0-9]{1,19}")
Members = Dict[str, Tuple[Any, int]] # of the outermost object, and where each begins


def members(v: Any) -> Dict[str, Any]:
    return v if isinstance(v, dict) else {}


def items(v: Any) -> List[Any]:
    return v if isinstance(v, list) else []


def text_of(v: Any) -> str:
    return v if isinstance(v, str) else ""


def is_unit(text: str) -> bool:
    return metric_of_unit(text).kind == TIME


def failure_of(word: Any) -> Optional[str]:
    """What a word in the place of a time, or for it, is in the table; None: it is unknown."""
    return _FAILURES.get(word) if isinstance(word, str) else None


def size_of(text: Any) -> Optional[int]:
    """An integer from 0 in a text"""
    return int(text) if _WHOLE.fullmatch(text_of(text)) and int(text) < 2 ** 63 else None


def objectives(v: Any) -> List[str]:
    """A name, or the names that a list begins with"""
    names = [v] if isinstance(v, str) else items(v)
    return names[:next((i for i, name in enumerate(names) if not isinstance(name, str)), len(names))]


class Form:
    """A kind of file: its members and measurements. Subclasses say what they mean."""

    kind = ""
    inside = "" # the member that holds the measurements
    what = "result" # each is called
    sign: Optional[str] = None # a member before the list, without which the list is of another form
    brackets = "[]"
    of_objects = True
    unread: Sequence[str] = () # large members of a measurement, of which no row is made

    def __init__(self, text: Text, members: Members, asked: Asked) -> None:
        self.text, self.members, self.asked = text, members, asked
        self.entries: List[Tuple[int, str, Any]] = [] # where a measurement begins, its name or "", and it
        self.at = text.at # of the present measurement
        self.names: List[str] = []
        self.table = Table(text.path, self.kind)
        self._unit = metric_of_unit(asked.unit or "ms")
        self._is_untold = False

    def head(self, first: Any) -> None:
        """Says what the file has beside its rows, of which it is given the first."""
        raise NotImplementedError

    def measure(self, key: str, v: Any) -> None:
        """Adds a row."""
        raise NotImplementedError

    # ---- measurements ----

    def collect(self) -> bool:
        """Reads them; true where the text ends with them."""
        t = self.text
        if t.peek() != self.brackets[0]:
            t.fail(t.at, f"{self.inside}: expected {self.brackets[0]}")
        for key in t.each(self.brackets, f"after this {self.what}: "):
            at, v = t.item, t.value()
            for name in self.unread:
                members(v).pop(name, None)
            self.entries.append((at, key, v))
        if not self.entries:
            t.fail(t.at, f"{self.inside}: there is no measurement in it")
        return False

    def rows(self) -> Table:
        """The table of what was collected, once all members are known"""
        self.entries.reverse()
        self.at, _, first = self.entries[-1]
        self.head(first)
        while self.entries: # what was read is freed while rows are made of it
            self.at, key, v = self.entries.pop()
            if self.of_objects and not isinstance(v, dict):
                self.fail(f"this {self.what} is not an object")
            self.measure(key, v)
        return self.table

    # ---- members of the outermost object ----

    def member(self, name: str) -> Any:
        return self.members.get(name, (MISSING,))[0]

    def fail(self, what: str, name: Optional[str] = None) -> NoReturn:
        """At the present measurement, or at a member"""
        self.text.fail(self.at if name is None else self.members[name][1], what)

    def text_member(self, name: str) -> str:
        v = self.members.get(name, ("", 0))[0]
        return v if isinstance(v, str) else self.fail(f"{name}: is not a string", name)

    def check_version(self) -> None:
        version = self.member("schema_version")
        if version is not MISSING and not text_of(version).startswith("1."):
            self.fail(f'schema_version: "{text_of(version)}" is unknown here, which reads 1.0.0', "schema_version")

    # ---- parameters ----

    def say_head(self, names: Sequence[str], kernel: str = "", device: str = "",
                 sizes: Sequence[Tuple[str, int]] = ()) -> None:
        if not names:
            self.fail(f"this {self.what} has no parameter")
        self.names = self.table.columns = list(names)
        if kernel:
            self.table.say("kernel", kernel)
        self.table.say("device", device)
        for name, size in sizes:
            self.table.say("size", name, str(size))

    def declare(self, member: str, name: str, values: Any, what: str) -> None:
        """The parameter's domain, which is a list of scalars, or else that is wrong with the member"""
        texts = [text for text in map(scalar, items(values)) if text is not None]
        if not texts or len(texts) < len(values):
            self.fail(f"{member}: {name}: {what}", member)
        self.table.say("values", name, *texts)

    def values(self, config: Any) -> List[str]:
        """The values of a measurement, by the names of the head"""
        pairs = [(name, members(config).get(name, MISSING)) for name in self.names]
        return [v if type(v) is str else str(v) if type(v) is int else self._text(name, v) for name, v in pairs]

    def _text(self, name: str, v: Any) -> str:
        text = scalar(v)
        if text is None:
            self.fail(f"parameter {name} is missing in this {self.what}" if v is MISSING else
                      f"parameter {name}: is neither a number nor a string")
        return text

    def all_values(self, config: Any) -> List[str]:
        """The same of an object that holds nothing else"""
        texts = self.values(config)
        if len(config) > len(texts):
            self.fail(f"parameter {next(n for n in config if n not in self.names)} is missing in the first {self.what}")
        return texts

    # ---- times ----

    def metric(self, what: str, unit: str, name: Optional[str] = None) -> Metric:
        if not is_unit(unit):
            self.fail(f'{what}: "{unit}" is not a unit of time', name)
        return metric_of_unit(unit)

    def add(self, values: List[str], time: str, runs: Sequence[float] = ()) -> None:
        line, column = self.text.place(self.at)
        self.table.add(f"{line}:{column}", values, time, runs)

    def time(self, name: str, v: Any, unit: Optional[Metric] = None) -> str:
        """A number, or in its place a word or null, which says that there is none; without a unit, of what is told"""
        if unit is None and not self._is_untold:
            self._is_untold = True
            self.table.say("untold")
        if type(v) in NUMBERS and 0 < v < FAILED_TIME:
            us = (unit or self._unit).us(float(v))
            return repr(us) if us > 0 else FAILED
        if v is None or type(v) in NUMBERS and (v >= 0 or v == -1):
            return FAILED
        text = scalar(v)
        return failure_of(v) or self.fail(f"{name}: {'this' if text is None else text} is neither a time nor a failure "
                                          "that is known here")

    def no_time(self, what: str, objective: Any) -> NoReturn:
        """There is nothing to learn from here."""
        names = objectives(objective)
        self.fail(f"there is no {what} in this {self.what}" + (
            f", and of the objective {' or '.join(names)} kpred cannot learn" if names and "time" not in names else ""))
