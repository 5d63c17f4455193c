"""test_loop.py - tools/lab/peers/loop.py on a table whose shares are known, with a kpred that is a script"""
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
# It predicts the second best one first, then the best one.
KPRED = put("kpred", 'echo rank,probability,tile\necho 1,1,2; echo 2,1,1\n')
RACED = put("raced.csv", "m,n,k,way,tuple,time_us\n20,8,8,race 4,8,1\n" + "".join(
    f"{m},8,8,race {k},{tile},1\n" for m in (20, 40) for k, tile in ((4, 2), (8, 1))))
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
    of = shares("")
    ceiling = f"{(2 / 3) ** (1 / 3):.3f}"
    assert of["ceiling", "-"] == of["kpred", "4"] == of["nearest", "1"] == of["single", "1"] == ceiling, of
    assert of["kpred", "1"] == f"{(1 / 2 * 1 / 2) ** (1 / 3):.3f}", of
    # Both problems have the same share, but tables differ: of six that are drawn, two in three are without a loss.
    low, high = (shares("", column)["kpred", "4"] for column in ("low", "high"))
    assert low == f"{(2 / 3) ** (4 / 6):.3f}" and high == "1.000", (low, high)


def races():
    """The winner of each problem's last race."""
    of = shares(f"--raced {RACED}")
    assert of["raced", "4"] == of["kpred", "1"] and of["raced", "8"] == f"{(2 / 3) ** (1 / 3):.3f}", of


def cut():
    """A problem that a table has not whole is left out."""
    short = put("short.csv", "\n".join(read(FULL[2]).splitlines()[:-1]) + "\n")
    of = rows_of(output(f"{COMMAND} --full {FULL[0]} {FULL[1]} {short}"))
    whole = rows_of(output(f"{COMMAND} --full " + " ".join(table(f"one{i}.csv", [20], lambda tile, i=i:
        3. if i == 2 and tile == "1" else 1.) for i in range(3))))
    assert of == whole, (of, whole)


check("shares, and their ceiling", compares)
check("winners of races", races)
check("a problem that is cut", cut)
short = put("short.csv", "m,n,k,tile,time_us\n20,8,8,1,10\n")
refuse("tables that do not fit", 2, "no problem has the same tuples in all full tables", f"{COMMAND} --full {FULL[0]} {short}")
end()
