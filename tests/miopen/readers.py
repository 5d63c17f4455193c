"""readers.py - compares what kpred-train ingest makes of MIOpen's databases with a reading of its own

readers.py find KPRED-TRAIN FILE GPU                    a find-db
readers.py text KPRED-TRAIN FILE EXCHANGED [DATABASE]   a text perf-db; EXCHANGED is 1 if backward keys have c and k
exchanged. The database of SQLite has to hold far more of the problems as ingest reads them than exchanged.
"""
# SPDX-License-Identifier: MIT
import collections
import configparser
import re
import subprocess
import sys
import tempfile

from miopen_oracle import problem_of_key # which knows where report.py is
from report import read

KERNELS = "conv_asm_1x1u conv_asm_bwd_wrw_1x1 conv_asm_bwd_wrw_3x3 conv_ocl_direct_fwd_1x1".split()
KEY = re.compile(r"(\d+)-(\d+)-(\d+)-(\d+x\d+)-(\d+)-(\d+)-(\d+)-(\d+)-(\d+)x(\d+)-(\d+)x(\d+)"
                 r"-1x1-0-NCHW-(FP32|FP16|BF16)-([FBW])(?:_g(\d+))?")
STRIDE_2 = "stride 2, which MIOpen no longer runs with this kernel"
NO_SEARCH = "the start value of a search that failed"
NOT_ALLOWED = "parameters that the spec does not allow"
FAILED = "a failed measurement (no time or speed, or one of 0)"
UNNAMED = "a data type, layout or depth that the spec does not name"
SIZES = "a key whose image sizes no convolution with its filter has"


def ingest(kernel, path, *options):
    words = [trainer, "ingest", "weights/%s.spec" % kernel, "--data", path, *options]
    return subprocess.run(words, capture_output=True, text=True)


def told_of(left_out):
    return sorted("kpred-train: dropped %d row%s: %s" % (n, "s" * (n > 1), kind) for kind, n in left_out.items() if n)


# ---- find-dbs ----

PARTS = "in fil pad conv_stride dilation".split()
NO_DEPTH = {"in_d": 1, "fil_d": 1, "pad_d": 0, "conv_stride_d": 1, "dilation_d": 1}


def find_rows(lines, gpu):
    expected, left_out = [], collections.Counter()
    for line in lines:
        key, _, entries = line.partition("=")
        p, why = problem_of_key(key)
        if p is None or p.dtype not in ("FP32", "FP16", "BF16"):
            left_out[SIZES if why and "sizes" in why else UNNAMED] += len(entries.split(";"))
            continue
        value = {**p.value, **(NO_DEPTH if p.spatial_dim == 2 else {})}
        image, *others = ([value[part + axis] for axis in ("_d", "_h", "_w")] for part in PARTS)
        problem = [gpu, p.direction, p.dtype, p.layouts()[0], p.batchsize, p.in_channels, *image, p.out_channels,
                   *sum(others, []), p.group_count]
        for entry in entries.split(";"):
            solver, _, rest = entry.partition(":")
            figures = rest.split(",")
            if solver.startswith("miopen"):
                solver = figures.pop(0)
            time = 1000 * float(figures[0])
            if time == 0:
                left_out[FAILED] += 1
            else:
                expected.append(",".join(map(str, problem)) + ",%s,%.15g" % (solver, time))
    return expected, left_out


def find(path, gpu):
    expected, left_out = find_rows(read(path).splitlines(), gpu)
    got = ingest("conv_solver", path)
    assert got.returncode == 0, got.stderr
    assert sorted(got.stdout.splitlines()[1:]) == sorted(expected) and len(expected) > 30000
    assert sorted(line for line in got.stderr.splitlines() if " dropped " in line) == told_of(left_out)
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
        table.write(got.stdout)
        table.flush()
        assert ingest("conv_solver", table.name).stdout == got.stdout


# ---- text perf-dbs ----

def text_rows(kernel, lines, is_exchanged):
    spec = configparser.ConfigParser(delimiters="=", allow_no_value=True, strict=False, interpolation=None)
    spec.read("weights/%s.spec" % kernel)
    data, params = spec["data"], [values.split() for values in spec["params"].values()]
    rows, left_out = [",".join([*spec["fields"], *spec["params"]])], collections.Counter()
    for line in lines:
        key, _, entries = line.partition("=")
        values = dict(e.split(":", 1) for e in entries.split(";") if e).get(data["solver"])
        if values is None:
            continue
        m = KEY.fullmatch(key)
        if not m or m.group(4) != data["filter"] or {m.group(9), m.group(10)} != {data["pad"]} \
                or m.group(11) != m.group(12):
            raise SystemExit("a key that the spec does not cover: " + key)
        ic, ih, iw, _, oc, oh, ow, n = m.groups()[:8]
        stride, dtype, direction, groups = m.group(11), m.group(13), m.group(14), m.group(15)
        # The user's view: the image that the forward convolution reads, C in and K out.
        c, h, w, k = (ic, ih, iw, oc) if direction == "F" else (oc, oh, ow, ic)
        if direction != "F" and is_exchanged:
            c, k = k, c
        values = values.split(",")
        if data["filter"] == "3x3" and stride == "2":
            left_out[STRIDE_2] += 1
        elif values == "16 16 16 16 1 1 2 3 1".split():
            left_out[NO_SEARCH] += 1
        elif len(values) != len(params) or any(v not in p for v, p in zip(values, params)):
            left_out[NOT_ALLOWED] += 1
        else:
            row = ["gfx906_60", direction, dtype, n, c, h, w, k, stride]
            rows.append(",".join(row + [groups or "1"] * ("groups" in spec["fields"]) + values))
    return rows, left_out


def told_besides(got, path, is_exchanged):
    """the lines but that c and k are exchanged, which is said once of such a file"""
    lines = got.stderr.splitlines()
    start = "kpred-train: %s: c and k of backward keys are exchanged: " % path
    told = sorted(line for line in lines if not line.startswith(start))
    assert len(lines) - len(told) == is_exchanged, got.stderr
    return told


def compare(kernel, path, lines, is_exchanged):
    rows, left_out = text_rows(kernel, lines, is_exchanged)
    got = ingest(kernel, path, "--gpu", "gfx906_60")
    if left_out[NOT_ALLOWED]:  # without --lenient such a row stops it, and is named
        told = told_besides(got, path, is_exchanged)
        assert got.returncode == 1 and got.stdout == "" and len(told) == 1, got.stderr
        assert re.match("kpred-train: %s:[0-9]+: " % re.escape(path), told[0]), told
        got = ingest(kernel, path, "--gpu", "gfx906_60", "--lenient")
    assert got.returncode == 0 and len(rows) > 1, got.stderr
    assert sorted(got.stdout.splitlines()) == sorted(rows), "other rows of " + kernel
    assert told_besides(got, path, is_exchanged) == told_of(left_out), got.stderr
    return got.stdout


def problems(table):
    return [tuple(line.split(",")[2:9]) for line in table.splitlines()[1:]]


def text(path, exchanged, *databases):
    whole = read(path).splitlines()
    tables = {each: compare(each, path, whole, int(exchanged)) for each in KERNELS}
    for database in databases:
        witness = "conv_asm_bwd_wrw_1x1"  # whose rule cannot tell
        known = set(problems(ingest(witness, database, "--gpu", "gfx906_60", "--lenient").stdout))
        some = [p for p in problems(tables[witness]) if p[2] != p[5] and p[6] == "1"]
        same = sum(p in known for p in some)
        other = sum((t, n, k, h, w, c, s) in known for t, n, c, h, w, k, s in some)
        print(same, "problems are in the database,", other, "with c and k exchanged")
        assert same >= max(1000, 2 * other)


trainer = sys.argv[2]
{"find": find, "text": text}[sys.argv[1]](*sys.argv[3:])
