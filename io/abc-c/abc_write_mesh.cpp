/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of meshes and subdivision cages, and face sets. Everything is checked before the library
 * sees it, so that a refused sample leaves the file as it was. The loops over points run in fixed
 * lanes, which compilers make wide and which give the same result everywhere. */
#include "abc_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tl_abc {

namespace {

/* ---- points ---- */

bool all_finite(const float *values, std::size_t count) {
    /* without its sign a number that is not finite has the greatest bits */
    std::int32_t greatest = 0;
    for (std::size_t i = 0; i < count; i++) {
        std::int32_t bits;
        std::memcpy(&bits, values + i, sizeof bits);
        bits &= 0x7fffffff;
        greatest = bits > greatest ? bits : greatest;
    }
    return greatest < 0x7f800000;
}

Imath::Box3d box_of(const float *P, std::uint32_t verts) {
    constexpr std::size_t lanes = 12; /* four points at once */
    const std::size_t count = std::size_t(3) * verts;
    float low[lanes], high[lanes];
    for (std::size_t i = 0; i < lanes; i++)
        low[i] = high[i] = P[i % 3];
    std::size_t at = 0;
    for (; at + lanes <= count; at += lanes)
        for (std::size_t i = 0; i < lanes; i++) {
            const float value = P[at + i];
            low[i] = value < low[i] ? value : low[i];
            high[i] = value > high[i] ? value : high[i];
        }
    Imath::Box3d box;
    for (std::size_t i = 0; i < lanes; i += 3) {
        box.extendBy(Imath::V3d(low[i], low[i + 1], low[i + 2]));
        box.extendBy(Imath::V3d(high[i], high[i + 1], high[i + 2]));
    }
    for (; at < count; at += 3)
        box.extendBy(Imath::V3d(P[at], P[at + 1], P[at + 2]));
    return box;
}

/* ---- checks ---- */

void check_faces(const OutObject &object, const abcc_mesh_in &in) {
    std::uint64_t sum = 0;
    need(in.index, "index");
    for (std::uint32_t f = 0; f < in.faces; f++) {
        if (in.face_count[f] < 3)
            fail(ABCC_E_ARG, named(object.path) + ": face " + std::to_string(f) + " has " +
                                 std::to_string(in.face_count[f]) + " corners; 3 are the least");
        sum += static_cast<std::uint64_t>(in.face_count[f]);
    }
    if (sum != in.corners)
        fail(ABCC_E_ARG, named(object.path) + ": the faces have " + std::to_string(sum) +
                             " corners, but " + std::to_string(in.corners) + " are given");
    for (std::uint32_t c = 0; c < in.corners; c++)
        if (in.index[c] < 0 || static_cast<std::uint32_t>(in.index[c]) >= in.verts)
            fail(ABCC_E_ARG, named(object.path) + ": corner " + std::to_string(c) + " is vertex " +
                                 std::to_string(in.index[c]) + " of " + std::to_string(in.verts));
}

void check_uvs(const OutObject &object, const abcc_mesh_in &in) {
    need(in.uv_index, "uv_index");
    if (!all_finite(in.uv, std::size_t(2) * in.uv_values))
        fail(ABCC_E_ARG, named(object.path) + ": a uv coordinate is not finite");
    for (std::uint32_t c = 0; c < in.corners; c++)
        if (in.uv_index[c] >= in.uv_values)
            fail(ABCC_E_ARG, named(object.path) + ": corner " + std::to_string(c) + " has uv " +
                                 std::to_string(in.uv_index[c]) + " of " +
                                 std::to_string(in.uv_values));
}

void check_points(const OutObject &object, const abcc_mesh_in &in, std::uint32_t corners) {
    need(in.P, "P");
    if (in.verts == 0)
        fail(ABCC_E_ARG, named(object.path) + " has no vertices");
    if (!all_finite(in.P, std::size_t(3) * in.verts))
        fail(ABCC_E_ARG, named(object.path) + ": a point is not finite");
    if (in.v && !all_finite(in.v, std::size_t(3) * in.verts))
        fail(ABCC_E_ARG, named(object.path) + ": a velocity is not finite");
    if (in.normal && object.subd)
        fail(ABCC_E_ARG, named(object.path) + " is a subdivision cage, which has no normals");
    if (in.normal && !all_finite(in.normal, std::size_t(3) * corners))
        fail(ABCC_E_ARG, named(object.path) + ": a normal is not finite");
}

/* What may come and go from sample to sample. */
void check_change(const OutObject &object, const abcc_mesh_in &in) {
    if (object.has_velocities != (in.v != nullptr))
        fail(ABCC_E_ORDER, named(object.path) + " must have velocities in every sample or in none");
    if (object.has_normals != (in.normal != nullptr))
        fail(ABCC_E_ORDER, named(object.path) + " must have normals in every sample or in none");
    if (in.face_count && object.has_uvs != (in.uv != nullptr))
        fail(ABCC_E_ORDER, named(object.path) + " must have uvs with every change of its faces "
                                                "or with none");
    if (!in.face_count && in.verts != object.verts)
        fail(ABCC_E_ORDER, named(object.path) + " had " + std::to_string(object.verts) +
                               " vertices and now has " + std::to_string(in.verts) +
                               "; give its faces again");
    if (!in.face_count && in.uv)
        fail(ABCC_E_ORDER, named(object.path) + ": uvs are given with faces only");
}

void check_facesets(const abcc_writer &writer, const OutObject &object, std::uint32_t faces) {
    for (const abcc_obj child : object.children) {
        const OutObject &set = writer.objects[child];
        if (set.faceset && set.last_face >= 0 && static_cast<std::uint32_t>(set.last_face) >= faces)
            fail(ABCC_E_ARG, named(set.path) + " holds face " + std::to_string(set.last_face) +
                                 ", but the mesh has " + std::to_string(faces));
    }
}

void check_mesh(const abcc_writer &writer, const OutObject &object, const abcc_mesh_in &in) {
    if (!in.face_count && object.samples == 0)
        fail(ABCC_E_ORDER, named(object.path) + ": the first sample needs faces");
    check_points(object, in, in.face_count ? in.corners : object.corners);
    if (object.samples > 0)
        check_change(object, in);
    if (!in.face_count) {
        check_params(object, in.verts, object.face_count, object.corners);
        return;
    }
    check_faces(object, in);
    if (in.uv)
        check_uvs(object, in);
    check_facesets(writer, object, in.faces);
    check_params(object, in.verts,
                 std::vector<std::int32_t>(in.face_count, in.face_count + in.faces), in.corners);
}

void check_sharpness(const OutObject &object, const float *values, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; i++)
        if (!(values[i] >= 0) || !std::isfinite(values[i]))
            fail(ABCC_E_ARG, named(object.path) + ": a sharpness is below 0 or not finite");
}

void check_numbers(const OutObject &object, const std::int32_t *numbers, std::uint32_t count,
                   std::size_t limit, const char *what) {
    for (std::uint32_t i = 0; i < count; i++)
        if (numbers[i] < 0 || static_cast<std::size_t>(numbers[i]) >= limit)
            fail(ABCC_E_ARG, named(object.path) + ": " + what + " number " + std::to_string(i) +
                                 " is " + std::to_string(numbers[i]) + " of " +
                                 std::to_string(limit));
}

void check_creases(const OutObject &object, const abcc_subd_in &in, std::uint32_t verts) {
    if (in.creases == 0)
        return;
    need(in.crease_length, "crease_length");
    need(in.crease_vert, "crease_vert");
    need(in.crease_sharpness, "crease_sharpness");
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < in.creases; i++) {
        if (in.crease_length[i] < 2)
            fail(ABCC_E_ARG, named(object.path) + ": crease " + std::to_string(i) + " has " +
                                 std::to_string(in.crease_length[i]) +
                                 " vertices; 2 are the least");
        sum += static_cast<std::uint64_t>(in.crease_length[i]);
    }
    if (sum != in.crease_verts)
        fail(ABCC_E_ARG, named(object.path) + ": the creases have " + std::to_string(sum) +
                             " vertices, but " + std::to_string(in.crease_verts) + " are given");
    if (in.crease_sharps != in.creases && in.crease_sharps != sum - in.creases)
        fail(ABCC_E_ARG, named(object.path) + " has " + std::to_string(in.crease_sharps) +
                             " sharpnesses, neither one a crease nor one an edge");
    check_numbers(object, in.crease_vert, in.crease_verts, verts, "the vertex of a crease,");
    check_sharpness(object, in.crease_sharpness, in.crease_sharps);
}

void check_subd(const OutObject &object, const abcc_subd_in &in, std::uint32_t verts,
                std::size_t faces) {
    const std::string scheme = in.scheme ? in.scheme : "catmull-clark";
    if (scheme != "catmull-clark" && scheme != "loop" && scheme != "bilinear")
        fail(ABCC_E_ARG, named(object.path) + ": the subdivision scheme " + named(scheme) +
                             " is not one of catmull-clark, loop and bilinear");
    check_creases(object, in, verts);
    if (in.corners > 0) {
        need(in.corner_vert, "corner_vert");
        need(in.corner_sharpness, "corner_sharpness");
        check_numbers(object, in.corner_vert, in.corners, verts, "the sharp vertex");
        check_sharpness(object, in.corner_sharpness, in.corners);
    }
    if (in.holes > 0) {
        need(in.hole, "hole");
        check_numbers(object, in.hole, in.holes, faces, "the hole");
    }
    /* the library miscounts the samples of what appears late */
    if (object.samples > 0 &&
        (object.has_creases != (in.creases > 0) || object.has_corners != (in.corners > 0) ||
         object.has_holes != (in.holes > 0) || object.scheme != scheme))
        fail(ABCC_E_ORDER, named(object.path) + " must have creases, corners, holes and its scheme "
                                                "from the first sample on");
}

/* ---- writing ---- */

/* Reverses each face of a per-corner array in a copy; `width` values belong to a corner. */
template <class T>
std::vector<T> reversed(const T *values, const OutObject &object, std::size_t width,
                        bool keep_order) {
    std::vector<T> result(values, values + width * object.corners);
    if (keep_order)
        return result;
    const T *from = values;
    T *to = result.data();
    for (const std::int32_t count : object.face_count) {
        for (std::int32_t i = 0; i < count; i++)
            std::copy_n(from + width * static_cast<std::size_t>(i), width,
                        to + width * static_cast<std::size_t>(count - 1 - i));
        from += width * static_cast<std::size_t>(count);
        to += width * static_cast<std::size_t>(count);
    }
    return result;
}

/* The arrays of a sample that had to be copied; the library refers to them. */
struct Turned {
    std::vector<std::int32_t> index;
    std::vector<std::uint32_t> uv_index;
    std::vector<float> normal;
};

/* What a mesh and a cage have in common. */
template <class Sample>
void fill(Sample &sample, const OutObject &object, const abcc_mesh_in &in, bool keep_order,
          Turned &copies) {
    sample.setPositions(Abc::P3fArraySample(reinterpret_cast<const Imath::V3f *>(in.P), in.verts));
    sample.setSelfBounds(object.bounds.back());
    if (in.v)
        sample.setVelocities(
            Abc::V3fArraySample(reinterpret_cast<const Imath::V3f *>(in.v), in.verts));
    if (in.face_count) {
        copies.index = reversed(in.index, object, 1, keep_order);
        sample.setFaceIndices(Abc::Int32ArraySample(copies.index));
        sample.setFaceCounts(Abc::Int32ArraySample(in.face_count, in.faces));
    }
    if (in.uv) {
        copies.uv_index = reversed(in.uv_index, object, 1, keep_order);
        sample.setUVs(AbcGeom::OV2fGeomParam::Sample(
            Abc::V2fArraySample(reinterpret_cast<const Imath::V2f *>(in.uv), in.uv_values),
            Abc::UInt32ArraySample(copies.uv_index), AbcGeom::kFacevaryingScope));
    }
}

void fill_subd(AbcGeom::OSubDSchema::Sample &sample, const abcc_subd_in &in) {
    sample.setInterpolateBoundary(in.boundary);
    sample.setFaceVaryingInterpolateBoundary(in.fvar_boundary);
    sample.setFaceVaryingPropagateCorners(in.fvar_propagate_corners);
    if (in.creases > 0)
        sample.setCreases(Abc::Int32ArraySample(in.crease_vert, in.crease_verts),
                          Abc::Int32ArraySample(in.crease_length, in.creases),
                          Abc::FloatArraySample(in.crease_sharpness, in.crease_sharps));
    if (in.corners > 0)
        sample.setCorners(Abc::Int32ArraySample(in.corner_vert, in.corners),
                          Abc::FloatArraySample(in.corner_sharpness, in.corners));
    if (in.holes > 0)
        sample.setHoles(Abc::Int32ArraySample(in.hole, in.holes));
}

void remember(OutObject &object, const abcc_mesh_in &in) {
    object.bounds.push_back(box_of(in.P, in.verts));
    object.has_velocities = in.v != nullptr;
    object.has_normals = in.normal != nullptr;
    object.has_uvs = object.has_uvs || in.uv != nullptr;
    object.verts = in.verts;
    if (in.face_count) {
        object.face_count.assign(in.face_count, in.face_count + in.faces);
        object.corners = in.corners;
    }
}

void write_mesh(abcc_writer *writer, OutObject &object, const abcc_mesh_in &in) {
    const bool keep_order = (writer->flags & ABCC_RAW_WINDING) != 0;
    Turned copies;
    AbcGeom::OPolyMeshSchema::Sample sample;
    fill(sample, object, in, keep_order, copies);
    if (in.normal) {
        copies.normal = reversed(in.normal, object, 3, keep_order);
        sample.setNormals(AbcGeom::ON3fGeomParam::Sample(
            Abc::N3fArraySample(reinterpret_cast<const Imath::V3f *>(copies.normal.data()),
                                object.corners),
            AbcGeom::kFacevaryingScope));
    }
    object.mesh->getSchema().set(sample);
}

void write_subd(abcc_writer *writer, OutObject &object, const abcc_mesh_in &in,
                const abcc_subd_in *subd) {
    Turned copies;
    AbcGeom::OSubDSchema::Sample sample;
    if (subd && object.samples == 0) {
        object.scheme = subd->scheme ? subd->scheme : "catmull-clark";
        object.has_creases = subd->creases > 0;
        object.has_corners = subd->corners > 0;
        object.has_holes = subd->holes > 0;
    }
    fill(sample, object, in, (writer->flags & ABCC_RAW_WINDING) != 0, copies);
    sample.setSubdivisionScheme(object.scheme);
    if (subd)
        fill_subd(sample, *subd);
    object.subd->getSchema().set(sample);
}

} // namespace

} // namespace tl_abc

using namespace tl_abc;

/* ---- entries ---- */

abcc_status abcc_mesh_write(abcc_writer *writer, abcc_obj obj, const abcc_mesh_in *in,
                            abcc_error *error) {
    return on_writer(writer, error, [&] {
        need_struct(in, "the mesh");
        OutObject &object = next_sample_of(writer, obj);
        if (!object.mesh)
            fail(ABCC_E_ARG, named(object.path) + " is not a mesh");
        check_mesh(*writer, object, *in);
        remember(object, *in);
        write_mesh(writer, object, *in);
        object.samples++;
        write_params(writer, object);
    });
}

abcc_status abcc_subd_write(abcc_writer *writer, abcc_obj obj, const abcc_mesh_in *in,
                            const abcc_subd_in *subd, abcc_error *error) {
    return on_writer(writer, error, [&] {
        need_struct(in, "the mesh");
        if (subd)
            need_struct(subd, "the subdivision");
        OutObject &object = next_sample_of(writer, obj);
        if (!object.subd)
            fail(ABCC_E_ARG, named(object.path) + " is not a subdivision cage");
        check_mesh(*writer, object, *in);
        if (subd)
            check_subd(object, *subd, in->verts,
                       in->face_count ? in->faces : object.face_count.size());
        remember(object, *in);
        write_subd(writer, object, *in, subd);
        object.samples++;
        write_params(writer, object);
    });
}

abcc_status abcc_add_faceset(abcc_writer *writer, abcc_obj mesh, const char *name,
                             const int32_t *faces, uint32_t count, abcc_obj *obj,
                             abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(obj, "the place for the object");
        if (count > 0)
            need(faces, "the list of faces");
        const OutObject &owner = object_of(writer, mesh);
        if (!owner.is_mesh())
            fail(ABCC_E_ARG, named(owner.path) + " is not a mesh");
        for (uint32_t i = 0; i < count; i++)
            if (faces[i] < 0 || (i > 0 && faces[i] <= faces[i - 1]))
                fail(ABCC_E_ARG, "the faces of a set must rise from 0, but number " +
                                     std::to_string(i) + " is " + std::to_string(faces[i]));
        if (owner.samples > 0 && count > 0 &&
            static_cast<std::size_t>(faces[count - 1]) >= owner.face_count.size())
            fail(ABCC_E_ARG, named(owner.path) + " has " + std::to_string(owner.face_count.size()) +
                                 " faces, so none with number " + std::to_string(faces[count - 1]));
        const abcc_obj added = add_object(writer, mesh, name, 0);
        OutObject &object = writer->objects[added];
        object.faceset =
            std::make_unique<AbcGeom::OFaceSet>(library_object(writer, mesh), std::string(name));
        static const std::int32_t nothing = 0; /* a list without a place would not be stored */
        object.faceset->getSchema().set(AbcGeom::OFaceSetSchema::Sample(
            Abc::Int32ArraySample(count > 0 ? faces : &nothing, count)));
        object.last_face = count > 0 ? faces[count - 1] : -1;
        object.samples = 1;
        *obj = added;
    });
}
