/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* What `toile eval --detail` prints of one cloth: hinges, elements, springs, vertex areas and the
 * parts of Koiter's energy. */
#ifndef TL_CLI_EVAL_DETAIL_H
#define TL_CLI_EVAL_DETAIL_H

#include <stdbool.h>
#include <toile/toile.h>

/* Members of a JSON object, each behind a comma; `koiter`: the cloth bends by that model; `moving`:
 * it was given velocities. Answers an exit code, with a sentence when it is not 0. */
int tl_eval_json_detail(ToileSim *sim, ToileClothId cloth, bool koiter, bool moving);
/* The same for people, shortened. */
int tl_eval_table_detail(ToileSim *sim, ToileClothId cloth, bool koiter);

#endif
