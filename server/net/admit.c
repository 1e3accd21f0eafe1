/* The handshake: which upgrades become WebSocket connections, and which pages may ask at all. */
#include "net/internal.h"
#include "server/maxima.h"

#include <string.h>
#include <strings.h>

/* libwebsockets refuses a list of subprotocols from here on without a word. */
#define SUBPROTOCOLS_BYTES_MAX 128

bool gz_header(struct lws *wsi, enum lws_token_indexes token, char *text, size_t size,
               bool *present)
{
    *text = '\0';
    bool empty = lws_hdr_total_length(wsi, token) == 0;
    *present = !empty || lws_hdr_copy_fragment(wsi, text, (int)size, token, 0) == 0;
    return empty || lws_hdr_copy(wsi, text, (int)size, token) >= 0;
}

enum gz_status gz_admit_page(struct gz_net *net, struct lws *wsi, bool state_changing,
                             struct gz_error *error)
{
    char host[GZ_ERROR_BYTES_MAX], origin[GZ_ERROR_BYTES_MAX];
    bool has_host, has_origin;
    if (!gz_header(wsi, WSI_TOKEN_HOST, host, sizeof host, &has_host) ||
        !gz_host_allowed(&net->rules, has_host ? host : NULL)) {
        return gz_fail(error, GZ_FORBIDDEN,
                       "Host: this server listens on loopback and answers to loopback's names "
                       "only; for another name, as "
                       "behind a proxy, start it with --allow-origin https://NAME");
    }
    if (!gz_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin, &has_origin) ||
        (state_changing &&
         !gz_origin_allowed(&net->rules, has_origin ? origin : NULL, has_host ? host : NULL))) {
        return gz_fail(error, GZ_FORBIDDEN,
                       "Origin: pages from %s are not allowed here; start the server with "
                       "--allow-origin %s to allow them",
                       gz_origin_valid(origin) ? origin : "there",
                       gz_origin_valid(origin) ? origin : "ORIGIN");
    }
    return GZ_OK;
}

/* Whether our subprotocol is one of the comma-separated ones. */
static bool offers_subprotocol(const char *list)
{
    size_t size = strlen(GZ_SUBPROTOCOL);
    while (*list != '\0') {
        list += strspn(list, ", \t");
        size_t word = strcspn(list, ", \t");
        if (word == size && memcmp(list, GZ_SUBPROTOCOL, size) == 0) return true;
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

enum gz_status gz_admit_upgrade(struct gz_net *net, struct lws *wsi, const char *upgrade, int *code,
                                struct gz_error *error)
{
    char list[SUBPROTOCOLS_BYTES_MAX], version[8];
    bool has_list, has_version;
    if (strcasecmp(upgrade, "websocket") != 0) {
        return refuse(code, 400, error, GZ_BAD_VALUE, "Upgrade: only websocket is spoken here");
    }
    *code = 403;
    if (gz_admit_page(net, wsi, true, error) != GZ_OK) return GZ_FORBIDDEN;
    if (!ends_in_ws(wsi))
        return refuse(code, 404, error, GZ_UNKNOWN_OP, "a WebSocket's path ends in /ws");
    if (!gz_header(wsi, WSI_TOKEN_VERSION, version, sizeof version, &has_version) ||
        strcmp(version, "13") != 0) {
        return refuse(code, 400, error, GZ_VERSION,
                      "Sec-WebSocket-Version: only 13 is spoken here");
    }
    if (!gz_header(wsi, WSI_TOKEN_PROTOCOL, list, sizeof list, &has_list)) {
        return refuse(code, 400, error, GZ_TOO_LARGE,
                      "Sec-WebSocket-Protocol: the list is too long");
    }
    if (!offers_subprotocol(list)) {
        return refuse(code, 400, error, GZ_VERSION,
                      "Sec-WebSocket-Protocol: only " GZ_SUBPROTOCOL " is spoken here");
    }
    if (net->draining) return refuse(code, 503, error, GZ_BAD_STATE, "the server is going away");
    if (net->session_count >= GZ_SESSIONS_MAX)
        return refuse(code, 503, error, GZ_TOO_MANY, "too many sessions");
    return GZ_OK;
}
