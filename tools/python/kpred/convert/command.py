"""command.py - the command: what kind of file it is, and its table

SPDX-License-Identifier: MIT
"""
import argparse
import bz2
import contextlib
import gzip
import importlib
import io
import os
import sys
import zlib
from typing import Any, ContextManager, Iterator, List, NamedTuple, Optional, Sequence, TextIO, Tuple

from .table import Bad, Table
from .units import TIME, metric_of_unit

MOST_BYTES = 1 << 30 # of a file, unpacked
# Modules with sees(path, text) and read(path, text, asked) by the ending of a file's name. The last one takes the rest.
IMPORTERS = {".json": ["triton_configs", "tuner"], ".csv": ["helion", "tensile", "triton_tables", "odd"]}
OF_SPECS = "triton_configs", "tensile", "triton_tables" # kpred-train asks for them by name, with a spec of such data


class Asked(NamedTuple):
    """What the user, or the spec, says of the file"""
    unit: Optional[str] = None # of times without one
    names: Sequence[str] = () # fields that were asked for, which may name the values of a key
    fields: Sequence[str] = ()
    params: Sequence[str] = ()
    ignored: Sequence[str] = ()
    metric: Optional[str] = None # the column of times
    success: Sequence[str] = () # COLUMN=VALUE, COLUMN<=NUMBER or COLUMN>=NUMBER of rows that worked
    kernel: Optional[str] = None # of the spec, and its servers
    servers: Sequence[str] = ()
    server: Optional[str] = None # of files that do not say it
    importer: Optional[str] = None # the one to take
    stream: bool = False # for kpred-train
    gpu: Optional[str] = None
    is_lenient: bool = False # rows that are wrong are left out later
    has_spec: bool = False # of which these are the fields and parameters
    is_only: bool = False # there is no other file
    best: Optional[str] = None # the format of a spec whose data have no times: a row is the best tuple of its problem
    integers: Sequence[str] = () # parameters whose values are integers,
    texts: Sequence[str] = () # and those whose values' names look like such
    values: Sequence[str] = () # of the only parameter


def read_text(path: str) -> str:
    """The text of a file, unpacked by its name's ending, without a mark of the byte order"""
    opener: Any = bz2.open if path.endswith(".bz2") else gzip.open if path.endswith(".gz") else open
    try:
        with opener(path, "rb") as f:
            data: bytes = f.read(MOST_BYTES + 1)
    except (EOFError, zlib.error) as e:
        raise Bad(f"{path}: cannot be unpacked: {e}") from None
    except OSError as e:
        raise Bad(f"{path}: {e.strerror or e}") from None
    if len(data) > MOST_BYTES:
        raise Bad(f"{path}: is larger than {MOST_BYTES} bytes")
    return data.decode("utf-8", "surrogateescape").lstrip("\ufeff")


def ending_of(path: str) -> str:
    name = os.path.basename(path)
    for packed in ".bz2", ".gz":
        name = name[:-len(packed)] if name.endswith(packed) else name
    return os.path.splitext(name)[1]


def convert(path: str, asked: Asked) -> Table:
    modules = [asked.importer] if asked.importer else IMPORTERS.get(ending_of(path))
    if asked.stream and not asked.importer:
        modules = [name for name in modules or () if name not in OF_SPECS] or None
    if modules is None:
        raise Bad(f"{path}: its name ends in neither .csv nor .json, nor in these with .bz2 or .gz")
    if asked.unit and metric_of_unit(asked.unit).kind != TIME:
        raise Bad(f'--unit: value "{asked.unit}": is none of s, ms, us, ns')
    text = read_text(path)
    for name in modules:
        module: Any = importlib.import_module("." + name, __package__)
        if name == modules[-1] or module.sees(path, text):
            return module.read(path, text, asked)  # type: ignore[no-any-return]
    raise AssertionError


def _options(is_stream: bool) -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="python3 -m kpred.convert", description="Writes a file of another tuner, or a table of another form, as a "
        "table that kpred-train reads: Kernel Tuner, KTT, pyATF, CLBlast, Triton, Helion, Tensile, or any CSV.")
    p.add_argument("file", nargs="+" if is_stream else 1)
    p.add_argument("-o", metavar="TABLE.csv", dest="output", help="default: standard output")
    p.add_argument("--unit", help="s, ms, us or ns: of times whose file does not say it")
    for name, what in (("names", "of the values in the keys of Triton's autotuner"),
                       ("fields", "columns that are fields of the problem"),
                       ("params", "columns that are parameters"), ("ignore", "columns that are neither"),
                       ("servers", argparse.SUPPRESS), ("integers", argparse.SUPPRESS), ("texts", argparse.SUPPRESS)):
        p.add_argument("--" + name, metavar="A,B,...", help=what, default=(), dest=name.replace("ignore", "ignored"),
                       type=lambda text: [name for name in text.split(",") if name])
    p.add_argument("--metric", metavar="NAME", help="the column of times or speeds")
    p.add_argument("--success", metavar="COLUMN=VALUE", action="append", default=[], help="what rows that worked have")
    for name in "kernel", "gpu", "best", "server", "importer":
        p.add_argument("--" + name, help=argparse.SUPPRESS)
    p.add_argument("--value", action="append", default=[], dest="values", help=argparse.SUPPRESS)
    # for kpred-train, which checks the rows itself
    for name, dest in ("lenient", "is_lenient"), ("spec", "has_spec"), ("only", "is_only"), ("stream", "stream"):
        p.add_argument("--" + name, action="store_true", dest=dest, help=argparse.SUPPRESS)
    return p


def _asked(o: argparse.Namespace) -> Asked:
    return Asked(**{name: getattr(o, name) for name in Asked._fields})


def _table(path: str, asked: Asked) -> Tuple[Optional[Table], str]:
    """The table, or what is wrong with the file"""
    try:
        return convert(path, asked), ""
    except Bad as e:
        return None, str(e)
    except RecursionError:
        return None, f"{path}: is nested too deeply"
    except MemoryError:
        return None, f"{path}: is too large for the memory"
    except Exception as e: # pylint: disable=broad-except
        return None, f"{path}: its importer cannot read it, and should say why: {type(e).__name__}: {e}"


def _stream(o: argparse.Namespace) -> int:
    """Of several files one after the other, with a NUL between two"""
    out, why = io.TextIOWrapper(sys.stdout.buffer, "utf-8", "surrogateescape", newline="\n"), ""
    for i, path in enumerate(o.file):
        table, why = _table(path, _asked(o))
        if table is None:
            table = Table(path, "")
            table.say("error", why)
        out.write("\0" if i else "")
        table.write(out)
    out.flush()
    return 1 if why and len(o.file) == 1 else 0


@contextlib.contextmanager
def written(path: str) -> Iterator[TextIO]:
    """A file that has its name only when all is in it; a device or a pipe is written as it is"""
    is_plain = not os.path.exists(path) or os.path.isfile(path)
    part = f"{os.path.realpath(path)}.{os.getpid()}.part" if is_plain else path
    try:
        with open(part, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as f:
            yield f
        if is_plain:
            os.replace(part, os.path.realpath(path))
    except OSError as e:
        raise Bad(f"{path}: {e.strerror}") from None
    finally:
        if is_plain and os.path.exists(part):
            os.unlink(part)


def _tell(text: str) -> None:
    if sys.stderr is not None: # where it is closed, print() would write into the table
        print(text, file=sys.stderr)


def _output(path: Optional[str]) -> ContextManager[TextIO]:
    """Standard output in UTF-8 whatever the locale, and with bytes as they were"""
    if path is not None:
        return written(path)
    return open(1, "w", encoding="utf-8", errors="surrogateescape", newline="\n", closefd=False)


def main(words: List[str]) -> int:
    o = _options("--stream" in words).parse_args(words)
    if o.stream:
        return _stream(o)
    path, = o.file
    table, why = _table(path, _asked(o))
    if table is not None and not table.columns:
        why = f"{path}: is a {table.kind} and has no measurements: `kpred-train init` takes it"
    if table is None or why:
        _tell(f"kpred.convert: {why}")
        return 1
    table.say("ignored", *o.ignored)
    for text in table.texts("note"):
        _tell(f"note: {text[0]}")
    if table.kind == "table" and table.texts("untimed"):
        _tell(f"note: {path}: there is no column of times: each row is the best tuple of its problem; --metric names a "
              "column of times, and --fields those of the problem where others have a time for each tuple")
    try:
        with _output(o.output) as f:
            table.write_plain(f)
    except (Bad, OSError) as e:
        _tell(f"kpred.convert: {e if isinstance(e, Bad) else f'standard output: {e.strerror}'}")
        return 1
    return 0
