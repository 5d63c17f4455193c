"""teachers.py - puts the first teacher in the network's place (alone), or behind it twice (same)

teachers.py FLOAT-NETWORKS alone|same OUTPUT
"""
# SPDX-License-Identifier: MIT
import sys
head = b"kpred additive 1\n"
_, student, *teachers = open(sys.argv[1], "rb").read().split(head)
as_net = {"alone": [teachers[0]], "same": [student, teachers[0], teachers[0]]}[sys.argv[2]]
open(sys.argv[3], "wb").write(b"".join(head + n for n in as_net))
