"""test_specs.py - the specs of kernels whose filter is a field read the databases of the GPUs that they name

SPDX-License-Identifier: MIT

Without --lenient, and as many rows as SQLite counts; needs the databases in $MIOPEN_DB.
"""
import bz2
import functools
import glob
import os
import re
import sqlite3

from report import TRAINER, check, end, folder, models, need, read, rows_of, run, skip, there

need(TRAINER)
tmp = folder()
MIOPEN_DB = os.environ.get("MIOPEN_DB", "../shared/miopen/data")
# The far image of a backward row is the largest possible: only its near one can be none.
FITS = """in_h > 0 AND in_w > 0 AND (direction <> 'F'
    OR in_h + 2 * pad_h > dilation_h * (fil_h - 1) AND in_w + 2 * pad_w > dilation_w * (fil_w - 1))"""


@functools.lru_cache(None)
def unpacked(gpu):
    with bz2.open(f"{MIOPEN_DB}/{gpu}.db.bz2") as packed, open(f"{tmp}/{gpu}.db", "wb") as f:
        f.write(packed.read())
    return f"{tmp}/{gpu}.db"


class Spec:
    def __init__(self, path):
        self.path, self.text = path, read(path)
        self.gpus, (self.solver, *_) = self.of("gpu"), self.of("solver") or [""]

    def of(self, name):
        """The words of a line of it"""
        return (re.search(rf"(?m)^{name} *= *(.*)", self.text) or ("", ""))[1].split()

    def data(self):
        return " ".join(map(unpacked, self.gpus))

    def ask(self, what, where="1"):
        """What SQLite says of the solver's rows, of each database"""
        for gpu in self.gpus:
            yield from sqlite3.connect(unpacked(gpu)).execute(
                f"SELECT {what} FROM perf_db p JOIN config c ON c.id = p.config "
                f"WHERE p.solver = '{self.solver}' AND {where}")


def same_counts(spec):
    """The rows that are taken and those that are left out, by reason, are SQLite's."""
    done = run(f"{TRAINER} ingest {spec.path} --data {spec.data()}")
    left_out = [sum(map(int, re.findall(rf"(?m)^kpred-train: dropped (\d+) rows?: {reason} .*$", done.stderr)))
                for reason in ("a data type, layout or depth", "a key whose image sizes")]
    said = [len(rows_of(done.stdout)), *left_out]
    named = " AND ".join(["spatial_dim = 2", *(f"{column} IN ({str(spec.of(field))[1:-1]})" for column, field in (
        ("data_type", "dtype"), ("layout", "layout")))])
    counts = spec.ask(f"total({named} AND ({FITS})), total(NOT ({named}) AND ({FITS})), total(NOT ({FITS})), count(*)")
    *wanted, every = map(sum, zip(*counts))
    assert said[0] > 0 and said == wanted and sum(said) == every, (said, wanted, every)


def same_sums(spec):
    """Two parameters that are one number in the database add up to it, in every row."""
    rows = run(f"{TRAINER} ingest {spec.path} --data {spec.data()}").stdout.splitlines()[1:]
    sums = sorted(sum(map(int, row.split(",")[-2:])) for row in rows)
    assert sums and sums == sorted(int(x) for x, in spec.ask("p.params", FITS))


def no_rejected(spec):
    """The rule, which is observed, takes every optimum."""
    assert "rule rejects" not in run(f"{TRAINER} eval {spec.path[:-5]}.h --rows all -k 1 --data {spec.data()}").stderr


for spec in map(Spec, [*(f"weights/{name}.spec" for name in models()), *sorted(glob.glob("weights/recipes/*.spec"))]):
    name = os.path.basename(spec.path)[:-5]
    missing = [gpu for gpu in spec.gpus if not there(f"{MIOPEN_DB}/{gpu}.db.bz2")]
    if not re.search("(?m)^y  *= size", spec.text) or "recipes" not in spec.path and spec.of("format") != ["miopen"]:
        continue
    if missing:
        skip(f"{name}, rows", f"no database of {missing} in {MIOPEN_DB}")
        continue
    check(f"{name}, rows", same_counts, spec)
    if re.search("(?m)^[a-z_]*_plus *=", spec.text):
        check(f"{name}, sums", same_sums, spec)
    if "_igemm_gtc_" in spec.path:
        check(f"{name}, optima", no_rejected, spec)
end()
