"""triton_autotune.py - the autotune cache of Triton, NAME.autotune.json

SPDX-License-Identifier: MIT

The file has the values of the arguments that `key=` names and then a type for each tensor, but no names; so who reads
it gives these. An argument that a call leaves at its default is not among the values, which are counted for that reason.
Values and types become parameters of the same value throughout.
"""
from typing import Any, Dict, List, NoReturn, Tuple

from .form import MS, Form, items, members
from .json_text import scalar

TYPES = "types" # as a field they may differ from file to file
MOST_KEYWORDS = 32
_OF_CODE = ("kwargs", "pre_hook")


def _types_of(key: List[Any]) -> Tuple[str, int]:
    """The types, without torch., and one alone where all are the same; how many values stand before"""
    n = len(key)
    while n > 0 and isinstance(key[n - 1], str) and key[n - 1].startswith("torch."):
        n -= 1
    types = [v.partition(".")[2] for v in key[n:]] or ["none"]
    return types[0] if len(set(types)) == 1 else "_".join(types), n


def _field_value(v: Any) -> Any:
    """A value of a key as a field has it: what is no integer is a name."""
    if isinstance(v, float):
        return int(v) if v.is_integer() and abs(v) <= 1e15 else f"_{scalar(v)}"
    return "none" if v is None else v


def _named(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


class Autotune(Form):
    kind, inside, what, of_objects = "Triton autotune cache", "configs_timings", "configuration", False

    def head(self, first: Any) -> None:
        key = self.member("key")
        if not isinstance(key, list):
            self.fail("there is no list `key` before this configuration")
        config = self._all_names(first)
        self.key = self._name_values(key, config)
        self.all = {**self.key, **config}
        name, dot, _ = self.text.path.rpartition("/")[2].partition(".autotune.json") # the function's
        self.say_head(list(self.all), name if dot else "")

    # ---- configurations ----

    def _keywords(self, v: Any) -> Dict[str, Any]:
        kwargs = members(items(v)[0]).get("kwargs") if items(v) else None
        if not isinstance(kwargs, dict):
            self.fail("this configuration has no object `kwargs`")
        return kwargs

    def _all_names(self, first: Any) -> Dict[str, Any]:
        """All keywords, and all members that are not null in each configuration. What is null in each, as maxnreg
        mostly is, is no parameter."""
        keywords, others, counts = {}, {}, [] # type: Dict[str, Any], Dict[str, Any], List[int]
        self._keywords(first)
        for _, _, v in reversed(self.entries):
            config = members(items(v)[0]) if items(v) else {}
            kwargs = members(config.get("kwargs"))
            counts.append(len(kwargs))
            for name, one in kwargs.items():
                keywords.setdefault(name, one)
            others.update((name, one) for name, one in config.items() if name not in _OF_CODE and one is not None)
        lack = sum(n < len(keywords) for n in counts) if len(keywords) < MOST_KEYWORDS else 0
        if lack:
            self.table.say("note", f"{self.text.path}: {_named(lack, 'configuration lacks', 'configurations lack')} a "
                           "keyword that others have: there it is none")
        keywords = {name: "none" if one is None else one for name, one in keywords.items()}
        return {**keywords, **{name: one for name, one in others.items() if name not in keywords}}

    def _flat(self, v: Any) -> Dict[str, Any]:
        """The key with its names, and the tuple. Where a member is a number in another configuration, null is 0: no
        limit. What a configuration lacks else, or has as null, is `none`."""
        flat = {**self.key, **self._keywords(v)}
        for name, one in members(v[0]).items():
            if name in self.all and name not in _OF_CODE and not (one is None and isinstance(self.all[name], str)):
                flat[name] = 0 if one is None else one
        return {**flat, **{name: "none" for name in self.all if flat.get(name) is None}}

    # ---- the key ----

    def _name_values(self, key: List[Any], config: Dict[str, Any]) -> Dict[str, Any]:
        names = [name for name in self.asked.names if name not in config]
        types, n = _types_of(key)
        fields = [name for name in names if name != TYPES]
        if len(fields) != n:
            self._wrong_count(n, fields)
        if TYPES not in names: # two files of other types are two problems
            line, column = self.text.place(self.members["key"][1])
            self.table.say("types", types, str(line), str(column))
        values = dict(zip(fields, map(_field_value, key)))
        return {name: types if name == TYPES else values[name] for name in names}

    def _wrong_count(self, n: int, fields: List[str]) -> NoReturn:
        has = f"key: has {_named(n, 'value', 'values')} "
        self.fail(has + ("without names: --fields A,B,... names them, in the order of the kernel's `key=`" if not fields
                         else f"before the tensors' types, but there are {len(fields)} names ({', '.join(fields)}): an "
                         "argument that a call leaves at its default has no value in a key"), "key")

    # ---- rows ----

    def measure(self, key: str, v: Any) -> None:
        if len(items(v)) != 2:
            self.fail("this configuration is not a pair with its times")
        values = self.all_values(self._flat(v))
        if v[1] == []:
            self.fail("there is no time in this configuration")
        # the median of a list, or what a benchmark of the user's own gave alone
        self.add(values, self.time("time", v[1][0] if isinstance(v[1], list) else v[1], MS))
