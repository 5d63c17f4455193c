"""coverage.py - make coverage: the lines and branches of the headers that the tests of the runtime reach
SPDX-License-Identifier: MIT

usage: coverage.py FOLDER [--tools [SUITE...]]    from the repository's root; it needs gcc and gcov

The programs of tests/mutants/programs run once, instrumented, and their counts are added up. A line or a
branch that none of them reaches has to be explained in tests/mutants/unreached, in the form of
tests/mutants/survivors: `+ line` or `+ branch` behind the line. An explanation of what is reached, or is not
there, is a failure; but with a `?` behind it, it may be reached, as another machine does. Code for other
machines is not compiled, so nothing is said about it. The last line is `N passed, N failed, N skipped`:
lines and branches reached or explained; the others.

With --tools it is told how many lines and branches of each file and room of tools/ the suites reach, those of
`make check` if none are named, as a table and as FOLDER/tools.csv. Nothing has to be explained: compare the
table with that of before a change of the tests.
"""
import glob
import gzip
import itertools
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


def told(counts):
    """What gcov tells of each source of these files of counts"""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["gcov", "--json-format", "--branch-probabilities", *counts], cwd=folder,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        for path in glob.glob(folder + "/*.gcov.json.gz"):
            with gzip.open(path, "rt", encoding="utf-8") as file:
                yield from json.load(file)["files"]


def measure(tree, number, program):
    """Compiles and runs one of them in a folder of its own; its counts, as gcov tells them"""
    weights, name, arguments = program
    folder = os.path.join(tree.root, "c%d" % number)
    os.mkdir(folder)
    command = run.compiles("gcc", name, weights, "-O0", "--coverage", NOT_INLINED)
    if tree.run([*command, folder + "/program"], 300) != 0 or tree.run([folder + "/program", *arguments], 300) != 0:
        sys.exit("%s does not pass" % name)
    yield from told(glob.glob(folder + "/*.gcda"))


def add(counts, file):
    """Adds to counts[header][line] = [count, [count of each branch]]"""
    of_header = counts.get(os.path.basename(file["file"]))
    for line in file["lines"] if of_header is not None else []:
        old = of_header.setdefault(line["line_number"], [0, []])
        old[0] += line["count"]
        more = [branch["count"] for branch in line["branches"]]
        old[1] = [a + b for a, b in itertools.zip_longest(old[1], more, fillvalue=0)]


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


# ---- the tools ----

def run_suites(build, suites):
    """Builds the tools instrumented, and runs the suites on them; what fails is theirs to say"""
    environment = dict(os.environ, BUILD=build, CC="gcc", CFLAGS="-O0 --coverage", JOBS=str(os.cpu_count()))
    subprocess.run(["make", "-s", "-j%d" % os.cpu_count(), "BUILD=" + build, "CC=gcc", "CFLAGS=-O0 --coverage",
                    "EXACT=-ffp-contract=off -pthread", "all"], check=True)
    subprocess.run(["sh", "tests/harness/run.sh", *suites], env=environment, check=False)


def of_tools(build):
    """{source: [lines, reached lines, branches, reached branches]}"""
    found = {}
    for folder, _, names in os.walk(build + "/tools"):
        data = [os.path.join(folder, name) for name in names if name.endswith(".gcda")]
        for source in told(data) if data else []:
            if source["file"].startswith("tools/") and source["file"].endswith(".c"):
                branches = [b["count"] for line in source["lines"] for b in line["branches"]]
                found[source["file"]] = [len(source["lines"]), sum(line["count"] > 0 for line in source["lines"]),
                                         len(branches), sum(count > 0 for count in branches)]
    return found


def tell_tools(folder, found):
    """The table of the rooms, and a CSV of the files"""
    rooms = {}
    with open(folder + "/tools.csv", "w", encoding="utf-8") as file:
        file.write("file,lines,lines_reached,branches,branches_reached\n")
        for source, counts in sorted(found.items()):
            file.write("%s,%d,%d,%d,%d\n" % (source, *counts))
            for room in (os.path.dirname(source), "all"):
                rooms[room] = [a + b for a, b in zip(rooms.get(room, [0] * 4), counts)]
    for room, (lines, reached, branches, taken) in sorted(rooms.items(), key=lambda item: (item[0] == "all", item[0])):
        print("%-22s %5d of %5d lines %5.1f %%, %5d of %5d branches %5.1f %%" % (
            room, reached, lines, 100 * reached / lines, taken, branches, 100 * taken / max(branches, 1)))


def tools(folder, suites):
    build = os.path.abspath(folder) + "/build"
    for path in glob.glob(build + "/tools/**/*.gcda", recursive=True):
        os.remove(path)
    run_suites(build, suites)
    tell_tools(folder, of_tools(build))


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    if sys.argv[2:3] == ["--tools"]:
        tools(sys.argv[1], sys.argv[3:])
        return
    counts = {header: {} for header in run.HEADERS}
    tree = run.Tree(tempfile.mkdtemp(dir=os.path.abspath(sys.argv[1])))
    try:
        for number, program in enumerate(programs()):
            for file in measure(tree, number, program):
                add(counts, file)
    finally:
        shutil.rmtree(tree.root)
    sys.exit(report(counts) > 0)


if __name__ == "__main__":
    main()
