"""test_plot.py - what `kpred-train eval --plot` draws"""
# SPDX-License-Identifier: MIT
import os
import re

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


def points(path):
    """Circles that mark points"""
    return read(path).count("<circle ")


def plots():
    """The table is the same; every group has its name there, and `all` is one curve."""
    table = output(f"{EVAL} -k 2,1 --csv")
    assert output(f"{EVAL} -k 2,1 --csv --plot a.svg") == table
    text, lines = read("a.svg"), rows_of(table)
    assert "<?xml" in text.splitlines()[0] and "</svg>" in "".join(text.splitlines()[-2:])
    assert points("a.svg") == 2 * len({(x["gpu"], x["dtype"]) for x in lines}) and ">y = x<" not in text
    for gpu in {x["gpu"] for x in lines} - {"all"}:
        assert f">{gpu}," in text or f">{gpu}<" in text, gpu
    for name in "b", "c":
        output(f"{EVAL} -k 1,2,3 --by all --plot {name}.svg")
    assert points("b.svg") == 3 and ">all<" in read("b.svg") and ">rowsum, all problems<" in read("b.svg")
    assert read("b.svg") == read("c.svg")
    nothing_left()


def tics(path):
    """The numbers at the axes of y and x"""
    found = re.findall(r'class="(end|mid)">(-?[0-9.]+)</text>', read(path))
    return [float(x) for kind, x in found if kind == "end"], [x for kind, x in found if kind == "mid"]


def axes():
    """Of k whole numbers; of y what the data need, and 0 to 100 with --reliability"""
    for k, want in (("1", "0 1 2"), ("2,3,4", "2 3 4"), ("1,4,8", "1 2 3 4 5 6 7 8"), ("1,2,9,12", "1 2 5 10")):
        pft = [float(x["pft"]) for x in rows_of(output(f"{EVAL} -k {k} --by all --csv --plot t.svg"))]
        y, x = tics("t.svg")
        assert x == want.split(), (k, x)
        step = y[1] - y[0]
        assert min(pft) - 2 * step < y[0] and y[-1] <= 100 and y[-1] < max(pft) + 2 * step, (k, y, pft)
    output(f"{EVAL} --reliability -k 1,3 --by all --plot t.svg")
    assert all((x[0], x[-1]) == (0, 100) for x in ([float(v) for v in w] for w in tics("t.svg"))), tics("t.svg")


def reliability():
    """A point for every bin, curves for the first tuple and for the largest k, and the diagonal"""
    table = output(f"{EVAL} --reliability -k 1,3 --by all --csv --plot r.svg")
    bins = [x for x in rows_of(table) if x["bin"] != "all"]
    assert points("r.svg") == len(bins)
    nothing_left()
    return [x for x in ("all, k = 1", "all, k = 3", "y = x", "predicted probability, %")
            if f">{x}<" not in read("r.svg")]


def words():
    """The text of a picture has each of its numbers."""
    lines = rows_of(output(f"{EVAL} -k 1,2,3 --by all --csv --plot w.svg"))
    told = ", ".join(f"{float(x['pft']):.4g} at {x['k']}" for x in lines)
    assert f"all: {told}." in read("w.svg"), (told, read("w.svg"))


def unwritable():
    os.makedirs("bad", exist_ok=True)
    assert "none" in run(f"{EVAL} --plot none/a.svg", 1).stderr
    assert "bad" in run(f"{EVAL} --plot bad", 1).stderr
    nothing_left()


check("table and plot, names, and the same bytes again", plots)
check("whole numbers of k, and an axis that shows the data", axes)
check("--reliability", reliability)
check("a text with the numbers", words)
check("a folder that is not there", unwritable)
end()
