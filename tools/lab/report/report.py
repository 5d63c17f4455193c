#!/usr/bin/env python3
# report.py - accuracy.md and its plots from measurements
# SPDX-License-Identifier: MIT
"""Writes accuracy.md and its plots from what measure.sh measured.

The text comes from a template, in which {{NAME}} and {{NAME ARGUMENT}} stand for the tables of
sections.py, and {{plot NAME}} for the pictures of plots.py. The first page and a sentence are made
last, of the other tables. What is not measured is said to be so. Comments in the document say where a table begins
and ends: with --keep a table that is measured in part stays as it is in the document. The lines of
{{rows NAME}} go to a CSV file beside the document instead, which has one for each figure. With --keep those that are
not measured again stay there. Files take
their names when all are written: plots beside the text, as accuracy-NAME.svg. Without gnuplot there
are none, and the text says so.

Needs only Python's standard library.
"""
import argparse
import csv
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "peers"))

import plots  # noqa: E402: needs the path
import sections  # noqa: E402
from measured import Measured  # noqa: E402
from rows import die  # noqa: E402


def read_lines(path):
    """The lines of a file."""
    try:
        with open(path, encoding="utf-8") as f:
            return f.read().splitlines()
    except (OSError, UnicodeDecodeError) as e:
        die(f"{path}: {e}")


def draw(m):
    """The plots that can be drawn, by name: SVG, or the reason why there is none."""
    drawn = {}
    for name, (function, argument) in plots.PLOTS.items():
        script = function(m, argument)
        drawn[name] = (plots.gnuplot(script), "not drawn") if script else (None, sections.NOT)
    if any(svg is None and why == "not drawn" for svg, why in drawn.values()):
        print("report.py: there is no gnuplot, which draws plots (Debian: apt-get install "
              "gnuplot-nox): the report is without them", file=sys.stderr)
    return drawn


def kept_plots(drawn, base):
    """The plots that lie there already and show more: those that cannot be drawn, or have less in them."""
    kept = {}
    for name, (svg, _) in drawn.items():
        path = f"{base}-{name}.svg"
        if os.path.exists(path) and len(svg or "") < os.path.getsize(path):
            kept[name] = ("\n".join(read_lines(path)) + "\n", "")
    return kept


def plot_lines(name, drawn, stem):
    """The picture, or why it is not there."""
    svg, why = drawn[name]
    return [f"![{plots.ALT[name]}]({stem}-{name}.svg)"] if svg else [f"(Plot: {why}.)"]


END = "<!-- end -->"


def marked(path):
    """The tables of a document by what the template calls them."""
    found, name = {}, None
    for line in read_lines(path):
        begins = re.fullmatch(r"<!-- (\w+(?: \w+)?) -->", line)
        if line == END:
            name = None
        elif begins:
            name = begins.group(1)
            found[name] = []
        elif name:
            found[name].append(line)
    return found


def single(path):
    """The lines of the CSV file beside a document by what the template calls their table."""
    found = {}
    for line in read_lines(path)[1:] if os.path.exists(path) else []:
        whole = sections.csv_line(dict(zip(sections.SINGLE, next(csv.reader([line]))))) # of older ones, too
        found.setdefault(f"rows {line.partition(',')[0]}", []).append(whole)
    return found


def csv_of(tables):
    """That file, of all tables of single lines; what is not measured has none."""
    lines = [line for name, of in tables.items() if name.startswith("rows ") for line in of if not line.startswith("(")]
    return "\n".join([",".join(sections.SINGLE), *lines]) + "\n"


def merged(new, old):
    """Lines of CSV: the old ones, those that are measured again as they are now, and new ones beside their like."""
    if not new or new[0].startswith("("):
        return old
    key = {line: tuple(next(csv.reader([line]))[:4]) for line in [*new, *old]}
    again, keys = {key[line]: line for line in new}, [key[line] for line in old]
    for this, before in zip(map(key.get, new), [("", ""), *map(key.get, new)]):
        if this not in keys and before[1] == this[1]:
            keys.insert(keys.index(before) + 1, this)
        elif this not in keys:
            keys.insert(next((i for i, x in enumerate(keys) if x[1] == this[1]), len(keys)), this)
    return [again.get(x) or next(line for line in old if key[line] == x) for x in keys]


def is_less(new, old):
    """Is less measured in these lines than in the old ones?"""
    return len(new) < len(old) or \
        "\n".join(new).lower().count(sections.NOT) > "\n".join(old).lower().count(sections.NOT)


def tables_of(path, lines, m, old):
    """By name the lines of all that the template asks for; what follows from other tables last."""
    tables, derived = {}, []
    for number, line in enumerate(lines, 1):
        found = re.fullmatch(r"\{\{(\w+)(?: (\w+))?\}\}", line)
        if not found or found.group(1) == "plot" and found.group(2) in plots.PLOTS:
            continue
        name = line.strip("{}")
        if found.group(1) in sections.SECTIONS:
            new = sections.SECTIONS[found.group(1)](m, found.group(2))
            tables[name] = new if name not in old else merged(new, old[name]) if found.group(1) == "rows" else \
                old[name] if is_less(new, old[name]) else new
        elif found.group(1) in sections.DERIVED:
            derived.append(found.groups())
        else:
            die(f"{path}:{number}: {line}: there is no such section or plot")
    made = {" ".join(filter(None, x)): sections.DERIVED[x[0]](tables, x[1]) for x in derived}
    return {**tables, **made}


def fill(lines, tables, drawn, stem):
    """The template's text with everything in its place."""
    out = []
    for line in lines:
        name = line[2:-2] if line.startswith("{{") else ""
        if name.startswith("rows "):
            continue
        if name in tables:
            out += [f"<!-- {name} -->", *tables[name], END]
        elif name.startswith("plot "):
            out += plot_lines(name[5:], drawn, stem)
        else:
            out.append(line)
    return "\n".join(out) + "\n"


def write_all(texts):
    """Files by path, each whole and all at the end."""
    temporary = {}
    try:
        for path, text in texts.items():
            folder = os.path.dirname(path) or "."
            with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="\n", dir=folder,
                                             prefix=".kpred", delete=False) as f:
                temporary[path] = f.name
                f.write(text)
            os.chmod(f.name, 0o644)
        for path in list(temporary):
            os.replace(temporary[path], path)
            del temporary[path]
    except OSError as e:
        die(str(e), 1)
    finally:
        for name in temporary.values():
            os.unlink(name)


def main():
    """Reads, draws, writes."""
    p = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", help="where measure.sh wrote: build/report")
    p.add_argument("--gemm", metavar="FOLDER", help="where gemm.sh wrote (default: gemm beside it)")
    p.add_argument("-o", dest="out", default="tools/lab/docs/accuracy.md", metavar="FILE")
    p.add_argument("--keep", action="store_true",
                   help="of the document that is there, keep each table and plot of which less is "
                        "measured in the folder")
    p.add_argument("--weights", default="weights", help="folder of the specs and shipped headers")
    p.add_argument("--template", default=os.path.join(HERE, "accuracy.md"))
    options = p.parse_args()
    if not os.path.isdir(options.folder):
        die(f"{options.folder}: there is no such folder: measure.sh makes it")
    folds = options.gemm or os.path.join(os.path.dirname(os.path.abspath(options.folder)), "gemm")
    m = Measured(options.folder, options.weights, folds)
    if not m.specs:
        die(f"{options.weights}: there is no .spec in it")
    drawn, base = draw(m), os.path.splitext(options.out)[0]
    if options.keep:
        drawn.update(kept_plots(drawn, base))
    texts = {f"{base}-{name}.svg": svg for name, (svg, _) in drawn.items() if svg}
    old = {**marked(options.out), **single(f"{base}.csv")} if options.keep else {}
    lines = read_lines(options.template)
    tables = tables_of(options.template, lines, m, old)
    texts[f"{base}.csv"] = csv_of(tables)
    texts[options.out] = fill(lines, tables, drawn, os.path.basename(base))
    write_all(texts)


if __name__ == "__main__":
    main()
