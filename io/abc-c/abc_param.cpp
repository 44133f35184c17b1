/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* User properties and arbitrary geometry parameters: what there is, and its raw values. */
#include "abc_reader.h"

#include <algorithm>
#include <cstring>

namespace tl_abc {

namespace {

Param describe(const AbcA::PropertyHeader &header, abcc_where where, const std::string &name) {
    Param param;
    param.name = name;
    param.meaning = header.getMetaData().get("interpretation");
    param.where = where;
    param.scope = where == ABCC_IN_ARB ? scope_of(header.getMetaData()) : ABCC_NONE;
    return param;
}

void finish(Params &params, Param param) {
    param.type = param.scalar ? param.scalar->getDataType() : param.values->getDataType();
    param.samples = static_cast<std::uint32_t>(param.scalar ? param.scalar->getNumSamples()
                                                            : param.values->getNumSamples());
    if (param.indices)
        param.samples =
            std::max(param.samples, static_cast<std::uint32_t>(param.indices->getNumSamples()));
    params.push_back(std::move(param));
}

/* A compound of values and indices is one parameter. */
bool add_indexed(const Object &object, const Compound &inner, const AbcA::PropertyHeader &header,
                 abcc_where where, const std::string &name, Params &params) {
    const auto *values = inner->getPropertyHeader(".vals");
    if (!values || !values->isArray() || !inner->getPropertyHeader(".indices"))
        return false;
    Param param = describe(header, where, name);
    param.values = inner->getArrayProperty(".vals");
    param.indices = find_array(object, inner, ".indices", Util::kUint32POD, 1);
    finish(params, std::move(param));
    return true;
}

/* Depth is bounded by the structural check. */
void add_all(const Object &object, const Compound &parent, abcc_where where,
             const std::string &prefix, Params &params) {
    for (std::size_t i = 0; parent && i < parent->getNumProperties(); i++) {
        const AbcA::PropertyHeader &header = parent->getPropertyHeader(i);
        const std::string name = prefix + header.getName();
        if (header.isCompound()) {
            const Compound inner = parent->getCompoundProperty(header.getName());
            if (!add_indexed(object, inner, header, where, name, params))
                add_all(object, inner, where, name + "/", params);
            continue;
        }
        Param param = describe(header, where, name);
        if (header.isScalar())
            param.scalar = parent->getScalarProperty(header.getName());
        else
            param.values = parent->getArrayProperty(header.getName());
        finish(params, std::move(param));
    }
}

} // namespace

const Params &params_of(abcc_reader *reader, abcc_obj obj) {
    Object &object = object_of(reader, obj);
    if (!object.params) {
        auto params = std::make_unique<Params>();
        add_all(object, find_compound(object.data, ".arbGeomParams"), ABCC_IN_ARB, "", *params);
        add_all(object, find_compound(object.data, ".userProperties"), ABCC_IN_USER, "", *params);
        if (object.kind == ABCC_OTHER && obj != 0)
            add_all(object, object.reader->getProperties(), ABCC_IN_USER, "", *params);
        object.params = std::move(params);
    }
    return *object.params;
}

namespace {

const Param &param_of(abcc_reader *reader, abcc_obj obj, std::uint32_t i) {
    const Params &params = params_of(reader, obj);
    if (i >= params.size())
        fail(ABCC_E_ARG, named(object_of(reader, obj).path) + " has " +
                             std::to_string(params.size()) + " parameters, so none with number " +
                             std::to_string(i));
    return params[i];
}

/* ---- values ---- */

/* One sample as the library holds it: numbers as bytes, texts as strings. */
struct Values {
    const void *data = nullptr;
    const std::string *texts = nullptr;
    std::uint64_t count = 0; /* of values, each of the parameter's width */
    std::uint64_t bytes = 0;

    AbcA::ArraySamplePtr array; /* one of these owns the data */
    std::vector<char> scalar;
    std::vector<std::string> strings;
};

AbcA::index_t clamped(std::uint32_t sample, std::size_t samples) {
    return static_cast<AbcA::index_t>(std::min<std::size_t>(sample, samples - 1));
}

void read_scalar(const Param &param, std::uint32_t sample, Values &values) {
    const AbcA::index_t index = clamped(sample, param.scalar->getNumSamples());
    values.count = 1;
    if (param.type.getPod() == Util::kStringPOD) {
        values.strings.resize(param.type.getExtent());
        param.scalar->getSample(index, values.strings.data());
        values.texts = values.strings.data();
        return;
    }
    values.scalar.resize(param.type.getNumBytes());
    param.scalar->getSample(index, values.scalar.data());
    values.data = values.scalar.data();
    values.bytes = values.scalar.size();
}

void read_array(const Param &param, std::uint32_t sample, Values &values) {
    if (param.values->getNumSamples() == 0)
        return;
    param.values->getSample(clamped(sample, param.values->getNumSamples()), values.array);
    values.count = values.array->size();
    if (param.type.getPod() == Util::kStringPOD) {
        values.texts = static_cast<const std::string *>(values.array->getData());
        return;
    }
    values.data = values.array->getData();
    values.bytes = values.count * param.type.getNumBytes();
}

Values read_values(const Param &param, std::uint32_t sample) {
    Values values;
    if (sample >= param.samples)
        fail(ABCC_E_ARG, "the parameter " + named(param.name) + " has " +
                             counted(param.samples, "sample") + ", so none with number " +
                             std::to_string(sample));
    if (param.type.getPod() == Util::kWstringPOD)
        fail(ABCC_E_ARG, "the parameter " + named(param.name) + " is wide text, which is not read");
    if (param.scalar)
        read_scalar(param, sample, values);
    else
        read_array(param, sample, values);
    if (values.texts)
        for (std::uint64_t i = 0; i < values.count * param.type.getExtent(); i++)
            values.bytes += values.texts[i].size() + 1;
    return values;
}

AbcA::ArraySamplePtr read_indices(const Param &param, std::uint32_t sample) {
    AbcA::ArraySamplePtr indices;
    if (param.indices && param.indices->getNumSamples() > 0)
        param.indices->getSample(clamped(sample, param.indices->getNumSamples()), indices);
    return indices;
}

void copy_values(const Param &param, const Values &values, char *to) {
    if (!values.texts) {
        if (values.bytes > 0)
            std::memcpy(to, values.data, values.bytes);
        return;
    }
    for (std::uint64_t i = 0; i < values.count * param.type.getExtent(); i++) {
        std::memcpy(to, values.texts[i].c_str(), values.texts[i].size() + 1);
        to += values.texts[i].size() + 1;
    }
}

} // namespace

} // namespace tl_abc

using namespace tl_abc;

abcc_status abcc_param_count(abcc_reader *reader, abcc_obj obj, uint32_t *count,
                             abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(count, "the place for the count");
        *count = static_cast<std::uint32_t>(params_of(reader, obj).size());
    });
}

abcc_status abcc_param_get(abcc_reader *reader, abcc_obj obj, uint32_t i, abcc_param *param,
                           abcc_error *error) {
    return on_reader(reader, error, [&] {
        need_struct(param, "the place for the parameter");
        const Param &found = param_of(reader, obj, i);
        param->where = found.where;
        param->type = static_cast<abcc_type>(found.type.getPod());
        param->scope = found.scope;
        param->width = found.type.getExtent();
        param->samples = found.samples;
        param->indexed = found.indices != nullptr;
        param->scalar = found.scalar != nullptr;
        param->constant = found.scalar ? found.scalar->isConstant()
                                       : found.values->isConstant() &&
                                             (!found.indices || found.indices->isConstant());
        param->name = found.name.c_str();
        param->meaning = found.meaning.c_str();
    });
}

abcc_status abcc_param_size(abcc_reader *reader, abcc_obj obj, uint32_t i, uint32_t sample,
                            uint64_t *bytes, uint64_t *values, uint64_t *indices,
                            abcc_error *error) {
    return on_reader(reader, error, [&] {
        const Param &param = param_of(reader, obj, i);
        const Values found = read_values(param, sample);
        const AbcA::ArraySamplePtr found_indices = read_indices(param, sample);
        if (bytes)
            *bytes = found.bytes;
        if (values)
            *values = found.count;
        if (indices)
            *indices = found_indices ? found_indices->size() : 0;
    });
}

abcc_status abcc_param_read(abcc_reader *reader, abcc_obj obj, uint32_t i, uint32_t sample,
                            void *values, uint64_t bytes, uint32_t *indices, uint64_t index_count,
                            abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(values, "the place for the values");
        const Param &param = param_of(reader, obj, i);
        const Values found = read_values(param, sample);
        const AbcA::ArraySamplePtr found_indices =
            indices ? read_indices(param, sample) : AbcA::ArraySamplePtr();
        const std::uint64_t needed = found_indices ? found_indices->size() : 0;
        if (bytes < found.bytes || (indices && index_count < needed))
            fail(ABCC_E_ARG, "the parameter " + named(param.name) + " needs room for " +
                                 std::to_string(found.bytes) + " bytes and " +
                                 std::to_string(needed) + " indices");
        copy_values(param, found, static_cast<char *>(values));
        if (needed > 0)
            std::memcpy(indices, found_indices->getData(), needed * sizeof *indices);
    });
}
