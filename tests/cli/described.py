#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""described.py - what `kpred models NAME` says beside what stands in the header, read anew from its text

described.py HEADER JSON TEXT   a model's header, and its description in both forms; exit status 1 if they differ
"""
import json
import re
import sys

REGISTERS = ("LOG2", "ADD", "SUB", "MUL", "CEIL_DIV", "MOD", "MIN", "MAX", "CONST")

MACROS = {  # of kpred.h, once more
    "KPRED_LARGER": max,
    "KPRED_SLOTS": lambda prefixes, lane, beam: min(prefixes, beam) * lane,
    "KPRED_ARENA_WORDS": lambda work, state, params, slots, beam:
        work + max(2 * beam, params + 1)
        * ((1 + params + (params + 3) // 4 + 3) // 4 * 4 + state) + 2 * slots + 384,
    "KPRED_RULE_CALLS": lambda values, beam: 1 + values * beam,
    "KPRED_MULTIPLY_ADDS": lambda start, step, beam: start + step * beam,
}


def strings(text):
    return re.findall(r'"((?:[^"\\]|\\.)*)"', text)


def integers(text):
    return [int(n) for n in re.findall(r"-?\d+", text)]


class Header:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        self.story, self.code = self.text.split("end of spec */", 1)
        self.story, self.spec = self.story.split("\nspec:\n", 1)
        self.name = re.search(r"^/\* (\w+)\.h - ", self.text).group(1)

    def array(self, what):
        """Between the braces of kpri_NAME_what"""
        found = re.search(rf"\bkpri_{self.name}_{what}\[\w*\] = \{{(.*?)\n?\}};", self.code, re.S)
        return found.group(1) if found else None

    def macro(self, what, beam):
        found = re.search(rf"#define KPRED_\w+_{what}\(beam\)((?:.*\\\n)*.*)", self.code)
        text = re.sub(r"/\*.*?\*/|\\\n", " ", found.group(1))
        return eval(" ".join(text.split()), {**MACROS, "beam": beam})  # our own header

    def of_spec(self, key):
        found = re.search(rf"^{key} *= *(.*?) *$", self.spec, re.M)
        return found.group(1) if found else ""

    def section(self, name):
        """Its lines"""
        text = self.spec.split(f"\n[{name}]\n", 1)
        lines = text[1].split("\n[", 1)[0].split("\n") if len(text) == 2 else []
        return [line for line in lines if line and not line.startswith("#")]

    def split_key(self, split):
        section = self.spec.split("\n[split]\n", 1)[-1].split("\n[", 1)[0]
        found = re.search(rf"^{split} *= *(.*?) *$", section, re.M)
        return found.group(1) if found else ""


def rule(h):
    """A function's name or `listed`; with names for kernels, how many, and the conditions"""
    by = h.of_spec("listed_by")
    if not h.section("kernels"):
        return h.of_spec("rule") + (f" by {by}" if by else "")
    return "; ".join([f"one of {len(h.section('kernels')) - 1} kernels"] + h.section("restrict"))


def summary(h):
    names = strings(re.search(r"kpred_model kpred_model_\w+ = \{(.*?)kpri_", h.code, re.S).group(1))
    scale = re.search(rf"^    kpri_{h.name}_fields, kpri_{h.name}_params, (.*),$", h.code, re.M).group(1)
    story = h.story.split("\n\n", 1)[1]
    program = re.findall(r"\{ KPRED_OP_(\w+), \d+, \d+, (\d+),", h.array("program"))
    n_fields = len(re.findall(r"^    \{ \"", h.array("fields"), re.M))
    net = integers(re.sub(r"kpri_\w+", "", h.code.split(f"kpri_{h.name}_net = {{", 1)[1].split("};")[0]))
    return {
        "model": names[0],
        "title": h.of_spec("title"),
        "kernel": names[1],
        "runs_on": strings(h.array("runs_on") or ""),
        "rule": rule(h),
        "source": h.of_spec("source"),
        "licence": h.of_spec("licence"),
        "format": h.of_spec("format"),
        "split": names[2],
        "split_key": h.split_key(names[2].split(":")[0]),
        "command": " ".join(story.split("\n   net ")[0].replace("\\\n", " ").split()),
        "training": "net " + story.split("\n   net ")[1].split("\n")[0],
        "temperature": round(65536 / integers(scale)[-1], 2),
        "id": re.search(r"^   id (\w{16}),", h.text, re.M).group(1),
        "bytes": int(re.search(r"^   id \w+, (\d+) bytes", h.text, re.M).group(1)),
        "multiply_adds": h.macro("MULTIPLY_ADDS", 0),
        "multiply_adds_of_beam": h.macro("MULTIPLY_ADDS", 1) - h.macro("MULTIPLY_ADDS", 0),
        "registers": n_fields + sum(op in REGISTERS for op, _ in program),
        "features": sum(int(n) for op, n in program if op not in REGISTERS),
        "widths": [net[3], net[6], net[2]],
    }


def program(h):
    """The lines of the spec; behind the comment that says so they are default ones"""
    out, section, by = {"derived": [], "features": []}, "", "spec"
    for line in map(str.strip, h.spec.split("\n")):
        if line.startswith("["):
            section = line.strip("[] ")
        elif line.startswith("# By default, as the spec has no [features]"):
            by = "default"
        elif section in out and line and line[0] not in "#;":
            out[section].append({"section": section, "from": by, "line": line})
    return out["derived"] + out["features"]


def fields(h):
    lines = re.findall(r'^    \{ "(\w+)", (\w+), (.*) \},$', h.array("fields"), re.M)
    out = []
    for i, (name, tokens, numbers) in enumerate(lines):
        _, least, most, trained_min, trained_max = integers(numbers)
        tokens = [] if tokens == "NULL" else strings(h.array(f"tokens{i}"))
        out.append({"field": name, "tokens": tokens, "least": least, "most": most,
                    "trained_min": trained_min, "trained_max": trained_max})
    return out


def params(h):
    out = []
    for i, name in enumerate(re.findall(r'^    \{ "(\w+)",', h.array("params"), re.M)):
        names = h.array(f"names{i}")
        out.append({"param": name, "values": strings(names) if names else
                    integers(h.array(f"values{i}"))})
    return out


def data(h):
    found = re.findall(r"^   (data|beside) (\S+), (\d+) rows, sha256\n +(\w{64})$", h.story, re.M)
    return [{"file": file, "use": use, "rows": int(rows), "sha256": sha256}
            for use, file, rows, sha256 in found]


def beams(h):
    return [{"beam": b, "arena_words": h.macro("ARENA", b), "arena_bytes": 4 * h.macro("ARENA", b),
             "rule_calls": h.macro("RULE_CALLS", b), "multiply_adds": h.macro("MULTIPLY_ADDS", b)}
            for b in (1, 10, 100)]


def units(gpu):
    """As MIOpen writes them: decimal behind `_`, else hexadecimal"""
    arch = gpu[:7 if gpu.startswith("gfx1") else 6]
    rest = gpu[len(arch):]
    return arch, int(rest[1:]) if rest.startswith("_") else int(rest, 16)


def check_gpus(gpus, tokens):
    if [g["gpu"] for g in gpus] != tokens:
        sys.exit(f"GPUs: {gpus}, but the field has {tokens}")
    for g in gpus:
        arch, n = units(g["gpu"])
        pair = 2 if arch.startswith("gfx1") else 1
        if (g["arch"], g["units"], g["compute_units"]) != (arch, n, n * pair) or \
                not (g["products"] or arch == "gfx1250"): # none is sold yet
            sys.exit(f"GPU: {g}")


def same(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got!r}, but the header has {want!r}")


def check_text(text, d):
    """All that is in the description stands there, in its order, on lines that can be read"""
    words = [token for f in d["fields"] for token in f["tokens"]]
    words += [f"{f['trained_min']}..{f['trained_max']}" for f in d["fields"]
                                        if not f["tokens"]]
    words += [product for g in d["gpus"] for product in g["products"]]
    words += [str(v) for p in d["params"] for v in [p["param"]] + p["values"]]
    words += [line["line"] for line in d["program"]]
    words += [word for f in d["data"] for word in (str(f["rows"]), f["file"], f["sha256"])]
    words += [str(b[k]) for b in d["beams"] for k in ("beam", "arena_words", "arena_bytes")]
    at = text.index("Fields of a problem")
    for word in words:
        at = text.find(word, at)
        if at < 0:
            sys.exit(f"the text lacks {word}, or has it elsewhere")
    for line in text.split("\n"):
        if len(line) > 100 and len(line.split()[-1]) < 70:
            sys.exit(f"over 100 columns: {line}")


def main(header, described, text):
    h = Header(header)
    with open(described, encoding="utf-8") as f:
        d = json.load(f)
    for name, want in summary(h).items():
        same(name, d[name], want)
    for name, want in (("fields", fields(h)), ("params", params(h)), ("data", data(h)), ("program", program(h)),
                       ("beams", beams(h))):
        same(name, d[name], want)
        if not want:
            sys.exit(f"{header}: no {name} found")
    check_gpus(d["gpus"], next((f["tokens"] for f in d["fields"] if f["field"] == "gpu"), []))
    with open(text, encoding="utf-8") as f:
        check_text(f.read(), d)


main(*sys.argv[1:])
