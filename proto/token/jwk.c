/* jwk.c - one key, from its JSON (RFC 7517, 7518) to what OpenSSL signs and verifies with. */
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/param_build.h>
#include <string.h>

#include "proto/token/internal.h"

#define FIELD_BYTES_MAX (GZ_RSA_BITS_MAX / 8)
#define NUMBERS_MAX 8

const struct gz_jwk_number gz_rsa_numbers[] = {
    {"n", OSSL_PKEY_PARAM_RSA_N, false},
    {"e", OSSL_PKEY_PARAM_RSA_E, false},
    {"d", OSSL_PKEY_PARAM_RSA_D, true},
    {"p", OSSL_PKEY_PARAM_RSA_FACTOR1, true},
    {"q", OSSL_PKEY_PARAM_RSA_FACTOR2, true},
    {"dp", OSSL_PKEY_PARAM_RSA_EXPONENT1, true},
    {"dq", OSSL_PKEY_PARAM_RSA_EXPONENT2, true},
    {"qi", OSSL_PKEY_PARAM_RSA_COEFFICIENT1, true},
    {0},
};
const struct gz_jwk_number gz_ec_numbers[] = {
    {"x", OSSL_PKEY_PARAM_EC_PUB_X, false},
    {"y", OSSL_PKEY_PARAM_EC_PUB_Y, false},
    {"d", OSSL_PKEY_PARAM_PRIV_KEY, true},
    {0},
};

/* A key that is being read. */
struct draft {
    const json_t *jwk;
    const char *place;
    OSSL_PARAM_BLD *parameters;
    BIGNUM *numbers[NUMBERS_MAX]; /* the parameters point to them */
    size_t count;
    uint8_t point[1 + 2 * FIELD_BYTES_MAX]; /* the same, of an EC key */
};

static enum gz_status fail_memory(struct gz_error *error)
{
    return gz_fail(error, GZ_NO_MEMORY, "no memory for a key");
}

static enum gz_status read_bytes(const json_t *jwk, const char *place, const char *field,
                                 uint8_t bytes[FIELD_BYTES_MAX], size_t *size,
                                 struct gz_error *error)
{
    const json_t *value = json_object_get(jwk, field);
    if (value == NULL) return gz_fail(error, GZ_BAD_VALUE, "%s.%s: is missing", place, field);
    size_t length = json_string_length(value);
    if (length > GZ_BASE64URL_BYTES(FIELD_BYTES_MAX))
        return gz_fail(error, GZ_BAD_VALUE, "%s.%s: is longer than %d bytes", place, field,
                       FIELD_BYTES_MAX);
    if (length == 0 || !gz_base64url_read(json_string_value(value), length, bytes, size))
        return gz_fail(error, GZ_BAD_VALUE, "%s.%s: is not base64url without padding", place,
                       field);
    return GZ_OK;
}

static enum gz_status add_number(struct draft *draft, const struct gz_jwk_number *number,
                                 struct gz_error *error)
{
    uint8_t bytes[FIELD_BYTES_MAX];
    size_t size;
    enum gz_status status =
        read_bytes(draft->jwk, draft->place, number->field, bytes, &size, error);
    if (status != GZ_OK) return status;
    BIGNUM *big = BN_bin2bn(bytes, (int)size, NULL);
    OPENSSL_cleanse(bytes, sizeof bytes);
    if (big == NULL) return fail_memory(error);
    draft->numbers[draft->count++] = big;
    return OSSL_PARAM_BLD_push_BN(draft->parameters, number->parameter, big) ? GZ_OK
                                                                             : fail_memory(error);
}

/* Adds the private numbers, or the public ones. */
static enum gz_status add_numbers(struct draft *draft, const struct gz_jwk_number *numbers,
                                  bool are_private, struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    for (; status == GZ_OK && numbers->field != NULL; numbers++)
        if (numbers->is_private == are_private) status = add_number(draft, numbers, error);
    return status;
}

static enum gz_status add_coordinate(struct draft *draft, const char *field, size_t width,
                                     uint8_t *to, struct gz_error *error)
{
    uint8_t bytes[FIELD_BYTES_MAX];
    size_t size;
    enum gz_status status = read_bytes(draft->jwk, draft->place, field, bytes, &size, error);
    if (status != GZ_OK) return status;
    if (size != width)
        return gz_fail(error, GZ_BAD_VALUE, "%s.%s: has %zu bytes, not %zu", draft->place, field,
                       size, width);
    memcpy(to, bytes, width);
    return GZ_OK;
}

static enum gz_status add_point(struct draft *draft, const struct gz_algorithm *algorithm,
                                struct gz_error *error)
{
    size_t width = algorithm->coordinate_bytes;
    draft->point[0] = POINT_CONVERSION_UNCOMPRESSED;
    enum gz_status status = add_coordinate(draft, "x", width, draft->point + 1, error);
    if (status == GZ_OK)
        status = add_coordinate(draft, "y", width, draft->point + 1 + width, error);
    if (status != GZ_OK) return status;
    return OSSL_PARAM_BLD_push_utf8_string(draft->parameters, OSSL_PKEY_PARAM_GROUP_NAME,
                                           algorithm->curve, 0) &&
                   OSSL_PARAM_BLD_push_octet_string(draft->parameters, OSSL_PKEY_PARAM_PUB_KEY,
                                                    draft->point, 1 + 2 * width)
               ? GZ_OK
               : fail_memory(error);
}

static enum gz_status fail_numbers(const struct gz_key *key, const char *place,
                                   struct gz_error *error)
{
    return gz_fail(error, GZ_BAD_VALUE, "%s: not a valid %s key", place, key->algorithm->key_type);
}

/* Hands the parameters to OpenSSL. */
static enum gz_status build(struct draft *draft, struct gz_key *key, struct gz_error *error)
{
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(draft->parameters);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, key->algorithm->key_type, NULL);
    bool takes = parameters != NULL && context != NULL && EVP_PKEY_fromdata_init(context) > 0 &&
                 EVP_PKEY_fromdata(context, &key->pair, EVP_PKEY_KEYPAIR, parameters) > 0;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    return takes ? GZ_OK : fail_numbers(key, draft->place, error);
}

/* With an exponent of 1 anybody could sign. */
static bool has_good_exponent(const struct gz_key *key)
{
    BIGNUM *exponent = NULL;
    const bool is_good = EVP_PKEY_get_bn_param(key->pair, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1 &&
                         BN_is_odd(exponent) && !BN_is_one(exponent) &&
                         BN_num_bits(exponent) <= GZ_RSA_EXPONENT_BITS_MAX;
    BN_free(exponent);
    return is_good;
}

static enum gz_status check_size(const struct gz_key *key, const char *place,
                                 struct gz_error *error)
{
    int bits = EVP_PKEY_get_bits(key->pair);
    if (bits < GZ_RSA_BITS_MIN || bits > GZ_RSA_BITS_MAX)
        return gz_fail(error, GZ_BAD_VALUE, "%s.n: has %d bits; %d to %d are supported", place,
                       bits, GZ_RSA_BITS_MIN, GZ_RSA_BITS_MAX);
    return has_good_exponent(key)
               ? GZ_OK
               : gz_fail(error, GZ_BAD_VALUE,
                         "%s.e: must be an odd number from 3 on, of %d bits at most", place,
                         GZ_RSA_EXPONENT_BITS_MAX);
}

static enum gz_status check_public(const struct gz_key *key, const char *place,
                                   struct gz_error *error)
{
    EVP_PKEY_CTX *check = EVP_PKEY_CTX_new_from_pkey(NULL, key->pair, NULL);
    bool holds = check != NULL && EVP_PKEY_public_check(check) > 0;
    EVP_PKEY_CTX_free(check);
    return holds ? GZ_OK : fail_numbers(key, place, error);
}

/* A private part of another key would make signatures that do not verify. */
static enum gz_status check_pair(const struct gz_key *key, const char *place,
                                 struct gz_error *error)
{
    static const char probe[] = "gizmod";
    uint8_t signature[GZ_SIGNATURE_BYTES_MAX];
    size_t size;
    return gz_key_sign(key, probe, sizeof probe, signature, &size) &&
                   gz_key_verify(key, probe, sizeof probe, signature, size)
               ? GZ_OK
               : gz_fail(error, GZ_BAD_VALUE, "%s.d: does not belong to its public part", place);
}

static enum gz_status fill(struct draft *draft, struct gz_key *key, struct gz_error *error)
{
    bool is_rsa = key->algorithm->curve == NULL;
    draft->parameters = OSSL_PARAM_BLD_new();
    if (draft->parameters == NULL) return fail_memory(error);
    enum gz_status status = is_rsa ? add_numbers(draft, gz_rsa_numbers, false, error)
                                   : add_point(draft, key->algorithm, error);
    if (status == GZ_OK && key->can_sign)
        status = add_numbers(draft, is_rsa ? gz_rsa_numbers : gz_ec_numbers, true, error);
    if (status == GZ_OK) status = build(draft, key, error);
    if (status == GZ_OK && is_rsa) status = check_size(key, draft->place, error);
    if (status == GZ_OK) status = check_public(key, draft->place, error);
    return status == GZ_OK && key->can_sign ? check_pair(key, draft->place, error) : status;
}

static enum gz_status read_pair(const json_t *jwk, const char *place, struct gz_key *key,
                                struct gz_error *error)
{
    struct draft draft = {.jwk = jwk, .place = place};
    key->can_sign = json_object_get(jwk, "d") != NULL;
    enum gz_status status = fill(&draft, key, error);
    OSSL_PARAM_BLD_free(draft.parameters);
    for (size_t i = 0; i < draft.count; i++) BN_clear_free(draft.numbers[i]);
    return status;
}

static enum gz_status read_secret(const json_t *jwk, const char *place, struct gz_key *key,
                                  struct gz_error *error)
{
    uint8_t secret[FIELD_BYTES_MAX];
    size_t size;
    enum gz_status status = read_bytes(jwk, place, "k", secret, &size, error);
    if (status != GZ_OK) return status;
    if (size < GZ_SECRET_BYTES_MIN)
        return gz_fail(error, GZ_BAD_VALUE, "%s.k: has %zu bytes; at least %d are needed", place,
                       size, GZ_SECRET_BYTES_MIN);
    key->can_sign = true;
    key->pair = EVP_PKEY_new_raw_private_key(EVP_PKEY_HMAC, NULL, secret, size);
    OPENSSL_cleanse(secret, sizeof secret);
    return key->pair != NULL ? GZ_OK : fail_memory(error);
}

enum gz_status gz_jwk_read(const json_t *jwk, const char *place, struct gz_key *key,
                           struct gz_error *error)
{
    enum gz_status status = strcmp(key->algorithm->key_type, "oct") == 0
                                ? read_secret(jwk, place, key, error)
                                : read_pair(jwk, place, key, error);
    if (status == GZ_OK) return GZ_OK;
    EVP_PKEY_free(key->pair);
    key->pair = NULL;
    return status;
}
