#!/bin/sh
# dist.sh - what is committed as FOLDER/kpred-VERSION.tar.gz: the same bytes from every checkout; its checksum beside it
# SPDX-License-Identifier: MIT
#
# usage: sh tools/release/dist.sh FOLDER, from the repository's root
set -eu
folder=$1
tmp=$folder/dist.$$
trap 'rm -rf "$tmp" "$tmp.gz" "$tmp.sum" "$tmp.d"' EXIT

die() {
    echo "dist.sh: $1" >&2
    exit 1
}

# An unpacked tarball inside of another project's checkout must not pack that project.
[ -e .git ] || die "this tree has no .git: a tarball is made of what is committed"
command -v git >/dev/null || die "there is no git"
version=$(git show HEAD:kpred.h | sh tools/release/install.sh version)
changes=$(git status --porcelain)
[ -z "$changes" ] || echo "dist.sh: left out is what is not committed:
$changes" >&2

# Nothing of the user's configuration may change the bytes. git sets owner 0, and as the time of
# every file that of the commit. MANIFEST is for tools/release/files.sh.
name=kpred-$version
mkdir -p "$folder" "$tmp.d"
git -c core.quotePath=false ls-tree -r --name-only HEAD >"$tmp.d/MANIFEST"
git -c tar.umask=0022 -c core.autocrlf=false -c core.eol=lf archive --format=tar \
    --prefix="$name/" --add-file="$tmp.d/MANIFEST" -o "$tmp" HEAD
gzip -n <"$tmp" >"$tmp.gz"
mv "$tmp.gz" "$folder/$name.tar.gz"
echo "$folder/$name.tar.gz"
if command -v sha256sum >/dev/null; then
    (cd "$folder" && sha256sum "$name.tar.gz") >"$tmp.sum"
    mv "$tmp.sum" "$folder/$name.tar.gz.sha256"
    echo "$folder/$name.tar.gz.sha256"
else
    echo "dist.sh: no checksum: there is no sha256sum" >&2
fi
