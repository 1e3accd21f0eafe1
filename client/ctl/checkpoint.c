/* checkpoint.c - `gizmoctl checkpoint` and `gizmoctl checkpoints`: names for states of the
 * scene. */
#include <inttypes.h>

#include "ctl.h"

/* ---- checkpoint ---- */

static const struct gz_arg_option options[] = {
    {"--seq", GZ_ARG_INTEGER, "N",
     .help = "name the state after this change (see history) instead of the present state"},
    {"--gone", .help = "delete the checkpoint"},
    {0},
};

static void print_done(const struct ctl_args *args, const struct gz_client *client,
                       const struct gz_ok *ok)
{
    (void)client;
    bool gone = ctl_get(args, "--gone")->given;
    if (args->json) {
        ctl_put_json(stdout, json_pack("{s:s,s:s,s:I}", "op", "ok", "name", args->operands[1],
                                       "seq", (json_int_t)ok->seq));
        return;
    }
    fputs(gone ? "gone: checkpoint " : "checkpoint ", stdout);
    ctl_put_text(stdout, gz_client_text(args->operands[1]));
    printf("  seq %" PRIu64 "\n", ok->seq);
}

static enum ctl_exit run(const struct ctl_args *args)
{
    const struct gz_arg *seq = ctl_get(args, "--seq");
    struct gz_message message = {.op = GZ_OP_CHECKPOINT};
    message.checkpoint = (struct gz_checkpoint){.name = gz_client_text(args->operands[1]),
                                                .seq = seq->integer,
                                                .gone = ctl_get(args, "--gone")->given};
    if (seq->given && message.checkpoint.gone)
        return ctl_usage(args, "--seq and --gone: give only one of them");
    if (seq->given) message.has |= GZ_HAS_CHECKPOINT_SEQ;
    return ctl_ask(args, GZ_ROLE_EDITOR, &message, print_done);
}

const struct ctl_command ctl_checkpoint = {
    .usage.name = "checkpoint",
    .usage.operands = "SCENE NAME",
    .usage.summary = "Names the present state of a scene, or a past one, for at and restore. Its "
                     "history is kept.",
    .usage.options = options,
    .run = run,
};

/* ---- checkpoints ---- */

static const struct gz_arg_option list_options[] = {
    {"--json", .help = "print a JSON object per checkpoint"},
    {0},
};

static void print_list(const struct ctl_args *args, const struct gz_client *client,
                       const struct gz_ok *ok)
{
    (void)client;
    bool json = args->json;
    int name_width = 0, user_width = 0;
    for (size_t i = 0; i < ok->checkpoint_count; i++) {
        int name = ctl_width(ok->checkpoints[i].name), user = ctl_width(ok->checkpoints[i].user);
        if (name > name_width) name_width = name;
        if (user > user_width) user_width = user;
    }
    for (size_t i = 0; i < ok->checkpoint_count; i++) {
        const struct gz_checkpoint_state *checkpoint = &ok->checkpoints[i];
        char when[32];
        if (json) {
            ctl_put_json(stdout, ctl_json_checkpoint(checkpoint));
            continue;
        }
        ctl_when_write(checkpoint->made, when, sizeof when);
        ctl_put_padded(stdout, checkpoint->name, name_width);
        printf("seq %-8" PRIu64 "  ", checkpoint->seq);
        ctl_put_padded(stdout, checkpoint->user, user_width);
        puts(when);
    }
}

static enum ctl_exit run_list(const struct ctl_args *args)
{
    struct gz_message question = {.op = GZ_OP_CHECKPOINTS};
    return ctl_ask(args, GZ_ROLE_VIEWER, &question, print_list);
}

const struct ctl_command ctl_checkpoints = {
    .usage.name = "checkpoints",
    .usage.operands = "SCENE",
    .usage.summary = "Lists the checkpoints of a scene with their authors, the oldest state first.",
    .usage.options = list_options,
    .run = run_list,
};
