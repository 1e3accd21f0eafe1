#include "sync/interest_set.h"

#include <stdlib.h>
#include <string.h>

#include "scene/bounds_index.h"

/* A node is in the part where it matches or a child of it is in it. An entry is there for each node
 * that is in the part, that the viewer knows of, or that waits among the news. */
struct entry {
    uint64_t id; /* 0: no entry */
    uint64_t told;
    uint64_t parent;   /* where it is counted as a child; 0 for nowhere */
    uint32_t children; /* in the part */
    bool matches;
    bool queued; /* among the news */
};

struct unsettled {
    uint64_t id;
    const struct gz_node *node;
};

struct gz_interest_set {
    struct gz_region region; /* ids ascending, its own */
    bool stale;              /* to be found anew, all of it */
    uint64_t seq;            /* of the scene, as of which the members are known */

    struct entry *entries; /* open addressing; at most three quarters full */
    size_t count, capacity;

    uint64_t *news; /* ids, each once; may be none by the time they are taken */
    size_t news_first, news_count, news_capacity;
    struct unsettled *unsettled; /* scratch */
    size_t unsettled_count, unsettled_capacity;
};

#define CAPACITY_MIN 64

struct gz_interest_set *gz_interest_set_create(void)
{
    struct gz_interest_set *interest_set = calloc(1, sizeof *interest_set);
    if (interest_set == NULL) return NULL;
    interest_set->region.kind = GZ_REGION_NODES;
    interest_set->stale = true;
    return interest_set;
}

void gz_interest_set_destroy(struct gz_interest_set *interest_set)
{
    if (interest_set == NULL) return;
    free((uint64_t *)interest_set->region.ids);
    free(interest_set->entries);
    free(interest_set->news);
    free(interest_set->unsettled);
    free(interest_set);
}

/* ---- entries ---- */

static size_t home_of(const struct gz_interest_set *interest_set, uint64_t id)
{
    return (size_t)((id * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (interest_set->capacity - 1);
}

static size_t place_of(const struct gz_interest_set *interest_set, uint64_t id)
{
    size_t place = home_of(interest_set, id);
    while (interest_set->entries[place].id != 0 && interest_set->entries[place].id != id)
        place = (place + 1) & (interest_set->capacity - 1);
    return place;
}

static struct entry *find(const struct gz_interest_set *interest_set, uint64_t id)
{
    if (interest_set->capacity == 0) return NULL;
    struct entry *entry = &interest_set->entries[place_of(interest_set, id)];
    return entry->id != 0 ? entry : NULL;
}

static bool resize(struct gz_interest_set *interest_set, size_t capacity)
{
    struct entry *old = interest_set->entries;
    size_t old_capacity = interest_set->capacity;
    struct entry *entries = calloc(capacity, sizeof *entries);
    if (entries == NULL) return false;
    interest_set->entries = entries;
    interest_set->capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].id != 0) entries[place_of(interest_set, old[i].id)] = old[i];
    }
    free(old);
    return true;
}

/* The entry of this node, made where there was none; entries move. NULL without memory. */
static struct entry *obtain(struct gz_interest_set *interest_set, uint64_t id)
{
    struct entry *entry = find(interest_set, id);
    if (entry != NULL) return entry;
    size_t capacity = interest_set->capacity > 0 ? interest_set->capacity : CAPACITY_MIN;
    while (4 * (interest_set->count + 1) > 3 * capacity) capacity *= 2;
    if (capacity != interest_set->capacity && !resize(interest_set, capacity)) return NULL;
    entry = &interest_set->entries[place_of(interest_set, id)];
    *entry = (struct entry){.id = id};
    interest_set->count++;
    return entry;
}

/* Entries after the hole move into it unless that would put them before their home. */
static void remove_entry(struct gz_interest_set *interest_set, struct entry *entry)
{
    size_t mask = interest_set->capacity - 1, hole = (size_t)(entry - interest_set->entries);
    for (size_t at = (hole + 1) & mask; interest_set->entries[at].id != 0; at = (at + 1) & mask) {
        size_t home = home_of(interest_set, interest_set->entries[at].id);
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        interest_set->entries[hole] = interest_set->entries[at];
        hole = at;
    }
    interest_set->entries[hole] = (struct entry){.id = 0};
    interest_set->count--;
}

void gz_interest_set_shrink(struct gz_interest_set *interest_set)
{
    size_t capacity = CAPACITY_MIN;
    while (4 * 2 * interest_set->count > 3 * capacity) capacity *= 2;
    if (4 * capacity > interest_set->capacity) return;
    (void)resize(interest_set, capacity); /* without memory it stays as large as it is */
    free(interest_set->news);
    free(interest_set->unsettled);
    interest_set->news = NULL;
    interest_set->unsettled = NULL;
    interest_set->news_first = interest_set->news_count = interest_set->news_capacity =
        interest_set->unsettled_capacity = 0;
}

/* ---- news ---- */

static bool is_in(const struct entry *entry)
{
    return entry->matches || entry->children > 0;
}

static bool is_news(const struct entry *entry)
{
    return is_in(entry) != (entry->told > 0);
}

/* Queues the entry where it is news; it may go where it is nothing at all. */
static bool sort_out(struct gz_interest_set *interest_set, struct entry *entry)
{
    if (entry->queued) return true;
    if (is_news(entry)) {
        if (!gz_grow(&interest_set->news, &interest_set->news_capacity,
                     interest_set->news_count + 1, sizeof *interest_set->news))
            return false;
        interest_set->news[interest_set->news_count++] = entry->id;
        entry->queued = true;
    } else if (!is_in(entry)) {
        remove_entry(interest_set, entry);
    }
    return true;
}

bool gz_interest_set_has_news(const struct gz_interest_set *interest_set)
{
    return interest_set->news_first < interest_set->news_count;
}

/* Whether a queued entry is news still. */
static bool take_news(struct gz_interest_set *interest_set, struct entry *entry, uint64_t seq,
                      bool *gone)
{
    bool news = is_news(entry);
    *gone = !is_in(entry);
    entry->queued = false;
    if (news) entry->told = seq;
    if (*gone) remove_entry(interest_set, entry);
    return news;
}

uint64_t gz_interest_set_next_news(struct gz_interest_set *interest_set, uint64_t seq, bool *gone)
{
    while (gz_interest_set_has_news(interest_set)) {
        uint64_t id = interest_set->news[interest_set->news_first++];
        if (take_news(interest_set, find(interest_set, id), seq, gone)) return id;
    }
    interest_set->news_first = interest_set->news_count = 0;
    return 0;
}

uint64_t gz_interest_set_tell(struct gz_interest_set *interest_set, uint64_t id, uint64_t seq)
{
    struct entry *entry = find(interest_set, id);
    if (entry == NULL) return 0;
    uint64_t told = entry->told;
    entry->told = seq;
    return told;
}

/* ---- who is in it ---- */

/* `node` may be NULL where it has to be looked for. */
static bool leave_unsettled(struct gz_interest_set *interest_set, uint64_t id,
                            const struct gz_node *node)
{
    size_t count = interest_set->unsettled_count + 1;
    if (!gz_grow(&interest_set->unsettled, &interest_set->unsettled_capacity, count,
                 sizeof *interest_set->unsettled))
        return false;
    interest_set->unsettled[interest_set->unsettled_count++] = (struct unsettled){id, node};
    return true;
}

/* Counts a child at a node, or no longer; which may bring that node in or take it out. */
static bool count_child(struct gz_interest_set *interest_set, uint64_t id,
                        const struct gz_node *node, int one)
{
    struct entry *entry = obtain(interest_set, id);
    if (entry == NULL) return false;
    bool before = is_in(entry);
    entry->children += (uint32_t)one;
    return is_in(entry) == before || leave_unsettled(interest_set, id, node);
}

/* Counts the node where it belongs, if it is in the part. */
static bool settle(struct gz_interest_set *interest_set, struct entry *entry,
                   const struct gz_node *node)
{
    const struct gz_node *parent =
        is_in(entry) && node != NULL && !node->gone ? node->parent : NULL;
    uint64_t before = entry->parent, now = parent != NULL ? parent->id : 0;
    entry->parent = now;
    if (!sort_out(interest_set, entry)) return false;
    if (before == now) return true;
    return (before == 0 || count_child(interest_set, before, NULL, -1)) &&
           (now == 0 || count_child(interest_set, now, parent, 1));
}

static bool settle_rest(struct gz_interest_set *interest_set, const struct gz_scene *scene)
{
    while (interest_set->unsettled_count > 0) {
        struct unsettled next = interest_set->unsettled[--interest_set->unsettled_count];
        struct entry *entry = find(interest_set, next.id);
        if (entry == NULL) continue;
        if (next.node == NULL) next.node = gz_scene_find(scene, next.id);
        if (!settle(interest_set, entry, next.node)) return false;
    }
    return true;
}

/* Says whether the node matches, and sees to it that it is counted where it belongs, and so on
 * upward. While several nodes move at once there are steps at which the counts follow neither the
 * old hierarchy nor the new one: when each node that moved has had its turn they follow the new
 * one. */
static bool set_matching(struct gz_interest_set *interest_set, const struct gz_scene *scene,
                         const struct gz_node *node, bool matching)
{
    struct entry *entry = matching ? obtain(interest_set, node->id) : find(interest_set, node->id);
    if (entry == NULL) return !matching;
    entry->matches = matching;
    return settle(interest_set, entry, node) && settle_rest(interest_set, scene);
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool is_named(const struct gz_region *region, const struct gz_node *node)
{
    return region->id_count > 0 &&
           bsearch(&node->id, region->ids, region->id_count, sizeof node->id, compare_ids) != NULL;
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

/* What is nowhere that numbers can say may be seen, but is in no box. */
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

static bool follows_worlds(const struct gz_interest_set *interest_set)
{
    return interest_set->region.kind == GZ_REGION_BOX ||
           interest_set->region.kind == GZ_REGION_VIEW;
}

static bool update_changed(struct gz_interest_set *interest_set, struct gz_scene *scene)
{
    struct gz_moved moved = gz_scene_moved(scene, interest_set->seq, follows_worlds(interest_set));
    for (const struct gz_node *node; (node = gz_moved_next(&moved)) != NULL;) {
        if (!set_matching(interest_set, scene, node, matches(&interest_set->region, scene, node)))
            return false;
    }
    return true;
}

/* ---- all of it anew ---- */

static bool match_sieved(struct gz_interest_set *interest_set, struct gz_scene *scene,
                         const gz_plane *planes)
{
    struct gz_culled culled;
    if (!gz_scene_cull(scene, planes, GZ_REGION_PLANES, &culled)) return false;
    for (size_t i = 0; i < culled.count; i++) {
        const struct gz_node *node = culled.nodes[i];
        if (matches(&interest_set->region, scene, node) &&
            !set_matching(interest_set, scene, node, true))
            return false;
    }
    return true;
}

static bool match_box(struct gz_interest_set *interest_set, struct gz_scene *scene)
{
    const gz_box *box = &interest_set->region.box;
    const gz_plane planes[GZ_REGION_PLANES] = {{{1, 0, 0}, -box->min.x}, {{-1, 0, 0}, box->max.x},
                                               {{0, 1, 0}, -box->min.y}, {{0, -1, 0}, box->max.y},
                                               {{0, 0, 1}, -box->min.z}, {{0, 0, -1}, box->max.z}};
    return match_sieved(interest_set, scene, planes);
}

/* Where a named node is below another, what is below both is matched once. */
static bool match_named(struct gz_interest_set *interest_set, const struct gz_scene *scene)
{
    const struct gz_region *region = &interest_set->region;
    for (size_t i = 0; i < region->id_count; i++) {
        const struct gz_node *top = gz_scene_find(scene, region->ids[i]);
        if (top == NULL || (top->parent != NULL && is_below_named(region, top->parent))) continue;
        for (const struct gz_node *node = top; node != NULL; node = gz_scene_walk(top, node)) {
            if (!set_matching(interest_set, scene, node, true)) return false;
        }
    }
    return true;
}

static bool match_whole(struct gz_interest_set *interest_set, const struct gz_scene *scene)
{
    for (const struct gz_node *node = NULL; (node = gz_scene_walk_all(scene, node)) != NULL;) {
        if (!set_matching(interest_set, scene, node, true)) return false;
    }
    return true;
}

static bool match_all(struct gz_interest_set *interest_set, struct gz_scene *scene)
{
    switch (interest_set->region.kind) {
    case GZ_REGION_WHOLE: return match_whole(interest_set, scene);
    case GZ_REGION_NODES: return match_named(interest_set, scene);
    case GZ_REGION_BOX: return match_box(interest_set, scene);
    case GZ_REGION_VIEW: return match_sieved(interest_set, scene, interest_set->region.planes);
    }
    return true;
}

static void take_all_out(struct gz_interest_set *interest_set)
{
    interest_set->news_first = interest_set->news_count = 0;
    for (size_t i = 0; i < interest_set->capacity; i++) {
        struct entry *entry = &interest_set->entries[i];
        entry->matches = entry->queued = false;
        entry->children = 0;
        entry->parent = 0;
    }
}

/* An entry that goes leaves its place to another one: the place is looked at again. */
static bool sort_out_all(struct gz_interest_set *interest_set)
{
    for (size_t i = 0; i < interest_set->capacity; i++) {
        size_t count = interest_set->count;
        if (interest_set->entries[i].id != 0 && !sort_out(interest_set, &interest_set->entries[i]))
            return false;
        if (interest_set->count < count) i--;
    }
    return true;
}

static bool update_all(struct gz_interest_set *interest_set, struct gz_scene *scene)
{
    take_all_out(interest_set);
    return match_all(interest_set, scene) && sort_out_all(interest_set);
}

static void compact_news(struct gz_interest_set *interest_set)
{
    interest_set->news_count -= interest_set->news_first;
    if (interest_set->news_count > 0)
        memmove(interest_set->news, interest_set->news + interest_set->news_first,
                interest_set->news_count * sizeof *interest_set->news);
    interest_set->news_first = 0;
}

/* Who was deleted may be forgotten by now: then only a look at everybody tells who is there. */
bool gz_interest_set_update(struct gz_interest_set *interest_set, struct gz_scene *scene)
{
    bool all = interest_set->stale || interest_set->seq < gz_scene_forgotten(scene);
    if (interest_set->news_first > 0) compact_news(interest_set);
    interest_set->unsettled_count = 0;
    if (all ? !update_all(interest_set, scene) : !update_changed(interest_set, scene)) return false;
    interest_set->stale = false;
    interest_set->seq = gz_scene_seq(scene);
    return true;
}

/* ---- what is asked for, and what is known ---- */

bool gz_interest_set_follow(struct gz_interest_set *interest_set, const struct gz_region *region)
{
    uint64_t *ids = NULL;
    if (region->id_count > 0) {
        ids = malloc(region->id_count * sizeof *ids);
        if (ids == NULL) return false;
        memcpy(ids, region->ids, region->id_count * sizeof *ids);
        qsort(ids, region->id_count, sizeof *ids, compare_ids);
    }
    free((uint64_t *)interest_set->region.ids);
    interest_set->region = *region;
    interest_set->region.ids = ids;
    interest_set->stale = true;
    return true;
}

bool gz_interest_set_is_whole(const struct gz_interest_set *interest_set)
{
    return interest_set->region.kind == GZ_REGION_WHOLE;
}

bool gz_interest_set_knows_all(struct gz_interest_set *interest_set, const struct gz_scene *scene,
                               uint64_t seq)
{
    for (const struct gz_node *node = gz_scene_oldest(scene); node != NULL; node = node->newer) {
        if (node->gone && node->seq <= seq) continue;
        struct entry *entry = obtain(interest_set, node->id);
        if (entry == NULL) return false;
        entry->told = seq;
    }
    return true;
}

void gz_interest_set_forget(struct gz_interest_set *interest_set)
{
    free(interest_set->entries);
    interest_set->entries = NULL;
    interest_set->count = interest_set->capacity = 0;
    interest_set->news_first = interest_set->news_count = 0;
    interest_set->stale = true;
}
