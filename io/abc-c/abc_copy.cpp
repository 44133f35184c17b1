/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Passing the parameters of an object of one file through to an object of another: the tree of
 * properties is mirrored with its metadata, and values are handed on as the file holds them,
 * whatever they are. */
#include "abc_reader.h"
#include "abc_writer.h"

#include <algorithm>
#include <unordered_map>

namespace tl_abc {

namespace {

class Copy {
public:
    Copy(abcc_reader *reader, abcc_obj from, std::uint32_t sample, unsigned flags,
         const abcc_writer *writer, const OutObject &to)
        : params(to.params), source_(object_of(reader, from)), sample_(sample),
          constant_only_((flags & ABCC_COPY_CONSTANT) != 0),
          turn_((((reader->flags ^ writer->flags) & ABCC_RAW_WINDING) != 0) !=
                ((flags & ABCC_COPY_TURNED) != 0)),
          may_add_(to.samples == 0 || to.faceset) {
        if (source_.samples > 0 && sample >= source_.samples)
            fail(ABCC_E_ARG, named(source_.path) + " has " + counted(source_.samples, "sample") +
                                 ", so none with number " + std::to_string(sample));
        seconds_ = source_.samples > 0 ? source_.times->getSampleTime(sample) : 0;
        for (std::size_t i = 0; i < params.size(); i++)
            numbers_.emplace(key_of(params[i].place, params[i].parent, params[i].name),
                             static_cast<int>(i));
    }

    void run() {
        mirror(find_compound(source_.data, ".arbGeomParams"), Place::arb, -1, ABCC_NONE);
        mirror(find_compound(source_.data, ".userProperties"), Place::user, -1, ABCC_NONE);
    }

    /* All those of the target, with the new ones and their values. */
    std::vector<OutParam> params;

private:
    /* Depth is bounded by the structural check. `scope` is that of the geometry parameter whose
     * compound this is. */
    void mirror(const Compound &compound, Place place, int parent, abcc_scope scope) {
        for (std::size_t i = 0; compound && i < compound->getNumProperties(); i++) {
            const AbcA::PropertyHeader &header = compound->getPropertyHeader(i);
            const abcc_scope own = own_scope(header, scope);
            if (constant_only_ && place == Place::arb && own != ABCC_NONE && own != ABCC_CONSTANT)
                continue;
            const int number = entry(header, place, parent, own);
            if (number < 0)
                continue;
            if (header.isCompound())
                mirror(compound->getCompoundProperty(header.getName()), place, number, own);
            else
                take(compound, header, params[static_cast<std::size_t>(number)]);
        }
    }

    /* What a property counts. Of an indexed parameter the indices count it, not the values. */
    static abcc_scope own_scope(const AbcA::PropertyHeader &header, abcc_scope around) {
        if (around != ABCC_NONE)
            return header.getName() == ".indices" ? around : ABCC_NONE;
        return header.getMetaData().get("geoScope").empty() ? ABCC_NONE
                                                            : scope_of(header.getMetaData());
    }

    /* The number of the parameter that mirrors a property, made if need be; -1: leave it alone. */
    int entry(const AbcA::PropertyHeader &header, Place place, int parent, abcc_scope scope) {
        const std::string key = key_of(place, parent, header.getName());
        const auto known = numbers_.find(key);
        if (known != numbers_.end())
            return params[static_cast<std::size_t>(known->second)].copied ? known->second : -1;
        if (!may_add_)
            return -1;
        OutParam made;
        made.parent = parent;
        made.place = place;
        made.name = header.getName();
        made.metadata = sound(header.getMetaData(), header.getName());
        made.kind = header.getPropertyType();
        made.copied = true;
        if (!header.isCompound())
            made.type = header.getDataType();
        if (header.isArray() && place == Place::arb)
            made.count = scope;
        const int number = static_cast<int>(params.size());
        params.push_back(made);
        numbers_.emplace(key, number);
        return number;
    }

    static std::string key_of(Place place, int parent, const std::string &name) {
        return std::to_string(static_cast<int>(place)) + " " + std::to_string(parent) + " " + name;
    }

    std::size_t sample_of(const AbcA::TimeSampling &times, std::size_t samples) const {
        return samples == 1                 ? 0
               : samples == source_.samples ? sample_
                                            : span_at(times, samples, seconds_).floor;
    }

    void take(const Compound &parent, const AbcA::PropertyHeader &header, OutParam &param) {
        const ScalarReader scalar =
            header.isScalar() ? parent->getScalarProperty(header.getName()) : nullptr;
        const ArrayReader array =
            header.isArray() ? parent->getArrayProperty(header.getName()) : nullptr;
        const std::size_t samples = scalar ? scalar->getNumSamples() : array->getNumSamples();
        const bool constant = scalar ? scalar->isConstant() : array->isConstant();
        const bool first = !param.waiting && param.written == 0;
        if (first)
            param.fixed = samples <= 1;
        if (samples == 0 || (!first && constant))
            return;
        const auto index =
            static_cast<AbcA::index_t>(sample_of(*header.getTimeSampling(), samples));
        if (scalar) {
            param.waiting = AbcA::AllocateArraySample(header.getDataType(), Util::Dimensions(1));
            scalar->getSample(index, const_cast<void *>(param.waiting->getData()));
        } else {
            array->getSample(index, param.waiting);
        }
        param.turn = turn_ && param.count == ABCC_FACEVARYING;
    }

    const Object &source_;
    std::uint32_t sample_;
    double seconds_ = 0;
    bool constant_only_, turn_, may_add_;
    std::unordered_map<std::string, int> numbers_; /* of params, by key_of */
};

/* ---- face sets ---- */

struct FaceSetCopy {
    std::string name;
    AbcA::MetaData metadata;
    std::vector<std::int32_t> faces;
    bool exclusive = false;
    std::vector<OutParam> params;
};

/* The faces of a set at its last sample not later than a time. */
std::vector<std::int32_t> faces_at(const Object &set, double seconds) {
    const ArrayReader property = find_array(set, set.data, ".faces", Util::kInt32POD, 1);
    const std::size_t samples = property ? property->getNumSamples() : 0;
    if (samples == 0)
        return {};
    AbcA::ArraySamplePtr found;
    property->getSample(span_at(*property->getTimeSampling(), samples, seconds).floor, found);
    const auto *faces = static_cast<const std::int32_t *>(found->getData());
    for (std::size_t i = 0; i < found->size(); i++)
        if (faces[i] < 0)
            fail(ABCC_E_CORRUPT, named(set.path) + " holds face " + std::to_string(faces[i]));
    return std::vector<std::int32_t>(faces, faces + found->size());
}

bool is_exclusive(const Object &set) {
    const ScalarReader property =
        find_scalar(set, set.data, ".facesExclusive", Util::kUint32POD, 1);
    std::uint32_t value = 0;
    if (property && property->getNumSamples() > 0)
        property->getSample(0, &value);
    return value == AbcGeom::kFaceSetExclusive;
}

bool has_child(const abcc_writer *writer, const OutObject &object, const std::string &name) {
    return writer->paths.count(object.path + "/" + name) > 0;
}

std::vector<FaceSetCopy> gather_facesets(abcc_reader *reader, abcc_obj from, std::uint32_t sample,
                                         const abcc_writer *writer, const OutObject &to) {
    std::vector<FaceSetCopy> sets;
    const Object &source = object_of(reader, from);
    const double seconds = source.samples > 0 ? source.times->getSampleTime(sample) : 0;
    for (abcc_obj i = from + 1; i < reader->objects.size(); i++) {
        const Object &child = reader->objects[i];
        if (child.parent != from || child.kind != ABCC_FACESET || has_child(writer, to, child.name))
            continue;
        FaceSetCopy set;
        set.name = child.name;
        set.metadata = sound(child.reader->getMetaData(), child.path);
        set.faces = faces_at(child, seconds);
        set.exclusive = is_exclusive(child);
        OutObject empty;
        Copy copy(reader, i, 0, 0, writer, empty);
        copy.run();
        set.params = std::move(copy.params);
        for (OutParam &param : set.params)
            param.fixed = true;
        sets.push_back(std::move(set));
    }
    return sets;
}

/* Bounds are left out: they are those of another pose. */
void add_faceset(abcc_writer *writer, abcc_obj to, FaceSetCopy &set) {
    const abcc_obj added = add_object(writer, to, set.name.c_str(), 0);
    OutObject &object = writer->objects[added];
    object.faceset =
        std::make_unique<AbcGeom::OFaceSet>(library_object(writer, to), set.name, set.metadata);
    static const std::int32_t nothing = 0;
    object.faceset->getSchema().set(AbcGeom::OFaceSetSchema::Sample(
        Abc::Int32ArraySample(set.faces.empty() ? &nothing : set.faces.data(), set.faces.size())));
    if (set.exclusive)
        object.faceset->getSchema().setFaceExclusivity(AbcGeom::kFaceSetExclusive);
    for (const std::int32_t face : set.faces)
        object.last_face = std::max(object.last_face, face);
    object.samples = 1;
    object.params = std::move(set.params);
}

/* What the library says of a bad source does not harm the target. */
template <class Body> void reading(abcc_reader *reader, Body &&body) {
    const std::lock_guard<std::mutex> held(reader->lock);
    try {
        body();
    } catch (const Failure &) {
        throw;
    } catch (const std::bad_alloc &) {
        fail(ABCC_E_MEMORY, "memory ran out");
    } catch (const std::exception &exception) {
        fail(ABCC_E_CORRUPT, std::string("the Alembic library refused this: ") + exception.what());
    }
    if (reader->file.failed())
        fail(ABCC_E_IO, "the file could not be read, or it was cut while it was open");
}

} // namespace

} // namespace tl_abc

using namespace tl_abc;

abcc_status abcc_params_copy(abcc_reader *reader, abcc_obj from, uint32_t sample, unsigned flags,
                             abcc_writer *writer, abcc_obj to, abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(reader, "the reader");
        OutObject &target = object_of(writer, to);
        if (target.instance_of != 0)
            fail(ABCC_E_ARG, named(target.path) + " is an instance, which has no data of its own");
        std::vector<OutParam> params;
        std::vector<FaceSetCopy> sets;
        reading(reader, [&] {
            Copy copy(reader, from, sample, flags, writer, target);
            copy.run();
            params = std::move(copy.params);
            if (target.is_mesh() && target.samples == 0 && !(flags & ABCC_COPY_CONSTANT))
                sets = gather_facesets(reader, from, sample, writer, target);
        });
        target.params = std::move(params);
        for (FaceSetCopy &set : sets)
            add_faceset(writer, to, set);
    });
}
