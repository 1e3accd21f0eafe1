#!/bin/sh
# clang-tidy finds nothing, by the checks of .clang-tidy, in the C files that ship. wasm.c is for WebAssembly alone, and is
# compiled by the compiler for it.
#     tidy.sh SOURCE_DIR BUILD_DIR
set -eu
cd "$1"
find client proto schema server -name node_modules -prune -o -name wasm.c -o -name '*.c' -print0 |
    xargs -0 -P 2 -n 8 clang-tidy -p "$2" --quiet 2>/dev/null
