/* workbench.h - what the tests of a client that is ahead of the server share: two users in a scene
 * of four nodes, what one of them does, and what that one's client expects. */
#ifndef TESTS_SCENARIO_WORKBENCH_H
#define TESTS_SCENARIO_WORKBENCH_H

#include "stage.h"

#define STEPS 20
/* Where things are in the picture of message_camera(EYE, origin): the middle. */
#define MIDDLE_X 960
#define MIDDLE_Y 540

static const gz_vec3 EYE = {0, 0, 10};

struct bench {
    struct gz_client *ada, *bob;     /* only ada's is ahead */
    uint64_t table, lamp, bulb, box; /* the bulb is below the lamp, this below the table */
};

/* A test in a group that shares a daemon. */
#define TEST_AT_BENCH(name) TEST_BETWEEN(name, NULL, stage_leave)

/* In a new scene; Ada has a camera at EYE and this tool. */
struct bench bench_set_up(struct stage *stage, enum gz_mode mode, enum gz_space space);
/* Joins the scene of the latest bench at this address. Closed by the teardown. */
struct gz_client *bench_join(struct stage *stage, const char *url, const char *user, bool predict);

struct gz_message message_select(const uint64_t *id);
struct gz_message message_tool(enum gz_mode mode, enum gz_space space);

/* Sends, and returns the number of a pointer. */
uint64_t bench_send(struct gz_client *client, struct gz_message message);
/* Ada grabs a handle in the middle of the picture, drags by steps, and lets go; her edit is then
 * stored, and what the server said of it is in her mirror. */
void bench_grab(const struct bench *bench, const uint64_t *id, enum gz_handle handle);
uint64_t bench_drag(const struct bench *bench, int from, int to);
void bench_release(const struct bench *bench);
/* Waits until the server has acknowledged a pointer of the client. */
void bench_await_ack(struct gz_client *client, uint64_t n);

gz_trs bench_expected(const struct gz_client *client, uint64_t id);
/* The client expects the node where its mirror has it. */
void assert_settled(const struct gz_client *client, uint64_t id);

#endif
