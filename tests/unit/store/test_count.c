/* SQLite's memory is counted by the store, and SQLite itself, which would take a lock of all its
 * threads for that, counts none. */
#include <sqlite3.h>

#include "unit/store/scene_file.h"

TEST_IN_DIRECTORY(test_memory_of_sqlite_is_counted_without_its_lock)
{
    struct gz_scene_state state;
    assert_int_equal(gz_store_memory(), 0);
    struct gz_store *store = open_scene(in_directory(directory, "a.db"), true, START_TIME, &state);
    gz_scene_state_finish(&state);
    assert_true(gz_store_memory() > 10000);
    assert_int_equal(sqlite3_memory_used(), 0);
    gz_store_close(store);
    assert_int_equal(sqlite3_shutdown(), SQLITE_OK);
    assert_int_equal(gz_store_memory(), 0);
}

int main(void)
{
    gz_store_prepare();
    return test_run(NULL, NULL);
}
