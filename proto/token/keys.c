/* keys.c - reads a file of keys, and finds those that are for tokens. */
#include "proto/token/keys.h"

#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/file.h"
#include "proto/token/internal.h"

#define PLACE_BYTES 32

static bool is_text(const json_t *json, const char *text)
{
    return json_is_string(json) && strcmp(json_string_value(json), text) == 0;
}

/* Whether the key may sign or verify, by its `use` and `key_ops`. */
static bool is_for_signatures(const json_t *jwk)
{
    const json_t *use = json_object_get(jwk, "use"), *operations = json_object_get(jwk, "key_ops");
    if (use != NULL && !is_text(use, "sig")) return false;
    if (operations == NULL) return true;
    for (size_t i = 0; i < json_array_size(operations); i++) {
        const json_t *operation = json_array_get(operations, i);
        if (is_text(operation, "sign") || is_text(operation, "verify")) return true;
    }
    return false;
}

/* The key's one algorithm; NULL for a key that is not for tokens. */
static const struct gz_algorithm *find_algorithm(const json_t *jwk)
{
    if (!is_for_signatures(jwk)) return NULL;
    const json_t *name = json_object_get(jwk, "alg");
    for (const struct gz_algorithm *row = gz_algorithms; row->name != NULL; row++)
        if (is_text(json_object_get(jwk, "kty"), row->key_type) &&
            (row->curve == NULL || is_text(json_object_get(jwk, "crv"), row->curve)) &&
            (name == NULL || is_text(name, row->name)))
            return row;
    return NULL;
}

static enum gz_status read_id(const json_t *jwk, const char *place, struct gz_key *key,
                              struct gz_error *error)
{
    const json_t *id = json_object_get(jwk, "kid");
    if (id == NULL) return GZ_OK;
    size_t size = json_string_length(id);
    if (size == 0 || size > GZ_KEY_ID_BYTES_MAX)
        return gz_fail(error, GZ_BAD_VALUE, "%s.kid: must be a string of 1 to %d bytes", place,
                       GZ_KEY_ID_BYTES_MAX);
    memcpy(key->id, json_string_value(id), size);
    return GZ_OK;
}

static enum gz_status add_key(struct gz_keys *keys, const json_t *jwk, const char *place,
                              struct gz_error *error)
{
    if (!json_is_object(jwk)) return gz_fail(error, GZ_BAD_VALUE, "%s: must be an object", place);
    struct gz_key key = {.algorithm = find_algorithm(jwk)};
    if (key.algorithm == NULL) return GZ_OK;
    if (keys->count == GZ_KEYS_MAX)
        return gz_fail(error, GZ_TOO_MANY, "keys: more than %d", GZ_KEYS_MAX);
    enum gz_status status = read_id(jwk, place, &key, error);
    if (status == GZ_OK) status = gz_jwk_read(jwk, place, &key, error);
    if (status == GZ_OK) keys->items[keys->count++] = key;
    return status;
}

/* A token names its key by `kid`: only a key that is alone needs none. */
static enum gz_status check_ids(const struct gz_keys *keys, struct gz_error *error)
{
    for (size_t i = 0; keys->count > 1 && i < keys->count; i++) {
        if (keys->items[i].id[0] == '\0')
            return gz_fail(error, GZ_BAD_VALUE,
                           "keys: one has no kid, and several keys need one each");
        for (size_t other = 0; other < i; other++)
            if (strcmp(keys->items[i].id, keys->items[other].id) == 0)
                return gz_fail(error, GZ_BAD_VALUE, "keys: two of them have the kid \"%s\"",
                               keys->items[i].id);
    }
    return GZ_OK;
}

static enum gz_status add_keys(struct gz_keys *keys, const json_t *list, struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    for (size_t i = 0; status == GZ_OK && i < json_array_size(list); i++) {
        char place[PLACE_BYTES];
        snprintf(place, sizeof place, "keys[%zu]", i);
        status = add_key(keys, json_array_get(list, i), place, error);
    }
    if (status == GZ_OK && keys->count == 0)
        status =
            gz_fail(error, GZ_BAD_VALUE, "keys: none of them is for HS256, RS256, PS256 or ES256");
    return status == GZ_OK ? check_ids(keys, error) : status;
}

static enum gz_status read_set(const json_t *set, struct gz_keys **keys, struct gz_error *error)
{
    const json_t *list = json_object_get(set, "keys");
    if (!json_is_array(list))
        return gz_fail(error, GZ_BAD_VALUE, "keys: must be a list; the file must be a JWKS");
    *keys = calloc(1, sizeof **keys);
    if (*keys == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for keys");
    ERR_set_mark();
    enum gz_status status = add_keys(*keys, list, error);
    ERR_pop_to_mark();
    if (status == GZ_OK) return GZ_OK;
    gz_keys_destroy(*keys);
    *keys = NULL;
    return status;
}

enum gz_status gz_keys_read(const char *json, size_t size, struct gz_keys **keys,
                            struct gz_error *error)
{
    *keys = NULL;
    json_error_t where;
    json_t *set = gz_json_read(json, size, &where);
    /* jansson's message would show a part of the keys. */
    if (set == NULL && json_error_code(&where) == json_error_out_of_memory)
        return gz_fail(error, GZ_NO_MEMORY, "no memory for keys");
    if (set == NULL)
        return gz_fail(error, GZ_BAD_VALUE, "is not JSON: line %d, column %d", where.line,
                       where.column);
    enum gz_status status = read_set(set, keys, error);
    json_decref(set);
    return status;
}

/* ---- the file ---- */

enum gz_status gz_keys_load(const char *path, struct gz_keys **keys, struct gz_error *error)
{
    struct gz_error inner = {0};
    struct gz_file file;
    *keys = NULL;
    enum gz_status status = gz_file_read(path, GZ_KEYS_BYTES_MAX, &file, &inner);
    if (status == GZ_OK) status = gz_keys_read(file.bytes, file.size, keys, &inner);
    if (file.bytes != NULL) OPENSSL_cleanse(file.bytes, file.size);
    free(file.bytes);
    if (status != GZ_OK) return gz_fail(error, status, "%s: %s", path, inner.message);
    (*keys)->are_exposed = (file.mode & (S_IWGRP | S_IWOTH)) != 0 ||
                           (gz_keys_can_sign(*keys) && (file.mode & S_IROTH) != 0);
    return GZ_OK;
}

void gz_keys_destroy(struct gz_keys *keys)
{
    for (size_t i = 0; keys != NULL && i < keys->count; i++) EVP_PKEY_free(keys->items[i].pair);
    free(keys);
}

bool gz_keys_can_sign(const struct gz_keys *keys)
{
    for (size_t i = 0; i < keys->count; i++)
        if (keys->items[i].can_sign) return true;
    return false;
}

bool gz_keys_are_exposed(const struct gz_keys *keys)
{
    return keys->are_exposed;
}
