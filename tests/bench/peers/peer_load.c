/* peer_load - viewers and editors of any server that speaks WebSocket, and what its changes cost.
 *
 * peer_load PORT PID EDITORS VIEWERS MOVES_PER_S SECONDS < PLAN
 *
 * What is sent was encoded before, in the server's own format, and stands in the plan: a word and
 * its value a line (run.mjs writes them).
 *     text           frames are text; else binary
 *     waits          a connection says hello after the server's first frame; else at once
 *     path PATH      of a connection, those of the editors first; the last one is also for the rest
 *     greeting HEX   a frame of an editor's hello
 *     hello HEX      a frame of a viewer's hello
 *     setup HEX      a frame of the first editor behind its hello
 *     move HEX       a frame for each move, from the second of each editor on; they take turns
 *
 * What comes is not decoded. Where a node is, is a number between 0.5 and 1 that holds the number
 * of its move (`mark` in scene.mjs): MessagePack, lib0 and JSON write it in ways that can be
 * recognised wherever it stands. A viewer has joined when it had the first mark of each editor's
 * node. A later mark of an editor says that its earlier moves have arrived as well. Printed is one
 * line of JSON; times are those of the kernels (see crowd.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cmocka.h"

#include "bench/process.h"
#include "bench/quantile.h"
#include "support/crowd.h"

#define PATIENCE_S 60.0
#define SETTLE_S 0.3
#define SETTLES_MAX 10
#define WARM_S 0.5
#define AT_ONCE 200 /* connections that come together */

#define MARK_HEAD 0x3FE      /* the highest 12 bits of a mark, */
#define MARK_TAIL 0xA5C3E97U /* and its lowest 28; between them is the move's number */
#define MOVES_MAX (1U << 24)
#define DIGITS_MAX 24

struct frame {
    uint8_t *bytes;
    size_t size;
};

struct frames {
    struct frame *list;
    size_t count, capacity;
};

struct plan {
    bool waits;
    char **paths;
    size_t path_count, path_capacity;
    struct frames greeting, hello, setup, moves;
};

struct load {
    struct crowd_protocol protocol;
    struct crowd crowd;
    struct plan plan;
    pid_t pid;
    size_t editor_count, viewer_count;
    double moves_per_s, seconds;
    struct crowd_member **editors;
    uint32_t *told; /* by member and editor: the last move that it had, plus 1 */
    double *sent_s; /* by move */
    size_t sent;    /* moves */
    double *samples;
    size_t sample_count, sample_capacity;
    bool is_measuring;
};

/* ---- the plan ---- */

static void *grown(void *list, size_t *capacity, size_t count, size_t size)
{
    assert_true(gz_grow(&list, capacity, count, size));
    return list;
}

static void add_frame(struct frames *frames, const char *hex)
{
    struct frame frame = {malloc(strlen(hex) / 2 + 1), strlen(hex) / 2};
    for (size_t i = 0; i < frame.size; i++)
        assert_int_equal(sscanf(hex + 2 * i, "%2hhx", &frame.bytes[i]), 1);
    frames->list = grown(frames->list, &frames->capacity, frames->count + 1, sizeof *frames->list);
    frames->list[frames->count++] = frame;
}

static void take_line(struct load *load, const char *word, const char *value)
{
    struct plan *plan = &load->plan;
    if (strcmp(word, "text") == 0) load->protocol.text = true;
    if (strcmp(word, "waits") == 0) plan->waits = true;
    if (strcmp(word, "greeting") == 0) add_frame(&plan->greeting, value);
    if (strcmp(word, "hello") == 0) add_frame(&plan->hello, value);
    if (strcmp(word, "setup") == 0) add_frame(&plan->setup, value);
    if (strcmp(word, "move") == 0) add_frame(&plan->moves, value);
    if (strcmp(word, "path") != 0) return;
    plan->paths =
        grown(plan->paths, &plan->path_capacity, plan->path_count + 1, sizeof *plan->paths);
    plan->paths[plan->path_count++] = strdup(value);
}

static void read_plan(struct load *load)
{
    char *line = NULL;
    size_t capacity = 0;
    for (ssize_t size; (size = getline(&line, &capacity, stdin)) > 0;) {
        line[strcspn(line, "\n")] = '\0';
        char *space = strchr(line, ' ');
        if (space != NULL) *space = '\0';
        take_line(load, line, space != NULL ? space + 1 : "");
    }
    free(line);
    assert_true(load->plan.path_count > 0 && load->plan.moves.count < MOVES_MAX);
}

/* ---- what is said ---- */

static void send_all(struct crowd_member *member, const struct frames *frames)
{
    for (size_t i = 0; i < frames->count; i++)
        crowd_send_frame(member, frames->list[i].bytes, frames->list[i].size);
}

static void say_hello(struct load *load, struct crowd_member *member)
{
    const bool is_editor = member->role == GZ_ROLE_EDITOR;
    send_all(member, is_editor ? &load->plan.greeting : &load->plan.hello);
    if (is_editor && member->mark == load->viewer_count) send_all(member, &load->plan.setup);
}

static void greet(struct crowd_member *member)
{
    struct load *load = member->crowd->context;
    if (!load->plan.waits) say_hello(load, member);
}

/* The second and later moves of each editor: the first one is where its node is at the start. */
static void move(struct load *load)
{
    const size_t number = load->sent++, editor = number % load->editor_count;
    const struct frame *frame = &load->plan.moves.list[number - load->editor_count];
    load->sent_s[number] = crowd_unix_s();
    crowd_send_frame(load->editors[editor], frame->bytes, frame->size);
}

/* ---- what is heard ---- */

static void hear_move(struct load *load, struct crowd_member *member, size_t number, double came_s)
{
    if (number >= load->sent) return; /* by chance it looks like a mark */
    const size_t editor = number % load->editor_count;
    uint32_t *told = &load->told[member->mark * load->editor_count + editor];
    const bool counts = load->is_measuring && member->role == GZ_ROLE_VIEWER && *told > 0;
    for (size_t n = *told + load->editor_count - 1; counts && n <= number;
         n += load->editor_count) {
        load->samples = grown(load->samples, &load->sample_capacity, load->sample_count + 1,
                              sizeof *load->samples);
        load->samples[load->sample_count++] = came_s - load->sent_s[n];
    }
    if (number + 1 > *told) *told = (uint32_t)number + 1;
}

static void hear_number(struct load *load, struct crowd_member *member, uint64_t bits,
                        double came_s)
{
    if (bits >> 52 != MARK_HEAD || (bits & 0xFFFFFFF) != MARK_TAIL) return;
    hear_move(load, member, bits >> 28 & (MOVES_MAX - 1), came_s);
}

/* Numbers as eight bytes that lie in this order: `step` is 1 if the highest is the first. */
static void find_bytes(struct load *load, struct crowd_member *member, const uint8_t *bytes,
                       size_t size, int step, double came_s)
{
    uint8_t low[3]; /* the lowest bytes of a mark, as they lie */
    for (int i = 0; i < 3; i++) low[step > 0 ? 2 - i : i] = (uint8_t)(MARK_TAIL >> 8 * i);
    const uint8_t *at = bytes, *end = bytes + size;
    while ((at = memmem(at, (size_t)(end - at), low, sizeof low)) != NULL) {
        const uint8_t *highest = step > 0 ? at - 5 : at + 7;
        uint64_t bits = 0;
        at++;
        if (highest < bytes || highest >= end) continue;
        for (int i = 0; i < 8; i++) bits = bits << 8 | highest[i * step];
        hear_number(load, member, bits, came_s);
    }
}

static void find_digits(struct load *load, struct crowd_member *member, const uint8_t *bytes,
                        size_t size, double came_s)
{
    const uint8_t *at = bytes, *end = bytes + size;
    for (; (at = memmem(at, (size_t)(end - at), "0.", 2)) != NULL; at += 2) {
        char digits[DIGITS_MAX + 1] = "";
        uint64_t bits;
        memcpy(digits, at, (size_t)(end - at) < DIGITS_MAX ? (size_t)(end - at) : DIGITS_MAX);
        const double number = strtod(digits, NULL);
        memcpy(&bits, &number, sizeof bits);
        hear_number(load, member, bits, came_s);
    }
}

static bool has_all(const struct load *load, const struct crowd_member *member)
{
    for (size_t i = 0; i < load->editor_count; i++)
        if (load->told[member->mark * load->editor_count + i] == 0) return false;
    return true;
}

static void hear(struct crowd_member *member, const uint8_t *bytes, size_t size, double came_s)
{
    struct load *load = member->crowd->context;
    if (load->plan.waits && member->frames == 1) say_hello(load, member);
    if (load->protocol.text) {
        find_digits(load, member, bytes, size, came_s);
    } else {
        find_bytes(load, member, bytes, size, 1, came_s);
        find_bytes(load, member, bytes, size, -1, came_s);
    }
    if (member->state == CROWD_JOINING && has_all(load, member)) member->state = CROWD_JOINED;
}

/* ---- what is measured ---- */

static double server_kb(const struct load *load)
{
    char path[64];
    long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)load->pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*s %ld", &pages), 1);
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1024;
}

/* All frames of the viewers so far and their bytes, those of the frames' heads included. */
static void count_frames(const struct load *load, size_t *frames, size_t *bytes)
{
    *frames = *bytes = 0;
    for (const struct crowd_member *member = load->crowd.members; member != NULL;
         member = member->next) {
        if (member->role != GZ_ROLE_VIEWER) continue;
        *frames += member->frames;
        *bytes += member->bytes + 2 * member->frames;
    }
}

static void settle(struct load *load)
{
    size_t frames, bytes, before = SIZE_MAX;
    count_frames(load, &frames, &bytes);
    for (int i = 0; i < SETTLES_MAX && frames != before; i++) {
        before = frames;
        crowd_run(&load->crowd, SETTLE_S);
        count_frames(load, &frames, &bytes);
    }
}

/* So many more come, some at a time; how long it takes until they have joined. */
static double gather(struct load *load, enum gz_role role, size_t count, size_t first_path)
{
    const double begin_s = crowd_unix_s();
    for (size_t i = 0; i < count; i++) {
        const size_t path = first_path + i, last = load->plan.path_count - 1;
        struct crowd_member *member = crowd_enter(&load->crowd, "", role, 0);
        member->path = load->plan.paths[path < last ? path : last];
        member->mark = role == GZ_ROLE_EDITOR ? load->viewer_count + i : i;
        if (role == GZ_ROLE_EDITOR) load->editors[i] = member;
        if ((i + 1) % AT_ONCE == 0 || i + 1 == count) (void)crowd_gather(&load->crowd, PATIENCE_S);
    }
    if (crowd_count(&load->crowd, CROWD_JOINED) != load->crowd.count)
        fail_msg("%zu of %zu joined", crowd_count(&load->crowd, CROWD_JOINED), load->crowd.count);
    return crowd_unix_s() - begin_s;
}

/* The editors take turns, at an even pace. */
static void move_for(struct load *load, double seconds)
{
    const double begin_s = crowd_unix_s(),
                 pace_s = 1 / load->moves_per_s / (double)load->editor_count;
    const size_t moves_max = load->plan.moves.count + load->editor_count;
    for (size_t i = 1; load->sent < moves_max && crowd_unix_s() - begin_s < seconds; i++) {
        move(load);
        crowd_run(&load->crowd, fmax(0, begin_s + (double)i * pace_s - crowd_unix_s()));
    }
}

static bool has_sample(void *context)
{
    return ((const struct load *)context)->sample_count > 0;
}

static void measure(struct load *load)
{
    size_t frames, bytes, frames_before, bytes_before;
    move_for(load, fmin(WARM_S, load->seconds));
    const double cpu_s = process_cpu_s(load->pid), begin_s = crowd_unix_s();
    count_frames(load, &frames_before, &bytes_before);
    load->is_measuring = true;
    move_for(load, load->seconds);
    if (load->seconds > 0) (void)crowd_until(&load->crowd, has_sample, load, PATIENCE_S);
    const double used_s = process_cpu_s(load->pid) - cpu_s, took_s = crowd_unix_s() - begin_s;
    load->is_measuring = false;
    count_frames(load, &frames, &bytes);
    const double count = (double)load->sample_count;
    if (load->seconds > 0 && count == 0) fail_msg("no move arrived");
    if (count == 0) return;
    printf(", \"p50_ms\": %g, \"p99_ms\": %g, \"us\": %g, \"frames\": %g, \"kb_per_s\": %g",
           1e3 * quantile(load->samples, load->sample_count, 0.5),
           1e3 * quantile(load->samples, load->sample_count, 0.99), 1e6 * used_s / count,
           (double)(frames - frames_before) / count,
           (double)(bytes - bytes_before) / took_s / 1e3 / (double)load->viewer_count);
}

static void run(struct load *load)
{
    size_t frames, bytes;
    (void)gather(load, GZ_ROLE_EDITOR, load->editor_count, 0);
    settle(load);
    const double kb = server_kb(load), viewers = (double)load->viewer_count;
    const double join_s = gather(load, GZ_ROLE_VIEWER, load->viewer_count, load->editor_count);
    count_frames(load, &frames, &bytes);
    settle(load);
    printf("{\"join_s\": %g, \"first_kb\": %g, \"rss_kb\": %g", join_s,
           (double)bytes / viewers / 1e3, (server_kb(load) - kb) / viewers);
    measure(load);
    printf("}\n");
    if (crowd_count(&load->crowd, CROWD_ENDED) > 0) fail_msg("the server hung up");
}

int main(int count, char **arguments)
{
    static struct load load;
    if (count != 7) {
        fprintf(stderr, "peer_load PORT PID EDITORS VIEWERS MOVES_PER_S SECONDS < PLAN\n");
        return 1;
    }
    load.protocol = (struct crowd_protocol){.greet = greet, .hear = hear};
    load.pid = (pid_t)atoi(arguments[2]);
    load.editor_count = strtoul(arguments[3], NULL, 10);
    load.viewer_count = strtoul(arguments[4], NULL, 10);
    load.moves_per_s = strtod(arguments[5], NULL);
    load.seconds = strtod(arguments[6], NULL);
    read_plan(&load);
    crowd_init(&load.crowd, atoi(arguments[1]));
    load.crowd.protocol = &load.protocol;
    load.crowd.context = &load;
    load.editors = calloc(load.editor_count, sizeof *load.editors);
    load.told =
        calloc((load.viewer_count + load.editor_count) * load.editor_count, sizeof *load.told);
    load.sent = load.editor_count;
    load.sent_s = calloc(load.plan.moves.count + load.editor_count, sizeof *load.sent_s);
    run(&load);
    crowd_finish(&load.crowd);
    return 0;
}
