/* token.c - `gizmoctl token`: signs a token, without a daemon. */
#include <string.h>

#include "ctl.h"
#include "proto/token/token.h"

static const struct gz_arg_option options[] = {
    {"--keys", GZ_ARG_TEXT, "FILE", .help = "file of keys from gizmoctl key; its first key signs"},
    {"--user", GZ_ARG_TEXT, "USER", .help = "user of the token; for --guest, the user who invites"},
    {"--name", GZ_ARG_TEXT, "NAME", .help = "name that others see (the user)"},
    {"--role", GZ_ARG_WORD, "ROLE", .terms = &gz_role_words,
     .help = "viewer, editor or admin (none: the access of each scene decides)"},
    {"--scene", GZ_ARG_TEXTS, "GLOB",
     .help = "scenes where the role is valid: * stands for any characters, ? for one; up to 16 "
             "times (*)"},
    {"--expires", GZ_ARG_READ, "TIME", .read = ctl_duration_read,
     .form = "length of time (30s, 10m, 8h, 7d)",
     .help = "how long the token is valid: 30s, 10m, 8h, 7d"},
    {"--guest", .help = "make an invitation, whose guests choose their own names"},
    {"--audience", GZ_ARG_TEXT, "NAME",
     .help = "audience of the token, as for gizmod --audience (gizmod)"},
    {0},
};

static enum ctl_exit take_text(const struct ctl_args *args, const char *option, char *text,
                               size_t room)
{
    const struct gz_arg *said = ctl_get(args, option);
    if (!said->given) return CTL_OK;
    size_t size = strlen(said->text);
    if (size == 0 || size >= room)
        return ctl_usage(args, "%s: must have 1 to %zu bytes", option, room - 1);
    memcpy(text, said->text, size + 1);
    return CTL_OK;
}

static enum ctl_exit take_scenes(const struct ctl_args *args, struct gz_claims *claims)
{
    const struct gz_arg *scenes = ctl_get(args, "--scene");
    if (!scenes->given) strcpy(claims->scenes[claims->scene_count++], "*");
    for (int i = 0; i < scenes->count; i++) {
        size_t size = strlen(scenes->texts[i]);
        if (claims->scene_count == GZ_TOKEN_SCENES_MAX)
            return ctl_usage(args, "--scene: may be given at most %d times", GZ_TOKEN_SCENES_MAX);
        if (size == 0 || size > GZ_GLOB_BYTES_MAX)
            return ctl_usage(args, "--scene: must have 1 to %d bytes", GZ_GLOB_BYTES_MAX);
        memcpy(claims->scenes[claims->scene_count++], scenes->texts[i], size + 1);
    }
    return CTL_OK;
}

static enum ctl_exit take_claims(const struct ctl_args *args, double now, struct gz_claims *claims)
{
    const struct gz_arg *role = ctl_get(args, "--role"), *expires = ctl_get(args, "--expires");
    claims->is_guest = ctl_get(args, "--guest")->given;
    if (!ctl_get(args, "--keys")->given) return ctl_usage(args, "--keys is missing");
    if (!ctl_get(args, "--user")->given && !claims->is_guest)
        return ctl_usage(args, "--user is missing");
    if (!expires->given) return ctl_usage(args, "--expires is missing");
    claims->has_role = role->given;
    if (role->given) claims->role = (enum gz_role)role->word;
    if (claims->is_guest && role->given && claims->role == GZ_ROLE_ADMIN)
        return ctl_usage(args, "--role: must be viewer or editor for a guest");
    if (expires->numbers[0] <= 0) return ctl_usage(args, "--expires: must be above 0");
    claims->expires_unix_s = now + expires->numbers[0];
    enum ctl_exit result = take_text(args, "--user", claims->user, sizeof claims->user);
    if (result == CTL_OK) result = take_text(args, "--name", claims->name, sizeof claims->name);
    return result == CTL_OK ? take_scenes(args, claims) : result;
}

static void warn_exposed(const struct ctl_args *args, const char *file)
{
    char words[GZ_ERROR_BYTES_MAX];
    gz_print(words, sizeof words, "other users can read or change %s; run chmod 600 on it", file);
    ctl_warn(args, words);
}

static enum ctl_exit run(const struct ctl_args *args)
{
    double now = ctl_when_now();
    struct gz_claims claims = {0};
    enum ctl_exit result = take_claims(args, now, &claims);
    if (result != CTL_OK) return result;
    const struct gz_arg *audience = ctl_get(args, "--audience");
    char token[GZ_TOKEN_BYTES_MAX + 1];
    struct gz_error error = {0};
    struct gz_keys *keys;
    enum gz_status status = gz_keys_load(ctl_get(args, "--keys")->text, &keys, &error);
    if (status == GZ_OK && gz_keys_are_exposed(keys))
        warn_exposed(args, ctl_get(args, "--keys")->text);
    if (status == GZ_OK)
        status = gz_token_sign(keys, audience->given ? audience->text : GZ_AUDIENCE_DEFAULT,
                               &claims, now, token, &error);
    gz_keys_destroy(keys);
    if (status != GZ_OK) return ctl_fail(args, &error);
    if (args->json)
        ctl_put_json(stdout, json_pack("{s:s,s:s}", "op", "ok", "token", token));
    else
        puts(token);
    return ctl_finish_output(args);
}

const struct ctl_command ctl_token = {
    .usage.name = "token",
    .usage.operands = "",
    .usage.summary = "Prints a token, which gives a user a role. Needs no daemon.",
    .usage.notes =
        "--keys, --expires and, without --guest, --user are required. Anybody who has a token can "
        "use it until it expires: keep it in a file that nobody else can read, for --token-file. "
        "Daemons accept it that were started with --keys and this file or its public part.",
    .usage.options = options,
    .run = run,
};
