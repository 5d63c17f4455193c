# SPDX-License-Identifier: MIT
"""measured.py - the measurements in a folder, checked and by name; files as measure.sh lists them

What has not been measured is None. A figure is of outcomes: a dict from a row to (unit, hit), over
one kernel or several; a unit is what the split keeps together.
"""
import collections
import csv
import glob
import os
import re

import paired
from rows import (ROOT, die, is_test, read_sections, read_spec, read_timed_spec, share_and_error, split_key)
from timed import read_gemm, read_layouts, read_timed

OURS = "additive"
PUBLISHED = os.path.join(ROOT, "tools", "lab", "report", "published.csv") # the paper's
Figure = collections.namedtuple("Figure", "n groups value se")


# ---- files ----

def read_csv(path, columns):
    """(file:line, dict) of every line; the columns must be there, in any order."""
    try:
        with open(path, encoding="utf-8", newline="") as f:
            reader = csv.reader(f, strict=True)
            heading = next(reader, [])
            missing = [c for c in columns if c not in heading]
            if missing:
                die(f"{path}:1: there is no column {missing[0]}")
            for cells in reader:
                at = f"{path}:{reader.line_num}"
                if len(cells) != len(heading):
                    die(f"{at}: {len(cells)} cells: expected {len(heading)}")
                yield at, dict(zip(heading, cells))
    except (OSError, UnicodeDecodeError, csv.Error) as e:
        die(f"{path}: {e}")


def number(at, line, name):
    """A cell as a number."""
    try:
        return float(line[name])
    except ValueError:
        die(f"{at}: {name} \"{line[name]}\": expected a number")


def parts(path):
    """The words of a file's name between dots, without csv and the kind."""
    return os.path.basename(path).split(".")


# ---- all that was measured ----

class Measured:
    """specs: by kernel, of those that the paper judges; more: of the others; every: of both. hits: by (kernel, split,
    k) and method, a dict from row to (key, hit). chosen: specs of what chooses among kernels, by times. reliability: by
    (kernel, split). times: by kernel and net. classics: by (kernel, method, k), of the split config. training: by
    (kernel, split, net), epochs and weights. widths, width_times: by kernel and width. noise: lines. retuned: by kernel
    and files, (outcomes of the second run, {file: outcomes of our network}). timed, gemm, layouts: timed.py."""

    def __init__(self, folder, weights, folds):
        self.folder, self.weights = folder, weights
        self.every = {s["name"]: s for s in map(read_spec, specs_of(weights, "miopen"))}
        published = {line["model"] for _, line in read_csv(PUBLISHED, ["model"])}
        self.specs = {name: s for name, s in self.every.items() if name in published}
        self.chosen = {s["name"]: s for s in map(read_timed_spec, specs_of(weights, "find-db"))}
        self.more = {name: s for name, s in self.every.items() if name not in published}
        self.types = {}
        self.hits = self.read_outcomes(find(folder, "*.hits.csv"))
        self.reliability = self.read_reliability()
        self.classics = self.read_classics()
        self.times = self.read_times(find(folder, "*.time.csv"))
        self.training = self.read_training()
        self.widths = {}
        for path in find(folder, "frontier/*.hits.csv"):
            kernel, width = parts(path)[:2]
            self.widths.setdefault(kernel, {})[width] = self.read_outcomes([path])
        self.width_times = self.read_times(find(folder, "frontier/*.time.csv"))
        self.noise = self.read_noise()
        self.retuned = self.read_retuned()
        self.timed = read_timed(folder)
        self.gemm, self.layouts = read_gemm(folds), read_layouts(specs_of(weights, "tensile"))

    def known(self, at, kernel):
        """A kernel's name, if there is a spec."""
        if kernel not in self.every:
            die(f"{at}: kernel \"{kernel}\": there is no spec in {self.weights}")
        return kernel

    # -- readers --

    def rows_of(self, kernel):
        """The rows that hits number."""
        spec, path = self.every[kernel], os.path.join(self.folder, f"{kernel}.rows.csv")
        columns = [name for name, _ in spec["fields"] + spec["params"]]
        return [[line[c] for c in columns] for _, line in read_csv(path, columns)]

    def read_outcomes(self, paths):
        """Hits, with rows that are what the measured kernel's rows are."""
        found = paired.read_hits(paths)
        for (kernel, split, _), methods in found.items():
            self.known(f"{paths[0]} and its like", kernel)
            if "network" in methods: # as classics.py calls ours
                methods.setdefault(OURS, methods["network"])
                if methods.pop("network") != methods[OURS]:
                    die(f"{kernel}, split {split}: classics.py and eval do not agree about our "
                        "network: measured with different weights, or of different data")
            for method, outcomes in methods.items():
                self.check_rows(kernel, split, method, outcomes)
        return found

    def check_rows(self, kernel, split, method, outcomes):
        """Each row's key must be what the split makes of the row; notes the rows' types."""
        if (kernel, split) not in self.types:
            dtype = [name for name, _ in self.every[kernel]["fields"]].index("dtype")
            self.types[kernel, split] = {str(i): (split_key(self.every[kernel], split, r), r[dtype])
                                         for i, r in enumerate(self.rows_of(kernel), 1)}
        rows = self.types[kernel, split]
        for row, (key, _) in outcomes.items():
            if rows.get(row, ("", ""))[0] != key:
                die(f"{kernel}, split {split}, {method}: row {row} with key \"{key}\": in "
                    f"{kernel}.rows.csv it is \"{rows.get(row, ('not there', ''))[0]}\"")

    def read_reliability(self):
        """(at, line) of every bin, all GPUs and types together, by kernel and split."""
        found = {}
        for path in find(self.folder, "*.reliability.csv"):
            columns = "model,split,gpu,dtype,k,bin,n,predicted,observed,se,ece".split(",")
            for at, line in read_csv(path, columns):
                for name in ("k", "n", "predicted", "observed", "se", "ece"):
                    line[name] = number(at, line, name) if line[name] else None
                if (line["gpu"], line["dtype"]) == ("all", "all"):
                    kernel = line["model"]
                    if kernel not in self.chosen:
                        self.known(at, kernel)
                    found.setdefault((kernel, line["split"]), []).append(line)
        return found

    def read_classics(self):
        """Microseconds of a prediction and, where it is told, bytes."""
        found = {}
        for path in find(self.folder, "*.config.*.classics.csv"):
            for at, line in read_csv(path, "method,model,split,gpu,dtype,k,us_predict".split(",")):
                if (line["gpu"], line["dtype"]) == ("all", "all"):
                    size = number(at, line, "bytes") if line.get("bytes", "-") != "-" else None
                    found[self.known(at, line["model"]), line["method"], line["k"]] = \
                        (number(at, line, "us_predict"), size)
        return found

    def read_training(self):
        """Epochs and weights of the paper's networks."""
        found = {}
        for path in find(self.folder, "*.training.csv"):
            kernel, split, net = parts(path)[:3]
            for at, line in read_csv(path, ["epochs", "weights"]):
                found[self.known(path, kernel), split, net] = (number(at, line, "epochs"), number(at, line, "weights"))
        return found

    def read_times(self, paths):
        """By kernel and net, {beam: (nanoseconds, bytes)}."""
        found = {}
        for path in paths:
            nets = found.setdefault(self.known(path, parts(path)[0]), {})
            for at, line in read_csv(path, "net,model,beam,ns,bytes".split(",")):
                nets.setdefault(line["net"], {})[line["beam"]] = (number(at, line, "ns"), number(at, line, "bytes"))
        return found

    def read_noise(self):
        """(at, line) of label_noise.py, of all directions."""
        path = os.path.join(self.folder, "noise.csv")
        if not os.path.exists(path):
            return []
        lines = list(read_csv(path, "files,kernel,dtype,dir,what,n,percent,se".split(",")))
        for at, line in lines:
            line["n"], line["percent"] = number(at, line, "n"), number(at, line, "percent")
        return [line for _, line in lines if line["dir"] == "all"]

    def read_retuned(self):
        """Whether the second run names the first one's label, and what our network makes of either's."""
        labels, hits = {}, {}
        for path in find(self.folder, "retuned/*.csv"):
            kernel, files, side, kind = parts(path)[:4]
            spec = self.every[self.known(path, kernel)]
            if kind == "hits":
                outcomes = paired.read_hits([path])[kernel, "config", "1"][OURS]
                hits.setdefault((kernel, files), {})[side] = outcomes
            else:
                columns = [name for name, _ in spec["fields"] + spec["params"]]
                rows = [[line[c] for c in columns] for _, line in read_csv(path, columns)]
                labels.setdefault((kernel, files), []).append((path, rows))
        return {which: (self.second_run(which[0], sides), hits.get(which, {}))
                for which, sides in labels.items() if sides[0][1]}

    def second_run(self, kernel, sides):
        """Outcomes of one run as a prediction of the other."""
        spec, both = self.every[kernel], [rows for _, rows in sides]
        n = len(spec["fields"])
        if len(both) != 2 or [x[:n] for x in both[0]] != [x[:n] for x in both[1]]:
            die(f"{sides[0][0]}: there is no other file with labels of the same problems")
        return {str(i): (split_key(spec, "config", a), int(a == b)) for i, (a, b) in enumerate(zip(*both), 1)}

    # -- figures --

    def outcomes(self, kernels, split, k, method, dtype=None):
        """Outcomes of one or more kernels, or None if one of them is not measured."""
        found = {}
        for kernel in kernels:
            hits = self.hits.get((kernel, split, str(k)), {}).get(method)
            if hits is None:
                return None
            types = self.types[kernel, split]
            found.update({(kernel, row): ((kernel, key), hit) for row, (key, hit) in hits.items()
                          if dtype in (None, types[row][1])})
        return found or None

    def test_rows(self, kernel, split):
        """How many rows the split keeps for testing, in how many groups, without any outcome; None
        where the rows are not there."""
        if not os.path.exists(os.path.join(self.folder, f"{kernel}.rows.csv")):
            return None
        keys = [split_key(self.every[kernel], split, row) for row in self.rows_of(kernel)]
        kept = [key for key in keys if is_test(key)]
        return Figure(len(kept), len(set(kept)), None, None)

    def dtypes(self, kernel, split):
        """The types of the test rows of our network, in the spec's order."""
        hits = self.outcomes([kernel], split, 1, OURS)
        present = {self.types[kernel, split][row][1] for _, row in hits or ()}
        return [t for t in dict(self.every[kernel]["fields"])["dtype"] if t in present]

    def title(self, kernel):
        """A kernel's name for people."""
        return self.every[kernel]["solver"] if kernel in self.every else kernel

    def header(self, kernel):
        """(id, bytes) of the shipped network."""
        path = os.path.join(self.weights, kernel + ".h")
        try:
            with open(path, encoding="utf-8") as f:
                found = re.search(r" id ([0-9a-f]{16}), (\d+) bytes;", f.read())
        except OSError as e:
            die(f"{path}: {e.strerror}")
        return found.groups() if found else die(f"{path}: its comment tells no id and bytes")

    def width(self, kernel):
        """The shipped network's width, as the names of the others are made."""
        own = dict(read_sections(self.every[kernel]["path"]).get("network", []))
        return "-".join(own.get(name, "128") for name in ("encoder1", "encoder2", "hidden"))


def find(folder, pattern):
    """Files of a folder, in order."""
    return sorted(glob.glob(os.path.join(glob.escape(folder), pattern)))


def specs_of(weights, form):
    """The specs whose data have that format."""
    return [path for path in find(weights, "*.spec") if dict(read_sections(path).get("data", [])).get("format") == form]


def share(outcomes):
    """Pft with its error, or None."""
    if outcomes is None:
        return None
    units = [unit for unit, _ in outcomes.values()]
    value = share_and_error([hit for _, hit in outcomes.values()], units)
    return Figure(len(units), len(set(units)), *value)


def difference(a, b, what):
    """How much better a is than b on the same rows, or None."""
    if a is None or b is None:
        return None
    return Figure(*paired.difference(a, b, what))
