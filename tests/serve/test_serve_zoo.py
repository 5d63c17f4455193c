#!/usr/bin/env python3
"""test_serve_zoo.py - models, two servers, their GPUs: what is written is looked for, and what is looked for is told
SPDX-License-Identifier: MIT

usage: test_serve_zoo.py          on an MI300X, and of eight GPUs with AITER, on an MI355X and an H200
       test_serve_zoo.py code     all cells, by the servers' own code, of the packages in BUILD/wheels, which pip fetches
       test_serve_zoo.py --write  the same, and servers.txt and docs/serve-zoo.md from it; AITER_CSV has AITER's tables

Names of files are stated here a second time, from the facts of the servers' look-up. For which layer a server reads
which of AITER's tables and files says its code (servers.py), or what that has said. AMD has what AITER's tables have.
"""
import glob
import json
import math
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path[:0] = ["tests/harness", "tests/serve"]

from report import BUILD, KPRED, end, read, rows_of, run, skip, tell, write  # noqa: E402: needs the path
from servers import MS, Servers, load  # noqa: E402

GPUS = {"MI300X": "AMD_Instinct_MI300X", "MI325X": "AMD_Instinct_MI325X", "MI355X": "AMD_Instinct_MI355X",
        "H100": "NVIDIA_H100_80GB_HBM3", "H200": "NVIDIA_H200", "B200": "NVIDIA_B200"}
AMD = {"MI300X": ("gfx942", "304"), "MI325X": ("gfx942", "304"), "MI355X": ("gfx950", "256")}
AITER_CSV = os.environ.get("AITER_CSV", "../shared/aiter")
SERVERS = {"vllm": "vLLM", "sglang": "SGLang"}
SHORT = "MI300X", "MI355X", "H200"
# title, experts, features, is there a shared one that SGLang may run among them, the quantisation of the experts
MODELS = {
    "deepseek_v3": ("DeepSeek V3, R1", 256, 2048, True, "block"),
    "deepseek_v32": ("DeepSeek V3.2", 256, 2048, True, "block"),
    "deepseek_mxfp4": ("DeepSeek MXFP4", 256, 2048, True, "mxfp4"),
    "kimi_k2": ("Kimi K2", 384, 2048, True, "block"),
    "kimi_k25": ("Kimi K2.5", 384, 2048, False, "int4"),
    "glm5": ("GLM-5", 256, 2048, True, "block"),
    "glm45": ("GLM-4.5", 160, 1536, True, "channel"),
    "glm47_flash": ("GLM-4.7-Flash", 64, 1536, "nvidia", "bf16"),
    "qwen3_235b": ("Qwen3-235B-A22B", 128, 1536, False, "block"),
    "qwen3_30b": ("Qwen3-30B-A3B", 128, 768, False, "block"),
    "qwen3_next": ("Qwen3-Next-80B-A3B", 512, 512, True, "block"),
    "qwen35_moe": ("Qwen3.5-397B-A17B", 512, 1024, True, "block"),
    "qwen35_27b": ("Qwen3.5-27B", 0, 0, False, "block"),
    "qwen3_vl_32b": ("Qwen3-VL-32B", 0, 0, False, "block"),
    "ernie45": ("ERNIE-4.5-300B", 64, 3584, False, "bf16"),
    "ernie45_21b": ("ERNIE-4.5-21B", 64, 1536, False, "bf16"),
    "step3": ("Step-3", 48, 5120, False, "bf16"),
    "hunyuan": ("Hunyuan-A13B", 64, 3072, False, "bf16"),
    "ling_mini": ("Ling-mini-2.0", 256, 512, False, "bf16"),
    "ring_1t": ("Ring-1T", 256, 2048, False, "block"),
    "minimax_m2_fp8": ("MiniMax-M2", 256, 1536, False, "block"),
    "mixtral": ("Mixtral 8x7B", 8, 14336, False, "bf16"),
    "llama4": ("Llama 4 Scout", 16, 8192, False, "bf16"),
    "gpt_oss": ("gpt-oss-120b", 128, 2880, False, "mxfp4"),
    "llama": ("Llama 70B", 0, 0, False, "bf16"),
}
# of keys of fused MoE: features of a token, experts of a token
TOKENS = {"deepseek_v3": (7168, 8), "kimi_k2": (7168, 8), "qwen3_235b": (4096, 8), "qwen3_30b": (2048, 8),
          "qwen3_next": (2048, 10), "glm45": (5120, 8), "mixtral": (4096, 2), "llama4": (5120, 1), "gpt_oss": (2880, 4),
          "ernie45": (8192, 8), "ernie45_21b": (2560, 6), "step3": (7168, 3), "hunyuan": (4096, 8), "ling_mini": (2048, 8),
          "qwen35_moe": (4096, 10), "glm47_flash": (2048, 4)}
CALLED = {"block": "FP8, 128 x 128", "channel": "FP8, channels", "bf16": "BF16", "mxfp4": "MXFP4", "int4": "INT4"}
HEADS = {"deepseek_v3": 128, "kimi_k2": 64} # of latent attention
QUERIES = {"qwen3_235b": (4096, 64), "qwen3_30b": (2048, 32)} # hidden size, heads; 4 heads of keys


def products(model, tp):
    """(N, K) of layers that are no experts, of models of which they are stated here, too"""
    if model in HEADS:
        heads = HEADS[model] // tp
        dense, shared = 18432 // tp, 2048 // tp
        return {(576, 7168), (1536, 7168), (2112, 7168), (heads * 192, 1536), (heads * 256, 512), (7168, heads * 128),
                (2 * dense, 7168), (7168, dense), (2 * shared, 7168), (7168, shared)}
    if model in QUERIES:
        hidden, heads = QUERIES[model]
        return {((heads // tp + 2 * max(1, 4 // tp)) * 128, hidden), (hidden, heads // tp * 128)}
    if model == "qwen3_next": # 16 heads of 256 with a gate, or 16 and 32 of 128; a shared expert, which may be too small
        shared = {(1024 // tp, 2048), (2048, 512 // tp)} if 512 // tp % 128 == 0 else set()
        return {((32 // tp + 2 * max(1, 2 // tp)) * 256, 2048), (2048, 4096 // tp), (12288 // tp, 2048)} | shared
    return None


def experts(model, server, gpu, tp, ep):
    """(the experts on a GPU, their features, the block) of each file; refused: None"""
    _, count, size, is_fused, kind = MODELS[model]
    size = size if ep else size // tp
    block = 128 if kind == "block" else 0
    if block and size % 128:
        block = math.gcd(size, 128) if server == "vllm" else 0
        if block < 32:
            return None
    is_fused = server == "sglang" and not ep and (is_fused is True or (is_fused and gpu not in AMD))
    count = count // tp if ep else count
    size //= 2 if kind == "int4" and server == "sglang" else 1
    return [(e, size, block) for e in [count] + [count + 1] * is_fused if count]


def names(model, server, gpu, tp, ep, has_aiter):
    """The paths below -o that the server reads, of experts and of what products() has"""
    kind, device = MODELS[model][4], GPUS[gpu]
    blank = " " * (server == "sglang")
    tail = {"bf16": "", "int4": ",dtype=int4_w4a16", "block": ",dtype=fp8_w8a8",
            "channel": ",dtype=fp8_w8a8" + ",per_channel_quant=True" * (server == "sglang")}.get(kind)
    found = set()
    for e, n, block in experts(model, server, gpu, tp, ep) or ():
        if tail is None or (has_aiter and kind != "int4" and block in (0, 128)):
            continue
        shape = f",block_shape=[{block},{blank}{block}]" if block else ""
        found |= {f"E={e},N={n},device_name={device}{tail}{shape}"}
    if server == "vllm":
        found = {f"{name}.json" for name in found}
        found |= {name.replace("MI355X", "MI355_OAM") for name in found}
    else:
        found = {f"configs/triton_3_8_0/{name}{down}.json" for name in found for down in ("", "_down")}
    if kind == "block" and not has_aiter:
        devices = {device, device.replace("MI355X", "MI355_OAM")} if server == "vllm" else {device}
        found |= {f"N={a},K={b},device_name={d}{tail},block_shape=[128,{blank}128].json"
                  for a, b in products(model, tp) or () for d in devices}
    return found


def fused(model, server, gpu, tp, ep):
    """Keys of fused MoE, of models whose tokens are known here"""
    _, _, _, is_fused, kind = MODELS[model]
    asked = experts(model, server, gpu, tp, ep)
    if model not in TOKENS or not asked or kind == "int4" or asked[0][2] not in (0, 128):
        return set()
    hidden, top_k = TOKENS[model]
    fp8 = "torch.float8_e4m3fnuz" if AMD[gpu][0] == "gfx942" else "torch.float8_e4m3fn"
    count, size, _ = asked[0]
    bf16, act, stage1 = "torch.bfloat16", "Silu", int(model == "llama4")
    types = {"block": [(fp8, fp8, "per_1x128")], "channel": [(fp8, fp8, "per_Token")], "bf16": [(bf16, bf16, "No")],
             "mxfp4": [(a, "torch.float4_e2m1fn_x2", "per_1x32") for a in (bf16, fp8)]}[kind]
    if kind == "mxfp4": # padded to 256
        size, hidden, act = -(-size // 256) * 256, -(-hidden // 256) * 256, "Swiglu"
    keys = [(count, top_k)]
    if is_fused is True and (server == "vllm" or not ep):
        keys.append((count + 1, top_k + (2 if ep else 1)))
    return {f"fmoe inter_dim={size},model_dim={hidden},{e},{k},ActivationType.{act},{bf16},{a},{w},QuantType.{q},1,"
            f"{stage1}" for e, k in keys for a, w, q in types}


def look_up(ms, m, n):
    """AITER's: M itself, then a multiple of the fine step, then a power of two"""
    step = 16 if m <= 256 else 32 if m <= 1024 else 64 if m <= 4096 else 128
    return next((at for at in (m, -(-m // step) * step, 8192 if m > 8192 and n > 4096 else 1 << (m - 1).bit_length())
                 if at in ms), None)


class Tables:
    """The M of each (N, K), or the tokens of each layer, in tables of AITER's for the GPU"""

    def __init__(self, gpu, *folders):
        self.of = {}
        for path in (path for folder in folders for path in glob.glob(f"{folder}/*tuned*.csv") if "untuned" not in path):
            name = os.path.basename(path).split("_tuned")[0].split("tuned_")[-1].removesuffix(".csv")
            family = next((f for f in ("a8w8_blockscale_bpreshuffle", "a8w8_blockscale", "a8w8_bpreshuffle", "a4w4_blockscale",
                                       "bf16", "a8w8") if f in name), "") if "fmoe" not in path else "fmoe"
            for row in rows_of(read(path)):
                family = family.split("torch")[0]
                if row["cu_num"] == AMD[gpu][1] and row.get("gfx") in (None, AMD[gpu][0]):
                    key = [row[c] for c in (("inter_dim", "model_dim", "expert", "topk") if family == "fmoe" else "NK")]
                    family += row["q_dtype_w"] if "q_dtype_w" in row and family != "fmoe" else ""
                    self.of.setdefault((family, *key), set()).add(int(row["token" if family == "fmoe" else "M"]))

    def ms(self, *key):
        return self.of.get(tuple(map(str, key)), set())


# What a key or Triton file is of
KINDS = {"a8w8_blockscale": "block", "a8w8_blockscale_bpreshuffle": "block", "GEMM-A8W8_BLOCKSCALE": "block",
         "a8w8_bpreshuffle": "channel", "a8w8": "channel", "a4w4_blockscale": "fp4", "GEMM-AFP4WFP4": "fp4", "bf16": "bf16",
         "GEMM-A16W16": "bf16"}


def wrong_key(row, server, gpu, servers, own, written):
    """What is wrong with an answer about one of AITER's keys; and is it of a table, answered, read?"""
    key, answer, gfx = row["key"], row["answered_by"], AMD[gpu][0]
    if key.startswith("fmoe"):
        inter, dim, expert, top_k = (part.split("=")[-1] for part in key.split(" ")[1].split(",")[:4])
        there = own.ms("fmoe", inter, dim, expert, top_k) | written.ms("fmoe", inter, dim, expert, top_k)
        missing = [t for t in (1 << i for i in range(16)) if answer != "not answered" and t not in there]
        return [f"{key}: token {t}" for t in missing], (1, answer != "not answered", answer != "not answered")
    what, rest = key.rsplit("-N=", 1) if key.startswith("GEMM") else key.split(" N=", 1)
    n, k = (int(part.split("=")[-1]) for part in rest.replace("-K", ",K").split(",")[:2])
    said = servers.reads(server, gfx, KINDS[what], n, k)
    detail = rest.split(",")[2] if KINDS[what] == "channel" else ""
    if server == "vllm" and detail: # by the rows that there are
        tuned = [f for f in ("a8w8_bpreshuffle", "a8w8") if own.ms(f + detail, n, k)]
        said = {tuned[0]: set(MS)} if tuned else {}
        if not tuned:
            return [] if answer == "would switch" else [f"{key}: {answer}"], (0, 0, 0)
    if what not in said:
        return [] if answer == "no look-up" else [f"{key}: {answer}, but the code reads {sorted(said)}"], (1, 1, 0)
    ms, rows = said[what], written.ms(what + detail, n, k)
    if what.startswith("GEMM"):
        return [] if answer in ("measured", "not answered", "nearest shape") else [f"{key}: {answer}"], (0, 0, 0)
    if answer == "not answered":
        return [f"{key}: {answer}"] if gfx == "gfx950" or what == "a8w8_blockscale" else [], (1, 0, 0)
    unserved = [m for m in ms if not look_up(rows | own.ms(what + detail, n, k), m, n)]
    reached = {look_up(rows, m, n) for m in ms}
    unread = [m for m in rows if m in MS and m <= 256 and m not in reached]
    return [f"{key}: M {m}" for m in unserved] + [f"{key}: row {m} is not read" for m in unread], (1, 1, not unread)


def check_aiter(out, cell, rows, servers, own):
    """(what is wrong; look-ups in tables, of them answered, of these read)"""
    _, model, server, gpu, tp, ep = cell[:6]
    there = [row for row in rows if row["server"] == "aiter"]
    keys = {row["key"] for row in there if row["key"].startswith("fmoe")}
    wrong = sorted(fused(model, server, gpu, tp, ep) ^ keys) if model in TOKENS else []
    asked = products(model, tp)
    if asked is not None: # AITER's tables have half of the first product of shared experts, too
        asked |= {(2048 // tp, 7168)} if model in HEADS else set()
        found = {tuple(int(part.split("=")[-1]) for part in row["key"].replace("-K", ",K").split("N=")[1].split(",")[:2])
                 for row in there if row["key"].startswith(("a8w8_blockscale", "GEMM-A8W8_BLOCKSCALE"))}
        wrong += [f"product {x}" for x in asked ^ found]
    written, sums = Tables(gpu, out), [0, 0, 0]
    for row in there:
        more, counts = wrong_key(row, server, gpu, servers, own, written)
        wrong += more
        sums = [a + int(b) for a, b in zip(sums, counts)]
    return wrong, sums


def is_table(path, servers, server, out):
    """Is it one that a server takes: for each M whole numbers, with the block sizes? Does its code find it?"""
    table = json.loads(read(path))
    if "configs/triton" not in path and os.path.basename(path).startswith("E="): # which vLLM's reader alone takes
        table.pop("triton_version")
    if servers.is_code and load(servers.wheels[server], server, out, os.path.basename(path)) is None:
        return False
    return len(table) >= 18 and all(
        int(m) > 0 and {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M"} <= set(row)
        and all(type(v) is int for v in row.values()) for m, row in table.items())


def run_cell(cell, servers, own):
    """(what is wrong, the number of files or why there are none, the answers, look-ups in AITER's tables)"""
    folder, model, server, gpu, tp, ep, has_aiter = cell
    with tempfile.TemporaryDirectory(dir=folder) as out:
        done = run(f"{KPRED} serve --gpu {gpu} --server {server} --config {folder}/{model}.json --tp {tp} --triton 3.8.0"
                   f" --nearest --json -o {out}" + " --ep" * ep + " --aiter" * has_aiter
                   + f" --installed {folder}/aiter" * (has_aiter and os.path.exists(f"{folder}/aiter")), None)
        where = f"{model} {server} {gpu} tp {tp}{' ep' * ep}{' aiter' * has_aiter}"
        if done.returncode: # 20 heads on 8 GPUs
            is_refused = "num_attention_heads: value \"20\"" in done.stderr
            is_none = is_refused or (not has_aiter and "the server looks for no file" in done.stderr)
            return "" if is_none else f"{where}: {done.stderr}", "refused" if is_refused else "none", [], (0, 0, 0)
        rows = json.loads(done.stdout)
        wrong, counts = check_aiter(out, cell, rows, servers, own) if has_aiter else ([], (0, 0, 0))
        asked = names(model, server, gpu, tp, ep, has_aiter)
        there = {os.path.relpath(path, out) for path in glob.glob(f"{out}/**/*=*.json", recursive=True)}
        if products(model, tp) is None:
            asked |= {name for name in there if name.startswith("N=")}
        wrong += sorted(asked ^ there) + [name for name in there if not is_table(f"{out}/{name}", servers, server, out)]
        answers = [row["answered_by"] for row in rows if row["server"] != "aiter"]
        is_refused = experts(model, server, gpu, tp, ep) is None or (model == "qwen3_next" and 512 // tp % 128)
        wrong += [] if ("refused" in answers) == bool(is_refused) else ["refused or not"]
        files = sum(row["server"] == server for row in rows)
        shown = "refused" if is_refused else files or "none"
        return f"{where}: {wrong}" if wrong else "", shown, answers, counts


def put_configs(folder):
    text = {"deepseek_v3": read("tests/aiter/hf_deepseek_v3.json")}
    for path in "tests/aiter/hf_configs.txt", "tests/serve/configs.txt", "tests/serve/models.txt":
        text.update(part.split("\n", 1) for part in read(path).split("\n== ")[1:])
    for model in MODELS:
        write(f"{folder}/{model}.json", text[model])


def put_tables(folder):
    """AITER's tables, as in its package"""
    for path in glob.glob(f"{AITER_CSV}/*_tuned_*.csv.bz2") + glob.glob(f"{AITER_CSV}/*tuned_fmoe*.csv.bz2"):
        name = os.path.basename(path).removesuffix(".bz2").removeprefix("model_configs.")
        write(f"{folder}/aiter/{name}", read(path))


def cells_of(folder, gpu, is_all):
    splits = [(1, False), (4, False), (8, False), (8, True)]
    return [(folder, model, server, gpu, tp, ep, has_aiter) for model in MODELS for server in SERVERS for tp, ep in splits
            for has_aiter in (False, True) if (gpu in ("MI300X", "MI355X") or not has_aiter)
            and (is_all or (tp == 8 and not ep and gpu in SHORT) or (gpu == "MI300X" and not has_aiter))]


PAGE = """# What servers of {n} models look for

`python3 tests/serve/test_serve_zoo.py --write` makes this page. It runs the look-up functions of vLLM 0.33.0 and SGLang
0.5.23 themselves. `--tp` is 1, 4 and 8, and `--tp 8 --ep`.

## Without AITER

So many files the server looks for, the same on {gpus}.
`kpred serve --nearest` writes each of them, and the server's code finds it. Refused: a GPU's part of a layer is no
multiple of a block, and the server does not run it.

| model | weights | vLLM | SGLang |
|---|---|---|---|
"""
AITER_PAGE = """
By what they are answered:

{kinds}
## AITER

With AITER's own tables as `--installed`, the look-ups in them at `--tp 8` that get rows, of those that the server's
code makes. The others keep AITER's default: its tables have no row of such types for the GPU, or no kernel that is
known to take the shape. Layers that run other kernels are not counted.

| model | vLLM MI300X | vLLM MI355X | SGLang MI300X | SGLang MI355X |
|---|---|---|---|---|
{rows}
Over all cells of these GPUs, {read} answered look-ups are read by the server's code, and {not_read} are not.
"""


def page(results):
    text = PAGE.format(n=len(MODELS), gpus=", ".join(list(GPUS)[:-1]) + " and " + list(GPUS)[-1])
    splits = ((1, False), (4, False), (8, False), (8, True))
    for model, (title, *_, kind) in MODELS.items():
        shown = [", ".join(str(results[model, s, "MI300X", *split, False][1]) for split in splits) for s in SERVERS]
        shown = [cell.split(",")[0] if len(set(cell.split(", "))) == 1 else cell for cell in shown]
        text += f"| {title} | {CALLED[kind]} | {' | '.join(shown)} |\n"
    kinds = ["predicted", "nearest device", "server's default"]
    table = f"| GPU | {' | '.join(kinds)} |\n|---|---|---|---|\n"
    for gpu in GPUS:
        answers = [a for key, (_, _, of, _) in results.items() if key[2] == gpu and not key[5] for a in of]
        table += f"| {gpu} | {' | '.join(str(answers.count(kind)) for kind in kinds)} |\n"
    rows = ""
    for model, (title, *_) in MODELS.items():
        found = [results[model, s, gpu, 8, False, True][3] for s in SERVERS for gpu in ("MI300X", "MI355X")]
        rows += f"| {title} | {' | '.join(f'{a} of {n}' for n, a, _ in found)} |\n"
    sums = [sum(of[3][i] for of in results.values()) for i in range(3)]
    return text + AITER_PAGE.format(kinds=table, rows=rows, read=sums[2], not_read=sums[1] - sums[2])


def main():
    writes, is_all = sys.argv[1:] == ["--write"], sys.argv[1:] != []
    servers = Servers(f"{BUILD}/wheels" if is_all else None)
    if is_all and not servers.is_code:
        skip("the servers' code", "pip has no vllm 0.33.0 or sglang 0.5.23")
        return end()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1 if is_all else 2) as pool:
        put_configs(folder)
        if is_all:
            put_tables(folder)
        cells = [cell for gpu in GPUS for cell in cells_of(folder, gpu, is_all)]
        own = {gpu: Tables(gpu, f"{folder}/aiter") for gpu in AMD}
        results = {cell[1:]: result for cell, result in
                   zip(cells, pool.map(lambda cell: run_cell(cell, servers, own.get(cell[3])), cells))}
    wrong = [error for error, *_ in results.values() if error]
    read_by = [sum(of[3][i] for of in results.values()) for i in range(3)]
    tell(f"{len(results)} cells of the zoo, read / not read {read_by[2]} / {read_by[1] - read_by[2]}", wrong)
    if writes and not wrong:
        servers.record()
        write("docs/serve-zoo.md", page(results))
    return end()


main()
