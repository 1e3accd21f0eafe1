/* Patterns for names: by examples, and against a definition over all short patterns and texts. */
#include <string.h>

#include "proto/base/text.h"
#include "support/cmocka.h"

struct example {
    const char *pattern, *text;
    bool matches;
};

static const struct example examples[] = {
    {"", "", true},
    {"", "a", false},
    {"a", "", false},
    {"*", "", true},
    {"*", "anything", true},
    {"**", "", true},
    {"?", "", false},
    {"robot-*", "robot-arm", true},
    {"robot-*", "robot-", true},
    {"robot-*", "robot", false},
    {"robot-*", "a-robot-arm", false},
    {"*@example.com", "ada@example.com", true},
    {"*@example.com", "ada@example.com.evil.org", false},
    {"*a*b", "xaxbxb", true},
    {"*a*b", "xbxa", false},
    {"a?c", "abc", true},
    {"a?c", "ac", false},
    {"Ada", "ada", false},
    {"[ab]", "a", false},
    {"\\*", "*", false},
    /* a character, not a byte */
    {"?", "\xC3\xA9", true},
    {"??", "\xC3\xA9", false},
    {"Ren?", "Ren\xC3\xA9", true},
    {"*?", "\xF0\x9F\x98\x80", true},
    {"*\xC3\xA9*",
     "Ren\xC3\xA9"
     "e",
     true},
};

TEST(test_examples)
{
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        if (gz_glob_matches(examples[i].pattern, examples[i].text) != examples[i].matches)
            fail_msg("\"%s\" and \"%s\"", examples[i].pattern, examples[i].text);
}

/* What a pattern means, as it would be said. */
static bool is_match(const char *pattern, const char *text)
{
    if (*pattern == '\0') return *text == '\0';
    if (*pattern == '*')
        return is_match(pattern + 1, text) || (*text != '\0' && is_match(pattern, text + 1));
    return *text != '\0' && (*pattern == '?' || *pattern == *text) &&
           is_match(pattern + 1, text + 1);
}

/* The number in base strlen(letters), as a text of `size` letters. */
static void spell(size_t number, const char *letters, size_t size, char *text)
{
    for (size_t i = 0; i < size; i++, number /= strlen(letters))
        text[i] = letters[number % strlen(letters)];
    text[size] = '\0';
}

static size_t power(size_t base, size_t exponent)
{
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

static void compare_all(const char *pattern)
{
    for (size_t size = 0; size <= 6; size++)
        for (size_t i = 0; i < power(2, size); i++) {
            char text[8];
            spell(i, "ab", size, text);
            if (gz_glob_matches(pattern, text) != is_match(pattern, text))
                fail_msg("\"%s\" and \"%s\"", pattern, text);
        }
}

TEST(test_every_short_pattern_means_what_it_says)
{
    for (size_t size = 0; size <= 5; size++)
        for (size_t i = 0; i < power(4, size); i++) {
            char pattern[8];
            spell(i, "ab?*", size, pattern);
            compare_all(pattern);
        }
}

/* Whoever tries what each star could take needs 2^30 steps here. */
TEST(test_many_stars_do_not_explode)
{
    char pattern[128] = "", text[128];
    for (int i = 0; i < 30; i++) strcat(pattern, "*a");
    strcat(pattern, "*b");
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    assert_false(gz_glob_matches(pattern, text));
}
