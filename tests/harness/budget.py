"""budget.py - no room of the house has more lines, files or words than tests/harness/budget allows

SPDX-License-Identifier: MIT

usage: budget.py < FILES [counts]. FILES are the project's, one a line. It prints a line for each number that is too high;
with `counts` it prints the budget as it would be without any room to spare.
"""
import os
import re
import sys
from collections import defaultdict

BUDGET = "tests/harness/budget"
KINDS = "C", "scripts", "words", "files"
# What tools/release/pages.py writes into a man page, from texts of a program that are counted as lines of C
PRINTED = rb'(?ms)^\.\\" ---- \S+$.*?^\.\\" ----$'
C = {".c", ".h", ".cpp", ".hip", ".cl"}
SCRIPTS = {".py", ".sh", ".inc", ".mk", ".bash", ".cases", ".steps"}
WORDS = {".md", ".1"}


def budgets():
    """From each room, a folder or a file, to what it may have"""
    with open(BUDGET, encoding="utf-8") as f:
        rows = [line.split() for line in f if line.strip() and line[0] != "#"]
    return {room: dict(zip(KINDS, map(int, most))) for room, *most in rows}


def counts_of(path):
    """What a file adds to its room"""
    kind = os.path.splitext(path)[1]
    with open(path, "rb") as f:
        text = f.read()
    return {"C": text.count(b"\n") * (kind in C), "scripts": text.count(b"\n") * (kind in SCRIPTS),
            "words": len(re.sub(PRINTED, b"", text).split()) * (kind in WORDS), "files": 1}


def room_of(path, rooms):
    """The longest name of a room that the path begins with; the last is that of all other files"""
    return max((room for room in rooms if path == room or path.startswith(room + "/")), key=len, default="others")


def main():
    most, found = budgets(), defaultdict(lambda: dict.fromkeys(KINDS, 0))
    for path in sys.stdin.read().split("\n"):
        for kind, n in counts_of(path).items() if path else ():
            found[room_of(path, most)][kind] += n
            found["all"][kind] += n
    if sys.argv[1:] == ["counts"]:
        for room in most:
            print(f"{room:<40}" + "".join(f"{found[room][kind]:>8}" for kind in KINDS))
        return 0
    wrong = [f"{room}: {found[room][kind]} {'lines of C' if kind == 'C' else kind}, {n} at most by {BUDGET}"
             for room, kinds in most.items() for kind, n in kinds.items() if found[room][kind] > n]
    wrong += [f"{room}: is not in {BUDGET}" for room in found if room not in most]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
