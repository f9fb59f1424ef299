#ifndef SERVICE_ENGINE_COVERAGE_H
#define SERVICE_ENGINE_COVERAGE_H

#include "base/conf.h"
#include "db/db.h"

/*
 * Ask the engines what they serve, keep that in the rows of store/served.h, and bring
 * the channels into line with it: their warnings, and what the public views of their
 * events show.  Engines are asked outside any transaction.  While one of them does not
 * answer, nothing that was served by the same settings is taken away.
 * ERR_REFUSED: the settings name no engines that can be had, which has been logged.
 */
enum err engine_coverage_update(
    struct db *, struct arena *, const struct conf *) MUST_CHECK;

#endif
