"""simd.py - functions with vectors give what the header's text says, for all inputs: z3 proves it

SPDX-License-Identifier: MIT

usage: simd.py proofs | simd.py samples <SAMPLES | simd.py false

The terms below say what the functions do, instruction for instruction. `samples` compares them with what the
functions themselves gave (test_simd.c), `proofs` prints a line for each claim and the seconds that it took. `false`
turns each claim into one that does not hold, which z3 must refute. A vector is a list of lanes, the lowest first.
"""
import sys
import time

import z3

# ---- instructions ----


def lanes(bits, width):
    """The lanes of a number of many bits"""
    return [z3.Extract(i + width - 1, i, bits) for i in range(0, bits.size(), width)]


def cast(x, width):
    """The same bits in other lanes"""
    return lanes(z3.Concat(*reversed(x)) if len(x) > 1 else x[0], width)


def each(f, *vectors):
    return [f(*lane) for lane in zip(*vectors)]


def widen(x, width):
    return [z3.SignExt(width - lane.size(), lane) for lane in x]


def widen_unsigned(x, width):
    return [z3.ZeroExt(width - lane.size(), lane) for lane in x]


def constant(n, like):
    return z3.BitVecVal(n, like.size())


def least(a, b):
    return z3.If(a < b, a, b)


def most(a, b):
    return z3.If(a > b, a, b)


def saturated(x, low, high, width):
    """Signed lanes, each to the nearest number of low..high, in fewer bits"""
    return [z3.Extract(width - 1, 0, least(most(lane, constant(low, lane)), constant(high, lane))) for lane in x]


def add(a, b):
    return each(lambda x, y: x + y, a, b)


def sub(a, b):
    return each(lambda x, y: x - y, a, b)


def count(s, width):
    return z3.ZeroExt(width - s.size(), s)


def sra(x, s):
    return [lane >> count(s, lane.size()) for lane in x]


def sll(x, s):
    return [lane << count(s, lane.size()) for lane in x]


def halves(f, *vectors):
    """f for the lower and for the upper half of vectors of 256 bits"""
    n = [len(v) // 2 for v in vectors]
    low = f(*[v[:m] for v, m in zip(vectors, n)])
    return low + f(*[v[m:] for v, m in zip(vectors, n)])


def packs32(a, b):
    return saturated(a + b, -32768, 32767, 16)


def packus16(a, b):
    return saturated(a + b, 0, 255, 8)


def unpack(a, b):
    return [lane for pair in zip(a, b) for lane in pair]


def unpack_low(a, b):
    return unpack(a[:len(a) // 2], b[:len(b) // 2])


def unpack_high(a, b):
    return unpack(a[len(a) // 2:], b[len(b) // 2:])


def pairs(x):
    """The sums of neighbours"""
    return [x[i] + x[i + 1] for i in range(0, len(x), 2)]


def madd16(a, b):
    return pairs(each(lambda x, y: x * y, widen(a, 32), widen(b, 32)))


def maddubs(a, b):
    return saturated(pairs(each(lambda x, y: x * y, widen_unsigned(a, 32), widen(b, 32))), -32768, 32767, 16)


def hadd(a, b):
    return pairs(a) + pairs(b)


# ---- the functions of kpred.h, by instructions ----


def sse2_madd16(acc, w, x0, x1):
    zero = [z3.BitVecVal(0, 8)] * 16
    acc = add(acc, madd16(cast(unpack_low(zero, w), 16), x0))
    return add(acc, madd16(cast(unpack_high(zero, w), 16), x1))


def sse2_sum4(a, b, c, d):
    ab = add(unpack_low(a, b), unpack_high(a, b))
    cd = add(unpack_low(c, d), unpack_high(c, d))
    low = cast(unpack_low(cast(ab, 64), cast(cd, 64)), 32)
    return add(low, cast(unpack_high(cast(ab, 64), cast(cd, 64)), 32))


def sse2_widen(q):
    s = z3.BitVecVal(8, 8)
    return sra(cast(unpack_low(q, q), 16), s) + sra(cast(unpack_high(q, q), 16), s)


def clamped(q):
    return [most(least(lane, constant(127, lane)), constant(0, lane)) for lane in q]


def sse2_requantise8(low, high, s):
    return clamped(packs32(sra(low, s), sra(high, s)))


def sse2_shifted(base, half, sums, down):
    return add(add(base, half), sra(sums, down))


def avx2_dot(acc, x, w):
    one = [z3.BitVecVal(1, 16)] * 16
    return add(acc, madd16(maddubs(x, w), one))


def avx2_put4(a, b, c, d, bias, up):
    s = halves(hadd, halves(hadd, a, b), halves(hadd, c, d))
    return sll(add(add(s[:4], s[4:]), bias), up)


def avx2_units8(base, half, sums, up, by):
    return sra(add(add(base, half), sll(widen(sums, 32), up)), by)


def avx2_units32(a0, a1, b0, b1):
    bytes_ = halves(packus16, halves(packs32, a0, a1), halves(packs32, b0, b1))
    bytes_ = [z3.If(z3.ULT(lane, constant(127, lane)), lane, constant(127, lane)) for lane in bytes_]
    words = cast(bytes_, 32)
    return cast([words[i] for i in (0, 4, 1, 5, 2, 6, 3, 7)], 8)


def avx2_pack(x):
    return packus16(x[:8], x[8:])


def avx2_score4(x, norm, start):
    return add([most(lane, constant(-(1 << 26), lane)) for lane in sub(x, norm)], start)


def avx2_scaled4(x, by):
    def product(a, b):
        return widen_unsigned([z3.Extract(31, 0, a)], 64)[0] * widen_unsigned([z3.Extract(31, 0, b)], 64)[0]
    x, by = cast(x, 64), cast(by, 64)
    even = cast([z3.LShR(product(a, b), 16) for a, b in zip(x, by)], 16)
    odd = cast([product(z3.LShR(a, 32), b) << 16 for a, b in zip(x, by)], 16)
    return cast([odd[i] if 0xcc >> i & 1 else even[i] for i in range(8)], 32)


def avx2_load4(x, filler, n):
    mask = [z3.If(count(n, 32) > i, z3.BitVecVal(-1, 32), z3.BitVecVal(0, 32)) for i in range(4)]
    return each(lambda m, a, b: m & a | ~m & b, mask, x, filler)


def avx2_transpose4(*x):
    a, b = (cast(f(x[0], x[1]), 64) for f in (unpack_low, unpack_high))
    c, d = (cast(f(x[2], x[3]), 64) for f in (unpack_low, unpack_high))
    return cast(unpack_low(a, c) + unpack_high(a, c) + unpack_low(b, d) + unpack_high(b, d), 32)


def dpbusd(acc, x, w):
    return add(acc, pairs(pairs(each(lambda a, b: a * b, widen_unsigned(x, 32), widen(w, 32)))))


def neon_requantise(low, high, s):
    """A rounding shift loses nothing before it rounds."""
    wide = sra(sll(widen(low + high, 64), z3.BitVecVal(1, 8)), s)
    rounded = [(lane + 1) >> 1 for lane in wide]
    return clamped(saturated(rounded, -32768, 32767, 16))


def neon_shifted4(base, sums, up):
    return add(base, sll(widen(sums, 32), up))


def neon_mul_dot(acc, x, w):
    x, w = widen(x, 16), widen(w, 16)
    products = each(lambda a, b, c, d: a * b + c * d, x[:8], w[:8], x[8:], w[8:])
    return add(acc, pairs(widen(products, 32)))


def neon_dot_dot(acc, x, w):
    return add(acc, pairs(pairs(each(lambda a, b: a * b, widen(x, 32), widen(w, 32)))))


# Each function with its inputs, as `lanes x bits`, and its output
FUNCTIONS = {
    sse2_madd16: ("4x32 16x8 8x16 8x16", 32), sse2_sum4: ("4x32 4x32 4x32 4x32", 32), sse2_widen: ("16x8", 16),
    sse2_requantise8: ("4x32 4x32 s", 16), sse2_shifted: ("4x32 4x32 4x32 s", 32),
    avx2_dot: ("8x32 32x8 32x8", 32), avx2_put4: ("8x32 8x32 8x32 8x32 4x32 s", 32),
    avx2_units8: ("8x32 8x32 8x16 s s", 32), avx2_units32: ("8x32 8x32 8x32 8x32", 8), avx2_pack: ("16x16", 8),
    avx2_score4: ("4x32 4x32 4x32", 32), avx2_scaled4: ("4x32 4x32", 32), avx2_load4: ("4x32 4x32 s", 32),
    avx2_transpose4: ("4x32 4x32 4x32 4x32", 32), neon_requantise: ("4x32 4x32 s", 16),
    neon_shifted4: ("4x32 4x16 s", 32), neon_mul_dot: ("4x32 16x8 16x8", 32), neon_dot_dot: ("4x32 16x8 16x8", 32),
}
NAMES = {f.__name__: (f, *of) for f, of in FUNCTIONS.items()}
NAMES["avx_vnni_dot"] = NAMES["avx512_vnni_dot"] = (dpbusd, "8x32 32x8 32x8", 32)


def inputs_of(name, take):
    """The inputs of a function: take(bits) gives those of each."""
    for shape in NAMES[name][1].split():
        if shape == "s":
            yield take(8)
        else:
            n, width = map(int, shape.split("x"))
            yield lanes(take(n * width), width)


# ---- samples ----


def compare(line):
    """Does the term give what the function gave?"""
    name, given, got = line.split()
    given, at = bytes.fromhex(given), [0]

    def take(bits):
        part = given[at[0]:at[0] + bits // 8]
        at[0] += bits // 8
        return z3.BitVecVal(int.from_bytes(part, "little"), bits)
    out = cast(NAMES[name][0](*inputs_of(name, take)), 8)
    assert at[0] == len(given)
    return bytes(z3.simplify(lane).as_long() for lane in out) == bytes.fromhex(got)


def samples():
    """Prints the first sample of each function that differs, then how many there are of each."""
    n, wrong = {}, set()
    for line in sys.stdin:
        name = line.split()[0]
        n[name] = n.get(name, 0) + 1
        if name not in wrong and not compare(line):
            wrong.add(name)
            print(f"{name} differs from its term: {line.strip()}")
    print(*(f"{name} {n[name]}" for name in sorted(n)), sep="\n")
    return not wrong and n


# ---- claims ----


def number(name, bits):
    return z3.BitVec(name, bits)


def free(name):
    """Inputs of a function that can be anything"""
    names = iter(range(10))
    return list(inputs_of(name, lambda bits: number(f"x{next(names)}", bits)))


def between(x, low, high):
    return z3.And(x >= low, x <= high)


def products(x, w, signed):
    return each(lambda a, b: a * b, (widen if signed else widen_unsigned)(x, 32), widen(w, 32))


def total(terms):
    sum_ = terms[0]
    for term in terms[1:]:
        sum_ = sum_ + term
    return sum_


def weights(x, w):
    """Activations of 0..127 and weights of -127..127"""
    return [between(q, 0, 127) for q in x] + [between(q, -127, 127) for q in w]


def dots(inputs, lane, signed=0):
    """Lane i adds the products of the four bytes that lie in it."""
    acc, x, w = (v[4 * lane:4 * lane + 4] if len(v) > 8 else v for v in inputs)
    terms = products(x, w, signed)
    return weights(x, w), acc[lane] + total(terms), [(term, term) for term in terms]


def mul_dots(inputs, lane):
    """Two bytes of each half, whose products are made in 16 bits"""
    acc, x, w = inputs
    own = [2 * lane, 2 * lane + 1, 2 * lane + 8, 2 * lane + 9]
    x, w = [x[i] for i in own], [w[i] for i in own]
    short = each(lambda a, b: a * b, widen(x, 16), widen(w, 16))
    terms = products(x, w, 1)
    return weights(x, w), acc[lane] + total(terms), list(zip(short, terms))


def madds(inputs, lane):
    """256 times the products: this is 2^8 times a sum, with room for it"""
    acc, w, x0, x1 = inputs
    own = [2 * lane, 2 * lane + 1, 2 * lane + 8, 2 * lane + 9]
    x = x0 + x1
    return ([between(x[i], 0, 127) for i in own],
            acc[lane] + total([256 * (z3.SignExt(16, x[i]) * z3.SignExt(24, w[i])) for i in own]))


def units(inputs, lane):
    base, half, sums, up, by = inputs
    return [z3.ULE(up, 15), z3.ULE(by, 24)], \
        (base[lane] + half[lane] + (z3.SignExt(16, sums[lane]) << count(up, 32))) >> count(by, 32)


def scores(inputs, lane):
    """kpri_scores1: start - min(norm - x, 2^26), where norm - x is no more than 2^31 and never negative"""
    x, norm, start = (v[lane] for v in inputs)
    down = norm - x
    return [between(x, -(1 << 30), 1 << 29), between(norm, -(1 << 29), 1 << 30), norm >= x], \
        start - z3.If(z3.ULT(down, 1 << 26), down, constant(1 << 26, down))


def byte_of(word):
    """A sum of hidden units, shifted, as the activation that it is"""
    return z3.Extract(7, 0, least(most(word, constant(0, word)), constant(127, word)))


def requantised(inputs, lane):
    """min(127, max(0, floor((acc + 2^(s-1)) / 2^s))), in 64 bits"""
    low, high, s = inputs
    acc, s = z3.SignExt(32, (low + high)[lane]), count(s, 64)
    q = acc + (z3.BitVecVal(1, 64) << s - 1) >> s
    return [z3.ULE(1, s), z3.ULE(s, 24)], z3.ZeroExt(8, byte_of(q))


def halved(inputs, lane):
    """The same of sums to which 2^(s-1) has been added"""
    low, high, s = inputs
    q = (low + high)[lane] >> count(s, 32)
    return [z3.ULE(1, s), z3.ULE(s, 24)], z3.ZeroExt(8, byte_of(q))


# Name: what it needs and what lane i is then, of its inputs; and products, each with what it is in 32 bits
CLAIMS = {
    "sse2_madd16": madds,
    "sse2_sum4": lambda v, i: ([], total(v[i])),
    "sse2_widen": lambda v, i: ([], z3.SignExt(8, v[0][i])),
    "sse2_requantise8": halved,
    "sse2_shifted": lambda v, i: (
        [z3.ULE(1, v[3]), z3.ULE(v[3], 16), z3.Extract(15, 0, v[2][i]) == 0],
        v[0][i] + v[1][i] + (z3.SignExt(16, z3.Extract(31, 16, v[2][i])) << 16 - count(v[3], 32))),
    "avx2_dot": dots,
    "avx2_put4": lambda v, i: ([], total(v[i]) + v[4][i] << count(v[5], 32)),
    "avx2_units8": units,
    "avx2_units32": lambda v, i: ([], byte_of((v[0] + v[1] + v[2] + v[3])[i])),
    "avx2_pack": lambda v, i: ([between(v[0][i], 0, 127)], z3.Extract(7, 0, v[0][i])),
    "avx2_score4": scores,
    "avx2_scaled4": lambda v, i: (
        [], z3.Extract(47, 16, z3.ZeroExt(32, v[0][i]) * z3.ZeroExt(32, v[1][i & ~1]))),
    "avx2_load4": lambda v, i: ([], z3.If(z3.UGT(v[2], i), v[0][i], v[1][i])),
    "avx2_transpose4": lambda v, i: ([], v[i % 4][i // 4]),
    "avx_vnni_dot": dots,
    "avx512_vnni_dot": dots,
    "neon_requantise": requantised,
    "neon_shifted4": lambda v, i: ([], v[0][i] + (z3.SignExt(16, v[1][i]) << count(v[2], 32))),
    "neon_mul_dot": mul_dots,
    "neon_dot_dot": lambda v, i: dots(v, i, 1),
}


def refuted(needs, *claims):
    """What z3 says of a case in which one of the claims does not hold: unsat, there is none"""
    solver = z3.Solver()
    solver.add(*needs, z3.Not(z3.And(*claims)))
    return str(solver.check())


def without_products(needs, claim, terms):
    """First that each product is small, and then the claim, with any small number in place of each of them."""
    needs = list(needs)
    for i, (product, exact) in enumerate(terms):
        small = number(f"p{i}", product.size())
        if refuted(needs, between(exact, -127 * 127, 127 * 127), exact == widen([product], 32)[0]) != "unsat":
            return "open"
        claim = z3.substitute(claim, (product, small), (exact, widen([small], 32)[0]))
        needs.append(between(small, -127 * 127, 127 * 127))
    return refuted(needs, claim)


def prove(name, change):
    """Is lane i what the claim says, for each i? change: of what it says, to what is false"""
    inputs = free(name)
    out = NAMES[name][0](*inputs)
    said = set()
    for i, got in enumerate(out):
        needs, wanted, *terms = CLAIMS[name](inputs, i)
        said.add(without_products(needs, got == wanted + change, terms[0] if terms else []))
    return said


def proofs(change, wanted):
    good = True
    for name in CLAIMS:
        start = time.time()
        said = prove(name, change)
        good = good and said == {wanted}
        print(f"{name} {'/'.join(sorted(said))} {time.time() - start:.2f}", flush=True)
    return good


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) == 2 else ""
    runs = {"proofs": lambda: proofs(0, "unsat"), "false": lambda: proofs(1, "sat"), "samples": samples}
    if what not in runs:
        sys.exit("usage: simd.py proofs | samples | false")
    sys.exit(not runs[what]())
