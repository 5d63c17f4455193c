"""pairs.py - counts in tests/matrix/cells, apart from what made it: every pair that can occur, and the full product

SPDX-License-Identifier: MIT

usage: pairs.py CELLS. It goes through all combinations of values, strikes out those that a rule below excludes, and
looks for the pairs of the others. It prints a line for each thing that is missing or too much.
"""
import itertools
import sys

MOST, MOST_IN_GATE = 150, 30
VALUES = {
    "target": "x86-64 windows i386 aarch64 armhf riscv64 s390x",
    "compiler": "gcc gcc-11 clang clang-19 tcc pcc g++ clang++",
    "std": "c99 c11 c17 c2x c++11 c++17",
    "level": "-O0 -O1 -O2 -O3 -Os",
    "flags": "- -ffast-math -funsigned-char -fwrapv",
    "libc": "glibc musl mingw",
    "checks": "- address,undefined memory",
    "bodies": "all one",
    "body": "portable sse2 avx2 avx_vnni avx512_vnni neon neon_dot",
}
OPTIMISING = ("gcc", "gcc-11", "clang", "clang-19")

# What cannot be, or is not wanted, as a function of a cell
EXCLUDED = (
    lambda c: (c["target"] == "windows") != (c["libc"] == "mingw"),
    lambda c: c["target"] == "windows" and list(c.values())[1:] != "gcc c99 -O2 - mingw - all avx2".split(),
    lambda c: c["target"] not in ("x86-64", "i386") and c["compiler"] == "gcc-11", # one cross compiler of gcc
    lambda c: c["target"] != "x86-64" and c["compiler"] not in OPTIMISING,
    lambda c: c["target"] != "x86-64" and (c["libc"] == "musl" or c["checks"] != "-"),
    lambda c: c["body"].startswith("neon") and c["target"] != "aarch64",
    lambda c: c["target"] == "aarch64" and c["body"] not in ("portable", "neon", "neon_dot"),
    lambda c: c["target"] in ("armhf", "riscv64", "s390x") and c["body"] != "portable",
    lambda c: c["target"] not in ("x86-64", "i386", "windows") and c["bodies"] == "all", # which is for x86
    lambda c: c["checks"] == "memory" and not c["compiler"].startswith("clang"),
    lambda c: c["libc"] == "musl" and (c["checks"] != "-" or c["compiler"] not in OPTIMISING),
    lambda c: c["compiler"] not in OPTIMISING and c["checks"] != "-",
    lambda c: c["std"].startswith("c++") != c["compiler"].endswith("++"),
    # C++: one cell for each compiler
    lambda c: c["compiler"] == "g++" and list(c.values())[2:] != "c++17 -O1 - glibc - all avx2".split(),
    lambda c: c["compiler"] == "clang++" and list(c.values())[2:] != "c++11 -O1 - glibc - all sse2".split(),
    # compilers that know C99, one body and signs alone
    lambda c: c["compiler"] in ("tcc", "pcc") and (c["std"], c["bodies"], c["body"]) != ("c99", "one", "portable"),
    lambda c: c["compiler"] in ("tcc", "pcc") and c["flags"] in ("-ffast-math", "-fwrapv"),
    lambda c: c["compiler"] == "tcc" and c["level"] != "-O0",
    lambda c: c["compiler"] == "pcc" and c["level"] not in ("-O0", "-O1"),
)


def pairs(cell):
    """The pairs of a cell's values"""
    return itertools.combinations(cell.items(), 2)


def combinations():
    """All cells that no rule excludes"""
    for words in itertools.product(*(values.split() for values in VALUES.values())):
        cell = dict(zip(VALUES, words))
        if not any(rule(cell) for rule in EXCLUDED):
            yield cell


def read(path):
    """The cells of the table, and how many of them are the gate's"""
    with open(path, encoding="utf-8") as f:
        rows = [line.split() for line in f if not line.startswith("#")]
    return [dict(zip(VALUES, row[1:])) for row in rows], sum(row[0] == "gate" for row in rows)


def wrong(cells, n_gate):
    """Lines that say what is wrong"""
    if len(cells) > MOST or n_gate > MOST_IN_GATE or n_gate == 0:
        yield f"{len(cells)} cells, {n_gate} of them in the gate"
    possible = list(combinations())
    for cell in cells:
        if cells.count(cell) > 1 or cell not in possible:
            yield f"twice, or impossible: {' '.join(cell.values())}"
    there = {pair for cell in cells for pair in pairs(cell)}
    for pair in sorted({pair for cell in possible for pair in pairs(cell)} - there):
        yield "no cell has " + " and ".join(f"{column} {value}" for column, value in pair)
    for compiler, level, body in itertools.product(OPTIMISING, VALUES["level"].split(), VALUES["body"].split()[:5]):
        if not any((c["target"], c["compiler"], c["level"], c["body"], c["checks"]) ==
                   ("x86-64", compiler, level, body, "-") for c in cells):
            yield f"no cell has {compiler} {level} {body}"


def main():
    lines = list(wrong(*read(sys.argv[1])))
    print("\n".join(lines[:20]) or "every pair is there")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
