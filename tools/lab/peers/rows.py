# SPDX-License-Identifier: MIT
"""rows.py - what the side-by-side tools share: files, specs, rows of `kpred-train ingest`, splits, errors,
outcomes, command lines

Needs only the standard library. A spec is a dict with name, solver and rule; filter, along h and w,
and pad, None unless [data] has them; fields, a list of (name, tokens), without tokens a size;
from_zero, the names of sizes that may be 0; params, a list of (name, values); split, the items of
each key; labels, the texts of that section. A row is a list of texts in the order of the columns:
fields, then parameters.
"""
import argparse
import bz2
import csv
import gzip
import json
import math
import os
import re
import signal
import subprocess
import sys

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `... | head` is not an error

HITS = "method,model,split,key,row,k,hit,agree".split(",")
TIMED_HITS = [*HITS, "share", "unlisted"]
ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3))
OPENERS = {".bz2": bz2.open, ".gz": gzip.open}


def die(message, status=2):
    """Ends the program with a message that names it; 2: wrong command line or input."""
    print(f"{os.path.basename(sys.argv[0])}: {message}", file=sys.stderr)
    sys.exit(status)


def progress(text):
    """A line that the next one overwrites, for who watches; nothing in a log."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def open_text(path, newline=None):
    """A file of text, packed or not, to be read."""
    return OPENERS.get(os.path.splitext(path)[1], open)(path, "rt", encoding="utf-8", newline=newline)


def run(*command):
    """A command that has gone well."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        die(f"{' '.join(command)}: {done.stderr.strip()}", 1)
    return done


def need_numpy():
    """The module; without it the program says that it skips all, and ends well."""
    try:
        import numpy
    except ImportError as missing:
        print(f"skip all: needs python3-numpy ({missing})", file=sys.stderr)
        sys.exit(0)
    return numpy


def chosen(option, text, known):
    """The names of a list with commas, each of which has to be known."""
    names = text.split(",")
    for name in names:
        if name not in known:
            die(f"--{option}: \"{name}\": none of {', '.join(known)}")
    return names


# ---- specs ----

def read_sections(path):
    """The text of a spec, as a list of (key, value) for each section."""
    sections, name = {}, None
    try:
        with open(path, encoding="utf-8") as f:
            lines = [line.strip() for line in f]
    except (OSError, UnicodeDecodeError) as e:
        die(f"{path}: {e}")
    for line in lines:
        if line.startswith("["):
            name = line.strip("[]")
            sections[name] = []
        elif "=" in line and line[0] not in "#;" and name:
            key, _, value = line.partition("=")
            sections[name].append((key.strip(), value.strip()))
    return sections


def words(text):
    """The words of a line; what stands in double quotes is one, without them."""
    return [quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', text)]


def numbers(path, data, name, like):
    """The numbers of a line of [data] that looks like that; None without the line."""
    if name not in data:
        return None
    match = re.fullmatch(re.sub(r"\d", r"(\\d+)", like), data[name])
    if not match:
        die(f"{path}: [data]: {name} \"{data[name]}\": expected something like {like}")
    return [int(x) for x in match.groups()]


def read_spec(path):
    """A spec as described above. kpred-train checks it in full; here only what is used."""
    sections = read_sections(path)
    for name in ("kernel", "data", "fields", "params", "split"):
        if name not in sections:
            die(f"{path}: there is no section [{name}]")
    kernel, data = dict(sections["kernel"]), dict(sections["data"])
    if data.get("format") != "miopen":
        die(f"{path}: format \"{data.get('format')}\": only miopen is compared")
    fields = [(name, v.split()) for name, v in sections["fields"]]
    pad = numbers(path, data, "pad", "0")
    return {"path": path, "name": kernel["name"], "rule": kernel["rule"], "solver": data["solver"],
            "filter": numbers(path, data, "filter", "1x1"), "pad": pad and pad[0],
            "fields": [(name, [] if v[0] == "size" else v) for name, v in fields],
            "from_zero": {name for name, v in fields if v[:2] == ["size", "0"]},
            "params": [(name, words(v)) for name, v in sections["params"]],
            "split": {name: key_items(v) for name, v in sections["split"]},
            "labels": dict(sections.get("labels", []))}


def read_timed_spec(path):
    """A spec whose data say how long each option took: path, name, fields (their names), params, and
    split, the items of each key."""
    sections = read_sections(path)
    for name in ("kernel", "data", "fields", "params"):
        if name not in sections:
            die(f"{path}: there is no section [{name}]")
    form = dict(sections["data"]).get("format")
    if form not in ("tensile", "find-db"):
        die(f"{path}: format \"{form}\": its data are not timed")
    return {"path": path, "name": dict(sections["kernel"])["name"],
            "fields": [name for name, _ in sections["fields"]],
            "params": [(name, words(v)) for name, v in sections["params"]],
            "split": {name: key_items(v) for name, v in sections.get("split", [])}}


# ---- rows ----

def ingest(program, spec, files, *options, columns=()):
    """The rows of data files as `kpred-train ingest` reads them; what it leaves out it tells. They
    have those columns at their end."""
    command = [program, "ingest", spec["path"], *options, "--data", *files]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as e:
        die(f"{program}: {e.strerror}: `make` builds it, or name it with --trainer")
    if done.returncode:
        die(done.stderr.strip() or f"{program}: ended with status {done.returncode}")
    for line in done.stderr.splitlines():
        print(f"{os.path.basename(files[0])}: {spec['name']}: {line}", file=sys.stderr)
    rows = list(csv.reader(done.stdout.splitlines()))
    wanted = [x if isinstance(x, str) else x[0] for x in spec["fields"] + spec["params"]]
    wanted += columns
    if rows[0] != wanted:
        die(f"{program}: columns {','.join(rows[0])}: expected {','.join(wanted)}")
    return rows[1:]


# ---- splits ----

def split_hash(key):
    """FNV-1a, 64 bits, and MurmurHash3's finaliser, as in protocol.md."""
    mask = (1 << 64) - 1
    x = 0xcbf29ce484222325
    for byte in key.encode():
        x = (x ^ byte) * 0x100000001b3 & mask
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd & mask
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53 & mask
    return x ^ x >> 33


FOLDS = 5 # that together test each group once


def fold_of(key, folds=FOLDS):
    """The fold whose test rows have the key, of a model that ships with all rows learnt."""
    return split_hash(key) // 10 % folds


def is_test(key):
    """Whether the split keeps the rows of a key from training."""
    return split_hash(key) % 10 == 0


def key_items(text):
    """The items of a key: what is between commas outside of parentheses."""
    return [item.strip() for item in re.split(r",(?![^(]*\))", text)]


def window(spec, axis, size):
    """How far a filter reaches along h or w, pad and stride; size: what each field is that is one,
    numbers or arrays."""
    filter_name = {"h": "y", "w": "x"}[axis]
    if filter_name not in size:
        return spec["filter"]["hw".index(axis)], spec["pad"], size["stride"]
    reach = size[f"dil_{axis}"] * (size[filter_name] - 1) + 1
    return reach, size[f"pad_{axis}"], size[f"stride_{axis}"]


def canonical(size, reach, pad, stride):
    """The one size that stands for all those with the same output."""
    room = size + 2 * pad - reach
    return size if room < 0 else size + stride - 1 - room % stride


def split_item(item, spec, field):
    """One item of a key: a field, min(a,b), max(a,b), canonical(a), or itself."""
    m = re.fullmatch(r"(\w+)\(\s*(\w+)\s*(?:,\s*(\w+)\s*)?\)", item)
    if not m:
        return field.get(item, item)
    if m.group(1) == "canonical":
        size = {name: int(x) for name, x in field.items() if x.isdigit()}
        return str(canonical(size[m.group(2)], *window(spec, m.group(2), size)))
    return str({"min": min, "max": max}[m.group(1)](int(field[m.group(2)]), int(field[m.group(3)])))


def split_key(spec, split, row):
    """The text of which the hash decides whether a row is for training or for testing."""
    field = dict(zip((name for name, _ in spec["fields"]), row))
    return ",".join(split_item(item, spec, field) for item in spec["split"][split])


# ---- MIOpen's own view ----

def oracle_problem(rules, spec, row):
    """The problem of a row for rules.py: input and output are swapped for B and W, and the image
    that such a key does not hold is what stride and remainder make of the other."""
    field = dict(zip((name for name, _ in spec["fields"]), row))
    n, c, h, w, k, s = (int(field[name]) for name in ("n", "c", "h", "w", "k", "stride"))
    side, pad = spec["filter"][0], spec["pad"]
    y, x = ((v + 2 * pad - side) // s + 1 for v in (h, w))
    forward = field["dir"] == "F"
    known = dict.fromkeys(rules.COLS, 1)
    known.update(layout="NCHW", data_type=field["dtype"], direction=field["dir"], spatial_dim=2,
                 in_channels=c if forward else k, out_channels=k if forward else c, batchsize=n,
                 in_h=h if forward else y, in_w=w if forward else x, fil_h=side, fil_w=side,
                 pad_h=pad, pad_w=pad, pad_d=0, conv_stride_h=s, conv_stride_w=s, bias=0,
                 group_count=int(field.get("groups", 1)))
    least_h, least_w = (s * (v - 1) + side - 2 * pad for v in (y, x))
    rest = 0 if forward else (h - least_h) + s * (w - least_w)
    arch, _, units = field["gpu"].partition("_")
    return rules.Prob([known[name] for name in rules.COLS], arch, int(units or 0), rest)


# ---- outcomes, as --hits writes them ----

def is_share(text):
    """A number above 0, at most 1?"""
    try:
        return 0 < float(text) <= 1
    except ValueError:
        return False


def is_outcome(line):
    """Whether the cells of a line of --hits can be what the columns say."""
    found = dict(zip(TIMED_HITS, line))
    return (all(found[name].isdigit() for name in ("row", "k", "unlisted") if name in found)
            and found["hit"] in ("0", "1") and is_share(found.get("share", "1")))


def first_line(path):
    """The cells of a file's heading; none where it cannot be read."""
    try:
        with open(path, encoding="utf-8", newline="") as f:
            return next(csv.reader(f), [])
    except (OSError, UnicodeDecodeError):
        return []


def read_outcomes(path, columns):
    """Where each line of a file of --hits stands, and its cells, checked."""
    try:
        with open(path, encoding="utf-8", newline="") as f:
            lines = list(csv.reader(f))
    except (OSError, UnicodeDecodeError) as e:
        die(f"{path}: {e}")
    if not lines or lines[0] != columns:
        die(f"{path}: columns {','.join(lines[0]) if lines else ''}: expected {','.join(columns)}")
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(columns) or not is_outcome(line):
            die(f"{path}:{number}: \"{','.join(line)}\": expected {','.join(columns)}")
        yield f"{path}:{number}", line


# ---- figures ----

def geometric_mean(shares):
    """Of positive numbers."""
    return math.exp(sum(map(math.log, shares)) / len(shares))


def percentile(values, percent):
    """As eval gives it."""
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


def share_and_error(hits, units):
    """Percent of hits, and its standard error over groups of rows that share a unit."""
    n = len(hits)
    share = sum(hits) / n
    off = {}
    for hit, unit in zip(hits, units):
        off[unit] = off.get(unit, 0) + hit - share
    return 100 * share, 100 * math.sqrt(sum(x * x for x in off.values())) / n


def print_csv(heading, lines, file=None):
    """Lines of texts as CSV."""
    writer = csv.writer(file or sys.stdout, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(lines)


def print_table(heading, lines):
    """Lines of texts as columns, numbers flush right."""
    columns = list(zip(heading, *lines))
    right = [all(re.fullmatch(r"[-+]?[\d.]+|-", x) for x in c[1:]) for c in columns]
    width = [max(map(len, c)) for c in columns]
    for line in [heading, *lines]:
        cells = (x.rjust(w) if r else x.ljust(w) for x, w, r in zip(line, width, right))
        print("  ".join(cells).rstrip())


def print_json(heading, lines):
    """Lines of texts as a JSON array of objects; what reads as a number is one."""
    def value(text):
        return float(text) if re.fullmatch(r"[-+]?\d+\.\d+", text) else int(text) if text.isdigit() else text
    objects = [json.dumps({name: value(x) for name, x in zip(heading, line)}) for line in lines]
    print("[\n " + ",\n ".join(objects) + "\n]")


def print_lines(heading, lines, options):
    """CSV or JSON if that is asked for, else a table."""
    as_json = getattr(options, "json", False)
    (print_json if as_json else print_csv if options.csv else print_table)(heading, lines)


def write_csv(path, heading, lines):
    """A file of CSV."""
    try:
        with open(path, "w", encoding="utf-8", newline="") as f:
            print_csv(heading, lines, f)
    except OSError as e:
        die(f"{path}: {e.strerror}")


# ---- the command lines of tools that choose among timed options ----

def parser_of(text):
    """A parser with the tool's own text as its help."""
    return argparse.ArgumentParser(description=text, allow_abbrev=False,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)


def parse_timed(p, known, methods, lists, what):
    """Adds the options that these tools share and reads the command line: methods as a list, and
    lists, the k in ascending order. Given are the defaults of both; what: of which --hits tells."""
    p.add_argument("--methods", default=methods, help=f"some of {', '.join(known)}")
    p.add_argument("-k", default=lists, help="lengths of lists")
    p.add_argument("--threads", type=int, default=1, help="of XGBoost")
    p.add_argument("--trainer", default=f"{ROOT}/build/kpred-train", help="kpred-train")
    p.add_argument("--hits", help=f"as CSV what each {what} was worth for each k")
    p.add_argument("--csv", action="store_true", help="CSV instead of a table")
    options = p.parse_args()
    options.methods = chosen("methods", options.methods, known)
    if not all(x.isdigit() and int(x) > 0 for x in options.k.split(",")):
        die(f"-k \"{options.k}\": expected positive integers with commas between them")
    options.lists = sorted({int(x) for x in options.k.split(",")})
    return options


def compare_timed(options, heading, measure):
    """Prints what measure yields for each method, lines of the table and of --hits; a method whose
    package is missing is skipped with a message."""
    lines, hits = [], []
    for method in options.methods:
        try:
            for more_lines, more_hits in measure(method):
                lines += more_lines
                hits += more_hits
        except ImportError as e:
            print(f"skip {method}: needs python3-xgboost ({e})", file=sys.stderr)
    if options.hits:
        write_csv(options.hits, TIMED_HITS, hits)
    print_lines(heading, lines, options)
