# SPDX-License-Identifier: MIT
"""summary.py - what docs/accuracy.md says from its own tables: its first page, and a sentence

The other tables are Markdown lines by the names that the template gives them. A figure that none of
them has is said to be not measured.
"""
import re
import textwrap

from timed import table

NOT = "not measured"
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


def solvers(tables, split):
    """The share of the fastest solver's speed, GPU by GPU."""
    lines = cells_of(tables.get(f"solvers {split}", []))
    ours = [x for x in lines if x[1] == "kpred"]
    return [total([x[2].split()[0] for x in ours]), span([numbers(x[4])[0] for x in ours]),
            span([numbers(x[5])[0] for x in lines if x[1] == "boosted trees"])]


def gemm(tables):
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
             ["share of the fastest solver's speed, k = 1", *solvers(tables, "config")],
             [new, *solvers(tables, "shape")],
             ["share of the fastest GEMM kernel's speed, k = 1", *gemm(tables)]]
    return table(["what is predicted", "problems", "kpred, k = 1 / 10", "boosted trees less kpred"],
                 lines)


def listed(names):
    """a, b and c; or none."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "none"


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
    return textwrap.wrap(
        f"Split `{split}`, k = 1, {len(lines)} kernels: the chain is better than ours by more than two "
        f"standard errors for {listed(better)}, and worse by more than that for {listed(worse)}.", 112, break_long_words=False, break_on_hyphens=False)


DERIVED = {"summary": summary, "ahead": ahead}
