/* Finds where a pointer is on an axis, on a plane or along a segment, in closed form. */
#include "solver/place.h"

static bool in_range(struct gz_range range, double depth)
{
    return depth >= range.min && depth <= range.max;
}

/* The sine of the least angle between ray and axis at which the nearest place means anything. */
#define PARALLEL_SINE 1e-6

/* The place where the axis leaves the range on the side of `depth`. */
static enum gz_solve stop_at_range(gz_seen a, gz_seen b, struct gz_range range, double depth,
                                   double *t)
{
    *t = ((depth < range.min ? range.min : range.max) - a.depth) / b.depth;
    return isfinite(*t) ? GZ_SOLVE_CLAMPED : GZ_SOLVE_KEPT;
}

enum gz_solve gz_place_limit(const struct gz_sight *sight, gz_vec3 origin, gz_vec3 axis,
                             struct gz_range range, double *t)
{
    gz_seen a = gz_see_point(sight, origin), b = gz_see_vector(sight, axis);
    double depth = a.depth + *t * b.depth;
    return in_range(range, depth) ? GZ_SOLVE_OK : stop_at_range(a, b, range, depth, t);
}

/* Brings a place on the axis that lines of sight meet at a smaller angle than the range allows back
 * to where it is that angle: beyond, a vanishing point is near. */
static enum gz_solve stop_at_angle(gz_vec3 offset, gz_vec3 axis, double sine_min,
                                   enum gz_solve found, double *t)
{
    gz_vec3 across = gz_cross(offset, axis);
    double length = gz_dot(axis, axis), foot = -gz_dot(offset, axis) / length;
    double away = *t - foot, reach = gz_dot(across, across) * (1 - sine_min * sine_min);
    if (!(reach > 0) || !isfinite(foot) ||
        !(away * away * length * length * sine_min * sine_min > reach))
        return found;
    *t = foot + copysign(sqrt(reach) / (length * sine_min), away);
    return GZ_SOLVE_CLAMPED;
}

/* With k the foot's way along the image, as a part of the image's speed at the origin, t = k A / (A
 * - k B) and w there is A * A / (A - k B), where A and B are the w of origin and axis. So a depth
 * out of range is seen before dividing, and the sign cannot change past the vanishing point. */
static enum gz_solve find_foot(const struct gz_sight *sight, gz_seen a, gz_vec3 axis,
                               struct gz_range range, double *t)
{
    gz_seen b = gz_see_vector(sight, axis);
    double dx = gz_difference_of_products(b.x, a.w, a.x, b.w);
    double dy = gz_difference_of_products(b.y, a.w, a.y, b.w);
    double foot = -(a.x * dx + a.y * dy) * a.w / (dx * dx + dy * dy);
    double rest = a.w - foot * b.w;
    if (!(a.w > 0) || !isfinite(foot) || !isfinite(rest)) return GZ_SOLVE_KEPT;
    bool converges = gz_sight_converges(sight);
    if (converges && rest * range.max < a.w * a.w) return stop_at_range(a, b, range, HUGE_VAL, t);
    if (converges && rest * range.min > a.w * a.w) return stop_at_range(a, b, range, -HUGE_VAL, t);
    double place = foot * (a.w / rest), depth = a.depth + place * b.depth;
    if (!converges && !in_range(range, depth)) return stop_at_range(a, b, range, depth, t);
    if (!isfinite(place)) return GZ_SOLVE_KEPT;
    *t = place;
    return GZ_SOLVE_OK;
}

/* The same for a ray, wherever about the hand the origin is: in the plane through hand and axis,
 * measured from the place of the axis that is nearest to the hand. A ray that has turned past the
 * axis's direction, and does not point away from the axis, sees its end. */
static enum gz_solve find_by_hand(const struct gz_sight *sight, gz_vec3 origin, gz_vec3 offset,
                                  gz_vec3 axis, struct gz_range range, double *t)
{
    double square = gz_dot(axis, axis), foot = -gz_dot(offset, axis) / square;
    gz_vec3 nearest = gz_add(offset, gz_scale(axis, foot));
    double ahead = gz_dot(nearest, sight->along), sideways = gz_dot(axis, sight->along);
    double place = foot + gz_dot(nearest, nearest) * sideways / (ahead * square);
    bool passed = !(ahead > 0) && 2 * sideways * sideways > square;
    if (passed && range.sine_min > PARALLEL_SINE && isfinite(foot)) {
        *t = copysign(1e300, sideways);
        return GZ_SOLVE_CLAMPED;
    }
    if (!(ahead > 0) || !isfinite(place)) return GZ_SOLVE_KEPT;
    *t = place;
    return gz_place_limit(sight, origin, axis, range, t);
}

enum gz_solve gz_place_on_axis(const struct gz_sight *sight, gz_vec3 origin, gz_vec3 axis,
                               struct gz_range range, double *t)
{
    double place;
    gz_vec3 offset;
    enum gz_solve found;
    if (sight->is_ray) {
        offset = gz_sight_offset(sight, origin);
        found = find_by_hand(sight, origin, offset, axis, range, &place);
    } else {
        gz_vec3 view = gz_sight_view_point(sight, origin);
        offset = gz_offset_in_view(sight->camera, view);
        found = find_foot(sight, gz_see_view(sight, view, 1), axis, range, &place);
    }
    if (found == GZ_SOLVE_KEPT) return found;
    if (range.sine_min > 0 && gz_sight_converges(sight))
        found = stop_at_angle(offset, axis, range.sine_min, found, &place);
    *t = place;
    return found;
}

static enum gz_solve find_nearest(const struct gz_sight *sight, gz_vec3 origin, gz_vec3 axis,
                                  gz_vec3 from, gz_vec3 along, struct gz_range range, double *t)
{
    gz_vec3 across = gz_cross(axis, along);
    double square = gz_dot(across, across);
    if (!(square > PARALLEL_SINE * PARALLEL_SINE * gz_dot(axis, axis))) return GZ_SOLVE_KEPT;
    double place = gz_dot(gz_cross(from, along), across) / square;
    double ahead = gz_dot(along, gz_sub(gz_scale(axis, place), from));
    if (!isfinite(place) || !(ahead > 0)) return GZ_SOLVE_KEPT;
    *t = place;
    return gz_place_limit(sight, origin, axis, range, t);
}

/* A ray that has turned past the axis's direction meets it behind itself: it stops where it would
 * have been a little before. */
enum gz_solve gz_place_closest(const struct gz_sight *sight, gz_vec3 origin, gz_vec3 axis,
                               struct gz_range range, double *t)
{
    gz_vec3 from, along;
    double place;
    if (!gz_sight_ray(sight, origin, &from, &along)) return GZ_SOLVE_KEPT;
    double towards = gz_dot(axis, along);
    bool limited = range.sine_min > PARALLEL_SINE && gz_sight_converges(sight);
    enum gz_solve found = find_nearest(sight, origin, axis, from, along, range, &place);
    bool passed = limited && found == GZ_SOLVE_KEPT &&
                  2 * towards * towards > gz_dot(axis, axis) * gz_dot(along, along);
    if (passed) place = copysign(1e300, towards);
    if (limited && (passed || found != GZ_SOLVE_KEPT))
        found = stop_at_angle(gz_sight_offset(sight, origin), axis, range.sine_min, found, &place);
    if (found == GZ_SOLVE_KEPT) return found;
    *t = place;
    return found;
}

/* The hit as (u, v, s): uv = (u / s, v / s). All three are linear in the pointer; volume / s is the
 * hit's w, and depth_volume / s its depth. */
struct hit {
    double u, v, s, volume, depth_volume;
};

static struct hit find_hit(const struct gz_sight *sight, gz_vec3 origin, const gz_vec3 axes[2])
{
    gz_seen a = gz_see_point(sight, origin), b = gz_see_vector(sight, axes[0]),
            c = gz_see_vector(sight, axes[1]);
    struct hit hit = {.u = gz_difference_of_products(a.y, c.x, a.x, c.y),
                      .v = gz_difference_of_products(a.x, b.y, a.y, b.x),
                      .s = gz_difference_of_products(b.x, c.y, b.y, c.x)};
    hit.volume = a.w * hit.s + b.w * hit.u + c.w * hit.v;
    hit.depth_volume = a.depth * hit.s + b.depth * hit.u + c.depth * hit.v;
    return hit;
}

/* Whether the ray meets the plane under a smaller angle than the range allows. */
static bool grazes(const struct gz_sight *sight, const gz_vec3 axes[2], double sine_min, double s)
{
    gz_vec3 normal = gz_cross(axes[0], axes[1]), crossing = gz_sight_crossing(sight);
    return !(s * s >= sine_min * sine_min * gz_dot(normal, normal) * gz_dot(crossing, crossing));
}

enum gz_solve gz_place_on_plane(const struct gz_sight *sight, gz_vec3 origin, const gz_vec3 axes[2],
                                struct gz_range range, double uv[2])
{
    struct hit hit = find_hit(sight, origin, axes);
    double u = hit.u / hit.s, v = hit.v / hit.s;
    if (!(hit.volume / hit.s > 0) || !in_range(range, hit.depth_volume / hit.s))
        return GZ_SOLVE_KEPT;
    if (!isfinite(u) || !isfinite(v)) return GZ_SOLVE_KEPT;
    if (grazes(sight, axes, range.sine_min, hit.s)) return GZ_SOLVE_KEPT;
    uv[0] = u;
    uv[1] = v;
    return GZ_SOLVE_OK;
}

/* ---- On the way ---- */

/* What decides whether a line of sight hits the plane: depth is away / s, and the sine of the angle
 * to the plane is s over the lengths of crossing and normal. Each is linear on the way from one
 * line of sight to another: of a camera in the pixel; of a ray s is linear in the direction, and
 * away, the distance from the plane, in the origin. Depth is then in lengths of a direction that is
 * shorter between two unit ones, which only makes a limit of a million times come a little early.
 */
struct aim_at_plane {
    double s, away;
    gz_vec3 crossing;
};

static struct aim_at_plane aim_of(const struct gz_sight *sight, gz_vec3 origin,
                                  const gz_vec3 axes[2], gz_vec3 normal)
{
    if (sight->is_ray)
        return (struct aim_at_plane){gz_dot(normal, sight->along),
                                     gz_dot(normal, gz_sight_offset(sight, origin)), sight->along};
    struct hit hit = find_hit(sight, origin, axes);
    return (struct aim_at_plane){hit.s, hit.depth_volume, gz_sight_crossing(sight)};
}

/* Where the value, above 0 at first, comes to 0; infinite if it does not. */
static double linear_end(double value, double growth)
{
    return growth < 0 ? -value / growth : HUGE_VAL;
}

/* The same for value + f growth + f^2 bend. */
static double square_end(double value, double growth, double bend)
{
    double root = growth * growth - 4 * bend * value;
    if (bend == 0 || !(root >= 0)) return bend == 0 ? linear_end(value, growth) : HUGE_VAL;
    double q = -0.5 * (growth + copysign(sqrt(root), growth));
    double first = q / bend, second = value / q;
    double low = fmin(first, second), high = fmax(first, second);
    return low > 0 ? low : high > 0 ? high : HUGE_VAL;
}

/* How far on the way from a to b the plane is hit within the range. */
static double way_end(const struct aim_at_plane *a, const struct aim_at_plane *b, gz_vec3 normal,
                      struct gz_range range)
{
    double side = a->s < 0 ? -1 : 1, k = range.sine_min * range.sine_min * gz_dot(normal, normal);
    double s = a->s, s_growth = b->s - s, away = a->away, away_growth = b->away - away, end = 1;
    gz_vec3 c = a->crossing, c_growth = gz_sub(b->crossing, c);
    if (range.max < HUGE_VAL)
        end = fmin(end, linear_end(side * (range.max * s - away),
                                   side * (range.max * s_growth - away_growth)));
    if (range.min > -HUGE_VAL)
        end = fmin(end, linear_end(side * (away - range.min * s),
                                   side * (away_growth - range.min * s_growth)));
    return fmin(end,
                square_end(s * s - k * gz_dot(c, c), 2 * (s * s_growth - k * gz_dot(c, c_growth)),
                           s_growth * s_growth - k * gz_dot(c_growth, c_growth)));
}

static bool sight_between(const struct gz_sight *press, const struct gz_sight *now, double part,
                          struct gz_sight *there)
{
    *there = *now;
    for (int i = 0; i < 2; i++) there->at[i] = press->at[i] + part * (now->at[i] - press->at[i]);
    if (!now->is_ray) return true;
    const struct gz_pointer ray = {
        .is_ray = true,
        .origin = gz_add(press->origin, gz_scale(gz_sub(now->origin, press->origin), part)),
        .direction = gz_add(press->along, gz_scale(gz_sub(now->along, press->along), part))};
    return gz_sight_init_ray(there, &ray);
}

/* The way of a pointer over a plane. */
struct course {
    const struct gz_sight *press, *now;
    gz_vec3 origin;
    const gz_vec3 *axes;
    struct gz_range range;
};

static bool hits_at(const struct course *course, double part, double uv[2])
{
    struct gz_sight there;
    return sight_between(course->press, course->now, part, &there) &&
           gz_place_on_plane(&there, course->origin, course->axes, course->range, uv) ==
               GZ_SOLVE_OK;
}

/* Rounding leaves the end of the way uncertain in its last bits. Among them the last hit is looked
 * for, so that all pointers on one line from the press end at the same one: none may come back by a
 * last bit as the pointer goes on. */
#define END_UNSURE 2e-13

static void find_last_hit(const struct course *course, double end, double uv[2])
{
    double step = END_UNSURE, bad = end + step, good = end;
    for (; good > 0 && !hits_at(course, good, uv); step *= 4) {
        bad = good;
        good = fmax(0, good - step);
    }
    for (double part; part = (good + bad) / 2, part != good && part != bad;) {
        if (hits_at(course, part, uv))
            good = part;
        else
            bad = part;
    }
}

enum gz_solve gz_place_on_the_way(const struct gz_sight *press, const struct gz_sight *now,
                                  gz_vec3 origin, const gz_vec3 axes[2], struct gz_range range,
                                  double uv[2])
{
    const struct course course = {press, now, origin, axes, range};
    gz_vec3 normal = gz_cross(axes[0], axes[1]);
    if (!hits_at(&course, 0, uv)) return GZ_SOLVE_KEPT;
    if (gz_sight_converges(now)) range.min = fmax(range.min, 0);
    struct aim_at_plane a = aim_of(press, origin, axes, normal),
                        b = aim_of(now, origin, axes, normal);
    find_last_hit(&course, fmax(0, way_end(&a, &b, normal, range)), uv);
    return GZ_SOLVE_CLAMPED;
}

bool gz_place_around(const struct gz_sight *sight, gz_vec3 origin, const gz_vec3 axes[2],
                     double uv[2])
{
    struct hit hit = find_hit(sight, origin, axes);
    double side = hit.volume < 0 ? -1 : 1;
    if (hit.volume == 0 || !isfinite(hit.volume) || !isfinite(hit.u) || !isfinite(hit.v))
        return false;
    if (hit.u == 0 && hit.v == 0) return false;
    uv[0] = side * hit.u;
    uv[1] = side * hit.v;
    return true;
}

bool gz_place_in_pixels(const struct gz_sight *sight, gz_vec3 origin, double pixels[2])
{
    gz_seen a = gz_see_point(sight, origin);
    double x = -a.x / a.w, y = -a.y / a.w;
    if (!(a.w > 0) || !isfinite(x) || !isfinite(y)) return false;
    pixels[0] = x;
    pixels[1] = y;
    return true;
}

void gz_part_cut(struct gz_part *part, const double ends[2], double least)
{
    double at = (least - ends[0]) / (ends[1] - ends[0]);
    if (!(ends[0] >= least || ends[1] >= least))
        part->last = -HUGE_VAL;
    else if (ends[0] < least)
        part->first = fmax(part->first, at);
    else if (ends[1] < least)
        part->last = fmin(part->last, at);
}

struct gz_nearest gz_place_on_segment(gz_seen a, gz_seen b, struct gz_part part)
{
    const struct gz_nearest nowhere = {HUGE_VAL, 0};
    const double first = part.first, last = part.last;
    if (!(first <= last)) return nowhere;
    gz_seen from = gz_seen_between(a, b, first), to = last < 1 ? gz_seen_between(a, b, last) : b;
    if (!(from.w > 0 && to.w > 0)) return nowhere;
    double x = from.x / from.w, y = from.y / from.w, dx = to.x / to.w - x, dy = to.y / to.w - y;
    double square = dx * dx + dy * dy;
    double fraction = square > 0 ? -(x * dx + y * dy) / square : 0;
    fraction = fraction > 0 ? fmin(fraction, 1) : 0;
    /* The same place before the division by w. */
    double whole = fraction * from.w / (to.w + fraction * (from.w - to.w));
    return (struct gz_nearest){hypot(x + fraction * dx, y + fraction * dy),
                               first + whole * (last - first)};
}
