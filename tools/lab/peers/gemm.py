#!/usr/bin/env python3
# gemm.py - other ways to choose the kernel of a GEMM, beside kpred
# SPDX-License-Identifier: MIT
"""Other ways to choose the kernel of a GEMM from Tensile's tables, each shape left out once.

  nearest    the fastest kernels of the nearest other shape, by the logarithms of its sizes
  portfolio  the same k kernels for every shape: greedily those that add most to the mean logarithm
             of the share of the optimum that the best of them reaches on the other shapes
  boosted    gradient-boosted trees that learn a kernel's speed as a fraction of the fastest, from
             its parameters, the sizes, tile counts, waves and remainders; all kernels are scored
  together   the same, learning from the tables of --beside as well, with the table as a feature

What a list of k kernels is worth is the share of eval: the time of the shape's fastest kernel by
that of the fastest among the k; over shapes the geometric mean. --hits writes the columns that
`kpred-train eval --hits` writes, which paired.py compares.

Needs python3-numpy and, for boosted and together, python3-xgboost; a method whose package is
missing is skipped with a message.
"""

from rows import (compare_timed, die, geometric_mean, ingest, need_numpy, parse_timed, parser_of, percentile, progress,
                  read_timed_spec)

np = need_numpy()

HEADING = "method,model,k,n,exact,share,share_p5".split(",")
SIZES = "m n batch k".split()
TILES = "MT0 MT1 MT2 GSU".split()
UNITS = 120 # compute units of MI100


def load_table(spec, path, options):
    """Shapes, sorted as eval numbers them; the number of each's first row; distinct kernels; and
    the time of each kernel on each shape, infinite where it was not measured."""
    rows = ingest(options.trainer, spec, [path], columns=("time_us",))
    n = len(spec["fields"])
    shapes, kernels, first = {}, {}, []
    for number, row in enumerate(rows, 1):
        if tuple(row[:n]) not in shapes:
            shapes[tuple(row[:n])] = len(shapes)
            first.append(number)
        kernels.setdefault(tuple(row[n:-1]), len(kernels))
    time = np.full((len(shapes), len(kernels)), np.inf)
    for row in rows:
        time[shapes[tuple(row[:n])], kernels[tuple(row[n:-1])]] = float(row[-1])
    return {"shape": np.array([[int(x) for x in s] for s in shapes], float), "first": first,
            "kernel": np.array([[int(x) for x in k] for k in kernels], float), "time": time,
            "speed": time.min(1, keepdims=True) / time}


# ---- methods: from a table and the number of the shape left out, kernels, best first ----

def nearest(task, out, k):
    """The best kernels of the nearest shape."""
    size = np.log2(task["own"]["shape"])
    distance = ((size - size[out]) ** 2).sum(1)
    distance[out] = np.inf
    return np.argsort(-task["own"]["speed"][distance.argmin()], kind="stable")[:k]


def portfolio(task, out, k):
    """Kernel after kernel, that which adds most to those before it."""
    speed = np.delete(task["own"]["speed"], out, 0)
    best, chosen = np.full(len(speed), 1e-9), []
    for _ in range(k):
        chosen.append(int(np.log(np.maximum(best[:, None], speed)).mean(0).argmax()))
        best = np.maximum(best, speed[:, chosen[-1]])
    return np.array(chosen)


def tree_features(task, table, shape):
    """A row a kernel: what the trees see of it and the shape."""
    kernel = table["kernel"]
    param = dict(zip(task["params"], kernel.T))
    m, n, batch, depth = (shape[task["fields"].index(name)] for name in SIZES)
    tiles = [np.ceil(m / param["MT0"]), np.ceil(n / param["MT1"])]
    groups = tiles[0] * tiles[1] * batch * param["GSU"]
    waves = groups / UNITS
    part = np.ceil(depth / param["GSU"])
    made = [*tiles, tiles[0] * tiles[1] * batch, groups, waves, np.ceil(waves),
            waves / np.ceil(waves), m % param["MT0"] / param["MT0"],
            n % param["MT1"] / param["MT1"], depth % param["MT2"],
            np.ceil(part / param["MT2"]), part,
            tiles[0] * param["MT0"] * tiles[1] * param["MT1"] / (m * n),
            param["MT0"] * param["MT1"], param["MT0"] / param["MT1"]]
    known = [np.full(len(kernel), x) for x in (m, n, batch, depth, table["number"])]
    return np.stack([*kernel.T, *known, *made], 1).astype(np.float32)


def boost(task, out, k, tables):
    """Trees that learn from all shapes of these tables but one of the first."""
    import xgboost # pylint: disable=import-outside-toplevel
    features, speed = [], []
    for table in tables:
        for i, shape in enumerate(table["shape"]):
            if table is not task["own"] or i != out:
                features.append(tree_features(task, table, shape))
                speed.append(table["speed"][i])
    matrix = xgboost.DMatrix(np.concatenate(features), label=np.concatenate(speed))
    trees = xgboost.train({"max_depth": 8, "eta": 0.1, "tree_method": "hist",
                           "nthread": task["options"].threads}, matrix, 300)
    own = tree_features(task, task["own"], task["own"]["shape"][out])
    return np.argsort(-trees.predict(xgboost.DMatrix(own)), kind="stable")[:k]


def boosted(task, out, k):
    """Trees on the shapes of the table itself."""
    return boost(task, out, k, [task["own"]])


def together(task, out, k):
    """Trees on the shapes of all tables."""
    return boost(task, out, k, [task["own"], *task["beside"]])


METHODS = {"nearest": nearest, "portfolio": portfolio, "boosted": boosted, "together": together}


# ---- figures ----

def hit_lines(task, method, k, ranked):
    """A line a shape as eval --hits writes it; `agree` is of no use here."""
    own = task["own"]
    for i, kernels in enumerate(ranked):
        share = own["speed"][i][kernels[:k]].max()
        yield [method, task["name"], "one-out", str(own["first"][i]), str(own["first"][i]), str(k),
               str(int(share == 1)), "0", f"{share:.5f}", "0"]


def summary(task, method, k, lines):
    """The line of the table."""
    share = [float(line[8]) for line in lines]
    exact = sum(int(line[6]) for line in lines)
    return [method, task["name"], str(k), str(len(share)), f"{100 * exact / len(share):.2f}",
            f"{geometric_mean(share):.5f}", f"{percentile(share, 5):.5f}"]


def measure(task, method):
    """Lines of the table and of --hits."""
    lists = task["options"].lists
    ranked, table, hits = [], [], []
    for out in range(len(task["own"]["shape"])):
        progress(f"{task['name']}: {method}, shape {out + 1} of {len(task['own']['shape'])}")
        ranked.append(METHODS[method](task, out, max(lists)))
    progress("")
    for k in lists:
        lines = list(hit_lines(task, method, k, ranked))
        hits += lines
        table.append(summary(task, method, k, lines))
    yield table, hits


def make_task(options):
    """What the methods get."""
    spec = read_timed_spec(options.spec)
    fields, params = spec["fields"], [name for name, _ in spec["params"]]
    for name in (*SIZES, *TILES):
        if name not in fields + params:
            die(f"{options.spec}: there is no \"{name}\": not a GEMM of Tensile")
    own = load_table(spec, options.data, options)
    if len(own["shape"]) < 2:
        die(f"{options.data}: of one shape none can be left out")
    beside = [load_table(spec, path, options) for path in options.beside]
    for number, table in enumerate([own, *beside]):
        table["number"] = number
    return {"name": spec["name"], "fields": fields, "params": params, "own": own, "beside": beside, "options": options}


def parse():
    """The command line."""
    p = parser_of(__doc__)
    p.add_argument("spec", help="a spec of Tensile's tables")
    p.add_argument("--data", required=True, help="the table")
    p.add_argument("--beside", nargs="+", default=[], help="other tables that the spec can read")
    return parse_timed(p, METHODS, "nearest,portfolio,boosted", "1,4,8", "shape")


def main():
    """A line for every method and k."""
    options = parse()
    task = make_task(options)
    compare_timed(options, HEADING, lambda method: measure(task, method))


if __name__ == "__main__":
    main()
