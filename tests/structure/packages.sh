#!/bin/sh
# Every library that the programs are linked with, or load while they run, is of a package that `.ci/install run` installs.
#     packages.sh SOURCE_DIR PROGRAM...
set -eu
install="$1/.ci/install"
shift
missing=0
command -v dpkg >/dev/null 2>&1 || exit 0

wanted=$(sed -n 's/^run="\(.*\)"$/\1/p' "$install")
[ -n "$wanted" ] || { echo "$install has no packages to run" && exit 1; }

# Names of libraries in a program: those that it is linked with, and those that it opens by name.
for name in $(strings "$@" | grep -E '^lib[A-Za-z0-9_-]+\.so\.[0-9]+$' | sort -u); do
    path=$(ldconfig -p | awk -v name="$name" '$1 == name { print $NF; exit }')
    [ -n "$path" ] || { echo "$name is not installed" && missing=1 && continue; }
    package=$(dpkg -S "*/$(basename "$(readlink -f "$path")")" 2>/dev/null | sed 's/:.*//' | sort -u | grep -v i386 | head -1)
    case "$package" in libc6 | '') continue ;; esac
    case " $wanted " in *" $package "*) ;; *) echo "$package ($name) is not in .ci/install run" && missing=1 ;; esac
done
# libwebsockets loads its libuv loop by a name of its own.
case " $wanted " in *" libwebsockets-evlib-uv "*) ;; *) echo "libwebsockets-evlib-uv is not in .ci/install run" && missing=1 ;; esac
exit $missing
