#!/usr/bin/env python3
"""kpred_tune.py - a server's own tuner, with the tuples of `kpred serve --top` in the place of its space

SPDX-License-Identifier: MIT

usage: kpred_tune.py tuples.csv TUNER.py [ARGUMENTS OF THE TUNER...]

TUNER.py is benchmark_moe.py or benchmark_w8a8_block_fp8.py of vLLM, or a tuner of SGLang's that has the same functions:

    class BenchmarkWorker, of ray, with tune(num_tokens, num_experts, shard_intermediate_size, ..., search_space, ...)
    tune(M, N, K, block_size, ..., search_space, input_type) and get_weight_shapes(tp_size)

It runs as it would alone, and writes the same files. Each shape of the table is measured with the tuples of the table
alone; another one with all of the tuner's. Of the products N=..,K=.. those of the table are tuned.
"""
import ast
import csv
import os
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
    """The tuples of a shape: the tuner leaves none of them out."""
    is_whole = True


# ---- the table ----

def number(row, column, where):
    """None: the cell is empty"""
    text = row[column]
    if text is None or text and not (text.isascii() and text.isdigit()):
        stop(f"{where}: {column}: value \"{'' if text is None else text}\": is no whole number")
    return int(text) if text else None


def read_table(path):
    """{(server, E, N, K, dtype, block or None, is per channel): {M: tuples}}"""
    table = {}
    try:
        with open(path, encoding="utf-8", newline="") as f:
            rows = csv.DictReader(f)
            lacking = [name for name in ("server", "dtype", *SIZES, *MEMBERS) if name not in (rows.fieldnames or [])]
            if lacking:
                stop(f"{path}:1: has no column {lacking[0]}: it is no table of `kpred serve --top`")
            for row in rows:
                where = f"{path}:{rows.line_num}"
                if None in row:
                    stop(f"{where}: it has more cells than the heading")
                e, n, k, *block, per_channel, m = (number(row, name, where) for name in SIZES)
                config = {name: number(row, name, where) for name in MEMBERS}
                if m is None or n is None or None in list(config.values())[:6]:
                    stop(f"{where}: M, N, a block size, warps or stages are missing")
                key = row["server"], e, n, k, row["dtype"], tuple(block) if all(block) else None, bool(per_channel)
                table.setdefault(key, {}).setdefault(m, []).append(
                    {name: value for name, value in config.items() if value is not None})
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        stop(f"{path}: {getattr(error, 'strerror', None) or error}")
    if not table:
        stop(f"{path}: it has no tuple")
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

    def products(self):
        """(N, K) of the table"""
        return list(dict.fromkeys((n, k) for server, _, n, k, *_ in self.table if server == self.server and k))


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


def change(tuner, tree, path, spaces):
    """Puts other functions into the module, which runs as far as its main part."""
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


def change_others(tuner, spaces):
    for name in "prune_rocm_search_space", "prune_xpu_search_space":
        if hasattr(tuner, name):
            setattr(tuner, name, keeping(getattr(tuner, name)))
    products = spaces.products()
    if products and hasattr(tuner, "get_weight_shapes"):
        tuner.get_weight_shapes = lambda *_: products


def is_main_part(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"


def load(table, path):
    """The module of the tuner with other functions, and its main part as code"""
    try:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        tree = ast.parse(text, path)
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        stop(f"{path}: {getattr(error, 'strerror', None) or error}")
    main = [node for node in tree.body if is_main_part(node)]
    if not main:
        stop(f"{path}: has no part that runs if __name__ is __main__: this tuner is not known")
    tree.body = [node for node in tree.body if node not in main]
    spaces = Spaces(read_table(table), "sglang" if "sglang" in text else "vllm")
    if not any(key[0] == spaces.server for key in spaces.table):
        stop(f"{table}: it has no tuple for {spaces.server}, whose tuner this is")
    tuner = types.ModuleType("__main__")
    # A process that the tuner spawns runs the file of the main module again: this one, not the tuner's.
    tuner.__file__ = os.path.abspath(__file__)
    sys.modules["__main__"] = tuner # what ray and multiprocessing take functions from
    exec(compile(tree, path, "exec", dont_inherit=True), vars(tuner)) # pylint: disable=exec-used
    change(tuner, tree, path, spaces)
    change_others(tuner, spaces)
    return tuner, compile(ast.Module(main, []), path, "exec", dont_inherit=True)


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        print(__doc__[__doc__.index("usage"):].split("\n\n", maxsplit=1)[0], file=sys.stderr)
        sys.exit(2)
    table, path = map(os.path.abspath, sys.argv[1:3])
    os.environ.update(KPRED_TUPLES=table, KPRED_TUNER=path) # for what the tuner spawns
    sys.argv = [path, *sys.argv[3:]]
    sys.path[0] = os.path.dirname(path)
    tuner, code = load(table, path)
    exec(code, vars(tuner)) # pylint: disable=exec-used


if __name__ == "__main__":
    main()
elif __name__ == "__mp_main__": # a process that the tuner spawned: it has the tuner's arguments, and takes its names
    globals().update({name: value for name, value in vars(
        load(os.environ["KPRED_TUPLES"], os.environ["KPRED_TUNER"])[0]).items() if not name.startswith("__")})
