/* names.c - which texts can be the name of a user. See claims.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/text.h"
#include "proto/token/claims.h"
#include "proto/token/letters.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* ---- characters ---- */

/* The character at *at, which is valid UTF-8; moves on behind it. */
static uint32_t next_letter(const unsigned char **at)
{
    const unsigned char *c = *at;
    const int more = c[0] < 0x80 ? 0 : c[0] < 0xe0 ? 1 : c[0] < 0xf0 ? 2 : 3;
    uint32_t letter = more == 0 ? c[0] : c[0] & (0x3f >> more);
    for (int i = 1; i <= more; i++) letter = letter << 6 | (c[i] & 0x3f);
    *at = c + 1 + more;
    return letter;
}

static int compare_range(const void *key, const void *row)
{
    const uint32_t letter = *(const uint32_t *)key, *range = row;
    return letter < range[0] ? -1 : letter > range[1];
}

static bool is_shown(uint32_t letter)
{
    return bsearch(&letter, shown, COUNT(shown), sizeof shown[0], compare_range) != NULL;
}

static bool is_mark(uint32_t letter)
{
    return bsearch(&letter, marks, COUNT(marks), sizeof marks[0], compare_range) != NULL;
}

static int class_of(uint32_t letter)
{
    for (size_t from = 0, to = COUNT(classes); from < to;) {
        const size_t middle = (from + to) / 2;
        if (letter < classes[middle].first)
            to = middle;
        else if (letter > classes[middle].last)
            from = middle + 1;
        else
            return classes[middle].combining;
    }
    return 0;
}

static bool is_blank(uint32_t letter)
{
    return letter == ' ' || letter == 0x3000;
}

/* ---- normal form C ---- */

static int compare_pair(const void *key, const void *row)
{
    const uint32_t *a = key, *b = row;
    const uint32_t x = a[1] != b[1] ? a[1] : a[0], y = a[1] != b[1] ? b[1] : b[0];
    return x < y ? -1 : x > y;
}

/* A leading and a middle part of a syllable, or a syllable without an end and an end. */
static bool makes_hangul(uint32_t first, uint32_t second)
{
    const bool is_open = first >= 0xac00 && first <= 0xd7a3 && (first - 0xac00) % 28 == 0;
    return (first >= 0x1100 && first <= 0x1112 && second >= 0x1161 && second <= 0x1175) ||
           (is_open && second >= 0x11a8 && second <= 0x11c2);
}

static bool makes_one(uint32_t first, uint32_t second)
{
    const uint32_t pair[2] = {first, second};
    return makes_hangul(first, second) ||
           bsearch(pair, pairs, COUNT(pairs), sizeof pairs[0], compare_pair) != NULL;
}

/* The pair that a character stands for; NULL for none. */
static const uint32_t *parts_of(uint32_t letter)
{
    for (size_t i = 0; i < COUNT(pairs); i++)
        if (pairs[i][2] == letter) return pairs[i];
    return NULL;
}

/* Whether a mark of a lower class would be written as one with what a mark in `base` marks. */
static bool goes_below(uint32_t base, uint32_t mark)
{
    const uint32_t *parts = parts_of(base);
    while (parts != NULL && class_of(parts[1]) > class_of(mark)) {
        if (makes_one(parts[0], mark)) return true;
        parts = parts_of(parts[0]);
    }
    return false;
}

/* Where a text is read: the latest character that marks belong to, and what stands behind it. */
struct place {
    uint32_t base; /* 0 for none yet */
    uint32_t last;
    int last_class;
};

/* Whether one more character keeps the normal form: marks are in order, and nothing could be
 * written as one character (Unicode Standard Annex 15). */
static bool keeps_form(struct place *place, uint32_t letter)
{
    const int its_class = class_of(letter);
    const bool is_next = place->last == place->base && place->last_class == 0;
    const bool is_open = is_next || (place->last_class != 0 && place->last_class < its_class);
    if (its_class != 0 && place->last_class > its_class) return false;
    if (place->base != 0 && is_open && makes_one(place->base, letter)) return false;
    if (its_class != 0 && is_open && goes_below(place->base, letter)) return false;
    if (its_class == 0) place->base = letter;
    place->last = letter;
    place->last_class = its_class;
    return true;
}

/* ---- names ---- */

/* A control, or of a block that has no letters. */
static const char *fault_of(uint32_t letter)
{
    return letter < 0xa1 || (letter >= 0x2000 && letter <= 0x206f)
               ? "contains an invisible character"
               : "contains a character that is not seen, that Unicode " LETTERS_VERSION
                 " does not have, or that normal form C writes in another way";
}

const char *gz_user_fault(const char *text, size_t size)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + size;
    struct place place = {0, 0, 0};
    bool was_blank = true; /* at the beginning */
    if (size == 0) return "is empty";
    if (!gz_text_valid(text, size)) return "is not UTF-8, or has a NUL";
    while (at < end) {
        const uint32_t letter = next_letter(&at);
        if (!is_shown(letter)) return fault_of(letter);
        if (was_blank && (is_blank(letter) || is_mark(letter)))
            return "begins with a blank or a mark, or has one behind a blank";
        if (!keeps_form(&place, letter)) return "is not in Unicode's normal form C";
        was_blank = is_blank(letter);
    }
    return was_blank ? "ends with a blank" : NULL;
}

bool gz_user_is_guests(const char *user)
{
    static const size_t suffix_size = sizeof GZ_GUEST_SUFFIX - 1;
    size_t size = strlen(user);
    return size >= suffix_size && strcmp(user + size - suffix_size, GZ_GUEST_SUFFIX) == 0;
}
