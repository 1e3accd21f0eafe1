/* What a client keeps besides the scene: notes, people, and the part of the scene it asked for. */
#include <stdlib.h>
#include <string.h>

#include "gizmo_client.h"
#include "interests.h"
#include "support/cmocka.h"

/* ---- notes ---- */

static struct gz_note_state note(uint64_t id, const char *text)
{
    return (struct gz_note_state){
        .id = id, .user = gz_client_text("anna"), .text = gz_client_text(text)};
}

static void apply_notes(struct gz_pinboard *pinboard, struct gz_notes notes)
{
    assert_int_equal(gz_pinboard_apply(pinboard, &notes, NULL), GZ_OK);
}

TEST(test_pinboard_keeps_its_own_copy_of_the_latest_of_each)
{
    struct gz_pinboard *pinboard = gz_pinboard_create();
    char text[] = "too close";
    struct gz_note_state first[] = {note(9, text), note(3, "")}, again = note(9, "far enough");
    again.has = GZ_HAS_NOTE_STATE_NODE | GZ_HAS_NOTE_STATE_POINT;
    again.node = 12;
    again.point = (gz_vec3){1, 2, 3};
    again.done = true;
    apply_notes(pinboard, (struct gz_notes){.notes = first, .count = 2});
    memset(text, 'x', sizeof text - 1);
    assert_int_equal(gz_pinboard_count(pinboard), 2);
    assert_int_equal(gz_pinboard_at(pinboard, 0)->id, 3);
    assert_string_equal(gz_pinboard_at(pinboard, 0)->text.bytes, "");
    assert_string_equal(gz_pinboard_at(pinboard, 1)->text.bytes, "too close");
    assert_string_equal(gz_pinboard_at(pinboard, 1)->user.bytes, "anna");
    assert_null(gz_pinboard_at(pinboard, 2));
    apply_notes(pinboard, (struct gz_notes){.notes = &again, .count = 1});
    assert_int_equal(gz_pinboard_count(pinboard), 2);
    const struct gz_note_state *now = gz_pinboard_find(pinboard, 9);
    assert_string_equal(now->text.bytes, "far enough");
    assert_true(now->done && now->node == 12 && now->point.z == 3);
    assert_null(gz_pinboard_find(pinboard, 4));
    gz_pinboard_destroy(pinboard);
}

TEST(test_pinboard_gone_goes_and_all_starts_over)
{
    struct gz_pinboard *pinboard = gz_pinboard_create();
    struct gz_note_state many[] = {note(1, "a"), note(2, "b"), note(5, "c")}, one = note(7, "d");
    const uint64_t gone[] = {2, 99};
    apply_notes(pinboard, (struct gz_notes){.notes = many, .count = 3, .more = true});
    assert_false(gz_pinboard_is_complete(pinboard));
    apply_notes(pinboard, (struct gz_notes){.gone = {gone, 2}});
    assert_true(gz_pinboard_is_complete(pinboard));
    assert_int_equal(gz_pinboard_count(pinboard), 2);
    assert_null(gz_pinboard_find(pinboard, 2));
    assert_string_equal(gz_pinboard_find(pinboard, 5)->text.bytes, "c");
    apply_notes(pinboard, (struct gz_notes){.notes = &one, .count = 1, .all = true});
    assert_int_equal(gz_pinboard_count(pinboard), 1);
    assert_int_equal(gz_pinboard_at(pinboard, 0)->id, 7);
    gz_pinboard_destroy(pinboard);
}

/* Against a plain table. */
TEST(test_pinboard_finds_each_of_many_after_many_went)
{
    enum { IDS = 300 };
    struct gz_pinboard *pinboard = gz_pinboard_create();
    bool there[IDS] = {false};
    uint64_t random = 1;
    for (int step = 0; step < 5000; step++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t id = 1 + (random >> 33) % (IDS - 1);
        struct gz_note_state one = note(id, "x");
        if (there[id])
            apply_notes(pinboard, (struct gz_notes){.gone = {&id, 1}});
        else
            apply_notes(pinboard, (struct gz_notes){.notes = &one, .count = 1});
        there[id] = !there[id];
    }
    size_t count = 0;
    for (uint64_t id = 0; id < IDS; id++) {
        const struct gz_note_state *found = gz_pinboard_find(pinboard, id);
        assert_int_equal(found != NULL, there[id]);
        if (found != NULL) assert_ptr_equal(found, gz_pinboard_at(pinboard, count));
        count += there[id];
    }
    assert_int_equal(gz_pinboard_count(pinboard), count);
    gz_pinboard_destroy(pinboard);
}

/* ---- people ---- */

TEST(test_people_records_are_whole_copies_that_replace_each_other)
{
    struct gz_people *people = gz_people_create();
    uint64_t ids[] = {4, 5, 6};
    char name[] = "bert";
    struct gz_presence_user bert = {.has = GZ_HAS_PRESENCE_VIEW | GZ_HAS_PRESENCE_SELECTION |
                                           GZ_HAS_PRESENCE_LOCKS,
                                    .session = 8,
                                    .user = gz_client_text(name),
                                    .view = {[5] = 0.25},
                                    .selection = {ids, 2},
                                    .locks = {ids + 2, 1}},
                            bare = {.session = 8, .user = gz_client_text("bert")},
                            anna = {.session = 2, .user = gz_client_text("anna")};
    struct gz_presence told = {.users = &bert, .count = 1};
    assert_int_equal(gz_people_apply(people, &told, NULL), GZ_OK);
    memset(ids, 0, sizeof ids);
    memset(name, 'x', sizeof name - 1);
    const struct gz_presence_user *kept = gz_people_find(people, 8);
    assert_string_equal(kept->user.bytes, "bert");
    assert_true(kept->view[5] == 0.25);
    assert_true(kept->selection.count == 2 && kept->selection.ids[0] == 4 &&
                kept->selection.ids[1] == 5);
    assert_true(kept->locks.count == 1 && kept->locks.ids[0] == 6);
    told.users = &anna;
    assert_int_equal(gz_people_apply(people, &told, NULL), GZ_OK);
    told.users = &bare;
    assert_int_equal(gz_people_apply(people, &told, NULL), GZ_OK);
    assert_int_equal(gz_people_count(people), 2);
    assert_int_equal(gz_people_at(people, 0)->session, 2);
    assert_false(gz_people_at(people, 1)->has & GZ_HAS_PRESENCE_VIEW);
    assert_null(gz_people_at(people, 2));
    gz_people_destroy(people);
}

TEST(test_people_who_left_or_are_not_among_all_are_not_here)
{
    struct gz_people *people = gz_people_create();
    const struct gz_presence_user three[] = {{.session = 1}, {.session = 2}, {.session = 3}},
                                  four = {.session = 4};
    const uint64_t left[] = {2, 77};
    const struct gz_presence presences[] = {{.users = three, .count = 3}, {.left = {left, 2}}},
                             all = {.users = &four, .count = 1, .all = true};
    for (int i = 0; i < 2; i++)
        assert_int_equal(gz_people_apply(people, &presences[i], NULL), GZ_OK);
    assert_int_equal(gz_people_count(people), 2);
    assert_null(gz_people_find(people, 2));
    assert_int_equal(gz_people_apply(people, &all, NULL), GZ_OK);
    assert_int_equal(gz_people_count(people), 1);
    assert_non_null(gz_people_find(people, 4));
    gz_people_destroy(people);
}

/* A client that only watches is told of itself once, first of all. */
TEST(test_people_oneself_stays_and_the_number_completes_the_list)
{
    struct gz_people *people = gz_people_create();
    const struct gz_presence_user self = {.session = 9}, other = {.session = 4};
    const struct gz_presence own = {.users = &self, .count = 1},
                             all = {.users = &other, .count = 1, .all = true};
    gz_people_keep(people, 9);
    assert_int_equal(gz_people_apply(people, &own, NULL), GZ_OK);
    assert_int_equal(gz_people_apply(people, &all, NULL), GZ_OK);
    assert_int_equal(gz_people_count(people), 2);
    assert_non_null(gz_people_find(people, 9));
    assert_false(gz_people_is_complete(people));
    assert_int_equal(gz_people_here(people), 0);
    gz_people_count_here(people, 4900);
    assert_true(gz_people_is_complete(people));
    assert_int_equal(gz_people_here(people), 4900);
    gz_people_clear(people);
    assert_false(gz_people_is_complete(people));
    assert_int_equal(gz_people_apply(people, &all, NULL), GZ_OK);
    assert_false(gz_people_is_complete(people));
    gz_people_destroy(people);
}

/* ---- interests ---- */

static struct gz_message interest(uint64_t rid, uint64_t has)
{
    return (struct gz_message){.op = GZ_OP_INTEREST, .rid = rid, .has = has | GZ_HAS_RID};
}

TEST(test_wish_last_taken_holds_and_refused_ones_do_not)
{
    struct gz_interests interests = {0};
    uint64_t ids[] = {3, 9};
    struct gz_message nodes = interest(1, GZ_HAS_INTEREST_NODES),
                      box = interest(2, GZ_HAS_INTEREST_BOX), whole = interest(3, 0),
                      view = interest(4, GZ_HAS_INTEREST_VIEW);
    nodes.interest.nodes = (struct gz_ids){ids, 2};
    assert_true(gz_interests_ask(&interests, &nodes));
    assert_true(gz_interests_ask(&interests, &box));
    ids[0] = 0;
    assert_false(gz_interests_answer(&interests, 7, true));
    assert_true(gz_interests_answer(&interests, 1, true));
    assert_false(gz_interests_answer(&interests, 2, false));
    const struct gz_ids kept = interests.taken->message.interest.nodes;
    assert_true(kept.count == 2 && kept.ids[0] == 3 && kept.ids[1] == 9);
    assert_null(interests.asked);
    /* `view` of false is the whole scene as well. */
    assert_true(gz_interests_ask(&interests, &view));
    assert_true(gz_interests_answer(&interests, 4, true));
    assert_null(interests.taken);
    view.interest.view = true;
    assert_true(gz_interests_ask(&interests, &view));
    assert_true(gz_interests_ask(&interests, &whole));
    assert_true(gz_interests_answer(&interests, 4, true));
    assert_non_null(interests.taken);
    assert_true(gz_interests_answer(&interests, 3, true));
    assert_null(interests.taken);
    gz_interests_clear(&interests);
}

TEST(test_wish_taken_once_and_refused_again_is_forgotten)
{
    struct gz_interests interests = {0};
    struct gz_message box = interest(1, GZ_HAS_INTEREST_BOX),
                      other = interest(2, GZ_HAS_INTEREST_BOX);
    assert_true(gz_interests_ask(&interests, &box));
    assert_true(gz_interests_answer(&interests, 1, true));
    assert_true(gz_interests_ask(&interests, &other));
    gz_interests_forget_asked(&interests);
    assert_false(gz_interests_answer(&interests, 2, true));
    interests.taken->message.rid = 5;
    assert_true(gz_interests_answer(&interests, 5, true));
    assert_non_null(interests.taken);
    assert_false(gz_interests_answer(&interests, 5, false));
    assert_null(interests.taken);
    gz_interests_clear(&interests);
}

TEST(test_wishes_that_the_server_dropped_are_forgotten_with_the_next_answer)
{
    struct gz_interests interests = {0};
    for (uint64_t rid = 1; rid <= 4; rid++) {
        const struct gz_message box = interest(rid, GZ_HAS_INTEREST_BOX);
        assert_true(gz_interests_ask(&interests, &box));
    }
    assert_true(gz_interests_answer(&interests, 3, true));
    assert_int_equal(interests.taken->message.rid, 3);
    assert_int_equal(interests.asked->message.rid, 4);
    assert_null(interests.asked->next);
    gz_interests_clear(&interests);
}
