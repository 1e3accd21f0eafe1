/* fail.c - how a command ends: exit codes by the kind of error, errors and warnings as a line for
 * people or as JSON, and output that nobody reads. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"

/* The exit code of each kind of error; CTL_FAILED for the others. */
static const enum ctl_exit exits[GZ_STATUS_COUNT] = {
    [GZ_UNREACHABLE] = CTL_UNREACHABLE,
    [GZ_UNAUTHORISED] = CTL_FORBIDDEN,
    [GZ_FORBIDDEN] = CTL_FORBIDDEN,
    [GZ_UNKNOWN_SCENE] = CTL_UNKNOWN,
    [GZ_UNKNOWN_NODE] = CTL_UNKNOWN,
    [GZ_CONFLICT] = CTL_IN_THE_WAY,
    [GZ_LOCKED] = CTL_IN_THE_WAY,
    [GZ_BAD_STATE] = CTL_IN_THE_WAY,
    [GZ_BAD_MESSAGE] = CTL_BAD_INPUT,
    [GZ_BAD_VALUE] = CTL_BAD_INPUT,
    [GZ_UNKNOWN_OP] = CTL_BAD_INPUT,
    [GZ_UNKNOWN_HANDLE] = CTL_BAD_INPUT,
    [GZ_TOO_LARGE] = CTL_BAD_INPUT,
    [GZ_TOO_MANY] = CTL_BAD_INPUT,
    [GZ_VERSION] = CTL_BAD_INPUT,
    [GZ_RATE_LIMITED] = CTL_BUSY,
    [GZ_STORAGE] = CTL_BUSY,
};

const struct gz_arg_exit ctl_exits[] = {
    {CTL_OK, "success"},
    {CTL_FAILED, "another failure, such as a file of this machine; check found something"},
    {CTL_USAGE, "a wrong command line"},
    {CTL_UNREACHABLE,
     "the server cannot be reached, the connection was lost, or no answer came in time; what was "
     "asked may have been done: with --key it can be asked again"},
    {CTL_FORBIDDEN, "you may not: unauthorised, forbidden"},
    {CTL_UNKNOWN, "there is no such thing: unknown_scene, unknown_node"},
    {CTL_IN_THE_WAY, "something is in the way: conflict, locked, bad_state"},
    {CTL_BAD_INPUT,
     "what was asked is wrong: bad_value, bad_message, unknown_op, unknown_handle, too_large, "
     "too_many, version"},
    {CTL_BUSY, "the server cannot do it now: rate_limited, storage"},
    {0},
};

enum ctl_exit ctl_exit_of(enum gz_status status)
{
    if (status == GZ_OK) return CTL_OK;
    return (unsigned)status < GZ_STATUS_COUNT && exits[status] != CTL_OK ? exits[status]
                                                                         : CTL_FAILED;
}

json_t *ctl_json_shown(const char *text)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);
    if (out == NULL) return NULL;
    ctl_put_text(out, gz_client_text(text));
    json_t *json = fclose(out) == 0 ? json_stringn(bytes, size) : NULL;
    free(bytes);
    return json;
}

json_t *ctl_json_error(const char *code, const char *message)
{
    return json_pack("{s:s,s:s,s:o}", "op", "error", "code", code, "message",
                     ctl_json_shown(message));
}

/* "gizmoctl COMMAND: " */
static void put_name(const struct ctl_args *args)
{
    const char *command = args->command != NULL ? args->command->usage.name : "";
    fprintf(stderr, "gizmoctl%s%s: ", command[0] != '\0' ? " " : "", command);
}

enum ctl_exit ctl_usage(const struct ctl_args *args, const char *format, ...)
{
    char words[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    if (args->json) {
        ctl_put_json(stderr, ctl_json_error("usage", words));
        return CTL_USAGE;
    }
    put_name(args);
    ctl_put_text(stderr, gz_client_text(words));
    fputc('\n', stderr);
    return CTL_USAGE;
}

/* Whether the word says more than the sentence does. */
static bool has_word(enum gz_status status)
{
    return status != GZ_INTERNAL && status != GZ_NO_MEMORY && status != GZ_UNREACHABLE;
}

enum ctl_exit ctl_fail(const struct ctl_args *args, const struct gz_error *error)
{
    if (args->json) {
        ctl_put_json(stderr, ctl_json_error(gz_status_word(error->status), error->message));
        return ctl_exit_of(error->status);
    }
    put_name(args);
    ctl_put_text(stderr, gz_client_text(error->message));
    if (has_word(error->status)) fprintf(stderr, " (%s)", gz_status_word(error->status));
    fputc('\n', stderr);
    if (error->status == GZ_UNAUTHORISED)
        fprintf(stderr, args->token == NULL
                            ? "give a token with --token-file FILE or in GIZMOD_TOKEN\n"
                            : "ask the server's operator for a new token\n");
    return ctl_exit_of(error->status);
}

void ctl_warn(const struct ctl_args *args, const char *text)
{
    if (args->json) {
        ctl_put_json(stderr,
                     json_pack("{s:s,s:o}", "op", "warning", "message", ctl_json_shown(text)));
        return;
    }
    put_name(args);
    fputs("warning: ", stderr);
    ctl_put_text(stderr, gz_client_text(text));
    fputc('\n', stderr);
}

bool ctl_is_left_alone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

enum ctl_exit ctl_finish_output(const struct ctl_args *args)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return CTL_OK;
    const int problem = errno;
    struct gz_error error = {0};
    if (ctl_is_left_alone()) return CTL_FAILED;
    (void)gz_fail(&error, GZ_INTERNAL, "cannot write the output: %s", strerror(problem));
    return ctl_fail(args, &error);
}

enum ctl_exit ctl_finish(const struct ctl_args *args, enum gz_status status,
                         const struct gz_error *error)
{
    if (status != GZ_OK) return ctl_fail(args, error);
    if (args->json) ctl_put_json(stdout, json_pack("{s:s}", "op", "ok"));
    return ctl_finish_output(args);
}
