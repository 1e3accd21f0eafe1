/* json.h - the texts and the numbers of JSON (RFC 8259): where one ends, what it says, and how it
 * is written. Whoever reads JSON has lists and objects of their own. Threads: pure, any. */
#ifndef GZ_BASE_JSON_H
#define GZ_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/buffer.h"

/* Goes over a text: *at is behind its opening quote, and then at its closing one, or at what is
 * wrong. Returns what that is, in words; NULL: nothing. `*is_plain`: the text says what stands
 * there, because it has no escapes. */
const char *gz_json_skip_text(const char **at, const char *end, bool *is_plain);

/* What is done with NUL, with half of a surrogate pair, and with bytes that are not UTF-8. */
enum gz_json_text_rule {
    GZ_JSON_AS_IT_IS, /* kept: half of a pair as its three bytes, which are not UTF-8 */
    GZ_JSON_MENDED    /* each is U+FFFD */
};
/* What a text says that was gone over, from behind its opening quote to its closing one. Returns
 * how many bytes that are; writes them unless `out` is NULL. As it is, it is not longer than it
 * stands there. */
size_t gz_json_read_text(const char *at, const char *end, enum gz_json_text_rule rule, char *out);

/* What the digits of a number are worth. */
struct gz_json_digits {
    const char *start; /* behind the minus */
    bool is_negative;
    bool is_whole;  /* it has neither fraction nor exponent, and `whole` holds it */
    uint64_t whole; /* the first 19 digits that count */
    size_t count;   /* how many count: from the first that is not 0 on */
    long exponent;  /* the power of ten of the last one in `whole` */
};
/* Goes over a number: *at is at its first byte, and then behind it. False: it has not the form of
 * a number of JSON. */
bool gz_json_skip_number(const char **at, const char *end, struct gz_json_digits *digits);
/* The nearest double; infinite beyond the largest. The digits are still there, and a byte follows
 * them that may follow a number in JSON, or NUL. */
double gz_json_value(const struct gz_json_digits *digits);

/* How many bytes of `at`, from the beginning on, a text may hold as they are: up to the first one
 * that has to be escaped (DEL too, for terminals), or that is not UTF-8. */
size_t gz_json_plain_size(const char *at, size_t size);
/* The escape of such a byte; U+FFFD for one that is not UTF-8. Returns its size. */
size_t gz_json_escape(unsigned char byte, char out[6]);
/* Appends a text with its quotes. On an error (as of gz_buffer_append) it may be there in part. */
GZ_MUST_USE enum gz_status gz_json_append_text(struct gz_buffer *out, const char *text,
                                               size_t size);

#endif
