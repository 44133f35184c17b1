/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the C++ files of the Alembic shim share: failures as exceptions inside, as a status outside.
 */
#ifndef TL_ABC_COMMON_H
#define TL_ABC_COMMON_H

#include "abc_error.h"

#include <cstdint>
#include <exception>
#include <new>
#include <string>

namespace tl_abc {

/* A failure on its way to the caller. */
class Failure : public std::exception {
public:
    Failure(abcc_status status, std::string text) : status_(status), text_(std::move(text)) {
    }
    const char *what() const noexcept override {
        return text_.c_str();
    }
    abcc_status status() const {
        return status_;
    }

private:
    abcc_status status_;
    std::string text_;
};

[[noreturn]] inline void fail(abcc_status status, std::string text) {
    throw Failure(status, std::move(text));
}

/* A name for a sentence; of a long one the start and the end, so that the rest has room too. */
inline std::string named(const std::string &name) {
    constexpr std::size_t most = 120, half = 55;
    if (name.size() <= most)
        return "'" + name + "'";
    const auto inside = [&](std::size_t at) { return (name[at] & 0xc0) == 0x80; };
    std::size_t first = half, last = name.size() - half;
    while (first > 0 && inside(first))
        first--;
    while (last < name.size() && inside(last))
        last++;
    return "'" + name.substr(0, first) + "..." + name.substr(last) + "'";
}

/* "1 sample", "2 samples" */
inline std::string counted(std::uint64_t count, const char *what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/* Runs `body`, which answers a status or throws. An exception of the library becomes `otherwise`.
 */
template <class Body>
abcc_status guarded(abcc_error *error, abcc_status otherwise, Body &&body) noexcept {
    try {
        return body();
    } catch (const Failure &failure) {
        return tl_abc_fail(error, failure.status(), "%s", failure.what());
    } catch (const std::bad_alloc &) {
        return tl_abc_fail(error, ABCC_E_MEMORY, "memory ran out");
    } catch (const std::exception &exception) {
        return tl_abc_fail(error, otherwise, "the Alembic library refused this: %s",
                           exception.what());
    } catch (...) {
        return tl_abc_fail(error, otherwise, "the Alembic library failed for an unknown reason");
    }
}

/* Refuses a NULL pointer. */
inline void need(const void *pointer, const char *what) {
    if (!pointer)
        fail(ABCC_E_ARG, std::string(what) + " is NULL");
}

/* Refuses a struct that nobody initialised, or that is older than this interface. */
template <class Struct> void need_struct(const Struct *given, const char *what) {
    need(given, what);
    if (given->struct_size < sizeof(Struct))
        fail(ABCC_E_ARG, std::string(what) + " is not initialised: its struct_size is " +
                             std::to_string(given->struct_size) + ", but " +
                             std::to_string(sizeof(Struct)) + " is needed");
}

} // namespace tl_abc

#endif
