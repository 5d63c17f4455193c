"""test_help.py - what --help of the programs says, beside their man pages and what bash completes
SPDX-License-Identifier: MIT
"""
import glob
import os
import re
import shutil
import subprocess

import report
from report import run, tell

PACKAGE = "/usr/share/bash-completion/bash_completion"
OPTION = r"(?<![\w-])--?[a-zA-Z][a-z-]*"
FILES = "b.spec c.db c.db.bz2 d.csv d.csv.bz2 e.txt e.txt.bz2 f.png .hidden.h folder/x?y.h k.c k.ll run.log".split()
SPEC = "[fields]\ngpu = x y\nalpha = one two $(touch${IFS}x) `touch` a;b\nbeta  = size 1 9\n\n[params]\np = 1 2\n"
# Sets what bash sets, with words cut at `=`, and prints the answers to each line, complaints too, and an empty line
COMPLETE = r"""eval "$1"; . "$2"
while IFS= read -r COMP_LINE; do (
    COMP_POINT=${#COMP_LINE}
    read -ra COMP_WORDS <<<"${COMP_LINE//=/ = }"
    [[ $COMP_LINE == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _kpred "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    [[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\n' "${COMPREPLY[@]}"
) 2>&1; echo; done"""
build, folder = report.BUILD, report.folder()
os.environ["LC_ALL"] = "C"


def same(name, one, list_of_one, other, list_of_other):
    """Is neither in one list what the other one lacks?"""
    a, b = set(list_of_one), set(list_of_other)
    tell(name, "; ".join(f"only in {place}: {' '.join(sorted(x))}" for place, x in ((one, a - b), (other, b - a)) if x))


def said_by(program, *words):
    return run(" ".join([f"{build}/{program}", *words]), None).stdout


def commands_of(program):
    return re.findall(r"^  ([a-z][a-z-]*)  *[^ ]", said_by(program, "--help"), re.M)


def listed(text):
    return re.findall(r"^  (--?[a-zA-Z][a-z-]*)", text, re.M)


def usage(text):
    return text.partition("\n\n")[0]


def items_of(page):
    """By command, or section, the options that it describes"""
    items, heading = {}, ""
    for line in page.split("\n"):
        if re.match(r"\.S[hs] ", line):
            heading = line[4:]
        elif line.startswith(".It Fl "):
            items.setdefault(heading, []).append("-" + line.split()[2]) # mdoc writes the first hyphen itself
    return items


def synopsis_of(page):
    """As text in one line: a macro begins each form and names its command"""
    text = page.partition("\n.Sh SYNOPSIS\n")[2].partition("\n.Sh ")[0]
    return " ".join(re.sub(r"(?m)^\.(Nm|Cm) ", "", text).replace("\\-", "-").split())


def page_of(program):
    path, = glob.glob(f"docs/{program}.1") + glob.glob(f"tools/*/{program}.1")
    return path


def man_page(program):
    path = page_of(program)
    page = report.read(path)
    items, synopsis = items_of(page), synopsis_of(page)
    common = set(items.get("COMMON OPTIONS", []))
    same(f"{program}: common options", "synopsis", common & set(re.findall(OPTION, synopsis)), path, common)
    sections = page.partition("\n.Sh COMMANDS")[2].partition("\n.Sh SPEC")[0]
    same(f"{program}: commands", "--help", commands_of(program), path, re.findall(r"^\.Ss (.*)", sections, re.M))
    for command in commands_of(program):
        text = said_by(program, command, "--help")
        if not text:
            report.skip(f"{program} {command}", "it was built without what it needs")
            continue
        options = set(listed(text))
        same(f"{program} {command}: usage and list of --help", "usage",
             re.findall(OPTION, usage(text)), "list", options)
        same(f"{program} {command}: options", "--help", options, path,
             [*items.get(command, []), *(common & options)])
        forms = " ".join([*usage(text).split()[1:], program])
        tell(f"{program} {command}: synopsis", "" if f"{forms} " in synopsis else f"{path} has not: {forms}")


def is_sound(path):
    """groff speaks of mistakes and still ends well."""
    def wrong_of(command):
        done = run(f"{command} {path}", None)
        good = done.returncode == 0 and not done.stderr and bool(done.stdout) == command.startswith("groff")
        return None if good else done.stdout[:300] + done.stderr or "no output"
    for command in "mandoc -T lint -W warning", "groff -ww -mdoc -Tascii":
        program = command.split()[0]
        report.check_with(program, f"{path}: {program}", wrong_of, command)


def answers(setup, lines):
    done = subprocess.run(["bash", "--norc", "-c", COMPLETE, "bash", setup, f"{os.getcwd()}/tools/release/kpred.bash"],
                          input="\n".join(lines) + "\n", capture_output=True, text=True, check=False, cwd=folder)
    blocks, block = [], []
    for line in done.stdout.split("\n")[:-1]:
        if line:
            block.append(line.replace(" ", "?"))
        else:
            blocks.append(sorted(block))
            block = []
    return blocks


def complete(setup, rows):
    """rows: of (line, words); exactly the words are offered."""
    got = answers(setup, [line for line, _ in rows])
    for (line, words), offered in zip(rows, got):
        wrong = f"offered {' '.join(offered)}, not {' '.join(words)}" if offered != sorted(words) else ""
        tell(f"at \"{line}\"", wrong)
    if len(got) != len(rows):
        tell("completion", f"{len(got)} answers to {len(rows)} lines")


def of_help(program):
    path, commands = f"{build}/{program}", commands_of(program)
    yield f"{path} ", [*commands, "help", "--help", "--version"]
    yield f"{path} help ", commands
    for command in commands:
        yield f"{path} {command} -", [*listed(said_by(program, command, "--help")), "--help"]


def names():
    """What stands in completion.cases for a list of words"""
    table = [line.split(",") for line in said_by("kpred", "models", "--csv").split("\n")[1:-1]]
    found = {"MODELS": " ".join(row[0] for row in table), "PREDICT": "predict conv_asm_1x1u",
             "CONVOLUTIONS": " ".join(row[0] for row in table if row[0].startswith("conv_")),
             "GPUS": " ".join({gpu for row in table for gpu in row[3].split()})}
    for command, option in (("train", "--split"), ("train", "--net"), ("eval", "--rows")):
        choices = re.search(rf"\[{option} ([a-z0-9|]*)[]|]", usage(said_by("kpred-train", command, "--help")))
        found[command + option] = choices.group(1).replace("|", " ") if choices else ""
    return found


def cases():
    rows, known, kind = {}, names(), ""
    for line in report.read("tests/cli/completion.cases").splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif not line.startswith("#"):
            line = re.sub(r"\$(\w+(--\w+)?)", lambda name: known[name.group(1)], line)
            begin, _, words = line.partition("|")
            program = "kpred" if kind in ("uncut", "package") else kind
            rows.setdefault(kind, []).append((f"{build}/{program} {begin}", words.split()))
    return rows


def put_files():
    for name in FILES:
        report.write(f"{folder}/{name.replace('?', ' ')}", SPEC if name == "b.spec" else "")
    report.write(f"{folder}/a.h", f"/*\n{SPEC}*/\n")


def package():
    """bash-completion finds the file by the program's name."""
    os.makedirs(f"{folder}/package/completions")
    shutil.copy("tools/release/kpred.bash", f"{folder}/package/completions/kpred")
    done = subprocess.run(["bash", "--norc", "-c", f"BASH_COMPLETION_USER_DIR={folder}/package; . {PACKAGE}; "
                           "{ _completion_loader kpred || _comp_load kpred; } 2>/dev/null; complete -p kpred"],
                          capture_output=True, text=True, check=False)
    tell("bash-completion loads it", "" if "complete -F _kpred kpred" in done.stdout.split("\n") else done.stdout)
    shutil.rmtree(f"{folder}/package")


def completion(programs):
    put_files()
    rows = cases()
    complete("", [("no-such-folder/kpred pre", [])])
    for program in programs:
        complete("", [*of_help(program), *rows[program]])
    complete("COMP_WORDBREAKS=${COMP_WORDBREAKS//=}", rows["uncut"])
    if os.path.exists(PACKAGE):
        package()
        complete(f". {PACKAGE}", rows["package"])
    else:
        report.skip("bash-completion", "it is not installed")


def main():
    programs = [p for p in ("kpred", "kpred-train", "kpred-evolve") if os.access(f"{build}/{p}", os.X_OK)]
    for program in programs:
        man_page(program)
    for program in {"kpred", "kpred-train", "kpred-evolve"} - set(programs):
        report.skip(program, "it was not built")
    for program in ("kpred", "kpred-train", "kpred-evolve"):
        is_sound(page_of(program))
    if shutil.which("bash"):
        completion(programs)
    else:
        report.skip("completion", "there is no bash")
    report.end()


main()
