/* notes.h - notes: what people say of them, and what must come of it. */
#ifndef GZ_TEST_SIM_NOTES_H
#define GZ_TEST_SIM_NOTES_H

#include "sim/act.h"
#include "sim/links.h"

struct gz_batch;

void say_note(struct sim *sim, struct person *person);
/* What becomes of a note that was said; and, once all of its frame had its turn, that the core has
 * the same ones waiting. */
void notes_act(struct sim *sim, const struct act *act);
void notes_settled(const struct sim *sim);
void notes_sent(struct sim *sim, const struct gz_batch *batch);
/* The disk has what was sent; or it is all as it was last stored. */
void notes_refused(struct sim *sim);
void notes_restart(struct sim *sim);
/* The file has what was stored, each once. */
void notes_check_store(const struct sim *sim);
void notes_said_ok(const struct sim *sim, const struct request *request,
                   const struct gz_message *message);
void notes_said(const struct sim *sim, const struct gz_notes *notes);
void notes_hear(struct sim *sim, struct person *person, const struct parcel *parcel,
                const struct gz_notes *notes);
/* The person has what there was after so many changes. */
void notes_compare(const struct sim *sim, const struct person *person, size_t changes);

#endif
