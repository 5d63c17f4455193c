#!/usr/bin/env python3
# shares.py - methods compared on the same timed problems
# SPDX-License-Identifier: MIT
"""Compares methods on the same timed problems: pooled shares of the optimum and their differences.

Reads what `gemm.py --hits FILE` and `kpred-train eval --hits FILE` wrote for timed data; the two
number problems alike, so that their files can be joined. Files of several models, and of all folds
of a split, pool. The share is the geometric mean, as eval prints it. A difference is the method's
share less that of the one it is compared with, on the same problems; its interval is that of 95
percent of so many resamples of the problems (--resamples), the same ones for every method.
"""
import collections
import math
import random

from rows import TIMED_HITS, die, parser_of, print_lines, read_outcomes

HEADING = "k,method,n,share,against,difference,low,high".split(",")


def read_hits(paths):
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


def compare(k, methods, options):
    """Lines of one k."""
    if options.against not in methods:
        die(f"k = {k}: there is no method \"{options.against}\", only {', '.join(methods)}")
    other = methods[options.against]
    for method, of in methods.items():
        if of.keys() != other.keys():
            die(f"k = {k}: {method} and {options.against}: not measured on the same problems")
        a, b = ([m[key] for key in sorted(other)] for m in (of, other))
        line = [str(k), method, str(len(a)), f"{mean_share(a):.4f}"]
        if method == options.against:
            yield [*line, "-", "-", "-", "-"]
        else:
            low, high = interval(a, b, options.resamples)
            yield [*line, options.against, f"{mean_share(a) - mean_share(b):+.4f}",
                   f"{low:+.4f}", f"{high:+.4f}"]


def main():
    """A line for every k and method."""
    p = parser_of(__doc__)
    p.add_argument("hits", nargs="+", help="files that --hits wrote")
    p.add_argument("--against", default="additive", help="the method to compare with")
    p.add_argument("--resamples", type=int, default=10000, help="of the problems")
    p.add_argument("--csv", action="store_true", help="CSV instead of a table")
    options = p.parse_args()
    if options.resamples < 100:
        p.error("--resamples: at least 100")
    lines = []
    for k, methods in sorted(read_hits(options.hits).items()):
        lines += compare(k, methods, options)
    print_lines(HEADING, lines, options)


if __name__ == "__main__":
    main()
