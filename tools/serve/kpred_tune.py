#!/usr/bin/env python3
"""kpred_tune.py - a server's own tuner, with the candidates of `kpred serve --top` in the place of its space

SPDX-License-Identifier: MIT

usage: kpred_tune.py TABLE.csv TUNER.py [ARGUMENTS OF THE TUNER...]

TABLE.csv is candidates_triton.csv of `kpred serve --top K`. TUNER.py is benchmark_moe.py or benchmark_w8a8_block_fp8.py
of vLLM, or a tuner of SGLang's that has the same functions:

    class BenchmarkWorker, of ray, with tune(num_tokens, num_experts, shard_intermediate_size, ..., search_space, ...)
    tune(M, N, K, block_size, ..., search_space, input_type) and get_weight_shapes(tp_size)

Or TABLE.csv is candidates_FAMILY.csv of `kpred aiter --top K`, or of `kpred serve` with --aiter, and TUNER.py is that
family's of AITER, such as csrc/ck_gemm_a8w8_blockscale/gemm_a8w8_blockscale_tune.py, which has kernels_list and
mp_tuner(tasks, in_datas, ...).

The tuner runs as it would alone, and writes the same files. Each shape of the table is measured with the candidates of
the table alone; another one with all of the tuner's. Of a server's products N=..,K=.. those of the table are tuned.
"""
import ast
import csv
import numbers
import os
import re
import sys
import types

SIZES = "E", "N", "K", "block_n", "block_k", "per_channel", "M"
MEMBERS = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "GROUP_SIZE_M", "num_warps", "num_stages", "waves_per_eu",
           "matrix_instr_nonkdim", "kpack")
OF_EXPERTS = "num_tokens", "num_experts", "shard_intermediate_size", "search_space"
OF_PRODUCTS = "M", "N", "K", "block_size", "search_space", "input_type"


def stop(why):
    sys.exit(f"kpred_tune.py: {why}")


def say(what):
    print(f"kpred_tune.py: {what}", file=sys.stderr, flush=True)


class Space(list):
    """The candidates of a shape: the tuner leaves none of them out."""
    is_whole = True


# ---- the table ----

def number(row, column, where):
    """None: the cell is empty"""
    text = row[column]
    if text is None or text and not (text.isascii() and text.isdigit()):
        stop(f"{where}: {column}: value \"{'' if text is None else text}\": is not a whole number")
    return int(text) if text else None


def read_rows(path, columns):
    """Each row, and where it is"""
    try:
        with open(path, encoding="utf-8", newline="") as f:
            rows = csv.DictReader(f)
            lacking = [name for name in columns if name not in (rows.fieldnames or [])]
            if lacking:
                stop(f"{path}:1: has no column {lacking[0]}: it is not a table of candidates of kpred")
            for row in rows:
                where = f"{path}:{rows.line_num}"
                if None in row:
                    stop(f"{where}: it has more cells than the heading")
                yield row, where
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        stop(f"{path}: {getattr(error, 'strerror', None) or error}")


def is_of_aiter(path):
    """By its heading"""
    try:
        with open(path, encoding="utf-8") as f:
            return "kernelName" in f.readline()
    except (OSError, UnicodeDecodeError):
        return False


def read_table(path):
    """{(server, E, N, K, dtype, block or None, is per channel): {M: tuples}}"""
    table = {}
    for row, where in read_rows(path, ("server", "dtype", *SIZES, *MEMBERS)):
        e, n, k, *block, per_channel, m = (number(row, name, where) for name in SIZES)
        config = {name: number(row, name, where) for name in MEMBERS}
        if m is None or n is None or None in list(config.values())[:6]:
            stop(f"{where}: M, N, a block size, warps or stages are missing")
        key = row["server"], e, n, k, row["dtype"], tuple(block) if all(block) else None, bool(per_channel)
        table.setdefault(key, {}).setdefault(m, []).append(
            {name: value for name, value in config.items() if value is not None})
    return table


def read_kernels(path):
    """{(compute units, M, N, K), with B behind the units of batched products: {(kernel, split)}}"""
    table = {}
    for row, where in read_rows(path, ("cu_num", "M", "N", "K", "splitK", "kernelName")):
        key = tuple(number(row, name, where) for name in ("cu_num", "B", "M", "N", "K") if name in row)
        if None in key or not row["kernelName"]:
            stop(f"{where}: a size or kernelName is missing")
        table.setdefault(key, set()).add((plain(row["kernelName"]), number(row, "splitK", where)))
    return table


# ---- the spaces ----

class Spaces:
    def __init__(self, table, server):
        self.table, self.server = table, server

    def of(self, shape, m, own):
        """The tuples to measure, for the tuner's own ones"""
        e, n, k = shape[:3]
        called = f"M={m}: " + (f"E={e},N={n}" if e is not None else f"N={n},K={k}")
        tuples = self.table.get((self.server, *shape), {}).get(m)
        if tuples is None:
            say(f"{called}: it is not in the table: all {len(own)} tuples of the tuner")
            return own
        # What all of the tuner's own have, such as SPLIT_K of 4 bits, the kernel asks for.
        fixed = {name: value for name, value in (own[0] if own else {}).items()
                 if name not in MEMBERS and all(other.get(name) == value for other in own)}
        say(f"{called}: {len(tuples)} of {len(own)} tuples")
        return Space({**config, **fixed} for config in tuples)

    def of_experts(self, call):
        dtype = next((name[4:] for name, is_used in call.items()
                      if is_used is True and name.startswith("use_") and "_w" in name), "")
        block = call.get("block_quant_shape", call.get("block_shape"))
        n = call["shard_intermediate_size"] // 2
        if self.server == "sglang" and dtype == "int4_w4a16": # two weights in a byte
            n //= 2
        return self.of((call["num_experts"], n, None, dtype, tuple(block) if block and all(block) else None,
                        bool(call.get("per_channel_quant"))), call["num_tokens"], call["search_space"])

    def of_product(self, call):
        return self.of((None, call["N"], call["K"], f"{call['input_type']}_w8a8", tuple(call["block_size"]), False),
                       call["M"], call["search_space"])

    def change(self, tuner, tree, path):
        """Puts other functions into the module, which has run as far as its main part."""
        change_tune(tuner, tree, path, self)
        for name in "prune_rocm_search_space", "prune_xpu_search_space":
            if hasattr(tuner, name):
                setattr(tuner, name, keeping(getattr(tuner, name)))
        products = list(dict.fromkeys((n, k) for server, _, n, k, *_ in self.table if server == self.server and k))
        if products and hasattr(tuner, "get_weight_shapes"):
            tuner.get_weight_shapes = lambda *_: products


# ---- the functions of the tuner ----

class Workers:
    """In the place of a class of ray, or of what it makes: `tune` of its workers gets another space."""
    def __init__(self, of, changed):
        self.of, self.changed = of, changed

    def remote(self, *arguments, **named):
        return Workers(self.of.remote(*arguments, **named), self.changed)

    def options(self, *arguments, **named):
        return Workers(self.of.options(*arguments, **named), self.changed)

    def __getattr__(self, name):
        of = getattr(self.of, name)
        if name != "tune":
            return of
        return types.SimpleNamespace(remote=lambda *arguments, **named: of.remote(**self.changed(arguments, named)))


def changer(names, space):
    """The arguments of a call, by their names, with the space of the shape"""
    def changed(arguments, named):
        call = {**dict(zip(names, arguments)), **named}
        return {**call, "search_space": space(call)}
    return changed


def keeping(prune):
    """Leaves the tuples of the table alone, and others to the tuner's function."""
    def keep(*arguments, **named):
        spaces = [a for a in (*arguments, *named.values()) if getattr(a, "is_whole", False)]
        return spaces[0] if spaces else prune(*arguments, **named)
    return keep


# ---- AITER's kernels ----

def plain(kernel):
    """A kernel of ck without its number of instructions for a wave, which names of 2025 do not have"""
    return re.sub(r"(_\d+x\d+_\d+x\d+)_\d+x\d+(_\d+x\d+x\d+_)", r"\1\2", kernel)


class Kernels:
    """Of AITER: its tuner lists tasks, ((sizes, number, split, name or ""), ...), and mp_tuner() measures them."""
    def __init__(self, table):
        self.table = table

    def of(self, shape, own, names):
        key = tuple(int(size) for size in shape if isinstance(size, numbers.Integral))
        called = f"{'B=%d,' % key[1] if len(key) > 4 else ''}M={key[-3]},N={key[-2]},K={key[-1]}"
        wanted = self.table.get(key, ())
        tasks = [task for task in own if (plain(task[0][3] or names(task[0][1])), task[0][2]) in wanted]
        if not tasks:
            why = f"none of its {len(wanted)} kernels is the tuner's" if wanted else \
                f"it is not in the table for {key[0]} compute units"
            say(f"{called}: {why}: all {len(own)} kernels of the tuner")
            return own
        lacking = len(wanted) - len(tasks)
        say(f"{called}: {len(tasks)} of {len(own)} kernels" +
            f"; {lacking} more of the table are none of the tuner's" * (lacking > 0))
        return tasks

    def change(self, tuner, _, path):
        for name in "mp_tuner", "kernels_list":
            if not hasattr(tuner, name):
                stop(f"{path}: has no {name}: this tuner is not known")
        measure = tuner.mp_tuner

        def name_of(number_of_kernel):
            try:
                return tuner.kernels_list[number_of_kernel].name
            except (IndexError, KeyError):
                return ""

        def measure_few(tasks, in_datas, *arguments, **named):
            of = {}
            for task in tasks:
                of.setdefault(task[0][0], []).append(task)
            of = [self.of(shape, own, name_of) for shape, own in of.items()]
            datas = [data for _, data in in_datas] if len(in_datas) == len(of) else [()] * len(of)
            return measure([task for own in of for task in own], [(len(own), data) for own, data in zip(of, datas)],
                           *arguments, **named)
        tuner.mp_tuner = measure_few


# ---- a tuner ----

def change_tune(tuner, tree, path, spaces):
    for node in tree.body:
        methods = node.body if isinstance(node, ast.ClassDef) else [node]
        for tune in (f for f in methods if isinstance(f, ast.FunctionDef) and f.name == "tune"):
            is_method = tune is not node
            names = [a.arg for a in tune.args.args][is_method:]
            lacking = [name for name in (OF_EXPERTS if is_method else OF_PRODUCTS) if name not in names]
            if lacking:
                stop(f"{path}:{tune.lineno}: tune() has no argument {lacking[0]}: this tuner is not known")
            if is_method:
                changed = changer(names, spaces.of_experts)
                setattr(tuner, node.name, Workers(getattr(tuner, node.name), changed))
            else:
                changed, own = changer(names, spaces.of_product), tuner.tune
                tuner.tune = lambda *arguments, **named: own(**changed(arguments, named))
            return
    stop(f"{path}: has no function tune(): this tuner is not known")


def is_main_part(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"


def read_tuner(path):
    """The tuner but for its main part, and that"""
    try:
        with open(path, encoding="utf-8") as f:
            tree = ast.parse(f.read(), path)
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        stop(f"{path}: {getattr(error, 'strerror', None) or error}")
    main_part = [node for node in tree.body if is_main_part(node)]
    if not main_part:
        stop(f"{path}: has no part that runs if __name__ is __main__: this tuner is not known")
    tree.body = [node for node in tree.body if node not in main_part]
    return tree, ast.Module(main_part, [])


def server_of(tree):
    """By what the tuner imports"""
    modules = [a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names]
    modules += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return "sglang" if "sglang" in [name.split(".")[0] for name in modules] else "vllm"


def load(table, path):
    """The module of the tuner with other functions, and its main part as code"""
    tree, main_part = read_tuner(path)
    plan = Kernels(read_kernels(table)) if is_of_aiter(table) else Spaces(read_table(table), server_of(tree))
    if not plan.table:
        stop(f"{table}: it has no candidate")
    if isinstance(plan, Spaces) and not any(key[0] == plan.server for key in plan.table):
        stop(f"{table}: it has no candidate for {plan.server}, whose tuner this is")
    tuner = types.ModuleType("__main__")
    # A process that the tuner spawns runs the file of the main module again: this one, not the tuner's.
    tuner.__file__ = os.path.abspath(__file__)
    sys.modules["__main__"] = tuner # what ray and multiprocessing take functions from
    exec(compile(tree, path, "exec", dont_inherit=True), vars(tuner)) # pylint: disable=exec-used
    plan.change(tuner, tree, path)
    return tuner, compile(main_part, path, "exec", dont_inherit=True)


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        print(__doc__[__doc__.index("usage"):].split("\n\n", maxsplit=1)[0], file=sys.stderr)
        sys.exit(2)
    table, path = map(os.path.abspath, sys.argv[1:3])
    os.environ.update(KPRED_CANDIDATES=table, KPRED_TUNER=path) # for what the tuner spawns
    sys.argv = [path, *sys.argv[3:]]
    sys.path[0] = os.path.dirname(path)
    tuner, code = load(table, path)
    exec(code, vars(tuner)) # pylint: disable=exec-used


if __name__ == "__main__":
    main()
elif __name__ == "__mp_main__": # a process that the tuner spawned: it has the tuner's arguments, and takes its names
    globals().update({name: value for name, value in vars(
        load(os.environ["KPRED_CANDIDATES"], os.environ["KPRED_TUNER"])[0]).items() if not name.startswith("__")})
