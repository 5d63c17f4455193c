#!/usr/bin/env python3
# bench_models.py - trains the peers of `make bench-peers` and writes them for its C program
# SPDX-License-Identifier: MIT
"""Trains what tools/lab/bench times beside kpred, by the functions of classics.py, on the rows that
kpred's model is trained on, and writes it into a folder:

  train.csv, test.csv  problems (tokens as numbers) and the indexes of their optima's values; the
                       rows for testing are shuffled
  frequencies.csv      how often training names each value of each parameter
  perf.db              the rows for training as a perf-db of SQLite, with an index
  chain-T.ubj          the trees of parameter T, as XGBoost saves them
  trees/               the same trees as C
  forest.bin           the random forests, as arrays

Needs python3-numpy; the chain needs python3-xgboost, the forest python3-sklearn: a method whose
package is missing is skipped with a message, and what an earlier run wrote of it is removed.
"""
import glob
import os
import sqlite3
import sys

import classics
from classics import Unavailable, np
from native import load
from rows import ROOT, die, parser_of, progress, read_spec, write_csv

METHODS = "rows chain forest".split()
NODE = np.dtype([("feature", np.int32), ("threshold", np.float32), ("left", np.int32), ("right", np.int32)])


def remove(folder, pattern):
    """What an earlier run wrote must not stay where this one has nothing in its place."""
    for path in glob.glob(os.path.join(folder, pattern)):
        os.remove(path)


# ---- rows ----

def columns_of(spec):
    """The names of the fields and of the parameters."""
    return [name for name, _ in spec["fields"] + spec["params"]]


def lines_of(task, rows):
    """Problems and the indexes of their optima, a list each."""
    return np.concatenate([task["problem"][rows], task["target"][rows]], 1).tolist()


def write_perf_db(task, path):
    """As MIOpen has it, problems and texts of parameters in two tables; besides, the sizes in
    octaves, by which the nearest problem is looked for, in an index that has all that this reads."""
    spec, train = task["spec"], task["train"]
    names = [name for name, _ in spec["fields"]]
    tokens = [name for name, of in spec["fields"] if of]
    sizes = [name for name in names if name not in tokens]
    logs = np.stack([classics.octaves(task, name)[train] for name in sizes], 1)
    values = [vs for _, vs in spec["params"]]
    db = sqlite3.connect(path)
    db.execute(f"CREATE TABLE config (id INTEGER PRIMARY KEY, {', '.join(names)}, "
               f"{', '.join('log_' + name for name in sizes)})")
    db.execute("CREATE TABLE perf_db (config INTEGER PRIMARY KEY, params TEXT)")
    marks = ",".join("?" * (1 + len(names) + len(sizes)))
    db.executemany(f"INSERT INTO config VALUES ({marks})",
                   [[i, *p, *x] for i, (p, x) in enumerate(zip(task["problem"][train].tolist(),
                                                               logs.tolist()))])
    db.executemany("INSERT INTO perf_db VALUES (?, ?)",
                   [(i, ",".join(v[x] for v, x in zip(values, target)))
                    for i, target in enumerate(task["target"][train])])
    db.execute(f"CREATE INDEX near ON config ({', '.join(tokens)}, {', '.join('log_' + name for name in sizes)})")
    db.commit()
    db.execute("ANALYZE")
    db.close()


def write_rows(task, folder):
    """What every peer reads, and the perf-db."""
    test = np.random.default_rng(task["options"].seed).permutation(task["test"])
    task["shuffled"] = test
    for name, rows in (("train", task["train"]), ("test", test)):
        write_csv(os.path.join(folder, f"{name}.csv"), columns_of(task["spec"]), lines_of(task, rows))
    write_csv(os.path.join(folder, "frequencies.csv"), ["parameter", "value", "frequency"],
              [[t, v, float(share).hex()] for t in range(len(task["counts"]))
               for v, share in enumerate(classics.frequencies(task, t))])
    remove(folder, "perf.db")
    write_perf_db(task, os.path.join(folder, "perf.db"))


# ---- the chain, and the same as C ----

def trees_of(booster):
    """(class, node arrays) of every tree, in the order of training."""
    import json
    found = json.loads(bytes(booster.save_raw("json")))["learner"]["gradient_booster"]["model"]
    return list(zip(found["tree_info"], found["trees"]))


def expression(tree, i):
    """A node as an expression of C: the value of a leaf, or which side to go to."""
    left, right = tree["left_children"], tree["right_children"]
    number = float(np.float32(tree["split_conditions"][i])).hex() + "f"
    if left[i] < 0:
        return number
    return (f"(x[{tree['split_indices'][i]}] < {number} ? {expression(tree, left[i])}"
            f"\n: {expression(tree, right[i])})")


def write_trees(path, t, booster):
    """A function for each tree, and one that adds them up, class by class."""
    trees = trees_of(booster)
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"void chain_{t}(const float *x, float *margin);\n")
        for i, (_, tree) in enumerate(trees):
            f.write(f"static float tree_{i}(const float *x)\n{{\nreturn {expression(tree, 0)};\n}}\n")
        f.write(f"void chain_{t}(const float *x, float *margin)\n{{\n")
        f.writelines(f"margin[{c}] += tree_{i}(x);\n" for i, (c, _) in enumerate(trees))
        f.write("}\n")


def write_table_of_trees(folder, chain):
    """The functions of all parameters; NULL where there is but one value."""
    names = [f"chain_{t}" if trees else "0" for t, (_, trees) in enumerate(chain)]
    with open(os.path.join(folder, "chain.c"), "w", encoding="utf-8") as f:
        f.write("typedef void (*chain_trees)(const float *x, float *margin);\n")
        f.writelines(f"void {name}(const float *x, float *margin);\n" for name in names if name != "0")
        f.write("extern const chain_trees chain_tables[];\n"
                f"const chain_trees chain_tables[] = {{{', '.join(names)}}};\n")


def write_chain(task, folder):
    """Trains the chain and writes it in both forms; returns it."""
    trees = os.path.join(folder, "trees")
    os.makedirs(trees, exist_ok=True)
    for pattern in ("chain-*.ubj", "trees/*"):
        remove(folder, pattern)
    chain = classics.train_chain(task)
    for t, (_, booster) in enumerate(chain):
        if booster:
            progress(f"writes the trees of parameter {t}")
            booster.save_model(os.path.join(folder, f"chain-{t}.ubj"))
            write_trees(os.path.join(trees, f"chain_{t}.c"), t, booster)
    write_table_of_trees(trees, chain)
    return chain


# ---- the forest ----

def forests(task):
    """The classifier of each parameter, one after the other: they are large."""
    x, train = classics.tree_features(task)[task["train"]], task["train"]
    for t, (param, _) in enumerate(task["spec"]["params"]):
        progress(f"forest: trains {param}")
        yield classics.fit_values("forest", task["options"], x, task["target"][train, t])


def below(threshold):
    """The largest float32 that is not above: x <= threshold is the same for a float32 x."""
    near = threshold.astype(np.float32)
    return np.where(near > threshold, np.nextafter(near, np.float32(-np.inf)), near)


def nodes_of(tree, first, leaves):
    """A tree's nodes, the first of which has that number; of leaves, `left` is the place of the
    probabilities among `leaves`, where equal ones are one."""
    out = np.zeros(tree.node_count, NODE)
    is_leaf = tree.children_left < 0
    out["feature"] = np.where(is_leaf, -1, tree.feature)
    out["threshold"] = below(tree.threshold)
    out["left"], out["right"] = tree.children_left + first, tree.children_right + first
    share = tree.value[:, 0, :] / tree.value[:, 0, :].sum(1, keepdims=True)
    for i in np.flatnonzero(is_leaf):
        out["left"][i] = leaves.setdefault(share[i].astype(np.float32).tobytes(), len(leaves))
    return out


def write_forest_of(classifier, f):
    """Numbers of classes, trees, nodes and leaves, roots, nodes, and the leaves' probabilities; of
    one value alone, four zeros."""
    if isinstance(classifier, int):
        np.zeros(4, np.int32).tofile(f)
        return
    roots, nodes, leaves, n = [], [], {}, 0
    for tree in classifier.estimators_:
        roots.append(n)
        nodes.append(nodes_of(tree.tree_, n, leaves))
        n += len(nodes[-1])
    np.array([len(classifier.classes_), len(roots), n, len(leaves)], np.int32).tofile(f)
    np.array(roots, np.int32).tofile(f)
    np.concatenate(nodes).tofile(f)
    f.write(b"".join(leaves))


def write_forest(task, folder):
    """Trains the forests and writes them."""
    remove(folder, "forest.bin")
    classics.need("sklearn", "python3-sklearn")
    path = os.path.join(folder, "forest.bin")
    with open(path + ".tmp", "wb") as f:
        for classifier in forests(task):
            write_forest_of(classifier, f)
    os.rename(path + ".tmp", path)


# ---- the command line ----

def parser():
    """The options, those that classics.py reads among them."""
    p = parser_of(__doc__)
    p.add_argument("folder", help="where it goes, such as build/peers")
    p.add_argument("--spec", default=os.path.join(ROOT, "weights", "conv_asm_1x1u.spec"))
    p.add_argument("--data", nargs="+", required=True, help="tuning results, as for kpred-train")
    p.add_argument("--methods", type=classics.list_of(str, METHODS), default=METHODS,
                   help="default: " + ",".join(METHODS))
    p.add_argument("--split", choices=("config", "shape"), default="config")
    p.add_argument("--threads", type=classics.count, default=1)
    p.add_argument("--seed", type=classics.count, default=1)
    p.add_argument("--rounds", type=classics.count, default=200, help="the chain's trees of a value (default 200)")
    p.add_argument("--eta", type=float, default=0.1, help="the chain's step (default 0.1)")
    p.add_argument("--trees", type=classics.count, default=100, help="the forest's, of a parameter (default 100)")
    p.add_argument("--trainer", default=os.path.join(ROOT, "build", "kpred-train"))
    p.set_defaults(older=[])
    return p


def make(options):
    """Trains and writes what is asked for; the task."""
    spec = read_spec(options.spec)
    task = classics.load_task(spec, options, load(os.path.splitext(options.spec)[0] + ".h"))
    try:
        os.makedirs(options.folder, exist_ok=True)
    except OSError as e:
        die(f"{options.folder}: {e.strerror}")
    for method, write in (("rows", write_rows), ("chain", write_chain), ("forest", write_forest)):
        if method in options.methods:
            try:
                task[method] = write(task, options.folder)
            except Unavailable as e:
                print(f"skip {method}: {e}", file=sys.stderr)
    progress("")
    return task


if __name__ == "__main__":
    make(parser().parse_args())
