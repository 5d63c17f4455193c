"""test_page.py - what a page of `kpred-train report` has, as text; test_browser.py opens one"""
# SPDX-License-Identifier: MIT
import base64
import html.parser
import os
import re

from report import ROOT, TRAINER, check, check_with, end, folder, need, output, read, refuse, rows_of, run, write

need(TRAINER)
os.chdir(folder())
OWN = f"{ROOT}/examples/own_kernel"
EVIL = "<script>alert(1)</script>"
SPEC = """[kernel]
name = NAME
[data]
format = timed
[fields]
n = size
[params]
PARAMS
[split]
config = n
"""
VOID = {"meta", "input", "br", "path", "circle", "rect"}


class Page(html.parser.HTMLParser):
    """Its elements, and its tables by their captions: rows of cells"""
    def __init__(self, path):
        super().__init__()
        self.open, self.elements, self.text, self.source = [], [], "", read(path)
        self.feed(self.source)
        assert not self.open, self.open
        self.tables = {html.unescape(name): [
            [html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
            for row in body.split("<tr>")[1:]]
            for name, body in re.findall("<caption>(.*?)</caption>(.*?)</table>", self.source, re.S)}

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert tag in VOID or self.open.pop() == tag, (tag, self.open)

    def handle_data(self, data):
        self.text += data if self.open and self.open[-1] not in ("script", "style") else ""

    def named(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


def page(words):
    """Of that command line; every page asks no network, and each picture has a text."""
    run(f"{TRAINER} report {words} -o page.html --force")
    made = Page("page.html")
    for tag, attrs in made.elements:
        assert not {"src", "href", "onclick", "onerror"} & set(attrs), (tag, attrs)
        assert tag not in ("link", "img", "iframe"), tag
    policy = [x["content"] for x in made.named("meta") if x.get("http-equiv") == "Content-Security-Policy"]
    assert len(policy) == 1 and "default-src 'none'" in policy[0], policy
    assert len(made.named("title")) == 1 + len(made.named("svg")) == 1 + len(made.named("desc"))
    assert len(made.source) < 1 << 20 and not re.search(r"url\(|@import", made.source)
    return made


def table(name, params, rows):
    write(f"{name}.spec", SPEC.replace("NAME", name).replace("PARAMS", params))
    write(f"{name}.csv", "".join(",".join(map(str, row)) + "\n" for row in rows))
    return f"{name}.spec --data {name}.csv"


def figures():
    """Only `tile` decides: it explains all, and its best value is first. 8 with unroll 2 was not timed; 16 failed."""
    time = {1: 80, 2: 40, 4: 20, 8: 10, 16: 0}
    head = ["n", "tile", "unroll", "vec", "time_us"]
    made = page(table("plain", "tile = 1 2 4 8 16\nunroll = 1 2\nvec = 1 2 4 8 16", [head] + [
        [n, tile, unroll, vec, time[tile] * n / 64 or "failed"] for n in (64, 128, 256) for tile in time
        for unroll in (1, 2) for vec in (1, 2, 4, 8, 16) if (tile, unroll) != (8, 2)]))
    assert "3 problems, 105 timed tuples, 30 failures." in made.text
    assert made.tables["Problems"][1][:5] == ["64", "35", "10", "10", "31"], made.tables["Problems"]
    assert made.tables["Best tuples of each problem"][1] == ["n=64", "1", "10", "100.0", "8", "1", "1"]
    first, second = made.tables["Importance"][1:3]
    assert first[0] == "tile" and float(first[1]) > 90 and float(second[1]) < 5, (first, second)
    assert any("tile" in row[0] for row in made.tables["Conditions that every success satisfies"][1:])
    heat = {(a[0], b): cell for a in made.tables["tile by unroll"][1:] for b, cell in zip(("1", "2"), a[1:])}
    assert (heat["8", "1"], heat["4", "1"], heat["1", "2"]) == ("100", "50", "12"), heat
    assert len(made.named("table")) == 4 + 3 and sum(x.get("class") == "judged" for x in made.named("td")) > 0
    assert "the best speed found against timed tuples" in made.text and "100 at" in made.text


def flat():
    """Times that hardly differ leave an axis with a few numbers. Of 60 problems the tuner is asked about 8."""
    rows = [[n, tile, 10 if n != 7 else f"{10 + 1e-13 * (5 - tile):.13f}"] for n in range(1, 61) for tile in (1, 2, 4)]
    made = page(table("flat", "tile = 1 2 4", [["n", "tile", "time_us"], *rows]))
    assert 2 < made.source.count('class="end"') < 12, made.source.count('class="end"')
    assert [row[-1] == "not asked" for row in made.tables["Problems"][1:]] == [False] * 8 + [True] * 52


def side_by_side():
    """Two tunings of a kernel, and two models of one name, each a part of its own"""
    write("other.csv", read("plain.csv").replace(",10.0", ",9.0"))
    made = page("plain.spec --data plain.csv --beside other.csv")
    assert re.findall("Tuning of plain: ([a-z.]+)", made.text) == ["plain.csv", "other.csv"]
    for name in "one", "two":
        run(f"{TRAINER} train plain.spec --data plain.csv --epochs 1 --split none -o {name}.h")
    made = page("one.h two.h plain.spec --data plain.csv")
    assert made.text.count("Model plain") == 2 and made.source.count('id="wasm"') in (0, 1)


def noise():
    """A tuple that was timed again, and what the reader says of it"""
    rows = [["n", "tile", "time_us"]] + [[n, tile, 10 + n % 7 + tile * (1 + 0.02 * again)]
                                         for n in (64, 128, 256) for tile in (1, 2, 4, 8) for again in (0, 1)]
    assert re.search(r"A time scatters by [0-9.]+ percent", page(table("again", "tile = 1 2 4 8", rows)).text)
    rows.append([64, 1, 900])
    assert "so far apart, beyond noise" in page(table("again", "tile = 1 2 4 8", rows)).text


def hostile():
    """Names of files and of values are texts; nothing of them is an element."""
    params = f'mode = "{EVIL}" "it\'s & so" plain\ntile = 1 2 4 8'
    words = table("evil", params, [["n", "mode", "tile", "time_us"]] + [
        [n, mode, tile, n + tile] for n in (64, 65, 66, 70) for mode in (EVIL, "it's & so", "plain")
        for tile in (1, 2, 4, 8)])
    os.rename("evil.csv", "<img src=x onerror=alert(1)>.csv")
    made = page(words.replace("evil.csv", "'<img src=x onerror=alert(1)>.csv'"))
    assert EVIL in made.text and EVIL not in made.source and "<img" in made.text and not made.named("img")
    run(f"{TRAINER} train evil.spec --data '<img src=x onerror=alert(1)>.csv' --epochs 1 --split none -o evil.h")
    made = page("evil.h --data '<img src=x onerror=alert(1)>.csv'")
    assert EVIL in made.text and EVIL not in made.source and len(made.named("script")) in (1, 4)


def many():
    """10,000 tuples, and a time that is none: below a megabyte, and it says what it leaves out"""
    rows = [["n", "a", "b", "c", "d", "time_us"]] + [
        [64, i % 10, i // 10 % 10, i // 100 % 10, i // 1000, "NaN" if i == 7 else 10 + (i * 37) % 1000]
        for i in range(10000)]
    values = " ".join(map(str, range(10)))
    made = page(table("many", "\n".join(f"{x} = {values}" for x in "abcd"), rows))
    assert "1 problem, 9999 timed tuples" in made.text and len(made.tables["Best tuples of each problem"]) == 21
    assert "dropped 1 row: a failed measurement" in made.text


def models():
    """A header with its figures; where clang is missing, the page says so, and all else is there."""
    words = f"transpose.h --data {OWN}/times.csv"
    run(f"{TRAINER} train {OWN}/transpose.spec --data {OWN}/times.csv --epochs 2 -o transpose.h")
    os.makedirs("empty", exist_ok=True)
    done = run(f"{TRAINER} report {words} -o none.html", env={"PATH": "empty"})
    made = Page("none.html")
    assert "clang and lld" in made.text and "install clang lld" in done.stderr and not made.named("form")
    assert len(made.tables["Where the first tuple is furthest from the best"]) == 7
    assert "teacher trees: " in made.text and "y = x" in made.text
    head, *rows = read(f"{OWN}/times.csv").splitlines(True)
    write("known.csv", head + "".join(row for row in rows if row.split(",")[:2] == rows[0].split(",")[:2]))
    assert "0 problems that its split kept from training." in page("transpose.h --data known.csv").text
    share = 100 * float(rows_of(output(f"{TRAINER} eval {words} -k 1 --csv"))[0]["share"])
    assert f"kpred: {share:.4g} at 1," in made.text, share


def asked():
    """The page of a header holds it, with the conditions of its spec"""
    made = page("transpose.h")
    wasm = base64.b64decode(re.search(r'id="wasm">(.*?)</script>', made.source, re.S)[1], validate=True)
    for text in b"\0asm", b"transpose\0", b"tile_rows * tile_cols * 8 <= 32768\0":
        assert text in wasm, text


def killed():
    """A signal that comes while clang runs: the page and what it was made from are gone."""
    os.makedirs("tools/temporary")
    write("tools/clang", "#!/bin/sh\nkill $PPID\nsleep 1\n")
    os.chmod("tools/clang", 0o755)
    run(f"{TRAINER} report transpose.h -o x.html", -15,
        env={"PATH": f"{os.getcwd()}/tools:{os.environ['PATH']}", "TMPDIR": "tools/temporary"})
    return os.listdir("tools/temporary")


check("a tuning: its figures, importance, heat maps, failures", figures)
check("times that hardly differ", flat)
check("two tunings, and two models", side_by_side)
check("noise, and what the reader says", noise)
check("names of others do no harm", hostile)
check("10,000 tuples", many)
check("a model, and no clang", models)
check_with("wasm-ld", "a model that can be asked", asked)
check("a signal while clang runs", killed)
refuse("no data", 1, "--data is missing", f"{TRAINER} report plain.spec -o x.html")
refuse("a name", 2, "conv_solver: is no .spec and no .h", f"{TRAINER} report conv_solver -o x.html")
refuse("a page that is there", 1, "--force replaces it", f"{TRAINER} report plain.spec --data plain.csv -o page.html")
refuse("the page is an input", 2, "plain.csv", f"{TRAINER} report plain.spec --data plain.csv -o plain.csv --force")
write("empty.csv", "n,tile,unroll,vec,time_us")
refuse("no row", 1, "no row of plain", f"{TRAINER} report plain.spec --data empty.csv -o x.html")
write("optima.spec", SPEC.replace("NAME", "optima").replace("PARAMS", "tile = 1 2").replace("timed", "csv"))
write("optima.csv", "n,tile\n4,1\n")
refuse("no times", 1, "has no times", f"{TRAINER} report optima.spec --data optima.csv -o x.html")
check("nothing is left behind", lambda: [x for x in os.listdir(".") if x.startswith((".kpred", "x.html"))])
end()
