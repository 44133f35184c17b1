/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Cages into OpenSubdiv's refiner, and the faces of its levels out of it. */
#include "osd_mesh.h"

#include <opensubdiv/far/error.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefinerFactory.h>

#include <mutex>

namespace Far = OpenSubdiv::Far;
namespace Sdc = OpenSubdiv::Sdc;

namespace tl_osd {

/* ---- messages ---- */

/* The library reports through plain functions without a user pointer: each thread keeps its own. */
static thread_local std::string messages;

static void keep_error(Far::ErrorType, const char *message) {
    messages += messages.empty() ? "" : "; ";
    messages += message;
}

static void keep_warning(const char *message) {
    keep_error(Far::FAR_NO_ERROR, message);
}

static void listen() {
    static std::once_flag once;
    std::call_once(once, [] {
        Far::SetErrorCallback(keep_error);
        Far::SetWarningCallback(keep_warning);
    });
    messages.clear();
}

std::string take_messages() {
    std::string taken;
    taken.swap(messages);
    return taken;
}

/* ---- creation ---- */

static Sdc::Options scheme_options(const osdc_options &options) {
    static const Sdc::Options::VtxBoundaryInterpolation edges[] = {
        Sdc::Options::VTX_BOUNDARY_NONE, Sdc::Options::VTX_BOUNDARY_EDGE_ONLY,
        Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER, Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER};
    static const Sdc::Options::FVarLinearInterpolation uvs[] = {
        Sdc::Options::FVAR_LINEAR_NONE,          Sdc::Options::FVAR_LINEAR_CORNERS_ONLY,
        Sdc::Options::FVAR_LINEAR_CORNERS_PLUS1, Sdc::Options::FVAR_LINEAR_CORNERS_PLUS2,
        Sdc::Options::FVAR_LINEAR_BOUNDARIES,    Sdc::Options::FVAR_LINEAR_ALL};
    Sdc::Options sdc;
    sdc.SetVtxBoundaryInterpolation(edges[options.boundary]);
    sdc.SetFVarLinearInterpolation(uvs[options.uv]);
    sdc.SetCreasingMethod(options.chaikin_creases ? Sdc::Options::CREASE_CHAIKIN
                                                  : Sdc::Options::CREASE_UNIFORM);
    sdc.SetTriangleSubdivision(options.smooth_triangles ? Sdc::Options::TRI_SUB_SMOOTH
                                                        : Sdc::Options::TRI_SUB_CATMARK);
    return sdc;
}

/* The arrays of a cage as the library takes them; it has no unsigned indices. */
struct Description {
    Far::TopologyDescriptor all;
    std::vector<std::vector<int>> indices;
    std::vector<Far::TopologyDescriptor::FVarChannel> channels;
    std::vector<int> corners;
    std::vector<float> sharpness;
};

static void describe(const osdc_cage &cage, const std::vector<bool> &sharp_rim, Description &to) {
    Far::TopologyDescriptor &all = to.all;
    all.numVertices = (int)cage.verts;
    all.numFaces = (int)cage.faces;
    all.numVertsPerFace = cage.face_count;
    all.vertIndicesPerFace = cage.index;
    all.numCreases = (int)cage.creases;
    all.creaseVertexIndexPairs = cage.crease_pairs;
    all.creaseWeights = cage.crease_sharpness;
    to.corners.assign(cage.corner_vert, cage.corner_vert + cage.corner_tags);
    to.sharpness.assign(cage.corner_sharpness, cage.corner_sharpness + cage.corner_tags);
    for (size_t v = 0; v < sharp_rim.size(); v++)
        if (sharp_rim[v]) {
            to.corners.push_back((int)v);
            to.sharpness.push_back(TL_OSD_SHARP);
        }
    all.numCorners = (int)to.corners.size();
    all.cornerVertexIndices = to.corners.data();
    all.cornerWeights = to.sharpness.data();
    all.numHoles = (int)cage.holes;
    all.holeIndices = cage.hole;
    to.channels.resize(cage.fvars);
    for (uint32_t i = 0; i < cage.fvars; i++) {
        to.indices.emplace_back(cage.fvar[i].index, cage.fvar[i].index + cage.corners);
        to.channels[i].numValues = (int)cage.fvar[i].values;
        to.channels[i].valueIndices = to.indices.back().data();
    }
    all.numFVarChannels = (int)cage.fvars;
    all.fvarChannels = to.channels.data();
}

static std::unique_ptr<Far::TopologyRefiner> make_refiner(const osdc_cage &cage,
                                                          const osdc_options &options,
                                                          const std::vector<bool> &sharp_rim) {
    static const Sdc::SchemeType schemes[] = {Sdc::SCHEME_CATMARK, Sdc::SCHEME_LOOP,
                                              Sdc::SCHEME_BILINEAR};
    using Factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
    Description description;
    describe(cage, sharp_rim, description);
    Factory::Options factory(schemes[options.scheme], scheme_options(options));
    factory.validateFullTopology = true;
    listen();
    std::unique_ptr<Far::TopologyRefiner> refiner(Factory::Create(description.all, factory));
    std::string said = take_messages();
    if (!refiner || !said.empty())
        fail(OSDC_E_TOPOLOGY, "the OpenSubdiv library refused the cage: " +
                                  (said.empty() ? "it did not say why" : said));
    return refiner;
}

/* The vertices of the rim that the caller gave no sharpness to. */
static std::vector<bool> find_rim(const osdc_cage &cage, const Far::TopologyLevel &level) {
    std::vector<bool> rim(cage.verts);
    for (uint32_t v = 0; v < cage.verts; v++)
        rim[v] = level.IsVertexBoundary((int)v);
    for (uint32_t i = 0; i < cage.corner_tags; i++)
        if (cage.corner_sharpness[i] >= TL_OSD_SHARP)
            rim[(size_t)cage.corner_vert[i]] = false;
    return rim;
}

static std::unique_ptr<osdc_mesh> create(const osdc_cage &cage, const osdc_options &options) {
    auto mesh = std::make_unique<osdc_mesh>();
    mesh->level = options.level;
    mesh->refiner = make_refiner(cage, options, mesh->sharp_rim);
    if (options.boundary == OSDC_EDGE_LINEAR) {
        mesh->sharp_rim = find_rim(cage, mesh->refiner->GetLevel(0));
        mesh->refiner = make_refiner(cage, options, mesh->sharp_rim);
    }
    Far::TopologyRefiner::UniformOptions uniform((int)options.level);
    uniform.fullTopologyInLastLevel = true;
    if (options.level > 0)
        mesh->refiner->RefineUniform(uniform);
    std::string said = take_messages();
    if (!said.empty())
        fail(OSDC_E_INTERNAL, "the OpenSubdiv library could not refine the cage: " + said);
    return mesh;
}

/* ---- levels ---- */

static const Far::TopologyLevel &level_of(const osdc_mesh *mesh, uint32_t level) {
    need(mesh, "the refined cage");
    if (level > mesh->level)
        fail(OSDC_E_ARG, "level " + std::to_string(level) + " is not there; the cage was refined " +
                             std::to_string(mesh->level) + " times");
    return mesh->refiner->GetLevel((int)level);
}

static bool is_crease(const Far::TopologyLevel &level, int edge) {
    return level.GetEdgeSharpness(edge) > 0 && !level.IsEdgeBoundary(edge);
}

/* Vertices that come from the cage stand first, in the cage's order, at every level. */
static bool is_sharp(const osdc_mesh *mesh, const Far::TopologyLevel &level, int vertex) {
    bool by_rim = (size_t)vertex < mesh->sharp_rim.size() && mesh->sharp_rim[(size_t)vertex];
    bool by_rule = level.IsVertexCorner(vertex) && level.GetVertexSharpness(vertex) >= TL_OSD_SHARP;
    return level.GetVertexSharpness(vertex) > 0 && !by_rim && !by_rule;
}

static void count(const osdc_mesh *mesh, uint32_t level, osdc_sizes &sizes) {
    const Far::TopologyLevel &at = level_of(mesh, level);
    sizes.verts = (uint32_t)at.GetNumVertices();
    sizes.faces = (uint32_t)at.GetNumFaces();
    sizes.corners = (uint32_t)at.GetNumFaceVertices();
    sizes.fvar_values = at.GetNumFVarChannels() > 0 ? (uint32_t)at.GetNumFVarValues(0) : 0;
    sizes.creases = sizes.corner_tags = 0;
    for (int e = 0; e < at.GetNumEdges(); e++)
        sizes.creases += is_crease(at, e);
    for (int v = 0; v < at.GetNumVertices(); v++)
        sizes.corner_tags += is_sharp(mesh, at, v);
}

static uint32_t cage_face_of(const osdc_mesh *mesh, uint32_t level, int face) {
    for (; level > 0; level--)
        face = mesh->refiner->GetLevel((int)level).GetFaceParentFace(face);
    return (uint32_t)face;
}

} // namespace tl_osd

/* ---- the C face ---- */

using namespace tl_osd;

osdc_status osdc_create(const osdc_cage *cage, const osdc_options *options, osdc_mesh **out,
                        osdc_error *error) {
    if (!out)
        return tl_osd_fail(error, OSDC_E_ARG, OSDC_NOWHERE, "osdc_create needs `out`");
    *out = nullptr;
    osdc_status status = tl_osd_check(cage, options, error);
    if (status != OSDC_OK)
        return status;
    return guarded(error, [&] { *out = create(*cage, *options).release(); });
}

void osdc_free(osdc_mesh *mesh) {
    delete mesh;
}

osdc_status osdc_size(const osdc_mesh *mesh, uint32_t level, osdc_sizes *sizes, osdc_error *error) {
    return guarded(error, [&] {
        if (!sizes || sizes->struct_size < sizeof *sizes)
            fail(OSDC_E_ARG, "osdc_size needs sizes set up by osdc_sizes_default");
        count(mesh, level, *sizes);
    });
}

osdc_status osdc_faces(const osdc_mesh *mesh, uint32_t level, int32_t *face_count, int32_t *index,
                       uint32_t *cage_face, uint8_t *hole, osdc_error *error) {
    return guarded(error, [&] {
        const Far::TopologyLevel &at = level_of(mesh, level);
        need(face_count, "face_count");
        need(index, "index");
        for (int f = 0; f < at.GetNumFaces(); f++) {
            Far::ConstIndexArray corners = at.GetFaceVertices(f);
            face_count[f] = corners.size();
            for (int c = 0; c < corners.size(); c++)
                *index++ = corners[c];
            if (cage_face)
                cage_face[f] = cage_face_of(mesh, level, f);
            if (hole)
                hole[f] = at.IsFaceHole(f) ? 1 : 0;
        }
    });
}

osdc_status osdc_fvar_index(const osdc_mesh *mesh, uint32_t level, uint32_t channel,
                            uint32_t *index, osdc_error *error) {
    return guarded(error, [&] {
        const Far::TopologyLevel &at = level_of(mesh, level);
        need(index, "index");
        if ((int64_t)channel >= at.GetNumFVarChannels())
            fail(OSDC_E_ARG, "the cage has no channel " + std::to_string(channel));
        for (int f = 0; f < at.GetNumFaces(); f++) {
            Far::ConstIndexArray values = at.GetFaceFVarValues(f, (int)channel);
            for (int c = 0; c < values.size(); c++)
                *index++ = (uint32_t)values[c];
        }
    });
}

osdc_status osdc_tags(const osdc_mesh *mesh, uint32_t level, int32_t *crease_pairs,
                      float *crease_sharpness, int32_t *corner_vert, float *corner_sharpness,
                      osdc_error *error) {
    return guarded(error, [&] {
        const Far::TopologyLevel &at = level_of(mesh, level);
        osdc_sizes sizes = osdc_sizes_default();
        count(mesh, level, sizes);
        if (sizes.creases > 0 && (!crease_pairs || !crease_sharpness))
            fail(OSDC_E_ARG, "osdc_tags needs a place for creases");
        if (sizes.corner_tags > 0 && (!corner_vert || !corner_sharpness))
            fail(OSDC_E_ARG, "osdc_tags needs a place for corners");
        for (int e = 0; e < at.GetNumEdges(); e++)
            if (is_crease(at, e)) {
                *crease_pairs++ = at.GetEdgeVertices(e)[0];
                *crease_pairs++ = at.GetEdgeVertices(e)[1];
                *crease_sharpness++ = at.GetEdgeSharpness(e);
            }
        for (int v = 0; v < at.GetNumVertices(); v++)
            if (is_sharp(mesh, at, v)) {
                *corner_vert++ = v;
                *corner_sharpness++ = at.GetVertexSharpness(v);
            }
    });
}
