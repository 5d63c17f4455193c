"""t4.py - results in the T4 form, which Kernel Tuner, KTT and pyATF write

SPDX-License-Identifier: MIT

The time is the objective `time`, or else the one whose unit is one of time, or else the measurement `time`, with its
unit, else that of the metadata. Two objectives that are times, none of them `time`, are an error.
"""
from typing import Any, Dict

from .form import MISSING, Form, failure_of, is_unit, items, members, objectives
from .units import metric_of_unit


def _measurement(result: Any, name: str) -> Dict[str, Any]:
    """The first of that name; without members: there is none."""
    return next((m for m in map(members, items(result.get("measurements"))) if m.get("name") == name), {})


def _unit_of(measurement: Dict[str, Any]) -> str:
    unit = measurement.get("unit")
    return unit if isinstance(unit, str) else ""


class T4(Form):
    kind, inside = "T4 results", "results"

    def head(self, first: Any) -> None:
        unit = members(self.member("metadata")).get("timeunit")
        self.unit = unit if isinstance(unit, str) else ""
        self.check_version()
        if self.unit and not is_unit(self.unit):
            self.fail(f'metadata: timeunit: "{self.unit}" is not a unit of time', "metadata")
        self.name_params(list(members(members(first).get("configuration"))))
        self.say_head("", "")

    def measure(self, key: str, v: Any) -> None:
        values = self.all_values(v.get("configuration"))
        invalidity = v.get("invalidity")
        time = failure_of(invalidity)
        if not time and invalidity != "correct":
            self.fail(f'invalidity: "{invalidity if isinstance(invalidity, str) else ""}" is neither "correct" nor a '
                      "failure that is known here")
        self.add(values, time or self._time(v))

    def _time(self, v: Any) -> str:
        name = self._objective(v)
        time = _measurement(v, name)
        if not time:
            self.no_time("measurement time", v.get("objectives"))
        value, unit = time.get("value", MISSING), _unit_of(time) or self.unit
        if not unit:
            return self.time(name, value)
        if not is_unit(unit):
            self.fail(f'time: "{unit}" is not a unit of time')
        return self.time(name, value, metric_of_unit(unit))

    def _objective(self, v: Any) -> str:
        """The name of the one that is a time; `time` as well if none is"""
        names = objectives(v.get("objectives"))
        times = ["time"] if "time" in names else [name for name in names if is_unit(_unit_of(_measurement(v, name)))]
        if len(times) > 1:
            self.fail(f"objectives: {times[0]} and {times[1]} are both times: which one counts? Leave that one")
        return times[0] if times else "time"
