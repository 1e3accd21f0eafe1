/* Keeps the latest edits in a ring, and derives from their targets which of them are undone. */
#include "scene/undo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/ids.h"
#include "server/maxima.h"

/* So many ids in a row: an edit of many nodes, such as an import, has few of these. */
struct span {
    uint64_t first, last;
};

struct entry {
    struct gz_edit_record edit;
    struct span *spans; /* the ids that the edit touched, ascending */
    size_t span_count;
    size_t bytes; /* of memory that the entry takes */
    bool undone;
};

/* A ring of the latest edits, the oldest at `first`. */
struct gz_undo_log {
    struct entry *entries[GZ_UNDO_EDITS_MAX];
    size_t first, count;
    size_t bytes; /* of all entries together */
};

/* ---- entries ---- */

/* Of an import only the ids are kept, because it cannot be undone. */
static size_t kept_changes(const struct gz_edit_record *edit)
{
    return edit->kind == GZ_EDIT_IMPORT ? 0 : edit->change_count;
}

/* Joins the ascending ids into spans, which take their place if `spans` is not NULL. Returns how
 * many there are. */
static size_t join_ids(const uint64_t *ids, size_t count, struct span *spans)
{
    size_t joined = 0;
    for (size_t i = 0; i < count; i++) {
        const bool continues = i > 0 && ids[i] <= ids[i - 1] + 1;
        joined += !continues;
        if (spans == NULL) continue;
        if (!continues) spans[joined - 1].first = ids[i];
        spans[joined - 1].last = ids[i];
    }
    return joined;
}

static size_t entry_size(const struct gz_edit_record *edit, size_t spans)
{
    const size_t kept = kept_changes(edit);
    size_t size = sizeof(struct entry) + gz_text_bytes(edit->user) + gz_text_bytes(edit->key);
    for (size_t i = 0; i < kept; i++) {
        size += gz_text_bytes(edit->changes[i].before.name) +
                gz_text_bytes(edit->changes[i].after.name);
    }
    return size + kept * sizeof(struct gz_change) + spans * sizeof(struct span);
}

/* One piece of memory: the entry, its changes, its spans, its texts. */
static struct entry *fill_entry(const struct gz_edit_record *edit, const uint64_t *ids)
{
    const size_t kept = kept_changes(edit), spans = join_ids(ids, edit->change_count, NULL);
    const size_t bytes = entry_size(edit, spans);
    struct entry *entry = malloc(bytes);
    if (entry == NULL) return NULL;
    struct gz_change *changes = (struct gz_change *)(entry + 1);
    *entry = (struct entry){.edit = *edit,
                            .spans = (struct span *)(changes + kept),
                            .span_count = spans,
                            .bytes = bytes};
    char *text = (char *)(entry->spans + spans);
    (void)join_ids(ids, edit->change_count, entry->spans);
    entry->edit.nodes = NULL;
    entry->edit.changes = kept > 0 ? changes : NULL;
    entry->edit.user = gz_text_move(&text, edit->user);
    entry->edit.key = gz_text_move(&text, edit->key);
    for (size_t i = 0; i < kept; i++) {
        changes[i] = edit->changes[i];
        changes[i].before.name = gz_text_move(&text, changes[i].before.name);
        changes[i].after.name = gz_text_move(&text, changes[i].after.name);
    }
    return entry;
}

static struct entry *entry_create(const struct gz_edit_record *edit)
{
    uint64_t *ids = malloc((edit->change_count + 1) * sizeof *ids);
    if (ids == NULL) return NULL;
    for (size_t i = 0; i < edit->change_count; i++) ids[i] = edit->changes[i].node;
    gz_sort_ids(ids, edit->change_count);
    struct entry *entry = fill_entry(edit, ids);
    free(ids);
    return entry;
}

/* ---- the ring ---- */

/* The slot of the entry at `place`, counted from the oldest. */
static struct entry **slot_of(const struct gz_undo_log *log, size_t place)
{
    return (struct entry **)&log->entries[(log->first + place) % GZ_UNDO_EDITS_MAX];
}

size_t gz_undo_forget(struct gz_undo_log *log)
{
    struct entry *oldest = *slot_of(log, 0);
    const size_t bytes = oldest->bytes;
    log->bytes -= bytes;
    log->first = (log->first + 1) % GZ_UNDO_EDITS_MAX;
    log->count--;
    free(oldest);
    return bytes;
}

static void forget_all(struct gz_undo_log *log)
{
    while (log->count > 0) (void)gz_undo_forget(log);
}

size_t gz_undo_bytes(const struct gz_undo_log *log)
{
    return log->bytes;
}

double gz_undo_oldest_s(const struct gz_undo_log *log)
{
    return log->count > 0 ? (*slot_of(log, 0))->edit.ended : INFINITY;
}

/* How many entries are older than the one of this edit; the log's count if it has none. */
static size_t place_of(const struct gz_undo_log *log, uint64_t edit)
{
    for (size_t place = log->count; place-- > 0;) {
        if ((*slot_of(log, place))->edit.id == edit) return place;
    }
    return log->count;
}

static struct entry *find_entry(const struct gz_undo_log *log, uint64_t edit)
{
    size_t place = place_of(log, edit);
    return place < log->count ? *slot_of(log, place) : NULL;
}

struct gz_undo_log *gz_undo_create(void)
{
    return calloc(1, sizeof(struct gz_undo_log));
}

void gz_undo_destroy(struct gz_undo_log *log)
{
    if (log == NULL) return;
    forget_all(log);
    free(log);
}

/* ---- undone edits ---- */

static bool is_about_another(const struct entry *entry)
{
    return entry->edit.kind == GZ_EDIT_UNDO || entry->edit.kind == GZ_EDIT_REDO;
}

/* An undo or redo of a user's own edit. A revert is an edit like any other. */
static bool is_own_undo_or_redo(const struct entry *entry)
{
    return is_about_another(entry) && !entry->edit.reverts;
}

/* Marks the target as undone or not. If the target is itself an undo, its own target is marked the
 * other way round. A target is older; this ends also with the edits of a damaged file. */
static void set_target(struct gz_undo_log *log, const struct entry *entry, bool undone)
{
    while (is_about_another(entry)) {
        struct entry *target = find_entry(log, entry->edit.target);
        if (target == NULL || target->edit.id >= entry->edit.id) return;
        target->undone = undone;
        if (target->edit.kind == GZ_EDIT_UNDO) undone = !undone;
        entry = target;
    }
}

void gz_undo_add(struct gz_undo_log *log, const struct gz_edit_record *edit)
{
    struct entry *entry = entry_create(edit);
    if (entry == NULL) {
        forget_all(log);
        return;
    }
    set_target(log, entry, edit->kind == GZ_EDIT_UNDO);
    if (log->count == GZ_UNDO_EDITS_MAX) (void)gz_undo_forget(log);
    *slot_of(log, log->count) = entry;
    log->count++;
    log->bytes += entry->bytes;
    while (log->bytes > GZ_UNDO_BYTES_MAX && log->count > GZ_UNDO_EDITS_MIN)
        (void)gz_undo_forget(log);
}

void gz_undo_remove(struct gz_undo_log *log, uint64_t edit)
{
    struct entry *entry = find_entry(log, edit);
    if (entry == NULL) return;
    set_target(log, entry, entry->edit.kind == GZ_EDIT_REDO);
    for (size_t place = place_of(log, edit); place + 1 < log->count; place++) {
        *slot_of(log, place) = *slot_of(log, place + 1);
    }
    log->count--;
    log->bytes -= entry->bytes;
    free(entry);
}

/* The place of this user's latest edit before `place`; the log's count if there is none. */
static size_t previous_of(const struct gz_undo_log *log, const char *user, size_t place)
{
    while (place-- > 0) {
        if (strcmp((*slot_of(log, place))->edit.user, user) == 0) return place;
    }
    return log->count;
}

const struct gz_edit_record *gz_undo_next(const struct gz_undo_log *log, const char *user)
{
    for (size_t at = previous_of(log, user, log->count); at < log->count;
         at = previous_of(log, user, at)) {
        const struct entry *entry = *slot_of(log, at);
        if (entry->edit.kind == GZ_EDIT_IMPORT) return NULL;
        if (!is_own_undo_or_redo(entry) && !entry->undone) return &entry->edit;
    }
    return NULL;
}

/* Each redo cancels the latest undo before it that is not cancelled yet. The latest undo that is
 * left can be redone. An undo or redo that another user took back does not count. */
const struct gz_edit_record *gz_redo_next(const struct gz_undo_log *log, const char *user)
{
    size_t answered = 0;
    for (size_t at = previous_of(log, user, log->count); at < log->count;
         at = previous_of(log, user, at)) {
        const struct entry *entry = *slot_of(log, at);
        if (!is_own_undo_or_redo(entry)) return NULL;
        if (entry->undone) continue;
        if (entry->edit.kind == GZ_EDIT_REDO) {
            answered++;
        } else if (answered > 0) {
            answered--;
        } else {
            return gz_undo_find(log, entry->edit.target);
        }
    }
    return NULL;
}

const struct gz_edit_record *gz_undo_find(const struct gz_undo_log *log, uint64_t edit)
{
    const struct entry *entry = find_entry(log, edit);
    return entry != NULL ? &entry->edit : NULL;
}

size_t gz_undo_nodes(const struct gz_undo_log *log, uint64_t edit, uint64_t *ids)
{
    const struct entry *entry = find_entry(log, edit);
    size_t count = 0;
    for (size_t i = 0; i < entry->span_count; i++) {
        for (uint64_t id = entry->spans[i].first; id <= entry->spans[i].last; id++)
            ids[count++] = id;
    }
    return count;
}

/* The latest undo or redo of this edit, or NULL. */
static const struct entry *latest_about(const struct gz_undo_log *log, uint64_t edit)
{
    for (size_t place = log->count; place-- > 0;) {
        const struct entry *entry = *slot_of(log, place);
        if (entry->edit.id == edit) break;
        if (is_about_another(entry) && entry->edit.target == edit) return entry;
    }
    return NULL;
}

bool gz_undo_is_undone(const struct gz_undo_log *log, uint64_t edit)
{
    const struct entry *entry = find_entry(log, edit);
    if (entry != NULL) return entry->undone;
    const struct entry *about = latest_about(log, edit);
    return about != NULL && about->undone == (about->edit.kind == GZ_EDIT_REDO);
}

const struct gz_edit_record *gz_undo_last(const struct gz_undo_log *log,
                                          const struct gz_edit_record *edit)
{
    for (const struct entry *about = latest_about(log, edit->id); about != NULL;
         about = latest_about(log, edit->id))
        edit = &about->edit;
    return edit;
}

/* ---- conflicts ---- */

/* The first span that ends at this id or after it, or NULL. */
static const struct span *span_from(const struct entry *entry, uint64_t id)
{
    size_t low = 0, high = entry->span_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (entry->spans[middle].last >= id)
            high = middle;
        else
            low = middle + 1;
    }
    return low < entry->span_count ? &entry->spans[low] : NULL;
}

static bool touches(const struct entry *entry, uint64_t node)
{
    const struct span *span = span_from(entry, node);
    return span != NULL && span->first <= node;
}

/* The node with the lowest id that both touched. */
static bool find_common(const struct entry *a, const struct entry *b, uint64_t *node)
{
    const struct entry *few = a->span_count <= b->span_count ? a : b, *many = few == a ? b : a;
    for (size_t i = 0; i < few->span_count; i++) {
        const struct span *own = &few->spans[i], *other = span_from(many, own->first);
        if (other == NULL) return false;
        if (other->first > own->last) continue;
        if (node != NULL) *node = own->first > other->first ? own->first : other->first;
        return true;
    }
    return false;
}

static bool is_by(const struct entry *entry, const char *user)
{
    return user != NULL && strcmp(entry->edit.user, user) == 0;
}

/* Whether the entry's changes were made after `seq` and taken back, by undos and redos of the entry
 * or of its target. */
static bool came_to_nothing(const struct gz_undo_log *log, const struct entry *entry, uint64_t seq)
{
    while (entry != NULL && !(entry->undone && entry->edit.seq > seq))
        entry = is_about_another(entry) ? find_entry(log, entry->edit.target) : NULL;
    return entry != NULL;
}

const struct gz_edit_record *gz_undo_conflict(const struct gz_undo_log *log,
                                              const struct gz_edit_record *edit, const char *user,
                                              enum gz_undo_others others, uint64_t *node)
{
    const struct entry *own = find_entry(log, edit->id);
    if (own == NULL) return NULL;
    for (size_t place = log->count; place-- > 0;) {
        const struct entry *entry = *slot_of(log, place);
        if (entry->edit.seq <= own->edit.seq || is_by(entry, user)) continue;
        if (!find_common(own, entry, node)) continue;
        if (others == GZ_UNDO_ALL || !came_to_nothing(log, entry, own->edit.seq))
            return &entry->edit;
    }
    return NULL;
}

const struct gz_edit_record *gz_undo_toucher(const struct gz_undo_log *log,
                                             const struct gz_edit_record *edit, const char *user,
                                             uint64_t node)
{
    for (size_t place = log->count; place-- > 0;) {
        const struct entry *entry = *slot_of(log, place);
        if (entry->edit.seq <= edit->seq || is_by(entry, user)) continue;
        if (touches(entry, node)) return &entry->edit;
    }
    return NULL;
}
