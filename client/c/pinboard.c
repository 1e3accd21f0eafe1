/* pinboard.c - the notes in the scene, kept up to date by notes messages. */
#include <stdlib.h>

#include "gizmo_client.h"
#include "records.h"

struct gz_pinboard {
    struct gz_records notes; /* blocks: a gz_note_state, then its texts */
    bool more;
};

struct gz_pinboard *gz_pinboard_create(void)
{
    return calloc(1, sizeof(struct gz_pinboard));
}

void gz_pinboard_clear(struct gz_pinboard *pinboard)
{
    gz_records_clear(&pinboard->notes);
    pinboard->more = false;
}

void gz_pinboard_destroy(struct gz_pinboard *pinboard)
{
    if (pinboard == NULL) return;
    gz_pinboard_clear(pinboard);
    free(pinboard);
}

static struct gz_note_state *copy_note(const struct gz_note_state *note)
{
    struct gz_note_state *copy = malloc(sizeof *copy + note->user.size + 1 + note->text.size + 1);
    if (copy == NULL) return NULL;
    *copy = *note;
    char *texts = (char *)(copy + 1);
    copy->user = gz_record_text(&texts, note->user);
    copy->text = gz_record_text(&texts, note->text);
    return copy;
}

enum gz_status gz_pinboard_apply(struct gz_pinboard *pinboard, const struct gz_notes *notes,
                                 struct gz_error *error)
{
    if (notes->all) gz_pinboard_clear(pinboard);
    for (size_t i = 0; i < notes->gone.count; i++)
        gz_records_remove(&pinboard->notes, notes->gone.ids[i]);
    for (size_t i = 0; i < notes->count; i++) {
        const struct gz_note_state *note = &notes->notes[i];
        if (!gz_records_put(&pinboard->notes, note->id, copy_note(note)))
            return gz_fail(error, GZ_NO_MEMORY, "no memory for the notes");
    }
    pinboard->more = notes->more;
    return GZ_OK;
}

bool gz_pinboard_is_complete(const struct gz_pinboard *pinboard)
{
    return !pinboard->more;
}

size_t gz_pinboard_count(const struct gz_pinboard *pinboard)
{
    return pinboard->notes.count;
}

const struct gz_note_state *gz_pinboard_at(const struct gz_pinboard *pinboard, size_t index)
{
    return index < pinboard->notes.count ? pinboard->notes.list[index].block : NULL;
}

const struct gz_note_state *gz_pinboard_find(const struct gz_pinboard *pinboard, uint64_t id)
{
    return gz_records_find(&pinboard->notes, id);
}
