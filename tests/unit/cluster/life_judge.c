/* The judge of the simulation: what was promised about the log, the files and the edits holds. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/member.h"
#include "unit/cluster/life.h"

#define PASSES_MAX 20

/* ---- all come back ---- */

static void heal_all(struct world *world)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        struct member *member = &world->members[i];
        life_heal(member);
        member->calls_left = 0;
        for (size_t j = 0; j < SCENES; j++) life_close(member, j);
    }
    simulated_engine_settle(world->engine);
    for (int i = 0; i < 3; i++) life_outlast(world, NULL);
}

/* Each scene is edited once more. */
static void open_all(struct world *world)
{
    world->is_busy = true;
    for (size_t i = 0; i < SCENES; i++) {
        size_t next = world->book.count;
        life_edit(&world->members[below(world, MEMBERS)], i);
        assert_true(world->book.count > next);
        assert_int_equal(world->book.entries[next].fate, FATE_SAVED);
        for (size_t j = 0; j < MEMBERS; j++) life_close(&world->members[j], i);
    }
}

static bool is_up_to_date(struct member *member)
{
    bool is = true;
    life_follow(member);
    for (size_t i = 0; i < member->cluster->file_count; i++)
        is = is && member->cluster->files[i].is_known;
    return is && member->cluster->file_count == SCENES &&
           gz_cluster_stats(member->cluster).behind == 0;
}

static void catch_up(struct member *member)
{
    int passes = 0;
    while (!is_up_to_date(member))
        if (++passes == PASSES_MAX) fail_msg("%s does not catch up", member->me.name);
}

/* ---- what the files say ---- */

static const char *path_of(const struct member *member, size_t scene)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s.db", member->folder, life_scenes[scene]);
    return path;
}

static void compare(const struct member *one, const struct member *other, size_t scene)
{
    char difference[GZ_ERROR_BYTES_MAX];
    struct gz_error error;
    if (gz_store_compare(path_of(one, scene), path_of(other, scene), difference, &error) != GZ_OK)
        fail_msg("%s: %s", life_scenes[scene], error.message);
    if (difference[0] != '\0')
        fail_msg("%s of %s and of %s: %s", life_scenes[scene], one->me.name, other->me.name,
                 difference);
}

static void handle_fault(void *context, const char *words)
{
    print_error("%s: %s\n", (const char *)context, words);
}

static void check(const struct member *member, size_t scene)
{
    struct gz_store_check check = {.handle_fault = handle_fault,
                                   .context = (void *)(uintptr_t)life_scenes[scene]};
    struct gz_error error;
    if (gz_store_check(path_of(member, scene), &check, &error) != GZ_OK)
        fail_msg("%s: %s", life_scenes[scene], error.message);
    assert_int_equal(check.faults, 0);
}

static void count(sqlite3 *db, const char *sql, unsigned times[BATCHES_MAX])
{
    sqlite3_stmt *rows;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &rows, NULL), SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        sqlite3_int64 number = sqlite3_column_int64(rows, 0);
        assert_in_range(number, 0, BATCHES_MAX - 1);
        times[number]++;
    }
    assert_int_equal(sqlite3_finalize(rows), SQLITE_OK);
}

static void judge_entry(const struct entry *entry, size_t number, unsigned keys, unsigned samples)
{
    static const char *const words[] = {"was never answered", "was answered ok", "was refused"};
    unsigned times = entry->trace == TRACE_KEY ? keys : samples;
    unsigned least = entry->fate == FATE_SAVED, most = entry->fate != FATE_REFUSED;
    if (entry->trace != TRACE_NOTHING && (times < least || times > most))
        fail_msg("batch %zu of %s %s, and is there %u times", number, life_scenes[entry->scene],
                 words[entry->fate], times);
}

static void judge_edits(struct world *world, const struct member *member, size_t scene)
{
    static unsigned keys[BATCHES_MAX], samples[BATCHES_MAX];
    sqlite3 *db;
    memset(keys, 0, sizeof keys);
    memset(samples, 0, sizeof samples);
    assert_int_equal(sqlite3_open_v2(path_of(member, scene), &db, SQLITE_OPEN_READONLY, NULL),
                     SQLITE_OK);
    count(db, "SELECT CAST(key AS INTEGER) FROM edits WHERE key IS NOT NULL", keys);
    count(db, "SELECT CAST(tx AS INTEGER) FROM samples", samples);
    sqlite3_close(db);
    for (size_t i = 0; i < world->book.count; i++) {
        const struct entry *entry = &world->book.entries[i];
        if (entry->scene == scene) judge_entry(entry, i, keys[i], samples[i]);
        world->book.saved += entry->scene == scene && entry->fate == FATE_SAVED;
        world->book.refused += entry->scene == scene && entry->fate == FATE_REFUSED;
        world->book.unknown += entry->scene == scene && entry->fate == FATE_UNKNOWN;
    }
}

/* One that has nothing yet begins with the copy. */
static void empty(struct world *world, size_t number)
{
    struct member *member = &world->members[number];
    life_bury(member);
    life_begin(world, number);
}

void life_judge(struct world *world)
{
    const struct member *first = &world->members[0];
    heal_all(world);
    open_all(world);
    for (size_t i = 0; i < MEMBERS; i++) catch_up(&world->members[i]);
    for (size_t i = 0; i < SCENES; i++) {
        compare(first, &world->members[1], i);
        compare(first, &world->members[2], i);
        judge_edits(world, first, i);
        check(first, i);
    }
    if (below(world, 4) != 0) return;
    empty(world, 1);
    catch_up(&world->members[1]);
    for (size_t i = 0; i < SCENES; i++) compare(first, &world->members[1], i);
}
