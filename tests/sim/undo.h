/* undo.h - the edit that an undo is about, what is in its way, and what it makes of the scene. */
#ifndef GZ_TEST_SIM_UNDO_H
#define GZ_TEST_SIM_UNDO_H

#include "sim/lives.h"

/* The edit that the user's undo or redo is about; NULL for nothing. */
const struct deed *undo_target(const struct model *model, const char *user, bool redo);
/* What was done last about it: that is to be done backwards. */
const struct deed *undo_last(const struct model *model, const struct deed *target);
/* Whether undo still knows of it; else the file is asked. */
bool undo_knows(const struct model *model, const struct deed *deed);
/* Whether all is there as it left it. */
bool undo_is_as_left(const struct model *model, const struct deed *last);
/* The latest edit of somebody else since then that is in the way; NULL for none. For a revert, of
 * anybody: `user` is empty. */
const struct deed *undo_conflict(const struct model *model, const struct deed *last,
                                 const char *user);
/* What it makes of its nodes, as they are now. */
void undo_outcome(const struct model *model, const struct deed *last, struct facts *facts);

#endif
