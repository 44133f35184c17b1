/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The fabrics that come with Toile. Measured numbers are those of
 *   Wang, O'Brien, Ramamoorthi: Data-driven elastic models for cloth, 2011
 *   Bouman, Xiao, Battaglia, Freeman: Estimating the material properties of fabric from video, 2013
 *   Penava et al. 2014, in the form tabulated with Codimensional IPC
 * and every source line says which were measured and which are estimated. Estimated bending comes
 * from a bending length c by B = w g c^3 (ASTM D1388), w the areal density. */
#include "fabric_library.h"

/* name, title, source,
 * density, thickness, friction, weft, warp, shear, poisson, damping, bend weft, bend warp */
static const TlFabricRow rows[] = {
    {"11-oz-black-denim", "11 oz black denim",
     "Wang, O'Brien, Ramamoorthi 2011: density, stretch at rest, bending at 0 (weft) and "
     "90 (warp) degrees; estimated: shear (50 N/m, usual for wovens), Poisson ratio, "
     "thickness, friction, damping",
     0.324, 0.0007, 0.3, 205.0, 1014.0, 50.0, 0.2, 0.001, 6.4e-05, 9.7e-05},
    {"camel-ponte-roma", "camel ponte roma, a firm double knit",
     "Wang, O'Brien, Ramamoorthi 2011: density, stretch at rest, bending at 0 (weft) and "
     "90 (warp) degrees; estimated: shear (0.4 of the mean stretch), Poisson ratio, "
     "thickness, friction, damping",
     0.284, 0.001, 0.3, 31.0, 44.0, 15.0, 0.2, 0.001, 3.6e-05, 3.7e-05},
    {"canvas", "cotton canvas",
     "density: canvas of Bouman et al. 2013; estimated: all else, with bending from "
     "bending lengths of 4.2 cm (weft) and 4.2 cm (warp)",
     0.393, 0.0008, 0.4, 3000.0, 3000.0, 150.0, 0.2, 0.001, 0.00029, 0.00029},
    {"corduroy", "cotton corduroy",
     "density: corduroy of Bouman et al. 2013; estimated: all else, with bending from "
     "bending lengths of 2.6 cm (weft) and 2.4 cm (warp)",
     0.153, 0.001, 0.4, 600.0, 700.0, 50.0, 0.2, 0.001, 2.6e-05, 2.1e-05},
    {"cotton", "plain cotton, isotropic",
     "Penava et al. 2014, as used with Codimensional IPC: density, thickness, Young's "
     "modulus, Poisson ratio; shear follows from isotropy; estimated: bending (bending "
     "length 2.2 cm), friction, damping",
     0.1503, 0.000318, 0.3, 261.1, 261.1, 105.0, 0.243, 0.001, 1.6e-05, 1.6e-05},
    {"cotton-poplin", "crisp shirt cotton",
     "density: medium cotton of Bouman et al. 2013; estimated: all else, with bending from"
     " bending lengths of 3.3 cm (weft) and 3.5 cm (warp)",
     0.139, 0.0003, 0.3, 800.0, 900.0, 60.0, 0.2, 0.001, 5e-05, 6e-05},
    {"cotton-voile", "light cotton",
     "density: light cotton of Bouman et al. 2013; estimated: all else, with bending from "
     "bending lengths of 2.0 cm (weft) and 2.0 cm (warp)",
     0.1, 0.0002, 0.3, 500.0, 600.0, 35.0, 0.2, 0.001, 7.8e-06, 7.8e-06},
    {"denim", "medium denim",
     "density: denim of Bouman et al. 2013; estimated: all else, with bending from bending"
     " lengths of 3.5 cm (weft) and 3.7 cm (warp)",
     0.297, 0.0007, 0.4, 1500.0, 2000.0, 120.0, 0.2, 0.001, 0.00012, 0.00015},
    {"fleece", "polyester fleece",
     "density: fleece of Bouman et al. 2013; estimated: all else, with bending from "
     "bending lengths of 2.4 cm (weft) and 2.4 cm (warp)",
     0.191, 0.0025, 0.5, 120.0, 200.0, 40.0, 0.2, 0.001, 2.6e-05, 2.6e-05},
    {"gray-interlock", "gray interlock, a soft jersey",
     "Wang, O'Brien, Ramamoorthi 2011: density, stretch at rest, bending at 0 (weft) and "
     "90 (warp) degrees; estimated: shear (0.4 of the mean stretch), Poisson ratio, "
     "thickness, friction, damping",
     0.187, 0.0007, 0.3, 17.0, 35.0, 9.8, 0.2, 0.001, 2.3e-05, 1.4e-05},
    {"ivory-rib-knit", "ivory rib knit",
     "Wang, O'Brien, Ramamoorthi 2011: density, stretch at rest, bending at 0 (weft) and "
     "90 (warp) degrees; estimated: shear (0.4 of the mean stretch), Poisson ratio, "
     "thickness, friction, damping",
     0.276, 0.0011, 0.3, 43.0, 65.0, 21.0, 0.2, 0.001, 4.6e-05, 3.2e-05},
    {"linen", "linen",
     "density: linen of Bouman et al. 2013; estimated: all else, with bending from bending"
     " lengths of 2.6 cm (weft) and 2.6 cm (warp)",
     0.152, 0.0004, 0.35, 900.0, 1000.0, 40.0, 0.15, 0.001, 2.6e-05, 2.6e-05},
    {"navy-sparkle-sweat", "navy sparkle sweat, a very stretchy sweat-shirt knit",
     "Wang, O'Brien, Ramamoorthi 2011: density, stretch at rest, bending at 0 (weft) and "
     "90 (warp) degrees; estimated: shear (0.4 of the mean stretch), Poisson ratio, "
     "thickness, friction, damping",
     0.224, 0.0009, 0.3, 12.5, 3.3, 2.6, 0.2, 0.001, 5.9e-05, 4.6e-05},
    {"pink-ribbon-brown", "pink ribbon brown, a woven with little stretch",
     "Wang, O'Brien, Ramamoorthi 2011: density, stretch at rest, bending at 0 (weft) and "
     "90 (warp) degrees; estimated: shear (50 N/m, usual for wovens), Poisson ratio, "
     "thickness, friction, damping",
     0.228, 0.0006, 0.3, 152.0, 245.0, 50.0, 0.2, 0.001, 0.000117, 6e-05},
    {"pleather", "coated imitation leather",
     "density: pleather of Bouman et al. 2013; estimated: all else, with bending from "
     "bending lengths of 3.2 cm (weft) and 3.2 cm (warp)",
     0.565, 0.0009, 0.5, 2500.0, 2500.0, 600.0, 0.3, 0.001, 0.00018, 0.00018},
    {"polyester", "polyester, isotropic",
     "Penava et al. 2014, as used with Codimensional IPC: density, thickness, Young's "
     "modulus, Poisson ratio; shear follows from isotropy; estimated: bending (bending "
     "length 2.0 cm), friction, damping",
     0.1646, 0.000252, 0.3, 120.5, 120.5, 43.6, 0.381, 0.001, 1.3e-05, 1.3e-05},
    {"ripstop", "ripstop nylon",
     "density: ripstop of Bouman et al. 2013; estimated: all else, with bending from "
     "bending lengths of 2.6 cm (weft) and 2.6 cm (warp)",
     0.059, 0.0001, 0.25, 2500.0, 2500.0, 150.0, 0.2, 0.001, 1e-05, 1e-05},
    {"royal-target", "royal target, a firm woven",
     "Wang, O'Brien, Ramamoorthi 2011: density, stretch at rest, bending at 0 (weft) and "
     "90 (warp) degrees; estimated: shear (50 N/m, usual for wovens), Poisson ratio, "
     "thickness, friction, damping",
     0.22, 0.0005, 0.3, 2017.0, 2035.0, 50.0, 0.2, 0.001, 0.000125, 0.000125},
    {"silk-satin", "silk satin",
     "density: silk satin of Bouman et al. 2013; estimated: all else, with bending from "
     "bending lengths of 1.6 cm (weft) and 1.6 cm (warp)",
     0.09, 0.0002, 0.2, 600.0, 800.0, 20.0, 0.2, 0.001, 3.6e-06, 3.6e-06},
    {"silk-ultralight", "very light silk",
     "density: silk ultralight of Bouman et al. 2013; estimated: all else, with bending "
     "from bending lengths of 1.8 cm (weft) and 1.8 cm (warp)",
     0.067, 0.0001, 0.2, 500.0, 600.0, 20.0, 0.2, 0.001, 3.8e-06, 3.8e-06},
    {"tango-red-jet-set", "tango red jet set, a light stretch fabric",
     "Wang, O'Brien, Ramamoorthi 2011: density, stretch at rest, bending at 0 (weft) and "
     "90 (warp) degrees; estimated: shear (0.4 of the mean stretch), Poisson ratio, "
     "thickness, friction, damping",
     0.113, 0.0004, 0.3, 43.0, 171.0, 34.0, 0.2, 0.001, 1.4e-05, 2e-05},
    {"white-dots-on-black", "white dots on black, a light firm woven",
     "Wang, O'Brien, Ramamoorthi 2011: density, stretch at rest, bending at 0 (weft) and "
     "90 (warp) degrees; estimated: shear (50 N/m, usual for wovens), Poisson ratio, "
     "thickness, friction, damping",
     0.128, 0.0003, 0.3, 2002.0, 2027.0, 50.0, 0.2, 0.001, 5.2e-05, 3.1e-05},
    {"white-swim-solid", "white swim solid, swimwear",
     "Wang, O'Brien, Ramamoorthi 2011: density, stretch at rest, bending at 0 (weft) and "
     "90 (warp) degrees; estimated: shear (0.4 of the mean stretch), Poisson ratio, "
     "thickness, friction, damping",
     0.204, 0.0006, 0.3, 48.0, 105.0, 28.0, 0.2, 0.001, 6e-05, 5.1e-05},
    {"wool", "wool suiting, isotropic",
     "Penava et al. 2014, as used with Codimensional IPC: density, thickness, Young's "
     "modulus, Poisson ratio; shear follows from isotropy; estimated: bending (bending "
     "length 2.1 cm), friction, damping",
     0.2348, 0.000568, 0.3, 96.56, 96.56, 37.8, 0.277, 0.001, 2.1e-05, 2.1e-05},
    {"wool-heavy", "heavy wool coating",
     "density: heavy wool of Bouman et al. 2013; estimated: all else, with bending from "
     "bending lengths of 2.8 cm (weft) and 2.8 cm (warp)",
     0.385, 0.002, 0.45, 400.0, 500.0, 60.0, 0.2, 0.001, 8.3e-05, 8.3e-05},
    {"wool-lycra", "wool with lycra, isotropic",
     "Penava et al. 2014, as used with Codimensional IPC: density, thickness, Young's "
     "modulus, Poisson ratio; shear follows from isotropy; estimated: bending (bending "
     "length 1.9 cm), friction, damping",
     0.1782, 0.000328, 0.3, 24.93, 24.93, 11.6, 0.071, 0.001, 1.2e-05, 1.2e-05},
};

const TlFabricRow *tl_fabric_rows(int32_t *count) {
    *count = (int32_t)(sizeof rows / sizeof rows[0]);
    return rows;
}
