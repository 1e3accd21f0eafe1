/* json.c - reads JSON by jansson so that a lack of memory changes no text. */
#include <stdlib.h>
#include <string.h>

#include "proto/token/internal.h"

/* jansson collects each text and number in one buffer, and leaves out a character for which the
 * buffer cannot grow, which may make another user or time of it. So the JSON is read in a list,
 * behind a text that is as long as the JSON: once that text is complete, the buffer is large
 * enough. */
static size_t write_list(const char *bytes, size_t size, char *text)
{
    size_t used = 0;
    memcpy(text, "[\"", 2);
    used += 2;
    memset(text + used, 'x', size);
    used += size;
    memcpy(text + used, "\",\n", 3);
    used += 3;
    memcpy(text + used, bytes, size);
    used += size;
    text[used++] = ']';
    return used;
}

/* The list has two elements if the bytes are one value: nothing may follow the value. */
static json_t *take_second(json_t *list, size_t size)
{
    bool is_whole =
        json_array_size(list) == 2 && json_string_length(json_array_get(list, 0)) == size;
    json_t *value = is_whole ? json_incref(json_array_get(list, 1)) : NULL;
    json_decref(list);
    return value;
}

json_t *gz_json_read(const char *bytes, size_t size, json_error_t *where)
{
    *where = (json_error_t){.line = 1};
    char *text = malloc(2 * size + 8);
    if (text == NULL) return NULL;
    size_t used = write_list(bytes, size, text);
    json_t *list = json_loadb(text, used, JSON_REJECT_DUPLICATES, where);
    OPENSSL_cleanse(text, used);
    free(text);
    where->line = where->line > 1 ? where->line - 1 : 1;
    where->column = where->column > 0 ? where->column : 1;
    return take_second(list, size);
}
