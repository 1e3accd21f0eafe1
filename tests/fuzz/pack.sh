#!/bin/sh
# Packs the inputs that a fuzzer keeps, the files of FOLDER, into one archive. The same files make the
# same bytes, whoever packs them. The build unpacks tests/fuzz/corpus/NAME.tar into BUILD/corpus/NAME.
#     pack.sh FOLDER ARCHIVE
set -eu
(cd "$1" && find . -type f | cut -c 3- | LC_ALL=C sort) |
    tar -C "$1" --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=0644 \
        --verbatim-files-from -T - -cf "$2.new"
mv "$2.new" "$2"
