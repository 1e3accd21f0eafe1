#!/bin/sh
# Builds predict.wasm, the solvers for browsers: sh build.sh FILE. `sh build.sh --check` says what is
# missing, on standard error, and fails if it cannot be built. Debian: clang, lld, wasi-libc,
# libclang-rt-14-dev-wasm32, binaryen.
#
# Contraction is off as in the daemon, so that both compute the same bits. It is built for size,
# which a page waits for; what a pointer event takes is far below a frame either way.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$here/../..

for tool in clang wasm-ld wasm-opt; do
    command -v $tool >/dev/null || { echo "predict.wasm needs $tool" >&2; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# build FILE SOURCE...: compiled and linked apart, because clang that links for size would run
# wasm-opt by itself, which then does not know of bulk memory.
build() {
    to=$1
    shift
    (cd "$scratch" && clang --target=wasm32-wasi -std=c11 -Oz -flto -ffp-contract=off -mbulk-memory \
        -DNDEBUG -D_GNU_SOURCE -Wall -Wextra -Werror -I "$here" -iquote "$root" -iquote "$root/server" -c "$@")
    clang --target=wasm32-wasi -nostartfiles -Wl,--no-entry,--gc-sections,--strip-all \
        "$scratch"/*.o -o "$scratch/linked.wasm"
    # The linker puts data from address 1024 on, so that no pointer is below.
    wasm-opt -Oz --converge --low-memory-unused --enable-bulk-memory "$scratch/linked.wasm" -o "$to"
}

if [ "$1" = --check ]; then
    printf '#include <math.h>\n__attribute__((export_name("f"))) double f(double x) { return sin(x); }\n' \
        >"$scratch/try.c"
    build "$scratch/tried.wasm" "$scratch/try.c"
else
    case $1 in /*) to=$1 ;; *) to=$PWD/$1 ;; esac
    # shellcheck disable=SC2046
    build "$to" "$here/wasm.c" "$here/predict.c" $(ls "$root"/server/solver/*.c | grep -v /replay.c) \
        "$root/proto/base/linear.c" "$root/proto/base/vocabulary.c"
fi
