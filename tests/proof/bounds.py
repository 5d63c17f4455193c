#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bounds.py - no sum of a shipped model leaves its type: recomputed from the text of the headers

usage: bounds.py HEADER...

Prints a line of a table for each header: the largest magnitudes that the sums of each kind can have for
activations of 0..127 and any prefix, with what rounding adds; then the least score. The limit is 2^31 - 1,
of sums of embeddings 2^15 - 1, of logits 2^29, of scores -2^31. Status 1: a limit is passed, or the header
states a largest accumulator that is too small for what is rounded; 2: a header is not whole.
"""
import sys

from generated import Header, WrongHeader

INT32, LOGIT, LEAST_LOG2 = 2**31 - 1, 2**29, -2**26


def row_sums(weights, biases, cols):
    """Of each row, the magnitude that its sum can have, and on the way to it"""
    assert len(weights) >= len(biases) * cols and all(-127 <= w <= 127 for w in weights)
    return [abs(b) + 127 * sum(map(abs, weights[r * cols:(r + 1) * cols])) for r, b in enumerate(biases)]


def rounded(sums, shift):
    """With the half that is added before a shift"""
    assert 1 <= shift <= 24
    return max(sums) + 2**(shift - 1)


def prefix_sums(header, t, table):
    """What the rows of the values before parameter t can add to each hidden unit, unscaled"""
    sums, row = [0] * header.hidden, 0
    for u in range(t):
        if header.heads[u][1] == "NULL":
            continue
        n = len(header.values(u))
        for i in range(header.hidden):
            sums[i] += max(abs(table[(row + v) * header.hidden + i]) for v in range(n))
        row += n
    assert len(table) == row * header.hidden
    return sums


def bounds_of(header):
    """Largest sums: first layer, second, hidden units, of embeddings alone, outputs, logits"""
    a, layers = header.arrays, header.layers
    dense = [rounded(row_sums(a[w], a[b], int(cols)), int(shift)) for w, b, _, cols, shift in layers[:2]]
    weight, bias, rows, cols, _ = layers[2]
    context = row_sums(a[weight], a[bias], int(cols))
    units, embedded, outputs, logits, row = 0, 0, 0, 0, 0
    for t, (embedding, out, offset, e, s, r) in enumerate(header.heads):
        if out == "NULL":
            continue
        before = prefix_sums(header, t, a.get(embedding, []))
        own = context[row:row + header.hidden]
        units = max(units, rounded([x + y * 2**int(e) for x, y in zip(own, before)], int(s)))
        embedded = max(embedded, *before)
        most = max(row_sums(a[out], a[offset], header.hidden))
        outputs, logits = max(outputs, most), max(logits, most * 2**int(r))
        row += header.hidden
    assert row == int(rows) == len(context)
    return dense + [units, embedded, outputs, logits]


def least_score(header):
    """Each parameter with a choice at the least log2-probability; a norm is at most 7 bits for each"""
    free = sum(out != "NULL" for _, out, *_ in header.heads)
    return -(-free * LEAST_LOG2 * header.scale >> 16) - free * 7 * 65536


def main():
    bad = 0
    for path in sys.argv[1:]:
        header = Header(path)
        first, second, units, embedded, outputs, logits = bounds_of(header)
        score = least_score(header)
        print("| `%s` | %s |" % (header.name, " | ".join(
            "{:,}".format(x) for x in (first, second, units, embedded, outputs, logits, score))))
        largest = max(first, second, units, outputs)
        if largest > INT32 or embedded > 2**15 - 1 or logits >= LOGIT or score < -2**31:
            bad += 1
            print("%s: a sum leaves its type" % path)
        if max(first, second, units) > header.stated:
            bad += 1
            print("%s: a sum of %d, stated is %d" % (path, max(first, second, units), header.stated))
    return bad > 0


try:
    sys.exit(main())
except WrongHeader as wrong:
    print("bounds.py: %s" % wrong, file=sys.stderr)
    sys.exit(2)
