#!/usr/bin/env python3
# tuner_means.py - means over replays of tuners
# SPDX-License-Identifier: MIT
"""Means over what `kpred-train tune --replay` and tools/lab/peers/tuners.py print, in one CSV.

A figure is the mean number of measurements until within 5 / 1 percent of the best time, a miss being
the budget: over the seeds of a table, then over the tables. The interval is that of 95 percent of so
many resamples of the seeds (--resamples), each table's by itself.

Tables of one kernel stand together, those of AMD and of NVIDIA apart but for convolution; so does
each table that has not all parameters.
"""
import collections
import csv
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "peers"))

from rows import die, parser_of, print_lines  # noqa: E402: needs the path

ROW = "table,strategy,start,seed,evals_5,evals_1,share".split(",")
STARTS = "cold", "data", "model", "data+model"


def group_of(table):
    """What a table is counted with: by its name, KERNEL_milo.GPU.json.gz."""
    kernel, gpu = (table.split(".") + [""])[:2]
    kernel = kernel.removesuffix("_milo")
    if gpu.endswith("_original"):
        return f"{kernel}, {gpu.removesuffix('_original')}"
    vendor = "AMD" if gpu[:2] == "MI" or gpu[:1] == "W" else "NVIDIA"
    return kernel if kernel == "convolution" else f"{kernel}, {vendor}"


def read_rows(path):
    """By group, start and strategy: of each table the pairs of evaluations."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    try:
        with open(path, encoding="utf-8", newline="") as f:
            lines = csv.DictReader(f)
            if lines.fieldnames != ROW:
                die(f"{path}: its columns are not {','.join(ROW)}")
            for row in lines:
                key = group_of(row["table"]), row["start"], row["strategy"]
                if row["start"] not in STARTS:
                    die(f"{path}: start \"{row['start']}\": none of {', '.join(STARTS)}")
                found[key][row["table"]].append((int(row["evals_5"]), int(row["evals_1"])))
    except (OSError, ValueError, TypeError, UnicodeDecodeError) as e:
        die(f"{path}: {e}")
    if not found:
        die(f"{path}: has no rows")
    return found


def mean(tables, at):
    """Over seeds, then over tables."""
    return sum(sum(run[at] for run in runs) / len(runs) for runs in tables) / len(tables)


def interval(tables, at, resamples):
    """The middle 95 percent of the means over resampled seeds."""
    draw = random.Random(1)
    found = sorted(mean([draw.choices(runs, k=len(runs)) for runs in tables], at) for _ in range(resamples))
    return found[int(0.025 * resamples)], found[int(0.975 * resamples)]


def lines_of(found, options):
    """A line for each group, start, and strategy, the fewest measurements first."""
    def place(key):
        return key[0], STARTS.index(key[1]), mean(list(found[key].values()), 1)
    for key in sorted(found, key=place):
        tables = list(found[key].values())
        line = [*key, str(len(tables)), str(min(map(len, tables)))]
        for at in (0, 1):
            low, high = interval(tables, at, options.resamples)
            line += [f"{mean(tables, at):.1f}", f"{low:.1f}", f"{high:.1f}"]
        yield line


def main():
    """The table."""
    p = parser_of(__doc__)
    p.add_argument("rows", help="what the replays printed, as CSV")
    p.add_argument("--resamples", type=int, default=2000, help="of the seeds")
    p.add_argument("--csv", action="store_true", help="CSV instead of a table")
    options = p.parse_args()
    if options.resamples < 100:
        die("--resamples: at least 100")
    found = read_rows(options.rows)
    print_lines("kernel,start,strategy,tables,seeds,evals_5,low,high,evals_1,low,high".split(","),
                list(lines_of(found, options)), options)


if __name__ == "__main__":
    main()
