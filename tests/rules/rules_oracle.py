#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""rules_oracle.py - compares the rules of kpred_constraints.h with MIOpen's checks in Python

usage: rules_oracle.py --exe TEST_RULES [--oracle RULES.py] [--db GPU=FILE.db[.bz2]]...
                       [--random N] [--seed S] [--kernel NAME]...
       rules_oracle.py --exe KPRED --oracle RULES.py --returned MODEL < CSV of `kpred-train ingest`

TEST_RULES is the program built from test_rules.c, RULES.py the oracle, each FILE one of MIOpen's
SQLite perf-dbs, GPU its token (gfx906_60). Per kernel, the checks are

  rows         every tuned optimum of the databases, for every true size its key leaves open: rule
               and oracle agree; those that both reject are counted by reason, and no others are
  problems     on random and on database problems, the rule applies exactly if the oracle says so
  tuples       on N random tuples in all, most of them legal or a step from it: the rule accepts all
               prefixes exactly if the oracle accepts the tuple, and so does test_rules' second
               statement of the checks, on which the next check relies
  prefixes     on these tuples, the rule rejects no later than with the parameter that decides the
               first of the oracle's checks to fail
  exact        on database problems, all prefixes over the vocabulary are accepted exactly if a
               legal tuple begins with them

--returned: of ten tuples that KPRED predicts with the model for each problem of the table every one
passes the oracle, and every problem has one to which the oracle says that the kernel applies. Of a
kernel that the oracle does not know it says so.

Of kernels whose conditions are observed only, which the oracle does not have, the one check is

  observed     the rule accepts every tuned optimum of the databases

Prints a line for each and `N passed, N failed, N skipped`; exits with 1 if any failed.
"""
import argparse, bz2, collections, functools, itertools, os, random, sqlite3, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "harness"))
from report import Report, load_oracle

UNITS = collections.OrderedDict((("gfx900_56", 56), ("gfx906_60", 60), ("gfx1030_36", 72),
                                 ("gfx942130", 304)))
GPUS = tuple(UNITS)
DIRS = "FBW"
DTYPES = ("FP32", "FP16", "BF16", "INT8")
LAYOUTS = ("NCHW", "NHWC")
FAILED_SEARCH = (16, 16, 16, 16, 1, 1, 2, 3, 1)
OLDER_SEARCH = (
    (8, 16, 32, 32, 2, 2, 8, 1, 1), (8, 16, 32, 32, 2, 2, 8, 1, 2), (8, 16, 32, 32, 4, 1, 8, 1, 2),
    (16, 8, 32, 16, 2, 2, 4, 1, 2), (32, 8, 32, 16, 1, 2, 4, 1, 2), (32, 16, 32, 16, 1, 1, 4, 1, 2))
CHECKS = ("rows", "problems", "tuples", "prefixes", "exact")

# In the order of the rules: the name that the oracle has for the kernel, if any; the filter (0: the
# problem has fields for it, and for all else); the directions; the solvers in the databases.
Kernel = collections.namedtuple("Kernel", "name oracle filter directions solvers")
KERNELS = tuple(Kernel(*x) for x in (
    ("conv_asm_1x1u", "ConvAsm1x1U", 1, "FB", ("ConvAsm1x1U",)),
    ("conv_ocl_direct_fwd_1x1", "ConvOclDirectFwd1x1", 1, "FB", ("ConvOclDirectFwd1x1",)),
    ("conv_asm_bwd_wrw_1x1", "ConvAsmBwdWrW1x1", 1, "W", ("ConvAsmBwdWrW1x1",)),
    ("conv_asm_bwd_wrw_3x3", "ConvAsmBwdWrW3x3", 3, "W", ("ConvAsmBwdWrW3x3",)),
    ("conv_asm_3x3u", "ConvAsm3x3U", 0, "FB", ("ConvAsm3x3U",)),
    ("conv_ocl_direct_fwd", "ConvOclDirectFwd", 0, "FB", ("ConvOclDirectFwd",)),
    ("conv_bin_winograd_rxs", "ConvBinWinogradRxSf2x3", 0, "FBW", ("ConvBinWinogradRxSf2x3",)),
    ("conv_bin_winograd_rxs_f3x2", "ConvBinWinogradRxSf3x2", 0, "FBW", ("ConvBinWinogradRxSf3x2",)),
    ("conv_hip_igemm_v4r1", "ConvHipImplicitGemmV4R1Fwd", 0, "FW",
     ("ConvHipImplicitGemmV4R1Fwd", "ConvHipImplicitGemmV4R1WrW")),
    ("conv_hip_igemm_bwd_v1r1", "ConvHipImplicitGemmBwdDataV1R1", 0, "B",
     ("ConvHipImplicitGemmBwdDataV1R1",)),
    ("conv_hip_igemm_v4r4", "", 0, "FW",
     ("ConvHipImplicitGemmV4R4Fwd", "ConvHipImplicitGemmV4R4WrW")),
    ("conv_mlir_igemm", "", 0, "FBW",
     ("ConvMlirIgemmFwd", "ConvMlirIgemmBwd", "ConvMlirIgemmWrW")),
    ("conv_ocl_bwd_wrw2", "", 0, "W", tuple("ConvOclBwdWrW2<%d>" % n for n in (1, 2, 4, 8, 16))),
))


class Problem:
    """gpu dir dtype layout n c h w k y x pad_h pad_w stride_h stride_w dil_h dil_w groups, which is the user's view; of
    a kernel with a filter of its own: gpu dir dtype n c h w k stride [groups]"""
    view = None

    def __init__(self, kernel, *fields):
        self.kernel, self.fields, f = kernel, fields, KERNELS[kernel].filter
        if f:
            fields = (*fields[:3], 0, *fields[3:8], f, f, f // 2, f // 2, *fields[8:9] * 2, 1, 1, *(fields[9:] or (1,)))
        self.gpu, self.direction, self.dtype, layout, self.n, self.c, self.h, self.w, self.k = fields[:9]
        self.filter, self.pads, self.strides, self.dilations = (fields[i:i + 2] for i in (9, 11, 13, 15))
        self.layout, self.groups = LAYOUTS[layout], fields[17]

    def query(self):
        return "P %d %s" % (self.kernel, " ".join(map(str, self.fields)))

    def out(self):
        """The sides of the image that the forward convolution writes; forward at least a pixel."""
        sides = zip((self.h, self.w), self.filter, self.pads, self.strides, self.dilations)
        return [max(DIRS[self.direction] == "F", (x + 2 * p - d * (f - 1) - 1) // s + 1)
                for x, f, p, s, d in sides]

    def oracle(self, oracle):
        """As the oracle sees it: a database key, and which of the sizes that it leaves open"""
        if not self.view:
            out, forward, gpu = self.out(), DIRS[self.direction] == "F", GPUS[self.gpu]
            sides = zip((self.h, self.w), out, self.filter, self.pads, self.strides, self.dilations)
            over = [x - (s * (y - 1) + d * (f - 1) + 1 - 2 * p) for x, y, f, p, s, d in sides]
            row = (self.layout, DTYPES[self.dtype], DIRS[self.direction], 2,
                   *((self.c, self.h, self.w) if forward else (self.k, *out)), 1, *self.filter, 1,
                   self.k if forward else self.c, self.n, *self.pads, 0, *self.strides, 1, *self.dilations, 1, 0,
                   self.groups)
            self.view = oracle.Prob(row, "gfx942" if gpu == "gfx942130" else gpu.split("_")[0], UNITS[gpu],
                                    over[0] + self.strides[0] * over[1])
        return self.view

    def applies(self, oracle, problem):
        """The oracle leaves implied which directions a kernel is for, and that groups divide c and k; without the
        latter it finds no legal tuple, so there the rule does not apply. Beside that, the filter fits, there is a legal
        tuple, and what is observed."""
        kernel = KERNELS[self.kernel]
        applicable = oracle.SOLVERS[kernel.oracle].applicable
        return (DIRS[self.direction] in kernel.directions and self.c % self.groups == 0 and self.k % self.groups == 0
                and min(self.out()) > 0 and self.layout == "NCHW" and DTYPES[self.dtype] != "INT8"
                and (applicable is None or applicable(problem))
                and (not is_sum(self.kernel) or self.shader_takes(kernel.name.endswith("f3x2")))
                and (kernel.name != "conv_hip_igemm_bwd_v1r1" or self.groups == 1)
                and self.has_tuple(oracle, problem))

    def shader_takes(self, is_f3x2):
        """What MIOpen's Winograd kernels demand, which the oracle does not have. The shader reads n
        images of c channels, h x w pixels, and filters of r x s, and writes k channels of oh x ow."""
        gpu, direction = GPUS[self.gpu], DIRS[self.direction]
        strides = ((1, 1),)
        if direction != "W" and (not is_f3x2 or gpu in ("gfx906_60", "gfx942130")):
            strides += ((2, 2),)
        (oh, ow), (h, w), (r, s) = self.out(), (self.h, self.w), self.filter
        n, c, k = self.n, self.c // self.groups, self.k // self.groups
        if direction == "B":
            c, k, h, w, oh, ow = k, c, oh, ow, h, w
        if direction == "W":
            n, c, r, s, oh, ow = c, n, oh, ow, r, s
        return (self.dilations == (1, 1) and self.strides in strides
                and DTYPES[self.dtype] in ("FP32", "FP16")[:1 + (gpu != "gfx900_56")]
                and (direction != "B" or all(p < f for p, f in zip(self.pads, self.filter)))
                and max(n, c, k, h, w, oh, ow, r, s, *self.pads) < 1 << 16
                and oh * ow <= 1 << 23
                and max(c * h * w, k * oh * ow, k * r * s, c * r * s) <= 1 << 28)

    def has_tuple(self, oracle, problem):
        """Is a tuple legal of those with the least values, of which one is if any is?"""
        candidates = CANDIDATES.get(KERNELS[self.kernel].name)
        rules = rules_of(oracle, self.kernel)
        return not candidates or any(first_failure(rules, problem, values) > len(values)
                                     for values in candidates(oracle, problem, rules))


def ocl_candidates(oracle, problem, _):
    """The default, and what the search begins with for each tile."""
    yield oracle.legacy_default(problem)
    for tile1, tile0, pix1, pix0 in itertools.product((8, 16, 32), (8, 16, 32), (1, 2, 4),
                                                      (1, 2, 4)):
        yield (tile1 // pix1, tile0 // pix0, tile1, tile0, pix1, pix0, 1, 1, 1)


def v4r1_candidates(_, problem, rules):
    """With the least e_per_block; a block's copies follow from what is tried."""
    for b, k, mt in itertools.product((8, 16), (16, 32, 64, 128), (2, 4)):
        sub_c = (b, k, 4, 2, mt, mt)
        if first_failure(rules, problem, sub_c + (1,) * 10) <= len(sub_c):
            continue
        for m0, m1 in itertools.product((1, 2, 4), (1, 2, 4)):
            rest = max(1, m0 * m1 // 4)
            n1 = min(2, rest)
            yield sub_c + (m0, 4, m1, b // 4, 4, n1, b, rest // n1, 4, m0 * m1 * b // 4)


CANDIDATES = {"conv_ocl_direct_fwd": ocl_candidates, "conv_hip_igemm_v4r1": v4r1_candidates,
              "conv_hip_igemm_bwd_v1r1": lambda *_: ((64, 32, 32, 4, 2, 2),)}


class Rules:
    """The rules under test: queries are collected, and answered together."""

    def __init__(self, exe, seed):
        self.command, self.queries = [exe, "serve", str(seed)], []

    def ask(self, query):
        self.queries.append(query)

    def answers(self):
        if not self.queries:
            return []
        out = subprocess.run(self.command, input="\n".join(self.queries) + "\n",
                             stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
        asked, self.queries = len(self.queries), []
        lines = out.split("\n")[:-1]
        if len(lines) != asked:
            raise SystemExit("%s: %d answers to %d queries" % (self.command[0], len(lines), asked))
        return lines

    def vocabulary(self, kernel):
        """The values of each parameter, as in the models' specs."""
        self.ask("V %d" % kernel)
        return [[int(x) for x in domain.split()] for domain in self.answers()[0].split(",")]


@functools.lru_cache(None)
def connect(path):
    """A connection to the database for all kernels, unpacked into a temporary file if need be."""
    if not path.endswith(".bz2"):
        return sqlite3.connect("file:%s?mode=ro" % path, uri=True)
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "perf.db")
        with bz2.open(path) as packed, open(copy, "wb") as unpacked:
            unpacked.write(packed.read())
        memory = sqlite3.connect(":memory:")
        on_disk = sqlite3.connect(copy)
        on_disk.backup(memory)
        on_disk.close()
        return memory


def database_rows(oracle, databases, kernel):
    """(gpu, key, optimum) of every row; keys have columns as the oracle names them."""
    solvers = KERNELS[kernel].solvers
    for gpu, path in databases:
        connection = connect(path)
        for row in connection.execute(
                "select p.params, %s from perf_db p join config c on p.config = c.id"
                " where p.solver in (%s) and c.spatial_dim = 2 order by p.id"
                % (", ".join("c." + x for x in oracle.COLS), ", ".join("?" for _ in solvers)),
                solvers):
            values = tuple(int(x) for x in row[0].split(","))
            if is_sum(kernel):
                values = ((values[0] - 1) // 16 * 16, (values[0] - 1) % 16 + 1)
            yield GPUS.index(gpu), dict(zip(oracle.COLS, row[1:])), values


def problems_of_key(kernel, gpu, key):
    """The user's problems that a database key may stand for: one for each true input size, the
    largest, which is the canonical one, first."""
    f = KERNELS[kernel].filter
    (pad, stride, dilation), filters = ([(key[x + "_h"], key[x + "_w"]) for x in
                                         ("pad", "conv_stride", "dilation")],
                                        (key["fil_h"], key["fil_w"]))
    forward = key["direction"] == "F"
    c, k = key["in_channels"], key["out_channels"]
    c, k = (c, k) if forward else (k, c)
    implied = ("NCHW", (f, f), (f // 2, f // 2), (1, 1), stride[0])
    if (key["bias"] != 0 or f == 1 and key["group_count"] != 1
            or f and (key["layout"], filters, pad, dilation, stride[1]) != implied):
        raise SystemExit("a key that the fields do not describe: %s" % key)
    tokens = (gpu, DIRS.index(key["direction"]), DTYPES.index(key["data_type"]))
    heights, widths = ([key[x]] if forward else [s * (key[x] - 1) + d * (y - 1) + 1 - 2 * p + r
                                                 for r in reversed(range(s))]
                       for x, y, p, s, d in zip(("in_h", "in_w"), filters, pad, stride, dilation))
    sizes = [(key["batchsize"], c, h, w, k) for h in heights for w in widths]
    groups = () if f == 1 else (key["group_count"],)
    return [Problem(kernel, *tokens, *x, stride[0], *groups) if f else
            Problem(kernel, *tokens, LAYOUTS.index(key["layout"]), *x, *filters, *pad, *stride, *dilation, *groups)
            for x in sizes]


def is_sum(kernel):
    """Are the parameters two, steps of 16 and 1 to 16, whose sum is the one that MIOpen has?"""
    return KERNELS[kernel].name.startswith("conv_bin_winograd_rxs")


def rules_of(oracle, kernel):
    rules = oracle.SOLVERS[KERNELS[kernel].oracle].rules
    if not is_sum(kernel):
        return rules
    return lambda problem, values: (
        [("step", 1, values[0] % 16 == 0), ("rest", 2, 1 <= values[1] <= 16)]
        + [(name, 2, ok) for name, _, ok in rules(problem, (sum(values),))])


def first_failure(rules, problem, values):
    """The least prefix that decides a failed check; more than there are values if none fails."""
    first = len(values) + 1
    try:
        for _, prefix, ok in rules(problem, values):
            if not ok and prefix < first:
                first = prefix
    except (KeyError, ZeroDivisionError):  # the oracle goes on after a check that has failed
        if first > len(values):
            raise
    return first


def deciding_prefix(oracle, kernel, problem, values):
    """first_failure; where a default is legal beside what the rules say, also no prefix of it."""
    first = first_failure(rules_of(oracle, kernel), problem, values)
    if KERNELS[kernel].name.startswith("conv_ocl_direct_fwd") and first <= len(values):
        pairs = zip(values, oracle.legacy_default(problem))
        first = max(first, 1 + next((i for i, (a, b) in enumerate(pairs) if a != b), -1))
    return first


def ask_rows(oracle, rules, databases, kernel):
    """The rows, each as the problems of its key, its values, and for which of them it is accepted."""
    asked = []
    for gpu, key, values in database_rows(oracle, databases, kernel):
        problems = problems_of_key(kernel, gpu, key)
        for problem in problems:
            rules.ask(problem.query())
            rules.ask("T " + " ".join(map(str, values)))
        asked.append((problems, values))
    answers = iter(rules.answers()[1::2])
    return [(problems, values, [int(next(answers).split()[0]) == len(values) for _ in problems])
            for problems, values in asked]


def fate(problems, accepted):
    """What the rule says of a row, and why, as far as that is the same for all kernels; or None."""
    if accepted[0]:
        return "accepted"
    if any(accepted):
        return "accepted for another size only"
    return "rejected, no convolution" if min(problems[0].out()) < 1 else None


def fate_of_search(solver, problem, values):
    """Why a row is rejected that the tuning of its day left; or None."""
    if solver == "ConvAsmBwdWrW3x3" and problem.strides[0] == 2:
        return "rejected, stride 2"
    if values in OLDER_SEARCH:
        return "rejected, older search"
    return "rejected, failed search" if values == FAILED_SEARCH else None


def check_rows(oracle, rules, report, databases, kernel):
    """Of a kernel without checks to compare with, the rule has to accept every row, for some size at least. Returns the
    distinct problems, each with the canonical size, and the optima of each."""
    solver = KERNELS[kernel].oracle
    count, bad, known = collections.Counter(), [], collections.OrderedDict()
    check = rules_of(oracle, kernel) if solver else None
    for problems, values, accepted in ask_rows(oracle, rules, databases, kernel):
        known.setdefault(problems[0].fields, (problems[0], []))[1].append(values)
        for problem, is_accepted in zip(problems, accepted) if solver else ():
            q = problem.oracle(oracle)
            legal = (problem.applies(oracle, q)
                     and first_failure(check, q, values) > len(values))
            if is_accepted != bool(legal):
                bad.append((problem.fields, values, "legal" if legal else "illegal"))
        count["rows"] += 1
        what = fate(problems, accepted) or (fate_of_search(solver, problems[0], values) if solver else None)
        if what:
            count[what] += 1
        else:
            bad.append((problems[0].fields, values, "rejected for no known reason"))
    report.result(("rows_" if solver else "observed_") + KERNELS[kernel].name, bad or not count["rows"],
                  ", ".join("%s %d" % x for x in count.items()), bad)
    return list(known.values())


def random_problems(rules, kernel, how_many):
    """Of test_rules, which makes them for its own checks: often within the kernel's limits, and at one."""
    for _ in range(how_many):
        rules.ask("R %d" % kernel)
    return [Problem(kernel, *map(int, x.split())) for x in rules.answers()]


def check_problems(oracle, rules, report, kernel, known, how_many):
    """Returns the random problems that apply."""
    problems = [x[0] for x in known] + random_problems(rules, kernel, how_many)
    expected, bad, count, applicable = [], [], collections.Counter(), []
    for problem in problems:
        rules.ask(problem.query())
        expected.append(bool(problem.applies(oracle, problem.oracle(oracle))))
    for i, (problem, expect, answer) in enumerate(zip(problems, expected, rules.answers())):
        count["applicable" if expect else "not applicable"] += 1
        if expect != (answer == "1"):
            bad.append((problem.fields, "applies" if expect else "does not apply"))
        if expect and i >= len(known):
            applicable.append(problem)
    report.result("problems_" + KERNELS[kernel].name, bad,
                  "%d of databases, %d random; %s" % (len(known), how_many,
                  ", ".join("%s %d" % x for x in sorted(count.items()))), bad)
    return applicable


def tuples_of(rng, oracle, kernel, vocabulary, problem, optima, how_many):
    """A walk near the border of the legal: each step changes a value, of an illegal tuple one that
    its first failed check is about. Yields tuples, and deciding_prefix of each."""
    values = list(rng.choice(optima)) if optima else [rng.choice(v) for v in vocabulary]
    choices, random_unit = rng.choice, rng.random
    for _ in range(how_many):
        first = deciding_prefix(oracle, kernel, problem, values)
        yield tuple(values), first
        last = min(first, len(values))
        i = last - 1 if first <= len(values) and random_unit() < 0.6 else int(random_unit() * last)
        values[i] = choices(vocabulary[i])
        if random_unit() < 0.02:  # outside the vocabulary; the oracle would divide by a 0
            values[i] = choices((2, 3, 5, 12, 16, 24))


def check_tuples(oracle, rules, report, rng, kernel, known, applicable, how_many):
    name, vocabulary = KERNELS[kernel].name, rules.vocabulary(kernel)
    each = 40
    count, bad, late = collections.Counter(), [], []
    for batch in range(0, how_many, 50 * each):
        asked = []
        for _ in range(min(50, -(-(how_many - batch) // each))):
            problem, optima = (rng.choice(known) if known and rng.random() < 0.5
                               else (rng.choice(applicable), ()))
            if optima and optima[0] in (FAILED_SEARCH,) + OLDER_SEARCH:
                optima = ()
            q = problem.oracle(oracle)
            applies = problem.applies(oracle, q)
            rules.ask(problem.query())
            asked.append(None)
            for values, first in tuples_of(rng, oracle, kernel, vocabulary, q, optima,
                                           each):
                rules.ask("T " + " ".join(map(str, values)))
                asked.append((problem, values, first if applies else 0))
        for case, answer in zip(asked, rules.answers()):
            if case is None:
                continue
            problem, values, first = case
            accepted, naive = map(int, answer.split())
            legal = first > len(values)
            in_domain = all(x in vocabulary[i] for i, x in enumerate(values))
            count["legal" if legal else "illegal"] += 1
            count["stopped ahead of the check"] += accepted + 1 < first and not legal
            if legal != (accepted == len(values)) or (in_domain and legal != bool(naive)):
                bad.append((problem.fields, values, "legal" if legal else "illegal", answer))
            elif accepted >= first:
                late.append((problem.fields, values, first, answer))
    report.result("tuples_" + name, bad, "%d tuples, %d legal, %d illegal"
                  % (count["legal"] + count["illegal"], count["legal"], count["illegal"]), bad)
    report.result("prefixes_" + name, late, "%d illegal, of which look-ahead stops %d early"
                  % (count["illegal"], count["stopped ahead of the check"]), late)


def check_exact(rules, report, rng, kernel, known):
    name, solver = KERNELS[kernel].name, KERNELS[kernel].oracle
    fit = [x[0] for x in known if solver != "ConvAsmBwdWrW3x3" or x[0].strides[0] == 1]
    large = solver in ("ConvAsmBwdWrW1x1", "ConvHipImplicitGemmV4R1Fwd")
    problems = rng.sample(fit, min(len(fit), 8 if large else 250))
    bad, total = [], [0, 0, 0, 0]
    for problem in problems:
        rules.ask(problem.query())
        rules.ask("E")
    for problem, answer in zip(problems, rules.answers()[1::2]):
        numbers = [int(x) for x in answer.split()]
        total = [a + b for a, b in zip(total, numbers)]
        if numbers[2] or numbers[3] or not numbers[0]:
            bad.append((problem.fields, answer))
    report.result("exact_" + name, bad, "%d problems, %d legal tuples, %d accepted prefixes, "
                  "%d dead ends, %d missed" % tuple([len(problems)] + total), bad)


def check_kernel(oracle, report, args, kernel):
    name = KERNELS[kernel].name
    rules, rng = Rules(args.exe, args.seed), random.Random(args.seed * 4 + kernel)
    known, is_known = [], KERNELS[kernel].oracle
    if args.db:
        known = check_rows(oracle, rules, report, args.db, kernel)
    else:
        report.skip(("rows_" if is_known else "observed_") + name, "no database")
    if not is_known:
        return
    applicable = check_problems(oracle, rules, report, kernel, known,
                                max(1000, args.random // 40))
    check_tuples(oracle, rules, report, rng, kernel, known, applicable, max(1000, args.random // 4))
    if known:
        check_exact(rules, report, rng, kernel, known)
    else:
        report.skip("exact_" + name, "no database")


def returned(kpred, model, problems):
    """The tuples that it predicts for each of them, by the lines of a table; none where the kernel does not apply"""
    out = subprocess.run([kpred, "predict", model, "--problems", "-", "--lenient", "-k", "10", "--csv"],
                         input="".join(",".join(x) + "\n" for x in problems), stdout=subprocess.PIPE,
                         universal_newlines=True, check=False).stdout
    found = collections.defaultdict(list)
    for line in out.splitlines()[1:]:
        number, *cells = line.split(",")
        found[int(number)].append(tuple(map(int, cells[len(problems[0]) + 2:])))
    return found


def check_returned(oracle, kpred, model):
    """Of the kernel with the longest name that the model's begins with; the status"""
    known = [i for i, k in enumerate(KERNELS) if k.oracle and model.startswith(k.name)]
    if not known:
        print(f"{model}: the oracle does not know its kernel")
        return 0
    kernel = max(known, key=lambda i: len(KERNELS[i].name))
    tokens = {x: i for names in (GPUS, DIRS, DTYPES, LAYOUTS) for i, x in enumerate(names)}
    rules, count = rules_of(oracle, kernel), collections.Counter()
    problems = [line.split(",")[:{0: 18, 1: 9, 3: 10}[KERNELS[kernel].filter]] for line in sys.stdin]
    found = returned(kpred, model, problems)
    for number, fields in enumerate(problems[1:], 2):
        problem, tuples = Problem(kernel, *(tokens[x] if x in tokens else int(x) for x in fields)), found[number]
        view = problem.oracle(oracle)
        bad = [x for x in tuples if first_failure(rules, view, x) <= len(x)]
        missing = not tuples and problem.applies(oracle, view)
        count.update(problems=1, tuples=len(tuples), illegal=len(bad), without=missing)
        if bad or missing:
            print(fields, bad or "has no tuple")
    print(f"{model}: {dict(count)}")
    return 1 if count["illegal"] or count["without"] or not count["tuples"] else 0


def database(text):
    gpu, _, path = text.partition("=")
    if gpu not in GPUS or not path:
        raise argparse.ArgumentTypeError("%s is not GPU=FILE with a GPU of %s" % (text, GPUS))
    return gpu, path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--exe")
    parser.add_argument("--oracle", default="")
    parser.add_argument("--db", type=database, action="append", default=[])
    parser.add_argument("--random", type=int, default=1000000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kernel", action="append", default=[])
    parser.add_argument("--returned")
    args = parser.parse_args()
    if args.returned:
        return check_returned(load_oracle(args.oracle), args.exe, args.returned)
    report = Report()
    for gpu, path in args.db:
        if not os.path.exists(path):
            report.skip("database_" + gpu, "no " + path)
    args.db = [x for x in args.db if os.path.exists(x[1])]
    if not os.path.exists(args.oracle):
        for kernel in KERNELS:
            for check in CHECKS:
                report.skip("%s_%s" % (check, kernel.name), "no oracle")
        return report.finish()
    oracle = load_oracle(args.oracle)
    for kernel in range(len(KERNELS)):
        if not args.kernel or KERNELS[kernel].name in args.kernel:
            check_kernel(oracle, report, args, kernel)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
