/* What users may take of what all share: quotas of bytes and of new scenes, and a disk that has to
 * keep room. */
#include <sys/statvfs.h>

#include "data_folder.h"

#include "conn/clock.h"
#include "host/disk.h"
#include "host/memory.h"
#include "server/maxima.h"

/* ---- quotas ---- */

TEST(test_quota_is_used_up_and_fills_with_time)
{
    struct gz_quota quota = {.at_once = 100, .per_s = 10};
    assert_true(gz_quota_has(&quota, "ann", 100, 0));
    gz_quota_take(&quota, "ann", 100, 0);
    assert_false(gz_quota_has(&quota, "ann", 1, 0));
    assert_true(gz_quota_has(&quota, "ben", 100, 0)); /* everybody has a share of their own */
    assert_false(gz_quota_has(&quota, "ann", 11, 1));
    assert_true(gz_quota_has(&quota, "ann", 10, 1));
    assert_true(gz_quota_has(&quota, "ann", 100, 1000));
    gz_quota_take(&quota, "ann", 1, 1000);
    assert_false(gz_quota_has(&quota, "ann", 100, 1000));
}

/* What is larger than anybody may take at once is possible all the same, and is paid for later. */
TEST(test_quota_goes_into_debt_for_what_is_larger_than_it)
{
    struct gz_quota quota = {.at_once = 100, .per_s = 10};
    assert_true(gz_quota_has(&quota, "ann", 1000, 0));
    gz_quota_take(&quota, "ann", 1000, 0);
    assert_false(gz_quota_has(&quota, "ann", 1, 90));
    assert_true(gz_quota_has(&quota, "ann", 1, 91));
}

/* Many names that take nothing much do not give a share back to one who used it up. */
TEST(test_quota_forgets_those_who_have_the_most_left)
{
    struct gz_quota quota = {.at_once = 100, .per_s = 0};
    char name[16];
    gz_quota_take(&quota, "ann", 100, 0);
    for (int i = 0; i < 3 * GZ_ACCOUNTS_MAX; i++) {
        snprintf(name, sizeof name, "user %d", i);
        gz_quota_take(&quota, name, 1, 0);
    }
    assert_int_equal(quota.count, GZ_ACCOUNTS_MAX);
    assert_false(gz_quota_has(&quota, "ann", 1, 0));
}

/* ---- the disk ---- */

TEST(test_disk_refuses_below_the_bound_until_there_is_more_room)
{
    char *lines;
    size_t size;
    struct gz_log log = {.level = GZ_INFO, .stream = open_memstream(&lines, &size)};
    struct gz_disk disk = {.keep_bytes = 800 << 20, .log = &log};
    static const struct {
        uint64_t free_mb;
        bool is_short;
    } looks[] = {{5000, false}, {800, false}, {799, true},  {850, true},
                 {899, true},   {900, false}, {850, false}, {0, true}};
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        struct gz_error error = {.status = GZ_OK};
        gz_disk_found(&disk, looks[i].free_mb << 20);
        assert_int_equal(gz_disk_check(&disk, &error), looks[i].is_short ? GZ_STORAGE : GZ_OK);
        if (looks[i].is_short)
            assert_string_equal(error.message, "the server's disk has less than 800 MB free: edits "
                                               "are refused until there is more space");
    }
    fclose(log.stream);
    assert_non_null(strstr(lines, "edits are accepted again"));
    free(lines);
}

/* What the disk says of itself; else what it says to everybody. */
static const struct statvfs *said;
int __real_statvfs(const char *path, struct statvfs *disk);
int __wrap_statvfs(const char *path, struct statvfs *disk);
int __wrap_statvfs(const char *path, struct statvfs *disk)
{
    if (said == NULL) return __real_statvfs(path, disk);
    *disk = *said;
    return 0;
}

TEST(test_disk_without_inodes_is_full)
{
    static const struct {
        fsfilcnt_t files, free;
        bool is_short;
    } rows[] = {{1000, 500, false},
                {1000, 0, true},
                {1000, GZ_KEEP_INODES - 1, true},
                {1000, GZ_KEEP_INODES, false},
                {0, 0, false}}; /* it does not count them */
    struct gz_error error;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct statvfs disk = {.f_frsize = 4096,
                                     .f_blocks = 1 << 20,
                                     .f_bavail = 1 << 20,
                                     .f_files = rows[i].files,
                                     .f_favail = rows[i].free};
        struct gz_disk watched = {.folder = "/", .keep_bytes = 1 << 20};
        said = &disk;
        const enum gz_status status = gz_disk_reserve(&watched, 1, &error);
        said = NULL;
        assert_int_equal(status, rows[i].is_short ? GZ_STORAGE : GZ_OK);
        if (rows[i].is_short) assert_true(error.no_room);
    }
}

TEST(test_disk_that_is_not_there_has_room)
{
    struct gz_error error;
    assert_int_equal(gz_disk_check(NULL, &error), GZ_OK);
}

/* It is looked at again and again, on a worker. */
TEST(test_disk_is_looked_at_by_a_worker)
{
    struct data_folder folder;
    struct gz_disk disk;
    data_folder_init(&folder);
    gz_disk_watch(&disk, &folder.loop, &folder.jobs, folder.path, UINT64_MAX, &folder.log);
    assert_true(disk.is_short && disk.free_bytes > 0);
    gz_disk_found(&disk, UINT64_MAX); /* what the next look puts right */
    assert_false(disk.is_short);
    while (!disk.is_short) uv_run(&folder.loop, UV_RUN_ONCE);
    gz_disk_close(&disk);
    data_folder_finish(&folder);
}

/* A file is made where the bound is left beside it, and beside all that is being made. */
TEST(test_files_that_are_made_leave_the_room_that_is_to_be_kept)
{
    struct data_folder folder;
    struct gz_disk disk;
    struct gz_error error;
    data_folder_init(&folder);
    gz_disk_watch(&disk, &folder.loop, &folder.jobs, folder.path, 1, &folder.log);
    const uint64_t most = disk.free_bytes / 3 * 2;
    assert_int_equal(gz_disk_reserve(&disk, most, &error), GZ_OK);
    assert_int_equal(gz_disk_reserve(&disk, most, &error), GZ_STORAGE);
    assert_non_null(strstr(error.message, "would have less than"));
    gz_disk_release(&disk, most);
    assert_int_equal(gz_disk_reserve(&disk, most, &error), GZ_OK);
    gz_disk_release(&disk, most);
    assert_int_equal(gz_disk_reserve(&disk, UINT64_MAX, &error), GZ_STORAGE);
    assert_int_equal(gz_disk_reserve(NULL, UINT64_MAX, &error), GZ_OK);
    gz_disk_close(&disk);
    data_folder_finish(&folder);
}

/* As /proc: a file system that has no blocks is not full. */
TEST(test_disk_that_does_not_say_how_much_it_has_has_enough)
{
    struct data_folder folder;
    struct gz_disk disk;
    data_folder_init(&folder);
    gz_disk_watch(&disk, &folder.loop, &folder.jobs, "/proc", 1 << 20, &folder.log);
    assert_false(disk.is_short);
    gz_disk_close(&disk);
    data_folder_finish(&folder);
}

/* ---- memory ---- */

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Blocks too small to have pages of their own, with one after them that stays. */
TEST(test_memory_that_was_freed_goes_back_to_the_system)
{
    enum { BLOCKS = 150000, BLOCK_BYTES = 1000 };
    struct data_folder folder;
    struct gz_memory memory;
    size_t before, after;
    char **blocks = malloc(BLOCKS * sizeof *blocks);
    data_folder_init(&folder);
    gz_memory_watch(&memory, &folder.loop, &folder.jobs, 0, NULL);
    for (int i = 0; i < BLOCKS; i++) memset(blocks[i] = malloc(BLOCK_BYTES), 1, BLOCK_BYTES);
    for (int i = 0; i < BLOCKS - 1; i++) free(blocks[i]);
    assert_int_equal(uv_resident_set_memory(&before), 0);
    gz_memory_look(&memory);
    data_folder_await_jobs(&folder);
    assert_int_equal(uv_resident_set_memory(&after), 0);
    assert_true(after + GZ_FREE_BYTES_KEPT < before);
    /* What went back is not looked for again, until it is used and freed anew. */
    assert_int_equal(memory.trims, 1);
    gz_memory_look(&memory);
    data_folder_await_jobs(&folder);
    assert_int_equal(memory.trims, 1);
    for (int i = 0; i < BLOCKS - 1; i++) memset(blocks[i] = malloc(BLOCK_BYTES), 1, BLOCK_BYTES);
    for (int i = 0; i < BLOCKS - 1; i++) free(blocks[i]);
    gz_memory_look(&memory);
    data_folder_await_jobs(&folder);
    assert_int_equal(memory.trims, 2);
    free(blocks[BLOCKS - 1]);
    free(blocks);
    gz_memory_close(&memory);
    data_folder_finish(&folder);
}

/* Else a process that was large once would keep as much again. */
TEST(test_what_could_not_go_back_is_forgotten_once_the_process_is_small)
{
    struct data_folder folder;
    struct gz_memory memory;
    data_folder_init(&folder);
    gz_memory_watch(&memory, &folder.loop, &folder.jobs, 0, NULL);
    memory.left = 4 * (size_t)GZ_FREE_BYTES_KEPT;
    gz_memory_look(&memory);
    data_folder_await_jobs(&folder);
    assert_in_range(memory.left, 0, GZ_FREE_BYTES_KEPT);
    gz_memory_close(&memory);
    data_folder_finish(&folder);
}

/* Nobody has to look for them, however large those were that were freed before. */
TEST(test_large_blocks_go_back_when_they_are_freed)
{
    enum { LARGEST = 30 << 20, BLOCK_BYTES = GZ_BLOCK_BYTES_KEPT_MAX + 4096, BLOCKS = 16 };
    struct data_folder folder;
    struct gz_memory memory;
    size_t before, after;
    char *blocks[BLOCKS];
    data_folder_init(&folder);
    gz_memory_watch(&memory, &folder.loop, &folder.jobs, 0, NULL);
    char *volatile largest = malloc(LARGEST);
    free(largest);
    for (int i = 0; i < BLOCKS; i++) memset(blocks[i] = malloc(BLOCK_BYTES), 1, BLOCK_BYTES);
    assert_int_equal(uv_resident_set_memory(&before), 0);
    for (int i = 0; i < BLOCKS - 1; i++) free(blocks[i]);
    assert_int_equal(uv_resident_set_memory(&after), 0);
    assert_true(after + BLOCKS / 2 * (size_t)BLOCK_BYTES < before);
    free(blocks[BLOCKS - 1]);
    gz_memory_close(&memory);
    data_folder_finish(&folder);
}
#endif

/* ---- the bound of memory ---- */

static uint64_t forget(void *context, uint64_t bytes)
{
    uint64_t *spare = context;
    const uint64_t forgotten = bytes < *spare ? bytes : *spare;
    *spare -= forgotten;
    return forgotten;
}

static uint64_t count_spare(void *context)
{
    return *(const uint64_t *)context;
}

static uint64_t resident;

static uint64_t find_resident(void)
{
    return resident;
}

/* The numbers are far above what the test has. */
TEST(test_requests_take_half_of_what_is_left_once_all_is_forgotten)
{
    const uint64_t gib = 1 << 30;
    struct data_folder folder;
    struct gz_memory memory;
    struct gz_error error = {.status = GZ_OK};
    uint64_t spare = 50 * gib;
    data_folder_init(&folder);
    gz_memory_watch(&memory, &folder.loop, &folder.jobs, 100 * gib + GZ_MEMORY_RESERVE_BYTES, NULL);
    memory.spare = count_spare;
    memory.relieve = forget;
    memory.context = &spare;
    memory.find_resident = find_resident;
    assert_int_equal(gz_memory_take(&memory, gib, 60 * gib, &error), GZ_TOO_MANY);
    assert_non_null(strstr(error.message, "--memory 102412"));
    uv_run(&folder.loop, UV_RUN_NOWAIT);
    assert_int_equal(gz_memory_take(&memory, 90 * gib, 60 * gib, &error), GZ_OK);
    /* Nothing is forgotten for what was allowed and not taken yet. */
    resident = 70 * gib;
    assert_int_equal(gz_memory_take(&memory, 0, gib, &error), GZ_OK);
    uv_run(&folder.loop, UV_RUN_NOWAIT);
    assert_true(spare == 50 * gib);
    resident = 90 * gib;
    assert_int_equal(gz_memory_take(&memory, 0, gib, &error), GZ_OK);
    uv_run(&folder.loop, UV_RUN_NOWAIT);
    assert_int_equal(gz_memory_check(&memory, &error), GZ_OK);
    assert_true(spare == 35 * gib); /* three quarters stay */
    /* Nor twice: the system still holds pages of what was forgotten. */
    assert_int_equal(gz_memory_take(&memory, 10 * gib, gib, &error), GZ_OK);
    gz_memory_relieve(&memory);
    assert_true(spare == 35 * gib);
    memory.taken -= 10 * gib;
    assert_int_equal(gz_memory_hold(&memory, 40 * gib, &error), GZ_TOO_MANY);
    assert_int_equal(gz_memory_hold(&memory, 20 * gib, &error), GZ_OK);
    assert_true(gz_memory_used(&memory) >= 95 * gib);
    gz_memory_release(&memory, 20 * gib);
    assert_true(gz_memory_used(&memory) < 76 * gib);
    memory.taken += 50 * gib;
    resident = 140 * gib;
    (void)!gz_memory_take(&memory, 0, 0, &error);
    uv_run(&folder.loop, UV_RUN_NOWAIT);
    assert_int_equal(spare, 0);
    assert_int_equal(gz_memory_check(&memory, &error), GZ_TOO_MANY);
    /* What was not taken in the end is not counted after a look. */
    resident = gib / 2;
    gz_memory_look(&memory);
    data_folder_await_jobs(&folder);
    assert_true(gz_memory_used(&memory) < gib);
    assert_int_equal(gz_memory_check(&memory, &error), GZ_OK);
    /* During a look nothing is forgotten, but after it. */
    spare = 10 * gib;
    resident = 140 * gib;
    gz_memory_look(&memory);
    memory.taken += 140 * gib;
    gz_memory_relieve(&memory);
    assert_true(spare == 10 * gib);
    data_folder_await_jobs(&folder);
    assert_int_equal(spare, 0);
    gz_memory_close(&memory);
    data_folder_finish(&folder);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

TEST(test_a_control_group_or_one_above_it_has_less_memory_than_the_machine)
{
    struct data_folder folder;
    char groups[256], above[256], own[256];
    data_folder_init(&folder);
    snprintf(groups, sizeof groups, "%s/groups", folder.path);
    snprintf(above, sizeof above, "%s/above", folder.path);
    snprintf(own, sizeof own, "%s/above/own", folder.path);
    assert_int_equal(mkdir(above, 0700) | mkdir(own, 0700), 0);
    const uint64_t machine = gz_machine_bytes("/none", "/none");
    assert_true(machine > 64 << 20);
    write_text(folder.path, "groups", "1:cpu:/other\n0::/above/own\n");
    write_text(own, "memory.max", "max\n");
    assert_int_equal(gz_machine_bytes(groups, folder.path), machine);
    write_text(above, "memory.max", "50000000\n");
    assert_int_equal(gz_machine_bytes(groups, folder.path), 50000000);
    write_text(own, "memory.max", "40000000\n");
    assert_int_equal(gz_machine_bytes(groups, folder.path), 40000000);
    write_text(folder.path, "memory.max", "30000000\n");
    assert_int_equal(gz_machine_bytes(groups, folder.path), 30000000);
    char command[600];
    snprintf(command, sizeof command, "rm -r %s/above %s/groups %s/memory.max", folder.path,
             folder.path, folder.path);
    assert_int_equal(system(command), 0);
    data_folder_finish(&folder);
}

/* ---- scenes that are made ---- */

static enum gz_status make(struct data_folder *folder, const char *name, bool create,
                           struct gz_error *error)
{
    struct gz_scene_wait wait = {0};
    struct gz_open_scene *scene;
    enum gz_status status =
        gz_scenes_find(&folder->scenes, name, create, "192.0.2.1", &wait, &scene, error);
    gz_scenes_forget(&wait);
    data_folder_await_jobs(folder);
    return status;
}

TEST(test_scenes_that_are_made_are_counted_and_those_that_are_there_are_not)
{
    struct data_folder folder;
    struct gz_shares shares = {.made = {.at_once = 2, .per_s = 0}};
    struct gz_error error;
    data_folder_init(&folder);
    folder.setting.shares = &shares;
    assert_int_equal(make(&folder, "a", true, &error), GZ_OK);
    assert_int_equal(make(&folder, "a", true, &error), GZ_OK);
    assert_int_equal(make(&folder, "missing", false, &error), GZ_UNKNOWN_SCENE);
    assert_int_equal(make(&folder, "b", true, &error), GZ_OK);
    assert_int_equal(make(&folder, "c", true, &error), GZ_RATE_LIMITED);
    assert_non_null(strstr(error.message, "create: too many new scenes"));
    assert_int_equal(make(&folder, "b", true, &error), GZ_OK);
    assert_false(data_folder_has(&folder, "c.db"));
    data_folder_finish(&folder);
}

TEST(test_full_disk_opens_scenes_and_makes_none)
{
    struct data_folder folder;
    struct gz_disk disk = {.keep_bytes = UINT64_MAX};
    struct gz_error error;
    data_folder_init(&folder);
    folder.setting.disk = &disk;
    assert_int_equal(make(&folder, "a", true, &error), GZ_OK);
    gz_disk_found(&disk, 0);
    assert_int_equal(make(&folder, "b", true, &error), GZ_STORAGE);
    assert_int_equal(make(&folder, "a", true, &error), GZ_OK);
    data_folder_finish(&folder);
}

/* ---- bytes that are written ---- */

static void ignore(void *context, enum gz_status status, const char *message)
{
    (void)context, (void)status, (void)message;
}

TEST(test_import_is_taken_from_the_share_of_its_payer_before_it_is_made)
{
    struct data_folder folder;
    struct gz_shares shares = {.written = {.at_once = 10000, .per_s = 0},
                               .written_in_scene = {.at_once = 15000, .per_s = 0}};
    struct gz_error error;
    data_folder_init(&folder);
    folder.setting.shares = &shares;
    assert_int_equal(make(&folder, "a", true, &error), GZ_OK);
    struct gz_open_scene *scene = gz_scenes_find_open(&folder.scenes, "a");
    const struct {
        const char *payer;
        size_t bytes;
        const char *words;
    } imports[] = {{"ann", 9000, NULL},
                   {"ann", 1000, "you added too much"},
                   {"ben", 8000, "the users of this scene added too much"},
                   {"ben", 2000, NULL},
                   {"", 20000, NULL}};
    for (size_t i = 0; i < sizeof imports / sizeof imports[0]; i++) {
        uint8_t *asset = calloc(1, imports[i].bytes);
        struct gz_core_import import = {.user = "ann",
                                        .payer = imports[i].payer,
                                        .asset = asset,
                                        .asset_size = imports[i].bytes,
                                        .asset_owner = asset,
                                        .finish = free,
                                        .done = ignore};
        enum gz_status status =
            gz_core_import(gz_open_scene_touch(scene), &import, gz_clock_now(), &error);
        assert_int_equal(status, imports[i].words != NULL ? GZ_RATE_LIMITED : GZ_OK);
        if (status == GZ_OK) continue;
        assert_non_null(strstr(error.message, imports[i].words));
        free(asset);
    }
    data_folder_settle(&folder);
    data_folder_finish(&folder);
}

static void say(struct gz_core *core, struct gz_session *session, const struct gz_message *message)
{
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_MESSAGE_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, message), GZ_OK);
    assert_true(gz_core_receive(core, session, bytes.data, bytes.size, gz_clock_now()));
    gz_buffer_finish(&bytes);
}

/* An editor's session on the share of "ann", which looks at a node and drags it. */
static struct gz_session *begin_drag(struct gz_core *core)
{
    const struct gz_message hello = {.op = GZ_OP_HELLO, .hello.v = GZ_PROTOCOL_VERSION},
                            camera = {.op = GZ_OP_CAMERA,
                                      .camera = {.view = {1, 0, 0, 0, 0, 1, 0, 0, //
                                                          0, 0, 1, 0, 0, 0, -10, 1},
                                                 .proj = {0.75, 0, 0, 0, 0, 1, 0, 0, //
                                                          0, 0, -1, -1, 0, 0, -0.2, 0},
                                                 .viewport = {0, 0, 800, 600}}};
    struct gz_claims claims = gz_claims_open("flo", 3, GZ_ROLE_EDITOR);
    struct gz_create_node node = {.name = {"n", 1}};
    struct gz_message create = {.op = GZ_OP_CREATE, .create = {&node, 1}},
                      grab = {.op = GZ_OP_GRAB,
                              .has = GZ_HAS_POINTER_AT | GZ_HAS_POINTER_NODES,
                              .pointer = {.phase = GZ_PHASE_DOWN, .at = {400, 300}}};
    const uint64_t id = 1;
    struct gz_session *session;
    struct gz_error error;
    snprintf(claims.payer, sizeof claims.payer, "ann");
    grab.pointer.handle = GZ_TX;
    grab.pointer.nodes = (struct gz_ids){&id, 1};
    assert_int_equal(gz_core_join(core, 1, &hello, &claims, NULL, gz_clock_now(), &session, &error),
                     GZ_OK);
    say(core, session, &camera);
    say(core, session, &create);
    say(core, session, &grab);
    return session;
}

static double left_of(const struct gz_quota *quota, const char *name)
{
    for (size_t i = 0; i < quota->count; i++) {
        if (strcmp(quota->accounts[i].name, name) == 0) return quota->accounts[i].rate.tokens;
    }
    fail_msg("%s took nothing", name);
    return 0;
}

/* The motion of a drag is stored whether its payer has anything left or not. */
TEST(test_samples_of_a_drag_are_taken_from_the_shares_into_debt)
{
    enum { LEFT = GZ_FILE_BYTES_PER_SAMPLE / 2 };
    struct data_folder folder;
    struct gz_shares shares = {.written = {.at_once = 10000, .per_s = 0},
                               .written_in_scene = {.at_once = 15000, .per_s = 0}};
    struct gz_message move = {.op = GZ_OP_POINTER,
                              .has = GZ_HAS_POINTER_AT,
                              .pointer = {.phase = GZ_PHASE_MOVE, .at = {450, 300}}};
    struct gz_error error;
    data_folder_init(&folder);
    folder.setting.shares = &shares;
    assert_int_equal(make(&folder, "a", true, &error), GZ_OK);
    struct gz_open_scene *scene = gz_scenes_find_open(&folder.scenes, "a");
    struct gz_core *core = gz_open_scene_touch(scene);
    struct gz_session *session = begin_drag(core);
    data_folder_settle(&folder);
    gz_quota_take(&shares.written, "ann", left_of(&shares.written, "ann") - LEFT, 0);
    const double in_scene = left_of(&shares.written_in_scene, "a");
    say(gz_open_scene_touch(scene), session, &move);
    data_folder_settle(&folder);
    assert_true(left_of(&shares.written, "ann") == LEFT - GZ_FILE_BYTES_PER_SAMPLE);
    assert_true(left_of(&shares.written_in_scene, "a") == in_scene - GZ_FILE_BYTES_PER_SAMPLE);
    gz_core_leave(gz_open_scene_touch(scene), session, gz_clock_now());
    data_folder_settle(&folder);
    data_folder_finish(&folder);
}
