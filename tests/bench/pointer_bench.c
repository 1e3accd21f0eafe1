/* pointer_bench.c - the way of a pointer through the core, to be counted in instructions
 * (instructions.sh): an editor drags one of 100 nodes by an arrow of the gizmo, and a viewer looks
 * on. A pointer's way is its message, the core's turn, and what both clients are sent. There is no
 * network and no disk.
 *
 * Usage: pointer_bench COUNT, so many pointers. Nothing is printed. */
#include <stdlib.h>

#include "unit/core/saying.h"

#define NODES 100
#define RATE 1e9         /* messages a second: nothing is refused for its rate */
#define TURN_S (1 / 60.) /* between two pointers */

int main(int count, char **words)
{
    const int pointers = count > 1 ? atoi(words[1]) : 1000;
    struct host host;
    host_init_limited(&host, RATE);
    struct client *editor = client_join(&host, "Ada", GZ_ROLE_EDITOR);
    uint64_t id = create_node(editor, "part", 0, 0, 0, 0);
    for (int i = 1; i < NODES; i++) create_node(editor, "part", 0, 2.0 * i, 0, 0);
    client_join(&host, "Bob", GZ_ROLE_VIEWER);
    ask_camera(editor, 10);
    ask_grab(editor, GZ_TX, id, MIDDLE_X, MIDDLE_Y);
    for (int i = 0; i < pointers; i++) {
        struct gz_message pointer =
            pointer_message(GZ_PHASE_MOVE, MIDDLE_X + i % 100, MIDDLE_Y, (uint64_t)i + 1);
        client_say(editor, &pointer);
        host_advance(&host, TURN_S);
    }
    ask_pointer(editor, GZ_PHASE_UP, MIDDLE_X, MIDDLE_Y);
    host_finish(&host);
    return 0;
}
