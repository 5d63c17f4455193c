"""tuner.py - files of other tuners, in JSON: the outermost object, and the measurements, one after the other

SPDX-License-Identifier: MIT

A cache of Kernel Tuner may end behind an entry, with or without a comma: it is open. One that ends within an entry was
cut: that entry is left out, and a note tells its line. Of other files that is an error, and so are a member twice in an
object, an entry within or outside of its place, one that disagrees with its own key, and a parameter that is missing or
neither a number nor a string. A time of 0 or of 1e19 and more is a failure, and so are null, NaN and the infinities.
"""
from typing import Any, Dict, Optional, Tuple, Type

from .clblast import CLBlast
from .command import Asked
from .form import MOST_MEMBERS, Form
from .json_strict import TOKEN
from .json_text import Cut, Text
from .kernel_tuner import Cache
from .ktt import KTT
from .pyatf import PyATF
from .t4 import T4
from .table import Table
from .triton_autotune import Autotune

FORMS: Tuple[Type[Form], ...] = (Cache, CLBlast, T4, KTT, PyATF, Autotune)
UNKNOWN = "this is JSON of a schema that is unknown here: it has "


def read(path: str, text: str, asked: Asked) -> Table:
    return _File(Text(path, text), asked).read()


class _File:
    def __init__(self, text: Text, asked: Asked) -> None:
        self.text, self.asked = text, asked
        self.before: Dict[str, Tuple[Any, int]] = {} # the members so far, and where each begins
        self.form: Optional[Form] = None
        self.is_cut = False

    # ---- the outermost object ----

    def read(self) -> Table:
        t = self.text
        t.expect("{", "expected {, as a file of Kernel Tuner, KTT, CLBlast, pyATF or Triton's autotuner begins")
        start = t.at
        if not t.take("}"):
            while not (is_over := self._member()) and t.take(","):
                pass
            if is_over:
                return self.form.table  # type: ignore[union-attr]
            t.expect("}", "expected a comma or }" if t.peek() else "the file ends here, before its last brace")
        if t.peek():
            t.fail(t.at, "unexpected text after the last brace")
        if self.form is None:
            t.fail(start, UNKNOWN + "none of the members cache (of Kernel Tuner), results (T4, CLBlast), Results "
                   "(KTT), tuning_parameters before history (pyATF) and configs_timings (Triton)")
        return self.form.table

    def _member(self) -> bool:
        """Reads one; true where the text may end with it."""
        self.text.peek()
        at = self.text.at
        name = self.text.name()
        self._check_name(name, at)
        for form in FORMS if self.form is None else ():
            if form.inside == name and (form.sign is None or form.sign in self.before):
                self.form = form(self.text, self.before, self.asked)
                return self._list(self.form)
        self.before[name] = self.text.value(), at
        self._check_outside(name, at)
        return False

    def _check_name(self, name: str, at: int) -> None:
        if name in self.before or (self.form and self.form.inside == name):
            self.text.fail(at, f"member {name} is given twice")
        if name == "ConfigurationSpace":
            self.text.fail(at, "ConfigurationSpace: this is a T1 file, which has no measurements: `kpred-train init` "
                           "takes it")
        if len(self.before) == MOST_MEMBERS:
            self.text.fail(at, f"{UNKNOWN}more than {MOST_MEMBERS} members")

    def _check_outside(self, name: str, at: int) -> None:
        """A brace too many ends the cache too soon."""
        v = self.before[name][0]
        if isinstance(self.form, Cache) and isinstance(v, dict) and self.form.names[0] in v:
            self.text.fail(at, "this entry is outside of `cache`: there is a brace too many")

    # ---- the measurements ----

    def _list(self, form: Form) -> bool:
        """Reads all of them; true where the text may end with them."""
        t, n = self.text, 0
        t.expect(form.brackets[0], f"{form.inside}: expected {form.brackets[0]}")
        if t.take(form.brackets[1]):
            t.fail(t.at, f"{form.inside}: there is no measurement in it")
        while (n == 0 or t.take(",")) and t.peek():
            self._one(form)
            if self.is_cut:
                return self._end(form, n)
            n += 1
        if not t.peek():
            return self._end(form, n)
        t.expect(form.brackets[1], f"after this {form.what}: expected a comma or {form.brackets[1]}")
        return isinstance(form, Cache) and not t.peek()

    def _one(self, form: Form) -> None:
        t, key, v = self.text, "", None
        form.at = at = t.at
        try:
            if isinstance(form, Cache):
                key = t.name()
            t.peek()
            at = t.at
            v = t.value()
        except Cut:
            if not isinstance(form, Cache):
                raise
            self.is_cut = True
            self._check_inner(form, at)
            return
        if not form.names:
            form.head(v)
        if isinstance(form, Cache) and isinstance(v, dict) and dict in map(type, v.values()):
            self._check_inner(form, at)
        if form.of_objects and not isinstance(v, dict):
            form.fail(f"this {form.what} is not an object")
        form.measure(key, v)

    def _check_inner(self, form: Form, at: int) -> None:
        """A brace that is missing makes an entry a member of the one before."""
        depth = 0
        for m in TOKEN.finditer(self.text.text, at, self.text.end_of_value(at) or len(self.text.text)):
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(m.group(), 0)
            if depth > 1 and m.group(2) and form.names and m.group(1) == form.names[0]:
                self.text.fail(m.start(), "another entry begins within the one of line "
                               f"{self.text.place(at)[0]}: a brace is missing")

    def _end(self, form: Form, n: int) -> bool:
        """The text has ended, which may be so behind an entry of a cache or within one."""
        t = self.text
        if not isinstance(form, Cache) or not n:
            t.fail(t.at, f"the file ends here, before {'the end' if n else 'a measurement'} of `{form.inside}`")
        if self.is_cut:
            line, _ = t.place(form.at)
            form.table.say("note", f"{t.path}:{line}: the file ends within this entry, which is left out")
        return True
