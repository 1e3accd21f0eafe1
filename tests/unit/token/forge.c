/* forge.c - tokens for tests, by OpenSSL's own base64 and HMAC. */
#include "forge.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka.h"

static void swap_quotes(char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\'') text[i] = '"';
}

const char *quoted(const char *text)
{
    static char copies[8][FORGED_BYTES_MAX];
    static unsigned next;
    char *copy = copies[next++ % 8];
    size_t size = strlen(text);
    assert_true(size < FORGED_BYTES_MAX);
    memcpy(copy, text, size + 1);
    swap_quotes(copy, size);
    return copy;
}

struct forged encoded(const void *bytes, size_t size)
{
    struct forged text = {0};
    assert_true(size * 4 / 3 + 8 < sizeof text.text);
    int length = EVP_EncodeBlock((unsigned char *)text.text, bytes, (int)size);
    while (length > 0 && text.text[length - 1] == '=') text.text[--length] = '\0';
    for (int i = 0; i < length; i++) {
        if (text.text[i] == '+') text.text[i] = '-';
        if (text.text[i] == '/') text.text[i] = '_';
    }
    return text;
}

static struct forged encoded_quotes(const void *bytes, size_t size)
{
    char copy[FORGED_BYTES_MAX];
    assert_true(size < sizeof copy);
    memcpy(copy, bytes, size);
    swap_quotes(copy, size);
    return encoded(copy, size);
}

struct forged forged_with(const void *head, size_t head_size, const void *claims,
                          size_t claims_size, const void *secret, size_t secret_size)
{
    static struct forged token;
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned mac_size;
    struct forged first = encoded_quotes(head, head_size);
    struct forged second = encoded_quotes(claims, claims_size);
    int size = snprintf(token.text, sizeof token.text, "%s.%s", first.text, second.text);
    assert_non_null(HMAC(EVP_sha256(), secret, (int)secret_size, (const unsigned char *)token.text,
                         (size_t)size, mac, &mac_size));
    struct forged signature = encoded(mac, mac_size);
    size += snprintf(token.text + size, sizeof token.text - (size_t)size, ".%s", signature.text);
    assert_true((size_t)size < sizeof token.text);
    return token;
}

struct forged forged(const char *head, const char *claims)
{
    return forged_with(head, strlen(head), claims, strlen(claims), FORGED_SECRET,
                       strlen(FORGED_SECRET));
}

struct gz_text forged_text(const struct forged *token)
{
    return (struct gz_text){token->text, strlen(token->text)};
}

struct gz_keys *forged_keys(const char *json)
{
    struct gz_keys *keys;
    struct gz_error error = {0};
    const char *text = quoted(json);
    if (gz_keys_read(text, strlen(text), &keys, &error) != GZ_OK) fail_msg("%s", error.message);
    return keys;
}

char *file_text(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) fail_msg("%s is not there", path);
    char *text = malloc(GZ_KEYS_BYTES_MAX);
    assert_non_null(text);
    *size = fread(text, 1, GZ_KEYS_BYTES_MAX - 1, file);
    text[*size] = '\0';
    fclose(file);
    return text;
}
