"""test_aiter.py - the rows that kpred aiter writes, beside a second statement of AITER's merge and look-up

SPDX-License-Identifier: MIT

AITER_CSV: the folder of AITER's tables, packed, and kernels.csv.bz2; without it their tests are skipped.
"""
import glob
import os
import random
import shutil

import report
from report import read, rows_of, tell, write

BS, BSP, A4W4 = "a8w8_blockscale", "a8w8_blockscale_bpreshuffle", "a4w4_blockscale"
GPUS = {"gfx950_256": (BS, BSP, A4W4), "gfx942_304": (BS,), "gfx942_80": (BSP,), "gfx1250_256": (BSP,)}


def run(folder, gpu, log, *options):
    """The rows that it writes, by family, and how it ended"""
    out = os.path.join(folder, "out")
    shutil.rmtree(out, ignore_errors=True)
    done = report.run(f"{report.KPRED} aiter --gpu {gpu} {' '.join(options)} -o {out} -- {write(f'{folder}/log', log)}", None)
    paths = {family: os.path.join(out, f"{family}_tuned_gemm.csv") for family in (BS, BSP, A4W4)}
    return {family: rows_of(read(path)) for family, path in paths.items() if os.path.exists(path)}, done


def fine(m):
    step = 16 if m <= 256 else 32 if m <= 1024 else 64 if m <= 4096 else 128
    return -(-m // step) * step


def coarse(m, n):
    return 8192 if m > 8192 and n > 4096 else 1 << (m - 1).bit_length()


# Around where a step begins; between these M is as the one below, but where a row has just this M
EDGES = {m for m in range(1, 32769) if m < 17 or len({fine(m + i) for i in (-1, 0, 1, 2)}) > 1}


def by_m(table, gpu, n, k):
    return {key[2]: row for key, row in table.items() if key == (*gpu, key[2], n, k)}


def look_up(rows, m, n):
    """The row, and whether it is that of M itself or of M's fine step; None: there is none"""
    for at, is_near in ((m, True), (fine(m), True), (coarse(m, n), False)):
        if at in rows:
            return rows[at], is_near
    return None, False


def merge(tables):
    """AITER's table of several, and the keys that come twice, at which it stops"""
    merged, twice = {}, []
    for rows in tables:
        for row in rows:
            gfx = row.get("gfx") or {"256": "gfx950", "80": "gfx942", "304": "gfx942"}[row["cu_num"]]
            key = (gfx, int(row["cu_num"]), int(row["M"]), int(row["N"]), int(row["K"]))
            if key in merged:
                twice.append(key)
            if key not in merged or float(row["us"]) < float(merged[key]["us"]):
                merged[key] = row
    return merged, twice


def what_is_hidden(installed, merged, gpu, pairs):
    """What a look-up at any M finds otherwise than it should"""
    for n, k in pairs:
        old, new = by_m(installed, gpu, n, k), by_m(merged, gpu, n, k)
        for m in EDGES | {m for m in (*old, *new) if m <= 32768}:
            before, is_near = look_up(old, m, n)
            after, _ = look_up(new, m, n)
            if after is None:
                yield f"M {m} N {n} K {k} is not served"
            elif before is not None and is_near and after is not before:
                yield f"M {m} N {n} K {k}: a measured row is hidden"
            elif before is None and float(after["us"]) != 999999.0:
                yield f"M {m} N {n} K {k}: us {after['us']}"


def gpu_of(token):
    gfx, units = token.split("_")
    return gfx, int(units)


def random_log(rng, families, pairs):
    return "".join(f"[aiter] shape is M:{rng.randrange(1, 40000)}, N:{n}, K:{k}, not found tuned config in "
                   f"/tmp/aiter_configs/{family}_tuned_gemm.csv, will use default config!\n"
                   for family in families for n, k in pairs)


def columns_of(family):
    return ["gfx", "cu_num", "M", "N", "K"] + (["libtype"] if family != A4W4 else []) \
        + ["kernelId", "splitK", "us", "kernelName", "tflops", "bw", "errRatio"]


def test_rows(folder, token, tables, pairs):
    """tables: by family, the paths of installed tables and their rows"""
    families, gpu, rng = GPUS[token], gpu_of(token), random.Random(token)
    options = [path for family in families for path, _ in tables.get(family, [])]
    options = ["--installed", *options] if options else []
    rows, done = run(folder, token, random_log(rng, families, pairs), *options)
    wrong = [] if done.returncode == 0 and set(rows) == set(families) else [str(done)]
    hidden, twice = [], []
    for family in rows:
        installed, clash = merge([r for _, r in tables.get(family, [])])
        merged, again = merge([r for _, r in tables.get(family, [])] + [rows[family]])
        twice += again if not clash else [f"the tables at hand clash: {clash[0]}"]
        hidden += list(what_is_hidden(installed, merged, gpu, pairs))
        wrong += [f"{family}: columns {list(rows[family][0])}"] if list(rows[family][0]) != columns_of(family) else []
        wrong += [f"us {r['us']}" for r in rows[family] if r["us"] != "999999.0"]
        wrong += [f"{r['gfx']}_{r['cu_num']}" for r in rows[family] if (r["gfx"], int(r["cu_num"])) != gpu]
    what = "with AITER's tables" if options else "alone"
    tell(f"{token}, {what}: the rows are of AITER's form", wrong)
    tell(f"{token}, {what}: no key twice", twice)
    tell(f"{token}, {what}: every M is served, and no measured row hidden", hidden)
    return rows


def kernels_of(data):
    """(family, gfx) -> name -> (libtype, ids) by AITER's lists, and name -> tile_k"""
    lists, tile_k = {}, {}
    for r in rows_of(read(os.path.join(data, "kernels.csv.bz2"))):
        if r["libtype"] == "opus":
            continue # their lists are not by GPU
        for gfx in r["gfx"].split():
            ids = lists.setdefault((r["family"], gfx), {}).setdefault(r["kernelName"], (r["libtype"], set()))[1]
            if r["kernelId"]:
                ids.add(r["kernelId"])
        tile_k[r["kernelName"]] = int(r["tile_k"] or 0)
    return lists, tile_k


def what_is_illegal(family, r, tile_k):
    """The rule of splits and of divisibility, where the list has the tile"""
    tile, split, k = tile_k.get(r["kernelName"], 0), int(r["splitK"]), int(r["K"])
    if family == BS and (split > 3 or tile << split > k):
        yield f"splitK {split} of K {k} with {r['kernelName']}"
    if r.get("libtype") == "cktile" and k % tile:
        yield f"K {k} with {r['kernelName']}"
    if family == BSP and (split >= 1) != (r["libtype"] == "asm"):
        yield f"splitK {split} of {r['libtype']}"
    if family == A4W4 and split != 0:
        yield f"splitK {split}"


def test_kernels(token, rows, data, tables):
    lists, tile_k = kernels_of(data)
    gfx, units = gpu_of(token)
    wrong = []
    for family in rows:
        known = lists.get((family, gfx), {})
        tuned = {r["kernelName"] for _, t in tables.get(family, []) for r in t
                 if r["gfx"] == gfx and int(r["cu_num"]) == units}
        for r in rows[family]:
            libtype, ids = known.get(r["kernelName"], (None, set()))
            if libtype is None and r["kernelName"] not in tuned:
                wrong.append(f"{family}: {r['kernelName']} is in no list of {gfx}")
            elif libtype is not None and r.get("libtype", libtype) != libtype:
                wrong.append(f"{family}: {r['kernelName']} is {libtype}, not {r['libtype']}")
            elif ids and r["kernelId"] not in ids:
                wrong.append(f"{family}: {r['kernelName']} is number {ids}, not {r['kernelId']}")
            wrong += list(what_is_illegal(family, r, tile_k))
    tell(f"{token}: every row names a kernel of the GPU's list, and is legal", wrong)


def unpack(data, folder):
    """AITER's tables as they lie in an installation: by family, paths and rows"""
    tables = {}
    for path in sorted(glob.glob(os.path.join(data, "*tuned_gemm*.csv.bz2"))):
        name = os.path.basename(path)[:-len(".bz2")].replace("model_configs.", "")
        family = next((f for f in (BS, BSP, A4W4) if f + "_tuned_gemm" in name), None)
        if family is None:
            continue
        text = read(path)
        tables.setdefault(family, []).append((write(os.path.join(folder, "configs", name), text), rows_of(text)))
    return tables


DETAILS = {"a8w8_bpreshuffle": ["q_dtype_w"], "a8w8": ["q_dtype_w"],
           "bf16": ["bias", "dtype", "outdtype", "scaleAB", "bpreshuffle"]}


def what_is_not_copied(family, rows, tuned):
    """Each row has what the tables have of the kernel for the same GPU and details, unless a model answers
    them, and is none of theirs."""
    number = "solidx" if family == "bf16" else "kernelId"
    known = ["gfx", "libtype", number, "kernelName"] # models choose among these kernels
    known += ["cu_num", *DETAILS[family], "splitK"] if family == "a8w8_bpreshuffle" else []
    key = ["gfx", "cu_num", "M", "N", "K", *DETAILS[family]]
    copied, keys = ({tuple(r.get(name) for name in names) for r in tuned} for names in (known, key))
    yield from (f"{r} is not a copy" for r in rows if tuple(r.get(name) for name in known) not in copied
                and (family != "a8w8_bpreshuffle" or r["q_dtype_w"] == "torch.int8"))
    for r in rows:
        if tuple(r[name] for name in key) in keys or r["us"] != "999999.0":
            yield f"{r} is none of the new ones"
        keys.add(tuple(r[name] for name in key))


def test_nearest(folder, data):
    """Families with nearest shapes, of which each pair of N and K of AITER's is asked for with K twice as large"""
    for family, details in DETAILS.items():
        paths, tuned = [], []
        for path in glob.glob(os.path.join(data, f"*{family}_tuned_gemm*.csv.bz2")):
            text = read(path)
            paths.append(write(os.path.join(folder, "nearest", os.path.basename(path)[:-len(".bz2")]), text))
            tuned += rows_of(text)
        asked = {(r["N"], str(2 * int(r["K"])), *(r[d] for d in details)) for r in tuned if r["gfx"] == "gfx950"}
        lines = [",".join(["M", "N", "K", *details])] + [",".join(["64", *shape]) for shape in sorted(asked)]
        path = write(os.path.join(folder, f"{family}_untuned_gemm.csv"), "\n".join(lines))
        out = os.path.join(folder, "nearest", f"{family}.csv")
        done = report.run(f"{report.KPRED} aiter --gpu gfx950_256 -o {out} --installed {' '.join(paths)} -- {path}", None)
        rows = rows_of(read(out)) if done.returncode == 0 else []
        wrong = list(what_is_not_copied(family, rows, tuned)) if len(rows) > 60 * len(asked) else [done.stderr]
        wrong += [] if not rows or list(rows[0]) == list(tuned[0]) else [f"columns {list(rows[0])}"]
        tell(f"{family}: rows are those of the tables, for other shapes", wrong)


LISTS = { # that AITER has, and whose they are
    "deepseek_v3": "model_configs.a8w8_blockscale_untuned_gemm_ds_v3",
    "deepseek_v32": "model_configs.a8w8_blockscale_bpreshuffle_untuned_gemm_dsv3",
    "glm5": "model_configs.a8w8_blockscale_tuned_gemm_glm5_1",
    "minimax_m2": "a8w8_blockscale_tuned_gemm",
    "qwen3_235b": "model_configs.a8w8_blockscale_untuned_gemm_qwen3_235b",
    "qwen3_vl_32b": "model_configs.a8w8_blockscale_tuned_gemm_qwen3_vl_32b"}


def pairs_of(text):
    return {(int(row["N"]), int(row["K"])) for row in rows_of(text)}


def test_lists(folder, data):
    """Each pair of N and K of AITER's own list or table comes out on 1, 2, 4 or 8 GPUs."""
    configs = dict(part.split("\n", 1) for part in read("tests/aiter/hf_configs.txt").split("\n== ")[1:])
    configs["deepseek_v3"] = read("tests/aiter/hf_deepseek_v3.json")
    for model, table in LISTS.items():
        path, made = write(os.path.join(folder, "config.json"), configs[model]), set()
        for tp in "1248":
            made |= pairs_of(report.run(f"{report.TRAINER} shapes --config {path} --tp {tp}", None).stdout)
        asked = pairs_of(read(f"{data}/{table}.csv.bz2"))
        tell(f"AITER's {table}", [f"no --tp gives {pair}" for pair in asked - made] + ["few"] * (len(asked) < 2))


def test_data(folder, data):
    if not os.path.exists(os.path.join(data, "kernels.csv.bz2")):
        report.skip("AITER's tables", "they are not there")
        return
    tables = unpack(data, folder)
    test_nearest(folder, data)
    if os.access(report.TRAINER, os.X_OK):
        test_lists(folder, data)
    for token, families in GPUS.items():
        rng = random.Random(token + "pairs")
        known = sorted({(int(r["N"]), int(r["K"])) for f in families for _, t in tables.get(f, []) for r in t
                        if (r["gfx"], int(r["cu_num"])) == gpu_of(token)})
        pairs = rng.sample(known, min(8, len(known))) + [(4608, 7168), (3072, 1536)]
        for installed in {}, tables:
            test_kernels(token, test_rows(folder, token, installed, pairs), data, tables)


def main():
    for family in (BS, BSP, A4W4):
        report.need(f"weights/gemm_{family}.h")
    folder, data = report.folder(), os.environ.get("AITER_CSV", "../shared/aiter")
    test_rows(folder, "gfx950_256", {}, [(1536, 7168), (7168, 2048), (512, 512)])
    test_data(folder, data)
    report.end()


main()
