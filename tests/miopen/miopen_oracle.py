#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""miopen_oracle.py - compares `kpred miopen` with MIOpen's driver lines and rules in Python

usage: miopen_oracle.py [--rules RULES.py] [--data DIR] [--log FILE.log=KEYS]... [--keys N]
                        [--key-printer TEST_DRIVER]
                        [--random N] [--broken N] [--seed S] KPRED [OPTION...]

RULES.py restates the validity rules of MIOpen's solvers, DIR holds its text perf-dbs and find-dbs,
OPTIONs go to `KPRED miopen`. The checks are

  database  N keys of the text files (0: all), each as the driver line that gives the problem, with
            spelling, order and omission of the options drawn at random, among lines that are none:
            the keys printed are exactly those to which the rules say that a kernel applies, each
            with exactly these kernels, every tuple passes the rules, lines are sorted and unique,
            and the summary counts what was there
  keys      with --key-printer (`test_driver --keys`): the keys of lines, of every layout and
            dimension, are those of the databases
  random    the same on N random problems, many of them at the limits of what a kernel takes
  broken    N random broken lines: each is counted and named with its line and option, and the
            others give what they give without them
  logs      a log gives exactly the keys and kernels that the rules say, and so does KEYS, the list
            of them that stands beside it

Prints a line for each and `N passed, N failed, N skipped`; exits with 1 if any failed.
"""
import argparse, bz2, collections, glob, os, random, re, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "harness"))
from report import Report, load_oracle

GPUS = (("gfx900", 56), ("gfx906", 60))
OPERATIONS = {"FP32": "conv", "FP16": "convfp16", "BF16": "convbfp16", "INT8": "convint8"}
DIRECTIONS = {"F": 1, "B": 2, "W": 4}
MOST = 1 << 24

# Letter, name, default of the options that make a problem; what the third dimension adds.
OPTIONS = (
    ("n", "batchsize", 100), ("c", "in_channels", 3), ("H", "in_h", 32), ("W", "in_w", 32),
    ("k", "out_channels", 32), ("y", "fil_h", 3), ("x", "fil_w", 3), ("p", "pad_h", 0),
    ("q", "pad_w", 0), ("u", "conv_stride_h", 1), ("v", "conv_stride_w", 1),
    ("l", "dilation_h", 1), ("j", "dilation_w", 1), ("g", "group_count", 1), ("F", "forw", 0),
    ("m", "mode", "conv"), ("z", "pad_mode", "default"), ("_", "spatial_dim", 2),
    ("I", "in_layout", None), ("f", "fil_layout", None), ("O", "out_layout", None),
    ("b", "bias", 0))
DEEP = (("!", "in_d", 32), ("@", "fil_d", 3), ("$", "pad_d", 0), ("#", "conv_stride_d", 1),
        ("^", "dilation_d", 1))
DEFAULTS = {name: value for _, name, value in OPTIONS + DEEP}
LETTERS = {name: letter for letter, name, _ in OPTIONS + DEEP}
# Options that say nothing about the problem.
OTHERS = (("t", "time"), ("i", "iter"), ("V", "verify"), ("w", "wall"), ("s", "search"),
          ("P", "printconv"), ("o", "dump_output"), ("S", "solution"), ("G", "gpualloc"))
PREFIXES = ("MIOpen(HIP): Command [LogCmdConvolution] ./bin/MIOpenDriver",
            "MIOpen(HIP): Command [LogCmdFindConvolution] ./bin/MIOpenDriver",
            "2024-05-01 12:00:00.123 [pid 77] MIOpen(OpenCL): Command [Log] ./bin/MIOpenDriver",
            "./bin/MIOpenDriver", "MIOpenDriver", "/opt/rocm/bin/MIOpenDriver", "\tMIOpenDriver",
            "$ '/opt/rocm/bin/MIOpenDriver'", "time \"./bin/MIOpenDriver\"", "rank3:  MIOpenDriver")
SUFFIXES = ("",) * 6 + (" ", "\t", " # the third layer", " 2>/dev/null", " | tee log", " > out",
                        " ;", " && echo done", " & wait", " )", " < /dev/null")
NOISE = ("", "   ", "MIOpen(HIP): Info [SetStream] ...", "step 100: loss 0.25",
         "MIOpenDrivers conv", "conv -n 1 -c 1", "no MIOpenDriver: conv",
         "./bin/MIOpenDriver/ conv -n 0",
         "xMIOpenDriver conv -n x", "miopendriver conv -n x")
OTHER_OPERATIONS = ("pool -n 1 -c 3", "bnorm -n 32 -m 1", "CBAInfer -F 1", "gemm -m 4",
                    "activ", "softmaxfp16 -n x", "lrn", "convfp64 -n 1")


# ---- problems ----

class Problem:
    """A convolution as a user states it: the options' values by name, a data type, a direction."""

    def __init__(self, values, dtype, direction):
        self.value, self.dtype, self.direction = values, dtype, direction

    def __getattr__(self, name):
        return self.value[name]

    def axes(self):
        return "dhw" if self.spatial_dim == 3 else "hw"

    def along(self, name):
        return [self.value["%s_%s" % (name, axis)] for axis in self.axes()]

    def pads(self):
        """With pad_mode taken into account."""
        pads, sizes = self.along("pad"), (self.along("fil"), self.along("dilation"))
        if self.pad_mode == "default" or not any(all(x == 1 for x in size) for size in sizes):
            return pads
        if self.pad_mode == "valid":
            return [0 for _ in pads]
        return [max(f - (s if size % s == 0 else size % s), 0) // 2
                for f, s, size in zip(self.along("fil"), self.along("conv_stride"),
                                      self.along("in"))]

    def rests(self):
        """What is left of the padded image behind the first place of the filter."""
        return [size + 2 * pad - (dil * (f - 1) + 1) for size, pad, f, dil
                in zip(self.along("in"), self.pads(), self.along("fil"), self.along("dilation"))]

    def outputs(self):
        return [rest // s + 1 for rest, s in zip(self.rests(), self.along("conv_stride"))]

    def is_convolution(self):
        return (min(self.rests()) >= 0 and self.in_channels % self.group_count == 0
                and self.out_channels % self.group_count == 0)

    def layouts(self):
        usual = "NCDHW" if self.spatial_dim == 3 else "NCHW"
        return [self.value[name] or usual for name in ("in_layout", "fil_layout", "out_layout")]

    def key(self):
        sides = [(self.in_channels, self.along("in")), (self.out_channels, self.outputs())]
        if self.direction != "F":
            sides.reverse()
        layouts = self.layouts()
        parts = ["-".join(map(str, [sides[0][0]] + sides[0][1])), times(self.along("fil")),
                 "-".join(map(str, [sides[1][0]] + sides[1][1])), str(self.batchsize),
                 times(self.pads()), times(self.along("conv_stride")),
                 times(self.along("dilation")), str(self.bias),
                 layouts[0] if layouts[0] == "NCHW" or layouts[0] == "NCDHW" else "-".join(layouts),
                 self.dtype, self.direction]
        return "-".join(parts) + ("_g%d" % self.group_count if self.group_count > 1 else "")

    def is_plain(self):
        """Two dimensions, the usual layout, a convolution that is not transposed, no bias (which
        the oracle's ConvOclDirectFwd1x1 leaves open)."""
        return (self.spatial_dim == 2 and self.mode == "conv" and self.bias == 0
                and self.layouts() == ["NCHW"] * 3)

    def solvers(self, rules, gpu):
        """The kernels that apply, each with the oracle's problem."""
        if not self.is_plain() or self.dtype == "INT8":
            return {}
        strides = self.along("conv_stride")
        if strides[0] != strides[1]:
            return {}  # the models have one stride for both
        problem = self.in_the_oracles_view(rules, gpu)
        names = (("ConvAsmBwdWrW1x1", "ConvAsmBwdWrW3x3") if self.direction == "W"
                 else ("ConvAsm1x1U", "ConvOclDirectFwd1x1"))
        return {name: problem for name in names if rules.SOLVERS[name].applicable(problem)}

    def in_the_oracles_view(self, rules, gpu):
        sides = [(self.in_channels, self.along("in")), (self.out_channels, self.outputs())]
        left = [rest % s for rest, s in zip(self.rests(), self.along("conv_stride"))]
        if self.direction == "F":
            left = [0, 0]
        else:
            sides.reverse()
        column = dict.fromkeys(rules.COLS, 1)
        column.update(layout="NCHW", data_type=self.dtype, direction=self.direction, spatial_dim=2,
                      in_channels=sides[0][0], in_h=sides[0][1][0], in_w=sides[0][1][1],
                      out_channels=sides[1][0], batchsize=self.batchsize, bias=self.bias,
                      group_count=self.group_count, fil_h=self.fil_h, fil_w=self.fil_w)
        for name, values in (("pad", self.pads()), ("conv_stride", self.along("conv_stride")),
                             ("dilation", self.along("dilation"))):
            column[name + "_h"], column[name + "_w"] = values
        return rules.Prob([column[x] for x in rules.COLS], *gpu,
                          left[0] + self.conv_stride_h * left[1])


def times(numbers):
    return "x".join(map(str, numbers))


def problem_of_key(key):
    """The problem of a database key; or why no driver line gives it."""
    body, *suffixes = key.split("_")
    if any(not re.fullmatch("g[0-9]+", s) for s in suffixes):
        return None, "cast types"
    parts = body.split("-")
    deep = next((p.count("x") for p in parts if "x" in p), 0) == 2
    axes = 3 if deep else 2
    if len(parts) not in (2 * axes + 11, 2 * axes + 13):
        return None, "another form"
    layouts = parts[2 * axes + 8:-2]
    numbers = [int(x) for p in parts[:-2 - len(layouts)] for x in p.split("x")]
    value = dict(DEFAULTS, spatial_dim=axes, group_count=int((suffixes or ["g1"])[0][1:]))
    names = "dhw" if deep else "hw"
    first, fil, rest = numbers[:axes + 1], numbers[axes + 1:2 * axes + 1], numbers[2 * axes + 1:]
    second, rest = rest[:axes + 1], rest[axes + 1:]
    value["batchsize"], value["bias"] = rest[0], rest[-1]
    image, output = (first, second) if parts[-1] == "F" else (second, first)
    value["in_channels"], value["out_channels"] = image[0], output[0]
    lists = [("in", image[1:]), ("fil", fil)]
    lists += [(name, rest[1 + i * axes:1 + (i + 1) * axes])
              for i, name in enumerate(("pad", "conv_stride", "dilation"))]
    for name, sizes in lists:
        value.update(("%s_%s" % (name, a), size) for a, size in zip(names, sizes))
    if len(layouts) == 3:
        value.update(zip(("in_layout", "fil_layout", "out_layout"), layouts))
    problem = Problem(value, parts[-2], parts[-1])
    if not problem.is_convolution() or problem.outputs() != output[1:]:
        return None, "sizes that contradict the formula"
    if problem.key() != key:
        return None, "another form"
    return problem, None


# ---- driver lines ----

def spelled(rng, letter, name, value):
    quote = rng.choice(("", "", "", "", "'", '"'))
    value = "%s%s%s" % (quote, value, quote)
    return rng.choice(("-%s %s" % (letter, value), "-%s %s" % (letter, value),
                       "--%s %s" % (name, value), "--%s=%s" % (name, value.strip("'\""))))


def options_of(rng, problem, mask):
    """The options, in random order; some of the defaults are left out."""
    words = []
    value = dict(problem.value, forw=mask)
    for letter, name, default in OPTIONS + (DEEP if problem.spatial_dim == 3 else ()):
        if value[name] != default or default is not None and rng.random() < 0.6:
            words.append(spelled(rng, letter, name, value[name]))
    for letter, name in rng.sample(OTHERS, rng.choice((0, 0, 1, 3))):
        words.append(spelled(rng, letter, name, rng.randint(0, 1)))
    if words and rng.random() < 0.05:
        words.append(rng.choice(words))  # the same again says the same
    rng.shuffle(words)
    return words


def line_of(rng, problem, mask, words=None):
    words = options_of(rng, problem, mask) if words is None else words
    blank = rng.choice((" ", " ", "  ", "\t"))
    return blank.join([rng.choice(PREFIXES), OPERATIONS[problem.dtype]] + words) \
        + rng.choice(SUFFIXES)


def directions(mask):
    return [d for d, bit in DIRECTIONS.items() if mask in (0, 7) or mask & bit]


class Log:
    """Lines, and what is expected of them."""

    def __init__(self, rules, gpu):
        self.rules, self.gpu = rules, gpu
        self.lines, self.expected, self.origin = [], {}, {}
        self.count = collections.Counter()

    def add(self, line, problem=None, mask=0):
        self.lines.append(line)
        self.count["lines"] += 1
        if problem is None:
            return
        self.count["driver"] += 1
        covered = False
        for direction in directions(mask):
            one = Problem(problem.value, problem.dtype, direction)
            solvers = one.solvers(self.rules, self.gpu)
            if solvers:
                covered = True
                self.expected[one.key()] = solvers
                self.origin[one.key()] = line
        self.count["covered"] += covered

    def add_noise(self, rng):
        if rng.random() < 0.5:
            self.add(rng.choice(NOISE))
        else:
            self.count["driver"] += 1
            self.add("%s %s" % (rng.choice(PREFIXES), rng.choice(OTHER_OPERATIONS)))

    def write(self, rng, path):
        end = rng.choice(("\n", "\r\n"))
        with open(path, "w", newline="") as f:
            f.write(end.join(self.lines) + rng.choice(("", end) if self.lines[-1] else (end,)))


# ---- the program ----

class Tool:
    def __init__(self, program, options, folder):
        self.command = [program, "miopen"] + options
        self.folder = folder

    def run(self, gpu, log, *options, stdin=False):
        command = self.command + ["--gpu", "%s_%d" % gpu] + list(options)
        with open(log, "rb") as f:
            done = subprocess.run(command + ([] if stdin else [log]), stdin=f if stdin else None,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        return done.returncode, done.stdout.decode(), done.stderr.decode()


SUMMARY = re.compile(r"kpred: (\d+) lines?, (\d+) driver lines?: (\d+) covered, (\d+) not; "
                     r"(\d+) problems?, (\d+) entr(?:y|ies)$", re.M)


def summary_troubles(log, err, output):
    m = SUMMARY.search(err)
    if not m:
        return ["no summary: %s" % err[-300:]]
    lines, driver, covered, uncovered, problems, entries = map(int, m.groups())
    count = log.count
    wanted = (count["lines"], count["driver"], count["covered"], count["driver"] - count["covered"],
              len(output), sum(len(x) for x in output.values()))
    if (lines, driver, covered, uncovered, problems, entries) != wanted:
        return ["the summary says %s; counted %s" % (m.group(0), wanted)]
    return []


def parse_output(text, bad):
    """{key: {solver: values}} of lines that are as they should be."""
    output = {}
    lines = text.split("\n")
    if lines.pop():
        bad.append("the last line has no newline")
    if sorted(lines, key=str.encode) != lines:
        bad.append("the lines are not sorted")
    for line in lines:
        key, _, entries = line.partition("=")
        if key in output:
            bad.append("twice: %s" % key)
        pairs = [entry.partition(":")[::2] for entry in entries.split(";")]
        output[key] = {name: tuple(int(x) for x in v.split(",")) for name, v in pairs}
        names = [name for name, _ in pairs]
        if sorted(set(names)) != names:
            bad.append("solvers not sorted, or twice: %s" % line)
    return output


def compare(log, output, bad):
    for key in sorted(set(log.expected) | set(output)):
        wanted, got = log.expected.get(key, {}), output.get(key, {})
        if set(wanted) != set(got):
            bad.append("%s: %s apply, %s given; %s" % (key, sorted(wanted), sorted(got),
                                                       log.origin.get(key, "")))
            continue
        for name, values in got.items():
            solver = log.rules.SOLVERS[name]
            if len(values) != len(solver.PARAMS):
                bad.append("%s: %s has %d parameters" % (key, name, len(values)))
                continue
            broken = [rule for rule, _, ok in solver.rules(wanted[name], values) if not ok]
            if broken:
                bad.append("%s: %s:%s breaks %s" % (key, name, values, broken))


def check_log(tool, report, rng, name, log):
    path = os.path.join(tool.folder, "log")
    log.write(rng, path)
    status, out, err = tool.run(log.gpu, path, stdin=rng.random() < 0.5)
    bad = [] if status == 0 else ["status %d: %s" % (status, err[:500])]
    output = parse_output(out, bad)
    if status == 0:
        compare(log, output, bad)
        bad += summary_troubles(log, err, output)
    report.result(name, bad, "%d lines, %d of the driver; %d problems expected, %d got" % (
        log.count["lines"], log.count["driver"], len(log.expected), len(output)))


# ---- checks ----

def database_keys(path):
    opened = bz2.open if path.endswith(".bz2") else open
    with opened(path, "rt") as f:
        return [line.partition("=")[0] for line in f]


def check_database(rules, tool, report, rng, folder, how_many):
    paths = sorted(glob.glob(os.path.join(folder, "*.txt.bz2")))
    if not paths:
        report.skip("database keys", "there is no *.txt.bz2 in %s" % folder)
        return
    for path in paths:
        keys = database_keys(path)
        total = len(keys)
        if how_many and len(keys) > how_many // len(paths):
            keys = rng.sample(keys, how_many // len(paths))
        without = collections.Counter()
        log = Log(rules, GPUS[1])
        for key in keys:
            problem, why = problem_of_key(key)
            if problem is None:
                without[why] += 1
                continue
            mask = DIRECTIONS[problem.direction]
            log.add(line_of(rng, problem, mask), problem, mask)
            if rng.random() < 0.1:
                log.add_noise(rng)
        name = os.path.basename(path)[:-len(".txt.bz2")]
        check_log(tool, report, rng, "database, %s, %d of %d keys, no line for %s" % (
            name, len(keys), total, dict(without) or "none"), log)


def check_printed_keys(report, rng, folder, how_many, program):
    """Keys of every layout and dimension, as the driver's reader makes them from lines alone."""
    paths = sorted(glob.glob(os.path.join(folder, "*.txt.bz2")))
    for path in paths:
        keys = database_keys(path)
        if how_many:
            keys = rng.sample(keys, min(len(keys), how_many // len(paths)))
        pairs = [(key, problem_of_key(key)[0]) for key in keys]
        pairs = [(key, problem) for key, problem in pairs if problem is not None]
        lines = "".join(line_of(rng, problem, DIRECTIONS[problem.direction]) + "\n"
                        for _, problem in pairs)
        printed = subprocess.run([program, "--keys"], input=lines, stdout=subprocess.PIPE,
                                 text=True, check=True).stdout.splitlines()
        bad = ["%s: line gives %s" % (key, got) for (key, _), got in zip(pairs, printed)
               if key != got]
        if len(printed) != len(pairs):
            bad.append("%d lines of keys for %d" % (len(printed), len(pairs)))
        report.result("keys, " + os.path.basename(path)[:-len(".txt.bz2")], bad,
                      "%d lines" % len(pairs))


def size(rng, most=11):
    x = rng.randint(1, 1 << rng.randint(1, most))
    step = 1 << rng.randint(0, 6)
    return x // step * step if x >= step and rng.random() < 0.7 else x


def at_a_limit(rng, value):
    """Moves one size so that a product of some is close to a limit of the kernels."""
    names = ["batchsize", "in_channels", "in_h", "in_w", "out_channels"]
    some = rng.sample(names, rng.randint(1, 4))
    product = 1
    for name in some[1:]:
        product *= value[name]
    limit = rng.choice((1 << 9, 1 << 16, 1 << 22, (1 << 22) // 9, 1 << 24, 1 << 29, (1 << 29) // 9))
    value[some[0]] = min(MOST, max(1, limit // product + rng.randint(-1, 1)))


def random_values(rng):
    value = dict(DEFAULTS)
    side = rng.choice((1, 1, 1, 3, 3, rng.randint(1, 7)))
    for axis in "dhw":
        usual = rng.random() < 0.95
        value["fil_" + axis] = side if usual else rng.randint(1, 5)
        value["pad_" + axis] = side // 2 if rng.random() < 0.9 else rng.randint(0, 3)
        value["dilation_" + axis] = 1 if rng.random() < 0.97 else 2
        value["in_" + axis] = size(rng, 9)
    stride = rng.choice((1, 1, 1, 1, 1, 2, 2, 3))
    for axis in "dhw":
        value["conv_stride_" + axis] = stride if rng.random() < 0.97 else rng.randint(1, 4)
    value.update(batchsize=size(rng, 10), in_channels=size(rng), out_channels=size(rng))
    if rng.random() < 0.4:
        at_a_limit(rng, value)
    if rng.random() < 0.15:
        value["group_count"] = rng.choice((2, 3, 4, 8, 20, 32))
        for name in ("in_channels", "out_channels"):
            value[name] = min(MOST // 32, value[name]) * value["group_count"]
    value["spatial_dim"] = 3 if rng.random() < 0.05 else 2
    value["mode"] = "trans" if rng.random() < 0.02 else "conv"
    value["pad_mode"] = rng.choice(("default",) * 6 + ("same", "valid"))
    value["bias"] = int(rng.random() < 0.03)
    if rng.random() < 0.05:
        layout = "NDHWC" if value["spatial_dim"] == 3 else "NHWC"
        value.update(in_layout=layout, fil_layout=layout, out_layout=layout)
    elif rng.random() < 0.2:
        value["in_layout"] = "NCDHW" if value["spatial_dim"] == 3 else "NCHW"
    for name in DEFAULTS:
        if rng.random() < 0.03 and isinstance(DEFAULTS[name], int) and name != "spatial_dim":
            value[name] = DEFAULTS[name]
    return value


def random_problem(rng):
    """A problem that is a convolution; a transposed one is also one that is not transposed, as it
    is not stated which way round its groups have to divide."""
    while True:
        dtype = rng.choice(("FP32", "FP32", "FP16", "FP16", "BF16", "INT8"))
        problem = Problem(random_values(rng), dtype, "F")
        if problem.is_convolution():
            return problem


def random_log(rules, rng, gpu, how_many):
    log = Log(rules, gpu)
    log.add("MIOpenDriver conv", Problem(dict(DEFAULTS), "FP32", "F"))
    log.add("MIOpenDriver convfp16 -F 4 -p 1 -q 1",
            Problem(dict(DEFAULTS, pad_h=1, pad_w=1), "FP16", "W"), 4)
    for _ in range(how_many):
        problem, mask = random_problem(rng), rng.randrange(8)
        log.add(line_of(rng, problem, mask), problem, mask)
        if rng.random() < 0.05:
            log.add_noise(rng)
    return log


def check_random(rules, tool, report, rng, how_many):
    for gpu in GPUS:
        log = random_log(rules, rng, gpu, how_many // len(GPUS))
        check_log(tool, report, rng, "random, %s_%d" % gpu, log)


# ---- broken lines ----

def insert(rng, words, *more):
    """Words of an option at a random place between the others."""
    at = rng.randint(0, len(words))
    return words[:at] + [" ".join(more)] + words[at:]


def names_of(name):
    return ["-" + LETTERS[name], "--" + name]


def without(words, *names):
    spellings = [s for name in names for s in names_of(name)]
    return [w for w in words if re.split("[ =]", w)[0] not in spellings]


NUMBERS = [name for _, name, value in OPTIONS if isinstance(value, int)]
LEAST = dict.fromkeys(NUMBERS, 1)
LEAST.update(pad_h=0, pad_w=0, forw=0, bias=0, spatial_dim=2)


def with_value(rng, words, name, value):
    return insert(rng, without(words, name), spelled(rng, LETTERS[name], name, value)), \
        names_of(name)


def break_unknown(rng, words):
    option = rng.choice(("-B", "-N", "-h", "--batch", "--pad", "--in", "-nn", "--n", "-9", "--"))
    return insert(rng, words, option, "3"), [option]


def break_no_value(rng, words):
    name = rng.choice(list(LETTERS))
    words = without(words, name)
    return words + [rng.choice(names_of(name)) + rng.choice(("", " ", " | tee", " # 3", " 2>x"))], \
        names_of(name)


def break_junk(rng, words):
    junk = rng.choice(("x", "3x", "1.0", "1e3", "0x10", "''", "--", "-c", "3,3", "1-", "NCHW",
                       "½"))
    name = rng.choice(NUMBERS)
    words = without(words, name)
    return insert(rng, words, rng.choice(names_of(name)), junk), names_of(name)


def break_range(rng, words):
    name = rng.choice([x for x in NUMBERS if x != "bias"])
    most = {"forw": 7, "spatial_dim": 3}.get(name, MOST)
    value = rng.choice((LEAST[name] - 1, most + 1, -1, -(1 << 31), (1 << 32) + 2, (1 << 64) + 2,
                        10 ** 30))
    return with_value(rng, words, name, value)


def break_name(rng, words):
    name = rng.choice(("mode", "pad_mode", "in_layout", "fil_layout", "out_layout"))
    return with_value(rng, words, name, rng.choice(("x", "1", "NCWH", "convs", "''")))


def break_twice(rng, words):
    name = rng.choice([x for x in NUMBERS if x not in ("spatial_dim", "bias")])
    words = without(words, name)
    for value in (2, 3):
        words = insert(rng, words, spelled(rng, LETTERS[name], name, value))
    return words, names_of(name)


def break_layout(rng, words):
    layouts = ("in_layout", "fil_layout", "out_layout")
    name = rng.choice(layouts)
    words = without(words, "spatial_dim", *layouts)
    dim, layout = rng.choice(((2, "NCDHW"), (2, "NDHWC"), (3, "NHWC"), (3, "NCHW")))
    words = insert(rng, words, "-_", str(dim))
    words = insert(rng, words, spelled(rng, LETTERS[name], name, layout))
    return words, names_of(name) + names_of("spatial_dim")


def break_filter(rng, words):
    axis = rng.choice("hw")
    names = ["%s_%s" % (name, axis) for name in ("in", "fil", "pad", "dilation")]
    words = without(words, "mode", "pad_mode", *names)
    sizes = rng.choice(((5, 6, 0, 1), (5, 8, 1, 1), (4, 3, 0, 2), (1, 2, 0, 9)))
    for name, value in zip(names, sizes):
        words = insert(rng, words, spelled(rng, LETTERS[name], name, value))
    # without its pad_mode the problem may be broken along another axis, too
    return words, [s for name in names + ["fil_h", "fil_w", "fil_d"] for s in names_of(name)]


def break_groups(rng, words):
    c, k, g = rng.choice(((4, 6, 4), (6, 4, 4), (3, 3, 2), (1, 1, 16777216), (64, 32, 33)))
    names = ("in_channels", "out_channels", "group_count")
    words = without(words, "mode", *names)
    for name, value in zip(names, (c, k, g)):
        words = insert(rng, words, spelled(rng, LETTERS[name], name, value))
    return words, [s for name in names for s in names_of(name)]


def break_stray(rng, words):
    word = rng.choice(("stray", "3", "conv", "n=3", "+3", "NCHW"))
    return insert(rng, words, word), [word]


BREAKS = (break_unknown, break_no_value, break_junk, break_range, break_name, break_twice,
          break_layout, break_filter, break_groups, break_stray)


def broken_line(rng, how):
    problem = random_problem(rng)
    words, options = how(rng, options_of(rng, problem, rng.randrange(8)))
    return "%s %s %s" % (rng.choice(PREFIXES), OPERATIONS[problem.dtype], " ".join(words)), options


def broken_alone(tool, rng, how, good, wanted):
    """One broken line among good ones: what the program does otherwise than it should."""
    line, options = broken_line(rng, how)
    at = rng.randint(0, 5)
    log = Log(None, GPUS[1])
    log.lines = good[:at] + [line] + good[at:5]
    path = os.path.join(tool.folder, "broken")
    log.write(rng, path)
    stdin = rng.random() < 0.3
    status, out, err = tool.run(GPUS[1], path, stdin=stdin)
    place = "; first %s:%d" % ("standard input" if stdin else path, at + 1)
    told = [x for x in err.split("\n") if x.startswith("kpred:   1 line: broken: ") and x.endswith(place)]
    words = re.split(r"[ \":,]", told[0][:-len(place)]) if told else []
    if status == 0 and out == wanted and len(told) == 1 and any(x in words for x in options):
        return []
    return ["status %d, %d bytes, %r; expected %s and one of %s: %s" % (
        status, len(out), err[:200], place, " ".join(options), line)]


def check_broken(rules, tool, report, rng, how_many):
    clean = random_log(rules, rng, GPUS[1], 60)
    few = Log(None, GPUS[1])
    few.lines = clean.lines[:5]
    path = os.path.join(tool.folder, "few")
    few.write(rng, path)
    wanted = tool.run(GPUS[1], path)[1]
    for how in BREAKS:
        bad = []
        for _ in range(how_many // len(BREAKS)):
            bad += broken_alone(tool, rng, how, clean.lines, wanted)
        report.result("broken lines, %s" % how.__name__[len("break_"):], bad,
                      "%d lines, each alone" % (how_many // len(BREAKS)))
    check_mixed(tool, report, rng, clean, how_many)


def check_mixed(tool, report, rng, clean, how_many):
    path = os.path.join(tool.folder, "mixed")
    clean.write(rng, path)
    wanted = tool.run(clean.gpu, path)[1]
    lines = list(clean.lines)
    for _ in range(how_many):
        lines.insert(rng.randint(0, len(lines)), broken_line(rng, rng.choice(BREAKS))[0])
    mixed = Log(None, clean.gpu)
    mixed.lines = lines
    mixed.write(rng, path)
    status, out, err = tool.run(clean.gpu, path)
    bad = []
    if status != 0 or out != wanted or not wanted:
        bad.append("status %d, output %s" % (status, out == wanted))
    counted = sum(int(n) for n in re.findall(r"^kpred:   (\d+) lines?: broken: ", err, re.M))
    if counted != how_many:
        bad.append("%d of %d broken lines are counted: %s" % (counted, how_many, err[-600:]))
    report.result("broken lines, mixed", bad, "%d of %d lines" % (how_many, len(lines)))


# ---- logs ----

CALL = re.compile(r"(?:^|[ \t/])MIOpenDriver +(conv\w*)((?: +\S+)*)")


def calls_in(path):
    """The convolutions of a log that is in MIOpen's own form: letters or names, and values."""
    kinds = {operation: dtype for dtype, operation in OPERATIONS.items()}
    names = {s: name for name in LETTERS for s in names_of(name)}
    with open(path) as f:
        for line in f:
            m = CALL.search(line.rstrip("\r\n"))
            if not m or m.group(1) not in kinds:
                continue
            words = m.group(2).split()
            value = dict(DEFAULTS)
            for option, text in zip(words[::2], words[1::2]):
                if option in names:
                    value[names[option]] = int(text) if text.isdigit() else text
            yield Problem(value, kinds[m.group(1)], "F"), value["forw"]


def check_known_log(rules, tool, report, path, keys):
    log = Log(rules, GPUS[1])
    for problem, mask in calls_in(path):
        log.add("", problem, mask)
    bad = []
    listed = [key + "=" + ";".join(sorted(log.expected[key])) for key in log.expected]
    with open(keys) as f:
        if sorted(listed, key=str.encode) != f.read().split("\n")[:-1]:
            bad.append("%s is not what the rules say" % keys)
    status, out, err = tool.run(log.gpu, path)
    if status != 0:
        bad.append("status %d: %s" % (status, err[:500]))
    compare(log, parse_output(out, bad), bad)
    report.result("log, %s" % os.path.basename(path), bad, "%d convolutions, %d problems" % (
        log.count["driver"], len(log.expected)))


def print_keys(rules, path):
    """What a KEYS file holds: the keys that get an entry, and the kernels."""
    log = Log(rules, GPUS[1])
    for problem, mask in calls_in(path):
        log.add("", problem, mask)
    for line in sorted((k + "=" + ";".join(sorted(s)) for k, s in log.expected.items()),
                       key=str.encode):
        print(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rules", default="../shared/miopen/rules.py")
    parser.add_argument("--data", default="../shared/miopen/data")
    parser.add_argument("--log", action="append", default=[])
    parser.add_argument("--print-keys", metavar="LOG")
    parser.add_argument("--keys", type=int, default=8000)
    parser.add_argument("--key-printer", metavar="TEST_DRIVER")
    parser.add_argument("--random", type=int, default=4000)
    parser.add_argument("--broken", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("kpred", nargs="?")
    parser.add_argument("options", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    rules = load_oracle(args.rules)
    if args.print_keys:
        return print_keys(rules, args.print_keys)
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(args.kpred, args.options, folder)
        check_database(rules, tool, report, random.Random(args.seed), args.data, args.keys)
        if args.key_printer:
            check_printed_keys(report, random.Random(args.seed + 3), args.data, args.keys,
                               args.key_printer)
        check_random(rules, tool, report, random.Random(args.seed + 1), args.random)
        if args.broken:
            check_broken(rules, tool, report, random.Random(args.seed + 2), args.broken)
        for pair in args.log:
            check_known_log(rules, tool, report, *pair.rsplit("=", 1))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
