#!/usr/bin/env python3
"""returned.py - every tuple of a model passes the oracle, and every problem has one; else status 1

returned.py ORACLE MODEL < lines of returned.c: problems are those to which the oracle says that the
kernel applies. Of a kernel that the oracle does not know it says so.
"""
# SPDX-License-Identifier: MIT
import sys

from rules_oracle import (DIRS, DTYPES, GPUS, KERNELS, LAYOUTS, Conv2d, Problem, first_failure,
                          load_oracle, rules_of)

TOKENS = {token: i for tokens in (GPUS, DIRS, DTYPES, LAYOUTS) for i, token in enumerate(tokens)}


def kernel_of(model):
    """The number of the kernel whose name the model's begins with, the longest one; or None."""
    known = [i for i, k in enumerate(KERNELS) if k.oracle and model.startswith(k.name)]
    return max(known, key=lambda i: len(KERNELS[i].name), default=None)


def main():
    model, kernel = sys.argv[2], kernel_of(sys.argv[2])
    if kernel is None:
        print(f"{model}: the oracle does not know its kernel")
        return
    oracle = load_oracle(sys.argv[1])
    rules, kind = rules_of(oracle, kernel), Problem if KERNELS[kernel].filter else Conv2d
    problems = tuples = bad = none = 0
    for line in sys.stdin:
        head, *rest = line.rstrip("\n").split(";")
        fields = [TOKENS[x] if x in TOKENS else int(x) for x in head.split(" ")[1].split(",")]
        problem = kind(kernel, *fields)
        view = problem.oracle(oracle)
        problems += 1
        tuples += len(rest)
        if not rest and problem.applies(oracle, view):
            none += 1
            print("no tuple:", line.strip())
        for text in rest:
            values = tuple(int(x) for x in text.split(","))
            if first_failure(rules, view, values) <= len(values):
                bad += 1
                print("illegal:", head, text)
    print(f"{model}: {problems} problems, {tuples} tuples, {bad} illegal, {none} without a tuple")
    sys.exit(1 if bad or none or not tuples else 0)


main()
