"""unseen.py - makes a table and the rows that [unseen] has to add to it, without the tools
SPDX-License-Identifier: MIT

usage: unseen.py table SEED | spec | check FOUND.csv

The table has four GPUs, some of which lack a problem or an option. `check` reads what
tests/data/unseen.c printed and compares the rows of the names with those computed here from its
other rows.
"""
import csv
import itertools
import random
import sys

GPUS = ["gfx90a6e", "gfx1032_14", "gfx1100_30", "A100"]
NAMES = {"amd": {"gfx90a6e", "gfx1032_14", "gfx1100_30"}, "rdna": {"gfx1032_14", "gfx1100_30"},
         "nvidia": {"A100"}}
PARAMS = {"tile": [8, 16, 32, 64], "unroll": [1, 2, 4], "pad": [0, 1]}


def print_spec():
    print("[kernel]\nname = k_unseen\n[data]\nformat = timed\n[fields]")
    print("n = size\ngpu = " + " ".join(GPUS + sorted(NAMES)) + "\nm = size\n[unseen]")
    for name in sorted(NAMES):
        print(name, "=", " ".join(sorted(NAMES[name])))
    print("[params]")
    for name, values in PARAMS.items():
        print(name, "=", " ".join(map(str, values)))
    print("[split]\nconfig = n,m\n[features]\nonehot gpu\nhats n 1 1 4")


def print_table(seed):
    draw = random.Random(seed)
    print("n,gpu,m," + ",".join(PARAMS) + ",time_us")
    for n, gpu, m in itertools.product([3, 70], GPUS, [5, 9]):
        if gpu != "gfx90a6e" and draw.random() < 0.3:
            continue
        for option in itertools.product(*PARAMS.values()):
            if draw.random() < 0.85:
                print(n, gpu, m, *option, "%.4f" % draw.uniform(1, 9), sep=",")


def weight(name, gpu):
    if gpu in NAMES[name]:
        return 1
    wider = any(gpu in other and NAMES[name] <= other for other in NAMES.values())
    return 0.5 if wider else 0.05


def spread(shares):
    """The shares less what neighbours of better options lose."""
    loss, taken = dict.fromkeys(shares, 0), []
    for _ in range(min(32, len(shares))):
        best = max((o for o in sorted(shares, key=order) if o not in taken),
                   key=lambda o: shares[o] * (1 - loss[o]))
        taken.append(best)
        for o in shares:
            if o not in taken:
                off = sum(a != b for a, b in zip(o, best))
                loss[o] = max(loss[o], 0.1 * 0.3 ** (min(off, 8) - 1))
    return {o: s * (1 - loss[o]) for o, s in shares.items()}


def order(option):
    return tuple(PARAMS[p].index(int(v)) for p, v in zip(PARAMS, option))


def expected(rows, name):
    """{(n, m): {option: time}} of a name, by the rows of GPUs."""
    problems, out = {}, {}
    for r in rows:
        gpus = problems.setdefault((r["n"], r["m"]), {})
        gpus.setdefault(r["gpu"], {})[tuple(r[p] for p in PARAMS)] = float(r["time_us"])
    for problem, gpus in problems.items():
        if not NAMES[name] & set(gpus):
            continue
        whole, shares = sum(weight(name, g) for g in gpus), {}
        for gpu, times in gpus.items():
            for option, time in times.items():
                part = weight(name, gpu) * min(times.values()) / time / whole
                shares[option] = shares.get(option, 0) + part
        out[problem] = {o: 1 / s for o, s in spread(shares).items()}
    return out


def check(path):
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    compared = 0
    for name in NAMES:
        want = expected([r for r in rows if r["gpu"] in GPUS], name)
        got = {}
        for r in rows:
            if r["gpu"] == name:
                option = tuple(r[p] for p in PARAMS)
                got.setdefault((r["n"], r["m"]), {})[option] = float(r["time_us"])
        assert got.keys() == want.keys(), (name, sorted(got), sorted(want))
        for problem, times in want.items():
            assert got[problem].keys() == times.keys(), (name, problem)
            for option, time in times.items():
                assert abs(got[problem][option] / time - 1) < 1e-9, (name, problem, option)
                compared += 1
    assert compared > 100, compared


def main():
    command, *rest = sys.argv[1:]
    if command == "spec":
        print_spec()
    elif command == "table":
        print_table(int(rest[0]))
    else:
        check(rest[0])


if __name__ == "__main__":
    main()
