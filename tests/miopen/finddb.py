"""finddb.py - prints the rows of a find-db as ingest should, and on standard error how many of each
kind it leaves out

finddb.py FILE GPU
"""
# SPDX-License-Identifier: MIT
import bz2
import collections
import sys

path, gpu = sys.argv[1:]
left_out = collections.Counter()


def fits(image, out, filters, pads, strides, dilations):
    return all(i + 2 * p >= d * (f - 1) + 1 and (i + 2 * p - d * (f - 1) - 1) // s + 1 == o
               for i, o, f, p, s, d in zip(image, out, filters, pads, strides, dilations))


for line in bz2.open(path, "rt"):
    key, _, entries = line.rstrip("\n").partition("=")
    entries = entries.split(";")
    part = key.split("-")
    dims = 2 if "x" in part[3] else 3
    numbers = [[int(x) for x in p.split("x")] for p in part[:8 + 2 * dims]]
    flat = [n[0] for n in numbers]
    first, second = flat[1:1 + dims], flat[3 + dims:3 + 2 * dims]
    filters, pads, strides, dilations = (numbers[i] for i in (1 + dims, 4 + 2 * dims, 5 + 2 * dims,
                                                              6 + 2 * dims))
    layout, dtype = part[8 + 2 * dims], part[-2]
    direction, _, groups = part[-1].partition("_g")
    c, k, image, out = flat[0], flat[2 + dims], first, second
    if direction != "F":
        c, k, image, out = k, c, out, image
    if not fits(image, out, filters, pads, strides, dilations):
        left_out["a key whose"] += len(entries)
        continue
    if dtype not in ("FP32", "FP16", "BF16"):
        left_out["a data type"] += len(entries)
        continue
    if dims == 2:
        image, filters, pads = [1] + image, [1] + filters, [0] + pads
        strides, dilations = [1] + strides, [1] + dilations
    problem = ",".join(map(str, [gpu, direction, dtype, layout, flat[3 + 2 * dims], c, *image, k,
                                 *filters, *pads, *strides, *dilations, groups or 1]))
    for entry in entries:
        solver, _, rest = entry.partition(":")
        figures = rest.split(",")
        if solver.startswith("miopen"):
            solver = figures.pop(0)
        time = 1000 * float(figures[0])
        if time == 0:
            left_out["a failed measurement"] += 1
        else:
            print("%s,%s,%.15g" % (problem, solver, time))
for kind in left_out:
    print(left_out[kind], kind, file=sys.stderr)
