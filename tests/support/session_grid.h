/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* A small cloth and short ways to run it through a session, for the tests of the session. */
#ifndef TOILE_TESTS_SESSION_GRID_H
#define TOILE_TESTS_SESSION_GRID_H

#include "toile_session/session.h"

#define SIDE 9
#define VERTICES (SIDE * SIDE)
#define FACES ((SIDE - 1) * (SIDE - 1))
#define CORNERS (4 * FACES)
#define VALUES (3 * VERTICES)
#define LAST 8
/* frames in which differences of rounding do not grow yet */
#define FEW 4

/* float32 rounding of coordinates of about one metre, with room for the solver to spread it */
#define TOLERANCE_M 1e-6

typedef struct Grid {
    float positions[VALUES];
    int32_t sizes[FACES], starts[FACES], corners[CORNERS];
    float uvs[2 * CORNERS];
    float weights[VERTICES];
} Grid;

/* a slightly curved square of 1 m in the x-y plane, hung from two corners. Every value is a
 * multiple of 1/512, and the shape smooth: the solver stops by thresholds, and crumpled cloth makes
 * much of a rounding error. */
Grid make_grid(void);
ToileSessionCloth cloth_of(const Grid *grid);
ToileSessionDef def_default(void);
ToileSessionCollider collider_default(void);
/* the sphere under the grid that most tests use */
ToileSessionCollider ball(void);
/* a mesh collider: a block of six quads, about 0.5 m wide, whose top lies where the ball's does; no
 * vertex of the grid falls onto one of its edges */
typedef struct Block {
    float positions[3 * 8];
    int32_t starts[6], corners[24];
} Block;
Block make_block(void);
ToileSessionCollider collider_of(const Block *block);
ToileSession *create(const ToileSessionDef *def);
void add_cloth(ToileSession *session, const ToileSessionCloth *cloth);
void add_collider(ToileSession *session, const ToileSessionCollider *collider);
void begin(ToileSession *session);
void step(ToileSession *session);
void finish(ToileSession *session);
void positions_of(const ToileSession *session, float *positions);
/* a session with one cloth and one collider (may be NULL), already begun */
ToileSession *start(const ToileSessionDef *def, const ToileSessionCloth *cloth,
                    const ToileSessionCollider *collider);
/* whether two sets of positions differ by more than any rounding makes of them */
bool is_elsewhere(const float *a, const float *b);
/* runs to the last frame, hands out its positions, and destroys the session */
void run_to_end(ToileSession *session, int32_t last, float *positions);
void set_matrix(double m[16], const double linear[9], double x, double y, double z);
void apply(const double m[16], const float p[3], double out[3]);
/* rotation by `angle` about the axis (1, 2, 2) / 3, times a scale */
void general_linear(double angle, double scale, double linear[9]);

#endif
