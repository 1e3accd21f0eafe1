/* Viewers who asked for a part of the scene: whatever others do to it, each has exactly that part,
 * as the scene of one who has the whole says by code that shares nothing with the server. */
#include <stdio.h>

#include "stage.h"

#define NODES_LIMIT 512 /* of the engine with all that is made here */
#define STEPS 160
/* Boxes nearer than this to the border of a part, in metres, may be on either side: the server's
 * are rounded to floats. */
#define BORDER 1e-3L

enum part { SUBTREE, BOX, VIEW };

struct viewer {
    struct gz_client *client;
    enum part part;
    uint64_t root;                   /* SUBTREE */
    gz_box box;                      /* BOX */
    struct gz_camera_message camera; /* VIEW */
};

struct story {
    struct gz_client *whole, *anna;
    struct viewer viewers[3];
    uint64_t random;
};

/* ---- what belongs to a part ---- */

/* Columns of the linear part, then the origin. */
struct place {
    long double m[4][3];
};

static struct place place_of_trs(const gz_trs *trs)
{
    long double x = trs->r.x, y = trs->r.y, z = trs->r.z, w = trs->r.w;
    const long double r[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)},
        {2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)},
        {2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)}};
    const double s[3] = {trs->s.x, trs->s.y, trs->s.z}, t[3] = {trs->t.x, trs->t.y, trs->t.z};
    struct place place;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) place.m[i][k] = r[i][k] * s[i];
        place.m[3][i] = t[i];
    }
    return place;
}

static void carry(const struct place *place, const long double point[3], long double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = place->m[3][k];
        for (int i = 0; i < 3; i++) out[k] += place->m[i][k] * point[i];
    }
}

/* The eight corners of the node's bounds in the world, or its origin eight times; then the box
 * about them. */
struct extent {
    long double corners[8][3], min[3], max[3];
};

static struct extent extent_of(const struct gz_mirror *mirror, const struct gz_mirror_node *node)
{
    struct extent extent;
    const gz_box none = {{0, 0, 0}, {0, 0, 0}}, *box = node->has_bounds ? &node->bounds : &none;
    for (int corner = 0; corner < 8; corner++) {
        long double *at = extent.corners[corner];
        at[0] = corner & 1 ? box->max.x : box->min.x;
        at[1] = corner & 2 ? box->max.y : box->min.y;
        at[2] = corner & 4 ? box->max.z : box->min.z;
        for (const struct gz_mirror_node *up = node; up != NULL;
             up = gz_mirror_find(mirror, up->parent)) {
            struct place place = place_of_trs(&up->trs);
            const long double below[3] = {at[0], at[1], at[2]};
            carry(&place, below, at);
        }
    }
    for (int k = 0; k < 3; k++) {
        extent.min[k] = extent.max[k] = extent.corners[0][k];
        for (int corner = 1; corner < 8; corner++) {
            long double at = extent.corners[corner][k];
            if (at < extent.min[k]) extent.min[k] = at;
            if (at > extent.max[k]) extent.max[k] = at;
        }
    }
    return extent;
}

/* Whether a node belongs to the part, for sure and perhaps. */
struct verdict {
    bool must, may;
};

static struct verdict judge_subtree(const struct gz_mirror *mirror, uint64_t root,
                                    const struct gz_mirror_node *node)
{
    while (node != NULL && node->id != root) node = gz_mirror_find(mirror, node->parent);
    return (struct verdict){node != NULL, node != NULL};
}

static struct verdict judge_box(const gz_box *box, const struct extent *extent)
{
    const double min[3] = {box->min.x, box->min.y, box->min.z},
                 max[3] = {box->max.x, box->max.y, box->max.z};
    struct verdict verdict = {true, true};
    for (int k = 0; k < 3; k++) {
        long double room = fminl(extent->max[k] - min[k], max[k] - extent->min[k]);
        verdict.must = verdict.must && room > BORDER;
        verdict.may = verdict.may && room > -BORDER;
    }
    return verdict;
}

/* How far inside of the four sides of the view a point is; below 0 is outside. */
static void sides_of(const struct gz_camera_message *camera, const long double point[3],
                     long double sides[4], long double *depth)
{
    long double eye[4], clip[3];
    static const int rows[3] = {0, 1, 3};
    for (int row = 0; row < 4; row++) {
        eye[row] = camera->view[12 + row];
        for (int k = 0; k < 3; k++) eye[row] += camera->view[4 * k + row] * point[k];
    }
    for (int i = 0; i < 3; i++) {
        clip[i] = 0;
        for (int k = 0; k < 4; k++) clip[i] += camera->proj[4 * k + rows[i]] * eye[k];
    }
    *depth = clip[2];
    for (int i = 0; i < 4; i++) sides[i] = clip[2] + (i & 1 ? -clip[i / 2] : clip[i / 2]);
}

/* Surely seen is one with a corner of its box in the picture, surely not seen one whose box is
 * beyond one of the sides. */
static struct verdict judge_view(const struct gz_camera_message *camera,
                                 const struct extent *extent)
{
    bool beyond[4] = {true, true, true, true};
    struct verdict verdict = {false, true};
    for (int corner = 0; corner < 8; corner++) {
        long double point[3], sides[4], depth;
        for (int k = 0; k < 3; k++) point[k] = corner >> k & 1 ? extent->max[k] : extent->min[k];
        sides_of(camera, point, sides, &depth);
        bool seen = depth > 1;
        for (int i = 0; i < 4; i++) {
            seen = seen && sides[i] > BORDER;
            beyond[i] = beyond[i] && sides[i] < -BORDER;
        }
        verdict.must = verdict.must || seen;
    }
    for (int i = 0; i < 4; i++) verdict.may = verdict.may && !beyond[i];
    return verdict;
}

static struct verdict judge(const struct viewer *viewer, const struct gz_mirror *mirror,
                            const struct gz_mirror_node *node)
{
    if (viewer->part == SUBTREE) return judge_subtree(mirror, viewer->root, node);
    struct extent extent = extent_of(mirror, node);
    return viewer->part == BOX ? judge_box(&viewer->box, &extent)
                               : judge_view(&viewer->camera, &extent);
}

/* ---- holding it against what the viewer has ---- */

static size_t index_of(const struct gz_mirror_node *const *list, size_t count, uint64_t id)
{
    size_t i = 0;
    while (i < count && list[i]->id != id) i++;
    return i;
}

/* A node is in the part with all that are above it. */
static void judge_all(const struct viewer *viewer, const struct gz_mirror *whole,
                      const struct gz_mirror_node *const *list, size_t count,
                      struct verdict verdicts[NODES_LIMIT])
{
    assert_true(count <= NODES_LIMIT);
    memset(verdicts, 0, count * sizeof verdicts[0]);
    for (size_t i = 0; i < count; i++) {
        struct verdict verdict = judge(viewer, whole, list[i]);
        for (size_t at = i; at < count; at = index_of(list, count, list[at]->parent)) {
            verdicts[at].must = verdicts[at].must || verdict.must;
            verdicts[at].may = verdicts[at].may || verdict.may;
        }
    }
}

/* "" where the viewer has its part of what `whole` has, else in words what is wrong. */
static const char *difference(const struct viewer *viewer, const struct gz_client *whole,
                              char words[256])
{
    const struct gz_mirror *all = gz_client_mirror(whole), *part = gz_client_mirror(viewer->client);
    static const char *const names[] = {"subtree", "box", "view"};
    struct verdict verdicts[NODES_LIMIT];
    size_t count, found = 0;
    const struct gz_mirror_node **list = gz_mirror_list(all, &count);
    assert_non_null(list);
    judge_all(viewer, all, list, count, verdicts);
    words[0] = '\0';
    for (size_t i = 0; i < count && words[0] == '\0'; i++) {
        const struct gz_mirror_node *node = gz_mirror_find(part, list[i]->id);
        if (node == NULL ? verdicts[i].must : !verdicts[i].may)
            snprintf(words, 256, "%s: %s (node %llu) is %s", names[viewer->part], list[i]->name,
                     (unsigned long long)list[i]->id, node == NULL ? "missing" : "too much");
        if (node != NULL) assert_same_node(node, list[i]);
        found += node != NULL;
    }
    if (words[0] == '\0' && found != gz_mirror_count(part))
        snprintf(words, 256, "%s: %zu nodes that are no more", names[viewer->part],
                 gz_mirror_count(part) - found);
    free(list);
    return words;
}

static void check_viewer(const struct viewer *viewer, const struct gz_client *whole,
                         const char *after)
{
    char words[256];
    if (difference(viewer, whole, words)[0] != '\0') fail_msg("after %s: %s", after, words);
}

/* Everybody stands where the scene does, and has what belongs to them there. */
static void settle(struct story *story, const char *after)
{
    stage_ask(story->anna, (struct gz_message){.op = GZ_OP_PING});
    stage_catch_up(story->whole, story->anna);
    for (int i = 0; i < 3; i++) {
        stage_catch_up(story->viewers[i].client, story->whole);
        check_viewer(&story->viewers[i], story->whole, after);
    }
}

/* ---- asking for a part ---- */

static struct gz_message interest_of(const struct viewer *viewer)
{
    struct gz_message message = {.op = GZ_OP_INTEREST};
    if (viewer->part == SUBTREE) message.has = GZ_HAS_INTEREST_NODES;
    if (viewer->part == BOX) message.has = GZ_HAS_INTEREST_BOX;
    if (viewer->part == VIEW) message.has = GZ_HAS_INTEREST_VIEW;
    message.interest =
        (struct gz_interest){.nodes = {&viewer->root, 1}, .box = viewer->box, .view = true};
    return message;
}

/* Joins with the part, so that nothing else is ever told. */
static void join_part(struct stage *stage, struct viewer *viewer, const char *user)
{
    struct gz_message interest = interest_of(viewer),
                      camera = {.op = GZ_OP_CAMERA, .camera = viewer->camera};
    struct gz_client_options options = {
        .url = stage->daemon.url,
        .scene = "engine",
        .user = user,
        .timeout_s = STAGE_SECONDS,
        .interest = &interest,
        .camera = viewer->part == VIEW ? &camera : NULL,
    };
    struct gz_error error = {0};
    assert_true(stage->count < STAGE_CLIENTS_MAX);
    stage_check(gz_client_create(&viewer->client, &options, &error), &error, "join with a part");
    stage->clients[stage->count++] = viewer->client;
    stage_check(gz_client_await(viewer->client, 0, STAGE_SECONDS, &error), &error,
                "first delta of a part");
}

static void await_part(struct gz_client *client, const char *what)
{
    struct gz_error error = {0};
    stage_check(gz_client_await(client, 0, STAGE_SECONDS, &error), &error, what);
}

/* Where a few of the engine's nodes are, and a few are not. */
static const gz_box middle = {{-200, -60, -30}, {20, 60, 30}};

static void begin(struct stage *stage, struct story *story)
{
    stage_import_engine(stage);
    *story = (struct story){.random = 4};
    story->whole = stage_join(stage, "engine", "wanda");
    story->anna = stage_join(stage, "engine", "anna");
    /* The first node below the engine's root that has some of its own below it. */
    size_t count;
    const struct gz_mirror_node **list = gz_mirror_list(gz_client_mirror(story->whole), &count);
    assert_non_null(list);
    uint64_t root = 0;
    for (size_t i = 0; i < count && root == 0; i++) {
        const struct gz_mirror_node *parent =
            gz_mirror_find(gz_client_mirror(story->whole), list[i]->parent);
        if (parent != NULL && parent->parent != 0) root = parent->id;
    }
    free(list);
    assert_int_not_equal(root, 0);
    story->viewers[0] = (struct viewer){.part = SUBTREE, .root = root};
    story->viewers[1] = (struct viewer){.part = BOX, .box = middle};
    story->viewers[2] = (struct viewer){.part = VIEW};
    story->viewers[2].camera =
        message_camera((gz_vec3){150, 90, 260}, (gz_vec3){250, 40, 0}).camera;
    static const char *const names[] = {"sue", "bo", "vic"};
    for (int i = 0; i < 3; i++) join_part(stage, &story->viewers[i], names[i]);
    for (int i = 0; i < 3; i++) {
        check_viewer(&story->viewers[i], story->whole, "joining");
        size_t nodes = gz_mirror_count(gz_client_mirror(story->viewers[i].client));
        assert_in_range(nodes, 2, count - 10); /* else it would be no part */
    }
}

/* ---- what happens ---- */

static uint64_t dice(struct story *story, uint64_t sides)
{
    story->random = story->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (story->random >> 33) % sides;
}

static double between(struct story *story, double low, double high)
{
    return low + (high - low) * (double)dice(story, 1 << 20) / (1 << 20);
}

static uint64_t any_node(struct story *story)
{
    size_t count;
    const struct gz_mirror_node **list = gz_mirror_list(gz_client_mirror(story->whole), &count);
    assert_non_null(list);
    uint64_t id = list[dice(story, count)]->id;
    free(list);
    return id;
}

/* What cannot be, such as a circle of parents, is refused and nothing. */
static const char *set_something(struct story *story)
{
    struct gz_set_node node = {.id = any_node(story)};
    const char *what = "moving a node";
    switch (dice(story, 4)) {
    case 0:
        node.has = GZ_HAS_SET_NODE_S;
        node.trs.s = (gz_vec3){between(story, 0.5, 2), 1, between(story, 0.5, 2)};
        what = "scaling a node";
        break;
    case 1:
        node.has = GZ_HAS_SET_NODE_R;
        node.trs.r = gz_quat_about((gz_vec3){0, 1, 0}, between(story, -3, 3));
        what = "turning a node";
        break;
    case 2:
        node.has = GZ_HAS_STATE_PARENT;
        node.parent = dice(story, 4) != 0 ? any_node(story) : 0;
        what = "giving a node another parent";
        break;
    default:
        node.has = GZ_HAS_STATE_T;
        node.trs.t = (gz_vec3){between(story, -300, 300), between(story, -100, 100),
                               between(story, -150, 150)};
    }
    struct gz_message message = message_set_t(&node);
    enum gz_status status = gz_client_request(story->anna, &message, STAGE_SECONDS, NULL, NULL);
    assert_true(status == GZ_OK || status == GZ_BAD_VALUE);
    return what;
}

static void delete_and_undo(struct story *story)
{
    uint64_t id = any_node(story);
    stage_ask(story->anna, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&id, 1}});
    settle(story, "deleting a node");
    stage_ask(story->anna, (struct gz_message){.op = GZ_OP_UNDO});
    settle(story, "undoing that");
}

/* Grabs a node where others are below it too, and moves it in five steps, each of which everybody
 * sees. */
static void drag(struct story *story)
{
    uint64_t id = any_node(story);
    struct gz_message grab = message_grab(&id, dice(story, 2) != 0 ? GZ_TV : GZ_RV, 700, 400);
    if (gz_client_request(story->anna, &grab, STAGE_SECONDS, NULL, NULL) != GZ_OK)
        return; /* behind the eye, say */
    for (int i = 1; i <= 5; i++) {
        stage_ask(story->anna, message_pointer(GZ_PHASE_MOVE, 700 + 40.0 * i, 400 + 25.0 * i));
        settle(story, "a move of a drag");
    }
    bool keep = dice(story, 2) != 0;
    stage_ask(story->anna, message_pointer(keep ? GZ_PHASE_UP : GZ_PHASE_CANCEL, 900, 525));
    settle(story, keep ? "the end of a drag" : "a cancelled drag");
}

TEST_ON_STAGE(test_parts_are_exact_after_everything_that_others_do)
{
    struct stage *stage = *state;
    struct story story;
    begin(stage, &story);
    stage_ask(story.anna, message_camera((gz_vec3){600, 500, 900}, (gz_vec3){0, 0, 0}));
    for (int step = 0; step < STEPS; step++) {
        switch (dice(&story, 8)) {
        case 0: drag(&story); break;
        case 1: delete_and_undo(&story); break;
        case 2:
            stage_create(story.anna, "new", any_node(&story),
                         (gz_vec3){between(&story, -100, 100), 0, 10});
            settle(&story, "making a node");
            break;
        default: settle(&story, set_something(&story));
        }
    }
}

/* ---- the viewer's own changes ---- */

TEST_ON_STAGE(test_part_can_be_changed_and_given_up)
{
    struct stage *stage = *state;
    struct story story;
    begin(stage, &story);
    struct viewer *viewer = &story.viewers[0];
    for (int round = 0; round < 3; round++) {
        static const enum part parts[] = {BOX, SUBTREE, BOX};
        viewer->part = parts[round];
        viewer->box =
            (gz_box){{-400 + 200.0 * round, -100, -100}, {-250 + 200.0 * round, 100, 100}};
        stage_ask(viewer->client, interest_of(viewer));
        await_part(viewer->client, "another part");
        check_viewer(viewer, story.whole, "asking for another part");
        settle(&story, set_something(&story));
    }
    struct gz_message nothing = {.op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_NODES},
                      whole = {.op = GZ_OP_INTEREST};
    stage_ask(viewer->client, nothing);
    await_part(viewer->client, "nothing");
    assert_int_equal(gz_mirror_count(gz_client_mirror(viewer->client)), 0);
    stage_ask(viewer->client, whole);
    await_part(viewer->client, "the whole scene");
    assert_same_scene(viewer->client, story.whole);
    /* From then on it is a viewer like others, who can resume. */
    gz_client_cut(viewer->client);
    struct gz_error error = {0};
    stage_check(gz_client_reconnect(viewer->client, &error), &error, "reconnect");
    assert_true(gz_client_welcome(viewer->client)->resumed);
    stage_catch_up(viewer->client, story.whole);
    assert_same_scene(viewer->client, story.whole);
}

TEST_ON_STAGE(test_part_in_view_follows_the_camera)
{
    struct stage *stage = *state;
    struct story story;
    begin(stage, &story);
    struct viewer *viewer = &story.viewers[2];
    char words[256];
    for (int i = 0; i < 8; i++) {
        struct gz_message camera =
            message_camera((gz_vec3){150, 90, 260 - 20.0 * i}, (gz_vec3){250 - 60.0 * i, 40, 0});
        viewer->camera = camera.camera;
        stage_ask(viewer->client, camera);
        while (difference(viewer, story.whole, words)[0] != '\0')
            if (gz_client_next(viewer->client, STAGE_SECONDS) == NULL)
                fail_msg("the view moved: %s", words);
    }
    settle(&story, "moving the view");
}

TEST_ON_STAGE(test_part_refused_leaves_the_one_before)
{
    struct stage *stage = *state;
    struct story story;
    begin(stage, &story);
    struct viewer *viewer = &story.viewers[1];
    uint64_t nobody = 999999;
    struct gz_message unknown = {.op = GZ_OP_INTEREST,
                                 .has = GZ_HAS_INTEREST_NODES,
                                 .interest.nodes = {&nobody, 1}},
                      view = {
                          .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_VIEW, .interest.view = true};
    stage_refused(viewer->client, unknown, GZ_UNKNOWN_NODE);
    stage_refused(viewer->client, view, GZ_BAD_STATE);
    settle(&story, set_something(&story));
    gz_client_cut(viewer->client);
    struct gz_error error = {0};
    stage_check(gz_client_reconnect(viewer->client, &error), &error, "reconnect");
    settle(&story, "a refused part and a reconnect");
}

/* ---- connections that are lost ---- */

TEST_ON_STAGE(test_part_is_asked_for_again_after_a_lost_connection)
{
    struct stage *stage = *state;
    struct story story;
    begin(stage, &story);
    struct gz_error error = {0};
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 3; i++) gz_client_cut(story.viewers[i].client);
        for (int i = 0; i < 10; i++) set_something(&story);
        if (round == 2) {
            test_daemon_kill(&stage->daemon);
            test_daemon_start(&stage->daemon, NULL, NULL);
            stage_check(gz_client_reconnect(story.anna, &error), &error, "reconnect");
            stage_check(gz_client_reconnect(story.whole, &error), &error, "reconnect");
        }
        for (int i = 0; i < 3; i++) {
            stage_check(gz_client_reconnect(story.viewers[i].client, &error), &error, "reconnect");
            await_part(story.viewers[i].client, "the part again");
        }
        settle(&story, "a reconnect");
    }
}

TEST_ON_STAGE(test_part_whose_root_is_gone_is_said_when_joining_again)
{
    struct stage *stage = *state;
    struct story story;
    begin(stage, &story);
    struct viewer *viewer = &story.viewers[0];
    stage_ask(story.anna, (struct gz_message){.op = GZ_OP_DELETE, .remove = {&viewer->root, 1}});
    settle(&story, "deleting the root of a part");
    assert_int_equal(gz_mirror_count(gz_client_mirror(viewer->client)), 0);
    gz_client_cut(viewer->client);
    struct gz_error error = {0};
    assert_int_equal(gz_client_reconnect(viewer->client, &error), GZ_UNKNOWN_NODE);
    assert_false(gz_client_is_open(viewer->client));
    stage_check(gz_client_reconnect(viewer->client, &error), &error, "joining the whole scene");
    stage_catch_up(viewer->client, story.whole);
    stage_catch_up(story.whole, viewer->client);
    assert_same_scene(viewer->client, story.whole);
}

/* An interest of thousands of ids is longer than what the server takes before it knows somebody. */
TEST_ON_STAGE(test_part_of_more_roots_than_fit_beside_hello)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "many", "anna");
    enum { NODES = 2000 };
    static struct gz_create_node nodes[NODES];
    static uint64_t roots[NODES / 2];
    for (int i = 0; i < NODES; i++)
        nodes[i] = (struct gz_create_node){.name = gz_client_text("part"), .trs = gz_trs_identity};
    const struct gz_message *answer =
        stage_ask(anna, (struct gz_message){.op = GZ_OP_CREATE, .create = {nodes, NODES}});
    for (int i = 0; i < NODES / 2; i++) roots[i] = answer->ok.ids.ids[2 * i];
    const struct gz_message interest = {
        .op = GZ_OP_INTEREST, .has = GZ_HAS_INTEREST_NODES, .interest.nodes = {roots, NODES / 2}};
    struct gz_client_options options = {.url = stage->daemon.url,
                                        .scene = "many",
                                        .user = "bert",
                                        .timeout_s = STAGE_SECONDS,
                                        .interest = &interest};
    struct gz_client *bert;
    struct gz_error error = {0};
    stage_check(gz_client_create(&bert, &options, &error), &error, "join");
    stage->clients[stage->count++] = bert;
    for (int round = 0; round < 2; round++) {
        await_part(bert, "half of the nodes");
        assert_int_equal(gz_mirror_count(gz_client_mirror(bert)), NODES / 2);
        for (int i = 0; i < NODES / 2; i++) node_in(bert, roots[i]);
        gz_client_cut(bert);
        stage_check(gz_client_reconnect(bert, &error), &error, "reconnect");
    }
}

/* ---- what it is for ---- */

TEST_ON_STAGE(test_part_costs_its_viewer_a_fraction_of_the_bytes)
{
    struct stage *stage = *state;
    struct story story;
    begin(stage, &story);
    struct viewer nook = {.part = BOX, .box = {{5000, 5000, 5000}, {5001, 5001, 5001}}};
    join_part(stage, &nook, "nora");
    uint64_t joining = gz_client_received_bytes(nook.client),
             all = gz_client_received_bytes(story.whole);
    print_message("joining: %llu bytes, of the whole scene %llu\n", (unsigned long long)joining,
                  (unsigned long long)all);
    assert_true(4 * joining < all);
    for (int i = 0; i < 300; i++) {
        struct gz_set_node nodes[20];
        for (int k = 0; k < 20; k++)
            nodes[k] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T,
                                            .id = 10 + (uint64_t)k,
                                            .trs.t = {i + 1.0 / 3, k + i / 7.0, i / 9.0}};
        uint64_t seq =
            stage_ask(story.anna,
                      (struct gz_message){.op = GZ_OP_SET, .set = {.nodes = nodes, .count = 20}})
                ->ok.seq;
        /* Who does not read is told less, later: here everybody is told of each. */
        struct gz_error error = {0};
        stage_check(gz_client_await(story.whole, seq, STAGE_SECONDS, &error), &error, "an edit");
    }
    settle(&story, "many edits");
    stage_catch_up(nook.client, story.whole);
    uint64_t told = gz_client_received_bytes(nook.client) - joining,
             most = gz_client_received_bytes(story.whole) - all;
    print_message("300 edits of 20 nodes: %llu bytes, of the whole scene %llu\n",
                  (unsigned long long)told, (unsigned long long)most);
    assert_true(4 * told < most);
}
