"""teachers.py - puts the first teacher in the network's place (alone), or behind it twice (same)

teachers.py FLOAT-NETWORKS alone|same OUTPUT
"""
# SPDX-License-Identifier: MIT
import sys


def padded(n):
    return (n + 15) // 16 * 16


def read_net(f):
    """One network as bytes: a line of widths, one of the numbers of values, then binary32"""
    widths, values = f.readline(), f.readline()
    features, enc1, enc2, hidden, _ = (int(word) for word in widths.split())
    choices = [n for n in (int(word) for word in values.split()) if n > 1]
    n = (features + 1) * enc1 + (enc1 + 1) * enc2 + (enc2 + 1) * len(choices) * hidden
    for t, count in enumerate(choices):
        n += sum(choices[:t]) * hidden + (hidden + 1) * padded(count)
    return widths + values + f.read(4 * n)


with open(sys.argv[1], "rb") as nets:
    head = nets.readline() + nets.readline()  # the format, the id
    student, teacher = read_net(nets), read_net(nets)
chosen = {"alone": [teacher], "same": [student, teacher, teacher]}[sys.argv[2]]
with open(sys.argv[3], "wb") as out:
    out.write(head + b"".join(chosen))
