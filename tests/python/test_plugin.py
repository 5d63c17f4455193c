"""test_plugin.py - vLLM's plug-in answers as `kpred serve` writes, leaves tuned files alone, and never harms the server

SPDX-License-Identifier: MIT

usage: test_plugin.py         in a small package in the form of vLLM, with recorded answers
       test_plugin.py code    the wheel of `make wheel` in an environment made by pip, and the real sources of three
                              versions of vLLM, which pip fetches into BUILD/wheels
"""
import ast
import glob
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
import zipfile

sys.path.insert(0, "tests/serve")

import servers  # noqa: E402: needs the path
from report import BUILD, KPRED, ROOT, check, end, folder, need, output, read, run, skip, write  # noqa: E402

STAGE = f"{ROOT}/tests/python/vllm_stage.py"
WITH_CODE = sys.argv[1:] == ["code"]
VERSIONS = ("0.33.0", "0.30.0", "0.19.1")
FP8 = "dtype=fp8_w8a8,block_shape=[128,128].json"
MI300X, H200, MI355X = "AMD Instinct MI300X", "NVIDIA H200", "AMD Instinct MI355X"
# By what is asked: the name of the file
ASKED = {"moe(256, 256, 'fp8_w8a8', 128, 128)": f"E=256,N=256,device_name=DEVICE,{FP8}",
         "moe(128, 768, None)": "E=128,N=768,device_name=DEVICE.json",
         "block(2112, 7168, 128, 128)": f"N=2112,K=7168,device_name=DEVICE,{FP8}",
         "moe(8, 14336, 'int4_w4a16')": "E=8,N=14336,device_name=DEVICE,dtype=int4_w4a16.json"}
INT4 = list(ASKED)[-1] # the models of NVIDIA's GPUs do not know it
MOE, MOE_NAME = next(iter(ASKED.items()))
DEFAULT = "server's default"
PLUGIN = "tools/python/kpred_vllm.py"
WARNING = "Performance might be sub-optimal! Config file not found at"
MODULES = ("vllm/model_executor/layers/fused_moe/fused_moe.py",
           "vllm/model_executor/layers/quantization/utils/fp8_utils.py")
# In the form of vLLM's: an own function of the same parameters, which looks for a file and warns
LOOKUP = """
import functools, json, os
import vllm.envs as envs
from vllm.logger import init_logger
from vllm.platforms import current_platform
logger = init_logger(__name__)

@functools.lru_cache
def FUNCTION:
    if envs.VLLM_BATCH_INVARIANT:
        return None
    device = current_platform.get_device_name().replace(" ", "_")
    folders = [envs.VLLM_TUNED_CONFIG_FOLDER, os.path.join(os.path.dirname(__file__), "configs")]
    name = f'NAME + (f',block_shape=[{block_n},{block_k}]' if block_n else '') + '.json'
    paths = [os.path.join(folder, name) for folder in folders if folder]
    for path in paths:
        if os.path.exists(path):
            with open(path) as f:
                return {int(m): config for m, config in json.load(f).items() if m != "triton_version"}
    logger.warning_once("Using default config. Performance might be sub-optimal! Config file not found at %s",
                        ", ".join(paths))
    return None
"""
SMALL = {
    MODULES[0]: LOOKUP.replace("FUNCTION", "get_moe_configs(E, N, dtype, block_n=None, block_k=None)").replace(
        "NAME", "E={E},N={N},device_name={device}' + (f',dtype={dtype}' if dtype else '')"),
    MODULES[1]: LOOKUP.replace("FUNCTION", "get_w8a8_block_fp8_configs(N, K, block_n, block_k)").replace(
        "NAME", "N={N},K={K},device_name={device},dtype=fp8_w8a8'"),
    "vllm/envs.py": "import os\nVLLM_BATCH_INVARIANT = bool(os.environ.get('VLLM_BATCH_INVARIANT'))\n"
                    "VLLM_TUNED_CONFIG_FOLDER = os.environ.get('VLLM_TUNED_CONFIG_FOLDER')\n",
    "vllm/plugins/__init__.py": "import importlib.metadata as m\ndef load_general_plugins():\n    for point in "
                                "m.entry_points(group='vllm.general_plugins'):\n        point.load()()\n"}
# The answers are what kpred serve has written; the library is for pip to bring.
RECORDED = """
import kpred_vllm, os
def served(name):
    path = os.path.join(os.environ["RECORDED"], name)
    there = os.path.exists(path) and json.load(open(path))
    by = json.load(open(os.path.dirname(path) + "/by.json")).get(name, "not answered")
    return {"answered_by": by, "why": None, "model": "of a test", "tile": 26,
            "file": None if by == "server's default" else there or None}
kpred_vllm.served = served
"""

tmp = folder()
os.environ.pop("KPRED", None)


# ---- the stage ----

def small_package(at):
    for path, text in SMALL.items():
        write(f"{at}/{path}", text)
    info = f"{at}/kpred-0.dist-info"
    write(f"{info}/METADATA", "Metadata-Version: 2.1\nName: kpred\nVersion: 0\n")
    points = re.search(r'ENTRY_POINTS = b"(.*)"', read("tools/python/build_wheel.py"))[1]
    write(f"{info}/entry_points.txt", points.replace("\\n", "\n"))
    write(f"{at}/kpred_vllm.py", read(PLUGIN))


def real_package(version, at):
    """The files with the look-ups, and those that they need; None: pip has no such wheel"""
    wheels = f"{BUILD}/wheels"
    os.makedirs(wheels, exist_ok=True)
    if not glob.glob(f"{wheels}/vllm-{version}-*"):
        run(f"{sys.executable} -m pip download -q --no-deps -d {wheels} vllm=={version}", None)
    for path in glob.glob(f"{wheels}/vllm-{version}-*"):
        with zipfile.ZipFile(path) as packed:
            for name in (*MODULES, "vllm/envs.py", "vllm/plugins/__init__.py", "vllm/utils/platform_utils.py"):
                packed.extract(name, at)
        return at
    return None


def with_folders(at):
    """All folders of packages are packages."""
    for path, _, _ in os.walk(f"{at}/vllm"):
        if not os.path.exists(f"{path}/__init__.py"):
            write(f"{path}/__init__.py", "")


def written(device):
    """{name: what kpred serve writes into the file, None where it is the server's default}"""
    names = [name.replace("DEVICE", device.replace(" ", "_")) for name in ASKED.values()]
    at = f"{tmp}/written/{names[0]}"
    done = run(f"{KPRED} serve --gpu \"{device}\" --server vllm -o {at} " + shlex.join(names), None)
    assert not done.returncode or "Plan 9" in device, done.stderr
    report = json.loads(read(f"{at}/kpred.json"))["files"] if os.path.exists(f"{at}/kpred.json") else []
    by = {entry["file"]: entry["answered_by"] for entry in report}
    write(f"{at}/by.json", json.dumps(by))
    return {name: json.loads(read(f"{at}/{name}")) if by.get(name, DEFAULT) != DEFAULT else None for name in names}, at


class Stage:
    """Runs steps in a process of a vLLM"""

    def __init__(self, name, at, python):
        self.name, self.at, self.python = name, at, python

    def run(self, steps, device=MI300X, recorded=True, **env):
        text = RECORDED if recorded and not WITH_CODE else ""
        return json.loads(output(shlex.join([self.python, STAGE, device, text + steps]), cwd=tmp, env={
            "PYTHONPATH": self.at, "RECORDED": written(device)[1] if text else "", **env}))


def all_asked():
    return "plugins()\n" + "".join(f"said.append({words})\n" for words in ASKED)


# ---- checks ----

def as_serve(stage, device):
    """Each is that of kpred serve, with one line in the log, and the second look-up is the first one's object."""
    said, heard = stage.run(all_asked() + f"said.append({MOE} is {MOE})", device)
    want = [{m: config for m, config in rows.items() if m != "triton_version"} if rows else rows
            for rows in written(device)[0].values()]
    assert all(want[:3]) and said == want + [True], (said, want)
    lines = [line for line in heard if re.match("kpred (predicts|leaves vLLM's default for) [EN]=.*KPRED=off", line)]
    assert len(heard) == len(lines) == len(ASKED), heard


def default(stage):
    """Where kpred serve takes the server's default for all M vLLM's own function does, which has all M, and no warning
    comes."""
    said, heard = stage.run(f"plugins()\nsaid.append({INT4})", H200)
    assert said == [None] and len(heard) == 1 and heard[0].startswith("kpred leaves vLLM's default for E=8"), heard
    said, heard = stage.run(f"plugins()\nsaid.append({INT4})", H200, KPRED="report")
    assert said == [None] and "would leave" in heard[0] and WARNING in heard[1], heard


def no_answer(stage, device):
    """vLLM's own warning stays, and a line says why."""
    said, heard = stage.run(all_asked(), device)
    n = len(ASKED)
    assert said == [None] * n and sum(WARNING in line for line in heard) == n, (said, heard)
    assert sum(line.startswith("kpred has no answer for ") for line in heard) == n and len(heard) == 2 * n, heard


def tuned(stage):
    """A tuned file wins, in the package and in the folder; without it in the folder kpred answers."""
    name, row = MOE_NAME.replace("DEVICE", MI300X.replace(" ", "_")), {"1": {"BLOCK_SIZE_M": 16}}
    steps = f"plugins()\nsaid.append({MOE})"
    for at in f"{tmp}/tuned", f"{stage.at}/{os.path.dirname(MODULES[0])}/configs":
        path = write(f"{at}/{name}", json.dumps(row))
        said, heard = stage.run(steps, VLLM_TUNED_CONFIG_FOLDER=f"{tmp}/tuned")
        assert said == [row] and not any(line.startswith("kpred") for line in heard), (said, heard)
        os.remove(path)
    said, heard = stage.run(steps, VLLM_TUNED_CONFIG_FOLDER=f"{tmp}/tuned")
    assert len(said[0]) == 18 and "kpred predicts" in heard[0], heard
    path = write(f"{tmp}/tuned/{name}", "{")
    bad = f"plugins()\ntry:\n    {MOE}\nexcept json.JSONDecodeError:\n    said.append('as vLLM raises')"
    said, _ = stage.run(bad, VLLM_TUNED_CONFIG_FOLDER=f"{tmp}/tuned")
    os.remove(path)
    assert said == ["as vLLM raises"], said


BOTH = "a = load(FUSED_MOE).get_moe_configs\nplugins()\nb = load(FP8).get_w8a8_block_fp8_configs\n"


def switches(stage):
    for value in "off", " OFF":
        said, heard = stage.run(BOTH + f"said += [a is load(FUSED_MOE).get_moe_configs, hasattr(b, 'is_kpreds'), {MOE},"
                                " 'Finder' in [type(f).__name__ for f in sys.meta_path]]", KPRED=value)
        assert said == [True, False, None, False] and WARNING in heard[0], (value, said, heard)
    said, heard = stage.run(f"plugins()\nsaid.append({MOE})", KPRED="report")
    assert said == [None] and "kpred would predict" in heard[0] and WARNING in heard[1], heard
    said, heard = stage.run(f"plugins()\nsaid.append({MOE})", KPRED="maybe")
    assert said == [None] and "KPRED=maybe: is none of on, report, off" in heard[0], heard
    said, heard = stage.run(f"plugins()\nsaid.append({MOE})", VLLM_BATCH_INVARIANT="1")
    assert said == [None] and not heard, heard


def loaded_before(stage):
    """What is loaded is patched where it lies and where it was taken; nothing is imported; twice is once."""
    said, _ = stage.run("""
import kpred_vllm
kpred_vllm.register()
said.append([name for name in sys.modules if name.split('.')[0] in ('torch', 'vllm', 'triton')])
kpred_vllm.register()
said.append(sum(type(f).__name__ == 'Finder' for f in sys.meta_path))
sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != 'Finder']
other = types.ModuleType('vllm.other')
other.get_moe_configs = load(FUSED_MOE).get_moe_configs
sys.modules['vllm.other'] = other
was = other.get_moe_configs
kpred_vllm.register()
said += [was is not other.get_moe_configs, other.get_moe_configs is load(FUSED_MOE).get_moe_configs]
""")
    assert said == [[], 1, True, True], said


def other_versions(stage):
    """Functions of another form stay, with one warning."""
    for old, new in (("block_k", "block_size_k"), ("Config file not found at", "No file at"), ("logger", "journal")):
        text = read(f"{stage.at}/{MODULES[0]}")
        other = shutil.copytree(stage.at, f"{tmp}/other", dirs_exist_ok=True)
        write(f"{other}/{MODULES[0]}", text.replace(old, new))
        said, heard = stage.run("plugins()\nsaid.append(hasattr(load(FUSED_MOE).get_moe_configs, 'is_kpreds'))",
                                PYTHONPATH=other)
        assert said == [False] and len(heard) == 1 and "is not as kpred knows it" in heard[0], (old, said, heard)


def planted(stage):
    """An exception in any function of the plug-in: vLLM goes on with its default, or with the answer."""
    tree = ast.parse(read(PLUGIN))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    names += [f"{kind.name}.{node.name}" for kind in tree.body if isinstance(kind, ast.ClassDef) for node in kind.body
              if isinstance(node, ast.FunctionDef) and kind.name != "Guard"]
    entries, without = {"register", "Finder.find_spec"}, [] # entries are no more than what is guarded
    for name in sorted({*names} - entries):
        said, heard = stage.run(f"""
import kpred_vllm
def fails(*words, **options):
    raise RuntimeError('planted')
kpred_vllm.{name} = fails
plugins()
said += [{MOE}, block(2112, 7168, 128, 128)]
""")
        for answer in said:
            assert answer is None or len(answer) == 18, (name, said, heard)
        assert None not in said or any(WARNING in line for line in heard), (name, heard)
        without += [name] * (said == [None, None])
    assert len(without) > 7, without


def no_library(stage):
    """The library is missing, or no library: one warning, and vLLM's default."""
    steps = "import kpred_vllm\nkpred_vllm.LIBRARY = '/none.so'\n" + all_asked()
    said, heard = stage.run(steps, recorded=False)
    ours = [line for line in heard if line.startswith("kpred:")]
    assert said == [None] * len(ASKED) and len(ours) == 1 and "none.so" in ours[0], heard
    assert len(heard) == 1 + len(ASKED), heard
    said, _ = stage.run("import kpred_vllm\nkpred_vllm.warn = None\n" + steps, recorded=False) # nor can it be told
    assert said == [None] * len(ASKED), said


def forked(stage):
    """A child of a process whose other thread is within a call answers, too."""
    said, _ = stage.run(f"""
import kpred_vllm, os, signal, threading, time
plugins()
first = {MOE}
held = threading.Thread(target=lambda: (kpred_vllm.lock.acquire(), time.sleep(.3), kpred_vllm.lock.release()))
held.start()
time.sleep(.1)
child = os.fork()
if child == 0:
    signal.alarm(20)
    with kpred_vllm.lock:
        pass
    os._exit(0 if {MOE} == first and block(2112, 7168, 128, 128) else 1)
said.append(os.waitpid(child, 0)[1])
""")
    assert said == [0], said


def costs(stage):
    """Of the start, and of look-ups: the first of a model, others, one again; and the memory. Seconds of the processor,
    the least of some runs, as other programs run beside"""
    runs = []
    for _ in range(5):
        start = output(f"{stage.python} -c 'import time; t = time.process_time(); import kpred_vllm; "
                       "kpred_vllm.register(); print(1000 * (time.process_time() - t))'")
        runs.append([float(start)] + stage.run("""
def timed(call):
    t = time.process_time()
    call()
    said.append(1000 * (time.process_time() - t))
def resident():
    return int(open('/proc/self/statm').read().split()[1]) / 256
import time, ctypes
load(FUSED_MOE)
was = resident()
import kpred_vllm
timed(kpred_vllm.register)
for n in 256, 512, 1024, 768, 1536, 256:
    timed(lambda: moe(256, n, 'fp8_w8a8', 128, 128))
said.append(resident() - was)
""")[0])
    start, patch, first, *others, again, more = map(min, zip(*runs))
    print(f"start {start:.1f} ms, in a process of vLLM {patch:.2f}; first look-up {first:.2f}, others "
          f"{min(others):.2f}, again {again:.4f} ms; {more:.1f} MB")
    assert start < 50 and again < 0.05 and min(others) < 2, (start, again, others)


# ---- what only the code has ----

def allowed(stage):
    """vLLM's list of plug-ins without kpred silences it."""
    steps = "plugins()\nsaid.append(hasattr(load(FUSED_MOE).get_moe_configs, 'is_kpreds'))"
    said = [stage.run(steps, VLLM_PLUGINS=names)[0] for names in ("kpred,lora", "lora")]
    assert said == [[True], [False]], said


def two_at_once(stage):
    words = [stage.python, STAGE, MI300X, all_asked()]
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, cwd=tmp,
                                env={**os.environ, "PYTHONPATH": stage.at}) for _ in range(4)]
    said = [process.communicate()[0] for process in running]
    assert len(set(said)) == 1 and len(said[0]) > 5000, said


def home(stage):
    """Nothing is written, and a home that cannot be written does no harm."""
    def files():
        return sorted(glob.glob(f"{stage.at}/**", recursive=True) + glob.glob(f"{tmp}/venv/lib/**", recursive=True))
    before = files()
    said, _ = stage.run(all_asked(), HOME="/proc", TMPDIR="/proc", PYTHONDONTWRITEBYTECODE="1")
    assert [len(x) for x in said] == [18] * len(ASKED) and files() == before, (said, set(files()) - set(before))


def environment():
    """An environment with the wheel of `make wheel`: its Python"""
    run("make -s wheel", cwd=ROOT, env={"BUILD": BUILD})
    wheel, = glob.glob(f"{BUILD}/wheel/*.whl")
    assert re.search(r"-py3-none-manylinux_2_\d+_\w+\.whl$", wheel), wheel
    venv.create(f"{tmp}/venv", with_pip=True)
    run(f"{tmp}/venv/bin/pip install -q --no-index {wheel}")
    return f"{tmp}/venv/bin/python"


def no_model(stage):
    """A library that lacks the model of the experts: they get vLLM's default, and the products their answer."""
    lacking = output(f"{sys.executable} -c \"import build_wheel; build_wheel.TRITON_MODELS.remove('fused_moe_amd'); "
                     f"print(build_wheel.programs('{BUILD}/wheel/objects', True)[1])\"", env={
                         "PYTHONPATH": f"{ROOT}/tools/python"}).strip()
    shutil.copy(lacking, f"{tmp}/lacking.so")
    said, heard = stage.run(f"import kpred_vllm\nkpred_vllm.LIBRARY = '{tmp}/lacking.so'\n" + all_asked())
    assert [x and len(x) for x in said] == [None, None, 18, None], (said, heard)
    assert sum(WARNING in line for line in heard) == 3, heard


def launched(python):
    """SGLang's own code finds each file of the experts where the launcher has put it."""
    wheel = servers.package("sglang", f"{BUILD}/wheels")
    if not wheel:
        return skip("SGLang's code", "pip has no sglang 0.5.23")
    write(f"{tmp}/deepseek/config.json", read("tests/aiter/hf_deepseek_v3.json"))
    show = write(f"{tmp}/show", "#!/bin/sh\necho \"$SGLANG_MOE_CONFIG_DIR\"\n")
    at = output(f"{python} -m kpred.launch --gpu H200 -- /bin/sh {show} sglang --model {tmp}/deepseek --tp 8",
                cwd=tmp, env={"KPRED_CACHE": f"{tmp}/cache", "PATH": "/usr/bin:/bin"}).strip()
    names = [os.path.basename(path) for path in glob.glob(f"{at}/configs/*/E=*.json")]
    assert names, at
    return [name for name in names if len(servers.load(wheel, "sglang", at, name) or ()) != 18]


def wheel_alone():
    """The program, the module and its models are there; auditwheel says of the tag what it says itself."""
    said = output(f"{tmp}/venv/bin/kpred predict conv_asm_1x1u gpu=gfx906_60 dir=F dtype=FP32 n=16 c=64 h=56 w=56 "
                  "k=256 stride=1", cwd=tmp, env={"PATH": "/none"})
    ours = output(f"{tmp}/venv/bin/python -c 'import kpred; print(len(kpred.models()))'", cwd=tmp)
    assert "k_mult" in said and int(ours) == len(glob.glob("weights/*.h")), said
    wheel, = glob.glob(f"{BUILD}/wheel/*.whl")
    if run(f"{tmp}/venv/bin/pip install -q auditwheel", None).returncode:
        return skip("auditwheel", "pip has none")
    told = output(f"{tmp}/venv/bin/auditwheel show {wheel}")
    ours, theirs = (re.search(r"manylinux_2_(\d+)", text)[1] for text in (wheel, told.split("platform")[1]))
    assert int(ours) <= int(theirs) <= int(ours) + 3, told # auditwheel knows some versions of the C library alone
    return []


def stages():
    if not WITH_CODE:
        small_package(f"{tmp}/small")
        yield Stage("", f"{tmp}/small", sys.executable)
        return
    python = environment()
    check("the wheel alone", wheel_alone)
    check("the launcher, and SGLang's code", launched, python)
    for version in VERSIONS:
        at = real_package(version, f"{tmp}/vllm-{version}")
        if at:
            yield Stage(f"vllm {version}: ", at, python)
        else:
            skip(f"vllm {version}", "pip has no such wheel")


def main():
    need(KPRED)
    for stage in stages():
        with_folders(stage.at)
        for device in MI300X, H200:
            check(f"{stage.name}{device}, as kpred serve writes", as_serve, stage, device)
        check(f"{stage.name}an unknown GPU", no_answer, stage, "Plan 9 GPU")
        for test in (default, tuned, switches, loaded_before, other_versions, no_library, forked):
            check(f"{stage.name}{test.__name__}", test, stage)
        if not WITH_CODE or "0.33" in stage.name:
            check(f"{stage.name}planted exceptions", planted, stage)
        if WITH_CODE:
            check(f"{stage.name}gfx950, where predictions are no better", no_answer, stage, MI355X)
            for test in (no_model, allowed, two_at_once, home, costs):
                check(f"{stage.name}{test.__name__}", test, stage)
    return end()


main()
