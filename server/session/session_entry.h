/* session_entry.h - that a session joined or left, until the file has it. */
#ifndef GZ_SESSION_SESSION_ENTRY_H
#define GZ_SESSION_SESSION_ENTRY_H

#include "proto/base/wire_vocabulary.h"
#include "proto/limits.h"

struct gz_session_entry {
    uint64_t session;
    char user[GZ_USER_BYTES_MAX + 1];
    enum gz_role role;
    double time;
    bool left;
};

#endif
