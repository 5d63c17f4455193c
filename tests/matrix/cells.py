"""cells.py - makes the table of the matrix: what matrix.sh builds and runs, on which target, by which body

SPDX-License-Identifier: MIT

usage: cells.py >tests/matrix/cells. On x86-64 every compiler meets every level and every body; standard, flags and C
library of these builds, and all other cells, are chosen so that each pair of values that can occur does occur: always
the cell with the most pairs that are still missing. pairs.py counts that in its own way.
"""
import itertools

COLUMNS = ("target", "compiler", "std", "level", "flags", "libc", "checks", "bodies", "body")
STANDARDS = ("c99", "c11", "c17", "c2x")
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")
FLAGS = ("-", "-ffast-math", "-funsigned-char", "-fwrapv")
X86 = ("portable", "sse2", "avx2", "avx_vnni", "avx512_vnni")
FULL = ("gcc", "gcc-11", "clang", "clang-19")
CROSS = ("gcc", "clang", "clang-19")
SIGNED = ("-", "-funsigned-char") # what compilers know that do not optimise

# What is possible: for each line the product of its values. `all` bodies in one build, or the `one` that runs;
# what sanitizers check is compiled with the models, which takes long, so C libraries do not differ there.
POSSIBLE = (
    (("x86-64",), FULL, STANDARDS, LEVELS, FLAGS, ("glibc", "musl"), ("-",), ("all", "one"), X86),
    (("x86-64",), FULL, STANDARDS, LEVELS, FLAGS, ("glibc",), ("address,undefined",), ("all", "one"), X86),
    (("x86-64",), ("clang", "clang-19"), STANDARDS, LEVELS, FLAGS, ("glibc",), ("memory",), ("all", "one"), X86),
    (("x86-64",), ("tcc",), ("c99",), ("-O0",), SIGNED, ("glibc",), ("-",), ("one",), ("portable",)),
    (("x86-64",), ("pcc",), ("c99",), ("-O0", "-O1"), SIGNED, ("glibc",), ("-",), ("one",), ("portable",)),
    (("x86-64",), ("g++",), ("c++17",), ("-O1",), ("-",), ("glibc",), ("-",), ("all",), ("avx2",)),
    (("x86-64",), ("clang++",), ("c++11",), ("-O1",), ("-",), ("glibc",), ("-",), ("all",), ("sse2",)),
    (("windows",), ("gcc",), ("c99",), ("-O2",), ("-",), ("mingw",), ("-",), ("all",), ("avx2",)),
    (("i386",), FULL, STANDARDS, LEVELS, FLAGS, ("glibc",), ("-",), ("all", "one"), X86),
    (("aarch64",), CROSS, STANDARDS, LEVELS, FLAGS, ("glibc",), ("-",), ("one",), ("portable", "neon", "neon_dot")),
    (("armhf", "riscv64", "s390x"), CROSS, STANDARDS, LEVELS, FLAGS, ("glibc",), ("-",), ("one",), ("portable",)),
)

# Of the gate: so many cells of each target, of compilers that it has. What is not optimised is slow under emulation,
# and what sanitizers check everywhere: that is done once, with the body that every machine has. i386 has a body that
# its emulator knows.
GATE = {"x86-64": 12, "windows": 1, "i386": 2, "aarch64": 2, "s390x": 1}
GATE_COMPILERS = ("gcc", "clang", "g++", "clang++", "tcc")
EMULATED = ("aarch64", "s390x")


def masks(cells):
    """Of each cell the pairs of values in it, as bits"""
    number = {}
    return {cell: sum(1 << number.setdefault(pair, len(number))
                      for pair in itertools.combinations(enumerate(cell), 2)) for cell in cells}


def most(groups, mask, done):
    """The group of cells with the most pairs that are not done; the first of several"""
    def gain(group):
        bits = 0
        for cell in group:
            bits |= mask[cell]
        return bin(bits & ~done).count("1")
    return max(groups, key=gain)


def product_of_all(possible, mask):
    """Compiler x level x body, where standard, flags and C library are chosen"""
    builds = {}
    for cell in possible:
        if cell[0] == "x86-64" and cell[1] in FULL and cell[6:8] == ("-", "all"):
            builds.setdefault((cell[1], cell[3]), {}).setdefault(cell[:8], []).append(cell)
    cells, done = [], 0
    for groups in builds.values():
        cells += most(groups.values(), mask, done)
        for cell in cells[-len(X86):]:
            done |= mask[cell]
    return cells, done


def cover(possible, mask, cells, done):
    """Adds the cells that have the pairs which are still missing"""
    wanted = 0
    for cell in possible:
        wanted |= mask[cell]
    while done != wanted:
        possible = [cell for cell in possible if mask[cell] & ~done]
        cell, = most(((cell,) for cell in possible), mask, done)
        cells.append(cell)
        done |= mask[cell]
    return cells


def of_the_gate(cells, mask):
    """Those which the gate runs: again the ones with the most new pairs"""
    chosen, done = [], 0
    for target, n in GATE.items():
        left = [cell for cell in cells if cell[0] == target and cell[1] in GATE_COMPILERS and cell[5] != "musl"
                and (cell[6] == "-" or cell[1] == "gcc" and cell[6:] == ("address,undefined", "one", "portable"))
                and (cell[3] != "-O0" or target not in EMULATED)
                and (target != "i386" or not cell[8].endswith("vnni"))]
        for _ in range(min(n, len(left))):
            cell, = most(((cell,) for cell in left), mask, done)
            left.remove(cell)
            chosen.append(cell)
            done |= mask[cell]
    return chosen


def main():
    possible = [cell for line in POSSIBLE for cell in itertools.product(*line)]
    mask = masks(possible)
    cells = cover(possible, mask, *product_of_all(possible, mask))
    gate = of_the_gate(cells, mask)
    rows = [("gate" if cell in gate else "-",) + cell for cell in sorted(cells, key=order)]
    width = [max(map(len, column)) for column in zip(*rows)]
    print("# cells - what matrix.sh builds and runs; cells.py made it, and says what the columns are")
    print("# SPDX-License-Identifier: MIT")
    for row in rows:
        print(" ".join(word.ljust(n) for word, n in zip(row, width)).rstrip())


def order(cell):
    """Targets as they stand above; the cells of one build together"""
    targets = [target for line in POSSIBLE for target in line[0]]
    return targets.index(cell[0]), cell[6] != "-", cell[1:8], cell[8]


if __name__ == "__main__":
    main()
