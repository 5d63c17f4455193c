"""coverage.py - make coverage: the lines and branches of the headers that the tests of the runtime reach
SPDX-License-Identifier: MIT

usage: coverage.py FOLDER    from the repository's root; it needs gcc and gcov

The programs of tests/mutants/programs run once, instrumented, and their counts are added up. A line or a
branch that none of them reaches has to be explained in tests/mutants/unreached, in the form of
tests/mutants/survivors: `+ line` or `+ branch` behind the line. An explanation of what is reached, or is not
there, is a failure; but with a `?` behind it, it may be reached, as another machine does. Code for other
machines is not compiled, so nothing is said about it. The last line is `N passed, N failed, N skipped`:
lines and branches reached or explained; the others.
"""
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

import run

# gcov counts the branches of each copy of an inlined function by themselves; no program needs every copy.
NOT_INLINED = "-Dalways_inline=noinline"


def programs():
    """(weights, program, arguments) of each, once"""
    seen = {}
    for line in run.table("programs"):
        _, _, weights, program, *arguments = line.split()
        seen[program] = (weights, program, arguments)
    return list(seen.values())


def measure(tree, number, program):
    """Compiles and runs one of them in a folder of its own; its counts, as gcov tells them"""
    weights, name, arguments = program
    include = ["-Ielided", "-I."] if weights == "elided" else ["-I."]
    folder = os.path.join(tree.root, "c%d" % number)
    os.mkdir(folder)
    command = ["gcc", *run.FLAGS, "-O0", "--coverage", NOT_INLINED, *include, "-Itests", "tests/%s.c" % name, "-lm", "-pthread",
               "-o", folder + "/program"]
    if tree.run(command, 300) != 0 or tree.run([folder + "/program", *arguments], 300) != 0:
        sys.exit("%s does not pass" % name)
    subprocess.run(["gcov", "--json-format", "--branch-probabilities", *glob.glob(folder + "/*.gcda")],
                   cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    for path in glob.glob(folder + "/*.gcov.json.gz"):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield json.load(file)


def add(counts, document):
    """Adds to counts[header][line] = [count, [count of each branch]]"""
    for file in document["files"]:
        header = os.path.basename(file["file"])
        if header not in run.HEADERS:
            continue
        for line in file["lines"]:
            old = counts[header].setdefault(line["line_number"], [0, []])
            old[0] += line["count"]
            for i, branch in enumerate(line["branches"]):
                if i == len(old[1]):
                    old[1].append(0)
                old[1][i] += branch["count"]


def unreached(counts):
    """(header, line, "line" or "branch", how many)"""
    for header in run.HEADERS:
        for number, (count, branches) in sorted(counts[header].items()):
            if count == 0:
                yield header, number, "line", 1
            elif 0 in branches:
                yield header, number, "branch", branches.count(0)


def report(counts):
    known, met, failed = run.explanations("unreached"), set(), 0
    total = sum(1 + len(line[1]) for header in run.HEADERS for line in counts[header].values())
    for header, number, what, n in unreached(counts):
        text = run.read(header).split("\n")[number - 1].strip()
        entry = [e for e in known if e[:2] == (header, text) and e[2].rstrip("?") == what]
        if entry:
            met.update(entry)
        else:
            print("FAIL %s:%d: %d %s not reached: %s" % (header, number, n, what, text))
            failed += n
    for entry in known:
        if entry not in met and not entry[2].endswith("?"):
            print("FAIL tests/mutants/unreached: %s: this is reached: %s (%s)" % entry)
            failed += 1
    for header in run.HEADERS:
        lines = counts[header].values()
        branches = [b for line in lines for b in line[1]]
        print("%s: %d of %d lines, %d of %d branches" % (header, sum(line[0] > 0 for line in lines), len(lines),
                                                         sum(b > 0 for b in branches), len(branches)))
    print("%d passed, %d failed, 0 skipped" % (total - failed, failed))
    return failed or not all(counts.values())


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    counts = {header: {} for header in run.HEADERS}
    tree = run.Tree(tempfile.mkdtemp(dir=os.path.abspath(sys.argv[1])))
    try:
        for number, program in enumerate(programs()):
            for document in measure(tree, number, program):
                add(counts, document)
    finally:
        shutil.rmtree(tree.root)
    sys.exit(report(counts) > 0)


if __name__ == "__main__":
    main()
