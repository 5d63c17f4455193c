"""test_dispatcher.py - docs/dispatcher.md: boosted trees that judge 4,608 candidates by 72 features become one header

SPDX-License-Identifier: MIT

usage: test_dispatcher.py         LightGBM, which pip may get, learns 100 trees; what `train --judge` prints is counted
                                  a second time, with the package's scores
       test_dispatcher.py whole   1,000 trees of 63 leaves and 1,000 problems: the figures of the page, in 5 minutes

The speeds are made up: a product of matrices on 304 units, with waves, padding and pipelines.
"""
import importlib
import itertools
import json
import math
import os
import random
import re
import sys

from report import KPRED, TRAINER, check, end, folder, need, output, read, run, skip, there, write

SPEC = "tests/fixtures/dispatcher.spec"
whole = sys.argv[1:] == ["whole"]
need(TRAINER)
tmp = folder()
if not there("python3-lightgbm"):
    alone = "--no-deps" if there("python3-scipy") else "" # other packages of Debian do not work with pip's numpy
    run(f"{sys.executable} -m pip install -q {alone} --target {tmp}/pip lightgbm narwhals", None)
    sys.path.insert(0, f"{tmp}/pip")
if not there("python3-lightgbm"):
    skip("all", "there is no lightgbm, and pip does not get it")
    end()
np, lgb = (importlib.import_module(name) for name in ("numpy", "lightgbm"))
os.environ["OMP_NUM_THREADS"] = "1"

# The lines of [judge] are Python: a function of all names, without `time`, which it undoes
SECTION = dict(re.findall(r"(?ms)^\[(\w+)\]\n(.*?)(?=^\[|\Z)", read(SPEC)))
PARAMS = {name: [int(word) if word.isdigit() else word for word in words.split()]
          for name, words in (line.split(" = ") for line in SECTION["params"].splitlines())}
CANDIDATES = [dict(zip(PARAMS, values)) for values in itertools.product(*PARAMS.values())]
LINES = [line for line in SECTION["judge"].splitlines() if not line.startswith("time")]
own = {"ceil": math.ceil, "log2": math.log2}
exec("def features(M, N, K, layout, " + ", ".join(PARAMS) + "):\n" + "".join(
    f"    {line}\n" for line in LINES) + "    return locals()", own)
NAMES = [name for name in own["features"](1, 1, 1, "rcr", **CANDIDATES[0]) if name not in ("warp_tile", "pad")]


def rows_of(shape, candidates):
    return [own["features"](*shape, **candidate) for candidate in candidates]


def numbers_of(f):
    return [float(f[name]) for name in NAMES]


def speed(f, layout, pipeline):
    """TFLOPS; 0: it does not run"""
    need_of_lds = f["lds_usage_ratio"] * (2 if pipeline == "compv4" else 1)
    if f["missing_any_required_padding"] or need_of_lds > 1:
        return 0
    area, waves = f["tile_mn"], math.ceil(f["total_output_tiles"] / 304)
    share = .55 + .03 * math.log2(area / 4096)
    share *= (1.05 if f["warp_tile_m"] == 32 else 1) * {32: .95, 64: 1.04, 128: 1}[f["tile_k"]]
    share *= 1 - .05 * abs(math.log2(f["tile_m"] / f["warp_m"] / f["tile_n"] * f["warp_n"]))
    share *= {"compv3": 1, "compv4": 1.08 if f["num_tiles_k"] >= 8 else .85,
              "compv5": 1.05 if f["num_tiles_k"] >= 8 else .93, "mem": .92 if area < 16384 else .82}[pipeline]
    share *= {"rcr": 1, "rrr": .95, "crr": .9, "ccr": .92}[layout] * (.97 if f["pad_m"] else 1)
    share *= (1.04 if waves > 2 else .96) if f["persistent"] else 1
    share *= (.9 if need_of_lds > .5 else 1) * (.93 if area > 49152 else 1)
    work = waves * area * f["K"] / f["tile_eff_k"] * 2 / (1307e12 / 304 * share)
    size = 2 * (f["M"] * f["K"] + f["N"] * f["K"] + f["M"] * f["N"])
    again = .7 * f["K"] * (f["M"] * f["num_tiles_n"] + f["N"] * f["num_tiles_m"]) / 8e12
    move = size / 4.3e12 * (.9 if pipeline == "mem" else 1) + again
    return 2e-12 * f["M"] * f["N"] * f["K"] / (max(work, move) + .25 * min(work, move) + 4e-6)


def shapes(draw, n):
    """Tokens of a language model, and sides that are multiples of 64"""
    found = set()
    while len(found) < n:
        m = int(2 ** draw.uniform(0, 14)) if draw.random() < .5 else 16 * int(2 ** draw.uniform(0, 10))
        found.add((m, *(64 * int(2 ** draw.uniform(1, 8)) for _ in "NK"),
                   draw.choices(["rcr", "rrr", "crr", "ccr"], [55, 25, 10, 10])[0]))
    return sorted(found)


def teacher(path, n_shapes, n_candidates, n_trees, n_leaves):
    """It learns the logarithm of speeds that scatter by 2 %, as the dispatcher's model does."""
    draw, x, y = random.Random(5), [], []
    for shape in shapes(draw, n_shapes):
        drawn = draw.sample(CANDIDATES, n_candidates)
        for f, candidate in zip(rows_of(shape, drawn), drawn):
            x.append(numbers_of(f))
            y.append(math.log1p(speed(f, shape[3], candidate["pipeline"]) * draw.gauss(1, .02)))
    options = {"num_leaves": n_leaves, "learning_rate": .05, "verbose": -1, "num_threads": 1, "min_data_in_leaf": 50,
               "feature_fraction": .8, "seed": 1, "deterministic": True}
    data = lgb.Dataset(np.array(x), y, feature_name=NAMES, categorical_feature=[
        "layout", "pipeline", "scheduler", "epilogue"])
    lgb.train(options, data, n_trees).save_model(path)
    return lgb.Booster(model_file=path)


def counted(model, problems):
    """How often the first candidate of the package is found, the speed of the best one found (for the model and as it
    was made up), and that of the package's first"""
    found, per_line = np.zeros(10), {}
    told = json.loads(output(f"{KPRED} predict {tmp}/ck.h --problems {tmp}/shapes.csv -k 8 --json"))
    for row in told:
        per_line.setdefault(row["line"], []).append([row[name] for name in PARAMS])
    for line, shape in enumerate(problems, 2):
        rows = rows_of(shape, CANDIDATES)
        said = np.expm1(model.predict(np.array(list(map(numbers_of, rows))), num_threads=1))
        real = np.array([speed(f, shape[3], c["pipeline"]) for f, c in zip(rows, CANDIDATES)])
        at = [CANDIDATES.index(dict(zip(PARAMS, values))) for values in per_line[line]]
        first = int(np.argmax(said))
        found += [100 * x for k in (1, 4, 8) for x in (
            max(said[at[:k]]) >= said[first], max(said[at[:k]]) / said[first],
            max(real[at[:k]]) / max(real))] + [100 * real[first] / max(real)]
    return found / len(problems)


def header():
    """Its figures as `train` prints them, for all problems, as none is kept from training"""
    model = teacher(f"{tmp}/ck.txt", *((300, 700, 1000, 63) if whole else (60, 400, 100, 31)))
    learnt = shapes(random.Random(6), 1000 if whole else 120)
    write(f"{tmp}/shapes.csv", "M,N,K,layout\n" + "".join(",".join(map(str, shape)) + "\n" for shape in learnt))
    said = run(f"{TRAINER} train {SPEC} --judge {tmp}/ck.txt --problems {tmp}/shapes.csv -o {tmp}/ck.h --split none"
               + ("" if whole else " --epochs 20")).stderr
    assert f"LightGBM, {model.num_trees()} trees, 72 features: {len(learnt)} problems" in said, said
    numbers = re.search(r"tuple is found in (.*), (.*), (.*) %, and the best one found has (.*), (.*), (.*) %", said)
    asked = shapes(random.Random(7), 100) if whole else learnt
    write(f"{tmp}/shapes.csv", "M,N,K,layout\n" + "".join(",".join(map(str, shape)) + "\n" for shape in asked))
    again = counted(model, asked)
    size = int(re.search(r"(?m)^bytes +(\d+)", output(f"{KPRED} models {tmp}/ck.h"))[1])
    if whole:
        print(said)
    print(f"model {os.path.getsize(tmp + '/ck.txt')} bytes, weights {size}, header {os.path.getsize(tmp + '/ck.h')}\n"
          "found, its speed for the model, its true speed: " + "; ".join(
              f"k = {k}: " + " ".join(f"{x:.1f}" for x in again[3 * i:3 * i + 3]) for i, k in enumerate((1, 4, 8)))
          + f"; true speed of the model's first: {again[9]:.1f}")
    assert size < 120000 and again[7] > 90, again
    pairs = list(zip(map(float, numbers.groups()), again[[0, 3, 6, 1, 4, 7]]))
    return [] if whole or all(abs(a - b) < .06 for a, b in pairs) else [str(pairs)]


check("4,608 candidates, 72 features", lambda: [] if (len(CANDIDATES), len(NAMES)) == (4608, 72) else [
    f"{len(CANDIDATES)}, {len(NAMES)}"])
check("a header of such a model", header)
end()
