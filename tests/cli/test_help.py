"""test_help.py - what --help of the programs says, in their man pages and in what bash completes
SPDX-License-Identifier: MIT
"""
import os
import re
import shutil
import subprocess
import sys

import report
from report import run, tell
sys.path.insert(0, "tools/release")
from pages import PAGES, commands_of, said_by

PACKAGE = "/usr/share/bash-completion/bash_completion"
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


def listed(text):
    return re.findall(r"^  (--?[a-zA-Z][a-z-]*)", text, re.M)


def is_in_page(program, path):
    """Each command has a section, whose text is that of --help."""
    commands = re.findall(r'^\.Ss (.*)\n\.\\" ---- \1$', report.read(path), re.M)
    wanted = commands_of(f"{build}/{program}")
    wide = [line for command in wanted for line in said_by(f"{build}/{program}", command).split("\n") if len(line) > 80]
    tell(f"{path}: commands", "" if commands == wanted else f"{commands}, not {wanted}")
    tell(f"{program}: lines of --help", "\n".join(wide))


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


def of_help(path):
    yield f"{path} ", [*commands_of(path), "help", "--help", "--version"]
    yield f"{path} help ", commands_of(path)
    for command in commands_of(path):
        yield f"{path} {command} -", [*set(listed(said_by(path, command))), "--help"]


def names():
    """What stands in completion.cases for a list of words"""
    table = [line.split(",") for line in run(f"{build}/kpred models --csv", None).stdout.split("\n")[1:-1]]
    return {"MODELS": " ".join(row[0] for row in table), "PREDICT": "predict conv_asm_1x1u",
            "CONVOLUTIONS": " ".join(row[0] for row in table if row[0].startswith("conv_")),
            "GPUS": " ".join({gpu for row in table for gpu in row[3].split()})}


def cases():
    rows, known, kind = {}, names(), ""
    for line in report.read("tests/cli/completion.cases").splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif not line.startswith("#"):
            line = re.sub(r"\$(\w+)", lambda name: known[name.group(1)], line)
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
        complete("", [*of_help(f"{build}/{program}"), *rows[program]])
    complete("COMP_WORDBREAKS=${COMP_WORDBREAKS//=}", rows["uncut"])
    if os.path.exists(PACKAGE):
        package()
        complete(f". {PACKAGE}", rows["package"])
    else:
        report.skip("bash-completion", "it is not installed")


def main():
    programs = []
    done = run(f"python3 tools/release/pages.py {build} check", None)
    tell("the man pages are as the programs say", done.stdout + done.stderr)
    for path in PAGES:
        program = os.path.splitext(os.path.basename(path))[0]
        is_sound(path)
        if os.access(f"{build}/{program}", os.X_OK):
            is_in_page(program, path)
            programs.append(program)
        else:
            report.skip(program, "it was not built")
    if shutil.which("bash"):
        completion(programs)
    else:
        report.skip("completion", "there is no bash")
    report.end()


main()
