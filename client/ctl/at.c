/* at.c - `gizmoctl at`: prints the nodes of the scene as they were at a time. */
#include <inttypes.h>

#include "ctl.h"

static const struct gz_arg_option options[] = {
    {"--seq", GZ_ARG_TEXT, "N|NAME", .help = "the state after this change, or of this checkpoint"},
    {"--time", GZ_ARG_READ, "T", .read = ctl_when_read, .form = CTL_WHEN_FORM,
     .help = "the state at this time: " CTL_WHEN_FORMS},
    {"--json", .help = "print a JSON object per node"},
    {0},
};

/* Puts the parts of the answer together; *seq is the seq of the state. */
static enum gz_status collect(struct gz_client *client, struct gz_message *question,
                              struct gz_mirror *past, uint64_t *seq, struct gz_error *error)
{
    uint64_t rid;
    enum gz_status status = gz_client_send(client, question, &rid, error);
    struct gz_delta part = {.more = true};
    while (status == GZ_OK && part.more) {
        const struct gz_message *answer;
        status = gz_client_answer(client, rid, CTL_ANSWER_SECONDS, &answer, error);
        if (status != GZ_OK) break;
        if (answer->has & GZ_HAS_OK_SEQ) *seq = answer->ok.seq;
        part = (struct gz_delta){.from = part.seq, .seq = part.seq + 1, .more = answer->ok.more};
        part.nodes = answer->ok.nodes;
        part.count = answer->ok.node_count;
        status = gz_mirror_apply(past, &part, error);
    }
    return status;
}

static enum gz_status show(const struct ctl_args *args, struct gz_client *client,
                           struct gz_message *question, struct gz_mirror *past,
                           struct gz_error *error)
{
    uint64_t found = question->at.seq;
    enum gz_status status = collect(client, question, past, &found, error);
    if (status != GZ_OK) return status;
    bool json = args->json;
    if (!json)
        printf("%s  seq %" PRIu64 "  %zu nodes\n", args->operands[0], found, gz_mirror_count(past));
    return ctl_print_tree(stdout, past, json) ? GZ_OK : gz_fail(error, GZ_NO_MEMORY, "no memory");
}

static enum ctl_exit run(const struct ctl_args *args)
{
    const struct gz_arg *seq = ctl_get(args, "--seq"), *time = ctl_get(args, "--time");
    struct gz_message question = {
        .op = GZ_OP_AT, .has = time->given ? GZ_HAS_AT_TIME : 0, .at.time = time->numbers[0]};
    if (seq->given == time->given) return ctl_usage(args, "give one of --seq N|NAME and --time T");
    enum ctl_exit result =
        seq->given ? ctl_read_seq(args, seq, &question.at, &question.has) : CTL_OK;
    struct gz_client *client;
    if (result == CTL_OK) result = ctl_join(args, GZ_ROLE_VIEWER, &client);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    struct gz_mirror *past = gz_mirror_create();
    enum gz_status status = past != NULL ? show(args, client, &question, past, &error)
                                         : gz_fail(&error, GZ_NO_MEMORY, "no memory");
    gz_mirror_destroy(past);
    gz_client_destroy(client);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

const struct ctl_command ctl_at = {
    .usage.name = "at",
    .usage.operands = "SCENE",
    .usage.summary = "Lists the nodes of a past state of a scene, as ls does.",
    .usage.notes =
        "If a drag was under way at that time, nodes are listed as the drag had moved them.",
    .usage.options = options,
    .run = run,
};
