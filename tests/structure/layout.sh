#!/bin/sh
# Checks the layout of source text: no line of more than 100 columns, and a comment that opens each
# script and says what the file is for. One line per breach: sh layout.sh ROOT FOLDER...
set -eu
cd "$1"
shift
LC_ALL=C.UTF-8
export LC_ALL
breaches=0

sources() {
    find "$@" \( -name node_modules -o -name dist -o -path '*/sdk/types' \) -prune -o -type f \
        \( -name '*.ts' -o -name '*.tsx' -o -name '*.js' -o -name '*.mjs' -o -name '*.css' \) -print
}

for file in $(sources "$@"); do
    if grep -nE '^.{101}' "$file" /dev/null | cut -c1-120 | grep .; then
        breaches=1
    fi
    case $file in *.css) continue ;; esac
    if ! head -n 1 "$file" | grep -qE '^(//|/\*|#!)'; then
        echo "$file: does not open with a comment that says what the file is for"
        breaches=1
    fi
done
exit $breaches
