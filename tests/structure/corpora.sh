#!/bin/sh
# Each archive of what a fuzzer keeps is as tests/fuzz/pack.sh makes it: plain files in the order of
# their names, with no owner and no time, so that a change of one input is a small change of the
# archive. One line per breach: sh corpora.sh ROOT
set -eu
cd "$1/tests/fuzz"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
LC_ALL=C
export LC_ALL
breaches=0
breach() {
    echo "tests/fuzz/$1"
    breaches=1
}

for archive in corpus/*.tar; do
    [ -e "$(basename "$archive" .tar).c" ] || breach "$archive is of no fuzzer"
    tar -tf "$archive" >"$folder/names"
    [ -s "$folder/names" ] || breach "$archive is empty"
    sort -u "$folder/names" | cmp -s - "$folder/names" || breach "$archive is not in the order of names"
    odd=$(tar -tvf "$archive" --numeric-owner --utc --full-time |
        grep -vE '^-rw-r--r-- 0/0 +[0-9]+ 1970-01-01 00:00:00 [^/]+$' | head -n 1)
    [ -z "$odd" ] || breach "$archive was not made by pack.sh: $odd"
done
smallest=$(ls -S corpus/*.tar | tail -n 1)
mkdir "$folder/files"
tar -xf "$smallest" -C "$folder/files"
sh pack.sh "$folder/files" "$folder/packed.tar"
cmp -s "$smallest" "$folder/packed.tar" || breach "pack.sh makes another archive of what is in $smallest"
[ -z "$(find corpus -mindepth 1 ! -name '*.tar')" ] || breach "corpus has more than archives"
exit $breaches
