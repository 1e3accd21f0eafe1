/* relay_fixture.h - two members of a cluster without a database (support/member.c): the authority,
 * which has all scenes, and the front, which relays all of its clients there. */
#ifndef TESTS_SERVER_RELAY_FIXTURE_H
#define TESTS_SERVER_RELAY_FIXTURE_H

#include "net_fixture.h"

#define SECRET "a secret of the members"

extern struct test_daemon authority, front;

/* For a group of tests. */
int relay_fixture_start(void **state);
int relay_fixture_stop(void **state);

/* ---- members ---- */

void print_member_url(const struct test_daemon *member, char url[128]);
/* A member that says of all scenes that they are at `url`; NULL: it has them itself. */
void start_member(struct test_daemon *member, const char *url, const char *secret,
                  const char *option);
/* Members share a folder for certificates, so that they trust one authority. */
void init_beside(struct test_daemon *member, const char *name);
/* One more member that relays to the authority. */
void start_front(struct test_daemon *member, const char *name, const char *secret,
                 const char *option);
bool is_logged(const struct test_daemon *member, const char *words);
/* A number of its metrics; `row` with the line's beginning and a space. */
long count(const struct test_daemon *member, const char *row);

/* ---- clients ---- */

int request(int port, const char *method, const char *path, const char *headers, const char *body,
            struct raw_response *response);
/* Asks the front for an export of the scene until these words are in it: what nobody waited for is
 * in the file a little later. Fails after a minute. */
void expect_export(const char *scene, const char *words);
int join(const struct test_daemon *member, const char *scene, const char *user);
/* Reads on until `bye` comes, and the connection ends. What may be tried again, and when. */
double read_bye(int socket);

#endif
