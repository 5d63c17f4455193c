"""hf_pairs.py - does each (N, K) of AITER's untuned lists come out of a model's config?
SPDX-License-Identifier: MIT

usage: hf_pairs.py UNTUNED.csv.bz2 LIST.csv...

The lists are those that kpred-train made, one for each --tp. Prints each pair that none of them has.
"""
import bz2
import csv
import sys


def pairs(text):
    rows = csv.DictReader(text.splitlines())
    assert rows.fieldnames[:3] == ["M", "N", "K"], rows.fieldnames
    return {(int(row["N"]), int(row["K"])) for row in rows}


def main(untuned, *lists):
    asked = pairs(bz2.open(untuned, "rt", encoding="utf-8").read())
    made = set()
    for path in lists:
        with open(path, encoding="utf-8") as file:
            made |= pairs(file.read())
    for n, k in sorted(asked - made):
        print(f"no --tp gives N = {n}, K = {k}")
    return len(asked) < 2 or not asked <= made


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
