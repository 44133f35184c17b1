/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Where frames go: one Alembic archive, or one OBJ file a frame. Nothing appears under the final
 * name before toile_cache_finish (OBJ: before each frame is whole). */
#ifndef TOILE_IO_CACHE_H
#define TOILE_IO_CACHE_H

#include "toile_io/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ToileCache ToileCache;

/* Opens `path`, whose ending (.abc or .obj) picks the format, for the cloths of a scene. `frames`:
 * what will be written, evenly spaced for .abc. [any thread] */
TOILE_API ToileStatus toile_cache_create(const char *path, const ToileScene *scene,
                                         const int32_t *frames, int32_t frame_count,
                                         ToileCache **out, ToileError *error);
/* Appends the current state of every cloth as the next frame. `cloths` holds the scene's
 * cloth_count ids. [one thread per sim] */
TOILE_API ToileStatus toile_cache_add(ToileCache *cache, const ToileSim *sim,
                                      const ToileClothId *cloths, ToileError *error);
/* Makes the file appear, with the user property `complete` = 1 when all frames were added, else 0.
 * Frees the cache whatever happens. [one thread per sim] */
TOILE_API ToileStatus toile_cache_finish(ToileCache *cache, ToileError *error);
/* Leaves nothing behind (OBJ files already written stay); NULL is allowed. [one thread per sim] */
TOILE_API void toile_cache_abandon(ToileCache *cache);

#ifdef __cplusplus
}
#endif
#endif
