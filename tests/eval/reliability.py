"""reliability.py - the table of `eval --reliability` against what predict says, and in another form

reliability.py figures KPRED RELIABILITY.csv NOTE K,... GPU   of additive.h on data.csv, and what the
                                                              note tells of a temperature; GPU:
                                                              "gpu" for a group each, or "all"
reliability.py forms                                          figures.csv and figures.json agree
"""
# SPDX-License-Identifier: MIT
import collections
import csv
import json
import math
import re
import subprocess
import sys

FIELDS, PARAMS = ("gpu", "kind", "n", "h", "stride"), ("tile", "mode")
rows = list(csv.DictReader(open("data.csv")))


def predict(row, k, cache={}):
    problem = tuple(f"{f}={row[f]}" for f in FIELDS)
    if (problem, k) not in cache:
        command = [sys.argv[2], "predict", "additive.h", *problem, "-k", str(k), "--csv"]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        cache[problem, k] = [(float(t["probability"]), tuple(t[p] for p in PARAMS))
                             for t in csv.DictReader(text.splitlines())]
    return cache[problem, k]


def claims(row, k):
    """(probability that the optimum is among k tuples, whether it was)"""
    tuples = predict(row, k)
    return sum(p for p, _ in tuples), tuple(row[p] for p in PARAMS) in [t for _, t in tuples]


def line(part):
    n = len(part)
    predicted, observed = (100 * sum(x[i] for x in part) / n for i in (0, 1))
    off = collections.Counter()
    for _, hit, key in part:
        off[key] += hit - observed / 100
    return n, predicted, observed, 100 * math.sqrt(sum(x * x for x in off.values())) / n


def loss(row, temperature):
    """That of the claim that the first tuple is the optimum. All six tuples give what each softmax
    said, and so its logits but for a constant."""
    p = {t: x for x, t in predict(row, 6)}
    first, bits = predict(row, 1)[0][1], 0
    for d in range(len(PARAMS)):
        mass = collections.Counter()
        for t, x in p.items():
            if t[:d] == first[:d]:
                mass[t[d]] += x
        warm = {v: x ** (1 / temperature) for v, x in mass.items()}
        bits -= math.log2(warm[first[d]] / sum(warm.values()))
    is_hit = first == tuple(row[q] for q in PARAMS)
    return bits if is_hit else -math.log2(max(1 - 2 ** -bits, 2 ** -40))


def check_bins(path, ks, grouped):
    expected = {}
    for gpu in sorted({r["gpu"] for r in rows}) if grouped else ["all"]:
        group = [r for r in rows if gpu in ("all", r["gpu"])]
        for k in ks:
            part = [(*claims(r, k), (r["kind"], r["n"], r["h"])) for r in group]
            error = 0
            for b in range(10):
                inside = [x for x in part if min(9, int(10 * x[0])) == b]
                if inside:
                    n, predicted, observed, se = line(inside)
                    gap = abs(observed - predicted)
                    error += n * gap
                    expected[gpu, k, f"{10 * b}-{10 * b + 10}"] = n, predicted, observed, se, gap
            expected[gpu, k, "all"] = *line(part), error / len(part)

    got = {(r["gpu"], int(r["k"]), r["bin"]):
           tuple(float(r[c]) for c in ("n", "predicted", "observed", "se", "ece"))
           for r in csv.DictReader(open(path))}
    assert got.keys() == expected.keys(), (sorted(got), sorted(expected))
    assert len(got) > 4 * len(ks), "too few bins to tell anything"
    for key, values in expected.items():
        for x, y in zip(values, got[key]):
            assert abs(x - y) < 0.006, (key, values, got[key])


def check_temperature(note):
    said = re.search(r"tiny: temperature (\d\.\d\d): .* (\d+\.\d{4}) bits a problem; divided by 1.00, "
                     r"as the scores are, (\d+\.\d{4}) \((\d+) problems\)", open(note).read())
    assert said, open(note).read()
    mean = {t: sum(loss(r, t / 100) for r in rows) / len(rows) for t in range(55, 801)}
    best = min(mean, key=mean.get)
    assert abs(float(said[1]) - best / 100) < 0.035, (said[0], best)
    assert abs(float(said[2]) - mean[best]) < 0.002, said[0]
    assert abs(float(said[3]) - mean[100]) < 0.002, said[0]
    assert int(said[4]) == len(rows)


def figures(_, path, note, ks, gpu):
    check_bins(path, [int(k) for k in ks.split(",")], gpu == "gpu")
    check_temperature(note)


def forms():
    with open("figures.json") as f:
        objects = json.load(f)
    for a, b in zip(csv.DictReader(open("figures.csv")), objects, strict=True):
        assert list(a) == list(b), (a, b)
        assert all(b[x] == (a[x] if type(b[x]) is str else float(a[x])) for x in a), (a, b)
        assert type(b["ece"]) is float and type(b["bin"]) is str


{"figures": figures, "forms": forms}[sys.argv[1]](*sys.argv[2:])
