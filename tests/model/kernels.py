"""kernels.py - AITER's rules and tables, read without kpred: what is legal, and what rows say
SPDX-License-Identifier: MIT

usage: kernels.py problems SPEC N        N lines "MODEL GPU M N K" to ask for, on standard output
       kernels.py legal SPEC KERNELS     reads such lines and prints each legal tuple behind them:
                                         name, number, split; KERNELS is AITER's list as CSV
       kernels.py rows SPEC FILE...      what `kpred-train ingest` should print of these tables
       kernels.py rejected SPEC FILE...  rows of the tables that the rules do not allow, by FILE:LINE

What is legal is said here by families and libraries, from the documents, and not by the spec's own
conditions; of the spec, this reads the names and numbers of kernels alone."""
import functools
import random
import re
import sys

sys.path[1:1] = ["tools/lab/peers", "tests/harness"]

from report import read, rows_of  # noqa: E402: needs the path
from rows import read_sections  # noqa: E402


def read_spec(path):
    """The family, the GPUs, the range of splits, and for each kernel its tuple and places."""
    sections = read_sections(path)
    kernel, data, fields, params = (dict(sections[name]) for name in ("kernel", "data", "fields", "params"))
    spec = {"name": kernel["name"], "family": data["family"], "gpus": fields["gpu"].split(),
            "further": [name for name in fields if name not in ("gpu", "m", "n", "k")],
            "splits": [int(x) for x in params["split"].split()], "kernels": {}}
    for left, right in sections["kernels"]:
        library, *numbers = left.split()
        if library != "library":
            name, *places = right.split()
            spec["kernels"][name] = {"library": library, "tuple": [int(x) for x in numbers],
                                     "ids": {gpu: int(number) for gpu, number in (p.split(":") for p in places)}}
    return spec


@functools.lru_cache(None)
def numbers_in(name, mark):
    found = re.search(mark + r"(\d+)", name)
    return int(found.group(1)) if found else None


def is_legal_bf16(library, name, split, gpu, m, n, k):
    """The BF16 product alone: what tuners try of asm, what skinny takes, and what FlyDSL's names say."""
    if library == "asm":
        parts = range(2, 17) if name.endswith("splitk_cleanE") else (1,)
        return split in parts and split <= k / 64 and k % 64 == 0 and n % numbers_in(name, r"_tn_\d+x") == 0
    if library == "opus":
        return True
    if library == "skinny":
        units = int(gpu.split("_")[1])
        narrow = n <= (2 * units if m == 1 else units)
        deepest = 9216 if m <= 4 else 5120 if m <= 8 else 256 if m <= 16 else 0
        return split == 0 and narrow and k % 8 == 0 and k <= deepest
    if library == "flydsl":
        tile_n, tile_k, parts = map(int, re.search(r"_t\d+x(\d+)x(\d+)_split_k(\d+)_", name).groups())
        return split == 0 and n % tile_n == 0 and k % (tile_k * parts) == 0
    return split == 0


def is_legal(family, kernel, name, split, gpu, m, n, k):
    """Section by section: what the library's tuners try, and what all their rows have in common."""
    library, (_, tile_n, tile_k, _) = kernel["library"], kernel["tuple"]
    if family == "bf16":
        return is_legal_bf16(library, name, split, gpu, m, n, k)
    if family == "a8w8_blockscale":
        if library == "cktile" and k % tile_k:
            return False
        return split <= 3 and tile_k * 2 ** split <= k
    if family == "a4w4_blockscale":
        return split == 0
    if family == "a8w8": # its kernels fill up tiles
        return split <= 3 and k % 16 == 0 and (split == 0 or tile_k * 2 ** split <= k)
    if family == "a8w8_bpreshuffle":
        if split not in (range(1, 9) if library == "asm" else range(1) if library == "flydsl" else range(4)):
            return False
        return library in ("asm", "cktile") or (n % tile_n == 0 and k % max(tile_k, 1) == 0)
    if library == "asm":
        if not 1 <= split <= 8 or n % tile_n:
            return False
        part = -(-k // split)
        part = -(-part // 128) * 128
        return -(-k // part) == split
    if split or library == "triton":
        return split == 0
    if library == "flydsl":
        parts, buffers = numbers_in(name, "_sk"), numbers_in(name, "_nb")
        return n % tile_n == 0 and k % (parts * tile_k) == 0 and k // parts // tile_k >= buffers
    if library == "cktile":
        return k % tile_k == 0
    return n % tile_n == 0 and k % tile_k == 0


def problems(spec, count):
    draw = random.Random(20)
    for _ in range(count):
        n, k = (draw.choice((draw.randrange(1, 4096), 16 * draw.randrange(1, 1024),
                             128 * draw.randrange(1, 200))) for _ in range(2))
        print(spec["name"], draw.choice(spec["gpus"]), draw.choice((draw.randrange(1, 20), draw.randrange(1, 40000))),
              n, k)


def listed(path, family):
    """By architecture: the names of AITER's own list."""
    names = {}
    if family == "bf16": # its lists are not read
        return names
    for row in rows_of(read(path)):
        if row["family"] != family or row["kernelId"].startswith("-") or "bpreshuffle=0" in row["fields"]:
            continue
        for word in row["gfx"].split():
            if word.startswith("gfx"):
                arch = re.match(r"gfx[0-9a-f]+", word).group()
                names.setdefault(arch, {}).setdefault(row["kernelName"], int(row["kernelId"] or 0))
    return names


def legal(spec, path):
    """A kernel that is in no list has its number, 0, from the spec: tables named it."""
    lists = listed(path, spec["family"])
    everywhere = {name for names in lists.values() for name in names}
    for line in sys.stdin:
        line = line.strip()
        _, gpu, m, n, k = line.split()
        arch = gpu.split("_")[0]
        for name, kernel in spec["kernels"].items():
            if name in everywhere:
                number = lists.get(arch, {}).get(name)
                if number is None and kernel["library"] == "triton":
                    number = kernel["ids"].get(arch)
            else:
                number = kernel["ids"].get(arch)
            if number is None:
                continue
            for split in spec["splits"]:
                if is_legal(spec["family"], kernel, name, split, gpu, int(m), int(n), int(k)):
                    print(line, name, number, split)


# By family: the libraries whose splits are as the tables have them; all of a family that is not here
TAKE_ANY = {"a8w8_blockscale_bpreshuffle": (), "a8w8_bpreshuffle": ("ck", "cktile"), "bf16": ("opus",)}


def split_of(spec, kernel, text):
    """One number for all that runs the same code."""
    split, library = int(float(text)), kernel["library"]
    if library in TAKE_ANY.get(spec["family"], (library,)):
        return split
    return max(split, 1) if library == "asm" else 0


def table_rows(spec, paths):
    """(place, gpu, m, n, k, name, split, us, further fields) of each row; one never timed has 0 us."""
    for path in paths:
        for number, row in enumerate(rows_of(read(path)), 2):
            if row["us"] == "inf" or (row.get("q_dtype_w") == "torch.int8" and "q_dtype_w" not in spec["further"]):
                continue
            more = [row[name] for name in spec["further"]]
            gfx = row.get("gfx") or ("gfx950" if row["cu_num"] == "256" else "gfx942")
            kernel = spec["kernels"][row["kernelName"]]
            yield (f"{path}:{number}", f"{gfx}_{row['cu_num']}", int(row["M"]), int(row["N"]),
                   int(row["K"]), row["kernelName"], split_of(spec, kernel, row["splitK"]),
                   float(row["us"]) or 1e9, more)


def rows(spec, paths):
    out = []
    for _, gpu, m, n, k, name, split, us, more in table_rows(spec, paths):
        kernel = spec["kernels"][name]
        numbers = ",".join(str(x) for x in kernel["tuple"])
        problem = ",".join([gpu, str(m), str(n), str(k), *more])
        out.append(f"{problem},{split},{kernel['library']},{numbers},{us:.15g}")
    for line in sorted(out):
        print(line)


def rejected(spec, paths):
    for place, gpu, m, n, k, name, split, _, _ in table_rows(spec, paths):
        kernel = spec["kernels"][name]
        if gpu.split("_")[0] not in kernel["ids"]:
            print(f"{place}: {name} is not in the list of {gpu}")
        elif not is_legal(spec["family"], kernel, name, split, gpu, m, n, k):
            print(f"{place}: {m},{n},{k} {name} {split}")


if __name__ == "__main__":
    command, path, *rest = sys.argv[1:]
    of_spec = read_spec(path)
    if command == "problems":
        problems(of_spec, int(rest[0]))
    elif command == "legal":
        legal(of_spec, rest[0])
    else:
        {"rows": rows, "rejected": rejected}[command](of_spec, rest)
