"""tuners.py CHECK DIR - checks of tools/peers/tuner*.py and tools/report/tuner_means.py on small tables in
DIR, which `write` makes"""
# SPDX-License-Identifier: MIT
import bz2
import gzip
import itertools
import json
import math
import os
import random
import sys

sys.path[:0] = ["tools/peers", "tools/report"]

import tuner_classic
import tuner_means
import tuners
from tuner_tables import PATIENCE, Search, Stuck, Table

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


def cache_text(least, device="NVIDIA A100", params=PARAMS):
    """A cache file, as Kernel Tuner writes it."""
    found = {",".join(str(v) for v in c.values()): {**c, "time": time or "RuntimeFailedConfig"}
             for c, time in entries(least)}
    head = {"device_name": device, "kernel_name": "toy", "problem_size": 8, "objective": "time",
            "tune_params_keys": NAMES, "tune_params": params}
    lines = [f"{json.dumps(key)}: {json.dumps(entry)}" for key, entry in found.items()]
    return json.dumps(head)[:-1] + ', "cache": {\n' + ",\n".join(lines) + "}}\n"


def t4_text():
    """The same as results in the T4 form."""
    def result(c, time):
        return {"configuration": c, "times": {}, "correctness": 1 if time else 0,
                "invalidity": "correct" if time else "runtime", "objectives": ["time"],
                "measurements": [{"name": "time", "value": time or "RuntimeFailedConfig",
                                  "unit": ""}]}
    return json.dumps({"results": [result(*e) for e in entries(4)], "schema_version": "1.0.0",
                       "metadata": {"timeunit": "miliseconds"}})


def ktt_text():
    """The same as KTT's own results; statuses that are unknown are failures."""
    def result(c, time):
        return {"Configuration": [{"Name": n, "Value": v} for n, v in c.items()],
                "KernelName": "toy", "Status": "Ok" if time else "DeviceLimitsExceeded",
                "TotalDuration": 1000 * (time or 1)}
    return json.dumps({"Metadata": {"Device": "NVIDIA A100", "TimeUnit": "Microseconds"},
                       "Results": [result(*e) for e in entries(4)]})


def write(folder):
    """All forms of one table, another GPU's, and files that cannot be replayed."""
    whole = cache_text(4)
    at = {"t4.json": t4_text(), "ktt.json": ktt_text(), "cache.json": whole, "broken.json": "{",
          "open.json": whole.rstrip().rstrip("}") + "},\n",
          "cut.json": whole.rstrip().rstrip("}") + '},\n"9,9": {"x": 9, "y',
          "w6600.json": cache_text(8, "AMD Radeon PRO W6600"),
          "same.json": whole.replace("A100", "A4000"),
          "list.json": "[1]", "none.json": '{"a": 1}', "wrong.json": '{"results": [1]}',
          "failed.json": '{"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": 1e20}}}',
          "empty.json": '{"tune_params_keys": ["a"], "cache": {}}',
          "single.json": '{"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": 1}}}',
          "alien.json": '{"tune_params_keys": ["a"], "cache": {"1": {"a": 1, "time": 1},'
                        ' "2": {"a": 2, "time": 1}}}'}
    for name, text in at.items():
        with open(f"{folder}/{name}", "w", encoding="utf-8") as f:
            f.write(text)
    for name, opener in ("cache.json.bz2", bz2.open), ("cache.json.gz", gzip.open):
        with opener(f"{folder}/{name}", "wt", encoding="utf-8") as f:
            f.write(whole)
    with open(f"{folder}/damaged.json.bz2", "wb") as f:
        f.write(bz2.compress(b"{}")[:-4])
    os.makedirs(f"{folder}/hub", exist_ok=True)
    for gpu, least in ("A100", 4), ("W6600", 8):
        with open(f"{folder}/hub/toy_milo.{gpu}.json", "w", encoding="utf-8") as f:
            f.write(cache_text(least))


# ---- checks: a file of tuners.py each, or nothing but assertions ----

def table(folder):
    """What the reader has to find, in the plainest words."""
    t = Table(f"{folder}/cache.json")
    legal = list(entries(4))
    assert t.names == ["x", "y", "unroll", "pad"], t.names
    assert len(t.configs) == len(legal) and t.best == 1
    for config, (c, time) in zip(t.configs, legal):
        assert [str(c[name]) for name in t.names] == [v[i] for v, i in zip(t.values, config)]
        assert t.time[config] == (time or math.inf)
    for a in t.configs:
        away = {b: [abs(x - y) for x, y in zip(a, b)] for b in t.configs if b != a}
        assert set(t.neighbours(a)) == {b for b, d in away.items() if sum(map(bool, d)) == 1}
        assert set(tuner_classic.adjacent(t, a)) == {b for b, d in away.items() if max(d) == 1}


def other(folder):
    """What another table says, by the parameters that both have: the best of what only it has."""
    t, o = Table(f"{folder}/cache.json"), Table(f"{folder}/w6600.json")
    assert t.times_of(o) == list(o.time.values())
    few = Table(f"{folder}/cache.json")
    few.names, few.values = few.names[:2], few.values[:2]
    few.configs = list(dict.fromkeys(c[:2] for c in few.configs))
    found = few.times_of(o)
    assert found == [min(v for c, v in o.time.items() if c[:2] == config) for config in few.configs]
    o.time = {c: v for c, v in o.time.items() if c[0] != 3}
    o.configs = list(o.time)
    assert [c for c, v in zip(few.configs, few.times_of(o)) if v is None] \
        == [c for c in few.configs if c[0] == 3]


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


def strategies(folder, *names):
    """Every one, alone and with another table."""
    path = f"{folder}/cache.json"
    t = Table(path)
    known = [t.times_of(Table(f"{folder}/w6600.json"))]
    for name in names:
        for others in [()] * (name != "order") + [known] * (name in tuners.LEARNED):
            for seed in range(1, 5):
                assert search_on(path, name, seed, len(t.configs), others).best == t.best
                assert search_on(f"{folder}/single.json", name, seed, 1, [[1]] if others else ())
            runs = [list(search_on(path, name, seed, 12, others).time) for seed in (1, 1, 2)]
            assert runs[0] == runs[1], name
            assert runs[0] != runs[2] or others, name


def again(folder):
    """What is asked for again costs nothing, and ends a strategy that asks for nothing else."""
    t = Table(f"{folder}/cache.json")
    search = Search(t, 3, random.Random(1))
    slow = max((c for c in t.configs if t.time[c] < math.inf), key=t.time.get)
    try:
        for n in range(2 * PATIENCE):
            assert search.measure(slow) == t.time[slow] and n <= PATIENCE
    except Stuck:
        assert n == PATIENCE + 1 and list(search.time) == [slow] and search.evals == [3, 3]
    else:
        assert False


def climbs(folder):
    """A climb ends where no neighbour is better."""
    t = Table(f"{folder}/w6600.json")
    for seed, is_greedy in itertools.product(range(20), (False, True)):
        search = Search(t, 1000, random.Random(seed))
        search.table.best = -1 # so that the best does not end it
        here, best = tuner_classic.climb(search.any(), search, is_greedy)
        assert best == t.time[here] <= min(t.time[c] for c in t.neighbours(here))


def process(folder):
    """The process's means and variances, solved in one piece."""
    import numpy as np
    import tuner_learned as learned
    t = Table(f"{folder}/w6600.json")
    points = learned.places(t)
    model = learned.Process(points, 10)
    at = random.Random(1).sample(range(len(points)), 10)
    results = [t.time[t.configs[i]] if t.time[t.configs[i]] < 9 else 9 for i in at]
    for i, result in zip(at, results):
        model.add(i, result)
    away = np.sqrt(((points[:, None] - points[None]) ** 2).sum(2)) * math.sqrt(3) / 1.5
    alike = (1 + away) * np.exp(-away)
    solved = np.linalg.solve(alike[np.ix_(at, at)] + learned.NOISE * np.eye(10), alike[at])
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


def means(folder):
    """Two seeds of two tables of AMD, and one of another vendor."""
    with open(f"{folder}/rows.csv", "w", encoding="utf-8") as f:
        f.write(",".join(tuner_means.ROW) + "\n")
        for gpu, seed, five, one in (("MI1", 1, 10, 20), ("MI1", 2, 20, 40), ("W1", 1, 100, 200),
                                     ("W1", 2, 100, 200), ("A1", 1, 3, 4)):
            f.write(f"d_milo.{gpu}.json,kpred,cold,{seed},{five},{one},0.5\n")
    found = tuner_means.read_rows(f"{folder}/rows.csv")
    assert set(found) == {("d, AMD", "cold", "kpred"), ("d, NVIDIA", "cold", "kpred")}
    amd = list(found["d, AMD", "cold", "kpred"].values())
    assert [tuner_means.mean(amd, at) for at in (0, 1)] == [57.5, 115]
    assert tuner_means.interval(amd, 0, 1000) == (55, 60)
    curve = dict(tuner_means.reached(amd, 200))
    assert [curve[n] for n in (9, 10, 19, 20, 99, 100, 199)] == [0, 25, 25, 50, 50, 100, 100]
    assert tuner_means.budget_of(found, "d, AMD") == 200
    assert tuner_means.group_of("convolution_milo.A6000_original.json.bz2") == "convolution, A6000"
    assert tuner_means.group_of("convolution_milo.W6600.json") == "convolution"


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
