/* harm_bench.c - what one who asks for much at the full rate costs others. harm_bench [NODES
 * [SECONDS [WORDS]]], 100000 and 3 without; WORDS chooses the rows that have them in their name.
 * A real daemon with its disk, real sockets on loopback. In a large scene and in a small one an
 * editor moves one node 50 times a second; the wait is from the send to the `ok`, after COMMIT, and
 * in the large scene also to the delta that shows the move. In each row somebody else, in processes
 * of their own that take what processors have left, asks for one thing as often as the daemon takes
 * it, from the large scene, under one name: the share of the name is that of an address elsewhere.
 * A row is measured from the moment at which these processes begin, and compared with a calm time
 * before it. The last column is the longest turn of the daemon's loop in its processor time
 * (support/turn_preload.c): nobody waits longer for another scene than that and what others take of
 * the processor. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cmocka.h"

#include "bench/asker.h"
#include "bench/quantile.h"
#include "proto/limits.h"
#include "support/crowd.h"
#include "support/daemon.h"
#include "support/raw_ws.h"
#include "support/turn_preload.h"

#define LARGE "large"
#define SMALL "small"
#define MOVES_PER_S 50
/* Before it is calm: so many seconds, and more of them while somebody waited longer than that. */
#define SETTLE_SECONDS 1.0
#define SETTLE_SECONDS_MAX 5
#define CALM_MS 10.0
#define PATIENCE_S 120.0
#define MOVED_Y 0.5    /* where no node is by itself */
#define MOVES_MAX 1024 /* that wait for their answer */
#define ATTACKERS_MAX 32
#define SOME 99
/* The places of two people in the bench. */
enum { IN_SMALL, IN_LARGE, PEOPLE };

struct waits {
    double p50, p99, shown_p99; /* milliseconds */
};

struct samples {
    double ms[100000];
    size_t count;
};

/* Sends a move for each rid, and does not wait for answers, which come in this order. */
struct person {
    struct crowd_member *member;
    uint64_t node, rid, answered, shown; /* the latest rids */
    double sent_s[MOVES_MAX];            /* by rid */
    struct samples answers, deltas;
};

struct bench {
    struct test_daemon daemon;
    struct crowd crowd;
    struct person people[PEOPLE];
    struct large_scene large; /* the last of its nodes is the editor's own */
    double seconds;
    struct turn_page *page;
};

/* ---- the people whose wait counts ---- */

static void note(struct person *person, struct samples *samples, uint64_t rid, double came_s)
{
    if (samples->count < sizeof samples->ms / sizeof samples->ms[0])
        samples->ms[samples->count++] = 1e3 * (came_s - person->sent_s[rid % MOVES_MAX]);
}

static void note_until(struct person *person, struct samples *samples, uint64_t *latest,
                       uint64_t rid, double came_s)
{
    while (*latest < rid) note(person, samples, ++*latest, came_s);
}

/* Where the node is says which move it was. */
static void hear_delta(struct person *person, const struct gz_delta *delta, double came_s)
{
    for (size_t i = 0; i < delta->count; i++) {
        const struct gz_node_state *node = &delta->nodes[i];
        if (node->id == person->node && (node->has & GZ_HAS_STATE_T) != 0 &&
            node->trs.t.y == MOVED_Y)
            note_until(person, &person->deltas, &person->shown, (uint64_t)node->trs.t.x, came_s);
    }
}

static void handle_message(void *context, struct crowd_member *member,
                           const struct gz_message *message, double came_s)
{
    struct bench *bench = context;
    int i = 0;
    while (i < PEOPLE && bench->people[i].member != member) i++;
    if (i == PEOPLE) return;
    struct person *person = &bench->people[i];
    if (message->op == GZ_OP_ERROR)
        fail_msg("an edit was refused: %.*s", (int)message->error.message.size,
                 message->error.message.bytes);
    if (message->op == GZ_OP_DELTA) hear_delta(person, &message->delta, came_s);
    if (message->op == GZ_OP_OK && message->rid != 0)
        note_until(person, &person->answers, &person->answered, message->rid, came_s);
}

static void move(struct person *person)
{
    if (person->rid - person->answered == MOVES_MAX) return; /* these wait long enough */
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = person->node};
    node.trs.t = (gz_vec3){(double)++person->rid, MOVED_Y, 0};
    struct gz_message set = {.op = GZ_OP_SET,
                             .has = GZ_HAS_RID,
                             .rid = person->rid,
                             .set = {.nodes = &node, .count = 1}};
    person->sent_s[person->rid % MOVES_MAX] = crowd_unix_s();
    crowd_send(person->member, &set);
}

static void move_for(struct bench *bench, double seconds)
{
    double begin_s = crowd_unix_s();
    for (int i = 0; i < (int)(seconds * MOVES_PER_S); i++) {
        for (int p = 0; p < PEOPLE; p++) move(&bench->people[p]);
        crowd_run(&bench->crowd, fmax(0, begin_s + (i + 1.0) / MOVES_PER_S - crowd_unix_s()));
    }
}

/* Who still waits has waited so long at least, and is counted again when the answer comes. */
static struct waits waits_of(struct person *person)
{
    double now_s = crowd_unix_s();
    uint64_t answered = person->answered, shown = person->shown;
    note_until(person, &person->answers, &answered, person->rid, now_s);
    note_until(person, &person->deltas, &shown, person->rid, now_s);
    return (struct waits){quantile(person->answers.ms, person->answers.count, 0.5),
                          quantile(person->answers.ms, person->answers.count, 0.99),
                          quantile(person->deltas.ms, person->deltas.count, 0.99)};
}

static void forget(struct bench *bench)
{
    for (int i = 0; i < PEOPLE; i++)
        bench->people[i].answers.count = bench->people[i].deltas.count = 0;
    atomic_store(&bench->page->cpu_ns, 0);
}

static void measure(struct bench *bench, struct waits waits[PEOPLE])
{
    move_for(bench, bench->seconds);
    for (int i = 0; i < PEOPLE; i++) waits[i] = waits_of(&bench->people[i]);
}

static void settle(struct bench *bench)
{
    struct waits waits[PEOPLE];
    bool is_calm = false;
    for (int i = 0; i < SETTLE_SECONDS_MAX && !is_calm; i++) {
        forget(bench);
        move_for(bench, SETTLE_SECONDS);
        for (int p = 0; p < PEOPLE; p++) waits[p] = waits_of(&bench->people[p]);
        is_calm = waits[IN_SMALL].p99 < CALM_MS && waits[IN_LARGE].p99 < CALM_MS;
    }
    forget(bench);
}

/* ---- those who ask for much ---- */

static void put_hover(struct asker *asker)
{
    asker_put_pointer(asker, GZ_PHASE_MOVE, 20 + (double)(asker->n % 16));
}

static void put_mode(struct asker *asker, enum gz_mode mode)
{
    struct gz_message message = {.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE, .tool.mode = mode};
    asker_put(asker, &message);
}

static void put_orbit(struct asker *asker)
{
    put_mode(asker, GZ_MODE_ORBIT);
}

static void put_bounds(struct asker *asker)
{
    put_mode(asker, GZ_MODE_BOUNDS);
}

static void put_tool(struct asker *asker)
{
    put_mode(asker, asker->n++ % 2 == 0 ? GZ_MODE_BOUNDS : GZ_MODE_UNIVERSAL);
}

static void put_wheel(struct asker *asker)
{
    struct gz_message message = {.op = GZ_OP_WHEEL, .wheel.dy = asker->n++ % 2 == 0 ? 1 : -1};
    asker_put(asker, &message);
}

static void put_wheel_and_tool(struct asker *asker)
{
    put_wheel(asker);
    put_tool(asker);
}

static void put_select(struct asker *asker)
{
    struct gz_message message = {.op = GZ_OP_SELECT,
                                 .select = {large_scene_half(asker->scene), GZ_HOW_SET}};
    asker_put(asker, &message);
}

static void put_toggle(struct asker *asker)
{
    struct gz_message message = {.op = GZ_OP_SELECT,
                                 .select = {large_scene_half(asker->scene), GZ_HOW_TOGGLE}};
    asker_put(asker, &message);
}

/* In a mode that goes by bounds all that is below it is looked at. */
static void put_grab_root_and_cancel(struct asker *asker)
{
    asker_put_grab(asker, (struct gz_ids){asker->scene->ids, 1});
    asker_put_pointer(asker, GZ_PHASE_CANCEL, 0);
}

/* Fewer than are looked at for a message. */
static void put_set_some(struct asker *asker)
{
    struct gz_set_node nodes[SOME];
    asker->n++;
    for (size_t i = 0; i < SOME; i++) {
        nodes[i] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = asker->scene->ids[1 + i]};
        nodes[i].trs.t = (gz_vec3){(double)(asker->n % 16), (double)i, 0};
    }
    struct gz_message message = {.op = GZ_OP_SET, .set = {.nodes = nodes, .count = SOME}};
    asker_put(asker, &message);
}

static void put_grab_and_cancel(struct asker *asker)
{
    asker_put_grab_half(asker);
    asker_put_pointer(asker, GZ_PHASE_CANCEL, 0);
}

/* The last node is not there, which is found when all others were looked at. */
static void put_delete_refused(struct asker *asker)
{
    struct gz_ids ids = large_scene_half(asker->scene);
    uint64_t *nodes = malloc((ids.count + 1) * sizeof *nodes);
    assert_non_null(nodes);
    memcpy(nodes, ids.ids, ids.count * sizeof *nodes);
    nodes[ids.count] = GZ_ID_LIMIT - 1;
    struct gz_message message = {.op = GZ_OP_DELETE, .remove = {nodes, ids.count + 1}};
    asker_put(asker, &message);
    free(nodes);
}

/* To when the import had made the nodes, and back. */
static void put_restore_or_undo(struct asker *asker)
{
    struct gz_message message = {
        .op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = asker->scene->nodes};
    if (asker->n++ % 2 == 0)
        asker_put(asker, &message);
    else
        asker_put_op(asker, GZ_OP_UNDO);
}

static void put_delete_or_undo(struct asker *asker)
{
    struct gz_message message = {.op = GZ_OP_DELETE, .remove = large_scene_half(asker->scene)};
    if (asker->n++ % 2 == 0)
        asker_put(asker, &message);
    else
        asker_put_op(asker, GZ_OP_UNDO);
}

static void put_history(struct asker *asker)
{
    asker_put_op(asker, GZ_OP_HISTORY);
}

static void put_ping(struct asker *asker)
{
    asker_put_op(asker, GZ_OP_PING);
}

static void put_at(struct asker *asker)
{
    struct gz_message message = {.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = 1};
    asker_put(asker, &message);
}

static void put_rect(struct asker *asker)
{
    struct gz_message message = {
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {0, 0, 800, 600}};
    asker_put(asker, &message);
}

static void put_interest(struct asker *asker)
{
    struct gz_message message = {
        .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_VIEW, .interest.view = true};
    asker_put(asker, &message);
    asker_put_camera(asker);
}

static void put_text(struct asker *asker)
{
    static const uint8_t frame[] = {0x81, 0x82, 0, 0, 0, 0, 'h', 'i'};
    asker_put_bytes(asker, frame, sizeof frame);
}

static void put_control(struct asker *asker)
{
    static const uint8_t frame[] = {0x89, 0x80, 0, 0, 0, 0};
    for (int i = 0; i < 16; i++) asker_put_bytes(asker, frame, sizeof frame);
}

/* ---- a process that asks ---- */

static void request_for_ever(const struct bench *bench, const char *method, const char *path,
                             bool has_body)
{
    char length[64] = "";
    if (has_body)
        snprintf(length, sizeof length, "Content-Length: %zu\r\n", bench->large.asset_size);
    for (;;) {
        struct raw_response response;
        raw_request(bench->daemon.port, method, path, length, has_body ? bench->large.asset : "",
                    has_body ? bench->large.asset_size : 0, &response);
        if (response.status >= 400) usleep(10000);
    }
}

static void join_for_ever(const struct bench *bench)
{
    for (;;) {
        struct asker asker = {.scene = &bench->large, .port = bench->daemon.port, .name = LARGE};
        asker_connect(&asker);
        for (int i = 0; i < 50 && asker_drain(&asker); i++) {
            struct pollfd poll_for = {asker.socket, POLLIN, 0};
            poll(&poll_for, 1, 1);
        }
        asker_hang_up(&asker);
    }
}

struct row {
    const char *what;
    int attackers;
    asker_act *before, *ask;
    double per_s; /* of each */
    const char *method, *path;
};

static bool is_import(const struct row *row)
{
    return row->method != NULL && strcmp(row->method, "PUT") == 0;
}

static const struct row rows[] = {
    {"orbit, the wheel", 1, put_orbit, put_wheel, 1900, NULL, NULL},
    {"select half", 1, NULL, put_select, 1900, NULL, NULL},
    {"select half x10", 10, NULL, put_select, 950, NULL, NULL},
    {"select half, toggled", 1, NULL, put_toggle, 1900, NULL, NULL},
    {"wheel, half selected", 1, put_select, put_wheel, 1900, NULL, NULL},
    {"wheel and tool, half", 1, put_select, put_wheel_and_tool, 950, NULL, NULL},
    {"set 99 nodes", 1, NULL, put_set_some, 1900, NULL, NULL},
    {"grab the root by bounds", 1, put_bounds, put_grab_root_and_cancel, 950, NULL, NULL},
    {"tool, half selected", 1, put_select, put_tool, 1900, NULL, NULL},
    {"camera, half selected", 1, put_select, asker_put_camera, 1900, NULL, NULL},
    {"hover, half selected", 1, put_select, put_hover, 1900, NULL, NULL},
    {"drag of half, 60 moves/s", 1, asker_put_grab_half, asker_put_drag, 60, NULL, NULL},
    {"drag of half, 1900 moves/s", 1, asker_put_grab_half, asker_put_drag, 1900, NULL, NULL},
    {"camera in a drag of half", 1, asker_put_grab_half, asker_put_camera, 1900, NULL, NULL},
    {"grab half and cancel", 1, NULL, put_grab_and_cancel, 950, NULL, NULL},
    {"drags of half, ended", 1, NULL, asker_put_whole_drag, 10, NULL, NULL},
    {"undo and redo of half", 1, asker_put_whole_drag, asker_put_undo_or_redo, 10, NULL, NULL},
    {"delete half and undo", 1, NULL, put_delete_or_undo, 10, NULL, NULL},
    {"restore half and undo", 1, asker_put_whole_drag, put_restore_or_undo, 10, NULL, NULL},
    {"refused deletes", 1, NULL, put_delete_refused, 1900, NULL, NULL},
    {"pick rect", 1, NULL, put_rect, 1900, NULL, NULL},
    {"interest by view x10", 10, NULL, put_interest, 950, NULL, NULL},
    {"history x20", 20, NULL, put_history, 100, NULL, NULL},
    {"at x20", 20, NULL, put_at, 100, NULL, NULL},
    {"ping op, 100 x the rate", 1, NULL, put_ping, 190000, NULL, NULL},
    {"text frames", 1, NULL, put_text, 190000, NULL, NULL},
    {"WebSocket pings x8", 8, NULL, put_control, 19000, NULL, NULL},
    {"joins x20", 20, NULL, NULL, 0, NULL, NULL},
    {"exports x16", 16, NULL, NULL, 0, "GET", "/scenes/" LARGE "/export"},
    {"backups x16", 16, NULL, NULL, 0, "GET", "/scenes/" LARGE "/backup"},
    {"GET /scenes x16", 16, NULL, NULL, 0, "GET", "/scenes"},
    {"PUT makes another x4", 4, NULL, NULL, 0, "PUT", "/scenes/other?replace"},
};

static pid_t start_attacker(const struct bench *bench, const struct row *row)
{
    struct asker asker = {.scene = &bench->large, .port = bench->daemon.port, .name = LARGE};
    const pid_t pid = asker_fork();
    if (pid > 0) return pid;
    if (row->method != NULL)
        request_for_ever(bench, row->method, row->path, is_import(row));
    else if (row->ask == NULL)
        join_for_ever(bench);
    else
        asker_ask(&asker, row->before, row->ask, row->per_s);
    _exit(0);
}

static void measure_row(struct bench *bench, const struct row *row, struct waits waits[PEOPLE])
{
    pid_t pids[ATTACKERS_MAX];
    forget(bench);
    for (int i = 0; i < row->attackers; i++) pids[i] = start_attacker(bench, row);
    measure(bench, waits);
    for (int i = 0; i < row->attackers; i++) asker_end(pids[i]);
    if (is_import(row)) /* those that nobody waits for are stored before */
        large_scene_import(&bench->large, bench->daemon.port, row->path);
    crowd_run(&bench->crowd, 0.5);
}

/* ---- the scenes ---- */

static bool is_answered(void *context)
{
    const struct person *person = context;
    return person->answered == person->rid;
}

static void enter(struct bench *bench, int place, const char *scene, uint64_t node)
{
    struct person *person = &bench->people[place];
    person->member = crowd_enter(&bench->crowd, scene, GZ_ROLE_EDITOR, 0);
    person->node = node;
    assert_int_equal(crowd_gather(&bench->crowd, PATIENCE_S), place + 1);
    if (place == IN_SMALL) {
        struct gz_create_node made = {.name = {"node", 4}};
        struct gz_message create = {
            .op = GZ_OP_CREATE, .has = GZ_HAS_RID, .rid = ++person->rid, .create = {&made, 1}};
        crowd_send(person->member, &create);
    } else {
        move(person);
    }
    assert_true(crowd_until(&bench->crowd, is_answered, person, PATIENCE_S));
}

static void open_bench(struct bench *bench)
{
    test_daemon_init(&bench->daemon);
    bench->page = turn_page_open(&bench->daemon);
    test_daemon_start(&bench->daemon, NULL, NULL);
    large_scene_import(&bench->large, bench->daemon.port, "/scenes/" LARGE);
    crowd_init(&bench->crowd, bench->daemon.port);
    bench->crowd.handle = handle_message;
    bench->crowd.context = bench;
    enter(bench, IN_SMALL, SMALL, 1);
    enter(bench, IN_LARGE, LARGE, bench->large.nodes);
}

static void close_bench(struct bench *bench)
{
    crowd_finish(&bench->crowd);
    test_daemon_end(&bench->daemon);
    test_daemon_finish(&bench->daemon);
    large_scene_finish(&bench->large);
}

/* ---- the table ---- */

static void print_row(const char *what, const struct waits calm[PEOPLE],
                      const struct waits then[PEOPLE], double turn_ms)
{
    bool held = then[IN_SMALL].p99 < 1.5 * calm[IN_SMALL].p99 + 5 &&
                then[IN_LARGE].p99 < 2 * calm[IN_LARGE].p99 + 10;
    printf("%-28s", what);
    for (int i = 0; i < PEOPLE; i++)
        printf("  %6.1f %6.1f  %7.1f %7.1f", calm[i].p50, calm[i].p99, then[i].p50, then[i].p99);
    printf("  %6.1f %7.1f  %6.1f  %s\n", calm[IN_LARGE].shown_p99, then[IN_LARGE].shown_p99,
           turn_ms, held ? "held" : "MISSED");
    fflush(stdout);
}

int main(int count, char **arguments)
{
    static struct bench bench;
    const uint64_t nodes = count > 1 ? strtoul(arguments[1], NULL, 10) : 100000;
    bench.seconds = count > 2 ? strtod(arguments[2], NULL) : 3;
    const char *words = count > 3 ? arguments[3] : "";
    if (nodes < 2 * (SOME + 1) || nodes > GZ_NODES_MAX || !(bench.seconds > 0)) {
        fprintf(stderr, "harm_bench [NODES [SECONDS [WORDS]]]\n");
        return 1;
    }
    large_scene_init(&bench.large, nodes);
    open_bench(&bench);
    printf("%d nodes; ms from an edit to its ok. Held: p99 elsewhere at most 1.5 times as long and "
           "5 ms, in the same scene twice as long and 10 ms\n%-28s  %-31s  %-31s  %s\n%-28s",
           (int)nodes, "", "another scene", "the same scene", "to the delta", "");
    for (int i = 0; i < PEOPLE; i++) printf("  %6s %6s  %7s %7s", "p50", "p99", "p50", "p99");
    printf("  %6s %7s    turn\n", "p99", "p99");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct waits calm[PEOPLE], then[PEOPLE];
        if (strstr(rows[i].what, words) == NULL) continue;
        settle(&bench);
        measure(&bench, calm);
        measure_row(&bench, &rows[i], then);
        print_row(rows[i].what, calm, then, (double)atomic_load(&bench.page->cpu_ns) * 1e-6);
    }
    close_bench(&bench);
    return 0;
}
