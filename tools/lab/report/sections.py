# SPDX-License-Identifier: MIT
"""sections.py - the tables and computed sentences of docs/accuracy.md, each a list of lines

A function here is named in the template as {{NAME}}, or {{NAME ARGUMENT}}. What was not measured is
said.
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


def methods_of(m, split):
    """What is measured of a split, for any kernel."""
    return {method for (_, s, _), methods in m.hits.items() if s == split for method in methods}


# ---- what is measured ----

def models(m, _):
    """The shipped networks, and how many test problems there are."""
    lines = []
    for kernel in m.specs:
        identity, size = m.header(kernel)
        figures = [pft(m, [kernel], split, 1, OURS) or m.test_rows(kernel, split)
                   for split in ("config", "shape")]
        lines.append([m.title(kernel), f"`{identity}`", f"{int(size):,}", *map(size_of, figures)])
    return table(["kernel", "network", "bytes", "`config`: problems (groups)",
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
        return wrapped(f"Whether our Pft@10 is above the paper's Pft@100: {NOT} for "
                       f"{joined(missing)}.")
    rows = len(above) + len(below)
    which = "" if not above or not below else f" ({joined(above)}; not {joined(below)})"
    return wrapped(f"With the 1x1 kernels, `config`, our Pft@10 is above the paper's Pft@100 in "
                   f"{len(above)} of {rows} rows{which}.")


# ---- beside its networks, trained here ----

def net_cell(m, kernels, split, k, net, dtype):
    """A network's Pft, and how much more that is than ours."""
    figure = pft(m, kernels, split, k, net, dtype)
    gap = minus_ours(m, kernels, split, k, net, dtype)
    return f"{figure.value:.1f} ({with_error(gap, '+.1f')})" if gap else NOT


def net_line(m, kernels, split, k, dtype, name):
    """A line: our Pft, and all networks."""
    ours = pft(m, kernels, split, k, OURS, dtype)
    return [name, dtype or "all", size_of(ours), with_error(ours),
            *(net_cell(m, kernels, split, k, net, dtype) for net in NETS)]


def nets(m, split):
    """A table for k = 1 and one for k = 10; pooled: the kernels of which all networks are there."""
    if not methods_of(m, split) & set(NETS):
        return [f"Split `{split}`: {NOT}."]
    whole = [x for x in m.specs if all(pft(m, [x], split, 1, net) for net in [OURS, *NETS])]
    out = []
    for k in (1, 10):
        lines = [net_line(m, [x], split, k, dtype, m.title(x))
                 for x in m.specs for dtype in m.dtypes(x, split) or [None]]
        if len(whole) > 1:
            lines += [net_line(m, whole, split, k, dtype, f"{len(whole)} kernels")
                      for dtype in ("FP32", "FP16", None)]
        out += [f"Split `{split}`, k = {k}:", "",
                *table(["kernel", "type", "problems (groups)", "ours", *NETS], lines), ""]
    return out[:-1]


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
        lines.append([m.title(kernel), "bytes",
                      *(f"{x[1]:,.0f}" if x and x[1] else NOT for x in costs)])
    return table(["kernel", "", "ours", *NETS, "chain"], lines)


# ---- beside the classics ----

def triple(m, kernel, split, method):
    """Pft@1 / 10 / 100; the default is one tuple."""
    figures = [pft(m, [kernel], split, k, method) for k in (1, 10, 100)]
    if method == "default":
        figures = figures[:1]
    return " / ".join(f"{f.value:.1f}" for f in figures) if all(figures) else NOT


def gaps(m, kernel, split, method):
    """Differences to ours at 1 and 10."""
    ks = (1,) if method == "default" else (1, 10)
    figures = [minus_ours(m, [kernel], split, k, method) for k in ks]
    return " / ".join(with_error(f, "+.1f") for f in figures) if all(figures) else NOT


def classic_lines(m, split):
    """(name, method) in the order of the tables; with the rule and without, where it is there."""
    there = methods_of(m, split)
    for method in CLASSICS:
        for name in (method, method + "+rule"):
            if name in there or (name == method and method + "+rule" not in there):
                yield NAMES[method] + (" + rule" if name != method else ""), name


def classics(m, split):
    """What each has, and how much more than ours."""
    if not methods_of(m, split) & {*CLASSICS, *(x + "+rule" for x in CLASSICS)}:
        return [f"Split `{split}`: {NOT}."]
    titles = [m.title(x) for x in m.specs]
    lines = [["problems (groups)", *(size_of(pft(m, [x], split, 1, OURS)) for x in m.specs)]]
    lines += [[name, *(triple(m, x, split, method) for x in m.specs)]
              for name, method in classic_lines(m, split)]
    lines.append(["kpred", *(triple(m, x, split, OURS) for x in m.specs)])
    less = [[name, *(gaps(m, x, split, method) for x in m.specs)]
            for name, method in classic_lines(m, split)]
    return [f"Split `{split}`, Pft@1 / 10 / 100:", "", *table(["", *titles], lines), "",
            f"Split `{split}`, less kpred at k = 1 / 10:", "", *table(["", *titles], less)]


# ---- other kernels ----

def rival(m, kernel, split, method):
    """Pft@1 / 10 of a method, and how much more that is than ours."""
    figures = [pft(m, [kernel], split, k, method) for k in (1, 10)]
    if not all(figures):
        return NOT
    return f"{' / '.join(f'{f.value:.1f}' for f in figures)} ({gaps(m, kernel, split, method)})"


def more(m, split):
    """Kernels that the paper does not judge, GPUs and types pooled."""
    lines = []
    for kernel in m.more:
        ours = [pft(m, [kernel], split, k, OURS) for k in (1, 10)]
        if all(ours):
            lines.append([m.title(kernel), size_of(ours[0]), " / ".join(map(with_error, ours)),
                          *(rival(m, kernel, split, x) for x in
                            ("nearest+rule", "forest+rule", "chain+rule"))])
    if not lines:
        return [f"Split `{split}`: {NOT}."]
    return [f"Split `{split}`, Pft@1 / 10:", "",
            *table(["kernel", "problems (groups)", "ours", "nearest + rule", "random forest + rule",
                    "chain + rule"], lines)]


# ---- calibration ----

def chance_error(bins):
    """The calibration error that is left, on average, if all probabilities are right: in a bin of n
    problems with probability p the mean distance of a share from p, of a normal distribution."""
    total = sum(x["n"] for x in bins)
    spread = [x["n"] * math.sqrt(2 / math.pi * x["predicted"] * (100 - x["predicted"]) / x["n"])
              for x in bins]
    return sum(spread) / total


def calibration(m, _):
    """The error of each kernel, split and k."""
    lines = []
    for kernel in [*m.every, *m.chosen]:
        for split in ("config", "shape"):
            found = m.reliability.get((kernel, split), [])
            for x in (x for x in found if x["bin"] == "all"):
                bins = [y for y in found if y["k"] == x["k"] and y["bin"] != "all"]
                lines.append([m.title(kernel), split, f"{x['k']:.0f}", f"{x['n']:,.0f}",
                              f"{x['predicted']:.1f}", f"{x['observed']:.1f} ± {x['se']:.1f}",
                              f"{x['ece']:.1f}", f"{chance_error(bins):.1f}"])
            if not found:
                lines.append([m.title(kernel), split, *[NOT] * 6])
    return table(["kernel", "split", "k", "problems", "predicted", "observed", "ECE", "by chance"],
                 lines)


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
            gap = {k: difference(outcomes[k], ours[k], f"{kernel}: {width} and shipped")
                   for k in (1, 10)}
            cells = [f"{costs[b][0] / 1000:.1f}" if b in costs else NOT for b in ("1", "10")]
            lines.append([m.title(kernel), width.replace("-", " / ") + ", shipped" * shipped,
                          f"{costs['1'][1]:,.0f}" if "1" in costs else NOT, *cells,
                          *(x for k in (1, 10) for x in
                            (with_error(share(outcomes[k])),
                             "" if shipped else with_error(gap[k], "+.1f")))])
    if not lines:
        return [f"Our network at other widths: {NOT}."]
    return table(["kernel", "width", "bytes", "µs, beam 1", "beam 10", "Pft@1", "less shipped",
                  "Pft@10", "less shipped"], lines)


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
    return table(["kernel", "", "problems (groups)", "Pft@1 (less kpred)", "Pft@10 (less kpred)"],
                 lines) if lines else [f"Float networks: {NOT}."]


# ---- noise of the labels ----

def noise_of(m, what, **wanted):
    """Lines of label_noise.py."""
    wanted.setdefault("dtype", "all")
    return [x for x in m.noise if x["what"] == what
            and all(x[name] == value for name, value in wanted.items())]


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
    lines = [[" and ".join(files.split()), *(bracket_cell(m, files, x) for x in m.specs)]
             for files in files_of(m)]
    return table(["files", *(m.title(x) for x in m.specs)], lines)


def copies(m, _):
    """How many layers are copied as a whole."""
    lines, words = [], ("none differ", "none differ, by chance", "all differ",
                        "all differ, by chance")
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
    ranges = [f"{m.title(x)} {min(v):.0f} to {10 * max(v) ** 0.5:.0f} %"
              for x, v in found.items() if v]
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


SINGLE = ["table", "rows", "by", "method", "n", "groups", "pft1", "error1", "pft3", "error3", "pft8", "error8"]


def csv_line(cells):
    """A line of CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def rows(m, name):
    """The same as lines of CSV, of the columns SINGLE; `by` is empty where the table has no such column."""
    lines = aiter(m, name)
    if not lines[0].startswith("|"):
        return lines
    found = []
    for line in lines[2:]:
        part, *by, method, size, one, three, eight = line[2:-2].split(" | ")
        n, groups = re.fullmatch(r"(\S*) \((\d*)\)", size).groups()
        figures = [x for cell in (one, three, eight) for x in (cell.split(" ± ") + [""])[:2]]
        found.append(csv_line([name, part, *(by or [""]), method, n.replace(",", ""), groups, *figures]))
    return found


SECTIONS = {f.__name__: f for f in (models, published, ten_and_hundred, training, nets, times,
                                    classics, calibration, frontier, floats, bracket, copies, chance,
                                    drift, parameters, merged, solvers, dimensions, more, gemm,
                                    gemm_losses, aiter, rows)}


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


def judged(tables, split):
    """The kernels that the paper judges, pooled, and how far behind the chain of trees is."""
    pooled = [x for x in cells_of(tables.get(f"nets {split}", []))
              if x[0].endswith(" kernels") and x[1] == "all"]
    chain = [x[1:] for x in cells_of(tables.get(f"classics {split}", []))
             if x[0] == "chain + rule" and "±" in x[1]]
    return [pooled[0][2].split()[0] if pooled else NOT,
            " / ".join(numbers(x[3])[0] for x in pooled) or NOT,
            spans([numbers(x) for x in chain[0]]) if chain else NOT]


def others(tables, split):
    """The other kernels, the least and the greatest figure."""
    lines = [x for x in cells_of(tables.get(f"more {split}", [])) if "±" in x[2]]
    gaps = [re.search(r"\((.*)\)", x[-1]) for x in lines]
    return [total([x[1].split()[0] for x in lines]), spans([numbers(x[2]) for x in lines]),
            spans([numbers(x.group(1)) for x in gaps]) if all(gaps) else NOT]


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
    return table(["what is predicted", "problems", "kpred, k = 1 / 10", "boosted trees less kpred"],
                 lines)


def ahead(tables, split):
    """For which of the other kernels boosted trees are surely better or worse than kpred, at k = 1."""
    lines = [x for x in cells_of(tables.get(f"more {split}", [])) if "(" in x[-1]]
    if not lines:
        return [f"How the chain compares, split `{split}`: {NOT}."]
    better, worse = [], []
    for line in lines:
        gap, error = map(float, re.search(rf"\(({NUMBER}) ± ({NUMBER})", line[-1]).groups())
        if abs(gap) > 2 * error:
            (better if gap > 0 else worse).append(line[0])
    return wrapped(
        f"Split `{split}`, k = 1, {len(lines)} kernels: the chain is better than ours by more than two "
        f"standard errors for {joined(better) or 'none'}, and worse by more than that for {joined(worse) or 'none'}.")


SHOWN = "kpred", "random forest", "XGBoost", "AITER: look-up, else default" # the others are in the CSV alone


def methods(tables, test):
    """Of the lines of CSV of a test, those of the methods that the page shows."""
    lines = tables.get(f"rows {test}", [])
    if not lines or lines[0].startswith("("):
        return lines or [f"(AITER, {test}: {NOT}.)"]
    found = []
    for _, part, _, method, n, groups, *figures in csv.reader(lines):
        if method in SHOWN:
            cells = [" ± ".join(filter(None, x)) for x in zip(figures[::2], figures[1::2])]
            found.append([part, method, f"{int(n):,} ({groups})", *cells])
    return table(["rows", "", "n (N, K)", "Pft@1", "@3", "@8"], found)


DERIVED = {"summary": summary, "ahead": ahead, "methods": methods}
