/* images.c - Looks whether the images of a file can be there at all: their bytes within reach, of a
 * known kind, and not cut off. Nothing is decoded; whoever draws the file does that. */
#include <stdlib.h>
#include <string.h>

#include "gltf/mesh.h"

struct picture {
    const uint8_t *at;
    size_t size;
};

static uint32_t big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* A PNG is whole if its chunks lead to the last one, of a JPEG if the mark of its end is there, of
 * a WebP if its bytes are as many as it says. What stands behind that does no harm. */
static bool is_whole_png(const struct picture *picture)
{
    for (uint64_t at = 8; at + 12 <= picture->size;) {
        const uint8_t *chunk = picture->at + at;
        at += 12 + (uint64_t)big_endian(chunk);
        if (memcmp(chunk + 4, "IEND", 4) == 0) return at <= picture->size;
    }
    return false;
}

static bool is_whole_jpeg(const struct picture *picture)
{
    return memmem(picture->at, picture->size, "\xFF\xD9", 2) != NULL;
}

static bool is_whole_webp(const struct picture *picture)
{
    const uint8_t *said = picture->at + 4;
    uint64_t size =
        said[0] | (uint64_t)said[1] << 8 | (uint64_t)said[2] << 16 | (uint64_t)said[3] << 24;
    return size + 8 <= picture->size;
}

static const struct kind {
    const char *start;
    size_t offset, size;
    const char *type;
    bool (*is_whole)(const struct picture *picture); /* NULL: not looked at */
} kinds[] = {{"\x89PNG\r\n\x1A\n", 0, 8, "image/png", is_whole_png},
             {"\xFF\xD8\xFF", 0, 3, "image/jpeg", is_whole_jpeg},
             {"WEBP", 8, 4, "image/webp", is_whole_webp},
             {"KTX 20", 1, 6, "image/ktx2", NULL},
             {"ftyp", 4, 4, "image/avif", NULL},
             {"DDS ", 0, 4, "image/vnd-ms.dds", NULL},
             {"GIF8", 0, 4, "image/gif", NULL},
             {"BM", 0, 2, "image/bmp", NULL}};

/* By the first bytes; NULL if it is not known. */
static const struct kind *kind_of(const struct picture *picture)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (picture->size >= kinds[i].offset + kinds[i].size &&
            memcmp(picture->at + kinds[i].offset, kinds[i].start, kinds[i].size) == 0)
            return &kinds[i];
    }
    return NULL;
}

const char *gz_image_type(const uint8_t *bytes, size_t size)
{
    const struct kind *kind = kind_of(&(struct picture){bytes, size});
    return kind != NULL ? kind->type : "application/octet-stream";
}

static const char *find_fault(const struct picture *picture)
{
    const struct kind *kind = kind_of(picture);
    if (picture->size == 0) return "is empty";
    if (kind == NULL) return "is no picture of a known kind, such as PNG or JPEG";
    return kind->is_whole == NULL || kind->is_whole(picture) ? NULL : "is cut off";
}

static void check_picture(const struct gz_mesh_reader *reader, size_t index,
                          const struct picture *picture)
{
    const char *fault = find_fault(picture);
    if (fault != NULL) gz_gltf_flaw(reader->gltf, "images[%zu]: %s", index, fault);
}

static enum gz_status check_uri(const struct gz_mesh_reader *reader, size_t index,
                                struct gz_json_text uri)
{
    if (!gz_uri_is_data(uri)) {
        gz_gltf_flaw(reader->gltf,
                     "images[%zu].uri: names the file %.*s, which did not come with it", index,
                     (int)uri.size, uri.at);
        return GZ_OK;
    }
    uint8_t *bytes = NULL;
    struct picture picture = {0};
    enum gz_status status = gz_data_uri_decode(uri, &bytes, &picture.size);
    if (status == GZ_NO_MEMORY) return status;
    picture.at = bytes;
    if (status == GZ_OK)
        check_picture(reader, index, &picture);
    else
        gz_gltf_flaw(reader->gltf, "images[%zu].uri: not a data URI that can be read", index);
    free(bytes);
    return GZ_OK;
}

/* A view that is lost was told already, and so was a property that cannot be used. */
static enum gz_status check_image(const struct gz_mesh_reader *reader, size_t index)
{
    const struct gz_json *json = gz_gltf_item(reader->gltf, "images", index);
    struct gz_json_text uri = gz_json_text(gz_json_get(json, "uri"));
    int64_t view = gz_json_index(json, "bufferView");
    if (uri.at != NULL) return check_uri(reader, index, uri);
    if (view >= 0 && reader->views[view].data != NULL) {
        struct picture picture = {reader->views[view].data, reader->views[view].size};
        check_picture(reader, index, &picture);
    } else if (json != NULL && !gz_json_has(json, "uri") && !gz_json_has(json, "bufferView") &&
               gz_json_get(json, "extensions") == NULL) {
        gz_gltf_flaw(reader->gltf, "images[%zu]: has neither a uri nor a bufferView", index);
    }
    return GZ_OK;
}

enum gz_status gz_images_check(const struct gz_mesh_reader *reader)
{
    enum gz_status status = GZ_OK;
    for (size_t i = 0; i < gz_gltf_count(reader->gltf, "images") && status == GZ_OK; i++)
        status = check_image(reader, i);
    return status;
}
