"""test_prune.py - kpred.prune keeps the configurations that kpred predicts, in Triton's own autotuner, too

SPDX-License-Identifier: MIT

usage: test_prune.py          with a stand-in for triton.Config, and with Triton where it is installed
       test_prune.py triton   with Triton 3.4, 3.6 and the newest, which pip gets
"""
import ast
import contextlib
import glob
import importlib
import json
import os
import random
import re
import shutil
import sys
import types

from report import BUILD, ROOT, TRAINER, check, check_with, end, folder, need, read, run, skip, there, write

MODEL = "weights/fused_moe_amd.h"
need(MODEL)
need("cc")
tmp = folder()
os.environ.update(KPRED_CACHE=f"{tmp}/cache", CFLAGS="-O0", TRITON_CACHE_DIR=f"{tmp}/triton")

# The module as it is installed, without the shipped models
os.makedirs(f"{tmp}/site/kpred/c")
for path in [*glob.glob("tools/python/kpred/*.py"), "kpred.h", "kpred_constraints.h"]:
    shutil.copy(path, f"{tmp}/site/kpred")
shutil.copy("tools/python/kpred/kpred_python.c", f"{tmp}/site/kpred/c")
shutil.copytree("tools/python/kpred/convert", f"{tmp}/site/kpred/convert")
sys.path.insert(0, f"{tmp}/site")
kpred = importlib.import_module("kpred")
model = kpred.load(MODEL)
GIVEN = dict(server="vllm", triton=306, gpu="gfx942_304", dtype="bf16", block=0, per_channel=0)
SIZES = dict(E=8, N=4096, M=512)
FOUND = [found.values for found in model.predict({**GIVEN, **SIZES}, 40)]
OWN = ("num_warps", "num_stages")


# A GPU that is not there, with a clock that knows what a tuple costs
COST = """
def cost(M, N, K, m, n, w):
    tiles = -(-M // m) * -(-N // n)
    return -(-tiles // 304) * K * (m * n / 1024 + m / 8 + n / 8) * (1.3 if (m * n > 4096) != (w == 8) else 1) / 1e6
"""
FAKE = COST + """
import types, triton
from triton.backends.compiler import GPUTarget

asked = {}

def clock(call, quantiles):
    call()
    print(asked["time"])
    return [asked["time"]] * 3

triton.runtime.driver.set_active(types.SimpleNamespace(
    get_current_target=lambda: GPUTarget("cuda", 90, 32), get_benchmarker=lambda: clock))
"""
ASK = """
def launch(a, b, c, M, N, K, **own):
    asked["time"] = cost(M, N, K, own["BLOCK_M"], own["BLOCK_N"], own["num_warps"])

matmul.fn.run = launch
x = types.SimpleNamespace(dtype="torch.float16")
for M, N, K in {shapes}:
    matmul[(1,)](x, x, x, M, N, K)
"""
own = {}
exec(COST, own)


class Config(types.SimpleNamespace):
    """As much of a triton.Config as there is to it"""

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None):
        super().__init__(kwargs=kwargs, num_warps=num_warps, num_stages=num_stages, num_ctas=num_ctas, maxnreg=maxnreg)


def configs_of(kind, found):
    """In another order than the model's, which does not depend on Python's version"""
    listed = [kind({name: x for name, x in values.items() if name not in OWN}, **{name: values[name] for name in OWN})
              for values in found]
    random.Random(1).shuffle(listed)
    return listed


def values_of(config):
    return {p.name: config.kwargs.get(p.name, getattr(config, p.name, None)) for p in model.params}


def refused(name, text, configs, sizes, *arguments, **options):
    """A check of an error of prune itself or of what it returns"""
    def raises():
        try:
            return f"no error: {kpred.prune(model, *arguments, **options)(configs, sizes)}"
        except kpred.Error as error:
            return [] if text in str(error) else str(error)
    check(name, raises)


def keeps():
    """The first k of a search, best first; positional and keyword arguments; other names"""
    configs = configs_of(Config, FOUND)
    for k in 1, 4, 40, 100:
        kept = kpred.prune(model, k, given=GIVEN)(configs, {"E": 8, "x": object(), "M": 512}, N=4096, grid=(1,))
        assert [values_of(config) for config in kept] == FOUND[:k], k
    other = configs_of(lambda kwargs, **own: Config({**kwargs, "TILE_M": kwargs["BLOCK_SIZE_M"]}, **own), FOUND)
    for config in other:
        del config.kwargs["BLOCK_SIZE_M"]
    named = kpred.prune(MODEL, 4, given=GIVEN, names=dict(E="experts", BLOCK_SIZE_M="TILE_M"))
    kept = named(other, {"experts": 8, "N": 4096, "M": 512})
    assert [config.kwargs["TILE_M"] for config in kept] == [values["BLOCK_SIZE_M"] for values in FOUND[:4]]


def keeps_all():
    """What the model does not know of the problem: a size out of its range, a token, a text for a size"""
    configs = configs_of(Config, FOUND)
    prune = kpred.prune(model, 4, given={name: x for name, x in GIVEN.items() if name != "dtype"})
    for change in {"M": 0}, {"M": 2 ** 40}, {"M": "many"}, {"M": None}, {"dtype": "fp4"}:
        kept = prune(configs, {**SIZES, "dtype": "bf16", **change})
        assert kept == configs, change
    tensor = types.SimpleNamespace(dtype="bf16") # of which its type counts
    assert [values_of(config) for config in prune(configs, {**SIZES, "dtype": tensor})] == FOUND[:4]
    unknown = [Config({**config.kwargs, "kpack": 3}) for config in configs]
    assert kpred.prune(model, 4, given=GIVEN)(unknown, SIZES) == unknown


def keeps_unknown():
    """A value that the model does not know, or a key that a configuration lacks, is last, in the author's order."""
    configs = configs_of(Config, FOUND[:3])
    new = Config({**configs[0].kwargs, "BLOCK_SIZE_M": 512}, *[configs[0].num_warps, configs[0].num_stages])
    less = Config({name: x for name, x in configs[0].kwargs.items() if name != "kpack"})
    prune = kpred.prune(model, 5, given=GIVEN)
    kept = prune([new, *configs, less], SIZES)
    assert [values_of(config) for config in kept[:3]] == FOUND[:3] and kept[3:] == [new, less], kept


def scaled(spelled, how):
    """Of a table of times with SCALE, largest is best: the configurations with 2.0 come first, however both spell it."""
    rows = [f"{n},{tr},{scale},{100 + n / scale:.3f}" for n in range(1, 9) for tr in (True, False)
            for scale in (0.5, 1.0, 2.0)]
    name = how.replace(" ", "_")
    table = write(f"{tmp}/{name}.csv", "n,tr,SCALE,time_us\n" + "\n".join(rows) + "\n")
    run(f"{TRAINER} init {table} --fields n,tr --name {name} -o {tmp}/{name}.spec")
    spec = re.sub("(?m)^SCALE = .*", f"SCALE = {spelled}", read(f"{tmp}/{name}.spec"))
    write(f"{tmp}/{name}.spec", re.sub("(?m)^tr = .*", "tr = True False", spec))
    run(f"{TRAINER} train {tmp}/{name}.spec --data {table} --split none --epochs 40 -o {tmp}/{name}.h")
    of = kpred.load(f"{tmp}/{name}.h")
    prune = kpred.prune(of, 2)
    for n, tr, token in (4, True, 0), (4.0, False, 1), ("4", "false", 1), ("4e0", "True", 0):
        assert list(of.problem({"n": n, "tr": tr})) == list(of.problem(of.problem([n, tr]))) == [4, token], (n, tr)
    for values in (0.5, 1.0, 2.0), (0.5, 1, 2), ("0.5", "1", "2.0"), ("5e-1", "01", "2e0"):
        kept = prune([Config({"SCALE": x}) for x in (*values[:2], 4, values[2], values[2])], {"n": 4}, tr=True)
        assert [config.kwargs["SCALE"] for config in kept] == [values[2]] * 2, (spelled, values, kept)


def numbers():
    """All forms of the fixture, as texts and, where Python reads them, as values"""
    lines = [line.replace("=", "").split() for line in read("tests/fixtures/numbers.txt").splitlines() if line[0] != "#"]
    places, forms = kpred._places([line[0] for line in lines]), [(i, x) for i, line in enumerate(lines) for x in line]
    for i, text in forms:
        assert kpred.number_text(text) == lines[i][0] and kpred._place(text, places) == i, text
        with contextlib.suppress(ValueError, SyntaxError):
            value = ast.literal_eval(text) if text not in ("1_0", "0x10", "+-1", "1e999") else text
            assert kpred._place(value, places) == i, value
    for kind in ("float16", "float64", "int32", "bool_") if there("python3-numpy") else ():
        assert kpred._place(getattr(importlib.import_module("numpy"), kind)(1), places) == 1, kind


def autotune(triton, directory):
    """A whole run of Triton's autotuner, with a clock of ours: only what is kept is timed, and the fastest is taken."""
    target = importlib.import_module("triton.backends.compiler").GPUTarget("cuda", 90, 32)
    triton.runtime.driver.set_active(types.SimpleNamespace(get_current_target=lambda: target))
    language, timed = importlib.import_module("triton.language"), []

    def body(x, E, N, M, BLOCK_SIZE_M: language.constexpr, BLOCK_SIZE_N: language.constexpr,
             BLOCK_SIZE_K: language.constexpr, GROUP_SIZE_M: language.constexpr, waves_per_eu: language.constexpr,
             matrix_instr_nonkdim: language.constexpr, kpack: language.constexpr):
        pass

    def clock(call, quantiles):
        call()
        timed[-1] = timed[-1], len(timed)
        return [3. - len(timed)] * 3 # the last one is the fastest

    kernel = triton.autotune(
        configs_of(triton.Config, FOUND), key=["E", "N", "M"], do_bench=clock, cache_results=True,
        prune_configs_by={"early_config_prune": kpred.prune(model, 4, given=GIVEN)})(triton.jit(body))
    kernel.fn.run = lambda *arguments, **options: timed.append({name: options[name] for name in FOUND[0]})
    x = types.SimpleNamespace(dtype="torch.bfloat16")
    kernel[(1,)](x, 8, 4096, M=512)
    tried = [values for values, _ in timed[:-1]]
    assert tried == FOUND[:4] and timed[-1] == FOUND[3], timed
    written, = glob.glob(f"{directory}/*/body.autotune.json")
    with open(written, encoding="utf-8") as f:
        assert len(json.load(f)["configs_timings"]) == 4
    kernel[(1,)](x, 8, 4096, 512) # which it knows
    assert len(timed) == 6
    kernel[(1,)](x, 8, 4096, 2 ** 30) # of which the model knows nothing
    assert len(timed) == 6 + len(FOUND) + 1, len(timed)


def way_back():
    """The commands and the block of docs/python.md: times of 24 shapes, a model, and four launches for a new one, of
    which one is mostly nearly as fast as the fastest of all"""
    part = read("docs/python.md").partition("\n### From Triton's cache to a model\n")[2]
    block = re.search(r"(?ms)^```python\n(.*?)^```$", part)[1]
    shapes, first, second = "".join(re.findall(r"(?ms)^```sh\n(.*?)^```$", part)).splitlines()
    names = re.findall(r"(?m)^@triton.*, (prune_configs_by=keep)\)$", block)
    assert len(names) == 1 and "kpred-train init" in first and "kpred-train train" in second
    at, new = f"{tmp}/back", [(m, n, k) for m in (100, 1000, 3000) for n in (700, 3000) for k in (512, 2000)]
    os.makedirs(f"{at}/kpred")
    os.symlink(BUILD, f"{at}/kpred/build")
    write(f"{at}/pruned.py", FAKE + block + ASK.format(shapes=new))
    write(f"{at}/shapes.py", FAKE + re.sub(", prune_configs_by=keep|(?m:^keep = .*)", "", block) + ASK.format(
        shapes=[(m, n, k) for m in (64, 512, 1536, 4096) for n in (512, 1024, 4096) for k in (256, 4096)]))
    env = {"PYTHONPATH": os.pathsep.join([f"{tmp}/site", *sys.path]), "KPRED": f"{at}/kpred"}
    timed = {}
    for command in shapes, first, second, "python3 pruned.py":
        command = command.replace("python3", sys.executable)
        said = run(f"sh -c '{command}'", cwd=at, env=env).stdout
        timed[command.split()[-1]] = [float(word) for word in said.split()] if ".py" in command else []
    few, costs = timed["pruned.py"], [[own["cost"](*shape, m, n, w) for m in (32, 64, 128) for n in (32, 64, 128)
                                      for w in (4, 8)] for shape in new]
    assert len(timed["shapes.py"]) == 24 * 18 and len(few) == 4 * len(new), timed
    lost = [min(few[4 * i:4 * i + 4]) / min(costs[i]) for i in range(len(new))]
    by_order = [min(costs[i][:4]) / min(costs[i]) for i in range(len(new))]
    assert sum(lost) / len(lost) < 1.15 < sum(by_order) / len(by_order), (lost, by_order)


def compiled():
    """torch.compile in one graph, with sizes that it knows as symbols"""
    torch, configs, prune = importlib.import_module("torch"), configs_of(Config, FOUND), kpred.prune(model, given=GIVEN)

    def ask(x, E, N):
        return [x + config.kwargs["BLOCK_SIZE_M"] for config in prune(configs, {"E": E, "N": N, "x": x}, M=x.shape[0])]

    whole = torch.compile(ask, fullgraph=True, dynamic=True, backend="eager")
    for rows in 512, 16:
        said, right = ([x[0].item() for x in f(torch.zeros(rows), 8, 4096)] for f in (whole, ask))
        assert said == right and len(said) == 4, (rows, said, right)


def with_triton(version):
    """That one, from pip"""
    at = f"{tmp}/triton-{version}"
    if run(f"{sys.executable} -m pip install -q --target {at} triton{version}", None).returncode:
        skip(f"triton{version}", "pip does not get it")
        return
    done = run(f"{sys.executable} {os.path.abspath(__file__)} own", None, env={
        "PYTHONPATH": f"{at}:{ROOT}/tests/harness", "TRITON_CACHE_DIR": f"{tmp}/cache{version}"})
    check(f"triton{version}", lambda: [] if "\n2 passed, 0 failed" in done.stdout else done.stdout + done.stderr)


if sys.argv[1:] == ["triton"]:
    need("python3-pip")
    for version in "==3.4.0", "==3.6.0", "":
        with_triton(version)
    end()
if sys.argv[1:] != ["own"]:
    check("numbers", numbers)
    for how, spelled in ("as init has them", '"0.5" "1" "2"'), ("as a table has them", '"0.5" "1.0" "2.0"'):
        check_with(TRAINER, f"numbers {how}", scaled, spelled, how)
    check("the k best", keeps)
    check("all, where the problem is not known", keeps_all)
    check("values that are not known", keeps_unknown)
    tuned = configs_of(Config, FOUND)
    refused("a model of another kernel", "no configuration has BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K",
            [Config({"BLOCK_M": 16, "GROUP_SIZE_M": 1})], SIZES, given=GIVEN)
    refused("an argument of another name", "no argument is called N, M", tuned, {"E": 8}, given=GIVEN)
    refused("a field that is none", "has no field gpus", tuned, SIZES, given=dict(gpus=1))
    refused("a token that is none", "gpu=MI300X: unknown token", tuned, SIZES, given=dict(gpu="MI300X"))
    refused("a name that is none", "has neither a field nor a parameter m", tuned, SIZES, names=dict(m="M"))
    refused("k", "k is 0", tuned, SIZES, 0)
    check_with("python3-torch", "torch.compile with fullgraph=True", compiled)
if there("python3-triton"):
    check("a run of Triton's autotuner", autotune, importlib.import_module("triton"), os.environ["TRITON_CACHE_DIR"])
    check_with(TRAINER, "docs/python.md: from Triton's cache to a model", way_back)
else:
    skip("a run of Triton's autotuner", "there is no Triton")
end()
