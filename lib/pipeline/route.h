/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_ROUTE_H
#define PIPELINE_ROUTE_H

#include "pipeline/faithful.h"
#include "speech/registry.h"

/*
 * faithful_translate() by one engine or by two: names, numbers and negations are
 * guarded in both steps.  The registry is told how each engine fared.
 */
enum err route_translate(struct registry *, const struct registry_way *, struct arena *,
    const struct mt_text *, const char **out, struct faithful *) MUST_CHECK;

#endif
