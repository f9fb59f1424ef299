#ifndef BLOB_BUCKET_INTERNAL_H
#define BLOB_BUCKET_INTERNAL_H

#include "blob/blob.h"
#include "net/http.h"

/* Private to lib/blob: what the bucket lists.  params: of ListObjectsV2, see sigv4.h
   for their order. */
enum err blob_bucket_list(const struct conf *, struct arena *,
    const struct sigv4_param *params, size_t n, struct http_answer *) MUST_CHECK;

#endif
