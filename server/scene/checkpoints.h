/* checkpoints.h - the names that states of the scene have: those that are there, ascending by seq,
 * and which of them are news.
 *
 * A name that is given or taken away takes the next version, as a change of a node takes a seq, and
 * a viewer is told what came after its own; the ends of GZ_CHECKPOINTS_GONE_RING names are
 * remembered. They are few: whoever tells looks at all of them.
 *
 * Ownership: an entry belongs to who made it until it is put among the others, then to them.
 * Threads: one. */
#ifndef GZ_SCENE_CHECKPOINTS_H
#define GZ_SCENE_CHECKPOINTS_H

#include "proto/base/status.h"
#include "scene/record.h"

struct gz_checkpoint_entry {
    struct gz_checkpoint_record
        is; /* its texts are `texts`; of one that is gone: who took it away, and when */
    uint64_t version;
    char texts[];
};

struct gz_checkpoint_list;

/* A copy that is in no list; NULL without memory. free() takes it back. */
struct gz_checkpoint_entry *gz_checkpoint_entry_create(const struct gz_checkpoint_record *record);

/* With those of the state; NULL without memory. */
struct gz_checkpoint_list *gz_checkpoint_list_create(const struct gz_scene_state *state);
void gz_checkpoint_list_destroy(struct gz_checkpoint_list *list); /* NULL is fine */

size_t gz_checkpoint_list_count(const struct gz_checkpoint_list *list);
/* Ascending by seq, those of one seq in the order in which they were made. */
const struct gz_checkpoint_entry *gz_checkpoint_list_at(const struct gz_checkpoint_list *list,
                                                        size_t place);
/* NULL where there is none of this name, which need not be terminated. */
const struct gz_checkpoint_entry *gz_checkpoint_list_find(const struct gz_checkpoint_list *list,
                                                          const char *name, size_t size);

/* Of the latest change, at least 1: with 0 nothing is known of any. */
uint64_t gz_checkpoint_list_version(const struct gz_checkpoint_list *list);
/* Ends up to this version are forgotten: who stands before it has to be told everything anew. */
uint64_t gz_checkpoint_list_forgotten(const struct gz_checkpoint_list *list);
/* Those that ended after `version` and whose names nobody gave again, each once, into `gone` with
 * room for GZ_CHECKPOINTS_GONE_RING; how many. */
size_t gz_checkpoint_list_gone(const struct gz_checkpoint_list *list, uint64_t version,
                               const struct gz_checkpoint_entry **gone);

/* Takes the entry over: a name that is given, which no other one has, or one that ends. Needs no
 * memory. There is room for GZ_CHECKPOINTS_MAX: the caller counts. */
void gz_checkpoint_list_put(struct gz_checkpoint_list *list, struct gz_checkpoint_entry *entry);

#endif
