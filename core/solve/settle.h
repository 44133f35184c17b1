/* SPDX-FileCopyrightText: 2026 Toile contributors */
/* SPDX-License-Identifier: Apache-2.0 */
/* The static drape. */
#ifndef TL_SETTLE_H
#define TL_SETTLE_H

#include "solve/newton.h"

/* Called between iterations with the residual; false cancels. */
typedef bool (*TlSettleWatch)(void *user, int32_t iteration, double residual);

typedef struct TlSettle {
    const double *gravity;
    int32_t most_iterations;
    double tolerance; /* force left over load */
    TlSettleWatch watch;
    void *user;
} TlSettle;

typedef struct TlSettleResult {
    int32_t iterations;
    int32_t cg_iterations;
    int32_t cuts;
    bool converged, cancelled, finite;
    bool unheld; /* the cloth fell away */
    double residual;
    double largest_force_N;
    double residual_ratio; /* of the last linear solve */
    TlStageTimes seconds;
} TlSettleResult;

/* Moves x to where forces balance. */
TlSettleResult tl_settle(TlSystem *system, const TlContacts *contacts, const TlSettle *options,
                         double *x);

#endif
