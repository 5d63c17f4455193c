#!/usr/bin/env python3
# plots.py - pictures of the documents, drawn by gnuplot as SVG
# SPDX-License-Identifier: MIT
"""Draws the pictures of the CSV files that stand in a folder: accuracy-config.svg and accuracy-shape.svg of
accuracy.csv, and training-own.svg of training-own.csv, which has columns of what own.py prints with --csv.

report.py takes the other pictures of accuracy.md from here. A plot's function returns gnuplot's commands, or None
if nothing that it would show was measured. The same measurements give the same bytes.
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peers"))

import timed  # noqa: E402: needs the path
from aiter_rows import MERGE_NAMES  # noqa: E402
from measured import OURS, share  # noqa: E402
from rows import die  # noqa: E402
from sections import KS, NAMES, NETS, chain_cost, pft, widths_of  # noqa: E402
from timed import METHODS, by_k, losses, of_split  # noqa: E402

# Curves differ in colour (Okabe and Ito's), dashes and marks.
LOOKS = {name: f"lc rgb '{colour}' dt {dash} pt {mark} lw {width}" for
         name, colour, dash, mark, width in
         [("ours", "#000000", "1", 7, 2), ("net", "#0072b2", "(12,4)", 5, 1),
          ("chain", "#d55e00", "(6,4)", 9, 1), ("forest", "#009e73", "(2,3)", 4, 1),
          ("nearest", "#cc79a7", "(10,3,2,3)", 6, 1), ("paper", "#444444", "1", 2, 2)]}


def gnuplot(script):
    """What gnuplot draws, or None if there is none."""
    try:
        with tempfile.TemporaryFile("w+", encoding="utf-8") as f: # not a pipe, which it may close
            f.write(script)
            f.seek(0)
            done = subprocess.run(["gnuplot", "-d"], stdin=f, capture_output=True, encoding="utf-8", check=False)
    except FileNotFoundError:
        return None
    if done.returncode or "</svg>" not in done.stdout:
        die("gnuplot failed: " + " ".join(done.stderr.split())[:400], 1)
    return slim(done.stdout)


# What the picture does without: what gnuplot tells of itself, filters that nothing uses, the second
# name space, which SVG 2 has no need of, defaults, and attributes that the root has.
SUPERFLUOUS = [r"<desc>.*?</desc>", r"<title>.*?</title>", r"<filter .*?</filter>",
               r'\sxmlns:xlink="[^"]*"', r'\sfont-family="sans-serif"', r'\sfont-size="12.00"',
               r'\sclass="gridline"', r'\sid="gnuplot_plot_\w+"', r'\sstroke-width="1.00"',
               r'\sstroke-linecap="butt"', r'\sstroke-linejoin="miter"', r"\sstroke='black'",
               r"\scolor='#000000'",
               r'\sfill="none" color="(black|gray)" stroke="currentColor"',
               r'\sstroke="none" fill="black"']
ROOT = '<svg font-family="sans-serif" font-size="12"\n'
# On a dark page the paper and these colours are others; a reader's choice of a theme decides.
DARK = {"#000000": "#e6edf3", "#0072b2": "#56b4e9", "#444444": "#b0b0b0", "#777777": "#999999", "#bbbbbb": "#444444",
        "#009e73": "#2fc59b"}
CANVAS = "<style>svg{color:#000000}text{stroke:none;fill:#000000}\n@media(prefers-color-scheme:dark){" \
    "svg{color:#e6edf3}text{fill:#e6edf3}[fill=\"#ffffff\"]{fill:#0d1117}\n" + "\n".join(
        f'[stroke="{light}"]{{stroke:{dark}}}[color="{light}"]{{color:{dark}}}' for light, dark in DARK.items()) + \
    '}</style>\n<g fill="none" stroke="currentColor">'
# Groups without attributes around nothing else, empty ones, and equal ones one after the other
LEAF = r"(?:(?!</?g\b).)*"
GROUPS = [(rf"<g ?>({LEAF})</g>", r"\1"), (r"<g\b[^>]*>\s*</g>", ""), (rf"(<g\b([^>]*)>{LEAF})</g>\s*<g\2>", r"\1")]


def slim(svg):
    """The same picture in a quarter of the bytes."""
    svg = re.sub(r"rgb\( *(\d+), *(\d+), *(\d+)\)", lambda m: "#" + "".join(f"{int(x):02x}" for x in m.groups()), svg)
    for pattern in SUPERFLUOUS:
        svg = re.sub(pattern, "", svg, flags=re.S)
    svg = re.sub(r"<svg\s", ROOT, svg, count=1).replace('<g id="gnuplot_canvas">', CANVAS)
    svg = svg.replace('fill="#ffffff"/>', 'fill="#ffffff" stroke="none"/>', 1)
    svg = svg.replace("xlink:href", "href")
    svg = re.sub(r"<tspan *>([^<]*)</tspan>", r"\1", svg)
    svg = re.sub(r"<g (transform[^>]*)>\s*<text>([^<]*)</text>\s*</g>", r"<text \1>\2</text>", svg)
    svg = re.sub(r"(\d+\.\d)\d(?=[ ,)])", r"\1", svg)
    for pattern, what in GROUPS:
        found = 1
        while found:
            svg, found = re.subn(pattern, what, svg, flags=re.S)
    svg = re.sub(r"[ \t]+(?=['\">\n]|/>)|(?<=[ \t])[ \t]+", "", svg)
    return re.sub(r"\s*\n\s*", "\n", svg)


# ---- scripts ----

WIDTH, PANEL, KEY = 760, 240, 66 # pixels of two panels a row
NARROW = 900, 200 # of five


class Script:
    """Commands for one SVG of several panels, so many a row, and a key below them. A curve is (points, look, mode)."""

    def __init__(self, panels, columns=2):
        self.columns, self.blocks, self.panels = columns, 0, 0
        self.width, self.panel_height = NARROW if columns > 2 else (WIDTH, PANEL)
        self.bottom = (panels + columns - 1) // columns * self.panel_height
        self.height = self.bottom + KEY
        self.lines = [f"set terminal svg size {self.width},{self.height} font 'sans-serif,12' "
                      "background rgb 'white'", "set multiplot"]
        self.set("encoding utf8", "grid ytics lc rgb '#bbbbbb'", "tics nomirror", "border 3",
                 "pointsize 0.6", "ytics 20")

    def set(self, *commands):
        """Commands for the panels that follow."""
        self.lines += [f"set {x}" for x in commands]

    def place(self, left, right, top, bottom):
        """Where the next plot's area is, in pixels from the left and from the top."""
        self.set(f"lmargin at screen {left / self.width:.5f}", f"rmargin at screen {right / self.width:.5f}",
                 f"tmargin at screen {1 - top / self.height:.5f}",
                 f"bmargin at screen {1 - bottom / self.height:.5f}")

    def block(self, points):
        """Points by name."""
        self.blocks += 1
        self.lines += [f"$b{self.blocks} << END", *(" ".join(f"{v:.6g}" for v in point) for point in points), "END"]
        return f"$b{self.blocks}"

    def panel(self, title, curves, extra=""):
        """One panel; if nothing is measured it says so."""
        row, column = divmod(self.panels, self.columns)
        self.panels += 1
        wide, narrow = self.width / self.columns, self.columns > 2
        self.place(column * wide + (48 if narrow else 62), (column + 1) * wide - (12 if narrow else 15),
                   row * self.panel_height + (36 if narrow else 26), (row + 1) * self.panel_height - 50)
        drawn = [f"{self.block(points)} using 1:2 with {mode} {look} notitle"
                 for points, look, mode in curves if points]
        font = " font ',10'" if narrow else ""
        self.lines.append(f'set title "{title}" noenhanced offset 0,-0.6{font}')
        self.lines.append("unset label" if drawn else "set label 1 'not measured' at graph 0.5,0.5 center")
        self.lines.append("plot " + ", ".join(([extra] if extra else []) + drawn or ["NaN notitle"]))

    def key(self, entries):
        """The key: (title, look, mode)."""
        self.place(0, self.width, self.bottom, self.height)
        self.lines += [f"unset {x}" for x in ("title", "border", "tics", "xlabel", "ylabel",
                                              "label", "grid", "logscale")]
        self.set("yrange [0:1]", "xrange [0:1]", "key center center maxcols 2 maxrows 3 noenhanced "
                 "samplen 3 width 2 Left reverse")
        self.lines.append("plot " + ", ".join(f"NaN with {mode} {look} title '{title}'"
                                              for title, look, mode in entries))

    def text(self):
        """The whole script."""
        return "\n".join(self.lines) + "\n"


def labels(x, y):
    """Commands for the texts of the axes."""
    return [f"xlabel '{x}' noenhanced offset 0,0.3", f"ylabel '{y}' noenhanced offset 1.5,0"]


# ---- of CSV files: hit rate and share over k ----

# By picture: a title of each panel's curves, their look, and what their method is called in the files
WAYS = {"kpred": ("ours", ["kpred"]), "boosted trees": ("chain", ["chain + rule", "XGBoost", "xgboost"]),
        "random forest": ("forest", ["random forest + rule", "random forest", "forest"]),
        "nearest known problems": ("nearest", ["nearest + rule", "nearest neighbour", "nearest"])}


def two_lines(name):
    """The name of a solver or kernel, in two lines if it is long."""
    name = name.replace(" > ", " above ").replace("<=", "≤")
    parts = re.findall("[A-Z][a-z0-9]*|_?[^A-Z_]+", name)
    while len(parts) > 1 and len(parts[0]) + len(parts[1]) < 23:
        parts[:2] = [parts[0] + parts[1]]
    return parts[0] + ("\\n" + "".join(parts[1:]) if parts[1:] else "")


def curve(lines, methods, column):
    """(k, figure) of the first of the methods that is there, in columns like "pft1" or in a line for each k."""
    for method in methods:
        of = [x for x in lines if x["method"] == method]
        found = [(int(k), x[column + k]) for x in of for k in KS if x.get(column + k)] or \
            [(int(x["k"]), x[column]) for x in of if column in x]
        if found:
            return [(k, float(figure)) for k, figure in found]
    return []


def panels_of(panels, column, settings):
    """A picture of a panel for each name, whose lines have the ways of a file."""
    script = Script(len(panels), 5)
    script.set("logscale x", *settings)
    for title, lines in panels.items():
        script.panel(two_lines(title), [(curve(lines, methods, column), LOOKS[look], "linespoints")
                                        for look, methods in WAYS.values()])
    script.key([(name, LOOKS[look], "linespoints") for name, (look, _) in WAYS.items()])
    return script.text()


def hit_rates(folder, split):
    """A panel for each kernel that kpred has a model of."""
    lines, panels = read_csv(os.path.join(folder, "accuracy.csv")), {}
    for table in (f"paper_{split}", f"more_{split}", split):
        for line in lines:
            if line["table"] == table and line["by"] in ("", "all") \
                    and not re.search(" kernels$|^pooled$", line["rows"]):
                family, *rest = line["rows"].split(",", 1)
                title = "gemm_" + MERGE_NAMES[family] if family in MERGE_NAMES else family
                panels.setdefault(",".join([title, *rest]), []).append(line)
    return panels_of({title: of for title, of in panels.items() if curve(of, ["kpred"], "pft")}, "pft",
                     ["xrange [0.9:110]", "yrange [0:100]", "xtics (1, 3, 10, 30, 100)", "ytics 50", "mytics 2",
                      *labels("k, tuples", "hits, %"), "ylabel offset 2.2,0"])


def own_shares(folder, _):
    """A panel for each set of the made-up kernels, for each real table of timings, and for the mean."""
    panels = {}
    for line in read_csv(os.path.join(folder, "training-own.csv")):
        if line["set"] == "-" or line["table"] == "own":
            title = line["table"].replace("all", "mean of the tables")
            panels.setdefault(title if line["set"] == "-" else f"made-up: {line['set']}", []).append(line)
    return panels_of(panels, "share", ["xrange [0.9:12]", "yrange [0.3:1]", "xtics (1, 2, 4, 10)", "ytics 0.2",
                                       *labels("k, tuples", "share"), "ylabel offset 2.2,0"])


def read_csv(path):
    """The lines of a file, by column."""
    try:
        with open(path, encoding="utf-8", newline="") as f:
            return list(csv.DictReader(f))
    except OSError as e:
        die(f"{path}: {e.strerror}")


# ---- calibration ----

LEAST = 10 # problems in a bin: fewer show nothing
PERFECT = "lc rgb '#777777' dt (1,3)"


def bins(m, kernel, split, k):
    """(predicted, observed) of the bins that hold enough problems."""
    return [(x["predicted"], x["observed"]) for x in m.reliability.get((kernel, split), [])
            if x["k"] == k and x["bin"] != "all" and x["n"] >= LEAST]


def calibration(m, _):
    """A panel for each kernel: what was observed against what was predicted."""
    looks = {("config", 1): "ours", ("config", 10): "net", ("shape", 1): "chain", ("shape", 10): "forest"}
    if not m.reliability:
        return None
    kernels = [x for x in [*m.every, *m.chosen] if x in {name for name, _ in m.reliability}]
    script = Script(len(kernels))
    script.set("xrange [0:100]", "yrange [0:100]", *labels("predicted, %", "observed, %"))
    for kernel in kernels:
        drawn = [(bins(m, kernel, split, k), LOOKS[look], "linespoints") for (split, k), look in looks.items()]
        script.panel(m.title(kernel), drawn, f"x with lines {PERFECT} notitle")
    entries = [(f"{split}, k = {k}", LOOKS[look], "linespoints") for (split, k), look in looks.items()]
    script.key([*entries, ("as predicted", PERFECT, "lines")])
    return script.text()


# ---- accuracy against cost ----

def costs(m, kernel):
    """(look, [(bytes, microseconds, Pft@10)]) of ours, the paper's networks and the chain."""
    ours = [(c["10"][1], c["10"][0] / 1000, share(hits[10]).value) for _, hits, c in widths_of(m, kernel) if "10" in c]
    others = []
    for net in NETS:
        cost, figure = m.times.get(kernel, {}).get(net, {}).get("10"), pft(m, [kernel], "config", 10, net)
        if cost and figure:
            others.append((cost[1], cost[0] / 1000, figure.value))
    cost, figure = chain_cost(m, kernel, "10"), pft(m, [kernel], "config", 10, "chain")
    chain = [(cost[1], cost[0] / 1000, figure.value)] if cost and figure else []
    return [("ours", ours, "linespoints"), ("net", others, "points"), ("chain", chain, "points")]


def frontier(m, _):
    """Two panels for each kernel: Pft@10 against bytes and against microseconds."""
    kernels = [x for x in m.specs if x in m.widths]
    if not kernels:
        return None
    script = Script(2 * len(kernels))
    script.set("logscale x", "ytics autofreq", "format x '10^{%L}'")
    for kernel in kernels:
        found = costs(m, kernel)
        shares = [p[2] for _, points, _ in found for p in points] or [0, 100]
        script.set(f"yrange [{min(shares) // 10 * 10:.0f}:{max(shares) // 10 * 10 + 10:.0f}]")
        for at, label in ((0, "bytes"), (1, "time of a prediction (beam 10), µs")):
            script.set(*labels(label, "Pft@10, %"))
            script.panel(m.title(kernel), [([(p[at], p[2]) for p in points if p[at] is not None],
                                            LOOKS[look], mode)
                                           for look, points, mode in found])
    script.key([("kpred at several widths", LOOKS["ours"], "linespoints"),
                ("the paper''s networks", LOOKS["net"], "points"),
                (NAMES["chain"], LOOKS["chain"], "points")])
    return script.text()


# ---- shares of the optimum ----

def solvers(m, split):
    """For each GPU a panel of share against k, and one of the worst problems at k = 1."""
    found = of_split(m, split)
    if not found:
        return None
    looks = dict(zip(METHODS, ("ours", "chain", "nearest")))
    script = Script(2 * len(found))
    script.set("ytics autofreq")
    for gpu, methods in found:
        shown = [(methods[name], LOOKS[look]) for name, look in looks.items() if name in methods]
        script.lines.append("unset logscale")
        script.set("xrange [0.8:4.2]", "yrange [*:1]", "xtics 1", *labels("k, solvers", "share"))
        script.panel(gpu, [(by_k(of), look, "linespoints") for of, look in shown])
        script.set("logscale x", "xrange [0.08:32]", "yrange [0:1]",
                   "xtics (0.1, 0.3, 1, 3, 10, 30)", *labels("problems, %", "share, at most, k = 1"))
        script.panel(gpu, [(losses(of[1]), look, "linespoints") for of, look in shown])
    script.key([(METHODS[name], LOOKS[look], "linespoints") for name, look in looks.items()])
    return script.text()


def gemms(m, _):
    """Share against k, layout by layout and pooled, and how it is spread."""
    looks = dict(zip(timed.GEMM_METHODS, ("ours", "nearest", "forest", "net", "chain")))
    shown = {x: (name, LOOKS[looks[x]]) for x, name in timed.gemm_methods_of(m).items()}
    if not shown:
        return None
    script = Script(len(m.layouts) + 2)
    script.set("ytics autofreq", "logscale x", "xrange [0.9:9]", "yrange [0.5:1]",
               "xtics (1, 2, 4, 8)", *labels("k, kernels", "share"))
    for layout in m.layouts:
        title = f"{layout}, {len(timed.logs_of(m, layout, 1, OURS))} shapes"
        script.panel(title, [(timed.gemm_by_k(m, layout, x), look, "linespoints") for x, (_, look) in shown.items()])
    script.lines.append("unset logscale")
    script.set("xrange [0:100]", "yrange [0:1]", "xtics 20", *labels("shapes, %", "share, at most"))
    for k in (1, 8):
        script.panel(f"all, k = {k}", [(timed.gemm_distribution(m, k, x), look, "steps")
                                       for x, (_, look) in shown.items()])
    script.key([(name, look, "linespoints") for name, look in shown.values()])
    return script.text()


PLOTS = {"calibration": (calibration, None), "frontier": (frontier, None),
         "solvers": (solvers, "config"), "gemm": (gemms, None)}
ALT = {"calibration": "observed against predicted share of hits, a panel for each kernel",
       "solvers": "share of the optimum against k, and of the worst problems, a pair of panels for "
                  "each GPU",
       "gemm": "share of the optimum against k, by layout, and how it is spread over the shapes",
       "frontier": "Pft@10 against bytes and against the time of a prediction"}


def main():
    """Draws what the folder has the figures of."""
    p = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", help="where the CSV files are, and the pictures go")
    folder = p.parse_args().folder
    for name, function in (("accuracy-config", hit_rates), ("accuracy-shape", hit_rates), ("training-own", own_shares)):
        picture, path = gnuplot(function(folder, name.rsplit("-", 1)[1])), os.path.join(folder, f"{name}.svg")
        if picture is None:
            die("there is no gnuplot, which draws pictures (Debian: apt-get install gnuplot-nox)", 1)
        with open(path + ".tmp", "w", encoding="utf-8") as f:
            f.write(picture)
        os.rename(path + ".tmp", path)


if __name__ == "__main__":
    main()
