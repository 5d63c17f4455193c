# SPDX-License-Identifier: MIT
"""aiter_rules.py - what AITER does without a tuning run: its look-up, its defaults, its limits

From docs/aiter.md, on its own: kpred's rules are not read. A class is (library, kernel, split).
"""
import re

SKINNY = ("skinny", "sol2#2", 0)
TORCH = ("torch", "native#0", 0)


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
        if best is None or rounds < best[0] or (rounds == best[0] and
                                                (idle < best[1] or ratio > best[2])):
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
    """A library; which of its kernels is no matter."""
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
    """The architectures of each kernel: those of the list; of one that it lacks, those that ran
    it."""
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
