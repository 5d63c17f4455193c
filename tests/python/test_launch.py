"""test_launch.py - kpred.launch: what it reads of a server's command and of the machine, what it writes, once, and sets

SPDX-License-Identifier: MIT

The servers and the drivers' programs are stubs in PATH, and vLLM and SGLang are folders with names and versions.
"""
import glob
import importlib
import json
import os
import shutil
import subprocess
import sys

from report import BUILD, KPRED, check, end, folder, need, run, write

need(KPRED)
tmp = folder()
for name in [name for name in os.environ if name.startswith(("KPRED", "HF_", "VLLM", "SGLANG", "XDG"))]:
    del os.environ[name]
os.environ.update(HOME=f"{tmp}/home", PATH=f"{tmp}/bin:{BUILD}:{os.environ['PATH']}")

# The module as it is installed, without its library
shutil.copytree("tools/python/kpred", f"{tmp}/site/kpred", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
shutil.copy("kpred.h", f"{tmp}/site/kpred")
# What is installed of the servers, as far as the launcher asks
for dist in "vllm-0.33.0", "sglang-0.5.23", "triton-3.5.1", "amd_aiter-0.1.7":
    name, version = dist.split("-")
    write(f"{tmp}/servers/{name.split('_')[-1]}/__init__.py", "raise Exception('it was imported')\n")
    write(f"{tmp}/servers/{dist}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
SERVER = f"""#!{sys.executable}
import json, os, sys
print(json.dumps([sys.argv[1:], {{name: value for name, value in os.environ.items()
                                  if name.startswith(("VLLM_TUNED", "SGLANG_MOE", "AITER_CONFIG", "AITER_REBUILD"))}}]))
"""
MODEL = f"{tmp}/model"
write(f"{MODEL}/config.json", next(part for part in open("tests/serve/configs.txt").read().split("\n== ")
                                   if part.startswith("qwen3_30b\n")).split("\n", 1)[1])
HUB = "models--Qwen--Qwen3-30B-A3B-FP8"
SGLANG_FILE = "configs/triton_3_5_1/E=128,N=96,device_name=AMD_Instinct_MI300X,dtype=fp8_w8a8,block_shape=[32, 32].json"


def program(name, text):
    os.chmod(write(f"{tmp}/bin/{name}", text), 0o755)


for name in "vllm", "sglang":
    program(name, SERVER)


def launch(words, status=0, **env):
    """(what the server says: its words and variables; what the launcher says)"""
    done = run(f"{sys.executable} -m kpred.launch {words}", status, cwd=tmp, env={
        "PYTHONPATH": f"{tmp}/site:{tmp}/servers", **env})
    return (json.loads(done.stdout) if done.stdout.startswith("[[") else done.stdout), done.stderr


def written():
    return sorted(path for path in glob.glob(f"{tmp}/home/.cache/kpred/**", recursive=True) if os.path.isfile(path))


def fresh():
    shutil.rmtree(f"{tmp}/home", ignore_errors=True)


def state():
    return [(path, os.stat(path).st_mtime_ns) for path in written()]


def vllm():
    """The files are those of kpred serve; the second start writes nothing; another --tp has another folder."""
    fresh()
    (words, env), said = launch(f"--gpu MI300X -- vllm serve {MODEL} -tp 4")
    at = env["VLLM_TUNED_CONFIG_FOLDER"]
    assert words == ["serve", MODEL, "-tp", "4"] and "cp -n " in said, (words, said)
    assert "/model-MI300X-vllm-0.33.0-kpred-" in at, at
    run(f"{KPRED} serve --gpu MI300X --server vllm --config {MODEL}/config.json --tp 4 --triton 3.5.1 -o {tmp}/want")
    names = {os.path.basename(path) for path in written()}
    assert names - {"launch.json"} == set(os.listdir(f"{tmp}/want")) and len(names) == 5, names
    for name in os.listdir(f"{tmp}/want"):
        assert open(f"{tmp}/want/{name}").read() == open(f"{at}/{name}").read(), name
    before = state()
    (_, env), again = launch(f"--gpu MI300X -- vllm serve {MODEL} -tp 4")
    assert env["VLLM_TUNED_CONFIG_FOLDER"] == at and state() == before and "written before" in again, again
    (_, env), told = launch(f"--gpu MI300X vllm serve {MODEL} --tensor_parallel_size=2")
    assert "looks there" not in told and told.count("VLLM_TUNED_CONFIG_FOLDER=") == 1, told
    assert env["VLLM_TUNED_CONFIG_FOLDER"] != at and "E=128,N=384," in "".join(written()), written()
    (_, env), said = launch(f"--gpu MI300X -- vllm serve {MODEL} -tp 4", VLLM_TUNED_CONFIG_FOLDER=f"{tmp}/mine")
    assert env["VLLM_TUNED_CONFIG_FOLDER"] == f"{tmp}/mine" and "FOLDER is set, and stays" in said, said
    os.remove(f"{at}/launch.json") # a start that was cut off
    os.truncate(glob.glob(f"{at}/E=*.json")[0], 9)
    launch(f"--gpu MI300X -- vllm serve {MODEL} -tp 4")
    assert all(open(f"{tmp}/want/{name}").read() == open(f"{at}/{name}").read() for name in os.listdir(f"{tmp}/want"))


def sglang():
    """The user's own files go along, as SGLang reads one folder alone."""
    fresh()
    own = write(f"{tmp}/tuned/{SGLANG_FILE}", '{"1": {"BLOCK_SIZE_M": 16}}')
    (_, env), said = launch(f"--gpu MI300X -- sglang serve --model-path={MODEL} --tp-size 4 --ep 4",
                            SGLANG_MOE_CONFIG_DIR=f"{tmp}/tuned")
    at = env["SGLANG_MOE_CONFIG_DIR"]
    names = {os.path.relpath(path, at) for path in written()}
    assert at.startswith(f"{tmp}/home") and SGLANG_FILE in names and "configs/triton_3_5_1/E=32,N=768,device_name=" \
        "AMD_Instinct_MI300X,dtype=fp8_w8a8,block_shape=[128, 128].json" in names, names
    assert open(f"{at}/{SGLANG_FILE}").read() == open(own).read() and "cp -n " in said, said
    (words, env), _ = launch(f"--gpu MI300X -- {sys.executable} {tmp}/bin/sglang --tp 2 --model {MODEL}")
    assert words[0] == "--tp" and "SGLANG_MOE_CONFIG_DIR" in env, env


def aiter():
    """With AITER's variable its tables are asked for."""
    fresh()
    for family in "a8w8_blockscale", "a8w8_blockscale_bpreshuffle":
        write(f"{tmp}/servers/aiter/configs/{family}_tuned_gemm.csv", "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,"
              "kernelName,tflops,bw,errRatio\ngfx950,256,16,1280,2048,ck,1,0,5.0,x,1,1,0\n")
    for words, variable in ("vllm serve", "VLLM_ROCM_USE_AITER"), ("sglang serve --model", "SGLANG_USE_AITER"):
        (_, env), said = launch(f"--gpu MI355X -- {words} {MODEL} --download-dir x", **{variable: "1"})
        table, = (value for name, value in env.items() if name.startswith("AITER_CONFIG"))
        assert table.startswith(f"{tmp}/servers/aiter/configs/") and f":{tmp}/home" in table, said


def config_file():
    """The server's own --config: a flat list of keys, which the command's own words override"""
    fresh()
    path = write(f"{tmp}/serve.yaml", f"""# of a user
---
model: "{MODEL}" # in a folder
tensor_parallel_size: 2
'enable-expert-parallel': true
enforce-eager: false
compilation-config:
  model: none
lora-modules:
- tensor-parallel-size: 16
""")
    for words, want in (("", "E=64,N=768,"), (" --tensor-parallel-size 4", "E=32,N=768,")):
        (said, env), told = launch(f"--gpu MI300X -- vllm serve --config {path}{words}")
        assert said[:3] == ["serve", "--config", path] and "VLLM_TUNED_CONFIG_FOLDER" in env, told
        assert want in "".join(os.listdir(env["VLLM_TUNED_CONFIG_FOLDER"])), (want, told)
    (_, env), told = launch(f"--gpu MI300X -- sglang serve --config={path}")
    assert "E=128,N=384," in "".join(written()) and env, told
    for text, why in (("model: x\n{a: b}\n", f"{path}:2: \"{{a: b}}\": is not of the form KEY: VALUE"),
                      ("- model\n", f"{path}:1: \"- model\": is not"),
                      (f"model: {MODEL}\ntensor-parallel-size:\n  - 2\n", 'value "- 2": is not a number of GPUs'),
                      (None, "none.yaml: No such file")):
        file = write(path, text) if text else f"{tmp}/none.yaml"
        (_, env), told = launch(f"--gpu MI300X -- vllm serve --config {file}")
        assert env == {} and why in told and "starts as it is" in told, told


def attention():
    """With SGLang's attention on parts of the GPUs its layers are asked for as well."""
    for words in "--dp-size 4 --enable-dp-attention", "--attn-dp-size 4":
        fresh()
        _, said = launch(f"--gpu MI300X -- sglang serve --model {MODEL} --tp 8 --ep 8 {words}")
        names = "".join(written())
        assert "E=16,N=768," in names and "/N=2048,K=512," in names and "/N=2048,K=2048," in names, (names, said)
        assert "2 of 8 GPUs share the layers of attention" in said, said
    fresh()
    launch(f"--gpu MI300X -- sglang serve --model {MODEL} --tp 8 --ep 8 --dp-size 4") # whole copies of the model
    assert "/N=2048,K=512," in "".join(written()) and "/N=2048,K=2048," not in "".join(written())


def quantization():
    """What the server itself quantises is known for some names; a config's own says more."""
    config = json.load(open(f"{MODEL}/config.json"))
    del config["quantization_config"]
    write(f"{tmp}/bf16/config.json", json.dumps(config))
    for how, name in (("fp8", "dtype=fp8_w8a8.json"), ("fp8_per_block", "dtype=fp8_w8a8,block_shape=[128,128].json")):
        fresh()
        launch(f"--gpu MI300X -- vllm serve {tmp}/bf16 -q {how}")
        assert any(path.endswith(name) for path in written()), written()
    (_, env), told = launch(f"--gpu MI300X -- vllm serve {tmp}/bf16 --quantization=mxfp8")
    assert env == {} and "--quantization mxfp8: kpred does not know" in told, told
    (_, env), told = launch(f"--gpu MI300X -- vllm serve {MODEL} -q moe_wna16")
    assert env and "--quantization moe_wna16: the answers are for what" in told, told
    assert "--quantization" not in launch(f"--gpu MI300X -- vllm serve {MODEL} -q fp8")[1]


def versions():
    """A version of the server that kpred serve does not know is told; AITER's tables are not made for it."""
    fresh()
    here = f"{tmp}/servers/vllm-0.33.0.dist-info/METADATA"
    plain = open(here).read()
    _, told = launch(f"--gpu MI300X --check -- vllm serve {MODEL}")
    assert "--server" not in told, told
    write(here, plain.replace("0.33.0", "0.99.1+rocm700"))
    (_, env), told = launch(f"--gpu MI300X -- vllm serve {MODEL}")
    assert "-vllm-0.99.1" in env["VLLM_TUNED_CONFIG_FOLDER"] and "what vLLM 0.99.1 looks for is not known" in told, told
    (_, env), told = launch(f"--gpu MI300X -- vllm serve {MODEL}", VLLM_ROCM_USE_AITER="1")
    assert env == {} and "0.99.1" in told and "starts as it is" in told, told
    write(here, plain)


def hub():
    """The hub's cache, by its variables and by a revision; nothing is fetched."""
    fresh()
    write(f"{tmp}/hub/{HUB}/refs/main", "c0ffee")
    write(f"{tmp}/hub/{HUB}/snapshots/c0ffee/config.json", open(f"{MODEL}/config.json").read())
    words = "--gpu MI300X -- vllm serve Qwen/Qwen3-30B-A3B-FP8"
    for more, env in (("", {"HF_HUB_CACHE": f"{tmp}/hub"}), (" --download-dir {tmp}/hub".format(tmp=tmp), {}),
                      (" --revision c0ffee", {"HF_HUB_CACHE": f"{tmp}/hub"})):
        (_, set_to), said = launch(words + more, **env)
        assert "Qwen3-30B-A3B-FP8-MI300X" in set_to["VLLM_TUNED_CONFIG_FOLDER"], said
    (_, set_to), said = launch(words)
    assert set_to == {} and "kpred fetches nothing" in said and "the server starts as it is" in said, said


def gpus():
    """By the driver's folder, else by its programs"""
    fresh()
    sys.path.insert(0, f"{tmp}/site")
    module = importlib.import_module("kpred.launch")
    nodes = f"{tmp}/sys/class/kfd/kfd/topology/nodes"
    write(f"{nodes}/0/properties", "cpu_cores_count 64\nsimd_count 0\nsimd_per_cu 0\ngfx_target_version 0\n")
    for version, units, device, want in (
            (90402, 304, 0x74a1, "MI300X"), (90402, 304, 0x74a5, "MI325X"), (90402, 304, 1, "gfx942_304"),
            (90010, 104, 1, "gfx90a_104"), (120001, 64, 1, "gfx1201_32"), (90500, 256, 0x75a3, "MI355X"),
            (90500, 256, 0x75b0, "MI350X")):
        write(f"{nodes}/1/properties", f"simd_count {4 * units}\nsimd_per_cu 4\ndevice_id {device}\n"
              f"gfx_target_version {version}\n")
        assert module.gpu_of_driver(f"{tmp}/sys") == want, (module.gpu_of_driver(f"{tmp}/sys"), want)
    assert module.gpu_of_driver(f"{tmp}/none") is None
    (_, env), said = launch(f"vllm serve {MODEL}")
    assert env == {} and "--gpu names it" in said, said
    program("nvidia-smi", "#!/bin/sh\n[ \"$1\" = --query-gpu=name ] && echo 'NVIDIA H200' && echo 'NVIDIA H200'\n")
    (_, env), said = launch(f"vllm serve {MODEL}")
    assert "device_name=NVIDIA_H200" in "".join(written()), said
    program("amd-smi", '#!/bin/sh\necho \'[{"gpu": 0, "asic": {"market_name": "AMD Instinct MI325X"}}]\'\n')
    (_, env), said = launch(f"vllm serve {MODEL}")
    assert "device_name=AMD_Instinct_MI325X" in "".join(written()), said
    for name in "nvidia-smi", "amd-smi":
        os.remove(f"{tmp}/bin/{name}")


def in_the_way():
    """Whatever is wrong, the server starts, with its own variables."""
    fresh()
    write(f"{tmp}/broken/config.json", "{")
    write(f"{tmp}/dense/config.json", '{"model_type": "llama"}')
    for words, text, env in (
            ("--gpu MI300X -- vllm serve", "the command names no model", {}),
            (f"--gpu MI300X -- vllm serve {tmp}/broken", "broken/config.json", {}),
            (f"--gpu MI300X -- vllm serve {tmp}/dense", "config.json", {}),
            (f"--gpu MI300X -- vllm serve {MODEL} -tp many", "kpred: --tensor-parallel-size: value \"many\": is", {}),
            (f"--gpu ZX81 -- vllm serve {MODEL}", "ZX81", {}),
            (f"--gpu MI300X -- vllm serve {MODEL}", "NotADirectoryError", {"HOME": f"{tmp}/broken/config.json"}),
            (f"--gpu MI300X -- vllm serve {MODEL}", "Error", {"HOME": "/proc"}),
            (f"--gpu MI300X -- vllm serve {MODEL}", "kpred is not in PATH", {"PATH": f"{tmp}/bin"})):
        (said, variables), told = launch(words, **env)
        assert said[0] == "serve" and variables == {} and text in told and "starts as it is" in told, (words, told)
    (_, variables), told = launch(f"--gpu MI300X -- vllm serve {MODEL}", KPRED="off")
    assert variables == {} and told == "" and written() == [], told
    (_, variables), told = launch(f"--gpu MI300X -- {tmp}/bin/vllm serve {MODEL}", KPRED="report")
    assert variables == {} and "look-ups: " in told and written() == [], told
    _, told = launch(f"--gpu MI300X -- {tmp}/none/vllm serve {MODEL}", 127)
    assert "none/vllm: No such file" in told, told
    assert launch("--check", 2)[1].endswith("the server's command is missing\n")
    assert "is neither a command of vLLM nor one of SGLang" in launch("--check ls", 1)[1]


def two_at_once():
    fresh()
    words = [sys.executable, "-m", "kpred.launch", "--gpu", "MI300X", "--", "vllm", "serve", MODEL]
    running = [subprocess.Popen(words, cwd=tmp, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={
        **os.environ, "PYTHONPATH": f"{tmp}/site:{tmp}/servers"}) for _ in range(4)]
    said = [process.communicate() for process in running]
    assert len({out for out, _ in said}) == 1 and "VLLM_TUNED" in said[0][0], said
    assert not any("as it is" in told for _, told in said) and not [x for x in written() if x.endswith(".part")], said


def with_plugin():
    info = f"{tmp}/servers/kpred-0.4.0.dist-info"
    write(f"{info}/METADATA", "Metadata-Version: 2.1\nName: kpred\nVersion: 0.4.0\n")
    write(f"{info}/entry_points.txt", "[vllm.general_plugins]\nkpred = x:y\n")


def reports():
    """--check and --bench start nothing and write nothing."""
    fresh()
    table, told = launch(f"--gpu MI300X --check -- vllm serve {MODEL} -tp 4")
    assert table.startswith("layer ") and table.count(" predicted ") == 2 and "server's default" in table, table
    assert "has no plug-in of kpred" in told, told
    with_plugin()
    _, told = launch(f"--gpu MI300X --check -- vllm serve {MODEL}", VLLM_PLUGINS="lora")
    assert "VLLM_PLUGINS=lora: lacks kpred" in told, told
    _, told = launch(f"--gpu MI300X -- vllm serve {MODEL}") # the plug-in answers for files without a variable
    assert "cp -n " not in told and "has no variable" not in told, told
    fresh()
    shutil.rmtree(f"{tmp}/servers/kpred-0.4.0.dist-info")
    text, _ = launch(f"--gpu MI300X --bench -- sglang serve --model {MODEL}")
    assert f"KPRED=off sglang serve --model {MODEL}\n" in text and text.count("sglang.bench_serving") == 2, text
    assert "sglang 0.5.23 triton 3.5.1" in text and len(text.split("five lines:\n")[1].splitlines()) == 5, text
    assert written() == [], written()


for test in (vllm, sglang, aiter, config_file, attention, quantization, versions, hub, gpus, in_the_way, two_at_once,
             reports):
    check(test.__name__, test)
end()
