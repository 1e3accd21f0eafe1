/* camera.c - reads a camera from a JSON file, or makes one from an eye and a target. */
#include <string.h>

#include "ctl.h"

#define RADIANS (3.14159265358979323846 / 180)
#define NEAR_M 0.1

static enum gz_status read_camera(const json_t *json, struct gz_camera_message *camera,
                                  struct gz_error *error)
{
    *camera = (struct gz_camera_message){0};
    if (!json_is_object(json)) return gz_fail(error, GZ_BAD_VALUE, "not a JSON object");
    enum gz_status status = ctl_json_read_numbers(json, "view", camera->view, 16, error);
    if (status == GZ_OK) status = ctl_json_read_numbers(json, "proj", camera->proj, 16, error);
    if (status == GZ_OK)
        status = ctl_json_read_numbers(json, "viewport", camera->viewport, 4, error);
    if (status != GZ_OK) return status;
    const json_t *up = json_object_get(json, "ndc_y"), *left = json_object_get(json, "left_handed");
    const char *word = up != NULL ? json_string_value(up) : "up";
    if (word == NULL || (strcmp(word, "up") != 0 && strcmp(word, "down") != 0))
        return gz_fail(error, GZ_BAD_VALUE, "ndc_y: must be \"up\" or \"down\"");
    if (left != NULL && !json_is_boolean(left))
        return gz_fail(error, GZ_BAD_VALUE, "left_handed: must be true or false");
    camera->ndc_y_down = strcmp(word, "down") == 0;
    camera->left_handed = json_is_true(left);
    return GZ_OK;
}

enum gz_status ctl_camera_load(const char *path, struct gz_camera_message *camera,
                               struct gz_error *error)
{
    json_error_t where;
    json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    if (json == NULL) {
        if (where.line > 0)
            return gz_fail(error, GZ_BAD_VALUE, "%s: line %d: %s", path, where.line, where.text);
        return gz_fail(error, GZ_BAD_VALUE, "%s", where.text);
    }
    struct gz_error inner = {0};
    enum gz_status status = read_camera(json, camera, &inner);
    json_decref(json);
    return status == GZ_OK ? GZ_OK : gz_fail(error, status, "%s: %s", path, inner.message);
}

bool ctl_camera_look(gz_vec3 eye, gz_vec3 target, double fovy_degrees, double width, double height,
                     struct gz_camera_message *camera)
{
    gz_vec3 back, right;
    if (!gz_normalize(gz_sub(eye, target), &back)) return false;
    if (!gz_normalize(gz_cross((gz_vec3){0, 1, 0}, back), &right))
        right = (gz_vec3){1, 0, 0}; /* straight up or down */
    gz_vec3 up = gz_cross(back, right);
    double f = 1 / tan(fovy_degrees * RADIANS / 2);
    *camera = (struct gz_camera_message){
        .view = {right.x, up.x, back.x, 0, right.y, up.y, back.y, 0, right.z, up.z, back.z, 0,
                 -gz_dot(right, eye), -gz_dot(up, eye), -gz_dot(back, eye), 1},
        .proj = {f * height / width, 0, 0, 0, 0, f, 0, 0, 0, 0, -1, -1, 0, 0, -2 * NEAR_M, 0},
        .viewport = {0, 0, width, height},
    };
    return true;
}
