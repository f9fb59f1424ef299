#ifndef CRASH_TAP_H
#define CRASH_TAP_H

#include <stdint.h>

#define TAP_PATH 200

/*
 * What a process did to the files of an instance, in the order in which it did it:
 * tap.c writes these, replay.c reads them.  Paths are below the folder that is
 * watched; bytes follow their record.
 */
enum tap_op {
	TAP_CREATE = 'c',   /* a file that was not there */
	TAP_TRUNCATE = 't', /* to the size at */
	TAP_WRITE = 'w',    /* bytes, from at on */
	TAP_SYNC = 's',     /* a file or a folder */
	TAP_RENAME = 'r',   /* path to to */
	TAP_LINK = 'l',     /* to is one more name of path */
	TAP_UNLINK = 'u',
	TAP_MKDIR = 'm',
	TAP_TOLD = 'a', /* a client was answered: so many lines of the list hold */
};

struct tap {
	int64_t op; /* enum tap_op */
	int64_t at;
	int64_t bytes;
	char path[TAP_PATH], to[TAP_PATH];
};

#endif
