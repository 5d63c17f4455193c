#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cells.py - results of the programs as JSON, CSV and on a terminal; exit status 1 if one is wrong

cells.py compare CSV JSON TEXTS WORDS VARYING   two files of one command, cell by cell; columns,
                                                separated by commas, that hold text or words, and
                                                those that differ from run to run; others: numbers
cells.py hostile PROGRAM                        tests/data/cells.c with what is hard to write
cells.py terminal COMMAND...                    prints plain lines on a pseudo-terminal
"""
# SPDX-License-Identifier: MIT
import codecs
import csv
import io
import json
import os
import pty
import re
import subprocess
import sys


class Number(str):
    """A number of JSON, as it is written."""


def no_constant(name):
    sys.exit(f"{name} is no number of JSON")


def read_json(data):
    """The objects, as lists of pairs; each must be a line of its own, and the form be exact."""
    rows = json.loads(data.decode("utf-8"), parse_int=Number, parse_float=Number,
                      parse_constant=no_constant, object_pairs_hook=list)
    lines = [line.rstrip(b",") for line in data.split(b"\n")[1:-2]]
    whole = b"[\n" + b",\n".join(lines) + b"\n]\n" if rows else b"[]\n"
    if data != whole or len(rows) != len(lines) * bool(rows):
        sys.exit("JSON: not an object a line between lines of brackets")
    return rows


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.reader(f, strict=True))


def check_cell(where, cell, value, kind, varies):
    if kind == "words":
        good = isinstance(value, list) and all(type(word) is str and word for word in value)
        value = " ".join(value) if good else value
    else:
        good = type(value) is (str if kind == "text" else Number)
    if not good or (value != cell and not varies):
        sys.exit(f"{where}: {value!r} in JSON, {cell!r} in CSV, should be {kind}")


def compare(csv_path, json_path, texts, words, varying):
    kinds = dict.fromkeys(texts.split(","), "text")
    kinds.update(dict.fromkeys(words.split(","), "words"))
    heading, *lines = read_csv(csv_path)
    with open(json_path, "rb") as f:
        rows = read_json(f.read())
    unknown = (set(kinds) | set(varying.split(","))) - set(heading) - {""}
    if unknown or len(rows) != len(lines) or not rows:
        sys.exit(f"{len(rows)} objects, {len(lines)} lines of CSV, no column {unknown}")
    for number, (row, line) in enumerate(zip(rows, lines), 1):
        if [name for name, _ in row] != heading or len(line) != len(heading):
            sys.exit(f"row {number}: other columns than in the heading")
        for (name, value), cell in zip(row, line):
            check_cell(f"row {number}, {name}", cell, value, kinds.get(name, "number"),
                       name in varying.split(","))


def hostile_strings():
    yield from (bytes([byte]) for byte in range(1, 256))
    for lead in range(0xc0, 0x100):
        for second in (0x22, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0):
            yield from (bytes([lead, second]) + tail
                        for tail in (b"", b"\x80", b"\x80\xbf", b"\x80\xbf\xbf", b"\x80,"))
    for code in (0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfffd, 0xffff, 0x10000, 0x10ffff):
        yield chr(code).encode()
    yield from (b"", b" ", b'"', b'""', b"a,b", b'a "b", c', b"back\\slash", b"\\u0041\\", b"\r\n",
                b"two\nlines", b" 1", b"0123456789012345", b"12e4567890123456", b"null", b"NaN",
                b"x" * 5000, "Größe, µs".encode())


def hostile(program):
    codecs.register_error("bytewise", lambda e: ("\ufffd" * (e.end - e.start), e.end))
    strings = list(hostile_strings())
    name = b'a "name"\\\t\xff'
    cells = [cell for i, s in enumerate(strings) for cell in (b"n%d" % i, b"t" + s)]
    output = {form: subprocess.run([program, form, b"n," + name, *cells], check=True,
                                   stdout=subprocess.PIPE).stdout for form in ("csv", "json")}
    text = io.StringIO(output["csv"].decode("latin-1"), newline="")
    lines = list(csv.reader(text, strict=True))
    expected = [["n", name.decode("latin-1")]]
    expected += [[str(i), s.decode("latin-1")] for i, s in enumerate(strings)]
    bad = [(a, b) for a, b in zip(lines, expected) if a != b]
    if bad or len(lines) != len(expected):
        sys.exit(f"CSV: {bad[:3]}")
    expected = [[("n", str(i)), (name.decode("utf-8", "bytewise"), s.decode("utf-8", "bytewise"))]
                for i, s in enumerate(strings)]
    bad = [(a, b) for a, b in zip(read_json(output["json"]), expected) if a != b]
    if bad:
        sys.exit(f"JSON: {bad[:3]}")


def terminal(*command):
    master, slave = pty.openpty()
    child = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    output = chunk = os.read(master, 65536)
    try:
        while chunk:
            chunk = os.read(master, 65536)
            output += chunk
    except OSError:  # how Linux says that the other side is closed
        pass
    if child.wait() != 0 or not output or re.search(rb"[^\r\n\x20-\x7e\x80-\xff]", output):
        sys.exit(f"status {child.returncode}, printed {output[:200]!r}")


if __name__ == "__main__":
    {"compare": compare, "hostile": hostile, "terminal": terminal}[sys.argv[1]](*sys.argv[2:])
