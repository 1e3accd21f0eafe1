/* keyring.c - loads keys, and verifies and signs tokens with them. See keyring.h. */
#include "net/keyring.h"

#include "net/clock.h"

enum gz_status gz_keyring_load(struct gz_keyring *ring, const struct gz_log *log,
                               struct gz_error *error)
{
    struct gz_keys *keys;
    struct gz_error why;
    enum gz_status status = gz_keys_load(ring->path, &keys, &why);
    if (status != GZ_OK) return gz_fail(error, status, "--keys: %s", why.message);
    gz_keys_destroy(ring->keys);
    ring->keys = keys;
    if (gz_keys_are_exposed(keys))
        gz_log(log, GZ_WARN, 0,
               "--keys: other users can read or change %s, and so make tokens; run chmod 600 "
               "on it",
               ring->path);
    return GZ_OK;
}

void gz_keyring_finish(struct gz_keyring *ring)
{
    gz_keys_destroy(ring->keys);
    ring->keys = NULL;
}

enum gz_status gz_keyring_verify(const struct gz_keyring *ring, struct gz_text token,
                                 struct gz_claims *claims, struct gz_error *error)
{
    return gz_token_verify(ring->keys, ring->audience, token, gz_clock_now().unix_s, claims, error);
}

enum gz_status gz_keyring_sign(const struct gz_keyring *ring, const struct gz_claims *claims,
                               double seconds, char token[GZ_TOKEN_BYTES_MAX + 1],
                               struct gz_error *error)
{
    struct gz_claims timed = *claims;
    double now_unix_s = gz_clock_now().unix_s;
    timed.expires_unix_s = now_unix_s + seconds;
    return gz_token_sign(ring->keys, ring->audience, &timed, now_unix_s, token, error);
}
