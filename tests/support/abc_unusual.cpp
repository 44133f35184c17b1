/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Sound archives of kinds that are seldom met, written by the official library, since the shim
 * writes none of them: every type of value, every way to store samples, odd headers, every schema,
 * deep and wide trees, instances. */
#include "abc_unusual.h"

#include <Alembic/Abc/All.h>
#include <Alembic/AbcCollection/All.h>
#include <Alembic/AbcCoreOgawa/All.h>
#include <Alembic/AbcGeom/All.h>
#include <Alembic/AbcMaterial/All.h>

#include <cmath>
#include <exception>
#include <string>
#include <vector>

namespace {

namespace Abc = Alembic::Abc;
namespace AbcA = Alembic::AbcCoreAbstract;
namespace Geom = Alembic::AbcGeom;
namespace Util = Alembic::Util;

constexpr double frame_s = 1.0 / 24;

const Abc::V3f points[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
const std::int32_t corners[4] = {0, 1, 2, 3};
const std::int32_t sizes[1] = {4};
const Abc::V2f uvs[4] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};

Geom::OPolyMeshSchema::Sample quad() {
    return Geom::OPolyMeshSchema::Sample(Abc::P3fArraySample(points, 4),
                                         Abc::Int32ArraySample(corners, 4),
                                         Abc::Int32ArraySample(sizes, 1));
}

Geom::OSubDSchema::Sample cage() {
    return Geom::OSubDSchema::Sample(Abc::P3fArraySample(points, 4),
                                     Abc::Int32ArraySample(corners, 4),
                                     Abc::Int32ArraySample(sizes, 1));
}

std::uint32_t frames(Abc::OArchive &archive) {
    return archive.addTimeSampling(AbcA::TimeSampling(frame_s, frame_s));
}

/* ---- values ---- */

template <class Property> void add_array(Abc::OCompoundProperty &parent, const char *name) {
    using Value = typename Property::value_type;
    using Sample = typename Property::sample_type;
    const std::vector<Value> values(6);
    Property property(parent, name);
    property.set(Sample(values.data(), 0));
    property.set(Sample(values.data(), values.size()));
    property.set(Sample(values.data(), Util::Dimensions(6)));
    Util::Dimensions table;
    table.setRank(2);
    table[0] = 2;
    table[1] = 3;
    property.set(Sample(values.data(), table));
}

template <class Property> void add_scalar(Abc::OCompoundProperty &parent, const char *name) {
    Property property(parent, name);
    property.set(typename Property::value_type());
}

void write_values(Abc::OArchive &archive) {
    Geom::OPolyMesh mesh(archive.getTop(), "mesh");
    mesh.getSchema().set(quad());
    Abc::OCompoundProperty user = mesh.getSchema().getUserProperties();
    add_array<Abc::OBoolArrayProperty>(user, "bools");
    add_array<Abc::OUcharArrayProperty>(user, "uint8s");
    add_array<Abc::OCharArrayProperty>(user, "int8s");
    add_array<Abc::OUInt16ArrayProperty>(user, "uint16s");
    add_array<Abc::OInt64ArrayProperty>(user, "int64s");
    add_array<Abc::OHalfArrayProperty>(user, "halves");
    add_array<Abc::ODoubleArrayProperty>(user, "doubles");
    add_array<Abc::OStringArrayProperty>(user, "texts");
    add_array<Abc::OWstringArrayProperty>(user, "wide texts");
    add_array<Abc::OM44dArrayProperty>(user, "matrices");
    add_array<Abc::OBox3dArrayProperty>(user, "boxes");
    add_scalar<Abc::OBoolProperty>(user, "bool");
    add_scalar<Abc::OHalfProperty>(user, "half");
    add_scalar<Abc::OStringProperty>(user, "empty text");
    add_scalar<Abc::OWstringProperty>(user, "empty wide text");
    add_scalar<Abc::OM44fProperty>(user, "matrix");
    Abc::OWstringProperty(user, "wide text").set(L"d\u00e9j\u00e0 vu");
    Abc::OStringProperty text(user, "long text");
    text.set(std::string(100000, 'x'));
    Abc::OStringArrayProperty mixed(user, "mixed texts");
    const std::string strings[4] = {"", "a", "", "b\xc3\xa9"};
    mixed.set(Abc::StringArraySample(strings, 4));
    AbcA::ScalarPropertyWriterPtr wide = user.getPtr()->createScalarProperty(
        "255 bytes", AbcA::MetaData(), AbcA::DataType(Util::kUint8POD, 255), 0);
    const std::vector<std::uint8_t> bytes(255, 7);
    wide->setSample(bytes.data());
    AbcA::ArrayPropertyWriterPtr pairs = user.getPtr()->createArrayProperty(
        "pairs of texts", AbcA::MetaData(), AbcA::DataType(Util::kStringPOD, 2), 0);
    pairs->setSample(
        AbcA::ArraySample(strings, AbcA::DataType(Util::kStringPOD, 2), Util::Dimensions(2)));
}

/* ---- samples and times ---- */

void write_samples(Abc::OArchive &archive) {
    const std::uint32_t time = frames(archive);
    Geom::OPolyMesh mesh(archive.getTop(), "mesh", time);
    for (int i = 0; i < 8; i++)
        mesh.getSchema().set(quad());
    Abc::OCompoundProperty user = mesh.getSchema().getUserProperties();
    /* letters are values, '.' repeats by setFromPrevious */
    for (const char *pattern : {"", "a", "aa", "aaaa", "aab", "abb", "aabb", "abbba", "aabcc",
                                "abab", "a...b..", "a...", "aab..cc", "abcdefgh", "aaaaaaab"}) {
        const std::string name = std::string("p") + pattern;
        Abc::OInt32Property scalar(user, name, time);
        Abc::OFloatArrayProperty array(user, name + "[]", time);
        Abc::OStringProperty text(user, name + "$", time);
        for (const char *c = pattern; *c; c++) {
            const std::vector<float> values(std::size_t(*c % 5), float(*c));
            if (*c == '.') {
                scalar.setFromPrevious();
                array.setFromPrevious();
                text.setFromPrevious();
                continue;
            }
            scalar.set(*c);
            array.set(Abc::FloatArraySample(values));
            text.set(std::string(1, *c));
        }
    }
}

void write_times(Abc::OArchive &archive) {
    for (int i = 0; i < 300; i++) {
        const AbcA::TimeSampling uniform(frame_s * (i + 1), -1000.0 + i);
        Geom::OXform xform(archive.getTop(), "x" + std::to_string(i),
                           archive.addTimeSampling(uniform));
        for (int k = 0; k < 3; k++) {
            Geom::XformSample sample;
            sample.setTranslation(Abc::V3d(k, i, 0));
            xform.getSchema().set(sample);
        }
    }
    std::vector<double> list;
    for (int i = 0; i < 1000; i++)
        list.push_back(i * i * 1e-3);
    const AbcA::TimeSampling acyclic(AbcA::TimeSamplingType(AbcA::TimeSamplingType::kAcyclic),
                                     list);
    Geom::OPolyMesh late(archive.getTop(), "acyclic", archive.addTimeSampling(acyclic));
    for (int i = 0; i < 500; i++)
        late.getSchema().set(quad());
    const AbcA::TimeSampling cyclic(AbcA::TimeSamplingType(3, frame_s), {0.0, 0.01, 0.02});
    Geom::OPolyMesh shutter(archive.getTop(), "cyclic", archive.addTimeSampling(cyclic));
    for (int i = 0; i < 7; i++)
        shutter.getSchema().set(quad());
}

/* ---- headers ---- */

void write_headers(Abc::OArchive &archive) {
    AbcA::MetaData metadata;
    metadata.set("note", std::string(70000, 'n'));
    Abc::OObject noted(archive.getTop(), "noted", metadata);
    for (int i = 0; i < 300; i++) {
        AbcA::MetaData small;
        small.set("number", std::to_string(i));
        Abc::OObject object(archive.getTop(), "o" + std::to_string(i), small);
        Abc::OInt32Property(object.getProperties(), "p", small).set(i);
        Abc::OCompoundProperty(object.getProperties(), "empty", small);
    }
    Abc::OCompoundProperty user(noted.getProperties(), "user");
    Abc::OInt32Property(user, std::string(300, 'l')).set(1);
    Abc::OInt32Property(user, std::string(70000, 'l')).set(1);
    Abc::OInt32Property(user, "noted", metadata).set(1);
    Abc::OInt32ArrayProperty(user, "never set");
    Abc::OInt32Property(user, "never set either");
    Abc::OObject(archive.getTop(), std::string(3000, 'o'));
}

/* ---- trees ---- */

void write_deep(Abc::OArchive &archive) {
    Abc::OObject at = archive.getTop();
    std::vector<Geom::OXform> chain; /* parents must outlive their children */
    for (int i = 0; i < 200; i++) {
        chain.emplace_back(at, "x");
        Geom::XformSample sample;
        sample.setTranslation(Abc::V3d(1, 0, 0));
        chain.back().getSchema().set(sample);
        at = chain.back();
    }
    Geom::OPolyMesh mesh(at, "mesh");
    mesh.getSchema().set(quad());
    Abc::OCompoundProperty below = mesh.getSchema().getUserProperties();
    for (int i = 0; i < 100; i++)
        below = Abc::OCompoundProperty(below, "c");
    Abc::OInt32Property(below, "value").set(42);
}

void write_wide(Abc::OArchive &archive) {
    Geom::OXform top(archive.getTop(), "top");
    for (int i = 0; i < 10000; i++)
        Geom::OXform(top, "x" + std::to_string(i));
}

void write_instances(Abc::OArchive &archive) {
    Abc::OObject top = archive.getTop();
    Geom::OXform tree(top, "tree");
    Geom::OPolyMesh leaf(tree, "leaf");
    leaf.getSchema().set(quad());
    Geom::OXform copies(top, "copies");
    for (int i = 0; i < 5; i++)
        copies.addChildInstance(tree, "tree" + std::to_string(i));
    top.addChildInstance(copies, "again");
    AbcA::MetaData metadata;
    metadata.set("isInstance", "1");
    Abc::OObject lost(top, "lost", metadata);
    Abc::OStringProperty(lost.getProperties(), ".instanceSource").set("/not/there");
}

/* ---- schemas ---- */

void write_transforms(Abc::OArchive &archive) {
    Geom::OXform maya(archive.getTop(), "maya", frames(archive));
    for (int k = 0; k < 3; k++) {
        Geom::XformSample sample;
        sample.addOp({Geom::kTranslateOperation, Geom::kTranslateHint}, Abc::V3d(k, 0, 0));
        sample.addOp({Geom::kTranslateOperation, Geom::kRotatePivotPointHint}, Abc::V3d(0, 1, 0));
        sample.addOp({Geom::kRotateZOperation, Geom::kRotateHint}, 90.0);
        sample.addOp({Geom::kRotateYOperation, Geom::kRotateHint}, 10.0 * k);
        sample.addOp({Geom::kRotateXOperation, Geom::kRotateHint}, 0.0);
        sample.addOp({Geom::kMatrixOperation, Geom::kMayaShearHint}, Abc::M44d());
        sample.addOp({Geom::kScaleOperation, Geom::kScaleHint}, Abc::V3d(1, 1, -1));
        maya.getSchema().set(sample);
    }
    /* a door that opens by a quarter about a hinge at x = 1, and a head that looks over its top:
     * its angles jump, but it turns by 20 degrees only */
    Geom::OXform door(archive.getTop(), "door", frames(archive));
    Geom::OXform head(archive.getTop(), "head", frames(archive));
    for (int k = 0; k < 2; k++) {
        Geom::XformSample hinged, turned;
        hinged.addOp({Geom::kTranslateOperation, Geom::kRotatePivotPointHint}, Abc::V3d(1, 0, 0));
        hinged.addOp({Geom::kRotateYOperation, Geom::kRotateHint}, 90.0 * k);
        hinged.addOp({Geom::kTranslateOperation, Geom::kRotatePivotPointHint}, Abc::V3d(-1, 0, 0));
        door.getSchema().set(hinged);
        turned.addOp({Geom::kRotateZOperation, Geom::kRotateHint}, 180.0 * k);
        turned.addOp({Geom::kRotateYOperation, Geom::kRotateHint}, 80.0);
        turned.addOp({Geom::kRotateXOperation, Geom::kRotateHint}, 180.0 * k);
        head.getSchema().set(turned);
    }
    Geom::OXform many(archive.getTop(), "many");
    Geom::XformSample sample;
    for (int i = 0; i < 100; i++)
        sample.addOp({Geom::kTranslateOperation, Geom::kTranslateHint}, Abc::V3d(1, 0, 0));
    many.getSchema().set(sample);
    Geom::OXform alone(archive.getTop(), "alone");
    Geom::XformSample free;
    free.setInheritsXforms(false);
    alone.getSchema().set(free);
    Geom::CreateVisibilityProperty(alone, 0).set(Geom::kVisibilityHidden);
}

void write_curves(Abc::OObject parent) {
    const std::int32_t four[1] = {4};
    const float knots[8] = {0, 0, 0, 0, 1, 1, 1, 1};
    Geom::OCurves curves(parent, "curves");
    curves.getSchema().set(Geom::OCurvesSchema::Sample(Abc::P3fArraySample(points, 4),
                                                       Abc::Int32ArraySample(four, 1)));
    std::vector<Abc::V3f> net(16);
    Geom::ONuPatch patch(parent, "patch");
    patch.getSchema().set(Geom::ONuPatchSchema::Sample(Abc::P3fArraySample(net), 4, 4, 4, 4,
                                                       Abc::FloatArraySample(knots, 8),
                                                       Abc::FloatArraySample(knots, 8)));
}

void write_schemas(Abc::OArchive &archive) {
    Abc::OObject top = archive.getTop();
    write_curves(top);
    Geom::OCamera camera(top, "camera");
    camera.getSchema().set(Geom::CameraSample());
    Geom::OLight light(top, "light");
    light.getSchema().setCameraSample(Geom::CameraSample());
    Alembic::AbcMaterial::OMaterial material(top, "material");
    material.getSchema().setShader("prman", "surface", "paint");
    Abc::OFloatProperty(material.getSchema().getShaderParameters("prman", "surface"), "Kd").set(1);
    Alembic::AbcCollection::OCollections collections(top, "collections");
    const std::string paths[2] = {"/curves", "/patch"};
    collections.getSchema().createCollection("set").set(Abc::StringArraySample(paths, 2));
    AbcA::MetaData metadata;
    metadata.set("schema", "Studio_Fur_v7");
    Abc::OObject fur(top, "fur", metadata);
    Abc::OCompoundProperty below(fur.getProperties(), ".fur");
    Abc::OCompoundProperty(below, "nothing");
    Abc::OFloatProperty(below, "density").set(3);
    /* the name of a mesh, but no mesh inside */
    AbcA::MetaData mesh;
    mesh.set("schema", "AbcGeom_PolyMesh_v1");
    Abc::OObject hollow(top, "hollow", mesh);
    Abc::OObject(top, "bare");
}

void write_meshes(Abc::OArchive &archive) {
    const std::uint32_t time = frames(archive);
    Abc::OObject top = archive.getTop();
    Geom::OPolyMesh late(top, "late uvs", time);
    late.getSchema().set(quad());
    Geom::OPolyMeshSchema::Sample with_uvs = quad();
    with_uvs.setUVs(
        Geom::OV2fGeomParam::Sample(Abc::V2fArraySample(uvs, 4), Geom::kFacevaryingScope));
    late.getSchema().set(with_uvs);
    Geom::OPolyMesh points_only(top, "moving points", time);
    points_only.getSchema().set(quad());
    for (int k = 0; k < 3; k++) {
        Geom::OPolyMeshSchema::Sample moved;
        moved.setPositions(Abc::P3fArraySample(points, 4));
        points_only.getSchema().set(moved);
    }
    Geom::OPolyMesh odd(top, "odd", time);
    odd.getSchema().set(quad());
    Abc::OCompoundProperty arb = odd.getSchema().getArbGeomParams();
    Abc::OFloatProperty(arb, "plain scalar").set(1);
    Abc::OCompoundProperty(arb, "empty compound");
    Geom::OV2fGeomParam(arb, "st", true, Geom::kVertexScope, 1);
    Geom::OV2fGeomParam flat(arb, "flat", false, Geom::kUniformScope, 1);
    flat.set(Geom::OV2fGeomParam::Sample(Abc::V2fArraySample(uvs, 1), Geom::kUniformScope));
    Abc::OFloatProperty(odd.getSchema(), "odd property").set(1);
    Abc::OV3fArrayProperty(odd.getSchema(), "uv").set(Abc::V3fArraySample(points, 4));
    Geom::OFaceSet empty = odd.getSchema().createFaceSet("empty");
    empty.getSchema().set(Geom::OFaceSetSchema::Sample(Abc::Int32ArraySample(sizes, 0)));
    odd.getSchema().createFaceSet("never set");
}

void write_cages(Abc::OArchive &archive) {
    const std::int32_t run[3] = {0, 1, 2}, length[1] = {3};
    const float sharpness[2] = {1, 2};
    Geom::OSubD each(archive.getTop(), "sharpness of each edge");
    Geom::OSubDSchema::Sample sample = cage();
    sample.setCreases(Abc::Int32ArraySample(run, 3), Abc::Int32ArraySample(length, 1),
                      Abc::FloatArraySample(sharpness, 2));
    sample.setSubdivisionScheme("loop");
    each.getSchema().set(sample);
    Geom::OSubD shared(archive.getTop(), "sharpness of all corners");
    Geom::OSubDSchema::Sample corner = cage();
    corner.setCorners(Abc::Int32ArraySample(run, 3), Abc::FloatArraySample(sharpness, 1));
    shared.getSchema().set(corner);
    each.getSchema().createFaceSet("set").getSchema().set(
        Geom::OFaceSetSchema::Sample(Abc::Int32ArraySample(run, 1)));
}

/* Each level holds two instances of the one before. */
void write_unfolding(Abc::OArchive &archive, int levels, int name_length) {
    const std::string name(std::size_t(name_length) - 1, 'n');
    Geom::OPolyMesh mesh(archive.getTop(), "mesh");
    mesh.getSchema().set(quad());
    Abc::OObject before = mesh;
    for (int i = 0; i < levels; i++) {
        Abc::OObject level(archive.getTop(), "level" + std::to_string(i));
        level.addChildInstance(before, name + "a");
        level.addChildInstance(before, name + "b");
        before = level;
    }
}

/* A few kilobytes that claim many samples, since repeats are stored once: a mesh that is empty
 * until the last, and one whose points are no numbers until then. */
void write_claims(Abc::OArchive &archive) {
    constexpr int samples = 1 << 20;
    const Abc::V3f nowhere[3] = {Abc::V3f(NAN), Abc::V3f(NAN), Abc::V3f(NAN)};
    const std::int32_t three[1] = {3};
    const std::uint32_t time = frames(archive);
    Geom::OPolyMesh late(archive.getTop(), "late", time);
    Geom::OPolyMesh broken(archive.getTop(), "broken", time);
    late.getSchema().set(Geom::OPolyMeshSchema::Sample(Abc::P3fArraySample(points, 0),
                                                       Abc::Int32ArraySample(corners, 0),
                                                       Abc::Int32ArraySample(sizes, 0)));
    broken.getSchema().set(Geom::OPolyMeshSchema::Sample(Abc::P3fArraySample(nowhere, 3),
                                                         Abc::Int32ArraySample(corners, 3),
                                                         Abc::Int32ArraySample(three, 1)));
    for (int i = 2; i < samples; i++) {
        late.getSchema().setFromPrevious();
        broken.getSchema().setFromPrevious();
    }
    late.getSchema().set(quad());
    broken.getSchema().set(quad());
}

void write_sharing(Abc::OArchive &archive, int properties) {
    const std::vector<std::int32_t> values(1 << 18, 7);
    Geom::OXform transform(archive.getTop(), "transform");
    Abc::OCompoundProperty user = transform.getSchema().getUserProperties();
    for (int i = 0; i < properties; i++) {
        Abc::OInt32ArrayProperty property(user, "property" + std::to_string(i));
        property.set(Abc::Int32ArraySample(values.data(), values.size()));
    }
}

struct Kind {
    const char *name;
    void (*write)(Abc::OArchive &archive);
};

constexpr Kind kinds[] = {
    {"values", write_values},       {"samples", write_samples},
    {"times", write_times},         {"headers", write_headers},
    {"deep", write_deep},           {"wide", write_wide},
    {"instances", write_instances}, {"transforms", write_transforms},
    {"schemas", write_schemas},     {"meshes", write_meshes},
    {"cages", write_cages},         {"claims", write_claims},
};

} // namespace

int abc_unusual_count(void) {
    return int(sizeof kinds / sizeof kinds[0]);
}

const char *abc_unusual_name(int kind) {
    return kinds[kind].name;
}

namespace {

template <class Write> bool write_archive(const char *name, const char *path, Write &&write) {
    try {
        Abc::OArchive archive(Alembic::AbcCoreOgawa::WriteArchive(), path);
        write(archive);
        return true;
    } catch (const std::exception &exception) {
        std::fprintf(stderr, "%s: %s\n", name, exception.what());
        return false;
    }
}

} // namespace

bool abc_unusual_write(int kind, const char *path) {
    return write_archive(kinds[kind].name, path, kinds[kind].write);
}

bool abc_unusual_unfold(int levels, int name_length, const char *path) {
    return write_archive("unfold", path, [&](Abc::OArchive &archive) {
        write_unfolding(archive, levels, name_length);
    });
}

bool abc_unusual_share(int properties, const char *path) {
    return write_archive("share", path,
                         [&](Abc::OArchive &archive) { write_sharing(archive, properties); });
}
