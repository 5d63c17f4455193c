"""test_python.py - the Python module says what kpred says, of all models, one problem or many, and what is wrong

SPDX-License-Identifier: MIT

usage: test_python.py         some models, each of another kind; the module is built from its own sdist, without pip
       test_python.py pip     all models; pip builds it as for a user, and mypy reads it
"""
import array
import glob
import importlib
import json
import math
import os
import pickle
import re
import sys
import tarfile
import threading
import warnings
import zipfile

from report import KPRED, ROOT, check, check_with, end, folder, models, need, output, read, rows_of, run, there, write

SMALL = "conv_asm_bwd_wrw_3x3"
SOME = {SMALL, "conv_asm_1x1u", "conv_solver", "fused_moe_amd", "gemm_bf16", "gemm_mi100_nt"}
EVERY = models()
with_pip = sys.argv[1:] == ["pip"]
for model in EVERY:
    need(f"weights/{model}.h")
need("cc")
if with_pip:
    need("python3-pip")
tmp = folder()
os.environ["KPRED_CACHE"] = f"{tmp}/cache"


def build(kind, where, to):
    return output(f"{sys.executable} -c \"import build_wheel; print(build_wheel.build_{kind}('{to}'))\"",
                  cwd=where, env={"PYTHONPATH": where}).strip()


# The sdist has all that the wheel is made of.
sdist = build("sdist", f"{ROOT}/tools/python", tmp)
source = f"{tmp}/{sdist[:-7]}"
with tarfile.open(f"{tmp}/{sdist}") as packed:
    packed.extractall(tmp)
if with_pip:
    run(f"{sys.executable} -m pip install -q --no-index --no-deps --target {tmp}/site {tmp}/{sdist}")
else:
    os.environ["CFLAGS"] = "-O0" # what is compiled here need not be fast
    for model in set(EVERY) - SOME:
        os.remove(f"{source}/weights/{model}.h")
    wheel = build("wheel", source, tmp)
    with zipfile.ZipFile(f"{tmp}/{wheel}") as packed:
        packed.extractall(f"{tmp}/site")
MODELS = EVERY if with_pip else sorted(SOME)
sys.path.insert(0, f"{tmp}/site")
kpred = importlib.import_module("kpred")
GOLDEN = {}
for row in rows_of(read("tests/fixtures/golden.csv")):
    GOLDEN.setdefault(row["model"], []).append((row["problem"].split(), row["values"].split()))
ONE = dict(gpu="gfx906_60", dir="F", dtype="FP32", n=16, c=64, h=56, w=56, k=256, stride=1)


def number(text):
    return int(text) if text.lstrip("-").isdigit() else text


def files():
    """Each is there with its hash, and nothing else."""
    listed = [line.split(",")[0] for line in read(f"{tmp}/site/kpred-{kpred.version()}.dist-info/RECORD").splitlines()]
    found = [os.path.relpath(path, f"{tmp}/site") for path in glob.glob(f"{tmp}/site/**", recursive=True)
             if os.path.isfile(path) and "__pycache__" not in path]
    assert sorted(listed) == sorted(found) and "kpred/py.typed" in found, (listed, found)
    assert wheel.startswith(f"kpred-{kpred.version()}-py3-none-linux_"), wheel


def answers(model, problem):
    """As `kpred predict --json` has them"""
    for rank, found in enumerate(model.predict(problem, 5), 1):
        row = {"rank": rank, "probability": f"{found.probability:.6f}", **found.values}
        yield {**row, "kernel": found.kernel} if found.kernel else row


def like_kpred(name):
    """The golden tuples; and five answers to each problem as kpred gives them, one by one and all at once"""
    model = kpred.load(name)
    problems = [dict(zip([f.name for f in model.fields], map(number, problem))) for problem, _ in GOLDEN[name]]
    for problem, (_, values) in zip(problems, GOLDEN[name]):
        best = model.predict(problem, beam=10)[0].values
        assert [str(x if isinstance(x, int) else p.values.index(x)) for p, x in zip(model.params, best.values())] \
            == values, (problem, best)
    table = write(f"{tmp}/{name}.csv", "\n".join(",".join(map(str, row)) for row in
                                                [problems[0], *(problem.values() for problem in problems)]) + "\n")
    said = json.loads(output(f"{KPRED} predict {name} -k 5 --json --problems {table}"), parse_float=str)
    for row in said:
        row.pop("splitK", None)
    ours = [{"line": i, **problem, **row} for i, problem in enumerate(problems, 2) for row in answers(model, problem)]
    assert ours == said, [pair for pair in zip(ours, said) if pair[0] != pair[1]][:1] or (len(ours), len(said))
    columns = {f.name: [problem[f.name] for problem in problems] for f in model.fields}
    numbers = array.array("i", [x for problem in problems for x in model.problem(problem)])
    view = memoryview(numbers).cast("B").cast("i", (len(problems), len(model.fields)))
    one_by_one = [model.predict(problem, 5) for problem in problems]
    for many in problems, columns, view:
        batch = model.predict_many(many, 5)
        assert list(batch) == one_by_one and list(batch.counts) == [len(x) for x in one_by_one], type(many)
    return [] if batch.probabilities[1, 0] == batch[1][0].probability and batch[-1] == batch[len(problems) - 1] \
        else "the arrays of a batch"


def scores(name):
    """Those of listed tuples are in the order of a search, and None where a tuple is not legal."""
    model = kpred.load(name)
    problem = model.problem(list(map(number, GOLDEN[name][0][0])))
    found = model.predict(problem, 40)
    tuples = [[p.values.index(x.values[p.name]) for p in model.params] for x in found]
    unknown = [-1] + tuples[0][1:]
    said = model.scores(problem, sum(tuples[::-1] + [unknown], []))
    order = sorted(range(len(tuples)), key=lambda i: -said[len(tuples) - 1 - i])
    assert said[-1] is None and order == list(range(len(tuples))), said
    assert abs((said[-2] - said[-3]) / 65536 * (model._model.contents.scale / 65536)
               - math.log2(found[0].probability / found[1].probability)) < 0.01


def page():
    """Its blocks run one after the other, and print what a reader expects of them."""
    said, names = [], {"print": lambda *words: said.append(words)}
    for block in re.findall(r"(?ms)^```python\n(.*?)^```$", read("docs/python.md").partition("\n## Triton")[0]):
        exec(block, names)
    assert len(said) == 6 and said[0][0] >= said[3][0] > 0 and said[4][0] == 4 and said[5] == ("n", 0, 1), said


def wrong(problem, kind, text, status, field, value, limit, **options):
    """What is raised"""
    model = kpred.load("conv_asm_1x1u")
    try:
        said = model.predict(problem, **options)
    except kpred.Error as error:
        got = type(error), error.status, error.field, error.value, error.limit
        return [] if got == (kind, status, field, value, limit) and text in str(error) else [f"{got}: {error}"]
    return [f"no error: {said}"]


def batch_errors():
    model = kpred.load("conv_asm_1x1u")
    rows = [ONE, dict(ONE, dir="W"), dict(ONE, n=0), ONE]
    for many, kind, row in ((rows, kpred.NotApplicable, 1), (rows[2:], kpred.Error, 0),
                            ([ONE, dict(ONE, gpu="x")], kpred.Error, 1)):
        try:
            model.predict_many(many)
            yield f"no error: {many}"
        except kpred.Error as error:
            if type(error) is not kind or error.row != row or f"row {row}: " not in str(error):
                yield f"{error!r}, row {error.row}"
    batch = model.predict_many(rows, 2, lenient=True)
    if list(batch.counts) != [2, -14, -11, 2] or batch[1] or batch[3] != model.predict(ONE, 2):
        yield f"{list(batch.counts)}"
    if len(model.predict_many([])):
        yield "of none"
    for many in (array.array("q", [1] * 9), dict(ONE), dict(ONE, n=[1, 2], c=[1]), b"text"):
        try:
            model.predict_many(many)
            yield f"no error: {many}"
        except kpred.Error:
            pass


def own_header():
    """It is compiled once. A header that it includes may change, and then it is compiled again."""
    for name in "kpred_constraints.h", f"weights/{SMALL}.h":
        write(f"{tmp}/own/{name}", read(name))
    path = f"{tmp}/own/weights/{SMALL}.h" # "../kpred.h" is the module's own
    problem, values = GOLDEN[SMALL][0]
    found = [str(x) for x in kpred.load(path).predict(list(map(number, problem)))[0].values.values()]
    assert found == values, found
    cached, = glob.glob(f"{tmp}/cache/*")
    made = os.stat(cached)
    model = kpred.load(path)
    assert os.listdir(f"{tmp}/cache") == [os.path.basename(cached)] and os.stat(cached) == made
    os.environ["CC"] = "false"
    wrong_compiler = no_header(path, "does not compile")
    del os.environ["CC"]
    assert not wrong_compiler, wrong_compiler
    write(f"{tmp}/own/kpred_constraints.h", "#error another header\n")
    changed = no_header(path, "another header")
    assert not changed, changed
    write(f"{tmp}/own/kpred_constraints.h", read("kpred_constraints.h"))
    problem = model.problem(list(map(number, problem)))
    return [] if pickle.loads(pickle.dumps(model)).predict(problem) == model.predict(problem) else "pickle"


def cache():
    """What the cache has, and cannot be loaded, is made again; where it cannot be written, all works without it."""
    path, right = f"{tmp}/own/weights/{SMALL}.h", kpred.load(SMALL).fields
    os.environ["KPRED_CACHE"] = f"{tmp}/broken"
    kpred.load(path)
    cached, = glob.glob(f"{tmp}/broken/*")
    with open(cached, "rb") as f:
        whole = f.read()
    for bad in b"", whole[:20000], whole[:-40] + bytes(40), b"#!/bin/sh\n" * 9:
        os.remove(cached) # this process has it open
        with open(cached, "wb") as f:
            f.write(bad)
        assert kpred.load(path).fields == right, len(bad)
        with open(cached, "rb") as f:
            assert f.read() == whole
    os.chmod(cached, 0o666) # anybody may have written it
    assert kpred.load(path).fields == right and os.stat(cached).st_mode & 0o777 == 0o600
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        os.environ["KPRED_CACHE"] = f"{path}/none"
        assert kpred.load(path).fields == right and "compiles each time" in str(said[0].message), said
    os.environ["KPRED_CACHE"] = f"{tmp}/cache"


def compilers():
    """Of C++, with options, and none; paths with all characters, in the locale of ASCII"""
    odd = f"{tmp}/a \"q\" $x \u00e9"
    write(f"{odd}/m.h", read(f"weights/{SMALL}.h"))
    load = write(f"{tmp}/load.py", f"import kpred\nprint(kpred.load({f'{odd}/m.h'!r}).name)\n")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": f"{tmp}/site"}
    for cc in "cc -O0", " ", "g++", "clang++":
        if not cc.strip() or there(cc.split()[0]):
            env = {**ascii_only, "CC": cc, "TMPDIR": odd, "KPRED_CACHE": f"{odd}/cache"}
            assert output(f"{sys.executable} {load}", env=env) == f"{SMALL}\n", cc
    for cc, text in ("cc 'x", "CC=cc 'x: No closing quotation"), ("true", "CC=true has to be a compiler"):
        said = run(f"{sys.executable} {load}", 1, env={"PYTHONPATH": f"{tmp}/site", "CC": cc}).stderr
        assert "kpred.Error: " in said and text in said, said


def editable():
    """The Python that runs lies in the source, and the library in the installation."""
    with zipfile.ZipFile(f"{tmp}/{build('editable', source, tmp)}") as packed:
        packed.extractall(f"{tmp}/editable")
    write(f"{source}/kpred/prune.py", read(f"{source}/kpred/prune.py") + "\nEDITED = 1\n")
    said = output(f"{sys.executable} -c 'import kpred; print(kpred.models())'", env={
        "PYTHONPATH": f"{tmp}/editable"})
    edited = output(f"{sys.executable} -c 'from kpred.prune import EDITED; print(EDITED)'",
                    env={"PYTHONPATH": f"{tmp}/editable"})
    assert said == f"{MODELS}\n" and edited == "1\n", (said, edited)


def no_header(path, text):
    try:
        kpred.load(path)
        return "no error"
    except kpred.Error as error:
        return [] if text in str(error) else str(error)


def threads():
    """Eight of them at once get what one gets."""
    model, bad = kpred.load("conv_asm_1x1u"), []
    problems = [dict(ONE, n=n) for n in range(1, 33)]
    right = [model.predict(problem, 3) for problem in problems]

    def ask():
        for _ in range(2):
            bad.extend(1 for problem, want in zip(problems, right) if model.predict(problem, 3) != want)
            bad.extend([1] * (list(model.predict_many(problems, 3)) != right))

    asking = [threading.Thread(target=ask) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    return [f"{len(bad)} other answers"] * bool(bad)


def own_answers():
    """An answer is the caller's own, and stays the same when what was told is forgotten."""
    model, most = kpred.load("conv_asm_1x1u"), kpred.MOST_TOLD
    right = json.dumps(model.predict(ONE, 5))
    model.predict(ONE)[0].values.clear()
    said = [json.dumps(model.predict(ONE, 5))]
    kpred.MOST_TOLD = 2
    said += [json.dumps(model.predict(dict(ONE, n=n), 5)) for n in (8, 16, 4, 16)]
    kpred.MOST_TOLD = most
    return [] if said[0] == said[2] == said[4] == right and len(model._told) < 9 else said


def ready():
    """What ready() makes, a call makes no more, nor is the model checked again."""
    model, touched = kpred.load("conv_asm_1x1u"), []
    right = model.predict(ONE, 3, 8)
    model._library.kpred_init, model._library.kpred_touch = None, touched.append
    model.ready(3, 7)
    made, kpred._Asking = kpred._Asking, None
    try:
        said = model.predict(ONE, 3, 7)
    finally:
        kpred._Asking = made
    assert said == right[:3] and touched == [model._asking(3, 7).at], (said, right, touched)
    try:
        return f"{model.ready(5, 4)}"
    except kpred.Error as error:
        return [] if error.status == -13 and model.predict(ONE, 3, 8) == right else str(error)


def gpus():
    model = kpred.load("conv_asm_1x1u")
    assert model.gpu("gfx906:sramecc+:xnack-", 60) == ("gfx906_60", True)
    assert model.gpu("gfx908") == ("gfx906_60", False)
    assert model.outside(dict(ONE, n=16777216)) == ["n"] and not model.outside(ONE)
    try:
        return f"{model.gpu('gfx1100')}"
    except kpred.NotApplicable as error:
        return [] if error.value == "gfx1100" else str(error)


def mypy():
    done = run(f"{sys.executable} -m mypy --strict {tmp}/site/kpred", None)
    return done.stdout.splitlines() if done.returncode else []


if not with_pip:
    check("files of the wheel", files)
else:
    check_with("python3-mypy", "mypy", mypy)
check("models()", lambda: [] if kpred.models() == MODELS else str(kpred.models()))
for name in MODELS:
    check(f"{name} as kpred has it", like_kpred, name)
check("docs/python.md", page)
check("scores of tuples", scores, "conv_asm_1x1u")
check("scores of tuples with names for values", scores, "gemm_bf16")
E, N = kpred.Error, kpred.NotApplicable
for case in (
        (dict(ONE, n=0), E, "n=0: size out of range", -11, "n", 0, 1),
        (dict(ONE, n=-1), E, "n=-1: size out of range", -11, "n", -1, 1),
        (dict(ONE, n=2 ** 24 + 1), E, "n=16777217: size out of range", -11, "n", 2 ** 24 + 1, 2 ** 24),
        (dict(ONE, n=2 ** 40), E, "n=1099511627776: size out of range", -11, "n", 2 ** 40, 2 ** 24),
        (dict(ONE, gpu="gfx1"), E, "gpu=gfx1: unknown token", -12, "gpu", "gfx1", 2),
        (dict(ONE, gpu=2), E, "gpu=2: unknown token", -12, "gpu", 2, 2),
        (dict(ONE, n="many"), E, "n='many': is not an integer", None, "n", "many", None),
        (dict(ONE, n=1.5), E, "n=1.5: is not an integer", None, "n", 1.5, None),
        (dict(ONE, q=3), E, "has no field q", None, "q", 3, None),
        ({"gpu": 0}, E, "field dir is not given", None, "dir", None, None),
        ([1] * 8, E, "wrong number of problem fields: 8", -10, None, 8, 9),
        (dict(ONE, dir="W"), N, "the kernel does not apply", -14, None, None, None)):
    check(f"refused: {case[2]}", wrong, *case)
for options, text, status, value, limit in (
        (dict(k=0), "k is 0", -13, 0, None), (dict(k=5, beam=4), "k is 5", -13, 5, 4),
        (dict(k=1, beam=1025), "beam is 0 or beyond KPRED_MAX_BEAM", -6, 1025, 1024)):
    check(f"refused: {text}", lambda: wrong(ONE, E, text, status, None, value, limit, **options))
check("errors of a batch", batch_errors)
check("a header of one's own", own_header)
check("the cache", cache)
check("compilers and paths", compilers)
check("pip install -e", editable)
check("no such model", no_header, "conv", f'there is no model "conv"; there are: {MODELS[0]}')
check("a folder", no_header, "weights", "weights: is not the header of a model (FILE.h)")
check("no such header", no_header, "none.h", "none.h: No such file")
check("another header", no_header, "kpred.h", "kpred.h: is not a header that kpred-train has written")
check("threads", threads)
check("answers of one's own", own_answers)
check("ready()", ready)
check("GPUs, and sizes outside the range", gpus)
check_with("nm", "the library needs no other", lambda: output(
    f"nm -D --undefined-only {tmp}/site/kpred/libkpred.so").split())
os.remove(f"{tmp}/site/kpred/libkpred.so")
no_library = run(f"{sys.executable} -c 'import kpred; kpred.models()'", 1, env={"PYTHONPATH": f"{tmp}/site"})
check("a wheel without the library", lambda: [] if "kpred.Error: " in no_library.stderr and
      "libkpred.so: the shared library of kpred is missing" in no_library.stderr else no_library.stderr)
refuse_cc = run(f"{sys.executable} -c 'import build_wheel; build_wheel.build_wheel(\"{tmp}/none\")'", None, cwd=source,
                env={"CC": "/none/cc"})
check("no compiler", lambda: [] if "/none/cc: kpred needs a C compiler" in refuse_cc.stderr
      and not os.path.exists(f"{tmp}/none") else refuse_cc.stderr)
end()
