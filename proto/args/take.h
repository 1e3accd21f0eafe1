/* take.h - how one value of an option is taken, for the files of this room. Threads and errors: as
 * args.h. */
#ifndef GZ_ARGS_TAKE_H
#define GZ_ARGS_TAKE_H

#include "proto/args/args.h"

/* Takes a value from the source that is being read, in place of one from an earlier source. */
GZ_MUST_USE enum gz_status gz_arg_take(const struct gz_args *args,
                                       const struct gz_arg_option *option, struct gz_arg *value,
                                       const char *text, struct gz_error *error);
/* Checks the texts that this source gave. */
GZ_MUST_USE enum gz_status gz_arg_check(const struct gz_args *args,
                                        const struct gz_arg_option *option,
                                        const struct gz_arg *value, struct gz_error *error);

#endif
