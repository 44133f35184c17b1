/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Small-step XPBD in single precision: sub-steps of one Gauss-Seidel sweep, no multipliers kept.
 *
 *   [MMC16] Macklin, Mueller, Chentanez: XPBD: position-based simulation of compliant constrained
 *           dynamics, 2016.
 *   [MSL+19] Macklin et al.: Small steps in physics simulation, 2019.
 *   [V] Volino, Magnenat-Thalmann: Simple linear bending stiffness in particle systems, 2006.
 *
 * Distances are kept along edges and both diagonals of quads. C = (l^2 - L^2) / (2 L) in place of
 * l - L: the same to first order, Green's strain of the edge as in StVK, and without a root.
 * Springs stand for a fabric as well as they can: k = E A / L^2 from each triangle at an edge, E
 * the fabric's modulus in that direction, half of that from a quad, 2 G A / L^2 along its
 * diagonals, which is exact for squares along weft and warp. Bending is [V]'s quadratic energy of
 * each pair of triangles, quads being split: R = sum alpha x is one constraint with three rows of
 * the same weights, alpha_A to alpha_D.
 *
 * To be fast: vertices are renumbered along the mesh, constraints sorted alike and coloured, so
 * that those that follow one another are independent, four distances go side by side, and all
 * that a constraint needs beside its vertices lies in one stream. */
#include "bench_xpbd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 4 };

typedef float Float4 __attribute__((vector_size(16)));

#define INLINE static inline __attribute__((always_inline))

/* Distances between four pairs of vertices. */
typedef struct DistanceGroup {
    int32_t vertex[2][LANES];
    Float4 length2;    /* L^2 */
    Float4 compliance; /* L^2 / (k h^2), [MMC16] Eq. 18 times L^2 */
} DistanceGroup;

typedef struct HingeRow {
    int32_t vertex[4];
    float alpha[4];  /* R = sum alpha x */
    float weight[4]; /* x moves by -weight R */
} HingeRow;

struct TlXpbd {
    int32_t vertex_count, substeps;
    int32_t group_count, hinge_count;
    float dt_s;
    Float4 gravity_step;     /* m/s a sub-step */
    int32_t *number;         /* of a vertex of the mesh here */
    Float4 *start, *x, *old; /* fourth: 1 / mass, 0 when held. Two more, for idle lanes */
    DistanceGroup *groups;
    HingeRow *hinges;
};

/* ---- the sub-step ---- */

/* Rows to columns. */
INLINE void transpose(Float4 m[4]) {
    Float4 ab_low = __builtin_shufflevector(m[0], m[1], 0, 4, 1, 5);
    Float4 cd_low = __builtin_shufflevector(m[2], m[3], 0, 4, 1, 5);
    Float4 ab_high = __builtin_shufflevector(m[0], m[1], 2, 6, 3, 7);
    Float4 cd_high = __builtin_shufflevector(m[2], m[3], 2, 6, 3, 7);
    m[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
    m[1] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
    m[2] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
    m[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

INLINE Float4 splat(float value) {
    return (Float4){value, value, value, value};
}

/* The velocity of the last sub-step, gravity, and where both lead. */
static void predict(TlXpbd *xpbd) {
    Float4 dt = splat(xpbd->dt_s), rate = splat(1.0f / xpbd->dt_s);
    for (int32_t i = 0; i < xpbd->vertex_count; i++) {
        Float4 x = xpbd->x[i], velocity = (x - xpbd->old[i]) * rate;
        xpbd->old[i] = x;
        if (x[3] > 0.0f)
            xpbd->x[i] = x + dt * (velocity + xpbd->gravity_step);
    }
}

/* [MMC16] Eq. 17 and 18 with one iteration: no multiplier from before. */
static void keep_distances(TlXpbd *xpbd) {
    Float4 *x = xpbd->x;
    for (const DistanceGroup *group = xpbd->groups, *end = group + xpbd->group_count; group < end;
         group++) {
        Float4 a[4], b[4], d[3];
        for (int32_t lane = 0; lane < LANES; lane++) {
            a[lane] = x[group->vertex[0][lane]];
            b[lane] = x[group->vertex[1][lane]];
        }
        transpose(a);
        transpose(b);
        for (int32_t i = 0; i < 3; i++)
            d[i] = a[i] - b[i];
        Float4 l2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        Float4 move = 0.5f * (group->length2 - l2) / ((a[3] + b[3]) * l2 + group->compliance);
        for (int32_t i = 0; i < 3; i++) {
            a[i] += a[3] * move * d[i];
            b[i] -= b[3] * move * d[i];
        }
        transpose(a);
        transpose(b);
        for (int32_t lane = 0; lane < LANES; lane++) {
            x[group->vertex[0][lane]] = a[lane];
            x[group->vertex[1][lane]] = b[lane];
        }
    }
}

static void keep_flat(TlXpbd *xpbd) {
    static const Float4 space = {1.0f, 1.0f, 1.0f, 0.0f};
    for (const HingeRow *row = xpbd->hinges, *end = row + xpbd->hinge_count; row < end; row++) {
        Float4 *a = xpbd->x + row->vertex[0], *b = xpbd->x + row->vertex[1];
        Float4 *c = xpbd->x + row->vertex[2], *d = xpbd->x + row->vertex[3];
        /* the alphas sum to zero: over differences, which are small */
        Float4 from = *c, R = (*a - from) * splat(row->alpha[0]) +
                              (*b - from) * splat(row->alpha[1]) +
                              (*d - from) * splat(row->alpha[3]);
        R *= space;
        *a -= R * splat(row->weight[0]);
        *b -= R * splat(row->weight[1]);
        *c = from - R * splat(row->weight[2]);
        *d -= R * splat(row->weight[3]);
    }
}

void tl_xpbd_step(TlXpbd *xpbd) {
    for (int32_t i = 0; i < xpbd->substeps; i++) {
        predict(xpbd);
        keep_distances(xpbd);
        keep_flat(xpbd);
    }
}

/* ---- the fabric as constraints ---- */

/* A distance or a hinge while constraints are gathered. */
typedef struct Constraint {
    int32_t vertex[4];
    int32_t size;      /* vertices */
    int32_t colour;    /* no two of one colour share a vertex; 0: none yet */
    double stiffness;  /* k or lambda, N/m */
    double length2_m2; /* of a distance */
    double alpha[4];   /* of a hinge */
} Constraint;

typedef struct Constraints {
    int32_t count;
    Constraint *rows;
} Constraints;

/* A side of a face, for pairing with that of its neighbour. */
typedef struct Side {
    int32_t low, high;
    int32_t apex;     /* opposite vertex in its triangle */
    double stiffness; /* its face's part in the edge's; 0 for diagonals that split quads */
} Side;

/* What is needed while it is built. */
typedef struct Builder {
    const TlXpbdDef *def;
    double *mass;
    Side *sides;
    int32_t side_count;
    Constraints distances, hinges;
} Builder;

static void difference(const Builder *builder, int32_t from, int32_t to, double out[3]) {
    const double *x = builder->def->mesh->positions_m;
    for (int32_t i = 0; i < 3; i++)
        out[i] = x[3 * (size_t)to + (size_t)i] - x[3 * (size_t)from + (size_t)i];
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* twice the area of the triangle between two edges */
static double cross_length(const double a[3], const double b[3]) {
    double ab = dot(a, b), square = dot(a, a) * dot(b, b) - ab * ab;
    return sqrt(square > 0.0 ? square : 0.0);
}

/* Unit vector along the weft in the plane of a face's first three corners. */
static void weft_of(const Builder *builder, int32_t first_corner, double weft[3]) {
    const ToileMeshDef *mesh = builder->def->mesh;
    const int32_t *corners = mesh->corners + first_corner;
    double a[3], b[3];
    difference(builder, corners[0], corners[1], a);
    difference(builder, corners[0], corners[2], b);
    double part_a = 1.0, part_b = 0.0;
    if (mesh->uv_count > 0) {
        /* dx/du = (a dv_b - b dv_a) / det, of which the direction counts */
        const double *uv[3];
        for (int32_t k = 0; k < 3; k++)
            uv[k] = mesh->uvs + 2 * (size_t)mesh->corner_uvs[first_corner + k];
        double det = (uv[1][0] - uv[0][0]) * (uv[2][1] - uv[0][1]) -
                     (uv[2][0] - uv[0][0]) * (uv[1][1] - uv[0][1]);
        part_a = (uv[2][1] - uv[0][1]) / det;
        part_b = -(uv[1][1] - uv[0][1]) / det;
    }
    for (int32_t i = 0; i < 3; i++)
        weft[i] = part_a * a[i] + part_b * b[i];
    double length = sqrt(dot(weft, weft));
    for (int32_t i = 0; i < 3; i++)
        weft[i] /= length;
}

/* Modulus of an orthotropic sheet along an edge, without contraction across. */
static double modulus_along(const ToileFabric *fabric, const double edge[3], const double weft[3]) {
    double along = dot(edge, weft), c2 = along * along / dot(edge, edge), s2 = 1.0 - c2;
    return 1.0 / (c2 * c2 / fabric->stretch_weft_N_per_m + s2 * s2 / fabric->stretch_warp_N_per_m +
                  c2 * s2 / fabric->stretch_shear_N_per_m);
}

static void add_distance(Builder *builder, int32_t a, int32_t b, double stiffness) {
    double edge[3];
    difference(builder, a, b, edge);
    builder->distances.rows[builder->distances.count++] = (Constraint){
        .vertex = {a, b}, .size = 2, .stiffness = stiffness, .length2_m2 = dot(edge, edge)};
}

static void add_side(Builder *builder, int32_t a, int32_t b, int32_t apex, double stiffness) {
    builder->sides[builder->side_count++] = (Side){a < b ? a : b, a < b ? b : a, apex, stiffness};
}

/* The sides of a face, each with the opposite vertex of the triangle it belongs to, and diagonals.
 */
static void add_face(Builder *builder, int32_t face, int32_t first_corner) {
    const ToileMeshDef *mesh = builder->def->mesh;
    const ToileFabric *fabric = builder->def->fabric;
    const int32_t *q = mesh->corners + first_corner;
    int32_t size = mesh->face_sizes[face];
    double weft[3], across[2][3], a[3], b[3];
    difference(builder, q[0], q[2], across[0]);
    difference(builder, q[1], q[size - 1], across[1]);
    difference(builder, q[0], q[1], a);
    double area =
        0.5 * (size == 4 ? cross_length(across[0], across[1]) : cross_length(a, across[0]));
    weft_of(builder, first_corner, weft);
    /* a quad is split over its shorter diagonal, over either by turns when they are alike */
    double more = dot(across[0], across[0]) - dot(across[1], across[1]);
    bool alike = fabs(more) < 1e-6 * dot(across[0], across[0]);
    int32_t split = alike ? face % 2 : more > 0.0;
    for (int32_t k = 0; k < size; k++) {
        int32_t next = (k + 1) % size;
        /* the triangle of a quad's side has the diagonal's end that is not on the side */
        int32_t apex = (k + 2) % size;
        if (size == 4 && k % 2 != split)
            apex = (k + 3) % size;
        difference(builder, q[k], q[next], b);
        double part = size == 4 ? 0.5 * area : area;
        add_side(builder, q[k], q[next], q[apex],
                 modulus_along(fabric, b, weft) * part / dot(b, b));
        builder->mass[q[k]] += fabric->density_kg_per_m2 * area / size;
    }
    for (int32_t k = 0; size == 4 && k < 2; k++) {
        double l2 = dot(across[k], across[k]);
        add_distance(builder, q[k], q[k + 2], 2.0 * fabric->stretch_shear_N_per_m * area / l2);
        if (k == split) {
            add_side(builder, q[k], q[k + 2], q[k + 1], 0.0);
            add_side(builder, q[k], q[k + 2], q[(k + 3) % 4], 0.0);
        }
    }
}

/* [V] Eq. 5, 6 and 10, the factor 1 instead of 1/3, as Toile has it: A and B over the edge C D. */
static void add_hinge(Builder *builder, const Side *one, const Side *two) {
    const int32_t vertex[4] = {one->apex, two->apex, one->low, one->high};
    double edge[3], a[3], b[3];
    difference(builder, vertex[2], vertex[3], edge);
    difference(builder, vertex[2], vertex[0], a);
    difference(builder, vertex[2], vertex[1], b);
    double length = sqrt(dot(edge, edge));
    double h_a = cross_length(a, edge) / length, h_b = cross_length(b, edge) / length;
    double alpha_a = h_b / (h_a + h_b), alpha_b = h_a / (h_a + h_b);
    double alpha_d = -(alpha_a * dot(a, edge) + alpha_b * dot(b, edge)) / (length * length);
    Constraint row = {.size = 4, .alpha = {alpha_a, alpha_b, -1.0 - alpha_d, alpha_d}};
    row.stiffness =
        2.0 * (h_a + h_b) / (h_a * h_b * h_a * h_b) * length * builder->def->fabric->bend_weft_N_m;
    memcpy(row.vertex, vertex, sizeof vertex);
    builder->hinges.rows[builder->hinges.count++] = row;
}

static int compare_sides(const void *a, const void *b) {
    const Side *l = a, *r = b;
    if (l->low != r->low)
        return l->low < r->low ? -1 : 1;
    if (l->high != r->high)
        return l->high < r->high ? -1 : 1;
    return l->apex < r->apex ? -1 : l->apex > r->apex;
}

/* Edges with the stiffness of all their faces, and hinges over those between two triangles. */
static void join_sides(Builder *builder) {
    qsort(builder->sides, (size_t)builder->side_count, sizeof *builder->sides, compare_sides);
    for (int32_t i = 0, next; i < builder->side_count; i = next) {
        const Side *side = builder->sides + i;
        double stiffness = 0.0;
        for (next = i; next < builder->side_count && builder->sides[next].low == side->low &&
                       builder->sides[next].high == side->high;
             next++)
            stiffness += builder->sides[next].stiffness;
        if (stiffness > 0.0)
            add_distance(builder, side->low, side->high, stiffness);
        if (next == i + 2 && builder->def->fabric->bend_weft_N_m > 0.0)
            add_hinge(builder, side, side + 1);
    }
}

/* ---- order ---- */

/* Numbers the vertices breadth first, from the first one of each piece. False when out of memory.
 */
static bool number_vertices(const Builder *builder, int32_t *number) {
    int32_t n = builder->def->mesh->vertex_count, count = 2 * builder->side_count, used = 0;
    int32_t *first = calloc((size_t)n + 1, sizeof *first), *to = malloc((size_t)count * sizeof *to);
    int32_t *queue = malloc((size_t)n * sizeof *queue);
    bool ok = first && to && queue;
    for (int32_t i = 0; ok && i < builder->side_count; i++) {
        first[builder->sides[i].low]++;
        first[builder->sides[i].high]++;
    }
    /* the end of each list, moved to its start as it is filled */
    for (int32_t v = 0; ok && v < n; v++)
        first[v + 1] += first[v];
    for (int32_t i = 0; ok && i < builder->side_count; i++) {
        to[--first[builder->sides[i].low]] = builder->sides[i].high;
        to[--first[builder->sides[i].high]] = builder->sides[i].low;
    }
    for (int32_t v = 0; ok && v < n; v++)
        number[v] = -1;
    for (int32_t v = 0, done = 0; ok && v < n; v++) {
        if (number[v] < 0) {
            number[v] = used;
            queue[used++] = v;
        }
        for (; done < used; done++)
            for (int32_t k = first[queue[done]]; k < first[queue[done] + 1]; k++)
                if (number[to[k]] < 0) {
                    number[to[k]] = used;
                    queue[used++] = to[k];
                }
    }
    free(first);
    free(to);
    free(queue);
    return ok;
}

static int compare_constraints(const void *a, const void *b) {
    const Constraint *l = a, *r = b;
    for (int32_t k = 0; k < l->size; k++)
        if (l->vertex[k] != r->vertex[k])
            return l->vertex[k] < r->vertex[k] ? -1 : 1;
    return 0;
}

/* Whether no vertex of the row has the mark; marks them if so. */
static bool take(const Constraint *row, int32_t *marks, int32_t mark) {
    for (int32_t k = 0; k < row->size; k++)
        if (marks[row->vertex[k]] == mark)
            return false;
    for (int32_t k = 0; k < row->size; k++)
        marks[row->vertex[k]] = mark;
    return true;
}

/* Puts the new numbers in and orders the constraints: by colour, along the mesh within each. False
 * when out of memory. */
static bool order_constraints(Constraints *constraints, const int32_t *number, int32_t n) {
    int32_t count = constraints->count, done = 0;
    Constraint *rows = constraints->rows;
    int32_t *marks = calloc((size_t)n, sizeof *marks);
    Constraint *ordered = malloc(((size_t)count + 1) * sizeof *ordered);
    bool ok = marks && ordered;
    for (int32_t i = 0; ok && i < count; i++)
        for (int32_t k = 0; k < rows[i].size; k++)
            rows[i].vertex[k] = number[rows[i].vertex[k]];
    if (ok)
        qsort(rows, (size_t)count, sizeof *rows, compare_constraints);
    for (int32_t colour = 1; ok && done < count; colour++)
        for (int32_t i = 0; i < count; i++)
            if (rows[i].colour == 0 && take(&rows[i], marks, colour)) {
                rows[i].colour = colour;
                ordered[done++] = rows[i];
            }
    if (ok)
        memcpy(rows, ordered, (size_t)count * sizeof *rows);
    free(marks);
    free(ordered);
    return ok;
}

/* ---- life ---- */

static void place_vertices(TlXpbd *xpbd, const Builder *builder) {
    const TlXpbdDef *def = builder->def;
    const double *x = def->mesh->positions_m;
    for (int32_t i = 0; i < xpbd->vertex_count; i++, x += 3) {
        float inverse = builder->mass[i] > 0.0 ? (float)(1.0 / builder->mass[i]) : 0.0f;
        xpbd->start[xpbd->number[i]] = (Float4){(float)x[0], (float)x[1], (float)x[2], inverse};
    }
    for (int32_t i = 0; i < def->pin_count; i++)
        xpbd->start[xpbd->number[def->pins[i]]][3] = 0.0f;
    /* idle lanes keep a distance between vertices that do not move */
    for (int32_t i = 0; i < 2; i++)
        xpbd->start[xpbd->vertex_count + i] = (Float4){(float)i, 0.0f, 0.0f, 0.0f};
}

/* A group of idle lanes. */
static DistanceGroup idle_group(int32_t vertex_count) {
    DistanceGroup group = {.length2 = splat(1.0f), .compliance = splat(1.0f)};
    for (int32_t lane = 0; lane < LANES; lane++) {
        group.vertex[0][lane] = vertex_count;
        group.vertex[1][lane] = vertex_count + 1;
    }
    return group;
}

/* Four distances of a colour a group. */
static bool fill_groups(TlXpbd *xpbd, const Constraints *distances) {
    const Constraint *rows = distances->rows;
    double dt_s = (double)xpbd->dt_s;
    int32_t colours = distances->count > 0 ? rows[distances->count - 1].colour : 0;
    int32_t lane = LANES;
    size_t most = (size_t)distances->count / LANES + (size_t)colours + 1;
    xpbd->groups = malloc(most * sizeof *xpbd->groups);
    for (int32_t i = 0; xpbd->groups && i < distances->count; i++) {
        if (lane == LANES || rows[i].colour != rows[i - 1].colour) {
            xpbd->groups[xpbd->group_count++] = idle_group(xpbd->vertex_count);
            lane = 0;
        }
        DistanceGroup *group = xpbd->groups + xpbd->group_count - 1;
        for (int32_t k = 0; k < 2; k++)
            group->vertex[k][lane] = rows[i].vertex[k];
        group->length2[lane] = (float)rows[i].length2_m2;
        group->compliance[lane] = (float)(rows[i].length2_m2 / (rows[i].stiffness * dt_s * dt_s));
        lane++;
    }
    return xpbd->groups != NULL;
}

static bool fill_hinges(TlXpbd *xpbd, const Constraints *hinges) {
    double dt_s = (double)xpbd->dt_s;
    xpbd->hinges = malloc(((size_t)hinges->count + 1) * sizeof *xpbd->hinges);
    for (int32_t i = 0; xpbd->hinges && i < hinges->count; i++) {
        const Constraint *from = hinges->rows + i;
        HingeRow *row = xpbd->hinges + xpbd->hinge_count++;
        double inverse[4], sum = 1.0 / (from->stiffness * dt_s * dt_s);
        for (int32_t k = 0; k < 4; k++) {
            inverse[k] = (double)xpbd->start[from->vertex[k]][3];
            sum += inverse[k] * from->alpha[k] * from->alpha[k];
        }
        for (int32_t k = 0; k < 4; k++) {
            row->vertex[k] = from->vertex[k];
            row->alpha[k] = (float)from->alpha[k];
            row->weight[k] = (float)(inverse[k] * from->alpha[k] / sum);
        }
    }
    return xpbd->hinges != NULL;
}

static bool alloc_all(TlXpbd *xpbd, Builder *builder) {
    const ToileMeshDef *mesh = builder->def->mesh;
    /* a quad has 4 sides, its diagonal twice, and 2 diagonals as distances */
    size_t corners = (size_t)mesh->corner_count, n = (size_t)mesh->vertex_count;
    size_t vectors = (n + 2) * sizeof(Float4);
    builder->mass = calloc(n, sizeof *builder->mass);
    builder->sides = malloc(2 * corners * sizeof *builder->sides);
    builder->distances.rows = malloc(2 * corners * sizeof(Constraint));
    builder->hinges.rows = malloc(corners * sizeof(Constraint));
    xpbd->number = malloc(n * sizeof *xpbd->number);
    xpbd->start = malloc(vectors);
    xpbd->x = malloc(vectors);
    xpbd->old = malloc(vectors);
    return builder->mass && builder->sides && builder->distances.rows && builder->hinges.rows &&
           xpbd->number && xpbd->start && xpbd->x && xpbd->old;
}

static bool build(TlXpbd *xpbd, Builder *builder) {
    const TlXpbdDef *def = builder->def;
    int32_t n = def->mesh->vertex_count;
    if (!alloc_all(xpbd, builder))
        return false;
    xpbd->vertex_count = n;
    xpbd->substeps = def->substeps;
    xpbd->dt_s = (float)(1.0 / (def->fps * def->substeps));
    for (int32_t i = 0; i < 3; i++)
        xpbd->gravity_step[i] = (float)(def->gravity_m_per_s2[i] * (double)xpbd->dt_s);
    for (int32_t face = 0, corner = 0; face < def->mesh->face_count; face++) {
        add_face(builder, face, corner);
        corner += def->mesh->face_sizes[face];
    }
    join_sides(builder);
    if (!number_vertices(builder, xpbd->number) ||
        !order_constraints(&builder->distances, xpbd->number, n) ||
        !order_constraints(&builder->hinges, xpbd->number, n))
        return false;
    place_vertices(xpbd, builder);
    return fill_groups(xpbd, &builder->distances) && fill_hinges(xpbd, &builder->hinges);
}

TlXpbd *tl_xpbd_create(const TlXpbdDef *def) {
    Builder builder = {.def = def};
    TlXpbd *xpbd = malloc(sizeof *xpbd);
    if (!xpbd)
        return NULL;
    *xpbd = (TlXpbd){0};
    bool ok = build(xpbd, &builder);
    free(builder.mass);
    free(builder.sides);
    free(builder.distances.rows);
    free(builder.hinges.rows);
    if (!ok) {
        tl_xpbd_destroy(xpbd);
        return NULL;
    }
    tl_xpbd_restart(xpbd);
    return xpbd;
}

void tl_xpbd_destroy(TlXpbd *xpbd) {
    if (!xpbd)
        return;
    free(xpbd->number);
    free(xpbd->start);
    free(xpbd->x);
    free(xpbd->old);
    free(xpbd->groups);
    free(xpbd->hinges);
    free(xpbd);
}

void tl_xpbd_restart(TlXpbd *xpbd) {
    size_t bytes = ((size_t)xpbd->vertex_count + 2) * sizeof(Float4);
    memcpy(xpbd->x, xpbd->start, bytes);
    memcpy(xpbd->old, xpbd->start, bytes);
}

void tl_xpbd_get_positions(const TlXpbd *xpbd, double *positions_m) {
    for (int32_t i = 0; i < xpbd->vertex_count; i++)
        for (int32_t k = 0; k < 3; k++)
            positions_m[3 * (size_t)i + (size_t)k] = (double)xpbd->x[xpbd->number[i]][k];
}

double tl_xpbd_kinetic_J(const TlXpbd *xpbd) {
    double twice = 0.0, rate = 1.0 / (double)xpbd->dt_s;
    for (int32_t i = 0; i < xpbd->vertex_count; i++) {
        double mass = xpbd->x[i][3] > 0.0f ? 1.0 / (double)xpbd->x[i][3] : 0.0;
        for (int32_t k = 0; k < 3; k++) {
            double speed = ((double)xpbd->x[i][k] - (double)xpbd->old[i][k]) * rate;
            twice += mass * speed * speed;
        }
    }
    return 0.5 * twice;
}
