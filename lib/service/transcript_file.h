/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_TRANSCRIPT_FILE_H
#define SERVICE_TRANSCRIPT_FILE_H

#include "base/conf.h"
#include "store/transcripts.h"

/* Transcripts as files: text, captions, tables. */
struct transcript_file {
	struct transcript_query lines;
	const char *format; /* txt, srt, vtt, csv, docx, json-times */
	int64_t zero_us;    /* the zero of times in unix time; NULL_INT: the
			       first line in any language */
};

/*
 *	txt  a phrase each line, with its speaker if known
 *	srt, vtt  captions, see captions.h
 *	csv  start,end,original and each target: a row each phrase, for spreadsheets
 *	docx  a paragraph each phrase, with its time and its speaker if known
 *	json-times  phrases with times in seconds from zero_us
 */

/* "text/vtt; charset=utf-8" */
const char *transcript_file_type(const char *format);
/* "vtt" */
const char *transcript_file_extension(const char *format);
/* A file that was made. */
struct transcript_made {
	int fd; /* descriptor of a file without a name; the caller closes it */
	int64_t bytes;
	const char *hash; /* hash of its bytes */
};

/*
 * Lines are read a page at a time, so memory use does not grow with their number.
 * ERR_NOT_FOUND: there is no line.
 */
enum err transcript_file_make(struct db *, struct arena *, const struct conf *,
    const struct transcript_file *, struct transcript_made *) MUST_CHECK;

#endif
