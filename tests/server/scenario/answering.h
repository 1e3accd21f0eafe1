/* answering.h - a server of one thread that reads the head of each request, and gives each the same
 * answer, as it is written. Fails the test that called it when it cannot do its work. */
#ifndef TESTS_SCENARIO_ANSWERING_H
#define TESTS_SCENARIO_ANSWERING_H

#include <pthread.h>

#define ANSWERING_REQUESTS_MAX 4

struct answering {
    int listener, port;
    const char *answer;
    pthread_t thread;
    char requests[ANSWERING_REQUESTS_MAX][4096]; /* to be read after answering_end */
    int count;
};

/* A socket that listens, of which nobody takes connections. */
int answering_listen(int *port);
void answering_start(struct answering *server, const char *answer);
void answering_end(struct answering *server);

#endif
