/* The handshake: which upgrades become WebSocket connections, and which pages may ask at all. */
#include <string.h>
#include <strings.h>

#include "net/bundle.h"
#include "net/internal.h"
#include "server/maxima.h"

/* libwebsockets refuses a longer list of subprotocols without an error. */
#define SUBPROTOCOLS_BYTES_MAX 128

/* Whether there is a second Host header, or one with a blank before its colon, which a proxy before
 * us may have used. */
static bool has_other_host(struct lws *wsi)
{
    char second[GZ_HTTP_HEADER_BYTES_MAX];
    return lws_hdr_copy_fragment(wsi, second, sizeof second, WSI_TOKEN_HOST, 1) >= 0 ||
           gz_has_custom_header(wsi, "host :") || gz_has_custom_header(wsi, "host\t:");
}

static enum gz_status admit_host(const struct gz_net *net, struct lws *wsi, const char *host,
                                 struct gz_error *error)
{
    if (!gz_host_valid(host) || has_other_host(wsi))
        return gz_fail(error, GZ_BAD_VALUE,
                       "Host: one header of the form HOST or HOST:PORT is needed");
    if (gz_host_allowed(&net->rules, host)) return GZ_OK;
    return gz_fail(error, GZ_FORBIDDEN,
                   "Host: this server does not answer to this name; to allow it, start the server "
                   "with --allow-origin https://NAME");
}

static enum gz_status admit_origin(const struct gz_net *net, struct lws *wsi, const char *host,
                                   struct gz_error *error)
{
    char origin[GZ_ORIGIN_BYTES], site[16];
    bool has_origin, has_site;
    bool fits = gz_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin, &has_origin);
    if (!has_origin) {
        fits = gz_custom_header(wsi, "sec-fetch-site:", site, sizeof site, &has_site);
        if (fits && !gz_site_is_foreign(has_site ? site : NULL)) return GZ_OK;
        return gz_fail(error, GZ_FORBIDDEN,
                       "Sec-Fetch-Site: pages of other sites may not load this; open the "
                       "address directly");
    }
    if (fits && gz_origin_allowed(&net->rules, origin, host, gz_proxy_is_secure(net, wsi)))
        return GZ_OK;
    if (!fits || !gz_origin_valid(origin))
        return gz_fail(
            error, GZ_FORBIDDEN,
            "Origin: pages from a file or a sandbox are not allowed; serve the page from a "
            "web server, and start gizmod with --allow-origin ORIGIN");
    return gz_fail(error, GZ_FORBIDDEN,
                   "Origin: pages from %s are not allowed here; start the server with "
                   "--allow-origin %s to allow them",
                   origin, origin);
}

enum gz_status gz_admit_page(struct gz_net *net, struct lws *wsi, bool is_guarded,
                             struct gz_error *error)
{
    char host[GZ_ORIGIN_BYTES];
    bool present;
    if (net->cert != NULL && !lws_is_ssl(wsi))
        return gz_fail(error, GZ_FORBIDDEN, "this port speaks TLS: use https:// or wss://");
    struct gz_arrival *arrival = gz_arrival_of(wsi);
    bool is_judged = arrival->is_relayed; /* by the member that the client is connected to */
    if (!gz_header(wsi, WSI_TOKEN_HOST, host, sizeof host, &present)) *host = '\0';
    enum gz_status status = is_judged ? GZ_OK : admit_host(net, wsi, host, error);
    if (status == GZ_OK) status = gz_proxy_user(net, wsi, arrival->user, error);
    if (status == GZ_OK && is_guarded && !is_judged) status = admit_origin(net, wsi, host, error);
    return status;
}

/* libwebsockets treats any other character as a separator as well. */
static bool is_list_of_names(const char *list)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "!#$%&'*+-.^_`|~, \t";
    return list[strspn(list, allowed)] == '\0';
}

/* Whether this subprotocol is one of the comma-separated ones. */
static bool offers(const char *list, const char *subprotocol)
{
    size_t size = strlen(subprotocol);
    while (*list != '\0') {
        list += strspn(list, ", \t");
        size_t word = strcspn(list, ", \t");
        if (word == size && memcmp(list, subprotocol, size) == 0) return true;
        list += word;
    }
    return false;
}

static bool ends_in_ws(struct lws *wsi)
{
    char path[GZ_HTTP_HEADER_BYTES_MAX];
    if (lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) < 0) return false;
    size_t size = strlen(path);
    return size >= 3 && strcmp(path + size - 3, "/ws") == 0;
}

static enum gz_status refuse(int *code, int http_code, struct gz_error *error,
                             enum gz_status status, const char *message)
{
    *code = http_code;
    return gz_fail(error, status, "%s", message);
}

/* A trunk names the clients that it carries, so only a member may open one. */
static enum gz_status admit_trunk(const struct gz_net *net, struct lws *wsi, int *code,
                                  struct gz_error *error)
{
    if (!gz_arrival_of(wsi)->is_relayed)
        return refuse(code, 403, error, GZ_FORBIDDEN,
                      "Sec-WebSocket-Protocol: " GZ_TRUNK_PROTOCOL
                      " is for members of the cluster only");
    if (net->draining) return refuse(code, 503, error, GZ_BAD_STATE, "the server is going away");
    return GZ_OK;
}

enum gz_status gz_admit_upgrade(struct gz_net *net, struct lws *wsi, const char *upgrade, int *code,
                                struct gz_error *error)
{
    char list[SUBPROTOCOLS_BYTES_MAX], version[8];
    bool has_list, has_version;
    if (strcasecmp(upgrade, "websocket") != 0) {
        return refuse(code, 400, error, GZ_BAD_VALUE, "Upgrade: only websocket is supported");
    }
    enum gz_status status = gz_admit_page(net, wsi, true, error);
    *code = status == GZ_FORBIDDEN ? 403 : 400;
    if (status != GZ_OK) return status;
    if (!ends_in_ws(wsi))
        return refuse(code, 404, error, GZ_UNKNOWN_OP, "the path of a WebSocket must end in /ws");
    if (!gz_header(wsi, WSI_TOKEN_VERSION, version, sizeof version, &has_version) ||
        strcmp(version, "13") != 0) {
        return refuse(code, 400, error, GZ_VERSION, "Sec-WebSocket-Version: only 13 is supported");
    }
    if (!gz_header(wsi, WSI_TOKEN_PROTOCOL, list, sizeof list, &has_list)) {
        return refuse(code, 400, error, GZ_TOO_LARGE,
                      "Sec-WebSocket-Protocol: the list is too long");
    }
    if (!is_list_of_names(list)) {
        return refuse(code, 400, error, GZ_BAD_VALUE,
                      "Sec-WebSocket-Protocol: must be names separated by commas");
    }
    gz_arrival_of(wsi)->is_trunk = offers(list, GZ_TRUNK_PROTOCOL);
    if (gz_arrival_of(wsi)->is_trunk) return admit_trunk(net, wsi, code, error);
    if (!offers(list, GZ_SUBPROTOCOL)) {
        return refuse(code, 400, error, GZ_VERSION,
                      "Sec-WebSocket-Protocol: only " GZ_SUBPROTOCOL
                      " is supported, and between members of a cluster " GZ_TRUNK_PROTOCOL);
    }
    if (gz_identify_proxied(net, gz_arrival_of(wsi)->user, error) != GZ_OK) {
        *code = 401;
        return GZ_UNAUTHORISED;
    }
    if (net->draining) return refuse(code, 503, error, GZ_BAD_STATE, "the server is going away");
    if (net->session_count - net->channel_count >= GZ_SESSIONS_MAX &&
        !gz_arrive_make_room_for_session(net, GZ_PEER_NAMELESS))
        return refuse(code, 503, error, GZ_TOO_MANY, "too many sessions");
    return GZ_OK;
}
