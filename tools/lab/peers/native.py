# SPDX-License-Identifier: MIT
"""native.py - the rule and the network of a generated header, called through native.c"""
import ctypes
import os
import re
import subprocess
import tempfile

from rows import ROOT, die, need_numpy

np = need_numpy()

BYTES = np.ctypeslib.ndpointer(np.uint8, flags="C_CONTIGUOUS")
INTS = np.ctypeslib.ndpointer(np.int32, flags="C_CONTIGUOUS")


def load(header):
    """The header as a library; its functions are those of native.c. Needs a C compiler, $CC."""
    try:
        with open(header, encoding="utf-8") as f:
            found = re.search(r"extern const kpred_model (kpred_model_\w+);", f.read())
    except OSError as e:
        die(f"{header}: {e.strerror}")
    if not found:
        die(f"{header}: declares no kpred_model: expected a header that kpred-train wrote")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "native.so")
        command = [*os.environ.get("CC", "cc").split(), "-std=c99", "-O2", "-shared", "-fPIC",
                   f"-I{ROOT}", f'-DHEADER="{os.path.abspath(header)}"',
                   f"-DMODEL={found.group(1)}", os.path.join(ROOT, "tools/lab/peers/native.c"),
                   "-o", path]
        try:
            subprocess.run(command, check=True)
        except (OSError, subprocess.CalledProcessError) as e:
            die(f"{header}: cannot be compiled: {e}", 1)
        return declare(ctypes.CDLL(path))


def declare(library):
    """Gives the functions their types."""
    library.bench_split.restype = ctypes.c_char_p
    library.bench_prefix.argtypes = [INTS, BYTES, ctypes.c_size_t]
    library.bench_extend.argtypes = [INTS, BYTES, ctypes.c_size_t, ctypes.c_size_t, BYTES]
    library.bench_extend.restype = None
    library.bench_legal.argtypes = [INTS, BYTES, ctypes.c_size_t]
    library.bench_legal.restype = ctypes.c_size_t
    library.bench_predict.argtypes = [INTS, ctypes.c_size_t, ctypes.c_size_t, BYTES, INTS]
    library.bench_kernels.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    return library


def allowed(library, problem, index):
    """Whether the rule lets a prefix of value indices stand."""
    return bool(library.bench_prefix(problem, np.ascontiguousarray(index, np.uint8), len(index)))


def extensions(library, problem, prefixes, n_values):
    """Which values the rule lets follow each prefix of value indices, a row each."""
    may = np.empty((len(prefixes), n_values), np.uint8)
    library.bench_extend(problem, np.ascontiguousarray(prefixes, np.uint8), *prefixes.shape, may)
    return may.astype(bool)


def legal_tuples(library, problem, n_params):
    """All legal tuples of a problem, a row of value indices each."""
    out = np.empty((1 << 12, n_params), np.uint8)
    n = library.bench_legal(problem, out, len(out))
    if n > len(out):
        out = np.empty((n, n_params), np.uint8)
        library.bench_legal(problem, out, n)
    return out[:n]


def predict(library, problems, k, n_params):
    """The network's k tuples for every problem, -1 where fewer came back."""
    out = np.zeros((len(problems), k, n_params), np.uint8)
    found = np.zeros(len(problems), np.int32)
    status = library.bench_predict(np.ascontiguousarray(problems), len(problems), k, out, found)
    if status:
        die(f"kpred_predict: status {status}", 1)
    tuples = out.astype(np.int16)
    tuples[np.arange(k)[None, :] >= found[:, None]] = -1
    return tuples


def kernels(library, problem):
    """AITER's kernels that the network names for a problem, "gpu=TOKEN m=SIZE ...", best first: (library,
    kernel, split)."""
    out = ctypes.create_string_buffer(1 << 13)
    if library.bench_kernels(problem.encode(), out, len(out)):
        die("a tuple is illegal or has no name, or kpred_init refuses the model", 1)
    lines = (line.split() for line in out.value.decode().splitlines())
    return [(source, name, int(split)) for source, name, split in lines]
