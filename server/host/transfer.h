/* transfer.h - answers HTTP requests: the list of scenes, import and export of glTF, backups,
 * deleting and renaming scenes. The work is done on workers from copies, so that no viewer waits
 * for it. Threads: the loop's. */
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

/* Answers a request, at once or later. */
void gz_transfer_serve(struct gz_transfers *transfers, struct gz_http_request *request);
/* Decides, at once or later, whether the body of an import or a rename may come: refuses the
 * request, or makes the request's transfer, which waits for the body, and calls gz_http_receive. */
void gz_transfer_admit(struct gz_transfers *transfers, struct gz_http_request *request);

/* Writes the part of a body that is in memory to its file, on a worker; then calls gz_http_receive,
 * or refuses. */
void gz_transfer_spool(struct gz_http_request *request);
/* Frees a transfer whose body will not come; its request is answered elsewhere, or has ended. */
void gz_transfer_free(struct gz_transfer *transfer);
/* Frees a body that is not needed, on a worker. */
void gz_transfer_discard(struct gz_transfers *transfers, struct gz_body *body);

/* Imports the sample under this name; `done` is called once, after its COMMIT. */
void gz_transfer_sample(struct gz_transfers *transfers, const char *name,
                        void (*done)(void *context, const struct gz_error *error), void *context);

/* Whether no transfer is at work; those whose bodies are coming do not count. */
bool gz_transfer_is_idle(const struct gz_transfers *transfers);
/* Refuses transfers that wait for a scene or a commit that will not come. Call it after
 * gz_jobs_close, which refuses those at workers. */
void gz_transfer_cancel(struct gz_transfers *transfers);

#endif
