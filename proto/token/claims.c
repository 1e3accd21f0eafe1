/* claims.c - the claims of a token, from JSON to a struct and back; and whether they are valid here
 * and now. */
#include "proto/token/claims.h"

#include <math.h>
#include <string.h>

#include "proto/token/internal.h"

enum gz_status gz_token_refuse(struct gz_error *error, const char *words)
{
    return gz_fail(error, GZ_UNAUTHORISED, "token: %s", words);
}

/* ---- times and audience ---- */

static bool is_audience(const json_t *value, const char *audience)
{
    return json_is_string(value) && strcmp(json_string_value(value), audience) == 0;
}

static enum gz_status check_audience(const json_t *json, const char *audience,
                                     struct gz_error *error)
{
    const json_t *value = json_object_get(json, "aud");
    bool holds = is_audience(value, audience);
    for (size_t i = 0; i < json_array_size(value); i++)
        holds = holds || is_audience(json_array_get(value, i), audience);
    return holds ? GZ_OK : gz_token_refuse(error, "it is for another audience");
}

static enum gz_status check_times(const json_t *json, double now_unix_s, struct gz_claims *claims,
                                  struct gz_error *error)
{
    const json_t *expires = json_object_get(json, "exp"), *begins = json_object_get(json, "nbf");
    if (!json_is_number(expires)) return gz_token_refuse(error, "exp: must be a number");
    if (begins != NULL && !json_is_number(begins))
        return gz_token_refuse(error, "nbf: must be a number");
    claims->expires_unix_s = json_number_value(expires);
    if (!(now_unix_s < claims->expires_unix_s)) return gz_token_refuse(error, "it has expired");
    if (begins != NULL && now_unix_s < json_number_value(begins) - GZ_TOKEN_LEEWAY_SECONDS)
        return gz_token_refuse(error, "it is not valid yet");
    return GZ_OK;
}

/* ---- what it can be revoked by ---- */

static enum gz_status read_id(const json_t *json, struct gz_claims *claims, struct gz_error *error)
{
    const json_t *id = json_object_get(json, "jti"), *issued = json_object_get(json, "iat");
    const size_t size = json_string_length(id);
    if (id != NULL && (size == 0 || size > GZ_TOKEN_ID_BYTES_MAX))
        return gz_fail(error, GZ_UNAUTHORISED, "token: jti: must be a string of 1 to %d bytes",
                       GZ_TOKEN_ID_BYTES_MAX);
    if (issued != NULL && !json_is_number(issued))
        return gz_token_refuse(error, "iat: must be a number");
    if (id != NULL) memcpy(claims->id.jti, json_string_value(id), size);
    claims->id.issued_unix_s = json_number_value(issued);
    return GZ_OK;
}

/* ---- the user ---- */

static enum gz_status read_user(const json_t *json, struct gz_claims *claims,
                                struct gz_error *error)
{
    const json_t *user = json_object_get(json, "sub");
    size_t size = json_string_length(user);
    if (claims->is_guest) return GZ_OK;
    if (size == 0 || size > GZ_USER_BYTES_MAX)
        return gz_fail(error, GZ_UNAUTHORISED, "token: sub: must be a string of 1 to %d bytes",
                       GZ_USER_BYTES_MAX);
    memcpy(claims->user, json_string_value(user), size);
    const char *fault = gz_user_fault(json_string_value(user), size);
    if (fault != NULL) return gz_fail(error, GZ_UNAUTHORISED, "token: sub: %s", fault);
    if (gz_user_is_guests(claims->user))
        return gz_token_refuse(error, "sub: ends in \"" GZ_GUEST_SUFFIX
                                      "\", which is reserved for guests");
    return GZ_OK;
}

/* A name is only shown: one that is too long is cut at a whole character. */
static enum gz_status read_name(const json_t *json, struct gz_claims *claims,
                                struct gz_error *error)
{
    const json_t *name = json_object_get(json, "name");
    if (name == NULL) return GZ_OK;
    if (!json_is_string(name)) return gz_token_refuse(error, "name: must be a string");
    const char *fault = gz_user_fault(json_string_value(name), json_string_length(name));
    if (fault != NULL) return gz_fail(error, GZ_UNAUTHORISED, "token: name: %s", fault);
    if (!claims->is_guest)
        gz_print(claims->name, sizeof claims->name, "%s", json_string_value(name));
    return GZ_OK;
}

static enum gz_status read_guest(const json_t *json, struct gz_claims *claims,
                                 struct gz_error *error)
{
    const json_t *guest = json_object_get(json, "guest");
    if (guest != NULL && !json_is_boolean(guest))
        return gz_token_refuse(error, "guest: must be true or false");
    claims->is_guest = json_is_true(guest);
    return GZ_OK;
}

/* ---- rights ---- */

static enum gz_status read_role(const json_t *json, struct gz_claims *claims,
                                struct gz_error *error)
{
    const json_t *role = json_object_get(json, "role");
    if (role == NULL) return GZ_OK;
    int value = json_is_string(role) ? gz_vocabulary_value(&gz_role_words, json_string_value(role),
                                                           json_string_length(role))
                                     : -1;
    if (value < 0) return gz_token_refuse(error, "role: must be viewer, editor or admin");
    claims->has_role = true;
    claims->role = (enum gz_role)value;
    return GZ_OK;
}

static enum gz_status read_scenes(const json_t *json, struct gz_claims *claims,
                                  struct gz_error *error)
{
    const json_t *scenes = json_object_get(json, "scenes");
    if (scenes == NULL) {
        strcpy(claims->scenes[claims->scene_count++], "*");
        return GZ_OK;
    }
    if (!json_is_array(scenes) || json_array_size(scenes) > GZ_TOKEN_SCENES_MAX)
        return gz_fail(error, GZ_UNAUTHORISED, "token: scenes: must be a list of at most %d",
                       GZ_TOKEN_SCENES_MAX);
    for (size_t i = 0; i < json_array_size(scenes); i++) {
        const json_t *scene = json_array_get(scenes, i);
        size_t size = json_string_length(scene);
        if (size == 0 || size > GZ_GLOB_BYTES_MAX)
            return gz_fail(error, GZ_UNAUTHORISED,
                           "token: scenes[%zu]: must be a string of 1 to %d bytes", i,
                           GZ_GLOB_BYTES_MAX);
        memcpy(claims->scenes[claims->scene_count++], json_string_value(scene), size);
    }
    return GZ_OK;
}

enum gz_status gz_claims_read(const json_t *json, const char *audience, double now_unix_s,
                              struct gz_claims *claims, struct gz_error *error)
{
    *claims = (struct gz_claims){0};
    enum gz_status status = check_audience(json, audience, error);
    if (status == GZ_OK) status = check_times(json, now_unix_s, claims, error);
    if (status == GZ_OK) status = read_id(json, claims, error);
    if (status == GZ_OK) status = read_guest(json, claims, error);
    if (status == GZ_OK) status = read_user(json, claims, error);
    if (status == GZ_OK) status = read_name(json, claims, error);
    if (status == GZ_OK) status = read_role(json, claims, error);
    if (status == GZ_OK) status = read_scenes(json, claims, error);
    if (status != GZ_OK) *claims = (struct gz_claims){0};
    return status;
}

/* ---- the way back ---- */

static json_t *write_scenes(const struct gz_claims *claims)
{
    json_t *scenes = json_array();
    for (size_t i = 0; i < claims->scene_count; i++)
        if (json_array_append_new(scenes, json_string(claims->scenes[i])) != 0) {
            json_decref(scenes);
            return NULL;
        }
    return scenes;
}

/* Times are whole seconds, the end not before its time: some libraries want integers. */
static bool write_all(json_t *json, const struct gz_claims *claims, const char *audience,
                      double now_unix_s)
{
    int failed = json_object_set_new(json, "aud", json_string(audience));
    failed |= json_object_set_new(json, "iat", json_integer((json_int_t)floor(now_unix_s)));
    failed |=
        json_object_set_new(json, "exp", json_integer((json_int_t)ceil(claims->expires_unix_s)));
    if (claims->id.jti[0] != '\0')
        failed |= json_object_set_new(json, "jti", json_string(claims->id.jti));
    if (claims->user[0] != '\0')
        failed |= json_object_set_new(json, "sub", json_string(claims->user));
    if (claims->name[0] != '\0')
        failed |= json_object_set_new(json, "name", json_string(claims->name));
    if (claims->has_role)
        failed |= json_object_set_new(
            json, "role", json_string(gz_vocabulary_word(&gz_role_words, (int)claims->role)));
    if (claims->is_guest) failed |= json_object_set_new(json, "guest", json_true());
    failed |= json_object_set_new(json, "scenes", write_scenes(claims));
    return failed == 0;
}

json_t *gz_claims_write(const struct gz_claims *claims, const char *audience, double now_unix_s)
{
    json_t *json = json_object();
    if (json != NULL && write_all(json, claims, audience, now_unix_s)) return json;
    json_decref(json);
    return NULL;
}
