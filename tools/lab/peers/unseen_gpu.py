#!/usr/bin/env python3
# unseen_gpu.py - what predictions are worth on a GPU that was left out, beside other ways to predict
# SPDX-License-Identifier: MIT
"""Leaves out each GPU in turn, predicts for it from the tables of the others, and tells what share of its
best speed the first k tuples reach.

  random   k legal tuples at random; the geometric mean over --draws draws
  mean     the tuples with the greatest mean share of the best speed over all other GPUs
  vendor   the same over the other GPUs of the same vendor
  boosted  gradient-boosted trees that learn the logarithm of the share from the parameters and the
           vendor of the GPU; all tuples that were measured are scored
  kpred    `kpred-train init` and `train` on the other files, then `kpred predict --nearest`

FILES are cache files of Kernel Tuner of one kernel, a GPU each (.json, with .bz2 or .gz), and the
kernel's T1 input. A file with other parameters than the most is left out and told. A GPU's name is
device_name, or else a piece of the file's name. A tuple that failed has the share 0.001. Figures:
share at each k, by GPU, and the geometric mean over the GPUs of a vendor.

Needs only Python; boosted needs python3-numpy and python3-xgboost, and is skipped with a message
without them.
"""
import collections
import csv
import io
import json
import math
import os
import random
import sys
import tempfile

from rows import ROOT, die, geometric_mean, open_text, parser_of, print_lines, progress, run

METHODS = "random mean vendor boosted kpred".split()
LEAST = 0.001


# ---- files ----

def read_json(path):
    """A file, maybe packed."""
    try:
        with open_text(path) as f:
            return json.load(f)
    except (OSError, ValueError) as e:
        die(f"{path}: {e}")


def vendor_of(name):
    """amd or nvidia, by a name that a driver gives or a product has."""
    return "amd" if name.upper().startswith(("AMD", "GFX", "MI", "W", "RADEON")) else "nvidia"


def read_table(path):
    """One GPU's times by tuple, None of a failure, as a dict; its name, vendor and parameters."""
    whole = read_json(path)
    if "ConfigurationSpace" in whole:
        return None
    if "cache" not in whole:
        die(f"{path}: is neither a cache file of Kernel Tuner nor a T1 input")
    keys, times = whole["tune_params_keys"], {}
    for entry in whole["cache"].values():
        time = entry["time"]
        good = not isinstance(time, str) and time < 1e19
        times[tuple(entry[k] for k in keys)] = time if good else None
    pieces = os.path.basename(path).split(".")
    gpu = whole["device_name"] or pieces[len(pieces) > 2 and pieces[1] != "json"]
    best = min(t for t in times.values() if t)
    return {"path": path, "gpu": gpu, "vendor": vendor_of(gpu), "keys": keys,
            "share": {c: best / t if t else LEAST for c, t in times.items()}}


def read_tables(paths):
    """The tables of the most common parameters, and the T1 input."""
    tables = [(p, read_table(p)) for p in paths]
    inputs = [p for p, t in tables if t is None]
    tables = [t for _, t in tables if t]
    if len(tables) < 3:
        die("three cache files at least: each GPU is predicted from the others")
    common = collections.Counter(tuple(t["keys"]) for t in tables).most_common(1)[0][0]
    for t in tables:
        if tuple(t["keys"]) != common:
            print(f"left out: {t['path']} has other parameters", file=sys.stderr)
    return [t for t in tables if tuple(t["keys"]) == common], inputs


# ---- methods: from the table left out and the others, tuples, best first ----

def by_mean(others, count):
    """The tuples with the greatest mean share."""
    total = collections.defaultdict(float)
    for t in others:
        for c, share in t["share"].items():
            total[c] += share
    return sorted(total, key=lambda c: (-total[c], c))[:count]


def mean(_left, others, count, _options):
    """Over all others."""
    return by_mean(others, count)


def vendor(left, others, count, _options):
    """Over those of the same vendor, or over all where there is none."""
    same = [t for t in others if t["vendor"] == left["vendor"]]
    return by_mean(same or others, count)


def boosted(left, others, count, _options):
    """By trees over parameters and vendor."""
    # pylint: disable=import-outside-toplevel
    import numpy as np
    from xgboost import XGBRegressor
    rows = [(*c, t["vendor"] == "amd", math.log(share)) for t in others for c, share in t["share"].items()]
    data = np.array(rows, float)
    tuples = sorted({c for t in others for c in t["share"]})
    ask = np.array([(*c, left["vendor"] == "amd") for c in tuples], float)
    trees = XGBRegressor(n_estimators=400, max_depth=8, learning_rate=0.1, n_jobs=2, random_state=1)
    trees.fit(data[:, :-1], data[:, -1])
    return [tuples[i] for i in np.argsort(-trees.predict(ask), kind="stable")[:count]]


def kpred(left, others, count, options):
    """A model of the others, asked for a GPU that it lacks."""
    with tempfile.TemporaryDirectory() as folder:
        spec, header = os.path.join(folder, "own.spec"), os.path.join(folder, "own.h")
        files = [t["path"] for t in others]
        run(options.trainer, "init", *options.inputs, *files, "-o", spec)
        run(options.trainer, "train", spec, "--data", *files, "-o", header)
        sizes = [f"{k}={v}" for k, v in options.sizes]
        text = run(options.kpred, "predict", header, "gpu=" + left["gpu"], *sizes, "--nearest", "-k",
                   str(count), "--csv").stdout
    lines = csv.DictReader(io.StringIO(text))
    return [tuple(int(line[k]) for k in left["keys"]) for line in lines]


# ---- figures ----

def reached(left, tuples):
    """The share of the best of them."""
    return max(left["share"].get(c, LEAST) for c in tuples)


def at_random(left, counts, draws):
    """The same of random tuples."""
    tuples, draw = sorted(left["share"]), random.Random(1)
    return [geometric_mean([reached(left, draw.sample(tuples, k)) for _ in range(draws)]) for k in counts]


def shares_of(method, left, others, options):
    """At each k."""
    if method == "random":
        return at_random(left, options.counts, options.draws)
    order = globals()[method](left, others, max(options.counts), options)
    return [reached(left, order[:k]) for k in options.counts]


def lines_of(method, tables, options):
    """A line a GPU, then one a vendor."""
    lines, by_vendor = [], collections.defaultdict(list)
    for left in tables:
        progress(f"{method}: {left['gpu']}")
        others = [t for t in tables if t is not left]
        shares = shares_of(method, left, others, options)
        by_vendor[left["vendor"]].append(shares)
        lines.append([method, left["vendor"], left["gpu"], *(f"{s:.3f}" for s in shares)])
    for name, all_shares in sorted(by_vendor.items()):
        means = [f"{geometric_mean(column):.3f}" for column in zip(*all_shares)]
        lines.append([method, name, "all", *means])
    progress("")
    return lines


def main():
    """See the top of the file."""
    p = parser_of(__doc__)
    p.add_argument("files", nargs="+", metavar="FILE")
    p.add_argument("--methods", default=",".join(METHODS), help="some of " + ", ".join(METHODS))
    p.add_argument("-k", default="1,4,10", help="lengths of lists")
    p.add_argument("--draws", type=int, default=1000, help="of random")
    p.add_argument("--trainer", default=os.path.join(ROOT, "build/kpred-train"))
    p.add_argument("--kpred", default=os.path.join(ROOT, "build/kpred"))
    p.add_argument("--csv", action="store_true")
    options = p.parse_args()
    options.counts = sorted({int(k) for k in options.k.split(",")})
    methods = options.methods.split(",")
    if set(methods) - set(METHODS):
        die(f"--methods {options.methods}: some of {', '.join(METHODS)}")
    tables, options.inputs = read_tables(options.files)
    sizes = read_json(tables[0]["path"])["problem_size"]
    sizes = sizes if isinstance(sizes, list) else [sizes]
    options.sizes = [("problem_size_" + "xyz34567"[i], v) for i, v in enumerate(sizes)]
    lines = []
    for method in methods:
        try:
            lines += lines_of(method, tables, options)
        except ImportError as missing:
            print(f"skip {method}: {missing}", file=sys.stderr)
    print_lines(["method", "vendor", "gpu", *(f"share_{k}" for k in options.counts)], lines, options)


if __name__ == "__main__":
    main()
