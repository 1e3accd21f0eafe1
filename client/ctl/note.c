#include <inttypes.h>

#include "ctl.h"

static const struct ctl_option options[] = {
    {"--node", CTL_TEXT, "NODE", "pin it to this node, by name or id", 0, NULL},
    {"--at", CTL_NUMBERS, "X,Y,Z", "where, in metres: in the space of --node, or in the world without", 3, NULL},
    {"--reply", CTL_INTEGER, "N", "it answers note N", 0, NULL},
    {"--edit", CTL_INTEGER, "N", "give your note N this TEXT, --node or --at", 0, NULL},
    {"--done", CTL_INTEGER, "N", "note N is dealt with", 0, NULL},
    {"--open", CTL_INTEGER, "N", "note N is not dealt with after all", 0, NULL},
    {"--gone", CTL_INTEGER, "N", "delete your note N", 0, NULL},
    {"--key", CTL_TEXT, "KEY", "of the note: the same key again makes no second one and answers the same", 0, NULL},
    {"--json", CTL_FLAG, NULL, "answer as a JSON object", 0, NULL},
    {NULL, CTL_FLAG, NULL, NULL, 0, NULL},
};

/* The one option that says which note is to be changed and how; NULL where a new one is made. */
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
    if (count > 1) return ctl_usage(args, "--edit, --done, --open and --gone: give one of them");
    if (change == NULL && !text) return ctl_usage(args, "TEXT is missing");
    if (change != NULL && ctl_get(args, "--reply")->given)
        return ctl_usage(args, "--reply belongs to a new note, %s to one that is there", change);
    if (edits && !text && !pin) return ctl_usage(args, "--edit: nothing to change: give TEXT, --node or --at");
    if (change != NULL && !edits && (text || pin)) return ctl_usage(args, "%s takes no TEXT, --node or --at", change);
    return CTL_OK;
}

static enum gz_status fill(const struct ctl_args *args, const struct gz_mirror *mirror, struct gz_message *message,
                           struct gz_error *error)
{
    const struct ctl_value *node = ctl_get(args, "--node"), *at = ctl_get(args, "--at"),
                           *reply = ctl_get(args, "--reply");
    int count;
    const char *change = change_of(args, &count);
    struct gz_note *note = &message->note;
    if (change != NULL) {
        message->has |= GZ_HAS(NOTE);
        note->note = ctl_get(args, change)->integer;
        note->gone = ctl_get(args, "--gone")->given;
        note->done = ctl_get(args, "--done")->given;
    }
    if (note->done || ctl_get(args, "--open")->given) message->has |= GZ_HAS(DONE);
    if (args->operands[1] != NULL) message->has |= GZ_HAS(TEXT);
    if (at->given) message->has |= GZ_HAS(POINT);
    if (reply->given) message->has |= GZ_HAS(REPLY);
    if (node->given) message->has |= GZ_HAS(NODE);
    note->text = gz_client_text(args->operands[1]);
    note->point = (gz_vec3){at->numbers[0], at->numbers[1], at->numbers[2]};
    note->reply = reply->integer;
    return node->given ? ctl_find_node(mirror, node->text, &note->node, error) : GZ_OK;
}

static void print_done(const struct ctl_args *args, const struct gz_message *done)
{
    static const char *const words[][2] = {
        {"--edit", "  changed"}, {"--done", "  done"}, {"--open", "  open"}, {"--gone", "  gone"}};
    if (ctl_get(args, "--json")->given) {
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
    if (status == GZ_OK) status = ctl_edit(args, client, &message, &done, &error);
    if (status == GZ_OK) print_done(args, &done);
    gz_client_destroy(client);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

const struct ctl_command ctl_note = {
    .name = "note",
    .operands = "SCENE [TEXT]",
    .summary = "Leaves a note in the scene for others, or changes one, and waits until that is on disk.",
    .notes = "Without --node and --at it is a note on the scene as a whole, an answer is where the note is that it "
             "answers. What\n"
             "anybody who edits may say of a note is that it is done, or open; the rest is its author's. gizmoctl "
             "notes lists them.",
    .options = options,
    .run = run,
};
