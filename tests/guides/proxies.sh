# proxies.sh - the certificate and the name that server/guides/proxies.md takes for granted, and what each proxy has to do (machine.sh).
origin=https://scenes.example:8443
asked() { curl -s -o /dev/null -w '%{http_code}' --cacert /etc/ssl/scenes.example.pem "$@"; }
begin() {
    echo '127.0.0.1 localhost scenes.example' >/etc/hosts
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=scenes.example \
        -addext subjectAltName=DNS:scenes.example -out /etc/ssl/scenes.example.pem -keyout /etc/ssl/scenes.example.key 2>/dev/null
    mkdir -p /var/lib/nginx /etc/caddy
    rm -f /etc/nginx/sites-enabled/*
}
# Who has no password gets nothing, a name of one's own choice counts nothing, and the editor is there.
judge() {
    [ "$(asked $origin/gizmo/scenes)" = 401 ]
    [ "$(asked -u ada:secret $origin/gizmo/)" = 200 ]
    case $(asked -u ada:secret $origin/gizmo) in 30?) ;; *) exit 1 ;; esac
    edit='[{"op":"set","nodes":[{"id":1,"t":[1,2,3]}]}]'
    [ "$(asked -u ada:secret -H 'X-Remote-User: eve' $origin/gizmo/scenes/robot-arm/edits -d "$edit")" = 200 ]
    curl -fs --cacert /etc/ssl/scenes.example.pem -u ada:secret "$origin/gizmo/scenes/robot-arm/history?limit=1" | grep -q '"user":"ada"'
    gizmoctl set robot-arm 1 --t 0,0,1 --server https://ada:secret@scenes.example:8443/gizmo/ --ca /etc/ssl/scenes.example.pem
}
trouble_change() {
    judge
    [ "$(asked -u ada:wrong $origin/gizmo/scenes)" = 401 ] # Caddy takes seconds for that, by its kind of hash
    nginx -s stop
    while ss -ltn | grep -q :8443; do sleep 0.1; done
}
finish() {
    judge
    caddy stop >/dev/null 2>&1
}
