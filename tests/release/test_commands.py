"""test_commands.py - every command of the documents, man pages and --help runs as it stands there

SPDX-License-Identifier: MIT

usage: [DOCS="FILE.md ..."] test_commands.py [first|long]

Commands are the blocks between ```sh and ```, and indented ones that begin with the name of a program; if a line begins
with `$ `, only such lines of its block. They run one after the other in a copy of the tree; a document that names
"$KPRED", the checkout, has an empty folder. Blocks of C compile with all warnings, and run if they have a main; those
of cmake are configured and built. A block of another language is a failure, unless it is one that nobody runs. The
files that the commands read are made first, databases out of tests/fixtures, and the words that stand for the reader's
own (/path/to, NAME, DB) become these. tests/release/not_run lists the commands that do not run, with the reason; of
these the files, targets and options exist. The part `first` is README.md alone; `long` runs those that the list puts
there and those of CONTRIBUTING.md, and no other.
"""
import bz2
import fnmatch
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap

from report import BUILD, ROOT, check, check_with, end, folder, models, need, our_files, output, read, run, \
    sample_databases, skip, write

part = sys.argv[1] if len(sys.argv) > 1 else "usual"
DOCS = ["README.md"] if part == "first" else os.environ.get("DOCS", "").split() or [
    *"README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md weights/README.md tools/README.md".split(),
    *our_files("(docs|tools/[a-z]*(/docs)?)/[^/]*[.]md")]
every = part != "first" and not os.environ.get("DOCS") # of the documents
part = part.replace("first", "usual")
for model in models():
    need(f"weights/{model}.h", "commands of the documents")
tmp = folder()
tree, small_tree, added, data, manual = (f"{tmp}/{name}" for name in ("tree", "small", "added", "data", "manual"))
SMALL = "conv_asm_bwd_wrw_3x3" # the model that stands for any
PORTABLE = "-DKPRED_SIMD=0"
HAS_PEERS = "from importlib.util import find_spec; exit(not all(map(find_spec, ['numpy', 'sklearn', 'xgboost'])))"
LIBRARIES = read(f"{BUILD}/libraries")
HAS_DATABASES = bool(shutil.which("bzip2")) and "HAVE_SQLITE" in LIBRARIES and "HAVE_BZIP2" in LIBRARIES

# ---- blocks and commands ----

# Words that begin a command in an indented block, besides programs that are here
WORDS = """make cc gcc clang hipcc cmake git sudo apt-get kpred kpred-train mandoc rocminfo $
    cd echo export for if printf set while""".split()


def is_command(line):
    words = line.split()
    while words[1:] and re.match("[A-Z_]+=", words[0]):
        words.pop(0)
    word = words[0] if words else ""
    return not (words[1:] and re.match("=|<-", words[1])) and (
        word in WORDS or re.fullmatch("[.a-z]*/[a-z_/.-]+", word)
        or re.fullmatch("[a-z][a-z0-9-]+", word) and shutil.which(word))


def blocks(text):
    """Line, language and lines of each; what is indented and no command is `text`."""
    found, block, fenced, blank = [], None, False, False
    for n, line in enumerate(text.splitlines(), 1):
        fence = re.match(" *```(.*)", line)
        if fence:
            fenced = not fenced
            block = (n, fence[1] if re.fullmatch("[a-z]+", fence[1]) else "none", []) if fenced else None
            found += [block] * fenced
        elif fenced:
            block[2].append(line)
        elif line.startswith("    ") and (blank or block):
            if not block:
                block = n, "sh" if is_command(line[4:]) else "text", []
                found.append(block)
            block[2].append(line[4:])
        else:
            blank = not line.strip()
            block = block if blank else None
    return found


def is_whole(text):
    """It is a command to its end, here-documents too."""
    word = re.search(r"<<-?['\"\\]?([A-Za-z_]*)", text)
    return not text.endswith("\\") and not (word and word[1] not in text.split("\n")) and \
        subprocess.run(["sh", "-n"], input=text, text=True, capture_output=True, check=False).returncode == 0


def commands_of(lines):
    """A comment is none; the last one may not be whole, and will not run."""
    if any(line.startswith("$ ") for line in lines):
        lines = "\n".join(re.findall(r"(?m)^\$ ((?:.*\\\n)*.*)", "\n".join(lines))).split("\n")
    text = ""
    for line in lines:
        text += "\n" * bool(text) + line
        if not text.startswith("#") and text and not is_whole(text):
            continue
        if not text.startswith("#") and text:
            yield text
        text = ""
    if text:
        yield text


def page_examples(page):
    """Of the section EXAMPLES of a man page"""
    inside = re.search(r"(?ms)^\.Sh EXAMPLES$(.*?)(^\.Sh|\Z)", read(page))[1]
    return re.sub(r"\\e$", r"\\", "\n".join(re.findall(r"(?m)^(?:\.Dl )?(\$ (?:.*\\e\n)*.*)", inside)),
                  flags=re.M).replace("\\-", "-")


def help_examples():
    """Of all commands of the programs, without the paragraphs that say how each is used"""
    texts = []
    for program in "kpred", "kpred-train":
        texts.append(output(f"{BUILD}/{program} --help"))
        texts += [output(f"{BUILD}/{program} {command} --help")
                  for command in re.findall("(?m)^  ([a-z]+) +[^ ]", texts[-1])]
    text = re.sub("(?ms)^usage: .*?^$", "", "\n".join(texts))
    return "\n".join(re.findall(r"(?m)^  (kpred(?=.* )(?:.*\\\n)*.*)", text))


# ---- what the commands find ----

def copy(to, is_short=True):
    """Our files and what was built, as old as it is. Training there may be short."""
    for path in our_files():
        os.makedirs(os.path.dirname(f"{to}/{path}"), exist_ok=True)
        shutil.copy2(path, f"{to}/{path}", follow_symlinks=False)
    os.mkdir(f"{to}/build")
    run(f"sh -c '. tests/harness/script.inc && copy_built {to}/build'")
    for path in glob.glob(f"{to}/weights/*.spec") if is_short else []:
        write(path, re.sub("(?m)^([a-z_]*epochs|teachers) *=.*", r"\1 = 1", read(path)))
    if is_short: # the first line, and one of three problems
        times = f"{to}/examples/own_kernel/times.csv"
        write(times, "".join(line for line in read(times).splitlines(True)
                             if sum(map(int, re.findall("[0-9]+", line)[:2])) % 3 == 0))


def copy_small():
    """A tree of one model: all that `make weights` and `make accuracy` train there"""
    copy(small_tree)
    for path in [*glob.glob(f"{small_tree}/weights/*.spec"), *glob.glob(f"{small_tree}/weights/*.h")]:
        if not os.path.basename(path).startswith(f"{SMALL}."):
            os.remove(path)
    os.remove(f"{small_tree}/build/models.h")


def databases():
    """The fixtures, more of that kind, and times of two solvers, under the names of MIOpen's databases"""
    os.mkdir(data)
    if not HAS_DATABASES:
        return
    sample_databases(data)
    algorithm = "miopenConvolutionFwdAlgo"
    write(f"{data}/gfx906_60.HIP.fdb.txt", "".join(
        f"{c}-28-28-1x1-{k}-28-28-8-0x0-1x1-1x1-0-NCHW-FP32-F=ConvAsm1x1U:0.{c},0,{algorithm}Direct;"
        f"GemmFwdRest:0.3,0,{algorithm}GEMM\n" for c in range(8, 65, 8) for k in (16, 32, 64, 128, 256)))
    lines = read("tests/fixtures/gfx906_60.cd.pdb.txt").splitlines(True)
    for i, old in enumerate(("gfx906_60-2019-07-19", "gfx906_64-2019-07-19", "gfx900_56-2019-12-06")):
        write(f"{data}/{old}.cd.pdb.txt", "".join(lines[i::3]))
    for path in glob.glob(f"{data}/*"):
        with open(path, "rb") as f, bz2.open(f"{path}.bz2", "wb") as packed:
            shutil.copyfileobj(f, packed)
        os.remove(path)


def rowsum_rows():
    return "gpu,rows,cols,threads,unroll\n" + "".join(
        f"{gpu},{4 ** r},{2 ** c},{64 if c < 7 else 128 if c < 10 else 256},{4 if r < 2 else 1}\n"
        for gpu in ("gfx900_56", "gfx906_60") for r in range(7) for c in range(4, 13))


def tuner_file(device):
    """A small cache file of Kernel Tuner"""
    times = ",\n".join(f'"{bx},{vec}": {{"bx": {bx}, "vec": {vec}, "time": {300 / bx / vec:.2f}}}'
                       for bx in (64, 128) for vec in (1, 2, 4))
    return f"""{{"device_name": "{device}", "kernel_name": "axpy", "problem_size": [4096],
"tune_params_keys": ["bx", "vec"], "tune_params": {{"bx": [64, 128], "vec": [1, 2, 4]}}, "cache": {{
{times}}}}}
"""


def triton_cache():
    """A small autotune cache of Triton"""
    times = ", ".join(f'[{{"kwargs": {{"BLOCK_M": {m}}}, "num_warps": {w}, "maxnreg": null}}, [{8 / m / w}, 0, 0]]'
                      for m in (64, 128) for w in (2, 4))
    return f'{{"key": [1024, 512, 256, "torch.float16"], "configs_timings": [{times}]}}'


T1_FILE = """{"ConfigurationSpace": {"TuningParameters": [{"Name": "bx", "Values": "[64, 128]"},
{"Name": "vec", "Values": "[2**i for i in range(3)]"}],
"Conditions": [{"Expression": "bx * vec <= 512", "Parameters": ["bx", "vec"]}]}}
"""
# A server's log, as AITER and vLLM write it
SERVER_LOG = "".join(
    f"{who}[aiter] shape is {shape}, not found tuned config in /tmp/aiter_configs/a8w8_blockscale_tuned_gemm.csv, "
    "will use default config!\n" for who, shape in (("", "M:16, N:7168, K:2048"),
                                                    ("(Worker_TP1 pid=892) ", "M:300, N:512, K:7168"))) + \
    "Config file not found at /vllm/model_executor/E=128,N=768,device_name=AMD_Instinct_MI300X.json, you can\n"


def aiter_package(at, measured):
    """The package of AITER: a table for two GPUs, and a library with the names of a kernel and of another"""
    kernel = "a8w8_blockscale_1x128x128_256x16x64x256_16x16_16x16_1x1_16x16x1_16x16x1_1x16x1x16_4_1x1_intrawave_v1"
    head = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
    write(f"{at}/jit/module_gemm_a8w8_blockscale.so", f"{kernel}\0a8w8_blockscale_of_another_build\0")
    models = f"{at}/configs/model_configs/a8w8_blockscale"
    write(f"{models}_untuned_gemm_any.csv", "M,N,K\n16,1536,7168\n")
    write(f"{models}_tuned_gemm_ds_v3.csv", head)
    for path in f"{at}/configs/a8w8_blockscale_tuned_gemm.csv", measured:
        write(path, f"{head}gfx950,256,16,1536,7168,ck,8,0,9.5,{kernel},37.08,1163.8,0.0\n"
                    f"gfx942,304,16,1536,7168,ck,8,0,11.5,{kernel},30.64,961.4,0.0\n")


def judged_rows():
    """What kpred.judge writes"""
    return "M,N,K,layout,tile_m,tile_n,tile_k,warp_m,warp_tile,pipeline,pad,persistent,time_us\n" + "".join(
        f"{m},64,64,rcr,{tile},64,32,1,16,mem,1,0,{abs(m - tile) + 9}\n" for m in range(20, 99) for tile in (64, 128, 192))


def provide(at):
    """The files that commands read there"""
    log = read("tests/fixtures/networks.log")
    tuned = "# kpred-train tune: transpose\n" + read("examples/own_kernel/times.csv")
    for name, text in {
            "example.c": re.search("(?ms)^```c\n(.*?)^```$", read("README.md"))[1],
            "my.spec": read("tests/fixtures/rowsum.spec"), "results.csv": rowsum_rows(), "kernel.json": T1_FILE,
            "A100.json": tuner_file("NVIDIA A100-PCIE-40GB"), "MI250X.json": tuner_file("AMD Instinct MI250X"),
            "matmul.autotune.json": triton_cache(), "tuned.csv": tuned, "races.csv": tuned,
            "dispatcher.spec": read("tests/fixtures/dispatcher.spec"), "judged.csv": judged_rows(),
            "FILE.h": read(f"weights/{SMALL}.h"), f"build/paper/config/{SMALL}-encdec.h": read(f"weights/{SMALL}.h"),
            "log.txt": "".join(log.splitlines(True)[:78]), "config.json": read("tests/aiter/hf_deepseek_v3.json"),
            "server.log": SERVER_LOG, "MI355X.log": SERVER_LOG.replace("MI300X", "MI355X"), # and a training run that logs its convolutions
            "train.py": f'import sys\nwith open("{ROOT}/tests/fixtures/networks.log") as log:\n'
                        "    sys.stderr.write(log.read())\n"}.items():
        write(f"{at}/{name}", text)
    for path in glob.glob(f"{data}/*.bz2"):
        shutil.copy(path, at)
    aiter_package(f"{data}/aiter", f"{at}/measured.csv")
    shutil.copytree(f"{data}/aiter", f"{at}/aiter")


def provide_manual():
    """The names of the man pages and of --help"""
    provide(manual)
    write(f"{manual}/my.spec", read(f"{manual}/my.spec").replace("rows", "n").replace("cols", "m"))
    write(f"{manual}/gfx906_60.csv", rowsum_rows().replace("rows", "n").replace("cols", "m"))
    os.remove(f"{manual}/results.csv")
    for model in models():
        for to in manual, f"{manual}/weights":
            os.makedirs(to, exist_ok=True)
            shutil.copy(f"weights/{model}.spec", to)
    shutil.copy(f"{manual}/log.txt", f"{manual}/train.log")
    os.chmod(write(f"{manual}/program", "#!/bin/sh\nexec python3 train.py\n"), 0o755)


def set_up():
    for python in "python3", "/usr/bin/python3": # the one that has the packages
        if shutil.which(python) and not run(f"{python} -c '{HAS_PEERS}'", None).returncode:
            os.chmod(write(f"{tmp}/bin/python3", f'#!/bin/sh\nexec {shutil.which(python)} "$@"\n'), 0o755)
            break
    if part == "usual" and every: # a compiler takes half of its time for vectors, with which the part `first` compiles
        os.chmod(write(f"{tmp}/bin/cc", f'#!/bin/sh\nexec {shutil.which("cc")} {PORTABLE} "$@"\n'), 0o755)
    os.makedirs(f"{tmp}/home/.config/miopen")
    write(f"{tmp}/evolve/kpred_evolve.h", read("tools/evolve/harness.h")) # as kpred-evolve has it
    copy(tree), copy_small(), databases(), provide(tree), provide(small_tree), provide_manual()
    run(f"make -s install BUILD=build PREFIX={tmp}/usr", cwd=tree)
    packed = "CMakeLists.txt kpred*.h weights examples tools/release"
    run(f"sh -c 'tar -c {packed} | gzip -1 >{tmp}/kpred.tar.gz'", cwd=tree)


# ---- one command ----

LISTED = [line.split("|", 2) for path in ("tests/release/not_run", *our_files("tools/[a-z]*/tests/not_run"))
          for line in read(path).splitlines() if not line.startswith("#")]
ALSO = [["never", pattern, "it needs the network"] for pattern in ("git clone*", "curl*", "wget*")] + [
    ["never", "cd *", "the commands behind it run in the tree anyway"], ["usual", "*apt-get install *", ""],
    ["never", "sudo*", "it needs root"], ["usual", "*", ""]]
used, ran = set(), set()


def when(doc, command):
    """`never` or `long` and the reason if the list has it, else `usual`; of a document that adds code, `long`"""
    time, pattern, reason = next(x for x in LISTED + ALSO if fnmatch.fnmatchcase(command, x[1]))
    used.add(pattern)
    if doc == "CONTRIBUTING.md" and time == "usual" and "apt-get" not in command:
        return "long", "" # and what it makes is not there before
    return time, reason


def lacks(command, here, at):
    """What it needs that is not here; `here` is the command as it runs"""
    for program in "python3", "pkg-config", "cmake", "hipcc":
        if program in command and not shutil.which(program):
            return program
    if re.search("[.]bz2|make weights(?! NAMES)|make accuracy", here):
        if not HAS_DATABASES:
            return "SQLite or bzip2"
    elif re.search("-lamdhip64|hip_select", here):
        empty = write(f"{tmp}/empty.c", "int main(void) { return 0; }\n")
        if run(f"cc {empty} -o {tmp}/empty -lamdhip64", None).returncode:
            return "HIP"
    if re.search("classics.py|solvers.py", command) and not os.path.exists(f"{tmp}/bin/python3"):
        return "python3-sklearn or -xgboost"
    return re.search("paired.py", command) and not os.path.exists(f"{at}/PEERS.csv") \
        and "output of a command before"


BOTH = "gfx900_56.db.bz2 gfx906_60.db.bz2"
HERE = [
    (r"/path/to/[^ ]*src/kernels|/path/to/tables|/path/to", data), ("/usr/local", f"{tmp}/usr"),
    (r'"\$(MIOPEN_DB|TENSILE_CSV)"', data), (r"--data (DB|\.\.\.) ", f"--data {BOTH} "),
    (r" DB(\.\.\.)* ", f" {BOTH} "), (r" \.\.\. ", " example.c "), ("([ /])NAME([-. ])", rf"\1{SMALL}\2"),
    ("eval conv_asm_1x1u --float", f"eval weights/{SMALL}.h --float"),
    ("(?s) miopen --gpu GPU.*", r"\g<0> <log.txt"), (" aiter --gpu GPU ", " aiter --gpu MI355X "),
    ("(?s)( aiter --gpu MI355X .*)server.log", r"\1MI355X.log"),
    (" GPU([. ])", r" gfx906_60\1"), ("(?s)FILE(.*--net NET)", r"NETWORK\1"), ("--net NET ", "--net encdec "),
    ("--replay TABLE ", "--replay A100.json "), ("--evaluations [0-9]* ", "--evaluations 800 "),
    ("(?s)(?!.*--epochs)(.*kpred-train train .*|.*evolve network .*) -o ", r"\1 --epochs 1 -o "), ("--by BY ", "--by dtype "),
    ("--split SPLIT([ '])", r"--split config\1"), ("tools/lab/peers/classics.py", r"\g<0> --rounds 3 --svc-rows 30"),
    ("(?s)(tools/lab/peers.*)--hits HITS", r"\1--hits PEERS"), (r"HITS\.csv\.\.\.", "HITS.csv PEERS.csv")]


def as_here(command):
    """Without what is optional, with what is here in the place of the reader's, and short"""
    command, before = command + " ", None
    while before != command:
        before, command = command, re.sub(r" \[[-A-Z][^][]*\]", "", command)
    for pattern, to in HERE:
        command = re.sub(pattern, to, command)
    return re.sub(" $", "", command)


def run_in(at, command):
    return run(f"sh -euc {shlex.quote(command)}", None, cwd=at, env={
        "KPRED": tree, "MIOPEN_DB": data, "TENSILE_CSV": data, "HOME": f"{tmp}/home", "OMP_NUM_THREADS": "1",
        "PATH": f"{tree}/build:{tmp}/bin:{os.environ['PATH']}", "PKG_CONFIG_PATH": f"{tmp}/usr/share/pkgconfig",
        "CFLAGS": "-O0"})


def run_once(command, here, at):
    """If no document before has it, with another comment maybe. What makes a folder, a spec or a table, or adds to it,
    is typed twice by many. The second time it does no harm to the commands behind it, or refuses and names --force."""
    key = at, re.sub("(?m)  *# .*", "", here)
    if key in ran:
        return
    done = run_in(at, here)
    assert done.returncode == 0, f"{here}: status {done.returncode}: {done.stderr[-800:]}"
    if re.search("mkdir|<<|kpred-train (init|ingest|merge|kernels)", command):
        done = run_in(at, here)
        assert done.returncode == 0 or "is there already; --force replaces it" in done.stderr, done.stderr[-800:]
    ran.add(key)


def there(command):
    """Its files and the options of its script are there, though it does not run; test_docs.py finds its target."""
    sources = ""
    for word in re.sub("(?s)(^| )#.*", "", command).split():
        if re.match("tools/.*[.]py$", word):
            sources = "".join(map(read, glob.glob(f"{os.path.dirname(word)}/*.py")))
        if re.match("(tools|tests|examples|weights|[.]ci)/", word) and not glob.glob(word.replace("NAME", "*")):
            yield f"no {word}"
        if sources and re.match("--[a-z]", word) and f'"{word.split("=")[0]}"' not in sources:
            yield f"no {word}"


def packages(command):
    """What it installs, .ci/run installs too."""
    installed = re.split("[^a-z0-9+.-]+", read(".ci/run"))
    return [f"{word} is not in .ci/run" for word in re.sub("#.*", "", command).partition("install")[2].split()
            if word[0] != "-" and word not in installed]


def one_command(doc, command, at):
    if re.match("make weights(?! NAMES)|make accuracy", command) or " --float " in command:
        at = small_tree # those that train all models find one
    short = f"{doc}: " + re.sub("   *#.*", "", command.split("\n")[0])[:80]
    (time, reason), here = when(doc, command), as_here(command)
    if time == "usual" and "apt-get install " in command:
        if part != "long":
            check(short, packages, command)
    elif time == part:
        missing = lacks(command, here, at)
        if missing:
            skip(short, f"there is no {missing}")
        else:
            check(short, run_once, command, here, at)
    elif part == "usual" and reason:
        check(f"{short} (not run, {time}: {reason})", there, command)


# ---- one block ----

WARNINGS = "-pedantic-errors -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Werror"


def c_block(text, at):
    """A file of C, named in its first line or example.c. Of HIP it sees the stand-in."""
    name = (re.match(r"/\* ([a-z_]*)\.c - ", text) or ("", "example"))[1]
    write(f"{at}/{name}.c", text)
    headers = "third_party/kpred" if os.path.isdir(f"{at}/third_party") else tree # where embedding.md copies them
    runs = re.search("(?m)^int main", text)
    run(f"cc -std=c99 {PORTABLE} {WARNINGS} -I{headers} -I. -I{tmp}/evolve {name}.c -I{tree}/tests/hip "
        f"""'-DKPRED_HIP_API_HEADER="hip_standin.h"' {"-o " if runs else f"-c -o {name}.o "} {name if runs else ""}""",
        cwd=at)
    if runs:
        write(f"{at}/{name}.out", output(f"./{name}", cwd=at))


def cmake_project(text):
    """A project of it, or around it if it is a part of one; what it links is of tuning.c."""
    if re.search(r"(?m)^project\(", text):
        return text
    target = re.search(r"(?m)^target_link_libraries\(([^ ]*) ", text)
    name = target[1] if target else "tuning"
    library = "" if re.search(rf"(?m)^add_[a-z]*\({name} ", text) else f"add_library({name} STATIC tuning.c)\n"
    return f"cmake_minimum_required(VERSION 3.14)\nproject(around LANGUAGES C)\n{library}{text}" + (
        "" if target else "target_link_libraries(tuning PRIVATE kpred::kpred)\n")


def cmake_block(text, at):
    """It is configured and built, in a folder with what the document has made."""
    project = f"{tmp}/project"
    for old in project, f"{tmp}/cmake":
        shutil.rmtree(old, True)
    os.makedirs(f"{project}/third_party")
    if os.path.isdir(f"{at}/third_party"):
        shutil.copytree(f"{at}/third_party", f"{project}/third_party", symlinks=True, dirs_exist_ok=True)
    else:
        os.symlink(tree, f"{project}/third_party/kpred")
    write(f"{project}/tuning.c", '#define KPRED_IMPLEMENTATION\n#include "weights/conv_asm_1x1u.h"\n')
    for path in glob.glob(f"{at}/*.c"):
        shutil.copy(path, project)
    write(f"{project}/CMakeLists.txt", cmake_project(text))
    run(f"cmake -S . -B {tmp}/cmake -D KPRED_URL=file://{tmp}/kpred.tar.gz -DCMAKE_PREFIX_PATH={tmp}/usr", cwd=project)
    run(f"cmake --build {tmp}/cmake", cwd=project)


def one_block(doc, block, at):
    n, language, lines = block
    text = "\n".join(lines) + "\n"
    if language == "sh":
        for command in commands_of(textwrap.dedent(text).splitlines()):
            one_command(doc, command, at)
    elif part == "long" or language in ("text", "ini", "json", "csv"):
        return
    elif language == "c":
        check(f"{doc}:{n}, C", c_block, text, at)
    elif language == "cmake":
        check_with("cmake", f"{doc}:{n}, CMake", cmake_block, text, at)
    elif language != "python" or doc not in ("tools/lab/docs/protocol.md", "docs/python.md", "docs/dispatcher.md"):
        # test_docs.py, test_python.py and test_dispatcher.py run those
        check(f"{doc}:{n}", lambda: f'a block of the language "{language}", which no test runs')


# ---- all of them ----

def one_document(doc):
    at, text = tree, read(doc)
    if doc == "CONTRIBUTING.md": # it adds a kernel and a reader
        at = added
        if part == "long":
            copy(added, False)
    if '"$KPRED"' in text:
        at = f"{tmp}/own/{doc}"
        os.makedirs(at)
        for name in "example.c", "*.json", "dispatcher.*", "judged.csv", "tuned.csv", "races.csv":
            for path in glob.glob(f"{tree}/{name}"):
                shutil.copy(path, at)
    for block in blocks(text):
        one_block(doc, block, at)


def none_stale():
    """What the list has, some document has."""
    return [f"no document has: {pattern}" for _, pattern, _ in LISTED if pattern not in used]


def gpu_output():
    """What docs/embedding.md says that gpu.c prints"""
    said = re.findall("(?m)^    ((?:gfx|sm_)[0-9]+ with .*)", read("docs/embedding.md"))
    assert said and said == read(f"{tmp}/own/docs/embedding.md/gpu.out").splitlines(), said


check("a copy of the tree, installed", set_up)
for variable in "CC CFLAGS LDFLAGS MAKEFLAGS MFLAGS MAKELEVEL PREFIX DESTDIR BUILD".split(): # as in the reader's shell
    os.environ.pop(variable, None)
for document in DOCS:
    one_document(document)
if every:
    for page in "docs/kpred-train.1", "docs/kpred.1":
        one_block(page, (0, "sh", page_examples(page).split("\n")), manual)
    one_block("--help", (0, "sh", help_examples().split("\n")), manual)
if part == "usual" and every:
    check("the list of what is not run", none_stale)
    check("embedding.md: what gpu.c prints", gpu_output)
end()
