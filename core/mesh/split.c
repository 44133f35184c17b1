/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts quads into triangles; see split.h. */
#include "mesh/split.h"

int32_t tl_split_face(const int32_t *corners, int32_t size, int32_t out[2][3]) {
    int32_t low = 0;
    for (int32_t i = 1; size == 4 && i < 4; i++) {
        low = corners[i] < corners[low] ? i : low;
    }
    for (int32_t t = 0; t < size - 2; t++) {
        out[t][0] = low;
        out[t][1] = (low + t + 1) % size;
        out[t][2] = (low + t + 2) % size;
    }
    return size - 2;
}

bool tl_split_mesh(TlArena *arena, const TlMesh *mesh, TlTriangles *out) {
    int32_t count = mesh->corner_count - 2 * mesh->face_count;
    out->count = count;
    out->vertex = TL_NEW(arena, int32_t, 3 * (int64_t)count);
    out->corner = TL_NEW(arena, int32_t, 3 * (int64_t)count);
    out->face = TL_NEW(arena, int32_t, count);
    if (out->vertex == NULL || out->corner == NULL || out->face == NULL) {
        return false;
    }
    int32_t next = 0;
    for (int32_t f = 0; f < mesh->face_count; f++) {
        int32_t begin = mesh->face_start[f], split[2][3];
        int32_t n = tl_split_face(mesh->corners + begin, mesh->face_start[f + 1] - begin, split);
        for (int32_t t = 0; t < n; t++, next++) {
            for (int k = 0; k < 3; k++) {
                out->corner[3 * next + k] = begin + split[t][k];
                out->vertex[3 * next + k] = mesh->corners[begin + split[t][k]];
            }
            out->face[next] = f;
        }
    }
    return true;
}
