"""launch.py - starts a model's server with the files of tuned configurations that `kpred serve` writes for it

SPDX-License-Identifier: MIT

usage: python3 -m kpred.launch [--gpu GPU] [--check | --bench] [--] COMMAND...

The files go into a folder of the cache, once. What stands in the way is told, and the server starts as it is.
"""
import argparse
import glob
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Optional, Sequence, TextIO, Tuple

from . import version

# Words of the servers' command lines
OPTIONS: Dict[str, Dict[str, Tuple[str, ...]]] = {
    "vllm": {"model": ("--model",), "tp": ("--tensor-parallel-size", "-tp", "--tp"),
             "dp": ("--data-parallel-size", "-dp"), "revision": ("--revision",), "hub": ("--download-dir",),
             "quant": ("--quantization", "-q")},
    "sglang": {"model": ("--model-path", "--model"), "tp": ("--tp-size", "--tp", "--tensor-parallel-size"),
               "ep": ("--ep-size", "--ep", "--expert-parallel-size"),
               "dp": ("--dp-size", "--dp", "--data-parallel-size"),
               "attention": ("--attn-dp-size", "--attention-data-parallel-size"), "revision": ("--revision",),
               "hub": ("--download-dir",), "quant": ("--quantization",)}}
# How a server may quantise weights itself: what kpred serve calls it
ONLINE = {"fp8": "fp8", "fp8_per_tensor": "fp8", "fp8_per_block": "fp8_block", "fp8_per_channel": "fp8_channel"}
EP_FLAGS = ("--enable-expert-parallel", "-ep") # of vLLM
RELEASE = re.compile(r"\d+\.\d+\.\d+")
QUOTES = "\"'"
KEY = re.compile(r"""(["']?)([\w-]+)\1\s*:(?:\s+("[^"]*"|'[^']*'|.*?))?\s*(?:(?<=\s)#.*)?""")
AITER = {"vllm": "VLLM_ROCM_USE_AITER", "sglang": "SGLANG_USE_AITER"}
FOLDERS = {"vllm": "VLLM_TUNED_CONFIG_FOLDER", "sglang": "SGLANG_MOE_CONFIG_DIR"}
BENCH = {"vllm": "vllm bench serve --model {} --dataset-name random --random-input-len 1024 --random-output-len 256 "
                 "--num-prompts 256 --max-concurrency 32",
         "sglang": "python3 -m sglang.bench_serving --backend sglang --model {} --dataset-name random "
                   "--random-input-len 1024 --random-output-len 256 --num-prompts 256 --max-concurrency 32"}
# AMD's products by the PCI device of the driver, where units alone do not tell them: data/amdgpu.ids of libdrm 2.4.134
# and pci.ids of 2026-10-24
PRODUCTS = {0x74a0: "MI300A", 0x74a1: "MI300X", 0x74a9: "MI300X", 0x74b5: "MI300X", 0x74bd: "MI300X", 0x74a2: "MI308X",
            0x74a8: "MI308X", 0x74b6: "MI308X", 0x74a5: "MI325X", 0x74b9: "MI325X", 0x75a0: "MI350X", 0x75b0: "MI350X",
            0x75a3: "MI355X", 0x75b3: "MI355X"}
# Run by the server's Python: versions and folders of what is installed, and names of vLLM's plug-ins
PROBE = """
import importlib.metadata as m, importlib.util as u, json
def told(module, *names):
    for name in names:
        try:
            where = u.find_spec(module)
            return [m.version(name), list(where.submodule_search_locations)[0] if where else ""]
        except Exception:
            pass
points = m.entry_points()
group = "vllm.general_plugins"
points = points.select(group=group) if hasattr(points, "select") else points.get(group, [])
print(json.dumps({"vllm": told("vllm", "vllm"), "sglang": told("sglang", "sglang"),
                  "aiter": told("aiter", "amd-aiter", "aiter"),
                  "triton": told("triton", "triton", "pytorch-triton-rocm", "triton-rocm"),
                  "plugins": [point.name for point in points]}))
"""


class Stop(Exception):
    """Why nothing is prepared"""


def note(text: object) -> None:
    print(f"kpred: {text}", file=sys.stderr, flush=True)


def output(words: Sequence[str]) -> str:
    """What a command prints; "": there is none, or it fails"""
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
                              timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


# ---- the server's command ----

def server_of(command: Sequence[str]) -> str:
    for word in command:
        name = os.path.basename(word).split(".")[0]
        if name in OPTIONS:
            return name
    raise Stop(f"{shlex.join(command)}: is neither a command of vLLM nor one of SGLang")


def value_of(command: Sequence[str], names: Sequence[str]) -> Optional[str]:
    """That of an option, --NAME VALUE or --NAME=VALUE; the last one counts, and _ may stand for -"""
    for i, word in reversed(list(enumerate(command))):
        name, equals, value = word.partition("=")
        name = name.replace("_", "-") if name.startswith("--") else name
        if name in names and (equals or i + 1 < len(command)):
            return value if equals else command[i + 1]
    return None


def words_of_file(path: str) -> List[str]:
    """The options of a server's --config, which is YAML with a line KEY: VALUE for each. What stands below a key is
    added to its value: no option that is read here has a list."""
    words: List[str] = []
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            lines = f.read().splitlines()
    except OSError as error:
        raise Stop(f"--config: {path}: {error.strerror}") from None
    for number, line in enumerate(lines, 1):
        if re.fullmatch(r"\s*(#.*)?|---\s*", line):
            continue
        found = KEY.fullmatch(line)
        if words and line[0] in " \t-":
            words[-1] += line.strip()
        elif not found:
            raise Stop(f"--config: {path}:{number}: \"{line.strip()[:60]}\": is not of the form KEY: VALUE")
        else:
            name, value = "--" + found[2].replace("_", "-"), found[3] or ""
            words.append(name if value.lower() == "true" else f"{name}={value.strip(QUOTES)}")
    return words


def size_of(command: Sequence[str], names: Sequence[str]) -> int:
    text = value_of(command, names) or "1"
    if not text.isdigit() or int(text) < 1:
        raise Stop(f"{names[0]}: value \"{text}\": is not a number of GPUs")
    return int(text)


def model_of(command: Sequence[str], server: str) -> str:
    """vLLM takes it without an option, too, and rather so."""
    word = command[command.index("serve") + 1] if server == "vllm" and "serve" in command[:-1] else "-"
    model = value_of(command, OPTIONS[server]["model"]) if word.startswith("-") else word
    if model is None:
        raise Stop("the command names no model")
    return model


def arguments_of(command: Sequence[str], server: str, config: str) -> List[List[str]]:
    """Those of kpred serve that follow from the server's, for each number of GPUs that share a layer: fewer share
    SGLang's attention if each has requests of its own."""
    options = OPTIONS[server]
    tp, dp = size_of(command, options["tp"]), size_of(command, options["dp"])
    words = ["--config", config, *quantization_of(command, server, config)]
    if server == "vllm":
        has_ep = set(command) & set(EP_FLAGS)
        return [[*words, "--tp", str(tp), *(["--ep-size", str(tp * dp)] if has_ep else [])]]
    ep, groups = size_of(command, options["ep"]), size_of(command, options["attention"])
    groups = dp if "--enable-dp-attention" in command else groups
    runs = [[*words, "--tp", str(tp), *(["--ep-size", str(ep)] if ep > 1 else [])]]
    if groups > 1 and tp % groups == 0:
        note(f"{tp // groups} of {tp} GPUs share the layers of attention: each look-up is answered for both numbers")
        runs.append([*words, "--tp", str(tp // groups)])
    return runs


def quantization_of(command: Sequence[str], server: str, config: str) -> List[str]:
    """How the server quantises weights that the config does not say to be quantised"""
    how = value_of(command, OPTIONS[server]["quant"])
    with open(config, encoding="utf-8") as f:
        text = f.read()
    if how and "quantization_config" in text:
        if how not in text:
            note(f"--quantization {how}: the answers are for what {config} says of the weights")
        return []
    if how and how not in ONLINE:
        raise Stop(f"--quantization {how}: kpred does not know what files the server looks for then, but for "
                   + ", ".join(ONLINE))
    return ["--quant", ONLINE[how]] if how else []


def config_of(model: str, revision: Optional[str], hub: Optional[str]) -> str:
    """The model's config.json, in its folder or in the hub's cache; nothing is fetched"""
    path = os.path.join(model, "config.json")
    if os.path.exists(path):
        return path
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    hub = hub or os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE") or os.path.join(
        os.environ.get("HF_HOME") or os.path.join(cache, "huggingface"), "hub")
    at = os.path.join(hub, "models--" + model.replace("/", "--"))
    try:
        with open(os.path.join(at, "refs", revision or "main"), encoding="utf-8") as f:
            revision = f.read().strip()
    except OSError:
        pass # it may be the name of a commit
    path = os.path.join(at, "snapshots", revision or "main", "config.json")
    if not os.path.exists(path):
        raise Stop(f"{model}: has no config.json in a folder of this name, nor in {hub}; kpred fetches nothing, so it "
                   "answers from the server's second start on")
    return path


# ---- the machine ----

def gpu_of_driver(sysfs: str = "/sys") -> Optional[str]:
    """The first GPU of AMD's that the driver has: a product, or gfx942_304; None: there is none"""
    for path in sorted(glob.glob(f"{sysfs}/class/kfd/kfd/topology/nodes/*/properties")):
        try:
            with open(path, encoding="utf-8") as f:
                told = {name: int(value) for name, value in re.findall(r"(?m)^(\w+) (\d+)$", f.read())}
        except OSError:
            continue # of another user's container
        number = told.get("gfx_target_version", 0)
        if not number or not told.get("simd_per_cu"):
            continue # a processor
        units = told.get("simd_count", 0) // told["simd_per_cu"] // (2 if number >= 100000 else 1) # as HIP counts
        gfx = f"gfx{number // 10000}{number // 100 % 100:x}{number % 100:x}"
        return PRODUCTS.get(told.get("device_id", 0), f"{gfx}_{units}")
    return None


def gpu_found() -> str:
    found = gpu_of_driver()
    if found is None:
        told = re.search(r'"market_name": *"([^"]+)"', output(["amd-smi", "static", "--asic", "--json"]))
        names = output(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]).splitlines()
        found = told[1] if told else names[0].strip() if names else None
    if found is None:
        raise Stop("no GPU was found by /sys/class/kfd, amd-smi or nvidia-smi: --gpu names it")
    return found


def python_of(command: Sequence[str]) -> str:
    """The Python that runs the server"""
    if os.path.basename(command[0]).startswith("python"):
        return command[0]
    try:
        with open(shutil.which(command[0]) or "", encoding="utf-8") as f:
            first = f.readline()
    except (OSError, ValueError):
        first = ""
    found = re.match(r"#!(\S*python\S*)", first)
    return found[1] if found else sys.executable


def installed_of(command: Sequence[str]) -> Dict[str, Any]:
    told: Dict[str, Any] = json.loads(output([python_of(command), "-c", PROBE]) or "{}")
    return told


def program() -> str:
    """kpred, of this installation if it has one"""
    own = os.path.join(os.path.dirname(sys.executable), "kpred")
    found = own if os.access(own, os.X_OK) else shutil.which("kpred")
    if not found:
        raise Stop("the program kpred is not in PATH")
    return found


# ---- what kpred serve is asked, and what it says ----

class Plan:
    """All that the answers depend on"""

    def __init__(self, command: Sequence[str], gpu: Optional[str]) -> None:
        self.command, self.server = command, server_of(command)
        options, file = OPTIONS[self.server], value_of(command, ("--config",))
        command = [*(words_of_file(file) if file else []), *command] # the command itself comes last, and wins
        self.model = model_of(command, self.server)
        config = config_of(self.model, value_of(command, options["revision"]), value_of(command, options["hub"]))
        self.gpu = gpu or gpu_found()
        self.installed = installed_of(self.command)
        release = RELEASE.match(self.told(self.server)[0])
        self.asked = f"{self.server}={release[0]}" if release else self.server
        self.runs = [["serve", "--gpu", self.gpu, *words, *self.versions()]
                     for words in arguments_of(command, self.server, config)]
        with open(config, "rb") as f:
            self.digest = hashlib.sha256(repr((f.read(), self.runs, self.installed, version())).encode()).hexdigest()

    def told(self, name: str) -> Sequence[str]:
        """The version, and the folder"""
        return self.installed.get(name) or ("", "")

    def versions(self) -> List[str]:
        """Files that are there, tuned by the user or by the server's makers, win."""
        has_aiter = os.environ.get(AITER[self.server]) in ("1", "true", "True")
        own, package = os.environ.get(FOLDERS[self.server], ""), self.told(self.server)[1]
        package = "" if own and self.server == "sglang" else package # it reads one of them
        folders = [path for path in (own, package, self.told("aiter")[1] if has_aiter else "") if os.path.isdir(path)]
        words = ["--installed", ":".join(folders)] if folders else []
        triton = RELEASE.match(self.told("triton")[0])
        return words + (["--triton", triton[0]] if triton else []) + ["--aiter"] * has_aiter

    def folder(self) -> str:
        base = os.environ.get("KPRED_CACHE") or os.path.join(
            os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "kpred")
        name = "-".join(filter(None, (os.path.basename(self.model.rstrip("/")), self.gpu, self.server,
                                      self.told(self.server)[0], "kpred", version(), self.digest[:10])))
        return os.path.join(base, "serve", re.sub(r"[^\w.+-]", "_", name))


def serve(plan: Plan, *more: str) -> Tuple[str, List[str]]:
    """What kpred serve prints, and what it says: lines"""
    out: List[str] = []
    said: List[str] = []
    for words in plan.runs:
        done = subprocess.run([program(), *words, "--server", plan.asked, *more], capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL)
        told = done.stderr.splitlines()
        why = told[-1].replace("kpred: ", "", 1) if told else f"kpred serve ended with {done.returncode}"
        if done.returncode and why.startswith("--server: value ") and "--aiter" not in words:
            note(f"{why}; the answers are those for that one") # names of files change seldom; another name is not read
            plan.asked = plan.server
            return serve(plan, *more)
        if done.returncode:
            raise Stop(why)
        out.append(done.stdout)
        said += [line for line in told if line not in said]
    return "\n".join(out), said


def variables_of(said: Sequence[str]) -> Dict[str, str]:
    """Those of the lines `  export NAME=VALUE`"""
    lines = (shlex.split(line) for line in said if line.startswith("  export "))
    return {word.split("=", 1)[0]: word.split("=", 1)[1] for _, word in lines}


def prepare(plan: Plan) -> List[str]:
    """What kpred serve says of the folder of the cache, which it fills if need be. Two at once write the same: it locks
    the folder, and launch.json, which says that all is there, is put there whole."""
    at = plan.folder()
    done = os.path.join(at, "launch.json")
    try:
        with open(done, encoding="utf-8") as f:
            said: List[str] = json.load(f)
        note(f"what was written before is in {at}")
        return said
    except (OSError, ValueError):
        pass # it is the first time, or was cut off
    os.makedirs(at, exist_ok=True)
    _, said = serve(plan, "-o", at, "--force") # what is there is its own, of a start that was cut off
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=at, suffix=".part", delete=False) as made:
        json.dump(said, made)
    os.replace(made.name, done)
    return said


def environment(said: Sequence[str]) -> Dict[str, str]:
    """That of the server; what the user has set stays, but the folder that went into the answers"""
    env = dict(os.environ)
    for name, value in variables_of(said).items():
        if name in env and name != FOLDERS["sglang"]:
            note(f"{name} is set, and stays as it is")
        else:
            note(f"{name}={value}")
            env[name] = value
    return env


# ---- commands ----

def check(plan: Plan, to: TextIO = sys.stdout) -> None:
    """The table of look-ups; what the plug-in does with them"""
    table, said = serve(plan, "--dry-run")
    to.write(table)
    for line in said:
        print(line, file=sys.stderr)
    allowed = os.environ.get("VLLM_PLUGINS")
    if plan.server == "vllm" and "kpred" not in plan.installed.get("plugins", []):
        note("the server's Python has no plug-in of kpred: only VLLM_TUNED_CONFIG_FOLDER is set")
    elif plan.server == "vllm" and allowed is not None and "kpred" not in allowed.split(","):
        note(f"VLLM_PLUGINS={allowed}: lacks kpred, so vLLM does not load the plug-in")


def bench(plan: Plan, to: TextIO = sys.stdout) -> None:
    """How to measure the gain, and what to send"""
    line, measure = shlex.join(plan.command), BENCH[plan.server].format(shlex.quote(plan.model))
    versions = " ".join(f"{name} {plan.told(name)[0]}" for name in ("vllm", "sglang", "triton", "aiter")
                        if plan.told(name)[0])
    print(f"""before:
  KPRED=off {line}
  {measure}
after, with the server started anew:
  python3 -m kpred.launch --gpu {shlex.quote(plan.gpu)} -- {line}
  {measure}
Run each twice and take the second: the first compiles kernels. Then send these five lines:
  command: {line}
  GPU: {plan.gpu}
  versions: kpred {version()} {versions}
  output tokens per second before, after:
  mean time per output token before, after (ms):""", file=to)


def tell(plan: Plan, said: Sequence[str]) -> None:
    """What kpred serve says, but the variables, which are told when they are set"""
    has_plugin = plan.server == "vllm" and "kpred" in plan.installed.get("plugins", [])
    for line in said:
        if has_plugin and (line.startswith("  cp -n ") or " has no variable for " in line):
            continue # the plug-in answers for these files
        if not line.startswith("  export ") and " looks there " not in line:
            print(line, file=sys.stderr)


def start(command: Sequence[str], gpu: Optional[str]) -> int:
    """Replaces itself by the server."""
    env, mode = dict(os.environ), os.environ.get("KPRED", "").strip().lower()
    try:
        if mode == "report":
            check(Plan(command, gpu), sys.stderr)
        elif mode != "off":
            plan = Plan(command, gpu)
            said = prepare(plan)
            tell(plan, said)
            env = environment(said)
    except Stop as why:
        note(f"{why}; the server starts as it is")
    except Exception as error: # whatever it is, the server has to start
        note(f"{type(error).__name__}: {error}; the server starts as it is")
    sys.stderr.flush()
    try:
        os.execvpe(command[0], list(command), env)
    except OSError as error:
        note(f"{command[0]}: {error.strerror}")
        return 127


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m kpred.launch", description="Starts vLLM or SGLang with the tuned "
                                     "files that `kpred serve` writes for its model, GPU and versions.")
    parser.add_argument("--gpu", help="MI300X, H200: where it is another one than the first that the driver has")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="print by what each look-up is answered, and start nothing")
    what.add_argument("--bench", action="store_true", help="print how to measure the gain, and start nothing")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the server's own: vllm serve ..., "
                        "python3 -m sglang.launch_server ...")
    given = parser.parse_args()
    command = given.command[given.command[:1] == ["--"]:]
    if not command:
        parser.error("the server's command is missing")
    if not given.check and not given.bench:
        return start(command, given.gpu)
    try:
        (check if given.check else bench)(Plan(command, given.gpu))
        return 0
    except Stop as why:
        note(why)
        return 1


if __name__ == "__main__":
    sys.exit(main())
