/* saying.c - asks the core in few words and gives its answers. See saying.h. */
#include "unit/core/saying.h"
#include "proto/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka.h"

void assert_near(gz_vec3 place, double x, double y, double z)
{
    assert_true(fabs(place.x - x) < 1e-9);
    assert_true(fabs(place.y - y) < 1e-9);
    assert_true(fabs(place.z - z) < 1e-9);
}

void assert_ok(const struct gz_message *answer)
{
    assert_non_null(answer);
    if (answer->op == GZ_OP_ERROR)
        fail_msg("refused: %s: %.*s", gz_status_word(answer->error.code),
                 (int)answer->error.message.size, answer->error.message.bytes);
    assert_int_equal(answer->op, GZ_OP_OK);
}

void assert_refused(const struct gz_message *answer, enum gz_status status)
{
    assert_non_null(answer);
    assert_int_equal(answer->op, GZ_OP_ERROR);
    assert_string_equal(gz_status_word(answer->error.code), gz_status_word(status));
    assert_true(answer->error.message.size > 0);
}

void assert_says(const struct gz_message *answer, enum gz_status status, const char *text)
{
    assert_refused(answer, status);
    char said[GZ_ERROR_BYTES_MAX];
    snprintf(said, sizeof said, "%.*s", (int)answer->error.message.size,
             answer->error.message.bytes);
    const char *dots = strstr(text, "...");
    if (dots != NULL) said[dots - text] = '\0';
    char expected[GZ_ERROR_BYTES_MAX];
    snprintf(expected, sizeof expected, "%.*s",
             dots != NULL ? (int)(dots - text) : (int)strlen(text), text);
    assert_string_equal(said, expected);
}

static struct gz_text text_of(const char *string)
{
    return (struct gz_text){string, strlen(string)};
}

static void set_key(struct gz_message *message, const char *key)
{
    if (key == NULL) return;
    message->has |= GZ_HAS_KEY;
    message->key = text_of(key);
}

static struct gz_create_node node_to_create(const char *name, uint64_t parent)
{
    return (struct gz_create_node){
        .has = GZ_HAS_CREATE_NODE_PARENT | GZ_HAS_CREATE_NODE_BOUNDS,
        .parent = parent,
        .name = text_of(name),
        .bounds = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}},
    };
}

uint64_t ask_later(struct client *client, struct gz_message message)
{
    message.has |= GZ_HAS_RID;
    message.rid = client->next_rid++;
    client_say(client, &message);
    return message.rid;
}

uint64_t create_node(struct client *client, const char *name, uint64_t parent, double x, double y,
                     double z)
{
    struct gz_create_node node = node_to_create(name, parent);
    struct gz_message message = {.op = GZ_OP_CREATE, .create = {&node, 1}};
    node.has |= GZ_HAS_CREATE_NODE_T;
    node.trs.t = (gz_vec3){x, y, z};
    const struct gz_message *answer = client_ask(client, &message);
    assert_ok(answer);
    assert_int_equal(answer->ok.ids.count, 1);
    return answer->ok.ids.ids[0];
}

const struct gz_message *ask_create(struct client *client, const char *name, uint64_t parent,
                                    const char *key)
{
    struct gz_create_node node = node_to_create(name, parent);
    struct gz_message message = {.op = GZ_OP_CREATE, .create = {&node, 1}};
    set_key(&message, key);
    return client_ask(client, &message);
}

static const struct gz_message *ask_set(struct client *client, const struct gz_set_node *node,
                                        const char *key)
{
    struct gz_message message = {.op = GZ_OP_SET, .set = {.nodes = node, .count = 1}};
    set_key(&message, key);
    return client_ask(client, &message);
}

const struct gz_message *ask_move(struct client *client, uint64_t id, double x, double y, double z)
{
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_T, .id = id, .trs.t = {x, y, z}};
    return ask_set(client, &node, NULL);
}

const struct gz_message *ask_rename(struct client *client, uint64_t id, const char *name)
{
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_NAME, .id = id, .name = text_of(name)};
    return ask_set(client, &node, NULL);
}

const struct gz_message *ask_hang(struct client *client, uint64_t id, uint64_t parent)
{
    struct gz_set_node node = {.has = GZ_HAS_SET_NODE_PARENT, .id = id, .parent = parent};
    return ask_set(client, &node, NULL);
}

const struct gz_message *ask_delete(struct client *client, uint64_t id)
{
    struct gz_message message = {.op = GZ_OP_DELETE, .remove = {&id, 1}};
    return client_ask(client, &message);
}

const struct gz_message *ask_undo(struct client *client, bool force)
{
    struct gz_message message = {.op = GZ_OP_UNDO, .force = force};
    return client_ask(client, &message);
}

const struct gz_message *ask_redo(struct client *client, bool force)
{
    struct gz_message message = {.op = GZ_OP_REDO, .force = force};
    return client_ask(client, &message);
}

const struct gz_message *ask_revert(struct client *client, uint64_t edit, bool force)
{
    struct gz_message message = {.op = GZ_OP_REVERT, .revert = {edit, force}};
    return client_ask(client, &message);
}

const struct gz_message *ask_select(struct client *client, uint64_t id)
{
    struct gz_message message = {.op = GZ_OP_SELECT, .select = {{&id, id != 0}, GZ_HOW_SET}};
    return client_ask(client, &message);
}

struct gz_message camera_message(double distance)
{
    return (struct gz_message){
        .op = GZ_OP_CAMERA,
        .camera = {.view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -distance, 1},
                   .proj = {0.75, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0},
                   .viewport = {0, 0, 800, 600}},
    };
}

const struct gz_message *ask_camera(struct client *client, double distance)
{
    struct gz_message message = camera_message(distance);
    return client_ask(client, &message);
}

const struct gz_message *ask_mode(struct client *client, enum gz_mode mode)
{
    struct gz_message message = {.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE, .tool.mode = mode};
    return client_ask(client, &message);
}

struct gz_message pointer_message(enum gz_phase phase, double x, double y, uint64_t n)
{
    struct gz_message message = {
        .op = GZ_OP_POINTER, .has = GZ_HAS_POINTER_AT, .pointer = {.phase = phase, .at = {x, y}}};
    if (n > 0) {
        message.has |= GZ_HAS_POINTER_N;
        message.pointer.n = n;
    }
    return message;
}

const struct gz_message *ask_pointer(struct client *client, enum gz_phase phase, double x, double y)
{
    struct gz_message message = pointer_message(phase, x, y, 0);
    return client_ask(client, &message);
}

const struct gz_message *ask_grab(struct client *client, enum gz_handle handle, uint64_t id,
                                  double x, double y)
{
    struct gz_message message = pointer_message(GZ_PHASE_DOWN, x, y, 0);
    message.op = GZ_OP_GRAB;
    message.pointer.handle = handle;
    if (id != 0) {
        message.has |= GZ_HAS_POINTER_NODES;
        message.pointer.nodes = (struct gz_ids){&id, 1};
    }
    return client_ask(client, &message);
}

const struct gz_message *ask_wheel(struct client *client, double notches)
{
    struct gz_message message = {.op = GZ_OP_WHEEL, .wheel.dy = notches};
    return client_ask(client, &message);
}

const struct gz_message *ask_note(struct client *client, const char *text, const char *key)
{
    struct gz_message message = {
        .op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT, .note.text = text_of(text)};
    set_key(&message, key);
    return client_ask(client, &message);
}

const struct gz_message *ask_reword(struct client *client, uint64_t note, const char *text)
{
    struct gz_message message = {.op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_TEXT};
    message.note = (struct gz_note){.note = note, .text = text_of(text)};
    return client_ask(client, &message);
}

const struct gz_message *ask_done(struct client *client, uint64_t note, bool done)
{
    struct gz_message message = {.op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_DONE};
    message.note = (struct gz_note){.note = note, .done = done};
    return client_ask(client, &message);
}

const struct gz_message *ask_gone(struct client *client, uint64_t note)
{
    struct gz_message message = {
        .op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_NOTE, .note = {.note = note, .gone = true}};
    return client_ask(client, &message);
}

const struct gz_message *ask_checkpoint(struct client *client, const char *name)
{
    struct gz_message message = {.op = GZ_OP_CHECKPOINT, .checkpoint.name = text_of(name)};
    return client_ask(client, &message);
}

const struct gz_message *ask_checkpoint_of(struct client *client, const char *name, uint64_t seq)
{
    struct gz_message message = {.op = GZ_OP_CHECKPOINT, .has = GZ_HAS_CHECKPOINT_SEQ};
    message.checkpoint = (struct gz_checkpoint){.name = text_of(name), .seq = seq};
    return client_ask(client, &message);
}

const struct gz_message *ask_checkpoint_gone(struct client *client, const char *name)
{
    struct gz_message message = {.op = GZ_OP_CHECKPOINT};
    message.checkpoint = (struct gz_checkpoint){.name = text_of(name), .gone = true};
    return client_ask(client, &message);
}

const struct gz_message *ask_access(struct client *client, const char *user, enum gz_role role)
{
    struct gz_message message = {.op = GZ_OP_ACCESS, .has = GZ_HAS_ACCESS_ROLE};
    message.access = (struct gz_access){.user = {user, strlen(user)}, .role = role};
    return client_ask(client, &message);
}

const struct gz_message *ask_access_gone(struct client *client, const char *user)
{
    struct gz_message message = {.op = GZ_OP_ACCESS};
    message.access = (struct gz_access){.user = {user, strlen(user)}, .gone = true};
    return client_ask(client, &message);
}

const struct gz_message *ask_token(struct client *client, const char *token)
{
    struct gz_message message = {.op = GZ_OP_TOKEN, .token = {token, strlen(token)}};
    return client_ask(client, &message);
}

const struct gz_message *ask_op(struct client *client, enum gz_op op)
{
    struct gz_message message = {.op = op};
    return client_ask(client, &message);
}

/* ---- many nodes ---- */

void create_many(struct client *client, size_t count)
{
    enum { AT_ONCE = 20000 };
    struct gz_create_node *nodes = calloc(AT_ONCE, sizeof *nodes);
    assert_non_null(nodes);
    for (size_t i = 0; i < AT_ONCE; i++) nodes[i] = (struct gz_create_node){.name = {"n", 1}};
    for (size_t done = 0; done < count; done += AT_ONCE) {
        const size_t left = count - done;
        struct gz_message create = {.op = GZ_OP_CREATE,
                                    .create = {nodes, left < AT_ONCE ? left : AT_ONCE}};
        client_say(client, &create);
        host_advance(client->host, 2); /* what it cost */
    }
    free(nodes);
    assert_int_equal(gz_core_summary(client->host->core).nodes, count);
}

void select_first(struct client *client, size_t count)
{
    uint64_t *ids = calloc(count + 1, sizeof *ids);
    assert_non_null(ids);
    for (size_t i = 0; i < count; i++) ids[i] = i + 1;
    struct gz_message select = {.op = GZ_OP_SELECT, .select = {{ids, count}, GZ_HOW_SET}};
    client_say(client, &select);
    free(ids);
}
