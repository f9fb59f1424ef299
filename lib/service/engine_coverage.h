/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_ENGINE_COVERAGE_H
#define SERVICE_ENGINE_COVERAGE_H

#include "base/conf.h"
#include "db/db.h"

/*
 * Ask the engines which languages they serve and store that in the rows of
 * store/served.h. Then update the channels' warnings and the public views of their
 * events. Engines are asked outside any transaction. While an engine does not answer,
 * languages that were served with the same settings stay. ERR_REFUSED: the settings of
 * the engines are wrong, which has been logged.
 */
enum err engine_coverage_update(
    struct db *, struct arena *, const struct conf *) MUST_CHECK;

#endif
