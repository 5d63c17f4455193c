#!/usr/bin/env python3
# loop.py - the loop of examples/gemm_gpu closed: predictions and races beside other ways, on measured times
# SPDX-License-Identifier: MIT
"""What a model that learned from a tuning is worth on other problems, all of whose tuples were measured.

  kpred        the network's first tuples
  raced        the first 4 and 8 of them in a race of kpred_hip_select on the device
  nearest      the tuples of the nearest tuned problem, fastest first
  single       the best tuples on average over the tuned problems
  forest       a random forest (scikit-learn), a regression of log2(time / best time of the problem), of raw
               fields or of quotients, products and remainders: the better counts
  xgboost      boosted trees (XGBoost), the same
  before       another model, of --before, such as one that learned less
  random       any tuple, and the best of 4 and of 8
  ceiling      the best tuple by two tables, in the third

The problems' tuples were measured three times or more, once in each FULL. A share is the best time of a
table divided by that of the tuple, which the other tables chose among the first k; each table judges in
turn. So what is known without noise gets no more than the ceiling. Means over problems are geometric, with
95 % intervals by bootstrap, which draws problems, and of each problem what judges it: tables and races. `of`
is the share of the ceiling's, and `ahead` how far kpred is ahead.

Then each way's first tuple was timed again, all of a problem in one race, beside CLBlast's own product:
`clblast` with its own parameters, `tuned` with those that its tuner found here, the faster of its two kernels.
Each race is run --races times.

Needs python3-numpy, python3-sklearn and python3-xgboost.
"""
import csv
import glob
import json
import os
import re
import subprocess
import sys
import zlib

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
RACE_LINE = re.compile(r"\s*(\d+) (\w+)\s+([\d.]+)\s")
HEADING = "way,k,share,low,high,of,ahead,ahead_low,ahead_high".split(",")
FINALS = "m,n,k,way,tuple,time_us".split(",")
KERNELS = {"xgemm": ("Xgemm", 0), "xgemm_direct": ("XgemmDirect", 1 << 30)} # and where it is always the one


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
        if np.isnan(self.times).all(0).sum() != np.isnan(self.times).any(0).sum():
            die("the full tables have not the same problems and tuples: have all of them measured")

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
    models = {"kpred": options.model, "before": options.before}
    orders = {way: [kpred_order(measured, options, model, p) for p in measured.problems]
              for way, model in models.items() if model}
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


def race(measured, options, problem, words, more):
    """By tuple in words: the outcome and microseconds."""
    command = [options.race, *more, options.code, *map(str, problem), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [RACE_LINE.match(line) for line in done.stdout.splitlines()]
    found = {words[int(line[1]) - 1]: (line[2], float(line[3])) for line in lines if line}
    if len(found) != len(words):
        die(f"{' '.join(command)}: {done.stderr.strip()}", 1)
    return found


def best_parameters(path):
    """A line of clblast_product.h: a kernel and the fastest parameters of some files of CLBlast's tuner."""
    results = []
    for file in glob.glob(path):
        with open(file, encoding="utf-8") as f:
            results += json.load(f)["results"]
    best = min(results, key=lambda r: r["time"])["parameters"]
    return " ".join(f"{name}={value}" for name, value in best.items() if name != "PRECISION")


def clblast_files(options):
    """By way the files of parameters, written into the folder."""
    texts = {"clblast": ""}
    for name, (kernel, always) in KERNELS.items():
        pattern = os.path.join(options.clblast, f"clblast_{name}_[0-9]*_32.json")
        if glob.glob(pattern):
            texts[f"tuned {name}"] = (f"{kernel} {best_parameters(pattern)}\n"
                                      f"GemmRoutine XGEMM_MIN_INDIRECT_SIZE={always}\n")
    files = {}
    for way, text in texts.items():
        files[way] = os.path.join(options.clblast, way.replace(" ", "_") + ".txt")
        with open(files[way], "w", encoding="utf-8") as f:
            f.write(text)
    return files


def final_of(measured, options, i, firsts, beside):
    """Rows of FINALS: races over the first tuples, and all ways' first tuples timed again."""
    problem, rows = measured.problems[i].tolist(), []
    words = {way: word_of(measured.tuples[t]) for way, t in firsts.items()}
    for k in RACED:
        candidates = [word_of(measured.tuples[t]) for t in measured.kpred[i][:k]]
        for word, (outcome, us) in race(measured, options, problem, candidates, ["--budget", options.budget]).items():
            if outcome == "winner":
                words[f"raced {k}"] = word
                rows.append([*problem, f"race {k}", word, us])
    again = list(dict.fromkeys(words.values()))
    more = ["--all", "--budget", str(4 * float(options.budget))]
    timed = race(measured, options, problem, again, more)
    rows += [[*problem, way, word, timed[word][1]] for way, word in words.items()]
    for way, path in beside.items():
        both = race(measured, options, problem, ["clblast", words["best"]], [*more, "--clblast", path])
        if both["clblast"][1] > 0: # as if the best tuple had the time of the other race
            us = both["clblast"][1] / both[words["best"]][1] * timed[words["best"]][1]
            rows.append([*problem, way, "clblast", us])
    return rows


def finals_of(measured, options, orders):
    """By problem and way each race's tuple and time; read from the file if it is there, else measured. What
    was measured for the same model when it was stopped stays."""
    with open(options.model, "rb") as f:
        part = f"{options.finals}.{zlib.crc32(f.read()):x}"
    if not os.path.exists(options.finals):
        there = {tuple(int(row[f]) for f in "mnk") for row in rows_of(part)} if os.path.exists(part) else set()
        beside = clblast_files(options) if options.clblast else {}
        for i, problem in enumerate(measured.problems.tolist()):
            if tuple(problem) in there:
                continue
            progress(f"races {i + 1} of {len(measured.problems)}")
            firsts = {way: order[i][0] for way, order in orders.items()}
            firsts["best"] = np.nanargmin(np.exp(np.log(measured.times[:, i]).mean(0)))
            rows = [row for _ in range(options.races) for row in final_of(measured, options, i, firsts, beside)]
            with open(part, "a", encoding="utf-8", newline="") as f:
                csv.writer(f, lineterminator="\n").writerows([FINALS, *rows] if f.tell() == 0 else rows)
        progress("")
        os.replace(part, options.finals)
    finals = {}
    for row in rows_of(options.finals):
        key = tuple(int(row[f]) for f in "mnk"), row["way"]
        finals.setdefault(key, []).append((row["tuple"], float(row["time_us"])))
    return finals


def raced_shares(measured, finals, k):
    """By problem the shares of the winners of its races, by table."""
    at = {word_of(t): i for i, t in enumerate(measured.tuples.tolist())}
    won = [[at[word] for word, _ in finals[tuple(p), f"race {k}"]] for p in measured.problems.tolist()]
    return np.array([[log for t in tuples for log in share(measured.times[:, i], lambda _, t=t: t)]
                     for i, tuples in enumerate(won)])


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


def lines_of(measured, orders, finals):
    """The lines of the table of shares."""
    rng = np.random.default_rng(1)
    every = [np.flatnonzero(~np.isnan(t)) for t in measured.times[0]]
    ceiling = shares_of(measured, every, max(map(len, every)))
    top = np.exp(ceiling.mean())
    yield cells("ceiling", "-", ceiling, top, None, rng)
    own = {k: shares_of(measured, orders["kpred"], k) for k in PLACES}
    for k in PLACES:
        yield cells("kpred", k, own[k], top, None, rng)
    for k in RACED if finals else ():
        yield cells("raced", k, raced_shares(measured, finals, k), top, None, rng)
    for name in [name for name in ("before", "nearest", "single", "forest", "xgboost") if name in orders]:
        order = better(orders, measured, name)
        for k in PLACES:
            yield cells(name, k, shares_of(measured, order, k), top, own[k], rng)
    for k in PLACES:
        yield cells("random", k, random_shares(measured, k, rng), top, own[k], rng)


def final_lines(measured, finals):
    """The lines of what was timed again: shares of the fastest tuple of each problem among them."""
    rng = np.random.default_rng(2)
    keys = [tuple(p) for p in measured.problems.tolist()]
    ways = [way for way in dict.fromkeys(way for _, way in finals) if not way.startswith("race ")]
    tuned = [way for way in ways if way.startswith("tuned ")]
    ours = [way for way in ways if way != "clblast" and way not in tuned]
    races = len(finals[keys[0], "kpred"])

    def times_of(way):
        """By problem and race; infinite where a race of the way is missing."""
        found = [[us for _, us in finals.get((key, way), [])] for key in keys]
        return np.array([us if len(us) == races else [np.inf] * races for us in found])

    times = {way: times_of(way) for way in ours}
    fastest = np.min(list(times.values()), 0)
    if "clblast" in ways:
        times["clblast"] = times_of("clblast")
    if tuned:
        times["tuned"] = np.min([times_of(way) for way in tuned], 0)
    for way, us in times.items():
        if np.isfinite(us).all():
            kpred = np.log(fastest / times["kpred"]) if way != "kpred" else None
            yield cells(f"again: {way}", "-", np.log(fastest / us), 1., kpred, rng)


# ---- the command ----

def parse():
    """The command line."""
    p = parser_of(__doc__)
    p.add_argument("--kpred", default=os.path.join(ROOT, "build/kpred"), help="kpred")
    p.add_argument("--spec", required=True, help="the kernel's spec")
    p.add_argument("--model", required=True, help="the header that learned from --times")
    p.add_argument("--times", required=True, help="what the tuner measured")
    p.add_argument("--full", required=True, nargs="+", help="all tuples of other problems, twice or more")
    p.add_argument("--before", help="another model")
    p.add_argument("--finals", help="the file of the races: read, or made if it is not there; without it, no races")
    p.add_argument("--race", help="the program of race.c")
    p.add_argument("--code", help="its folder of variants")
    p.add_argument("--clblast", default="", help="the folder of CLBlast's tuner; without it, no CLBlast")
    p.add_argument("--budget", default="50000", help="microseconds of a race")
    p.add_argument("--races", type=int, default=3, help="how often each race is run")
    p.add_argument("--threads", type=int, default=1, help="of forest and xgboost")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--csv", action="store_true", help="CSV instead of a table")
    p.add_argument("--json", action="store_true", help="JSON instead of a table")
    return p.parse_args()


def main():
    """Both tables as one."""
    options = parse()
    measured = Measured(options)
    orders = orders_of(measured, options)
    measured.kpred = orders["kpred"]
    finals = finals_of(measured, options, orders) if options.finals else {}
    lines = [*lines_of(measured, orders, finals), *(final_lines(measured, finals) if finals else ())]
    print_lines(HEADING, lines, options)
    print(f"{len(measured.problems)} problems, {(~np.isnan(measured.times[0])).sum()} tuples, "
          f"{len(measured.times)} times each", file=sys.stderr)


if __name__ == "__main__":
    main()
