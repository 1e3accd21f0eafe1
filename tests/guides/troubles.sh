#!/bin/sh
# Runs every command of server/guides/troubles.md as it stands, from top to bottom: troubles.sh ROOT BIN. They have a machine of
# their own: namespaces with an empty /var/lib, an /etc whose changes are forgotten, and a network with this daemon alone. Instead
# of systemd there are `systemctl` and `journalctl` that do what the page asks of them. `<!-- test: NAME -->` in the page is where
# the trouble NAME comes.
set -eu
if [ "${3:-}" != inside ]; then
    if [ "$(id -u)" != 0 ] || ! unshare --mount --net --pid --fork true 2>/dev/null; then
        echo "skipped: this is for root, where there are namespaces"
        exit 0
    fi
    exec unshare --mount --net --pid --fork --kill-child sh "$0" "$1" "$2" inside
fi
page=$1/server/guides/troubles.md sample=$1/server/gltf/sample/robot-arm.glb
PATH=$2:$PATH
mount -t proc proc /proc
ip link set lo up
mount -t tmpfs -o size=700m,mode=755 none /var/lib
mount -t tmpfs none /var/backups
mount -t tmpfs none /tmp
mkdir /tmp/up /tmp/work /tmp/bin /tmp/here
mount -t overlay -o lowerdir=/etc,upperdir=/tmp/up,workdir=/tmp/work none /etc
id gizmod >/dev/null 2>&1 || useradd --system gizmod
mkdir -p /etc/gizmod
install -d -m 700 -o gizmod -g gizmod /var/lib/gizmod
: >/tmp/log && chmod 666 /tmp/log

cat >/tmp/bin/systemctl <<'END'
#!/bin/sh
# stop, start and restart of gizmod; ready when it listens, as with Type=notify.
set -eu
[ "$2" = gizmod ]
case $1 in stop | restart)
    kill "$(cat /tmp/pid)"
    while kill -0 "$(cat /tmp/pid)" 2>/dev/null; do sleep 0.05; done ;;
esac
[ "$1" != stop ] || exit 0
keys="" && [ ! -e /etc/gizmod/keys.json ] || keys="--keys /etc/gizmod/keys.json"
: >/tmp/said && chmod 666 /tmp/said
setpriv --reuid gizmod --regid gizmod --clear-groups gizmod --data /var/lib/gizmod --web none $keys >/tmp/said 2>>/tmp/log &
echo $! >/tmp/pid
until grep -q listening /tmp/said; do kill -0 $! || { cat /tmp/log; exit 1; }; sleep 0.05; done
END
printf '#!/bin/sh\ncat /tmp/log\n' >/tmp/bin/journalctl
chmod +x /tmp/bin/*
PATH=/tmp/bin:$PATH
export PATH

# The page as a script: its blocks as they are, and the troubles between them.
awk '/^```sh$/ {on = 1; print "echo \"== block at line " NR "\" >&2"; next} /^```$/ {on = 0} on {print}
     /^<!-- test: / {print "trouble_" $3}' "$page" >/tmp/page.sh
grep -q trouble_damage /tmp/page.sh

edit() { curl -fsS "http://127.0.0.1:7432/scenes/engine/edits?user=ada" -d '[{"op":"set","nodes":[{"id":1,"t":[1,2,3]}]}]'; }
refused() { if "$@" >/dev/null 2>&1; then echo "it was to be refused: $*"; exit 1; fi; }
trouble_fill() {
    edit >/dev/null
    fallocate -l $(($(df --output=avail -B1 /var/lib | tail -1) - 100000000)) /var/lib/filler
    until curl -s http://127.0.0.1:7432/healthz | grep -q 'ok, but'; do sleep 0.2; done
    refused edit
}
trouble_empty() { rm /var/lib/filler; }
trouble_damage() {
    edit >/dev/null # after the disk was full
    systemctl stop gizmod
    pages=$(($(stat -c %s /var/lib/gizmod/engine.db) / 4096))
    for i in $(seq 3 $((pages - 1))); do
        head -c 4096 /dev/urandom | dd of=/var/lib/gizmod/engine.db bs=4096 seek="$i" conv=notrunc status=none
    done
    systemctl start gizmod
    refused edit
    refused gizmoctl check /var/lib/gizmod/engine.db
}
trouble_keys() {
    edit >/dev/null # the copy in place of the damaged file
    gizmoctl key /etc/gizmod/keys.json && chown gizmod /etc/gizmod/keys.json
    gizmoctl token --keys /etc/gizmod/keys.json --user eve --role admin --expires 1d >/tmp/old.token
    systemctl restart gizmod
    gizmoctl ls --token-file /tmp/old.token >/dev/null
}

systemctl start gizmod
gizmoctl import "$sample" engine
gizmoctl import "$sample" old
cd /tmp/here
# shellcheck disable=SC1091
. /tmp/page.sh
refused gizmoctl ls --token-file /tmp/old.token
[ -s /var/lib/gizmod.newer/engine.db ] && [ -s /var/lib/gizmod.damaged/engine.db ]
systemctl stop gizmod
echo "all of the page ran"
