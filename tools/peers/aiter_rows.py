# SPDX-License-Identifier: MIT
"""aiter_rows.py - AITER's tuned tables, retunes and kernel lists, read on their own

This reader shares no code with kpred's, so that each can be checked by the other. Formats are those
of AITER's tables (docs/aiter.md). Needs only the standard library.

A class is what one problem can be given: (library, kernel name, split). The split is canonical: it
is 0 where the kernel ignores it, and asm kernels that take a count have at least 1.
"""
import bz2
import collections
import csv
import glob
import os
import re

from rows import die, is_test

MERGE_NAMES = {"bs": "a8w8_blockscale", "bsp": "a8w8_blockscale_bpreshuffle",
               "a4w4": "a4w4_blockscale", "bp": "a8w8_bpreshuffle", "bf16": "bf16"}
EXTRA = {"bp": ["q_dtype_w"],
         "bf16": ["bias", "dtype", "outdtype", "scaleAB", "bpreshuffle"]}
ARCH_OF_UNITS = {"256": "gfx950", "80": "gfx942", "304": "gfx942"}
NO_SPLIT = {"bsp": {"ck", "cktile", "opus", "triton", "flydsl"}, "bp": {"flydsl"},
            "bf16": {"flydsl", "hipblaslt", "torch", "skinny", "triton"}}
BY_NUMBER = {"opus", "hipblaslt", "skinny"} # of bf16: the number tells the kernel

# problem: (gpu, m, n, k, *extra); label: a class; file: the table's stem; us: microseconds
Row = collections.namedtuple("Row", "file problem label us")
Retune = collections.namedtuple("Retune", "problem label us date commit")
Kernel = collections.namedtuple("Kernel", "library archs name tile")


def read_csv(path):
    """Each line of a CSV file, bzip2 or not, as a dict by column."""
    opener = bz2.open if path.endswith(".bz2") else open
    try:
        with opener(path, "rt", encoding="utf-8", newline="") as f:
            yield from csv.DictReader(f)
    except (OSError, UnicodeDecodeError) as e:
        die(f"{path}: {e}")


def stem_of(path):
    """A table's name without folder and endings."""
    return os.path.basename(path).partition(".csv")[0].replace("model_configs.", "")


def tables_of(folder, family):
    """The tuned tables of a family: AITER's base file and those of its model_configs."""
    name = MERGE_NAMES[family] + "_tuned_gemm"
    found = [path for path in sorted(glob.glob(f"{folder}/*.csv*"))
             if name in os.path.basename(path) and "untuned" not in os.path.basename(path)]
    if not found:
        die(f"{folder}: there is no table of {name}")
    return found


# ---- classes ----

def library_of(family, line):
    """The library of a line; older tables name none, and those of a4w4 never do."""
    if line.get("libtype"):
        return line["libtype"]
    return "asm" if family == "a4w4" and line["kernelName"].startswith("_ZN") else "ck"


def split_of(family, library, text):
    """The canonical split."""
    split = int(float(text or 0))
    if library in NO_SPLIT.get(family, ()):
        return 0
    if library == "asm" and family != "a4w4":
        return max(split, 1)
    return split


def class_of(family, line):
    """(library, kernel name, split)."""
    library, name = library_of(family, line), line["kernelName"]
    if family == "bf16" and library in BY_NUMBER:
        name = f"{name}#{line.get('solidx', '')}"
    return library, name, split_of(family, library, line["splitK"])


# ---- rows ----

def problem_of(line, extra):
    """(gpu, m, n, k) and what else the family's key has."""
    arch = line.get("gfx") or ARCH_OF_UNITS[line["cu_num"]]
    sizes = (int(line[name]) for name in "MNK")
    return (f"{arch}_{line['cu_num']}", *sizes, *(line[name] for name in extra))


def read_table(family, path):
    """The rows of one tuned table."""
    for line in read_csv(path):
        us = float(line["us"])
        yield Row(stem_of(path), problem_of(line, EXTRA.get(family, [])), class_of(family, line), us)


def read_tables(folder, family):
    """The rows of all tables of a family. Of rows with one key the fastest is kept, as AITER does
    when it merges tables."""
    best = {}
    for path in tables_of(folder, family):
        for row in read_table(family, path):
            if row.problem not in best or row.us < best[row.problem].us:
                best[row.problem] = row
    return list(best.values())


def retune_extra(family, text):
    """The further items of a retune's key, as a table has them; bp says fp8 for both of its types."""
    return text.split("|") if family in EXTRA and text else []


def read_retunes(folder, family):
    """The timings of a family over time; of bf16 classes by number have no number here."""
    for line in read_csv(f"{folder}/retunes.csv.bz2"):
        if line["family"] == MERGE_NAMES[family]:
            library = library_of(family, line)
            label = library, line["kernelName"], split_of(family, library, line["splitK"])
            problem = (*problem_of(line, []), *retune_extra(family, line["extra"]))
            yield Retune(problem, label, float(line["us"]), line["date"], line["commit"])


def read_kernels(folder, family):
    """The kernels of AITER's list."""
    found = []
    for line in read_csv(f"{folder}/kernels.csv.bz2"):
        if line["family"] == MERGE_NAMES[family]:
            tile = tuple(int(line[f"tile_{x}"] or 0) for x in "mnk")
            found.append(Kernel(line["libtype"], line["gfx"].split(), line["kernelName"], tile))
    return found


# ---- tiles from names ----

def tile_of_name(name):
    """(tile_m, tile_n, tile_k) as a name tells them; 0: it does not."""
    asm = re.match(r"_ZN5aiter\d+.*?_(\d+)x(\d+)(?:_|E$)", name)
    if asm:
        return int(asm.group(1)), int(asm.group(2)), 0
    fly = re.search(r"_t(\d+)x(\d+)x(\d+)_", name) or re.search(r"[a-z]_(\d+)x(\d+)x(\d+)_", name)
    return tuple(map(int, fly.groups())) if fly else (0, 0, 0)


def tiles_by_name(kernels, rows):
    """Each kernel's tile, from the list, else from its name."""
    tile = {kernel.name: kernel.tile for kernel in kernels}
    for row in rows:
        tile.setdefault(row.label[1], tile_of_name(row.label[1]))
    return tile


# ---- what was searched, and what is tested ----

def narrow_files(rows):
    """The tables that were tuned without a search for the split: no row of at most 512 tokens has
    one above 0."""
    known = {row.file for row in rows}
    return known - {row.file for row in rows if row.problem[1] <= 512 and row.label[2] > 0}


def key_of(test, problem):
    """The text whose hash decides whether a problem is tested."""
    return ",".join(map(str, problem[1:4] if test == "config" else problem[2:4]))


def folds_of(test, rows):
    """For each fold (name, training rows, tested rows). `file` leaves out each table with all its
    (N, K), those in other tables too."""
    if test != "file":
        parts = [], []
        for row in rows:
            parts[is_test(key_of(test, row.problem))].append(row)
        yield test, *parts
        return
    for name in sorted({row.file for row in rows}):
        tested = [row for row in rows if row.file == name]
        keys = {row.problem[2:4] for row in tested}
        train = [row for row in rows if row.problem[2:4] not in keys]
        if train:
            yield name, train, tested
