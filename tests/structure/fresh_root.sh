#!/bin/sh
# Installs the Debian packages of a folder in a Debian that has nothing else, as its users would, and does the main job there:
# the daemon starts as its unit says, a part is dragged, the package is upgraded in the middle of a drag, nothing that was
# saved is lost, a removal keeps the scenes and a purge takes them. Once with /proc and once without. Programs are built there
# with the client library, shared and static. Needs root, mmdebstrap and Debian's archive.
#     fresh_root.sh SOURCE_DIR DEBS
set -eu
source=$1 debs=$2
[ "$(id -u)" = 0 ] || { echo "a root of its own needs root"; exit 1; }
here=$(mktemp -d)
daemon= root=
finish() {
    [ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
    wait
    for mounted in "$here"/*/proc; do ! mountpoint -q "$mounted" || umount "$mounted"; done
    rm -rf "$here"
}
trap finish EXIT
fail() { echo "fresh root: $*"; tail -n 20 "$here/log" "$here/apt" 2>/dev/null; exit 1; }

mmdebstrap --quiet --mode=root --variant=minbase bookworm "$here/base" 2>"$here/log" || fail "no base system"
mkdir "$here/base/debs"
cp "$debs"/*.deb "$here/base/debs"

# The build before: the same files under an earlier version.
new=$(basename "$debs"/gizmod_*.deb)
version=$(dpkg-deb -f "$debs/$new" Version)
dpkg-deb -R "$debs/$new" "$here/before"
sed -i "s/^Version: .*/Version: $version~before/" "$here/before/DEBIAN/control"
dpkg-deb --root-owner-group -b "$here/before" "$here/base/debs/before.deb" >/dev/null
rm -rf "$here/before"

in_root() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive HOME=/root \
        ${http_proxy:+http_proxy="$http_proxy"} "$@"
}
apt() { in_root apt-get -q -y --no-install-recommends "$@" >"$here/apt" 2>&1 || fail "apt-get $*"; }
installed() { in_root dpkg-query -W -f '${Version}' gizmod; }

# As the unit does, but at a free port.
start() {
    unit=$root/usr/lib/systemd/system/gizmod.service
    [ -f "$unit" ] || unit=$root/lib/systemd/system/gizmod.service
    : >"$here/said"
    # shellcheck disable=SC2046
    chroot "$root" setpriv --reuid gizmod --regid gizmod --clear-groups \
        $(sed -n 's/^ExecStart=//p' "$unit") --listen 127.0.0.1:0 --sample >"$here/said" 2>"$here/log" &
    daemon=$!
    for _ in $(seq 600); do
        ! grep -qs '^listening' "$here/said" || break
        kill -0 "$daemon" 2>/dev/null || fail "the daemon ended"
        sleep 0.1
    done
    url=$(sed -n 's/^listening //p' "$here/said")
}
stop() {
    kill "$daemon"
    wait "$daemon" || fail "the daemon ended with $?"
    daemon=
}
ctl() { in_root env GIZMOD_URL="$url" gizmoctl "$@"; }
drag() { # USER STEPS
    ctl drag robot-arm --user "$1" --node "robot arm" --handle tx --look 3,2,4 0,0.5,0 --from 960,540 --to 1100,540 --steps "$2"
}

try() {
    root=$1
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    apt update
    apt install /debs/before.deb
    [ "$(installed)" = "$version~before" ] || fail "another version than the build before"
    [ "$(in_root stat -c '%U %a' /var/lib/gizmod)" = "gizmod 700" ] || fail "the folder of the scenes is not gizmod's alone"
    [ "$(in_root cat /var/lib/dpkg/info/gizmod.conffiles)" = /etc/gizmod/gizmod.conf ] || fail "no conffile"
    for page in man8/gizmod.8.gz man1/gizmoctl.1.gz; do
        in_root dpkg -L gizmod | grep -q "/$page$" || fail "no $page"
    done
    start
    curl -fsS "$(echo "$url" | sed 's/^ws/http/; s/ws$//')" | grep -q '<title>' || fail "no editor"
    drag ada 4 | grep -q 'edit 2' || fail "no drag"

    drag bob 100000 >"$here/bob" 2>&1 &
    bob=$!
    for _ in $(seq 600); do
        ctl who robot-arm | grep -q 'bob.*holds' && break
        sleep 0.1
    done
    ctl who robot-arm | grep -q 'bob.*holds' || fail "bob holds nothing"
    apt install "/debs/$new"
    [ "$(installed)" = "$version" ] || fail "no upgrade"
    ctl who robot-arm | grep -q 'bob.*holds' || fail "the drag is over before the daemon was started anew"
    stop
    ! wait "$bob" || fail "bob's drag went on without a daemon"
    start
    [ "$(ctl history robot-arm | grep -cE '(ada|bob)')" = 2 ] || { ctl history robot-arm; fail "an edit is lost"; }
    drag cleo 4 | grep -q 'edit 4' || fail "no drag behind the upgrade"
    stop
    in_root gizmoctl check /var/lib/gizmod/robot-arm.db >/dev/null || fail "gizmoctl check"

    apt remove gizmod
    [ -f "$root/var/lib/gizmod/robot-arm.db" ] || fail "a removal took the scenes"
    [ -f "$root/etc/gizmod/gizmod.conf" ] || fail "a removal took the configuration"
    apt install "/debs/$new"
    start
    [ "$(ctl history robot-arm | grep -cE '(ada|bob|cleo)')" = 3 ] || fail "the scene is another one after an installation"
    stop
    apt purge gizmod
    for gone in /var/lib/gizmod /etc/gizmod; do
        [ ! -e "$root$gone" ] || { find "$root$gone"; fail "a purge left $gone"; }
    done
}

cp -a "$here/base" "$here/bare"
try "$here/bare"
rm -rf "$here/bare"
mount -t proc proc "$here/base/proc"
try "$here/base"

# A program of somebody else, with what the packages for developers bring and nothing else of ours.
client=$(cd "$debs" && ls libgizmo-client1_*.deb libgizmo-client-dev_*.deb libgizmo-solver-dev_*.deb | sed 's,^,/debs/,')
# shellcheck disable=SC2086
apt install $client "/debs/$new" gcc libc6-dev pkg-config
cp "$source/client/c/example.c" "$root/root"
in_root sh -euc 'cd /root
    cc example.c $(pkg-config --cflags --libs gizmo-client) -o shared
    cc -static example.c $(pkg-config --static --cflags --libs gizmo-client) -o static 2>/dev/null
    ldd shared | grep -q libgizmo-client.so.1' || fail "the example cannot be built"
start
in_root /root/shared "$url" robot-arm | grep -q '^nearer:' || fail "the example with the shared library"
in_root /root/static "$url" robot-arm | grep -q '^nearer:' || fail "the static example"
stop
