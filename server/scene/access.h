/* access.h - a scene's own access: roles by patterns of user names. A user has the highest role
 * whose pattern matches the name.
 *
 * Ownership: an entry belongs to the caller that created it until gz_access_list_put takes it over.
 * Threads: one. Errors: only creating asks for memory. */
#ifndef GZ_SCENE_ACCESS_H
#define GZ_SCENE_ACCESS_H

#include "scene/record.h"

struct gz_access_entry {
    struct gz_access_record is; /* its texts are `texts` */
    char texts[];
};

struct gz_access_list;

/* An entry with a copy of the record, in no list; NULL without memory. free() gives it back. */
struct gz_access_entry *gz_access_entry_create(const struct gz_access_record *record);

/* Holds the access of `state`; NULL without memory. */
struct gz_access_list *gz_access_list_create(const struct gz_scene_state *state);
void gz_access_list_destroy(struct gz_access_list *list); /* NULL is fine */

size_t gz_access_list_count(const struct gz_access_list *list);
/* In the order of the patterns' bytes. */
const struct gz_access_record *gz_access_list_at(const struct gz_access_list *list, size_t place);
/* Finds the pattern itself, not patterns that match it; NULL if the list does not have it. */
const struct gz_access_record *gz_access_list_find(const struct gz_access_list *list,
                                                   const char *glob);
/* The highest role that a pattern gives to the user; false if none matches. */
bool gz_access_list_role(const struct gz_access_list *list, const char *user, enum gz_role *role);

/* Takes the entry over: it replaces the one with the same pattern, or, if the record is `gone`,
 * removes it. Needs no memory. The caller makes sure that there are never more than
 * GZ_ACCESS_MAX. */
void gz_access_list_put(struct gz_access_list *list, struct gz_access_entry *entry);

#endif
