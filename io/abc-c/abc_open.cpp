/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Opening an archive: structural check, table of objects, instances.
 *
 * An instance is an object without data that names another one, its source, and stands for it and
 * all below it. The library resolves these names itself, without end when an instance lies inside
 * its own source. So the tree is first listed as stored, then each instance is resolved in that
 * list, then the table is laid out with instances followed; each step notices a circle. */
#include "abc_reader.h"

#include <Alembic/Abc/SourceName.h>
#include <Alembic/AbcCoreOgawa/ReadWrite.h>

#include <algorithm>
#include <charconv>

namespace tl_abc {

namespace {

constexpr std::uint32_t none = UINT32_MAX;

/* Of all paths together: nested instances make many long ones from a small file. */
constexpr std::uint64_t max_path_bytes = std::uint64_t(1) << 27;

/* An object as the file stores it. */
struct Stored {
    AbcA::ObjectReaderPtr reader;
    std::vector<std::uint32_t> children;
    std::string source;          /* of an instance: path of what it stands for */
    std::uint32_t target = none; /* the stored object whose data is shown: itself, or the source */
    abcc_obj row = 0;            /* where it stands in the table under its own path */
    abcc_obj shown = none;       /* the first row that shows its data */
    bool busy = false;           /* being resolved, or open above the one being laid out */
};

class Listing {
public:
    Listing(abcc_reader &reader, const abcc_limits &limits) : reader_(reader), limits_(limits) {
    }

    void run() {
        store(reader_.archive->getTop());
        for (std::uint32_t i = 0; i < stored_.size(); i++)
            resolve(i, 0);
        lay_out(0, 0, "", "", 1);
        for (auto &[row, target] : instances_)
            reader_.objects[row].instance_of = stored_[target].row;
    }

private:
    std::uint32_t store(const AbcA::ObjectReaderPtr &object) {
        const auto index = static_cast<std::uint32_t>(stored_.size());
        stored_.emplace_back();
        stored_[index].reader = object;
        stored_[index].source = source_of(object);
        by_name_.emplace(object->getFullName(), index);
        for (std::size_t i = 0; i < object->getNumChildren(); i++) {
            if (object->getChildHeader(i).getName().find('/') != std::string::npos)
                fail(ABCC_E_CORRUPT,
                     named(object->getFullName()) + ": the name of a child holds a '/'");
            const std::uint32_t child = store(object->getChild(i));
            stored_[index].children.push_back(child);
        }
        return index;
    }

    static std::string source_of(const AbcA::ObjectReaderPtr &object) {
        if (object->getMetaData().get("isInstance") != "1")
            return "";
        const Compound properties = object->getProperties();
        const auto *header = properties->getPropertyHeader(".instanceSource");
        if (!header || !header->isScalar() || header->getDataType().getExtent() != 1 ||
            header->getDataType().getPod() != Util::kStringPOD)
            fail(ABCC_E_CORRUPT, named(object->getFullName()) + ": the instance names no source");
        const ScalarReader property = properties->getScalarProperty(".instanceSource");
        std::string source;
        if (property->getNumSamples() > 0)
            property->getSample(0, &source);
        if (source.empty())
            fail(ABCC_E_CORRUPT, named(object->getFullName()) + ": the instance names no source");
        return source;
    }

    std::uint32_t child_named(std::uint32_t parent, const std::string &name) const {
        const std::string above = parent == 0 ? "" : stored_[parent].reader->getFullName();
        const auto found = by_name_.find(above + "/" + name);
        return found == by_name_.end() ? none : found->second;
    }

    /* The stored object that number i shows. `links` counts instances that lead to one another. */
    std::uint32_t resolve(std::uint32_t i, std::uint32_t links) {
        if (stored_[i].target != none)
            return stored_[i].target;
        const std::string path = stored_[i].reader->getFullName();
        if (stored_[i].source.empty())
            return stored_[i].target = i;
        if (stored_[i].busy)
            fail(ABCC_E_CORRUPT, named(path) + ": the instance's source " +
                                     named(stored_[i].source) + " leads through itself");
        if (links > limits_.max_depth)
            fail(ABCC_E_LIMIT, named(path) + ": too many instances lead to one another");
        stored_[i].busy = true;
        const std::uint32_t target = follow(i, links);
        stored_[i].busy = false;
        return stored_[i].target = target;
    }

    /* Walks the path of an instance's source from the top; the instance itself when there is
     * nothing. */
    std::uint32_t follow(std::uint32_t i, std::uint32_t links) {
        const std::string source = stored_[i].source;
        std::uint32_t at = 0;
        for (std::size_t begin = source[0] == '/' ? 1 : 0; begin < source.size();) {
            const std::size_t end = std::min(source.find('/', begin), source.size());
            const std::uint32_t next = child_named(at, source.substr(begin, end - begin));
            if (next == none)
                return i; /* shows nothing; the rest of the file is sound all the same */
            at = resolve(next, links + 1);
            begin = end + 1;
        }
        return at;
    }

    /* Adds a stored object and all below it, or below its source, to the table. */
    void lay_out(std::uint32_t i, abcc_obj parent, const std::string &above,
                 const std::string &name, std::uint32_t depth) {
        const std::string path = depth == 1 ? "/" : above + "/" + name;
        const std::uint32_t target = stored_[i].target;
        if (stored_[target].busy)
            fail(ABCC_E_CORRUPT, named(path) + ": the instance contains itself, since its source " +
                                     named(stored_[target].reader->getFullName()) +
                                     " lies above it");
        if (reader_.objects.size() >= limits_.max_objects || depth > limits_.max_depth)
            fail(ABCC_E_LIMIT, named(path) + ": with its instances the file has more objects or "
                                             "deeper ones than the limit allows");
        const auto row = static_cast<abcc_obj>(reader_.objects.size());
        path_bytes_ += path.size();
        if (path_bytes_ > max_path_bytes)
            fail(ABCC_E_LIMIT, named(path) + ": with its instances the file has longer paths than "
                                             "the limit allows");
        add_row(i, parent, name, path);
        stored_[target].busy = true;
        for (const std::uint32_t child : stored_[target].children)
            lay_out(child, row, depth == 1 ? "" : path, stored_[child].reader->getName(),
                    depth + 1);
        stored_[target].busy = false;
    }

    void add_row(std::uint32_t i, abcc_obj parent, const std::string &name,
                 const std::string &path) {
        const auto row = static_cast<abcc_obj>(reader_.objects.size());
        const std::uint32_t target = stored_[i].target;
        reader_.objects.emplace_back();
        Object &object = reader_.objects.back();
        object.name = name;
        object.path = path;
        object.parent = parent;
        object.reader = stored_[target].reader;
        object.source = stored_[i].source;
        if (target == i && object.reader->getFullName() == path)
            stored_[i].row = row;
        else
            instances_.emplace_back(row, target);
        reader_.by_path.emplace(object.path, row);
        if (stored_[target].shown == none) {
            describe(object);
            stored_[target].shown = row;
        } else {
            copy_description(object, reader_.objects[stored_[target].shown]);
        }
    }

    /* What all rows with the same data have in common. */
    static void copy_description(Object &to, const Object &from) {
        to.schema = from.schema;
        to.kind = from.kind;
        to.data = from.data;
        to.samples = from.samples;
        to.constant = from.constant;
        to.times = from.times;
        to.uv_name = from.uv_name;
    }

    static void describe(Object &object);

    abcc_reader &reader_;
    const abcc_limits &limits_;
    std::vector<Stored> stored_;
    std::unordered_map<std::string, std::uint32_t> by_name_; /* full names as stored */
    std::vector<std::pair<abcc_obj, std::uint32_t>> instances_;
    std::uint64_t path_bytes_ = 0;
};

struct Schema {
    const char *title, *compound, *property;
    abcc_kind kind;
};

/* Title without version, compound of the data, and the property that counts the samples. */
constexpr Schema schemas[] = {
    {"AbcGeom_Xform_v", ".xform", ".vals", ABCC_XFORM},
    {"AbcGeom_PolyMesh_v", ".geom", "P", ABCC_MESH},
    {"AbcGeom_SubD_v", ".geom", "P", ABCC_SUBD},
    {"AbcGeom_Points_v", ".geom", "P", ABCC_POINTS},
    {"AbcGeom_Curve_v", ".geom", "P", ABCC_CURVES},
    {"AbcGeom_Camera_v", ".geom", ".core", ABCC_CAMERA},
    {"AbcGeom_FaceSet_v", ".faceset", ".faces", ABCC_FACESET},
};

/* Takes count and times of samples from a property of whatever type. */
bool take_samples(Object &object, const char *name) {
    const auto *header = object.data->getPropertyHeader(name);
    if (!header || header->isCompound())
        return false;
    const auto take = [&](const auto &property) {
        object.samples = static_cast<std::uint32_t>(property->getNumSamples());
        object.constant = property->isConstant();
    };
    if (header->isScalar())
        take(object.data->getScalarProperty(name));
    else
        take(object.data->getArrayProperty(name));
    object.times = header->getTimeSampling();
    return object.samples > 0;
}

void Listing::describe(Object &object) {
    const AbcA::MetaData &metadata = object.reader->getMetaData();
    object.schema = metadata.get("schema");
    if (object.schema.empty()) {
        const std::string title = metadata.get("schemaObjTitle"); /* "schema:compound" */
        object.schema = title.substr(0, title.find(':'));
    }
    const char *property = nullptr;
    const Compound properties = object.reader->getProperties();
    for (const Schema &schema : schemas) {
        if (object.schema.rfind(schema.title, 0) != 0)
            continue;
        object.kind = schema.kind;
        object.data = find_compound(properties, schema.compound);
        property = schema.property;
    }
    if (!object.data)
        return;
    if (!take_samples(object, property) && object.kind == ABCC_XFORM)
        take_samples(object, ".inherits");
    /* a matrix that stays moves what is below it when it begins or ceases to inherit */
    if (object.kind == ABCC_XFORM)
        if (const auto inherits = find_optional(object.data, ".inherits", Util::kBooleanPOD, 1))
            object.constant = object.constant && inherits->isConstant();
    if (const auto *uv = object.data->getPropertyHeader("uv"))
        object.uv_name = Alembic::Abc::GetSourceName(uv->getMetaData());
}

double number_in(const std::string &text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value > 0 && value < 1e9 ? value : 0;
}

void read_info(abcc_reader &reader) {
    const AbcA::MetaData &metadata = reader.archive->getMetaData();
    reader.application = metadata.get("_ai_Application");
    reader.description = metadata.get("_ai_Description");
    reader.library = metadata.get("_ai_AlembicVersion");
    reader.date = metadata.get("_ai_DateWritten");
    reader.fps = number_in(metadata.get("_ai_DCC_FPS"));
    if (reader.fps == 0)
        reader.fps = number_in(metadata.get("FramesPerTimeUnit"));
}

abcc_limits limits_of(const abcc_limits *limits) {
    if (limits)
        need_struct(limits, "the limits");
    return tl_abc_limits(limits);
}

void check_file(InFile &file, const abcc_limits &limits) {
    abcc_error found;
    const TlAbcSource source = file.source();
    if (tl_abc_check(&source, &limits, &found) != ABCC_OK)
        fail(found.code, found.text);
}

} // namespace

void list_objects(abcc_reader &reader, const abcc_limits &limits) {
    Listing(reader, limits).run();
}

Object &object_of(abcc_reader *reader, abcc_obj obj) {
    if (obj >= reader->objects.size())
        fail(ABCC_E_ARG, "there is no object number " + std::to_string(obj) + "; the file has " +
                             std::to_string(reader->objects.size()));
    return reader->objects[obj];
}

} // namespace tl_abc

using namespace tl_abc;

uint32_t abcc_version(void) {
    return 1u << 16;
}

abcc_status abcc_check(const char *path, const abcc_limits *limits, abcc_error *error) {
    return guarded(error, ABCC_E_INTERNAL, [&] {
        need(path, "the path");
        InFile file(path);
        check_file(file, limits_of(limits));
        return ABCC_OK;
    });
}

abcc_status abcc_open(const char *path, unsigned flags, const abcc_limits *limits,
                      abcc_reader **out, abcc_error *error) {
    return guarded(error, ABCC_E_CORRUPT, [&] {
        need(out, "the place for the reader");
        *out = nullptr;
        need(path, "the path");
        const abcc_limits used = limits_of(limits);
        auto reader = std::make_unique<abcc_reader>(path);
        reader->flags = flags;
        check_file(reader->file, used);
        reader->stream.seekg(0);
        const std::vector<std::istream *> streams{&reader->stream};
        reader->archive = Alembic::AbcCoreOgawa::ReadArchive(streams)("");
        read_info(*reader);
        list_objects(*reader, used);
        if (reader->file.failed())
            fail(ABCC_E_IO, std::string(path) + ": the file could not be read");
        *out = reader.release();
        return ABCC_OK;
    });
}

void abcc_close(abcc_reader *reader) {
    delete reader;
}

abcc_status abcc_info_get(abcc_reader *reader, abcc_info *info, abcc_error *error) {
    return on_reader(reader, error, [&] {
        need_struct(info, "the place for the info");
        info->time_samplings = reader->archive->getNumTimeSamplings();
        info->application = reader->application.c_str();
        info->description = reader->description.c_str();
        info->library = reader->library.c_str();
        info->date = reader->date.c_str();
        info->fps = reader->fps;
    });
}

uint32_t abcc_object_count(abcc_reader *reader) {
    return reader ? static_cast<std::uint32_t>(reader->objects.size()) : 0;
}

abcc_status abcc_object_get(abcc_reader *reader, abcc_obj obj, abcc_object *object,
                            abcc_error *error) {
    return on_reader(reader, error, [&] {
        need_struct(object, "the place for the object");
        const Object &found = object_of(reader, obj);
        object->parent = found.parent;
        object->instance_of = found.instance_of;
        object->kind = found.kind;
        object->samples = found.samples;
        object->constant = found.constant;
        object->name = found.name.c_str();
        object->path = found.path.c_str();
        object->schema = found.schema.c_str();
        object->source = found.source.c_str();
    });
}

abcc_status abcc_find(abcc_reader *reader, const char *path, abcc_obj *obj, abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(path, "the path");
        need(obj, "the place for the object");
        std::string_view wanted = path;
        while (wanted.size() > 1 && wanted.back() == '/')
            wanted.remove_suffix(1);
        const auto found = reader->by_path.find(wanted);
        if (found == reader->by_path.end())
            fail(ABCC_E_ARG, "there is no object " + named(path) + " in the file");
        *obj = found->second;
    });
}
