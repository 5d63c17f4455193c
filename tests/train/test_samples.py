"""test_samples.py - what a sample of timings teaches the network and its judges, and what train and eval tell of that

SPDX-License-Identifier: MIT

The kernel is made up: its time is known for each problem and tuple, so that a choice can be judged on problems that no
table has. What judges are made of: test_judges.c.
"""
import collections
import math
import os
import re

from report import KPRED, TRAINER, check, end, folder, need, output, read, rows_of, run, write

need(TRAINER)
os.chdir(folder())
TILES = 16, 32, 64, 128
TUPLES = [(tile, part, vec) for vec in (1, 2, 4) for part in (1, 2, 4, 8) for tile in TILES]


def draws(seed):
    """splitmix64"""
    while True:
        seed = (seed + 0x9e3779b97f4a7c15) % 2 ** 64
        z = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9 % 2 ** 64
        z = (z ^ z >> 27) * 0x94d049bb133111eb % 2 ** 64
        yield z ^ z >> 31


def time_of(m, n, tile, part, vec):
    """Tiles of m by n in `part` pieces, in waves of 40; `vec` columns at a time. 0: it fails"""
    waves = (-(-m // tile) * -(-n // tile) * part + 39) // 40
    each = tile * (tile + 24) / part * (1.6 if n % vec else 1) / (.6 + .2 * vec) + 900
    return 0 if tile * vec > 256 else waves * each / 100 + 2 * part


def sample(seed, problems, some):
    """So many problems, drawn, with the times of some tuples each"""
    draw = draws(seed)
    for _ in range(problems):
        m, n = (int(2 ** (5 + 6 * (next(draw) >> 40) / 2 ** 24)) + 1 for _ in "mn")
        first = next(draw)
        tuples = (TUPLES[(first + 29 * t) % len(TUPLES)] for t in range(some))
        yield m, n, {values: time_of(m, n, *values) for values in tuples}


def put(name, heading, rows):
    write(f"{name}.csv", "".join(",".join(map(str, row)) + "\n" for row in (heading.split(","), *rows)))


def put_sample(name, problems, other=""):
    """Problems that stand in `other`, a file of --hits, have other times."""
    put(name, "m,n,TILE,PART,VEC,time_us", (
        (m, n, *values, f"{time:.6g}" if time > 0 else "failed") for m, n, times in problems for values, time in (
            times if f'"{m},{n}"' not in other else {x: TUPLES.index(x) % 5 - 1 for x in times}).items()))


def put_spec(name, fields, judged):
    """The spec that init makes, with short training"""
    run(f"{TRAINER} init {name}.csv --fields {fields} -o {name}.spec")
    write(f"{name}.spec", f"{read(f'{name}.spec')}\n[network]\njudged = {judged}\nepochs = 4\nteacher_epochs = 2\n")


def train(name, arguments):
    return run(f"{TRAINER} train {name}.spec --force {arguments}").stderr


def evaluate(arguments):
    done = run(f"{TRAINER} eval {arguments} --by all --csv")
    return [(float(x["share"]), float(x["timed"])) for x in rows_of(done.stdout)], "not all tuples were timed: the " \
        "figures rank those that were" in done.stderr


def told(text, way):
    """The shares that train tells of a way, for k = 1, 4, 10"""
    return [float(x) for x in re.findall(r"([0-9.]+) \+-", re.search(f"  {way} (.*)", text)[1])]


# ---- the simpler ways, once more ----


def single(known):
    """Of each tuple the octaves above its problem's mean; a failure counts as three, and two problems as the mean."""
    marks = collections.defaultdict(list)
    for *_, times in known:
        logs = {values: math.log2(time) for values, time in times.items() if time}
        for values in times:
            marks[values].append(logs[values] - sum(logs.values()) / len(logs) if values in logs else 3)
    return {values: sum(x) / (len(x) + 2) for values, x in marks.items()}


def nearest(of, known):
    """One problem behind the other, the nearest first, and of each the fastest first"""
    def far(p):
        return sum(abs(math.log2(x + 1) - math.log2(y + 1)) for x, y in zip(p[:2], of[:2]))
    listed = (x for *_, times in sorted(known, key=far) for x in sorted(filter(times.get, times), key=times.get))
    return {values: place for place, values in enumerate(dict.fromkeys(listed), 1)}


def share(times, marks, k):
    """The log of the best of all timed tuples beside the best of the k with the least marks"""
    timed = sorted(filter(times.get, times), key=marks.get)
    return math.log(min(map(times.get, timed)) / min(map(times.get, timed[:k])))


def as_told(text, kept):
    """What train told of the problems that it kept, which are in this file of --hits"""
    problems = [*sample(5, 90, 12)]
    tested = [p for p in problems if f'"{p[0]},{p[1]}"' in kept]
    known = [p for p in problems if p not in tested]
    assert len(tested) > 2, tested
    for way, marks in ("nearest problem", lambda p: nearest(p, known)), ("one tuple for all", lambda _: single(known)):
        for k, said in zip((1, 4, 10), told(text, way), strict=True):
            is_so = math.exp(sum(share(p[2], marks(p), k) for p in tested) / len(tested))
            if abs(is_so - said) >= 6e-4:
                yield f"{way}, k = {k}: {is_so}, not {said}"


def teaches():
    put_sample("some", sample(5, 90, 12))
    put_sample("all", sample(11, 40, len(TUPLES)))
    put_spec("some", "m,n", 20)
    text = train("some", "--data some.csv -o some.h --threads 2")
    network, judges, near = (told(text, way) for way in ("network", "teacher trees", "nearest problem"))
    assert "problems kept from training" in text and network[0] > .8 and network[1] > near[1], text
    assert judges[0] > max(.8, near[0], told(text, "one tuple for all")[0]), text
    of_kept, is_noted = evaluate("some.h --data some.csv --hits hits -k 10")
    assert is_noted and of_kept[0][0] > .95 and of_kept[0][1] < 60, of_kept
    # other problems, of which every tuple was timed or failed
    (one, four), is_noted = evaluate("some.h --data all.csv --rows all -k 1,4")
    assert not is_noted and one[0] > .85 and one[1] > 94 and four[0] > .94 and four[1] > 99, (one, four)
    sizes = [told(text, line)[0] for line in ("sizes that the table has", "sizes between")]
    assert all(one[0] - .12 < x < one[0] + .12 for x in sizes) and "warning: some: for sizes" not in text, (one, text)
    assert "sizes between" in run(f"{TRAINER} eval some.h --data some.csv").stderr
    return as_told(text, read("hits"))


def new_sizes():
    """What is best for one m tells nothing of the next one."""
    put("jump", "m,n,TILE,PART,time_us", ((64 * m, 32 * n, 8 << tile, part, 10 + 8 * abs(tile - m * 7 % 5 % 4) + part)
                                          for m in range(1, 13) for n in range(1, 21) for tile in range(4)
                                          for part in (1, 2)))
    put_spec("jump", "m,n", 1)
    text = train("jump", "--data jump.csv -o jump.h")
    known, between = (told(text, line)[0] for line in ("sizes that the table has", "sizes between"))
    assert known > .85 > between + .1, text
    assert re.search(r"warning: jump: for sizes between .* `kpred-train tune SPEC --next 10 ", text), text


def no_sizes():
    put("flags", "op,TILE,time_us", ((f"op{i}", 8 << tile, 10 + (i + 3 * tile) % 7) for i in range(30) for tile in range(4)))
    put_spec("flags", "op", 1)
    text = train("flags", "--data flags.csv -o flags.h")
    assert told(text, "problems kept apart") and "sizes" not in text, text


def kept_teaches_nothing():
    """Whatever times it has, the same network is trained, and the judges are worse on it. A table of the same parameters
    beside teaches the judges, without [judge], too."""
    few, args = [*sample(5, 40, 10)], "--data few.csv --epochs 1"
    put_sample("few", few)
    text = train("some", f"{args} -o alone.h")
    assert "the network is behind \"teacher trees\" at k = " in text, text # after one epoch
    evaluate("alone.h --data few.csv --hits hits")
    put_sample("few", few, read("hits"))
    other = train("some", f"{args} -o other.h")
    with open("alone.f32", "rb") as f, open("other.f32", "rb") as g:
        assert f.read() == g.read()
    put_sample("few", few)
    put_sample("beside", sample(23, 40, 12))
    beside, trees = train("some", f"{args} -o beside.h --beside beside.csv"), "teacher trees"
    assert told(other, trees)[0] < told(text, trees)[0] < told(beside, trees)[0], (text, other, beside)
    assert "beside beside.csv, " in read("beside.h")


def large_space():
    """46,656 tuples are legal, more than are listed. The best values move with m."""
    def best(m, p):
        return 2 if p % 2 else 1 + m // 16 % 4

    def rows(seed, problems, some, has_best):
        draw = draws(seed)
        for m in (1 + i * 64 // problems for i in range(problems)):
            for t in range(some):
                values = [next(draw) % 6 for _ in range(6)]
                if has_best and t == 0:
                    values = [best(m, p) for p in range(6)]
                time = math.prod((1 + .15 * abs(x - best(m, p)) for p, x in enumerate(values)), start=10)
                yield m, *values, f"{time:.6g}"
    put("large", "m,A,B,C,D,E,F,time_us", rows(29, 12, 80, False))
    put("large_all", "m,A,B,C,D,E,F,time_us", rows(31, 16, 10, True))
    put_spec("large", "m", 1)
    train("large", "--data large.csv --split none -o large.h --epochs 1")
    (found, timed), = evaluate("large.h --data large_all.csv --rows all")[0]
    assert found > .95 and timed > 40, (found, timed) # the best are a tenth of those that are timed


def names():
    """On one GPU small tiles are fast, on the other large ones; each name for GPUs that were not seen is for one."""
    put("names", "gpu,m,TILE,PART,time_us", (
        (gpu, 64 + i, 8 << tile, 1 << part, 10 + 10 * (3 - tile if gpu == "A100" else tile) + part)
        for i, tile, part in ((i, (i + j) % 4, j % 3) for j in range(9) for i in range(16)) for gpu in ("gfx90a6e", "A100")))
    write("names.spec", "[kernel]\nname = names\nrule = unconstrained\n[data]\nformat = timed\n[fields]\n"
          "gpu = gfx90a6e A100 amd nvidia\nm = size\n[unseen]\namd = gfx90a6e\nnvidia = A100\n[params]\n"
          "TILE = 8 16 32 64\nPART = 1 2 4\n[split]\nconfig = m\n[network]\njudged = 30\nepochs = 7\n")
    text = train("names", "--data names.csv --split none -o names.h")
    assert "drawn rows (32 problems)" in text, text # without those of names
    for name, tile in ("amd", "8"), ("nvidia", "64"):
        first = rows_of(output(f"{KPRED} predict names.h gpu={name} m=70 --csv"))[0]
        assert first["TILE"] == tile and float(first["probability"]) > .5, first


# ---- tables of which there is little to learn ----


def trains(name, seeds=(1,), spec="some"):
    for seed in seeds:
        train(spec, f"--data {name}.csv --split none -o few.h --epochs 1 --seed {seed}")


def lines(name, some):
    put(name, "m,n,TILE,PART,VEC,time_us", ((64 + i, 64, TILES[(t + i) % 4], 1, 1 << t % 3, 5)
                                            for i in range(20) for t in range(some)))
    trains(name)


def one_problem():
    put_sample("one", sample(17, 1, 30))
    trains("one")


def one_unit():
    """One shape on 24 GPUs, which the split keeps together: with these seeds all would be watched."""
    put("unit", "gpu,m,A,time_us", ((f"gfx9{gpu:02}_{40 + gpu}", 512, 1 << t, 10 + 3 * abs(t - gpu % 4))
                                    for gpu in range(24) for t in range(4)))
    put_spec("unit", "gpu,m", 1)
    trains("unit", (16, 18), "unit")


def long_conditions():
    """Of more terms than the judges take"""
    terms = "TILE * m" + "".join(f" + {k}" for k in range(40))
    write("long.spec", read("some.spec") + "\n[restrict]\n" + "".join(f"{terms} > {i}\n" for i in range(60)))
    put_sample("long", sample(5, 8, 6))
    trains("long", spec="long")


check("a sample teaches", teaches)
check("sizes that the table has not", new_sizes)
check("a table without sizes", no_sizes)
check("what is kept teaches nothing", kept_teaches_nothing)
check("a sample is told", lambda: [] if '"timed": ' in output(
    f"{TRAINER} eval some.h --data some.csv --by all --json") else "no `timed`")
check("a large space", large_space)
check("names learn of their GPUs", names)
check("one problem", one_problem)
check("one tuple a problem", lines, "single", 1)
check("constant times", lines, "constant", 4)
check("one unit", one_unit)
check("conditions of 4,000 terms", long_conditions)
end()
