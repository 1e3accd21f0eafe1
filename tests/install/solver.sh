#!/bin/sh
# Installs the solver library alone into an empty folder, builds its example there by pkg-config and by CMake as somebody else's
# program, and compares what they print.
#     solver.sh SOURCE_DIR BUILD_DIR CC SANITIZERS
set -eu
source=$1 build=$2 cc=$3 sanitizers=$4
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
flags="-std=c11 -Wall -Wextra -Wpedantic -Werror"
[ -z "$sanitizers" ] || flags="$flags -fsanitize=$sanitizers"

cmake --install "$build" --prefix "$here/first" --component solver >/dev/null
mv "$here/first" "$here/moved" # nothing in it may know where it was installed
library=$(find "$here/moved" -name 'libgizmo_solver.a')
PKG_CONFIG_PATH=$(dirname "$library")/pkgconfig
export PKG_CONFIG_PATH
sh "$source/tests/support/solver_symbols.sh" "$library" "$library"

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
    return good && now.t.y == 2 && gz_term_value(&gz_handle_terms, "tx", 2) == GZ_TX ? 0 : 1;
}
PROGRAM
# shellcheck disable=SC2086,SC2046
"${CXX:-c++}" -Wall -Wextra -Wpedantic -Werror ${sanitizers:+-fsanitize=$sanitizers} program.cc \
    $(pkg-config --cflags --libs gizmo-solver) -o in_cxx
./in_cxx
for shipped in LICENSE drag.c; do
    find "$here/moved" -name "$shipped" | grep -q . || { echo "the component has no $shipped"; exit 1; }
done

cat >CMakeLists.txt <<'PROJECT'
cmake_minimum_required(VERSION 3.25)
project(example LANGUAGES C)
find_package(gizmo-solver 0.1 REQUIRED)
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
