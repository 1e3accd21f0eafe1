/* checkpoints.h - the names that people gave to states of a scene, on a shelf for viewers.
 *
 * A name that is given or taken away is a change for viewers. A scene has few checkpoints: a frame
 * for a viewer, and a search for a name, may look at every one.
 *
 * Ownership: an entry belongs to the caller that created it until gz_checkpoint_list_put takes it
 * over. Threads: one. Errors: only creating asks for memory. */
#ifndef GZ_SCENE_CHECKPOINTS_H
#define GZ_SCENE_CHECKPOINTS_H

#include "proto/base/status.h"
#include "scene/record.h"
#include "scene/shelf.h"

struct gz_checkpoint_entry {
    struct gz_shelf_item item;
    /* Its texts are `texts`. In a removal: the user that took the name away, and the time. */
    struct gz_checkpoint_record is;
    char texts[];
};

struct gz_checkpoint_list;

/* An entry with a copy of the record, in no list; NULL without memory. free() gives it back. */
struct gz_checkpoint_entry *gz_checkpoint_entry_create(const struct gz_checkpoint_record *record);

/* Holds the checkpoints of `state`; NULL without memory. */
struct gz_checkpoint_list *gz_checkpoint_list_create(const struct gz_scene_state *state);
void gz_checkpoint_list_destroy(struct gz_checkpoint_list *list); /* NULL is fine */

/* The shelf of the entries. The id of a removal is for gz_checkpoint_list_removal. */
const struct gz_shelf *gz_checkpoint_list_shelf(const struct gz_checkpoint_list *list);
size_t gz_checkpoint_list_count(const struct gz_checkpoint_list *list);
/* How many of them this user made; compares the user with the maker of each checkpoint. */
size_t gz_checkpoint_list_count_of(const struct gz_checkpoint_list *list, const char *user);
/* Ascending by seq; checkpoints of the same seq are in the order in which they were made. */
const struct gz_checkpoint_entry *gz_checkpoint_list_at(const struct gz_checkpoint_list *list,
                                                        size_t place);
/* NULL if no checkpoint has this name, which need not be terminated. */
const struct gz_checkpoint_entry *gz_checkpoint_list_find(const struct gz_checkpoint_list *list,
                                                          const char *name, size_t size);
/* The removal that left this id on the shelf, as it was put; NULL if it is out of date, because the
 * name was given or removed again since. */
const struct gz_checkpoint_entry *gz_checkpoint_list_removal(const struct gz_checkpoint_list *list,
                                                             uint64_t id);

/* Takes the entry over: a name that no checkpoint has yet or, if the record is `gone`, the removal
 * of a name. Needs no memory. The caller makes sure that there are never more than
 * GZ_CHECKPOINTS_MAX checkpoints. */
void gz_checkpoint_list_put(struct gz_checkpoint_list *list, struct gz_checkpoint_entry *entry);

#endif
