"""finddb.py - compares what kpred-train ingest makes of a find-db with its own reading

finddb.py KPRED-TRAIN FILE GPU
"""
# SPDX-License-Identifier: MIT
import bz2
import collections
import subprocess
import sys
import tempfile

trainer, path, gpu = sys.argv[1:]
left_out, expected = collections.Counter(), []
FAILED = "a failed measurement (no time or speed, or one of 0)"
UNNAMED = "a data type, layout or depth that the spec does not name"
SIZES = "a key whose image sizes no convolution with its filter has"


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
        left_out[SIZES] += len(entries)
        continue
    if dtype not in ("FP32", "FP16", "BF16"):
        left_out[UNNAMED] += len(entries)
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
            left_out[FAILED] += 1
        else:
            expected.append("%s,%s,%.15g" % (problem, solver, time))


def ingest(*data):
    return subprocess.run([trainer, "ingest", "weights/conv_solver.spec", "--data", *data],
                          capture_output=True, text=True)


got = ingest(path)
assert got.returncode == 0, got.stderr
assert sorted(got.stdout.splitlines()[1:]) == sorted(expected) and len(expected) > 30000
assert sorted(line for line in got.stderr.splitlines() if " dropped " in line) == sorted(
    "kpred-train: dropped %d row%s: %s" % (n, "s" * (n > 1), kind) for kind, n in left_out.items())
with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
    table.write(got.stdout)
    table.flush()
    assert ingest(table.name).stdout == got.stdout
