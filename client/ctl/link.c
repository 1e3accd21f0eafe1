/* link.c - `gizmoctl link`: makes an invitation to a scene. */
#include "ctl.h"

static const struct gz_arg_option options[] = {
    {"--role", GZ_ARG_WORD, "ROLE", .terms = &gz_role_words,
     .help = "role of the guests: viewer (default) or editor"},
    {"--expires", GZ_ARG_READ, "TIME", .read = ctl_duration_read,
     .form = "length of time (30s, 10m, 8h, 7d)",
     .help = "how long the link is valid (default 8h, at most 30d)"},
    {0},
};

static void print_link(const struct ctl_args *args, const struct gz_client *client,
                       const struct gz_ok *ok)
{
    char page[CTL_PATH_BYTES];
    gz_client_page(client, page, sizeof page);
    if (args->json) {
        json_t *link = json_sprintf("%s?scene=%s#token=%.*s", page, args->operands[0],
                                    (int)ok->token.size, ok->token.bytes);
        ctl_put_json(stdout, json_pack("{s:s,s:o}", "op", "ok", "link", link));
        return;
    }
    printf("%s?scene=%s#token=", page, args->operands[0]);
    ctl_put_text(stdout, ok->token);
    putchar('\n');
}

static enum ctl_exit run(const struct ctl_args *args)
{
    const struct gz_arg *role = ctl_get(args, "--role"), *expires = ctl_get(args, "--expires");
    struct gz_message message = {.op = GZ_OP_LINK};
    message.link.role = role->given ? (enum gz_role)role->word : GZ_ROLE_VIEWER;
    message.link.expires_s = expires->given ? expires->numbers[0] : 8 * 3600;
    return ctl_ask(args, GZ_ROLE_ADMIN, &message, print_link);
}

const struct ctl_command ctl_link = {
    .usage.name = "link",
    .usage.operands = "SCENE",
    .usage.summary = "Makes an invitation: a link that lets guests into a scene.",
    .usage.notes =
        "The link contains a token: anybody who has the link can use it until it expires. Only "
        "admins of the scene may make one, and the server needs a key that signs.",
    .usage.options = options,
    .run = run,
};
