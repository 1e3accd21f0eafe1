/* args.c - the arguments of a command: the shared options, the environment, and scene names. */
#include "args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gizmo_client.h"
#include "proto/limits.h"

const struct gz_arg_option ctl_shared_options[] = {
    {"--server", GZ_ARG_TEXT, "URL",
     .help = "address of the daemon, ws:// or https://, with USER:PASSWORD@ for a proxy that asks "
             "for it; several with commas, which are tried in turn (GIZMOD_URL, "
             "else " GZ_CLIENT_URL_DEFAULT ")"},
    {"--header", GZ_ARG_TEXTS, "NAME:VALUE",
     .help = "a header for a proxy before the daemon (GIZMOD_HEADER, one a line)"},
    {"--token-file", GZ_ARG_TEXT, "FILE",
     .help = "file with your token, for a daemon that needs one (the token in GIZMOD_TOKEN)"},
    {"--ca", GZ_ARG_TEXT, "FILE",
     .help = "certificates of the authorities to trust for wss://, in PEM (GIZMOD_CA, else those "
             "of the system)"},
    {"--user", GZ_ARG_TEXT, "NAME", .help = "your name, as others see it (USER)"},
    {"--json", .help = "print answers, errors and warnings as JSON, one a line"},
    {"--help", .help = "print this help"},
    {0},
};

const struct gz_arg *ctl_get(const struct ctl_args *args, const char *name)
{
    return gz_args_get(&args->said, name);
}

/* An option of every command, or the environment variable in its place. */
static const char *shared_text(const struct ctl_args *args, const char *option,
                               const char *variable)
{
    const struct gz_arg *said = gz_args_get_own(&args->said, option);
    const char *text = said->given ? said->text : getenv(variable);
    return said->given || (text != NULL && text[0] != '\0') ? text : NULL;
}

static void take_shared(struct ctl_args *args)
{
    args->help = gz_args_get_own(&args->said, "--help")->given;
    args->server = shared_text(args, "--server", "GIZMOD_URL");
    args->token = getenv("GIZMOD_TOKEN");
    if (args->token != NULL && args->token[0] == '\0') args->token = NULL;
    args->ca = shared_text(args, "--ca", "GIZMOD_CA");
    args->user = shared_text(args, "--user", "USER");
    if (args->server == NULL) args->server = GZ_CLIENT_URL_DEFAULT;
    if (args->user == NULL) args->user = "gizmoctl";
}

/* The headers, one a line. */
static enum ctl_exit join_headers(struct ctl_args *args)
{
    const struct gz_arg *said = gz_args_get_own(&args->said, "--header");
    args->headers = getenv("GIZMOD_HEADER");
    if (!said->given) return CTL_OK;
    size_t used = 0;
    for (int i = 0; i < said->count; i++) {
        if (strpbrk(said->texts[i], "\r\n") != NULL)
            return ctl_usage(args, "--header: has a line end");
        used += (size_t)snprintf(args->header_text + used, sizeof args->header_text - used, "%s\n",
                                 said->texts[i]);
        if (used >= sizeof args->header_text)
            return ctl_usage(args, "--header: more than %zu bytes", sizeof args->header_text - 1);
    }
    args->headers = args->header_text;
    return CTL_OK;
}

/* The first line of the file. A token is not an argument, because all users of the machine can see
 * arguments. */
static enum ctl_exit read_token(struct ctl_args *args)
{
    const struct gz_arg *said = gz_args_get_own(&args->said, "--token-file");
    if (!said->given) return CTL_OK;
    FILE *file = fopen(said->text, "re");
    if (file == NULL) return ctl_usage(args, "--token-file: %s: %s", said->text, strerror(errno));
    char *line = fgets(args->token_text, sizeof args->token_text, file);
    fclose(file);
    size_t size = line != NULL ? strcspn(line, "\r\n") : 0;
    if (size == 0)
        return ctl_usage(args, "--token-file: %s: the first line is empty; it must hold the token",
                         said->text);
    if (size > GZ_TOKEN_BYTES_MAX)
        return ctl_usage(args, "--token-file: %s: the first line is longer than %d bytes",
                         said->text, GZ_TOKEN_BYTES_MAX);
    args->token_text[size] = '\0';
    args->token = args->token_text;
    return CTL_OK;
}

bool ctl_is_scene(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    return size > 0 && name[size] == '\0' && size <= GZ_SCENE_NAME_BYTES_MAX && name[0] != '_' &&
           name[0] != '-';
}

enum ctl_exit ctl_check_scene(const struct ctl_args *args, const char *name)
{
    if (ctl_is_scene(name)) return CTL_OK;
    return ctl_usage(args,
                     "\"%s\" is not a scene name: 1 to %d of a-z, 0-9, _ and -, with a letter "
                     "or digit first",
                     name, GZ_SCENE_NAME_BYTES_MAX);
}

/* Checks the operands that the command's table calls scenes. */
static enum ctl_exit check_scenes(const struct ctl_args *args)
{
    const char *word = args->command->usage.operands;
    for (int i = 0; i < args->said.operand_count;
         i++, word += strcspn(word, " "), word += strspn(word, " ")) {
        const char *scene = memmem(word, strcspn(word, " "), "SCENE", 5);
        if (scene != NULL && ctl_check_scene(args, args->operands[i]) != CTL_OK) return CTL_USAGE;
    }
    return CTL_OK;
}

/* For errors of a command line that cannot be read. */
static bool mentions_json(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0) return true;
    return false;
}

void ctl_args_begin(struct ctl_args *args, const struct ctl_command *command, int argc, char **argv)
{
    *args = (struct ctl_args){.command = command, .json = mentions_json(argc, argv)};
}

void ctl_args_guess(struct ctl_args *args, const struct gz_arg_program *program,
                    const struct ctl_command *command, int argc, char **argv)
{
    *args = (struct ctl_args){.command = command};
    args->operands = args->said.operands;
    (void)!gz_args_read(&args->said, program, &command->usage, argc, argv, NULL);
    take_shared(args);
    (void)join_headers(args);
    (void)read_token(args);
}

enum ctl_exit ctl_args_read(struct ctl_args *args, const struct gz_arg_program *program,
                            const struct ctl_command *command, int argc, char **argv)
{
    struct gz_error error;
    ctl_args_begin(args, command, argc, argv);
    args->operands = args->said.operands;
    enum gz_status status = gz_args_read(&args->said, program, &command->usage, argc, argv, &error);
    if (status == GZ_OK) take_shared(args);
    if (status == GZ_OK && !args->help) status = gz_args_check(&args->said, &error);
    if (status != GZ_OK) return ctl_usage(args, "%s", error.message);
    args->json = args->json;
    if (args->help) return CTL_OK;
    enum ctl_exit result = check_scenes(args);
    if (result == CTL_OK) result = join_headers(args);
    return result == CTL_OK ? read_token(args) : result;
}
