/* wire_vocabulary.c - the words that only the wire and the history use. */
#include "proto/base/wire_vocabulary.h"

#include <assert.h>

static const char *const phase_words[GZ_PHASE_COUNT] = {"hover", "down", "move", "up", "cancel"};
static const char *const role_words[GZ_ROLE_COUNT] = {"viewer", "editor", "admin"};
static const char *const how_words[GZ_HOW_COUNT] = {"set", "add", "remove", "toggle"};
static const char *const edit_kind_words[GZ_EDIT_KIND_COUNT] = {
    "translate", "rotate", "scale", "ball",    "wheel",  "set",  "create",
    "delete",    "undo",   "redo",  "restore", "import", "pose",
};

const struct gz_vocabulary gz_phase_words = {phase_words, GZ_PHASE_COUNT};
const struct gz_vocabulary gz_role_words = {role_words, GZ_ROLE_COUNT};
const struct gz_vocabulary gz_how_words = {how_words, GZ_HOW_COUNT};
const struct gz_vocabulary gz_edit_kind_words = {edit_kind_words, GZ_EDIT_KIND_COUNT};

enum gz_edit_kind gz_handle_kind(enum gz_handle handle)
{
    assert(handle != GZ_HANDLE_NONE);
    if (handle <= GZ_TV) return GZ_EDIT_TRANSLATE;
    if (handle <= GZ_RV) return GZ_EDIT_ROTATE;
    return handle == GZ_RB ? GZ_EDIT_BALL : GZ_EDIT_SCALE;
}
