/* download.c - downloads of a scene: its asset, an export of its nodes, a backup. */
#include "host/transfer_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/maxima.h"

static_assert(GZ_ASSET_TAG_BYTES + 2 <= GZ_ETAG_BYTES, "a tag and its quotes");

enum gz_status gz_download_prepare(struct gz_transfer *transfer)
{
    enum gz_status status =
        gz_scenes_check_name(transfer->all->scenes, transfer->name, &transfer->error);
    if (status != GZ_OK) return status;
    if (!gz_scenes_have(transfer->all->scenes, transfer->name)) {
        return gz_fail(&transfer->error, GZ_UNKNOWN_SCENE, "there is no scene %s", transfer->name);
    }
    return GZ_OK;
}

/* Writes the answer to a file; whether that succeeded. */
static bool write_answer(struct gz_transfer *transfer)
{
    const struct gz_buffer *out = &transfer->out;
    int file = gz_body_open_file(transfer->all->scenes->setting->folder);
    if (file < 0) return false;
    if (gz_body_write_file(file, out->data, out->size, 0)) {
        transfer->file = file;
        return true;
    }
    close(file);
    return false;
}

/* Puts a large answer into a file until it is sent. If the disk has no space for it, it stays in
 * memory, which the network bounds for all answers together. */
static void put_aside(struct gz_transfer *transfer)
{
    struct gz_disk *disk = transfer->all->scenes->setting->disk;
    const size_t size = transfer->out.size;
    struct gz_error error;
    if (size <= GZ_HTTP_ANSWER_MEMORY_BYTES || gz_disk_reserve(disk, size, &error) != GZ_OK) return;
    if (write_answer(transfer)) gz_buffer_finish(&transfer->out);
    gz_disk_release(disk, size);
}

/* ---- asset and backup: from the file ---- */

/* If another asset is imported between reading the tag and reading the asset, the new asset is sent
 * with the old tag. That is harmless: the old tag is never given again. */
enum gz_status gz_download_asset(struct gz_transfer *transfer)
{
    char tag[GZ_ASSET_TAG_BYTES];
    enum gz_status status = gz_store_asset_tag(transfer->path, tag, &transfer->error);
    if (status == GZ_OK) {
        snprintf(transfer->etag, sizeof transfer->etag, "\"%s\"", tag);
        if (gz_http_knows(transfer->request, transfer->etag)) return GZ_OK;
        status = gz_store_asset(transfer->path, &transfer->out, &transfer->error);
    }
    if (status == GZ_BAD_STATE) transfer->http_code = 404;
    if (status == GZ_OK) {
        transfer->type = gz_gltf_media_type(transfer->out.data, transfer->out.size);
        put_aside(transfer);
    }
    return status;
}

static enum gz_status write_backup(struct gz_transfer *transfer)
{
    char *copy;
    if (asprintf(&copy, "%s/" GZ_BACKUP_PREFIX "%d-%p", transfer->all->scenes->setting->folder,
                 (int)getpid(), (void *)transfer) < 0) {
        return gz_fail(&transfer->error, GZ_NO_MEMORY, "no memory");
    }
    enum gz_status status = gz_store_backup(transfer->path, copy, &transfer->error);
    if (status == GZ_OK) {
        transfer->file = open(copy, O_RDONLY | O_CLOEXEC);
        if (transfer->file < 0)
            status = gz_fail(&transfer->error, GZ_STORAGE, "the backup cannot be read: %s",
                             strerror(errno));
    }
    unlink(copy);
    free(copy);
    transfer->type = "application/vnd.sqlite3";
    return status;
}

enum gz_status gz_download_backup(struct gz_transfer *transfer)
{
    struct gz_disk *disk = transfer->all->scenes->setting->disk;
    const uint64_t size = gz_store_bytes(transfer->path);
    enum gz_status status = gz_disk_reserve(disk, size, &transfer->error);
    if (status != GZ_OK) return status;
    status = write_backup(transfer);
    gz_disk_release(disk, size);
    return status;
}

/* ---- export: asset and nodes, from the file ---- */

/* Opens the scene, which brings its file up to date; the core is not asked. */
enum gz_status gz_export_prepare(struct gz_transfer *transfer)
{
    enum gz_status status = gz_download_prepare(transfer);
    return status == GZ_OK ? gz_transfer_find(transfer, false) : status;
}

static struct gz_export_node *export_nodes(struct gz_scene_state *state)
{
    struct gz_export_node *nodes = gz_arena_take(&state->arena, state->node_count, sizeof *nodes);
    if (nodes == NULL) return NULL;
    for (size_t i = 0; i < state->node_count; i++) {
        const struct gz_node_record *record = &state->nodes[i];
        nodes[i] = (struct gz_export_node){.id = record->id,
                                           .parent = record->content.parent,
                                           .asset = record->content.asset,
                                           .name = record->content.name,
                                           .trs = record->content.trs};
    }
    return nodes;
}

static enum gz_status write_present(struct gz_transfer *transfer, struct gz_scene_state *state,
                                    const struct gz_buffer *asset)
{
    const struct gz_export_node *nodes = export_nodes(state);
    if (nodes == NULL) return gz_fail(&transfer->error, GZ_NO_MEMORY, "no memory for the nodes");
    enum gz_status status =
        gz_export_write(&transfer->out, asset->data, asset->size, nodes, state->node_count,
                        transfer->request->ids, transfer->dropped, &transfer->error);
    if (status == GZ_OK)
        transfer->type = gz_gltf_media_type(transfer->out.data, transfer->out.size);
    return status;
}

static enum gz_status write_export(struct gz_transfer *transfer)
{
    struct gz_scene_state state;
    struct gz_buffer asset;
    gz_buffer_init(&asset, GZ_ASSET_BYTES_MAX, 0);
    enum gz_status status = gz_store_present(transfer->path, &state, &asset, &transfer->error);
    if (status == GZ_OK) status = write_present(transfer, &state, &asset);
    gz_scene_state_finish(&state);
    gz_buffer_finish(&asset);
    return status;
}

enum gz_status gz_export_run(struct gz_transfer *transfer)
{
    enum gz_status status = write_export(transfer);
    if (status == GZ_OK) put_aside(transfer);
    return status;
}

static enum gz_status convert_export(struct gz_transfer *transfer, bool binary)
{
    enum gz_status status = write_export(transfer);
    if (status != GZ_OK) return status;
    struct gz_buffer written = transfer->out;
    gz_buffer_init(&transfer->out, GZ_HTTP_ANSWER_BYTES_MAX, 0);
    status = gz_gltf_convert(&transfer->out, written.data, written.size, binary, &transfer->error);
    gz_buffer_finish(&written);
    if (status != GZ_OK) return status;
    transfer->type = gz_gltf_media_type(transfer->out.data, transfer->out.size);
    put_aside(transfer);
    return status;
}

enum gz_status gz_export_run_glb(struct gz_transfer *transfer)
{
    return convert_export(transfer, true);
}

enum gz_status gz_export_run_gltf(struct gz_transfer *transfer)
{
    return convert_export(transfer, false);
}
