/* The handshake: which upgrades become WebSocket connections, and which pages may ask at all. */
#include <string.h>
#include <strings.h>

#include "front/caller.h"
#include "link/link.h"
#include "proto/json.h"
#include "server/maxima.h"

#define SUBPROTOCOLS_BYTES_MAX 128

static enum gz_status admit_host(const struct gz_net *net, const char *host, struct gz_error *error)
{
    if (host == NULL || !gz_host_valid(host))
        return gz_fail(error, GZ_BAD_VALUE,
                       "Host: one header of the form HOST or HOST:PORT is needed");
    if (gz_host_allowed(&net->rules, host)) return GZ_OK;
    return gz_fail(error, GZ_FORBIDDEN,
                   "Host: this server does not answer to this name; to allow it, start the server "
                   "with --allow-origin https://NAME");
}

static enum gz_status admit_origin(const struct gz_caller *caller, const char *host,
                                   struct gz_error *error)
{
    const char *origin = gz_request_value(caller->request, "origin", 0);
    const bool has_two = gz_request_value(caller->request, "origin", 1) != NULL;
    if (origin == NULL) {
        if (!gz_site_is_foreign(gz_request_value(caller->request, "sec-fetch-site", 0)) &&
            gz_request_value(caller->request, "sec-fetch-site", 1) == NULL)
            return GZ_OK;
        return gz_fail(error, GZ_FORBIDDEN,
                       "Sec-Fetch-Site: pages of other sites may not load this; open the "
                       "address directly");
    }
    if (!has_two &&
        gz_origin_allowed(&caller->net->rules, origin, host, gz_proxy_is_secure(caller)))
        return GZ_OK;
    if (has_two || !gz_origin_valid(origin))
        return gz_fail(
            error, GZ_FORBIDDEN,
            "Origin: pages from a file or a sandbox are not allowed; serve the page from a "
            "web server, and start gizmod with --allow-origin ORIGIN");
    return gz_fail(error, GZ_FORBIDDEN,
                   "Origin: pages from %s are not allowed here; start the server with "
                   "--allow-origin %s to allow them",
                   origin, origin);
}

enum gz_status gz_admit_page(struct gz_caller *caller, bool is_guarded, struct gz_error *error)
{
    const struct gz_net *net = caller->net;
    if (net->cert != NULL && !gz_stream_is_tls(caller->stream))
        return gz_fail(error, GZ_FORBIDDEN, "this port speaks TLS: use https:// or wss://");
    struct gz_arrival *arrival = caller->arrival;
    const char *host = gz_request_value(caller->request, "host", 0);
    bool is_judged = arrival->is_relayed; /* by the member that the client is connected to */
    enum gz_status status = is_judged ? GZ_OK : admit_host(net, host, error);
    if (status == GZ_OK) status = gz_proxy_user(caller, arrival->user, error);
    if (status == GZ_OK && is_guarded && !is_judged) status = admit_origin(caller, host, error);
    return status;
}

static bool is_list_of_names(const char *list)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "!#$%&'*+-.^_`|~, \t";
    return list[strspn(list, allowed)] == '\0';
}

/* Where the comma-separated list names this subprotocol; NULL if it does not. */
static const char *offer_of(const char *list, const char *subprotocol)
{
    size_t size = strlen(subprotocol);
    while (*list != '\0') {
        list += strspn(list, ", \t");
        size_t word = strcspn(list, ", \t");
        if (word == size && memcmp(list, subprotocol, size) == 0) return list;
        list += word;
    }
    return NULL;
}

static bool ends_in_ws(const char *path)
{
    size_t size = strlen(path);
    return size >= 3 && strcmp(path + size - 3, "/ws") == 0;
}

static enum gz_status refuse(int *code, int http_code, struct gz_error *error,
                             enum gz_status status, const char *message)
{
    *code = http_code;
    return gz_fail(error, status, "%s", message);
}

/* A link names the clients that it carries, so only a member may open one. */
static enum gz_status admit_link(const struct gz_caller *caller, int *code, struct gz_error *error)
{
    const struct gz_net *net = caller->net;
    if (!caller->arrival->is_relayed)
        return refuse(code, 403, error, GZ_FORBIDDEN,
                      "Sec-WebSocket-Protocol: " GZ_TRUNK_PROTOCOL
                      " is for members of the cluster only");
    if (net->draining) return refuse(code, 503, error, GZ_BAD_STATE, "the server is going away");
    return GZ_OK;
}

/* 16 bytes in base 64. */
static bool is_key(const char *key)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return key != NULL && strspn(key, digits) == 22 && strcmp(key + 22, "==") == 0;
}

/* What RFC 6455, 4.2.1 wants of a handshake; NULL if it is one. */
static const char *fault_of_handshake(const struct gz_request *request, enum gz_status *status)
{
    const char *version = gz_request_value(request, "sec-websocket-version", 0);
    *status = GZ_BAD_VALUE;
    if (strcmp(request->method, "GET") != 0 || request->is_1_0)
        return "Upgrade: only a GET of HTTP/1.1 can become a WebSocket";
    if (request->length > 0 || gz_request_value(request, "transfer-encoding", 0) != NULL)
        return "Upgrade: a request with a body cannot become a WebSocket";
    if (!gz_request_lists(request, "connection", "upgrade"))
        return "Connection: must name Upgrade, too";
    if (!is_key(gz_request_value(request, "sec-websocket-key", 0)))
        return "Sec-WebSocket-Key: must be 16 bytes in base 64";
    *status = GZ_VERSION;
    return version == NULL || strcmp(version, "13") != 0
               ? "Sec-WebSocket-Version: only 13 is supported"
               : NULL;
}

/* Reads what it is to become, and admits a link. */
static enum gz_status admit_subprotocol(struct gz_caller *caller, int *code, struct gz_error *error)
{
    char list[SUBPROTOCOLS_BYTES_MAX];
    bool has_list;
    if (!gz_request_list(caller->request, "sec-websocket-protocol", list, sizeof list, &has_list))
        return refuse(code, 400, error, GZ_TOO_LARGE,
                      "Sec-WebSocket-Protocol: the list is too long");
    if (!is_list_of_names(list))
        return refuse(code, 400, error, GZ_BAD_VALUE,
                      "Sec-WebSocket-Protocol: must be names separated by commas");
    caller->arrival->is_link = offer_of(list, GZ_TRUNK_PROTOCOL) != NULL;
    if (caller->arrival->is_link) return admit_link(caller, code, error);
    const char *plain = offer_of(list, GZ_SUBPROTOCOL), *json = offer_of(list, GZ_SUBPROTOCOL_JSON);
    caller->arrival->is_json = json != NULL && (plain == NULL || json < plain);
    if (plain != NULL || json != NULL) return GZ_OK;
    return refuse(code, 400, error, GZ_VERSION,
                  "Sec-WebSocket-Protocol: only " GZ_SUBPROTOCOL " and " GZ_SUBPROTOCOL_JSON
                  " are supported, and between members of a cluster " GZ_TRUNK_PROTOCOL);
}

enum gz_status gz_admit_upgrade(struct gz_caller *caller, int *code, struct gz_error *error)
{
    const struct gz_net *net = caller->net;
    const char *fault;
    enum gz_status status;
    if (!gz_request_lists(caller->request, "upgrade", "websocket"))
        return refuse(code, 400, error, GZ_BAD_VALUE, "Upgrade: only websocket is supported");
    status = gz_admit_page(caller, true, error);
    *code = status == GZ_FORBIDDEN ? 403 : 400;
    if (status != GZ_OK) return status;
    if (!ends_in_ws(caller->request->path))
        return refuse(code, 404, error, GZ_UNKNOWN_OP, "the path of a WebSocket must end in /ws");
    fault = fault_of_handshake(caller->request, &status);
    if (fault != NULL) return refuse(code, 400, error, status, fault);
    status = admit_subprotocol(caller, code, error);
    if (status != GZ_OK || caller->arrival->is_link) return status;
    if (gz_identify_proxied(net, caller->arrival->user, error) != GZ_OK) {
        *code = 401;
        return GZ_UNAUTHORISED;
    }
    if (net->draining) return refuse(code, 503, error, GZ_BAD_STATE, "the server is going away");
    if (net->session_count - net->channel_count >= GZ_SESSIONS_MAX &&
        !gz_arrive_make_room_for_session(caller->net, GZ_PEER_NAMELESS))
        return refuse(code, 503, error, GZ_TOO_MANY, "too many sessions");
    return GZ_OK;
}
