/* algorithm.c - signs and verifies by OpenSSL, in the forms that RFC 7518 gives signatures. */
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/rsa.h>
#include <string.h>

#include "proto/token/internal.h"

const struct gz_algorithm gz_algorithms[] = {
    {"HS256", "oct", NULL, "SHA256", false, 0},
    {"RS256", "RSA", NULL, "SHA256", false, 0},
    {"PS256", "RSA", NULL, "SHA256", true, 0},
    {"ES256", "EC", "P-256", "SHA256", false, 32},
    {0},
};

/* An ECDSA signature as OpenSSL writes it: two integers of up to a coordinate in DER. */
#define DER_BYTES_MAX 128

/* In a JWT it is the two integers themselves, each as long as a coordinate. */
static bool write_ecdsa(const uint8_t *der, size_t size, size_t width, uint8_t *signature)
{
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &der, (long)size);
    bool fits = pair != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(pair), signature, (int)width) >= 0 &&
                BN_bn2binpad(ECDSA_SIG_get0_s(pair), signature + width, (int)width) >= 0;
    ECDSA_SIG_free(pair);
    return fits;
}

static bool read_ecdsa(const uint8_t *signature, size_t width, uint8_t der[DER_BYTES_MAX],
                       size_t *size)
{
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, (int)width, NULL);
    BIGNUM *s = BN_bin2bn(signature + width, (int)width, NULL);
    if (pair == NULL || r == NULL || s == NULL) {
        ECDSA_SIG_free(pair);
        BN_free(r);
        BN_free(s);
        return false;
    }
    ECDSA_SIG_set0(pair, r, s);
    int written = i2d_ECDSA_SIG(pair, &der);
    ECDSA_SIG_free(pair);
    *size = written > 0 ? (size_t)written : 0;
    return written > 0;
}

static bool set_padding(const struct gz_algorithm *algorithm, EVP_PKEY_CTX *context)
{
    return !algorithm->is_pss ||
           (EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0 &&
            EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) > 0);
}

static bool sign(const struct gz_key *key, const void *bytes, size_t size, uint8_t *signature,
                 size_t *signature_size)
{
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    EVP_PKEY_CTX *context;
    bool signs = digest != NULL &&
                 EVP_DigestSignInit_ex(digest, &context, key->algorithm->digest, NULL, NULL,
                                       key->pair, NULL) > 0 &&
                 set_padding(key->algorithm, context) &&
                 EVP_DigestSign(digest, signature, signature_size, bytes, size) > 0;
    EVP_MD_CTX_free(digest);
    return signs;
}

bool gz_key_sign(const struct gz_key *key, const void *bytes, size_t size,
                 uint8_t signature[GZ_SIGNATURE_BYTES_MAX], size_t *signature_size)
{
    size_t width = key->algorithm->coordinate_bytes;
    *signature_size = GZ_SIGNATURE_BYTES_MAX;
    if (width == 0) return sign(key, bytes, size, signature, signature_size);
    uint8_t der[DER_BYTES_MAX];
    size_t der_size = sizeof der;
    *signature_size = 2 * width;
    return sign(key, bytes, size, der, &der_size) && write_ecdsa(der, der_size, width, signature);
}

static bool verify_secret(const struct gz_key *key, const void *bytes, size_t size,
                          const uint8_t *signature, size_t signature_size)
{
    uint8_t own[GZ_SIGNATURE_BYTES_MAX];
    size_t own_size;
    return gz_key_sign(key, bytes, size, own, &own_size) && own_size == signature_size &&
           CRYPTO_memcmp(own, signature, own_size) == 0;
}

static bool verify_public(const struct gz_key *key, const void *bytes, size_t size,
                          const uint8_t *signature, size_t signature_size)
{
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    EVP_PKEY_CTX *context;
    bool is_good = digest != NULL &&
                   EVP_DigestVerifyInit_ex(digest, &context, key->algorithm->digest, NULL, NULL,
                                           key->pair, NULL) > 0 &&
                   set_padding(key->algorithm, context) &&
                   EVP_DigestVerify(digest, signature, signature_size, bytes, size) == 1;
    EVP_MD_CTX_free(digest);
    return is_good;
}

bool gz_key_verify(const struct gz_key *key, const void *bytes, size_t size,
                   const uint8_t *signature, size_t signature_size)
{
    if (strcmp(key->algorithm->key_type, "oct") == 0)
        return verify_secret(key, bytes, size, signature, signature_size);
    size_t width = key->algorithm->coordinate_bytes;
    if (width == 0) return verify_public(key, bytes, size, signature, signature_size);
    uint8_t der[DER_BYTES_MAX];
    size_t der_size;
    return signature_size == 2 * width && read_ecdsa(signature, width, der, &der_size) &&
           verify_public(key, bytes, size, der, der_size);
}
