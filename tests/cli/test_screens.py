"""test_screens.py - no command writes a line that is longer than its terminal

SPDX-License-Identifier: MIT
"""
import fcntl
import os
import pty
import re
import shlex
import struct
import termios
from collections import Counter

from report import KPRED, TRAINER, check, end, folder, need, output, read, run, write

need(TRAINER)
at, os.environ["TERM"] = folder(), "xterm"
SPEC, TABLE = "examples/own_kernel/transpose.spec", "examples/own_kernel/times.csv"
ASM = f"{KPRED} predict conv_asm_1x1u gpu=gfx906_60 dir=F dtype=FP32 n=16 c=64 h=56 w=56 k=256 stride=1 -k 4"
FP8 = f"{KPRED} predict gemm_a8w8_blockscale --gpu MI300X m=16 n=1536 k=7168 -k 2"
SERVE = f"{KPRED} serve --gpu MI300X --server vllm --aiter --config tests/aiter/hf_deepseek_v3.json --tp 8 --dry-run"
EVAL = f"{TRAINER} eval {at}/t.h --data {TABLE} -k 1,4"
COMMANDS = [f"{KPRED} models", f"{KPRED} models conv_asm_1x1u", f"{KPRED} models fused_moe_nvidia", ASM, FP8,
    f"{FP8[:-1]}1", f"{KPRED} predict conv_asm_1x1u gpu=gfx9 dir=F", f"{KPRED} predict nothing", f"{KPRED} --wrong",
    f"{KPRED} bench conv_asm_1x1u --ratio --limit --beam 1 --rounds 1", SERVE, f"{SERVE} --all",
    f"{KPRED} aiter --gpu MI300X {at}/none.csv -o {at}/out", f"{KPRED} triton --dry-run "
    "'E=128,N=768,device_name=AMD_Instinct_MI300X.json'", f"{TRAINER} ingest {SPEC} --data {at}/few.csv", EVAL,
    f"{EVAL} --all", f"{EVAL} --reliability", f"{TRAINER} init {at}/few.csv --fields rows,cols -o {at}/i.spec --force",
    f"{TRAINER} tune {SPEC} --next 3 --data {TABLE}", f"{TRAINER} shapes --config tests/aiter/hf_deepseek_v3.json"]


def seen(width, command):
    """What it writes on a terminal that is so wide; a line of progress is written over"""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
        argv = shlex.split(command)
        os.execvp(argv[0], argv)
    text = b""
    while True:
        try:
            some = os.read(terminal, 1 << 16)
        except OSError: # it has ended
            some = b""
        if not some:
            break
        text += some
    os.waitpid(pid, 0)
    return re.sub(r"[^\n]*\r(?!\n)(\x1b\[K)?", "", text.decode().replace("\r\n", "\n"))


def too_long(width, commands):
    for command in commands:
        text = seen(width, command)
        yield from [f"no line: {command}"] if not text.strip() else []
        yield from (f"{len(line)}: {line}: {command}" for line in text.split("\n") if len(line) > width)


def is_folded():
    """Each value of the tuples stands somewhere in the narrow table."""
    values = [value for line in output(f"{ASM} --csv").splitlines()[1:] for value in line.split(",")[2:]]
    return list(Counter(values) - Counter(seen(60, ASM).split()))


def is_balanced():
    """Of two long columns that one is broken which makes fewer lines, and a column without a cell is left out."""
    text = seen(80, SERVE)
    return [] if len(re.findall(r"a8w8_blockscale N=\d+,K=\d+  ", text)) == 11 and "tile" not in text and \
        "torch." not in text else [text]


def is_pasted():
    """What to type next works as it stands on a narrow terminal."""
    text = seen(60, f"{TRAINER} init {at}/few.csv --fields rows,cols --force -o {at}/a.spec")
    command = re.search(r"to train it:\n((?:.*\\\n)*.*)", text)
    done = run(f"sh -n {write(f'{at}/pasted', command[1])}") if command else None
    words = shlex.split(command[1].replace("\\\n", " ")) if command else []
    return [] if done and done.returncode == 0 and words[1:3] == ["train", f"{at}/a.spec"] else [text]


def is_called():
    """People read the names of products, each on one line; programs the tokens that a problem has."""
    name, token = "MI300X (gfx942, 304 units)", "gfx942_304"
    on, off = seen(80, f"{KPRED} models"), output(f"{KPRED} models")
    is_cut = re.search(r"\([^)]*\n", on)
    return [on, off] if name not in on or token in on or name in off or token not in off or is_cut else []


write(f"{at}/few.csv", "".join(read(TABLE).splitlines(True)[:300]))
write(f"{at}/none.csv", "M,N,K\n")
output(f"{TRAINER} train {SPEC} --data {TABLE} --epochs 1 -o {at}/t.h")
helped = [f"{program} {command} --help" for program in (KPRED, TRAINER) for command in
          ["", *re.findall(r"(?m)^  (\w+)", output(f"{program} help"))]]
for columns in 80, 60:
    check(f"lines of --help on {columns} columns", lambda n=columns: list(too_long(n, helped)))
    check(f"lines of commands on {columns} columns", lambda n=columns: list(too_long(n, COMMANDS)))
check("no value is lost where a table is folded", is_folded)
check("a table has few lines", is_balanced)
check("a command that is broken can be pasted", is_pasted)
check("GPUs are called as people do, on a terminal alone", is_called)
end()
