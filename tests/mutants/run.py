"""run.py - make mutants: which of a sample of mutants of the three headers do the tests notice?
SPDX-License-Identifier: MIT

usage: run.py FOLDER [--sample N] [--jobs N] [--minutes N]    from the repository's root
       run.py --known    is of each mutant whose fate is known said what it should?

Each mutant is compiled into the programs of tests/mutants/programs. One that fails, or does not end within 10
seconds, kills it. A mutant that does not compile counts for nothing: the next one is drawn. So does one that
is the same to the preprocessor, as its line is for other machines. A survivor of which the compiler makes the
same code with -O2 is equivalent. The sample is the same every time. FOLDER/HEADER.csv has a line for each; a
run goes on where one before it ended, and tries survivors again. The last line is `N passed, N failed, N
skipped`: killed, equivalent or explained in tests/mutants/survivors; survivors; not yet tried. PART=K/N in the
environment: of the sample each N-th, the K-th first.
"""
import argparse
import concurrent.futures
import csv
import glob
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import mutator

HERE = os.path.dirname(os.path.abspath(__file__))
HEADERS = ["kpred.h", "kpred_constraints.h", "kpred_hip.h"]
FLAGS = ["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE", "-w"]
# What takes most of the time of a compilation; precompiled once.
SYSTEM = ["inttypes", "stdio", "stdlib", "string", "limits"]
ALL = ["-DKPRED_IMPLEMENTATION", "-DKPRED_HIP_IMPLEMENTATION",
       '-DKPRED_HIP_API_HEADER="hip/hip_standin.h"', "-Itests"]
CC = os.environ.get("CC", "cc")


def tests_named(pattern):
    """Those of the house, and of the rooms of tools/ that have their own"""
    return sorted(glob.glob("tests/*/" + pattern) + glob.glob("tools/*/tests/" + pattern))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def table(name):
    """The lines of a table beside this file, comments apart"""
    return [line for line in read(os.path.join(HERE, name)).split("\n") if line and not line.startswith("#")]


def explanations(name="survivors"):
    """(header, old line, what stands behind `+ `) of such a table"""
    header, old, found = "", "", []
    for line in table(name):
        if line.startswith("- "):
            old = line[2:].strip()
        elif line.startswith("+ "):
            found.append((header, old, line[2:].strip()))
        else:
            header = line.split(":")[0]
    return found


def compiles(cc, name, weights, *options):
    """The command that makes the program tests/NAME.c of real weights, or of `elided` ones"""
    include = ["-Ielided"] if weights == "elided" else []
    return [cc, *FLAGS, *options, *include, "-I.", "-Itests", f"tests/{name}.c", "-lm", "-pthread", "-o"]


class Tree:
    """A copy of what the programs include, in which one header is replaced"""

    def __init__(self, folder):
        self.root = folder
        subprocess.run(["sh", "tools/release/analyze.sh", "tree", folder + "/elided"], check=True)
        for name in HEADERS:
            shutil.copy(name, folder)
        for name in ("tests", "weights", "examples"):
            shutil.copytree(name, os.path.join(folder, name), ignore=shutil.ignore_patterns("build"))

        write(folder + "/system.h", "".join("#include <%s.h>\n" % name for name in SYSTEM)
              + "#if defined(__x86_64__)\n#include <cpuid.h>\n#include <immintrin.h>\n#endif\n")
        self.run([CC, *FLAGS, "-O0", "-xc-header", "system.h", "-o", "system.h.gch"], 120)

    def put(self, header, text):
        for place in (self.root, self.root + "/elided"):
            write(os.path.join(place, header), text)

    def run(self, command, seconds):
        try:
            return subprocess.run(command, cwd=self.root, stdout=subprocess.DEVNULL, timeout=seconds,
                                  stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False).returncode
        except subprocess.TimeoutExpired:
            return -1

    def output(self, header, *options):
        """What the compiler makes of it, b"" if it does not compile"""
        done = subprocess.run([CC, *FLAGS, "-I.", *ALL, *options, "-xc", header, "-o", "-"], cwd=self.root,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        return done.stdout if done.returncode == 0 else b""

    def forms(self, header):
        """The header as the compiler sees it, and its code: by these a mutant is compared"""
        found = [self.output(header, "-E", "-P"), self.output(header, "-O2", "-S")]
        if not all(found):
            sys.exit("%s as it is does not compile" % header)
        return found

    def fate(self, header, text, forms):
        """What becomes of a header whose text is changed to this, and which program or compiler says so"""
        self.put(header, text)
        if self.output(header, "-E", "-P") == forms[0]:
            return "elsewhere", "preprocessor"
        by = self.killer(header)
        if by == "compiler":
            return "none", by
        if not by and self.output(header, "-O2", "-S") == forms[1]:
            return "equivalent", "compiler"
        return ("killed", by) if by else ("survived", "")

    def killer(self, header):
        """The program that kills the header as it is, "compiler", or "" """
        for line in table("programs"):
            of, option, weights, program, *arguments = line.split()
            if of != header:
                continue
            if self.run([*compiles(CC, program, weights, option, "-include", "system.h"), "program"], 120) != 0:
                return "compiler"
            if self.run(["sh", "-c", 'ulimit -t 10; exec ./program "$@"', "sh", *arguments], 120) != 0:
                return program
        return ""


def part():
    """(K, N) of PART=K/N: of what is sampled each N-th is drawn, the K-th first; without it all"""
    return tuple(map(int, os.environ.get("PART", "0/1").split("/")))


class Header:
    """Its mutants in the order in which they are drawn, and what became of those that were tried"""

    def __init__(self, name, folder):
        self.name, self.text = name, read(name)
        self.lines = self.text.split("\n")
        self.mutants = list(mutator.mutants(self.text))
        self.count = len(self.mutants)
        random.Random(1).shuffle(self.mutants)
        self.path = os.path.join(folder, name + ".csv")
        self.key = hashlib.sha256((self.text + read(HERE + "/mutator.py")).encode()).hexdigest()[:16]
        self.rows = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))
            if rows and rows[0][0] == self.key:
                self.rows = {int(row[0]): row for row in rows[1:]}

    def save(self):
        with open(self.path + ".tmp", "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(
                [[self.key, "line", "kind", "old", "new", "fate", "by"]]
                + [self.rows[i] for i in sorted(self.rows)])
        os.replace(self.path + ".tmp", self.path)

    def row(self, i, fate, by):
        number, kind, new = self.mutants[i]
        self.rows[i] = [str(i), str(number + 1), kind, self.lines[number].strip(), new.strip(), fate, by]
        self.save()


class Run:
    def __init__(self, folder, jobs, minutes):
        self.headers = [Header(name, folder) for name in HEADERS]
        self.lock, self.until = threading.Lock(), time.time() + 60 * minutes
        self.rooms = [Tree(tempfile.mkdtemp(dir=folder)) for _ in range(jobs)]
        self.free, self.forms = list(self.rooms), {}
        for header in self.headers:
            self.forms[header.name] = self.rooms[0].forms(header.name)
            if self.rooms[0].killer(header.name):
                sys.exit("%s as it is does not pass tests/mutants/programs" % header.name)

    def one(self, header, i):
        with self.lock:
            if time.time() > self.until:
                return
            tree = self.free.pop()
        text = mutator.applied(header.text, header.mutants[i])
        fate, by = tree.fate(header.name, text, self.forms[header.name])
        tree.put(header.name, header.text)
        with self.lock:
            self.free.append(tree)
            header.row(i, fate, by)

    def all(self, shares):
        """Draws until each header has its share of mutants that count"""
        with concurrent.futures.ThreadPoolExecutor(len(self.rooms)) as pool:
            for header in self.headers:
                again = [i for i in header.rows if header.rows[i][5] == "survived" and is_drawn(i)]
                list(pool.map(lambda i, h=header: self.one(h, i), again))
            while time.time() < self.until:
                todo = [(n / shares[h.name], h, i) for h in self.headers
                        for n, i in enumerate(missing(h, shares[h.name]))]
                if not todo:
                    return
                todo.sort(key=lambda one: one[0])
                list(pool.map(lambda one: self.one(one[1], one[2]), todo))

    def close(self):
        for tree in self.rooms:
            shutil.rmtree(tree.root)


def is_drawn(i):
    k, n = part()
    return i % n == k


def counted(header):
    return [i for i in sorted(header.rows) if header.rows[i][5] not in ("none", "elsewhere") and is_drawn(i)]


def missing(header, share):
    """The next mutants to try, so that `share` of them count; of a part those that certainly are of the sample"""
    if part() != (0, 1):
        return [i for i in range(min(share, header.count)) if is_drawn(i) and i not in header.rows]
    lack = share - len(counted(header))
    return [i for i in range(header.count) if i not in header.rows][:max(lack, 0)]


def shares_of(headers, sample):
    """How many of the sample each header has, by how many mutants it has"""
    total = sum(h.count for h in headers)
    shares = {h.name: h.count * sample // total for h in headers}
    shares[headers[0].name] += sample - sum(shares.values())
    return shares


def report(headers, shares):
    known = explanations()
    passed = failed = tried = killed = 0
    for h in headers:
        rows = [h.rows[i] for i in counted(h)]
        tried += len(rows)
        for row in rows:
            killed += row[5] == "killed"
            explained = (h.name, row[3], row[4]) in known or (h.name, row[3], "*") in known
            if row[5] == "survived" and not explained:
                failed += 1
                print("FAIL %s:%s: %s => %s" % (h.name, row[1], row[3], row[4]))
            else:
                passed += 1
        print("%s: %d of %d tried, %d killed, %d the same code" %
              (h.name, len(rows), shares[h.name], sum(r[5] == "killed" for r in rows),
               sum(r[5] == "equivalent" for r in rows)))
    untried = sum(len(missing(h, shares[h.name])) for h in headers)
    print("killed: %.1f %% of %d" % (100 * killed / max(tried, 1), tried))
    print("%d passed, %d failed, %d skipped" % (passed, failed, untried))
    return failed == 0 and sum(shares.values()) > 0


# ---- mutants whose fate is known ----

# header, old text, new text, fate
KNOWN = [
    ("kpred_hip.h", "x[j - 1] > value", "x[j - 1] < value", "killed"),
    ("kpred_hip.h", "n % 2 ? x[n / 2]", "n % 2 ? x[n / 3]", "killed"),
    ("kpred_hip.h", "return us > 0 && us < 1e9;", "return us > 0 || us < 1e9;", "killed"),
    ("kpred_constraints.h", "return a / b + (a % b != 0);", "return a / b + (a % b == 0);", "killed"),
    ("kpred_hip.h", "x[j - 1] > value; j--)", "value < x[j - 1]; j--)", "equivalent"),
    ("kpred_hip.h", "return us > 0 && us < 1e9;", "return us > 0 && us < 0.99e9;", "survived"),
    ("kpred_hip.h", "n % 2 ? x[n / 2]", "n % 2 ? x[n / nothing]", "none"),
    ("kpred_hip.h", "return us > 0 && us < 1e9;", "return us > 0  && us < 1e9; /* */", "elsewhere"),
]


def known():
    """Of each mutant whose fate is known: is it what is told?"""
    wrong = 0
    folder = tempfile.mkdtemp()
    try:
        tree = Tree(os.path.join(folder, "tree"))
        forms = {header: tree.forms(header) for header in {one[0] for one in KNOWN}}
        for header, old, new, meant in KNOWN:
            text = read(header)
            if text.count(old) != 1:
                print("%s: not once there: %s" % (header, old))
                wrong += 1
                continue
            fate, by = tree.fate(header, text.replace(old, new), forms[header])
            tree.put(header, text)
            if fate != meant:
                print("%s: %s => %s: %s by %s, not %s" % (header, old, new, fate, by or "nothing", meant))
                wrong += 1
    finally:
        shutil.rmtree(folder)
    return wrong > 0


def main():
    parser = argparse.ArgumentParser()
    if sys.argv[1:] == ["--known"]:
        sys.exit(known())
    parser.add_argument("folder")
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=60)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    run = Run(os.path.abspath(options.folder), options.jobs, options.minutes)
    shares = shares_of(run.headers, options.sample)
    try:
        run.all(shares)
    finally:
        run.close()
    sys.exit(0 if report(run.headers, shares) else 1)


if __name__ == "__main__":
    main()
