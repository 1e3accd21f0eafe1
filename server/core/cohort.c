/* cohort.c - a cursor that several sessions share (core.h). */
#include <stdlib.h>

#include "core/core.h"
#include "core/session.h"

struct gz_cohort {
    struct gz_core *core;
    struct gz_cursor cursor; /* without an interest */
};

struct gz_cohort *gz_cohort_create(const struct gz_session *session)
{
    struct gz_cohort *cohort = calloc(1, sizeof *cohort);
    if (cohort != NULL) *cohort = (struct gz_cohort){session->core, session->cursor};
    return cohort;
}

void gz_cohort_destroy(struct gz_cohort *cohort)
{
    free(cohort);
}

/* One that sleeps has no messages of its own, waits for no answer, and has not ended (work.c). */
bool gz_session_only_watches(const struct gz_session *session)
{
    return !session->is_awake && session->cursor.interest_set == NULL &&
           !gz_feed_is_behind(session->core->feed, &session->cursor);
}

bool gz_cohort_has_form(const struct gz_cohort *cohort, const struct gz_session *session)
{
    return gz_feed_same_form(&cohort->cursor, &session->cursor);
}

bool gz_cohort_stands_with(const struct gz_cohort *cohort, const struct gz_session *session)
{
    return gz_feed_stand_together(cohort->core->feed, &cohort->cursor, &session->cursor);
}

void gz_cohort_place(const struct gz_cohort *cohort, struct gz_session *session)
{
    session->cursor = cohort->cursor;
}

bool gz_cohort_is_behind(const struct gz_cohort *cohort)
{
    return gz_feed_is_behind(cohort->core->feed, &cohort->cursor);
}

struct gz_bytes *gz_cohort_frame(struct gz_cohort *cohort, struct gz_now now)
{
    struct gz_core *core = cohort->core;
    gz_core_enter(core, now);
    if (!gz_feed_has_frame(core->feed, &cohort->cursor)) return NULL;
    return gz_feed_frame(core->feed, &cohort->cursor, core->clock.now.unix_s);
}
