/* Cameras, tools, nodes and pointers of any numbers, finite or not. GIZMOD_SEED and GIZMOD_TIMES as
 * for the random drags. */
#include "property/solver_hostile.h"
#include "property/solver_world.h"
#include "support/cmocka.h"

TEST(test_any_numbers_give_finite_results_or_none)
{
    struct dice dice = {test_seed() + 3};
    long runs = test_count(10000) * 10;
    for (long run = 0; run < runs; run++) {
        uint8_t bytes[512];
        uint64_t before = dice.state;
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)dice_bits(&dice);
        struct supply supply = {bytes, sizeof bytes, 0};
        const char *fault = hostile_run(&supply);
        if (fault != NULL)
            fail_msg("%s (run %ld, dice %llu)", fault, run, (unsigned long long)before);
    }
    print_message("seed %llu, %ld runs\n", (unsigned long long)test_seed(), runs);
}
