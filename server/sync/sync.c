/* Builds the frame that brings a cursor up to date, and keeps the latest few frames for other
 * viewers with equal cursors. */
#include "sync/sync.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sync/internal.h"

static void init_board(struct board *board)
{
    gz_shelf_init(&board->shelf, board->left, GZ_LEFT_RING);
    board->shown = board->shelf.version;
    board->packed_shown = board->parts_shown = board->parts_version = board->shown;
    board->packed_next_s = -INFINITY;
}

struct gz_sync *gz_sync_create(struct gz_scene *scene, const struct gz_notebook *notes,
                               const struct gz_checkpoint_list *checkpoints, uint64_t saved)
{
    struct gz_sync *sync = calloc(1, sizeof *sync);
    if (sync == NULL) return NULL;
    sync->scene = scene;
    sync->notes = notes;
    sync->checkpoints = checkpoints;
    sync->saved = sync->saved_shown = saved;
    sync->told_s = -INFINITY;
    sync->version = 1;
    sync->presence_shown_s = -INFINITY;
    init_board(&sync->board);
    gz_crowd_init(&sync->crowd);
    sync->changed_due_s = INFINITY;
    sync->delta_bytes = GZ_DELTA_BYTES_MAX;
    return sync;
}

void gz_sync_destroy(struct gz_sync *sync)
{
    if (sync == NULL) return;
    gz_sync_rest(sync);
    gz_sync_destroy_motions(sync);
    for (int i = 0; i < GZ_EDIT_RING; i++) free(sync->edits[i].bytes);
    free(sync->acks);
    free(sync);
}

static void free_scratch(struct gz_sync *sync)
{
    free(sync->states);
    free(sync->gone);
    free(sync->delta_acks);
    free(sync->moves);
    free(sync->items);
    sync->states = NULL;
    sync->gone = NULL;
    sync->delta_acks = NULL;
    sync->moves = NULL;
    sync->items = NULL;
    sync->state_capacity = sync->gone_capacity = sync->delta_ack_capacity = 0;
    sync->move_capacity = sync->item_bytes = 0;
}

void gz_sync_rest(struct gz_sync *sync)
{
    for (int i = 0; i < FRAMES; i++) {
        sync->frames[i].version = 0;
        gz_bytes_release(sync->frames[i].bytes);
        sync->frames[i].bytes = NULL;
    }
    free_scratch(sync);
}

/* ---- cursors ---- */

/* How many edits a viewer at `seq` was sent. An edit changes the scene before its COMMIT and is
 * announced after it, so that a viewer's state may hold edits that it was not sent. */
static uint64_t edits_sent(const struct gz_sync *sync, uint64_t seq, const uint64_t *heard)
{
    if (seq == 0 && heard == NULL) return sync->edit_count;
    uint64_t sent = sync->edits_forgotten;
    for (; sent < sync->edit_count; sent++) {
        const struct edit_bytes *edit = &sync->edits[(sent + 1) % GZ_EDIT_RING];
        if (heard != NULL ? edit->seq > *heard : edit->sent_at >= seq) break;
    }
    return sent;
}

struct gz_cursor gz_sync_cursor(const struct gz_sync *sync, uint64_t seq, const uint64_t *heard)
{
    return (struct gz_cursor){
        .state = seq, .base = seq, .since = seq, .edits = edits_sent(sync, seq, heard)};
}

void gz_sync_set_form(struct gz_sync *sync, struct gz_cursor *cursor, enum gz_form form)
{
    cursor->form = form;
    sync->has_packed |= form == GZ_FORM_PACKED;
}

void gz_sync_cursor_finish(struct gz_cursor *cursor)
{
    gz_interest_set_destroy(cursor->interest_set);
    cursor->interest_set = NULL;
}

/* ---- the delta ---- */

/* In the packed form only viewers that send pointers are sent acknowledgements. */
static bool collect_acks(struct gz_sync *sync, const struct gz_cursor *cursor,
                         struct gz_delta *delta)
{
    const bool are_told = cursor->form == GZ_FORM_PLAIN || cursor->hears_acks;
    for (size_t i = 0; are_told && i < sync->ack_count; i++) {
        const struct acknowledgement *ack = &sync->acks[i];
        if (ack->seq <= delta->from || ack->seq > delta->seq) continue;
        if (!gz_grow(&sync->delta_acks, &sync->delta_ack_capacity, delta->ack_count + 1,
                     sizeof *sync->delta_acks))
            return false;
        sync->delta_acks[delta->ack_count++] = (struct gz_ack){ack->session, ack->n};
    }
    delta->acks = sync->delta_acks;
    return true;
}

/* Moves the cursor past the delta. */
static void follow(const struct gz_sync *sync, struct gz_cursor *cursor,
                   const struct gz_delta *delta, uint64_t ms)
{
    if (cursor->form == GZ_FORM_PACKED) cursor->ms = ms;
    cursor->state = delta->seq;
    if (!delta->more) cursor->base = cursor->since = delta->seq;
    cursor->saved = sync->saved;
    cursor->greeted = !delta->more;
}

/* Only `moves` can hold steps. After another delta an empty `moves` follows with the steps and the
 * acknowledgements, which are about the state after both. */
static enum gz_status append_with_steps(struct gz_sync *sync, struct gz_cursor *cursor,
                                        const struct gz_message *message, size_t steps, uint64_t ms,
                                        struct gz_buffer *out)
{
    struct gz_message first = *message;
    struct gz_delta rest = message->delta;
    first.delta.ack_count = 0;
    enum gz_status status = gz_encode(out, &first);
    if (status != GZ_OK) return status;
    follow(sync, cursor, &first.delta, ms);
    rest.from = rest.seq;
    rest.count = 0;
    return gz_sync_append_moves(sync, cursor, &rest, steps, ms, out);
}

static enum gz_status append_form(struct gz_sync *sync, struct gz_cursor *cursor,
                                  const struct gz_message *message, size_t steps, uint64_t ms,
                                  struct gz_buffer *out)
{
    if (gz_sync_is_moves(cursor, &message->delta))
        return gz_sync_append_moves(sync, cursor, &message->delta, steps, ms, out);
    if (steps > 0) return append_with_steps(sync, cursor, message, steps, ms, out);
    return gz_encode(out, message);
}

static enum gz_status append_delta(struct gz_sync *sync, struct gz_cursor *cursor, double unix_s,
                                   struct gz_buffer *out)
{
    const bool is_packed = cursor->form == GZ_FORM_PACKED;
    struct gz_message message = {.op = is_packed ? GZ_OP_PACKED_DELTA : GZ_OP_DELTA};
    struct gz_delta *delta = &message.delta;
    const uint64_t ms = (uint64_t)llround(unix_s * 1000);
    enum gz_status status = GZ_OK;
    if (gz_sync_tells_motions(cursor) && !gz_sync_is_lost(sync, cursor))
        status = gz_sync_append_motion(sync, cursor, out);
    if (status != GZ_OK) return status;
    delta->time = unix_s;
    delta->saved = sync->saved;
    sync->form = cursor->form;
    bool collected = cursor->interest_set != NULL ? gz_sync_collect_interest(sync, cursor, delta)
                                                  : gz_sync_collect_whole(sync, cursor, delta);
    if (!collected || !collect_acks(sync, cursor, delta)) return GZ_NO_MEMORY;
    if (delta->from == 0) gz_sync_forget_motions(cursor);
    const size_t steps = delta->more ? 0 : gz_sync_collect_steps(sync, cursor);
    status = append_form(sync, cursor, &message, steps, ms, out);
    if (status == GZ_OK) follow(sync, cursor, delta, ms);
    return status;
}

/* ---- the frame ---- */

static bool has_delta(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return !cursor->greeted || cursor->state != gz_scene_seq(sync->scene) ||
           gz_sync_has_motions(sync, cursor);
}

static enum gz_status append_edits(const struct gz_sync *sync, struct gz_cursor *cursor,
                                   struct gz_buffer *out)
{
    if (cursor->edits < sync->edits_forgotten) cursor->edits = sync->edits_forgotten;
    while (cursor->edits < sync->edit_count && out->size < GZ_DELTA_BYTES_MAX) {
        const struct edit_bytes *edit = &sync->edits[(cursor->edits + 1) % GZ_EDIT_RING];
        enum gz_status status = gz_buffer_append(out, edit->bytes, edit->size);
        if (status != GZ_OK) return status;
        cursor->edits++;
    }
    return GZ_OK;
}

static enum gz_status append_saved(const struct gz_sync *sync, struct gz_cursor *cursor,
                                   struct gz_buffer *out)
{
    struct gz_message message = {.op = GZ_OP_SAVED, .saved_seq = sync->saved};
    enum gz_status status = gz_encode(out, &message);
    if (status == GZ_OK) cursor->saved = sync->saved;
    return status;
}

/* Whether the frame shows actions of users to a viewer that has the presence of all. */
static bool shows_doings(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return cursor->presence.version != 0 &&
           (has_delta(sync, cursor) || cursor->edits != sync->edit_count ||
            gz_shelf_has_news(gz_notebook_shelf(sync->notes), &cursor->notes) ||
            gz_shelf_has_news(gz_checkpoint_list_shelf(sync->checkpoints), &cursor->checkpoints));
}

static enum gz_status build_frame(struct gz_sync *sync, struct gz_cursor *cursor, double unix_s,
                                  struct gz_buffer *out)
{
    enum gz_status status = GZ_OK;
    if (shows_doings(sync, cursor)) status = gz_sync_append_begun(sync, cursor, out);
    if (status != GZ_OK) return status;
    if (has_delta(sync, cursor)) {
        status = append_delta(sync, cursor, unix_s, out);
        if (status != GZ_OK || !cursor->greeted) return status;
    }
    status = append_edits(sync, cursor, out);
    if (status == GZ_OK && cursor->saved != sync->saved) status = append_saved(sync, cursor, out);
    if (status == GZ_OK) status = gz_sync_append_notes(sync, cursor, out);
    if (status == GZ_OK) status = gz_sync_append_checkpoints(sync, cursor, out);
    if (status == GZ_OK) status = gz_sync_append_presence(sync, cursor, out);
    return status;
}

static bool same_shelf_cursor(const struct gz_shelf_cursor *a, const struct gz_shelf_cursor *b)
{
    return a->version == b->version && a->since == b->since;
}

bool gz_sync_same_form(const struct gz_cursor *a, const struct gz_cursor *b)
{
    return a->form == b->form && a->hears_acks == b->hears_acks;
}

/* Whether two viewers have the same, whichever way they came there. */
static bool have_same(const struct gz_cursor *a, const struct gz_cursor *b)
{
    return a->state == b->state && a->base == b->base && a->since == b->since &&
           a->saved == b->saved && a->edits == b->edits && a->greeted == b->greeted &&
           same_shelf_cursor(&a->notes, &b->notes) &&
           same_shelf_cursor(&a->checkpoints, &b->checkpoints) &&
           same_shelf_cursor(&a->presence, &b->presence) && a->presence_base == b->presence_base &&
           a->ms == b->ms && a->count == b->count && a->begun == b->begun;
}

/* Viewers in step are known by their place. */
static bool same_cursor(const struct gz_cursor *a, const struct gz_cursor *b)
{
    const bool is_one_place = a->place != 0 && a->place == b->place;
    assert(!is_one_place || have_same(a, b));
    return gz_sync_same_form(a, b) && (is_one_place || have_same(a, b));
}

bool gz_sync_stand_together(const struct gz_sync *sync, const struct gz_cursor *a,
                            const struct gz_cursor *b)
{
    return a->interest_set == NULL && b->interest_set == NULL && same_cursor(a, b) &&
           gz_sync_same_motions(sync, a, b);
}

/* The version of everything that a frame can hold: a cached frame is stale once it changes. */
static uint64_t content_version(const struct gz_sync *sync)
{
    return sync->version + gz_scene_seq(sync->scene) + gz_notebook_shelf(sync->notes)->version +
           gz_checkpoint_list_shelf(sync->checkpoints)->version;
}

static bool is_for(const struct gz_sync *sync, const struct cached_frame *frame,
                   const struct gz_cursor *cursor, uint64_t version)
{
    return frame->version == version && same_cursor(&frame->before, cursor) &&
           gz_sync_same_motions(sync, &frame->before, cursor);
}

/* Most viewers need the frame that the one before them was given. */
static struct cached_frame *find_frame(struct gz_sync *sync, const struct gz_cursor *cursor)
{
    const uint64_t version = content_version(sync);
    if (sync->latest != NULL && is_for(sync, sync->latest, cursor, version)) return sync->latest;
    for (int i = 0; i < FRAMES; i++)
        if (is_for(sync, &sync->frames[i], cursor, version)) return &sync->frames[i];
    return NULL;
}

static struct cached_frame *oldest_frame(struct gz_sync *sync)
{
    struct cached_frame *oldest = &sync->frames[0];
    for (int i = 1; i < FRAMES; i++) {
        if (sync->frames[i].used < oldest->used) oldest = &sync->frames[i];
    }
    return oldest;
}

/* Builds the frame in this memory, which is used up, and moves the cursor past it. *bytes is NULL
 * if nothing is to be sent, or after a failure: then the cursor is of no use. */
static enum gz_status make_frame(struct gz_sync *sync, struct gz_cursor *cursor, double unix_s,
                                 struct gz_buffer *out, struct gz_bytes **bytes)
{
    const enum gz_status status = build_frame(sync, cursor, unix_s, out);
    const bool is_made = status == GZ_OK && out->size > 0;
    *bytes = is_made ? gz_bytes_seal(out, GZ_FRAME_BINARY_FIRST, NULL) : NULL;
    gz_buffer_finish(out);
    return status;
}

/* Makes a frame for a viewer with an interest. The interest set records what the viewer has while
 * the frame is built; if that fails in the middle, the viewer starts from 0. */
static struct gz_bytes *own_frame(struct gz_sync *sync, struct gz_cursor *cursor, double unix_s)
{
    struct gz_cursor after = *cursor;
    struct gz_buffer out;
    struct gz_bytes *bytes;
    gz_buffer_init(&out, GZ_FRAME_BYTES_MAX, GZ_BYTES_HEADROOM);
    after.place = 0;
    if (make_frame(sync, &after, unix_s, &out, &bytes) != GZ_OK) {
        gz_sync_forget_interest(cursor);
        return NULL;
    }
    *cursor = after;
    if (cursor->greeted && gz_interest_set_is_whole(cursor->interest_set))
        gz_sync_cursor_finish(cursor);
    return bytes;
}

/* Replaces the oldest frame by the one at this cursor, in its memory if nobody else holds it. NULL
 * without memory. */
static struct cached_frame *new_frame(struct gz_sync *sync, const struct gz_cursor *cursor,
                                      double unix_s)
{
    struct cached_frame *frame = oldest_frame(sync);
    struct gz_buffer out;
    gz_buffer_init(&out, GZ_FRAME_BYTES_MAX, GZ_BYTES_HEADROOM);
    gz_bytes_reuse(frame->bytes, &out);
    frame->version = 0;
    frame->before = frame->after = *cursor;
    if (make_frame(sync, &frame->after, unix_s, &out, &frame->bytes) != GZ_OK) return NULL;
    frame->after.place = ++sync->places;
    frame->version = content_version(sync);
    return frame;
}

/* What has changed of the scene, and what of it is saved. */
static bool has_scene_news(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return (has_delta(sync, cursor) && !gz_sync_is_hidden(sync, cursor)) ||
           cursor->saved < sync->saved_shown;
}

static bool has_other_news(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return cursor->edits != sync->edit_count || gz_sync_has_presence(sync, cursor) ||
           gz_sync_has_crowd(sync, cursor) ||
           gz_shelf_has_news(gz_notebook_shelf(sync->notes), &cursor->notes) ||
           gz_shelf_has_news(gz_checkpoint_list_shelf(sync->checkpoints), &cursor->checkpoints);
}

bool gz_sync_has_frame(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return has_scene_news(sync, cursor) || has_other_news(sync, cursor);
}

bool gz_sync_is_behind(const struct gz_sync *sync, const struct gz_cursor *cursor)
{
    return !cursor->greeted || gz_sync_lacks_starts(sync, cursor) || cursor->notes.since != 0 ||
           cursor->checkpoints.since != 0 || cursor->presence.since != 0;
}

struct gz_bytes *gz_sync_frame(struct gz_sync *sync, struct gz_cursor *cursor, double unix_s)
{
    if (!has_scene_news(sync, cursor) && !has_other_news(sync, cursor)) return NULL;
    if (!gz_sync_is_ready(sync, cursor)) return NULL;
    if (cursor->interest_set != NULL) return own_frame(sync, cursor, unix_s);
    struct cached_frame *frame = find_frame(sync, cursor);
    if (frame == NULL) frame = new_frame(sync, cursor, unix_s);
    if (frame == NULL) return NULL;
    sync->latest = frame;
    frame->used = ++sync->uses;
    *cursor = frame->after;
    return frame->bytes != NULL ? gz_bytes_hold(frame->bytes) : NULL;
}

/* ---- messages besides the scene ---- */

void gz_sync_saved(struct gz_sync *sync, uint64_t seq, double mono_s)
{
    if (seq == sync->saved) return;
    sync->saved = seq;
    sync->saved_s = mono_s;
    sync->version++;
}

uint64_t gz_sync_saved_seq(const struct gz_sync *sync)
{
    return sync->saved;
}

/* Makes room in the ring for an edit whose message has `bytes`, whatever its size. */
static void forget_edits(struct gz_sync *sync, size_t bytes)
{
    while (sync->edits_forgotten < sync->edit_count &&
           (sync->edit_count - sync->edits_forgotten == GZ_EDIT_RING ||
            sync->edit_bytes + bytes > GZ_EDIT_RING_BYTES)) {
        struct edit_bytes *oldest = &sync->edits[++sync->edits_forgotten % GZ_EDIT_RING];
        sync->edit_bytes -= oldest->size;
        free(oldest->bytes);
        oldest->bytes = NULL;
    }
}

/* A copy of the buffer's bytes in memory of exactly that size. */
static uint8_t *fitted(const struct gz_buffer *bytes)
{
    uint8_t *smaller = realloc(bytes->data, bytes->size);
    return smaller != NULL ? smaller : bytes->data;
}

enum gz_status gz_sync_edit(struct gz_sync *sync, const struct gz_message *edit, uint64_t sent_at)
{
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_FRAME_BYTES_MAX - GZ_DELTA_BYTES_MAX, 0);
    enum gz_status status = gz_encode(&bytes, edit);
    if (status != GZ_OK) {
        gz_buffer_finish(&bytes);
        return status;
    }
    forget_edits(sync, bytes.size);
    sync->edit_count++;
    sync->edit_bytes += bytes.size;
    sync->version++;
    sync->edits[sync->edit_count % GZ_EDIT_RING] =
        (struct edit_bytes){fitted(&bytes), bytes.size, edit->edit.seq, sent_at};
    return GZ_OK;
}

void gz_sync_acknowledge(struct gz_sync *sync, uint64_t session, uint64_t n)
{
    size_t at = 0;
    while (at < sync->ack_count && sync->acks[at].session != session) at++;
    if (at == sync->ack_count) {
        /* Without memory viewers miss the acknowledgement, but not the state itself. */
        if (!gz_grow(&sync->acks, &sync->ack_capacity, at + 1, sizeof *sync->acks)) return;
        sync->ack_count++;
    }
    sync->acks[at] = (struct acknowledgement){session, n, gz_scene_seq(sync->scene)};
    sync->version++;
}

/* ---- due times ---- */

/* The sum of all versions that cause a frame for a viewer that keeps up; each of them only
 * grows. */
static uint64_t news_version(const struct gz_sync *sync)
{
    return gz_scene_seq(sync->scene) + sync->edit_count + sync->saved_shown + sync->board.shown +
           sync->board.packed_shown + sync->crowd.version + sync->motion_count +
           sync->motion_version + gz_notebook_shelf(sync->notes)->version +
           gz_checkpoint_list_shelf(sync->checkpoints)->version;
}

static double saved_due(const struct gz_sync *sync)
{
    if (sync->saved_shown == sync->saved) return INFINITY;
    return fmax(sync->saved_s, sync->told_s) + GZ_SAVED_MS_QUIET / 1000.0;
}

static double presence_due(const struct gz_sync *sync)
{
    return fmax(gz_sync_presence_due(sync), sync->told_s + GZ_RIDE_MS / 1000.0);
}

double gz_sync_due(const struct gz_sync *sync)
{
    return fmin(saved_due(sync), presence_due(sync));
}

bool gz_sync_show(struct gz_sync *sync, double mono_s)
{
    const bool is_news = news_version(sync) != sync->told;
    if (is_news || mono_s >= presence_due(sync)) gz_sync_show_presence(sync, mono_s);
    if (is_news || mono_s >= saved_due(sync)) sync->saved_shown = sync->saved;
    if (news_version(sync) == sync->told) return false;
    sync->told = news_version(sync);
    sync->told_s = mono_s;
    return true;
}
