#!/usr/bin/env python3
# solvers.py - other ways to choose the solver of a convolution, beside kpred
# SPDX-License-Identifier: MIT
"""Other ways to choose MIOpen's solver for a convolution, on the problems of its find-dbs.

  table      the solvers of the training problems with the same GPU, direction, type, filter, stride
             and grouping (whether there are groups), in the order of how often each was the fastest
  boosted    gradient-boosted trees (--trees rounds, depth 6), a classifier for each GPU, from all
             other fields

Both rank all solvers of the training part. As in `kpred-train eval`, problems of one listed solver
are left out, a solver that is not listed for the problem is passed over, and what a list of k is
worth is the time of the fastest listed solver by that of the fastest among the first k; over
problems the geometric mean. --hits writes the columns that `kpred-train eval --hits` writes, which
paired.py compares.

Needs python3-numpy and, for boosted, python3-xgboost; a method whose package is missing is skipped
with a message.
"""
import collections
import time

from rows import (compare_timed, die, geometric_mean, ingest, is_test, key_items, need_numpy, parse_timed, parser_of,
                  percentile, progress, read_sections, read_timed_spec, share_and_error, split_item)

np = need_numpy()

HEADING = "method,split,gpu,k,n,groups,exact,share,share_p1,share_p5,unlisted,seconds".split(",")
TABLE = "dir dtype y x stride_h stride_w".split()


# ---- problems ----

def read_problems(options):
    """The problems of at least two listed solvers: a dict with model, gpu, field, row (the number
    of the first), key, and options, from solver to time."""
    spec = read_timed_spec(options.spec)
    items = split_items(options)
    rows = ingest(options.trainer, spec, options.data, columns=("time_us",))
    found, last = [], None
    for number, row in enumerate(rows, 1):
        if row[:-2] != last:
            last = row[:-2]
            found.append({"model": spec["name"], "field": dict(zip(spec["fields"], last)),
                          "row": number, "options": {}})
        found[-1]["options"][row[-2]] = float(row[-1])
    for p in found:
        p["gpu"] = p["field"]["gpu"]
        p["key"] = ",".join(split_item(item, spec, p["field"]) for item in items)
    return [p for p in found if len(p["options"]) > 1]


def split_items(options):
    """What the key of the split is made of."""
    split = dict(read_sections(options.spec).get("split", []))
    if options.split not in split:
        die(f"{options.spec}: there is no split \"{options.split}\"")
    return key_items(split[options.split])


def fastest(problem):
    """The name of the solver that took the least time."""
    return min(problem["options"], key=problem["options"].get)


# ---- methods: from training and test problems of one GPU, for each test problem the solvers ----

def table(train, test, _):
    """By how often each was the fastest where the same fields say the same, then elsewhere."""
    def kind(p):
        return (*(p["field"][name] for name in TABLE), p["field"]["groups"] == "1")
    count, overall = collections.defaultdict(collections.Counter), collections.Counter()
    for p in train:
        count[kind(p)][fastest(p)] += 1
        overall[fastest(p)] += 1
    for p in test:
        here = count[kind(p)]
        yield sorted(overall, key=lambda s: (-here[s], -overall[s], s)) # pylint: disable=W0640


def numbers(problems, token):
    """A row a problem: sizes as they are, names numbered."""
    return np.array([[int(v) if v.isdigit() else token.setdefault(v, len(token))
                      for name, v in p["field"].items() if name != "gpu"] for p in problems],
                    dtype=np.float32)


def boosted(train, test, options):
    """The classifier's ranking."""
    import xgboost # pylint: disable=import-outside-toplevel
    names = sorted({fastest(p) for p in train})
    number, token = {name: i for i, name in enumerate(names)}, {}
    matrix = xgboost.DMatrix(numbers(train, token), [number[fastest(p)] for p in train])
    trees = xgboost.train({"objective": "multi:softprob", "num_class": len(names), "max_depth": 6,
                           "eta": 0.1, "tree_method": "hist", "nthread": options.threads},
                          matrix, options.trees)
    for p in trees.predict(xgboost.DMatrix(numbers(test, token))):
        yield [names[i] for i in np.argsort(-p, kind="stable")]


METHODS = {"table": table, "boosted": boosted}


# ---- figures ----

def outcome(problem, ranked, k):
    """Share of the first k that are listed, and whether the very first is not. Without one, the
    slowest that is listed."""
    times = problem["options"]
    listed = [times[s] for s in ranked if s in times][:k] or [max(times.values())]
    return min(times.values()) / min(listed), not ranked or ranked[0] not in times


def summary(head, problems, shares, unlisted, seconds):
    """The line of the table."""
    exact, _ = share_and_error([s == 1 for s in shares], [p["key"] for p in problems])
    return [*head, str(len(shares)), str(len({p["key"] for p in problems})), f"{exact:.2f}",
            f"{geometric_mean(shares):.5f}", f"{percentile(shares, 1):.5f}",
            f"{percentile(shares, 5):.5f}", f"{100 * sum(unlisted) / len(unlisted):.2f}",
            f"{seconds:.0f}"]


def measure(method, gpu, problems, options):
    """Lines of the table and of --hits."""
    train = [p for p in problems if p["gpu"] == gpu and not is_test(p["key"])]
    test = [p for p in problems if p["gpu"] == gpu and is_test(p["key"])]
    if not train or not test:
        die(f"{gpu}: there are {len(train)} problems to learn from and {len(test)} to test")
    progress(f"{gpu}: {method}, {len(train)} problems")
    start = time.time()
    ranked = list(METHODS[method](train, test, options))
    seconds = time.time() - start
    progress("")
    lines, hits = [], []
    for k in options.lists:
        both = [outcome(p, r, k) for p, r in zip(test, ranked)]
        shares, unlisted = zip(*both)
        lines.append(summary([method, options.split, gpu, str(k)], test, shares, unlisted, seconds))
        hits += [[method, p["model"], options.split, p["key"], str(p["row"]), str(k),
                  str(int(s == 1)), "0", f"{s:.5f}", str(int(u))] for p, (s, u) in zip(test, both)]
    return lines, hits


def parse():
    """The command line."""
    p = parser_of(__doc__)
    p.add_argument("spec", help="weights/conv_solver.spec")
    p.add_argument("--data", nargs="+", required=True, help="find-dbs")
    p.add_argument("--split", default="config", help="config or shape")
    p.add_argument("--trees", type=int, default=500, help="rounds of boosted")
    return parse_timed(p, METHODS, "table,boosted", "1,2", "problem")


def main():
    """A line for every method, GPU and k."""
    options = parse()
    problems = read_problems(options)
    gpus = list(dict.fromkeys(p["gpu"] for p in problems))
    compare_timed(options, HEADING, lambda method: (measure(method, gpu, problems, options) for gpu in gpus))


if __name__ == "__main__":
    main()
