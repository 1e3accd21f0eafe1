/* state.c - what the files of this room share: the core's state, its times, options, and imports.
 */
#include "core/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/maxima.h"

/* ---- the time ---- */

/* Times of a scene that never go back, even if the wall clock does: otherwise a client
 * that pages through the history by `since` or `before` would miss edits. */

/* The smallest step between two moments; doubles near today's times are 0.24 microseconds apart. */
#define STEP_S 1e-6

struct gz_clock gz_clock_from(double newest_s)
{
    /* INFINITY: no interval has passed when the host gives its first time. */
    return (struct gz_clock){.now = {newest_s, INFINITY}, .moment_s = newest_s};
}

void gz_clock_advance(struct gz_clock *clock, struct gz_now now)
{
    double passed_s = fmax(now.mono_s - clock->now.mono_s, 0);
    double at_least_s = clock->now.unix_s + GZ_CLOCK_RATE_MIN * passed_s;
    clock->wall_s = now.unix_s;
    clock->now = (struct gz_now){fmax(now.unix_s, at_least_s), now.mono_s};
}

double gz_clock_moment(struct gz_clock *clock)
{
    double next_s = fmax(clock->moment_s + STEP_S, nextafter(clock->moment_s, INFINITY));
    clock->now.unix_s = clock->moment_s = fmax(clock->now.unix_s, next_s);
    return clock->moment_s;
}

/* ---- epochs ---- */

/* Remembers the last saved seq of each earlier epoch. */

bool gz_epochs_init(struct gz_epochs *epochs, const struct gz_scene_state *state)
{
    epochs->present = state->epoch;
    epochs->earlier = calloc(state->epoch_count + 1, sizeof *epochs->earlier);
    if (epochs->earlier == NULL) return false;
    if (state->epoch_count > 0)
        memcpy(epochs->earlier, state->epochs, state->epoch_count * sizeof *epochs->earlier);
    epochs->earlier_count = state->epoch_count;
    return true;
}

void gz_epochs_finish(struct gz_epochs *epochs)
{
    free(epochs->earlier);
}

uint64_t gz_epochs_last_seq(const struct gz_epochs *epochs, uint64_t earlier)
{
    for (size_t i = 0; i < epochs->earlier_count; i++) {
        if (epochs->earlier[i].epoch == earlier) return epochs->earlier[i].seq_last;
    }
    return 0;
}

/* ---- an imported file ---- */

void gz_import_accept(struct gz_pending_import *import, struct gz_assets *assets,
                      const struct gz_core_host *host)
{
    if (import->asset.bytes == NULL) return;
    gz_assets_let_go(assets, host);
    if (import->done != NULL) import->done(import->context, GZ_OK, "");
}

void gz_import_refuse(struct gz_pending_import *import, struct gz_assets *assets,
                      const struct gz_core_host *host, const char *why)
{
    if (import->asset.bytes == NULL) return;
    if (import->is_new) gz_assets_remove_last(assets, host);
    if (import->done != NULL) import->done(import->context, GZ_STORAGE, why);
}

void gz_import_free(struct gz_pending_import *import, const struct gz_core_host *host)
{
    gz_host_release(host, import->owner, import->finish);
}
