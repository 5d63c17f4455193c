# SPDX-License-Identifier: MIT
"""own_kinds.py - the made-up kernels of own.py: what they cost, which problems a table has, which are asked

A Kernel has fields (name, and how it is drawn: a list of tokens, a list of the few numbers that it may
be, or a Size), params (name, values: numbers or names), conditions and formulas in the words of a spec,
and times(problems, tuples): microseconds of each row without noise, infinite where the tuple fails. A
problem and a tuple are rows of numbers; a token or a name is its index. The effects are those of real
kernels, some of which no plain feature computes: bank conflicts that depend on a stride, a GPU with a
slow corner, waves of unequal blocks, caches that overflow. The formulas are what an author would write by
hand.

A table has problems of one of GRIDS:

  powers    sizes that are powers of two
  mixed     many powers of two, multiples of them, and odd ones
  models    sizes that real models have

It is asked for problems of SETS, none of which it has:

  known     sizes that the table has, in new combinations
  between   multiples of 64, or of 8 where there are few, that the table has not
  odd       no multiples of 8, and not in the table
  tiny      3 to 24
  beyond    above the greatest of the table, up to four times it
  half      one size as in known, the others odd

Fields that are no sizes are as in the table.
"""
import collections
import itertools

import numpy as np

GRIDS = "powers", "mixed", "models"
SETS = "known", "between", "odd", "tiny", "beyond", "half"
LEAST_LEGAL = 16 # tuples of a problem
LEAST_NEW = 8    # multiples that the table has not
TOKENS = [1 << i for i in range(17)]
HIDDEN = [768, 1024, 1280, 1536, 2048, 2560, 2880, 3072, 3584, 4096, 4608, 5120, 6144, 6656, 7168, 8192, 10240,
          11008, 12288, 13824, 14336, 16384, 18432, 22016, 28672]
HEADS = [1, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128, 160, 192, 256, 320, 512]
MESHES = [4, 8, 10, 16, 20, 32, 48, 50, 64, 80, 96, 100, 128, 160, 192, 200, 256, 320, 384, 400, 500, 512, 640, 720,
          768, 800, 960, 1000, 1024]
CHANNELS = [3, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 160, 192, 240, 256, 320, 384, 480, 512, 640, 672, 728, 768,
            960, 1024, 1280, 1536, 2048]
SIDES = [7, 8, 14, 16, 28, 32, 56, 64, 112, 128, 160, 224, 256, 299, 384, 512]

Size = collections.namedtuple("Size", "low high models") # a table's range; what models have, in it and outside


class Kernel:
    """One kernel."""

    def __init__(self, name, fields, params, conditions, formulas, times):
        self.name, self.drawn, self.conditions, self.formulas, self.times = name, fields, conditions, formulas, times
        self.fields = [(n, how if isinstance(how[0], str) else None) for n, how in fields]
        self.params = [(n, v if isinstance(v[0], str) else None) for n, v in params]
        self.tuples = np.array(list(itertools.product(*[range(len(v)) if isinstance(v[0], str) else v
                                                        for _, v in params])))

    def all_times(self, problem):
        """The time of each tuple for one problem."""
        return self.times(np.tile(problem, (len(self.tuples), 1)), self.tuples)


def cdiv(a, b):
    """Rounded up."""
    return -(-a // b)


def by_hand(formulas, columns):
    """What formulas make of the columns of fields and parameters, by name: a column each."""
    known = {"ceil_div": cdiv, "min": np.minimum, "max": np.maximum}
    return [eval(text, known, columns) for _, text in formulas] # pylint: disable=eval-used


# ---- how problems are drawn ----

def pick(rng, values):
    """One of them."""
    return int(values[rng.integers(len(values))])


def by_octave(rng, values):
    """One of them; an octave is as likely as another."""
    values = np.asarray(values)
    return int(rng.choice(values, p=1 / values / (1 / values).sum()))


def mixed(rng, low, high):
    """As users have them: many powers of two, multiples of them, and odd ones."""
    x = 2 ** rng.uniform(np.log2(low), np.log2(high))
    by = pick(rng, [1, 8, 32, 64, 128, 256])
    kind = rng.random()
    return int(2 ** round(np.log2(x))) if kind < .3 else max(low, int(round(x / by)) * by)


def grid_value(rng, grid_name, how):
    """Of a field."""
    if not isinstance(how, Size):
        return pick(rng, range(len(how)) if isinstance(how[0], str) else how)
    if grid_name == "mixed":
        return mixed(rng, how.low, how.high)
    values = how.models if grid_name == "models" else [1 << i for i in range(31)]
    return pick(rng, [v for v in values if how.low <= v <= how.high])


def drawn(n, draw, but=()):
    """n problems, no two the same, and none of those."""
    found, but = {}, set(map(tuple, but))
    while len(found) < n:
        problem = tuple(draw())
        if problem not in but:
            found[problem] = True
    return np.array(list(found))


def grid(kernel, rng, grid_name, n):
    """The problems of a table."""
    return drawn(n, lambda: [grid_value(rng, grid_name, how) for _, how in kernel.drawn])


def new_multiples(how, known):
    """Those of 64 or 8 that the table has not."""
    for by in 64, 8:
        found = np.setdiff1d(np.arange(by, how.high + 1, by), known)
        found = found[found >= how.low]
        if len(found) >= LEAST_NEW:
            break
    return found


def set_value(rng, set_name, how, known):
    """Of a size; known: those of the table."""
    if set_name == "known":
        return pick(rng, known)
    if set_name == "tiny":
        return pick(rng, range(3, 25))
    if set_name == "between":
        return by_octave(rng, new_multiples(how, known))
    if set_name == "beyond":
        values = np.arange(known.max() + 1, 4 * known.max() + 1)
        by = pick(rng, [1, 1, 64, 1 << int(np.log2(known.max()))])
        return by_octave(rng, values[values % by == 0])
    values = np.setdiff1d(np.arange(how.low, how.high + 1), known)
    return by_octave(rng, values[values % 8 > 0])


def set_problem(kernel, rng, table, set_name):
    """One problem that may be asked."""
    sizes = [i for i, (_, how) in enumerate(kernel.drawn) if isinstance(how, Size)]
    stays = pick(rng, sizes) if set_name == "half" else None
    return [set_value(rng, set_name if i in sizes and i != stays else "known", how, table[:, i])
            for i, (_, how) in enumerate(kernel.drawn)]


def ask(kernel, rng, table, set_name, n):
    """The problems of a set, given those of the table; each has legal tuples."""
    def draw():
        while True:
            problem = set_problem(kernel, rng, table, set_name)
            if np.isfinite(kernel.all_times(np.array(problem))).sum() >= LEAST_LEGAL:
                return problem
    return drawn(n, draw, table)


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


GEMM = Kernel(
    "own_gemm", [("gpu", ["gfx906_60", "gfx90a_104"]), ("dtype", ["fp32", "fp16"]), ("m", Size(1, 8192, TOKENS)),
                 ("n", Size(32, 16384, HIDDEN)), ("k", Size(128, 16384, HIDDEN))],
    [("BM", [16, 32, 64, 128, 256]), ("BN", [16, 32, 64, 128, 256]), ("BK", [16, 32, 64, 128]),
     ("SPLIT", [1, 2, 4, 8, 16]), ("STAGES", [1, 2, 3, 4])],
    ["(BM + BN) * BK * STAGES <= 32768", "dtype == fp16 or (BM + BN) * BK * STAGES <= 16384", "SPLIT * BK <= k"],
    [("blocks", "ceil_div(m, BM) * ceil_div(n, BN) * SPLIT"), ("steps", "ceil_div(ceil_div(k, SPLIT), BK)"),
     ("shared", "(BM + BN) * BK * STAGES"), ("tile", "BM * BN"),
     ("full", "m * n / (ceil_div(m, BM) * BM * ceil_div(n, BN) * BN)")], gemm_times)


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


STENCIL = Kernel(
    "own_stencil", [("nx", Size(32, 1024, MESHES)), ("ny", Size(16, 1024, MESHES)), ("nz", Size(4, 512, MESHES)),
                    ("radius", [1, 1, 2, 3, 4])],
    [("TX", [8, 16, 32, 64, 128, 256]), ("TY", [1, 2, 4, 8, 16]), ("TZ", [1, 2, 4, 8]), ("UNROLL", [1, 2, 4]),
     ("VEC", [1, 2, 4]), ("LDS", [0, 1])], [],
    [("threads", "TX * TY * TZ // VEC"), ("points", "TX * TY * TZ * UNROLL"),
     ("tiles", "ceil_div(nx, TX) * ceil_div(ny, TY) * ceil_div(nz, TZ * UNROLL)"),
     ("halo", "(TX + 2 * radius) * (TY + 2 * radius) * (TZ * UNROLL + 2 * radius)"),
     ("full_z", "nz / (ceil_div(nz, TZ * UNROLL) * TZ * UNROLL)")],
    stencil_times)


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


REDUCE = Kernel(
    "own_reduce", [("gpu", ["V100", "H100", "T4"]), ("op", ["sum", "softmax", "norm"]),
                   ("rows", Size(1, 65536, TOKENS)), ("cols", Size(16, 65536, HIDDEN))],
    [("THREADS", [32, 64, 128, 256, 512, 1024]), ("ROWS", [1, 2, 4, 8, 16]), ("VEC", [1, 2, 4]),
     ("SPLIT", [1, 2, 4, 8, 16]), ("ITEMS", [1, 2, 4]), ("KEEP", [0, 1])], [],
    [("lanes", "THREADS // ROWS"), ("length", "ceil_div(cols, SPLIT)"), ("blocks", "ceil_div(rows, ROWS) * SPLIT"),
     ("steps", "ceil_div(ceil_div(cols, SPLIT), THREADS // ROWS * VEC * ITEMS)"),
     ("rest", "ceil_div(cols, SPLIT) % (THREADS // ROWS * VEC * ITEMS)")], reduce_times)


# ---- attention that keeps a block of queries and walks along the keys, maybe several blocks that share them ----

ATT_UNITS, ATT_LANES, ATT_SHARED = np.array([132, 304]), np.array([32, 64]), np.array([229376, 65536])
ATT_RATE, ATT_CACHE, ATT_DRAM = np.array([2.4e6, 1.7e6]), np.array([4e4, 2.4e4]), np.array([1.4e6, 3.6e6])


def attention_waves(gpu, blocks, resident, alone, busy):
    """Blocks of a unit hide each other's waiting; the last wave has fewer of them."""
    whole, rest = np.divmod(blocks, ATT_UNITS[gpu] * resident)
    last = np.maximum(alone, cdiv(rest, ATT_UNITS[gpu]) * busy)
    return whole * np.maximum(alone, resident * busy) + np.where(rest > 0, last, 0)


def attention_keys(causal, sq, sk, bm):
    """How many keys a block of queries sees in the mean: with a causal mask it passes over others."""
    least = np.clip(sk - sq + bm, 0, sk)
    return np.where(causal == 0, sk, np.where(sk >= sq, (least + sk) / 2, sk * np.minimum(sk + bm, sq) / 2 / sq))


def attention_times(p, t):
    """A block of BM queries of one head, and a part of SPLIT of its keys, BN of them a step."""
    gpu, causal, heads, sq, sk, d = p.T
    bm, bn, warps, stages, split, order = t.T
    threads = warps * ATT_LANES[gpu]
    wide = np.where(d > 128, 256, np.where(d > 64, 128, 64)) # what the matrix units are fed with
    # the second GPU reads the values past its shared memory
    shared = (bm + np.where(gpu == 0, 2, 1) * stages * bn) * d * 2
    registers = 40 + bm * (wide + bn) // threads
    resident = np.clip(np.minimum(ATT_SHARED[gpu] // shared, 65536 // (registers * threads)), 1, 8)
    spill = 1 + np.maximum(registers - 255, 0) / 80
    keys = cdiv(sk, split)
    steps = np.ceil(np.maximum(attention_keys(causal, sq, sk, bm) / split, 1) / bn)
    masked = .6 * (keys % bn > 0) + .5 * causal * cdiv(bm, bn)
    fed = np.minimum(1, bm / (16. * warps)) / (1 + 20 / bm + 12 / bn) * np.where(warps < 4, .5 + .125 * warps, 1)
    work = (4 * bm * bn * wide / ATT_RATE[gpu] / fed + bm * bn / 2e4) * spill
    load = 4 * bn * d / ATT_CACHE[gpu] * np.where((sk % 8 > 0) & (d % 64 > 0), 1.3, 1)
    load *= np.where((gpu == 1) & (stages > 2), 1.15, 1)
    step = np.maximum(work, load) + np.minimum(work, load) / stages + .1 + .3 / stages
    ends = 1.2 + 4 * bm * d / ATT_CACHE[gpu]
    alone = (steps + masked) * step + ends
    busy = (steps + masked) * (np.maximum(work, load) + .02 * warps) + .3 * ends
    time = attention_waves(gpu, cdiv(sq, bm) * heads * split, resident, alone, busy)
    uneven = causal * np.maximum(cdiv(keys, bn) - steps, 0) * step * np.where(order == 1, .2, .8)
    spread = np.where(heads * sk * d * 4 > 3e7, .06 + .05 * order, .01 * order)
    traffic = heads * d * 4 * (sk * (1 + spread * cdiv(sq, bm)) + sq) / ATT_DRAM[gpu]
    gather = np.where(split > 1, 2.6 + sq * heads * d * 4 * (split + 1) / ATT_DRAM[gpu], 0)
    fails = (shared > ATT_SHARED[gpu]) | (bm * (d + bn) > 20480 * warps) | ((split > 1) & (split * bn > sk))
    return np.where(fails, np.inf, np.maximum(time + uneven, traffic) + gather + 3)


ATTENTION = Kernel(
    "own_attention", [("gpu", ["H100", "gfx942_304"]), ("mask", ["full", "causal"]), ("heads", Size(1, 512, HEADS)),
                      ("sq", Size(1, 16384, TOKENS)), ("sk", Size(1, 16384, TOKENS)),
                      ("d", [64, 64, 80, 96, 128, 128, 192, 256])],
    [("BLOCK_M", [16, 32, 64, 128, 256]), ("BLOCK_N", [16, 32, 64, 128]), ("WARPS", [1, 2, 4, 8]),
     ("STAGES", [1, 2, 3]), ("SPLIT", [1, 2, 3, 4, 8, 16]), ("LONGEST_FIRST", [0, 1])],
    ["(BLOCK_M + 2 * STAGES * BLOCK_N) * d <= 114688", "gpu == H100 or (BLOCK_M + STAGES * BLOCK_N) * d <= 32768",
     "BLOCK_M * (d + BLOCK_N) <= 20480 * WARPS", "SPLIT == 1 or SPLIT * BLOCK_N <= sk"],
    [("blocks", "ceil_div(sq, BLOCK_M) * heads * SPLIT"), ("steps", "ceil_div(ceil_div(sk, SPLIT), BLOCK_N)"),
     ("shared", "(BLOCK_M + 2 * STAGES * BLOCK_N) * d"), ("registers", "BLOCK_M * (d + BLOCK_N) // WARPS"),
     ("full", "sq / (ceil_div(sq, BLOCK_M) * BLOCK_M)")], attention_times)


# ---- LayerNorm: some rows a block, lanes that share a row ----

NORM_UNITS, NORM_WARP, NORM_LINE = np.array([108, 104]), np.array([32, 64]), np.array([13e3, 11e3])


def norm_times(p, t):
    """BLOCK threads for ROWS rows, read UNROLL times VEC words a lane, once (KEEP) or twice."""
    gpu, rows, cols = p.T
    block, at_once, vec, unroll, keep, shuffle = t.T
    lanes = block // at_once
    iterations = cdiv(cols, lanes * vec)
    held = np.exp2(np.ceil(np.log2(iterations))) # what is kept is unrolled in full, to a power of two
    deep = np.where(keep == 1, np.minimum(held, 4), unroll) # reads on their way
    rounds = cdiv(iterations, deep)
    registers = 22 + vec * deep + np.where(keep == 1, held * vec, 0)
    spill = 1 + np.maximum(registers - 128, 0) / 40
    resident = np.clip(np.minimum(2048 // block, 65536 // (registers * block)), 1, 16).astype(int)
    again = np.where(at_once * cols * resident * 2 < 1.6e5, .25, .8) # a second pass finds some in the cache
    moved = at_once * cols * 2 * (2 + np.where(keep == 1, 0, again)) * np.where(cols % vec > 0, 1.25 + .05 * vec, 1)
    moved = moved * np.where(lanes * vec < 2 * NORM_WARP[gpu], 1.3, 1) + 600
    issued = np.where(keep == 1, held * (4 + 3 * vec), iterations * (9 + 4 * vec)) + 9 * (cols % (lanes * vec) > 0)
    inside = np.where(shuffle == 1, .02, .05) * np.log2(np.minimum(lanes, NORM_WARP[gpu]))
    across = np.where(lanes > NORM_WARP[gpu], .25 + .06 * np.log2(lanes) * np.where(shuffle == 1, .6, 1), 0)
    alone = (.7 + rounds * np.where(keep == 1, .45, .65) + .0015 * issued) * spill + inside + across
    flight = np.minimum(1, resident * block * vec * deep / 14e3)
    busy = np.maximum(moved / NORM_LINE[gpu] / flight, issued * block * spill / np.where(gpu == 1, 1.5e5, 1.8e5))
    busy = busy * np.where((gpu == 1) & (vec == 8) & (unroll > 2), 1.3, 1)
    whole, rest = np.divmod(cdiv(rows, at_once), NORM_UNITS[gpu] * resident)
    last = np.where(rest > 0, np.maximum(alone, cdiv(rest, NORM_UNITS[gpu]) * busy), 0)
    time = whole * np.maximum(alone, resident * busy) + last + 2
    return np.where(at_once * 32 > block, np.inf, time)


NORM = Kernel(
    "own_norm", [("gpu", ["A100", "gfx90a_104"]), ("rows", Size(1, 65536, TOKENS)), ("cols", Size(32, 32768, HIDDEN))],
    [("BLOCK", [128, 256, 512, 1024]), ("ROWS", [1, 2, 4, 8, 16]), ("VEC", [1, 2, 4, 8]), ("UNROLL", [1, 2, 4]),
     ("KEEP", [0, 1]), ("SHUFFLE", [0, 1])], ["ROWS * 32 <= BLOCK"],
    [("lanes", "BLOCK // ROWS"), ("iterations", "ceil_div(cols, BLOCK // ROWS * VEC)"), 
     ("blocks", "ceil_div(rows, ROWS)"), ("kept", "ceil_div(cols, BLOCK // ROWS * VEC) * VEC"),
     ("full", "cols / (ceil_div(cols, BLOCK // ROWS * VEC) * (BLOCK // ROWS * VEC))")], norm_times)


# ---- a batch of small products, whose last tiles are padded or walked slowly ----

def tails_extent(length, tile, loop):
    """How long a side seems to be: whole tiles, or a slow loop behind the last whole one."""
    rest = length % tile
    return length - rest + np.where(loop == 1, 1.9 * rest + 5 * (rest > 0), np.where(rest > 0, tile, 0))


def tails_times(p, t):
    """Tiles of TM x TN, TK a step; what is not a multiple of VEC takes a slow path."""
    batch, m, n, k = p.T
    tm, tn, tk, vec, loop, threads = t.T
    tiles = cdiv(m, tm) * cdiv(n, tn)
    area = tails_extent(m, tm, loop) * tails_extent(n, tn, loop) / tiles # of a tile in the mean
    deep = np.where(loop == 1, tails_extent(k, tk, loop), cdiv(k, tk) * tk)
    a, b = (np.where(x % vec == 0, .3 + .7 / vec, 1.15 + .1 * vec) for x in (k, n))
    each = tm * tn / threads # results of a thread
    work = deep * area * (1 + 2.2 / each + np.maximum(each - 40, 0) / 30) / 9e4
    load = deep * (tm * a + tn * b) * (1 + 24 / (tk * 4)) / 7e3
    steps = deep / tk * (.05 + .012 * np.log2(threads))
    resident = np.clip(np.minimum(1024 // threads, 24576 // ((tm + tn) * tk)), 1, 8)
    alone, busy = work + load + steps + .9, np.maximum(work, load) + .15 * np.minimum(work, load)
    whole, rest = np.divmod(tiles * batch, 60 * resident)
    last = np.where(rest > 0, np.maximum(alone, cdiv(rest, 60) * busy), 0)
    time = whole * np.maximum(alone, resident * busy) + last + 2.5
    return np.where((tm * tn > 64 * threads) | (tm * tn < 2 * threads) | ((tm + tn) * tk > 6144), np.inf, time)


TAILS = Kernel(
    "own_tails", [("batch", Size(1, 4096, TOKENS)), ("m", Size(4, 1024, HEADS)), ("n", Size(4, 2048, CHANNELS)),
                  ("k", Size(4, 2048, CHANNELS))],
    [("TM", [16, 24, 32, 40, 48, 64, 80, 96]), ("TN", [16, 24, 32, 40, 48, 64, 80, 96]), ("TK", [8, 16, 32]),
     ("VEC", [1, 2, 4]), ("LOOP", [0, 1]), ("THREADS", [64, 128, 256])],
    ["TM * TN <= 64 * THREADS", "TM * TN >= 2 * THREADS", "(TM + TN) * TK <= 6144"],
    [("tiles", "ceil_div(m, TM) * ceil_div(n, TN) * batch"), ("full_m", "m / (ceil_div(m, TM) * TM)"),
     ("full_n", "n / (ceil_div(n, TN) * TN)"), ("rest_k", "k % TK"), ("off_a", "k % VEC"), ("off_b", "n % VEC"),
     ("each", "TM * TN // THREADS")], tails_times)


# ---- a convolution of twelve parameters ----

CONV_UNITS, CONV_RATE, CONV_DRAM = np.array([80, 60]), np.array([4e5, 3.2e5]), np.array([8e5, 9e5])
DIRECT, GEMM_LIKE, WINOGRAD = range(3)


def twelve_effects(p, t):
    """How much each of the lesser parameters costs, together: some per cent each, some depend on another."""
    gpu, _, c, k, side, filt = p.T
    layout, algo, tile_k, tile_p, tile_c, waves, stages, vec, _, prefetch, swizzle, store = t.T
    ragged = np.where(algo == DIRECT, side % vec > 0, np.where(layout == 1, c % vec > 0, vec > 1))
    return (np.where(ragged, 1.08 + .05 * vec, 1.16 - .04 * vec) 
            * np.where((layout == 0) & (algo == GEMM_LIKE), 1.1, 1) * np.where((layout == 1) & (c < 32), 1.3, 1)
            * (1 + .18 / stages * np.where(prefetch == 1, .6, 1)) * np.where((prefetch == 1) & (tile_c == 32), 1.05, 1)
            * np.where((swizzle == 0) & (tile_c * vec >= 64), 1.1, 1) * np.where(swizzle == 1, 1.015, 1)
            * np.where(store == 1, 1.02, 1 + .06 * (k % 64 > 0) + .03 * (tile_p == 128))
            * np.where((gpu == 1) & (waves == 2), 1.07, 1) * np.where((filt > 3) & (tile_k > tile_p), .97, 1))


def twelve_times(p, t):
    """Tiles of TILE_K channels x TILE_P pixels, TILE_C of what is summed a step, in SPLIT_C parts."""
    gpu, n, c, k, side, filt = p.T
    _, algo, tile_k, tile_p, tile_c, waves, stages, vec, split, prefetch, _, store = t.T
    pixels, taps = n * side * side, filt * filt
    pixels = np.where(algo == WINOGRAD, cdiv(side, 2) ** 2 * n * 4, pixels)
    steps = np.where(algo == GEMM_LIKE, cdiv(cdiv(c * taps, split), tile_c), cdiv(cdiv(c, split), tile_c) * taps)
    per_step = np.where(algo == WINOGRAD, .5, 1) * tile_k * tile_p * tile_c / CONV_RATE[gpu]
    fed = 1 / (1 + 14 / tile_k + 14 / tile_p) * np.where(tile_k * tile_p < 1024 * waves, .75, 1)
    step = (per_step / fed + .04 * waves) * np.where(algo == GEMM_LIKE, 1.13, 1) * twelve_effects(p, t)
    shared = (tile_k + tile_p) * tile_c * stages
    resident = np.clip(np.minimum(32768 // shared, 16 // waves), 1, 6) - (tile_k * tile_p > 4096 * waves // 2)
    resident = np.maximum(resident, 1)
    whole, rest = np.divmod(cdiv(k, tile_k) * cdiv(pixels, tile_p) * split, CONV_UNITS[gpu] * resident)
    last = np.where(rest > 0, .3 + .7 * cdiv(rest, CONV_UNITS[gpu]) / resident, 0)
    time = (whole + last) * resident * (steps * step + 1 + .4 * stages)
    transform = np.where(algo == WINOGRAD, 3 + (c + k) * n * side * side * 9 / CONV_DRAM[gpu], 0)
    gather = np.where(split > 1, 2 + pixels * k * 4 * split / CONV_DRAM[gpu], 0)
    fails = ((algo == WINOGRAD) & (filt != 3)) | (shared > 12288) | (tile_k * tile_p > 4096 * waves)
    fails |= ((split > 1) & (store == 1)) | ((prefetch == 1) & (stages == 1)) | (tile_c < 4 * vec)
    return np.where(fails, np.inf, time + transform + gather + 3)


TWELVE = Kernel(
    "own_twelve", [("gpu", ["V100", "gfx906_60"]), ("n", Size(1, 256, TOKENS)), ("c", Size(3, 2048, CHANNELS)),
                   ("k", Size(16, 2048, CHANNELS)), ("side", Size(7, 256, SIDES)), ("filter", [1, 3, 3, 5])],
    [("LAYOUT", ["nchw", "nhwc"]), ("ALGO", ["direct", "gemm_like", "winograd"]), ("TILE_K", [32, 64, 128]),
     ("TILE_P", [16, 32, 64, 128]), ("TILE_C", [8, 16, 32]), ("WAVES", [2, 4]), ("STAGES", [1, 2, 3]),
     ("VEC", [1, 2, 4]), ("SPLIT_C", [1, 4]), ("PREFETCH", [0, 1]), ("SWIZZLE", [0, 1]),
     ("STORE", ["plain", "staged"])],
    ["ALGO != winograd or filter == 3", "(TILE_K + TILE_P) * TILE_C * STAGES <= 12288",
     "TILE_K * TILE_P <= 4096 * WAVES", "SPLIT_C == 1 or STORE == plain", "PREFETCH == 0 or STAGES > 1",
     "TILE_C >= 4 * VEC"],
    [("blocks", "ceil_div(k, TILE_K) * ceil_div(n * side * side, TILE_P) * SPLIT_C"),
     ("steps", "ceil_div(ceil_div(c, SPLIT_C), TILE_C) * filter * filter"),
     ("steps_of_gemm", "ceil_div(ceil_div(c * filter * filter, SPLIT_C), TILE_C)"),
     ("shared", "(TILE_K + TILE_P) * TILE_C * STAGES"), ("off", "c % VEC")], twelve_times)

KERNELS = {k.name: k for k in (GEMM, STENCIL, REDUCE, ATTENTION, NORM, TAILS, TWELVE)}
