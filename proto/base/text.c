/* text.c - whether bytes are text, and whether a name matches a pattern. */
#include "proto/base/text.h"

#include <stdint.h>
#include <string.h>

/* By the table of the Unicode standard: no overlong forms, no surrogates, nothing beyond
 * U+10FFFF. */
size_t gz_text_character(const char *bytes, size_t left)
{
    const unsigned char *at = (const unsigned char *)bytes;
    unsigned char first = at[0];
    if (first < 0x80) return 1;
    size_t size = first >= 0xc2 && first <= 0xdf   ? 2
                  : (first & 0xf0) == 0xe0         ? 3
                  : first >= 0xf0 && first <= 0xf4 ? 4
                                                   : 0;
    if (size == 0 || size > left) return 0;
    unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < low || at[1] > high) return 0;
    for (size_t i = 2; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
    }
    return size;
}

/* Whether the next eight bytes are ASCII. */
static bool are_ascii(const char *at)
{
    uint64_t eight;
    memcpy(&eight, at, sizeof eight);
    return (eight & UINT64_C(0x8080808080808080)) == 0;
}

bool gz_text_is_utf8(const char *bytes, size_t size)
{
    while (size > 0) {
        const size_t step = size >= 8 && are_ascii(bytes) ? 8 : gz_text_character(bytes, size);
        if (step == 0) return false;
        bytes += step;
        size -= step;
    }
    return true;
}

bool gz_text_valid(const char *bytes, size_t size)
{
    return size == 0 || (memchr(bytes, '\0', size) == NULL && gz_text_is_utf8(bytes, size));
}

/* ---- patterns ---- */

/* Matching goes back to the last star alone: what an earlier star took needs no other try, because
 * the later one can take whatever follows. */

/* The next character of a terminated text that is not at its end. */
static const char *next_character(const char *text)
{
    do text++;
    while (((unsigned char)*text & 0xC0) == 0x80);
    return text;
}

bool gz_glob_matches(const char *pattern, const char *text)
{
    const char *after_star = NULL, *star_end = NULL;
    while (*text != '\0') {
        if (*pattern == '*') {
            after_star = ++pattern;
            star_end = text;
        } else if (*pattern == '?') {
            pattern++;
            text = next_character(text);
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (after_star != NULL) {
            pattern = after_star;
            text = star_end = next_character(star_end);
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return *pattern == '\0';
}
