/* While the core of a scene is lent, whoever wants the scene waits, and nobody else does; then all
 * go on in their order. The worker holds the core as long as the test wants. */
#include "data_folder.h"
#include <sqlite3.h>

#include "conn/clock.h"
#include "host/listing.h"
#include "host/loan.h"
#include "host/memory.h"
#include "host/transfer.h"
#include "server/maxima.h"
#include "support/fault_vfs.h"

/* A loan that ends when it is told to. */
struct held {
    struct gz_loan loan;
    uv_sem_t begun, ends;
    uv_timer_t timer; /* which tells it */
    unsigned run, done;
    bool is_cancelled;
};

static void run_held(struct gz_loan *loan, struct gz_core *core)
{
    struct held *held = loan->context;
    assert_non_null(core);
    held->run++;
    uv_sem_post(&held->begun);
    uv_sem_wait(&held->ends);
}

static void handle_done(struct gz_loan *loan, bool is_cancelled)
{
    struct held *held = loan->context;
    held->done++;
    held->is_cancelled = is_cancelled;
}

static void lend(struct held *held, struct gz_open_scene *scene)
{
    *held = (struct held){.loan = {run_held, handle_done, held, "anna"}};
    uv_sem_init(&held->begun, 0);
    uv_sem_init(&held->ends, 0);
    gz_open_scene_lend(scene, &held->loan);
    uv_sem_wait(&held->begun);
}

static void end(struct held *held, struct data_folder *folder)
{
    uv_sem_post(&held->ends);
    while (held->done == 0) uv_run(&folder->loop, UV_RUN_ONCE);
}

static void turn_loop(struct data_folder *folder)
{
    for (int i = 0; i < 3; i++) uv_run(&folder->loop, UV_RUN_NOWAIT);
}

TEST_IN_FOLDER(test_who_wants_the_scene_waits_and_nobody_else)
{
    struct data_folder *folder = *state;
    struct gz_open_scene *scene = data_folder_open(folder, "a"),
                         *other = data_folder_open(folder, "b");
    struct waiter first, second, elsewhere;
    struct held held;
    data_folder_settle(folder);
    lend(&held, scene);
    waiter_ask(&first, folder, "a", false);
    waiter_ask(&second, folder, "a", false);
    waiter_ask(&elsewhere, folder, "b", false);
    turn_loop(folder);
    assert_false(first.is_answered || second.is_answered);
    assert_ptr_equal(elsewhere.scene, other);
    gz_core_turn(gz_net_core(&other->net), gz_clock_now());
    end(&held, folder);
    assert_ptr_equal(first.scene, scene);
    assert_ptr_equal(second.scene, scene);
    assert_int_equal(held.run, 1);
    assert_false(held.is_cancelled);
}

/* What is said of the scene meanwhile is what it was before; it is not idle, and not closed to make
 * room for another. */
TEST_IN_FOLDER(test_numbers_are_those_from_before)
{
    struct data_folder *folder = *state;
    struct gz_open_scene *scene = data_folder_open(folder, "a");
    struct held held;
    data_folder_settle(folder);
    struct gz_core_summary before = gz_open_scene_summary(scene);
    lend(&held, scene);
    struct gz_core_summary meanwhile = gz_open_scene_summary(scene);
    assert_int_equal(meanwhile.seq, before.seq);
    assert_int_equal(meanwhile.epoch, before.epoch);
    assert_false(gz_open_scene_is_idle(scene));
    end(&held, folder);
    data_folder_settle(folder);
    assert_true(gz_open_scene_is_idle(scene));
}

/* One who was woken may lend the core again: the others wait on. */
static void lend_again(struct gz_scene_wait *wait, const struct gz_error *error)
{
    assert_null(error);
    gz_open_scene_lend(wait->context, NULL);
}

TEST_IN_FOLDER(test_who_waits_may_borrow_it_next)
{
    struct data_folder *folder = *state;
    struct gz_open_scene *scene = data_folder_open(folder, "a");
    struct gz_scene_wait borrower = {.again = lend_again, .context = scene};
    struct waiter late;
    struct held held;
    lend(&held, scene);
    gz_scenes_await(scene, &borrower);
    waiter_ask(&late, folder, "a", false);
    end(&held, folder);
    assert_true(scene->net.is_lent);
    assert_false(late.is_answered);
    data_folder_await_jobs(folder);
    assert_ptr_equal(late.scene, scene);
}

static void count_retired(void *context, const struct gz_error *error)
{
    assert_int_equal(error->status, GZ_OK);
    ++*(unsigned *)context;
}

TEST_IN_FOLDER(test_scene_is_deleted_when_the_core_is_back)
{
    struct data_folder *folder = *state;
    struct gz_open_scene *scene = data_folder_open(folder, "a");
    unsigned retired = 0;
    struct gz_error error;
    struct gz_retire_request request = {.how = GZ_RETIRE_DELETE,
                                        .name = "a",
                                        .user = "",
                                        .done = count_retired,
                                        .context = &retired};
    struct held held;
    data_folder_settle(folder);
    lend(&held, scene);
    assert_int_equal(gz_retire(&folder->retirements, &request, &error), GZ_OK);
    turn_loop(folder);
    assert_true(data_folder_has(folder, "a.db"));
    end(&held, folder);
    while (folder->retirements.first != NULL) {
        data_folder_settle(folder);
        uv_run(&folder->loop, UV_RUN_ONCE);
    }
    assert_int_equal(retired, 1);
    assert_false(data_folder_has(folder, "a.db"));
}

static void release(uv_timer_t *timer)
{
    struct held *held = timer->data;
    uv_sem_post(&held->ends);
    uv_close((uv_handle_t *)timer, NULL);
}

/* Everything is closed: that waits for the core, and who waits for it is told so. */
static void note_end(struct gz_scene_wait *wait, const struct gz_error *error)
{
    assert_non_null(error);
    ++*(unsigned *)wait->context;
}

TEST_IN_FOLDER(test_end_waits_for_the_core)
{
    struct data_folder *folder = *state;
    static struct held held;
    unsigned ended = 0;
    struct gz_open_scene *scene = data_folder_open(folder, "a");
    struct gz_scene_wait wait = {.again = note_end, .context = &ended};
    lend(&held, scene);
    gz_scenes_await(scene, &wait);
    uv_timer_init(&folder->loop, &held.timer);
    held.timer.data = &held;
    uv_timer_start(&held.timer, release, 1, 0);
    gz_jobs_close(&folder->jobs);
    gz_scenes_close(&folder->scenes);
    assert_int_equal(folder->closing, 0);
    uv_run(&folder->loop, UV_RUN_DEFAULT);
    assert_int_equal(folder->closing, 1);
    assert_int_equal(ended, 1);
    assert_true(held.done == 1 && held.is_cancelled);
    assert_null(folder->scenes.first);
}

/* ---- an import that is refused before its loan is over ---- */

static void ignore_stored(void *context, enum gz_status status, const char *message)
{
    (void)context, (void)status, (void)message;
}

/* An edit of so many nodes that what the disk says of it is put off. */
static void edit_many(struct gz_open_scene *scene)
{
    static struct gz_core_import_node nodes[2 * GZ_NODES_AT_ONCE];
    struct gz_error error;
    struct gz_core_import import = {.user = "ann",
                                    .nodes = nodes,
                                    .count = sizeof nodes / sizeof nodes[0],
                                    .asset = (const uint8_t *)"glTF",
                                    .asset_size = 4,
                                    .done = ignore_stored};
    for (size_t i = 0; i < import.count; i++)
        nodes[i] = (struct gz_core_import_node){
            .parent = -1, .content = {.name = "n", .trs = {.r.w = 1, .s = {1, 1, 1}}}};
    if (gz_core_import(gz_net_core(&scene->net), &import, gz_clock_now(), &error) != GZ_OK)
        fail_msg("%s", error.message);
}

/* The disk refuses an edit, and the core has put off what follows from that. */
static void have_it_refused(struct data_folder *folder, struct gz_open_scene *scene)
{
    edit_many(scene);
    fault_vfs_arm(FAULT_WRITE, 1, SQLITE_FULL, false);
    gz_open_scene_lend(scene, NULL); /* for the batch */
    while (scene->net.is_lent || !gz_core_has_bulk(gz_net_core(&scene->net)))
        uv_run(&folder->loop, UV_RUN_ONCE);
    assert_true(fault_vfs_heal());
}

struct imported {
    unsigned told;
    enum gz_status status;
};

static void note_imported(void *context, const struct gz_error *error)
{
    struct imported *imported = context;
    imported->told++;
    imported->status = error->status;
}

/* The worker applies the import to the nodes of the edit, and takes both back at once. */
TEST_IN_FOLDER(test_import_is_refused_before_its_loan_is_over)
{
    struct data_folder *folder = *state;
    struct gz_transfers transfers = {.scenes = &folder->scenes,
                                     .retirements = &folder->retirements};
    struct gz_open_scene *scene = data_folder_open(folder, "a");
    struct imported refused = {.told = 0}, taken = {.told = 0};
    data_folder_settle(folder);
    have_it_refused(folder, scene);
    gz_transfer_sample(&transfers, "a", note_imported, &refused);
    data_folder_await_jobs(folder);
    assert_int_equal(refused.told, 1);
    assert_int_equal(refused.status, GZ_STORAGE);
    assert_null(transfers.first);
    assert_int_equal(gz_open_scene_summary(scene).nodes, 0);
    gz_transfer_sample(&transfers, "a", note_imported, &taken);
    while (taken.told == 0) data_folder_settle(folder);
    assert_int_equal(taken.status, GZ_OK);
    assert_true(gz_open_scene_summary(scene).nodes > 0);
}

/* ---- memory ---- */

/* A daemon above its bound that is asked to forget. */
static uint64_t much(void)
{
    return (uint64_t)1 << 40;
}

static uint64_t count_relief(void *context, uint64_t bytes)
{
    ++*(unsigned *)context;
    return bytes;
}

/* Nothing of a lent core can be forgotten, so it is no room for anybody; what is owed by then is
 * forgotten when the core is back. */
TEST_IN_FOLDER(test_lent_core_has_nothing_to_spare)
{
    struct data_folder *folder = *state;
    struct gz_open_scene *scene = data_folder_open(folder, "a");
    unsigned reliefs = 0;
    struct gz_memory memory = {.bytes_max = (uint64_t)1 << 30,
                               .resident_bytes = much(),
                               .find_resident = much,
                               .relieve = count_relief,
                               .context = &reliefs};
    struct held held;
    edit_many(scene);
    data_folder_settle(folder);
    assert_true(gz_scenes_spare(&folder->scenes) > 0);
    folder->setting.memory = &memory;
    lend(&held, scene);
    const uint64_t spare = gz_scenes_spare(&folder->scenes),
                   freed = gz_scenes_relieve(&folder->scenes, much());
    end(&held, folder);
    assert_int_equal(spare, 0);
    assert_int_equal(freed, 0);
    assert_int_equal(reliefs, 1);
    assert_true(gz_scenes_spare(&folder->scenes) > 0);
    folder->setting.memory = NULL;
}

int main(void)
{
    fault_vfs_register();
    return test_run(NULL, NULL);
}
