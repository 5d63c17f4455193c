"""test_tuners.py - tools/lab/peers/tuner*.py beside `kpred-train tune --replay`, and tools/lab/report/tuners.sh, on small tables"""
# SPDX-License-Identifier: MIT
import bz2
import itertools
import json
import math
import os
import random
import shutil
import sys

from report import TRAINER, check, check_with, end, folder, output, read, refuse, write

sys.path[1:1] = ["tools/lab/peers", "tools/lab/report"]

import tuner_means
import tuners
from tuner_tables import PATIENCE, Search, Stuck, Table

data = f"{folder()}/data"
PARAMS = {"x": [1, 2, 4, 8, 16], "y": [1, 2, 4], "one": [7], "unroll": ["no", "yes"], "pad": [0, 1]}
NAMES = list(PARAMS)


def entries(least):
    """Legal configurations and their times in ms; None: it failed. The best is of x = least, y = 2."""
    for config in itertools.product(*PARAMS.values()):
        c = dict(zip(NAMES, config))
        if c["x"] * c["y"] <= 32 and not (c["pad"] and c["y"] == 1):
            time = 1 + abs(math.log2(c["x"] / least)) + 0.3 * abs(c["y"] - 2) + 0.055 * c["pad"]
            time += 0.015 * (c["unroll"] == "yes")
            yield c, None if c["x"] * c["y"] == 32 and c["pad"] else time


def cache_text(least):
    """A cache file, as Kernel Tuner writes it."""
    found = {",".join(str(v) for v in c.values()): {**c, "time": time or "RuntimeFailedConfig"}
             for c, time in entries(least)}
    head = {"device_name": "NVIDIA A100", "kernel_name": "toy", "problem_size": 8, "objective": "time",
            "tune_params_keys": NAMES, "tune_params": PARAMS}
    lines = [f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in found.items()]
    return json.dumps(head)[:-1] + ', "cache": {\n' + ",\n".join(lines) + "}}\n"


def make():
    """A table, plain and packed, another GPU's, and files that cannot be replayed."""
    whole = cache_text(4)
    at = {**{f"cache.json{end}": whole for end in ("", ".bz2", ".gz")}, "broken.json": "{", "w6600.json": cache_text(8), "same.json": whole,
          "list.json": "[1]", "none.json": '{"a": 1}', "wrong.json": '{"cache": [1]}',
          "failed.json": '{"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": 1e20}}}',
          "empty.json": '{"tune_params_keys": ["a"], "cache": {}}',
          "single.json": '{"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": 1}}}',
          "alien.json": '{"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": 1},'
                        ' "2": {"a": 2, "time": 1}}}'}
    for name, text in at.items():
        write(f"{data}/{name}", text)
    with open(f"{data}/damaged.json.bz2", "wb") as f:
        f.write(bz2.compress(b"{}")[:-4])
    for gpu, least in ("A100", 4), ("W6600", 8):
        write(f"{data}/hub/toy_milo.{gpu}.json", cache_text(least))


# ---- its parts ----

def table():
    """What the reader has to find, in the plainest words."""
    t = Table(f"{data}/cache.json")
    legal = list(entries(4))
    assert t.names == ["x", "y", "unroll", "pad"], t.names
    assert len(t.configs) == len(legal) and t.best == 1
    for config, (c, time) in zip(t.configs, legal):
        assert [str(c[name]) for name in t.names] == [v[i] for v, i in zip(t.values, config)]
        assert t.time[config] == (time or math.inf)
    for a in t.configs:
        away = {b: [abs(x - y) for x, y in zip(a, b)] for b in t.configs if b != a}
        assert set(t.neighbours(a)) == {b for b, d in away.items() if sum(map(bool, d)) == 1}
        assert set(tuners.adjacent(t, a)) == {b for b, d in away.items() if max(d) == 1}


def other():
    """What another table says, by the parameters that both have: the best of what only it has."""
    t, o = Table(f"{data}/cache.json"), Table(f"{data}/w6600.json")
    assert t.times_of(o) == list(o.time.values())
    few = Table(f"{data}/cache.json")
    few.names, few.values = few.names[:2], few.values[:2]
    few.configs = list(dict.fromkeys(c[:2] for c in few.configs))
    found = few.times_of(o)
    assert found == [min(v for c, v in o.time.items() if c[:2] == config) for config in few.configs]
    o.time = {c: v for c, v in o.time.items() if c[0] != 3}
    o.configs = list(o.time)
    assert [c for c, v in zip(few.configs, few.times_of(o)) if v is None] == [c for c in few.configs if c[0] == 3]


class Watched(dict):
    """Times that tell when one is looked at that was not measured before."""
    def __init__(self, times):
        super().__init__(times)
        self.search, self.looked = None, []

    def __getitem__(self, config):
        if config not in self.search.time:
            self.looked.append(config)
        return super().__getitem__(config)


def first_within(times, best, within, budget):
    """Counted a second time."""
    return next((n for n, time in enumerate(times, 1) if time <= within * best), budget)


def search_on(path, strategy, seed, budget, others=()):
    """A finished search, and what it looked at."""
    t = Table(path)
    t.time = Watched(t.time)
    t.time.search = search = Search(t, budget, random.Random(seed), others)
    tuners.run(tuners.function_of(strategy), search)
    assert t.time.looked == list(search.time), "it looks at what it has not measured, or twice"
    times = list(search.time.values())
    assert search.evals == [first_within(times, t.best, w, budget) for w in (1.05, 1.01)]
    assert len(times) == budget or times[-1] == t.best == min(times) and len(times) < budget
    assert abs(search.share() - t.best / min(times)) < 1e-12
    return search


def strategies(*names):
    """Every one, alone and with another table."""
    path = f"{data}/cache.json"
    t = Table(path)
    known = [t.times_of(Table(f"{data}/w6600.json"))]
    for name in names:
        for others in [()] * (name != "order") + [known] * (name in tuners.LEARNED):
            for seed in range(1, 5):
                assert search_on(path, name, seed, len(t.configs), others).best == t.best
                assert search_on(f"{data}/single.json", name, seed, 1, [[1]] if others else ())
            runs = [list(search_on(path, name, seed, 12, others).time) for seed in (1, 1, 2)]
            assert runs[0] == runs[1], name
            assert runs[0] != runs[2] or others, name


def again():
    """What is asked for again costs nothing, and ends a strategy that asks for nothing else."""
    t = Table(f"{data}/cache.json")
    search = Search(t, 3, random.Random(1))
    slow = max((c for c in t.configs if t.time[c] < math.inf), key=t.time.get)
    try:
        for n in range(2 * PATIENCE):
            assert search.measure(slow) == t.time[slow] and n <= PATIENCE
    except Stuck:
        assert n == PATIENCE + 1 and list(search.time) == [slow] and search.evals == [3, 3]
    else:
        assert False


def climbs():
    """A climb ends where no neighbour is better."""
    t = Table(f"{data}/w6600.json")
    for seed, is_greedy in itertools.product(range(20), (False, True)):
        search = Search(t, 1000, random.Random(seed))
        search.table.best = -1 # so that the best does not end it
        here, best = tuners.climb(search.any(), search, is_greedy)
        assert best == t.time[here] <= min(t.time[c] for c in t.neighbours(here))


def process():
    """The process's means and variances, solved in one piece."""
    import numpy as np
    t = Table(f"{data}/w6600.json")
    points = tuners.places(t)
    model = tuners.Process(points, 10)
    at = random.Random(1).sample(range(len(points)), 10)
    results = [t.time[t.configs[i]] if t.time[t.configs[i]] < 9 else 9 for i in at]
    for i, result in zip(at, results):
        model.add(i, result)
    away = np.sqrt(((points[:, None] - points[None]) ** 2).sum(2)) * math.sqrt(3) / 1.5
    alike = (1 + away) * np.exp(-away)
    solved = np.linalg.solve(alike[np.ix_(at, at)] + tuners.NOISE * np.eye(10), alike[at])
    assert np.allclose(model.sums[0], np.array(results) @ solved)
    assert np.allclose(model.sums[1], np.ones(10) @ solved)
    assert np.allclose(model.variance, 1 - (alike[at] * solved).sum(0))
    gain = model.improvement(results)
    draws = np.random.default_rng(1).standard_normal(200000)
    scaled = (np.array(results) - np.mean(results)) / np.std(results)
    for i in (0, 7, 20):
        deviation = math.sqrt(model.variance[i])
        drawn = np.maximum(min(scaled) - scaled @ solved[:, i] - deviation * draws, 0).mean()
        assert abs(gain[i] - drawn) < 0.01, (i, gain[i], drawn)


def means():
    """Two seeds of two tables of AMD, and one of another vendor."""
    found = tuner_means.read_rows(write(f"{data}/rows.csv", ",".join(tuner_means.ROW) + "\n" + "".join(
        f"d_milo.{gpu}.json,kpred,cold,{seed},{five},{one},0.5\n" for gpu, seed, five, one in (
            ("MI1", 1, 10, 20), ("MI1", 2, 20, 40), ("W1", 1, 100, 200), ("W1", 2, 100, 200), ("A1", 1, 3, 4)))))
    assert set(found) == {("d, AMD", "cold", "kpred"), ("d, NVIDIA", "cold", "kpred")}
    amd = list(found["d, AMD", "cold", "kpred"].values())
    assert [tuner_means.mean(amd, at) for at in (0, 1)] == [57.5, 115]
    assert tuner_means.interval(amd, 0, 1000) == (55, 60)
    assert tuner_means.group_of("convolution_milo.A6000_original.json.bz2") == "convolution, A6000"
    assert tuner_means.group_of("convolution_milo.W6600.json") == "convolution"


# ---- the program, beside `kpred-train tune --replay` ----

CLASSIC = "random,genetic,annealing,differential,iterated,climb"
TUNERS = f"{sys.executable} tools/lab/peers/tuners.py"
CACHE = f"{TUNERS} {data}/cache.json"


def rows_of(line):
    """The cells below the heading"""
    return [row.split(",") for row in output(line).splitlines()[1:]]


def same_columns():
    """The columns are those of kpred-train; so is all of a row that is not up to chance."""
    ours, theirs = (output(f"{line} --csv --seeds 2 --budget 50").splitlines() for line in (
        f"{TRAINER} tune --replay {data}/cache.json", f"{CACHE} --strategies {CLASSIC}"))
    cells = [[x[0], *x[2:4], *x[6:]] for x in (line.split(",") for line in ours[1:])]
    assert ours[0] == theirs[0] and len(theirs) == 13
    for strategy in CLASSIC.split(","):
        found = [x.split(",") for x in theirs[1:] if f",{strategy}," in x]
        assert [[x[0], *x[2:4], *x[6:]] for x in found] == cells, (strategy, found, ours)


def misses():
    """With one measurement, what is missed is written as 1, and there are rows of all kinds."""
    rows = rows_of(f"{CACHE} --csv --seeds 60 --budget 1 --strategies random")
    assert len(rows) == 60 and all(x[4:6] == ["1", "1"] for x in rows), rows
    assert {x[6] == "1.00000" for x in rows} == {True, False}, rows


def packed():
    """The same rows but for the name of the table"""
    found = [[x[1:] for x in rows_of(f"{CACHE}{end} --csv --seeds 2 --strategies random,climb")]
             for end in ("", ".bz2", ".gz")]
    assert found[0] == found[1] == found[2], found


def known():
    """The same order elsewhere: the best comes first."""
    assert rows_of(f"{CACHE} --csv --seeds 1 --strategies order --data {data}/same.json") \
        == ["cache.json,order,data,1,1,1,1.00000".split(",")]


def itself():
    """The table's own times tell nothing."""
    row, = rows_of(f"{CACHE} --csv --seeds 1 --strategies boosted --data {data}/cache.json")
    assert row[:3] == ["cache.json", "boosted", "cold"], row


def deaf():
    line = f"{CACHE} --csv --seeds 1 --strategies climb"
    assert output(f"{line} --data {data}/same.json") == output(line)


def report():
    """The report replays what is missing, and keeps what is there."""
    def lines():
        text = output(f"sh tools/lab/report/tuners.sh {tmp}/build {data}/hub",
                      env={"SEEDS": "2", "STRATEGIES": "random climb", "KNOWN": ""})
        return text.count("\n"), read(f"{tmp}/build/tuners/rows.csv")
    os.makedirs(f"{tmp}/build")
    shutil.copy(TRAINER, f"{tmp}/build")
    n, text = lines()
    assert (n, text.count("\n")) == (9, 17), text
    kept = f"{tmp}/build/tuners/rows/toy_milo.A100.json-random-cold.csv"
    head, _, *last = read(kept).splitlines(True)
    write(kept, "".join([head, "toy_milo.A100.json,random,cold,1,7777,7777,1\n", *last]))
    assert "7777" in lines()[1]
    write(kept, "".join([head, *last]))
    assert lines() and read(kept).count("\n") == 3


tmp = os.path.dirname(data)
check("small tables", make)
check("a table, and who is whose neighbour", table)
check("what another table says", other)
check("classic strategies", strategies, *CLASSIC.split(","))
check("a climb ends at the top", climbs)
check("what is known costs nothing", again)
check_with("python3-numpy", "what is known elsewhere", strategies, "order")
check_with("python3-sklearn", "learning strategies", strategies, "process", "boosted")
check_with("python3-scipy", "means, variances and expected improvement", process)
check("means and intervals", means)
check_with(TRAINER, "the columns of kpred-train tune", same_columns)
check("a miss is the budget", misses)
check("a packed table is the same one", packed)
check_with("python3-numpy", "another table is known", known)
check_with("python3-sklearn", "its own times are not", itself)
check("climbs are deaf", deaf)
for name, status, text, line in (
        ("an unknown strategy", 2, '--strategies: "best": none of random, genetic', "cache.json --strategies best"),
        ("no seeds", 2, "--seeds 0: at least 1", "cache.json --seeds 0"),
        ("no budget", 2, "--budget -1: at least 1", "cache.json --budget -1"),
        ("order without a table", 2, "needs another table in --data", "cache.json --strategies order"),
        ("order with itself alone", 2, "needs another table in --data",
         f"cache.json --strategies order --data {data}/cache.json"),
        ("a file that is not there", 1, "none: No such file", "none"),
        ("a damaged file", 1, "damaged.json.bz2: ", "damaged.json.bz2"),
        ("no JSON", 1, "broken.json: Expecting property name", "broken.json"),
        ("no object", 1, "list.json: is not a JSON object", "list.json"),
        ("no table of a tuner", 1, "none.json: has no cache", "none.json"),
        ("an unexpected form", 1, "wrong.json: cache: is not as expected", "wrong.json"),
        ("no configuration", 1, "empty.json: has no configuration", "empty.json"),
        ("all failed", 1, "failed.json: each of its 1 configurations failed", "failed.json"),
        ("another kernel", 1, "alien.json: has no parameter of", f"cache.json --data {data}/alien.json")):
    refuse(name, status, text, f"{TUNERS} {data}/{line}")
check_with(TRAINER, "report", report)
refuse("a report without tables", 1, f"there is no table in {tmp}/none",
       f"sh tools/lab/report/tuners.sh {tmp}/build {tmp}/none")
end()
