#!/usr/bin/env python3
# paired.py - methods compared on the same rows: Pft row by row, or pooled shares of the optimum
# SPDX-License-Identifier: MIT
"""Compares methods on the same test rows, by what `kpred-train eval --hits FILE` and the scripts beside
this one wrote with --hits; all of them number rows alike, so that their files can be joined.

Files without times, such as those of classics.py: differences of Pft@k and their errors. A difference
is the method's Pft less that of the one it is compared with, in points; its standard error is over groups
of rows with the same split key, as for Pft itself. Two methods that miss the same problems differ less
than their own errors suggest, so this tells smaller differences apart than two columns of figures do.

Files of timed data, such as those of gemm.py and solvers.py: shares of the optimum. Files of several
models, and of all folds of a split, pool. The share is the geometric mean, as eval prints it. A difference
is the method's share less that of the one it is compared with, on the same problems; its interval is that
of 95 percent of so many resamples of the problems (--resamples), the same ones for every method.
"""
import collections
import math
import random

from rows import (HITS, TIMED_HITS, die, first_line, parser_of, print_lines, read_outcomes, share_and_error)

HEADING = "model,split,k,method,against,n,groups,difference,se".split(",")
TIMED_HEADING = "k,method,n,share,against,difference,low,high".split(",")


# ---- Pft ----

def read_hits(paths):
    """Outcomes by (model, split, k) and method: a dict from row to (key, hit)."""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for path in paths:
        for at, (method, model, split, key, row, k, hit, _) in read_outcomes(path, HITS):
            if row in found[model, split, k][method]:
                die(f"{at}: row {row} of method \"{method}\" comes twice")
            found[model, split, k][method][row] = (key, int(hit))
    return found


def difference(a, b, what):
    """n, groups, difference in points and its error; both must be of the same rows. An outcome is
    of a row: (unit, hit)."""
    if a.keys() != b.keys():
        die(f"{what}: not measured on the same rows")
    for r, (key, _) in a.items():
        if b[r][0] != key:
            die(f"{what}: row {r} is \"{key}\" and \"{b[r][0]}\": not of the same data")
    rows = list(a)
    units = [a[r][0] for r in rows]
    return (len(rows), len(set(units)), *share_and_error([a[r][1] - b[r][1] for r in rows], units))


def pft_lines(options):
    """A line for every method, model, split and k."""
    against = options.against or "network"
    for (model, split, k), methods in read_hits(options.hits).items():
        if against not in methods:
            die(f"{model}, split {split}, k = {k}: there is no method \"{against}\", only {', '.join(methods)}")
        other = methods.pop(against)
        for method, rows in methods.items():
            n, groups, points, se = difference(rows, other, f"{method} and {against}")
            yield [model, split, k, method, against, str(n), str(groups), f"{points:+.2f}", f"{se:.2f}"]


# ---- shares ----

def read_shares(paths):
    """By k and method: from (model, row) to the logarithm of the share."""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for path in paths:
        for _, (method, model, _, _, row, k, _, _, share, _) in read_outcomes(path, TIMED_HITS):
            of = found[int(k)][method]
            if (model, row) in of:
                die(f"{path}: row {row} of {model}, method \"{method}\", comes twice")
            of[model, row] = math.log(float(share))
    return found


def mean_share(logs):
    """Geometric mean."""
    return math.exp(sum(logs) / len(logs))


def interval(a, b, resamples):
    """The middle 95 percent of differences over resampled problems."""
    draw = random.Random(1)
    n, found = len(a), []
    for _ in range(resamples):
        pick = draw.choices(range(n), k=n)
        found.append(mean_share([a[i] for i in pick]) - mean_share([b[i] for i in pick]))
    found.sort()
    return found[int(0.025 * resamples)], found[int(0.975 * resamples)]


def share_lines_of(k, methods, against, resamples):
    """Lines of one k."""
    if against not in methods:
        die(f"k = {k}: there is no method \"{against}\", only {', '.join(methods)}")
    other = methods[against]
    for method, of in methods.items():
        if of.keys() != other.keys():
            die(f"k = {k}: {method} and {against}: not measured on the same problems")
        a, b = ([m[key] for key in sorted(other)] for m in (of, other))
        line = [str(k), method, str(len(a)), f"{mean_share(a):.4f}"]
        if method == against:
            yield [*line, "-", "-", "-", "-"]
        else:
            low, high = interval(a, b, resamples)
            yield [*line, against, f"{mean_share(a) - mean_share(b):+.4f}", f"{low:+.4f}", f"{high:+.4f}"]


def share_lines(options):
    """A line for every k and method."""
    for k, methods in sorted(read_shares(options.hits).items()):
        yield from share_lines_of(k, methods, options.against or "additive", options.resamples)


def main():
    """The lines of the one or the other."""
    p = parser_of(__doc__)
    p.add_argument("hits", nargs="+", help="files that --hits wrote")
    p.add_argument("--against", help="the method to compare with (default: network; of timed data additive)")
    p.add_argument("--resamples", type=int, default=10000, help="of the problems of timed data")
    p.add_argument("--csv", action="store_true", help="CSV instead of a table")
    options = p.parse_args()
    if options.resamples < 100:
        p.error("--resamples: at least 100")
    is_timed = first_line(options.hits[0]) == TIMED_HITS
    lines = (share_lines if is_timed else pft_lines)(options)
    print_lines(TIMED_HEADING if is_timed else HEADING, list(lines), options)


if __name__ == "__main__":
    main()
