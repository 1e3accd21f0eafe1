/* Reads the headers of trusted proxies: the client's address, its scheme, and the user's name. */
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "net/internal.h"
#include "net/proof.h"
#include "proto/base/text.h"
#include "server/maxima.h"

/* The address at the other end of the connection. */
static struct gz_address peer_of(struct lws *wsi)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getpeername(lws_get_socket_fd(wsi), (struct sockaddr *)&address, &size) != 0)
        address.ss_family = AF_UNSPEC;
    return gz_address_of(&address);
}

static bool is_from_proxy(const struct gz_net *net, struct lws *wsi)
{
    struct gz_address peer = peer_of(wsi);
    return gz_address_is_in(&net->proxies, &peer);
}

struct gz_address gz_proxy_client(const struct gz_net *net, struct lws *wsi)
{
    struct gz_address peer = peer_of(wsi), client;
    char list[GZ_HTTP_HEADER_BYTES_MAX];
    bool present;
    bool is_named = gz_address_is_in(&net->proxies, &peer) &&
                    gz_header(wsi, WSI_TOKEN_X_FORWARDED_FOR, list, sizeof list, &present) &&
                    present && gz_forwarded_client(&net->proxies, list, &client);
    return is_named ? client : peer;
}

bool gz_proxy_is_secure(const struct gz_net *net, struct lws *wsi)
{
    char scheme[8];
    bool present;
    if (lws_is_ssl(wsi)) return true;
    return is_from_proxy(net, wsi) &&
           gz_custom_header(wsi, "x-forwarded-proto:", scheme, sizeof scheme, &present) &&
           strcasecmp(scheme, "https") == 0;
}

/* Any of what proxies add: libwebsockets loses the line after a name with which one of a known
 * header begins, so that a client can hide one of these, but not all. */
bool gz_proxy_passed_on(struct lws *wsi)
{
    static const char *const names[] = {"forwarded:", "x-forwarded-proto:", "x-forwarded-host:"};
    bool is_said = gz_arrival_of(wsi)->is_proxied ||
                   lws_hdr_total_length(wsi, WSI_TOKEN_X_FORWARDED_FOR) > 0 ||
                   lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_X_REAL_IP) > 0 ||
                   lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_VIA) > 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !is_said; i++)
        is_said = gz_has_custom_header(wsi, names[i]);
    return is_said;
}

/* ---- other members ---- */

/* The path from libwebsockets, terminated; NULL for a method that members do not use. */
static const char *read_line(struct lws *wsi, const char **method)
{
    static const char *const words[] = {
        [LWSHUMETH_GET] = "GET",     [LWSHUMETH_HEAD] = "HEAD",     [LWSHUMETH_PUT] = "PUT",
        [LWSHUMETH_PATCH] = "PATCH", [LWSHUMETH_DELETE] = "DELETE",
    };
    char *path = NULL;
    int size, index = lws_http_get_uri_and_method(wsi, &path, &size);
    bool is_known = index >= 0 && (size_t)index < sizeof words / sizeof words[0];
    *method = is_known ? words[index] : NULL;
    return *method != NULL ? path : NULL;
}

/* Reads what the proof covers. */
static bool read_said(const struct gz_net *net, struct lws *wsi, char client[GZ_ADDRESS_TEXT_BYTES],
                      char user[GZ_USER_BYTES_MAX + 1])
{
    bool present;
    *user = '\0';
    return gz_header(wsi, WSI_TOKEN_X_FORWARDED_FOR, client, GZ_ADDRESS_TEXT_BYTES, &present) &&
           (net->trust_header[0] == '\0' ||
            gz_custom_header(wsi, net->trust_header, user, GZ_USER_BYTES_MAX + 1, &present));
}

enum gz_status gz_proxy_member(const struct gz_net *net, struct lws *wsi, bool *is_relayed,
                               struct gz_address *client, struct gz_error *error)
{
    char text[GZ_PROOF_BYTES], said[GZ_ADDRESS_TEXT_BYTES], user[GZ_USER_BYTES_MAX + 1];
    const char *method, *path = read_line(wsi, &method);
    const struct gz_proof proof = {net->secret, net->secret_size, said, user, method, path};
    bool present;
    *is_relayed = false;
    if (net->secret == NULL) return GZ_OK;
    bool fits = gz_custom_header(wsi, GZ_PROOF_HEADER_COLON, text, sizeof text, &present);
    if (!present) return GZ_OK;
    if (!fits || path == NULL || !read_said(net, wsi, said, user) ||
        !gz_proof_is_good(&proof, gz_clock_now().unix_s, text))
        return gz_fail(error, GZ_INTERNAL,
                       GZ_PROOF_HEADER
                       ": a member with another --secret or --trust-header, or with a clock that "
                       "differs by more than %d seconds, or a proxy between the members that "
                       "changes X-Forwarded-For or the path",
                       GZ_PROOF_SECONDS);
    if (!gz_address_parse(said, client)) *client = peer_of(wsi);
    *is_relayed = true;
    return GZ_OK;
}

/* ---- the user ---- */

/* Whether libwebsockets cannot look the name up as a custom header, because it begins like a header
 * that it knows. */
static bool is_libwebsockets_own(const char *name)
{
    size_t size = strlen(name);
    for (int i = 0; i < WSI_TOKEN_COUNT; i++) {
        const unsigned char *known = lws_token_to_string((enum lws_token_indexes)i);
        if (known != NULL && strncasecmp((const char *)known, name, size) == 0) return true;
    }
    return false;
}

bool gz_trust_header_valid(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    size_t size = strspn(name, letters);
    return size > 0 && size < GZ_TRUST_HEADER_BYTES && name[size] == '\0' &&
           !is_libwebsockets_own(name) && strncasecmp(name, "sec-", 4) != 0 &&
           strncasecmp(name, "x-forwarded-proto", size) != 0;
}

enum gz_status gz_proxy_user_check(const struct gz_net *net, const char *user,
                                   struct gz_error *error)
{
    const size_t size = strlen(user);
    if (!gz_text_valid(user, size))
        return gz_fail(error, GZ_BAD_VALUE, "%s is not a name of at most %d bytes of UTF-8",
                       net->trust_header, GZ_USER_BYTES_MAX);
    if (gz_user_is_guests(user))
        return gz_fail(error, GZ_BAD_VALUE,
                       "%s must not end in \"%s\", which is reserved for guests", net->trust_header,
                       GZ_GUEST_SUFFIX);
    if (!gz_user_shows(user, size))
        return gz_fail(error, GZ_BAD_VALUE, "%s contains an invisible character",
                       net->trust_header);
    return GZ_OK;
}

enum gz_status gz_proxy_user(const struct gz_net *net, struct lws *wsi,
                             char user[GZ_USER_BYTES_MAX + 1], struct gz_error *error)
{
    bool present = false;
    *user = '\0';
    if (net->trust_header[0] == '\0') return GZ_OK;
    bool fits = gz_custom_header(wsi, net->trust_header, user, GZ_USER_BYTES_MAX + 1, &present);
    size_t size = strlen(user);
    while (size > 0 && (user[size - 1] == ' ' || user[size - 1] == '\t')) user[--size] = '\0';
    enum gz_status status = GZ_OK;
    if (present && !gz_arrival_of(wsi)->is_relayed && !is_from_proxy(net, wsi))
        status = gz_fail(error, GZ_FORBIDDEN, "%s only a trusted proxy may send this header",
                         net->trust_header);
    else if (present && !fits)
        status = gz_fail(error, GZ_BAD_VALUE, "%s is not a name of at most %d bytes of UTF-8",
                         net->trust_header, GZ_USER_BYTES_MAX);
    else if (present)
        status = gz_proxy_user_check(net, user, error);
    if (status != GZ_OK) *user = '\0';
    return status;
}
