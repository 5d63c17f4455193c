# SPDX-License-Identifier: MIT
"""own_kernels.py - made-up kernels whose times are known for every problem and tuple

A kernel has fields (name, tokens or None), params (name, values), conditions in Python's words, and
times(problems, tuples): microseconds of each row, infinite where the tuple fails. Its effects are
those of real kernels, some of which no plain feature computes: bank conflicts that depend on a
stride, a GPU with a slow corner, waves of unequal blocks, caches that overflow.
"""
import itertools

import numpy as np


class Kernel:
    """One kernel. problems and tuples are arrays of numbers; a token or a name is its index."""

    def __init__(self, name, fields, params, conditions, times, draw):
        self.name, self.fields, self.params, self.conditions = name, fields, params, conditions
        self.times, self.draw = times, draw
        self.tuples = np.array(list(itertools.product(*[v for _, v in params])))

    def all_times(self, problem):
        """The time of each tuple for one problem."""
        return self.times(np.tile(problem, (len(self.tuples), 1)), self.tuples)

    def problems(self, rng, n):
        """n problems, no two the same."""
        found = {}
        while len(found) < n:
            found[tuple(self.draw(rng))] = True
        return np.array(list(found))


def cdiv(a, b):
    """Rounded up."""
    return -(-a // b)


def pick(rng, values):
    """One of them."""
    return int(values[rng.integers(len(values))])


def size(rng, low, high):
    """As users have them: many powers of two, multiples of them, and odd ones."""
    x = 2 ** rng.uniform(np.log2(low), np.log2(high))
    by = pick(rng, [1, 8, 32, 64, 128, 256])
    kind = rng.random()
    return int(2 ** round(np.log2(x))) if kind < .3 else max(low, int(round(x / by)) * by)


# ---- a product of matrices with a split of K and a limit of shared memory ----

GEMM_UNITS, GEMM_RATE, GEMM_BANDWIDTH = np.array([60, 104]), np.array([.20, .43]), np.array([.9, 1.6])


def gemm_times(p, t):
    """One block of BM x BN of each of SPLIT parts of K."""
    gpu, half, m, n, k = p.T
    bm, bn, bk, split, stages = t.T
    size_of = np.where(half == 1, 2, 4)
    shared = (bm + bn) * bk * size_of * stages
    threads = np.clip(bm * bn // 32, 64, 512)
    blocks = cdiv(m, bm) * cdiv(n, bn) * split
    resident = np.clip(np.minimum(65536 // np.maximum(shared, 1), 2048 // threads), 1, 8)
    units = GEMM_UNITS[gpu]
    whole, rest = np.divmod(blocks, units * resident)
    last = np.where(rest > 0, .35 + .65 * cdiv(rest, units) / resident, 0) # a last wave runs alone
    per_k = bm * bn / (GEMM_RATE[gpu] * np.where(half == 1, 3.2, 1) * 1e3)
    reuse = 1 / (1 + 9 / bm + 9 / bn) * np.where(bm * bn > 128 * 128, .72, 1)
    conflict = np.where((bk * size_of) % 128 == 0, 1.22 - .1 * (gpu == 1), 1)
    stride = np.where((k * size_of) % 4096 == 0, 1.18, 1) * np.where((k % 8 > 0) & (bk > 32), 1.3, 1)
    hide = 1 + .5 / (stages + resident - .5)
    steps = cdiv(cdiv(k, split), bk)
    corner = np.where((gpu == 1) & (half == 1) & (bn == 256) & (stages > 1), 1.4, 1)
    block = (steps * bk * per_k / reuse * conflict * hide * stride * corner + 1.1 + .3 * stages) * resident
    traffic = (m * k * cdiv(n, bn) + n * k * cdiv(m, bm)) * size_of / (GEMM_BANDWIDTH[gpu] * 1e6) * .35
    gather = np.where(split > 1, m * n * 4 * (split + 1) / (GEMM_BANDWIDTH[gpu] * 1e6) + 2.2, 0)
    time = np.maximum((whole + last) * block / 10, traffic) + gather + 3
    fails = (shared > 65536) | (split * bk > k)
    return np.where(fails, np.inf, time)


GEMM = Kernel("own_gemm", [("gpu", ["gfx906_60", "gfx90a_104"]), ("dtype", ["fp32", "fp16"]),
                           ("m", None), ("n", None), ("k", None)],
              [("BM", [16, 32, 64, 128, 256]), ("BN", [16, 32, 64, 128, 256]), ("BK", [16, 32, 64, 128]),
               ("SPLIT", [1, 2, 4, 8, 16]), ("STAGES", [1, 2, 3, 4])],
              ["(BM + BN) * BK * STAGES <= 32768", "dtype == fp16 or (BM + BN) * BK * STAGES <= 16384",
               "SPLIT * BK <= k"],
              gemm_times, lambda rng: [pick(rng, [0, 1]), pick(rng, [0, 1]), size(rng, 1, 8192),
                                       size(rng, 32, 16384), size(rng, 128, 16384)])


# ---- a stencil on a grid ----

def stencil_times(p, t):
    """Tiles of TX x TY x TZ points with a halo of `radius`."""
    nx, ny, nz, radius = p.T
    tx, ty, tz, unroll, vec, lds = t.T
    per_thread = vec * unroll
    threads = tx * ty * tz // np.maximum(vec, 1)
    halo = (tx + 2 * radius) * (ty + 2 * radius) * (tz * unroll + 2 * radius)
    shared = np.where(lds == 1, halo * 4, 0)
    registers = 18 + 5 * per_thread + 2 * radius * vec * np.where(lds == 1, 1, 2)
    tiles = cdiv(nx, tx) * cdiv(ny, ty) * cdiv(nz, tz * unroll)
    resident = np.clip(np.minimum(np.minimum(65536 // np.maximum(shared, 1), 1024 // np.maximum(threads, 1)),
                                  65536 // np.maximum(registers * threads, 1)), 0, 16)
    points = tx * ty * tz * unroll
    read = np.where(lds == 1, halo, points * (1 + 1.1 * radius * (.4 + np.exp2(-(tx * vec) / 64.))))
    coalesced = np.minimum(1, tx / 64.) * np.where(nx % (4 * vec) == 0, 1, .82)
    page = np.where((nx * 4) % 4096 == 0, 1 + .35 * (tz > 2), 1)
    plane = np.where(nx * ny * (2 * radius + 1) * 4 > 4 << 20, 1.25 - .04 * np.minimum(tz * unroll, 6), 1)
    memory = (read / coalesced * page * plane + points) * 4 / 7.5
    compute = points * (6 * radius + 1) / (5.5 * vec ** .35) * (1 + .12 * (unroll == 1))
    bank = np.where((lds == 1) & ((tx + 2 * radius) % 32 == 0), 1.5, 1)
    waves = cdiv(threads, 64) * 64 / np.maximum(threads, 1)
    block = np.maximum(memory, compute * bank) * waves + 60 + 40 * lds
    rounds = np.ceil(tiles / (64. * np.maximum(resident, 1)))
    hide = 1 + 1.2 / (np.maximum(resident * threads, 1) / 256. + 1)
    time = rounds * block * np.maximum(resident, 1) * hide / 1500 + 4
    return np.where((threads > 1024) | (threads < 1) | (resident == 0), np.inf, time)


STENCIL = Kernel("own_stencil", [("nx", None), ("ny", None), ("nz", None), ("radius", None)],
                 [("TX", [8, 16, 32, 64, 128, 256]), ("TY", [1, 2, 4, 8, 16]), ("TZ", [1, 2, 4, 8]),
                  ("UNROLL", [1, 2, 4]), ("VEC", [1, 2, 4]), ("LDS", [0, 1])], [], stencil_times,
                 lambda rng: [size(rng, 32, 1024), size(rng, 16, 1024), size(rng, 4, 512),
                              pick(rng, [1, 1, 2, 3, 4])])


# ---- a reduction of each row, several rows a block, or several blocks a row ----

UNITS, LINE = np.array([80, 132, 40]), np.array([1.2, 2.6, .5])


def reduce_times(p, t):
    """ROWS rows by THREADS threads; a row is cut into SPLIT parts, read VEC words at a time."""
    gpu, op, rows, cols = p.T
    threads, rows_at_once, vec, split, items, keep = t.T
    length = cdiv(cols, split)
    blocks = cdiv(rows, rows_at_once) * split
    lanes = threads // rows_at_once
    steps = cdiv(length, np.maximum(lanes, 1) * vec * items)
    registers = 14 + vec * items * np.where(keep == 1, cdiv(length, np.maximum(lanes * vec * items, 1)), 1)
    resident = np.clip(np.minimum(2048 // threads, 65536 // np.maximum(registers * threads, 1)), 0, 32)
    passes = np.where(op == 0, 1, np.where(keep == 1, 1.05, 1 + .8 * op))
    straight = np.where(cols % vec == 0, 1, .55) * np.minimum(1, lanes * vec / 32.)
    traffic = rows_at_once * length * 4 * passes / straight
    shuffle = np.log2(np.maximum(lanes, 2)) * np.where(lanes > np.where(gpu == 1, 32, 64), 14, 5) * (1 + op)
    slow = np.where((gpu == 2) & (vec == 4) & (items > 2), 1.5, 1)
    step = steps * (18 + 7 * items * vec * (1 + .7 * op)) * slow * np.where(items == 1, 1.25, 1)
    per_unit = np.ceil(blocks / (UNITS[gpu] * np.maximum(resident, 1)))
    busy = np.minimum(1, np.ceil(blocks / UNITS[gpu]) * threads * items * vec / 4096.)
    moved = per_unit * np.maximum(resident, 1) * traffic / (LINE[gpu] * 1e4) / np.maximum(busy, .08) * 1.4
    worked = per_unit * (step + shuffle) * (1 + .04 * resident) / 900
    gather = np.where(split > 1, 2.5 + rows * split * 8 / (LINE[gpu] * 1e6) * 60, 0)
    time = np.maximum(moved, worked) + .3 * np.minimum(moved, worked) + gather + 2.2
    return np.where((resident == 0) | (lanes < 1) | ((split > 1) & (op == 2)), np.inf, time)


REDUCE = Kernel("own_reduce", [("gpu", ["V100", "H100", "T4"]), ("op", ["sum", "softmax", "norm"]),
                               ("rows", None), ("cols", None)],
                [("THREADS", [32, 64, 128, 256, 512, 1024]), ("ROWS", [1, 2, 4, 8, 16]), ("VEC", [1, 2, 4]),
                 ("SPLIT", [1, 2, 4, 8, 16]), ("ITEMS", [1, 2, 4]), ("KEEP", [0, 1])], [], reduce_times,
                lambda rng: [pick(rng, [0, 1, 2]), pick(rng, [0, 1, 2]), size(rng, 1, 65536),
                             size(rng, 16, 65536)])

KERNELS = {k.name: k for k in (GEMM, STENCIL, REDUCE)}
