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


def shares_of(folder, family, found):
    """By part and kind, the shares of the best time of those that were timed, and how many problems
    there are with several times."""
    rows = read_tables(folder, family)
    kernels = read_kernels(folder, family)
    times = times_of(folder, family, rows)
    label = {row.problem: row.label for row in rows}
    out, number = collections.defaultdict(list), collections.Counter()
    firsts = {"aiter": {p: default_of(family, p, kernels) for p in times}, "label": label}
    for method in ("network", "forest", "boosted"):
        firsts[method] = {o.problem: o.first for test in ("shape", "file")
                          for o in found.get((family, test), {}).get(method, {}).values()}
    for problem, of in times.items():
        part = part_of(family, problem[1])
        number[part] += 1
        for kind, first in firsts.items():
            if first.get(problem) in of:
                out[part, kind].append(min(of.values()) / of[first[problem]])
    return out, number


def both(folder, family, found):
    """Problems where the default and kpred's first were timed: pairs of shares, by part."""
    rows = read_tables(folder, family)
    kernels = read_kernels(folder, family)
    ours = {o.problem: o.first for test in ("shape", "file")
            for o in found.get((family, test), {}).get("network", {}).values()}
    out = collections.defaultdict(list)
    for problem, of in times_of(folder, family, rows).items():
        default, first = default_of(family, problem, kernels), ours.get(problem)
        if default in of and first in of:
            best = min(of.values())
            out[part_of(family, problem[1])].append((best / of[default], best / of[first]))
    return out


def shares(found, folder, table):
    """Tables of the share of the best time ever measured."""
    lines, pairs = [], []
    for family in ("bs", "bsp", "a4w4"):
        of, number = shares_of(folder, family, found)
        for part in number:
            lines += [[part, f"{number[part]:,}", KINDS[kind], *summary(of[part, kind])]
                      for kind in KINDS if of[part, kind]]
        for part, pair in both(folder, family, found).items():
            pairs.append([part, f"{len(pair):,}", *(summary(list(x))[1] for x in zip(*pair))])
    heading = ["rows", "problems with several times", "", "timed", "share", "p5"]
    text = ["### Share of the best time ever measured", "", *table(heading, lines)]
    if pairs:
        text += ["Problems where both were timed:", "",
                 *table(["rows", "n", "AITER's default", "kpred's first"], pairs)]
    return text


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
    return ["### Label noise", "",
            *table(["rows", "pairs", "same class, %", "time of the same class differs, median %",
                    "of another class"], lines)]
