#!/usr/bin/env python3
# aiter_rows.py SPEC FAMILY DIR [retunes] - the rows of AITER's tables in DIR as `kpred-train ingest`
# writes them, by the reader of tools/peers, which shares no code with it
# SPDX-License-Identifier: MIT
#
# aiter_rows.py compare A B: are the rows of two such files the same, the order apart? Says what is not.
import collections
import csv
import statistics
import sys

sys.path[:0] = ["tools/peers", "tests/harness"]

from aiter_rows import read_retunes, read_tables  # noqa: E402: needs the path
from rows import print_csv, read_sections  # noqa: E402

HEADING = "gpu,m,n,k,split,library,tile_m,tile_n,tile_k,variant,time_us".split(",")


def kernels_of(spec):
    """By name, the numbers and the architectures that [kernels] gives."""
    found = {}
    for key, value in read_sections(spec)["kernels"][1:]:
        name, *ids = value.split()
        found[name] = key.split(), {i.partition(":")[0] for i in ids}
    return found


def rows_of(runs, kernels):
    """Of one file, by problem and class the median time, of kernels of the spec that the GPU has."""
    times = collections.defaultdict(list)
    for run in runs:
        values, archs = kernels.get(run.label[1], (None, ()))
        if values and run.problem[0].partition("_")[0] in archs:
            times[(*run.problem, run.label[2], *values)].append(run.us)
    return [[*key, statistics.median(times[key])] for key in times]


def write(spec, family, folder, *more):
    """The rows as CSV: a problem and class that a table and the retunes have comes twice."""
    kernels = kernels_of(spec)
    rows = rows_of(read_tables(folder, family), kernels)
    if more:
        rows += rows_of(read_retunes(folder, family), kernels)
    print_csv(HEADING, rows)


def read(path):
    """Rows in order, (cells, time)."""
    with open(path, encoding="utf-8", newline="") as f:
        heading, *lines = csv.reader(f)
    if heading != HEADING:
        sys.exit(f"{path}: columns {','.join(heading)}")
    return sorted((line[:-1], float(line[-1])) for line in lines)


def compare(a, b):
    """Ends with 1 if they differ; a time may be rounded."""
    one, other = read(a), read(b)
    for (x, t), (y, u) in zip(one, other):
        if x != y or abs(t - u) > 2e-4 + 1e-6 * t:
            sys.exit(f"{a}: {x} {t}, {b}: {y} {u}: not the same")
    if len(one) != len(other) or not one:
        sys.exit(f"{a}: {len(one)} rows, {b}: {len(other)} rows: not the same")


if __name__ == "__main__":
    {"compare": compare}.get(sys.argv[1], lambda *rest: write(sys.argv[1], *rest))(*sys.argv[2:])
