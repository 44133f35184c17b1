/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Joining chunks of one cache. The chunks come sorted by time (abc_chunks.cpp); the first one gives
 * the tree of objects and properties, which is written anew through the library's core writers;
 * then the samples of one chunk after the other are handed on, one at a time. Transforms alone go
 * through their schema, because it sums up what moves over all samples. The order of all writing is
 * that of the writer behind abcc_create, so that even the bytes come out the same. */
#include "abc_chunks.h"
#include "abc_writer.h"

extern "C" {
#include "../platform.h"
}

#include <algorithm>
#include <cstdio>
#include <map>
#include <unordered_map>

namespace tl_abc {

namespace {

/* ---- properties ---- */

/* How a property is treated. The writer behind abcc_create writes bounds of children at the end,
 * and after them all parameters with one value. */
enum class Role {
    plain,
    child_bounds,
    fixed, /* one value, which must be equal in all chunks */
    last   /* one value, that of the last chunk: user properties tell how far a run came */
};

/* Says that a sample of a chunk is not what other chunks have; of sampling 0: at any time. */
[[noreturn]] void fail_different(const Chunk &chunk, const std::string &what,
                                 std::uint32_t sampling, std::size_t sample) {
    const ChunkTimes &times = chunk.times[sampling];
    const std::size_t count = times.times.size();
    char when[64] = ", though it does not change with time";
    if (sampling != 0)
        std::snprintf(when, sizeof when, " at %.6g s",
                      times.times[sample % count] +
                          times.period * static_cast<double>(sample / count));
    fail(ABCC_E_ARG, chunk.path + ": " + what + " differs from the other chunks" + when +
                         "; they are not of one run");
}

/* What a sample takes in memory, roughly. */
std::uint64_t bytes_of(const AbcA::ArraySample &sample) {
    const AbcA::DataType &type = sample.getDataType();
    const std::size_t values = sample.size() * type.getExtent();
    std::uint64_t bytes = sample.size() * type.getNumBytes();
    if (type.getPod() == Util::kStringPOD)
        for (std::size_t i = 0; i < values; i++)
            bytes += static_cast<const Util::string *>(sample.getData())[i].size();
    else if (type.getPod() == Util::kWstringPOD)
        for (std::size_t i = 0; i < values; i++)
            bytes +=
                sizeof(wchar_t) * static_cast<const Util::wstring *>(sample.getData())[i].size();
    return bytes;
}

/* One array or scalar of the joined file, and where its samples come from at the moment. */
class Leaf {
public:
    Leaf(std::string where, const AbcA::PropertyHeader &header, std::uint32_t sampling, Role role,
         std::size_t rank, AbcA::BasePropertyWriterPtr writer)
        : where_(std::move(where)), header_(header), sampling_(sampling), role_(role), rank_(rank),
          writer_(std::move(writer)) {
    }

    Role role() const {
        return role_;
    }
    bool is_static() const {
        return sampling_ == 0;
    }
    const std::string &where() const {
        return where_;
    }
    /* Its place in the order of writing a sample. */
    std::size_t rank() const {
        return rank_;
    }

    void bind(const AbcA::ArchiveReaderPtr &archive, const Compound &parent,
              const AbcA::PropertyHeader &header, const Chunk &chunk) {
        if (header.getPropertyType() != header_.getPropertyType() ||
            header.getDataType() != header_.getDataType() ||
            header.getMetaData().serialize() != header_.getMetaData().serialize() ||
            sampling_of(archive, header.getTimeSampling()) != sampling_)
            fail(ABCC_E_ARG, chunk.path + ": " + where_ +
                                 " is not of the same kind as in the "
                                 "other chunks");
        scalar_ = header.isScalar() ? parent->getScalarProperty(header.getName()) : nullptr;
        array_ = header.isArray() ? parent->getArrayProperty(header.getName()) : nullptr;
        samples_ = scalar_ ? scalar_->getNumSamples() : array_->getNumSamples();
        chunk_ = &chunk;
        check_count();
    }
    /* Takes sample k of the chunk, if it is a new one. */
    void take(std::size_t k) {
        if (k >= samples_)
            return;
        if (role_ == Role::last) {
            if (k == 0)
                kept_.clear();
            keep(k);
            return;
        }
        const std::size_t number = sampling_ == 0 ? k : held_ ? 0 : offset() + k;
        if (number >= total_)
            put(k);
        else if (!follows() && !(key_of(k) == keys_[number]))
            fail_different(*chunk_, where_, held_ ? 0 : sampling_, k);
    }

    void release() {
        writer_.reset();
    }

    /* Writes what was kept for the end. */
    void finish() {
        for (const AbcA::ArraySamplePtr &sample : kept_)
            write(sample);
        kept_.clear();
    }

private:
    std::size_t offset() const {
        return chunk_->times[sampling_].offset;
    }

    /* Bounds of children follow from what lies below, about which more can be said. */
    bool follows() const {
        return role_ == Role::child_bounds && sampling_ != 0;
    }

    /* A property has as many samples as its sampling, or one that holds for all, or none. */
    void check_count() {
        const std::size_t full = chunk_->times[sampling_].samples;
        if (sampling_ != 0 && samples_ == 1 && full > 1)
            held_ = true;
        const bool fits = sampling_ == 0 ? total_ == 0 || samples_ == total_ || role_ == Role::last
                          : held_        ? samples_ == 1 && total_ <= 1
                                         : samples_ == full || samples_ == 0;
        const bool first = chunk_->times[sampling_].offset == 0;
        if (!fits || (!first && sampling_ != 0 && (samples_ == 0) != (total_ == 0)))
            fail(ABCC_E_ARG, chunk_->path + ": " + where_ + " has " + counted(samples_, "sample") +
                                 ", which does not fit the other chunks");
    }

    AbcA::ArraySamplePtr read(std::size_t k) const {
        const auto index = static_cast<AbcA::index_t>(k);
        AbcA::ArraySamplePtr sample;
        if (array_) {
            array_->getSample(index, sample);
        } else {
            sample = AbcA::AllocateArraySample(header_.getDataType(), Util::Dimensions(1));
            scalar_->getSample(index, const_cast<void *>(sample->getData()));
        }
        chunk_->budget->spend_reading(bytes_of(*sample), chunk_->path);
        return sample;
    }

    void keep(std::size_t k) {
        kept_.push_back(read(k));
        chunk_->budget->spend_keeping(bytes_of(*kept_.back()), chunk_->path);
    }

    AbcA::ArraySampleKey key_of(std::size_t k) const {
        AbcA::ArraySampleKey key;
        if (array_)
            array_->getKey(static_cast<AbcA::index_t>(k), key);
        else
            key = read(k)->getKey();
        return key;
    }

    void put(std::size_t k) {
        const AbcA::ArraySampleKey key = key_of(k);
        const bool again = total_ > 0 && keys_.back() == key;
        keys_.push_back(key);
        if (role_ != Role::plain)
            keep(k);
        else if (again && array_)
            writer_->asArrayPtr()->setFromPreviousSample();
        else
            write(read(k));
        total_++;
    }

    void write(const AbcA::ArraySamplePtr &sample) {
        if (header_.isScalar())
            writer_->asScalarPtr()->setSample(sample->getData());
        else
            writer_->asArrayPtr()->setSample(*sample);
    }

    std::string where_;
    AbcA::PropertyHeader header_;
    std::uint32_t sampling_;
    Role role_;
    std::size_t rank_;
    AbcA::BasePropertyWriterPtr writer_;
    bool held_ = false; /* one sample for the whole clip, though its sampling has more */
    std::size_t total_ = 0;
    std::vector<AbcA::ArraySampleKey> keys_; /* of all samples */
    std::vector<AbcA::ArraySamplePtr> kept_;
    ScalarReader scalar_;
    ArrayReader array_;
    std::size_t samples_ = 0;
    const Chunk *chunk_ = nullptr;
};

/* ---- transforms ---- */

/* What the schema of a transform writes by itself. */
bool is_of_xform(const std::string &name) {
    return name == ".inherits" || name == ".ops" || name == ".vals" || name == ".animChans" ||
           name == "isNotConstantIdentity";
}

class Transform {
public:
    Transform(const std::string &where, const AbcA::CompoundPropertyWriterPtr &parent,
              const AbcA::MetaData &metadata, std::uint32_t sampling)
        : where_(where), sampling_(sampling), schema_(parent, ".xform", metadata, sampling) {
    }

    AbcA::CompoundPropertyWriterPtr compound() const {
        return schema_.getPtr();
    }

    void bind(const Object &object, std::uint32_t sampling, const Chunk &chunk) {
        if (object.samples > 0 && !seen_.empty() && sampling != sampling_)
            fail(ABCC_E_ARG, chunk.path + ": the transform " + named(where_) +
                                 " has other times than in the other chunks");
        object_ = &object;
        chunk_ = &chunk;
        if ((object.samples == 0) != seen_.empty() && chunk.times[sampling_].offset > 0)
            fail(ABCC_E_ARG,
                 chunk.path + ": the transform " + named(where_) + " lacks its samples");
    }

    void take(std::size_t k) {
        if (!object_ || k >= object_->samples)
            return;
        AbcGeom::XformSample sample = read_xform(*object_, static_cast<std::uint32_t>(k));
        const std::size_t number = chunk_->times[sampling_].offset + k;
        const Util::Digest digest = digest_of(sample);
        if (!seen_.empty() && !sample.isTopologyEqual(first_))
            fail(ABCC_E_ARG, chunk_->path + ": the transform " + named(where_) +
                                 " is not built as in the other chunks");
        if (number < seen_.size()) {
            if (!(digest == seen_[number]))
                fail_different(*chunk_, "the transform " + named(where_), sampling_, k);
            return;
        }
        if (seen_.empty())
            first_ = sample;
        seen_.push_back(digest);
        schema_.set(sample);
    }

private:
    /* Of the values of a sample; an operation takes some hundred bytes of the library to read. */
    Util::Digest digest_of(const AbcGeom::XformSample &sample) const {
        constexpr std::uint64_t op_bytes = 256;
        std::vector<double> values = {sample.getInheritsXforms() ? 1.0 : 0.0};
        for (std::size_t i = 0; i < sample.getNumOps(); i++)
            for (std::size_t j = 0; j < sample[i].getNumChannels(); j++)
                values.push_back(sample[i].getChannelValue(j));
        chunk_->budget->spend_reading(sample.getNumOps() * op_bytes, chunk_->path);
        Util::Digest digest;
        Util::MurmurHash3_x64_128(values.data(), values.size() * sizeof(double), sizeof(double),
                                  digest.words);
        return digest;
    }

    std::string where_;
    std::uint32_t sampling_;
    AbcGeom::OXformSchema schema_;
    AbcGeom::XformSample first_;
    std::vector<Util::Digest> seen_; /* of all samples */
    const Object *object_ = nullptr;
    const Chunk *chunk_ = nullptr;
};

/* ---- the joined file ---- */

/* An object of the joined file with all that writes it. */
struct Node {
    AbcA::MetaData metadata;
    AbcA::ObjectWriterPtr object;
    std::vector<AbcA::CompoundPropertyWriterPtr> compounds;
    std::unique_ptr<Transform> transform;
    std::vector<Leaf> leaves;                              /* in the order of writing */
    std::unordered_map<std::string, std::size_t> by_place; /* number of a leaf */

    /* Has the library write the end of the object. */
    void close() {
        close_object(std::move(object), [&] {
            for (Leaf &leaf : leaves)
                leaf.release();
            transform.reset();
            compounds.clear();
        });
    }
};

/* Where a property of a mesh, cage or face set stands in the order the library writes a sample in;
 * what is not listed follows as it comes. */
std::size_t rank_of(const std::string &name) {
    static const char *const order[] = {".faces",
                                        "P",
                                        ".faceIndices",
                                        ".faceCounts",
                                        ".velocities",
                                        ".selfBnds",
                                        "uv",
                                        "N",
                                        ".faceVaryingInterpolateBoundary",
                                        ".faceVaryingPropagateCorners",
                                        ".interpolateBoundary",
                                        ".scheme"};
    return static_cast<std::size_t>(std::find_if(std::begin(order), std::end(order),
                                                 [&](const char *known) { return name == known; }) -
                                    std::begin(order));
}

/* Where the walk through the properties of an object is. */
struct Spot {
    std::string path; /* of the object and the compounds, with a space after each */
    int depth = 0;    /* 1: in the compound of the schema */
    Role role = Role::plain;
    std::size_t rank = SIZE_MAX;

    Spot below(const std::string &compound) const {
        Spot inner = *this;
        inner.path += compound + " ";
        inner.depth++;
        inner.rank = rank_here(compound);
        if (compound == ".userProperties")
            inner.role = Role::last;
        else if (compound == ".arbGeomParams")
            inner.role = Role::fixed;
        return inner;
    }
    std::size_t rank_here(const std::string &name) const {
        return depth == 1 ? rank_of(name) : rank;
    }
    Role role_here(const std::string &name, std::uint32_t sampling) const {
        return name == ".childBnds"              ? Role::child_bounds
               : sampling != 0                   ? Role::plain
               : depth == 0 && name == "visible" ? Role::fixed
                                                 : role;
    }
};

class Joined {
public:
    Joined(abcc_writer &writer, const abcc_reader &first, const Chunk &chunk)
        : archive_(writer.archive.getPtr()) {
        for (std::uint32_t i = 1; i < first.archive->getNumTimeSamplings(); i++)
            archive_->addTimeSampling(*first.archive->getTimeSampling(i));
        build(first, chunk, first.archive->getTop(), archive_->getTop());
        /* a transform is set before anything else is put into its compound, as the writer does */
        for (Node &node : nodes_) {
            take_sample(node, 0);
            if (node.transform && node.leaves.empty())
                build_properties(first, chunk, node);
        }
    }

    /* Takes the samples of a chunk. */
    void take(abcc_writer &writer, const Chunk &chunk) {
        std::size_t most = 0;
        for (const ChunkTimes &times : chunk.times)
            most = std::max(most, times.samples);
        for (std::size_t k = 0; k < most; k++) {
            for (Node &node : nodes_)
                take_sample(node, k);
            writer.file.need_success();
        }
    }

    /* Looks all objects and properties up in a chunk. */
    void bind(const abcc_reader &reader, const Chunk &chunk) {
        std::size_t objects = 0;
        bind_object(reader, chunk, reader.archive->getTop(), objects);
        if (objects != nodes_.size())
            fail(ABCC_E_ARG, chunk.path + " has " + std::to_string(objects) +
                                 " objects, but the other chunks have " +
                                 std::to_string(nodes_.size()));
    }

    void finish() {
        for (const bool bounds : {true, false})
            for (Node &node : nodes_)
                for (Leaf &leaf : node.leaves)
                    if ((leaf.role() == Role::child_bounds) == bounds)
                        leaf.finish();
        for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node)
            if (node->object)
                node->close();
    }

private:
    /* ---- the first chunk ---- */

    /* Adds an object with all below it, and writes what does not change with time. */
    void build(const abcc_reader &reader, const Chunk &chunk, const AbcA::ObjectReaderPtr &from,
               const AbcA::ObjectWriterPtr &to) {
        const std::size_t number = nodes_.size();
        by_path_[from->getFullName()] = number;
        nodes_.emplace_back();
        nodes_[number].metadata = from->getMetaData();
        nodes_[number].object = to;
        nodes_[number].compounds.push_back(to->getProperties());
        build_content(reader, chunk, nodes_[number]);
        /* an instance is whole at once, and nothing lies below it */
        if (nodes_[number].metadata.get("isInstance") == "1") {
            nodes_[number].close();
            return;
        }
        for (std::size_t i = 0; i < from->getNumChildren(); i++)
            build(reader, chunk, from->getChild(i), add_child(to, from->getChildHeader(i)));
    }

    static AbcA::ObjectWriterPtr add_child(const AbcA::ObjectWriterPtr &to,
                                           const AbcA::ObjectHeader &header) {
        sound(header.getMetaData(), header.getFullName());
        return to->createChild(header);
    }

    static const Object &object_in(const abcc_reader &reader, const std::string &path) {
        return reader.objects[reader.by_path.at(path)];
    }

    static void build_content(const abcc_reader &reader, const Chunk &chunk, Node &node) {
        const Object &object = object_in(reader, node.object->getFullName());
        const std::uint32_t sampling = object.times ? sampling_of(reader.archive, object.times) : 0;
        if (object.kind == ABCC_XFORM && object.data && object.instance_of == 0) {
            node.transform = std::make_unique<Transform>(
                object.path, node.compounds[0],
                sound(object.reader->getProperties()->getPropertyHeader(".xform")->getMetaData(),
                      object.path),
                sampling);
            node.transform->bind(object, sampling, chunk);
            if (sampling != 0)
                return;
            node.transform->take(0);
        }
        build_properties(reader, chunk, node);
        for (Leaf &leaf : node.leaves)
            if (leaf.is_static())
                leaf.take(0);
    }

    static void build_properties(const abcc_reader &reader, const Chunk &chunk, Node &node) {
        const std::string path = node.object->getFullName();
        AbcA::ObjectReaderPtr from = reader.archive->getTop();
        for (std::size_t begin = 1; begin < path.size();) {
            const std::size_t end = std::min(path.find('/', begin), path.size());
            from = from->getChild(path.substr(begin, end - begin));
            begin = end + 1;
        }
        const AbcA::CompoundPropertyWriterPtr to = node.compounds[0];
        Spot spot;
        spot.path = path + " ";
        build_compound(reader, chunk, node, from->getProperties(), to, spot);
        std::stable_sort(node.leaves.begin(), node.leaves.end(),
                         [](const Leaf &a, const Leaf &b) { return a.rank() < b.rank(); });
        for (std::size_t i = 0; i < node.leaves.size(); i++)
            node.by_place[node.leaves[i].where()] = i;
    }

    static void build_compound(const abcc_reader &reader, const Chunk &chunk, Node &node,
                               const Compound &from, const AbcA::CompoundPropertyWriterPtr &to,
                               const Spot &spot) {
        for (std::size_t i = 0; i < from->getNumProperties(); i++) {
            const AbcA::PropertyHeader &header = from->getPropertyHeader(i);
            const std::string &name = header.getName();
            if (belongs_to_transform(node, from, name))
                continue;
            if (header.isCompound()) {
                const bool made = node.transform && name == ".xform";
                const AbcA::CompoundPropertyWriterPtr inner =
                    made ? node.transform->compound()
                         : to->createCompoundProperty(
                               name, sound(header.getMetaData(), spot.path + name));
                node.compounds.push_back(inner);
                build_compound(reader, chunk, node, from->getCompoundProperty(name), inner,
                               spot.below(name));
                continue;
            }
            const std::uint32_t sampling = sampling_of(reader.archive, header.getTimeSampling());
            sound(header.getMetaData(), spot.path + name);
            node.leaves.emplace_back(spot.path + name, header, sampling,
                                     spot.role_here(name, sampling), spot.rank_here(name),
                                     property_writer(to, header, sampling));
            node.leaves.back().bind(reader.archive, from, header, chunk);
        }
    }

    static AbcA::BasePropertyWriterPtr property_writer(const AbcA::CompoundPropertyWriterPtr &to,
                                                       const AbcA::PropertyHeader &header,
                                                       std::uint32_t sampling) {
        if (header.isScalar())
            return to->createScalarProperty(header.getName(), header.getMetaData(),
                                            header.getDataType(), sampling);
        return to->createArrayProperty(header.getName(), header.getMetaData(), header.getDataType(),
                                       sampling);
    }

    static bool belongs_to_transform(const Node &node, const Compound &compound,
                                     const std::string &name) {
        return node.transform && compound->getName() == ".xform" && is_of_xform(name);
    }

    /* ---- samples ---- */

    static void take_sample(Node &node, std::size_t k) {
        if (node.transform)
            node.transform->take(k);
        for (Leaf &leaf : node.leaves)
            leaf.take(k);
    }

    /* ---- the other chunks ---- */

    void bind_object(const abcc_reader &reader, const Chunk &chunk,
                     const AbcA::ObjectReaderPtr &from, std::size_t &objects) {
        const auto found = by_path_.find(from->getFullName());
        if (found == by_path_.end())
            fail(ABCC_E_ARG, chunk.path + " has an object " + named(from->getFullName()) +
                                 " that other chunks have not");
        Node &node = nodes_[found->second];
        objects++;
        if (from->getMetaData().serialize() != node.metadata.serialize())
            fail(ABCC_E_ARG, chunk.path + ": " + named(from->getFullName()) +
                                 " is not the same kind of object as in other chunks");
        std::size_t leaves = 0;
        bind_compound(reader, chunk, node, from->getProperties(), from->getFullName() + " ",
                      leaves);
        if (leaves != node.leaves.size())
            fail(ABCC_E_ARG, chunk.path + ": " + named(from->getFullName()) +
                                 " lacks a property that other chunks have");
        const Object &object = object_in(reader, from->getFullName());
        if (node.transform)
            node.transform->bind(
                object, object.times ? sampling_of(reader.archive, object.times) : 0, chunk);
        for (std::size_t i = 0; i < from->getNumChildren(); i++)
            bind_object(reader, chunk, from->getChild(i), objects);
    }

    void bind_compound(const abcc_reader &reader, const Chunk &chunk, Node &node,
                       const Compound &from, const std::string &where, std::size_t &leaves) {
        for (std::size_t i = 0; i < from->getNumProperties(); i++) {
            const AbcA::PropertyHeader &header = from->getPropertyHeader(i);
            const std::string path = where + header.getName();
            if (belongs_to_transform(node, from, header.getName()))
                continue;
            if (header.isCompound()) {
                bind_compound(reader, chunk, node, from->getCompoundProperty(header.getName()),
                              path + " ", leaves);
                continue;
            }
            const auto leaf = node.by_place.find(path);
            if (leaf == node.by_place.end())
                fail(ABCC_E_ARG,
                     chunk.path + " has a property " + named(path) + " that other chunks have not");
            node.leaves[leaf->second].bind(reader.archive, from, header, chunk);
            leaves++;
        }
    }

    AbcA::ArchiveWriterPtr archive_;
    std::vector<Node> nodes_;
    std::map<std::string, std::size_t> by_path_;
};

void check_call(const char *const *chunks, std::uint32_t count, const char *path) {
    need(chunks, "the list of chunks");
    need(path, "the path");
    if (count == 0)
        fail(ABCC_E_ARG, "there are no chunks to join");
    for (std::uint32_t i = 0; i < count; i++)
        if (chunks[i] && tl_io_same_file(chunks[i], path))
            fail(ABCC_E_ARG,
                 std::string(path) + " is both a chunk and the name of the joined file");
}

void need_whole(const abcc_reader &reader, const Chunk &chunk) {
    if (reader.file.failed())
        fail(ABCC_E_IO, chunk.path + " could not be read, or it was cut while it was open");
}

void join(const std::vector<Chunk> &chunks, abcc_writer &writer) {
    std::unique_ptr<Joined> joined;
    for (const Chunk &chunk : chunks) {
        const Reader reader = open_chunk(chunk.path);
        if (joined)
            joined->bind(*reader, chunk);
        else
            joined = std::make_unique<Joined>(writer, *reader, chunk);
        joined->take(writer, chunk);
        need_whole(*reader, chunk);
    }
    joined->finish();
}

} // namespace

} // namespace tl_abc

using namespace tl_abc;

abcc_status abcc_join(const char *const *chunks, uint32_t count, const char *path,
                      const abcc_create_info *info, abcc_error *error) {
    return guarded(error, ABCC_E_CORRUPT, [&] {
        check_call(chunks, count, path);
        if (info)
            need_info(info);
        const std::vector<Chunk> sorted = sorted_chunks(chunks, count);
        const AbcA::MetaData metadata =
            info ? archive_metadata(*info) : sound(sorted[0].metadata, sorted[0].path);
        abcc_writer writer(path, 0, metadata);
        join(sorted, writer);
        writer.close();
        writer.file.publish();
        return ABCC_OK;
    });
}
