/* names.h - a hash table by text: the sessions of a user, the share of a payer. A scene may have
 * thousands, and a search takes the same steps however many there are.
 *
 * Several items may have the same text. Ownership: an item holds its struct gz_name and the text,
 * which stay where they are while it is listed; the caller owns the struct gz_names, and finish
 * frees its buckets. Threads: one. Errors: only gz_names_reserve can fail. */
#ifndef GZ_SESSION_NAMES_H
#define GZ_SESSION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"

/* The member that makes an item fit for the table. */
struct gz_name {
    struct gz_name *next, **link; /* in its bucket; the pointer to this item */
    const char *text;
};

/* Zero: nothing is listed. */
struct gz_names {
    struct gz_name **buckets; /* a power of two of them */
    size_t bucket_count, count;
};

/* Room for one more; false without memory. */
GZ_MUST_USE bool gz_names_reserve(struct gz_names *names);
/* There must be room (gz_names_reserve). */
void gz_names_add(struct gz_names *names, struct gz_name *name, const char *text);
/* The item must be listed. */
void gz_names_remove(struct gz_names *names, struct gz_name *name);
/* An item with this text; NULL for none. */
struct gz_name *gz_names_find(const struct gz_names *names, const char *text);
void gz_names_finish(struct gz_names *names);

/* The same number for the same text each time. */
uint32_t gz_text_hash(const char *text);

#endif
