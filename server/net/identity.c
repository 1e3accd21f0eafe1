/* identity.c - identifies the user of a request: by a trusted proxy or a token; on an open server
 * users choose their names. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "net/caller.h"
#include "net/keyring.h"
#include "server/maxima.h"

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
