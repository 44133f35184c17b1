/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Reading one sample of a mesh or of a subdivision cage. Every count and index is checked against
 * the others before anything is handed over. */
#include "abc_reader.h"

#include <Alembic/Util/SpookyV2.h>

#include <algorithm>
#include <cstring>

namespace tl_abc {

namespace {

/* One array of one sample, either only its length or with its content. */
class Column {
public:
    Column() = default;

    /* `sample` and `seconds` are those of the points; an array with other times is read at its last
     * sample not later than that. */
    Column(const Object &object, ArrayReader property, const char *name, std::uint32_t sample,
           double seconds)
        : property_(std::move(property)) {
        const std::size_t samples = property_ ? property_->getNumSamples() : 0;
        if (samples == 0) {
            property_.reset();
            return;
        }
        index_ = samples == 1 ? 0
                 : samples == object.samples
                     ? sample
                     : span_at(*property_->getTimeSampling(), samples, seconds).floor;
        Util::Dimensions dimensions;
        property_->getDimensions(index_, dimensions);
        if (dimensions.numPoints() > INT32_MAX)
            fail(ABCC_E_CORRUPT,
                 named(object.path) + ": the array " + named(name) + " is too long to be indexed");
        count_ = static_cast<std::uint32_t>(dimensions.numPoints());
    }

    explicit operator bool() const {
        return property_ != nullptr;
    }
    std::uint32_t count() const {
        return count_;
    }
    bool constant() const {
        return !property_ || property_->isConstant();
    }

    /* The values, `width` times count() of them. */
    template <class T> const T *read(unsigned width) {
        if (!property_ || count_ == 0)
            return nullptr;
        if (!content_)
            property_->getSample(index_, content_);
        if (content_->size() != count_ ||
            content_->getDataType().getNumBytes() != width * sizeof(T))
            fail(ABCC_E_IO, "the file was changed while it was open");
        return static_cast<const T *>(content_->getData());
    }

    /* The hash stored with the values. */
    Util::Digest key() const {
        AbcA::ArraySampleKey found;
        if (property_)
            property_->getKey(index_, found);
        return found.digest;
    }

private:
    ArrayReader property_;
    AbcA::index_t index_ = 0;
    std::uint32_t count_ = 0;
    AbcA::ArraySamplePtr content_;
};

/* What one sample consists of. */
struct Mesh {
    Mesh(abcc_reader *reader, abcc_obj obj, std::uint32_t sample);

    const Object &object;
    Column points, counts, corners, velocities, uvs, uv_indices;
    abcc_scope uv_scope = ABCC_NONE;
    double seconds = 0;
};

const Object &mesh_object(abcc_reader *reader, abcc_obj obj, std::uint32_t sample) {
    const Object &object = object_of(reader, obj);
    if (object.kind != ABCC_MESH && object.kind != ABCC_SUBD)
        fail(ABCC_E_ARG, named(object.path) + " is not a mesh");
    if (sample >= object.samples)
        fail(ABCC_E_ARG, named(object.path) + " has " + std::to_string(object.samples) +
                             " samples, so none with number " + std::to_string(sample));
    return object;
}

Mesh::Mesh(abcc_reader *reader, abcc_obj obj, std::uint32_t sample)
    : object(mesh_object(reader, obj, sample)), seconds(object.times->getSampleTime(sample)) {
    const Compound &data = object.data;
    const auto column = [&](const Compound &parent, const char *name, Util::PlainOldDataType pod,
                            unsigned extent) {
        return Column(object, find_array(object, parent, name, pod, extent), name, sample, seconds);
    };
    points = column(data, "P", Util::kFloat32POD, 3);
    counts = column(data, ".faceCounts", Util::kInt32POD, 1);
    corners = column(data, ".faceIndices", Util::kInt32POD, 1);
    velocities = column(data, ".velocities", Util::kFloat32POD, 3);
    const auto *uv = data->getPropertyHeader("uv");
    if (uv && uv->isCompound()) {
        const Compound indexed = find_compound(data, "uv");
        uvs = column(indexed, ".vals", Util::kFloat32POD, 2);
        uv_indices = column(indexed, ".indices", Util::kUint32POD, 1);
        if (uvs && !uv_indices)
            fail(ABCC_E_CORRUPT, named(object.path) + ": the uvs have no indices");
    } else if (uv) {
        uvs = column(data, "uv", Util::kFloat32POD, 2);
    }
    if (uvs.count() > 0)
        uv_scope = scope_of(uv->getMetaData());
    if (velocities.count() != 0 && velocities.count() != points.count())
        fail(ABCC_E_CORRUPT, named(object.path) + " has " + std::to_string(points.count()) +
                                 " vertices, but " + std::to_string(velocities.count()) +
                                 " velocities");
}

/* ---- checks ---- */

void check_faces(Mesh &mesh) {
    const std::int32_t *counts = mesh.counts.read<std::int32_t>(1);
    const std::int32_t *index = mesh.corners.read<std::int32_t>(1);
    std::uint64_t sum = 0;
    for (std::uint32_t f = 0; f < mesh.counts.count(); f++) {
        if (counts[f] < 0)
            fail(ABCC_E_CORRUPT, named(mesh.object.path) + ": face " + std::to_string(f) + " has " +
                                     std::to_string(counts[f]) + " corners");
        sum += static_cast<std::uint64_t>(counts[f]);
    }
    if (sum != mesh.corners.count())
        fail(ABCC_E_CORRUPT, named(mesh.object.path) + ": the faces have " + std::to_string(sum) +
                                 " corners, but " + std::to_string(mesh.corners.count()) +
                                 " are stored");
    for (std::uint32_t c = 0; c < mesh.corners.count(); c++)
        if (index[c] < 0 || static_cast<std::uint32_t>(index[c]) >= mesh.points.count())
            fail(ABCC_E_CORRUPT, named(mesh.object.path) + ": corner " + std::to_string(c) +
                                     " is vertex " + std::to_string(index[c]) + " of " +
                                     std::to_string(mesh.points.count()));
}

/* The uv of each corner in the file's order, whatever the uvs' scope. */
std::vector<std::uint32_t> corner_uvs(Mesh &mesh) {
    const std::int32_t *counts = mesh.counts.read<std::int32_t>(1);
    const std::int32_t *index = mesh.corners.read<std::int32_t>(1);
    const std::uint32_t *indirect = mesh.uv_indices.read<std::uint32_t>(1);
    const std::uint32_t entries = mesh.uv_indices ? mesh.uv_indices.count() : mesh.uvs.count();
    std::vector<std::uint32_t> result(mesh.corners.count());
    std::uint32_t c = 0;
    for (std::uint32_t f = 0; f < mesh.counts.count(); f++)
        for (std::int32_t i = 0; i < counts[f]; i++, c++) {
            std::uint32_t entry = mesh.uv_scope == ABCC_FACEVARYING ? c
                                  : mesh.uv_scope == ABCC_UNIFORM   ? f
                                  : mesh.uv_scope == ABCC_CONSTANT
                                      ? 0
                                      : static_cast<std::uint32_t>(index[c]);
            if (entry >= entries)
                fail(ABCC_E_CORRUPT, named(mesh.object.path) + ": corner " + std::to_string(c) +
                                         " has no uv, since there are only " +
                                         std::to_string(entries));
            if (indirect)
                entry = indirect[entry];
            if (entry >= mesh.uvs.count())
                fail(ABCC_E_CORRUPT, named(mesh.object.path) + ": corner " + std::to_string(c) +
                                         " has uv " + std::to_string(entry) + " of " +
                                         std::to_string(mesh.uvs.count()));
            result[c] = entry;
        }
    return result;
}

void need_room(const Mesh &mesh, bool wanted, std::uint32_t room, std::uint32_t needed,
               const char *what) {
    if (wanted && room < needed)
        fail(ABCC_E_ARG, named(mesh.object.path) + " has " + std::to_string(needed) + " " + what +
                             ", but there is room for " + std::to_string(room));
}

void check_room(const Mesh &mesh, const abcc_mesh_out &out) {
    need_room(mesh, out.P || out.v, out.cap_verts, mesh.points.count(), "vertices");
    need_room(mesh, out.face_count, out.cap_faces, mesh.counts.count(), "faces");
    need_room(mesh, out.index || out.uv_index, out.cap_corners, mesh.corners.count(), "corners");
    need_room(mesh, out.uv, out.cap_uv, mesh.uvs.count(), "uvs");
    if (out.v && mesh.velocities.count() == 0 && mesh.points.count() != 0)
        fail(ABCC_E_ARG, named(mesh.object.path) + " has no velocities");
    if ((out.uv || out.uv_index) && mesh.uvs.count() == 0)
        fail(ABCC_E_ARG, named(mesh.object.path) + " has no uvs");
}

/* ---- copying ---- */

template <class T> void copy(T *to, const T *from, std::size_t count) {
    if (to && count > 0)
        std::memcpy(to, from, count * sizeof(T));
}

/* Turns the corners of each face around in place. */
template <class T> void reverse_faces(T *values, Mesh &mesh) {
    const std::int32_t *counts = mesh.counts.read<std::int32_t>(1);
    for (std::uint32_t f = 0; f < mesh.counts.count(); f++) {
        std::reverse(values, values + counts[f]);
        values += counts[f];
    }
}

void copy_mesh(const abcc_reader *reader, Mesh &mesh, const abcc_mesh_out &out) {
    const bool faces = out.face_count || out.index || out.uv_index;
    const bool turn = !(reader->flags & ABCC_RAW_WINDING);
    std::vector<std::uint32_t> uv_index;
    if (faces)
        check_faces(mesh);
    if (out.uv_index)
        uv_index = corner_uvs(mesh);
    const float *points = out.P ? mesh.points.read<float>(3) : nullptr;
    const float *velocities = out.v ? mesh.velocities.read<float>(3) : nullptr;
    const float *uvs = out.uv ? mesh.uvs.read<float>(2) : nullptr;
    copy(out.P, points, std::size_t(3) * mesh.points.count());
    copy(out.v, velocities, std::size_t(3) * mesh.velocities.count());
    copy(out.uv, uvs, std::size_t(2) * mesh.uvs.count());
    if (out.face_count)
        copy(out.face_count, mesh.counts.read<std::int32_t>(1), mesh.counts.count());
    if (out.index) {
        copy(out.index, mesh.corners.read<std::int32_t>(1), mesh.corners.count());
        if (turn)
            reverse_faces(out.index, mesh);
    }
    if (out.uv_index) {
        copy(out.uv_index, uv_index.data(), uv_index.size());
        if (turn)
            reverse_faces(out.uv_index, mesh);
    }
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
    const auto property =
        find_scalar(mesh.object, mesh.object.data, ".selfBnds", Util::kFloat64POD, 6);
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
        sizes->uv_values = mesh.uvs.count();
        sizes->uv_scope = mesh.uv_scope;
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
