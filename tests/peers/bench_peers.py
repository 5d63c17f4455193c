"""bench_peers.py MAKE|COMPARE FOLDER ... - checks of tools/peers/bench_models.py and of what it is for

SPDX-License-Identifier: MIT

  make FOLDER OPTION...   bench_models.py with these options, and FOLDER/expected.csv: what
                          tools/peers/classics.py predicts for the first problems for testing
  compare FOLDER TUPLES   of the tuples that bench_peers wrote, those of peers that classics.py has as
                          well are its own, and all bodies of kpred have the same, libtorch but for
                          rounding; lines for what is wrong
  table FILE SKIPS        each line of the table has all its columns, and what is missing is named
"""
import csv
import os
import sys

sys.path.insert(0, "tools/peers")

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


def make(arguments):
    """The models, and what the peers that have them are to predict."""
    options = bench_models.parser().parse_args(arguments)
    task = bench_models.make(options)
    task["forests"] = os.path.exists(os.path.join(options.folder, "forest.bin"))
    task["test"] = task["shuffled"][:CHECKED]
    values = [vs for _, vs in task["spec"]["params"]]
    with open(os.path.join(options.folder, "expected.csv"), "w", encoding="utf-8") as f:
        for method, ranking in rankings(task):
            for k in BEAMS:
                for i, tuples in enumerate(ranking(k)):
                    for rank, one in enumerate(t for t in tuples if t[0] >= 0):
                        named = ",".join(v[x] for v, x in zip(values, one))
                        f.write(f"{method},{k},{i + 1},{rank + 1},{named}\n")


def lines_of(path):
    """From (name, k, row, rank) to the tuple"""
    with open(path, encoding="utf-8", newline="") as f:
        return {tuple(line[:4]): tuple(line[4:]) for line in csv.reader(f)}


def compare(folder, path):
    """Complaints"""
    expected, found = lines_of(os.path.join(folder, "expected.csv")), lines_of(path)
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


def table(path, skips):
    """Complaints"""
    with open(path, encoding="utf-8", newline="") as f:
        lines = list(csv.DictReader(f))
    for line in lines:
        empty = [name for name, cell in line.items() if not cell and name not in MAY_BE_EMPTY]
        if empty:
            yield f"{line['peer']}, k = {line['k']}: nothing under {' '.join(empty)}"
    with open(skips, encoding="utf-8") as f:
        skipped = f.read()
    for peer in PEERS:
        if peer not in {line["peer"] for line in lines} and f"skip {peer}: " not in skipped:
            yield f"{peer}: neither a line nor a skip"


def main():
    what, *arguments = sys.argv[1:]
    if what == "make":
        make(arguments)
        return 0
    wrong = list({"compare": compare, "table": table}[what](*arguments))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
