#!/bin/sh
# Configures, builds and installs the C client library alone where pkg-config finds nothing, and looks that no file of another
# library was read, and that it installs what the whole does.
#     client_alone.sh SOURCE_DIR BUILD_DIR CC
set -eu
source=$1 build=$2 cc=$3
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

PKG_CONFIG=false PKG_CONFIG_EXECUTABLE=false PKG_CONFIG_LIBDIR='' PKG_CONFIG_PATH='' cmake -S "$source" -B "$here/alone" \
    -DGIZMOD_CLIENT_ONLY=ON -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_BUILD_TYPE="$(sed -n 's/^CMAKE_BUILD_TYPE:.*=//p' "$build/CMakeCache.txt")" -G Ninja >/dev/null
cmake --build "$here/alone" >/dev/null
(cd "$here/alone" && ninja -t deps) | sed -n 's/^    //p' | sort -u >"$here/read"
[ "$(wc -l <"$here/read")" -gt 100 ] || { echo "no headers were read?"; exit 1; }
[ "$(dpkg -S $(grep '^/usr/include/' "$here/read" | grep -v '^/usr/include/[a-z0-9_-]*-linux-gnu/openssl') 2>/dev/null |
    sed 's/:.*//' | sort -u | grep -vxE 'libc6-dev|libssl-dev|linux-libc-dev|libcrypt-dev' | tee "$here/others" | wc -l)" = 0 ] ||
    { echo "needs headers of:"; cat "$here/others"; exit 1; }

cmake --install "$here/alone" --prefix "$here/first" >/dev/null
for component in client client-dev solver; do
    cmake --install "$build" --prefix "$here/component" --component $component >/dev/null
done
files() { (cd "$1" && find . -type f -o -type l | sort); }
files "$here/first" >"$here/wanted"
files "$here/component" | diff "$here/wanted" - || { echo "alone it installs other files"; exit 1; }
