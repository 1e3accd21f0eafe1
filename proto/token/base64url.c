/* base64url.c - bytes as text for a URL; only the one canonical spelling is accepted. */
#include "proto/token/internal.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static int digit_value(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

bool gz_base64url_read(const char *text, size_t size, uint8_t *bytes, size_t *count)
{
    uint32_t bits = 0;
    unsigned left = 0;
    *count = 0;
    for (size_t i = 0; i < size; i++) {
        int value = digit_value(text[i]);
        if (value < 0) return false;
        bits = bits << 6 | (uint32_t)value;
        left += 6;
        if (left < 8) continue;
        left -= 8;
        bytes[(*count)++] = (uint8_t)(bits >> left);
    }
    return size % 4 != 1 && (bits & ((1u << left) - 1)) == 0;
}

size_t gz_base64url_write(const uint8_t *bytes, size_t size, char *text)
{
    uint32_t bits = 0;
    unsigned left = 0;
    size_t count = 0;
    for (size_t i = 0; i < size; i++) {
        bits = bits << 8 | bytes[i];
        for (left += 8; left >= 6; left -= 6) text[count++] = digits[bits >> (left - 6) & 63];
    }
    if (left > 0) text[count++] = digits[bits << (6 - left) & 63];
    return count;
}
