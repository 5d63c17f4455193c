"""faults.py - every command with a fault at every call: it succeeds, or it is refused and leaves nothing behind

SPDX-License-Identifier: MIT

usage: faults.py BUILD INPUTS SHIM WORK some|all [--no-evolve] [NAME...]

Prints a table, a line for each fault that went wrong, and the totals. `all` tries the first 200 calls of each
kind and 200 more, spread over the others; `some` tries a few. Then many programs write one file at a time, and no
entry is lost: of a perf-db in text and in SQLite, of a table for AITER, of a table of tune.
"""
import os
import random
import resource
import signal
import sqlite3
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from runs import Bench, Fault, command_of, is_mended, judge, read_table

FAULTS = [("memory", "nomem"), ("memory", "nomem+"), ("write", "full"), ("write", "full+"), ("write", "io"),
          ("write", "short"), ("write", "short+"), ("write", "interrupted"), ("read", "io"), ("read", "short"),
          ("read", "short+"), ("read", "interrupted"), ("open", "files"), ("sync", "io"), ("place", "io"),
          ("place", "perm"), ("close", "io"), ("lock", "interrupted"), ("lock", "nolock"), ("cut", "io"),
          ("start", "again"), ("any", "int"), ("any", "term"), ("any", "hup"), ("any", "kill")]
SOME = {"nomem": 2, "kill": 4, "full": 1, "short": 1, "io": 1, "term": 1} # so many of each the gate tries
MUST_SUCCEED = ("short", "short+")
WORKERS = 2


def spread(first, last, n):
    """At most n numbers from first to last, evenly"""
    count = last - first + 1
    if n <= 1:
        return [(first + last) // 2] * min(n, count)
    return range(first, last + 1) if count <= n else sorted({first + i * (count - 1) // (n - 1) for i in range(n)})


def moments(command, count, how, is_all):
    """The numbers of the calls that go wrong"""
    if not is_all:
        return spread(1, count, SOME.get(how, 0))
    first = command.most if how == "nomem" else min(command.most, 40 if how == "kill" else 20)
    return [*range(1, min(count, first) + 1), *spread(first + 1, count, first)]


class Tally:
    """What became of the faults of a command"""

    def __init__(self, command):
        self.command, self.allocations, self.tried, self.survived, self.refused = command, 0, 0, 0, 0
        self.wrong = []

    def line(self):
        return (f"{self.command.name:<16}{self.allocations:>12}{self.tried:>8}{self.survived:>10}"
                f"{self.refused:>9}{len(self.wrong):>7}")


def begin(bench, command):
    """What out/ has before, and the good result"""
    bench.reset({})
    if command.before:
        result = bench.run(command.before)
        assert result.status == 0, (command.name, result.err)
    start = bench.files()
    bench.reset(start)
    return start, bench.run(command)


# ---- streams and limits ----

def to_nobody():
    """Nobody reads the pipe."""
    reader, writer = os.pipe()
    os.dup2(writer, 1)
    os.close(reader)
    os.close(writer)


def to_nobody_ignored():
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    to_nobody()


def room(size, handler):
    def limit():
        signal.signal(signal.SIGXFSZ, handler)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


STREAMS = [("full", lambda: os.dup2(os.open("/dev/full", os.O_WRONLY), 1)), ("closed", lambda: os.close(1)),
           ("pipe", to_nobody), ("again", to_nobody_ignored), ("no input", lambda: os.close(0)),
           ("room", room(0, signal.SIG_IGN)), ("room", room(3000, signal.SIG_IGN)),
           ("xfsz", room(0, signal.SIG_DFL)), ("xfsz", room(3000, signal.SIG_DFL))]


def try_stream(bench, tally, fault, limits, start, good):
    """Standard output that takes nothing is refused by who writes there; all else is as of other faults."""
    command = tally.command
    bench.reset(start)
    got = bench.run_bare(command, fault, preexec_fn=limits)
    is_output = fault.how in ("full", "closed", "pipe", "again")
    if is_output and not good.out and got.status != good.status:
        wrong = f"status {got.status}: {got.err[-200:]}"
    elif is_output and good.out and got.status == good.status:
        wrong = "success without its output"
    else:
        wrong = judge(command, start, good, got._replace(out=good.out) if is_output else got, fault)
    count(tally, fault, wrong, got.status == good.status)


def count(tally, fault, wrong, is_same):
    tally.tried += 1
    if wrong:
        tally.wrong.append(f"{fault}: {wrong}")
    elif is_same:
        tally.survived += 1
    else:
        tally.refused += 1


def try_fault(bench, tally, fault, start, good):
    command = tally.command
    bench.reset(start)
    got = bench.run(command, fault)
    if bench.counted()["fired"] == 0:
        return
    wrong = judge(command, start, good, got, fault)
    if not wrong and fault.how in MUST_SUCCEED and got.status != good.status:
        wrong = f"status {got.status}: {got.err[-200:]}"
    if not wrong and fault.how == "kill":
        wrong = is_mended(bench, command, start, good)
    count(tally, fault, wrong, got.status == good.status)


def all_faults(bench, command, is_all):
    tally = Tally(command)
    start, good = begin(bench, command)
    counts = bench.counted()
    tally.allocations = counts["memory"]
    if good.status != 0:
        tally.wrong.append(f"without a fault: {good.status}: {good.err[-300:]}")
        return tally
    if counts["memory"] == 0: # every command allocates
        tally.wrong.append("the shim sees no call")
    for kind, how in FAULTS:
        for at in moments(command, counts[kind], how, is_all):
            try_fault(bench, tally, Fault(kind, at, how), start, good)
    for how, limits in STREAMS if is_all else STREAMS[::2]:
        try_stream(bench, tally, Fault("stream", 0, how), limits, start, good)
    return tally


# ---- writers ----

LINE = "./bin/MIOpenDriver conv -n {} -c 64 -H 56 -W 56 -k 64 -y 1 -x 1 -p 0 -q 0 -u 1 -v 1 -l 1 -j 1 -F 1 -t 1\n"
ENTRIES = ("SELECT solver, params, batchsize FROM perf_db JOIN config ON config = config.id "
           "ORDER BY solver, batchsize")


def lines_of(path):
    with open(path, "rb") as f:
        return f.read().splitlines()


def rows_of(path):
    database = sqlite3.connect(path)
    rows = database.execute(ENTRIES).fetchall()
    database.close()
    return rows


def at_a_time(bench, texts, n_killed=0):
    """Runs all commands at the same time, and kills some: standard error and status of each"""
    bench.reset({})
    running = [bench.start(command_of(text), bench.environment) for text in texts]
    for process in random.Random(7).sample(running, n_killed):
        time.sleep(0.003)
        process.send_signal(signal.SIGKILL)
    return [(process.communicate()[1].decode(), process.returncode) for process in running]


def alone(bench, text):
    bench.run(command_of(text))


def merges(bench, n, command, entries, n_killed=0):
    """Each merges a problem of its own: all are there, and those of the killed whole or not at all. SQLite waits ten
    seconds for others: who is told that it is locked has lost nothing and tries again."""
    logs = [f"{i}.log" for i in range(n)]
    for i, log in enumerate(logs):
        with open(os.path.join(bench.folder, log), "w", encoding="utf-8") as f:
            f.write(LINE.format(i + 1))
    results = at_a_time(bench, [command.format("user", log) for log in logs], n_killed)
    wrong = [err for err, status in results if status > 0 and "database is locked" not in err]
    for log, (_, status) in zip(logs, results):
        if status > 0:
            alone(bench, command.format("user", log))
    alone(bench, command.format("one", " ".join(logs)))
    names = sorted(bench.files())
    if len(names) != 2 or not names[0].startswith("one.") or not names[1].startswith("user."):
        return wrong + [f"left: {names}"]
    one, user = (entries(os.path.join(bench.out, name)) for name in names)
    done = n - sum(status == -signal.SIGKILL for _, status in results)
    if not one or (one != user if n_killed == 0 else len(one) != n or not set(user) <= set(one)) or len(user) < done:
        wrong.append(f"{len(user)} entries of {done} writers")
    return wrong


def replaces(bench, n, text, excuse):
    """All write the same file, but those with that excuse: it is as one of them writes it."""
    wrong = [err for err, status in at_a_time(bench, [text] * n) if status != 0 and (not excuse or excuse not in err)]
    files = bench.files()
    at_a_time(bench, [text])
    return wrong + ([] if files and files == bench.files() else ["another file"])


def all_writers(bench, n):
    """The name of each check, and what is wrong"""
    text = "kpred miopen --gpu gfx906_60 -o out/{}.txt {}"
    yield "a perf-db", merges(bench, n, text, lines_of)
    yield "a perf-db, a third of them killed", merges(bench, n, text, lines_of, n // 3)
    yield "a perf-db in SQLite", merges(bench, n, "kpred-train miopen --gpu gfx906_60 --sqlite out/{}.db {}", rows_of)
    yield "a table for AITER", replaces(
        bench, n, "kpred aiter --gpu gfx950 --family a8w8_blockscale --exact -o out/tuned.csv in/aiter.log", None)
    yield "a table of tune", replaces(
        bench, n, "kpred-train tune in/own.spec --problems in/problems.csv --run in/time.sh -o out/rows.csv",
        "another tuner writes it now")


def main():
    build, inputs, shim, work, which, *names = sys.argv[1:]
    table = read_table(os.path.join(os.path.dirname(__file__), "commands"))
    if names[:1] == ["--no-evolve"]:
        names.pop(0)
        table = [c for c in table if c.words[0] != "kpred-evolve"]
    commands = [c for c in table if not names or c.name in names]
    benches, local = iter(range(1000)), threading.local()

    def run(command):
        if not hasattr(local, "bench"):
            local.bench = Bench(os.path.join(work, str(next(benches))), inputs, build, shim)
        return all_faults(local.bench, command, which == "all")

    unknown = set(names) - {c.name for c in commands}
    if unknown or not commands:
        sys.exit(f"faults.py: the table of commands has no {' '.join(sorted(unknown)) or 'line'}")
    print(f"{'command':<16}{'allocations':>12}{'faults':>8}{'survived':>10}{'refused':>9}{'wrong':>7}")
    failed, tallies = 0, []
    with ThreadPoolExecutor(WORKERS) as pool:
        for tally in pool.map(run, commands):
            print(tally.line(), flush=True)
            failed += len(tally.wrong) > 0
            for wrong in tally.wrong[:20]:
                print("   ", tally.command.name, wrong, flush=True)
            tallies.append(tally)
    tried, survived, refused = (sum(getattr(t, of) for t in tallies) for of in ("tried", "survived", "refused"))
    print(f"{len(commands)} commands, {tried} faults: {survived} survived, {refused} refused, "
          f"{tried - survived - refused} wrong")
    passed, n = len(commands) - failed, 100 if which == "all" else 20
    for name, wrong in [] if names else all_writers(Bench(os.path.join(work, "writers"), inputs, build, None), n):
        print(f"{n} writers of {name}:", wrong[:3] or "nothing is lost", flush=True)
        passed, failed = passed + (not wrong), failed + bool(wrong)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


main()
