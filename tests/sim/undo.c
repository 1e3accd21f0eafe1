/* Undo in words: a user's edits are a pile. Undo takes the topmost one off it and lays it on
 * a second pile; redo brings it back from there; any other edit of that user clears the second
 * pile. A revert of one's own edit is an undo out of its turn. Either does backwards what was done
 * last about the edit: it was made, undone or redone. What somebody else did since then to one of
 * its nodes is in the way, unless they took it back and left all as it was. Only those parts go
 * back that were changed. */
#include <string.h>

#include "sim/undo.h"

enum { PILE_MAX = 4096 };

struct pile {
    uint64_t edits[PILE_MAX];
    size_t count;
};

static void take_off(struct pile *pile, uint64_t edit)
{
    size_t kept = 0;
    for (size_t i = 0; i < pile->count; i++) {
        if (pile->edits[i] != edit) pile->edits[kept++] = pile->edits[i];
    }
    pile->count = kept;
}

static void lay_on(struct pile *pile, uint64_t edit)
{
    if (pile->count < PILE_MAX) pile->edits[pile->count++] = edit;
}

/* In its old place, by when it was completed: later edits may be done still, if it was reverted.
 * Deeds stand in that order. */
static void lay_back(const struct model *model, struct pile *pile, uint64_t edit)
{
    const struct deed *deed = model_deed(model, edit);
    size_t at = pile->count;
    lay_on(pile, edit);
    for (; at > 0 && at < PILE_MAX && model_deed(model, pile->edits[at - 1]) > deed; at--) {
        pile->edits[at] = pile->edits[at - 1];
        pile->edits[at - 1] = edit;
    }
}

/* The edit, or NULL where it is so old that undo has forgotten it. */
static const struct deed *known(const struct model *model, uint64_t edit)
{
    const struct deed *deed = model_deed(model, edit);
    return deed != NULL && deed >= model->deeds + model->deeds_known ? deed : NULL;
}

const struct deed *undo_target(const struct model *model, const char *user, bool redo)
{
    struct pile done = {.count = 0}, undone = {.count = 0};
    for (size_t i = model->deeds_known; i < model->deed_count; i++) {
        const struct deed *deed = &model->deeds[i];
        if (strcmp(deed->user, user) != 0) continue;
        if (deed->kind == GZ_EDIT_UNDO) {
            take_off(&done, deed->target);
            lay_on(&undone, deed->target);
        } else if (deed->kind == GZ_EDIT_REDO) {
            take_off(&undone, deed->target);
            if (known(model, deed->target) != NULL) lay_back(model, &done, deed->target);
        } else {
            lay_on(&done, deed->id);
            undone.count = 0;
        }
    }
    const struct pile *pile = redo ? &undone : &done;
    return pile->count > 0 ? known(model, pile->edits[pile->count - 1]) : NULL;
}

bool undo_knows(const struct model *model, const struct deed *deed)
{
    return known(model, deed->id) != NULL;
}

static bool touches(const struct deed *deed, uint64_t node)
{
    for (size_t i = 0; i < deed->facts.count; i++) {
        if (deed->facts.list[i].node == node) return true;
    }
    return false;
}

static bool travels(const struct deed *deed)
{
    return deed->kind == GZ_EDIT_UNDO || deed->kind == GZ_EDIT_REDO;
}

const struct deed *undo_last(const struct model *model, const struct deed *target)
{
    for (const struct deed *deed = model->deeds + model->deed_count; --deed > target;) {
        if (travels(deed) && deed->target == target->id) return deed;
    }
    return target;
}

/* Done since `last`, and taken back; or the taking back of such. */
static bool came_to_nothing(const struct model *model, const struct deed *deed,
                            const struct deed *last)
{
    if (travels(deed)) deed = known(model, deed->target);
    return deed != NULL && deed > last && undo_last(model, deed)->kind == GZ_EDIT_UNDO;
}

/* Of `now`, only the parts that differ between `from` and `to` become those of `to`. */
static struct thing with_parts(struct thing now, const struct thing *from, const struct thing *to)
{
#define TAKE(part)                                                                                 \
    if (memcmp(&from->part, &to->part, sizeof to->part) != 0) now.part = to->part
    TAKE(trs.t);
    TAKE(trs.r);
    TAKE(trs.s);
    TAKE(parent);
    TAKE(asset);
    if (memcmp(from->name, to->name, sizeof to->name) != 0)
        memcpy(now.name, to->name, sizeof now.name);
    if (from->has_bounds != to->has_bounds ||
        memcmp(&from->bounds, &to->bounds, sizeof to->bounds) != 0) {
        now.has_bounds = to->has_bounds;
        now.bounds = to->bounds;
    }
#undef TAKE
    return now;
}

/* Whether what `last` left there is there still. */
bool undo_is_as_left(const struct model *model, const struct deed *last)
{
    for (size_t i = 0; i < last->facts.count; i++) {
        const struct fact *fact = &last->facts.list[i];
        const struct thing *now = &model->lives[fact->node].now;
        if (now->there != fact->after.there) return false;
        if (!now->there) continue;
        /* What would be put back where that was not changed is now: then nothing else was. */
        struct thing same =
            fact->before.there ? with_parts(*now, &fact->before, &fact->after) : fact->after;
        if (!same_thing(&same, now)) return false;
    }
    return true;
}

/* The latest edit of others after `last` that touched its nodes; with `standing` none that came to
 * nothing. */
static const struct deed *latest(const struct model *model, const struct deed *last,
                                 const char *user, bool standing)
{
    for (const struct deed *deed = model->deeds + model->deed_count; --deed > last;) {
        if (strcmp(deed->user, user) == 0 || (standing && came_to_nothing(model, deed, last)))
            continue;
        for (size_t i = 0; i < last->facts.count; i++) {
            if (touches(deed, last->facts.list[i].node)) return deed;
        }
    }
    return NULL;
}

const struct deed *undo_conflict(const struct model *model, const struct deed *last,
                                 const char *user)
{
    const struct deed *standing = latest(model, last, user, true);
    if (standing != NULL || undo_is_as_left(model, last)) return standing;
    return latest(model, last, user, false);
}

void undo_outcome(const struct model *model, const struct deed *last, struct facts *facts)
{
    facts->count = 0;
    for (size_t i = 0; i < last->facts.count; i++) {
        const struct fact *fact = &last->facts.list[i];
        const struct thing *now = &model->lives[fact->node].now;
        bool others_deleted = fact->after.there && !now->there;
        struct thing after = fact->before;
        if (now->there && fact->after.there && fact->before.there)
            after = with_parts(*now, &fact->after, &fact->before);
        facts_add(facts, fact->node, now, others_deleted ? now : &after);
    }
}
