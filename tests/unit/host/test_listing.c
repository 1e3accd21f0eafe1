/* The list of scenes opens the files that were written to since, and no others. The files are
 * counted by a VFS of SQLite. */
#include "data_folder.h"
#include <sqlite3.h>

#include "host/listing.h"
#include "server/maxima.h"
#include "support/shim_vfs.h"

#define SCENES 12

static sqlite3_vfs counting, *real;
static unsigned opened; /* files of scenes */

static int count_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                      int *out_flags)
{
    (void)vfs;
    opened += (flags & SQLITE_OPEN_MAIN_DB) != 0;
    int rc = shim_open(real, name, file, flags, out_flags);
    if (rc == SQLITE_OK) file->pMethods = &shim_methods;
    return rc;
}

static void tell(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, real->zName), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static char *path_of(const struct data_folder *folder, int scene)
{
    char name[8];
    snprintf(name, sizeof name, "s%02d", scene);
    char *path = gz_scene_path(&folder->setting, name);
    assert_non_null(path);
    return path;
}

/* The list as one string, "name:nodes " each, and how many files that opened. */
static unsigned list(const struct data_folder *folder, struct gz_listing *listing,
                     const struct gz_claims *claims, char *names)
{
    struct gz_scene_list found = {.count = 0};
    struct gz_buffer out;
    struct gz_error error;
    opened = 0;
    assert_int_equal(gz_listing_read(listing, &folder->setting, claims, &found, &error), GZ_OK);
    gz_buffer_init(&out, 1 << 20, 0);
    assert_true(gz_scene_list_print(&found, &folder->scenes, &out));
    assert_int_equal(gz_buffer_append(&out, "", 1), GZ_OK);
    names[0] = '\0';
    for (const char *at = (const char *)out.data; (at = strstr(at, "\"name\":\"")) != NULL; at++) {
        char name[8];
        int nodes;
        assert_int_equal(sscanf(at, "\"name\":\"%3s\",\"nodes\":%d", name, &nodes), 2);
        sprintf(names + strlen(names), "%s:%d ", name, nodes);
    }
    gz_buffer_finish(&out);
    gz_scene_list_finish(&found);
    return opened;
}

#define ADD_NODE                                                                                   \
    "INSERT INTO nodes SELECT coalesce(max(id), 0) + 1, 1, NULL, NULL, 'n', 0.0,0.0,0.0,"          \
    " 0.0,0.0,0.0,1.0, 1.0,1.0,1.0, NULL,NULL,NULL, NULL,NULL,NULL, NULL FROM nodes;"

/* The first two tests look at the files as they were made. */

/* Who may see what is asked of memory, too. */
TEST(test_list_for_users_of_a_scenes_own_access)
{
    struct data_folder *folder = *state;
    struct gz_listing listing;
    struct gz_claims all = gz_claims_open("ada", 3, GZ_ROLE_VIEWER), none = all, guest;
    char names[256];
    none.scene_count = 0;
    guest = none;
    guest.is_guest = true;
    gz_listing_init(&listing);
    assert_int_equal(list(folder, &listing, &none, names), SCENES);
    assert_string_equal(names, "s07:0 ");
    assert_int_equal(list(folder, &listing, &guest, names), 0);
    assert_string_equal(names, "");
    assert_int_equal(list(folder, &listing, &all, names), 0);
    assert_int_equal(strlen(names), SCENES * strlen("s00:0 "));
    gz_listing_finish(&listing);
}

TEST(test_list_opens_what_was_written_to)
{
    struct data_folder *folder = *state;
    struct gz_listing listing;
    struct gz_claims claims = gz_claims_open("ada", 3, GZ_ROLE_VIEWER);
    char first[256], names[256], *path = path_of(folder, 3), *other = path_of(folder, 4);
    gz_listing_init(&listing);
    assert_int_equal(list(folder, &listing, &claims, first), SCENES);
    assert_int_equal(list(folder, &listing, &claims, names), 0);
    assert_string_equal(names, first);

    tell(path, ADD_NODE);
    assert_int_equal(list(folder, &listing, &claims, names), 1);
    assert_non_null(strstr(names, "s02:0 s03:1 s04:0 "));

    /* Twice within a tick: the time of the file does not have to tell. */
    tell(path, ADD_NODE);
    assert_int_equal(list(folder, &listing, &claims, names), 1);
    assert_non_null(strstr(names, "s03:2 "));

    /* Another file of the name. */
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(list(folder, &listing, &claims, names), 1);
    assert_non_null(strstr(names, "s02:0 s04:2 s05:0 "));
    unlink(other);
    assert_int_equal(list(folder, &listing, &claims, names), 0);
    assert_non_null(strstr(names, "s02:0 s05:0 "));
    free(path);
    free(other);
    gz_listing_finish(&listing);
}

/* What another program committed is in the log alone, as long as that program has the file open. */
TEST(test_list_sees_what_is_in_the_log_alone)
{
    struct data_folder *folder = *state;
    struct gz_listing listing;
    struct gz_claims claims = gz_claims_open("ada", 3, GZ_ROLE_VIEWER);
    char names[256], *path = path_of(folder, 8);
    sqlite3 *db;
    gz_listing_init(&listing);
    (void)list(folder, &listing, &claims, names);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, real->zName), SQLITE_OK);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(sqlite3_exec(db, ADD_NODE, NULL, NULL, NULL), SQLITE_OK);
        assert_int_equal(list(folder, &listing, &claims, names), 1);
        assert_non_null(strstr(names, i == 1 ? "s08:1 " : "s08:2 "));
    }
    sqlite3_close(db);
    free(path);
    gz_listing_finish(&listing);
}

/* Twelve scenes, old enough for their times to be trusted; the eighth has an access of its own. */
static int make_scenes(void **state)
{
    real = shim_copy(&counting, "counting");
    counting.xOpen = count_open;
    if (sqlite3_vfs_register(&counting, 1) != SQLITE_OK || data_folder_set_up(state) != 0)
        return -1;
    struct data_folder *folder = *state;
    for (int i = 0; i < SCENES; i++) {
        char name[8];
        snprintf(name, sizeof name, "s%02d", i);
        data_folder_close(folder, data_folder_open(folder, name));
    }
    char *path = path_of(folder, 7);
    tell(path, "INSERT INTO access_changes (change, glob, role, user, made) VALUES"
               " (1, 'b*', 'viewer', 'eve', 1), (2, 'a*', 'viewer', 'eve', 1);");
    free(path);
    usleep((GZ_FILE_TICK_S + 1) * 1000000 + 100000);
    return 0;
}

int main(void)
{
    return test_run(make_scenes, data_folder_tear_down);
}
