"""mutator.py - small changes of C code, each of which a good test notices
SPDX-License-Identifier: MIT

usage: mutator.py FILE    prints all mutants of the header, a line each: line, kind, old line, new line

It looks at the bodies of functions alone: not at comments, texts, lines of the preprocessor (macros
included), assembly or tables. Each mutant changes one token, one condition or one statement of one line.
"""
import re
import sys

SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
         "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "+=": "-=", "-=": "+=",
         "&": "|", "|": "&", "|=": "&=", "&=": "|=", "^": "|"}
TOKEN = re.compile(r"[A-Za-z_]\w*|0[xX][0-9a-fA-F]+[uUlL]*|\d+\.\d+|\d+[uUlL]*"
                   r"|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\sA-Za-z_0-9]")
STATEMENT = re.compile(r"^\s+(\*?[a-z]\w*(->\w+|\.\w+|\[[^]]*\])* *([-+*/%&|^]|<<|>>)?= .*"
                       r"|\+\+[^;]*|[a-z]\w*(\+\+|--)|(\(void\))?[a-z]\w*\(.*\)|break|continue);$")
KEYWORDS = {"return", "case", "sizeof", "else"}


def masked(text):
    """The text with blanks in place of comments, texts and characters"""
    blank = lambda m: re.sub(r"[^\n]", " ", m.group())
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(\\.|[^\"\\\n])*\"|'(\\.|[^'\\\n])*'", blank, text, flags=re.S)


def without_directives(text):
    """Blanks in place of lines of the preprocessor and of what continues them"""
    lines, inside = [], False
    for line in text.split("\n"):
        inside = inside or line.lstrip().startswith("#")
        lines.append(" " * len(line) if inside else line)
        inside = inside and line.endswith("\\")
    return "\n".join(lines)


def bodies(text):
    """The numbers of the lines within bodies of functions"""
    found, is_body, before, line = set(), [], "", 0
    for c in text:
        if c == "{":
            is_body.append(before == ")" or (bool(is_body) and is_body[-1]))
        elif c == "}" and is_body:
            is_body.pop()
        if is_body and is_body[-1] and c not in "{}":
            found.add(line)
        line += c == "\n"
        before = c if not c.isspace() else before
    return found


def token_mutants(code):
    """(column, old, new, kind) of each token of a line"""
    before = ""
    for m in TOKEN.finditer(code):
        token = m.group()
        binary = re.match(r"[\w)\]]", before[-1:]) and before not in KEYWORDS
        if token in SWAPS and binary and not (token == "*" and re.match(r"(u?int\d*_t|char|void|double|k\w+)$", before)):
            yield m.start(), token, SWAPS[token], "operator"
        elif token.isdigit() or re.fullmatch(r"\d+u", token):
            n = int(token.rstrip("u"))
            yield m.start(), token, str(n + 1), "constant"
            if n > 0:
                yield m.start(), token, str(n - 1), "constant"
        before = token


def negated(code):
    """The line with its whole condition negated, or None"""
    m = re.match(r"(\s*(?:}? ?else )?(?:if|while) \()(.*)(\)(?: \{)?)$", code)
    if m and m.group(2).count("(") == m.group(2).count(")"):
        return m.group(1) + "!(" + m.group(2) + ")" + m.group(3)
    return None


def mutants(text):
    """(number of the line from 0, kind, new line) of each, in the order of the text"""
    old = text.split("\n")
    code = without_directives(masked(text)).split("\n")
    inside = bodies("\n".join(code))
    for i, line in enumerate(code):
        if i not in inside or "__asm__" in line or not line.strip() or line.endswith("\\"):
            continue
        for column, before, after, kind in token_mutants(line):
            yield i, kind, old[i][:column] + after + old[i][column + len(before):]
        bare = line.rstrip()
        if bare == old[i].rstrip() and negated(bare):
            yield i, "condition", negated(bare)
        if STATEMENT.match(bare):
            yield i, "statement", re.match(r"\s*", bare).group() + ";"


def applied(text, mutant):
    lines = text.split("\n")
    lines[mutant[0]] = mutant[2]
    return "\n".join(lines)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        whole = file.read()
    for number, kind, new in mutants(whole):
        print(number + 1, kind, whole.split("\n")[number].strip(), "=>", new.strip())
