/* solver_reference.c - the drags' definitions in quadruple precision. See solver_reference.h. */
#include "property/solver_reference.h"

#include <math.h>

/* Two Newton steps from the double's root double the digits twice. */
quad quad_sqrt(quad square)
{
    if (!(square > 0)) return 0;
    quad root = sqrt((double)square);
    for (int i = 0; i < 3; i++) root = (root + square / root) / 2;
    return root;
}

quad3 quad3_from(gz_vec3 v)
{
    return (quad3){{v.x, v.y, v.z}};
}

quad3 quad3_add(quad3 a, quad3 b)
{
    return (quad3){{a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2]}};
}

quad3 quad3_sub(quad3 a, quad3 b)
{
    return (quad3){{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2]}};
}

quad3 quad3_scale(quad3 a, quad k)
{
    return (quad3){{a.v[0] * k, a.v[1] * k, a.v[2] * k}};
}

quad quad3_dot(quad3 a, quad3 b)
{
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

quad3 quad3_cross(quad3 a, quad3 b)
{
    return (quad3){{a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2],
                    a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
}

quad quad3_length(quad3 a)
{
    return quad_sqrt(quad3_dot(a, a));
}

quad3 quad3_turn(gz_quat q, quad3 v)
{
    quad3 axis = {{q.x, q.y, q.z}};
    quad square = quad3_dot(axis, axis) + (quad)q.w * q.w;
    quad3 twice = quad3_scale(quad3_cross(axis, v), 2 / square);
    return quad3_add(quad3_add(v, quad3_scale(twice, q.w)), quad3_cross(axis, twice));
}

static void multiply(const quad a[16], const quad b[16], quad product[16])
{
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            quad sum = 0;
            for (int k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
            product[4 * column + row] = sum;
        }
}

static quad absolute(quad value)
{
    return value < 0 ? -value : value;
}

static void swap_rows(quad m[4][8], int a, int b)
{
    for (int k = 0; k < 8; k++) {
        quad kept = m[a][k];
        m[a][k] = m[b][k];
        m[b][k] = kept;
    }
}

/* Gauss and Jordan with row pivots. */
static bool invert(const quad matrix[16], quad inverse[16])
{
    quad m[4][8];
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++) {
            m[row][column] = matrix[4 * column + row];
            m[row][4 + column] = row == column;
        }
    for (int column = 0; column < 4; column++) {
        int best = column;
        for (int row = column + 1; row < 4; row++)
            if (absolute(m[row][column]) > absolute(m[best][column])) best = row;
        if (m[best][column] == 0) return false;
        swap_rows(m, best, column);
        quad pivot = m[column][column];
        for (int k = 0; k < 8; k++) m[column][k] /= pivot;
        for (int row = 0; row < 4; row++) {
            quad factor = m[row][column];
            for (int k = 0; k < 8 && row != column; k++) m[row][k] -= factor * m[column][k];
        }
    }
    for (int i = 0; i < 16; i++) inverse[i] = m[i % 4][4 + i / 4];
    return true;
}

bool reference_init(struct reference *reference, const struct gz_camera_input *input)
{
    quad view[16], proj[16];
    for (int i = 0; i < 16; i++) {
        view[i] = input->view[i];
        proj[i] = input->proj[i];
    }
    for (int i = 0; i < 4; i++) reference->viewport[i] = input->viewport[i];
    reference->y_sign = input->ndc_y_down ? -1 : 1;
    multiply(proj, view, reference->view_proj);
    return invert(reference->view_proj, reference->inverse);
}

static void apply(const quad m[16], const quad v[4], quad result[4])
{
    for (int row = 0; row < 4; row++) {
        result[row] = 0;
        for (int k = 0; k < 4; k++) result[row] += m[4 * k + row] * v[k];
    }
}

quad reference_w(const struct reference *reference, quad3 p)
{
    const quad point[4] = {p.v[0], p.v[1], p.v[2], 1};
    quad clip[4];
    apply(reference->view_proj, point, clip);
    return clip[3];
}

bool reference_project(const struct reference *reference, quad3 p, quad at[2])
{
    const quad point[4] = {p.v[0], p.v[1], p.v[2], 1}, *viewport = reference->viewport;
    quad clip[4];
    apply(reference->view_proj, point, clip);
    if (!(clip[3] > 0)) return false;
    at[0] = viewport[0] + (clip[0] / clip[3] + 1) * viewport[2] / 2;
    at[1] = viewport[1] + (1 - reference->y_sign * clip[1] / clip[3]) * viewport[3] / 2;
    return true;
}

static bool unproject(const struct reference *reference, const quad at[2], quad depth, quad3 *point)
{
    const quad *viewport = reference->viewport;
    const quad clip[4] = {2 * (at[0] - viewport[0]) / viewport[2] - 1,
                          reference->y_sign * (1 - 2 * (at[1] - viewport[1]) / viewport[3]), depth,
                          1};
    quad p[4];
    apply(reference->inverse, clip, p);
    if (p[3] == 0) return false;
    *point = (quad3){{p[0] / p[3], p[1] / p[3], p[2] / p[3]}};
    return true;
}

/* Two depths that every convention has inside give the line; which way it goes is told by w. */
bool reference_ray(const struct reference *reference, const quad at[2], quad3 *origin,
                   quad3 *direction)
{
    quad3 a, b;
    if (!unproject(reference, at, (quad)0.25, &a) || !unproject(reference, at, (quad)0.75, &b))
        return false;
    *origin = a;
    *direction = quad3_sub(b, a);
    if (reference_w(reference, b) < reference_w(reference, a))
        *direction = quad3_scale(*direction, -1);
    return true;
}

bool reference_on_axis(const struct reference *reference, quad3 origin, quad3 axis,
                       const double at[2], quad *t)
{
    quad w = reference_w(reference, origin), here[2], there[2];
    quad step = w / 1024;
    quad3 next = quad3_add(origin, quad3_scale(axis, step));
    if (!reference_project(reference, origin, here) || !reference_project(reference, next, there))
        return false;
    quad dx = there[0] - here[0], dy = there[1] - here[1], square = dx * dx + dy * dy;
    if (square == 0) return false;
    quad part = ((at[0] - here[0]) * dx + (at[1] - here[1]) * dy) / square;
    const quad foot[2] = {here[0] + part * dx, here[1] + part * dy};
    quad3 from, along;
    if (!reference_ray(reference, foot, &from, &along)) return false;
    quad3 across = quad3_cross(axis, along), offset = quad3_sub(from, origin);
    *t = quad3_dot(quad3_cross(offset, along), across) / quad3_dot(across, across);
    return reference_w(reference, quad3_add(origin, quad3_scale(axis, *t))) > 0;
}

bool reference_on_plane(const struct reference *reference, quad3 origin, quad3 normal,
                        const double at[2], quad3 *hit)
{
    const quad pixel[2] = {at[0], at[1]};
    quad3 from, along;
    if (!reference_ray(reference, pixel, &from, &along)) return false;
    quad slope = quad3_dot(normal, along);
    if (slope == 0) return false;
    quad way = quad3_dot(normal, quad3_sub(origin, from)) / slope;
    *hit = quad3_add(from, quad3_scale(along, way));
    return reference_w(reference, *hit) > 0;
}
