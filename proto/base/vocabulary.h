/* vocabulary.h - the words of manipulation that the solvers, the wire and the history share, each
 * list once. The words that the solvers do not know are in wire_vocabulary.h. An enumerator's word
 * is what the protocol and the database call it. Threads: pure, any. */
#ifndef GZ_BASE_TERMS_H
#define GZ_BASE_TERMS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Handles: translate on axis, plane and view plane; rotate on ring, view ring and ball; scale on
 * axis, plane and all; scale by a face or corner of the bounds, N for the side of the least
 * coordinate and P for that of the largest. */
enum gz_handle {
    GZ_HANDLE_NONE,
    GZ_TX,
    GZ_TY,
    GZ_TZ,
    GZ_TXY,
    GZ_TYZ,
    GZ_TZX,
    GZ_TV,
    GZ_RX,
    GZ_RY,
    GZ_RZ,
    GZ_RV,
    GZ_RB,
    GZ_SX,
    GZ_SY,
    GZ_SZ,
    GZ_SXY,
    GZ_SYZ,
    GZ_SZX,
    GZ_SU,
    GZ_BXN,
    GZ_BXP,
    GZ_BYN,
    GZ_BYP,
    GZ_BZN,
    GZ_BZP,
    GZ_BNNN,
    GZ_BNNP,
    GZ_BNPN,
    GZ_BNPP,
    GZ_BPNN,
    GZ_BPNP,
    GZ_BPPN,
    GZ_BPPP,
    GZ_HANDLE_COUNT
};

enum gz_mode {
    GZ_MODE_NONE,
    GZ_MODE_TRANSLATE,
    GZ_MODE_ROTATE,
    GZ_MODE_SCALE,
    GZ_MODE_BOUNDS,
    GZ_MODE_UNIVERSAL,
    GZ_MODE_ARCBALL,
    GZ_MODE_ORBIT,
    GZ_MODE_COUNT
};

enum gz_space { GZ_SPACE_WORLD, GZ_SPACE_LOCAL, GZ_SPACE_PARENT, GZ_SPACE_VIEW, GZ_SPACE_COUNT };

/* The fixed point of a rotation or scale. GZ_PIVOT_POINT is a point given by the client; it has no
 * word. */
enum gz_pivot {
    GZ_PIVOT_MEDIAN,
    GZ_PIVOT_ACTIVE,
    GZ_PIVOT_EACH,
    GZ_PIVOT_BOUNDS,
    GZ_PIVOT_POINT,
    GZ_PIVOT_COUNT
};

/* How a pointer becomes a place on an axis. */
enum gz_axis_method { GZ_AXIS_SCREEN, GZ_AXIS_CLOSEST, GZ_AXIS_PLANE, GZ_AXIS_COUNT };

/* GZ_BALL_SHOEMAKE turns by twice the arc; GZ_BALL_SHOEMAKE_SINGLE by the arc (not on the wire, for
 * replayed drags). */
enum gz_ball {
    GZ_BALL_EXACT,
    GZ_BALL_SHOEMAKE,
    GZ_BALL_BELL,
    GZ_BALL_CHEN,
    GZ_BALL_SHOEMAKE_SINGLE,
    GZ_BALL_COUNT
};

enum gz_ball_fit { GZ_FIT_OBJECT, GZ_FIT_CIRCLE, GZ_FIT_ELLIPSE, GZ_FIT_COUNT };

/* How a pointer turns the view. */
enum gz_orbit_law { GZ_ORBIT_BALL, GZ_ORBIT_TURNTABLE, GZ_ORBIT_LAW_COUNT };

/* Flags of a pointer, one bit each: 1 << GZ_MOD_SNAP and so on. */
enum gz_mod { GZ_MOD_SNAP, GZ_MOD_FINE, GZ_MOD_ADD, GZ_MOD_ORBIT, GZ_MOD_PICKED, GZ_MOD_COUNT };

/* A list of words, one for each enumerator from 0; NULL if an enumerator has no word. */
struct gz_vocabulary {
    const char *const *words;
    int count;
};

extern const struct gz_vocabulary gz_handle_words, gz_mode_words, gz_space_words, gz_pivot_words,
    gz_axis_words, gz_ball_words, gz_fit_words, gz_orbit_words, gz_mod_words, gz_euler_words;

/* The word of `value`; "" if it has none. */
const char *gz_vocabulary_word(const struct gz_vocabulary *terms, int value);
/* The value whose word these bytes are; -1 if there is none. */
int gz_vocabulary_value(const struct gz_vocabulary *terms, const char *word, size_t size);

#ifdef __cplusplus
}
#endif

#endif
