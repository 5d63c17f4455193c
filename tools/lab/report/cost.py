#!/usr/bin/env python3
# cost.py - how the cost of predictions grows: fits, distances to the limit, and a plot
# SPDX-License-Identifier: MIT
"""Fits the cost of predictions over all models and beams, out of what tools/lab/report/cost.sh
measured.

The folder holds hot.csv and perhaps cold.csv, of `kpred bench --ratio --limit --body`, and perhaps
MODEL-BEAM.callgrind. The first table has the distance to the limit, the geometric mean over the
models. The other two are least squares of relative errors, without costs below 0. The second one
fits by what a prediction did: start + so many nanoseconds for a multiply-add, a prefix scored, a
value scored, a prefix kept. The third one fits by what is known before, out of MODEL.json, of
`kpred models`: the number of weights, and at most how many prefixes and values a search scores. The
line `instructions` has these in place of nanoseconds. r2 is of the costs themselves, off is the
median relative error in percent. With -o, gnuplot draws a plot.
"""
import collections
import csv
import glob
import json
import math
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "peers"))

from plots import LOOKS, PERFECT, Script, gnuplot, labels  # noqa: E402: needs the path
from rows import die, parser_of, print_lines  # noqa: E402

try:
    import numpy as np
except ImportError:
    die("needs numpy (Debian: apt-get install python3-numpy)", 1)

DID = "multiply_adds,prefixes,values,kept".split(",")
KNOWN = "weights,prefixes,values".split(",")
COLUMNS = ["model", "beam", "ns", "ratio", "distance", "body", *DID]
SEARCHES = "kpri_beam_search", "kpri_depth_first" # a prediction calls the first, with a beam of 1 the second
STYLES = ["ours", "net", "chain", "forest", "nearest"] # of bodies, of plots.LOOKS


# ---- what was measured ----

def read_times(path):
    """The rows, numbers as such."""
    try:
        with open(path, encoding="utf-8", newline="") as f:
            lines = csv.DictReader(f)
            if missing := [x for x in COLUMNS if x not in (lines.fieldnames or [])]:
                die(f"{path}:1: no column {missing[0]}")
            rows = []
            for line in lines:
                row = {x: line[x] if x in ("model", "body") else number(line[x], path, lines, x) for x in COLUMNS}
                rows.append(row)
    except (OSError, UnicodeDecodeError) as e:
        die(f"{path}: {e}")
    return rows or die(f"{path}: has no rows")


def number(text, path, lines, name):
    """A number above 0."""
    try:
        if float(text) > 0:
            return float(text)
    except (TypeError, ValueError):
        pass
    return die(f"{path}:{lines.line_num}: {name} \"{text}\": is not a number above 0")


def calls_of(function, text):
    """How often it was called: callgrind writes a name once and then its number."""
    name = re.search(rf"^c?fn=\((\d+)\) {function}", text, re.M)
    return sum(map(int, re.findall(rf"^cfn=\({name[1]}\)[^\n]*\ncalls=(\d+)", text, re.M))) if name else 0


def read_instructions(path):
    """Instructions of a prediction, by callgrind"""
    with open(path, encoding="utf-8", errors="replace") as f:
        text = f.read()
    total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
    calls = calls_of(SEARCHES[0], text) or calls_of(SEARCHES[1], text)
    if not total or not calls:
        die(f"{path}: is not an output of callgrind with calls of {' or '.join(SEARCHES)}")
    return int(total[1]) / calls


def with_instructions(folder, rows):
    """Those rows of a body, with instructions in place of ns, that were counted."""
    found = []
    for path in sorted(glob.glob(f"{glob.escape(folder)}/*.callgrind")):
        model, _, beam = os.path.basename(path)[:-len(".callgrind")].rpartition("-")
        same = [r for r in rows if r["model"] == model and f"{r['beam']:.0f}" == beam]
        if same:
            found.append({**same[0], "ns": read_instructions(path), "body": "instructions"})
    return found


# ---- least squares ----

def read_counts(path):
    """The numbers of values of a model's parameters, of what `kpred models NAME --json` printed."""
    try:
        with open(path, encoding="utf-8") as f:
            return [len(p["values"]) for p in json.load(f)["params"]]
    except OSError as e:
        return die(f"{path}: {e.strerror}")
    except (ValueError, KeyError, TypeError):
        return die(f"{path}: is not a description of a model, as `kpred models NAME --json` prints")


def bounds(counts, beam):
    """How many prefixes a search can score at most, and how many values after them: before a
    parameter there are as many prefixes as the beam, or as tuples of the earlier ones."""
    prefixes = [min(beam, math.prod(counts[:t])) for t in range(len(counts))]
    return sum(prefixes), sum(n * of for n, of in zip(counts, prefixes))


def known(folder, rows):
    """The rows with what is known before; the weights are those that beam 1 reads."""
    weights = {r["model"]: r["multiply_adds"] for r in rows if r["beam"] == 1}
    counts = {model: read_counts(f"{folder}/{model}.json") for model in weights}
    found = []
    for r in rows:
        if r["model"] in weights:
            prefixes, values = bounds(counts[r["model"]], r["beam"])
            found.append({**r, "weights": weights[r["model"]], "prefixes": prefixes, "values": values})
    return found


def fit(rows, names):
    """The coefficients, the start first, what each row comes to, and its cost. No cost is below 0:
    the names whose coefficient would be the lowest such leave one by one, and have 0."""
    x = np.array([[1, *(r[name] for name in names)] for r in rows])
    y = np.array([r["ns"] for r in rows])
    left, found = list(range(x.shape[1])), np.zeros(x.shape[1])
    while left:
        part = np.linalg.lstsq(x[:, left] / y[:, None], np.ones(len(y)), rcond=None)[0]
        if part.min() >= 0:
            found[left] = part
            break
        del left[int(part.argmin())]
    return found, x @ found, y


def line_of(body, rows, names):
    """A line of a table of fits."""
    found, fitted, y = fit(rows, names)
    r2 = 1 - ((y - fitted) ** 2).sum() / max(((y - y.mean()) ** 2).sum(), 1e-9)
    off = 100 * float(np.median(abs(fitted / y - 1)))
    return [body, str(len(rows)), *(f"{c:.4g}" for c in found), f"{r2:.3f}", f"{off:.1f}"]


def by_body(rows):
    """The rows of each body, in the order of the file."""
    found = collections.defaultdict(list)
    for row in rows:
        found[row["body"]].append(row)
    return found


def fits(rows, names):
    """A line for each body; one with fewer rows than coefficients has none."""
    return [line_of(body, of, names) for body, of in by_body(rows).items() if len(of) > len(names) + 1]


# ---- tables ----

def geometric(values):
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def distances(rows, when):
    """A line for each body and beam."""
    for body, of in by_body(rows).items():
        for beam in sorted({r["beam"] for r in of}):
            at = [r for r in of if r["beam"] == beam]
            yield [when, body, f"{beam:.0f}", str(len(at)),
                   *(f"{geometric([r[x] for r in at]):.2f}" for x in ("distance", "ratio"))]


# ---- the plot ----

def spread(rows, name):
    """(beam, the geometric mean over the models)."""
    return [(beam, geometric([r[name] for r in rows if r["beam"] == beam]))
            for beam in sorted({r["beam"] for r in rows})]


def scatter(script, title, rows, unit, scale):
    """A panel of measured against fitted."""
    _, fitted, y = fit(rows, DID)
    script.set(*labels(f"fitted, {unit}", f"measured, {unit}"))
    script.panel(title, [([(a / scale, b / scale) for a, b in zip(fitted, y) if a > 0],
                          LOOKS["ours"], "points")], f"x with lines {PERFECT} notitle")


def draw(hot, counted):
    """Time and distance by beam for each body, and measured against fitted."""
    bodies = by_body(hot)
    looks = dict(zip(bodies, (LOOKS[x] for x in STYLES)))
    has_counts = len(counted) > len(DID) + 1
    script = Script(4 if has_counts else 3)
    script.set("logscale xy", "ytics autofreq", "xrange [*:*]", *labels("beam", "time, µs"))
    script.panel("time, mean over the models",
                 [([(b, t / 1000) for b, t in spread(bodies[x], "ns")], looks[x], "linespoints")
                  for x in looks])
    script.set(*labels("beam", "distance"))
    script.panel("distance to the limit", [(spread(bodies[x], "distance"), looks[x], "linespoints") for x in looks])
    scatter(script, f"time, {list(bodies)[-1]}", list(bodies.values())[-1], "µs", 1000)
    if has_counts:
        scatter(script, "instructions", counted, "thousands", 1000)
    script.key([(body, look, "linespoints") for body, look in looks.items()])
    return gnuplot(script.text())


def main():
    """The tables, and the plot."""
    p = parser_of(__doc__)
    p.add_argument("folder", help="what cost.sh has measured, BUILD/cost")
    p.add_argument("-o", dest="out", metavar="FILE.svg", help="the plot")
    p.add_argument("--csv", action="store_true", help="CSV instead of tables")
    options = p.parse_args()
    hot = read_times(f"{options.folder}/hot.csv")
    cold_path = f"{options.folder}/cold.csv"
    cold = read_times(cold_path) if os.path.exists(cold_path) else []
    counted = with_instructions(options.folder, hot)
    rows = [*hot, *counted]
    tables = [("caches,body,beam,models,distance,ratio".split(","), [*distances(hot, "hot"), *distances(cold, "cold")])]
    for of, names in ((rows, DID), (known(options.folder, rows), KNOWN)):
        tables.append((["body", "rows", "start", *names, "r2", "off"], fits(of, names)))
    for i, (heading, lines) in enumerate(tables):
        print("\n" * (i > 0), end="")
        print_lines(heading, lines, options)
    picture = draw(hot, counted) if options.out else None
    if picture:
        with open(options.out, "w", encoding="utf-8") as f:
            f.write(picture)


if __name__ == "__main__":
    main()
