/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Takes an archive into scenes, as hosts do. */
#ifndef FUZZ_SCENE_TARGET_H
#define FUZZ_SCENE_TARGET_H

#include <stdint.h>

/* Takes a mesh of the archive, chosen by `choice`, as a collider that pins follow and as cloth that
 * is subdivided, and reads a few frames of it. Answers how many of these scenes were accepted; a
 * refusal that is not one sentence ends the process. Two files with the archive's name and a longer
 * ending come to stand beside it. */
int scene_take_archive(const char *archive, uint64_t choice);

/* Removes these files. */
void scene_clean_up(const char *archive);

#endif
