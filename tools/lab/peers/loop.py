#!/usr/bin/env python3
# loop.py - the loop of examples/gemm_gpu closed: predictions and races beside other ways, on measured times
# SPDX-License-Identifier: MIT
"""What a model that learned from a tuning is worth on other problems, all of whose tuples were measured.

  kpred        the network's first tuples
  raced        the winner of a race of the first 4 and 8 of them by kpred_hip_select on the device, of --raced
  nearest      the tuples of the nearest tuned problem, fastest first
  single       the best tuples on average over the tuned problems
  forest       a random forest (scikit-learn), a regression of log2(time / best time of the problem), of raw
               fields or of quotients, products and remainders: the better counts
  xgboost      boosted trees (XGBoost), the same
  random       any tuple, and the best of 4 and of 8
  ceiling      the best tuple by two tables, in the third

The problems' tuples were measured three times or more, once in each FULL; a problem that one of them has not
whole is left out. A share is the best time of a table divided by that of the tuple, which the other tables chose
among the first k; each table judges in turn. So what is known without noise gets no more than the ceiling. Means
over problems are geometric, with 95 % intervals by bootstrap, which draws problems, and of each problem what
judges it: tables and races. `of` is the share of the ceiling's, and `ahead` how far kpred is ahead.

Needs python3-numpy, python3-sklearn and python3-xgboost.
"""
import csv
import os
import sys

from rows import ROOT, die, parser_of, print_lines, progress, read_sections, run

try:
    import numpy as np

    from own import WAYS
    from own_tables import Case, distinct, rows_of, time_of
except ImportError as missing:
    die(f"needs python3-numpy, python3-sklearn and python3-xgboost ({missing})")

PLACES = (1, 4, 8)
RACED = (4, 8)
DRAWS = 4000 # of a bootstrap
HEADING = "way,k,share,low,high,of,ahead,ahead_low,ahead_high".split(",")


# ---- what was measured ----

class Measured:
    """The tuning as a case of own.py, whose fresh problems are those of the full tables; of these the times
    of each table, by problem and tuple, which are no numbers where a tuple was not measured."""

    def __init__(self, options):
        sections = read_sections(options.spec)
        self.fields = [name for name, _ in sections["fields"]]
        self.params = [name for name, _ in sections["params"]]
        tuned, full = list(rows_of(options.times)), [list(rows_of(path)) for path in options.full]
        every = tuned + [row for rows in full for row in rows]
        self.tuples, tuple_of = distinct([[int(row[p]) for p in self.params] for row in every])
        self.case = Case("loop", [(f, None) for f in self.fields], [(p, None) for p in self.params], self.tuples)
        problems, problem_of = distinct([[int(row[f]) for f in self.fields] for row in tuned])
        self.case.learn(problems, problem_of, tuple_of[:len(tuned)], np.array([time_of(row) for row in tuned]))
        self.problems, _ = distinct([[int(row[f]) for f in self.fields] for row in full[0]])
        self.times = np.array([self.table(rows) for rows in full])
        some, every = ~np.isnan(self.times).all(0), ~np.isnan(self.times).any(0)
        whole = (some == every).all(1) & every.any(1)
        if not whole.any():
            die("no problem has the same tuples in all full tables: have all of them measured")
        self.problems, self.times = self.problems[whole], self.times[:, whole]

    def table(self, rows):
        """The times of one full table."""
        times = np.full((len(self.problems), len(self.tuples)), np.nan)
        problem = {tuple(p): i for i, p in enumerate(self.problems.tolist())}
        at = {tuple(t): i for i, t in enumerate(self.tuples.tolist())}
        for row in rows:
            key = tuple(int(row[f]) for f in self.fields)
            if key in problem:
                times[problem[key], at[tuple(int(row[p]) for p in self.params)]] = time_of(row)
        return times


# ---- the ways ----

def kpred_order(measured, options, model, problem):
    """The first tuples of the model."""
    words = [f"{name}={value}" for name, value in zip(measured.fields, problem)]
    text = run(options.kpred, "predict", model, *words, "-k", str(max(PLACES)), "--csv").stdout
    at = {tuple(t): i for i, t in enumerate(measured.tuples.tolist())}
    found = [tuple(int(row[p]) for p in measured.params) for row in csv.DictReader(text.splitlines())]
    return np.array([at[t] for t in found if t in at], int)


def orders_of(measured, options):
    """By way the first tuples of each problem."""
    legal = [np.flatnonzero(~np.isnan(t)) for t in measured.times[0]]
    orders = {"kpred": [kpred_order(measured, options, options.model, p) for p in measured.problems]}
    for name in ("nearest", "single", "forest", "xgboost"):
        make, kinds = WAYS[name]
        for rich in kinds:
            progress(f"{name}")
            way = make(measured.case, options, rich)
            orders[f"{name} rich" if rich else name] = [
                way.order(p, asked, 0)[:max(PLACES)] for p, asked in zip(measured.problems, legal)]
    progress("")
    return orders


# ---- shares ----

def chosen(times, among, judge):
    """Of some tuples the one that the other tables say is the fastest."""
    others = np.delete(times[:, among], judge, 0)
    return among[np.argmin(np.exp(np.log(others).mean(0)))]


def share(times, pick):
    """By table, each of which judges what pick(judge) returns, the logarithm; times: by table, of a problem."""
    return [np.log(np.nanmin(times[judge]) / times[judge][pick(judge)]) for judge in range(len(times))]


def shares_of(measured, order, k):
    """By problem and table the logarithm of the share of the best of the first k tuples."""
    return np.array([share(measured.times[:, i], lambda judge, i=i: chosen(measured.times[:, i], order[i][:k], judge))
                     for i in range(len(measured.problems))])


def random_shares(measured, k, rng, draws=200):
    """The same of k random tuples."""
    out = []
    for i in range(len(measured.problems)):
        legal = np.flatnonzero(~np.isnan(measured.times[0, i]))
        times = measured.times[:, i]
        found = [rng.choice(legal, min(k, len(legal)), replace=False) for _ in range(draws)]
        out.append(np.mean([share(times, lambda judge, f=f: chosen(times, f, judge)) for f in found], 0))
    return np.array(out)


def draws_of(logs, rng):
    """What a bootstrap draws: problems, and of each problem its judges."""
    problems, judges = logs.shape
    return rng.integers(problems, size=(DRAWS, problems, 1)), rng.integers(judges, size=(DRAWS, problems, judges))


def interval(logs, rng):
    """The geometric mean of shares by problem and judge, and its 95 % interval."""
    means = np.exp(logs[draws_of(logs, rng)].mean((1, 2)))
    return float(np.exp(logs.mean())), *np.percentile(means, [2.5, 97.5])


def difference(a, b, rng):
    """How far the geometric mean of a is ahead of b's, and the interval, by the same draws."""
    at = draws_of(a, rng)
    means = np.exp(a[at].mean((1, 2))) - np.exp(b[at].mean((1, 2)))
    return np.exp(a.mean()) - np.exp(b.mean()), *np.percentile(means, [2.5, 97.5])


# ---- races ----

def word_of(values):
    """A tuple as race.c wants it."""
    return "_".join(map(str, values))


def raced_of(path):
    """By problem and way the winner of the race, of the last one."""
    return {(tuple(int(row[f]) for f in "mnk"), row["way"]): row["tuple"] for row in rows_of(path)}


def raced_shares(measured, raced, k):
    """By problem the shares of the winner of its race, by table."""
    at = {word_of(t): i for i, t in enumerate(measured.tuples.tolist())}
    won = [at[raced[tuple(p), f"race {k}"]] for p in measured.problems.tolist()]
    return np.array([share(measured.times[:, i], lambda _, t=t: t) for i, t in enumerate(won)])


# ---- the table ----

def cells(way, k, values, against, kpred, rng):
    """A line of the table; against: the ceiling's mean, and kpred's shares to compare with, or None."""
    ahead = difference(kpred, values, rng) if kpred is not None else (float("nan"),) * 3
    figures = [*interval(values, rng), np.exp(values.mean()) / against, *ahead]
    return [way, str(k), *("-" if np.isnan(x) else f"{x:.3f}" for x in figures)]


def better(orders, measured, name):
    """Of raw and rich inputs those that do better at k = 1."""
    kinds = [kind for kind in (name, f"{name} rich") if kind in orders]
    return orders[max(kinds, key=lambda kind: shares_of(measured, orders[kind], 1).mean())]


def lines_of(measured, orders, raced):
    """The lines of the table of shares."""
    rng = np.random.default_rng(1)
    every = [np.flatnonzero(~np.isnan(t)) for t in measured.times[0]]
    ceiling = shares_of(measured, every, max(map(len, every)))
    top = np.exp(ceiling.mean())
    yield cells("ceiling", "-", ceiling, top, None, rng)
    own = {k: shares_of(measured, orders["kpred"], k) for k in PLACES}
    for k in PLACES:
        yield cells("kpred", k, own[k], top, None, rng)
    for k in RACED if raced else ():
        yield cells("raced", k, raced_shares(measured, raced, k), top, None, rng)
    for name in ("nearest", "single", "forest", "xgboost"):
        order = better(orders, measured, name)
        for k in PLACES:
            yield cells(name, k, shares_of(measured, order, k), top, own[k], rng)
    for k in PLACES:
        yield cells("random", k, random_shares(measured, k, rng), top, own[k], rng)


# ---- the command ----

def parse():
    """The command line."""
    p = parser_of(__doc__)
    p.add_argument("--kpred", default=os.path.join(ROOT, "build/kpred"), help="kpred")
    p.add_argument("--spec", required=True, help="the kernel's spec")
    p.add_argument("--model", required=True, help="the header that learned from --times")
    p.add_argument("--times", required=True, help="what the tuner measured")
    p.add_argument("--full", required=True, nargs="+", help="all tuples of other problems, twice or more")
    p.add_argument("--raced", help="what races won: m,n,k,way,tuple,time_us")
    p.add_argument("--threads", type=int, default=1, help="of forest and xgboost")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--csv", action="store_true", help="CSV instead of a table")
    p.add_argument("--json", action="store_true", help="JSON instead of a table")
    return p.parse_args()


def main():
    """The table."""
    options = parse()
    measured = Measured(options)
    orders = orders_of(measured, options)
    print_lines(HEADING, lines_of(measured, orders, raced_of(options.raced) if options.raced else {}), options)
    print(f"{len(measured.problems)} problems, {(~np.isnan(measured.times[0])).sum()} tuples, "
          f"{len(measured.times)} times each", file=sys.stderr)


if __name__ == "__main__":
    main()
