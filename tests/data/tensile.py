"""tensile.py - prints the rows of a table of Tensile as ingest should"""
# SPDX-License-Identifier: MIT
import bz2
import re
import sys

path, spec = sys.argv[1:]
names = [line.split()[0] for line in
         open(spec).read().split("[params]")[1].split("[")[0].split("\n") if line.strip()]
lines = bz2.open(path, "rt").read().splitlines()
head = [cell.strip() for cell in lines[0].split(",")]
first = head.index("TotalFlops")
kernels = []
for column in head[first + 1:]:
    tile = dict(zip(("MT0", "MT1", "MT2"), re.search(r"_MT(\d+)x(\d+)x(\d+)_", column).groups()))
    kernels.append(",".join(tile[name] if name in tile else
                            re.search("_%s([0-9]+)(?=_|$)" % name, column).group(1)
                            for name in names))
for line in lines[1:]:
    cells = line.split(",")
    problem = ",".join(cells[i].strip() for i in range(1, 5))
    for kernel, speed in zip(kernels, cells[first + 1:]):
        print("%s,%s,%.15g" % (problem, kernel, float(cells[first]) / float(speed) / 1000))
