#ifndef BASE_CONF_PARTS_H
#define BASE_CONF_PARTS_H

#include "base/conf.h"

/* What conf.c leaves to its neighbours; private to them. */

/* Read the key file into conf.master; it is made when there is none. */
enum err conf_key_read(struct arena *, struct conf *) MUST_CHECK;

/* The sections of the engines that every installation has. */
void conf_engine_presets(struct arena *, struct conf *);
/*
 * A setting by its whole name, "engine.ID.KEY"; ID is a new engine, or one that
 * is there.  The answer is what is wrong, for behind the name, or NULL.
 */
const char *conf_engine_set(
    struct arena *, struct conf *, const char *name, const char *value);
/*
 * What the environment says of the engines there are: DRAGOMAN_ENGINE_ID_KEY, in
 * capitals and with _ for what is no letter or digit.  False: something was
 * wrong, which has been logged.
 */
bool conf_engine_environment(struct arena *, struct conf *) MUST_CHECK;
void conf_engine_print(const struct conf *, FILE *);

#endif
