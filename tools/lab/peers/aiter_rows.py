# SPDX-License-Identifier: MIT
"""aiter_rows.py - AITER's tuned tables, retunes and kernel lists, and what it does without a tuning run

The readers share no code with kpred's, so that each can be checked by the other; nor do AITER's look-up,
defaults and limits, which are those of docs/aiter.md. Needs only the standard library.

A class is what one problem can be given: (library, kernel name, split). The split is canonical: it
is 0 where the kernel ignores it, and asm kernels that take a count have at least 1.
"""
import collections
import csv
import glob
import os
import re

from rows import FOLDS, die, fold_of, is_test, open_text

MERGE_NAMES = {"bs": "a8w8_blockscale", "bsp": "a8w8_blockscale_bpreshuffle",
               "a4w4": "a4w4_blockscale", "bp": "a8w8_bpreshuffle", "a8w8": "a8w8", "bf16": "bf16"}
EXTRA = {"bp": ["q_dtype_w"], "a8w8": ["q_dtype_w"], "bf16": ["bias", "dtype", "outdtype", "scaleAB", "bpreshuffle"]}
ARCH_OF_UNITS = {"256": "gfx950", "80": "gfx942", "304": "gfx942"}
NO_SPLIT = {"bsp": {"ck", "cktile", "opus", "triton", "flydsl"}, "bp": {"flydsl"},
            "bf16": {"flydsl", "hipblaslt", "torch", "skinny", "triton"}}
BY_NUMBER = {"opus", "hipblaslt", "skinny"} # of bf16: the number tells the kernel

# problem: (gpu, m, n, k, *extra); label: a class; file: the table's stem; us: microseconds
Row = collections.namedtuple("Row", "file problem label us")
Retune = collections.namedtuple("Retune", "problem label us date commit")
Kernel = collections.namedtuple("Kernel", "library archs name tile")

SKINNY = ("skinny", "sol2#2", 0)
TORCH = ("torch", "native#0", 0)


def read_csv(path):
    """Each line of a CSV file, bzip2 or not, as a dict by column."""
    try:
        with open_text(path, newline="") as f:
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
    """The tables that were tuned without a search for the split: no row of at most 512 tokens has one above 0."""
    known = {row.file for row in rows}
    return known - {row.file for row in rows if row.problem[1] <= 512 and row.label[2] > 0}


def key_of(test, problem):
    """The text whose hash decides whether a problem is tested."""
    return ",".join(map(str, problem[1:4] if test == "config" else problem[2:4]))


def parted(rows, is_tested):
    """Training rows and tested rows."""
    parts = [], []
    for row in rows:
        parts[is_tested(row)].append(row)
    return parts


def folds_of(test, rows):
    """For each fold (name, training rows, tested rows). `fold` tests each (N, K) once, as `train --split
    shape:I/N` keeps them. `file` leaves out each table with all its (N, K), those in other tables too."""
    if test == "fold":
        for i in range(FOLDS):
            yield str(i), *parted(rows, lambda row, i=i: fold_of(key_of(test, row.problem)) == i)
        return
    if test != "file":
        yield test, *parted(rows, lambda row: is_test(key_of(test, row.problem)))
        return
    for name in sorted({row.file for row in rows}):
        tested = [row for row in rows if row.file == name]
        keys = {row.problem[2:4] for row in tested}
        train = [row for row in rows if row.problem[2:4] not in keys]
        if train:
            yield name, train, tested


# ---- the look-up ----

def round_up(x, to):
    """To a multiple."""
    return -(-x // to) * to


def fine_m(m):
    """The M that AITER's first rounding gives."""
    for limit, step in (256, 16), (1024, 32), (4096, 64):
        if m <= limit:
            return round_up(m, step)
    return round_up(m, 128)


def coarse_m(m, n):
    """The M that its second rounding gives."""
    return 8192 if m > 8192 and n > 4096 else 1 << (m - 1).bit_length()


def look_up(table, problem):
    """The class of the row that AITER would find; None: there is none. table: class by problem."""
    gpu, m, n, *rest = problem
    for padded in m, fine_m(m), coarse_m(m, n):
        if (gpu, padded, n, *rest) in table:
            return table[(gpu, padded, n, *rest)]
    return None


# ---- defaults ----

def default_of_bs(_, kernels):
    """One kernel for every problem."""
    return next(k for k in kernels if k.library == "ck" and k.tile == (16, 128, 256)).name


def default_of_bsp(problem, kernels):
    """One kernel, but Triton on gfx1250."""
    if problem[0].startswith("gfx1250"):
        return None
    return next(k for k in kernels if k.library == "ck" and k.tile == (64, 64, 128)).name


def default_of_a4w4(problem, kernels):
    """The code object with the fewest rounds; ties go by the order of the list, not as in AITER."""
    gpu, m, n, _ = problem
    units = int(gpu.partition("_")[2])
    best, found = None, None
    for k in kernels:
        tm, tn, _ = k.tile
        if k.library != "asm" or "noBpre" in k.name or ((tm, tn) == (128, 512) and n % 512):
            continue
        tiles = -(-m // tm) * -(-n // tn)
        rounds = -(-tiles // units)
        idle, ratio = rounds * units - tiles, tm * tn // (tm + tn)
        if best is None or rounds < best[0] or (rounds == best[0] and (idle < best[1] or ratio > best[2])):
            best, found = (rounds, idle, ratio), k.name
    return found


def tile_of_bp(m, n, k):
    """What a name of bp's default begins with."""
    if k >= 1536:
        if m < 256 and k % 512 == 0:
            return "128x16x32x512" if n < 1536 else "256x16x64x512"
        return "256x128x64x128" if n < 1536 or n % 128 else "256x128x128x128"
    if k >= 512:
        return "128x16x32x128" if m < 64 else "256x128x64x128" if m <= 256 else "256x128x128x64"
    return "128x16x256x64" if m < 128 else "256x32x256x64" if m <= 256 else "256x128x128x64"


def default_of_bp(problem, kernels):
    """By size, from a few kernels."""
    begins = f"a8w8_bpreshuffle_{tile_of_bp(*problem[1:4])}_"
    version = "v3" if begins[len("a8w8_bpreshuffle_256x"):].startswith("128") else "v1"
    names = [k.name for k in kernels if k.name.startswith(begins) and k.name.endswith(version)]
    return names[0] if names else None


def default_of_bf16(problem):
    """A library; which of its kernels is not a matter."""
    gpu, m, n, k, *_, preshuffled = problem
    arch, _, units = gpu.partition("_")
    if preshuffled == "True":
        return None
    if arch == "gfx1250":
        return "triton", "auto", 0
    units = int(units)
    few = (m == 1 and n <= 2 * units) or (2 <= m <= 4 and n <= units)
    if k % 8 == 0 and ((few and k <= 9216) or (5 <= m <= 8 and n <= units and k <= 5120) or
                       (9 <= m <= 16 and n <= units and k <= 256)):
        return SKINNY
    return TORCH


def default_of(family, problem, kernels):
    """The class that AITER takes without a row; None: not known here."""
    if family == "bf16":
        return default_of_bf16(problem)
    if family == "bsp" and problem[0].startswith("gfx1250"):
        return "triton", "triton", 0
    name = {"bs": default_of_bs, "bsp": default_of_bsp, "a4w4": default_of_a4w4,
            "bp": default_of_bp}[family](problem, kernels)
    return name and ("asm" if name.startswith("_ZN") else "ck", name, 0)


# ---- what is legal ----

def archs_by_name(kernels, rows):
    """The architectures of each kernel: those of the list; of one that it lacks, those that ran it."""
    found = {}
    for kernel in kernels:
        found.setdefault(kernel.name, set()).update(a for a in kernel.archs if a[:3] == "gfx")
    listed = {name for name, archs in found.items() if archs}
    for row in rows:
        if row.label[1] not in listed:
            found.setdefault(row.label[1], set()).add(row.problem[0].partition("_")[0])
    return found


def may_split(k, split):
    """bsp's asm: every part must get some of K, in steps of 128."""
    return split == 1 or -(-k // round_up(-(-k // split), 128)) == split


def fits(family, problem, label, tile):
    """The limits by size."""
    _, _, n, k = problem[:4]
    library, name, split = label
    tm, tn, tk = tile
    if family == "bs":
        return (tk << split) <= k and (library == "ck" or k % tk == 0)
    if family == "bsp" and library != "triton":
        wide = library == "cktile" or n % tn == 0
        return wide and (may_split(k, split) if library == "asm" else k % tk == 0)
    if family == "bp" and library in ("ck", "flydsl") and tm:
        parts = re.search(r"_sk(\d+)_", name)
        return n % tn == 0 and k % (tk * int(parts.group(1) if parts else 1)) == 0
    return True


def is_legal(family, problem, label, tile, archs):
    """Whether the GPU has the kernel and the sizes allow it."""
    arch = problem[0].partition("_")[0]
    return arch in archs.get(label[1], ()) and fits(family, problem, label, tile)
