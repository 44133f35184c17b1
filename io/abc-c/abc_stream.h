/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The files behind an archive. The Alembic library takes a failing stream badly: an error while
 * writing ends the process, one while reading goes unnoticed and leaves memory unset. So the stream
 * for writing never fails towards it, but remembers the first error for the shim to report, and the
 * one for reading throws through it. */
#ifndef TL_ABC_STREAM_H
#define TL_ABC_STREAM_H

#include "abc_check.h"

#include <atomic>
#include <fstream>
#include <memory>
#include <streambuf>
#include <string>
#include <vector>

struct TlIoFile;

namespace tl_abc {

/* A file being read. Its stream must have all exceptions enabled, so that a failure reaches us. */
class InFile final : public std::streambuf {
public:
    /* Throws a Failure when there is no such file or it cannot be opened. */
    explicit InFile(const char *path);
    std::uint64_t size() const {
        return size_;
    }
    bool failed() const {
        return failed_.load(std::memory_order_relaxed);
    }
    bool read(std::uint64_t at, char *data, std::size_t count);
    /* This file for the structural check; lives as long as this object. */
    TlAbcSource source();

protected:
    std::streamsize xsgetn(char *data, std::streamsize count) override;
    pos_type seekpos(pos_type position, std::ios_base::openmode which) override;
    pos_type seekoff(off_type offset, std::ios_base::seekdir way,
                     std::ios_base::openmode which) override;

private:
    std::size_t fetch(std::uint64_t at, char *data, std::size_t count);
    std::size_t fetch_small(std::uint64_t at, char *data, std::size_t count);

    std::filebuf file_;
    char window_[4096]; /* the last piece read for small requests */
    std::uint64_t window_at_ = 0;
    std::size_t window_size_ = 0;
    std::uint64_t size_ = 0;
    std::uint64_t position_ = 0;
    std::atomic<bool> failed_{false};
};

/* A file being written under a temporary name. After the first error the rest is dropped. */
class OutFile final : public std::streambuf {
public:
    /* Throws a Failure when the file cannot be created. */
    explicit OutFile(const char *path);
    /* Removes the temporary file unless it was published. */
    ~OutFile() override;
    OutFile(const OutFile &) = delete;
    OutFile &operator=(const OutFile &) = delete;

    /* Throws a Failure if anything written so far was lost. */
    void need_success() const;
    /* Writes what is left, forces it to disk and gives the file its name. */
    void publish();

protected:
    std::streamsize xsputn(const char *data, std::streamsize count) override;
    int_type overflow(int_type character) override;
    pos_type seekpos(pos_type position, std::ios_base::openmode which) override;
    pos_type seekoff(off_type offset, std::ios_base::seekdir way,
                     std::ios_base::openmode which) override;

private:
    void flush();
    void put(std::uint64_t at, const char *data, std::size_t count);

    std::string path_, temporary_;
    TlIoFile *file_ = nullptr;
    std::vector<char> buffer_;
    std::uint64_t buffer_at_ = 0; /* position in the file of the buffer's first byte */
    std::uint64_t end_ = 0;
    int error_ = 0; /* errno of the first failure */
};

} // namespace tl_abc

#endif
