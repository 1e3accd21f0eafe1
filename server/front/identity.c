/* identity.c - who asks: keys of tokens, headers of trusted proxies, the user of a request. */
#include "front/identity.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "conn/clock.h"
#include "front/caller.h"
#include "link/members.h"
#include "proto/base/text.h"
#include "server/maxima.h"

/* ---- keys of tokens ---- */

/* Loads keys, and verifies and signs tokens with them. */

enum gz_status gz_keyring_load(struct gz_keyring *ring, const struct gz_log *log,
                               struct gz_error *error)
{
    struct gz_keys *keys;
    struct gz_error why;
    enum gz_status status = gz_keys_load(ring->path, &keys, &why);
    if (status != GZ_OK) return gz_fail(error, status, "--keys: %s", why.message);
    gz_keys_destroy(ring->keys);
    ring->keys = keys;
    if (gz_keys_are_exposed(keys))
        gz_log(log, GZ_WARN, 0,
               "--keys: other users can read or change %s, and so make tokens; run chmod 600 "
               "on it",
               ring->path);
    return GZ_OK;
}

enum gz_status gz_keyring_load_revoked(struct gz_keyring *ring, struct gz_error *error)
{
    struct gz_revoked *revoked;
    struct gz_error why;
    if (ring->revoked_path == NULL) return GZ_OK;
    enum gz_status status = gz_revoked_load(ring->revoked_path, &revoked, &why);
    if (status != GZ_OK) return gz_fail(error, status, "--revoked: %s", why.message);
    gz_revoked_destroy(ring->revoked);
    ring->revoked = revoked;
    ring->revocations++;
    return GZ_OK;
}

void gz_keyring_finish(struct gz_keyring *ring)
{
    gz_revoked_destroy(ring->revoked);
    ring->revoked = NULL;
    gz_keys_destroy(ring->keys);
    ring->keys = NULL;
}

enum gz_status gz_keyring_verify(const struct gz_keyring *ring, struct gz_text token,
                                 struct gz_claims *claims, struct gz_error *error)
{
    enum gz_status status =
        gz_token_verify(ring->keys, ring->audience, token, gz_clock_now().unix_s, claims, error);
    if (status != GZ_OK || !gz_revoked_has(ring->revoked, claims->user, &claims->id)) return status;
    *claims = (struct gz_claims){.user = ""};
    return gz_fail(error, GZ_UNAUTHORISED, "token: it was revoked");
}

enum gz_status gz_keyring_sign(const struct gz_keyring *ring, const struct gz_claims *claims,
                               double seconds, char token[GZ_TOKEN_BYTES_MAX + 1],
                               struct gz_error *error)
{
    struct gz_claims timed = *claims;
    double now_unix_s = gz_clock_now().unix_s;
    timed.expires_unix_s = now_unix_s + seconds;
    return gz_token_sign(ring->keys, ring->audience, &timed, now_unix_s, token, error);
}

/* ---- trusted proxies ---- */

/* Reads the headers of trusted proxies: the client's address, its scheme, and the user's name. */

/* ---- the client's address ---- */

/* Whether there is a header that proxies add. */
static bool has_trace(const struct gz_request *request)
{
    static const char *const names[] = {"forwarded",       "x-forwarded-proto", "x-forwarded-host",
                                        "x-forwarded-for", "x-real-ip",         "via"};
    bool is_said = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !is_said; i++)
        is_said = gz_request_value(request, names[i], 0) != NULL;
    return is_said;
}

/* The client that X-Forwarded-For names; nobody if it names none. */
static struct gz_address client_by_list(const struct gz_caller *caller, bool *present)
{
    char list[GZ_HTTP_HEADER_BYTES_MAX];
    struct gz_address client;
    bool is_named =
        gz_request_list(caller->request, "x-forwarded-for", list, sizeof list, present) &&
        gz_forwarded_client(&caller->net->proxies, list, &client);
    return is_named ? client : gz_address_nobody;
}

/* The same for Forwarded. */
static struct gz_address client_by_standard(const struct gz_caller *caller, bool *present)
{
    char text[GZ_HTTP_HEADER_BYTES_MAX], list[GZ_HTTP_HEADER_BYTES_MAX];
    struct gz_address client;
    bool is_named = gz_request_list(caller->request, "forwarded", text, sizeof text, present) &&
                    gz_forwarded_values(text, "for", list, sizeof list) &&
                    gz_forwarded_client(&caller->net->proxies, list, &client);
    return is_named ? client : gz_address_nobody;
}

/* Nobody has passed it on: a program on this machine, where a proxy is as well. */
static bool is_of_this_machine(const struct gz_caller *caller)
{
    return gz_address_is_loopback(&caller->arrival->end) && !has_trace(caller->request);
}

struct gz_address gz_proxy_client(const struct gz_caller *caller)
{
    bool has_list, has_standard;
    if (!caller->arrival->is_proxied || is_of_this_machine(caller)) return caller->arrival->end;
    const struct gz_address by_list = client_by_list(caller, &has_list);
    const struct gz_address by_standard = client_by_standard(caller, &has_standard);
    if (has_list && has_standard && !gz_address_equal(&by_list, &by_standard))
        return gz_address_nobody;
    return has_list ? by_list : by_standard;
}

/* What the proxy nearest to the client says in Forwarded is first, and may be the client's own
 * word; what the nearest to us says is last. */
static bool is_forwarded_by_https(const struct gz_request *request)
{
    char text[GZ_HTTP_HEADER_BYTES_MAX], list[GZ_HTTP_HEADER_BYTES_MAX];
    bool present;
    if (!gz_request_list(request, "forwarded", text, sizeof text, &present) || !present ||
        !gz_forwarded_values(text, "proto", list, sizeof list))
        return false;
    const char *last = strrchr(list, ' ');
    return strcasecmp(last != NULL ? last + 1 : list, "https") == 0;
}

bool gz_proxy_is_secure(const struct gz_caller *caller)
{
    const char *scheme = gz_request_value(caller->request, "x-forwarded-proto", 0);
    if (gz_stream_is_tls(caller->stream)) return true;
    if (!caller->arrival->is_proxied) return false;
    return scheme != NULL ? strcasecmp(scheme, "https") == 0
                          : is_forwarded_by_https(caller->request);
}

bool gz_proxy_passed_on(const struct gz_caller *caller)
{
    return caller->arrival->is_proxied || has_trace(caller->request);
}

/* ---- other members ---- */

/* A value that is absent is empty; NULL if there are two, or if it is longer than `size`. */
static const char *one_value(const struct gz_request *request, const char *name, size_t size)
{
    const char *value = gz_request_value(request, name, 0);
    if (value == NULL) return "";
    return gz_request_value(request, name, 1) == NULL && strlen(value) < size ? value : NULL;
}

enum gz_status gz_proxy_member(const struct gz_caller *caller, bool *is_relayed,
                               struct gz_address *client, struct gz_error *error)
{
    const struct gz_net *net = caller->net;
    const struct gz_request *request = caller->request;
    const char *proof = gz_request_value(request, GZ_PROOF_HEADER, 0);
    const char *said = one_value(request, "x-forwarded-for", GZ_ADDRESS_TEXT_BYTES), *user = "";
    *is_relayed = false;
    if (net->secret == NULL || proof == NULL) return GZ_OK;
    if (net->trust_header[0] != '\0')
        user = one_value(request, net->trust_header, GZ_USER_BYTES_MAX + 1);
    const struct gz_proof what = {net->secret, net->secret_size, said,
                                  user,        request->method,  request->path};
    if (said == NULL || user == NULL || strlen(proof) >= GZ_PROOF_BYTES ||
        !gz_proof_is_good(&what, gz_clock_now().unix_s, proof))
        return gz_fail(error, GZ_INTERNAL,
                       GZ_PROOF_HEADER
                       ": a member with another --secret or --trust-header, or with a clock that "
                       "differs by more than %d seconds, or a proxy between the members that "
                       "changes X-Forwarded-For or the path",
                       GZ_PROOF_SECONDS);
    if (*said == '\0')
        *client = caller->arrival->end;
    else if (!gz_address_parse(said, client))
        *client = gz_address_nobody;
    *is_relayed = true;
    return GZ_OK;
}

/* ---- the user ---- */

/* Whether the name, or what it begins like, is that of a header with a meaning of its own. */
static bool is_taken(const char *name)
{
    static const char *const taken[] = {
        "accept",
        "authorization",
        "connection",
        "content-",
        "cookie",
        "date",
        "expect",
        "forwarded",
        GZ_PROOF_HEADER,
        "host",
        "if-",
        "keep-alive",
        "origin",
        "proxy-",
        "range",
        "referer",
        "sec-",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
        "via",
        "x-forwarded",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
        "x-real-ip",
    };
    bool is = false;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0] && !is; i++) {
        const size_t size = strlen(taken[i]);
        is = strncasecmp(name, taken[i], size) == 0 &&
             (name[size] == '\0' || taken[i][size - 1] == '-');
    }
    return is;
}

bool gz_trust_header_valid(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    size_t size = strspn(name, letters);
    return size > 0 && size < GZ_TRUST_HEADER_BYTES && name[size] == '\0' && !is_taken(name);
}

enum gz_status gz_proxy_user_check(const struct gz_net *net, const char *user,
                                   struct gz_error *error)
{
    const size_t size = strlen(user);
    const char *fault = size > 0 ? gz_user_fault(user, size) : NULL;
    if (size > GZ_USER_BYTES_MAX || !gz_text_valid(user, size))
        return gz_fail(error, GZ_BAD_VALUE, "%s: is not a name of at most %d bytes of UTF-8",
                       net->trust_header, GZ_USER_BYTES_MAX);
    if (gz_user_is_guests(user))
        return gz_fail(error, GZ_BAD_VALUE,
                       "%s: must not end in \"%s\", which is reserved for guests",
                       net->trust_header, GZ_GUEST_SUFFIX);
    return fault == NULL
               ? GZ_OK
               : gz_fail(error, GZ_BAD_VALUE, "%s: the name %s", net->trust_header, fault);
}

enum gz_status gz_proxy_user(const struct gz_caller *caller, char user[GZ_USER_BYTES_MAX + 1],
                             struct gz_error *error)
{
    const struct gz_net *net = caller->net;
    *user = '\0';
    if (net->trust_header[0] == '\0') return GZ_OK;
    const char *name = gz_request_value(caller->request, net->trust_header, 0);
    if (name == NULL) return GZ_OK;
    if (!caller->arrival->is_relayed && !caller->arrival->is_proxied)
        return gz_fail(error, GZ_FORBIDDEN, "%s: only a trusted proxy may send this header",
                       net->trust_header);
    if (gz_request_value(caller->request, net->trust_header, 1) != NULL)
        return gz_fail(error, GZ_BAD_VALUE, "%s: given more than once", net->trust_header);
    enum gz_status status = gz_proxy_user_check(net, name, error);
    if (status == GZ_OK) lws_snprintf(user, GZ_USER_BYTES_MAX + 1, "%s", name);
    return status;
}

/* ---- identity ---- */

/* Identifies the user of a request: by a trusted proxy or a token; on an open server
 * users choose their names. */

static bool is_admin(const struct gz_net *net, struct gz_text user)
{
    for (size_t i = 0; i < net->admin_count; i++) {
        if (strlen(net->admins[i]) == user.size &&
            memcmp(net->admins[i], user.bytes, user.size) == 0)
            return true;
    }
    return false;
}

/* The claims of a user without a token: an editor of all scenes, or an admin by --admin. */
static struct gz_claims claims_without_token(const struct gz_net *net, struct gz_text user,
                                             bool wants_admin)
{
    bool may = wants_admin && is_admin(net, user);
    return gz_claims_open(user.bytes, user.size, may ? GZ_ROLE_ADMIN : GZ_ROLE_EDITOR);
}

/* Whether the server is open: users choose their names. */
static bool is_open(const struct gz_net *net)
{
    return net->keyring == NULL && net->trust_header[0] == '\0';
}

/* Names a guest: any name, with the suffix that only guests have. */
static enum gz_status name_guest(struct gz_text name, struct gz_claims *claims,
                                 struct gz_error *error)
{
    static const char suffix[] = GZ_GUEST_SUFFIX;
    if (name.size + sizeof suffix > sizeof claims->user)
        return gz_fail(error, GZ_BAD_VALUE, "user: the name of a guest must have 1 to %zu bytes",
                       sizeof claims->user - sizeof suffix);
    const char *fault = gz_user_fault(name.bytes, name.size);
    if (fault != NULL) return gz_fail(error, GZ_BAD_VALUE, "user: %s", fault);
    memcpy(claims->user, name.bytes, name.size);
    memcpy(claims->user + name.size, suffix, sizeof suffix);
    return GZ_OK;
}

enum gz_status gz_identify_proxied(const struct gz_net *net, const char *proxy_user,
                                   struct gz_error *error)
{
    bool has_other_way = net->trust_header[0] == '\0' || net->keyring != NULL;
    if (has_other_way || *proxy_user != '\0') return GZ_OK;
    return gz_fail(error, GZ_UNAUTHORISED,
                   "%s: a trusted proxy has to name the user in this header", net->trust_header);
}

static enum gz_status identify(const struct gz_net *net, const struct gz_said *said,
                               struct gz_claims *claims, struct gz_error *error)
{
    *claims = (struct gz_claims){.user = ""};
    if (said->proxy_user[0] != '\0' || is_open(net)) {
        struct gz_text proxied = {said->proxy_user, strlen(said->proxy_user)};
        *claims =
            claims_without_token(net, proxied.size > 0 ? proxied : said->name, said->wants_admin);
        return GZ_OK;
    }
    enum gz_status status = gz_identify_proxied(net, said->proxy_user, error);
    if (status != GZ_OK) return status;
    if (!said->has_token)
        return gz_fail(error, GZ_UNAUTHORISED,
                       "token: missing; ask the operator of this server for a token or a link");
    status = gz_keyring_verify(net->keyring, said->token, claims, error);
    return status == GZ_OK && claims->is_guest ? name_guest(said->name, claims, error) : status;
}

/* Sets the payer: the address, if the user could choose a thousand names. For loopback the name
 * counts, because all clients of an untrusted proxy on this machine come from there. */
static void name_payer(const struct gz_net *net, const struct gz_said *said,
                       struct gz_claims *claims)
{
    char text[GZ_ADDRESS_TEXT_BYTES];
    if (said->client == NULL || gz_address_is_loopback(said->client)) return;
    if (!is_open(net) && !claims->is_guest) return;
    const struct gz_address network = gz_address_network(said->client);
    gz_address_print(&network, text);
    snprintf(claims->payer, sizeof claims->payer, "%s", text);
}

enum gz_status gz_identify(const struct gz_net *net, const struct gz_said *said,
                           struct gz_claims *claims, struct gz_error *error)
{
    enum gz_status status = identify(net, said, claims, error);
    if (status == GZ_OK) name_payer(net, said, claims);
    return status;
}

/* ---- HTTP ---- */

/* Reads the token after "Bearer"; false if the header has another form. */
static bool read_bearer(const struct gz_request *request, struct gz_said *said)
{
    static const char scheme[] = "Bearer ";
    const char *text = gz_request_value(request, "authorization", 0);
    said->has_token = text != NULL;
    if (text == NULL) return true;
    if (strncasecmp(text, scheme, sizeof scheme - 1) != 0) return false;
    const char *token = text + sizeof scheme - 1;
    token += strspn(token, " ");
    said->token = (struct gz_text){token, strcspn(token, " ")};
    return token[said->token.size] == '\0';
}

bool gz_request_token(const struct gz_caller *caller, struct gz_text *token)
{
    struct gz_said said = {.has_token = false};
    const bool has_token = read_bearer(caller->request, &said) && said.has_token;
    *token = said.token;
    return has_token;
}

enum gz_status gz_identify_request(const struct gz_caller *caller, const char *name,
                                   struct gz_claims *claims, struct gz_error *error)
{
    const struct gz_net *net = caller->net;
    const char *proxy_user = caller->arrival->user;
    struct gz_said said = {.wants_admin = true,
                           .name = {name, strlen(name)},
                           .proxy_user = proxy_user,
                           .client = &caller->arrival->client};
    if (proxy_user[0] == '\0' && is_open(net)) {
        *claims = gz_claims_open(name, strlen(name), GZ_ROLE_ADMIN);
        name_payer(net, &said, claims);
        return GZ_OK;
    }
    if (name[0] == '\0') said.name = (struct gz_text){"somebody", strlen("somebody")};
    if (proxy_user[0] == '\0' && !read_bearer(caller->request, &said))
        return gz_fail(error, GZ_UNAUTHORISED, "Authorization: only Bearer TOKEN is supported");
    return gz_identify(net, &said, claims, error);
}
