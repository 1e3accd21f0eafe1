/* Members of the simulation: processes that begin, end, are killed, and open scenes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/member.h"
#include "server/maxima.h"
#include "unit/cluster/life.h"

static const struct gz_log silence = {.level = GZ_ERROR};

static void ignore(void *context)
{
    (void)context;
}

/* On any thread, on most of which cmocka can fail nothing. */
static void must(bool is_so, const char *what)
{
    if (is_so) return;
    fprintf(stderr, "ERROR: %s: %s\n", what, strerror(errno));
    abort();
}

/* A killed process loses nothing that it wrote, whether it reached the disk or not. What a power
 * cut takes is the matter of test_store_power. */
int fsync(int file)
{
    (void)file;
    return 0;
}

int fdatasync(int file)
{
    (void)file;
    return 0;
}

/* What is done for a time, or is done again after a time, does not depend on the machine. */
double __wrap_gz_cluster_now(void);
double __wrap_gz_cluster_now(void)
{
    return 1;
}

/* ---- folders ---- */

static void copy_file(const char *from, const char *to)
{
    static const size_t most = 1 << 16;
    char *bytes = malloc(most);
    int source = open(from, O_RDONLY | O_CLOEXEC),
        target = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    must(source >= 0 && target >= 0 && bytes != NULL, from);
    for (ssize_t size; (size = read(source, bytes, most)) != 0;)
        must(size > 0 && write(target, bytes, (size_t)size) == size, to);
    close(source);
    close(target);
    free(bytes);
}

/* What is in memory alone is lost with the process: the index of a log. */
static bool is_kept(const char *file)
{
    size_t size = strlen(file);
    bool is_index = size > 4 && strcmp(file + size - 4, "-shm") == 0;
    return strcmp(file, ".") != 0 && strcmp(file, "..") != 0 && !is_index;
}

/* Databases before their logs: a commit that is in neither does not come. */
static void copy_files(const char *from, const char *to, bool logs)
{
    char source[800], target[800];
    DIR *folder = opendir(from);
    must(folder != NULL, from);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        bool is_log = strstr(entry->d_name, "-wal") != NULL;
        if (!is_kept(entry->d_name) || is_log != logs) continue;
        snprintf(source, sizeof source, "%s/%s", from, entry->d_name);
        snprintf(target, sizeof target, "%s/%s", to, entry->d_name);
        copy_file(source, target);
    }
    closedir(folder);
}

static void remove_folder(const char *path)
{
    char file[800];
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        unlink(file); /* not "." and ".." */
    }
    closedir(folder);
    assert_int_equal(rmdir(path), 0);
}

/* While somebody reads, no log is emptied. */
static sqlite3 *hold_log(const struct opened *opened)
{
    sqlite3 *db = NULL;
    if (opened->store == NULL) return NULL;
    must(sqlite3_open_v2(opened->path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK, opened->path);
    sqlite3_busy_timeout(db, 10000);
    must(sqlite3_exec(db, "BEGIN; SELECT 1 FROM scene", NULL, NULL, NULL) == SQLITE_OK,
         sqlite3_errmsg(db));
    return db;
}

static void folder_of(const struct member *member, char folder[400])
{
    snprintf(folder, 400, "%s/%zu-%d", (const char *)*member->world->directory, member->number,
             member->process);
}

/* ---- the line to the log ---- */

/* The writer waits for the thread that does all else. */
static void wait_at_gate(struct member *member)
{
    struct world *world = member->world;
    pthread_mutex_lock(&world->mutex);
    member->is_waiting = true;
    pthread_cond_broadcast(&world->event);
    while (!member->may_pass) pthread_cond_wait(&world->event, &world->mutex);
    member->may_pass = member->is_waiting = false;
    pthread_mutex_unlock(&world->mutex);
}

static bool handle_call(void *context, const struct simulated_call *call)
{
    struct member *member = context;
    bool is_writer = !pthread_equal(pthread_self(), member->world->thread);
    if (member->is_dead) return false;
    if (is_writer && call->is_append && !call->is_answer && member->has_gate) wait_at_gate(member);
    if (member->calls_left > 0 && call->is_answer == member->dies_at_answer &&
        --member->calls_left == 0)
        life_kill(member);
    if (member->is_dead) return false;
    life_note(member->world, call);
    if (call->is_append && call->is_answer && call->status == GZ_BAD_STATE) member->world->fences++;
    return true;
}

void life_give_faults(struct member *member)
{
    static const struct simulated_faults faults[] = {{.lost = 0},         {.lost = 0.2},
                                                     {.unanswered = 0.3}, {.doubled = 0.3},
                                                     {.late = 0.3},       {.is_cut = true}};
    simulated_log_set_faults(&member->log,
                             faults[below(member->world, sizeof faults / sizeof faults[0])]);
}

void life_heal(struct member *member)
{
    simulated_log_set_faults(&member->log, (struct simulated_faults){.lost = 0});
}

void life_outlast(struct world *world, const struct member *silent)
{
    for (int i = 0; i < 3; i++) {
        simulated_engine_pass(world->engine, GZ_CLUSTER_LEASE_SECONDS - 1);
        for (size_t j = 0; j < MEMBERS; j++)
            if (&world->members[j] != silent) gz_cluster_renew(world->members[j].cluster);
    }
}

/* ---- processes ---- */

void life_begin(struct world *world, size_t number)
{
    struct member *member = &world->members[number];
    const struct gz_cluster_options options = {
        .log = &member->log, .messages = &silence, .folder = member->folder, .me = &member->me};
    member->world = world;
    member->number = number;
    folder_of(member, member->folder);
    if (mkdir(member->folder, 0700) != 0) assert_int_equal(errno, EEXIST);
    snprintf(member->me.name, sizeof member->me.name, "m%zu", number);
    snprintf(member->me.url, sizeof member->me.url, "http://m%zu", number);
    simulated_engine_connect(world->engine, &member->log);
    simulated_log_watch(&member->log, handle_call, member);
    member->calls_left = 0;
    member->is_dead = member->has_gate = false;
    member->cluster = gz_cluster_prepare(&options);
    assert_non_null(member->cluster);
    gz_cluster_renew(member->cluster);
}

void life_close(struct member *member, size_t scene)
{
    struct opened *opened = &member->scenes[scene];
    gz_store_close(opened->store);
    gz_cluster_close(opened->claim);
    opened->store = NULL;
    opened->claim = NULL;
}

void life_end(struct member *member)
{
    for (size_t i = 0; i < SCENES; i++) life_close(member, i);
    gz_cluster_destroy(member->cluster);
    member->cluster = NULL;
}

void life_kill(struct member *member)
{
    sqlite3 *readers[SCENES];
    char next[400];
    member->process++;
    member->world->deaths++;
    folder_of(member, next);
    must(mkdir(next, 0700) == 0, next);
    for (size_t i = 0; i < SCENES; i++) readers[i] = hold_log(&member->scenes[i]);
    copy_files(member->folder, next, false);
    copy_files(member->folder, next, true);
    for (size_t i = 0; i < SCENES; i++) sqlite3_close(readers[i]);
    member->is_dead = true;
    member->calls_left = 0;
}

void life_restart(struct member *member)
{
    life_end(member);
    if (member->is_dead) remove_folder(member->folder);
    life_begin(member->world, member->number);
}

void life_bury(struct member *member)
{
    life_end(member);
    remove_folder(member->folder);
}

void life_revive(struct member *member)
{
    gz_cluster_end(member->cluster);
    life_bury(member);
    life_begin(member->world, member->number);
}

/* ---- scenes ---- */

static struct member *find_by_url(struct world *world, const char *url)
{
    for (size_t i = 0; i < MEMBERS; i++)
        if (strcmp(world->members[i].me.url, url) == 0) return &world->members[i];
    return NULL;
}

/* A file that is ahead of the log, or that no change fits, is what must never be. */
static void expect_sound(enum gz_status status, const struct gz_error *error)
{
    if (status == GZ_CONFLICT || status == GZ_VERSION) fail_msg("%s", error->message);
}

/* Who sends the last edit that was answered once more is known. */
static void expect_last(const struct member *member, size_t scene)
{
    const struct book *book = &member->world->book;
    struct gz_arena arena;
    struct gz_edit_record edit;
    char key[32];
    size_t i = book->count;
    while (i > 0 &&
           !(book->entries[i - 1].scene == scene && book->entries[i - 1].trace == TRACE_KEY &&
             book->entries[i - 1].fate == FATE_SAVED))
        i--;
    if (i == 0) return;
    snprintf(key, sizeof key, "%zu", i - 1);
    gz_arena_init(&arena, SIZE_MAX / 2);
    if (!knows_key(member->scenes[scene].store, "anna", key, &arena, &edit))
        fail_msg("%s of %s lacks batch %s, which was answered", life_scenes[scene], member->me.name,
                 key);
    gz_arena_finish(&arena);
}

static void handle_done(void *context)
{
    struct world *world = context;
    pthread_mutex_lock(&world->mutex);
    pthread_cond_broadcast(&world->event);
    pthread_mutex_unlock(&world->mutex);
}

static bool open_store(struct member *member, struct opened *opened)
{
    struct world *world = member->world;
    struct gz_scene_state state;
    struct gz_error error;
    const struct gz_store_options options = {.path = opened->path,
                                             .time = world->time++,
                                             .recorded = GZ_RECORD_ALL,
                                             .notify = handle_done,
                                             .context = world,
                                             .shipping = gz_scene_lease_shipping(opened->claim)};
    enum gz_status status = gz_store_open(&opened->store, &options, &state, &error);
    expect_sound(status, &error);
    if (status != GZ_OK) {
        opened->store = NULL;
        return false;
    }
    if (state.read_only[0] != '\0') fail_msg("%s", state.read_only);
    life_read_draft(&opened->draft, &state, world->time);
    gz_scene_state_finish(&state);
    assert_int_equal(gz_store_start(opened->store, &error), GZ_OK);
    gz_scene_lease_opened(opened->claim);
    return true;
}

bool life_open(struct member *member, size_t scene, struct member **other)
{
    struct opened *opened = &member->scenes[scene];
    char url[GZ_MEMBER_URL_BYTES_MAX + 1];
    struct gz_error error;
    *other = NULL;
    if (opened->claim != NULL) return true;
    snprintf(opened->path, sizeof opened->path, "%s/%s.db", member->folder, life_scenes[scene]);
    const struct gz_scene_lease_request request = {
        .name = life_scenes[scene], .path = opened->path, .create = true, .notify = ignore};
    enum gz_status status = gz_cluster_open(member->cluster, &request, &opened->claim, url, &error);
    expect_sound(status, &error);
    if (status == GZ_OK && opened->claim == NULL) *other = find_by_url(member->world, url);
    if (opened->claim == NULL) return false;
    bool is_open = open_store(member, opened) && !member->is_dead;
    if (is_open)
        expect_last(member, scene);
    else
        life_close(member, scene);
    return is_open;
}

void life_follow(struct member *member)
{
    for (size_t i = 0; i < member->cluster->file_count; i++) member->cluster->files[i].retry_s = 0;
    (void)!gz_follow(member->cluster);
}
