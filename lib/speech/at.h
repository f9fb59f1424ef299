/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SPEECH_AT_H
#define SPEECH_AT_H

#include <stdbool.h>

/*
 * An engine of the real-time interfaces: its address and settings, from its section of
 * the configuration. All members live as long as the program.
 */
struct engine_at {
	const char *id;   /* the engine's id: "pocketsphinx", "my-whisper" */
	const char *kind; /* its kind: pocketsphinx, apertium, espeak, openai, ... */
	/* address of an HTTP engine, without a slash at the end; or NULL */
	const char *url;
	const char *key;   /* credential of an HTTP engine, or NULL */
	const char *model; /* model to use; NULL: the engine's default */
	/* "en es-mx": only these languages; NULL: all that it supports */
	const char *languages;
	const char *lines;   /* kind script: its texts, one a line; NULL: its default */
	const char *bin_dir; /* the folder of our child programs */
	/* kind websocket: name of its protocol; NULL: the default */
	const char *protocol;
	/* language that is sent when the engine must detect it, or NULL */
	const char *detect;
	const char *command; /* kind process: words with blanks between; or NULL */
	const char *library; /* path of a shared library, or NULL */
	int parallel;        /* requests at a time; 0: any number */
	int threads;         /* threads of one process of the library, above 0 */
	int timeout_ms;      /* time limit of one call, in ms */
	bool pivot;          /* true if it may translate in two steps */
	bool no_partial;     /* true if its partial texts are not requested */
	bool allow_private;  /* true if its address may be a private one */
};

#endif
