/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of contact, made by rule: what the guarantee, the reports and the known answers of contact
 * are tested with, and what is timed. They use the public API alone. A scene is opened, stepped
 * frame by frame, and can be looked at as a cache would keep it. */
#ifndef TEST_CONTACT_SCENES_H
#define TEST_CONTACT_SCENES_H

#include <stdbool.h>
#include <toile/toile.h>

/* ---- meshes ---- */

/* Owns its arrays. */
typedef struct ContactMesh {
    int32_t vertex_count, face_count, corner_count;
    double *positions;
    int32_t *face_sizes, *corners;
} ContactMesh;

typedef enum ContactFaces {
    CONTACT_QUADS,
    CONTACT_TRIANGLES, /* diagonals alternate like a chess-board */
    CONTACT_MIXED      /* every third cell is two triangles */
} ContactFaces;

/* Where the point (u, v) of the unit square goes. */
typedef void (*ContactPlace)(const void *user, double u, double v, double x[3]);

/* nx by ny cells over the unit square, row by row along u. */
ContactMesh contact_grid(int32_t nx, int32_t ny, ContactFaces faces, ContactPlace place,
                         const void *user);
/* The same with u = 1 joined to u = 0. */
ContactMesh contact_tube(int32_t nx, int32_t ny, ContactFaces faces, ContactPlace place,
                         const void *user);
/* A closed ball: `columns` around, `rows` from pole to pole. */
ContactMesh contact_ball(int32_t columns, int32_t rows, const double center[3], double radius);
/* count x count cones without bottom, `spacing` apart, tips at height 0. */
ContactMesh contact_needles(int32_t count, double spacing, double radius, double height);
void contact_mesh_free(ContactMesh *mesh);

/* ---- scenes ---- */

enum { CONTACT_MOST_CLOTHS = 50, CONTACT_MOST_COLLIDERS = 4 };

typedef struct ContactCloth {
    ToileClothId id;
    ContactMesh mesh;
    double *x; /* at the last look, in single precision */
    int32_t *pins;
    int32_t pin_count;
    double *targets; /* of pins: work */
} ContactCloth;

typedef struct ContactCollider {
    ToileColliderId id;
    ToileColliderDef def; /* pose: at the end of the last frame */
    ContactMesh mesh;     /* of a mesh; positions: the same, before the pose */
    double *x;            /* in the world, at the last look */
    double by[3];         /* how far the seed has moved it */
} ContactCollider;

typedef struct ContactScene ContactScene;

/* What a kind of scene promises. */
typedef enum ContactPromise {
    CONTACT_CLEAN,  /* no intersection in any frame; with `freed`: when varied it may have no room,
                       and promises what CONTACT_FREED does */
    CONTACT_FREED,  /* prescribed motion leaves no room until frame `freed`: reported, then ever
                       less, none 30 frames later */
    CONTACT_PULLED, /* the same of pins; cloth comes along, and is not drawn out */
    CONTACT_TANGLED /* intersections at the start, none `freed` frames later; 0: only ever less */
} ContactPromise;

typedef struct ContactKind {
    const char *name;
    int32_t frames;
    ContactPromise promise;
    int32_t freed;
    void (*build)(ContactScene *scene);
    /* Sets the targets of a frame, counted from 1; NULL: nothing moves. */
    void (*animate)(ContactScene *scene, int32_t frame);
    /* Counts what is on the wrong side of something after a look; NULL: not told. */
    int32_t (*astray)(const ContactScene *scene);
    bool is_long; /* minutes: only where time is given */
} ContactKind;

/* How a scene is made. Start from all zero but for fineness. */
typedef struct ContactOptions {
    int32_t fineness; /* 1: small; 2: twice as fine, with more layers */
    int32_t threads;  /* 0 counts as 1 */
    double at_m[3];   /* where the scene stands: whole metres */
    bool rounded;     /* all coordinates are whole micrometres before that, as files hold them */
    bool by_pose;     /* colliders are where it stands by their poses, not by their coordinates */
    double stored_m;  /* an archive stores x as if the scene stood so far away; 0: it does not */
    bool tight;       /* sub-steps are solved to 0.1 micrometres, not by quality */
    bool fast;        /* of the quality of that name; else standard */
    uint64_t seed; /* varies frame rate, quality, thickness, friction, fabrics, and size and place
                      of colliders; 0: nothing. Sides are not told then */
    ToileAllocator allocator;
} ContactOptions;

struct ContactScene {
    const ContactKind *kind;
    ContactOptions options;
    ToileSim *sim;
    uint64_t random;
    int32_t frame; /* done */
    ContactCloth cloths[CONTACT_MOST_CLOTHS];
    int32_t cloth_count;
    ContactCollider colliders[CONTACT_MOST_COLLIDERS];
    int32_t collider_count;
    ToileStatus status; /* the first that was not OK; nothing is done from there on */
    ToileError error;
};

/* All kinds. */
const ContactKind *contact_kinds(int32_t *count);
/* NULL when there is none of that name. */
const ContactKind *contact_kind(const char *name);

void contact_open(ContactScene *scene, const ContactKind *kind, const ContactOptions *options);
void contact_step(ContactScene *scene);
/* Fetches positions, those of cloth rounded to single precision as in an archive, which far from
 * the origin stores them relative to whole metres, and tells them relative to where the scene
 * stands. */
void contact_look(ContactScene *scene);
void contact_close(ContactScene *scene);
/* Whether an archive stores positions relative to where the scene stands. */
bool contact_is_far(const ContactScene *scene);

/* ---- for builders of scenes ---- */

/* Takes the mesh over. Start and rest are its positions unless `rest` is given. */
ContactCloth *contact_add_cloth(ContactScene *scene, ContactMesh mesh, const ToileFabric *fabric,
                                const double *rest, const int32_t *pins, int32_t pin_count);
/* Takes the mesh over where the collider is one (else NULL). */
ContactCollider *contact_add_collider(ContactScene *scene, const ToileColliderDef *def,
                                      ContactMesh *mesh);
/* Where the collider or pins of a cloth are at the end of the next frame; pins as they started,
 * turned by `angle` about the axis y and then moved. */
void contact_move(ContactScene *scene, int32_t collider, const ToilePose *pose);
void contact_deform(ContactScene *scene, int32_t collider, const double *positions);
void contact_pull(ContactScene *scene, int32_t cloth, double angle_rad, const double by[3]);
/* How often a ray meets a cloth after a look; odd: the cloth lies in that direction. */
int32_t contact_hits(const ContactScene *scene, int32_t cloth, const double from[3],
                     const double direction[3]);

#endif
