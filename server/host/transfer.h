/* transfer.h - what is large or not live: the list of scenes, glTF in and out, backups, scenes
 * deleted and renamed. Made on workers from copies, so that no viewer waits for it. Threads: the
 * loop's. */
#ifndef GZ_HOST_TRANSFER_H
#define GZ_HOST_TRANSFER_H

#include "host/retire.h"

struct gz_listing; /* host/listing.h */

struct gz_transfers {
    struct gz_scenes *scenes;
    struct gz_retirements *retirements;
    struct gz_listing *listing;
    struct gz_transfer *first;
};

/* Answers a request, sooner or later. */
void gz_transfer_serve(struct gz_transfers *transfers, struct gz_http_request *request);
/* Decides whether the body of an import or of a rename may come, sooner or later: refuses the
 * request, or calls gz_http_receive. */
void gz_transfer_admit(struct gz_transfers *transfers, struct gz_http_request *request);

/* Writes what is in memory of a body to its file, on a worker; then gz_http_receive, or refuses. */
void gz_transfer_spool(struct gz_transfers *transfers, struct gz_http_request *request);
/* Frees a body that nobody waits for, on a worker. */
void gz_transfer_discard(struct gz_transfers *transfers, struct gz_body *body);

/* Imports the sample under this name; `done` is called once, after its COMMIT. */
void gz_transfer_sample(struct gz_transfers *transfers, const char *name,
                        void (*done)(void *context, const struct gz_error *error), void *context);

/* Refuses what waits for a scene or for a commit that will not come any more. After gz_jobs_close,
 * which refuses what is at workers. */
void gz_transfer_cancel(struct gz_transfers *transfers);

#endif
