#!/usr/bin/env python3
# label_noise.py - how often a second tuning names the same tuple
# SPDX-License-Identifier: MIT
"""How often an independent re-tuning of a problem names the same tuple: what top-1 can mean.

Reads label files (perf-dbs of SQLite and text) with `kpred-train ingest`, and compares those of one
GPU arch in pairs: a pair of labels is one problem and kernel in two files. Most are copies, since a
newer database takes over what an older one has. Which ones shows in the other labels of the same
layer (n, c, h, w, k, stride, groups, type; all kernels and directions): a layer was copied as a
whole or tuned again as a whole. Hence a bracket for pairs tuned twice:

  retuned   another label of the layer differs: some copies are left, so the share of identical
            labels is an upper bound
  strict    at least two others, and all of them differ: hardly any copy is left, but neither are
            layers whose labels tend to agree, so it is a lower bound

Where a layer has a single label, labels of other solvers in the same files serve as witnesses,
which the spec's section [labels] names, each with the number of its parameters. Both shares are of
layers that were tuned twice, which no one drew at random: `gpus` says how often the labels of the
newest files of two GPUs agree, on all problems and on the retuned ones, so that one can see whether
those are like the others.

merged: after merging tuples that run the same code. Values of a parameter that is `capped` in
[labels] are one if they are above the number of input channels: the kernel reads no more at once
than there are. blind: merged, and without the parameter in which the current and the older files
agree no more often than by chance: a finding about labels, it is not shown that its values run the
same code. Of the parameters that `blind` in [labels] names, the value of the first says which of
the others it is. parameter NAME: the share of retuned pairs that agree in it; alone NAME: of the
strict pairs that agree in all others, those that agree in it too, and how many would if the two
files drew it independently, each from its own frequencies (chance).

Backward sizes are compared as the split does, by the one size that stands for all with the same
output; labels that this makes ambiguous are left out.

Two tunings may differ by more than chance: with another compiler another tuple is fastest. To see
how much, write the retuned pairs with --retuned and let `kpred-train eval` judge one network on the
labels of either file: if only chance told them apart, it would do as well on both. With --test the
bracket is that of the very rows it is judged on.

Standard errors are over layers without n and type.
"""
import collections
import itertools
import os
import tempfile

from rows import (ROOT, canonical, die, ingest, is_test, parser_of, print_csv, print_table,
                  progress, read_spec, share_and_error, split_key, window, write_csv)

HEADING = "files,kernel,dtype,dir,what,n,percent,se".split(",")
Label = collections.namedtuple("Label", "kernel dir dtype n c h w k stride groups")


# ---- label files ----

def witness_specs(spec, folder):
    """Specs of a kernel's witnesses: its own fields, and parameters without names."""
    data = f"filter = {'x'.join(map(str, spec['filter']))}", f"pad = {spec['pad']}"
    for witness in spec["labels"].get("witnesses", "").split():
        solver, colon, n = witness.partition(":")
        if not colon or not n.isdigit():
            die(f"{spec['path']}: witnesses \"{witness}\": expected SOLVER:PARAMETERS")
        name = solver.strip(">").replace("<", "_")
        lines = ["[kernel]", f"name = {name}", "rule = unconstrained", "[data]",
                 "format = miopen", f"solver = {solver}", *data, "[fields]"]
        lines += [f"{name} = {' '.join(tokens) or 'size'}" for name, tokens in spec["fields"]]
        values = " ".join(map(str, [*range(33), 48, 64, 128, 256]))
        lines += ["[params]"] + [f"p{i} = {values}" for i in range(int(n))]
        lines += ["[split]"] + [f"{k} = {','.join(v)}" for k, v in spec["split"].items()]
        path = os.path.join(folder, f"{name}.spec")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        yield read_spec(path)


def gpu_of(path):
    """The GPU that a file is named after."""
    return os.path.basename(path).split(".")[0].split("-")[0]


def token_for(spec, path):
    """The GPU of the spec to read a file as: the same, or one of its arch."""
    gpu, known = gpu_of(path), dict(spec["fields"]).get("gpu", [])
    alike = [t for t in known if t.split("_")[0] == gpu.split("_")[0]]
    if not alike:
        die(f"{path}: GPU \"{gpu}\": {spec['path']} knows {' '.join(known)}")
    return gpu if gpu in alike else alike[0]


def label_of(spec, row):
    """What a row is a label of."""
    field = dict(zip((name for name, _ in spec["fields"]), row))
    n, c, h, w, k, stride = (int(field[x]) for x in ("n", "c", "h", "w", "k", "stride"))
    if field["dir"] != "F":
        h, w = (canonical(x, *window(spec, axis, {"stride": stride})) for axis, x in (("h", h), ("w", w)))
    return Label(spec["name"], field["dir"], field["dtype"], n, c, h, w, k, stride, int(field.get("groups", 1)))


def labels_of(spec, rows):
    """The tuple of every label; what is ambiguous is left out."""
    found, ambiguous = {}, set()
    for row in rows:
        label, values = label_of(spec, row), tuple(row[len(spec["fields"]):])
        if found.setdefault(label, values) != values:
            ambiguous.add(label)
    return {label: v for label, v in found.items() if label not in ambiguous}


def read_file(path, specs, options):
    """The labels of a file."""
    labels = {}
    for spec in specs:
        progress(f"{os.path.basename(path)}: {spec['name']}")
        rows = ingest(options.trainer, spec, [path], "--lenient", "--gpu", token_for(spec, path))
        labels.update(labels_of(spec, rows))
    progress("")
    return labels


# ---- pairs ----

def layer_of(label):
    """What is tuned in one go: all kernels and directions of a layer, in one type."""
    return label[2:]


def family_of(label):
    """Layers that differ in batch size and type only."""
    return label[4:]


def pairs_of(a, b):
    """(label, its values in a and b, other pairs of its layer, how many of those differ)."""
    layers = collections.defaultdict(list)
    for label in a:
        if label in b:
            layers[layer_of(label)].append(label)
    for labels in layers.values():
        differing = sum(a[x] != b[x] for x in labels)
        for x in labels:
            yield x, a[x], b[x], len(labels) - 1, differing - (a[x] != b[x])


def is_retuned(pair):
    """Another label of the layer differs."""
    return pair[4] >= 1


def is_strict(pair):
    """At least two others, and all of them differ."""
    return pair[3] >= 2 and pair[3] == pair[4]


def merge(label, values, spec):
    """The values with those that run the same code made one."""
    capped = spec["labels"].get("capped", "").split()
    channels = label.c if label.dir == "F" else label.k
    return [str(min(int(v), channels)) if name in capped else v for v, (name, _) in zip(values, spec["params"])]


def merge_blind(label, values, spec):
    """The same without the one parameter in which current and older files agree no more often than by chance."""
    merged, names = merge(label, values, spec), [name for name, _ in spec["params"]]
    if "blind" in spec["labels"]:
        first, *others = map(names.index, spec["labels"]["blind"].split())
        merged[others[spec["params"][first][1].index(values[first])]] = ""
    return merged


# ---- figures ----

def share(pairs, same):
    """n, percent and standard error of a predicate over pairs, as texts; nothing if none."""
    if not pairs:
        return None
    percent, se = share_and_error([int(same(p)) for p in pairs], [family_of(p[0]) for p in pairs])
    return [str(len(pairs)), f"{percent:.1f}", f"{se:.1f}"]


def alone(pairs, at):
    """Pairs that agree in all parameters but perhaps this; the share that agree in it too, and the
    share that would by chance."""
    rest = [p for p in pairs if p[1][:at] + p[1][at + 1:] == p[2][:at] + p[2][at + 1:]]
    if not rest:
        return None, None
    first, second = (collections.Counter(p[i][at] for p in rest) for i in (1, 2))
    chance = sum(first[v] * second[v] for v in first) / len(rest) ** 2
    return share(rest, lambda p: p[1][at] == p[2][at]), [str(len(rest)), f"{100 * chance:.1f}", "-"]


def copied(pairs, bound):
    """The part that must be copies if independent labels agree as often as the bound says."""
    if bound is None or float(bound[1]) >= 100:
        return None
    p = float(bound[1]) / 100
    same = sum(x[1] == x[2] for x in pairs) / len(pairs)
    return [str(len(pairs)), f"{100 * max(0, same - p) / (1 - p):.1f}", "-"]


def bracket(pairs, spec):
    """(what, [n, percent, se] or None) for one group of pairs."""
    def same(how):
        return lambda p: how(p[0], p[1], spec) == how(p[0], p[2], spec)

    def raw(_, values, __):
        return values
    retuned, strict = (list(filter(f, pairs)) for f in (is_retuned, is_strict))
    low, high = share(strict, same(raw)), share(retuned, same(raw))
    yield "identical", share(pairs, same(raw))
    yield "retuned", high
    yield "strict", low
    yield "copied, least", copied(pairs, high)
    yield "copied, most", copied(pairs, low)
    for name, how in (("merged", merge), ("blind", merge_blind)):
        yield f"retuned, {name}", share(retuned, same(how))
        yield f"strict, {name}", share(strict, same(how))


def by_parameter(pairs, names):
    """Agreement in every parameter: of the retuned pairs, and alone of the strict ones."""
    retuned, strict = (list(filter(f, pairs)) for f in (is_retuned, is_strict))
    for at, name in enumerate(names):
        yield f"parameter {name}", share(retuned, lambda p, at=at: p[1][at] == p[2][at])
        both, chance = alone(strict, at)
        yield f"alone {name}", both
        yield f"alone {name}, chance", chance


def across(pairs, newest):
    """How often the newest files of two GPUs agree: on all problems, and on the retuned ones."""
    if len(newest) < 2:
        return
    a, b = newest[:2]
    for what, chosen in (("gpus", pairs), ("gpus, retuned", filter(is_retuned, pairs))):
        both = [(p[0], a[p[0]], b[p[0]]) for p in chosen if p[0] in a and p[0] in b]
        yield what, share(both, lambda p: p[1] == p[2])


def groups_of(pairs):
    """(type, direction, pairs) of all, of every type, and of every type and direction."""
    yield "all", "all", pairs
    for dtype in sorted({p[0].dtype for p in pairs}):
        typed = [p for p in pairs if p[0].dtype == dtype]
        yield dtype, "all", typed
        directions = sorted({p[0].dir for p in typed})
        for direction in directions if len(directions) > 1 else ():
            yield dtype, direction, [p for p in typed if p[0].dir == direction]


def lines_of(files, spec, pairs, newest):
    """All lines of one kernel in two files."""
    names = [name for name, _ in spec["params"]]
    for dtype, direction, chosen in groups_of(pairs):
        figures = [bracket(chosen, spec), across(chosen, newest), by_parameter(chosen, names)]
        for what, figure in itertools.chain(*figures):
            if figure:
                yield [files, spec["name"], dtype, direction, what, *figure]


def layer_lines(files, pairs):
    """How many labels of a layer differ: all or none where layers are copied as a whole. `by
    chance`: if each label differed as often as all do together, but on its own."""
    size = collections.Counter(layer_of(p[0]) for p in pairs)
    differing = collections.Counter(layer_of(p[0]) for p in pairs if p[1] != p[2])
    many = [x for x in size if size[x] >= 3]
    if not many:
        return
    rate = sum(differing[x] for x in many) / sum(size[x] for x in many)
    counts = [("none differ", sum(differing[x] == 0 for x in many)),
              ("none differ, by chance", sum((1 - rate) ** size[x] for x in many)),
              ("all differ", sum(differing[x] == size[x] for x in many)),
              ("all differ, by chance", sum(rate ** size[x] for x in many))]
    for what, count in counts:
        yield [files, "all", "all", "all", f"layers of 3 or more: {what}", str(len(many)),
               f"{100 * count / len(many):.1f}", "-"]


# ---- rows for kpred-train ----

def fields_of(spec, label, gpu):
    """A label's problem as the fields of a row."""
    known = {**label._asdict(), "gpu": gpu}
    return [str(known[name]) for name, _ in spec["fields"]]


def write_side(path, spec, gpu, pairs, side):
    """One side of pairs as rows that kpred-train reads."""
    write_csv(path, [name for name, _ in spec["fields"] + spec["params"]],
              [[*fields_of(spec, p[0], gpu), *p[side]] for p in pairs])


def write_retuned(folder, a, b, spec, pairs):
    """The retuned pairs, twice: with the labels of file a and with those of b."""
    names = [os.path.basename(x).split(".")[0] for x in (a, b)]
    retuned = list(filter(is_retuned, pairs))
    for side, name in enumerate(names, 1):
        path = os.path.join(folder, f"{spec['name']}.{'+'.join(names)}.{name}.csv")
        write_side(path, spec, token_for(spec, a), retuned, side)


# ---- the command line ----

def load_files(options, specs):
    """The labels of every file, by path, and those of the first file of each arch."""
    labels = {path: read_file(path, specs, options) for path in options.data}
    first = {}
    for path in options.data:
        first.setdefault(gpu_of(path).split("_")[0], path)
    return labels, [labels[path] for path in first.values()]


def is_wanted(spec, label, split):
    """Whether a label is for testing, if only those are asked for."""
    return not split or is_test(split_key(spec, split, fields_of(spec, label, "")))


def compare(options, specs, wanted):
    """All lines, for every two files of one arch."""
    labels, newest = load_files(options, specs)
    lines = []
    for a, b in itertools.combinations(options.data, 2):
        if gpu_of(a).split("_")[0] != gpu_of(b).split("_")[0]:
            continue
        files = " ".join(os.path.basename(x).split(".")[0] for x in (a, b))
        pairs = list(pairs_of(labels[a], labels[b]))
        lines += layer_lines(files, pairs)
        for spec in wanted:
            chosen = [p for p in pairs if p[0].kernel == spec["name"] and is_wanted(spec, p[0], options.test)]
            if chosen:
                lines += lines_of(files, spec, chosen, newest)
                if options.retuned:
                    write_retuned(options.retuned, a, b, spec, chosen)
    if not lines:
        die("no two files of one GPU arch hold a label of the same problem")
    return lines


def main():
    """Compares all files of one arch in pairs."""
    p = parser_of(__doc__)
    p.add_argument("spec", nargs="+", help="the kernels' .spec files; together they find more "
                   "layers tuned twice than each alone")
    p.add_argument("--data", nargs="+", required=True,
                   help="label files, those of each arch from the newest to the oldest")
    p.add_argument("--trainer", default=os.path.join(ROOT, "build", "kpred-train"))
    p.add_argument("--test", choices=("config", "shape"), help="only problems that this split "
                   "keeps for testing; which are retuned is still seen in all")
    p.add_argument("--retuned", metavar="DIR", help="write the retuned pairs there as CSV, "
                   "with the labels of one file and of the other")
    p.add_argument("--parameters", action="store_true", help="show the lines of single parameters")
    p.add_argument("--csv", action="store_true", help="all lines, as CSV")
    options = p.parse_args()
    wanted = [read_spec(path) for path in options.spec]
    for spec in wanted:
        if not spec["filter"]:
            die(f"{spec['path']}: no filter in [data]: only kernels of one filter are compared")
    with tempfile.TemporaryDirectory() as folder:
        witnesses = [w for s in wanted for w in witness_specs(s, folder)]
        lines = compare(options, wanted + witnesses, wanted)
    if options.csv:
        print_csv(HEADING, lines)
    else:
        print_table(HEADING, [x for x in lines if options.parameters or not x[4].startswith(("parameter", "alone"))])


if __name__ == "__main__":
    main()
