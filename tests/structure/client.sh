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

# Installed: what the libraries export, and which libraries the shared one needs.
cmake --install "$build" --prefix "$here/installed" >/dev/null
mv "$here/installed" "$here/moved" # nothing in it may know where it was installed
PKG_CONFIG_PATH=$(dirname "$(find "$here/moved" -name gizmo-client.pc)"):${PKG_CONFIG_PATH:-}
export PKG_CONFIG_PATH
lib=$(pkg-config --variable=libdir gizmo-client)
archives="$lib/libgizmo-client.a $lib/libgizmo_base.a"
sh "$source/tests/structure/exports.sh" "$cc" "$(pkg-config --cflags gizmo-client)" gizmo_client.h \
    "$build/client/c/libgizmo-client.a $build/proto/base/libgizmo_base.a" "$archives"
# shellcheck disable=SC2086
nm -g --defined-only $archives 2>/dev/null | awk 'NF == 3 { print $3 "@@GIZMO_CLIENT_1" }' | LC_ALL=C sort >"$here/wanted"
nm -D --defined-only "$lib/libgizmo-client.so.1" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort |
    diff "$here/wanted" - || { echo "gizmo-client.map has not the names of the headers"; exit 1; }
readelf -d "$lib/libgizmo-client.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
    grep -vxE 'lib(ssl|crypto|m|c)\.so\.[0-9]+' && { echo "the shared library needs that"; exit 1; }
readelf -d "$lib/libgizmo-client.so" | grep -q 'SONAME.*\[libgizmo-client\.so\.1\]'

# The example: shared, static as a whole, in a plug-in, beside all of the solver library, and by CMake in both ways.
serving=$(sed -n 's/^listening //p' "$here/said")
flags=-std=c11
example=$source/client/c/example.c
# shellcheck disable=SC2046
"$cc" $flags "$example" $(pkg-config --cflags --libs gizmo-client) -o "$here/shared"
# shellcheck disable=SC2046
"$cc" $flags -static "$example" $(pkg-config --static --cflags --libs gizmo-client) -o "$here/static" 2>"$here/warned" ||
    { cat "$here/warned"; exit 1; }
# shellcheck disable=SC2046
"$cc" $flags -shared -fPIC -Wl,-z,defs "$example" $(pkg-config --cflags gizmo-client) -Wl,--whole-archive $archives \
    -Wl,--no-whole-archive -lssl -lcrypto -lm -o "$here/plugin.so"
# shellcheck disable=SC2046
"$cc" $flags "$example" $(pkg-config --cflags gizmo-client) -Wl,--whole-archive "$lib/libgizmo-client.a" \
    "$lib/libgizmo_solver.a" "$lib/libgizmo_base.a" -Wl,--no-whole-archive -lssl -lcrypto -lm -o "$here/whole"
mkdir "$here/project"
cp "$example" "$here/project"
cat >"$here/project/CMakeLists.txt" <<'PROJECT'
cmake_minimum_required(VERSION 3.25)
project(example LANGUAGES C)
find_package(gizmo-client REQUIRED)
add_executable(by_cmake example.c)
target_link_libraries(by_cmake PRIVATE gizmo-client::gizmo-client)
add_executable(by_cmake_static example.c)
target_link_libraries(by_cmake_static PRIVATE gizmo-client::gizmo-client-static)
PROJECT
cmake -S "$here/project" -B "$here/project" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$here/moved" >/dev/null
cmake --build "$here/project" >/dev/null
LD_LIBRARY_PATH=$lib
export LD_LIBRARY_PATH
for program in "$here/shared" "$here/static" "$here/whole" "$here/project/by_cmake" "$here/project/by_cmake_static"; do
    "$program" "$serving" robot-arm >"$here/out" || { echo "$program failed"; exit 1; }
    grep -q '^nearer: the origin is 4.5 m before the eye' "$here/out" || { cat "$here/out"; exit 1; }
done
