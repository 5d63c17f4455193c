"""rows.py - what the side-by-side tools share: specs, rows of `kpred-train ingest`, splits, errors

Needs only the standard library. A spec is a dict with name, solver and rule; filter, along h and w,
and pad, None unless [data] has them; fields, a list of (name, tokens), without tokens a size;
from_zero, the names of sizes that may be 0; params, a list of (name, values); split, the items of
each key. A row is a list of texts in the order of the columns: fields, then parameters.
"""
import csv
import math
import os
import re
import signal
import subprocess
import sys

signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `... | head` is no error

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def die(message, status=2):
    """Ends the program with a message that names it; 2: wrong command line or input."""
    print(f"{os.path.basename(sys.argv[0])}: {message}", file=sys.stderr)
    sys.exit(status)


def progress(text):
    """A line that the next one overwrites, for who watches; nothing in a log."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


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
            "split": {name: key_items(v) for name, v in sections["split"]}}


def read_timed_spec(path):
    """Of a spec whose data say how long each option took: path, name, fields (their names), and
    params."""
    sections = read_sections(path)
    for name in ("kernel", "data", "fields", "params"):
        if name not in sections:
            die(f"{path}: there is no section [{name}]")
    form = dict(sections["data"]).get("format")
    if form not in ("tensile", "find-db"):
        die(f"{path}: format \"{form}\": its data are not timed")
    return {"path": path, "name": dict(sections["kernel"])["name"],
            "fields": [name for name, _ in sections["fields"]],
            "params": [(name, words(v)) for name, v in sections["params"]]}


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
    """FNV-1a, 64 bits, and MurmurHash3's finaliser, as in docs/protocol.md."""
    mask = (1 << 64) - 1
    x = 0xcbf29ce484222325
    for byte in key.encode():
        x = (x ^ byte) * 0x100000001b3 & mask
    x = (x ^ x >> 33) * 0xff51afd7ed558ccd & mask
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53 & mask
    return x ^ x >> 33


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


# ---- figures ----

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
