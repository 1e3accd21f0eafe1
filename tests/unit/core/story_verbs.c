/* The sentences of the stories: what people ask of the core, what the disk does meanwhile, and what
 * has to be so. Places are in metres from the middle of the window (30 px each, as seen from 10 m)
 * unless they are in px. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "unit/core/story.h"

#define METRE METRE_PX(10)
#define NEAR 1e-9

/* ---- people ---- */

static struct client *cast(struct story *s, struct client *client)
{
    assert_true(s->cast_count < STORY_CAST_MAX);
    s->cast[s->cast_count++] = client;
    return client;
}

static void do_join(struct story *s)
{
    int role = gz_vocabulary_value(&gz_role_words, s->word[1], strlen(s->word[1]));
    assert_true(role >= 0);
    cast(s, client_join(&s->host, s->word[0], (enum gz_role)role));
}

static void do_join_drawing(struct story *s)
{
    cast(s, client_join_drawing(&s->host, s->word[0]));
}

static void do_leave(struct story *s)
{
    client_leave(s->who);
}

static void do_come_back(struct story *s)
{
    client_resume(s->who);
}

static void do_all_come_back(struct story *s)
{
    for (size_t i = 0; i < s->cast_count; i++) client_resume(s->cast[i]);
    host_turn(&s->host);
}

static void was_resumed(struct story *s)
{
    assert_true(s->who->resumed);
}

static void was_not_resumed(struct story *s)
{
    assert_false(s->who->resumed);
}

/* ---- the disk, the past and the clock ---- */

static void do_disk(struct story *s)
{
    static const char *const does[] = {"commits", "waits", "refuses"};
    static const struct gz_vocabulary list = {does, COUNT(does)};
    int disk = gz_vocabulary_value(&list, s->word[0], strlen(s->word[0]));
    assert_true(disk >= 0);
    s->host.disk = (enum host_disk)disk;
}

static void do_batch(struct story *s)
{
    host_settle(&s->host, strcmp(s->word[0], "committed") == 0);
}

static void do_keys(struct story *s)
{
    s->host.keys_fail = strcmp(s->word[0], "lost") == 0;
}

static void do_past(struct story *s)
{
    s->host.past_waits = strcmp(s->word[0], "waits") == 0;
    s->host.past_fails = strcmp(s->word[0], "fails") == 0;
}

static void do_restart(struct story *s)
{
    host_restart(&s->host, false);
}

static void do_turn(struct story *s)
{
    host_turn(&s->host);
}

static void do_advance(struct story *s)
{
    host_advance(&s->host, s->x[0]);
}

static void has_edits(struct story *s)
{
    assert_int_equal(s->host.store.edit_count, s->ids[0]);
}

static void has_open_drags(struct story *s)
{
    assert_int_equal(s->host.store.open_count, s->ids[0]);
}

/* ---- requests ---- */

static void put_place(struct gz_message *message, double x, double y)
{
    message->has |= GZ_HAS_POINTER_AT;
    message->pointer.at[0] = MIDDLE_X + x;
    message->pointer.at[1] = MIDDLE_Y + y;
}

static void fill_metres(struct story *s)
{
    put_place(&s->message, s->x[0] * METRE, -s->x[1] * METRE);
}

static void fill_pixels(struct story *s)
{
    put_place(&s->message, s->x[0], s->x[1]);
}

/* By the plane handle unless a word names another: the node then goes where the pointer goes. */
static void fill_grab(struct story *s)
{
    const char *word = s->word_count > 0 ? s->word[0] : "txy";
    int handle = gz_vocabulary_value(&gz_handle_words, word, strlen(word));
    assert_true(handle > 0);
    put_place(&s->message, s->x[0] * METRE, -s->x[1] * METRE);
    s->message.pointer.phase = GZ_PHASE_DOWN;
    s->message.pointer.handle = (enum gz_handle)handle;
    if (s->id_count == 0) return;
    s->message.has |= GZ_HAS_POINTER_NODES;
    s->message.pointer.nodes = (struct gz_ids){s->ids, s->id_count};
}

static void fill_camera(struct story *s)
{
    s->message = camera_message(s->x[0]);
}

static void fill_wheel(struct story *s)
{
    s->message.wheel.dy = s->x[0];
}

static void fill_mode(struct story *s)
{
    int mode = gz_vocabulary_value(&gz_mode_words, s->word[0], strlen(s->word[0]));
    assert_true(mode >= 0);
    s->message.tool.mode = (enum gz_mode)mode;
}

static void fill_select(struct story *s)
{
    s->message.select.nodes = (struct gz_ids){s->ids, s->id_count};
}

static void fill_delete(struct story *s)
{
    s->message.remove = (struct gz_ids){s->ids, s->id_count};
}

static void fill_at(struct story *s)
{
    s->message.at.seq = s->ids[0];
}

static void fill_restore(struct story *s)
{
    s->message.restore.seq = s->ids[0];
}

static void fill_note(struct story *s)
{
    s->message.note.text = (struct gz_text){s->word[0], strlen(s->word[0])};
}

static void fill_revert(struct story *s)
{
    s->message.revert.edit = s->ids[0];
}

/* ---- requests with nodes in them ---- */

static void fill_set(struct story *s)
{
    for (size_t i = 0; i < s->id_count; i++) {
        s->set[i] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_T, .id = s->ids[i]};
        s->set[i].trs.t = (gz_vec3){s->x[0], s->x[1], s->x[2]};
    }
    s->message.set.nodes = s->set;
    s->message.set.count = s->id_count;
}

/* One coordinate of each. */
static void fill_set_axis(struct story *s)
{
    const char axis = s->word[0][0];
    fill_set(s);
    assert_true(axis >= 'x' && axis <= 'z');
    for (size_t i = 0; i < s->id_count; i++) {
        s->set[i].has = (uint64_t)GZ_HAS_SET_NODE_X << (axis - 'x');
        s->set[i].trs.t = (gz_vec3){s->x[0], s->x[0], s->x[0]};
    }
}

static void fill_pose(struct story *s)
{
    fill_set(s);
    s->message.pose = (struct gz_pose_message){.nodes = s->set, .count = s->id_count};
}

static void fill_pose_axis(struct story *s)
{
    fill_set_axis(s);
    s->message.pose = (struct gz_pose_message){.nodes = s->set, .count = s->id_count};
}

static void fill_pose_turn(struct story *s)
{
    const char axis = s->word[0][0];
    const double half = s->x[0] / 2, on = sin(half);
    fill_pose(s);
    for (size_t i = 0; i < s->id_count; i++) {
        s->set[i].has = GZ_HAS_SET_NODE_R;
        s->set[i].trs.r =
            (gz_quat){axis == 'x' ? on : 0, axis == 'y' ? on : 0, axis == 'z' ? on : 0, cos(half)};
    }
}

/* The last number is the hold's. */
static void fill_pose_in(struct story *s)
{
    const uint64_t hold = s->ids[--s->id_count];
    fill_pose(s);
    s->message.pose.hold = hold;
}

static void fill_hold(struct story *s)
{
    s->message.hold.nodes = (struct gz_ids){s->ids, s->id_count};
}

static void fill_hold_as(struct story *s)
{
    s->message.hold.hold = s->ids[--s->id_count];
    fill_hold(s);
}

static void fill_release(struct story *s)
{
    s->message.pose.hold = s->ids[0];
}

static void fill_set_since(struct story *s)
{
    s->message.set.base = s->ids[--s->id_count];
    fill_set(s);
}

static void fill_name(struct story *s)
{
    struct gz_text name = {s->word[0], strlen(s->word[0])};
    s->set[0] = (struct gz_set_node){.has = GZ_HAS_SET_NODE_NAME, .id = s->ids[0], .name = name};
    s->message.set = (struct gz_set){s->set, 1, 0};
}

static void fill_hang(struct story *s)
{
    s->set[0] =
        (struct gz_set_node){.has = GZ_HAS_SET_NODE_PARENT, .id = s->ids[0], .parent = s->ids[1]};
    s->message.set = (struct gz_set){s->set, 1, 0};
}

static void fill_hang_in_place(struct story *s)
{
    fill_hang(s);
    s->set[0].keep = true;
}

/* As many nodes as there are names, each with a box of one metre about its origin. The names stand
 * for the ids from now on; while the disk waits, these are what the maker sees. */
static void create(struct story *s, struct gz_text first_name)
{
    struct gz_create_node nodes[STORY_WORDS_MAX];
    for (size_t i = 0; i < s->word_count; i++) {
        nodes[i] = (struct gz_create_node){.has = GZ_HAS_CREATE_NODE_BOUNDS,
                                           .name = {s->word[i], strlen(s->word[i])},
                                           .bounds = {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}}};
        if (s->id_count > 0) nodes[i].has |= GZ_HAS_CREATE_NODE_PARENT;
        if (s->x_count > 0) nodes[i].has |= GZ_HAS_CREATE_NODE_T;
        nodes[i].parent = s->ids[0];
        nodes[i].trs.t = (gz_vec3){s->x[0], s->x[1], s->x[2]};
    }
    nodes[0].name = first_name;
    s->message = (struct gz_message){.op = GZ_OP_CREATE, .create = {nodes, s->word_count}};
    story_ask(s);
    const struct mirror *mirror = &s->who->mirror;
    if (s->answer == NULL) story_remember(s, s->word[0], mirror->nodes[mirror->count - 1].id);
    if (s->answer == NULL || s->answer->op != GZ_OP_OK) return;
    assert_int_equal(s->answer->ok.ids.count, s->word_count);
    for (size_t i = 0; i < s->word_count; i++)
        story_remember(s, s->word[i], s->answer->ok.ids.ids[i]);
}

static void do_create(struct story *s)
{
    create(s, (struct gz_text){s->word[0], strlen(s->word[0])});
}

static void do_create_nameless(struct story *s)
{
    create(s, (struct gz_text){"", 0});
}

/* ---- what the answer says ---- */

static const struct gz_ok *ok_of(const struct story *s)
{
    assert_non_null(s->answer);
    assert_int_equal(s->answer->op, GZ_OP_OK);
    return &s->answer->ok;
}

static bool answer_has(const struct story *s, const char *field)
{
    static const char *const fields[] = {"edit", "seq", "ids", "hit", "handle"};
    static const uint64_t bits[] = {GZ_HAS_OK_EDIT, GZ_HAS_OK_SEQ, GZ_HAS_OK_IDS, GZ_HAS_OK_HIT,
                                    GZ_HAS_OK_HANDLE};
    static const struct gz_vocabulary list = {fields, COUNT(fields)};
    int i = gz_vocabulary_value(&list, field, strlen(field));
    assert_true(i >= 0);
    (void)ok_of(s);
    return (s->answer->has & bits[i]) != 0;
}

static void answer_has_field(struct story *s)
{
    assert_true(answer_has(s, s->word[0]));
}

static void answer_has_no_field(struct story *s)
{
    assert_false(answer_has(s, s->word[0]));
}

static uint64_t answered(const struct story *s, const char *field)
{
    assert_true(answer_has(s, field));
    const struct gz_ok *ok = ok_of(s);
    if (strcmp(field, "edit") == 0) return ok->edit;
    if (strcmp(field, "seq") == 0) return ok->seq;
    if (strcmp(field, "hit") == 0) return ok->hit;
    assert_string_equal(field, "ids");
    return ok->ids.ids[0];
}

/* ---- checkpoints ---- */

static void fill_checkpoint(struct story *s)
{
    s->message.checkpoint.name = (struct gz_text){s->word[0], strlen(s->word[0])};
    s->message.checkpoint.seq = s->ids[0];
}

static void fill_at_checkpoint(struct story *s)
{
    s->message.at.checkpoint = (struct gz_text){s->word[0], strlen(s->word[0])};
}

static void fill_restore_checkpoint(struct story *s)
{
    s->message.restore.checkpoint = (struct gz_text){s->word[0], strlen(s->word[0])};
}

/* "name seq user" of each, with semicolons between. */
static void finds_checkpoints(struct story *s)
{
    char text[STORY_TEXT_MAX] = "";
    s->message = (struct gz_message){.op = GZ_OP_CHECKPOINTS};
    story_ask(s);
    assert_true(s->answer->has & GZ_HAS_OK_CHECKPOINTS);
    for (size_t i = 0; i < s->answer->ok.checkpoint_count; i++) {
        const struct gz_checkpoint_state *one = &s->answer->ok.checkpoints[i];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%.*s %d %.*s", i > 0 ? "; " : "",
                 (int)one->name.size, one->name.bytes, (int)one->seq, (int)one->user.size,
                 one->user.bytes);
    }
    assert_string_equal(text, s->word[0]);
}

static void was_told_times(struct story *s)
{
    assert_int_equal(s->who->checkpoints.messages, s->ids[0]);
}

static void holds_checkpoints(struct story *s)
{
    assert_int_equal(s->who->checkpoints.count, s->ids[0]);
}

/* Of this one alone, with what it was. */
static void assert_told(struct story *s, bool gone)
{
    const struct gz_message *last = client_last(s->who, GZ_OP_CHECKPOINT_NEWS);
    assert_non_null(last);
    assert_int_equal(last->checkpoint_news.count, 1);
    const struct gz_checkpoint_state *told = last->checkpoint_news.checkpoints;
    assert_int_equal(told->name.size, strlen(s->word[0]));
    assert_memory_equal(told->name.bytes, s->word[0], told->name.size);
    assert_int_equal(told->user.size, strlen(s->other->user));
    assert_memory_equal(told->user.bytes, s->other->user, told->user.size);
    assert_int_equal(told->gone, gone);
}

static void was_told(struct story *s)
{
    assert_told(s, false);
}

static void was_told_gone(struct story *s)
{
    assert_told(s, true);
}

static void do_history(struct story *s)
{
    s->host.kept_since = s->ids[0];
}

/* The answer is about it, and it is not somebody else's to redo. */
static void ends_with_undo(struct story *s)
{
    const struct gz_edit_record *edit = &s->host.store.edits[s->host.store.edit_count - 1];
    assert_int_equal(edit->kind, GZ_EDIT_UNDO);
    assert_int_equal(edit->target, s->ids[0]);
    assert_int_equal(edit->id, answered(s, "edit"));
    assert_false(edit->reverts);
}

/* ---- a file that replaces the scene: a root and a leaf ---- */

static void handle_import(void *context, enum gz_status status, const char *message)
{
    struct story *s = context;
    story_assert_outcome(s, status, message);
    s->outcome.waits = true; /* nothing more is to come */
}

static void do_import(struct story *s)
{
    struct gz_core_import_node nodes[] = {
        {-1, {.name = "root", .trs = gz_trs_identity}},
        {0, {.name = "leaf", .trs = gz_trs_identity, .asset = 1}},
    };
    struct gz_core_import import = {.user = s->who->user,
                                    .nodes = nodes,
                                    .count = COUNT(nodes),
                                    .asset = (const uint8_t *)"glTF",
                                    .asset_size = 4,
                                    .done = handle_import,
                                    .context = s};
    struct gz_error error = {.message = ""};
    enum gz_status status = gz_core_import(s->host.core, &import, s->host.now, &error);
    if (status != GZ_OK) handle_import(s, status, error.message);
    host_turn(&s->host);
    assert_true(s->outcome.waits); /* it was answered */
}

static void has_file(struct story *s)
{
    assert_true(gz_core_summary(s->host.core).assets > 0);
}

static void has_no_file(struct story *s)
{
    assert_int_equal(gz_core_summary(s->host.core).assets, 0);
}

/* ---- answers ---- */

static void was_answered(struct story *s)
{
    story_assert_answer(s, client_answer(s->who, s->who->next_rid - 1 - s->ids[0]));
}

static void was_not_answered(struct story *s)
{
    assert_null(client_answer(s->who, s->who->next_rid - 1 - s->ids[0]));
}

static void answer_is(struct story *s)
{
    assert_int_equal(answered(s, s->word[0]), s->ids[0]);
}

static void answer_is_not(struct story *s)
{
    assert_int_not_equal(answered(s, s->word[0]), s->ids[0]);
}

static void answer_has_handle(struct story *s)
{
    assert_string_equal(gz_vocabulary_word(&gz_handle_words, (int)ok_of(s)->handle), s->word[0]);
}

static void do_remember_answer(struct story *s)
{
    story_remember(s, s->word[1], answered(s, s->word[0]));
}

static void do_remember_seq(struct story *s)
{
    story_remember(s, s->word[0], gz_core_summary(s->host.core).seq);
}

static const struct gz_error_message *error_of(const struct story *s)
{
    assert_non_null(s->answer);
    assert_int_equal(s->answer->op, GZ_OP_ERROR);
    return &s->answer->error;
}

static void error_is_about(struct story *s)
{
    const struct gz_error_message *error = error_of(s);
    assert_int_equal(error->nodes.count, s->id_count);
    for (size_t i = 0; i < s->id_count; i++) assert_int_equal(error->nodes.ids[i], s->ids[i]);
}

static void error_names_holder(struct story *s)
{
    assert_int_equal(error_of(s)->holder, s->who->id);
}

static void answer_has_nodes(struct story *s)
{
    assert_int_equal(ok_of(s)->node_count, s->ids[0]);
}

static void answer_shows(struct story *s)
{
    const struct gz_ok *ok = ok_of(s);
    size_t i = 0;
    while (i < ok->node_count && ok->nodes[i].id != s->ids[0]) i++;
    assert_true(i < ok->node_count);
    const gz_vec3 place = ok->nodes[i].trs.t;
    assert_true(place.x == s->x[0] && place.y == s->x[1] && place.z == s->x[2]);
}

/* ---- what is told ---- */

static void has_heard(struct story *s)
{
    assert_int_equal(client_count(s->who, GZ_OP_EDIT), s->ids[0]);
}

static const struct gz_edit_message *last_edit(const struct client *client)
{
    const struct gz_message *message = client_last(client, GZ_OP_EDIT);
    assert_non_null(message);
    return &message->edit;
}

/* The edit that the last answer was about. */
static void hears_of_it(struct story *s)
{
    assert_int_equal(last_edit(s->who)->id, ok_of(s)->edit);
    assert_int_equal(last_edit(s->who)->seq, ok_of(s)->seq);
}

static void hears_of_kind(struct story *s)
{
    const struct gz_edit_message *edit = last_edit(s->who);
    assert_string_equal(gz_vocabulary_word(&gz_edit_kind_words, (int)edit->kind), s->word[0]);
    assert_int_equal(edit->by, s->other->id);
    assert_int_equal(edit->user.size, strlen(s->other->user));
    assert_memory_equal(edit->user.bytes, s->other->user, edit->user.size);
}

static void hears_of_handle(struct story *s)
{
    assert_string_equal(gz_vocabulary_word(&gz_handle_words, (int)last_edit(s->who)->handle),
                        s->word[0]);
}

static void do_remember_heard(struct story *s)
{
    story_remember(s, s->word[0], last_edit(s->who)->id);
}

static void hears_of_nodes(struct story *s)
{
    const struct gz_edit_message *edit = last_edit(s->who);
    assert_int_equal(edit->nodes.count, s->id_count);
    for (size_t i = 0; i < s->id_count; i++) assert_int_equal(edit->nodes.ids[i], s->ids[i]);
}

static void hears_of_no_node(struct story *s)
{
    assert_int_equal(last_edit(s->who)->nodes.count, 0);
}

static void hears_refusal(struct story *s)
{
    const struct gz_message *error = client_last(s->who, GZ_OP_ERROR);
    assert_non_null(error);
    assert_string_equal(gz_status_word(error->error.code), s->word[0]);
}

static void is_saved(struct story *s)
{
    assert_int_equal(s->who->saved, s->who->mirror.seq);
}

static void is_not_saved(struct story *s)
{
    assert_true(s->who->saved < s->who->mirror.seq);
}

/* ---- nodes, in the core and as somebody sees them ---- */

static const struct gz_content *seen(const struct story *s)
{
    const struct mirror_node *node = mirror_find(&s->who->mirror, s->ids[0]);
    assert_non_null(node);
    return &node->content;
}

static void assert_within(gz_vec3 place, const struct story *s, double most)
{
    bool all = fabs(place.x - s->x[0]) <= most && fabs(place.y - s->x[1]) <= most &&
               fabs(place.z - s->x[2]) <= most;
    if (!all) fail_msg("it is at %.17g %.17g %.17g", place.x, place.y, place.z);
}

static void is_at(struct story *s)
{
    assert_within(host_node(&s->host, s->ids[0]).trs.t, s, 0);
}

static void is_near(struct story *s)
{
    assert_within(host_node(&s->host, s->ids[0]).trs.t, s, NEAR);
}

static void is_scaled(struct story *s)
{
    gz_vec3 scale = host_node(&s->host, s->ids[0]).trs.s;
    assert_true(fabs(scale.x - s->x[0]) < 1e-12 && fabs(scale.y - s->x[0]) < 1e-12);
}

static void is_below(struct story *s)
{
    assert_int_equal(host_node(&s->host, s->ids[0]).parent, s->ids[1]);
}

static void do_keep(struct story *s)
{
    s->kept = host_node(&s->host, s->ids[0]).trs;
}

static void sees_kept(struct story *s)
{
    assert_memory_equal(&seen(s)->trs, &s->kept, sizeof s->kept);
}

static void sees_at(struct story *s)
{
    assert_within(seen(s)->trs.t, s, 0);
}

static void sees_near(struct story *s)
{
    assert_within(seen(s)->trs.t, s, NEAR);
}

static void sees_named(struct story *s)
{
    assert_string_equal(seen(s)->name, s->word[0]);
}

static void sees_below(struct story *s)
{
    assert_int_equal(seen(s)->parent, s->ids[1]);
}

static void sees(struct story *s)
{
    for (size_t i = 0; i < s->id_count; i++)
        assert_non_null(mirror_find(&s->who->mirror, s->ids[i]));
}

static void sees_no(struct story *s)
{
    for (size_t i = 0; i < s->id_count; i++) assert_null(mirror_find(&s->who->mirror, s->ids[i]));
}

static void sees_count(struct story *s)
{
    assert_int_equal(s->who->mirror.count, s->ids[0]);
}

#define POINTER(of)                                                                                \
    {                                                                                              \
        .op = GZ_OP_POINTER, .pointer.phase = GZ_PHASE_##of                                        \
    }

/* Says nothing to the core. */
#define NOTHING                                                                                    \
    {                                                                                              \
        .op = GZ_OP_COUNT                                                                          \
    }

/* The first form that a sentence has is meant: narrow ones stand before wide ones. */
const struct story_verb story_verbs[] = {
    {"PERSON joins as ROLE", do_join, NOTHING},
    {"PERSON joins drawing", do_join_drawing, NOTHING},
    {"WHO leaves", do_leave, NOTHING},
    {"WHO comes back", do_come_back, NOTHING},
    {"everybody comes back", do_all_come_back, NOTHING},
    {"WHO went on from what was seen", was_resumed, NOTHING},
    {"WHO had to begin anew", was_not_resumed, NOTHING},

    {"disk DOES", do_disk, NOTHING},
    {"batch is OUTCOME", do_batch, NOTHING},
    {"keys are STATE", do_keys, NOTHING},
    {"past DOES", do_past, NOTHING},
    {"server restarts", do_restart, NOTHING},
    {"turn passes", do_turn, NOTHING},
    {"X seconds pass", do_advance, NOTHING},
    {"disk has N edits", has_edits, NOTHING},
    {"disk has N open drags", has_open_drags, NOTHING},

    {"WHO looks from X", fill_camera, {.op = GZ_OP_CAMERA}},
    {"WHO takes NODES at X X", fill_grab, {.op = GZ_OP_GRAB}},
    {"WHO takes NODES by HANDLE at X X", fill_grab, {.op = GZ_OP_GRAB}},
    {"WHO takes NODES by HANDLE", fill_grab, {.op = GZ_OP_GRAB}},
    {"WHO takes what is selected by HANDLE", fill_grab, {.op = GZ_OP_GRAB}},
    {"WHO takes what is selected", fill_grab, {.op = GZ_OP_GRAB}},
    {"WHO takes NODES", fill_grab, {.op = GZ_OP_GRAB}},
    {"WHO hovers at X X px", fill_pixels, POINTER(HOVER)},
    {"WHO presses at X X px", fill_pixels, POINTER(DOWN)},
    {"WHO presses at X X", fill_metres, POINTER(DOWN)},
    {"WHO moves to X X px", fill_pixels, POINTER(MOVE)},
    {"WHO moves to X X", fill_metres, POINTER(MOVE)},
    {"WHO lets go at X X px", fill_pixels, POINTER(UP)},
    {"WHO lets go at X X", fill_metres, POINTER(UP)},
    {"WHO cancels", NULL, POINTER(CANCEL)},
    {"WHO holds nothing", NULL, {.op = GZ_OP_HOLD}},
    {"WHO holds NODES as N", fill_hold_as, {.op = GZ_OP_HOLD}},
    {"WHO holds NODES without path",
     fill_hold,
     {.op = GZ_OP_HOLD, .has = GZ_HAS_HOLD_PATH, .hold.path = false}},
    {"WHO holds NODES", fill_hold, {.op = GZ_OP_HOLD}},
    {"WHO poses NODES at X X X in N", fill_pose_in, {.op = GZ_OP_POSE}},
    {"WHO poses NODES at X X X", fill_pose, {.op = GZ_OP_POSE}},
    {"WHO poses AXIS of NODES at X", fill_pose_axis, {.op = GZ_OP_POSE}},
    {"WHO turns NODES about AXIS by X", fill_pose_turn, {.op = GZ_OP_POSE}},
    {"WHO releases", NULL, {.op = GZ_OP_RELEASE}},
    {"WHO releases N", fill_release, {.op = GZ_OP_RELEASE}},
    {"WHO gives up", NULL, {.op = GZ_OP_CANCEL}},
    {"WHO gives up N", fill_release, {.op = GZ_OP_CANCEL}},
    {"WHO turns wheel by X", fill_wheel, {.op = GZ_OP_WHEEL}},
    {"WHO chooses mode MODE", fill_mode, {.op = GZ_OP_TOOL, .has = GZ_HAS_TOOL_MODE}},
    {"WHO selects nothing", NULL, {.op = GZ_OP_SELECT}},
    {"WHO selects NODES", fill_select, {.op = GZ_OP_SELECT, .select.how = GZ_HOW_SET}},

    {"WHO creates NAME", do_create, NOTHING},
    {"WHO creates NAME at X X X", do_create, NOTHING},
    {"WHO creates NAME below NODE", do_create, NOTHING},
    {"WHO creates NAME below NODE at X X X", do_create, NOTHING},
    {"WHO creates NAME without name at X X X", do_create_nameless, NOTHING},
    {"WHO creates NAME and NAME together", do_create, NOTHING},
    {"WHO puts NODE at X X X unless it changed since N",
     fill_set_since,
     {.op = GZ_OP_SET, .has = GZ_HAS_SET_BASE}},
    {"WHO puts NODES at X X X", fill_set, {.op = GZ_OP_SET}},
    {"WHO puts AXIS of NODES at X", fill_set_axis, {.op = GZ_OP_SET}},
    {"WHO names NODE NAME", fill_name, {.op = GZ_OP_SET}},
    {"WHO hangs NODE below NODE", fill_hang, {.op = GZ_OP_SET}},
    {"WHO hangs NODE in place below NODE", fill_hang_in_place, {.op = GZ_OP_SET}},
    {"WHO deletes NODES", fill_delete, {.op = GZ_OP_DELETE}},
    {"WHO undoes", NULL, {.op = GZ_OP_UNDO}},
    {"WHO undoes by force", NULL, {.op = GZ_OP_UNDO, .force = true}},
    {"WHO redoes", NULL, {.op = GZ_OP_REDO}},
    {"WHO redoes by force", NULL, {.op = GZ_OP_REDO, .force = true}},
    {"WHO reverts N", fill_revert, {.op = GZ_OP_REVERT}},
    {"WHO reverts N by force", fill_revert, {.op = GZ_OP_REVERT, .revert.force = true}},
    {"WHO asks for state N", fill_at, {.op = GZ_OP_AT, .has = GZ_HAS_AT_SEQ}},
    {"WHO restores state N", fill_restore, {.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_SEQ}},
    {"WHO asks for history", NULL, {.op = GZ_OP_HISTORY}},
    {"WHO makes checkpoint NAME", fill_checkpoint, {.op = GZ_OP_CHECKPOINT}},
    {"WHO makes checkpoint NAME of N",
     fill_checkpoint,
     {.op = GZ_OP_CHECKPOINT, .has = GZ_HAS_CHECKPOINT_SEQ}},
    {"WHO takes checkpoint NAME away",
     fill_checkpoint,
     {.op = GZ_OP_CHECKPOINT, .checkpoint.gone = true}},
    {"WHO takes checkpoint NAME of N away",
     fill_checkpoint,
     {.op = GZ_OP_CHECKPOINT, .has = GZ_HAS_CHECKPOINT_SEQ, .checkpoint.gone = true}},
    {"WHO asks for checkpoint NAME",
     fill_at_checkpoint,
     {.op = GZ_OP_AT, .has = GZ_HAS_AT_CHECKPOINT}},
    {"WHO restores checkpoint NAME",
     fill_restore_checkpoint,
     {.op = GZ_OP_RESTORE, .has = GZ_HAS_AT_CHECKPOINT}},
    {"WHO finds checkpoints LIST", finds_checkpoints, NOTHING},
    {"WHO was told of checkpoints N times", was_told_times, NOTHING},
    {"WHO holds N checkpoints", holds_checkpoints, NOTHING},
    {"WHO was last told of NAME by OTHER", was_told, NOTHING},
    {"WHO was last told that NAME went by OTHER", was_told_gone, NOTHING},
    {"history begins at N", do_history, NOTHING},
    {"disk ends with undo of N", ends_with_undo, NOTHING},
    {"WHO notes TEXT", fill_note, {.op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT}},
    {"WHO imports file", do_import, NOTHING},

    {"WHO has no answer", was_not_answered, NOTHING},
    {"WHO has no answer to N requests ago", was_not_answered, NOTHING},
    {"WHO is answered", was_answered, NOTHING},
    {"WHO is answered N requests ago", was_answered, NOTHING},
    {"answer has handle HANDLE", answer_has_handle, NOTHING},
    {"answer has N nodes", answer_has_nodes, NOTHING},
    {"answer has no FIELD", answer_has_no_field, NOTHING},
    {"answer has FIELD", answer_has_field, NOTHING},
    {"answer has FIELD N", answer_is, NOTHING},
    {"answer has another FIELD than N", answer_is_not, NOTHING},
    {"answer shows NODE at X X X", answer_shows, NOTHING},
    {"answer is about NODES", error_is_about, NOTHING},
    {"answer names holder WHO", error_names_holder, NOTHING},
    {"present is remembered as NAME", do_remember_seq, NOTHING},
    {"edit that WHO heard of is remembered as NAME", do_remember_heard, NOTHING},
    {"FIELD is remembered as NAME", do_remember_answer, NOTHING},
    {"place of NODE is remembered", do_keep, NOTHING},
    {"scene has file", has_file, NOTHING},
    {"scene has no file", has_no_file, NOTHING},

    {"WHO heard N edits", has_heard, NOTHING},
    {"WHO hears of it", hears_of_it, NOTHING},
    {"WHO hears of KIND by OTHER", hears_of_kind, NOTHING},
    {"WHO hears of handle HANDLE", hears_of_handle, NOTHING},
    {"WHO hears of no node", hears_of_no_node, NOTHING},
    {"WHO hears of refusal STATUS", hears_refusal, NOTHING},
    {"WHO hears of nodes NODES", hears_of_nodes, NOTHING},
    {"WHO sees all saved", is_saved, NOTHING},
    {"WHO sees what is not saved", is_not_saved, NOTHING},
    {"WHO sees NODE at X X X", sees_at, NOTHING},
    {"WHO sees NODE near X X X", sees_near, NOTHING},
    {"WHO sees NODE where it was", sees_kept, NOTHING},
    {"WHO sees NODE called NAME", sees_named, NOTHING},
    {"WHO sees NODE below NODE", sees_below, NOTHING},
    {"WHO sees N nodes", sees_count, NOTHING},
    {"WHO sees no NODES", sees_no, NOTHING},
    {"WHO sees NODES", sees, NOTHING},
    {"NODE is at X X X", is_at, NOTHING},
    {"NODE is near X X X", is_near, NOTHING},
    {"NODE is scaled by X", is_scaled, NOTHING},
    {"NODE is below NODE", is_below, NOTHING},
};

const size_t story_verb_count = COUNT(story_verbs);
