/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CONF_PARTS_H
#define BASE_CONF_PARTS_H

#include "base/conf.h"

/* Shared by the files conf*.c; private to them. */

enum setting_type {
	SET_TEXT,
	SET_SECRET, /* a text that is never printed */
	SET_PATH,   /* a path, relative to the prefix */
	SET_INT,    /* an integer within min and max */
	SET_MICRO,  /* a decimal number x 1,000,000; min and max likewise */
	SET_BOOL    /* yes or no; also on, off */
};

struct setting {
	const char *name; /* "section.key" */
	enum setting_type type;
	size_t at; /* offsetof() in struct conf */
	const char *preset;
	int64_t min, max;
	const char *meaning;
};

extern const struct setting conf_settings[]; /* up to one without a name */

/* The reason why an integer is refused, or NULL. */
const char *conf_int(const char *text, int64_t min, int64_t max, int64_t *to);

/* Read the key file into conf.master; if make, create a missing file. */
enum err conf_key_read(struct arena *, struct conf *, bool make) MUST_CHECK;

/* True if an earlier version had this setting; then it is read, which is logged. */
bool conf_old_set(struct arena *, struct conf *, const char *name, const char *value);
/* As conf_old_set(), for the environment. */
void conf_old_environment(struct arena *, struct conf *);

/* The section of an ID of n bytes; it is created if missing. */
struct conf_engine *conf_engine_ensure(
    struct arena *, struct conf *, const char *id, size_t n);
/*
 * Set a setting by its whole name, "engine.ID.KEY", of a new or known engine. Returns
 * an error without that name, or NULL.
 */
const char *conf_engine_set(
    struct arena *, struct conf *, const char *name, const char *value);
/*
 * Read the engines' settings from the environment: DRAGOMAN_ENGINE_ID_KEY, in capitals,
 * with _ in place of all but letters and digits. False, and logged: a setting was
 * wrong.
 */
bool conf_engine_environment(struct arena *, struct conf *) MUST_CHECK;

#endif
