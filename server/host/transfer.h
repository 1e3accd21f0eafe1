/* transfer.h - what is large or not live: the list of scenes, glTF in and out, backups, scenes
 * deleted and renamed. Made on libuv's workers from copies, so that no viewer waits for it.
 * Threads: the loop's. */
#ifndef GZ_HOST_TRANSFER_H
#define GZ_HOST_TRANSFER_H

#include "host/scenes.h"

/* Answers a request, sooner or later. */
void gz_transfer_serve(struct gz_scenes *scenes, struct gz_http_request *request);
/* Whether the body of an import or of a rename may be read. */
GZ_MUST_USE enum gz_status gz_transfer_admit(struct gz_scenes *scenes,
                                             const struct gz_http_request *request,
                                             struct gz_error *error);

/* Makes the sample scene of this name where it is missing; `done` is called once, at once or after
 * its COMMIT. */
void gz_transfer_sample(struct gz_scenes *scenes, const char *name,
                        void (*done)(void *context, enum gz_status status, const char *message),
                        void *context);

/* Refuses what waits for a commit that will not come any more, and what no worker has begun. */
void gz_transfer_cancel(struct gz_scenes *scenes);

/* Whether a worker is busy with the files of this scene. */
bool gz_transfer_reads(const struct gz_scenes *scenes, const char *name);

/* Deletes what a crash in the middle of a backup, or of deleting or renaming a scene, left in the
 * folder. */
void gz_transfer_tidy(const struct gz_scenes *scenes);

#endif
