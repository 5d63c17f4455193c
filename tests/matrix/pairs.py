"""pairs.py - counts in tests/matrix/cells: every pair that can occur, and the full product on x86-64
SPDX-License-Identifier: MIT

usage: pairs.py CELLS. It goes through all combinations of values, strikes out those that a rule below excludes, and
looks for the pairs of the others. It prints a line for each thing that is missing or too much, also for what it does
not find in a table that has a fault.
"""
import itertools
import re
import sys

MOST, MOST_IN_GATE = 150, 30
VALUES = {
    "target": "x86-64 windows i386 aarch64 armhf riscv64 s390x",
    "compiler": "gcc gcc-11 clang clang-19 tcc g++ clang++",
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
    lambda c: c["compiler"] == "tcc" and (c["std"], c["bodies"], c["body"]) != ("c99", "one", "portable"),
    lambda c: c["compiler"] == "tcc" and c["flags"] in ("-ffast-math", "-fwrapv"),
    lambda c: c["compiler"] == "tcc" and c["level"] != "-O0",
)


# A fault of the table, and of what it is found by
FAULTS = (
    ("level -O3 and body neon_dot", lambda line: [] if re.search("-O3.*neon_dot", line) else [line]),
    ("gcc-11 -Os avx_vnni", lambda line: [] if re.search(" gcc-11 .* -Os .* all *avx_vnni", line) else [line]),
    ("twice", lambda line: [line, line] if " tcc " in line else [line]),
    ("impossible", lambda line: [re.sub(" s390x (.*)portable", r" s390x \1sse2", line)]),
)


def combinations():
    """All cells that no rule excludes"""
    for words in itertools.product(*(values.split() for values in VALUES.values())):
        cell = dict(zip(VALUES, words))
        if not any(rule(cell) for rule in EXCLUDED):
            yield cell


def pairs(cells):
    """The pairs of the values of these cells"""
    return {pair for cell in cells for pair in itertools.combinations(cell.items(), 2)}


def wrong(lines, possible, wanted):
    """Lines that say what is wrong with these lines of the table"""
    rows = [line.split() for line in lines]
    cells = [dict(zip(VALUES, row[1:])) for row in rows]
    n_gate = sum(row[0] == "gate" for row in rows)
    if len(cells) > MOST or n_gate > MOST_IN_GATE or n_gate == 0:
        yield f"{len(cells)} cells, {n_gate} of them in the gate"
    for cell in cells:
        if cells.count(cell) > 1 or tuple(cell.values()) not in possible:
            yield f"twice, or impossible: {' '.join(cell.values())}"
    for pair in sorted(wanted - pairs(cells)):
        yield "no cell has " + " and ".join(f"{column} {value}" for column, value in pair)
    for compiler, level, body in itertools.product(OPTIMISING, VALUES["level"].split(), VALUES["body"].split()[:5]):
        if not any((c["target"], c["compiler"], c["level"], c["body"], c["checks"]) ==
                   ("x86-64", compiler, level, body, "-") for c in cells):
            yield f"no cell has {compiler} {level} {body}"


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        lines = [line for line in f if not line.startswith("#")]
    cells = list(combinations())
    possible, wanted = {tuple(cell.values()) for cell in cells}, pairs(cells)
    found = list(wrong(lines, possible, wanted))
    for text, fault in FAULTS:
        with_fault = [new for line in lines for new in fault(line)]
        if not any(text in line for line in wrong(with_fault, possible, wanted)):
            found.append(f"not found in a table that has it: {text}")
    print("\n".join(found[:20]) or "every pair is there")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
