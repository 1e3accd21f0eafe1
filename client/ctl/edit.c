/* edit.c - `gizmoctl edit`: many edits over one connection, each a message in JSON on a line of its
 * own. Lines are sent before those ahead of them are answered; the answers are printed in the order
 * of the lines. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"
#include "proto/json.h"

/* Lines that wait for their answers: some round trips of a disk and a network. */
#define WAITING_MAX 64
/* Bytes of a line: each number of a message can be longer in JSON than in MessagePack. */
#define LINE_BYTES_MAX (4 * (size_t)GZ_MESSAGE_BYTES_MAX)
/* The part of the server's rate of messages that is used, and the seconds of it at once: the server
 * counts on its own clock. */
#define RATE_PART 0.9
#define BURST_SECONDS 0.25
#define IDLE_SECONDS 1.0

static const struct gz_arg_option options[] = {
    {"--stop", .help = "send nothing more after the first line that is refused; each line then "
                       "waits for the one before it"},
    {"--admin", .help = "ask for the role admin, which reverting the edits of others needs"},
    {0},
};

/* A line that is not printed yet. */
struct waiting {
    uint64_t number, rid;
    bool has_own_rid;
    uint64_t own_rid; /* the rid that the line said */
    size_t bytes;     /* of the message */
    double since;
    json_t *answer; /* NULL while it has none */
    enum gz_status status;
};

struct edit {
    const struct ctl_args *args;
    struct gz_client *client;
    struct ctl_lines lines;
    struct gz_buffer frame; /* the line as a frame of its own */
    struct gz_arena arena;  /* what the message of the line points into */
    struct waiting ring[WAITING_MAX];
    size_t first, count, count_max;
    size_t bytes; /* of the messages that wait */
    double full;  /* when the server's rate is used up */
    bool stops, is_stopped;
    bool waits;             /* for the answers of all that was sent */
    enum gz_status refused; /* the first refusal of a line */
};

static struct waiting *waiting_at(struct edit *edit, size_t i)
{
    return &edit->ring[(edit->first + i) % WAITING_MAX];
}

/* ---- answers ---- */

static void answer(struct edit *edit, struct waiting *line, enum gz_status status, json_t *json)
{
    json_object_set_new(json, "line", json_integer((json_int_t)line->number));
    if (line->has_own_rid)
        json_object_set_new(json, "rid", json_integer((json_int_t)line->own_rid));
    line->answer = json;
    line->status = status;
    edit->bytes -= line->bytes;
    line->bytes = 0;
    if (status != GZ_OK && edit->stops) edit->is_stopped = true;
}

static void refuse(struct edit *edit, struct waiting *line, const struct gz_error *error)
{
    answer(edit, line, error->status,
           ctl_json_error(gz_status_word(error->status), error->message));
}

/* Refuses all that wait, because no answer will come. */
static void refuse_all(struct edit *edit, enum gz_status status, const char *words)
{
    struct gz_error error;
    (void)gz_fail(&error, status, "no answer, so it may have been made: %s", words);
    for (size_t i = 0; i < edit->count; i++)
        if (waiting_at(edit, i)->answer == NULL) refuse(edit, waiting_at(edit, i), &error);
}

static void put_text(const struct edit *edit, const struct waiting *line)
{
    const json_t *json = line->answer;
    if (line->status != GZ_OK) {
        struct gz_error error;
        (void)gz_fail(&error, line->status, "line %" PRIu64 ": %s", line->number,
                      json_string_value(json_object_get(json, "message")));
        (void)ctl_fail(edit->args, &error);
        return;
    }
    static const char *const words[] = {"edit", "note", "seq"};
    const char *gap = "";
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const json_t *number = json_object_get(json, words[i]);
        if (number == NULL) continue;
        printf("%s%s %" JSON_INTEGER_FORMAT, gap, words[i], json_integer_value(number));
        gap = "  ";
    }
    const json_t *ids = json_object_get(json, "ids");
    for (size_t i = 0; i < json_array_size(ids); i++)
        printf("%s%" JSON_INTEGER_FORMAT, i == 0 ? "  nodes " : ", ",
               json_integer_value(json_array_get(ids, i)));
    puts(gap[0] != '\0' ? "" : "nothing changed");
}

/* Prints the answers that are there, up to the first line without one. */
static void print_answers(struct edit *edit)
{
    const size_t before = edit->count;
    while (edit->count > 0 && waiting_at(edit, 0)->answer != NULL) {
        struct waiting *line = waiting_at(edit, 0);
        if (edit->refused == GZ_OK) edit->refused = line->status;
        if (edit->args->json)
            ctl_put_json(stdout, line->answer);
        else
            put_text(edit, line);
        if (!edit->args->json) json_decref(line->answer);
        edit->first = (edit->first + 1) % WAITING_MAX;
        edit->count--;
    }
    if (edit->count < before) (void)fflush(stdout);
}

static json_t *json_of_error(const struct gz_message *message)
{
    char words[GZ_ERROR_BYTES_MAX];
    const struct gz_error_message *error = &message->error;
    gz_print(words, sizeof words, "%.*s", (int)error->message.size,
             error->message.bytes != NULL ? error->message.bytes : "");
    json_t *json = ctl_json_error(gz_status_word(error->code), words);
    if (message->has & GZ_HAS_ERROR_NODES)
        json_object_set_new(json, "nodes", ctl_json_ids(error->nodes));
    if (message->has & GZ_HAS_ERROR_HOLDER)
        json_object_set_new(json, "holder", json_integer((json_int_t)error->holder));
    return json;
}

static void take(struct edit *edit, const struct gz_message *message)
{
    const bool is_error = message->op == GZ_OP_ERROR;
    if (message->op != GZ_OP_OK && !is_error) return;
    if (!(message->has & GZ_HAS_RID)) {
        if (is_error && message->error.code == GZ_RATE_LIMITED)
            refuse_all(edit, GZ_RATE_LIMITED, "the server dropped messages");
        return;
    }
    for (size_t i = 0; i < edit->count; i++) {
        struct waiting *line = waiting_at(edit, i);
        if (line->answer != NULL || line->rid != message->rid) continue;
        answer(edit, line, is_error ? message->error.code : GZ_OK,
               is_error ? json_of_error(message) : ctl_json_done(message));
        return;
    }
}

/* ---- lines ---- */

/* What a line may be; whether those behind it have to wait for its answer, because it reads the
 * disk, or because nobody can refer to what it makes before that is there. */
static const struct kind {
    enum gz_op op;
    bool waits;
} kinds[] = {
    {GZ_OP_SET, false},    {GZ_OP_CREATE, false},    {GZ_OP_DELETE, false},
    {GZ_OP_UNDO, true},    {GZ_OP_REDO, true},       {GZ_OP_REVERT, true},
    {GZ_OP_RESTORE, true}, {GZ_OP_CHECKPOINT, true}, {GZ_OP_NOTE, true},
};

static const struct kind *kind_of(enum gz_op op)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].op == op) return &kinds[i];
    return NULL;
}

/* Reads a message with the protocol's words; it is valid until the next one is read. In errors the
 * first byte of the line is byte 1. */
static enum gz_status read_message(struct edit *edit, const char *text, size_t size,
                                   struct gz_message *message, struct gz_error *error)
{
    struct gz_buffer *frame = &edit->frame;
    size_t offset = 0;
    *message = (struct gz_message){.op = GZ_OP_COUNT};
    gz_buffer_clear(frame);
    if (gz_buffer_append(frame, "[", 1) != GZ_OK || gz_buffer_append(frame, text, size) != GZ_OK ||
        gz_buffer_append(frame, "]", 1) != GZ_OK)
        return gz_fail(error, GZ_NO_MEMORY, "no memory");
    gz_arena_reset(&edit->arena, gz_decode_bytes_max(frame->size));
    const enum gz_status status = gz_decode_json(GZ_FROM_CLIENT, frame->data, frame->size, &offset,
                                                 &edit->arena, message, error);
    if (status != GZ_OK || offset == frame->size) return status;
    return gz_fail(error, GZ_BAD_MESSAGE, "a line holds one message");
}

static enum gz_status send_line(struct edit *edit, struct waiting *line, const char *text,
                                size_t size, struct gz_error *error)
{
    struct gz_message said, *message = &said;
    enum gz_status status = read_message(edit, text, size, message, error);
    line->has_own_rid = (message->has & GZ_HAS_RID) != 0;
    line->own_rid = message->rid;
    const struct kind *kind = kind_of(message->op);
    if (status == GZ_OK && kind == NULL)
        return gz_fail(error, GZ_UNKNOWN_OP,
                       "op: %s is none of set create delete undo redo revert restore checkpoint "
                       "note",
                       gz_op_word(message->op));
    if (status == GZ_OK) status = gz_client_send(edit->client, message, &line->rid, error);
    if (status != GZ_OK) return status;
    edit->waits = kind->waits;
    line->bytes = size;
    edit->bytes += line->bytes;
    const double rate = RATE_PART * (double)gz_client_welcome(edit->client)->messages_per_s;
    edit->full = fmax(edit->full, ctl_now()) + 1 / rate;
    return GZ_OK;
}

static bool is_blank(const char *text, size_t size)
{
    size_t i = 0;
    while (i < size && strchr(" \t\r", text[i]) != NULL) i++;
    return i == size;
}

/* Whether one more line may be sent. */
static bool has_room(const struct edit *edit)
{
    const bool waits = edit->is_stopped || (edit->waits && edit->count > 0);
    return !waits && edit->count < edit->count_max && edit->bytes < GZ_MESSAGE_BYTES_MAX;
}

/* Seconds until the server's rate takes one more message. */
static double pause_of(const struct edit *edit)
{
    return fmax(edit->full - BURST_SECONDS - ctl_now(), 0);
}

/* Sends the lines that are there, as far as they may be. */
static void send_lines(struct edit *edit)
{
    const char *text;
    size_t size;
    bool is_whole;
    while (has_room(edit) && pause_of(edit) <= 0 &&
           ctl_lines_next(&edit->lines, &text, &size, &is_whole)) {
        if (is_whole && is_blank(text, size)) continue;
        struct gz_error error = {0};
        struct waiting *line = waiting_at(edit, edit->count++);
        *line = (struct waiting){.number = edit->lines.number, .since = ctl_now()};
        if (!is_whole)
            (void)gz_fail(&error, GZ_TOO_LARGE, "it is longer than %zu bytes", LINE_BYTES_MAX);
        if (!is_whole || send_line(edit, line, text, size, &error) != GZ_OK)
            refuse(edit, line, &error);
    }
}

/* ---- waiting ---- */

static bool is_over(struct edit *edit)
{
    if (ferror(stdout) || ctl_is_left_alone()) return true;
    return edit->count == 0 && (edit->is_stopped || ctl_lines_are_over(&edit->lines));
}

/* Waits for the first of these: input, unless lines are there that were not sent yet; an answer;
 * and the time at which a line can be sent. */
static enum gz_status listen(struct edit *edit, struct gz_error *error)
{
    const bool is_ready = ctl_lines_are_there(&edit->lines);
    const bool reads = has_room(edit) && !is_ready && !edit->lines.ended;
    const short writes = gz_client_wants_write(edit->client) ? POLLOUT : 0;
    struct pollfd polls[] = {
        {.fd = gz_client_fd(edit->client), .events = (short)(POLLIN | writes)},
        {.fd = reads ? edit->lines.descriptor : -1, .events = POLLIN},
    };
    const double seconds =
        has_room(edit) && is_ready ? fmin(pause_of(edit), IDLE_SECONDS) : IDLE_SECONDS;
    const struct timespec time = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
    (void)ppoll(polls, 2, &time, NULL);
    return polls[1].revents != 0 ? ctl_lines_fill(&edit->lines, error) : GZ_OK;
}

static enum gz_status fail_all(struct edit *edit, const char *words, struct gz_error *error)
{
    refuse_all(edit, GZ_UNREACHABLE, words);
    return gz_fail(error, GZ_UNREACHABLE, "%s", words);
}

static enum gz_status hear(struct edit *edit, struct gz_error *error)
{
    const struct gz_message *message;
    while ((message = gz_client_next(edit->client, 0)) != NULL) take(edit, message);
    if (!gz_client_is_open(edit->client))
        return fail_all(edit, gz_client_reason(edit->client), error);
    if (edit->count > 0 && ctl_now() > waiting_at(edit, 0)->since + CTL_ANSWER_SECONDS)
        return fail_all(edit, "the server did not answer in time", error);
    return GZ_OK;
}

/* ---- the command ---- */

static void finish(struct edit *edit)
{
    for (size_t i = 0; i < edit->count; i++) json_decref(waiting_at(edit, i)->answer);
    gz_client_destroy(edit->client);
    gz_buffer_finish(&edit->frame);
    gz_arena_finish(&edit->arena);
    ctl_lines_finish(&edit->lines);
    if (edit->lines.descriptor != STDIN_FILENO) close(edit->lines.descriptor);
}

static enum gz_status perform(struct edit *edit, struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    while (status == GZ_OK && !is_over(edit)) {
        status = listen(edit, error);
        if (status == GZ_OK) status = hear(edit, error);
        print_answers(edit);
        if (status == GZ_OK) send_lines(edit);
        print_answers(edit); /* of lines that were not sent */
    }
    return status;
}

static enum ctl_exit open_input(const struct ctl_args *args, int *descriptor)
{
    const char *file = args->operands[1];
    *descriptor = STDIN_FILENO;
    if (file == NULL || strcmp(file, "-") == 0) return CTL_OK;
    *descriptor = open(file, O_RDONLY | O_CLOEXEC);
    if (*descriptor >= 0) return CTL_OK;
    struct gz_error error;
    (void)gz_fail(&error, GZ_INTERNAL, "%s: %s", file, strerror(errno));
    return ctl_fail(args, &error);
}

/* No nodes are asked for: edits name them by their ids, and a scene may be large. */
static enum gz_status join(struct edit *edit, struct gz_error *error)
{
    const struct gz_message nothing = {.op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_NODES};
    const bool admin = ctl_get(edit->args, "--admin")->given;
    struct gz_client_options as =
        ctl_client_options(edit->args, admin ? GZ_ROLE_ADMIN : GZ_ROLE_EDITOR);
    as.interest = &nothing;
    return gz_client_create(&edit->client, &as, error);
}

static enum ctl_exit run(const struct ctl_args *args)
{
    int descriptor;
    enum ctl_exit result = open_input(args, &descriptor);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    struct edit edit = {.args = args, .stops = ctl_get(args, "--stop")->given};
    edit.count_max = edit.stops ? 1 : WAITING_MAX;
    ctl_lines_init(&edit.lines, descriptor, LINE_BYTES_MAX);
    gz_buffer_init(&edit.frame, LINE_BYTES_MAX + 2, 0);
    gz_arena_init(&edit.arena, 0);
    enum gz_status status = join(&edit, &error);
    if (status == GZ_OK) status = perform(&edit, &error);
    finish(&edit);
    if (ctl_is_left_alone()) return CTL_FAILED;
    if (status != GZ_OK) return ctl_fail(args, &error);
    result = ctl_finish_output(args);
    return result == CTL_OK ? ctl_exit_of(edit.refused) : result;
}

const struct ctl_command ctl_edit = {
    .usage.name = "edit",
    .usage.operands = "SCENE [FILE]",
    .usage.summary = "Makes many edits over one connection: reads one message in JSON a line, from "
                     "FILE or stdin (-).",
    .usage.notes =
        "A line is a message of the protocol: set, create, delete, undo, redo, revert, restore, "
        "checkpoint or note, with its fields, such as "
        "{\"op\":\"set\",\"nodes\":[{\"id\":4,\"t\":[0,1,0]}],\"key\":\"k1\"}. Each is an edit of "
        "its own. Nodes are named by their ids.\n\nLines are done in their order, and sent before "
        "those ahead of them are answered. Each has one line of answer, in the same order, once "
        "the "
        "edit is on disk. With --json it is {\"op\":\"ok\"} with edit, seq and ids, or "
        "{\"op\":\"error\"} with code and message, both on stdout; line is the number of the line, "
        "and rid that of the message. A line that is refused changes nothing, and the others are "
        "done all the same.\n\nThe exit code is that of the first line that was refused. If the "
        "connection is lost, lines with a key can be sent again as they were: they are done once.",
    .usage.options = options,
    .run = run,
};
