/* note.c - `gizmoctl note`: writes, changes or deletes a note in the scene. */
#include <inttypes.h>

#include "ctl.h"

static const struct gz_arg_option options[] = {
    {"--node", GZ_ARG_TEXT, "NODE", .help = "pin the note to this node, by name or id"},
    {"--at", GZ_ARG_NUMBERS, "X,Y,Z", .count = 3,
     .help = "pin the note to a point, in metres: in the space of --node, or in the world"},
    {"--reply", GZ_ARG_INTEGER, "N", .help = "make the note a reply to note N"},
    {"--edit", GZ_ARG_INTEGER, "N", .help = "give your note N this TEXT, --node or --at"},
    {"--done", GZ_ARG_INTEGER, "N", .help = "mark note N as done"},
    {"--open", GZ_ARG_INTEGER, "N", .help = "mark note N as open again"},
    {"--gone", GZ_ARG_INTEGER, "N", .help = "delete your note N"},
    {"--key", GZ_ARG_TEXT, "KEY",
     .help = "key of the note: a repeated key gives the first answer and adds no note"},
    {0},
};

/* The option that names the note to change; NULL if a new one is written. */
static const char *change_of(const struct ctl_args *args, int *count)
{
    static const char *const changes[] = {"--edit", "--done", "--open", "--gone"};
    const char *change = NULL;
    *count = 0;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        if (!ctl_get(args, changes[i])->given) continue;
        change = changes[i];
        ++*count;
    }
    return change;
}

static enum ctl_exit check(const struct ctl_args *args)
{
    int count;
    const char *change = change_of(args, &count);
    bool edits = ctl_get(args, "--edit")->given, text = args->operands[1] != NULL;
    bool pin = ctl_get(args, "--node")->given || ctl_get(args, "--at")->given;
    if (count > 1)
        return ctl_usage(args, "--edit, --done, --open and --gone: give only one of them");
    if (change == NULL && !text) return ctl_usage(args, "TEXT is missing");
    if (change != NULL && ctl_get(args, "--reply")->given)
        return ctl_usage(args, "--reply makes a new note; it cannot be used with %s", change);
    if (edits && !text && !pin)
        return ctl_usage(args, "--edit: nothing to change; give TEXT, --node or --at");
    if (change != NULL && !edits && (text || pin))
        return ctl_usage(args, "%s takes no TEXT, --node or --at", change);
    return CTL_OK;
}

static enum gz_status fill(const struct ctl_args *args, const struct gz_mirror *mirror,
                           struct gz_message *message, struct gz_error *error)
{
    const struct gz_arg *node = ctl_get(args, "--node"), *at = ctl_get(args, "--at"),
                        *reply = ctl_get(args, "--reply");
    int count;
    const char *change = change_of(args, &count);
    struct gz_note *note = &message->note;
    if (change != NULL) {
        message->has |= GZ_HAS_NOTE_NOTE;
        note->note = ctl_get(args, change)->integer;
        note->gone = ctl_get(args, "--gone")->given;
        note->done = ctl_get(args, "--done")->given;
    }
    if (note->done || ctl_get(args, "--open")->given) message->has |= GZ_HAS_NOTE_DONE;
    if (args->operands[1] != NULL) message->has |= GZ_HAS_NOTE_TEXT;
    if (at->given) message->has |= GZ_HAS_NOTE_POINT;
    if (reply->given) message->has |= GZ_HAS_NOTE_REPLY;
    if (node->given) message->has |= GZ_HAS_NOTE_NODE;
    note->text = gz_client_text(args->operands[1]);
    note->point = (gz_vec3){at->numbers[0], at->numbers[1], at->numbers[2]};
    note->reply = reply->integer;
    return node->given ? ctl_find_node(mirror, node->text, &note->node, error) : GZ_OK;
}

static void print_done(const struct ctl_args *args, const struct gz_message *done)
{
    static const char *const words[][2] = {
        {"--edit", "  changed"}, {"--done", "  done"}, {"--open", "  open"}, {"--gone", "  gone"}};
    if (args->json) {
        ctl_put_json(stdout, ctl_json_done(done));
        return;
    }
    printf("note %" PRIu64, done->ok.note);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (ctl_get(args, words[i][0])->given) fputs(words[i][1], stdout);
    fputc('\n', stdout);
}

static enum ctl_exit run(const struct ctl_args *args)
{
    enum ctl_exit result = check(args);
    struct gz_client *client;
    if (result == CTL_OK) result = ctl_join(args, GZ_ROLE_EDITOR, &client);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    struct gz_message done, message = {.op = GZ_OP_NOTE};
    enum gz_status status = fill(args, gz_client_mirror(client), &message, &error);
    if (status == GZ_OK) status = ctl_request_edit(args, client, &message, &done, &error);
    if (status == GZ_OK) print_done(args, &done);
    gz_client_destroy(client);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

const struct ctl_command ctl_note = {
    .usage.name = "note",
    .usage.operands = "SCENE [TEXT]",
    .usage.summary = "Adds a note to a scene, or changes one, and waits until the note is on disk.",
    .usage.notes =
        "Without --node and --at, a note is about the whole scene, and a reply is pinned where the "
        "note is that it replies to. Every editor may mark a note as done or open; only its author "
        "may change or delete it. gizmoctl notes lists the notes.",
    .usage.options = options,
    .run = run,
};
