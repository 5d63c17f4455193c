"""test_dispatcher.py - docs/dispatcher.md: boosted trees that judge 4,608 candidates by 72 features become one header

SPDX-License-Identifier: MIT

usage: test_dispatcher.py         LightGBM, which pip may get, learns 100 trees
       test_dispatcher.py whole   500 trees of 127 leaves and 1,000 problems: the figures of the page

The speeds are made up: a product of matrices on 304 units, with waves, padding and pipelines.
"""
import csv
import importlib
import itertools
import json
import os
import random
import re
import sys
import time

from report import KPRED, TRAINER, check, end, folder, get_module, need, output, read, run, skip, there, write

SPEC = "tests/fixtures/dispatcher.spec"
whole = sys.argv[1:] == ["whole"]
need(TRAINER)
tmp = folder()
get_module("lightgbm", "narwhals", f"{tmp}/pip")
if not there("python3-lightgbm"):
    skip("all", "there is no lightgbm, and pip does not get it")
    end()
np, lgb = (importlib.import_module(name) for name in ("numpy", "lightgbm"))
sys.path.insert(0, "tests/fixtures")
own = importlib.import_module("dispatcher")
os.environ.update(OMP_NUM_THREADS="1", KPRED_TRAIN=TRAINER, PYTHONPATH=os.pathsep.join(["tools/python", *sys.path]))

SECTION = dict(re.findall(r"(?ms)^\[(\w+)\]\n(.*?)(?=^\[|\Z)", read(SPEC)))
PARAMS = {name: [int(word) if word.isdigit() else word for word in words.split()]
          for name, words in (line.split(" = ") for line in SECTION["params"].splitlines())}
CANDIDATES = list(itertools.product(*PARAMS.values()))
FIELDS = "M", "N", "K", "layout"


def columns(shape, candidates):
    rows = [shape + candidate for candidate in candidates]
    return own.features(**{name: np.array(column) for name, column in zip((*FIELDS, *PARAMS), zip(*rows))})


def matrix(f, n):
    return np.column_stack([np.broadcast_to(np.asarray(column, float), n) for column in f.values()])


NAMES = list(columns((1, 1, 1, "rcr"), CANDIDATES[:2]))


def speeds(f):
    """TFLOPS of candidates; 0: it does not run"""
    long, pipeline, share = f["num_tiles_k"] >= 8, f["pipeline"], .55 + .03 * np.log2(f["tile_mn"] / 4096)
    lds = f["lds_usage_ratio"] * np.where(pipeline == 1, 2, 1)
    waves = -(-f["total_output_tiles"] // 304)
    share *= np.where(f["warp_tile_m"] == 32, 1.05, 1) * np.select([f["tile_k"] == 32, f["tile_k"] == 64], [.95, 1.04], 1)
    share *= 1 - .05 * abs(np.log2(f["tile_m"] / f["warp_m"] / f["tile_n"] * f["warp_n"]))
    share *= np.select([pipeline == 0, pipeline == 1, pipeline == 2], [1, np.where(long, 1.08, .85), np.where(
        long, 1.05, .93)], np.where(f["tile_mn"] < 16384, .92, .82))
    share *= np.array([1, .95, .9, .92])[f["layout"]] * np.where(f["pad_m"] > 0, .97, 1)
    share *= np.where(f["persistent"] > 0, np.where(waves > 2, 1.04, .96), 1)
    share *= np.where(lds > .5, .9, 1) * np.where(f["tile_mn"] > 49152, .93, 1)
    m, n, k = f["M"], f["N"], f["K"]
    work = waves * f["tile_mn"] * k / f["tile_eff_k"] * 2 / (1307e12 / 304 * share)
    again = .7 * k * (m * f["num_tiles_n"] + n * f["num_tiles_m"]) / 8e12
    move = 2 * (m * k + n * k + m * n) / 4.3e12 * np.where(pipeline == 3, .9, 1) + again
    took = np.maximum(work, move) + .25 * np.minimum(work, move) + 4e-6
    return np.where((f["missing_any_required_padding"] > 0) | (lds > 1), 0, 2e-12 * m * n * k / took)


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
        f = columns(shape, draw.sample(CANDIDATES, n_candidates))
        x.append(matrix(f, n_candidates))
        y.append(np.log1p(speeds(f) * [draw.gauss(1, .02) for _ in range(n_candidates)]))
    options = {"num_leaves": n_leaves, "learning_rate": .05, "verbose": -1, "num_threads": 1, "min_data_in_leaf": 50,
               "feature_fraction": .8, "seed": 1, "deterministic": True}
    data = lgb.Dataset(np.concatenate(x), np.concatenate(y), feature_name=NAMES, categorical_feature=list(own.CATEGORIES))
    lgb.train(options, data, n_trees).save_model(path)
    return lgb.Booster(model_file=path)


def said_by(model, shape, candidates):
    return np.expm1(model.predict(matrix(columns(shape, candidates), len(candidates)), num_threads=1))


def counted(answers):
    """How often the first candidate of the package is found, the speed of the best one found (for the model and as it
    was made up), and that of the package's first"""
    found, per_line = np.zeros(10), {}
    told = json.loads(output(f"{KPRED} predict {tmp}/ck.h --problems {tmp}/asked.csv -k 8 --json"))
    for row in told:
        per_line.setdefault(row["line"], []).append(tuple(row[name] for name in PARAMS))
    for line, (said, real) in enumerate(answers, 2):
        at = [CANDIDATES.index(values) for values in per_line[line]]
        first = int(np.argmax(said))
        found += [100 * x for k in (1, 4, 8) for x in (
            max(said[at[:k]]) >= said[first], max(said[at[:k]]) / said[first],
            max(real[at[:k]]) / max(real))] + [100 * real[first] / max(real)]
    return found / len(answers)


def figures(again):
    return "found, its speed for the model, its true speed: " + "; ".join(
        f"k = {k}: " + " ".join(f"{x:.1f}" for x in again[3 * i:3 * i + 3]) for i, k in enumerate((1, 4, 8)))


def taught(seed, answers):
    """What is counted of a header that this seed gives"""
    run(f"{TRAINER} train {SPEC} --judge {tmp}/judged.csv -o {tmp}/ck.h --force --split none --seed {seed}"
        + ("" if whole else " --epochs 20"))
    again = counted(answers)
    print(f"seed {seed}: {figures(again)}")
    return again


def judged(model):
    """Each row has the package's score, and the fastest tuples of a problem are there."""
    wrong, rows = [], {}
    for row in csv.DictReader(read(f"{tmp}/judged.csv").splitlines()):
        rows.setdefault((*(int(row[x]) for x in "MNK"), row["layout"]), []).append(
            (tuple(int(row[x]) if row[x].isdigit() else row[x] for x in PARAMS), float(row["time_us"])))
    for shape, some in list(rows.items())[::max(len(rows) // 40, 1)]:
        said = np.maximum(said_by(model, shape, [candidate for candidate, _ in some]), np.expm1(.001))
        best = sorted(said_by(model, shape, CANDIDATES))[-200]
        if len(some) != 256 or abs(said * [time for _, time in some] - 1).max() > 1e-12 or sum(said >= best) < 200:
            wrong.append(str(shape))
    return wrong


def page():
    """Its function, which begins as the whole one does"""
    names = {"np": np, "numbered": own.numbered}
    exec(re.search("(?ms)^```python\n(.*?)^```$", read("docs/dispatcher.md"))[1], names)
    asked = {name: np.array(column) for name, column in zip((*FIELDS, *PARAMS), zip(*(
        (300, 128, 64, "rrr") + candidate for candidate in CANDIDATES)))}
    of_all = own.features(**asked)
    return [name for name, column in names["features"](**asked).items() if not np.array_equal(column, of_all[name])]


def table(n):
    return "M,N,K,layout\n" + "".join(",".join(map(str, shape)) + "\n" for shape in n)


def header():
    begun = time.time()
    model = teacher(f"{tmp}/ck.txt", *((300, 700, 500, 127) if whole else (60, 400, 100, 31)))
    learnt = shapes(random.Random(6), 1000 if whole else 60)
    write(f"{tmp}/shapes.csv", table(learnt))
    said = run(f"{sys.executable} -m kpred.judge {SPEC} --model {tmp}/ck.txt --problems {tmp}/shapes.csv --score "
               f"log1p-throughput --least 0.001 --features tests/fixtures/dispatcher.py:features -o {tmp}/judged.csv"
               + ("" if whole else " --made-up 20")).stderr
    assert f"LightGBM, {model.num_trees()} trees, 72 features" in said, said
    told = f"model and table: {time.time() - begun:.0f} s"
    asked = shapes(random.Random(7), 500) if whole else learnt
    write(f"{tmp}/asked.csv", table(asked))
    answers = [(said_by(model, shape, CANDIDATES), speeds(columns(shape, CANDIDATES))) for shape in asked]
    again = np.mean([taught(seed, answers) for seed in ((1, 2, 3) if whole else (1,))], axis=0)
    size = int(re.search(r"(?m)^bytes +(\d+)", output(f"{KPRED} models {tmp}/ck.h"))[1])
    print(f"{told}; model {os.path.getsize(tmp + '/ck.txt')} bytes, weights {size}, header "
          f"{os.path.getsize(tmp + '/ck.h')}\nmeans: {figures(again)}; true speed of the model's first: {again[9]:.1f}")
    assert size < 120000 and again[7] > 90, again
    return judged(model)


check("4,608 candidates, 72 features", lambda: [] if (len(CANDIDATES), len(NAMES)) == (4608, 72) else [
    f"{len(CANDIDATES)}, {len(NAMES)}"])
check("the page's features", page)
check("a header of such a model", header)
end()
