"""hf_pairs.py - does each (N, K) of AITER's lists come out of a model's config?
SPDX-License-Identifier: MIT

usage: hf_pairs.py TABLE.csv.bz2 LIST.csv...

The table is an untuned list or a tuned table. The lists are those that kpred-train made, one for each --tp. Prints each pair that none of them has.
"""
import bz2
import csv
import sys


def pairs(text):
    rows = csv.DictReader(text.splitlines())
    return {(int(row["N"]), int(row["K"])) for row in rows}


def main(table, *lists):
    asked = pairs(bz2.open(table, "rt", encoding="utf-8").read())
    made = set()
    for path in lists:
        with open(path, encoding="utf-8") as file:
            made |= pairs(file.read())
    for n, k in sorted(asked - made):
        print(f"no --tp gives N = {n}, K = {k}")
    return len(asked) < 2 or not asked <= made


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
