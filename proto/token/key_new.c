/* key_new.c - makes new keys, and copies keys without their private fields. */
#include <openssl/ec.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/token/internal.h"
#include "proto/token/keys.h"

#define RSA_BITS_NEW 3072 /* required by NIST SP 800-57 after 2030 */
#define ID_RANDOM_BYTES 4

static bool add_bytes(json_t *jwk, const char *field, uint8_t *bytes, size_t size)
{
    char text[GZ_BASE64URL_BYTES(GZ_RSA_BITS_MAX / 8)];
    size_t length = gz_base64url_write(bytes, size, text);
    OPENSSL_cleanse(bytes, size);
    bool is_there = json_object_set_new(jwk, field, json_stringn(text, length)) == 0;
    OPENSSL_cleanse(text, sizeof text);
    return is_there;
}

static bool add_number(json_t *jwk, const EVP_PKEY *pair, const struct gz_jwk_number *number,
                       size_t coordinate_bytes)
{
    BIGNUM *big = NULL;
    uint8_t bytes[GZ_RSA_BITS_MAX / 8];
    if (!EVP_PKEY_get_bn_param(pair, number->parameter, &big)) return false;
    size_t size = coordinate_bytes > 0 ? coordinate_bytes : (size_t)BN_num_bytes(big);
    int written = BN_bn2binpad(big, bytes, (int)size);
    BN_clear_free(big);
    return written >= 0 && add_bytes(jwk, number->field, bytes, size);
}

static bool add_pair(json_t *jwk, const struct gz_algorithm *algorithm)
{
    bool is_rsa = algorithm->curve == NULL;
    EVP_PKEY *pair = is_rsa ? EVP_RSA_gen(RSA_BITS_NEW) : EVP_EC_gen(algorithm->curve);
    const struct gz_jwk_number *number = is_rsa ? gz_rsa_numbers : gz_ec_numbers;
    bool is_there = pair != NULL;
    for (; is_there && number->field != NULL; number++)
        is_there = add_number(jwk, pair, number, algorithm->coordinate_bytes);
    EVP_PKEY_free(pair);
    if (is_there && !is_rsa)
        is_there = json_object_set_new(jwk, "crv", json_string(algorithm->curve)) == 0;
    return is_there;
}

static bool add_secret(json_t *jwk)
{
    uint8_t secret[GZ_SECRET_BYTES_MIN];
    return RAND_bytes(secret, sizeof secret) == 1 && add_bytes(jwk, "k", secret, sizeof secret);
}

/* "20260131-5f3a90c2": the day, to find old keys by, and random digits. */
static bool add_id(json_t *jwk, double now_unix_s)
{
    uint8_t random[ID_RANDOM_BYTES];
    char text[64];
    time_t now = (time_t)now_unix_s;
    struct tm day;
    if (RAND_bytes(random, sizeof random) != 1 || gmtime_r(&now, &day) == NULL) return false;
    size_t used = strftime(text, sizeof text, "%Y%m%d-", &day);
    for (size_t i = 0; i < sizeof random; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%02x", random[i]);
    return json_object_set_new(jwk, "kid", json_string(text)) == 0;
}

/* A new JWK; NULL if OpenSSL fails, or without memory. */
static json_t *make_key(const struct gz_algorithm *algorithm, double now_unix_s)
{
    json_t *jwk = json_pack("{s:s, s:s, s:s}", "kty", algorithm->key_type, "alg", algorithm->name,
                            "use", "sig");
    if (jwk != NULL && add_id(jwk, now_unix_s) &&
        (strcmp(algorithm->key_type, "oct") == 0 ? add_secret(jwk) : add_pair(jwk, algorithm)))
        return jwk;
    json_decref(jwk);
    return NULL;
}

/* ---- files ---- */

/* Takes over the reference. Writes into memory that is allocated, because jansson may leave out a
 * name without memory. */
static enum gz_status write_set(json_t *set, struct gz_buffer *text, struct gz_error *error)
{
    size_t size = set != NULL ? json_dumpb(set, NULL, 0, JSON_INDENT(2)) : 0;
    bool fits = size > 0 && gz_buffer_reserve(text, size + 1) == GZ_OK &&
                json_dumpb(set, (char *)text->data + text->size, size, JSON_INDENT(2)) == size;
    if (fits) {
        text->size += size;
        text->data[text->size++] = '\n';
    }
    json_decref(set);
    return fits ? GZ_OK : gz_fail(error, GZ_NO_MEMORY, "no memory for keys");
}

/* Reads the set, and checks that its keys can be used. */
static enum gz_status read_set(const char *json, size_t size, json_t **set, struct gz_error *error)
{
    struct gz_keys *keys;
    *set = NULL;
    enum gz_status status = gz_keys_read(json, size, &keys, error);
    if (status != GZ_OK) return status;
    gz_keys_destroy(keys);
    json_error_t where;
    *set = gz_json_read(json, size, &where);
    return *set != NULL ? GZ_OK : gz_fail(error, GZ_NO_MEMORY, "no memory for keys");
}

static const struct gz_algorithm *find_algorithm(const char *name)
{
    const struct gz_algorithm *row = gz_algorithms;
    while (row->name != NULL && strcmp(row->name, name) != 0) row++;
    return row->name != NULL ? row : NULL;
}

static enum gz_status insert_key(json_t *set, const struct gz_algorithm *algorithm,
                                 double now_unix_s, struct gz_error *error)
{
    json_t *list = json_object_get(set, "keys");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_object_get(json_array_get(list, i), "kid") == NULL)
            return gz_fail(error, GZ_BAD_VALUE,
                           "keys[%zu].kid: missing, and several keys need one each", i);
    if (json_array_size(list) >= GZ_KEYS_MAX)
        return gz_fail(error, GZ_TOO_MANY, "keys: there are %d; remove some that are not used",
                       GZ_KEYS_MAX);
    return json_array_insert_new(list, 0, make_key(algorithm, now_unix_s)) == 0
               ? GZ_OK
               : gz_fail(error, GZ_INTERNAL, "OpenSSL did not make a key");
}

enum gz_status gz_keys_add(const char *json, size_t size, const char *algorithm, double now_unix_s,
                           struct gz_buffer *text, struct gz_error *error)
{
    json_t *set = NULL;
    const struct gz_algorithm *row = find_algorithm(algorithm);
    if (row == NULL)
        return gz_fail(error, GZ_BAD_VALUE, "\"%s\" is not one of HS256, RS256, PS256, ES256",
                       algorithm);
    enum gz_status status = GZ_OK;
    if (json == NULL)
        set = json_pack("{s:[]}", "keys");
    else
        status = read_set(json, size, &set, error);
    if (status == GZ_OK) status = insert_key(set, row, now_unix_s, error);
    if (status == GZ_OK) return write_set(set, text, error);
    json_decref(set);
    return status;
}

/* A copy without its private fields; NULL without memory. */
static json_t *copy_public(const json_t *jwk)
{
    static const char *const fields[] = {"kty", "use", "key_ops", "alg", "kid",
                                         "crv", "x",   "y",       "n",   "e"};
    json_t *copy = json_object();
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        json_t *value = json_object_get(jwk, fields[i]);
        if (value == NULL || json_object_set(copy, fields[i], value) == 0) continue;
        json_decref(copy);
        return NULL;
    }
    return copy;
}

/* The same of a list, without secret keys. */
static json_t *copy_list(const json_t *list)
{
    json_t *copy = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *jwk = json_array_get(list, i);
        const char *type = json_string_value(json_object_get(jwk, "kty"));
        if (type == NULL || strcmp(type, "oct") == 0) continue;
        if (json_array_append_new(copy, copy_public(jwk)) == 0) continue;
        json_decref(copy);
        return NULL;
    }
    return copy;
}

enum gz_status gz_keys_publish(const char *json, size_t size, struct gz_buffer *text,
                               struct gz_error *error)
{
    json_t *set;
    enum gz_status status = read_set(json, size, &set, error);
    if (status != GZ_OK) return status;
    json_t *list = copy_list(json_object_get(set, "keys"));
    json_decref(set);
    if (list == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for keys");
    if (json_array_size(list) > 0) return write_set(json_pack("{s:o}", "keys", list), text, error);
    json_decref(list);
    return gz_fail(error, GZ_BAD_VALUE, "keys: all are secrets, which have no public part");
}
