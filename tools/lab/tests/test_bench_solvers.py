"""test_bench_solvers.py - tools/lab/peers/solvers.py on a small find-db, and beside kpred-train eval"""
# SPDX-License-Identifier: MIT
import collections
import re
import sys

from report import TRAINER, check, check_with, end, folder, need, output, read, refuse, rows_of, run, write

tmp = folder()
need(TRAINER)
need("python3-numpy")

GEMM, DIRECT = "miopenConvolutionFwdAlgoGEMM", "miopenConvolutionFwdAlgoDirect"
REST = f"GemmFwdRest:2,0,{GEMM};ConvDirectNaiveConvFwd:8,0,{DIRECT}"


def databases():
    """1x1: ConvAsm1x1U is the fastest, but it takes twice the time if n is 3 more than a multiple of 5, and is not
    listed if n is 1 more. 3x3: GEMM. One problem has a single option. Another GPU has the same of another type."""
    def key(filter, pad, n):
        return f"64-8-8-{filter}-32-8-8-{n}-{pad}-1x1-1x1-0-NCHW-FP32-F"
    text = ""
    for n in range(1, 61):
        asm = "" if n % 5 == 1 else f"ConvAsm1x1U:{4 if n % 5 == 3 else 1},0,{DIRECT};"
        text += f"{key('1x1', '0x0', n)}={asm}{REST}\n{key('3x3', '1x1', n)}={REST}\n"
    text += f"{key('5x5', '2x2', 1)}=GemmFwdRest:2,0,{GEMM}\n"
    return write(f"{tmp}/gfx942130.HIP.fdb.txt", text), \
        write(f"{tmp}/gfx90878.HIP.fdb.txt", text.replace("-FP32-", "-FP16-"))


one, second = databases()
PEERS = f"{sys.executable} tools/lab/peers"
SOLVERS = f"{PEERS}/solvers.py weights/conv_solver.spec --trainer {TRAINER} --trees 20 --data {one}"
table_hits, eval_hits, boosted_hits = (f"{tmp}/{name}.csv" for name in ("table", "eval", "boosted"))


def table():
    """What every line of --hits must say; of each kind of problem there is one."""
    run(f"{SOLVERS} --methods table --hits {table_hits} --csv")
    seen = set()
    for x in rows_of(read(table_hits)):
        key = x["key"].split(",")
        asked = int(key[3]) % 5 if key[10] == "1" else 5
        seen.add(asked)
        share = "0.50000" if x["k"] == "1" and asked == 3 else "1.00000"
        want = [str(int(share == "1.00000")), "0", share, str(int(asked == 1))]
        assert [x[name] for name in ("hit", "agree", "share", "unlisted")] == want, (x, want)
    assert seen >= {1, 2, 3, 5}, seen


def as_eval():
    """Trained on the same rows of the same file, kpred-train tests on the same problems; paired.py joins the two."""
    text = re.sub("(?m)^(teach|judge_).*\n", "", re.sub("(?m)^epochs .*", "epochs = 1", read("weights/conv_solver.spec")))
    spec = write(f"{tmp}/conv_solver.spec", text.replace("[network]", "[network]\nteachers = 0"))
    run(f"{TRAINER} train {spec} --data {one} --split config --epochs 1 --threads 1 --float-out {tmp}/f32 "
        f"-o {tmp}/solver.h")
    run(f"{TRAINER} eval {tmp}/solver.h --data {one} -k 1,2 --hits {eval_hits}")
    ours, theirs = ([(x["model"], x["split"], x["key"], x["row"], x["k"]) for x in rows_of(read(path))]
                    for path in (table_hits, eval_hits))
    assert ours == theirs
    assert "\n2,table," in output(f"{PEERS}/paired.py {table_hits} {eval_hits} --csv")


def gpus():
    """The lines of a GPU do not depend on the others; keys of the shape know no n."""
    both, alone = (output(f"{SOLVERS} {more} --methods table --csv").splitlines() for more in (second, ""))
    counts = collections.Counter(line.split(",")[2] for line in both)
    assert counts == {"gfx90878": 2, "gfx942130": 2, "gpu": 1}, counts
    assert [x.split(",")[:11] for x in both if "gfx90878" not in x] == [x.split(",")[:11] for x in alone]


def boosted():
    text = output(f"{SOLVERS} --methods boosted --csv -k 2 --hits {boosted_hits}")
    assert re.search("(?m)^boosted,config,gfx942130,2,[0-9]*,[0-9]*,100.00,1.00000,", text), text
    assert 2 * read(boosted_hits).count("\n") - 1 == read(table_hits).count("\n")


def missing_package():
    write(f"{tmp}/none/xgboost.py", "raise ImportError('no xgboost here')\n")
    done = run(f"{SOLVERS} --csv", env={"PYTHONPATH": f"{tmp}/none"})
    assert "skip boosted: needs python3-xgboost" in done.stderr
    assert "\ntable," in done.stdout and "\nboosted," not in done.stdout


check("solvers.py: table", table)
check("solvers.py: the problems of kpred-train eval, joined by paired.py", as_eval)
check("solvers.py: GPUs", gpus)
check_with("python3-xgboost", "solvers.py: boosted trees", boosted)
check("solvers.py: a package is missing", missing_package)
for name, text, arguments in (
        ("no such method", "none of table, boosted", "--methods oracle"), ("k of 0", '-k "0"', "-k 0"),
        ("no such split", 'there is no split "fold"', "--split fold"),
        ("no such folder for hits", f"{tmp}/no/hits.csv", f"--methods table --hits {tmp}/no/hits.csv")):
    refuse(f"solvers.py: {name}", 2, text, f"{SOLVERS} {arguments}")
refuse("solvers.py: data without times", 2, "its data are not timed",
       f"{PEERS}/solvers.py weights/conv_asm_1x1u.spec --data {one} --trainer {TRAINER}")
end()
