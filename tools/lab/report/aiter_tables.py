#!/usr/bin/env python3
# aiter_tables.py - how good the models of AITER's kernels are, as Markdown
# SPDX-License-Identifier: MIT
"""Tables of the section on AITER of accuracy.md, from what tools/lab/peers/aiter.py wrote.

A figure is the percentage of tested rows whose label, kernel and split, is among the k classes that
a method names. Its standard error, and that of a difference on the same rows, is over groups of rows
with the same (N, K).
"""
import collections
import csv
import datetime
import glob
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "peers"))

from aiter_rows import (MERGE_NAMES, default_of, narrow_files, read_kernels,  # noqa: E402: needs the path
                        read_retunes, read_tables)
from rows import die, parser_of, share_and_error  # noqa: E402
from timed import table  # noqa: E402

LISTS = (1, 3, 8)
NAMES = {"network": "kpred", "aiter": "AITER: look-up, else default", "nearest": "nearest neighbour",
         "frequency": "frequency by M", "forest": "random forest", "boosted": "XGBoost",
         "forest-blind": "random forest, not told", "boosted-blind": "XGBoost, not told"}
TREES = ["forest", "boosted", "forest-blind", "boosted-blind"]
TESTS = {"config": "(M, N, K) held out", "file": "whole files held out"}
BANDS = [(16, "1-16"), (64, "17-64"), (512, "65-512"), (4096, "513-4096"), (1 << 24, "> 4096")]
JUDGED = ["bs low", "bsp", "a4w4"] # what the pooled figure is of
TITLES = {"bs low": "bs, M <= 512", "bs high": "bs, M > 512", "pooled": "pooled"}

DAYS = 14 # two runs within so many days are of nearly the same code
KINDS = {"aiter": "AITER's default", "label": "the table's label", "network": "kpred's first",
         "forest": "random forest's first", "boosted": "XGBoost's first"}

# of a tested row: its file, problem and label, the label's place (0: none), the first class named
Outcome = collections.namedtuple("Outcome", "family file problem label place first")


# ---- reading ----

def class_of_text(text):
    """(library, kernel, split), as the column `first` has it."""
    if not text:
        return None
    library, name, split = text.split("|")
    return library, name, int(split)


def outcome_of(line):
    """From a line of CSV."""
    extra = line["extra"].split("|") if line["extra"] else []
    problem = (line["gpu"], *(int(line[x]) for x in "mnk"), *extra)
    label = line["library"], line["kernel"], int(line["split"])
    return Outcome(line["family"], line["file"], problem, label, int(line["place"]), class_of_text(line["first"]))


def read_outcomes(folder):
    """By (family, test) and method, the outcomes by (file, problem)."""
    found = collections.defaultdict(dict)
    for path in sorted(glob.glob(f"{folder}/*-*-*.csv")):
        with open(path, encoding="utf-8", newline="") as f:
            lines = list(csv.DictReader(f))
        if not lines:
            die(f"{path}: there is no row")
        of = {(o.file, o.problem): o for o in map(outcome_of, lines)}
        found[lines[0]["family"], lines[0]["test"]][lines[0]["method"]] = of
    if not found:
        die(f"{folder}: there are no outcomes: tools/lab/peers/aiter.py writes them")
    return found


def part_of(family, m):
    """The part of the report that a row belongs to."""
    if family != "bs":
        return family
    return "bs low" if m <= 512 else "bs high"


def band_of(outcome):
    """The band of M."""
    return next(name for limit, name in BANDS if outcome.problem[1] <= limit)


def unit_of(outcome):
    """What the errors resample."""
    return outcome.family, outcome.problem[2], outcome.problem[3]


def is_model_file(outcome):
    """Is it of a table of one model, not of AITER's base table, which has rows of many?"""
    return outcome.file != MERGE_NAMES[outcome.family] + "_tuned_gemm"


def parts_of(found, test, all_files=False):
    """By part and method, the outcomes of a test; `pooled` has those that are judged together. Of
    whole files held out, those of one model, or all."""
    parts = collections.defaultdict(lambda: collections.defaultdict(dict))
    for (_, of), methods in found.items():
        if of != test:
            continue
        for method, outcomes in methods.items():
            for key, outcome in outcomes.items():
                if test == "file" and not all_files and not is_model_file(outcome):
                    continue
                part = part_of(outcome.family, outcome.problem[1])
                parts[part][method][key] = outcome
                if part in JUDGED:
                    parts["pooled"][method][key] = outcome
    for method in list(parts["pooled"]): # of all its parts or of none
        if any(method not in parts[part] for part in JUDGED):
            del parts["pooled"][method]
    return parts


# ---- figures ----

def hits(outcomes, k):
    """1 for each row whose label is among the first k."""
    return [int(0 < o.place <= k) for o in outcomes]


def micro(outcomes, k):
    """Percent of rows and its error."""
    return share_and_error(hits(outcomes, k), [unit_of(o) for o in outcomes])


def macro(outcomes, k):
    """The mean over (N, K) of the percent of its rows, and the error of that mean."""
    groups = collections.defaultdict(list)
    for outcome, hit in zip(outcomes, hits(outcomes, k)):
        groups[unit_of(outcome)].append(hit)
    shares = [100 * sum(g) / len(g) for g in groups.values()]
    mean = sum(shares) / len(shares)
    return mean, (sum((x - mean) ** 2 for x in shares) ** 0.5) / len(shares)


def difference(a, b, k, what):
    """By how many points a hits more than b on the same rows, and the error."""
    if a.keys() != b.keys():
        die(f"{what}: not measured on the same rows")
    keys = list(a)
    x, y = (hits([of[key] for key in keys], k) for of in (a, b))
    return share_and_error([p - q for p, q in zip(x, y)], [unit_of(a[key]) for key in keys])


# ---- tables ----

def cell(figure, units, form=".1f"):
    """A figure and its error, which one (N, K) alone cannot have."""
    return f"{figure[0]:{form}}" + (f" ± {figure[1]:.1f}" if units > 1 else "")


def units_of(outcomes):
    """How many (N, K) there are."""
    return len({unit_of(o) for o in outcomes.values()})


def triple(outcomes, of=micro):
    """Three cells."""
    return [cell(of(list(outcomes.values()), k), units_of(outcomes)) for k in LISTS]


def size_of(outcomes):
    """Rows and (N, K)."""
    return f"{len(outcomes):,} ({units_of(outcomes)})"


def in_order(parts):
    """Those parts that were measured."""
    return [part for part in ("bs low", "bs high", "bsp", "a4w4", "pooled", "bp", "bf16") if parts.get(part)]


def figures(parts, of):
    """Every part and method."""
    lines = []
    for part in in_order(parts):
        for method in NAMES:
            if method in parts[part]:
                rows = parts[part][method]
                lines.append([TITLES.get(part, part), NAMES[method], size_of(rows), *triple(rows, of)])
    return table(["rows", "", "n (N, K)", "Pft@1", "@3", "@8"], lines)


def beside_trees(found):
    """The best kind of trees minus kpred, for every test and part."""
    lines = []
    for test in TESTS:
        parts = parts_of(found, test)
        for part in in_order(parts):
            of = parts[part]
            trees = [m for m in TREES if m in of]
            if "network" in of and trees:
                lines.append([TESTS[test], TITLES.get(part, part), *better(of, trees, part)])
    if not lines:
        return ["(kpred: not measured.)"]
    return table(["test", "rows", "@1", "@3", "@8"], lines)


def better(of, trees, what):
    """Three cells: a difference and which trees it is of."""
    cells = []
    for k in LISTS:
        best = max(trees, key=lambda m: micro(list(of[m].values()), k)[0])
        figure = difference(of[best], of["network"], k, what)
        cells.append(f"{cell(figure, units_of(of['network']), '+.1f')} ({NAMES[best]})")
    return cells


def place_of(group):
    """Bands in their order, others by name."""
    bands = [name for _, name in BANDS]
    return bands.index(group) if group in bands else -1, group


def split_up(parts, key, heading):
    """kpred, the trees and AITER for each group of rows of a family."""
    lines = []
    for part in in_order(parts):
        if part == "pooled":
            continue
        methods = [m for m in ["network", *TREES, "aiter"] if m in parts[part]]
        groups = collections.defaultdict(lambda: collections.defaultdict(dict))
        for method in methods:
            for at, outcome in parts[part][method].items():
                groups[key(outcome)][method][at] = outcome
        for group in sorted(groups, key=place_of):
            of = groups[group]
            lines += [[TITLES.get(part, part), group, NAMES[m], size_of(of[m]), *triple(of[m])] for m in methods]
    return table(["rows", heading, "", "n (N, K)", "Pft@1", "@3", "@8"], lines)


def searched_only(parts, folder):
    """The same parts without rows of files that were tuned without a search for the split."""
    narrow = {family: narrow_files(read_tables(folder, family)) for family in ("bs", "bsp")
              if any(part.startswith(family) for part in parts)}
    kept = collections.defaultdict(lambda: collections.defaultdict(dict))
    for part in ("bs low", "bsp"):
        for method, outcomes in parts.get(part, {}).items():
            of = {key: o for key, o in outcomes.items() if o.file not in narrow[o.family]}
            if of:
                kept[part][method] = of
    return kept


def tables_of(found, test, folder):
    """By name, the tables of a test."""
    parts = parts_of(found, test)
    tables = {"": figures(parts, micro), "_macro": figures(parts, macro),
              "_searched": figures(searched_only(parts, folder), micro),
              "_bands": split_up(parts, band_of, "M"),
              "_gpus": split_up(parts, lambda o: o.problem[0], "GPU")}
    if test == "file":
        every = parts_of(found, test, True)
        tables["_all"] = figures(every, micro)
        tables["_files"] = split_up(every, lambda o: o.file.replace("_tuned_gemm", ""), "file")
    return {test + name: lines for name, lines in tables.items()}


# ---- what retunes tell: the share of the best time, label noise ----
#
# A retune is a problem that was tuned again: each tuning run tells the time of its winner alone. So times
# of several kernels of a problem are of runs at different dates.

def times_of(folder, family, rows):
    """By problem and class, the least time of all runs and of the table of today; problems with
    times of one class alone are left out."""
    times = collections.defaultdict(dict)
    for run in [*read_retunes(folder, family), *rows]:
        of = times[run.problem]
        if run.us > 0:
            of[run.label] = min(run.us, of.get(run.label, math.inf))
    return {problem: of for problem, of in times.items() if len(of) > 1}


def of_shares(shares):
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
        out[TITLES.get(part_of(family, problem[1]), family)].append(
            {kind: best / of[name] for kind, name in first.items() if name in of})
    return out


def shares(found, folder):
    """Tables of the share of the best time ever measured."""
    lines, pairs = [], []
    for family in ("bs", "bsp", "a4w4"):
        if not any(of == family for of, _ in found):
            continue
        for part, problems in sorted(shares_of(folder, family, found).items()):
            for kind, name in KINDS.items():
                of = [p[kind] for p in problems if kind in p]
                lines += [[part, f"{len(problems):,}", name, *of_shares(of)]] if of else []
            for other in ("network", "forest", "boosted"):
                both = [(p["aiter"], p[other]) for p in problems if "aiter" in p and other in p]
                if both:
                    pairs.append([part, KINDS[other], f"{len(both):,}", *(of_shares(x)[1] for x in zip(*both))])
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


def noise(folder):
    """How often a second tuning names the same class, and how far the times of one class differ."""
    lines = []
    for family in MERGE_NAMES:
        runs, same, apart = collections.defaultdict(list), collections.defaultdict(list), {}
        for run in read_retunes(folder, family):
            runs[run.problem].append(run)
        for of in runs.values():
            for a, b in pairs_of(of):
                part = TITLES.get(part_of(family, a.problem[1]), family)
                same[part].append(a.label == b.label)
                kind = apart.setdefault((part, a.label == b.label), [])
                kind.append(abs(math.log(b.us / a.us)) if a.us > 0 and b.us > 0 else 0)
        for part, of in same.items():
            middle = [f"{100 * sorted(apart[part, x])[len(apart[part, x]) // 2]:.1f}"
                      if (part, x) in apart else "" for x in (True, False)]
            lines.append([part, f"{len(of):,}", f"{100 * sum(of) / len(of):.1f}", *middle])
    return table(["rows", "pairs", "same class, %", "time of the same class differs, median %",
                  "of another class"], lines)


# ---- all of them ----

def write_all(out, tables):
    """A file for each table."""
    os.makedirs(out, exist_ok=True)
    for name, lines in tables.items():
        with open(f"{out}/{name}.md", "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")


def main():
    """A file for each table, and all of them on standard output."""
    p = parser_of(__doc__)
    p.add_argument("hits", help="the folder that tools/lab/peers/aiter.py wrote to")
    p.add_argument("data", help="the folder of AITER's tables and retunes.csv")
    p.add_argument("-o", metavar="FOLDER", help="a file NAME.md there for each table")
    options = p.parse_args()
    found = read_outcomes(options.hits)
    tables = {"trees": beside_trees(found)}
    for test in TESTS:
        if any(of == test for _, of in found):
            tables.update(tables_of(found, test, options.data))
    tables.update(shares(found, options.data))
    tables["noise"] = noise(options.data)
    if options.o:
        write_all(options.o, tables)
    for name, lines in tables.items():
        print("\n".join([f"### {name}", "", *lines, ""]))


if __name__ == "__main__":
    main()
