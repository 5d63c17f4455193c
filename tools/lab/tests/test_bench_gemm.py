"""test_bench_gemm.py - tools/lab/peers/gemm.py, triton.py, paired.py and the folds of gemm.sh tensile, on small tables"""
# SPDX-License-Identifier: MIT
import os
import re
import shutil
import sys

from report import TRAINER, check, check_with, end, folder, need, output, read, refuse, run, spec, write

tmp = folder()
need(TRAINER)
need("python3-numpy")


def kernel(tile, split):
    return f"Cijk_Ailk_Bljk_SB_MT{tile}x32x8_GSU{split}"


# Four shapes, four kernels: the second is never the best, but the best one for all together.
KERNELS = ",".join(kernel(tile, split) for tile in (32, 64) for split in (1, 2))
TABLE = f"""GFlops,SizeI,SizeJ,SizeK,SizeL,TotalFlops,{KERNELS}
0,16,16,1,64,32768,100,90,50,20
0,16,64,1,64,131072,100,80,40,30
0,512,512,1,64,33554432,10,80,50,100
0,512,256,1,64,16777216,20,80,50,100
"""
SPEC = spec("""[kernel] name = small; rule = listed [data] format = tensile
    [fields] m = size; n = size; batch = size; k = size [params] MT0 = 32 64; MT1 = 32; MT2 = 8; GSU = 1 2
    [split] config = m,n,batch,k [derived] lm = log2 m [features] hats lm 3 1 8
    [network] teachers = 0; epochs = 3; draws = 4; encoder1 = 16; encoder2 = 16; hidden = 16""")
table, small = write(f"{tmp}/table.csv", TABLE), write(f"{tmp}/small.spec", SPEC)
PEERS = f"{sys.executable} tools/lab/peers"
GEMM = f"{PEERS}/gemm.py {small} --data {table} --trainer {TRAINER}"
SHARES = f"{PEERS}/paired.py"
nearest_hits, portfolio_hits = f"{tmp}/nearest.csv", f"{tmp}/portfolio.csv"


def prints(command, *lines):
    """These lines below the heading"""
    got = output(command).splitlines()[1:]
    assert got == list(lines), got


def nearest():
    """The nearest of shape 1 is 2, of 3 it is 4, and the other way round: their best ones are the same."""
    prints(f"{GEMM} --methods nearest -k 1,4 --hits {nearest_hits} --csv", "nearest,small,1,4,100.00,1.00000,1.00000",
           "nearest,small,4,4,100.00,1.00000,1.00000")
    found = sorted(line.split(",", 3)[3] for line in read(nearest_hits).splitlines()[1:5])
    assert found == [f"{n},{n},1,1,0,1.00000,0" for n in (1, 13, 5, 9)], found


check("gemm.py: the nearest shape's kernels", nearest)
check("gemm.py: one portfolio for all", prints, f"{GEMM} --methods portfolio -k 1,4 --hits {portfolio_hits} --csv",
      "portfolio,small,1,4,0.00,0.82391,0.80000", # (.9 * .8 * .8 * .8) ^ (1 / 4)
      "portfolio,small,4,4,100.00,1.00000,1.00000")
check_with("python3-xgboost", "gemm.py: boosted trees", prints,
           f"{GEMM} --methods boosted,together --beside {table} -k 4 --csv",
           "boosted,small,4,4,100.00,1.00000,1.00000", "together,small,4,4,100.00,1.00000,1.00000")


def compared():
    text = output(f"{SHARES} {nearest_hits} {portfolio_hits} --against nearest --csv")
    lines = [line.split(",") for line in text.splitlines()]
    assert [line[:6] for line in lines[1:]] == [x.split(",") for x in (
        "1,nearest,4,1.0000,-,-", "1,portfolio,4,0.8239,nearest,-0.1761", "4,nearest,4,1.0000,-,-",
        "4,portfolio,4,1.0000,nearest,+0.0000")], lines
    low, high = map(float, lines[2][6:8]) # between the least and the greatest single difference
    assert -0.2 <= low < -0.17 and -0.18 < high <= -0.1, lines[2]


check("paired.py: differences and intervals", compared)
fewer = write(f"{tmp}/fewer.csv", "".join(read(portfolio_hits).splitlines(True)[:-1]))
for name, text, command in (
        ("paired.py: no such method", 'there is no method "additive", only nearest', f"{SHARES} {nearest_hits}"),
        ("paired.py: twice the same", "comes twice", f"{SHARES} {nearest_hits} {nearest_hits} --against nearest"),
        ("paired.py: other problems", "not measured on the same problems",
         f"{SHARES} {nearest_hits} {fewer} --against nearest"),
        ("gemm.py: no GEMM", 'there is no "m"',
         f"{PEERS}/gemm.py weights/conv_solver.spec --data {table} --trainer {TRAINER}")):
    refuse(name, 2, text, command)

# ---- gemm.sh tensile, in a copy whose specs are small ----

copy, tables = f"{tmp}/copy", f"{tmp}/tables"
shutil.copytree("tools", f"{copy}/tools")
os.makedirs(f"{copy}/build")
os.symlink(TRAINER, f"{copy}/build/kpred-train")
for layout, matrices in ("nn", "Ailk_Bljk"), ("nt", "Ailk_Bjlk"), ("tn", "Alik_Bljk"):
    name = f"gemm_mi100_{layout}"
    files = "".join(re.findall("(?m)^(?:files|beside) .*\n", read(f"weights/{name}.spec")))
    text = SPEC.replace("name = small", f"name = {name}").replace("tensile\n", "tensile\n" + files)
    write(f"{copy}/weights/{name}.spec", text.replace("teachers = 0", "teachers = 1") + spec(
        "[judge] lm = log2 m; lt = log2 MT0; ramp lm 0 16; ramp lt 0 8"))
    write(f"{tables}/mi100-sgemm-Cijk_{matrices}_SB_00.csv.bz2", TABLE.replace("Ailk_Bljk", matrices))


def folds(status=0):
    return run(f"sh tools/lab/report/gemm.sh tensile build {tables}", status, cwd=copy,
               env={"THREADS": "1", "METHODS": "nearest,portfolio"})


def all_folds():
    done = folds()
    assert all(line.startswith("kpred-train: ") for line in done.stderr.splitlines()), done.stderr
    assert re.search("(?m)^1 +additive +12 ", done.stdout), done.stdout
    assert re.search("(?m)^8 +nearest +12 +1.0000 +additive ", done.stdout), done.stdout
    return done.stdout


def once_more():
    """Only what is missing"""
    before, gemm = folds().stdout, f"{copy}/build/gemm"
    os.remove(f"{gemm}/nt-2.csv")
    times = {name: os.stat(f"{gemm}/{name}").st_mtime_ns for name in os.listdir(gemm) if name.endswith(".h")}
    assert folds().stdout == before
    assert [name for name, made in times.items() if os.stat(f"{gemm}/{name}").st_mtime_ns != made] == ["nt-2.h"]


def no_table():
    os.remove(f"{tables}/mi100-sgemm-Cijk_Alik_Bljk_SB_00.csv.bz2")
    assert f"gemm.sh: there is no {tables}/mi100-sgemm-Cijk_Alik" in folds(None).stderr


# ---- triton.py ----

TRITON = write(f"{tmp}/triton.spec", spec("""[kernel] name = small [data] format = csv
    [fields] server = vllm sglang; gpu = A100 H100; N = size; M = size
    [params] BLOCK_SIZE_M = 16 32; num_warps = 4 8; num_stages = 2 3 [split] config = N,M [derived] lm = log2 M
    [features] hats lm 0 1 9 [network] teachers = 0; epochs = 60; encoder1 = 16; encoder2 = 16; hidden = 16"""))
FAR = 65536 # an N whose tuples are those of no other: with it left out, nothing tells of them


def configurations():
    """Tiles follow from M, but for one N; stages are 3 for that N alone, but at the last M."""
    for n in (*range(64, 120, 8), FAR):
        for m in 1, 4, 64, 256:
            size = 32 if (m > 16) != (n == FAR) else 16
            yield f"vllm,H100,{n},{m},{size},4,{3 if n == FAR and m < 256 else 2}\n"


def kept_out():
    """Per method: rows, configurations, exact and tile in percent at 1, 4 and 10"""
    rows = write(f"{tmp}/triton.csv", "server,gpu,N,M,BLOCK_SIZE_M,num_warps,num_stages\n" + "".join(configurations()))
    text = output(f"{PEERS}/triton.py {TRITON} --data {rows} --trainer {TRAINER} --methods nearest,kpred --csv")
    nearest, network = (line.split(",") for line in text.splitlines()[1:])
    assert nearest[:4] == ["small", "nearest", "32", "8"] and network[:4] == ["small", "kpred", "32", "8"], text
    # the tiles of FAR are those of another M, and so is one tuple
    assert nearest[4:16:2] == ["87.5", "90.6", "90.6", "87.5", "100.0", "100.0"], text
    assert float(network[4]) >= 80 and network[14] == "100.0", text


check("triton.py: configurations kept out", kept_out)
refuse("triton.py: no such method", 2, "none of nearest", f"{PEERS}/triton.py {TRITON} --data {tmp}/triton.csv "
       f"--trainer {TRAINER} --methods guess")
check("gemm.sh tensile: all shapes, pooled", lambda: all_folds() and None)
check("gemm.sh tensile: only what is missing", once_more)
check("gemm.sh tensile: a table is missing", no_table)
end()
