/* Nodes that are made as copies of others: all that is not said is as the other one has it at that
 * moment, its mesh too; and what holds for a mesh's node, through undo, the past and restarts,
 * holds for its copies. */
#include <stdio.h>
#include <string.h>

#include "support/cmocka.h"
#include "unit/core/saying.h"

static const gz_box box = {{-1, -2, -3}, {1, 2, 3}};
static const gz_trs placed = {{1, 2, 3}, {0, 0.6, 0, 0.8}, {2, 2, 2}};

/* A crank with a piston below it, both with meshes, as an import brings them. */
struct scene {
    struct host host;
    struct client *a, *b, *watcher;
    uint64_t crank, piston;
};

static void handle_done(void *context, enum gz_status status, const char *message)
{
    (void)message;
    *(enum gz_status *)context = status;
}

static void import(struct scene *s)
{
    const struct gz_core_import_node nodes[] = {
        {-1, {.name = "crank", .trs = gz_trs_identity, .asset = 4}},
        {0, {.name = "piston", .trs = placed, .has_bounds = true, .bounds = box, .asset = 5}}};
    enum gz_status done = GZ_INTERNAL;
    struct gz_core_import import = {
        .user = "ida", .nodes = nodes, .count = COUNT(nodes), .asset_size = 4};
    import.asset = (const uint8_t *)"glTF";
    import.done = handle_done;
    import.context = &done;
    struct gz_error error;
    assert_int_equal(gz_core_import(s->host.core, &import, s->host.now, &error), GZ_OK);
    host_turn(&s->host);
    assert_int_equal(done, GZ_OK);
    s->crank = s->watcher->mirror.nodes[0].id;
    s->piston = s->watcher->mirror.nodes[1].id;
}

static void open_scene(struct scene *s)
{
    host_init(&s->host);
    s->a = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->b = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    s->watcher = client_join(&s->host, "wes", GZ_ROLE_VIEWER);
    import(s);
}

static void reopen(struct scene *s)
{
    host_restart(&s->host, false);
    client_resume(s->a);
    client_resume(s->b);
    client_resume(s->watcher);
    host_turn(&s->host);
}

CLOSE_SCENE_AS_USUAL

static const struct gz_message *ask_copies(struct client *client,
                                           const struct gz_create_node *nodes, size_t count)
{
    struct gz_message message = {.op = GZ_OP_CREATE, .create = {nodes, count}};
    return client_ask(client, &message);
}

static uint64_t copy_node(struct client *client, uint64_t id)
{
    struct gz_create_node node = {.has = GZ_HAS_CREATE_NODE_COPY, .copy = id};
    const struct gz_message *ok = ask_copies(client, &node, 1);
    assert_ok(ok);
    assert_int_equal(ok->ok.ids.count, 1);
    return ok->ok.ids.ids[0];
}

static const struct gz_content *seen(struct scene *s, uint64_t id)
{
    const struct mirror_node *node = mirror_find(&s->watcher->mirror, id);
    assert_non_null(node);
    return &node->content;
}

static void assert_piston(const struct gz_content *content, uint64_t parent)
{
    assert_int_equal(content->parent, parent);
    assert_string_equal(content->name, "piston");
    assert_true(gz_trs_same(&content->trs, &placed));
    assert_true(content->has_bounds);
    assert_memory_equal(&content->bounds, &box, sizeof box);
    assert_int_equal(content->asset, 5);
}

SCENE_TEST(test_copy_has_what_the_node_has)
{
    uint64_t copy = copy_node(s->a, s->piston), below = create_node(s->a, "bolt", copy, 0, 0, 0);
    assert_piston(seen(s, copy), s->crank);
    uint64_t again = copy_node(s->b, copy); /* of a copy; not what is below it */
    assert_piston(seen(s, again), s->crank);
    assert_int_equal(seen(s, below)->parent, copy);
    assert_int_equal(s->watcher->mirror.count, 5);
    uint64_t bare = copy_node(s->a, below); /* of one without a mesh */
    assert_int_equal(seen(s, bare)->asset, -1);
    assert_int_equal(seen(s, bare)->parent, copy);
}

SCENE_TEST(test_copy_what_is_said_counts)
{
    const gz_trs moved = {{7, 8, 9}, {0, 0, 0, 1}, {1, 1, 2}};
    const gz_box small = {{0, 0, 0}, {1, 1, 1}};
    struct gz_create_node node = {.has = GZ_HAS_CREATE_NODE_COPY | GZ_HAS_CREATE_NODE_NAME |
                                         GZ_HAS_CREATE_NODE_PARENT | GZ_HAS_CREATE_NODE_T |
                                         GZ_HAS_CREATE_NODE_R | GZ_HAS_CREATE_NODE_S |
                                         GZ_HAS_CREATE_NODE_BOUNDS,
                                  .copy = s->piston,
                                  .name = {"second", 6},
                                  .trs = moved,
                                  .bounds = small};
    const struct gz_message *ok = ask_copies(s->a, &node, 1);
    assert_ok(ok);
    const struct gz_content *content = seen(s, ok->ok.ids.ids[0]);
    assert_int_equal(content->parent, 0); /* said to be the root */
    assert_string_equal(content->name, "second");
    assert_true(gz_trs_same(&content->trs, &moved));
    assert_memory_equal(&content->bounds, &small, sizeof small);
    assert_int_equal(content->asset, 5);
    node = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_COPY | GZ_HAS_CREATE_NODE_NAME,
                                   .copy = s->piston}; /* a name may be empty */
    ok = ask_copies(s->a, &node, 1);
    assert_ok(ok);
    assert_string_equal(seen(s, ok->ok.ids.ids[0])->name, "");
}

SCENE_TEST(test_copy_of_a_subtree_is_one_edit)
{
    const struct gz_create_node nodes[] = {
        {.has = GZ_HAS_CREATE_NODE_COPY | GZ_HAS_CREATE_NODE_REF,
         .copy = s->crank,
         .ref = {"c", 1}},
        {.has = GZ_HAS_CREATE_NODE_COPY | GZ_HAS_CREATE_NODE_PARENT_REF,
         .copy = s->piston,
         .parent_ref = {"c", 1}}};
    const struct gz_message *ok = ask_copies(s->a, nodes, 2);
    assert_ok(ok);
    const uint64_t ids[] = {ok->ok.ids.ids[0], ok->ok.ids.ids[1]};
    assert_int_equal(seen(s, ids[0])->parent, 0);
    assert_int_equal(seen(s, ids[0])->asset, 4);
    assert_piston(seen(s, ids[1]), ids[0]);
    assert_ok(ask_undo(s->a, false));
    assert_int_equal(s->watcher->mirror.count, 2);
    reopen(s);
    assert_ok(ask_redo(s->a, false));
    assert_int_equal(seen(s, ids[0])->asset, 4);
    assert_piston(seen(s, ids[1]), ids[0]);
}

SCENE_TEST(test_copy_in_a_drag_is_as_it_is_now)
{
    assert_ok(ask_move(s->b, s->crank, 0, 0, 0));
    assert_ok(ask_camera(s->b, 10));
    assert_ok(ask_grab(s->b, GZ_TXY, s->crank, MIDDLE_X, MIDDLE_Y));
    assert_ok(ask_pointer(s->b, GZ_PHASE_MOVE, MIDDLE_X + 3 * METRE_PX(10), MIDDLE_Y));
    gz_trs now = host_node(&s->host, s->crank).trs;
    assert_true(now.t.x > 2.9 && now.t.x < 3.1);
    uint64_t copy = copy_node(s->a, s->crank), own = copy_node(s->b, s->crank);
    assert_ok(ask_pointer(s->b, GZ_PHASE_CANCEL, 0, 0));
    assert_true(host_node(&s->host, s->crank).trs.t.x == 0);
    assert_true(gz_trs_same(&seen(s, copy)->trs, &now));
    assert_true(gz_trs_same(&seen(s, own)->trs, &now));
    reopen(s);
    assert_true(host_node(&s->host, copy).trs.t.x == now.t.x);
}

SCENE_TEST(test_copy_of_none_is_refused)
{
    struct gz_create_node nodes[] = {{.name = {"new", 3}},
                                     {.has = GZ_HAS_CREATE_NODE_COPY, .copy = s->piston},
                                     {.has = GZ_HAS_CREATE_NODE_COPY, .copy = 77}};
    assert_says(ask_copies(s->a, nodes, 3), GZ_UNKNOWN_NODE,
                "create.nodes[2].copy: there is no node 77");
    assert_int_equal(client_last(s->a, GZ_OP_ERROR)->error.nodes.ids[0], 77);
    uint64_t gone = copy_node(s->a, s->piston);
    assert_ok(ask_delete(s->b, gone));
    nodes[2].copy = gone;
    assert_refused(ask_copies(s->a, nodes, 3), GZ_UNKNOWN_NODE);
    assert_int_equal(s->watcher->mirror.count, 2);
}

SCENE_TEST(test_copy_outlives_the_original_and_the_past_knows_it)
{
    uint64_t copy = copy_node(s->a, s->piston), then = gz_core_summary(s->host.core).seq;
    assert_ok(ask_delete(s->b, s->piston));
    assert_piston(seen(s, copy), s->crank);
    assert_ok(ask_delete(s->b, s->crank));
    assert_int_equal(s->watcher->mirror.count, 0);
    reopen(s);
    struct gz_message at = {.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ, .at.seq = then};
    const struct gz_message *ok = client_ask(s->watcher, &at);
    assert_ok(ok);
    assert_int_equal(ok->ok.node_count, 3);
    assert_int_equal(ok->ok.nodes[2].id, copy);
    assert_int_equal(ok->ok.nodes[2].asset, 5);
    struct gz_message restore = {.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = then};
    assert_ok(client_ask(s->a, &restore));
    assert_piston(seen(s, copy), s->crank);
    assert_piston(seen(s, s->piston), s->crank);
    assert_ok(ask_undo(s->a, false));
    assert_int_equal(s->watcher->mirror.count, 0);
    assert_ok(
        ask_undo(s->b, false)); /* the crank and the copy come back, the piston was gone before */
    assert_piston(seen(s, copy), s->crank);
    assert_int_equal(s->watcher->mirror.count, 2);
}

/* The bytes of a file that was replaced are kept as long as the history has its nodes. */
SCENE_TEST(test_copy_comes_back_after_its_file_was_replaced)
{
    uint64_t copy = copy_node(s->a, s->piston), then = gz_core_summary(s->host.core).seq;
    assert_ok(ask_undo(s->a, false));
    import(s);
    assert_true(s->piston > copy);
    assert_int_equal(seen(s, s->piston)->asset, 6 + 5); /* behind the nodes of the first file */
    assert_refused(ask_redo(s->a, false), GZ_CONFLICT); /* its parent was replaced */
    assert_ok(ask_redo(s->a, true));
    assert_int_equal(seen(s, copy)->asset, 5);
    assert_ok(ask_undo(s->a, false));
    struct gz_message restore = {.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ, .restore.seq = then};
    assert_ok(client_ask(s->a, &restore));
    assert_int_equal(s->watcher->mirror.count, 3);
    assert_int_equal(seen(s, copy)->asset, 5);
    struct gz_create_node node = {.has = GZ_HAS_CREATE_NODE_COPY, .copy = s->piston};
    assert_refused(ask_copies(s->a, &node, 1), GZ_UNKNOWN_NODE);
    assert_ok(ask_undo(s->a, false));
    assert_int_equal(s->watcher->mirror.count, 2);
    assert_int_equal(seen(s, s->piston)->asset, 6 + 5);
}

SCENE_TEST(test_copy_that_the_disk_refuses_is_taken_back)
{
    s->host.disk = DISK_REFUSES;
    struct gz_create_node node = {.has = GZ_HAS_CREATE_NODE_COPY, .copy = s->piston};
    assert_refused(ask_copies(s->a, &node, 1), GZ_STORAGE);
    assert_int_equal(s->watcher->mirror.count, 2);
    s->host.disk = DISK_COMMITS;
    host_advance(&s->host, 1);
    assert_piston(seen(s, copy_node(s->a, s->piston)), s->crank);
}
