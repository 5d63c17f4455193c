"""textdb.py - compares what kpred-train ingest makes of a text perf-db with its own reading

textdb.py KPRED-TRAIN FILE EXCHANGED [DATABASE]   EXCHANGED is 1 if backward keys have c and k exchanged.
The database of SQLite has to hold far more of the problems as ingest reads them than exchanged. What shipped
models make of the labels of an exchanged file, of another tuning run, is printed and has a floor.
"""
# SPDX-License-Identifier: MIT
import bz2
import configparser
import os
import re
import subprocess
import sys

KERNELS = "conv_asm_1x1u conv_asm_bwd_wrw_1x1 conv_asm_bwd_wrw_3x3 conv_ocl_direct_fwd_1x1".split()
KEY = re.compile(r"(\d+)-(\d+)-(\d+)-(\d+x\d+)-(\d+)-(\d+)-(\d+)-(\d+)-(\d+)x(\d+)-(\d+)x(\d+)"
                 r"-1x1-0-NCHW-(FP32|FP16|BF16)-([FBW])(?:_g(\d+))?")
DROPS = ("stride 2, which MIOpen no longer runs with this kernel",
         "the start value of a search that failed", "parameters that the spec does not allow")


def expect(kernel, lines, is_exchanged):
    spec = configparser.ConfigParser(delimiters="=", allow_no_value=True, strict=False, interpolation=None)
    spec.read("weights/%s.spec" % kernel)
    data, params = spec["data"], [values.split() for values in spec["params"].values()]
    solver, filters, pad = data["solver"], data["filter"], data["pad"]
    rows, left_out = [",".join([*spec["fields"], *spec["params"]])], dict.fromkeys(DROPS, 0)
    for line in lines:
        key, _, entries = line.rstrip("\r\n").partition("=")
        values = dict(e.split(":", 1) for e in entries.split(";") if e).get(solver)
        if values is None:
            continue
        m = KEY.fullmatch(key)
        if not m or m.group(4) != filters or {m.group(9), m.group(10)} != {pad} \
                or m.group(11) != m.group(12):
            raise SystemExit("a key that the spec does not cover: " + key)
        ic, ih, iw, _, oc, oh, ow, n = m.groups()[:8]
        stride, dtype, direction, groups = m.group(11), m.group(13), m.group(14), m.group(15)
        # The user's view: the image that the forward convolution reads, C in and K out.
        c, h, w, k = (ic, ih, iw, oc) if direction == "F" else (oc, oh, ow, ic)
        if direction != "F" and is_exchanged:
            c, k = k, c
        values = values.split(",")
        if filters == "3x3" and stride == "2":
            left_out[DROPS[0]] += 1
        elif values == "16 16 16 16 1 1 2 3 1".split():
            left_out[DROPS[1]] += 1
        elif len(values) != len(params) or any(v not in p for v, p in zip(values, params)):
            left_out[DROPS[2]] += 1
        else:
            row = ["gfx906_60", direction, dtype, n, c, h, w, k, stride]
            if "groups" in spec["fields"]:
                row.append(groups or "1")
            rows.append(",".join(row + values))
    return rows, ["kpred-train: dropped %d row%s: %s\n" % (n, "s" * (n > 1), kind)
                  for kind, n in left_out.items() if n]


def run(*words):
    return subprocess.run([trainer, *words], capture_output=True, text=True)


def ingest(kernel, path, *options):
    return run("ingest", "weights/%s.spec" % kernel, "--data", path, "--gpu", "gfx906_60", *options)


def told_besides(got, path, is_exchanged):
    """the lines but that c and k are exchanged, which is said once of such a file"""
    lines = got.stderr.splitlines(True)
    start = "kpred-train: %s: c and k of backward keys are exchanged: " % path
    told = [line for line in lines if not line.startswith(start)]
    assert len(lines) - len(told) == is_exchanged, got.stderr
    return told


def compare(kernel, path, lines, is_exchanged):
    rows, left_out = expect(kernel, lines, is_exchanged)
    got, strict = ingest(kernel, path, "--lenient"), ingest(kernel, path)
    assert got.returncode == 0 and len(rows) > 1, got.stderr
    assert sorted(got.stdout.splitlines()) == sorted(rows), "other rows of " + kernel
    assert told_besides(got, path, is_exchanged) == left_out, got.stderr
    told = told_besides(strict, path, is_exchanged)
    if DROPS[2] in "".join(left_out):  # without --lenient such a row stops it, and is named
        assert strict.returncode == 1 and strict.stdout == "" and len(told) == 1, strict.stderr
        assert re.match("kpred-train: %s:[0-9]+: " % re.escape(path), told[0]), told
    else:
        assert (strict.returncode, strict.stdout, told) == (0, got.stdout, left_out), strict.stderr
    return got.stdout


def evaluate(kernel, path):
    got = run("eval", kernel, "--data", path, "--lenient", "-k", "1,10", "--csv")
    print(got.stdout, end="")
    figures = [line.split(",") for line in got.stdout.splitlines()[1:]]
    assert got.returncode == 0 and len(figures) >= 2, got.stderr
    assert all(float(f[6]) >= 1 and float(f[8]) == 100 for f in figures)


def problems(table):
    return [tuple(line.split(",")[2:9]) for line in table.splitlines()[1:]]


trainer, file, swapped = sys.argv[1], sys.argv[2], int(sys.argv[3])
with (bz2.open if file.endswith(".bz2") else open)(file, "rt") as f:
    whole = f.readlines()
tables = {each: compare(each, file, whole, swapped) for each in KERNELS}
for database in sys.argv[4:]:
    witness = "conv_asm_bwd_wrw_1x1"  # whose rule cannot tell
    known = set(problems(ingest(witness, database, "--lenient").stdout))
    some = [p for p in problems(tables[witness]) if p[2] != p[5] and p[6] == "1"]
    same = sum(p in known for p in some)
    other = sum((t, n, k, h, w, c, s) in known for t, n, c, h, w, k, s in some)
    print(same, "problems are in the database,", other, "with c and k exchanged")
    assert same >= max(1000, 2 * other)
for each in KERNELS if swapped else ():
    if os.path.exists("weights/%s.h" % each):
        evaluate(each, file)
