"""tuner.py - files of other tuners, in JSON: members of the outermost object tell the form, one has the measurements

SPDX-License-Identifier: MIT

A cache of Kernel Tuner may end behind an entry, with or without a comma: it is open. One that ends within an entry was
cut: that entry is left out, and a note tells its line. Of other files that is an error, and so are a member twice in an
object, an entry within or outside of its place, one that disagrees with its own key, and a parameter that is missing or
neither a number nor a string. A time of 0 or of 1e19 and more is a failure, and so are null, NaN and the infinities.
"""
from typing import Optional, Tuple, Type

from . import t1
from .clblast import CLBlast
from .command import Asked
from .form import Form, Members
from .json_text import Text
from .kernel_tuner import Cache
from .ktt import KTT
from .pyatf import PyATF
from .t4 import T4
from .table import Table
from .triton_autotune import Autotune

MOST_MEMBERS = 64 # of the outermost object: those of known schemas are ten at most
UNKNOWN = "this is JSON of a schema that is unknown here: it has "
FORMS: Tuple[Type[Form], ...] = (Cache, CLBlast, T4, KTT, PyATF, Autotune)


def read(path: str, text: str, asked: Asked) -> Table:
    t = Text(path, text)
    known: Members = {}
    form: Optional[Form] = None
    if t.peek() != "{":
        t.fail(t.at, "expected {, as a file of Kernel Tuner, KTT, CLBlast, pyATF or Triton's autotuner begins")
    start = t.at + 1
    for name in t.each("{}"):
        if name == t1.SPACE:
            return t1.read(path, text)
        if name in known:
            t.fail(t.item, f"member {name} is given twice")
        if len(known) == MOST_MEMBERS:
            t.fail(t.item, f"{UNKNOWN}more than {MOST_MEMBERS} members")
        known[name] = None, t.item
        kind = next((f for f in FORMS if f.inside == name and (f.sign or name) in known), None)
        if form or not kind:
            known[name] = t.value(), known[name][1]
            continue
        form = kind(t, known, asked)
        if form.collect():
            return form.rows()
    if form is None:
        t.fail(start, UNKNOWN + "none of the members cache (of Kernel Tuner), results (T4, CLBlast), Results (KTT), "
               "tuning_parameters before history (pyATF) and configs_timings (Triton)")
    table = form.rows()
    t.end()
    return table
