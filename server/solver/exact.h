/* exact.h - sums and products that carry their rounding error along (Dekker, Knuth; Dot2 of Ogita,
 * Rump and Oishi).
 *
 * A point with coordinates of 1e7 seen from a metre away loses seven digits in a plain dot product
 * with the view matrix; with the errors carried it loses none. The result is as good as one
 * computed with twice the digits and rounded once. Products split by Dekker give the same bits as a
 * fused multiply-add, so builds with and without one agree. Pure; past 1e290 the split overflows
 * and the result is not finite, which the callers look for anyway. */
#ifndef GZ_SOLVER_EXACT_H
#define GZ_SOLVER_EXACT_H

#include <math.h>

#include "proto/base/linear.h"

/* In a page, which fetches it, one copy has to do. */
#ifdef __wasm__
#    define GZ_ROWS
#else
#    define GZ_ROWS __attribute__((always_inline))
#endif

/* What rounding took from sum = a + b. */
static inline double gz_sum_error(double a, double b, double sum)
{
    double b_part = sum - a;
    return (a - (sum - b_part)) + (b - b_part);
}

/* What rounding took from product = a * b. */
static inline double gz_product_error(double a, double b, double product)
{
#ifdef FP_FAST_FMA
    return fma(a, b, -product);
#else
    const double splitter = 134217729; /* 2^27 + 1: halves of 26 bits whose products are exact */
    double a_wide = splitter * a, b_wide = splitter * b;
    double a_high = a_wide - (a_wide - a), b_high = b_wide - (b_wide - b);
    double a_low = a - a_high, b_low = b - b_high;
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
#endif
}

/* row[0..2] . v + row[3], as if with twice the digits. Always inline, so that three rows share the
 * halves of v. */
GZ_ROWS static inline double gz_dot_exact_point(const double row[4], gz_vec3 v)
{
    double p = row[0] * v.x, q = row[1] * v.y, r = row[2] * v.z;
    double pq = p + q, pqr = pq + r, sum = pqr + row[3];
    double lost = gz_product_error(row[0], v.x, p) + gz_product_error(row[1], v.y, q) +
                  gz_sum_error(p, q, pq) + gz_product_error(row[2], v.z, r) +
                  gz_sum_error(pq, r, pqr) + gz_sum_error(pqr, row[3], sum);
    return sum + lost;
}

/* As gz_quat_normalize. A quaternion that is nearly unit, as a product of two is, needs no root: of
 * 1 / sqrt(1 + e) all but 3/8 e^2, less than the last bit, is 1 - e / 2. */
static inline bool gz_unit_quat(gz_quat q, gz_quat *unit)
{
    double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w, shorter = 1.5 - 0.5 * square;
    if (fabs(square - 1) <= 1e-9) {
        *unit = (gz_quat){q.x * shorter, q.y * shorter, q.z * shorter, q.w * shorter};
        return true;
    }
    if (!(square > 1e-200 && square < 1e200)) return gz_quat_normalize(q, unit);
    double length = sqrt(square);
    *unit = (gz_quat){q.x / length, q.y / length, q.z / length, q.w / length};
    return true;
}

/* The turn about a unit axis that is in a quaternion, within half a turn either way. */
static inline double gz_twist(gz_quat q, gz_vec3 axis)
{
    return remainder(2 * atan2(q.x * axis.x + q.y * axis.y + q.z * axis.z, q.w), 2 * M_PI);
}

/* a * b - c * d without the loss that comes if both products are nearly equal (Kahan). */
static inline double gz_difference_of_products(double a, double b, double c, double d)
{
    double p = a * b, q = c * d;
    return (p - q) + (gz_product_error(a, b, p) - gz_product_error(c, d, q));
}

#endif
