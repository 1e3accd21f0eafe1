/* The queue of what waits for the disk: the order of taking and of taking back, who is answered,
 * how much may wait, and when the next batch is due. The kinds here write down what is done to
 * their entries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/journal.h"
#include "server/maxima.h"
#include "support/cmocka.h"

struct thing {
    struct gz_journal_entry entry;
    uint64_t id;
};

/* What was done, one word each: "+3" stored, "-3" taken back, "~3" freed, "7:3" session 7 was
 * answered ok about 3, "7!storage" or "7!internal" that session 7 was refused. */
struct diary {
    struct gz_journal journal;
    char text[1024];
    uint64_t stuck;        /* this one cannot be taken back */
    bool appends, forgets; /* while something is taken back */
};

static void note(struct diary *diary, const char *format, ...)
{
    size_t size = strlen(diary->text);
    va_list values;
    va_start(values, format);
    vsnprintf(diary->text + size, sizeof diary->text - size, format, values);
    va_end(values);
}

static uint64_t id_of(const struct gz_journal_entry *entry)
{
    return ((const struct thing *)entry)->id;
}

static bool add(const struct gz_journal_entry *entry, struct gz_batch *batch)
{
    if (id_of(entry) == 99) return false;
    batch->seq = batch->seq * 10 + id_of(entry); /* the ids as digits, in their order */
    return true;
}

static void accept(void *context, struct gz_journal_entry *entry, const struct gz_batch *batch,
                   struct gz_journal_outcome *outcome)
{
    (void)batch;
    note(context, "+%d ", (int)id_of(entry));
    outcome->ok.seq = id_of(entry);
    outcome->has = GZ_HAS_OK_SEQ;
}

static struct thing *append(struct diary *diary, const struct gz_journal_kind *kind, uint64_t id,
                            uint64_t session);
static const struct gz_journal_kind remark;

static bool refuse(void *context, struct gz_journal_entry *entry, const char *why,
                   struct gz_journal_outcome *outcome)
{
    struct diary *diary = context;
    if (id_of(entry) == diary->stuck) return false;
    note(diary, "-%d ", (int)id_of(entry));
    gz_fail(&outcome->error, GZ_STORAGE, "%s", why);
    if (diary->appends) append(diary, &remark, 9, 0);
    struct gz_journal_entry *other = gz_journal_next(&diary->journal, &remark, NULL);
    if (diary->forgets && other != NULL) gz_journal_forget(&diary->journal, other);
    return true;
}

static void free_thing(void *context, struct gz_journal_entry *entry)
{
    note(context, "~%d ", (int)id_of(entry));
    free(entry);
}

static const struct gz_journal_kind edit = {true, add, accept, refuse, free_thing};
static const struct gz_journal_kind letter = {true, add, accept, refuse, free_thing};
/* Writes nothing, and waits for what is before it. */
static const struct gz_journal_kind reply = {true, NULL, accept, refuse, free_thing};
/* Is not urgent, and cannot be refused. */
static const struct gz_journal_kind remark = {.add = add, .free = free_thing};

static void answer(void *context, const struct gz_journal_waiter *waiter,
                   const struct gz_journal_outcome *outcome)
{
    if (outcome->error.status != GZ_OK)
        note(context, "%d!%s ", (int)waiter->session, gz_status_word(outcome->error.status));
    else
        note(context, "%d:%d ", (int)waiter->session, (int)outcome->ok.seq);
}

static void start(struct diary *diary)
{
    *diary = (struct diary){.stuck = 0};
    gz_journal_init(&diary->journal, 3, answer, diary);
}

static struct thing *create(const struct gz_journal_kind *kind, uint64_t id, uint64_t session)
{
    struct thing *thing = calloc(1, sizeof *thing);
    assert_non_null(thing);
    thing->entry = (struct gz_journal_entry){
        .kind = kind, .waiter = {.session = session}, .bytes = 100, .user = "ann", .key = NULL};
    thing->id = id;
    return thing;
}

static struct thing *append(struct diary *diary, const struct gz_journal_kind *kind, uint64_t id,
                            uint64_t session)
{
    struct thing *thing = create(kind, id, session);
    gz_journal_append(&diary->journal, &thing->entry);
    return thing;
}

static void follow(struct diary *diary, uint64_t id, uint64_t session, bool is_ahead)
{
    gz_journal_follow(&diary->journal, &create(&reply, id, session)->entry, is_ahead);
}

/* What was noted since it was last looked at. */
#define assert_noted(diary, wanted)                                                                \
    do {                                                                                           \
        assert_string_equal((diary)->text, wanted);                                                \
        (diary)->text[0] = '\0';                                                                   \
    } while (0)

static void send(struct diary *diary, uint64_t ids)
{
    struct gz_batch batch = {.seq = 0};
    assert_true(gz_journal_add(&diary->journal, &batch));
    assert_int_equal(batch.seq, ids);
    gz_journal_tried(&diary->journal, 1, true);
}

static void settle(struct diary *diary)
{
    struct gz_batch batch = {.seq = 0};
    gz_journal_accept(&diary->journal, &batch);
}

static void wait_too(struct diary *diary, struct gz_journal_entry *entry, uint64_t session)
{
    struct gz_error error;
    const struct gz_journal_waiter waiter = {.session = session};
    assert_int_equal(gz_journal_wait(&diary->journal, entry, waiter, &error), GZ_OK);
}

static void assert_empty(const struct gz_journal *journal)
{
    assert_null(journal->oldest);
    assert_null(journal->newest);
    assert_int_equal(journal->requests, 0);
    assert_int_equal(journal->others, 0);
    assert_int_equal(journal->resent, 0);
    assert_int_equal(journal->urgent, 0);
    assert_int_equal(journal->awaited, 0);
    assert_int_equal(journal->bytes, 0);
}

TEST(test_what_is_stored_is_answered_oldest_first_over_all_kinds)
{
    struct diary diary;
    start(&diary);
    append(&diary, &edit, 1, 7);
    append(&diary, &letter, 2, 8);
    append(&diary, &remark, 3, 0);
    append(&diary, &edit, 4, 7);
    send(&diary, 1234);
    append(&diary, &letter, 5, 8);
    settle(&diary);
    assert_noted(&diary, "+1 7:1 ~1 +2 8:2 ~2 ~3 +4 7:4 ~4 ");
    send(&diary, 5);
    settle(&diary);
    assert_noted(&diary, "+5 8:5 ~5 ");
    assert_empty(&diary.journal);
}

/* What came after the batch stands on what was in it. */
TEST(test_what_is_refused_goes_back_newest_first_over_all_kinds)
{
    struct diary diary;
    start(&diary);
    append(&diary, &edit, 1, 7);
    append(&diary, &remark, 2, 0);
    append(&diary, &letter, 3, 8);
    send(&diary, 123);
    append(&diary, &edit, 4, 7);
    gz_journal_refuse(&diary.journal, "full");
    assert_noted(&diary, "-4 7!storage ~4 -3 8!storage ~3 -1 7!storage ~1 ");
    assert_int_equal(diary.journal.others, 1);
    send(&diary, 2);
    assert_int_equal(diary.journal.others, 0);
    settle(&diary);
    assert_noted(&diary, "~2 ");
    assert_empty(&diary.journal);
}

/* Each batch answers for its own entries, in the order in which they left. */
TEST(test_several_batches_are_with_the_disk)
{
    struct diary diary;
    start(&diary);
    append(&diary, &edit, 1, 7);
    append(&diary, &remark, 2, 0);
    send(&diary, 12);
    append(&diary, &edit, 3, 7);
    send(&diary, 3);
    append(&diary, &edit, 4, 8);
    assert_int_equal(gz_journal_with_disk(&diary.journal), 2);
    settle(&diary);
    assert_noted(&diary, "+1 7:1 ~1 ~2 ");
    send(&diary, 4);
    settle(&diary);
    assert_noted(&diary, "+3 7:3 ~3 ");
    settle(&diary);
    assert_noted(&diary, "+4 8:4 ~4 ");
    assert_int_equal(gz_journal_with_disk(&diary.journal), 0);
    assert_empty(&diary.journal);
}

/* What it stands on is all in batches: it needs no batch of its own, and is stored with the last of
 * them. What comes after it does not hold it up. */
TEST(test_an_answer_goes_with_what_is_before_it)
{
    struct diary diary;
    start(&diary);
    append(&diary, &edit, 1, 7);
    send(&diary, 1);
    append(&diary, &edit, 2, 7);
    send(&diary, 2);
    follow(&diary, 5, 8, false);
    assert_int_equal(diary.journal.urgent, 0);
    assert_int_equal(diary.journal.awaited, 3);
    append(&diary, &edit, 3, 7);
    follow(&diary, 6, 8, false); /* stands on 3, which is in no batch */
    settle(&diary);
    assert_noted(&diary, "+1 7:1 ~1 ");
    send(&diary, 3);
    settle(&diary);
    assert_noted(&diary, "+2 7:2 ~2 +5 8:5 ~5 ");
    follow(&diary, 7, 8, true); /* stands on samples, which are in no batch */
    assert_true(gz_journal_due(&diary.journal, true, false) == -INFINITY);
    settle(&diary);
    assert_noted(&diary, "+3 7:3 ~3 +6 8:6 ~6 ");
    send(&diary, 0);
    settle(&diary);
    assert_noted(&diary, "+7 8:7 ~7 ");
    assert_empty(&diary.journal);
}

TEST(test_an_answer_goes_back_with_what_is_before_it)
{
    struct diary diary;
    start(&diary);
    append(&diary, &edit, 1, 7);
    send(&diary, 1);
    follow(&diary, 5, 8, false);
    append(&diary, &edit, 2, 7);
    follow(&diary, 6, 8, false);
    gz_journal_refuse(&diary.journal, "full");
    assert_noted(&diary, "-6 8!storage ~6 -2 7!storage ~2 -5 8!storage ~5 -1 7!storage ~1 ");
    assert_empty(&diary.journal);
}

/* They stand on the one that was refused, and so nothing is sent until all of them are back. */
TEST(test_a_refused_batch_takes_those_after_it_along)
{
    struct diary diary;
    start(&diary);
    append(&diary, &remark, 1, 0);
    append(&diary, &edit, 2, 7);
    send(&diary, 12);
    append(&diary, &edit, 3, 7);
    send(&diary, 3);
    append(&diary, &edit, 4, 7);
    assert_false(gz_journal_skip(&diary.journal));
    gz_journal_refuse(&diary.journal, "full");
    assert_noted(&diary, "-4 7!storage ~4 -3 7!storage ~3 -2 7!storage ~2 ");
    append(&diary, &edit, 5, 7);
    assert_true(gz_journal_due(&diary.journal, true, false) == INFINITY);
    assert_true(gz_journal_skip(&diary.journal));
    assert_noted(&diary, "");
    assert_true(gz_journal_due(&diary.journal, true, false) == 1 + GZ_RETRY_MS / 1000.0);
    send(&diary, 15);
    assert_false(gz_journal_skip(&diary.journal));
    settle(&diary);
    assert_noted(&diary, "~1 +5 7:5 ~5 ");
    assert_empty(&diary.journal);
}

TEST(test_without_memory_what_is_older_stays_and_nobody_waits)
{
    struct diary diary;
    start(&diary);
    append(&diary, &letter, 1, 8);
    append(&diary, &remark, 2, 0);
    struct thing *stuck = append(&diary, &edit, 3, 7);
    wait_too(&diary, &stuck->entry, 6);
    append(&diary, &edit, 4, 7);
    send(&diary, 1234);
    diary.stuck = 3;
    gz_journal_refuse(&diary.journal, "full");
    assert_noted(&diary, "-4 7!storage ~4 7!internal 6!internal 8!internal ");
    assert_int_equal(diary.journal.requests, 2);
    assert_int_equal(diary.journal.resent, 0);
    append(&diary, &edit, 5, 7);
    send(&diary, 1235);
    settle(&diary);
    assert_noted(&diary, "+1 ~1 ~2 +3 ~3 +5 7:5 ~5 ");
    assert_empty(&diary.journal);
}

/* Taking back may leave a trace for the file, and may end what others waited for. */
TEST(test_the_queue_may_change_while_it_is_taken_back)
{
    struct diary diary;
    start(&diary);
    append(&diary, &remark, 1, 0);
    append(&diary, &edit, 2, 7);
    append(&diary, &remark, 3, 0);
    append(&diary, &edit, 4, 7);
    diary.appends = true;
    gz_journal_refuse(&diary.journal, "full");
    assert_noted(&diary, "-4 7!storage ~4 -2 7!storage ~2 ");
    diary.appends = false;
    send(&diary, 1399);
    settle(&diary);
    assert_noted(&diary, "~1 ~3 ~9 ~9 ");
    append(&diary, &remark, 1, 0);
    append(&diary, &edit, 2, 7);
    append(&diary, &remark, 3, 0);
    append(&diary, &edit, 4, 7);
    send(&diary, 1234);
    diary.forgets = true;
    gz_journal_refuse(&diary.journal, "full");
    assert_noted(&diary, "-4 ~1 7!storage ~4 -2 ~3 7!storage ~2 ");
    assert_empty(&diary.journal);
}

TEST(test_all_waiters_are_answered)
{
    struct diary diary;
    start(&diary);
    struct thing *thing = append(&diary, &edit, 1, 7);
    thing->entry.key = "k";
    struct gz_journal_entry *found = gz_journal_find(&diary.journal, &edit, "ann", "k");
    assert_ptr_equal(found, &thing->entry);
    assert_null(gz_journal_find(&diary.journal, &letter, "ann", "k"));
    assert_null(gz_journal_find(&diary.journal, &edit, "bob", "k"));
    assert_null(gz_journal_find(&diary.journal, &edit, "ann", "j"));
    wait_too(&diary, found, 5);
    wait_too(&diary, found, 6);
    append(&diary, &edit, 2, 0);
    assert_int_equal(diary.journal.resent, 2);
    send(&diary, 12);
    settle(&diary);
    assert_noted(&diary, "+1 7:1 6:1 5:1 ~1 +2 ~2 ");
    assert_empty(&diary.journal);
}

/* Who repeats one request is in nobody's way either. */
TEST(test_requests_sent_again_have_a_bound_of_their_own)
{
    struct diary diary;
    struct gz_error error;
    start(&diary);
    struct thing *thing = append(&diary, &edit, 1, 7);
    for (int i = 0; i < GZ_REQUESTS_RESENT_MAX; i++) wait_too(&diary, &thing->entry, 0);
    assert_int_equal(gz_journal_wait(&diary.journal, &thing->entry, thing->entry.waiter, &error),
                     GZ_TOO_MANY);
    assert_int_equal(gz_journal_check_room(&diary.journal, &error), GZ_OK);
    gz_journal_finish(&diary.journal);
    assert_empty(&diary.journal);
}

TEST(test_what_waits_is_bounded_by_number_and_by_bytes)
{
    struct diary diary;
    struct gz_error error;
    start(&diary);
    struct thing *thing = NULL;
    append(&diary, &remark, 2, 0); /* is in nobody's way */
    for (int i = 0; i < GZ_PENDING_EDITS_MAX; i++) {
        assert_int_equal(gz_journal_check_room(&diary.journal, &error), GZ_OK);
        thing = append(&diary, &letter, 3, 8);
    }
    assert_int_equal(gz_journal_check_room(&diary.journal, &error), GZ_TOO_MANY);
    gz_journal_refuse(&diary.journal, "full");
    assert_int_equal(gz_journal_check_room(&diary.journal, &error), GZ_OK);
    thing = calloc(1, sizeof *thing);
    assert_non_null(thing);
    thing->entry = (struct gz_journal_entry){.kind = &edit, .bytes = GZ_EDIT_BYTES_MAX};
    gz_journal_append(&diary.journal, &thing->entry);
    assert_int_equal(gz_journal_check_room(&diary.journal, &error), GZ_TOO_MANY);
    gz_journal_finish(&diary.journal);
    assert_empty(&diary.journal);
}

TEST(test_when_a_batch_is_due)
{
    struct diary diary;
    const struct gz_journal *journal = &diary.journal;
    const double sample_s = GZ_SAMPLE_MS_MIN / 1000.0, retry_s = GZ_RETRY_MS / 1000.0;
    start(&diary);
    assert_true(gz_journal_due(journal, false, false) == INFINITY);
    assert_true(gz_journal_due(journal, true, false) == -INFINITY);
    append(&diary, &remark, 1, 0);
    send(&diary, 1);
    settle(&diary);
    append(&diary, &remark, 1, 0);
    assert_true(gz_journal_due(journal, false, false) == 1 + sample_s);
    append(&diary, &edit, 2, 7);
    assert_true(gz_journal_due(journal, false, false) == -INFINITY);
    send(&diary, 12);
    append(&diary, &remark, 3, 0);
    assert_true(gz_journal_due(journal, true, false) == INFINITY);
    for (uint64_t id = 4; id < 6; id++) {
        append(&diary, &edit, id, 7); /* does not wait for the batch before it */
        assert_true(gz_journal_due(journal, false, false) == -INFINITY);
        send(&diary, id == 4 ? 34 : 5);
    }
    append(&diary, &edit, 6, 7);
    assert_true(gz_journal_due(journal, true, false) == INFINITY); /* three are with the disk */
    settle(&diary);
    assert_true(gz_journal_due(journal, false, false) == -INFINITY);
    settle(&diary);
    settle(&diary);
    gz_journal_tried(&diary.journal, 2, false); /* no memory for a batch */
    assert_true(gz_journal_due(journal, false, false) == 2 + retry_s);
    gz_journal_refuse(&diary.journal, "no memory");
    assert_true(gz_journal_due(journal, false, false) == INFINITY);
    append(&diary, &edit, 4, 7);
    assert_true(gz_journal_due(journal, false, false) == 2 + retry_s);
    send(&diary, 4);
    settle(&diary);
    assert_true(gz_journal_due(journal, true, false) == 1 + sample_s);
    append(&diary, &remark, 7, 0);
    send(&diary, 7); /* and does not leave yet */
    assert_true(gz_journal_due(journal, false, true) == 1 + sample_s);
    append(&diary, &edit, 8, 7);
    assert_true(gz_journal_due(journal, false, true) == -INFINITY);
    gz_journal_finish(&diary.journal);
}

TEST(test_a_batch_without_memory_is_none)
{
    struct diary diary;
    struct gz_batch batch = {.seq = 0};
    start(&diary);
    append(&diary, &edit, 1, 7);
    append(&diary, &edit, 99, 7);
    append(&diary, &edit, 3, 7);
    assert_false(gz_journal_add(&diary.journal, &batch));
    settle(&diary); /* nothing was sent */
    assert_noted(&diary, "");
    gz_journal_finish(&diary.journal);
    assert_noted(&diary, "~3 ~99 ~1 ");
}
