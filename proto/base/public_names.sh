#!/bin/sh
# Prints the names in C headers that begin with gz_, one a line and without those in comments: what an archive with these
# headers may export.
#     public_names.sh HEADER...
set -eu
cat "$@" | tr '\n' ' ' | sed -E 's#/\*([^*]|\*+[^*/])*\*+/# #g' | grep -oE '\bgz_[a-z0-9_]+' | sort -u
