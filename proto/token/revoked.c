/* revoked.c - reads the list of revoked tokens, sorted, so that a long one costs a request little.
 */
#include "proto/token/revoked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/file.h"

/* A token, or all of a user; the text lies in the file. */
struct line {
    bool is_user;
    const char *text;
    double before_unix_s; /* of a user */
};

struct gz_revoked {
    char *text;
    struct line *lines;
    size_t count;
};

/* By kind and text; of one user the latest time comes first. */
static int compare_names(const struct line *a, const struct line *b)
{
    return a->is_user != b->is_user ? (int)a->is_user - (int)b->is_user : strcmp(a->text, b->text);
}

static int compare(const void *first, const void *second)
{
    const struct line *a = first, *b = second;
    const int names = compare_names(a, b);
    if (names != 0) return names;
    return (a->before_unix_s < b->before_unix_s) - (a->before_unix_s > b->before_unix_s);
}

static bool read_time(const char *text, double *unix_s)
{
    char *end;
    struct tm utc = {0};
    *unix_s = strtod(text, &end);
    if (*end == '\0') return end > text && isfinite(*unix_s);
    const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    *unix_s = (double)timegm(&utc);
    return rest != NULL && *rest == '\0';
}

/* The first word; *rest is what follows it, without blanks before it. */
static const char *take_word(char **rest)
{
    char *word = *rest;
    *rest += strcspn(*rest, " \t");
    if (**rest != '\0') *(*rest)++ = '\0';
    *rest += strspn(*rest, " \t");
    return word;
}

static enum gz_status read_line(char *text, struct line *line, struct gz_error *error)
{
    const char *kind = take_word(&text);
    line->is_user = strcmp(kind, "user") == 0;
    if (!line->is_user && strcmp(kind, "jti") != 0)
        return gz_fail(error, GZ_BAD_VALUE, "a line is \"jti ID\" or \"user TIME NAME\"");
    const char *time = line->is_user ? take_word(&text) : "0";
    if (!read_time(time, &line->before_unix_s))
        return gz_fail(error, GZ_BAD_VALUE,
                       "\"%s\" is not a time: Unix seconds, or as 2026-11-29T12:00:00Z", time);
    if (*text == '\0')
        return gz_fail(error, GZ_BAD_VALUE, "the %s is missing",
                       line->is_user ? "name of the user" : "id of the token");
    line->text = text;
    return GZ_OK;
}

static void trim_end(char *text)
{
    char *end = text + strlen(text);
    while (end > text && strchr(" \t\r", end[-1]) != NULL) *--end = '\0';
}

static enum gz_status read_lines(struct gz_revoked *revoked, struct gz_error *error)
{
    struct gz_error why;
    char *text = revoked->text;
    for (int number = 1; text != NULL; number++) {
        char *next = strchr(text, '\n');
        if (next != NULL) *next++ = '\0';
        trim_end(text);
        text += strspn(text, " \t");
        if (*text != '\0' && *text != '#' &&
            read_line(text, &revoked->lines[revoked->count++], &why) != GZ_OK)
            return gz_fail(error, GZ_BAD_VALUE, "line %d: %s", number, why.message);
        text = next;
    }
    qsort(revoked->lines, revoked->count, sizeof *revoked->lines, compare);
    return GZ_OK;
}

static enum gz_status read_text(struct gz_revoked *revoked, size_t size, struct gz_error *error)
{
    size_t lines = 1;
    if (memchr(revoked->text, '\0', size) != NULL)
        return gz_fail(error, GZ_BAD_VALUE, "is not a text");
    for (const char *at = revoked->text; (at = strchr(at, '\n')) != NULL; at++) lines++;
    revoked->lines = calloc(lines, sizeof *revoked->lines);
    if (revoked->lines == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for the list");
    return read_lines(revoked, error);
}

enum gz_status gz_revoked_load(const char *path, struct gz_revoked **revoked,
                               struct gz_error *error)
{
    struct gz_error why;
    struct gz_file file = {0};
    *revoked = calloc(1, sizeof **revoked);
    if (*revoked == NULL) return gz_fail(error, GZ_NO_MEMORY, "no memory for the list");
    enum gz_status status = gz_file_read(path, GZ_REVOKED_BYTES_MAX, &file, &why);
    (*revoked)->text = file.bytes;
    if (status == GZ_OK) status = read_text(*revoked, file.size, &why);
    if (status == GZ_OK) return GZ_OK;
    gz_revoked_destroy(*revoked);
    *revoked = NULL;
    return gz_fail(error, status, "%s: %s", path, why.message);
}

void gz_revoked_destroy(struct gz_revoked *revoked)
{
    if (revoked == NULL) return;
    free(revoked->lines);
    free(revoked->text);
    free(revoked);
}

/* The first line of a kind and a text; NULL if there is none. */
static const struct line *find(const struct gz_revoked *revoked, bool is_user, const char *text)
{
    const struct line wanted = {.is_user = is_user, .text = text};
    size_t from = 0, to = revoked->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (compare_names(&revoked->lines[middle], &wanted) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from < revoked->count && compare_names(&revoked->lines[from], &wanted) == 0
               ? &revoked->lines[from]
               : NULL;
}

bool gz_revoked_has(const struct gz_revoked *revoked, const char *user,
                    const struct gz_token_id *id)
{
    if (revoked == NULL) return false;
    if (id->jti[0] != '\0' && find(revoked, false, id->jti) != NULL) return true;
    const struct line *line = user[0] != '\0' ? find(revoked, true, user) : NULL;
    return line != NULL && id->issued_unix_s < line->before_unix_s;
}
