/* epochs.h - the epochs of a scene: the present one, and the earlier ones that a viewer can resume
 * from. Each opening of the scene begins an epoch. */
#ifndef GZ_SESSION_EPOCHS_H
#define GZ_SESSION_EPOCHS_H

#include "scene/record.h"

struct gz_epochs {
    uint64_t present;
    struct gz_epoch_record *earlier;
    size_t earlier_count;
};

/* Takes over what `state` says. False without memory. */
GZ_MUST_USE bool gz_epochs_init(struct gz_epochs *epochs, const struct gz_scene_state *state);
void gz_epochs_finish(struct gz_epochs *epochs);
/* The last saved seq of an earlier epoch; 0 if that epoch is not known. */
uint64_t gz_epochs_last_seq(const struct gz_epochs *epochs, uint64_t earlier);

#endif
