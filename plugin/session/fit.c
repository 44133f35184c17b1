/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Colliders under the matrix of their object. The matrix is split by Gram-Schmidt into a
 * rotation R and an upper triangular U, M = R U. U holds scale, shear and mirroring, and stays the
 * same while the object only moves and turns; it shapes the collider once, and R with the
 * translation is its pose at each frame. A sphere needs U = s I up to signs, a box a diagonal U, a
 * capsule one that is the same in all directions across it; a plane stays a plane under any, and a
 * mesh a mesh.
 *
 * The arc tangent is own code of sums, products, quotients and square roots, so that every machine
 * gets the same bits. */
#include "session_internal.h"

#include <math.h>
#include <string.h>

/* relative difference of scales that is taken for rounding: hosts keep matrices in float32 and
 * multiply several of them */
#define SCALE_TOLERANCE 1e-4

/* the same between two frames of a mesh: what is below is not worth moving its vertices for */
#define ALIKE_TOLERANCE 1e-6

#define PI 0x1.921fb54442d18p+1

/* ---- rotations ---- */

/* Arc tangent of a ratio between 0 and 1: two halvings of the angle, then the Taylor series below
 * tan(pi/16), up to the power 23. */
static double atan_of_ratio(double t) {
    double half = t / (1.0 + sqrt(1.0 + t * t));
    double quarter = half / (1.0 + sqrt(1.0 + half * half));
    double s = quarter * quarter, sum = 0.0;
    for (int32_t n = 23; n >= 3; n -= 2)
        sum = s * ((n & 2 ? -1.0 : 1.0) / (double)n + sum);
    return 4.0 * (quarter + quarter * sum);
}

/* Angle of the point (x, y), neither below 0 nor both 0. */
static double angle_of(double y, double x) {
    return y <= x ? atan_of_ratio(y / x) : PI / 2 - atan_of_ratio(x / y);
}

/* The quaternion (w, x, y, z) of a rotation, from its largest component (Shepperd 1978). */
static void quaternion_of(const double R[9], double q[4]) {
    double traces[4] = {R[0] + R[4] + R[8], R[0] - R[4] - R[8], R[4] - R[8] - R[0],
                        R[8] - R[0] - R[4]};
    int32_t largest = 0;
    for (int32_t i = 1; i < 4; i++)
        if (traces[i] > traces[largest])
            largest = i;
    if (largest == 0) {
        q[0] = 1.0 + traces[0];
        q[1] = R[7] - R[5];
        q[2] = R[2] - R[6];
        q[3] = R[3] - R[1];
    } else {
        int32_t i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        q[0] = R[3 * k + j] - R[3 * j + k];
        q[1 + i] = 1.0 + traces[largest];
        q[1 + j] = R[3 * j + i] + R[3 * i + j];
        q[1 + k] = R[3 * k + i] + R[3 * i + k];
    }
}

static void rotation_vector(const double R[9], double rotate_rad[3]) {
    double q[4];
    quaternion_of(R, q);
    double sine = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double sign = q[0] < 0.0 ? -1.0 : 1.0;
    /* the length of q is not 1, which the arc tangent does not mind */
    double factor = sine > 0.0 ? sign * 2.0 * angle_of(sine, fabs(q[0])) / sine : 0.0;
    for (int32_t k = 0; k < 3; k++)
        rotate_rad[k] = sine > 0.0 ? factor * q[1 + k] : 0.0;
}

/* ---- the split ---- */

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void normalize(double a[3]) {
    double length = sqrt(dot(a, a));
    for (int32_t k = 0; k < 3; k++)
        a[k] /= length;
}

ToileStatus tl_fit_matrix(const double matrix[16], double unit_m, const char *name, TlFit *out,
                          ToileError *error) {
    TlSpace space;
    ToileStatus status = tl_space_make(matrix, unit_m, name, &space, error);
    if (status != TOILE_STATUS_OK)
        return status;
    double column[3][3], q[3][3];
    for (int32_t j = 0; j < 3; j++)
        for (int32_t i = 0; i < 3; i++)
            column[j][i] = matrix[4 * i + j];
    memcpy(q[0], column[0], sizeof q[0]);
    normalize(q[0]);
    double along = dot(q[0], column[1]);
    for (int32_t k = 0; k < 3; k++)
        q[1][k] = column[1][k] - along * q[0][k];
    normalize(q[1]);
    /* the third direction makes a rotation of R; a mirroring ends up in the sign of U's last value
     */
    for (int32_t k = 0; k < 3; k++)
        q[2][k] = q[0][(k + 1) % 3] * q[1][(k + 2) % 3] - q[0][(k + 2) % 3] * q[1][(k + 1) % 3];
    double R[9];
    for (int32_t i = 0; i < 3; i++)
        for (int32_t j = 0; j < 3; j++) {
            R[3 * i + j] = q[j][i];
            out->U[3 * i + j] = i <= j ? dot(q[i], column[j]) : 0.0;
        }
    rotation_vector(R, out->pose.rotate_rad);
    for (int32_t k = 0; k < 3; k++)
        out->pose.translate_m[k] = matrix[4 * k + 3] * unit_m;
    return TOILE_STATUS_OK;
}

/* ---- shapes ---- */

static double largest_of(const double U[9]) {
    double largest = 0.0;
    for (int32_t i = 0; i < 9; i++)
        largest = fabs(U[i]) > largest ? fabs(U[i]) : largest;
    return largest;
}

/* lengths of the object's axes in the world */
static TlTriple scales_of(const double U[9]) {
    return tl_session_triple(fabs(U[0]), sqrt(U[1] * U[1] + U[4] * U[4]),
                             sqrt(U[2] * U[2] + U[5] * U[5] + U[8] * U[8]));
}

static ToileStatus check_no_shear(const TlFit *fit, const char *name, ToileError *error) {
    const double *U = fit->U;
    double most = SCALE_TOLERANCE * largest_of(U);
    if (fabs(U[1]) <= most && fabs(U[2]) <= most && fabs(U[5]) <= most)
        return TOILE_STATUS_OK;
    return tl_session_fail(error, TOILE_STATUS_UNSUPPORTED, name,
                           "Collider '%.64s' is sheared, as happens to a turned child of an "
                           "unevenly scaled parent, and has no right angles left; apply the "
                           "parent's scale, or use its mesh.",
                           name);
}

/* The length that one unit has in the world in the directions `a` and `b` of the object, or -1 when
 * these differ. */
static double even_scale(const double U[9], int32_t a, int32_t b) {
    double scale = (fabs(U[4 * a]) + fabs(U[4 * b])) / 2.0;
    return fabs(fabs(U[4 * a]) - scale) <= SCALE_TOLERANCE * scale ? scale : -1.0;
}

/* the axis of the object that a capsule lies along, or -1: none */
static int32_t axis_of(const ToileSessionCollider *collider) {
    double along[3], length = 0.0;
    int32_t axis = -1;
    for (int32_t k = 0; k < 3; k++) {
        along[k] = fabs(collider->end[k] - collider->center[k]);
        length = along[k] > length ? along[k] : length;
    }
    for (int32_t k = 0; k < 3; k++)
        if (along[(k + 1) % 3] <= SCALE_TOLERANCE * length &&
            along[(k + 2) % 3] <= SCALE_TOLERANCE * length && length > 0.0)
            axis = k;
    return axis;
}

static void fit_point(const double U[9], const double p[3], double unit_m, double out[3]) {
    out[0] = (U[0] * p[0] + U[1] * p[1] + U[2] * p[2]) * unit_m;
    out[1] = (U[4] * p[1] + U[5] * p[2]) * unit_m;
    out[2] = U[8] * p[2] * unit_m;
}

/* A scale along the capsule moves its ends apart and leaves them round; across it must be even. */
static ToileStatus fit_capsule(const ToileSessionCollider *collider, const TlFit *fit,
                               double unit_m, ToileColliderDef *def, ToileError *error) {
    const double *U = fit->U;
    ToileStatus status = check_no_shear(fit, collider->name, error);
    if (status != TOILE_STATUS_OK)
        return status;
    int32_t axis = axis_of(collider);
    double scale = axis >= 0 ? even_scale(U, (axis + 1) % 3, (axis + 2) % 3) : even_scale(U, 0, 1);
    bool even = scale > 0.0 && (axis >= 0 || even_scale(U, 1, 2) > 0.0);
    if (!even)
        return tl_session_fail(error, TOILE_STATUS_UNSUPPORTED, collider->name,
                               "Collider '%.64s' is scaled by %s, which flattens its capsule; "
                               "scale it evenly across, or use its mesh.",
                               collider->name, scales_of(U).text);
    def->radius_m = scale * collider->radius * unit_m;
    fit_point(U, collider->end, unit_m, def->end_m);
    return TOILE_STATUS_OK;
}

static ToileStatus fit_sphere(const ToileSessionCollider *collider, const TlFit *fit, double unit_m,
                              ToileColliderDef *def, ToileError *error) {
    const double *U = fit->U;
    ToileStatus status = check_no_shear(fit, collider->name, error);
    if (status != TOILE_STATUS_OK)
        return status;
    double scale = (fabs(U[0]) + fabs(U[4]) + fabs(U[8])) / 3.0;
    for (int32_t i = 0; i < 9; i += 4)
        if (fabs(fabs(U[i]) - scale) > SCALE_TOLERANCE * scale)
            return tl_session_fail(error, TOILE_STATUS_UNSUPPORTED, collider->name,
                                   "Collider '%.64s' is scaled by %s, which makes its sphere an "
                                   "ellipsoid; give it equal scales, or use its mesh.",
                                   collider->name, scales_of(U).text);
    def->radius_m = scale * collider->radius * unit_m;
    return TOILE_STATUS_OK;
}

static ToileStatus fit_box(const ToileSessionCollider *collider, const TlFit *fit, double unit_m,
                           ToileColliderDef *def, ToileError *error) {
    ToileStatus status = check_no_shear(fit, collider->name, error);
    for (int32_t k = 0; k < 3; k++)
        def->half_m[k] = fabs(fit->U[4 * k]) * collider->half[k] * unit_m;
    return status;
}

/* normals go by the inverse transpose: U^T n' = n, which keeps the free side even when mirrored */
static void fit_plane(const ToileSessionCollider *collider, const TlFit *fit,
                      ToileColliderDef *def) {
    const double *U = fit->U, *n = collider->normal;
    def->normal[0] = n[0] / U[0];
    def->normal[1] = (n[1] - U[1] * def->normal[0]) / U[4];
    def->normal[2] = (n[2] - U[2] * def->normal[0] - U[5] * def->normal[1]) / U[8];
}

ToileStatus tl_fit_collider(const ToileSessionCollider *collider, const TlFit *fit, double unit_m,
                            ToileColliderDef *def, ToileError *error) {
    ToileStatus status = TOILE_STATUS_OK;
    *def = toile_collider_def_default();
    def->shape = collider->shape;
    def->name = collider->name;
    def->thickness_m = collider->thickness_m;
    def->friction = collider->friction;
    def->pose = fit->pose;
    fit_point(fit->U, collider->center, unit_m, def->center_m);
    if (collider->shape == TOILE_COLLIDER_SPHERE)
        status = fit_sphere(collider, fit, unit_m, def, error);
    else if (collider->shape == TOILE_COLLIDER_BOX)
        status = fit_box(collider, fit, unit_m, def, error);
    else if (collider->shape == TOILE_COLLIDER_PLANE)
        fit_plane(collider, fit, def);
    else if (collider->shape == TOILE_COLLIDER_CAPSULE)
        status = fit_capsule(collider, fit, unit_m, def, error);
    return status;
}

void tl_fit_points(const TlFit *fit, double unit_m, const float *points, int32_t count,
                   double *positions_m) {
    for (size_t i = 0; i < 3 * (size_t)count; i += 3) {
        const double p[3] = {(double)points[i], (double)points[i + 1], (double)points[i + 2]};
        fit_point(fit->U, p, unit_m, positions_m + i);
    }
}

static bool differs(const TlFit *a, const TlFit *b, double tolerance) {
    double most = tolerance * largest_of(b->U);
    for (int32_t i = 0; i < 9; i++)
        if (!(fabs(a->U[i] - b->U[i]) <= most))
            return true;
    return false;
}

bool tl_fit_is_alike(const TlFit *a, const TlFit *b) {
    return !differs(a, b, ALIKE_TOLERANCE);
}

ToileStatus tl_fit_same_size(const TlFit *fit, const TlFit *first, const char *name,
                             ToileError *error) {
    if (!differs(fit, first, SCALE_TOLERANCE))
        return TOILE_STATUS_OK;
    return tl_session_fail(error, TOILE_STATUS_UNSUPPORTED, name,
                           "Collider '%.64s' is scaled by %s but began with %s, or its shear or "
                           "mirroring changed; a collider may move and turn, but keeps its size "
                           "unless it is a mesh.",
                           name, scales_of(fit->U).text, scales_of(first->U).text);
}
