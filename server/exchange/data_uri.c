/* Data URIs: bytes in the JSON itself. */
#include "exchange/internal.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* RFC 2397 with RFC 4648's base64, as browsers read it: letters of either case in the scheme and in
 * "base64", parameters of any kind, percent escapes, blanks, padding or none. */
static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int digit_value(uint8_t c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool gz_uri_is_data(struct gz_json_text uri)
{
    return uri.size >= 5 && strncasecmp(uri.at, "data:", 5) == 0;
}

static bool is_base64(const char *head, size_t size)
{
    static const char word[] = ";base64";
    while (size > 0 && head[size - 1] == ' ') size--;
    size_t length = sizeof word - 1;
    return size >= length && strncasecmp(head + size - length, word, length) == 0;
}

/* Decodes the digits where they stand; the size of the bytes is at most theirs. False if they are
 * no base64. */
static bool decode_digits(uint8_t *bytes, size_t *size)
{
    size_t count = 0, written = 0, padding = 0;
    for (size_t i = 0; i < *size; i++) {
        if (strchr(" \t\r\n\f", bytes[i]) == NULL || bytes[i] == '\0') bytes[count++] = bytes[i];
    }
    while (padding < 2 && count > padding && bytes[count - padding - 1] == '=') padding++;
    if (padding > 0 && count % 4 != 0) return false;
    count -= padding;
    if (count % 4 == 1) return false;
    uint32_t held = 0;
    for (size_t i = 0; i < count; i++) {
        int value = digit_value(bytes[i]);
        if (value < 0) return false;
        held = held << 6 | (uint32_t)value;
        if (i % 4 != 0) bytes[written++] = (uint8_t)(held >> (6 - 2 * (i % 4)));
    }
    *size = written;
    return true;
}

enum gz_status gz_data_uri_decode(struct gz_json_text uri, uint8_t **bytes, size_t *size)
{
    const char *comma = uri.size > 0 ? memchr(uri.at, ',', uri.size) : NULL;
    if (!gz_uri_is_data(uri) || comma == NULL) return GZ_BAD_VALUE;
    const char *head = uri.at + 5, *end = uri.at + uri.size;
    uint8_t *out = malloc((size_t)(end - comma) + 1);
    if (out == NULL) return GZ_NO_MEMORY;
    *size = gz_percent_decode((char *)out, comma + 1, (size_t)(end - comma) - 1);
    if (is_base64(head, (size_t)(comma - head)) && !decode_digits(out, size)) {
        free(out);
        return GZ_BAD_VALUE;
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

struct gz_json *gz_data_uri_encode(struct gz_json_document *document, const char *media_type,
                                   const uint8_t *bytes, size_t size)
{
    size_t digits = (size + 2) / 3 * 4;
    size_t head = strlen("\"data:") + strlen(media_type) + strlen(";base64,");
    char *quoted = gz_arena_take(&document->arena, head + digits + 2, 1);
    if (quoted == NULL) return NULL;
    (void)stpcpy(stpcpy(stpcpy(quoted, "\"data:"), media_type), ";base64,");
    encode_digits(quoted + head, bytes, size);
    quoted[head + digits] = '"';
    return gz_json_adopt(document, quoted, head + digits + 1);
}
