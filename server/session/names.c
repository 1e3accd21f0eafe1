/* names.c - a hash table by text. See names.h. */
#include "session/names.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS_MIN = 16 };

uint32_t gz_text_hash(const char *text)
{
    uint32_t hash = 2166136261u;
    for (const char *at = text; *at != '\0'; at++) hash = (hash ^ (unsigned char)*at) * 16777619u;
    return hash;
}

static struct gz_name **bucket_of(const struct gz_names *names, const char *text)
{
    return &names->buckets[gz_text_hash(text) & (names->bucket_count - 1)];
}

static void put_first(struct gz_name **bucket, struct gz_name *name)
{
    name->next = *bucket;
    name->link = bucket;
    if (name->next != NULL) name->next->link = &name->next;
    *bucket = name;
}

bool gz_names_reserve(struct gz_names *names)
{
    if (names->count < names->bucket_count) return true;
    struct gz_names more = {.count = names->count};
    more.bucket_count = names->bucket_count > 0 ? 2 * names->bucket_count : BUCKETS_MIN;
    more.buckets = calloc(more.bucket_count, sizeof *more.buckets);
    if (more.buckets == NULL) return false;
    for (size_t i = 0; i < names->bucket_count; i++) {
        for (struct gz_name *name = names->buckets[i], *next; name != NULL; name = next) {
            next = name->next;
            put_first(bucket_of(&more, name->text), name);
        }
    }
    free(names->buckets);
    *names = more;
    return true;
}

void gz_names_add(struct gz_names *names, struct gz_name *name, const char *text)
{
    name->text = text;
    put_first(bucket_of(names, text), name);
    names->count++;
}

void gz_names_remove(struct gz_names *names, struct gz_name *name)
{
    *name->link = name->next;
    if (name->next != NULL) name->next->link = name->link;
    names->count--;
}

struct gz_name *gz_names_find(const struct gz_names *names, const char *text)
{
    if (names->count == 0) return NULL;
    struct gz_name *name = *bucket_of(names, text);
    while (name != NULL && strcmp(name->text, text) != 0) name = name->next;
    return name;
}

void gz_names_finish(struct gz_names *names)
{
    free(names->buckets);
    *names = (struct gz_names){.count = 0};
}
