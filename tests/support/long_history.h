/* long_history.h - makes the history of a scene's file long, by SQL, in a second for 100,000 edits.
 * The file then passes every check. Everything here fails the test that called it. */
#ifndef TESTS_SUPPORT_LONG_HISTORY_H
#define TESTS_SUPPORT_LONG_HISTORY_H

#include <stdint.h>

/* Adds so many edits, a second apart from `time` on (Unix seconds), of one node each. The file is
 * closed, and has one edit so far, which made the nodes 1 to `nodes`. */
void long_history_add(const char *path, uint64_t nodes, uint64_t edits, double time);

#endif
