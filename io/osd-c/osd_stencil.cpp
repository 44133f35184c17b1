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

/* Rows of any length, one after the other. */
struct Rows {
    uint32_t sources = 0;
    std::vector<uint64_t> offset{0};
    std::vector<Term> terms;

    size_t count() const {
        return offset.size() - 1;
    }
    void end_row() {
        auto from = terms.begin() + (std::ptrdiff_t)offset.back();
        std::sort(from, terms.end(), [](Term a, Term b) { return a.index < b.index; });
        offset.push_back(terms.size());
    }
};

/* ---- points of the last level ---- */

static Rows identity(uint32_t count) {
    Rows rows;
    rows.sources = count;
    for (uint32_t i = 0; i < count; i++) {
        rows.terms.push_back({(int32_t)i, 1.0});
        rows.end_row();
    }
    return rows;
}

static Rows refined(const osdc_mesh &mesh, int mode, int channel) {
    const Far::TopologyLevel &cage = mesh.refiner->GetLevel(0);
    bool per_corner = mode == Factory::INTERPOLATE_FACE_VARYING;
    auto sources = (uint32_t)(per_corner ? cage.GetNumFVarValues(channel) : cage.GetNumVertices());
    if (mesh.level == 0)
        return identity(sources);
    Factory::Options options;
    options.interpolationMode = (unsigned)mode & 3u;
    options.generateIntermediateLevels = false;
    options.maxLevel = mesh.level & 15u;
    options.fvarChannel = (unsigned)channel;
    std::unique_ptr<const Stencils> table(Factory::Create(*mesh.refiner, options));
    if (!table)
        fail(OSDC_E_INTERNAL, "the OpenSubdiv library made no stencils: " + take_messages());
    const std::vector<int> &sizes = table->GetSizes();
    const std::vector<Far::Index> &indices = table->GetControlIndices();
    const std::vector<double> &weights = table->GetWeights();
    Rows rows;
    rows.sources = sources;
    rows.offset.reserve(sizes.size() + 1);
    rows.terms.reserve(indices.size());
    size_t at = 0;
    for (int size : sizes) {
        for (int i = 0; i < size; i++, at++)
            rows.terms.push_back({indices[at], weights[at]});
        rows.end_row();
    }
    return rows;
}

/* ---- limit points ---- */

/* Stand in for the library's points: sources know their number, results write down what is added to
 * them. */
struct Source {
    int index;
};

struct Sources {
    Source operator[](int index) const {
        return {index};
    }
};

struct Result {
    std::vector<Term> terms;
    void Clear() {
        terms.clear();
    }
    void AddWithWeight(Source source, double weight) {
        if (weight != 0.0)
            terms.push_back({source.index, weight});
    }
};

/* Puts the rows of the last level in the place of its points. */
static Rows combine(const std::vector<Result> &masks, const Rows &points) {
    Rows rows;
    rows.sources = points.sources;
    std::vector<double> sum(points.sources);
    std::vector<uint32_t> row_of(points.sources); /* the row that last touched a source, from 1 */
    for (size_t r = 0; r < masks.size(); r++) {
        size_t first = rows.terms.size();
        for (const Term &mask : masks[r].terms)
            for (uint64_t t = points.offset[(size_t)mask.index];
                 t < points.offset[(size_t)mask.index + 1]; t++) {
                const Term &term = points.terms[t];
                auto source = (size_t)term.index;
                if (row_of[source] != r + 1) {
                    row_of[source] = (uint32_t)r + 1;
                    sum[source] = 0.0;
                    rows.terms.push_back({term.index, 0.0});
                }
                sum[source] += mask.weight * term.weight;
            }
        for (size_t t = first; t < rows.terms.size(); t++)
            rows.terms[t].weight = sum[(size_t)rows.terms[t].index];
        rows.end_row();
    }
    return rows;
}

static Rows limit(const osdc_mesh &mesh, osdc_kind kind, int channel) {
    if (mesh.level == 0)
        fail(OSDC_E_ARG, "limit points are those of refined vertices; refine at least once");
    Far::PrimvarRefinerReal<double> refiner(*mesh.refiner);
    Sources sources;
    if (kind == OSDC_LIMIT_FVAR) {
        Rows points = refined(mesh, Factory::INTERPOLATE_FACE_VARYING, channel);
        std::vector<Result> masks(points.count());
        refiner.LimitFaceVarying(sources, masks, channel);
        return combine(masks, points);
    }
    Rows points = refined(mesh, Factory::INTERPOLATE_VERTEX, 0);
    std::vector<Result> masks(points.count());
    if (kind == OSDC_LIMIT) {
        refiner.Limit(sources, masks);
        return combine(masks, points);
    }
    std::vector<Result> du(points.count()), dv(points.count());
    refiner.Limit(sources, masks, du, dv);
    return combine(kind == OSDC_LIMIT_DU ? du : dv, points);
}

/* ---- tables ---- */

static osdc_table *pack(const Rows &rows, bool sums_to_zero) {
    osdc_table *table =
        tl_osd_table_alloc((uint32_t)rows.count(), rows.sources, rows.terms.size() + rows.count());
    if (!table)
        throw std::bad_alloc();
    table->sums_to_zero = sums_to_zero;
    uint64_t used = 0;
    for (size_t r = 0; r < rows.count(); r++) {
        uint64_t begin = rows.offset[r], end = rows.offset[r + 1];
        /* the loop takes a first term for granted; a vertex without face has no tangent */
        if (begin == end) {
            table->index[used] = 0;
            table->weight[used++] = 0.0f;
        }
        for (uint64_t t = begin; t < end; t++) {
            table->index[used] = rows.terms[t].index;
            table->weight[used++] = (float)rows.terms[t].weight;
        }
        table->offset[r + 1] = used;
    }
    return table;
}

static Rows make_rows(const osdc_mesh &mesh, osdc_kind kind, int channel) {
    switch (kind) {
    case OSDC_VERTEX:
        return refined(mesh, Factory::INTERPOLATE_VERTEX, 0);
    case OSDC_VARYING:
        return refined(mesh, Factory::INTERPOLATE_VARYING, 0);
    case OSDC_FVAR:
        return refined(mesh, Factory::INTERPOLATE_FACE_VARYING, channel);
    default:
        return limit(mesh, kind, channel);
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
        Rows rows = make_rows(*mesh, kind, per_corner ? (int)channel : 0);
        *out = pack(rows, kind == OSDC_LIMIT_DU || kind == OSDC_LIMIT_DV);
    });
}
