/* header.c - texts and lists in the headers of HTTP. */
#include "front/header.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "proto/base/json.h"

/* ---- texts ---- */

/* Appends formatted text and JSON strings. */

bool gz_text_print(struct gz_buffer *buffer, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof text) return false;
    return gz_buffer_append(buffer, text, (size_t)size) == GZ_OK;
}

bool gz_text_json(struct gz_buffer *buffer, const char *text)
{
    return gz_json_append_text(buffer, text, strlen(text)) == GZ_OK;
}

/* ---- lists ---- */

/* Reads If-None-Match and Accept-Encoding. */

bool gz_etag_is_listed(const char *list, const char *etag)
{
    size_t size = strlen(etag);
    for (;;) {
        list += strspn(list, ", \t");
        if (*list == '*') return true;
        if (strncmp(list, "W/", 2) == 0) list += 2;
        const char *end = *list == '"' ? strchr(list + 1, '"') : NULL;
        if (end == NULL) return false;
        end++;
        if ((size_t)(end - list) == size && memcmp(list, etag, size) == 0) return true;
        list = end;
    }
}

/* The value of `;q=` among the parameters of one element; 1 if there is none. */
static double weight_of(const char *parameters, const char *end)
{
    for (const char *at = parameters; at < end; at++) {
        if ((*at == 'q' || *at == 'Q') && at + 1 < end && at[1] == '=') return strtod(at + 2, NULL);
    }
    return 1;
}

bool gz_gzip_is_accepted(const char *list)
{
    bool any = false;
    while (*list != '\0') {
        list += strspn(list, ", \t");
        size_t name = strcspn(list, ",; \t"), all = strcspn(list, ",");
        bool wanted = weight_of(list + name, list + all) > 0;
        if (name == 4 && strncasecmp(list, "gzip", 4) == 0) return wanted;
        if (name == 1 && *list == '*') any = wanted;
        list += all;
    }
    return any;
}

bool gz_histogram_print(struct gz_buffer *out, const char *name, const char *help,
                        const struct gz_histogram *histogram)
{
    uint64_t count = 0;
    bool ok =
        gz_text_print(out, "# HELP gizmod_%s %s\n# TYPE gizmod_%s histogram\n", name, help, name);
    for (size_t i = 0; ok && i < GZ_HISTOGRAM_CLASSES; i++) {
        count += histogram->counts[i];
        ok = gz_text_print(out, "gizmod_%s_bucket{le=\"%g\"} %" PRIu64 "\n", name,
                           gz_histogram_bounds_s[i], count);
    }
    count += histogram->counts[GZ_HISTOGRAM_CLASSES];
    return ok && gz_text_print(out,
                               "gizmod_%s_bucket{le=\"+Inf\"} %" PRIu64 "\n"
                               "gizmod_%s_sum %.6f\ngizmod_%s_count %" PRIu64 "\n",
                               name, count, name, (double)histogram->sum_us * 1e-6, name, count);
}
