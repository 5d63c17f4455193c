"""clauses.py - random clauses of [restrict] beside Python's own reading of them
SPDX-License-Identifier: MIT

usage: clauses.py PROGRAM RULE_PROGRAM_COMMAND... [--clauses N] [--seed N]

PROGRAM is tests/model/clauses.c. Python parses each clause and evaluates it: precedence, chains of
comparisons and short circuits are Python's, and numbers are objects of the classes below, which
saturate and which know when a clause is undefined. Checked are, for every clause, random problems
and tuples: its truth when its last parameter is decided, and whether it is undefined; that a bound
never rejects a prefix which a completion makes true (all completions are tried). For every spec the
rule written as C is compiled and gives what the tools give. The last line counts how often a bound
accepts a prefix that no completion makes true: this is no error.
"""
import argparse
import ast
import itertools
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

MOST, LEAST = 2**31 - 1, -2**31
CLAUSES = 48  # of a spec

FIELDS = [("rows", None), ("cols", None), ("dtype", ["FP32", "FP16", "BF16"])]
PARAMS = [("bx", [1, 2, 16, 32]), ("by", [1, 3, 8]), ("mode", ["lin", "tile 2", "x-y"]),
          ("vec", [-3, 0, 1, 4]), ("big", [7, 4096, 1 << 24])]
CONSTANTS = {"limit": 1024, "wide": 2**30, "wave_size": 64, "lds_bytes": 65536}


class Undefined(Exception):
    """A division without a result, or a quotient that needs more than 32 bits"""


def saturate(x):
    return max(LEAST, min(MOST, x))


class Number:
    """An integer of 32 bits, or a quotient of two, not reduced"""

    def __init__(self, n, d=None):
        if d is not None and d < 0:
            n, d = -n, -d
        if d is not None and (d == 0 or d > MOST or not LEAST <= n <= MOST):
            raise Undefined
        self.n, self.d = n, d
        self.value = Fraction(n, 1 if d is None else d)

    @property
    def is_quotient(self):
        return self.d is not None

    def pair(self):
        return (self.n, 1) if self.d is None else (self.n, self.d)

    def two(self, other, whole, quotient):
        if self.d is None and other.d is None:
            return Number(saturate(whole(self.n, other.n)))
        return Number(*quotient(*self.pair(), *other.pair()))

    def __add__(self, other):
        return self.two(other, lambda a, b: a + b, lambda a, b, c, d: (a * d + c * b, b * d))

    def __sub__(self, other):
        return self.two(other, lambda a, b: a - b, lambda a, b, c, d: (a * d - c * b, b * d))

    def __mul__(self, other):
        return self.two(other, lambda a, b: a * b, lambda a, b, c, d: (a * c, b * d))

    def __neg__(self):
        return Number(0) - self

    def __pos__(self):
        return self

    def __abs__(self):
        return -self if self.n < 0 else self

    def divisible(self, other):
        for x in (self, other):
            if x.d is None and x.n in (MOST, LEAST):
                raise Undefined
        if other.n == 0:
            raise Undefined

    def __truediv__(self, other):
        self.divisible(other)
        (a, b), (c, d) = self.pair(), other.pair()
        return Number(a * d, b * c)

    def __floordiv__(self, other):
        self.divisible(other)
        if self.d is None and other.d is None:
            return Number(self.n // other.n)
        q = self / other
        return Number(q.n // q.d)

    def __mod__(self, other):
        self.divisible(other)
        if self.d is None and other.d is None:
            return Number(self.n % other.n)
        return self - other * (self // other)

    def __pow__(self, other):
        return Number(self.n ** other.n)

    def __eq__(self, other):
        return truth(self.value == other.value)

    def __ne__(self, other):
        return truth(self.value != other.value)

    def __lt__(self, other):
        return truth(self.value < other.value)

    def __le__(self, other):
        return truth(self.value <= other.value)

    def __gt__(self, other):
        return truth(self.value > other.value)

    def __ge__(self, other):
        return truth(self.value >= other.value)

    def __bool__(self):
        return self.n != 0

    __hash__ = None


def truth(x):
    return Number(1 if x else 0)


def ceil_div(a, b):
    a.divisible(b)
    if a.d is None and b.d is None:
        return Number(-(-a.n // b.n))
    return -(-a // b)


def least(*xs):
    best = xs[0]
    for x in xs[1:]:
        best = x if x < best else best
    return best


def most(*xs):
    best = xs[0]
    for x in xs[1:]:
        best = x if best < x else best
    return best


class Numbers(ast.NodeTransformer):
    """Makes numbers and truths objects of Number"""

    @staticmethod
    def call(name, node):
        return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [node], []), node)

    def visit_Constant(self, node):
        return node if isinstance(node.value, str) else self.call("number", node)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return self.call("truth", node) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node):
        self.generic_visit(node)
        return self.call("truth", node)


def compiled(text):
    tree = ast.fix_missing_locations(Numbers().visit(ast.parse(text, mode="eval")))
    return compile(tree, text, "eval")


ENVIRONMENT = {"number": lambda x: Number(int(x)), "truth": truth, "ceil_div": ceil_div, "min": least,
               "max": most, "abs": abs, "__builtins__": {}}
ENVIRONMENT.update({name: Number(value) for name, value in CONSTANTS.items()})
ENVIRONMENT.update({token: token for _, tokens in FIELDS for token in tokens or []})
ENVIRONMENT.update({"lin": "lin"})


def evaluate(code, problem, values):
    """t, f, or F where it is undefined"""
    env = dict(ENVIRONMENT)
    for (name, tokens), x in zip(FIELDS, problem):
        env[name] = tokens[x] if tokens else Number(x)
    for (name, domain), x in zip(PARAMS, values):
        env[name] = domain[x] if isinstance(domain[0], str) else Number(x)
    try:
        return "t" if eval(code, env) else "f"
    except Undefined:
        return "F"


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
            lambda: r.choice(list(CONSTANTS)), lambda: str(2**r.randrange(32) - 1),
            lambda: "%d ** %d" % (r.randrange(5), r.randrange(6)), lambda: r.choice(["True", "False"]),
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
        if kind < 0.95:
            return "ceil_div(%s, %s)" % (self.number(depth - 1, quotients),
                                         self.number(depth - 1, quotients))
        return "(%s)" % self.truth(depth - 1, False)

    def plain(self, depth, quotients):
        """Without parentheses, so that precedence is tried"""
        ops = ["+", "-", "*", "//", "%"] + (["/"] if quotients else [])
        return " ".join(itertools.chain.from_iterable(
            (self.leaf() if i == 0 or self.rng.random() < 0.7 else self.number(depth - 1, quotients),
             self.rng.choice(ops)) for i in range(self.rng.randrange(1, 5)))) + " " + self.leaf()

    def operand(self, depth, quotients):
        return (self.plain if self.rng.random() < 0.4 else self.number)(depth, quotients)

    def named(self):
        r = self.rng
        if r.random() < 0.5:
            tokens, name = FIELDS[2][1], "dtype"
            spell = lambda t: r.choice([t, '"%s"' % t, "'%s'" % t])
        else:
            tokens, name = PARAMS[2][1], "mode"
            spell = lambda t: t if t == "lin" and r.random() < 0.5 else '"%s"' % t
        kind = r.randrange(3)
        if kind == 0:
            return "%s %s %s" % (name, r.choice(["==", "!="]), spell(r.choice(tokens)))
        if kind == 1:
            return "%s %s %s" % (spell(r.choice(tokens)), r.choice(["==", "!="]), name)
        return r.choice(["%s in (%s,)", "%s not in (%s,)", "%s in [%s,]", "%s not in [%s]"]) % (
            name, ", ".join(spell(t) for t in r.sample(tokens, r.randrange(1, 3))))

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

    def truth(self, depth, quotients):
        r = self.rng
        kind = r.random()
        if depth <= 0 or kind < 0.5:
            return self.comparison(max(depth, 0), quotients)
        if kind < 0.60:
            return "not %s" % self.comparison(depth - 1, quotients)
        if kind < 0.65:
            return self.operand(depth - 1, False)
        text = "%s %s %s" % (self.truth(depth - 1, quotients), r.choice(["and", "or"]),
                             self.truth(depth - 1, quotients))
        return "(%s)" % text if r.random() < 0.5 else text


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
            open_values = itertools.product(*(numbers(d) for _, d in PARAMS[n:]))
            possible = any(evaluate(code, problem, values[:n] + list(rest)) == "t"
                           for rest in open_values)
            counts[letter, possible] = counts.get((letter, possible), 0) + 1
            if letter == "n" and possible:
                return "n %d: rejected, but a completion is true" % n
    return None


def random_problem(rng):
    size = lambda: rng.choice([1, 2, 7, 64, 4096, 2**24, rng.randrange(1, 200)])
    return [size(), size(), rng.randrange(3)]


def run(command, text):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True, text=True).stdout


def check_spec(args, rng, folder, counts):
    maker = Maker(rng)
    clauses = []
    while len(clauses) < CLAUSES:
        text = maker.truth(rng.randrange(1, 4), rng.random() < 0.3)
        try:
            code = compiled(text)
        except (SyntaxError, RecursionError):
            continue
        clauses.append((text, code))
    path = os.path.join(folder, "clauses.spec")
    with open(path, "w") as f:
        f.write(spec_text([text for text, _ in clauses]))
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
        asked = os.path.join(folder, "asked")
        subprocess.run(args.compile.split() + ["-DRULE=\"%s/rule.h\"" % folder, "-o", asked] +
                       args.compile_after.split(), check=True)
        if run([asked, path, "--allow"], lines) != run([args.program, path, "--allow"], lines):
            print("%s: the rule in C does not say what the tools say" % path)
            return 1
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--compile", help="a compiler's command, up to -DRULE")
    parser.add_argument("--compile-after", default="")
    parser.add_argument("--clauses", type=int, default=2000)
    parser.add_argument("--no-completions", action="store_true", help="do not try bounds")
    parser.add_argument("--problems", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    counts = {}
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        n = (args.clauses + CLAUSES - 1) // CLAUSES
        for i in range(n):
            bad += check_spec(args, random.Random("%d.%d" % (args.seed, i)), folder, counts)
            if bad:
                break
    loose, tight = counts.get(("b", False), 0), counts.get(("n", False), 0)
    print("    %d clauses; of %d prefixes that no completion makes true, bounds reject %d" % (
        n * CLAUSES, loose + tight, tight))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
