/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Writing Alembic archives through the official library: files, times, objects and transforms.
 * Samples go to disk as they come; bounds of parents and fixed parameters are kept and written when
 * the archive is finished. */
#include "abc_writer.h"

#include <Alembic/AbcCoreOgawa/ReadWrite.h>

#include <charconv>
#include <cmath>

namespace tl_abc {

namespace {

/* The shortest text that reads back as the same number, whatever the locale. */
std::string number_text(double value) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, value);
    return std::string(text, end.ptr);
}

} // namespace

std::string metadata_text(const char *text) {
    std::string clean = text ? text : "";
    for (char &c : clean)
        c = c == ';' ? ',' : c == '=' ? ':' : c;
    return clean;
}

const AbcA::MetaData &sound(const AbcA::MetaData &metadata, const std::string &where) {
    for (const auto &pair : metadata)
        if ((pair.first + pair.second).find_first_of(";=") != std::string::npos)
            fail(ABCC_E_CORRUPT, named(where) + ": the metadata is damaged");
    return metadata;
}

AbcA::MetaData archive_metadata(const abcc_create_info &info) {
    AbcA::MetaData metadata;
    metadata.set(Abc::kApplicationNameKey, metadata_text(info.application));
    metadata.set(Abc::kUserDescriptionKey, metadata_text(info.description));
    metadata.set(Abc::kDCCFPSKey, number_text(info.fps));
    metadata.set("FramesPerTimeUnit", number_text(info.fps));
    return metadata;
}

void need_info(const abcc_create_info *info) {
    need_struct(info, "the creation info");
    if (!(info->fps > 0) || !std::isfinite(info->fps))
        fail(ABCC_E_ARG, "frames a second must be greater than 0");
}

std::size_t OutTimes::sample_at(double seconds, std::size_t samples) const {
    const double cycle = std::floor((seconds - times[0]) / period + 1e-3);
    if (!(cycle >= 0))
        return 0;
    if (cycle * static_cast<double>(times.size()) >= static_cast<double>(samples))
        return samples - 1;
    std::size_t found = static_cast<std::size_t>(cycle) * times.size();
    while (found + 1 < samples && time_of(found + 1) <= seconds + 1e-3 * period)
        found++;
    return found;
}

/* ---- objects ---- */

OutObject &object_of(abcc_writer *writer, abcc_obj obj) {
    if (obj == 0 || obj >= writer->objects.size())
        fail(ABCC_E_ARG, "there is no object number " + std::to_string(obj));
    return writer->objects[obj];
}

OutObject &next_sample_of(abcc_writer *writer, abcc_obj obj) {
    OutObject &object = object_of(writer, obj);
    if (object.time == 0 && object.samples > 0)
        fail(ABCC_E_ORDER, named(object.path) + " is static and already has its sample");
    return object;
}

abcc_obj add_object(abcc_writer *writer, abcc_obj parent, const char *name, abcc_time time) {
    need(name, "the name");
    if (parent >= writer->objects.size())
        fail(ABCC_E_ARG, "there is no object number " + std::to_string(parent));
    if (writer->objects[parent].instance_of != 0)
        fail(ABCC_E_ARG,
             named(writer->objects[parent].path) + " is an instance, so nothing can lie below it");
    if (time >= writer->samplings.size())
        fail(ABCC_E_ARG, "there is no time sampling number " + std::to_string(time));
    if (!*name || std::string(name).find('/') != std::string::npos)
        fail(ABCC_E_ARG, named(name) + " is no name for an object: it is empty or holds a '/'");
    const std::string path = writer->objects[parent].path + "/" + name;
    if (!writer->paths.insert(path).second)
        fail(ABCC_E_ARG, "there is already an object " + named(path));
    const auto added = static_cast<abcc_obj>(writer->objects.size());
    writer->objects.emplace_back();
    writer->objects[parent].children.push_back(added);
    OutObject &object = writer->objects.back();
    object.path = path;
    object.parent = parent;
    object.time = time;
    return added;
}

Abc::OObject library_object(abcc_writer *writer, abcc_obj obj) {
    const OutObject &object = writer->objects[obj];
    if (object.xform)
        return *object.xform;
    if (object.mesh)
        return *object.mesh;
    if (object.subd)
        return *object.subd;
    if (object.faceset)
        return *object.faceset;
    return writer->archive.getTop();
}

void gather_properties(const AbcA::CompoundPropertyWriterPtr &compound,
                       std::vector<AbcA::BasePropertyWriterPtr> &properties) {
    for (std::size_t i = 0; i < compound->getNumProperties(); i++) {
        const AbcA::BasePropertyWriterPtr property =
            compound->getProperty(compound->getPropertyHeader(i).getName());
        if (property && property->isCompound())
            gather_properties(property->asCompoundPtr(), properties);
        else if (property)
            properties.push_back(property);
    }
    properties.push_back(compound);
}

namespace {

abcc_time add_times(abcc_writer *writer, const OutTimes &wanted) {
    for (std::size_t i = 1; i < writer->samplings.size(); i++)
        if (writer->samplings[i].period == wanted.period &&
            writer->samplings[i].times == wanted.times)
            return static_cast<abcc_time>(i);
    const auto count = static_cast<std::uint32_t>(wanted.times.size());
    const AbcA::TimeSampling sampling =
        count == 1 ? AbcA::TimeSampling(wanted.period, wanted.times[0])
                   : AbcA::TimeSampling(AbcA::TimeSamplingType(count, wanted.period), wanted.times);
    writer->samplings.push_back(wanted);
    writer->samplings.back().library_id = writer->archive.addTimeSampling(sampling);
    return static_cast<abcc_time>(writer->samplings.size() - 1);
}

/* True when walking down from an object, through instances too, comes past another one. */
bool leads_to(const abcc_writer &writer, abcc_obj from, abcc_obj to) {
    std::vector<abcc_obj> open{from};
    std::vector<bool> seen(writer.objects.size());
    while (!open.empty()) {
        const abcc_obj at = open.back();
        open.pop_back();
        if (at == to)
            return true;
        if (seen[at])
            continue;
        seen[at] = true;
        const OutObject &object = writer.objects[at];
        if (object.instance_of)
            open.push_back(object.instance_of);
        open.insert(open.end(), object.children.begin(), object.children.end());
    }
    return false;
}

Imath::M44d matrix_of(const OutObject &object, const double m[16]) {
    Imath::M44d matrix;
    for (int i = 0; i < 16; i++) {
        if (!std::isfinite(m[i]))
            fail(ABCC_E_ARG, named(object.path) + ": the matrix is not finite");
        matrix[i / 4][i % 4] = m[i];
    }
    return matrix;
}

} // namespace

} // namespace tl_abc

using namespace tl_abc;

abcc_writer::abcc_writer(const char *path, unsigned given_flags, const AbcA::MetaData &metadata)
    : flags(given_flags), file(path), stream(&file),
      archive(Alembic::AbcCoreOgawa::WriteArchive()(&stream, metadata), Abc::kWrapExisting,
              Abc::ErrorHandler::kThrowPolicy),
      objects(1), samplings(1) {
}

void abcc_writer::close() {
    while (!objects.empty()) {
        const auto last = static_cast<abcc_obj>(objects.size() - 1);
        if (objects[last].instance_of == 0)
            close_object(library_object(this, last).getPtr(), [&] {
                objects.pop_back();
                if (objects.empty())
                    bounds.reset();
            });
        else
            objects.pop_back();
    }
    archive.reset();
}

/* ---- entries ---- */

abcc_status abcc_create(const char *path, const abcc_create_info *info, abcc_writer **out,
                        abcc_error *error) {
    return guarded(error, ABCC_E_INTERNAL, [&] {
        need(out, "the place for the writer");
        *out = nullptr;
        need(path, "the path");
        need_info(info);
        *out = new abcc_writer(path, info->flags, archive_metadata(*info));
        return ABCC_OK;
    });
}

abcc_status abcc_time_uniform(abcc_writer *writer, double start, double step, abcc_time *time,
                              abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(time, "the place for the time sampling");
        if (!std::isfinite(start) || !std::isfinite(step) || !(step > 0))
            fail(ABCC_E_ARG, "a time sampling needs a finite start and a step greater than 0");
        OutTimes wanted;
        wanted.period = step;
        wanted.times = {start};
        *time = add_times(writer, wanted);
    });
}

abcc_status abcc_time_cyclic(abcc_writer *writer, double period, const double *times,
                             uint32_t count, abcc_time *time, abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(time, "the place for the time sampling");
        need(times, "the list of times");
        if (!std::isfinite(period) || !(period > 0) || count == 0)
            fail(ABCC_E_ARG, "a cyclic time sampling needs a period greater than 0 and a time");
        for (uint32_t i = 0; i < count; i++)
            if (!std::isfinite(times[i]) || (i > 0 && !(times[i] > times[i - 1])) ||
                !(times[i] < times[0] + period))
                fail(ABCC_E_ARG, "the times of a cyclic sampling must rise and span less than "
                                 "their period, but number " +
                                     std::to_string(i) + " does not");
        OutTimes wanted;
        wanted.period = period;
        wanted.times.assign(times, times + count);
        *time = add_times(writer, wanted);
    });
}

abcc_status abcc_add_xform(abcc_writer *writer, abcc_obj parent, const char *name, abcc_time time,
                           abcc_obj *obj, abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(obj, "the place for the object");
        const abcc_obj added = add_object(writer, parent, name, time);
        writer->objects[added].xform = std::make_unique<AbcGeom::OXform>(
            library_object(writer, parent), name, writer->samplings[time].library_id);
        *obj = added;
    });
}

abcc_status abcc_add_mesh(abcc_writer *writer, abcc_obj parent, const char *name, abcc_time time,
                          const char *uv_name, abcc_obj *obj, abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(obj, "the place for the object");
        const abcc_obj added = add_object(writer, parent, name, time);
        auto mesh = std::make_unique<AbcGeom::OPolyMesh>(library_object(writer, parent), name,
                                                         writer->samplings[time].library_id);
        if (uv_name)
            mesh->getSchema().setUVSourceName(metadata_text(uv_name));
        writer->objects[added].mesh = std::move(mesh);
        *obj = added;
    });
}

abcc_status abcc_add_subd(abcc_writer *writer, abcc_obj parent, const char *name, abcc_time time,
                          const char *uv_name, abcc_obj *obj, abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(obj, "the place for the object");
        const abcc_obj added = add_object(writer, parent, name, time);
        auto subd = std::make_unique<AbcGeom::OSubD>(library_object(writer, parent), name,
                                                     writer->samplings[time].library_id);
        if (uv_name)
            subd->getSchema().setUVSourceName(metadata_text(uv_name));
        writer->objects[added].subd = std::move(subd);
        *obj = added;
    });
}

abcc_status abcc_add_instance(abcc_writer *writer, abcc_obj parent, const char *name,
                              abcc_obj source, abcc_error *error) {
    return on_writer(writer, error, [&] {
        const OutObject &shown = object_of(writer, source);
        if (shown.instance_of != 0 || shown.faceset)
            fail(ABCC_E_ARG, named(shown.path) + " is an instance or a face set; an instance shows "
                                                 "another object");
        if (leads_to(*writer, source, parent))
            fail(ABCC_E_ARG, named(shown.path) + " cannot be shown below itself");
        const abcc_obj added = add_object(writer, parent, name, 0);
        writer->objects[added].instance_of = source;
        if (!library_object(writer, parent).addChildInstance(library_object(writer, source), name))
            throw std::runtime_error("the instance was not added");
    });
}

abcc_status abcc_xform_write(abcc_writer *writer, abcc_obj obj, const double m[16], int inherits,
                             abcc_error *error) {
    return on_writer(writer, error, [&] {
        need(m, "the matrix");
        OutObject &object = next_sample_of(writer, obj);
        if (!object.xform)
            fail(ABCC_E_ARG, named(object.path) + " is not a transform");
        const Imath::M44d matrix = matrix_of(object, m);
        check_params(object, 0, {}, 0);
        AbcGeom::XformSample sample;
        sample.addOp(AbcGeom::XformOp(AbcGeom::kMatrixOperation, AbcGeom::kMatrixHint), matrix);
        sample.setInheritsXforms(inherits != 0);
        object.matrices.push_back(matrix);
        object.inherits.push_back(inherits != 0);
        object.xform->getSchema().set(sample);
        object.samples++;
        write_params(writer, object);
    });
}

abcc_status abcc_finish(abcc_writer *writer, abcc_error *error) {
    if (!writer)
        return tl_abc_fail(error, ABCC_E_ARG, "the writer is NULL");
    abcc_status status = on_writer(writer, error, [&] {
        write_all_child_bounds(writer);
        for (OutObject &object : writer->objects)
            finish_params(writer, object);
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
