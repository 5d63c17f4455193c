"""init.py - what a spec of `kpred-train init` should say, by Python's own reading of the files
SPDX-License-Identifier: MIT

usage: init.py SPEC [FILE...]

The files are a T1 input, cache files of Kernel Tuner and T4 results. The parameters have to have the
values that Python's eval finds in T1, or those of the caches; the section [restrict] has to be T1's
conditions; and the last line has to count the tuples as an enumeration does.
"""
import bz2
import gzip
import itertools
import json
import math
import shlex
import sys

OPENERS = {"bz2": bz2.open, "gz": gzip.open}
MOST = 100000  # combinations that are tried
SAFE = {"__builtins__": {}, "range": range, "list": list, "tuple": tuple}


def read_json(path):
    with OPENERS.get(path.rsplit(".", 1)[1], open)(path, "rt", encoding="utf-8-sig") as f:
        return json.load(f)


def read_spec(path):
    sections, lines = {}, []
    with open(path) as f:
        for line in map(str.strip, f):
            if line.startswith("["):
                lines = sections.setdefault(line[1:-1], [])
            elif line and not line.startswith("#"):
                lines.append(line)
            last = line
    return sections, last


def text(value):
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        return "%.15g" % value
    return str(value)


def value_of(word):
    try:
        return int(word) if str(int(word)) == word else word
    except ValueError:
        return word


def in_order(values):
    values = list(dict.fromkeys(values))
    return sorted(values, key=int) if all(isinstance(value_of(v), int) for v in values) else values


def measured(data):
    """Tuples as dictionaries of texts, those that were rejected left out; and all values seen."""
    if "cache" in data:
        rows = [(e, e["time"] != "InvalidConfig") for e in data["cache"].values()]
        names = data["tune_params_keys"]
    else:
        rows = [(e["configuration"], e["invalidity"] != "constraints") for e in data["results"]]
        names = list(rows[0][0])
    return [({n: text(e[n]) for n in names}, good) for e, good in rows]


def is_legal(row, conditions):
    names = {k: value_of(v) for k, v in row.items()}
    return all(eval(c, {"__builtins__": {}, "min": min, "max": max, "abs": abs}, names) for c in conditions)


def count(params, conditions, rows):
    """The line that counts the tuples, by trying each; None: there are too many"""
    conditions = [compile(c.strip(), "", "eval") for c in conditions]
    legal = math.prod(map(len, params.values()))
    if conditions and legal > MOST:
        return None
    if conditions:
        legal = sum(is_legal(dict(zip(params, t)), conditions) for t in itertools.product(*params.values()))
    seen = {tuple(row.get(n, params[n][0]) for n in params) for row in rows}
    good = sum(all(v in params[n] for n, v in zip(params, t)) and is_legal(dict(zip(params, t)), conditions)
               for t in seen)
    return "rule: %d legal, %d measured, %d unmeasured, %d illegal" % (legal, len(seen), legal - good, len(seen) - good)


def main():
    sections, last = read_spec(sys.argv[1])
    fixed, domain, conditions, rows = None, {}, [], []
    for path in sys.argv[2:]:
        data = read_json(path)
        space = data.get("ConfigurationSpace")
        if space:
            fixed = {p["Name"]: [text(v) for v in eval(p["Values"], SAFE)] for p in space["TuningParameters"]}
            conditions = [c["Expression"] for c in space["Conditions"]]
            continue
        for name, values in data.get("tune_params", {}).items():
            domain.setdefault(name, []).extend(map(text, values))
        for row, good in measured(data):
            for name, value in row.items():
                domain.setdefault(name, []).append(value)
            rows += [row] if good else []
    expected = {name: in_order(values) for name, values in (fixed or domain).items()}
    params = {k.strip(): shlex.split(v) for k, v in (line.split("=", 1) for line in sections["params"])}
    line = count(expected, conditions, rows)
    wrong = 0
    for what, got, want in (("params", list(params.items()), list(expected.items())),
                            ("restrict", sections.get("restrict", []), conditions), ("rule", last, f"# {line}")):
        if got != want and (what != "rule" or line):
            print(f"{what}: {got}, not {want}")
            wrong = 1
    return wrong


sys.exit(main())
