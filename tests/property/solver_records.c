/* solver_records.c - reads recorded drags and their exact answers. See solver_records.h. */
#include "property/solver_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gzFile open_in(const char *directory, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return gzopen(path, "rb");
}

bool records_open(struct records *records, const char *directory)
{
    *records = (struct records){.cases = open_in(directory, "cases.jsonl.gz"),
                                .answers = open_in(directory, "answers.jsonl.gz")};
    return records->cases != NULL && records->answers != NULL;
}

void records_close(struct records *records)
{
    json_decref(records->one);
    json_decref(records->answer);
    if (records->cases != NULL) gzclose(records->cases);
    if (records->answers != NULL) gzclose(records->answers);
}

static void broken(const char *what)
{
    fprintf(stderr, "recorded drags: %s\n", what);
    exit(1);
}

static json_t *next_line(struct records *records, gzFile file)
{
    if (gzgets(file, records->line, sizeof records->line) == NULL) return NULL;
    json_t *value = json_loads(records->line, 0, NULL);
    if (value == NULL) broken("a line is no JSON");
    return value;
}

static void read_numbers(const json_t *array, double *numbers, size_t count)
{
    if (json_array_size(array) != count) broken("a list has another length");
    for (size_t i = 0; i < count; i++) numbers[i] = json_number_value(json_array_get(array, i));
}

static void read_object(const json_t *object, gz_trs *trs)
{
    double t[3], r[4], s[3];
    read_numbers(json_object_get(object, "position"), t, 3);
    read_numbers(json_object_get(object, "rotation"), r, 4);
    read_numbers(json_object_get(object, "scale"), s, 3);
    *trs = (gz_trs){{t[0], t[1], t[2]}, {r[0], r[1], r[2], r[3]}, {s[0], s[1], s[2]}};
}

static void read_path(const json_t *one, const json_t *answer, struct record *record)
{
    const json_t *path = json_object_get(one, "path"), *rows = json_object_get(answer, "r");
    size_t count = json_array_size(path);
    if (count > RECORD_POINTS_MAX || json_array_size(rows) != count)
        broken("a path has another length");
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(rows, i);
        read_numbers(json_array_get(path, i), record->path[i], 2);
        record->has_row[i] = !json_is_null(row);
        if (record->has_row[i]) read_numbers(row, record->rows[i], GZ_REPLAY_ROW);
    }
    record->replay.path = (const double(*)[2])record->path;
    record->replay.path_count = count;
}

static void read_camera(const json_t *one, struct gz_camera_input *camera)
{
    read_numbers(json_object_get(one, "view"), camera->view, 16);
    read_numbers(json_object_get(one, "proj"), camera->proj, 16);
    read_numbers(json_object_get(one, "viewport"), camera->viewport + 2, 2);
}

bool records_next(struct records *records, struct record *record)
{
    json_decref(records->one);
    json_decref(records->answer);
    records->one = next_line(records, records->cases);
    records->answer = next_line(records, records->answers);
    const json_t *one = records->one;
    if (one == NULL || records->answer == NULL) return false;
    memset(record, 0, sizeof *record);
    struct gz_replay_case *replay = &record->replay;
    const json_t *gizmo = json_object_get(one, "gizmo"), *ball = json_object_get(gizmo, "ball");
    record->id = (int)json_integer_value(json_object_get(one, "id"));
    record->duplicate = (int)json_integer_value(json_object_get(one, "dup"));
    snprintf(record->kind, sizeof record->kind, "%s",
             json_string_value(json_object_get(one, "cls")));
    snprintf(record->tool, sizeof record->tool, "%s",
             json_string_value(json_object_get(one, "tool")));
    read_camera(one, &replay->camera);
    read_object(json_object_get(one, "object"), &replay->object);
    replay->handle =
        gz_replay_handle(record->tool, json_string_value(json_object_get(one, "handle")));
    bool local = strcmp(json_string_value(json_object_get(one, "space")), "local") == 0;
    replay->space = local ? GZ_SPACE_LOCAL : GZ_SPACE_WORLD;
    if (!gz_replay_ball(json_string_value(json_object_get(one, "variant")), &replay->ball))
        broken("an unknown ball");
    replay->gizmo_px = json_number_value(json_object_get(gizmo, "px"));
    if (ball != NULL) read_numbers(ball, replay->ball_circle, 3);
    read_numbers(json_object_get(one, "start"), replay->start, 2);
    read_path(one, records->answer, record);
    return true;
}
