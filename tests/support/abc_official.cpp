/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
#include "abc_official.h"

#include <Alembic/Abc/All.h>
#include <Alembic/AbcCoreOgawa/All.h>
#include <Alembic/AbcGeom/All.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace Abc = Alembic::Abc;
namespace AbcA = Alembic::AbcCoreAbstract;
namespace Util = Alembic::Util;

namespace {

/* The first difference, on its way to the caller. */
struct Difference {
    std::string text;
};

void need(bool equal, const std::string &where, const std::string &what) {
    if (!equal)
        throw Difference{where + ": " + what};
}

template <class T>
void need_same(const T &a, const T &b, const std::string &where, const std::string &what) {
    need(a == b, where, what + " differ: " + std::to_string(a) + " and " + std::to_string(b));
}

Abc::IArchive open(const char *path) {
    Abc::IArchive archive(Alembic::AbcCoreOgawa::ReadArchive(), path);
    if (!archive.valid())
        throw Difference{std::string(path) + ": the library cannot open it"};
    return archive;
}

Abc::IObject find(const Abc::IArchive &archive, const char *path) {
    Abc::IObject object = archive.getTop();
    const std::string whole = path;
    for (std::size_t begin = 1; begin < whole.size();) {
        const std::size_t end = std::min(whole.find('/', begin), whole.size());
        object = object.getChild(whole.substr(begin, end - begin));
        if (!object.valid())
            throw Difference{whole + ": there is no such object"};
        begin = end + 1;
    }
    return object;
}

class Comparison {
public:
    explicit Comparison(bool with_times) : with_times_(with_times) {
    }

    void archives(Abc::IArchive a, Abc::IArchive b) {
        const auto pa = a.getPtr(), pb = b.getPtr();
        need(pa->getMetaData().serialize() == pb->getMetaData().serialize(), "archive",
             "metadata differ: " + pa->getMetaData().serialize() + " and " +
                 pb->getMetaData().serialize());
        need_same(pa->getNumTimeSamplings(), pb->getNumTimeSamplings(), "archive",
                  "numbers of time samplings");
        for (std::uint32_t i = 0; i < pa->getNumTimeSamplings(); i++) {
            const std::string where = "time sampling " + std::to_string(i);
            need(*pa->getTimeSampling(i) == *pb->getTimeSampling(i), where, "times differ");
            need_same(pa->getMaxNumSamplesForTimeSamplingIndex(i),
                      pb->getMaxNumSamplesForTimeSamplingIndex(i), where, "greatest counts");
        }
        objects(a.getTop(), b.getTop());
    }

    void objects(const Abc::IObject &a, const Abc::IObject &b) {
        const std::string where = a.getFullName();
        need(a.getMetaData().serialize() == b.getMetaData().serialize(), where, "metadata differ");
        need(a.isInstanceRoot() == b.isInstanceRoot(), where, "only one is an instance");
        if (a.isInstanceRoot()) {
            Abc::IObject one = a, other = b;
            need(one.instanceSourcePath() == other.instanceSourcePath(), where,
                 "sources of the instance differ");
            return;
        }
        Util::Digest hash_a, hash_b;
        if (with_times_ && Abc::IObject(a).getPropertiesHash(hash_a) &&
            Abc::IObject(b).getPropertiesHash(hash_b) && !(hash_a == hash_b))
            hashes_differ_ = hashes_differ_.empty() ? where : hashes_differ_;
        compounds(a.getProperties(), b.getProperties(), where);
        need_same(a.getNumChildren(), b.getNumChildren(), where, "numbers of children");
        for (std::size_t i = 0; i < a.getNumChildren(); i++) {
            const std::string name = a.getChildHeader(i).getName();
            need(name == b.getChildHeader(i).getName(), where, "children differ at " + name);
            objects(a.getChild(i), b.getChild(i));
        }
        need(hashes_differ_.empty(), hashes_differ_, "hashes of all properties differ");
    }

    void compounds(const Abc::ICompoundProperty &a, const Abc::ICompoundProperty &b,
                   const std::string &where) {
        need_same(a.getNumProperties(), b.getNumProperties(), where, "numbers of properties");
        for (std::size_t i = 0; i < a.getNumProperties(); i++) {
            const AbcA::PropertyHeader &one = a.getPropertyHeader(i);
            const AbcA::PropertyHeader *other = b.getPropertyHeader(one.getName());
            const std::string path = where + " " + one.getName();
            need(other != nullptr, path, "only the first has it");
            properties(a, b, one, *other, path);
        }
    }

private:
    void properties(const Abc::ICompoundProperty &a, const Abc::ICompoundProperty &b,
                    const AbcA::PropertyHeader &one, const AbcA::PropertyHeader &other,
                    const std::string &where) {
        need(one.getPropertyType() == other.getPropertyType(), where, "kinds differ");
        need(one.getMetaData().serialize() == other.getMetaData().serialize(), where,
             "metadata differ: " + one.getMetaData().serialize() + " and " +
                 other.getMetaData().serialize());
        if (one.isCompound()) {
            compounds(Abc::ICompoundProperty(a, one.getName()),
                      Abc::ICompoundProperty(b, one.getName()), where);
            return;
        }
        need(one.getDataType() == other.getDataType(), where, "types differ");
        if (with_times_)
            need(*one.getTimeSampling() == *other.getTimeSampling(), where, "times differ");
        const auto pa = a.getPtr(), pb = b.getPtr();
        if (one.isScalar())
            scalars(pa->getScalarProperty(one.getName()), pb->getScalarProperty(one.getName()),
                    where);
        else
            arrays(pa->getArrayProperty(one.getName()), pb->getArrayProperty(one.getName()), where);
    }

    /* How many samples to compare. */
    std::size_t samples(std::size_t a, std::size_t b, const std::string &where) const {
        if (with_times_)
            need_same(a, b, where, "numbers of samples");
        need((a == 0) == (b == 0), where, "only one has samples");
        return std::max(a, b);
    }

    void scalars(const AbcA::ScalarPropertyReaderPtr &a, const AbcA::ScalarPropertyReaderPtr &b,
                 const std::string &where) {
        const AbcA::DataType type = a->getDataType();
        const std::size_t na = a->getNumSamples(), nb = b->getNumSamples();
        for (std::size_t i = 0, n = samples(na, nb, where); i < n; i++) {
            const auto va = AbcA::AllocateArraySample(type, Util::Dimensions(1));
            const auto vb = AbcA::AllocateArraySample(type, Util::Dimensions(1));
            a->getSample(AbcA::index_t(std::min(i, na - 1)), const_cast<void *>(va->getData()));
            b->getSample(AbcA::index_t(std::min(i, nb - 1)), const_cast<void *>(vb->getData()));
            values(*va, *vb, where + " sample " + std::to_string(i));
        }
        if (with_times_)
            need(a->isConstant() == b->isConstant(), where, "only one is constant");
    }

    void arrays(const AbcA::ArrayPropertyReaderPtr &a, const AbcA::ArrayPropertyReaderPtr &b,
                const std::string &where) {
        const std::size_t na = a->getNumSamples(), nb = b->getNumSamples();
        for (std::size_t i = 0, n = samples(na, nb, where); i < n; i++) {
            const auto ia = AbcA::index_t(std::min(i, na - 1)),
                       ib = AbcA::index_t(std::min(i, nb - 1));
            const std::string here = where + " sample " + std::to_string(i);
            AbcA::ArraySamplePtr va, vb;
            AbcA::ArraySampleKey ka, kb;
            a->getSample(ia, va);
            b->getSample(ib, vb);
            values(*va, *vb, here);
            need(a->getKey(ia, ka) == b->getKey(ib, kb) && ka.digest == kb.digest, here,
                 "keys differ");
        }
        if (with_times_) {
            need(a->isConstant() == b->isConstant(), where, "only one is constant");
            need(a->isScalarLike() == b->isScalarLike(), where, "only one is like a scalar");
        }
    }

    /* Bit for bit. */
    static void values(const AbcA::ArraySample &a, const AbcA::ArraySample &b,
                       const std::string &where) {
        need(a.getDimensions() == b.getDimensions(), where, "sizes differ");
        const AbcA::DataType &type = a.getDataType();
        const std::size_t count = a.size() * type.getExtent();
        for (std::size_t i = 0; i < count; i++) {
            bool equal = true;
            if (type.getPod() == Util::kStringPOD)
                equal = static_cast<const std::string *>(a.getData())[i] ==
                        static_cast<const std::string *>(b.getData())[i];
            else if (type.getPod() == Util::kWstringPOD)
                equal = static_cast<const std::wstring *>(a.getData())[i] ==
                        static_cast<const std::wstring *>(b.getData())[i];
            else
                equal = std::memcmp(static_cast<const char *>(a.getData()) +
                                        i * Util::PODNumBytes(type.getPod()),
                                    static_cast<const char *>(b.getData()) +
                                        i * Util::PODNumBytes(type.getPod()),
                                    Util::PODNumBytes(type.getPod())) == 0;
            need(equal, where, "values differ at number " + std::to_string(i));
        }
    }

    bool with_times_;
    std::string hashes_differ_; /* told only when nothing clearer is found */
};

template <class Body> bool compare(char *text, std::size_t size, Body &&body) {
    try {
        body();
        return true;
    } catch (const Difference &difference) {
        std::snprintf(text, size, "%s", difference.text.c_str());
    } catch (const std::exception &exception) {
        std::snprintf(text, size, "%s", exception.what());
    }
    return false;
}

/* The compound that a schema keeps its data in. */
Abc::ICompoundProperty data_of(const Abc::IObject &object) {
    for (const char *name : {".geom", ".xform", ".faceset"})
        if (const auto *header = object.getProperties().getPropertyHeader(name))
            return Abc::ICompoundProperty(object.getProperties(), header->getName());
    throw Difference{object.getFullName() + ": there is no data"};
}

void compare_facesets(const Abc::IObject &a, const Abc::IObject &b) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < a.getNumChildren(); i++)
        if (Alembic::AbcGeom::IFaceSet::matches(a.getChildHeader(i)))
            names.push_back(a.getChildHeader(i).getName());
    need_same(names.size(), b.getNumChildren(), a.getFullName(), "numbers of face sets");
    for (const std::string &name : names) {
        const Abc::IObject one = a.getChild(name), other = b.getChild(name);
        need(other.valid(), one.getFullName(), "only the first has this face set");
        Comparison(false).compounds(data_of(one), data_of(other), one.getFullName());
    }
}

} // namespace

bool abc_official_equal(const char *a, const char *b, char *text, size_t size) {
    return compare(text, size, [&] { Comparison(true).archives(open(a), open(b)); });
}

bool abc_official_equal_params(const char *a, const char *object_a, const char *b,
                               const char *object_b, const char *compound, char *text,
                               size_t size) {
    return compare(text, size, [&] {
        const Abc::IArchive one = open(a), other = open(b);
        const Abc::IObject from = find(one, object_a), to = find(other, object_b);
        if (!compound) {
            compare_facesets(from, to);
            return;
        }
        const Abc::ICompoundProperty data_a = data_of(from), data_b = data_of(to);
        need(data_a.getPropertyHeader(compound) && data_b.getPropertyHeader(compound), compound,
             "not in both");
        Comparison(false).compounds(Abc::ICompoundProperty(data_a, compound),
                                    Abc::ICompoundProperty(data_b, compound), object_a);
    });
}

long abc_official_floats(const char *path, const char *object, const char *property, long sample,
                         float *values, long room) {
    try {
        const Abc::IArchive archive = open(path);
        const Abc::ICompoundProperty data = data_of(find(archive, object));
        const auto *header = data.getPropertyHeader(property);
        if (!header || !header->isArray() || header->getDataType().getPod() != Util::kFloat32POD)
            return -1;
        AbcA::ArraySamplePtr found;
        data.getPtr()->getArrayProperty(property)->getSample(sample, found);
        const auto count = static_cast<long>(found->size() * header->getDataType().getExtent());
        std::copy_n(static_cast<const float *>(found->getData()), std::min(count, room), values);
        return count;
    } catch (...) {
        return -1;
    }
}

namespace {

namespace AbcGeom = Alembic::AbcGeom;

AbcA::MetaData marked(const char *value) {
    AbcA::MetaData metadata;
    metadata.set("studio", value);
    return metadata;
}

AbcA::MetaData scoped(AbcGeom::GeometryScope scope) {
    AbcA::MetaData metadata = marked("scope");
    AbcGeom::SetGeometryScope(metadata, scope);
    return metadata;
}

/* One value a corner in two ways: directly, and through indices. */
void add_corner_params(Abc::OCompoundProperty arb, std::uint32_t times) {
    AbcGeom::OStringGeomParam texts(arb, "texts", false, AbcGeom::kFacevaryingScope, 1);
    const std::vector<std::string> words{"a", "", "b c", "\xc3\xa9", "e", "f", "g"};
    texts.set(AbcGeom::OStringGeomParam::Sample(Abc::StringArraySample(words),
                                                AbcGeom::kFacevaryingScope));
    AbcGeom::OInt32GeomParam numbers(arb, "numbers", true, AbcGeom::kFacevaryingScope, 1, times,
                                     marked("indexed"));
    for (int k = 0; k < 3; k++) {
        const std::vector<std::int32_t> values{k, 10, 20};
        const std::vector<std::uint32_t> indices{0, 1, 2, 2, 1, 0, 1};
        numbers.set(AbcGeom::OInt32GeomParam::Sample(Abc::Int32ArraySample(values),
                                                     Abc::UInt32ArraySample(indices),
                                                     AbcGeom::kFacevaryingScope));
    }
}

void add_strange(Abc::OCompoundProperty parent, std::uint32_t times, int samples) {
    Abc::OCompoundProperty outer(parent, "outer", marked("one"));
    Abc::OCompoundProperty inner(outer, "inner", marked("two"));
    Abc::OCompoundProperty(outer, "empty", marked("three"));
    Abc::OWstringProperty(inner, "wide").set(L"w\x00efde");
    Abc::OHalfArrayProperty halves(inner, "halves", scoped(AbcGeom::kVertexScope));
    const std::vector<Util::float16_t> half(5, Util::float16_t(0.5f));
    halves.set(Abc::HalfArraySample(half));
    Abc::OFloatArrayProperty table(inner, "table");
    const std::vector<float> cells{1, 2, 3, 4, 5, 6};
    Util::Dimensions dimensions;
    dimensions.setRank(2);
    dimensions[0] = 2;
    dimensions[1] = 3;
    table.set(Abc::FloatArraySample(cells.data(), dimensions));
    Abc::OInt32Property(inner, "never");
    Abc::ODoubleProperty moving(inner, "moving", times, marked("four"));
    for (int k = 0; k < samples; k++)
        moving.set(0.1 * (k / 2));
}

} // namespace

void abc_official_write_strange(const char *path) {
    Abc::OArchive archive(Alembic::AbcCoreOgawa::WriteArchive(), path);
    const std::uint32_t times = archive.addTimeSampling(AbcA::TimeSampling(1 / 24.0, 0));
    AbcGeom::OPolyMesh mesh(archive.getTop(), "source", times);
    const std::vector<Imath::V3f> points{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}};
    const std::vector<std::int32_t> index{0, 3, 2, 1, 1, 2, 4}, counts{4, 3};
    for (int k = 0; k < 3; k++)
        mesh.getSchema().set(AbcGeom::OPolyMeshSchema::Sample(Abc::P3fArraySample(points),
                                                              Abc::Int32ArraySample(index),
                                                              Abc::Int32ArraySample(counts)));
    add_corner_params(mesh.getSchema().getArbGeomParams(), times);
    add_strange(mesh.getSchema().getArbGeomParams(), times, 3);
    add_strange(mesh.getSchema().getUserProperties(), times, 3);
    AbcGeom::OFaceSet &set = mesh.getSchema().createFaceSet("set");
    const std::vector<std::int32_t> faces{1};
    set.getSchema().set(AbcGeom::OFaceSetSchema::Sample(Abc::Int32ArraySample(faces)));
    set.getSchema().setFaceExclusivity(AbcGeom::kFaceSetExclusive);
    add_strange(set.getSchema().getUserProperties(), 0, 1);
}
