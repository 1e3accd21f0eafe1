/* epochs.c - remembers the last saved seq of each earlier epoch. See epochs.h. */
#include "session/epochs.h"

#include <stdlib.h>
#include <string.h>

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
