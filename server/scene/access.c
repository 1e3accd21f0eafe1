/* access.c - keeps a scene's own access, in the order of the patterns. See access.h. */
#include "scene/access.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/text.h"
#include "server/maxima.h"

struct gz_access_list {
    size_t count, capacity;
    struct gz_access_entry *entries[];
};

struct gz_access_entry *gz_access_entry_create(const struct gz_access_record *record)
{
    size_t glob = strlen(record->glob) + 1, user = strlen(record->user) + 1;
    struct gz_access_entry *entry = malloc(sizeof *entry + glob + user);
    if (entry == NULL) return NULL;
    entry->is = *record;
    entry->is.glob = memcpy(entry->texts, record->glob, glob);
    entry->is.user = memcpy(entry->texts + glob, record->user, user);
    return entry;
}

struct gz_access_list *gz_access_list_create(const struct gz_scene_state *state)
{
    /* A file may hold more patterns than this server allows. */
    size_t capacity = state->access_count > GZ_ACCESS_MAX ? state->access_count : GZ_ACCESS_MAX;
    struct gz_access_list *list = calloc(1, sizeof *list + capacity * sizeof list->entries[0]);
    if (list == NULL) return NULL;
    list->capacity = capacity;
    for (size_t i = 0; i < state->access_count; i++) {
        struct gz_access_entry *entry = gz_access_entry_create(&state->access[i]);
        if (entry == NULL) {
            gz_access_list_destroy(list);
            return NULL;
        }
        gz_access_list_put(list, entry);
    }
    return list;
}

void gz_access_list_destroy(struct gz_access_list *list)
{
    for (size_t i = 0; list != NULL && i < list->count; i++) free(list->entries[i]);
    free(list);
}

size_t gz_access_list_count(const struct gz_access_list *list)
{
    return list->count;
}

const struct gz_access_record *gz_access_list_at(const struct gz_access_list *list, size_t place)
{
    return &list->entries[place]->is;
}

/* The index of the pattern, or where it would be inserted. */
static size_t place_of(const struct gz_access_list *list, const char *glob, bool *is_there)
{
    size_t place = 0;
    int order = 1;
    for (; place < list->count; place++) {
        order = strcmp(list->entries[place]->is.glob, glob);
        if (order >= 0) break;
    }
    *is_there = order == 0;
    return place;
}

const struct gz_access_record *gz_access_list_find(const struct gz_access_list *list,
                                                   const char *glob)
{
    bool is_there;
    size_t place = place_of(list, glob, &is_there);
    return is_there ? &list->entries[place]->is : NULL;
}

bool gz_access_list_role(const struct gz_access_list *list, const char *user, enum gz_role *role)
{
    bool is_any = false;
    for (size_t i = 0; i < list->count; i++) {
        const struct gz_access_record *is = &list->entries[i]->is;
        if ((is_any && is->role <= *role) || !gz_glob_matches(is->glob, user)) continue;
        *role = is->role;
        is_any = true;
    }
    return is_any;
}

static void take_out(struct gz_access_list *list, size_t place)
{
    free(list->entries[place]);
    list->count--;
    memmove(&list->entries[place], &list->entries[place + 1],
            (list->count - place) * sizeof list->entries[0]);
}

void gz_access_list_put(struct gz_access_list *list, struct gz_access_entry *entry)
{
    bool is_there;
    size_t place = place_of(list, entry->is.glob, &is_there);
    if (is_there) take_out(list, place);
    if (entry->is.gone) {
        free(entry);
        return;
    }
    assert(list->count < list->capacity);
    memmove(&list->entries[place + 1], &list->entries[place],
            (list->count - place) * sizeof list->entries[0]);
    list->count++;
    list->entries[place] = entry;
}
