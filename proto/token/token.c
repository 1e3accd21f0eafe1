/* token.c - verifies and writes tokens: the head, the claims, and the signature. */
#include "proto/token/token.h"

#include <math.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "proto/token/internal.h"

/* 2^53: below it all whole numbers are exact as doubles; greater times are refused. */
#define TIME_UNIX_S_MAX 9007199254740992.0

/* ---- verifying ---- */

/* HEAD.CLAIMS.SIGNATURE, still as text; the first two with the dot between are what was signed. */
struct parts {
    struct gz_text head, claims, signature, is_signed;
};

static bool take_part(struct gz_text *rest, struct gz_text *part)
{
    const char *dot = memchr(rest->bytes, '.', rest->size);
    if (dot == NULL) return false;
    *part = (struct gz_text){rest->bytes, (size_t)(dot - rest->bytes)};
    *rest = (struct gz_text){dot + 1, rest->size - part->size - 1};
    return true;
}

/* A further dot is in the signature, where base64url refuses it. */
static bool split(struct gz_text token, struct parts *parts)
{
    struct gz_text rest = token;
    if (token.size == 0 || !take_part(&rest, &parts->head) || !take_part(&rest, &parts->claims))
        return false;
    parts->signature = rest;
    parts->is_signed = (struct gz_text){token.bytes, parts->head.size + 1 + parts->claims.size};
    return true;
}

/* An object of JSON in base64url; GZ_UNAUTHORISED for anything else. */
static enum gz_status read_part(struct gz_text part, json_t **json, struct gz_error *error)
{
    uint8_t bytes[GZ_TOKEN_BYTES_MAX];
    size_t size;
    json_error_t where;
    *json = NULL;
    if (!gz_base64url_read(part.bytes, part.size, bytes, &size))
        return gz_token_refuse(error, "it is not a token");
    *json = gz_json_read((const char *)bytes, size, &where);
    if (json_is_object(*json)) return GZ_OK;
    if (*json == NULL && json_error_code(&where) == json_error_out_of_memory)
        return gz_fail(error, GZ_NO_MEMORY, "no memory for a token");
    json_decref(*json);
    *json = NULL;
    return gz_token_refuse(error, "it is not a token");
}

/* Tokens of other kinds, such as those for logging out, may have been signed by the same key. */
static bool type_is_known(const json_t *type)
{
    const char *word = json_string_value(type);
    if (word != NULL && strncasecmp(word, "application/", 12) == 0) word += 12;
    return type == NULL ||
           (word != NULL && (strcasecmp(word, "JWT") == 0 || strcasecmp(word, "at+jwt") == 0));
}

static const struct gz_key *find_key(const struct gz_keys *keys, const json_t *id)
{
    if (id == NULL) return keys->count == 1 ? &keys->items[0] : NULL;
    size_t size = json_string_length(id);
    for (size_t i = 0; size > 0 && i < keys->count; i++)
        if (strcmp(keys->items[i].id, json_string_value(id)) == 0) return &keys->items[i];
    return NULL;
}

/* The key that the token names, if the token has the algorithm of this key. */
static enum gz_status choose_key(const struct gz_keys *keys, const json_t *head,
                                 const struct gz_key **key, struct gz_error *error)
{
    const char *algorithm = json_string_value(json_object_get(head, "alg"));
    if (json_object_get(head, "crit") != NULL)
        return gz_token_refuse(error, "the header has crit, which the server does not support");
    if (!type_is_known(json_object_get(head, "typ")))
        return gz_token_refuse(error, "it is a token of another type (typ)");
    *key = find_key(keys, json_object_get(head, "kid"));
    if (*key == NULL || algorithm == NULL || strcmp(algorithm, (*key)->algorithm->name) != 0)
        return gz_token_refuse(error, "the signature is not by a key of this server");
    return GZ_OK;
}

static enum gz_status check_signature(const struct gz_keys *keys, const struct parts *parts,
                                      struct gz_error *error)
{
    json_t *head;
    const struct gz_key *key = NULL;
    enum gz_status status = read_part(parts->head, &head, error);
    if (status == GZ_OK) status = choose_key(keys, head, &key, error);
    json_decref(head);
    if (status != GZ_OK) return status;
    uint8_t signature[GZ_TOKEN_BYTES_MAX];
    size_t size;
    if (!gz_base64url_read(parts->signature.bytes, parts->signature.size, signature, &size))
        return gz_token_refuse(error, "it is not a token");
    return gz_key_verify(key, parts->is_signed.bytes, parts->is_signed.size, signature, size)
               ? GZ_OK
               : gz_token_refuse(error, "the signature is not by a key of this server");
}

static enum gz_status verify(const struct gz_keys *keys, const char *audience,
                             const struct parts *parts, double now_unix_s, struct gz_claims *claims,
                             struct gz_error *error)
{
    enum gz_status status = check_signature(keys, parts, error);
    if (status != GZ_OK) return status;
    json_t *json;
    status = read_part(parts->claims, &json, error);
    if (status == GZ_OK) status = gz_claims_read(json, audience, now_unix_s, claims, error);
    json_decref(json);
    return status;
}

enum gz_status gz_token_verify(const struct gz_keys *keys, const char *audience,
                               struct gz_text token, double now_unix_s, struct gz_claims *claims,
                               struct gz_error *error)
{
    struct parts parts;
    *claims = (struct gz_claims){0};
    if (token.size > GZ_TOKEN_BYTES_MAX)
        return gz_fail(error, GZ_UNAUTHORISED, "token: it is longer than %d bytes",
                       GZ_TOKEN_BYTES_MAX);
    if (!split(token, &parts)) return gz_token_refuse(error, "it is not a token");
    ERR_set_mark();
    enum gz_status status = verify(keys, audience, &parts, now_unix_s, claims, error);
    ERR_pop_to_mark();
    return status;
}

/* ---- signing ---- */

/* A token that is being written; what does not fit is dropped, and remembered as an error. */
struct draft {
    char *token;
    size_t size;
    bool fits;
};

static void add_part(struct draft *draft, const uint8_t *bytes, size_t size)
{
    draft->fits = draft->fits && draft->size + 1 + GZ_BASE64URL_BYTES(size) <= GZ_TOKEN_BYTES_MAX;
    if (!draft->fits) return;
    if (draft->size > 0) draft->token[draft->size++] = '.';
    draft->size += gz_base64url_write(bytes, size, draft->token + draft->size);
}

/* Takes over the reference; false without memory. Writes into a separate buffer, because jansson
 * may leave out a name without memory. */
static bool add_json(struct draft *draft, json_t *json)
{
    char text[GZ_TOKEN_BYTES_MAX];
    size_t size = json != NULL ? json_dumpb(json, text, sizeof text, JSON_COMPACT) : 0;
    json_decref(json);
    if (size > sizeof text)
        draft->fits = false;
    else
        add_part(draft, (const uint8_t *)text, size);
    return size > 0;
}

static json_t *write_head(const struct gz_key *key)
{
    return key->id[0] != '\0' ? json_pack("{s:s, s:s, s:s}", "alg", key->algorithm->name, "typ",
                                          "JWT", "kid", key->id)
                              : json_pack("{s:s, s:s}", "alg", key->algorithm->name, "typ", "JWT");
}

static enum gz_status write_token(const struct gz_key *key, json_t *claims, char *token,
                                  struct gz_error *error)
{
    struct draft draft = {.token = token, .fits = true};
    uint8_t signature[GZ_SIGNATURE_BYTES_MAX];
    size_t size;
    if (!add_json(&draft, write_head(key)) || !add_json(&draft, json_incref(claims)))
        return gz_fail(error, GZ_NO_MEMORY, "no memory for a token");
    if (draft.fits) {
        if (!gz_key_sign(key, token, draft.size, signature, &size))
            return gz_fail(error, GZ_INTERNAL, "OpenSSL did not sign the token");
        add_part(&draft, signature, size);
    }
    token[draft.size] = '\0';
    return draft.fits ? GZ_OK
                      : gz_fail(error, GZ_TOO_LARGE, "token: it would be longer than %d bytes",
                                GZ_TOKEN_BYTES_MAX);
}

static enum gz_status sign(const struct gz_key *key, const char *audience,
                           const struct gz_claims *claims, double now_unix_s, char *token,
                           struct gz_error *error)
{
    struct gz_claims taken;
    json_t *json = gz_claims_write(claims, audience, now_unix_s);
    if (json == NULL)
        return gz_fail(error, GZ_BAD_VALUE, "token: a string is not UTF-8, or there is no memory");
    enum gz_status status = gz_claims_read(json, audience, now_unix_s, &taken, error);
    if (status == GZ_OK) status = write_token(key, json, token, error);
    json_decref(json);
    return status;
}

/* An id by which the token can be revoked, unless it has one. */
static bool name_token(struct gz_claims *claims)
{
    uint8_t bytes[12];
    if (claims->id.jti[0] != '\0') return true;
    if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(claims->id.jti + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static const struct gz_key *find_signer(const struct gz_keys *keys)
{
    for (size_t i = 0; i < keys->count; i++)
        if (keys->items[i].can_sign) return &keys->items[i];
    return NULL;
}

enum gz_status gz_token_sign(const struct gz_keys *keys, const char *audience,
                             const struct gz_claims *claims, double now_unix_s,
                             char token[GZ_TOKEN_BYTES_MAX + 1], struct gz_error *error)
{
    token[0] = '\0';
    const struct gz_key *key = find_signer(keys);
    if (key == NULL)
        return gz_fail(error, GZ_BAD_STATE, "keys: none has its private part, so none can sign");
    if (!(fabs(claims->expires_unix_s) < TIME_UNIX_S_MAX))
        return gz_fail(error, GZ_BAD_VALUE, "token: a time at which it expires is needed");
    struct gz_claims named = *claims;
    ERR_set_mark();
    enum gz_status status =
        name_token(&named) ? sign(key, audience, &named, now_unix_s, token, error)
                           : gz_fail(error, GZ_INTERNAL, "token: OpenSSL has no random numbers");
    ERR_pop_to_mark();
    if (status != GZ_OK) token[0] = '\0';
    return status;
}
