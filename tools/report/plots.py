"""plots.py - the figures of docs/accuracy.md, drawn by gnuplot as SVG

A plot's function returns gnuplot's commands, or None if nothing that it would show was measured.
The same measurements give the same bytes: what gnuplot writes of itself is taken out, and so is the
second name space, which today's readers of SVG need no more.
"""
import re
import subprocess

from measured import OURS, difference, share
from rows import die
from sections import NAMES, NETS, chain_cost, pft, read_published, widths_of

KS = ("1", "3", "10", "30", "50", "100")
# Curves differ in colour (Okabe and Ito's), dashes and marks.
LOOKS = {name: f"lc rgb '{colour}' dt {dash} pt {mark} lw {width}" for
         name, colour, dash, mark, width in
         [("ours", "#000000", "1", 7, 2), ("net", "#0072b2", "(12,4)", 5, 1),
          ("chain", "#d55e00", "(6,4)", 9, 1), ("forest", "#009e73", "(2,3)", 4, 1),
          ("nearest", "#cc79a7", "(10,3,2,3)", 6, 1), ("paper", "#444444", "1", 2, 1)]}


def gnuplot(script):
    """What gnuplot draws, or None if there is none."""
    try:
        done = subprocess.run(["gnuplot"], input=script, capture_output=True, text=True,
                              check=False)
    except FileNotFoundError:
        return None
    if done.returncode or "</svg>" not in done.stdout:
        die("gnuplot failed: " + " ".join(done.stderr.split())[:400], 1)
    svg = re.sub(r"<desc>.*?</desc>\n?", "", done.stdout, flags=re.S)
    svg = re.sub(r"<title>.*?</title>\n?", "", svg, flags=re.S)
    svg = re.sub(r'\s+xmlns:xlink="[^"]*"', "", svg).replace("xlink:href", "href")
    return re.sub(r"[ \t]+\n", "\n", svg)


# ---- scripts ----

class Script:
    """Commands for one SVG of several panels. A curve is (title, look, points); a look without a
    dash draws points alone."""

    def __init__(self, width, height, rows, columns):
        self.lines = [f"set terminal svg size {width},{height} font 'sans-serif,12' "
                      "background rgb 'white'",
                      f"set multiplot layout {rows},{columns}", "set grid lc rgb '#cccccc'",
                      "unset key", "set tics nomirror", "set border 3", "set encoding utf8",
                      "set pointsize 0.6"]
        self.blocks = 0

    def set(self, *commands):
        """Commands for the panels that follow."""
        self.lines += [f"set {x}" for x in commands]

    def block(self, points):
        """Points by name."""
        self.blocks += 1
        self.lines += [f"$b{self.blocks} << END", *points, "END"]
        return f"$b{self.blocks}"

    def panel(self, title, curves, extra=""):
        """One panel; nothing measured: an empty one that says so."""
        drawn = [(self.block([" ".join(f"{v:.6g}" for v in p) for p in points]), look, mode)
                 for points, look, mode in curves if points]
        self.lines.append(f"set title '{title}' noenhanced")
        self.lines.append("unset label" if drawn
                          else "set label 1 'not measured' at graph 0.5,0.5 center")
        plots = [f"{name} using 1:2 with {mode} {look}" for name, look, mode in drawn]
        self.lines.append("plot " + ", ".join([*plots, extra] if extra else plots or ["NaN"]))

    def key(self, entries, columns):
        """A panel with nothing but the key: (title, look, mode)."""
        self.lines += ["unset title", "unset border", "unset tics", "unset xlabel", "unset ylabel",
                       "unset label", "unset grid", "unset logscale", "set yrange [0:1]",
                       "set xrange [0:1]",
                       f"set key center center maxcols {columns} noenhanced samplen 3 width 1"]
        self.lines.append("plot " + ", ".join(f"NaN with {mode} {look} title '{title}'"
                                              for title, look, mode in entries))

    def text(self):
        """The whole script."""
        return "\n".join(self.lines) + "\n"


# ---- Pft@k over k ----

def best_net(m, kernel, split):
    """The paper's network, trained here, with the highest Pft@10 of all types."""
    found = [(f.value, net) for net in NETS if (f := pft(m, [kernel], split, 10, net))]
    return max(found)[1] if found else None


def curve(m, kernel, split, method, dtype):
    """(k, Pft) for each k."""
    found = [(int(k), pft(m, [kernel], split, k, method, dtype)) for k in KS] if method else []
    return [(k, f.value) for k, f in found if f]


def curves(m, split):
    """A panel for each kernel and type: ours, and others."""
    paper, script, any_curve = read_published(), Script(760, 1180, 5, 2), False
    script.set("logscale x", "xrange [0.9:110]", "yrange [0:100]", "xtics (1, 3, 10, 30, 100)",
               "xlabel 'k, tuples'", "ylabel 'Pft\\@k, %'")
    for kernel in m.specs:
        for dtype in ("FP32", "FP16"):
            shown = [("ours", OURS), ("net", best_net(m, kernel, split)), ("chain", "chain"),
                     ("forest", "forest+rule"), ("nearest", "nearest+rule")]
            drawn = [(curve(m, kernel, split, method, dtype), LOOKS[look], "linespoints")
                     for look, method in shown]
            any_curve = any_curve or any(points for points, _, _ in drawn)
            own = [(int(k), paper[kernel, dtype, "beam", k]) for k in KS
                   if (kernel, dtype, "beam", k) in paper]
            if any(points for points, _, _ in drawn):
                drawn.append((own, LOOKS["paper"], "points"))
            script.panel(f"{m.title(kernel)}, {dtype}", drawn)
    script.key([("kpred", LOOKS["ours"], "linespoints"), ("chain", LOOKS["chain"], "linespoints"),
                ("best of the paper''s networks", LOOKS["net"], "linespoints")], 1)
    script.key([("random forest + rule", LOOKS["forest"], "linespoints"),
                ("nearest + rule", LOOKS["nearest"], "linespoints"),
                ("the paper''s own figures", LOOKS["paper"], "points")], 1)
    return script.text() if any_curve else None


# ---- calibration ----

def calibration(m, _):
    """A panel for each kernel: what was observed against what was predicted."""
    looks = {("config", 1): "ours", ("config", 10): "net", ("shape", 1): "chain",
             ("shape", 10): "forest"}
    if not m.reliability:
        return None
    script = Script(760, 840, 3, 2)
    script.set("xrange [0:100]", "yrange [0:100]", "xlabel 'predicted, %'", "ylabel 'observed, %'")
    for kernel in m.specs:
        drawn = [([(x["predicted"], x["observed"]) for x in m.reliability.get((kernel, split), [])
                   if x["k"] == k and x["bin"] != "all"], LOOKS[look], "linespoints")
                 for (split, k), look in looks.items()]
        script.panel(m.title(kernel), drawn, "x with lines lc rgb '#999999' dt 3")
    entries = [(f"{split}, k = {k}", LOOKS[look], "linespoints")
               for (split, k), look in looks.items()]
    script.key(entries[:2], 1)
    script.key(entries[2:] + [("perfect", "lc rgb '#999999' dt 3", "lines")], 1)
    return script.text()


# ---- accuracy against cost ----

def costs(m, kernel):
    """(look, [(bytes, microseconds, Pft@10)]) of ours, the paper's networks and the chain."""
    ours = [(c["10"][1], c["10"][0] / 1000, share(hits[10]).value)
            for _, hits, c in widths_of(m, kernel) if "10" in c]
    others = []
    for net in NETS:
        cost, figure = m.times.get(kernel, {}).get(net, {}).get("10"), \
            pft(m, [kernel], "config", 10, net)
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
    script = Script(760, 60 + 300 * len(kernels) + 60, len(kernels) + 1, 2)
    script.set("logscale x", "yrange [40:100]", "format x '10^{%L}'", "ylabel 'Pft\\@10, %'")
    for kernel in kernels:
        found = costs(m, kernel)
        for at, label in ((0, "bytes"), (1, "time of a prediction (beam 10), µs")):
            script.set(f"xlabel '{label}'")
            script.panel(m.title(kernel), [([(p[at], p[2]) for p in points if p[at] is not None],
                                            LOOKS[look], mode)
                                           for look, points, mode in found])
    script.key([("kpred at several widths", LOOKS["ours"], "linespoints")], 1)
    script.key([("the paper''s networks", LOOKS["net"], "points"),
                (NAMES["chain"], LOOKS["chain"], "points")], 1)
    return script.text()


PLOTS = {"config": (curves, "config"), "shape": (curves, "shape"),
         "calibration": (calibration, None), "frontier": (frontier, None)}
ALT = {"config": "Pft@k over k on the test rows of the split config, a panel for each kernel and "
                 "type",
       "shape": "the same for the split shape",
       "calibration": "observed against predicted share of hits, a panel for each kernel",
       "frontier": "Pft@10 against bytes and against the time of a prediction"}
