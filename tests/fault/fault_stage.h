/* fault_stage.h - a stage (server/scenario/stage.h) whose daemon's disk and memory are in the
 * test's hand, and what is in its files. Everything here fails the test that called it when it does
 * not go well. */
#ifndef TESTS_FAULT_STAGE_H
#define TESTS_FAULT_STAGE_H

#include "server/scenario/stage.h"
#include "support/clock.h"
#include "support/fault_preload.h"

struct fault_stage {
    struct stage stage;
    struct fault_control *control;
};

/* For cmocka. At the end the disk is well, and every file has to pass `gizmoctl check`. */
int fault_stage_setup(void **state);
int fault_stage_teardown(void **state);
#define TEST_WITH_FAULTS(name) TEST_BETWEEN(name, fault_stage_setup, fault_stage_teardown)

/* The path of a scene's file; valid until the next call. */
const char *scene_file(const struct stage *stage, const char *scene);
/* One integer of a scene's file. Fails where there is no row. */
int64_t ask_file(const char *path, const char *sql);
/* Fails with what gz_store_check finds wrong with the file. */
void assert_file_is_whole(const char *path);

/* Whether the client's scene is what the file holds, bit by bit. */
bool is_in_file(const struct gz_client *client, const char *path);
/* Waits until it is. */
void await_in_file(struct gz_client *client, const char *path);

/* One set of a node's x. */
struct gz_message message_set_x(struct gz_set_node *node, uint64_t id, double x);

#endif
