"""kills.py - commands that are killed at random moments, and many that write one file at a time

SPDX-License-Identifier: MIT

usage: kills.py BUILD INPUTS WORK KILLS WRITERS

After each kill every file is whole or as it was, and the next run succeeds and leaves nothing but its outputs. Of
writers no entry is lost: of a perf-db in text and in SQLite, of a table for AITER, of a table of tune.
"""
import os
import random
import signal
import sqlite3
import sys
import time

from runs import Bench, Command, Fault, is_mended, judge, read_table

WRITING = ("miopen-new miopen-merge sqlite-new sqlite-merge aiter-folder init ingest train merge kernels relayout "
           "tune eval-plot").split()
LINE = "./bin/MIOpenDriver conv -n {} -c 64 -H 56 -W 56 -k 64 -y 1 -x 1 -p 0 -q 0 -u 1 -v 1 -l 1 -j 1 -F 1 -t 1\n"
ENTRIES = ("SELECT solver, params, batchsize FROM perf_db JOIN config ON config = config.id "
           "ORDER BY solver, batchsize")


class Checks:
    """ok NAME, FAIL NAME: what, and the counts"""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, wrong):
        self.passed, self.failed = self.passed + (not wrong), self.failed + bool(wrong)
        print(f"FAIL {name}: {wrong[:3]}" if wrong else f"ok {name}", flush=True)


# ---- kills ----

def good_run(bench, command):
    """What out/ has before, the result, and the seconds that it takes"""
    bench.reset({})
    if command.before:
        bench.run(command.before)
    start = bench.files()
    bench.reset(start)
    begun = time.monotonic()
    return start, bench.run(command), time.monotonic() - begun


def kill_once(bench, command, start, good, after):
    """Whether it was killed, and what is wrong then"""
    bench.reset(start)
    process = bench.start(command, bench.environment)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    fault = Fault("any", 0, "kill")
    got = bench.finish(process, fault)
    wrong = judge(command, start, good, got, fault) or is_mended(bench, command, start, good)
    return got.status == -signal.SIGKILL, wrong


def all_kills(bench, commands, kills, checks):
    """So many that hit: of those that come behind the end one more is tried."""
    for i, command in enumerate(commands):
        start, good, seconds = good_run(bench, command)
        want, hits, wrong = (kills + i) // len(commands), 0, []
        moments = random.Random(command.name)
        for _ in range(20 * want):
            if hits == want:
                break
            hit, trouble = kill_once(bench, command, start, good, moments.random() * seconds)
            hits += hit
            wrong += [trouble] if trouble else []
        checks.check(f"{hits} kills of {command.name}", wrong if hits else ["none hit"])


# ---- writers ----

def at_a_time(bench, commands):
    """Runs all at the same time: status and standard error of each"""
    running = [bench.start(c, bench.environment) for c in commands]
    results = []
    for process in running:
        _, err = process.communicate()
        results.append((process.returncode, err.decode()))
    return results


def writer(text):
    return Command("plain", "writer", text, None)


def logs_of(bench, n):
    """One log for each writer, with a problem of its own"""
    for i in range(n):
        with open(os.path.join(bench.folder, f"{i}.log"), "w", encoding="utf-8") as f:
            f.write(LINE.format(i + 1))
    return [f"{i}.log" for i in range(n)]


def text_writers(bench, logs):
    bench.reset({})
    merge = "kpred miopen --gpu gfx906_60 -o out/{} {}"
    results = at_a_time(bench, [writer(merge.format("user.txt", log)) for log in logs])
    bench.run(writer(merge.format("one.txt", " ".join(logs))))
    files = bench.files()
    wrong = [err for status, err in results if status != 0]
    if not files["one.txt"] or files.pop("user.txt", None) != files.pop("one.txt"):
        wrong.append("entries are lost")
    return wrong + [f"left: {name}" for name in files]


def entries_of(path):
    database = sqlite3.connect(path)
    rows = database.execute(ENTRIES).fetchall()
    database.close()
    return rows


def sqlite_writers(bench, logs):
    """SQLite waits ten seconds for others: who is told that it is locked has lost nothing and tries again."""
    bench.reset({})
    merge = "kpred-train miopen --gpu gfx906_60 --sqlite out/{} {}"
    results = at_a_time(bench, [writer(merge.format("user.db", log)) for log in logs])
    wrong = [err for status, err in results if status != 0 and "database is locked" not in err]
    again = [log for log, (status, _) in zip(logs, results) if status != 0]
    for log in again:
        bench.run(writer(merge.format("user.db", log)))
    bench.run(writer(merge.format("one.db", " ".join(logs))))
    both = [entries_of(os.path.join(bench.out, name)) for name in ("user.db", "one.db")]
    if not both[0] or both[0] != both[1]:
        wrong.append(f"{len(both[0])} entries of {len(both[1])}")
    return wrong + [f"left: {name}" for name in bench.files() if name not in ("user.db", "one.db")]


def killed_writers(bench, logs):
    """Some of them are killed: the entries of all others are there, and those of the killed whole or not at all."""
    bench.reset({})
    moments, done = random.Random(7), 0
    text = "kpred miopen --gpu gfx906_60 -o out/user.txt {}"
    running = [bench.start(writer(text.format(log)), bench.environment) for log in logs]
    for process in moments.sample(running, len(running) // 3):
        time.sleep(0.003)
        process.send_signal(signal.SIGKILL)
    for process in running:
        process.communicate()
        done += process.returncode == 0
    bench.run(writer("kpred miopen --gpu gfx906_60 -o out/one.txt " + " ".join(logs)))
    files = bench.files()
    whole, got = (set(files[name].splitlines()) for name in ("one.txt", "user.txt"))
    wrong = [] if got <= whole and len(whole) == len(logs) else ["half a line"]
    wrong += [f"{len(got)} lines of {done} writers"] if len(got) < done else []
    return wrong + [f"left: {name}" for name in files if name not in ("one.txt", "user.txt")]


def aiter_writers(bench, n):
    """One file that each of them replaces: it is whole."""
    bench.reset({})
    text = "kpred aiter --gpu gfx950 --family a8w8_blockscale --exact -o out/tuned.csv in/aiter.log"
    results = at_a_time(bench, [writer(text)] * n)
    files = bench.files()
    bench.reset({})
    bench.run(writer(text))
    return [err for status, err in results if status != 0] + ([] if files == bench.files() else ["another file"])


def tune_writers(bench, n):
    """One of them writes, the others are told so; then there are all rows."""
    bench.reset({})
    text = "kpred-train tune in/hill.spec --problems in/problems.csv --run in/time.sh -o out/rows.csv"
    results = at_a_time(bench, [writer(text)] * n)
    wrong = [err for status, err in results if status != 0 and "another tuner writes it now" not in err]
    rows = bench.files()["rows.csv"].splitlines()[3:]
    return wrong + ([] if len(rows) == len(set(rows)) == 64 else [f"{len(rows)} rows"])


def main():
    build, inputs, work, kills, writers = sys.argv[1:]
    table = {c.name: c for c in read_table(os.path.join(os.path.dirname(__file__), "commands"))}
    bench, checks, n = Bench(work, inputs, build, None), Checks(), int(writers)
    all_kills(bench, [table[name] for name in WRITING], int(kills), checks)
    logs = logs_of(bench, n)
    checks.check(f"{n} writers of a perf-db", text_writers(bench, logs))
    checks.check(f"{n} writers of a perf-db in SQLite", sqlite_writers(bench, logs))
    checks.check(f"{n} writers of a perf-db, a third of them killed", killed_writers(bench, logs))
    checks.check(f"{n} writers of a table for AITER", aiter_writers(bench, n))
    checks.check(f"{n} tuners of one table", tune_writers(bench, n))
    print(f"{checks.passed} passed, {checks.failed} failed, 0 skipped")
    sys.exit(checks.failed > 0)


main()
