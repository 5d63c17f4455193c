#!/usr/bin/env python3
# peers.py - what bench_peers measured, as a table in Markdown, and as a plot
# SPDX-License-Identifier: MIT
"""Prints the CSV of bench_peers (tools/lab/bench) as a table in Markdown, of kpred's bodies the
portable and the fastest one. `times` says how many times as long a prediction takes as kpred's, with
the same k and its fastest body. The plot has Pft against microseconds, for one tuple and for ten. It
needs gnuplot, and is left out without."""
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "peers"))

from plots import LOOKS, Script, gnuplot, labels  # noqa: E402: needs the path
from rows import die, parser_of  # noqa: E402

COLUMNS = ("peer,k,ns,ns_p5,ns_p95,instructions,allocations,resident,load_ms,model,code,n,pft1,pft10").split(",")
HEADING = ("peer", "k", "ns", "times", "instructions", "allocations", "resident, KiB",
           "load, ms", "model, bytes", "code, bytes", "Pft@1", "Pft@10")
OURS = "kpred-"
LOOK = {"hybrid2": "net", "encdec": "net", "xgboost": "chain", "compiled": "chain",
        "forest": "forest", "nearest": "nearest", "nearest-db": "nearest", "torch": "paper"}
TITLES = {"ours": "kpred", "chain": "XGBoost, and compiled", "forest": "random forest",
          "paper": "libtorch", "nearest": "nearest, SQLite and memory",
          "net": "the paper''s networks"}


def read_lines(path):
    """The lines of the CSV, a dict each."""
    try:
        with open(path, encoding="utf-8", newline="") as f:
            lines = list(csv.DictReader(f))
    except OSError as e:
        die(f"{path}: {e.strerror}")
    if not lines or list(lines[0]) != COLUMNS:
        die(f"{path}: expected columns {','.join(COLUMNS)}")
    for number, line in enumerate(lines, 2):
        if None in line or None in line.values() or not line["ns"].isdigit():
            die(f"{path}:{number}: expected {','.join(COLUMNS)}")
    return lines


def fastest(lines, k):
    """The line of kpred's fastest body for a k, or None."""
    ours = [x for x in lines if x["peer"].startswith(OURS) and x["k"] == k]
    return min(ours, key=lambda x: int(x["ns"]), default=None)


def grouped(text):
    """93730: 93,730"""
    return f"{int(text):,}" if text else ""


def cells(line, lines):
    """A line of the table."""
    best = fastest(lines, line["k"])
    times = f"{int(line['ns']) / int(best['ns']):.1f}" if best else ""
    return [line["peer"], line["k"], grouped(line["ns"]), times, grouped(line["instructions"]), line["allocations"],
            grouped(line["resident"]), line["load_ms"], grouped(line["model"]),
            grouped(line["code"]), line["pft1"], line["pft10"]]


def is_shown(line, lines):
    """Whether the table has the line: kpred's bodies between the portable and the fastest are in the CSV alone."""
    return not line["peer"].startswith(OURS) or line["peer"] == OURS + "portable" or line is fastest(lines, line["k"])


def print_markdown(lines):
    """The table."""
    print("| " + " | ".join(HEADING) + " |")
    print("|" + "---|" * len(HEADING))
    for line in lines:
        if is_shown(line, lines):
            print("| " + " | ".join(cells(line, lines)) + " |")


def draw(lines):
    """A panel for one tuple and one for ten, with kpred by its fastest body."""
    script = Script(2)
    script.set("logscale x", "ytics autofreq", "yrange [0:*]", "xrange [0.5:2e4]", "xtics (1, 10, 100, 1000, 10000)")
    for k in ("1", "10"):
        script.set(*labels("time of a prediction, µs", f"Pft@{k}, %"))
        shown = [fastest(lines, k), *(x for x in lines if x["k"] == k and not x["peer"].startswith(OURS))]
        script.panel(f"k = {k}", [([(float(x["ns"]) / 1000, float(x[f"pft{k}"]))],
                                   LOOKS[LOOK.get(x["peer"], "ours")], "points")
                                  for x in shown if x and x[f"pft{k}"]])
    there = {LOOK.get(x["peer"], "ours") for x in lines if x["pft1"]}
    script.key([(title, LOOKS[look], "points") for look, title in TITLES.items() if look in there])
    return gnuplot(script.text())


def main():
    """The table, and the plot."""
    p = parser_of(__doc__)
    p.add_argument("table", help="what bench_peers printed with --csv")
    p.add_argument("--plot", metavar="FILE.svg", help="Pft against time")
    options = p.parse_args()
    lines = read_lines(options.table)
    print_markdown(lines)
    picture = draw(lines) if options.plot else None
    if picture:
        with open(options.plot + ".tmp", "w", encoding="utf-8") as f:
            f.write(picture)
        os.rename(options.plot + ".tmp", options.plot)


if __name__ == "__main__":
    main()
