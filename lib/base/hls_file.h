/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_HLS_FILE_H
#define BASE_HLS_FILE_H

#include <stdbool.h>

/*
 * Files of HLS, named by streams of the gateway and read through web servers, buckets
 * and the gateway.  Content types and caching are those of the web servers'
 * configurations.
 */
struct hls_file {
	const char *ending, *type, *cache; /* headers Content-Type and Cache-Control */
	bool is_playlist;                  /* changes; the others are written once */
};

/* The kind of a file, by the end of its name; NULL: no file of HLS is called so. */
const struct hls_file *hls_file_of(const char *name);
/* The same; also NULL if no folder is called so. Neither name has a slash or two dots.
 */
const struct hls_file *hls_file_at(const char *folder, const char *name);

#endif
