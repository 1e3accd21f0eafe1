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
may client/c "$shared|$own|\"(proto/(message|packed|fields|read)|predict/predict|solver/solver)\.h\"|<(libwebsockets|jansson|openssl/[a-z0-9_]+)\.h>"
may client/ctl "$shared|$own|\"(proto/(args/args|json|message|token/(token|keys))|solver/replay|store/store|cluster/postgres|gltf/gltf)\.h\"|<jansson\.h>"
may server/scene "$ours|\"scene/[a-z_]+\.h\""
may server/feed "$ours|\"(scene|proto|feed)/[a-z_]+\.h\""
may server/core "$ours|\"proto/token/claims\.h\"|\"(scene|proto|feed|solver|core)/[a-z_]+\.h\""
may server/store "$ours|\"(scene|store|schema)/[a-z_]+\.h\"|<(sqlite3|uv)\.h>"
may schema/extension "$ours|\"schema/extension/[a-z_]+\.h\"|<sqlite3ext\.h>"
may server/gltf "$ours|\"(gltf/[a-z_]+|solver/surface)\.h\""
may server/cluster "$ours|\"((cluster|store)/[a-z_]+)\.h\"|<(uv|libpq-fe)\.h>"
may server/host "$ours|\"((cluster/(cluster|log)|core/core|core/budget|scene/record|store/store|gltf/gltf|solver/surface|front/net|front/body|conn/clock|front/identity|link/(members|hook)|front/header)|host/[a-z_]+)\.h\"|<uv\.h>"
# The three rooms of the network call each other, and share the structs of front/state.h.
network="$ours|\"(proto/token/(claims|revoked|token)|(proto|front|conn|link)/[a-z_]+|core/core|core/queues|core/budget|feed/bytes|scene/record)\.h\"|<(libwebsockets|uv|openssl/[a-z0-9_]+)\.h>"
may server/front "$network"
may server/conn "$network|<liburing\.h>"
may server/link "$network|\"feed/feed\.h\"|<curl/curl\.h>"

found=$(grep -ln 'libpq-fe' -r server client proto schema | grep -v '^server/cluster/postgres' || true)
[ -n "$found" ] && echo "only server/cluster/postgres* may know libpq: $found" && breaches=1

# The core has no clock, no thread, no file: it is a function of its inputs.
for room in solver scene feed core; do
    found=$(grep -nE '\b(time|clock_gettime|gettimeofday|rand|random|fopen|open|read|write|pthread_[a-z]+|getenv)\(' server/$room/*.c | grep -vE 'include' || true)
    [ -z "$found" ] && continue
    echo "server/$room reaches outside: $found"
    breaches=1
done
exit $breaches
