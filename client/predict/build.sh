#!/bin/sh
# Builds predict.wasm, the solvers for browsers: sh build.sh FILE. `sh build.sh --check` says what is
# missing, on standard error, and fails if it cannot be built. Debian: clang, lld, wasi-libc,
# libclang-rt-14-dev-wasm32, binaryen.
#
# Contraction is off as in the daemon, so that both compute the same bits. No -ffast-math, ever.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$here/../..
solver=$root/server/solver

for tool in clang wasm-ld wasm-opt; do
    command -v $tool >/dev/null || { echo "predict.wasm needs $tool" >&2; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

compile() {
    clang --target=wasm32-wasi -std=c11 -O3 -flto -ffp-contract=off -DNDEBUG -D_GNU_SOURCE -Wall -Wextra -Werror \
        -nostartfiles -Wl,--no-entry,--gc-sections,--strip-all "$@"
}

if [ "$1" = --check ]; then
    printf '#include <math.h>\n__attribute__((export_name("f"))) double f(double x) { return sin(x); }\n' >"$scratch/f.c"
    compile "$scratch/f.c" -o "$scratch/f.wasm"
    exit
fi
# shellcheck disable=SC2046
compile -I "$here" -iquote "$root" -iquote "$root/server" "$here/wasm.c" "$here/predict.c" \
    $(ls "$solver"/*.c | grep -v /replay.c) "$root/proto/base/linear.c" "$root/proto/base/vocabulary.c" \
    -o "$scratch/predict.wasm"
wasm-opt -O3 "$scratch/predict.wasm" -o "$1"
