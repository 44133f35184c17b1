/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the arrays of one sample and checks them against each other. */
#include "abc_column.h"

namespace tl_abc {

Column::Column(const Object &object, ArrayReader property, const char *name, std::uint32_t sample,
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

Util::Digest Column::key() const {
    AbcA::ArraySampleKey found;
    if (property_)
        property_->getKey(index_, found);
    return found.digest;
}

Attribute::Attribute(const Object &object, const GeomParam &param, std::uint32_t sample,
                     double seconds)
    : values(object, param.values, param.name.c_str(), sample, seconds),
      indices(object, param.indices, param.name.c_str(), sample, seconds), name(param.name) {
    if (param.indices && values && !indices)
        fail(ABCC_E_CORRUPT, named(object.path) + ": " + named(name) + " has no indices");
    if (values.count() > 0)
        scope = param.scope;
}

const Object &mesh_object(abcc_reader *reader, abcc_obj obj, std::uint32_t sample) {
    const Object &object = object_of(reader, obj);
    if (object.kind != ABCC_MESH && object.kind != ABCC_SUBD)
        fail(ABCC_E_ARG, named(object.path) + " is not a mesh");
    need_sample(object, sample);
    return object;
}

Mesh::Mesh(abcc_reader *reader, abcc_obj obj, std::uint32_t sample)
    : object(mesh_object(reader, obj, sample)), seconds(object.times->getSampleTime(sample)) {
    const auto column = [&](const char *name, Util::PlainOldDataType pod, unsigned extent) {
        return Column(object, find_array(object, object.data, name, pod, extent), name, sample,
                      seconds);
    };
    points = column("P", Util::kFloat32POD, 3);
    counts = column(".faceCounts", Util::kInt32POD, 1);
    corners = column(".faceIndices", Util::kInt32POD, 1);
    velocities = column(".velocities", Util::kFloat32POD, 3);
    uvs = Attribute(object, find_geom_param(object, "uv", 2), sample, seconds);
    normals = Attribute(object, find_geom_param(object, "N", 3), sample, seconds);
    if (velocities.count() != 0 && velocities.count() != points.count())
        fail(ABCC_E_CORRUPT, named(object.path) + " has " + std::to_string(points.count()) +
                                 " vertices, but " + std::to_string(velocities.count()) +
                                 " velocities");
}

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

std::vector<std::uint32_t> corner_entries(Mesh &mesh, Attribute &attribute) {
    const std::int32_t *counts = mesh.counts.read<std::int32_t>(1);
    const std::int32_t *index = mesh.corners.read<std::int32_t>(1);
    const std::uint32_t *indirect = attribute.indices.read<std::uint32_t>(1);
    const std::uint32_t values = attribute.values.count();
    const std::uint32_t entries = attribute.indices ? attribute.indices.count() : values;
    std::vector<std::uint32_t> result(mesh.corners.count());
    std::uint32_t c = 0;
    for (std::uint32_t f = 0; f < mesh.counts.count(); f++)
        for (std::int32_t i = 0; i < counts[f]; i++, c++) {
            std::uint32_t entry = attribute.scope == ABCC_FACEVARYING ? c
                                  : attribute.scope == ABCC_UNIFORM   ? f
                                  : attribute.scope == ABCC_CONSTANT
                                      ? 0
                                      : static_cast<std::uint32_t>(index[c]);
            if (entry >= entries)
                fail(ABCC_E_CORRUPT, named(mesh.object.path) + ": corner " + std::to_string(c) +
                                         " has no " + named(attribute.name) +
                                         ", since there are only " + std::to_string(entries));
            if (indirect)
                entry = indirect[entry];
            if (entry >= values)
                fail(ABCC_E_CORRUPT, named(mesh.object.path) + ": corner " + std::to_string(c) +
                                         " has " + named(attribute.name) + " number " +
                                         std::to_string(entry) + " of " + std::to_string(values));
            result[c] = entry;
        }
    return result;
}

void need_room(const Object &object, bool wanted, std::uint32_t room, std::uint32_t needed,
               const char *what) {
    if (wanted && room < needed)
        fail(ABCC_E_ARG, named(object.path) + " has " + std::to_string(needed) + " " + what +
                             ", but there is room for " + std::to_string(room));
}

} // namespace tl_abc
