/* packed.c - converts the packed form to `delta` and `presence`. See packed.h. */
#include "packed.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/limits.h"
#include "proto/packed.h"
#include "records.h"

/* Fewest bytes of a node in `moves`: [0, 1]. */
#define MOVE_BYTES_MIN 3

/* The received state of a session besides its record in `presence`. */
struct known {
    uint64_t has; /* of struct gz_person: SPOT, RAY (sent with the spot), POSE, VIEWPORT */
    double spot[2], pose[7], lens[5], viewport[4];
};

/* The nodes of a motion, as they were at its beginning. */
struct motion {
    uint64_t by;
    size_t count;
    struct start {
        uint64_t id;
        gz_trs trs;
    } nodes[];
};

struct gz_packed {
    gz_packed_place *place;
    const void *scene;
    bool has_delta; /* one came since the welcome: */
    uint64_t seq, saved, ms;
    struct motion *motions[GZ_MOTIONS_MAX]; /* by number minus 1; NULL: never received */
    struct gz_node_state *moved;            /* nodes of a delta */
    size_t moved_capacity;
    struct gz_people *people; /* the records, as they were handed out */
    struct gz_records known;
};

struct gz_packed *gz_packed_create(gz_packed_place *place, const void *scene)
{
    struct gz_packed *packed = calloc(1, sizeof *packed);
    if (packed == NULL) return NULL;
    packed->place = place;
    packed->scene = scene;
    packed->people = gz_people_create();
    if (packed->people != NULL) return packed;
    free(packed);
    return NULL;
}

static void forget_people(struct gz_packed *packed)
{
    gz_people_clear(packed->people);
    gz_records_clear(&packed->known);
}

static void forget_motions(struct gz_packed *packed)
{
    for (size_t i = 0; i < GZ_MOTIONS_MAX; i++) {
        free(packed->motions[i]);
        packed->motions[i] = NULL;
    }
}

void gz_packed_destroy(struct gz_packed *packed)
{
    if (packed == NULL) return;
    forget_people(packed);
    forget_motions(packed);
    free(packed->moved);
    gz_people_destroy(packed->people);
    free(packed);
}

size_t gz_packed_bytes_max(size_t frame_size)
{
    return gz_decode_bytes_max(frame_size) +
           frame_size / MOVE_BYTES_MIN * sizeof(struct gz_node_state);
}

/* ---- moves ---- */

static void follow_delta(struct gz_packed *packed, const struct gz_delta *delta)
{
    if (delta->from == 0) forget_motions(packed);
    packed->has_delta = true;
    packed->seq = delta->seq;
    packed->saved = delta->saved;
    packed->ms = (uint64_t)llround(delta->time * 1000);
}

static enum gz_status check_place(const struct gz_packed *packed, const struct gz_moves *moves,
                                  struct gz_error *error)
{
    if (!packed->has_delta || packed->seq % GZ_MOVES_FROM != moves->from)
        return gz_fail(error, GZ_CONFLICT,
                       "moves: it is from a seq with the remainder %" PRIu64
                       ", the scene here is at %" PRIu64,
                       moves->from, packed->seq);
    if (packed->seq + moves->step >= GZ_ID_LIMIT || moves->unsaved > packed->seq + moves->step)
        return gz_fail(error, GZ_BAD_VALUE, "moves: invalid seq");
    return GZ_OK;
}

#define AXES (GZ_HAS_MOVE_X | GZ_HAS_MOVE_Y | GZ_HAS_MOVE_Z)
static_assert(GZ_HAS_MOVE_R == GZ_HAS_STATE_R && GZ_HAS_MOVE_S == GZ_HAS_STATE_S &&
                  GZ_HAS_MOVE_BY == GZ_HAS_STATE_BY,
              "a move's bits are those of a state");

/* Converts a node; coordinates that were not sent are unchanged. */
static enum gz_status turn_node(const struct gz_packed *packed, const struct gz_move *move,
                                struct gz_node_state *state, struct gz_error *error)
{
    const gz_trs *before = packed->place(packed->scene, move->id);
    if (before == NULL)
        return gz_fail(error, GZ_CONFLICT, "moves: node %" PRIu64 " does not exist", move->id);
    *state = (struct gz_node_state){
        .has = move->has & ~(uint64_t)AXES, .id = move->id, .by = move->by, .trs = move->trs};
    if ((move->has & AXES) == 0) return GZ_OK;
    state->has |= GZ_HAS_STATE_T;
    if ((move->has & GZ_HAS_MOVE_X) == 0) state->trs.t.x = before->t.x;
    if ((move->has & GZ_HAS_MOVE_Y) == 0) state->trs.t.y = before->t.y;
    if ((move->has & GZ_HAS_MOVE_Z) == 0) state->trs.t.z = before->t.z;
    return GZ_OK;
}

static const struct motion *motion_of(const struct gz_packed *packed,
                                      const struct gz_motion_step *step)
{
    return step->motion <= GZ_MOTIONS_MAX ? packed->motions[step->motion - 1] : NULL;
}

static gz_rigid rigid_of(const struct gz_motion_step *step)
{
    gz_rigid rigid = gz_rigid_identity;
    if (step->has & GZ_HAS_STEP_TURN) rigid.turn = step->turn;
    if (step->has & GZ_HAS_STEP_SHIFT) rigid.shift = step->shift;
    rigid.in_place = (step->has & GZ_HAS_STEP_PIVOT) == 0;
    if (!rigid.in_place) rigid.pivot = step->pivot;
    return rigid;
}

/* Converts a step; skips nodes that were deleted meanwhile. Returns the number of nodes. */
static size_t turn_step(const struct gz_packed *packed, const struct gz_motion_step *step,
                        struct gz_node_state *states)
{
    const struct motion *motion = motion_of(packed, step);
    const gz_rigid rigid = rigid_of(step);
    size_t count = 0;
    for (size_t i = 0; i < motion->count; i++) {
        const struct start *start = &motion->nodes[i];
        struct gz_node_state *state = &states[count];
        *state = (struct gz_node_state){
            .has = GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_BY,
            .id = start->id,
            .by = motion->by,
            .trs = start->trs,
        };
        count +=
            packed->place(packed->scene, start->id) != NULL && gz_rigid_apply(&rigid, &state->trs);
    }
    return count;
}

/* The number of nodes in the moves, with those in motions. */
static enum gz_status count_nodes(const struct gz_packed *packed, const struct gz_moves *moves,
                                  size_t *count, struct gz_error *error)
{
    *count = moves->count;
    for (size_t i = 0; i < moves->step_count; i++) {
        const struct motion *motion = motion_of(packed, &moves->steps[i]);
        if (motion == NULL)
            return gz_fail(error, GZ_CONFLICT, "moves: motion %" PRIu64 " was never sent",
                           moves->steps[i].motion);
        *count += motion->count;
    }
    return GZ_OK;
}

/* Room for `count` nodes: outside of the frame's arena if motions make more of them than the arena
 * may hold. */
static struct gz_node_state *take_nodes(struct gz_packed *packed, struct gz_arena *arena,
                                        const struct gz_moves *moves, size_t count)
{
    if (moves->step_count == 0)
        return gz_arena_take(arena, count + 1, sizeof(struct gz_node_state));
    return gz_grow(&packed->moved, &packed->moved_capacity, count + 1, sizeof *packed->moved)
               ? packed->moved
               : NULL;
}

static enum gz_status turn_nodes(const struct gz_packed *packed, const struct gz_moves *moves,
                                 struct gz_node_state *states, size_t *count,
                                 struct gz_error *error)
{
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < moves->count && status == GZ_OK; i++)
        status = turn_node(packed, &moves->nodes[i], &states[i], error);
    *count = moves->count;
    for (size_t i = 0; i < moves->step_count && status == GZ_OK; i++)
        *count += turn_step(packed, &moves->steps[i], states + *count);
    return status;
}

static enum gz_status turn_moves(struct gz_packed *packed, struct gz_arena *arena,
                                 struct gz_message *message, struct gz_error *error)
{
    const struct gz_moves moves = message->moves;
    enum gz_status status = check_place(packed, &moves, error);
    if (status != GZ_OK) return status;
    size_t count;
    status = count_nodes(packed, &moves, &count, error);
    if (status != GZ_OK) return status;
    struct gz_node_state *nodes = take_nodes(packed, arena, &moves, count);
    if (nodes == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for the scene");
    status = turn_nodes(packed, &moves, nodes, &count, error);
    if (status != GZ_OK) return status;
    const uint64_t seq = packed->seq + moves.step;
    const bool saves = (message->has & GZ_HAS_MOVES_UNSAVED) != 0;
    *message = (struct gz_message){
        .op = GZ_OP_DELTA,
        .delta = {.from = packed->seq,
                  .seq = seq,
                  .saved = saves ? seq - moves.unsaved : packed->saved,
                  .time = (double)(packed->ms + moves.ms) / 1000,
                  .nodes = nodes,
                  .count = count,
                  .acks = moves.acks,
                  .ack_count = moves.ack_count},
    };
    follow_delta(packed, &message->delta);
    return GZ_OK;
}

/* ---- motion ---- */

static enum gz_status keep_nodes(const struct gz_packed *packed,
                                 const struct gz_motion_message *message, struct motion *motion,
                                 struct gz_error *error)
{
    const uint64_t place = AXES | GZ_HAS_MOVE_R;
    for (size_t i = 0; i < message->start_count; i++) {
        const struct gz_move *start = &message->starts[i];
        if ((start->has & place) != place)
            return gz_fail(error, GZ_BAD_VALUE, "motion: node %" PRIu64 " has no start", start->id);
        motion->nodes[motion->count++] = (struct start){start->id, start->trs};
    }
    for (size_t i = 0; i < message->nodes.count; i++) {
        const uint64_t id = message->nodes.ids[i];
        const gz_trs *now = packed->place(packed->scene, id);
        if (now == NULL)
            return gz_fail(error, GZ_CONFLICT, "motion: node %" PRIu64 " does not exist", id);
        motion->nodes[motion->count++] = (struct start){id, *now};
    }
    return GZ_OK;
}

static enum gz_status take_motion(struct gz_packed *packed, const struct gz_motion_message *message,
                                  struct gz_error *error)
{
    const size_t count = message->nodes.count + message->start_count;
    if (message->motion > GZ_MOTIONS_MAX || count > GZ_MOTION_NODES_MAX)
        return gz_fail(error, GZ_BAD_VALUE, "motion: invalid number or count");
    struct motion *motion = calloc(1, sizeof *motion + count * sizeof *motion->nodes);
    if (motion == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for a motion");
    enum gz_status status = keep_nodes(packed, message, motion, error);
    if (status != GZ_OK) {
        free(motion);
        return status;
    }
    motion->by = message->by;
    free(packed->motions[message->motion - 1]);
    packed->motions[message->motion - 1] = motion;
    return GZ_OK;
}

/* ---- person ---- */

static struct known *know(struct gz_packed *packed, uint64_t session)
{
    struct known *known = gz_records_find(&packed->known, session);
    if (known != NULL) return known;
    known = calloc(1, sizeof *known);
    return gz_records_put(&packed->known, session, known) ? known : NULL;
}

static void set(uint64_t *has, uint64_t bit, bool is_there)
{
    *has = is_there ? *has | bit : *has & ~bit;
}

static void take_who(struct gz_presence_user *user, uint64_t has, const struct gz_person *person)
{
    if (has & GZ_HAS_PERSON_USER) user->user = person->user;
    if (has & GZ_HAS_PERSON_COLOUR) user->rgb = person->rgb;
    if (has & GZ_HAS_PERSON_ROLE) user->role = person->role;
    if ((has & GZ_HAS_PERSON_NAME) == 0) return;
    user->name = person->name;
    set(&user->has, GZ_HAS_PRESENCE_NAME, person->name.size > 0);
}

static void take_lists(struct gz_presence_user *user, uint64_t has, const struct gz_person *person)
{
    if (has & GZ_HAS_PERSON_SELECTION) user->selection = person->selection;
    if (has & GZ_HAS_PERSON_LOCKS) user->locks = person->locks;
    if (has & GZ_HAS_PERSON_TOOL) user->tool = person->tool;
    if (has & GZ_HAS_PERSON_SELECTION) user->has |= GZ_HAS_PRESENCE_SELECTION;
    if (has & GZ_HAS_PERSON_LOCKS) user->has |= GZ_HAS_PRESENCE_LOCKS;
    if (has & GZ_HAS_PERSON_TOOL) user->has |= GZ_HAS_PRESENCE_TOOL;
}

static void take_camera(struct known *known, struct gz_presence_user *user, uint64_t has,
                        const struct gz_person *person)
{
    if (has & GZ_HAS_PERSON_VIEWPORT) {
        memcpy(known->viewport, person->viewport, sizeof known->viewport);
        known->has |= GZ_HAS_PERSON_VIEWPORT;
    }
    if (has & GZ_HAS_PERSON_LENS) {
        const double *lens = person->lens;
        memcpy(known->lens, lens, sizeof known->lens);
        memcpy(user->lens, lens, sizeof user->lens);
        user->parallel = lens[4] != 0;
        set(&user->has, GZ_HAS_PRESENCE_LENS, lens[0] != lens[1] || lens[2] != lens[3]);
    }
    if ((has & (GZ_HAS_PERSON_POSE | GZ_HAS_PERSON_VIEW)) == 0) return;
    user->has |= GZ_HAS_PRESENCE_VIEW;
    memcpy(user->view, person->view, sizeof user->view);
    memcpy(known->pose, person->pose, sizeof known->pose);
    set(&known->has, GZ_HAS_PERSON_POSE, (has & GZ_HAS_PERSON_POSE) != 0);
    if (has & GZ_HAS_PERSON_POSE) gz_view_of_pose(known->pose, user->view);
}

static void take_pointer(struct known *known, struct gz_presence_user *user, uint64_t has,
                         const struct gz_person *person)
{
    if (has & GZ_HAS_PERSON_RAY) memcpy(user->ray, person->ray, sizeof user->ray);
    if (has & GZ_HAS_PERSON_RAY) user->has |= GZ_HAS_PRESENCE_RAY;
    if (has & GZ_HAS_PERSON_SPOT) memcpy(known->spot, person->spot, sizeof known->spot);
    if (has & (GZ_HAS_PERSON_SPOT | GZ_HAS_PERSON_RAY)) {
        set(&known->has, GZ_HAS_PERSON_SPOT, (has & GZ_HAS_PERSON_SPOT) != 0);
        set(&known->has, GZ_HAS_PERSON_RAY, (has & GZ_HAS_PERSON_RAY) != 0);
        set(&user->has, GZ_HAS_PRESENCE_AT, (has & GZ_HAS_PERSON_SPOT) != 0);
    }
    if ((known->has & GZ_HAS_PERSON_SPOT) == 0) return;
    for (int i = 0; i < 2; i++)
        user->at[i] = known->viewport[i] + known->spot[i] * known->viewport[i + 2] / GZ_SPOT_STEPS;
    if (known->has & GZ_HAS_PERSON_RAY) return;
    set(&user->has, GZ_HAS_PRESENCE_RAY,
        (known->has & GZ_HAS_PERSON_POSE) != 0 &&
            gz_ray_of_spot(known->pose, known->lens, known->spot, user->ray));
}

/* A new session needs a whole record, and a spot needs a viewport. */
static enum gz_status check_person(const struct known *known, bool is_new, uint64_t has,
                                   struct gz_error *error)
{
    const uint64_t who = GZ_HAS_PERSON_USER | GZ_HAS_PERSON_COLOUR | GZ_HAS_PERSON_ROLE;
    if (is_new && (has & who) != who)
        return gz_fail(error, GZ_CONFLICT, "person: a new person lacks user, colour or role");
    if ((has & GZ_HAS_PERSON_SPOT) != 0 && ((has | known->has) & GZ_HAS_PERSON_VIEWPORT) == 0)
        return gz_fail(error, GZ_CONFLICT, "person: spot: its viewport was never sent");
    return GZ_OK;
}

static enum gz_status turn_person(struct gz_packed *packed, struct gz_message *message,
                                  struct gz_error *error)
{
    const struct gz_person person = message->person;
    const struct gz_presence_user *before = gz_people_find(packed->people, person.session);
    struct gz_presence_user user = {.session = person.session};
    struct known *known = know(packed, person.session);
    if (known == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for the people");
    enum gz_status status = check_person(known, before == NULL, message->has, error);
    if (status != GZ_OK) return status;
    if (before != NULL) user = *before;
    take_who(&user, message->has, &person);
    take_lists(&user, message->has, &person);
    take_camera(known, &user, message->has, &person);
    take_pointer(known, &user, message->has, &person);
    *message = (struct gz_message){
        .op = GZ_OP_PRESENCE, .has = message->has, .presence = {.users = &user, .count = 1}};
    status = gz_people_apply(packed->people, &message->presence, error);
    message->presence.users = gz_people_find(packed->people, person.session);
    return status;
}

static enum gz_status turn_people(struct gz_packed *packed, struct gz_message *message,
                                  struct gz_error *error)
{
    const struct gz_people_message people = message->people;
    if (people.all) forget_people(packed);
    for (size_t i = 0; i < people.left.count; i++)
        gz_records_remove(&packed->known, people.left.ids[i]);
    *message = (struct gz_message){.op = GZ_OP_PRESENCE,
                                   .presence = {.left = people.left, .all = people.all}};
    return gz_people_apply(packed->people, &message->presence, error);
}

enum gz_status gz_packed_turn(struct gz_packed *packed, struct gz_arena *arena,
                              struct gz_message *message, struct gz_error *error)
{
    switch (message->op) {
    case GZ_OP_WELCOME:
        packed->has_delta = false;
        forget_motions(packed);
        forget_people(packed);
        return GZ_OK;
    case GZ_OP_PACKED_DELTA: message->op = GZ_OP_DELTA; /* fall through */
    case GZ_OP_DELTA: follow_delta(packed, &message->delta); return GZ_OK;
    case GZ_OP_SAVED: packed->saved = message->saved_seq; return GZ_OK;
    case GZ_OP_MOVES: return turn_moves(packed, arena, message, error);
    case GZ_OP_PERSON: return turn_person(packed, message, error);
    case GZ_OP_MOTION: return take_motion(packed, &message->motion, error);
    case GZ_OP_PEOPLE: return turn_people(packed, message, error);
    default: return GZ_OK;
    }
}
