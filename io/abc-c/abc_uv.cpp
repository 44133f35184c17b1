/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The uv sets of a mesh: the main one, which the schema knows, and parameters of two floats. */
#include "abc_column.h"

#include <Alembic/Abc/SourceName.h>

namespace tl_abc {

namespace {

bool at_corners(abcc_scope scope) {
    return scope == ABCC_FACEVARYING || scope == ABCC_VERTEX || scope == ABCC_VARYING;
}

std::vector<GeomParam> list_sets(abcc_reader *reader, abcc_obj obj) {
    const Object &object = object_of(reader, obj);
    std::vector<GeomParam> sets;
    GeomParam main = find_geom_param(object, "uv", 2);
    if (main.values) {
        if (!object.uv_name.empty())
            main.name = object.uv_name;
        sets.push_back(std::move(main));
    }
    for (const Param &param : params_of(reader, obj))
        if (param.where == ABCC_IN_ARB && param.values && at_corners(param.scope) &&
            param.type == AbcA::DataType(Util::kFloat32POD, 2))
            sets.push_back({param.name, param.scope, param.values, param.indices});
    return sets;
}

const std::vector<GeomParam> &sets_of(abcc_reader *reader, abcc_obj obj) {
    Object &object = object_of(reader, obj);
    if (object.kind != ABCC_MESH && object.kind != ABCC_SUBD)
        fail(ABCC_E_ARG, named(object.path) + " is not a mesh");
    if (!object.uv_sets)
        object.uv_sets = std::make_unique<const std::vector<GeomParam>>(list_sets(reader, obj));
    return *object.uv_sets;
}

const GeomParam &set_of(abcc_reader *reader, abcc_obj obj, std::uint32_t i) {
    const std::vector<GeomParam> &sets = sets_of(reader, obj);
    if (i >= sets.size())
        fail(ABCC_E_ARG, named(object_of(reader, obj).path) + " has " +
                             std::to_string(sets.size()) + " uv sets, so none with number " +
                             std::to_string(i));
    return sets[i];
}

[[noreturn]] void fail_find(abcc_reader *reader, abcc_obj obj, const char *name) {
    std::string there;
    for (const GeomParam &set : sets_of(reader, obj))
        there += (there.empty() ? "" : ", ") + named(set.name);
    fail(ABCC_E_ARG, named(object_of(reader, obj).path) + " has no uv set " + named(name) +
                         (there.empty() ? ", nor any other" : "; there are " + there));
}

} // namespace

} // namespace tl_abc

using namespace tl_abc;

abcc_status abcc_uv_count(abcc_reader *reader, abcc_obj obj, uint32_t *count, abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(count, "the place for the count");
        *count = static_cast<std::uint32_t>(sets_of(reader, obj).size());
    });
}

abcc_status abcc_uv_get(abcc_reader *reader, abcc_obj obj, uint32_t i, abcc_uv_set *set,
                        abcc_error *error) {
    return on_reader(reader, error, [&] {
        need_struct(set, "the place for the uv set");
        const GeomParam &found = set_of(reader, obj, i);
        set->main = i == 0 && find_geom_param(object_of(reader, obj), "uv", 2).values;
        set->scope = found.scope;
        set->indexed = found.indices != nullptr;
        set->samples = static_cast<std::uint32_t>(found.values->getNumSamples());
        set->name = found.name.c_str();
    });
}

abcc_status abcc_uv_find(abcc_reader *reader, abcc_obj obj, const char *name, uint32_t *i,
                         abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(name, "the name");
        need(i, "the place for the number");
        const std::vector<GeomParam> &sets = sets_of(reader, obj);
        std::uint32_t at = 0;
        while (at < sets.size() && sets[at].name != name)
            at++;
        if (at == sets.size())
            fail_find(reader, obj, name);
        *i = at;
    });
}

abcc_status abcc_uv_size(abcc_reader *reader, abcc_obj obj, uint32_t i, uint32_t sample,
                         uint32_t *values, abcc_error *error) {
    return on_reader(reader, error, [&] {
        need(values, "the place for the count");
        const GeomParam &set = set_of(reader, obj, i);
        const Object &object = mesh_object(reader, obj, sample);
        *values =
            Attribute(object, set, sample, object.times->getSampleTime(sample)).values.count();
    });
}

abcc_status abcc_uv_read(abcc_reader *reader, abcc_obj obj, uint32_t i, uint32_t sample, float *uv,
                         uint32_t cap_uv, uint32_t *uv_index, uint32_t cap_corners,
                         abcc_error *error) {
    return on_reader(reader, error, [&] {
        const GeomParam &set = set_of(reader, obj, i);
        Mesh mesh(reader, obj, sample);
        Attribute uvs(mesh.object, set, sample, mesh.seconds);
        std::vector<std::uint32_t> entries;
        need_room(mesh.object, uv, cap_uv, uvs.values.count(), "uvs");
        need_room(mesh.object, uv_index, cap_corners, mesh.corners.count(), "corners");
        if (uv_index) {
            check_faces(mesh);
            entries = corner_entries(mesh, uvs);
        }
        copy(uv, uvs.values.read<float>(2), std::size_t(2) * uvs.values.count());
        copy_corners(reader, mesh, uv_index, entries.data());
    });
}
