/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Renders polygon meshes by z-buffer, in these stages:
 *
 *   meshes --> points, normals, triangles         by shapes.h, in units of the camera's radius
 *          --> depth maps along 32 axes           each serves a sky direction and its opposite
 *          --> depth map of the key light         filtered comparison [RSC87]
 *          --> light on the floor, on each point  soft light with occlusion: folds turn dark
 *          --> bands of 3 x 3 samples a pixel     triangle and depth, then shading, then sRGB
 *
 * Triangles are snapped to 1/256 of a sample and filled with exact integers, so that neighbours
 * leave no gap. Random numbers are hashes of a grid index: they never change.
 *
 * [RSC87] W. T. Reeves, D. H. Salesin, R. L. Cook: Rendering Antialiased Shadows with Depth Maps.
 *         SIGGRAPH 1987. */
#include "raster.h"

#include "shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUB 3 /* samples along one side of a pixel */
#define SAMPLES (SUB * SUB)
#define BAND_ROWS 16       /* pixel rows drawn at a time */
#define SNAP 256           /* positions within a sample */
#define NEAR 1e-3          /* nearest visible distance */
#define FAR_AWAY 1e6       /* a floor this many radii away is not there */
#define AXES 32            /* depth maps of the sky */
#define SKY_SIZE 256       /* texels along one side of a sky map */
#define KEY_SIZE 1024      /* texels along one side of the key light's map */
#define MAP_EXTENT 1.02    /* half side of a depth map */
#define NOTHING (-1e30f)   /* depth of an empty texel */
#define TAPS (4 * SAMPLES) /* filter positions of the key shadow */
#define FLOOR_SIDE 224     /* points along one side of the floor's light grid */
#define FLOOR_EXTENT 2.6   /* half side of that grid */
#define FLOOR_SKY_BLUR 5   /* grid points to each side over which sky light is averaged, twice */
#define FLOOR_KEY_BLUR 1   /* the same for the key light */
#define FLOOR_SPREAD 0.15  /* random shift of a look at the sky from the floor */
#define KEY_WIDTH 0.13     /* growth of the half shadow on the floor with the height above it */
#define KEY_BLUR 4.0       /* texels around a surface point over which the shadow is softened */
#define KEY_SEARCH 48.0    /* texels around a floor point in which occluders are looked for */
#define ENCODE_STEPS 4096  /* intervals of the sRGB table */

typedef struct Vec {
    double x, y, z;
} Vec;

/* ---- vectors ---- */

static inline Vec vec(double x, double y, double z) {
    Vec r = {x, y, z};
    return r;
}
static inline Vec add(Vec a, Vec b) {
    return vec(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline Vec sub(Vec a, Vec b) {
    return vec(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline Vec scale(double s, Vec a) {
    return vec(s * a.x, s * a.y, s * a.z);
}
static inline Vec multiply(Vec a, Vec b) {
    return vec(a.x * b.x, a.y * b.y, a.z * b.z);
}
static inline Vec mix(Vec a, Vec b, double t) {
    return add(scale(1.0 - t, a), scale(t, b));
}
static inline double dot(Vec a, Vec b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline Vec cross(Vec a, Vec b) {
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline Vec load(const float a[3]) {
    return vec((double)a[0], (double)a[1], (double)a[2]);
}
static inline Vec load_double(const double a[3]) {
    return vec(a[0], a[1], a[2]);
}
/* Unit vector, or `fallback` when the length is zero. */
static inline Vec unit(Vec a, Vec fallback) {
    double length = sqrt(dot(a, a));
    return length > 0.0 ? scale(1.0 / length, a) : fallback;
}
static inline double clamp(double a, double low, double high) {
    return a < low ? low : a > high ? high : a;
}
static inline double smoothstep(double from, double to, double a) {
    double t = clamp((a - from) / (to - from), 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

/* A well mixed number in [-1, 1] for every `n`. */
static inline double scatter(uint32_t n) {
    n = (n ^ n >> 16) * 0x7FEB352Du;
    n = (n ^ n >> 15) * 0x846CA68Bu;
    return (double)(n ^ n >> 16) / 2147483647.5 - 1.0;
}

/* Turns (c, s) by the golden angle, whose multiples spread evenly. */
static void turn(double *c, double *s) {
    const double turn_cos = -0.73736887807831990, turn_sin = 0.67549029426152380;
    double turned = *c * turn_cos - *s * turn_sin;
    *s = *c * turn_sin + *s * turn_cos;
    *c = turned;
}

/* Leaves tones below 0.7 alone and bends brighter ones smoothly towards 1. */
static double bend_tone(double a) {
    double over = (a - 0.7) / 0.3;
    return over <= 0.0 ? a : 0.7 + 0.3 * over / (1.0 + over);
}
static Vec bend_tones(Vec c) {
    return vec(bend_tone(c.x), bend_tone(c.y), bend_tone(c.z));
}

/* ---- the frame: everything that one picture needs ---- */

/* A point in clip space (|x|, |y| <= w) and on screen; q / w is interpolated as depth, greater is
 * nearer. */
typedef struct Projected {
    double x, y, w, q;
    double depth;
    int32_t screen_x, screen_y; /* in 1 / SNAP samples; meaningful when outside is 0 */
    int outside;                /* a bit for each clip plane */
} Projected;

/* Depth along `direction` seen from afar on both sides: `layer[0]` holds the greatest depth,
 * `layer[1]` the greatest negated depth, or is NULL. */
typedef struct DepthMap {
    Vec across, upward, direction;
    double radiance; /* of the sky in that direction */
    int size;
    float *layer[2];
} DepthMap;

/* Colours in linear light. */
typedef struct Surface {
    Vec front, back;
    TlFinish finish;
} Surface;

/* Soft light on one point, from the sky and from the floor: front side [0], back side [1]. */
typedef struct PointLight {
    float sky[2], floor[2];
} PointLight;

typedef struct Frame {
    const TlRenderScene *scene;
    const TlCamera *camera;
    Vec eye, right, up, back; /* of the camera, in units of its radius */
    Vec key, rim, fill;       /* unit vectors towards the lights */
    bool floor_visible;
    double floor_y;
    TlTriangles mesh; /* in camera units */
    PointLight *light;
    Projected *projected;
    Surface *surfaces;
    DepthMap key_map;
    DepthMap sky_maps[AXES];
    float *map_texels;   /* all layers of all maps */
    float *floor_light;  /* one grid, and one to build it with */
    float taps[TAPS][2]; /* points of the unit disc */
    float encode[ENCODE_STEPS + 1];
    int32_t *band_triangle; /* one band of samples: triangle or -1 */
    float *band_depth;
} Frame;

/* ---- colours of the meshes ---- */

static double linear(float value) {
    return tl_srgb_decode(clamp((double)value, 0.0, 1.0));
}

/* Linear colours of both sides; the back of a cloth is paler and a little darker. */
static Surface make_surface(const TlRenderMesh *mesh) {
    Surface s;
    const float *c = mesh->colour;
    s.front = vec(linear(c[0]), linear(c[1]), linear(c[2]));
    double grey = 0.25 * s.front.x + 0.6 * s.front.y + 0.15 * s.front.z;
    s.back = scale(0.85, mix(s.front, vec(grey, grey, grey), 0.35));
    s.finish = mesh->finish;
    if (s.finish == TL_FINISH_SOLID) {
        s.back = s.front;
    }
    return s;
}

/* ---- triangles to samples ---- */

/* A run of covered samples in one row. */
typedef struct Span {
    int y, begin, end;
    double depth, step; /* at the centre of `begin`, and its change from sample to sample */
    double low, high;   /* range of the triangle's depths */
} Span;

/* Where triangles are drawn: either a depth map or a band of the picture. */
typedef struct Target {
    int width, height; /* of the whole picture, in samples */
    int first_row, end_row;
    float *layer[2];   /* depth map; layer[1] may be NULL */
    float *depth;      /* band */
    int32_t *triangle; /* band; NULL for a depth map */
} Target;

static inline void write_map_span(const Target *t, const Span *s) {
    size_t row = (size_t)s->y * (size_t)t->width;
    for (int x = s->begin; x < s->end; x++) {
        size_t i = row + (size_t)x;
        float z = (float)clamp(s->depth + s->step * (x - s->begin), s->low, s->high);
        t->layer[0][i] = z > t->layer[0][i] ? z : t->layer[0][i];
        if (t->layer[1] != NULL) {
            t->layer[1][i] = -z > t->layer[1][i] ? -z : t->layer[1][i];
        }
    }
}

static inline void write_band_span(const Target *t, const Span *s, int32_t triangle) {
    size_t row = (size_t)(s->y - t->first_row) * (size_t)t->width;
    for (int x = s->begin; x < s->end; x++) {
        size_t i = row + (size_t)x;
        float z = (float)clamp(s->depth + s->step * (x - s->begin), s->low, s->high);
        if (z > t->depth[i]) {
            t->depth[i] = z;
            t->triangle[i] = triangle;
        }
    }
}

/* Value of the edge function from a to b at (x, y): positive on its inner side. */
static inline int64_t edge(const Projected *a, const Projected *b, int64_t x, int64_t y) {
    int64_t dx = b->screen_x - a->screen_x, dy = b->screen_y - a->screen_y;
    return dx * (y - a->screen_y) - dy * (x - a->screen_x);
}

static int32_t least(int32_t a, int32_t b, int32_t c) {
    int32_t m = a < b ? a : b;
    return m < c ? m : c;
}
static int32_t greatest(int32_t a, int32_t b, int32_t c) {
    int32_t m = a > b ? a : b;
    return m > c ? m : c;
}

/* Finds the covered samples of row s->y between s->begin and s->end; false when there are none. */
static inline bool find_span(const Projected *const v[3], Span *s) {
    int64_t e[3], step[3];
    int64_t px = (int64_t)s->begin * SNAP + SNAP / 2, py = (int64_t)s->y * SNAP + SNAP / 2;
    for (int k = 0; k < 3; k++) {
        const Projected *a = v[k], *b = v[(k + 1) % 3];
        e[k] = edge(a, b, px, py);
        step[k] = -(int64_t)(b->screen_y - a->screen_y) * SNAP;
    }
    int x = s->begin, end = s->end;
    for (; x < end && (e[0] | e[1] | e[2]) < 0; x++) {
        e[0] += step[0], e[1] += step[1], e[2] += step[2];
    }
    s->begin = x;
    for (; x < end && (e[0] | e[1] | e[2]) >= 0; x++) {
        e[0] += step[0], e[1] += step[1], e[2] += step[2];
    }
    s->end = x;
    return s->begin < s->end;
}

/* Fills a triangle that lies inside the picture. */
static void fill_triangle(const Target *t, const Projected *a, const Projected *b,
                          const Projected *c, int32_t triangle) {
    int64_t area = edge(a, b, c->screen_x, c->screen_y);
    if (area == 0) {
        return;
    }
    const Projected *v[3] = {a, area > 0 ? b : c, area > 0 ? c : b};
    int32_t low_y = least(a->screen_y, b->screen_y, c->screen_y);
    int32_t high_y = greatest(a->screen_y, b->screen_y, c->screen_y);
    int32_t low_x = least(a->screen_x, b->screen_x, c->screen_x);
    int32_t high_x = greatest(a->screen_x, b->screen_x, c->screen_x);
    int y0 = (low_y + SNAP / 2 - 1) / SNAP, y1 = (high_y + SNAP / 2) / SNAP;
    y0 = y0 > t->first_row ? y0 : t->first_row;
    y1 = y1 < t->end_row ? y1 : t->end_row;
    int x0 = (low_x + SNAP / 2 - 1) / SNAP, x1 = (high_x + SNAP / 2) / SNAP;
    if (x0 >= x1 || y0 >= y1) {
        return;
    }
    /* depth is a plane over the screen */
    double bx = b->screen_x - a->screen_x, by = b->screen_y - a->screen_y, bz = b->depth - a->depth;
    double cx = c->screen_x - a->screen_x, cy = c->screen_y - a->screen_y, cz = c->depth - a->depth;
    double dx = (bz * cy - cz * by) / (double)area, dy = (cz * bx - bz * cx) / (double)area;
    Span s;
    s.step = dx * SNAP;
    s.low = a->depth < b->depth ? a->depth : b->depth;
    s.low = s.low < c->depth ? s.low : c->depth;
    s.high = a->depth > b->depth ? a->depth : b->depth;
    s.high = s.high > c->depth ? s.high : c->depth;
    for (s.y = y0; s.y < y1; s.y++) {
        s.begin = x0;
        s.end = x1;
        if (!find_span(v, &s)) {
            continue;
        }
        s.depth = a->depth + dx * ((double)s.begin * SNAP + SNAP / 2 - a->screen_x) +
                  dy * ((double)s.y * SNAP + SNAP / 2 - a->screen_y);
        if (t->triangle != NULL) {
            write_band_span(t, &s, triangle);
        } else {
            write_map_span(t, &s);
        }
    }
}

/* Distance of a point from clip plane `plane`, positive inside. */
static inline double plane_distance(const Projected *p, int plane) {
    switch (plane) {
    case 0:
        return p->w + p->x;
    case 1:
        return p->w - p->x;
    case 2:
        return p->w + p->y;
    case 3:
        return p->w - p->y;
    default:
        return p->w - NEAR;
    }
}

#define PLANES 5

/* Completes a point whose x, y, w, q are set: clip bits, place on screen, depth. */
static void finish_point(Projected *p, int width, int height) {
    p->outside = 0;
    for (int plane = 0; plane < PLANES; plane++) {
        p->outside |= plane_distance(p, plane) < 0.0 ? 1 << plane : 0;
    }
    double w = p->w > NEAR ? p->w : NEAR;
    double sx = clamp(0.5 + 0.5 * p->x / w, 0.0, 1.0), sy = clamp(0.5 - 0.5 * p->y / w, 0.0, 1.0);
    p->screen_x = (int32_t)(sx * width * SNAP + 0.5);
    p->screen_y = (int32_t)(sy * height * SNAP + 0.5);
    p->depth = p->q / w;
}

/* Cuts a convex polygon by one plane (Sutherland and Hodgman); returns the new corner count. */
static int cut_polygon(const Projected *in, int count, Projected *out, int plane) {
    int made = 0;
    for (int k = 0; k < count; k++) {
        const Projected *a = in + k, *b = in + (k + 1) % count;
        double da = plane_distance(a, plane), db = plane_distance(b, plane);
        if (da >= 0.0) {
            out[made++] = *a;
        }
        if ((da >= 0.0) != (db >= 0.0)) {
            double t = da / (da - db);
            Projected *p = out + made++;
            p->x = a->x + t * (b->x - a->x);
            p->y = a->y + t * (b->y - a->y);
            p->w = a->w + t * (b->w - a->w);
            p->q = a->q + t * (b->q - a->q);
        }
    }
    return made;
}

/* Draws a triangle that crosses the border of the picture. */
static void draw_clipped(const Target *t, const Projected *const v[3], int32_t triangle) {
    Projected polygon[2][3 + PLANES];
    int count = 3, now = 0;
    for (int k = 0; k < 3; k++) {
        polygon[0][k] = *v[k];
    }
    for (int plane = 0; plane < PLANES && count > 0; plane++) {
        count = cut_polygon(polygon[now], count, polygon[1 - now], plane);
        now = 1 - now;
    }
    for (int k = 0; k < count; k++) {
        finish_point(&polygon[now][k], t->width, t->height);
    }
    for (int k = 1; k + 1 < count; k++) {
        fill_triangle(t, &polygon[now][0], &polygon[now][k], &polygon[now][k + 1], triangle);
    }
}

/* Draws all triangles from the projected points. */
static void draw_triangles(const Frame *f, const Target *t) {
    for (int32_t i = 0; i < f->mesh.triangle_count; i++) {
        const int32_t *point = f->mesh.corner[i];
        const Projected *v[3] = {f->projected + point[0], f->projected + point[1],
                                 f->projected + point[2]};
        if ((v[0]->outside & v[1]->outside & v[2]->outside) != 0) {
            continue;
        }
        if ((v[0]->outside | v[1]->outside | v[2]->outside) != 0) {
            draw_clipped(t, v, i);
        } else {
            fill_triangle(t, v[0], v[1], v[2], i);
        }
    }
}

/* ---- depth maps ---- */

/* Looks along `direction` from afar, and back. */
static void draw_map(Frame *f, DepthMap *map, Vec direction) {
    map->direction = direction;
    Vec helper = fabs(direction.y) > 0.9 ? vec(1.0, 0.0, 0.0) : vec(0.0, 1.0, 0.0);
    map->across = unit(cross(helper, direction), helper);
    map->upward = cross(direction, map->across);
    for (int32_t i = 0; i < f->mesh.point_count; i++) {
        Projected *p = f->projected + i;
        Vec x = load(f->mesh.x[i]);
        p->x = dot(x, map->across) / MAP_EXTENT;
        p->y = dot(x, map->upward) / MAP_EXTENT;
        p->w = 1.0;
        p->q = dot(x, direction);
        finish_point(p, map->size, map->size);
    }
    size_t texels = (size_t)map->size * (size_t)map->size;
    for (size_t i = 0; i < texels; i++) {
        map->layer[0][i] = NOTHING;
        if (map->layer[1] != NULL) {
            map->layer[1][i] = NOTHING;
        }
    }
    Target target = {.width = map->size, .height = map->size, .end_row = map->size};
    target.layer[0] = map->layer[0];
    target.layer[1] = map->layer[1];
    draw_triangles(f, &target);
}

/* Part of the light, 0 to 1, that reaches depth `z` at texel position (s, t): four comparisons,
 * blended. */
static inline double lit(const float *layer, int size, double s, double t, double z) {
    s -= 0.5;
    t -= 0.5;
    if (!(s >= 0.0 && t >= 0.0 && s < size - 1 && t < size - 1)) {
        return 1.0;
    }
    int column = (int)s, row = (int)t;
    double a = s - column, b = t - row;
    const float *texel = layer + (size_t)row * (size_t)size + (size_t)column;
    double upper = (z >= (double)texel[0] ? 1.0 - a : 0.0) + (z >= (double)texel[1] ? a : 0.0);
    texel += size;
    double lower = (z >= (double)texel[0] ? 1.0 - a : 0.0) + (z >= (double)texel[1] ? a : 0.0);
    return upper * (1.0 - b) + lower * b;
}

/* Texel position of a point in a map. */
static inline void map_position(const DepthMap *map, Vec p, double *s, double *t) {
    *s = (0.5 + 0.5 * dot(p, map->across) / MAP_EXTENT) * map->size;
    *t = (0.5 - 0.5 * dot(p, map->upward) / MAP_EXTENT) * map->size;
}

static inline double texel_length(const DepthMap *map) {
    return 2.0 * MAP_EXTENT / map->size;
}

/* Light that reaches `p` from along the map's axis (side 0) or against it (side 1). */
static inline double lit_along(const DepthMap *map, Vec p, int side, double offset) {
    double s, t, z = dot(p, map->direction);
    map_position(map, p, &s, &t);
    return lit(map->layer[side], map->size, s, t, (side == 0 ? z : -z) + offset);
}

/* ---- key light ---- */

/* Filter positions spread over the unit disc by the golden angle. */
static void spread_taps(Frame *f) {
    double c = 1.0, s = 0.0;
    for (int k = 0; k < TAPS; k++) {
        double r = sqrt((k + 0.5) / TAPS);
        f->taps[k][0] = (float)(r * c);
        f->taps[k][1] = (float)(r * s);
        turn(&c, &s);
    }
}

/* Part of the key light that reaches `p` on a surface with normal `n` towards the light: the taps
 * of `sample` in a disc of a few texels that follows the surface. */
static double key_visibility(const Frame *f, Vec p, Vec n, int sample) {
    const DepthMap *map = &f->key_map;
    double texel = texel_length(map), facing = dot(n, map->direction);
    facing = facing > 0.2 ? facing : 0.2;
    double slope_s = -dot(n, map->across) / facing * texel;
    double slope_t = dot(n, map->upward) / facing * texel;
    Vec lifted = add(p, scale(2.0 * texel, n));
    double s, t, z = dot(lifted, map->direction) + texel, sum = 0.0;
    map_position(map, lifted, &s, &t);
    for (int k = sample; k < TAPS; k += SAMPLES) {
        double ds = KEY_BLUR * (double)f->taps[k][0], dt = KEY_BLUR * (double)f->taps[k][1];
        sum += lit(map->layer[0], map->size, s + ds, t + dt, z + slope_s * ds + slope_t * dt);
    }
    return sum * SAMPLES / TAPS;
}

/* Mean depth of what stands between the key light and texel position (s, t) at depth z; NOTHING
 * when the way is free. (c, q) is a unit vector that turns the taps. */
static double mean_occluder(const Frame *f, double s, double t, double z, double c, double q) {
    const DepthMap *map = &f->key_map;
    double sum = 0.0;
    int count = 0;
    for (int k = 0; k < TAPS; k++) {
        double x = KEY_SEARCH * (double)f->taps[k][0], y = KEY_SEARCH * (double)f->taps[k][1];
        double a = s + c * x - q * y, b = t + q * x + c * y;
        if (a >= 0.0 && b >= 0.0 && a < map->size && b < map->size) {
            double depth = (double)map->layer[0][(size_t)b * (size_t)map->size + (size_t)a];
            sum += depth > z ? depth : 0.0;
            count += depth > z;
        }
    }
    return count > 0 ? sum / count : (double)NOTHING;
}

/* Part of the key light on floor point `p`; shadows soften with the height of their caster. */
static double floor_key(const Frame *f, Vec p, uint32_t seed) {
    const DepthMap *map = &f->key_map;
    double s, t, z = dot(p, f->key), texel = texel_length(map), sum = 0.0;
    Vec turned = unit(vec(scatter(seed), scatter(seed + 1u), 0.0), vec(1.0, 0.0, 0.0));
    map_position(map, p, &s, &t);
    double occluder = mean_occluder(f, s, t, z + 2.0 * texel, turned.x, turned.y);
    if (occluder <= (double)NOTHING) {
        return 1.0;
    }
    double radius = clamp(KEY_WIDTH * (occluder - z) / texel, KEY_BLUR, KEY_SEARCH);
    for (int k = 0; k < TAPS; k++) {
        double x = radius * (double)f->taps[k][0], y = radius * (double)f->taps[k][1];
        double a = s + turned.x * x - turned.y * y, b = t + turned.y * x + turned.x * y;
        sum += lit(map->layer[0], map->size, a, b, z + 2.0 * texel);
    }
    return sum / TAPS;
}

/* ---- floor ---- */

static double floor_step(void) {
    return 2.0 * FLOOR_EXTENT / (FLOOR_SIDE - 1);
}

/* Replaces each value of a row or column of the floor's grid by the mean of its neighbours. */
static void blur_line(float *value, size_t stride, int radius) {
    float copy[FLOOR_SIDE];
    for (int i = 0; i < FLOOR_SIDE; i++) {
        copy[i] = value[(size_t)i * stride];
    }
    for (int i = 0; i < FLOOR_SIDE; i++) {
        double sum = 0.0;
        for (int k = i - radius; k <= i + radius; k++) {
            sum += (double)copy[k < 0 ? 0 : k < FLOOR_SIDE ? k : FLOOR_SIDE - 1];
        }
        value[(size_t)i * stride] = (float)(sum / (2 * radius + 1));
    }
}

static void blur_grid(float *grid, int radius) {
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < FLOOR_SIDE; i++) {
            blur_line(grid + i * FLOOR_SIDE, 1, radius);
            blur_line(grid + i, FLOOR_SIDE, radius);
        }
    }
}

/* Light from the sky on floor point `p`, relative to an empty floor. Each look is moved at random,
 * so that the shadows of the few directions run together once they are blurred. */
static double floor_sky(const Frame *f, Vec p, uint32_t seed) {
    double sum = 0.0, total = 0.0;
    for (int k = 0; k < AXES; k++, seed += 2u) {
        const DepthMap *map = &f->sky_maps[k];
        Vec moved = vec(FLOOR_SPREAD * scatter(seed), 0.0, FLOOR_SPREAD * scatter(seed + 1u));
        double weight = map->direction.y * map->radiance;
        sum += weight * lit_along(map, add(p, moved), 0, 0.01);
        total += weight;
    }
    return sum / total;
}

/* Lights the floor's grid; 1 is the light on an empty floor. */
static void light_floor(Frame *f) {
    size_t count = (size_t)FLOOR_SIDE * FLOOR_SIDE;
    float *sky = f->floor_light, *key = f->floor_light + count;
    for (size_t i = 0; i < count; i++) {
        double x = -FLOOR_EXTENT + floor_step() * (double)(i % FLOOR_SIDE);
        double z = -FLOOR_EXTENT + floor_step() * (double)(i / FLOOR_SIDE);
        Vec p = vec(x, f->floor_y, z);
        uint32_t seed = (uint32_t)i * 2u * (AXES + 1);
        sky[i] = (float)floor_sky(f, p, seed);
        key[i] = (float)floor_key(f, p, seed + 2u * AXES);
    }
    blur_grid(sky, FLOOR_SKY_BLUR);
    blur_grid(key, FLOOR_KEY_BLUR);
    for (size_t i = 0; i < count; i++) {
        sky[i] = (float)(0.62 * (double)sky[i] + 0.38 * (double)key[i]);
    }
}

/* The floor's light at (x, z), blended; 1 outside the grid. */
static double floor_light_at(const Frame *f, double x, double z) {
    double s = (x + FLOOR_EXTENT) / floor_step(), t = (z + FLOOR_EXTENT) / floor_step();
    if (!(s >= 0.0 && t >= 0.0 && s < FLOOR_SIDE - 1 && t < FLOOR_SIDE - 1)) {
        return 1.0;
    }
    size_t i = (size_t)s, j = (size_t)t;
    const float *v = f->floor_light + j * FLOOR_SIDE + i;
    double a = s - (double)i, b = t - (double)j;
    double near_row = (1.0 - a) * (double)v[0] + a * (double)v[1];
    double far_row = (1.0 - a) * (double)v[FLOOR_SIDE] + a * (double)v[FLOOR_SIDE + 1];
    return (1.0 - b) * near_row + b * far_row;
}

/* ---- soft light ---- */

/* Light that the floor throws up to `p` against direction `d`. */
static double floor_radiance(const Frame *f, Vec p, Vec d) {
    double height = p.y - f->floor_y;
    if (!f->floor_visible || height < 0.0) {
        return 0.9;
    }
    double reach = height / d.y;
    return floor_light_at(f, p.x - reach * d.x, p.z - reach * d.z);
}

/* Gathers the soft light of one point on both its sides; an open sky of brightness 1 gives 1. */
static PointLight light_point(const Frame *f, Vec p, Vec n) {
    double sky[2] = {0.0, 0.0}, below[2] = {0.0, 0.0};
    double offset = 1.5 * texel_length(&f->sky_maps[0]);
    for (int k = 0; k < AXES; k++) {
        const DepthMap *map = &f->sky_maps[k];
        double facing = dot(n, map->direction), weight = fabs(facing) * 2.0 / AXES;
        int above = facing >= 0.0 ? 0 : 1;
        /* each side of the sheet sees one end of the axis */
        Vec lifted = add(p, scale(above == 0 ? offset : -offset, n));
        Vec sunk = sub(p, sub(lifted, p));
        sky[above] += weight * map->radiance * lit_along(map, lifted, 0, 0.5 * offset);
        below[1 - above] +=
            weight * floor_radiance(f, p, map->direction) * lit_along(map, sunk, 1, 0.5 * offset);
    }
    PointLight light = {{(float)sky[0], (float)sky[1]}, {(float)below[0], (float)below[1]}};
    return light;
}

/* Brightness of the sky towards `d`: brighter above and towards the fill light. */
static double sky_radiance(const Frame *f, Vec d) {
    double side = dot(d, f->fill);
    return 0.55 + 0.45 * d.y + (side > 0.0 ? 0.5 * side * side : 0.0);
}

/* Spreads the axes over the upper half sphere by the golden angle and lights floor and points. */
static void light_scene(Frame *f) {
    double c = 1.0, s = 0.0;
    for (int k = 0; k < AXES; k++) {
        double y = (k + 0.5) / AXES, flat = sqrt(1.0 - y * y);
        Vec direction = vec(flat * c, y, flat * s);
        draw_map(f, &f->sky_maps[k], direction);
        f->sky_maps[k].radiance = sky_radiance(f, direction);
        turn(&c, &s);
    }
    draw_map(f, &f->key_map, f->key);
    if (f->floor_visible) {
        light_floor(f);
    }
    for (int32_t i = 0; i < f->mesh.point_count; i++) {
        f->light[i] = light_point(f, load(f->mesh.x[i]), load(f->mesh.normal[i]));
    }
}

/* ---- shading ---- */

/* Barycentric weights of the point where the ray meets triangle abc, kept inside it. */
static Vec ray_weights(Vec eye, Vec ray, Vec a, Vec ab, Vec ac) {
    Vec p = cross(ray, ac), to_eye = sub(eye, a), q = cross(to_eye, ab);
    double det = dot(ab, p);
    if (det == 0.0) {
        return vec(1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0);
    }
    double u = clamp(dot(to_eye, p) / det, 0.0, 1.0);
    double v = clamp(dot(ray, q) / det, 0.0, 1.0 - u);
    return vec(1.0 - u - v, u, v);
}

static inline double blend(Vec weight, float a, float b, float c) {
    return weight.x * (double)a + weight.y * (double)b + weight.z * (double)c;
}

/* Everything about a visible point that its shading needs. */
typedef struct Hit {
    Vec p, n, view; /* n faces the eye, view points to it */
    bool front;
    double sky, floor, through; /* soft light on the seen side, and all of it on the other */
    const Surface *surface;
} Hit;

static Hit find_hit(const Frame *f, int32_t triangle, Vec ray) {
    const int32_t *i = f->mesh.corner[triangle];
    Vec a = load(f->mesh.x[i[0]]), ab = sub(load(f->mesh.x[i[1]]), a),
        ac = sub(load(f->mesh.x[i[2]]), a);
    Vec w = ray_weights(f->eye, ray, a, ab, ac);
    Hit hit;
    hit.p = add(a, add(scale(w.y, ab), scale(w.z, ac)));
    hit.view = unit(scale(-1.0, ray), f->back);
    hit.front = dot(cross(ab, ac), ray) < 0.0;
    hit.surface = f->surfaces + f->mesh.owner[triangle];
    Vec n = scale(w.x, load(f->mesh.normal[i[0]]));
    n = add(n, add(scale(w.y, load(f->mesh.normal[i[1]])), scale(w.z, load(f->mesh.normal[i[2]]))));
    hit.n = unit(scale(hit.front ? 1.0 : -1.0, n), f->back);
    int seen = hit.front ? 0 : 1, other = 1 - seen;
    const PointLight *l0 = f->light + i[0], *l1 = f->light + i[1], *l2 = f->light + i[2];
    hit.sky = blend(w, l0->sky[seen], l1->sky[seen], l2->sky[seen]);
    hit.floor = blend(w, l0->floor[seen], l1->floor[seen], l2->floor[seen]);
    hit.through = blend(w, l0->sky[other], l1->sky[other], l2->sky[other]);
    return hit;
}

/* Highlight of a solid: Blinn's cosine to the 32nd power. */
static double highlight(const Hit *hit, Vec light) {
    double c = dot(hit->n, unit(add(hit->view, light), hit->n));
    c = c > 0.0 ? c : 0.0;
    for (int k = 0; k < 5; k++) {
        c *= c;
    }
    return c;
}

/* Linear colour of a triangle seen along `ray`; `sample` picks the taps of the shadow filter. */
static Vec shade(const Frame *f, int32_t triangle, Vec ray, int sample) {
    static const Vec key_colour = {1.14, 1.08, 0.98}, sky_colour = {0.40, 0.435, 0.49};
    static const Vec floor_colour = {0.33, 0.315, 0.30}, rim_colour = {0.50, 0.56, 0.66};
    Hit hit = find_hit(f, triangle, ray);
    bool cloth = hit.surface->finish == TL_FINISH_CLOTH;
    Vec albedo = hit.front ? hit.surface->front : hit.surface->back;
    double facing = dot(hit.n, f->key), edge_on = 1.0 - clamp(dot(hit.n, hit.view), 0.0, 1.0);
    Vec towards_key = facing >= 0.0 ? hit.n : scale(-1.0, hit.n);
    double seen = key_visibility(f, hit.p, towards_key, sample);
    double key = facing > 0.0 ? facing * seen : 0.0;

    Vec light = scale(key, key_colour);
    light = add(light, scale(hit.sky, sky_colour));
    light = add(light, scale(hit.floor, floor_colour));
    Vec colour = multiply(albedo, light);
    if (cloth) {
        /* what falls on the other side shines through, tinted twice */
        double through = 0.12 * (facing < 0.0 ? -facing * seen : 0.0);
        Vec passed = add(scale(through, key_colour), scale(0.06 * hit.through, sky_colour));
        colour = add(colour, multiply(albedo, passed));
    } else {
        colour = add(colour, scale(0.10 * seen * highlight(&hit, f->key), key_colour));
    }
    /* a bright seam where the surface turns away: fibres of a cloth, light from behind */
    double grazing = edge_on * edge_on * edge_on;
    double rim = dot(hit.n, f->rim);
    rim = rim > 0.0 ? rim * edge_on * edge_on * hit.sky : 0.0;
    Vec fibre = mix(albedo, vec(1.0, 1.0, 1.0), 0.3);
    double soft = (cloth ? 0.25 : 0.12) * grazing * (hit.sky + 0.6 * key);
    return add(colour, multiply(fibre, add(scale(soft, sky_colour), scale(rim, rim_colour))));
}

/* Colour of the empty studio at (u, v), both -1 to 1: a pool of light on grey paper. */
static Vec backdrop(double u, double v) {
    double r2 = 0.55 * u * u + 0.7 * (v - 0.1) * (v - 0.1);
    double level = 0.86 - 0.30 * r2 / (1.0 + 0.35 * r2);
    return vec(level * 0.985, level * 0.995, level * 1.01);
}

/* Colour where no triangle is: the backdrop, darkened by shadows on the floor. */
static Vec shade_empty(const Frame *f, Vec ray, double u, double v) {
    Vec paper = backdrop(u, v);
    if (!f->floor_visible || ray.y >= 0.0) {
        return paper;
    }
    Vec p = add(f->eye, scale((f->floor_y - f->eye.y) / ray.y, ray));
    double fade = smoothstep(2.5, 1.6, sqrt(p.x * p.x + p.z * p.z));
    if (fade <= 0.0) {
        return paper;
    }
    return scale(1.0 - fade * (1.0 - floor_light_at(f, p.x, p.z)), paper);
}

/* ---- the picture ---- */

/* Direction of the ray through picture position (u, v), both -1 to 1. */
static Vec ray_through(const Frame *f, double u, double v) {
    Vec side =
        add(scale(u * f->camera->half_width, f->right), scale(v * f->camera->half_height, f->up));
    return sub(side, f->back);
}

static void project_points(Frame *f, int width, int height) {
    for (int32_t i = 0; i < f->mesh.point_count; i++) {
        Projected *p = f->projected + i;
        Vec d = sub(load(f->mesh.x[i]), f->eye);
        p->x = dot(d, f->right) / f->camera->half_width;
        p->y = dot(d, f->up) / f->camera->half_height;
        p->w = -dot(d, f->back);
        p->q = 1.0;
        finish_point(p, width, height);
    }
}

/* Mean colour of the samples of one pixel. */
static Vec resolve_pixel(const Frame *f, const TlImage *image, int x, int y, int band_y) {
    Vec sum = vec(0.0, 0.0, 0.0), empty = sum;
    bool have_empty = false;
    int width = image->width * SUB, height = image->height * SUB;
    for (int k = 0; k < SAMPLES; k++) {
        int sx = x * SUB + k % SUB, sy = y * SUB + k / SUB;
        int32_t triangle =
            f->band_triangle[(size_t)(sy - band_y * SUB) * (size_t)width + (size_t)sx];
        if (triangle >= 0) {
            Vec ray =
                ray_through(f, (2.0 * sx + 1.0) / width - 1.0, 1.0 - (2.0 * sy + 1.0) / height);
            sum = add(sum, bend_tones(shade(f, triangle, ray, k)));
            continue;
        }
        if (!have_empty) {
            double u = (2.0 * x + 1.0) / image->width - 1.0,
                   v = 1.0 - (2.0 * y + 1.0) / image->height;
            empty = shade_empty(f, ray_through(f, u, v), u, v);
            have_empty = true;
        }
        sum = add(sum, empty);
    }
    return scale(1.0 / SAMPLES, sum);
}

/* Linear light to a byte; `dither` in (-0.5, 0.5) hides the steps of soft gradients. */
static unsigned char encode_byte(const Frame *f, double a, double dither) {
    double at = clamp(a, 0.0, 1.0) * ENCODE_STEPS;
    int low = at < ENCODE_STEPS ? (int)at : ENCODE_STEPS - 1;
    const float *e = f->encode + low;
    double value = (double)e[0] + (at - low) * ((double)e[1] - (double)e[0]);
    return (unsigned char)clamp(255.0 * value + 0.5 + dither, 0.0, 255.0);
}

static void draw_band(const Frame *f, const TlImage *image, int first, int end) {
    static const int order[16] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
    Target target = {.width = image->width * SUB, .height = image->height * SUB};
    target.first_row = first * SUB;
    target.end_row = end * SUB;
    target.depth = f->band_depth;
    target.triangle = f->band_triangle;
    size_t samples = (size_t)target.width * (size_t)(target.end_row - target.first_row);
    for (size_t i = 0; i < samples; i++) {
        f->band_depth[i] = 0.0f;
        f->band_triangle[i] = -1;
    }
    draw_triangles(f, &target);
    for (int y = first; y < end; y++) {
        unsigned char *out = image->rgb + (size_t)y * image->stride;
        for (int x = 0; x < image->width; x++, out += 3) {
            Vec c = resolve_pixel(f, image, x, y, first);
            double dither = (order[(y & 3) * 4 + (x & 3)] + 0.5) / 16.0 - 0.5;
            out[0] = encode_byte(f, c.x, dither);
            out[1] = encode_byte(f, c.y, dither);
            out[2] = encode_byte(f, c.z, dither);
        }
    }
}

/* Eye, lights, floor, colours and tables. */
static void set_up_frame(Frame *f) {
    const TlCamera *camera = f->camera;
    Vec sky = vec(0.0, 1.0, 0.0);
    f->eye = load_double(camera->eye);
    f->right = load_double(camera->right);
    f->up = load_double(camera->up);
    f->back = load_double(camera->back);
    Vec level = cross(f->right, sky);
    f->key = unit(add(scale(-0.62, f->right), add(sky, scale(0.42, level))), sky);
    f->fill = unit(add(scale(0.9, f->right), add(scale(0.35, sky), scale(0.5, level))), sky);
    f->rim = unit(add(scale(0.6, f->right), add(scale(0.5, sky), scale(-0.8, level))), sky);
    f->floor_y = (f->scene->ground_y_m - camera->centre[1]) / camera->radius_m;
    f->floor_visible = f->scene->has_ground && f->eye.y > f->floor_y && fabs(f->floor_y) < FAR_AWAY;
    for (int i = 0; i <= ENCODE_STEPS; i++) {
        f->encode[i] = (float)tl_srgb_encode((double)i / ENCODE_STEPS);
    }
    for (int32_t m = 0; m < f->scene->mesh_count; m++) {
        f->surfaces[m] = make_surface(f->scene->meshes + m);
    }
    spread_taps(f);
}

static void *allocate(size_t count, size_t size) {
    return calloc(count > 0 ? count : 1, size);
}

static bool allocate_frame(Frame *f, const TlImage *image) {
    size_t points = (size_t)f->mesh.point_count, sky = (size_t)SKY_SIZE * SKY_SIZE;
    size_t samples = (size_t)image->width * SAMPLES * BAND_ROWS;
    f->light = allocate(points, sizeof *f->light);
    f->projected = allocate(points, sizeof *f->projected);
    f->surfaces = allocate((size_t)f->scene->mesh_count, sizeof *f->surfaces);
    f->map_texels = allocate(sky * 2 * AXES + (size_t)KEY_SIZE * KEY_SIZE, sizeof *f->map_texels);
    f->floor_light = allocate((size_t)2 * FLOOR_SIDE * FLOOR_SIDE, sizeof *f->floor_light);
    f->band_triangle = allocate(samples, sizeof *f->band_triangle);
    f->band_depth = allocate(samples, sizeof *f->band_depth);
    if (f->light == NULL || f->projected == NULL || f->surfaces == NULL || f->map_texels == NULL ||
        f->floor_light == NULL || f->band_triangle == NULL || f->band_depth == NULL) {
        return false;
    }
    for (int k = 0; k < AXES; k++) {
        f->sky_maps[k].size = SKY_SIZE;
        f->sky_maps[k].layer[0] = f->map_texels + sky * 2 * (size_t)k;
        f->sky_maps[k].layer[1] = f->sky_maps[k].layer[0] + sky;
    }
    f->key_map.size = KEY_SIZE;
    f->key_map.layer[0] = f->map_texels + sky * 2 * AXES;
    return true;
}

static void free_frame(Frame *f) {
    free(f->light);
    free(f->projected);
    tl_triangles_destroy(&f->mesh);
    free(f->surfaces);
    free(f->map_texels);
    free(f->floor_light);
    free(f->band_triangle);
    free(f->band_depth);
    free(f);
}

bool tl_render(const TlRenderScene *scene, const TlCamera *camera, const TlImage *image) {
    if (image->rgb == NULL || image->width < 1 || image->height < 1 ||
        image->width > TL_IMAGE_MAX || image->height > TL_IMAGE_MAX || !(camera->radius_m > 0.0)) {
        return false;
    }
    Frame *f = calloc(1, sizeof *f);
    if (f == NULL) {
        return false;
    }
    f->scene = scene;
    f->camera = camera;
    bool ok = tl_triangles_gather(&f->mesh, scene, camera->centre, camera->radius_m) &&
              allocate_frame(f, image);
    if (ok) {
        set_up_frame(f);
        light_scene(f);
        project_points(f, image->width * SUB, image->height * SUB);
        for (int y = 0; y < image->height; y += BAND_ROWS) {
            int end = y + BAND_ROWS < image->height ? y + BAND_ROWS : image->height;
            draw_band(f, image, y, end);
        }
    }
    free_frame(f);
    return ok;
}
