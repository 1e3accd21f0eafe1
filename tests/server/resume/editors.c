/* editors.c - lets random people edit at the same time. See editors.h. */
#include "editors.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/limits.h"
#include "support/chance.h"
#include "support/cmocka.h"

#define MADE_AT_ONCE_MAX 8
#define PATIENCE_S 60.0
#define TRIES_MAX 2000 /* of coming back, 10 ms apart */

static uint64_t below(struct editor *editor, uint64_t limit)
{
    return chance_below(&editor->random, limit);
}

/* A number with all its digits. */
static double somewhere(struct editor *editor)
{
    return ((double)below(editor, UINT64_C(1) << 53) / (double)(UINT64_C(1) << 53) - 0.5) * 8;
}

/* ---- being there ---- */

/* What cannot be sent is not: the connection is lost, and the next step comes back. */
static void say(struct editor *editor, struct gz_message message)
{
    struct gz_error error;
    (void)!gz_client_send(editor->client, &message, NULL, &error);
}

static void look(struct editor *editor)
{
    struct gz_message camera = {
        .op = GZ_OP_CAMERA,
        .camera = {.view = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -10, 1},
                   .proj = {0.97, 0, 0, 0, 0, 1.73, 0, 0, 0, 0, -1, -1, 0, 0, -0.2, 0},
                   .viewport = {0, 0, 1920, 1080}}};
    say(editor, camera);
}

static void hear(struct editor *editor, double timeout_s)
{
    while (gz_client_next(editor->client, timeout_s) != NULL) timeout_s = 0;
}

void editor_hear(struct editor *editor)
{
    hear(editor, 0);
}

static void come_back(struct editor *editor)
{
    struct gz_error error = {0};
    editor->losses++;
    editor->dragging = false;
    int tries = 0;
    while (gz_client_reconnect(editor->client, &error) != GZ_OK) {
        if (++tries == TRIES_MAX) fail_msg("an editor cannot come back: %s", error.message);
        poll(NULL, 0, 10);
    }
    look(editor);
}

void editor_start(struct editor *editor, const char *url, const char *scene, const char *user,
                  uint64_t seed)
{
    struct gz_client_options options = {.url = url, .scene = scene, .user = user, .create = true};
    struct gz_error error = {0};
    *editor = (struct editor){.random = seed, .nodes_min = 20, .nodes_max = 80, .name_bytes = 8};
    if (gz_client_create(&editor->client, &options, &error) != GZ_OK)
        fail_msg("an editor: %s", error.message);
    look(editor);
}

void editor_finish(struct editor *editor)
{
    gz_client_destroy(editor->client);
    editor->client = NULL;
}

/* ---- what it does ---- */

static uint64_t any_node(struct editor *editor)
{
    size_t count;
    const struct gz_mirror_node **nodes = gz_mirror_list(gz_client_mirror(editor->client), &count);
    uint64_t id = count > 0 ? nodes[below(editor, count)]->id : 0;
    free(nodes);
    return id;
}

static struct gz_message pointer(struct editor *editor, enum gz_phase phase)
{
    return (struct gz_message){
        .op = GZ_OP_POINTER,
        .has = GZ_HAS_POINTER_AT,
        .pointer = {.phase = phase,
                    .at = {700 + 500 * somewhere(editor) / 4, 540 + 300 * somewhere(editor) / 4}}};
}

static void grab(struct editor *editor)
{
    uint64_t id = any_node(editor);
    struct gz_message message = pointer(editor, GZ_PHASE_DOWN);
    message.op = GZ_OP_GRAB;
    message.has |= GZ_HAS_POINTER_NODES;
    message.pointer.handle = (enum gz_handle)(GZ_TX + (int)below(editor, GZ_SU - GZ_TX + 1));
    message.pointer.nodes = (struct gz_ids){&id, 1};
    say(editor, message);
    editor->dragging = true; /* unless it was refused: what follows then says nothing */
}

static void let_go(struct editor *editor)
{
    char key[32];
    struct gz_message message = pointer(editor, GZ_PHASE_UP);
    snprintf(key, sizeof key, "up %" PRIu64, ++editor->keys);
    message.has |= GZ_HAS_KEY;
    message.key = gz_client_text(key);
    say(editor, message);
    editor->dragging = false;
}

static void drag_on(struct editor *editor)
{
    uint64_t chance = below(editor, 20);
    if (chance == 0) {
        say(editor, pointer(editor, GZ_PHASE_CANCEL));
        editor->dragging = false;
    } else if (chance < 4) {
        let_go(editor);
    } else {
        say(editor, pointer(editor, GZ_PHASE_MOVE));
    }
}

static const char *any_name(struct editor *editor, char name[GZ_NAME_BYTES_MAX + 1])
{
    size_t size = editor->name_bytes / 2 + below(editor, editor->name_bytes / 2 + 1);
    for (size_t i = 0; i < size; i++) name[i] = (char)('a' + below(editor, 26));
    name[size] = '\0';
    return name;
}

static void set(struct editor *editor)
{
    char name[GZ_NAME_BYTES_MAX + 1];
    static const uint64_t parts[] = {GZ_HAS_STATE_T, GZ_HAS_STATE_T,    GZ_HAS_STATE_R,
                                     GZ_HAS_STATE_S, GZ_HAS_STATE_NAME, GZ_HAS_STATE_PARENT};
    struct gz_set_node node = {
        .has = parts[below(editor, sizeof parts / sizeof parts[0])],
        .id = any_node(editor),
        .name = gz_client_text(any_name(editor, name)),
        .parent = below(editor, 3) == 0 ? 0 : any_node(editor),
        .trs = {{somewhere(editor), somewhere(editor), -0.0},
                {somewhere(editor), somewhere(editor), somewhere(editor), 5},
                {5 + somewhere(editor), 5 + somewhere(editor), 5 + somewhere(editor)}},
    };
    say(editor, (struct gz_message){.op = GZ_OP_SET, .set = {&node, 1, 0}});
}

static void create(struct editor *editor, size_t count)
{
    char names[MADE_AT_ONCE_MAX][GZ_NAME_BYTES_MAX + 1];
    struct gz_create_node nodes[MADE_AT_ONCE_MAX];
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_PARENT | GZ_HAS_CREATE_NODE_T,
                                           .name = gz_client_text(any_name(editor, names[i])),
                                           .parent = below(editor, 2) == 0 ? 0 : any_node(editor),
                                           .trs = gz_trs_identity};
        nodes[i].trs.t = (gz_vec3){somewhere(editor), somewhere(editor), somewhere(editor)};
        if (below(editor, 2) == 0) {
            nodes[i].has |= GZ_HAS_CREATE_NODE_BOUNDS;
            nodes[i].bounds = (gz_box){{-1, -0.5, -0.0}, {somewhere(editor) + 5, 1, 1.0 / 3}};
        }
    }
    say(editor, (struct gz_message){.op = GZ_OP_CREATE, .create = {nodes, count}});
}

static void make_or_delete(struct editor *editor)
{
    uint64_t count = gz_mirror_count(gz_client_mirror(editor->client)), id = any_node(editor);
    uint64_t wanted = editor->nodes_min + below(editor, editor->nodes_max - editor->nodes_min);
    if (count < wanted)
        create(editor, 1 + below(editor, MADE_AT_ONCE_MAX));
    else
        say(editor, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&id, 1}});
}

void editor_step(struct editor *editor)
{
    if (!gz_client_is_open(editor->client)) come_back(editor);
    if (editor->dragging) {
        drag_on(editor);
    } else {
        uint64_t chance = below(editor, 20);
        if (chance < 6)
            grab(editor);
        else if (chance < 12)
            set(editor);
        else if (chance < 17)
            make_or_delete(editor);
        else
            say(editor, (struct gz_message){.op = chance < 19 ? GZ_OP_UNDO : GZ_OP_REDO});
    }
    hear(editor, 0);
}

void editor_change_all(struct editor *editor)
{
    size_t count;
    char name[GZ_NAME_BYTES_MAX + 1];
    const struct gz_mirror_node **nodes = gz_mirror_list(gz_client_mirror(editor->client), &count);
    struct gz_set_node *changed = calloc(count + 1, sizeof *changed);
    assert_non_null(changed);
    (void)any_name(editor, name);
    for (size_t i = 0; i < count; i++)
        changed[i] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T | GZ_HAS_SET_NODE_NAME,
                                          .id = nodes[i]->id,
                                          .name = gz_client_text(name),
                                          .trs.t.x = somewhere(editor)};
    if (count > 0) say(editor, (struct gz_message){.op = GZ_OP_SET, .set = {changed, count, 0}});
    free(nodes);
    free(changed);
    hear(editor, 0);
}

static bool is_saved(const struct editor *editor)
{
    const struct gz_mirror *mirror = gz_client_mirror(editor->client);
    return gz_mirror_is_complete(mirror) &&
           gz_client_saved(editor->client) >= gz_mirror_seq(mirror);
}

void editor_rest(struct editor *editor)
{
    struct gz_message ping = {.op = GZ_OP_PING};
    struct gz_error error = {0};
    if (editor->dragging) let_go(editor);
    while (gz_client_request(editor->client, &ping, PATIENCE_S, NULL, &error) != GZ_OK) {
        if (gz_client_is_open(editor->client))
            fail_msg("an editor is not answered: %s", error.message);
        come_back(editor); /* the daemon ended just now */
    }
    while (!is_saved(editor))
        if (gz_client_next(editor->client, PATIENCE_S) == NULL)
            fail_msg("nothing is saved any more");
}

void editor_fill(struct editor *editor)
{
    for (uint64_t made = 0; made < editor->nodes_min; made += MADE_AT_ONCE_MAX) {
        create(editor, MADE_AT_ONCE_MAX);
        hear(editor, 0);
    }
    editor_rest(editor);
}
