"""kernel_tuner.py - Kernel Tuner's cache file

SPDX-License-Identifier: MIT

Times are the member `time`, in milliseconds, whatever the file's objectives are. A word of Kernel Tuner stands for a
failure, there or in the place of an objective.
"""
import re
from typing import Any, Dict, List

from .form import MISSING, MOST_SIZES, MS, NUMBERS, SIZES, Form, failure_of, items, members, objectives, size_of
from .json_text import Cut, whole
from .numbers import NUMBER

MOST_RUNS = 64
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"[ \t\n\r]*(:?)|[{}\[\]]', re.DOTALL)


def _first_bad(names: List[Any]) -> int:
    """Where a list has no string, or one twice: its length if nowhere"""
    first: Dict[str, int] = {}
    return next((i for i, name in enumerate(names) if not isinstance(name, str) or first.setdefault(name, i) < i),
                len(names))


class Cache(Form):
    kind, inside, what, brackets = "Kernel Tuner cache", "cache", "entry", "{}"

    def collect(self) -> bool:
        t = self.text
        try:
            super().collect()
        except Cut:
            self._check_inner(t.item)
            if not self.entries:
                t.fail(t.at, "the file ends here, before a measurement of `cache`")
            if t.item > self.entries[-1][0]:
                self.table.say("note", f"{t.path}:{t.place(t.item)[0]}: the file ends within this entry, which is left "
                               "out")
            return True
        return not t.peek()

    def _check_inner(self, at: int) -> None:
        """A brace that is missing makes an entry a member of the one before."""
        depth, first = 0, items(self.member("tune_params_keys"))[:1]
        for m in _TOKEN.finditer(self.text.text, at):
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(m.group(), 0)
            if depth == 0 and m.group() == "}":
                return
            if depth > 1 and m[2] and m[1] in first:
                self.text.fail(m.start(), "another entry begins within the one of line "
                               f"{self.text.place(at)[0]}: a brace is missing")

    def head(self, first: Any) -> None:
        device, kernel = self.text_member("device_name"), self.text_member("kernel_name")
        self.objectives = self._objectives()
        self.check_version()
        sizes = self._sizes()
        self.say_head(self._names(), kernel, device, list(zip(SIZES, sizes)))
        self.table.has_runs = True
        for v, at in self.members.values():
            if at > self.at and isinstance(v, dict) and self.names[0] in v:
                self.text.fail(at, "this entry is outside of `cache`: there is a brace too many")
        domains = self.member("tune_params")
        for name in self.names if domains is not MISSING else ():
            self.declare("tune_params", name, members(domains).get(name), "is not a list of numbers or strings")

    def _objectives(self) -> List[str]:
        v = self.member("objective")
        if v is MISSING or isinstance(v, str) or (items(v) and _first_bad(v) == len(v)):
            return objectives(v)
        self.fail("objective: is neither a name nor a list of names", "objective")

    def _sizes(self) -> List[int]:
        """A string is the name of a function, or a number."""
        v = self.member("problem_size")
        if isinstance(v, str):
            return [size for size in [size_of(v)] if size is not None]
        sizes = [whole(one) for one in ([] if v is MISSING else v if isinstance(v, list) else [v])]
        if len(sizes) > MOST_SIZES:
            self.fail(f"problem_size: has more than {MOST_SIZES} sizes", "problem_size")
        if any(size is None or size < 0 for size in sizes):
            self.fail("problem_size: is not an integer, and no list of them", "problem_size")
        return sizes  # type: ignore[return-value]

    def _names(self) -> List[str]:
        v = self.member("tune_params_keys")
        if v is MISSING:
            self.fail("there is no member tune_params_keys before this entry")
        bad = _first_bad(items(v))
        if not items(v):
            self.fail("tune_params_keys: is not a list of names", "tune_params_keys")
        if bad < len(v):
            self.fail(f"tune_params_keys: its item {bad + 1} is not a name, or an earlier one", "tune_params_keys")
        return list(v)

    def measure(self, key: str, v: Any) -> None:
        if dict in map(type, v.values()):
            self._check_inner(self.at)
        values = self.values(v)
        if key != ",".join([str(v[name]) for name in self.names]):
            self._check_key(key, v, values)
        warm = items(v.get("times"))[1:]
        runs = [1000.0 * ms for ms in warm if type(ms) in NUMBERS and ms > 0]
        time = (self.time("time", v["time"], MS) if "time" in v else
                next(filter(None, (failure_of(v.get(name)) for name in self.objectives)), "")
                or self.no_time("time", self.objectives))
        self.add(values, time, runs[:MOST_RUNS] if len(runs) > 1 else ())

    def _check_key(self, key: str, v: Any, values: List[str]) -> None:
        """It has Python's str() of each value. Numbers are compared by what they are. Only a string may have commas."""
        left = key + ","
        for name, text in zip(self.names, values):
            comma = left.find(",", len(text) if isinstance(v[name], str) else 0)
            is_last = name == self.names[-1]
            if comma < 0 or not _is_part(left[:comma], v[name], text) or (is_last and left[comma + 1:]):
                self.fail(f'the key "{key}" and the entry\'s {name} = {text} disagree')
            left = left[comma + 1:]


def _is_part(part: str, v: Any, text: str) -> bool:
    if isinstance(v, (bool, str)) or len(part) > 63:
        return part == (str(v) if isinstance(v, bool) else text)
    return NUMBER.fullmatch(part.lstrip()) is not None and float(part) == float(v)
