/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds of everything below a transform, and below the top of the archive. Alembic leaves them to
 * the writer, and programs read them before any geometry. They have the times of whatever below has
 * most samples. */
#include "abc_writer.h"

#include <Imath/ImathBoxAlgo.h>

#include <algorithm>

namespace tl_abc {

namespace {

/* Row vectors: a point goes through the child's matrix first. */
using Matrix = Imath::M44d;

class Bounds {
public:
    explicit Bounds(const abcc_writer &writer) : writer_(writer) {
    }

    /* The box of all below an object in the object's own space. `world` leads from there to the
     * world, where what does not inherit its place is put. */
    Imath::Box3d below(abcc_obj obj, double seconds, const Matrix &world) const {
        Imath::Box3d box;
        for (const abcc_obj child : writer_.objects[obj].children)
            box.extendBy(of_child(child, seconds, world));
        return box;
    }

    Matrix world_of(abcc_obj obj, double seconds) const {
        Matrix world;
        for (bool inherits = true; obj != 0 && inherits; obj = writer_.objects[obj].parent) {
            world = world * matrix_of(writer_.objects[obj], seconds);
            inherits = inherits_at(writer_.objects[obj], seconds);
        }
        return world;
    }

    /* The object whose times the bounds below another one follow; 0 when there is nothing below.
     * Where something below does not inherit its place, whatever is above moves it too. */
    abcc_obj leader_of(abcc_obj obj) const {
        abcc_obj best = busiest_below(obj);
        if (best != 0 && has_free_below(obj))
            for (; obj != 0; obj = writer_.objects[obj].parent)
                take_busier(best, obj);
        return best;
    }

private:
    bool has_free_below(abcc_obj obj) const {
        for (const abcc_obj child : writer_.objects[obj].children) {
            const abcc_obj shown = shown_by(child);
            const std::vector<bool> &inherits = writer_.objects[shown].inherits;
            if (std::find(inherits.begin(), inherits.end(), false) != inherits.end() ||
                has_free_below(shown))
                return true;
        }
        return false;
    }

    /* Whichever object below has most samples; 0 when none has any. */
    abcc_obj busiest_below(abcc_obj obj) const {
        abcc_obj best = 0;
        for (const abcc_obj child : writer_.objects[obj].children) {
            const abcc_obj shown = shown_by(child);
            take_busier(best, shown);
            take_busier(best, busiest_below(shown));
        }
        return best;
    }

    abcc_obj shown_by(abcc_obj obj) const {
        const abcc_obj source = writer_.objects[obj].instance_of;
        return source ? source : obj;
    }

    /* What has times goes before what has none, even with a single sample. */
    void take_busier(abcc_obj &best, abcc_obj other) const {
        const auto weight = [&](abcc_obj obj) {
            const OutObject &object = writer_.objects[obj];
            return object.samples == 0 ? 0 : object.samples + (object.time != 0 ? 1 : 0);
        };
        if (other && !writer_.objects[other].faceset && weight(other) > (best ? weight(best) : 0))
            best = other;
    }

    std::size_t sample_at(const OutObject &object, double seconds) const {
        return writer_.samplings[object.time].sample_at(seconds, object.samples);
    }

    Matrix matrix_of(const OutObject &object, double seconds) const {
        return object.matrices.empty() ? Matrix() : object.matrices[sample_at(object, seconds)];
    }

    bool inherits_at(const OutObject &object, double seconds) const {
        return object.inherits.empty() || object.inherits[sample_at(object, seconds)];
    }

    /* The box of an object and all below it in its parent's space. */
    Imath::Box3d of_child(abcc_obj obj, double seconds, const Matrix &parent_world) const {
        const abcc_obj shown = shown_by(obj);
        const OutObject &object = writer_.objects[shown];
        const bool inherits = inherits_at(object, seconds);
        const Matrix matrix = matrix_of(object, seconds);
        Imath::Box3d box = below(shown, seconds, inherits ? matrix * parent_world : matrix);
        if (!object.bounds.empty())
            box.extendBy(object.bounds[sample_at(object, seconds)]);
        if (box.isEmpty() || !object.xform)
            return box;
        return Imath::transform(box, inherits ? matrix : matrix * parent_world.inverse());
    }

    const abcc_writer &writer_;
};

void write_child_bounds(abcc_writer *writer, abcc_obj parent) {
    const Bounds bounds(*writer);
    const abcc_obj leader = bounds.leader_of(parent);
    OutObject &object = writer->objects[parent];
    if (leader == 0 || (parent != 0 && !object.xform))
        return;
    const OutTimes &times = writer->samplings[writer->objects[leader].time];
    Abc::OBox3dProperty property;
    if (parent == 0) {
        property = AbcGeom::CreateOArchiveBounds(writer->archive, times.library_id);
        writer->bounds = property;
    } else {
        property = object.xform->getSchema().getChildBoundsProperty();
        property.setTimeSampling(times.library_id);
    }
    for (std::uint32_t k = 0; k < writer->objects[leader].samples; k++) {
        const double seconds = times.time_of(k);
        property.set(bounds.below(parent, seconds, bounds.world_of(parent, seconds)));
    }
}

} // namespace

void write_all_child_bounds(abcc_writer *writer) {
    for (abcc_obj obj = 0; obj < writer->objects.size(); obj++)
        write_child_bounds(writer, obj);
}

} // namespace tl_abc
