/* transfer_parts.h - what the files of transfers share: a transfer, its kinds, and the steps of
 * each.
 *
 * - transfer_parts.c: from a request to its answer, and rights
 * - download.c: assets, exports and backups
 * - upload.c: imports
 * - transfer.c: the rest, and which kind of transfer a request is
 *
 * Threads: the loop's, but for `run` of a kind, which is a worker's. */
#ifndef GZ_HOST_TRANSFER_PARTS_H
#define GZ_HOST_TRANSFER_PARTS_H

#include "exchange/exchange.h"
#include "host/folder.h"
#include "host/listing.h"
#include "host/loan.h"
#include "host/transfer.h"
#include "net/body.h"

#define GZ_JSON_TYPE "application/json"

struct gz_transfer {
    struct gz_transfers *all;
    struct gz_transfer *next;
    const struct gz_transfer_kind *kind;
    struct gz_http_request *request; /* NULL for the sample */
    char name[GZ_SCENE_NAME_BYTES_MAX + 1];
    char new_name[GZ_SCENE_NAME_BYTES_MAX + 1]; /* rename */
    char *path;
    enum {
        ON_LOOP,   /* it waits for its scene or for a commit */
        AT_WORKER, /* its job ends it, or its loan */
        RETIRING   /* the retirement of its scene ends it */
    } place;
    bool is_admission; /* it ends where the body may come */
    bool has_run, is_authorised;
    bool is_located; /* in a cluster: its scene is here, or nowhere */
    struct gz_job job;
    struct gz_loan loan;
    struct gz_scene_wait wait;
    struct gz_open_scene *scene;
    struct gz_error error; /* status GZ_OK: all is well so far */
    int http_code;         /* of the error; 0 for the one of its status */
    struct gz_buffer out;
    const char *type;
    char etag[GZ_ETAG_BYTES];
    int file;
    /* import */
    struct gz_body *body;
    const uint8_t *bytes; /* of the body, once they are read */
    struct gz_import import;
    struct gz_core_import_node *nodes;
    struct gz_core_import given; /* to the core */
    struct gz_telling stored;
    bool is_admitted, made;
    void (*done)(void *context, const struct gz_error *error);
    void *done_context;
    /* export */
    struct gz_arena arena;
    const struct gz_node_record *records;
    size_t record_count;
    bool has_asset;
    char dropped[GZ_DROPPED_BYTES];
    struct gz_scene_list list;
};

struct gz_transfer_kind {
    /* On the loop, before the body may come; NULL: nothing to look at. */
    enum gz_status (*check)(const struct gz_transfers *all, const struct gz_http_request *request,
                            struct gz_error *error);
    /* Both on the loop; NULL: nothing to do. `prepare` may find that a scene is to be opened first:
     * then it waits, and is called again. It may borrow the core: then the end of that goes on. */
    enum gz_status (*prepare)(struct gz_transfer *transfer);
    enum gz_status (*run)(struct gz_transfer *transfer); /* on a worker */
    /* Answers and frees, or sees to it that somebody does. */
    void (*finish)(struct gz_transfer *transfer);
    /* Instead of the three: the scene gives up its name. Answers, or sees to it that somebody
     * does. */
    void (*retire)(struct gz_transfer *transfer);
    enum gz_retire_how how;
};

/* ---- transfer_parts.c ---- */
/* NULL without memory. */
struct gz_transfer *gz_transfer_create(struct gz_transfers *all,
                                       const struct gz_transfer_kind *kind, const char *name);
void gz_transfer_start(struct gz_transfer *transfer);
/* Whose share of the server it uses; "" for nobody's. */
const char *gz_transfer_payer(const struct gz_transfer *transfer);
/* Its scene, which may have to be opened first: `scene` is NULL then, and the transfer waits. */
GZ_MUST_USE enum gz_status gz_transfer_find(struct gz_transfer *transfer, bool create);
/* Has the core of its scene lent to it: `run` sets its error, which is that the server goes away
 * until then. */
void gz_transfer_borrow(struct gz_transfer *transfer,
                        void (*run)(struct gz_loan *loan, struct gz_core *core),
                        void (*done)(struct gz_loan *loan, bool is_cancelled));
/* Gives it to a worker, or refuses it with its error. */
void gz_transfer_work(struct gz_transfer *transfer);
/* Answers and frees: with its error; with what was made. */
void gz_transfer_refuse(struct gz_transfer *transfer);
void gz_transfer_answer(struct gz_transfer *transfer, int code);
void gz_transfer_free(struct gz_transfer *transfer);
/* Whether the claims of its user suffice, whatever the scene's own access says. */
bool gz_transfer_claims_suffice(const struct gz_transfer *transfer);
/* In the same words for a scene that the user may not see and for one that is not there. */
enum gz_status gz_transfer_forbid(struct gz_transfer *transfer);
/* After work on a worker: the right may have been taken away meanwhile, and the scene may be
 * another of the same name. */
GZ_MUST_USE enum gz_status gz_transfer_authorise_again(struct gz_transfer *transfer);

/* ---- download.c ---- */
GZ_MUST_USE enum gz_status gz_download_prepare(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_download_asset(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_download_backup(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_export_prepare(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_export_run(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_export_run_glb(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_export_run_gltf(struct gz_transfer *transfer);

/* ---- upload.c ---- */
/* A scene that is there stays as it is unless the request says otherwise. */
GZ_MUST_USE enum gz_status gz_upload_check(const struct gz_transfers *all,
                                           const struct gz_http_request *request,
                                           struct gz_error *error);
GZ_MUST_USE enum gz_status gz_upload_read(struct gz_transfer *transfer);
void gz_upload_finish(struct gz_transfer *transfer);

#endif
