"""runs.py - runs a command of the table `commands` with a fault, and judges what it has left

SPDX-License-Identifier: MIT

A run stands in a folder of its own: in/ is the same for all, out/ takes what the command writes, and tmp/ is
its TMPDIR.
"""
import collections
import os
import re
import shlex
import shutil
import signal
import sqlite3
import struct
import subprocess

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

# Beside a message: a lock that a file system lacks, a header that stays without its float network, an end of tune
ALSO_SAID = re.compile(rb"cannot lock|is written all the same|tuples? measured")


def lines_of(text):
    """Of messages; numbers differ from run to run, and names of temporary files"""
    return [re.sub(rb"\d+(\.\d+)?", b"0", line) for line in text.splitlines()]


def same_output(command, good, out):
    return good.count(b"\n") == out.count(b"\n") if command.kind == "times" else good == out


def first_rows(good, got):
    """The same heading, then rows of it, each whole"""
    return got in (b"", good) or got.endswith(b"\n") and set(got.splitlines()) <= set(good.splitlines())


def wrong_messages(command, good, err):
    """Beside what the command says otherwise there is one line, the last one."""
    known = set(lines_of(good))
    new = [line for line in lines_of(err) if line not in known and not ALSO_SAID.search(line)]
    if new[1:] and new[-1].endswith(b": out of memory"): # and what came before it told why
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
    if not (command.kind == "times" or good.out.startswith(got.out) or (fault and fault.kind == "write")):
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
