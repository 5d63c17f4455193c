"""test_readers.py - whole files of Tensile, AITER, other tuners, vLLM and SGLang, beside what a second reader finds in them
SPDX-License-Identifier: MIT

usage: test_readers.py [all]   all: every file of TUNER, which has the kernels of Kernel Tuner's hub. TENSILE_CSV,
                               AITER_CSV and TRITON_CONFIGS have the others. The tests in C have small ones.
"""
import collections
import csv
import glob
import json
import os
import re
import statistics
import subprocess
import sys

import report

sys.path[:0] = "tools/lab/peers", "tools/python/kpred"

from aiter_rows import MERGE_NAMES, read_retunes, read_tables  # noqa: E402: needs the path
from convert import triton_names  # noqa: E402
from convert.table import Bad  # noqa: E402
from rows import read_sections  # noqa: E402

SIZES = "xyz"
US = {"Microseconds": 1, "Milliseconds": 1000, "": 1000, "miliseconds": 1000, "ms": 1000}
TUNED = ["convolution_milo.A100.json.gz", "dedispersion_milo.A100_T4.first1000.json.bz2",
         "ktt.KTPnpolyOutput_3090.json.gz"]
trainer, folder = report.TRAINER, report.folder()
report.need(trainer)
for library in ("BZIP2", "ZLIB"):
    if f"HAVE_{library}" not in report.read(f"{report.BUILD}/libraries"):
        report.skip("second readers", f"kpred-train was built without {library}")
        report.end()


def ingest(spec, *files):
    """Columns and sorted rows that the trainer finds, and what it says"""
    done = subprocess.run([trainer, "ingest", spec, "--data", *files], capture_output=True, text=True, check=False)
    heading, *rows = done.stdout.splitlines() or [done.stderr]
    return heading, sorted(rows), done.stderr


def is_same(a, b, off):
    """Are two rows the same, times up to that part?"""
    if a == b or off == 0:
        return a == b
    (*x, t), (*y, u) = a.split(","), b.split(",")
    return x == y and abs(float(t) - float(u)) <= 2e-4 + off * float(u)


def check(name, got, heading, rows, least, off=0):
    """The rows of `ingest` are those, of which there are as many at least."""
    rows = sorted(rows)
    wrong = [f"{a}, not {b}" for a, b in zip(got[1], rows) if not is_same(a, b, off)][:2]
    if got[0] != heading or len(got[1]) != len(rows) or len(rows) < least:
        wrong.append(f"{len(got[1])} rows of {got[0]}, not {len(rows)} of {heading}")
    report.tell(name, wrong)


def tensile_rows(path, params):
    lines = report.read(path).splitlines()
    head = [cell.strip() for cell in lines[0].split(",")]
    first = head.index("TotalFlops")
    kernels = []
    for column in head[first + 1:]:
        tile = dict(zip(("MT0", "MT1", "MT2"), re.search(r"_MT(\d+)x(\d+)x(\d+)_", column).groups()))
        kernels.append(",".join(tile.get(name) or re.search("_%s([0-9]+)(?=_|$)" % name, column).group(1)
                                for name in params))
    for line in lines[1:]:
        cells = line.split(",")
        problem = ",".join(cell.strip() for cell in cells[1:5])
        for kernel, speed in zip(kernels, cells[first + 1:]):
            yield "%s,%s,%.15g" % (problem, kernel, float(cells[first]) / float(speed) / 1000)


def tensile(tables):
    for layout, operands, n in (("nn", "Ailk_Bljk", 177120), ("nt", "Ailk_Bjlk", 75520), ("tn", "Alik_Bljk", 118080)):
        path, spec = f"{tables}/mi100-sgemm-Cijk_{operands}_SB_00.csv.bz2", f"weights/gemm_mi100_{layout}.spec"
        if not os.path.exists(path):
            report.skip(f"Tensile {layout} in full", f"there is no {path}")
            continue
        params = [name for name, _ in read_sections(spec)["params"]]
        heading, rows, said = ingest(spec, path)
        check(f"Tensile {layout} in full", (heading + said, rows), ",".join(["m,n,batch,k", *params, "time_us"]),
              tensile_rows(path, params), n)


def aiter_rows(runs, kernels):
    """Of one file, by problem and class the median time, of kernels of the spec that the GPU has"""
    times = collections.defaultdict(list)
    for run in runs:
        values, archs = kernels.get(run.label[1], (None, ()))
        if values and run.problem[0].partition("_")[0] in archs:
            times[(*run.problem, run.label[2], *values)].append(run.us)
    return [",".join(map(str, [*key, statistics.median(times[key])])) for key in times]


def aiter(tables):
    """A problem and class that a table and the retunes have comes twice."""
    retunes = f"{tables}/retunes.csv.bz2"
    for family in ("bs", "bsp", "a4w4"):
        name = MERGE_NAMES[family]
        if not os.path.exists(retunes):
            report.skip(f"AITER's tables and retunes of {name}", f"there is no {retunes}")
            continue
        spec, kernels = f"weights/gemm_{name}.spec", {}
        for key, value in read_sections(spec)["kernels"][1:]:
            kernel, *ids = value.split()
            kernels[kernel] = key.split(), {i.partition(":")[0] for i in ids}
        rows = [row for runs in (read_tables(tables, family), read_retunes(tables, family))
                for row in aiter_rows(runs, kernels)]
        check(f"AITER's tables and retunes of {name}",
              ingest(spec, *sorted(glob.glob(f"{tables}/*{name}_tuned_gemm*.csv.bz2")), retunes),
              "gpu,m,n,k,split,library,tile_m,tile_n,tile_k,variant,time_us", rows, 50, 1e-6)


def measurements(d):
    """(parameters, time in microseconds or None) of each"""
    if "cache" in d:
        for e in d["cache"].values():
            t = e["time"]
            yield {k: e[k] for k in d["tune_params_keys"]}, None if isinstance(t, str) else t * 1000
    elif "results" in d:
        for r in d["results"]:
            one, = [m for m in r["measurements"] if m["name"] == r["objectives"][0]]
            unit = US[one["unit"] or d["metadata"]["timeunit"]]
            yield r["configuration"], one["value"] * unit if r["invalidity"] == "correct" else None
    else:
        unit = US[d["Metadata"]["TimeUnit"]]
        for r in d["Results"]:
            time = r["TotalDuration"] * unit if r["Status"] == "Ok" else None
            yield {c["Name"]: c["Value"] for c in r["Configuration"]}, time


def gpu_of(name):
    known = {"A100": "A100-PCIE-40GB", "3090": "RTX_3090", "MI250X": "gfx90a6e", "W6600": "gfx1032_14"}
    return next((known[k] for k in known if k in name), "RTX_" + re.sub(r".*[.](A[46]000).*", r"\1", name))


def tuner(path):
    """A spec with the file's parameters and sizes; what `ingest` makes with it has to be the file's rows."""
    d = json.loads(report.read(path))
    gpu, sizes, values, rows = gpu_of(os.path.basename(path)), d.get("problem_size", []), {}, []
    sizes = sizes if isinstance(sizes, list) else [sizes]
    for params, time in measurements(d):
        for name, value in params.items():
            values.setdefault(name, set()).add(value)
        if time is not None:
            rows.append(",".join([gpu] + [str(v) for v in sizes + list(params.values())] + ["%.15g" % time]))
    fields = ["problem_size_" + SIZES[i] for i in range(len(sizes))]
    with open(f"{folder}/hub.spec", "w", encoding="utf-8") as f:
        f.write("\n".join(["[kernel]", "name = hub", "[data]", "format = timed", "[fields]", "gpu = " + gpu]
                          + [f"{field} = size" for field in fields] + ["[params]"]
                          + [f"{name} = {' '.join(map(str, sorted(v)))}" for name, v in values.items()]
                          + ["[features]", "onehot gpu"]) + "\n")
    check(os.path.basename(path), ingest(f"{folder}/hub.spec", path),
          ",".join(["gpu", *fields, *values, "time_us"]), rows, 900)


# ---- vLLM and SGLang: a table has rows of files whose names follow from its column `file` ----

FIELDS = "server triton gpu dtype block per_channel E N K M".split()
MEMBERS = ("BLOCK_SIZE_M BLOCK_SIZE_N BLOCK_SIZE_K GROUP_SIZE_M num_warps num_stages waves_per_eu "
           "matrix_instr_nonkdim kpack").split()
CELLS = "block_m block_n_tile block_k_tile group_m warps stages waves_per_eu nonkdim kpack".split()
CONFIGS = [("moe_amd", "moe", 1400), ("moe_nvidia", "moe", 6300), ("moe_other", "moe", 36),
           ("moe_down_nvidia", "moe_down", 400), ("bfp8_amd", "block_gemm", 1100),
           ("bfp8_nvidia", "block_gemm", 2400)]


def link(path, *content):
    """That file under another name"""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.symlink(os.path.abspath(glob.glob("/".join(content))[0]), path)
    return path


def config_name(server, kernel, device, *, e, n, k, dtype, blocks, per_channel):
    """As the servers write it"""
    return "".join([f"N={n},K={k}" if kernel == "bfp8" else f"E={e},N={n}", f",device_name={device}",
                    f",dtype={dtype}" if dtype != "none" else "",
                    f",block_shape=[{blocks[0]},{' ' * (server == 'sglang')}{blocks[1]}]" if blocks[0] != "0" else "",
                    ",per_channel_quant=True" if per_channel != "0" else "",
                    "_down" if kernel == "moe_down" else "", ".json"])


def block_k(server, kernel, device, block, k):
    """The BLOCK_SIZE_K that runs"""
    if block and (server, kernel) == ("vllm", "moe"):
        return min(k, block)
    if block and (server, kernel) == ("sglang", "bfp8") and (block % k or (k < block and "NVIDIA" not in device)):
        return block
    return k


def config_row(configs, row, table):
    """The row of a problem and its tuple, and the file that has it"""
    text, blob = row["file"].split("#")
    server, kernel, version, device, e, n, k, dtype, *blocks, per_channel = text.split("|")
    name = config_name(server, kernel, device, e=e, n=n, k=k, dtype=dtype, blocks=blocks, per_channel=per_channel)
    path = f"{folder}/{table}/{row['file'].replace('/', '_')}/{server}" + (f"/triton_{version}" if version else "")
    if server == "vllm":
        with open(glob.glob(f"{configs}/json/{blob}*.json")[0], encoding="utf-8", errors="replace") as f:
            version = (re.findall('"triton_version": "([0-9.]*)"', f.read()) or [""])[0].replace(".", "_")
    version = 100 * int(version.split("_")[0]) + int(version.split("_")[1]) if version else 0
    v = [int(row[cell]) for cell in CELLS]
    v[2], v[5] = block_k(server, kernel, device, int(blocks[1]), v[2]), v[5] or 2
    dtype = {"none": "bf16", "float8": "fp8_w8a8"}.get(dtype, dtype)
    return f"{path}/{name}", blob, [server, str(version), device, dtype, blocks[1], per_channel, e, n, k, row["M"]], v


def config_spec(path, family, problems, tuples):
    """A spec of these rows; the places of the fields that it has"""
    places = [i for i, name in enumerate(FIELDS) if name != ("E" if family == "block_gemm" else "K")]
    lines = ["[kernel]", "name = configs", "[data]", "format = triton", f"family = {family}", "[fields]"]
    lines += [f"{FIELDS[i]} = " + (" ".join(sorted({p[i] for p in problems})) if FIELDS[i] in ("server", "gpu", "dtype") else "size 0") for i in places]
    lines += ["[params]"] + [f"{name} = " + " ".join(map(str, sorted({t[i] for t in tuples})))
                             for i, name in enumerate(MEMBERS)]
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    return places


def config_table(configs, table, family, least):
    """The table, with GPUs called as in names of files, and its files have the same rows. Which files those were"""
    with open(f"{configs}/{table}.csv", encoding="utf-8") as f:
        cells = list(csv.DictReader(f))
    read = [config_row(configs, row, table) for row in cells]
    files = {path: blob for path, blob, _, _ in read}
    for path, blob in files.items():
        link(path, configs, "json", blob + "*.json")
    spec, named = f"{folder}/{table}.spec", f"{folder}/{table}.csv"
    places = config_spec(spec, family, [p for _, _, p, _ in read], [t for *_, t in read])
    with open(named, "w", encoding="utf-8") as f:
        writer = csv.DictWriter(f, list(cells[0]))
        writer.writeheader()
        writer.writerows({**row, "device": p[2]} for row, (_, _, p, _) in zip(cells, read))
    if not os.path.exists(f"{folder}/json"): # where a table's versions of vLLM are
        os.symlink(os.path.abspath(f"{configs}/json"), f"{folder}/json")
    rows = [",".join([*(p[i] for i in places), *map(str, t)]) for _, _, p, t in read]
    heading = ",".join([*(FIELDS[i] for i in places), *MEMBERS])
    check(table, ingest(spec, named), heading, rows, least)
    check(f"{table}, {len(files)} files", ingest(spec, *files), heading, rows, least)
    return set(files.values())


def other_configs(configs, known):
    """Files whose names no table has: under made-up ones"""
    files, rows = [], []
    for i, path in enumerate(sorted(glob.glob(f"{configs}/json/*.json"))):
        if not any(os.path.basename(path).startswith(blob) for blob in known):
            files.append(link(f"{folder}/others/vllm/E=1,N={i + 1},device_name=NVIDIA_H200.json", path))
            with open(path, encoding="utf-8") as f:
                usual = {"num_warps": 4, "num_stages": 3, "kpack": 1, "GROUP_SIZE_M": 1}
                rows += [(["vllm", "0", "NVIDIA_H200", "bf16", "0", "0", "1", str(i + 1), "0", m],
                          [t.get(name, usual.get(name, 0)) for name in MEMBERS]) for m, t in json.load(f).items()]
    places = config_spec(f"{folder}/others.spec", "moe", *zip(*rows))
    check(f"{len(files)} other files", ingest(f"{folder}/others.spec", *files),
          ",".join([*(FIELDS[i] for i in places), *MEMBERS]),
          [",".join([*(p[i] for i in places), *map(str, t)]) for p, t in rows], 1000)


def name_text(path):
    """As the cases have it"""
    try:
        n = triton_names.read_name(path)
    except Bad as e:
        return str(e)[len(path) + 2:]
    return f"{n.server or '?'} {n.kernel} {n.e} {n.n} {n.k} {n.block[0]} {n.block[1]} {n.per_channel} {n.device} {n.dtype}"


def names():
    """Python reads names as C does, and knows the makers of C's GPUs."""
    cases = re.split(r"\[(name|noname)\]\n", report.read("tests/triton/triton_files.cases").split("[default]")[1])[1:]
    rows = [row.split("|") for part in cases[1::2] for row in part.split("\n[")[0].splitlines()]
    report.tell("names", [f"{name_text(path)}, not {want}" for path, want in rows
                          if not name_text(path).startswith(want)] if len(rows) > 25 else ["rows"])
    source = report.read("tools/model/gpu_products.c")
    known = [("amd", brand, name) for brand, name in re.findall(r'{"([\w ]+)", "([\w ]+)", "gfx', source)]
    known += [("nvidia", "NVIDIA", name) for name in re.findall(r'{"([\w ]+)", \d+, \d+, ', source)]
    wrong = [name for vendor, brand, name in known for called in (name, f"{brand}_{name}")
             if triton_names.vendor(called.replace(" ", "_")) != vendor]
    report.tell("makers", wrong if len(known) > 140 else [f"{len(known)} GPUs"])


def triton(configs):
    if not os.path.isdir(configs):
        report.skip("files of vLLM and SGLang", f"there is no {configs}")
        return
    known = set()
    for table, family, least in CONFIGS:
        known |= config_table(configs, table, family, least)
    other_configs(configs, known)


def t4_as_cache(path):
    """With the spec of the cache, which is beside it"""
    tuner(path + ".json.gz")
    sizes = ["--set", "problem_size_x=4096", "problem_size_y=4096"]
    heading, rows, _ = ingest(f"{folder}/hub.spec", path + ".json.gz")
    check("T4 as a cache", ingest(f"{folder}/hub.spec", path + "_T4.json.bz2", *sizes), heading, rows, 900)


def main():
    tuned = os.environ.get("TUNER", "../shared/tuner")
    if sys.argv[1:] == ["all"]:
        for path in sorted(glob.glob(f"{tuned}/*.json.[bg]z*")):
            tuner(path)
    else:
        names()
        tensile(os.environ.get("TENSILE_CSV", "../shared/tensile"))
        aiter(os.environ.get("AITER_CSV", "../shared/aiter"))
        triton(os.environ.get("TRITON_CONFIGS", "../shared/triton"))
        for name in TUNED if os.path.isdir(tuned) else ():
            tuner(f"{tuned}/{name}")
    if not os.path.isdir(tuned):
        report.skip("files of other tuners", f"there is no {tuned}")
    elif sys.argv[1:]:
        t4_as_cache(f"{tuned}/convolution_milo.A100")
    report.end()


main()
