#!/bin/sh
# Archives for other programs export what their headers declare, all of it and nothing else.
#     exports.sh CC CFLAGS HEADER "INTERNAL.a..." "EXPORTED.a..."
# INTERNAL are the same objects with all that they define.
set -eu
cc=$1 flags=$2 header=$3 internal=$4 exported=$5
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

# shellcheck disable=SC2086
globals() { nm -g --defined-only $1 2>/dev/null | awk 'NF == 3 {print $3}' | sort; }
# shellcheck disable=SC2086
echo "#include \"$header\"" | "$cc" $flags -E -P -x c - | grep -oE '\bgz_[a-z0-9_]+' | sort -u >"$here/declared"
globals "$internal" | sort -u >"$here/defined"
comm -12 "$here/declared" "$here/defined" >"$here/wanted"
[ -s "$here/wanted" ] || { echo "no names were read: are $cc and nm there?"; exit 1; }
globals "$exported" | diff "$here/wanted" - || { echo "$exported: not what $header declares"; exit 1; }
