/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CONF_H
#define BASE_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/conf_settings.h"
#include "base/err.h"
#include "base/hash.h"

/* A voice of an engine: its id in the API, and its name at the engine. */
struct conf_voice {
	const char *id, *name;
	struct conf_voice *next;
};

/* A section [engine.ID]; "": not set. */
struct conf_engine {
	const char *id;
	const char *kind;
	const char *url; /* no slash at its end */
	const char *key;
	const char *model;
	const char *languages; /* codes, separated by blanks */
	const char *protocol;  /* protocol of kind websocket */
	const char *detect;    /* language to send when it must be detected */
	const char *parallel;  /* a number: requests at a time */
	const char *partial;   /* yes, no, auto: partial texts */
	const char *command;   /* program of kind process, with its arguments */
	const char *library;   /* path of a shared library */
	const char *threads;   /* a number: of one process of the library */
	const char *lines;     /* texts of kind script, separated by line ends */
	int64_t timeout_ms;    /* 0: not set */
	struct conf_voice *voices;
	struct conf_engine *next;
};

/* A setting of a section that is a text. */
struct conf_engine_key {
	const char *name;
	size_t at; /* offsetof() in struct conf_engine */
	const char *meaning;
	bool secret;
};

extern const struct conf_engine_key conf_engine_keys[]; /* up to one without a name */

/*
 * The settings of one installation: read once per program, never changed.  Paths are
 * absolute once read.
 */
struct conf {
	const char *prefix; /* the folder that holds etc/ and, by default, all else */

#define SETTING(member, type, ...) type member;
	CONF_SETTINGS
#undef SETTING
	struct conf_engine *engines; /* engines in the order of the file */
	int64_t file_us;             /* conf_file_us() when the file was read */

	const char *node; /* uuid of this host among those that share the database */
	unsigned char master[SHA256_BYTES]; /* key from the key file; see conf_key() */
	unsigned char link_key[SHA256_BYTES]; /* derived from it, for download links */
};

/*
 * Read the file named by $DRAGOMAN_CONF, else ../etc/dragoman.conf beside the
 * program's folder, then the environment (DRAGOMAN_SECTION_KEY wins).  A wrong setting
 * is logged and returns ERR_REFUSED.  All texts live in the arena.  The key file and
 * the file that names the node are created if missing.
 */
enum err conf_read(struct arena *, struct conf *) MUST_CHECK;

/* As conf_read(), but creates no file; a missing file is logged and returns ERR_FAILED.
 */
enum err conf_read_existing(struct arena *, struct conf *) MUST_CHECK;

/* "plan.voices" -> "DRAGOMAN_PLAN_VOICES" */
const char *conf_variable(struct arena *, const char *setting);
/* Path of the file that is read; NULL: this program cannot know it. */
const char *conf_file(struct arena *);
/* Time of that file's last change, microseconds since the epoch; 0: there is no file.
 */
int64_t conf_file_us(struct arena *);

/* A key of this installation's own for one purpose: HMAC(master, purpose). */
void conf_key(const struct conf *, const char *purpose, unsigned char[SHA256_BYTES]);

/* The section of an ID of n bytes, or NULL. */
const struct conf_engine *conf_engine_find(
    const struct conf *, const char *id, size_t n);
/* A section of that ID with nothing set. */
struct conf_engine conf_engine_none(const char *id);

/*
 * The settings in force except the engines' sections, in the form of dragoman.conf;
 * secrets are masked and commented out.
 */
void conf_print(const struct conf *, FILE *);
/* Every such setting, commented out, with its meaning, limits and default. */
void conf_print_example(FILE *);

#endif
