/* json_value.h - a value of a JSON document, for the files that read and edit documents. Private to
 * json.c and json_read.c. */
#ifndef GZ_EXCHANGE_JSON_VALUE_H
#define GZ_EXCHANGE_JSON_VALUE_H

#include "exchange/json.h"

/* Sizes are below 2^32, because a document has at most GZ_ASSET_BYTES_MAX bytes. */
struct gz_json {
    const char *text; /* the value itself */
    const char *lead; /* what stands between the comma before and the value, with a member's name */
    const char *key;  /* a member's name; NULL for an element */
    struct gz_json *up;
    union {
        struct {
            const char *at;
            uint32_t size;
        } said; /* of a text */
        struct {
            struct gz_json **items; /* behind them in a large object: the same, sorted by name */
            uint32_t capacity;
        } held; /* of a list or an object */
    };
    uint32_t size, lead_size, key_size;
    uint32_t count : 27; /* of the items */
    uint32_t kind : 3;   /* enum gz_json_kind */
    uint32_t is_edited : 1, is_disregarded : 1;
};

/* How many pointers a holder of `capacity` items needs. */
size_t gz_json_room(unsigned kind, size_t capacity);
/* To be called once the items of a holder are complete, or were changed. */
void gz_json_sort(struct gz_json *holder);

#endif
