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
    [ -s "$page" ] || fail "$program is not installed"
    for file in "bash-completion/completions/$name" "zsh/site-functions/_$name" "fish/vendor_completions.d/$name.fish"; do
        [ -s "$(find "$here" -path "*/$file")" ] || fail "$file is not installed"
    done
    "$build/bin/$name" --help >"$here/help"
    "$build/bin/$name" --complete -- >"$here/words"
    commands=$(sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' "$here/help")
    for command in $commands; do
        "$build/bin/$name" "$command" --help >>"$here/help"
        sed 's/\\-/-/g' "$page" | grep -q "^.SS \"$command" || fail "$command is not in $program"
        "$build/bin/$name" --complete "$command" -- >>"$here/words"
        "$build/bin/$name" --complete "$command" | grep -qx "$command" || fail "$command is not completed"
    done
    ! grep -E '^.{81}' "$here/help" || fail "a line of the help of $name has more than 80 columns"
    options=$(grep -oE '^  --[a-z-]+' "$here/help" | sort -u)
    [ "$(echo "$options" | wc -l)" -gt 10 ] || fail "$name has hardly any options"
    for option in $options; do
        sed 's/\\-/-/g' "$page" | grep -q "fB$option\\\\fR" || fail "$option is not in $program"
        grep -qxe "$option" "$here/words" || fail "$option is not completed by $name"
    done
    ! command -v groff >/dev/null || { said=$(groff -man -Tutf8 -ww -z "$page" 2>&1) && [ -z "$said" ]; } || fail "$said"
done

# What is typed, and what each shell makes of it that is installed. zsh's own completion needs a terminal: compadd is asked.
# shellcheck disable=SC2016
in_bash() {
    bash -c '. "$1"; read -ra COMP_WORDS <<<"$2"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "_${COMP_WORDS[0]}" "${COMP_WORDS[0]}"
        echo "${COMPREPLY[*]}"' bash "$(find "$here" -path "*/bash-completion/completions/${1%% *}")" "$1"
}
# shellcheck disable=SC2016
in_zsh() {
    zsh -fc 'file=$1; words=(${=2}); CURRENT=$#words; compadd() { shift; print -r -- ${(P)1}; }; _files() { }; . $file' \
        zsh "$(find "$here" -path "*/site-functions/_${1%% *}")" "$1"
}
# shellcheck disable=SC2016
in_fish() {
    fish --no-config -c 'source $argv[1]; complete -C "$argv[2]"' \
        "$(find "$here" -path "*/vendor_completions.d/${1%% *}.fish")" "$1"
}
completes() {
    words=$1 wanted=$2
    for shell in bash zsh fish; do
        command -v $shell >/dev/null || continue
        found=$(PATH=$build/bin:$PATH in_$shell "$words" | tr ' ' '\n' | sort | paste -sd' ')
        [ "$found" = "$wanted" ] || fail "in $shell \"$words\" becomes \"$found\" and not \"$wanted\""
    done
}
completes 'gizmoctl che' 'check checkpoint checkpoints'
completes 'gizmoctl drag engine --ha' '--handle'
completes 'gizmoctl drag engine --handle tx' 'tx txy'
completes 'gizmoctl drag engine --handle=tx' '--handle=tx --handle=txy'
completes 'gizmoctl ls --tok' '--token-file'
completes 'gizmod --log-level de' 'debug'
completes 'gizmod --sample --keep-' '--keep-edits --keep-free'
