/* transfer_parts.h - what the files about transfers share: a transfer, its kinds, and their steps.
 *
 * - transfer_parts.c: from a request to its answer, and rights
 * - upload.c: imports
 * - transfer.c: the rest, and which kind of transfer a request is
 *
 * Threads: the loop's, but for `run` of a kind, which is a worker's. */
#ifndef GZ_HOST_TRANSFER_PARTS_H
#define GZ_HOST_TRANSFER_PARTS_H

#include "front/body.h"
#include "gltf/gltf.h"
#include "host/listing.h"
#include "host/loan.h"
#include "host/retire.h"
#include "host/transfer.h"

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
        ON_LOOP,   /* waits for its scene or for a commit */
        RECEIVING, /* waits for its body; the request has it */
        AT_WORKER, /* ends with its job or its loan */
        RETIRING   /* ends with the retirement of its scene */
    } place;
    bool needs_body; /* that has not come yet */
    bool has_run, is_authorised;
    bool is_located; /* in a cluster: its scene is here, or does not exist */
    struct gz_job job;
    struct gz_loan loan;
    struct gz_scene_wait wait;
    struct gz_open_scene *scene;
    uint64_t held_bytes;   /* of memory, until it is freed */
    struct gz_error error; /* status GZ_OK: no error so far */
    int http_code;         /* of the error; 0: the code of its status */
    struct gz_buffer out;
    const char *type;
    char etag[GZ_ETAG_BYTES];
    int file;
    /* import */
    struct gz_body *body;
    const uint8_t *bytes; /* of the body, once it is read */
    struct gz_import import;
    struct gz_core_import_node *nodes;
    uint64_t *ids; /* of the nodes, once they are in the scene */
    char sha256[GZ_SHA256_BYTES];
    struct gz_core_import given; /* to the core */
    struct gz_telling stored;
    bool is_admitted, made;
    void (*done)(void *context, const struct gz_error *error);
    void *done_context;
    char dropped[GZ_DROPPED_BYTES]; /* export */
    struct gz_query query;          /* a question; asked in this epoch */
    uint64_t epoch;
    struct gz_scene_list list;
};

struct gz_transfer_kind {
    /* On the loop, before the body may come; NULL: nothing to check. */
    enum gz_status (*check)(const struct gz_transfers *all, const struct gz_http_request *request,
                            struct gz_error *error);
    /* On the loop; NULL: nothing to do. If a scene has to be opened first, `prepare` waits and is
     * called again. */
    enum gz_status (*prepare)(struct gz_transfer *transfer);
    enum gz_status (*run)(struct gz_transfer *transfer); /* on a worker */
    /* Answers and frees, at once or later. */
    void (*finish)(struct gz_transfer *transfer);
    /* Instead of these three: retires the scene, and answers at once or later. */
    void (*retire)(struct gz_transfer *transfer);
    enum gz_retire_how how;
    bool is_question; /* about the past, for its lane */
};

/* ---- transfer_parts.c ---- */
/* NULL without memory. */
struct gz_transfer *gz_transfer_create(struct gz_transfers *all,
                                       const struct gz_transfer_kind *kind, const char *name);
void gz_transfer_start(struct gz_transfer *transfer);
/* Gives it to a worker, or refuses it with its error. */
void gz_transfer_work(struct gz_transfer *transfer);
/* Lets the body come, or more of it. */
void gz_transfer_receive(struct gz_transfer *transfer);
/* The payer; "" for none. */
const char *gz_transfer_payer(const struct gz_transfer *transfer);
/* Finds its scene; if that has to be opened first, `scene` is NULL and the transfer waits. */
GZ_MUST_USE enum gz_status gz_transfer_find(struct gz_transfer *transfer, bool create);
/* Answers and frees: with the error; with the result. */
void gz_transfer_refuse(struct gz_transfer *transfer);
void gz_transfer_answer(struct gz_transfer *transfer, int code);
/* Whether its user's claims suffice, without the scene's own access. */
bool gz_transfer_claims_suffice(const struct gz_transfer *transfer);
/* The same error for a scene that the user may not see and for one that does not exist. */
enum gz_status gz_transfer_forbid(struct gz_transfer *transfer);
/* Checks the user's rights: by the claims, or else by the access of the scene, which is found first
 * if `scene` is NULL. Call it before the body comes, and once more before the transfer takes
 * effect: the right may be revoked meanwhile, and the scene may be another one of the same name. */
GZ_MUST_USE enum gz_status gz_transfer_authorise(struct gz_transfer *transfer);

/* ---- transfer.c ---- */
GZ_MUST_USE enum gz_status gz_download_prepare(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_download_asset(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_download_assets(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_download_backup(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_export_prepare(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_export_run(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_export_run_glb(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_export_run_gltf(struct gz_transfer *transfer);

/* ---- question.c ---- */
GZ_MUST_USE enum gz_status gz_question_prepare(struct gz_transfer *transfer);
GZ_MUST_USE enum gz_status gz_question_run(struct gz_transfer *transfer);

/* ---- upload.c ---- */
/* Refuses to replace an existing scene unless the request says so, and to add to none. */
GZ_MUST_USE enum gz_status gz_upload_check(const struct gz_transfers *all,
                                           const struct gz_http_request *request,
                                           struct gz_error *error);
GZ_MUST_USE enum gz_status gz_upload_read(struct gz_transfer *transfer);
void gz_upload_finish(struct gz_transfer *transfer);

#endif
