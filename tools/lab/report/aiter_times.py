# SPDX-License-Identifier: MIT
"""aiter_times.py - what retunes of AITER's tables tell: the share of the best time, label noise

A retune is a problem that was tuned again: each tuning run tells the time of its winner alone. So
times of several kernels of a problem are of runs at different dates.
"""
import collections
import datetime
import math

from aiter_rows import MERGE_NAMES, read_kernels, read_retunes, read_tables
from aiter_rules import default_of

DAYS = 14 # two runs within so many days are of nearly the same code
KINDS = {"aiter": "AITER's default", "label": "the table's label", "network": "kpred's first",
         "forest": "random forest's first", "boosted": "XGBoost's first"}


def part_of(family, m):
    """As in the other tables."""
    if family != "bs":
        return family
    return "bs, M <= 512" if m <= 512 else "bs, M > 512"


def times_of(folder, family, rows):
    """By problem and class, the least time of all runs and of the table of today; problems with
    times of one class alone are left out."""
    times = collections.defaultdict(dict)
    for run in [*read_retunes(folder, family), *rows]:
        of = times[run.problem]
        if run.us > 0:
            of[run.label] = min(run.us, of.get(run.label, math.inf))
    return {problem: of for problem, of in times.items() if len(of) > 1}


def summary(shares):
    """How many problems, their geometric mean and fifth percentile."""
    if not shares:
        return ["0", "", ""]
    ordered = sorted(shares)
    mean = math.exp(sum(map(math.log, shares)) / len(shares))
    return [f"{len(shares):,}", f"{mean:.3f}", f"{ordered[len(ordered) // 20]:.3f}"]


def firsts_of(family, found, method):
    """By problem, the class that a method names first where it has not seen the (N, K)."""
    return {o.problem: o.first for test in ("shape", "file")
            for o in found.get((family, test), {}).get(method, {}).values()}


def shares_of(folder, family, found):
    """By part, a dict from kind to share for each problem with times of several classes."""
    rows, kernels = read_tables(folder, family), read_kernels(folder, family)
    label = {row.problem: row.label for row in rows}
    firsts = {method: firsts_of(family, found, method) for method in KINDS}
    out = collections.defaultdict(list)
    for problem, of in times_of(folder, family, rows).items():
        first = {kind: firsts[kind].get(problem) for kind in KINDS}
        first["aiter"] = default_of(family, problem, kernels)
        first["label"] = label.get(problem)
        best = min(of.values())
        out[part_of(family, problem[1])].append(
            {kind: best / of[name] for kind, name in first.items() if name in of})
    return out


def shares(found, folder, table):
    """Tables of the share of the best time ever measured."""
    lines, pairs = [], []
    for family in ("bs", "bsp", "a4w4"):
        if not any(of == family for of, _ in found):
            continue
        for part, problems in sorted(shares_of(folder, family, found).items()):
            for kind, name in KINDS.items():
                of = [p[kind] for p in problems if kind in p]
                lines += [[part, f"{len(problems):,}", name, *summary(of)]] if of else []
            for other in ("network", "forest", "boosted"):
                both = [(p["aiter"], p[other]) for p in problems if "aiter" in p and other in p]
                if both:
                    pairs.append([part, KINDS[other], f"{len(both):,}",
                                  *(summary(x)[1] for x in zip(*both))])
    heading = ["rows", "problems with several times", "", "timed", "share", "p5"]
    return {"shares": table(heading, lines),
            "both": table(["rows", "", "n", "AITER's default", "its own share"], pairs)}


# ---- label noise ----

def pairs_of(runs):
    """Neighbours in time of one problem's runs that are near enough."""
    runs = sorted(runs, key=lambda run: run.date)
    for a, b in zip(runs, runs[1:]):
        days = datetime.date.fromisoformat(b.date) - datetime.date.fromisoformat(a.date)
        if a.commit != b.commit and days.days <= DAYS:
            yield a, b


def noise(folder, table):
    """How often a second tuning names the same class, and how far the times of one class differ."""
    lines = []
    for family in MERGE_NAMES:
        runs, same, apart = collections.defaultdict(list), collections.defaultdict(list), {}
        for run in read_retunes(folder, family):
            runs[run.problem].append(run)
        for of in runs.values():
            for a, b in pairs_of(of):
                part = part_of(family, a.problem[1])
                same[part].append(a.label == b.label)
                kind = apart.setdefault((part, a.label == b.label), [])
                kind.append(abs(math.log(b.us / a.us)) if a.us > 0 and b.us > 0 else 0)
        for part, of in same.items():
            middle = [f"{100 * sorted(apart[part, x])[len(apart[part, x]) // 2]:.1f}"
                      if (part, x) in apart else "" for x in (True, False)]
            lines.append([part, f"{len(of):,}", f"{100 * sum(of) / len(of):.1f}", *middle])
    return table(["rows", "pairs", "same class, %", "time of the same class differs, median %",
                  "of another class"], lines)
