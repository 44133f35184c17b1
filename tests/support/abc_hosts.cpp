/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* One sheet in the ways of other programs: how they place it in the world, share and scope its
 * values, spread its samples in time, and what else they write beside it. Taken from the sources of
 * the exporters: alembic/alembic maya/AbcExport, sideeffects/HoudiniAlembic, ImageEngine/cortex
 * contrib/IECoreAlembic, PixarAnimationStudios/OpenUSD pxr/usd/plugin/usdAbc. */
#include "abc_hosts.h"

#include <Alembic/Abc/All.h>
#include <Alembic/AbcCoreOgawa/All.h>
#include <Alembic/AbcGeom/All.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

namespace Abc = Alembic::Abc;
namespace AbcA = Alembic::AbcCoreAbstract;
namespace Geom = Alembic::AbcGeom;

constexpr double fps = 24;
constexpr int frame_count = 3;

/* The sheet; its faces run clockwise seen from the tip of the y axis, as files have them. */
struct Sheet {
    std::vector<Abc::V3f> points, normals;
    std::vector<Abc::V2f> uvs;
    std::vector<std::int32_t> corners, sizes = {4, 4, 4, 4};
    std::vector<std::uint32_t> uv_index;

    Sheet() {
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) {
                points.emplace_back(0.5F * float(i), 0.0F, 0.5F * float(j));
                normals.emplace_back(0.0F, 1.0F, 0.0F);
                uvs.emplace_back(0.5F * float(i), 1 - 0.5F * float(j));
            }
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++)
                for (const int corner : {0, 1, 4, 3})
                    corners.push_back(3 * j + i + corner);
        uv_index.assign(corners.begin(), corners.end());
    }

    template <class Sample> Sample sample() const {
        return Sample(Abc::P3fArraySample(points), Abc::Int32ArraySample(corners),
                      Abc::Int32ArraySample(sizes));
    }

    Geom::OV2fGeomParam::Sample corner_uvs() const {
        return Geom::OV2fGeomParam::Sample(
            Abc::V2fArraySample(uvs), Abc::UInt32ArraySample(uv_index), Geom::kFacevaryingScope);
    }
};

/* A quarter about the y axis through (1, 0, 0), then (2 f, 1, 0); for row vectors. */
Abc::M44d world_at(int frame) {
    return Abc::M44d(0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1 + 2.0 * frame, 1, 1, 1);
}

std::uint32_t uniform_times(Abc::OArchive &archive) {
    return archive.addTimeSampling(AbcA::TimeSampling(1 / fps, 1 / fps));
}

Geom::XformSample matrix_sample(const Abc::M44d &matrix) {
    Geom::XformSample sample;
    sample.addOp({Geom::kMatrixOperation, Geom::kMatrixHint}, matrix);
    return sample;
}

void place(Geom::OXform &xform, Geom::XformSample sample) {
    xform.getSchema().set(sample);
}

/* ---- Maya ---- */

/* The stack of a Maya transform with a rotation about a pivot. */
Geom::XformSample pivot_stack(int frame) {
    const Abc::V3d pivot(1, 0, 0), none(0, 0, 0);
    Geom::XformSample sample;
    sample.addOp({Geom::kTranslateOperation, Geom::kTranslateHint}, Abc::V3d(2.0 * frame, 0, 0));
    sample.addOp({Geom::kTranslateOperation, Geom::kRotatePivotTranslationHint}, none);
    sample.addOp({Geom::kTranslateOperation, Geom::kRotatePivotPointHint}, pivot);
    sample.addOp({Geom::kRotateZOperation, Geom::kRotateHint}, 0.0);
    sample.addOp({Geom::kRotateYOperation, Geom::kRotateHint}, 90.0);
    sample.addOp({Geom::kRotateXOperation, Geom::kRotateHint}, 0.0);
    sample.addOp({Geom::kTranslateOperation, Geom::kRotatePivotPointHint}, -pivot);
    sample.addOp({Geom::kTranslateOperation, Geom::kScalePivotPointHint}, pivot);
    sample.addOp({Geom::kScaleOperation, Geom::kScaleHint}, Abc::V3d(1, 1, 1));
    sample.addOp({Geom::kTranslateOperation, Geom::kScalePivotPointHint}, -pivot);
    return sample;
}

/* Groups above the shape, uv and colour sets by corner and indexed, normals by corner, visibility,
 * a face set for each shading group. */
void write_maya(Abc::OArchive &archive, const Sheet &sheet) {
    const std::uint32_t time = uniform_times(archive);
    Geom::OXform group(archive.getTop(), "group1");
    Geom::XformSample up;
    up.addOp({Geom::kTranslateOperation, Geom::kTranslateHint}, Abc::V3d(0, 1, 0));
    place(group, up);
    Geom::OXform plane(group, "pPlane1", time);
    for (int frame = 1; frame <= frame_count; frame++)
        place(plane, pivot_stack(frame));
    Geom::OVisibilityProperty visible = Geom::CreateVisibilityProperty(plane, time);
    for (int frame = 1; frame <= frame_count; frame++)
        visible.set(Geom::kVisibilityVisible);
    Geom::OPolyMesh shape(plane, "pPlaneShape1");
    auto sample = sheet.sample<Geom::OPolyMeshSchema::Sample>();
    shape.getSchema().setUVSourceName("map1");
    sample.setUVs(sheet.corner_uvs());
    const std::vector<Abc::N3f> normals(sheet.corners.size(), Abc::N3f(0, 1, 0));
    sample.setNormals(
        Geom::ON3fGeomParam::Sample(Abc::N3fArraySample(normals), Geom::kFacevaryingScope));
    shape.getSchema().set(sample);
    Abc::OCompoundProperty arb = shape.getSchema().getArbGeomParams();
    Geom::OV2fGeomParam(arb, "map2", true, Geom::kFacevaryingScope, 1).set(sheet.corner_uvs());
    const std::vector<Abc::C4f> colours(2, Abc::C4f(1, 0, 0, 1));
    const std::vector<std::uint32_t> index(sheet.corners.size(), 1);
    Geom::OC4fGeomParam(arb, "Cd", true, Geom::kFacevaryingScope, 1)
        .set(Geom::OC4fGeomParam::Sample(Abc::C4fArraySample(colours),
                                         Abc::UInt32ArraySample(index), Geom::kFacevaryingScope));
    const std::vector<std::int32_t> faces = {0, 2};
    shape.getSchema()
        .createFaceSet("lambert2SG")
        .getSchema()
        .set(Geom::OFaceSetSchema::Sample(Abc::Int32ArraySample(faces)));
}

/* ---- Houdini ---- */

/* One matrix that does not inherit, everything by point, velocities, the same sheet again as an
 * instance. */
void write_houdini(Abc::OArchive &archive, const Sheet &sheet) {
    const std::uint32_t time = uniform_times(archive);
    Geom::OXform subnet(archive.getTop(), "obj");
    place(subnet, matrix_sample(Abc::M44d().setTranslation(Abc::V3d(100, 0, 0))));
    Geom::OXform geo(subnet, "geo1", time);
    Geom::OPolyMesh shape(geo, "geo1Shape", time);
    Abc::OCompoundProperty arb = shape.getSchema().getArbGeomParams();
    Geom::OC3fGeomParam colour(arb, "Cd", false, Geom::kVertexScope, 1, time);
    Geom::OInt32GeomParam id(arb, "id", false, Geom::kVaryingScope, 1, time);
    const std::vector<Abc::C3f> red(9, Abc::C3f(1, 0, 0));
    const std::vector<std::int32_t> ids = {8, 7, 6, 5, 4, 3, 2, 1, 0};
    const std::vector<Abc::V3f> still(9, Abc::V3f(0, 0, 0));
    const std::vector<Abc::N3f> normals(9, Abc::N3f(0, 1, 0));
    for (int frame = 1; frame <= frame_count; frame++) {
        Geom::XformSample placed = matrix_sample(world_at(frame));
        placed.setInheritsXforms(false);
        place(geo, placed);
        auto sample = sheet.sample<Geom::OPolyMeshSchema::Sample>();
        sample.setUVs(
            Geom::OV2fGeomParam::Sample(Abc::V2fArraySample(sheet.uvs), Geom::kVaryingScope));
        sample.setNormals(
            Geom::ON3fGeomParam::Sample(Abc::N3fArraySample(normals), Geom::kVaryingScope));
        sample.setVelocities(Abc::V3fArraySample(still));
        shape.getSchema().set(sample);
        colour.set(Geom::OC3fGeomParam::Sample(Abc::C3fArraySample(red), Geom::kVertexScope));
        id.set(Geom::OInt32GeomParam::Sample(Abc::Int32ArraySample(ids), Geom::kVaryingScope));
    }
    Geom::OXform packed(archive.getTop(), "packed");
    packed.addChildInstance(shape, "geo1Shape");
}

/* ---- Cortex ---- */

/* Lists of times for everything, points that never change given once beside those that may. */
void write_cortex(Abc::OArchive &archive, const Sheet &sheet) {
    const std::vector<Abc::chrono_t> times = {1 / fps, 2 / fps, 3 / fps};
    const std::uint32_t time = archive.addTimeSampling(
        AbcA::TimeSampling(AbcA::TimeSamplingType(AbcA::TimeSamplingType::kAcyclic), times));
    Geom::OXform outer(archive.getTop(), "char", time);
    Geom::OXform inner(outer, "cape", time);
    Geom::OPolyMesh shape(inner, "cape", time);
    Abc::OCompoundProperty arb = shape.getSchema().getArbGeomParams();
    Geom::OP3fGeomParam(arb, "Pref", false, Geom::kVertexScope, 1)
        .set(Geom::OP3fGeomParam::Sample(Abc::P3fArraySample(sheet.points), Geom::kVertexScope));
    for (int frame = 1; frame <= frame_count; frame++) {
        place(outer, matrix_sample(world_at(frame)));
        place(inner, matrix_sample(Abc::M44d()));
        auto sample = sheet.sample<Geom::OPolyMeshSchema::Sample>();
        sample.setUVs(sheet.corner_uvs());
        shape.getSchema().set(sample);
    }
    Abc::OStringProperty(shape.getSchema().getUserProperties(), "ieTags").set("cloth");
}

/* ---- USD ---- */

/* A scope without a schema, a subdivision surface with creases, primvars as parameters. */
void write_usd(Abc::OArchive &archive, const Sheet &sheet) {
    const std::uint32_t time = uniform_times(archive);
    Abc::OObject world(archive.getTop(), "World");
    Geom::OXform geo(world, "geo", time);
    for (int frame = 1; frame <= frame_count; frame++)
        place(geo, matrix_sample(world_at(frame)));
    Geom::OSubD sheet_object(geo, "sheet", time);
    Geom::OSubDSchema::Sample sample = sheet.sample<Geom::OSubDSchema::Sample>();
    const std::vector<std::int32_t> crease = {3, 4, 5}, lengths = {3};
    const std::vector<float> sharpness = {10};
    sample.setCreases(Abc::Int32ArraySample(crease), Abc::Int32ArraySample(lengths),
                      Abc::FloatArraySample(sharpness));
    sample.setSubdivisionScheme("catmull-clark");
    sample.setFaceVaryingInterpolateBoundary(1);
    sample.setInterpolateBoundary(2);
    sheet_object.getSchema().setUVSourceName("st");
    sample.setUVs(sheet.corner_uvs());
    sheet_object.getSchema().set(sample);
    for (int frame = 2; frame <= frame_count; frame++)
        sheet_object.getSchema().setFromPrevious();
    Abc::OCompoundProperty arb = sheet_object.getSchema().getArbGeomParams();
    const std::vector<Abc::C3f> colour(1, Abc::C3f(1, 0, 0));
    Geom::OC3fGeomParam(arb, "primvars:displayColor", false, Geom::kConstantScope, 1)
        .set(Geom::OC3fGeomParam::Sample(Abc::C3fArraySample(colour), Geom::kConstantScope));
    Geom::CreateVisibilityProperty(sheet_object, 0).set(Geom::kVisibilityDeferred);
}

struct Host {
    AbcHost about;
    void (*write)(Abc::OArchive &archive, const Sheet &sheet);
};

constexpr Host hosts[] = {
    {{"maya", "/group1/pPlane1/pPlaneShape1", "map1"}, write_maya},
    {{"houdini", "/obj/geo1/geo1Shape", "uv"}, write_houdini},
    {{"cortex", "/char/cape/cape", "uv"}, write_cortex},
    {{"usd", "/World/geo/sheet", "st"}, write_usd},
};

} // namespace

int abc_host_count(void) {
    return int(sizeof hosts / sizeof hosts[0]);
}

AbcHost abc_host(int host) {
    return hosts[host].about;
}

bool abc_host_write(int host, const char *path) {
    try {
        Abc::OArchive archive(Alembic::AbcCoreOgawa::WriteArchive(), path);
        hosts[host].write(archive, Sheet());
        return true;
    } catch (const std::exception &exception) {
        std::fprintf(stderr, "%s: %s\n", hosts[host].about.name, exception.what());
        return false;
    }
}
