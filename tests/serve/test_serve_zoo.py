#!/usr/bin/env python3
"""test_serve_zoo.py - nine models, two servers, six GPUs: a server finds every file that it looks for
SPDX-License-Identifier: MIT

usage: test_serve_zoo.py          of GPUs but MI300X, and with AITER, eight alone
       test_serve_zoo.py --write  all cells, and docs/serve-zoo.md from them; AITER_CSV has AITER's tables, packed

What a server looks for is stated here a second time, from the facts of its look-up; GPUS has the names by torch, AMD
what AITER's tables have.
"""
import glob
import json
import math
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, "tests/harness")

from report import KPRED, end, read, rows_of, run, tell, write  # noqa: E402: needs the path

GPUS = {"MI300X": "AMD_Instinct_MI300X", "MI325X": "AMD_Instinct_MI325X", "MI355X": "AMD_Instinct_MI355X",
        "H100": "NVIDIA_H100_80GB_HBM3", "H200": "NVIDIA_H200", "B200": "NVIDIA_B200"}
AMD = {"MI300X": ("gfx942", "304"), "MI325X": ("gfx942", "304"), "MI355X": ("gfx950", "256")}
AITER_CSV = os.environ.get("AITER_CSV", "../shared/aiter")
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
# of AITER's keys: features of a token, experts of a token, words
TOKENS = {"deepseek_v3": (7168, 8, 129280), "kimi_k2": (7168, 8, 0), "qwen3_235b": (4096, 8, 151936),
          "qwen3_30b": (2048, 8, 0), "qwen3_next": (2048, 10, 151936), "glm45": (5120, 8, 151552),
          "mixtral": (4096, 2, 32000), "llama4": (5120, 1, 202048), "gpt_oss": (2880, 4, 201088)}
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


def names(model, server, device, tp, ep, has_aiter):
    """The paths below -o that the server reads, or why there are none: AITER reads none of them"""
    _, experts, size, is_fused, kind = MODELS[model]
    n = size if ep else size // tp
    if kind == "mxfp4":
        return set() if has_aiter else "no look-up"
    block = 128
    if kind == "block" and server == "vllm" and n % 128:
        block = math.gcd(n, 128)
    if has_aiter and block == 128:
        return "refused" if kind == "block" and n % 128 else set()
    if server == "sglang" and ep: # as many GPUs for experts as there are
        n = size
    blank = " " * (server == "sglang")
    tail, gemm_tail = ({"block": f",dtype=fp8_w8a8,block_shape=[{b},{blank}{b}]", "bf16": "",
                        "channel": ",dtype=fp8_w8a8" + ",per_channel_quant=True" * (server == "sglang")}[kind]
                       for b in (block, 128))
    gemm = {f"N={a},K={b},device_name={device}{gemm_tail}.json" for a, b in products(model, tp)}
    gemm = set() if has_aiter else gemm
    if kind == "block" and (n % block or block < 32):
        return "refused"
    if model == "qwen3_next" and 512 // tp % 128: # the shared expert is split, and refused
        gemm -= {f"N={a},K={b},device_name={device}{gemm_tail}.json" for a, b in ((1024 // tp, 2048), (2048, 512 // tp))
                 if (a, b) != (2048, 4096 // tp)}
    here = experts // tp if ep else experts
    of_gpu = [here] + [here + 1] * (server == "sglang" and is_fused and not ep)
    moe = {f"E={e},N={n},device_name={device}{tail}" for e in of_gpu}
    if server == "vllm":
        return gemm | {f"{name}.json" for name in moe}
    return gemm | {f"configs/triton_3_8_0/{name}{down}.json" for name in moe for down in ("", "_down")}


def other_products(model, tp):
    """(N, K, bias) of the layers of models that are not FP8 in blocks"""
    if model == "glm45":
        return {((96 + 2 * 8) // tp * 128, 5120, True), (5120, 96 * 128 // tp, False), (2 * 12288 // tp, 5120, False),
                (5120, 12288 // tp, False), (3072 // tp, 5120, False), (1536 // tp, 5120, False),
                (5120, 1536 // tp, False)}
    if model == "mixtral":
        return {((32 + 2 * 8) // tp * 128, 4096, False), (4096, 4096 // tp, False)}
    if model == "llama4":
        return {((40 + 2 * 8) // tp * 128, 5120, False), (5120, 5120 // tp, False), (16384 // tp, 5120, False),
                (5120, 8192 // tp, False)}
    # gpt-oss: the bias of o_proj is added on one GPU
    return {((64 + 2 * 8) // tp * 64, 2880, True), (2880, 4096 // tp, True), (2880, 4096 // tp, tp == 1)}


def plain(n, k, has_bias=False):
    return f"bf16 N={n},K={k},{has_bias},torch.bfloat16,torch.bfloat16,False,False"


def fused(model, server, gpu, tp, ep):
    """Keys of fused MoE"""
    _, experts, size, is_fused, kind = MODELS[model]
    hidden, top_k, _ = TOKENS[model]
    fp8 = "torch.float8_e4m3fnuz" if AMD[gpu][0] == "gfx942" else "torch.float8_e4m3fn"
    size, experts = (size, experts // tp) if ep else (size // tp, experts)
    bf16, act, stage1 = "torch.bfloat16", "Silu", int(model == "llama4")
    types = {"block": [(fp8, fp8, "per_1x128")], "channel": [(fp8, fp8, "per_Token")], "bf16": [(bf16, bf16, "No")],
             "mxfp4": [(a, "torch.float4_e2m1fn_x2", "per_1x32") for a in (bf16, fp8)]}[kind]
    if kind == "mxfp4": # padded to 256
        size, hidden, act = -(-size // 256) * 256, -(-hidden // 256) * 256, "Swiglu"
    asked = [(experts, top_k)]
    if is_fused and (server == "vllm" or not ep):
        asked.append((experts + 1, top_k + (2 if ep else 1)))
    return {f"fmoe inter_dim={size},model_dim={hidden},{e},{k},ActivationType.{act},{bf16},{a},{w},QuantType.{q},1,"
            f"{stage1}" for e, k in asked for a, w, q in types}


# Which table or file a server reads for a layer that is no expert, as ../shared/serve.md has it; None: no look-up
SGLANG_LIST = {(1024, 8192), (16384, 1536), (2112, 7168), (3072, 1536), (32768, 8192), (4096, 7168), (4608, 7168),
               (512, 7168), (7168, 2048), (7168, 2304), (7168, 256), (8192, 1024), (8192, 32768)}


def block_key(server, gfx, n, k):
    is_json = server == "sglang" and gfx == "gfx942" or gfx == "gfx950" and (n, k) in SGLANG_LIST
    family = "a8w8_blockscale" if server == "vllm" else "a8w8_blockscale_bpreshuffle"
    return f"GEMM-A8W8_BLOCKSCALE-N={n}-K={k}" if is_json else f"{family} N={n},K={k}"


def plain_key(server, gfx, n, k, has_bias=False):
    if server == "vllm" and gfx == "gfx942":
        return None
    is_triton = server == "vllm" and (n, k) in {(5120, 2880), (2880, 4096), (128, 2880), (640, 2880), (2880, 512)}
    return f"GEMM-A16W16-N={n}-K={k}" if is_triton and n <= 512 else plain(n, k, has_bias)


def channel_key(gfx, n, k):
    return f"a8w8_bpreshuffle N={n},K={k},torch.float8_e4m3fn{'uz' * (gfx == 'gfx942')}"


def aiter_keys(model, server, gpu, tp, ep):
    """What is asked for with AITER"""
    _, experts, size, _, kind = MODELS[model]
    hidden, _, words = TOKENS[model]
    gfx = AMD[gpu][0]
    layers = {(experts, hidden, model == "gpt_oss")} if model != "glm45" else set()
    layers |= {(-(-words // 64) * 64 // tp, hidden, False)} if words and server == "vllm" else set()
    keys = set() if kind == "block" and (size if ep else size // tp) % 128 else fused(model, server, gpu, tp, ep)
    if kind == "block":
        alone = {(2048 // tp, 7168)} if model in HEADS else set() # AITER's tables have half of the first product, too
        shared = {(1024 // tp, 2048), (2048, 512 // tp)} if model == "qwen3_next" and 512 // tp % 128 else set()
        keys |= {block_key(server, gfx, n, k) for n, k in products(model, tp) | alone} - {
            block_key(server, gfx, n, k) for n, k in shared - {(2048, 4096 // tp)}}
        layers |= {(64 // tp, 2048, False)} if model == "qwen3_next" else set()
    elif kind == "channel":
        keys |= {channel_key(gfx, n, k) for n, k, _ in other_products(model, tp)}
    else:
        layers |= other_products(model, tp)
    return (keys | {plain_key(server, gfx, *layer) for layer in layers}) - {None}


def is_left(server, gpu, n, k, m):
    """Of BF16: does the server take AITER's table for M tokens?"""
    if server == "sglang":
        return AMD[gpu][0] == "gfx942" or m > (512 if k <= 512 else 64 if k <= 2048 else 0)
    power = 1 << (m - 1).bit_length()
    shared, shards = min(power // 16, 4), -(-k // 512)
    units = -(-n // 64) * shards * shared
    shards = -(-k // 256) if power != 16 and units * 2 <= 256 and -(-k // 256) <= 11 else shards
    is_counted = (10 <= m <= 128 and k % 8 == 0 and k > 512 and n % 16 == 0 and units <= 256
                  and power * n * shards <= 128 * 1024 * 12)
    is_gpt_oss = (n, k) in {(5120, 2880), (2880, 4096), (640, 2880), (2880, 512)} and (m <= 2048 or n <= 512)
    return not is_counted and not is_gpt_oss and not (m <= 5 and n > 8 and k % 8 == 0)


def look_up(ms, m, n):
    """AITER's: M itself, then a multiple of the fine step, then a power of two"""
    step = 16 if m <= 256 else 32 if m <= 1024 else 64 if m <= 4096 else 128
    return ms & {m, -(-m // step) * step, 8192 if m > 8192 and n > 4096 else 1 << (m - 1).bit_length()}


def ms_of(rows, gpu, n, k):
    return {int(row["M"]) for row in rows if (row["N"], row["K"]) == (str(n), str(k))
            and row["cu_num"] == AMD[gpu][1] and row.get("gfx") in (None, AMD[gpu][0])}


def wrong_rows(out, folder, server, gpu, key):
    """Of an answered key: the M that AITER finds no row for, in the written table and those of the package"""
    family, *sizes = key.split(" ")
    stem = "tuned_fmoe" if family == "fmoe" else f"{family}_tuned_gemm"
    tables = [path for path in [*glob.glob(f"{out}/{stem}.csv"), *glob.glob(f"{folder}/aiter/*{stem}*.csv")]]
    rows = [row for path in tables for row in rows_of(read(path))]
    first, second = (int(part.split("=")[1]) for part in sizes[0].split(",")[:2])
    if family == "fmoe":
        expert, top_k = sizes[0].split(",")[2:4]
        there = {int(row["token"]) for row in rows
                 if (int(row["inter_dim"]), int(row["model_dim"]), row["expert"], row["topk"])
                 == (first, second, expert, top_k)}
        return [f"{key}: token {t}" for t in (1 << i for i in range(16)) if t not in there]
    ms = ms_of(rows, gpu, first, second)
    def left(m):
        return family != "bf16" or is_left(server, gpu, first, second, m)
    written = ms_of(rows_of(read(f"{out}/{stem}.csv")), gpu, first, second) if os.path.exists(f"{out}/{stem}.csv") else set()
    asked = (1, 3, 6, 9, 17, 33, 65, 128, 129, 250, 257, 300, 1000, 1025, 2049, 4095, 4097, 5000, 8192, 9000, 20000, 32768)
    unread = [m for m in written if not any(map(left, range(m - 15 if 16 <= m <= 256 else m, m + 1)))]
    return [f"{key}: M {m}" for m in asked if left(m) and not look_up(ms, m, first)] + [f"{key}: row {m}" for m in unread]


def check_aiter(where, out, cell, rows):
    """(what is wrong, how many look-ups of AITER's are answered, of how many)"""
    folder, model, server, gpu, tp, ep = cell[:6]
    there = {row["key"]: row["answered_by"] for row in rows if row["server"] == "aiter"}
    asked = aiter_keys(model, server, gpu, tp, ep)
    answered = [key for key, answer in there.items() if answer not in ("not answered", "would switch", "no look-up")
                and not key.startswith("GEMM-")]
    wrong = sorted(asked ^ set(there)) + [f"{key}: not answered" for key in there if key.startswith("a8w8_blockscale")
                                          and key not in answered]
    for key in {*sorted(answered)[:1], *(key for key in answered if key.startswith("fmoe"))}:
        wrong += wrong_rows(out, folder, server, gpu, key)
    return f"{where}: AITER: {wrong}" if wrong else "", len(answered), len(there)


def is_table(path):
    """Is it one that a server takes: for each M whole numbers, with the block sizes?"""
    table = json.loads(read(path))
    if "configs/triton" not in path and os.path.basename(path).startswith("E="): # which vLLM's reader alone takes
        table.pop("triton_version")
    return len(table) >= 18 and all(
        int(m) > 0 and {"BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M"} <= set(row)
        and all(type(v) is int for v in row.values()) for m, row in table.items())


def run_cell(cell):
    """(what is wrong, the number of files or why there are none, the answers)"""
    folder, model, server, gpu, tp, ep, has_aiter = cell
    with tempfile.TemporaryDirectory(dir=folder) as out:
        done = run(f"{KPRED} serve --gpu {gpu} --server {server} --config {folder}/{model}.json --tp {tp} --triton 3.8.0"
                   f" --nearest --json -o {out}" + " --ep" * ep + " --aiter" * has_aiter
                   + f" --installed {folder}/aiter" * (has_aiter and os.path.exists(f"{folder}/aiter")), None)
        where = f"{model} {server} {gpu} tp {tp}{' ep' * ep}"
        if done.returncode:
            return f"{where}: {done.stderr}", "", [], None
        rows = json.loads(done.stdout)
        asked = names(model, server, GPUS[gpu], tp, ep, has_aiter)
        of_aiter = check_aiter(where, out, cell, rows) if has_aiter else ("", 0, 0)
        answers = [row["answered_by"] for row in rows if row["server"] != "aiter"]
        if isinstance(asked, str) and not has_aiter:
            return "" if asked in answers else f"{where}: not {asked}", asked, answers, of_aiter[1:]
        asked = asked if isinstance(asked, set) else set()
        missing = [name for name in asked if not os.path.exists(f"{out}/{name}") or not is_table(f"{out}/{name}")]
        there = {os.path.relpath(path, out) for path in glob.glob(f"{out}/**/*=*.json", recursive=True)}
        wrong = missing + sorted(there - asked) + [a for a in answers if a == "not answered" and not has_aiter]
        return f"{where}: {wrong}" if wrong else of_aiter[0], len(asked), answers, of_aiter[1:]


def put_configs(folder):
    text = {"deepseek_v3": read("tests/aiter/hf_deepseek_v3.json")}
    for path in "tests/aiter/hf_configs.txt", "tests/serve/configs.txt":
        text.update(part.split("\n", 1) for part in read(path).split("\n== ")[1:])
    for model in MODELS:
        write(f"{folder}/{model}.json", text[model])


def put_tables(folder):
    """AITER's tables, as in its package"""
    for path in glob.glob(f"{AITER_CSV}/*_tuned_*.csv.bz2"):
        name = os.path.basename(path).removesuffix(".bz2").removeprefix("model_configs.")
        write(f"{folder}/aiter/{name}", read(path))


def cells_of(folder, gpu, is_all):
    splits = [(tp, ep) for ep in (False, True) for tp in ((1, 2, 4, 8) if not ep else (2, 4, 8))]
    is_zoo = "--write" in sys.argv
    return [(folder, model, server, gpu, tp, ep, gpu in AMD and (tp == 8 or (is_zoo and server == "vllm"))) for model in MODELS
            for server in SERVERS for tp, ep in splits if is_all or tp == 8]


PAGE = """# Nine models on six GPUs

`python3 tests/serve/test_serve_zoo.py --write` makes this page. A number is how many files the server looks for with so
many GPUs for each layer (TP), or with whole experts on eight GPUs (EP 8). `kpred serve` writes each of them, so no
warning is left. Refused: a GPU's part of an expert is no multiple of 128, which the server does not run. None: the
kernels of MXFP4 read no file. The numbers are the same for {gpus}.

| model | weights | server | TP 1 | TP 2 | TP 4 | TP 8 | EP 8 |
|---|---|---|---|---|---|---|---|
"""


AITER_PAGE = """
## AITER

`kpred serve --aiter` with AITER's own tables as `--installed`: how many of the look-ups in AITER's tables get rows, for
vLLM. On MI325X the numbers are those of MI300X. The others keep AITER's default: its tables have no row of such types
for the GPU, or no kernel that is known to take the shape.

| model | GPU | TP 1 | TP 2 | TP 4 | TP 8 | EP 8 |
|---|---|---|---|---|---|---|
"""
SHOWN = ((1, False), (2, False), (4, False), (8, False), (8, True))


def page(results):
    text = PAGE.format(gpus=", ".join(list(GPUS)[:-1]) + " and " + list(GPUS)[-1])
    for model, (title, *_, kind) in MODELS.items():
        for server, called in SERVERS.items():
            found = [results[model, server, "MI300X", tp, ep][1] for tp, ep in SHOWN]
            shown = ["none" if x == "no look-up" else str(x) for x in found]
            text += f"| {title} | {CALLED[kind]} | {called} | {' | '.join(shown)} |\n"
    text += "\nBy what all look-ups of a GPU are answered, over all these models, servers, and TP and EP of 1 to 8:\n\n"
    kinds = ["predicted", "nearest device", "server's default"]
    text += f"| GPU | {' | '.join(kinds)} |\n|---|---|---|---|\n"
    for gpu in GPUS:
        answers = [a for key, (_, _, of, _) in results.items() if key[2] == gpu for a in of]
        text += f"| {gpu} | {' | '.join(str(answers.count(kind)) for kind in kinds)} |\n"
    text += AITER_PAGE
    for model, (title, *_) in MODELS.items():
        for gpu in "MI300X", "MI355X":
            found = [results[model, "vllm", gpu, tp, ep] for tp, ep in SHOWN]
            shown = ["refused" if x[1] == "refused" else f"{x[3][0]} of {x[3][1]}" for x in found]
            text += f"| {title} | {gpu} | {' | '.join(shown)} |\n"
    return text


def main():
    writes = sys.argv[1:] == ["--write"]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        put_configs(folder)
        if writes:
            put_tables(folder)
        cells = [cell for gpu in GPUS for cell in cells_of(folder, gpu, writes or gpu == "MI300X")]
        results = {cell[1:6]: result for cell, result in zip(cells, pool.map(run_cell, cells))}
    wrong = [error for error, *_ in results.values() if error]
    tell(f"{len(results)} cells of the zoo", wrong)
    if writes and not wrong:
        write("docs/serve-zoo.md", page(results))
    end()


main()
