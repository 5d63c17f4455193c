#!/usr/bin/env python3
"""returned.py ORACLE MODEL < lines of returned.c: every tuple must pass the oracle, and every problem
to which the oracle says that the kernel applies must have got one. Exit status 1 if not."""
import importlib.util
import sys

SOLVERS = {"conv_asm_1x1u": "ConvAsm1x1U", "conv_ocl_direct_fwd_1x1": "ConvOclDirectFwd1x1",
           "conv_asm_bwd_wrw_1x1": "ConvAsmBwdWrW1x1", "conv_asm_bwd_wrw_3x3": "ConvAsmBwdWrW3x3"}
GPUS = (("gfx900", 56), ("gfx906", 60))


def problem_of(rules, field, side):
    """The oracle's problem, in MIOpen's own view: input and output swapped for B and W."""
    gpu, direction, dtype, n, c, h, w, k, s = field[:9]
    pad = (side - 1) // 2
    y, x = ((v + 2 * pad - side) // s + 1 for v in (h, w))
    forward = direction == 0
    row = dict.fromkeys(rules.COLS, 1)
    row.update(layout="NCHW", data_type=("FP32", "FP16", "BF16")[dtype], direction="FBW"[direction],
               spatial_dim=2, in_channels=c if forward else k, in_h=h if forward else y,
               in_w=w if forward else x, out_channels=k if forward else c, batchsize=n,
               fil_h=side, fil_w=side, pad_h=pad, pad_w=pad, pad_d=0, conv_stride_h=s,
               conv_stride_w=s, bias=0, group_count=field[9] if len(field) > 9 else 1)
    rest = 0 if forward else (h - (s * (y - 1) + side - 2 * pad)) + s * (w - (s * (x - 1) + side - 2 * pad))
    return rules.Prob([row[name] for name in rules.COLS], *GPUS[gpu], rest)


def main():
    spec = importlib.util.spec_from_file_location("rules", sys.argv[1])
    rules = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rules)
    solver = rules.SOLVERS[SOLVERS[sys.argv[2]]]
    side = 3 if sys.argv[2].endswith("3x3") else 1
    problems = tuples = bad = none = 0
    for line in sys.stdin:
        head, *rest = line.rstrip("\n").split(";")
        status, fields = head.split(" ")
        problem = problem_of(rules, [int(x) for x in fields.split(",")], side)
        problems += 1
        tuples += len(rest)
        if not rest and solver.applicable(problem):
            none += 1
            print("no tuple:", line.strip())
        for text in rest:
            values = tuple(int(x) for x in text.split(","))
            if not all(ok for _, _, ok in solver.rules(problem, values)):
                bad += 1
                print("illegal:", fields, text)
    print(f"{sys.argv[2]}: {problems} problems, {tuples} tuples, {bad} illegal, {none} without a tuple")
    sys.exit(1 if bad or none or not tuples else 0)


main()
