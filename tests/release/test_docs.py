"""test_docs.py - what the documents name exists, and what they compute comes out

Held true: relative links and their headings; files; names with kpred's prefixes; internals that the two design
documents name; make targets; commands and their options; figures that follow from the headers and from generated
tables, or stand in two documents; the hashes of protocol.md; the pictures; versions; widths of lines.
"""
# SPDX-License-Identifier: MIT
import glob
import os
import re
import shutil
import sys
import xml.etree.ElementTree

from report import KPRED, check, end, folder, models, our_files, output, read, rows_of, run, write

DOCS = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "tools/README.md", *our_files("(docs|tools/[a-z]*(/docs)?)/[^/]*[.]md")]
HOW, EMBEDDING = "docs/how-it-works.md", "docs/embedding.md"
PROTOCOL, ACCURACY = "tools/lab/docs/protocol.md", "tools/lab/docs/accuracy.md"
DESIGN = HOW, PROTOCOL # name functions and variables without a prefix
WIDTH = 120
TEXT = {doc: read(doc) for doc in [*DOCS, "weights/README.md"]}
PLAIN = {doc: " ".join(text.split()) for doc, text in TEXT.items()}
SPECS = {name: read(f"weights/{name}.spec") for name in models()}
HEADS = {name: read(f"weights/{name}.h")[:6000] for name in SPECS}
tmp = folder()


def code(doc):
    """Its code, a line each: fenced and indented blocks, and spans between backticks"""
    found, fenced, block, blank = [], False, False, False
    for line in TEXT[doc].splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced:
            found.append(line)
        elif line.startswith("    ") and (blank or block):
            found.append(line[4:])
            block = True
        else:
            block, blank = False, not line.strip(" ")
            found += line.split("`")[1::2]
    return found


def words(doc, pattern):
    """Its words of that form; NAME in them stands for any name"""
    found = {re.sub(r"[.-]*$", "", word) for word in re.split(r"[^A-Za-z0-9_./*-]+", TEXT[doc])}
    return sorted(word for word in found if re.fullmatch(pattern, word))


def cells(line):
    return [cell.strip(" ") for cell in line.split("|")]


def rows(doc):
    """(heading, cells) of each line of a table; the cells are counted from 1, as bars stand at both ends"""
    heading = ""
    for line in TEXT[doc].splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("|"):
            yield heading, cells(line)


# ---- links and names ----

def headings(path):
    """What a link calls each of its headings"""
    parts = read(path).split("\n```")[::2]
    return {re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-")
            for part in parts for title in re.findall(r"^#+ (.*)", part, re.M)}


def links():
    for doc in DOCS:
        for link in re.findall(r"\]\(([^) ]+)\)", TEXT[doc]):
            path, _, heading = link.partition("#")
            path = os.path.join(os.path.dirname(doc), path) if path else doc
            if re.match("https?:|mailto:", link):
                continue
            if not os.path.exists(path):
                yield f"{doc}: {link}: no such file"
            elif heading and heading not in headings(path):
                yield f"{doc}: {link}: no such heading"


def files():
    for doc in DOCS:
        for word in words(doc, r"(\.ci|docs|examples|tests|tools|weights)/.*|kpred[a-z_]*\.h"):
            path = "tools/evolve/harness.h" if word == "kpred_evolve.h" else word.replace("NAME", "*")
            made = re.search(rf"(>|-o |cp \S+ ){re.escape(word)}\b", TEXT[doc]) # by one of its commands
            beside = os.path.join(os.path.dirname(doc), path)
            if not (glob.glob(path) or glob.glob(beside) or made):
                yield f"{doc}: {word}: no such file"


def rooms_of_tools():
    """tools/README.md names every folder of tools/, and no other."""
    said = {path.rstrip("/") for path in re.findall(r"^\| `(tools/[a-z_/]+)`", TEXT["tools/README.md"], re.M)}
    there = {re.sub("/(tests|examples)/.*", r"/\1", os.path.dirname(path)) for path in our_files("tools/.*/.*")}
    return [f"{folder}: is not in the table, or not there" for folder in sorted(said ^ there)]


# Everything that may be named; header guards and the like do no harm.
known = set()
for path in our_files("Makefile|kpred[^/]*[.]h|(tools|tests|examples)/.*"):
    with open(path, encoding="latin-1") as f:
        known.update(re.findall("[A-Za-z0-9_]+", f.read()))
for name, text in SPECS.items():
    known.update(re.findall("[A-Za-z0-9_]+", text))
    known.update(re.findall("KPRED_[A-Z0-9_]+|kpred_model_[a-z0-9_]+", read(f"weights/{name}.h")))


def prefixed():
    """The prefix alone, and names with a placeholder in them, say nothing, nor do the generated names of kernels that
    the documents make up. A small letter behind KPRED_ is of a variable that tune sets."""
    own = {name for doc in DOCS for name in re.findall(
        r"^name  *= *([a-z0-9_]+)$|.* init .* -o ([a-z0-9_]*)[.]spec$", TEXT[doc], re.M) for name in name if name}
    for doc in DOCS:
        for word in words(doc, "(kpred|KPRED|kpri|KPRI)_[A-Za-z0-9_]*[A-Za-z0-9]"):
            if word not in known and not re.search("NAME|KPRED_[a-z]", word) \
                    and not any(name in word.lower() for name in own):
                yield f"{doc}: {word}: no such name"


def internals():
    for doc in DESIGN:
        for word in sorted({*code(doc)} - known):
            if re.fullmatch("[a-z][a-z0-9]*(_[a-z0-9]+)+", word):
                yield f"{doc}: {word}: no such name"


check("links", links)
check("files", files)
check("rooms of tools", rooms_of_tools)
check("names with a prefix", prefixed)
check("internals", internals)


# ---- commands ----

MAKEFILES = ["Makefile", *our_files(".*[.]mk")]


def targets():
    """With -C they are those of that folder."""
    for doc in DOCS:
        for line in code(doc):
            if not line.startswith("make "):
                continue
            line = re.sub(" *#.*", "", line)[5:]
            at = re.match("-C *([^ ]*)", line)
            made = [f"{at[1]}/Makefile"] if at and os.path.exists(f"{at[1]}/Makefile") else MAKEFILES
            for target in re.sub("-C *[^ ]*", "", line).split(" "):
                if re.fullmatch("[a-z][a-z-]*", target) and not re.search(f"^{target}:", "".join(map(read, made)), re.M):
                    yield f"{doc}: make {target}: no such target"


def commands():
    for program in "kpred", "kpred-train", "kpred-evolve":
        main, = glob.glob(f"tools/**/{program.replace('-', '_')}.c", recursive=True)
        sources = "".join(map(read, glob.glob(f"{os.path.dirname(main)}/*.[ch]")))
        for doc in DOCS:
            for line in code(doc):
                line = re.match(rf"(?:\$ )?(?:build/)?{program} ([a-z].*)", re.sub("  *#.*", "", line))
                command, *arguments = line[1].split() if line else [""]
                if command and f'"{command}"' not in read(main):
                    yield f"{doc}: {program} {command}: no such command"
                for option in re.findall(r"^\[?(--[a-z][^]=\s]*)", "\n".join(arguments), re.M):
                    if not re.search(rf'OPT[A-Z_]*[(]\w+,\s*"[|\[]?{option}[] ="]', sources):
                        yield f"{doc}: {program} {command}: no option {option}"


check("make targets", targets)
check("commands", commands)


# ---- figures of the headers ----

def of_header(name, pattern):
    return re.search(pattern, HEADS[name])[1]


# The arenas of each model at beams of 10 and of 100, as the page has them
ARENAS = [(row[8], row[9]) for _, row in rows("docs/models.md") if row[1].startswith("`") and " x " in row[4]]


def page_of_models():
    return [] if output(f"{sys.executable} tools/release/models.py {KPRED}") == TEXT["docs/models.md"] else \
        "docs/models.md is not what make renew writes"


def arenas():
    ten, hundred = (max(float(row[i]) for row in ARENAS) for i in (0, 1))
    most = f"at most {ten:.1f} KB at beam 10 and {hundred:.0f} KB at beam 100"
    return [f"{doc}: arenas: {most}" for doc in (HOW, EMBEDDING) if most not in PLAIN[doc]]


def accumulators():
    """The largest of all headers is below the number that is said, and not by far."""
    largest = max(int(of_header(name, "largest accumulator ([0-9]*) of")) for name in HEADS)
    said = int(re.search("all of them are below ([0-9,]*) of 2,147,483,647", PLAIN[HOW])[1].replace(",", ""))
    assert largest < said < largest + 100000, (largest, said)


def limits():
    header, text = read("kpred.h"), re.sub(r"among (\d*),", r"\1 ,", PLAIN[HOW])
    for limit, what in dict(FIELDS="fields", PARAMS="parameters of several values", TUPLE=",",
                            VALUES="values a parameter", REGISTERS="registers").items():
        number = re.search(rf"^#define KPRED_MAX_{limit} +(\d+)", header, re.M)[1]
        if f"{number} {what}" not in text:
            yield f"KPRED_MAX_{limit} is {number}"


def solver_of(name):
    found = re.search("^solver *= *(.*)", SPECS[name], re.M)
    return found and found[1]


def ids_and_sizes():
    """The id and the bytes of each kernel, as its header has them, wherever accuracy.md shows bytes of ours"""
    for name in SPECS:
        ours = [of_header(name, part) for part in (r" id ([0-9a-f]*), \d* bytes;", r" id [0-9a-f]*, (\d*) bytes;")]
        for line in TEXT[ACCURACY].replace(",", "").splitlines():
            row = cells(line)
            if line.startswith(f"| {solver_of(name)} | ") and re.search(
                    r"`[0-9a-f]{16}`|[|] bytes [|]|(^| )shipped [|]", line) and (
                        row[3] != ours[1] or not re.fullmatch(rf"`{ours[0]}`|bytes|[0-9/ ]*shipped", row[2])):
                yield f"{ours}: {line}"


check("page of models", page_of_models)
check("arenas", arenas)
check("accumulators", accumulators)
check("limits", limits)
check("ids and sizes of accuracy.md", ids_and_sizes)


# ---- figures of weights/README.md and of accuracy.md ----

def far(one, other):
    return abs(float(one) - float(other)) > 0.11


def first(cell):
    return cell.split(" ")[0]


FIGURES = rows_of(read("weights/accuracy.csv"))
# By kernel, split and type, the figures of all GPUs
MEASURED = {(row["model"], row["split"], row["type"]): row for row in FIGURES
            if row["gpu"] == "all" and row["net"] == "int8"}


def page_of_figures():
    """weights/README.md is what its sections and its CSV give, but for a figure that differs in the CSV. It is written
    where it lies: in a copy. A model without lines is refused."""
    os.makedirs(f"{tmp}/copy/build")
    shutil.copytree("weights", f"{tmp}/copy/weights")
    os.makedirs(f"{tmp}/copy/tools/triton")
    for room in "train", "lab":
        os.symlink(os.path.abspath(f"tools/{room}"), f"{tmp}/copy/tools/{room}")
    write(f"{tmp}/copy/tools/triton/doubtful.h", read("tools/triton/doubtful.h").replace("gfx950_256", "gfx940_1"))
    page, figures, name = read("weights/README.md"), read("weights/accuracy.csv"), "gemm_a4w4_blockscale"

    def written(lines, status=0):
        write(f"{tmp}/copy/weights/accuracy.csv", lines)
        return run("python3 tools/lab/report/accuracy.py build gfx900_56.db.bz2 gfx906_60.db.bz2", status, cwd=f"{tmp}/copy",
                   env={"KERNELS": "", "MIOPEN_DB": ".", "TENSILE_CSV": ".", "AITER_CSV": ".", "TRITON_CONFIGS": "."})
    written(figures.replace("76.56,3.74", "76.54,3.21"))
    assert read(f"{tmp}/copy/tools/triton/doubtful.h") == read("tools/triton/doubtful.h")
    assert read(f"{tmp}/copy/weights/README.md") == page.replace("76.56 ± 3.74", "76.54 ± 3.21") != page
    assert read(f"{tmp}/copy/weights/accuracy.csv") == figures.replace("76.56,3.74", "76.54,3.21")
    done = written("".join(x for x in figures.splitlines(True) if not x.startswith(name)), 1)
    assert f"accuracy.csv has no line of {name}" in done.stderr, done


def figures_by_type():
    """A line of a model's figures by type, in README.md or docs/, is that of weights/accuracy.csv, whose figures are
    rounded from two digits to one."""
    found = 0
    for doc in ["README.md", *our_files("docs/[^/]*[.]md")]:
        for _, row in rows(doc):
            if not re.fullmatch("`conv_[a-z0-9_]*`", row[1]) or row[2] not in ("FP32", "FP16", "BF16", "both", "all"):
                continue
            found += 1
            n, *said = [first(cell).replace(",", "") for cell in row[3:7]]
            ours = MEASURED.get((row[1].strip("`"), "config", "all" if row[2] == "both" else row[2]), [])
            if not ours or ours["n"] != n or any(
                    far(a, ours[k]) for a, k in zip(said, ("pft1", "pft10", "pft100"))):
                yield f"{row}: not {ours}"
    if not found:
        yield "no figures"


def rounding():
    """The most that it changes any Pft, of kernels with more than 1,000 problems and of the others"""
    most = {True: 0, False: 0}
    for row in FIGURES:
        if row["net"] == "change":
            many = int(MEASURED[row["model"], "config", "all"]["n"]) > 1000
            most[many] = max([most[many], *(abs(float(row[f"pft{k}"])) for k in (1, 10, 30, 50, 100))])
    said = f"{most[True]:.1f} points .*1,000 test problems.* at most {most[False]:.1f} points"
    return [f"{doc}: rounding: {said}" for doc in (HOW, PROTOCOL) if not re.search(said, PLAIN[doc])]


def same_figures():
    """The pooled figures of accuracy.md are those of weights/README.md."""
    split, names, found = "", {solver_of(name): name for name in SPECS}, 0
    for line in TEXT[ACCURACY].splitlines():
        split = (re.match("Split `(config|shape)`, Pft@1", line) or ("", split))[1]
        row = cells(line)
        ours = MEASURED.get((names.get(row[1] if len(row) > 1 else ""), split, "all"))
        if len(row) == 8 and row[1].startswith("Conv") and ours:
            found += 1
            one, _, _, _, ten, *_ = row[3].split(" ")
            if far(one, ours["pft1"]) or far(ten, ours["pft10"]):
                yield f"{line}: not {ours}"
    if found < 10:
        yield "no figures"


def of_readme():
    """What README.md says of solvers and of matrix products is in weights/README.md and its CSV, rounded."""
    page = [*rows("weights/README.md")]
    exact = [float(row[3]) for heading, row in page if heading == "conv_solver" and "gfx" in row[1]]
    share = next(float(first(row[4])) for heading, row in page if "mi100" in heading and row[1] == "all")
    names = "a8w8_blockscale a8w8_blockscale_bpreshuffle a8w8_bpreshuffle a8w8 a4w4_blockscale bf16".split()
    one, three, new = ([f"{float(MEASURED[f'gemm_{name}', split, ''][f'pft{k}']):.0f}" for name in names]
                       for split, k in (("config", 1), ("config", 3), ("fold", 1)))
    return [x for x in (f"the fastest one for {min(exact):.0f} to {max(exact):.0f} percent of the 2-D problems",
                        f"{100 * share:.0f} percent of the best speed",
                        f"| k = 1 | {' | '.join(one)} |", f"| k = 3 | {' | '.join(three)} |",
                        f"| k = 1, new N and K | {' | '.join(new)} |")
            if x not in PLAIN["README.md"]]


def losses():
    """Where README.md says that another way was better, accuracy.md and its CSV have both figures."""
    pft = {(x["table"], x["rows"], x["method"]): x["pft1"] for x in rows_of(read("tools/lab/docs/accuracy.csv"))
           if x["by"] in ("", "all")}
    want = [(pft[table, of, method], pft[table, of, "kpred"]) for table, of, method in (
        ("more_config", "ConvBinWinogradRxSf3x2", "chain + rule"), ("file", "bsp", "XGBoost"))]
    fold = {(row["model"], row["net"]): row for row in FIGURES if (row["split"], row["gpu"]) == ("fold", "all")}
    want += [(fold[model, way][figure], fold[model, "int8"][figure]) for model, way, figure in (
        ("gemm_a8w8_bpreshuffle", "forest", "pft1"), ("fused_moe_nvidia", "boosted", "tile1"))]
    share = {row[2]: f"{100 * float(row[6]):.1f}" for _, row in rows(ACCURACY) if row[1] == "NT"}
    want.append((share["nearest neighbour"], share["kpred"]))
    said = PLAIN["README.md"].partition("## When not to use kpred")[2].partition("## ")[0]
    return [x for x in want if not re.search(rf"{re.escape(x[0])}[^0-9]*{re.escape(x[1])}", said) or
            float(x[0]) <= float(x[1])]


def own_tables():
    """The means of training.md are those of the lines of its CSV."""
    lines = rows_of(read("tools/lab/docs/training-own.csv"))
    for start, of, sizes in (("of the table", "own", "known"), ("between", "own", "between"), ("odd", "own", "odd"),
                             ("3 to 24", "own", "tiny"), ("up to four", "own", "beyond"), ("one of the", "own", "half"),
                             ("all", "own", ""), ("AITER's", "fmoe_", "-"), ("MI100's", "gemm_", "-"),
                             ("Kernel Tuner's", "hub_", "-"), ("a product", "opencl", "-")):
        row, = (row for _, row in rows("docs/training.md") if row[1].startswith(start))
        for cell, method in zip(row[2:-1], ("kpred", "xgboost", "forest", "nearest")):
            for said, k in zip(cell.split("/"), ("1", "4", "10")):
                found = [float(x["share"]) for x in lines if x["table"].startswith(of) and x["set"].startswith(sizes)
                         and (x["method"], x["k"]) == (method, k)]
                if abs(sum(found) / len(found) - float(said)) > 0.0011:
                    yield f"{row}: {method}, k = {k}: {sum(found) / len(found)}"


def peers():
    """The table of performance.md is what its CSV gives."""
    table = output(f"{sys.executable} tools/lab/report/peers.py tools/lab/docs/performance-peers.csv")
    assert table.count("\n") > 20 and table in TEXT["tools/lab/docs/performance.md"]


def dimensions():
    """What protocol.md says of 2-D problems and of all is in the tables of accuracy.md."""
    def exact(mark, gpu):
        part = TEXT[ACCURACY].partition(f"<!-- {mark} config -->\n")[2].partition("<!-- end -->")[0]
        return next(cells(line)[4] for line in part.splitlines() if cells(line)[1:3] == [gpu, "kpred"])
    flat, whole = ([exact(mark, gpu) for gpu in ("gfx90878", "gfx90a6e")] for mark in ("dimensions", "solvers"))
    said = f"fastest in {flat[0]} % (gfx908) and {flat[1]} % (gfx90a) of the problems, " \
        f"not in {whole[0]} % and {whole[1]} %"
    assert said in PLAIN[PROTOCOL], said


check("figures by type", figures_by_type)
check("weights/README.md is what its sections and weights/accuracy.csv give", page_of_figures)
check("rounding", rounding)
check("accuracy.md and weights/README.md agree", same_figures)
check("figures of README.md", of_readme)
check("losses of README.md", losses)
check("shares of tables of timings", own_tables)
check("the table of peers", peers)
check("solvers for 2-D problems", dimensions)


# ---- what documents compute ----

def example():
    """The example of docs/miopen.md, run: its log, its file, its summary"""
    part = read("docs/miopen.md").partition("\n## A complete example")[2].partition("\n## ")[0]
    lines = [line[4:] + "\n" for line in part.splitlines() if line.startswith("    ")]
    said = ["".join(line for line in lines if re.search(pattern, line))
            for pattern in ("MIOpenDriver", "^[0-9-]+x[0-9]+-.*=Conv", "^kpred: ")]
    done = run(f"{KPRED} miopen --gpu gfx906_60 {write(f'{tmp}/log.txt', said[0])}")
    assert said[1] and [done.stdout, done.stderr] == said[1:], done


def statuses():
    """The table of embedding.md has every status, what kpred.h says that it means, and what dispatch.c does. In its
    switch a `break` leads to the return at the end."""
    switch = read("examples/dispatch.c").partition("\nstatic enum action action_for")[2].partition("\n}")[0]
    does, cases = {}, []
    for case, action in re.findall(r"case (KPRED_\w+):|return (\w+);", switch):
        cases.append(case)
        if action:
            does.update(dict.fromkeys(cases, f"`{action}`"))
            cases = []
    meant = [[f"`{name}`", what, does[name]] for name, what in re.findall(
        r'X\((KPRED_\w+), -?\d+, "([^"]*)"\)', read("kpred.h"))]
    said = [row[1:4] for _, row in rows(EMBEDDING) if row[1].startswith("`KPRED_")]
    return [f"only once: {x}" for x in (*meant, *said) if x not in meant or x not in said] + ["none"] * (not meant)


def hashes():
    """The rows of the table, key, hash, part; and what the document's own program makes of the keys"""
    said = re.findall(r"^\| `[a-z]*` \| `([^`]*)` \| `(0x[0-9a-f]*)` \| ([a-z]*) \|$", TEXT[PROTOCOL], re.M)
    program = write(f"{tmp}/hash.py", re.search(r"^```python\n(.*?)^```$", TEXT[PROTOCOL], re.M | re.S)[1])
    keys = " ".join(f"'{key}'" for key, *_ in said)
    assert len(said) >= 2 and output(f"{sys.executable} {program} {keys}") == "".join(" ".join(x) + "\n" for x in said)


def picture(path):
    """It is XML; nothing in it is from elsewhere, and nothing runs."""
    assert xml.etree.ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    text = re.sub('xmlns(:xlink)?="http://www.w3.org/(2000/svg|1999/xlink)"', "", read(path))
    return re.findall(r'(?i)<script|<image|<foreignObject|<!ENTITY|@import|//|\son[a-z]+=|href="[^#]|url\([^#].*', text)


check("the example of miopen.md", example)
check("statuses of embedding.md", statuses)
check("hashes of protocol.md", hashes)
for path in our_files("(docs|tools/[a-z/]*)/[^/]*[.]svg"):
    check(f"{path} is XML and stands alone", picture, path)
check("size of docs/dataflow.svg", lambda: [] if os.path.getsize("docs/dataflow.svg") < 12288 else "too large")


# ---- form ----

def versions():
    """That of kpred.h is the one that stands in the headers' first lines and in the documents."""
    with open("kpred.h", encoding="utf-8") as f:
        version = output("sh tools/release/install.sh version", stdin=f).strip()
    for path, pattern in (("kpred.h", f".* - v{version} - "), ("kpred_constraints.h", f".* - v{version} - "),
                          ("CHANGELOG.md", rf"(?s)((?!\n## ).)*\n## {version} \("),
                          (EMBEDDING, rf"(?s).*\nfind_package\(kpred {version.rpartition('.')[0]} REQUIRED\)\n"),
                          ("SECURITY.md", rf"(?s).*\n\| {version} \| (yes|in preparation) \|\n")):
        if not re.match(pattern, read(path)):
            yield f"{path}: not of version {version}"


def long_lines():
    return [f"{doc}: {line[:80]}" for doc in DOCS for line in TEXT[doc].splitlines()
            if len(line) > WIDTH and not re.match("    |[|>]", line)]


def here_documents():
    """Pasted with blanks before its last word, one has no end. So each stands at the left of a fenced block."""
    word = r"<<-? *['\"\\]?([A-Za-z_]\w+)"
    for doc in [*DOCS, *our_files("CHANGELOG.md|weights/README.md|docs/[^/]*[.]1")]:
        text = re.sub(r"(?ms)^```.*?^```$", lambda block: re.sub(rf"(?ms){word}.*?^\1$", "", block[0]), read(doc))
        yield from (f"{doc}: {line.strip()}" for line in text.splitlines() if re.search(word, line))


check("one version everywhere", versions)
check("here-documents", here_documents)
check(f"no line over {WIDTH} columns but of code and tables", long_lines)
end()
