/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* One sample of a mesh as the library's readers see it: arrays of which first the lengths are
 * known, then, when asked for, the content. */
#ifndef TL_ABC_COLUMN_H
#define TL_ABC_COLUMN_H

#include "abc_reader.h"

#include <cstring>

namespace tl_abc {

/* One array of one sample. */
class Column {
public:
    Column() = default;

    /* `sample` and `seconds` are those of the points; an array with other times is read at its last
     * sample not later than that. */
    Column(const Object &object, ArrayReader property, const char *name, std::uint32_t sample,
           double seconds);

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
    Util::Digest key() const;

private:
    ArrayReader property_;
    AbcA::index_t index_ = 0;
    std::uint32_t count_ = 0;
    AbcA::ArraySamplePtr content_;
};

/* Values of some scope, shared through indices or not. */
struct Attribute {
    Attribute() = default;
    Attribute(const Object &object, const GeomParam &param, std::uint32_t sample, double seconds);

    Column values, indices;
    abcc_scope scope = ABCC_NONE;
    std::string name;
};

/* What one sample consists of. */
struct Mesh {
    Mesh(abcc_reader *reader, abcc_obj obj, std::uint32_t sample);

    const Object &object;
    double seconds = 0;
    Column points, counts, corners, velocities;
    Attribute uvs, normals;
};

/* The mesh or cage with that sample. */
const Object &mesh_object(abcc_reader *reader, abcc_obj obj, std::uint32_t sample);

/* Refuses faces that do not fit the corners and corners that do not fit the points. */
void check_faces(Mesh &mesh);

/* The value of each corner in the file's order, whatever the scope. The faces were checked. */
std::vector<std::uint32_t> corner_entries(Mesh &mesh, Attribute &attribute);

/* Refuses a buffer that is too small for what is wanted. */
void need_room(const Object &object, bool wanted, std::uint32_t room, std::uint32_t needed,
               const char *what);

template <class T> void copy(T *to, const T *from, std::size_t count) {
    if (to && count > 0)
        std::memcpy(to, from, count * sizeof(T));
}

/* Copies one index a corner, turning the corners of each face around unless the caller wants the
 * file's order. */
template <class T> void copy_corners(const abcc_reader *reader, Mesh &mesh, T *to, const T *from) {
    if (!to)
        return;
    if (reader->flags & ABCC_RAW_WINDING) {
        copy(to, from, mesh.corners.count());
        return;
    }
    const std::int32_t *counts = mesh.counts.read<std::int32_t>(1);
    for (std::uint32_t f = 0; f < mesh.counts.count(); f++) {
        for (std::int32_t i = 0; i < counts[f]; i++)
            to[i] = from[counts[f] - 1 - i];
        to += counts[f];
        from += counts[f];
    }
}

} // namespace tl_abc

#endif
