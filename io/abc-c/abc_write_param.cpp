/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of what is written: arbitrary geometry parameters, user properties, visibility. Values
 * wait in memory for the sample of the object they belong to, which brings the faces that tell how
 * to turn what is stored per corner. All of them are core properties of the library; the metadata
 * makes geometry parameters of some. */
#include "abc_writer.h"

#include <cstring>

namespace tl_abc {

namespace {

/* ---- declaring ---- */

struct TypeOf {
    abcc_type type;
    Util::PlainOldDataType pod;
};

constexpr TypeOf types[] = {
    {ABCC_BOOL, Util::kBooleanPOD}, {ABCC_U8, Util::kUint8POD},    {ABCC_I8, Util::kInt8POD},
    {ABCC_U16, Util::kUint16POD},   {ABCC_I16, Util::kInt16POD},   {ABCC_U32, Util::kUint32POD},
    {ABCC_I32, Util::kInt32POD},    {ABCC_U64, Util::kUint64POD},  {ABCC_I64, Util::kInt64POD},
    {ABCC_F16, Util::kFloat16POD},  {ABCC_F32, Util::kFloat32POD}, {ABCC_F64, Util::kFloat64POD},
    {ABCC_STRING, Util::kStringPOD}};

Util::PlainOldDataType pod_of(abcc_type type) {
    for (const TypeOf &known : types)
        if (known.type == type)
            return known.pod;
    fail(ABCC_E_ARG, "a parameter of type number " + std::to_string(static_cast<int>(type)) +
                         " cannot be written");
}

AbcGeom::GeometryScope library_scope(abcc_scope scope) {
    switch (scope) {
    case ABCC_CONSTANT:
        return AbcGeom::kConstantScope;
    case ABCC_UNIFORM:
        return AbcGeom::kUniformScope;
    case ABCC_VARYING:
        return AbcGeom::kVaryingScope;
    case ABCC_VERTEX:
        return AbcGeom::kVertexScope;
    case ABCC_FACEVARYING:
        return AbcGeom::kFacevaryingScope;
    default:
        fail(ABCC_E_ARG, "a geometry parameter needs a scope");
    }
}

/* What readers recognise a geometry parameter by. */
AbcA::MetaData geometry_metadata(const abcc_param &param, const AbcA::DataType &type) {
    AbcA::MetaData metadata;
    AbcGeom::SetGeometryScope(metadata, library_scope(param.scope));
    metadata.set("isGeomParam", "true");
    metadata.set("podName", Util::PODName(type.getPod()));
    metadata.set("podExtent", std::to_string(type.getExtent()));
    metadata.set("arrayExtent", "1");
    metadata.set("interpretation", metadata_text(param.meaning));
    return metadata;
}

AbcA::MetaData metadata_of(const abcc_param &param, const AbcA::DataType &type) {
    AbcA::MetaData metadata;
    if (param.where == ABCC_IN_ARB)
        metadata = geometry_metadata(param, type);
    else if (param.meaning && *param.meaning)
        metadata.set("interpretation", metadata_text(param.meaning));
    return metadata;
}

void check_declaration(const OutObject &object, const abcc_param &param) {
    const std::string name = param.name ? param.name : "";
    if (name.empty() || name.find('/') != std::string::npos)
        fail(ABCC_E_ARG, named(name) + " is no name for a property: it is empty or holds a '/'");
    if (param.where != ABCC_IN_ARB && param.where != ABCC_IN_USER)
        fail(ABCC_E_ARG, named(name) + " is neither a geometry parameter nor a user property");
    if (param.width < 1 || param.width > 255)
        fail(ABCC_E_ARG, named(name) + " has " + std::to_string(param.width) +
                             " numbers a value; 1 to 255 are allowed");
    if (param.indexed && (param.scalar || param.where == ABCC_IN_USER))
        fail(ABCC_E_ARG,
             named(name) + " cannot be indexed: only arrays of geometry parameters can");
    if (param.samples > 1)
        fail(ABCC_E_ARG, named(name) + " needs 0 samples, as many as the object, or 1");
    if (param.samples == 0 && object.samples > 0)
        fail(ABCC_E_ORDER, named(object.path) + " has samples already, so the parameter " +
                               named(name) + " comes too late");
}

std::uint32_t add(OutObject &object, const OutParam &param) {
    object.params.push_back(param);
    return static_cast<std::uint32_t>(object.params.size() - 1);
}

/* A declared parameter is one property, or a compound followed by its values and its indices. */
std::uint32_t declare(OutObject &object, const abcc_param &param) {
    check_declaration(object, param);
    OutParam made;
    made.place = param.where == ABCC_IN_ARB ? Place::arb : Place::user;
    made.name = param.name;
    made.type = AbcA::DataType(pod_of(param.type), static_cast<std::uint8_t>(param.width));
    made.metadata = metadata_of(param, made.type);
    made.fixed = param.samples == 1;
    made.count = param.where == ABCC_IN_ARB && !param.scalar ? param.scope : ABCC_NONE;
    if (find_param(object, made.place, -1, made.name) >= 0)
        fail(ABCC_E_ORDER,
             named(object.path) + " has a parameter " + named(made.name) + " already");
    made.kind = param.scalar ? AbcA::kScalarProperty : AbcA::kArrayProperty;
    if (!param.indexed)
        return add(object, made);
    OutParam compound = made, indices = made;
    compound.kind = AbcA::kCompoundProperty;
    const std::uint32_t id = add(object, compound);
    made.parent = indices.parent = static_cast<int>(id);
    made.name = ".vals";
    made.count = ABCC_NONE;
    indices.name = ".indices";
    indices.metadata = AbcA::MetaData();
    indices.type = AbcA::DataType(Util::kUint32POD, 1);
    add(object, made);
    add(object, indices);
    return id;
}

/* ---- giving values ---- */

AbcA::ArraySamplePtr copy_values(const AbcA::DataType &type, const void *values,
                                 std::uint64_t count) {
    const AbcA::ArraySamplePtr copy = AbcA::AllocateArraySample(type, Util::Dimensions(count));
    if (type.getPod() == Util::kStringPOD) {
        auto *to = static_cast<std::string *>(const_cast<void *>(copy->getData()));
        const char *text = static_cast<const char *>(values);
        for (std::uint64_t i = 0; i < count * type.getExtent(); i++) {
            to[i] = text;
            text += to[i].size() + 1;
        }
    } else if (count > 0) {
        std::memcpy(const_cast<void *>(copy->getData()), values, count * type.getNumBytes());
    }
    return copy;
}

bool turns(const abcc_writer *writer, const OutParam &param) {
    return param.count == ABCC_FACEVARYING && !(writer->flags & ABCC_RAW_WINDING);
}

void give(abcc_writer *writer, OutParam &param, const void *values, std::uint64_t count) {
    if (param.fixed && param.written > 0)
        fail(ABCC_E_ORDER, named(param.name) + " has its only value already");
    param.waiting = copy_values(param.type, values, count);
    param.turn = turns(writer, param);
}

void check_indices(const OutParam &param, std::uint64_t values, const std::uint32_t *indices,
                   std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; i++)
        if (indices[i] >= values)
            fail(ABCC_E_ARG, named(param.name) + ": index number " + std::to_string(i) + " is " +
                                 std::to_string(indices[i]) + " of " + std::to_string(values) +
                                 " values");
}

void give_all(abcc_writer *writer, OutObject &object, std::uint32_t id, const void *values,
              std::uint64_t value_count, const std::uint32_t *indices, std::uint64_t index_count) {
    if (id >= object.params.size() || object.params[id].parent >= 0 || object.params[id].copied)
        fail(ABCC_E_ARG, named(object.path) + " has no parameter number " + std::to_string(id));
    OutParam &param = object.params[id];
    const bool indexed = param.kind == AbcA::kCompoundProperty;
    if (value_count > 0)
        need(values, "the list of values");
    if (indexed && index_count > 0)
        need(indices, "the list of indices");
    if (!indexed && (indices || index_count > 0))
        fail(ABCC_E_ARG, named(param.name) + " is not indexed");
    if (param.kind == AbcA::kScalarProperty && value_count != 1)
        fail(ABCC_E_ARG,
             named(param.name) + " takes one value, not " + std::to_string(value_count));
    if (!indexed) {
        give(writer, param, values, value_count);
        return;
    }
    check_indices(param, value_count, indices, index_count);
    give(writer, object.params[id + 1], values, value_count);
    give(writer, object.params[id + 2], indices, index_count);
}

/* A user property with one value, declared by its first value. */
void set_property(abcc_writer *writer, abcc_obj obj, const char *name, abcc_type type,
                  const void *value) {
    OutObject &object = object_of(writer, obj);
    need(name, "the name");
    abcc_param wanted = abcc_param_default();
    wanted.where = ABCC_IN_USER;
    wanted.type = type;
    wanted.width = 1;
    wanted.samples = 1;
    wanted.scalar = 1;
    wanted.name = name;
    int found = find_param(object, Place::user, -1, name);
    if (found < 0)
        found = static_cast<int>(declare(object, wanted));
    OutParam &param = object.params[static_cast<std::size_t>(found)];
    if (param.kind != AbcA::kScalarProperty || !param.fixed ||
        param.type != AbcA::DataType(pod_of(type), 1))
        fail(ABCC_E_ORDER,
             named(object.path) + ": the property " + named(name) + " had another type before");
    give(writer, param, value, 1);
}

void check_object(const OutObject &object) {
    if (object.instance_of != 0)
        fail(ABCC_E_ARG, named(object.path) + " is an instance, which has no data of its own");
}

/* ---- turning ---- */

template <class Element>
void turn_elements(const Element *from, Element *to, std::size_t width,
                   const std::vector<std::int32_t> &face_count) {
    for (const std::int32_t count : face_count) {
        const auto corners = static_cast<std::size_t>(count);
        for (std::size_t i = 0; i < corners; i++)
            std::copy_n(from + i * width, width, to + (corners - 1 - i) * width);
        from += corners * width;
        to += corners * width;
    }
}

/* ---- checks ---- */

std::uint64_t wanted_count(abcc_scope count, std::uint32_t verts, std::size_t faces,
                           std::uint32_t corners) {
    return count == ABCC_UNIFORM ? faces : count == ABCC_FACEVARYING ? corners : verts;
}

void check_count(const OutObject &object, const OutParam &param, std::uint64_t wanted) {
    if (param.waiting && param.waiting->size() != wanted)
        fail(ABCC_E_ARG, named(object.path) + ": the parameter " + named(param.name) + " has " +
                             std::to_string(param.waiting->size()) + " entries, but " +
                             std::to_string(wanted) + " are needed");
}

/* ---- writing ---- */

Abc::OCompoundProperty place_in(abcc_writer *writer, OutObject &object, Place place) {
    const auto of_schema = [&](auto &schema) {
        return place == Place::arb ? schema.getArbGeomParams() : schema.getUserProperties();
    };
    if (place == Place::object)
        return library_object(writer, static_cast<abcc_obj>(&object - writer->objects.data()))
            .getProperties();
    if (object.xform)
        return of_schema(object.xform->getSchema());
    if (object.mesh)
        return of_schema(object.mesh->getSchema());
    if (object.subd)
        return of_schema(object.subd->getSchema());
    return of_schema(object.faceset->getSchema());
}

void create(abcc_writer *writer, OutObject &object, OutParam &param) {
    const AbcA::CompoundPropertyWriterPtr parent =
        param.parent >= 0
            ? object.params[static_cast<std::size_t>(param.parent)].writer->asCompoundPtr()
            : Abc::GetCompoundPropertyWriterPtr(place_in(writer, object, param.place));
    const std::uint32_t times = param.fixed ? 0 : writer->samplings[object.time].library_id;
    if (param.kind == AbcA::kCompoundProperty)
        param.writer = parent->createCompoundProperty(param.name, param.metadata);
    else if (param.kind == AbcA::kScalarProperty)
        param.writer = parent->createScalarProperty(param.name, param.metadata, param.type, times);
    else
        param.writer = parent->createArrayProperty(param.name, param.metadata, param.type, times);
}

void create_missing(abcc_writer *writer, OutObject &object) {
    for (OutParam &param : object.params)
        if (!param.writer)
            create(writer, object, param);
}

void write_waiting(const OutObject &object, OutParam &param) {
    AbcA::ArraySamplePtr values = param.waiting;
    if (param.turn && values->size() == object.corners)
        values = turned(*values, object.face_count);
    if (param.kind == AbcA::kScalarProperty)
        param.writer->asScalarPtr()->setSample(values->getData());
    else
        param.writer->asArrayPtr()->setSample(*values);
    param.waiting.reset();
    param.written++;
}

void repeat(OutParam &param) {
    if (param.kind == AbcA::kScalarProperty)
        param.writer->asScalarPtr()->setFromPreviousSample();
    else
        param.writer->asArrayPtr()->setFromPreviousSample();
    param.written++;
}

} // namespace

int find_param(const OutObject &object, Place place, int parent, const std::string &name) {
    for (std::size_t i = 0; i < object.params.size(); i++)
        if (object.params[i].place == place && object.params[i].parent == parent &&
            object.params[i].name == name)
            return static_cast<int>(i);
    return -1;
}

AbcA::ArraySamplePtr turned(const AbcA::ArraySample &values,
                            const std::vector<std::int32_t> &face_count) {
    const AbcA::DataType &type = values.getDataType();
    const AbcA::ArraySamplePtr result = AbcA::AllocateArraySample(type, values.getDimensions());
    const void *from = values.getData();
    void *to = const_cast<void *>(result->getData());
    if (type.getPod() == Util::kStringPOD)
        turn_elements(static_cast<const std::string *>(from), static_cast<std::string *>(to),
                      type.getExtent(), face_count);
    else if (type.getPod() == Util::kWstringPOD)
        turn_elements(static_cast<const std::wstring *>(from), static_cast<std::wstring *>(to),
                      type.getExtent(), face_count);
    else
        turn_elements(static_cast<const char *>(from), static_cast<char *>(to), type.getNumBytes(),
                      face_count);
    return result;
}

void check_params(const OutObject &object, std::uint32_t verts,
                  const std::vector<std::int32_t> &face_count, std::uint32_t corners) {
    for (const OutParam &param : object.params) {
        if (param.kind == AbcA::kCompoundProperty)
            continue;
        if (!param.fixed && !param.waiting && param.written == 0)
            fail(ABCC_E_ORDER, named(object.path) + ": the parameter " + named(param.name) +
                                   " has no value for the first sample");
        if (object.is_mesh() && !param.copied && param.count != ABCC_NONE &&
            param.count != ABCC_CONSTANT)
            check_count(object, param,
                        wanted_count(param.count, verts, face_count.size(), corners));
    }
}

void write_params(abcc_writer *writer, OutObject &object) {
    if (object.samples == 1)
        create_missing(writer, object);
    for (OutParam &param : object.params) {
        if (param.kind == AbcA::kCompoundProperty || param.fixed)
            continue;
        if (param.waiting)
            write_waiting(object, param);
        else
            repeat(param);
    }
}

void finish_params(abcc_writer *writer, OutObject &object) {
    if (object.samples > 0)
        check_params(object, object.verts, object.face_count, object.corners);
    create_missing(writer, object);
    for (OutParam &param : object.params) {
        const bool due = param.fixed || object.samples == 0;
        if (param.waiting && due)
            write_waiting(object, param);
        else if (due && param.kind != AbcA::kCompoundProperty && !param.copied)
            fail(ABCC_E_ORDER, named(object.path) + ": the parameter " + named(param.name) +
                                   " was declared but has no value");
    }
}

} // namespace tl_abc

using namespace tl_abc;

/* ---- entries ---- */

abcc_status abcc_param_add(abcc_writer *writer, abcc_obj obj, const abcc_param *param, uint32_t *id,
                           abcc_error *error) {
    return on_writer(writer, error, [&] {
        need_struct(param, "the parameter");
        need(id, "the place for the number");
        OutObject &object = object_of(writer, obj);
        check_object(object);
        *id = declare(object, *param);
    });
}

abcc_status abcc_param_write(abcc_writer *writer, abcc_obj obj, uint32_t id, const void *values,
                             uint64_t value_count, const uint32_t *indices, uint64_t index_count,
                             abcc_error *error) {
    return on_writer(writer, error, [&] {
        give_all(writer, object_of(writer, obj), id, values, value_count, indices, index_count);
    });
}

abcc_status abcc_visible_write(abcc_writer *writer, abcc_obj obj, int visible, abcc_error *error) {
    return on_writer(writer, error, [&] {
        OutObject &object = object_of(writer, obj);
        check_object(object);
        if (visible < -1 || visible > 1)
            fail(ABCC_E_ARG, named(object.path) + ": visibility is " + std::to_string(visible) +
                                 "; -1, 0 and 1 are allowed");
        int found = find_param(object, Place::object, -1, "visible");
        if (found < 0) {
            if (object.samples > 0 && !object.faceset)
                fail(ABCC_E_ORDER, named(object.path) + " has samples already, so its visibility "
                                                        "comes too late");
            OutParam made;
            made.place = Place::object;
            made.name = "visible";
            made.kind = AbcA::kScalarProperty;
            made.type = AbcA::DataType(Util::kInt8POD, 1);
            made.fixed = object.time == 0;
            found = static_cast<int>(add(object, made));
        }
        const auto value = static_cast<std::int8_t>(visible);
        give(writer, object.params[static_cast<std::size_t>(found)], &value, 1);
    });
}

abcc_status abcc_property_string(abcc_writer *writer, abcc_obj obj, const char *name,
                                 const char *text, abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(text, "the text");
        set_property(writer, obj, name, ABCC_STRING, text);
    });
}

abcc_status abcc_property_int(abcc_writer *writer, abcc_obj obj, const char *name, int32_t value,
                              abcc_error *error) {
    return on_writer(writer, error, [&] { set_property(writer, obj, name, ABCC_I32, &value); });
}

abcc_status abcc_property_double(abcc_writer *writer, abcc_obj obj, const char *name, double value,
                                 abcc_error *error) {
    return on_writer(writer, error, [&] { set_property(writer, obj, name, ABCC_F64, &value); });
}
