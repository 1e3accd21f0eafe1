/* Notes: made, changed and deleted by those who may, seen by everybody once they are on the disk
 * and by nobody before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "server/maxima.h"
#include "support/cmocka.h"
#include "unit/core/saying.h"

#define MESSAGES_PER_S 1e6 /* thousands of notes are made at once here */

struct scene {
    struct host host;
    struct client *ann, *bob; /* editors */
    struct client *boss;      /* an admin */
    struct client *watcher;   /* a viewer */
};

static struct scene *open_scene(struct scene *s)
{
    host_init_limited(&s->host, MESSAGES_PER_S);
    s->ann = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    s->bob = client_join(&s->host, "bob", GZ_ROLE_EDITOR);
    s->boss = client_join(&s->host, "sue", GZ_ROLE_ADMIN);
    s->watcher = client_join(&s->host, "wes", GZ_ROLE_VIEWER);
    return s;
}

static void close_scene(struct scene *s)
{
    s->host.disk = DISK_COMMITS;
    host_turn(&s->host);
    host_advance(&s->host, 1);
    host_assert_equal(&s->host);
    host_finish(&s->host);
}

static struct gz_text text_of(const char *text)
{
    return (struct gz_text){text, strlen(text)};
}

static struct gz_message note_message(uint64_t has)
{
    return (struct gz_message){
        .op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT | has, .note.text = text_of("look")};
}

static uint64_t id_of(const struct gz_message *answer)
{
    assert_ok(answer);
    assert_true(answer->has & GZ_HAS_OK_NOTE);
    return answer->ok.note;
}

/* The note as a client was told of it; NULL where it was not. */
static const struct gz_note_state *told(const struct client *client, uint64_t id)
{
    return mirror_notes_find(&client->notes, id);
}

static void assert_text(const struct client *client, uint64_t id, const char *text)
{
    const struct gz_note_state *note = told(client, id);
    assert_non_null(note);
    assert_string_equal(note->text.bytes, text);
}

static const struct gz_message *last_answer(const struct client *client)
{
    return client_answer(client, client->next_rid - 1);
}

static const struct gz_message *earlier_answer(const struct client *client)
{
    return client_answer(client, client->next_rid - 2);
}

/* ---- made ---- */

TEST(test_note_is_answered_and_seen_after_commit_only)
{
    struct scene s;
    open_scene(&s)->host.disk = DISK_WAITS;
    double now = s.host.now.unix_s;
    assert_null(ask_note(s.ann, "is this the right bolt?", NULL));
    host_advance(&s.host, 1);
    assert_null(last_answer(s.ann));
    assert_int_equal(s.watcher->notes.messages + s.ann->notes.messages, 0);
    host_settle(&s.host, true);
    host_turn(&s.host);
    uint64_t id = id_of(last_answer(s.ann));
    const struct gz_note_state *note = told(s.watcher, id);
    assert_non_null(note);
    assert_string_equal(note->user.bytes, "ann");
    assert_string_equal(note->text.bytes, "is this the right bolt?");
    assert_int_equal(note->has, 0);
    assert_false(note->done);
    assert_true(note->made == now && note->changed == now);
    assert_int_equal(s.watcher->notes.messages, 1);
    assert_int_equal(s.watcher->notes.anew, 0);
    assert_non_null(told(s.ann, id));
    close_scene(&s);
}

SCENE_TEST(test_note_is_no_change_of_the_scene)
{
    uint64_t box = create_node(s->ann, "box", 0, 0, 0, 0), seq = gz_core_summary(s->host.core).seq;
    size_t edits = s->host.store.edit_count, deltas = s->watcher->mirror.deltas;
    uint64_t id = id_of(ask_note(s->ann, "look", NULL));
    assert_int_equal(gz_core_summary(s->host.core).seq, seq);
    assert_int_equal(s->host.store.edit_count, edits);
    assert_int_equal(s->watcher->mirror.deltas, deltas);
    assert_true(gz_core_is_idle(s->host.core));
    assert_ok(ask_undo(s->ann, false)); /* the box, not the note */
    assert_null(mirror_find(&s->watcher->mirror, box));
    assert_non_null(told(s->watcher, id));
}

/* What is said is what is told; a reply hangs where the other does, unless it says where it
 * does. */
SCENE_TEST(test_note_is_pinned_to_what_it_says)
{
    uint64_t box = create_node(s->ann, "box", 0, 0, 0, 0),
             lid = create_node(s->ann, "lid", box, 0, 1, 0);
    struct gz_message first = note_message(GZ_HAS_NOTE_NODE | GZ_HAS_NOTE_POINT);
    first.note.node = box;
    first.note.point = (gz_vec3){1, -0.0, 3};
    uint64_t other = id_of(client_ask(s->ann, &first));
    const struct {
        uint64_t says, has, node;
        double x;
    } cases[] = {
        {0, 0, 0, 0},
        {GZ_HAS_NOTE_NODE, GZ_HAS_NOTE_NODE, lid, 0},
        {GZ_HAS_NOTE_POINT, GZ_HAS_NOTE_POINT, 0, 7},
        {GZ_HAS_NOTE_NODE | GZ_HAS_NOTE_POINT, GZ_HAS_NOTE_NODE | GZ_HAS_NOTE_POINT, lid, 7},
        {GZ_HAS_NOTE_REPLY, GZ_HAS_NOTE_REPLY | GZ_HAS_NOTE_NODE | GZ_HAS_NOTE_POINT, box, 1},
        {GZ_HAS_NOTE_REPLY | GZ_HAS_NOTE_NODE, GZ_HAS_NOTE_REPLY | GZ_HAS_NOTE_NODE, lid, 0},
        {GZ_HAS_NOTE_REPLY | GZ_HAS_NOTE_POINT, GZ_HAS_NOTE_REPLY | GZ_HAS_NOTE_POINT, 0, 7},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gz_message message = note_message(cases[i].says);
        message.note.node = lid;
        message.note.point = (gz_vec3){7, 8, 9};
        message.note.reply = other;
        const struct gz_note_state *note = told(s->watcher, id_of(client_ask(s->bob, &message)));
        assert_int_equal(note->has, cases[i].has);
        if (note->has & GZ_HAS_NOTE_STATE_NODE) assert_int_equal(note->node, cases[i].node);
        if (note->has & GZ_HAS_NOTE_STATE_POINT) assert_true(note->point.x == cases[i].x);
        if (note->has & GZ_HAS_NOTE_STATE_REPLY) assert_int_equal(note->reply, other);
    }
}

SCENE_TEST(test_note_of_deleted_node_stays_pinned)
{
    uint64_t box = create_node(s->ann, "box", 0, 0, 0, 0);
    struct gz_message message = note_message(GZ_HAS_NOTE_NODE);
    message.note.node = box;
    uint64_t id = id_of(client_ask(s->bob, &message));
    assert_ok(ask_delete(s->ann, box));
    assert_int_equal(told(s->watcher, id)->node, box);
    assert_refused(client_ask(s->bob, &message), GZ_UNKNOWN_NODE);
    struct gz_message reply = note_message(GZ_HAS_NOTE_REPLY);
    reply.note.reply = id;
    assert_int_equal(told(s->watcher, id_of(client_ask(s->ann, &reply)))->node, box);
    host_restart(&s->host, true);
    client_resume(s->ann);
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_int_equal(told(s->watcher, id)->node, box);
    assert_ok(ask_undo(s->ann, false));
    assert_non_null(mirror_find(&s->watcher->mirror, box));
    assert_ok(client_ask(s->ann, &message));
}

static void handle_done(void *context, enum gz_status status, const char *message)
{
    (void)message;
    *(enum gz_status *)context = status;
}

SCENE_TEST(test_import_keeps_notes)
{
    enum gz_status done = GZ_INTERNAL;
    struct gz_error error;
    struct gz_message message = note_message(GZ_HAS_NOTE_NODE);
    message.note.node = create_node(s->ann, "old", 0, 0, 0, 0);
    uint64_t id = id_of(client_ask(s->ann, &message));
    struct gz_core_import_node node = {-1, {.name = "new", .trs = gz_trs_identity, .asset = 0}};
    struct gz_core_import import = {.user = "ann",
                                    .nodes = &node,
                                    .count = 1,
                                    .asset = (const uint8_t *)"glTF",
                                    .asset_size = 4,
                                    .done = handle_done,
                                    .context = &done};
    assert_int_equal(gz_core_import(s->host.core, &import, s->host.now, &error), GZ_OK);
    host_turn(&s->host);
    assert_int_equal(done, GZ_OK);
    assert_int_equal(told(s->watcher, id)->node, message.note.node);
    assert_null(mirror_find(&s->watcher->mirror, message.note.node));
}

/* ---- changed ---- */

SCENE_TEST(test_note_is_changed_whole_at_everybody)
{
    uint64_t box = create_node(s->ann, "box", 0, 0, 0, 0),
             id = id_of(ask_note(s->ann, "one", NULL));
    double made = told(s->watcher, id)->made;
    assert_true(made >= s->host.now.unix_s && made < s->host.now.unix_s + 0.001);
    host_advance(&s->host, 5);
    assert_int_equal(id_of(ask_reword(s->ann, id, "two")), id);
    assert_text(s->watcher, id, "two");
    assert_true(told(s->watcher, id)->made == made &&
                told(s->watcher, id)->changed == s->host.now.unix_s);
    assert_ok(ask_done(s->bob, id, true));
    assert_true(told(s->watcher, id)->done);
    assert_text(s->watcher, id, "two");
    assert_string_equal(s->host.store.notes[0].by, "bob");
    assert_string_equal(told(s->watcher, id)->user.bytes, "ann");
    assert_ok(ask_done(s->ann, id, false));
    assert_false(told(s->watcher, id)->done);
    struct gz_message pin = {.op = GZ_OP_NOTE,
                             .has = GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_NODE | GZ_HAS_NOTE_POINT};
    pin.note = (struct gz_note){.note = id, .node = box, .point = {1, 2, 3}};
    assert_ok(client_ask(s->ann, &pin));
    assert_true(told(s->watcher, id)->node == box && told(s->watcher, id)->point.z == 3);
    pin.has = GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_POINT;
    assert_ok(client_ask(s->ann, &pin));
    assert_int_equal(told(s->watcher, id)->has, GZ_HAS_NOTE_POINT);
    assert_text(s->watcher, id, "two");
}

SCENE_TEST(test_note_gone_leaves_its_replies)
{
    uint64_t id = id_of(ask_note(s->ann, "why?", NULL));
    struct gz_message reply = note_message(GZ_HAS_NOTE_REPLY);
    reply.note.reply = id;
    uint64_t answer = id_of(client_ask(s->bob, &reply));
    assert_ok(ask_gone(s->ann, id));
    assert_null(told(s->watcher, id));
    assert_int_equal(told(s->watcher, answer)->reply, id);
    assert_refused(ask_done(s->ann, id, true), GZ_BAD_VALUE);
    assert_refused(ask_gone(s->ann, id), GZ_BAD_VALUE);
    const struct gz_message *refused = client_ask(s->bob, &reply);
    assert_refused(refused, GZ_BAD_VALUE);
    const char *words = "note.reply: there is no note 1";
    assert_memory_equal(refused->error.message.bytes, words, strlen(words));
    assert_true(id_of(ask_note(s->ann, "anew", NULL)) > answer); /* ids are not used again */
}

SCENE_TEST(test_note_unchanged_is_not_written)
{
    uint64_t id = id_of(ask_note(s->ann, "one", NULL));
    size_t commits = s->host.commits, messages = s->watcher->notes.messages;
    assert_int_equal(id_of(ask_reword(s->ann, id, "one")), id);
    assert_int_equal(id_of(ask_done(s->bob, id, false)), id);
    struct gz_message nothing = {.op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_NOTE, .note.note = id};
    assert_int_equal(id_of(client_ask(s->bob, &nothing)), id);
    assert_int_equal(s->host.commits, commits);
    assert_int_equal(s->watcher->notes.messages, messages);
}

/* ---- who may ---- */

enum wish { REWORD, PIN_TO_NODE, PIN_TO_POINT, TAKE_AWAY, SAY_DONE, DONE_AND_REWORD, REPLY };

static struct gz_message wish_message(enum wish wish, uint64_t id, uint64_t node)
{
    static const uint64_t has[] = {
        [REWORD] = GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_TEXT,
        [PIN_TO_NODE] = GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_NODE,
        [PIN_TO_POINT] = GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_POINT,
        [TAKE_AWAY] = GZ_HAS_NOTE_NOTE,
        [SAY_DONE] = GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_DONE,
        [DONE_AND_REWORD] = GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_TEXT | GZ_HAS_NOTE_DONE,
        [REPLY] = GZ_HAS_NOTE_TEXT | GZ_HAS_NOTE_REPLY,
    };
    struct gz_message message = {.op = GZ_OP_NOTE, .has = has[wish]};
    message.note = (struct gz_note){.note = id,
                                    .text = text_of("other"),
                                    .node = node,
                                    .reply = id,
                                    .done = true,
                                    .gone = wish == TAKE_AWAY};
    return message;
}

SCENE_TEST(test_rights_to_a_note)
{
    static const struct {
        enum wish wish;
        enum gz_status author, other, admin, viewer;
    } cases[] = {
        {REWORD, GZ_OK, GZ_FORBIDDEN, GZ_OK, GZ_FORBIDDEN},
        {PIN_TO_NODE, GZ_OK, GZ_FORBIDDEN, GZ_OK, GZ_FORBIDDEN},
        {PIN_TO_POINT, GZ_OK, GZ_FORBIDDEN, GZ_OK, GZ_FORBIDDEN},
        {TAKE_AWAY, GZ_OK, GZ_FORBIDDEN, GZ_OK, GZ_FORBIDDEN},
        {SAY_DONE, GZ_OK, GZ_OK, GZ_OK, GZ_FORBIDDEN},
        {DONE_AND_REWORD, GZ_OK, GZ_FORBIDDEN, GZ_OK, GZ_FORBIDDEN},
        {REPLY, GZ_OK, GZ_OK, GZ_OK, GZ_FORBIDDEN},
    };
    uint64_t box = create_node(s->ann, "box", 0, 0, 0, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct client *const who[] = {s->ann, s->bob, s->boss, s->watcher};
        const enum gz_status expected[] = {cases[i].author, cases[i].other, cases[i].admin,
                                           cases[i].viewer};
        for (size_t j = 0; j < COUNT(who); j++) {
            uint64_t id = id_of(ask_note(s->ann, "own", NULL));
            struct gz_message message = wish_message(cases[i].wish, id, box);
            const struct gz_message *answer = client_ask(who[j], &message);
            if (expected[j] == GZ_OK) {
                assert_ok(answer);
                continue;
            }
            assert_refused(answer, expected[j]);
            assert_text(s->watcher, id, "own");
            assert_true(told(s->watcher, id)->has == 0 && !told(s->watcher, id)->done);
        }
    }
}

/* The author is a user, not a session. */
SCENE_TEST(test_rights_of_the_author_in_another_session)
{
    uint64_t id = id_of(ask_note(s->ann, "own", NULL));
    client_leave(s->ann);
    struct client *again = client_join(&s->host, "ann", GZ_ROLE_EDITOR);
    assert_ok(ask_reword(again, id, "mine"));
    assert_text(s->watcher, id, "mine");
}

/* ---- what cannot be ---- */

SCENE_TEST(test_wrong_notes_change_nothing)
{
    uint64_t id = id_of(ask_note(s->ann, "own", NULL));
    static const struct {
        uint64_t has;
        struct gz_note note;
        enum gz_status status;
        const char *words;
    } cases[] = {
        {GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_TEXT,
         {.note = 7},
         GZ_BAD_VALUE,
         "note.id: there is no note 7"},
        {GZ_HAS_NOTE_NOTE, {.note = 7, .gone = true}, GZ_BAD_VALUE, "note.id: there is no note 7"},
        {GZ_HAS_NOTE_TEXT | GZ_HAS_NOTE_REPLY,
         {.reply = 7},
         GZ_BAD_VALUE,
         "note.reply: there is no note 7"},
        {GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_REPLY, {.note = 1, .reply = 1}, GZ_BAD_VALUE, "note.reply"},
        {GZ_HAS_NOTE_TEXT | GZ_HAS_NOTE_DONE, {.done = true}, GZ_BAD_VALUE, "note.id: done"},
        {GZ_HAS_NOTE_TEXT, {.gone = true}, GZ_BAD_VALUE, "note.id: gone"},
        {GZ_HAS_NOTE_TEXT | GZ_HAS_NOTE_NODE,
         {.node = 99},
         GZ_UNKNOWN_NODE,
         "note.node: there is no node 99"},
        {GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_NODE,
         {.note = 1, .node = 99},
         GZ_UNKNOWN_NODE,
         "note.node"},
        {GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_TEXT | GZ_HAS_NOTE_NODE,
         {.note = 1, .node = 99},
         GZ_UNKNOWN_NODE,
         "note.node"},
    };
    size_t commits = s->host.commits, messages = s->watcher->notes.messages;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gz_message message = {.op = GZ_OP_NOTE, .has = cases[i].has, .note = cases[i].note};
        message.note.text = text_of("other");
        const struct gz_message *answer = client_ask(s->ann, &message);
        assert_refused(answer, cases[i].status);
        assert_memory_equal(answer->error.message.bytes, cases[i].words, strlen(cases[i].words));
        if (cases[i].status == GZ_UNKNOWN_NODE) assert_int_equal(answer->error.nodes.ids[0], 99);
    }
    host_advance(&s->host, 1);
    assert_int_equal(s->host.commits, commits);
    assert_int_equal(s->watcher->notes.messages, messages);
    assert_text(s->watcher, id, "own");
}

SCENE_TEST(test_note_has_2000_bytes_at_most)
{
    char text[GZ_NOTE_BYTES_MAX + 2];
    memset(text, 'x', sizeof text);
    text[GZ_NOTE_BYTES_MAX + 1] = '\0';
    assert_refused(ask_note(s->ann, text, NULL), GZ_BAD_VALUE);
    assert_refused(ask_note(s->ann, "", NULL), GZ_BAD_VALUE);
    text[GZ_NOTE_BYTES_MAX] = '\0';
    assert_text(s->watcher, id_of(ask_note(s->ann, text, NULL)), text);
    assert_int_equal(s->watcher->notes.count, 1);
}

/* Says it, unanswered and without a turn. */
static void say_note(struct client *client, const char *text)
{
    struct gz_message message = note_message(0);
    message.note.text = text_of(text);
    client_say(client, &message);
}

static void say_gone(struct client *client, uint64_t id)
{
    struct gz_message message = {
        .op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_NOTE, .note = {.note = id, .gone = true}};
    client_say(client, &message);
}

static void assert_words(const struct gz_message *answer, const char *words)
{
    assert_refused(answer, GZ_TOO_MANY);
    assert_int_equal(answer->error.message.size, strlen(words));
    assert_memory_equal(answer->error.message.bytes, words, strlen(words));
}

static void assert_too_many(const struct gz_message *answer, int own, int all, int left)
{
    char words[GZ_ERROR_BYTES_MAX + 1];
    snprintf(words, sizeof words,
             "note: you made %d of this scene's %d, and only %d more are left for everybody: take "
             "away some of yours",
             own, all, left);
    assert_words(answer, words);
}

/* Makes notes until there are no more, each user as many as they may. */
static void fill(struct scene *s)
{
    struct client *const who[] = {s->ann, s->bob, s->boss};
    char name[8];
    for (size_t i = 0; s->watcher->notes.count < GZ_NOTES_MAX; i++) {
        snprintf(name, sizeof name, "p%zu", i);
        struct client *by = i < COUNT(who) ? who[i] : client_join(&s->host, name, GZ_ROLE_EDITOR);
        const size_t left = GZ_NOTES_MAX - s->watcher->notes.count;
        for (size_t j = 0; j < (left + 1) / 2; j++) say_note(by, "one of many");
        host_turn(&s->host);
    }
}

SCENE_TEST(test_notes_are_limited)
{
    s->host.core->rows_waiting_max = SIZE_MAX;
    s->host.disk = DISK_WAITS;
    for (int i = 0; i < GZ_NOTES_MAX / 2; i++) say_note(s->ann, "one of many");
    assert_null(ask_gone(s->ann, GZ_NOTES_MAX / 2));
    assert_null(ask_note(s->ann, "in its place", NULL));
    assert_too_many(ask_note(s->ann, "too many", NULL), 2048, 2048, 2048);
    assert_null(ask_gone(s->boss, 7)); /* it is the author who has one less */
    assert_null(ask_note(s->ann, "in its place", NULL));
    assert_too_many(ask_note(s->ann, "too many", NULL), 2048, 2048, 2048);
    /* What waits counts, and does not once it is refused. */
    host_settle(&s->host, false);
    s->host.disk = DISK_COMMITS;
    host_advance(&s->host, 1);
    assert_int_equal(s->watcher->notes.count, 0);
    assert_ok(ask_note(s->ann, "not too many any more", NULL));
    fill(s);
    assert_int_equal(s->watcher->notes.count, GZ_NOTES_MAX);
    assert_words(ask_note(s->bob, "too many", NULL), "note: a scene has at most 4096");
    assert_ok(ask_gone(s->ann, s->watcher->notes.notes[77].state.id));
    assert_too_many(ask_note(s->bob, "too many", NULL), 1024, 4095, 1);
    assert_too_many(ask_note(s->boss, "too many", NULL), 512, 4095, 1);
    struct client *eve = client_join(&s->host, "eve", GZ_ROLE_EDITOR);
    assert_ok(ask_note(eve, "the last one", NULL));
    assert_refused(ask_note(eve, "too many", NULL), GZ_TOO_MANY);
}

/* Who has more than are left is refused a new note only, also if a scene was made so before. */
SCENE_TEST(test_notes_beyond_the_share_stay_what_they_are)
{
    s->host.core->rows_waiting_max = SIZE_MAX;
    fill(s);
    uint64_t id = s->watcher->notes.notes[77].state.id;
    host_restart(&s->host, true);
    client_resume(s->ann);
    client_resume(s->watcher);
    assert_ok(ask_reword(s->ann, id, "changed all the same"));
    assert_ok(ask_done(s->ann, id, true));
    assert_ok(ask_gone(s->ann, id));
    assert_too_many(ask_note(s->ann, "too many", NULL), 2047, 4095, 1);
    client_resume(s->bob);
    client_resume(s->boss);
}

/* Who waits is counted, not what is written: requests that change nothing wait as well. */
TEST(test_requests_that_wait_are_limited)
{
    struct scene s;
    open_scene(&s)->host.disk = DISK_WAITS;
    s.host.core->rows_waiting_max = SIZE_MAX;
    assert_null(ask_note(s.ann, "one", NULL));
    struct gz_message change = note_message(GZ_HAS_NOTE_NOTE);
    change.note = (struct gz_note){.note = 1, .text = text_of("one")};
    for (int i = 0; i < GZ_PENDING_EDITS_MAX; i++) client_say(s.ann, &change); /* is so already */
    for (int i = 1; i < GZ_PENDING_EDITS_MAX; i++) {
        change.note.text = text_of(i % 2 != 0 ? "two" : "one");
        client_say(s.ann, &change);
    }
    assert_refused(ask_note(s.bob, "two", NULL), GZ_TOO_MANY);
    assert_refused(ask_create(s.bob, "box", 0, NULL), GZ_TOO_MANY);
    host_settle(&s.host, true);
    s.host.disk = DISK_COMMITS;
    assert_ok(ask_note(s.bob, "two", NULL));
    close_scene(&s);
}

/* ---- keys ---- */

SCENE_TEST(test_key_again_is_the_same_note)
{
    uint64_t id = id_of(ask_note(s->ann, "one", "k"));
    assert_int_equal(id_of(ask_note(s->ann, "one", "k")), id);
    assert_int_equal(s->watcher->notes.count, 1);
    host_restart(&s->host, true);
    client_resume(s->ann);
    client_resume(s->bob);
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_int_equal(id_of(ask_note(s->ann, "one", "k")), id);
    assert_ok(ask_gone(s->ann, id));
    assert_int_equal(id_of(ask_note(s->ann, "one", "k")), id); /* it was made, and is gone */
    assert_int_equal(s->watcher->notes.count, 0);
    assert_int_not_equal(id_of(ask_note(s->bob, "one", "k")),
                         id); /* another user's key is another key */
}

TEST(test_key_again_while_it_waits_is_the_same_note)
{
    struct scene s;
    open_scene(&s)->host.disk = DISK_WAITS;
    assert_null(ask_note(s.ann, "one", "k"));
    assert_null(ask_note(s.ann, "one", "k"));
    assert_null(ask_note(s.bob, "one", "k")); /* another user's key is another key */
    host_settle(&s.host, true);
    host_turn(&s.host);
    assert_int_equal(id_of(earlier_answer(s.ann)), id_of(last_answer(s.ann)));
    host_settle(&s.host, true);
    host_turn(&s.host);
    assert_int_not_equal(id_of(last_answer(s.bob)), id_of(last_answer(s.ann)));
    assert_int_equal(s.host.store.note_count, 2);
    close_scene(&s);
}

/* A change that is asked for again after others is not done over them. */
SCENE_TEST(test_key_of_a_change_is_kept_too)
{
    uint64_t id = id_of(ask_note(s->ann, "one", NULL));
    struct gz_message done = {
        .op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_NOTE | GZ_HAS_NOTE_DONE | GZ_HAS_KEY, .key = {"k", 1}};
    done.note = (struct gz_note){.note = id, .done = true};
    assert_int_equal(id_of(client_ask(s->bob, &done)), id);
    assert_ok(ask_done(s->ann, id, false));
    host_restart(&s->host, true);
    client_resume(s->bob);
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_int_equal(id_of(client_ask(s->bob, &done)), id);
    assert_false(told(s->watcher, id)->done);
}

SCENE_TEST(test_key_of_an_edit_is_another_key)
{
    assert_ok(ask_create(s->ann, "box", 0, "k"));
    uint64_t id = id_of(ask_note(s->ann, "one", "k"));
    assert_non_null(told(s->watcher, id));
    assert_int_equal(ask_create(s->ann, "box", 0, "k")->ok.ids.count, 1);
    assert_int_equal(s->watcher->mirror.count, 1);
}

/* ---- a disk that refuses ---- */

SCENE_TEST(test_refused_note_is_told_to_nobody)
{
    uint64_t id = id_of(ask_note(s->ann, "one", NULL));
    size_t messages = s->watcher->notes.messages;
    s->host.disk = DISK_WAITS;
    assert_null(ask_note(s->ann, "two", "k"));
    assert_null(ask_note(s->ann, "two", "k"));
    assert_null(ask_reword(s->ann, id, "other")); /* after the batch has left */
    assert_null(ask_gone(s->ann, id));
    host_settle(&s->host, false);
    host_turn(&s->host);
    for (uint64_t rid = s->ann->next_rid - 4; rid < s->ann->next_rid; rid++) {
        assert_refused(client_answer(s->ann, rid), GZ_STORAGE);
        assert_non_null(memmem(client_answer(s->ann, rid)->error.message.bytes,
                               client_answer(s->ann, rid)->error.message.size, "the disk is full",
                               16));
    }
    assert_int_equal(s->watcher->notes.messages, messages);
    assert_text(s->watcher, id, "one");
    s->host.disk = DISK_COMMITS;
    host_advance(&s->host, 1);
    assert_ok(ask_note(s->ann, "two", "k")); /* its key is free again */
    assert_int_equal(s->watcher->notes.count, 2);
}

/* Notes have nothing to take back at viewers; edits beside them do. */
TEST(test_refused_batch_takes_back_edits_and_forgets_notes)
{
    struct scene s;
    open_scene(&s)->host.disk = DISK_WAITS;
    assert_null(ask_create(s.ann, "box", 0, NULL));
    struct gz_message message = note_message(GZ_HAS_NOTE_NODE);
    message.note.node = s.watcher->mirror.nodes[0].id;
    assert_null(client_ask(s.bob, &message)); /* pinned to what will never have been */
    host_settle(&s.host, false);
    host_turn(&s.host);
    assert_refused(last_answer(s.ann), GZ_STORAGE);
    assert_refused(last_answer(s.bob), GZ_STORAGE);
    assert_int_equal(s.watcher->mirror.count, 0);
    assert_int_equal(s.watcher->notes.messages, 0);
    s.host.disk = DISK_COMMITS;
    host_advance(&s.host, 1);
    assert_refused(client_ask(s.bob, &message), GZ_UNKNOWN_NODE);
    close_scene(&s);
}

TEST(test_author_who_left_has_the_note_stored)
{
    struct scene s;
    open_scene(&s)->host.disk = DISK_WAITS;
    assert_null(ask_note(s.ann, "bye", NULL));
    client_leave(s.ann);
    host_settle(&s.host, true);
    host_turn(&s.host);
    assert_text(s.watcher, 1, "bye");
    close_scene(&s);
}

/* ---- several at once ---- */

SCENE_TEST(test_changes_that_wait_stand_on_each_other)
{
    uint64_t id = id_of(ask_note(s->ann, "one", NULL));
    s->host.disk = DISK_WAITS;
    assert_null(ask_reword(s->ann, id, "two"));
    assert_null(ask_done(s->bob, id, true));
    host_settle(&s->host, true);
    host_turn(&s->host);
    host_settle(&s->host, true);
    host_turn(&s->host);
    assert_ok(last_answer(s->ann));
    assert_ok(last_answer(s->bob));
    assert_text(s->watcher, id, "two");
    assert_true(told(s->watcher, id)->done);

    /* Three in one batch: the last is the note. */
    assert_null(ask_note(s->ann, "meanwhile", NULL));
    assert_null(ask_reword(s->ann, id, "three"));
    assert_null(ask_done(s->ann, id, false));
    assert_null(ask_reword(s->ann, id, "four"));
    host_settle(&s->host, true);
    host_turn(&s->host);
    assert_int_equal(s->host.batches->note_count, 3);
    host_settle(&s->host, true);
    host_turn(&s->host);
    assert_text(s->watcher, id, "four");
    assert_false(told(s->watcher, id)->done);
}

SCENE_TEST(test_note_that_is_about_to_go_is_not_there)
{
    uint64_t id = id_of(ask_note(s->ann, "one", NULL));
    s->host.disk = DISK_WAITS;
    assert_null(ask_gone(s->ann, id));
    assert_null(ask_done(s->bob, id, true));
    assert_non_null(told(s->bob, id));
    host_settle(&s->host, false);
    host_turn(&s->host);
    assert_refused(client_answer(s->bob, s->bob->next_rid - 1), GZ_STORAGE);
    s->host.disk = DISK_COMMITS;
    host_advance(&s->host, 1);
    assert_ok(ask_done(s->bob, id, true)); /* it stayed */
}

/* An `ok` that nothing needed to be written for is true only once that is stored which makes it
 * so. */
SCENE_TEST(test_unchanged_waits_for_what_made_it_so)
{
    uint64_t id = id_of(ask_note(s->ann, "one", NULL));
    s->host.disk = DISK_WAITS;
    assert_null(ask_done(s->ann, id, true));
    assert_null(ask_done(s->bob, id, true));
    host_settle(&s->host, false);
    host_turn(&s->host);
    assert_refused(last_answer(s->ann), GZ_STORAGE);
    assert_refused(last_answer(s->bob), GZ_STORAGE);
    assert_false(told(s->watcher, id)->done);
}

/* Ids in the order of the last `notes`. */
static void assert_order(const struct client *client, const uint64_t *ids, size_t count)
{
    const struct gz_message *last = client_last(client, GZ_OP_NOTES);
    assert_non_null(last);
    assert_int_equal(last->notes.count, count);
    for (size_t i = 0; i < count; i++) assert_int_equal(last->notes.notes[i].id, ids[i]);
}

TEST(test_notes_come_in_the_order_of_their_changes)
{
    struct scene s;
    open_scene(&s)->watcher->stalled = true;
    for (uint64_t id = 1; id <= 4; id++)
        assert_int_equal(id_of(ask_note(id % 2 ? s.ann : s.bob, "n", NULL)), id);
    assert_ok(ask_done(s.bob, 3, true));
    assert_ok(ask_done(s.bob, 1, true));
    s.watcher->stalled = false;
    host_turn(&s.host);
    assert_order(s.watcher, (const uint64_t[]){2, 4, 3, 1}, 4);
    struct client *late = client_join(&s.host, "zoe", GZ_ROLE_VIEWER);
    assert_order(late, (const uint64_t[]){2, 4, 3, 1}, 4);
    close_scene(&s);
}

/* ---- who comes, and who is behind ---- */

SCENE_TEST(test_newcomer_is_told_all_notes_once)
{
    struct client *early = client_join(&s->host, "eva", GZ_ROLE_VIEWER);
    assert_int_equal(early->notes.messages, 0); /* there are none */
    uint64_t gone = id_of(ask_note(s->ann, "one", NULL)),
             kept = id_of(ask_note(s->ann, "two", NULL));
    assert_ok(ask_gone(s->ann, gone));
    assert_int_equal(early->notes.anew, 0);
    struct client *late = client_join(&s->host, "zoe", GZ_ROLE_VIEWER);
    assert_int_equal(late->notes.messages, 1);
    assert_int_equal(late->notes.anew, 1);
    assert_int_equal(client_last(late, GZ_OP_NOTES)->notes.gone.count, 0);
    assert_text(late, kept, "two");
    assert_ok(ask_done(s->ann, kept, true));
    assert_int_equal(late->notes.messages, 2);
    assert_int_equal(late->notes.anew, 1);
}

SCENE_TEST(test_who_resumes_is_told_all_notes_once)
{
    (void)create_node(s->ann, "box", 0, 0, 0, 0); /* from the beginning is no resume */
    uint64_t one = id_of(ask_note(s->ann, "one", NULL));
    client_leave(s->watcher);
    uint64_t two = id_of(ask_note(s->ann, "two", NULL));
    size_t anew = s->watcher->notes.anew;
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_true(s->watcher->resumed);
    assert_int_equal(s->watcher->notes.anew, anew + 1);
    assert_non_null(told(s->watcher, one));
    assert_non_null(told(s->watcher, two));
    client_leave(s->watcher);
    assert_ok(ask_gone(s->ann, one));
    assert_ok(ask_gone(s->ann, two));
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_int_equal(s->watcher->notes.anew, anew + 1);
    assert_int_equal(s->watcher->notes.count, 0);
}

SCENE_TEST(test_notes_are_there_after_a_restart)
{
    for (int i = 0; i < 5; i++) assert_ok(ask_note(s->ann, "kept", NULL));
    assert_ok(ask_gone(s->ann, 5));
    s->host.disk = DISK_WAITS;
    assert_null(ask_note(s->ann, "lost", NULL));
    host_restart(&s->host, false);
    s->host.disk = DISK_COMMITS;
    client_resume(s->ann);
    client_resume(s->watcher);
    host_turn(&s->host);
    assert_int_equal(s->watcher->notes.count, 4);
    assert_int_equal(id_of(ask_note(s->ann, "next", NULL)), 6);
}

/* Notes of several frames, and what happens to them meanwhile. */
SCENE_TEST(test_newcomer_in_the_midst_of_many_notes)
{
    enum { NOTES = 300 };
    char text[GZ_NOTE_BYTES_MAX + 1];
    memset(text, 'x', sizeof text);
    text[GZ_NOTE_BYTES_MAX] = '\0';
    for (int i = 0; i < NOTES; i++) say_note(s->ann, text);
    host_turn(&s->host);
    struct client *late = client_enter(&s->host, "zoe", GZ_ROLE_VIEWER, false);
    late->stalled = true;
    host_turn(&s->host);
    while (late->notes.messages == 0) assert_true(client_read_one(late));
    assert_in_range(late->notes.count, 100, 150); /* some 256 KiB */
    assert_true(late->notes.more);
    assert_ok(ask_gone(s->ann, 1));   /* which it was told of */
    assert_ok(ask_gone(s->ann, 299)); /* which it was not */
    assert_ok(ask_done(s->ann, 2, true));
    assert_ok(ask_done(s->ann, 300, true));
    late->stalled = false;
    host_turn(&s->host);
    assert_int_equal(late->notes.count, NOTES - 2);
    assert_true(told(late, 2)->done && told(late, 300)->done);
    assert_int_equal(late->notes.anew, 1);
    assert_in_range(late->notes.messages, 3, 4);
}

/* A viewer that missed `deletions` of them, one note being left. */
static void miss(int deletions, bool told_anew)
{
    struct scene s;
    open_scene(&s);
    for (int i = 0; i <= deletions; i++) say_note(s.ann, "short-lived");
    host_turn(&s.host);
    s.watcher->stalled = true;
    for (int i = 1; i <= deletions; i++) say_gone(s.ann, (uint64_t)i);
    assert_ok(ask_done(s.ann, (uint64_t)deletions + 1, true));
    s.watcher->stalled = false;
    host_turn(&s.host);
    assert_int_equal(s.watcher->notes.anew, told_anew);
    assert_int_equal(s.watcher->notes.count, 1);
    assert_true(told(s.watcher, (uint64_t)deletions + 1)->done);
    close_scene(&s);
}

TEST(test_viewer_far_behind_is_told_anew)
{
    miss(GZ_NOTES_GONE_RING, false);
    miss(GZ_NOTES_GONE_RING + 1, true);
}

SCENE_TEST(test_viewer_far_behind_is_told_that_none_are_left)
{
    uint64_t count = GZ_NOTES_GONE_RING + 10;
    for (uint64_t i = 0; i < count; i++) say_note(s->ann, "short-lived");
    host_turn(&s->host);
    s->watcher->stalled = true;
    for (uint64_t i = 1; i <= count; i++) say_gone(s->ann, i);
    host_turn(&s->host);
    s->watcher->stalled = false;
    host_turn(&s->host);
    assert_int_equal(s->watcher->notes.anew, 1);
    assert_int_equal(s->watcher->notes.count, 0);
}

/* What others were told meanwhile is not what it is told: a note that is gone by then never was, to
 * it. */
SCENE_TEST(test_viewer_behind_is_told_what_is_there_now)
{
    host_advance(&s->host, 1);
    s->watcher->stalled = true;
    uint64_t gone = id_of(ask_note(s->ann, "one", NULL)),
             kept = id_of(ask_note(s->ann, "two", NULL));
    assert_ok(ask_gone(s->ann, gone));
    s->watcher->stalled = false;
    host_turn(&s->host);
    assert_int_equal(s->watcher->notes.messages, 1);
    assert_order(s->watcher, &kept, 1);
    assert_int_equal(client_last(s->watcher, GZ_OP_NOTES)->notes.gone.ids[0], gone);
}

/* Viewers that stand at the same place share the bytes. */
SCENE_TEST(test_note_is_one_frame_for_all)
{
    host_advance(&s->host, 1);
    s->host.plain = true;
    struct client *const readers[] = {client_join(&s->host, "cat", GZ_ROLE_VIEWER),
                                      client_join(&s->host, "dan", GZ_ROLE_VIEWER),
                                      client_join(&s->host, "eve", GZ_ROLE_VIEWER)};
    host_advance(&s->host, 1);
    for (size_t i = 0; i < COUNT(readers); i++) readers[i]->stalled = true;
    assert_ok(ask_note(s->ann, "one", NULL));
    const struct gz_bytes *shared = NULL;
    for (size_t i = 0; i < COUNT(readers); i++) {
        struct gz_bytes *frame = gz_core_next_frame(s->host.core, readers[i]->session, s->host.now);
        assert_non_null(frame);
        if (shared == NULL) shared = frame;
        assert_ptr_equal(frame, shared); /* which the cache holds */
        gz_bytes_release(frame);
        assert_null(gz_core_next_frame(s->host.core, readers[i]->session, s->host.now));
    }
    for (size_t i = 0; i < COUNT(readers); i++) client_leave(readers[i]);
}

/* What is written is paid for, its text too. */
TEST(test_text_of_a_note_counts_for_the_share_of_the_files)
{
    struct scene scene, *s = open_scene(&scene);
    char text[GZ_NOTE_BYTES_MAX];
    struct gz_message message = {.op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT};
    memset(text, 'x', sizeof text);
    message.note.text = (struct gz_text){text, sizeof text};
    uint64_t before = s->host.spent_bytes;
    assert_ok(client_ask(s->ann, &message));
    assert_int_equal(s->host.spent_bytes - before, GZ_FILE_BYTES_PER_EDIT + sizeof text);
    close_scene(s);
}
