#!/usr/bin/env python3
# paired.py - methods compared row by row on the same test rows
# SPDX-License-Identifier: MIT
"""Compares methods on the same test rows, row by row: differences of Pft@k and their errors.

Reads what `classics.py --hits FILE` and `kpred-train eval --hits FILE` wrote; the two number rows
alike, so that their files can be joined. A difference is the method's Pft less that of the one it
is compared with, in points; its standard error is over groups of rows with the same split key, as
for Pft itself. Two methods that miss the same problems differ less than their own errors suggest,
so this tells smaller differences apart than two columns of figures do.
"""
import collections

from rows import HITS, die, parser_of, print_lines, read_outcomes, share_and_error

HEADING = "model,split,k,method,against,n,groups,difference,se".split(",")


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
    return (len(rows), len(set(units)),
            *share_and_error([a[r][1] - b[r][1] for r in rows], units))


def main():
    """A line for every method, model, split and k."""
    p = parser_of(__doc__)
    p.add_argument("hits", nargs="+", help="files that --hits wrote")
    p.add_argument("--against", default="network", help="the method to compare with")
    p.add_argument("--csv", action="store_true", help="CSV instead of a table")
    options = p.parse_args()
    lines = []
    for (model, split, k), methods in read_hits(options.hits).items():
        if options.against not in methods:
            die(f"{model}, split {split}, k = {k}: there is no method \"{options.against}\", only "
                f"{', '.join(methods)}")
        other = methods.pop(options.against)
        for method, rows in methods.items():
            n, groups, points, se = difference(rows, other, f"{method} and {options.against}")
            lines.append([model, split, k, method, options.against, str(n), str(groups),
                          f"{points:+.2f}", f"{se:.2f}"])
    print_lines(HEADING, lines, options)


if __name__ == "__main__":
    main()
