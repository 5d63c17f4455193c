"""test_file_trees.py - trees of LightGBM and XGBoost as judges: the bits of their scores, and `train --judge`
SPDX-License-Identifier: MIT

The fixture is a text of LightGBM 4.7.0, and so are the scores of its rows. Other models come from the packages that
are installed.
"""
import importlib
import os
import random
import subprocess

import report

ASK = """#include "train/trees.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    struct file_trees t;
    char cell[64];
    double x[64];
    if (argc != 2 || file_trees_read(&t, argv[1]) != 0)
        return 1;
    for (size_t i = 0; scanf("%63s", cell) == 1; i = (i + 1) % t.n_features) {
        x[i] = strtod(cell, NULL);
        if (i + 1 == t.n_features)
            printf("%a\\n", file_trees_ask(&t, x));
    }
    file_trees_free(&t);
    return 0;
}
"""
FIXTURE = "tests/fixtures/lightgbm.txt"
SPEC = "tests/fixtures/lightgbm.spec" # its candidates and features
NAN = float("nan")
ROWS = [(16, 16, 0, 4), (16, 128, 1, 4), (2048, 64, 2, 11), (2048, NAN, 0, 11), (0, 32, 1, NAN), (64, 32, NAN, 6),
        (64, 32, 7, 6), (512, 16, 2, 9), (512, 0, -1, 9), (100.5, 48, 1.9, 6.65), (NAN, NAN, NAN, NAN),
        (48.000000000000007, 32, 1, 48.000000000000007), (1, 48.000000000000007, 1, 1)]
SCORES = """
0x1.0e39315fb8230p+2 0x1.48439e2a2efb4p+2 0x1.78729594c5401p+1 0x1.6061f07cc78ecp+2
0x1.ddfa9c2d34114p+1 0x1.aba0cf0f5c7c7p+1 0x1.aba0cf0f5c7c7p+1 0x1.f15d1ea9242dep+0
0x1.f15d1ea9242dep+0 0x1.74a9d53e903abp+0 0x1.77c6af30b9852p+2
0x1.40f2826841eb3p+1 0x1.ddfa9c2d34114p+1
""".split()
OBJECTIVES = ("reg:squarederror", "binary:logistic", "binary:logitraw", "count:poisson", "reg:gamma", "rank:pairwise")
tmp = report.folder()


def build():
    report.write(f"{tmp}/ask.c", ASK)
    cc, flags = os.environ.get("CC", "cc"), os.environ.get("CFLAGS", "")
    report.run(f"{cc} -std=c99 {flags} -I. -Itools {tmp}/ask.c {report.BUILD}/libkpred-tools.a -o {tmp}/ask "
               f"{report.read(report.BUILD + '/libraries').strip()} -lm -pthread")


def scores(path, rows):
    done = subprocess.run([f"{tmp}/ask", path], input="\n".join(" ".join(map(str, row)) for row in rows),
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [float.fromhex(line) for line in done.stdout.split()]


def fixture():
    assert scores(FIXTURE, ROWS) == [float.fromhex(text) for text in SCORES]


def is_same(name, path, rows, wanted):
    got = scores(path, rows)
    return [f"{name}: row {i}: {a!r}, not {b!r}" for i, (a, b) in enumerate(zip(got, wanted)) if a != b] \
        + [f"{name}: {len(got)} scores"] * (len(got) != len(wanted))


def samples(draw, n, n_columns):
    """Numbers, categories in the last column, and some that are missing"""
    return [[NAN if draw.random() < .1 else float(draw.randrange(6)) if k == n_columns - 1 else draw.uniform(-9, 99)
             for k in range(n_columns)] for _ in range(n)]


def target(row):
    a, b, c = (0 if v != v else v for v in row)
    return abs(a - b) / 40 + (3 if c in (1, 4) else 0)


def xgboost():
    """Six objectives, dart, and categories, with the floats of the package"""
    xgb, np = importlib.import_module("xgboost"), importlib.import_module("numpy")
    draw, wrong = random.Random(3), []
    train, rows = (np.array(samples(draw, n, 3)) for n in (400, 300))
    for i, objective in enumerate([*OBJECTIVES, "dart", "categories"]):
        types = ["q", "q", "c" if objective == "categories" else "q"]
        y = np.array([target(row) for row in train])
        y = y > 2 if objective.startswith("binary") else y + 1
        options = {"tree_method": "hist", "max_depth": 4, "nthread": 1, "seed": i, "eta": .3}
        options.update({"booster": "dart", "rate_drop": .5} if objective == "dart" else
                       {"max_cat_to_onehot": 1} if objective == "categories" else {"objective": objective})
        def matrix(x, label=None):
            return xgb.DMatrix(x, label, feature_names=["a", "b", "c"], feature_types=types, enable_categorical=True)
        data = matrix(train, y)
        if objective.startswith("rank"):
            data.set_group([20] * 20)
        model = xgb.train(options, data, 12)
        model.save_model(f"{tmp}/x.json")
        margins = model.predict(matrix(rows), output_margin=True)
        wrong += is_same(objective, f"{tmp}/x.json", rows, [float(v) for v in margins])
    return wrong


def refused_xgboost():
    xgb, np = importlib.import_module("xgboost"), importlib.import_module("numpy")
    x, y = np.arange(60.).reshape(30, 2), np.arange(30) % 3
    data = xgb.DMatrix(x, y, feature_names=["a", "b"])
    for name, options, text in (("classes", {"objective": "multi:softmax", "num_class": 3}, 'num_class: "3": a model'),
                                ("no trees", {"booster": "gblinear"}, '"gblinear" has no trees')):
        xgb.train({"nthread": 1, **options}, data, 2).save_model(f"{tmp}/r.json")
        report.refuse(f"XGBoost: {name}", 1, text, f"{tmp}/ask {tmp}/r.json")
    xgb.train({"nthread": 1}, xgb.DMatrix(x, y), 2).save_model(f"{tmp}/r.json")
    report.refuse("XGBoost: no names", 1, "feature_names: there is none", f"{tmp}/ask {tmp}/r.json")


def lightgbm():
    """What decides at a node, and what a leaf says, with the doubles of the package"""
    lgb, np = importlib.import_module("lightgbm"), importlib.import_module("numpy")
    draw, wrong = random.Random(4), []
    train, rows = (np.array(samples(draw, n, 3)) for n in (1500, 300))
    y = np.array([target(row) for row in train])
    for name, options in {"plain": {}, "categories": {}, "zeros": {"zero_as_missing": True},
                          "no missing": {"use_missing": False}, "linear": {"linear_tree": True},
                          "binary": {"objective": "binary"}, "poisson": {"objective": "poisson"},
                          "dart": {"boosting": "dart"}, "L1": {"objective": "l1"},
                          "forest": {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": .5}}.items():
        options = {"verbose": -1, "num_leaves": 15, "num_threads": 1, "min_data_per_group": 10, **options}
        label = y > 2 if name == "binary" else y
        lgb.train(options, lgb.Dataset(train, label, categorical_feature=[2] if name == "categories" else []),
                  20).save_model(f"{tmp}/l.txt")
        wanted = lgb.Booster(model_file=f"{tmp}/l.txt").predict(rows, raw_score=True)
        wrong += is_same(name, f"{tmp}/l.txt", rows, wanted)
    return wrong


# ---- train --judge ----

def changed(name, text, *pairs):
    for old, new in zip(pairs[::2], pairs[1::2]):
        assert old in text, old
        text = text.replace(old, new, 1)
    return report.write(f"{tmp}/{name}", text)


def train(spec="mm.spec", judge=FIXTURE, more=""):
    return f"{report.TRAINER} train {tmp}/{spec} --judge {judge} --problems {tmp}/problems.csv -o {tmp}/mm.h {more}"


def trains():
    """The header has what the judge takes first, for problems that it has not seen."""
    done = report.run(train(more="--epochs 60"))
    said = [line for line in done.stderr.splitlines() if "the judge's first tuple is found in" in line]
    assert len(said) == 1 and "LightGBM, 6 trees, 4 features: 99 problems" in done.stderr, done.stderr
    found = [float(word.rstrip(",")) for word in said[0].split("found in ")[1].split()[:3]]
    assert found[0] > 60 and found[1] == found[2] == 100, said[0]
    report.run(f"{report.KPRED} predict {tmp}/mm.h m=1000 layout=rrr -k 2")


def many():
    """Of more than 4,096 problems so many teach."""
    for n in (4096, 4097):
        report.write(f"{tmp}/many.csv", "m,layout\n" + "".join(f"{m},rcr\n" for m in range(1, n + 1)))
        said = report.run(train(more="--epochs 1 --force").replace("problems.csv", "many.csv")).stderr
        assert "4 features: 4096 problems" in said and ("4096 of 4097 problems are used" in said) == (n > 4096), said


def refused():
    """What is wrong with the model, or with the names of its features"""
    fixture_text = report.read(FIXTURE)
    tree = fixture_text[fixture_text.index("Tree=3"):fixture_text.index("Tree=4")]
    for name, text, pairs in (
            ("a tree is missing", "there are 5 trees, but tree_sizes has 6", (tree, "")),
            ("the text is cut", 'the file ends here, before "end of trees"', ("end of trees", "")),
            ("another version", 'version: "v9" is unknown here', ("version=v4", "version=v9")),
            ("classes", "num_class=3: a model of several classes", ("num_class=1", "num_class=3")),
            ("a number too few", "leaf_value: is not a list of", ("leaf_value=", "leaf_value=1 ")),
            ("a child beyond", "left_child: value 1 is not an integer of", ("left_child=", "left_child=9")),
            ("a circle", "the children of tree 5 make no tree", ("left_child=1", "left_child=0")),
            ("no LightGBM", 'neither a text of LightGBM, which begins with "tree"', ("tree\n", "forest\n")),
            ("XGBoost's binary form", "save the model as .json", ("tree\n", "{L\n")),
            ("labels", "pandas_categorical: is not a list for each of 1 columns", ('[["', '[["a"], ["'))):
        path = changed("wrong.txt", fixture_text, *pairs)
        report.refuse(f"LightGBM: {name}", 1, text, f"{tmp}/ask {path}")
    for name, text, pairs in (
            ("a feature is missing", 'feature "log2_m": is neither a field, a parameter nor a line of [judge]',
             ("log2_m =", "log_m =")),
            ("no time", "there is no line `time = ...`", ("time = exp(score)", "")),
            ("a name that is unknown", ":11:15: [judge]: is neither a field", ("log2(m)", "log2(k)")),
            ("half an expression", ":11:16: [judge]: expected )", ("log2(m)", "log2(m")),
            ("names of a feature of numbers", "a line of [judge] has to give the numbers, such as tile = 0 if tile",
             ("tile = 16 32 64 128", "tile = a b c d")),
            ("numbers for names twice", "this name is taken", ("log2_m = log2(m)", "layout = 0\nlayout = 1")),
            ("a text alone", "a text is only compared with a name", ("log2(m)", "'rcr'")),
            ("a text of another name", "is none of its names", ("log2(m)", "layout == 'nn'")),
            ("names as a number", "its names are not numbers", ("log2(m)", "layout + 1")),
            ("a name twice", "this name is taken", ("log2_m =", "m =")),
            ("something behind", "is not allowed here", ("log2(m)", "log2(m) 3")),
            ("another format", "--judge: is for a spec with `format = timed`, not csv", ("= timed", "= csv"))):
        changed("wrong.spec", report.read(SPEC), *pairs)
        report.refuse(f"[judge]: {name}", 1, text, train("wrong.spec"))
    report.refuse("--judge alone", 2, "stand together",
                  f"{report.TRAINER} train {tmp}/mm.spec --judge {FIXTURE} -o {tmp}/no.h")
    report.refuse("no data", 2, "--data is missing", f"{report.TRAINER} train {tmp}/mm.spec -o {tmp}/no.h")


def main():
    report.need(report.TRAINER)
    report.check("the library is linked", build)
    report.check("the fixture's scores", fixture)
    report.check_with("python3-xgboost", "XGBoost's margins", xgboost)
    if report.there("python3-xgboost"):
        refused_xgboost()
    report.check_with("python3-lightgbm", "LightGBM's raw scores", lightgbm)
    # Names whose numbers a line has, as a dispatcher numbers its pipelines
    changed("mm.spec", report.read(SPEC), "tile = 16 32 64 128", "tile = t16 t32 t64 t128", "log2_m",
            "tile = 16 if tile == 't16' else 32 if tile == 't32' else 64 if tile == 't64' else 128\nlog2_m")
    report.write(f"{tmp}/problems.csv", "m,layout\n" + "".join(
        f"{int(16 * 1.15 ** i)},{layout}\n" for i in range(33) for layout in ("rcr", "rrr", "ccr")))
    refused()
    report.check("train --judge", trains)
    report.check("more problems than are used", many)
    report.end()


main()
