"""shares.py - what eval should say of timed data, from what predict prints

shares.py worth KPRED NAME K,...   prints pft, exact and shares of NAME.h for every k
shares.py fold I                   asserts that the rows of hits.csv are those of fold I of 4
"""
# SPDX-License-Identifier: MIT
import csv
import math
import subprocess
import sys


def worth(kpred, name, ks):
    ks = [int(k) for k in ks.split(",")]
    problems = {}
    with open(name.split("-")[0] + ".csv") as f:
        for line in csv.DictReader(f):
            values = tuple(line[x] for x in ("tile", "part") if x in line)
            options = problems.setdefault((int(line["m"]), int(line["n"])), {})
            options[values] = float(line["time_us"])
    problems = {p: o for p, o in problems.items() if len(o) > 1}
    for k in ks:
        shares, exact, hits = [], 0, 0
        for (m, n), options in problems.items():
            most = 3 if name.startswith("one") else k
            command = [kpred, "predict", name + ".h", f"m={m}", f"n={n}", "-k", str(most), "--csv"]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            ranking = [tuple(x.split(",")[2:]) for x in out.splitlines()[1:]]
            found = [options[t] for t in ranking if t in options][:k]
            best = min(options.values())
            share = best / min(found) if found else best / max(options.values())
            shares.append(share)
            exact += share == 1
            hits += min(options, key=options.get) in ranking[:k]
        shares.sort()
        count = len(shares)
        mean = math.exp(sum(map(math.log, shares)) / count)
        at = [shares[max(math.ceil(count * q / 100), 1) - 1] for q in (1, 5)]
        print(f"{name.split('-')[0]},all,all,all,{k},{count},{100 * hits / count:.2f}",
              f"{100 * exact / count:.2f},{mean:.5f},{at[0]:.5f},{at[1]:.5f}", sep=";")


def fold(number):
    order, rows = [], {}
    for line in csv.DictReader(open("two.csv")):
        key = (int(line["m"]), int(line["n"]))
        rows.setdefault(key, []).append(line)
        if key not in order:
            order.append(key)
    want = {k for i, k in enumerate(order) if i % 4 == int(number) and len(rows[k]) > 1}
    first, row = {}, 0  # the rows of the sorted data, from 1
    for key in sorted(rows):
        first[row + 1] = key
        row += len(rows[key])
    got = {first[int(x["row"])] for x in csv.DictReader(open("hits.csv"))}
    assert got == want, (got ^ want)


{"worth": worth, "fold": fold}[sys.argv[1]](*sys.argv[2:])
