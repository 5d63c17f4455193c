#!/usr/bin/env python3
# aiter.py - other ways to choose AITER's kernels, beside kpred
# SPDX-License-Identifier: MIT
"""Other ways to fill AITER's tuned tables, judged on rows kept from them.

  aiter      AITER's own look-up in the training rows, else its default kernel
  nearest    the classes of the nearest training rows of the GPU, by the logarithms of the sizes
  frequency  the most frequent classes of the GPU at the same rounded M
  forest     a random forest, a class for each kernel and split (scikit-learn)
  boosted    gradient-boosted trees, the same (XGBoost, multi:softprob)
  forest-blind, boosted-blind  the same, not told how a row's file was tuned
  network    kpred: the headers FAMILY-config.h, FAMILY-shape.h, FAMILY-fold-I.h and FAMILY-file-FILE.h of --models

forest and boosted see the sizes, the GPU, tile counts, waves and remainders, and whether the row's
file was tuned with a search for the split; they predict as if it was. All but aiter name only
classes that the GPU has and the sizes allow.

Tests: config keeps a tenth of the (M, N, K), shape a tenth of the (N, K), fold each (N, K) once in five
folds, file each table once with all its (N, K). A line of the output is a tested row: the label's place among the classes that the
method names (0: not among them), and the first of these.
"""
import collections
import os
import sys

import native
from aiter_rows import (EXTRA, MERGE_NAMES, archs_by_name, default_of, fine_m, folds_of, is_legal, look_up,
                        narrow_files, read_kernels, read_tables, tiles_by_name)
from native import np
from rows import ROOT, chosen, parser_of, progress, write_csv

HEADING = "method,family,test,file,gpu,m,n,k,extra,library,kernel,split,place,first".split(",")
KEPT = 8      # classes that a method names
BOUNDARY = 512 # tokens: below and above, bs is learned apart
TILES = [(16, 64), (16, 128), (32, 64), (32, 128), (64, 64), (64, 128), (128, 128), (256, 128),
         (256, 256), (32, 512), (192, 256)]
DEPTHS = (64, 128, 256, 512)


class Task:
    """A fold: what is learned and tested, and what all methods need to know."""

    def __init__(self, family, folder, options):
        self.family, self.options = family, options
        self.kernels = read_kernels(folder, family)
        self.rows = read_tables(folder, family)
        self.tile = tiles_by_name(self.kernels, self.rows)
        self.narrow = narrow_files(self.rows)
        self.train, self.tested = [], []
        self.test, self.fold, self.archs = None, None, {}

    def start(self, test, fold, train, tested):
        """Takes the rows of a fold of a test."""
        self.test, self.fold, self.train, self.tested = test, fold, train, tested
        self.archs = archs_by_name(self.kernels, train)

    def legal(self, problem, label):
        """Whether a method may name the class."""
        return is_legal(self.family, problem, label, self.tile[label[1]], self.archs)

    def kept(self, problem, labels):
        """The first legal ones, each once."""
        found = []
        for label in labels:
            if label not in found and self.legal(problem, label):
                found.append(label)
                if len(found) == KEPT:
                    break
        return found


# ---- methods without learning: each yields for every tested row the classes, best first ----

def aiter(task):
    """Its look-up, else its default: one class, legal or not."""
    table = {row.problem: row.label for row in task.train}
    for row in task.tested:
        found = look_up(table, row.problem) or default_of(task.family, row.problem, task.kernels)
        yield [found] if found else []


def nearest(task):
    """Classes in the order of their nearest row."""
    by_gpu = collections.defaultdict(list)
    for row in task.train:
        by_gpu[row.problem[0], row.problem[4:]].append(row)
    sizes = {key: np.log2([row.problem[1:4] for row in rows]) for key, rows in by_gpu.items()}
    for row in task.tested:
        key = row.problem[0], row.problem[4:]
        if key not in by_gpu:
            yield []
            continue
        away = np.abs(sizes[key] - np.log2(row.problem[1:4])).sum(1)
        near = np.argsort(away, kind="stable")[:1500]
        yield task.kept(row.problem, (by_gpu[key][i].label for i in near))


def frequency(task):
    """Classes by their number at the same fine M, then at the same power of two, then at all."""
    def keys(problem):
        gpu, m = problem[:2]
        return (gpu, fine_m(m)), (gpu, "about", (m - 1).bit_length()), (gpu,)
    count = collections.defaultdict(collections.Counter)
    for row in task.train:
        for key in keys(row.problem):
            count[key][row.label] += 1
    for row in task.tested:
        yield task.kept(row.problem, [label for key in keys(row.problem) for label, _ in count[key].most_common()])


# ---- what trees see ----

def units_of(gpu):
    """The number of its compute units."""
    return int(gpu.partition("_")[2])


def waves_of(size, units, tile):
    """Tiles, rounds of the GPU's units, how full the last one is, and the padding, of one tile."""
    m, n, _ = size
    tiles = np.ceil(m / tile[0]) * np.ceil(n / tile[1])
    rounds = tiles / units
    padding = tiles * tile[0] * tile[1] / (m * n)
    return [np.log2(tiles), np.minimum(rounds, 8), rounds / np.ceil(rounds), padding]


def features_of(task, rows, searched):
    """A line a row. searched: 1, or None for what each row's file had."""
    size = np.array([row.problem[1:4] for row in rows], float).T
    units = np.array([units_of(row.problem[0]) for row in rows], float)
    m, n, k = size
    columns = [np.log2(m), np.log2(n), np.log2(k), np.log2(n * k), np.log2(n / k), m, n, k,
               np.log2(m * n), m % 16, m % 32, m % 64, m % 128, n % 64, n % 128, n % 256, n % 512,
               (m.astype(int) & (m.astype(int) - 1)) == 0]
    columns += [k % depth for depth in DEPTHS[1:]] + [k / 128 % 8]
    for tile in TILES:
        columns += waves_of(size, units, tile)
    tokens = sorted({(row.problem[0], *row.problem[4:]) for row in task.rows})
    for place in range(len(tokens[0])):
        for token in sorted({t[place] for t in tokens}):
            columns.append([(row.problem[0], *row.problem[4:])[place] == token for row in rows])
    columns.append([1 if searched else row.file not in task.narrow for row in rows])
    return np.stack([np.asarray(c, np.float32) for c in columns], 1)


def ranked(task, rows, labels, chances):
    """The legal classes of each row by their chance."""
    for row, chance in zip(rows, chances):
        order = np.argsort(-chance, kind="stable")
        yield task.kept(row.problem, (labels[i] for i in order))


def grow_forest(options, features, numbers, n):
    """Chances by class from a forest."""
    from sklearn.ensemble import RandomForestClassifier # pylint: disable=import-outside-toplevel
    del n
    forest = RandomForestClassifier(300, max_features=0.3, n_jobs=options.threads, random_state=1)
    forest.fit(features, numbers)
    return forest.predict_proba


def boost(options, features, numbers, n):
    """Chances by class from boosted trees."""
    import xgboost # pylint: disable=import-outside-toplevel
    knobs = {"objective": "multi:softprob", "num_class": max(n, 2), "tree_method": "hist",
             "max_depth": 6, "eta": 0.12, "subsample": 0.8, "colsample_bytree": 0.5,
             "min_child_weight": 0.5, "nthread": options.threads, "seed": 1, "verbosity": 0}
    trees = xgboost.train(knobs, xgboost.DMatrix(features, label=numbers), options.rounds)
    return lambda x: trees.predict(xgboost.DMatrix(x))


def learned(task, grow, train, tested):
    """Classes of some rows by what trees learn of some others."""
    labels = sorted({row.label for row in train})
    number = {label: i for i, label in enumerate(labels)}
    chances = grow(task.options, features_of(task, train, None),
                   np.array([number[row.label] for row in train]), len(labels))
    return ranked(task, tested, labels, chances(features_of(task, tested, 1)))


def by_band(task, grow):
    """bs has few rows of few tokens: they get trees of their own, with some from beyond."""
    if task.family != "bs":
        return list(learned(task, grow, task.train, task.tested))
    found = {}
    for low in (True, False):
        part = [row for row in task.tested if (row.problem[1] <= BOUNDARY) == low]
        near = [row for row in task.train if (row.problem[1] <= 2 * BOUNDARY if low else row.problem[1] > BOUNDARY / 2)]
        if part:
            found.update(zip((row.problem for row in part), learned(task, grow, near, part)))
    return [found[row.problem] for row in task.tested]


def forest(task):
    """See above."""
    return by_band(task, grow_forest)


def boosted(task):
    """See above."""
    return by_band(task, boost)


def blind(method):
    """The same without knowing how a row's file was tuned."""
    def without(task):
        known, task.narrow = task.narrow, set()
        found = method(task)
        task.narrow = known
        return found
    return without


def network(task):
    """What a header of kpred-train names, which was trained without the tested rows."""
    name = f"{task.family}-{task.test}" + (f"-{task.fold}" if task.test in ("fold", "file") else "")
    library = native.load(os.path.join(task.options.models, f"{name}.h"))
    fields = ["gpu", "m", "n", "k", *EXTRA.get(task.family, [])]
    called = {row.label[1].partition("#")[0]: row.label[1] for row in task.rows} # without its number
    return [[(source, called.get(kernel, kernel), split) for source, kernel, split in
             native.kernels(library, " ".join(f"{f}={x}" for f, x in zip(fields, row.problem)))]
            for row in task.tested]


METHODS = {"aiter": aiter, "nearest": nearest, "frequency": frequency, "forest": forest,
           "boosted": boosted, "forest-blind": blind(forest), "boosted-blind": blind(boosted),
           "network": network}
DEFAULT = "aiter,nearest,frequency,forest,boosted"


# ---- output ----

def line_of(method, task, test, row, labels):
    """A tested row."""
    place = labels.index(row.label) + 1 if row.label in labels else 0
    first = "|".join(map(str, labels[0])) if labels else ""
    gpu, m, n, k, *extra = row.problem
    return [method, task.family, test, row.file, gpu, m, n, k, "|".join(extra), *row.label, place, first]


def measure(task, test, method):
    """Lines of all folds of a test."""
    lines = []
    for name, train, tested in folds_of(test, task.rows):
        progress(f"{task.family} {test}: {method}, {name}")
        task.start(test, name, train, tested)
        lines += [line_of(method, task, test, row, labels) for row, labels in zip(tested, METHODS[method](task))]
    progress("")
    return lines


def parse():
    """The command line."""
    p = parser_of(__doc__)
    p.add_argument("data", help="the folder of AITER's tables, kernels.csv and retunes.csv")
    p.add_argument("-o", required=True, help="folder for a file FAMILY-TEST-METHOD.csv each")
    p.add_argument("--families", default="bs,bsp,a4w4", help="of bs, bsp, a4w4, bp, bf16")
    p.add_argument("--tests", default="config,shape,file")
    p.add_argument("--methods", default=DEFAULT)
    p.add_argument("--models", default=f"{ROOT}/build/aiter", help="the folder of headers")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=120, help="of boosting")
    options = p.parse_args()
    for name, known in (("families", MERGE_NAMES), ("methods", METHODS), ("tests", ("config", "shape", "fold", "file"))):
        setattr(options, name, chosen(name, getattr(options, name), known))
    return options


def main():
    """A file for every family, test and method."""
    options = parse()
    os.makedirs(options.o, exist_ok=True)
    for family in options.families:
        task = Task(family, options.data, options)
        for test in options.tests:
            for method in options.methods:
                try:
                    lines = measure(task, test, method)
                except ImportError as e:
                    print(f"skip {method}: a package is missing ({e})", file=sys.stderr)
                    continue
                write_csv(os.path.join(options.o, f"{family}-{test}-{method}.csv"), HEADING, lines)


if __name__ == "__main__":
    main()
