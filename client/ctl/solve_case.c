/* solve_case.c - reads one drag for `gizmoctl solve` from a line of JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve.h"

static enum gz_status read_word(const json_t *json, const char *field, const char **word,
                                struct gz_error *error)
{
    const json_t *value = json_object_get(json, field);
    *word = json_string_value(value);
    if (value == NULL) return gz_fail(error, GZ_BAD_VALUE, "%s: missing", field);
    return *word != NULL ? GZ_OK : gz_fail(error, GZ_BAD_VALUE, "%s: must be a string", field);
}

/* [w, h] from 0, or [x, y, w, h] as on the wire. */
static enum gz_status read_viewport(const json_t *json, double *viewport, struct gz_error *error)
{
    if (json_array_size(json_object_get(json, "viewport")) != 2)
        return ctl_json_read_numbers(json, "viewport", viewport, 4, error);
    viewport[0] = viewport[1] = 0;
    return ctl_json_read_numbers(json, "viewport", viewport + 2, 2, error);
}

static enum gz_status read_view(const json_t *json, struct gz_camera_input *camera,
                                struct gz_error *error)
{
    enum gz_status status = ctl_json_read_numbers(json, "view", camera->view, 16, error);
    if (status == GZ_OK) status = ctl_json_read_numbers(json, "proj", camera->proj, 16, error);
    if (status == GZ_OK) status = read_viewport(json, camera->viewport, error);
    return status;
}

/* Prefixes the name of the object that the field is in. */
static enum gz_status within(const char *object, enum gz_status status,
                             const struct gz_error *inner, struct gz_error *error)
{
    return status == GZ_OK ? GZ_OK : gz_fail(error, status, "%s.%s", object, inner->message);
}

static enum gz_status read_object(const json_t *json, gz_trs *trs, struct gz_error *error)
{
    const json_t *object = json_object_get(json, "object");
    if (!json_is_object(object)) return gz_fail(error, GZ_BAD_VALUE, "object: must be an object");
    struct gz_error inner = {0};
    double r[4] = {0};
    enum gz_status status = ctl_json_read_numbers(object, "position", &trs->t.x, 3, &inner);
    if (status == GZ_OK) status = ctl_json_read_numbers(object, "rotation", r, 4, &inner);
    if (status == GZ_OK) status = ctl_json_read_numbers(object, "scale", &trs->s.x, 3, &inner);
    if (status == GZ_OK && !gz_quat_normalize((gz_quat){r[0], r[1], r[2], r[3]}, &trs->r))
        status = gz_fail(&inner, GZ_BAD_VALUE, "rotation: must not be zero");
    return within("object", status, &inner, error);
}

static enum gz_status read_gizmo(const json_t *json, struct gz_replay_case *replay,
                                 struct gz_error *error)
{
    const json_t *gizmo = json_object_get(json, "gizmo");
    if (!json_is_object(gizmo)) return gz_fail(error, GZ_BAD_VALUE, "gizmo: must be an object");
    const json_t *px = json_object_get(gizmo, "px");
    replay->gizmo_px = json_number_value(px);
    if (!(replay->gizmo_px > 0) || !isfinite(replay->gizmo_px))
        return gz_fail(error, GZ_BAD_VALUE, "gizmo.px: must be a number above 0");
    if (json_object_get(gizmo, "ball") == NULL) return GZ_OK;
    struct gz_error inner = {0};
    enum gz_status status = ctl_json_read_numbers(gizmo, "ball", replay->ball_circle, 3, &inner);
    if (status == GZ_OK && !(replay->ball_circle[2] > 0))
        status = gz_fail(&inner, GZ_BAD_VALUE, "ball[2]: the radius must be above 0");
    return within("gizmo", status, &inner, error);
}

static enum gz_status read_tool(const json_t *json, struct gz_replay_case *replay,
                                struct gz_error *error)
{
    const char *tool, *handle, *space;
    enum gz_status status = read_word(json, "tool", &tool, error);
    if (status == GZ_OK) status = read_word(json, "handle", &handle, error);
    if (status == GZ_OK) status = read_word(json, "space", &space, error);
    if (status != GZ_OK) return status;
    replay->handle = gz_replay_handle(tool, handle);
    if (strcmp(tool, "bounds") == 0 || replay->handle >= GZ_BXN)
        return gz_fail(error, GZ_BAD_VALUE,
                       "handle: \"%s\" is a side of bounds, and a drag here has none", handle);
    if (replay->handle == GZ_HANDLE_NONE)
        return gz_fail(error, GZ_BAD_VALUE, "handle: \"%s\" is not a handle of the tool \"%s\"",
                       handle, tool);
    int value = gz_vocabulary_value(&gz_space_words, space, strlen(space));
    if (value < 0)
        return gz_fail(error, GZ_BAD_VALUE, "space: \"%s\" is not one of world local parent view",
                       space);
    replay->space = (enum gz_space)value;
    const json_t *variant = json_object_get(json, "variant");
    if (variant != NULL && !json_is_string(variant))
        return gz_fail(error, GZ_BAD_VALUE, "variant: must be a string");
    if (!gz_replay_ball(json_string_value(variant), &replay->ball))
        return gz_fail(error, GZ_BAD_VALUE,
                       "variant: \"%s\" is not one of shoemake bell chen exact shoemake_1x",
                       json_string_value(variant));
    return GZ_OK;
}

static bool read_point(const json_t *point, double *at)
{
    if (json_array_size(point) != 2) return false;
    for (size_t i = 0; i < 2; i++) {
        at[i] = json_number_value(json_array_get(point, i));
        if (!json_is_number(json_array_get(point, i)) || !isfinite(at[i])) return false;
    }
    return true;
}

static enum gz_status read_path(const json_t *json, struct solve_case *one, struct gz_error *error)
{
    const json_t *path = json_object_get(json, "path");
    if (!json_is_array(path)) return gz_fail(error, GZ_BAD_VALUE, "path: must be a list");
    size_t count = json_array_size(path);
    one->path = calloc(count + 1, sizeof *one->path);
    one->rows = calloc(count + 1, sizeof *one->rows);
    if (one->path == NULL || one->rows == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory");
    for (size_t i = 0; i < count; i++)
        if (!read_point(json_array_get(path, i), one->path[i]))
            return gz_fail(error, GZ_BAD_VALUE, "path[%zu]: must be two finite numbers", i);
    one->replay.path = (const double(*)[2])one->path;
    one->replay.path_count = count;
    return GZ_OK;
}

static enum gz_status read_fields(const json_t *json, struct solve_case *one,
                                  struct gz_error *error)
{
    if (!json_is_object(json)) return gz_fail(error, GZ_BAD_VALUE, "not a JSON object");
    one->id = json_incref(json_object_get(json, "id"));
    if (one->id == NULL) return gz_fail(error, GZ_BAD_VALUE, "id: missing");
    enum gz_status status = read_tool(json, &one->replay, error);
    if (status == GZ_OK) status = read_view(json, &one->replay.camera, error);
    if (status == GZ_OK) status = read_object(json, &one->replay.object, error);
    if (status == GZ_OK) status = read_gizmo(json, &one->replay, error);
    if (status == GZ_OK) status = ctl_json_read_numbers(json, "start", one->replay.start, 2, error);
    return status == GZ_OK ? read_path(json, one, error) : status;
}

enum gz_status solve_case_read(struct solve_case *one, const char *line, size_t size,
                               struct gz_error *error)
{
    *one = (struct solve_case){0};
    json_error_t where;
    json_t *json = json_loadb(line, size, JSON_REJECT_DUPLICATES, &where);
    if (json == NULL)
        return gz_fail(error, GZ_BAD_VALUE, "column %d: %s", where.column, where.text);
    enum gz_status status = read_fields(json, one, error);
    json_decref(json);
    return status;
}

void solve_case_finish(struct solve_case *one)
{
    json_decref(one->id);
    free(one->path);
    free(one->rows);
}
