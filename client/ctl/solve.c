/* solve.c - `gizmoctl solve`: answers drags in JSON, by the solver or by a daemon. */
#include "solve.h"

#include <stdlib.h>

#define SCENE_DEFAULT "solve"

static const struct gz_arg_option options[] = {
    {"--server", GZ_ARG_TEXT, "URL", .help = "ask this daemon instead of solving in this process"},
    {"--scene", GZ_ARG_TEXT, "SCENE",
     .help = "scene of the daemon to work in, created if missing (" SCENE_DEFAULT ")"},
    {0},
};

static void put_rows(const struct solve_case *one)
{
    for (size_t i = 0; i < one->replay.path_count; i++) {
        for (int k = 0; k < GZ_REPLAY_ROW; k++)
            printf("%s%.17g", k > 0 ? "," : i > 0 ? ",[" : "[", one->rows[i][k]);
        fputc(']', stdout);
    }
}

static void put_answer(const struct solve_case *one, enum gz_handle grabbed)
{
    char *id = json_dumps(one->id, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17));
    printf("{\"id\":%s,\"grab\":\"", id != NULL ? id : "null");
    free(id);
    if (grabbed == one->replay.handle)
        fputs("ok", stdout);
    else if (grabbed == GZ_HANDLE_NONE)
        fputs("none", stdout);
    else
        printf("wrong:%s", gz_vocabulary_word(&gz_handle_words, (int)grabbed));
    fputs("\",\"r\":[", stdout);
    put_rows(one);
    fputs("]}\n", stdout);
}

/* Answers one line; `client` NULL is in-process. */
static enum gz_status answer(struct gz_client *client, const char *line, size_t size,
                             struct gz_error *error)
{
    struct solve_case one;
    enum gz_handle grabbed = GZ_HANDLE_NONE;
    enum gz_status status = solve_case_read(&one, line, size, error);
    if (status == GZ_OK && client != NULL) status = solve_live(client, &one, &grabbed, error);
    if (status == GZ_OK && client == NULL) grabbed = gz_replay_run(&one.replay, one.rows).grabbed;
    if (status == GZ_OK) put_answer(&one, grabbed);
    solve_case_finish(&one);
    return status;
}

static void put_fault(const struct ctl_args *args, size_t number, const struct gz_error *error)
{
    struct gz_error named;
    (void)gz_fail(&named, error->status, "line %zu: %s", number, error->message);
    (void)ctl_fail(args, &named);
}

static enum ctl_exit answer_all(const struct ctl_args *args, struct gz_client *client)
{
    char *line = NULL;
    size_t room = 0, number = 0;
    enum ctl_exit result = CTL_OK;
    for (ssize_t size; !ctl_is_left_alone() && (size = getline(&line, &room, stdin)) >= 0;) {
        struct gz_error error = {0};
        number++;
        if (size > 0 && line[size - 1] == '\n') size--;
        if (answer(client, line, (size_t)size, &error) == GZ_OK) continue;
        put_fault(args, number, &error);
        result = CTL_FAILED;
    }
    free(line);
    return result;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    struct gz_client *client = NULL;
    const struct gz_arg *scene = ctl_get(args, "--scene"), *server = ctl_get(args, "--server");
    struct gz_error error = {0};
    struct gz_client_options join = {
        .url = server->text,
        .scene = scene->given ? scene->text : SCENE_DEFAULT,
        .user = args->user,
        .token = args->token,
        .ca = args->ca,
        .headers = args->headers,
        .create = true,
    };
    if (server->given && gz_client_create(&client, &join, &error) != GZ_OK)
        return ctl_fail(args, &error);
    if (client != NULL && gz_client_await(client, 0, CTL_ANSWER_SECONDS, &error) != GZ_OK) {
        gz_client_destroy(client);
        return ctl_fail(args, &error);
    }
    enum ctl_exit result = answer_all(args, client);
    gz_client_destroy(client);
    enum ctl_exit written = ctl_finish_output(args);
    return result == CTL_OK ? written : result;
}

const struct ctl_command ctl_solve = {
    .usage.name = "solve",
    .usage.operands = "",
    .usage.summary =
        "Reads drags as JSON lines from stdin, and prints the positions of the object for each.",
    .usage.notes =
        "A drag: id, tool, handle, space, variant (arcball: shoemake bell chen exact shoemake_1x), "
        "view[16], proj[16], viewport[w,h], object {position, rotation, scale}, gizmo {px, "
        "ball[cx,cy,r]}, start[x,y], path[[x,y],...].\n\nThe answer: id; grab, the result of "
        "picking at the start (ok, wrong:HANDLE or none; the named handle is dragged in any case); "
        "r, one row [px,py,pz,qx,qy,qz,qw,sx,sy,sz] per point of the path. If a point has no "
        "solution, its row repeats the values before it.\n\nIf a line cannot be read, an error on "
        "stderr names the line and the field, the other lines are still answered, and the exit "
        "code is 1.",
    .usage.options = options,
    .run = run,
};
