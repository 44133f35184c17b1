/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSubdiv's stencils as rows of weights. They are made in double precision and rounded once, so
 * that the last bits of the mathematics library of a machine do not show. */
#include "osd_mesh.h"

#include <opensubdiv/far/primvarRefiner.h>
#include <opensubdiv/far/stencilTable.h>
#include <opensubdiv/far/stencilTableFactory.h>

#include <algorithm>

namespace Far = OpenSubdiv::Far;

namespace tl_osd {

using Stencils = Far::StencilTableReal<double>;
using Factory = Far::StencilTableFactoryReal<double>;

struct Term {
    int32_t index;
    double weight;
};

using Row = std::vector<Term>;

/* Writes the rows of a table one after the other. */
class Writer {
public:
    Writer(uint32_t rows, uint32_t sources, uint64_t terms)
        : table_(tl_osd_table_alloc(rows, sources, terms), osdc_table_free), capacity_(terms) {
        if (!table_)
            throw std::bad_alloc();
    }
    /* Sorts `row`, rounds it and makes it the next one. */
    void add(Row &row) {
        std::sort(row.begin(), row.end(), [](Term a, Term b) { return a.index < b.index; });
        /* the loop takes a first term for granted; a vertex without face has no tangent */
        if (row.empty())
            row.push_back({0, 0.0});
        uint64_t &end = table_->offset[rows_ + 1];
        end = table_->offset[rows_];
        rows_++;
        if (end + row.size() > capacity_)
            grow(end + row.size());
        for (const Term &term : row) {
            table_->index[end] = term.index;
            table_->weight[end++] = (float)term.weight;
        }
    }
    osdc_table *finish() {
        return table_.release();
    }

private:
    void grow(uint64_t needed) {
        capacity_ = needed + needed / 2;
        if (!tl_osd_table_grow(table_.get(), capacity_))
            throw std::bad_alloc();
    }

    std::unique_ptr<osdc_table, void (*)(osdc_table *)> table_;
    uint64_t capacity_;
    uint32_t rows_ = 0;
};

/* ---- points of the last level ---- */

static uint32_t count_values(const Far::TopologyLevel &level, bool per_corner, int channel) {
    return (uint32_t)(per_corner ? level.GetNumFVarValues(channel) : level.GetNumVertices());
}

static std::unique_ptr<const Stencils> refined(const osdc_mesh &mesh, int mode, int channel) {
    Factory::Options options;
    options.interpolationMode = (unsigned)mode & 3u;
    options.generateIntermediateLevels = false;
    options.generateOffsets = true;
    options.maxLevel = mesh.level & 15u;
    options.fvarChannel = (unsigned)channel;
    std::unique_ptr<const Stencils> table(Factory::Create(*mesh.refiner, options));
    if (!table || table->GetNumStencils() !=
                      (int)count_values(mesh.refiner->GetLevel((int)mesh.level),
                                        mode == Factory::INTERPOLATE_FACE_VARYING, channel))
        fail(OSDC_E_INTERNAL, "the OpenSubdiv library made no stencils: " + take_messages());
    return table;
}

static osdc_table *identity(uint32_t count) {
    Writer writer(count, count, count);
    Row row;
    for (uint32_t i = 0; i < count; i++) {
        row.assign(1, {(int32_t)i, 1.0});
        writer.add(row);
    }
    return writer.finish();
}

static osdc_table *make_refined(const osdc_mesh &mesh, int mode, int channel) {
    uint32_t sources =
        count_values(mesh.refiner->GetLevel(0), mode == Factory::INTERPOLATE_FACE_VARYING, channel);
    if (mesh.level == 0)
        return identity(sources);
    std::unique_ptr<const Stencils> stencils = refined(mesh, mode, channel);
    const std::vector<Far::Index> &indices = stencils->GetControlIndices();
    const std::vector<double> &weights = stencils->GetWeights();
    Writer writer((uint32_t)stencils->GetNumStencils(), sources, indices.size());
    Row row;
    size_t at = 0;
    for (int size : stencils->GetSizes()) {
        row.clear();
        for (int i = 0; i < size; i++, at++)
            row.push_back({indices[at], weights[at]});
        writer.add(row);
    }
    return writer.finish();
}

/* ---- limit points ---- */

/* Stand in for the library's points: sources know their number, the result collects what is added
 * to it and, when the library comes to the next point, writes the row with the stencils of the last
 * level in the place of its points. */
struct Source {
    int index;
};

struct Sources {
    Source operator[](int index) const {
        return {index};
    }
};

class Limits {
public:
    Limits(const Stencils &points, uint32_t sources)
        : points_(points),
          writer_((uint32_t)points.GetNumStencils(), sources,
                  points.GetControlIndices().size() + points.GetControlIndices().size() / 2),
          sum_(sources), row_of_(sources) {
    }
    Limits &operator[](int point) {
        if (point < now_)
            fail(OSDC_E_INTERNAL, "the OpenSubdiv library went back to an earlier limit point");
        for (; now_ < point; now_++)
            write();
        return *this;
    }
    void Clear() {
        row_.clear();
        stamp_++;
    }
    void AddWithWeight(Source source, double weight) {
        auto at = (size_t)points_.GetOffsets()[(size_t)source.index];
        for (int i = 0; weight != 0.0 && i < points_.GetSizes()[(size_t)source.index]; i++, at++) {
            Far::Index index = points_.GetControlIndices()[at];
            if (row_of_[(size_t)index] != stamp_) {
                row_of_[(size_t)index] = stamp_;
                sum_[(size_t)index] = 0.0;
                row_.push_back({index, 0.0});
            }
            sum_[(size_t)index] += weight * points_.GetWeights()[at];
        }
    }
    osdc_table *finish() {
        (*this)[points_.GetNumStencils()];
        return writer_.finish();
    }

private:
    void write() {
        for (Term &term : row_)
            term.weight = sum_[(size_t)term.index];
        writer_.add(row_);
        row_.clear();
    }

    const Stencils &points_;
    Writer writer_;
    Row row_;
    std::vector<double> sum_;
    std::vector<uint32_t> row_of_; /* the stamp of the row that last touched a source */
    uint32_t stamp_ = 0;
    int now_ = 0;
};

/* Takes what is of no interest. */
struct Nothing {
    Nothing &operator[](int) {
        return *this;
    }
    void Clear() {
    }
    void AddWithWeight(Source, double) {
    }
};

static osdc_table *make_limit(const osdc_mesh &mesh, osdc_kind kind, int channel) {
    if (mesh.level == 0)
        fail(OSDC_E_ARG, "limit points are those of refined vertices; refine at least once");
    bool per_corner = kind == OSDC_LIMIT_FVAR;
    std::unique_ptr<const Stencils> points =
        refined(mesh, per_corner ? Factory::INTERPOLATE_FACE_VARYING : Factory::INTERPOLATE_VERTEX,
                channel);
    Far::PrimvarRefinerReal<double> refiner(*mesh.refiner);
    Limits limits(*points, count_values(mesh.refiner->GetLevel(0), per_corner, channel));
    Sources sources;
    Nothing nothing;
    if (per_corner)
        refiner.LimitFaceVarying(sources, limits, channel);
    else if (kind == OSDC_LIMIT)
        refiner.Limit(sources, limits);
    else if (kind == OSDC_LIMIT_DU)
        refiner.Limit(sources, nothing, limits, nothing);
    else
        refiner.Limit(sources, nothing, nothing, limits);
    osdc_table *table = limits.finish();
    table->sums_to_zero = kind == OSDC_LIMIT_DU || kind == OSDC_LIMIT_DV;
    return table;
}

static osdc_table *make(const osdc_mesh &mesh, osdc_kind kind, int channel) {
    switch (kind) {
    case OSDC_VERTEX:
        return make_refined(mesh, Factory::INTERPOLATE_VERTEX, 0);
    case OSDC_VARYING:
        return make_refined(mesh, Factory::INTERPOLATE_VARYING, 0);
    case OSDC_FVAR:
        return make_refined(mesh, Factory::INTERPOLATE_FACE_VARYING, channel);
    default:
        return make_limit(mesh, kind, channel);
    }
}

} // namespace tl_osd

using namespace tl_osd;

osdc_status tl_osd_make_table(const osdc_mesh *mesh, osdc_kind kind, uint32_t channel,
                              osdc_table **out, osdc_error *error) {
    return guarded(error, [&] {
        bool per_corner = kind == OSDC_FVAR || kind == OSDC_LIMIT_FVAR;
        if (per_corner && (int64_t)channel >= mesh->refiner->GetLevel(0).GetNumFVarChannels())
            fail(OSDC_E_ARG, "the cage has no channel " + std::to_string(channel));
        *out = make(*mesh, kind, per_corner ? (int)channel : 0);
    });
}
