"""clauses.py - random clauses of [restrict] beside Python's own reading of them
SPDX-License-Identifier: MIT

usage: clauses.py PROGRAM [--clauses N | --slips] [--seed N] [--compile COMMAND]

PROGRAM is tests/model/clauses.c. Python parses each clause and evaluates it: all that is not Python's
own is that `/` is exact, and that a column of True and False has these values, not their names.
Checked are, for every clause, random problems and tuples: its truth when its last parameter is
decided, and whether it divides by 0; that a bound never rejects a prefix which a completion makes true
(all completions are tried). For every spec the rule written as C is compiled and gives what the tools
give. A clause that is refused since it may pass 2^63 is left out, and counted. The last line counts how
often a bound accepts a prefix that no completion makes true: this is not an error, but has to be rare.
"""
import argparse
import ast
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings
from fractions import Fraction

CLAUSES = 48  # of a spec
LEAST_TIGHT = 4  # prefixes that bounds reject, for each that they accept in vain

# A line of the output for each problem and tuple: what the rule says of 0, 1, ... values
ASKED = """#include <stdio.h>
#include <inttypes.h>
#include "kpred_constraints.h"
#include "%s"
int main(void)
{
    int32_t x[12];
    for (size_t i = 0; scanf("%%" SCNd32, x + i) == 1; i = (i + 1) %% 12)
        for (size_t n = 0; i == 11 && n <= 8; n++)
            printf(n < 8 ? "%%d" : "%%d\\n", kpri_clauses_rule(x, x + 4, n));
    return 0;
}
"""

FIELDS = [("rows", None), ("cols", None), ("dtype", ["FP32", "FP16", "BF16"]), ("tr", ["True", "False"])]
PARAMS = [("bx", [1, 2, 16, 32]), ("by", [1, 3, 8]), ("mode", ["lin", "tile 2", "x-y"]),
          ("vec", [-3, 0, 1, 4]), ("lds", ["False", "True"]), ("big", [7, 4096, 1 << 24]),
          ("back", ["x-y", "lin", "BF16"]), ("pad", ["True", "False"])]
CONSTANTS = {"limit": 1024, "wide": 2**30, "wave_size": 64, "lds_bytes": 65536}
TRUTHS = ["tr", "lds", "pad"]
NAMED = [(name, names) for name, names in FIELDS + PARAMS
         if names and isinstance(names[0], str) and name not in TRUTHS]


def nested(depth, form, text="bx"):
    return text if depth == 0 else form % nested(depth - 1, form, text)


# Those of the first spec: around 2^31, and so deep that what doubles with each level does not end
FIXED = ["rows * cols <= 2147483647", "rows * cols <= 2**31 - 1", "rows * cols < 2147483648",
         "rows * cols < 2**31", "not (rows * cols > 2147483647)", "rows * cols - 2147483647 <= 0",
         "rows * cols * 2 == rows * cols * 4", "rows <= 2147483647 // cols",
         "rows * cols // 3 % (cols + 1) / 7 < 2**40 // (rows + 2**33)", "rows * cols / 2**31 <= by / 3",
         "-" * 1000 + "bx < 5", "rows < 1e3 # of 'these'", "bx < 2E+1", "0X7fffffffffffffff > rows",
         "1 // (bx - 1) == 0 if bx != 1 else by < 3", "-bx ** 2 ** 1 < 2 if lds else 3 if rows else by",
         "any([bx < 3, 1 // (bx - 1)])", "not all([bx < 3, 1 // (bx - 1)])",
         "(rows if p['mode'] == \"x-y\" else cols) % bx == 0", "bx ** 31 > (2 if pad else 3) ** 32", nested(23, "(0 <= %s < 3)"), nested(20, "(%s in (0, 1, 2))"),
         nested(15, "((%s or rows) + 0)") + " < 3", nested(15, "((%s and rows) + 0)") + " < 3",
         nested(7, "((0 < %s < 3 or rows // 2) + 0)") + " < 3", nested(15, "ceil_div(%s / 3 %% 5, 2)") + " < 2"]


def ceil_div(a, b):
    return -(-a // b)


class Quotients(ast.NodeTransformer):
    """Makes a / b exact, 1e3 an integer, and p["NAME"] the name"""

    def visit_Constant(self, node):
        whole = isinstance(node.value, float) and node.value.is_integer()
        return ast.copy_location(ast.Constant(int(node.value)), node) if whole else node

    def visit_Subscript(self, node):
        return ast.copy_location(ast.Name(node.slice.value, ast.Load()), node)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        quotient = ast.copy_location(ast.Name("quotient", ast.Load()), node)
        return ast.copy_location(ast.Call(quotient, [node.left, node.right], []), node)


def compiled(text):
    return compile(Quotients().visit(ast.parse(text, mode="eval")), text, "eval")


ENVIRONMENT = {"quotient": lambda a, b: Fraction(a) / Fraction(b), "ceil_div": ceil_div, "min": min,
               "max": max, "abs": abs, "all": all, "any": any, "__builtins__": {}}
ENVIRONMENT.update(CONSTANTS)
ENVIRONMENT.update({token: token for _, tokens in FIELDS for token in tokens or []})
ENVIRONMENT.update({"lin": "lin"})


def value_of(names, x):
    return x if not names or not isinstance(names[0], str) else {"True": True, "False": False}.get(names[x], names[x])


def evaluate(code, problem, values):
    """t, f, or F where it is undefined; what Python says where it has no value"""
    env = dict(ENVIRONMENT)
    env.update({name: value_of(names, x) for (name, names), x in zip(FIELDS + PARAMS, problem + values)})
    try:
        return "t" if eval(code, env) else "f"
    except ZeroDivisionError:
        return "F"
    except (TypeError, NameError) as error:
        return f"{error}"


# ---- random clauses ----

class Maker:
    """Random expressions. A quotient stands only where one may stand."""

    def __init__(self, rng):
        self.rng = rng

    def leaf(self):
        r = self.rng
        return r.choice([
            lambda: r.choice(["rows", "cols"]), lambda: r.choice(["bx", "by", "vec", "big"]),
            lambda: r.choice(["bx", "by", "vec", "big"]), lambda: str(r.randrange(-3, 9)),
            lambda: r.choice(list(CONSTANTS)), lambda: str(2**r.randrange(r.choice([32, 63])) - r.randrange(2)),
            lambda: "%d ** %d" % (r.randrange(5), r.randrange(6)), lambda: hex(r.randrange(4096)),
            lambda: 'p["%s"]' % r.choice(["rows", "cols", "bx", "vec"]), lambda: "%s ** %d" % (r.choice(["rows", "bx", "vec"]), r.randrange(1, 4)),
            lambda: r.choice(["True", "False"] + ["(0 + %s)" % name for name in TRUTHS]),
        ])()

    def number(self, depth, quotients):
        r = self.rng
        if depth <= 0 or r.random() < 0.15:
            return self.leaf()
        kind = r.random()
        if kind < 0.70:
            ops = ["+", "-", "*", "//", "%"] + (["/"] if quotients else [])
            return "(%s %s %s)" % (self.number(depth - 1, quotients), r.choice(ops),
                                   self.number(depth - 1, quotients))
        if kind < 0.78:
            return "%s(%s)" % (r.choice(["min", "max"]), ", ".join(
                self.number(depth - 1, quotients) for _ in range(r.randrange(2, 4))))
        if kind < 0.84:
            return "%s%s" % (r.choice(["-", "+", "- -"]), self.number(depth - 1, quotients))
        if kind < 0.89:
            return "abs(%s)" % self.number(depth - 1, quotients)
        if kind < 0.91:
            return "(%s) ** %d" % (self.number(depth - 1, quotients), r.randrange(1, 4))
        if kind < 0.93:
            return "(%s if %s else %s)" % (self.number(depth - 1, False), self.truth(depth - 1, False),
                                           self.number(depth - 1, False))
        if kind < 0.96:
            return "ceil_div(%s, %s)" % (self.number(depth - 1, quotients),
                                         self.number(depth - 1, quotients))
        return "(0 + (%s))" % self.truth(depth - 1, False)  # a truth as such draws warnings of compilers

    def plain(self, depth, quotients):
        """Without parentheses, so that precedence is tried"""
        ops = ["+", "-", "*", "//", "%"] + (["/"] if quotients else [])
        return " ".join(itertools.chain.from_iterable(
            (self.leaf() if i == 0 or self.rng.random() < 0.7 else self.number(depth - 1, quotients),
             self.rng.choice(ops)) for i in range(self.rng.randrange(1, 5)))) + " " + self.leaf()

    def operand(self, depth, quotients):
        return (self.plain if self.rng.random() < 0.4 else self.number)(depth, quotients)

    def truth_column(self):
        r, name = self.rng, self.rng.choice(TRUTHS)
        two = [name, r.choice(["True", "False", r.choice(TRUTHS), "(%s)" % self.truth(0, False)])]
        r.shuffle(two)
        return r.choice([name, "not %s" % name, "%s == %s" % tuple(two), "%s != %s" % tuple(two),
                         "%s in (%s,)" % (name, two[0]), "%s not in [True, %s]" % (name, two[1])])

    def named(self):
        r = self.rng
        if r.random() < 0.4:
            return self.truth_column()
        name, names = r.choice(NAMED)
        spell = lambda t: t if t.isalnum() and r.random() < 0.5 else r.choice(['"%s"', "'%s'"]) % t
        other = r.choice(NAMED)[0] if r.random() < 0.2 else spell(r.choice(names))
        kind = r.randrange(3)
        if kind == 0:
            return "%s %s %s" % (name, r.choice(["==", "!="]), other)
        if kind == 1:
            return "%s %s %s" % (other, r.choice(["==", "!="]), name)
        return r.choice(["%s in (%s,)", "%s not in (%s,)", "%s in [%s,]", "%s not in [%s]"]) % (
            name, ", ".join([spell(t) for t in r.sample(names, r.randrange(1, 3))] + [other]))

    def comparison(self, depth, quotients):
        r = self.rng
        if r.random() < 0.15:
            return self.named()
        if r.random() < 0.12:
            return r.choice(["%s in (%s)", "%s not in (%s)", "%s in [%s]", "%s not in [%s]"]) % (
                self.operand(depth, quotients), ", ".join(
                    self.operand(depth - 1, quotients) for _ in range(r.randrange(2, 5))))
        text = self.operand(depth, quotients)
        for _ in range(1 if r.random() < 0.8 else 2):
            text += " %s %s" % (r.choice(["==", "!=", "<", "<=", ">", ">="]),
                                self.operand(depth - 1, quotients))
        return text

    def truths(self, depth):
        """A chain, or a list, of truths"""
        a, b, c = ("(not (%s))" % self.truth(depth - 1, False) for _ in range(3))
        return self.rng.choice(["%s == %s != %s", "%s in (True, %s, %s,)", "(%s if %s else %s)", "all([%s, %s, %s])",
                                "any((%s, %s, %s,))", "(%s and all([%s]) or any([%s]))"]) % (a, b, c)

    def truth(self, depth, quotients):
        r = self.rng
        kind = r.random()
        if depth <= 0 or kind < 0.5:
            return self.comparison(max(depth, 0), quotients)
        if kind < 0.60:
            return "not %s" % self.comparison(depth - 1, quotients)
        if kind < 0.65:
            return self.operand(depth - 1, False)
        if kind < 0.70:
            return self.truths(depth)
        if kind < 0.74:
            return "%s([%s, %s])" % (r.choice(["all", "any", "not all", "not any"]), self.truth(depth - 1, False),
                                     self.operand(depth - 1, False))
        text = "%s %s %s" % (self.truth(depth - 1, quotients), r.choice(["and", "or"]),
                             self.truth(depth - 1, quotients))
        return "(%s)" % text if r.random() < 0.5 else text


# ---- slips ----

TOKEN = re.compile(r"""\w+|"[^"]*"|'[^']*'|\*\*|//|[=!<>]=|\S""")
ODD = """+ - * / // % ** < <= == != > >= and or not in if else ( ) [ ] , True False None is lambda rows cols bx vec lds tr
mode back lin "lin" 'x-y' -1 0 1 2 7 00 000 0003 01 1_000 0b1 0o17 0x 0x1F 1. 1.0 .5 1e3 01e1 1j min( max( all( any( abs(
p[ ~ << >> & | ^ @ := === =< => <> ! && || ? : ; { } $ ≤ limit wave_size""".split()


def slip(rng, maker):
    """A short clause with a token or two that are left out, put in or replaced"""
    tokens = TOKEN.findall(rng.choice([lambda: maker.truth(1, False), lambda: maker.number(1, True), maker.named,
                                       lambda: "%s in (%s)" % (maker.leaf(), maker.leaf()), maker.leaf])())
    for _ in range(rng.randrange(3)):
        at, n = rng.randrange(len(tokens) + 1), rng.choice([0, 0, 1, 1, 2])
        tokens[at:at + n] = [rng.choice(ODD)] if rng.random() < 0.8 else []
    return " ".join(tokens)


def check_slips(args, rng, folder, counts):
    """What is read has to be Python's, and mean the same; what is refused has one message."""
    slips = [text for text in (slip(rng, Maker(rng)) for _ in range(16 * CLAUSES)) if text and text[0] not in "[;"]
    taken = list(itertools.compress(slips, read_each(args.program, os.path.join(folder, "slips.spec"), slips)[0]))
    for text in taken:
        try:
            compiled(text)
        except SyntaxError:
            print("%s\n    is read, and is not Python's" % text)
            return 1
    print("    %d of %d clauses with slips are read" % (len(taken), len(slips)))
    return any([check_spec(args, rng, folder, counts, taken[i:i + CLAUSES]) for i in range(0, len(taken), CLAUSES)])


# ---- one spec ----

def spec_text(clauses):
    lines = ["[kernel]", "name = clauses", "[data]", "format = csv", "[fields]"]
    lines += ["%s = %s" % (name, " ".join(tokens) if tokens else "size") for name, tokens in FIELDS]
    lines += ["[params]"]
    lines += ["%s = %s" % (name, " ".join('"%s"' % v if isinstance(v, str) else str(v) for v in domain))
              for name, domain in PARAMS]
    lines += ["[restrict]", "limit = 2 ** 10", "  wide = limit * limit * limit"] + clauses
    return "\n".join(lines + ["[features]", "log2 rows"]) + "\n"


def parameters_of(code):
    names = code.co_names
    return [t for t, (name, _) in enumerate(PARAMS) if name in names]


def numbers(domain):
    return list(range(len(domain))) if isinstance(domain[0], str) else domain


def check_clause(code, problem, values, letters, counts, completions):
    """letters[n]: what the program says of the prefix of n values"""
    used = parameters_of(code)
    last = used[-1] + 1 if used else 0
    exact = evaluate(code, problem, values)
    for n, letter in enumerate(letters):
        if n > 0 and n - 1 not in used or n == 0 and used and letter == ".":
            expected = "."
        elif n == last:
            expected = exact
        else:
            expected = letter if letter in ".bn" else "one of .bn"
        if letter != expected:
            return "n %d: %s in place of %s" % (n, letter, expected)
        if letter in "bn" and completions:
            open_values = itertools.product(*(numbers(d) if t in used else values[t:t + 1]
                                              for t, (_, d) in enumerate(PARAMS) if t >= n))
            possible = any(evaluate(code, problem, values[:n] + list(rest)) == "t" for rest in open_values)
            counts[letter, possible] = counts.get((letter, possible), 0) + 1
            if letter == "n" and possible:
                return "n %d: rejected, but a completion is true" % n
    return None


def random_problem(rng):
    size = lambda: rng.choice([1, 2, 7, 64, 4096, 2**24, rng.randrange(1, 200), rng.randrange(1, 2**24)])
    return [size(), size(), rng.randrange(3), rng.randrange(2)]


def run(command, text):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True, text=True).stdout


def read_each(program, path, clauses):
    """Writes the spec of these; which of them are read, each by itself, and the message for each of the others"""
    with open(path, "w") as f:
        f.write(spec_text(clauses))
    said = subprocess.run([program, path, "--each"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True,
                          text=True, errors="replace")
    messages = re.findall(r"(?m)^.*\.spec:\d+:\d+: \[restrict\]: .+$", said.stderr)
    if len(said.stdout) != len(clauses) or not len(messages) == said.stdout.count("0") == said.stderr.count("\n"):
        sys.exit("not a line for each clause that is refused\n" + said.stderr)
    return [digit == "1" for digit in said.stdout], messages


def leave_out_wide(program, path, clauses):
    """Writes the spec of the clauses, without those that may pass 2^63; how many these were"""
    are_read, messages = read_each(program, path, [text for text, _ in clauses])
    for message in messages:
        if not re.search("pass(es)? 2\\^63", message):
            sys.exit(message)
    clauses[:] = itertools.compress(clauses, are_read)
    with open(path, "w") as f:
        f.write(spec_text([text for text, _ in clauses]))
    return len(messages)


def check_spec(args, rng, folder, counts, fixed):
    maker = Maker(rng)
    clauses = [(text, compiled(text)) for text in fixed]
    while len(clauses) < CLAUSES:
        text = maker.truth(rng.randrange(1, 4), rng.random() < 0.3)
        try:
            code = compiled(text)
        except (SyntaxError, RecursionError):
            continue
        clauses.append((text, code))
    path = os.path.join(folder, "clauses.spec")
    counts["wide"] = counts.get("wide", 0) + leave_out_wide(args.program, path, clauses)
    tries = [(random_problem(rng), [rng.choice(numbers(d)) for _, d in PARAMS])
             for _ in range(args.problems)]
    lines = "".join("%s\n" % " ".join(map(str, p + v)) for p, v in tries)
    answers = run([args.program, path], lines).split("\n")
    for (problem, values), answer in zip(tries, answers):
        prefixes = answer.split(" ")
        for i, (text, code) in enumerate(clauses):
            wrong = check_clause(code, problem, values, [p[i] for p in prefixes], counts,
                                 not args.no_completions)
            if wrong:
                print("%s\n    problem %s, values %s: %s" % (text, problem, values, wrong))
                return 1
    with open(os.path.join(folder, "rule.h"), "w") as f:
        f.write(run([args.program, path, "--write"], ""))
    if args.compile:
        source, asked = os.path.join(folder, "asked.c"), os.path.join(folder, "asked")
        with open(source, "w") as f:
            f.write(ASKED % os.path.join(folder, "rule.h"))
        subprocess.run(args.compile.split() + [source, "-o", asked], check=True)
        if run([asked], lines) != run([args.program, path, "--allow"], lines):
            print("%s: the rule in C does not say what the tools say" % path)
            return 1
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--compile", help="a compiler's command")
    parser.add_argument("--clauses", type=int, default=2000)
    parser.add_argument("--no-completions", action="store_true", help="do not try bounds")
    parser.add_argument("--problems", type=int, default=6)
    parser.add_argument("--slips", action="store_true", help="clauses with slips, which are mostly refused")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    sys.setrecursionlimit(10000)  # for a thousand signs
    counts = {}
    bad = 0
    warnings.simplefilter("ignore", SyntaxWarning)  # 1 is 2
    with tempfile.TemporaryDirectory() as folder:
        if args.slips:
            return check_slips(args, random.Random(args.seed), folder, counts)
        n = (args.clauses + CLAUSES - 1) // CLAUSES
        for i in range(n):
            bad += check_spec(args, random.Random("%d.%d" % (args.seed, i)), folder, counts,
                              FIXED if i == 0 else [])
            if bad:
                break
    loose, tight = counts.get(("b", False), 0), counts.get(("n", False), 0)
    print("    %d clauses, %d of them too wide; of %d prefixes that no completion makes true, bounds reject %d" % (
        n * CLAUSES, counts["wide"], loose + tight, tight))
    return 1 if bad or tight < LEAST_TIGHT * loose else 0


if __name__ == "__main__":
    sys.exit(main())
