#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""miopen_oracle.py - compares `kpred miopen` with MIOpen's driver lines and rules in Python

usage: miopen_oracle.py [--rules RULES.py] [--data DIR] [--logs FILE] [--keys N] [--lines N]
                        [--key-printer TEST_DRIVER] [--near N] [--seed S] KPRED [OPTION...]

RULES.py restates the validity rules of MIOpen's solvers, DIR holds its text perf-dbs and find-dbs,
OPTIONs go to `KPRED miopen`. The checks are

  database  N keys of the text files (0: all), each as the driver line that gives the problem, with order and omission
            of the options drawn at random: the keys printed are exactly those to which the rules say that a kernel
            applies, each with exactly these kernels, every tuple passes the rules, lines are sorted and unique, and the
            summary counts what was there; with --key-printer (`test_driver --keys`), the keys of the lines, of every
            layout and dimension, are those of the databases
  near      the same on N problems near to those of the keys, many of them at the limits of what a kernel takes
  logs      the logs of FILE, each behind its name, give exactly the keys and kernels that the rules say, and so do the
            lists of them behind each log

test_driver.c and test_miopen.steps have what else a line may be, and what stands around it.

Prints a line for each and `N passed, N failed, N skipped`; exits with 1 if any failed.
"""
import argparse, collections, glob, itertools, os, random, re, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "harness"))
from report import Report, load_oracle, opened

GPUS = (("gfx900", 56), ("gfx906", 60))
OPERATIONS = {"FP32": "conv", "FP16": "convfp16", "BF16": "convbfp16", "INT8": "convint8"}
DIRECTIONS = {"F": 1, "B": 2, "W": 4}
MOST = 1 << 24

# Letter, name, default of the options that make a problem; what the third dimension adds.
OPTIONS = (
    ("n", "batchsize", 100), ("c", "in_channels", 3), ("H", "in_h", 32), ("W", "in_w", 32), ("k", "out_channels", 32),
    ("y", "fil_h", 3), ("x", "fil_w", 3), ("p", "pad_h", 0), ("q", "pad_w", 0), ("u", "conv_stride_h", 1),
    ("v", "conv_stride_w", 1), ("l", "dilation_h", 1), ("j", "dilation_w", 1), ("g", "group_count", 1),
    ("F", "forw", 0), ("m", "mode", "conv"), ("z", "pad_mode", "default"), ("_", "spatial_dim", 2),
    ("I", "in_layout", None), ("f", "fil_layout", None), ("O", "out_layout", None), ("b", "bias", 0))
DEEP = (("!", "in_d", 32), ("@", "fil_d", 3), ("$", "pad_d", 0), ("#", "conv_stride_d", 1), ("^", "dilation_d", 1))
DEFAULTS = {name: value for _, name, value in OPTIONS + DEEP}

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
                for f, s, size in zip(self.along("fil"), self.along("conv_stride"), self.along("in"))]

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

    def sides(self):
        """Channels and sizes, first those that the kernel reads"""
        sides = [(self.in_channels, *self.along("in")), (self.out_channels, *self.outputs())]
        return sides if self.direction == "F" else sides[::-1]

    def key(self):
        (first, second), layouts = self.sides(), self.layouts()
        parts = [*first, times(self.along("fil")), *second, self.batchsize, times(self.pads()),
                 times(self.along("conv_stride")), times(self.along("dilation")), self.bias,
                 *(layouts[:1] if layouts[0] in ("NCHW", "NCDHW") else layouts), self.dtype, self.direction]
        return "-".join(map(str, parts)) + ("_g%d" % self.group_count if self.group_count > 1 else "")

    def is_plain(self):
        """Two dimensions, one stride, the usual layout and types, no transposed convolution, no bias (which RULES.py's
        ConvOclDirectFwd1x1 leaves open)."""
        return (self.spatial_dim == 2 and self.mode == "conv" and self.bias == 0 and self.dtype != "INT8"
                and self.conv_stride_h == self.conv_stride_w and self.layouts() == ["NCHW"] * 3)

    def solvers(self, rules, gpu):
        """The kernels that apply, each with the oracle's problem."""
        if not self.is_plain():
            return {}
        problem = self.in_the_oracles_view(rules, gpu)
        names = (("ConvAsmBwdWrW1x1", "ConvAsmBwdWrW3x3") if self.direction == "W"
                 else ("ConvAsm1x1U", "ConvOclDirectFwd1x1"))
        return {name: problem for name in names if rules.SOLVERS[name].applicable(problem)}

    def in_the_oracles_view(self, rules, gpu):
        (c, h, w), (k, *_) = self.sides()
        left_h, left_w = [rest % self.conv_stride_h if self.direction != "F" else 0 for rest in self.rests()]
        column = dict(dict.fromkeys(rules.COLS, 1), layout="NCHW", data_type=self.dtype, direction=self.direction,
                      spatial_dim=2, in_channels=c, in_h=h, in_w=w, out_channels=k, batchsize=self.batchsize,
                      bias=self.bias, group_count=self.group_count, fil_h=self.fil_h, fil_w=self.fil_w)
        for name, values in (("pad", self.pads()), ("conv_stride", self.along("conv_stride")),
                             ("dilation", self.along("dilation"))):
            column[name + "_h"], column[name + "_w"] = values
        return rules.Prob([column[x] for x in rules.COLS], *gpu, left_h + self.conv_stride_h * left_w)


def times(numbers):
    return "x".join(map(str, numbers))


def problem_of_key(key):
    """The problem of a database key; or why no driver line gives it."""
    body, *suffixes = key.split("_")
    if any(not re.fullmatch("g[0-9]+", s) for s in suffixes):
        return None, "cast types"
    parts = body.split("-")
    axes = 3 if next((p.count("x") for p in parts if "x" in p), 0) == 2 else 2
    if len(parts) not in (2 * axes + 11, 2 * axes + 13):
        return None, "another form"
    layouts = parts[2 * axes + 8:-2]
    numbers = iter([int(x) for p in parts[:-2 - len(layouts)] for x in p.split("x")])

    def some(n):
        return [next(numbers) for _ in range(n)]

    first, fil, second, (n,), pads, strides, dilations, (bias,) = map(some, (
        axes + 1, axes, axes + 1, 1, axes, axes, axes, 1))
    image, output = (first, second) if parts[-1] == "F" else (second, first)
    value = dict(DEFAULTS, spatial_dim=axes, group_count=int((suffixes or ["g1"])[0][1:]), batchsize=n, bias=bias,
                 in_channels=image[0], out_channels=output[0])
    for name, sizes in (("in", image[1:]), ("fil", fil), ("pad", pads), ("conv_stride", strides),
                        ("dilation", dilations)):
        value.update(("%s_%s" % (name, a), size) for a, size in zip("dhw"[-axes:], sizes))
    if len(layouts) == 3:
        value.update(zip(("in_layout", "fil_layout", "out_layout"), layouts))
    problem = Problem(value, parts[-2], parts[-1])
    if not problem.is_convolution() or problem.outputs() != output[1:]:
        return None, "sizes that contradict the formula"
    if problem.key() != key:
        return None, "another form"
    return problem, None


# ---- driver lines ----

def line_of(rng, problem, mask):
    """The options in random order; some of the defaults are left out."""
    words, value = [], dict(problem.value, forw=mask)
    for letter, name, default in OPTIONS + (DEEP if problem.spatial_dim == 3 else ()):
        if value[name] != default or default is not None and rng.random() < 0.6:
            words.append(rng.choice((f"-{letter} {value[name]}", f"--{name} {value[name]}", f"--{name}={value[name]}")))
    rng.shuffle(words)
    return " ".join(["./bin/MIOpenDriver", OPERATIONS[problem.dtype], *words])


def directions(mask):
    return [d for d, bit in DIRECTIONS.items() if mask in (0, 7) or mask & bit]


class Log:
    """Lines, and what is expected of them."""

    def __init__(self, rules, gpu):
        self.rules, self.gpu = rules, gpu
        self.lines, self.expected, self.origin, self.covered = [], {}, {}, 0

    def add(self, line, problem, mask):
        self.lines.append(line)
        found = {}
        for direction in directions(mask):
            one = Problem(problem.value, problem.dtype, direction)
            found.update({one.key(): solvers for solvers in [one.solvers(self.rules, self.gpu)] if solvers})
        self.covered += bool(found)
        self.expected.update(found)
        self.origin.update(dict.fromkeys(found, line))


# ---- the program ----

SUMMARY = re.compile(r"kpred: (\d+) lines?, (\d+) driver lines?: (\d+) covered, (\d+) not; "
                     r"(\d+) problems?, (\d+) entr(?:y|ies)$", re.M)


def summary_troubles(log, err, output):
    m = SUMMARY.search(err)
    wanted = (len(log.lines), len(log.lines), log.covered, len(log.lines) - log.covered, len(output),
              sum(len(x) for x in output.values()))
    return [] if m and tuple(map(int, m.groups())) == wanted else ["counted %s, not %s" % (wanted, err[-300:])]


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
            bad.append("%s: %s apply, %s given; %s" % (key, sorted(wanted), sorted(got), log.origin.get(key, "")))
            continue
        for name, values in got.items():
            solver = log.rules.SOLVERS[name]
            if len(values) != len(solver.PARAMS):
                bad.append("%s: %s has %d parameters" % (key, name, len(values)))
                continue
            broken = [rule for rule, _, ok in solver.rules(wanted[name], values) if not ok]
            if broken:
                bad.append("%s: %s:%s breaks %s" % (key, name, values, broken))


def check_log(command, report, name, log, bad=(), has_summary=True):
    """COMMAND: `kpred miopen` with its options"""
    done = subprocess.run([*command, "--gpu", "%s_%d" % log.gpu], input="".join(x + "\n" for x in log.lines), text=True,
                          capture_output=True, timeout=600)
    bad = list(bad) + (["status %d: %s" % (done.returncode, done.stderr[:500])] if done.returncode else [])
    output = parse_output(done.stdout, bad)
    compare(log, output, bad)
    if has_summary:
        bad += summary_troubles(log, done.stderr, output)
    report.result(name, bad, f"{len(log.lines)} lines; {len(log.expected)} problems expected, {len(output)} got")


# ---- checks ----

def log_of_keys(rules, rng, keys):
    """Their log, the lines by keys, the problems, and why some keys have none"""
    log, lines, problems, without = Log(rules, GPUS[1]), {}, [], collections.Counter()
    for key in keys:
        problem, why = problem_of_key(key)
        if problem is None:
            without[why] += 1
            continue
        problems.append(problem)
        mask = DIRECTIONS[problem.direction]
        lines[key] = line_of(rng, problem, mask)
        log.add(lines[key], problem, mask)
    return log, lines, problems, dict(without)


def check_printed_keys(report, program, name, lines):
    """Keys of every layout and dimension, as the driver's reader makes them from lines alone."""
    printed = subprocess.run([program, "--keys"], input="\n".join(lines.values()) + "\n", stdout=subprocess.PIPE,
                             text=True, check=True).stdout.splitlines()
    bad = ["%s: line gives %s" % pair for pair in zip(lines, printed) if pair[0] != pair[1]]
    if len(printed) != len(lines):
        bad.append("%d lines of keys for %d" % (len(printed), len(lines)))
    report.result("keys, " + name, bad, "%d lines" % len(lines))


# Options that make another problem of one, with values for it
CHANGES = (("pad_mode", ("same", "valid")), ("mode", ("trans",)), ("bias", (1,)), ("group_count", (2, 3, 4, 8, 32)),
           ("conv_stride_h", (1, 2, 3)), ("conv_stride_w", (1, 2, 3)), ("fil_h", (1, 3, 5)), ("fil_w", (1, 3, 4)),
           ("pad_h", (0, 1, 3)), ("pad_w", (0, 1, 2)), ("dilation_h", (2,)), ("dilation_w", (1, 2)),
           ("in_h", (1, 7, 33, 56)), ("in_w", (2, 28, 513)), ("batchsize", (1, 100)), ("in_layout", ("NHWC", "NCHW")),
           ("in_channels", (3, 16, 63, 130)), ("out_channels", (4, 31, 66, 2048)), ("forw", (0,)))


def at_a_limit(rng, value):
    """Moves one size so that a product of some is close to a limit of the kernels."""
    names = ["batchsize", "in_channels", "in_h", "in_w", "out_channels"]
    some = rng.sample(names, rng.randint(1, 4))
    product = 1
    for name in some[1:]:
        product *= value[name]
    limit = rng.choice((1 << 9, 1 << 16, 1 << 22, (1 << 22) // 9, 1 << 24, 1 << 29, (1 << 29) // 9))
    value[some[0]] = min(MOST, max(1, limit // product + rng.randint(-1, 1)))


def near_to(rng, problem):
    """A problem with some other options that is a convolution; a transposed one is also one that is not transposed, as
    it is not stated which way round its groups have to divide."""
    while True:
        value = dict(problem.value)
        for name, values in rng.sample(CHANGES, rng.choice((0, 1, 1, 2))):
            if name != "in_layout" or value["spatial_dim"] == 2:
                value[name] = rng.choice(values)
        if rng.random() < 0.4:
            at_a_limit(rng, value)
        one = Problem(value, rng.choice((problem.dtype, problem.dtype, "FP32", "FP16", "BF16", "INT8")), "F")
        if one.is_convolution():
            return one


def log_near(rules, rng, gpu, problems, how_many):
    log = Log(rules, gpu)
    for _ in range(how_many):
        problem, mask = near_to(rng, rng.choice(problems)), rng.randrange(8)
        log.add(line_of(rng, problem, mask), problem, mask)
    return log


def check_database(rules, command, report, rng, args):
    paths = sorted(glob.glob(os.path.join(args.data, "*.txt.bz2")))
    if not paths:
        report.skip("database keys", "there is no *.txt.bz2 in %s" % args.data)
    for path in paths:
        with opened(path, "rt") as f:
            keys = [line.partition("=")[0] for line in itertools.islice(f, args.lines)]
        total = len(keys)
        if args.keys and total > args.keys // len(paths):
            keys = rng.sample(keys, args.keys // len(paths))
        log, lines, some, without = log_of_keys(rules, rng, keys)
        name = os.path.basename(path)[:-len(".txt.bz2")]
        check_log(command, report, "database, %s, %d of %d keys, no line for %s" % (
            name, len(keys), total, without or "none"), log)
        for gpu in GPUS:
            check_log(command, report, "near to %s, %s_%d" % (name, *gpu),
                      log_near(rules, rng, gpu, some, args.near // len(paths) // 2))
        if args.key_printer:
            check_printed_keys(report, args.key_printer, name, lines)


# ---- logs ----

CALL = re.compile(r"(?:^|[ \t/])MIOpenDriver +(conv\w*)((?: +\S+)*)")


def add_calls(log, lines):
    """The convolutions of a log that is in MIOpen's own form: letters or names, and values."""
    kinds = {operation: dtype for dtype, operation in OPERATIONS.items()}
    names = {spelled: name for letter, name, _ in OPTIONS + DEEP for spelled in ("-" + letter, "--" + name)}
    for line in lines:
        m = CALL.search(line)
        if not m or m.group(1) not in kinds:
            continue
        words = m.group(2).split()
        value = dict(DEFAULTS)
        for option, text in zip(words[::2], words[1::2]):
            if option in names:
                value[names[option]] = int(text) if text.isdigit() else text
        log.add(line, Problem(value, kinds[m.group(1)], "F"), value["forw"])


def check_known_log(rules, command, report, name, lines):
    """LINES: calls and others, and then what a perf-db has of these, without values"""
    log = Log(rules, GPUS[1])
    add_calls(log, lines)
    listed = sorted((key + "=" + ";".join(sorted(log.expected[key])) for key in log.expected), key=str.encode)
    bad = [] if listed == [x for x in lines if x[0].isdigit()] else ["the rules say other keys: " + " ".join(listed)]
    log.lines = lines
    check_log(command, report, "log, %s" % name, log, bad, False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rules", default="../shared/miopen/rules.py")
    parser.add_argument("--data", default="../shared/miopen/data")
    parser.add_argument("--logs", default=os.devnull)
    parser.add_argument("--keys", type=int, default=8000)
    parser.add_argument("--lines", type=int, help="of each file, from which the keys are; default: all")
    parser.add_argument("--key-printer", metavar="TEST_DRIVER")
    parser.add_argument("--near", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("kpred")
    parser.add_argument("options", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    rules, report = load_oracle(args.rules), Report()
    command = [args.kpred, "miopen", *args.options]
    check_database(rules, command, report, random.Random(args.seed), args)
    with open(args.logs) as logs:
        for part in logs.read().split("# ")[1:]:
            name, *lines = part.splitlines()
            check_known_log(rules, command, report, name, lines)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
