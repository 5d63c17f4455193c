"""test_packaging.py - the recipes of packaging/: their versions, and that they build where their tools are

SPDX-License-Identifier: MIT

usage: test_packaging.py         versions and syntax; Conan builds its package, without the network; the ports of vcpkg
                                 and Spack, by stand-ins for what these give them
       test_packaging.py built   Debian's package is built, and lintian is silent; pip may get Conan
"""
import ast
import glob
import json
import os
import re
import shutil
import sys
from types import ModuleType

from report import check, check_with, end, folder, need, our_files, output, read, run, skip, write

# What vcpkg does with a port, as far as kpred's goes. A configuration moves to share/kpred with its text as it is.
VCPKG = r"""
set(CURRENT_PACKAGES_DIR "${OUT}")
function(vcpkg_cmake_configure word path)
    execute_process(COMMAND "${CMAKE_COMMAND}" -S "${path}" -B "${OUT}.build" COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_install)
    foreach(to "${OUT}" "${OUT}/debug")
        execute_process(COMMAND "${CMAKE_COMMAND}" --install "${OUT}.build" --prefix "${to}" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
endfunction()
function(vcpkg_cmake_config_fixup word path)
    file(GLOB files "${OUT}/${path}/*")
    file(COPY ${files} DESTINATION "${OUT}/share/kpred")
    file(REMOVE_RECURSE "${OUT}/${path}")
endfunction()
function(vcpkg_replace_string path old new)
    file(READ "${path}" text)
    string(REPLACE "${old}" "${new}" text "${text}")
    file(WRITE "${path}" "${text}")
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright word path)
    configure_file("${path}" "${OUT}/share/kpred/copyright" COPYONLY)
endfunction()
include("${PORT}")
"""

need("weights/conv_asm_1x1u.h")
tmp = folder()
with open("kpred.h", encoding="utf-8") as header:
    VERSION = output("sh tools/release/install.sh version", stdin=header).strip()
TREE = f"{tmp}/kpred-{VERSION}"


def copy():
    """What a release has"""
    for path in our_files():
        os.makedirs(os.path.dirname(f"{TREE}/{path}"), exist_ok=True)
        shutil.copy2(path, f"{TREE}/{path}")


def versions():
    """Where a recipe cannot read it from kpred.h"""
    for path, pattern in (("debian/changelog", r"\Akpred \((.*)-\d+\)"), ("vcpkg/kpred/vcpkg.json", '"version": "(.*)"'),
                          ("spack/packages/kpred/package.py", 'version\\("(.*)", tag="v')):
        said = re.findall(pattern, read(f"packaging/{path}"))
        if said[:1] != [VERSION]:
            yield f"packaging/{path}: {said}, not {VERSION}"


def syntax():
    for path in our_files("packaging/.*[.]py"):
        ast.parse(read(path), path)
    assert json.loads(read("packaging/vcpkg/kpred/vcpkg.json"))["name"] == "kpred"


def vcpkg():
    """What it packs, and the way from kpredConfig.cmake to the headers"""
    out = f"{tmp}/vcpkg"
    write(f"{tmp}/port.cmake", VCPKG)
    run(f"cmake -DOUT={out} -DPORT={TREE}/packaging/vcpkg/kpred/portfile.cmake -P {tmp}/port.cmake")
    up = re.search('kpred_prefix "(.*)" ABSOLUTE', read(f"{out}/share/kpred/kpredConfig.cmake"))[1]
    assert os.path.exists(f"{out}/share/kpred/{up}/include/kpred/kpred.h"), up
    assert sorted(os.listdir(out)) == ["include", "share"] and read(f"{out}/share/kpred/copyright") == read("LICENSE")


def spack():
    """The tree that it takes, and its version"""
    said, path = [], f"{TREE}/packaging/spack/packages/kpred/package.py"
    parts = {"spack.package": ["depends_on", "license", "version"], "spack_repo.builtin.build_systems.cmake": []}
    for name, words in parts.items():
        for at in range(name.count(".") + 1):
            sys.modules.setdefault(name.rsplit(".", at)[0], ModuleType(name))
        vars(sys.modules[name]).update({word: lambda *given, **named: said.append((given, named)) for word in words},
                                       CMakePackage=object)
    recipe = {"__file__": path}
    exec(compile(read(path), path, "exec"), recipe) # pylint: disable=exec-used
    assert recipe["Kpred"].git == f"file://{TREE}", recipe["Kpred"].git
    assert ((VERSION,), {"tag": f"v{VERSION}"}) in said, said


def conan():
    """From another folder, with the tools that are here; its test package predicts. Conan does not know
    what CC=cc is."""
    path = f"{tmp}/pip/bin:{os.environ['PATH']}"
    env = {"CC": "", "CONAN_HOME": f"{tmp}/conan", "PATH": path, "PYTHONPATH": f"{tmp}/pip"}
    run("conan profile detect", env=env)
    said = run(f"conan create {TREE}/packaging/conan --no-remote", cwd=tmp, env=env)
    assert f"kpred/{VERSION} (test package): RUN: " in said.stdout + said.stderr, said
    packed = sorted(path.rpartition("/include/kpred/")[2] for path in glob.glob(
        f"{tmp}/conan/p/**/include/kpred/**/*.h", recursive=True))
    assert packed == our_files("(kpred|weights/)[^/]*[.]h"), packed


def debian():
    shutil.make_archive(f"{tmp}/kpred_{VERSION}.orig", "gztar", tmp, os.path.basename(TREE))
    shutil.copytree(f"{TREE}/packaging/debian", f"{TREE}/debian")
    run("dpkg-buildpackage -us -uc", cwd=TREE)
    said = run("lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "
               + " ".join(glob.glob(f"{tmp}/*.changes")), None)
    files = output("sh -c 'dpkg -c " + " ".join(glob.glob(f"{tmp}/*.deb")) + "'")
    assert "./usr/include/kpred/weights/conv_asm_1x1u.h" in files and "kpredConfig.cmake" in files, files
    return [] if not said.returncode and not said.stdout.strip() else said.stdout


check("versions", versions)
check("syntax", syntax)
copy()
check_with("cmake", "vcpkg", vcpkg)
check("Spack", spack)
if sys.argv[1:] == ["built"]:
    run(f"{sys.executable} -m pip install -q --target {tmp}/pip conan", None)
    if all(map(shutil.which, ("dpkg-buildpackage", "dh", "lintian", "cmake"))):
        check("Debian", debian)
    else:
        skip("Debian", "there is no dpkg-buildpackage, dh, lintian or cmake")
if os.path.exists(f"{tmp}/pip/bin/conan"):
    check("Conan", conan)
else:
    check_with("conan", "Conan", conan)
end()
