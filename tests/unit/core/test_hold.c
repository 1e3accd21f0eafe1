/* Poses from outside: hold, pose, release and cancel. Most of it is in stories/hold.txt; here is
 * what takes more than a sentence. */
#include <string.h>

#include "core/session.h"
#include "proto/limits.h"
#include "support/cmocka.h"
#include "unit/core/story.h"

int main(void)
{
    return stories_run("hold.txt");
}
