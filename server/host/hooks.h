/* hooks.h - tells the operator's hook what happens in the scenes: edits, and the changes of notes
 * and checkpoints (gizmod --hook).
 *
 * There is no queue: a scene's file says how far the hook was told (schema/README.md, "told"), and
 * what is behind that place is read from the file, posted, and then the place moves on. So each
 * event is posted at least once, in the order of its scene, also after a crash. One request is made
 * at a time, as there is one receiver; open scenes take turns. A request that fails is made again
 * with the same events after a pause of its scene that doubles. Nothing waits for it: scenes are
 * closed, and the past goes, as without a hook. What scenes had that were closed meanwhile is found
 * by a look at the folder (listing.h), which opens them one by one; in a cluster, only if no other
 * member has them.
 *
 * Ownership: part of the host. Threads: the loop's. */
#ifndef GZ_HOST_HOOKS_H
#define GZ_HOST_HOOKS_H

#include "core/core.h"
#include "host/listing.h"
#include "link/hook.h"

struct gz_hooks {
    struct gz_hook *hook; /* NULL: there is none, and the rest is not used */
    struct gz_scenes *scenes;
    struct gz_listing *listing;
    /* As gz_net_host. */
    void *context;
    enum gz_status (*find)(void *context, struct gz_text name, bool create, const char *payer,
                           struct gz_scene_wait *wait, struct gz_net_scene **scene,
                           struct gz_error *error);
    /* the rest is private to hooks.c */
    uv_timer_t timer;
    bool is_busy, is_closing;
    uint64_t turns;
    /* What is read, posted or looked for now: */
    struct gz_job job;
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    char *path;
    uint64_t epoch; /* of the scene at that time */
    struct gz_query query;
    struct gz_buffer body;
    struct gz_printed_news printed;
    struct gz_error error;
    struct gz_scene_wait wait;
    double look_s; /* monotonic: when the next look begins */
    bool is_looking;
    char looked[GZ_SCENE_NAME_BYTES_MAX + 1]; /* the scene that the look found last */
    /* How it goes. */
    bool is_failing, is_unwanted;
    char why[128];                       /* it failed last */
    uint64_t events, requests, failures; /* events: that were taken */
};

/* Begins; the other members are filled. */
void gz_hooks_start(struct gz_hooks *hooks);
/* Something may have happened in this scene. */
void gz_hooks_stir(struct gz_hooks *hooks, struct gz_open_scene *scene);
/* Posts again to a receiver that wanted no more. */
void gz_hooks_resume(struct gz_hooks *hooks);
/* Appends the metrics. False without memory. */
bool gz_hooks_measure(const struct gz_hooks *hooks, struct gz_buffer *out);
/* Before gz_jobs_close; the loop has to run to finish. */
void gz_hooks_close(struct gz_hooks *hooks);
/* After the end of the loop. */
void gz_hooks_finish(struct gz_hooks *hooks);

#endif
