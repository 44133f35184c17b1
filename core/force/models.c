/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* Every energy once; see models.h. */
#include "force/models.h"

#include "force/bend_choi_ko.h"
#include "force/bend_crossover.h"
#include "force/bend_curved.h"
#include "force/bend_dihedral.h"
#include "force/bend_koiter.h"
#include "force/bend_law.h"
#include "force/bend_linear.h"
#include "force/bend_normal.h"
#include "force/bend_viscous.h"
#include "force/stretch_limit.h"
#include "force/stretch_quad.h"
#include "force/stretch_springs.h"
#include "force/stretch_stvk.h"

#include <assert.h>

int32_t tl_energies(const TlModel *model, TlElements out[TL_MOST_ENERGIES]) {
    const TlElements all[] = {
        tl_stretch_stvk(model),
        tl_stretch_quad(model),
        tl_stretch_springs(model),
        tl_stretch_limit(model),
        tl_bend_linear(model),
        tl_bend_curved(model),
        tl_bend_law(model),
        tl_bend_dihedral(model),
        tl_bend_normal(model),
        tl_bend_crossover(model),
        tl_bend_choi_ko(model),
        tl_bend_koiter_cross(model),
        tl_bend_koiter_in(model),
        tl_bend_viscous(model, TL_HINGE_LINEAR),
        tl_bend_viscous(model, TL_HINGE_CURVED),
        tl_bend_viscous(model, TL_HINGE_LAW),
        tl_bend_viscous(model, TL_HINGE_DIHEDRAL),
        tl_bend_viscous(model, TL_HINGE_NORMAL),
    };
    static_assert(sizeof all / sizeof all[0] <= TL_MOST_ENERGIES, "room for every energy");
    int32_t count = 0;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].count > 0) {
            out[count++] = all[i];
        }
    }
    return count;
}
