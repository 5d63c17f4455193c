"""faults.py - every command with a fault at every call: it succeeds, or it is refused and leaves nothing behind

SPDX-License-Identifier: MIT

usage: faults.py BUILD INPUTS SHIM WORK some|all [--no-evolve] [NAME...]

Prints a table, a line for each fault that went wrong, and the totals. `all` tries the first 200 calls of each
kind and 200 more, spread over the others; `some` tries a few.
"""
import os
import resource
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from runs import Bench, Fault, is_mended, judge, read_table

FAULTS = [("memory", "nomem"), ("memory", "nomem+"), ("write", "full"), ("write", "full+"), ("write", "io"),
          ("write", "short"), ("write", "short+"), ("write", "interrupted"), ("read", "io"), ("read", "short"),
          ("read", "short+"), ("read", "interrupted"), ("open", "files"), ("sync", "io"), ("place", "io"),
          ("place", "perm"), ("close", "io"), ("lock", "interrupted"), ("lock", "nolock"), ("cut", "io"),
          ("start", "again"), ("any", "int"), ("any", "term"), ("any", "hup"), ("any", "kill")]
SOME = {"nomem": 2, "kill": 2, "full": 1, "short": 1, "io": 1, "term": 1} # so many of each the gate tries
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
    first = command.most if how == "nomem" else min(command.most, 20)
    return [*range(1, min(count, first) + 1), *spread(first + 1, count, first)]


class Tally:
    """What became of the faults of a command"""

    def __init__(self, command):
        self.command, self.allocations = command, 0
        self.tried = self.survived = self.refused = 0
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

def to_full():
    os.dup2(os.open("/dev/full", os.O_WRONLY), 1)


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


STREAMS = [("full", to_full), ("closed", lambda: os.close(1)), ("pipe", to_nobody), ("again", to_nobody_ignored),
           ("no input", lambda: os.close(0)),
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
        got.out = good.out if is_output else got.out
        wrong = judge(command, start, good, got, fault)
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
    sums, failed = Tally(None), 0
    with ThreadPoolExecutor(WORKERS) as pool:
        for tally in pool.map(run, commands):
            print(tally.line(), flush=True)
            failed += len(tally.wrong) > 0
            for wrong in tally.wrong[:20]:
                print("   ", tally.command.name, wrong, flush=True)
            sums.tried, sums.survived = sums.tried + tally.tried, sums.survived + tally.survived
            sums.refused, sums.wrong = sums.refused + tally.refused, sums.wrong + tally.wrong
    print(f"{len(commands)} commands, {sums.tried} faults: {sums.survived} survived, {sums.refused} refused, "
          f"{len(sums.wrong)} wrong")
    print(f"{len(commands) - failed} passed, {failed} failed, 0 skipped")
    sys.exit(failed > 0)


main()
