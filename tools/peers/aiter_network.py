# SPDX-License-Identifier: MIT
"""aiter_network.py - kernels that a header of kpred-train names for many problems, through C"""
import os
import re
import subprocess
import tempfile

from rows import ROOT, die


def model_of(header):
    """The name of the model that a header declares."""
    try:
        with open(header, encoding="utf-8") as f:
            found = re.search(r"extern const kpred_model (kpred_model_\w+);", f.read())
    except OSError as e:
        die(f"{header}: {e.strerror}")
    if not found:
        die(f"{header}: declares no kpred_model: expected a header that kpred-train wrote")
    return found.group(1)


def build(header, path):
    """The program for a header. Needs a C compiler, $CC."""
    command = [*os.environ.get("CC", "cc").split(), "-std=c99", "-O2", f"-I{ROOT}",
               f'-DHEADER="{os.path.abspath(header)}"', f"-DMODEL={model_of(header)}",
               os.path.join(ROOT, "tools/peers/aiter_native.c"), "-o", path]
    try:
        subprocess.run(command, check=True)
    except (OSError, subprocess.CalledProcessError) as e:
        die(f"{header}: cannot be compiled: {e}", 1)


def class_of_line(line):
    """(library, kernel, split)."""
    library, name, split = line.split()
    return library, name, int(split)


def answers_of(text):
    """Classes between empty lines."""
    found, part = [], []
    for line in text.splitlines():
        if line:
            part.append(class_of_line(line))
        else:
            found.append(part)
            part = []
    return found


def predict(header, problems):
    """For each problem its classes, best first."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "predict")
        build(header, program)
        asked = "".join(" ".join(map(str, p[:4])) + "\n" for p in problems)
        done = subprocess.run([program], input=asked, capture_output=True, text=True, check=False)
    if done.returncode:
        die(f"{header}: {done.stderr.strip() or 'kpred_init refuses the model'}", 1)
    return answers_of(done.stdout)
