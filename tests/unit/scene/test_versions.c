/* The versioned list: what a viewer's readings hold, in which order, and when a viewer starts anew.
 */
#include <string.h>

#include "scene/versions.h"
#include "support/chance.h"
#include "support/cmocka.h"

enum { RING = 4, IDS = 64 };

struct thing {
    struct gz_versions_item item;
    uint64_t id;
    unsigned content;
};

struct stage {
    struct gz_versions versions;
    struct gz_versions_removal ring[RING];
    struct thing things[IDS]; /* thing number i has the id i */
};

static struct stage stage_of(void)
{
    struct stage stage = {.things = {{.id = 0}}};
    for (uint64_t i = 0; i < IDS; i++) stage.things[i].id = i;
    return stage;
}

static void put(struct stage *stage, uint64_t id)
{
    gz_versions_put(&stage->versions, &stage->things[id].item);
}

static void take(struct stage *stage, uint64_t id)
{
    gz_versions_remove(&stage->versions, &stage->things[id].item, id);
}

static void put_all(struct stage *stage, uint64_t first, uint64_t last)
{
    for (uint64_t id = first; id <= last; id++) put(stage, id);
}

static uint64_t id_of(const struct gz_versions_item *item)
{
    return ((const struct thing *)item)->id;
}

/* One frame: what a viewer was sent. */
struct frame {
    bool anew;
    uint64_t ids[IDS], gone[RING];
    size_t count, gone_count;
};

/* Reads at most `most` items and moves the cursor. */
static struct frame read_some(const struct stage *stage, struct gz_versions_cursor *cursor,
                              size_t most)
{
    struct gz_versions_reading reading = gz_versions_read(&stage->versions, cursor);
    struct frame frame = {.anew = reading.anew};
    const struct gz_versions_item *item;
    while (frame.count < most && (item = gz_versions_next(&reading)) != NULL)
        frame.ids[frame.count++] = id_of(item);
    frame.gone_count = gz_versions_gone(&reading, frame.gone);
    *cursor = reading.cursor;
    return frame;
}

static void check_ids(const uint64_t *ids, size_t count, const char *expected)
{
    assert_int_equal(count, strlen(expected));
    for (size_t i = 0; i < count; i++) assert_int_equal(ids[i], expected[i] - '0');
}

static void check_frame(struct frame frame, bool anew, const char *ids, const char *gone)
{
    assert_int_equal(frame.anew, anew);
    check_ids(frame.ids, frame.count, ids);
    check_ids(frame.gone, frame.gone_count, gone);
}

/* ---- one thing at a time ---- */

TEST(test_newcomer_to_an_empty_list_has_no_news_and_then_only_what_follows)
{
    struct stage stage = stage_of();
    struct gz_versions_cursor cursor = {0};
    gz_versions_init(&stage.versions, stage.ring, RING);
    assert_false(gz_versions_has_news(&stage.versions, &cursor));
    check_frame(read_some(&stage, &cursor, IDS), true, "", "");
    put(&stage, 1);
    assert_true(gz_versions_has_news(&stage.versions, &cursor));
    check_frame(read_some(&stage, &cursor, IDS), false, "1", "");
    assert_false(gz_versions_has_news(&stage.versions, &cursor));
}

TEST(test_reading_has_each_change_once_oldest_first_and_removals_newest_first)
{
    struct stage stage = stage_of();
    struct gz_versions_cursor cursor = {0};
    gz_versions_init(&stage.versions, stage.ring, RING);
    put_all(&stage, 1, 6);
    check_frame(read_some(&stage, &cursor, IDS), true, "123456", "");
    put(&stage, 2);
    put(&stage, 5);
    put(&stage, 2);
    take(&stage, 1);
    take(&stage, 6);
    check_frame(read_some(&stage, &cursor, IDS), false, "52", "61");
    assert_int_equal(stage.versions.count, 4);
    check_frame(read_some(&stage, &cursor, IDS), false, "", "");
}

TEST(test_replaced_thing_is_not_a_removal)
{
    struct stage stage = stage_of();
    struct gz_versions_cursor cursor = {0};
    gz_versions_init(&stage.versions, stage.ring, RING);
    put_all(&stage, 1, 3);
    (void)read_some(&stage, &cursor, IDS);
    gz_versions_replace(&stage.versions, &stage.things[1].item, &stage.things[7].item);
    assert_int_equal(stage.things[1].item.version, 0);
    check_frame(read_some(&stage, &cursor, IDS), false, "7", "");
    assert_int_equal(stage.versions.count, 3);
    check_frame(read_some(&stage, &(struct gz_versions_cursor){0}, IDS), true, "237", "");
}

TEST(test_viewer_starts_anew_only_if_the_ring_lost_a_removal_that_it_missed)
{
    struct stage stage = stage_of();
    struct gz_versions_cursor near = {0}, far = {0};
    gz_versions_init(&stage.versions, stage.ring, RING);
    put_all(&stage, 1, 9);
    (void)read_some(&stage, &far, IDS);
    take(&stage, 1);
    (void)read_some(&stage, &near, IDS);
    for (uint64_t id = 2; id <= 1 + RING; id++) take(&stage, id);
    check_frame(read_some(&stage, &near, IDS), false, "", "5432");
    check_frame(read_some(&stage, &far, IDS), true, "6789", "");
}

/* ---- everything, in several frames ---- */

TEST(test_removals_before_everything_began_to_be_sent_are_nothing_to_the_viewer)
{
    struct stage stage = stage_of();
    struct gz_versions_cursor cursor = {0};
    gz_versions_init(&stage.versions, stage.ring, RING);
    put_all(&stage, 1, 8);
    for (uint64_t id = 1; id <= 2; id++) take(&stage, id);
    check_frame(read_some(&stage, &cursor, 2), true, "34", "");
    take(&stage, 3); /* the viewer knows it, and is behind it until it is at the end */
    check_frame(read_some(&stage, &cursor, 2), false, "56", "");
    put(&stage, 4);
    check_frame(read_some(&stage, &cursor, 2), false, "78", "");
    check_frame(read_some(&stage, &cursor, 2), false, "4", "3");
    assert_int_equal(cursor.since, 0);
}

TEST(test_viewer_does_not_start_anew_for_removals_that_it_never_heard_of)
{
    struct stage stage = stage_of();
    struct gz_versions_cursor cursor = {0};
    gz_versions_init(&stage.versions, stage.ring, RING);
    put_all(&stage, 1, 9);
    for (uint64_t id = 1; id <= RING + 1; id++) take(&stage, id);
    check_frame(read_some(&stage, &cursor, 1), true, "6", "");
    check_frame(read_some(&stage, &cursor, 1), false, "7", "");
    for (uint64_t id = 1; id <= RING; id++) { /* the ring holds these and none from before */
        put(&stage, id);
        take(&stage, id);
    }
    check_frame(read_some(&stage, &cursor, 1), false, "8", "");
    put(&stage, 5);
    take(&stage, 5); /* the ring lost one that came after everything began to be sent */
    check_frame(read_some(&stage, &cursor, 1), true, "6", "");
}

TEST(test_viewers_who_came_at_different_times_are_equal_once_they_caught_up)
{
    struct stage stage = stage_of();
    struct gz_versions_cursor early = {0}, late = {0};
    gz_versions_init(&stage.versions, stage.ring, RING);
    put_all(&stage, 1, 3);
    (void)read_some(&stage, &early, 1);
    put(&stage, 4);
    (void)read_some(&stage, &late, 2);
    (void)read_some(&stage, &early, IDS);
    (void)read_some(&stage, &late, IDS);
    assert_memory_equal(&early, &late, sizeof early);
}

/* ---- against a model ---- */

enum { VIEWERS = 5, STEPS = 200000 };

/* A viewer's copy of the list; `content` 0: it knows of no such thing. */
struct viewer {
    struct gz_versions_cursor cursor;
    unsigned content[IDS];
};

struct game {
    struct stage stage;
    struct viewer viewers[VIEWERS];
    uint64_t random;
    size_t anew, readings; /* how often viewers started anew, and readings altogether */
};

static void apply(struct viewer *viewer, const struct stage *stage, const struct frame *frame)
{
    if (frame->anew) memset(viewer->content, 0, sizeof viewer->content);
    /* Ids come back in this game, so that a removal counts only for a thing that is not there. */
    for (size_t i = 0; i < frame->gone_count; i++) {
        if (stage->things[frame->gone[i]].item.version == 0) viewer->content[frame->gone[i]] = 0;
    }
    for (size_t i = 0; i < frame->count; i++)
        viewer->content[frame->ids[i]] = stage->things[frame->ids[i]].content;
}

static void check_viewer(const struct viewer *viewer, const struct stage *stage)
{
    if (viewer->cursor.version != stage->versions.version) return;
    assert_int_equal(viewer->cursor.since, 0);
    for (uint64_t id = 0; id < IDS; id++) {
        const struct thing *thing = &stage->things[id];
        assert_int_equal(viewer->content[id], thing->item.version > 0 ? thing->content : 0);
    }
}

static void change_something(struct game *game)
{
    uint64_t id = chance_below(&game->random, IDS);
    struct thing *thing = &game->stage.things[id];
    if (thing->item.version > 0 && chance_below(&game->random, 3) == 0) {
        take(&game->stage, id);
        return;
    }
    thing->content++;
    put(&game->stage, id);
}

static void read_as_somebody(struct game *game)
{
    struct viewer *viewer = &game->viewers[chance_below(&game->random, VIEWERS)];
    if (chance_below(&game->random, 50) == 0) *viewer = (struct viewer){.cursor = {0}};
    uint64_t before = viewer->cursor.version;
    size_t most = 1 + chance_below(&game->random, IDS);
    struct frame frame = read_some(&game->stage, &viewer->cursor, most);
    assert_true(frame.anew || viewer->cursor.version >= before);
    assert_true(frame.count == most || viewer->cursor.version == game->stage.versions.version);
    apply(viewer, &game->stage, &frame);
    check_viewer(viewer, &game->stage);
    game->anew += frame.anew && before > 0;
    game->readings++;
}

TEST(test_viewers_who_caught_up_know_what_is_on_the_list)
{
    static struct game game;
    game = (struct game){.stage = stage_of(), .random = chance_seed(1)};
    gz_versions_init(&game.stage.versions, game.stage.ring, RING);
    for (uint64_t left = chance_count(STEPS); left > 0; left--) {
        if (chance_below(&game.random, 3) > 0)
            change_something(&game);
        else
            read_as_somebody(&game);
    }
    assert_true(game.anew > game.readings / 20 && game.anew < game.readings / 2);
}
