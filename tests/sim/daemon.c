/* The daemon around the core: its turns, its ends of the links, its disk and its past; what may
 * happen to each of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dispatch.h"
#include "core/work.h"
#include "feed/state.h"
#include "proto/json.h"
#include "server/maxima.h"
#include "sim/access.h"
#include "sim/chance.h"
#include "sim/daemon.h"
#include "sim/disk.h"
#include "sim/drags.h"
#include "sim/frames.h"
#include "sim/hear.h"
#include "sim/judge.h"
#include "sim/model.h"
#include "sim/notes.h"
#include "sim/oks.h"
#include "sim/parts.h"
#include "sim/requests.h"
#include "sim/said.h"
#include "sim/sim.h"
#include "sim/tokens.h"

/* Seconds between two slices of what the core does in slices: others come in between. */
#define SLICE_S 0.001
/* A look at many nodes that ends in a turn may have to begin anew in the next one. */
#define RESTLESS_MAX 3
/* More than the messages that can wait to be done by a worker, each in its turn. */
#define BULK_ROUNDS_MAX 1000

/* ---- what the core asks ---- */

/* One batch after the other. What left before the core knew of a refusal is refused as well. */
static void begin_commit(struct sim *sim)
{
    bool failing = sim->now.mono_s < sim->disk_ok_s, slow = sim->now.mono_s < sim->disk_slow_s;
    sim->commit_fails = sim->void_batches > 0 || failing || (!sim->quiet && chance(sim, 0.002));
    double takes_s = slow ? between(sim, 0.05, 2) : between(sim, 0.0005, 0.01);
    sim->commit_due_s = fmax(sim->now.mono_s + takes_s, sim->hurry_until_s);
}

static void handle_commit(void *context, struct gz_batch *batch)
{
    struct sim *sim = context;
    struct gz_batch **at = &sim->batches;
    PROMISE(sim->batch_count < sim->core->options.batches, "batches are bounded", "%zu",
            sim->batch_count);
    PROMISE(sim->void_batches == 0, "nothing stands on what was refused", "a batch");
    while (*at != NULL) at = &(*at)->next;
    *at = batch;
    if (sim->batch_count++ == 0) begin_commit(sim);
}

static void handle_query(void *context, uint64_t ticket, const char *user,
                         const struct gz_query *query)
{
    (void)user;
    struct sim *sim = context;
    PROMISE(sim->question_count < COUNT(sim->questions), "questions are bounded", "%zu",
            sim->question_count);
    bool slow = sim->now.mono_s < sim->past_slow_s;
    double due_s = sim->now.mono_s + (slow ? between(sim, 0.1, 3) : between(sim, 0.001, 0.05));
    sim->questions[sim->question_count++] = (struct question){ticket, *query, due_s};
}

/* Every other one is at a worker already, and is answered. */
static void handle_withdraw(void *context, uint64_t ticket)
{
    struct sim *sim = context;
    size_t at = 0;
    while (at < sim->question_count && sim->questions[at].ticket != ticket) at++;
    if (at < sim->question_count && ticket % 2 == 0)
        sim->questions[at] = sim->questions[--sim->question_count];
}

static enum gz_status handle_find_key(void *context, const char *user, const char *key,
                                      struct gz_arena *arena, struct gz_edit_record *edit)
{
    (void)arena;
    struct sim *sim = context;
    if (!core_store_find_key(&sim->store, user, key, edit)) edit->id = 0;
    return GZ_OK;
}

static enum gz_status handle_find_note_key(void *context, const char *user, const char *key,
                                           uint64_t *note)
{
    struct sim *sim = context;
    if (!core_store_find_note_key(&sim->store, user, key, note)) *note = 0;
    return GZ_OK;
}

/* ---- what the core puts off ---- */

/* At once, before anybody looks: what comes out is what a core that puts nothing off would do. The
 * core has a turn afterwards. */
static void do_bulk(struct sim *sim)
{
    for (size_t rounds = 0; gz_core_has_bulk(sim->core); rounds++) {
        PROMISE(rounds < BULK_ROUNDS_MAX, "what is put off comes to an end", "it goes on");
        gz_core_do_bulk(sim->core, sim->now);
        sim->counts->bulk++;
        sim->turn_due_s = sim->now.mono_s;
        for (struct link *link = sim->links; link != NULL; link = link->next)
            if (link->session != NULL) gz_session_read_inbox(link->session);
    }
}

/* After the model knows what was done. */
static void note_sent(struct sim *sim)
{
    size_t place = 0;
    for (const struct gz_batch *batch = sim->batches; batch != NULL; batch = batch->next)
        if (place++ >= sim->told_batches) model_sent(sim, batch);
    sim->told_batches = sim->batch_count;
    edits_settled(sim);
}

/* ---- the disk ---- */

/* The oldest batch. */
static void store(struct sim *sim)
{
    const struct gz_batch *batch = sim->batches;
    core_store_commit(&sim->store, batch);
    sim->model.notes_stored += batch->note_count;
    for (size_t i = 0; i < batch->ended_count; i++)
        model_deed(&sim->model, batch->ended[i].id)->stored = true;
}

static struct gz_batch *take_batch(struct sim *sim)
{
    struct gz_batch *batch = sim->batches;
    sim->batches = batch->next;
    sim->batch_count--;
    sim->told_batches--;
    sim->void_batches -= sim->void_batches > 0;
    return batch;
}

static void settle(struct sim *sim)
{
    const bool fails = sim->commit_fails, is_void = sim->void_batches > 0;
    struct gz_batch *batch = sim->batches;
    struct act act = {.kind = fails && !is_void ? ACT_REFUSED : ACT_STORED};
    trace(sim, "disk: %s up to seq %llu, %zu edits", sim->commit_fails ? "refuses" : "has",
          NUMBER(batch->seq), batch->ended_count);
    if (!fails) store(sim);
    if (fails && !is_void) oks_refused(sim);
    sim->disk_failed |= fails;
    sim->counts->refusals += fails;
    take_batch(sim);
    if (fails && !is_void) sim->void_batches = sim->batch_count;
    if (sim->batches != NULL) begin_commit(sim);
    gz_core_committed(sim->core, batch, fails ? GZ_STORAGE : GZ_OK, fails ? "it is full" : "",
                      sim->now);
    do_bulk(sim);
    model_act(sim, &act);
    note_sent(sim);
}

static struct question *next_question(struct sim *sim)
{
    struct question *next = NULL;
    for (size_t i = 0; i < sim->question_count; i++) {
        if (next == NULL || sim->questions[i].due_s < next->due_s) next = &sim->questions[i];
    }
    return next;
}

static void answer(struct sim *sim, struct question *question)
{
    struct gz_answer past, taken; /* the same; the core keeps what it puts off */
    struct act act = {.kind = ACT_ANSWER};
    char user[TEXT_MAX] = "", key[TEXT_MAX] = "";
    const struct gz_ticket *ticket = sim->core->tickets.first;
    while (ticket != NULL && ticket->number != question->ticket) ticket = ticket->next;
    const struct gz_session *session =
        ticket != NULL ? gz_core_session(sim->core, ticket->session) : NULL;
    core_store_ask(&sim->store, &question->query, &past);
    core_store_ask(&sim->store, &question->query, &taken);
    const bool reverts = question->query.kind == GZ_QUERY_EDIT;
    if (session != NULL && (reverts || ticket->on_answer == gz_session_restore)) {
        keep_text(user, session->user);
        act.session = session->id;
        act.user = user;
        keep_text(key, ticket->key);
        act.key = key;
        act.answer = &past;
        act.restored = question->query.seq;
        act.reverted = question->query.edit;
        act.force = ticket->force;
        act.request = session->ended ? NULL : person_request(sim, session->id, ticket->rid);
        if (act.request != NULL && act.request->session != session->id) act.request = NULL;
    }
    const struct ground ground = oks_ground(sim);
    trace(sim, "past: answers question %llu", NUMBER(question->ticket));
    gz_core_answered(sim->core, question->ticket, &taken, sim->now);
    do_bulk(sim);
    *question = sim->questions[--sim->question_count];
    if (act.request != NULL) oks_looked(act.request, &ground);
    model_act(sim, &act);
    note_sent(sim);
    gz_answer_finish(&past);
    gz_answer_finish(&taken);
}

/* ---- the end of a link ---- */

static void leave(struct sim *sim, struct link *link)
{
    char user[TEXT_MAX] = "";
    keep_text(user, link->session->user);
    struct act act = {.kind = ACT_LEAVE, .session = link->session->id, .user = user};
    trace(sim, "session %llu leaves", NUMBER(act.session));
    gz_core_leave(sim->core, link->session, sim->now);
    link->session = NULL;
    do_bulk(sim);
    model_act(sim, &act);
    note_sent(sim);
}

/* The daemon's side is over: its person reads it after what came before. */
static void hang_up(struct sim *sim, struct link *link)
{
    if (link->session != NULL) leave(sim, link);
    link->over = true;
    lane_lose(&link->up, 0);
    lane_end(sim, link, &link->down);
}

/* ---- what comes from a link ---- */

/* The link whose session's place a hello takes: that of the same user with the secret that it was
 * given. */
static struct link *find_replaced(struct sim *sim, const struct gz_message *hello)
{
    const struct gz_hello *said = &hello->hello;
    if ((hello->has & GZ_HAS_HELLO_RESUME) == 0) return NULL;
    for (struct link *link = sim->links; link != NULL; link = link->next) {
        if (link->session == NULL || strlen(link->secret) != said->resume_secret.size) continue;
        size_t size = strlen(link->owner->user);
        if (size != said->user.size || memcmp(link->owner->user, said->user.bytes, size) != 0)
            continue;
        if (memcmp(link->secret, said->resume_secret.bytes, said->resume_secret.size) == 0)
            return link;
    }
    return NULL;
}

/* The place that is taken is free at once, and nobody else's is taken. */
static void check_places(const struct sim *sim, const struct link *replaced)
{
    for (const struct link *link = sim->links; link != NULL; link = link->next) {
        if (link->session == NULL) continue;
        PROMISE(gz_session_is_replaced(link->session) == (link == replaced),
                "a secret takes its own session's place", "that of session %llu",
                NUMBER(link->session->id));
        PROMISE(link != replaced ||
                    (link->session->ended && link->session->gesture.interaction == NULL &&
                     link->session->gesture.next == NULL),
                "who comes back finds free what it held", "session %llu drags on",
                NUMBER(link->session->id));
    }
}

static void join(struct sim *sim, struct link *link, const struct gz_message *hello)
{
    struct gz_error error;
    uint64_t id = sim->next_session++;
    struct act act = {.kind = ACT_JOIN, .session = id, .user = ""};
    struct link *replaced = find_replaced(sim, hello);
    uint8_t secret[GZ_SECRET_BYTES];
    if (replaced != NULL) act.replaced = replaced->session->id;
    for (size_t i = 0; i < GZ_SECRET_BYTES; i++) {
        secret[i] = (uint8_t)below(sim, 256);
        snprintf(link->secret + 2 * i, 3, "%02x", secret[i]);
    }
    snprintf(link->secret + 2 * GZ_SECRET_BYTES, 17, "%llx", NUMBER(id));
    PROMISE(id < SESSIONS_MAX, "the simulation has room", "%llu sessions", NUMBER(id));
    sim->owners[id] = (uint8_t)link->owner->index;
    const char *user = link->owner->user;
    struct gz_claims claims = gz_claims_open(user, strlen(user), link->owner->role);
    claims.has_role = !link->owner->is_unknown;
    claims.expires_unix_s = tokens_draw(sim);
    enum gz_status status =
        gz_core_join(sim->core, id, hello, &claims, secret, sim->now, &link->session, &error);
    if (tokens_joined(sim, claims.expires_unix_s, status))
        access_joined(sim, link->owner, status, &error);
    if (status != GZ_OK) {
        link->session = NULL;
        hang_up(sim, link);
        return;
    }
    check_places(sim, replaced);
    model_act(sim, &act);
    if (replaced == NULL) return;
    trace(sim, "session %llu takes the place of %llu", NUMBER(id), NUMBER(act.replaced));
    sim->counts->replaced++;
    hang_up(sim, replaced);
}

/* ---- a frame ---- */

enum { FRAME_MESSAGES_MAX = 16 };

/* A frame as the core will read it. */
struct frame {
    struct gz_arena arena;
    struct framed_message {
        struct gz_message message;
        bool sense;
    } messages[FRAME_MESSAGES_MAX];
    size_t count, acting; /* which of them may change the scene, else the last one */
};

static enum gz_status decode(const struct link *link, enum gz_side side, const uint8_t *bytes,
                             size_t size, size_t *offset, struct gz_arena *arena,
                             struct gz_message *message, struct gz_error *error)
{
    return (link->is_json ? gz_decode_json : gz_decode)(side, bytes, size, offset, arena, message,
                                                        error);
}

static void read_frame(const struct link *link, struct frame *frame, const uint8_t *bytes,
                       size_t size, size_t offset)
{
    struct gz_error error;
    gz_arena_init(&frame->arena, SIZE_MAX / 2);
    frame->count = 0;
    bool acts = false;
    for (; offset < size && frame->count < FRAME_MESSAGES_MAX; frame->count++) {
        struct framed_message *next = &frame->messages[frame->count];
        next->sense = decode(link, GZ_FROM_CLIENT, bytes, size, &offset, &frame->arena,
                             &next->message, &error) == GZ_OK;
        bool acting = next->sense && !op_is_beside(next->message.op);
        if (acting || !acts) frame->acting = frame->count;
        acts |= acting;
    }
}

/* Whether its drag has nodes that are not yet where its pointer has them. */
static bool is_moving(const struct link *link)
{
    return gesture_moves(&link->session->gesture);
}

/* How many seqs the end of the session's drag may take after that of its last move. */
static uint64_t seqs_of_end(const struct gz_session *session)
{
    const struct gz_gesture *gesture = &session->gesture;
    return gz_gesture_is_sampled(gesture) ? 1 : 1 + gesture->count;
}

/* The moves before the end of a drag in its frame may have been anywhere. */
static void note_moves(const struct sim *sim, struct link *link, const struct frame *frame,
                       uint64_t seq_before, uint64_t end_seqs)
{
    uint64_t seq = gz_scene_seq(sim->core->scene);
    for (size_t i = 0; i < frame->count; i++) {
        const struct gz_message *message = &frame->messages[i].message;
        bool points = message->op == GZ_OP_POINTER || message->op == GZ_OP_GRAB;
        if (!frame->messages[i].sense || !points || (message->has & GZ_HAS_POINTER_N) == 0)
            continue;
        uint64_t n = message->pointer.n;
        bool up = message->op == GZ_OP_POINTER && message->pointer.phase == GZ_PHASE_UP;
        uint64_t first = i == frame->acting ? seq - (up ? end_seqs : 0) : seq_before;
        uint64_t last = is_moving(link) ? UINT64_MAX : seq;
        link->moves[n % COUNT(link->moves)] = (struct link_move){n, first, last};
    }
}

/* What the pointers before did is shown by now. */
static void close_moves(const struct sim *sim)
{
    for (struct link *link = sim->links; link != NULL; link = link->next) {
        if (link->session == NULL || is_moving(link)) continue;
        for (size_t i = 0; i < COUNT(link->moves); i++)
            if (link->moves[i].last == UINT64_MAX)
                link->moves[i].last = gz_scene_seq(sim->core->scene);
    }
}

static struct act act_of(struct sim *sim, const struct link *link, const char *user,
                         const struct framed_message *said)
{
    const struct gz_message *message = &said->message;
    bool asks = said->sense && (message->has & GZ_HAS_RID) != 0;
    struct request *request = asks ? person_request(sim, link->session->id, message->rid) : NULL;
    return (struct act){
        .kind = ACT_MESSAGE,
        .session = link->session->id,
        .user = user,
        .late = link->session->ended,
        .orbits = link->session->gesture.orbit != NULL,
        .turns = link->session->gesture.interaction == &gz_wheel_interaction
                     ? link->session->gesture.edit.id
                     : 0,
        .message = said->sense ? message : NULL,
        .request = request,
        .key = request != NULL ? request->key : NULL,
    };
}

static void trace_frame(const struct sim *sim, const struct link *link, const struct frame *frame)
{
    char text[256];
    for (size_t i = 0; sim->trace && i < frame->count; i++) {
        describe(&frame->messages[i].message, text);
        trace(sim, "session %llu: %s", NUMBER(link->session->id),
              frame->messages[i].sense ? text : "nonsense");
    }
}

/* How many messages wait for the disk that stand behind the first one that may change the scene. */
static size_t count_behind(const struct frame *frame)
{
    size_t count = 0;
    bool acts = false;
    for (size_t i = 0; i < frame->count; i++) {
        const struct framed_message *at = &frame->messages[i];
        count += acts && at->sense && op_waits_beside(at->message.op);
        acts |= at->sense && !op_is_beside(at->message.op);
    }
    return count;
}

/* Whether the frame may turn the camera after it asked for its view. Then the view is of a camera
 * that was there in the middle of the frame only. */
static bool hides_camera(const struct frame *frame)
{
    bool follows = false, hides = false;
    for (size_t i = 0; i < frame->count; i++) {
        const struct gz_message *message = &frame->messages[i].message;
        if (!frame->messages[i].sense) continue;
        hides |= follows && (message->op == GZ_OP_POINTER || message->op == GZ_OP_CAMERA);
        follows |= message->op == GZ_OP_INTEREST && message->interest.view;
    }
    return hides;
}

static void hand_over(struct sim *sim, struct link *link, const uint8_t *bytes, size_t size,
                      size_t offset)
{
    struct frame frame;
    struct act acts[FRAME_MESSAGES_MAX];
    char user[TEXT_MAX] = "";
    uint64_t seq = gz_scene_seq(sim->core->scene), end_seqs = seqs_of_end(link->session);
    const struct ground ground = oks_ground(sim);
    read_frame(link, &frame, bytes, size, offset);
    trace_frame(sim, link, &frame);
    keep_text(user, link->session->user);
    for (size_t i = 0; i < frame.count; i++) acts[i] = act_of(sim, link, user, &frame.messages[i]);
    acts[frame.acting].moved = frame.acting > 0;
    acts[frame.acting].behind = count_behind(&frame);
    const size_t usual = sim->core->nodes_at_once;
    if (frame.count > 1) sim->core->nodes_at_once = SIZE_MAX; /* what is done is told by one act */
    gz_core_receive_rest(sim->core, link->session, bytes, size, offset, sim->now);
    sim->core->nodes_at_once = usual;
    do_bulk(sim);
    model_act(sim, &acts[frame.acting]);
    for (size_t i = 0; i < frame.count; i++)
        if (i != frame.acting) act_beside(sim, &acts[i]);
    for (size_t i = 0; i < frame.count; i++) notes_act(sim, &acts[i]);
    for (size_t i = 0; i < frame.count; i++) access_act(sim, &acts[i]);
    const bool waits = gz_session_is_busy(link->session);
    for (size_t i = 0; i < frame.count; i++) oks_act(sim, &acts[i], &ground, waits);
    notes_settled(sim);
    note_sent(sim);
    note_moves(sim, link, &frame, seq, end_seqs);
    close_moves(sim);
    if (part_note_camera(sim, link) && hides_camera(&frame)) part_hide_camera(sim, link);
    gz_arena_finish(&frame.arena);
}

/* Who says hello may say more in the same frame. */
static void receive(struct sim *sim, struct link *link, const struct parcel *parcel)
{
    size_t offset = 0;
    if (link->session == NULL) {
        struct gz_arena arena;
        struct gz_message hello;
        struct gz_error error;
        gz_arena_init(&arena, SIZE_MAX / 2);
        if (decode(link, GZ_FROM_CLIENT, parcel->bytes, parcel->size, &offset, &arena, &hello,
                   &error) != GZ_OK)
            abort();
        join(sim, link, &hello);
        gz_arena_finish(&arena);
    }
    if (link->session != NULL && offset < parcel->size)
        hand_over(sim, link, parcel->bytes, parcel->size, offset);
}

/* ---- what goes to a link ---- */

static void check_acks(const struct sim *sim, const struct gz_delta *delta)
{
    for (size_t i = 0; i < delta->ack_count; i++) {
        for (const struct link *link = sim->links; link != NULL; link = link->next) {
            if (link->session == NULL || link->session->id != delta->acks[i].session) continue;
            const struct link_move *move = &link->moves[delta->acks[i].n % COUNT(link->moves)];
            if (move->n != delta->acks[i].n) continue;
            PROMISE(move->first <= delta->seq, "an acknowledged pointer shows",
                    "n %llu of session %llu", NUMBER(delta->acks[i].n),
                    NUMBER(delta->acks[i].session));
            PROMISE(move->last > delta->from, "a pointer is acknowledged once",
                    "n %llu of session %llu", NUMBER(delta->acks[i].n),
                    NUMBER(delta->acks[i].session));
        }
    }
}

/* Reads what the core said, all of it. */
static void read_messages(struct sim *sim, const struct link *link, struct parcel *parcel)
{
    gz_arena_init(&parcel->arena, SIZE_MAX / 2);
    size_t capacity = 0;
    for (size_t offset = 0; offset < parcel->size; parcel->message_count++) {
        parcel->messages =
            grow(parcel->messages, &capacity, parcel->message_count + 1, sizeof *parcel->messages);
        struct gz_message *message = &parcel->messages[parcel->message_count];
        struct gz_error error = {.message = ""};
        enum gz_status status = decode(link, GZ_FROM_SERVER, parcel->bytes, parcel->size, &offset,
                                       &parcel->arena, message, &error);
        PROMISE(status == GZ_OK, "what the core says can be read", "%s", error.message);
        model_said(sim, link->session->id, message);
        if (message->op == GZ_OP_DELTA) check_acks(sim, &message->delta);
    }
}

static bool is_awake(const struct sim *sim, const struct gz_session *session)
{
    const struct gz_session *at = NULL;
    while ((at = gz_core_next_awake(sim->core, at)) != NULL && at != session) continue;
    return at != NULL;
}

/* Viewers of motions may lack the changes of a pass that is not over. */
static void check_lack(const struct sim *sim, const struct link *link)
{
    const struct gz_cursor *cursor = &link->session->subscriber.at->cursor;
    const bool lacks = cursor->state != gz_scene_seq(sim->core->scene) &&
                       !gz_form_is_packed(cursor->form) && cursor->interest_set == NULL &&
                       !link->session->ended && !gz_session_frame_waits(link->session);
    PROMISE(!lacks, "changes leave at once", "session %llu lacks some", NUMBER(link->session->id));
}

/* `is_expected`: the core says that it may have a frame. */
static void flush(struct sim *sim, struct link *link, bool is_expected)
{
    link->is_behind = true;
    while (link->down.bytes < link->window_bytes) {
        struct gz_bytes *frame = gz_core_next_frame(sim->core, link->session, sim->now);
        link->is_behind = frame != NULL;
        if (frame == NULL) {
            check_lack(sim, link);
            return;
        }
        PROMISE(is_expected, "the core says who has a frame", "session %llu has another one",
                NUMBER(link->session->id));
        PROMISE(frame->size <= GZ_FRAME_BYTES_MAX, "frames are bounded", "%zu bytes", frame->size);
        uint8_t *bytes = malloc(frame->size);
        if (bytes == NULL) abort();
        struct parcel *parcel = parcel_create(memcpy(bytes, frame->data, frame->size), frame->size);
        gz_bytes_release(frame);
        part_stamp(sim, link, parcel);
        parcel->notes_stored = sim->model.notes_stored;
        read_messages(sim, link, parcel);
        lane_add(sim, link, &link->down, parcel);
    }
}

/* A session that is over has a moment for its last words. */
static void flush_all(struct sim *sim, bool is_for_all)
{
    for (struct link *link = sim->links; link != NULL; link = link->next) {
        if (link->session == NULL) continue;
        part_note_look(sim, link);
        flush(sim, link, is_for_all || link->is_behind || is_awake(sim, link->session));
        size_t waiting = gz_outbox_waiting(&link->session->outbox);
        PROMISE(waiting <= GZ_OUTBOX_BYTES_MAX, "what waits is bounded", "%zu bytes", waiting);
        if (gz_session_end_reason(link->session) == NULL) continue;
        if (link->ended_s == 0) link->ended_s = sim->now.mono_s;
    }
}

static bool is_at_work(const struct sim *sim)
{
    const struct link *link = sim->links;
    while (link != NULL && (link->session == NULL || !gz_session_has_work(link->session)))
        link = link->next;
    return link != NULL;
}

static void turn(struct sim *sim)
{
    struct act act = {.kind = ACT_TURN, .user = ""};
    sim->turn_due_s = INFINITY;
    const bool has_bulk = gz_core_has_bulk(sim->core);
    const bool is_news = gz_core_turn(sim->core, sim->now);
    const bool is_for_all = is_news || has_bulk || gz_core_has_bulk(sim->core);
    do_bulk(sim);
    model_act(sim, &act);
    tokens_check(sim);
    close_moves(sim);
    note_sent(sim);
    sim->slice_due_s = sim->now.mono_s + SLICE_S;
    const bool rests = isfinite(sim->turn_due_s) || gz_core_deadline(sim->core) > sim->now.mono_s ||
                       is_at_work(sim);
    sim->turns_restless = rests ? 0 : sim->turns_restless + 1;
    PROMISE(sim->turns_restless < RESTLESS_MAX, "the core comes to rest",
            "it wants another turn at once");
    sim->turns_quiet++;
    flush_all(sim, is_for_all);
}

/* ---- life ---- */

void daemon_start(struct sim *sim)
{
    struct gz_scene_state state;
    struct gz_core_options options = {
        .scene = "sim",
        .host = {.context = sim,
                 .commit = handle_commit,
                 .query = handle_query,
                 .withdraw = handle_withdraw,
                 .find_key = handle_find_key,
                 .find_note_key = handle_find_note_key},
        .server = "sim",
        .batches = 1 + sim->seed % 3,
        .lends = sim->seed % 2 == 0,
    };
    core_store_open(&sim->store, &state);
    trace(sim, "daemon: starts, epoch %llu, seq %llu", NUMBER(state.epoch), NUMBER(state.seq));
    sim->core = gz_core_create(&options, &state);
    if (sim->core == NULL) abort();
    sim->core->feed->crowd.few = 2; /* so that there are some who only watch */
    gz_scene_state_finish(&state);
    model_restart(sim);
    sim->start_due_s = INFINITY;
    sim->stopping = false;
}

static void go_down(struct sim *sim)
{
    gz_core_destroy(sim->core);
    while (sim->batches != NULL) gz_batch_destroy(take_batch(sim));
    sim->core = NULL;
    sim->question_count = 0;
    sim->turn_due_s = INFINITY;
    sim->start_due_s = sim->now.mono_s + between(sim, 0.05, 2);
    sim->counts->restarts++;
    struct link *next;
    for (struct link *link = sim->links; link != NULL; link = next) {
        next = link->next;
        if (link->person != NULL) person_hear_rest(sim, link);
        if (link->person != NULL) person_turn_away(sim, link);
        link_destroy(sim, link);
    }
}

void daemon_crash(struct sim *sim)
{
    size_t stored = 0;
    for (; sim->batches != NULL && sim->void_batches == 0 && chance(sim, 0.5); stored++) {
        store(sim);
        gz_batch_destroy(take_batch(sim));
    }
    trace(sim, "daemon: crashes, %zu of its last batches are on the disk", stored);
    go_down(sim);
}

void daemon_stop(struct sim *sim)
{
    struct act act = {.kind = ACT_GOODBYE, .user = ""};
    struct gz_bye bye = {.reason = {"the server stops", 16}, .retry_s = 1};
    trace(sim, "daemon: says bye");
    gz_core_end_all(sim->core, &bye, sim->now);
    do_bulk(sim);
    model_act(sim, &act);
    note_sent(sim);
    sim->stopping = true;
    sim->stop_due_s = sim->now.mono_s + GZ_SHUTDOWN_SECONDS_MAX;
    turn(sim);
}

/* ---- what is next ---- */

double link_due(const struct sim *sim, const struct link *link)
{
    double next = INFINITY;
    bool silent = sim->now.mono_s < link->silent_until_s,
         stalled = sim->now.mono_s < link->stalled_until_s;
    bool full = link->session != NULL && gz_session_is_full(link->session);
    if (link->up.first != NULL && !silent && !full) next = fmin(next, link->up.first->due_s);
    if (link->down.first != NULL && !silent && !stalled) next = fmin(next, link->down.first->due_s);
    if (silent) next = fmin(next, link->silent_until_s);
    if (stalled) next = fmin(next, link->stalled_until_s);
    if (silent && link->session != NULL) next = fmin(next, link->heard_s + GZ_SILENCE_SECONDS);
    if (link->session != NULL && link->ended_s > 0)
        next = fmin(next, link->ended_s + GZ_FAREWELL_SECONDS);
    return next;
}

/* The judge looks at a note once, when its frame comes: then the core is to read it at once. */
static bool comes_too_early(const struct link *link)
{
    const struct parcel *parcel = link->up.first;
    struct frame frame;
    bool has_note = false;
    if (parcel->end || link->session == NULL || !gz_session_is_busy(link->session)) return false;
    read_frame(link, &frame, parcel->bytes, parcel->size, 0);
    for (size_t i = 0; i < frame.count; i++)
        has_note |= frame.messages[i].sense && frame.messages[i].message.op == GZ_OP_NOTE;
    gz_arena_finish(&frame.arena);
    return has_note && !link->session->ended;
}

static void deliver_up(struct sim *sim, struct link *link)
{
    if (comes_too_early(link)) {
        link->up.first->due_s = sim->now.mono_s + SLICE_S;
        return;
    }
    struct parcel *parcel = lane_take(&link->up);
    if (parcel->end)
        hang_up(sim, link);
    else if (!link->over)
        receive(sim, link, parcel);
    parcel_destroy(parcel);
}

static void deliver_down(struct sim *sim, struct link *link)
{
    struct parcel *parcel = lane_take(&link->down);
    if (parcel->end && link->person != NULL)
        person_turn_away(sim, link);
    else if (link->person != NULL)
        person_hear(sim, link->person, parcel);
    parcel_destroy(parcel);
    if (link->over && link->person == NULL) {
        link_destroy(sim, link);
        return;
    }
    if (link->session != NULL) flush(sim, link, true);
}

static void look_after(struct sim *sim, struct link *link)
{
    double now = sim->now.mono_s;
    bool silent = now < link->silent_until_s;
    if (!silent) link->heard_s = now; /* it answered a ping */
    bool cut = link->session != NULL && silent && now >= link->heard_s + GZ_SILENCE_SECONDS;
    bool overdue = link->session != NULL && link->ended_s > 0 &&
                   (now >= link->ended_s + GZ_FAREWELL_SECONDS ||
                    gz_outbox_waiting(&link->session->outbox) == 0);
    if (cut) trace(sim, "session %llu is silent", NUMBER(link->session->id));
    if (cut || overdue) hang_up(sim, link);
}

/* One thing at a time: what came first. */
void link_step(struct sim *sim, struct link *link)
{
    double now = sim->now.mono_s;
    bool silent = now < link->silent_until_s, stalled = now < link->stalled_until_s;
    bool full = link->session != NULL && gz_session_is_full(link->session);
    look_after(sim, link);
    if (!silent && !full && link->up.first != NULL && link->up.first->due_s <= now)
        deliver_up(sim, link);
    else if (!silent && !stalled && link->down.first != NULL && link->down.first->due_s <= now) {
        deliver_down(sim, link);
        return; /* perhaps it is no more */
    }
    if (sim->core != NULL)
        sim->turn_due_s = fmin(sim->turn_due_s, now + (chance(sim, 0.6) ? 0 : 0.002));
}

double daemon_due(const struct sim *sim)
{
    if (sim->core == NULL) return sim->start_due_s;
    double next =
        fmin(sim->turn_due_s, is_at_work(sim) ? sim->slice_due_s : gz_core_deadline(sim->core));
    if (sim->batches != NULL) next = fmin(next, sim->commit_due_s);
    for (size_t i = 0; i < sim->question_count; i++) next = fmin(next, sim->questions[i].due_s);
    if (sim->stopping) next = fmin(next, sim->stop_due_s);
    return next;
}

static bool is_done(const struct sim *sim)
{
    for (const struct link *link = sim->links; link != NULL; link = link->next) {
        if (link->session != NULL) return false;
    }
    return gz_core_is_idle(sim->core);
}

void daemon_step(struct sim *sim)
{
    double now = sim->now.mono_s;
    if (sim->core == NULL) {
        daemon_start(sim);
        return;
    }
    struct question *question = next_question(sim);
    if (sim->batches != NULL && sim->commit_due_s <= now)
        settle(sim);
    else if (question != NULL && question->due_s <= now)
        answer(sim, question);
    turn(sim);
    if (sim->stopping && (is_done(sim) || now >= sim->stop_due_s)) daemon_crash(sim);
}
