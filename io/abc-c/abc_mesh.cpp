/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Reading one sample of a mesh or of a subdivision cage. Every count and index is checked against
 * the others before anything is handed over. */
#include "abc_column.h"

#include <Alembic/Util/SpookyV2.h>

namespace tl_abc {

namespace {

void check_room(const Mesh &mesh, const abcc_mesh_out &out) {
    const Object &object = mesh.object;
    need_room(object, out.P || out.v, out.cap_verts, mesh.points.count(), "vertices");
    need_room(object, out.face_count, out.cap_faces, mesh.counts.count(), "faces");
    need_room(object, out.index || out.uv_index || out.normal, out.cap_corners,
              mesh.corners.count(), "corners");
    need_room(object, out.uv, out.cap_uv, mesh.uvs.values.count(), "uvs");
    if (out.v && mesh.velocities.count() == 0 && mesh.points.count() != 0)
        fail(ABCC_E_ARG, named(object.path) + " has no velocities");
    if ((out.uv || out.uv_index) && mesh.uvs.values.count() == 0)
        fail(ABCC_E_ARG, named(object.path) + " has no uvs");
    if (out.normal && mesh.normals.values.count() == 0)
        fail(ABCC_E_ARG, named(object.path) + " has no normals");
}

struct Vec3 {
    float x, y, z;
};

/* The normal of each corner in the file's order. */
std::vector<Vec3> corner_normals(Mesh &mesh) {
    const std::vector<std::uint32_t> entries = corner_entries(mesh, mesh.normals);
    const float *values = mesh.normals.values.read<float>(3);
    std::vector<Vec3> normals;
    normals.reserve(entries.size());
    for (const std::size_t entry : entries)
        normals.push_back({values[3 * entry], values[3 * entry + 1], values[3 * entry + 2]});
    return normals;
}

/* Everything is read and checked before the first byte is written. */
void copy_mesh(const abcc_reader *reader, Mesh &mesh, const abcc_mesh_out &out) {
    std::vector<std::uint32_t> uv_index;
    std::vector<Vec3> normals;
    if (out.face_count || out.index || out.uv_index || out.normal)
        check_faces(mesh);
    if (out.uv_index)
        uv_index = corner_entries(mesh, mesh.uvs);
    if (out.normal)
        normals = corner_normals(mesh);
    const float *points = out.P ? mesh.points.read<float>(3) : nullptr;
    const float *velocities = out.v ? mesh.velocities.read<float>(3) : nullptr;
    const float *uvs = out.uv ? mesh.uvs.values.read<float>(2) : nullptr;
    copy(out.P, points, std::size_t(3) * mesh.points.count());
    copy(out.v, velocities, std::size_t(3) * mesh.velocities.count());
    copy(out.uv, uvs, std::size_t(2) * mesh.uvs.values.count());
    if (out.face_count)
        copy(out.face_count, mesh.counts.read<std::int32_t>(1), mesh.counts.count());
    if (out.index)
        copy_corners(reader, mesh, out.index, mesh.corners.read<std::int32_t>(1));
    copy_corners(reader, mesh, out.uv_index, uv_index.data());
    copy_corners(reader, mesh, reinterpret_cast<Vec3 *>(out.normal), normals.data());
}

/* ---- sizes ---- */

void fill_key(const Mesh &mesh, std::uint8_t key[16]) {
    const Util::Digest digests[2] = {mesh.counts.key(), mesh.corners.key()};
    const std::uint32_t sizes[3] = {mesh.points.count(), mesh.counts.count(), mesh.corners.count()};
    std::uint64_t words[2] = {0, 0};
    Util::SpookyHash hash;
    hash.Init(0, 0);
    hash.Update(digests, sizeof digests);
    hash.Update(sizes, sizeof sizes);
    hash.Final(&words[0], &words[1]);
    std::memcpy(key, words, 16);
}

void fill_bounds(const Mesh &mesh, std::uint32_t sample, abcc_mesh_sizes *sizes) {
    const auto property = find_optional(mesh.object.data, ".selfBnds", Util::kFloat64POD, 6);
    const std::size_t samples = property ? property->getNumSamples() : 0;
    std::memset(sizes->bounds, 0, sizeof sizes->bounds);
    sizes->has_bounds = samples > 0;
    if (samples > 0)
        property->getSample(
            samples == mesh.object.samples
                ? sample
                : span_at(*property->getTimeSampling(), samples, mesh.seconds).floor,
            sizes->bounds);
}

} // namespace

abcc_scope scope_of(const AbcA::MetaData &metadata) {
    const std::string scope = metadata.get("geoScope");
    if (scope == "uni")
        return ABCC_UNIFORM;
    if (scope == "var")
        return ABCC_VARYING;
    if (scope == "vtx")
        return ABCC_VERTEX;
    if (scope == "fvr")
        return ABCC_FACEVARYING;
    return ABCC_CONSTANT;
}

} // namespace tl_abc

using namespace tl_abc;

abcc_status abcc_mesh_size(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                           abcc_mesh_sizes *sizes, abcc_error *error) {
    return on_reader(reader, error, [&] {
        need_struct(sizes, "the place for the sizes");
        const Mesh mesh(reader, obj, sample);
        const bool faces_stay = mesh.counts.constant() && mesh.corners.constant();
        sizes->verts = mesh.points.count();
        sizes->faces = mesh.counts.count();
        sizes->corners = mesh.corners.count();
        sizes->velocities = mesh.velocities.count();
        sizes->uv_values = mesh.uvs.values.count();
        sizes->uv_scope = mesh.uvs.scope;
        sizes->normals = mesh.normals.values.count();
        sizes->normal_scope = mesh.normals.scope;
        sizes->uv_name = mesh.object.uv_name.c_str();
        sizes->topology = !faces_stay              ? ABCC_TOPO_CHANGING
                          : mesh.points.constant() ? ABCC_TOPO_STATIC
                                                   : ABCC_TOPO_FIXED;
        fill_key(mesh, sizes->topology_key);
        fill_bounds(mesh, sample, sizes);
    });
}

abcc_status abcc_mesh_read(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                           const abcc_mesh_out *out, abcc_error *error) {
    return on_reader(reader, error, [&] {
        need_struct(out, "the place for the mesh");
        Mesh mesh(reader, obj, sample);
        check_room(mesh, *out);
        copy_mesh(reader, mesh, *out);
    });
}

namespace {

/* The length of an array of points or curves at a sample. */
std::uint32_t points_count(abcc_reader *reader, abcc_obj obj, std::uint32_t sample,
                           const char *name) {
    const Object &object = object_of(reader, obj);
    if (object.kind != ABCC_POINTS && object.kind != ABCC_CURVES)
        fail(ABCC_E_ARG, named(object.path) + " is neither points nor curves");
    need_sample(object, sample);
    return Column(object, find_array(object, object.data, name, Util::kFloat32POD, 3), name, sample,
                  object.times->getSampleTime(sample))
        .count();
}

} // namespace

abcc_status abcc_points_size(abcc_reader *reader, abcc_obj obj, uint32_t sample, uint32_t *points,
                             abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(points, "the place for the count");
        *points = points_count(reader, obj, sample, "P");
    });
}

abcc_status abcc_points_velocities(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                                   uint32_t *velocities, abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(velocities, "the place for the count");
        *velocities = points_count(reader, obj, sample, ".velocities");
    });
}
