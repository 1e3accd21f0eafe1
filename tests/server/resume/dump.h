/* dump.h - a scene as text, the same for whoever holds the same scene: a line for each node, by
 * ascending id,
 *
 *     node ID PARENT NAME T R S BOUNDS ASSET
 *
 * with the parent 0 for the root, the name's UTF-8 in hexadecimal (- for none), every double as the
 * 16 hexadecimal digits of its bits (three for t, four for r, three for s), then the six of bounds,
 * or -, and the asset, or -. Byte for byte the same text is bit for bit the same scene. */
#ifndef TESTS_RESUME_DUMP_H
#define TESTS_RESUME_DUMP_H

#include <stdio.h>

#include "gizmo_client.h"

void dump_mirror(FILE *out, const struct gz_mirror *mirror);

#endif
