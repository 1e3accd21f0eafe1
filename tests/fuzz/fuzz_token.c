/* fuzz_token.c - any bytes as a token, as the parts of one that is signed well, and as a file of
 * keys: the first byte says which. What is taken keeps its bounds, and can be signed and taken
 * again. */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/token/token.h"

#define NOW 1.8e9
#define SECRET "0123456789abcdef0123456789abcdef"
#define KEYS "{\"keys\":[{\"kty\":\"oct\",\"k\":\"MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY\"}]}"

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_taken(const struct gz_keys *keys, const struct gz_claims *claims)
{
    char token[GZ_TOKEN_BYTES_MAX + 1];
    struct gz_claims again;
    require(memchr(claims->user, 0, sizeof claims->user) != NULL);
    require(memchr(claims->name, 0, sizeof claims->name) != NULL);
    require(claims->is_guest == (claims->user[0] == '\0'));
    require(claims->scene_count <= GZ_TOKEN_SCENES_MAX && claims->role < GZ_ROLE_COUNT);
    if (gz_token_sign(keys, "gizmod", claims, NOW, token, NULL) != GZ_OK) return;
    struct gz_text text = {token, strlen(token)};
    require(gz_token_verify(keys, "gizmod", text, NOW, &again, NULL) == GZ_OK);
    require(strcmp(again.user, claims->user) == 0 && again.scene_count == claims->scene_count);
}

static void verify(const struct gz_keys *keys, const char *text, size_t size)
{
    struct gz_claims claims;
    struct gz_error error = {.message = ""};
    enum gz_status status =
        gz_token_verify(keys, "gizmod", (struct gz_text){text, size}, NOW, &claims, &error);
    require(ERR_peek_error() == 0);
    if (status == GZ_OK)
        check_taken(keys, &claims);
    else
        require(status == GZ_UNAUTHORISED && error.message[0] != '\0');
}

static size_t encode(const void *bytes, size_t size, char *text)
{
    size_t length = (size_t)EVP_EncodeBlock((unsigned char *)text, bytes, (int)size);
    while (length > 0 && text[length - 1] == '=') length--;
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
    return length;
}

/* The bytes up to the first NUL are the head, what follows the claims. */
static void verify_signed(const struct gz_keys *keys, const uint8_t *data, size_t size)
{
    static char text[3 * GZ_TOKEN_BYTES_MAX];
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned mac_size;
    const uint8_t *end = memchr(data, 0, size);
    if (end == NULL || size > GZ_TOKEN_BYTES_MAX) return;
    size_t head = (size_t)(end - data), used = encode(data, head, text);
    text[used++] = '.';
    used += encode(end + 1, size - head - 1, text + used);
    require(HMAC(EVP_sha256(), SECRET, sizeof SECRET - 1, (unsigned char *)text, used, mac,
                 &mac_size) != NULL);
    text[used++] = '.';
    verify(keys, text, used + encode(mac, mac_size, text + used));
}

static void read_keys(const char *text, size_t size)
{
    struct gz_keys *keys;
    struct gz_error error = {.message = ""};
    enum gz_status status = gz_keys_read(text, size, &keys, &error);
    require((status == GZ_OK) == (keys != NULL));
    require(status == GZ_OK || error.message[0] != '\0');
    require(ERR_peek_error() == 0);
    gz_keys_destroy(keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct gz_keys *keys;
    if (keys == NULL) require(gz_keys_read(KEYS, sizeof KEYS - 1, &keys, NULL) == GZ_OK);
    if (size == 0) return 0;
    switch (data[0] % 3) {
    case 0: verify(keys, (const char *)data + 1, size - 1); break;
    case 1: verify_signed(keys, data + 1, size - 1); break;
    default: read_keys((const char *)data + 1, size - 1);
    }
    return 0;
}
