"""pyatf.py - pyATF's log (`log_file`), whose costs have no unit

SPDX-License-Identifier: MIT
"""
from typing import Any

from .form import NUMBERS, Form, items, members
from .table import FAILED


class PyATF(Form):
    kind, inside, what, sign = "pyATF log", "history", "entry", "tuning_parameters"

    def head(self, first: Any) -> None:
        self.say_head(list(members(members(first).get("configuration"))))
        # The values of a range that lists them; what an interval has depends on code in Python, and the history has the
        # values that its constraints leave.
        listed = [one for one in map(members, items(self.member("tuning_parameters")))
                  if "values" in members(one.get("range"))]
        for name in self.names:
            one = next((one for one in listed if one.get("name") == name), None)
            if one:
                self.declare("tuning_parameters", name, one["range"]["values"], "its values are not numbers or strings")

    def measure(self, key: str, v: Any) -> None:
        values, valid, cost = self.all_values(v.get("configuration")), v.get("valid"), v.get("cost")
        if not isinstance(valid, bool):
            self.fail("valid: is neither true nor false")
        if valid and type(cost) not in NUMBERS:
            self.fail("cost: is not a number")
        self.add(values, self.time("cost", cost) if valid else FAILED) # what is not valid has no cost
