#!/usr/bin/env python3
# gpu.py - writes into docs/gpu.md and README.md what `make gpu-day` measured
# SPDX-License-Identifier: MIT
"""Writes the figures of docs/gpu.md, and README's sentence about GPUs, from the CSV files of results.

Each RESULTS is a folder of day.sh. What ran on a processor is marked as such; README's sentence names the first
GPU among them. An interval draws problems, and of each problem its races. Two of three tables name the best
candidate, and the third one judges, in all three ways.
"""
import csv
import math
import os
import random
import re
import statistics
import sys
import textwrap

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3))
sys.path.insert(1, os.path.join(ROOT, "tools/lab/peers"))

from rows import die, parser_of  # noqa: E402: needs the path

DRAWS = 2000
WAYS = {"ceiling": "the best of all, by two tables, in the third", "kpred": "**the first k predicted tuples**",
        "raced": "the winner of a race of them on the device", "forest": "a random forest (scikit-learn)",
        "xgboost": "boosted trees (XGBoost)", "nearest": "the nearest tuned problem",
        "single": "the best tuples on average", "random": "random tuples"}
RACED = """The ten candidates of a problem are the fastest of 40 random legal tuples. Each is timed 20 times in rounds,
three times over: before the races, between them and after them."""
COLD = """Each call has a new problem. The figures are medians. The rest is the time until the host knows of the
kernel's end, less the kernel's own. Finding the code loads it where no call has done so."""
NONE = "**kpred timed nothing on a GPU**, only [kernels on processors](docs/gpu.md)."


def rows_of(folder, name):
    """The rows of a file, none where it is not there; a row that was cut is left out."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as f:
        rows = csv.DictReader(line for line in f if not line.startswith("#"))
        return [row for row in rows if None not in row.values()]


def about(folder):
    """What the first lines of the results say, by name."""
    try:
        with open(os.path.join(folder, "about"), encoding="utf-8") as f:
            return dict(re.findall(r"^# ([^:]+): (.*)$", f.read(), re.M))
    except OSError as e:
        return die(f"{folder}: are no results of gpu-day: {e}")


def number(row, name, path):
    """A cell that is a number."""
    try:
        return float(row[name])
    except (ValueError, KeyError):
        return die(f"{path}: {name} \"{row.get(name)}\" is no number")


def table(heading, rows):
    """A table in Markdown."""
    rows = [heading, ["---"] * len(heading), *rows]
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def geometric(values):
    """The geometric mean."""
    return math.exp(statistics.fmean(map(math.log, values)))


# ---- what a race loses ----

def problems_of(rows, path):
    """By problem: the times by table and candidate, and by budget (winner, launches, share spent); whole ones alone."""
    found = {}
    for row in rows:
        times, races = found.setdefault((row["m"], row["n"], row["k"]), ({}, {}))
        if row["kind"] == "time":
            times.setdefault(int(row["table"]), {})[int(row["candidate"])] = number(row, "time_us", path)
        else:
            budget = number(row, "budget_us", path)
            races.setdefault(budget, []).append((int(row["candidate"]), number(row, "launches", path),
                                                 number(row, "device_us", path) / budget))
    return [(times, races) for times, races in found.values() if len(times) == 3]


def loss(times, winner):
    """The winner's time by the best one's, a logarithm: two tables name the best one, the third one judges."""
    logs = []
    for judge in times:
        others = [times[t] for t in times if t != judge]
        best = min(times[judge], key=lambda c: sum(math.log(t[c]) for t in others))
        logs.append(math.log(times[judge][winner] / times[judge][best]))
    return statistics.fmean(logs)


def interval(logs):
    """The 2.5th and 97.5th percentile of the mean, in percent."""
    draw = random.Random(1)

    def mean():
        return statistics.fmean(statistics.fmean(draw.choices(of, k=len(of))) for of in draw.choices(logs, k=len(logs)))

    means = sorted(mean() for _ in range(DRAWS))
    return [100 * math.expm1(means[int(DRAWS * part)]) for part in (0.025, 0.975)]


def losses(folder):
    """By budget: rows of the table of races."""
    problems = problems_of(rows_of(folder, "race.csv"), os.path.join(folder, "race.csv"))
    for budget in sorted({b for _, races in problems for b in races}):
        logs = [[loss(times, winner) for winner, _, _ in races[budget]] for times, races in problems if budget in races]
        every = [race for _, races in problems for race in races.get(budget, [])]
        flat = [x for of in logs for x in of]
        low, high = interval(logs)
        yield {"budget": budget, "mean": 100 * math.expm1(statistics.fmean(map(statistics.fmean, logs))), "low": low,
               "high": high, "right": sum(x <= 0.01 for x in flat) / len(flat), "problems": len(logs),
               "launches": statistics.fmean(r[1] for r in every), "spent": statistics.fmean(r[2] for r in every)}


# ---- sections ----

def sound(folder):
    """What was right."""
    rows = rows_of(folder, "sound.csv")
    said = ", ".join(row["check"] + (f" (**{row['result']}**)" if row["result"] != "ok" else "") for row in rows)
    return rows and "### Is it right\n\n" + textwrap.fill(f"{len(rows)} checks: {said}.", 120) + "\n"


def raced(folder):
    """What races lose."""
    rows = [[f"{r['budget'] / 1000:g}", f"{r['mean']:.2f} ({r['low']:.2f} to {r['high']:.2f})",
             f"{100 * r['right']:.0f}", f"{r['launches']:.0f}", f"{r['spent']:.2f}", str(r["problems"])]
            for r in losses(folder)]
    heading = ["budget, ms", "loss, % (95 %)", "within 1 %", "launches", "budget spent", "problems"]
    return rows and f"### What a race loses\n\n{RACED}\n\n" + table(heading, rows)


def learned(folder):
    """The loop: shares of the best speed."""
    by_way = {}
    for row in rows_of(folder, "peers.csv"):
        by_way.setdefault(row["way"], {})[row["k"]] = row
    rows = []
    for way in (way for way in WAYS if way in by_way):
        of = by_way[way]
        first = of.get("1") or of.get("-")
        lead = "{ahead} ({ahead_low} to {ahead_high})".format(**first) if first and first["ahead"] != "-" else ""
        rows.append([WAYS[way], first["share"] if first else "", f"{first['low']} to {first['high']}" if first else "",
                     *(of[k]["share"] if k in of else "" for k in ("4", "8")), lead])
    heading = ["way", "k = 1", "95 %", "k = 4", "k = 8", "kpred's lead at k = 1"]
    return ("### The loop\n\n" + table(heading, rows) if rows else "") + vendor(folder)


def best_times(folder):
    """By problem the best time of a tuple, a geometric mean over the three tables."""
    times = {}
    for i in (1, 2, 3):
        for row in rows_of(folder, f"full_{i}.csv"):
            if row["time_us"] != "failed":
                cells = list(row.values())
                times.setdefault(tuple(cells[:3]), {}).setdefault(tuple(cells[3:-1]), []).append(float(row["time_us"]))
    best = {p: [geometric(us) for us in of.values() if len(us) == 3] for p, of in times.items()}
    return {p: min(us) for p, us in best.items() if us}


def vendor(folder):
    """The vendor's library beside the best tuple."""
    best = best_times(folder)
    shares = [best[key] / float(row["time_us"]) for row in rows_of(folder, "vendor.csv")
              if (key := (row["m"], row["n"], row["k"])) in best]
    if not shares:
        return ""
    return (f"\nThe vendor's library has {geometric(shares):.2f} of the speed of the best tuple, a geometric mean over "
            f"{len(shares)}\nproblems ({min(shares):.2f} to {max(shares):.2f}).\n")


def cold(folder):
    """From a new problem to the kernel's start."""
    path, rows = os.path.join(folder, "cold.csv"), []
    for way, of in (("with", "with a prediction"), ("without", "without")):
        for first in (True, False):
            found = [[number(row, f"{part}_us", path) for part in ("predict", "load", "rest")]
                     for row in rows_of(folder, "cold.csv") if row["way"] == way and (row["call"] == "1") == first]
            if found:
                rows.append([of, "the first" if first else "later ones", str(len(found)),
                             *(f"{statistics.median(part):.1f}" for part in zip(*found))])
    heading = ["call", "of a process", "calls", "prediction, µs", "finding the code, µs", "launch and the rest, µs"]
    return rows and f"### Cold calls\n\n{COLD}\n\n" + table(heading, rows)


def evolved(folder):
    """What kpred-evolve found."""
    rows = [[f"`{row['kernel']}`", row["evaluations"],
             "{gain} ({low} to {high})".format(**row) if row["low"] else "none"]
            for row in rows_of(folder, "evolve.csv")]
    return rows and "### Evolved kernels\n\n" + table(["kernel", "evaluations", "gain, % (95 %)"], rows)


def section(folder):
    """All of a folder."""
    of = about(folder)
    what = "**a processor by OpenCL, and no GPU**" if of.get("arch") == "opencl" else f"a GPU, `{of.get('arch')}`"
    head = (f"## {of.get('device', 'a device')}\n\nThis is {what}. Driver: {of.get('driver', 'unknown')}; "
            f"{of.get('date', '')}. The load average was {of.get('load', 'unknown')}.\n\n")
    return head + "\n".join(part for part in (f(folder) for f in (sound, raced, learned, cold, evolved)) if part)


def sentence(folders):
    """README's: of the first GPU."""
    gpus = [folder for folder in folders if about(folder).get("arch") != "opencl"]
    if not gpus:
        return NONE
    parts = [f"kpred was timed on one GPU, {about(gpus[0]).get('device', '').split(',')[0]}** ([figures](docs/gpu.md))"]
    parts += [f"a race of 20 ms loses {r['mean']:.1f} %" for r in losses(gpus[0]) if r["budget"] == 20000]
    parts += [f"the first predicted tuple has {row['share']} of the best speed" for row in rows_of(gpus[0], "peers.csv")
              if (row["way"], row["k"]) == ("kpred", "1")]
    return "**" + parts[0] + (": " + ", and ".join(parts[1:]) if parts[1:] else "") + "."


def replace(path, pattern, text):
    """Writes a page anew, whole or not at all."""
    with open(path, encoding="utf-8") as f:
        old = f.read()
    new, n = re.subn(pattern, lambda _: text, old, count=1, flags=re.S)
    if n != 1:
        die(f"{path}: has no place for the figures")
    with open(path + ".new", "w", encoding="utf-8") as f:
        f.write(new)
    os.replace(path + ".new", path)


def main():
    """The two pages."""
    p = parser_of(__doc__)
    p.add_argument("results", nargs="+", metavar="RESULTS", help="a folder of CSV files")
    p.add_argument("--page", default=os.path.join(ROOT, "docs/gpu.md"))
    p.add_argument("--readme", default=os.path.join(ROOT, "README.md"))
    options = p.parse_args()
    figures = "\n".join(map(section, options.results))
    replace(options.page, r"(?<=<!-- figures -->\n).*?(?=<!-- end of figures -->)", f"\n{figures}\n")
    replace(options.readme, r"\*\*kpred (timed nothing|was timed) on .*?\)(:.*?)?\.(?=\s)", sentence(options.results))


if __name__ == "__main__":
    main()
