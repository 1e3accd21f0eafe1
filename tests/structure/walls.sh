#!/bin/sh
# Checks the walls between the rooms: what each may include, of ours and of the libraries. One line per breach.
set -eu
cd "$1"
breaches=0

# may ROOM PATTERN: every #include in the room's files matches the extended regular expression or is of the C library.
standard='<(assert|ctype|dirent|errno|fcntl|float|inttypes|limits|malloc|math|poll|pthread|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|strings|time|unistd|getopt|netdb|libgen)\.h>|<(sys|netinet|arpa|linux)/[a-z_]+\.h>'
may() {
    found=$(grep -HnE '^[[:space:]]*#[[:space:]]*include' "$1"/*.c "$1"/*.h 2>/dev/null | grep -vE "include ($standard|$2)" || true)
    [ -z "$found" ] && return 0
    echo "$found" | sed "s|^|$1 may not include: |"
    breaches=1
}

shared='"(proto/limits|proto/base/[a-z_]+)\.h"'
ours="$shared|\"server/maxima\.h\""
may proto/base "$shared|<dlfcn\.h>"
may proto/args "$shared|\"proto/args/[a-z_]+\.h\""
may server/solver "\"(proto/base/(linear|vocabulary)|solver/[a-z_]+)\.h\""
may proto "$shared|\"proto/[a-z_]+\.h\"|<msgpack[a-z_/]*\.h>"
may proto/token "$shared|\"proto/(message|token/[a-z_0-9]+)\.h\"|<(jansson|openssl/[a-z_]+)\.h>"
# A client sees what both ends use. gizmoctl solves without a daemon, asks the database of a cluster, checks a scene's file and reads a glTF file as the daemon does.
own='"[a-z_]+\.h"'
may client/predict "$own|\"(proto/base/(linear|vocabulary)|solver/(solver|gizmo_state))\.h\""
may client/c "$shared|$own|\"(proto/(message|compact|fields|read)|predict/predict|solver/solver)\.h\"|<(libwebsockets|jansson|openssl/[a-z0-9_]+)\.h>"
may client/ctl "$shared|$own|\"(proto/(args/args|message|token/(token|keys))|solver/replay|store/store|cluster/postgres|exchange/exchange)\.h\"|<jansson\.h>"
may server/scene "$ours|\"scene/[a-z_]+\.h\""
may server/sync "$ours|\"(scene|proto|sync)/[a-z_]+\.h\""
may server/journal "$ours|\"(scene/record|proto/message|journal/[a-z_]+)\.h\""
may server/session "$ours|\"proto/token/claims\.h\"|\"(scene|proto|sync|journal|solver|session)/[a-z_]+\.h\""
may server/store "$ours|\"(scene|store|schema)/[a-z_]+\.h\"|<(sqlite3|uv)\.h>"
may schema/extension "$ours|\"schema/extension/[a-z_]+\.h\"|<sqlite3ext\.h>"
may server/exchange "$ours|\"(exchange/[a-z_]+|solver/surface)\.h\""
may server/cluster "$ours|\"((cluster|store)/[a-z_]+)\.h\"|<(uv|libpq-fe)\.h>"
may server/host "$ours|\"((cluster/(cluster|log)|session/(core|rate)|scene/record|store/store|exchange/exchange|solver/surface|net/(net|body|clock|keyring|proof|text))|host/[a-z_]+)\.h\"|<uv\.h>"
may server/net "$ours|\"(proto/token/(claims|token)|(proto|net)/[a-z_]+|session/(core|outbox|rate)|sync/bytes|scene/record)\.h\"|<(libwebsockets|liburing|uv|openssl/[a-z0-9_]+|curl/curl)\.h>"

found=$(grep -ln 'libpq-fe' -r server client proto schema | grep -v '^server/cluster/postgres' || true)
[ -n "$found" ] && echo "only server/cluster/postgres* may know libpq: $found" && breaches=1

# The core has no clock, no thread, no file: it is a function of its inputs.
for room in solver scene sync journal session; do
    found=$(grep -nE '\b(time|clock_gettime|gettimeofday|rand|random|fopen|open|read|write|pthread_[a-z]+|getenv)\(' server/$room/*.c | grep -vE 'include' || true)
    [ -z "$found" ] && continue
    echo "server/$room reaches outside: $found"
    breaches=1
done
exit $breaches
