#!/usr/bin/env python3
# triton.py - other ways to choose configurations of Triton kernels, beside kpred
# SPDX-License-Identifier: MIT
"""Other ways to choose the configurations of vLLM's and SGLang's Triton kernels, beside kpred.

  nearest  the tuples of the nearest training rows, by the logarithms of the sizes
  default  what the server takes without a file
  forest   a random forest, a class for each tuple (scikit-learn)
  chain    a random forest for each parameter, given those before it; a beam over the known tuples
  boosted  the same with gradient-boosted trees (XGBoost)
  kpred    the network, trained as the spec says without the rows that are judged

The rows are what `kpred-train ingest` reads, so that what runs the same code counts as one for all. A
fold keeps whole configurations (all that a problem has but the server, Triton's version and M), so a
copy, a retune or another server's file of them is not known. exact: percent of rows whose tuple is among the first k;
tile: those of which some tuple has the same BLOCK_SIZE_M, _N, _K and num_warps. se: over
configurations.

--unseen leaves each GPU out once, and asks kpred for its rows as for the GPU that `--nearest` takes.
"""
import collections
import csv
import math
import os
import subprocess
import sys
import tempfile

import native
from native import np
from rows import (FOLDS, ROOT, chosen, die, fold_of, ingest, parser_of, print_lines, progress, read_sections,
                  share_and_error, words, write_csv)

LISTS = (1, 4, 10)
OUTCOME = ["configuration", "gpu", "exact", "tile"]
TILE = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "num_warps")
FAR = 2.0 # octaves that another GPU, type or block counts


class Spec:
    """What a spec says of problems and tuples, and where things stand in a row."""

    def __init__(self, path):
        sections = read_sections(path)
        self.path, self.name = path, dict(sections["kernel"])["name"]
        self.fields = [(name, [] if v.split()[0] == "size" else v.split()) for name, v in sections["fields"]]
        self.params = [(name, words(v)) for name, v in sections["params"]]
        self.tile = [i for i, (name, _) in enumerate(self.params) if name in TILE]
        self.shared = [i for i, (name, _) in enumerate(self.fields) if name not in ("server", "triton", "M")]
        self.gpu = [name for name, _ in self.fields].index("gpu")
        self.units = [int(x.rsplit("_", 1)[1]) if x.rsplit("_", 1)[-1].isdigit() else 0
                      for x in dict(self.fields)["gpu"]]

    def problem(self, row):
        """Numbers: tokens by their places."""
        return [tokens.index(x) if tokens else int(x) for (_, tokens), x in zip(self.fields, row)]

    def features(self, row):
        """What trees see: sizes, their logarithms, divisors and tiles."""
        numbers = self.problem(row)
        sizes = {name: x for (name, tokens), x in zip(self.fields, numbers) if not tokens}
        logs = [math.log2(x + 1) for x in sizes.values()]
        m, n = sizes["M"], sizes["N"]
        tiles = [math.log2(-(-m // a) * -(-n // b)) for a in (16, 64, 128) for b in (32, 64, 128)]
        return numbers + logs + tiles + [
            math.log2(m) - math.log2(sizes.get("E", 1)), math.log2(m) + math.log2(n), n & -n,
            sizes.get("K", 0) & -sizes.get("K", 0), self.units[numbers[self.gpu]]]


class Fold:
    """Rows to learn and rows to judge, as texts; tuples are tuples of texts."""

    def __init__(self, spec, rows, options, is_tested):
        self.spec, self.options = spec, options
        n = len(spec.fields)
        parts = collections.defaultdict(list)
        for row in rows:
            unit = ",".join(row[i] for i in spec.shared)
            parts[is_tested(row, unit)].append((row[:n], tuple(row[n:]), unit))
        self.train, self.test = parts[False], parts[True]
        self.tuples = sorted({t for _, t, _ in self.train})

    def seen(self):
        """Features of both parts."""
        return [np.array([self.spec.features(row) for row, _, _ in part], dtype=np.float32)
                for part in (self.train, self.test)]


def nearest(fold):
    """Tuples by the distance of their nearest row."""
    spec = fold.spec
    places = [[math.log2(x + 1) if not tokens else x for (_, tokens), x
               in zip(spec.fields, spec.problem(row))] for row, _, _ in fold.train]
    known = np.array(places)
    named = np.array([bool(tokens) for _, tokens in spec.fields])
    for row, _, _ in fold.test:
        at = np.array([math.log2(x + 1) if not tokens else x for (_, tokens), x in zip(spec.fields, spec.problem(row))])
        far = np.where(named, FAR * (known != at), abs(known - at)).sum(axis=1)
        yield list(dict.fromkeys(fold.train[i][1] for i in np.argsort(far, kind="stable")))[:LISTS[-1]]


def best_of(tuples, scores):
    """The tuples with the highest scores."""
    return [tuples[i] for i in np.argsort(-scores, kind="stable")[:LISTS[-1]]]


def forest(fold):
    """A class for each tuple."""
    from sklearn.ensemble import RandomForestClassifier
    known, asked = fold.seen()
    trees = RandomForestClassifier(300, max_features=0.4, n_jobs=fold.options.threads, random_state=1)
    trees.fit(known, [fold.tuples.index(t) for _, t, _ in fold.train])
    for chances in trees.predict_proba(asked):
        yield best_of(fold.tuples, chances)


def follow(fold, learn):
    """Parameter after parameter: learn(x, y) gives a function from x to chances."""
    known, asked = fold.seen()
    score = np.zeros((len(asked), len(fold.tuples)))
    for p in range(len(fold.spec.params)):
        values = sorted({t[p] for _, t, _ in fold.train})
        before = np.array([[float(v) for v in t[:p]] for _, t, _ in fold.train], dtype=np.float32)
        model = learn(np.hstack([known, before.reshape(len(known), p)]),
                      [values.index(t[p]) for _, t, _ in fold.train]) if len(values) > 1 else None
        for prefix in sorted({t[:p] for t in fold.tuples}) if model else ():
            given = np.tile(np.array([float(v) for v in prefix], dtype=np.float32), (len(asked), 1))
            chance = np.log(np.maximum(model(np.hstack([asked, given.reshape(len(asked), p)])), 1e-6))
            for i, t in enumerate(fold.tuples):
                if t[:p] == prefix:
                    score[:, i] += chance[:, values.index(t[p])]
    for line in score:
        yield best_of(fold.tuples, line)


def chain(fold):
    """With random forests."""
    from sklearn.ensemble import RandomForestClassifier

    def learn(x, y):
        return RandomForestClassifier(200, max_features=0.4, min_samples_leaf=2, random_state=1,
                                      n_jobs=fold.options.threads).fit(x, y).predict_proba
    return follow(fold, learn)


def boosted(fold):
    """With boosted trees."""
    import xgboost

    def learn(x, y):
        n = max(y) + 1
        how = {"objective": "multi:softprob", "num_class": n, "max_depth": 6, "eta": .1, "subsample": .8,
               "colsample_bytree": .5, "nthread": fold.options.threads}
        trees = xgboost.train(how, xgboost.DMatrix(x, label=y), 120)
        return lambda asked: trees.predict(xgboost.DMatrix(asked)).reshape(len(asked), n)
    return follow(fold, learn)


def write_tables(fold, folder):
    """The rows to learn, as CSV: of one problem, each row in a file of its own."""
    spec, files, times = fold.spec, {}, collections.Counter()
    names = [name for name, _ in spec.fields + spec.params]
    for row, values, _ in fold.train:
        path = os.path.join(folder, f"{times[tuple(row)]}.csv")
        times[tuple(row)] += 1
        files.setdefault(path, [names]).append([*row, *values])
    for path, lines in files.items():
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(",".join(line) + "\n" for line in lines)
    return list(files)


def kpred(fold):
    """The network of the spec."""
    spec, most = fold.spec, LISTS[-1]
    with tempfile.TemporaryDirectory() as folder:
        header = os.path.join(folder, "model.h")
        done = subprocess.run(
            [fold.options.trainer, "train", spec.path, "--data", *write_tables(fold, folder), "--split",
             "none", "--threads", str(fold.options.threads), "--include-dir", ROOT + "/", "-o", header],
            capture_output=True, text=True, check=False)
        if done.returncode:
            die(done.stderr.strip())
        library = native.load(header)
    problem = np.array([spec.problem(row) for row, _, _ in fold.test], dtype=np.int32)
    out = np.zeros((len(problem), most, len(spec.params)), dtype=np.uint8)
    found = np.zeros(len(problem), dtype=np.int32)
    if library.bench_predict(np.ascontiguousarray(problem), len(problem), most, out, found):
        die(f"{spec.name}: cannot predict", 1)
    for lines, n in zip(out, found):
        yield [tuple(values[i] for i, (_, values) in zip(line, spec.params)) for line in lines[:n]]


def default(fold):
    """What the server takes without a file, by the program `triton-default` beside the trainer."""
    spec, lines = fold.spec, []
    for row, _, _ in fold.test:
        said = dict(zip((name for name, _ in spec.fields), row))
        maker = "AMD_" if said["gpu"].startswith(("gfx", "MI")) else "NVIDIA_"
        sizes = (said.get(name, "0") for name in ("block", "per_channel", "E", "N", "K", "M"))
        lines.append(" ".join([said["server"], maker + said["gpu"], said["dtype"], *sizes]))
    program = os.path.join(os.path.dirname(fold.options.trainer), "peers", "triton-default")
    done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True)
    known = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages")
    for line in done.stdout.splitlines():
        found = dict(zip(known, line.split()))
        yield [tuple(found.get(name, "0") for name, _ in spec.params)] if found else []


METHODS = {f.__name__: f for f in (nearest, default, forest, chain, boosted, kpred)}


# ---- the table ----


def place_of(found, is_it):
    """The first tuple that is it, counted from 1; 0: none is."""
    return next((i + 1 for i, t in enumerate(found) if is_it(t)), 0)


def outcomes_of(spec, fold, method):
    """A line for each tested row: its configuration, GPU, and the places of its tuple and tile."""
    for (row, wanted, unit), found in zip(fold.test, METHODS[method](fold)):
        yield [unit, row[spec.gpu], str(place_of(found, lambda t, w=wanted: t == w)),
               str(place_of(found, lambda t, w=wanted: all(t[i] == w[i] for i in spec.tile)))]


def kept_outcomes(spec, fold, method, number):
    """The same, from the file of --kept if it is there and newer than the spec, or else into it."""
    path = os.path.join(fold.options.kept or "", f"{spec.name}-{method}-{number}.csv")
    if fold.options.kept and os.path.exists(path) and os.path.getmtime(path) > os.path.getmtime(spec.path):
        with open(path, encoding="utf-8", newline="") as f:
            return list(csv.reader(f))[1:]
    progress(f"{spec.name}: {method}, fold {number}")
    lines = list(outcomes_of(spec, fold, method))
    if fold.options.kept:
        write_csv(path + ".new", OUTCOME, lines)
        os.replace(path + ".new", path)
    return lines


def judge(spec, folds, method):
    """A line of the table."""
    lines = [line for i, fold in enumerate(folds) for line in kept_outcomes(spec, fold, method, i)]
    units, line = [x[0] for x in lines], [spec.name, method, str(len(lines)), str(len({x[0] for x in lines}))]
    for place in (2, 3):
        for k in LISTS:
            line += [f"{x:.1f}" for x in share_and_error([0 < int(x[place]) <= k for x in lines], units)]
    return line


# ---- GPUs that a model lacks ----

LEAST_ROWS = 36
SAME_CHIP = {"gfx942_304": "MI325X", "MI325X": "gfx942_304"} # taken for each other without a note


def nearest_gpu(options, known, gpu):
    """The one of these that `kpred predict --nearest` takes for it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a")
        with open(path + ".spec", "w", encoding="utf-8") as f:
            f.write(f"[kernel]\nname = a\n[data]\nformat = csv\n[fields]\ngpu = {' '.join(known)}\nn = size\n"
                    "[params]\np = 1 2\n[split]\nconfig = n\n[network]\nteachers = 0\n")
        with open(path + ".csv", "w", encoding="utf-8") as f:
            f.write("gpu,n,p\n" + "".join(f"{g},{n},{n % 2 + 1}\n" for g in known for n in range(1, 9)))
        subprocess.run([options.trainer, "train", path + ".spec", "--data", path + ".csv", "--split", "none",
                        "--epochs", "1", "-o", path + ".h"], capture_output=True, check=True)
        done = subprocess.run([os.path.join(os.path.dirname(options.trainer), "kpred"), "predict", path + ".h",
                               "--nearest", f"gpu={gpu}", "n=1"], capture_output=True, text=True, check=False)
    return next((g for g in known if f", {g} " in done.stderr), SAME_CHIP.get(gpu))


def unseen(spec, rows, options):
    """A line for each GPU with some rows, as if the model lacked it."""
    at, count = spec.gpu, collections.Counter(row[spec.gpu] for row in rows)
    for gpu in dict(spec.fields)["gpu"]:
        stands_in = nearest_gpu(options, [g for g in dict(spec.fields)["gpu"] if count[g] and g != gpu], gpu)
        if count[gpu] < LEAST_ROWS or stands_in is None:
            continue
        fold = Fold(spec, rows, options, lambda row, _, gpu=gpu: row[at] == gpu)
        fold.test = [(row[:at] + [stands_in] + row[at + 1:], values, unit) for row, values, unit in fold.test]
        yield [f"{gpu} as {stands_in}"] + judge(spec, [fold], "kpred")[2:]


def newer(spec, rows, options):
    """One fold: it tests the files of that version of Triton and newer ones, asked for as the newest one that is learnt,
    and learns from others, but of none of their configurations."""
    at = [name for name, _ in spec.fields].index("triton")
    tested = {",".join(row[i] for i in spec.shared) for row in rows if int(row[at]) >= options.since}
    rows = [row for row in rows if int(row[at]) >= options.since or ",".join(row[i] for i in spec.shared) not in tested]
    fold = Fold(spec, rows, options, lambda row, _: int(row[at]) >= options.since)
    newest = max((row[at] for row, _, _ in fold.train), key=int)
    for row, _, _ in fold.test:
        row[at] = newest
    return fold


def main():
    """The command."""
    p = parser_of(__doc__)
    p.add_argument("spec")
    p.add_argument("--data", nargs="+", required=True, help="files for `kpred-train ingest`")
    p.add_argument("--methods", default=",".join(METHODS), help=f"some of {', '.join(METHODS)}")
    p.add_argument("--kept", help="a folder for the outcomes of each fold, which are not judged again")
    p.add_argument("--unseen", action="store_true", help="GPUs that the model lacks, in place of folds")
    p.add_argument("--since", type=int, help="in place of folds: Triton's version, 306 of 3.6; newer files are judged")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--trainer", default=f"{ROOT}/build/kpred-train", help="kpred-train")
    p.add_argument("--csv", action="store_true", help="CSV instead of a table")
    options = p.parse_args()
    spec, lines = Spec(options.spec), []
    rows = ingest(options.trainer, {"path": spec.path, "name": spec.name, "fields": spec.fields,
                                    "params": spec.params}, options.data)
    folds = [Fold(spec, rows, options, lambda _, unit, i=i: fold_of(unit) == i)
             for i in range(FOLDS)] if options.since is None else [newer(spec, rows, options)]
    for method in chosen("methods", options.methods, METHODS) if not options.unseen else ():
        try:
            lines.append(judge(spec, folds, method))
        except ImportError as e:
            print(f"skip {method}: needs python3-sklearn or python3-xgboost ({e})", file=sys.stderr)
    lines += unseen(spec, rows, options) if options.unseen else ()
    heading = (["gpu"] if options.unseen else ["model", "method"]) + ["rows", "configurations"]
    heading += [x for what in ("exact", "tile") for k in LISTS for x in (f"{what}@{k}", "se")]
    print_lines(heading, lines, options)


if __name__ == "__main__":
    main()
