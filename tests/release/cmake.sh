#!/bin/sh
# cmake.sh - add_subdirectory and find_package give kpred::kpred; one layout of installation
# SPDX-License-Identifier: MIT
#
# The projects are tests/release/cmake; test_commands.py builds those of docs/embedding.md, FetchContent among them.
. tests/harness/script.inc

export LC_ALL=C
unset PREFIX BINDIR INCLUDEDIR DATADIR MANDIR DOCDIR INSTALL MAKEFLAGS DESTDIR LDFLAGS
test_begin
need cmake "all"
need_weights "all"
copy_ours "$tmp/kpred" && cd "$tmp/kpred" || exit 1
export CFLAGS=-DKPRED_SIMD=0 CXXFLAGS=-DKPRED_SIMD=0 # vectors take half of a compiler's time

# ---- two installations, in folders with a blank ----

make_install() {
    make -s install BUILD="$BUILD" DESTDIR="$tmp/by make" "$@"
}

# cmake_install OPTION...
cmake_install() {
    rm -rf "$tmp/build" && cmake -S . -B "$tmp/build" "$@" &&
        DESTDIR="$tmp/by cmake" cmake --install "$tmp/build"
}

# same_layout ROOT: all that make has put there, but for programs, has cmake put there, and no more
same_layout() {
    rm -rf "$tmp/by make" "$tmp/by cmake"
    case $1 in
    usual) make_install && cmake_install ;;
    *)
        make_install PREFIX=/opt/k INCLUDEDIR=/opt/k/a/include DATADIR="/opt/data" &&
            cmake_install -DCMAKE_INSTALL_PREFIX=/opt/k -DCMAKE_INSTALL_INCLUDEDIR=a/include \
                -DCMAKE_INSTALL_DATADIR=/opt/data
        ;;
    esac >"$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }
    find "$tmp/by make" \( -name bin -o -name man -o -name bash-completion \) -prune -exec rm -r {} +
    find "$tmp/by make" -type d -empty -delete
    diff -r "$tmp/by make" "$tmp/by cmake"
}

# --prefix at the time of installation counts, not that of the configuration
late_prefix() {
    cmake --install "$tmp/build" --prefix "$tmp/late" &&
        grep -qx "prefix=$tmp/late" "$tmp/late/share/pkgconfig/kpred.pc"
}

# ---- projects ----

tree=$tmp/kpred
found="$tmp/by make/usr/local"

# project NAME OPTION...: configures it; 1 with what CMake says if it does not
project() {
    name=$1
    shift
    cmake -S tests/release/cmake -B "$tmp/$name" -DKPRED="$tree" -DLANGUAGES=C \
        -DCMAKE_PREFIX_PATH="$found" "$@" >"$tmp/log" 2>&1 || { tail -n 20 "$tmp/log"; return 1; }
}

# built NAME PROGRAM...: which run
built() {
    name=$1
    shift
    cmake --build "$tmp/$name" --target "$@" >"$tmp/log" 2>&1 || { tail -n 20 "$tmp/log"; return 1; }
    for program in "$@"; do
        [ ! -x "$tmp/$name/$program" ] || "$tmp/$name/$program" >"$tmp/out" || return 1
    done
}

subdirectory() {
    project subdirectory -DHOW=subdirectory && built subdirectory minimal
}

in_cpp() {
    project cpp -DHOW=subdirectory -DLANGUAGES=CXX && built cpp cpp
}

# A project that has kpred as a part does not install it, unless it asks.
part_is_not_installed() {
    built subdirectory tuning && cmake --install "$tmp/subdirectory" --prefix "$tmp/part" &&
        [ ! -e "$tmp/part/include" ] && [ -e "$tmp/part/share/cmake/consumer/consumer.cmake" ]
}

# The headers are those of the installation: the tree has none for this project.
find_package() {
    mkdir -p "$tmp/examples only" && cp -R examples "$tmp/examples only" || return 1
    (tree="$tmp/examples only" && project find -DHOW=find && built find minimal outside)
}

# suits VERSION, suits_not VERSION: what find_package says to it
suits() {
    sed "s/@VERSION@/${2-0.3.2}/" tools/release/kpredConfigVersion.cmake.in >"$tmp/version.cmake" &&
        cmake "-DWANTED=$1" "-DFILE=$tmp/version.cmake" -P tests/release/cmake/version.cmake 2>"$tmp/err"
}

versions() {
    for good in 0.3.2 0.3.1 0.3 "0.2...0.4" "0.3...<0.4" "0.1...0.3.2"; do
        suits "$good" || { echo "0.3.2 does not suit $good"; return 1; }
    done
    for bad in 0.3.3 0.2 0.4 1 "0.1...<0.3.2" "0.4...0.5" 0.31 0; do
        ! suits "$bad" || { echo "0.3.2 suits $bad"; return 1; }
    done
    suits 1 1.2.3 && suits 1.1.9 1.2.3 && ! suits 2 1.2.3 && ! suits 1.3 1.2.3 && ! suits 0.9 1.2.3 &&
        ! suits 1 10.2.3
}

other_version() {
    ! project other -DHOW=find -DVERSION=99 && grep -q 'version: 0' "$tmp/log"
}

check "the layout of make install" same_layout moved
check "the layout of make install, usual folders" same_layout usual
check "a prefix at the time of installation" late_prefix
check "add_subdirectory" subdirectory
check_with c++ "in C++ alone" in_cpp
check "a part is not installed" part_is_not_installed
check "find_package" find_package
check "find_package of another version" other_version
check "versions that suit" versions
test_end
