/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What a subdivision cage holds beside its mesh, and sets of faces.
 *
 * Creases are stored as RenderMan has them: runs of vertices, each joined to the next by a sharp
 * edge, with one sharpness a run or, as USD allows, one an edge. */
#include "abc_column.h"

namespace tl_abc {

namespace {

/* One sample of a cage's tags. */
struct Cage {
    Cage(abcc_reader *reader, abcc_obj obj, std::uint32_t sample);

    Mesh mesh;
    Column lengths, verts, sharps, corner_verts, corner_sharps, holes;
    std::uint32_t edges = 0;
};

const Object &cage_object(abcc_reader *reader, abcc_obj obj) {
    const Object &object = object_of(reader, obj);
    if (object.kind != ABCC_SUBD)
        fail(ABCC_E_ARG, named(object.path) + " is not a subdivision cage");
    return object;
}

/* Counts the edges of the runs, which must take up all vertices. */
std::uint32_t count_edges(const Object &object, Column &lengths, std::uint32_t verts) {
    const std::int32_t *length = lengths.read<std::int32_t>(1);
    std::uint64_t sum = 0, edges = 0;
    for (std::uint32_t i = 0; i < lengths.count(); i++) {
        if (length[i] < 0)
            fail(ABCC_E_CORRUPT, named(object.path) + ": crease " + std::to_string(i) + " has " +
                                     std::to_string(length[i]) + " vertices");
        sum += static_cast<std::uint64_t>(length[i]);
        edges += length[i] > 1 ? static_cast<std::uint64_t>(length[i] - 1) : 0;
    }
    if (sum != verts)
        fail(ABCC_E_CORRUPT, named(object.path) + ": the creases have " + std::to_string(sum) +
                                 " vertices, but " + std::to_string(verts) + " are stored");
    return static_cast<std::uint32_t>(edges);
}

Cage::Cage(abcc_reader *reader, abcc_obj obj, std::uint32_t sample)
    : mesh((cage_object(reader, obj), reader), obj, sample) {
    const Object &object = mesh.object;
    const auto column = [&](const char *name, Util::PlainOldDataType pod) {
        return Column(object, find_array(object, object.data, name, pod, 1), name, sample,
                      mesh.seconds);
    };
    lengths = column(".creaseLengths", Util::kInt32POD);
    verts = column(".creaseIndices", Util::kInt32POD);
    sharps = column(".creaseSharpnesses", Util::kFloat32POD);
    corner_verts = column(".cornerIndices", Util::kInt32POD);
    corner_sharps = column(".cornerSharpnesses", Util::kFloat32POD);
    holes = column(".holes", Util::kInt32POD);
    edges = count_edges(object, lengths, verts.count());
    if (sharps.count() != lengths.count() && sharps.count() != edges)
        fail(ABCC_E_CORRUPT, named(object.path) + " has " + std::to_string(lengths.count()) +
                                 " creases of " + std::to_string(edges) + " edges, but " +
                                 std::to_string(sharps.count()) + " sharpnesses");
    if (corner_sharps.count() != corner_verts.count() && corner_sharps.count() != 1)
        fail(ABCC_E_CORRUPT, named(object.path) + " has " + std::to_string(corner_verts.count()) +
                                 " sharp vertices, but " + std::to_string(corner_sharps.count()) +
                                 " sharpnesses");
}

/* The rule under a name; `otherwise` when the file has none. */
int read_rule(const Cage &cage, const char *name, int otherwise) {
    const Object &object = cage.mesh.object;
    const auto property = find_scalar(object, object.data, name, Util::kInt32POD, 1);
    const std::size_t samples = property ? property->getNumSamples() : 0;
    std::int32_t value = otherwise;
    if (samples > 0)
        property->getSample(span_at(*property->getTimeSampling(), samples, cage.mesh.seconds).floor,
                            &value);
    return value;
}

std::string read_scheme(const Cage &cage) {
    const Object &object = cage.mesh.object;
    const auto property = find_scalar(object, object.data, ".scheme", Util::kStringPOD, 1);
    const std::size_t samples = property ? property->getNumSamples() : 0;
    std::string scheme;
    if (samples > 0)
        property->getSample(span_at(*property->getTimeSampling(), samples, cage.mesh.seconds).floor,
                            &scheme);
    return scheme.empty() ? "catmull-clark" : scheme;
}

void check_range(const Object &object, Column &column, std::uint32_t limit, const char *what) {
    const std::int32_t *values = column.read<std::int32_t>(1);
    for (std::uint32_t i = 0; i < column.count(); i++)
        if (values[i] < 0 || static_cast<std::uint32_t>(values[i]) >= limit)
            fail(ABCC_E_CORRUPT, named(object.path) + ": " + what + " " + std::to_string(i) +
                                     " is number " + std::to_string(values[i]) + " of " +
                                     std::to_string(limit));
}

void check_room(const Cage &cage, const abcc_subd_out &out) {
    const Object &object = cage.mesh.object;
    need_room(object, out.crease_length, out.cap_creases, cage.lengths.count(), "creases");
    need_room(object, out.crease_vert, out.cap_crease_verts, cage.verts.count(),
              "vertices of creases");
    need_room(object, out.crease_sharpness, out.cap_crease_sharps, cage.sharps.count(),
              "sharpnesses of creases");
    need_room(object, out.edge || out.edge_sharpness, out.cap_crease_edges, cage.edges,
              "edges of creases");
    need_room(object, out.corner_vert || out.corner_sharpness, out.cap_corners,
              cage.corner_verts.count(), "sharp vertices");
    need_room(object, out.hole, out.cap_holes, cage.holes.count(), "holes");
}

/* Splits runs into pairs of vertices. */
void copy_edges(Cage &cage, const abcc_subd_out &out) {
    const std::int32_t *length = cage.lengths.read<std::int32_t>(1);
    const std::int32_t *vert = cage.verts.read<std::int32_t>(1);
    const float *sharpness = cage.sharps.read<float>(1);
    const bool per_run = cage.sharps.count() == cage.lengths.count();
    std::size_t edge = 0;
    for (std::uint32_t run = 0; run < cage.lengths.count(); run++) {
        for (std::int32_t i = 0; i + 1 < length[run]; i++, edge++) {
            if (out.edge) {
                out.edge[2 * edge] = vert[i];
                out.edge[2 * edge + 1] = vert[i + 1];
            }
            if (out.edge_sharpness)
                out.edge_sharpness[edge] = sharpness[per_run ? run : edge];
        }
        vert += length[run];
    }
}

/* One sharpness may stand for all corners. */
void copy_corner_sharpness(Cage &cage, float *to) {
    const float *from = cage.corner_sharps.read<float>(1);
    const bool shared = cage.corner_sharps.count() == 1;
    for (std::uint32_t i = 0; to && i < cage.corner_verts.count(); i++)
        to[i] = from[shared ? 0 : i];
}

void copy_cage(Cage &cage, const abcc_subd_out &out) {
    const Object &object = cage.mesh.object;
    check_range(object, cage.verts, cage.mesh.points.count(), "crease vertex");
    check_range(object, cage.corner_verts, cage.mesh.points.count(), "sharp vertex");
    check_range(object, cage.holes, cage.mesh.counts.count(), "hole");
    const float *sharps = cage.sharps.read<float>(1);
    cage.corner_sharps.read<float>(1);
    copy(out.crease_length, cage.lengths.read<std::int32_t>(1), cage.lengths.count());
    copy(out.crease_vert, cage.verts.read<std::int32_t>(1), cage.verts.count());
    copy(out.crease_sharpness, sharps, cage.sharps.count());
    copy_edges(cage, out);
    copy(out.corner_vert, cage.corner_verts.read<std::int32_t>(1), cage.corner_verts.count());
    copy_corner_sharpness(cage, out.corner_sharpness);
    copy(out.hole, cage.holes.read<std::int32_t>(1), cage.holes.count());
}

/* The faces of one sample of a face set. */
Column set_faces(abcc_reader *reader, abcc_obj obj, std::uint32_t sample) {
    const Object &object = object_of(reader, obj);
    if (object.kind != ABCC_FACESET)
        fail(ABCC_E_ARG, named(object.path) + " is not a face set");
    need_sample(object, sample);
    return Column(object, find_array(object, object.data, ".faces", Util::kInt32POD, 1), ".faces",
                  sample, object.times->getSampleTime(sample));
}

} // namespace

} // namespace tl_abc

using namespace tl_abc;

abcc_status abcc_subd_size(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                           abcc_subd_sizes *sizes, abcc_error *error) {
    return on_reader(reader, error, [&] {
        need_struct(sizes, "the place for the sizes");
        const Cage cage(reader, obj, sample);
        abcc_subd_sizes found = abcc_subd_sizes_default();
        found.creases = cage.lengths.count();
        found.crease_verts = cage.verts.count();
        found.crease_sharps = cage.sharps.count();
        found.crease_edges = cage.edges;
        found.corners = cage.corner_verts.count();
        found.holes = cage.holes.count();
        found.boundary = read_rule(cage, ".interpolateBoundary", 0);
        found.fvar_boundary = read_rule(cage, ".faceVaryingInterpolateBoundary", 0);
        found.fvar_propagate_corners = read_rule(cage, ".faceVaryingPropagateCorners", 0);
        found.scheme = reader->texts.insert(read_scheme(cage)).first->c_str();
        *sizes = found;
    });
}

abcc_status abcc_subd_read(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                           const abcc_subd_out *out, abcc_error *error) {
    return on_reader(reader, error, [&] {
        need_struct(out, "the place for the cage");
        Cage cage(reader, obj, sample);
        check_room(cage, *out);
        copy_cage(cage, *out);
    });
}

abcc_status abcc_faceset_size(abcc_reader *reader, abcc_obj obj, uint32_t sample, uint32_t *faces,
                              abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(faces, "the place for the count");
        *faces = set_faces(reader, obj, sample).count();
    });
}

abcc_status abcc_faceset_read(abcc_reader *reader, abcc_obj obj, uint32_t sample,
                              uint32_t mesh_faces, int32_t *face, uint32_t cap_faces,
                              abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(face, "the place for the faces");
        const Object &object = object_of(reader, obj);
        Column faces = set_faces(reader, obj, sample);
        need_room(object, true, cap_faces, faces.count(), "faces");
        check_range(object, faces, mesh_faces, "face");
        copy(face, faces.read<std::int32_t>(1), faces.count());
    });
}
