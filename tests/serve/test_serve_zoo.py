#!/usr/bin/env python3
"""test_serve_zoo.py - nine models, two servers, six GPUs: a server finds every file that it looks for
SPDX-License-Identifier: MIT

usage: test_serve_zoo.py          of GPUs but MI300X, eight alone
       test_serve_zoo.py --write  all cells, and docs/serve-zoo.md from them

What a server looks for is stated here a second time, from the facts of its look-up; GPUS has the names by torch.
"""
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, f"{ROOT}/tests/harness")

import report  # noqa: E402: needs the path

KPRED = os.path.join(os.environ.get("BUILD", "build"), "kpred")
GPUS = {"MI300X": "AMD_Instinct_MI300X", "MI325X": "AMD_Instinct_MI325X", "MI355X": "AMD_Instinct_MI355X",
        "H100": "NVIDIA_H100_80GB_HBM3", "H200": "NVIDIA_H200", "B200": "NVIDIA_B200"}
SERVERS = {"vllm": "vLLM", "sglang": "SGLang"}
# title, experts, features, is there a shared one that SGLang may run among them, and the quantisation
MODELS = {
    "deepseek_v3": ("DeepSeek V3, R1", 256, 2048, True, "block"),
    "kimi_k2": ("Kimi K2", 384, 2048, True, "block"),
    "qwen3_235b": ("Qwen3-235B-A22B", 128, 1536, False, "block"),
    "qwen3_30b": ("Qwen3-30B-A3B", 128, 768, False, "block"),
    "qwen3_next": ("Qwen3-Next-80B-A3B", 512, 512, True, "block"),
    "glm45": ("GLM-4.5", 160, 1536, True, "channel"),
    "mixtral": ("Mixtral 8x7B", 8, 14336, False, "bf16"),
    "llama4": ("Llama 4 Scout", 16, 8192, False, "bf16"),
    "gpt_oss": ("gpt-oss-120b", 128, 2880, False, "mxfp4"),
}
CALLED = {"block": "FP8, 128 x 128", "channel": "FP8, channels", "bf16": "BF16", "mxfp4": "MXFP4"}
HEADS = {"deepseek_v3": 128, "kimi_k2": 64} # of latent attention
QUERIES = {"qwen3_235b": (4096, 64), "qwen3_30b": (2048, 32)} # hidden size, heads; 4 heads of keys


def products(model, tp):
    """(N, K) of layers that are no experts"""
    if model in HEADS:
        heads = HEADS[model] // tp
        dense, shared = 18432 // tp, 2048 // tp
        return {(576, 7168), (1536, 7168), (2112, 7168), (heads * 192, 1536), (heads * 256, 512), (7168, heads * 128),
                (2 * dense, 7168), (7168, dense), (2 * shared, 7168), (7168, shared)}
    if model in QUERIES:
        hidden, heads = QUERIES[model]
        return {((heads // tp + 2 * max(1, 4 // tp)) * 128, hidden), (hidden, heads // tp * 128)}
    if model == "qwen3_next": # 16 heads of 256 with a gate, or 16 and 32 of 128; a shared expert
        return {((32 // tp + 2 * max(1, 2 // tp)) * 256, 2048), (2048, 4096 // tp), (12288 // tp, 2048),
                (1024 // tp, 2048), (2048, 512 // tp)}
    return set()


def names(model, server, device, tp, ep):
    """The paths below -o that the server reads, or why there are none"""
    _, experts, size, is_fused, kind = MODELS[model]
    n = size if ep else size // tp
    if kind == "mxfp4":
        return "no look-up"
    if server == "sglang" and ep: # as many GPUs for experts as there are
        n = size
    block = ",block_shape=[128, 128]" if server == "sglang" else ",block_shape=[128,128]"
    tail = {"block": f",dtype=fp8_w8a8{block}", "bf16": "",
            "channel": ",dtype=fp8_w8a8" + ",per_channel_quant=True" * (server == "sglang")}[kind]
    gemm = {f"N={a},K={b},device_name={device}{tail}.json" for a, b in products(model, tp)}
    if kind == "block" and (n % 128 or (model == "qwen3_next" and 512 // tp % 128)): # the shared expert is split
        return "refused"
    here = experts // tp if ep else experts
    of_gpu = [here] + [here + 1] * (server == "sglang" and is_fused and not ep)
    moe = {f"E={e},N={n},device_name={device}{tail}" for e in of_gpu}
    if server == "vllm":
        return gemm | {f"{name}.json" for name in moe}
    return gemm | {f"configs/triton_3_8_0/{name}{down}.json" for name in moe for down in ("", "_down")}


def is_table(path):
    """Is it one that a server takes: for each M whole numbers, with the block sizes?"""
    with open(path, encoding="utf-8") as f:
        table = json.load(f)
    if "configs/triton" not in path and os.path.basename(path).startswith("E="): # which vLLM's reader alone takes
        table.pop("triton_version")
    return len(table) >= 18 and all(
        int(m) > 0 and {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M"} <= set(row)
        and all(type(v) is int for v in row.values()) for m, row in table.items())


def run_cell(cell):
    """(what is wrong, the number of files or why there are none, the answers)"""
    folder, model, server, gpu, tp, ep = cell
    with tempfile.TemporaryDirectory(dir=folder) as out:
        done = subprocess.run(
            [KPRED, "serve", "--gpu", gpu, "--server", server, "--config", f"{folder}/{model}.json", "--tp", str(tp),
             "--triton", "3.8.0", "--json", "-o", out, *["--ep"] * ep],
            check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        where = f"{model} {server} {gpu} tp {tp}{' ep' * ep}"
        if done.returncode:
            return f"{where}: {done.stderr}", "", []
        rows = json.loads(done.stdout)
        asked = names(model, server, GPUS[gpu], tp, ep)
        answers = [row["answered_by"] for row in rows]
        if isinstance(asked, str):
            return "" if asked in answers else f"{where}: not {asked}", asked, answers
        missing = [name for name in asked if not os.path.exists(f"{out}/{name}") or not is_table(f"{out}/{name}")]
        there = {name for name in os.listdir(out) if name.startswith("E=")}
        wrong = missing + sorted(there - asked) + [a for a in answers if a in ("refused", "not answered")]
        return f"{where}: {wrong}" if wrong else "", len(asked), answers


def put_configs(folder):
    text = {"deepseek_v3": open(f"{ROOT}/tests/aiter/hf_deepseek_v3.json", encoding="utf-8").read()}
    for path in "tests/aiter/hf_configs.txt", "tests/serve/configs.txt":
        with open(f"{ROOT}/{path}", encoding="utf-8") as f:
            text.update(part.split("\n", 1) for part in f.read().split("\n== ")[1:])
    for model in MODELS:
        with open(f"{folder}/{model}.json", "w", encoding="utf-8") as f:
            f.write(text[model])


def cells_of(folder, gpu, is_all):
    splits = [(tp, ep) for ep in (False, True) for tp in ((1, 2, 4, 8) if not ep else (2, 4, 8))]
    return [(folder, model, server, gpu, tp, ep) for model in MODELS for server in SERVERS for tp, ep in splits
            if is_all or tp == 8]


PAGE = """# Nine models on six GPUs

`python3 tests/serve/test_serve_zoo.py --write` makes this page. A number is how many files the server looks for with so
many GPUs for each layer (TP), or with whole experts on eight GPUs (EP 8). `kpred serve` writes each of them, so no
warning is left. Refused: a GPU's part of an expert is no multiple of 128, which the server does not run. None: the
kernels of MXFP4 read no file. The numbers are the same for {gpus}.

| model | weights | server | TP 1 | TP 2 | TP 4 | TP 8 | EP 8 |
|---|---|---|---|---|---|---|---|
"""


def page(results):
    text = PAGE.format(gpus=", ".join(list(GPUS)[:-1]) + " and " + list(GPUS)[-1])
    for model, (title, *_, kind) in MODELS.items():
        for server, called in SERVERS.items():
            found = [results[model, server, "MI300X", tp, ep][1] for tp, ep in
                     ((1, False), (2, False), (4, False), (8, False), (8, True))]
            shown = ["none" if x == "no look-up" else str(x) for x in found]
            text += f"| {title} | {CALLED[kind]} | {called} | {' | '.join(shown)} |\n"
    text += "\nBy what all look-ups of a GPU are answered, over all these models, servers, and TP and EP of 1 to 8:\n\n"
    kinds = ["predicted", "nearest device", "server's default"]
    text += f"| GPU | {' | '.join(kinds)} |\n|---|---|---|---|\n"
    for gpu in GPUS:
        answers = [a for key, (_, _, of) in results.items() if key[2] == gpu for a in of]
        text += f"| {gpu} | {' | '.join(str(answers.count(kind)) for kind in kinds)} |\n"
    return text


def main():
    writes = sys.argv[1:] == ["--write"]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        put_configs(folder)
        cells = [cell for gpu in GPUS for cell in cells_of(folder, gpu, writes or gpu == "MI300X")]
        results = {cell[1:]: result for cell, result in zip(cells, pool.map(run_cell, cells))}
    wrong = [error for error, _, _ in results.values() if error]
    report.tell(f"{len(results)} cells of the zoo", wrong)
    if writes and not wrong:
        with open(f"{ROOT}/docs/serve-zoo.md", "w", encoding="utf-8") as f:
            f.write(page(results))
    report.end()


main()
