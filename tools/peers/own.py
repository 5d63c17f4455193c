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

forest and xgboost learn from the failures, too, how likely a tuple fails. The tables:

  own_KERNEL_N      a made-up kernel, N tuples a problem; fresh problems are asked for all tuples
  fmoe_problem      AITER's kernels of fused mixtures of experts; each problem is left out once
  fmoe_shape        the same; each shape is left out once, with all its problems
  gemm_nn, gemm_nt, gemm_tn
                    MI100's GEMM of Tensile, a layout each, a twentieth of the kernels a problem; each
                    problem is left out once and asked for all kernels
  hub_convolution, hub_dedispersion
                    Kernel Tuner's public tables, a twentieth of the tuples of each GPU; asked for the
                    others. One draw of the sample is one case, and a draw's share is the mean over GPUs
  opencl            a matrix product in OpenCL: what a tuner measured, asked for ten other shapes
  all               the mean over the tables before

A share is the best time of the problem divided by the best time among the first k tuples; failures
have none, and tuples that nobody measured are passed over. A line is the mean over n problems (or
draws) with its standard error. `ahead` is how far kpred is ahead of that way on average, problem by
problem, with its error; `best` marks the best of the others at that k. cpu_s and mib are the processor
time and the most memory of a training; those of kpred are kpred-train's, those of the others include
Python.

Needs python3-numpy, python3-xgboost and python3-sklearn; the real tables need the folder --shared.
Where these are missing, the tables are skipped with a message.
"""
import csv
import multiprocessing
import os
import sys
import tempfile

from rows import ROOT, die, parser_of, print_lines, progress

try:
    import numpy as np

    from own_peers import PLACES, WAYS
    from own_tables import Missing, tables
except ImportError as missing:
    print(f"skip all: needs python3-numpy, python3-xgboost and python3-sklearn ({missing})", file=sys.stderr)
    sys.exit(0)

HEADING = "table,n,method,k,share,se,ahead,ahead_se,best,cpu_s,mib".split(",")


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


def log(options, text):
    """Into --log, at once."""
    if options.log:
        with open(options.log, "a", encoding="utf-8") as f:
            print(text, file=f)


# ---- one table ----

class Table:
    """The shares of each way on the problems of all cases, and what its trainings cost."""

    def __init__(self, name, cases, options):
        self.name, self.share, self.cost = name, {}, {}
        every = {}
        for case in cases():
            for way in options.methods:
                for rich in WAYS[way][1]:
                    progress(f"{name}: {len(case.times)} rows: {way}")
                    share, cost, story = measured(case, options, way, rich)
                    log(options, f"{name} {way} {'rich' if rich else 'raw'}: {len(case.times)} rows, {len(share)} "
                                 f"problems, {share.mean(0)}, {cost}\n{story}")
                    share = share.mean(0, keepdims=True) if name.startswith("hub_") else share
                    every.setdefault((way, rich), []).append((share, cost))
        for (way, _), parts in every.items():
            share = np.concatenate([s for s, _ in parts])
            if way not in self.share or share.mean() > self.share[way].mean():
                self.share[way] = share
                self.cost[way] = np.mean([c for _, c in parts], 0)

    def best(self, at):
        """The best way but kpred at a place."""
        others = [way for way in self.share if way not in ("kpred", "ruleless")]
        return max(others, key=lambda way: self.share[way][:, at].mean(), default=None)

    def lines(self):
        """A line for each way and place."""
        for way, shares_of in self.share.items():
            for at, k in enumerate(PLACES):
                share = shares_of[:, at]
                ahead = self.share.get("kpred", shares_of)[:, at] - share
                yield line(self.name, len(share), way, k, [share.mean(), error(share), ahead.mean(), error(ahead)],
                           way == self.best(at), self.cost[way])


def error(x):
    """The standard error of a mean; of a single number there is none."""
    return x.std(ddof=1) / len(x) ** .5 if len(x) > 1 else 0.


def line(table, n, way, k, figures, is_best, cost):
    """The cells of a line."""
    share, se, ahead, ahead_se = figures
    return [table, str(n), way, str(k), f"{share:.3f}", f"{se:.3f}", f"{ahead:+.3f}", f"{ahead_se:.3f}",
            "yes" if is_best else "-", *("-" if np.isnan(x) else f"{x:.0f}" for x in cost)]


# ---- all tables ----

def earlier(path, names):
    """The lines that an earlier run wrote, of other tables."""
    with open(path, encoding="utf-8", newline="") as f:
        heading, *lines = csv.reader(f)
    if heading != HEADING:
        die(f"{path}: columns {','.join(heading)}: expected {','.join(HEADING)}")
    return [cells for cells in lines if cells[0] not in [*names, "all"]]


def pooled(lines):
    """The mean over tables: of each way, and of the best of each table but kpred."""
    groups = {}
    for cells in lines:
        of = dict(zip(HEADING, cells))
        for way in [of["method"]] + ["best"] * (of["best"] == "yes"):
            groups.setdefault((way, of["k"]), []).append(of)
    for (way, k), found in sorted(groups.items(), key=lambda x: (x[0][0] == "best", x[0][0] == "kpred")):
        share, se, ahead, ahead_se, *cost = (
            np.array([float(of[name].replace("-", "nan", of[name] == "-")) for of in found])
            for name in "share,se,ahead,ahead_se,cpu_s,mib".split(","))
        errors = [(x ** 2).sum() ** .5 / len(found) for x in (se, ahead_se)]
        yield line("all", len(found), way, k, [share.mean(), errors[0], ahead.mean(), errors[1]], way == "best",
                   [x.mean() for x in cost])


# ---- the command ----

def parse():
    """The command line."""
    p = parser_of(__doc__)
    p.add_argument("--train", default=os.path.join(ROOT, "build/kpred-train"), help="kpred-train")
    p.add_argument("--shared", default=os.path.join(ROOT, "../shared"), help="the folder of the real tables")
    p.add_argument("--tables", default="", help="those whose names begin so, with commas; default: all")
    p.add_argument("--samples", default="30,120", help="tuples a problem of made-up kernels")
    p.add_argument("--methods", default=",".join(w for w in WAYS if w != "ruleless"))
    p.add_argument("--problems", type=int, default=300, help="of made-up kernels that were measured")
    p.add_argument("--fresh", type=int, default=100, help="of made-up kernels that are asked")
    p.add_argument("--folds", type=int, default=3, help="in which problems are left out")
    p.add_argument("--draws", type=int, default=30, help="samples of the hub's tables")
    p.add_argument("--threads", type=int, default=1, help="of forest and xgboost")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--split", default="none", help="which problems kpred-train keeps from training")
    p.add_argument("--set", default="", help="options for kpred-train train")
    p.add_argument("--earlier", help="what --csv wrote before: its lines of other tables join those of this run")
    p.add_argument("--log", help="a file for what each training says, and for its shares, as they come")
    p.add_argument("--csv", action="store_true", help="CSV instead of a table")
    p.add_argument("--json", action="store_true", help="JSON instead of a table")
    options = p.parse_args()
    options.methods = options.methods.split(",")
    for way in options.methods:
        if way not in WAYS:
            die(f"--methods: \"{way}\" is none of {', '.join(WAYS)}")
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
    found, skipped = [], 0
    with tempfile.TemporaryDirectory() as options.folder:
        for name, cases in asked_for(options):
            try:
                found.append(Table(name, cases, options))
            except Missing as e:
                print(f"skip {name}: needs {e}", file=sys.stderr)
                skipped += 1
    progress("")
    lines = earlier(options.earlier, [table.name for table in found]) if options.earlier else []
    lines += [cells for table in found for cells in table.lines()]
    if lines:
        print_lines(HEADING, [*lines, *pooled(lines)], options)
    print(f"{len(found)} tables, {skipped} skipped", file=sys.stderr)


if __name__ == "__main__":
    main()
