/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Streams for the Alembic library. Small reads and writes are gathered, because the library seeks
 * around every few bytes. */
#include "abc_stream.h"

#include "abc_common.h"

extern "C" {
#include "../platform.h"
}

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace tl_abc {

namespace {

constexpr std::size_t buffer_size = std::size_t(1) << 20;

std::string reason(int code) {
    return code ? std::generic_category().message(code) : std::string("unknown reason");
}

bool read_source(void *user, std::uint64_t offset, void *data, std::size_t size) {
    return static_cast<InFile *>(user)->read(offset, static_cast<char *>(data), size);
}

} // namespace

/* ---- reading ---- */

InFile::InFile(const char *path) {
    const auto native = std::filesystem::u8path(path);
    std::error_code code;
    const auto status = std::filesystem::status(native, code);
    if (!std::filesystem::exists(status))
        fail(ABCC_E_OPEN, std::string(path) + ": " +
                              (code && code != std::errc::no_such_file_or_directory
                                   ? code.message()
                                   : std::string("there is no such file")));
    if (std::filesystem::is_directory(status))
        fail(ABCC_E_OPEN, std::string(path) + ": this is a folder; the name of a file is needed");
    if (!std::filesystem::is_regular_file(status))
        fail(ABCC_E_NOT_ALEMBIC, std::string(path) + ": this is a pipe or a device, not a file; "
                                                     "store what it gives in a file first");
    file_.pubsetbuf(nullptr, 0);
    errno = 0;
    if (!file_.open(native, std::ios_base::in | std::ios_base::binary))
        fail(ABCC_E_OPEN, std::string(path) + ": the file cannot be opened: " + reason(errno));
    const auto end = file_.pubseekoff(0, std::ios_base::end, std::ios_base::in);
    if (end < 0)
        fail(ABCC_E_IO, std::string(path) + ": the file cannot be read");
    size_ = static_cast<std::uint64_t>(end);
}

TlAbcSource InFile::source() {
    return {this, size_, read_source};
}

std::size_t InFile::fetch(std::uint64_t at, char *data, std::size_t count) {
    const auto position = static_cast<std::streamoff>(at);
    if (file_.pubseekpos(position, std::ios_base::in) != pos_type(position))
        return 0;
    const auto got = file_.sgetn(data, static_cast<std::streamsize>(count));
    return got < 0 ? 0 : static_cast<std::size_t>(got);
}

std::size_t InFile::fetch_small(std::uint64_t at, char *data, std::size_t count) {
    if (at < window_at_ || at + count > window_at_ + window_size_) {
        window_at_ = at;
        window_size_ = fetch(at, window_, sizeof window_);
    }
    const std::size_t got = count < window_size_ ? count : window_size_;
    std::memcpy(data, window_ + (at - window_at_), got);
    return got;
}

bool InFile::read(std::uint64_t at, char *data, std::size_t count) {
    const std::size_t got =
        count > sizeof window_ / 4 ? fetch(at, data, count) : fetch_small(at, data, count);
    if (got < count)
        failed_.store(true, std::memory_order_relaxed);
    return got == count;
}

std::streamsize InFile::xsgetn(char *data, std::streamsize count) {
    if (!read(position_, data, static_cast<std::size_t>(count)))
        throw std::ios_base::failure("the file could not be read");
    position_ += static_cast<std::uint64_t>(count);
    return count;
}

InFile::pos_type InFile::seekpos(pos_type position, std::ios_base::openmode) {
    position_ = static_cast<std::uint64_t>(std::streamoff(position));
    return position;
}

InFile::pos_type InFile::seekoff(off_type offset, std::ios_base::seekdir way,
                                 std::ios_base::openmode which) {
    const std::uint64_t base = way == std::ios_base::beg   ? 0
                               : way == std::ios_base::cur ? position_
                                                           : size_;
    return seekpos(pos_type(static_cast<off_type>(base) + offset), which);
}

/* ---- writing ---- */

OutFile::OutFile(const char *path) : path_(path) {
    if (tl_io_is_folder(path))
        fail(ABCC_E_OPEN, path_ + ": this is a folder; the name of a file is needed");
    tl_io_remove_stale(path, nullptr);
    char *temporary = tl_io_temporary_path(path);
    if (!temporary)
        throw std::bad_alloc();
    temporary_ = temporary;
    std::free(temporary);
    buffer_.reserve(buffer_size);
    errno = 0;
    file_ = tl_io_file_create(temporary_.c_str());
    if (!file_)
        fail(ABCC_E_OPEN, path_ + ": the file cannot be created: " + reason(errno));
}

OutFile::~OutFile() {
    if (file_)
        tl_io_file_close(file_);
    if (!temporary_.empty())
        tl_io_remove(temporary_.c_str());
}

void OutFile::put(std::uint64_t at, const char *data, std::size_t count) {
    if (error_ || count == 0)
        return;
    error_ = tl_io_file_write(file_, static_cast<std::int64_t>(at), data, count);
}

void OutFile::flush() {
    put(buffer_at_, buffer_.data(), buffer_.size());
    buffer_at_ += buffer_.size();
    buffer_.clear();
}

std::streamsize OutFile::xsputn(const char *data, std::streamsize count) {
    const auto size = static_cast<std::size_t>(count);
    if (buffer_.size() + size > buffer_size)
        flush();
    if (size >= buffer_size) {
        put(buffer_at_, data, size);
        buffer_at_ += size;
    } else {
        buffer_.insert(buffer_.end(), data, data + size);
    }
    if (buffer_at_ + buffer_.size() > end_)
        end_ = buffer_at_ + buffer_.size();
    return count;
}

OutFile::int_type OutFile::overflow(int_type character) {
    const char byte = traits_type::to_char_type(character);
    if (!traits_type::eq_int_type(character, traits_type::eof()))
        xsputn(&byte, 1);
    return traits_type::not_eof(character);
}

OutFile::pos_type OutFile::seekpos(pos_type position, std::ios_base::openmode) {
    const auto wanted = static_cast<std::uint64_t>(std::streamoff(position));
    if (wanted != buffer_at_ + buffer_.size()) {
        flush();
        buffer_at_ = wanted;
    }
    return position;
}

OutFile::pos_type OutFile::seekoff(off_type offset, std::ios_base::seekdir way,
                                   std::ios_base::openmode which) {
    const std::uint64_t base = way == std::ios_base::beg   ? 0
                               : way == std::ios_base::cur ? buffer_at_ + buffer_.size()
                                                           : end_;
    return seekpos(pos_type(static_cast<off_type>(base) + offset), which);
}

void OutFile::need_success() const {
    if (!error_)
        return;
    bool full = error_ == ENOSPC;
#ifdef EDQUOT
    full = full || error_ == EDQUOT;
#endif
    fail(full ? ABCC_E_NOSPACE : ABCC_E_IO, path_ + ": writing failed: " + reason(error_));
}

void OutFile::publish() {
    flush();
    const int code = tl_io_file_close(file_);
    file_ = nullptr;
    if (!error_)
        error_ = code;
    need_success();
    ToileError error;
    std::memset(&error, 0, sizeof error);
    error.struct_size = sizeof error;
    if (tl_io_publish(temporary_.c_str(), path_.c_str(), &error) != TOILE_STATUS_OK)
        fail(ABCC_E_IO, error.message);
    temporary_.clear();
}

} // namespace tl_abc
