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

void tl_split_other(int32_t split[2][3], int32_t out[2][3]) {
    for (int t = 0; t < 2; t++) {
        for (int k = 0; k < 3; k++) {
            out[t][k] = (split[t][k] + 1) % 4;
        }
    }
}
