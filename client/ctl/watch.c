/* watch.c - `gizmoctl watch`: prints what happens in a scene until Ctrl-C. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl.h"
#include "proto/limits.h"

#define RETRY_SECONDS_FIRST 0.25
#define RETRY_SECONDS_MAX 5.0
#define NOTE_INDENT 4 /* of the further lines of a note */

static const struct gz_arg_option options[] = {
    {"--subtree", GZ_ARG_TEXTS, "NODE",
     .help = "only this node, by name or id, and all below it; may be repeated"},
    {"--box", GZ_ARG_NUMBERS, "X0,Y0,Z0,X1,Y1,Z1", .count = 6,
     .help = "only nodes whose bounds overlap this box in the world, in metres"},
    {"--events", .help = "only what was done: edits, notes and checkpoints, not where nodes are"},
    {"--since", GZ_ARG_INTEGER, "SEQ",
     .help = "with --json: first the edits after this seq, so that a program that was away misses "
             "none; 0 is all of them"},
    {"--json", .help = "print a JSON object per message, with the protocol's names"},
    {"--count", GZ_ARG_INTEGER, "N", .help = "stop after this many lines"},
    {"--for", GZ_ARG_NUMBERS, "SECONDS", .count = 1, .help = "stop after this many seconds"},
    {0},
};

struct person {
    uint64_t session;
    char name[GZ_USER_BYTES_MAX + 1];
};

struct watch {
    const struct ctl_args *args;
    struct gz_client *client;
    bool json, part, events;
    bool keeps_up;             /* --since: no edit may be missed */
    bool is_behind;            /* edits that come are printed later, from the history */
    uint64_t edit_seq;         /* of the last edit that was printed */
    uint64_t told_seq;         /* of the last edit that came */
    uint64_t lines, lines_max; /* lines_max 0: no limit */
    double deadline;           /* INFINITY: no end */
    struct gz_error final;     /* set by a fatal bye, after which nothing is left to join */
    struct person *people;     /* all people seen so far */
    size_t person_count;
};

static bool is_over(const struct watch *watch)
{
    return (watch->lines_max > 0 && watch->lines >= watch->lines_max) ||
           ctl_now() >= watch->deadline || ferror(stdout) || ctl_is_left_alone();
}

static void end_line(struct watch *watch)
{
    fflush(stdout);
    watch->lines++;
}

/* ---- people ---- */

static struct person *find_person(const struct watch *watch, uint64_t session)
{
    for (size_t i = 0; i < watch->person_count; i++)
        if (watch->people[i].session == session) return &watch->people[i];
    return NULL;
}

static void learn_people(struct watch *watch, const struct gz_presence *presence)
{
    for (size_t i = 0; i < presence->count; i++) {
        const struct gz_presence_user *user = &presence->users[i];
        if (find_person(watch, user->session) != NULL) continue;
        struct person *more = realloc(watch->people, (watch->person_count + 1) * sizeof *more);
        if (more == NULL) return;
        watch->people = more;
        struct person *person = &more[watch->person_count++];
        person->session = user->session;
        snprintf(person->name, sizeof person->name, "%.*s", (int)user->user.size, user->user.bytes);
    }
}

static void put_person(const struct watch *watch, uint64_t session)
{
    const struct person *person = find_person(watch, session);
    if (person != NULL)
        ctl_put_text(stdout, gz_client_text(person->name));
    else
        printf("session %" PRIu64, session);
}

/* ---- lines ---- */

static void put_delta_nodes(const struct watch *watch, const struct gz_delta *delta)
{
    const struct gz_mirror *mirror = gz_client_mirror(watch->client);
    for (size_t i = 0; i < delta->count && i < CTL_NODES_SHOWN; i++) {
        struct gz_node_state state = delta->nodes[i];
        fputs(i > 0 ? ", " : "", stdout);
        ctl_put_node(stdout, mirror, state.id);
        fputs("  ", stdout);
        ctl_put_state(stdout, mirror, &state);
        const struct gz_mirror_node *node = gz_mirror_find(mirror, state.id);
        if (node != NULL && node->by != 0) {
            fputs("  by ", stdout);
            put_person(watch, node->by);
        }
    }
    if (delta->count > CTL_NODES_SHOWN) printf(", and %zu more", delta->count - CTL_NODES_SHOWN);
    for (size_t i = 0; i < delta->gone.count && i < CTL_NODES_SHOWN; i++)
        printf("%s#%" PRIu64 "  gone", i > 0 || delta->count > 0 ? ", " : "", delta->gone.ids[i]);
    if (delta->gone.count > CTL_NODES_SHOWN)
        printf(", and %zu more", delta->gone.count - CTL_NODES_SHOWN);
}

static void put_delta(struct watch *watch, const struct gz_delta *delta)
{
    bool snapshot = delta->from == 0;
    if (watch->events) return;
    if (!watch->json && !snapshot && delta->count == 0 && delta->gone.count == 0) return;
    if (watch->json) {
        ctl_put_json(stdout, ctl_json_delta(delta));
    } else if (snapshot) {
        printf("seq %" PRIu64 "  the %s so far, %zu nodes\n", delta->seq,
               watch->part ? "part" : "scene", delta->count);
    } else {
        printf("seq %" PRIu64 "  ", delta->seq);
        put_delta_nodes(watch, delta);
        fputc('\n', stdout);
    }
    end_line(watch);
}

static void put_edit(struct watch *watch, const struct gz_edit_message *edit)
{
    watch->told_seq = edit->seq;
    if (watch->is_behind || edit->seq <= watch->edit_seq) return;
    watch->edit_seq = edit->seq;
    if (watch->json) {
        ctl_put_json(stdout, ctl_json_edit(edit));
        end_line(watch);
        return;
    }
    char what[CTL_EDIT_BYTES];
    ctl_edit_words(edit, what);
    printf("seq %" PRIu64 "  edit %" PRIu64 "  %s  ", edit->seq, edit->id, what);
    ctl_put_nodes(stdout, gz_client_mirror(watch->client), edit->nodes);
    fputs("  by ", stdout);
    ctl_put_text(stdout, edit->user);
    fputs("  saved\n", stdout);
    end_line(watch);
}

static void put_note(struct watch *watch, const struct gz_note_state *note)
{
    char *pin = ctl_pin_words(gz_client_mirror(watch->client), note);
    printf("note %" PRIu64 "  %s  ", note->id, note->done ? "done" : "open");
    if (pin != NULL && pin[0] != '\0') printf("%s  ", pin);
    if (note->has & GZ_HAS_NOTE_STATE_REPLY) printf("answers %" PRIu64 "  ", note->reply);
    ctl_put_lines(stdout, note->text, NOTE_INDENT);
    fputs("  by ", stdout);
    ctl_put_text(stdout, note->user);
    fputc('\n', stdout);
    free(pin);
    end_line(watch);
}

static void put_notes(struct watch *watch, const struct gz_notes *notes)
{
    if (watch->json) {
        ctl_put_json(stdout, ctl_json_notes(notes));
        end_line(watch);
        return;
    }
    for (size_t i = 0; i < notes->count; i++) put_note(watch, &notes->notes[i]);
    for (size_t i = 0; i < notes->gone.count; i++) {
        printf("note %" PRIu64 "  gone\n", notes->gone.ids[i]);
        end_line(watch);
    }
}

static void put_checkpoint(struct watch *watch, const struct gz_checkpoint_state *checkpoint)
{
    fputs("checkpoint ", stdout);
    ctl_put_text(stdout, checkpoint->name);
    if (checkpoint->gone)
        fputs("  gone", stdout);
    else
        printf("  seq %" PRIu64, checkpoint->seq);
    fputs("  by ", stdout);
    ctl_put_text(stdout, checkpoint->user);
    fputc('\n', stdout);
    end_line(watch);
}

static void put_checkpoints(struct watch *watch, const struct gz_checkpoints *checkpoints)
{
    if (watch->json) {
        ctl_put_json(stdout, ctl_json_checkpoints(checkpoints));
        end_line(watch);
        return;
    }
    for (size_t i = 0; i < checkpoints->count; i++)
        put_checkpoint(watch, &checkpoints->checkpoints[i]);
}

static void take_bye(struct watch *watch, const struct gz_message *message)
{
    const struct gz_bye *bye = &message->bye;
    if (!bye->fatal) return;
    bool has_code = (message->has & GZ_HAS_BYE_CODE) != 0;
    gz_fail(&watch->final, has_code ? bye->code : GZ_UNKNOWN_SCENE, "%.*s", (int)bye->reason.size,
            bye->reason.bytes);
}

static void take(struct watch *watch, const struct gz_message *message)
{
    switch (message->op) {
    case GZ_OP_DELTA: put_delta(watch, &message->delta); break;
    case GZ_OP_EDIT: put_edit(watch, &message->edit); break;
    case GZ_OP_NOTES: put_notes(watch, &message->notes); break;
    case GZ_OP_CHECKPOINT_NEWS: put_checkpoints(watch, &message->checkpoint_news); break;
    case GZ_OP_PRESENCE: learn_people(watch, &message->presence); break;
    case GZ_OP_BYE: take_bye(watch, message); break;
    default: break;
    }
}

/* ---- the past ---- */

static void handle_meanwhile(void *context, const struct gz_message *message)
{
    take(context, message);
}

/* Prints the edits after a seq. Those that come meanwhile may be missing in the answer: it is asked
 * for until it has them. */
static enum gz_status catch_up(struct watch *watch, uint64_t since, struct gz_error *error)
{
    const uint64_t seq = gz_client_welcome(watch->client)->seq;
    if (since > seq)
        return gz_fail(error, GZ_BAD_VALUE,
                       "--since: %" PRIu64 " is beyond the scene's seq, %" PRIu64
                       ": it is another scene, or one from a backup",
                       since, seq);
    watch->edit_seq = since;
    watch->is_behind = true;
    gz_client_set_handler(watch->client, handle_meanwhile, watch);
    enum gz_status status = GZ_OK;
    do {
        json_t *edits;
        status = ctl_past_edits(watch->client, watch->edit_seq, &edits, error);
        for (size_t i = json_array_size(edits); status == GZ_OK && i-- > 0 && !is_over(watch);) {
            json_t *edit = json_array_get(edits, i);
            watch->edit_seq = (uint64_t)json_integer_value(json_object_get(edit, "seq"));
            ctl_put_json(stdout, json_incref(edit));
            end_line(watch);
        }
        json_decref(edits);
    } while (status == GZ_OK && watch->told_seq > watch->edit_seq && !is_over(watch));
    gz_client_set_handler(watch->client, NULL, NULL);
    watch->is_behind = false;
    return status;
}

/* ---- staying connected ---- */

static void sleep_s(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
}

static void say(const struct watch *watch, const char *what, const char *why)
{
    if (watch->json) return;
    printf("%s", what);
    ctl_put_text(stdout, gz_client_text(why));
    fputc('\n', stdout);
    fflush(stdout);
}

/* Whether it may work later as it is. */
static bool may_pass(enum gz_status status)
{
    return status == GZ_UNREACHABLE || status == GZ_INTERNAL || status == GZ_RATE_LIMITED;
}

/* Where the events begin. */
static void put_welcome(struct watch *watch)
{
    const struct gz_welcome *welcome = gz_client_welcome(watch->client);
    if (!watch->events) return;
    if (watch->json)
        ctl_put_json(stdout,
                     json_pack("{s:s,s:s,s:I,s:I}", "op", "welcome", "scene",
                               watch->args->operands[0], "epoch", (json_int_t)welcome->epoch, "seq",
                               (json_int_t)welcome->seq));
    else
        printf("seq %" PRIu64 "  what is done from now on\n", welcome->seq);
    end_line(watch);
}

/* The server tells of the latest edits that were missed, the history of all. */
static enum gz_status come_back(struct watch *watch, struct gz_error *error)
{
    const uint64_t seq = gz_client_welcome(watch->client)->seq;
    if (watch->edit_seq > seq) watch->edit_seq = seq; /* of an earlier scene */
    put_welcome(watch);
    return watch->keeps_up ? catch_up(watch, watch->edit_seq, error) : GZ_OK;
}

/* Tries until it is connected, the time is over, or the server refuses. */
static enum gz_status reconnect(struct watch *watch, struct gz_error *error)
{
    say(watch, "connection lost, reconnecting: ", gz_client_reason(watch->client));
    for (double pause = RETRY_SECONDS_FIRST; !is_over(watch); pause *= 2) {
        if (pause > RETRY_SECONDS_MAX) pause = RETRY_SECONDS_MAX;
        double left = watch->deadline - ctl_now();
        sleep_s(left < pause ? (left > 0 ? left : 0) : pause);
        enum gz_status status = gz_client_reconnect(watch->client, error);
        if (status == GZ_OK)
            say(watch,
                gz_client_welcome(watch->client)->resumed ? "reconnected, nothing missed"
                                                          : "reconnected",
                "");
        if (status == GZ_OK) return come_back(watch, error);
        if (!may_pass(status)) return status;
    }
    return GZ_OK;
}

static enum gz_status follow(struct watch *watch, struct gz_error *error)
{
    while (!is_over(watch)) {
        double left = watch->deadline - ctl_now();
        const struct gz_message *message = gz_client_next(watch->client, left < 1 ? left : 1);
        if (message != NULL) {
            take(watch, message);
        } else if (!gz_client_is_open(watch->client)) {
            *error = watch->final;
            enum gz_status status = error->status;
            if (status == GZ_OK) status = reconnect(watch, error);
            if (status != GZ_OK) return status;
        }
    }
    return GZ_OK;
}

/* ---- the part to watch ---- */

/* The nodes that --subtree names, looked up in the whole scene over a separate connection. */
static enum ctl_exit find_roots(const struct ctl_args *args, uint64_t roots[GZ_ARG_TEXTS_MAX],
                                struct gz_ids *ids)
{
    const struct gz_arg *subtree = ctl_get(args, "--subtree");
    *ids = (struct gz_ids){roots, (size_t)subtree->count};
    if (!subtree->given) return CTL_OK;
    struct gz_client *client;
    struct gz_error error = {0};
    enum ctl_exit result = ctl_join(args, GZ_ROLE_VIEWER, &client);
    if (result != CTL_OK) return result;
    enum gz_status status = GZ_OK;
    for (int i = 0; status == GZ_OK && i < subtree->count; i++)
        status = ctl_find_node(gz_client_mirror(client), subtree->texts[i], &roots[i], &error);
    gz_client_destroy(client);
    return status == GZ_OK ? CTL_OK : ctl_fail(args, &error);
}

/* The box of any two opposite corners. */
static gz_box box_of(const double corners[6])
{
    const double *a = corners, *b = corners + 3;
    return (gz_box){{fmin(a[0], b[0]), fmin(a[1], b[1]), fmin(a[2], b[2])},
                    {fmax(a[0], b[0]), fmax(a[1], b[1]), fmax(a[2], b[2])}};
}

static struct gz_message interest_of(const struct ctl_args *args, struct gz_ids roots)
{
    const struct gz_arg *box = ctl_get(args, "--box");
    struct gz_message message = {.op = GZ_OP_INTEREST,
                                 .interest = {.nodes = roots, .box = box_of(box->numbers)}};
    const bool events = ctl_get(args, "--events")->given; /* a part without nodes */
    if (roots.count > 0 || events) message.has |= GZ_HAS_INTEREST_NODES;
    if (box->given) message.has |= GZ_HAS_INTEREST_BOX;
    return message;
}

/* ---- the command ---- */

static enum ctl_exit check(const struct ctl_args *args)
{
    const bool subtree = ctl_get(args, "--subtree")->given, box = ctl_get(args, "--box")->given;
    if (subtree && box) return ctl_usage(args, "--subtree and --box: give only one of them");
    if (ctl_get(args, "--events")->given && (subtree || box))
        return ctl_usage(args, "--events: cannot be used with --subtree and --box");
    if (ctl_get(args, "--since")->given && !args->json)
        return ctl_usage(args, "--since: needs --json");
    return CTL_OK;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    enum ctl_exit checked = check(args);
    if (checked != CTL_OK) return checked;
    uint64_t roots[GZ_ARG_TEXTS_MAX];
    struct gz_ids ids;
    enum ctl_exit result = find_roots(args, roots, &ids);
    if (result != CTL_OK) return result;
    const struct gz_message interest = interest_of(args, ids);
    const struct gz_arg *time = ctl_get(args, "--for");
    struct watch watch = {
        .args = args,
        .json = args->json,
        .part = interest.has != 0,
        .events = ctl_get(args, "--events")->given,
        .keeps_up = ctl_get(args, "--since")->given,
        .lines_max = ctl_get(args, "--count")->integer,
        .deadline = time->given ? ctl_now() + time->numbers[0] : INFINITY,
    };
    struct gz_error error = {0};
    struct gz_client_options join = ctl_client_options(args, GZ_ROLE_VIEWER);
    if (watch.part) join.interest = &interest;
    enum gz_status status = gz_client_create(&watch.client, &join, &error);
    if (status == GZ_OK) put_welcome(&watch);
    if (status == GZ_OK && watch.keeps_up)
        status = catch_up(&watch, ctl_get(args, "--since")->integer, &error);
    if (status == GZ_OK) status = follow(&watch, &error);
    gz_client_destroy(watch.client);
    free(watch.people);
    if (ctl_is_left_alone()) return CTL_FAILED;
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

const struct ctl_command ctl_watch = {
    .usage.name = "watch",
    .usage.operands = "SCENE",
    .usage.summary = "Prints every change of a scene as it happens, until Ctrl-C: also saved "
                     "edits, notes and checkpoints.",
    .usage.notes =
        "The line of a change has its seq, the nodes with their new values (metres, "
        "degrees), and the user. If the connection is lost, watch connects again and "
        "resumes.\n\nWith --subtree or --box, the nodes above that part are listed too. "
        "A node that leaves the part is printed as gone, and a node that enters it is "
        "printed in full. Edits, notes and checkpoints are printed for the whole scene."
        "\n\nWith --json each line is a message of the protocol, by its op: delta, edit (once it "
        "is "
        "on disk), notes and checkpoints; with --events the first is welcome. Of notes and "
        "checkpoints all that there are come first, and again after the connection was lost, with "
        "\"all\". A program that keeps the seq of the last edit that it has dealt with, and gives "
        "it "
        "as --since when it starts again, gets each edit at least once, in order.",
    .usage.options = options,
    .run = run,
};
