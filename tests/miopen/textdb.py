"""textdb.py - prints the rows of a text perf-db as ingest should, and on standard error how many of
each kind it leaves out

textdb.py SPEC FILE GPU NAME   NAME is part of the names of files whose backward keys have c and k
                               exchanged
"""
# SPDX-License-Identifier: MIT
import bz2
import collections
import re
import sys

spec, path, gpu, exchanged = sys.argv[1:]
sections, section = collections.defaultdict(list), None
for line in open(spec):
    if line.startswith("["):
        section = line.strip()[1:-1]
    elif "=" in line:
        name, _, value = line.partition("=")
        sections[section].append((name.strip(), value.split()))
data, params = dict(sections["data"]), sections["params"]
solver, filters, pad = data["solver"][0], data["filter"][0], data["pad"][0]
KEY = re.compile(r"(\d+)-(\d+)-(\d+)-(\d+x\d+)-(\d+)-(\d+)-(\d+)-(\d+)-(\d+)x(\d+)-(\d+)x(\d+)"
                 r"-1x1-0-NCHW-(FP32|FP16|BF16)-([FBW])(?:_g(\d+))?")
rows, left_out = [], collections.Counter()
with (bz2.open if path.endswith(".bz2") else open)(path, "rt") as f:
    for line in f:
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
        if direction != "F" and exchanged in path:
            c, k = k, c
        values = values.split(",")
        if filters == "3x3" and stride == "2":
            left_out["stride 2"] += 1
        elif values == "16 16 16 16 1 1 2 3 1".split():
            left_out["search that failed"] += 1
        elif len(values) != len(params) or any(v not in p[1] for v, p in zip(values, params)):
            left_out["parameters"] += 1
        else:
            row = [gpu, direction, dtype, n, c, h, w, k, stride]
            if "groups" in dict(sections["fields"]):
                row.append(groups or "1")
            rows.append(",".join(row + values))
print(",".join(name for name, _ in sections["fields"] + params))
print("\n".join(sorted(rows)))
for kind in sorted(left_out):
    print(left_out[kind], kind, file=sys.stderr)
