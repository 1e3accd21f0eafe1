/* core_promises.h - what has to hold in a simulated core (core_host.h), whatever its clients say.
 * Each function fails the test if it does not. Threads: one. */
#ifndef GZ_TEST_CORE_PROMISES_H
#define GZ_TEST_CORE_PROMISES_H

#include "support/core_host.h"

/* Whether the disk has a note with this id, deleted or not. */
bool promises_has_note(const struct host *host, uint64_t id);
/* What a client was told is stored: the edit of an `ok` or of `edit` with its seq, the note of an
 * `ok`, each note that is shown. */
void promises_check_stored(const struct host *host, const struct gz_message *message);
/* A node is held by the session whose drag is on it, and by nobody else. */
void promises_check_holders(const struct gz_core *core);
/* The nodes are a tree whose depth is bounded, and stand in the order of their changes. */
void promises_check_tree(const struct gz_core *core);
/* A client that reads knows who is here, and what each of them selected and holds. */
void promises_check_presence(const struct client *client);

#endif
