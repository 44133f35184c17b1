/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Writing Alembic archives through the official library. Samples go to disk as they come; bounds of
 * parents and user properties are kept and written when the archive is finished. */
#include "abc_common.h"
#include "abc_stream.h"

#include <Alembic/AbcCoreOgawa/ReadWrite.h>
#include <Alembic/AbcGeom/All.h>
#include <Imath/ImathBoxAlgo.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <ostream>
#include <variant>
#include <vector>

namespace Abc = Alembic::Abc;
namespace AbcA = Alembic::AbcCoreAbstract;
namespace AbcGeom = Alembic::AbcGeom;

using tl_abc::fail;
using tl_abc::guarded;
using tl_abc::named;
using tl_abc::need;
using tl_abc::need_struct;

namespace {

struct Sampling {
    double start = 0, step = 1;
    std::uint32_t library_id = 0;
};

struct UserProperty {
    std::string name;
    std::variant<std::string, std::int32_t, double> value;
};

struct Object {
    std::string path; /* without the last '/' of the top object */
    abcc_obj parent = 0;
    abcc_time time = 0;
    std::uint32_t samples = 0;
    std::unique_ptr<AbcGeom::OXform> xform; /* one of these two, or neither for the top object */
    std::unique_ptr<AbcGeom::OPolyMesh> mesh;
    std::vector<Imath::M44d> matrices; /* of a transform, one a sample */
    std::vector<Imath::Box3d> bounds;  /* of a mesh, one a sample */
    std::vector<UserProperty> properties;
    std::uint32_t verts = 0; /* of a mesh's last sample */
    bool has_velocities = false, has_uvs = false;
};

/* Alembic keeps metadata as "key=value;key=value" and cannot quote. */
std::string metadata_text(const char *text) {
    std::string clean = text ? text : "";
    for (char &c : clean)
        c = c == ';' ? ',' : c == '=' ? ':' : c;
    return clean;
}

/* The shortest text that reads back as the same number, whatever the locale. */
std::string number_text(double value) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value);
    return std::string(text, end.ptr);
}

AbcA::MetaData archive_metadata(const abcc_create_info &info) {
    AbcA::MetaData metadata;
    metadata.set(Abc::kApplicationNameKey, metadata_text(info.application));
    metadata.set(Abc::kUserDescriptionKey, metadata_text(info.description));
    metadata.set(Abc::kDCCFPSKey, number_text(info.fps));
    metadata.set("FramesPerTimeUnit", number_text(info.fps));
    return metadata;
}

} // namespace

struct abcc_writer {
    abcc_writer(const char *path, const abcc_create_info &info)
        : flags(info.flags), file(path), stream(&file),
          archive(Alembic::AbcCoreOgawa::WriteArchive()(&stream, archive_metadata(info)),
                  Abc::kWrapExisting, Abc::ErrorHandler::kThrowPolicy),
          objects(1), samplings(1) {
    }

    /* Ends the archive. Its last parts are written by the destructors of the library, children
     * before parents. */
    void close() {
        while (!objects.empty())
            objects.pop_back();
        archive.reset();
    }

    unsigned flags;
    tl_abc::OutFile file;
    std::ostream stream;
    Abc::OArchive archive;
    std::vector<Object> objects;
    std::vector<Sampling> samplings;
    bool broken = false; /* a call failed inside the library; only finish and abandon are left */
};

namespace {

/* Runs a call on a writer. A failure of ours leaves the writer as it was; any other leaves it in a
 * state that nobody knows, so that no file may come of it. */
template <class Body> abcc_status on_writer(abcc_writer *writer, abcc_error *error, Body &&body) {
    return guarded(error, ABCC_E_INTERNAL, [&] {
        need(writer, "the writer");
        if (writer->broken)
            fail(ABCC_E_ORDER, "an earlier call failed; the file can only be abandoned");
        writer->file.need_success();
        try {
            body();
        } catch (const tl_abc::Failure &) {
            throw;
        } catch (...) {
            writer->broken = true;
            throw;
        }
        writer->file.need_success();
        return ABCC_OK;
    });
}

Object &object_of(abcc_writer *writer, abcc_obj obj) {
    if (obj == 0 || obj >= writer->objects.size())
        fail(ABCC_E_ARG, "there is no object number " + std::to_string(obj));
    return writer->objects[obj];
}

Object &next_sample_of(abcc_writer *writer, abcc_obj obj) {
    Object &object = object_of(writer, obj);
    if (object.time == 0 && object.samples > 0)
        fail(ABCC_E_ORDER, named(object.path) + " is static and already has its sample");
    return object;
}

bool all_finite(const float *values, std::size_t count) {
    for (std::size_t i = 0; i < count; i++)
        if (!std::isfinite(values[i]))
            return false;
    return true;
}

/* ---- adding objects ---- */

abcc_obj add_object(abcc_writer *writer, abcc_obj parent, const char *name, abcc_time time) {
    need(name, "the name");
    if (parent >= writer->objects.size())
        fail(ABCC_E_ARG, "there is no object number " + std::to_string(parent));
    if (time >= writer->samplings.size())
        fail(ABCC_E_ARG, "there is no time sampling number " + std::to_string(time));
    if (!*name || std::string(name).find('/') != std::string::npos)
        fail(ABCC_E_ARG, named(name) + " is no name for an object: it is empty or holds a '/'");
    const std::string path = writer->objects[parent].path + "/" + name;
    for (const Object &other : writer->objects)
        if (other.path == path)
            fail(ABCC_E_ARG, "there is already an object " + named(path));
    writer->objects.emplace_back();
    Object &object = writer->objects.back();
    object.path = path;
    object.parent = parent;
    object.time = time;
    return static_cast<abcc_obj>(writer->objects.size() - 1);
}

Abc::OObject library_parent(abcc_writer *writer, abcc_obj parent) {
    const Object &object = writer->objects[parent];
    if (object.xform)
        return *object.xform;
    if (object.mesh)
        return *object.mesh;
    return writer->archive.getTop();
}

/* ---- meshes ---- */

/* Reverses each face of a per-corner array in a copy. */
template <class T>
std::vector<T> reversed(const T *values, const abcc_mesh_in &in, bool keep_order) {
    std::vector<T> result(values, values + in.corners);
    if (keep_order)
        return result;
    auto face = result.begin();
    for (std::uint32_t f = 0; f < in.faces; f++) {
        std::reverse(face, face + in.face_count[f]);
        face += in.face_count[f];
    }
    return result;
}

void check_faces(const Object &object, const abcc_mesh_in &in) {
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

void check_uvs(const Object &object, const abcc_mesh_in &in) {
    need(in.uv_index, "uv_index");
    if (!all_finite(in.uv, std::size_t(2) * in.uv_values))
        fail(ABCC_E_ARG, named(object.path) + ": a uv coordinate is not finite");
    for (std::uint32_t c = 0; c < in.corners; c++)
        if (in.uv_index[c] >= in.uv_values)
            fail(ABCC_E_ARG, named(object.path) + ": corner " + std::to_string(c) + " has uv " +
                                 std::to_string(in.uv_index[c]) + " of " +
                                 std::to_string(in.uv_values));
}

void check_points(const Object &object, const abcc_mesh_in &in) {
    need(in.P, "P");
    if (in.verts == 0)
        fail(ABCC_E_ARG, named(object.path) + " has no vertices");
    if (!all_finite(in.P, std::size_t(3) * in.verts))
        fail(ABCC_E_ARG, named(object.path) + ": a point is not finite");
    if (in.v && !all_finite(in.v, std::size_t(3) * in.verts))
        fail(ABCC_E_ARG, named(object.path) + ": a velocity is not finite");
}

void check_mesh(const Object &object, const abcc_mesh_in &in) {
    const bool first = object.samples == 0;
    check_points(object, in);
    if (!first && object.has_velocities != (in.v != nullptr))
        fail(ABCC_E_ORDER, named(object.path) + " must have velocities in every sample or in none");
    if (in.face_count) {
        check_faces(object, in);
        if (in.uv)
            check_uvs(object, in);
        if (!first && object.has_uvs != (in.uv != nullptr))
            fail(ABCC_E_ORDER, named(object.path) + " must have uvs with every change of its faces "
                                                    "or with none");
    } else if (first) {
        fail(ABCC_E_ORDER, named(object.path) + ": the first sample needs faces");
    } else if (in.verts != object.verts) {
        fail(ABCC_E_ORDER, named(object.path) + " had " + std::to_string(object.verts) +
                               " vertices and now has " + std::to_string(in.verts) +
                               "; give its faces again");
    } else if (in.uv) {
        fail(ABCC_E_ORDER, named(object.path) + ": uvs are given with faces only");
    }
}

Imath::Box3d box_of(const abcc_mesh_in &in) {
    Imath::Box3d box;
    for (std::uint32_t i = 0; i < in.verts; i++)
        box.extendBy(Imath::V3d(in.P[3 * i], in.P[3 * i + 1], in.P[3 * i + 2]));
    return box;
}

void write_mesh(abcc_writer *writer, Object &object, const abcc_mesh_in &in) {
    const bool keep_order = (writer->flags & ABCC_RAW_WINDING) != 0;
    AbcGeom::OPolyMeshSchema::Sample sample;
    sample.setPositions(Abc::P3fArraySample(reinterpret_cast<const Imath::V3f *>(in.P), in.verts));
    if (in.v)
        sample.setVelocities(
            Abc::V3fArraySample(reinterpret_cast<const Imath::V3f *>(in.v), in.verts));
    std::vector<std::int32_t> index;
    std::vector<std::uint32_t> uv_index;
    if (in.face_count) {
        index = reversed(in.index, in, keep_order);
        sample.setFaceIndices(Abc::Int32ArraySample(index));
        sample.setFaceCounts(Abc::Int32ArraySample(in.face_count, in.faces));
    }
    if (in.uv) {
        uv_index = reversed(in.uv_index, in, keep_order);
        sample.setUVs(AbcGeom::OV2fGeomParam::Sample(
            Abc::V2fArraySample(reinterpret_cast<const Imath::V2f *>(in.uv), in.uv_values),
            Abc::UInt32ArraySample(uv_index), AbcGeom::kFacevaryingScope));
    }
    object.mesh->getSchema().set(sample);
}

/* ---- bounds of parents ---- */

/* The sample that holds at a time; a rounding error does not lead to the one before. */
std::size_t sample_at(const Sampling &sampling, double seconds, std::size_t samples) {
    const double k = std::floor((seconds - sampling.start) / sampling.step + 1e-3);
    if (!(k > 0))
        return 0;
    return k < static_cast<double>(samples) ? static_cast<std::size_t>(k) : samples - 1;
}

/* Bounds of everything below an object in its own space. */
Imath::Box3d box_below(const abcc_writer &writer, abcc_obj parent, double seconds) {
    Imath::Box3d box;
    for (abcc_obj i = parent + 1; i < writer.objects.size(); i++) {
        const Object &child = writer.objects[i];
        if (child.parent != parent)
            continue;
        const Sampling &sampling = writer.samplings[child.time];
        if (!child.bounds.empty())
            box.extendBy(child.bounds[sample_at(sampling, seconds, child.bounds.size())]);
        Imath::Box3d below = box_below(writer, i, seconds);
        if (!child.matrices.empty())
            below = Imath::transform(
                below, child.matrices[sample_at(sampling, seconds, child.matrices.size())]);
        box.extendBy(below);
    }
    return box;
}

/* Whichever object below `parent` has most samples; 0 when none has any. */
abcc_obj busiest_below(const abcc_writer &writer, abcc_obj parent) {
    abcc_obj best = 0;
    for (abcc_obj i = parent + 1; i < writer.objects.size(); i++) {
        abcc_obj above = writer.objects[i].parent;
        while (above > parent)
            above = writer.objects[above].parent;
        if (above == parent &&
            writer.objects[i].samples > (best ? writer.objects[best].samples : 0))
            best = i;
    }
    return best;
}

void write_child_bounds(abcc_writer *writer, abcc_obj parent) {
    const abcc_obj busiest = busiest_below(*writer, parent);
    if (busiest == 0 || writer->objects[parent].mesh)
        return;
    const Sampling &sampling = writer->samplings[writer->objects[busiest].time];
    Abc::OBox3dProperty bounds;
    if (parent == 0) {
        bounds = AbcGeom::CreateOArchiveBounds(writer->archive, sampling.library_id);
    } else {
        bounds = writer->objects[parent].xform->getSchema().getChildBoundsProperty();
        bounds.setTimeSampling(sampling.library_id);
    }
    for (std::uint32_t k = 0; k < writer->objects[busiest].samples; k++)
        bounds.set(box_below(*writer, parent, sampling.start + sampling.step * k));
}

/* ---- user properties ---- */

void keep_property(abcc_writer *writer, abcc_obj obj, const char *name, UserProperty property) {
    Object &object = object_of(writer, obj);
    need(name, "the name");
    property.name = name;
    if (property.name.empty() || property.name.find('/') != std::string::npos)
        fail(ABCC_E_ARG,
             named(property.name) + " is no name for a property: it is empty or holds a '/'");
    for (UserProperty &known : object.properties) {
        if (known.name != property.name)
            continue;
        if (known.value.index() != property.value.index())
            fail(ABCC_E_ORDER, named(object.path) + ": the property " + named(property.name) +
                                   " had another type before");
        known = std::move(property);
        return;
    }
    object.properties.push_back(std::move(property));
}

void write_properties(const Object &object) {
    if (object.properties.empty())
        return;
    Abc::OCompoundProperty parent = object.xform ? object.xform->getSchema().getUserProperties()
                                                 : object.mesh->getSchema().getUserProperties();
    for (const UserProperty &property : object.properties) {
        if (const auto *text = std::get_if<std::string>(&property.value))
            Abc::OStringProperty(parent, property.name).set(*text);
        else if (const auto *whole = std::get_if<std::int32_t>(&property.value))
            Abc::OInt32Property(parent, property.name).set(*whole);
        else
            Abc::ODoubleProperty(parent, property.name).set(std::get<double>(property.value));
    }
}

} // namespace

/* ---- entries ---- */

abcc_status abcc_create(const char *path, const abcc_create_info *info, abcc_writer **out,
                        abcc_error *error) {
    return guarded(error, ABCC_E_INTERNAL, [&] {
        need(out, "the place for the writer");
        *out = nullptr;
        need(path, "the path");
        need_struct(info, "the creation info");
        if (!(info->fps > 0) || !std::isfinite(info->fps))
            fail(ABCC_E_ARG, "frames a second must be greater than 0");
        *out = new abcc_writer(path, *info);
        return ABCC_OK;
    });
}

abcc_status abcc_time_uniform(abcc_writer *writer, double start, double step, abcc_time *time,
                              abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(time, "the place for the time sampling");
        if (!std::isfinite(start) || !std::isfinite(step) || !(step > 0))
            fail(ABCC_E_ARG, "a time sampling needs a finite start and a step greater than 0");
        for (std::size_t i = 1; i < writer->samplings.size(); i++)
            if (writer->samplings[i].start == start && writer->samplings[i].step == step) {
                *time = static_cast<abcc_time>(i);
                return;
            }
        const std::uint32_t id = writer->archive.addTimeSampling(AbcA::TimeSampling(step, start));
        writer->samplings.push_back({start, step, id});
        *time = static_cast<abcc_time>(writer->samplings.size() - 1);
    });
}

abcc_status abcc_add_xform(abcc_writer *writer, abcc_obj parent, const char *name, abcc_time time,
                           abcc_obj *obj, abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(obj, "the place for the object");
        const abcc_obj added = add_object(writer, parent, name, time);
        writer->objects[added].xform = std::make_unique<AbcGeom::OXform>(
            library_parent(writer, parent), name, writer->samplings[time].library_id);
        *obj = added;
    });
}

abcc_status abcc_add_mesh(abcc_writer *writer, abcc_obj parent, const char *name, abcc_time time,
                          const char *uv_name, abcc_obj *obj, abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(obj, "the place for the object");
        const abcc_obj added = add_object(writer, parent, name, time);
        auto mesh = std::make_unique<AbcGeom::OPolyMesh>(library_parent(writer, parent), name,
                                                         writer->samplings[time].library_id);
        if (uv_name)
            mesh->getSchema().setUVSourceName(metadata_text(uv_name));
        writer->objects[added].mesh = std::move(mesh);
        *obj = added;
    });
}

abcc_status abcc_xform_write(abcc_writer *writer, abcc_obj obj, const double m[16], int inherits,
                             abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(m, "the matrix");
        Object &object = next_sample_of(writer, obj);
        if (!object.xform)
            fail(ABCC_E_ARG, named(object.path) + " is not a transform");
        Imath::M44d matrix;
        for (int i = 0; i < 16; i++) {
            if (!std::isfinite(m[i]))
                fail(ABCC_E_ARG, named(object.path) + ": the matrix is not finite");
            matrix[i / 4][i % 4] = m[i];
        }
        AbcGeom::XformSample sample;
        sample.addOp(AbcGeom::XformOp(AbcGeom::kMatrixOperation, AbcGeom::kMatrixHint), matrix);
        sample.setInheritsXforms(inherits != 0);
        object.matrices.push_back(matrix);
        object.xform->getSchema().set(sample);
        object.samples++;
    });
}

abcc_status abcc_mesh_write(abcc_writer *writer, abcc_obj obj, const abcc_mesh_in *in,
                            abcc_error *error) {
    return on_writer(writer, error, [&] {
        need_struct(in, "the mesh");
        Object &object = next_sample_of(writer, obj);
        if (!object.mesh)
            fail(ABCC_E_ARG, named(object.path) + " is not a mesh");
        check_mesh(object, *in);
        object.bounds.push_back(box_of(*in));
        write_mesh(writer, object, *in);
        object.has_velocities = in->v != nullptr;
        object.has_uvs = object.has_uvs || in->uv != nullptr;
        object.verts = in->verts;
        object.samples++;
    });
}

abcc_status abcc_property_string(abcc_writer *writer, abcc_obj obj, const char *name,
                                 const char *text, abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(text, "the text");
        keep_property(writer, obj, name, {"", std::string(text)});
    });
}

abcc_status abcc_property_int(abcc_writer *writer, abcc_obj obj, const char *name, int32_t value,
                              abcc_error *error) {
    return on_writer(writer, error, [&] { keep_property(writer, obj, name, {"", value}); });
}

abcc_status abcc_property_double(abcc_writer *writer, abcc_obj obj, const char *name, double value,
                                 abcc_error *error) {
    return on_writer(writer, error, [&] { keep_property(writer, obj, name, {"", value}); });
}

abcc_status abcc_finish(abcc_writer *writer, abcc_error *error) {
    if (!writer)
        return tl_abc_fail(error, ABCC_E_ARG, "the writer is NULL");
    abcc_status status = on_writer(writer, error, [&] {
        for (abcc_obj i = 0; i < writer->objects.size(); i++) {
            write_child_bounds(writer, i);
            write_properties(writer->objects[i]);
        }
    });
    writer->close();
    if (status == ABCC_OK)
        status = guarded(error, ABCC_E_INTERNAL, [&] {
            writer->file.publish();
            return ABCC_OK;
        });
    delete writer;
    return status;
}

void abcc_abandon(abcc_writer *writer) {
    if (!writer)
        return;
    writer->close();
    delete writer;
}
