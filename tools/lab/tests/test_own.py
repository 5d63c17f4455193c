"""test_own.py - tools/lab/peers/own.py: the made-up kernels, small tables of each form, and all ways on them"""
# SPDX-License-Identifier: MIT
import argparse
import itertools
import json
import re
import shutil
import sys

from report import TRAINER, check, end, folder, need, output, rows_of, run, write

need(TRAINER)
for package in "python3-numpy", "python3-xgboost", "python3-sklearn":
    need(package)
sys.path.insert(1, "tools/lab/peers")
import numpy as np

import own
import own_tables
from own_kinds import GRIDS, KERNELS, SETS, Size, ask, by_hand, grid

SHARED = folder()
OPTIONS = argparse.Namespace(shared=SHARED, folds=3, draws=2, seed=1, fresh=5, sets=["known", "odd"], grids=GRIDS,
                             samples=[30, 60, 120], problems=[20, 60, 220])
RUN = f"{sys.executable} tools/lab/peers/own.py --train {TRAINER} --shared {SHARED} --draws 2 --set '--epochs 1'"


# ---- small files of each form ----

def write_csv(name, rows):
    """A table of dicts."""
    write(f"{SHARED}/{name}", "\n".join(",".join(map(str, line)) for line in [rows[0], *(r.values() for r in rows)]) + "\n")


def write_tensile():
    """Six shapes, 96 kernels, one time that is missing."""
    names = [f"Cijk_Ailk_Bljk_SB_MT{a}x{b}x8_MI32_SE_EPS{e}_GRVW{g}_GSU{s}_IU1_K1_SU0_SUS128_WGM{w}"
             for (a, b), e, g, s, w in itertools.product([(32, 64), (64, 64), (64, 32)], (0, 1), (1, 2), (1, 2, 3, 5),
                                                         (1, 8))]
    rows = [{"GFlops": 1, "SizeI": i * 64, "SizeJ": 32, "SizeK": 1, "SizeL": 8, "TotalFlops": 1000000 * i,
             **{name: 100 + (i * 7 + k * 13) % 50 for k, name in enumerate(names)}} for i in range(1, 7)]
    rows[2][names[5]] = 0
    write_csv("tensile/mi100-sgemm-Cijk_Ailk_Bljk_SB_00.csv.bz2", rows)


def moe_row(shape, token, kernel, err):
    """A measurement of fused MoE."""
    return {"stage": "stage1", "gfx": "gfx950", "token": token, "model_dim": 64 * shape, "inter_dim": 64, "expert": 8,
            "topk": 2, "act_type": "ActivationType.Silu", "q_dtype_a": "torch.int8", "q_dtype_w": "torch.int8",
            "q_type": "QuantType.No", "doweight_stage1": 0, "us": 5 + kernel * token % 7,
            "kernelName": f"flydsl_moe1_t{16 << kernel % 4}x64x256_w{2 + kernel % 3}_kb{kernel}", "err": f"{err}%"}


def write_moe():
    """Three shapes of four problems, 6 kernels, one of which is always wrong."""
    write_csv("aiter/profile_fmoe.csv.bz2", [moe_row(shape, token, kernel, 90. if kernel == 3 else .1)
                                             for shape in (1, 2, 3) for token in (1, 2, 4, 8) for kernel in range(6)])


def hub_time(at, a, b, c):
    """Of a tuple on a GPU, in ms."""
    return 1 + (at + a * b + c) % 9


def write_hub():
    """Three GPUs, 80 tuples, and one file with other parameters."""
    conditions = [{"Expression": "a * b <= wide * 64", "Parameters": []}]
    space = [("a", "[1, 2, 4, 8, 16]"), ("b", "[1, 2, 4, 8]"), ("c", "[0, 1, 2, 3]"), ("wide", "[2]")]
    write(f"{SHARED}/tuner/convolution_milo.T1.json", json.dumps({"ConfigurationSpace": {
        "TuningParameters": [{"Name": n, "Values": v} for n, v in space], "Conditions": conditions}}))
    for at, gpu in enumerate(("A100", "W6600", "A4000")):
        cache = {f"{a},{b},{c}": {"a": a, "b": b, "c": c, "time": hub_time(at, a, b, c) if a < 16 or c else "Failed"}
                 for a in (1, 2, 4, 8, 16) for b in (1, 2, 4, 8) for c in range(4)}
        write(f"{SHARED}/tuner/convolution_milo.{gpu}.json.bz2", json.dumps({
            "device_name": gpu, "tune_params_keys": ["a", "b", "c"], "cache": cache}))
    write(f"{SHARED}/tuner/convolution_milo.old.json.bz2", json.dumps({
        "device_name": "old", "tune_params_keys": ["a"], "cache": {str(a): {"a": a, "time": a} for a in (1, 2)}}))


def write_opencl():
    """Eight shapes to learn, two to ask, 16 tuples."""
    def row(m, a, b, more):
        return {"m": m, "n": 8, "k": 4, "a": a, "b": b, "time_us": 10 + abs(a - m % 5) + b + more}
    tuples = list(itertools.product((1, 2, 4, 8), (1, 2, 3, 4)))
    write_csv("opencl/train.csv", [row(m, a, b, 0) for m in range(1, 9) for a, b in tuples[m % 3::3]])
    for i, more in (1, 0), (2, 5), (3, 1):
        write_csv(f"opencl/full{i}.csv", [row(m, a, b, more) for m in (11, 12) for a, b in tuples])
    write(f"{SHARED}/opencl/gemm.spec", "[kernel]\nname = x\n\n[restrict]\na * b <= 64\n")


# ---- the parts ----

def value(text, words, cells):
    """What Python makes of a condition or a formula."""
    return eval(text, words, cells) # pylint: disable=eval-used


def kernel(name):
    """A time for each tuple: some fail, none is best everywhere. Conditions say which fail, and formulas are what
    Python makes of them."""
    made = KERNELS[name]
    problems = grid(made, np.random.default_rng(2), "mixed", 40)
    times = np.array([made.all_times(p) for p in problems])
    works = np.isfinite(times)
    assert works.any(1).all() and not works.all()
    assert len(set(times.argmin(1))) > 10
    best = times.min(1, keepdims=True)
    assert .4 < (best / times).mean(0).max() < .9
    columns = made.fields + made.params
    words = {word: word for _, tokens in columns for word in tokens or ()}
    words.update(ceil_div=lambda a, b: -(-a // b), min=min, max=max)
    for p, row in zip(problems, works):
        step = len(made.tuples) // 40
        told = by_hand(made.formulas, dict(zip([n for n, _ in columns], [*p[:, None], *made.tuples[::step].T])))
        for i, (t, is_good) in enumerate(zip(made.tuples[::step].tolist(), row[::step])):
            cells = {n: tokens[v] if tokens else v for v, (n, tokens) in zip(p.tolist() + t, columns)}
            assert all(value(text, words, cells) for text in made.conditions) == is_good or not made.conditions, (p, t)
            for (n, text), column in zip(made.formulas, told):
                assert n not in cells and np.isclose(column[i], value(text, words, cells)), (n, p, t)


def of_grid(name, how, values):
    """Whether the sizes of a table are what its grid promises."""
    power = values & values - 1 == 0
    fits = {"powers": power.all(), "mixed": power.any() and not power.all(), "models": set(values) <= set(how.models)}
    return fits[name] and how.low <= values.min() and values.max() <= how.high


def of_set(name, how, known, values):
    """Whether sizes are what the set promises."""
    is_known, within = np.isin(values, known), (how.low <= values) & (values <= how.high)
    return {"known": is_known, "between": ~is_known & within & (values % 8 == 0),
            "odd": ~is_known & within & (values % 8 > 0), "tiny": (values >= 3) & (values <= 24),
            "beyond": (values > known.max()) & (values <= 4 * known.max())}[name]


def asked(name):
    """Tables and sets are what they promise, and no problem of the table is asked."""
    made, rng = KERNELS[name], np.random.default_rng(3)
    sizes = [i for i, (_, how) in enumerate(made.drawn) if isinstance(how, Size)]
    for grid_name in GRIDS:
        table = grid(made, rng, grid_name, 30)
        assert all(of_grid(grid_name, made.drawn[i][1], table[:, i]) for i in sizes), grid_name
        for set_name in SETS:
            problems = ask(made, rng, table, set_name, 4)
            assert len({*map(tuple, problems), *map(tuple, table)}) == 34
            assert all(np.isfinite(made.all_times(p)).any() for p in problems)
            assert all(np.isin(problems[:, i], table[:, i]).all() for i in range(len(made.drawn)) if i not in sizes)
            fit = {s: np.array([of_set(s, made.drawn[i][1], table[:, i], problems[:, i]) for i in sizes])
                   for s in SETS[:-1]}
            if set_name == "half":
                assert (fit["known"].sum(0) == 1).all() and (fit["known"] | fit["odd"]).all()
            else:
                assert fit[set_name].all(), (grid_name, set_name, problems)


def sizes_of_kinds():
    """LayerNorm has its 816 tuples, and the greatest has 12 parameters and more than 20,000."""
    legal = {name: np.isfinite(made.all_times(grid(made, np.random.default_rng(1), "powers", 1)[0])).sum()
             for name, made in KERNELS.items()}
    assert legal["own_norm"] == 816 and 20000 < legal["own_twelve"] < 100000, legal
    assert len(KERNELS["own_twelve"].params) == 12


def plan():
    """Nine tables of a kernel, in which each two of grid, tuples and problems meet once."""
    names = [name.split("_")[2:] for name, _ in own_tables.plan(OPTIONS) if name.startswith("own_gemm")]
    assert len(names) == 9 and all(len({(n[a], n[b]) for n in names}) == 9 for a, b in ((0, 1), (0, 2), (1, 2)))


def made_up():
    """The sample has the times of the kernel, but for the noise, and what fails fails."""
    made = KERNELS["own_gemm"]
    case, = own_tables.made_up(made, "mixed", 12, 9, OPTIONS)
    true = made.times(case.problems[case.problem_of], case.tuples[case.tuple_of])
    assert len(true) == 108 and len(case.fresh) == 10 and case.sets == ["known"] * 5 + ["odd"] * 5
    assert (np.isfinite(true) == case.good).all() and (case.may == case.good).all()
    noise = case.times[case.good] / true[case.good]
    assert .88 < noise.min() < 1 < noise.max() < 1.12
    rows = case.problems[case.problem_of], case.tuples[case.tuple_of]
    plain, hand = own.inputs(case, *rows, False), own.inputs(case, *rows, False, case.formulas)
    assert plain.shape[1] == 10 and hand.shape[1] == 15 and (hand[:, 13] == plain[:, 5] * plain[:, 6]).all()


def asked_once(cases):
    """The problems that are asked, none twice, and none of a case that it has learnt from."""
    asked = [tuple(p) for case in cases for p, _, _ in case.fresh]
    for case in cases:
        assert not {tuple(p) for p, _, _ in case.fresh} & set(map(tuple, case.problems))
    assert len(asked) == len(set(asked))
    return asked


def gemm():
    """Each shape is asked once, and the rule is true for the kernels that there are and no others."""
    cases = list(own_tables.gemm("gemm_nn", own_tables.LAYOUTS["gemm_nn"], OPTIONS))
    assert len(cases) == 3 and len(asked_once(cases)) == 6
    case = cases[0]
    assert case.name == "gemm_nn" and case.tuples.shape == (96, 10) and len(case.times) == 4 * 5
    rule, = case.restrict
    tiles = [(a, b) for a, b in itertools.product((32, 64, 128), repeat=2)
             if eval(rule, {}, {"MT0": a, "MT1": b, "MT2": 8, "IU": 1})] # pylint: disable=eval-used
    assert tiles == [(32, 64), (64, 32), (64, 64)]
    times = {tuple(p): t for c in cases for p, t, _ in c.fresh}
    assert np.isinf(times[192, 32, 1, 8][5]) and times[64, 32, 1, 8][0] == 1000000 / 107 / 1e3


def moe(by_shape):
    """Each problem is asked once; with by_shape, none of its shape was learnt. What is wrong fails."""
    cases = list(own_tables.fmoe(by_shape, OPTIONS))
    assert len(asked_once(cases)) == 12
    for case in cases:
        shapes = {p[3] for p, _, _ in case.fresh}
        assert not by_shape or not shapes & set(case.problems[:, 3])
        assert case.good.sum() == len(case.times) * 5 // 6 == case.may.sum()
        for _, times, may in case.fresh:
            assert may.sum() == np.isfinite(times).sum() == 5 and np.isnan(times[~may]).all()
    assert len({own_tables.moe_kernel(moe_row(1, 1, k, 0)["kernelName"]) for k in range(6)}) == 6


def hub():
    """What the sample told does not count, and all else does."""
    cases = list(own_tables.hub("convolution", OPTIONS))
    assert len(cases) == 2 and len(cases[0].problems) == 3 and len(cases[0].tuples) == 80
    assert (cases[0].tuple_of != cases[1].tuple_of).any()
    assert cases[0].restrict == ["wide = 2", "a * b <= wide * 64"]
    for case in cases:
        for p, (_, times, _) in enumerate(case.fresh):
            told = case.tuple_of[case.problem_of == p]
            assert sorted(told) == np.flatnonzero(np.isnan(times)).tolist() and len(told) == 4
    times = cases[0].fresh[2][1] # of W6600, which is the last by name
    for (a, b, c), time in zip(cases[0].tuples.tolist(), times):
        assert np.isnan(time) or time == (hub_time(1, a, b, c) * 1e3 if a < 16 or c else np.inf)


def opencl():
    """The median of three counts, and the shapes that count were not learnt."""
    case, = own_tables.opencl(OPTIONS)
    assert len(asked_once([case])) == 2 and len(case.problems) == 8
    problem, times, may = case.fresh[0]
    assert problem.tolist() == [11, 8, 4] and may.all()
    assert times.tolist() == [10 + abs(a - 1) + b + 1 for a, b in case.tuples]


# ---- all of it ----

def ways():
    """Each way has a line for each k; shares do not fall with k, and kpred is not ahead of itself."""
    rows = rows_of(output(f"{RUN} --tables opencl --csv"))
    assert [r["method"] for r in rows[:15:3]] == ["nearest", "single", "forest", "xgboost", "kpred"]
    for at in range(0, len(rows), 3):
        shares = [float(r["share"]) for r in rows[at:at + 3]]
        assert 0 < shares[0] <= shares[1] <= shares[2] <= 1, rows[at]
    assert {r["ahead"] for r in rows if r["method"] == "kpred"} == {"+0.000"}
    for r in (r for r in rows if r["table"] == "opencl"):
        ahead = float(rows[12 + (1, 4, 10).index(int(r["k"]))]["share"]) - float(r["share"])
        assert abs(float(r["ahead"]) - ahead) < .002, r
    assert [r["method"] for r in rows if r["best"] == "yes" and r["k"] == "1"][-1] == "best"


def sets():
    """Each set has a line for each way, those with formulas too, and means over tables of a kernel are of a set. What
    is kept gives the same lines, and the means, without a compiler, which kpred needs."""
    best_of = {"best": "nearest", "best_hand": "forest_hand"}
    ways_here = *best_of.values(), "kpred", "kpred_hand"
    asked_here = (f"--tables own_norm --grids powers,models --samples 12 --problems 9,10 --sets odd,tiny --fresh 2 "
                  f"--methods {','.join(ways_here)} --kept {SHARED}/kept")
    text = output(f"{RUN} {asked_here} --csv --log {SHARED}/log")
    rows, tables = rows_of(text), ["own_norm_powers_12_9", "own_norm_models_12_10"]
    assert [(r["table"], r["set"], r["method"]) for r in rows[:48:3]] == list(itertools.product(
        tables, ("odd", "tiny"), ways_here))
    of = {(r["table"], r["set"], r["method"], r["k"]): r for r in rows}
    share = {at: float(r["share"]) for at, r in of.items()}
    for at in itertools.product(("odd", "tiny"), (*ways_here, *best_of), ("1", "4", "10")):
        way = at[0], best_of.get(at[1], at[1]), at[2]
        assert abs(share["own_norm", *at] - np.mean([share[t, *way] for t in tables])) < .001, at
        assert share["own", *at] == share["own_norm", *at]
    for (table, set_name, way, k), r in of.items():
        ours = "kpred_hand" if way in ("forest_hand", "best_hand") else "kpred"
        assert abs(float(r["ahead"]) + float(r["share"]) - share[table, set_name, ours, k]) < .0021, r
    assert any(share[t, s, "kpred", k] != share[t, s, "kpred_hand", k] for t, s, _, k in share if t in tables)
    told = open(f"{SHARED}/log", encoding="utf-8").read()
    assert told.count("\nodd: 2 problems") == 10 and "own_norm: loss" in told, told
    assert output(f"{RUN} {asked_here} --csv", env={"CC": "/bin/false"}) == text
    means = output(f"{RUN} {asked_here}", env={"CC": "/bin/false"}).split("\n")
    assert max(map(len, means)) <= 80 and len(means) == 21, means
    for at, way in (3, "best"), (13, "best_hand"):
        ahead, se = (float(of["own", "odd", way, "1"][name]) for name in ("ahead", "ahead_se"))
        assert means[at].startswith("odd ") and means[at].endswith(f" {ahead:+.3f} ± {se:.3f}"), means
        star = "*" if ahead < -se else ""
        assert means[at + 6].split()[1] == f"{1000 * ahead:+.0f}±{1000 * se:.0f}{star}", means
    other = f"{RUN.replace(TRAINER, '/bin/false')} {asked_here}"
    assert "own_norm.spec --force: " in run(other, 1).stderr # another program is measured
    write(f"{SHARED}/kept", "[]\n")
    assert f"{SHARED}/kept:1: expected" in run(other, 2).stderr


def listed():
    """kpred knows the kernels of each kind, by whatever name a GPU has, and passes over what was not timed. A copy of
    kpred-train has importers."""
    shutil.copy(TRAINER, f"{SHARED}/trainer")
    copied = RUN.replace(TRAINER, f"{SHARED}/trainer")
    rows = rows_of(output(f"{copied} --tables fmoe_problem,hub_conv --folds 2 --methods kpred --csv"))
    assert [r["n"] for r in rows[:6:3]] == ["12", "2"] and all(float(r["share"]) > .2 for r in rows), rows


def joined():
    """The last lines are means over the tables."""
    rows = rows_of(output(f"{RUN} --tables opencl,hub_conv --methods nearest,single --csv"))
    tables = [r["table"] for r in rows[::6]]
    assert sorted(tables[:2]) == ["hub_convolution", "opencl"] and tables[2:] == ["all", "all"], tables
    share = {(r["table"], r["method"], r["k"]): float(r["share"]) for r in rows}
    for way in "nearest", "single":
        mean = np.mean([share[table, way, "4"] for table in ("opencl", "hub_convolution")])
        assert abs(share["all", way, "4"] - mean) < .001
    best = [max(share[table, way, "4"] for way in ("nearest", "single")) for table in ("opencl", "hub_convolution")]
    assert abs(share["all", "best", "4"] - np.mean(best)) < .001


def skipped():
    """A table without its files is skipped and counted."""
    done = run(f"{RUN} --tables hub_dedisp,opencl --methods single --csv")
    assert re.search(r"skip hub_dedispersion: needs .*n_milo.T1.json\n1 tables, 1 skipped", done.stderr), done.stderr
    assert [row["table"] for row in rows_of(done.stdout)] == ["opencl"] * 3 + ["all"] * 6


for write_table in write_tensile, write_moe, write_hub, write_opencl:
    write_table()
for kernel_name in KERNELS:
    check(f"{kernel_name}: times, conditions, formulas", kernel, kernel_name)
    check(f"{kernel_name}: tables and sets", asked, kernel_name)
check("the tuples of LayerNorm and of twelve parameters", sizes_of_kinds)
check("nine tables of a kernel", plan)
check("a sample of a made-up kernel", made_up)
check("gemm: folds, times, the rule", gemm)
check("fmoe: problems left out", moe, False)
check("fmoe: shapes left out", moe, True)
check("hub: draws", hub)
check("opencl: medians", opencl)
check("all ways on a small table", ways)
check("sets of a small table", sets)
check("fmoe: listed kernels", listed)
check("means over tables", joined)
check("a table that is missing", skipped)
end()
