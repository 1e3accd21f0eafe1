/* model.h - what the files of the model ask of each other. Each holds one kind of rule:
 *
 *   facts.c     nodes as they are, and what became of them    lives.c     everything through all
 * times drags.c     drags, wheels, locks                          wanted.c    what each edit makes
 * of the scene edits.c     edits at once; undo                           requests.c  answers; keys
 *   disk.c      batches, refusals, restarts                   said.c      what the core says
 *   mirrors.c   what people have                              model.c     each act in turn
 *
 * Threads: one. */
#ifndef GZ_TEST_SIM_MODEL_H
#define GZ_TEST_SIM_MODEL_H

#include "sim/sim.h"

#define NUMBER(id) ((unsigned long long)(id))

/* ---- facts.c ---- */

extern const struct thing nothing;

/* An array with room for so many; what is new is 0. */
void *grow(void *array, size_t *capacity, size_t count, size_t size);
struct fact *facts_find(const struct facts *facts, uint64_t node);
/* Of each node once; the first `before` and the last `after` count. */
void facts_merge(struct facts *facts, uint64_t node, const struct thing *before,
                 const struct thing *after);

/* ---- lives.c ---- */

struct life *life_of(struct model *model, uint64_t node);
void remember(struct model *model, uint64_t node, uint64_t seq, const struct thing *thing);
void set_holder(struct model *model, uint64_t node, uint64_t session);
struct deed *add_deed(struct sim *sim, uint64_t id, const struct act *act, enum gz_edit_kind kind);
void give_key(struct deed *deed, const struct act *act);

/* ---- drags.c ---- */

bool is_phase(const struct act *act, enum gz_phase phase);
/* Whether a drag holds what an edit changed that is not stored. */
bool touches_unstored(const struct model *model, const struct grip *grip);
/* Drags that are over, in the order in which the core ends them; returns the edit that an `up` made
 * of its own. */
struct deed *end_grips(struct sim *sim, const struct act *act);
void begin_grips(struct sim *sim, const struct act *act);
/* Only transforms of nodes that the session (0: anybody) holds. */
void check_dragged(const struct model *model, uint64_t session);
/* An `up` and a `cancel` change what was held until then, and nothing else. */
void check_released(const struct model *model, const struct act *act);
/* Edits and notes that wait for the disk. */
size_t count_waiting(const struct sim *sim);
void check_unheld(const struct model *model);
void check_holders(const struct sim *sim);

/* ---- wanted.c ---- */

void want_set(struct sim *sim, const struct act *act);
void want_create(struct sim *sim, const struct act *act);
void want_delete(struct sim *sim, const struct act *act);
void want_restore(struct sim *sim, const struct act *act);
void want_refused(struct sim *sim);
/* The node as the core has it now. */
const struct thing *after_of(const struct model *model, uint64_t node);
/* The scene is as wanted, and nothing else changed. */
void check_wanted(const struct model *model, const char *promise);
void check_nothing(const struct model *model);

/* ---- edits.c ---- */

struct deed *add_edit(struct sim *sim, const struct act *act, enum gz_edit_kind kind,
                      uint64_t target);
struct deed *check_operation(struct sim *sim, const struct act *act, struct deed *completed);

/* ---- requests.c ---- */

/* What is said changes nothing, whatever it is answered with. */
void act_beside(const struct act *act, uint64_t call);
void act_message(struct sim *sim, const struct act *act, struct deed *completed);
void act_answer(struct sim *sim, const struct act *act);

/* ---- disk.c ---- */

void act_refused(struct sim *sim);
void forget_refused(struct sim *sim);

/* ---- model.c ---- */

/* Looks at every node: what is not as the model has it goes into `changed`. */
void look(struct sim *sim);

#endif
