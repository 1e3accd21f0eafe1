/* hear.h - what people make of what they hear, and of a link that ends. */
#ifndef GZ_TEST_SIM_HEAR_H
#define GZ_TEST_SIM_HEAR_H

#include "sim/links.h"

void person_hear(struct sim *sim, struct person *person, struct parcel *parcel);
/* Of all that is on its way to the person, some still arrives. */
void person_hear_rest(struct sim *sim, struct link *link);
/* The person has no link any more: requests without an answer are lost, or said again if they have
 * a key. */
void person_turn_away(struct sim *sim, struct link *link);
/* The person's side of the link is gone, with a part of all that was on its way. */
void person_cut(struct sim *sim, struct link *link);
/* The person closes the link properly. */
void person_close(struct sim *sim, struct link *link);
/* Ids as one number. */
uint64_t ids_number(struct gz_ids ids);

#endif
