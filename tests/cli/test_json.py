#!/usr/bin/env python3
"""test_json.py - results of the programs as JSON beside CSV, on a terminal, and beside the headers they are of
SPDX-License-Identifier: MIT

usage: test_json.py                        models, predict and bench of what is built in, and what is said of a model; the
                                           same of models that are trained, and of commands of the trainer
       test_json.py texts FILE [CSV JSON]  writes texts that are hard to write, or compares what was made of them
"""
import codecs
import csv
import glob
import io
import json
import os
import pty
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, f"{ROOT}/tests/harness")

import report  # noqa: E402: needs the path
from report import tell  # noqa: E402


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


# ---- JSON and CSV ----

class Number(str):
    """A number of JSON, as it is written"""


def read_json(data):
    """The objects, as lists of pairs, and what is wrong: each must be a line of its own, and the form be exact."""
    rows = json.loads(data.decode("utf-8"), parse_int=Number, parse_float=Number, parse_constant=None,
                      object_pairs_hook=list)
    lines = [line.rstrip(b",") for line in data.split(b"\n")[1:-2]]
    whole = b"[\n" + b",\n".join(lines) + b"\n]\n" if rows else b"[]\n"
    is_whole = data == whole and len(rows) == len(lines) * bool(rows)
    return rows, "" if is_whole else "JSON: not an object a line between lines of brackets"


def is_as_in_csv(kind, cell, value, varies):
    if kind == "words":
        if not isinstance(value, list) or not all(type(word) is str and word for word in value):
            return False
        value = " ".join(value)
    elif type(value) is not (str if kind == "text" else Number):
        return False
    return varies or value == cell


def compare(command, texts, words, varying):
    """What is wrong, cell by cell"""
    kinds = {**dict.fromkeys(texts.split(), "text"), **dict.fromkeys(words.split(), "words")}
    heading, *lines = csv.reader(io.StringIO(output(*command, "--csv").decode(), newline=""), strict=True)
    rows, wrong = read_json(output(*command, "--json"))
    unknown = (set(kinds) | set(varying.split())) - set(heading)
    if wrong or unknown or len(rows) != len(lines) or not rows:
        return wrong or f"{len(rows)} objects, {len(lines)} lines of CSV, no column {unknown}"
    for n, (row, line) in enumerate(zip(rows, lines), 1):
        if [name for name, _ in row] != heading or len(line) != len(heading):
            return f"row {n}: other columns than in the heading"
        for (name, value), cell in zip(row, line):
            if not is_as_in_csv(kinds.get(name), cell, value, name in varying.split()):
                return f"row {n}, {name}: {value!r} in JSON, {cell!r} in CSV, should be {kinds.get(name, 'number')}"
    return ""


def on_terminal(command):
    """What is wrong: nothing but plain lines may be printed."""
    master, slave = pty.openpty()
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave) as child:
        os.close(slave)
        said = chunk = os.read(master, 65536)
        try:
            while chunk:
                chunk = os.read(master, 65536)
                said += chunk
        except OSError:  # how Linux says that the other side is closed
            pass
    os.close(master)
    is_plain = child.returncode == 0 and said and not re.search(rb"[^\r\n\x20-\x7e\x80-\xff]", said)
    return "" if is_plain else f"status {child.returncode}, printed {said[:200]!r}"


def result(name, *command, texts="", words="", varying=""):
    """All that holds for a command; the columns are those that hold texts or words, and that differ in every run."""
    tell(f"{name}: JSON = CSV", compare(command, texts, words, varying))
    try:
        said = "".join(on_terminal([*command, *form]) for form in ([], ["--csv"], ["--json"]))
    except OSError:
        report.skip(f"{name} on a terminal", "there is no pseudo-terminal")
    else:
        tell(f"{name}: nothing but text on a terminal", said)


# ---- texts that are hard to write ----

def hard_texts():
    yield from (bytes([byte]) for byte in range(1, 256))
    for lead in range(0xc0, 0x100):
        for second in (0x22, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0):
            yield from (bytes([lead, second]) + tail for tail in (b"", b"\x80", b"\x80\xbf", b"\x80\xbf\xbf", b"\x80,"))
    for code in (0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfffd, 0xffff, 0x10000, 0x10ffff):
        yield chr(code).encode()
    yield from (b"", b" ", b'"', b'""', b"a,b", b'a "b", c', b"back\\slash", b"\\u0041\\", b"\r\n", b"two\nlines",
                b" 1", b"0123456789012345", b"12e4567890123456", b"null", b"NaN", b"x" * 5000, "Größe, µs".encode())


def texts(path, *made):
    """Without `made`, each with a NUL behind it; the first one stands in the heading."""
    strings = [b'a "name"\\\t\xff', *hard_texts()]
    if not made:
        with open(path, "wb") as f:
            f.write(b"".join(s + b"\0" for s in strings))
        sys.exit()
    codecs.register_error("bytewise", lambda e: ("\ufffd" * (e.end - e.start), e.end))
    with open(made[0], encoding="latin-1", newline="") as f:
        lines = list(csv.reader(f, strict=True))
    want = [["n" if i == 0 else str(i), s.decode("latin-1")] for i, s in enumerate(strings)]
    tell("CSV of texts that are hard to write", [pair for pair in zip(lines, want) if pair[0] != pair[1]][:3]
         or len(lines) - len(want))
    with open(made[1], "rb") as f:
        rows, wrong = read_json(f.read())
    name, *strings = [s.decode("utf-8", "bytewise") for s in strings]
    want = [[("n", str(i)), (name, s)] for i, s in enumerate(strings, 1)]
    tell("JSON of texts that are hard to write", [pair for pair in zip(rows, want) if pair[0] != pair[1]][:3]
         or len(rows) - len(want) or wrong)


# ---- what is said of a model, beside the text of its header ----

REGISTERS = ("LOG2", "ADD", "SUB", "MUL", "CEIL_DIV", "MOD", "MIN", "MAX", "CONST")
MACROS = { # of kpred.h, once more
    "KPRED_LARGER": max,
    "KPRED_SLOTS": lambda prefixes, lane, beam: min(prefixes, beam) * lane,
    "KPRED_ARENA_WORDS": lambda work, state, params, slots, beam:
        work + max(2 * beam, params + 1) * ((1 + params + (params + 3) // 4 + 3) // 4 * 4 + state) + 2 * slots + 384,
    "KPRED_RULE_CALLS": lambda values, beam: 1 + values * beam,
    "KPRED_MULTIPLY_ADDS": lambda start, step, beam: start + step * beam,
}


def strings_of(text):
    return re.findall(r'"((?:[^"\\]|\\.)*)"', text)


def integers(text):
    return [int(n) for n in re.findall(r"-?\d+", text)]


class Header:
    def __init__(self, path):
        self.text = report.read(path)
        self.story, self.code = self.text.split("end of spec */", 1)
        self.story, self.spec = self.story.split("\nspec:\n", 1)
        self.name = self.find(r"/\* (\w+)\.h - ")

    def find(self, pattern):
        return re.search("^" + pattern, self.text, re.M).group(1)

    def array(self, what):
        """Between the braces of kpri_NAME_what"""
        found = re.search(rf"\bkpri_{self.name}_{what}(?:\[\w*\])? = \{{(.*?)\n?\}};", self.code, re.S)
        return found.group(1) if found else ""

    def items(self, what):
        """The name that each of these begins with, and what follows"""
        return re.findall(r'^    \{ "(\w+)",? ?(.*) \},?$', self.array(what), re.M)

    def macro(self, what, beam):
        found = re.search(rf"#define KPRED_\w+_{what}\(beam\)((?:.*\\\n)*.*)", self.code)
        text = re.sub(r"/\*.*?\*/|\\\n", " ", found.group(1))
        return eval(" ".join(text.split()), {**MACROS, "beam": beam}) # our own header

    def section(self, name):
        """Its lines, which need not stand together"""
        now = ""
        for line in map(str.strip, self.spec.split("\n")):
            now = line.strip("[]") if line.startswith("[") else now
            if now == name and line and line[0] not in "[#;":
                yield line

    def key(self, name, section="kernel"):
        pairs = (line.partition("=") for line in self.section(section))
        return next((value.strip() for key, _, value in pairs if key.strip() == name), "")


def rule(h):
    """A function's name or `listed`; with names for kernels, how many, and the conditions"""
    kernels = list(h.section("kernels"))
    if kernels:
        return "; ".join([f"one of {len(kernels) - 1} kernels", *h.section("restrict")])
    return "; ".join(h.section("restrict")) or h.key("rule") + (f" by {h.key('listed_by')}" if h.key("listed_by") else "")


def program(h):
    """The lines of the spec; behind the comment that says so they are default ones"""
    own = h.spec.partition("# By default, as the spec has no [features]")[0]
    return [{"section": section, "from": "spec" if f"\n{line}\n" in own else "default", "line": line}
            for section in ("derived", "features") for line in h.section(section)]


def fields(h):
    for i, (name, rest) in enumerate(h.items("fields")):
        _, least, most, trained_min, trained_max = integers(rest.partition(",")[2])
        yield {"field": name, "tokens": strings_of(h.array(f"tokens{i}")), "least": least, "most": most,
               "trained_min": trained_min, "trained_max": trained_max}


def description(h):
    names = strings_of(re.search(r"kpred_model kpred_model_\w+ = \{(.*?)kpri_", h.code, re.S).group(1))
    command, _, training = h.story.split("\n\n", 1)[1].partition("\n   net ")
    work = re.findall(r"\{ KPRED_OP_(\w+), \d+, \d+, (\d+),", h.array("program"))
    net = integers(re.sub(r"kpri_\w+( \+ \d+)?", "", h.array("net")))
    scale = integers(h.find(rf"    kpri_{h.name}_fields, kpri_{h.name}_params, (.*),$"))[-1]
    params = [{"param": name, "values": strings_of(h.array(f"names{i}")) or integers(h.array(f"values{i}"))}
              for i, (name, _) in enumerate(h.items("params"))]
    data = [{"file": file, "use": use, "rows": int(rows), "sha256": sha256} for use, file, rows, sha256
            in re.findall(r"^   (data|beside) (\S+), (\d+) rows, sha256\n +(\w{64})$", h.story, re.M)]
    return {
        "model": names[0], "title": h.key("title"), "kernel": names[1], "runs_on": strings_of(h.array("runs_on")),
        "rule": rule(h), "source": h.key("source"), "licence": h.key("licence"), "format": h.key("format", "data"),
        "split": names[2], "split_key": h.key(names[2].split(":")[0], "split"),
        "command": " ".join(command.replace("\\\n", " ").split()), "training": "net " + training.split("\n")[0],
        "temperature": round(65536 / scale, 2), "id": h.find(r"   id (\w{16}),"),
        "bytes": int(h.find(r"   id \w+, (\d+) bytes")),
        "multiply_adds": h.macro("MULTIPLY_ADDS", 0),
        "multiply_adds_of_beam": h.macro("MULTIPLY_ADDS", 1) - h.macro("MULTIPLY_ADDS", 0),
        "registers": len(h.items("fields")) + sum(op in REGISTERS for op, _ in work),
        "features": sum(int(n) for op, n in work if op not in REGISTERS), "widths": [net[3], net[6], net[2]],
        "fields": list(fields(h)), "params": params, "data": data, "program": program(h),
        "beams": [{"beam": b, "arena_words": h.macro("ARENA", b), "arena_bytes": 4 * h.macro("ARENA", b),
                   "rule_calls": h.macro("RULE_CALLS", b), "multiply_adds": h.macro("MULTIPLY_ADDS", b)}
                  for b in (1, 10, 100)],
    }


def is_gpu(g):
    """MIOpen writes the units decimal behind `_`, else hexadecimal; gfx1250 is not sold yet. Names of
    products tell none."""
    if not g["gpu"].startswith("gfx"):
        return bool(g["products"]) or (g["arch"], g["units"]) == ("", 0)
    arch, rest = re.fullmatch(r"(gfx1...|gfx...)(.*)", g["gpu"]).groups()
    n = int(rest[1:]) if rest[0] == "_" else int(rest, 16)
    per_unit = 2 if len(arch) == len("gfx1030") else 1
    return (g["arch"], g["units"], g["compute_units"]) == (arch, n, n * per_unit) \
        and (g["products"] or arch == "gfx1250")


def wrong_text(text, d):
    """All that is in the description has to stand there, in its order, on lines that can be read."""
    words = [word for f in d["fields"] for word in f["tokens"] or [f"{f['trained_min']}..{f['trained_max']}"]]
    words += [product for g in d["gpus"] for product in g["products"]]
    words += [str(v) for p in d["params"] for v in [p["param"]] + p["values"]]
    words += [line["line"] for line in d["program"]]
    words += [word for f in d["data"] for word in (str(f["rows"]), f["file"], f["sha256"])]
    words += [str(b[k]) for b in d["beams"] for k in ("beam", "arena_words", "arena_bytes")]
    at = text.index("Fields of a problem")
    for word in words:
        at = text.find(word, at)
        if at < 0:
            return f"the text lacks {word}, or has it elsewhere"
    return next((f"over 80 columns: {line}" for line in text.split("\n\n")[0].split("\n")
                 if len(line) > 80 and " " in line.strip()), "")


def described(kpred, header, model):
    d, want = json.loads(output(kpred, "models", model, "--json")), description(Header(header))
    tokens = next((f["tokens"] for f in d["fields"] if f["field"] == "gpu"), [])
    tokens = [t for t in tokens if not d["runs_on"] or t.startswith(tuple(d["runs_on"]))]
    wrong = [f"{name}: {d[name]!r}, but the header has {value!r}" for name, value in want.items() if d[name] != value]
    wrong += [f"no {name} found" for name in ("fields", "params", "data", "program", "beams") if not want[name]]
    wrong += [f"GPU: {g}" for g in d["gpus"] if not is_gpu(g)]
    wrong += [f"GPUs: {d['gpus']}, but the field has {tokens}"] if [g["gpu"] for g in d["gpus"]] != tokens else []
    wrong += filter(None, [wrong_text(output(kpred, "models", model).decode(), d)])
    tell(f"models {model}: what its header says", "; ".join(wrong[:3]))
    return d


# ---- what is built in ----

def rows_of(*command):
    """The columns, and the rows as dictionaries"""
    heading, *lines = csv.reader(io.StringIO(output(*command, "--csv").decode(), newline=""), strict=True)
    return heading, [dict(zip(heading, line)) for line in lines]


def predicted(kpred, d, problem):
    """Five tuples, ranked, and the same in a table, where probabilities are percent, and by the header"""
    command = ["predict", d["model"], *problem.split(), "-k", "5"]
    heading, rows = rows_of(kpred, *command)
    shares = [1.0] + [float(row["probability"]) for row in rows]
    names, values = zip(*(pair.split("=") for pair in problem.split()))
    many = subprocess.run([kpred, "predict", d["model"], "-k", "5", "--csv", "--problems", "-"], check=True,
                          stdout=subprocess.PIPE, input=f"{','.join(names)}\n{','.join(values)}\n".encode())
    tell(f"predict {d['model']} --problems -", [line for line, row in zip(
        list(csv.reader(io.StringIO(many.stdout.decode())))[1:], rows)
        if line[0] != "2" or line[-len(heading):] != list(row.values())])
    table = [line.split() for line in output(kpred, *command).decode().splitlines()]
    is_ranked = [row["rank"] for row in rows] == list("12345") and shares == sorted(shares, reverse=True)
    is_same = len(table) == 6 and table[0] == ["percent" if name == "probability" else name for name in heading]
    for cells, row in zip(table[1:], rows):
        is_same &= bool(re.fullmatch(r"\d+\.\d\d", cells[1]))
        is_same &= abs(float(cells[1]) - 100 * float(row["probability"])) < .0051
        is_same &= [cells[0], *cells[2:]] == [row[name] for name in heading if name != "probability"]
        is_ranked &= all(re.fullmatch(r"\d+", row[name]) for name in heading[2:]) and float(row["probability"]) > 0
    header = output(kpred, "predict", f"{ROOT}/weights/{d['model']}.h", *command[2:], "--csv")
    wrong = [] if heading == ["rank", "probability", *(p["param"] for p in d["params"])] else [heading]
    wrong += [f"{rows}"] * (not is_ranked) + [f"{table}"] * (not is_same)
    wrong += ["another by the header"] * (header != output(kpred, *command, "--csv"))
    tell(f"predict {d['model']}, in all forms", "; ".join(map(str, wrong)))


def timed(kpred, models):
    """Bytes are those of the model; least, median and most are in order."""
    one = [kpred, "bench", "conv_asm_1x1u", "--beam", "5", "--rounds", "1"]
    wrong, (_, rows) = [], rows_of(kpred, "bench", "--beam", "1,2", "--rounds", "2")
    known = {(name, beam): str(d["bytes"]) for name, d in models.items() for beam in "12"}
    if list(known.items()) != [((row["model"], row["beam"]), row["bytes"]) for row in rows]:
        wrong.append("other models, beams or bytes")
    wrong += [row for row in rows if not 0 < float(row["ns_min"]) <= float(row["ns"]) <= float(row["ns_p95"])]
    tell("bench of all", wrong[:2])
    heading, (row,) = rows_of(*one, "--ratio", "--limit", "--body", "portable")
    n = {name: float(row[name]) for name in heading if name not in ("model", "body")}
    is_good = all(v > 0 for v in n.values()) and abs(n["ns"] / n["limit_ns"] - n["distance"]) < .01 \
        and n["multiply_adds"] >= n["weight_bytes"] and n["values"] > n["prefixes"] > 1 and row["body"] == "portable"
    tell("bench --limit: ratio and distance are what the other columns say", "" if is_good and heading == (
        "model,beam,ns,ns_min,ns_p95,bytes,arena_words,ratio,prefixes,values,kept,multiply_adds,weight_bytes,limit_ns,"
        "distance,body").split(",") else row)
    hot, cold = (float(rows_of(*one, *more)[1][0]["ns"]) for more in ([], ["--cold", "--ratio"]))
    tell("bench --cold: it takes longer", "" if cold > hot > 0 else f"{cold}, not {hot}")


def built_in(kpred):
    one = "gpu=gfx906_60 dir=F dtype=FP32 n=16 c=64 h=56 w=56 k=256 stride=1"
    result("models", kpred, "models", texts="model kernel id", words="fields gpus")
    result("predict", kpred, "predict", "conv_asm_1x1u", *one.split(), "-k", "100")
    result("bench", kpred, "bench", "conv_asm_1x1u", "--beam", "1,2", "--rounds", "2", texts="model",
           varying="ns ns_min ns_p95")
    models = {}
    for header in sorted(glob.glob(f"{ROOT}/weights/*.h")):
        name = os.path.basename(header)[:-2]
        models[name] = described(kpred, header, name)
        tell(f"models {name}: as a header", output(kpred, "models", name) != output(kpred, "models", header))
    known = [(name, d["kernel"], str(d["bytes"]), d["id"]) for name, d in models.items()]
    listed = [(row["model"], row["kernel"], row["bytes"], row["id"]) for row in rows_of(kpred, "models")[1]]
    table = output(kpred, "models").decode().splitlines()[1:-2]
    tell("models", listed if listed != known else [line for line, name in zip(table, models) if line.split()[0] != name
         or len(line.split()) < 2 or len(line) > 80] or len(table) - len(known))
    for name, problem in (("conv_asm_bwd_wrw_1x1", one.replace("=F ", "=W ")), ("conv_asm_1x1u", one),
                          ("conv_asm_bwd_wrw_3x3", one.replace("=F ", "=W ") + " groups=1"),
                          ("conv_ocl_direct_fwd_1x1", one), ("gemm_mi100_nt", "m=1024 n=512 batch=1 k=256")):
        predicted(kpred, models[name], problem)
    timed(kpred, models)


def trained(trainer):
    """Models with names among the values, from data with quotes and line ends"""
    kpred, data = os.path.join(os.path.dirname(trainer), "kpred"), f"{ROOT}/tests/fixtures/tiny.csv"
    spec = report.read(f"{ROOT}/tests/fixtures/tiny.spec") + "\n[derived]\nln = log2 n\n"
    network = "[network]\nteachers = 0\n"
    features = "[features]\nonehot gpu\nonehot kind\nhats ln 0 1 9\n"
    lists = re.sub("(?m)^rule .*", "rule = listed\nlisted_by = gpu kind", spec)
    d = {}
    for name, text in (("tiny", spec + features), ("lists", lists + features), ("plain", spec)):
        report.write(f"{name}.spec", text + network)
        output(trainer, "train", f"{name}.spec", "--data", data, "--split", "none", "--epochs", "1", "--threads", "1",
               "-o", f"{name}.h")
        d[name] = described(kpred, f"{name}.h", f"{name}.h")
    by = [(line["from"], line["line"][:7]) for line in d["plain"]["program"]]
    tell("models FILE.h: features by default",
         "" if by[0] == ("spec", "ln = lo") and ("default", "hats ln") in by else by)
    problem = "gpu=gfx900 kind=other n=8 h=7 stride=2 -k 10".split()
    result("predict, names for values", kpred, "predict", "tiny.h", *problem, texts="mode")
    result("ingest", trainer, "ingest", "tiny.spec", "--data", data, texts="gpu kind mode")
    evaluate = [trainer, "eval", "tiny.h", "--data", data, "--rows", "all", "-k"]
    result("eval", *evaluate, "1,2,6", texts="model split gpu dtype")
    result("eval --reliability", *evaluate, "1,2", "--reliability", texts="model split gpu dtype bin")
    output(trainer, "ingest", "tiny.spec", "--data", data, "--json", "-o", "file")
    with open("file", "rb") as f:
        tell("ingest --json -o", f.read() != output(trainer, "ingest", "tiny.spec", "--data", data, "--json"))


def main():
    os.chdir(report.folder())
    if os.path.exists(f"{ROOT}/weights/conv_asm_1x1u.h"):
        built_in(report.KPRED)
    else:
        report.skip("results of kpred", "the weights are not there (make weights)")
    report.need(report.TRAINER, "results of kpred-train")
    trained(report.TRAINER)


if sys.argv[1:]:
    texts(*sys.argv[2:])
else:
    main()
report.end()
