/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The reader behind abcc_reader. Everything is read through the library's core readers: they follow
 * no instances and hide no conversions, so each value can be checked before it is used. */
#ifndef TL_ABC_READER_H
#define TL_ABC_READER_H

#include "abc_common.h"
#include "abc_stream.h"

#include <Alembic/AbcCoreAbstract/All.h>
#include <Alembic/AbcGeom/XformSample.h>

#include <deque>
#include <istream>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tl_abc {

namespace AbcA = Alembic::AbcCoreAbstract;
namespace Util = Alembic::Util;
using Compound = AbcA::CompoundPropertyReaderPtr;
using ArrayReader = AbcA::ArrayPropertyReaderPtr;
using ScalarReader = AbcA::ScalarPropertyReaderPtr;

/* One parameter of an object. */
struct Param {
    std::string name, meaning;
    abcc_where where = ABCC_IN_ARB;
    abcc_scope scope = ABCC_NONE;
    AbcA::DataType type;
    std::uint32_t samples = 0;
    ScalarReader scalar; /* one of these two */
    ArrayReader values;
    ArrayReader indices; /* NULL: not indexed */
};

using Params = std::vector<Param>;

/* Values that belong to faces, vertices or corners of a mesh. */
struct GeomParam {
    std::string name;
    abcc_scope scope = ABCC_NONE;
    ArrayReader values;  /* NULL: there is no such parameter */
    ArrayReader indices; /* NULL: not indexed */
};

/* One row of the object table. */
struct Object {
    std::string name, path, schema, source, uv_name;
    abcc_obj parent = 0, instance_of = 0;
    abcc_kind kind = ABCC_OTHER;
    std::uint32_t samples = 0;
    bool constant = true;
    AbcA::TimeSamplingPtr times;
    AbcA::ObjectReaderPtr reader;
    Compound data; /* the schema's properties; may be NULL */
    /* made when first asked for */
    std::unique_ptr<const Params> params;
    std::unique_ptr<const std::vector<GeomParam>> uv_sets;
};

/* Two samples around a time and the weight of the later one. */
struct Span {
    std::uint32_t floor = 0, ceil = 0;
    double weight = 0;
};

Span span_at(const AbcA::TimeSampling &times, std::size_t samples, double seconds);

/* A property by name and type: NULL when absent, a Failure when it has another type. An `extent` of
 * 0 accepts any. */
ArrayReader find_array(const Object &object, const Compound &parent, const char *name,
                       Util::PlainOldDataType pod, unsigned extent);
ScalarReader find_scalar(const Object &object, const Compound &parent, const char *name,
                         Util::PlainOldDataType pod, unsigned extent);
Compound find_compound(const Compound &parent, const char *name);
/* A scalar that may be done without: NULL when it is absent or has another type. */
ScalarReader find_optional(const Compound &parent, const char *name, Util::PlainOldDataType pod,
                           unsigned extent);

/* A parameter of floats, `width` of them a value, below the data of an object; empty when there is
 * none, or one of another type. */
GeomParam find_geom_param(const Object &object, const char *name, unsigned width);

/* One sample of a transform with its operations. */
Alembic::AbcGeom::XformSample read_xform(const Object &object, std::uint32_t sample);

/* User properties and arbitrary parameters of an object. */
const Params &params_of(abcc_reader *reader, abcc_obj obj);

/* Refuses a sample that an object has not. */
void need_sample(const Object &object, std::uint32_t sample);

abcc_scope scope_of(const AbcA::MetaData &metadata);

/* Lists the objects of an open archive into reader.objects. */
void list_objects(abcc_reader &reader, const abcc_limits &limits);

} // namespace tl_abc

struct abcc_reader {
    explicit abcc_reader(const char *path) : file(path), stream(&file) {
        stream.exceptions(std::ios_base::badbit | std::ios_base::failbit | std::ios_base::eofbit);
    }

    unsigned flags = 0;
    tl_abc::InFile file;
    std::istream stream;
    tl_abc::AbcA::ArchiveReaderPtr archive;
    std::string application, description, library, date;
    double fps = 0;
    std::deque<tl_abc::Object> objects; /* stay where they are: others point to their texts */
    std::unordered_map<std::string_view, abcc_obj> by_path;
    std::unordered_set<std::string> texts; /* handed out, so kept until the end */
    std::mutex lock; /* held by every call: the file behind is one stream anyway */
};

namespace tl_abc {

/* Runs a call on a reader. Once the file could not be read, no call succeeds any more. */
template <class Body>
abcc_status on_reader(abcc_reader *reader, abcc_error *error, Body &&body) noexcept {
    abcc_status status = guarded(error, ABCC_E_CORRUPT, [&] {
        need(reader, "the reader");
        const std::lock_guard<std::mutex> held(reader->lock);
        body();
        return ABCC_OK;
    });
    if (reader && reader->file.failed())
        return tl_abc_fail(error, ABCC_E_IO,
                           "the file could not be read, or it was cut while it was open");
    return status;
}

Object &object_of(abcc_reader *reader, abcc_obj obj);

} // namespace tl_abc

#endif
