/* access.h - a scene's own access: which users may what in it, by patterns for their names. A user
 * has the most of the roles whose patterns match the name.
 *
 * Ownership: an entry belongs to whoever created it until gz_access_list_put takes it over.
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
/* NULL if the list does not have this pattern itself; what else would match is not looked at. */
const struct gz_access_record *gz_access_list_find(const struct gz_access_list *list,
                                                   const char *glob);
/* The most that any pattern gives to the user; false if none matches. */
bool gz_access_list_role(const struct gz_access_list *list, const char *user, enum gz_role *role);

/* Takes the entry over: it takes the place of the one with the same pattern, or, if the record is
 * `gone`, takes that one away. Needs no memory. The caller sees to it that there are never more
 * than GZ_ACCESS_MAX. */
void gz_access_list_put(struct gz_access_list *list, struct gz_access_entry *entry);

#endif
