/* What people do, at random, with what they know. */
#include <stdlib.h>
#include <string.h>

#include "core/hold.h"
#include "proto/limits.h"
#include "sim/access.h"
#include "sim/actions.h"
#include "sim/chance.h"
#include "sim/frames.h"
#include "sim/notes.h"
#include "sim/parts.h"
#include "sim/sim.h"

enum { NODES_WANTED = 24, REFS = 3, HELD = 4, HOLDS = 3 };

static struct gz_message any_pointer(struct sim *sim, struct person *person, enum gz_phase phase)
{
    struct gz_message message = {.op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_AT};
    message.pointer.phase = phase;
    message.pointer.at[0] = between(sim, 200, 600);
    message.pointer.at[1] = between(sim, 100, 500);
    if (chance(sim, 0.7)) {
        message.has |= GZ_HAS_POINTER_N;
        message.pointer.n = ++person->n;
    }
    if (chance(sim, 0.1)) {
        const double ray[6] = {between(sim, -3, 3), between(sim, -3, 3), 10, 0, 0, -1};
        message.has = (message.has & ~GZ_HAS_PRESENCE_AT) | GZ_HAS_PRESENCE_RAY;
        memcpy(message.pointer.ray, ray, sizeof ray);
    }
    if (chance(sim, 0.1)) message.pointer.mods = UINT64_C(1) << below(sim, GZ_MOD_COUNT);
    return message;
}

static void say_move(struct sim *sim, struct person *person)
{
    struct gz_message message =
        any_pointer(sim, person, chance(sim, 0.9) ? GZ_PHASE_MOVE : GZ_PHASE_HOVER);
    (void)person_say(sim, person, &message);
    if (chance(sim, 0.75)) person->next_s = sim->now.mono_s + 0.016;
}

static void say_press(struct sim *sim, struct person *person)
{
    struct gz_message message = any_pointer(sim, person, GZ_PHASE_DOWN);
    (void)person_say(sim, person, &message);
    person->dragging = true;
}

static void say_grab(struct sim *sim, struct person *person)
{
    uint64_t ids[2] = {any_node(sim, person), any_node(sim, person)};
    struct gz_message message = any_pointer(sim, person, GZ_PHASE_DOWN);
    message.op = GZ_OP_GRAB;
    message.pointer.handle = (enum gz_handle)(1 + below(sim, GZ_HANDLE_COUNT - 1));
    if (chance(sim, 0.5)) message.pointer.handle = GZ_TXY;
    if (chance(sim, 0.85)) {
        message.has |= GZ_HAS_POINTER_NODES;
        message.pointer.nodes = (struct gz_ids){ids, ids[0] != ids[1] && chance(sim, 0.3) ? 2 : 1};
    }
    if (chance(sim, 0.2)) {
        message.has |= GZ_HAS_POINTER_VALUE;
        message.pointer.value = (struct gz_value){{between(sim, -2, 2), between(sim, -2, 2)},
                                                  1 + (uint32_t)below(sim, 2)};
        if (chance(sim, 0.5)) message.has &= ~(GZ_HAS_POINTER_AT | GZ_HAS_POINTER_RAY);
    }
    (void)person_say(sim, person, &message);
    person->dragging = true;
}

static void say_up(struct sim *sim, struct person *person)
{
    struct gz_message message = any_pointer(sim, person, GZ_PHASE_UP);
    if (chance(sim, 0.1)) message.has &= ~(GZ_HAS_PRESENCE_AT | GZ_HAS_PRESENCE_RAY);
    (void)person_say(sim, person, &message);
    person->dragging = false;
}

static void say_cancel(struct sim *sim, struct person *person)
{
    struct gz_message message = any_pointer(sim, person, GZ_PHASE_CANCEL);
    if (chance(sim, 0.5)) message.has &= ~(GZ_HAS_PRESENCE_AT | GZ_HAS_PRESENCE_RAY);
    (void)person_say(sim, person, &message);
    person->dragging = false;
}

/* ---- poses from outside ---- */

/* A few nodes, each once. */
static size_t some_nodes(struct sim *sim, const struct person *person, uint64_t ids[HELD])
{
    size_t count = 0;
    for (uint64_t wanted = 1 + below(sim, HELD); wanted > 0; wanted--) {
        const uint64_t id = any_node(sim, person);
        bool named = false;
        for (size_t i = 0; i < count; i++) named |= ids[i] == id;
        if (!named) ids[count++] = id;
    }
    return count;
}

static void say_hold(struct sim *sim, struct person *person)
{
    uint64_t ids[HELD];
    struct gz_message message = {.op = GZ_OP_HOLD, .hold.hold = below(sim, HOLDS)};
    if (person->mirror.count == 0) return;
    message.hold.nodes = (struct gz_ids){ids, some_nodes(sim, person, ids)};
    if (chance(sim, 0.5)) {
        message.has = GZ_HAS_HOLD_PATH;
        message.hold.path = chance(sim, 0.3);
    }
    (void)person_say(sim, person, &message);
    person->holding |= 1u << message.hold.hold;
}

/* Mostly of nodes of its own hold, as far as it knows. */
static void say_pose(struct sim *sim, struct person *person)
{
    static const uint64_t parts[] = {GZ_HAS_SET_NODE_T, GZ_HAS_SET_NODE_X, GZ_HAS_SET_NODE_Z,
                                     GZ_HAS_SET_NODE_R, GZ_HAS_SET_NODE_S};
    const struct gz_session *session = gz_core_session(sim->core, person->session);
    const struct gz_gesture *hold = session != NULL ? session->gesture.next : NULL;
    while (hold != NULL && hold->next != NULL && chance(sim, 0.5)) hold = hold->next;
    const uint64_t name = hold != NULL ? hold->poses->name : below(sim, HOLDS);
    struct gz_set_node nodes[HELD];
    size_t count = 0;
    if (hold == NULL && chance(sim, 0.9)) return;
    for (size_t i = 0; i < (hold != NULL ? hold->count : 1) && count < HELD; i++) {
        struct gz_set_node *node = &nodes[count];
        if (chance(sim, 0.3)) continue;
        *node =
            (struct gz_set_node){.id = hold != NULL ? hold->targets[i].id : any_node(sim, person),
                                 .has = parts[below(sim, COUNT(parts))],
                                 .trs = gz_trs_identity};
        node->trs.t = any_place(sim);
        node->trs.s = (gz_vec3){between(sim, 0.5, 2), 1, chance(sim, 0.1) ? 0 : 1};
        if (chance(sim, 0.5)) node->trs.r = (gz_quat){0.5, -0.5, 0.5, -0.5};
        count++;
    }
    struct gz_message message = {.op = GZ_OP_POSE,
                                 .pose = {.hold = name, .nodes = nodes, .count = count}};
    (void)person_say(sim, person, &message);
    if (chance(sim, 0.5)) person->next_s = sim->now.mono_s + 0.016;
}

static void say_end_of_hold(struct sim *sim, struct person *person, enum gz_op op)
{
    struct gz_message message = {.op = op, .pose.hold = below(sim, HOLDS)};
    if ((person->holding & 1u << message.pose.hold) == 0 && chance(sim, 0.8)) return;
    (void)person_say(sim, person, &message);
    person->holding &= ~(1u << message.pose.hold);
}

static void say_release(struct sim *sim, struct person *person)
{
    say_end_of_hold(sim, person, GZ_OP_RELEASE);
}

static void say_give_up(struct sim *sim, struct person *person)
{
    say_end_of_hold(sim, person, GZ_OP_CANCEL);
}

/* How often, while it holds something. */
static bool goes_on_posing(struct sim *sim, struct person *person)
{
    static void (*const says[])(struct sim * sim, struct person * person) = {
        say_pose, say_pose, say_pose, say_pose, say_pose, say_release, say_give_up};
    if (person->holding == 0 || !chance(sim, 0.5)) return false;
    says[below(sim, COUNT(says))](sim, person);
    return true;
}

static void say_wheel(struct sim *sim, struct person *person)
{
    struct gz_message message = {.op = GZ_OP_WHEEL, .wheel.dy = (double)below(sim, 5) - 2};
    (void)person_say(sim, person, &message);
}

static void say_set(struct sim *sim, struct person *person)
{
    static const struct gz_text names[] = {
        {"red", 3}, {"green", 5}, {"", 0}, {"a node with a longer name", 25}};
    static const gz_quat turns[] = {
        {0, 0, 0, 1}, {1, 0, 0, 0}, {0.5, 0.5, 0.5, 0.5}, {0, 0, -1, 0}};
    static const uint64_t parts[] = {GZ_HAS_SET_NODE_T,      GZ_HAS_SET_NODE_R,
                                     GZ_HAS_SET_NODE_S,      GZ_HAS_SET_NODE_NAME,
                                     GZ_HAS_SET_NODE_PARENT, GZ_HAS_SET_NODE_Y};
    struct gz_set_node nodes[3];
    size_t count = 0;
    for (uint64_t wanted = 1 + below(sim, 3); wanted > 0; wanted--) {
        struct gz_set_node node = {.id = any_node(sim, person), .trs = gz_trs_identity};
        node.trs.t = any_place(sim);
        node.trs.r = turns[below(sim, COUNT(turns))];
        node.trs.s = (gz_vec3){between(sim, 0.5, 2), 1, 1};
        node.name = names[below(sim, COUNT(names))];
        node.parent = chance(sim, 0.3) ? 0 : any_node(sim, person);
        node.has = parts[below(sim, COUNT(parts))] | parts[below(sim, COUNT(parts))];
        if ((node.has & GZ_HAS_SET_NODE_T) != 0) node.has &= ~(uint64_t)GZ_HAS_SET_NODE_XYZ;
        bool named = false;
        for (size_t i = 0; i < count; i++) named |= nodes[i].id == node.id;
        if (!named) nodes[count++] = node;
    }
    struct gz_message message = {.op = GZ_OP_SET, .set = {.nodes = nodes, .count = count}};
    if (chance(sim, 0.2)) {
        message.has = GZ_HAS_SET_BASE;
        message.set.base = person->mirror.seq;
    }
    (void)person_say(sim, person, &message);
}

/* Of what was drawn for a new node, some is left out. */
static void make_copy(struct sim *sim, struct person *person, struct gz_create_node *node)
{
    node->copy = any_node(sim, person);
    node->has |= GZ_HAS_CREATE_NODE_COPY;
    if (chance(sim, 0.3)) node->has |= GZ_HAS_CREATE_NODE_NAME;
    if (chance(sim, 0.5)) node->has &= ~(GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_BOUNDS);
}

static void say_create(struct sim *sim, struct person *person)
{
    struct gz_create_node nodes[REFS];
    size_t count = 1 + below(sim, REFS);
    if (gz_scene_count(sim->core->scene) > NODES_WANTED && chance(sim, 0.8)) return;
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_T | GZ_HAS_CREATE_NODE_REF,
                                           .ref = {&"abc"[i], 1},
                                           .name = {"node", 4}};
        nodes[i].trs.t = any_place(sim);
        if (i > 0 && chance(sim, 0.5)) {
            nodes[i].has |= GZ_HAS_CREATE_NODE_PARENT_REF;
            nodes[i].parent_ref = nodes[below(sim, i)].ref;
        } else if (chance(sim, 0.5)) {
            nodes[i].has |= GZ_HAS_CREATE_NODE_PARENT;
            nodes[i].parent = any_node(sim, person);
        }
        if (chance(sim, 0.5)) {
            nodes[i].has |= GZ_HAS_CREATE_NODE_BOUNDS;
            nodes[i].bounds = (gz_box){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
        }
        if (sim->copies && chance(sim, 0.4)) make_copy(sim, person, &nodes[i]);
    }
    struct gz_message message = {.op = GZ_OP_CREATE, .create = {nodes, count}};
    (void)person_say(sim, person, &message);
}

/* Where it is, as far as the person knows: perhaps somebody has just put it there. */
static void say_set_again(struct sim *sim, struct person *person)
{
    if (person->mirror.count == 0) return;
    const struct mirror_node *known = &person->mirror.nodes[below(sim, person->mirror.count)];
    struct gz_set_node node = {.id = known->id, .has = GZ_HAS_STATE_T, .trs = known->content.trs};
    struct gz_message message = {.op = GZ_OP_SET, .set = {.nodes = &node, .count = 1}};
    (void)person_say(sim, person, &message);
}

/* One of the last nodes that somebody made, perhaps gone by now. */
static void say_delete_again(struct sim *sim, struct person *person)
{
    const uint64_t next = gz_scene_next_id(sim->core->scene), back = 1 + below(sim, 12);
    uint64_t id = next > back ? next - back : 1;
    struct gz_message message = {.op = GZ_OP_DELETE, .remove = {&id, 1}};
    (void)person_say(sim, person, &message);
}

/* To the present state, or one just before it. */
static void say_restore_again(struct sim *sim, struct person *person)
{
    const uint64_t seq = person->saved, back = below(sim, 3);
    struct gz_message message = {
        .op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = seq > back ? seq - back : 1};
    (void)person_say(sim, person, &message);
}

/* A drag that comes to nothing. */
static void say_grab_for_nothing(struct sim *sim, struct person *person)
{
    uint64_t id = any_node(sim, person);
    struct gz_message message = {.op = GZ_OP_GRAB,
                                 .has = GZ_HAS_POINTER_NODES | GZ_HAS_POINTER_VALUE,
                                 .pointer = {.handle = GZ_TX, .value = {{0}, 1}}};
    message.pointer.nodes = (struct gz_ids){&id, 1};
    (void)person_say(sim, person, &message);
    message = (struct gz_message){.op = GZ_OP_POINTER, .pointer.phase = GZ_PHASE_UP};
    (void)person_say(sim, person, &message);
}

static void say_end_again(struct sim *sim, struct person *person)
{
    if (chance(sim, 0.5))
        say_up(sim, person);
    else
        say_cancel(sim, person);
}

static void say_checkpoint(struct sim *sim, struct person *person)
{
    static const struct gz_text names[] = {{"v1", 2}, {"v2", 2}};
    struct gz_message message = {.op = GZ_OP_CHECKPOINT,
                                 .checkpoint = {.name = names[below(sim, COUNT(names))]}};
    message.checkpoint.gone = chance(sim, 0.5);
    (void)person_say(sim, person, &message);
}

static void (*const sayings_again[])(struct sim *sim, struct person *person) = {
    say_set_again,        say_delete_again, say_restore_again,
    say_grab_for_nothing, say_end_again,    say_checkpoint};

static void say_delete(struct sim *sim, struct person *person)
{
    uint64_t id = any_node(sim, person);
    struct gz_message message = {.op = GZ_OP_DELETE, .remove = {&id, 1}};
    (void)person_say(sim, person, &message);
}

static void say_undo(struct sim *sim, struct person *person)
{
    struct gz_message message = {.op = GZ_OP_UNDO, .force = chance(sim, 0.3)};
    (void)person_say(sim, person, &message);
}

static void say_redo(struct sim *sim, struct person *person)
{
    struct gz_message message = {.op = GZ_OP_REDO, .force = chance(sim, 0.3)};
    (void)person_say(sim, person, &message);
}

/* Of an edit that is stored; mostly of one of the last, of which undo still knows. */
static void say_revert(struct sim *sim, struct person *person)
{
    const struct model *model = &sim->model;
    const bool own = sim->grants || chance(sim, 0.8); /* an admin may take back those of others */
    const size_t among = chance(sim, 0.7) ? GZ_UNDO_EDITS_MAX : model->deed_count;
    struct gz_message message = {.op = GZ_OP_REVERT, .revert.force = chance(sim, 0.3)};
    for (size_t tries = 0; tries < 20 && message.revert.edit == 0 && among > 0; tries++) {
        const size_t back = below(sim, among);
        if (back >= model->deed_count) continue;
        const struct deed *deed = &model->deeds[model->deed_count - 1 - back];
        if (!deed->stored || deed->kind == GZ_EDIT_UNDO || deed->kind == GZ_EDIT_REDO ||
            (own && strcmp(deed->user, person->user) != 0))
            continue;
        message.revert.edit = deed->id;
    }
    if (message.revert.edit != 0) (void)person_say(sim, person, &message);
}

static void say_restore(struct sim *sim, struct person *person)
{
    uint64_t seq = person->mirror.seq, back = below(sim, 30);
    struct gz_message message = {.op = GZ_OP_RESTORE,
                                 .has = GZ_HAS_AT_SEQ,
                                 .restore.seq = seq > back ? seq - back : seq + 1};
    (void)person_say(sim, person, &message);
}

static void say_history(struct sim *sim, struct person *person)
{
    struct gz_message message = {.op = GZ_OP_HISTORY};
    if (chance(sim, 0.5))
        message = (struct gz_message){
            .op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = 1 + below(sim, person->mirror.seq + 2)};
    (void)person_say(sim, person, &message);
}

static void say_select(struct sim *sim, struct person *person)
{
    uint64_t ids[2] = {any_node(sim, person), any_node(sim, person)};
    struct gz_message message = {.op = GZ_OP_SELECT};
    message.select.nodes = (struct gz_ids){ids, ids[0] == ids[1] ? 1 : below(sim, 3)};
    message.select.how = (enum gz_how)below(sim, GZ_HOW_COUNT);
    (void)person_say(sim, person, &message);
}

void say_camera(struct sim *sim, struct person *person)
{
    struct gz_message message = {
        .op = GZ_OP_CAMERA,
        .camera = {.view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -between(sim, 5, 25), 1},
                   .proj = {0.75, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0},
                   .viewport = {0, 0, 800, 600}},
    };
    (void)person_say(sim, person, &message);
}

void say_tool(struct sim *sim, struct person *person)
{
    struct gz_message message = {.op = GZ_OP_TOOL,
                                 .has = GZ_HAS_TOOL_MODE | GZ_HAS_TOOL_SPACE | GZ_HAS_TOOL_PIVOT};
    message.tool.mode =
        chance(sim, 0.6) ? GZ_MODE_TRANSLATE : (enum gz_mode)below(sim, GZ_MODE_COUNT);
    message.tool.space = (enum gz_space)below(sim, GZ_SPACE_COUNT);
    message.tool.pivot = (enum gz_pivot)below(sim, GZ_PIVOT_POINT);
    (void)person_say(sim, person, &message);
}

static void say_pick(struct sim *sim, struct person *person)
{
    struct gz_message message = {
        .op = GZ_OP_PICK, .has = GZ_HAS_PICK_RECT, .pick.rect = {100, 100, 500, 400}};
    (void)person_say(sim, person, &message);
}

static void say_nonsense(struct sim *sim, struct person *person)
{
    size_t size = 1 + below(sim, 40);
    uint8_t *bytes = malloc(size);
    if (bytes == NULL) abort();
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)below(sim, 256);
    if (chance(sim, 0.5)) bytes[0] = (uint8_t)(0x80 | below(sim, 16));
    add_to_frame(person, bytes, size);
    free(bytes);
    send_frame(sim, person);
}

/* How often, while dragging and while not. An operation more is a row more. */
static const struct {
    int dragging, idle;
    void (*say)(struct sim *sim, struct person *person);
} sayings[] = {
    {60, 4, say_move},   {2, 6, say_press},    {4, 16, say_grab},    {12, 2, say_up},
    {4, 1, say_cancel},  {1, 5, say_wheel},    {2, 12, say_set},     {1, 5, say_create},
    {1, 3, say_delete},  {1, 6, say_undo},     {1, 3, say_redo},     {1, 1, say_restore},
    {1, 1, say_history}, {1, 3, say_select},   {1, 2, say_camera},   {1, 2, say_tool},
    {0, 1, say_pick},    {1, 1, say_nonsense}, {1, 2, say_interest}, {1, 5, say_note},
    {2, 12, say_hold},
};

void say_something(struct sim *sim, struct person *person)
{
    int sum = 0;
    if (sim->repeats && chance(sim, 0.15))
        sayings_again[below(sim, COUNT(sayings_again))](sim, person);
    for (size_t i = 0; i < COUNT(sayings); i++)
        sum += person->dragging ? sayings[i].dragging : sayings[i].idle;
    if (sim->grants && chance(sim, 0.06)) say_access(sim, person);
    if (sim->reverts && chance(sim, 0.08)) say_revert(sim, person);
    person->next_s = sim->now.mono_s + between(sim, 0.005, 0.25);
    if (goes_on_posing(sim, person)) {
        if (!chance(sim, 0.2)) send_frame(sim, person);
        sim->counts->actions++;
        return;
    }
    int drawn = (int)below(sim, (uint64_t)sum);
    size_t at = 0;
    for (;; at++) {
        drawn -= person->dragging ? sayings[at].dragging : sayings[at].idle;
        if (drawn < 0) break;
    }
    sayings[at].say(sim, person);
    if (!chance(sim, 0.2)) send_frame(sim, person);
    sim->counts->actions++;
}
