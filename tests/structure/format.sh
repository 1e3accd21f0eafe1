#!/bin/sh
# Every C file is as clang-format writes it with .clang-format; `clang-format -i FILE` mends one.
#     format.sh SOURCE_DIR
set -eu
cd "$1"
find client proto schema server tests -name node_modules -prune -o -name '*.[ch]' -print0 |
    xargs -0 -P 2 -n 40 clang-format --dry-run -Werror
