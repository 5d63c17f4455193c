"""faults.py - every command with a fault at every call: it succeeds, or it is refused and leaves nothing behind

SPDX-License-Identifier: MIT

usage: faults.py BUILD INPUTS SHIM WORK TABLE[,TABLE...] some|all [NAME...]

Prints a table, a line for each fault that went wrong, and the totals. `all` tries the first 200 calls of each
kind and 200 more, spread over the others; `some` tries a few. Then many programs write one file at a time, and no
entry is lost: of a perf-db in text and in SQLite, of a table for AITER, of a table of tune.

A run of a command stands in a folder of its own: in/ is the same for all, out/ takes what the command writes, and tmp/
is its TMPDIR.
"""
import collections
import os
import random
import re
import resource
import shlex
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

KINDS = "memory write read open sync place close lock cut start any fired".split()
SECONDS = 30 # after which a command hangs


# A line of the table
Command = collections.namedtuple("Command", "kind most name words stdin before")


def command_of(text, head="plain writer", before=None):
    kind, name = head.split()
    kind, _, most = kind.partition("/")
    text, _, stdin = text.partition(" < ")
    return Command(kind, int(most or 200), name, shlex.split(text), stdin or os.devnull, before)


def read_table(path):
    """The commands, in their order"""
    commands, before = [], {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                head, text = line.rstrip("\n").split(": ", 1)
                command = command_of(text, head, before.get(head.split()[1]))
                if command.kind == "before":
                    before[command.name] = command
                else:
                    commands.append(command)
    return commands


class Fault(collections.namedtuple("Fault", "kind at how")):
    """The call of that kind with that number goes wrong so, as shim.c says"""

    def __str__(self):
        return f"{self.kind} {self.at} {self.how}"

    def signal(self):
        return {"int": signal.SIGINT, "term": signal.SIGTERM, "hup": signal.SIGHUP, "kill": signal.SIGKILL,
                "xfsz": signal.SIGXFSZ, "pipe": signal.SIGPIPE}.get(self.how, 0)


# What a run has left; status: negative: the signal that ended it, None: it hung
Result = collections.namedtuple("Result", "status out err files temporary")


class Bench:
    """A folder where commands run, one at a time"""

    def __init__(self, folder, inputs, build, shim):
        self.folder, self.build = folder, build
        self.out, self.tmp = os.path.join(folder, "out"), os.path.join(folder, "tmp")
        os.makedirs(folder)
        os.symlink(inputs, os.path.join(folder, "in"))
        self.counts = os.path.join(folder, "counts")
        self.environment = dict(os.environ, TMPDIR=self.tmp, LC_ALL="C")
        self.shimmed = dict(self.environment, **{"LD_PRELOAD": shim, "FAULT_COUNTS": self.counts} if shim else {})

    def reset(self, files):
        """out/ has these files, and tmp/ has none."""
        for folder in (self.out, self.tmp):
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(self.out, path)), exist_ok=True)
            with open(os.path.join(self.out, path), "wb") as f:
                f.write(text)

    def environment_of(self, fault):
        with open(self.counts, "wb") as f:
            f.write(bytes(8 * len(KINDS)))
        if not fault:
            return self.shimmed
        return dict(self.shimmed, FAULT_KIND=fault.kind, FAULT_AT=str(fault.at), FAULT_HOW=fault.how)

    def counted(self):
        """How often each kind was called by the last run"""
        with open(self.counts, "rb") as f:
            return dict(zip(KINDS, struct.unpack(f"{len(KINDS)}Q", f.read())))

    def start(self, command, environment, **streams):
        words = [os.path.join(self.build, command.words[0])] + command.words[1:]
        with open(os.path.join(self.folder, command.stdin), "rb") as stdin:
            return subprocess.Popen(words, cwd=self.folder, env=environment, start_new_session=True,
                                    **dict({"stdin": stdin, "stdout": subprocess.PIPE,
                                            "stderr": subprocess.PIPE}, **streams))

    def finish(self, process, fault=None):
        try:
            out, err = process.communicate(timeout=SECONDS)
            if fault and fault.how in ("kill", "full+"): # nobody can remove it then
                self.settle()
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return Result(None, b"", b"", {}, [])
        return Result(process.returncode, out or b"", err or b"", self.files(), os.listdir(self.tmp))

    def files(self):
        """The bytes of each file in out/ by its path"""
        found = {}
        for at, _, names in os.walk(self.out):
            for name in names:
                path = os.path.join(at, name)
                with open(path, "rb") as f:
                    found[os.path.relpath(path, self.out)] = f.read()
        return found

    def settle(self):
        """A journal that SQLite left is a part of its database: who opens that next has it as it was."""
        for name in os.listdir(self.out):
            if name.endswith("-journal"):
                database = sqlite3.connect(os.path.join(self.out, name[:-len("-journal")]))
                database.execute("SELECT count(*) FROM perf_db").fetchall()
                database.close()

    def run(self, command, fault=None):
        return self.finish(self.start(command, self.environment_of(fault)), fault)

    def run_bare(self, command, fault, **streams):
        """Without the shim: the fault is in the streams and limits."""
        return self.finish(self.start(command, self.environment, **streams), fault)


# ---- what a run may leave ----

# Beside a message: a lock that a file system lacks, a header that stays without its float network, an end of tune, files
# that are left out
ALSO_SAID = re.compile(rb"cannot lock|is written all the same|tuples? measured|files (is|are) written; left out: ")


def lines_of(text):
    """Of messages; numbers differ from run to run, and names of temporary files"""
    return [re.sub(rb"\d+(\.\d+)?", b"0", line) for line in text.splitlines()]


def same_output(command, good, out):
    return good.count(b"\n") == out.count(b"\n") if command.kind == "times" else good == out


def first_rows(good, got):
    """The same heading, then rows of it, each whole"""
    return got in (b"", good) or got.endswith(b"\n") and set(got.splitlines()) <= set(good.splitlines())


# Problem, microseconds, measured, and the best tuple; of a problem without a time two of these are empty
ENDING = re.compile(rb"(\S+=.*?) +([0-9.]*) +(?:all )?(\d+) (?:of \d+ )?legal tuples? *(.*)")


def is_ending(line, rows):
    """Has it the number of the problem's rows, and the fastest of them?"""
    match = ENDING.fullmatch(line)
    if not match:
        return False
    problem, us, measured, best = match.groups()
    fields, values = ([cell.partition(b"=")[2] for cell in cells.split()] for cells in (problem, best))
    mine = [row for row in rows if row.startswith(b",".join(fields + [b""]))]
    fastest = min(mine, key=lambda row: float(row.rpartition(b",")[2]), default=None)
    return len(mine) == int(measured) and (not mine or b",".join(fields + values + [us]) == fastest)


def is_early_end(command, good, got):
    """Where tune ends early, its table tells of the rows that its file has."""
    heading, *lines = got.out.splitlines() or [b""]
    rows = got.files.get("rows.csv", b"").splitlines()
    return (command.kind == "rows" and heading.split() == good.out.splitlines()[0].split()
            and got.out.endswith(b"\n") and all(is_ending(line, rows) for line in lines))


def wrong_messages(command, good, err):
    """Beside what the command says otherwise there is one line, the last one."""
    known = set(lines_of(good))
    new = [line for line in lines_of(err) if line not in known and not ALSO_SAID.search(line)]
    if new[1:] and new[-1].endswith(b": out of memory") and new[-2] != new[-1]: # what came before it told why
        new.pop()
    if len(new) != 1 or not new[0].startswith(command.words[0].encode() + b": "):
        return f"messages: {new}"
    return None


def wrong_files(command, start, good, got, is_killed):
    for path, text in got.items():
        if path not in good and path not in start:
            if is_killed and (".kpred-" in path or path.endswith("-journal")):
                continue
            return f"left behind: {path}"
        whole = text in (start.get(path), good.get(path))
        if not whole and not (command.kind == "rows" and (is_killed or first_rows(good[path], text))):
            return f"half of a file: {path}"
    lost = [path for path in start if path not in got]
    return f"lost: {lost}" if lost else None


def judge(command, start, good, got, fault=None):
    """None, or what is wrong; `good` is the result of the run without a fault"""
    if got.status is None:
        return "hangs"
    fault_signal = fault.signal() if fault else 0
    killed = fault_signal == signal.SIGKILL
    if got.temporary and not killed:
        return f"left in TMPDIR: {got.temporary}"
    if got.status == good.status:
        if not same_output(command, good.out, got.out):
            return "another standard output"
        return wrong_files(command, {}, good.files, got.files, killed) or (
            "another file" if got.files != good.files and command.kind != "rows" else None)
    if got.status < 0 and got.status != -fault_signal:
        return f"signal {-got.status}"
    if got.status not in (1, -fault_signal):
        return f"status {got.status}"
    # A part of standard output; of one write that fails, what stands behind it is written
    if not (command.kind == "times" or good.out.startswith(got.out) or (fault and fault.kind == "write")
            or is_early_end(command, good, got)):
        return "another standard output"
    if not fault_signal and (wrong := wrong_messages(command, good.err, got.err)):
        return wrong
    return wrong_files(command, start, good.files, got.files, killed)


def is_mended(bench, command, start, good):
    """After a kill the next run succeeds, and removes what was left beside its outputs. One that finds the output of
    the killed one needs --force."""
    for name in os.listdir(bench.tmp):
        shutil.rmtree(os.path.join(bench.tmp, name))
    got = bench.run(command)
    if got.err.endswith(b"is there already; --force replaces it\n"):
        got = bench.run(command._replace(words=command.words + ["--force"]))
    if got.status != good.status:
        return f"after a kill: status {got.status}, {got.err[-200:]}"
    if command.kind == "rows":
        same = all(sorted(got.files[p].splitlines()) == sorted(good.files[p].splitlines()) for p in good.files)
    else:
        same = got.files.keys() == good.files.keys() and judge(command, start, good, got) in (
            None, "another standard output")
    return None if same else f"after a kill: {sorted(got.files)}"


# ---- which calls go wrong ----

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


def text_lines(path):
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
    yield "a perf-db", merges(bench, n, text, text_lines)
    yield "a perf-db, a third of them killed", merges(bench, n, text, text_lines, n // 3)
    yield "a perf-db in SQLite", merges(bench, n, "kpred miopen --gpu gfx906_60 --sqlite out/{}.db {}", rows_of)
    yield "a table for AITER", replaces(
        bench, n, "kpred aiter --gpu gfx950 --family a8w8_blockscale --exact -o out/tuned.csv in/aiter.log", None)
    yield "a table of tune", replaces(
        bench, n, "kpred-train tune in/own.spec --problems in/problems.csv --run in/time.sh -o out/rows.csv",
        "another tuner writes it now")


def main():
    build, inputs, shim, work, tables, which, *names = sys.argv[1:]
    commands = [c for path in tables.split(",") for c in read_table(path) if not names or c.name in names]
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
