/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_ROUTE_H
#define PIPELINE_ROUTE_H

#include "pipeline/faithful.h"
#include "speech/registry.h"

/*
 * As faithful_translate(), by one engine or by two; names, numbers and negations are
 * checked in both steps. The result of each engine is reported to the registry.
 */
enum err route_translate(struct registry *, const struct registry_way *, struct arena *,
    const struct mt_text *, const char **out, struct faithful *) MUST_CHECK;

#endif
