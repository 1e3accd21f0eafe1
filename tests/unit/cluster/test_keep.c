/* Files of other members' scenes that stay open while they are followed: what is done to them
 * meanwhile is found, and whoever is to have one gets it closed; and what the files lack. A member
 * that was replaced closes them; a change that does not fit a file, or not even the log's own copy,
 * is found; the changes that files lack are told to the engine. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/member.h"
#include "store/clean_mark.h"
#include "store/ship.h"
#include "unit/cluster/life.h"

static struct member *author, *follower;

static int begin(void **state)
{
    if (make_directory(state) != 0) return -1;
    struct world *world = calloc(1, sizeof *world);
    assert_non_null(world);
    world->random = 1;
    world->time = START_TIME;
    world->directory = state;
    world->thread = pthread_self();
    world->is_busy = true; /* nothing bad happens by itself */
    pthread_mutex_init(&world->mutex, NULL);
    pthread_cond_init(&world->event, NULL);
    world->engine = simulated_engine_create(1);
    for (size_t i = 0; i < MEMBERS; i++) life_begin(world, i);
    author = &world->members[0];
    follower = &world->members[1];
    return 0;
}

static int end(void **state)
{
    struct world *world = author->world;
    for (size_t i = 0; i < MEMBERS; i++) life_bury(&world->members[i]);
    simulated_engine_destroy(world->engine);
    pthread_cond_destroy(&world->event);
    pthread_mutex_destroy(&world->mutex);
    free(world);
    return remove_directory(state);
}

static const char *path_of(const struct member *member, const char *ending)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s.db%s", member->folder, life_scenes[0], ending);
    return path;
}

static size_t count_kept(void)
{
    size_t count = 0;
    for (size_t i = 0; i < GZ_CLUSTER_KEPT_MAX; i++)
        count += follower->cluster->kept[i].applier != NULL;
    return count;
}

static void edit_and_follow(void)
{
    life_edit(author, 0);
    life_follow(follower);
}

static void expect_equal(void)
{
    char difference[GZ_ERROR_BYTES_MAX];
    struct gz_error error;
    assert_int_equal(gz_cluster_stats(follower->cluster).behind, 0);
    if (gz_store_compare(path_of(author, ""), path_of(follower, ""), difference, &error) != GZ_OK)
        fail_msg("%s", error.message);
    assert_string_equal(difference, "");
}

TEST_BETWEEN(a_file_stays_open_until_it_is_idle, begin, end)
{
    edit_and_follow(); /* begins with the copy */
    edit_and_follow();
    const struct gz_applier *applier = follower->cluster->kept[0].applier;
    assert_non_null(applier);
    edit_and_follow();
    assert_ptr_equal(follower->cluster->kept[0].applier, applier);
    expect_equal();
    life_follow(follower);
    assert_int_equal(count_kept(), 1);
    follower->cluster->kept[0].used_s -= 1000;
    life_follow(follower);
    assert_int_equal(count_kept(), 0);
    assert_int_equal(gz_clean_mark_read(path_of(follower, "")).mark, GZ_CLEAN_MARK_CLOSED);
    edit_and_follow();
    expect_equal();
}

TEST_BETWEEN(a_claim_closes_it, begin, end)
{
    struct member *other;
    edit_and_follow();
    edit_and_follow();
    assert_int_equal(count_kept(), 1);
    life_close(author, 0);
    assert_true(life_open(follower, 0, &other));
    assert_int_equal(count_kept(), 0);
    life_edit(follower, 0);
    life_follow(author);
    assert_int_equal(gz_cluster_stats(author->cluster).behind, 0);
    life_close(follower, 0);
}

TEST_BETWEEN(one_that_was_deleted_is_made_anew, begin, end)
{
    edit_and_follow();
    edit_and_follow();
    assert_int_equal(unlink(path_of(follower, "")), 0);
    edit_and_follow();
    edit_and_follow();
    expect_equal();
}

TEST_BETWEEN(one_that_lost_its_log_is_opened_anew, begin, end)
{
    edit_and_follow();
    edit_and_follow();
    assert_int_equal(unlink(path_of(follower, "-wal")), 0);
    edit_and_follow();
    edit_and_follow();
    expect_equal();
}

TEST_BETWEEN(what_took_its_name_is_left_alone, begin, end)
{
    struct gz_place place;
    edit_and_follow();
    edit_and_follow();
    make_empty_scene(path_of(follower, ".new")); /* which never was in a cluster */
    assert_int_equal(rename(path_of(follower, ".new"), path_of(follower, "")), 0);
    edit_and_follow();
    assert_int_equal(count_kept(), 0);
    assert_int_equal(gz_store_place(path_of(follower, ""), &place, NULL), GZ_OK);
    assert_int_equal(place.n, 0);
    assert_int_not_equal(gz_cluster_stats(follower->cluster).behind, 0);
}

static enum gz_status add_lag(void *to, const struct gz_member *member, struct gz_error *error)
{
    (void)error;
    if (strcmp(member->name, follower->me.name) == 0) *(struct gz_member_lag *)to = member->lag;
    return GZ_OK;
}

TEST_BETWEEN(what_a_file_lacks_is_counted, begin, end)
{
    struct gz_cluster_lag lags[GZ_CLUSTER_LAGS_MAX];
    struct gz_member_lag told;
    struct gz_error error;
    edit_and_follow();
    assert_int_equal(gz_cluster_lags(follower->cluster, lags), 0);
    make_empty_scene(path_of(follower, ".new"));
    assert_int_equal(rename(path_of(follower, ".new"), path_of(follower, "")), 0);
    edit_and_follow();
    life_edit(author, 0);
    life_follow(follower);
    assert_int_equal(gz_cluster_lags(follower->cluster, lags), 1);
    assert_string_equal(lags[0].scene, life_scenes[0]);
    const struct gz_cluster_stats stats = gz_cluster_stats(follower->cluster);
    assert_int_equal(stats.behind, lags[0].changes);
    assert_int_equal(stats.behind_scenes, 1);
    assert_true(stats.behind > 1);
    assert_int_equal(author->log.members(author->log.context, add_lag, &told, &error), GZ_OK);
    assert_int_equal(told.changes, stats.behind);
    assert_string_equal(told.scene, life_scenes[0]);
    assert_int_equal(unlink(path_of(follower, "")), 0);
    life_follow(follower);
    assert_int_equal(gz_cluster_lags(follower->cluster, lags), 0);
    assert_int_equal(author->log.members(author->log.context, add_lag, &told, &error), GZ_OK);
    assert_int_equal(told.changes, 0);
}

TEST_BETWEEN(those_that_lack_something_longest_are_named, begin, end)
{
    struct gz_cluster_lag lags[GZ_CLUSTER_LAGS_MAX], lag = {.changes = 1};
    pthread_mutex_lock(&follower->cluster->mutex);
    gz_lag_begin(follower->cluster);
    for (int i = 0; i < 2 * GZ_CLUSTER_LAGS_MAX; i++) {
        lag.seconds = -i;
        gz_lag_add(follower->cluster, &lag);
    }
    pthread_mutex_unlock(&follower->cluster->mutex);
    assert_int_equal(gz_cluster_lags(follower->cluster, lags), GZ_CLUSTER_LAGS_MAX);
    for (size_t i = 0; i < GZ_CLUSTER_LAGS_MAX; i++)
        assert_true(lags[i].seconds > GZ_CLUSTER_LAGS_MAX);
    const struct gz_cluster_stats stats = gz_cluster_stats(follower->cluster);
    assert_int_equal(stats.behind, 2 * GZ_CLUSTER_LAGS_MAX);
    assert_true(stats.behind_s == 2 * GZ_CLUSTER_LAGS_MAX);
}

/* ---- whose turn it is ---- */

static char read_first[GZ_SCENE_NAME_BYTES_MAX + 1];
static enum gz_status (*read_changes)(void *, const char *, uint64_t,
                                      enum gz_status (*)(void *, const struct gz_cluster_change *,
                                                         struct gz_error *),
                                      void *, struct gz_error *);

static enum gz_status note_first(void *context, const char *scene, uint64_t after,
                                 enum gz_status (*handle)(void *, const struct gz_cluster_change *,
                                                          struct gz_error *),
                                 void *to, struct gz_error *error)
{
    if (read_first[0] == '\0') snprintf(read_first, sizeof read_first, "%s", scene);
    return read_changes(context, scene, after, handle, to, error);
}

static uint64_t behind_in(const char *scene)
{
    struct gz_cluster_lag lags[GZ_CLUSTER_LAGS_MAX];
    const size_t count = gz_cluster_lags(follower->cluster, lags);
    for (size_t i = 0; i < count; i++)
        if (strcmp(lags[i].scene, scene) == 0) return lags[i].changes;
    return 0;
}

/* Lets the follower come without the changes of the first scene's `edits`, and then with a turn of
 * this many. */
static uint64_t fall_behind(int edits, size_t turn)
{
    struct gz_place before, after;
    struct gz_error error;
    life_edit(author, 0);
    life_edit(author, 1);
    while (gz_cluster_follow(follower->cluster)) continue;
    assert_int_equal(gz_store_place(path_of(author, ""), &before, &error), GZ_OK);
    for (int i = 0; i < edits; i++) life_edit(author, 0);
    assert_int_equal(gz_store_place(path_of(author, ""), &after, &error), GZ_OK);
    follower->cluster->turn_changes = turn;
    return after.n - before.n;
}

TEST_BETWEEN(one_that_lacks_much_leaves_the_others_their_turn, begin, end)
{
    uint64_t lacks = fall_behind(20, 3);
    assert_true(lacks > 9);
    life_edit(author, 1);
    for (; lacks > 3; lacks -= 3) {
        assert_true(gz_cluster_follow(follower->cluster)); /* it does not rest */
        assert_int_equal(behind_in(life_scenes[0]), lacks - 3);
        assert_int_equal(behind_in(life_scenes[1]), 0);
    }
    while (gz_cluster_follow(follower->cluster)) continue;
    expect_equal();
}

TEST_BETWEEN(after_a_start_those_that_are_open_come_first, begin, end)
{
    (void)fall_behind(20, 3);
    life_edit(author, 1);
    life_close(author, 0); /* "arm", before "leg" */
    life_restart(follower);
    read_changes = follower->log.read;
    follower->log.read = note_first;
    read_first[0] = '\0';
    (void)gz_cluster_follow(follower->cluster);
    assert_string_equal(read_first, life_scenes[1]);
}

TEST_BETWEEN(one_whose_scene_is_deleted_goes, begin, end)
{
    struct gz_error error;
    edit_and_follow();
    edit_and_follow();
    gz_store_close(author->scenes[0].store);
    author->scenes[0].store = NULL;
    assert_int_equal(gz_scene_lease_delete(author->scenes[0].claim, &error), GZ_OK);
    life_follow(follower);
    assert_int_equal(count_kept(), 0);
    assert_int_not_equal(access(path_of(follower, ""), F_OK), 0);
    assert_int_not_equal(access(path_of(follower, "-wal"), F_OK), 0);
}

TEST_BETWEEN(a_member_that_was_replaced_leaves_them, begin, end)
{
    edit_and_follow();
    edit_and_follow();
    assert_int_equal(count_kept(), 1);
    follower->cluster->is_replaced = true;
    gz_cluster_follow(follower->cluster);
    assert_int_equal(count_kept(), 0);
    assert_int_equal(gz_clean_mark_read(path_of(follower, "")).mark, GZ_CLEAN_MARK_CLOSED);
}

/* ---- a change that does not fit ---- */

static int copies_read;
static enum gz_status (*read_copy)(void *, const char *, int, struct gz_cluster_scene *,
                                   struct gz_error *);

static enum gz_status count_copy(void *context, const char *scene, int file,
                                 struct gz_cluster_scene *found, struct gz_error *error)
{
    copies_read++;
    return read_copy(context, scene, file, found, error);
}

static enum gz_status append_again(void *to, const struct gz_cluster_change *change,
                                   struct gz_error *error)
{
    struct gz_cluster_change again = *change;
    (void)to;
    again.n++;
    again.epoch = author->scenes[0].claim->epoch;
    if (author->log.append(author->log.context, life_scenes[0], &again, error) != GZ_OK)
        fail_msg("%s", error->message);
    return GZ_LOCKED; /* that was enough */
}

static void put_copy(void)
{
    struct gz_error error;
    char *copy = gz_cluster_copy_path(author->cluster, life_scenes[0]);
    enum gz_status status = gz_store_backup(path_of(author, ""), copy, &error);
    if (status == GZ_OK)
        status = gz_put_copy(author->cluster, life_scenes[0], author->scenes[0].claim->epoch, copy,
                             &error);
    if (status != GZ_OK) fail_msg("%s", error.message);
    unlink(copy);
    free(copy);
}

static int count_files(const char *words)
{
    int count = 0;
    DIR *folder = opendir(follower->folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += strstr(entry->d_name, words) != NULL;
    closedir(folder);
    return count;
}

TEST_BETWEEN(a_change_that_fits_not_even_the_copy_is_tried_once_for_each_copy, begin, end)
{
    struct gz_place place, after;
    struct gz_error error;
    edit_and_follow();
    edit_and_follow();
    assert_int_equal(gz_store_place(path_of(follower, ""), &place, &error), GZ_OK);
    assert_int_equal(author->log.read(author->log.context, life_scenes[0], place.n - 1,
                                      append_again, NULL, &error),
                     GZ_LOCKED);
    copies_read = 0;
    read_copy = follower->log.read_copy;
    follower->log.read_copy = count_copy;
    for (int i = 0; i < 3; i++) life_follow(follower);
    assert_int_equal(copies_read, 1);
    put_copy();
    for (int i = 0; i < 3; i++) life_follow(follower);
    assert_int_equal(copies_read, 2);
    assert_int_equal(count_files(".aside-") + count_files(GZ_COPY_PREFIX), 0);
    assert_int_equal(gz_store_place(path_of(follower, ""), &after, &error), GZ_OK);
    assert_int_equal(after.n, place.n);
    assert_int_equal(gz_cluster_stats(follower->cluster).behind, 1);
}

/* Only this file is not as the change found the others. */
TEST_BETWEEN(a_file_that_a_change_does_not_fit_is_kept_and_made_anew, begin, end)
{
    edit_and_follow();
    edit_and_follow();
    gz_applier_close(gz_file_cache_take(follower->cluster, life_scenes[0]));
    tell(path_of(follower, ""), "UPDATE scene SET seq = seq + 7");
    vouch_for(path_of(follower, ""));
    edit_and_follow();
    expect_equal();
    assert_int_equal(count_files(".aside-"), 1);
}

TEST_BETWEEN(no_more_are_kept_than_there_are_places, begin, end)
{
    char name[16];
    struct gz_error error;
    for (int i = 0; i <= GZ_CLUSTER_KEPT_MAX; i++) {
        struct gz_applier *applier;
        snprintf(name, sizeof name, ".%d", i);
        make_empty_scene(path_of(follower, name));
        if (gz_applier_open(&applier, path_of(follower, name), &error) != GZ_OK)
            fail_msg("%s", error.message);
        gz_file_cache_give(follower->cluster, name, applier);
    }
    assert_int_equal(count_kept(), GZ_CLUSTER_KEPT_MAX);
    assert_int_equal(gz_clean_mark_read(path_of(follower, name)).mark, GZ_CLEAN_MARK_CLOSED);
    assert_null(gz_file_cache_take(follower->cluster, name));
}
