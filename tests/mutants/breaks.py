"""breaks.py - make breaks: does each suite fail of the fault that is meant for it?
SPDX-License-Identifier: MIT

usage: [JOBS=N] [PART=K/N] breaks.py BUILD [SUITE...]    from the repository's root, after make

Copies of the tree and of what make built, JOBS of them, get one fault of tests/mutants/breaks after the
other, are built again where the fault is in what the programs are made of, and run the suite. A suite that
passes all the same, or does not pass without the fault, is a failure. --check in place of suites only asks
whether each fault can be put in. PART: each N-th fault, the K-th first. The last line is `N passed, N failed, N
skipped`.
"""
import concurrent.futures
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile

import run


def faults():
    """(suite, file, old, new) of each"""
    found, head, old = [], [], ""
    for line in run.table("breaks"):
        if line.startswith("- "):
            old = line[2:]
        elif line.startswith("+ "):
            found.append((*head, old, line[2:]))
        else:
            head = line.split()
    return found


def problem_of(fault):
    suite, path, old, _ = fault
    names = suite + ".c", suite + ".steps", suite.split("-", maxsplit=1)[0] + ".sh", "test_%s.py" % suite
    if not any(map(run.tests_named, names)):
        return "FAIL %s: there is no such suite" % suite
    count = run.read(path).count(old)
    return "" if count == 1 else "FAIL %s: %s has it %d times: %s" % (suite, path, count, old)


def copy(build, folder):
    """What is in the tree but for links and builds, and the build as old as it is"""
    skip = shutil.ignore_patterns("build", ".git", "build-*")
    shutil.copytree(".", folder, ignore=skip, symlinks=True, dirs_exist_ok=True)
    parts = re.compile(r"(tools|lib.*|kpred.*|.*\.(h|flags|libraries))$")
    made = [name for name in os.listdir(build) if parts.match(name)]
    os.mkdir(folder + "/build")
    subprocess.run(["cp", "-pR", *[os.path.join(build, name) for name in made], folder + "/build"], check=True)


def environment(folder):
    return dict(os.environ, BUILD="build", JOBS="1",
                GIT_CEILING_DIRECTORIES=os.path.dirname(os.path.abspath(folder))) # the copy is not a part of a checkout


def builds(folder, *programs):
    """make, where a fault was put in or taken out"""
    command = ["make", "-s", *(programs or ["build/kpred", "build/kpred-train"])]
    return subprocess.run(command, cwd=folder, env=environment(folder), stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def failures(folder, suite):
    """How many checks of the suite fail there, one if it does not end"""
    out = subprocess.run(["timeout", "900", "sh", "tests/harness/run.sh", suite], cwd=folder, env=environment(folder),
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, text=True).stdout
    totals = re.search(r"(\d+) failed, \d+ skipped\s*$", out)
    return int(totals.group(1)) if totals else 1


def is_in_archive(suite, path):
    """Is it in a header that the suite's programs have out of the archive, not by themselves?"""
    own = "".join(map(run.read, run.tests_named(suite + ".c")))
    by_itself = re.search("KPRED_(HIP_)?IMPLEMENTATION", own) and "MODELS_APART" not in own
    return path.endswith(".h") and not by_itself and bool(own or run.tests_named(suite + ".steps"))


def verdict(folder, fault):
    suite, path, old, new = fault
    needs_make = path.endswith(".c") and path.startswith("tools/") or is_in_archive(suite, path)
    target, before = os.path.join(folder, path), run.read(path)
    if failures(folder, suite) != 0:
        return "FAIL %s: it does not pass without the fault" % suite
    run.write(target, before.replace(old, new))
    built = not needs_make or builds(folder)
    count = failures(folder, suite) if built else 0
    run.write(target, before)
    if needs_make:
        builds(folder)
    if count > 0:
        return "ok %s: %d failures with the fault in %s" % (suite, count, path)
    return "FAIL %s: %s with the fault in %s" % (suite, "passes" if built else "does not build", path)


def in_copies(build, todo, work):
    """What work(folder, one) gives for each of these, JOBS at a time, each in a copy of the tree by itself"""
    free, jobs = queue.SimpleQueue(), int(os.environ.get("JOBS", "1"))
    folders = [tempfile.mkdtemp(dir=build) for _ in range(jobs)]

    def one(what):
        folder = free.get()
        result = work(folder, what)
        free.put(folder)
        return result

    try:
        for folder in folders:
            copy(build, folder)
            free.put(folder)
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(one, todo)
    finally:
        for folder in folders:
            shutil.rmtree(folder)


def main():
    wanted = sys.argv[2:]
    for suite in set(wanted) - {f[0] for f in faults()} - {"--check"}:
        sys.exit("breaks.py: tests/mutants/breaks has no fault for a suite %s" % suite)
    todo = [f for f in faults() if not wanted or wanted == ["--check"] or f[0] in wanted]
    lines = [problem_of(f) for f in todo if problem_of(f)]
    if wanted == ["--check"] or lines:
        print("\n".join(lines) + "%s%d passed, %d failed, 0 skipped"
              % ("\n" if lines else "", len(todo) - len(lines), len(lines)))
        return len(lines) > 0 or not todo
    k, n = run.part()
    todo, failed = todo[k::n], 0
    for line in in_copies(sys.argv[1], todo, verdict):
        failed += line.startswith("FAIL")
        print(line, flush=True)
    print("%d passed, %d failed, 0 skipped" % (len(todo) - failed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
