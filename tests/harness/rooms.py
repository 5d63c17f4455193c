"""rooms.py - the rooms of tools/: arrows one way, no circle among files, few headers of other rooms

SPDX-License-Identifier: MIT

usage: rooms.py BUILD. It reads the includes of tools/ and the symbols of the objects in BUILD/tools, and prints a
line for each thing that is wrong.
"""
import glob
import os
import re
import subprocess
import sys

# A room may use itself and those before it; train and eval stand side by side. kpred-evolve uses base and the table of
# commands alone. Of the lab the programs have the paper's networks.
ORDER = {"base": 0, "model": 1, "data": 2, "survey": 3, "miopen": 4, "aiter": 5, "triton": 6, "serve": 7, "train": 8,
         "lab/paper": 9, "eval": 10, "tune": 11, "cli": 12, "evolve": 13, "lab": 14}
MOST_FOREIGN = 3 # headers of other rooms that one file includes
MOST_AT_TOP = 12 # files of C directly in tools/


def sources(pattern):
    """All files of that form but the tests and examples of outbuildings"""
    return [f for f in sorted(glob.glob(pattern, recursive=True)) if not re.search("/(tests|examples)/", f)]


def room(path):
    """tools/lab/paper/net.c: lab/paper"""
    first, second = path.split("/")[1:3]
    return f"{first}/{second}" if f"{first}/{second}" in ORDER else first


def includes(path):
    """The headers of tools/ that a file includes, as paths"""
    with open(path, encoding="utf-8") as f:
        for name in re.findall(r'^#\s*include "([^"]+)"', f.read(), re.M):
            for folder in (os.path.dirname(path), "tools"):
                header = os.path.normpath(os.path.join(folder, name))
                if header.startswith("tools/") and os.path.exists(header):
                    yield header
                    break


def symbols(objects):
    """(object, name, is it defined there) of every name that objects share"""
    for line in subprocess.check_output(["nm", "-gA", *objects], text=True).splitlines():
        path, rest = line.split(":", 1)
        kind, name = rest.split()[-2:]
        yield path, name, kind not in "Uw"


def edges_of_includes(files):
    """From a file without its ending to those it includes"""
    edges = {}
    for path in files:
        edges.setdefault(os.path.splitext(path)[0], set()).update(
            os.path.splitext(h)[0] for h in includes(path))
    return edges


def edges_of_symbols(build):
    """From a source to those whose functions it calls"""
    home, needs = {}, {}
    objects = {path: os.path.splitext(os.path.relpath(path, build))[0]
               for path in glob.glob(f"{build}/tools/**/*.o", recursive=True)}
    objects = {path: source for path, source in objects.items()
               if os.path.exists(f"{source}.c")} # not left by a file that is no more
    for path, name, defined in symbols(objects):
        needs.setdefault(objects[path], set())
        if defined:
            home[name] = objects[path]
        else:
            needs[objects[path]].add(name)
    return {source: {home[n] for n in names if n in home} for source, names in needs.items()}


def reachable(edges, start):
    """All that can be reached from there in one step or more"""
    found, left = set(), [start]
    while left:
        for to in edges.get(left.pop(), ()):
            if to not in found:
                found.add(to)
                left.append(to)
    return found


def circles(edges, kind):
    """A line for each circle: the files that reach each other"""
    edges = {source: to - {source} for source, to in edges.items()}
    reach, told = {source: reachable(edges, source) for source in edges}, set()
    for source in sorted(edges):
        circle = {to for to in reach[source] if source in reach.get(to, ())}
        if circle and source not in told:
            told |= circle
            yield f"a circle of {kind}: {' '.join(sorted(circle))}"


def uphill(edges, kind):
    """A line for each arrow that points from a room to a later one"""
    for source, targets in sorted(edges.items()):
        for to in sorted(targets):
            if room(source) == "evolve" and room(to) not in ("base", "evolve") and to != "tools/cli/commands":
                yield f"{source} needs {to}: {kind} of a room that kpred-evolve does not use"
            if ORDER[room(to)] > ORDER[room(source)] or {room(source), room(to)} == {"train", "eval"} \
                    and room(source) == "train":
                yield f"{source} needs {to}: {kind} of a later room"


def foreign(files):
    """A line for each file that needs too many headers of other rooms"""
    for path in files:
        others = sorted(h for h in includes(path) if room(h) != room(path))
        if len(others) > MOST_FOREIGN:
            yield f"{path} includes {len(others)} headers of other rooms: {' '.join(others)}"


def main():
    build = sys.argv[1]
    files = [f for f in sources("tools/**/*.[ch]") if room(f) in ORDER]
    at_top = glob.glob("tools/*.c")
    wrong = list(foreign(files))
    if len(at_top) > MOST_AT_TOP:
        wrong.append(f"tools/: {len(at_top)} files of C")
    for kind, edges in (("includes", edges_of_includes(files)), ("symbols", edges_of_symbols(build))):
        wrong += list(circles(edges, kind)) + list(uphill(edges, kind))
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
