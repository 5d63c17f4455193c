"""test_kpred_tune.py - kpred_tune.py measures the tuples of the table, with stubs in the place of servers' tuners

SPDX-License-Identifier: MIT

The stubs have the functions and arguments of benchmark_moe.py and benchmark_w8a8_block_fp8.py of vLLM 0.33.0, and of
gemm_a8w8_blockscale_tune.py of amd-aiter 0.1.7; that of SGLang has the other names of its server. A stub of ray runs at
once.
"""
import collections
import glob
import json
import os
import re

import report

DRIVER = "tools/serve/kpred_tune.py"
at = report.folder()
report.need(report.KPRED)

RAY = """
class Remote:
    def __init__(self, of): self.of = of
    def remote(self, *a, **k): return self.of(*a, **k)
class Handle:
    def __init__(self, of): self.of = of
    def __getattr__(self, name): return Remote(getattr(self.of, name))
def remote(num_gpus): return lambda of: Remote(lambda *a: Handle(of(*a)))
"""
# What a tuner measures goes into a file, as [M, tuple].
LOG = """
import argparse, json, os, sys
def measure(m, config):
    with open(os.environ["MEASURED"], "a") as f:
        f.write(json.dumps([m, config]) + "\\n")
parser = argparse.ArgumentParser()
"""
MOE = LOG + """
import ray
SPACE = [{"BLOCK_SIZE_M": 16, "num_warps": w} for w in (1, 2, 4)]
def prune_rocm_search_space(num_tokens, shard_intermediate_size, hidden_size, search_space, is_fp16, topk):
    return search_space[:2]
def get_configs_compute_bound(use_fp16, block_quant_shape):
    return [dict(c) for c in SPACE]
@ray.remote(num_gpus=1)
class BenchmarkWorker:
    def __init__(self, seed): pass
    def tune(self, num_tokens, num_experts, shard_intermediate_size, hidden_size, topk, dtype, use_fp8_w8a8,
             use_int8_w8a16, use_int4_w4a16, search_space, BLOCKS, use_deep_gemm, MORE=False):
        for config in prune_rocm_search_space(num_tokens, shard_intermediate_size, 64, search_space, 1, topk):
            measure(num_tokens, config)
def main(args):
    worker = BenchmarkWorker.remote(0)
    space = get_configs_compute_bound(True, None)
    if args.dtype == "int4_w4a16":
        for config in space:
            config["SPLIT_K"] = 1
    for m in args.batch_size:
        worker.tune.remote(m, args.e, 2 * args.n, 64, 2, "x", args.dtype == "fp8_w8a8", False,
                           args.dtype == "int4_w4a16", space, args.block, False, args.more)
if __name__ == "__main__":
    parser.add_argument("--e", type=int, default=8)
    parser.add_argument("--n", type=int, default=1792)
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--block", type=int, nargs=2)
    parser.add_argument("--more", action="store_true")
    parser.add_argument("--batch-size", type=int, nargs="+", default=[1, 16, 4096])
    main(parser.parse_args())
"""
GEMM = LOG + """
import multiprocessing as mp
def get_weight_shapes(tp_size):
    return [(1, 2)]
def tune(M, N, K, block_size, out_dtype, search_space, input_type):
    for config in search_space:
        measure([M, N, K], config)
def tune_on_gpu(args_dict):
    for n, k in args_dict["weight_shapes"]:
        for m in args_dict["batch_sizes"]:
            tune(m, n, k, [128, 128], "x", [{"num_warps": 4}] * 9, "fp8")
def main(args):
    parts = [{"batch_sizes": m, "weight_shapes": get_weight_shapes(args.tp_size)} for m in ([1, 2], [64])]
    with mp.get_context("spawn").Pool(2) as pool:
        pool.map(tune_on_gpu, parts)
if __name__ == "__main__":
    parser.add_argument("--tp-size", type=int, default=8)
    main(parser.parse_args())
"""
MP_TUNER = """
import multiprocessing as mp
def work(task): task[1](*task[4])
def mp_tuner(tasks, in_datas, mp_num=0, fast_mode=False, shape_grouped=False, err_ratio=0.05):
    assert sum(n for n, _ in in_datas) == len(tasks) and err_ratio == 0.07
    with mp.get_context("spawn").Pool(2) as pool:
        pool.map(work, tasks)
"""
AITER = LOG + """
import collections
from mp_tuner_stub import mp_tuner
kernels_list = dict(enumerate(map(collections.namedtuple("Kernel", "name"), NAMES)))
def run(*a): measure(list(a[:3]), list(a[3:]))
if __name__ == "__main__":
    parser.add_argument("-i")
    task, datas = [], []
    for row in open(parser.parse_args().i).read().split()[1:]:
        m, n, k = map(int, row.split(","))
        for i in kernels_list:
            for split in range(4):
                task.append((((304, m, n, k, "torch.x"), i, split, ""), run, (), run, (m, n, k, i, split)))
        datas.append((4 * len(kernels_list), ()))
    mp_tuner(task, datas, 1, False, False, 0.07)
"""
VLLM = "import vllm\n" + MOE.replace("BLOCKS", "block_quant_shape").replace("MORE", "per_act_token_quant")
SGLANG = "import sglang\n" + MOE.replace("BLOCKS", "block_shape").replace("MORE", "per_channel_quant")
HEADING = "server,file,E,N,K,dtype,block_n,block_k,per_channel,M,rank,probability"
MEMBERS = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages", "waves_per_eu",
           "matrix_instr_nonkdim", "kpack")


def provide():
    for path, text in {"ray.py": RAY, "vllm.py": "", "sglang.py": "", "moe.py": VLLM, "moe_sglang.py": SGLANG,
                       "mp_tuner_stub.py": MP_TUNER, "gemm.py": "import vllm\n" + GEMM}.items():
        report.write(f"{at}/{path}", text)
    for name, device, dtype in (("bf16", "AMD_Instinct_MI300X", ""),
                                ("int4", "AMD_Instinct_MI300X", ",dtype=int4_w4a16"),
                                ("fp8", "NVIDIA_H100", ",dtype=fp8_w8a8,block_shape=[128,128]"),
                                ("channel", "NVIDIA_H100", ",dtype=fp8_w8a8,per_channel_quant=True")):
        report.write(f"{at}/{name}.log", f"Config file not found at /a/E=8,N=1792,device_name={device}{dtype}.json\n"
                     "Config file not found at /a/N=512,K=7168,device_name=NVIDIA_H100,dtype=fp8_w8a8,"
                     "block_shape=[128,128].json\n")
        for server in ["vllm"] * (name != "channel") + ["sglang"]:
            gpu = "MI300X" if "AMD" in device else "H100"
            report.run(f"{report.KPRED} serve --gpu {gpu} --server {server} --top 5 --force -o {at}/{server}_{name} {at}/{name}.log")


def rows(name):
    """{M or (M, N, K): tuples} of a table"""
    of = collections.defaultdict(list)
    for row in report.rows_of(report.read(f"{at}/{name}/candidates_triton.csv")):
        key = tuple(int(row[x]) for x in "MNK") if row["K"] else int(row["M"])
        of[key].append({name: int(row[name]) for name in MEMBERS if row[name]})
    return of


def measured(tuner, table, arguments=""):
    """What a tuner measures, in its order, and what the driver says"""
    log = report.write(f"{at}/measured", "")
    path = f"{at}/{table}" + "/candidates_triton.csv" * ("/" not in table)
    done = report.run(f"python3 {DRIVER} {path} {at}/{tuner} {arguments}",
                      env={"MEASURED": log, "PYTHONPATH": f"{at}:tests/harness"})
    of = collections.defaultdict(list)
    for m, config in map(json.loads, report.read(log).splitlines()):
        of[tuple(m) if isinstance(m, list) else m].append(config)
    return of, done.stderr


def is_same(got, table, ms=(1, 16, 4096), also=None):
    wanted = rows(table)
    assert len(wanted[1]) == 5 and got.keys() == set(ms), got.keys()
    return [f"M={m}: {got[m]}" for m in ms if got[m] != [{**config, **(also or {})} for config in wanted[m]]]


def tables():
    """The first tuple of an M is that of the file, and those behind the second one go by their probabilities."""
    for path in glob.glob(f"{at}/*/candidates_triton.csv"):
        of = collections.defaultdict(list)
        for row in report.rows_of(report.read(path)):
            of[row["file"], row["M"]].append(row)
        for (file, m), found in of.items():
            tuples = [[row[x] for x in MEMBERS] for row in found]
            after = [float(row["probability"]) for row in found[2:]]
            written = glob.glob(f"{os.path.dirname(path)}/**/{glob.escape(file)}", recursive=True)[0]
            config = json.loads(report.read(written))[m]
            if tuples[0] != [str(config.get(x, "")) for x in MEMBERS] or len(set(map(tuple, tuples))) != 5 or \
                    [row["rank"] for row in found] != list("12345") or after != sorted(after, reverse=True):
                yield f"{path}: {m}: {tuples}"


def own_choices():
    """vLLM's choice without a file is the first or the second tuple."""
    wanted = rows("vllm_bf16")
    for m, own in (1, (16, 64, 128, 1, 4, 2)), (4096, (128, 128, 64, 16, 8, 2)):
        if own not in [tuple(config[x] for x in MEMBERS[:6]) for config in wanted[m][:2]]:
            yield f"M={m}: {wanted[m]}"


def experts():
    got, said = measured("moe.py", "vllm_bf16")
    assert "M=16: E=8,N=1792: 5 of 3 tuples" in said, said
    return is_same(got, "vllm_bf16")


def other_shapes():
    """The tuner's own tuples, with what it leaves out of them"""
    for table, arguments in (("vllm_bf16", "--n 64"), ("vllm_bf16", "--e 4"), ("vllm_bf16", "--batch-size 7"),
                             ("vllm_bf16", "--dtype fp8_w8a8"), ("vllm_fp8", "--dtype fp8_w8a8"),
                             ("vllm_fp8", "--dtype fp8_w8a8 --block 64 64")):
        got, said = measured("moe.py", table, arguments)
        assert all(len(of) == 2 and "matrix_instr_nonkdim" not in of[0] and len(of[0]) == 2 for of in got.values())
        assert "it is not in the table: all 3 tuples of the tuner" in said, said


def kinds():
    fp8 = "--dtype fp8_w8a8 --block 128 128"
    yield from is_same(measured("moe.py", "vllm_fp8", fp8)[0], "vllm_fp8")
    yield from is_same(measured("moe_sglang.py", "sglang_fp8", fp8)[0], "sglang_fp8")
    yield from is_same(measured("moe.py", "vllm_int4", "--dtype int4_w4a16")[0], "vllm_int4", also={"SPLIT_K": 1})
    yield from is_same(measured("moe_sglang.py", "sglang_int4", "--dtype int4_w4a16 --n 3584")[0], "sglang_int4",
                       also={"SPLIT_K": 1})
    yield from is_same(measured("moe_sglang.py", "sglang_channel", "--dtype fp8_w8a8 --more")[0], "sglang_channel")
    said = measured("moe_sglang.py", "sglang_fp8", fp8 + " --more")[1]
    if "it is not in the table" not in said:
        yield f"per channel: {said}"


def products():
    """Those of the table, in processes that the tuner spawns"""
    got, _ = measured("gemm.py", "vllm_fp8")
    wanted = rows("vllm_fp8")
    keys = [(m, 512, 7168) for m in (1, 2, 64)]
    return [f"{got.keys()}"] * (sorted(got) != keys) + [f"{m}: {got[m]}" for m in keys if got[m] != wanted[m]]


def kernels():
    """Of AITER: by names of today and of 2025, which lack a part"""
    report.write(f"{at}/a8w8_blockscale_untuned_gemm.csv", "M,N,K\n16,7168,2048\n33,512,7168\n64,512,7168\n")
    report.run(f"{report.KPRED} aiter --gpu MI300X --top 3 -o {at}/aiter {at}/a8w8_blockscale_untuned_gemm.csv")
    table = "aiter/candidates_a8w8_blockscale.csv"
    wanted = collections.defaultdict(set)
    for row in report.rows_of(report.read(f"{at}/{table}")):
        wanted[int(row["M"]), int(row["N"]), int(row["K"])].add((row["kernelName"], int(row["splitK"])))
    names = sorted({name for of in wanted.values() for name, _ in of}) + ["another"]
    for old in False, True:
        called = [re.sub("_[12]x[12]_(?=[0-9]+x[0-9]+x1_)", "_", name, count=1) if old else name for name in names]
        report.write(f"{at}/blocks.py", AITER.replace("NAMES", repr(called)))
        got, said = measured("blocks.py", table, f"-i {at}/a8w8_blockscale_untuned_gemm.csv")
        of = {shape: [(names[i], split) for i, split in found] for shape, found in got.items()}
        for shape in (16, 7168, 2048), (64, 512, 7168):
            if sorted(of[shape]) != sorted(wanted[shape]) or len(wanted[shape]) != 3:
                yield f"{shape}: {of[shape]}, not {wanted[shape]}"
        if len(of[33, 512, 7168]) != 4 * len(names) or "M=33,N=512,K=7168: it is not in the table for 304" not in said:
            yield f"another shape: {said}"


def refuse(name, text, table=None, tuner="moe.py"):
    if table is not None:
        report.write(f"{at}/broken.csv", table)
    report.refuse(name, 1, text, f"python3 {DRIVER} {at}/broken.csv {at}/{tuner}", env={"PYTHONPATH": at})


def refusals():
    whole = report.read(f"{at}/vllm_bf16/candidates_triton.csv")
    head, first, second = whole.splitlines()[:3]
    rest = head[len(HEADING):]
    refuse("no table", "broken.csv: No such file")
    refuse("an empty file", "broken.csv:1: has no column server", "")
    refuse("a table without a column", "has no column num_warps", whole.replace("num_warps", "warps"))
    refuse("a table without rows", "it has no candidate", head + "\n")
    refuse("a word", 'broken.csv:3: num_warps: value "x": is not a whole number',
           "\n".join((head, first, re.sub(r"(,\d+),(\d),2,0,", r"\1,x,2,0,", second))) + "\n")
    refuse("a number below zero", "is not a whole number", f"{head}\n{first.replace(',1792,', ',-1,')}\n")
    refuse("a row that is cut", "broken.csv:2: num_warps: value", f"{head}\n{','.join(first.split(',')[:18])}\n")
    refuse("a row that is too long", "broken.csv:2: it has more cells", f"{head}\n{first},1\n")
    refuse("a row without a size", "broken.csv:2: M, N, a block size, warps or stages are missing",
           f"{HEADING}{rest}\n{first.replace(',1792,', ',,')}\n")
    with open(f"{at}/broken.csv", "wb") as f:
        f.write(b"\xff\xfe")
    refuse("no text", "broken.csv: 'utf-8' codec")
    refuse("the table of another server", "it has no candidate for sglang", whole, "moe_sglang.py")
    aiter = "cu_num,M,N,K,splitK,kernelName\n"
    refuse("AITER's table for a server's tuner", "has no mp_tuner: this tuner is not known", aiter + "304,1,2,3,0,a\n")
    refuse("AITER's table without rows", "it has no candidate", aiter)
    refuse("AITER's table without a column", "has no column splitK", aiter.replace("splitK", "split"))
    refuse("AITER's table without a kernel", "broken.csv:2: a size or kernelName is missing", aiter + "304,1,2,3,0,\n")
    refuse("AITER's table without a size", "broken.csv:2: a size or kernelName is missing", aiter + "304,1,,3,0,a\n")
    refuse("AITER's table with a word", 'K: value "x": is not a whole number', aiter + "304,1,2,x,0,a\n")
    refuse("no tuner", "none.py: No such file", whole, "none.py")
    for name, text, tuner in (("no Python", "invalid syntax", "a b"), ("no main part", "has no part that runs", "a = 1"),
                              ("no function tune()", "has no function tune()", "if __name__ == '__main__': pass"),
                              ("another tune()", "4: tune() has no argument num_experts", "\n\nclass A:\n"
                               "    def tune(self, num_tokens): pass\nif __name__ == '__main__': pass\n"),
                              ("a space of another name", "tune() has no argument search_space",
                               VLLM.replace("search_space", "space"))):
        report.write(f"{at}/other.py", tuner)
        refuse(name, text, whole, "other.py")


provide()
report.check("the tables", tables)
report.check("the server's own choice", own_choices)
report.check("experts: the tuples of the table alone", experts)
report.check("another shape keeps the tuner's space", other_shapes)
report.check("types of weights, and both servers", kinds)
report.check("products: the shapes of the table alone", products)
report.check("AITER's kernels", kernels)
refusals()
report.end()
