/* stamp.h - how the last server left a scene's file, as it wrote into an extended attribute of the
 * file. The attribute goes where the file goes and not where a copy goes; a file system without
 * such attributes costs a check at each opening. It guards against accidents, and is no seal:
 * whoever can write to the file can write the stamp. Threads: any. */
#ifndef GZ_STORE_STAMP_H
#define GZ_STORE_STAMP_H

enum gz_stamp {
    GZ_STAMP_NONE,   /* nobody knows: it comes from elsewhere, or was changed since */
    GZ_STAMP_OPEN,   /* a server had this file open and crashed: its log is there */
    GZ_STAMP_CLOSED, /* a server closed it, and nobody has written to it since */
};

enum gz_stamp gz_stamp_read(const char *path);
/* A server has it open from now on. */
void gz_stamp_open(const char *path);
/* It has closed it, all of it in the one file. */
void gz_stamp_close(const char *path);

#endif
