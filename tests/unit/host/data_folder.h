/* data_folder.h - the scenes of a data folder of its own, on a loop that moves only inside of these
 * functions, without a network: what there is between the network and the files. Everything here
 * fails the test that called it. */
#ifndef TESTS_UNIT_HOST_DATA_FOLDER_H
#define TESTS_UNIT_HOST_DATA_FOLDER_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/retire.h"
#include "support/cmocka.h"

struct data_folder {
    char path[64];
    uv_loop_t loop;
    struct gz_jobs jobs;
    struct gz_scene_setting setting;
    struct gz_scenes scenes;
    struct gz_retirements retirements;
    struct gz_log log;
    char *lines; /* what was logged */
    size_t line_bytes;
    _Atomic uint64_t errors[GZ_STATUS_COUNT];
    unsigned opened, closing, lost; /* how often the scenes told it */
};

void data_folder_init(struct data_folder *folder);
/* Everything is closed, the loop ends without a handle left, and the folder is removed. */
void data_folder_finish(struct data_folder *folder);
/* The same for cmocka: a folder is the state of a test. */
int data_folder_set_up(void **state);
int data_folder_tear_down(void **state);
#define TEST_IN_FOLDER(name) TEST_BETWEEN(name, data_folder_set_up, data_folder_tear_down)

/* Whether FOLDER/NAME, a file, is there. */
bool data_folder_has(const struct data_folder *folder, const char *file);
/* Opens or makes a scene, and returns when it is open. */
struct gz_open_scene *data_folder_open(struct data_folder *folder, const char *name);
/* Lets every core have its turn, and the loop run, until nothing waits for the disk. */
void data_folder_settle(struct data_folder *folder);
/* Runs the loop until no job is left. */
void data_folder_await_jobs(struct data_folder *folder);
/* Closes an open scene that nobody is in, and returns when it is closed. */
void data_folder_close(struct data_folder *folder, struct gz_open_scene *scene);
/* How often this was logged. */
unsigned data_folder_logged(struct data_folder *folder, const char *words);

/* Somebody who waits for a scene. */
struct waiter {
    struct gz_scene_wait wait;
    struct data_folder *folder;
    const char *name;
    bool create;
    unsigned asked; /* how often */
    struct gz_open_scene *scene;
    struct gz_error error;
    bool is_answered;
};

/* Asks for the scene, again whenever told to, until it is answered. */
void waiter_ask(struct waiter *waiter, struct data_folder *folder, const char *name, bool create);

#endif
