"""pages.py - writes into the man pages what --help says: the synopsis, and of each command its text and its options
SPDX-License-Identifier: MIT

usage: pages.py BUILD [check]. In a page `.\\" ---- NAME` and `.\\" ----` stand around what is written: NAME is a command, or
synopsis. The rest is by hand. With `check` it writes nothing, and prints the pages that would change.
"""
import os
import pathlib
import re
import subprocess
import sys
import textwrap

PAGES = "docs/kpred.1", "docs/kpred-train.1", "tools/evolve/kpred-evolve.1"


def said_by(path, *words):
    return subprocess.run([path, *words, "--help"], capture_output=True, text=True, check=False).stdout


def commands_of(path):
    return re.findall(r"^  ([a-z][a-z-]*)  *[^ ]", said_by(path), re.M)


def breakable(text):
    """Long words may be broken behind bars."""
    return re.sub(r"\S{60,}", lambda word: word[0].replace("|", r"|\:"), text)


def plain(text):
    """Without what roff would understand: backslashes, hyphens of options, a point that begins a line; sentences do"""
    text = re.sub(r"(?<![\w-])--?(?=\w)[\w-]*", lambda option: option[0].replace("-", r"\-"), text.replace("\\", r"\e"))
    return "".join(r"\&" * (line[0] in ".'") + breakable(line) + "\n"
                   for sentence in re.split(r"(?<=[.!?]) (?=[A-Z`])", text)
                   for line in textwrap.wrap(sentence, 112, break_long_words=False, break_on_hyphens=False))


def synopsis(path):
    program, text = os.path.basename(path), ""
    for command in commands_of(path):
        usage = said_by(path, command).partition("\n\n")[0]
        for form in usage.split(f"{program} {command} ")[1:]:
            text += f".Nm {program}\n.Cm {command}\n" + plain(" ".join(form.split()).replace("| ", "|"))
    return f"{text}.Nm {program}\n.Cm help\n[COMMAND]\n.Nm {program}\n" + plain("--help|--version")


def heading(name):
    """Of an item: an option, with its value, or a word"""
    if not name.startswith("-"):
        return f".It Ar \\&{name}\n"
    option, mark, value = re.match("-([^ =]+)([ =]?)(.*)", name).groups()
    return f".It Fl {option}" + " Ns = Ns" * (mark == "=") + f" Ar {breakable(value)}" * bool(value) + "\n"


def items(block):
    """A list: names in column 2, texts behind them or below in column 20"""
    rows = re.findall(r"(?m)^  (\S+(?: \S+)?)(?:  +|$)(.*(?:\n   +.*)*)", block)
    joined = [(name, re.sub(r"(\d,\d[\d,]*,)\n +(?=\d)", r"\1", about)) for name, about in rows] # a list in one word
    text = "".join(heading(name) + plain(" ".join(about.split())) for name, about in joined)
    return f".Bl -tag -width Ds\n{text}.El\n"


def paragraph(block):
    """Maybe with lines of commands behind it, as they are"""
    text, _, code = block.partition("\n ")
    code = code.replace("\\", r"\e")
    return plain(text.replace("\n", " ")) + f".Bd -literal -offset indent\n {code}\n.Ed\n" * bool(code)


def described(path, command):
    text = ""
    for block in said_by(path, command).rstrip("\n").split("\n\n")[1:]:
        text += items(block) if block.startswith(" ") else ".Pp\n" * bool(text) + paragraph(block)
    return text


def renewed(path, page):
    """A command that the program was built without has nothing to say: what is there stays."""
    return re.sub(r'(?ms)^(\.\\" ---- (\S+)\n)(.*?)(?=^\.\\" ----\n)', lambda at: at[1] + (
        synopsis(path) if at[2] == "synopsis" else described(path, at[2]) or at[3]), page)


def main(build, check=None):
    stale = 0
    for name in map(pathlib.Path, PAGES):
        page = name.read_text(encoding="utf-8")
        new = renewed(f"{build}/{name.stem}", page) if os.access(f"{build}/{name.stem}", os.X_OK) else page
        if not check:
            name.write_text(new, encoding="utf-8")
        elif new != page:
            print(f"{name}: is not what --help says now: make pages")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
