/* access.c - `gizmoctl access`: lists and changes the rights in a scene that users have besides
 * those of their tokens. */
#include "ctl.h"

static const struct gz_arg_option options[] = {
    {"--role", GZ_ARG_WORD, "ROLE", .terms = &gz_role_words, .help = "the role to give to USERS"},
    {"--gone", .help = "remove the entry USERS"},
    {"--json", .help = "print a JSON object per entry"},
    {0},
};

static void print_list(const struct ctl_args *args, const struct gz_client *client,
                       const struct gz_ok *ok)
{
    (void)client;
    bool json = args->json;
    int user_width = 0, by_width = 0;
    for (size_t i = 0; i < ok->access_count; i++) {
        int user = ctl_width(ok->accesses[i].user), by = ctl_width(ok->accesses[i].by);
        if (user > user_width) user_width = user;
        if (by > by_width) by_width = by;
    }
    for (size_t i = 0; i < ok->access_count; i++) {
        const struct gz_access_state *access = &ok->accesses[i];
        char when[32];
        if (json) {
            ctl_put_json(stdout, ctl_json_access(access));
            continue;
        }
        ctl_when_write(access->made, when, sizeof when);
        ctl_put_padded(stdout, access->user, user_width);
        printf("%-6s  ", gz_vocabulary_word(&gz_role_words, (int)access->role));
        ctl_put_padded(stdout, access->by, by_width);
        puts(when);
    }
}

static void print_done(const struct ctl_args *args, const struct gz_client *client,
                       const struct gz_ok *ok)
{
    (void)client;
    (void)ok;
    const struct gz_arg *given = ctl_get(args, "--role");
    const char *role = given->given ? gz_vocabulary_word(&gz_role_words, given->word) : NULL;
    if (args->json) {
        json_t *done = json_pack("{s:s,s:s}", "op", "ok", "user", args->operands[1]);
        if (role != NULL) json_object_set_new(done, "role", json_string(role));
        ctl_put_json(stdout, done);
        return;
    }
    ctl_put_text(stdout, gz_client_text(args->operands[1]));
    printf("  %s\n", role != NULL ? role : "gone");
}

static enum ctl_exit check(const struct ctl_args *args)
{
    int changes = ctl_get(args, "--role")->given + ctl_get(args, "--gone")->given;
    if (changes > 1) return ctl_usage(args, "--role and --gone: give only one of them");
    if (changes == 1 && args->operands[1] == NULL) return ctl_usage(args, "USERS is missing");
    if (changes == 0 && args->operands[1] != NULL)
        return ctl_usage(args, "USERS: needs --role ROLE or --gone");
    return CTL_OK;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    enum ctl_exit result = check(args);
    if (result != CTL_OK) return result;
    const struct gz_arg *role = ctl_get(args, "--role");
    struct gz_message message = {.op = GZ_OP_ACCESSES};
    if (args->operands[1] == NULL) return ctl_ask(args, GZ_ROLE_ADMIN, &message, print_list);
    message.op = GZ_OP_ACCESS;
    message.has = role->given ? GZ_HAS_ACCESS_ROLE : 0;
    message.access = (struct gz_access){.user = gz_client_text(args->operands[1]),
                                        .role = (enum gz_role)role->word,
                                        .gone = !role->given};
    return ctl_ask(args, GZ_ROLE_ADMIN, &message, print_done);
}

const struct ctl_command ctl_access = {
    .usage.name = "access",
    .usage.operands = "SCENE [USERS]",
    .usage.summary = "Lists the roles that users have in a scene besides those of their tokens, or "
                     "gives USERS a role.",
    .usage.notes =
        "USERS is a user name or a pattern: * stands for any characters, ? for one character. "
        "Quote the pattern for the shell. Only admins of the scene may use this command.",
    .usage.options = options,
    .run = run,
};
