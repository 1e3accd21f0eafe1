/* daemon.h - the daemon around the core: its turns, its ends of the links, its disk and its past.
 */
#ifndef GZ_TEST_SIM_DAEMON_H
#define GZ_TEST_SIM_DAEMON_H

#include "sim/links.h"

void daemon_start(struct sim *sim);
/* The process is gone, with all that it had not stored; a batch on its way made it to the disk or
 * not. */
void daemon_crash(struct sim *sim);
/* Says bye to everybody; the process ends when all is stored. */
void daemon_stop(struct sim *sim);
/* The earliest time at which something happens of itself, and what happens then. */
double daemon_due(const struct sim *sim);
void daemon_step(struct sim *sim);
double link_due(const struct sim *sim, const struct link *link);
void link_step(struct sim *sim, struct link *link);

#endif
