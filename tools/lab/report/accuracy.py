#!/usr/bin/env python3
# accuracy.py - how good the shipped models are: weights/accuracy.csv, and the tables of weights/README.md
# SPDX-License-Identifier: MIT
"""accuracy.py BUILD DB... measures every shipped model, and models of the shape split (BUILD/shape), for `make accuracy`.
weights/accuracy.csv has each GPU and type, integer and float networks; the tables of weights/README.md are made of it.

Models that ship with all rows learnt (AITER's, Triton's) have as split `fold` five models, which leave out each group of
new sizes once, beside other ways to predict on the same folds (tools/lab/report/gemm.sh aiter and triton, which keep
each fold in BUILD).

The kernels that the paper judges take the DBs; others, and timed data, take files of MIOPEN_DB, GEMM takes tables of
TENSILE_CSV, AITER's kernels take those of AITER_CSV, Triton's those of TRITON_CONFIGS. KERNELS in the environment: only
these models (gemm: all of GEMM) are measured; empty: none. The others stay.

Needs only Python's standard library.
"""
import csv
import io
import math
import os
import re
import subprocess
import sys
import tempfile
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "peers"))

from aiter_rows import MERGE_NAMES  # noqa: E402: needs the path
from rows import FOLDS as N_FOLDS, share_and_error  # noqa: E402

BUILD, DBS = sys.argv[1], sys.argv[2:]
PAGE, FIGURES, DOUBTFUL = "weights/README.md", "weights/accuracy.csv", "tools/triton/doubtful.h"
K = "1,10,30,50,100"
GROUPS = {"kernel": [["dtype", "all"], ["gpu,dtype"]], "timed": [["all", "gpu"]], "winners": [["all", "gpu"]],
          "configurations": [["all"]]}
COLUMNS = ["model", "split", "gpu", "type", "net", "n", "groups",
           *(f"pft{k}{error}" for k in (1, 3, 4, 8, 10, 30, 50, 100) for error in ("", "_error")),
           *(f"avg{k}" for k in K.split(",")),
           *"exact share1 share1_error share2 share4 p1 p5 unlisted legal".split(),
           *(f"tile{k}{error}" for k in (1, 4, 10) for error in ("", "_error"))]
FOLDS = {"winners": ("aiter", ["network", "nearest", "forest", "boosted"]),
         "configurations": ("triton", ["kpred", "default", "nearest", "forest", "boosted"])}
TOO_LONG = {("gemm_a8w8_blockscale", "boosted")} # on the folds of 31,872 rows: hours
OURS = ("network", "kpred") # the integer network, as the methods call it
NAMES = {"int8": "**kpred**", "default": "the server's default", "nearest": "nearest rows", "forest": "random forest",
         "boosted": "XGBoost"}
TIMED = "exact share1 share1_error p1 p5 unlisted".split() # as eval has them
TIMED_TABLE = "split | GPU | net | problems | groups | exact | share@1 | p1 | p5 | unlisted | share@2 | @4"
DIMENSIONS = "GPU | 2-D problems | exact | share | 3-D problems | exact | share"
GEMM = "layout | shapes | exact | share@1 | least@1 | share@2 | share@4 | share@8 | least@8"


def shell(line, *words):
    """The words that functions of trained.inc print"""
    done = subprocess.run(["sh", "-euc", "build=$1 train=$1/kpred-train; shift; . tools/train/trained.inc; " + line,
                           "accuracy.py", BUILD, *words], stdout=subprocess.PIPE, encoding="utf-8", check=False)
    return done.stdout.split() if done.returncode == 0 else sys.exit(1)


def read(path):
    """The text of a file"""
    with open(path, encoding="utf-8") as f:
        return f.read()


def renew(path, text):
    """A file, whole or as it was"""
    with open(path + ".new", "w", encoding="utf-8", newline="") as f:
        f.write(text)
    os.replace(path + ".new", path)


# ---- measuring: rows of the CSV, as dicts ----

def prepare(name, split, files):
    """The header of NAME trained for the split, unless that very model is there with its float network"""
    header = f"{BUILD}/{split}/{name}.h"
    if os.path.exists(header) and not os.path.exists(f"{header[:-2]}.f32"):
        os.remove(header)
    shell('train_ours "$@" >&2', name, split, *files)
    if split == "config" and not shell('spec_line "$@"', f"weights/{name}.spec", "split", "shipped"):
        ids = [re.search(r"(?m)^   id ([0-9a-f]*), ", read(path))[1] for path in (header, f"weights/{name}.h")]
        if ids[0] != ids[1]: # the commands in the headers differ by where kpred.h lies
            print(f"note: weights/{name}.h is not what these data files give", file=sys.stderr)
    return header


def evaluate(header, *options):
    """The lines of eval's table"""
    done = subprocess.run([f"{BUILD}/kpred-train", "eval", header, *options], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, encoding="utf-8", check=False)
    return [line.split() for line in done.stdout.splitlines()[1:]]


def row_of(name, net, lines, form):
    """Of a group eval's lines, one for each k: of timed data, which have more cells, shares, else hit rates"""
    _, split, gpu, dtype, _, n, groups, *_ = lines[-1]
    row = {"model": name, "split": split, "gpu": gpu, "net": net, "n": n, "groups": groups, "lines": lines}
    if form == "timed":
        return {**row, **dict(zip(TIMED, lines[0][11:17])), **{f"share{line[4]}": line[12] for line in lines}}
    row["legal"] = min((line[10] for line in lines), key=float)
    row["type"] = dtype if form == "kernel" else ""
    for _, _, _, _, k, _, _, pft, error, avg, *_ in lines:
        if form == "kernel":
            pft, error, row[f"avg{k}"] = (f"{float(x):.1f}" for x in (pft, error, avg))
        row[f"pft{k}"], row[f"pft{k}_error"] = pft, error
    return row


def outcomes_of(name, form, method):
    """Of each row that the folds test its group, GPU, and the place of what was tuned among the answers, maybe also
    that of its tile; 0: it is not among them"""
    if form == "configurations":
        paths, group, places = [f"{name}-{method}-{i}" for i in range(N_FOLDS)], ["configuration"], ["exact", "tile"]
    else:
        paths, group, places = [f"hits/{family_of(name)}-fold-{method}"], ["n", "k"], ["place"]
    for path in filter(os.path.exists, (f"{BUILD}/{FOLDS[form][0]}/{path}.csv" for path in paths)):
        for x in csv.DictReader(io.StringIO(read(path))):
            yield tuple(x[c] for c in group), x["gpu"], [int(x[c]) for c in places]


def family_of(name):
    """As gemm.sh calls it"""
    family = "".join(shell('spec_line "$@"', f"weights/{name}.spec", "data", "family"))
    return next(short for short, long in MERGE_NAMES.items() if long == family)


def fold_rows(name, form, k):
    """The network and the other ways on all folds: all GPUs together, then each"""
    what, methods = FOLDS[form]
    methods = [x for x in methods if (name, x) not in TOO_LONG]
    tables = os.environ["AITER_CSV" if form == "winners" else "TRITON_CONFIGS"]
    mine = {"FAMILIES": family_of(name), "TESTS": "fold"} if form == "winners" else {"MODELS": name}
    asked = {"METHODS": (" " if form == "winners" else ",").join(x for x in methods if x != "network")}
    subprocess.run(["sh", "tools/lab/report/gemm.sh", what, BUILD, tables], stdout=subprocess.DEVNULL, check=True,
                   env={**os.environ, **mine, **asked})
    rows = []
    for method in methods:
        found = list(outcomes_of(name, form, method))
        for gpu in ["all", *sorted({x[1] for x in found})]:
            part = [x for x in found if gpu in ("all", x[1])]
            units = [x[0] for x in part]
            row = {"model": name, "split": "fold", "gpu": gpu, "net": "int8" if method in OURS else method,
                   "n": str(len(part)), "groups": str(len(set(units)))}
            for at, column in enumerate(("pft", "tile")[:len(part[0][2])] if part else ()):
                for count in k.split(","):
                    hits = [0 < x[2][at] <= int(count) for x in part]
                    row[f"{column}{count}"], row[f"{column}{count}_error"] = map("{:.1f}".format,
                                                                                 share_and_error(hits, units))
            rows += [row] if part else []
    return rows


def rows_of(name, form, k, trained_on, judged_by):
    """All groups of the splits and networks"""
    splits = ["config"] if form in FOLDS else ["config", "shape"]
    headers, rows = {split: prepare(name, split, trained_on) for split in splits}, []
    for parts in GROUPS[form]:
        for split, net, by in ((s, n, b) for s in headers for n in ("int8", "float") for b in parts):
            groups = {}
            for line in evaluate(headers[split], "--data", *judged_by, "-k", k, "--by", by,
                                 *["--float"] * (net == "float")):
                groups.setdefault(tuple(line[1:4]), []).append(line)
            rows += [row_of(name, net, lines, form) for lines in groups.values()]
    return rows + (fold_rows(name, form, k) if form in FOLDS else [])


def roundings(rows):
    """What rounding to int8 changes, for each split, of all rows together"""
    for split in "config", "shape":
        ours, floats = [x for x in rows if (x["split"], x["gpu"], x["type"]) == (split, "all", "all")]
        change = {f"pft{a[4]}": f"{float(a[7]) - float(b[7]):+.2f}" for a, b in zip(ours["lines"], floats["lines"])}
        yield {**{x: ours[x] for x in COLUMNS[:7]}, "net": "change", **change}


def figures_of(shares):
    """Percent of shares that are 1, and the geometric mean"""
    mean = math.exp(sum(map(math.log, shares)) / len(shares)) if shares else 0
    return [f"{100 * shares.count(1) / len(shares):.2f}", f"{mean:.5f}"] if shares else ["", ""]


def dimension_line(header, path, place):
    """2-D and 3-D problems of a file; the layout is at that place of a key"""
    cells = [os.path.basename(path).removesuffix(".HIP.fdb.txt.bz2")]
    with tempfile.NamedTemporaryFile() as hits:
        evaluate(header, "--data", path, "-k", "1", "--by", "all", "--hits", hits.name)
        worth = [(x["key"].split(",")[place], float(x["share"])) for x in csv.DictReader(io.StringIO(read(hits.name)))]
    for is_3d in False, True:
        shares = [share for layout, share in worth if (layout == "NCDHW") == is_3d]
        cells += [str(len(shares)), *figures_of(shares)]
    return cells


def gemm_line(layout, hits):
    """The outcomes of a layout's folds"""
    cells = {}
    for k in 1, 2, 4, 8:
        shares = [float(x["share"]) for x in hits if x["k"] == str(k)]
        logs = [math.log(x) for x in shares]
        mean = sum(logs) / len(logs)
        error = math.exp(mean) * math.sqrt(sum(x * x for x in logs) - len(logs) * mean ** 2) / len(logs)
        cells[k] = [f"{math.exp(mean):.5f} ± {error:.5f}", f"{min(shares):.5f}"]
    exact = [int(x["hit"]) for x in hits if x["k"] == "1"]
    return [layout, str(len(exact)), f"{100 * sum(exact) / len(exact):.2f}", *cells[1], cells[2][0].split(" ")[0],
            cells[4][0], *cells[8]]


def gemm_lines():
    """All of Tensile's tables: a model for each shape, which has not learnt it"""
    command = ["sh", "tools/lab/report/gemm.sh", "tensile", BUILD, os.environ["TENSILE_CSV"]]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, env={**os.environ, "METHODS": ""}, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    hits = {layout.upper(): [x for path in shell(f'ls "$build/gemm/{layout}"-[0-9]*.csv')
                             for x in csv.DictReader(io.StringIO(read(path)))] for layout in shell("layouts_of_gemm")}
    return [gemm_line(*of) for of in [*hits.items(), ("all", sum(hits.values(), []))]]


# ---- the page, whose words are its own ----

def figure_cells(row, kind, counts):
    """With errors, at the counts; nothing where a way names fewer"""
    return [f"{row[f'{kind}{k}']} ± {row[f'{kind}{k}_error']}" for k in counts.split(",")]


class Page:
    """The text of weights/README.md, in which tables are put."""

    def __init__(self):
        self.text = read(PAGE)

    def put(self, section, heading, lines):
        """The lines of the table with that heading, the first one in a section"""
        at = self.text.find(f"\n## {section}\n")
        at = self.text.find(f"\n| {heading} |\n|---|", at) if at >= 0 else -1
        if at < 0:
            sys.exit(f"accuracy.py: {PAGE} has no section \"## {section}\" with a table \"| {heading} |\"")
        begin = self.text.index("\n", self.text.index("|---|", at)) + 1
        end = re.compile(r"^(?!\|)", re.M).search(self.text, begin).start()
        made = "".join(re.sub(r"\|  (?=\|)", "| ", f"| {' | '.join(line)} |") + "\n" for line in lines)
        self.text = self.text[:begin] + made + self.text[end:]

    def put_hits(self, section, says, counts, rows):
        """The integer network's figures on all GPUs and types, Pft at the counts, a line for each model and split"""
        self.put(section, f"model | split | {says} | Pft@" + counts.replace(",", " | @"),
                 [[f"`{x['model']}`", x["split"], x["n"], x["groups"], *figure_cells(x, "pft", counts)]
                  for x in rows if (x["gpu"], x["net"], x["split"] == "fold") == ("all", "int8", False)
                  and x.get("type", "") in ("", "all")])

    def put_folds(self, section, heading, counts, rows):
        """All ways on the folds, all GPUs together; the heading says if tiles stand behind the whole tuples"""
        kinds = ["pft", "tile"] if "tile" in heading else ["pft"]
        self.put(section, heading, [
            [f"`{x['model']}`", NAMES[x["net"]], x["n"], x["groups"], *(c for kind in kinds for c in
                                                                        figure_cells(x, kind, counts))]
            for x in rows if (x["gpu"], x["split"]) == ("all", "fold")])

    def put_timed(self, name, files, rows):
        """What is told of find-dbs; 2-D and 3-D problems apart, a line for each file, where the keys tell them apart"""
        names = textwrap.fill(", ".join(map(os.path.basename, files)) + ".", 111, break_on_hyphens=False)
        self.text = re.sub(rf"(?s)(\n## {name}\n.*?\nThe files are\n).*?(?=\n\n)", lambda m: m[1] + names, self.text)
        self.put(name, TIMED_TABLE, [
            [*(x[c] for c in "split gpu net n groups exact".split()), f"{x['share1']} ± {x['share1_error']}",
             *(x[c] for c in "p1 p5 unlisted share2 share4".split())]
            for x in rows if (x["gpu"], x["net"]) == ("all", "int8")])
        key = "".join(shell('spec_line "$@"', f"weights/{name}.spec", "split", "config")).split(",")
        if "layout" in key:
            self.put(name, DIMENSIONS, [dimension_line(f"{BUILD}/config/{name}.h", x, key.index("layout")) for x in files])


def write_doubtful(rows):
    """The GPUs where the folds' tiles are not ahead of the server's default by more than their error"""
    tiles = {(x["model"], x["gpu"], x["net"]): x for x in rows if x["split"] == "fold" and x.get("tile1")}
    found = [f'    X("{model}", "{gpu}")' for (model, gpu, net), x in sorted(tiles.items())
             if net == "int8" and gpu != "all"
             and float(x["tile1"]) - float(x["tile1_error"]) <= float(tiles[model, gpu, "default"]["tile1"])]
    old = read(DOUBTFUL)
    text = old.partition("(X) ")[0] + "(X) \\\n" + " \\\n".join(found) + "\n"
    if text != old: # the programs depend on it
        renew(DOUBTFUL, text)


def main():
    """Measures, and writes both files."""
    page, old, rows = Page(), list(csv.DictReader(io.StringIO(read(FIGURES)))), []
    miopen, only = os.environ.get("MIOPEN_DB", ""), os.environ.get("KERNELS")

    def add(name, form, k, folder, judged_by=None):
        if only is not None and name not in only.split(" "):
            kept = [x for x in old if x["model"] == name]
            rows.extend(kept or sys.exit(f"accuracy.py: {FIGURES} has no line of {name}"))
            return
        files = DBS if name in judged else shell('data_of "$@"', f"weights/{name}.spec", folder)
        found = rows_of(name, form, k, files, judged_by() if judged_by else files)
        rows.extend([*found, *roundings(found)] if form == "kernel" else found)
        if form == "timed":
            page.put_timed(name, files, found)

    judged, more = shell("all_kernels"), shell("more_kernels")
    of = {form: [os.path.basename(path)[:-5] for path in shell(f"specs_of {form}")]
          for form in ("find-db", "aiter", "triton", "tensile")}
    for name in judged + more:
        add(name, "kernel", K, miopen)
    for name in of["find-db"]:
        add(name, "timed", "1,2,4", miopen)
    for name in of["aiter"]:
        add(name, "winners", "1,3,8", ".", lambda n=name: shell('aiter_tables "$@"', f"weights/{n}.spec"))
    for name in of["triton"]:
        add(name, "configurations", "1,4,10", ".")
    if of["tensile"] and (only is None or "gemm" in only.split(" ")):
        page.put(", ".join(of["tensile"]), GEMM, gemm_lines())
    for section, says, counts, names in (("MIOpen's kernels", "problems | groups", K, judged + more),
                                         ("AITER's kernels", "problems | groups", "1,3,8", of["aiter"]),
                                         ("Triton's kernels", "rows | shapes", "1,4,10", of["triton"])):
        page.put_hits(section, says, counts, [x for x in rows if x["model"] in names])
    for section, heading, counts, name in (
            ("AITER's kernels", "model | way | problems | (N, K) | Pft@1 | @3 | @8", "1,3,8", "aiter"),
            ("Triton's kernels", "model | way | rows | configurations | Pft@1 | @4 | @10 | tile@1 | @4 | @10", "1,4,10",
             "triton")):
        page.put_folds(section, heading, counts, [x for x in rows if x["model"] in of[name]])
    write_doubtful(rows)
    dbs = " ".join(map(os.path.basename, DBS))
    page.text = re.sub("(eval FILE.h --data ).*(?= -k )", lambda m: m[1] + dbs, page.text)
    figures = io.StringIO()
    lines = csv.DictWriter(figures, COLUMNS, restval="", extrasaction="ignore", lineterminator="\n")
    lines.writeheader()
    lines.writerows(rows)
    renew(FIGURES, figures.getvalue())
    renew(PAGE, page.text)


if __name__ == "__main__":
    main()
