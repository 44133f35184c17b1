/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of one cache in the order of time, before they are joined. */
#ifndef TL_ABC_CHUNKS_H
#define TL_ABC_CHUNKS_H

#include "abc_reader.h"

namespace tl_abc {

struct ReaderCloser {
    void operator()(abcc_reader *reader) const {
        abcc_close(reader);
    }
};
using Reader = std::unique_ptr<abcc_reader, ReaderCloser>;

/* One time sampling of a chunk. */
struct ChunkTimes {
    bool listed = false; /* a list of times */
    double period = 1;
    std::vector<double> times;
    std::size_t samples = 0; /* of whatever has most of them */
    std::size_t offset = 0;  /* the number its first sample has in the joined file */
};

/* What a join may still cost. Repeats and shared blocks are stored once, so that the size of a file
 * is no bound by itself. */
class Budget {
public:
    /* Allows what a file of so many bytes needs by rights. */
    void add_file(std::uint64_t bytes);
    /* Each throws a Failure that names the chunk when no more is left. */
    void spend_samples(std::uint64_t count, const std::string &chunk);
    void spend_reading(std::uint64_t bytes, const std::string &chunk);
    void spend_keeping(std::uint64_t bytes, const std::string &chunk);

private:
    std::uint64_t samples_ = 1u << 21;   /* of all properties: a microsecond and 40 bytes each */
    std::uint64_t reading_ = 1ull << 33; /* bytes */
    std::uint64_t keeping_ = 1u << 28;   /* bytes in memory until the end */
};

struct Chunk {
    std::string path;
    std::shared_ptr<Budget> budget; /* one for all chunks */
    AbcA::MetaData metadata;
    std::vector<ChunkTimes> times;
};

/* The file of a chunk; a Failure names it. */
Reader open_chunk(const std::string &path);

/* The number of a time sampling in a file. */
std::uint32_t sampling_of(const AbcA::ArchiveReaderPtr &archive,
                          const AbcA::TimeSamplingPtr &times);

/* Reads the times of all chunks and sorts them. Refuses gaps, different steps and lists of times.
 */
std::vector<Chunk> sorted_chunks(const char *const *paths, std::uint32_t count);

} // namespace tl_abc

#endif
