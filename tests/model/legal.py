"""legal.py - is every tuple legal that a command gives? As Python reads the spec's conditions
SPDX-License-Identifier: MIT

usage: legal.py table ROWS                       prints a table of times, most of whose tuples are illegal
       legal.py predict PROBLEMS                 narrow.h, in all forms of output
       legal.py eval TABLE                       what eval says of it

They read narrow.spec in the working folder, and find kpred and kpred-train on the path. Illegal tuples are the fastest of the table, so that a
network which learnt from them would give them first.
"""
import itertools
import json
import math
import random
import subprocess
import sys

from clauses import ENVIRONMENT, compiled

BEAMS = [1, 3, 10, 100]
GPUS = ["gfx900_56", "gfx906_60"]


def read_spec():
    section, params, clauses, constants = None, {}, [], {"lds_bytes": 65536, "wave_size": 64}
    for line in open("narrow.spec"):
        line = line.strip()
        if line.startswith("["):
            section = line
        elif section == "[params]" and line:
            name, values = line.split(" = ")
            params[name] = [x if not x.lstrip("-").isdigit() else int(x) for x in values.split()]
        elif section == "[restrict]" and line:
            name, _, value = line.partition(" = ")
            if value.isdigit():
                constants[name] = int(value)
            else:
                clauses.append(compiled(line))
    return params, clauses, constants


PARAMS, CLAUSES, CONSTANTS = read_spec()
LEGAL = {}


def is_true(clause, env):
    try:
        return bool(eval(clause, env))
    except ZeroDivisionError:
        return False


def environment(problem):
    env = dict(ENVIRONMENT, gpu=problem[0], rows=problem[1], cols=problem[2])
    env.update(CONSTANTS)
    env.update({gpu: gpu for gpu in GPUS})
    env.update({x: x for domain in PARAMS.values() for x in domain if isinstance(x, str)})
    return env


def is_legal(env, values):
    env.update(zip(PARAMS, values))
    return all(is_true(c, env) for c in CLAUSES)


def legal_tuples(problem):
    """All of them, for a problem (gpu, rows, cols)"""
    if problem not in LEGAL:
        env = environment(problem)
        LEGAL[problem] = {t for t in itertools.product(*PARAMS.values()) if is_legal(env, t)}
    return LEGAL[problem]


def problems(n, seed=1):
    rng = random.Random(seed)
    sizes = [2**rng.randrange(12) + rng.randrange(3) for _ in range(max(4, int(n ** 0.5)))]
    return [(rng.choice(GPUS), rng.choice(sizes), rng.choice(sizes)) for _ in range(n)]


def predicted(beam, problem, form):
    command = ["kpred", "predict", "narrow.h", "-k", str(beam)] + form + \
        ["%s=%s" % x for x in zip(("gpu", "rows", "cols"), problem)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        assert " does not apply: " in done.stderr, (command, done.stderr)
        return []
    if form == ["--json"]:
        return [tuple(row[name] for name in PARAMS) for row in json.loads(done.stdout)]
    rows = [line.replace(",", " ").split()[2:] for line in done.stdout.split("\n")[1:-1]]
    return [tuple(x if isinstance(v[0], str) else int(x) for v, x in zip(PARAMS.values(), row)) for row in rows]


def of_predict(n):
    """In all forms of output"""
    count, dead = 0, 0
    for i, problem in enumerate(problems(int(n))):
        beam = BEAMS[i % 4]
        tuples = predicted(beam, problem, [])
        env = environment(problem)
        assert all(is_legal(env, t) for t in tuples), (problem, beam, tuples)
        assert len(set(tuples)) == len(tuples) <= beam
        assert bool(tuples) == bool(legal_tuples(problem)), (problem, beam)
        for form in ["--csv"], ["--json"]:
            assert predicted(beam, problem, form) == tuples, (problem, beam, form)
        count, dead = count + len(tuples), dead + (not tuples)
    print("%d tuples, all legal, of %d problems; %d others have none" % (count, int(n) - dead, dead))
    assert 0 < dead < int(n) / 2 and count > 2 * int(n), (count, dead)


def time_of(problem, values):
    """Smooth, and a tenth where the tuple is illegal"""
    slow = sum(abs(math.log2(1 + x) - math.log2(problem[1 + i % 2]) / 3)
               for i, x in enumerate(v for v in values if isinstance(v, int)))
    return (10 + slow) * (1 if values in legal_tuples(problem) else 0.1)


def table(n):
    rng = random.Random(3)
    print(",".join(["gpu", "rows", "cols"] + list(PARAMS) + ["time_us"]))
    for problem in sorted(set(problems(int(n), 4))):
        legal = sorted(legal_tuples(problem))
        if legal:
            chosen = rng.sample(legal, min(len(legal), 12))
            chosen += [tuple(rng.choice(v) for v in PARAMS.values()) for _ in range(24)]
            for values in sorted(set(chosen)):
                print("%s,%d,%d,%s,%.6g" % (*problem, ",".join(map(str, values)), time_of(problem, values)))


def read_table(path):
    options = {}
    for line in list(open(path))[1:]:
        gpu, rows, cols, *values, time = line.strip().split(",")
        values = tuple(x if isinstance(v[0], str) else int(x) for v, x in zip(PARAMS.values(), values))
        options.setdefault((gpu, int(rows), int(cols)), {})[values] = float(time)
    return options


def of_eval(path):
    """Shares of the best legal time, from what the program gives"""
    faster, options = 0, {}
    for problem, times in read_table(path).items():
        env = environment(problem)
        legal = {t: x for t, x in times.items() if is_legal(env, t)}
        if len(legal) > 1:
            faster += min(times.values()) < min(legal.values())
            options[problem] = legal
    for k in 1, 10:
        got = [predicted(k, p, ["--csv"]) for p in options]
        shares = []
        for times, tuples in zip(options.values(), got):
            found = [times[t] for t in tuples if t in times]
            shares.append(min(times.values()) / min(found or [max(times.values())]))
        share = math.exp(sum(map(math.log, shares)) / len(shares))
        done = subprocess.run(["kpred-train", "eval", "narrow.h", "--data", path, "--rows", "all", "--by", "all",
                               "--csv", "-k", str(k)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=True)
        cells = dict(zip(*(line.split(",") for line in done.stdout.split("\n")[:2])))
        assert (cells["n"], cells["valid"]) == (str(len(options)), "100.00"), (cells, len(options))
        assert abs(float(cells["share"]) - share) < 2e-5, (cells, share)
        told = "%d problems were faster with a tuple that the rule rejects" % faster
        assert told in done.stderr, (told, done.stderr)
        print(k, cells["share"], faster)


{"table": table, "predict": of_predict, "eval": of_eval}[sys.argv[1]](*sys.argv[2:])
