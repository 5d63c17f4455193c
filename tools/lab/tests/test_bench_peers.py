"""test_bench_peers.py - tools/lab/bench with small models: its peers predict what classics.py predicts

The objects are those of make bench-peers, but in BUILD/check, where they stay; the trees are few.
"""
# SPDX-License-Identifier: MIT
import csv
import glob
import os
import platform
import re
import sys

from report import BUILD, TRAINER, check, check_with, end, folder, need, output, read, refuse, rows_of, run, skip, write

MIOPEN_DB = os.environ.get("MIOPEN_DB", "../shared/miopen/data")
DATA = [f"{MIOPEN_DB}/{gpu}.db.bz2" for gpu in ("gfx900_56", "gfx906_60")]
for needed in TRAINER, "weights/conv_asm_1x1u.h", *DATA, "python3-numpy":
    need(needed)
if platform.system() != "Linux":
    skip("all", "it needs Linux")
    end()
os.environ["OMP_NUM_THREADS"] = "1"
sys.path.insert(1, "tools/lab/peers")

import bench_models
import classics
import numpy as np
from native import allowed

CHECKED = 64 # problems
BEAMS = 1, 10
AGREE = {"nearest-db": 0.95} # of the tuples, else 0.99: sums of other precision exchange what is all but equal
SAME = {"chain": ("xgboost", "compiled"), "forest": ("forest",), "nearest": ("nearest", "nearest-db")}
MAY_BE_EMPTY = "instructions", "pft1", "pft10"
PEERS = "kpred-portable hybrid2 encdec xgboost compiled forest nearest-db nearest torch".split()


class Votes:
    """A classifier of sklearn where the beam of classics.py expects XGBoost's trees."""

    def __init__(self, classifier, n_features):
        self.classifier, self.n_features = classifier, n_features

    def inplace_predict(self, states):
        """The probabilities of its classes; the parameters before play no part."""
        return self.classifier.predict_proba(states[:, :self.n_features])


def is_legal(library, problem, index):
    """Whether the rule lets each value stand; classics.py asks it of the last one alone, since the
    rule need check no more once the prefix is legal."""
    index = np.ascontiguousarray(index, np.uint8)
    return all(allowed(library, problem, index[:n]) for n in range(len(index) + 1))


def rankings(task):
    """(method, ranking): a ranking gives the tuples of the task's test rows for a k."""
    x = classics.tree_features(task)
    rows = task["test"]
    if "chain" in task:
        yield "chain", lambda k: classics.chain_beam(task, task["chain"], x[rows], k, True)
    if task["forests"]:
        forest = [([c], None) if isinstance(c, int) else (c.classes_, Votes(c, x.shape[1]))
                  for c in bench_models.forests(task)]
        yield "forest", lambda k: classics.chain_beam(task, forest, x[rows], k, True)
    classics.allowed = is_legal
    yield "nearest", lambda k: classics.fit_nearest(None, task)(k, True)


def models():
    """The models, and what the peers that have them are to predict."""
    options = bench_models.parser().parse_args(
        [out, "--trainer", TRAINER, "--data", *DATA, "--rounds", "2", "--trees", "2"])
    task = bench_models.make(options)
    task["forests"] = os.path.exists(f"{out}/forest.bin")
    task["test"] = task["shuffled"][:CHECKED]
    values = [vs for _, vs in task["spec"]["params"]]
    with open(f"{out}/expected.csv", "w", encoding="utf-8") as f:
        for method, ranking in rankings(task):
            for k in BEAMS:
                for i, tuples in enumerate(ranking(k)):
                    for rank, one in enumerate(t for t in tuples if t[0] >= 0):
                        named = ",".join(v[x] for v, x in zip(values, one))
                        f.write(f"{method},{k},{i + 1},{rank + 1},{named}\n")


def lines_of(path):
    """From (name, k, row, rank) to the tuple"""
    return {tuple(line[:4]): tuple(line[4:]) for line in csv.reader(read(path).splitlines())}


def compare():
    """Of the tuples that bench_peers wrote, those of peers that classics.py has as well are its own, and all bodies of
    kpred have the same, libtorch but for rounding."""
    expected, found = lines_of(f"{out}/expected.csv"), lines_of(f"{tmp}/tuples.csv")
    there = {name for name, *_ in found}
    for peer in (name for name in there if name == "torch" or name.startswith("kpred-")):
        keys = [key[1:] for key in found if key[0] == peer]
        same = sum(found.get(("kpred-portable", *key)) == found[peer, *key] for key in keys)
        if same < (0.9 if peer == "torch" else 1) * len(keys):
            yield f"{peer}: {same} of {len(keys)} tuples are those of kpred-portable"
    for method, peers in SAME.items():
        keys = [key[1:] for key in expected if key[0] == method]
        for peer in there.intersection(peers):
            same = sum(found.get((peer, *key)) == expected[method, *key] for key in keys)
            if not keys or same < AGREE.get(peer, 0.99) * len(keys):
                yield f"{peer}: {same} of {len(keys)} tuples are those of classics.py"


def runs():
    """The table, and every tuple; what is missing is named on standard error"""
    done = run(f"{bench} {out} --rounds 2 --csv --tuples {tmp}/tuples.csv")
    write(f"{tmp}/table.csv", done.stdout), write(f"{tmp}/skips", done.stderr)


def table():
    """Each line has all its columns, and what is missing is named."""
    lines, skipped = rows_of(read(f"{tmp}/table.csv")), read(f"{tmp}/skips")
    for line in lines:
        empty = [name for name, cell in line.items() if not cell and name not in MAY_BE_EMPTY]
        if empty:
            yield f"{line['peer']}, k = {line['k']}: nothing under {' '.join(empty)}"
    for peer in PEERS:
        if peer not in {line["peer"] for line in lines} and f"skip {peer}: " not in skipped:
            yield f"{peer}: neither a line nor a skip"


def counted():
    """Instructions come into their column."""
    counts = write(f"{tmp}/counts", "nearest,10,4321\n")
    text = output(f"{bench} {out} --only nearest --rounds 1 --csv --instructions {counts}")
    assert re.search("(?m)^nearest,10,[0-9,]*,4321,", text), text


def instructions():
    """Only one function's are counted, and of it they are more than a scan of all rows needs."""
    run(f"valgrind --tool=callgrind --toggle-collect=measured_predictions --callgrind-out-file={tmp}/callgrind "
        f"{bench} {out} --only nearest --k 1 --count")
    n = int(re.findall("(?m)^(?:totals|summary): ([0-9]+)", read(f"{tmp}/callgrind"))[-1]) / 32
    assert 1000 < n < 1000000, n


def lines():
    """A cold call touches each line of the layers' weights, and some of everything else."""
    run(f"{os.environ['CC']} -std=c99 -D_POSIX_C_SOURCE=200809L -I. -Itools -I{BUILD} {os.environ['CFLAGS']} "
        f"tools/lab/bench/lines.c {BUILD}/libkpred-predict.a -o {out}/lines -lm")
    row, = csv.DictReader(output(f"sh tools/lab/bench/lines.sh {out}/lines 1 conv_asm_1x1u").splitlines())
    n = {kind: int(x) for kind, x in row.items() if kind != "model"}
    assert 83328 / 64 <= n["weights"] < 83328 / 64 * 1.1 and n["instructions"] > 10000, row
    kinds = [n[kind] for kind in ("code", "weights", "structs", "tables", "arena", "caller", "stack")]
    assert min(kinds) > 0 and abs(sum(kinds) - n["lines"]) <= len(kinds), row
    refuse("a model that is not there", 1, "no built-in model", f"{out}/lines run nobody 1 {tmp}/map")
    run(f"{out}/lines run conv_asm_1x1u 1 {tmp}/map")
    refuse("a trace without predictions", 1, "has 0 predictions", f"{out}/lines count conv_asm_1x1u 1 {tmp}/map")


def broken(last):
    """A folder like this one, but with a wrong line at the end of test.csv"""
    at = f"{tmp}/broken{len(glob.glob(f'{tmp}/broken*'))}"
    write(f"{at}/test.csv", "".join(read(f"{out}/test.csv").splitlines(True)[:5]) + last + "\n")
    for path in glob.glob(f"{out}/*"):
        if not path.endswith("/test.csv"):
            os.symlink(path, f"{at}/{os.path.basename(path)}")
    return at


tmp, out = folder(), f"{BUILD}/check/peers"
bench, peers = f"{out}/bench_peers", f"{sys.executable} tools/lab/report/peers.py"
check("models", models)
check("objects", lambda: run(f"make -s -f tools/lab/bench/Makefile BUILD={BUILD} OUT={out} "
                             f"CC='{os.environ['CC']}' CFLAGS='{os.environ['CFLAGS']}'") and None)
check("all that is there runs", runs)
check("tuples of classics.py", compare)
check("every cell, and names of what is missing", table)
check("a column of instructions", counted)
check_with("valgrind", "instructions of predictions alone", instructions)
check_with("valgrind", "lines of the cache by kind", lines)
for name, text, line in (
        ("no such peer", "names no peer", f"{out} --only nobody"),
        ("several lines to count", "not 2", f"{out} --only nearest --count"),
        ("a short row", "test.csv:6: expected 9 fields and 8 indexes", broken("1,2,3")),
        ("an index beyond the values", "test.csv:6: expected",
         broken(re.sub("[0-9]*$", "99", read(f"{out}/test.csv").splitlines()[1], count=1))),
        ("no folder", "there is no", f"{tmp}/none")):
    refuse(name, 1, text, f"{bench} {line}")
refuse("another table", 2, "expected columns", f"{peers} {out}/test.csv")
end()
