/* core_store.c - a disk in memory that judges each batch. See core_store.h. */
#include "support/core_store.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"
#include "support/grow.h"
#include "support/judge.h"

#define KEEP_BYTES_MAX (SIZE_MAX / 2)

static void *take(struct gz_arena *arena, size_t count, size_t size)
{
    void *memory = gz_arena_take(arena, count, size);
    assert_non_null(memory);
    return memory;
}

static const char *keep_text(struct gz_arena *arena, const char *text)
{
    if (text == NULL) return NULL;
    return memcpy(take(arena, strlen(text) + 1, 1), text, strlen(text) + 1);
}

static struct gz_edit_record keep_edit(struct gz_arena *arena, const struct gz_edit_record *edit)
{
    struct gz_edit_record kept = *edit;
    struct gz_change *changes = take(arena, edit->change_count, sizeof *changes);
    for (size_t i = 0; i < edit->change_count; i++) {
        changes[i] = edit->changes[i];
        changes[i].before.name = keep_text(arena, changes[i].before.name);
        changes[i].after.name = keep_text(arena, changes[i].after.name);
    }
    kept.changes = changes;
    kept.user = keep_text(arena, edit->user);
    kept.key = keep_text(arena, edit->key);
    return kept;
}

void core_store_init(struct core_store *store)
{
    *store = (struct core_store){.next_node = 1, .next_edit = 1, .graves_max = GZ_TOMBSTONES_MAX};
    gz_arena_init(&store->arena, KEEP_BYTES_MAX);
}

static void *copy_items(const void *items, size_t count, size_t size)
{
    void *copy = count > 0 ? malloc(count * size) : NULL;
    assert_true(copy != NULL || count == 0);
    return count > 0 ? memcpy(copy, items, count * size) : NULL;
}

#define COPY_ITEMS(list, capacity)                                                                 \
    store->list = copy_items(from->list, from->capacity, sizeof *store->list)

void core_store_copy(struct core_store *store, const struct core_store *from)
{
    assert_int_equal(from->open_count, 0);
    *store = *from;
    gz_arena_init(&store->arena, KEEP_BYTES_MAX);
    COPY_ITEMS(nodes, node_capacity);
    COPY_ITEMS(versions, version_capacity);
    COPY_ITEMS(edits, edit_capacity);
    COPY_ITEMS(open, open_capacity);
    COPY_ITEMS(epochs, epoch_capacity);
    COPY_ITEMS(known, known_capacity);
    COPY_ITEMS(visitors, visitor_capacity);
    COPY_ITEMS(notes, note_capacity);
    COPY_ITEMS(note_keys, note_key_capacity);
    COPY_ITEMS(checkpoints, checkpoint_capacity);
    COPY_ITEMS(access, access_capacity);
    COPY_ITEMS(access_log, access_log_capacity);
}

void core_store_finish(struct core_store *store)
{
    gz_arena_finish(&store->arena);
    free(store->nodes);
    free(store->versions);
    free(store->edits);
    free(store->assets);
    free(store->open);
    free(store->epochs);
    free(store->visitors);
    free(store->known);
    free(store->notes);
    free(store->note_keys);
    free(store->checkpoints);
    free(store->access);
    free(store->access_log);
}

/* ---- what the edits say ---- */

static struct core_store_node *node_of(struct core_store *store, uint64_t id)
{
    store->nodes = grow(store->nodes, &store->node_capacity, (size_t)id + 1, sizeof *store->nodes);
    return &store->nodes[id];
}

static const struct gz_node_record *latest(const struct core_store *store, uint64_t id)
{
    if (id >= store->node_capacity || !store->nodes[id].written) return NULL;
    return &store->versions[store->nodes[id].version];
}

static bool same_content(const struct gz_content *a, const struct gz_content *b, bool with_trs)
{
    if (a->parent != b->parent || strcmp(a->name, b->name) != 0 || a->asset != b->asset)
        return false;
    if (a->has_bounds != b->has_bounds) return false;
    if (a->has_bounds && memcmp(&a->bounds, &b->bounds, sizeof a->bounds) != 0) return false;
    return !with_trs || memcmp(&a->trs, &b->trs, sizeof a->trs) == 0;
}

static void judge_node(struct core_store *store, uint64_t id)
{
    const struct core_store_node *node = node_of(store, id);
    const struct gz_node_record *record = latest(store, id);
    assert_non_null(record);
    assert_int_equal(record->gone, !node->exists);
    if (record->gone) return; /* no edit may tell of it, if it was created and taken back */
    assert_true(same_content(&record->content, &node->told, node->open == 0));
    if (record->content.parent == 0) return;
    const struct gz_node_record *parent = latest(store, record->content.parent);
    assert_true(parent != NULL && !parent->gone);
}

/* Each edit begins where the edit before it ended, and not before that time, so that a path which
 * is asked for piece by piece is complete. */
static void replay(struct core_store *store, const struct gz_edit_record *edit)
{
    bool is_drag = gz_edit_is_gesture(edit);
    for (size_t i = 0; i < edit->change_count; i++) {
        const struct gz_change *change = &edit->changes[i];
        struct core_store_node *node = node_of(store, change->node);
        assert_true(edit->began > node->ended_s &&
                    edit->ended >= edit->began + (is_drag ? 1e-7 : 0));
        node->ended_s = edit->ended;
        assert_int_equal(change->existed, node->exists);
        if (change->existed) assert_true(same_content(&change->before, &node->told, true));
        node->exists = change->exists;
        node->told = change->exists ? change->after : change->before;
    }
}

/* ---- committing ---- */

static void write_nodes(struct core_store *store, const struct gz_batch *batch)
{
    for (size_t i = 0; i < batch->node_count; i++) {
        const struct gz_node_record *record = &batch->nodes[i];
        const struct gz_node_record *before = latest(store, record->id);
        assert_true(record->id > 0 && record->id < batch->next_node);
        assert_true(record->seq > store->seq && record->seq <= batch->seq);
        assert_true(before == NULL || before->seq <= store->seq);
        assert_true(i == 0 || record->id > record[-1].id);
        assert_true(record->is_new || before != NULL);
        store->versions = grow(store->versions, &store->version_capacity, store->version_count + 1,
                               sizeof *record);
        struct gz_node_record *kept = &store->versions[store->version_count];
        *kept = *record;
        kept->content.name = keep_text(&store->arena, record->content.name);
        struct core_store_node *node = node_of(store, record->id);
        node->written = true;
        node->version = store->version_count++;
    }
    for (size_t i = 0; i < batch->node_count; i++) {
        const uint64_t parent = batch->nodes[i].content.parent;
        assert_true(parent == 0 || latest(store, parent) != NULL);
    }
}

static size_t find_open(const struct core_store *store, uint64_t edit)
{
    size_t at = 0;
    while (at < store->open_count && store->open[at].id != edit) at++;
    return at;
}

static void begin_run(struct core_store *store, const struct gz_edit_record *edit)
{
    store->open =
        grow(store->open, &store->open_capacity, store->open_count + 1, sizeof *store->open);
    store->open[store->open_count++] = keep_edit(&store->arena, edit);
    for (size_t i = 0; i < edit->change_count; i++) node_of(store, edit->changes[i].node)->open++;
}

static void close_run(struct core_store *store, uint64_t edit)
{
    size_t at = find_open(store, edit);
    if (at == store->open_count) return;
    const struct gz_edit_record run = store->open[at];
    store->open[at] = store->open[--store->open_count];
    for (size_t i = 0; i < run.change_count; i++) node_of(store, run.changes[i].node)->open--;
}

static void judge_session(const struct core_store *store, uint64_t session)
{
    size_t at = 0;
    while (at < store->known_count && store->known[at] != session) at++;
    assert_true(session == 0 || at < store->known_count);
}

static void write_runs(struct core_store *store, const struct gz_batch *batch)
{
    for (size_t i = 0; i < batch->begun_count; i++) {
        assert_int_equal(find_open(store, batch->begun[i].id), store->open_count);
        assert_true(batch->begun[i].id < batch->next_edit);
        judge_session(store, batch->begun[i].session);
        begin_run(store, &batch->begun[i]);
    }
    for (size_t i = 0; i < batch->sample_count; i++) {
        const struct gz_sample_record *sample = &batch->samples[i];
        const struct gz_node_record *record = latest(store, sample->node);
        assert_true(find_open(store, sample->edit) < store->open_count);
        assert_true(sample->time > store->open[find_open(store, sample->edit)].began &&
                    sample->time == batch->time);
        assert_int_equal(sample->seq, record->seq);
        assert_memory_equal(&sample->trs, &record->content.trs, sizeof sample->trs);
    }
    store->sample_count += batch->sample_count;
}

static void write_edit(struct core_store *store, const struct gz_edit_record *edit)
{
    struct gz_edit_record known;
    assert_true(edit->key == NULL || !core_store_find_key(store, edit->user, edit->key, &known));
    uint64_t last = store->edit_count > 0 ? store->edits[store->edit_count - 1].seq : 0;
    double last_s = store->edit_count > 0 ? store->edits[store->edit_count - 1].ended : 0;
    assert_true(edit->seq > last && edit->seq > edit->began_seq && edit->began <= edit->ended);
    assert_true(edit->ended > last_s);
    for (size_t i = 0; i < store->edit_count; i++)
        assert_int_not_equal(store->edits[i].id, edit->id);
    store->edits =
        grow(store->edits, &store->edit_capacity, store->edit_count + 1, sizeof *store->edits);
    store->edits[store->edit_count] = keep_edit(&store->arena, edit);
    replay(store, &store->edits[store->edit_count++]);
}

/* A file that comes again has its numbers already. */
static void write_asset(struct core_store *store, const struct gz_asset_record *asset)
{
    const struct gz_asset_record *last =
        store->asset_count > 0 ? &store->assets[store->asset_count - 1] : NULL;
    for (size_t i = 0; i < store->asset_count; i++)
        if (store->assets[i].first == asset->first) return;
    assert_true(last == NULL || asset->first >= last->first + last->count);
    store->assets =
        grow(store->assets, &store->asset_capacity, store->asset_count + 1, sizeof *store->assets);
    store->assets[store->asset_count++] = *asset;
}

static void write_edits(struct core_store *store, const struct gz_batch *batch)
{
    for (size_t i = 0; i < batch->ended_count; i++) {
        assert_true(batch->ended[i].id < batch->next_edit && batch->ended[i].seq <= batch->seq);
        assert_true(batch->ended[i].seq > store->seq);
        assert_true(batch->ended[i].ended > store->time && batch->ended[i].ended < batch->time);
        judge_session(store, batch->ended[i].session);
        write_edit(store, &batch->ended[i]);
        close_run(store, batch->ended[i].id);
    }
    for (size_t i = 0; i < batch->asset_count; i++) write_asset(store, &batch->assets[i]);
    for (size_t i = 0; i < batch->dropped_count; i++) close_run(store, batch->dropped[i]);
}

/* ---- notes ---- */

static struct gz_note_record *find_note(const struct core_store *store, uint64_t id)
{
    for (size_t i = 0; i < store->note_count; i++) {
        if (store->notes[i].id == id) return &store->notes[i];
    }
    return NULL;
}

/* The author, the parent and the time of a note never change, and a deleted note stays deleted. */
static void judge_note(const struct core_store *store, const struct gz_note_record *note)
{
    const struct gz_note_record *before = find_note(store, note->id);
    assert_true(note->user[0] != '\0' && note->by[0] != '\0');
    assert_in_range(strlen(note->text), 1, GZ_NOTE_BYTES_MAX);
    assert_true(note->node == 0 || latest(store, note->node) != NULL);
    if (before == NULL) {
        assert_true(store->note_count == 0 || note->id > store->notes[store->note_count - 1].id);
        assert_true(!note->gone && note->made == note->changed &&
                    strcmp(note->user, note->by) == 0);
        assert_true(note->reply == 0 || find_note(store, note->reply) != NULL);
        return;
    }
    assert_false(before->gone);
    assert_string_equal(before->user, note->user);
    assert_int_equal(before->reply, note->reply);
    assert_true(before->made == note->made);
}

static void keep_key(struct core_store *store, const struct gz_note_record *note)
{
    uint64_t known;
    assert_false(core_store_find_note_key(store, note->by, note->key, &known));
    store->note_keys = grow(store->note_keys, &store->note_key_capacity, store->note_key_count + 1,
                            sizeof *store->note_keys);
    store->note_keys[store->note_key_count++] = (struct core_store_note_key){
        keep_text(&store->arena, note->by), keep_text(&store->arena, note->key), note->id};
}

static void write_notes(struct core_store *store, const struct gz_batch *batch)
{
    for (size_t i = 0; i < batch->note_count; i++) {
        const struct gz_note_record *note = &batch->notes[i];
        judge_note(store, note);
        struct gz_note_record *kept = find_note(store, note->id);
        if (kept == NULL) {
            store->notes = grow(store->notes, &store->note_capacity, store->note_count + 1,
                                sizeof *store->notes);
            kept = &store->notes[store->note_count++];
        }
        *kept = *note;
        kept->user = keep_text(&store->arena, note->user);
        kept->text = keep_text(&store->arena, note->text);
        kept->by = keep_text(&store->arena, note->by);
        kept->key = NULL;
        if (note->key != NULL) keep_key(store, note);
    }
}

bool core_store_find_note_key(const struct core_store *store, const char *user, const char *key,
                              uint64_t *note)
{
    for (size_t i = 0; i < store->note_key_count; i++) {
        const struct core_store_note_key *one = &store->note_keys[i];
        if (strcmp(one->key, key) != 0 || strcmp(one->user, user) != 0) continue;
        *note = one->note;
        return true;
    }
    return false;
}

/* ---- checkpoints ---- */

static size_t find_checkpoint(const struct core_store *store, const char *name)
{
    size_t at = 0;
    while (at < store->checkpoint_count && strcmp(store->checkpoints[at].name, name) != 0) at++;
    return at;
}

/* A checkpoint is of a state that this batch or an earlier one saves. No name is given twice. */
static void write_checkpoints(struct core_store *store, const struct gz_batch *batch)
{
    for (size_t i = 0; i < batch->checkpoint_count; i++) {
        const struct gz_checkpoint_record *one = &batch->checkpoints[i];
        size_t at = find_checkpoint(store, one->name);
        const bool was_left_out = one->gone && at == store->checkpoint_count;
        if (one->seq < batch->kept_since && (!one->gone || was_left_out)) continue;
        assert_true(one->seq <= batch->seq);
        assert_in_range(strlen(one->name), 1, GZ_CHECKPOINT_BYTES_MAX);
        assert_int_equal(at < store->checkpoint_count, one->gone);
        if (one->gone) {
            store->checkpoint_count--;
            for (; at < store->checkpoint_count; at++)
                store->checkpoints[at] = store->checkpoints[at + 1];
            continue;
        }
        store->checkpoints = grow(store->checkpoints, &store->checkpoint_capacity,
                                  store->checkpoint_count + 1, sizeof *one);
        for (at = store->checkpoint_count++; at > 0 && store->checkpoints[at - 1].seq > one->seq;
             at--)
            store->checkpoints[at] = store->checkpoints[at - 1];
        store->checkpoints[at] = *one;
        store->checkpoints[at].name = keep_text(&store->arena, one->name);
        store->checkpoints[at].user = keep_text(&store->arena, one->user);
    }
}

/* ---- access ---- */

size_t core_store_find_access(const struct core_store *store, const char *glob)
{
    size_t at = 0;
    while (at < store->access_count && strcmp(store->access[at].glob, glob) != 0) at++;
    return at;
}

/* Adds the row, with copies of its texts, to the log. */
static const struct gz_access_record *log_access(struct core_store *store,
                                                 const struct gz_access_record *row)
{
    store->access_log = grow(store->access_log, &store->access_log_capacity,
                             store->access_log_count + 1, sizeof *row);
    struct gz_access_record *kept = &store->access_log[store->access_log_count++];
    *kept = *row;
    kept->glob = keep_text(&store->arena, row->glob);
    kept->user = keep_text(&store->arena, row->user);
    return kept;
}

static void write_access(struct core_store *store, const struct gz_batch *batch)
{
    for (size_t i = 0; i < batch->access_count; i++) {
        const struct gz_access_record *row = log_access(store, &batch->access[i]);
        size_t at = core_store_find_access(store, row->glob);
        assert_in_range(strlen(row->glob), 1, GZ_GLOB_BYTES_MAX);
        assert_true(row->user[0] != '\0' && (at < store->access_count || !row->gone));
        if (row->gone) {
            store->access[at] = store->access[--store->access_count];
            continue;
        }
        if (at == store->access_count)
            store->access = grow(store->access, &store->access_capacity, ++store->access_count,
                                 sizeof *store->access);
        store->access[at] = *row;
    }
    assert_true(store->access_count <= GZ_ACCESS_MAX);
}

/* ---- visits ---- */

static size_t find_visitor(const struct core_store *store, uint64_t session)
{
    size_t at = 0;
    while (at < store->visitor_count && store->visitors[at] != session) at++;
    return at;
}

static void write_joined(struct core_store *store, const struct gz_batch *batch)
{
    for (size_t i = 0; i < batch->joined_count; i++) {
        assert_int_equal(find_visitor(store, batch->joined[i].session), store->visitor_count);
        store->visitors = grow(store->visitors, &store->visitor_capacity, store->visitor_count + 1,
                               sizeof *store->visitors);
        store->visitors[store->visitor_count++] = batch->joined[i].session;
        store->known = grow(store->known, &store->known_capacity, store->known_count + 1,
                            sizeof *store->known);
        store->known[store->known_count++] = batch->joined[i].session;
    }
}

static void write_left(struct core_store *store, const struct gz_batch *batch)
{
    for (size_t i = 0; i < batch->left_count; i++) {
        size_t at = find_visitor(store, batch->left[i].session);
        assert_true(at < store->visitor_count);
        store->visitors[at] = store->visitors[--store->visitor_count];
    }
}

void core_store_commit(struct core_store *store, const struct gz_batch *batch)
{
    assert_true(batch->seq >= store->seq && batch->next_node >= store->next_node);
    assert_true(batch->next_edit >= store->next_edit && batch->time > store->time);
    write_joined(store, batch);
    write_nodes(store, batch);
    write_runs(store, batch);
    write_edits(store, batch);
    write_notes(store, batch);
    write_checkpoints(store, batch);
    write_access(store, batch);
    write_left(store, batch);
    store->seq = batch->seq;
    store->next_node = batch->next_node;
    store->next_edit = batch->next_edit;
    store->time = batch->time;
    for (size_t i = 0; i < batch->node_count; i++) judge_node(store, batch->nodes[i].id);
}

/* ---- a restart ---- */

static void complete_run(struct core_store *store, struct gz_edit_record *run)
{
    struct gz_change *changes = (struct gz_change *)run->changes;
    size_t count = 0;
    for (size_t i = 0; i < run->change_count; i++) {
        changes[count] = run->changes[i];
        changes[count].after = latest(store, changes[count].node)->content;
        if (memcmp(&changes[count].before.trs, &changes[count].after.trs, sizeof(gz_trs)) != 0)
            count++;
    }
    run->change_count = count;
    run->ended = store->time += 1e-6;
    run->seq = ++store->seq;
    if (count > 0) write_edit(store, run);
}

/* Gives the node a seq of the new epoch. */
static void renew(struct core_store *store, uint64_t id)
{
    if (latest(store, id) == NULL || latest(store, id)->gone) return;
    store->versions = grow(store->versions, &store->version_capacity, store->version_count + 1,
                           sizeof *store->versions);
    store->versions[store->version_count] = *latest(store, id);
    store->versions[store->version_count].seq = ++store->seq;
    store->nodes[id].version = store->version_count++;
}

/* A drag that was too large for samples is taken back, and viewers may have seen it move any of the
 * nodes. */
static void end_runs(struct core_store *store)
{
    bool unsampled = false;
    for (size_t i = 0; i < store->open_count; i++) {
        unsampled |= store->open[i].change_count == 0;
        complete_run(store, &store->open[i]);
    }
    for (uint64_t id = 1; unsampled && id < store->node_capacity; id++) renew(store, id);
}

static void tell_epochs(struct core_store *store, struct gz_scene_state *state)
{
    if (store->epoch > 0) {
        store->epochs = grow(store->epochs, &store->epoch_capacity, store->epoch_count + 1,
                             sizeof *store->epochs);
        store->epochs[store->epoch_count++] = (struct gz_epoch_record){store->epoch, store->seq};
    }
    state->epoch = ++store->epoch;
    state->epochs = store->epochs;
    state->epoch_count = store->epoch_count;
}

static size_t depth_of(const struct core_store *store, const struct gz_node_record *record)
{
    size_t depth = 0;
    for (uint64_t at = record->content.parent; at != 0; at = latest(store, at)->content.parent)
        depth++;
    return depth;
}

struct placed {
    size_t depth; /* gone nodes come last */
    const struct gz_node_record *record;
};

static int compare_places(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    return (x->record->seq > y->record->seq) - (x->record->seq < y->record->seq);
}

static void tell_nodes(const struct core_store *store, struct gz_scene_state *state)
{
    size_t capacity = store->node_capacity + 1, count = 0, alive = 0;
    struct placed *places = take(&state->arena, capacity, sizeof *places);
    for (uint64_t id = 1; id < store->node_capacity; id++) {
        const struct gz_node_record *record = latest(store, id);
        if (record == NULL) continue;
        if (!record->gone) alive++;
        places[count++] =
            (struct placed){record->gone ? SIZE_MAX : depth_of(store, record), record};
    }
    qsort(places, count, sizeof *places, compare_places);
    size_t forgotten = count - alive > store->graves_max ? count - alive - store->graves_max : 0;
    if (forgotten > 0) state->tombstones_from = places[alive + forgotten - 1].record->seq;
    struct gz_node_record *records = take(&state->arena, capacity, sizeof *records);
    for (size_t i = 0; i < count; i++) {
        if (i < alive || i >= alive + forgotten) records[state->node_count++] = *places[i].record;
    }
    state->nodes = records;
}

static void tell_notes(const struct core_store *store, struct gz_scene_state *state)
{
    struct gz_note_record *notes = take(&state->arena, store->note_count, sizeof *notes);
    for (size_t i = 0; i < store->note_count; i++) {
        if (!store->notes[i].gone) notes[state->note_count++] = store->notes[i];
    }
    state->notes = notes;
    state->next_note = store->note_count > 0 ? store->notes[store->note_count - 1].id + 1 : 1;
}

void core_store_open(struct core_store *store, struct gz_scene_state *state)
{
    *state = (struct gz_scene_state){0};
    gz_arena_init(&state->arena, KEEP_BYTES_MAX);
    uint64_t saved = store->seq;
    tell_epochs(store, state);
    end_runs(store);
    assert_true(store->epoch_count == 0 || store->epochs[store->epoch_count - 1].seq_last == saved);
    store->open_count = store->visitor_count = store->known_count = 0;
    for (uint64_t id = 1; id < store->node_capacity; id++) {
        store->nodes[id].open = 0;
        if (store->nodes[id].written) judge_node(store, id);
    }
    tell_nodes(store, state);
    tell_notes(store, state);
    state->checkpoints = store->checkpoints;
    state->checkpoint_count = store->checkpoint_count;
    state->access = store->access;
    state->access_count = store->access_count;
    state->seq = store->seq;
    state->time = store->time;
    state->next_node = store->next_node;
    state->next_edit = store->next_edit;
    size_t skipped =
        store->edit_count > GZ_UNDO_EDITS_MAX ? store->edit_count - GZ_UNDO_EDITS_MAX : 0;
    state->edits = skipped > 0 ? store->edits + skipped : store->edits; /* which may be NULL */
    state->edit_count = store->edit_count - skipped;
    state->assets = store->assets;
    state->asset_count = store->asset_count;
}

/* ---- asking ---- */

bool core_store_find_key(const struct core_store *store, const char *user, const char *key,
                         struct gz_edit_record *edit)
{
    for (size_t i = 0; i < store->edit_count; i++) {
        const struct gz_edit_record *one = &store->edits[i];
        if (one->key == NULL || strcmp(one->key, key) != 0 || strcmp(one->user, user) != 0)
            continue;
        *edit = *one;
        return true;
    }
    return false;
}

static bool touches(const struct gz_edit_record *edit, uint64_t node)
{
    for (size_t i = 0; i < edit->change_count; i++) {
        if (edit->changes[i].node == node) return true;
    }
    return node == 0;
}

/* The latest undo or redo of this edit; NULL where there is none. */
static const struct gz_edit_record *edit_about(const struct core_store *store, uint64_t edit)
{
    for (size_t i = store->edit_count; i-- > 0;) {
        const struct gz_edit_record *one = &store->edits[i];
        if ((one->kind == GZ_EDIT_UNDO || one->kind == GZ_EDIT_REDO) && one->target == edit)
            return one;
    }
    return NULL;
}

/* The latest undo or redo that concerns the edit, or the edit itself; and whether it is undone. */
static const struct gz_edit_record *last_about(const struct core_store *store,
                                               const struct gz_edit_record *edit, bool *undone)
{
    const struct gz_edit_record *last = edit;
    *undone = false;
    for (const struct gz_edit_record *about; (about = edit_about(store, last->id)) != NULL;
         last = about)
        *undone ^= about->kind == GZ_EDIT_UNDO;
    return last;
}

static void forget_changes(struct gz_arena *arena, struct gz_edit_record *edit)
{
    uint64_t *nodes = take(arena, edit->change_count, sizeof *nodes);
    for (size_t i = 0; i < edit->change_count; i++) nodes[i] = edit->changes[i].node;
    edit->nodes = nodes;
    if (edit->change_count == 1) edit->name = gz_change_name(&edit->changes[0]);
    edit->changes = NULL;
}

/* Keeps the change of one node alone. */
static void forget_others(struct gz_edit_record *edit, uint64_t node)
{
    edit->total = edit->change_count;
    while (edit->changes->node != node) edit->changes++;
    edit->change_count = 1;
}

static void ask_history(const struct core_store *store, const struct gz_query *query,
                        struct gz_answer *answer)
{
    struct gz_edit_record *edits = take(&answer->arena, store->edit_count, sizeof *edits);
    for (size_t i = store->edit_count; i-- > 0 && answer->edit_count < query->limit;) {
        const struct gz_edit_record *edit = &store->edits[i];
        if (!touches(edit, query->node) ||
            (query->user[0] != '\0' && strcmp(query->user, edit->user) != 0))
            continue;
        if (edit->ended <= query->since || edit->ended >= query->before)
            continue; /* never with NaN */
        struct gz_edit_record *told = &edits[answer->edit_count++];
        *told = keep_edit(&answer->arena, edit);
        (void)last_about(store, edit, &told->undone);
        if (query->alone) forget_others(told, query->node);
        if (query->brief) forget_changes(&answer->arena, told);
    }
    answer->edits = edits;
}

static bool share_a_node(const struct gz_edit_record *a, const struct gz_edit_record *b)
{
    for (size_t i = 0; i < a->change_count; i++) {
        if (touches(b, a->changes[i].node)) return true;
    }
    return false;
}

static void ask_edit(const struct core_store *store, const struct gz_query *query,
                     struct gz_answer *answer)
{
    struct gz_edit_record *edits = take(&answer->arena, 3, sizeof *edits);
    const struct gz_edit_record *last = NULL, *later = NULL;
    for (size_t i = 0; i < store->edit_count; i++) {
        if (store->edits[i].id == query->edit) last = &store->edits[i];
    }
    answer->edits = edits;
    if (last == NULL) {
        answer->status = gz_fail(&answer->error, GZ_BAD_VALUE, "edit: there is no such edit");
        return;
    }
    edits[answer->edit_count++] = keep_edit(&answer->arena, last);
    last = last_about(store, last, &answer->undone);
    edits[answer->edit_count++] = keep_edit(&answer->arena, last);
    for (size_t i = 0; i < store->edit_count; i++) {
        if (store->edits[i].seq > last->seq && share_a_node(last, &store->edits[i]))
            later = &store->edits[i];
    }
    if (later != NULL) edits[answer->edit_count++] = keep_edit(&answer->arena, later);
}

static void add_point(struct gz_answer *answer, const struct gz_query *query,
                      const struct gz_point_record *point)
{
    struct gz_point_record *points = (struct gz_point_record *)answer->points;
    if (point->time <= query->since || point->time >= query->before) return; /* never with NaN */
    if (answer->point_count < query->limit) points[answer->point_count++] = *point;
}

/* The points where drags began and edits ended; this store keeps no samples. */
static void ask_path(const struct core_store *store, const struct gz_query *query,
                     struct gz_answer *answer)
{
    answer->points =
        take(&answer->arena, 2 * store->edit_count + 1, sizeof(struct gz_point_record));
    if (latest(store, query->node) == NULL)
        answer->status = gz_fail(&answer->error, GZ_UNKNOWN_NODE, "node: there is no such node");
    for (size_t i = 0; i < store->edit_count; i++) {
        const struct gz_edit_record *edit = &store->edits[i];
        for (size_t j = 0; j < edit->change_count; j++) {
            const struct gz_change *change = &edit->changes[j];
            if (change->node != query->node) continue;
            struct gz_point_record point = {edit->began_seq, edit->id, edit->began,
                                            change->before.parent, change->before.trs};
            if (gz_edit_is_gesture(edit)) add_point(answer, query, &point);
            point = (struct gz_point_record){edit->seq, edit->id, edit->ended, change->after.parent,
                                             change->after.trs};
            if (change->exists) add_point(answer, query, &point);
        }
    }
}

static uint64_t seq_at(const struct core_store *store, double time)
{
    uint64_t seq = 0;
    for (size_t i = 0; i < store->edit_count; i++) {
        if (store->edits[i].ended <= time) seq = store->edits[i].seq;
    }
    return seq;
}

/* Replays the edits, which is correct for every seq at which no drag was running. */
static void ask_at(const struct core_store *store, const struct gz_query *query,
                   struct gz_answer *answer)
{
    answer->seq = query->by_time ? seq_at(store, query->time) : query->seq;
    const struct gz_content **contents =
        take(&answer->arena, store->node_capacity + 1, sizeof *contents);
    for (size_t i = 0; i < store->edit_count && store->edits[i].seq <= answer->seq; i++) {
        for (size_t j = 0; j < store->edits[i].change_count; j++) {
            const struct gz_change *change = &store->edits[i].changes[j];
            contents[change->node] = change->exists ? &change->after : NULL;
        }
    }
    struct placed *places = take(&answer->arena, store->node_capacity + 1, sizeof *places);
    struct gz_node_record *records =
        take(&answer->arena, store->node_capacity + 1, sizeof *records);
    size_t count = 0;
    for (uint64_t id = 1; id < store->node_capacity; id++) {
        if (contents[id] == NULL) continue;
        struct gz_node_record *record = take(&answer->arena, 1, sizeof *record);
        *record = (struct gz_node_record){.id = id, .seq = id, .content = *contents[id]};
        size_t depth = 0;
        for (uint64_t at = id; contents[at]->parent != 0; at = contents[at]->parent) depth++;
        places[count++] = (struct placed){depth, record};
    }
    qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0; i < count; i++) records[i] = *places[i].record;
    answer->nodes = records;
    answer->node_count = count;
}

void core_store_ask(const struct core_store *store, const struct gz_query *query,
                    struct gz_answer *answer)
{
    *answer = (struct gz_answer){.status = GZ_OK};
    gz_arena_init(&answer->arena, KEEP_BYTES_MAX);
    assert_true(query->kind != GZ_QUERY_AT || query->by_time || query->seq <= store->seq);
    if (query->kind == GZ_QUERY_HISTORY) ask_history(store, query, answer);
    if (query->kind == GZ_QUERY_AT) ask_at(store, query, answer);
    if (query->kind == GZ_QUERY_PATH) ask_path(store, query, answer);
    if (query->kind == GZ_QUERY_EDIT) ask_edit(store, query, answer);
}
