/* internal.h - what the files of this room need of each other: a member, its claims, and what it
 * knows of the files that it follows. Threads: what `mutex` guards is touched with it alone; the
 * engine, the store and gz_log are never called with it. */
#ifndef GZ_CLUSTER_INTERNAL_H
#define GZ_CLUSTER_INTERNAL_H

#include <pthread.h>

#include "cluster/cluster.h"

/* Files in the data folder that are made for a copy, and what a crash leaves of them. */
#define GZ_COPY_PREFIX ".cluster-"
/* Bytes of the sentence that was logged last about a file. */
#define SAID_BYTES 200

/* The file of a scene as the follower knows it. */
struct gz_followed {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    uint64_t n, first_n;  /* its place, and where its log began; 0 for no file */
    uint64_t misfit_n;    /* of the log's copy that the changes after it did not fit; 0 for none */
    uint64_t pass;        /* in which a claim of this name ended last */
    bool is_known;        /* its place is what the file says; else the file is looked at */
    bool is_settled;      /* of a scene that is gone: nothing is left to do */
    double retry_s;       /* monotonic: it failed, and is tried again then */
    double behind_from_s; /* monotonic: it has lacked changes since; 0 if it lacks none */
    char said[SAID_BYTES];
};

/* A file that stays open from one following to the next. */
struct gz_kept_file {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    struct gz_applier *applier; /* NULL: the place is free */
    double used_s;              /* monotonic */
};

/* A file that could not be adopted. */
struct gz_adoption {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    double retry_s, wait_s; /* monotonic: it is tried again then; seconds that led there */
};

struct gz_cluster {
    const struct gz_cluster_log *log;
    const struct gz_log *messages;
    const struct gz_member *me;
    const char *folder;
    pthread_t renewer, follower;
    bool has_renewer, has_follower;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t change; /* of what follows */
    bool is_ending, is_closing;
    bool is_entered, is_replaced;  /* by another process of the same name */
    struct gz_error trouble;       /* what the engine answered last; GZ_OK if all is well */
    double answered_s, trouble_s;  /* monotonic: when all was well last, and when it was not */
    char said[GZ_ERROR_BYTES_MAX]; /* the trouble that was logged last; "" for none */
    double said_s;
    struct gz_claim *claims;
    /* Whose files the follower has, the second one to give it to the first one's; "" for none. */
    char following[GZ_SCENE_NAME_BYTES_MAX + 1], moving_to[GZ_SCENE_NAME_BYTES_MAX + 1];
    uint64_t pass; /* the follower's; counted from before the log is asked for its scenes */
    struct gz_kept_file kept[GZ_CLUSTER_KEPT_MAX];
    struct gz_cluster_stats stats;
    struct gz_cluster_lag lags[GZ_CLUSTER_LAGS_MAX]; /* `seconds` is since when, monotonic */
    size_t lag_count;
    /* the follower's alone; what it is about a file is a claim's, too, while that has the file */
    struct gz_followed *files; /* by name; made longer with the mutex */
    size_t file_count, file_capacity;
    char resume_after[GZ_SCENE_NAME_BYTES_MAX + 1]; /* the scene that was followed last */
    double adopt_s; /* monotonic: of the next adopting; 0 before the first, INFINITY for none */
    struct gz_adoption *adoptions; /* those that failed */
    size_t adoption_count, adoption_capacity;
    struct gz_member_lag reported; /* `seconds` is since when, monotonic */
};

struct gz_claim {
    struct gz_cluster *cluster;
    struct gz_claim *next;
    struct gz_claim_request request;
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];     /* changes with a renaming */
    char new_name[GZ_SCENE_NAME_BYTES_MAX + 1]; /* while it is renamed; else empty */
    struct gz_shipping shipping;
    int version;  /* of the schema that changes are made with; 0 before the first one */
    bool is_made; /* its row in the log is this claim's */
    bool is_new;  /* so is its file */
    /* written with the cluster's mutex */
    uint64_t epoch; /* 0 until the lease is taken */
    bool is_opened; /* its opening came to its end */
    bool is_left;   /* it leaves the log or its name there, or has left: what the log says of it is
                       its own doing, and no lease is to be given */
    enum gz_claim_state state;
    bool is_unsure; /* an append was given up: nobody knows what became of it */
    uint64_t copy_bytes, bytes_since_copy;
    double append_from_s; /* monotonic: of the append that runs; 0 for none */
};

/* ---- engine.c ---- */

/* For a member whose name another process has taken; with the name. */
#define GZ_REPLACED_WORDS                                                                          \
    "another process has entered as member %s: each member needs a name of its own (--member)"

/* Seconds: monotonic, and since 1970. */
double gz_cluster_now(void);
double gz_cluster_time(void);
/* FOLDER/NAME.db, and FOLDER/.cluster-NAME.db for a copy of it; to be freed, NULL without memory.
 */
char *gz_cluster_path(const struct gz_cluster *cluster, const char *name);
char *gz_cluster_copy_path(const struct gz_cluster *cluster, const char *name);
/* Waits for a change of what the mutex guards, so many seconds at most. With the mutex. */
void gz_cluster_wait(struct gz_cluster *cluster, double seconds);
/* What the engine answered; `error` is filled if the status is one. Without the mutex. That all is
 * well says what it commits, to renew or to append: it may answer who reads, and commit nothing, as
 * without its standby. */
void gz_cluster_heard_commit(struct gz_cluster *cluster, enum gz_status status,
                             const struct gz_error *error);
/* The same of everything else: only a trouble counts. */
void gz_cluster_heard(struct gz_cluster *cluster, enum gz_status status,
                      const struct gz_error *error);
/* This member has entered; else GZ_STORAGE in words. Without the mutex. */
GZ_MUST_USE enum gz_status gz_cluster_check_entered(struct gz_cluster *cluster,
                                                    struct gz_error *error);

/* ---- cluster.c ---- */

/* A member without threads, which has not entered: NULL without memory. For tests, which enter,
 * renew and follow by themselves. */
struct gz_cluster *gz_cluster_prepare(const struct gz_cluster_options *options);
/* Enters, or renews. */
void gz_cluster_renew(struct gz_cluster *cluster);
/* Follows and adopts, once; the follower's. */
void gz_cluster_follow(struct gz_cluster *cluster);

/* ---- file.c ---- */

/* Brings the file at `path` up to the last change of the scene's log; nobody has it open, but for
 * *applier, which may be NULL before and after. What is found out about the file comes into *file,
 * its place above all. GZ_CONFLICT in words if the file is of another scene, or the log does not
 * fit even its own copy. */
GZ_MUST_USE enum gz_status gz_catch_up(struct gz_cluster *cluster,
                                       const struct gz_cluster_scene *scene, const char *path,
                                       struct gz_applier **applier, struct gz_followed *file,
                                       struct gz_error *error);
/* Gives the file a name under which nobody looks for a scene, and says so in the log. */
GZ_MUST_USE enum gz_status gz_set_aside(const struct gz_cluster *cluster, const char *name,
                                        const char *path, const char *why, struct gz_error *error);
/* The file is the scene's, and has nothing that the log does not know. */
bool gz_is_of_scene(const struct gz_cluster_scene *scene, const struct gz_place *place);
/* It is that of another scene, and the log has come further with this one, or with those that had
 * its name before. */
bool gz_is_earlier(const struct gz_cluster_scene *scene, const struct gz_place *place);
/* This member had the file of this place up to date when it looked last. */
bool gz_was_followed(const struct gz_followed *file, const struct gz_place *place);
/* The file at the path, which is there and at this place, is of a scene that is gone, or of an
 * earlier one. It is deleted if this member had it up to date and the log says that its scene has
 * ended; else it is kept, as nobody else may have what is in it. */
GZ_MUST_USE enum gz_status gz_clear_file(const struct gz_cluster *cluster,
                                         const struct gz_cluster_scene *scene,
                                         const struct gz_followed *file, const char *path,
                                         const struct gz_place *place, struct gz_error *error);

/* ---- keep.c: files that are followed stay open, since to open one takes as long as many changes
 * ---- */

/* Without the mutex, by whoever alone is at the file of this name: the follower or a claim. */

/* The file, if it is kept; else NULL. It is the caller's. */
struct gz_applier *gz_keep_take(struct gz_cluster *cluster, const char *name);
/* Keeps the file open, or closes it if too many are. NULL is fine. */
void gz_keep_give(struct gz_cluster *cluster, const char *name, struct gz_applier *applier);
/* Closes the file if it has had nothing new for a while, or has moved. */
void gz_keep_review(struct gz_cluster *cluster, const char *name);
/* The name of the file in this place, of GZ_CLUSTER_KEPT_MAX; "" for none. Anybody. */
void gz_keep_name(struct gz_cluster *cluster, size_t i, char name[GZ_SCENE_NAME_BYTES_MAX + 1]);
/* At the end, when nobody is at any file. */
void gz_keep_finish(struct gz_cluster *cluster);

/* ---- follow.c ---- */

/* Once: applies what others wrote, and looks what became of the claims. False if the engine does
 * not answer. */
bool gz_follow(struct gz_cluster *cluster);
/* Closes the files that are kept open. The follower's. */
void gz_follow_nothing(struct gz_cluster *cluster);
/* The log has a scene of this name, or had one: the follower's. */
bool gz_is_followed(struct gz_cluster *cluster, const char *name);

/* What the follower knows of the file of this name. For the claim of this name. */
struct gz_followed gz_followed_before(struct gz_cluster *cluster, const char *name);
/* The place of the file when the claim of this name ends, or gives up the name. NULL if there is no
 * file. */
void gz_note_place(struct gz_cluster *cluster, const char *name, const struct gz_place *place);

/* ---- lag.c ---- */

/* What the files lack is counted anew, from the first scene to the last. With the mutex. */
void gz_lag_begin(struct gz_cluster *cluster);
void gz_lag_add(struct gz_cluster *cluster, const struct gz_cluster_lag *lag);
/* For how long the file that lacks changes longest has. With the mutex. */
double gz_lag_seconds(const struct gz_cluster *cluster);
/* Tells the engine, if it is not as it was told last. Without the mutex; the follower's. */
void gz_lag_report(struct gz_cluster *cluster);

/* ---- adopt.c ---- */

/* The files of the folder that the log does not know, until all of them have been adopted. The
 * follower's, after it has followed. */
void gz_adopt(struct gz_cluster *cluster);

/* ---- claim.c ---- */

/* The claim of this name; NULL for none. With the mutex. */
struct gz_claim *gz_cluster_find(const struct gz_cluster *cluster, const char *name);

/* ---- shipping.c ---- */

enum gz_status gz_claim_append(void *context, uint64_t n, const uint8_t *bytes, size_t size,
                               struct gz_error *error);

/* ---- copying.c ---- */

/* Puts a copy of one scene's file into its log, if there is one whose changes since the last copy
 * are larger than that. Its store goes on meanwhile. */
void gz_copy_if_due(struct gz_cluster *cluster);
/* The file at `from`, which nobody has open, becomes the newest copy in the log. */
GZ_MUST_USE enum gz_status gz_put_copy(struct gz_cluster *cluster, const char *name, uint64_t epoch,
                                       const char *from, struct gz_error *error);

#endif
