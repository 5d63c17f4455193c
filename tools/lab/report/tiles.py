# SPDX-License-Identifier: MIT
"""tiles.py - of the GEMM models, each shape left out once: the share of the optimum beside that of
other methods, as tables and curves

Reads what `make gemm` leaves in a folder. A figure is of logarithms of shares, by (model, row).
"""
import glob
import math
import os

from rows import die
from shares import interval, mean_share, read_hits
from timed import table

OURS = "additive"
METHODS = {OURS: "kpred", "nearest": "nearest neighbour", "portfolio": "greedy portfolio",
           "boosted": "XGBoost, own table", "together": "XGBoost, all three tables"}
KS = (1, 4, 8)
RESAMPLES = 10000
NONE = "(Not measured: `make gemm` does it, and `make report` again shows it.)"


# ---- reading ----

def read_gemm(folder):
    """By k and method, logarithms by (model, row); every method on the same shapes."""
    found = read_hits(sorted(glob.glob(os.path.join(glob.escape(folder), "*-*.csv"))))
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


def methods_of(m):
    """Those that are measured, by name."""
    return {x: name for x, name in METHODS.items() if logs_of(m, "all", KS[0], x)}


# ---- tables ----

def cells(m, layout, k, method):
    """Share, and how much more that is than ours with its interval."""
    a, b = (logs_of(m, layout, k, x) for x in (method, OURS))
    less = "" if method == OURS else "{:+.3f} ({:+.3f} to {:+.3f})".format(
        mean_share(a) - mean_share(b), *interval(a, b, RESAMPLES))
    return [f"{mean_share(a):.4f}", less]


def gemm(m, _):
    """Layout by layout, and pooled."""
    lines = [[layout, name, str(len(logs_of(m, layout, KS[0], method))),
              *(cell for k in KS for cell in cells(m, layout, k, method))]
             for layout in m.layouts if logs_of(m, layout, KS[0], OURS)
             for method, name in methods_of(m).items()]
    if not lines:
        return [NONE]
    heading = ["layout", "", "shapes", *(x for k in KS for x in (f"share@{k}", "less ours"))]
    return table(heading, lines)


def gemm_losses(m, _):
    """How many shapes fall how far, all layouts pooled."""
    lines = []
    for k in (KS[0], KS[-1]):
        for method, name in methods_of(m).items():
            found = sorted(math.exp(x) for x in logs_of(m, "all", k, method))
            middle = (found[(len(found) - 1) // 2] + found[len(found) // 2]) / 2
            lines.append([str(k), name, f"{found[0]:.3f}", f"{middle:.3f}",
                          *(str(sum(x < at for x in found)) for at in (0.5, 0.8, 0.9, 0.95)),
                          str(sum(x >= 0.99 for x in found))])
    return table(["k", "", "least", "median", "below 0.5", "below 0.8", "below 0.9", "below 0.95",
                  "0.99 and more"], lines) if lines else [NONE]


# ---- curves ----

def by_k(m, layout, method):
    """(k, share)."""
    found = [(k, logs_of(m, layout, k, method)) for k in sorted(m.gemm)]
    return [(k, mean_share(logs)) for k, logs in found if logs]


def distribution(m, k, method):
    """(percent of shapes, share that they do not exceed), all layouts pooled."""
    found = sorted(math.exp(x) for x in logs_of(m, "all", k, method))
    return [(100 * i / len(found), share) for i, share in enumerate(found, 1)]
