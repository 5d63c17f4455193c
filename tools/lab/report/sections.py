# SPDX-License-Identifier: MIT
"""sections.py - the tables and computed sentences of accuracy.md, each a list of lines

A function here is named in the template as {{NAME}}, or {{NAME ARGUMENT}}. What was not measured is
said. Figures of one method on some rows are lines of CSV ({{rows TABLE}}), of which pages show a part.
"""
import collections
import csv
import io
import math
import os
import re
import textwrap

from measured import OURS, PUBLISHED, difference, number, read_csv, share
from timed import dimensions, gemm, gemm_losses, solvers, table

NETS = "encdec attn attn2 hybrid hybrid2".split()
CLASSICS = "default tree bayes knn svc forest nearest chain".split()
NAMES = {"default": "default", "tree": "decision tree", "bayes": "naive Bayes", "knn": "k-NN",
         "svc": "SVC", "forest": "random forest", "nearest": "nearest", "chain": "chain"}
NOT = "not measured"


# ---- text ----

def wrapped(text):
    """A paragraph's lines."""
    return textwrap.wrap(text, 112, break_long_words=False, break_on_hyphens=False)


def with_error(figure, form=".1f"):
    """A figure with its error."""
    return f"{figure.value:{form}} ± {figure.se:.1f}" if figure else NOT


def size_of(figure):
    """Problems and groups."""
    return f"{figure.n:,} ({figure.groups:,})" if figure else NOT


def joined(words):
    """a, b and c."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def pft(m, kernels, split, k, method, dtype=None):
    """Pft of a method."""
    return share(m.outcomes(kernels, split, k, method, dtype))


def minus_ours(m, kernels, split, k, method, dtype=None):
    """How much better a method is than our network."""
    return difference(m.outcomes(kernels, split, k, method, dtype),
                      m.outcomes(kernels, split, k, OURS, dtype),
                      f"{joined(kernels)}, split {split}, k = {k}: {method} and {OURS}")


# ---- what is measured ----

def models(m, _):
    """The shipped networks, and how many test problems there are."""
    lines = []
    for kernel in m.specs:
        identity, size = m.header(kernel)
        figures = [pft(m, [kernel], split, 1, OURS) or m.test_rows(kernel, split) for split in ("config", "shape")]
        lines.append([m.title(kernel), f"`{identity}`", f"{int(size):,}", *map(size_of, figures)])
    return table(["kernel", "id of the header", "bytes", "`config`: problems (groups)",
                  "`shape`: problems (groups)"], lines)


# ---- beside the paper's published figures ----

def read_published():
    """Pft by (kernel, type, net, k): the paper's."""
    return {(x["model"], x["dtype"], x["net"], x["k"]): number(at, x, "pft")
            for at, x in read_csv(PUBLISHED, "model,dtype,net,k,pft".split(","))}


def published(m, _):
    """Ours, both splits, and the paper's own, type by type."""
    paper, lines, ks = read_published(), [], ("10", "30", "50", "100")
    for kernel in m.specs:
        for dtype in ("FP32", "FP16"):
            for split in ("config", "shape"):
                figures = [pft(m, [kernel], split, k, OURS, dtype) for k in ks]
                lines.append([m.title(kernel), dtype, f"ours, `{split}`", size_of(figures[0]),
                              *map(with_error, figures)])
            if (kernel, dtype, "beam", "10") in paper:
                lines.append([m.title(kernel), dtype, "paper's own", "",
                              *(f"{paper[kernel, dtype, 'beam', k]:.2f}" for k in ks)])
    return table(["kernel", "type", "", "problems (groups)", *(f"Pft@{k}" for k in ks)], lines)


def ten_and_hundred(m, _):
    """How often ten tuples of ours hold more than a hundred of the paper's."""
    paper, above, below, missing = read_published(), [], [], []
    for kernel in m.specs:
        for dtype in ("FP32", "FP16"):
            name = f"{m.title(kernel)} {dtype}"
            ours = pft(m, [kernel], "config", 10, OURS, dtype)
            if kernel.endswith("3x3") or (kernel, dtype, "beam", "100") not in paper:
                continue
            (missing if ours is None else
             above if ours.value > paper[kernel, dtype, "beam", "100"] else below).append(name)
    if missing:
        return wrapped(f"Whether our Pft@10 is above the paper's Pft@100: {NOT} for {joined(missing)}.")
    rows = len(above) + len(below)
    which = "" if not above or not below else f" ({joined(above)}; not {joined(below)})"
    return wrapped(f"With the 1x1 kernels, `config`, our Pft@10 is above the paper's Pft@100 in "
                   f"{len(above)} of {rows} rows{which}.")


# ---- beside its networks, trained here, and what they cost ----

def training(m, _):
    """Epochs of the paper's networks, of both splits where they differ, and their sizes."""
    lines = []
    for kernel in m.specs:
        cells = []
        for net in NETS:
            known = [m.training[kernel, split, net] for split in ("config", "shape")
                     if (kernel, split, net) in m.training]
            epochs = " / ".join(dict.fromkeys(f"{x[0]:.0f}" for x in known))
            cells.append(f"{epochs}; {known[0][1] / 1000:,.0f}" if known else NOT)
        lines.append([m.title(kernel), *cells])
    return table(["epochs; thousands of weights", *NETS], lines)


def chain_cost(m, kernel, beam):
    """The chain's nanoseconds and bytes, as those of a network."""
    micros, size = m.classics.get((kernel, "chain", beam), (None, None))
    return None if micros is None else (1000 * micros, size)


def time_cell(cost, ours):
    """Microseconds, and how many times ours."""
    if not cost or not ours:
        return NOT
    return f"{cost[0] / 1000:,.1f} (x {cost[0] / ours[0]:,.0f})"


def times(m, _):
    """Microseconds of a prediction and bytes, a line for each beam and one for the size."""
    lines = []
    for kernel in m.specs:
        nets_of = m.times.get(kernel, {})
        for beam in ("1", "10"):
            ours = nets_of.get(OURS, {}).get(beam)
            others = [nets_of.get(net, {}).get(beam) for net in NETS]
            lines.append([m.title(kernel), f"µs, beam {beam}",
                          f"{ours[0] / 1000:.1f}" if ours else NOT,
                          *(time_cell(x, ours) for x in [*others, chain_cost(m, kernel, beam)])])
        costs = [nets_of.get(net, {}).get("1") for net in [OURS, *NETS]]
        costs.append(chain_cost(m, kernel, "1"))
        lines.append([m.title(kernel), "bytes", *(f"{x[1]:,.0f}" if x and x[1] else NOT for x in costs)])
    return table(["kernel", "", "ours", *NETS, "chain"], lines)


# ---- single figures: lines of CSV ----

KS = "1", "3", "8", "10", "30", "50", "100"
SINGLE = ["table", "rows", "by", "method", "n", "groups", *(f"{x}{k}" for k in KS for x in ("pft", "error")),
          *(f"{x}{k}" for k in ("1", "10") for x in ("less", "less_error"))]


def csv_line(of):
    """A line of CSV, of cells by column."""
    text = io.StringIO()
    csv.DictWriter(text, SINGLE, "", lineterminator="").writerow(of)
    return text.getvalue()


def method_line(m, at, kernels, split, dtype, method, name):
    """What a method has, and how much more than ours; none, if it was not measured. The default is one tuple."""
    found = {k: pft(m, kernels, split, k, method, dtype) for k in (KS if method != "default" else KS[:1])}
    if not found["1"]:
        return []
    of = {**at, "method": name, "by": dtype or "all", "n": found["1"].n, "groups": found["1"].groups}
    for k, figure in found.items():
        if figure:
            of[f"pft{k}"], of[f"error{k}"] = f"{figure.value:.1f}", f"{figure.se:.1f}"
        if figure and method != OURS and f"less{k}" in SINGLE:
            less = minus_ours(m, kernels, split, k, method, dtype)
            of[f"less{k}"], of[f"less_error{k}"] = f"{less.value:+.1f}", f"{less.se:.1f}"
    return [csv_line(of)]


CLASSIC_NAMES = {method + rule: NAMES[method] + rule.replace("+", " + ")
                 for method in CLASSICS for rule in ("", "+rule")}


def kernel_lines(m, name, kernels, title, dtypes, methods):
    """Lines of a table TABLE_SPLIT: for each type and method."""
    return [line for dtype in dtypes for method, words in methods.items()
            for line in method_line(m, {"table": name, "rows": title}, kernels, name.rsplit("_", 1)[1], dtype,
                                    method, words)]


def hits(m, name):
    """The paper's networks by type, and pooled over the kernels of which all are there; the classics on all types."""
    split, nets_too = name.rsplit("_", 1)[1], {OURS: "kpred", **{x: x for x in NETS}}
    classics_too, lines = {OURS: "kpred", **CLASSIC_NAMES}, []
    judged_here = m.specs if name.startswith("paper") else m.more
    for kernel in judged_here:
        if judged_here is m.specs:
            lines += kernel_lines(m, name, [kernel], m.title(kernel), m.dtypes(kernel, split), nets_too)
        lines += kernel_lines(m, name, [kernel], m.title(kernel), [None], classics_too)
    whole = [x for x in judged_here if all(pft(m, [x], split, 1, net) for net in [OURS, *NETS])]
    if len(whole) > 1:
        lines += kernel_lines(m, name, whole, f"{len(whole)} kernels", ("FP32", "FP16", None), nets_too)
    return lines or [f"(Table {name}: {NOT}.)"]


# ---- calibration ----

def chance_error(bins):
    """The calibration error that is left, on average, if all probabilities are right: in a bin of n
    problems with probability p the mean distance of a share from p, of a normal distribution."""
    total = sum(x["n"] for x in bins)
    spread = [x["n"] * math.sqrt(2 / math.pi * x["predicted"] * (100 - x["predicted"]) / x["n"]) for x in bins]
    return sum(spread) / total


def calibration(m, _):
    """The error of each kernel and split, for each k."""
    lines = []
    for kernel in [*m.every, *m.chosen]:
        for split in ("config", "shape"):
            found = m.reliability.get((kernel, split), [])
            cells = []
            for x in (x for x in found if x["bin"] == "all"):
                bins = [y for y in found if y["k"] == x["k"] and y["bin"] != "all"]
                cells.append([f"{x['predicted']:.1f}", f"{x['observed']:.1f} ± {x['se']:.1f}", f"{x['ece']:.1f}",
                              f"{chance_error(bins):.1f}"])
            if cells:
                n = next(x["n"] for x in found if x["bin"] == "all")
                lines.append([m.title(kernel), split, f"{n:,.0f}", *map(" / ".join, zip(*cells))])
    return table(["kernel", "split", "problems", "predicted", "observed", "ECE", "by chance"], lines) if lines \
        else [f"Calibration: {NOT}."]


# ---- accuracy against cost ----

def widths_of(m, kernel):
    """(width, outcomes by k, costs by beam), the narrowest first; the shipped one among them."""
    found = [(width, {k: hits[kernel, "config", str(k)][OURS] for k in (1, 10)},
              m.width_times.get(kernel, {}).get(width, {}))
             for width, hits in m.widths[kernel].items()]
    ours = {k: m.hits.get((kernel, "config", str(k)), {}).get(OURS) for k in (1, 10)}
    if all(ours.values()):
        found.append((m.width(kernel), ours, m.width_times.get(kernel, {}).get("shipped", {})))
    return sorted(found, key=lambda x: [int(n) for n in x[0].split("-")])


def frontier(m, _):
    """Our network at several widths."""
    lines = []
    for kernel in m.widths:
        ours = {k: m.hits.get((kernel, "config", str(k)), {}).get(OURS) for k in (1, 10)}
        for width, outcomes, costs in widths_of(m, kernel):
            shipped = width == m.width(kernel)
            gap = {k: difference(outcomes[k], ours[k], f"{kernel}: {width} and shipped") for k in (1, 10)}
            cells = [f"{costs[b][0] / 1000:.1f}" if b in costs else NOT for b in ("1", "10")]
            lines.append([m.title(kernel), width.replace("-", " / ") + ", shipped" * shipped,
                          f"{costs['1'][1]:,.0f}" if "1" in costs else NOT, *cells,
                          *(x for k in (1, 10) for x in
                            (with_error(share(outcomes[k])),
                             "" if shipped else with_error(gap[k], "+.1f")))])
    if not lines:
        return [f"Our network at other widths: {NOT}."]
    return table(["kernel", "width", "bytes", "µs, beam 1", "beam 10", "Pft@1", "minus shipped",
                  "Pft@10", "minus shipped"], lines)


def floats(m, _):
    """What larger float networks reach."""
    lines = []
    for kernel in m.specs:
        for method, name in (("teachers", "its teachers' mean"), ("wide", "a wide network")):
            gaps = [minus_ours(m, [kernel], "config", k, method) for k in (1, 10)]
            figures = [pft(m, [kernel], "config", k, method) for k in (1, 10)]
            if all(gaps):
                lines.append([m.title(kernel), name, size_of(figures[0]),
                              *(f"{with_error(f)} ({with_error(gap, '+.1f')})"
                                for f, gap in zip(figures, gaps))])
    return table(["kernel", "", "problems (groups)", "Pft@1 (minus kpred)", "Pft@10 (minus kpred)"],
                 lines) if lines else [f"Float networks: {NOT}."]


# ---- noise of the labels ----

def noise_of(m, what, **wanted):
    """Lines of label_noise.py."""
    wanted.setdefault("dtype", "all")
    return [x for x in m.noise if x["what"] == what and all(x[name] == value for name, value in wanted.items())]


def files_of(m):
    """The pairs of files, in order."""
    return list(dict.fromkeys(x["files"] for x in m.noise))


def bracket_cell(m, files, kernel):
    """From strict to retuned, and how many pairs are retuned."""
    ends = [noise_of(m, what, files=files, kernel=kernel) for what in ("strict", "retuned")]
    if not all(ends):
        return NOT
    low, high = (x[0]["percent"] for x in ends)
    return f"{low:.1f} to {high:.1f} ({ends[0][0]['n']:,.0f}; {ends[1][0]['n']:,.0f})"


def bracket(m, _):
    """Percent of labels that a second run names too."""
    if not m.noise:
        return [f"The bracket: {NOT}."]
    lines = [[" and ".join(files.split()), *(bracket_cell(m, files, x) for x in m.specs)] for files in files_of(m)]
    return table(["files", *(m.title(x) for x in m.specs)], lines)


def copies(m, _):
    """How many layers are copied as a whole."""
    lines, words = [], ("none differ", "none differ, by chance", "all differ", "all differ, by chance")
    for files in files_of(m):
        found = [noise_of(m, f"layers of 3 or more: {x}", files=files) for x in words]
        if all(found):
            lines.append([" and ".join(files.split()), f"{found[0][0]['n']:,.0f}",
                          *(f"{x[0]['percent']:.1f}" for x in found)])
    return table(["files", "layers", *words], lines) if lines else [f"Copies: {NOT}."]


def chance(m, _):
    """What the bracket would mean for the best top-1, if runs differed by chance alone."""
    found = collections.defaultdict(list)
    for kernel in m.specs:
        for what in ("strict", "retuned"):
            found[kernel] += [x["percent"] for x in noise_of(m, what, kernel=kernel)]
    ranges = [f"{m.title(x)} {min(v):.0f} to {10 * max(v) ** 0.5:.0f} %" for x, v in found.items() if v]
    return wrapped("From the least end of all brackets to the root of the greatest one: "
                   + joined(ranges) + ".") if ranges else [f"These ends: {NOT}."]


def drift(m, _):
    """A second run, and our network, on the same retuned test rows."""
    lines = []
    for kernel in m.specs:
        for (name, files), (run, network) in m.retuned.items():
            sides = files.split("+")
            if name == kernel:
                lines.append([m.title(kernel), *sides, size_of(share(run)), with_error(share(run)),
                              *(with_error(share(network.get(side))) for side in sides)])
    return table(["kernel", "a", "b", "problems (groups)", "b names a's", "kpred names a's",
                  "kpred names b's"], lines) if lines else [f"Both: {NOT}."]


def parameters(m, _):
    """Where runs disagree most, all pairs of files together."""
    lines = []
    for kernel, spec in m.specs.items():
        agree = []
        for name, _ in spec["params"]:
            found = noise_of(m, f"parameter {name}", kernel=kernel)
            n = sum(x["n"] for x in found)
            if n:
                agree.append((sum(x["n"] * x["percent"] for x in found) / n, name, n))
        if agree:
            lines.append([m.title(kernel), f"{agree[0][2]:,.0f}",
                          ", ".join(f"{name} {p:.0f}" for p, name, _ in sorted(agree)[:3])])
    return table(["kernel", "retuned pairs", "least agreement, percent"], lines) if lines \
        else [f"Agreement in single parameters: {NOT}."]


def merged(m, _):
    """What merging tuples that run the same code adds."""
    added = [b["percent"] - a["percent"] for kernel in m.specs for what in ("strict", "retuned")
             for a, b in zip(noise_of(m, what, kernel=kernel),
                             noise_of(m, f"{what}, merged", kernel=kernel))]
    if not added:
        return [f"What it gains: {NOT}."]
    return [f"It gains {max(0.0, min(added)):.1f} to {max(added):.1f} points."]


def aiter(m, name):
    """A table of gemm.sh aiter, whose folder is beside that of the other measurements."""
    path = os.path.join(os.path.dirname(os.path.abspath(m.folder)), "aiter", "tables", f"{name}.md")
    if not os.path.exists(path):
        return [f"(AITER, {name}: {NOT}.)"]
    with open(path, encoding="utf-8") as f:
        return f.read().splitlines()


def rows(m, name):
    """Figures as lines of CSV, of the columns SINGLE; `by` is empty where the table of AITER's has no such column."""
    if name.startswith(("paper_", "more_")):
        return hits(m, name)
    lines = aiter(m, name)
    if not lines[0].startswith("|"):
        return lines
    found = []
    for line in lines[2:]:
        part, *by, method, size, one, three, eight = line[2:-2].split(" | ")
        n, groups = re.fullmatch(r"(\S*) \((\d*)\)", size).groups()
        figures = {x: cell for k, text in (("1", one), ("3", three), ("8", eight))
                   for x, cell in zip((f"pft{k}", f"error{k}"), text.split(" ± "))}
        found.append(csv_line({"table": name, "rows": part, "by": "".join(by), "method": method,
                               "n": n.replace(",", ""), "groups": groups, **figures}))
    return found


SECTIONS = {f.__name__: f for f in (models, published, ten_and_hundred, training, times, calibration, frontier,
                                    floats, bracket, copies, chance, drift, parameters, merged, solvers,
                                    dimensions, gemm, gemm_losses, aiter, rows)}


# ---- what the document says from its own tables: by name, Markdown lines; what none of them has is said ----

NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?"


def cells_of(lines):
    """The cells of all lines of tables, without headings' rulers."""
    return [[cell.strip() for cell in line.strip("|").split("|")]
            for line in lines if line.startswith("|") and "---" not in line]


def numbers(text):
    """A cell's first number in each of its parts between slashes, as texts; errors are left out."""
    return [re.search(NUMBER, part).group() for part in text.split("/") if re.search(NUMBER, part)]


def span(texts):
    """From the least to the greatest, as they are written."""
    values = sorted(set(texts), key=lambda x: float(x.replace(",", "")))
    return " to ".join(values[:1] + values[1:][-1:]) if values else NOT


def spans(of):
    """Of lists of equal length, the span of each place; the places are divided by slashes."""
    return " / ".join(map(span, zip(*of))) if of and all(of) else NOT


def total(texts):
    """The sum of counts."""
    return f"{sum(int(x.replace(',', '')) for x in texts):,}" if texts else NOT


def singles(tables, name):
    """The lines of CSV of a table, by column."""
    return list(csv.DictReader((x for x in tables.get(f"rows {name}", []) if not x.startswith("(")), SINGLE))


def counted(of):
    """Problems and groups of a line."""
    return f"{int(of['n']):,} ({int(of['groups']):,})"


def judged(tables, split):
    """The kernels that the paper judges, pooled, and how far behind the chain of trees is."""
    lines = singles(tables, f"paper_{split}")
    ours = [x for x in lines if x["rows"].endswith(" kernels") and (x["by"], x["method"]) == ("all", "kpred")]
    chain = [[x["less1"], x["less10"]] for x in lines if x["method"] == "chain + rule"]
    return [f"{int(ours[0]['n']):,}", f"{ours[0]['pft1']} / {ours[0]['pft10']}", spans(chain)] if ours else \
        [NOT, NOT, spans(chain)]


def others(tables, split):
    """The other kernels, the least and the greatest figure."""
    lines = singles(tables, f"more_{split}")
    ours = [x for x in lines if x["method"] == "kpred"]
    chain = [[x["less1"], x["less10"]] for x in lines if x["method"] == "chain + rule"]
    return [total([x["n"] for x in ours]), spans([[x["pft1"], x["pft10"]] for x in ours]),
            spans(chain) if len(chain) == len(ours) else NOT]


def solvers_line(tables, split):
    """The share of the fastest solver's speed, GPU by GPU."""
    lines = cells_of(tables.get(f"solvers {split}", []))
    ours = [x for x in lines if x[1] == "kpred"]
    return [total([x[2].split()[0] for x in ours]), span([numbers(x[4])[0] for x in ours]),
            span([numbers(x[5])[0] for x in lines if x[1] == "boosted trees"])]


def gemm_line(tables):
    """The share of the fastest kernel's speed, all layouts."""
    lines = [x for x in cells_of(tables.get("gemm", [])) if x[0] == "all"]
    ours = [x for x in lines if x[1] == "kpred"]
    trees = [numbers(x[4])[0] for x in lines if x[1] == "XGBoost, all three tables"]
    return [ours[0][2], ours[0][3], span(trees)] if ours else [NOT] * 3


def summary(tables, _):
    """A line for each task and split."""
    new = "the same, for tensor shapes that training has not seen"
    lines = [["the tuned tuple, the paper's four kernels, %", *judged(tables, "config")],
             [new, *judged(tables, "shape")],
             ["the tuned tuple, six other kernels, %", *others(tables, "config")],
             [new, *others(tables, "shape")],
             ["share of the fastest solver's speed, k = 1", *solvers_line(tables, "config")],
             [new, *solvers_line(tables, "shape")],
             ["share of the fastest GEMM kernel's speed, k = 1", *gemm_line(tables)]]
    return table(["what is predicted", "problems", "kpred, k = 1 / 10", "boosted trees minus kpred"], lines)


def far(of, k):
    """1: surely better than kpred, by more than two standard errors; -1: surely worse."""
    gap, error = float(of[f"less{k}"]), float(of[f"less_error{k}"])
    return 0 if abs(gap) <= 2 * error else 1 if gap > 0 else -1


def ahead(tables, split):
    """For which of the other kernels boosted trees are surely better or worse than kpred, at k = 1."""
    lines = [x for x in singles(tables, f"more_{split}") if x["method"] == "chain + rule"]
    if not lines:
        return [f"How the chain compares, split `{split}`: {NOT}."]
    better, worse = ([x["rows"] for x in lines if far(x, 1) == sign] for sign in (1, -1))
    return wrapped(
        f"Split `{split}`, k = 1, {len(lines)} kernels: the chain is better than ours by more than two "
        f"standard errors for {joined(better) or 'none'}, and worse by more than that for {joined(worse) or 'none'}.")


def net_cell(lines, net, k):
    """A network's Pft, and how much more that is than ours."""
    of = next(x for x in lines if x["method"] == net)
    return f"{of[f'pft{k}']} ({of[f'less{k}']} ± {of[f'less_error{k}']})"


def nets(tables, split):
    """The paper's networks on all kernels, and how often each is surely better or worse on a kernel and type."""
    lines = singles(tables, f"paper_{split}")
    pooled = [x for x in lines if x["rows"].endswith(" kernels")]
    if not pooled:
        return [f"Split `{split}`: {NOT}."]
    shown = []
    for k in ("1", "10"):
        for ours in (x for x in pooled if x["method"] == "kpred"):
            these = [x for x in pooled if x["by"] == ours["by"]]
            shown.append([k, ours["by"], counted(ours), f"{ours[f'pft{k}']} ± {ours[f'error{k}']}",
                          *(net_cell(these, net, k) for net in NETS)])
    single = [x for x in lines if x["by"] != "all" and x not in pooled]
    for k in ("1", "10"):
        of = [[far(x, k) for x in single if x["method"] == net] for net in NETS]
        shown.append([k, f"better / worse, of {len(of[0])}", "", "", *(f"{x.count(1)} / {x.count(-1)}" for x in of)])
    return [f"Split `{split}`, {pooled[0]['rows']}:", "",
            *table(["k", "type", "problems (groups)", "ours", *NETS], shown)]


def triple(of):
    """Pft@1 / 10 / 100, as far as they are there."""
    return " / ".join(filter(None, (of[f"pft{k}"] for k in ("1", "10", "100")))) if of else NOT


def gaps(of):
    """How much more than ours, k = 1 / 10."""
    there = [k for k in ("1", "10") if of and of[f"less{k}"]]
    return " / ".join(f"{of[f'less{k}']} ± {of[f'less_error{k}']}" for k in there) or NOT


RIVALS = "nearest + rule", "random forest + rule", "chain + rule"


def classics(tables, split):
    """The methods, with the rule where they take it, and how much more than ours the best three have."""
    lines = [x for x in singles(tables, f"paper_{split}") if x["by"] == "all" and not x["rows"].endswith(" kernels")]
    found = {(x["rows"], x["method"]): x for x in lines}
    kernels, methods_here = ([*dict.fromkeys(x[part] for x in lines)] for part in ("rows", "method"))
    shown = [x for x in methods_here if x + " + rule" not in methods_here and x not in NETS]
    if set(shown) <= {"kpred"}:
        return [f"Split `{split}`: {NOT}."]
    cells = [[x, *(triple(found.get((kernel, x))) for kernel in kernels)] for x in [*shown[1:], "kpred"]]
    less = [[x + ", minus kpred", *(gaps(found.get((kernel, x))) for kernel in kernels)] for x in RIVALS if x in shown]
    return [f"Split `{split}`, Pft@1 / 10 / 100; differences at k = 1 / 10:", "",
            *table(["", *kernels], [["problems (groups)", *(counted(found[x, "kpred"]) for x in kernels)],
                                    *cells, *less])]


def rival(of):
    """Pft@1 / 10 of a method, and how much more that is than ours."""
    return f"{of['pft1']} / {of['pft10']} ({gaps(of)})" if of else NOT


def more(tables, split):
    """Kernels that the paper does not judge, GPUs and types pooled."""
    found = {(x["rows"], x["method"]): x for x in singles(tables, f"more_{split}")}
    lines = [[kernel, counted(x), " / ".join(f"{x[f'pft{k}']} ± {x[f'error{k}']}" for k in ("1", "10")),
              *(rival(found.get((kernel, name))) for name in RIVALS)]
             for (kernel, method), x in found.items() if method == "kpred"]
    if not lines:
        return [f"Split `{split}`: {NOT}."]
    return [f"Split `{split}`, Pft@1 / 10:", "", *table(["kernel", "problems (groups)", "ours", *RIVALS], lines)]


SHOWN = "kpred", "random forest", "XGBoost", "AITER: look-up, else default" # the others are in the CSV alone


def methods(tables, test):
    """Of the lines of CSV of a test, those of the methods that the page shows."""
    lines = tables.get(f"rows {test}", [])
    if not lines or lines[0].startswith("("):
        return lines or [f"(AITER, {test}: {NOT}.)"]
    found = []
    for x in singles(tables, test):
        if x["method"] in SHOWN:
            cells = [" ± ".join(filter(None, (x[f"pft{k}"], x[f"error{k}"]))) for k in ("1", "3", "8")]
            found.append([x["rows"], x["method"], counted(x), *cells])
    return table(["rows", "", "n (N, K)", "Pft@1", "@3", "@8"], found)


DERIVED = {f.__name__: f for f in (summary, ahead, methods, nets, classics, more)}
