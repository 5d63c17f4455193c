# SPDX-License-Identifier: MIT
"""own_peers.py - the ways of own.py to choose tuples, kpred among them

Each way is made of a case (own_tables.py) and the options of own.py, and has order(problem, asked):
the tuples that it would try, best first, as indices. asked: the tuples that count and that the rule
allows, as far as it is told; hidden: how many others the rule allows.
"""
import os
import resource
import shutil
import subprocess

import numpy as np
import xgboost
from sklearn.ensemble import RandomForestRegressor

import native
from rows import die, read_sections, words

PLACES = (1, 4, 10)
TIME = "/usr/bin/time"
BEAM = 1024 # the most tuples that kpred gives
TREES = {"n_estimators": 600, "max_depth": 8, "learning_rate": .05, "subsample": .8, "colsample_bytree": .5,
         "tree_method": "hist"}
FOREST = {"n_estimators": 100, "min_samples_leaf": 2}
FOREST_ROWS = 10000 # that a tree sees; more of them take minutes and hardly help


def inputs(case, problems, tuples, rich):
    """The columns that the trees get."""
    p, t = problems.astype(float), tuples.astype(float)
    columns = list(p.T) + list(t.T)
    if not rich:
        return np.column_stack(columns)
    sizes = [p[:, i] for i, (_, names) in enumerate(case.fields) if names is None]
    numbers = [t[:, i] for i, (_, names) in enumerate(case.params) if names is None]
    for i, a in enumerate(sizes):
        columns += [a * b for b in sizes[:i]]
        for b in numbers:
            c = np.maximum(b, 1)
            columns += [a / c, np.ceil(a / c), a % c]
    for i, a in enumerate(numbers):
        for b in numbers[:i]:
            columns += [a * b, a / np.maximum(b, 1)]
    return np.column_stack(columns)


class Way:
    """What all ways have."""
    story = "" # what the training said

    def cost(self):
        """Seconds of a processor, and MiB, right after the training in a process of its own."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


class Trees(Way):
    """A regression of times and, where tuples fail that the rule allows, one of failures."""

    def __init__(self, case, make, rich):
        self.case, self.rich = case, rich
        x = inputs(case, case.problems[case.problem_of], case.tuples[case.tuple_of], rich)
        good, may = case.good, case.may
        self.time = make(good.sum(), rich).fit(x[good], case.octaves[good])
        self.works = None
        if not good[may].all():
            self.works = make(may.sum(), rich).fit(x[may], good[may].astype(float))

    def order(self, problem, asked, _hidden):
        """All tuples, best first."""
        tuples = self.case.tuples[asked]
        x = inputs(self.case, np.tile(problem, (len(tuples), 1)), tuples, self.rich)
        value = -self.time.predict(x)
        if self.works:
            value += np.log2(np.clip(self.works.predict(x), 1e-6, 1))
        return asked[np.argsort(-value, kind="stable")]


def boosted(case, options, rich):
    """Trees of XGBoost."""
    return Trees(case, lambda _n, _rich: xgboost.XGBRegressor(**TREES, n_jobs=options.threads,
                                                                   random_state=options.seed), rich)


def forest(case, options, rich):
    """Trees of scikit-learn."""
    def make(n, rich):
        return RandomForestRegressor(max_samples=min(n, FOREST_ROWS) / n, max_features=.2 if rich else 1.,
                                     n_jobs=options.threads, random_state=options.seed, **FOREST)
    return Trees(case, make, rich)


class Nearest(Way):
    """The tuples of the nearest problem; of equal names, if there is one."""

    def __init__(self, case, _options, _rich):
        self.case = case

    def order(self, problem, asked, _hidden):
        """The tuples of one problem after the other, as far as ten go."""
        case = self.case
        names = [i for i, (_, t) in enumerate(case.fields) if t]
        sizes = [i for i, (_, t) in enumerate(case.fields) if not t]
        far = np.abs(np.log2(case.problems[:, sizes] / problem[sizes])).sum(1)
        far += 100 * (case.problems[:, names] != problem[names]).sum(1)
        is_asked = np.isin(case.tuple_of, asked)
        found = []
        for p in np.argsort(far, kind="stable"):
            rows = np.flatnonzero((case.problem_of == p) & case.good & is_asked)
            found += list(case.tuple_of[rows[np.argsort(case.times[rows])]])
            if len(set(found)) >= max(PLACES):
                break
        return np.array(list(dict.fromkeys(found)), int)


class Single(Way):
    """The best tuples on average: of a tuple the mean of log2(time / mean of the problem)."""

    def __init__(self, case, _options, _rich):
        n, good, of = len(case.tuples), case.good, case.problem_of
        count = np.bincount(of[good], minlength=len(case.problems))
        mean = np.bincount(of[good], case.octaves[good], len(case.problems)) / np.maximum(count, 1)
        worth = np.full(len(of), 3.) # of a failure
        worth[good] = case.octaves[good] - mean[of[good]]
        self.worth = np.bincount(case.tuple_of, worth, n) / (np.bincount(case.tuple_of, minlength=n) + 2)

    def order(self, _problem, asked, _hidden):
        """All tuples, best first."""
        return asked[np.argsort(self.worth[asked], kind="stable")]


class Kpred(Way):
    """What kpred-train makes of the table."""

    def __init__(self, case, options, _rich):
        self.case, self.library = case, None
        table, self.spec, self.header, self.used = (os.path.join(options.folder, case.name + end)
                                                    for end in (".csv", ".spec", ".h", ".used"))
        case.write(table)
        run(options.train, "init", table, "--fields", ",".join(n for n, _ in case.fields), "-o", self.spec, "--force")
        self.tell_rule()
        timed = [TIME, "-o", self.used, "-f", "%U %S %M"] if shutil.which(TIME) else []
        self.story = run(*timed, options.train, "train", self.spec, "--data", table, "-o", self.header, "--split",
                         options.split, *options.set.split())

    def cost(self):
        """Of kpred-train alone. What Python starts has Python's size for a moment, so a small program
        has to look; without it nothing is known."""
        if not os.path.exists(self.used):
            return float("nan"), float("nan")
        with open(self.used, encoding="utf-8") as f:
            user, system, kib = map(float, f.read().split())
        return user + system, kib / 1024

    def tell_rule(self):
        """Into the spec, as far as it is known."""
        with open(self.spec, encoding="utf-8") as f:
            text = f.read()
        if self.case.listed_by:
            text = text.replace("[kernel]\n", f"[kernel]\nrule = listed\nlisted_by = {self.case.listed_by}\n", 1)
        elif self.case.restrict:
            text += "\n".join(["\n[restrict]", *self.case.restrict, ""])
        with open(self.spec, "w", encoding="utf-8") as f:
            f.write(text)

    def load(self):
        """The header as a library, and what its values and names are."""
        self.library = native.load(self.header)
        sections = read_sections(self.spec)
        fields, params = ({name: words(v) for name, v in sections[s]} for s in ("fields", "params"))
        self.values = [[names.index(v) if names else int(v) for v in params[name]] for name, names in self.case.params]
        self.names = [names and [fields[name].index(n) if n in fields[name] else -1 for n in names]
                      for name, names in self.case.fields]
        self.index = {tuple(t): i for i, t in enumerate(self.case.tuples.tolist())}

    def order(self, problem, asked, hidden):
        """The best tuples; one that nobody knows is -1, and those that do not count are left out."""
        if not self.library:
            self.load()
        problem = np.ascontiguousarray([[n[v] if n else v for v, n in zip(problem, self.names)]], np.int32)
        k = min(BEAM, max(PLACES) + hidden)
        found = native.predict(self.library, problem, k, len(self.values))[0]
        tuples = [self.index.get(tuple(v[i] for v, i in zip(self.values, row)), -1) for row in found if row[0] >= 0]
        counts = set(asked.tolist()) | {-1}
        return np.array([t for t in tuples if t in counts], int)


class Ruleless(Kpred):
    """The same without the rule, which only the failures tell; what breaks it counts as a failure."""

    def tell_rule(self):
        """Nothing."""

    def order(self, problem, asked, hidden):
        """The best tuples; -1 for one that does not count."""
        counts = set(asked.tolist())
        found = super().order(problem, np.arange(len(self.case.tuples)), hidden)
        return np.array([t if t in counts else -1 for t in found], int)


def run(*command):
    """A command; what it says."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        die(f"{' '.join(command)}: {done.stderr.strip()}", 1)
    return done.stderr


# Of a way, what makes it, and whether it looks at raw inputs, at rich ones, or at either.
WAYS = {"nearest": (Nearest, [False]), "single": (Single, [False]), "forest": (forest, [False, True]),
        "xgboost": (boosted, [False, True]), "kpred": (Kpred, [False]), "ruleless": (Ruleless, [False])}
