"""test_importers.py - importers of tuners' files, given what no tuner writes: each file gives a table or one error
SPDX-License-Identifier: MIT

test_tuner.steps and test_init.steps have what is read and told of such files.
"""
import contextlib
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

import report

sys.path.insert(0, "tools/python/kpred")

from convert import command  # noqa: E402: needs the path
from convert.expressions import values_of  # noqa: E402
from convert.table import Bad  # noqa: E402

folder = report.folder()
PYATF = {"tuning_parameters": [{"name": "bx", "range": {"kind": "Set", "values": [1, 2]}}],
         "history": [{"configuration": {"bx": 1}, "valid": True, "cost": 1.5},
                     {"configuration": {"bx": 2}, "valid": False, "cost": None}]}
TRITON = {"key": [64, 0.5, "torch.int8"], "configs_timings": [
    [{"kwargs": {"bx": 1}, "num_warps": 4, "maxnreg": None, "pre_hook": None}, [1.5, 1, 2]],
    [{"kwargs": {"bx": 2, "by": 1}, "num_warps": 8, "maxnreg": 3}, 2]]}
CLBLAST = {"kernel_family": "xdot_1", "precision": "32", "arg_n": "64", "device": "CPU",
           "results": [{"kernel": "Xdot", "time": 0.5, "parameters": {"WGS1": 32}}]}
T1 = {"ConfigurationSpace": {"TuningParameters": [{"Name": "bx", "Values": "[1, 2]"}],
                             "Conditions": [{"Expression": "bx > 1", "Parameters": ["bx"]}]},
      "KernelSpecification": {"KernelName": "k", "ProblemSize": [64, 2]}}
FILES = {"cache": json.loads(report.read("tests/fixtures/cache.json")), "pyATF": PYATF, "Triton": TRITON,
         "T4": json.loads(report.read("tests/fixtures/t4.json")),
         "KTT": json.loads(report.read("tests/fixtures/ktt.json")), "CLBlast": CLBLAST, "T1": T1}
WRONG = [None, True, -1, 1e300, "", "\n,\"", [], {"": [None]}, ["a", 1]]
SOURCE = {name: json.dumps(data) for name, data in FILES.items()}


def read(text):
    """The table, or what is wrong with it; anything else but an error with the file's name and a place is a fault."""
    path = f"{folder}/file.json"
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    try:
        return command.convert(path, command.Asked(names=["M", "N"]))
    except Bad as e:
        if not str(e).startswith(path + ":"):
            raise AssertionError(f"names no file: {e}") from e
        return str(e)[len(path) + 1:]


def is_read(text):
    return not isinstance(read(text), str)


def variants(data):
    """Each value is replaced by each wrong one, and each member is left out."""
    yield from WRONG
    for key in data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        for value in variants(data[key]):
            yield {**data, key: value} if isinstance(data, dict) else [*data[:key], value, *data[key + 1:]]
        if isinstance(data, dict):
            yield {name: value for name, value in data.items() if name != key}


def wrong_types(name):
    for data in variants(FILES[name]):
        read(json.dumps(data))
    return [] if is_read(SOURCE[name]) else ["it is refused itself"]


def count_rows(table):
    out = io.StringIO()
    table.write(out)
    return sum(line[0] != "#" for line in out.getvalue().splitlines()) - 1


def cuts(name):
    """Of a cache the entries that are whole are read, and a note tells of one that is not; other files are refused."""
    text, wrong = SOURCE[name], []
    entries = [(m.start(), m.end()) for m in re.finditer(r'"[12],[ab],1.0": .*?}+(?=[,}] ?["}])', text)]
    for n in range(0, *((text.rindex("}}"), 1) if name == "cache" else (len(text), 5))):
        table = read(text[:n])
        rows, notes = (0, []) if isinstance(table, str) else (count_rows(table), table.texts("note"))
        whole = sum(end <= n for _, end in entries)
        if rows != whole or bool(notes) != (whole > 0 and any(start < n < end for start, end in entries)):
            wrong.append(f"{n} bytes: {whole} entries, {table if isinstance(table, str) else rows} {notes}")
    return wrong


def hostile():
    cache, deep = SOURCE["cache"], "[" * 100000
    texts = {"nothing": "", "blanks": " \n", "a list": "[]", "half a word": "nul", "no text": b"\xff\xfe\0{",
             "a NUL": "\0", "a deep list": deep, "a deep object": '{"a":' * 100000, "a deep member": '{"x":' + deep,
             "a deep list that ends": '{"x":' + deep + "]" * 100000 + ', "cache": {}}',
             "a deep entry": cache.replace("[2.25]", deep), "a deep T1": SOURCE["T1"].replace("[64, 2]", deep),
             "a deep end": cache[:-1] + ', "y": ' + deep, "a million quotes": '{"x": "' + '\\"' * 1000000,
             "many texts": '{"x": [' + '"a",' * 300000, "another number": cache.replace("1.5", "1e999"),
             "a long number": cache.replace("1.5", "9" * 400 + ".5"),
             "a long integer": cache.replace("2.25", "9" * 20), "a longer one": cache.replace("2.25", "9" * 9999),
             "a member twice": cache.replace('"one": 1.0', '"one": 1.0, "bx": 1'),
             "a NUL in a text": cache.replace("u00e9", "u0000"), "half a character": cache.replace("u00e9", "ud83d"),
             "the other half": cache.replace("u00e9", "ude00"),
             "no UTF-8": cache.encode().replace(b"\\u00e9", b"\xc3"),
             "a control character": cache.replace("NVIDIA", "\1")}
    return [f"{name}: is read" for name, text in texts.items() if is_read(text)] + (
        [] if is_read(cache.replace("u00e9", "ud83d\\ude00")) else ["a whole character is refused"])


def in_time(check):
    def checked(*args):
        start = time.process_time()
        return check(*args) or [f"{time.process_time() - start:.0f} s"] * (time.process_time() - start > 20)
    return checked


# ---- the values of a parameter ----

def refuse(before, what):
    raise Bad(what)


def value_of(text):
    try:
        return values_of(text, refuse)
    except Bad as e:
        return str(e)


def expressions():
    """None of these is computed, or executed."""
    made = f"{folder}/made"
    texts = ["__import__('os')", "[__import__('os').system('true')]", f"[open('{made}', 'w')]", "9**9**9", "[9**9**9]",
             "'a'*10**9", "['a'*10**9]", "range(10**12)", "list(range(10**12))", "[i for i in range(10**6)]",
             "lambda: 3", "[0 for i in range(9) for j in range(9)]", "[[i for i in range(9)] for j in range(9)]",
             "[(1).real]", "[1 if 1 else 2]", "[x:=1]", "[*range(3)]", "{1, 2}", "[f'{1}']", "[1 // 0]", "[2 ** -1]",
             "[-" * 40000 + "1]", "[" + "-" * 40000 + "1]", "(" * 40000, "[" * 40000 + "]" * 40000,
             "[1]" + "+[1]" * 2000, "[" + "1+" * 9999 + "i for i in range(1000)]", "[" + "9" * 99999 + "]",
             "[0x" + "f" * 99999 + "]", "['" + "a" * 999 + "']", "['a\\n']", "['a", "[\0]", "", "[]", "é"]
    wrong = [text[:60] for text in texts if isinstance(value_of(text), list)]
    return wrong + ["a file was made"] * os.path.exists(made)


def number(depth):
    if depth == 0 or random.random() < .3:
        return random.choice(["i", str(random.randrange(20)), "0x1f", "(i + 1)", "-i"])
    form = random.choice(["{} + {}", "{} - {}", "{} * {}", "{} // {}", "{} % {}", "{} ** 2 + {}", "(-{}) ** {}",
                          "-{} ** 2 % {}"])
    return form.format(number(depth - 1), number(depth - 1))


def as_python():
    """Python's own eval finds the same values, of texts that are written here."""
    random.seed(1)
    wrong, n = [], 0
    for _ in range(500):
        text = f"[{number(3)} for i in range({random.randrange(1, 5)})]"
        got = value_of(text)
        if isinstance(got, list):
            n += 1
            with contextlib.suppress(ZeroDivisionError):
                want = list(dict.fromkeys(map(str, eval(text))))
                wrong += [] if got == want else [f"{text}: {got}, not {want}"]
    return wrong or ["few are computed"] * (n < 100)


def one_line():
    """The error goes to standard output for kpred-train, which tells it."""
    with open(f"{folder}/file.json", "wb") as f:
        f.write(b'{"cache": {"\xff\n')
    done = report.run(f"python3 -I tools/python/kpred/convert/__main__.py --stream {folder}/file.json", 1)
    assert done.stdout.startswith("#error\t") and done.stdout.count("\n") == 1 and not done.stderr, str(done)


def converted(text, options="", around="exec {}", **env):
    """What `kpred.convert` prints of a table, on both outputs"""
    report.write(f"{folder}/t.csv", text)
    command_line = f"{sys.executable} -m kpred.convert {folder}/t.csv {options}"
    done = report.run(f"sh -c '{around.format(command_line)}'", None, env={"PYTHONPATH": "tools/python", **env})
    return done.stdout, done.stderr


def as_command():
    """Nothing but the table is on standard output, and a table that is none is told of."""
    want = {"a column to leave out": (converted("n,s,tile,t_ms\n8,x,1,2\n", "--ignore s")[0], "8,1,2000.0\n"),
            "any locale": (converted("n,tile,t_ms\n8,\u00e9,2\n", PYTHONIOENCODING="ascii")[0], "8,\u00e9,2000.0\n"),
            "nowhere to tell": ("|" + converted("n,tile,t_ms\n8,1,2\n", around="{} 2>&-")[0],
                                "|n,tile,time_us\n8,1,2000.0\n"),
            "nowhere to write": (converted("n,tile,time_us\n8,1,2\n", around="{} >&-")[1],
                                 "kpred.convert: standard output: Bad file descriptor\n"),
            "no text": (converted("n,tile,t_ms\n8,\0,2\n")[1], "t.csv: is not a text file: it holds a NUL byte\n"),
            "no times": (converted("n,tile\n8,1\n")[1], "others have a time for each tuple\n")}
    return [f"{name}: {got}" for name, (got, end) in want.items() if not got.endswith(end)]


def interrupted():
    """It ends without a word, and leaves no part of a table."""
    os.mkfifo(f"{folder}/pipe.csv")
    signal.signal(signal.SIGINT, signal.default_int_handler) # where it is ignored, the program ignores it too
    words = [sys.executable, "tools/python/kpred/convert/__main__.py", f"{folder}/pipe.csv", "-o", f"{folder}/o.csv"]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as p, open(f"{folder}/pipe.csv", "wb"): # it reads
        p.send_signal(signal.SIGINT)
        told = p.stderr.read()
    return [f"{p.returncode}: {told.decode()}"] if told or p.returncode != 130 else []


for kind in FILES:
    report.check(f"{kind}: wrong types", in_time(wrong_types), kind)
    report.check(f"{kind}: cut texts", in_time(cuts), kind)
report.check("hostile texts", in_time(hostile))
report.check("expressions that are not computed", in_time(expressions))
report.check("expressions beside Python", as_python)
report.check("one line", one_line)
report.check("the command", as_command)
report.check("interrupted", interrupted)
report.end()
