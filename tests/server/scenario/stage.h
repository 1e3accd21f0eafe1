/* stage.h - what the scenario tests share: a daemon, clients that are in it, and the plain things
 * that users do. Everything here fails the test that called it, in the server's words, when it does
 * not go well. */
#ifndef TESTS_SCENARIO_STAGE_H
#define TESTS_SCENARIO_STAGE_H

#include <stdlib.h>
#include <string.h>

#include "gizmo_client.h"
#include "support/cmocka.h"
#include "support/daemon.h"

#define STAGE_CLIENTS_MAX 16
#define STAGE_SECONDS 60.0 /* that anything may take */

struct stage {
    struct test_daemon daemon;
    struct gz_client *clients[STAGE_CLIENTS_MAX];
    size_t count;
    unsigned benches; /* of workbench.h, each in a scene of its own */
};

/* For cmocka: a running daemon without scenes, and its end. */
int stage_setup(void **state);
int stage_setup_with(void **state, const char *option); /* of the daemon; NULL for none */
int stage_teardown(void **state);
#define TEST_ON_STAGE(name) TEST_BETWEEN(name, stage_setup, stage_teardown)
/* Fails unless gizmoctl check finds nothing wrong with the files of the daemon. */
void stage_check_files(const struct stage *stage);
/* After a test in a group that shares a daemon: its clients leave. */
int stage_leave(void **state);

/* Fails with the error's words unless the status is GZ_OK. */
void stage_check(enum gz_status status, const struct gz_error *error, const char *what);

/* Joins a scene, made where it is missing, and waits until all of it is there. Closed by the
 * teardown. */
struct gz_client *stage_join(struct stage *stage, const char *scene, const char *user);
/* The same as a reader of the plain form. */
struct gz_client *stage_join_plain(struct stage *stage, const char *scene, const char *user);
/* Makes the scene "engine" of MODEL_ENGINE, as user ida: 82 nodes. */
void stage_import_engine(struct stage *stage);
/* Sends and returns the `ok`; valid until the client's next call. */
const struct gz_message *stage_ask(struct gz_client *client, struct gz_message message);
/* Sends and returns the `error`, whose code must be this one. */
const struct gz_message *stage_refused(struct gz_client *client, struct gz_message message,
                                       enum gz_status code);
/* Makes a node; returns its id. */
uint64_t stage_create(struct gz_client *client, const char *name, uint64_t parent, gz_vec3 t);
/* Waits until a client's scene stands where another's does. */
void stage_catch_up(struct gz_client *client, const struct gz_client *with);

struct gz_message message_set_t(const struct gz_set_node *node);
struct gz_message message_camera(gz_vec3 eye, gz_vec3 target);
struct gz_message message_grab(const uint64_t *id, enum gz_handle handle, double x, double y);
struct gz_message message_pointer(enum gz_phase phase, double x, double y);

/* The node, or a failure. */
const struct gz_mirror_node *node_in(const struct gz_client *client, uint64_t id);
const struct gz_mirror_node *node_named(const struct gz_client *client, const char *name);
/* Fails where two clients do not have the same scene: the same nodes, each field the same to the
 * last bit. */
void assert_same_scene(const struct gz_client *a, const struct gz_client *b);
void assert_same_node(const struct gz_mirror_node *a, const struct gz_mirror_node *b);
void assert_same_trs(const gz_trs *a, const gz_trs *b, const char *what);

/* How far along the world axis through `origin` the pointer at (x, y) is, by the closed form of an
 * axis drag in long doubles: the foot of the pointer on the axis's image. Shares nothing with the
 * solver. */
long double axis_foot(const struct gz_camera_message *camera, const long double origin[3],
                      const long double axis[3], double x, double y);

#endif
