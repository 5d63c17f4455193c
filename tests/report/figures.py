"""figures.py - computes figures of the report once more, and asserts that they are in the document

figures.py figures|pooled|timed|dimensions|rows|gemm FOLDER   the document: docs/accuracy.md of the
                                                              folder
figures.py ahead FOLDER   the sentence from a table that stands here
"""
# SPDX-License-Identifier: MIT
import csv
import math
import random
import re
import statistics
import sys

tmp = sys.argv[2]
lines = open(f"{tmp}/docs/accuracy.md").read().splitlines()


def outcomes(name, k, dtype):
    return {x["row"]: (x["key"], int(x["hit"])) for x in csv.DictReader(open(f"{tmp}/full/{name}"))
            if x["k"] == str(k) and dtype in x["key"]}


def figure(found):
    n, groups = len(found), {key for key, _ in found.values()}
    p = sum(hit for _, hit in found.values()) / n
    inner = sum((sum(h for k, h in found.values() if k == g)
                 - p * sum(k == g for k, _ in found.values())) ** 2 for g in groups)
    return 100 * p, 100 / n * inner ** 0.5, f"{n} ({len(groups)})"


def gap(a, b):
    value, se, _ = figure({row: (key, hit - b[row][1]) for row, (key, hit) in a.items()})
    return f"{value:+.1f} ± {se:.1f}"


def share(found):
    return "{:.1f} ± {:.1f}".format(*figure(found))


def expect(line):
    assert line in lines, line


def figures():
    """The definitions of docs/protocol.md: share, error over groups, paired difference."""
    kernel = "conv_asm_bwd_wrw_3x3"
    ours = {(k, d): outcomes(f"{kernel}.config.ours.hits.csv", k, d)
            for k in (1, 10, 30, 50, 100) for d in ("FP32", "FP16", "")}
    for d in ("FP32", "FP16"):
        shares = " | ".join(share(ours[k, d]) for k in (10, 30, 50, 100))
        expect(f"| ConvAsmBwdWrW3x3 | {d} | ours, `config` | {figure(ours[10, d])[2]} | {shares} |")
        for k in (1, 10):
            attn = outcomes(f"{kernel}.config.attn.hits.csv", k, d)
            expect(f"| ConvAsmBwdWrW3x3 | {d} | {figure(ours[k, d])[2]} | "
                   + share(ours[k, d]) + " | not measured | "
                   + f"{figure(attn)[0]:.1f} ({gap(attn, ours[k, d])})"
                   + " | not measured" * 3 + " |")
    other = {k: (outcomes("conv_asm_3x3u.config.ours.hits.csv", k, ""),
                 outcomes("conv_asm_3x3u.config.nearest.hits.csv", k, "")) for k in (1, 10)}
    expect(f"| ConvAsm3x3U | {figure(other[1][0])[2]} | "
           + " / ".join(share(own) for own, _ in other.values()) + " | "
           + " / ".join(f"{figure(near)[0]:.1f}" for _, near in other.values()) + " ("
           + " / ".join(gap(near, own) for own, near in other.values())
           + ") | not measured | not measured |")
    chain = {k: outcomes(f"{kernel}.config.chain.hits.csv", k, "") for k in (1, 10, 100)}
    for cells in ((f"{figure(chain[k])[0]:.1f}" for k in chain),
                  (gap(chain[k], ours[k, ""]) for k in (1, 10))):
        expect("| chain | not measured | " + " / ".join(cells) + " |")
    narrow = {k: outcomes(f"frontier/{kernel}.32-32-16.hits.csv", k, "") for k in (1, 10)}
    cells = " | ".join(share(narrow[k]) + " | " + gap(narrow[k], ours[k, ""])
                       for k in (1, 10))
    expect(f"| ConvAsmBwdWrW3x3 | 32 / 32 / 16 | 5,000 | 0.7 | 0.9 | {cells} |")
    wide = {k: outcomes(f"{kernel}.config.wide.hits.csv", k, "") for k in (1, 10)}
    cells = " | ".join(share(wide[k]) + f" ({gap(wide[k], ours[k, ''])})"
                       for k in (1, 10))
    expect(f"| ConvAsmBwdWrW3x3 | a wide network | {figure(wide[1])[2]} | {cells} |")


def pooled():
    gaps, ours, firsts = {}, [], []
    for kernel in ("conv_asm_1x1u", "conv_asm_bwd_wrw_3x3"):
        files = [f"{tmp}/pooled/{kernel}.config.{name}.hits.csv" for name in ("ours", "hybrid")]
        hits = [[x for x in csv.DictReader(open(path)) if x["k"] == "10"] for path in files]
        for a, b in zip(*hits):
            gaps.setdefault((kernel, a["key"]), []).append(int(b["hit"]) - int(a["hit"]))
            ours.append(int(b["hit"]))
        with open(files[0]) as f:
            firsts += [int(x["hit"]) for x in csv.DictReader(f) if x["k"] == "1"]
    n = len(ours)
    mean = sum(map(sum, gaps.values())) / n
    se = 100 / n * sum((sum(g) - mean * len(g)) ** 2 for g in gaps.values()) ** 0.5
    cell = f" | {100 * sum(ours) / n:.1f} ({100 * mean:+.1f} ± {se:.1f})"
    start, end = f"| 2 kernels | all | {n} ({len(gaps)}) | ", 5 * cell + " |"
    assert sum(x.startswith(start) and x.endswith(end) for x in lines) == 1, start + end
    line, = (x for x in lines if x.startswith("| the tuned tuple, the paper's four kernels, % | "))
    shown = [x.split(" | ")[3].split(" ")[0] for x in lines if x.startswith(start)]
    assert shown[0] == f"{100 * sum(firsts) / n:.1f}" and len(shown) == 2, shown
    assert line.split(" | ")[1:3] == [str(n), " / ".join(shown)], line


def timed_outcomes(name, k):
    with open(f"{tmp}/full/timed/conv_solver.config.gfx90a6e.{name}.hits.csv") as f:
        return [x for x in csv.DictReader(f) if x["k"] == str(k)]


def mean(of):
    return math.exp(statistics.fmean(math.log(float(x["share"])) for x in of))


def spread(of):  # by hand: what each group adds to the mean of the logarithms
    m = math.log(mean(of))
    return {g: sum(mean(of) * (math.log(float(x["share"])) - m) for x in of if x["key"] == g)
            for g in {x["key"] for x in of}}


def error(groups, n):
    return math.sqrt(sum(v * v for v in groups.values())) / n


def timed():
    ours, own = timed_outcomes("ours", 1), spread(timed_outcomes("ours", 1))
    for name, title in (("ours", "kpred"), ("table", "table")):
        one, two = timed_outcomes(name, 1), timed_outcomes(name, 2)
        n, other, shares = len(one), spread(one), sorted(float(x["share"]) for x in one)
        less = "" if name == "ours" else f"{mean(one) - mean(ours):+.4f} ± " \
            f"{error({g: other[g] - own[g] for g in own}, n):.4f}"
        line = (f"| gfx90a6e | {title} | {n} ({len(own)}) | "
                f"{100 * sum(x['hit'] == '1' for x in one) / n:.1f} | "
                f"{mean(one):.4f} ± {error(other, n):.4f} | {less} | "
                f"{shares[0]:.3f} | {shares[2]:.3f} | "
                f"{100 * sum(x['unlisted'] == '1' for x in one) / n:.1f} | {mean(two):.4f} |")
        expect(line)


def dimensions():
    for name, title in (("ours", "kpred"), ("table", "table")):
        one, line = timed_outcomes(name, 1), f"| gfx90a6e | {title} | "
        for is_3d, fifth in ((False, 2), (True, 0)):
            part = [x for x in one if ("NCDHW" in x["key"]) == is_3d]
            shares = sorted(float(x["share"]) for x in part)
            line += f"{len(part)} | {100 * sum(x == 1 for x in shares) / len(part):.1f} | " \
                f"{mean(part):.4f} | {shares[fifth]:.3f} | "
        expect(line.strip())


def is_kept(key):  # docs/protocol.md
    mask, x = (1 << 64) - 1, 0xcbf29ce484222325
    for byte in key.encode():
        x = (x ^ byte) * 0x100000001b3 & mask
    for factor in (0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53, 1):
        x = (x ^ x >> 33) * factor & mask
    return x % 10 == 0


def rows():
    """Where no outcome of a split is there, its test problems are counted in the rows."""
    kept = [x["n"] for x in csv.DictReader(open(f"{tmp}/full/conv_asm_1x1u.rows.csv"))
            if is_kept(x["n"])]
    expect(f"| ConvAsm1x1U | `0123456789abcdef` | 12,345 | 30 (25) | "
           f"{len(kept)} ({len(set(kept))}) |")


def ahead():
    """Two standard errors decide; 2.0 of 1.0 is not more."""
    sys.path.insert(1, "tools/report")
    sys.path.insert(1, "tools/peers")
    import summary
    table = ["| kernel | n | ours | chain + rule |", "|---|---|---|---|"]
    table += [f"| {name} | 1 | 2 | 3 / 4 ({gap} / +9.9 ± 0.1) |" for name, gap in
              (("A", "+2.1 ± 1.0"), ("B", "+2.0 ± 1.0"), ("C", "-2.3 ± 1.1"), ("D", "-0.9 ± 0.4"))]
    said = " ".join(summary.ahead({"more config": table}, "config"))
    assert "4 kernels: " in said and "errors for A, and" in said and said.endswith("more than that for C and D."), said


def gemm():
    ours = {1: (0.5, 0.9, 1, 0.8, 0.995), 4: (0.6, 0.9, 1, 0.9, 1), 8: (0.7, 0.95, 1, 0.95, 1)}
    near = {1: (0.64, 0.36, 0.9, 0.8, 0.95), 4: (0.7, 0.4, 1, 0.81, 1), 8: (0.7, 0.5, 1, 0.85, 1)}
    mean = statistics.geometric_mean
    for layout, part in (("NN", slice(0, 3)), ("NT", slice(3, 5)), ("all", slice(0, 5))):
        n = len(ours[1][part])
        own = "".join(f" {mean(ours[k][part]):.4f} |  |" for k in (1, 4, 8))
        assert f"| {layout} | kpred | {n} |{own}" in lines, own
        line, = (x for x in lines if x.startswith(f"| {layout} | nearest neighbour | {n} |"))
        cells = line.split(" | ")[3:]
        for i, k in enumerate((1, 4, 8)):
            a, b = near[k][part], ours[k][part]
            assert cells[2 * i] == f"{mean(a):.4f}", line
            less, low, high = map(float, re.findall(r"[-+][0-9.]+", cells[2 * i + 1]))
            draws = sorted(mean([a[j] for j in pick]) - mean([b[j] for j in pick])
                           for pick in (random.choices(range(n), k=n) for _ in range(4000)))
            assert abs(less - mean(a) + mean(b)) < 0.0006, line
            assert abs(low - draws[100]) < 0.03 and abs(high - draws[3900]) < 0.03, line
    assert "| 1 | kpred | 0.500 | 0.900 | 0 | 1 | 2 | 3 | 2 |" in lines
    assert "| 1 | nearest neighbour | 0.360 | 0.800 | 1 | 2 | 3 | 4 | 0 |" in lines
    assert not any("| TN |" in x or re.match(r"\| \w+ \| XGBoost, own", x) for x in lines)


{"figures": figures, "pooled": pooled, "timed": timed, "dimensions": dimensions, "rows": rows,
 "ahead": ahead, "gemm": gemm}[sys.argv[1]]()
