#!/usr/bin/env python3
# classics.py - other ways to predict tuning parameters, beside kpred
# SPDX-License-Identifier: MIT
"""Other ways to predict tuning parameters, on the rows that kpred's models are measured on.

  tree      decision tree, one classifier a parameter
  bayes     Gaussian naive Bayes, likewise
  knn       five nearest neighbours, likewise
  svc       support vectors with a radial kernel, likewise, trained on a subsample (--svc-rows)
  forest    random forest of a hundred trees, likewise
  chain     gradient-boosted trees, parameter after parameter with the ones before it as features;
            a beam search of width k
  nearest   the tuned tuples of the nearest problems in the perf-db
  default   what MIOpen takes untuned (--defaults FILE.py)
  network   the network of a generated header (--network FILE.h), for comparison

The first five give a probability for every value of every parameter; tuples are ranked, exactly, by
the product. NAME+rule is the same method with the kernel's rule: it ranks, or takes, only what the
rule accepts (a problem's legal tuples, of most kernels some hundred, are all scored). Rows come
from `kpred-train ingest`, the split is that of protocol.md, training rows whose optimum the
rule rejects are left out, as in `kpred-train train`.

Needs python3-numpy, a C compiler and, for the methods that use them, python3-sklearn and
python3-xgboost; a method whose package is missing is skipped with a message.

Columns: groups are the keys of the split, se the standard error of pft over them; us_predict is a
problem's share of the time for k tuples, all problems at once; where the first k of a list are
taken, for the largest k; bytes, of the chain alone, what XGBoost saves it in. A thousandth of the
training frequencies is mixed into the probabilities of a classifier, so that values it rules out
are ranked as well.
"""
import argparse
import importlib.util
import os
import sys
import time

from native import allowed, extensions, legal_tuples, load, np, predict
from rows import (HITS, ROOT, die, ingest, is_test, oracle_problem, parser_of, print_csv,
                  print_table, progress, read_spec, share_and_error, split_key, window, write_csv)

HEADING = ("method,model,split,gpu,dtype,k,n,groups,pft,avg,seconds_train,us_predict,bytes").split(",")
METHODS = "default nearest tree bayes knn svc forest chain network".split()
SMOOTHING = 1e-3 # the part of the training frequencies in a classifier's probabilities


class Unavailable(Exception):
    """A method cannot run here; the text says why."""


def need(module, package):
    """A module, or the word that its package is missing."""
    try:
        return importlib.import_module(module)
    except ImportError as e:
        raise Unavailable(f"needs {package} ({e})") from e


# ---- the task: rows as numbers, and which are for testing ----

def older_rows(spec, options, present):
    """Those rows of older runs that say something new, once each."""
    if not options.older:
        return []
    rows = ingest(options.trainer, spec, options.older, "--nearest", "--lenient")
    known = set(map(tuple, present))
    return [list(r) for r in dict.fromkeys(map(tuple, rows)) if r not in known]


def load_task(spec, options, library):
    """Rows of one spec: problem (ints, tokens as indices), target (indices of values), key, unit,
    and the indices of the rows for training and testing."""
    rows = ingest(options.trainer, spec, options.data)
    n, n_present = len(spec["fields"]), len(rows)
    rows += older_rows(spec, options, rows)
    codes = [{t: i for i, t in enumerate(tokens)} for _, tokens in spec["fields"]]
    values = [{v: i for i, v in enumerate(vs)} for _, vs in spec["params"]]
    problem = np.array([[c[x] if c else int(x) for c, x in zip(codes, r)] for r in rows], np.int32)
    target = np.array([[v[x] for v, x in zip(values, r[n:])] for r in rows], np.int16)
    key = [split_key(spec, options.split, r) for r in rows]
    kept = [is_test(x) for x in key]
    train = [i for i, t in enumerate(kept) if not t and allowed(library, problem[i], target[i])]
    test = [i for i, t in enumerate(kept[:n_present]) if t]
    if not test or not train:
        die(f"{spec['path']}: {len(train)} rows to train on and {len(test)} to test on")
    return {"spec": spec, "rows": rows, "problem": problem, "target": target, "key": key,
            "train": np.array(train), "test": np.array(test), "library": library,
            "counts": [len(v) for v in values], "options": options}


def column(task, name):
    """A field of all rows as numbers."""
    return task["problem"][:, [f for f, _ in task["spec"]["fields"]].index(name)]


def image_sizes(spec, size):
    """The output's sides and area."""
    oh, ow = ((size[a] + 2 * pad - reach) // stride + 1
              for a, (reach, pad, stride) in ((a, window(spec, a, size)) for a in "hw"))
    return {"oh": oh, "ow": ow, "ohw": oh * ow}


def gemm_sizes(size):
    """Of specs with filters: channels a group, and the sides of the matrix products that the three directions are."""
    gc, gk = (np.ceil(size[f] / size["groups"]) if "groups" in size else size[f] for f in "ck")
    yx = size["y"] * size["x"]
    return {"gc": gc, "gk": gk, "cyx": gc * yx, "kyx": gk * yx, "nohw": size["n"] * size["ohw"],
            "nhw": size["n"] * size["h"] * size["w"]}


def tree_features(task):
    """Fields, products and remainders: what trees cannot make of the fields themselves. With fields
    for the filter, those of the matrix products."""
    size = {f: column(task, f).astype(float) for f, tokens in task["spec"]["fields"] if not tokens}
    size.update(image_sizes(task["spec"], size))
    products = [size["ohw"] * size["n"], size["c"] * size["k"], size["ohw"] * size["c"],
                size["ohw"] * size["k"], size["ohw"] * size["n"] * size["c"] * size["k"]]
    divided, divisors = ("n", "c", "k", "ohw"), (2, 3, 4, 8, 16, 32, 64)
    if "y" in size:
        size.update(gemm_sizes(size))
        weights = size["gk"] * size["cyx"]
        products += [weights, size["nohw"] * size["gk"], size["nohw"] * weights]
        divided, divisors = ("gc", "gk", "nohw", "cyx"), (4, 8, 16, 32, 64, 128)
    remainders = [size[f] % m for f in divided for m in divisors]
    remainders += [size[f] % m for f in ("oh", "ow") for m in (2, 3, 4, 5, 7, 8, 16)]
    tokens = [column(task, f) for f, tokens in task["spec"]["fields"] if tokens]
    return np.stack([*tokens, *size.values(), *products, *remainders], 1).astype(np.float32)


def octaves(task, name):
    """A size of all rows as log2, of 1 more where it may be 0."""
    return np.log2(column(task, name) + (name in task["spec"]["from_zero"]))


def plain_features(task):
    """Fields only: tokens as one-hot, sizes as log2, all with mean 0 and deviation 1."""
    columns = []
    for name, tokens in task["spec"]["fields"]:
        columns += [column(task, name) == i for i in range(len(tokens))] or [octaves(task, name)]
    x = np.stack(columns, 1).astype(float)
    mean, deviation = x[task["train"]].mean(0), x[task["train"]].std(0)
    keep = deviation > 0
    return ((x - mean) / np.where(keep, deviation, 1))[:, keep]


# ---- rankings by the product of probabilities ----

def best_products(logs, k):
    """The k best tuples for every problem, any combination of values: exact, since the k best
    prefixes hold those of the k best tuples."""
    score, index = np.zeros((len(logs[0]), 1)), np.zeros((len(logs[0]), 1, 0), np.int16)
    for log in logs:
        both = (score[:, :, None] + log[:, None, :]).reshape(len(log), -1)
        best = np.argsort(-both, 1, kind="stable")[:, :k]
        score = np.take_along_axis(both, best, 1)
        prefix = np.take_along_axis(index, (best // log.shape[1])[:, :, None], 1)
        index = np.concatenate([prefix, (best % log.shape[1])[:, :, None].astype(np.int16)], 2)
    return index


def best_legal(task, logs, k):
    """The same among the legal tuples, all of which are scored."""
    n_params = len(logs)
    out = np.full((len(task["test"]), k, n_params), -1, np.int16)
    for i, row in enumerate(task["test"]):
        legal = legal_tuples(task["library"], task["problem"][row], n_params)
        if len(legal) == 0:
            continue
        score = sum(log[i][legal[:, t]] for t, log in enumerate(logs))
        best = np.argsort(-score, kind="stable")[:k]
        out[i, :len(best)] = legal[best]
    return out


def frequencies(task, t):
    """How often training names each value of a parameter."""
    count = np.bincount(task["target"][task["train"], t], minlength=task["counts"][t])
    return count / count.sum()


def smooth(task, t, classes, probability):
    """log2 of a classifier's probabilities for all values, those it never saw included."""
    full = np.zeros((len(probability), task["counts"][t]))
    full[:, classes] = probability
    full = (1 - SMOOTHING) * full + SMOOTHING * frequencies(task, t)
    return np.log2(np.maximum(full, 1e-9))


# ---- one classifier a parameter ----

def make_classifier(name, options):
    """An untrained classifier with sklearn's own settings, but for the seed."""
    need("sklearn", "python3-sklearn")
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier
    seed, jobs = options.seed, options.threads
    return {"tree": lambda: DecisionTreeClassifier(random_state=seed),
            "forest": lambda: RandomForestClassifier(options.trees, random_state=seed,
                                                     n_jobs=jobs),
            "bayes": lambda: GaussianNB(),
            "knn": lambda: KNeighborsClassifier(n_jobs=jobs),
            "svc": lambda: SVC(probability=True, random_state=seed)}[name]()


def fit_values(name, options, x, y):
    """A trained classifier, or the one value that there is."""
    if len(np.unique(y)) == 1:
        return int(y[0])
    return make_classifier(name, options).fit(x, y)


def probabilities(task, t, classifier, x):
    """The classifier's log2-probabilities of a parameter's values."""
    if isinstance(classifier, int):
        return smooth(task, t, [classifier], np.ones((len(x), 1)))
    return smooth(task, t, classifier.classes_, classifier.predict_proba(x))


def fit_classifiers(name, task):
    """Trains one classifier a parameter; returns its two rankings, which do not depend on k."""
    options = task["options"]
    need("sklearn", "python3-sklearn")
    x = tree_features(task) if name in ("tree", "forest") else plain_features(task)
    train = task["train"]
    if name == "svc" and len(train) > options.svc_rows:
        train = np.random.default_rng(options.seed).choice(train, options.svc_rows, replace=False)
    trained = []
    for t, (param, _) in enumerate(task["spec"]["params"]):
        progress(f"{task['spec']['name']}: {name}: trains {param}")
        trained.append(fit_values(name, options, x[train], task["target"][train, t]))

    def rank(k, ruled):
        logs = [probabilities(task, t, c, x[task["test"]]) for t, c in enumerate(trained)]
        return best_legal(task, logs, k) if ruled else best_products(logs, k)
    return rank


# ---- a chain of gradient-boosted trees ----

def fit_boosted(xgboost, x, y, options):
    """The classes seen, and trees that tell them apart (None for a single class)."""
    classes, label = np.unique(y, return_inverse=True)
    if len(classes) == 1:
        return classes, None
    settings = {"objective": "multi:softprob", "num_class": len(classes), "max_depth": 7,
                "eta": options.eta, "tree_method": "hist", "nthread": options.threads,
                "seed": options.seed, "verbosity": 0}
    return classes, xgboost.train(settings, xgboost.DMatrix(x, label), options.rounds)


def boosted_logs(task, t, trained, x):
    """log2-probabilities of the values of parameter t, for states given as features."""
    classes, trees = trained
    if trees is None:
        return smooth(task, t, classes, np.ones((len(x), 1)))
    return smooth(task, t, classes, trees.inplace_predict(x))


def forbid(task, index, logs):
    """Sets what the rule rejects to minus infinity."""
    for i, row in enumerate(task["test"]):
        alive = index[i, :, 0] >= 0
        may = extensions(task["library"], task["problem"][row], index[i, alive, 1:], logs.shape[2])
        logs[i, alive] = np.where(may, logs[i, alive], -np.inf)


def chain_beam(task, chain, x, k, ruled):
    """A beam of k through the chain. Column 0 of the index says which prefixes are alive."""
    n = len(x)
    score, index = np.zeros((n, 1)), np.zeros((n, 1, 1), np.int16)
    for t, trained in enumerate(chain):
        width = index.shape[1]
        state = np.concatenate([np.repeat(x, width, 0), index[:, :, 1:].reshape(n * width, t)], 1)
        logs = boosted_logs(task, t, trained, state.astype(np.float32)).reshape(n, width, -1)
        if ruled:
            forbid(task, index, logs)
        both = (score[:, :, None] + logs).reshape(n, -1)
        best = np.argsort(-both, 1, kind="stable")[:, :k]
        score = np.take_along_axis(both, best, 1)
        prefix = np.take_along_axis(index, (best // logs.shape[2])[:, :, None], 1)
        index = np.concatenate([prefix, (best % logs.shape[2])[:, :, None].astype(np.int16)], 2)
        index[np.isneginf(score)] = -1
    return index[:, :, 1:]


def train_chain(task):
    """For each parameter the classes seen and the trees."""
    xgboost = need("xgboost", "python3-xgboost")
    x, train, target = tree_features(task), task["train"], task["target"]
    chain = []
    for t, (param, _) in enumerate(task["spec"]["params"]):
        progress(f"{task['spec']['name']}: chain: trains {param}")
        state = np.concatenate([x[train], target[train, :t]], 1).astype(np.float32)
        chain.append(fit_boosted(xgboost, state, target[train, t], task["options"]))
    return chain


def fit_chain(_, task):
    """Trains the chain; its ranking is a beam search of width k."""
    chain, x = train_chain(task), tree_features(task)
    task["bytes"] = str(sum(len(trees.save_raw()) for _, trees in chain if trees))
    return lambda k, ruled: chain_beam(task, chain, x[task["test"]], k, ruled)


# ---- look-ups ----

def distances(task, train, test):
    """Squared distance in octaves, summed over sizes; problems of another GPU, direction or type
    come after all others."""
    total = np.zeros((len(test), len(train)), np.float32)
    for name, tokens in task["spec"]["fields"]:
        x = (column if tokens else octaves)(task, name).astype(np.float32)
        off = x[test][:, None] - x[train][None, :]
        total += 1e6 * (off != 0) if tokens else off * off
    return total


def neighbours(task, row, order, k, ruled):
    """The first k different tuples of the training rows in order."""
    found, seen = [], set()
    for i in order:
        candidate = task["target"][i]
        key = candidate.tobytes()
        if key in seen:
            continue
        seen.add(key)
        if not ruled or allowed(task["library"], task["problem"][row], candidate):
            found.append(candidate)
        if len(found) == k:
            break
    return found


def fit_nearest(_, task):
    """Nothing to train; the tuples of the nearest problems, the nearest first."""
    def rank(k, ruled):
        out = np.full((len(task["test"]), k, len(task["counts"])), -1, np.int16)
        for first in range(0, len(out), 100):
            rows = task["test"][first:first + 100]
            order = np.argsort(distances(task, task["train"], rows), 1, kind="stable")
            for i, row in enumerate(rows):
                found = neighbours(task, row, task["train"][order[i]], k, ruled)
                out[first + i, :len(found)] = found
        return out
    return rank


def load_defaults(path):
    """MIOpen's default choices, a Python file beside the rules that it imports as `rules`."""
    if not path or not os.path.exists(path):
        raise Unavailable(f"needs --defaults FILE.py ({path or 'none given'})")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    found = importlib.util.spec_from_file_location("defaults", path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def fit_default(_, task):
    """One tuple a problem, whatever k is."""
    defaults, spec = load_defaults(task["options"].defaults), task["spec"]
    if spec["solver"] not in defaults.D or not spec["filter"]:
        raise Unavailable(f"{task['options'].defaults} has none for {spec['solver']}")
    choose = defaults.D[spec["solver"]]
    values = [{v: i for i, v in enumerate(vs)} for _, vs in spec["params"]]

    def rank(k, ruled):
        if ruled:
            raise Unavailable("the default is legal by itself")
        out = np.full((len(task["test"]), k, len(values)), -1, np.int16)
        for i, row in enumerate(task["test"]):
            chosen = choose(oracle_problem(defaults.check, spec, task["rows"][row]))
            out[i, 0] = [v.get(str(x), -1) for v, x in zip(values, chosen)]
        return out
    return rank


def fit_network(_, task):
    """The network that a header holds: integers, a beam of k, the rule always."""
    trained_on = task["library"].bench_split().decode()
    if trained_on != task["options"].split:
        raise Unavailable(f"the header was trained on the split {trained_on}: name another with --network")

    def rank(k, ruled):
        if not ruled:
            raise Unavailable("the network has the rule built in")
        return predict(task["library"], task["problem"][task["test"]], k, len(task["counts"]))
    return rank


# ---- measuring ----

FIT = {"default": fit_default, "nearest": fit_nearest, "chain": fit_chain, "network": fit_network,
       **dict.fromkeys("tree bayes knn svc forest".split(), fit_classifiers)}
BEAMS = ("chain", "network") # k tuples are those of a beam of k, not the first k of a list


def agreement(task, tuples, k):
    """For every test row the most parameters in which one of the first k tuples is right."""
    right = tuples[:, :k] == task["target"][task["test"]][:, None, :]
    return right.sum(2).max(1)


def groupings(task):
    """(gpu, dtype, test rows) of each line: every GPU and type, types over the GPUs, and all."""
    names = dict(task["spec"]["fields"])
    gpu, dtype = column(task, "gpu")[task["test"]], column(task, "dtype")[task["test"]]
    pairs = [(g, d) for g in [None, *range(len(names["gpu"]))]
             for d in [*range(len(names["dtype"])), None] if g is None or d is not None]
    for g, d in pairs:
        rows = np.flatnonzero((True if g is None else gpu == g) & (True if d is None else dtype == d) & (gpu >= 0))
        if len(rows):
            yield ("all" if g is None else names["gpu"][g], "all" if d is None else names["dtype"][d], rows)


def lines_of(task, method, k, agree, seconds, micros):
    """The lines of one method and k, se behind the columns of the CSV."""
    n_params = len(task["counts"])
    for gpu, dtype, rows in groupings(task):
        units = [task["key"][i] for i in task["test"][rows]]
        pft, se = share_and_error([int(a == n_params) for a in agree[rows]], units)
        yield [method, task["spec"]["name"], task["options"].split, gpu, dtype, str(k),
               str(len(rows)), str(len(set(units))), f"{pft:.2f}",
               f"{100 * agree[rows].mean() / n_params:.2f}", f"{seconds:.1f}", f"{micros:.1f}",
               task["bytes"], f"{se:.2f}"]


def hit_lines(task, method, k, agree):
    """A line for every test row; rows count from 1 as `kpred-train ingest` writes them."""
    n_params = len(task["counts"])
    return [[method, task["spec"]["name"], task["options"].split, task["key"][row], row + 1, k,
             int(a == n_params), int(a)] for row, a in zip(task["test"], agree)]


def measure(task, method, rank, ruled, seconds, out):
    """Adds the lines of a method, with the rule or without, to out."""
    ks = task["options"].k
    name = method + ("+rule" if ruled and method != "network" else "")
    tuples = None
    for k in ks:
        if tuples is None or method in BEAMS:
            progress(f"{task['spec']['name']}: {name}: k = {k}")
            start = time.perf_counter()
            tuples = rank(k if method in BEAMS else max(ks), ruled)
            micros = 1e6 * (time.perf_counter() - start) / len(task["test"])
        agree = agreement(task, tuples, k)
        out["lines"] += lines_of(task, name, k, agree, seconds, micros)
        out["hits"] += hit_lines(task, name, k, agree)


def run_method(task, method, out):
    """Trains and measures a method, or says why it cannot."""
    start = time.perf_counter()
    task["bytes"] = "-"
    try:
        rank = FIT[method](method, task)
    except Unavailable as e:
        progress("")
        print(f"skip {method}: {e}", file=sys.stderr)
        return
    seconds = time.perf_counter() - start
    for ruled in (False, True):
        try:
            measure(task, method, rank, ruled, seconds, out)
        except Unavailable:
            pass # has only one of the two forms
    progress("")


def print_results(out, options):
    """CSV as documented; the table adds the standard error."""
    if options.csv:
        print_csv(HEADING, [line[:-1] for line in out["lines"]])
    else:
        print_table([*HEADING[:9], "se", *HEADING[9:]], [[*line[:9], line[-1], *line[9:-1]] for line in out["lines"]])
    if options.hits:
        write_csv(options.hits, HITS, out["hits"])


# ---- the command line ----

def list_of(kind, choices=None):
    """An argparse type for lists with commas."""
    def parse(text):
        items = [kind(x) for x in text.split(",")]
        for x in items:
            if choices and x not in choices:
                raise argparse.ArgumentTypeError(f"\"{x}\" is not one of {','.join(choices)}")
        return items
    return parse


def count(text):
    """A whole number of at least 1."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"\"{text}\": expected a number of at least 1")
    return int(text)


def parse_options():
    """The command line; status 2 if it is wrong."""
    p = parser_of(__doc__)
    p.add_argument("spec", nargs="+", help="the kernels' .spec files")
    p.add_argument("--data", nargs="+", required=True, help="tuning results, as for kpred-train")
    p.add_argument("--older", nargs="*", default=[], help="older tuning results, to train on alone")
    p.add_argument("--split", choices=("config", "shape"), default="config")
    p.add_argument("--methods", type=list_of(str, METHODS), default=METHODS, help="default: " + ",".join(METHODS))
    p.add_argument("-k", type=list_of(count), default=[1, 10, 30, 50, 100],
                   help="tuples asked for (default 1,10,30,50,100)")
    p.add_argument("--threads", type=count, default=1)
    p.add_argument("--seed", type=count, default=1)
    p.add_argument("--svc-rows", type=count, default=4000, help="the subsample (default 4000)")
    p.add_argument("--rounds", type=count, default=200, help="trees of a value (default 200)")
    p.add_argument("--trees", type=count, default=100, help="of a forest (default 100)")
    p.add_argument("--eta", type=float, default=0.1, help="the chain's step (default 0.1)")
    p.add_argument("--defaults", help="MIOpen's defaults, beside a rules.py")
    p.add_argument("--network", help="the header with rule and network, or a folder with NAME.h "
                   "(default: beside the spec)")
    p.add_argument("--trainer", default=os.path.join(ROOT, "build", "kpred-train"))
    p.add_argument("--hits", help="write every test row's outcome to this file")
    p.add_argument("--csv", action="store_true", help="CSV instead of a table")
    options = p.parse_args()
    if options.network and not os.path.isdir(options.network) and len(options.spec) > 1:
        p.error(f"--network {options.network}: with several specs it must be a folder")
    options.k = sorted(set(options.k))
    return options


def header_of(path, spec, options):
    """The header with the rule and the network of a spec."""
    if options.network and os.path.isdir(options.network):
        return os.path.join(options.network, spec["name"] + ".h")
    return options.network or os.path.splitext(path)[0] + ".h"


def main():
    """Runs all methods on all specs."""
    options, out = parse_options(), {"lines": [], "hits": []}
    for path in options.spec:
        spec = read_spec(path)
        task = load_task(spec, options, load(header_of(path, spec, options)))
        for method in options.methods:
            run_method(task, method, out)
    print_results(out, options)


if __name__ == "__main__":
    main()
