"""test_judge.py - kpred.judge: what a model says of legal tuples is a table, from which `train --judge` learns

SPDX-License-Identifier: MIT

usage: test_judge.py            a function judges; it needs nothing but Python
       test_judge.py packages   LightGBM, XGBoost and scikit-learn judge: each score is the package's own
"""
import contextlib
import csv
import importlib
import io
import itertools
import math
import os
import pickle
import sys

from report import KPRED, ROOT, TRAINER, check, check_with, end, folder, get_module, need, output, read, refuse, run, skip, \
    there, write

sys.path.insert(0, f"{ROOT}/tools/python")
command = importlib.import_module("kpred.judge.__main__")
need(TRAINER)
tmp = folder()
os.environ.update(KPRED_TRAIN=TRAINER, OMP_NUM_THREADS="1")
os.chdir(tmp)
sys.path.insert(0, tmp)
importlib.invalidate_caches()

PARAMS = {"tile": [16, 32, 64, 128], "flag": ["False", "True"], "part": ["10.0", "2.5"], "mode": ["a b", "c,d", "zag"]}
VALUES = {"m": [1, 40, 300], "lay": ["rcr", "rrr", "ccr"], **PARAMS}
NAMES, ROWS = list(VALUES), list(itertools.product(*VALUES.values()))
SPEC = "[kernel]\nname = mm\n[data]\nformat = timed\n[fields]\nm = size 1 65536\nlay = rcr rrr ccr\n[params]\n" \
    'tile = 16 32 64 128\nflag = False True\npart = "10.0" "2.5"\nmode = "a b" "c,d" zag\n'
MODELS = '''
def slow(m, tile, mode, flag):
    return [1 + abs(t - x / 3) + 9 * (f == "True") + len(o) for t, x, o, f in zip(tile, m, mode, flag)]
def features(m, tile, mode, **others):
    return {"x": [a / b for a, b in zip(m, tile)], "y": ["c,d".index(x[0]) if x[0] in "cd" else 7 for x in mode], "z": 2}
def of_features(x, y, z):
    return [a + b + c for a, b, c in zip(x, y, z)]
def low(tile): return [-1 if t == 32 else 3 for t in tile]
def small(m, tile, mode, flag): return [x / 50 for x in slow(m, tile, mode, flag)]
def two(m, tile): return [m, tile]
def three(m, tile): return [m, tile, m]
def names(m, lay, tile, flag): return {"m": m, "lay": lay, "tile": tile, "flag": flag}
def codes(m, lay, tile, flag):
    codes = "ccr x rcr rrr".split()
    return {"m": m, "lay": [codes.index(x) for x in lay], "tile": tile, "flag": [x == "True" for x in flag]}
def framed(m, lay, tile, mode): return {"m": m, "lay": lay, "tile": tile, "mode": mode}
def at(score):
    return lambda m, tile: [score if t == 32 else 1. for t in tile]
zero, negative, missing, endless, word = at(0.), at(-1.), at(float("nan")), at(float("inf")), at("quick")
def flat(m): return [float(x) for x in m]
def few(m): return [1.]
def none(m): pass
def pairs(m): return [(x, x) for x in m]
def stranger(m, n): return m
def broken(m): return 1 // 0
def leaves(m): raise SystemExit(3)
def texts(m): return "abc"
def short(m): return {"x": [1]}
number = 7
'''
write("mm.spec", SPEC)
write("p.csv", "m,lay\n" + "".join(f"{m},{lay}\n" for m in VALUES["m"] for lay in VALUES["lay"]))
write("f.py", MODELS)


def judge(line, *more):
    """The status, and what is said"""
    said = io.StringIO()
    words = f"mm.spec --problems p.csv -o j.csv --made-up 0 {line}".split() + list(more)
    with contextlib.redirect_stderr(said):
        try:
            return command.main(words), said.getvalue()
        except SystemExit as error:
            return error.code, said.getvalue()


def table():
    """Times by fields and parameters, in texts"""
    head, *rows = csv.reader(read("j.csv").splitlines())
    assert head == [*NAMES, "time_us"], head
    times = {tuple(row[:-1]): float(row[-1]) for row in rows}
    assert len(times) == len(rows), "a tuple stands twice"
    return times


def is_as(name, wanted, line, *more):
    """The whole table has these times, of ROWS, to the bit."""
    status, said = judge(f"{line} --tuples all", *more)
    if status:
        return [f"{name}: {said}"]
    got = table()
    wrong = [f"{name}: {row}: {got[tuple(map(str, row))]!r}, not {float(time)!r}" for row, time in zip(ROWS, wanted)
             if got[tuple(map(str, row))] != float(time)]
    return wrong + [f"{name}: {len(got)} rows"] * (len(got) != len(ROWS))


def refused(name, text, line, *more, status=1):
    """One line that says so, and the table before stays."""
    before = write("j.csv", "before")
    got, said = judge(line, *more)
    lines = said.strip().splitlines()
    wrong = got != status or text not in said or (status == 1 and len(lines) != 1) or read(before) != "before" \
        or [file for file in os.listdir(".") if file.endswith(".part")]
    check(f"refused: {name}", lambda: [f"{got}: {said}"] if wrong else [])


own = {}
exec(MODELS, own)
SLOW = own["slow"](*([row[NAMES.index(name)] for row in ROWS] for name in ("m", "tile", "mode", "flag")))


def functions():
    wanted = [row[0] / row[2] + {"a": 7, "c": 0, "z": 7}[row[5][0]] + 2 for row in ROWS]
    return is_as("a file", SLOW, "--model f.py:slow") + is_as("a module", SLOW, "--model f:slow --unit us") \
        + is_as("ms", [1000 * x for x in SLOW], "--model f:slow --unit ms") \
        + is_as("features", wanted, "--model f:of_features --features f:features")


def kinds():
    """Of each a time is told from it, and another one if it is not named."""
    wrong = is_as("throughput", [1 / (x / 50) for x in SLOW], "--model f:small --score throughput")
    for kind, time in ("log", math.exp), ("log2", lambda x: 2 ** x), ("log10", lambda x: 10 ** x), ("log1p", math.expm1):
        times = [time(x / 50) for x in SLOW]
        wrong += is_as(kind, times, f"--model f:small --score {kind}")
        wrong += is_as(f"1 / {kind}", [1 / x for x in times], f"--model f:small --score {kind}-throughput")
    return wrong + is_as("least", [1 if row[2] == 32 else 1 / 3 for row in ROWS],
                         "--model f:low --score throughput --least 1")


def chosen():
    """Of each problem the fastest, and some others; the same ones each time"""
    assert judge("--model f:slow --tuples 32")[0] == 0
    first, rows = read("j.csv"), table()
    assert judge("--model f:slow --tuples 32")[0] == 0 and read("j.csv") == first and len(rows) == 9 * 32
    time_of, wrong = {tuple(map(str, row)): x for row, x in zip(ROWS, SLOW)}, []
    for problem in itertools.product(map(str, VALUES["m"]), VALUES["lay"]):
        of = sorted(x for row, x in time_of.items() if row[:2] == problem)
        have = sorted(x for row, x in rows.items() if row[:2] == problem)
        wrong += [f"{problem}: {have}"] * (have[:25] != of[:25] or max(have) == of[31])
    return wrong


def made_up():
    said = judge("--model f:slow", "--made-up", "100")[1]
    n = len({row[:2] for row in table()})
    return [] if n > 30 and f"{n} problems, {n - 9} of them made up" in said else [said]


def millions():
    """Of so many tuples as many are drawn for the same problem."""
    write("large.spec", SPEC + "".join(f"p{i} = 0 1 2 3 4 5 6 7\n" for i in range(7)))
    listed = f"{TRAINER} tuples large.spec --problems p.csv --most 500"
    text = output(listed)
    lines = text.splitlines()[1:]
    return [] if len(set(lines)) == 9 * 500 and output(listed) == text else [f"{len(lines)} rows"]


def checked():
    write("times.csv", "m,lay,tile,flag,part,mode,time_us\n" + "".join(
        ",".join(f'"{x}"' for x in (*row, time)) + "\n" for row, time in zip(ROWS, SLOW)))
    for more in ["--check", "times.csv"], ["--problems", "times.csv"]:
        status, said = judge("--model f:slow", *more)
        assert status == 0 and "100 % have the order of their times" in said, said
    refused("throughputs as times", "rises where times fall; try --score time",
            "--model f:slow --score throughput --check times.csv")
    write("one.csv", "m,lay,tile,flag,part,mode,time_us\n1,rcr,16,False,10.0,zag,3\n")
    refused("one time", "it can check nothing", "--model f:slow --check one.csv")


def trains():
    """The network has what the judge takes first; a model, and the words of before, are refused with the way to go."""
    write("more.csv", "m,lay\n" + "".join(f"{int(16 * 1.15 ** i)},{lay}\n" for i in range(33) for lay in VALUES["lay"]))
    assert judge("--model f:slow --problems more.csv")[0] == 0
    said = run(f"{TRAINER} train mm.spec --judge j.csv -o mm.h --epochs 6").stderr
    assert "train mm.spec --judge j.csv" in read("mm.h") and "trees" not in said and "--data j.csv" in said, said
    found = csv.DictReader(output(f"{TRAINER} eval mm.h --data j.csv -k 1,4 --csv").splitlines())
    assert [float(row["share"]) > .95 for row in found] == [True, True]
    run(f"{KPRED} predict mm.h m=1000 lay=rrr -k 2")


BAD = [("a time of 0", "p.csv:2: m=1 lay=rcr tile=32 flag=False part=10.0 mode=a b: the score 0.0 (--score time) gives no "
        "time above 0: --score names", "f:zero"), ("a time below 0", "the score -1.0", "f:negative"),
       ("no number", "the score nan (--score time) gives no time", "f:missing"), ("infinite", "the score inf", "f:endless"),
       ("a speed of 0", "--least SCORE says", "f:zero --score throughput"), ("e to the 1000", "the score 1000.0",
                                                                            "f:flat --score log --problems h.csv"),
       ("a word", "has not said a number for each tuple", "f:word"), ("one value", "says the same of all tuples", "f:flat"),
       ("one score", "has said 1 numbers for 432 tuples", "f:few"), ("nothing", "has not said a number", "f:none"),
       ("two outputs", "has not said a number", "f:pairs"), ("another name", "its parameter n is none of m, lay, tile",
                                                             "f:stranger"),
       ("an error", "ZeroDivisionError: integer division or modulo by zero at", "f:broken"),
       ("an exit", "SystemExit: 3", "f:leaves"), ("no function", "is a int, neither a model nor a function", "f:number"),
       ("a name that is not there", "f has no nothing", "f:nothing"), ("no module", "No module named 'nowhere'", "nowhere:f"),
       ("no file", "nofile.txt: No such file", "nofile.txt"), ("no model", "p.csv: is neither a text of LightGBM", "p.csv"),
       ("a cut model", 'ends before "end of trees"', "cut.txt"), ("a pickle", "--trust loads it", "p.pkl"),
       ("a text for features", "has returned a str, neither a dict nor", "f:slow --features f:texts"),
       ("a short feature", "feature x: has 1 values for 432 tuples", "f:slow --features f:short")]


def refusals():
    write("h.csv", "m,lay\n1000,rcr\n")
    write("cut.txt", "tree\nversion=v4\n")
    with open("p.pkl", "wb") as f:
        pickle.dump(Evil(), f)
    for name, text, line in BAD:
        refused(name, text, f"--model {line}")
    check("a pickle is not run", lambda: ["it was"] if os.path.exists("evil") else [])
    refused("the spec is the output", "would overwrite SPEC mm.spec", "--model f:slow -o mm.spec")
    refused("least of times", "--least is of throughputs", "--model f:slow --least 3", status=2)
    refused("a number of tuples", '"0" is not an integer', "--model f:slow --tuples 0", status=2)
    write("model.txt", "tree\n")
    for name, status, text, words in (
            ("a model", 1, "`python3 -m kpred.judge mm.spec --model model.txt --problems FILE.csv", "--judge model.txt"),
            ("--problems", 2, "`python3 -m kpred.judge` makes the table", "--judge model.txt --problems p.csv"),
            ("both", 2, "--judge stands without", "--judge j.csv --data j.csv"), ("neither", 2, "--data is missing", "")):
        refuse(f"train --judge: {name}", status, text, f"{TRAINER} train mm.spec {words} -o no.h")
    write("listed.spec", SPEC.replace("name = mm", "name = mm\nrule = listed"))
    refuse("a listed rule", 1, "are those of a table", f"{TRAINER} tuples listed.spec --problems p.csv")
    write("none.spec", SPEC + "[restrict]\nm < 300\n")
    refuse("no legal tuple", 1, "p.csv:8: no tuple is legal for this problem", f"{TRAINER} tuples none.spec --problems p.csv -o n.csv")


class Evil:
    def __reduce__(self):
        return open, (f"{tmp}/evil", "w")


# ---- packages ----

def numbers(rows, names):
    """What a package is given by hand: codes in the order of the texts"""
    np = importlib.import_module("numpy")
    return np.array([[{"rcr": 2, "rrr": 3, "ccr": 0, "False": 0, "True": 1, "a b": 1, "c,d": 2, "zag": 0}.get(x, x)
                      for name, x in zip(NAMES, row) if name in names] for row in rows], float)


def lightgbm():
    """Categories of a frame as its text has them, whatever their type; and those of numbers, as they are"""
    lgb, wrong = importlib.import_module("lightgbm"), []
    x, lists = numbers(ROWS, NAMES), '["ccr","x","rcr","rrr"]'
    parts = x.copy()
    parts[:, 4] = parts[:, 4] == 10
    for name, data, categories, frame in (
            ("names", x, [], f'[{lists},["zag","a b","c,d"]]'), ("and a part", parts, ["part"],
                                                                 f'[{lists},[2.5,10.0],["zag","a b","c,d"]]'),
            ("and flags", x, ["flag"], f'[{lists},[false,true],["zag","a b","c,d"]]'),
            ("tiles by number", x, ["tile"], f'[{lists},["zag","a b","c,d"]]')):
        options = {"verbose": -1, "min_data_in_leaf": 3, "min_data_per_group": 2, "num_threads": 1}
        lgb.train(options, lgb.Dataset(data, SLOW, feature_name=NAMES, categorical_feature=["lay", "mode", *categories]),
                  20).save_model("l.txt")
        wanted = lgb.Booster(model_file="l.txt").predict(data)
        text = read("l.txt")
        write("l.txt", text[:text.index("pandas_categorical:")] + f"pandas_categorical:{frame}\n")
        wrong += is_as(name, wanted, "--model l.txt")
    for name, old, new, said in (("a leaf that is no number", "leaf_value=", "leaf_value=x", "is damaged"),
                                 ("a tree less", "\nTree=3\n", "\nTree3\n", "there are 19 trees, but tree_sizes has 20"),
                                 ("a category", '"rrr"', '"y"', "feature lay: category rrr is unknown to the model"),
                                 ("a list", f'[{lists},', '[', "it is not clear of which features"),
                                 ("a feature", " tile ", " tiles ", 'feature "tiles" is missing'),
                                 ("a feature less", " tile ", " m2 ", 'feature "m2" is missing'),
                                 ("a number", ":32:", ":33:", "feature tile: category 32 is unknown")):
        write("wrong.txt", read("l.txt").replace(old, new))
        refused(f"LightGBM: {name}", said, "--model wrong.txt")
    return wrong


def xgboost():
    """JSON and UBJ; categories by their codes, and by name where the model keeps them"""
    xgb, wrong = importlib.import_module("xgboost"), []
    names = NAMES[:4]
    def matrix(types):
        return xgb.DMatrix(numbers(ROWS, names), SLOW, feature_names=names, feature_types=types, enable_categorical=True)
    for name, types in ("numbers", ["q"] * 4), ("categories", ["q", "c", "q", "q"]):
        options = {"tree_method": "hist", "max_depth": 4, "nthread": 1, "max_cat_to_onehot": 1}
        trained = xgb.train(options, matrix(types), 12)
        for ending in "json", "ubj":
            trained.save_model(f"x.{ending}")
            wrong += is_as(name, trained.predict(matrix(types)), f"--model x.{ending} --features f:codes")
    refused("XGBoost: a name", "feature lay: the model has no names of categories", "--model x.json --features f:names")
    if there("python3-pandas") and float(".".join(xgb.__version__.split(".")[:2])) >= 3.1:
        pd = importlib.import_module("pandas")
        frame = pd.DataFrame(ROWS, columns=NAMES)[["m", "lay", "tile", "mode"]]
        frame = frame.astype({"lay": "category", "mode": "category"})
        trained = xgb.train(options, xgb.DMatrix(frame, SLOW, enable_categorical=True), 12)
        trained.save_model("f.json")
        wrong += is_as("a frame", trained.predict(xgb.DMatrix(frame, enable_categorical=True)),
                       "--model f.json --features f:framed")
    else:
        skip("XGBoost's frames", "there is no python3-pandas, or no XGBoost 3.1")
    return wrong


def sklearn():
    """A pickle with --trust; features in the order of a list; and by their names, of which an encoder knows some"""
    forest = importlib.import_module("sklearn.ensemble").RandomForestRegressor(5, random_state=1)
    x, wrong = numbers(ROWS, ["m", "tile"]), []
    with open("s.pkl", "wb") as f:
        pickle.dump(forest.fit(x, SLOW), f)
    wrong += is_as("a pickle", forest.predict(x), "--model s.pkl --trust --features f:two")
    importlib.import_module("joblib").dump(forest, "s.joblib", compress=3)
    wrong += is_as("joblib", forest.predict(x), "--model s.joblib --trust --features f:two")
    refused("scikit-learn: without --trust", "--trust loads it", "--model s.joblib")
    refused("scikit-learn: no names", "has to return them as a list", "--model s.pkl --trust")
    refused("scikit-learn: a feature more", "has 2 features, and --features has returned 3",
            "--model s.pkl --trust --features f:three")
    if not there("python3-pandas"):
        skip("scikit-learn's frames", "there is no python3-pandas")
        return wrong
    pd, encode = (importlib.import_module(name) for name in ("pandas", "sklearn.preprocessing"))
    frame = pd.DataFrame(ROWS, columns=NAMES)
    encoder = importlib.import_module("sklearn.compose").make_column_transformer(
        (encode.OneHotEncoder(handle_unknown="ignore"), ["lay", "flag", "part", "mode"]), remainder="passthrough")
    model = importlib.import_module("sklearn.pipeline").make_pipeline(encoder, forest)
    for name, known in ("whole", frame), ("lacks", frame[frame["mode"] != "zag"]):
        with open(f"{name}.pkl", "wb") as f:
            pickle.dump(model.fit(known, [SLOW[i] for i in known.index]), f)
    refused("scikit-learn: a category", "feature mode: category zag is unknown", "--model lacks.pkl --trust")
    return wrong + is_as("a pipeline", model.fit(frame, SLOW).predict(frame), "--model whole.pkl --trust")


if sys.argv[1:] == []:
    check("functions", functions)
    check("kinds of scores", kinds)
    check("which tuples", chosen)
    check("problems between", made_up)
    check("a large space", millions)
    check("measured times", checked)
    refusals()
    check("train --judge", trains)
    end()
check_with("python3-xgboost", "XGBoost", xgboost)
check_with("python3-sklearn", "scikit-learn", sklearn)
get_module("lightgbm", "narwhals", f"{tmp}/pip")
check_with("python3-lightgbm", "LightGBM", lightgbm)
end()
