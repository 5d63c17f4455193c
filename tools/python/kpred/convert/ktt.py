"""ktt.py - KTT's own results; each Status but Ok is a failure, of which KTT has more than are known here

SPDX-License-Identifier: MIT
"""
from typing import Any, Dict

from .form import MISSING, Form, failure_of, items, members, text_of
from .table import FAILED


class KTT(Form):
    kind, inside, unread = "KTT results", "Results", ("ComputationResults",)

    def head(self, first: Any) -> None:
        metadata, kernel = members(self.member("Metadata")), members(first).get("KernelName")
        unit = metadata.get("TimeUnit")
        if not isinstance(unit, str):
            self.fail("there is no member TimeUnit in Metadata")
        self.unit = self.metric("Metadata: TimeUnit", unit, "Metadata")
        self.say_head(list(self._config(members(first))), text_of(kernel), text_of(metadata.get("Device")))

    def _config(self, v: Dict[str, Any]) -> Dict[str, Any]:
        """The names and values of the list"""
        config: Dict[str, Any] = {}
        for i, one in enumerate(items(v.get("Configuration"))):
            name = members(one).get("Name")
            if not isinstance(name, str) or "Value" not in one or name in config:
                self.fail(f"Configuration: item {i + 1} has no name or value, or an earlier name")
            config[name] = one["Value"]
        return config

    def measure(self, key: str, v: Any) -> None:
        values = self.all_values(self._config(v))
        status = v.get("Status")
        if not isinstance(status, str):
            self.fail("there is no Status in this result")
        self.add(values, self.time("TotalDuration", v.get("TotalDuration", MISSING), self.unit) if status == "Ok"
                 else failure_of(status) or FAILED)
