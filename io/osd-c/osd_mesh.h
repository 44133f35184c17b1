/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What the C++ files of the OpenSubdiv shim share. */
#ifndef TL_OSD_MESH_H
#define TL_OSD_MESH_H

#include "osd_parts.h"

#include <opensubdiv/far/topologyRefiner.h>

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

/* A refined cage. */
struct osdc_mesh {
    std::unique_ptr<OpenSubdiv::Far::TopologyRefiner> refiner;
    uint32_t level = 0;
    std::vector<bool> sharp_rim; /* cage vertices that only OSDC_EDGE_LINEAR made sharp, or empty */
};

namespace tl_osd {

/* A failure on its way to the caller. */
class Failure : public std::exception {
public:
    Failure(osdc_status status, std::string text) : status_(status), text_(std::move(text)) {
    }
    const char *what() const noexcept override {
        return text_.c_str();
    }
    osdc_status status() const {
        return status_;
    }

private:
    osdc_status status_;
    std::string text_;
};

[[noreturn]] inline void fail(osdc_status status, std::string text) {
    throw Failure(status, std::move(text));
}

/* What the library said since the last call, which would go to standard error otherwise. */
std::string take_messages();

/* Runs `body`, which throws when it fails. */
template <class Body> osdc_status guarded(osdc_error *error, Body &&body) noexcept {
    try {
        body();
        return OSDC_OK;
    } catch (const Failure &failure) {
        return tl_osd_fail(error, failure.status(), OSDC_NOWHERE, "%s", failure.what());
    } catch (const std::bad_alloc &) {
        return tl_osd_fail(error, OSDC_E_MEMORY, OSDC_NOWHERE, "memory ran out");
    } catch (const std::exception &exception) {
        return tl_osd_fail(error, OSDC_E_INTERNAL, OSDC_NOWHERE,
                           "the OpenSubdiv library refused this: %s", exception.what());
    } catch (...) {
        return tl_osd_fail(error, OSDC_E_INTERNAL, OSDC_NOWHERE,
                           "the OpenSubdiv library failed for an unknown reason");
    }
}

inline void need(const void *pointer, const char *what) {
    if (!pointer)
        fail(OSDC_E_ARG, std::string(what) + " is NULL");
}

} // namespace tl_osd

#endif
