/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_AT_H
#define SPEECH_AT_H

#include <stdbool.h>

/*
 * An engine of the real-time interfaces: its address and settings, from its section of
 * the configuration. Everything lives as long as the program.
 */
struct engine_at {
	const char *id;    /* "pocketsphinx", "my-whisper" */
	const char *kind;  /* pocketsphinx, apertium, espeak, openai, ...  */
	const char *url;   /* of HTTP engines, without a slash at the end; or NULL */
	const char *key;   /* their credential, or NULL */
	const char *model; /* NULL: the engine's own */
	const char *languages; /* "en es-mx": only these; NULL: all that it supports */
	const char *lines;     /* script: its texts, lines; NULL: its default */
	const char *bin_dir;   /* the folder of our child programs */
	const char *protocol;  /* of kind websocket; NULL: its default */
	const char *detect;    /* language sent if it must be detected, or NULL */
	const char *library;   /* path of a shared library, or NULL */
	int parallel;          /* requests at a time; 0: any number */
	int threads;           /* of one process of the library, above 0 */
	int timeout_ms;        /* of one call */
	bool pivot;            /* may translate in two steps */
	bool no_partial;       /* its partial texts are not asked for */
	bool allow_private;    /* its address may be a private one */
};

#endif
