"""test_plot.py - what `kpred-train eval --plot` draws, and what happens where it cannot"""
# SPDX-License-Identifier: MIT
import os

from report import ROOT, TRAINER, check, end, folder, need, output, read, rows_of, run, write

need(TRAINER)
os.chdir(folder())
write("rowsum.csv", "gpu,rows,cols,threads,unroll\n" + "".join(
    f"{'gfx906_60' if i % 2 else 'gfx900_56'},{2 ** i},{cols},{64 if cols < 200 else 256},{4 if i > 2 else 1}\n"
    for i in range(7) for cols in (20, 60, 180, 540, 1620)))
run(f"{TRAINER} train {ROOT}/tests/fixtures/rowsum.spec --data rowsum.csv --epochs 1 --float-out f32 -o rowsum.h")
EVAL = f"{TRAINER} eval rowsum.h --data rowsum.csv --rows all"


def nothing_left():
    assert not [name for name in os.listdir(".") if name.startswith(".kpred")]


def cannot(words, path, gnuplot=None):
    """Status 1, nothing printed, the file is as it was."""
    os.makedirs(path, exist_ok=True)
    if gnuplot:
        os.chmod(write(f"{path}/gnuplot", f'#!/bin/sh\n[ "$1" = --version ] || {{ echo half; {gnuplot}; }}\n'), 0o755)
        path += ":" + os.environ["PATH"]
    write("old.svg", "old")
    done = run(f"{EVAL} --plot old.svg", 1, env={"PATH": path})
    assert words in done.stderr and read("old.svg") == "old", done
    assert gnuplot or not done.stdout
    nothing_left()


check("no gnuplot", cannot, "there is no gnuplot", "empty")
check("gnuplot fails", cannot, "gnuplot failed", "bad", "exit 3")
check("gnuplot dies", cannot, "gnuplot failed", "bad", "kill -9 $$")
need("gnuplot", "plots")


def points(path):
    """Circles that mark points; the key has one for each curve"""
    return read(path).count("<use xlink:href='#gpPt6'")


def plots():
    """The table is the same; every group has its name there, and `all` is one curve."""
    table = output(f"{EVAL} -k 2,1 --csv")
    assert output(f"{EVAL} -k 2,1 --csv --plot a.svg") == table
    text, lines = read("a.svg"), rows_of(table)
    assert "<?xml" in text.splitlines()[0] and "</svg>" in "".join(text.splitlines()[-2:])
    assert points("a.svg") == 3 * len({(x["gpu"], x["dtype"]) for x in lines}) and ">y = x<" not in text
    for gpu in {x["gpu"] for x in lines} - {"all"}:
        assert f">{gpu}," in text or f">{gpu}<" in text, gpu
    for name in "b", "c":
        output(f"{EVAL} -k 1,2,3 --by all --plot {name}.svg")
    assert points("b.svg") == 4 and ">all<" in read("b.svg") and ">rowsum, all problems<" in read("b.svg")
    assert read("b.svg") == read("c.svg")
    nothing_left()


def reliability():
    """A point for every bin, curves for the first tuple and for the largest k, and the diagonal"""
    table = output(f"{EVAL} --reliability -k 1,3 --by all --csv --plot r.svg")
    bins = [x for x in rows_of(table) if x["bin"] != "all"]
    assert points("r.svg") == len(bins) + 2
    nothing_left()
    return [x for x in ("all, k = 1", "all, k = 3", "y = x", "predicted probability, %")
            if f">{x}<" not in read("r.svg")]


def unwritable():
    assert "none" in run(f"{EVAL} --plot none/a.svg", 1).stderr


check("table and plot, names, and the same bytes again", plots)
check("--reliability", reliability)
check("a folder that is not there", unwritable)
end()
