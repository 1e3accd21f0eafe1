/* history --svg: where a node was, and who had it there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "picture.h"

struct drawing {
    struct gz_path_point *path;
    size_t path_count, path_capacity;
    struct ctl_picture_edit *edits;
    size_t edit_count, edit_capacity;
    struct ctl_picture_point *points;
    size_t point_count, left_out;
};

static enum gz_status fail_memory(struct gz_error *error)
{
    return gz_fail(error, GZ_NO_MEMORY, "no memory for the path");
}

static void finish(struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->edit_count; i++) {
        free(drawing->edits[i].user);
        free(drawing->edits[i].words);
    }
    free(drawing->edits);
    free(drawing->path);
    free(drawing->points);
}

/* ---- asking ---- */

static enum gz_status take_points(struct drawing *drawing, const struct gz_ok *ok, struct gz_error *error)
{
    if (!gz_grow(&drawing->path, &drawing->path_capacity, drawing->path_count + ok->path_count, sizeof *drawing->path))
        return fail_memory(error);
    for (size_t i = 0; i < ok->path_count; i++) drawing->path[drawing->path_count++] = ok->path[i];
    return GZ_OK;
}

static enum gz_status take_edits(struct drawing *drawing, const struct gz_ok *ok, struct gz_error *error)
{
    if (!gz_grow(&drawing->edits, &drawing->edit_capacity, drawing->edit_count + ok->edit_count,
                 sizeof *drawing->edits))
        return fail_memory(error);
    for (size_t i = 0; i < ok->edit_count; i++) {
        const struct gz_edit_message *said = &ok->edits[i];
        struct ctl_picture_edit *edit = &drawing->edits[drawing->edit_count++];
        char words[CTL_EDIT_BYTES];
        ctl_edit_words(said, words);
        *edit = (struct ctl_picture_edit){said->id, strndup(said->user.bytes, said->user.size), strdup(words)};
        if (edit->user == NULL || edit->words == NULL) return fail_memory(error);
    }
    return GZ_OK;
}

/* All parts of an answer. */
static enum gz_status ask(struct gz_client *client, struct gz_message *question, struct drawing *drawing,
                          enum gz_status (*take)(struct drawing *, const struct gz_ok *, struct gz_error *),
                          struct gz_error *error)
{
    uint64_t rid;
    enum gz_status status = gz_client_send(client, question, &rid, error);
    for (bool more = true; status == GZ_OK && more;) {
        const struct gz_message *answer;
        status = gz_client_answer(client, rid, CTL_ANSWER_SECONDS, &answer, error);
        if (status != GZ_OK) break;
        more = answer->ok.more;
        status = take(drawing, &answer->ok, error);
    }
    return status;
}

static enum gz_status ask_path(struct gz_client *client, const struct gz_history *which, uint64_t has,
                               struct drawing *drawing, struct gz_error *error)
{
    struct gz_message question = {.op = GZ_OP_PATH, .has = has};
    question.path = (struct gz_path){.node = which->node, .since = which->since, .before = which->before};
    for (size_t before = 0;; before = drawing->path_count) {
        enum gz_status status = ask(client, &question, drawing, take_points, error);
        if (status != GZ_OK || drawing->path_count - before < GZ_PATH_POINTS_MAX) return status;
        question.has = has | GZ_HAS(SINCE);
        question.path.since = drawing->path[drawing->path_count - 1].time;
    }
}

/* The newest of them; others have their places but no names. */
static enum gz_status ask_edits(struct gz_client *client, const struct gz_history *which, uint64_t has,
                                struct drawing *drawing, struct gz_error *error)
{
    struct gz_message question = {.op = GZ_OP_HISTORY, .has = has | GZ_HAS(NODE), .history = *which};
    return ask(client, &question, drawing, take_edits, error);
}

/* ---- placing ---- */

/* In the world by where the parents stand now. */
static enum gz_status place(const struct gz_mirror *mirror, struct drawing *drawing, struct gz_error *error)
{
    drawing->points = calloc(drawing->path_count + 1, sizeof *drawing->points);
    if (drawing->points == NULL) return fail_memory(error);
    for (size_t i = 0; i < drawing->path_count; i++) {
        const struct gz_path_point *from = &drawing->path[i];
        gz_affine parent = gz_affine_identity;
        bool is_placed = from->parent == 0 || gz_mirror_world(mirror, from->parent, &parent);
        gz_vec3 at = gz_affine_apply(&parent, from->trs.t);
        if (is_placed && isfinite(at.x) && isfinite(at.y) && isfinite(at.z))
            drawing->points[drawing->point_count++] = (struct ctl_picture_point){at, from->time, from->edit};
        else
            drawing->left_out++;
    }
    return GZ_OK;
}

static bool handle_write(void *context, FILE *out)
{
    ctl_put_picture(out, context);
    return true;
}

static enum gz_status write_picture(const char *file, const char *title, const struct drawing *drawing,
                                    struct gz_error *error)
{
    struct ctl_picture picture = {.title = title,
                                  .points = drawing->points,
                                  .count = drawing->point_count,
                                  .edits = drawing->edits,
                                  .edit_count = drawing->edit_count,
                                  .left_out = drawing->left_out};
    return ctl_write_file(file, handle_write, &picture, error);
}

/* "Piston #12 in engine"; NULL without memory, for free(). */
static char *title_of(const struct gz_client *client, uint64_t node)
{
    char *title = NULL;
    size_t size;
    FILE *out = open_memstream(&title, &size);
    if (out == NULL) return NULL;
    const struct gz_text scene = gz_client_welcome(client)->scene;
    ctl_put_node(out, gz_client_mirror(client), node);
    fprintf(out, " in %.*s", (int)scene.size, scene.bytes);
    return fclose(out) == 0 ? title : NULL;
}

enum gz_status ctl_draw_path(struct gz_client *client, const struct gz_history *which, uint64_t has, const char *file,
                             struct gz_error *error)
{
    struct drawing drawing = {0};
    char *title = title_of(client, which->node);
    enum gz_status status = title != NULL ? ask_path(client, which, has, &drawing, error) : fail_memory(error);
    if (status == GZ_OK) status = ask_edits(client, which, has, &drawing, error);
    if (status == GZ_OK) status = place(gz_client_mirror(client), &drawing, error);
    if (status == GZ_OK && drawing.point_count == 0)
        status = gz_fail(error, GZ_BAD_VALUE, "the node was nowhere in that time: there is nothing to draw");
    if (status == GZ_OK) status = write_picture(file, title, &drawing, error);
    finish(&drawing);
    free(title);
    return status;
}
