# troubles.sh - what goes wrong in server/guides/troubles.md, and what has to be true before and after it (machine.sh).
begin() {
    systemctl start gizmod
    gizmoctl import "$sample" engine
    gizmoctl import "$sample" old
}
finish() {
    refused gizmoctl ls --token-file /run/old.token
    [ -s /var/lib/gizmod.newer/engine.db ] && [ -s /var/lib/gizmod.damaged/engine.db ]
    systemctl stop gizmod
}
edit() { curl -fsS "http://127.0.0.1:7432/scenes/engine/edits?user=ada" -d '[{"op":"set","nodes":[{"id":1,"t":[1,2,3]}]}]'; }
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
    gizmoctl token --keys /etc/gizmod/keys.json --user eve --role admin --expires 1d >/run/old.token
    systemctl restart gizmod
    gizmoctl ls --token-file /run/old.token >/dev/null
}
