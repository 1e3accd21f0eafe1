/* edits.h - the rules of edits that are made at once. */
#ifndef GZ_TEST_SIM_EDITS_H
#define GZ_TEST_SIM_EDITS_H

#include "sim/lives.h"

struct sim;

struct deed *add_edit(struct sim *sim, const struct act *act, enum gz_edit_kind kind,
                      uint64_t target);
/* The same for a revert, of the message or of the answer that it waited for; NULL if it made none.
 */
struct deed *check_revert(struct sim *sim, const struct act *act, uint64_t edit, bool force);
/* The edit that the message made; NULL for none. `completed` is the drag that it ended. */
struct deed *check_operation(struct sim *sim, const struct act *act, struct deed *completed);

#endif
