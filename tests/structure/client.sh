#!/bin/sh
# Runs the example of the C client against a daemon of its own, builds it from what is installed, links the library whole beside
# the solver library, and has its header read as C++.
#     client.sh SOURCE_DIR BUILD_DIR CC
set -eu
source=$1 build=$2 cc=$3
here=$(mktemp -d)
daemon=
trap '[ -z "$daemon" ] || kill "$daemon"; wait; rm -rf "$here"' EXIT

"$build/bin/gizmod" --data "$here/scenes" --listen 127.0.0.1:0 --web none --sample >"$here/said" 2>"$here/log" &
daemon=$!
for _ in $(seq 600); do
    ! grep -q listening "$here/said" || break
    sleep 0.1
done
"$build/bin/client_example" "$(sed -n 's/^listening //p' "$here/said")" robot-arm >"$here/out"
cat >"$here/wanted" <<END
16 nodes, the first is robot arm
moved up: it stands at a height of 1 m, ahead of the server
it agrees: edit 2
taken back: edit 3
dragged: it stands at a height of 0.5 m, ahead of the server
it agrees: edit 4
nearer: the origin is 4.5 m before the eye, ahead of the server
END
diff "$here/wanted" "$here/out"

echo '#include "gizmo_client.h"
int main() { gz_client_destroy(nullptr); return gz_status_word(GZ_OK) == nullptr; }' >"$here/program.cc"
${CXX:-g++} -std=c++17 -Wall -Wextra -Werror -c -I "$source/client/c" -iquote "$source" -idirafter "$source/server" \
    "$here/program.cc" -o "$here/program.o"
nm -u "$here/program.o" | grep -q ' gz_status_word$'

# Installed: what the library exports, the example by pkg-config, and both libraries in one program, all of each.
cmake --install "$build" --prefix "$here/installed" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$here/installed" -name gizmo-client.pc)"):${PKG_CONFIG_PATH:-}
export PKG_CONFIG_PATH
lib=$(pkg-config --variable=libdir gizmo-client)
sh "$source/tests/structure/exports.sh" "$cc" "$(pkg-config --cflags gizmo-client)" gizmo_client.h \
    "$build/client/c/libgizmo-client.a $build/proto/base/libgizmo_base.a" "$lib/libgizmo-client.a $lib/libgizmo_base.a"
flags=-std=c11
# shellcheck disable=SC2086,SC2046
"$cc" $flags "$source/client/c/example.c" $(pkg-config --cflags --libs gizmo-client) -o "$here/by_pkgconfig"
# shellcheck disable=SC2086,SC2046
"$cc" $flags "$source/client/c/example.c" $(pkg-config --cflags gizmo-client) -Wl,--whole-archive "$lib/libgizmo-client.a" \
    "$lib/libgizmo_solver.a" "$lib/libgizmo_base.a" -Wl,--no-whole-archive $(pkg-config --libs gizmo-client) -o "$here/whole"
