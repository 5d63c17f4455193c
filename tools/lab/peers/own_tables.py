# SPDX-License-Identifier: MIT
"""own_tables.py - the tables of own.py: made-up kernels and measured ones, a sample to learn from each

A case is what a user has, and the problems that are asked. A problem and a tuple are rows of numbers;
a name is its index. A time is infinite where a tuple failed, and not a number where nobody measured it
or where the sample told it. Each table is a function of own.py's options that yields its cases.
"""
import collections
import csv
import glob
import json
import os
import re

import numpy as np

from own_kinds import KERNELS, ask, grid
from rows import open_text
from tuner_tables import Table

NOISE = .03
SAMPLED = .05 # of the tuples of a problem of Tensile and of the hub
LEAST = 4     # options that a problem of fused MoE has to have


class Missing(Exception):
    """A file of ../shared that is not there."""


class Case:
    """fields and params are (name, names or None), tuples all there are. `restrict` is the rule in the
    words of a spec, or `listed_by` the fields by which the sample lists it; without both it is not told.
    `formulas` are those of the author, if there are any."""

    def __init__(self, name, fields, params, tuples, restrict=(), listed_by="", formulas=()):
        self.name, self.fields, self.params, self.tuples = name, fields, params, tuples
        self.restrict, self.listed_by, self.formulas = list(restrict), listed_by, formulas
        self.fresh = [] # (problem, time of each tuple, which tuples the rule allows)
        self.sets = []  # to which the fresh belong

    def learn(self, problems, problem_of, tuple_of, times, may=None):
        """The sample: rows of the problem and the tuple at these indices; may: those that the rule allows."""
        self.problems, self.problem_of, self.tuple_of = problems, problem_of, tuple_of
        self.times, self.good = times, np.isfinite(times)
        self.may = np.ones(len(times), bool) if may is None else may
        best = np.full(len(problems), np.inf)
        np.minimum.at(best, problem_of, times)
        with np.errstate(invalid="ignore"):
            self.octaves = np.log2(times / best[problem_of])

    def ask(self, problem, times, may=None, set_name="-"):
        """A problem that will be asked; its times that are no numbers do not count."""
        self.sets.append(set_name)
        self.fresh.append((problem, times, np.ones(len(times), bool) if may is None else may))

    def write(self, path):
        """The sample as a CSV file."""
        columns = self.fields + self.params
        with open(path, "w", encoding="utf-8") as f:
            print(*[n for n, _ in columns], "time_us", sep=",", file=f)
            for p, t, time in zip(self.problem_of, self.tuple_of, self.times):
                cells = [names[v] if names else str(v)
                         for v, (_, names) in zip([*self.problems[p], *self.tuples[t]], columns)]
                print(*cells, f"{time:.7g}" if np.isfinite(time) else "failed", sep=",", file=f)


def indices(texts):
    """Distinct names, and which one each is."""
    texts = list(texts)
    names = list(dict.fromkeys(texts))
    at = {name: i for i, name in enumerate(names)}
    return names, np.array([at[text] for text in texts])


def distinct(rows):
    """Distinct rows in the order in which they came, and which one each is."""
    found, of = indices(map(tuple, rows))
    return np.array(found), of


# ---- a sample of a made-up kernel ----

def made_up(kernel, grid_name, n_tuples, n_problems, options):
    """Some tuples of each measured problem; all of each one that is asked count."""
    rng = np.random.default_rng([options.seed, n_tuples, n_problems])
    case = Case(kernel.name, kernel.fields, kernel.params, kernel.tuples, kernel.conditions, formulas=kernel.formulas)
    problems = grid(kernel, rng, grid_name, n_problems)
    problem_of = np.repeat(np.arange(len(problems)), n_tuples)
    tuple_of = np.concatenate([rng.choice(len(kernel.tuples), n_tuples, replace=False) for _ in problems])
    times = kernel.times(problems[problem_of], kernel.tuples[tuple_of])
    noise = np.exp2(NOISE * np.log2(np.e) * rng.standard_normal(len(times)))
    case.learn(problems, problem_of, tuple_of, times * noise, np.isfinite(times) if kernel.conditions else None)
    for set_name in options.sets:
        for problem in ask(kernel, rng, problems, set_name, options.fresh):
            times = kernel.all_times(problem)
            case.ask(problem, times, np.isfinite(times) if kernel.conditions else None, set_name)
    yield case


def plan(options):
    """Of each kernel the tables: for each grid and each number of tuples one number of problems, which takes turns."""
    for kernel in KERNELS.values():
        for g, grid_name in enumerate(options.grids):
            for s, n_tuples in enumerate(options.samples):
                n = options.problems[(g + s) % len(options.problems)]
                yield (f"{kernel.name}_{grid_name}_{n_tuples}_{n}",
                       lambda k=kernel, g=grid_name, t=n_tuples, n=n: made_up(k, g, t, n, options))


# ---- files ----

def found(options, pattern):
    """The files of that pattern in ../shared."""
    paths = sorted(glob.glob(os.path.join(options.shared, pattern)))
    if not paths:
        raise Missing(os.path.join(options.shared, pattern))
    return paths


def rows_of(path):
    """Rows of a CSV file, maybe packed, by column; lines that begin with # are comments."""
    with open_text(path, newline="") as f:
        yield from csv.DictReader((line for line in f if not line.startswith("#")), skipinitialspace=True)


def time_of(row):
    """Microseconds of the column time_us; infinite for a failure."""
    return float(row["time_us"]) if row["time_us"][:1].isdigit() else np.inf


def folds_of(groups, options):
    """The fold of each problem: problems of one group are in one fold, and groups are dealt at random."""
    _, group = indices(groups)
    rng = np.random.default_rng(options.seed)
    return rng.permutation(group.max() + 1)[group] % options.folds


# ---- MI100's products of matrices, from Tensile ----

PIECES = "MT0 MT1 MT2 IU GRVW GSU EPS SU SUS WGM".split()
LAYOUTS = {"gemm_nn": "Ailk_Bljk", "gemm_nt": "Ailk_Bjlk", "gemm_tn": "Alik_Bljk"}
SIZES = {"m": "SizeI", "n": "SizeJ", "batch": "SizeK", "k": "SizeL"}


def kernel_pieces(name):
    """The numbers of a kernel's name that are free."""
    tile = re.search(r"_MT(\d+)x(\d+)x(\d+)_", name).groups()
    return [int(x) for x in tile] + [int(re.search(rf"_{p}(\d+)(_|$)", name)[1]) for p in PIECES[3:]]


def tile_rule(tuples):
    """Which tiles there are, as a condition; the other pieces are free."""
    there = np.unique(tuples[:, :4] @ [1000000, 1000, 10, 1])
    return f"MT0 * 1000000 + MT1 * 1000 + MT2 * 10 + IU in ({', '.join(map(str, there))})"


def gemm_fold(name, problems, tuples, times, fold_of, fold, seed):
    """Some kernels of the problems outside of the fold; all of those within count."""
    case = Case(name, [(f, None) for f in SIZES], [(p, None) for p in PIECES], tuples, [tile_rule(tuples)])
    rng = np.random.default_rng([seed, fold])
    known = np.flatnonzero(fold_of != fold)
    tuple_of = np.array([rng.choice(len(tuples), round(SAMPLED * len(tuples)), replace=False) for _ in known])
    problem_of = np.repeat(np.arange(len(known)), tuple_of.shape[1])
    case.learn(problems[known], problem_of, tuple_of.ravel(), times[known][problem_of, tuple_of.ravel()])
    for p in np.flatnonzero(fold_of == fold):
        case.ask(problems[p], times[p])
    return case


def gemm(name, letters, options):
    """The shapes of a layout, each left out once."""
    rows = list(rows_of(found(options, f"tensile/mi100-sgemm-Cijk_{letters}_SB_00.csv.bz2")[0]))
    kernels = [column for column in rows[0] if column and "_MT" in column]
    tuples = np.array([kernel_pieces(kernel) for kernel in kernels])
    problems = np.array([[int(row[s]) for s in SIZES.values()] for row in rows])
    speed = np.array([[float(row[kernel] or 0) for kernel in kernels] for row in rows])
    flops = np.array([[float(row["TotalFlops"])] for row in rows])
    times = np.where(speed > 0, flops / np.maximum(speed, 1e-9) / 1e3, np.inf)
    fold_of = folds_of(map(tuple, problems), options)
    for fold in range(options.folds):
        yield gemm_fold(name, problems, tuples, times, fold_of, fold, options.seed)


# ---- kernels of fused mixtures of experts, from AITER ----

MOE_FIELDS = ("stage gfx token model_dim inter_dim expert topk act_type q_dtype_a q_dtype_w q_type "
              "doweight_stage1").split()
MOE_SIZES = "token model_dim inter_dim expert topk".split()
MOE_SHAPE = "model_dim inter_dim expert topk".split()
MOE_LISTED_BY = "stage q_type"
WRONG = 5. # percent of wrong results that make a measurement a failure


def moe_kernel(name):
    """A kernel's name as three names: which code it is, its tile, and its pace. None has more than 128
    values, and each kernel is another tuple."""
    name = re.sub(r"^_ZN5aiter\d+|E$", "", name)
    tile = re.search(r"\d+(x\d+)+", name)[0]
    pace = re.findall(r"_(?:w\d|kb\d+|\dperCU|\dtg)(?=_|$)", name)
    block = re.findall(r"_sbm\d+", name)
    for piece in pace + block:
        name = name.replace(piece, "", 1)
    return name.replace(tile, "TILE", 1), "t" + tile + "".join(block), "p" + "".join(pace)


def moe_columns(rows):
    """Fields and the column of each; a size is a number, all else a name."""
    fields, columns = [], []
    for name in MOE_FIELDS:
        if name in MOE_SIZES:
            names, column = None, np.array([int(row[name]) for row in rows])
        else:
            names, column = indices([f"{name[0]}{row[name].split('.')[-1]}" for row in rows])
        fields.append((name, names))
        columns.append(column)
    return fields, np.column_stack(columns)


def moe_table(path):
    """A case without a sample, the problems, and the median time of each problem and option."""
    rows = list(rows_of(path))
    fields, columns = moe_columns(rows)
    problems, problem_of = distinct(columns)
    parts = [indices(column) for column in zip(*[moe_kernel(row["kernelName"]) for row in rows])]
    tuples, tuple_of = distinct(np.column_stack([of for _, of in parts]))
    params = list(zip(("code", "tile", "pace"), [names for names, _ in parts]))
    repeats = collections.defaultdict(list)
    for p, t, row in zip(problem_of, tuple_of, rows):
        repeats[p, t].append(float(row["us"]) if float(row["err"].rstrip("%")) <= WRONG else np.inf)
    times = np.full((len(problems), len(tuples)), np.nan)
    for at, values in repeats.items():
        times[at] = np.median(values)
    return fields, params, problems, tuples, times


def subset(fields, problems):
    """Whether each name that a problem has is one of those of the problems that are known."""
    named = [i for i, (_, names) in enumerate(fields) if names]
    return lambda problem: all(problem[i] in problems[:, i] for i in named)


def moe_fold(name, table, known):
    """The problems that are known teach; of the others those count that have the least number of options
    that the sample lists."""
    fields, params, problems, tuples, times = table
    case = Case(name, fields, params, tuples, listed_by=MOE_LISTED_BY)
    problem_of, tuple_of = np.nonzero(~np.isnan(times[known]))
    by = [i for i, (f, _) in enumerate(fields) if f in MOE_LISTED_BY.split()]
    groups = list(map(tuple, problems[:, by]))
    listed = {g: np.isfinite(times[[k and h == g for k, h in zip(known, groups)]]).any(0) for g in set(groups)}
    may = np.array([listed[groups[p]][t] for p, t in zip(np.flatnonzero(known)[problem_of], tuple_of)])
    case.learn(problems[known], problem_of, tuple_of, times[known][problem_of, tuple_of], may)
    is_told = subset(fields, problems[known])
    for p in np.flatnonzero(~known):
        if is_told(problems[p]) and (np.isfinite(times[p]) & listed[groups[p]]).sum() >= LEAST:
            case.ask(problems[p], np.where(listed[groups[p]], times[p], np.nan), listed[groups[p]])
    return case


def fmoe(by_shape, options):
    """Problems left out, or all problems of a shape."""
    table = moe_table(found(options, "aiter/profile_fmoe.csv.bz2")[0])
    fields, problems = table[0], table[2]
    at = [i for i, (name, _) in enumerate(fields) if not by_shape or name in MOE_SHAPE]
    fold_of = folds_of(map(tuple, problems[:, at]), options)
    for fold in range(options.folds):
        yield moe_fold("fmoe", table, fold_of != fold)


# ---- the hub's tables ----

def t1_rule(path):
    """The conditions of a T1 input in the words of a spec; a parameter of one value is a constant."""
    with open(path, encoding="utf-8") as f:
        space = json.load(f)["ConfigurationSpace"]
    one = [(p["Name"], re.fullmatch(r"\[(\w+)\]", p["Values"])) for p in space["TuningParameters"]]
    return [f"{name} = {value[1]}" for name, value in one if value] + [c["Expression"] for c in space["Conditions"]]


def hub_tables(kernel, options):
    """By GPU; a table with other parameters than the first is left out."""
    tables = {}
    for path in found(options, f"tuner/{kernel}_milo.*.json.*z*"):
        gpu = os.path.basename(path).split(".")[1]
        if "_T4" not in gpu:
            table = Table(path)
            first = next(iter(tables.values()), table)
            if (table.names, table.values) == (first.names, first.values):
                tables[gpu] = table
    return tables


def hub_draw(kernel, tables, restrict, seed):
    """Some tuples of each GPU; the others count."""
    first = next(iter(tables.values()))
    tuples = np.array([[int(v[i]) for v, i in zip(first.values, config)] for config in first.configs])
    times = np.array([[table.time[c] * 1e3 for c in first.configs] for table in tables.values()])
    case = Case("hub_" + kernel, [("gpu", list(tables))], [(name, None) for name in first.names], tuples, restrict)
    rng = np.random.default_rng(seed)
    tuple_of = np.array([rng.choice(len(tuples), round(SAMPLED * len(tuples)), replace=False) for _ in tables])
    problems = np.arange(len(tables))[:, None]
    problem_of = np.repeat(np.arange(len(tables)), tuple_of.shape[1])
    case.learn(problems, problem_of, tuple_of.ravel(), times[problem_of, tuple_of.ravel()])
    for p, told in enumerate(tuple_of):
        times[p, told] = np.nan
        case.ask(problems[p], times[p])
    return case


def hub(kernel, options):
    """Draws of a kernel."""
    restrict = t1_rule(found(options, f"tuner/{kernel}_milo.T1.json")[0])
    tables = hub_tables(kernel, options)
    for draw in range(options.draws):
        yield hub_draw(kernel, tables, restrict, [options.seed, draw])


# ---- a product of matrices in OpenCL ----

def restrict_of(path):
    """The lines of [restrict] of a spec, which is its last section."""
    with open(path, encoding="utf-8") as f:
        return f.read().partition("\n[restrict]\n")[2].split("\n")


def opencl(options):
    """What a tuner measured teaches; the shapes of the full tables count, by the median of these."""
    train = list(rows_of(found(options, "opencl/train.csv")[0]))
    full = [row for path in found(options, "opencl/full*.csv") for row in rows_of(path)]
    fields, params = list(train[0])[:3], list(train[0])[3:-1]
    tuples, tuple_of = distinct([[int(row[p]) for p in params] for row in train + full])
    problems, problem_of = distinct([[int(row[f]) for f in fields] for row in train + full])
    times = np.array([time_of(row) for row in train + full])
    n = len(train)
    case = Case("opencl", [(f, None) for f in fields], [(p, None) for p in params], tuples,
                restrict_of(found(options, "opencl/gemm.spec")[0]))
    case.learn(problems[:problem_of[:n].max() + 1], problem_of[:n], tuple_of[:n], times[:n])
    for p in np.unique(problem_of[n:]):
        known = np.full(len(tuples), np.nan)
        for t in np.unique(tuple_of[n:][problem_of[n:] == p]):
            known[t] = np.median(times[n:][(problem_of[n:] == p) & (tuple_of[n:] == t)])
        case.ask(problems[p], known, ~np.isnan(known))
    yield case


def tables(options):
    """By name, what yields the cases; those of `draws` are draws of the same problems."""
    yield from plan(options)
    yield "fmoe_problem", lambda: fmoe(False, options)
    yield "fmoe_shape", lambda: fmoe(True, options)
    for name, letters in LAYOUTS.items():
        yield name, lambda n=name, x=letters: gemm(n, x, options)
    for kernel in "convolution", "dedispersion":
        yield f"hub_{kernel}", lambda k=kernel: hub(k, options)
    yield "opencl", lambda: opencl(options)
