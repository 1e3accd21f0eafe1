/* Builds the frame that brings a cursor up to date, and keeps the latest few frames for other
 * viewers with equal cursors. */
#include "feed/feed.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "feed/state.h"
#include "proto/json.h"
#include "proto/limits.h"

static void init_board(struct board *board)
{
    gz_versions_init(&board->versions, board->left, GZ_LEFT_RING);
    board->shown = board->versions.version;
    board->packed_shown = board->parts_shown = board->parts_version = board->shown;
    board->packed_next_s = -INFINITY;
}

struct gz_feed *gz_feed_create(struct gz_scene *scene, const struct gz_notebook *notes,
                               const struct gz_checkpoint_list *checkpoints, uint64_t saved)
{
    struct gz_feed *feed = calloc(1, sizeof *feed);
    if (feed == NULL) return NULL;
    feed->scene = scene;
    feed->notes = notes;
    feed->checkpoints = checkpoints;
    feed->saved = feed->saved_shown = saved;
    feed->told_s = -INFINITY;
    feed->version = 1;
    feed->presence_shown_s = -INFINITY;
    init_board(&feed->board);
    gz_crowd_init(&feed->crowd);
    feed->changed_due_s = INFINITY;
    feed->delta_bytes = GZ_DELTA_BYTES_MAX;
    return feed;
}

void gz_feed_destroy(struct gz_feed *feed)
{
    if (feed == NULL) return;
    gz_feed_rest(feed);
    gz_feed_destroy_motions(feed);
    for (int i = 0; i < GZ_EDIT_RING; i++) free(feed->edits[i].bytes);
    free(feed->acks);
    free(feed);
}

static void free_scratch(struct gz_feed *feed)
{
    free(feed->states);
    free(feed->order);
    free(feed->gone);
    free(feed->delta_acks);
    free(feed->moves);
    free(feed->items);
    feed->states = NULL;
    feed->order = NULL;
    feed->gone = NULL;
    feed->delta_acks = NULL;
    feed->moves = NULL;
    feed->items = NULL;
    feed->state_capacity = feed->order_capacity = feed->gone_capacity = feed->delta_ack_capacity =
        0;
    feed->move_capacity = feed->item_bytes = 0;
}

void gz_feed_rest(struct gz_feed *feed)
{
    for (int i = 0; i < FRAMES; i++) {
        feed->frames[i].version = 0;
        gz_bytes_release(feed->frames[i].bytes);
        feed->frames[i].bytes = NULL;
    }
    free_scratch(feed);
}

/* ---- cursors ---- */

/* How many edits a viewer at `seq` was sent. An edit changes the scene before its COMMIT and is
 * announced after it, so that a viewer's state may hold edits that it was not sent. */
static uint64_t edits_sent(const struct gz_feed *feed, uint64_t seq, const uint64_t *heard)
{
    if (seq == 0 && heard == NULL) return feed->edit_count;
    uint64_t sent = feed->edits_forgotten;
    for (; sent < feed->edit_count; sent++) {
        const struct edit_bytes *edit = &feed->edits[(sent + 1) % GZ_EDIT_RING];
        if (heard != NULL ? edit->seq > *heard : edit->sent_at >= seq) break;
    }
    return sent;
}

struct gz_cursor gz_feed_cursor(const struct gz_feed *feed, uint64_t seq, const uint64_t *heard)
{
    return (struct gz_cursor){
        .state = seq, .base = seq, .since = seq, .edits = edits_sent(feed, seq, heard)};
}

void gz_feed_set_form(struct gz_feed *feed, struct gz_cursor *cursor, enum gz_form form)
{
    cursor->form = form;
    feed->has_packed |= form == GZ_FORM_PACKED;
}

void gz_feed_cursor_finish(struct gz_cursor *cursor)
{
    gz_interest_set_destroy(cursor->interest_set);
    cursor->interest_set = NULL;
}

/* ---- the delta ---- */

/* In the packed form only viewers that send pointers are sent acknowledgements. */
static bool collect_acks(struct gz_feed *feed, const struct gz_cursor *cursor,
                         struct gz_delta *delta)
{
    const bool are_told = cursor->form != GZ_FORM_PACKED || cursor->hears_acks;
    for (size_t i = 0; are_told && i < feed->ack_count; i++) {
        const struct acknowledgement *ack = &feed->acks[i];
        if (ack->seq <= delta->from || ack->seq > delta->seq) continue;
        if (!gz_grow(&feed->delta_acks, &feed->delta_ack_capacity, delta->ack_count + 1,
                     sizeof *feed->delta_acks))
            return false;
        feed->delta_acks[delta->ack_count++] = (struct gz_ack){ack->grip.session, ack->n};
    }
    delta->acks = feed->delta_acks;
    return true;
}

/* Moves the cursor past the delta. */
static void follow(const struct gz_feed *feed, struct gz_cursor *cursor,
                   const struct gz_delta *delta, uint64_t ms)
{
    if (cursor->form == GZ_FORM_PACKED) cursor->ms = ms;
    cursor->state = delta->seq;
    if (!delta->more) cursor->base = cursor->since = delta->seq;
    cursor->saved = feed->saved;
    cursor->greeted = !delta->more;
}

/* Only `moves` can hold steps. After another delta an empty `moves` follows with the steps and the
 * acknowledgements, which are about the state after both. */
static enum gz_status append_with_steps(struct gz_feed *feed, struct gz_cursor *cursor,
                                        const struct gz_message *message, size_t steps, uint64_t ms,
                                        struct gz_buffer *out)
{
    struct gz_message first = *message;
    struct gz_delta rest = message->delta;
    first.delta.ack_count = 0;
    enum gz_status status = gz_encode(out, &first);
    if (status != GZ_OK) return status;
    follow(feed, cursor, &first.delta, ms);
    rest.from = rest.seq;
    rest.count = 0;
    return gz_feed_append_moves(feed, cursor, &rest, steps, ms, out);
}

static enum gz_status append_form(struct gz_feed *feed, struct gz_cursor *cursor,
                                  const struct gz_message *message, size_t steps, uint64_t ms,
                                  struct gz_buffer *out)
{
    if (gz_feed_is_moves(cursor, &message->delta))
        return gz_feed_append_moves(feed, cursor, &message->delta, steps, ms, out);
    if (steps > 0) return append_with_steps(feed, cursor, message, steps, ms, out);
    return gz_encode(out, message);
}

static enum gz_status append_delta(struct gz_feed *feed, struct gz_cursor *cursor, double unix_s,
                                   struct gz_buffer *out)
{
    const bool is_packed = cursor->form == GZ_FORM_PACKED;
    struct gz_message message = {.op = is_packed ? GZ_OP_PACKED_DELTA : GZ_OP_DELTA};
    struct gz_delta *delta = &message.delta;
    const uint64_t ms = (uint64_t)llround(unix_s * 1000);
    enum gz_status status = GZ_OK;
    if (gz_feed_tells_motions(cursor) && !gz_feed_is_lost(feed, cursor))
        status = gz_feed_append_motion(feed, cursor, out);
    if (status != GZ_OK) return status;
    delta->time = unix_s;
    delta->saved = feed->saved;
    feed->form = cursor->form;
    bool collected = cursor->interest_set != NULL ? gz_feed_collect_interest(feed, cursor, delta)
                                                  : gz_feed_collect_whole(feed, cursor, delta);
    if (!collected || !collect_acks(feed, cursor, delta)) return GZ_NO_MEMORY;
    if (delta->from == 0) gz_feed_forget_motions(cursor);
    const size_t steps = delta->more ? 0 : gz_feed_collect_steps(feed, cursor);
    status = append_form(feed, cursor, &message, steps, ms, out);
    if (status == GZ_OK) follow(feed, cursor, delta, ms);
    return status;
}

/* ---- the frame ---- */

static bool has_delta(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    return !cursor->greeted || cursor->state != gz_scene_seq(feed->scene) ||
           gz_feed_has_motions(feed, cursor);
}

static enum gz_status append_edits(const struct gz_feed *feed, struct gz_cursor *cursor,
                                   struct gz_buffer *out)
{
    if (cursor->edits < feed->edits_forgotten) cursor->edits = feed->edits_forgotten;
    while (cursor->edits < feed->edit_count && out->size < GZ_DELTA_BYTES_MAX) {
        const struct edit_bytes *edit = &feed->edits[(cursor->edits + 1) % GZ_EDIT_RING];
        enum gz_status status = gz_buffer_append(out, edit->bytes, edit->size);
        if (status != GZ_OK) return status;
        cursor->edits++;
    }
    return GZ_OK;
}

static enum gz_status append_saved(const struct gz_feed *feed, struct gz_cursor *cursor,
                                   struct gz_buffer *out)
{
    struct gz_message message = {.op = GZ_OP_SAVED, .saved_seq = feed->saved};
    enum gz_status status = gz_encode(out, &message);
    if (status == GZ_OK) cursor->saved = feed->saved;
    return status;
}

/* Whether the frame shows actions of users to a viewer that has the presence of all. */
static bool shows_doings(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    return cursor->presence.version != 0 &&
           (has_delta(feed, cursor) || cursor->edits != feed->edit_count ||
            gz_versions_has_news(gz_notebook_versions(feed->notes), &cursor->notes) ||
            gz_versions_has_news(gz_checkpoint_list_versions(feed->checkpoints),
                                 &cursor->checkpoints));
}

static enum gz_status build_frame(struct gz_feed *feed, struct gz_cursor *cursor, double unix_s,
                                  struct gz_buffer *out)
{
    enum gz_status status = GZ_OK;
    if (shows_doings(feed, cursor)) status = gz_feed_append_begun(feed, cursor, out);
    if (status != GZ_OK) return status;
    if (has_delta(feed, cursor)) {
        status = append_delta(feed, cursor, unix_s, out);
        if (status != GZ_OK || !cursor->greeted) return status;
    }
    status = append_edits(feed, cursor, out);
    if (status == GZ_OK && cursor->saved != feed->saved) status = append_saved(feed, cursor, out);
    if (status == GZ_OK) status = gz_feed_append_notes(feed, cursor, out);
    if (status == GZ_OK) status = gz_feed_append_checkpoints(feed, cursor, out);
    if (status == GZ_OK) status = gz_feed_append_presence(feed, cursor, out);
    return status;
}

static bool same_versions_cursor(const struct gz_versions_cursor *a,
                                 const struct gz_versions_cursor *b)
{
    return a->version == b->version && a->since == b->since;
}

bool gz_feed_same_form(const struct gz_cursor *a, const struct gz_cursor *b)
{
    return a->form == b->form && a->hears_acks == b->hears_acks;
}

/* Whether two viewers have the same, whichever way they came there. */
static bool have_same(const struct gz_cursor *a, const struct gz_cursor *b)
{
    return a->state == b->state && a->base == b->base && a->since == b->since &&
           a->saved == b->saved && a->edits == b->edits && a->greeted == b->greeted &&
           same_versions_cursor(&a->notes, &b->notes) &&
           same_versions_cursor(&a->checkpoints, &b->checkpoints) &&
           same_versions_cursor(&a->presence, &b->presence) &&
           a->presence_base == b->presence_base && a->ms == b->ms && a->count == b->count &&
           a->begun == b->begun;
}

/* Viewers in step are known by their place. */
static bool same_cursor(const struct gz_cursor *a, const struct gz_cursor *b)
{
    const bool is_one_place = a->place != 0 && a->place == b->place;
    assert(!is_one_place || have_same(a, b));
    return gz_feed_same_form(a, b) && (is_one_place || have_same(a, b));
}

bool gz_feed_stand_together(const struct gz_feed *feed, const struct gz_cursor *a,
                            const struct gz_cursor *b)
{
    return a->interest_set == NULL && b->interest_set == NULL && same_cursor(a, b) &&
           gz_feed_same_motions(feed, a, b);
}

/* The version of everything that a frame can hold: a cached frame is stale once it changes. */
static uint64_t content_version(const struct gz_feed *feed)
{
    return feed->version + gz_scene_seq(feed->scene) + gz_notebook_versions(feed->notes)->version +
           gz_checkpoint_list_versions(feed->checkpoints)->version;
}

static bool is_for(const struct gz_feed *feed, const struct cached_frame *frame,
                   const struct gz_cursor *cursor, uint64_t version)
{
    return frame->version == version && same_cursor(&frame->before, cursor) &&
           gz_feed_same_motions(feed, &frame->before, cursor);
}

/* Most viewers need the frame that the one before them was given. */
static struct cached_frame *find_frame(struct gz_feed *feed, const struct gz_cursor *cursor)
{
    const uint64_t version = content_version(feed);
    if (feed->latest != NULL && is_for(feed, feed->latest, cursor, version)) return feed->latest;
    for (int i = 0; i < FRAMES; i++)
        if (is_for(feed, &feed->frames[i], cursor, version)) return &feed->frames[i];
    return NULL;
}

static struct cached_frame *oldest_frame(struct gz_feed *feed)
{
    struct cached_frame *oldest = &feed->frames[0];
    for (int i = 1; i < FRAMES; i++) {
        if (feed->frames[i].used < oldest->used) oldest = &feed->frames[i];
    }
    return oldest;
}

/* Puts JSON in the place of the messages. */
static enum gz_status turn_into_json(struct gz_buffer *out)
{
    struct gz_buffer text;
    gz_buffer_init(&text, GZ_SERVER_FRAME_BYTES_MAX, GZ_BYTES_HEADROOM);
    const enum gz_status status = gz_json_append_messages(&text, out->data, out->size);
    if (status == GZ_OK) gz_json_end_frame(&text);
    gz_buffer_finish(out);
    *out = text;
    return status;
}

/* Builds the frame in this memory, which is used up, and moves the cursor past it. *bytes is NULL
 * if nothing is to be sent, or after a failure: then the cursor is of no use. */
static enum gz_status make_frame(struct gz_feed *feed, struct gz_cursor *cursor, double unix_s,
                                 struct gz_buffer *out, struct gz_bytes **bytes)
{
    const bool is_json = cursor->form == GZ_FORM_JSON;
    enum gz_status status = build_frame(feed, cursor, unix_s, out);
    if (status == GZ_OK && out->size > 0 && is_json) status = turn_into_json(out);
    const bool is_made = status == GZ_OK && out->size > 0;
    *bytes = is_made
                 ? gz_bytes_seal(out, is_json ? GZ_FRAME_TEXT_FIRST : GZ_FRAME_BINARY_FIRST, NULL)
                 : NULL;
    gz_buffer_finish(out);
    return status;
}

/* Makes a frame for a viewer with an interest. The interest set records what the viewer has while
 * the frame is built; if that fails in the middle, the viewer starts from 0. */
static struct gz_bytes *own_frame(struct gz_feed *feed, struct gz_cursor *cursor, double unix_s)
{
    struct gz_cursor after = *cursor;
    struct gz_buffer out;
    struct gz_bytes *bytes;
    gz_buffer_init(&out, GZ_FRAME_BYTES_MAX, GZ_BYTES_HEADROOM);
    after.place = 0;
    if (make_frame(feed, &after, unix_s, &out, &bytes) != GZ_OK) {
        gz_feed_forget_interest(cursor);
        return NULL;
    }
    *cursor = after;
    if (cursor->greeted && gz_interest_set_is_whole(cursor->interest_set))
        gz_feed_cursor_finish(cursor);
    return bytes;
}

/* Replaces the oldest frame by the one at this cursor, in its memory if nobody else holds it. NULL
 * without memory. */
static struct cached_frame *new_frame(struct gz_feed *feed, const struct gz_cursor *cursor,
                                      double unix_s)
{
    struct cached_frame *frame = oldest_frame(feed);
    struct gz_buffer out;
    gz_buffer_init(&out, GZ_FRAME_BYTES_MAX, GZ_BYTES_HEADROOM);
    gz_bytes_reuse(frame->bytes, &out);
    frame->version = 0;
    frame->before = frame->after = *cursor;
    if (make_frame(feed, &frame->after, unix_s, &out, &frame->bytes) != GZ_OK) return NULL;
    frame->after.place = ++feed->places;
    frame->version = content_version(feed);
    return frame;
}

/* What has changed of the scene, and what of it is saved. */
static bool has_scene_news(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    return (has_delta(feed, cursor) && !gz_feed_is_hidden(feed, cursor)) ||
           cursor->saved < feed->saved_shown;
}

static bool has_other_news(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    return cursor->edits != feed->edit_count || gz_feed_has_presence(feed, cursor) ||
           gz_feed_has_crowd(feed, cursor) ||
           gz_versions_has_news(gz_notebook_versions(feed->notes), &cursor->notes) ||
           gz_versions_has_news(gz_checkpoint_list_versions(feed->checkpoints),
                                &cursor->checkpoints);
}

bool gz_feed_has_frame(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    return has_scene_news(feed, cursor) || has_other_news(feed, cursor);
}

bool gz_feed_is_behind(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    return !cursor->greeted || gz_feed_lacks_starts(feed, cursor) || cursor->notes.since != 0 ||
           cursor->checkpoints.since != 0 || cursor->presence.since != 0;
}

struct gz_bytes *gz_feed_frame(struct gz_feed *feed, struct gz_cursor *cursor, double unix_s)
{
    if (!has_scene_news(feed, cursor) && !has_other_news(feed, cursor)) return NULL;
    if (!gz_feed_is_ready(feed, cursor)) return NULL;
    if (cursor->interest_set != NULL) return own_frame(feed, cursor, unix_s);
    struct cached_frame *frame = find_frame(feed, cursor);
    if (frame == NULL) frame = new_frame(feed, cursor, unix_s);
    if (frame == NULL) return NULL;
    feed->latest = frame;
    frame->used = ++feed->uses;
    *cursor = frame->after;
    return frame->bytes != NULL ? gz_bytes_hold(frame->bytes) : NULL;
}

/* ---- messages besides the scene ---- */

void gz_feed_saved(struct gz_feed *feed, uint64_t seq, double mono_s)
{
    if (seq == feed->saved) return;
    feed->saved = seq;
    feed->saved_s = mono_s;
    feed->version++;
}

uint64_t gz_feed_saved_seq(const struct gz_feed *feed)
{
    return feed->saved;
}

/* Makes room in the ring for an edit whose message has `bytes`, whatever its size. */
static void forget_edits(struct gz_feed *feed, size_t bytes)
{
    while (feed->edits_forgotten < feed->edit_count &&
           (feed->edit_count - feed->edits_forgotten == GZ_EDIT_RING ||
            feed->edit_bytes + bytes > GZ_EDIT_RING_BYTES)) {
        struct edit_bytes *oldest = &feed->edits[++feed->edits_forgotten % GZ_EDIT_RING];
        feed->edit_bytes -= oldest->size;
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

enum gz_status gz_feed_edit(struct gz_feed *feed, const struct gz_message *edit, uint64_t sent_at)
{
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_FRAME_BYTES_MAX - GZ_DELTA_BYTES_MAX, 0);
    enum gz_status status = gz_encode(&bytes, edit);
    if (status != GZ_OK) {
        gz_buffer_finish(&bytes);
        return status;
    }
    forget_edits(feed, bytes.size);
    feed->edit_count++;
    feed->edit_bytes += bytes.size;
    feed->version++;
    feed->edits[feed->edit_count % GZ_EDIT_RING] =
        (struct edit_bytes){fitted(&bytes), bytes.size, edit->edit.seq, sent_at};
    return GZ_OK;
}

void gz_feed_acknowledge(struct gz_feed *feed, struct gz_grip grip, uint64_t n)
{
    size_t at = 0;
    while (at < feed->ack_count && !gz_grips_equal(feed->acks[at].grip, grip)) at++;
    if (at == feed->ack_count) {
        /* Without memory viewers miss the acknowledgement, but not the state itself. */
        if (!gz_grow(&feed->acks, &feed->ack_capacity, at + 1, sizeof *feed->acks)) return;
        feed->ack_count++;
    }
    feed->acks[at] = (struct acknowledgement){grip, n, gz_scene_seq(feed->scene)};
    feed->version++;
}

/* ---- due times ---- */

/* The sum of all versions that cause a frame for a viewer that keeps up; each of them only
 * grows. */
static uint64_t news_version(const struct gz_feed *feed)
{
    return gz_scene_seq(feed->scene) + feed->edit_count + feed->saved_shown + feed->board.shown +
           feed->board.packed_shown + feed->crowd.version + feed->motion_count +
           feed->motion_version + gz_notebook_versions(feed->notes)->version +
           gz_checkpoint_list_versions(feed->checkpoints)->version;
}

static double saved_due(const struct gz_feed *feed)
{
    if (feed->saved_shown == feed->saved) return INFINITY;
    return fmax(feed->saved_s, feed->told_s) + GZ_SAVED_MS_QUIET / 1000.0;
}

static double presence_due(const struct gz_feed *feed)
{
    return fmax(gz_feed_presence_due(feed), feed->told_s + GZ_RIDE_MS / 1000.0);
}

double gz_feed_due(const struct gz_feed *feed)
{
    return fmin(saved_due(feed), presence_due(feed));
}

bool gz_feed_show(struct gz_feed *feed, double mono_s)
{
    const bool is_news = news_version(feed) != feed->told;
    if (is_news || mono_s >= presence_due(feed)) gz_feed_show_presence(feed, mono_s);
    if (is_news || mono_s >= saved_due(feed)) feed->saved_shown = feed->saved;
    if (news_version(feed) == feed->told) return false;
    feed->told = news_version(feed);
    feed->told_s = mono_s;
    return true;
}
