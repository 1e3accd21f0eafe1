/* trs.c - the options that give a node its transform, as set and create have them. */
#include "ctl.h"

#define RADIANS (3.14159265358979323846 / 180)

enum ctl_exit ctl_check_trs(const struct ctl_args *args)
{
    if (ctl_get(args, "--r")->given && ctl_get(args, "--euler")->given)
        return ctl_usage(args, "--r and --euler: give only one of them");
    if (ctl_get(args, "--order")->given && !ctl_get(args, "--euler")->given)
        return ctl_usage(args, "--order: needs --euler");
    return CTL_OK;
}

gz_trs ctl_read_trs(const struct ctl_args *args, uint64_t *has)
{
    const struct gz_arg *t = ctl_get(args, "--t"), *r = ctl_get(args, "--r"),
                        *euler = ctl_get(args, "--euler"), *s = ctl_get(args, "--s");
    gz_trs trs = {.t = {t->numbers[0], t->numbers[1], t->numbers[2]},
                  .r = {r->numbers[0], r->numbers[1], r->numbers[2], r->numbers[3]},
                  .s = {s->numbers[0], s->numbers[1], s->numbers[2]}};
    if (t->given) *has |= GZ_HAS_SET_NODE_T;
    if (r->given || euler->given) *has |= GZ_HAS_SET_NODE_R;
    if (s->given) *has |= GZ_HAS_SET_NODE_S;
    if (euler->given) {
        gz_vec3 angles = {euler->numbers[0], euler->numbers[1], euler->numbers[2]};
        trs.r = gz_quat_from_euler(gz_scale(angles, RADIANS),
                                   (enum gz_euler_order)ctl_get(args, "--order")->word);
    }
    return trs;
}
