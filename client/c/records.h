/* records.h - received records by id: a sorted array of blocks from malloc. Zeroed it is empty.
 * Ownership: put takes the block over, also if it fails; the result of find is valid until the next
 * put, remove or clear. Threads: one at a time. */
#ifndef GZ_CLIENT_RECORDS_H
#define GZ_CLIENT_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"
#include "proto/message.h"

struct gz_record_entry {
    uint64_t id;
    void *block;
};

struct gz_records {
    struct gz_record_entry *list;
    size_t count, capacity;
};

/* Adds the block, or replaces the one with this id. False without memory (or if the block is NULL):
 * then nothing changed. */
GZ_MUST_USE bool gz_records_put(struct gz_records *records, uint64_t id, void *block);
void gz_records_remove(struct gz_records *records, uint64_t id);
void gz_records_clear(struct gz_records *records);
void *gz_records_find(const struct gz_records *records, uint64_t id); /* NULL if there is none */

/* Copies a text to *at, terminated, and moves *at behind it. */
struct gz_text gz_record_text(char **at, struct gz_text text);

#endif
