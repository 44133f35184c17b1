/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The writer behind abcc_writer, as its files share it: abc_write.cpp (files, times, objects),
 * abc_write_mesh.cpp (samples of meshes and cages, face sets), abc_write_param.cpp (parameters),
 * abc_copy.cpp (parameters of another file), abc_bounds.cpp (bounds of parents). */
#ifndef TL_ABC_WRITER_H
#define TL_ABC_WRITER_H

#include "abc_common.h"
#include "abc_stream.h"

#include <Alembic/AbcGeom/All.h>

#include <memory>
#include <ostream>
#include <unordered_set>
#include <vector>

namespace tl_abc {

namespace Abc = Alembic::Abc;
namespace AbcA = Alembic::AbcCoreAbstract;
namespace AbcGeom = Alembic::AbcGeom;
namespace Util = Alembic::Util;

/* Times of samples: k is at times[k % n] + period * (k / n). */
struct OutTimes {
    double period = 1;
    std::vector<double> times = {0};
    std::uint32_t library_id = 0;

    double time_of(std::size_t sample) const {
        return times[sample % times.size()] + period * static_cast<double>(sample / times.size());
    }
    /* The sample that holds at a time; a rounding error does not lead to the one before. */
    std::size_t sample_at(double seconds, std::size_t samples) const;
};

/* Where a property hangs. */
enum class Place { arb, user, object };

/* A property beside those of the schemas: a compound, or values that wait for their sample. */
struct OutParam {
    int parent = -1; /* number of the compound it lies in; -1: directly in its place */
    Place place = Place::user;
    std::string name;
    AbcA::MetaData metadata;
    AbcA::PropertyType kind = AbcA::kCompoundProperty;
    AbcA::DataType type;
    bool fixed = false;           /* one value for the whole clip */
    bool copied = false;          /* of another file, so that nobody vouches for its count */
    abcc_scope count = ABCC_NONE; /* what its elements count, if anything */
    AbcA::ArraySamplePtr waiting; /* the values of the next sample, if they change */
    bool turn = false;            /* they have to be turned with the faces */
    std::uint32_t written = 0;
    AbcA::BasePropertyWriterPtr writer; /* from the first sample on */
};

struct OutObject {
    std::string path; /* without the last '/' of the top object */
    abcc_obj parent = 0;
    abcc_time time = 0;
    std::uint32_t samples = 0;
    abcc_obj instance_of = 0;
    std::vector<abcc_obj> children;
    std::unique_ptr<AbcGeom::OXform>
        xform; /* one of these, or none for the top and for instances */
    std::unique_ptr<AbcGeom::OPolyMesh> mesh;
    std::unique_ptr<AbcGeom::OSubD> subd;
    std::unique_ptr<AbcGeom::OFaceSet> faceset;
    std::vector<OutParam> params;

    /* of a transform, one a sample */
    std::vector<Imath::M44d> matrices;
    std::vector<bool> inherits;

    /* of a mesh or cage */
    std::vector<Imath::Box3d> bounds; /* one a sample */
    std::vector<std::int32_t> face_count;
    std::uint32_t verts = 0, corners = 0;
    bool has_velocities = false, has_uvs = false, has_normals = false;
    std::string scheme = "catmull-clark";
    bool has_creases = false, has_corners = false, has_holes = false;

    /* of a face set */
    std::int32_t last_face = -1;

    bool is_mesh() const {
        return mesh || subd;
    }
};

} // namespace tl_abc

struct abcc_writer {
    abcc_writer(const char *path, unsigned flags, const tl_abc::AbcA::MetaData &metadata);

    /* Ends the archive. Its last parts are written by the destructors of the library. */
    void close();

    const unsigned flags;
    tl_abc::OutFile file;
    std::ostream stream;
    tl_abc::Abc::OArchive archive;
    std::vector<tl_abc::OutObject> objects;
    std::unordered_set<std::string> paths; /* of all objects */
    std::vector<tl_abc::OutTimes> samplings;
    tl_abc::Abc::OBox3dProperty bounds; /* of the whole archive */
    bool broken = false; /* a call failed inside the library; only finish and abandon are left */
};

namespace tl_abc {

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
        } catch (const Failure &) {
            throw;
        } catch (...) {
            writer->broken = true;
            throw;
        }
        writer->file.need_success();
        return ABCC_OK;
    });
}

/* Alembic keeps metadata as "key=value;key=value" and cannot quote. */
std::string metadata_text(const char *text);

/* Refuses metadata of another file that the library would choke on when it closes the archive,
 * where nothing can be caught. */
const AbcA::MetaData &sound(const AbcA::MetaData &metadata, const std::string &where);

/* What the archive says of itself. */
AbcA::MetaData archive_metadata(const abcc_create_info &info);

/* Refuses info that nobody initialised or without frames a second. */
void need_info(const abcc_create_info *info);

/* Any object but the top one. */
OutObject &object_of(abcc_writer *writer, abcc_obj obj);

/* The same, if it can take one more sample. */
OutObject &next_sample_of(abcc_writer *writer, abcc_obj obj);

/* Makes room for an object; the caller gives it what the library knows of it. */
abcc_obj add_object(abcc_writer *writer, abcc_obj parent, const char *name, abcc_time time);

/* The object as the library knows it. */
Abc::OObject library_object(abcc_writer *writer, abcc_obj obj);

/* All properties below a compound and the compound itself, each after what lies in it. */
void gather_properties(const AbcA::CompoundPropertyWriterPtr &compound,
                       std::vector<AbcA::BasePropertyWriterPtr> &properties);

/* Has the library write the end of an object, once `drop` has let go of all that holds it. The ends
 * of properties come in the order of the properties, whoever held them, so that equal objects give
 * equal bytes. */
template <class Drop> void close_object(AbcA::ObjectWriterPtr object, Drop &&drop) {
    std::vector<AbcA::BasePropertyWriterPtr> properties;
    gather_properties(object->getProperties(), properties);
    drop();
    for (AbcA::BasePropertyWriterPtr &property : properties)
        property.reset();
}

/* ---- parameters ---- */

/* The number of a parameter by name, or -1. */
int find_param(const OutObject &object, Place place, int parent, const std::string &name);

/* Refuses a sample whose parameters lack values, or have not as many as the mesh needs. */
void check_params(const OutObject &object, std::uint32_t verts,
                  const std::vector<std::int32_t> &face_count, std::uint32_t corners);

/* Writes what waits for the sample that the object has just got. */
void write_params(abcc_writer *writer, OutObject &object);

/* Writes what is left when the file ends. */
void finish_params(abcc_writer *writer, OutObject &object);

/* Turns the elements of each face around. */
AbcA::ArraySamplePtr turned(const AbcA::ArraySample &values,
                            const std::vector<std::int32_t> &face_count);

/* ---- bounds ---- */

/* Gives every transform and the archive the bounds of what lies below. */
void write_all_child_bounds(abcc_writer *writer);

} // namespace tl_abc

#endif
