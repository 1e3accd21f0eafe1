#!/bin/sh
# Runs the example of the C client against a daemon of its own, and has its header read as C++.
#     client.sh SOURCE_DIR BUILD_DIR
set -eu
source=$1 build=$2
here=$(mktemp -d)
daemon=
trap '[ -z "$daemon" ] || kill "$daemon"; wait; rm -rf "$here"' EXIT

"$build/bin/gizmod" --data "$here/scenes" --listen 127.0.0.1:0 --web none --sample >"$here/said" 2>"$here/log" &
daemon=$!
for _ in $(seq 200); do
    ! grep -q listening "$here/said" || break
    sleep 0.1
done
"$build/bin/client_example" "$(sed -n 's/^listening //p' "$here/said")" robot-arm >"$here/out"
printf '16 nodes, the first is robot arm\nmoved up: edit 2\ntaken back: edit 3\n' | diff - "$here/out"

echo '#include "gizmo_client.h"
int main() { gz_client_destroy(nullptr); return gz_status_word(GZ_OK) == nullptr; }' >"$here/program.cc"
${CXX:-g++} -std=c++17 -Wall -Wextra -Werror -c -I "$source/client/c" -iquote "$source" -idirafter "$source/server" \
    "$here/program.cc" -o "$here/program.o"
nm -u "$here/program.o" | grep -q ' gz_status_word$'
