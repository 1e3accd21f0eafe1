#!/bin/sh
# alone.sh GIZMOD GIZMOCTL: fails unless the programs run without the libraries that only a cluster needs, and say which one is
# missing when they are to be in one.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for program in "$@"; do
    for library in $(readelf -dW "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        case "$library" in
        libpq.* | libcurl*)
            echo "$program is linked with $library" >&2
            exit 1
            ;;
        esac
    done
done

# A file of this name that is no library is found first.
: >"$dir/libpq.so.5"
export LD_LIBRARY_PATH="$dir"
head -c 32 /dev/zero | base64 >"$dir/secret"
chmod 600 "$dir/secret"
must_say() {
    if said=$("$@" 2>&1); then
        echo "$1 goes on without libpq: $said" >&2
        exit 1
    fi
    case "$said" in
    *"a library is missing: "*libpq.so.5*) ;;
    *)
        echo "$1 says: $said" >&2
        exit 1
        ;;
    esac
}
must_say "$2" cluster postgresql://127.0.0.1:1/x
must_say "$1" --data "$dir" --listen 127.0.0.1:0 --cluster postgresql://127.0.0.1:1/x --member a --advertise http://127.0.0.1:1 --secret "$dir/secret"
