"""build_wheel.py - what pip calls to build the Python module: a wheel, one for `pip install -e`, or an sdist

SPDX-License-Identifier: MIT

usage: build_wheel.py DIR     what `make wheel` runs: a wheel for other machines, too, and its path is printed

A wheel is a zip file with a list of its files, and an sdist is a tarball (PEP 427, 517, 625 and 660). So no package is
needed to make them. The environment may name the compiler (CC) and its options (CFLAGS). Where the tools are, as in the
repository, a wheel has kpred itself, too, and vLLM's plug-in. An sdist has the module alone.
"""
import base64
import contextlib
import glob
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
# The headers lie beside this file in an sdist, and two folders up in the repository.
ROOT = HERE if os.path.exists(os.path.join(HERE, "kpred.h")) else os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)

from kpred import Error, _words, compile_library, version_of  # noqa: E402: needs the path

HEADERS = ["kpred.h", "kpred_constraints.h"]
OWN = [*(os.path.relpath(path, os.path.join(HERE, "kpred"))
         for path in sorted(glob.glob(os.path.join(HERE, "kpred", "**", "*.py"), recursive=True))),
       "kpred_python.c", "py.typed"]
HAS_TOOLS = os.path.exists(os.path.join(ROOT, "tools", "serve"))
TRITON_MODELS = ["fused_moe_amd", "fused_moe_nvidia", "block_gemm_amd", "block_gemm_nvidia"]
PLUGIN = "kpred_vllm.py"
ENTRY_POINTS = b"[vllm.general_plugins]\nkpred = kpred_vllm:register\n"
METADATA = """Metadata-Version: 2.1
Name: kpred
Version: {version}
Summary: Predicts the best tuning parameters of GPU kernels
License: MIT
Requires-Python: >=3.8
Classifier: Operating System :: POSIX :: Linux
Classifier: Typing :: Typed
"""


def version():
    return version_of(os.path.join(ROOT, "kpred.h"))


def content(path):
    """That of a file; py.typed is empty, and is there in what is built alone."""
    if path.endswith("py.typed"):
        return b""
    with open(path, "rb") as f:
        return f.read()


@contextlib.contextmanager
def whole(path):
    """A file for writing, which has its name only when all is in it"""
    with open(path + ".part", "wb") as f:
        yield f
    os.replace(path + ".part", path)


def library():
    with tempfile.TemporaryDirectory() as tmp:
        out = os.path.join(tmp, "libkpred.so")
        models = sorted(glob.glob(os.path.join(ROOT, "weights", "*.h")))
        if not models:
            raise Error(f"{ROOT}/weights has no header of a model")
        compile_library(models, out, [ROOT], os.path.join(HERE, "kpred", "kpred_python.c"))
        return content(out)


def command(*words):
    """What it prints"""
    env = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT, env=env)
    except OSError as error:
        raise Error(f"{words[0]}: the wheel needs it: {error.strerror}") from None
    if done.returncode:
        raise Error(f"{' '.join(words)[:300]}: {done.stderr[-800:]}")
    return done.stdout


def programs(at, portable):
    """The paths of kpred and of the plug-in's library in the folder, which keeps their objects. What is portable needs
    of other machines a C library alone."""
    cc = _words("CC") or ["cc"]
    options = ["-O2", *_words("CFLAGS"), "-fPIC", "-ffunction-sections", "-fdata-sections"]
    command("make", "-s", f"-j{os.cpu_count()}", f"BUILD={at}", f"CC={' '.join(cc)}",
            f"CFLAGS={' '.join(options)} -fvisibility=hidden", *(["LIBRARIES=", "LDFLAGS=-static"] if portable else []),
            f"{at}/kpred")
    models = command("sh", "tools/release/models.sh", *(f"weights/{name}.h" for name in TRITON_MODELS))
    os.makedirs(f"{at}/plugin", exist_ok=True)
    for name, text in ("models.h", models), ("exports", "{ global: kpred_served; kpred_served_free; local: *; };\n"):
        with open(f"{at}/plugin/{name}", "w", encoding="utf-8") as f:
            f.write(text)
    command(*cc, "-std=c99", "-D_POSIX_C_SOURCE=200809L", f"-I{at}/plugin", "-I.", "-Itools", *options, "-shared",
            "-Wl,--gc-sections,-z,defs,-s", f"-Wl,--version-script={at}/plugin/exports", "tools/python/kpred_served.c",
            "tools/model/runtime.c", "tools/model/registry.c", f"{at}/libkpred-predict.a", "-lm", "-pthread",
            "-o", f"{at}/plugin/libkpred_served.so")
    command("strip", "-o", f"{at}/plugin/kpred", f"{at}/kpred")
    return f"{at}/plugin/kpred", f"{at}/plugin/libkpred_served.so"


def manylinux(paths):
    """The tag of what these files need (PEP 600): no library but those of C, and the newest of its versions"""
    told = command("objdump", "-p", *paths)
    other = set(re.findall(r"NEEDED +(\S+)", told)) - {"libc.so.6", "libm.so.6", "libpthread.so.0"}
    if other:
        raise Error(f"the wheel needs {', '.join(sorted(other))}, which other machines may not have")
    return f"manylinux_2_{max(17, *map(int, re.findall(r'GLIBC_2[.]([0-9]+)', told)))}_{os.uname().machine}"


# The module's Python is read where it lies. The headers and the library are those of the day of the installation.
EDITABLE = """__path__.insert(0, {0!r})
with open({0!r} + "/__init__.py", encoding="utf-8") as source:
    exec(compile(source.read(), source.name, "exec"))
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None, changed=None):
    """config_settings: `objects`, a folder that keeps those of the tools; `portable`, for other machines, too"""
    settings = config_settings or {}
    tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    info = f"kpred-{version()}.dist-info"
    # In a folder with kpred_python.c a header that says "../kpred.h" finds it, too.
    files = {f"kpred/{name}".replace("kpred/kpred_", "kpred/c/kpred_"): content(os.path.join(HERE, "kpred", name))
             for name in OWN}
    files.update({f"kpred/{name}": content(os.path.join(ROOT, name)) for name in HEADERS})
    files.update(changed or {})
    files["kpred/libkpred.so"] = library()
    if HAS_TOOLS:
        with tempfile.TemporaryDirectory() as tmp:
            made = programs(settings.get("objects", tmp), "portable" in settings)
            tag = manylinux(made) if "portable" in settings else tag
            files[f"kpred-{version()}.data/scripts/kpred"], files["kpred/libkpred_served.so"] = map(content, made)
        files[PLUGIN] = content(os.path.join(HERE, PLUGIN))
        files[f"{info}/entry_points.txt"] = ENTRY_POINTS
    files[f"{info}/LICENSE"] = content(os.path.join(ROOT, "LICENSE"))
    files[f"{info}/METADATA"] = METADATA.format(version=version()).encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: kpred\nRoot-Is-Purelib: false\n"
                              f"Tag: py3-none-{tag}\n").encode()
    record = "".join("%s,sha256=%s,%d\n" % (
        name, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), len(data))
        for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"kpred-{version()}-py3-none-{tag}.whl"
    with whole(os.path.join(wheel_directory, name)) as f, zipfile.ZipFile(f, "w", zipfile.ZIP_DEFLATED) as z:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path) # of 1980: the same bytes each time
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            z.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    start = EDITABLE.format(os.path.join(HERE, "kpred")).encode()
    return build_wheel(wheel_directory, changed={"kpred/__init__.py": start})


def build_sdist(sdist_directory, config_settings=None):
    folder = f"kpred-{version()}"
    paths = {name: os.path.join(HERE, name) for name in ["pyproject.toml", "build_wheel.py"]}
    paths.update({f"kpred/{name}": os.path.join(HERE, "kpred", name) for name in OWN})
    paths.update({name: os.path.join(ROOT, name) for name in [*HEADERS, "LICENSE"]})
    paths.update({f"weights/{os.path.basename(path)}": path
                  for path in sorted(glob.glob(os.path.join(ROOT, "weights", "*.h")))})
    files = {name: content(path) for name, path in paths.items()}
    files["PKG-INFO"] = METADATA.format(version=version()).encode()
    name = f"{folder}.tar.gz"
    with whole(os.path.join(sdist_directory, name)) as f, tarfile.open(fileobj=f, mode="w:gz", compresslevel=6) as t:
        for path, data in files.items():
            entry = tarfile.TarInfo(f"{folder}/{path}")
            entry.size = len(data)
            t.addfile(entry, io.BytesIO(data))
    return name


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: build_wheel.py DIR")
    at = os.path.abspath(sys.argv[1])
    os.makedirs(at, exist_ok=True)
    try:
        print(os.path.join(at, build_wheel(at, {"portable": "yes", "objects": f"{at}/objects"})))
    except Error as wrong:
        sys.exit(f"build_wheel.py: {wrong}")


if __name__ == "__main__":
    main()
