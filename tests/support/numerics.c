/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Energies gathered by vertex, differences and dense matrices; see builders.h. */
#include "support/builders.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- energies ---- */

double test_value(const TlElements *elements, const TlPoint *at) {
    return elements->value(elements->model, at, 0, elements->count);
}

/* Adds up what the corners of all elements have, by vertex. */
static void gather(const TlElements *elements, const double *corner_values, double *out) {
    int32_t corners = tl_first_corner(elements, elements->count);
    memset(out, 0, 3 * sizeof *out * (size_t)elements->model->vertex_count);
    for (int32_t i = 0; i < 3 * corners; i++) {
        out[3 * elements->vertex[i / 3] + i % 3] += corner_values[i];
    }
}

void test_gradient(const TlElements *elements, const TlPoint *at, double *grad) {
    int32_t corners = tl_first_corner(elements, elements->count);
    double *local = test_alloc(3 * sizeof(double) * (size_t)corners);
    elements->derive(elements->model, at, 0, elements->count, local, NULL);
    gather(elements, local, grad);
    free(local);
}

void test_damping(const TlElements *elements, const double *x, const double *v, double *grad) {
    int32_t corners = tl_first_corner(elements, elements->count);
    double *local = test_alloc(3 * sizeof(double) * (size_t)corners);
    elements->damp(elements->model, x, v, 0, elements->count, local);
    gather(elements, local, grad);
    free(local);
}

/* hess(a, b) += block */
static void scatter(double *hess, int32_t n, int32_t a, int32_t b, const double *block) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            hess[(3 * a + i) * n + 3 * b + j] += block[3 * i + j];
        }
    }
}

void test_element_block(const TlElements *elements, const double *hess, int32_t e, int32_t a,
                        int32_t b, double block[9]) {
    int32_t first = tl_first_corner(elements, e), arity = tl_first_corner(elements, e + 1) - first;
    for (int i = 0; i < 9; i++) {
        if (elements->hessian == TL_HESSIAN_BLOCKS) {
            const double *from =
                hess + 9 * (tl_block_count(arity) * e +
                            (a <= b ? tl_block_index(arity, a, b) : tl_block_index(arity, b, a)));
            block[i] = a <= b ? from[i] : from[3 * (i % 3) + i / 3];
            continue;
        }
        block[i] = 0.0;
        for (int32_t k = 0; k < elements->hessian; k++) {
            const double *row = hess + 3 * (elements->hessian * first + k * arity);
            block[i] += row[3 * a + i / 3] * row[3 * b + i % 3];
        }
    }
}

/* The sum of lambda alpha alpha^T over linear hinges, for x, y and z. */
static void linear_hessian(const TlHingeSet *set, int32_t n, double *hess) {
    memset(hess, 0, sizeof *hess * (size_t)n * (size_t)n);
    for (int32_t h = 0; h < set->count; h++) {
        for (int32_t a = set->first[h]; a < set->first[h + 1]; a++) {
            for (int32_t b = set->first[h]; b < set->first[h + 1]; b++) {
                double s = set->lambda[h] * set->alpha[a] * set->alpha[b];
                const double block[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
                scatter(hess, n, set->vertex[a], set->vertex[b], block);
            }
        }
    }
}

void test_hessian(const TlElements *elements, const TlPoint *at, double *hess) {
    int32_t n = 3 * elements->model->vertex_count;
    if (elements->hessian < 0) {
        bool flat = elements->hessian == TL_HESSIAN_MATRIX;
        linear_hessian(&elements->model->sets.hinges[flat ? TL_HINGE_LINEAR : TL_HINGE_CURVED], n,
                       hess);
        return;
    }
    int32_t corners = tl_first_corner(elements, elements->count);
    double *grad = test_alloc(3 * sizeof(double) * (size_t)(corners + 1));
    double *local = test_alloc(sizeof(double) * (size_t)(tl_hessian_size(elements) + 1));
    elements->derive(elements->model, at, 0, elements->count, grad, local);
    memset(hess, 0, sizeof *hess * (size_t)n * (size_t)n);
    for (int32_t e = 0; e < elements->count; e++) {
        int32_t first = tl_first_corner(elements, e), end = tl_first_corner(elements, e + 1);
        for (int32_t a = first; a < end; a++) {
            for (int32_t b = first; b < end; b++) {
                double block[9];
                test_element_block(elements, local, e, a - first, b - first, block);
                scatter(hess, n, elements->vertex[a], elements->vertex[b], block);
            }
        }
    }
    free(grad);
    free(local);
}

/* ---- numerics ---- */

double test_largest(const double *values, int64_t count) {
    double largest = 0.0;
    for (int64_t i = 0; i < count; i++) {
        largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
    }
    return largest;
}

double test_gradient_error(const TlElements *elements, const TlPoint *at, const double *grad,
                           double h) {
    int32_t n = 3 * elements->model->vertex_count;
    double *x = test_alloc(sizeof(double) * (size_t)n), worst = 0.0;
    TlPoint moved = {x, at->x_start, at->dt_s};
    memcpy(x, at->x, sizeof(double) * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        double old = x[i];
        x[i] = old + h;
        double high = test_value(elements, &moved);
        x[i] = old - h;
        double low = test_value(elements, &moved);
        x[i] = old;
        worst = fmax(worst, fabs((high - low) / (2.0 * h) - grad[i]));
    }
    free(x);
    return worst / test_largest(grad, n);
}

double test_hessian_error(const TlElements *elements, const TlPoint *at, const double *hess,
                          double h) {
    int32_t n = 3 * elements->model->vertex_count;
    double *x = test_alloc(sizeof(double) * (size_t)n),
           *high = test_alloc(sizeof(double) * (size_t)n);
    double *low = test_alloc(sizeof(double) * (size_t)n), worst = 0.0;
    TlPoint moved = {x, at->x_start, at->dt_s};
    memcpy(x, at->x, sizeof(double) * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        double old = x[i];
        x[i] = old + h;
        test_gradient(elements, &moved, high);
        x[i] = old - h;
        test_gradient(elements, &moved, low);
        x[i] = old;
        for (int32_t j = 0; j < n; j++) {
            worst = fmax(worst, fabs((high[j] - low[j]) / (2.0 * h) - hess[j * n + i]));
        }
    }
    free(x);
    free(high);
    free(low);
    return worst / test_largest(hess, (int64_t)n * n);
}

/* One Jacobi rotation that makes a[p][q] zero. */
static void rotate(double *a, int32_t n, int32_t p, int32_t q) {
    double theta = 0.5 * (a[q * n + q] - a[p * n + p]) / a[p * n + q];
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int32_t k = 0; k < n; k++) {
        double kp = a[k * n + p], kq = a[k * n + q];
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
    }
    for (int32_t k = 0; k < n; k++) {
        double pk = a[p * n + k], qk = a[q * n + k];
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
    }
}

void test_eigenvalues(double *a, int32_t n, double *values) {
    double scale = test_largest(a, (int64_t)n * n);
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0.0;
        for (int32_t p = 0; p < n; p++) {
            for (int32_t q = p + 1; q < n; q++) {
                off = fmax(off, fabs(a[p * n + q]));
                if (fabs(a[p * n + q]) > 1e-17 * scale) {
                    rotate(a, n, p, q);
                }
            }
        }
        if (off <= 1e-16 * scale) {
            break;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        values[i] = a[i * n + i];
    }
}

void test_cholesky_solve(double *a, double *b, int32_t n) {
    for (int32_t k = 0; k < n; k++) {
        ck_assert_msg(a[k * n + k] > 0.0, "pivot %" PRId32 " of the reference matrix is %g", k,
                      a[k * n + k]);
        a[k * n + k] = sqrt(a[k * n + k]);
        for (int32_t i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
        }
        for (int32_t i = k + 1; i < n; i++) {
            for (int32_t j = k + 1; j <= i; j++) {
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            }
        }
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < i; j++) {
            b[i] -= a[i * n + j] * b[j];
        }
        b[i] /= a[i * n + i];
    }
    for (int32_t i = n - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < n; j++) {
            b[i] -= a[j * n + i] * b[j];
        }
        b[i] /= a[i * n + i];
    }
}

void test_resultants(const double *x, const double *f, int32_t count, double force[3],
                     double torque[3]) {
    memset(force, 0, 3 * sizeof *force);
    memset(torque, 0, 3 * sizeof *torque);
    for (int32_t v = 0; v < count; v++) {
        const double *p = x + 3 * v, *q = f + 3 * v;
        for (int i = 0; i < 3; i++) {
            force[i] += q[i];
            torque[i] += p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
        }
    }
}
