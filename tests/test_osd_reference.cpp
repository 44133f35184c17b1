/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the C face against OpenSubdiv's own evaluators, which refine level by level
 * (PrimvarRefiner) or apply its own stencils (CpuEvaluator). Also prints the time of our loop over
 * that of CpuEvaluator; nothing is asserted about it. */
#include "support/osd_cages.h"

#include <opensubdiv/far/primvarRefiner.h>
#include <opensubdiv/far/stencilTable.h>
#include <opensubdiv/far/stencilTableFactory.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefinerFactory.h>
#include <opensubdiv/osd/cpuEvaluator.h>
#include <opensubdiv/osd/cpuVertexBuffer.h>

#include <check.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace Far = OpenSubdiv::Far;
namespace Osd = OpenSubdiv::Osd;
namespace Sdc = OpenSubdiv::Sdc;

/* Ours are floats and sums of floats; of the largest coordinate. */
#define AGREEMENT 3e-7
/* CpuEvaluator sums floats without our care and loses as much again, as the test prints. */
#define WITH_EVALUATOR 6e-7

template <class Real> struct Point {
    Real x[3];
    void Clear() {
        x[0] = x[1] = x[2] = 0;
    }
    void AddWithWeight(const Point &point, Real weight) {
        for (int k = 0; k < 3; k++)
            x[k] += weight * point.x[k];
    }
};

using Points = std::vector<Point<float>>;
using Exact = std::vector<Point<double>>;
using Refiner = std::unique_ptr<Far::TopologyRefiner>;

static Refiner make_refiner(const TestCage &cage, int level) {
    using Factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
    Far::TopologyDescriptor all;
    std::vector<int> values(cage.uv_index, cage.uv_index + cage.cage.corners);
    Far::TopologyDescriptor::FVarChannel channel;
    channel.numValues = (int)cage.fvar.values;
    channel.valueIndices = values.data();
    all.numVertices = (int)cage.cage.verts;
    all.numFaces = (int)cage.cage.faces;
    all.numVertsPerFace = cage.sizes;
    all.vertIndicesPerFace = cage.index;
    all.numCreases = (int)cage.cage.creases;
    all.creaseVertexIndexPairs = cage.pairs;
    all.creaseWeights = cage.sharpness;
    all.numCorners = (int)cage.cage.corner_tags;
    all.cornerVertexIndices = cage.corners;
    all.cornerWeights = cage.corner_sharpness;
    all.numFVarChannels = (int)cage.cage.fvars;
    all.fvarChannels = &channel;
    Sdc::Options options;
    options.SetVtxBoundaryInterpolation(Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER);
    options.SetFVarLinearInterpolation(Sdc::Options::FVAR_LINEAR_BOUNDARIES);
    Refiner refiner(Factory::Create(all, Factory::Options(Sdc::SCHEME_CATMARK, options)));
    Far::TopologyRefiner::UniformOptions uniform(level);
    uniform.fullTopologyInLastLevel = true;
    refiner->RefineUniform(uniform);
    return refiner;
}

static Points cage_points(const double *values, uint32_t count, uint32_t width) {
    Points points(count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3; k++)
            points[i].x[k] = k < width ? (float)values[width * i + k] : 0.0f;
    return points;
}

static Points by_shim(const TestCage &cage, uint32_t level, osdc_kind kind, const Points &from) {
    osdc_options options = osdc_options_default();
    options.level = level;
    osdc_mesh *mesh = nullptr;
    osdc_table *table = nullptr;
    uint32_t rows = 0;
    ck_assert_int_eq(osdc_create(&cage.cage, &options, &mesh, nullptr), OSDC_OK);
    ck_assert_int_eq(osdc_table_create(mesh, kind, 0, &table, nullptr), OSDC_OK);
    osdc_table_rows(table, &rows, nullptr, nullptr, nullptr, nullptr, nullptr);
    Points to(rows);
    osdc_apply(table, from[0].x, 3, to[0].x, 3, 3, 0, rows, nullptr);
    osdc_table_free(table);
    osdc_free(mesh);
    return to;
}

template <class Theirs>
void agree(const Points &ours, const Theirs &theirs, const char *what,
           double tolerance = AGREEMENT) {
    ck_assert_uint_eq(ours.size(), theirs.size());
    double worst = 0, size = 1;
    for (size_t i = 0; i < ours.size(); i++)
        for (int k = 0; k < 3; k++) {
            worst = std::max(worst, std::fabs((double)ours[i].x[k] - (double)theirs[i].x[k]));
            size = std::max(size, std::fabs((double)theirs[i].x[k]));
        }
    printf("%-28s %6zu points, largest difference %.2g of %.3g\n", what, ours.size(), worst / size,
           size);
    ck_assert_msg(worst <= tolerance * size, "%s: %g", what, worst);
}

static std::unique_ptr<TestCage, decltype(&free)> make_rich() {
    TestCage *cage = make_grid(8, 7, 1, 0.3, 0.5, 1);
    add_crease(cage, 10, 11, 1.5f);
    add_crease(cage, 11, 12, 2.5f);
    add_crease(cage, 12, 21, 10.0f);
    add_corner(cage, 40, 0.7f);
    add_corner(cage, 4, 1.2f);
    return {cage, free};
}

/* Refines values through all levels by the library. */
enum class Mode { vertex, varying, fvar };

static Exact by_levels(const Far::TopologyRefiner &refiner, Mode mode, const Points &from) {
    Far::PrimvarRefinerReal<double> interpolate(refiner);
    Exact points(from.size());
    for (size_t i = 0; i < from.size(); i++)
        for (int k = 0; k < 3; k++)
            points[i].x[k] = (double)from[i].x[k];
    for (int level = 1; level <= refiner.GetMaxLevel(); level++) {
        const Far::TopologyLevel &at = refiner.GetLevel(level);
        Exact next((size_t)(mode == Mode::fvar ? at.GetNumFVarValues(0) : at.GetNumVertices()));
        if (mode == Mode::vertex)
            interpolate.Interpolate(level, points, next);
        else if (mode == Mode::varying)
            interpolate.InterpolateVarying(level, points, next);
        else
            interpolate.InterpolateFaceVarying(level, points, next, 0);
        points.swap(next);
    }
    return points;
}

START_TEST(tables_agree_with_refinement_level_by_level) {
    auto cage = make_rich();
    Points x = cage_points(cage->x, cage->cage.verts, 3);
    Points uv = cage_points(cage->uv, cage->fvar.values, 2);
    for (uint32_t level = 1; level <= 4; level++) {
        Refiner refiner = make_refiner(*cage, (int)level);
        agree(by_shim(*cage, level, OSDC_VERTEX, x), by_levels(*refiner, Mode::vertex, x),
              "vertices");
        agree(by_shim(*cage, level, OSDC_VARYING, x), by_levels(*refiner, Mode::varying, x),
              "varying");
        agree(by_shim(*cage, level, OSDC_FVAR, uv), by_levels(*refiner, Mode::fvar, uv),
              "face-varying");
    }
}
END_TEST

START_TEST(limit_agrees_with_the_limit_evaluator) {
    auto cage = make_rich();
    Points x = cage_points(cage->x, cage->cage.verts, 3);
    Points uv = cage_points(cage->uv, cage->fvar.values, 2);
    for (uint32_t level = 1; level <= 3; level++) {
        Refiner refiner = make_refiner(*cage, (int)level);
        Far::PrimvarRefinerReal<double> evaluate(*refiner);
        Exact last = by_levels(*refiner, Mode::vertex, x);
        Exact last_uv = by_levels(*refiner, Mode::fvar, uv);
        Exact p(last.size()), du(last.size()), dv(last.size()), p_uv(last_uv.size());
        evaluate.Limit(last, p, du, dv);
        evaluate.LimitFaceVarying(last_uv, p_uv, 0);
        agree(by_shim(*cage, level, OSDC_LIMIT, x), p, "limit");
        agree(by_shim(*cage, level, OSDC_LIMIT_DU, x), du, "limit tangent u");
        agree(by_shim(*cage, level, OSDC_LIMIT_DV, x), dv, "limit tangent v");
        agree(by_shim(*cage, level, OSDC_LIMIT_FVAR, uv), p_uv, "limit of uvs");
    }
}
END_TEST

START_TEST(tables_agree_with_the_stencil_evaluator) {
    std::unique_ptr<TestCage, decltype(&free)> cage(make_grid(50, 50, 1, 0.3, 0.5, 0), free);
    Points x = cage_points(cage->x, cage->cage.verts, 3);
    Refiner refiner = make_refiner(*cage, 2);
    using Factory = Far::StencilTableFactoryReal<float>;
    Factory::Options options;
    options.generateIntermediateLevels = false;
    options.generateOffsets = true;
    std::unique_ptr<const Far::StencilTableReal<float>> stencils(
        Factory::Create(*refiner, options));
    Points theirs((size_t)stencils->GetNumStencils());
    Osd::BufferDescriptor layout(0, 3, 3);
    osdc_options ours = osdc_options_default();
    ours.level = 2;
    osdc_mesh *mesh = nullptr;
    osdc_table *table = nullptr;
    ck_assert_int_eq(osdc_create(&cage->cage, &ours, &mesh, nullptr), OSDC_OK);
    ck_assert_int_eq(osdc_table_create(mesh, OSDC_VERTEX, 0, &table, nullptr), OSDC_OK);
    Points mine(theirs.size());
    std::vector<double> ratios;
    /* interleaved, since the machine may be busy */
    for (int round = 0; round < 15; round++) {
        using Clock = std::chrono::steady_clock;
        Clock::time_point start = Clock::now();
        Osd::CpuEvaluator::EvalStencils(
            x[0].x, layout, theirs[0].x, layout, stencils->GetSizes().data(),
            stencils->GetOffsets().data(), stencils->GetControlIndices().data(),
            stencils->GetWeights().data(), 0, stencils->GetNumStencils());
        Clock::time_point middle = Clock::now();
        osdc_apply(table, x[0].x, 3, mine[0].x, 3, 3, 0, (uint32_t)mine.size(), nullptr);
        ratios.push_back(std::chrono::duration<double>(Clock::now() - middle).count() /
                         std::chrono::duration<double>(middle - start).count());
    }
    Exact exact = by_levels(*refiner, Mode::vertex, x);
    agree(mine, exact, "our stencils, exact ones");
    agree(theirs, exact, "CpuEvaluator, exact ones");
    agree(mine, theirs, "our stencils, CpuEvaluator", WITH_EVALUATOR);
    std::sort(ratios.begin(), ratios.end());
    printf("time of our loop / CpuEvaluator: %.2f (%.2f to %.2f)\n", ratios[7], ratios[3],
           ratios[11]);
    osdc_table_free(table);
    osdc_free(mesh);
}
END_TEST

int main() {
    Suite *suite = suite_create("osd_reference");
    TCase *all = tcase_create("all");
    tcase_add_test(all, tables_agree_with_refinement_level_by_level);
    tcase_add_test(all, limit_agrees_with_the_limit_evaluator);
    tcase_add_test(all, tables_agree_with_the_stencil_evaluator);
    suite_add_tcase(suite, all);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
