#!/bin/sh
# Every C file opens with a comment that says what the file is for, no tag stands for two types, and the
# layout is the one that clang-format writes with .clang-format; `clang-format -i FILE` mends it.
#     format.sh SOURCE_DIR
set -eu
cd "$1"
breaches=0
sources() {
    find client proto schema server tests -name node_modules -prune -o -name '*.[ch]' -print
}
silent=$(sources | xargs awk 'FNR == 1 && !/^\/\*/ { print FILENAME }')
if [ -n "$silent" ]; then
    echo "does not open with a comment that says what the file is for: $silent"
    breaches=1
fi
twice=$(sources | xargs grep -hoE '^(struct|enum|union) gz_[a-z0-9_]+ \{' | sort | uniq -d)
if [ -n "$twice" ]; then
    echo "stands for two types: $twice"
    breaches=1
fi
sources | xargs -P 2 -n 40 clang-format --dry-run -Werror || breaches=1
exit $breaches
