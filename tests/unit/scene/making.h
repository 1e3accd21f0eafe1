/* making.h - scenes and changes for tests, in few words. */
#ifndef GZ_TEST_MAKING_H
#define GZ_TEST_MAKING_H

#include "scene/scene.h"
#include "support/chance.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct gz_scene *make_empty_scene(void);
/* Node 1 is a root, 2 and 3 are its children, 4 is below 2, 5 is a root. Their names are "1" to
 * "5". */
struct gz_scene *make_small_scene(void);

struct gz_content make_content(uint64_t parent, const char *name);
struct gz_change make_creation(uint64_t id, uint64_t parent, const char *name);
/* Of a node as it is. A change's `after` is the same as `before`, for the test to alter. */
struct gz_change make_deletion(const struct gz_scene *scene, uint64_t id);
struct gz_change make_change(const struct gz_scene *scene, uint64_t id);
struct gz_change make_move(const struct gz_scene *scene, uint64_t id, uint64_t parent);

/* Applies as session 9; fails the test where that fails. */
void apply(struct gz_scene *scene, const struct gz_change *changes, size_t count);
/* Applies as `session` and returns the status, having made sure that gz_scene_check says the same,
 * and that nothing at all is different where it failed. */
enum gz_status try_apply(struct gz_scene *scene, const struct gz_change *changes, size_t count,
                         uint64_t session);
/* Why the last try_apply was refused. */
extern struct gz_failure told;

/* Fails the test unless the lists of siblings, the order of change and the counts hang together. */
void assert_sound(const struct gz_scene *scene);
/* The node that changed last, tombstones included; NULL if there is none. */
const struct gz_node *newest_node(const struct gz_scene *scene);
void assert_trs_equal(const gz_trs *a, const gz_trs *b);

#endif
