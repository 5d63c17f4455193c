"""t4.py - results in the T4 form, which Kernel Tuner, KTT and pyATF write

SPDX-License-Identifier: MIT

The time is the objective `time`, or else the one whose unit is one of time, or else the measurement `time`, with its
unit, else that of the metadata. Two objectives that are times, none of them `time`, are an error.
"""
from typing import Any, Dict

from .form import MISSING, Form, failure_of, is_unit, items, members, objectives, text_of


def _measurement(result: Any, name: str) -> Dict[str, Any]:
    """The first of that name; without members: there is none."""
    return next((m for m in map(members, items(result.get("measurements"))) if m.get("name") == name), {})


class T4(Form):
    kind, inside, unread = "T4 results", "results", ("times",)

    def head(self, first: Any) -> None:
        self.unit = text_of(members(self.member("metadata")).get("timeunit"))
        self.check_version()
        if self.unit:
            self.metric("metadata: timeunit", self.unit, "metadata")
        self.say_head(list(members(members(first).get("configuration"))))

    def measure(self, key: str, v: Any) -> None:
        values = self.all_values(v.get("configuration"))
        invalidity = v.get("invalidity")
        time = failure_of(invalidity)
        if not time and invalidity != "correct":
            self.fail(f'invalidity: "{text_of(invalidity)}" is neither "correct" nor a failure that is known here')
        self.add(values, time or self._time(v))

    def _time(self, v: Any) -> str:
        name = self._objective(v)
        time = _measurement(v, name)
        if not time:
            self.no_time("measurement time", v.get("objectives"))
        unit = text_of(time.get("unit")) or self.unit
        return self.time(name, time.get("value", MISSING), self.metric("time", unit) if unit else None)

    def _objective(self, v: Any) -> str:
        """The name of the one that is a time; `time` as well if none is"""
        names = objectives(v.get("objectives"))
        times = ["time"] if "time" in names else [
            name for name in names if is_unit(text_of(_measurement(v, name).get("unit")))]
        if len(times) > 1:
            self.fail(f"objectives: {times[0]} and {times[1]} are both times: which one counts? Leave that one")
        return times[0] if times else "time"
