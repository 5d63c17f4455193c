"""tuner.py - other tuners' files read a second time: what a spec of them is, their rows, and how cut ones read
SPDX-License-Identifier: MIT

usage: tuner.py FILE GPU SPEC ROWS   writes a spec with the file's parameters and sizes, and its rows as
                                     `kpred-train ingest` does, but sorted as text
       tuner.py cuts FILE            prints what tests/data/cuts.c has to say of each beginning of a cache
"""
import bz2
import gzip
import json
import sys

SIZES = "xyz"
US = {"Microseconds": 1, "Milliseconds": 1000, "": 1000, "miliseconds": 1000, "ms": 1000}


def load(path):
    opened = {"bz2": bz2.open, "gz": gzip.open}.get(path.rsplit(".", 1)[-1], open)
    with opened(path, "rt", encoding="utf-8") as f:
        return json.load(f)


def measurements(d):
    """(parameters, time in microseconds or None) of each"""
    if "cache" in d:
        for e in d["cache"].values():
            t = e["time"]
            yield {k: e[k] for k in d["tune_params_keys"]}, None if isinstance(t, str) else t * 1000
    elif "results" in d:
        for r in d["results"]:
            one, = [m for m in r["measurements"] if m["name"] == r["objectives"][0]]
            unit = US[one["unit"] or d["metadata"]["timeunit"]]
            yield r["configuration"], one["value"] * unit if r["invalidity"] == "correct" else None
    else:
        unit = US[d["Metadata"]["TimeUnit"]]
        for r in d["Results"]:
            time = r["TotalDuration"] * unit if r["Status"] == "Ok" else None
            yield {c["Name"]: c["Value"] for c in r["Configuration"]}, time


def sizes(d):
    got = d.get("problem_size", [])
    return got if isinstance(got, list) else [got]


def spec(d, gpu):
    values = {}
    for params, _ in measurements(d):
        for name, value in params.items():
            values.setdefault(name, set()).add(value)
    lines = ["[kernel]", "name = hub", "[data]", "format = timed", "[fields]", "gpu = " + gpu]
    lines += ["problem_size_%s = size" % SIZES[i] for i in range(len(sizes(d)))] + ["[params]"]
    lines += ["%s = %s" % (n, " ".join(map(str, sorted(v)))) for n, v in values.items()]
    return lines + ["[features]", "onehot gpu"]


def rows(d, gpu):
    found, names = [], []
    for params, time in measurements(d):
        names = list(params)
        if time is not None:
            found.append(",".join([gpu] + [str(v) for v in sizes(d) + list(params.values())] + ["%.15g" % time]))
    head = ["gpu"] + ["problem_size_" + SIZES[i] for i in range(len(sizes(d)))] + names + ["time_us"]
    return [",".join(head)] + sorted(found)


def cuts(path):
    """Of the first n bytes, n from 1: the entries that are whole, and `cut` if there is a piece of one more"""
    with open(path, encoding="latin-1") as f: # a character is a byte
        text = f.read()
    at = text.index("{", text.index('"cache":')) + 1
    decoder, ends = json.JSONDecoder(), []
    while True:
        while text[at] in ",\n ":
            at += 1
        if text[at] == "}":
            break
        start = at
        _, at = decoder.raw_decode(text, start)
        at = text.index("{", at)
        _, at = decoder.raw_decode(text, at)
        ends.append((start, at))
    for n in range(1, len(text) + 1):
        whole = sum(end <= n for _, end in ends)
        is_cut = any(start < n < end for start, end in ends)
        if whole:
            yield "%d: %d%s" % (n, whole, " cut" if is_cut else "")
        else:
            yield "%d: error" % n


def write(path, lines):
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


def main():
    if sys.argv[1] == "cuts":
        print("\n".join(cuts(sys.argv[2])))
        return
    path, gpu, to_spec, to_rows = sys.argv[1:]
    d = load(path)
    write(to_spec, spec(d, gpu))
    write(to_rows, rows(d, gpu))


if __name__ == "__main__":
    main()
