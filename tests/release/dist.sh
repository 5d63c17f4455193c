#!/bin/sh
# dist.sh - `make dist`: all that is committed, the same bytes every time, and it builds and works
# SPDX-License-Identifier: MIT
#
# CHECKOUT in the environment: of that checkout. .ci/run builds and tests what this packs.
. tests/harness/script.inc

export LC_ALL=C # one order for sort
unset MAKEFLAGS
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

cd "${CHECKOUT:-.}" || exit 1
if [ ! -e .git ] || ! has git; then
    skipped "all" "there is no .git or no git"
    test_end
    exit
fi
tree=kpred-$(git show HEAD:kpred.h | sh tools/release/install.sh version)

# The user's umask, time zone and language make no difference, nor does the checkout, or what is not committed in it;
# that is said.
other_user() {
    git clone -q . "$tmp/clone" && cd "$tmp/clone" || return 1
    # The test's own tree may be ahead of what it has committed.
    git checkout -q "$(git -C "$OLDPWD" rev-parse HEAD)" || return 1
    echo changed >>README.md
    echo new >new.txt
    (umask 077 && LC_ALL=C.UTF-8 TZ=Asia/Tokyo && export LC_ALL TZ && make -s dist BUILD="$tmp/two") 2>"$tmp/err" &&
        cmp "$tmp/one/$tree.tar.gz" "$tmp/two/$tree.tar.gz" && grep -q 'M README.md' "$tmp/err" &&
        grep -q '?? new.txt' "$tmp/err"
}

# The checksum is that of the tarball, as its user checks it.
checksum() {
    (cd "$tmp/one" && sha256sum -c "$tree.tar.gz.sha256") && echo x >>"$tmp/two/$tree.tar.gz" &&
        ! (cd "$tmp/two" && sha256sum -c "$tree.tar.gz.sha256")
}

unpack() {
    gzip -dc "$tmp/one/$tree.tar.gz" | (cd "$tmp" && tar -xf -) && [ -d "$tmp/$tree" ]
}

all_files() {
    { echo MANIFEST; git -c core.quotePath=false ls-tree -r --name-only HEAD; } | sort >"$tmp/wanted"
    (cd "$tmp/$tree" && find . ! -type d | sed 's|^\./||' | sort) >"$tmp/got"
    diff "$tmp/wanted" "$tmp/got"
}

# With or without MANIFEST, whatever lies about
own_files() {
    cd "$tmp/$tree" && cp -R . "$tmp/used" && cd "$tmp/used" || return 1
    mkdir -p own build2/tools examples/build && touch own/times.csv a.out foo.py notes.md build2/tools/x.c examples/build/x
    sh tools/release/files.sh | sort >"$tmp/got"
    touch weights/mine.spec docs/notes.md && sh tools/release/files.sh | sort | cmp - "$tmp/got" || return 1
    rm MANIFEST weights/mine.spec docs/notes.md
    sh tools/release/files.sh | sort | diff "$tmp/got" - && grep -vx MANIFEST "$tmp/wanted" | diff - "$tmp/got"
}

# Owner 0, and every file as old as the commit
owner_and_time() {
    time=$(TZ=UTC git log -1 --date=format-local:'%Y-%m-%d %H:%M' --format=%cd)
    TZ=UTC tar --numeric-owner -tvzf "$tmp/one/$tree.tar.gz" | awk '{ print $2, $4, $5 }' |
        sort -u >"$tmp/kinds"
    [ "$(cat "$tmp/kinds")" = "0/0 $time" ] || { cat "$tmp/kinds"; return 1; }
}

# No tarball without git, not even of a checkout that happens to lie around the tree.
no_git() {
    git init -q "$tmp" || return 1
    ! (cd "$tmp/$tree" && make -s dist BUILD=build) >"$tmp/log" 2>&1 && grep -q 'has no .git' "$tmp/log" &&
        [ ! -e "$tmp/$tree/build/$tree.tar.gz" ]
}

check "a tarball" make -s dist BUILD="$tmp/one"
check "the same bytes for another user from another checkout" other_user
check_with sha256sum "a checksum" checksum
check "it unpacks" unpack
check "all files and no other" all_files
check "tools/release/files.sh tells them" own_files
case $(tar --version 2>/dev/null) in
*GNU*) check "owner and time" owner_and_time ;;
*) skipped "owner and time" "it takes GNU tar to see them" ;;
esac
check "unpacked: no make dist" no_git
test_end
