"""test_own.py - tools/peers/own.py: the made-up kernels, and all ways on a few problems"""
# SPDX-License-Identifier: MIT
import sys

from report import TRAINER, check, end, need, output, rows_of

need(TRAINER)
for package in "python3-numpy", "python3-xgboost", "python3-sklearn":
    need(package)
sys.path.insert(1, "tools/peers")
import numpy as np

from own_kernels import KERNELS


def kernel(name):
    """A time for each tuple: some fail, none is best everywhere, and conditions say which fail."""
    made = KERNELS[name]
    problems = made.problems(np.random.default_rng(2), 60)
    times = np.array([made.all_times(p) for p in problems])
    works = np.isfinite(times)
    assert works.any(1).all() and not works.all()
    assert len(set(times.argmin(1))) > 10
    best = times.min(1, keepdims=True)
    assert .4 < (best / times).mean(0).max() < .9
    names = [n for n, _ in made.fields + made.params]
    for p, row in zip(problems, works):
        for t, is_good in list(zip(made.tuples.tolist(), row))[::37]:
            cells = dict(zip(names, [tokens[v] if tokens else v for v, (_, tokens)
                                     in zip(p.tolist(), made.fields)] + t), fp16="fp16", fp32="fp32")
            told = all(eval(c, {}, cells) for c in made.conditions) # pylint: disable=eval-used
            assert told == is_good or not made.conditions, (p, t)


def ways():
    """Each way has a line for each k; shares do not fall with k, and kpred is not ahead of itself."""
    text = output(f"{sys.executable} tools/peers/own.py --csv --train {TRAINER} --kernels own_stencil --problems 12 "
                  "--fresh 4 --samples 12 --set '--split none --epochs 1'")
    rows = rows_of(text)
    assert [r["method"] for r in rows[::3]] == ["nearest", "single", "forest", "xgboost", "kpred"]
    for at in range(0, len(rows), 3):
        shares = [float(r["share"]) for r in rows[at:at + 3]]
        assert 0 < shares[0] <= shares[1] <= shares[2] <= 1, rows[at]
    assert {r["ahead"] for r in rows[-3:]} == {"+0.000"}


for kernel_name in KERNELS:
    check(f"{kernel_name}: times and conditions", kernel, kernel_name)
check("all ways on a few problems", ways)
end()
