# SPDX-License-Identifier: MIT
"""timed.py - of timed data, of solvers and of GEMM: the share of the optimum that methods reach, as tables and
curves

Of solvers it reads timed/NAME.SPLIT.GPU.METHOD.hits.csv of the folder that measure.sh fills. A figure is of
outcomes: by row (unit, logarithm of the share, exact, unlisted). Of GEMM models each shape is left out once.
"""
import collections
import glob
import math
import os

from paired import interval, mean_share, read_shares
from rows import TIMED_HITS, die, percentile, read_outcomes

METHODS = {"additive": "kpred", "boosted": "boosted trees", "table": "table"}
Outcome = collections.namedtuple("Outcome", "unit log exact unlisted")
OURS = "additive"
GEMM_METHODS = {OURS: "kpred", "nearest": "nearest neighbour", "portfolio": "greedy portfolio",
                "boosted": "XGBoost, own table", "together": "XGBoost, all three tables"}
GEMM_KS = (1, 4, 8)
RESAMPLES = 10000
GEMM_NONE = "(Not measured: `make gemm` does it, and `make report` again shows it.)"


# ---- reading ----

def read_timed(folder):
    """By (model, split, gpu), method and k, the outcomes by row."""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    folder = os.path.join(folder, "timed")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if not name.endswith(".hits.csv"):
            continue
        path, (model, split, gpu) = os.path.join(folder, name), name.split(".")[:3]
        for _, line in read_outcomes(path, TIMED_HITS):
            method, _, _, key, row, k, _, _, worth, unlisted = line
            found[model, split, gpu][method].setdefault(int(k), {})[row] = Outcome(
                key, math.log(float(worth)), float(worth) == 1, int(unlisted))
    return found


# ---- figures ----

def mean_log(outcomes):
    """Mean logarithm of the share."""
    return sum(o.log for o in outcomes.values()) / len(outcomes)


def error_of(parts, units):
    """Standard error of a mean of parts, which sum to 0, over groups with the same unit."""
    off = collections.Counter()
    for part, unit in zip(parts, units):
        off[unit] += part
    return math.sqrt(sum(x * x for x in off.values())) / len(parts)


def influence(outcomes):
    """By row, how much more than the average it adds to the geometric mean (times n)."""
    mean = mean_log(outcomes)
    return {row: math.exp(mean) * (o.log - mean) for row, o in outcomes.items()}


def share(outcomes):
    """Geometric mean and its standard error."""
    parts = influence(outcomes)
    return (math.exp(mean_log(outcomes)), error_of(list(parts.values()), [outcomes[row].unit for row in parts]))


def difference(a, b, what):
    """How much greater a's share is than b's, and the standard error of that, of the same rows."""
    if a.keys() != b.keys():
        die(f"{what}: not measured on the same problems")
    x, y = influence(a), influence(b)
    return (share(a)[0] - share(b)[0], error_of([x[row] - y[row] for row in a], [a[row].unit for row in a]))


def reached(outcomes, percent):
    """The share that so many percent do not exceed."""
    return math.exp(percentile([o.log for o in outcomes.values()], percent))


# ---- tables ----

def table(heading, lines):
    """A Markdown table."""
    return ["| " + " | ".join(heading) + " |", "|" + "---|" * len(heading),
            *("| " + " | ".join(line) + " |" for line in lines)]


def of_split(m, split):
    """(gpu, by method) in the order of the files."""
    return [(gpu, methods) for (_, s, gpu), methods in m.timed.items() if s == split]


def line_of(gpu, name, methods):
    """A line of the table."""
    first, second = methods[name][1], methods[name][2]
    n = len(first)
    less = "" if name == "additive" or "additive" not in methods else "{:+.4f} ± {:.4f}".format(
        *difference(first, methods["additive"][1], f"{gpu}: {name} and ours"))
    return [gpu, METHODS.get(name, name), f"{n:,} ({len({o.unit for o in first.values()}):,})",
            f"{100 * sum(o.exact for o in first.values()) / n:.1f}",
            "{:.4f} ± {:.4f}".format(*share(first)), less, f"{reached(first, 1):.3f}",
            f"{reached(first, 5):.3f}",
            f"{100 * sum(o.unlisted for o in first.values()) / n:.1f}", f"{share(second)[0]:.4f}"]


def solvers(m, split):
    """Our solvers beside other ways to choose them, GPU by GPU."""
    lines = [line_of(gpu, name, methods) for gpu, methods in of_split(m, split) for name in METHODS if name in methods]
    if not lines:
        return [f"(Shares, split `{split}`: not measured.)"]
    heading = ["GPU", "", "problems (groups)", "exact, %", "share@1", "minus ours", "p1", "p5",
               "unlisted, %", "share@2"]
    return table(heading, lines)


def places_of_layout(chosen):
    """By (model, split), where in its keys the layout stands, of the specs whose keys have it."""
    found = {}
    for name, spec in chosen.items():
        for split, items in spec["split"].items():
            if "layout" in items:
                found[name, split] = items.index("layout")
    return found


def first_of(part):
    """What the first predicted solver is worth for these problems, as three cells."""
    if not part:
        return [""] * 3
    exact = 100 * sum(o.exact for o in part.values()) / len(part)
    return [f"{exact:.1f}", f"{share(part)[0]:.4f}", f"{reached(part, 5):.3f}"]


def dimension_line(gpu, name, methods, place):
    """A line of the table: the problems of a GPU, 2-D and 3-D apart."""
    parts = {"2-D": {}, "3-D": {}}
    for row, outcome in methods[name][1].items():
        layout = outcome.unit.split(",")[place]
        parts["3-D" if layout == "NCDHW" else "2-D"][row] = outcome
    line = [gpu, METHODS.get(name, name)]
    for part in parts.values():
        line += [f"{len(part):,}", *first_of(part)]
    return line


def dimensions(m, split):
    """The same for 2-D and 3-D problems apart, where the keys of the split tell them apart."""
    places = places_of_layout(m.chosen)
    lines = [dimension_line(gpu, name, methods, places[model, split])
             for (model, s, gpu), methods in m.timed.items() if s == split and (model, s) in places
             for name in ("additive", "boosted") if name in methods]
    if not lines:
        return [f"(2-D and 3-D apart, split `{split}`: not measured.)"]
    return table(["GPU", "", *(x for d in ("2-D", "3-D") for x in
                               (f"{d} problems", "exact, %", "share@1", "p5"))], lines)


# ---- curves ----

def by_k(of):
    """(k, share) of one method."""
    return [(k, share(outcomes)[0]) for k, outcomes in sorted(of.items())]


RANKS = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30]


def losses(outcomes):
    """(percent of problems, share that they do not exceed)."""
    logs = sorted(o.log for o in outcomes.values())
    return [(p, math.exp(logs[math.ceil(len(logs) * p / 100) - 1])) for p in RANKS]


# ---- GEMM: reading what `make gemm` leaves in a folder; logarithms of shares, by (model, row) ----

def read_gemm(folder):
    """By k and method, logarithms by (model, row); every method on the same shapes."""
    found = read_shares(sorted(glob.glob(os.path.join(glob.escape(folder), "*-*.csv"))))
    for k, methods in found.items():
        for method, logs in methods.items():
            if logs.keys() != methods.get(OURS, {}).keys():
                die(f"{folder}: k = {k}: {method} and {OURS}: not measured on the same shapes: "
                    "`make gemm` measures what is missing")
    return found


def read_layouts(specs):
    """The models by the layout of their operands, with which a model's name ends; "all": any."""
    models = [os.path.splitext(os.path.basename(path))[0] for path in specs]
    return {**{model.rsplit("_", 1)[-1].upper(): model for model in models}, "all": None}


def logs_of(m, layout, k, method):
    """In the order of the shapes; none: not measured."""
    of = m.gemm.get(k, {}).get(method, {})
    return [of[key] for key in sorted(of) if m.layouts[layout] in (None, key[0])]


def gemm_methods_of(m):
    """Those that are measured, by name."""
    return {x: name for x, name in GEMM_METHODS.items() if logs_of(m, "all", GEMM_KS[0], x)}


# ---- GEMM: tables ----

def gemm_cells(m, layout, k, method):
    """Share, and how much more that is than ours with its interval."""
    a, b = (logs_of(m, layout, k, x) for x in (method, OURS))
    less = "" if method == OURS else "{:+.3f} ({:+.3f} to {:+.3f})".format(
        mean_share(a) - mean_share(b), *interval(a, b, RESAMPLES))
    return [f"{mean_share(a):.4f}", less]


def gemm(m, _):
    """Layout by layout, and pooled."""
    lines = [[layout, name, str(len(logs_of(m, layout, GEMM_KS[0], method))),
              *(cell for k in GEMM_KS for cell in gemm_cells(m, layout, k, method))]
             for layout in m.layouts if logs_of(m, layout, GEMM_KS[0], OURS)
             for method, name in gemm_methods_of(m).items()]
    if not lines:
        return [GEMM_NONE]
    heading = ["layout", "", "shapes", *(x for k in GEMM_KS for x in (f"share@{k}", "minus ours"))]
    return table(heading, lines)


def gemm_losses(m, _):
    """How many shapes fall how far, all layouts pooled."""
    lines = []
    for k in (GEMM_KS[0], GEMM_KS[-1]):
        for method, name in gemm_methods_of(m).items():
            found = sorted(math.exp(x) for x in logs_of(m, "all", k, method))
            middle = (found[(len(found) - 1) // 2] + found[len(found) // 2]) / 2
            lines.append([str(k), name, f"{found[0]:.3f}", f"{middle:.3f}",
                          *(str(sum(x < at for x in found)) for at in (0.5, 0.8, 0.9, 0.95)),
                          str(sum(x >= 0.99 for x in found))])
    return table(["k", "", "least", "median", "below 0.5", "below 0.8", "below 0.9", "below 0.95",
                  "0.99 and more"], lines) if lines else [GEMM_NONE]


# ---- GEMM: curves ----

def gemm_by_k(m, layout, method):
    """(k, share)."""
    found = [(k, logs_of(m, layout, k, method)) for k in sorted(m.gemm)]
    return [(k, mean_share(logs)) for k, logs in found if logs]


def gemm_distribution(m, k, method):
    """(percent of shapes, share that they do not exceed), all layouts pooled."""
    found = sorted(math.exp(x) for x in logs_of(m, "all", k, method))
    return [(100 * i / len(found), share) for i, share in enumerate(found, 1)]
