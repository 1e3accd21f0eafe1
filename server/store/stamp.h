/* stamp.h - the stamp that the last server left on a scene's file: an extended attribute, which
 * moves with the file and is not copied with it. On a file system without such attributes each
 * opening costs a check. The stamp guards against accidents, not against attacks: a user that can
 * write the file can write the stamp. Threads: any. */
#ifndef GZ_STORE_STAMP_H
#define GZ_STORE_STAMP_H

enum gz_stamp {
    GZ_STAMP_NONE,   /* none that is valid: the file comes from elsewhere, or was changed since */
    GZ_STAMP_OPEN,   /* a server had this file open and crashed: its log is there */
    GZ_STAMP_CLOSED, /* a server closed this file, and it was not written since */
};

enum gz_stamp gz_stamp_read(const char *path);
/* A server opens the file. */
void gz_stamp_open(const char *path);
/* The server has closed the file, which has no log. */
void gz_stamp_close(const char *path);

#endif
