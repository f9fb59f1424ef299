/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_RECORDER_H
#define CRASH_RECORDER_H

#include <stdint.h>

#define RECORD_PATH 200

/*
 * Changes of an instance's files, in their order: recorder.c writes these records,
 * replay.c reads them. Paths are below the watched folder; bytes follow their record.
 */
enum tap_op {
	RECORD_CREATE = 'c',   /* a file that did not exist */
	RECORD_TRUNCATE = 't', /* change the size to at */
	RECORD_WRITE = 'w',    /* write bytes, from at on */
	RECORD_SYNC = 's',     /* delete a file or a folder */
	RECORD_RENAME = 'r',   /* path to to */
	RECORD_LINK = 'l',     /* to becomes another name of path */
	RECORD_UNLINK = 'u',
	RECORD_MKDIR = 'm',
	/* a client was answered: this many lines of the list of facts hold */
	RECORD_TOLD = 'a',
};

struct record {
	int64_t op; /* enum tap_op */
	int64_t at;
	int64_t bytes;
	char path[RECORD_PATH], to[RECORD_PATH];
};

#endif
