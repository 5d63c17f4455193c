# SPDX-License-Identifier: MIT
"""own_lines.py - the lines of own.py: of each table, the means over tables, and what fits a screen"""
import numpy as np

from own_kinds import SETS
from rows import print_table

HEADING = "table,set,n,method,k,share,se,ahead,ahead_se,best,cpu_s,mib".split(",")
PLACES = (1, 4, 10)
OURS = "kpred", "kpred_hand", "ruleless"


def is_hand(way):
    """Does it see the formulas of the author?"""
    return way.endswith("_hand")


def rival(way):
    """The way of kpred that it is compared with, which has formulas if it has; kpred_hand is with kpred."""
    return "kpred_hand" if is_hand(way) and way not in OURS else "kpred"


def error(x):
    """The standard error of means; of a single number there is none."""
    return x.std(0, ddof=1) / len(x) ** .5 if len(x) > 1 else 0.


def line(table, set_name, n, way, k, figures, is_best, cost):
    """The cells of a line."""
    share, se, ahead, ahead_se = figures
    return [table, set_name, str(n), way, str(k), f"{share:.3f}", f"{se:.3f}", f"{ahead:+.3f}", f"{ahead_se:.3f}",
            "yes" if is_best else "-", *("-" if np.isnan(x) else f"{x:.0f}" for x in cost)]


def set_lines(table, set_name, share, cost):
    """Of the shares of each way on the problems of a set, a line for each way and place."""
    best = [{max((w for w in share if w not in OURS and is_hand(w) == hand), default=None,
                 key=lambda w, at=at: share[w][:, at].mean()) for hand in (False, True)} for at in range(len(PLACES))]
    for way, shares in share.items():
        for at, k in enumerate(PLACES):
            ahead = share.get(rival(way), shares)[:, at] - shares[:, at]
            yield line(table, set_name, len(shares), way, k, [shares[:, at].mean(), error(shares[:, at]),
                                                              ahead.mean(), error(ahead)], way in best[at], cost[way])


# ---- means over tables ----

def pooled(table, set_name, lines):
    """The mean over lines: of each way, and of the best of each table but kpred."""
    groups = {}
    for of in lines:
        for way in [of["method"]] + ["best_hand" if is_hand(of["method"]) else "best"] * (of["best"] == "yes"):
            groups.setdefault((way, of["k"]), []).append(of)
    for (way, k), found in sorted(groups.items(), key=lambda x: (x[0][0][:4] == "best", x[0][0] == "kpred")):
        share, se, ahead, ahead_se, *cost = (
            np.array([float(of[name].replace("-", "nan", of[name] == "-")) for of in found])
            for name in "share,se,ahead,ahead_se,cpu_s,mib".split(","))
        errors = [(x ** 2).sum() ** .5 / len(found) for x in (se, ahead_se)]
        yield line(table, set_name, len(found), way, k, [share.mean(), errors[0], ahead.mean(), errors[1]],
                   way[:4] == "best", [x.mean() for x in cost])


def pools(lines):
    """The lines of all means: of the sets of each made-up kernel and of all of them, and of all that there is."""
    groups, lines = {}, [dict(zip(HEADING, cells)) for cells in lines]
    for of in lines:
        if of["set"] != "-":
            for table in "_".join(of["table"].split("_")[:2]), "own":
                groups.setdefault((table, of["set"]), []).append(of)
    for (table, set_name), found in sorted(groups.items(), key=lambda x: x[0][0] == "own"):
        yield from pooled(table, set_name, found)
    yield from pooled("all", "-", lines)


# ---- what fits a screen ----

def shares_of(lines, way):
    """At each place, as in .952/.981/.990."""
    return "/".join(of["share"].lstrip("0") for of in lines if of["method"] == way) or "-"


def thousandths(ahead, se):
    """As in +12±4; * marks what is behind by over an error."""
    return f"{1000 * ahead:+.0f}±{1000 * se:.0f}{'*' * (ahead < -se)}"


def lead(lines, hand, text):
    """How far kpred is ahead of the best of the others at k = 1, as text(ahead, error) has it."""
    best = [of for of in lines if of["best"] == "yes" and is_hand(of["method"]) == hand and of["k"] == "1"]
    is_there = best and shares_of(lines, rival(best[0]["method"])) != "-"
    return text(float(best[0]["ahead"]), float(best[0]["ahead_se"])) if is_there else "-"


def mean_cells(of, hand):
    """By set of the made-up kernels, and by real table, what the ways reach."""
    rows = [("own", s) for s in SETS] + [key for key in of if key[1] == "-"]
    for table, set_name in (key for key in rows if key in of):
        lines = of[table, set_name]
        shares = [shares_of(lines, way + "_hand" * hand) for way in ("kpred", "xgboost", "forest")]
        if set(shares) != {"-"}:
            yield [set_name if table == "own" else table, *shares, lead(lines, hand, "{:+.3f} ± {:.3f}".format)]


def kernel_cells(of, sets, hand):
    """By made-up kernel and set how far kpred is ahead."""
    for table in dict.fromkeys(t for t, s in of if t.count("_") == 1 and s != "-"):
        yield [table[4:], *(lead(of.get((table, s), ()), hand, thousandths) for s in sets)]


def print_summary(lines):
    """Of all lines what counts, within 80 columns."""
    of = {}
    for cells in lines:
        of.setdefault((cells[0], cells[1]), []).append(dict(zip(HEADING, cells)))
    sets = [s for s in SETS if ("own", s) in of]
    for hand, formulas in (False, ""), (True, " with formulas"):
        means = list(mean_cells(of, hand))
        if means:
            print(f"\nMean shares{formulas}, k = {'/'.join(map(str, PLACES))}; ahead of the best of the others, k = 1")
            print_table(["sizes", "kpred", "XGBoost", "forest", "ahead"], means)
        if means and sets:
            print(f"\nAhead{formulas} at k = 1, in thousandths; * behind by over an error")
            print_table(["kernel", *sets], list(kernel_cells(of, sets, hand)))
