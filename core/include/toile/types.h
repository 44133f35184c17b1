/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Ids, enums, definitions and results.
 *
 * Units are SI: metres, kilograms, seconds, newtons, radians. Every definition starts with
 * `struct_size`; fill it with its `..._init` function (or the inline `..._default`), change fields,
 * then create. Creation copies all it needs: pointers in a definition may be freed as soon as the
 * call returns. New fields are only ever added at the end. */
#ifndef TOILE_TYPES_H
#define TOILE_TYPES_H

#include "toile/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A simulation and everything in it. */
typedef struct ToileSim ToileSim;

/* Ids are values: slot + 1 and the generation of that slot. All zero is "none". An id that outlived
 * its thing is reported as TOILE_STATUS_STALE_ID, never followed. */
typedef struct ToileClothId {
    uint32_t slot;
    uint32_t generation;
} ToileClothId;

typedef struct ToileColliderId {
    uint32_t slot;
    uint32_t generation;
} ToileColliderId;

/* ---- meshes ---- */

/* A mesh of triangles and quads, counter-clockwise seen from its front. Arrays belong to the
 * caller. */
typedef struct ToileMeshDef {
    uint32_t struct_size;
    int32_t vertex_count;
    int32_t face_count;
    int32_t corner_count;      /* sum of face_sizes */
    int32_t uv_count;          /* 0: no texture coordinates */
    const double *positions_m; /* 3 * vertex_count */
    const int32_t *face_sizes; /* face_count values, 3 or 4 each */
    const int32_t *corners;    /* corner_count vertex indices */
    const double *uvs;         /* 2 * uv_count; NULL when uv_count is 0 */
    const int32_t *corner_uvs; /* corner_count uv indices, so that uvs may have seams; NULL when
                                  uv_count is 0 */
} ToileMeshDef;

/* What toile_mesh_check can find. The rule: what has no physical meaning is an error and refused;
 * what has one, though probably not the one that was meant, is a warning and simulated as stated.
 */
typedef enum ToileMeshIssueKind {
    TOILE_MESH_NGON = 1,           /* error: a face without exactly 3 or 4 corners */
    TOILE_MESH_INDEX_OUT_OF_RANGE, /* error: a corner's vertex or uv index */
    TOILE_MESH_REPEATED_CORNER,    /* error: a face that uses a vertex twice */
    TOILE_MESH_NOT_FINITE,         /* error: NaN or infinity in a position or uv */
    TOILE_MESH_ZERO_AREA,    /* error: a face without area, or a quad that has no split into two
                                triangles with area */
    TOILE_MESH_ZERO_UV_AREA, /* error when uvs are the pattern, else not looked for */
    TOILE_MESH_NON_MANIFOLD_EDGE, /* warning: three or more faces share an edge; it does not resist
                                     bending */
    TOILE_MESH_FLIPPED_NEIGHBOUR, /* warning: two faces run along their common edge in the same
                                     direction */
    TOILE_MESH_ISOLATED_VERTEX,   /* warning: a vertex without face; it stays where it is */
    TOILE_MESH_SLIVER,    /* warning: a triangle whose height is under 1/1000 of its longest edge */
    TOILE_MESH_NOT_CONVEX /* warning: a quad that is not convex, at rest or in uv; it is simulated
                             as two triangles */
} ToileMeshIssueKind;

typedef struct ToileMeshIssue {
    int32_t kind;     /* a ToileMeshIssueKind */
    int32_t is_error; /* 1: the mesh is refused; 0: a warning */
    int32_t face;     /* index, or -1 */
    int32_t vertex;   /* index, or -1 */
    char message[192];
} ToileMeshIssue;

/* ---- fabric ---- */

typedef enum ToileStretchModel {
    TOILE_STRETCH_STVK = 0,   /* continuum: Green strain, orthotropic; quads as bilinear patches */
    TOILE_STRETCH_SPRINGS = 1 /* mass-spring: along edges (structural), across quads (shear) */
} ToileStretchModel;

typedef enum ToileCompression {
    TOILE_COMPRESSION_FACTOR = 0, /* weft and warp resist compression compression_factor times as
                                     much as tension */
    TOILE_COMPRESSION_TENSION_FIELD = 1 /* wrinkled cloth carries tension only; isotropic fabric */
} ToileCompression;

typedef enum ToileBendModel {
    TOILE_BEND_LINEAR = 0,        /* Volino & Magnenat-Thalmann: one constant matrix */
    TOILE_BEND_DIHEDRAL = 1,      /* Discrete Shells: angle across edges */
    TOILE_BEND_NORMAL = 2,        /* Bridson et al.: half angle across edges */
    TOILE_BEND_CROSSOVER = 3,     /* springs across edges */
    TOILE_BEND_CHOI_KO = 4,       /* springs that buckle */
    TOILE_BEND_CHOI_KO_TABLE = 5, /* the same from a table of bend_intervals */
    TOILE_BEND_KOITER = 6         /* thin shell: curvature at vertices and inside quads */
} ToileBendModel;

typedef enum ToileBendScale {
    TOILE_BEND_CALIBRATED = 0, /* cylinders bend with exactly the stated modulus */
    TOILE_BEND_PAPER = 1       /* the paper's factor 1/3: three times softer */
} ToileBendScale;

typedef enum ToileBendDamping {
    TOILE_BEND_DAMPING_SCALAR = 0,   /* rate of the fold alone (Rayleigh) */
    TOILE_BEND_DAMPING_PROJECTED = 1 /* rate of the bending vector without rigid motion; linear
                                        model only */
} ToileBendDamping;

typedef enum ToileRestCurvature {
    TOILE_REST_CURVATURE_GIVEN = 0,    /* rest_curvature_per_m or the cloth's map; 0: flat */
    TOILE_REST_CURVATURE_FROM_REST = 1 /* the fold of the 3D rest shape at every hinge */
} ToileRestCurvature;

/* Weft is the u direction of the pattern, warp the v direction. */
typedef struct ToileFabric {
    uint32_t struct_size;
    int32_t bend_scale;           /* a ToileBendScale; default calibrated; no effect on Koiter */
    double density_kg_per_m2;     /* default 0.15; above 0 */
    double thickness_m;           /* default 0.0003; above 0; used by contact only */
    double friction;              /* Coulomb coefficient, ratio; default 0.3; 0 or more */
    double stretch_weft_N_per_m;  /* default 1000; above 0 */
    double stretch_warp_N_per_m;  /* default 1000; above 0 */
    double stretch_shear_N_per_m; /* default 50; above 0 */
    double stretch_poisson; /* nu12, ratio: contraction along warp under tension along weft; default
                               0.2; poisson^2 * warp / weft must be below 1 */
    double stretch_damping_s; /* strain-rate damping: stiffness times this time; default 0; 0 or
                                 more */
    double bend_weft_N_m;  /* default 5e-5; 0 or more; moment per width and curvature when the weft
                              is curved */
    double bend_warp_N_m;  /* default 5e-5; 0 or more */
    int32_t stretch_model; /* a ToileStretchModel; default stvk */
    int32_t compression;   /* a ToileCompression; default factor; stvk only */
    int32_t gauss_points;  /* per side of a quad, 1 to 12; default 4 */
    int32_t bend_model;    /* a ToileBendModel; default linear */
    int32_t bend_damping_model; /* a ToileBendDamping; default scalar */
    int32_t bend_intervals;     /* of the Choi-Ko table, 1 to 1000; default 10 */
    int32_t bend_fold_exponent; /* Koiter: 0 as printed, 1 (default) or 2: stiff in sharp folds */
    int32_t rest_curvature;     /* a ToileRestCurvature; default given; Koiter always takes its
                                   curvature from the rest shape */
    double compression_factor;  /* ratio; default 1; 0 to 1, and at least
                                   |poisson| * sqrt(warp / weft) */
    double stretch_limit;       /* no edge may be stretched by more than this ratio of its length;
                                   steps are then solved as at the quality accurate; default 0:
                                   no limit */
    double bend_damping_N_m_s;  /* moment per width and rate of curvature; default 0; 0 or more; no
                                   effect on crossover and Choi-Ko springs */
    double bend_poisson;        /* Koiter: ratio; default 0; above -1, below 1 */
    double bend_in_element_weight; /* Koiter: weight of bending inside quads; default 0.1; 0 or
                                      more */
    double rest_curvature_per_m; /* hinge models; above 0: valley seen from the front; default 0 */
    const double *bend_law; /* nonlinear law of the linear model: bend_law_count pairs of curvature
                               (1/m) and moment per width (N), from (0, 0), curvatures rising,
                               linear between and beyond; along the weft, scaled by bend_warp_N_m /
                               bend_weft_N_m along the warp. NULL (default): linear */
    int32_t bend_law_count; /* 0, or 2 and more */
    uint32_t reserved;
} ToileFabric;

/* ---- cloth ---- */

typedef enum ToilePattern {
    TOILE_PATTERN_NONE = 0,        /* rest shape: the 3D mesh; weft: each face's first edge */
    TOILE_PATTERN_ORIENTATION = 1, /* as none, but weft and warp follow the uvs */
    TOILE_PATTERN_METRIC = 2       /* the uvs, times pattern_scale_m, are the rest shape */
} ToilePattern;

typedef enum ToileElements {
    TOILE_ELEMENTS_NATIVE = 0,   /* quads as bilinear patches; those that are not convex at rest are
                                    split */
    TOILE_ELEMENTS_TRIANGLES = 1 /* quads are split first */
} ToileElements;

typedef struct ToileClothDef {
    uint32_t struct_size;
    int32_t pattern;                        /* a ToilePattern; default none */
    int32_t elements;                       /* a ToileElements; default native */
    int32_t pin_count;                      /* default 0 */
    const char *name;                       /* for messages; default "cloth"; copied */
    const ToileMeshDef *mesh;               /* required */
    const ToileFabric *fabric;              /* NULL: the defaults above */
    const double *rest_positions_m;         /* 3 * vertex_count; NULL: the mesh's positions */
    const double *start_positions_m;        /* 3 * vertex_count; NULL: the mesh's positions */
    const double *start_velocities_m_per_s; /* 3 * vertex_count; NULL: at rest */
    const int32_t *pin_vertices;            /* pin_count vertex indices; duplicates allowed */
    double pattern_scale_m; /* metres per uv unit when the pattern is metric; default 1; above 0 */
    const double *rest_curvature_map_per_m; /* vertex_count values in place of the fabric's
                                               rest_curvature_per_m; NULL (default): none */
    double stored_far_m; /* how far from zero positions are stored in single precision, of the
                            start: contact keeps more than that rounds. Up to 11 (default: 0) makes
                            no difference, which is what archives of scenes need */
} ToileClothDef;

/* ---- colliders ---- */

typedef enum ToileColliderShape {
    TOILE_COLLIDER_SPHERE = 0,  /* center_m, radius_m */
    TOILE_COLLIDER_PLANE = 1,   /* center_m on it, normal to the free side; solid behind */
    TOILE_COLLIDER_BOX = 2,     /* center_m, half_m along the axes */
    TOILE_COLLIDER_CAPSULE = 3, /* all within radius_m of the line from center_m to end_m */
    TOILE_COLLIDER_MESH = 4 /* mesh: a surface, open or closed, that stops cloth on both sides */
} ToileColliderShape;

/* A rigid motion about the origin: first the rotation (unit axis times angle), then the
 * translation. */
typedef struct ToilePose {
    double translate_m[3];
    double rotate_rad[3];
} ToilePose;

typedef struct ToileColliderDef {
    uint32_t struct_size;
    int32_t shape;      /* a ToileColliderShape; default sphere */
    const char *name;   /* for messages; default "collider"; copied */
    double center_m[3]; /* default 0 */
    double radius_m;    /* default 0.5; above 0 */
    double normal[3];   /* default +y; need not be of unit length, must not be zero */
    double half_m[3];   /* default 0.5 each; above 0 */
    double
        thickness_m; /* distance kept in addition to half the cloth's; default 0.001; 0 or more */
    double friction; /* ratio; below 0 (default): ToileSimDef's, else the fabric's */
    ToilePose pose;  /* at the start; default identity */
    double end_m[3]; /* capsule: its other end; default 0, 1, 0 */
    const ToileMeshDef *mesh; /* mesh: required, else NULL (default); copied. Degenerate faces are
                                 allowed */
    const double *vertex_thickness_m; /* mesh: one per vertex in place of thickness_m; NULL
                                         (default): the same everywhere */
    const double *vertex_friction;    /* mesh: one per vertex in place of friction; NULL (default):
                                         the same everywhere */
} ToileColliderDef;

/* ---- simulation ---- */

/* Newton iterations a sub-step. At an impact, at every quality, up to 6 more are taken while a
 * vertex still moves over 5 mm (`fast`: 10 mm). A sub-step that is not solved then, or in which an
 * element beyond twice its length grew by a quarter, is repeated in halves, down to an eighth. */
typedef enum ToileQuality {
    TOILE_QUALITY_FAST = 0,     /* one Newton iteration a sub-step */
    TOILE_QUALITY_STANDARD = 1, /* two */
    TOILE_QUALITY_ACCURATE = 2  /* until the correction is below 0.2 mm, at most 20 */
} ToileQuality;

/* How time is advanced. All take the same forces. Implicit ones are stable with any step; explicit
 * ones take as many sub-steps as the cloth needs, which is told once in the log and counted in
 * ToileStats, and refuse a frame that would need more than 10000. Explicit ones and the
 * semi-implicit one have a simpler contact: vertices are put out of colliders at the end of a
 * sub-step, with inelastic impact and Coulomb's friction. */
typedef enum ToileIntegrator {
    TOILE_INTEGRATOR_IMPLICIT_EULER = 0,   /* incremental potential, Newton; first order */
    TOILE_INTEGRATOR_BDF2 = 1,             /* the same with two steps; second order */
    TOILE_INTEGRATOR_SEMI_IMPLICIT = 2,    /* linearised at the start, one linear solve */
    TOILE_INTEGRATOR_IMEX = 3,             /* linear bending and drag implicit, the rest explicit */
    TOILE_INTEGRATOR_SYMPLECTIC_EULER = 4, /* explicit; first order, keeps energy bounded */
    TOILE_INTEGRATOR_VERLET = 5,           /* explicit, from positions; second order, the same */
    TOILE_INTEGRATOR_RK4 = 6,              /* explicit; fourth order */
    TOILE_INTEGRATOR_EXPLICIT_EULER = 7    /* never stable without damping; for comparison */
} ToileIntegrator;

typedef struct ToileSimDef {
    uint32_t struct_size;
    int32_t threads;  /* workers of the library's own pool; 0 (default): one per processor the
                         process may use */
    int32_t quality;  /* a ToileQuality; default standard */
    int32_t substeps; /* per frame, at most 10000; 0 (default): about 1/96 s each */
    int32_t newton_iterations;  /* most per sub-step; 0 (default): by quality */
    int32_t start_frame;        /* number of the frame the start state belongs to; default 1 */
    double fps;                 /* frames per second; default 24; 0.01 to 1e6 */
    double gravity_m_per_s2[3]; /* default 0, -9.81, 0 */
    double tolerance_m;      /* Newton stops when no vertex moves more; 0 (default): by quality */
    double linear_tolerance; /* relative residual of the linear solve, ratio; 0 (default): by
                                quality */
    double drag_kg_per_m2_s; /* force -c * area * velocity on each vertex; default 0; 0 or more */
    double contact_thickness_m; /* cloth-cloth distance; below 0 (default): the larger of 1 mm and
                                   twice the fabric's thickness. Cloth keeps half of it plus the
                                   collider's thickness from colliders. */
    double contact_friction;    /* ratio; below 0 (default): the fabric's */
    ToileAllocator allocator;   /* default: the C library's */
    ToileLog log;               /* default: silent */
    ToileProgress progress;     /* default: none */
    ToileTasks tasks;           /* default: the library's own workers */
    int32_t integrator;         /* a ToileIntegrator; default implicit Euler */
    int32_t contact_self;       /* 1 (default): cloths meet themselves and each other; 0: only
                                   colliders */
} ToileSimDef;

/* What the last step or settle did. Everything but the seconds is the same from run to run. What is
 * summed is summed over all sub-steps, those that were repeated included, unless it says otherwise;
 * where there is nothing to count, as of Newton in an explicit integrator, it is 0. */
typedef struct ToileStats {
    uint32_t struct_size;
    int32_t substeps;          /* taken, retries not counted */
    int32_t newton_iterations; /* sum */
    int32_t cg_iterations;     /* sum */
    int32_t line_search_cuts;  /* times a Newton step was halved */
    int32_t retries;           /* sub-steps that were repeated with half the step, for any of the
                                  three reasons below */
    int32_t contacts;          /* vertices within contact distance of a sphere, box, capsule or
                                  plane at the end, and other contacts when last evaluated */
    int32_t projected;         /* vertices put back outside a collider at the end of a sub-step */
    double residual_N;  /* largest force on a free vertex before the last Newton correction */
    double kinetic_J;   /* at the end */
    double stretch_p99; /* 99th percentile over elements of the larger principal stretch, ratio */
    double stretch_max; /* largest, ratio */
    double speed_max_m_per_s; /* fastest vertex */
    double penetration_max_m; /* deepest vertex inside a collider at the end; 0: none */
    int32_t substeps_added;   /* beyond those asked for, so that an explicit integrator is stable */
    int32_t substeps_planned; /* when the frame began: those asked for and those added */
    int32_t substeps_shortened; /* times one was shortened because of motion near a collider */
    int32_t retries_failed;     /* because no sound state was found */
    int32_t retries_strain;     /* because an element was stretched far, and much of it at once */
    int32_t retries_newton;     /* because Newton's method still had far to go when it stopped, or
                                   its line search cut nearly everything */
    int32_t newton_rescues;     /* iterations beyond those of the quality, at impacts */
    int32_t rescues; /* substeps_added + substeps_shortened + retries + newton_rescues; 0: easy */
    double newton_step_m; /* largest motion of a vertex in the last Newton iteration of a sub-step,
                             over all sub-steps taken: what the solver was still changing */
    double linear_residual; /* largest relative residual, ratio, that the last linear solve of a
                               sub-step left, over all sub-steps taken */
    double gravity_J;       /* at the end; zero at the origin */
    double stretch_J;       /* at the end */
    double bend_J;          /* at the end */
    double energy_J;        /* kinetic + gravity + stretch + bend */
    double center_m[3];     /* centre of mass of all cloths at the end; pinned vertices count */
    double momentum_kg_m_per_s[3];
    double angular_momentum_kg_m2_per_s[3]; /* about that centre; about the origin it is more by
                                               center x momentum */
    double stretch_p50;                     /* as stretch_p99: median, ratio */
    double stretch_p90;                     /* ratio */
    /* by a steady clock; never equal from run to run, and no part of any hash or cache */
    double total_s;    /* of the call, less what is built when cloths or colliders changed */
    double assembly_s; /* forces and matrices; all of the sub-steps of an explicit integrator */
    double linear_s;   /* linear solves, preconditioner included */
    double search_s;   /* line searches */
    double contact_s;  /* placing colliders and pins, looking for motion near colliders; contact
                          forces count where the other forces do */
    /* contact of surfaces */
    int32_t intersections;      /* edges through faces, and faces in solid colliders, at the end */
    int32_t contact_candidates; /* pairs of the longest list that was looked at */
    int32_t contact_touches;    /* pairs within contact distance when last evaluated */
    int32_t contact_refreshes;  /* lists that were made */
    int32_t contact_cuts;       /* vertices that were kept from going through something, over all
                                   moves */
    int32_t contact_blocked;    /* sub-steps in which colliders or pins had no room, and went
                                   through cloth */
    int32_t contact_growths;    /* times memory was asked for since the simulation was built */
    int32_t contact_pinched;    /* vertices in colliders, or without room between them, at the end;
                                   they are not kept out of colliders */
    double broad_s;             /* lists of pairs; these three are no part of the above seconds */
    double narrow_s;            /* distances and potentials */
    double truncate_s;          /* motion that keeps all apart */
} ToileStats;

/* An edge of one surface through a face of another, or of the same; or a face that reaches into a
 * solid collider. */
typedef struct ToileIntersection {
    uint32_t struct_size;
    int32_t face; /* one that has the edge, in the numbering of its mesh; or that reaches in */
    int32_t other_face; /* the face that the edge goes through; -1: other_collider is solid */
    uint32_t reserved;
    ToileClothId cloth; /* that has the edge; none: see collider */
    ToileColliderId collider;
    ToileClothId other_cloth; /* that has the face; none: see other_collider */
    ToileColliderId other_collider;
} ToileIntersection;

typedef struct ToileEnergies {
    uint32_t struct_size;
    uint32_t reserved;
    double stretch_J;
    double bend_J;
    double gravity_J; /* zero at the origin */
    double kinetic_J;
    double total_J; /* stretch + bend + gravity */
} ToileEnergies;

/* How far toile_sim_settle goes. */
typedef struct ToileSettleDef {
    uint32_t struct_size;
    int32_t max_iterations; /* Newton iterations; default 2000 */
    double tolerance; /* done when the net force left on the free vertices is below this part of the
                         load's, both as root of the sum of squares, ratio; default 1e-6 */
} ToileSettleDef;

typedef struct ToileSettleResult {
    uint32_t struct_size;
    int32_t iterations;
    int32_t converged; /* 1: the tolerance was met */
    uint32_t reserved;
    double residual;        /* force left over load, ratio */
    double largest_force_N; /* largest force left on one free vertex */
} ToileSettleResult;

/* Each writes the defaults, never more than `struct_size` bytes, and stores that size. [any thread]
 */
TOILE_API void toile_mesh_def_init(ToileMeshDef *def, uint32_t struct_size);
TOILE_API void toile_fabric_init(ToileFabric *fabric, uint32_t struct_size);
TOILE_API void toile_cloth_def_init(ToileClothDef *def, uint32_t struct_size);
TOILE_API void toile_collider_def_init(ToileColliderDef *def, uint32_t struct_size);
TOILE_API void toile_sim_def_init(ToileSimDef *def, uint32_t struct_size);
TOILE_API void toile_settle_def_init(ToileSettleDef *def, uint32_t struct_size);
TOILE_API void toile_stats_init(ToileStats *stats, uint32_t struct_size);
TOILE_API void toile_intersection_init(ToileIntersection *intersection, uint32_t struct_size);
TOILE_API void toile_energies_init(ToileEnergies *energies, uint32_t struct_size);
TOILE_API void toile_settle_result_init(ToileSettleResult *result, uint32_t struct_size);

#define TOILE_DEFINE_DEFAULT(Type, name)                                                           \
    static inline Type name##_default(void) {                                                      \
        Type value;                                                                                \
        name##_init(&value, (uint32_t)sizeof value);                                               \
        return value;                                                                              \
    }
TOILE_DEFINE_DEFAULT(ToileMeshDef, toile_mesh_def)
TOILE_DEFINE_DEFAULT(ToileFabric, toile_fabric)
TOILE_DEFINE_DEFAULT(ToileClothDef, toile_cloth_def)
TOILE_DEFINE_DEFAULT(ToileColliderDef, toile_collider_def)
TOILE_DEFINE_DEFAULT(ToileSimDef, toile_sim_def)
TOILE_DEFINE_DEFAULT(ToileSettleDef, toile_settle_def)
TOILE_DEFINE_DEFAULT(ToileStats, toile_stats)
TOILE_DEFINE_DEFAULT(ToileIntersection, toile_intersection)
TOILE_DEFINE_DEFAULT(ToileEnergies, toile_energies)
TOILE_DEFINE_DEFAULT(ToileSettleResult, toile_settle_result)
#undef TOILE_DEFINE_DEFAULT

#ifdef __cplusplus
}
#endif
#endif
