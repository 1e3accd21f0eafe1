/* glob.c - matches a name against a pattern, going back to the last star alone: what an earlier
 * star took needs no other try, because the later one can take whatever follows. */
#include "proto/base/glob.h"

#include <stddef.h>

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
