/* drag.c - `gizmoctl drag`: drags a node by a handle, as a person with a mouse does. */
#include "ctl.h"

#define STEPS_DEFAULT 20
#define STEPS_MAX 1000000
#define HZ_DEFAULT 60.0
#define FOVY_DEFAULT 60.0
#define PI 3.14159265358979323846

static const struct gz_arg_option options[] = {
    {"--node", GZ_ARG_TEXT, "NODE", .help = "the node to drag, by name or id"},
    {"--handle", GZ_ARG_WORD, "HANDLE", .terms = &gz_handle_words,
     .help = "tx ty tz txy tyz tzx tv, rx ry rz rv rb, sx sy sz sxy syz szx su, b[xyz][np], "
             "b[np][np][np]"},
    {"--from", GZ_ARG_NUMBERS, "X,Y", .count = 2,
     .help = "where to press the pointer, in pixels from the top left"},
    {"--to", GZ_ARG_NUMBERS, "X,Y", .count = 2, .help = "where to release the pointer"},
    {"--value", GZ_ARG_PAIR, "V[,V]",
     .help = "drag by exactly this many metres or degrees, or by this factor; replaces --from and "
             "--to"},
    {"--steps", GZ_ARG_INTEGER, "N", .max = STEPS_MAX,
     .help = "number of pointer moves on the straight line (20)"},
    {"--hz", GZ_ARG_NUMBERS, "N", .count = 1,
     .help = "pointer moves per second (60); 0 for no pauses"},
    {"--camera", GZ_ARG_TEXT, "FILE.json", .help = "the view: a camera message as JSON"},
    {"--look", GZ_ARG_POINTS, "EYE TARGET",
     .help = "the view from point EYE to point TARGET, each X,Y,Z, with +Y up"},
    {"--fovy", GZ_ARG_NUMBERS, "DEGREES", .count = 1,
     .help = "vertical field of view of --look (60)"},
    {"--viewport", GZ_ARG_TEXT, "WxH", .help = "size of the view of --look, in pixels (1920x1080)"},
    {"--space", GZ_ARG_WORD, "SPACE", .terms = &gz_space_words,
     .help = "axes of the handle: world (default) local parent view"},
    {"--key", GZ_ARG_TEXT, "KEY",
     .help = "key of the edit: a repeated key gives the first answer and edits nothing"},
    {0},
};

/* ---- the view ---- */

static bool read_viewport(const struct ctl_args *args, double *width, double *height)
{
    const struct gz_arg *value = ctl_get(args, "--viewport");
    *width = 1920;
    *height = 1080;
    if (!value->given) return true;
    char rest;
    return sscanf(value->text, "%lfx%lf%c", width, height, &rest) == 2 && *width >= 1 &&
           *height >= 1 && *width <= 1e6 && *height <= 1e6;
}

/* From the front, right and above, at 2.5 times the diagonal of the node's bounds, or at 5 m. */
static void look_at_node(const struct gz_mirror *mirror, uint64_t id, gz_vec3 *eye, gz_vec3 *target)
{
    const struct gz_mirror_node *node = gz_mirror_find(mirror, id);
    gz_affine world = gz_affine_identity;
    double distance = 5;
    gz_mirror_world(mirror, id, &world);
    if (node != NULL && node->has_bounds) {
        gz_box box = gz_box_transform(&node->bounds, &world);
        double size = gz_length(gz_sub(box.max, box.min));
        if (size > 0) distance = 2.5 * size;
    }
    *target = world.origin;
    *eye = gz_add(world.origin, gz_scale((gz_vec3){0.4, 0.4, 0.8}, distance));
}

static enum gz_status make_camera(const struct ctl_args *args, const struct gz_mirror *mirror,
                                  uint64_t id, struct gz_camera_message *camera,
                                  struct gz_error *error)
{
    const struct gz_arg *file = ctl_get(args, "--camera"), *look = ctl_get(args, "--look"),
                        *fovy = ctl_get(args, "--fovy");
    if (file->given) return ctl_camera_load(file->text, camera, error);
    double width, height;
    gz_vec3 eye = {look->numbers[0], look->numbers[1], look->numbers[2]};
    gz_vec3 target = {look->numbers[3], look->numbers[4], look->numbers[5]};
    if (!look->given) look_at_node(mirror, id, &eye, &target);
    read_viewport(args, &width, &height);
    ctl_camera_look(eye, target, fovy->given ? fovy->numbers[0] : FOVY_DEFAULT, width, height,
                    camera);
    return GZ_OK;
}

/* ---- the value ---- */

/* The value of --value in the protocol's units; without a number if it was not given. */
static struct gz_value typed_value(const struct ctl_args *args)
{
    const struct gz_arg *said = ctl_get(args, "--value");
    struct gz_value value = {{said->numbers[0], said->numbers[1]}, (uint32_t)said->count};
    bool turns = gz_handle_kind((enum gz_handle)ctl_get(args, "--handle")->word) == GZ_EDIT_ROTATE;
    if (turns) value.numbers[0] = value.numbers[0] * PI / 180;
    return value;
}

/* ---- the pointer ---- */

/* Moves a second: as --hz says, within the server's limit; 0, without pauses, if all of them fit
 * into a burst. */
static double pace_of(const struct ctl_args *args, const struct gz_client *client, uint64_t steps)
{
    const struct gz_arg *asked = ctl_get(args, "--hz");
    double hz = asked->given ? asked->numbers[0] : HZ_DEFAULT;
    double limit = (double)gz_client_welcome(client)->messages_per_s;
    if (hz <= 0 && 2 * (double)steps < limit) return 0;
    return hz <= 0 || hz > 0.9 * limit ? 0.9 * limit : hz;
}

static enum gz_status press(const struct ctl_args *args, struct gz_client *client, uint64_t id,
                            struct gz_error *error)
{
    const struct gz_arg *space = ctl_get(args, "--space"), *from = ctl_get(args, "--from");
    struct gz_message camera = {.op = GZ_OP_CAMERA};
    struct gz_message tool = {
        .op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_SPACE, .tool.space = (enum gz_space)space->word};
    struct gz_message grab = {.op = GZ_OP_GRAB, .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_N};
    grab.has |= ctl_get(args, "--value")->given ? GZ_HAS_POINTER_VALUE : GZ_HAS_POINTER_AT;
    grab.pointer = (struct gz_pointer_message){
        .phase = GZ_PHASE_DOWN,
        .at = {from->numbers[0], from->numbers[1]},
        .handle = (enum gz_handle)ctl_get(args, "--handle")->word,
        .nodes = {&id, 1},
        .value = typed_value(args),
    };
    enum gz_status status = make_camera(args, gz_client_mirror(client), id, &camera.camera, error);
    if (status == GZ_OK)
        status = gz_client_request(client, &camera, CTL_ANSWER_SECONDS, NULL, error);
    if (status == GZ_OK) status = gz_client_request(client, &tool, CTL_ANSWER_SECONDS, NULL, error);
    if (status == GZ_OK) status = gz_client_request(client, &grab, CTL_ANSWER_SECONDS, NULL, error);
    return status;
}

static struct gz_message pointer_at(const struct ctl_args *args, enum gz_phase phase, double part,
                                    uint64_t n)
{
    const double *from = ctl_get(args, "--from")->numbers, *to = ctl_get(args, "--to")->numbers;
    struct gz_message message = {.op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_AT | GZ_HAS_POINTER_N};
    message.pointer.phase = phase;
    message.pointer.n = n;
    /* The end is exact, without rounding errors. */
    for (int i = 0; i < 2; i++)
        message.pointer.at[i] = part < 1 ? from[i] + part * (to[i] - from[i]) : to[i];
    return message;
}

static enum gz_status move(const struct ctl_args *args, struct gz_client *client,
                           struct gz_error *error)
{
    const struct gz_arg *count = ctl_get(args, "--steps");
    uint64_t steps = count->given ? count->integer : STEPS_DEFAULT;
    double hz = pace_of(args, client, steps), due = ctl_now();
    for (uint64_t i = 1; i <= steps; i++) {
        struct gz_message message = pointer_at(args, GZ_PHASE_MOVE, (double)i / (double)steps, i);
        enum gz_status status = gz_client_send(client, &message, NULL, error);
        if (status == GZ_OK) status = gz_client_flush(client, CTL_ANSWER_SECONDS, error);
        if (status != GZ_OK) return status;
        if (hz > 0) ctl_wait_until(client, due += 1 / hz);
    }
    return GZ_OK;
}

/* ---- the command ---- */

static void print_done(const struct ctl_args *args, const struct gz_mirror *mirror,
                       const struct gz_node_state *before, const struct gz_message *done)
{
    if (args->json) {
        ctl_put_json(stdout, ctl_json_done(done));
        return;
    }
    const struct gz_mirror_node *now = gz_mirror_find(mirror, before->id);
    const struct gz_arg *handle = ctl_get(args, "--handle");
    struct gz_value value = typed_value(args);
    char typed[CTL_TYPED_BYTES];
    ctl_typed((enum gz_handle)handle->word, &value, typed);
    ctl_put_node(stdout, mirror, before->id);
    printf("  %s%s%s  ", handle->text, typed[0] != '\0' ? " " : "", typed);
    if (now != NULL && (done->has & GZ_HAS_OK_EDIT)) {
        struct gz_node_state after = ctl_node_state(now);
        ctl_put_change(stdout, mirror, before, &after);
        fputs("  ", stdout);
    }
    ctl_put_done(stdout, done);
}

static enum gz_status drag(const struct ctl_args *args, struct gz_client *client,
                           struct gz_error *error)
{
    const struct gz_mirror *mirror = gz_client_mirror(client);
    uint64_t id;
    enum gz_status status = ctl_find_node(mirror, ctl_get(args, "--node")->text, &id, error);
    if (status != GZ_OK) return status;
    struct gz_node_state before = ctl_node_state(gz_mirror_find(mirror, id));
    before.has &= GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S;
    const struct gz_arg *steps = ctl_get(args, "--steps");
    struct gz_message done;
    struct gz_message up =
        pointer_at(args, GZ_PHASE_UP, 1, (steps->given ? steps->integer : STEPS_DEFAULT) + 1);
    bool typed = ctl_get(args, "--value")->given;
    if (typed) up.has = 0;
    status = press(args, client, id, error);
    if (status == GZ_OK && !typed) status = move(args, client, error);
    if (status == GZ_OK) status = ctl_request_edit(args, client, &up, &done, error);
    if (status == GZ_OK) print_done(args, mirror, &before, &done);
    return status;
}

/* The options are those of a pointer's path, or those of a value. */
static enum ctl_exit check_way(const struct ctl_args *args)
{
    static const char *const needed[] = {"--node", "--handle", "--from", "--to"};
    static const char *const of_pointer[] = {"--from", "--to", "--steps", "--hz"};
    bool typed = ctl_get(args, "--value")->given;
    for (size_t i = 0; i < (typed ? 2 : 4); i++)
        if (!ctl_get(args, needed[i])->given) return ctl_usage(args, "%s is missing", needed[i]);
    for (size_t i = 0; i < 4; i++)
        if (typed && ctl_get(args, of_pointer[i])->given)
            return ctl_usage(args, "--value and %s: give only one of them", of_pointer[i]);
    return CTL_OK;
}

static enum ctl_exit check(const struct ctl_args *args)
{
    enum ctl_exit way = check_way(args);
    if (way != CTL_OK) return way;
    const struct gz_arg *look = ctl_get(args, "--look"), *file = ctl_get(args, "--camera"),
                        *fovy = ctl_get(args, "--fovy"), *hz = ctl_get(args, "--hz");
    double width, height;
    struct gz_camera_message camera;
    if (look->given && file->given)
        return ctl_usage(args, "--camera and --look: give only one of them");
    if (file->given && (fovy->given || ctl_get(args, "--viewport")->given))
        return ctl_usage(args,
                         "--fovy and --viewport cannot be used with --camera, which has its own");
    if (!read_viewport(args, &width, &height))
        return ctl_usage(args, "--viewport: \"%s\" is not WxH in pixels, such as 1920x1080",
                         ctl_get(args, "--viewport")->text);
    if (fovy->given && !(fovy->numbers[0] > 0 && fovy->numbers[0] < 180))
        return ctl_usage(args, "--fovy: %g is not between 0 and 180", fovy->numbers[0]);
    if (hz->given && !(hz->numbers[0] >= 0))
        return ctl_usage(args, "--hz: %g is below 0", hz->numbers[0]);
    gz_vec3 eye = {look->numbers[0], look->numbers[1], look->numbers[2]};
    gz_vec3 target = {look->numbers[3], look->numbers[4], look->numbers[5]};
    if (look->given && !ctl_camera_look(eye, target, FOVY_DEFAULT, 1, 1, &camera))
        return ctl_usage(args, "--look: EYE and TARGET are the same point");
    return CTL_OK;
}

static enum ctl_exit run(const struct ctl_args *args)
{
    enum ctl_exit result = check(args);
    struct gz_client *client;
    if (result == CTL_OK) result = ctl_join(args, GZ_ROLE_EDITOR, &client);
    if (result != CTL_OK) return result;
    struct gz_error error = {0};
    enum gz_status status = drag(args, client, &error);
    gz_client_destroy(client);
    return status == GZ_OK ? ctl_finish_output(args) : ctl_fail(args, &error);
}

const struct ctl_command ctl_drag = {
    .usage.name = "drag",
    .usage.operands = "SCENE",
    .usage.summary =
        "Drags a node by a handle, as with a mouse, and waits until the edit is on disk.",
    .usage.notes =
        "The named handle is grabbed wherever --from is. Without --camera or --look, the view is "
        "from the front, right and above the node. A drag that ends where it began changes nothing "
        "and makes no edit.\n\n--value gives the length of the drag in numbers: metres along the "
        "axis of the handle, or two for tv and planes, one along each axis (tzx: z,x; tv: "
        "right,up); degrees about rx ry rz rv, as in set --euler; a factor for scale handles. The "
        "history records the numbers.",
    .usage.options = options,
    .run = run,
};
