"""tools.py - make mutants TOOLS=1: which of a sample of mutants of tools/ do the suites of make check notice?
SPDX-License-Identifier: MIT

usage: [JOBS=N] tools.py BUILD [SAMPLE]    from the repository's root, after make; SAMPLE is 40 unless it is given

The sample is drawn from all rooms but evolve and peers, and is the same every time for the same sources. A copy of
the tree and of what make built gets one mutant after the other. Then suites run until one fails: first the programs
that include the header of the file, then those of its room, then all others of make check, and those that take long
at last. A mutant that does not compile, or of which the same object is made, counts for nothing: the next one is
drawn. Each line tells the fate, FILE:LINE, what was changed, and the suite; the last one is `N passed, N failed, N
skipped`: killed, survived, untried.
"""
import glob
import os
import random
import re
import sys

import breaks
import mutator
import run

SECONDS = 5 # a suite that takes longer is asked when all others have passed
APART = re.compile("/(evolve|runtime|proof|hip)/") # tests that have nothing of these tools
GENERAL = ["test_cli", "json", "test_specs", "test_data"] # these run the programs, so they reach most of the code


def suites_of_check():
    """The suites of make check and their seconds, by tests/harness/suites; those that are not in it are short"""
    named, suites = set(), {}
    for line in run.read("tests/harness/suites").split("\n"):
        if line and line[0] != "#":
            seconds, kind, name = line.split()
            named.add(name.split("-")[0])
            if kind not in ("wide", "deep"):
                suites[name] = int(seconds)
    found = [os.path.basename(path)[:-2] for path in sorted(glob.glob("tests/*/test_*.c"))]
    return {**suites, **{name: 0 for name in found if name not in named}}


def suites_for(path, suites):
    """In the order in which they are asked"""
    room, header = path.split("/")[1], '"%s.h"' % path[len("tools/"):-2]
    sources = {os.path.basename(test)[:-2]: test for test in glob.glob("tests/*/test_*.c")}

    def nearness(name):
        test = sources.get(name, "")
        return (suites[name] > SECONDS, not (test and header in run.read(test)), "/%s/" % room not in test,
                GENERAL.index(name) if name in GENERAL else len(GENERAL))
    return sorted((name for name in suites if not APART.search(sources.get(name, ""))), key=nearness)


def mutants():
    """(path, mutant) of all files, shuffled; each file has as many as it has places to change"""
    paths = [path for path in sorted(glob.glob("tools/**/*.c", recursive=True))
             if not re.match("tools/(evolve|lab/peers|lab/bench)/", path)]
    found = [(path, mutant) for path in paths for mutant in mutator.mutants(run.read(path))]
    random.Random(1).shuffle(found)
    return found


def fate(folder, path, mutant, suites):
    """("none", ""), ("killed", SUITE) or ("survived", "") of a mutant in that copy of the tree"""
    target, before = os.path.join(folder, path), run.read(path)
    made = os.path.join(folder, "build", path[:-2] + ".o")
    with open(made, "rb") as file:
        code = file.read()
    run.write(target, mutator.applied(before, mutant))
    try:
        if not breaks.builds(folder):
            return "none", ""
        with open(made, "rb") as file:
            if file.read() == code:
                return "none", ""
        for suite in suites_for(path, suites):
            if breaks.failures(folder, suite):
                return "killed", suite
        return "survived", ""
    finally:
        run.write(target, before)
        breaks.builds(folder)


def main():
    sample = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    os.environ["LIMIT"] = "300"
    drawn, suites, counts = iter(mutants()), suites_of_check(), {"killed": 0, "survived": 0}

    def one(folder, _):
        found = "none"
        while found == "none":
            path, mutant = next(drawn)
            found, by = fate(folder, path, mutant, suites)
        old = run.read(path).split("\n")[mutant[0]].strip()
        return found, "%s %s:%d: %s => %s%s" % (found, path, mutant[0] + 1, old, mutant[2].strip(), by and " by " + by)

    for found, line in breaks.in_copies(sys.argv[1], range(sample), one):
        counts[found] += 1
        print(line, flush=True)
    print("%d passed, %d failed, %d skipped" % (counts["killed"], counts["survived"], sample - sum(counts.values())))
    return counts["survived"] > 0


if __name__ == "__main__":
    sys.exit(main())
