"""tools.py - make mutants TOOLS=1: which of a sample of mutants of tools/ do the suites of their own room notice?
SPDX-License-Identifier: MIT

usage: [JOBS=N] [PART=K/N] tools.py BUILD [SAMPLE [SEED]]    from the repository's root, after make; 120 of seed 1

The sample takes as much of each room as the room has of the lines, and is the same every time for the same sources
and seed. A copy of the tree and of what make built gets one mutant after the other. Then suites run until one fails:
the programs that include the header of the file, then the suites of its room, but for those of kind `deep`. A mutant
that does not compile, or of which the same object is made, counts for nothing: the next one is drawn. Each line tells
the fate, FILE:LINE, what was changed, and the suite; the last one is `N passed, N failed, N skipped`: killed, or
explained in tests/mutants/survivors; survived; counting for nothing. PART: of the sample each N-th, the K-th first, and
none is drawn in place of one that counts for nothing.
"""
import glob
import os
import random
import re
import sys

import breaks
import mutator
import run

NOT_IN_BUILD = re.compile("tools/(lab/peers|lab/bench|python|.*/(tests|examples))/")
# What else tests a room, in other folders
ELSEWHERE = {"base": "test_cli json test_specs test_data test_serve plot", "lab": "test_cli", "train": "page",
             "eval": "test_cli test_training test_judges samples page", "tune": "page", "triton": "test_serve",
             "survey": "test_init test_tables test_tuner test_conditions", "data": "test_init test_training",
             "cli": "test_training test_tuning", "aiter": "test_serve", "model": "test_cli"}


def suites():
    """The suites but those of kind deep, and their seconds, by the tables of suites; those not in it are short"""
    named, found = set(), {}
    for line in "\n".join(map(run.read, run.tests_named("suites"))).split("\n"):
        if line and line[0] != "#":
            seconds, kind, name = line.split()
            named.add(name.split("-")[0])
            if kind != "deep":
                found[name] = int(seconds)
    return {**{name: 0 for name in map(suite_of, sources()) if name not in named}, **found}


def sources():
    return [path for form in ("test_*.c", "test_*.steps", "test_*.py", "*.sh") for path in run.tests_named(form)]


def suite_of(path):
    name = os.path.splitext(os.path.basename(path))[0]
    return name[len("test_"):] if path.endswith(".py") else name


def suites_for(path):
    """In the order in which they are asked"""
    room, header = path.split("/")[1], '"%s.h"' % path[len("tools/"):-2]
    near = {suite_of(test) for test in sources() if header in run.read(test)}
    own = {suite_of(test) for test in sources() if test.split("/")[1] == room} | set(ELSEWHERE.get(room, "").split())
    seconds = suites()
    return sorted((name for name in seconds if name.split("-")[0] in near | own),
                  key=lambda name: (name not in near, seconds[name], name))


def rooms():
    """{room: its lines, its (path, mutant) in an order that the files give}"""
    found = {}
    for path in sorted(glob.glob("tools/**/*.c", recursive=True)):
        if not NOT_IN_BUILD.match(path):
            text = run.read(path)
            room = found.setdefault(path.split("/")[1], [0, []])
            room[0] += text.count("\n")
            room[1] += [(path, mutant) for mutant in mutator.mutants(text)]
    return found


def shares(lines, sample):
    """The room of each of the sample, as if the sample stood at even distances in all lines"""
    ends, end = [], 0
    for room in lines:
        end += lines[room][0]
        ends.append((end, room))
    return [next(room for last, room in ends if (i + 0.5) * end / sample < last) for i in range(sample)]


def object_of(folder, path):
    with open(os.path.join(folder, path[:-2] + ".o"), "rb") as file:
        return file.read()


def fate(build, folder, path, mutant):
    """("none", ""), ("killed", SUITE) or ("survived", "") of a mutant in that copy of the tree"""
    target, before = os.path.join(folder, path), run.read(path)
    run.write(target, mutator.applied(before, mutant))
    try:
        programs = ["build/kpred-evolve"] if "/evolve/" in path else []
        if not breaks.builds(folder, *programs) or object_of(folder + "/build", path) == object_of(build, path):
            return "none", ""
        by = next((suite for suite in suites_for(path) if breaks.failures(folder, suite)), "")
        return "killed" if by else "survived", by
    finally:
        run.write(target, before) # the next build takes it along


def main():
    sample, seed = [int(given) for given in sys.argv[2:]] + [120, 1][len(sys.argv) - 2:]
    os.environ["LIMIT"] = "300"
    lines, counts, known = rooms(), {"killed": 0, "survived": 0, "none": 0}, run.explanations()
    k, n = run.part()
    for _, found in lines.values():
        random.Random(seed).shuffle(found)

    def one(folder, drawn):
        room, (path, mutant) = drawn
        found, by = fate(sys.argv[1], folder, path, mutant)
        while found == "none" and n == 1:
            path, mutant = lines[room][1].pop()
            found, by = fate(sys.argv[1], folder, path, mutant)
        old = run.read(path).split("\n")[mutant[0]].strip()
        if found == "survived" and (path, old, mutant[2].strip()) in known:
            found, by = "killed", "what is explained"
        return found, "%s %s:%d: %s => %s%s" % (found, path, mutant[0] + 1, old, mutant[2].strip(), by and " by " + by)

    todo = [(room, lines[room][1].pop()) for room in shares(lines, sample)]
    for found, line in breaks.in_copies(sys.argv[1], todo[k::n], one):
        counts[found] += 1
        print(line, flush=True)
    print("%d passed, %d failed, %d skipped" % tuple(counts.values()))
    return counts["survived"] > 0


if __name__ == "__main__":
    sys.exit(main())
