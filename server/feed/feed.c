/* feed.c - marks and their subscribers, and the frame that leads on from a mark. */
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
    feed->lists[LIST_EDITS] = &feed->edits;
    feed->lists[LIST_NOTES] = gz_notebook_versions(notes);
    feed->lists[LIST_CHECKPOINTS] = gz_checkpoint_list_versions(checkpoints);
    feed->lists[LIST_PRESENCE] = &feed->board.versions;
    feed->checkpoints = checkpoints;
    feed->saved = feed->saved_shown = saved;
    feed->told_s = -INFINITY;
    feed->version = 1;
    feed->presence_shown_s = -INFINITY;
    gz_versions_init(&feed->edits, NULL, 0);
    gz_versions_init(&feed->acks, NULL, 0);
    init_board(&feed->board);
    gz_crowd_init(&feed->crowd);
    feed->changed_due_s = INFINITY;
    feed->delta_bytes = GZ_DELTA_BYTES_MAX;
    return feed;
}

static void forget_edit(struct gz_feed *feed)
{
    struct edit *oldest = (struct edit *)feed->edits.oldest;
    gz_versions_forget(&feed->edits, &oldest->item);
    feed->edit_bytes -= oldest->size;
    free(oldest);
}

void gz_feed_destroy(struct gz_feed *feed)
{
    if (feed == NULL) return;
    gz_feed_rest(feed);
    gz_feed_destroy_motions(feed);
    while (feed->edits.count > 0) forget_edit(feed);
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

/* ---- marks ---- */

static void free_mark(struct gz_mark *mark)
{
    if (mark != NULL) gz_bytes_release(mark->bytes);
    free(mark);
}

/* A mark for this cursor, in no list. The caller has a reference. NULL without memory. */
static struct gz_mark *make_mark(struct gz_feed *feed, const struct gz_cursor *cursor)
{
    struct gz_mark **idle = &feed->idle[cursor->form];
    struct gz_mark *mark = *idle != NULL ? *idle : malloc(sizeof *mark);
    if (mark == NULL) return NULL;
    if (mark == *idle) gz_bytes_release(mark->bytes);
    *idle = NULL;
    *mark = (struct gz_mark){.cursor = *cursor, .holders = 1};
    return mark;
}

/* NULL is fine. The memory of the latest mark of a channel that nobody holds any more, and of its
 * frame, is kept for the next one. */
static void release(struct gz_feed *feed, struct gz_mark *mark)
{
    if (mark == NULL || --mark->holders > 0) return;
    struct gz_mark **idle = &feed->idle[mark->cursor.form];
    if (mark->hook != NULL) *mark->hook = mark->older;
    if (mark->hook != NULL && mark->older != NULL) mark->older->hook = mark->hook;
    gz_interest_set_destroy(mark->cursor.interest_set);
    free_mark(*idle);
    *idle = mark;
}

/* Forgets the frames that are kept: something has changed, or there are many. */
static void forget_frames(struct gz_feed *feed)
{
    while (feed->frame_count > 0) {
        struct gz_mark *mark = feed->frames[--feed->frame_count], *next = mark->next;
        mark->next = NULL;
        if (mark->holders > 1) {
            gz_bytes_release(mark->bytes);
            mark->bytes = NULL;
        }
        release(feed, mark);
        release(feed, next);
    }
}

static bool have_read_same(const struct gz_cursor *a, const struct gz_cursor *b)
{
    int i = 0;
    while (i < LIST_COUNT && a->lists[i].version == b->lists[i].version &&
           a->lists[i].since == b->lists[i].since)
        i++;
    return i == LIST_COUNT;
}

/* Whether two viewers have the same, whichever way they came there. What differs most is compared
 * first. */
static bool have_same(const struct gz_cursor *a, const struct gz_cursor *b)
{
    return a->form == b->form && a->state == b->state && a->ms == b->ms && a->count == b->count &&
           a->base == b->base && a->since == b->since && a->saved == b->saved &&
           a->greeted == b->greeted && have_read_same(a, b) &&
           a->presence_base == b->presence_base && a->begun == b->begun &&
           a->motions == b->motions && a->motion_version == b->motion_version;
}

/* The mark of all whose cursor is this one, which has no interest; the caller has a reference. NULL
 * without memory. */
static struct gz_mark *mark_at(struct gz_feed *feed, const struct gz_cursor *cursor)
{
    struct gz_mark *mark = feed->marks;
    for (size_t i = 0; mark != NULL && i < MARKS; i++, mark = mark->older) {
        if (!have_same(&mark->cursor, cursor)) continue;
        mark->holders++;
        return mark;
    }
    mark = make_mark(feed, cursor);
    if (mark == NULL) return NULL;
    mark->older = feed->marks;
    mark->hook = &feed->marks;
    if (mark->older != NULL) mark->older->hook = &mark->older;
    return feed->marks = mark;
}

/* The subscriber goes on to this mark, to which the caller has the reference. */
static void go_to(struct gz_feed *feed, struct gz_subscriber *subscriber, struct gz_mark *mark)
{
    struct gz_mark *before = subscriber->at;
    subscriber->at = mark;
    release(feed, before);
}

/* The same, to the mark at this cursor, whose interest set it takes over. False without memory:
 * then it stays. */
static bool stand_at(struct gz_feed *feed, struct gz_subscriber *subscriber,
                     const struct gz_cursor *cursor)
{
    struct gz_mark *mark =
        cursor->interest_set != NULL ? make_mark(feed, cursor) : mark_at(feed, cursor);
    if (mark != NULL)
        go_to(feed, subscriber, mark);
    else
        gz_interest_set_destroy(cursor->interest_set);
    return mark != NULL;
}

void gz_feed_rest(struct gz_feed *feed)
{
    forget_frames(feed);
    for (int form = 0; form < GZ_FORM_COUNT; form++) {
        free_mark(feed->idle[form]);
        feed->idle[form] = NULL;
    }
    free_scratch(feed);
}

/* ---- subscribers ---- */

/* The edits that a viewer at `seq` was sent, or does not need to be. An edit changes the scene
 * before its COMMIT and is announced after it, so that a viewer's state may hold edits that it was
 * not sent. */
static struct gz_versions_cursor edits_sent(const struct gz_feed *feed, uint64_t seq,
                                            const uint64_t *heard)
{
    struct gz_versions_cursor cursor = {.version = feed->edits.version};
    if (seq == 0 && heard == NULL) return cursor;
    const struct edit *edit = (const struct edit *)feed->edits.newest;
    for (; edit != NULL; edit = (const struct edit *)edit->item.older) {
        if (heard != NULL ? edit->seq <= *heard : edit->sent_at < seq) break;
        cursor.version = edit->item.version - 1;
    }
    return cursor;
}

bool gz_feed_subscribe(struct gz_feed *feed, struct gz_subscriber *subscriber, enum gz_form form,
                       uint64_t seq, const uint64_t *heard)
{
    const struct gz_cursor cursor = {.form = form,
                                     .state = seq,
                                     .base = seq,
                                     .since = seq,
                                     .lists[LIST_EDITS] = edits_sent(feed, seq, heard)};
    feed->has_packed |= gz_form_is_packed(form);
    return stand_at(feed, subscriber, &cursor);
}

void gz_feed_unsubscribe(struct gz_feed *feed, struct gz_subscriber *subscriber)
{
    go_to(feed, subscriber, NULL);
}

void gz_feed_join(struct gz_feed *feed, struct gz_subscriber *subscriber,
                  const struct gz_subscriber *other)
{
    other->at->holders++;
    go_to(feed, subscriber, other->at);
}

void gz_feed_hear_acks(struct gz_feed *feed, struct gz_subscriber *subscriber)
{
    struct gz_mark *mark = subscriber->at;
    if (mark->cursor.form != GZ_FORM_PACKED) return;
    struct gz_cursor cursor = mark->cursor;
    cursor.form = GZ_FORM_PACKED_ACTS;
    if (cursor.interest_set != NULL)
        mark->cursor = cursor;
    else
        (void)stand_at(feed, subscriber, &cursor);
}

enum gz_form gz_feed_form(const struct gz_subscriber *subscriber)
{
    return subscriber->at->cursor.form;
}

bool gz_feed_is_whole(const struct gz_subscriber *subscriber)
{
    return subscriber->at->cursor.interest_set == NULL;
}

bool gz_feed_has_state(const struct gz_subscriber *subscriber)
{
    return subscriber->at->cursor.base > 0;
}

bool gz_feed_set_interest(struct gz_feed *feed, struct gz_subscriber *subscriber,
                          const struct gz_region *region)
{
    struct gz_mark *mark = subscriber->at;
    struct gz_cursor cursor = mark->cursor;
    if (cursor.interest_set != NULL) return gz_cursor_set_interest(feed, &mark->cursor, region);
    return gz_cursor_set_interest(feed, &cursor, region) && stand_at(feed, subscriber, &cursor);
}

/* ---- the delta ---- */

static bool collect_acks(struct gz_feed *feed, const struct gz_cursor *cursor,
                         struct gz_delta *delta)
{
    const struct gz_versions_item *item = feed->acks.newest;
    for (; cursor->form != GZ_FORM_PACKED && item != NULL; item = item->older) {
        const struct gz_presence_ack *ack = (const struct gz_presence_ack *)item;
        if (ack->seq <= delta->from) break;
        if (ack->seq > delta->seq) continue;
        if (!gz_grow(&feed->delta_acks, &feed->delta_ack_capacity, delta->ack_count + 1,
                     sizeof *feed->delta_acks))
            return false;
        feed->delta_acks[delta->ack_count++] = (struct gz_ack){ack->session, ack->n};
    }
    delta->acks = feed->delta_acks;
    return true;
}

/* Moves the cursor past the delta. */
static void follow(const struct gz_feed *feed, struct gz_cursor *cursor,
                   const struct gz_delta *delta, uint64_t ms)
{
    if (gz_form_is_packed(cursor->form)) cursor->ms = ms;
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
    const bool is_packed = gz_form_is_packed(cursor->form);
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

static enum gz_status append_edits(struct gz_feed *feed, struct gz_cursor *cursor,
                                   struct gz_buffer *out)
{
    struct gz_versions_reading reading = gz_feed_read(feed, cursor, LIST_EDITS);
    const struct gz_versions_item *item;
    enum gz_status status = GZ_OK;
    while (status == GZ_OK && out->size < GZ_DELTA_BYTES_MAX &&
           (item = gz_versions_next(&reading)) != NULL) {
        const struct edit *edit = (const struct edit *)item;
        status = gz_buffer_append(out, edit->bytes, edit->size);
    }
    if (status == GZ_OK) cursor->lists[LIST_EDITS] = reading.cursor;
    return status;
}

static enum gz_status append_saved(struct gz_feed *feed, struct gz_cursor *cursor,
                                   struct gz_buffer *out)
{
    if (cursor->saved == feed->saved) return GZ_OK;
    const struct gz_message message = {.op = GZ_OP_SAVED, .saved_seq = feed->saved};
    enum gz_status status = gz_encode(out, &message);
    if (status == GZ_OK) cursor->saved = feed->saved;
    return status;
}

/* Presence has times of its own, at which it is shown. */
static bool has_list_news(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    int i = 0;
    while (i < LIST_PRESENCE && !gz_versions_has_news(feed->lists[i], &cursor->lists[i])) i++;
    return i < LIST_PRESENCE;
}

/* Whether the frame shows actions of users to a viewer that has the presence of all. */
static bool shows_doings(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    return cursor->lists[LIST_PRESENCE].version != 0 &&
           (has_delta(feed, cursor) || has_list_news(feed, cursor));
}

/* Appends what is new in a list, and moves the cursor. */
static enum gz_status (*const rows[LIST_COUNT])(struct gz_feed *feed, struct gz_cursor *cursor,
                                                struct gz_buffer *out) = {
    [LIST_EDITS] = append_edits,
    [LIST_NOTES] = gz_feed_append_notes,
    [LIST_CHECKPOINTS] = gz_feed_append_checkpoints,
    [LIST_PRESENCE] = gz_feed_append_presence};

/* Whether the cursor is at the end of a list. */
static bool has_read(const struct gz_feed *feed, const struct gz_cursor *cursor, enum list list)
{
    return list != LIST_PRESENCE && cursor->lists[list].version == feed->lists[list]->version;
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
    status = append_saved(feed, cursor, out);
    for (int i = 0; status == GZ_OK && i < LIST_COUNT; i++)
        if (!has_read(feed, cursor, i)) status = rows[i](feed, cursor, out);
    return status;
}

/* Presence is counted as it is shown. */
static uint64_t list_versions(const struct gz_feed *feed)
{
    uint64_t sum = 0;
    for (int i = 0; i < LIST_PRESENCE; i++) sum += feed->lists[i]->version;
    return sum;
}

/* The version of everything that a frame can hold: a cached frame is stale once it changes. */
static uint64_t content_version(const struct gz_feed *feed)
{
    return feed->version + gz_scene_seq(feed->scene) + list_versions(feed);
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
 * the frame is built; if that fails in the middle, the viewer starts from 0. One that follows the
 * whole scene again has no mark of its own any more. */
static struct gz_bytes *own_frame(struct gz_feed *feed, struct gz_subscriber *subscriber,
                                  double unix_s)
{
    struct gz_cursor *cursor = &subscriber->at->cursor, after = *cursor;
    struct gz_buffer out;
    struct gz_bytes *bytes;
    gz_buffer_init(&out, GZ_FRAME_BYTES_MAX, GZ_BYTES_HEADROOM);
    if (make_frame(feed, &after, unix_s, &out, &bytes) != GZ_OK) {
        gz_feed_forget_interest(cursor);
        return NULL;
    }
    *cursor = after;
    if (!cursor->greeted || !gz_interest_set_is_whole(cursor->interest_set)) return bytes;
    gz_interest_set_destroy(cursor->interest_set);
    after.interest_set = cursor->interest_set = NULL;
    (void)stand_at(feed, subscriber, &after); /* without memory nobody shares its mark */
    return bytes;
}

/* The buffer of a frame of this channel that nobody holds any more, if there is one. */
static void take_memory(struct gz_feed *feed, enum gz_form form, struct gz_buffer *out)
{
    struct gz_mark *idle = feed->idle[form];
    gz_buffer_init(out, GZ_FRAME_BYTES_MAX, GZ_BYTES_HEADROOM);
    if (idle == NULL) return;
    gz_bytes_reuse(idle->bytes, out);
    idle->bytes = NULL;
}

/* Whether the frame that leads on from the mark is kept, and nothing has changed since. */
static bool is_kept(const struct gz_feed *feed, const struct gz_mark *mark)
{
    return mark->next != NULL && feed->frames_version == content_version(feed);
}

/* Makes the frame that leads on from the mark. False without memory. */
static bool make_next(struct gz_feed *feed, struct gz_mark *mark, double unix_s)
{
    const uint64_t version = content_version(feed);
    struct gz_cursor after = mark->cursor;
    struct gz_buffer out;
    struct gz_bytes *bytes;
    if (version != feed->frames_version || feed->frame_count == FRAMES) forget_frames(feed);
    feed->frames_version = version;
    take_memory(feed, after.form, &out);
    if (make_frame(feed, &after, unix_s, &out, &bytes) != GZ_OK) return false;
    if (gz_form_is_packed(after.form)) gz_feed_settle_motions(feed, &after);
    mark->next = mark_at(feed, &after);
    if (mark->next == NULL) {
        gz_bytes_release(bytes);
        return false;
    }
    assert(mark->next != mark); /* a frame is made if there is news, and takes the viewer past it */
    mark->bytes = bytes;
    mark->holders++;
    feed->frames[feed->frame_count++] = mark;
    return true;
}

/* What has changed of the scene, and what of it is saved. */
static bool has_scene_news(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    return (has_delta(feed, cursor) && !gz_feed_is_hidden(feed, cursor)) ||
           cursor->saved < feed->saved_shown;
}

static bool has_other_news(const struct gz_feed *feed, const struct gz_cursor *cursor)
{
    return has_list_news(feed, cursor) || gz_feed_has_presence(feed, cursor) ||
           gz_feed_has_crowd(feed, cursor);
}

bool gz_feed_has_frame(const struct gz_feed *feed, const struct gz_subscriber *subscriber)
{
    const struct gz_cursor *cursor = &subscriber->at->cursor;
    return has_scene_news(feed, cursor) || has_other_news(feed, cursor);
}

bool gz_feed_is_behind(const struct gz_feed *feed, const struct gz_subscriber *subscriber)
{
    const struct gz_cursor *cursor = &subscriber->at->cursor;
    return !cursor->greeted || gz_feed_lacks_starts(feed, cursor) ||
           cursor->lists[LIST_NOTES].since != 0 || cursor->lists[LIST_CHECKPOINTS].since != 0 ||
           cursor->lists[LIST_PRESENCE].since != 0;
}

struct gz_bytes *gz_feed_frame(struct gz_feed *feed, struct gz_subscriber *subscriber,
                               double unix_s)
{
    struct gz_mark *mark = subscriber->at;
    if (!is_kept(feed, mark)) {
        if (!gz_feed_has_frame(feed, subscriber) || !gz_feed_is_ready(feed, subscriber))
            return NULL;
        if (!gz_feed_is_whole(subscriber)) return own_frame(feed, subscriber, unix_s);
        if (!make_next(feed, mark, unix_s)) return NULL;
    }
    struct gz_bytes *bytes = mark->bytes != NULL ? gz_bytes_hold(mark->bytes) : NULL;
    mark->next->holders++;
    go_to(feed, subscriber, mark->next);
    return bytes;
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

/* The latest edits are kept, and this one whatever its size. */
static void add_edit(struct gz_feed *feed, struct edit *edit)
{
    while (feed->edits.count > 0 && (feed->edits.count == GZ_EDIT_RING ||
                                     feed->edit_bytes + edit->size > GZ_EDIT_RING_BYTES))
        forget_edit(feed);
    feed->edit_bytes += edit->size;
    gz_versions_put(&feed->edits, &edit->item);
}

enum gz_status gz_feed_edit(struct gz_feed *feed, const struct gz_message *message,
                            uint64_t sent_at)
{
    struct gz_buffer bytes;
    gz_buffer_init(&bytes, GZ_FRAME_BYTES_MAX - GZ_DELTA_BYTES_MAX, 0);
    enum gz_status status = gz_encode(&bytes, message);
    struct edit *edit = status == GZ_OK ? malloc(sizeof *edit + bytes.size) : NULL;
    if (edit != NULL) {
        *edit = (struct edit){.seq = message->edit.seq, .sent_at = sent_at, .size = bytes.size};
        memcpy(edit->bytes, bytes.data, bytes.size);
        add_edit(feed, edit);
    }
    gz_buffer_finish(&bytes);
    return edit != NULL || status != GZ_OK ? status : GZ_NO_MEMORY;
}

/* The entry's acknowledgement for this gesture, in no list if it is new. NULL without memory. */
static struct gz_presence_ack *ack_of(struct gz_presence_entry *entry, uint32_t gesture)
{
    struct gz_presence_ack *ack = entry->acks;
    while (ack != NULL && ack->gesture != gesture) ack = ack->next;
    if (ack != NULL) return ack;
    ack = malloc(sizeof *ack);
    if (ack == NULL) return NULL;
    *ack = (struct gz_presence_ack){
        .next = entry->acks, .gesture = gesture, .session = entry->user.session};
    return entry->acks = ack;
}

void gz_feed_acknowledge(struct gz_feed *feed, struct gz_presence_entry *entry, uint32_t gesture,
                         uint64_t n)
{
    struct gz_presence_ack *ack = entry->is_present ? ack_of(entry, gesture) : NULL;
    if (ack == NULL) return;
    ack->n = n;
    ack->seq = gz_scene_seq(feed->scene);
    gz_versions_put(&feed->acks, &ack->item);
    feed->version++;
}

/* ---- due times ---- */

/* The sum of all versions that cause a frame for a viewer that keeps up; each of them only
 * grows. */
static uint64_t news_version(const struct gz_feed *feed)
{
    return gz_scene_seq(feed->scene) + list_versions(feed) + feed->saved_shown + feed->board.shown +
           feed->board.packed_shown + feed->crowd.version + feed->motion_count +
           feed->motion_version;
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
