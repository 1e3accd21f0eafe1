/* Sessions by their ids: which one is found, and how many rows are looked at for that. */
#include "core/people.h"
#include "server/maxima.h"
#include "support/cmocka.h"

/* A session is never looked into here: its address says which one it is. */
static struct gz_session *session_of(uint64_t id)
{
    static char addresses[100000];
    return (struct gz_session *)(void *)&addresses[id];
}

static void add(struct gz_sessions *roster, uint64_t id)
{
    assert_true(gz_sessions_reserve(roster));
    gz_sessions_add(roster, id, session_of(id));
}

TEST(test_the_session_with_the_id_is_found_and_no_other)
{
    static const uint64_t ids[] = {7, 3, 90000, 5, 1, 80000, 6};
    const size_t count = sizeof ids / sizeof ids[0];
    struct gz_sessions roster = {.count = 0};
    assert_null(gz_sessions_find(&roster, 3, NULL));
    for (size_t i = 0; i < count; i++) add(&roster, ids[i]);
    for (size_t gone = 0; gone <= count; gone++) {
        assert_int_equal(roster.count, count - gone);
        for (size_t i = 0; i < count; i++) {
            struct gz_session *wanted = i < gone ? NULL : session_of(ids[i]);
            assert_ptr_equal(gz_sessions_find(&roster, ids[i], NULL), wanted);
        }
        assert_null(gz_sessions_find(&roster, 0, NULL));
        assert_null(gz_sessions_find(&roster, 4, NULL));
        assert_null(gz_sessions_find(&roster, 90001, NULL));
        if (gone < count) gz_sessions_remove(&roster, ids[gone]);
    }
    gz_sessions_finish(&roster);
}

/* The oldest sessions leave first: that moves no other row until half of the rows are of no use. */
TEST(test_a_session_that_leaves_moves_no_other)
{
    enum { COUNT = 1000 };
    struct gz_sessions roster = {.count = 0};
    size_t moved = 0;
    for (uint64_t id = 1; id <= COUNT; id++) add(&roster, id);
    for (uint64_t id = 1; id < COUNT; id++) {
        const size_t rows = roster.row_count;
        gz_sessions_remove(&roster, id);
        if (roster.row_count < rows) moved += roster.row_count;
        assert_true(roster.row_count <= 2 * roster.count + 16);
        assert_ptr_equal(gz_sessions_find(&roster, COUNT, NULL), session_of(COUNT));
        assert_ptr_equal(roster.rows[gz_sessions_after(&roster, COUNT - 1)].session,
                         session_of(COUNT));
    }
    assert_true(moved > 0 && moved <= COUNT);
    assert_int_equal(roster.count, 1);
    gz_sessions_finish(&roster);
}

/* All sessions of a full daemon wait for one batch: each look is at most 13 rows, since 2 to the
 * power of 13 is more than 5000. */
TEST(test_a_full_roster_is_searched_in_few_steps)
{
    struct gz_sessions roster = {.count = 0};
    size_t steps = 0, most = 0;
    for (uint64_t id = 1; id <= GZ_SESSIONS_MAX; id++) add(&roster, 2 * id);
    for (uint64_t id = 0; id <= 2 * GZ_SESSIONS_MAX + 1; id++) {
        const size_t before = steps;
        const bool is_there = id > 0 && id % 2 == 0 && id <= 2 * GZ_SESSIONS_MAX;
        assert_ptr_equal(gz_sessions_find(&roster, id, &steps), is_there ? session_of(id) : NULL);
        if (steps - before > most) most = steps - before;
    }
    assert_int_equal(most, 13);
    gz_sessions_finish(&roster);
}
