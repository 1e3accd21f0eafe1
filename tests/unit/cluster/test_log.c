/* The log of a cluster as log.h promises it, in memory and in a real PostgreSQL. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/secret.h"
#include "unit/cluster/log_stage.h"

#define PART ((size_t)GZ_CLUSTER_PART_BYTES)

/* ---- members ---- */

struct names {
    int count;
    char text[256];
};

static enum gz_status add_name(void *to, const struct gz_member *member, struct gz_error *error)
{
    struct names *names = to;
    (void)error;
    assert_string_equal(member->version, "1.2.3");
    names->count++;
    strncat(names->text, member->name, sizeof names->text - strlen(names->text) - 1);
    strncat(names->text, " ", 2);
    return GZ_OK;
}

TEST(members_come_and_go)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *anna = &stage->anna, cleo;
    struct gz_error error;
    struct names names = {0};
    log_stage_enter(stage, &cleo, "cleo");
    assert_int_equal(anna->members(anna->context, add_name, &names, &error), GZ_OK);
    assert_string_equal(names.text, "anna bert cleo ");
    assert_int_equal(cleo.leave(cleo.context, &error), GZ_OK);
    assert_int_equal(cleo.renew(cleo.context, &simulated_log_well, &error), GZ_BAD_STATE);
    log_stage_drop(stage, &cleo);
    names = (struct names){0};
    assert_int_equal(anna->members(anna->context, add_name, &names, &error), GZ_OK);
    assert_string_equal(names.text, "anna bert ");
}

static enum gz_status add_lag(void *to, const struct gz_member *member, struct gz_error *error)
{
    (void)error;
    if (strcmp(member->name, "bert") == 0) *(struct gz_member_lag *)to = member->lag;
    return GZ_OK;
}

TEST(what_a_member_lacks_is_said)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *anna = &stage->anna, *bert = &stage->bert;
    const struct gz_member_lag lag = {.changes = 3, .seconds = 60, .scene = "late"}, none = {0};
    struct gz_member_lag found;
    struct gz_error error;
    assert_int_equal(bert->report(bert->context, &lag, &error), GZ_OK);
    assert_int_equal(anna->members(anna->context, add_lag, &found, &error), GZ_OK);
    assert_int_equal(found.changes, 3);
    assert_string_equal(found.scene, "late");
    assert_true(found.seconds >= 60);
    assert_int_equal(bert->report(bert->context, &none, &error), GZ_OK);
    assert_int_equal(anna->members(anna->context, add_lag, &found, &error), GZ_OK);
    assert_int_equal(found.changes, 0);
    assert_string_equal(found.scene, "");
}

TEST(the_later_of_two_with_one_name_is_it)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log first, second;
    struct gz_error error;
    log_stage_enter(stage, &first, "dora");
    assert_int_equal(first.renew(first.context, &simulated_log_well, &error), GZ_OK);
    log_stage_enter(stage, &second, "dora");
    assert_int_equal(first.renew(first.context, &simulated_log_well, &error), GZ_BAD_STATE);
    assert_int_equal(second.renew(second.context, &simulated_log_well, &error), GZ_OK);
    assert_int_equal(first.leave(first.context, &error), GZ_OK);
    assert_int_equal(second.renew(second.context, &simulated_log_well, &error), GZ_OK);
    assert_int_equal(second.leave(second.context, &error), GZ_OK);
    log_stage_drop(stage, &first);
    log_stage_drop(stage, &second);
}

/* ---- leases ---- */

TEST(one_has_the_lease)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *anna = &stage->anna, *bert = &stage->bert;
    struct gz_error error;
    struct gz_lease lease;
    assert_int_equal(anna->take(anna->context, "lease", false, 0, &lease, &error),
                     GZ_UNKNOWN_SCENE);
    assert_false(lease.scene.is_gone);
    struct gz_cluster_scene first = log_stage_take(anna, "lease");
    assert_int_equal(first.epoch, 1);
    assert_int_equal(first.n, first.first_n);
    assert_true(first.n > 1000000 && !first.has_copy);
    assert_int_equal(bert->take(bert->context, "lease", true, 0, &lease, &error), GZ_OK);
    assert_false(lease.is_mine);
    assert_string_equal(lease.scene.member, "anna");
    assert_string_equal(lease.url, "http://anna.example:7432");
    struct gz_cluster_scene again = log_stage_take(anna, "lease");
    assert_int_equal(again.epoch, 2);
    assert_int_equal(again.first_n, first.first_n);
    assert_int_equal(log_stage_append(anna, "lease", 1, first.n + 1, 10), GZ_BAD_STATE);
    assert_int_equal(log_stage_copy(anna, "lease", 1, first.n, 10), GZ_BAD_STATE);
    assert_int_equal(anna->give(anna->context, "lease", 1, &error), GZ_BAD_STATE);
    assert_int_equal(anna->give(anna->context, "lease", 2, &error), GZ_OK);
    assert_int_equal(log_stage_append(anna, "lease", 2, first.n + 1, 10), GZ_BAD_STATE);
    assert_int_equal(log_stage_take(bert, "lease").epoch, 3);
}

/* Of a file that was in a database with a later clock. */
TEST(a_scene_begins_after_its_file)
{
    struct gz_cluster_log *anna = &((struct log_stage *)*state)->anna;
    const uint64_t place = UINT64_C(1) << 50;
    struct gz_error error;
    struct gz_lease lease;
    assert_int_equal(anna->take(anna->context, "ahead", true, place, &lease, &error), GZ_OK);
    assert_int_equal(lease.scene.first_n, place + 1);
    assert_int_equal(lease.scene.n, place + 1);
    assert_int_equal(anna->forget(anna->context, "ahead", lease.scene.epoch, &error), GZ_OK);
    assert_int_equal(anna->take(anna->context, "ahead", true, place + 9, &lease, &error), GZ_OK);
    assert_int_equal(lease.scene.first_n, place + 10);
    assert_int_equal(log_stage_append(anna, "ahead", lease.scene.epoch, place + 11, 10), GZ_OK);
}

TEST(a_lease_is_taken_from_the_dead)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *anna = &stage->anna, *bert = &stage->bert;
    struct gz_error error;
    struct gz_lease lease;
    uint64_t epoch;
    struct gz_cluster_scene mine = log_stage_take(anna, "dead");
    assert_int_equal(log_stage_append(anna, "dead", mine.epoch, mine.n + 1, 10), GZ_OK);
    assert_int_equal(anna->renew(anna->context, &simulated_log_well, &error), GZ_OK);
    log_stage_set_age(stage, LOG_STAGE_ALIVE);
    assert_int_equal(bert->take(bert->context, "dead", false, 0, &lease, &error), GZ_OK);
    assert_false(lease.is_mine);
    log_stage_set_age(stage, GZ_CLUSTER_LEASE_SECONDS + 0.5);
    assert_int_equal(bert->take(bert->context, "dead", false, 0, &lease, &error), GZ_OK);
    assert_true(lease.is_mine);
    assert_int_equal(lease.scene.epoch, mine.epoch + 1);
    assert_int_equal(lease.scene.n, mine.n + 1);
    /* The late one writes nothing more. */
    assert_int_equal(log_stage_append(anna, "dead", mine.epoch, mine.n + 2, 10), GZ_BAD_STATE);
    assert_int_equal(log_stage_copy(anna, "dead", mine.epoch, mine.n + 1, 10), GZ_BAD_STATE);
    assert_int_equal(anna->give(anna->context, "dead", mine.epoch, &error), GZ_BAD_STATE);
    assert_int_equal(anna->forget(anna->context, "dead", mine.epoch, &error), GZ_BAD_STATE);
    assert_int_equal(anna->rename(anna->context, "dead", mine.epoch, "dead2", &epoch, &error),
                     GZ_BAD_STATE);
    assert_int_equal(log_stage_append(bert, "dead", mine.epoch + 1, mine.n + 2, 10), GZ_OK);
    assert_int_equal(log_stage_read(anna, "dead", mine.n).count, 2);
    log_stage_set_age(stage, LOG_STAGE_ALIVE);
}

TEST(after_an_outage_all_may_come_back)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *bert = &stage->bert, cleo;
    struct gz_error error;
    struct gz_lease lease;
    log_stage_take(&stage->anna, "outage");
    log_stage_set_age(stage, LOG_STAGE_DEAD);
    assert_int_equal(bert->renew(bert->context, &simulated_log_well, &error), GZ_OK);
    assert_int_equal(bert->take(bert->context, "outage", false, 0, &lease, &error), GZ_OK);
    assert_false(lease.is_mine);
    /* The same for one that is new; from one that left everybody may take. */
    log_stage_enter(stage, &cleo, "cleo");
    assert_int_equal(cleo.take(cleo.context, "outage", false, 0, &lease, &error), GZ_OK);
    assert_false(lease.is_mine);
    assert_int_equal(stage->anna.leave(stage->anna.context, &error), GZ_OK);
    assert_int_equal(cleo.take(cleo.context, "outage", false, 0, &lease, &error), GZ_OK);
    assert_true(lease.is_mine);
    assert_int_equal(cleo.leave(cleo.context, &error), GZ_OK);
    log_stage_drop(stage, &cleo);
    log_stage_drop(stage, &stage->anna);
    log_stage_enter(stage, &stage->anna, "anna");
    log_stage_set_age(stage, LOG_STAGE_ALIVE);
}

TEST(a_scene_is_wanted)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *anna = &stage->anna, *bert = &stage->bert;
    struct gz_error error;
    struct gz_lease lease;
    assert_int_equal(bert->want(bert->context, "wanted", "bert", &error), GZ_UNKNOWN_SCENE);
    struct gz_cluster_scene mine = log_stage_take(anna, "wanted");
    assert_int_equal(bert->want(bert->context, "wanted", "emil", &error), GZ_BAD_VALUE);
    assert_int_equal(bert->want(bert->context, "wanted", "bert", &error), GZ_OK);
    assert_string_equal(log_stage_find(anna, "wanted").wanted, "bert");
    assert_int_equal(bert->want(bert->context, "wanted", "anna", &error), GZ_OK);
    assert_string_equal(log_stage_find(anna, "wanted").wanted, "");
    assert_int_equal(bert->want(bert->context, "wanted", "bert", &error), GZ_OK);
    assert_int_equal(log_stage_append(anna, "wanted", mine.epoch, mine.n + 1, 10), GZ_OK);
    assert_int_equal(anna->give(anna->context, "wanted", mine.epoch, &error), GZ_OK);
    assert_int_equal(anna->take(anna->context, "wanted", false, 0, &lease, &error), GZ_OK);
    assert_false(lease.is_mine);
    assert_string_equal(lease.url, "http://bert.example:7432");
    assert_string_equal(lease.scene.wanted, "");
    mine = log_stage_take(bert, "wanted");
    assert_int_equal(bert->give(bert->context, "wanted", mine.epoch, &error), GZ_OK);
    /* Nobody has it: it is given at once. */
    assert_int_equal(bert->want(bert->context, "wanted", "anna", &error), GZ_OK);
    assert_string_equal(log_stage_find(anna, "wanted").member, "anna");
}

/* ---- the log of a scene ---- */

TEST(changes_come_in_order_and_once)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *anna = &stage->anna;
    struct gz_cluster_scene mine = log_stage_take(anna, "order");
    uint64_t from = mine.n;
    assert_int_equal(log_stage_append(anna, "order", mine.epoch, from + 2, 10), GZ_BAD_STATE);
    for (uint64_t i = 1; i <= 20; i++)
        assert_int_equal(log_stage_append(anna, "order", mine.epoch, from + i, 7 * i), GZ_OK);
    assert_int_equal(log_stage_append(anna, "order", mine.epoch, from + 20, 140), GZ_OK);
    assert_int_equal(log_stage_append(anna, "order", mine.epoch, from + 19, 133), GZ_OK);
    assert_int_equal(log_stage_append(anna, "order", mine.epoch, from + 20, 139), GZ_BAD_STATE);
    assert_int_equal(log_stage_append(anna, "order", mine.epoch, from, 10), GZ_BAD_STATE);
    struct log_read read = log_stage_read(&stage->bert, "order", from);
    assert_true(read.status == GZ_OK && read.first == from + 1 && read.last == from + 20);
    read = log_stage_read(&stage->bert, "order", from + 18);
    assert_true(read.status == GZ_OK && read.first == from + 19 && read.count == 2);
    assert_int_equal(log_stage_read(&stage->bert, "order", from + 20).count, 0);
    assert_int_equal(log_stage_read(&stage->bert, "order", from + 20).status, GZ_OK);
    assert_int_equal(log_stage_read(&stage->bert, "order", from + 21).status, GZ_CONFLICT);
    assert_int_equal(log_stage_read(&stage->bert, "order", 0).status, GZ_CONFLICT);
    assert_int_equal(log_stage_read(&stage->bert, "nowhere", 0).status, GZ_UNKNOWN_SCENE);
    assert_int_equal(log_stage_find(anna, "order").bytes_since_copy, 7 * 210);
}

TEST(changes_have_any_size)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *anna = &stage->anna;
    struct gz_cluster_scene mine = log_stage_take(anna, "sizes");
    const size_t sizes[] = {0, 1, PART - 1, PART, PART + 1, 3 * PART + 17, 5};
    uint64_t n = mine.n;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        assert_int_equal(log_stage_append(anna, "sizes", mine.epoch, ++n, sizes[i]), GZ_OK);
    assert_int_equal(log_stage_append(anna, "sizes", mine.epoch, n - 1, 3 * PART + 17), GZ_OK);
    struct log_read read = log_stage_read(&stage->bert, "sizes", mine.n);
    assert_true(read.status == GZ_OK && read.count == 7 && read.last == n);
}

static enum gz_status stop(void *to, const struct gz_cluster_change *change, struct gz_error *error)
{
    (*(int *)to)++;
    (void)change;
    return gz_fail(error, GZ_LOCKED, "enough");
}

TEST(a_reader_may_stop)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *anna = &stage->anna;
    struct gz_cluster_scene mine = log_stage_take(anna, "stop");
    struct gz_error error;
    int count = 0;
    for (uint64_t i = 1; i <= 5; i++)
        assert_int_equal(log_stage_append(anna, "stop", mine.epoch, mine.n + i, 10), GZ_OK);
    assert_int_equal(anna->read(anna->context, "stop", mine.n, stop, &count, &error), GZ_LOCKED);
    assert_int_equal(count, 1);
    assert_int_equal(log_stage_read(anna, "stop", mine.n).count, 5);
}

static void check_copy(const struct gz_cluster_log *log, const char *scene, uint64_t epoch,
                       uint64_t n, size_t size)
{
    uint8_t *expected = log_stage_bytes(n, epoch, size), *got = malloc(size + 1);
    struct gz_cluster_scene found;
    struct gz_error error;
    FILE *file = tmpfile();
    assert_int_equal(log->read_copy(log->context, scene, fileno(file), &found, &error), GZ_OK);
    assert_true(found.has_copy && found.copy_n == n && found.copy_bytes == size);
    assert_int_equal(found.copy_version, 13);
    rewind(file);
    assert_int_equal(fread(got, 1, size + 1, file), size);
    assert_memory_equal(got, expected, size);
    fclose(file);
    free(expected);
    free(got);
}

TEST(a_copy_takes_the_place_of_what_was)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *anna = &stage->anna, *bert = &stage->bert;
    struct gz_cluster_scene mine = log_stage_take(anna, "copy");
    struct gz_cluster_scene found;
    struct gz_error error;
    uint64_t n = mine.n, epoch = mine.epoch;
    assert_int_equal(bert->read_copy(bert->context, "copy", -1, &found, &error), GZ_BAD_STATE);
    assert_int_equal(log_stage_copy(anna, "copy", epoch, n, 2 * PART + 5), GZ_OK);
    check_copy(bert, "copy", epoch, n, 2 * PART + 5);
    for (uint64_t i = 1; i <= 10; i++)
        assert_int_equal(log_stage_append(anna, "copy", epoch, n + i, 100), GZ_OK);
    assert_int_equal(log_stage_copy(anna, "copy", epoch, n + 11, 10), GZ_BAD_STATE);
    assert_int_equal(log_stage_copy(anna, "copy", epoch, n - 1, 10), GZ_BAD_STATE);
    assert_int_equal(log_stage_copy(anna, "copy", epoch, n + 6, PART), GZ_OK);
    assert_int_equal(log_stage_copy(anna, "copy", epoch, n + 6, PART), GZ_OK);
    check_copy(bert, "copy", epoch, n + 6, PART);
    found = log_stage_find(bert, "copy");
    assert_int_equal(found.bytes_since_copy, 400);
    assert_int_equal(found.copy_bytes, PART);
    assert_int_equal(log_stage_read(bert, "copy", n + 5).status, GZ_CONFLICT);
    assert_int_equal(log_stage_read(bert, "copy", n + 6).count, 4);
    assert_int_equal(log_stage_copy(anna, "copy", epoch, n + 3, 10), GZ_BAD_STATE);
    /* Once more at the same place, by the next writer. */
    epoch = log_stage_take(anna, "copy").epoch;
    assert_int_equal(log_stage_copy(anna, "copy", epoch, n + 10, 0), GZ_OK);
    assert_int_equal(log_stage_copy(anna, "copy", epoch, n + 10, 0), GZ_OK);
    epoch = log_stage_take(anna, "copy").epoch;
    assert_int_equal(log_stage_copy(anna, "copy", epoch, n + 10, 20), GZ_OK);
    check_copy(bert, "copy", epoch, n + 10, 20);
    assert_int_equal(log_stage_append(anna, "copy", epoch, n + 11, 100), GZ_OK);
    assert_int_equal(log_stage_read(bert, "copy", n + 10).count, 1);
}

/* As if its author had been cut off in the middle: a real one has no other leftovers. */
static void leave_copy(const struct log_stage *stage, const char *scene, uint64_t n, uint64_t epoch,
                       int parts)
{
    char sql[300];
    for (int part = 0; stage->engine == NULL && part < parts; part++) {
        snprintf(sql, sizeof sql,
                 "INSERT INTO gizmod.copies (life, n, epoch, part, bytes) SELECT life, %llu, %llu, "
                 "%d, 'left' FROM gizmod.scenes WHERE name = '%s'",
                 (unsigned long long)n, (unsigned long long)epoch, part, scene);
        test_postgres_ask(&stage->postgres, sql);
    }
}

static void expect_parts(const struct log_stage *stage, const char *scene, int parts)
{
    char sql[200];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM gizmod.copies c JOIN gizmod.scenes s ON s.life = c.life WHERE "
             "s.name = '%s'",
             scene);
    if (stage->engine == NULL) assert_int_equal(test_postgres_ask(&stage->postgres, sql), parts);
}

TEST(leftovers_of_a_copy_are_no_part_of_another)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *anna = &stage->anna, *bert = &stage->bert;
    struct gz_cluster_scene mine = log_stage_take(anna, "left");
    uint64_t n = mine.n, epoch = mine.epoch;
    assert_int_equal(log_stage_copy(anna, "left", epoch, n, PART + 5), GZ_OK);
    assert_int_equal(log_stage_append(anna, "left", epoch, n + 1, 100), GZ_OK);
    leave_copy(stage, "left", n + 1, epoch, 3);
    check_copy(bert, "left", epoch, n, PART + 5);
    /* Of an earlier epoch: at the place of the copy in force, and at that of the next. */
    epoch = log_stage_take(anna, "left").epoch;
    leave_copy(stage, "left", n, epoch, 3);
    check_copy(bert, "left", mine.epoch, n, PART + 5);
    epoch = log_stage_take(anna, "left").epoch;
    assert_int_equal(log_stage_copy(anna, "left", epoch, n + 1, 2 * PART), GZ_OK);
    check_copy(bert, "left", epoch, n + 1, 2 * PART);
    expect_parts(stage, "left", 2);
    /* Of the same epoch, at the same place. */
    assert_int_equal(log_stage_append(anna, "left", epoch, n + 2, 100), GZ_OK);
    leave_copy(stage, "left", n + 2, epoch, 3);
    assert_int_equal(log_stage_copy(anna, "left", epoch, n + 2, 7), GZ_OK);
    check_copy(bert, "left", epoch, n + 2, 7);
    expect_parts(stage, "left", 1);
}

struct overtaken {
    const struct gz_cluster_log *log;
    uint64_t epoch, last, count, copy_at;
};

static enum gz_status overtake(void *to, const struct gz_cluster_change *change,
                               struct gz_error *error)
{
    struct overtaken *reader = to;
    (void)error;
    assert_int_equal(change->n, reader->last + 1);
    reader->last = change->n;
    if (++reader->count == 2)
        assert_int_equal(
            log_stage_copy(reader->log, "overtaken", reader->epoch, reader->copy_at, 10), GZ_OK);
    return GZ_OK;
}

/* The reader gets all of them, or is told to begin with the copy; never some and no word. */
TEST(a_copy_deletes_what_is_being_read)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *anna = &stage->anna, *bert = &stage->bert;
    struct gz_cluster_scene mine = log_stage_take(anna, "overtaken");
    struct gz_error error;
    const uint64_t changes = 8;
    for (uint64_t i = 1; i <= changes; i++)
        assert_int_equal(log_stage_append(anna, "overtaken", mine.epoch, mine.n + i, PART / 2),
                         GZ_OK);
    struct overtaken reader = {
        .log = anna, .epoch = mine.epoch, .last = mine.n, .copy_at = mine.n + 5};
    enum gz_status status =
        bert->read(bert->context, "overtaken", mine.n, overtake, &reader, &error);
    assert_true(status == GZ_OK ? reader.count == changes
                                : status == GZ_CONFLICT && reader.count >= 2);
    assert_int_equal(log_stage_read(bert, "overtaken", reader.copy_at).count, changes - 5);
    assert_int_equal(log_stage_read(bert, "overtaken", mine.n).status, GZ_CONFLICT);
    check_copy(bert, "overtaken", mine.epoch, reader.copy_at, 10);
}

/* ---- deleting and renaming ---- */

TEST(a_deleted_scene_is_known_as_gone)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *anna = &stage->anna, *bert = &stage->bert;
    struct gz_cluster_scene mine = log_stage_take(anna, "gone"), found;
    struct gz_error error;
    struct gz_lease lease;
    assert_int_equal(log_stage_copy(anna, "gone", mine.epoch, mine.n, 100), GZ_OK);
    assert_int_equal(log_stage_append(anna, "gone", mine.epoch, mine.n + 1, 100), GZ_OK);
    assert_int_equal(anna->forget(anna->context, "gone", mine.epoch + 1, &error), GZ_BAD_STATE);
    assert_int_equal(anna->forget(anna->context, "gone", mine.epoch, &error), GZ_OK);
    assert_int_equal(anna->forget(anna->context, "gone", mine.epoch, &error), GZ_OK);
    assert_true(log_stage_find(bert, "gone").is_gone);
    assert_int_equal(log_stage_read(bert, "gone", mine.n).status, GZ_UNKNOWN_SCENE);
    assert_int_equal(bert->read_copy(bert->context, "gone", -1, &found, &error), GZ_UNKNOWN_SCENE);
    assert_int_equal(bert->take(bert->context, "gone", false, 0, &lease, &error), GZ_UNKNOWN_SCENE);
    assert_true(lease.scene.is_gone);
    /* A new scene of that name has other places. */
    struct gz_cluster_scene later = log_stage_take(bert, "gone");
    assert_true(later.first_n > mine.n + 1 && later.n == later.first_n && !later.has_copy);
    assert_int_equal(later.before_n, mine.n + 1);
    assert_true(later.epoch > mine.epoch);
    assert_int_equal(log_stage_read(bert, "gone", mine.n + 1).status, GZ_CONFLICT);
    assert_int_equal(log_stage_append(anna, "gone", mine.epoch, later.n + 1, 100), GZ_BAD_STATE);
    assert_int_equal(log_stage_append(bert, "gone", later.epoch, later.n + 1, 100), GZ_OK);
}

static uint64_t rename_scene(const struct gz_cluster_log *log, const char *scene, uint64_t epoch,
                             const char *to)
{
    struct gz_error error = {0};
    uint64_t new_epoch = 0;
    if (log->rename(log->context, scene, epoch, to, &new_epoch, &error) != GZ_OK)
        fail_msg("%s is not renamed: %s", scene, error.message);
    return new_epoch;
}

TEST(a_renamed_scene_goes_on)
{
    struct log_stage *stage = *state;
    struct gz_cluster_log *anna = &stage->anna, *bert = &stage->bert;
    struct gz_cluster_scene mine = log_stage_take(anna, "old"),
                            other = log_stage_take(bert, "taken");
    struct gz_error error;
    uint64_t epoch;
    assert_int_equal(log_stage_copy(anna, "old", mine.epoch, mine.n, 100), GZ_OK);
    assert_int_equal(log_stage_append(anna, "old", mine.epoch, mine.n + 1, 100), GZ_OK);
    assert_int_equal(anna->rename(anna->context, "old", mine.epoch, "taken", &epoch, &error),
                     GZ_CONFLICT);
    assert_int_equal(rename_scene(anna, "old", mine.epoch, "new"), mine.epoch);
    assert_int_equal(rename_scene(anna, "old", mine.epoch, "new"), mine.epoch);
    struct gz_cluster_scene before = log_stage_find(bert, "old");
    assert_true(before.is_gone);
    assert_string_equal(before.became, "new");
    assert_int_equal(log_stage_append(anna, "new", mine.epoch, mine.n + 2, 100), GZ_OK);
    assert_int_equal(log_stage_read(bert, "new", mine.n).count, 2);
    check_copy(bert, "new", mine.epoch, mine.n, 100);
    /* A name whose scene is gone can be taken; its epoch does not fall. */
    assert_int_equal(bert->forget(bert->context, "taken", other.epoch, &error), GZ_OK);
    epoch = rename_scene(anna, "new", mine.epoch, "taken");
    assert_int_equal(epoch, other.epoch + 1);
    assert_int_equal(rename_scene(anna, "new", mine.epoch, "taken"), epoch);
    assert_int_equal(log_stage_find(bert, "taken").epoch, epoch);
    /* It may be older than the scene that had the name before. */
    assert_int_equal(log_stage_find(bert, "new").before_n, 0);
    assert_int_equal(log_stage_find(bert, "taken").before_n, other.n);
    assert_int_equal(log_stage_append(anna, "taken", mine.epoch, mine.n + 3, 100), GZ_BAD_STATE);
    assert_int_equal(log_stage_append(anna, "taken", epoch, mine.n + 3, 100), GZ_OK);
    check_copy(bert, "taken", mine.epoch, mine.n, 100);
    assert_int_equal(log_stage_read(bert, "taken", mine.n).count, 3);
    assert_int_equal(log_stage_read(bert, "new", mine.n).status, GZ_UNKNOWN_SCENE);
}

/* ---- racing ---- */

#define RACERS 4
#define RACES 15
#define LAPS 4

struct racer {
    pthread_t thread;
    struct gz_cluster_log log;
    uint64_t taken[RACES * LAPS]; /* the numbers that were answered with GZ_OK */
    int count, fenced;
};

/* Everybody is dead to the others, so that each takes the lease from each. On a busy machine a
 * racer may lose all of its races: it goes on until it has won some. */
static void *race(void *context)
{
    struct racer *racer = context;
    for (int i = 0; i < RACES || (racer->count < LAPS && i < 40 * RACES); i++) {
        struct gz_lease lease;
        struct gz_error error;
        enum gz_status status =
            racer->log.take(racer->log.context, "race", true, 0, &lease, &error);
        if (status != GZ_OK || !lease.is_mine) continue;
        for (uint64_t lap = 1; lap <= LAPS && status == GZ_OK; lap++) {
            uint64_t n = lease.scene.n + lap;
            status = log_stage_append(&racer->log, "race", lease.scene.epoch, n, 50);
            if (status == GZ_OK) racer->taken[racer->count++] = n;
            if (status == GZ_BAD_STATE) racer->fenced++;
        }
    }
    return NULL;
}

TEST(racers_never_write_in_one_place)
{
    struct log_stage *stage = *state;
    struct racer racers[RACERS] = {0};
    char name[16];
    uint64_t from = log_stage_take(&stage->anna, "race").n, taken = 0;
    for (int i = 0; i < RACERS; i++) {
        snprintf(name, sizeof name, "racer%d", i);
        log_stage_enter(stage, &racers[i].log, name);
    }
    log_stage_set_age(stage, LOG_STAGE_DEAD);
    for (int i = 0; i < RACERS; i++)
        assert_int_equal(pthread_create(&racers[i].thread, NULL, race, &racers[i]), 0);
    for (int i = 0; i < RACERS; i++) {
        pthread_join(racers[i].thread, NULL);
        taken += (uint64_t)racers[i].count;
        log_stage_drop(stage, &racers[i].log);
    }
    struct log_read read = log_stage_read(&stage->anna, "race", from);
    assert_int_equal(read.status, GZ_OK);
    assert_false(read.epochs_fall);
    assert_int_equal(read.count, taken);
    assert_true(taken >= RACES);
    bool *seen = calloc(taken + 1, sizeof *seen);
    for (int i = 0; i < RACERS; i++) {
        for (int j = 0; j < racers[i].count; j++) {
            uint64_t place = racers[i].taken[j] - from - 1;
            assert_true(place < taken && !seen[place]);
            seen[place] = true;
        }
    }
    free(seen);
    log_stage_set_age(stage, LOG_STAGE_ALIVE);
}

/* ---- names ---- */

TEST(names_and_addresses)
{
    assert_true(gz_member_name_valid("node-1.example_x"));
    assert_false(gz_member_name_valid(""));
    assert_false(gz_member_name_valid("a b"));
    assert_false(gz_member_name_valid("a/b"));
    char name[GZ_MEMBER_BYTES_MAX + 2];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_false(gz_member_name_valid(name));
    assert_true(gz_member_name_valid(name + 1));
    assert_true(gz_member_url_valid("http://10.0.0.1:7432"));
    assert_true(gz_member_url_valid("https://a.example/gizmo/"));
    assert_false(gz_member_url_valid("ws://a.example"));
    assert_false(gz_member_url_valid("http://"));
    assert_false(gz_member_url_valid("http:///path"));
    assert_false(gz_member_url_valid("http://u:p@a.example"));
    assert_false(gz_member_url_valid("http://a.example?x"));
    assert_false(gz_member_url_valid("http://a example"));
}

/* What loading a file with this text and these rights says; "" if it is taken. */
static const char *load_secret(const char *text, size_t size, mode_t rights)
{
    static struct gz_error error;
    struct gz_member_secret secret = {0};
    char path[] = "/tmp/gizmod-secret-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, size) == (ssize_t)size);
    assert_int_equal(fchmod(file, rights), 0);
    error = (struct gz_error){0};
    enum gz_status status = gz_member_secret_load(&secret, path, &error);
    assert_true(status == GZ_OK || status == GZ_BAD_VALUE);
    if (status == GZ_OK) assert_memory_equal(secret.bytes, text, secret.size);
    close(file);
    unlink(path);
    return error.message;
}

TEST(secrets)
{
    char text[GZ_MEMBER_SECRET_BYTES_MAX + 1];
    struct gz_member_secret secret;
    struct gz_error error;
    memset(text, 's', sizeof text);
    assert_string_equal(load_secret(text, 16, 0600), "");
    assert_string_equal(load_secret("0123456789abcdef\r\n", 18, 0640), "");
    assert_string_equal(load_secret(text, sizeof text - 1, 0400), "");
    assert_non_null(strstr(load_secret(text, 15, 0600), "must have 16 to 1024 bytes"));
    assert_non_null(strstr(load_secret("0123456789abcde\n", 16, 0600), "must have 16"));
    assert_non_null(strstr(load_secret(text, sizeof text, 0600), "must have 16"));
    assert_non_null(strstr(load_secret(text, 16, 0604), "other users can read or change it"));
    assert_non_null(strstr(load_secret(text, 16, 0660), "other users can read or change it"));
    assert_int_equal(gz_member_secret_load(&secret, "/dev/null", &error), GZ_BAD_VALUE);
    assert_int_equal(gz_member_secret_load(&secret, "/nonexistent", &error), GZ_BAD_VALUE);
    assert_non_null(strstr(error.message, "No such file"));
}

int main(void)
{
    print_message("in memory:\n");
    int failed = test_run(log_stage_simulated, log_stage_finish);
    if (!test_postgres_is_there()) {
        puts(TEST_POSTGRES_MISSING);
        return failed != 0 ? failed : 77;
    }
    print_message("in PostgreSQL:\n");
    return failed + test_run(log_stage_postgres, log_stage_finish);
}
