/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The times of chunks: each file is opened, its samples are counted, and the offset of its first
 * sample in the joined file is worked out for every time sampling. */
#include "abc_chunks.h"

#include <algorithm>
#include <cmath>

namespace tl_abc {

Reader open_chunk(const std::string &path) {
    abcc_reader *reader = nullptr;
    abcc_error found;
    if (abcc_open(path.c_str(), ABCC_RAW_WINDING, nullptr, &reader, &found) != ABCC_OK) {
        const std::string text = found.text;
        fail(found.code, text.rfind(path, 0) == 0 ? text : path + ": " + text);
    }
    return Reader(reader);
}

std::uint32_t sampling_of(const AbcA::ArchiveReaderPtr &archive,
                          const AbcA::TimeSamplingPtr &times) {
    for (std::uint32_t i = 0; i < archive->getNumTimeSamplings(); i++)
        if (archive->getTimeSampling(i) == times || *archive->getTimeSampling(i) == *times)
            return i;
    return 0;
}

namespace {

/* What a changed sample takes in a file at least: its hash. */
constexpr std::uint64_t sample_bytes = 16;

/* Time samplings of a chunk. Each property seeks its own among them. */
constexpr std::uint32_t most_samplings = 1000;

void spend(std::uint64_t &left, std::uint64_t wanted, const std::string &chunk, const char *what) {
    if (wanted > left)
        fail(ABCC_E_LIMIT, chunk + " claims far more " + what +
                               " than a file of its size should have; it cannot be joined");
    left -= wanted;
}

} // namespace

void Budget::add_file(std::uint64_t bytes) {
    samples_ += bytes / sample_bytes;
    reading_ += bytes;
    keeping_ += bytes;
}

void Budget::spend_samples(std::uint64_t count, const std::string &chunk) {
    spend(samples_, count, chunk, "samples");
}

void Budget::spend_reading(std::uint64_t bytes, const std::string &chunk) {
    spend(reading_, bytes, chunk, "data");
}

void Budget::spend_keeping(std::uint64_t bytes, const std::string &chunk) {
    spend(keeping_, bytes, chunk, "parameters");
}

namespace {

void count_samples(const AbcA::ArchiveReaderPtr &archive, const Compound &parent, Chunk &chunk) {
    for (std::size_t i = 0; i < parent->getNumProperties(); i++) {
        const AbcA::PropertyHeader &header = parent->getPropertyHeader(i);
        if (header.isCompound()) {
            count_samples(archive, parent->getCompoundProperty(header.getName()), chunk);
            continue;
        }
        const std::size_t samples =
            header.isScalar() ? parent->getScalarProperty(header.getName())->getNumSamples()
                              : parent->getArrayProperty(header.getName())->getNumSamples();
        chunk.budget->spend_samples(samples, chunk.path);
        std::size_t &most = chunk.times[sampling_of(archive, header.getTimeSampling())].samples;
        most = std::max(most, samples);
    }
}

void count_samples(const AbcA::ArchiveReaderPtr &archive, const AbcA::ObjectReaderPtr &object,
                   Chunk &chunk) {
    count_samples(archive, object->getProperties(), chunk);
    for (std::size_t i = 0; i < object->getNumChildren(); i++)
        count_samples(archive, object->getChild(i), chunk);
}

Chunk survey(const char *path, const std::shared_ptr<Budget> &budget) {
    need(path, "the path of a chunk");
    const Reader reader = open_chunk(path);
    Chunk chunk;
    chunk.path = path;
    chunk.budget = budget;
    chunk.budget->add_file(reader->file.size());
    chunk.metadata = reader->archive->getMetaData();
    const std::uint32_t samplings = reader->archive->getNumTimeSamplings();
    if (samplings > most_samplings)
        fail(ABCC_E_LIMIT, chunk.path + " has " + counted(samplings, "time sampling") +
                               "; files with more than " + std::to_string(most_samplings) +
                               " cannot be joined");
    for (std::uint32_t i = 0; i < samplings; i++) {
        const AbcA::TimeSampling &sampling = *reader->archive->getTimeSampling(i);
        ChunkTimes times;
        times.listed = sampling.getTimeSamplingType().isAcyclic();
        times.times = sampling.getStoredTimes();
        times.period = sampling.getTimeSamplingType().getTimePerCycle();
        chunk.times.push_back(times);
    }
    count_samples(reader->archive, reader->archive->getTop(), chunk);
    return chunk;
}

/* Number of a chunk's first sample, counted from the start of the first chunk. */
std::size_t offset_of(const Chunk &chunk, const ChunkTimes &times, const Chunk &first_chunk,
                      const ChunkTimes &first) {
    constexpr double tolerance = 1e-3; /* of a period: what rounding may do to a time */
    const double gap = tolerance * first.period;
    bool same = times.times.size() == first.times.size() &&
                std::fabs(times.period - first.period) <= 1e-9 * first.period;
    for (std::size_t i = 0; same && i < times.times.size(); i++)
        same =
            std::fabs((times.times[i] - times.times[0]) - (first.times[i] - first.times[0])) <= gap;
    if (!same)
        fail(ABCC_E_ARG, chunk.path + " has samples at other steps than " + first_chunk.path +
                             ", so they are not chunks of one cache");
    const double periods = (times.times[0] - first.times[0]) / first.period;
    if (std::fabs(periods - std::round(periods)) > tolerance)
        fail(ABCC_E_ARG, chunk.path + " has its samples between those of " + first_chunk.path);
    return static_cast<std::size_t>(std::llround(periods)) * first.times.size();
}

/* The first time of a chunk, by which it is sorted. */
double start_of(const Chunk &chunk) {
    for (std::size_t i = 1; i < chunk.times.size(); i++)
        if (chunk.times[i].samples > 0)
            return chunk.times[i].times[0];
    return 0;
}

void place_chunk(std::vector<Chunk> &chunks, std::size_t at, std::vector<std::size_t> &covered) {
    Chunk &chunk = chunks[at];
    const Chunk &first = chunks[0];
    if (chunk.metadata.serialize() != first.metadata.serialize())
        fail(ABCC_E_ARG, chunk.path + " and " + first.path +
                             " do not say the same of who wrote them, from what and for which "
                             "frame rate, so they are not chunks of one cache");
    if (chunk.times.size() != first.times.size())
        fail(ABCC_E_ARG, chunk.path + " has other time samplings than " + first.path);
    for (std::size_t i = 1; i < chunk.times.size(); i++) {
        ChunkTimes &times = chunk.times[i];
        if (times.samples == 0)
            continue;
        if (times.listed)
            fail(ABCC_E_ARG, chunk.path + " has a list of times in place of a step; such files "
                                          "cannot be joined");
        times.offset = offset_of(chunk, times, first, first.times[i]);
        if (times.offset > covered[i])
            fail(ABCC_E_ARG, chunk.path + " begins " +
                                 counted(times.offset - covered[i], "sample") +
                                 " after the end of " + chunks[at - 1].path +
                                 "; the chunk between them is missing");
        covered[i] = std::max(covered[i], times.offset + times.samples);
    }
}

} // namespace

std::vector<Chunk> sorted_chunks(const char *const *paths, std::uint32_t count) {
    std::vector<Chunk> chunks;
    const auto budget = std::make_shared<Budget>();
    for (std::uint32_t i = 0; i < count; i++)
        chunks.push_back(survey(paths[i], budget));
    std::stable_sort(chunks.begin(), chunks.end(),
                     [](const Chunk &a, const Chunk &b) { return start_of(a) < start_of(b); });
    std::vector<std::size_t> covered(chunks[0].times.size());
    for (std::size_t i = 0; i < chunks.size(); i++)
        place_chunk(chunks, i, covered);
    return chunks;
}

} // namespace tl_abc
