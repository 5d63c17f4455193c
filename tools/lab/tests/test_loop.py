"""test_loop.py - tools/lab/peers/loop.py on a table whose shares are known, with a kpred and a race that are scripts"""
# SPDX-License-Identifier: MIT
import os
import sys

from report import check, end, folder, need, output, read, refuse, rows_of, write

for package in "python3-numpy", "python3-xgboost", "python3-sklearn":
    need(package)

FOLDER = folder()
TIME = {"1": 10., "2": 20., "4": 40., "8": 80.} # of a tuple, times m


def put(name, text):
    """A file in the folder, which may run"""
    os.chmod(write(f"{FOLDER}/{name}", text), 0o755)
    return f"{FOLDER}/{name}"


def table(name, problems, factor=lambda tile: 1.):
    """Times of all tuples."""
    rows = [f"{m},8,8,{tile},{time * m * factor(tile)}" for m in problems for tile, time in TIME.items()]
    return put(name, "\n".join(["# a comment", "m,n,k,tile,time_us", *rows, ""]))


put("spec", "[fields]\nm = size\nn = size\nk = size\n[params]\ntile = 1 2 4 8\n")
table("times.csv", [16, 32, 64])
# In one of three tables the best tuple takes three times its time, and the second one is the best.
FULL = [table(f"full{i}.csv", [20, 40], lambda tile, i=i: 3. if i == 2 and tile == "1" else 1.) for i in range(3)]
# It predicts the second best one first, then the best one, and the other model the worst one alone.
KPRED = put("kpred", 'echo rank,probability,tile\ncase $2 in */good) echo 1,1,2; echo 2,1,1;; *) echo 1,1,8;; esac\n')
RACE = put("race", r"""#!/usr/bin/env python3
import sys
words = sys.argv[1:]
words = words[words.index("CODE") + 1:]
times = [float(word) * 10 if word != "clblast" else 5. for word in words[3:]]
for i, us in enumerate(times):
    print(f"{i + 1:2} {'winner' if us == min(times) else 'slower':8} {us:10.1f} {1:8.2f} tuple")
""")
put("clblast/clblast_xgemm_1_32.json", '{"results": [{"time": 2, "parameters": {"MWG": 1}},'
      '{"time": 1, "parameters": {"MWG": 64, "PRECISION": 32}}]}')
COMMAND = (f"{sys.executable} tools/lab/peers/loop.py --kpred '{put('run', f'#!/bin/sh{chr(10)}. {KPRED}{chr(10)}')}' "
           f"--spec {FOLDER}/spec --times {FOLDER}/times.csv --full {' '.join(FULL)} --model {put('good', '')} --csv")

PRINTED = {}


def shares(options, column="share"):
    """By way and k the share, or another column, of a table that was printed once."""
    if options not in PRINTED:
        PRINTED[options] = rows_of(output(f"{COMMAND} {options}"))
    return {(row["way"], row["k"]): row[column] for row in PRINTED[options]}


def compares():
    """The ceiling: what two tables choose is the best in the third, or takes a half longer there."""
    of = shares("--before bad")
    ceiling = f"{(2 / 3) ** (1 / 3):.3f}"
    assert of["ceiling", "-"] == of["kpred", "4"] == of["nearest", "1"] == of["single", "1"] == ceiling, of
    assert of["kpred", "1"] == f"{(1 / 2 * 1 / 2) ** (1 / 3):.3f}", of
    assert of["before", "1"] == f"{(1 / 8 * 1 / 8 * 2 / 8) ** (1 / 3):.3f}", of
    # Both problems have the same share, but tables differ: of six that are drawn, two in three are without a loss.
    low, high = (shares("--before bad", column)["kpred", "4"] for column in ("low", "high"))
    assert low == f"{(2 / 3) ** (4 / 6):.3f}" and high == "1.000", (low, high)


def races():
    """Winners, and what was timed again; the file of the races is read again."""
    options = f"--finals {FOLDER}/finals.csv --race {RACE} --code CODE --clblast {FOLDER}/clblast"
    of = shares(options)
    assert of["raced", "4"] == f"{(2 / 3) ** (1 / 3):.3f}" and of["again: raced 8", "-"] == "1.000", of
    assert of["again: kpred", "-"] == "0.500", of
    assert of["again: clblast", "-"] == of["again: tuned", "-"] == "2.000", of
    assert read(f"{FOLDER}/finals.csv").count(",race 4,") == 2 * 3
    assert read(f"{FOLDER}/clblast/tuned_xgemm.txt") == "Xgemm MWG=64\nGemmRoutine XGEMM_MIN_INDIRECT_SIZE=0\n"
    assert shares(options.replace(RACE, "none")) == of


check("shares, and their ceiling", compares)
check("races, and CLBlast beside", races)
short = put("short.csv", "m,n,k,tile,time_us\n20,8,8,1,10\n")
refuse("tables that do not fit", 2, "not the same problems and tuples", f"{COMMAND} --full {FULL[0]} {short}")
end()
