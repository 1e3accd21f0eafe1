/* Data URIs in base64: bytes in the JSON itself. */
#include "exchange/internal.h"

#include <stdlib.h>
#include <string.h>

/* RFC 2397 with RFC 4648's base64, padded or not, which is what glTF embeds its buffers and images
 * with. */
static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int digit_value(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool gz_uri_is_data(const char *uri)
{
    return strncmp(uri, "data:", 5) == 0;
}

/* The digits of a base64 data URI without their padding; NULL if it is no such URI. */
static const char *find_digits(const char *uri, size_t *count)
{
    const char *comma = strchr(uri, ',');
    if (!gz_uri_is_data(uri) || comma == NULL || comma - uri < 12 ||
        memcmp(comma - 7, ";base64", 7) != 0)
        return NULL;
    const char *digits = comma + 1;
    size_t size = strlen(digits);
    size_t padding = 0;
    while (padding < 2 && size > padding && digits[size - padding - 1] == '=') padding++;
    *count = size - padding;
    bool whole = padding == 0 ? *count % 4 != 1 : size % 4 == 0;
    return whole ? digits : NULL;
}

enum gz_status gz_data_uri_decode(const char *uri, uint8_t **bytes, size_t *size)
{
    size_t count;
    const char *digits = find_digits(uri, &count);
    if (digits == NULL) return GZ_BAD_VALUE;
    *size = count / 4 * 3 + (count % 4 > 0 ? count % 4 - 1 : 0);
    uint8_t *out = malloc(*size + 1);
    if (out == NULL) return GZ_NO_MEMORY;
    uint32_t held = 0;
    size_t written = 0;
    for (size_t i = 0; i < count; i++) {
        int value = digit_value(digits[i]);
        if (value < 0) {
            free(out);
            return GZ_BAD_VALUE;
        }
        held = held << 6 | (uint32_t)value;
        if (i % 4 != 0) out[written++] = (uint8_t)(held >> (6 - 2 * (i % 4)));
    }
    *bytes = out;
    return GZ_OK;
}

static void encode_digits(char *out, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group = (uint32_t)bytes[i] << 16;
        if (left > 1) group |= (uint32_t)bytes[i + 1] << 8;
        if (left > 2) group |= bytes[i + 2];
        *out++ = alphabet[group >> 18];
        *out++ = alphabet[group >> 12 & 63];
        *out++ = left > 1 ? alphabet[group >> 6 & 63] : '=';
        *out++ = left > 2 ? alphabet[group & 63] : '=';
    }
}

json_t *gz_data_uri_encode(const char *media_type, const uint8_t *bytes, size_t size)
{
    size_t digits = (size + 2) / 3 * 4;
    size_t head = strlen("data:") + strlen(media_type) + strlen(";base64,");
    char *uri = malloc(head + digits + 1);
    if (uri == NULL) return NULL;
    (void)stpcpy(stpcpy(stpcpy(uri, "data:"), media_type), ";base64,");
    encode_digits(uri + head, bytes, size);
    json_t *string = json_stringn_nocheck(uri, head + digits);
    free(uri);
    return string;
}
