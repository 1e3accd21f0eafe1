/* What kind of act it is, and of what operation. */
#include "sim/act.h"

bool is_phase(const struct act *act, enum gz_phase phase)
{
    return act->kind == ACT_MESSAGE && !act->late && act->message != NULL &&
           act->message->op == GZ_OP_POINTER && act->message->pointer.phase == phase;
}

bool ends_hold(const struct act *act, enum gz_op op)
{
    return act->kind == ACT_MESSAGE && !act->late && act->message != NULL && act->message->op == op;
}

bool op_edits(enum gz_op op)
{
    return op == GZ_OP_SET || op == GZ_OP_CREATE || op == GZ_OP_DELETE || op == GZ_OP_UNDO ||
           op == GZ_OP_REDO || op == GZ_OP_REVERT || op == GZ_OP_RESTORE;
}

bool op_closes_wheel(enum gz_op op)
{
    return op_edits(op) || op == GZ_OP_TOOL || op == GZ_OP_SELECT || op == GZ_OP_GRAB ||
           op == GZ_OP_HOLD;
}

bool op_is_beside(enum gz_op op)
{
    return op == GZ_OP_TOOL || op == GZ_OP_SELECT || op == GZ_OP_PICK || op == GZ_OP_HISTORY ||
           op == GZ_OP_AT || op == GZ_OP_INTEREST || op == GZ_OP_NOTE || op == GZ_OP_ACCESS ||
           op == GZ_OP_CHECKPOINT || op == GZ_OP_PING;
}

bool op_waits_beside(enum gz_op op)
{
    return op == GZ_OP_NOTE || op == GZ_OP_ACCESS || op == GZ_OP_CHECKPOINT;
}
