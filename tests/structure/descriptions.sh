#!/bin/sh
# Installs what the programs say of themselves, and looks whether each option is in its --help, manual page and completion, and whether --help fits 80 columns.
#     descriptions.sh BUILD_DIR
set -eu
build=$1
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
fail() {
    echo "$*"
    exit 1
}

cmake --install "$build" --prefix "$here" --component descriptions >/dev/null
for program in gizmod.8 gizmoctl.1; do
    name=${program%.*} section=${program#*.}
    page=$(find "$here" -path "*/man$section/$program")
    completion=$(find "$here" -path "*/bash-completion/completions/$name")
    [ -s "$page" ] || fail "$program is not installed"
    [ -s "$completion" ] || fail "the completion of $name is not installed"
    "$build/bin/$name" --help >"$here/help"
    commands=$(sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' "$here/help")
    for command in $commands; do
        "$build/bin/$name" "$command" --help >>"$here/help"
        sed 's/\\-/-/g' "$page" | grep -q "^.SS \"$command" || fail "$command is not in $program"
        grep -q "^        $command:" "$completion" || fail "$command is not in the completion"
    done
    ! grep -E '^.{81}' "$here/help" || fail "a line of the help of $name has more than 80 columns"
    options=$(grep -oE '^  --[a-z-]+' "$here/help" | sort -u)
    [ "$(echo "$options" | wc -l)" -gt 10 ] || fail "$name has hardly any options"
    for option in $options; do
        sed 's/\\-/-/g' "$page" | grep -q "fB$option\\\\fR" || fail "$option is not in $program"
        grep -qe " $option \|\"$option " "$completion" || fail "$option is not in the completion of $name"
    done
    ! command -v groff >/dev/null || { said=$(groff -man -Tutf8 -ww -z "$page" 2>&1) && [ -z "$said" ]; } || fail "$said"
done

# What is typed, and what bash makes of it.
completes() {
    words=$1 wanted=$2
    # shellcheck disable=SC2016
    found=$(bash -c '. "$1"; read -ra COMP_WORDS <<<"$2"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "_${COMP_WORDS[0]}"
        echo "${COMPREPLY[*]}"' bash "$(find "$here" -path "*/completions/${words%% *}")" "$words")
    [ "$found" = "$wanted" ] || fail "\"$words\" becomes \"$found\" and not \"$wanted\""
}
completes 'gizmoctl che' 'checkpoint checkpoints check'
completes 'gizmoctl drag engine --ha' '--handle'
completes 'gizmoctl drag engine --handle tx' 'tx txy'
completes 'gizmoctl ls --tok' '--token-file'
completes 'gizmod --log de' 'debug'
completes 'gizmod --sample --keep-' '--keep-edits --keep-free'
