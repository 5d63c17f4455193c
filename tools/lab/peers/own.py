#!/usr/bin/env python3
# own.py - a table of timings brought by a user: kpred beside other ways to choose from it
# SPDX-License-Identifier: MIT
"""What a random sample of timings teaches: kpred beside regressions and simpler ways.

  nearest   the tuples of the nearest measured problem, fastest first
  single    the tuples of the best mean share over the measured problems
  forest    a random forest (scikit-learn), a regression of log2(time / best time of the problem), asked
            for all tuples; of raw fields and of quotients, products and remainders: the better counts
  xgboost   boosted trees (XGBoost), the same
  kpred     init, the rule as far as it is known, train, predict
  ruleless  kpred without the rule; not among the --methods unless it is named
  forest_hand, xgboost_hand, kpred_hand
            the same with the formulas of the kernel's author, which kpred has in [formulas]; of made-up
            kernels alone

Forests and xgboost learn from the failures, too, how likely a tuple fails. The tables:

  own_KERNEL_GRID_T_P
                    a made-up kernel, T tuples of each of P problems; other problems are asked for all
                    tuples, in sets: own_kinds.py says what the grids and the sets are. Of the least kernel,
                    --tables own_norm --grids powers --samples 30 --problems 20 takes a minute or two
  fmoe_problem      AITER's kernels of fused mixtures of experts; each problem is left out once
  fmoe_shape        the same; each shape is left out once, with all its problems
  gemm_nn, gemm_nt, gemm_tn
                    MI100's GEMM of Tensile, a layout each, a twentieth of the kernels a problem; each
                    problem is left out once and asked for all kernels
  hub_convolution, hub_dedispersion
                    Kernel Tuner's public tables, a twentieth of the tuples of each GPU; asked for the
                    others. One draw of the sample is one case, and a draw's share is the mean over GPUs
  opencl            a matrix product in OpenCL: what a tuner measured, asked for ten other shapes
  own_KERNEL, own   a set in the mean over the tables of a kernel, and of all made-up ones
  all               the mean over all lines of the tables before

A share is the best time of the problem divided by the best time among the first k tuples; failures
have none, and tuples that nobody measured are passed over. A line is the mean over n problems (or
draws) with its standard error. `ahead` is how far kpred is ahead of that way on average, problem by
problem, with its error; of forest_hand and xgboost_hand it is how far kpred_hand is. `best` marks the
best at that k of the others with formulas, and of those without. cpu_s and mib are the processor time and
the most memory of a training; those of kpred are kpred-train's, those of the others include Python.

With --kept FILE a run that was ended goes on: the file keeps the shares of each training, those of kpred for
this very kpred-train. Parts of a run (--tables) keep a file each, and `cat` joins these. A run of all
--tables with the joined file prints the means of all; with --csv, all lines.

Needs python3-numpy, python3-xgboost and python3-sklearn; the real tables need the folder --shared.
Where these are missing, the tables are skipped with a message.
"""
import functools
import hashlib
import json
import multiprocessing
import os
import re
import resource
import shutil
import sys
import tempfile

from rows import ROOT, chosen, die, parser_of, print_csv, progress, read_sections, run, words

try:
    import numpy as np
    import xgboost
    from sklearn.ensemble import RandomForestRegressor

    import native
    from own_kinds import GRIDS, SETS, by_hand
    from own_lines import HEADING, OURS, PLACES, error, is_hand, pools, print_summary, set_lines
    from own_tables import Missing, tables
except ImportError as missing:
    print(f"skip all: needs python3-numpy, python3-xgboost and python3-sklearn ({missing})", file=sys.stderr)
    sys.exit(0)

TIME = "/usr/bin/time"
BEAM = 1024 # the most tuples that kpred gives
TREES = {"n_estimators": 600, "max_depth": 8, "learning_rate": .05, "subsample": .8, "colsample_bytree": .5,
         "tree_method": "hist"}
FOREST = {"n_estimators": 100, "min_samples_leaf": 2}
FOREST_ROWS = 10000 # that a tree sees; more of them take minutes and hardly help


# ---- the ways to choose tuples, kpred among them ----
#
# Each is made of a case (own_tables.py) and the options, and has order(problem, asked, hidden): the tuples
# that it would try, best first, as indices. asked: the tuples that count and that the rule allows, as far
# as it is told; hidden: how many others the rule allows.

def inputs(case, problems, tuples, rich, formulas=()):
    """The columns that the trees get."""
    p, t = problems.astype(float), tuples.astype(float)
    columns = list(p.T) + list(t.T)
    names = [name for name, _ in case.fields + case.params]
    columns += by_hand(formulas, dict(zip(names, np.hstack([problems, tuples]).T)))
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

    def __init__(self, case, make, rich, hand):
        self.case, self.rich, self.formulas = case, rich, case.formulas if hand else ()
        x = self.inputs(case.problems[case.problem_of], case.tuples[case.tuple_of])
        good, may = case.good, case.may
        self.time = make(good.sum(), rich).fit(x[good], case.octaves[good])
        self.works = None
        if not good[may].all():
            self.works = make(may.sum(), rich).fit(x[may], good[may].astype(float))

    def inputs(self, problems, tuples):
        """Its columns."""
        return inputs(self.case, problems, tuples, self.rich, self.formulas)

    def order(self, problem, asked, _hidden):
        """All tuples, best first."""
        x = self.inputs(np.tile(problem, (len(asked), 1)), self.case.tuples[asked])
        value = -self.time.predict(x)
        if self.works:
            value += np.log2(np.clip(self.works.predict(x), 1e-6, 1))
        return asked[np.argsort(-value, kind="stable")]


def boosted(case, options, rich, hand=False):
    """Trees of XGBoost."""
    return Trees(case, lambda _n, _rich: xgboost.XGBRegressor(**TREES, n_jobs=options.threads,
                                                                   random_state=options.seed), rich, hand)


def forest(case, options, rich, hand=False):
    """Trees of scikit-learn."""
    def make(n, rich):
        return RandomForestRegressor(max_samples=min(n, FOREST_ROWS) / n, max_features=.2 if rich else 1.,
                                     n_jobs=options.threads, random_state=options.seed, **FOREST)
    return Trees(case, make, rich, hand)


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

    def __init__(self, case, options, _rich, hand=False):
        self.case, self.library = case, None
        table, self.spec, self.header, self.used = (os.path.join(options.folder, case.name + end)
                                                    for end in (".csv", ".spec", ".h", ".used"))
        case.write(table)
        told = run(options.train, "init", table, "--fields", ",".join(n for n, _ in case.fields), "-o", self.spec,
                   "--force").stderr
        self.tokens = dict(re.findall(r": gpu: (\S+) is (\S+)$", told, re.M)) # what the spec has for a GPU's name
        self.tell_rule()
        if hand:
            self.tell_formulas()
        timed = [TIME, "-o", self.used, "-f", "%U %S %M"] if shutil.which(TIME) else []
        self.story = run(*timed, options.train, "train", self.spec, "--data", table, "-o", self.header, "--split",
                         options.split, *options.set.split()).stderr

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

    def tell_formulas(self):
        """Into the spec."""
        with open(self.spec, "a", encoding="utf-8") as f:
            print("\n[formulas]", *map(" = ".join, self.case.formulas), sep="\n", file=f)

    def load(self):
        """The header as a library, and what its values and names are."""
        self.library = native.load(self.header)
        sections = read_sections(self.spec)
        fields, params = ({name: words(v) for name, v in sections[s]} for s in ("fields", "params"))
        self.values = [[names.index(v) if names else int(v) for v in params[name]] for name, names in self.case.params]
        self.names = [names and [fields[name].index(t) if t in fields[name] else -1
                                 for t in (self.tokens.get(n, n) for n in names)] for name, names in self.case.fields]
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


# Of a way, what makes it, and whether it looks at raw inputs, at rich ones, or at either.
WAYS = {"nearest": (Nearest, [False]), "single": (Single, [False]), "forest": (forest, [False, True]),
        "forest_hand": (functools.partial(forest, hand=True), [False, True]), "xgboost": (boosted, [False, True]),
        "xgboost_hand": (functools.partial(boosted, hand=True), [False, True]), "kpred": (Kpred, [False]),
        "kpred_hand": (functools.partial(Kpred, hand=True), [False]), "ruleless": (Ruleless, [False])}


# ---- one way on one case ----

def shares(case, order):
    """Of each problem the shares for each of PLACES."""
    out = []
    for problem, times, may in case.fresh:
        counts = ~np.isnan(times)
        asked = np.flatnonzero(counts & may)
        tried = order(problem, asked, (may & ~counts).sum())[:max(PLACES)]
        found = np.append(times, np.inf)[tried] # -1 fails
        out.append([times[asked].min() / found[:k].min() if len(found) else 0 for k in PLACES])
    return np.array(out)


def measure(case, options, name, rich, to):
    """In a process of its own: shares, processor time and memory of the training, and what it said."""
    way = WAYS[name][0](case, options, rich)
    cost = way.cost()
    to.send((shares(case, way.order), cost, way.story))


def measured(case, options, name, rich):
    """What measure() sends."""
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(False)
    child = fork.Process(target=measure, args=(case, options, name, rich, there))
    child.start()
    there.close()
    try:
        return here.recv()
    except EOFError:
        die(f"{case.name}: {name} ended early", 1)
    finally:
        child.join()


def key_of(options, table, at, name, rich):
    """What the shares of a way on a case of a table depend on, as JSON."""
    told = [options.program, options.split, options.set] if name in OURS else []
    return json.dumps([table, at, name, rich, options.seed, options.folds, options.fresh, options.sets, *told])


def hash_of(path):
    """Of a program."""
    try:
        with open(path, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()
    except OSError as e:
        die(f"--train: {path}: {e.strerror}")


def read_kept(path):
    """By key, what the file has of an earlier run."""
    found = {}
    if path and os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            for at, text in enumerate(f, 1):
                try:
                    key, share, cost = json.loads(text)
                except (TypeError, ValueError):
                    die(f"{path}:{at}: expected what --kept writes: remove the line")
                found[json.dumps(key)] = np.array(share), cost, ""
    return found


def kept(case, options, key, name, rich):
    """What measured() gives, or the file has."""
    if key not in options.known:
        options.known[key] = measured(case, options, name, rich)
        if options.kept:
            share, cost, _ = options.known[key]
            with open(options.kept, "a", encoding="utf-8") as f:
                print(json.dumps([json.loads(key), share.tolist(), cost]), file=f)
    return options.known[key]


def log(options, text):
    """Into --log, at once."""
    if options.log:
        with open(options.log, "a", encoding="utf-8") as f:
            print(text, file=f)


# ---- one table ----

class Table:
    """By set the shares of each way on the problems of all cases, and what its trainings cost."""

    def __init__(self, name, cases, options):
        self.name, self.share, self.cost = name, {}, {}
        every = {}
        for at, case in enumerate(cases()):
            for way, rich in [(way, rich) for way in options.methods for rich in WAYS[way][1]]:
                if case.formulas or not is_hand(way):
                    progress(f"{name}: {len(case.times)} rows: {way}")
                    for set_name, *part in self.parts(case, at, options, way, rich):
                        every.setdefault((set_name, way, rich), []).append(part)
        for (set_name, way, _), parts in every.items():
            share = np.concatenate([s for s, _ in parts])
            of = self.share.setdefault(set_name, {})
            if way not in of or share.mean() > of[way].mean():
                of[way] = share
                self.cost[way] = np.mean([c for _, c in parts], 0)

    def parts(self, case, at, options, way, rich):
        """Of each set the shares of a way on one case, and the cost."""
        share, cost, story = kept(case, options, key_of(options, self.name, at, way, rich), way, rich)
        log(options, f"{self.name} {way} {'rich' if rich else 'raw'}: {len(case.times)} rows, {cost}\n{story}")
        for set_name in dict.fromkeys(case.sets):
            part = share[[s == set_name for s in case.sets]]
            log(options, f"{set_name}: {len(part)} problems, {part.mean(0)} +- {error(part)}")
            yield set_name, part.mean(0, keepdims=True) if self.name.startswith("hub_") else part, cost

    def lines(self):
        """A line for each set, way and place."""
        for set_name, of in self.share.items():
            yield from set_lines(self.name, set_name, of, self.cost)


# ---- the command ----

def parse():
    """The command line."""
    p = parser_of(__doc__)
    p.add_argument("--train", default=os.path.join(ROOT, "build/kpred-train"), help="kpred-train")
    p.add_argument("--shared", default=os.path.join(ROOT, "../shared"), help="the folder of the real tables")
    p.add_argument("--tables", default="", help="those whose names begin so, with commas; default: all")
    p.add_argument("--samples", default="30,60,120", help="tuples a problem of made-up kernels")
    p.add_argument("--methods", default=",".join(w for w in WAYS if w != "ruleless"))
    p.add_argument("--problems", default="20,60,220", help="of made-up kernels that were measured, taken in turns")
    p.add_argument("--grids", default=",".join(GRIDS), help="what sizes these have")
    p.add_argument("--sets", default=",".join(SETS), help="what made-up kernels are asked")
    p.add_argument("--fresh", type=int, default=40, help="problems of a set")
    p.add_argument("--folds", type=int, default=3, help="in which problems are left out")
    p.add_argument("--draws", type=int, default=30, help="samples of the hub's tables")
    p.add_argument("--threads", type=int, default=1, help="of forest and xgboost")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--split", default="none", help="which problems kpred-train keeps from training")
    p.add_argument("--set", default="", help="options for kpred-train train")
    p.add_argument("--log", help="a file for what each training says, and for its shares, as they come")
    p.add_argument("--kept", help="a file that keeps what was measured, for a run that goes on")
    p.add_argument("--csv", action="store_true", help="all lines, as CSV, instead of means")
    options = p.parse_args()
    if not os.path.exists(os.path.join(os.path.dirname(options.train), "../tools/python")): # kpred-train was copied
        os.environ.setdefault("KPRED_IMPORTERS", os.path.join(ROOT, "tools/python/kpred"))
    for name, known in ("methods", WAYS), ("grids", GRIDS), ("sets", SETS):
        setattr(options, name, chosen(name, getattr(options, name), known))
    for name in "samples", "problems":
        numbers = getattr(options, name).split(",")
        if not all(x.isdigit() and int(x) > 0 for x in numbers):
            die(f"--{name} \"{getattr(options, name)}\": expected positive integers with commas between them")
        setattr(options, name, [int(x) for x in numbers])
    return options


def asked_for(options):
    """The tables of --tables."""
    starts = tuple(options.tables.split(","))
    found = [(name, cases) for name, cases in tables(options) if name.startswith(starts)]
    if not found:
        die(f"--tables: \"{options.tables}\" begins none of {', '.join(name for name, _ in tables(options))}")
    return found


def main():
    """Lines of all tables, and of all together."""
    options = parse()
    found, skipped, options.known, options.program = [], 0, read_kept(options.kept), hash_of(options.train)
    with tempfile.TemporaryDirectory() as options.folder:
        for name, cases in asked_for(options):
            try:
                found.append(Table(name, cases, options))
            except Missing as e:
                print(f"skip {name}: needs {e}", file=sys.stderr)
                skipped += 1
    progress("")
    lines = [cells for table in found for cells in table.lines()]
    if lines and options.csv:
        print_csv(HEADING, [*lines, *pools(lines)])
    elif lines:
        print_summary([*lines, *pools(lines)])
    print(f"{len(found)} tables, {skipped} skipped", file=sys.stderr)


if __name__ == "__main__":
    main()
