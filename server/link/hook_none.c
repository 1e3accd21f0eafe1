/* hook_none.c - instead of hook.c in a build without libcurl: nothing is posted. */
#include "link/hook.h"

enum gz_status gz_hook_create(struct gz_hook **hook, uv_loop_t *loop, const struct gz_log *log,
                              const char *url, const uint8_t *secrets, size_t size,
                              struct gz_error *error)
{
    (void)loop, (void)log, (void)url, (void)secrets, (void)size;
    *hook = NULL;
    return gz_fail(error, GZ_BAD_STATE, "this build has no libcurl");
}

enum gz_status gz_hook_check_secrets(const uint8_t *secrets, size_t size, struct gz_error *error)
{
    (void)secrets, (void)size;
    return gz_fail(error, GZ_BAD_STATE, "this build has no libcurl");
}

enum gz_status gz_hook_take_secrets(struct gz_hook *hook, const uint8_t *secrets, size_t size,
                                    struct gz_error *error)
{
    (void)hook, (void)secrets, (void)size;
    return gz_fail(error, GZ_BAD_STATE, "this build has no libcurl");
}

bool gz_hook_post(struct gz_hook *hook, const char *id, double unix_s, const struct gz_buffer *body,
                  void (*done)(void *context, const struct gz_hook_result *result), void *context)
{
    (void)hook, (void)id, (void)unix_s, (void)body, (void)done, (void)context;
    return false;
}

void gz_hook_close(struct gz_hook *hook)
{
    (void)hook;
}

void gz_hook_destroy(struct gz_hook *hook)
{
    (void)hook;
}
