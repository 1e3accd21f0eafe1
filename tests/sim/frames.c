/* Requests of people, and the frames in which they are sent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/limits.h"
#include "sim/chance.h"
#include "sim/frames.h"
#include "sim/judge.h"
#include "sim/links.h"
#include "sim/sim.h"

enum { FRAME_MESSAGES_MAX = 8 };

/* ---- requests ---- */

static struct request *new_request(struct person *person)
{
    person->requests = grow(person->requests, &person->request_capacity, person->request_count + 1,
                            sizeof *person->requests);
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

static void begin_frame(struct person *person)
{
    person->frame = NULL;
    person->frame_size = person->frame_count = 0;
    person->framed = (struct framed){.acts = false};
}

void send_frame(struct sim *sim, struct person *person)
{
    if (person->frame_size > 0) link_send(sim, person->link, person->frame, person->frame_size);
    begin_frame(person);
}

void lose_frame(struct person *person)
{
    free(person->frame);
    begin_frame(person);
}

static bool is_phase_of(const struct gz_message *message, enum gz_phase phase)
{
    return message->op == GZ_OP_POINTER && message->pointer.phase == phase;
}

/* The model looks at the scene once for each frame: one thing may be done to it in one, or one drag
 * moved on. What is behind a pick or an interest, and a note behind a wheel, would be done in a
 * later turn. */
static bool may_join(const struct person *person, const struct gz_message *message)
{
    const struct framed *framed = &person->framed;
    if (person->frame_count == FRAME_MESSAGES_MAX || framed->looks) return false;
    if (op_is_beside(message->op))
        return !framed->wheel || (!op_closes_wheel(message->op) && message->op != GZ_OP_NOTE);
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
    framed->looks |= message->op == GZ_OP_PICK || message->op == GZ_OP_INTEREST;
    if (op_is_beside(message->op)) return;
    bool moves = is_phase_of(message, GZ_PHASE_MOVE);
    framed->begins = message->op == GZ_OP_GRAB || is_phase_of(message, GZ_PHASE_DOWN) ||
                     (framed->begins && moves);
    framed->moves_only = moves && (framed->moves_only || !framed->acts);
    framed->wheel = message->op == GZ_OP_WHEEL;
    framed->acts = true;
}

void add_to_frame(struct person *person, const uint8_t *bytes, size_t size)
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
    add_to_frame(person, request->bytes, request->size);
    person->frame_count++;
    note_framed(&person->framed, message);
    request->sent = true;
}

/* ---- messages ---- */

void encode(const struct gz_message *message, uint8_t **bytes, size_t *size)
{
    struct gz_buffer buffer;
    gz_buffer_init(&buffer, GZ_MESSAGE_BYTES_MAX, 0);
    if (gz_encode(&buffer, message) != GZ_OK) abort();
    *bytes = buffer.data;
    *size = buffer.size;
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
        snprintf(request->key, sizeof request->key, "k%llu", NUMBER(sim->next_key++));
}

struct request *person_say(struct sim *sim, struct person *person, struct gz_message *message)
{
    struct request *request = new_request(person);
    bool makes_edit = op_edits(message->op) || message->op == GZ_OP_NOTE ||
                      message->op == GZ_OP_RELEASE ||
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

/* ---- what a message can name ---- */

uint64_t any_node(struct sim *sim, const struct person *person)
{
    if (person->mirror.count == 0 || chance(sim, 0.03)) return 1 + below(sim, 60);
    return person->mirror.nodes[below(sim, person->mirror.count)].id;
}

gz_vec3 any_place(struct sim *sim)
{
    return (gz_vec3){between(sim, -3, 3), between(sim, -3, 3), between(sim, -3, 3)};
}
