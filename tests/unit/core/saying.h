/* saying.h - what clients ask for in these tests, in few words. Each asks, makes a turn, and gives
 * the answer (NULL: none yet). */
#ifndef GZ_TEST_SAYING_H
#define GZ_TEST_SAYING_H

#include "server/maxima.h"
#include "support/chance.h"
#include "support/core_host.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define NO_FLAGS 0

/* A window of 800 x 600 px, 90 degrees high; a metre at the distance d is 300 / d px. The middle is
 * at 400, 300. */
#define MIDDLE_X 400.0
#define MIDDLE_Y 300.0
#define METRE_PX(distance) (300.0 / (distance))

#define CLOSE_SCENE_AS_USUAL                                                                       \
    static void close_scene(struct scene *s)                                                       \
    {                                                                                              \
        host_close(&s->host);                                                                      \
    }
/* A test in a scene of its own, `s`, in a file that has open_scene and close_scene. */
#define SCENE_TEST(name)                                                                           \
    static void name##_in(struct scene *s);                                                        \
    TEST(name)                                                                                     \
    {                                                                                              \
        struct scene s;                                                                            \
        open_scene(&s);                                                                            \
        name##_in(&s);                                                                             \
        close_scene(&s);                                                                           \
    }                                                                                              \
    static void name##_in(struct scene *s)

/* What is charged for so many nodes, in messages. */
static inline double messages(size_t nodes)
{
    return (double)nodes / GZ_NODES_PER_MESSAGE;
}

/* Within a nanometre. */
void assert_near(gz_vec3 place, double x, double y, double z);
void assert_ok(const struct gz_message *answer);
void assert_refused(const struct gz_message *answer, enum gz_status status);
/* `text` is all of the message, or its beginning where it ends in "...". */
void assert_says(const struct gz_message *answer, enum gz_status status, const char *text);

/* Sends a request without a turn; returns its rid. */
uint64_t ask_later(struct client *client, struct gz_message message);
/* A node with a box of one metre about its origin. Returns its id; the disk must be committing. */
uint64_t create_node(struct client *client, const char *name, uint64_t parent, double x, double y,
                     double z);
const struct gz_message *ask_create(struct client *client, const char *name, uint64_t parent,
                                    const char *key);
const struct gz_message *ask_move(struct client *client, uint64_t id, double x, double y, double z);
const struct gz_message *ask_rename(struct client *client, uint64_t id, const char *name);
const struct gz_message *ask_hang(struct client *client, uint64_t id, uint64_t parent);
const struct gz_message *ask_delete(struct client *client, uint64_t id);
const struct gz_message *ask_undo(struct client *client, bool force);
const struct gz_message *ask_redo(struct client *client, bool force);
const struct gz_message *ask_revert(struct client *client, uint64_t edit, bool force);
const struct gz_message *ask_select(struct client *client, uint64_t id); /* 0: nothing */
/* Looks along -z from (0, 0, distance). */
const struct gz_message *ask_camera(struct client *client, double distance);
const struct gz_message *ask_mode(struct client *client, enum gz_mode mode);
const struct gz_message *ask_pointer(struct client *client, enum gz_phase phase, double x,
                                     double y);
const struct gz_message *ask_grab(struct client *client, enum gz_handle handle, uint64_t id,
                                  double x, double y);
const struct gz_message *ask_wheel(struct client *client, double notches);
/* Makes a note about the scene as a whole, changes one's text, says that it is done or that it is
 * to go. */
const struct gz_message *ask_note(struct client *client, const char *text, const char *key);
const struct gz_message *ask_reword(struct client *client, uint64_t note, const char *text);
const struct gz_message *ask_done(struct client *client, uint64_t note, bool done);
const struct gz_message *ask_gone(struct client *client, uint64_t note);
/* Names the present state, takes a name away, and tells of those that there are. */
const struct gz_message *ask_checkpoint(struct client *client, const char *name);
const struct gz_message *ask_checkpoint_of(struct client *client, const char *name, uint64_t seq);
const struct gz_message *ask_checkpoint_gone(struct client *client, const char *name);
/* Gives the users that a pattern matches a role, or takes it away. */
const struct gz_message *ask_access(struct client *client, const char *user, enum gz_role role);
const struct gz_message *ask_access_gone(struct client *client, const char *user);
const struct gz_message *ask_token(struct client *client, const char *token);
const struct gz_message *ask_op(struct client *client,
                                enum gz_op op); /* one without needed fields */

struct gz_message camera_message(double distance);
struct gz_message pointer_message(enum gz_phase phase, double x, double y, uint64_t n);

/* Nodes 1 to `count` of a new scene, at its root; and the first of them selected. */
void create_many(struct client *client, size_t count);
void select_first(struct client *client, size_t count);

#endif
