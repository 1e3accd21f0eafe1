/* What people do, at random, with what they know; and what they make of what they hear. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/limits.h"
#include "sim/sim.h"

enum { NODES_WANTED = 24, REFS = 3, FRAME_MESSAGES_MAX = 8 };

/* ---- saying ---- */

static struct request *new_request(struct person *person)
{
    if (person->request_count == person->request_capacity) {
        person->request_capacity = person->request_capacity > 0 ? 2 * person->request_capacity : 64;
        person->requests =
            realloc(person->requests, person->request_capacity * sizeof *person->requests);
        if (person->requests == NULL) abort();
    }
    struct request *request = calloc(1, sizeof *request);
    if (request == NULL) abort();
    person->requests[person->request_count++] = request;
    request->rid = person->request_count;
    return request;
}

struct request *person_request(struct sim *sim, uint64_t session, uint64_t rid)
{
    struct person *person = &sim->people[sim->owners[session]];
    return rid > 0 && rid <= person->request_count ? person->requests[rid - 1] : NULL;
}

/* ---- frames ---- */

static void send_frame(struct sim *sim, struct person *person)
{
    if (person->frame_size > 0) link_send(sim, person->link, person->frame, person->frame_size);
    person->frame = NULL;
    person->frame_size = person->frame_count = 0;
    person->framed = (struct framed){.acts = false};
}

static void lose_frame(struct person *person)
{
    free(person->frame);
    person->frame = NULL;
    person->frame_size = person->frame_count = 0;
    person->framed = (struct framed){.acts = false};
}

static bool is_phase_of(const struct gz_message *message, enum gz_phase phase)
{
    return message->op == GZ_OP_POINTER && message->pointer.phase == phase;
}

/* What changes nothing in the scene, whatever else is said. */
static bool is_beside(enum gz_op op)
{
    return op == GZ_OP_TOOL || op == GZ_OP_SELECT || op == GZ_OP_PICK || op == GZ_OP_HISTORY ||
           op == GZ_OP_AT || op == GZ_OP_INTEREST || op == GZ_OP_NOTE || op == GZ_OP_PING;
}

/* The model looks at the scene once for each frame: one thing may be done to it in one, or one drag
 * moved on. */
static bool may_join(const struct person *person, const struct gz_message *message)
{
    const struct framed *framed = &person->framed;
    if (person->frame_count == FRAME_MESSAGES_MAX) return false;
    if (is_beside(message->op)) return !framed->wheel || !op_closes_wheel(message->op);
    if (framed->closes && is_phase_of(message, GZ_PHASE_CANCEL))
        return false; /* of the wheel, or of nothing */
    if (!framed->acts) return true;
    if (is_phase_of(message, GZ_PHASE_MOVE)) return framed->begins || framed->moves_only;
    return framed->moves_only &&
           (is_phase_of(message, GZ_PHASE_UP) || is_phase_of(message, GZ_PHASE_CANCEL));
}

static void note_framed(struct framed *framed, const struct gz_message *message)
{
    framed->closes |= op_closes_wheel(message->op);
    if (is_beside(message->op)) return;
    bool moves = is_phase_of(message, GZ_PHASE_MOVE);
    framed->begins = message->op == GZ_OP_GRAB || is_phase_of(message, GZ_PHASE_DOWN) ||
                     (framed->begins && moves);
    framed->moves_only = moves && (framed->moves_only || !framed->acts);
    framed->wheel = message->op == GZ_OP_WHEEL;
    framed->acts = true;
}

static void append(struct person *person, const uint8_t *bytes, size_t size)
{
    person->frame = realloc(person->frame, person->frame_size + size);
    if (person->frame == NULL) abort();
    memcpy(person->frame + person->frame_size, bytes, size);
    person->frame_size += size;
}

static void put_on_frame(struct sim *sim, struct person *person, struct request *request,
                         const struct gz_message *message)
{
    if (!may_join(person, message)) send_frame(sim, person);
    append(person, request->bytes, request->size);
    person->frame_count++;
    note_framed(&person->framed, message);
    request->sent = true;
}

/* ---- what is said ---- */

static void encode(const struct gz_message *message, uint8_t **bytes, size_t *size)
{
    struct gz_buffer buffer;
    gz_buffer_init(&buffer, GZ_MESSAGE_BYTES_MAX, 0);
    if (gz_encode(&buffer, message) != GZ_OK) abort();
    *bytes = buffer.data;
    *size = buffer.size;
}

bool op_edits(enum gz_op op)
{
    return op == GZ_OP_SET || op == GZ_OP_CREATE || op == GZ_OP_DELETE || op == GZ_OP_UNDO ||
           op == GZ_OP_REDO || op == GZ_OP_RESTORE;
}

bool op_closes_wheel(enum gz_op op)
{
    return op_edits(op) || op == GZ_OP_TOOL || op == GZ_OP_SELECT || op == GZ_OP_GRAB;
}

/* The key of an earlier request; mostly of one of the last, which may not be stored yet. */
static const char *earlier_key(struct sim *sim, const struct person *other)
{
    size_t count = other->request_count - 1;
    size_t back = chance(sim, 0.7) ? below(sim, count < 4 ? count : 4) : below(sim, count);
    return other->requests[count - 1 - back]->key;
}

/* Mostly a key of its own; sometimes one that the user had before, perhaps for something else. */
static void choose_key(struct sim *sim, const struct person *person, struct request *request)
{
    if (request->rid > 1 && chance(sim, 0.08)) {
        const struct person *other =
            chance(sim, 0.5) ? person : &sim->people[person->index % USERS];
        if (other->request_count > 1 && strcmp(other->user, person->user) == 0)
            memcpy(request->key, earlier_key(sim, other), sizeof request->key);
    }
    if (request->key[0] == '\0')
        snprintf(request->key, sizeof request->key, "k%llu", (unsigned long long)sim->next_key++);
}

struct request *person_say(struct sim *sim, struct person *person, struct gz_message *message)
{
    struct request *request = new_request(person);
    bool makes_edit = op_edits(message->op) || message->op == GZ_OP_NOTE ||
                      (message->op == GZ_OP_POINTER && message->pointer.phase == GZ_PHASE_UP);
    message->has |= GZ_HAS_RID;
    message->rid = request->rid;
    request->op = message->op;
    if (message->has & GZ_HAS_KEY) {
        memcpy(request->key, message->key.bytes, message->key.size);
    } else if (makes_edit && chance(sim, 0.6)) {
        choose_key(sim, person, request);
        message->has |= GZ_HAS_KEY;
        message->key = (struct gz_text){request->key, strlen(request->key)};
    }
    encode(message, &request->bytes, &request->size);
    put_on_frame(sim, person, request, message);
    return request;
}

/* ---- what there is to name ---- */

uint64_t any_node(struct sim *sim, const struct person *person)
{
    if (person->mirror.count == 0 || chance(sim, 0.03)) return 1 + below(sim, 60);
    return person->mirror.nodes[below(sim, person->mirror.count)].id;
}

gz_vec3 any_place(struct sim *sim)
{
    return (gz_vec3){between(sim, -3, 3), between(sim, -3, 3), between(sim, -3, 3)};
}

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

/* ---- what is said ---- */

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
    static const uint64_t parts[] = {GZ_HAS_STATE_T, GZ_HAS_STATE_R, GZ_HAS_STATE_S,
                                     GZ_HAS_STATE_NAME, GZ_HAS_STATE_PARENT};
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

static void say_camera(struct sim *sim, struct person *person)
{
    struct gz_message message = {
        .op = GZ_OP_CAMERA,
        .camera = {.view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -between(sim, 5, 25), 1},
                   .proj = {0.75, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0},
                   .viewport = {0, 0, 800, 600}},
    };
    (void)person_say(sim, person, &message);
}

static void say_tool(struct sim *sim, struct person *person)
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
    append(person, bytes, size);
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
};

static void say_something(struct sim *sim, struct person *person)
{
    int sum = 0;
    for (size_t i = 0; i < COUNT(sayings); i++)
        sum += person->dragging ? sayings[i].dragging : sayings[i].idle;
    int drawn = (int)below(sim, (uint64_t)sum);
    size_t at = 0;
    for (;; at++) {
        drawn -= person->dragging ? sayings[at].dragging : sayings[at].idle;
        if (drawn < 0) break;
    }
    person->next_s = sim->now.mono_s + between(sim, 0.005, 0.25);
    sayings[at].say(sim, person);
    if (!chance(sim, 0.2)) send_frame(sim, person);
    sim->actions++;
}

/* ---- coming ---- */

/* Mostly what it knows; sometimes what cannot be: a seq that was never, or an epoch that was never.
 * A part is not resumed, only what was told of edits. */
static void choose_resume(struct sim *sim, struct person *person, struct gz_message *hello)
{
    if (person->epoch == 0 || chance(sim, person->part ? 0.5 : 0.1)) return;
    hello->has |= GZ_HAS_HELLO_RESUME;
    hello->hello.resume_epoch = person->epoch;
    hello->hello.resume_seq = person->tainted || person->part ? 0 : person->mirror.complete;
    hello->hello.resume_edit = person->edit_seq;
    if (person->edit_seq > 0) hello->has |= GZ_HAS_HELLO_EDIT;
    const struct person *other = chance(sim, 0.1) ? &sim->people[below(sim, PEOPLE)] : person;
    bool own = other == person || strcmp(other->user, person->user) !=
                                      0; /* or none of the user's, which is worth nothing */
    if (own) hello->hello.resume_secret = (struct gz_text){other->secret, strlen(other->secret)};
    if (!person->part && chance(sim, 0.05)) hello->hello.resume_seq += 1000000;
    if (chance(sim, 0.05)) hello->hello.resume_epoch += 1000000;
}

static void come(struct sim *sim, struct person *person)
{
    struct gz_message hello = {.op = GZ_OP_HELLO};
    hello.hello.v = GZ_PROTOCOL_VERSION;
    hello.hello.scene = (struct gz_text){"sim", 3};
    hello.hello.user = (struct gz_text){person->user, strlen(person->user)};
    hello.hello.draw = person->draw;
    choose_resume(sim, person, &hello);
    uint8_t *bytes;
    size_t size;
    encode(&hello, &bytes, &size);
    link_open(sim, person);
    append(person, bytes, size);
    free(bytes);
    person->begins_anew = !sim->quiet && chance(sim, 0.2);
    if (person->begins_anew) say_interest(sim, person);
    send_frame(sim, person);
    person->welcome = false;
    person->resume_claim = hello.has & GZ_HAS_HELLO_RESUME ? hello.hello.resume_epoch : 0;
    person->resume_seq = hello.hello.resume_seq;
    person->patience_s = sim->quiet ? INFINITY : sim->now.mono_s + between(sim, 2, 30);
}

/* Whoever comes looks at the scene with something in hand, and says again what had no answer. */
static void settle_in(struct sim *sim, struct person *person)
{
    say_camera(sim, person);
    say_tool(sim, person);
    size_t count = person->request_count;
    for (size_t i = 0; i < count; i++) {
        struct request *request = person->requests[i];
        if (request->answered || request->sent || request->key[0] == '\0') continue;
        send_frame(sim, person);
        append(person, request->bytes, request->size);
        request->sent = true;
    }
    send_frame(sim, person);
}

void person_act(struct sim *sim, struct person *person)
{
    person->next_s = sim->now.mono_s + between(sim, 0.01, 0.5);
    if (person->link == NULL) {
        if (sim->core != NULL && !sim->stopping) come(sim, person);
        return;
    }
    if (sim->now.mono_s > person->patience_s) {
        link_cut(sim, person->link);
        return;
    }
    if (sim->quiet) send_frame(sim, person);
    if (sim->quiet)
        person->next_s = INFINITY;
    else if (person->welcome)
        say_something(sim, person);
}

void person_lose(struct sim *sim, struct person *person)
{
    trace(sim, "%s/%d is away", person->user, person->index);
    person->partial |= person->mirror.more;
    person->tainted |= person->mirror.more && person->mirror.seq > person->saved;
    person->welcome = person->dragging = false;
    person->sight_count = 0;
    for (size_t i = 0; i < person->request_count; i++) person->requests[i]->sent = false;
    lose_frame(person);
    person->next_s = sim->now.mono_s + between(sim, 0.01, sim->quiet ? 0.1 : 2);
}

/* ---- hearing ---- */

/* A resume is exact or it is none, and it is exact wherever it can be. */
static void check_resume(struct sim *sim, const struct person *person,
                         const struct gz_welcome *welcome)
{
    bool lied =
        person->resume_claim != person->epoch || person->resume_seq != person->mirror.complete;
    bool saved = person->resume_claim == welcome->epoch;
    for (size_t i = 0; i < sim->store.epoch_count; i++) {
        const struct gz_epoch_record *epoch = &sim->store.epochs[i];
        saved |= epoch->epoch == person->resume_claim && person->resume_seq <= epoch->seq_last;
    }
    if (welcome->resumed)
        PROMISE(person->resume_claim != 0 && !lied && saved, "a resume is never a guess",
                "epoch %llu, seq %llu", (unsigned long long)person->resume_claim,
                (unsigned long long)person->resume_seq);
    if (sim->core == NULL || lied || !saved || person->resume_seq == 0) return;
    bool remembered = person->resume_seq >= gz_scene_forgotten(sim->core->scene);
    if (remembered)
        PROMISE(welcome->resumed, "who saw only what was saved resumes", "%s/%d", person->user,
                person->index);
}

static void hear_welcome(struct sim *sim, struct person *person, const struct gz_welcome *welcome)
{
    check_resume(sim, person, welcome);
    person->session = welcome->session;
    person->welcome = true;
    memset(person->secret, 0, sizeof person->secret);
    memcpy(person->secret, welcome->secret.bytes, welcome->secret.size);
    person->epoch = welcome->epoch;
    person->saved = 0;
    person->wish = NULL;
    mirror_notes_clear(&person->notes);
    person->looked = 0;
    person->sight_count = 0;
    person->edits_before = sim->store.edit_count;
    if (!welcome->resumed) person->mirror.complete = 0;
    person->mirror.seq = person->mirror.complete;
    sim->resumes += welcome->resumed;
    if (welcome->resumed && !person->partial) model_compare(sim, person, true);
    person->checked = UINT64_MAX;
    settle_in(sim, person);
}

static void hear_delta(struct sim *sim, struct person *person, const struct parcel *parcel,
                       const struct gz_delta *delta)
{
    PROMISE(!person->begins_anew || person->wish == NULL || delta->from == 0,
            "a part that is asked for at once is all that is told",
            "%s/%d hears of it from seq %llu", person->user, person->index,
            (unsigned long long)delta->from);
    person->begins_anew = false;
    sim->claim = "deltas are a chain without gap or double";
    mirror_apply(&person->mirror, delta);
    PROMISE(delta->saved >= person->saved, "what is saved stays saved", "%s/%d", person->user,
            person->index);
    person->saved = delta->saved;
    if (delta->from == 0) person->checked = UINT64_MAX;
    sim->claim = "the disk is given what it can explain";
    if (delta->more) return;
    person->partial = person->tainted = false;
    if (person->wish != NULL) {
        part_compare(sim, person, parcel->camera_first, parcel->camera_last);
        return;
    }
    person->part = false;
    model_compare(sim, person, chance(sim, 0.03));
}

uint64_t ids_number(struct gz_ids ids)
{
    uint64_t number = ids.count;
    for (size_t i = 0; i < ids.count; i++) number = number * 1000003 + ids.ids[i];
    return number;
}

static void forget_sight(struct person *person, uint64_t session)
{
    for (size_t i = 0; i < person->sight_count; i++) {
        if (person->sights[i].session == session)
            person->sights[i--] = person->sights[--person->sight_count];
    }
}

static void hear_presence(struct person *person, const struct gz_presence *presence)
{
    if (presence->all) person->sight_count = 0;
    for (size_t i = 0; i < presence->left.count; i++) forget_sight(person, presence->left.ids[i]);
    for (size_t i = 0; i < presence->count; i++) {
        const struct gz_presence_user *user = &presence->users[i];
        forget_sight(person, user->session);
        PROMISE(person->sight_count < COUNT(person->sights), "presence says who is here", "%zu are",
                person->sight_count);
        struct sight *sight = &person->sights[person->sight_count++];
        *sight = (struct sight){.session = user->session,
                                .selection = ids_number(user->selection),
                                .locks = ids_number(user->locks),
                                .tool = user->tool,
                                .has_at = (user->has & GZ_HAS_PRESENCE_AT) != 0};
        if (sight->has_at) memcpy(sight->at, user->at, sizeof sight->at);
    }
}

static void hear_edit(struct person *person, const struct gz_edit_message *edit)
{
    PROMISE(edit->seq > person->edit_seq, "an edit is told once, in order", "edit %llu",
            (unsigned long long)edit->id);
    person->edit_seq = edit->seq;
}

static void hear_answer(struct person *person, const struct gz_message *message)
{
    if ((message->has & GZ_HAS_RID) == 0 || message->rid == 0 ||
        message->rid > person->request_count)
        return;
    struct request *request = person->requests[message->rid - 1];
    request->answered = message->op == GZ_OP_OK ? !message->ok.more : true;
    if (message->op == GZ_OP_OK && request->op == GZ_OP_INTEREST) part_answered(person, request);
    if (message->op == GZ_OP_OK && (message->has & GZ_HAS_OK_NOTE) != 0) {
        PROMISE(request->told_note == 0 || request->told_note == message->ok.note,
                "the same key has the same answer", "request %llu",
                (unsigned long long)request->rid);
        request->told_note = message->ok.note;
    }
    if (message->op != GZ_OP_OK || (message->has & GZ_HAS_OK_EDIT) == 0) return;
    PROMISE(request->told == 0 || request->told == message->ok.edit,
            "the same key has the same answer", "request %llu", (unsigned long long)request->rid);
    request->told = message->ok.edit;
}

void person_hear(struct sim *sim, struct person *person, const struct parcel *parcel)
{
    char text[256];
    if (!sim->quiet) person->patience_s = sim->now.mono_s + between(sim, 2, 30);
    for (size_t i = 0; i < parcel->message_count && person->link != NULL; i++) {
        const struct gz_message *message = &parcel->messages[i];
        if (sim->trace) describe(message, text);
        if (message->op != GZ_OP_GIZMO)
            trace(sim, "%s/%d hears %s", person->user, person->index, text);
        switch (message->op) {
        case GZ_OP_WELCOME: hear_welcome(sim, person, &message->welcome); break;
        case GZ_OP_DELTA: hear_delta(sim, person, parcel, &message->delta); break;
        case GZ_OP_SAVED:
            PROMISE(message->saved_seq >= person->saved, "what is saved stays saved", "%s",
                    person->user);
            person->saved = message->saved_seq;
            break;
        case GZ_OP_PRESENCE: hear_presence(person, &message->presence); break;
        case GZ_OP_NOTES: notes_hear(sim, person, parcel, &message->notes); break;
        case GZ_OP_EDIT: hear_edit(person, &message->edit); break;
        case GZ_OP_OK:
        case GZ_OP_ERROR: hear_answer(person, message); break;
        default: break;
        }
    }
}
