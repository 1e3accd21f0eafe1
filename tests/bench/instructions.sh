#!/bin/sh
# What a pointer's way through the core costs in instructions, by room, beside the kept table (instructions.txt), and which
# rooms changed by more than 10 %. It judges nothing. `instructions.sh BUILD --keep` writes the table anew.
# Counted are the three calls by which a host drives a core; what 1,000 pointers take beyond what 200 take, by 800. An instruction
# belongs to the room whose object file the linker put it from (pointer_bench.map). `libraries` are msgpack-c's and the C
# library's.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
few=200
many=1000

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

count() {
    valgrind --tool=callgrind --callgrind-out-file="$work/$1" --dump-instr=yes --compress-pos=no --compress-strings=no \
        --toggle-collect=gz_core_receive --toggle-collect=gz_core_turn --toggle-collect=gz_core_next_frame \
        "$build/bin/pointer_bench" "$1" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
}

# Instructions of each room, from the linker's map and what callgrind counted at each address.
rooms() {
    awk -v program=pointer_bench '
        function number(text,   i, value) {
            value = 0
            text = tolower(substr(text, 3))
            for (i = 1; i <= length(text); i++) value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
            return value
        }
        function room_of(file) {
            if (file ~ /libgizmo_base/) return "proto"
            if (match(file, /lib(gizmod|gizmo)_[a-z]+\.a/)) {
                sub(/.*lib(gizmod|gizmo)_/, "", file)
                sub(/\.a.*/, "", file)
                return file
            }
            return file ~ /\.a\(/ ? "tests" : "libraries"
        }
        function room_at(address,   low, high, middle) {
            low = 1
            high = places
            while (low < high) {
                middle = int((low + high + 1) / 2)
                if (begin[middle] <= address) low = middle; else high = middle - 1
            }
            return places > 0 && begin[low] <= address && address < begin[low] + size[low] ? room[low] : "libraries"
        }
        FNR == NR {
            if ($1 ~ /^\.text/ && NF == 1) { waits = 1; next }
            at = $1 ~ /^\.text/ ? 2 : waits ? 1 : 0
            waits = 0
            if (at && NF >= at + 2 && $at ~ /^0x/ && $(at + 1) ~ /^0x/ && $(at + 2) ~ /\.o\)?$/) {
                places++
                begin[places] = number($at)
                size[places] = number($(at + 1))
                room[places] = room_of($(at + 2))
            }
            next
        }
        /^ob=/ { is_ours = $0 ~ program "$"; next }
        /^calls=/ { skip = 1; next }
        /^0x/ {
            name = is_ours ? room_at(number($1)) : "libraries"
            if (!skip && name != "tests") sum[name] += $3
            skip = 0
        }
        END { for (name in sum) print name, sum[name] }' "$build/pointer_bench.map" "$work/$1" | sort
}

count $few
count $many
rooms $few >"$work/few"
rooms $many >"$work/many"
join "$work/few" "$work/many" | awk -v n=$((many - few)) '
    { each = int(($3 - $2) / n + 0.5); sum += each; if (each > 0) print $1, each }
    END { print "sum", sum }' >"$work/now"
if [ "${2:-}" = --keep ]; then
    cp "$work/now" "$here/instructions.txt"
    exit
fi
sort "$here/instructions.txt" >"$work/kept"
sort "$work/now" | join -a 1 -a 2 -e 0 -o 0,1.2,2.2 "$work/kept" - | awk '
    BEGIN { printf "%-12s %8s %8s\n", "instructions", "kept", "now" }
    {
        change = $2 > 0 ? 100 * ($3 / $2 - 1) : 100
        printf "%-12s %8d %8d%s\n", $1, $2, $3, (change > 10 || change < -10) ? sprintf("  %+.0f %%", change) : ""
    }'
