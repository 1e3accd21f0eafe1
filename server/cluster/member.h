/* member.h - what the files of this room share: a member, its claims, and the state of the files
 * that it follows. Threads: the members that `mutex` guards are used only under it; the engine, the
 * store and gz_log are never called under it. */
#ifndef GZ_CLUSTER_MEMBER_H
#define GZ_CLUSTER_MEMBER_H

#include <pthread.h>

#include "cluster/cluster.h"

/* The prefix of files in the data folder that are made for copies. */
#define GZ_COPY_PREFIX ".cluster-"
/* Bytes of the last logged sentence about a file. */
#define SAID_BYTES 200

/* The follower's state of a scene's file. */
struct gz_followed {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    uint64_t n, first_n; /* its place, and the beginning of its log; 0 for no file */
    uint64_t misfit_n;   /* place of the log's copy that later changes did not fit; 0 for none */
    uint64_t pass;       /* the last pass in which a claim of this name ended */
    char member[GZ_MEMBER_BYTES_MAX + 1]; /* that has the scene, as listed last; "" for none */
    bool is_busy;                         /* it had new changes in the last pass */
    uint64_t listed_n;                    /* the last change, as listed last */
    bool is_known;        /* n and first_n are those of the file; else it has to be read */
    bool is_settled;      /* its scene is gone, and nothing is left to do */
    double retry_s;       /* monotonic: after a failure, the time of the next try */
    double behind_from_s; /* monotonic: since when it has lacked changes; 0 if it lacks none */
    char said[SAID_BYTES];
};

/* A file that stays open between two passes. */
struct gz_kept_file {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    struct gz_applier *applier; /* NULL: free */
    double used_s;              /* monotonic */
};

/* A file that could not be adopted. */
struct gz_adoption {
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    double retry_s, wait_s; /* monotonic: the time of the next try; seconds waited for it */
};

/* A member in the list of members. */
struct gz_known_member {
    struct gz_member member;
    bool is_signed;
    double listed_s;  /* monotonic: since when it has been there */
    bool is_reached;  /* by this member, now */
    bool was_reached; /* since it has been there */
    double silence_s; /* since it heard of the engine, as it said last */
    double back_s;    /* monotonic: when it heard of the engine after more than a lease without it;
                         0: it always did */
};

struct gz_cluster {
    const struct gz_cluster_log *log;
    const struct gz_log *messages;
    const struct gz_member *me;
    const char *folder;
    pthread_t renewer, follower;
    bool has_renewer, has_follower;
    pthread_mutex_t mutex; /* guards the members below */
    pthread_cond_t change; /* of the members below */
    bool is_ending, is_closing;
    bool is_entered, is_replaced; /* is_replaced: by another process of the same name */
    bool is_accepted;             /* it was alive once */
    bool is_over;                 /* it has stepped down */
    bool has_trunks;              /* is_reached of peers is known */
    struct gz_cluster_rules rules;
    struct gz_known_member *peers; /* this member included */
    size_t peer_count;
    double listed_s;  /* monotonic: when they were listed */
    double renewed_s; /* monotonic: the beginning of the last renewal as one that is alive */
    double back_s;    /* monotonic: of the last one after more than a lease without; 0 for none */
    double asked_s;   /* monotonic: when a scene was last asked for, for want of a better member */
    struct gz_member_health health;
    struct gz_error trouble;       /* the engine's last error; GZ_OK for none */
    double answered_s, trouble_s;  /* monotonic: the last commit; the last trouble */
    char said[GZ_ERROR_BYTES_MAX]; /* the last logged trouble; "" for none */
    double said_s;
    struct gz_scene_lease *claims;
    /* The scenes whose files the follower is using; the second one's is to take the first one's
     * name. "" for none. */
    char following[GZ_SCENE_NAME_BYTES_MAX + 1], moving_to[GZ_SCENE_NAME_BYTES_MAX + 1];
    uint64_t pass; /* of the follower; counted before it reads the list of scenes */
    struct gz_kept_file kept[GZ_CLUSTER_KEPT_MAX];
    struct gz_cluster_stats stats;
    struct gz_cluster_lag lags[GZ_CLUSTER_LAGS_MAX]; /* `seconds` is since when, monotonic */
    size_t lag_count;
    char lacking[GZ_MEMBER_LIST_BYTES_MAX + 1]; /* scenes that it could not take at once */
    bool has_said_name;                         /* that a scene in the log has an invalid name */
    /* The follower's alone, except that a claim uses the state of its own file. */
    struct gz_followed *files; /* by name; grows under the mutex */
    size_t file_count, file_capacity;
    /* The last scenes of the pass before, of the busy ones and of the others. */
    char resume_after[2][GZ_SCENE_NAME_BYTES_MAX + 1];
    size_t turn_changes; /* of a file in one pass; only tests change it */
    bool is_left;        /* files that the last pass could have brought further */
    double adopt_s;      /* monotonic: the next adoption; 0 before the first, INFINITY for none */
    struct gz_adoption *adoptions; /* the failed ones */
    size_t adoption_count, adoption_capacity;
    struct gz_member_lag reported; /* `seconds` is since when, monotonic */
    bool has_reported;             /* since it entered; guarded by the mutex */
};

struct gz_scene_lease {
    struct gz_cluster *cluster;
    struct gz_scene_lease *next;
    struct gz_scene_lease_request request;
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];     /* changes with a renaming */
    char new_name[GZ_SCENE_NAME_BYTES_MAX + 1]; /* during a rename; else empty */
    struct gz_shipping shipping;
    int version;  /* schema version of the changes; 0 before the first one */
    bool is_made; /* this claim created its row in the log */
    bool is_new;  /* this claim created its file */
    /* Written under the cluster's mutex. */
    uint64_t epoch; /* 0 until the lease is taken */
    bool is_opened; /* its store is open */
    bool is_left;   /* it is deleted or renamed in the log: the log's state is its own doing, and no
                       lease is given back */
    enum gz_scene_lease_state state;
    char wanted[GZ_MEMBER_BYTES_MAX + 1]; /* the member that gets the lease next; "" for none */
    bool is_unsure;                       /* an append was given up, with unknown result */
    uint64_t copy_bytes, bytes_since_copy;
    double append_from_s; /* monotonic: start of the running append; 0 for none */
};

/* ---- engine.c ---- */

/* The error of a member whose name another process has taken. */
#define GZ_REPLACED_WORDS                                                                          \
    "another process has entered as member %s: each member needs a name of its own (--member)"

/* Seconds: monotonic, and since 1970. */
double gz_cluster_now(void);
double gz_cluster_time(void);
/* FOLDER/NAME.db, and FOLDER/.cluster-NAME.db for a copy of it; to be freed, NULL without memory.
 */
char *gz_cluster_path(const struct gz_cluster *cluster, const char *name);
char *gz_cluster_copy_path(const struct gz_cluster *cluster, const char *name);
/* Waits up to `seconds` for a change of the guarded members. Under the mutex. */
void gz_cluster_wait(struct gz_cluster *cluster, double seconds);
/* Notes the engine's answer to a commit (a renewal or an append); `error` is filled on failure. Not
 * under the mutex. Only commits prove that all is well, because an engine without its standby may
 * answer reads but commit nothing. */
void gz_cluster_heard_commit(struct gz_cluster *cluster, enum gz_status status,
                             const struct gz_error *error);
/* The same for other requests, of which only failures count. */
void gz_cluster_heard(struct gz_cluster *cluster, enum gz_status status,
                      const struct gz_error *error);
/* GZ_STORAGE unless this member has entered. Not under the mutex. */
GZ_MUST_USE enum gz_status gz_cluster_check_entered(struct gz_cluster *cluster,
                                                    struct gz_error *error);

/* ---- members.c ---- */

/* Lists of names: log.h. */
bool gz_list_has(const char *list, const char *name);
void gz_list_add(char *list, size_t size, const char *name);
/* Whether the address of the member was signed with the common secret. */
bool gz_cluster_is_signed(const struct gz_cluster *cluster, const char *name, const char *url,
                          const char *signature);
/* Renews, reads the list of members, and judges whether this one counts as alive. The renewer's;
 * not under the mutex. GZ_BAD_STATE: replaced. */
GZ_MUST_USE enum gz_status gz_members_renew(struct gz_cluster *cluster, struct gz_error *error);
/* Notes this member's own trouble, if there is any, as one of the engine. Not under the mutex. */
void gz_members_say_trouble(struct gz_cluster *cluster);
/* Whether another member could take the scene at once. Under the mutex. */
bool gz_members_can_take(const struct gz_cluster *cluster, const char *scene);
/* The holder of the scene does not answer this member: whether to ask for the scene, and for which
 * member: one that more of the others reach; else now and then this one. */
bool gz_members_choose(struct gz_cluster *cluster, const char *holder, const char *scene,
                       char chosen[GZ_MEMBER_BYTES_MAX + 1]);
/* The address of a member that answers; of one that could take the scene at once, if there is one.
 * Under the mutex. */
bool gz_members_find_next(const struct gz_cluster *cluster, const char *scene,
                          char url[GZ_MEMBER_URL_BYTES_MAX + 1]);
/* The address of the member, if it is another one. Under the mutex. */
bool gz_members_find(const struct gz_cluster *cluster, const char *member,
                     char url[GZ_MEMBER_URL_BYTES_MAX + 1]);

/* ---- cluster.c ---- */

/* A member without threads, which has not entered; NULL without memory. For tests, which call renew
 * and follow themselves. */
struct gz_cluster *gz_cluster_prepare(const struct gz_cluster_options *options);
/* Enters, or renews. */
void gz_cluster_renew(struct gz_cluster *cluster);
/* One pass of the follower: follows and adopts. Whether there is more to follow at once. */
bool gz_cluster_follow(struct gz_cluster *cluster);

/* ---- file.c ---- */

/* Brings the file at `path` up to the last change of the scene's log, or further by the changes of
 * one turn. Only *applier, which may be NULL before and after, may have it open. Updates *file,
 * above all its place. GZ_CONFLICT if the file belongs to another scene, or the log's changes do
 * not even fit its own copy. */
GZ_MUST_USE enum gz_status gz_catch_up(struct gz_cluster *cluster,
                                       const struct gz_cluster_scene *scene, const char *path,
                                       bool is_turn, struct gz_applier **applier,
                                       struct gz_followed *file, struct gz_error *error);
/* Renames the file so that it is no scene's any more, and logs that. */
GZ_MUST_USE enum gz_status gz_quarantine(const struct gz_cluster *cluster, const char *name,
                                         const char *path, const char *why, struct gz_error *error);
/* Whether the file is the scene's, and has no change that the log lacks. */
bool gz_is_of_scene(const struct gz_cluster_scene *scene, const struct gz_place *place);
/* Whether the file is another scene's, and older than the log of this name. */
bool gz_is_earlier(const struct gz_cluster_scene *scene, const struct gz_place *place);
/* Whether the file was up to date at this place when this member last followed it. */
bool gz_was_followed(const struct gz_followed *file, const struct gz_place *place);
/* Clears away the file at the path, which exists, at this place, and belongs to a gone or an
 * earlier scene. Deletes it if this member had it up to date and the log says that its scene has
 * ended; else puts it aside, because its content may exist nowhere else. */
GZ_MUST_USE enum gz_status gz_clear_file(const struct gz_cluster *cluster,
                                         const struct gz_cluster_scene *scene,
                                         const struct gz_followed *file, const char *path,
                                         const struct gz_place *place, struct gz_error *error);

/* ---- file.c: files that are followed stay open, since to open one takes as long as many changes
 * ---- */

/* Not under the mutex; called by the follower or a claim, whichever has the file of this name. */

/* Takes the kept file; NULL if it is not kept. The caller owns it. */
struct gz_applier *gz_file_cache_take(struct gz_cluster *cluster, const char *name);
/* Keeps the file open, or closes it if too many are. NULL is fine. */
void gz_file_cache_give(struct gz_cluster *cluster, const char *name, struct gz_applier *applier);
/* Closes the file if it had no changes for a while, or has moved. */
void gz_file_cache_review(struct gz_cluster *cluster, const char *name);
/* The name of the file with this index, of GZ_CLUSTER_KEPT_MAX; "" for none. Any thread. */
void gz_file_cache_name(struct gz_cluster *cluster, size_t i,
                        char name[GZ_SCENE_NAME_BYTES_MAX + 1]);
/* Call it at the end, when no file is in use. */
void gz_file_cache_finish(struct gz_cluster *cluster);

/* ---- follow.c ---- */

/* Applies the changes of other members, and checks the claims, once. False if the engine does not
 * answer. */
bool gz_follow(struct gz_cluster *cluster);
/* Closes the kept files. The follower's. */
void gz_follow_nothing(struct gz_cluster *cluster);
/* Whether the log has, or had, a scene of this name. The follower's. */
bool gz_is_followed(struct gz_cluster *cluster, const char *name);

/* The follower's state of the file of this name, for the claim of this name. */
/* The member that had the scene when the log was last listed; NULL if it is not known. Under the
 * mutex. */
const char *gz_followed_member(const struct gz_cluster *cluster, const char *name);
struct gz_followed gz_followed_before(struct gz_cluster *cluster, const char *name);
/* Notes the file's place when its claim ends or gives up the name; NULL if there is no file. */
void gz_note_place(struct gz_cluster *cluster, const char *name, const struct gz_place *place);

/* ---- members.c ---- */

/* Begins to count anew what the files lack. Under the mutex. */
void gz_lag_begin(struct gz_cluster *cluster);
void gz_lag_add(struct gz_cluster *cluster, const struct gz_cluster_lag *lag);
/* How long the file that has lacked changes longest has. Under the mutex. */
double gz_lag_seconds(const struct gz_cluster *cluster);
/* Reports to the engine, if the numbers changed since the last report. Not under the mutex; the
 * follower's. */
void gz_lag_report(struct gz_cluster *cluster);

/* ---- import_existing.c ---- */

/* Adopts the files of the folder that the log does not know. The follower's, after it has
 * followed. */
void gz_import_existing(struct gz_cluster *cluster);

/* ---- lease.c ---- */

/* The claim of this name; NULL for none. Under the mutex. */
struct gz_scene_lease *gz_cluster_find(const struct gz_cluster *cluster, const char *name);

/* ---- shipping.c ---- */

enum gz_status gz_scene_lease_append(void *context, uint64_t n, const uint8_t *bytes, size_t size,
                                     struct gz_error *error);

/* Puts a copy of one scene's file into its log, if a scene has changes that are larger than its
 * last copy. Its store goes on meanwhile. */
void gz_copy_if_due(struct gz_cluster *cluster);
/* Puts the file at `from`, which must not be open, into the log as the newest copy. */
GZ_MUST_USE enum gz_status gz_put_copy(struct gz_cluster *cluster, const char *name, uint64_t epoch,
                                       const char *from, struct gz_error *error);

#endif
