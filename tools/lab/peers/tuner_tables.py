# SPDX-License-Identifier: MIT
"""tuner_tables.py - full tables of other tuners, read on their own, and searches on them

Reads cache files of Kernel Tuner, packed or not. This reader shares no code with kpred's, so that each
can be checked by the other. Needs only the standard library.

A configuration is a tuple of indices, one for each parameter that has more than one value. Values
that are numbers are in ascending order.
"""
import json
import math
import zlib

from rows import die, open_text

FAILED = math.inf  # the time of a configuration that failed
FAILED_MS = 1e19   # what old versions of Kernel Tuner write for one is larger


# ---- files ----

def read_json(path):
    """The outermost object of a file."""
    try:
        with open_text(path) as f:
            found = json.load(f)
    except (OSError, EOFError, ValueError, zlib.error) as e:
        die(f"{path}: {getattr(e, 'strerror', None) or e}", 1)
    if not isinstance(found, dict):
        die(f"{path}: is not a JSON object", 1)
    return found


def time_of(value):
    """In ms; words and huge numbers stand for a failure."""
    return value if isinstance(value, (int, float)) and 0 < value < FAILED_MS else FAILED


def measurements(path):
    """(texts of the values by name, time in ms) of all entries"""
    file = read_json(path)
    if "cache" not in file:
        die(f"{path}: has no cache: it is not a table of Kernel Tuner", 1)
    try:
        return [({name: str(entry[name]) for name in file["tune_params_keys"]}, time_of(entry["time"]))
                for entry in file["cache"].values()]
    except (KeyError, TypeError, AttributeError) as e:
        die(f"{path}: cache: is not as expected ({type(e).__name__}: {e})", 1)


# ---- tables ----

def in_order(texts):
    """Distinct values: numbers by size, others as they came."""
    values = list(dict.fromkeys(texts))
    try:
        return sorted(values, key=float)
    except ValueError:
        return values


class Table:
    """All configurations of a problem in the file's order, and their times. One that comes twice
    was measured again: the shorter time counts."""

    def __init__(self, path):
        found = measurements(path)
        if not found:
            die(f"{path}: has no configuration", 1)
        self.path, self.names = path, list(found[0][0])
        values = {name: in_order(texts[name] for texts, _ in found) for name in self.names}
        self.names = [name for name in self.names if len(values[name]) > 1]
        self.values = [values[name] for name in self.names]
        index = [{text: i for i, text in enumerate(v)} for v in self.values]
        self.time = {}
        for texts, time in found:
            config = tuple(i[texts[name]] for i, name in zip(index, self.names))
            self.time[config] = min(time, self.time.get(config, FAILED))
        self.configs = list(self.time)
        self.best = min(self.time.values())
        if self.best == FAILED:
            die(f"{path}: each of its {len(self.configs)} configurations failed", 1)

    def along(self, config, param):
        """Legal configurations that differ in this parameter alone."""
        changed = (config[:param] + (i,) + config[param + 1:] for i in range(len(self.values[param])))
        return [c for c in changed if c in self.time and c != config]

    def neighbours(self, config):
        """Legal ones that differ in one parameter."""
        return [c for param in range(len(config)) for c in self.along(config, param)]

    def keys(self, names):
        """The texts of some parameters' values, of each configuration."""
        texts = [(at, self.values[at]) for at in map(self.names.index, names)]
        return [tuple(values[config[at]] for at, values in texts) for config in self.configs]

    def times_of(self, other):
        """What another table says of each configuration, by the parameters that both have; None:
        nothing. What only the other one has may be set as it likes: the best counts."""
        common = [name for name in self.names if name in other.names]
        if not common:
            die(f"--data {other.path}: has no parameter of {self.path}: the tables are of one kernel", 1)
        best = {}
        for key, time in zip(other.keys(common), other.time.values()):
            best[key] = min(time, best.get(key, FAILED))
        return [best.get(key) for key in self.keys(common)]


# ---- a search on a table ----

class Done(Exception):
    """The budget is spent, or the best configuration is found."""


class Stuck(Exception):
    """A strategy asks again and again for what it has measured."""


PATIENCE = 1000 # such questions in a row


class Search:
    """What a strategy measures, and what has come of it. As in `kpred-train tune --replay`, a
    failure counts as a measurement, and what is asked for again is known and does not count."""

    def __init__(self, table, budget, rng, others=()):
        self.table, self.budget, self.rng, self.others = table, budget, rng, others
        self.time = {}      # of what was measured, in this order
        self.best = FAILED
        self.evals = [budget, budget] # until within 5 and 1 percent
        self.known = 0      # questions since the last measurement

    def measure(self, config):
        """The time of a legal configuration."""
        if config in self.time:
            self.known += 1
            if self.known > PATIENCE:
                raise Stuck
            return self.time[config]
        self.known = 0
        self.time[config] = time = self.table.time[config]
        self.best = min(self.best, time)
        for i, within in enumerate((1.05, 1.01)):
            if self.best <= within * self.table.best:
                self.evals[i] = min(self.evals[i], len(self.time))
        if len(self.time) >= self.budget or self.best <= self.table.best:
            raise Done
        return time

    def any(self):
        """A random legal configuration."""
        return self.rng.choice(self.table.configs)

    def untried(self):
        """Legal ones that were not measured; there are some, else the best would be found."""
        return [config for config in self.table.configs if config not in self.time]

    def share(self):
        """Of the speed of the best."""
        return self.table.best / self.best
