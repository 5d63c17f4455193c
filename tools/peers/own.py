#!/usr/bin/env python3
# own.py - a table of timings brought by a user: kpred beside other ways to choose from it
# SPDX-License-Identifier: MIT
"""What a random sample of timings teaches, for made-up kernels whose every time is known.

  nearest   the tuples of the nearest measured problem, fastest first
  single    the tuples of the best mean share over the measured problems
  xgboost   boosted trees (XGBoost), a regression of log2(time / best time of the problem), asked for
            all legal tuples; of raw fields and of quotients, products and remainders: the better counts
  forest    a random forest (scikit-learn), the same
  kpred     init, the conditions that the kernel has, train, predict

Without conditions, xgboost and forest learn from the failures, too, how likely a tuple fails. A share
is the best time of the problem divided by the best time among the first k tuples; failures have none.
Each line is the mean over fresh problems, with the standard error over them; `behind` is the mean
difference to kpred, problem by problem, with its error.
"""
import os
import subprocess
import sys
import tempfile

from rows import ROOT, die, parser_of, print_lines, progress

try:
    import numpy as np
    import xgboost
    from sklearn.ensemble import RandomForestRegressor

    import native
    from own_kernels import KERNELS
except ImportError as missing:
    print(f"skip all: needs python3-numpy, python3-xgboost and python3-sklearn ({missing})", file=sys.stderr)
    sys.exit(0)

HEADING = "kernel,conditions,sample,method,k,share,se,ahead,ahead_se".split(",")
PLACES = (1, 4, 10)
NOISE = .02
TREES = {"n_estimators": 600, "max_depth": 8, "learning_rate": .05, "subsample": .8, "colsample_bytree": .5,
         "tree_method": "hist"}


class Sample:
    """What a user has: problems, some of the tuples of each (as indices into kernel.tuples), times."""

    def __init__(self, kernel, n_problems, n_tuples, rng):
        self.kernel = kernel
        self.problems = kernel.problems(rng, n_problems)
        self.problem_of = np.repeat(np.arange(n_problems), n_tuples)
        self.tuple_of = np.concatenate([rng.choice(len(kernel.tuples), n_tuples, replace=False)
                                        for _ in range(n_problems)])
        times = kernel.times(self.problems[self.problem_of], kernel.tuples[self.tuple_of])
        self.times = times * np.exp2(NOISE * np.log2(np.e) * rng.standard_normal(len(times)))
        self.good = np.isfinite(self.times)
        best = np.full(n_problems, np.inf)
        np.minimum.at(best, self.problem_of, self.times)
        with np.errstate(invalid="ignore"):
            self.octaves = np.log2(self.times / best[self.problem_of])

    def write(self, path):
        """As a CSV file."""
        k = self.kernel
        with open(path, "w", encoding="utf-8") as f:
            print(*[n for n, _ in k.fields + k.params], "time_us", sep=",", file=f)
            for p, t, time in zip(self.problem_of, self.tuple_of, self.times):
                cells = [str(v) if tokens is None else tokens[v]
                         for v, (_, tokens) in zip(self.problems[p], k.fields)]
                cells += [str(v) for v in k.tuples[t]]
                print(*cells, f"{time:.4f}" if np.isfinite(time) else "failed", sep=",", file=f)


# ---- peers: an order of all tuples for each fresh problem ----

def inputs(kernel, problems, tuples, rich):
    """The columns that the trees get."""
    p, t = problems.astype(float), tuples.astype(float)
    columns = list(p.T) + list(t.T)
    if not rich:
        return np.column_stack(columns)
    sizes = [p[:, i] for i, (_, tokens) in enumerate(kernel.fields) if tokens is None]
    numbers = [t[:, i] for i in range(t.shape[1])]
    for i, a in enumerate(sizes):
        columns += [a * b for b in sizes[:i]]
        for b in numbers:
            c = np.maximum(b, 1)
            columns += [a / c, np.ceil(a / c), a % c]
    for i, a in enumerate(numbers):
        for b in numbers[:i]:
            columns += [a * b, a / np.maximum(b, 1)]
    return np.column_stack(columns)


def chances(kernel, known, problem):
    """log2 of how likely each tuple works, as far as conditions or failures tell."""
    if known:
        return np.where(np.isfinite(kernel.all_times(problem)), 0, -np.inf)
    return np.zeros(len(kernel.tuples))


class Trees:
    """A regression of times and, without conditions, one of failures."""

    def __init__(self, sample, make, rich, known):
        self.kernel, self.rich, self.known = sample.kernel, rich, known
        x = inputs(self.kernel, sample.problems[sample.problem_of], self.kernel.tuples[sample.tuple_of], rich)
        self.time = make().fit(x[sample.good], sample.octaves[sample.good])
        self.works = None if known or sample.good.all() else make().fit(x, sample.good.astype(float))

    def order(self, problem):
        """All tuples, best first."""
        x = inputs(self.kernel, np.tile(problem, (len(self.kernel.tuples), 1)), self.kernel.tuples, self.rich)
        value = chances(self.kernel, self.known, problem) - self.time.predict(x)
        if self.works:
            value += np.log2(np.clip(self.works.predict(x), 1e-6, 1))
        return np.argsort(-value, kind="stable")


class Nearest:
    """The tuples of the nearest problem; of equal tokens, if there is one."""

    def __init__(self, sample, known):
        self.sample, self.known = sample, known

    def order(self, problem):
        """The tuples of one problem after the other, as far as ten go."""
        s, kernel = self.sample, self.sample.kernel
        tokens = [i for i, (_, t) in enumerate(kernel.fields) if t]
        sizes = [i for i, (_, t) in enumerate(kernel.fields) if not t]
        far = np.abs(np.log2(s.problems[:, sizes] / problem[sizes])).sum(1)
        far += 100 * (s.problems[:, tokens] != problem[tokens]).sum(1)
        may = chances(kernel, self.known, problem) == 0
        found = []
        for p in np.argsort(far, kind="stable"):
            rows = np.flatnonzero((s.problem_of == p) & s.good)
            found += [t for t in s.tuple_of[rows[np.argsort(s.times[rows])]] if may[t]]
            if len(found) >= max(PLACES):
                break
        return np.array(list(dict.fromkeys(found)))


class Single:
    """The best tuples on average: of a tuple the mean of log2(time / mean of the problem)."""

    def __init__(self, sample, known):
        self.kernel, self.known = sample.kernel, known
        n = len(self.kernel.tuples)
        mean = np.array([sample.octaves[(sample.problem_of == p) & sample.good].mean()
                         if sample.good[sample.problem_of == p].any() else 0 for p in range(len(sample.problems))])
        worth = np.where(sample.good, 0, 3.)
        worth[sample.good] = (sample.octaves - mean[sample.problem_of])[sample.good]
        count = np.bincount(sample.tuple_of, minlength=n)
        self.worth = np.bincount(sample.tuple_of, worth, n) / (count + 2)

    def order(self, problem):
        """All tuples, best first."""
        return np.argsort(self.worth - 100 * chances(self.kernel, self.known, problem), kind="stable")


class Kpred:
    """What kpred-train makes of the table."""

    def __init__(self, sample, known, program, folder, options):
        self.kernel = kernel = sample.kernel
        table, spec, header = (os.path.join(folder, f"{kernel.name}{end}") for end in (".csv", ".spec", ".h"))
        sample.write(table)
        run(program, "init", table, "--fields", ",".join(n for n, _ in kernel.fields), "-o", spec)
        if known and kernel.conditions:
            with open(spec, "a", encoding="utf-8") as f:
                print("\n[restrict]", *kernel.conditions, sep="\n", file=f)
        self.story = run(program, "train", spec, "--data", table, "-o", header, *options)
        self.library = native.load(header)
        with open(spec, encoding="utf-8") as f:
            lines = [line.partition(" = ") for line in f]
        words = {name: value.split() for name, _, value in lines}
        self.values = [[int(v) for v in words[name]] for name, _ in kernel.params]
        self.tokens = [tokens and [words[name].index(t) for t in tokens] for name, tokens in kernel.fields]

    def order(self, problem):
        """The ten best tuples."""
        asked = np.ascontiguousarray([[t[v] if t else v for v, t in zip(problem, self.tokens)]], np.int32)
        found = native.predict(self.library, asked, max(PLACES), len(self.values))[0]
        index = {tuple(t): i for i, t in enumerate(self.kernel.tuples.tolist())}
        return np.array([index[tuple(v[i] for v, i in zip(self.values, row))] for row in found if row[0] >= 0], int)


def run(program, *arguments):
    """kpred-train; what it says."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        die(f"{program} {arguments[0]}: {done.stderr.strip()}", 1)
    return done.stderr


# ---- measuring ----

def shares(kernel, problems, order):
    """Of each problem the shares for each of PLACES."""
    out = []
    for problem in problems:
        times = kernel.all_times(problem)
        found = times[order(problem)[:max(PLACES)]]
        out.append([times.min() / found[:k].min() if len(found) else 0 for k in PLACES])
    return np.array(out)


def trees(kind, rich, seed):
    """What makes an untrained ensemble."""
    if kind == "xgboost":
        return lambda: xgboost.XGBRegressor(**TREES, random_state=seed)
    return lambda: RandomForestRegressor(200, min_samples_leaf=2, max_features=.4 if rich else 1., n_jobs=-1,
                                         random_state=seed)


def methods(sample, known, options, folder):
    """(name, order) of each that is asked for."""
    for name in options.methods.split(","):
        progress(f"{sample.kernel.name} {len(sample.times)} rows: {name}")
        if name in ("xgboost", "forest"):
            for rich in (False, True):
                yield name, Trees(sample, trees(name, rich, options.seed), rich, known).order
        elif name == "kpred":
            yield name, Kpred(sample, known, options.train, folder, options.set.split()).order
        elif name in ("nearest", "single"):
            yield name, {"nearest": Nearest, "single": Single}[name](sample, known).order
        else:
            die(f"--methods: \"{name}\" is none of nearest, single, xgboost, forest, kpred")


def lines_of(kernel, known, n_tuples, options, folder):
    """A line for each method and k."""
    rng = np.random.default_rng([options.seed, n_tuples])
    sample = Sample(kernel, options.problems, n_tuples, rng)
    fresh = kernel.problems(rng, options.fresh)
    found = {}
    for name, order in methods(sample, known, options, folder):
        now = shares(kernel, fresh, order)
        if name not in found or now.mean() > found[name].mean():
            found[name] = now
    for name, all_shares in found.items():
        for k, share in zip(PLACES, all_shares.T):
            ahead = found.get("kpred", all_shares).T[PLACES.index(k)] - share
            yield [kernel.name, "told" if known else "not", str(n_tuples), name, str(k), f"{share.mean():.3f}",
                   f"{error(share):.3f}", f"{ahead.mean():+.3f}", f"{error(ahead):.3f}"]


def error(x):
    """The standard error of a mean."""
    return x.std(ddof=1) / len(x) ** .5


def main():
    """The command."""
    p = parser_of(__doc__)
    p.add_argument("--train", default=os.path.join(ROOT, "build/kpred-train"), help="kpred-train")
    p.add_argument("--kernels", default=",".join(KERNELS), help="of which kernels")
    p.add_argument("--samples", default="30,120", help="tuples a problem")
    p.add_argument("--methods", default="nearest,single,forest,xgboost,kpred")
    p.add_argument("--problems", type=int, default=300, help="that were measured")
    p.add_argument("--fresh", type=int, default=100, help="to be asked")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--csv", action="store_true", help="CSV instead of a table")
    p.add_argument("--set", default="", help="options for kpred-train train")
    options = p.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.kernels.split(","):
            for n in options.samples.split(","):
                kernel = KERNELS[name]
                lines += lines_of(kernel, bool(kernel.conditions), int(n), options, folder)
    print_lines(HEADING, lines, options)


if __name__ == "__main__":
    main()
