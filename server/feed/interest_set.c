/* Keeps an interest set up to date: which nodes match the region, which nodes are above those, and
 * which of both are news to the viewer. */
#include "feed/interest_set.h"

#include <stdlib.h>
#include <string.h>

#include "scene/bounds_index.h"
#include "scene/ids.h"

/* A node is in the set if it matches or a child of it is in the set. There is an entry for each
 * node that is in the set, that the viewer has, or that waits among the news. */
struct entry {
    uint64_t id;
    uint64_t sent;     /* the seq as of which the viewer has the node; 0: it does not have it */
    uint64_t parent;   /* the node that counts this one among its children; 0 for none */
    uint32_t children; /* how many of its children are in the set */
    bool matches;
    bool queued; /* the node is among the news */
};

struct unsettled {
    uint64_t id;
    const struct gz_node *node;
};

/* The phases of a look at every node, each in slices. */
enum phase {
    PHASE_NONE,     /* no look is under way */
    PHASE_ASSUME,   /* makes an entry for each node that the viewer has */
    PHASE_UNMATCH,  /* forgets in each entry whether it matched the old region */
    PHASE_FIND,     /* finds the nodes to look at */
    PHASE_MATCH,    /* puts those that match into the set */
    PHASE_SORT_OUT, /* queues entries that are news, removes entries without use */
    PHASE_COUNT
};

struct gz_interest_set {
    struct gz_region region; /* the ids ascend and belong to the set */
    enum phase phase;
    size_t at;        /* the next entry, in phases that go through the entries */
    size_t steps;     /* entries that were looked at in this phase */
    uint64_t assumed; /* the viewer has the whole scene as of this seq; nodes up to the seq
                         assumed_to have entries */
    uint64_t assumed_to;
    struct gz_look look;
    uint64_t seq;     /* of the scene at the last update */
    size_t looked_at; /* nodes looked at by updates */

    /* Dense, so that a growing table touches its memory little by little. */
    struct entry *entries;
    size_t count, capacity;
    /* By id: the index of an entry, from 1; 0: free. Open addressing; at most three quarters
     * full. */
    uint32_t *slots;
    size_t slot_count;

    uint64_t *news; /* ids, each once; a node may be news no longer when it is taken */
    size_t news_first, news_count, news_capacity;
    struct unsettled *unsettled; /* scratch */
    size_t unsettled_count, unsettled_capacity;
};

#define SLOTS_MIN 64
/* So many entries take the time of a look at one node. */
#define ENTRIES_PER_NODE 16

struct gz_interest_set *gz_interest_set_create(void)
{
    struct gz_interest_set *set = calloc(1, sizeof *set);
    if (set == NULL) return NULL;
    set->region.kind = GZ_REGION_NODES;
    set->phase = PHASE_UNMATCH;
    return set;
}

void gz_interest_set_destroy(struct gz_interest_set *set)
{
    if (set == NULL) return;
    gz_look_finish(&set->look);
    free((uint64_t *)set->region.ids);
    free(set->entries);
    free(set->slots);
    free(set->news);
    free(set->unsettled);
    free(set);
}

/* ---- entries ---- */

static size_t home_of(const struct gz_interest_set *set, uint64_t id)
{
    return (size_t)((id * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (set->slot_count - 1);
}

static struct entry *entry_in(const struct gz_interest_set *set, size_t slot)
{
    return &set->entries[set->slots[slot] - 1];
}

/* The slot of this id, or the free slot for it. */
static size_t slot_of(const struct gz_interest_set *set, uint64_t id)
{
    size_t slot = home_of(set, id);
    while (set->slots[slot] != 0 && entry_in(set, slot)->id != id)
        slot = (slot + 1) & (set->slot_count - 1);
    return slot;
}

static struct entry *find(const struct gz_interest_set *set, uint64_t id)
{
    if (set->slot_count == 0) return NULL;
    size_t slot = slot_of(set, id);
    return set->slots[slot] != 0 ? entry_in(set, slot) : NULL;
}

static bool resize(struct gz_interest_set *set, size_t slot_count)
{
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (slots == NULL) return false;
    free(set->slots);
    set->slots = slots;
    set->slot_count = slot_count;
    for (size_t i = 0; i < set->count; i++)
        slots[slot_of(set, set->entries[i].id)] = (uint32_t)(i + 1);
    return true;
}

static bool reserve(struct gz_interest_set *set, size_t count)
{
    if (!gz_grow(&set->entries, &set->capacity, count, sizeof *set->entries)) return false;
    size_t slot_count = set->slot_count > 0 ? set->slot_count : SLOTS_MIN;
    while (4 * count > 3 * slot_count) slot_count *= 2;
    return slot_count == set->slot_count || resize(set, slot_count);
}

/* The entry of this node, made if there is none: the table may then move, which invalidates
 * pointers to other entries. NULL without memory. */
static struct entry *obtain(struct gz_interest_set *set, uint64_t id)
{
    struct entry *entry = find(set, id);
    if (entry != NULL) return entry;
    if (!reserve(set, set->count + 1)) return NULL;
    set->slots[slot_of(set, id)] = (uint32_t)(set->count + 1);
    entry = &set->entries[set->count++];
    *entry = (struct entry){.id = id};
    return entry;
}

/* Each entry after the hole moves into it, unless that would put the entry before its home. */
static void free_slot(struct gz_interest_set *set, size_t hole)
{
    const size_t mask = set->slot_count - 1;
    for (size_t at = (hole + 1) & mask; set->slots[at] != 0; at = (at + 1) & mask) {
        size_t home = home_of(set, entry_in(set, at)->id);
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        set->slots[hole] = set->slots[at];
        hole = at;
    }
    set->slots[hole] = 0;
}

/* Moves the last entry into its place. */
static void remove_entry(struct gz_interest_set *set, struct entry *entry)
{
    const struct entry *last = &set->entries[set->count - 1];
    free_slot(set, slot_of(set, entry->id));
    if (entry != last) {
        set->slots[slot_of(set, last->id)] = (uint32_t)(entry - set->entries + 1);
        *entry = *last;
    }
    set->count--;
}

/* Without memory the set keeps its size. */
void gz_interest_set_shrink(struct gz_interest_set *set)
{
    size_t slot_count = SLOTS_MIN;
    while (4 * 2 * set->count > 3 * slot_count) slot_count *= 2;
    if (4 * slot_count > set->slot_count) return;
    (void)resize(set, slot_count);
    struct entry *entries = realloc(set->entries, (set->count + 1) * sizeof *entries);
    if (entries != NULL) {
        set->entries = entries;
        set->capacity = set->count + 1;
    }
    free(set->news);
    free(set->unsettled);
    set->news = NULL;
    set->unsettled = NULL;
    set->news_first = set->news_count = set->news_capacity = set->unsettled_capacity = 0;
}

/* ---- news ---- */

static bool is_in(const struct entry *entry)
{
    return entry->matches || entry->children > 0;
}

static bool is_news(const struct entry *entry)
{
    return is_in(entry) != (entry->sent > 0);
}

/* Queues the entry if it is news. Removes it if it is not in the set and the viewer does not have
 * the node. */
static bool sort_out(struct gz_interest_set *set, struct entry *entry)
{
    if (entry->queued) return true;
    if (is_news(entry)) {
        if (!gz_grow(&set->news, &set->news_capacity, set->news_count + 1, sizeof *set->news))
            return false;
        set->news[set->news_count++] = entry->id;
        entry->queued = true;
    } else if (!is_in(entry)) {
        remove_entry(set, entry);
    }
    return true;
}

bool gz_interest_set_has_news(const struct gz_interest_set *set)
{
    return set->news_first < set->news_count;
}

/* Takes an entry from the queue; whether it is still news. */
static bool take_news(struct gz_interest_set *set, struct entry *entry, uint64_t seq, bool *gone)
{
    bool news = is_news(entry);
    *gone = !is_in(entry);
    entry->queued = false;
    if (news) entry->sent = seq;
    if (*gone) remove_entry(set, entry);
    return news;
}

uint64_t gz_interest_set_next_news(struct gz_interest_set *set, uint64_t seq, bool *gone)
{
    while (gz_interest_set_has_news(set)) {
        uint64_t id = set->news[set->news_first++];
        if (take_news(set, find(set, id), seq, gone)) return id;
    }
    set->news_first = set->news_count = 0;
    return 0;
}

uint64_t gz_interest_set_send(struct gz_interest_set *set, uint64_t id, uint64_t seq)
{
    struct entry *entry = find(set, id);
    if (entry == NULL) return 0;
    uint64_t sent = entry->sent;
    entry->sent = seq;
    return sent;
}

/* ---- the content of the set ---- */

/* `node` may be NULL: it is searched for later. */
static bool leave_unsettled(struct gz_interest_set *set, uint64_t id, const struct gz_node *node)
{
    size_t count = set->unsettled_count + 1;
    if (!gz_grow(&set->unsettled, &set->unsettled_capacity, count, sizeof *set->unsettled))
        return false;
    set->unsettled[set->unsettled_count++] = (struct unsettled){id, node};
    return true;
}

/* Adds `one` (1 or -1) to the children of a node, which may put the node into the set or take it
 * out. */
static bool count_child(struct gz_interest_set *set, uint64_t id, const struct gz_node *node,
                        int one)
{
    struct entry *entry = obtain(set, id);
    if (entry == NULL) return false;
    bool before = is_in(entry);
    entry->children += (uint32_t)one;
    return is_in(entry) == before || leave_unsettled(set, id, node);
}

/* Makes the parent of the node count it if and only if the node is in the set. */
static bool settle(struct gz_interest_set *set, struct entry *entry, const struct gz_node *node)
{
    const struct gz_node *parent =
        is_in(entry) && node != NULL && !node->gone ? node->parent : NULL;
    uint64_t before = entry->parent, now = parent != NULL ? parent->id : 0;
    entry->parent = now;
    if (!sort_out(set, entry)) return false;
    if (before == now) return true;
    return (before == 0 || count_child(set, before, NULL, -1)) &&
           (now == 0 || count_child(set, now, parent, 1));
}

static bool settle_rest(struct gz_interest_set *set, const struct gz_scene *scene)
{
    while (set->unsettled_count > 0) {
        struct unsettled next = set->unsettled[--set->unsettled_count];
        struct entry *entry = find(set, next.id);
        if (entry == NULL) continue;
        if (next.node == NULL) next.node = gz_scene_find(scene, next.id);
        if (!settle(set, entry, next.node)) return false;
    }
    return true;
}

/* Sets whether the node matches, and updates the counts of the nodes above. While several nodes
 * move at once, the counts may fit neither the old hierarchy nor the new one; they fit the new one
 * once each node that moved was handled. */
static bool set_matching(struct gz_interest_set *set, const struct gz_scene *scene,
                         const struct gz_node *node, bool matching)
{
    struct entry *entry = matching ? obtain(set, node->id) : find(set, node->id);
    if (entry == NULL) return !matching;
    entry->matches = matching;
    return settle(set, entry, node) && settle_rest(set, scene);
}

/* The node is deleted. */
static bool bury(struct gz_interest_set *set, const struct gz_scene *scene, uint64_t id)
{
    struct entry *entry = find(set, id);
    if (entry == NULL) return true;
    entry->matches = false;
    return settle(set, entry, NULL) && settle_rest(set, scene);
}

static bool is_named(const struct gz_region *region, const struct gz_node *node)
{
    return gz_has_id(region->ids, region->id_count, node->id);
}

static bool is_below_named(const struct gz_region *region, const struct gz_node *node)
{
    while (node != NULL && !is_named(region, node)) node = node->parent;
    return node != NULL;
}

static bool overlap(const gz_box *a, const gz_box *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y &&
           b->min.y <= a->max.y && a->min.z <= b->max.z && b->min.z <= a->max.z;
}

static bool is_seen(const struct gz_region *region, const gz_box *box)
{
    for (int i = 0; i < GZ_REGION_PLANES; i++) {
        if (!gz_box_reaches(box, &region->planes[i])) return false;
    }
    return true;
}

/* A node whose box in the world is not finite may match a view, but matches no box. */
static bool matches(const struct gz_region *region, struct gz_scene *scene,
                    const struct gz_node *node)
{
    gz_box box;
    if (node->gone) return false;
    switch (region->kind) {
    case GZ_REGION_WHOLE: return true;
    case GZ_REGION_NODES: return is_below_named(region, node);
    case GZ_REGION_BOX: return gz_scene_world_box(scene, node, &box) && overlap(&box, &region->box);
    case GZ_REGION_VIEW: return !gz_scene_world_box(scene, node, &box) || is_seen(region, &box);
    }
    return false;
}

static bool depends_on_worlds(const struct gz_interest_set *set)
{
    return set->region.kind == GZ_REGION_BOX || set->region.kind == GZ_REGION_VIEW;
}

static bool update_changed(struct gz_interest_set *set, struct gz_scene *scene)
{
    struct gz_moved moved = gz_scene_moved(scene, set->seq, depends_on_worlds(set));
    for (const struct gz_node *node; (node = gz_moved_next(&moved)) != NULL; set->looked_at++) {
        if (!set_matching(set, scene, node, matches(&set->region, scene, node))) return false;
    }
    const struct gz_grave *grave = gz_scene_grave_after(scene, set->seq);
    for (; grave != NULL; grave = gz_scene_grave_after(scene, grave->seq), set->looked_at++) {
        if (!bury(set, scene, grave->id)) return false;
    }
    return true;
}

/* ---- every node anew ---- */

static void enter(struct gz_interest_set *set, enum phase phase)
{
    set->phase = phase;
    set->at = set->steps = 0;
}

/* Counts entries by steps, not by their index, because the index of a removed entry is looked at
 * again. */
static void charge_entry(struct gz_interest_set *set, size_t *budget)
{
    *budget -= set->steps++ % ENTRIES_PER_NODE == 0;
}

/* Nodes that are created or changed meanwhile move to the end of the order of change, and are
 * handled too. */
static bool assume(struct gz_interest_set *set, struct gz_scene *scene, size_t *budget)
{
    struct gz_news news = gz_scene_news(scene, set->assumed_to);
    struct gz_new is = {.seq = set->assumed_to};
    bool is_over = false;
    if (!reserve(set, gz_scene_count(scene))) return false;
    for (; *budget > 0 && !(is_over = !gz_news_next(&news, &is)); --*budget) {
        set->assumed_to = is.seq;
        if (is.node == NULL && is.seq <= set->assumed) continue;
        struct entry *entry = obtain(set, is.id);
        if (entry == NULL) return false;
        entry->sent = set->assumed;
    }
    if (is_over) enter(set, PHASE_FIND);
    return true;
}

static bool unmatch(struct gz_interest_set *set, struct gz_scene *scene, size_t *budget)
{
    (void)scene;
    set->news_first = set->news_count = 0;
    while (*budget > 0 && set->at < set->count) {
        struct entry *entry = &set->entries[set->at];
        set->at++;
        charge_entry(set, budget);
        entry->matches = entry->queued = false;
        entry->children = 0;
        entry->parent = 0;
    }
    if (set->at >= set->count) enter(set, PHASE_FIND);
    return true;
}

/* The named nodes without another named node above them. */
static size_t find_tops(const struct gz_interest_set *set, struct gz_scene *scene, uint64_t *ids,
                        const struct gz_node **tops)
{
    size_t count = 0;
    for (size_t i = 0; i < set->region.id_count; i++) {
        if (gz_scene_find(scene, set->region.ids[i]) != NULL) ids[count++] = set->region.ids[i];
    }
    return gz_scene_tops(scene, ids, count, tops);
}

static bool walk_tops(const struct gz_node **tops, size_t top_count, uint64_t **found,
                      size_t *count)
{
    size_t capacity = 0;
    for (size_t i = 0; i < top_count; i++) {
        for (const struct gz_node *at = tops[i]; at != NULL; at = gz_scene_walk(tops[i], at)) {
            if (!gz_grow(found, &capacity, *count + 1, sizeof **found)) return false;
            (*found)[(*count)++] = at->id;
        }
    }
    return true;
}

/* Finds the named nodes and all nodes below them, each once. */
static bool find_named(struct gz_interest_set *set, struct gz_scene *scene)
{
    const size_t id_count = set->region.id_count;
    uint64_t *ids = malloc((id_count + 1) * sizeof *ids), *found = NULL;
    const struct gz_node **tops = malloc((id_count + 1) * sizeof *tops);
    size_t count = 0;
    bool is_found = ids != NULL && tops != NULL &&
                    walk_tops(tops, find_tops(set, scene, ids, tops), &found, &count);
    free(ids);
    free(tops);
    set->look = gz_look_at(scene, found, count); /* which frees them */
    return is_found;
}

static void find_in_box(struct gz_interest_set *set)
{
    const gz_box *box = &set->region.box;
    const gz_plane planes[GZ_REGION_PLANES] = {{{1, 0, 0}, -box->min.x}, {{-1, 0, 0}, box->max.x},
                                               {{0, 1, 0}, -box->min.y}, {{0, -1, 0}, box->max.y},
                                               {{0, 0, 1}, -box->min.z}, {{0, 0, -1}, box->max.z}};
    set->look = gz_look_into(planes, GZ_REGION_PLANES);
}

static bool find_nodes(struct gz_interest_set *set, struct gz_scene *scene, size_t *budget)
{
    (void)budget;
    gz_look_finish(&set->look);
    enter(set, PHASE_MATCH);
    switch (set->region.kind) {
    case GZ_REGION_WHOLE: set->look = gz_look_into(NULL, 0); break;
    case GZ_REGION_NODES: return find_named(set, scene);
    case GZ_REGION_BOX: find_in_box(set); break;
    case GZ_REGION_VIEW: set->look = gz_look_into(set->region.planes, GZ_REGION_PLANES); break;
    }
    return true;
}

static bool match(struct gz_interest_set *set, struct gz_scene *scene, size_t *budget)
{
    const struct gz_node *node;
    enum gz_look_step step;
    while ((step = gz_look_next(&set->look, scene, budget, &node)) == GZ_LOOK_NODE) {
        /* Reserves now, while the table is small: growing it later would move all entries at
         * once. */
        if (!reserve(set, set->look.count)) return false;
        /* Nodes below named nodes were found when the look began, and match without a test. */
        if (set->region.kind != GZ_REGION_NODES && !matches(&set->region, scene, node)) continue;
        if (!set_matching(set, scene, node, true)) return false;
    }
    if (step == GZ_LOOK_END) enter(set, PHASE_SORT_OUT);
    return step != GZ_LOOK_NO_MEMORY;
}

/* A removed entry may have left its place to another one, so that place is looked at again. */
static bool sort_out_next(struct gz_interest_set *set, struct gz_scene *scene, size_t *budget)
{
    (void)scene;
    while (*budget > 0 && set->at < set->count) {
        size_t count = set->count;
        if (!sort_out(set, &set->entries[set->at])) return false;
        charge_entry(set, budget);
        if (set->count == count) set->at++;
    }
    if (set->at < set->count) return true;
    enter(set, PHASE_NONE);
    set->seq = set->look.seq;
    gz_look_finish(&set->look);
    return true;
}

static bool (*const phases[PHASE_COUNT])(struct gz_interest_set *set, struct gz_scene *scene,
                                         size_t *budget) = {
    [PHASE_ASSUME] = assume, [PHASE_UNMATCH] = unmatch,        [PHASE_FIND] = find_nodes,
    [PHASE_MATCH] = match,   [PHASE_SORT_OUT] = sort_out_next,
};

/* If tombstones were forgotten since the last update, only a look at every node says which nodes
 * are left. */
bool gz_interest_set_is_ready(const struct gz_interest_set *set, const struct gz_scene *scene)
{
    return set->phase == PHASE_NONE && set->seq >= gz_scene_forgotten(scene);
}

bool gz_interest_set_is_assuming(const struct gz_interest_set *set)
{
    return set->phase == PHASE_ASSUME;
}

bool gz_interest_set_advance(struct gz_interest_set *set, struct gz_scene *scene, size_t *budget)
{
    while (*budget > 0 && !gz_interest_set_is_ready(set, scene)) {
        if (set->phase == PHASE_NONE) enter(set, PHASE_UNMATCH);
        if (!phases[set->phase](set, scene, budget)) return false;
    }
    return true;
}

size_t gz_interest_set_take_looks(struct gz_interest_set *set)
{
    size_t count = set->looked_at;
    set->looked_at = 0;
    return count;
}

static void compact_news(struct gz_interest_set *set)
{
    set->news_count -= set->news_first;
    if (set->news_count > 0)
        memmove(set->news, set->news + set->news_first, set->news_count * sizeof *set->news);
    set->news_first = 0;
}

bool gz_interest_set_update(struct gz_interest_set *set, struct gz_scene *scene)
{
    size_t budget = SIZE_MAX;
    if (!gz_interest_set_advance(set, scene, &budget)) return false;
    if (set->news_first > 0) compact_news(set);
    set->unsettled_count = 0;
    if (!update_changed(set, scene)) return false;
    set->seq = gz_scene_seq(scene);
    return true;
}

/* ---- the region, and what the viewer has ---- */

bool gz_interest_set_choose(struct gz_interest_set *set, const struct gz_region *region)
{
    uint64_t *ids = NULL;
    if (region->id_count > 0) {
        ids = malloc(region->id_count * sizeof *ids);
        if (ids == NULL) return false;
        memcpy(ids, region->ids, region->id_count * sizeof *ids);
        gz_sort_ids(ids, region->id_count);
    }
    free((uint64_t *)set->region.ids);
    set->region = *region;
    set->region.ids = ids;
    if (set->phase != PHASE_ASSUME) enter(set, PHASE_UNMATCH);
    return true;
}

bool gz_interest_set_is_whole(const struct gz_interest_set *set)
{
    return set->region.kind == GZ_REGION_WHOLE;
}

void gz_interest_set_assume_all(struct gz_interest_set *set, uint64_t seq)
{
    set->assumed = seq;
    set->assumed_to = 0;
    enter(set, PHASE_ASSUME);
}

void gz_interest_set_reset(struct gz_interest_set *set)
{
    free(set->entries);
    free(set->slots);
    set->entries = NULL;
    set->slots = NULL;
    set->count = set->capacity = set->slot_count = 0;
    set->news_first = set->news_count = 0;
    set->unsettled_count = 0;
    enter(set, PHASE_UNMATCH);
}
