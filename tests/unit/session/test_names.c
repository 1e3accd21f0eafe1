/* Things by a text that they have: which are found, and how many are looked at for that; and the
 * colours of people. */
#include <stdio.h>

#include "core/people.h"
#include "server/maxima.h"
#include "support/cmocka.h"

enum { MANY = 2 * GZ_SESSIONS_MAX };

static struct gz_name all[MANY];
static char texts[MANY][16];

static void add(struct gz_users *names, size_t i, const char *text)
{
    assert_true(gz_users_reserve(names));
    gz_users_add(names, &all[i], text);
}

/* Takes out what is found, and puts it back. */
static size_t count_of(struct gz_users *names, const char *text)
{
    struct gz_name *found[8];
    size_t count = 0;
    while ((found[count] = gz_users_find(names, text)) != NULL)
        gz_users_remove(names, found[count++]);
    for (size_t i = 0; i < count; i++) gz_users_add(names, found[i], text);
    return count;
}

TEST(test_what_has_the_text_is_found_and_nothing_else)
{
    static const char *const users[] = {"ada", "bob", "ada", "", "adam", "ada"};
    const size_t count = sizeof users / sizeof users[0];
    struct gz_users names = {.count = 0};
    assert_null(gz_users_find(&names, "ada"));
    for (size_t i = 0; i < count; i++) add(&names, i, users[i]);
    assert_int_equal(count_of(&names, "ada"), 3);
    assert_int_equal(count_of(&names, "bob"), 1);
    assert_int_equal(count_of(&names, ""), 1);
    assert_int_equal(count_of(&names, "ad"), 0);
    gz_users_remove(&names, &all[2]);
    assert_int_equal(count_of(&names, "ada"), 2);
    for (size_t i = 0; i < count; i++) {
        if (i != 2) gz_users_remove(&names, &all[i]);
    }
    assert_int_equal(names.count, 0);
    assert_null(gz_users_find(&names, "ada"));
    gz_users_finish(&names);
}

/* The most that stand in one bucket: few, however many there are. */
TEST(test_many_are_spread_evenly)
{
    struct gz_users names = {.count = 0};
    size_t most = 0;
    for (size_t i = 0; i < MANY; i++) {
        snprintf(texts[i], sizeof texts[i], "person %zu", i);
        add(&names, i, texts[i]);
    }
    for (size_t i = 0; i < names.bucket_count; i++) {
        size_t here = 0;
        for (const struct gz_name *name = names.buckets[i]; name != NULL; name = name->next) here++;
        if (here > most) most = here;
    }
    assert_in_range(most, 1, 12);
    for (size_t i = 0; i < MANY; i++) assert_ptr_equal(gz_users_find(&names, texts[i]), &all[i]);
    gz_users_finish(&names);
}

TEST(test_colours_are_taken_one_by_one_and_free_again)
{
    struct gz_colours tints = {.taken = {0}};
    uint32_t colours[GZ_COLOUR_COUNT];
    for (size_t i = 0; i < GZ_COLOUR_COUNT; i++) {
        colours[i] = gz_colour_of(&tints, "ada");
        gz_colour_take(&tints, colours[i]);
        for (size_t k = 0; k < i; k++) assert_int_not_equal(colours[k], colours[i]);
    }
    assert_int_equal(gz_colour_of(&tints, "ada"), colours[0]); /* all are taken: the usual one */
    gz_colour_leave(&tints, colours[7]);
    assert_int_equal(gz_colour_of(&tints, "ada"), colours[7]);
}
