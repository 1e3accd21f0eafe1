/* log.h - the log of a cluster, with its leases and its members: the only interface to the engine
 * that keeps them. postgres.h makes one that is kept in PostgreSQL; tests make one in memory.
 *
 * A scene in the log has one authority at most: the member that holds its lease. Each taking of the
 * lease raises the scene's epoch, and the log takes nothing with an earlier epoch (the fence). All
 * safety hangs on that; times only decide when a lease may be taken from somebody, and they are the
 * engine's.
 *
 * Changes are numbered without gaps. The place of a file is the number of the last change in it. A
 * copy is the whole file at a place and takes no number: copy at place 7, then changes 8, 9 ... A
 * new scene begins at a place that the engine chooses by its clock, in milliseconds, and after
 * those of the scenes that had its name before. That place, `first_n`, says which scene it is, in
 * the file as well (store/ship.h); two have the same one only if they were made under two names in
 * the same millisecond. The other places do not say it: a scene that was renamed may be older than
 * those that had its name before, and their places may be among its own. The file that a scene is
 * made of, with an earlier place or none, is to be set to `first_n` before its first copy.
 *
 * Ownership: nothing of what a function is handed is kept. Threads: any, at the same time; each
 * call blocks until it is answered, for GZ_CLUSTER_ANSWER_SECONDS without a sign of the engine at
 * most (and GZ_CLUSTER_CONNECT_SECONDS for a new connection to each host of the engine). Errors:
 * GZ_STORAGE if the engine cannot be reached or refuses, in words: what was asked may have been
 * done or not, and may be asked again. GZ_VERSION if its tables are not made, or of another
 * version. GZ_NO_MEMORY. Others stand at the functions. */
#ifndef GZ_CLUSTER_LOG_H
#define GZ_CLUSTER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"
#include "server/maxima.h"

/* What the files of a member lack of the logs of scenes. */
struct gz_member_lag {
    uint64_t changes;                        /* in all */
    double seconds;                          /* that the file which lacks some longest has */
    char scene[GZ_SCENE_NAME_BYTES_MAX + 1]; /* of that file; "" for none */
};

/* A member. Names are 1 to GZ_MEMBER_BYTES_MAX bytes of letters, digits, dots, dashes and
 * underscores. */
struct gz_member {
    char name[GZ_MEMBER_BYTES_MAX + 1];
    char url[GZ_MEMBER_URL_BYTES_MAX + 1]; /* http(s)://..., at which other members reach it */
    char version[GZ_MEMBER_VERSION_BYTES_MAX + 1];
    double age_s;             /* since it was seen last, by the engine's clock */
    struct gz_member_lag lag; /* as it reported last */
};

/* What the log knows of a scene. */
struct gz_cluster_scene {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    char member[GZ_MEMBER_BYTES_MAX + 1];     /* that holds the lease, alive or not; "" for none */
    char wanted[GZ_MEMBER_BYTES_MAX + 1];     /* that is to have the lease next; "" for none */
    char became[GZ_SCENE_NAME_BYTES_MAX + 1]; /* of a gone one that was renamed: its new name */
    bool is_gone; /* deleted or renamed; known for GZ_CLUSTER_GONE_DAYS */
    uint64_t epoch;
    uint64_t first_n, n; /* where it began, which stays, and its last change */
    uint64_t before_n;   /* the last change of the scenes that had this name before; 0 for none */
    bool has_copy;
    uint64_t copy_n;  /* the place of the newest copy; changes up to it are not in the log */
    int copy_version; /* the schema of that file */
    uint64_t copy_bytes, bytes_since_copy; /* of that file; of the changes after it */
};

/* What taking a lease found. */
struct gz_lease {
    struct gz_cluster_scene scene; /* `epoch` is the lease's if it is mine */
    bool is_mine;
    char url[GZ_MEMBER_URL_BYTES_MAX + 1]; /* of the member that has it, if it is another */
};

/* One change: a transaction of the store. */
struct gz_cluster_change {
    uint64_t n, epoch;
    int version; /* of the schema that it was made with */
    const uint8_t *bytes;
    size_t size; /* up to GZ_CHANGE_BYTES_MAX */
};

struct gz_cluster_log {
    void *context;

    /* ---- members ---- */

    /* This process is the member of that name from now on, and alive. */
    enum gz_status (*enter)(void *context, const struct gz_member *me, struct gz_error *error);
    /* Still alive: to be called every GZ_CLUSTER_RENEW_SECONDS. It never waits for the other calls.
     * GZ_BAD_STATE: another process has entered under the same name since, or this one left. */
    enum gz_status (*renew)(void *context, struct gz_error *error);
    /* Not alive any more, to be called at the end: leases that were not given may be taken at
     * once. */
    enum gz_status (*leave)(void *context, struct gz_error *error);
    /* What this member's files lack, for whoever asks for the members. It is kept until the next
     * report; that time goes on is known. */
    enum gz_status (*report)(void *context, const struct gz_member_lag *lag,
                             struct gz_error *error);
    /* All members, by name. Anything but GZ_OK from `handle` ends the list and is returned; the
     * same for the other lists. */
    enum gz_status (*members)(void *context,
                              enum gz_status (*handle)(void *to, const struct gz_member *member,
                                                       struct gz_error *error),
                              void *to, struct gz_error *error);

    /* ---- leases; only after `enter` ---- */

    /* Takes the scene's lease if nobody has it, or this member, or one that was not seen for
     * GZ_CLUSTER_LEASE_SECONDS while this member was: after a time in which nobody reached the
     * engine all have as much time to come back. Else GZ_OK as well, with `is_mine` false. With
     * `create` a scene that is not known, or gone, is made, and begins after the place `after`,
     * that of the file which it is made of; else it is GZ_UNKNOWN_SCENE, and
     * `lease->scene.is_gone` says which of the two. */
    enum gz_status (*take)(void *context, const char *scene, bool create, uint64_t after,
                           struct gz_lease *lease, struct gz_error *error);
    /* Gives the lease to the member that wants it, if that is alive, else to nobody. GZ_BAD_STATE:
     * fenced, it was another's already. */
    enum gz_status (*give)(void *context, const char *scene, uint64_t epoch,
                           struct gz_error *error);
    /* Asks that `member` has the scene next. An authority that is alive finds `wanted` in the list
     * of scenes, closes the scene in order, and gives the lease; without one the lease is the
     * member's at once. GZ_UNKNOWN_SCENE; GZ_BAD_VALUE: no such member, or not alive. Any process
     * may ask. */
    enum gz_status (*want)(void *context, const char *scene, const char *member,
                           struct gz_error *error);

    /* ---- the log of a scene ---- */

    /* Adds one change, for good. `change->epoch` is the lease's, `change->n` the last one's plus 1.
     * After GZ_STORAGE or GZ_NO_MEMORY the caller asks again with the same change until it has an
     * answer, or does not use the lease any more: the change may be in the log already, or come
     * into it. Asked again, it is there once. GZ_BAD_STATE: fenced; or the number is not the next
     * one, which is as bad. */
    enum gz_status (*append)(void *context, const char *scene,
                             const struct gz_cluster_change *change, struct gz_error *error);
    /* Puts the file (from its beginning to its end) into the log as the copy at place `n`, which is
     * at most the last change; then the earlier copy and the changes up to `n` are deleted. What
     * fails in the middle leaves the earlier copy in force. GZ_BAD_STATE: fenced, or no such
     * place. */
    enum gz_status (*copy)(void *context, const char *scene, uint64_t epoch, uint64_t n,
                           int version, int file, struct gz_error *error);
    /* Hands over the changes after place `after`, in order, up to the last one that there is.
     * GZ_CONFLICT: the log does not go back so far, or not reach so far: begin with the copy.
     * GZ_UNKNOWN_SCENE. */
    enum gz_status (*read)(void *context, const char *scene, uint64_t after,
                           enum gz_status (*handle)(void *to,
                                                    const struct gz_cluster_change *change,
                                                    struct gz_error *error),
                           void *to, struct gz_error *error);
    /* Writes the newest copy into the file, which is empty, and says what it is in `scene`.
     * GZ_UNKNOWN_SCENE; GZ_BAD_STATE: there is no copy yet. GZ_CONFLICT: a newer copy took its
     * place meanwhile; ask again, with an empty file. */
    enum gz_status (*read_copy)(void *context, const char *scene, int file,
                                struct gz_cluster_scene *found, struct gz_error *error);

    /* ---- scenes ---- */

    /* All scenes, those that are gone included, by name. */
    enum gz_status (*scenes)(void *context,
                             enum gz_status (*handle)(void *to,
                                                      const struct gz_cluster_scene *scene,
                                                      struct gz_error *error),
                             void *to, struct gz_error *error);
    /* Deletes the scene and its log, and ends the lease. GZ_BAD_STATE: fenced. */
    enum gz_status (*forget)(void *context, const char *scene, uint64_t epoch,
                             struct gz_error *error);
    /* Renames the scene. The lease goes on under the new name, with *new_epoch: the epoch of a name
     * never falls. GZ_CONFLICT: there is a scene of the new name. GZ_BAD_STATE: fenced. */
    enum gz_status (*rename)(void *context, const char *scene, uint64_t epoch, const char *to,
                             uint64_t *new_epoch, struct gz_error *error);
};

/* Whether this can be a member's name, and its address. */
bool gz_member_name_valid(const char *name);
bool gz_member_url_valid(const char *url);

#endif
