"""clblast.py - what the tuners of CLBlast write: tuples that failed are not in it

SPDX-License-Identifier: MIT
"""
from typing import Any, List, Tuple

from .form import MOST_SIZES, MS, Form, members, size_of


class CLBlast(Form):
    kind, inside, sign = "CLBlast results", "results", "kernel_family"

    def head(self, first: Any) -> None:
        device = self.text_member("clblast_device_name") or self.text_member("device")
        # The stages of a kernel have other parameters or values, and a precision has other times.
        family, precision = self.text_member("kernel_family"), self.text_member("precision")
        sizes = self._sizes()
        self.say_head(list(members(members(first).get("parameters"))), family + ("_" if precision else "") + precision,
                      device, sizes)

    def _sizes(self) -> List[Tuple[str, int]]:
        """arg_m = "64" is the size m. What is not an integer, as arg_alpha = "2.00", is none."""
        sizes: List[Tuple[str, int]] = []
        for name, (text, _) in self.members.items():
            size = size_of(text) if name.startswith("arg_") else None
            if size is not None:
                sizes.append((name[len("arg_"):], size))
            if len(sizes) > MOST_SIZES:
                self.fail(f"{name}: is one size too many, at most {MOST_SIZES} are known here", name)
        return sizes

    def measure(self, key: str, v: Any) -> None:
        values = self.all_values(v.get("parameters"))
        self.add(values, self.time("time", v["time"], MS) if "time" in v else self.no_time("time", None))
