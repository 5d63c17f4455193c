"""evolve_output.py - what evolve.sh asks of CSV, JSON and bitcode

SPDX-License-Identifier: MIT

usage: evolve_output.py same CSV JSON | columns JSON NAMES | version BITCODE
"""
import csv
import json
import sys

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._"
DAMAGES = 8


def same(table, objects):
    """As many rows, with the same names in the same order"""
    with open(table, newline="") as f:
        rows = list(csv.DictReader(f))
    with open(objects) as f:
        things = json.load(f)
    if not rows or [list(row) for row in rows] != [list(thing) for thing in things]:
        sys.exit(f"{len(rows)} rows, {len(things)} objects, or other names")


def columns(objects, names):
    with open(objects) as f:
        things = json.load(f)
    if not things or any(",".join(thing) != names for thing in things):
        sys.exit("there are other names, or no objects")


def bits(word):
    """Letters of six bits, as bitcode has them"""
    return sum(LETTERS.index(c) << 6 * i for i, c in enumerate(word))


def version(path):
    """otherN.bc: its producer LLVM1x becomes LLVM19, and one byte is damaged"""
    with open(path, "rb") as f:
        data = f.read()
    whole = int.from_bytes(data, "little")
    begin = bits("LLVM1")
    places = [i for i in range(8 * len(data)) if whole >> i & (1 << 30) - 1 == begin]
    if not places:
        sys.exit(f"{path}: there is no producer")
    last = places[0] + 30
    whole = whole & ~(63 << last) | bits("9") << last
    changed = bytearray(whole.to_bytes(len(data), "little"))
    for i in range(DAMAGES):
        place = 100 + i * (len(data) - 100) // DAMAGES
        changed[place] ^= 0x15
        with open(f"other{i}.bc", "wb") as f:
            f.write(changed)
        changed[place] ^= 0x15


if __name__ == "__main__":
    {"same": same, "columns": columns, "version": version}[sys.argv[1]](*sys.argv[2:])
