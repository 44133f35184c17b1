/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What scenes do with an archive beyond opening it: find the mesh, seek the first frame with faces,
 * split and subdivide, place it in the world, let pins follow it. Nothing is simulated. */
#include "scene_target.h"

#include "toile_io/abc_c.h"
#include "toile_io/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 1100
#define TEXT_MAX_BYTES 3000

static const char sheet[] = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 4 3 2\n";

static void write_file(const char *name, const char *text) {
    FILE *file = fopen(name, "wb");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        fprintf(stderr, "fuzz: cannot write %s\n", name);
        exit(74);
    }
}

/* ---- the mesh ---- */

/* The path of one mesh of the archive as a JSON text; false when there is none that JSON holds. */
static bool choose_mesh(const char *archive, uint64_t choice, char path[TEXT_MAX_BYTES]) {
    abcc_reader *reader = NULL;
    uint32_t meshes[64], found = 0;
    bool fine = false;
    if (abcc_open(archive, 0, NULL, &reader, NULL) != ABCC_OK)
        return false;
    for (uint32_t obj = 1; obj < abcc_object_count(reader) && found < 64; obj++) {
        abcc_object object = abcc_object_default();
        if (abcc_object_get(reader, obj, &object, NULL) == ABCC_OK &&
            (object.kind == ABCC_MESH || object.kind == ABCC_SUBD))
            meshes[found++] = obj;
    }
    if (found > 0) {
        abcc_object object = abcc_object_default();
        abcc_object_get(reader, meshes[choice % found], &object, NULL);
        fine = strlen(object.path) < TEXT_MAX_BYTES - 1 && !strpbrk(object.path, "\"\\");
        snprintf(path, TEXT_MAX_BYTES, "%s", object.path);
    }
    abcc_close(reader);
    return fine;
}

/* ---- scenes ---- */

/* one sentence: not empty, no control characters */
static void check_sentence(const ToileError *error) {
    if (!error->message[0])
        abort();
    for (const char *c = error->message; *c; c++)
        if ((unsigned char)*c < 0x20)
            abort();
}

/* Aims at a few frames, between samples too; a mesh that breaks off later is told so then. */
static void read_frames(const ToileScene *scene) {
    static const double frames[4] = {1, 1.5, 2, 3};
    ToileError error = toile_error_default();
    ToileSimDef def = toile_sim_def_default();
    ToileSim *sim = NULL;
    ToileStatus status = toile_scene_sim_def(scene, &def, &error);
    def.threads = 1;
    if (status == TOILE_STATUS_OK)
        status = toile_scene_create_sim(scene, &def, &sim, NULL, &error);
    for (int i = 0; i < 4 && status == TOILE_STATUS_OK; i++)
        status = toile_scene_aim(scene, sim, frames[i], &error);
    if (status != TOILE_STATUS_OK)
        check_sentence(&error);
    toile_sim_destroy(sim);
}

static int take(const char *name, const char *text) {
    ToileError error = toile_error_default();
    ToileScene *scene = NULL;
    write_file(name, text);
    if (toile_scene_load(name, NULL, 0, NULL, NULL, &scene, &error) != TOILE_STATUS_OK) {
        check_sentence(&error);
        return 0;
    }
    read_frames(scene);
    toile_scene_free(scene);
    return 1;
}

int scene_take_archive(const char *archive, uint64_t choice) {
    char mesh[TEXT_MAX_BYTES], name[NAME_MAX_BYTES], obj[NAME_MAX_BYTES];
    char text[2 * TEXT_MAX_BYTES + 2 * NAME_MAX_BYTES];
    if (!choose_mesh(archive, choice, mesh))
        return 0;
    snprintf(name, sizeof name, "%s.json", archive);
    snprintf(obj, sizeof obj, "%s.obj", archive);
    write_file(obj, sheet);
    snprintf(text, sizeof text,
             "{\"toile\": 1, \"frames\": \"1-3\", \"cloth\": [{\"name\": \"c\", \"mesh\": \"%s\", "
             "\"fabric\": "
             "\"denim\", \"pins\": [{\"vertices\": [0], \"follow\": \"b\"}]}], \"colliders\": "
             "[{\"name\": \"b\", \"mesh\": \"%s:%s\"}]}",
             obj, archive, mesh);
    int taken = take(name, text);
    snprintf(text, sizeof text,
             "{\"toile\": 1, \"frames\": \"1-3\", \"contact\": {\"self\": false}, \"cloth\": "
             "[{\"name\": \"c\", \"mesh\": \"%s:%s\", \"fabric\": \"denim\", \"subdivide\": "
             "{\"simulate\": %d, "
             "\"output\": 1}}]}",
             archive, mesh, (int)(choice / 64 % 2));
    return taken + take(name, text);
}

void scene_clean_up(const char *archive) {
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof name, "%s.json", archive);
    remove(name);
    snprintf(name, sizeof name, "%s.obj", archive);
    remove(name);
}
