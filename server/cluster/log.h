/* log.h - the interface to the engine that stores a cluster's log, leases and members: PostgreSQL
 * (postgres.h), or memory in tests.
 *
 * A scene in the log has at most one authority: the member that holds its lease. Each taking of the
 * lease raises the scene's epoch, and the log accepts nothing with an earlier epoch (the fence).
 * All safety depends on that; times, which are the engine's, only decide when a lease may be taken
 * from a member.
 *
 * Changes are numbered without gaps. The place of a file is the number of the last change in it. A
 * copy is the whole file at a place and takes no number: copy at place 7, then changes 8, 9 ... A
 * new scene begins at a place that the engine chooses by its clock, in milliseconds, after those of
 * earlier scenes of its name. That place, `first_n`, identifies the scene, also in the file
 * (store/ship.h); two scenes have the same one only if they were created under two names in the
 * same millisecond. Other places do not identify it: a renamed scene may be older than earlier
 * scenes of its name, and their places may be among its own. The file that a scene is created from,
 * with an earlier place or none, has to be set to `first_n` before its first copy.
 *
 * Ownership: functions keep no pointer. Threads: any, at the same time; each call blocks until it
 * is answered, at most GZ_CLUSTER_ANSWER_SECONDS without a sign of the engine (and
 * GZ_CLUSTER_CONNECT_SECONDS for a new connection to each host of the engine). Errors: GZ_STORAGE
 * if the engine cannot be reached or refuses: the request may have been done or not, and may be
 * repeated. GZ_VERSION if its tables do not exist, or have another version. GZ_NO_MEMORY. Further
 * errors are at the functions. */
#ifndef GZ_CLUSTER_LOG_H
#define GZ_CLUSTER_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/status.h"
#include "server/maxima.h"

/* How far the files of a member are behind the logs. */
struct gz_member_lag {
    uint64_t changes; /* in all */
    double seconds;   /* how long the file that has lacked changes longest has */
    char scene[GZ_SCENE_NAME_BYTES_MAX + 1]; /* of that file; "" for none */
    /* The scenes that it could not take at once, because its files lack more than
     * GZ_CLUSTER_LEVEL_CHANGES of them, or cannot be followed: a list; "*" for all. */
    char lacking[GZ_MEMBER_LIST_BYTES_MAX + 1];
};

/* What a member says of itself at each renewal. Lists are names with a blank before and after each:
 * " arm leg ". */
struct gz_member_health {
    char
        trouble[GZ_MEMBER_WORDS_BYTES_MAX + 1]; /* why it does not count as alive; "" for nothing */
    char refuses[GZ_MEMBER_WORDS_BYTES_MAX + 1];  /* why it takes no scenes; "" for nothing */
    char unreached[GZ_MEMBER_LIST_BYTES_MAX + 1]; /* members that do not answer it */
};

/* A member. Names are 1 to GZ_MEMBER_BYTES_MAX bytes of letters, digits, dots, dashes and
 * underscores. */
struct gz_member {
    char name[GZ_MEMBER_BYTES_MAX + 1];
    char url[GZ_MEMBER_URL_BYTES_MAX + 1]; /* http(s)://..., at which other members reach it */
    char version[GZ_MEMBER_VERSION_BYTES_MAX + 1];
    /* By the members' common secret, of the name and the URL; checked by whoever reads it. */
    char signature[GZ_MEMBER_SIGNATURE_BYTES + 1];
    double age_s;   /* since it was last seen, by the engine's clock */
    double clock_s; /* how far its clock was ahead of the engine's when it was last seen */
    struct gz_member_health health;
    struct gz_member_lag lag; /* its last report */
};

/* A scene in the log. */
struct gz_cluster_scene {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    char member[GZ_MEMBER_BYTES_MAX + 1]; /* the holder of the lease, alive or not; "" for none */
    char wanted[GZ_MEMBER_BYTES_MAX + 1]; /* the member that gets the lease next; "" for none */
    char became[GZ_SCENE_NAME_BYTES_MAX + 1]; /* the new name of a renamed one */
    bool is_gone; /* deleted or renamed; remembered for GZ_CLUSTER_GONE_DAYS */
    uint64_t epoch;
    uint64_t first_n, n; /* its beginning, which stays, and its last change */
    uint64_t before_n;   /* the last change of earlier scenes of this name; 0 for none */
    bool has_copy;
    uint64_t copy_n;  /* the place of the newest copy; changes up to it are deleted */
    int copy_version; /* the schema of that file */
    uint64_t copy_bytes, bytes_since_copy; /* of that copy; of the changes after it */
};

/* The result of taking a lease. */
struct gz_lease {
    struct gz_cluster_scene scene; /* `epoch` is the lease's if is_mine */
    bool is_mine;
    /* Of the holder, if it is another member; not checked. */
    char url[GZ_MEMBER_URL_BYTES_MAX + 1], signature[GZ_MEMBER_SIGNATURE_BYTES + 1];
};

/* What a member that could take a scene has of it. */
struct gz_scene_offer {
    uint64_t n, first_n; /* the place of its file; 0 without one */
    bool refuses;        /* it takes no scenes */
};

/* One change: a transaction of the store. */
struct gz_cluster_change {
    uint64_t n, epoch;
    int version; /* of its schema */
    const uint8_t *bytes;
    size_t size; /* up to GZ_CHANGE_BYTES_MAX */
};

struct gz_cluster_log {
    void *context;

    /* ---- members ---- */

    /* Makes this process the member of that name, alive from now on unless it is in trouble. It
     * lacks all scenes until it reports. */
    enum gz_status (*enter)(void *context, const struct gz_member *me, struct gz_error *error);
    /* Renews that it is alive, and says how it is: call it every GZ_CLUSTER_RENEW_SECONDS. Never
     * waits for the other calls. A member in trouble does not count as alive. GZ_BAD_STATE: another
     * process has entered under the same name since, or this one has left. */
    enum gz_status (*renew)(void *context, const struct gz_member_health *health,
                            struct gz_error *error);
    /* Leaves, at the end: leases that were not given back may be taken at once. */
    enum gz_status (*leave)(void *context, struct gz_error *error);
    /* Reports this member's lag, which the list of members shows until the next report, with the
     * time that has passed since. */
    enum gz_status (*report)(void *context, const struct gz_member_lag *lag,
                             struct gz_error *error);
    /* All members, by name. Anything but GZ_OK from `handle` ends the list and is returned; the
     * same for the other lists. Never waits for other calls than `enter` and `renew`. */
    enum gz_status (*members)(void *context,
                              enum gz_status (*handle)(void *to, const struct gz_member *member,
                                                       struct gz_error *error),
                              void *to, struct gz_error *error);

    /* ---- leases; only after `enter` ---- */

    /* Takes the scene's lease if it is free, this member's, or that of a member that was not seen
     * for GZ_CLUSTER_LEASE_SECONDS while this member was: after an outage of the engine all members
     * have this time to come back. Otherwise GZ_OK as well, with `is_mine` false. With `create` an
     * unknown or gone scene is created, and begins after the place `after` of the file that it is
     * created from; without it is GZ_UNKNOWN_SCENE, and `lease->scene.is_gone` tells the two cases
     * apart. */
    enum gz_status (*take)(void *context, const char *scene, bool create, uint64_t after,
                           struct gz_lease *lease, struct gz_error *error);
    /* If this member could not take the scene at once, but another one could, and the lease could
     * be taken now: gives it to that one. Call it before `take`. */
    enum gz_status (*defer)(void *context, const char *scene, const struct gz_scene_offer *mine,
                            struct gz_error *error);
    /* Gives the lease to the member that wants it, if that is alive; else frees it. GZ_BAD_STATE:
     * fenced, another member had it already. */
    enum gz_status (*give)(void *context, const char *scene, uint64_t epoch,
                           struct gz_error *error);
    /* Asks that `member` gets the scene. An authority that is alive finds `wanted` in the list of
     * scenes, closes the scene in order, and gives the lease; without one the member gets the lease
     * at once. GZ_UNKNOWN_SCENE; GZ_BAD_VALUE: no such member, or not alive, or it could not
     * take the scene at once. Any process may ask. Asked for the authority itself, no member wants
     * it any more. */
    enum gz_status (*want)(void *context, const char *scene, const char *member,
                           struct gz_error *error);

    /* ---- the log of a scene ---- */

    /* Adds one change, for good. `change->epoch` is the lease's, `change->n` follows that of the
     * last change. After GZ_STORAGE or GZ_NO_MEMORY the change may be in the log, now or later: the
     * caller repeats the same change until it has an answer, or never uses the lease again. A
     * repeated change is added once. GZ_BAD_STATE: fenced; or the number is not the next one, which
     * is as bad. */
    enum gz_status (*append)(void *context, const char *scene,
                             const struct gz_cluster_change *change, struct gz_error *error);
    /* Puts the whole file into the log as the copy at place `n`, which is at most the last change;
     * then deletes the earlier copy and the changes up to `n`. A failure leaves the earlier copy in
     * use. GZ_BAD_STATE: fenced, or no such place. */
    enum gz_status (*copy)(void *context, const char *scene, uint64_t epoch, uint64_t n,
                           int version, int file, struct gz_error *error);
    /* Calls `handle` with the changes after place `after`, in order, up to the last one.
     * GZ_CONFLICT: the log does not go back, or does not reach, so far: begin with the copy.
     * GZ_UNKNOWN_SCENE. */
    enum gz_status (*read)(void *context, const char *scene, uint64_t after,
                           enum gz_status (*handle)(void *to,
                                                    const struct gz_cluster_change *change,
                                                    struct gz_error *error),
                           void *to, struct gz_error *error);
    /* Writes the newest copy into the file, which has to be empty, and fills `scene`.
     * GZ_UNKNOWN_SCENE; GZ_BAD_STATE: there is no copy yet. GZ_CONFLICT: a newer copy replaced it
     * meanwhile; ask again, with an empty file. */
    enum gz_status (*read_copy)(void *context, const char *scene, int file,
                                struct gz_cluster_scene *found, struct gz_error *error);

    /* ---- scenes ---- */

    /* All scenes, gone ones included, by name. */
    enum gz_status (*scenes)(void *context,
                             enum gz_status (*handle)(void *to,
                                                      const struct gz_cluster_scene *scene,
                                                      struct gz_error *error),
                             void *to, struct gz_error *error);
    /* Deletes the scene and its log, and ends the lease. GZ_BAD_STATE: fenced. */
    enum gz_status (*forget)(void *context, const char *scene, uint64_t epoch,
                             struct gz_error *error);
    /* Renames the scene. The lease continues under the new name, with *new_epoch: the epoch of a
     * name never falls. GZ_CONFLICT: the new name is taken. GZ_BAD_STATE: fenced. */
    enum gz_status (*rename)(void *context, const char *scene, uint64_t epoch, const char *to,
                             uint64_t *new_epoch, struct gz_error *error);
};

/* Whether this is a valid name, or address, of a member. */
bool gz_member_name_valid(const char *name);
bool gz_member_url_valid(const char *url);

#endif
