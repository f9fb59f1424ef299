/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EGRESS_HLS_BUCKET_H
#define EGRESS_HLS_BUCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "egress/egress.h"

/*
 * Files of HLS in a bucket. Threads upload each file that is complete in the folder, so
 * a slow bucket does not delay the sound. bucket_queue.h defines the order. An
 * unreachable bucket is tried again every 2 seconds.
 */
struct hls_bucket;

/* folder: descriptor of the folder with the files, used until hls_bucket_close().
   NULL: the threads cannot be started. */
struct hls_bucket *hls_bucket_open(
    struct arena *, const struct egress_bucket *, int folder);
/* Upload a file of the folder that has these bytes. */
void hls_bucket_put(struct hls_bucket *, const char *name, const void *, size_t n);
/* Remove a segment that is no longer in the folder. */
void hls_bucket_remove(struct hls_bucket *, const char *name);
/* True when the bucket has a complete index; *bytes: uploaded so far; *why: the
   error, a sentence, or NULL. */
bool hls_bucket_status(struct hls_bucket *, int64_t *bytes, const char **why);
/* Stop the threads; files that wait are not uploaded. NULL is allowed. */
void hls_bucket_close(struct hls_bucket *);

#endif
