/* asker.h - a large scene, and somebody who asks for one thing of it again and again, as often as
 * the daemon takes it: in a process of their own that takes what processors have left, as if from
 * elsewhere. Threads: one. */
#ifndef TESTS_BENCH_ASKER_H
#define TESTS_BENCH_ASKER_H

#include <stdbool.h>
#include <sys/types.h>

#include "proto/message.h"

/* A square of nodes below one root, with the ids 1 to `nodes`; the root is the first. */
struct large_scene {
    uint64_t nodes;
    uint64_t *ids;
    char *asset; /* the scene as glTF */
    size_t asset_size;
};

void large_scene_init(struct large_scene *scene, uint64_t nodes);
void large_scene_finish(struct large_scene *scene);
/* Half of the nodes, without the root. */
struct gz_ids large_scene_half(const struct large_scene *scene);
/* PUTs it there, again while the daemon says that others before wait for the disk. Ends the program
 * if it is refused. */
void large_scene_import(const struct large_scene *scene, int port, const char *path);

struct asker {
    const struct large_scene *scene;
    int port;
    const char *name; /* of the scene at the daemon */
    int socket;
    uint64_t n; /* of the latest pointer */
    struct gz_buffer out;
    size_t written;
};

/* One request, or a few that belong together. */
typedef void asker_act(struct asker *asker);

/* 0 in the child, which has stepped back and ends by _exit or asker_end. */
pid_t asker_fork(void);
void asker_end(pid_t pid);

void asker_connect(struct asker *asker);
void asker_hang_up(struct asker *asker);
/* Whether the connection stands. What came is thrown away. */
bool asker_drain(struct asker *asker);
/* Comes and does `before`, which may be NULL, then asks at this rate for ever, as far as the daemon
 * takes it; comes again if it is put out. */
_Noreturn void asker_ask(struct asker *asker, asker_act *before, asker_act *ask, double per_s);

void asker_put(struct asker *asker, const struct gz_message *message);
void asker_put_bytes(struct asker *asker, const void *bytes, size_t size);
void asker_put_op(struct asker *asker, enum gz_op op);
void asker_put_pointer(struct asker *asker, enum gz_phase phase, double x);
/* Takes these nodes by the arrow of x. */
void asker_put_grab(struct asker *asker, struct gz_ids ids);
asker_act asker_put_camera, asker_put_grab_half, asker_put_drag;
/* Moves half of the nodes in one drag. */
asker_act asker_put_whole_drag;
asker_act asker_put_undo_or_redo;

#endif
