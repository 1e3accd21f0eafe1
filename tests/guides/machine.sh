#!/bin/sh
# Runs every command of the page server/guides/NAME.md as it stands, from top to bottom: machine.sh ROOT BIN NAME. They have a
# machine of their own: namespaces with an empty /var/lib, an /etc whose changes are forgotten, and a network with what they start
# alone. Instead of systemd there are `systemctl` and `journalctl` that do what the pages ask of them. NAME.sh here has what comes
# before (`begin`) and after (`finish`); `<!-- test: WHAT -->` in the page is where its `trouble_WHAT` comes.
set -eu
if [ "${4:-}" != inside ]; then
    if [ "$(id -u)" != 0 ] || ! unshare --mount --net --pid --fork true 2>/dev/null; then
        echo "skipped: this is for root, where there are namespaces"
        exit 0
    fi
    exec unshare --mount --net --pid --fork --kill-child sh "$0" "$1" "$2" "$3" inside
fi
page=$1/server/guides/$3.md
# shellcheck disable=SC2034
sample=$1/server/gltf/sample/robot-arm.glb
PATH=$2:$PATH
# shellcheck disable=SC1090
. "$1/tests/guides/$3.sh"
mount -t proc proc /proc
ip link set lo up
mount -t tmpfs -o size=700m,mode=755 none /var/lib
mount -t tmpfs none /var/backups
mount -t tmpfs none /run
mkdir /run/up /run/work /run/bin /run/here
mount -t overlay -o lowerdir=/etc,upperdir=/run/up,workdir=/run/work none /etc
id gizmod >/dev/null 2>&1 || useradd --system gizmod
mkdir -p /etc/gizmod
install -d -m 700 -o gizmod -g gizmod /var/lib/gizmod
: >/run/log && chmod 666 /run/log

cat >/run/bin/systemctl <<'END'
#!/bin/sh
# stop, start and restart of gizmod, ready when it listens, as with Type=notify; and restart of a proxy.
set -eu
case $2 in
nginx) exec nginx ;;
caddy) HOME=/run exec caddy start --adapter caddyfile --config /etc/caddy/Caddyfile >>/run/log 2>&1 ;;
esac
case $1 in stop | restart)
    kill "$(cat /run/pid)"
    while kill -0 "$(cat /run/pid)" 2>/dev/null; do sleep 0.05; done ;;
esac
[ "$1" != stop ] || exit 0
keys="" && [ ! -e /etc/gizmod/keys.json ] || keys="--keys /etc/gizmod/keys.json"
: >/run/said && chmod 666 /run/said
setpriv --reuid gizmod --regid gizmod --clear-groups gizmod --data /var/lib/gizmod --web none $keys >/run/said 2>>/run/log &
echo $! >/run/pid
until grep -q listening /run/said; do kill -0 $! || { cat /run/log; exit 1; }; sleep 0.05; done
END
printf '#!/bin/sh\ncat /run/log\n' >/run/bin/journalctl
chmod +x /run/bin/*
PATH=/run/bin:$PATH
export PATH

# The page as a script: its blocks as they are, and the troubles between them.
awk '/^```sh$/ {on = 1; print "echo \"== block at line " NR "\" >&2"; next} /^```$/ {on = 0} on {print}
     /^<!-- test: / {print "trouble_" $3}' "$page" >/run/page.sh

refused() { if "$@" >/dev/null 2>&1; then echo "it was to be refused: $*"; exit 1; fi; }
begin
cd /run/here
# shellcheck disable=SC1091
. /run/page.sh
finish
echo "all of the page ran"
