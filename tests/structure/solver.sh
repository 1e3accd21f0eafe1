#!/bin/sh
# Configures, builds and installs the solver library alone where pkg-config finds nothing, and once more as a component of the
# whole. Looks at what its archives export, builds its example by pkg-config and by CMake as somebody else's program, and
# compares what they print.
#     solver.sh SOURCE_DIR BUILD_DIR CC
set -eu
source=$1 build=$2 cc=$3
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
flags="-std=c11 -Wall -Wextra -Wpedantic -Werror"

PKG_CONFIG=false PKG_CONFIG_LIBDIR='' PKG_CONFIG_PATH='' cmake -S "$source" -B "$here/alone" -DGIZMOD_SOLVER_ONLY=ON \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS_RELEASE=-O1 \
    -DCMAKE_BUILD_TYPE="$(sed -n 's/^CMAKE_BUILD_TYPE:.*=//p' "$build/CMakeCache.txt")" >/dev/null
cmake --build "$here/alone" >/dev/null
cmake --install "$here/alone" --prefix "$here/first" >/dev/null
cmake --install "$build" --prefix "$here/component" --component solver >/dev/null
files() { (cd "$1" && find . -type f | sort); }
[ "$(files "$here/first")" = "$(files "$here/component")" ] || { echo "alone it installs other files"; exit 1; }
mv "$here/first" "$here/moved" # nothing in it may know where it was installed
library=$(find "$here/moved" -name 'libgizmo_solver.a')
base=$(dirname "$library")/libgizmo_base.a
PKG_CONFIG_PATH=$(dirname "$library")/pkgconfig
export PKG_CONFIG_PATH
sh "$source/tests/structure/solver_symbols.sh" "$library" "$base"
sh "$source/tests/structure/exports.sh" "$cc" "-I$here/moved/include" gizmod/solver.h \
    "$build/server/solver/libgizmo_solver.a $build/proto/base/libgizmo_base.a" "$library $base"

cp "$source/server/solver/example/drag.c" "$here"
cd "$here"
# shellcheck disable=SC2086,SC2046
"$cc" $flags drag.c $(pkg-config --cflags --libs gizmo-solver) -o by_pkgconfig

# A program in C++ includes the headers without a warning, and links.
cat >program.cc <<'PROGRAM'
#include <gizmod/solver.h>
int main()
{
    gz_motion motion = gz_motion_none;
    gz_target node = {gz_trs_identity, gz_affine_identity, nullptr};
    gz_trs now;
    motion.kind = GZ_MOTION_TRANSLATE;
    motion.translation = gz_add(node.local.t, gz_scale(node.local.s, 2));
    bool good = gz_motion_apply(&motion, &node, &node.parent, &now, nullptr);
    static_assert(GZ_COORDINATE_MAX * GZ_SCALE_MIN == 1, "the limits are shipped");
    return good && now.t.y == 2 && gz_vocabulary_value(&gz_handle_words, "tx", 2) == GZ_TX ? 0 : 1;
}
PROGRAM
# shellcheck disable=SC2086,SC2046
"${CXX:-c++}" -Wall -Wextra -Wpedantic -Werror program.cc \
    $(pkg-config --cflags --libs gizmo-solver) -o in_cxx
./in_cxx
[ "$(pkg-config --modversion gizmo-solver)" = "$(sed -n 's/^#define GZ_SOLVER_VERSION "\(.*\)"$/\1/p' \
    "$here/moved/include/gizmod/solver.h")" ] || { echo "the header has another version"; exit 1; }
for shipped in LICENSE README.md drag.c; do
    find "$here/moved" -name "$shipped" | grep -q . || { echo "the component has no $shipped"; exit 1; }
done

cat >CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.25)
project(example LANGUAGES C)
find_package(gizmo-solver 0.2 REQUIRED)
add_executable(by_cmake drag.c)
target_link_libraries(by_cmake PRIVATE gizmo-solver::gizmo-solver)
PROJECT
cmake -S . -B build -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$flags" -DCMAKE_PREFIX_PATH="$here/moved" >/dev/null
cmake --build build >/dev/null

# At five metres a metre is 187.06 px, so 100 px are 0.534584 m, and half of that under a parent of scale 2.
cat >expected <<'OUTPUT'
tx at 1008.0 727.1
0.534584 m: local t = 0.267292 0.000000 0.000000
1.069167 m: local t = 0.534584 0.000000 0.000000
1.603751 m: local t = 0.801875 0.000000 0.000000
OUTPUT
for program in "$build/bin/solver_example" ./by_pkgconfig build/by_cmake; do
    "$program" | diff expected - || { echo "$program prints something else"; exit 1; }
done
