/* People talk in the scene: what one writes the others read, and a note that was answered ok is
 * there whatever happens to the daemon. */
#include <stdio.h>

#include "stage.h"

#define STEPS 300

static struct gz_message note_message(uint64_t has, const char *text)
{
    return (struct gz_message){
        .op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_TEXT | has, .note.text = gz_client_text(text)};
}

static struct gz_message change_message(uint64_t has, uint64_t id)
{
    return (struct gz_message){.op = GZ_OP_NOTE, .has = GZ_HAS_NOTE_NOTE | has, .note.note = id};
}

static uint64_t write_note(struct gz_client *client, struct gz_message message)
{
    const struct gz_message *ok = stage_ask(client, message);
    assert_true(ok->has & GZ_HAS_OK_NOTE);
    return ok->ok.note;
}

/* Waits until a client has so many notes, the last of them changed last. */
static void await_notes(struct gz_client *client, size_t count, uint64_t id, double changed)
{
    for (;;) {
        const struct gz_note_state *note = gz_pinboard_find(gz_client_pinboard(client), id);
        if (gz_pinboard_count(gz_client_pinboard(client)) == count && note != NULL &&
            note->changed >= changed)
            return;
        if (gz_client_next(client, STAGE_SECONDS) == NULL)
            fail_msg("the notes did not come: %s", gz_client_reason(client));
    }
}

static void assert_same_notes(const struct gz_client *a, const struct gz_client *b)
{
    const struct gz_pinboard *x = gz_client_pinboard(a), *y = gz_client_pinboard(b);
    assert_int_equal(gz_pinboard_count(x), gz_pinboard_count(y));
    for (size_t i = 0; i < gz_pinboard_count(x); i++) {
        const struct gz_note_state *n = gz_pinboard_at(x, i), *m = gz_pinboard_at(y, i);
        assert_int_equal(n->id, m->id);
        assert_int_equal(n->has, m->has);
        assert_string_equal(n->user.bytes, m->user.bytes);
        assert_string_equal(n->text.bytes, m->text.bytes);
        assert_int_equal(n->node, m->node);
        assert_memory_equal(&n->point, &m->point, sizeof n->point);
        assert_int_equal(n->reply, m->reply);
        assert_int_equal(n->done, m->done);
        assert_true(n->made == m->made && n->changed == m->changed);
    }
}

static void reconnect(struct gz_client *client)
{
    struct gz_error error = {0};
    stage_check(gz_client_reconnect(client, &error), &error, "reconnect");
    stage_check(gz_client_await(client, 0, STAGE_SECONDS, &error), &error, "first delta");
}

TEST_ON_STAGE(test_notes_that_were_answered_survive_a_kill)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna"),
                     *bert = stage_join(stage, "arm", "bert");
    struct gz_message ask = note_message(GZ_HAS_NOTE_NODE | GZ_HAS_NOTE_POINT | GZ_HAS_KEY,
                                         "is this bolt long enough?");
    ask.note.node = stage_create(anna, "bolt", 0, (gz_vec3){0, 0, 0});
    ask.note.point = (gz_vec3){-0.0, 0.1, 1.0 / 3};
    ask.key = gz_client_text("first");
    uint64_t question = write_note(anna, ask);
    await_notes(bert, 1, question, 0);
    struct gz_message reply = note_message(GZ_HAS_NOTE_REPLY, "two more turns \xe2\x9c\x93");
    reply.note.reply = question;
    uint64_t answer = write_note(bert, reply),
             wrong = write_note(bert, note_message(0, "wrong scene, sorry"));
    struct gz_message gone = change_message(0, wrong),
                      done = change_message(GZ_HAS_NOTE_DONE, question);
    gone.note.gone = done.note.done = true;
    stage_ask(bert, gone);
    stage_refused(bert, change_message(GZ_HAS_NOTE_POINT, question), GZ_FORBIDDEN);
    stage_ask(bert, done); /* and with its `ok` */
    test_daemon_kill(&stage->daemon);
    test_daemon_start(&stage->daemon, NULL, NULL);

    struct gz_client *carl = stage_join(stage, "arm", "carl");
    await_notes(carl, 2, answer, 0);
    const struct gz_note_state *note = gz_pinboard_find(gz_client_pinboard(carl), question);
    assert_string_equal(note->text.bytes, "is this bolt long enough?");
    assert_string_equal(note->user.bytes, "anna");
    assert_int_equal(note->node, ask.note.node);
    assert_memory_equal(&note->point, &ask.note.point, sizeof note->point);
    assert_true(note->done);
    assert_int_equal(gz_pinboard_find(gz_client_pinboard(carl), answer)->reply, question);
    reconnect(anna);
    await_notes(anna, 2, answer, 0);
    assert_same_notes(anna, carl);
    assert_int_equal(write_note(anna, ask), question); /* the same key: the same note */
    uint64_t last = write_note(anna, note_message(0, "goes on"));
    assert_true(last > wrong);
    await_notes(carl, 3, last, 0);
}

static const char table_gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"scene\":0,"
    "\"nodes\":[{\"name\":\"table\"}]}";

TEST_ON_STAGE(test_import_in_place_of_the_scene_keeps_its_notes)
{
    struct stage *stage = *state;
    struct gz_client *anna = stage_join(stage, "arm", "anna");
    struct gz_message message = note_message(GZ_HAS_NOTE_NODE, "keep this");
    message.note.node = stage_create(anna, "bolt", 0, (gz_vec3){0, 0, 0});
    uint64_t id = write_note(anna, message);
    struct gz_error error = {0};
    struct gz_http http = {.url = stage->daemon.url,
                           .method = "PUT",
                           .path = "/scenes/arm?replace",
                           .type = "model/gltf+json",
                           .body = table_gltf,
                           .body_size = sizeof table_gltf - 1};
    stage_check(gz_http_perform(&http, &error), &error, "PUT");
    struct gz_client *bert = stage_join(stage, "arm", "bert");
    await_notes(bert, 1, id, 0);
    assert_non_null(node_named(bert, "table"));
    assert_null(gz_mirror_find(gz_client_mirror(bert), message.note.node));
    assert_int_equal(gz_pinboard_find(gz_client_pinboard(bert), id)->node, message.note.node);
    stage_refused(bert, message, GZ_UNKNOWN_NODE);
}

/* ---- anything at all ---- */

static uint64_t dice(uint64_t *random, uint64_t sides)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*random >> 33) % sides;
}

/* Makes, answers, changes or deletes a note as this client, who may not be its author. */
static void write_something(struct gz_client *client, uint64_t *random, int step)
{
    const struct gz_pinboard *pinboard = gz_client_pinboard(client);
    size_t count = gz_pinboard_count(pinboard);
    uint64_t id = count > 0 ? gz_pinboard_at(pinboard, dice(random, count))->id : 0;
    char text[32];
    snprintf(text, sizeof text, "step %d", step);
    struct gz_message message = note_message(id != 0 ? GZ_HAS_NOTE_REPLY : 0, text);
    message.note.reply = id;
    uint64_t kind = dice(random, 5);
    if (id != 0 && kind > 1)
        message = change_message(kind == 2   ? GZ_HAS_NOTE_TEXT
                                 : kind == 3 ? GZ_HAS_NOTE_DONE
                                             : 0,
                                 id);
    message.note.text = gz_client_text(text);
    message.note.done = dice(random, 2) != 0;
    message.note.gone = id != 0 && kind == 4;
    enum gz_status status = gz_client_request(client, &message, STAGE_SECONDS, NULL, NULL);
    assert_true(status == GZ_OK || status == GZ_FORBIDDEN);
}

/* Who is here is told after the notes: who knows that has the first of them, and the others are
 * announced. */
static void await_all_notes(struct gz_client *client)
{
    while (!gz_people_is_complete(gz_client_people(client)) ||
           !gz_pinboard_is_complete(gz_client_pinboard(client)))
        if (gz_client_next(client, STAGE_SECONDS) == NULL) fail_msg("the notes did not come");
}

/* Takes in what was told so far. The answer to one ping may come before what was told in its
 * turn. */
static void catch_up(struct gz_client *client)
{
    for (int i = 0; i < 2; i++) stage_ask(client, (struct gz_message){.op = GZ_OP_PING});
}

TEST_ON_STAGE(test_notes_are_the_same_for_all_over_lost_connections_and_crashes)
{
    struct stage *stage = *state;
    static const char *const names[] = {"anna", "bert", "carl"};
    struct gz_client *clients[3];
    uint64_t random = 7;
    for (int i = 0; i < 3; i++) clients[i] = stage_join(stage, "arm", names[i]);
    for (int step = 0; step < STEPS; step++) {
        uint64_t writer = dice(&random, 3), away = dice(&random, 6);
        bool crash = dice(&random, 30) == 0;
        bool cut = away < 3 && away != writer;
        if (cut) gz_client_cut(clients[away]);
        for (uint64_t i = dice(&random, 4); i > 0; i--)
            write_something(clients[writer], &random, step);
        catch_up(clients[writer]);
        if (crash) {
            test_daemon_kill(&stage->daemon);
            test_daemon_start(&stage->daemon, NULL, NULL);
        }
        for (uint64_t i = 0; i < 3; i++) {
            if (i == writer && !crash) continue;
            if (crash || (cut && i == away)) {
                reconnect(clients[i]);
                await_all_notes(clients[i]);
            }
            catch_up(clients[i]);
        }
        for (int i = 1; i < 3; i++) assert_same_notes(clients[0], clients[i]);
    }
    assert_true(gz_pinboard_count(gz_client_pinboard(clients[0])) > 10);
    struct gz_client *late = stage_join(stage, "arm", "dora");
    await_all_notes(late);
    assert_same_notes(late, clients[0]);
}
