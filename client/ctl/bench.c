/* bench.c - `gizmoctl bench`: measures how fast a server is from here: joins, pointers, moves that
 * viewers see, edits that are stored. All clients are in this process, and one clock times both
 * ends. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include "ctl.h"
#include "proto/base/buffer.h"

#define VIEWERS_DEFAULT 100
#define VIEWERS_MAX 1000
#define SECONDS_DEFAULT 3
#define SECONDS_MAX 60
#define MOVES_PER_S 60
#define FLIGHT_MAX 64
/* The part of the server's limit of messages per second that is used. */
#define RATE_PART 0.9
#define SCENE_JSON                                                                                 \
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"                   \
    "\"nodes\":[{\"name\":\"bench\"}]}"

static const struct gz_arg_option options[] = {
    {"--viewers", GZ_ARG_INTEGER, "N", .max = VIEWERS_MAX, .help = "number of viewers (100)"},
    {"--seconds", GZ_ARG_INTEGER, "N", .min = 1, .max = SECONDS_MAX,
     .help = "seconds per row of the table (3)"},
    {"--json", .help = "print a JSON object instead of a table"},
    {0},
};

/* Milliseconds, of which quantiles are printed. */
struct times {
    double *list;
    size_t count, capacity;
};

/* When a viewer had the scene at a seq. */
struct sight {
    uint64_t seq;
    double time_s;
};

struct bench {
    const struct ctl_args *args;
    double seconds;
    struct gz_client **clients; /* the editor, then the viewers */
    struct pollfd *polls;
    size_t count;
    uint64_t node;

    /* The drag, by number of the pointer: when it was sent, and the seq that has it; 0: none
     * yet. */
    uint64_t pointer, acknowledged;
    double *sent_s;
    uint64_t *seqs;
    size_t sent_capacity, seq_capacity;
    struct sight *sights;
    size_t sight_count, sight_capacity;

    /* The edits without an answer, by number. */
    struct edit {
        uint64_t rid; /* 0: none */
        double sent_s;
    } flight[FLIGHT_MAX];
    size_t flying, stored;
    uint64_t place;
    struct times waits;
    struct gz_error error; /* the first one */
};

/* ---- numbers ---- */

static bool add_time(struct bench *bench, struct times *times, double seconds)
{
    if (!gz_grow(&times->list, &times->capacity, times->count + 1, sizeof *times->list)) {
        gz_fail(&bench->error, GZ_NO_MEMORY, "no memory");
        return false;
    }
    times->list[times->count++] = 1000 * seconds;
    return true;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Milliseconds; 0 if nothing was measured. */
static double quantile(struct times *times, double part)
{
    if (times->count == 0) return 0;
    qsort(times->list, times->count, sizeof *times->list, compare);
    return times->list[(size_t)((double)(times->count - 1) * part)];
}

/* ---- incoming ---- */

static void take_delta(struct bench *bench, bool is_editor, const struct gz_delta *delta)
{
    if (!is_editor) {
        if (!gz_grow(&bench->sights, &bench->sight_capacity, bench->sight_count + 1,
                     sizeof *bench->sights)) {
            gz_fail(&bench->error, GZ_NO_MEMORY, "no memory");
            return;
        }
        bench->sights[bench->sight_count++] = (struct sight){delta->seq, ctl_now()};
        return;
    }
    const uint64_t self = gz_client_welcome(bench->clients[0])->session;
    for (size_t i = 0; i < delta->ack_count; i++) {
        const struct gz_ack *ack = &delta->acks[i];
        if (ack->session != self) continue;
        for (uint64_t n = bench->acknowledged + 1; n <= ack->n && n <= bench->pointer; n++)
            bench->seqs[n] = delta->seq;
        if (ack->n <= bench->pointer) bench->acknowledged = ack->n;
    }
}

static void take_answer(struct bench *bench, uint64_t rid)
{
    for (size_t i = 0; i < FLIGHT_MAX; i++) {
        struct edit *edit = &bench->flight[i];
        if (edit->rid != rid) continue;
        (void)add_time(bench, &bench->waits, ctl_now() - edit->sent_s);
        edit->rid = 0;
        bench->flying--;
        bench->stored++;
        return;
    }
}

static void take(struct bench *bench, size_t index, const struct gz_message *message)
{
    if (message->op == GZ_OP_DELTA) take_delta(bench, index == 0, &message->delta);
    if (message->op == GZ_OP_OK) take_answer(bench, message->rid);
    if (message->op == GZ_OP_ERROR && bench->error.status == GZ_OK)
        gz_fail(&bench->error, message->error.code, "%.*s", (int)message->error.message.size,
                message->error.message.bytes);
}

/* ---- going on ---- */

/* Signals that would end this program before the scene is deleted; SIGPIPE comes if the output has
 * no reader any more. */
static sigset_t ending_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) sigaddset(&set, signals[i]);
    return set;
}

/* Whether nothing has failed, and no signal came. */
static bool is_well(struct bench *bench)
{
    const sigset_t signals = ending_signals();
    if (bench->error.status == GZ_OK &&
        sigtimedwait(&signals, NULL, &(struct timespec){.tv_sec = 0}) > 0)
        gz_fail(&bench->error, GZ_INTERNAL, "interrupted");
    return bench->error.status == GZ_OK;
}

/* Handles what the server sends until this time; returns after the first of it. */
static void listen(struct bench *bench, double until_s)
{
    for (size_t i = 0; i < bench->count; i++) {
        const short writes = gz_client_wants_write(bench->clients[i]) ? POLLOUT : 0;
        bench->polls[i] = (struct pollfd){.fd = gz_client_fd(bench->clients[i]),
                                          .events = (short)(POLLIN | writes)};
    }
    const double left_s = until_s - ctl_now();
    const struct timespec wait = {.tv_sec = left_s > 0 ? (time_t)left_s : 0,
                                  .tv_nsec = left_s > 0 ? (long)(fmod(left_s, 1) * 1e9) : 0};
    if (ppoll(bench->polls, bench->count, &wait, NULL) <= 0) return;
    for (size_t i = 0; i < bench->count; i++) {
        const struct gz_message *message;
        if (bench->polls[i].revents == 0) continue;
        while ((message = gz_client_next(bench->clients[i], 0)) != NULL) take(bench, i, message);
        if (!gz_client_is_open(bench->clients[i]) && bench->error.status == GZ_OK)
            gz_fail(&bench->error, GZ_UNREACHABLE, "the connection was closed: %s",
                    gz_client_reason(bench->clients[i]));
    }
}

static bool ask(struct bench *bench, struct gz_message *message)
{
    return gz_client_request(bench->clients[0], message, CTL_ANSWER_SECONDS, NULL, &bench->error) ==
           GZ_OK;
}

/* ---- the drag ---- */

static bool press(struct bench *bench)
{
    struct gz_message camera = {.op = GZ_OP_CAMERA};
    struct gz_message grab = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_AT};
    grab.pointer = (struct gz_pointer_message){
        .phase = GZ_PHASE_DOWN, .at = {960, 540}, .handle = GZ_TX, .nodes = {&bench->node, 1}};
    ctl_camera_look((gz_vec3){0, 0, 5}, (gz_vec3){0}, 60, 1920, 1080, &camera.camera);
    return ask(bench, &camera) && ask(bench, &grab);
}

/* From side to side, so that each pointer moves the node. */
static bool move(struct bench *bench)
{
    const uint64_t n = bench->pointer + 1;
    if (!gz_grow(&bench->sent_s, &bench->sent_capacity, n + 1, sizeof *bench->sent_s) ||
        !gz_grow(&bench->seqs, &bench->seq_capacity, n + 1, sizeof *bench->seqs)) {
        gz_fail(&bench->error, GZ_NO_MEMORY, "no memory");
        return false;
    }
    struct gz_message message = {.op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_AT | GZ_HAS_POINTER_N};
    message.pointer = (struct gz_pointer_message){
        .phase = GZ_PHASE_MOVE, .n = n, .at = {800 + (double)(n % 2 ? n % 300 : 0), 540}};
    bench->pointer = n;
    bench->seqs[n] = 0;
    bench->sent_s[n] = ctl_now();
    return gz_client_send(bench->clients[0], &message, NULL, &bench->error) == GZ_OK;
}

static bool await_pointers(struct bench *bench)
{
    const double end_s = ctl_now() + CTL_ANSWER_SECONDS;
    while (is_well(bench) && bench->acknowledged < bench->pointer && ctl_now() < end_s)
        listen(bench, end_s);
    if (is_well(bench) && bench->acknowledged < bench->pointer)
        gz_fail(&bench->error, GZ_UNREACHABLE, "the server did not answer a pointer within %g s",
                CTL_ANSWER_SECONDS);
    return is_well(bench);
}

/* Messages per second that the bench sends. */
static double rate_of(const struct bench *bench)
{
    return RATE_PART * (double)gz_client_welcome(bench->clients[0])->messages_per_s;
}

static double moves_per_s(const struct bench *bench)
{
    return fmin(MOVES_PER_S, rate_of(bench));
}

/* One pointer after the other: from its send to the delta that has it. */
static bool measure_pointers(struct bench *bench, struct times *times)
{
    const double begin_s = ctl_now(), rate = rate_of(bench);
    double due_s = begin_s;
    while (is_well(bench) && ctl_now() < begin_s + bench->seconds) {
        if (!move(bench) || !await_pointers(bench)) return false;
        if (!add_time(bench, times, ctl_now() - bench->sent_s[bench->pointer])) return false;
        for (due_s += 1 / rate; is_well(bench) && ctl_now() < due_s;) listen(bench, due_s);
    }
    return is_well(bench);
}

/* The time of a delta counts from the latest move that it has. */
static bool add_sights(struct bench *bench, uint64_t first, struct times *times)
{
    uint64_t n = first;
    for (size_t i = 0; i < bench->sight_count; i++) {
        const struct sight *sight = &bench->sights[i];
        while (n > first && bench->seqs[n] >= sight->seq) n--;
        while (n < bench->pointer && bench->seqs[n + 1] <= sight->seq) n++;
        if (bench->seqs[n] > sight->seq) continue; /* it has none of these moves */
        if (!add_time(bench, times, sight->time_s - bench->sent_s[n])) return false;
    }
    return true;
}

static uint64_t heard_bytes(const struct bench *bench)
{
    uint64_t bytes = 0;
    for (size_t i = 1; i < bench->count; i++) bytes += gz_client_received_bytes(bench->clients[i]);
    return bytes;
}

/* Moves at the rate of a screen, or at the server's limit: from the send of each to the delta that
 * brings it to a viewer. */
static bool measure_moves(struct bench *bench, struct times *times, double *bytes_per_s)
{
    const double begin_s = ctl_now(), per_s = moves_per_s(bench);
    const uint64_t first = bench->pointer + 1, bytes = heard_bytes(bench);
    bench->sight_count = 0;
    for (int i = 1; is_well(bench) && i <= bench->seconds * per_s; i++) {
        const double due_s = begin_s + (double)i / per_s;
        if (!move(bench)) return false;
        while (is_well(bench) && ctl_now() < due_s) listen(bench, due_s);
    }
    if (!await_pointers(bench)) return false;
    const double taken_s = ctl_now() - begin_s;
    for (const double end_s = ctl_now() + 0.1; is_well(bench) && ctl_now() < end_s;)
        listen(bench, end_s);
    *bytes_per_s = (double)(heard_bytes(bench) - bytes) / taken_s / (double)(bench->count - 1);
    return is_well(bench) && add_sights(bench, first, times);
}

static bool release(struct bench *bench)
{
    struct gz_message up = {.op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_AT};
    up.pointer = (struct gz_pointer_message){.phase = GZ_PHASE_UP, .at = {960, 540}};
    return ask(bench, &up);
}

/* ---- edits ---- */

static bool set(struct bench *bench)
{
    size_t at = 0;
    while (bench->flight[at].rid != 0) at++;
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = bench->node};
    node.trs.t.x = 0.001 * (double)(++bench->place % 1000); /* within the picture */
    struct gz_message message = {.op = GZ_OP_SET, .set = {.nodes = &node, .count = 1}};
    bench->flight[at].sent_s = ctl_now();
    if (gz_client_send(bench->clients[0], &message, &bench->flight[at].rid, &bench->error) != GZ_OK)
        return false;
    bench->flying++;
    return true;
}

/* Keeps `flight` edits without an answer, within the server's limit. From the send of each to its
 * `ok`: it is on disk. */
static bool measure_edits(struct bench *bench, size_t flight, double *per_s)
{
    const double begin_s = ctl_now(), end_s = begin_s + bench->seconds, rate = rate_of(bench);
    bench->waits.count = bench->stored = 0;
    while (is_well(bench) && ctl_now() < end_s) {
        const double may = rate * (ctl_now() - begin_s) + (double)flight;
        while (bench->flying < flight && (double)(bench->stored + bench->flying) < may)
            if (!set(bench)) return false;
        listen(bench, bench->flying < flight ? fmin(end_s, ctl_now() + 1 / rate) : end_s);
    }
    *per_s = (double)bench->stored / (ctl_now() - begin_s);
    const double last_s = ctl_now() + CTL_ANSWER_SECONDS;
    while (is_well(bench) && bench->flying > 0 && ctl_now() < last_s) listen(bench, last_s);
    if (is_well(bench) && bench->flying > 0)
        gz_fail(&bench->error, GZ_UNREACHABLE, "the server did not answer an edit within %g s",
                CTL_ANSWER_SECONDS);
    return is_well(bench);
}

/* ---- joins ---- */

static bool join(struct bench *bench, enum gz_role role)
{
    const struct gz_client_options said = ctl_client_options(bench->args, role);
    struct gz_client **client = &bench->clients[bench->count];
    if (gz_client_create(client, &said, &bench->error) != GZ_OK) return false;
    bench->count++;
    return gz_client_await(*client, 0, CTL_ANSWER_SECONDS, &bench->error) == GZ_OK;
}

static bool join_as_editor(struct bench *bench)
{
    return join(bench, GZ_ROLE_EDITOR) &&
           ctl_find_node(gz_client_mirror(bench->clients[0]), "bench", &bench->node,
                         &bench->error) == GZ_OK;
}

/* Joins one after the other, each until it has the scene. */
static bool measure_joins(struct bench *bench, size_t viewers, struct times *times)
{
    for (size_t i = 0; i < viewers && is_well(bench); i++) {
        const double begin_s = ctl_now();
        if (!join(bench, GZ_ROLE_VIEWER) || !add_time(bench, times, ctl_now() - begin_s))
            return false;
    }
    return is_well(bench);
}

/* ---- rows ---- */

static void put_row(json_t *rows, const char *name, struct times *times, double per_s,
                    double bytes_per_s)
{
    const double p50 = quantile(times, 0.5), p99 = quantile(times, 0.99);
    if (rows == NULL) {
        printf("%-40s%10.3f%10.3f", name, p50, p99);
        if (per_s > 0) printf("%10.0f/s", per_s);
        if (bytes_per_s > 0) printf("%10.1f kB/s for each", bytes_per_s / 1000);
        putchar('\n');
        (void)fflush(stdout);
        return;
    }
    json_t *row = json_pack("{s:s, s:I, s:f, s:f}", "of", name, "count", (json_int_t)times->count,
                            "p50_ms", p50, "p99_ms", p99);
    if (per_s > 0) json_object_set_new(row, "per_s", json_real(per_s));
    if (bytes_per_s > 0) json_object_set_new(row, "bytes_per_s", json_real(bytes_per_s));
    json_array_append_new(rows, row);
}

static void report_pointers(struct bench *bench, json_t *rows)
{
    struct times times = {0};
    if (press(bench) && measure_pointers(bench, &times) && release(bench))
        put_row(rows, "a pointer, one after the other", &times, 0, 0);
    free(times.list);
}

/* Ends with the first number of edits at once that reaches the server's limit. */
static void report_edits(struct bench *bench, json_t *rows)
{
    static const size_t flights[] = {1, 16, FLIGHT_MAX};
    bool is_most = false;
    for (size_t i = 0; i < sizeof flights / sizeof flights[0] && is_well(bench) && !is_most; i++) {
        char name[80];
        double per_s;
        if (!measure_edits(bench, flights[i], &per_s)) return;
        is_most = per_s > 0.95 * rate_of(bench);
        snprintf(name, sizeof name, "an edit, %zu at once%s", flights[i],
                 is_most ? " (the most it takes)" : "");
        put_row(rows, name, &bench->waits, per_s, 0);
    }
}

static void report_viewers(struct bench *bench, size_t viewers, json_t *rows)
{
    char name[80];
    double bytes_per_s;
    struct times joins = {0}, moves = {0};
    if (measure_joins(bench, viewers, &joins))
        put_row(rows, "a viewer's join, one after the other", &joins, 0, 0);
    snprintf(name, sizeof name, "%.0f moves a second to %zu viewers", moves_per_s(bench), viewers);
    if (is_well(bench) && press(bench) && measure_moves(bench, &moves, &bytes_per_s) &&
        release(bench))
        put_row(rows, name, &moves, 0, bytes_per_s);
    free(joins.list);
    free(moves.list);
}

static void report(struct bench *bench, size_t viewers, json_t *rows)
{
    if (join_as_editor(bench)) report_pointers(bench, rows);
    if (is_well(bench)) report_edits(bench, rows);
    if (is_well(bench) && viewers > 0) report_viewers(bench, viewers, rows);
}

/* ---- the command ---- */

static enum gz_status request(const struct ctl_args *args, struct gz_http http,
                              struct gz_error *error)
{
    char path[CTL_PATH_BYTES];
    json_t *answer = NULL;
    ctl_scene_path(args, args->operands[0], "", path);
    http.path = path;
    enum gz_status status = ctl_http(args, http, &answer, error);
    json_decref(answer);
    return status;
}

static bool make_room(struct bench *bench, size_t viewers)
{
    bench->clients = calloc(viewers + 1, sizeof *bench->clients);
    bench->polls = calloc(viewers + 1, sizeof *bench->polls);
    if (bench->clients != NULL && bench->polls != NULL) return true;
    gz_fail(&bench->error, GZ_NO_MEMORY, "no memory; give fewer --viewers");
    return false;
}

static void finish(struct bench *bench)
{
    for (size_t i = 0; i < bench->count; i++) gz_client_destroy(bench->clients[i]);
    free(bench->clients);
    free(bench->polls);
    free(bench->sent_s);
    free(bench->seqs);
    free(bench->sights);
    free(bench->waits.list);
}

static enum gz_status make_scene(const struct ctl_args *args, struct gz_error *error)
{
    return request(args,
                   (struct gz_http){.method = "PUT",
                                    .type = "model/gltf+json",
                                    .body = SCENE_JSON,
                                    .body_size = sizeof SCENE_JSON - 1},
                   error);
}

/* Measures, and deletes the scene even if that failed. */
static enum ctl_exit measure(const struct ctl_args *args, struct bench *bench, size_t viewers)
{
    struct gz_error error = {0}, left = {0};
    json_t *rows = args->json ? json_array() : NULL;
    if (rows == NULL) printf("%-40s%10s%10s\n", "ms", "p50", "p99");
    (void)fflush(stdout);
    if (make_room(bench, viewers)) report(bench, viewers, rows);
    finish(bench);
    enum ctl_exit result = CTL_OK;
    if (request(args, (struct gz_http){.method = "DELETE"}, &error) != GZ_OK) {
        gz_fail(&left, error.status, "the scene %s stays: %s", args->operands[0], error.message);
        result = ctl_fail(args, &left);
    }
    if (rows != NULL) ctl_put_json(stdout, json_pack("{s:o}", "rows", rows));
    if (bench->error.status != GZ_OK) return ctl_fail(args, &bench->error);
    return result == CTL_OK ? ctl_finish_output(args) : result;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    const struct gz_arg *viewers = ctl_get(args, "--viewers"),
                        *seconds = ctl_get(args, "--seconds");
    struct bench bench = {.args = args,
                          .seconds = seconds->given ? (double)seconds->integer : SECONDS_DEFAULT};
    struct gz_error error = {0};
    const sigset_t signals = ending_signals();
    sigprocmask(SIG_BLOCK, &signals, NULL);
    if (make_scene(args, &error) != GZ_OK) return ctl_fail(args, &error);
    return measure(args, &bench, viewers->given ? viewers->integer : VIEWERS_DEFAULT);
}

const struct ctl_command ctl_bench = {
    .usage.name = "bench",
    .usage.operands = "SCENE",
    .usage.summary = "Measures the speed of a server from this machine, in a new scene.",
    .usage.notes =
        "SCENE must not exist. It is deleted at the end, also after Ctrl-C, which takes an "
        "admin.\n\nThe time of a pointer ends with the delta that answers it, "
        "that of an edit with the answer that it is on disk, that of a join with the "
        "whole scene, and that of a move with its delta at a viewer. All viewers are "
        "part of this process: on the server's machine they compete with the server for "
        "the processor.\n\nThe load is at most nine tenths of what the server accepts "
        "from one user. Start gizmod with a larger --messages-per-s to measure more.",
    .usage.options = options,
    .run = run,
};
