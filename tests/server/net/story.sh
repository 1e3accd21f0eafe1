#!/bin/sh
# A program with curl alone: it makes nodes, looks at them page by page and in the past, edits them with a key, and is told
# of an edit.
#     story.sh PORT
set -eu
scene="http://127.0.0.1:$1/scenes/curl"
told=$(mktemp)
trap 'rm -f "$told"; kill $listener 2>/dev/null || true' EXIT
ask() { curl --silent --show-error --max-time 60 "$@"; }
expect() { case $1 in *"$2"*) ;; *) echo "not $2 but $1"; exit 1 ;; esac; }

curl --silent --no-buffer "$scene/events" >"$told" &
listener=$!
expect "$(ask "$scene/edits?user=robot" -d '[{"op":"create","nodes":[{"name":"a"},{"name":"b"}],"key":"k"}]')" '"ids":[1,2]'
expect "$(ask "$scene/edits?user=robot" -d '[{"op":"create","nodes":[{"name":"a"},{"name":"b"}],"key":"k"}]')" '"ids":[1,2]'
expect "$(ask "$scene/edits" -d '[{"op":"set","nodes":[{"id":2,"t":[0.1,0,0]}]}]')" '{"seq":3,"edit":2}'
expect "$(ask "$scene/nodes?after=1&limit=1")" '{"seq":3,"nodes":[{"id":2,"t":[0.1,0.0,0.0]'
expect "$(ask "$scene/at?seq=2")" '"t":[0.0,0.0,0.0]'
expect "$(ask "$scene/history?user=robot")" '"kind":"create"'
expect "$(ask "$scene/path?node=2")" '"seq":3'
expect "$(ask --write-out ' %{http_code}' "$scene/edits" -d '[{"op":"set"}]')" ' 400'
for _ in $(seq 600); do
    grep -q '"kind":"set"' "$told" && echo told && exit 0
    sleep 0.1
done
echo "no edit was told"
exit 1
