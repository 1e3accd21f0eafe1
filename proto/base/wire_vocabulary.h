/* wire_vocabulary.h - the words that the wire and the history share and the solvers do not know,
 * each list once. An enumerator's word is its name in the protocol and the database. Threads: pure,
 * any. */
#ifndef GZ_BASE_WIRE_TERMS_H
#define GZ_BASE_WIRE_TERMS_H

#include "proto/base/vocabulary.h"

#ifdef __cplusplus
extern "C" {
#endif

enum gz_phase {
    GZ_PHASE_HOVER,
    GZ_PHASE_DOWN,
    GZ_PHASE_MOVE,
    GZ_PHASE_UP,
    GZ_PHASE_CANCEL,
    GZ_PHASE_COUNT
};

/* In order of their rights: each role has all rights of the roles before it. */
enum gz_role { GZ_ROLE_VIEWER, GZ_ROLE_EDITOR, GZ_ROLE_ADMIN, GZ_ROLE_COUNT };

enum gz_how { GZ_HOW_SET, GZ_HOW_ADD, GZ_HOW_REMOVE, GZ_HOW_TOGGLE, GZ_HOW_COUNT };

enum gz_edit_kind {
    GZ_EDIT_TRANSLATE,
    GZ_EDIT_ROTATE,
    GZ_EDIT_SCALE,
    GZ_EDIT_BALL,
    GZ_EDIT_WHEEL,
    GZ_EDIT_SET,
    GZ_EDIT_CREATE,
    GZ_EDIT_DELETE,
    GZ_EDIT_UNDO,
    GZ_EDIT_REDO,
    GZ_EDIT_RESTORE,
    GZ_EDIT_IMPORT,
    GZ_EDIT_POSE,
    GZ_EDIT_KIND_COUNT
};

extern const struct gz_vocabulary gz_phase_words, gz_role_words, gz_how_words, gz_edit_kind_words;

/* The kind of edit that a drag on this handle becomes. GZ_HANDLE_NONE is not allowed. */
enum gz_edit_kind gz_handle_kind(enum gz_handle handle);

#ifdef __cplusplus
}
#endif

#endif
