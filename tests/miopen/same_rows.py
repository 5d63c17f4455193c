"""same_rows.py - compares a perf-db of SQLite with one of text: schema, every row, integrity

same_rows.py DATABASE TEXT
"""
# SPDX-License-Identifier: MIT
import re
import sqlite3
import sys

# MIOpen's columns of a key, in the order of its index
KEY = ("layout data_type direction spatial_dim in_channels in_h in_w in_d fil_h fil_w fil_d"
       " out_channels batchsize pad_h pad_w pad_d conv_stride_h conv_stride_w conv_stride_d"
       " dilation_h dilation_w dilation_d bias group_count").split()


def columns(db, table):
    return [(r[1], r[2], r[3], r[5]) for r in db.execute("pragma table_info(%s)" % table)]


def unique_indices(db, table):
    names = [r[1] for r in db.execute("pragma index_list(%s)" % table) if r[2] == 1]
    return sorted([r[2] for r in db.execute("pragma index_info(%s)" % n)] for n in names)


def check_schema(db):
    texts = ("layout", "data_type", "direction")
    config = [("id", "INTEGER", 0, 1)]
    config += [(name, "TEXT" if name in texts else "INT", 1, 0) for name in KEY]
    assert columns(db, "config") == config, columns(db, "config")
    assert columns(db, "perf_db") == [("id", "INTEGER", 0, 1), ("solver", "TEXT", 1, 0),
                                      ("config", "INTEGER", 1, 0), ("params", "TEXT", 1, 0)]
    assert unique_indices(db, "config") == [KEY]
    assert unique_indices(db, "perf_db") == [["solver", "config"]]


def config_of(key):
    m = re.fullmatch(r"(\d+)-(\d+)-(\d+)-(\d+)x(\d+)-(\d+)-\d+-\d+-(\d+)-(\d+)x(\d+)-(\d+)x(\d+)"
                     r"-(\d+)x(\d+)-(\d+)-NCHW-(\w+)-([FBW])(?:_g(\d+))?", key)
    ic, ih, iw, fh, fw, oc, n, ph, pw, sh, sw, dh, dw, bias = map(int, m.groups()[:14])
    return ("NCHW", m.group(15), m.group(16), 2, ic, ih, iw, 1, fh, fw, 1, oc, n, ph, pw, 0, sh, sw,
            0, dh, dw, 0, bias, int(m.group(17) or 1))


def rows_of(text):
    rows = {}
    for line in open(text):
        key, _, entries = line.rstrip("\n").partition("=")
        for entry in entries.split(";"):
            solver, _, params = entry.partition(":")
            rows.setdefault((solver, config_of(key)), params)
    return rows


def main(database, text):
    db = sqlite3.connect("file:%s?mode=ro" % database, uri=True)
    assert db.execute("pragma integrity_check").fetchall() == [("ok",)]
    check_schema(db)
    got = {(r[0], r[2:]): r[1] for r in db.execute(
        "select p.solver, p.params, %s from perf_db p join config c on p.config = c.id"
        % ", ".join("c." + name for name in KEY))}
    wanted = rows_of(text)
    assert got == wanted, sorted(set(got.items()) ^ set(wanted.items()))[:3]
    assert db.execute("select count(*) from perf_db").fetchone()[0] == len(got)
    lonely = "select count(*) from config where id not in (select config from perf_db)"
    assert db.execute(lonely).fetchone()[0] == 0


main(*sys.argv[1:])
