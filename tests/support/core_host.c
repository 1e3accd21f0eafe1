/* core_host.c - runs a core with a simulated clock, disk and clients. See core_host.h. */
#include "support/core_host.h"
#include "server/maxima.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/session.h"
#include "core/state.h"
#include "feed/state.h"
#include "scene/scene.h"
#include "support/cmocka.h"
#include "support/grow.h"

#define TURNS_MAX 1000

/* ---- what the core asks of its host ---- */

static void handle_commit(void *context, struct gz_batch *batch)
{
    struct host *host = context;
    struct gz_batch **at = &host->batches;
    for (size_t on_way = 1; *at != NULL; on_way++) {
        assert_true(on_way < host->core->journal.batches);
        at = &(*at)->next;
    }
    host->disk_starts += host->batches == NULL;
    *at = batch;
}

static void handle_query(void *context, uint64_t ticket, const char *payer,
                         const struct gz_query *query)
{
    struct host *host = context;
    if (host->past_fails) {
        struct gz_answer answer = {.status = GZ_NO_MEMORY};
        gz_fail(&answer.error, GZ_NO_MEMORY, "no memory");
        gz_core_answered(host->core, ticket, &answer, host->now);
        return;
    }
    assert_true(host->question_count < HOST_QUESTIONS_MAX);
    struct host_question *question = &host->questions[host->question_count++];
    *question = (struct host_question){ticket, *query, ""};
    snprintf(question->payer, sizeof question->payer, "%s", payer);
}

static enum gz_status handle_spend(void *context, const char *payer, uint64_t bytes,
                                   struct gz_error *error)
{
    (void)payer;
    struct host *host = context;
    if (bytes > host->spent_most) return gz_fail_no_room(error, "the disk has no room");
    host->spent_bytes += bytes;
    return GZ_OK;
}

static void handle_charge(void *context, const char *payer, uint64_t bytes)
{
    (void)payer;
    struct host *host = context;
    host->charged_bytes += bytes;
}

static void handle_withdraw(void *context, uint64_t ticket)
{
    struct host *host = context;
    size_t left = 0;
    for (size_t i = 0; i < host->question_count; i++)
        if (host->questions[i].ticket != ticket) host->questions[left++] = host->questions[i];
    host->question_count = left;
}

static enum gz_status handle_find_key(void *context, const char *user, const char *key,
                                      struct gz_arena *arena, struct gz_edit_record *edit)
{
    (void)arena;
    struct host *host = context;
    if (host->keys_fail) return GZ_STORAGE;
    if (!core_store_find_key(&host->store, user, key, edit)) edit->id = 0;
    return GZ_OK;
}

static enum gz_status handle_find_note_key(void *context, const char *user, const char *key,
                                           uint64_t *note)
{
    struct host *host = context;
    if (host->keys_fail) return GZ_STORAGE;
    if (!core_store_find_note_key(&host->store, user, key, note)) *note = 0;
    return GZ_OK;
}

static uint64_t handle_kept_since(void *context)
{
    const struct host *host = context;
    return host->kept_since;
}

/* The only valid token is the word "good". */
static enum gz_status handle_verify(void *context, struct gz_text token, struct gz_claims *claims,
                                    struct gz_error *error)
{
    const struct host *host = context;
    if (token.size != 4 || memcmp(token.bytes, "good", 4) != 0)
        return gz_fail(error, GZ_UNAUTHORISED, "token: it is not a token");
    *claims = *host->token;
    return GZ_OK;
}

static enum gz_status handle_sign(void *context, const struct gz_claims *claims, double seconds,
                                  char token[GZ_TOKEN_BYTES_MAX + 1], struct gz_error *error)
{
    (void)context, (void)error;
    assert_true(claims->is_guest && claims->has_role && claims->scene_count == 1);
    snprintf(token, GZ_TOKEN_BYTES_MAX + 1, "guest %s of %s for %.0f s",
             gz_vocabulary_word(&gz_role_words, (int)claims->role), claims->scenes[0], seconds);
    return GZ_OK;
}

static void enter(const struct host *host)
{
    if (host->handle_core != NULL) host->handle_core(true);
}

static void leave(const struct host *host)
{
    if (host->handle_core != NULL) host->handle_core(false);
}

/* ---- life ---- */

static void open_core(struct host *host)
{
    struct gz_scene_state state;
    struct gz_core_options options = {
        .scene = HOST_SCENE,
        .host = {.context = host,
                 .commit = handle_commit,
                 .query = handle_query,
                 .withdraw = handle_withdraw,
                 .find_key = handle_find_key,
                 .find_note_key = handle_find_note_key,
                 .kept_since = handle_kept_since,
                 .spend = handle_spend,
                 .charge = handle_charge},
        .server = "test",
        .messages_per_s = host->messages_per_s,
        .batches = host->batches_max,
    };
    if (!host->cannot_sign) options.host.sign = handle_sign;
    if (host->token != NULL) options.host.verify = handle_verify;
    core_store_open(&host->store, &state);
    host->core = gz_core_create(&options, &state);
    assert_non_null(host->core);
    host->core->feed->crowd.few = host->few;
    gz_scene_state_finish(&state);
}

static void init(struct host *host, double messages_per_s)
{
    *host = (struct host){.now = {1.7e9, 1000},
                          .next_session = 1,
                          .messages_per_s = messages_per_s,
                          .few = 1,
                          .spent_most = UINT64_MAX};
}

void host_init_limited(struct host *host, double messages_per_s)
{
    init(host, messages_per_s);
    core_store_init(&host->store);
    open_core(host);
}

void host_init_after(struct host *host, const struct host *before, double messages_per_s)
{
    init(host, messages_per_s);
    host->now = before->now;
    host->next_session = before->next_session;
    core_store_copy(&host->store, &before->store);
    open_core(host);
}

void host_init(struct host *host)
{
    host_init_limited(host, 0);
}

static void forget_wishes(struct client *client)
{
    while (client->said != NULL) {
        struct said *next = client->said->next;
        part_wish_finish(&client->said->wish);
        free(client->said);
        client->said = next;
    }
    client->said_end = &client->said;
    part_wish_finish(&client->wish);
    client->wish = (struct part_wish){.kind = PART_WHOLE};
    client->camera_count = client->looked = 0;
}

static void free_client(struct client *client)
{
    client_forget(client);
    forget_wishes(client);
    free(client->cameras);
    gz_packed_destroy(client->packed);
    mirror_finish(&client->mirror);
    mirror_notes_finish(&client->notes);
    mirror_checkpoints_finish(&client->checkpoints);
    free(client);
}

void host_tell_of_all(struct host *host)
{
    host->few = host->core->feed->crowd.few = SIZE_MAX;
}

void host_finish(struct host *host)
{
    gz_core_destroy(host->core);
    gz_batches_destroy(host->batches);
    while (host->clients != NULL) {
        struct client *next = host->clients->next;
        free_client(host->clients);
        host->clients = next;
    }
    core_store_finish(&host->store);
}

void host_restart(struct host *host, bool committed)
{
    for (struct gz_batch *batch = host->batches; batch != NULL && committed; batch = batch->next)
        core_store_commit(&host->store, batch);
    gz_core_destroy(host->core);
    gz_batches_destroy(host->batches);
    host->batches = NULL;
    host->question_count = 0;
    for (struct client *client = host->clients; client != NULL; client = client->next)
        client->session = NULL;
    host->now.mono_s += 1;
    host->now.unix_s += 1;
    open_core(host);
}

/* ---- a turn ---- */

void host_settle(struct host *host, bool committed)
{
    struct gz_batch *batch = host->batches;
    if (batch == NULL) return;
    host->batches = batch->next;
    batch->next = NULL;
    batch->kept_since = host->kept_since;
    if (committed && host->handle_batch != NULL) host->handle_batch(host->batch_context, batch);
    if (committed) core_store_commit(&host->store, batch);
    host->commits += committed;
    host->refusals += !committed;
    enter(host);
    gz_core_committed(host->core, batch, committed ? GZ_OK : GZ_STORAGE,
                      committed ? "" : "the disk is full", host->now);
    leave(host);
}

static void answer_question(struct host *host)
{
    struct host_question question = host->questions[0];
    struct gz_answer answer;
    memmove(host->questions, host->questions + 1, --host->question_count * sizeof *host->questions);
    core_store_ask(&host->store, &question.query, &answer);
    enter(host);
    gz_core_answered(host->core, question.ticket, &answer, host->now);
    leave(host);
    gz_answer_finish(&answer);
}

static void deliver(struct host *host)
{
    for (struct client *client = host->clients; client != NULL; client = client->next)
        client_read(client);
}

void host_turn(struct host *host)
{
    const size_t most = TURNS_MAX * (1 + GZ_SLICE_NODES / host->core->slice_nodes);
    for (size_t turns = 0; turns < most; turns++) {
        enter(host);
        gz_core_turn(host->core, host->now);
        leave(host);
        deliver(host);
        if (gz_core_has_bulk(host->core)) {
            if (host->bulk_waits) return;
            gz_core_do_bulk(host->core, host->now);
            continue;
        }
        bool settles = host->batches != NULL && host->disk != DISK_WAITS;
        bool answers = host->question_count > 0 && !host->past_waits;
        if (settles) host_settle(host, host->disk == DISK_COMMITS);
        if (answers) answer_question(host);
        if (!settles && !answers && gz_core_deadline(host->core) > host->now.mono_s) return;
    }
    fail_msg("the core has no rest");
}

static void move_clock(struct host *host, double mono_s)
{
    host->now.unix_s += mono_s - host->now.mono_s;
    host->now.mono_s = mono_s;
}

/* Whether a worker has the core, which then has no turns. */
static bool is_lent(const struct host *host)
{
    return host->bulk_waits && gz_core_has_bulk(host->core);
}

void host_advance(struct host *host, double seconds)
{
    double end = host->now.mono_s + seconds;
    for (double next; (next = gz_core_deadline(host->core)) < end && !is_lent(host);) {
        move_clock(host, fmax(next, host->now.mono_s));
        host_turn(host);
    }
    move_clock(host, end);
    host_turn(host);
}

const struct gz_node_record *host_nodes(struct host *host, struct gz_arena *arena, size_t *count)
{
    const struct gz_scene *scene = host->core->scene;
    struct gz_node_record *nodes = gz_arena_take(arena, gz_scene_count(scene), sizeof *nodes);
    const struct gz_node *node = NULL;
    assert_non_null(nodes);
    for (*count = 0; (node = gz_scene_walk_all(scene, node)) != NULL; (*count)++) {
        struct gz_node_record *record = &nodes[*count];
        *record = (struct gz_node_record){.id = node->id, .seq = node->seq};
        gz_node_content(node, &record->content);
        char *name = gz_arena_take(arena, strlen(node->name) + 1, 1);
        assert_non_null(name);
        record->content.name = strcpy(name, node->name);
    }
    return nodes;
}

/* Seconds after a camera within which the core evaluates its view, at the latest. */
#define LOOKS_S 0.1

static bool holds_part(const struct client *client, const struct part_wish *wish,
                       const struct gz_node_record *nodes, size_t count)
{
    bool *must, *may;
    part_wish_nodes(wish, nodes, count, &must, &may);
    bool holds = mirror_is_part(&client->mirror, nodes, count, must, may);
    if (holds) mirror_assert_part(&client->mirror, nodes, count, must, may);
    free(must);
    free(may);
    return holds;
}

/* After several cameras in short succession the view may be that of any of them. Once it was a
 * camera's, it is never an earlier one's again. */
static void assert_view(struct client *client, const struct gz_node_record *nodes, size_t count)
{
    struct part_wish wish = client->wish;
    size_t last = client->camera_count - 1;
    if (client->host->now.mono_s > client->cameras[last].mono_s + LOOKS_S) client->looked = last;
    for (; client->looked <= last; client->looked++) {
        wish.camera = client->cameras[client->looked].camera;
        if (holds_part(client, &wish, nodes, count)) return;
    }
    fail_msg("client %s does not hold what any of its cameras sees", client->user);
}

/* A node that differs from the scene, as a preview does, is held by a running drag. */
static void assert_previews_are_held(const struct client *client)
{
    for (size_t i = 0; i < client->mirror.count; i++) {
        const struct mirror_node *node = &client->mirror.nodes[i];
        if (!node->in_motion) continue;
        const struct gz_node *own = gz_scene_find(client->host->core->scene, node->id);
        assert_non_null(own);
        if (own->holder == 0) assert_memory_equal(&node->content.trs, &own->trs, sizeof own->trs);
    }
}

/* The mirror names the session that changed each node last, except after an undo. */
static void assert_authors(const struct client *client)
{
    for (size_t i = 0; i < client->mirror.count; i++) {
        const struct mirror_node *node = &client->mirror.nodes[i];
        const struct gz_node *own = gz_scene_find(client->host->core->scene, node->id);
        if (own != NULL && own->by != 0) assert_int_equal(node->by, own->by);
    }
}

static void assert_part(struct client *client, const struct gz_node_record *nodes, size_t count)
{
    assert_authors(client);
    assert_int_equal(client->mirror.seq, gz_core_summary(client->host->core).seq);
    assert_previews_are_held(client);
    if (client->wish.kind == PART_WHOLE)
        mirror_assert_equal(&client->mirror, nodes, count);
    else if (client->wish.kind == PART_VIEW)
        assert_view(client, nodes, count);
    else
        assert_true(holds_part(client, &client->wish, nodes, count));
}

void host_assert_equal(struct host *host)
{
    struct gz_arena arena;
    size_t count;
    gz_arena_init(&arena, SIZE_MAX / 2);
    const struct gz_node_record *nodes = host_nodes(host, &arena, &count);
    for (struct client *client = host->clients; client != NULL; client = client->next) {
        if (client->session == NULL || client->stalled ||
            gz_session_end_reason(client->session) != NULL)
            continue;
        assert_part(client, nodes, count);
        mirror_notes_assert_equal(&client->notes, host->store.notes, host->store.note_count);
        mirror_checkpoints_assert_equal(&client->checkpoints, host->store.checkpoints,
                                        host->store.checkpoint_count);
    }
    gz_arena_finish(&arena);
}

void host_close(struct host *host)
{
    host_turn(host);
    host_assert_equal(host);
    host_finish(host);
}

struct gz_content host_node(struct host *host, uint64_t id)
{
    struct gz_arena arena;
    size_t count;
    struct gz_content content = {0};
    bool found = false;
    gz_arena_init(&arena, SIZE_MAX / 2);
    const struct gz_node_record *nodes = host_nodes(host, &arena, &count);
    for (size_t i = 0; i < count; i++) {
        if (nodes[i].id != id) continue;
        content = nodes[i].content;
        found = true;
    }
    gz_arena_finish(&arena);
    assert_true(found);
    content.name = NULL;
    return content;
}

/* ---- coming and going ---- */

static void join(struct client *client, const struct gz_message *hello)
{
    struct host *host = client->host;
    struct gz_error error;
    client->id = host->next_session++;
    enter(host);
    uint8_t secret[GZ_SECRET_BYTES] = {0};
    memcpy(secret, &client->id, sizeof client->id);
    enum gz_status status = gz_core_join(host->core, client->id, hello, &client->claims, secret,
                                         host->now, &client->session, &error);
    leave(host);
    if (host->handle_core == NULL) assert_int_equal(status, GZ_OK);
    client->present_count = client->here = 0;
    client->saved = 0;
    forget_wishes(client);
}

static struct gz_message hello_of(const struct client *client)
{
    struct gz_message hello = {.op = GZ_OP_HELLO};
    hello.hello.v = GZ_PROTOCOL_VERSION;
    hello.hello.user = (struct gz_text){client->user, strlen(client->user)};
    hello.hello.draw = client->draw;
    hello.hello.packed = client->packed != NULL;
    return hello;
}

static const gz_trs *place_of(const void *mirror, uint64_t id)
{
    const struct mirror_node *node = mirror_find(mirror, id);
    return node != NULL ? &node->content.trs : NULL;
}

static struct client *new_client(struct host *host, const struct gz_claims *claims, bool draw)
{
    struct client *client = calloc(1, sizeof *client);
    assert_non_null(client);
    client->next = host->clients;
    host->clients = client;
    client->host = host;
    client->claims = *claims;
    client->told_s = host->now.unix_s;
    client->draw = draw;
    if (!host->plain && host->next_session % 2 == 0)
        client->packed = gz_packed_create(place_of, &client->mirror);
    client->next_rid = 1;
    client->heard_end = &client->heard;
    client->said_end = &client->said;
    snprintf(client->user, sizeof client->user, "%s", claims->user);
    return client;
}

struct client *client_enter(struct host *host, const char *user, enum gz_role role, bool draw)
{
    const struct gz_claims claims = gz_claims_open(user, strlen(user), role);
    struct client *client = new_client(host, &claims, draw);
    struct gz_message hello = hello_of(client);
    join(client, &hello);
    return client;
}

struct client *client_join(struct host *host, const char *user, enum gz_role role)
{
    struct client *client = client_enter(host, user, role, false);
    host_turn(host);
    return client;
}

struct client *client_join_with(struct host *host, const struct gz_claims *claims)
{
    struct client *client = new_client(host, claims, false);
    struct gz_message hello = hello_of(client);
    join(client, &hello);
    host_turn(host);
    return client;
}

struct client *client_join_drawing(struct host *host, const char *user)
{
    struct client *client = client_enter(host, user, GZ_ROLE_EDITOR, true);
    host_turn(host);
    return client;
}

void client_enter_again(struct client *client)
{
    struct gz_message hello = hello_of(client);
    assert_null(client->session);
    client_forget(client);
    mirror_clear(&client->mirror);
    client->mirror.deltas = client->mirror.snapshots = 0;
    client->epoch = client->edit = 0;
    join(client, &hello);
}

void client_resume(struct client *client)
{
    struct gz_message hello = hello_of(client);
    assert_null(client->session);
    hello.has = GZ_HAS_HELLO_RESUME;
    hello.hello.resume_epoch = client->epoch;
    /* Of a state that is not saved, a server that crashed would not take back a part. */
    hello.hello.resume_seq = client->mirror.partly > client->saved ? 0 : client->mirror.complete;
    hello.hello.resume_edit = client->edit;
    hello.hello.resume_secret = (struct gz_text){client->secret, strlen(client->secret)};
    if (client->edit > 0) hello.has |= GZ_HAS_HELLO_EDIT;
    join(client, &hello);
}

struct client *client_replace(struct client *client)
{
    struct client *earlier = new_client(client->host, &client->claims, client->draw);
    earlier->session = client->session;
    earlier->id = client->id;
    earlier->stalled = true;
    client->session = NULL;
    client_resume(client);
    return earlier;
}

void client_leave(struct client *client)
{
    enter(client->host);
    gz_core_leave(client->host->core, client->session, client->host->now);
    leave(client->host);
    client->session = NULL;
}

void client_come_as(struct client *client, bool packed)
{
    client_leave(client);
    gz_packed_destroy(client->packed);
    client->packed = packed ? gz_packed_create(place_of, &client->mirror) : NULL;
    client_enter_again(client);
    host_turn(client->host);
}

struct client *client_join_as(struct host *host, const char *user, enum gz_role role, bool packed)
{
    struct client *client = client_join(host, user, role);
    if ((client->packed != NULL) != packed) client_come_as(client, packed);
    return client;
}

/* ---- hearing ---- */

static void hear_welcome(struct client *client, const struct gz_welcome *welcome)
{
    assert_int_equal(welcome->session, client->id);
    client->epoch = welcome->epoch;
    memset(client->secret, 0, sizeof client->secret);
    memcpy(client->secret, welcome->secret.bytes, welcome->secret.size);
    client->resumed = welcome->resumed;
    /* A resume continues from the last complete state, even if a part of the next one came. */
    if (!welcome->resumed) client->mirror.complete = 0;
    client->mirror.seq = client->mirror.complete;
    mirror_notes_clear(&client->notes);
    mirror_checkpoints_clear(&client->checkpoints);
}

static void forget_present(struct client *client, uint64_t session)
{
    for (size_t i = 0; i < client->present_count; i++) {
        if (client->present[i].session == session)
            client->present[i] = client->present[--client->present_count];
    }
}

/* A client keeps its own record: one that only watches is sent that only once. */
static void forget_all_present(struct client *client)
{
    for (size_t i = client->present_count; i-- > 0;) {
        if (client->present[i].session != client->id)
            forget_present(client, client->present[i].session);
    }
}

static void hear_presence(struct client *client, const struct gz_presence *presence)
{
    if (presence->all) forget_all_present(client);
    for (size_t i = 0; i < presence->left.count; i++) forget_present(client, presence->left.ids[i]);
    for (size_t i = 0; i < presence->count; i++) {
        const struct gz_presence_user *user = &presence->users[i];
        forget_present(client, user->session);
        assert_true(client->present_count < sizeof client->present / sizeof client->present[0]);
        client->present[client->present_count].session = user->session;
        client->present[client->present_count].selected = user->selection.count;
        client->present[client->present_count++].locked = user->locks.count;
    }
}

static void hear_saved(struct client *client, uint64_t saved)
{
    assert_true(saved >= client->saved);
    client->saved = saved;
}

/* A viewer knows everybody whose actions it is shown, as long as they are here. The first state is
 * an exception, because it comes before the people. */
static void assert_known(const struct client *client, uint64_t session)
{
    size_t i = 0;
    while (i < client->present_count && client->present[i].session != session) i++;
    const struct gz_session *own = gz_sessions_find(&client->host->core->roster, session, NULL);
    const bool is_here = own != NULL && !gz_session_is_replaced(own);
    if (is_here && i == client->present_count)
        fail_msg("%s was shown what session %llu does, and not told who that is", client->user,
                 (unsigned long long)session);
}

/* Edits come in the order of their seq, and none twice, because a resume says the last one. */
static void hear_edit(struct client *client, const struct gz_edit_message *edit)
{
    assert_true(edit->seq > client->edit);
    client->edit = edit->seq;
    if (client->here > 0 && edit->by != 0) assert_known(client, edit->by);
}

static void remember_camera(struct client *client, const struct gz_camera_message *camera)
{
    assert_true(gz_grow(&client->cameras, &client->camera_capacity, client->camera_count + 1,
                        sizeof *client->cameras));
    client->cameras[client->camera_count++] =
        (struct taken_camera){*camera, client->host->now.mono_s};
}

static void hear_view(struct client *client, const double view[16])
{
    struct gz_camera_message camera = client->cameras[client->camera_count - 1].camera;
    memcpy(camera.view, view, sizeof camera.view);
    remember_camera(client, &camera);
}

static void hear_ok(struct client *client, const struct said *said)
{
    if (said->op == GZ_OP_CAMERA) {
        remember_camera(client, &said->camera);
        return;
    }
    part_wish_finish(&client->wish);
    client->wish = said->wish;
    client->looked = client->camera_count > 0 ? client->camera_count - 1 : 0;
}

/* An interest and a camera are in force from their `ok` on. Before that the core may tell of a view
 * that it made earlier. */
static void hear_answer(struct client *client, const struct gz_message *answer)
{
    struct said **at = &client->said, *said;
    if ((answer->has & GZ_HAS_RID) == 0) return;
    while (*at != NULL && (*at)->rid != answer->rid) at = &(*at)->next;
    if ((said = *at) == NULL) return;
    *at = said->next;
    if (*at == NULL) client->said_end = at;
    if (answer->op == GZ_OP_OK)
        hear_ok(client, said);
    else
        part_wish_finish(&said->wish);
    free(said);
}

static void hear_doers(const struct client *client, const struct gz_delta *delta)
{
    for (size_t i = 0; client->here > 0 && i < delta->count; i++) {
        if ((delta->nodes[i].has & GZ_HAS_STATE_BY) != 0) assert_known(client, delta->nodes[i].by);
    }
}

/* Compares each complete delta of a part with the scene of this moment. A part is not resumed. */
static void hear_delta(struct client *client, const struct gz_delta *delta)
{
    struct gz_arena arena;
    size_t count;
    assert_true(delta->time > client->told_s - 0.001);
    assert_true(delta->time < client->host->core->clock.now.unix_s + 0.001);
    client->told_s = delta->time;
    mirror_apply(&client->mirror, delta);
    hear_doers(client, delta);
    for (size_t i = client->told_singly; i < delta->count; i++)
        mirror_mark_motion(&client->mirror, delta->nodes[i].id);
    hear_saved(client, delta->saved);
    if (client->wish.kind != PART_WHOLE) client->mirror.complete = 0;
    if (delta->more || client->wish.kind == PART_WHOLE) return;
    gz_arena_init(&arena, SIZE_MAX / 2);
    const struct gz_node_record *nodes = host_nodes(client->host, &arena, &count);
    assert_part(client, nodes, count);
    gz_arena_finish(&arena);
}

/* Checkpoints are of states that the client was told are saved. */
static void hear_checkpoints(struct client *client, const struct gz_checkpoints *told)
{
    assert_false(client->mirror.more);
    for (size_t i = 0; i < told->count; i++) assert_true(told->checkpoints[i].seq <= client->saved);
    mirror_checkpoints_apply(&client->checkpoints, told);
}

static void hear(struct client *client, const struct gz_message *message)
{
    switch (message->op) {
    case GZ_OP_WELCOME: hear_welcome(client, &message->welcome); break;
    case GZ_OP_DELTA: hear_delta(client, &message->delta); break;
    case GZ_OP_VIEW: hear_view(client, message->view); break;
    case GZ_OP_OK:
    case GZ_OP_ERROR: hear_answer(client, message); break;
    case GZ_OP_EDIT: hear_edit(client, &message->edit); break;
    case GZ_OP_SAVED: hear_saved(client, message->saved_seq); break;
    case GZ_OP_NOTES:
        assert_false(client->mirror.more);
        mirror_notes_apply(&client->notes, &message->notes);
        break;
    case GZ_OP_CHECKPOINT_NEWS: hear_checkpoints(client, &message->checkpoint_news); break;
    case GZ_OP_PRESENCE: hear_presence(client, &message->presence); break;
    case GZ_OP_CROWD: client->here = message->here; break;
    default: break;
    }
}

static struct gz_ids keep_ids(struct gz_arena *arena, struct gz_ids ids)
{
    uint64_t *copy = gz_arena_take(arena, ids.count + 1, sizeof *copy);
    assert_non_null(copy);
    if (ids.count > 0) memcpy(copy, ids.ids, ids.count * sizeof *copy);
    return (struct gz_ids){copy, ids.count};
}

static struct gz_text keep_text(struct gz_arena *arena, struct gz_text text)
{
    const char *copy = gz_arena_text(arena, text.bytes, text.size);
    assert_non_null(copy);
    return (struct gz_text){copy, text.size};
}

/* Copies the users: the reader of the packed form keeps them only until its next message. */
static void keep_users(struct gz_arena *arena, struct gz_presence *presence)
{
    struct gz_presence_user *users = gz_arena_take(arena, presence->count + 1, sizeof *users);
    assert_non_null(users);
    for (size_t i = 0; i < presence->count; i++) {
        users[i] = presence->users[i];
        users[i].user = keep_text(arena, users[i].user);
        users[i].name = keep_text(arena, users[i].name);
        users[i].selection = keep_ids(arena, users[i].selection);
        users[i].locks = keep_ids(arena, users[i].locks);
    }
    presence->users = users;
}

static void keep_nodes(struct gz_arena *arena, struct gz_delta *delta)
{
    struct gz_node_state *nodes = gz_arena_take(arena, delta->count + 1, sizeof *nodes);
    assert_non_null(nodes);
    if (delta->count > 0) memcpy(nodes, delta->nodes, delta->count * sizeof *nodes);
    delta->nodes = nodes;
}

/* The nodes of a motion are previews until a delta tells each of them by itself. */
static void mark_listed(struct client *client, const struct gz_motion_message *motion)
{
    for (size_t i = 0; i < motion->nodes.count; i++)
        mirror_mark_motion(&client->mirror, motion->nodes.ids[i]);
    for (size_t i = 0; i < motion->start_count; i++)
        mirror_mark_motion(&client->mirror, motion->starts[i].id);
}

static void turn(struct client *client, struct gz_arena *arena, struct gz_message *message)
{
    struct gz_error error = {.message = ""};
    const bool is_packed = message->op >= GZ_OP_MOVES;
    client->told_singly = message->op == GZ_OP_MOVES ? message->moves.count : SIZE_MAX;
    if (client->packed == NULL) {
        assert_false(is_packed);
        return;
    }
    assert_true(message->op != GZ_OP_DELTA);
    if (message->op == GZ_OP_MOTION) mark_listed(client, &message->motion);
    if (gz_packed_turn(client->packed, arena, message, &error) != GZ_OK)
        fail_msg("the server said what does not follow: %s", error.message);
    if (is_packed && message->op == GZ_OP_PRESENCE) keep_users(arena, &message->presence);
    if (is_packed && message->op == GZ_OP_DELTA) keep_nodes(arena, &message->delta);
}

static void keep_frame(struct client *client, const struct gz_bytes *frame)
{
    struct heard *heard = calloc(1, sizeof *heard);
    assert_non_null(heard);
    heard->bytes = malloc(frame->size);
    assert_non_null(heard->bytes);
    memcpy(heard->bytes, frame->data, frame->size);
    gz_arena_init(&heard->arena, SIZE_MAX / 2);
    client->bytes_heard += frame->size;
    client->frames_heard++;
    size_t capacity = 0;
    for (size_t offset = 0; offset < frame->size; heard->count++) {
        heard->messages =
            grow(heard->messages, &capacity, heard->count + 1, sizeof *heard->messages);
        struct gz_error error = {.message = ""};
        enum gz_status status = gz_decode(GZ_FROM_SERVER, heard->bytes, frame->size, &offset,
                                          &heard->arena, &heard->messages[heard->count], &error);
        if (status != GZ_OK) fail_msg("the server said what cannot be read: %s", error.message);
        turn(client, &heard->arena, &heard->messages[heard->count]);
        hear(client, &heard->messages[heard->count]);
    }
    *client->heard_end = heard;
    client->heard_end = &heard->next;
}

bool client_read_one(struct client *client)
{
    struct host *host = client->host;
    enter(host);
    struct gz_bytes *frame = gz_core_next_frame(host->core, client->session, host->now);
    leave(host);
    if (frame == NULL) return false;
    assert_true(frame->size <= GZ_SERVER_FRAME_BYTES_MAX);
    keep_frame(client, frame);
    enter(host);
    gz_bytes_release(frame);
    leave(host);
    return true;
}

void client_read_piece(struct client *client)
{
    if (client_read_one(client)) return;
    assert_true(gz_session_frame_waits(client->session));
    host_turn(client->host);
    assert_true(client_read_one(client));
}

void client_read(struct client *client)
{
    if (client->session == NULL || client->stalled) return;
    while (client_read_one(client)) continue;
}

/* ---- saying ---- */

bool client_say_bytes(struct client *client, const uint8_t *bytes, size_t size)
{
    enter(client->host);
    bool is_looked_at =
        gz_core_receive(client->host->core, client->session, bytes, size, client->host->now);
    leave(client->host);
    return is_looked_at;
}

static void remember(struct client *client, const struct gz_message *message)
{
    if (message->op != GZ_OP_INTEREST && message->op != GZ_OP_CAMERA) return;
    if ((message->has & GZ_HAS_RID) == 0) {
        assert_true(message->op == GZ_OP_CAMERA);
        remember_camera(client, &message->camera);
        return;
    }
    struct said *said = calloc(1, sizeof *said);
    assert_non_null(said);
    *said = (struct said){.rid = message->rid, .op = message->op};
    if (message->op == GZ_OP_CAMERA)
        said->camera = message->camera;
    else
        said->wish = part_wish_of(&message->interest, message->has);
    *client->said_end = said;
    client->said_end = &said->next;
}

void client_say(struct client *client, const struct gz_message *message)
{
    struct gz_buffer bytes;
    remember(client, message);
    gz_buffer_init(&bytes, 16 * GZ_MESSAGE_BYTES_MAX, 0);
    assert_int_equal(gz_encode(&bytes, message), GZ_OK);
    client_say_bytes(client, bytes.data, bytes.size);
    gz_buffer_finish(&bytes);
}

const struct gz_message *client_ask(struct client *client, const struct gz_message *message)
{
    struct gz_message asked = *message;
    asked.has |= GZ_HAS_RID;
    asked.rid = client->next_rid++;
    client_say(client, &asked);
    host_turn(client->host);
    return client_answer(client, asked.rid);
}

const struct gz_message *client_answer(const struct client *client, uint64_t rid)
{
    const struct gz_message *answer = NULL;
    for (const struct heard *heard = client->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) {
            const struct gz_message *message = &heard->messages[i];
            bool answers = message->op == GZ_OP_OK || message->op == GZ_OP_ERROR;
            if (answers && (message->has & GZ_HAS_RID) != 0 && message->rid == rid)
                answer = message;
        }
    }
    return answer;
}

const struct gz_message *client_last(const struct client *client, enum gz_op op)
{
    const struct gz_message *last = NULL;
    for (const struct heard *heard = client->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) {
            if (heard->messages[i].op == op) last = &heard->messages[i];
        }
    }
    return last;
}

size_t client_count(const struct client *client, enum gz_op op)
{
    size_t count = 0;
    for (const struct heard *heard = client->heard; heard != NULL; heard = heard->next) {
        for (size_t i = 0; i < heard->count; i++) count += heard->messages[i].op == op;
    }
    return count;
}

void client_forget(struct client *client)
{
    while (client->heard != NULL) {
        struct heard *next = client->heard->next;
        gz_arena_finish(&client->heard->arena);
        free(client->heard->messages);
        free(client->heard->bytes);
        free(client->heard);
        client->heard = next;
    }
    client->heard_end = &client->heard;
}
