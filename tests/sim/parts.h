/* parts.h - people that follow a part of the scene: a few subtrees, a box, all that their camera
 * sees. */
#ifndef GZ_TEST_SIM_PARTS_H
#define GZ_TEST_SIM_PARTS_H

#include "sim/links.h"

void say_interest(struct sim *sim, struct person *person);
/* An interest was answered: it counts from here on. */
void part_answered(struct person *person, const struct request *request);
/* What the session's camera is now; whether that is another one than before. */
bool part_note_camera(const struct sim *sim, struct link *link);
/* The session may follow the view of a camera that is not noted, until it has to look again. */
void part_hide_camera(const struct sim *sim, struct link *link);
/* After a turn: a look at many nodes takes several. */
void part_note_look(const struct sim *sim, struct link *link);
/* Which of its cameras a view may be of by now. */
void part_stamp(const struct sim *sim, const struct link *link, struct parcel *parcel);
/* The person was told a delta of the part that it follows. */
void part_hear(struct sim *sim, struct person *person, const struct parcel *parcel);
/* The person has exactly the part of the scene that it follows. */
void part_compare(struct sim *sim, struct person *person, size_t camera_first, size_t camera_last);

#endif
