#ifndef EGRESS_HLS_BUCKET_H
#define EGRESS_HLS_BUCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "egress/egress.h"

/*
 * Files of HLS in a bucket: what is complete in the folder is put there by threads, so
 * that sound keeps its time whatever the bucket does.  bucket_queue.h has the order.  A
 * bucket that is away is tried again every 2 seconds.
 */
struct hls_bucket;

/* folder: descriptor of the one that has the files, until hls_bucket_close().  NULL:
   the threads cannot be started. */
struct hls_bucket *hls_bucket_open(
    struct arena *, const struct egress_bucket *, int folder);
/* A file is in the folder, with these bytes. */
void hls_bucket_put(struct hls_bucket *, const char *name, const void *, size_t n);
/* A segment is there no more. */
void hls_bucket_remove(struct hls_bucket *, const char *name);
/* Whether players find a whole index there; bytes: that were put so far; *why: what is
   wrong, a sentence, or NULL. */
bool hls_bucket_status(struct hls_bucket *, int64_t *bytes, const char **why);
/* What waits is left.  NULL is fine. */
void hls_bucket_close(struct hls_bucket *);

#endif
