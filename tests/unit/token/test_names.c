/* Which texts can be the name of a user: characters that are seen, in one form, with blanks that
 * are seen. */
#include "proto/token/claims.h"
#include "support/cmocka.h"

#include <stdio.h>
#include <string.h>

#define UNSEEN "contains a"
#define BLANK "begins with a blank"
#define FORM "normal form"

TEST(test_names_that_people_have)
{
    static const char *const names[] = {
        "a",
        "ada",
        "Ada Lovelace",
        "root",
        "ada@example.org",
        "auth0|5f7c8ec7c33c6c004bbafe82",
        "team-*",
        "(guest)",
        "O'Neil-\xc3\x85ngstr\xc3\xb6m",
        "Z\xc3\xbcrich",
        "\xce\x9a\xcf\x8e\xcf\x83\xcf\x84\xce\xb1\xcf\x82",             /* Kostas */
        "\xd0\x90\xd0\xbd\xd0\xbd\xd0\xb0",                             /* Anna */
        "\xe5\xb1\xb1\xe7\x94\xb0\xe3\x80\x80\xe5\xa4\xaa\xe9\x83\x8e", /* U+3000 */
        "\xed\x95\x9c\xea\xb8\x80",                                     /* Hangul */
        "\xe0\xa6\xac\xe0\xa6\xbe\xe0\xa6\x82\xe0\xa6\xb2\xe0\xa6\xbe", /* Bengali */
        "\xe0\xae\xa4\xe0\xae\xae\xe0\xae\xbf\xe0\xae\xb4\xe0\xaf\x8d", /* Tamil */
        "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",                             /* Hebrew */
        "\xd8\xb9\xd8\xb1\xd8\xa8\xd9\x8a",                             /* Arabic */
        "\xe0\xb9\x84\xe0\xb8\x97\xe0\xb8\xa2",                         /* Thai */
        "x\xcc\xa3\xcc\x82x", /* marks that make no other letter, in order */
        "\xf0\x9f\x98\x80 smile",
        "\xf0\x9f\xab\xa8", /* 15.0 */
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *fault = gz_user_fault(names[i], strlen(names[i]));
        if (fault != NULL) fail_msg("%s: %s", names[i], fault);
    }
}

TEST(test_names_that_nobody_can_tell_apart)
{
    static const struct {
        const char *name;
        size_t size; /* 0: up to its end */
        const char *fault;
    } rows[] = {
        {"", 0, "is empty"},
        {"root\0x", 6, "UTF-8"},
        {"\0", 1, "UTF-8"},
        {"a\xff", 0, "UTF-8"},
        {"\xed\xa0\x80", 0, "UTF-8"}, /* a surrogate */
        {"a\x01", 0, UNSEEN},
        {"a\tb", 0, UNSEEN},
        {"a\nb", 0, UNSEEN},
        {"a\x1b[2J", 0, UNSEEN},
        {"a\x7f", 0, UNSEEN},
        {"a\xc2\x85", 0, UNSEEN},  /* U+0085 */
        {"a\xc2\xa0z", 0, UNSEEN}, /* U+00A0 */
        {"ad\xc2\xad"
         "a",
         0, UNSEEN},                   /* U+00AD */
        {"a\xcd\x8f", 0, UNSEEN},      /* U+034F */
        {"a\xd8\x9c", 0, UNSEEN},      /* U+061C */
        {"\xe1\x85\x9f", 0, UNSEEN},   /* U+115F */
        {"\xe1\x85\xa0", 0, UNSEEN},   /* U+1160 */
        {"a\xe1\x9a\x80z", 0, UNSEEN}, /* U+1680 */
        {"a\xe1\xa0\x8e", 0, UNSEEN},  /* U+180E */
        {"a\xe2\x80\x82z", 0, UNSEEN}, /* U+2002 */
        {"ad\xe2\x80\x8b"
         "a",
         0, UNSEEN},                     /* U+200B */
        {"a\xe2\x80\x8c", 0, UNSEEN},    /* U+200C */
        {"a\xe2\x80\x8d", 0, UNSEEN},    /* U+200D */
        {"a\xe2\x80\x8e", 0, UNSEEN},    /* U+200E */
        {"a\xe2\x80\x8f", 0, UNSEEN},    /* U+200F */
        {"a\xe2\x80\xa8", 0, UNSEEN},    /* U+2028 */
        {"a\xe2\x80\xa9", 0, UNSEEN},    /* U+2029 */
        {"a\xe2\x80\xae", 0, UNSEEN},    /* U+202E */
        {"a\xe2\x81\xa0", 0, UNSEEN},    /* U+2060 */
        {"a\xe2\x81\xa7", 0, UNSEEN},    /* U+2067 */
        {"\xe2\xa0\x80", 0, UNSEEN},     /* U+2800 */
        {"\xe3\x85\xa4", 0, UNSEEN},     /* U+3164 */
        {"\xee\x80\x80", 0, UNSEEN},     /* U+E000 */
        {"a\xef\xb8\x8f", 0, UNSEEN},    /* U+FE0F */
        {"a\xef\xbb\xbf", 0, UNSEEN},    /* U+FEFF */
        {"\xef\xbe\xa0", 0, UNSEEN},     /* U+FFA0 */
        {"a\xef\xbf\xb9", 0, UNSEEN},    /* U+FFF9 */
        {"a\xef\xbf\xbd", 0, UNSEEN},    /* U+FFFD */
        {"a\xef\xbf\xbf", 0, UNSEEN},    /* U+FFFF */
        {"a\xef\xb7\x90", 0, UNSEEN},    /* U+FDD0 */
        {"\xcd\xb8", 0, UNSEEN},         /* U+0378 */
        {"\xf0\x9f\xab\xbf", 0, UNSEEN}, /* U+1FAFF */
        {"\xf0\x9d\x85\x99", 0, UNSEEN}, /* U+1D159 */
        {"\xf3\xa0\x80\xa1", 0, UNSEEN}, /* U+E0021 */
        {"\xf3\xa0\x84\x80", 0, UNSEEN}, /* U+E0100 */
        {"\xf3\xb0\x80\x80", 0, UNSEEN}, /* U+F0000 */
        {"\xf4\x8f\xbf\xbf", 0, UNSEEN}, /* U+10FFFF */
        {" ", 0, BLANK},
        {"   ", 0, BLANK},
        {"\xe3\x80\x80", 0, BLANK},
        {" ada", 0, BLANK},
        {"ada ", 0, "ends with a blank"},
        {"ada\xe3\x80\x80", 0, "ends with a blank"},
        {"a  b", 0, BLANK},
        {"a \xe3\x80\x80z", 0, BLANK},
        {"\xcc\x81"
         "a",
         0, BLANK}, /* a mark without anything to mark */
        {"a \xcc\x88", 0, BLANK},
        /* marks without a combining class: a circle around what is before, of Thai, of Devanagari
         */
        {"\xe2\x83\xa0", 0, BLANK},
        {"a \xe2\x83\xa0", 0, BLANK},
        {"\xe0\xb8\xb1", 0, BLANK},
        {"a \xe0\xa4\xbe", 0, BLANK},
        {"a\xcc\x8angstr", 0, FORM},           /* a with a ring, in two characters */
        {"e\xcc\xa3\xcc\x82", 0, FORM},        /* a letter, a dot below, a roof */
        {"\xc4\xba\xcc\xb1", 0, FORM},         /* l with an acute, then a line below */
        {"x\xcc\x82\xcc\xa3", 0, FORM},        /* marks in the wrong order */
        {"\xe1\x84\x92\xe1\x85\xa1", 0, FORM}, /* Hangul in parts */
        {"\xed\x95\x98\xe1\x86\xab", 0, FORM},
        {"\xe0\xa6\x95\xe0\xa7\x87\xe0\xa6\xbe", 0, FORM}, /* a vowel of Bengali in two */
        {"\xe2\x84\xab", 0, UNSEEN},                       /* the sign of the unit, U+212B */
        {"\xe2\x84\xa6", 0, UNSEEN},                       /* U+2126 */
        {"\xef\xa4\x80", 0, UNSEEN},                       /* U+F900 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const size_t size = rows[i].size > 0 ? rows[i].size : strlen(rows[i].name);
        const char *fault = gz_user_fault(rows[i].name, size);
        if (fault == NULL || strstr(fault, rows[i].fault) == NULL)
            fail_msg("row %zu: %s: %s", i, rows[i].name, fault != NULL ? fault : "is taken");
    }
}

int main(void)
{
    return test_run(NULL, NULL);
}
