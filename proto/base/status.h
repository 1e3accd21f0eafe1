/* status.h - all kinds of errors, once. Each status has the word that the wire uses for it and a
 * sentence for people. Threads: pure, any. */
#ifndef GZ_BASE_STATUS_H
#define GZ_BASE_STATUS_H

#include <stdbool.h>

#include "proto/limits.h"

#define GZ_MUST_USE __attribute__((warn_unused_result))
#define GZ_PRINTF(text, first) __attribute__((format(printf, text, first)))

enum gz_status {
    GZ_OK = 0,
    GZ_BAD_MESSAGE, /* the bytes do not have the form of a message */
    GZ_BAD_VALUE,   /* the form is right, the value is invalid */
    GZ_BAD_STATE,   /* valid, but not in this state */
    GZ_UNKNOWN_OP,
    GZ_UNKNOWN_NODE,
    GZ_UNKNOWN_SCENE,
    GZ_UNKNOWN_HANDLE,
    GZ_FORBIDDEN,    /* the role does not allow it */
    GZ_UNAUTHORISED, /* the token does not allow it */
    GZ_LOCKED,       /* another session holds the node */
    GZ_CONFLICT,     /* another user changed it since */
    GZ_TOO_LARGE,
    GZ_TOO_MANY,
    GZ_RATE_LIMITED,
    GZ_STORAGE, /* the disk refused it */
    GZ_VERSION,
    GZ_INTERNAL,
    /* Those below are not on the wire. */
    GZ_NO_MEMORY,   /* said as "internal" */
    GZ_UNREACHABLE, /* of a client: no connection, or it was lost, or no answer came in time */
    GZ_STATUS_COUNT
};

/* A status with a sentence that names the field and the fault. */
struct gz_error {
    enum gz_status status;
    bool no_room; /* with GZ_STORAGE: the disk has no room. gz_fail_no_room alone sets it */
    char message[GZ_ERROR_BYTES_MAX];
};

/* The wire's word, e.g. "bad_value". Static text; never NULL. */
const char *gz_status_word(enum gz_status status);

/* The status of a wire word; GZ_INTERNAL for an unknown one. */
enum gz_status gz_status_from_word(const char *word, unsigned long size);

/* As snprintf, but a text that is too long is cut at a whole UTF-8 character. */
void gz_print(char *text, unsigned long size, const char *format, ...) GZ_PRINTF(3, 4);

/* Fills `error` (which may be NULL) and returns `status`, so that a failure is one statement. A
 * message that is too long is cut at a whole UTF-8 character. */
enum gz_status gz_fail(struct gz_error *error, enum gz_status status, const char *format, ...)
    GZ_PRINTF(3, 4);
/* The same with GZ_STORAGE, because the disk has no room. */
enum gz_status gz_fail_no_room(struct gz_error *error, const char *format, ...) GZ_PRINTF(2, 3);

#endif
