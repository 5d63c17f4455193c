"""test_bench.py - tools/lab/peers/label_noise.py, paired.py and classics.py: on a few rows they run, count right, and
refuse what is wrong
"""
# SPDX-License-Identifier: MIT
import itertools
import os
import re
import sys

from report import (
    TRAINER, check, check_with, end, folder, load_oracle, need, output, read, refuse, rows_of, run, sample_databases,
    spec, write)

tmp = folder()
need(TRAINER)
os.environ["OMP_NUM_THREADS"] = "1"
PYTHON = sys.executable


# ---- label_noise.py ----

# Eight layers, six of them copies; of the others one label is the same, and one runs the same code.

# Of new and old runs, in this order: forward and backward of ConvAsm1x1U, ConvOclDirectFwd1x1, ConvAsmBwdWrW1x1
NEW = "1,16,1,64,1,1,1,1", "1,16,1,64,1,1,1,1", "1,64,1,1,1,1,32,128,0", "4,4,2,1,2,1,1,4,0,2"
SEVEN = "2,16,2,64,1,1,1,1", "2,16,2,64,1,1,1,1", "1,64,1,1,1,1,16,128,0", "4,4,2,1,2,1,1,4,0,1"
NINE = "2,16,2,64,1,1,1,1", NEW[1], "1,64,1,1,1,1,32,2048,0", SEVEN[3] # the third is the same code


def layer(n, labels, exchanged=False):
    """The last keys with c and k as MIOpen has them, or the other way round"""
    back = "64-14-14-1x1-128-14-14" if exchanged else "128-14-14-1x1-64-14-14"
    rest = f"{n}-0x0-1x1-1x1-0-NCHW-FP32"
    return f"""64-14-14-1x1-128-14-14-{rest}-F=ConvAsm1x1U:{labels[0]};ConvOclDirectFwd1x1:{labels[2]}
{back}-{rest}-B=ConvAsm1x1U:{labels[1]}
{back}-{rest}-W=ConvAsmBwdWrW1x1:{labels[3]}
"""


def put_layers(name, labels, exchanged=False, more=""):
    return write(f"{tmp}/{name}.cd.pdb.txt", "".join(layer(n, x, exchanged) for n, x in labels.items()) + more)


SAME = {n: NEW for n in range(1, 7)}
new = put_layers("gfx900_56-new", {**SAME, 7: NEW, 9: NEW})
old = put_layers("gfx900_56-old", {**SAME, 7: SEVEN, 9: NINE})
# The last row is the one that tells: of 64 written channels 16 are a divisor, of 72 not.
exchanged = put_layers("gfx900_56-exchanged", {**SAME, 7: SEVEN, 9: NINE}, True,
                       f"64-14-14-1x1-72-14-14-1-0x0-1x1-1x1-0-NCHW-FP32-B=ConvAsm1x1U:{NEW[0]}\n")
NOISE = f"{PYTHON} tools/lab/peers/label_noise.py --trainer {TRAINER}"
NOISE_1X1 = f"{NOISE} " + " ".join(f"weights/{x}.spec" for x in (
    "conv_asm_1x1u", "conv_asm_bwd_wrw_1x1", "conv_ocl_direct_fwd_1x1"))


def tells(text, *wanted):
    """KERNEL, WHAT, N, PERCENT of all types"""
    found = [(x["kernel"], x["what"], x["n"], x["percent"]) for x in rows_of(text) if x["dtype"] == "all"]
    return [f"not there: {x}" for x in wanted if x not in found]


def bracket(other, *said):
    done = run(f"{NOISE_1X1} --csv --data {new} {other}")
    assert all(x in done.stderr for x in said) and "old" not in done.stderr, done.stderr
    return tells(done.stdout, ("conv_asm_1x1u", "identical", "16", "81.2"), ("conv_asm_1x1u", "retuned", "4", "25.0"),
                 ("conv_asm_1x1u", "strict", "3", "33.3"), ("conv_ocl_direct_fwd_1x1", "retuned", "2", "0.0"),
                 ("conv_ocl_direct_fwd_1x1", "retuned, merged", "2", "50.0"),
                 ("conv_asm_bwd_wrw_1x1", "parameter data_prefetch", "2", "0.0"),
                 ("conv_asm_bwd_wrw_1x1", "parameter read_size", "2", "100.0"),
                 ("all", "layers of 3 or more: none differ", "8", "75.0"))


def retuned_rows():
    """kpred-train reads what --retuned writes, with two different labels for the one problem."""
    plain = output(f"{NOISE_1X1} --csv --data {new} {old}")
    assert output(f"{NOISE_1X1} --csv --data {new} {old} --retuned {tmp}") == plain
    ours, theirs = (output(f"{TRAINER} ingest weights/conv_asm_bwd_wrw_1x1.spec --data "
                           f"{tmp}/conv_asm_bwd_wrw_1x1.gfx900_56-new+gfx900_56-old.gfx900_56-{side}.csv")
                    for side in ("new", "old"))
    assert ours != theirs and ours.count("\n") == theirs.count("\n") == 3, ours


def test_rows():
    """Of the eight layers the split keeps n = 9 for testing, forward and backward data."""
    text = output(f"{NOISE_1X1} --csv --test config --data {new} {old}")
    return tells(text, ("conv_asm_1x1u", "retuned", "2", "50.0"),
                 ("conv_ocl_direct_fwd_1x1", "retuned, merged", "1", "100.0")) + \
        re.findall("conv_asm_bwd_wrw_1x1", text)


check("label_noise.py: the bracket", bracket, old)
check("label_noise.py: exchanged keys", bracket, exchanged,
      f"{os.path.basename(exchanged)}: c and k of backward keys are exchanged")
check("label_noise.py: retuned rows for kpred-train", retuned_rows)
check("label_noise.py: test rows only", test_rows)
for name, text, command in (
        ("no common problem", "no two files of one GPU arch", f"{NOISE_1X1} --data {new} "
         + put_layers("gfx900_56-far", {99: NEW})),
        ("no such file", f"{tmp}/gfx900_56.none.db", f"{NOISE_1X1} --data {new} {tmp}/gfx900_56.none.db"),
        ("a GPU that the spec has not", "gfx1030_36", f"{NOISE_1X1} --data {new} {put_layers('gfx1030_36', SAME)}"),
        ("another format", 'tiny.spec: format "csv"', f"{NOISE} tests/fixtures/tiny.spec --data {new}")):
    refuse(f"label_noise.py: {name}", 2, text, command)

# ---- paired.py ----

PAIRED = f"{PYTHON} tools/lab/peers/paired.py"
HITS = """method,model,split,key,row,k,hit,agree
a,m,config,"x,1",1,1,1,8
a,m,config,"x,1",2,1,1,8
a,m,config,"y,1",3,1,0,2
a,m,config,"z,1",4,1,1,8
b,m,config,"x,1",1,1,0,1
b,m,config,"x,1",2,1,0,1
b,m,config,"y,1",3,1,0,2
b,m,config,"z,1",4,1,1,8
"""
hits = write(f"{tmp}/hits.csv", HITS)


def paired():
    """sqrt((2 - 2 * 0.5)^2 + 0.5^2 + 0.5^2) / 4"""
    text = output(f"{PAIRED} --csv --against b {hits}")
    assert text.splitlines()[1] == "m,config,1,a,b,4,3,+50.00,30.62", text


check("paired.py", paired)
other = write(f"{tmp}/other.csv", HITS.replace('b,m,config,"y,1"', 'b,m,config,"y,2"'))
for name, text, arguments in (("no such method", 'no method "network"', hits),
                              ("no hits", f"{new}: columns", new),
                              ("other data", 'row 3 is "y,1" and "y,2": not of the same data', f"--against b {other}")):
    refuse(f"paired.py: {name}", 2, text, f"{PAIRED} {arguments}")

# ---- classics.py ----

need("python3-numpy", "classics.py")
need("weights/conv_asm_1x1u.h", "classics.py")


class Kernel:
    """What classics.py needs of one; network: where the header lies"""

    def __init__(self, spec, model, network, data):
        self.spec, self.model, self.network, self.data = spec, model, network, data

    def classics(self, arguments):
        return f"{PYTHON} tools/lab/peers/classics.py {self.spec} --trainer {TRAINER} --network {self.network} " \
            f"--data {self.data} -k 1,10 --rounds 3 --svc-rows 30 {arguments}"

    def figures(self, arguments, **options):
        """The lines without the times"""
        return [line.split(",")[:10] for line in output(self.classics(f"--csv {arguments}"), **options).splitlines()]

    def plausible(self, *methods):
        """No error, lines of each with the rule and without, more hits for more tuples, the same with two threads"""
        done = run(self.classics(f"--csv --methods {','.join(methods)}"))
        lines = rows_of(done.stdout)
        assert "skip" not in done.stderr, done.stderr
        assert self.figures(f"--methods {','.join(methods)} --threads 2") == \
            [line.split(",")[:10] for line in done.stdout.splitlines()]
        at = {(x["method"], x["k"]): float(x["pft"]) for x in lines if x["gpu"] == x["dtype"] == "all"}
        names = {method for method, _ in at}
        assert len(names) == 2 * len(methods), names
        return [x for x in lines if len(x) != 13 or not 0 <= float(x["pft"]) <= min(100, float(x["avg"]))] + \
            [f"k: {x}" for x in names if at[x, "10"] < at[x, "1"]]

    def as_eval(self):
        """The figures of the network are those that kpred-train measures."""
        columns = ["gpu", "dtype", "k", "n", "pft", "avg"]
        ours, theirs = (sorted([x[c] for c in columns] for x in rows_of(text) if x["gpu"] != "all") for text in (
            output(self.classics("--csv --methods network")),
            output(f"{TRAINER} eval {self.model} --data {self.data} -k 1,10 --csv")))
        assert ours and ours == theirs, (ours, theirs)

    def eval_hits(self, of="--methods network", model=None):
        """What kpred-train eval writes of the same network is the same, but for the method's name; paired.py joins."""
        run(self.classics(f"--csv {of} --hits {tmp}/network.hits"))
        run(f"{TRAINER} eval {model or self.model} --data {self.data} -k 1,10 --hits {tmp}/eval.hits")
        assert re.sub("(?m)^network,", "additive,", read(f"{tmp}/network.hits")) == read(f"{tmp}/eval.hits")
        joined = output(f"{PAIRED} --csv {tmp}/network.hits {tmp}/eval.hits").splitlines()[1:]
        joined = [line.split(",")[2:5] + line.split(",")[7:] for line in joined]
        assert joined == [[k, "additive", "network", "+0.00", "0.00"] for k in ("1", "10")], joined

    def all_methods(self, what, *classifiers):
        check(f"classics.py: {what}: nearest", self.plausible, "nearest")
        check(f"classics.py: {what}: the network as kpred-train measures it", self.as_eval)
        check(f"paired.py: {what}: classics.py and kpred-train eval", self.eval_hits)
        check_with("python3-sklearn", f"classics.py: {what}: classifiers", self.plausible, *classifiers)
        check_with("python3-xgboost", f"classics.py: {what}: chain", self.plausible, "chain")


one = Kernel("weights/conv_asm_1x1u.spec", "conv_asm_1x1u", "weights", sample_databases(tmp))


def adds_up():
    """The hits add up to the figures."""
    figures = rows_of(output(one.classics(f"--csv --methods nearest --hits {tmp}/nearest.hits")))
    for f in figures:
        if f["gpu"] == f["dtype"] == "all":
            found = [int(h["hit"]) for h in rows_of(read(f"{tmp}/nearest.hits"))
                     if (h["method"], h["k"]) == (f["method"], f["k"])]
            assert len(found) == int(f["n"]) and f"{100 * sum(found) / len(found):.2f}" == f["pft"], f


def missing_package():
    """A package that cannot be imported: its method is skipped by name, the others run."""
    for module in "xgboost", "sklearn":
        write(f"{tmp}/none/{module}.py", f"raise ImportError('no {module} here')\n")
    done = run(one.classics("--csv --methods nearest,tree,chain"), env={"PYTHONPATH": f"{tmp}/none"})
    assert "skip tree: needs python3-sklearn" in done.stderr and "skip chain: needs python3-xgboost" in done.stderr
    assert "\nnearest," in done.stdout


def legal():
    """The legal tuples that rankings choose from are all those, and only those, that the oracle accepts."""
    sys.path.insert(1, "tools/lab/peers")
    import native
    import numpy as np
    import rows
    rules, spec = load_oracle(ORACLE), rows.read_spec("weights/conv_asm_bwd_wrw_3x3.spec")
    library = native.load("weights/conv_asm_bwd_wrw_3x3.h")
    values = [[int(v) for v in vs] for _, vs in spec["params"]]
    judge = rules.SOLVERS[spec["solver"]].rules
    for row in rows.ingest(TRAINER, spec, one.data.split())[::6]:
        problem = np.array([t.index(x) if t else int(x) for (_, t), x in zip(spec["fields"], row)], np.int32)
        p = rows.oracle_problem(rules, spec, row)
        expected = [t for t in itertools.product(*values) if all(ok for _, _, ok in judge(p, t))]
        got = native.legal_tuples(library, problem, len(values))
        assert [tuple(v[i] for v, i in zip(values, t)) for t in got] == expected, row


def older():
    """Older labels of the problems that are tested change nothing, those of others do, copies do not."""
    plain = one.figures(f"--methods nearest --hits {tmp}/plain.hits")
    head, *rows = output(f"{TRAINER} ingest {one.spec} --data {one.data}").splitlines()
    tested = {int(x["row"]) for x in rows_of(read(f"{tmp}/plain.hits"))}
    other = [re.sub(",([^,]*)$", lambda m: f",{2 if m[1] == '1' else 1}", row) for row in rows]
    for name, lines, same in (("tests", [x for i, x in enumerate(other, 1) if i in tested], True),
                              ("others", [x for i, x in enumerate(other, 1) if i not in tested], False),
                              ("rows", rows, True)):
        path = write(f"{tmp}/{name}.csv", "\n".join([head, *lines]) + "\n")
        assert (one.figures(f"--methods nearest --older {path}") == plain) == same, name


def misused(words, arguments):
    """Status 2, and behind the usage the words"""
    done = run(one.classics(arguments), 2)
    assert not done.stdout and words in done.stderr, done.stderr


ORACLE = os.environ.get("ORACLE", "../shared/miopen/rules.py")
one.all_methods("one filter", "tree", "bayes", "knn", "svc", "forest")
check("classics.py: hits", adds_up)
check("classics.py: a package is missing", missing_package)
check_with(ORACLE, "classics.py: legal tuples", legal)
check("classics.py: older runs", older)
check("classics.py: no such method", misused, '"oracle" is not one of', "--methods oracle")
check("classics.py: k of 0", misused, '"0": expected a number of at least 1', "-k 0")
CLASSICS = f"{PYTHON} tools/lab/peers/classics.py"
for name, text, command in (
        ("no such header", f"{tmp}/none.h", one.classics(f"--network {tmp}/none.h")),
        ("a header without a model", "kpred.h: declares no kpred_model", one.classics("--network kpred.h")),
        ("no such program", f"{tmp}/none", one.classics(f"--trainer {tmp}/none")),
        ("no such spec", f"{tmp}/none.spec",
         f"{CLASSICS} {tmp}/none.spec --network weights/conv_asm_1x1u.h --data {one.data}")):
    refuse(f"classics.py: {name}", 2, text, command)

# ---- of a kernel with filters ----


def convolutions():
    """Lines of a perf-db; filters, pads, strides (to 3: 2 would hide pads) and dilations differ by side; keys of B and
    W have the images exchanged. The tuple follows the problem."""
    def out(side, filter, pad, stride, dilation):
        return (side + 2 * pad - dilation * (filter - 1) - 1) // stride + 1
    for i in range(180):
        fh, fw = ((1, 1), (3, 3), (1, 7), (7, 1), (5, 3))[i % 5]
        c, k, h, w, n = 16 * (i % 4 + 1), 24 * (i % 7 + 1), 14 + i % 9, 28 - i % 11, i % 6 + 1
        sh, sw, dh, ph, pw = i % 3 + 1, i // 2 % 3 + 1, i // 3 % 2 + 1, fh // 2 * (i % 4 > 0), fw // 2
        way, near = "FBW"[i // 7 % 3], f"{c}-{h}-{w}"
        far = f"{k}-{out(h, fh, ph, sh, dh)}-{out(w, fw, pw, sw, 1)}"
        near, far = (near, far) if way == "F" else (far, near)
        part = n % 4
        name = f"wide,{part},7" if k % 48 == 0 else f"narrow,{part},9"
        yield f"{near}-{fh}x{fw}-{far}-{n}-{ph}x{pw}-{sh}x{sw}-{dh}x1-0-NCHW-FP32-{way}=ConvMix:{name}" \
            + (f"[{part}]" if part else "") + "\n"


# A name with commas, a parameter that is a piece of it, sizes from 0.
MIXED = spec("""[kernel] name = conv_mix; rule = unconstrained [data] format = miopen; solver = ConvMix
    [fields] gpu = gfx906_60; dir = F B W; dtype = FP32; n = size; c = size; h = size; w = size; k = size; y = size
    x = size; pad_h = size 0 16777216; pad_w = size 0 16777216; stride_h = size; stride_w = size; dil_h = size
    dil_w = size [params] kernel = "wide,*,7" "narrow,*,9" "neither,*,9"; part = 0 1 2 3
    [split] config = dir, n,c,canonical(h),canonical(w),k,y,x,pad_h,pad_w,stride_h,stride_w,dil_h,dil_w
    shape = min(c, k),max(c,k),canonical( h ),canonical(w),y,x [derived] ln = log2 n
    [features] hats ln 0 1 4; divides k 4 2
    [network] teachers = 0; epochs = 3; encoder1 = 16; encoder2 = 16; hidden = 16""")
mix = Kernel(write(f"{tmp}/mix.spec", MIXED), f"{tmp}/config.h", f"{tmp}/config.h",
             write(f"{tmp}/gfx906_60-mix.cd.pdb.txt", "".join(convolutions())))
for split in "config", "shape":
    run(f"{TRAINER} train {mix.spec} --data {mix.data} --split {split} --threads 1 "
        f"--float-out {tmp}/mix.f32 -o {tmp}/{split}.h")
mix.all_methods("filters", "tree", "knn")
check("classics.py: filters: the split by shape", mix.eval_hits,
      f"--split shape --methods network --network {tmp}/shape.h", f"{tmp}/shape.h")
half = write(f"{tmp}/half.spec", MIXED.replace("solver = ConvMix\n", "solver = ConvMix\nfilter = 3\n"))
refuse("classics.py: half a filter", 2, 'half.spec: [data]: filter "3": expected',
       f"{CLASSICS} {half} --trainer {TRAINER} --data {mix.data}")
refuse("label_noise.py: a kernel with filters", 2, "mix.spec: no filter in [data]",
       f"{NOISE} {mix.spec} --data {mix.data}")
end()
