/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Times, transforms and visibility. */
#include "abc_reader.h"

extern "C" {
#include "../blend.h"
}

#include <Alembic/AbcGeom/XformSample.h>

#include <algorithm>
#include <cmath>

namespace tl_abc {

namespace {

/* A time this near to a sample, as a part of the gap between samples, is that sample. */
constexpr double same_sample = 1e-3;

constexpr int op_channels[] = {3, 3, 4, 16,
                               1, 1, 1}; /* scale, translate, rotate, matrix, x, y, z */

const AbcA::PropertyHeader *find_header(const Object &object, const Compound &parent,
                                        const char *name, Util::PlainOldDataType pod,
                                        unsigned extent, AbcA::PropertyType type) {
    const auto *header = parent ? parent->getPropertyHeader(name) : nullptr;
    if (!header)
        return nullptr;
    const AbcA::DataType &found = header->getDataType();
    if (header->getPropertyType() != type || found.getPod() != pod ||
        (extent != 0 && found.getExtent() != extent))
        fail(ABCC_E_CORRUPT, named(object.path) + ": the property " + named(name) +
                                 " has not the type it should have");
    return header;
}

} // namespace

Span span_at(const AbcA::TimeSampling &times, std::size_t samples, double seconds) {
    std::size_t lower = 0, upper = samples - 1;
    const auto span = [](std::size_t floor, std::size_t ceil, double weight) {
        return Span{static_cast<std::uint32_t>(floor), static_cast<std::uint32_t>(ceil), weight};
    };
    const auto time = [&](std::size_t i) { return times.getSampleTime(AbcA::index_t(i)); };
    if (seconds <= time(lower))
        return span(lower, lower, 0);
    if (seconds >= time(upper))
        return span(upper, upper, 0);
    while (upper - lower > 1) {
        const std::size_t middle = lower + (upper - lower) / 2;
        (time(middle) <= seconds ? lower : upper) = middle;
    }
    const double gap = time(upper) - time(lower);
    const double weight = gap > 0 ? (seconds - time(lower)) / gap : 0;
    if (weight < same_sample)
        return span(lower, lower, 0);
    if (weight > 1 - same_sample)
        return span(upper, upper, 0);
    return span(lower, upper, weight);
}

ArrayReader find_array(const Object &object, const Compound &parent, const char *name,
                       Util::PlainOldDataType pod, unsigned extent) {
    if (!find_header(object, parent, name, pod, extent, AbcA::kArrayProperty))
        return nullptr;
    return parent->getArrayProperty(name);
}

ScalarReader find_scalar(const Object &object, const Compound &parent, const char *name,
                         Util::PlainOldDataType pod, unsigned extent) {
    if (!find_header(object, parent, name, pod, extent, AbcA::kScalarProperty))
        return nullptr;
    return parent->getScalarProperty(name);
}

ScalarReader find_optional(const Compound &parent, const char *name, Util::PlainOldDataType pod,
                           unsigned extent) {
    const auto *header = parent ? parent->getPropertyHeader(name) : nullptr;
    if (!header || !header->isScalar() || header->getDataType() != AbcA::DataType(pod, extent))
        return nullptr;
    return parent->getScalarProperty(name);
}

Compound find_compound(const Compound &parent, const char *name) {
    const auto *header = parent ? parent->getPropertyHeader(name) : nullptr;
    return header && header->isCompound() ? parent->getCompoundProperty(name) : nullptr;
}

GeomParam find_geom_param(const Object &object, const char *name, unsigned width) {
    const auto *header = object.data ? object.data->getPropertyHeader(name) : nullptr;
    GeomParam param;
    param.name = name;
    if (!header || header->isScalar())
        return param;
    const Compound indexed = header->isCompound() ? find_compound(object.data, name) : nullptr;
    const auto *values = indexed ? indexed->getPropertyHeader(".vals") : header;
    if (!values || !values->isArray() || values->getDataType().getPod() != Util::kFloat32POD ||
        values->getDataType().getExtent() != width)
        return param;
    param.scope = scope_of(header->getMetaData());
    param.values = (indexed ? indexed : object.data)->getArrayProperty(values->getName());
    if (indexed) {
        param.indices = find_array(object, indexed, ".indices", Util::kUint32POD, 1);
        if (!param.indices)
            fail(ABCC_E_CORRUPT, named(object.path) + ": " + named(name) + " has no indices");
    }
    return param;
}

void need_sample(const Object &object, std::uint32_t sample) {
    if (sample >= object.samples)
        fail(ABCC_E_ARG, named(object.path) + " has " + counted(object.samples, "sample") +
                             ", so none with number " + std::to_string(sample));
}

namespace {

void need_time(double seconds) {
    if (!std::isfinite(seconds))
        fail(ABCC_E_ARG, "the time is not a finite number");
}

/* ---- transforms ---- */

std::vector<std::uint8_t> read_operations(const Object &object) {
    const auto property = find_scalar(object, object.data, ".ops", Util::kUint8POD, 0);
    if (!property || property->getNumSamples() == 0)
        return {};
    std::vector<std::uint8_t> operations(property->getDataType().getExtent());
    property->getSample(0, operations.data());
    return operations;
}

/* Where the values of a transform are: few of them in a scalar, many in an array. */
struct XformValues {
    ScalarReader scalar;
    ArrayReader array;
    AbcA::TimeSamplingPtr times;
    std::size_t samples = 0; /* 0: it was never set */
};

XformValues find_values(const Object &object) {
    const auto *header = object.data ? object.data->getPropertyHeader(".vals") : nullptr;
    XformValues values;
    if (!header)
        return values;
    if (header->isScalar())
        values.scalar = find_scalar(object, object.data, ".vals", Util::kFloat64POD, 0);
    else
        values.array = find_array(object, object.data, ".vals", Util::kFloat64POD, 1);
    values.times = header->getTimeSampling();
    values.samples = values.scalar ? values.scalar->getNumSamples() : values.array->getNumSamples();
    return values;
}

/* Values of all operations at one sample. */
std::vector<double> read_values(const XformValues &from, std::size_t sample) {
    const auto index = static_cast<AbcA::index_t>(sample);
    if (from.scalar) {
        std::vector<double> values(from.scalar->getDataType().getExtent());
        from.scalar->getSample(index, values.data());
        return values;
    }
    AbcA::ArraySamplePtr found;
    from.array->getSample(index, found);
    const auto *data = static_cast<const double *>(found->getData());
    return std::vector<double>(data, data + found->size());
}

Alembic::AbcGeom::XformSample xform_of(const Object &object,
                                       const std::vector<std::uint8_t> &operations,
                                       const std::vector<double> &values) {
    Alembic::AbcGeom::XformSample sample;
    std::size_t used = 0;
    for (const std::uint8_t code : operations) {
        if (code >> 4 > 6)
            fail(ABCC_E_CORRUPT, named(object.path) + ": the transform has an unknown operation");
        Alembic::AbcGeom::XformOp operation(code);
        const auto channels = static_cast<std::size_t>(op_channels[code >> 4]);
        if (values.size() - used < channels)
            fail(ABCC_E_CORRUPT, named(object.path) + ": the transform has " +
                                     counted(values.size(), "value") +
                                     ", too few for its operations");
        for (std::size_t i = 0; i < channels; i++)
            operation.setChannelValue(i, values[used + i]);
        used += channels;
        sample.addOp(operation);
    }
    if (used != values.size())
        fail(ABCC_E_CORRUPT, named(object.path) + ": the transform has " +
                                 counted(values.size(), "value") + ", but its operations use " +
                                 std::to_string(used));
    return sample;
}

bool read_inherits(const Object &object, double seconds) {
    const auto property = find_scalar(object, object.data, ".inherits", Util::kBooleanPOD, 1);
    const std::size_t samples = property ? property->getNumSamples() : 0;
    if (samples == 0)
        return true;
    const Span span = span_at(*property->getTimeSampling(), samples, seconds);
    Util::bool_t inherits = true;
    property->getSample(span.floor, &inherits);
    return inherits;
}

bool turns(const Alembic::AbcGeom::XformOp &operation) {
    return operation.isRotateOp() || operation.isRotateXOp() || operation.isRotateYOp() ||
           operation.isRotateZOp();
}

Imath::M44d matrix_of(const Alembic::AbcGeom::XformSample &sample, std::size_t begin,
                      std::size_t end) {
    Alembic::AbcGeom::XformSample part;
    for (std::size_t i = begin; i < end; i++)
        part.addOp(sample[i]);
    return part.getMatrix();
}

/* Between two samples each operation is blended by itself, so that what turns about a pivot keeps
 * it. Rotations in a row are one turn: their angles may jump where the turn does not. */
Imath::M44d blend(const Alembic::AbcGeom::XformSample &before,
                  const Alembic::AbcGeom::XformSample &after, double weight) {
    Imath::M44d result;
    for (std::size_t i = 0, end = 0; i < before.getNumOps(); i = end) {
        for (end = i + 1; turns(before[i]) && end < before.getNumOps() && turns(before[end]);)
            end++;
        const Imath::M44d from = matrix_of(before, i, end), to = matrix_of(after, i, end);
        Imath::M44d between = from * (1 - weight) + to * weight;
        if (from == to)
            between = from;
        else if (turns(before[i]) || before[i].isMatrixOp())
            tl_blend_matrix(from.getValue(), to.getValue(), weight, between.getValue());
        result = between * result;
    }
    return result;
}

Imath::M44d read_matrix(const Object &object, double seconds) {
    const XformValues values = find_values(object);
    if (values.samples == 0)
        return Imath::M44d();
    const std::vector<std::uint8_t> operations = read_operations(object);
    const Span span = span_at(*values.times, values.samples, seconds);
    const auto sample_of = [&](std::uint32_t sample) {
        return xform_of(object, operations, read_values(values, sample));
    };
    const Alembic::AbcGeom::XformSample before = sample_of(span.floor);
    const Imath::M44d matrix = span.ceil == span.floor
                                   ? before.getMatrix()
                                   : blend(before, sample_of(span.ceil), span.weight);
    for (int i = 0; i < 16; i++)
        if (!std::isfinite(matrix[i / 4][i % 4]))
            fail(ABCC_E_CORRUPT, named(object.path) + ": the transform is not finite");
    return matrix;
}

void copy_matrix(const Imath::M44d &matrix, double m[16]) {
    for (int i = 0; i < 16; i++)
        m[i] = matrix[i / 4][i % 4];
}

double determinant(const Imath::M44d &m) {
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* ---- visibility ---- */

/* -1: as the parent says, 0: hidden, 1: shown. */
int read_visibility(const Object &object, double seconds, std::uint32_t *count = nullptr) {
    const auto property =
        find_optional(object.reader->getProperties(), "visible", Util::kInt8POD, 1);
    const std::size_t samples = property ? property->getNumSamples() : 0;
    if (count)
        *count = static_cast<std::uint32_t>(samples);
    if (samples == 0)
        return -1;
    const Span span = span_at(*property->getTimeSampling(), samples, seconds);
    std::int8_t visible = -1;
    property->getSample(span.floor, &visible);
    return visible;
}

std::uint32_t time_sampling_id(const abcc_reader &reader, const Object &object) {
    for (std::uint32_t i = 0; i < reader.archive->getNumTimeSamplings(); i++)
        if (reader.archive->getTimeSampling(i) == object.times)
            return i;
    return 0;
}

} // namespace

Alembic::AbcGeom::XformSample read_xform(const Object &object, std::uint32_t sample) {
    const XformValues values = find_values(object);
    Alembic::AbcGeom::XformSample found;
    if (sample < values.samples)
        found = xform_of(object, read_operations(object), read_values(values, sample));
    const auto inherits = find_scalar(object, object.data, ".inherits", Util::kBooleanPOD, 1);
    Util::bool_t value = true;
    if (inherits && sample < inherits->getNumSamples())
        inherits->getSample(sample, &value);
    found.setInheritsXforms(value);
    return found;
}

} // namespace tl_abc

using namespace tl_abc;

abcc_status abcc_sample_time(abcc_reader *reader, abcc_obj obj, uint32_t sample, double *seconds,
                             abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(seconds, "the place for the time");
        const Object &object = object_of(reader, obj);
        need_sample(object, sample);
        *seconds = object.times->getSampleTime(sample);
    });
}

abcc_status abcc_times_get(abcc_reader *reader, abcc_obj obj, abcc_times *times,
                           abcc_error *error) {
    return on_reader(reader, error, [&] {
        need_struct(times, "the place for the times");
        const Object &object = object_of(reader, obj);
        abcc_times found = abcc_times_default();
        if (object.times) {
            const AbcA::TimeSamplingType type = object.times->getTimeSamplingType();
            found.kind = type.isUniform()  ? ABCC_TIME_UNIFORM
                         : type.isCyclic() ? ABCC_TIME_CYCLIC
                                           : ABCC_TIME_ACYCLIC;
            found.id = time_sampling_id(*reader, object);
            found.per_period = static_cast<std::uint32_t>(object.times->getNumStoredTimes());
            found.period = type.isAcyclic() ? 0 : type.getTimePerCycle();
        }
        if (object.samples > 0) {
            found.first = object.times->getSampleTime(0);
            found.last = object.times->getSampleTime(object.samples - 1);
        }
        *times = found;
    });
}

abcc_status abcc_sample_at(abcc_reader *reader, abcc_obj obj, double seconds,
                           uint32_t *floor_sample, uint32_t *ceil_sample, double *weight,
                           abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(floor_sample, "the place for the earlier sample");
        need(ceil_sample, "the place for the later sample");
        need(weight, "the place for the weight");
        need_time(seconds);
        const Object &object = object_of(reader, obj);
        if (object.samples == 0)
            fail(ABCC_E_ARG, named(object.path) + " has no samples");
        const Span span = span_at(*object.times, object.samples, seconds);
        *floor_sample = span.floor;
        *ceil_sample = span.ceil;
        *weight = span.weight;
    });
}

abcc_status abcc_xform_read(abcc_reader *reader, abcc_obj obj, double seconds, double m[16],
                            int *inherits, abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(m, "the place for the matrix");
        need_time(seconds);
        const Object &object = object_of(reader, obj);
        if (object.kind != ABCC_XFORM)
            fail(ABCC_E_ARG, named(object.path) + " is not a transform");
        const Imath::M44d matrix = read_matrix(object, seconds);
        const bool inherited = read_inherits(object, seconds);
        copy_matrix(matrix, m);
        if (inherits)
            *inherits = inherited;
    });
}

abcc_status abcc_world(abcc_reader *reader, abcc_obj obj, double seconds, double m[16],
                       int *visible, int *mirrored, abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(m, "the place for the matrix");
        need_time(seconds);
        Imath::M44d matrix;
        bool placed = false;
        int seen = -1;
        for (abcc_obj at = obj;; at = object_of(reader, at).parent) {
            const Object &object = object_of(reader, at);
            if (seen == -1)
                seen = read_visibility(object, seconds);
            if (object.kind == ABCC_XFORM && !placed) {
                matrix = matrix * read_matrix(object, seconds);
                placed = !read_inherits(object, seconds);
            }
            if (at == 0)
                break;
        }
        copy_matrix(matrix, m);
        if (visible)
            *visible = seen != 0;
        if (mirrored)
            *mirrored = determinant(matrix) < 0;
    });
}

abcc_status abcc_visibility(abcc_reader *reader, abcc_obj obj, double seconds, int *value,
                            uint32_t *samples, abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(value, "the place for the visibility");
        need_time(seconds);
        *value = read_visibility(object_of(reader, obj), seconds, samples);
    });
}

abcc_status abcc_child_bounds(abcc_reader *reader, abcc_obj obj, double seconds, double bounds[6],
                              int *known, abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(bounds, "the place for the bounds");
        need(known, "the place for whether they are known");
        need_time(seconds);
        const Object &object = object_of(reader, obj);
        const Compound parent = obj == 0 ? object.reader->getProperties() : object.data;
        const auto property = find_optional(parent, ".childBnds", Util::kFloat64POD, 6);
        const std::size_t samples = property ? property->getNumSamples() : 0;
        double found[6] = {0, 0, 0, 0, 0, 0};
        if (samples > 0)
            property->getSample(span_at(*property->getTimeSampling(), samples, seconds).floor,
                                found);
        std::copy(found, found + 6, bounds);
        *known = samples > 0;
    });
}
