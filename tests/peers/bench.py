"""bench.py - checks of tools/peers that need more than a shell

bench.py hits HITS.csv FIGURES.csv         the hits add up to the figures
bench.py legal ORACLE KPRED-TRAIN DATA...  the legal tuples that rankings choose from are all those,
                                           and only those, that the oracle accepts
"""
# SPDX-License-Identifier: MIT
import csv
import itertools
import sys

import numpy as np

sys.path[:0] = ["tools/peers", "tests/harness"]
import native
import rows
from report import load_oracle


def hits(*files):
    hits, figures = (list(csv.DictReader(open(p))) for p in files)
    for f in figures:
        if (f["gpu"], f["dtype"]) == ("all", "all"):
            found = [int(h["hit"]) for h in hits if (h["method"], h["k"]) == (f["method"], f["k"])]
            assert len(found) == int(f["n"]), f
            assert f"{100 * sum(found) / len(found):.2f}" == f["pft"], f


def legal(oracle, trainer, *data):
    rules = load_oracle(oracle)
    spec = rows.read_spec("weights/conv_asm_bwd_wrw_3x3.spec")
    library = native.load("weights/conv_asm_bwd_wrw_3x3.h")
    values = [[int(v) for v in vs] for _, vs in spec["params"]]
    check = rules.SOLVERS[spec["solver"]].rules
    for row in rows.ingest(trainer, spec, data)[::6]:
        problem = np.array([t.index(x) if t else int(x) for (_, t), x in zip(spec["fields"], row)],
                           np.int32)
        p = rows.oracle_problem(rules, spec, row)
        expected = [t for t in itertools.product(*values) if all(ok for _, _, ok in check(p, t))]
        got = native.legal_tuples(library, problem, len(values))
        assert [tuple(v[i] for v, i in zip(values, t)) for t in got] == expected, row


{"hits": hits, "legal": legal}[sys.argv[1]](*sys.argv[2:])
