"""made_up.py - writes what tests of the report need as measured

made_up.py measurements FOLDER   of the two kernels that the paper judges, and one that it does not
made_up.py databases FOLDER      two text perf-dbs: eight layers, of which the one that is a test
                                 row was tuned again, forward with the same result
"""
# SPDX-License-Identifier: MIT
import bz2
import sys

folder = sys.argv[2]


def write(name, heading, lines):
    with open(f"{folder}/{name}", "w") as f:
        f.write("\n".join([heading, *(",".join(map(str, x)) for x in lines)]) + "\n")


def hits(name, method, kernel, rate, ks=(1, 3, 10, 30, 50, 100)):
    lines = [(method, kernel, "config", f'"{"FP16" if i % 3 == 0 else "FP32"},{i // 4}"', i, k,
              int((i * rate + k * 5) % 97 < 10 + k * 0.8), 3) for k in ks for i in range(1, 61, 2)]
    write(name, "method,model,split,key,row,k,hit,agree", lines)


def measurements():
    kernels = ["conv_asm_1x1u", "conv_asm_bwd_wrw_3x3"]
    for n, kernel in enumerate(kernels):
        write(f"{kernel}.rows.csv", "gpu,dtype,n,tile", [
            ("gfx900_56", "FP16" if i % 3 == 0 else "FP32", i // 4, 1) for i in range(1, 61)])
        hits(f"{kernel}.config.ours.hits.csv", "additive", kernel, 31 + n)
        write(f"{kernel}.config.reliability.csv",
              "model,split,gpu,dtype,k,bin,n,predicted,observed,se,ece",
              [(kernel, "config", "all", "all", 1, "0-10", 20, 5.5, 7, 1, ""),
               (kernel, "config", "all", "all", 1, "all", 30, 12.34, 15.67, 2.1, 3.21)])
        write(f"{kernel}.time.csv", "net,model,beam,ns,ns_min,ns_p95,bytes,arena_words",
              [(net, kernel, beam, ns * beam ** 0.5, 1, 1, size, 9) for beam in (1, 10)
               for net, ns, size in (("additive", 2000, 12345), ("attn", 246000, 777000))])
    other = "conv_asm_3x3u"
    write(f"{other}.rows.csv", "gpu,dtype,n,tile", [
        ("gfx900_56", "FP16" if i % 3 == 0 else "FP32", i // 4, 1) for i in range(1, 61)])
    hits(f"{other}.config.ours.hits.csv", "additive", other, 37)
    hits(f"{other}.config.nearest.hits.csv", "nearest+rule", other, 29)
    for split, epochs in (("config", 40), ("shape", 60)):
        write(f"{kernels[0]}.{split}.attn.training.csv", "epochs,weights", [(epochs, 1234567)])
    last = kernels[1]
    hits(f"{last}.config.attn.hits.csv", "attn", last, 17)
    hits(f"{last}.config.chain.hits.csv", "chain", last, 19)
    hits(f"{last}.config.wide.hits.csv", "wide", last, 23)
    write(f"{last}.config.chain.classics.csv",
          "method,model,split,gpu,dtype,k,n,groups,pft,avg,seconds_train,us_predict,bytes",
          [("chain", last, "config", "all", "all", k, 30, 9, 1, 1, 1, 3 * k, 4567890)
           for k in (1, 10)])
    hits(f"frontier/{last}.32-32-16.hits.csv", "additive", last, 41, (1, 10))
    write(f"frontier/{last}.time.csv", "net,model,beam,ns,bytes",
          [("shipped", last, 1, 2100, 12345), ("shipped", last, 10, 4100, 12345),
           ("32-32-16", last, 1, 700, 5000), ("32-32-16", last, 10, 900, 5000)])
    write("noise.csv", "files,kernel,dtype,dir,what,n,percent,se",
          [("a b", kernels[0], "all", "all", "strict", 50, 9.0, 1),
           ("a b", kernels[0], "all", "all", "retuned", 70, 25.0, 1),
           ("a b", "all", "all", "all", "layers of 3 or more: none differ", 10, 80.0, "-")])
    for name, method, rate in (("ours", "additive", 7), ("table", "table", 13)):
        write(f"timed/conv_solver.config.gfx90a6e.{name}.hits.csv",
              "method,model,split,key,row,k,hit,agree,share,unlisted",
              [(method, "conv_solver", "config",
                f'"F,{"NCDHW" if i % 5 == 0 else "NCHW"},{i // 3}"', i, k,
                int(i * rate % 10 < 5 + k), 0, 1 if i * rate % 10 < 5 + k else (i * rate % 9 + 1) / 10, int(i % 7 == 0))
               for k in (1, 2) for i in range(1, 61)])
    write("conv_solver.config.reliability.csv",
          "model,split,gpu,dtype,k,bin,n,predicted,observed,se,ece",
          [("conv_solver", "config", "all", "all", 1, "40-50", 40, 44, 50, 5.5, ""),
           ("conv_solver", "config", "all", "all", 1, "all", 40, 44.4, 50, 5.5, 5.6)])
    for side, tiles, found in (("a", (1, 2, 4, 1), (1, 0, 1, 0)),
                               ("b", (1, 1, 1, 2), (0, 0, 0, 0))):
        write(f"retuned/{kernels[0]}.a+b.{side}.csv", "gpu,dtype,n,tile",
              [("gfx900_56", "FP32", 10 + i, tile) for i, tile in enumerate(tiles)])
        write(f"retuned/{kernels[0]}.a+b.{side}.hits.csv", "method,model,split,key,row,k,hit,agree",
              [("additive", kernels[0], "config", f'"FP32,{10 + i}"', i + 1, 1, hit, hit)
               for i, hit in enumerate(found)])


def databases():
    rest = "0x0-1x1-1x1-0-NCHW-FP32"
    for run, tiles in (("a", ("1,16,1", "1,16,1")), ("b", ("1,16,1", "2,16,2"))):
        lines = []
        for n in (1, 2, 3, 4, 5, 6, 7, 9):
            forward, backward = tiles if n == 9 else ("1,16,1", "1,16,1")
            lines.append(f"64-14-14-1x1-128-14-14-{n}-{rest}-F=ConvAsm1x1U:{forward},64,1,1,1,1\n")
            lines.append(f"128-14-14-1x1-64-14-14-{n}-{rest}-B=ConvAsm1x1U:{backward},64,1,1,1,1\n")
        with bz2.open(f"{folder}/gfx900_56-{run}.cd.pdb.txt.bz2", "wt") as f:
            f.writelines(lines)


{"measurements": measurements, "databases": databases}[sys.argv[1]]()
