/* store_bench - what the disk costs: durable edits, samples, a start after kill -9, a long history
 * (`at` within 100 ms). store_bench FOLDER [EDITS]        a million without
 *                      store_bench FOLDER --starts       the starts alone
 * The files are made in FOLDER, on the file system of /tmp, and are removed; a million edits take
 * some 0.7 GB of it. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/quantile.h"
#include "store/store.h"
#include "support/clock.h"
#include "support/cmocka.h"
#include "support/crowd.h"
#include "support/daemon.h"
#include "support/long_history.h"

#define NODES 10000
#define EDITS_PER_BATCH 500
#define SECONDS 3.0
#define START 1.7e9
#define USERS 16
#define ROUNDS 40
#define DRAGS 10
#define DRAG_SAMPLES 1500 /* half a minute */
#define SAMPLES_AT_ONCE 400

struct file {
    char path[256];
    struct gz_store *store;
    struct gz_scene_state state;
    uint64_t seq, edit;
    double x[NODES];
};

static void open_file(struct file *file, enum gz_recorded recorded)
{
    struct gz_error error;
    struct gz_store_options options = {
        .path = file->path, .create = true, .time = START, .recorded = recorded};
    if (gz_store_open(&file->store, &options, &file->state, &error) != GZ_OK ||
        gz_store_start(file->store, &error) != GZ_OK)
        fail_msg("%s", error.message);
}

static void close_file(struct file *file)
{
    gz_store_close(file->store);
    gz_scene_state_finish(&file->state);
}

static struct gz_batch *take(struct file *file)
{
    enum gz_status status;
    struct gz_error error;
    struct gz_batch *batch;
    while ((batch = gz_store_take(file->store, &status, &error)) == NULL) usleep(20);
    if (status != GZ_OK) fail_msg("%s", error.message);
    return batch;
}

static struct gz_content content(double x)
{
    struct gz_content content = {.name = "a node of a bench", .trs = gz_trs_identity, .asset = -1};
    content.trs.t.x = x;
    return content;
}

static void *room(struct gz_batch *batch, size_t count, size_t size)
{
    void *memory = gz_arena_take(&batch->arena, count, size);
    assert_non_null(memory);
    return memory;
}

/* So many edits of `width` nodes each, one second after the other; the first makes the nodes. Every
 * tenth is a drag with eight samples. */
static struct gz_batch *edits(struct file *file, size_t count, size_t width)
{
    struct gz_batch *batch = gz_batch_create();
    struct gz_edit_record *records = room(batch, count, sizeof *records);
    struct gz_node_record *nodes = room(batch, count * width, sizeof *nodes);
    struct gz_sample_record *samples = room(batch, count * 8, sizeof *samples);
    for (size_t i = 0; i < count; i++) {
        bool existed = file->edit > 0, is_drag = existed && file->edit % 10 == 9;
        struct gz_change *changes = room(batch, width, sizeof *changes);
        double time = START + (double)file->edit;
        records[i] = (struct gz_edit_record){.id = ++file->edit,
                                             .kind = existed ? GZ_EDIT_SET : GZ_EDIT_CREATE};
        records[i].user = file->edit % 2 == 0 ? "anna" : "ben";
        records[i].began = time;
        records[i].ended = time + 0.9;
        records[i].began_seq = file->seq;
        for (size_t j = 0; j < width; j++) {
            uint64_t node = width == NODES ? j : file->edit * 7919 % NODES;
            changes[j] = (struct gz_change){.node = node + 1, .existed = existed, .exists = true};
            changes[j].before = content(file->x[node]);
            for (uint64_t s = 0; is_drag && s < 8; s++)
                samples[batch->sample_count++] = (struct gz_sample_record){
                    file->edit, node + 1, ++file->seq, time + 0.1 * (double)(s + 1),
                    content((double)(s * s)).trs};
            changes[j].after = content(file->x[node] = (double)file->edit);
            nodes[batch->node_count++] = (struct gz_node_record){
                .id = node + 1, .seq = ++file->seq, .content = changes[j].after};
        }
        records[i].seq = file->seq;
        records[i].changes = changes;
        records[i].change_count = width;
        if (is_drag) records[i].kind = GZ_EDIT_TRANSLATE, records[i].handle = GZ_TX;
    }
    batch->ended = records;
    batch->ended_count = count;
    batch->nodes = nodes;
    batch->samples = samples;
    batch->seq = file->seq;
    batch->time = START + (double)file->edit;
    batch->next_node = NODES + 1;
    batch->next_edit = file->edit + 1;
    return batch;
}

static void commit(struct file *file, struct gz_batch *batch)
{
    gz_store_submit(file->store, batch);
    gz_batch_destroy(take(file));
}

/* ---- durable edits ---- */

static void bench_batches(struct file *file, size_t size)
{
    static double waits[1000000];
    size_t done = 0;
    double begin = now_s();
    while (now_s() - begin < SECONDS && done < sizeof waits / sizeof waits[0]) {
        double sent = now_s();
        commit(file, edits(file, size, 1));
        waits[done++] = now_s() - sent;
    }
    double taken = now_s() - begin;
    printf("| durable edits, %zu in a batch | %.0f/s, p50 %.2f ms, p99 %.2f ms |\n", size,
           (double)(done * size) / taken, 1e3 * quantile(waits, done, 0.5),
           1e3 * quantile(waits, done, 0.99));
    fflush(stdout);
}

/* ---- dragged seconds ---- */

/* A hand that follows a curve, and trembles. */
static gz_trs hand(double s)
{
    gz_trs trs = gz_trs_identity;
    trs.t.x = 0.3 * sin(1.3 * s) + 0.004 * sin(19 * s);
    trs.t.y = 0.2 * sin(2.1 * s + 1) + 0.003 * sin(23 * s);
    return trs;
}

static struct gz_batch *drag_batch(struct file *file, struct gz_edit_record *edit, bool begins,
                                   bool ends)
{
    struct gz_batch *batch = gz_batch_create();
    batch->begun = begins ? edit : NULL;
    batch->begun_count = begins;
    batch->ended = ends ? edit : NULL;
    batch->ended_count = ends;
    batch->seq = file->seq;
    batch->time = edit->ended;
    batch->next_node = NODES + 1;
    batch->next_edit = file->edit + 1;
    return batch;
}

static void drag(struct file *file)
{
    static struct gz_sample_record samples[SAMPLES_AT_ONCE];
    struct gz_change change = {
        .node = 1, .existed = true, .exists = true, .before = content(0), .after = content(0)};
    struct gz_edit_record edit = {
        .id = ++file->edit, .kind = GZ_EDIT_TRANSLATE, .handle = GZ_TXY, .user = "anna"};
    double begin = START + (double)file->edit * 60;
    edit.began = edit.ended = begin;
    edit.began_seq = file->seq;
    edit.changes = &change;
    edit.change_count = 1;
    edit.path_m = 0.001;
    change.before.trs = hand(0);
    commit(file, drag_batch(file, &edit, true, false));
    for (int i = 0; i < DRAG_SAMPLES;) {
        size_t count = 0;
        for (; count < SAMPLES_AT_ONCE && i < DRAG_SAMPLES; count++, i++)
            samples[count] = (struct gz_sample_record){
                edit.id, 1, ++file->seq, begin + 0.02 * (i + 1), hand(0.02 * (i + 1))};
        struct gz_batch *batch = drag_batch(file, &edit, false, false);
        batch->samples = samples;
        batch->sample_count = count;
        commit(file, batch);
    }
    edit.ended = begin + 0.02 * DRAG_SAMPLES;
    edit.seq = ++file->seq;
    change.after.trs = hand(0.02 * DRAG_SAMPLES);
    commit(file, drag_batch(file, &edit, false, true));
}

static void bench_drags(const char *folder, enum gz_recorded recorded, const char *word)
{
    static struct file file;
    struct stat before, after;
    file = (struct file){.seq = 0};
    snprintf(file.path, sizeof file.path, "%s/drags-%s.db", folder, word);
    open_file(&file, recorded);
    commit(&file, edits(&file, 1, NODES));
    close_file(&file);
    assert_int_equal(stat(file.path, &before), 0);
    open_file(&file, recorded);
    double begin = now_s();
    for (int i = 0; i < DRAGS; i++) drag(&file);
    double taken = now_s() - begin;
    close_file(&file);
    assert_int_equal(stat(file.path, &after), 0);
    double bytes = (double)(after.st_size - before.st_size), samples = DRAGS * DRAG_SAMPLES;
    printf("| a hand's drag, --record %s | %.0f bytes for a sample, %.0f for a second; %.0f "
           "samples/s written |\n",
           word, bytes / samples, 50 * bytes / samples, samples / taken);
    fflush(stdout);
    unlink(file.path);
}

/* ---- a start ---- */

static double time_open(struct file *file)
{
    double begin = now_s();
    open_file(file, GZ_RECORD_ALL);
    double taken = now_s() - begin;
    if (file->state.read_only[0] != '\0') fail_msg("%s", file->state.read_only);
    return taken;
}

/* Another process opens the scene, edits it for a while, and is killed. */
static void kill_server(struct file *file)
{
    pid_t pid = fork();
    if (pid == 0) {
        open_file(file, GZ_RECORD_ALL);
        file->seq = file->state.seq;
        file->edit = file->state.next_edit - 1;
        for (size_t i = 0; i < NODES && i < file->state.node_count; i++)
            file->x[file->state.nodes[i].id - 1] = file->state.nodes[i].content.trs.t.x;
        for (int i = 0; i < 20; i++) commit(file, edits(file, 10, 1));
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void bench_start(const char *folder, unsigned long long count)
{
    static struct file file;
    struct stat status;
    file = (struct file){.seq = 0};
    snprintf(file.path, sizeof file.path, "%s/starts-%llu.db", folder, count);
    open_file(&file, GZ_RECORD_ALL);
    commit(&file, edits(&file, 1, NODES));
    close_file(&file);
    long_history_add(file.path, NODES, count, START);
    assert_int_equal(stat(file.path, &status), 0);
    double foreign_s = time_open(&file);
    close_file(&file);
    double closed_s = time_open(&file);
    close_file(&file);
    double killed_s = 0;
    for (int i = 0; i < 3; i++) {
        kill_server(&file);
        double taken_s = time_open(&file);
        if (i == 0 || taken_s < killed_s) killed_s = taken_s;
        close_file(&file);
    }
    printf(
        "| start with %llu edits, %.0f MB | %.0f ms; after kill -9 %.0f ms (best of three); from "
        "elsewhere %.1f s |\n",
        count, (double)status.st_size * 1e-6, 1e3 * closed_s, 1e3 * killed_s, foreign_s);
    fflush(stdout);
    unlink(file.path);
}

static void bench_starts(const char *folder)
{
    for (unsigned long long count = 10000; count <= 1000000; count *= 10)
        bench_start(folder, count);
}

/* ---- a long history ---- */

static void make_long(struct file *file, uint64_t count)
{
    struct stat status;
    double begin = now_s();
    open_file(file, GZ_RECORD_ALL);
    commit(file, edits(file, 1, NODES));
    while (file->edit < count) commit(file, edits(file, EDITS_PER_BATCH, 1));
    close_file(file);
    double made = now_s() - begin;
    assert_int_equal(stat(file->path, &status), 0);
    begin = now_s();
    open_file(file, GZ_RECORD_ALL);
    printf("| %llu edits: made in %.0f s, %.0f MB; opened in | %.0f ms |\n",
           (unsigned long long)file->edit, made, (double)status.st_size * 1e-6,
           1e3 * (now_s() - begin));
    close_file(file);
    fflush(stdout);
}

struct live {
    struct test_daemon daemon;
    struct crowd crowd;
    struct crowd_member *users[USERS], *asker;
    bool answered;
    uint64_t n;
};

static void handle_message(void *context, struct crowd_member *member,
                           const struct gz_message *message, double came_s)
{
    struct live *live = context;
    (void)came_s;
    if (member == live->asker && message->op == GZ_OP_ERROR)
        fail_msg("%.*s", (int)message->error.message.size, message->error.message.bytes);
    if (member == live->asker && message->op == GZ_OP_OK && !message->ok.more)
        live->answered = true;
}

static bool is_answered(void *context)
{
    return ((struct live *)context)->answered;
}

/* Each user drags a node of their own. */
static void move_all(struct live *live)
{
    live->n++;
    for (uint64_t i = 0; i < USERS; i++) {
        uint64_t node = i + 1;
        struct gz_message grab = {.op = GZ_OP_GRAB,
                                  .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_VALUE |
                                         GZ_HAS_POINTER_N};
        grab.pointer =
            (struct gz_pointer_message){.phase = GZ_PHASE_DOWN, .handle = GZ_TX, .n = live->n};
        grab.pointer.nodes.ids = &node;
        grab.pointer.nodes.count = 1;

        grab.pointer.value = (struct gz_value){{(double)live->n * 0.01}, 1};
        crowd_send(live->users[i], &grab);
    }
}

static double ask(struct live *live, struct gz_message *message)
{
    double begin = now_s();
    message->has |= GZ_HAS_RID;
    message->rid = 1;
    live->answered = false;
    crowd_send(live->asker, message);
    while (!crowd_until(&live->crowd, is_answered, live, 0.02)) move_all(live);
    return now_s() - begin;
}

static void bench_question(struct live *live, const char *word,
                           struct gz_message (*make)(uint64_t random, uint64_t seq), uint64_t seq)
{
    double waits[ROUNDS];
    for (uint64_t i = 0; i < ROUNDS; i++) {
        struct gz_message message = make(i * 2654435761U, seq);
        waits[i] = ask(live, &message);
        for (int pause = 0; pause < 3; pause++) {
            move_all(live);
            crowd_run(&live->crowd, 0.02);
        }
    }
    double p50 = quantile(waits, ROUNDS, 0.5);
    printf("| %s, while %d users drag | p50 %.1f ms, p99 %.1f ms |\n", word, USERS, 1e3 * p50,
           1e3 * quantile(waits, ROUNDS, 0.99));
    fflush(stdout);
}

static struct gz_message at_seq(uint64_t random, uint64_t seq)
{
    return (struct gz_message){
        .op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at = {.seq = NODES + random % (seq - NODES)}};
}

static struct gz_message at_time(uint64_t random, uint64_t seq)
{
    double span = (double)(seq - NODES) / 1.8;
    return (struct gz_message){.op = GZ_OP_AT,
                               .has = GZ_HAS_AT_TIME,
                               .at = {.time = START + 1 + fmod((double)random * 0.37, span)}};
}

static struct gz_message newest(uint64_t random, uint64_t seq)
{
    (void)random;
    (void)seq;
    return (struct gz_message){
        .op = GZ_OP_HISTORY, .has = GZ_HAS_HISTORY_LIMIT, .history = {.limit = 100}};
}

static struct gz_message of_node(uint64_t random, uint64_t seq)
{
    (void)seq;
    return (struct gz_message){
        .op = GZ_OP_HISTORY,
        .has = GZ_HAS_HISTORY_LIMIT | GZ_HAS_HISTORY_NODE,
        .history = {.limit = 100, .node = USERS + 1 + random % (NODES - USERS)}};
}

static struct gz_message of_user(uint64_t random, uint64_t seq)
{
    (void)random;
    (void)seq;
    return (struct gz_message){.op = GZ_OP_HISTORY,
                               .has = GZ_HAS_HISTORY_LIMIT | GZ_HAS_HISTORY_USER,
                               .history = {.limit = 100, .user = {"anna", 4}}};
}

static void bench_live(struct file *file)
{
    struct live live = {.n = 0};
    char path[256];
    test_daemon_init(&live.daemon);
    test_daemon_start(&live.daemon, NULL, NULL);
    snprintf(path, sizeof path, "%s/long.db", live.daemon.data);
    if (link(file->path, path) != 0) fail_msg("FOLDER has to be on the file system of /tmp");
    unlink(file->path);
    crowd_init(&live.crowd, live.daemon.port);
    live.crowd.handle = handle_message;
    live.crowd.context = &live;
    for (size_t i = 0; i < USERS; i++)
        live.users[i] = crowd_enter(&live.crowd, "long", GZ_ROLE_EDITOR, 0);
    live.asker = crowd_enter(&live.crowd, "long", GZ_ROLE_VIEWER, 0);
    assert_int_equal(crowd_gather(&live.crowd, 60), USERS + 1);
    bench_question(&live, "at a seq, 10,000 nodes", at_seq, file->seq);
    bench_question(&live, "at a time, 10,000 nodes", at_time, file->seq);
    bench_question(&live, "history, the newest 100", newest, file->seq);
    bench_question(&live, "history of a node, 100", of_node, file->seq);
    bench_question(&live, "history of a user, 100", of_user, file->seq);
    crowd_finish(&live.crowd);
    test_daemon_end(&live.daemon);
    test_daemon_finish(&live.daemon);
}

int main(int count, char **arguments)
{
    static struct file file;
    if (count < 2) {
        fprintf(stderr, "store_bench FOLDER [EDITS | --starts]\n");
        return 1;
    }
    if (count > 2 && strcmp(arguments[2], "--starts") == 0) {
        bench_starts(arguments[1]);
        return 0;
    }
    snprintf(file.path, sizeof file.path, "%s/edits.db", arguments[1]);
    open_file(&file, GZ_RECORD_ALL);
    commit(&file, edits(&file, 1, NODES));
    bench_batches(&file, 1);
    bench_batches(&file, 16);
    bench_batches(&file, 256);
    close_file(&file);
    unlink(file.path);
    bench_drags(arguments[1], GZ_RECORD_THIN, "thin");
    bench_drags(arguments[1], GZ_RECORD_ALL, "all");
    bench_starts(arguments[1]);
    file = (struct file){.seq = 0};
    snprintf(file.path, sizeof file.path, "%s/long.db", arguments[1]);
    make_long(&file, count > 2 ? strtoull(arguments[2], NULL, 10) : 1000000);
    bench_live(&file);
    return 0;
}
