"""test_browser.py - a page of models in Chromium, from a file: no error, the bytes of C, both themes, a narrow screen

The page gets a script of this test at its end, whose result is read from the page as Chromium prints it.
"""
# SPDX-License-Identifier: MIT
import json
import os
import re
import sys
import tempfile

from report import KPRED, ROOT, TRAINER, check, check_with, end, folder, models, need, output, read, run, write

for program in TRAINER, "chromium", "clang", "wasm-ld":
    need(program)
sys.path.insert(0, f"{ROOT}/tests/proof")
import vectors # noqa: E402: needs the path

NAMES = models()
os.chdir(folder())
OWN = f"{ROOT}/examples/own_kernel"
CHROMIUM = "chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --enable-logging=stderr " \
    f"--user-data-dir={os.getcwd()}/chromium --virtual-time-budget=20000"
SCRIPT = """<script>
kpred.ready.then(async () => {
    const result = await (async () => { BODY })();
    const out = Object.assign(document.createElement('pre'), {id: 'result', textContent: JSON.stringify(result)});
    document.body.append(out);
});
</script>
</body>"""


def look(options, path):
    """What Chromium prints; the console of the page is empty."""
    done = run(f"{CHROMIUM} {options} file://{os.getcwd()}/{path}")
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert not said, said
    return done.stdout


def ask(body, options="--window-size=1200,900", path="page.html"):
    """What the script returns in the page"""
    write("asked.html", read(path).replace("</body>", SCRIPT.replace("BODY", body)))
    found = re.search(r'<pre id="result">(.*?)</pre>', look(f"{options} --dump-dom", "asked.html"), re.S)
    assert found, "the page has no result"
    return json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


def pages():
    run(f"{TRAINER} train {OWN}/transpose.spec --data {OWN}/times.csv --epochs 5 -o transpose.h")
    run(f"{TRAINER} report transpose.h {OWN}/transpose.spec --data {OWN}/times.csv -o page.html")
    run(f"{TRAINER} report {' '.join(f'{ROOT}/weights/{name}.h' for name in NAMES)} -o all.html")
    assert os.path.getsize("page.html") < 1 << 20 and os.path.getsize("all.html") < 4 << 20


def predictions():
    """Ten problems of a model of the user's and of two that ship, as `kpred predict --json` has them"""
    problems = [("transpose.h", {"rows": 60 + 50 * i, "cols": 512 - 40 * i}) for i in range(4)]
    layer = dict(gpu="gfx906_60", dir="F", dtype="FP32", c=64, h=56, w=56, k=256, stride=1)
    problems += [("conv_asm_1x1u", dict(layer, n=2 ** i)) for i in range(3)]
    problems += [("gemm_a8w8_blockscale", dict(gpu="gfx942_304", m=16 * 4 ** i, n=1536, k=7168)) for i in range(3)]
    bad = []
    for path, asked in ("page.html", problems[:4]), ("all.html", problems[4:]):
        names = [model.replace(".h", "") for model, _ in asked]
        found = ask(f"""return {json.dumps([problem for _, problem in asked])}.map((problem, i) => kpred.ask(
            kpred.models.findIndex(m => m.name === {json.dumps(names)}[i]), problem, 5, 8).tuples.map(t => t.row));""",
                    path=path)
        for (model, problem), rows in zip(asked, found):
            words = " ".join(f"{name}={value}" for name, value in problem.items())
            want = json.loads(output(f"{KPRED} predict {model} {words} -k 5 --beam 8 --json"))
            got = [{**row, "probability": float(f"{row['probability']:.6f}")} for row in rows]
            bad += [(model, words, got, want)] if got != want or not want else []
    return bad


def blocks():
    """The questions of tests/proof/vectors.txt to all models: the answers have the hashes that stand there."""
    lines = [line.split() for line in read(f"{ROOT}/tests/proof/vectors.txt").splitlines() if line[0] != "#"]
    asked = []
    for name, ident, count, _ in lines:
        model = vectors.Model(f"{ROOT}/weights/{name}.h")
        with tempfile.TemporaryDirectory() as at:
            rule = vectors.Rule(model, at)
            asked.append([name, ident, [list(rule.question()) for _ in range(int(count))]])
    found = ask(f"""
        const hash = text => crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
        const digits = x => x.toString(16).padStart(2, '0');
        const hex = async text => Array.from(new Uint8Array(await hash(text)), digits).join('');
        const hashes = [];
        for (const [name, ident, questions] of {json.dumps(asked)}) {{
            const index = kpred.models.findIndex(m => m.name === name), n = kpred.models[index].params.length;
            const lines = questions.map(([beam, k, ...fields]) => {{
                const got = kpred.raw(index, fields, beam, k);
                const head = got.status ? [got.status, ...got.detail] : [0, got.extrapolated];
                const tuples = got.tuples.map(t => [t.score, ...t.values]);
                return [[beam, k, ...fields], head, ...tuples].map(x => x.join(' ')).join(';');
            }});
            hashes.push(await hex(`model ${{name}} ${{ident}}\\n` + lines.join('\\n') + '\\n'));
        }}
        return hashes;""", path="all.html")
    return [line[0] for line, got in zip(lines, found) if line[3] != got]


def rules():
    """Which condition a tuple breaks, and what the search kept"""
    wrong, right, kept = ask("""
        const problem = {rows: 100, cols: 100};
        return [kpred.legal(0, problem, [256, 256, 0, 1]), kpred.legal(0, problem, [16, 16, 0, 1]),
            kpred.trace(0, problem, 4).map(step => [step.kept, step.prefixes[0]])];""")
    assert wrong == {"taken": 1, "legal": False, "broken": ["tile_rows * tile_cols * 8 <= 32768"]}, wrong
    assert right == {"taken": 4, "legal": True, "broken": []}, right
    assert [n for n, _ in kept] == [4, 4, 4, 4] and list(kept[3][1]) == ["tile_rows", "tile_cols", "walk", "edge"], kept


    said = ask("""
        const which = document.querySelector('#ask [name=model]');
        const set = (control, index) => {
            control.selectedIndex = index;
            control.dispatchEvent(new Event('change', {bubbles: true}));
        };
        set(which, kpred.models.findIndex(m => m.name === 'conv_asm_1x1u'));
        const chunks = document.querySelector('#ask [name=chunks_per_wave]');
        const read = document.querySelector('#ask [name=read_size]');
        set(read, read.options.length - 1);
        set(chunks, 0);
        return document.querySelector('#ask p.bad').textContent;""", path="all.html")
    assert "rule kpred_rule_conv_asm_1x1u: " in said and "read_size << half <= chunks" in said, said


def form():
    """Of a form that nobody filled in there are tuples; another size gives others, a broken tuple its condition."""
    first, second, said = ask("""
        const cells = () => Array.from(document.querySelectorAll('#ask output td'), x => x.textContent);
        const set = (name, value) => {
            const input = document.querySelector(`#ask [name=${name}]`);
            input.value = value;
            input.dispatchEvent(new Event('change', {bubbles: true}));
        };
        const before = cells();
        set('rows', 61);
        const after = cells();
        set('tile_rows', 256);
        set('tile_cols', 256);
        return [before, after, document.querySelector('#ask p.bad').textContent];""")
    assert first and second and first != second and "tile_rows * tile_cols * 8 <= 32768" in said, (first, second, said)


def sorting():
    """A button sorts numbers as numbers, up and then down; the table of a heat map is chosen."""
    times, heats = ask("""
        const table = [...document.querySelectorAll('table.sort')].find(
            t => t.caption.textContent === 'Best tuples of each problem');
        const column = [...table.tHead.rows[0].cells].findIndex(c => c.textContent === 'us');
        const read = () => [...table.tBodies[0].rows].map(row => Number(row.cells[column].textContent));
        const button = table.tHead.rows[0].cells[column].querySelector('button');
        const all = [];
        button.click();
        all.push(read(), table.tHead.rows[0].cells[column].getAttribute('aria-sort'));
        button.click();
        all.push(read());
        const choice = document.querySelector('[data-choose] select');
        const maps = [...document.querySelectorAll('[data-choose] > .wide')];
        const shown = () => maps.filter(x => !x.hidden).map(x => x.ariaLabel);
        const one = shown();
        choice.selectedIndex = 1;
        choice.dispatchEvent(new Event('change'));
        return [all, [one, shown(), choice.options[1].textContent]];""")
    assert times[0] == sorted(times[0]) and times[2] == times[0][::-1] and times[1] == "ascending", times
    assert len(times[0]) > 99
    assert len(heats[0]) == 1 and heats[1] == [heats[2]] != heats[0], heats


def themes():
    """Light, dark, 400 pixels wide: a picture each, the colours of the theme, nothing wider than the screen. A
    window of Chromium has 500 pixels at least but for pictures, so the page is made narrow in it."""
    body = """
        const style = (what, name) => getComputedStyle(document.querySelector(what))[name];
        document.documentElement.style.width = 'WIDTHpx';
        const right = Array.from(document.querySelectorAll('section, figure, .wide, form, label, p'),
            x => x.getBoundingClientRect().right);
        return [style('body', 'backgroundColor'), style('svg text', 'fill'), style('svg', 'fontSize'),
            Math.max(...right)];"""
    light, dark = ["rgb(255, 255, 255)", "rgb(27, 31, 36)"], ["rgb(20, 23, 28)", "rgb(230, 233, 238)"]
    for name, width, more, want in ("light", 1200, "", [*light, "12px"]), ("narrow", 400, "", [*light, "15px"]), \
            ("dark", 1200, "--blink-settings=preferredColorScheme=0", [*dark, "12px"]):
        options = f"--window-size={width},900 {more}"
        *got, right = ask(body.replace("WIDTH", str(width)), options)
        assert got == want and width / 2 < right <= width, (name, got, right)
        look(f"{options} --screenshot={name}.png", "page.html")
        assert os.path.getsize(f"{name}.png") > 10000


def printed():
    """On paper each page of a table has its heading, and there is no form."""
    look("--print-to-pdf=page.pdf --no-pdf-header-footer", "page.html")
    pages = output("pdftotext -layout page.pdf -").split("\f")
    rows = [page for page in pages if len(re.findall(r"(?m)^ *rows=\d+ cols=\d+ ", page)) > 2]
    assert len(rows) > 9 and all(re.search("problem +rank +us", page) for page in rows), rows
    assert "run in this page" not in "".join(pages), pages[0]


def example():
    """examples/web/ask.c has the first tuple of `kpred predict`."""
    run(f"clang --target=wasm32 -O2 -nostdlib -Wl,--no-entry,--export=ask,--export=ask_tuples "
        f"-I{ROOT} {ROOT}/examples/web/ask.c -o ask.wasm")
    write("ask.js", """const bytes = require('fs').readFileSync('ask.wasm');
    WebAssembly.instantiate(bytes).then(({instance: {exports: e}}) => {
        const n = e.ask(16, 64, 56, 56, 256), words = new Int32Array(e.memory.buffer, e.ask_tuples(), 9);
        console.log(JSON.stringify([n, ...words.slice(1)]));
    });""")
    want = json.loads(output(f"{KPRED} predict conv_asm_1x1u gpu=gfx906_60 dir=F dtype=FP32 n=16 c=64 h=56 w=56 k=256 "
                             "stride=1 --json"))
    assert json.loads(output("node ask.js")) == [8, *list(want[0].values())[2:]], want


check("pages", pages)
check("ten predictions", predictions)
check("the hashes of tests/proof/vectors.txt", blocks)
check("a rule's condition, and the search", rules)
check("the form", form)
check("tables are sorted and chosen", sorting)
check("themes and a narrow screen", themes)
check_with("pdftotext", "a printed page", printed)
check_with("node", "the example for a web page", example)
end()
