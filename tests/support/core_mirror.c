/* core_mirror.c - builds a client's scene from deltas alone. See core_mirror.h. */
#include "support/core_mirror.h"

#include <stdlib.h>
#include <string.h>

#include "support/grow.h"
#include "support/judge.h"

static char *copy_text(struct gz_text text)
{
    char *copy = malloc(text.size + 1);
    assert_non_null(copy);
    if (text.size > 0) memcpy(copy, text.bytes, text.size);
    copy[text.size] = '\0';
    return copy;
}

void mirror_clear(struct mirror *mirror)
{
    for (size_t i = 0; i < mirror->count; i++) free((char *)mirror->nodes[i].content.name);
    mirror->count = 0;
    mirror->seq = mirror->complete = mirror->partly = 0;
    mirror->more = false;
    mirror->listed_count = 0;
}

void mirror_finish(struct mirror *mirror)
{
    mirror_clear(mirror);
    free(mirror->nodes);
    free(mirror->listed);
}

/* The first place whose id is not below `id`. */
static size_t place_of(const struct mirror *mirror, uint64_t id)
{
    size_t low = 0, high = mirror->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (mirror->nodes[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct mirror *mirror, size_t place, uint64_t id)
{
    return place < mirror->count && mirror->nodes[place].id == id;
}

const struct mirror_node *mirror_find(const struct mirror *mirror, uint64_t id)
{
    size_t place = place_of(mirror, id);
    return is_at(mirror, place, id) ? &mirror->nodes[place] : NULL;
}

static struct mirror_node *add(struct mirror *mirror, size_t place, uint64_t id)
{
    mirror->nodes =
        grow(mirror->nodes, &mirror->capacity, mirror->count + 1, sizeof *mirror->nodes);
    struct mirror_node *node = &mirror->nodes[place];
    memmove(node + 1, node, (mirror->count++ - place) * sizeof *node);
    *node = (struct mirror_node){.id = id, .content.asset = -1};
    return node;
}

static void apply_node(struct mirror *mirror, const struct gz_node_state *state)
{
    const uint64_t whole =
        GZ_HAS_STATE_T | GZ_HAS_STATE_R | GZ_HAS_STATE_S | GZ_HAS_STATE_NAME | GZ_HAS_STATE_PARENT;
    size_t place = place_of(mirror, state->id);
    bool known = is_at(mirror, place, state->id);
    if (!known) assert_true((state->has & whole) == whole);
    struct mirror_node *node = known ? &mirror->nodes[place] : add(mirror, place, state->id);
    if (state->has & (GZ_HAS_STATE_T | GZ_HAS_STATE_R)) node->in_motion = false;
    if (state->has & GZ_HAS_STATE_T) node->content.trs.t = state->trs.t;
    if (state->has & GZ_HAS_STATE_R) node->content.trs.r = state->trs.r;
    if (state->has & GZ_HAS_STATE_S) node->content.trs.s = state->trs.s;
    if (state->has & GZ_HAS_STATE_PARENT) node->content.parent = state->parent;
    if (state->has & GZ_HAS_STATE_BY) node->by = state->by;
    if (state->has & GZ_HAS_STATE_ASSET) node->content.asset = (int64_t)state->asset;
    if (state->has & GZ_HAS_STATE_BOUNDS) {
        node->content.has_bounds = true;
        node->content.bounds = state->bounds;
    }
    if (state->has & GZ_HAS_STATE_NAME) {
        free((char *)node->content.name);
        node->content.name = copy_text(state->name);
    }
}

/* In one pass, for they may be thousands. */
static void remove_nodes(struct mirror *mirror, const struct gz_ids *gone)
{
    size_t left = 0;
    for (size_t i = 0; i < gone->count; i++) {
        size_t place = place_of(mirror, gone->ids[i]);
        if (!is_at(mirror, place, gone->ids[i])) continue; /* made and deleted since */
        free((char *)mirror->nodes[place].content.name);
        mirror->nodes[place].content.name = NULL;
    }
    for (size_t i = 0; i < mirror->count; i++)
        if (mirror->nodes[i].content.name != NULL) mirror->nodes[left++] = mirror->nodes[i];
    mirror->count = left;
}

/* A snapshot comes by id, parents first: only a parent may have a larger id than what follows. */
static void assert_in_order(const struct mirror *mirror, const struct gz_delta *delta, size_t i)
{
    const struct gz_node_state *state = &delta->nodes[i];
    if (i > 0 && state->id < state[-1].id) assert_int_equal(state->parent, state[-1].id);
    if (state->parent != 0 && !delta->more) assert_non_null(mirror_find(mirror, state->parent));
}

void mirror_apply(struct mirror *mirror, const struct gz_delta *delta)
{
    assert_true(delta->from == 0 || delta->from == mirror->seq);
    assert_true(delta->seq >= delta->from);
    if (delta->from == 0) {
        mirror_clear(mirror);
        mirror->snapshots++;
    }
    if (delta->gone.count > 0) remove_nodes(mirror, &delta->gone);
    for (size_t i = 0; i < delta->count; i++) {
        if (delta->from == 0) assert_in_order(mirror, delta, i);
        apply_node(mirror, &delta->nodes[i]);
        for (size_t j = 0; j < delta->gone.count && delta->count < 50; j++)
            assert_int_not_equal(delta->gone.ids[j], delta->nodes[i].id);
    }
    mirror->seq = delta->seq;
    mirror->more = delta->more;
    if (delta->more) {
        if (mirror->partly < delta->seq) mirror->partly = delta->seq;
    } else {
        mirror->complete = delta->seq;
        mirror->partly = 0;
    }
    for (size_t i = 0; i < mirror->listed_count; i++) mirror_mark_motion(mirror, mirror->listed[i]);
    if (!delta->more) mirror->listed_count = 0;
    mirror->deltas++;
}

void mirror_mark_motion(struct mirror *mirror, uint64_t id)
{
    size_t place = place_of(mirror, id);
    if (is_at(mirror, place, id)) mirror->nodes[place].in_motion = true;
}

void mirror_list_motion(struct mirror *mirror, uint64_t id)
{
    mirror->listed =
        grow(mirror->listed, &mirror->listed_capacity, mirror->listed_count + 1, sizeof id);
    mirror->listed[mirror->listed_count++] = id;
    mirror_mark_motion(mirror, id);
}

static void assert_content(const struct mirror_node *node, const struct gz_content *b)
{
    const struct gz_content *a = &node->content;
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->parent, b->parent);
    assert_int_equal(a->asset, b->asset);
    assert_int_equal(a->has_bounds, b->has_bounds);
    if (!node->in_motion) assert_memory_equal(&a->trs, &b->trs, sizeof a->trs);
    if (a->has_bounds) assert_memory_equal(&a->bounds, &b->bounds, sizeof a->bounds);
}

void mirror_assert_equal(const struct mirror *mirror, const struct gz_node_record *nodes,
                         size_t count)
{
    assert_false(mirror->more);
    assert_int_equal(mirror->count, count);
    for (size_t i = 0; i < count; i++) {
        const struct mirror_node *node = mirror_find(mirror, nodes[i].id);
        assert_non_null(node);
        assert_content(node, &nodes[i].content);
    }
}

bool mirror_is_part(const struct mirror *mirror, const struct gz_node_record *nodes, size_t count,
                    const bool *must, const bool *may)
{
    size_t held = 0;
    for (size_t i = 0; i < count; i++) {
        bool there = mirror_find(mirror, nodes[i].id) != NULL;
        if (there ? !may[i] : must[i]) return false;
        held += there;
    }
    return held == mirror->count;
}

void mirror_assert_part(const struct mirror *mirror, const struct gz_node_record *nodes,
                        size_t count, const bool *must, const bool *may)
{
    assert_false(mirror->more);
    assert_true(mirror_is_part(mirror, nodes, count, must, may));
    for (size_t i = 0; i < count; i++) {
        const struct mirror_node *node = mirror_find(mirror, nodes[i].id);
        if (node == NULL) continue;
        assert_content(node, &nodes[i].content);
        if (node->content.parent != 0) assert_non_null(mirror_find(mirror, node->content.parent));
    }
}

/* ---- notes ---- */

static void free_note(struct mirror_note *note)
{
    free((char *)note->state.user.bytes);
    free((char *)note->state.text.bytes);
}

void mirror_notes_clear(struct mirror_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++) free_note(&notes->notes[i]);
    notes->count = 0;
    notes->more = false;
}

void mirror_notes_finish(struct mirror_notes *notes)
{
    mirror_notes_clear(notes);
    free(notes->notes);
}

static struct mirror_note *find_note(const struct mirror_notes *notes, uint64_t id)
{
    for (size_t i = 0; i < notes->count; i++) {
        if (notes->notes[i].state.id == id) return &notes->notes[i];
    }
    return NULL;
}

const struct gz_note_state *mirror_notes_find(const struct mirror_notes *notes, uint64_t id)
{
    const struct mirror_note *note = find_note(notes, id);
    return note != NULL ? &note->state : NULL;
}

static void forget_note(struct mirror_notes *notes, uint64_t id)
{
    struct mirror_note *note = find_note(notes, id);
    if (note == NULL) return; /* made and deleted since */
    free_note(note);
    *note = notes->notes[--notes->count];
}

static void keep_note(struct mirror_notes *notes, const struct gz_note_state *state)
{
    forget_note(notes, state->id);
    notes->notes = grow(notes->notes, &notes->capacity, notes->count + 1, sizeof *notes->notes);
    struct gz_note_state *kept = &notes->notes[notes->count++].state;
    *kept = *state;
    kept->user.bytes = copy_text(state->user);
    kept->text.bytes = copy_text(state->text);
}

void mirror_notes_apply(struct mirror_notes *notes, const struct gz_notes *message)
{
    assert_true(message->all || message->count + message->gone.count > 0);
    if (message->all) mirror_notes_clear(notes);
    for (size_t i = 0; i < message->gone.count; i++) forget_note(notes, message->gone.ids[i]);
    for (size_t i = 0; i < message->count; i++) {
        for (size_t j = 0; j < message->gone.count; j++)
            assert_int_not_equal(message->gone.ids[j], message->notes[i].id);
        keep_note(notes, &message->notes[i]);
    }
    notes->more = message->more;
    notes->messages++;
    notes->anew += message->all;
}

static void assert_note(const struct gz_note_state *state, const struct gz_note_record *record)
{
    assert_string_equal(state->user.bytes, record->user);
    assert_string_equal(state->text.bytes, record->text);
    assert_int_equal((state->has & GZ_HAS_NOTE_STATE_NODE) != 0, record->node != 0);
    assert_int_equal((state->has & GZ_HAS_NOTE_STATE_POINT) != 0, record->has_point);
    assert_int_equal((state->has & GZ_HAS_NOTE_STATE_REPLY) != 0, record->reply != 0);
    if (record->node != 0) assert_int_equal(state->node, record->node);
    if (record->has_point) assert_memory_equal(&state->point, &record->point, sizeof state->point);
    if (record->reply != 0) assert_int_equal(state->reply, record->reply);
    assert_int_equal(state->done, record->done);
    assert_true(state->made == record->made && state->changed == record->changed);
}

void mirror_notes_assert_equal(const struct mirror_notes *notes,
                               const struct gz_note_record *records, size_t count)
{
    size_t there = 0;
    assert_false(notes->more);
    for (size_t i = 0; i < count; i++) {
        if (records[i].gone) continue;
        const struct gz_note_state *note = mirror_notes_find(notes, records[i].id);
        assert_non_null(note);
        assert_note(note, &records[i]);
        there++;
    }
    assert_int_equal(notes->count, there);
}

/* ---- checkpoints ---- */

static void free_checkpoint(struct gz_checkpoint_state *checkpoint)
{
    free((char *)checkpoint->name.bytes);
    free((char *)checkpoint->user.bytes);
}

void mirror_checkpoints_clear(struct mirror_checkpoints *checkpoints)
{
    for (size_t i = 0; i < checkpoints->count; i++) free_checkpoint(&checkpoints->checkpoints[i]);
    checkpoints->count = 0;
}

void mirror_checkpoints_finish(struct mirror_checkpoints *checkpoints)
{
    mirror_checkpoints_clear(checkpoints);
    free(checkpoints->checkpoints);
}

static struct gz_checkpoint_state *find_checkpoint(const struct mirror_checkpoints *checkpoints,
                                                   const char *name, size_t size)
{
    for (size_t i = 0; i < checkpoints->count; i++) {
        struct gz_checkpoint_state *one = &checkpoints->checkpoints[i];
        if (one->name.size == size && memcmp(one->name.bytes, name, size) == 0) return one;
    }
    return NULL;
}

static void forget_checkpoint(struct mirror_checkpoints *checkpoints, struct gz_text name)
{
    struct gz_checkpoint_state *known = find_checkpoint(checkpoints, name.bytes, name.size);
    if (known == NULL) return; /* given and taken away since */
    free_checkpoint(known);
    *known = checkpoints->checkpoints[--checkpoints->count];
}

static void keep_checkpoint(struct mirror_checkpoints *checkpoints,
                            const struct gz_checkpoint_state *state)
{
    checkpoints->checkpoints = grow(checkpoints->checkpoints, &checkpoints->capacity,
                                    checkpoints->count + 1, sizeof *checkpoints->checkpoints);
    struct gz_checkpoint_state *kept = &checkpoints->checkpoints[checkpoints->count++];
    *kept = *state;
    kept->name.bytes = copy_text(state->name);
    kept->user.bytes = copy_text(state->user);
}

/* No name is told twice in one message. */
static void assert_told_once(const struct gz_checkpoints *message, size_t at)
{
    const struct gz_text *name = &message->checkpoints[at].name;
    for (size_t i = 0; i < at; i++) {
        const struct gz_text *other = &message->checkpoints[i].name;
        assert_false(other->size == name->size &&
                     memcmp(other->bytes, name->bytes, name->size) == 0);
    }
}

void mirror_checkpoints_apply(struct mirror_checkpoints *checkpoints,
                              const struct gz_checkpoints *message)
{
    assert_true(message->all || message->count > 0);
    if (message->all) mirror_checkpoints_clear(checkpoints);
    for (size_t i = 0; i < message->count; i++) {
        const struct gz_checkpoint_state *told = &message->checkpoints[i];
        assert_told_once(message, i);
        assert_false(message->all && told->gone);
        forget_checkpoint(checkpoints, told->name);
        if (!told->gone) keep_checkpoint(checkpoints, told);
    }
    checkpoints->messages++;
    checkpoints->anew += message->all;
}

void mirror_checkpoints_assert_equal(const struct mirror_checkpoints *checkpoints,
                                     const struct gz_checkpoint_record *records, size_t count)
{
    assert_int_equal(checkpoints->count, count);
    for (size_t i = 0; i < count; i++) {
        const struct gz_checkpoint_state *known =
            find_checkpoint(checkpoints, records[i].name, strlen(records[i].name));
        assert_non_null(known);
        assert_int_equal(known->seq, records[i].seq);
        assert_string_equal(known->user.bytes, records[i].user);
        assert_true(known->made == records[i].made);
    }
}
