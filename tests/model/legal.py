"""legal.py - is every tuple legal that a command gives? As Python reads the spec's conditions
SPDX-License-Identifier: MIT

usage: legal.py table ROWS                       prints a table of times, most of whose tuples are illegal
       legal.py program PROGRAM PROBLEMS         PROGRAM is tests/model/legal.c with narrow.h
       legal.py predict KPRED PROGRAM PROBLEMS   narrow.h, in all forms of output
       legal.py eval TRAINER PROGRAM TABLE       what eval says of it

They read narrow.spec in the working folder. Illegal tuples are the fastest of the table, so that a
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


def run_program(program, asked):
    """For each (beam, problem), the list of tuples"""
    text = "".join("%d %d %d %d\n" % (b, GPUS.index(g), r, c) for b, (g, r, c) in asked)
    out = subprocess.run([program], input=text, stdout=subprocess.PIPE, check=True, text=True).stdout
    got, tuples = [], []
    for line in out.split("\n")[:-1]:
        if line:
            values = [int(x) for x in line.split()[1:]]
            tuples.append(tuple(v[x] if isinstance(v[0], str) else x
                                for v, x in zip(PARAMS.values(), values)))
        else:
            got.append(tuples)
            tuples = []
    assert len(got) == len(asked), (len(got), len(asked))
    return got


def of_program(program, n):
    asked = [(BEAMS[i % 4], p) for i, p in enumerate(problems(int(n)))]
    count, dead, slow = 0, 0, 10 + int(n) // 50
    for i, ((beam, problem), tuples) in enumerate(zip(asked, run_program(program, asked))):
        env = environment(problem)
        for t in tuples:
            assert is_legal(env, t), (problem, beam, t)
        assert len(set(tuples)) == len(tuples) <= beam
        if i < slow or (not tuples and dead < slow):
            assert bool(tuples) == bool(legal_tuples(problem)), (problem, beam)
        count, dead = count + len(tuples), dead + (not tuples)
    print("%d tuples, all legal, of %d problems; %d others have none" % (count, int(n) - dead, dead))
    print("legal tuples:", sorted(len(x) for x in LEGAL.values()))
    assert 0 < dead < int(n) / 2 and count > 2 * int(n), (count, dead)


def predicted(kpred, beam, problem, form):
    command = [kpred, "predict", "narrow.h", "-k", str(beam)] + form + \
        ["%s=%s" % x for x in zip(("gpu", "rows", "cols"), problem)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        assert " does not apply: " in done.stderr, (command, done.stderr)
        return []
    if form == ["--json"]:
        return [tuple(row[name] for name in PARAMS) for row in json.loads(done.stdout)]
    rows = [line.replace(",", " ").split()[2:] for line in done.stdout.split("\n")[1:-1]]
    return [tuple(x if isinstance(v[0], str) else int(x) for v, x in zip(PARAMS.values(), row)) for row in rows]


def of_predict(kpred, program, n):
    asked = [(BEAMS[i % 4], p) for i, p in enumerate(problems(int(n), 2))]
    for (beam, problem), want in zip(asked, run_program(program, asked)):
        for form in [], ["--csv"], ["--json"]:
            got = predicted(kpred, beam, problem, form)
            assert got == want, (problem, beam, form, got, want)
            assert all(is_legal(environment(problem), t) for t in got), (problem, beam, form)


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


def of_eval(trainer, program, path):
    """Shares of the best legal time, from what the program gives"""
    faster, options = 0, {}
    for problem, times in read_table(path).items():
        env = environment(problem)
        legal = {t: x for t, x in times.items() if is_legal(env, t)}
        if len(legal) > 1:
            faster += min(times.values()) < min(legal.values())
            options[problem] = legal
    for k in 1, 10:
        got = run_program(program, [(k, p) for p in options])
        shares = []
        for times, tuples in zip(options.values(), got):
            found = [times[t] for t in tuples if t in times]
            shares.append(min(times.values()) / min(found or [max(times.values())]))
        share = math.exp(sum(map(math.log, shares)) / len(shares))
        done = subprocess.run([trainer, "eval", "narrow.h", "--data", path, "--rows", "all", "--by", "all",
                               "--csv", "-k", str(k)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, check=True)
        cells = dict(zip(*(line.split(",") for line in done.stdout.split("\n")[:2])))
        assert (cells["n"], cells["valid"]) == (str(len(options)), "100.00"), (cells, len(options))
        assert abs(float(cells["share"]) - share) < 2e-5, (cells, share)
        told = "%d problems were faster with a tuple that the rule rejects" % faster
        assert told in done.stderr, (told, done.stderr)
        print(k, cells["share"], faster)


{"table": table, "program": of_program, "predict": of_predict, "eval": of_eval}[sys.argv[1]](*sys.argv[2:])
