#ifndef SERVICE_PENDING_UPLOAD_H
#define SERVICE_PENDING_UPLOAD_H

#include "blob/upload_form.h"
#include "store/accounts.h"
#include "store/blobs.h"

/*
 * ERR_FULL: not even n of the smallest files would leave the disk its reserve.  It
 * is asked before the transaction: a transaction must not wait for a disk.
 */
enum err pending_upload_room(
    const struct conf *, const struct caller *, size_t n) MUST_CHECK;
/* Whether an account may be given forms for n more files, judged by the smallest. */
enum err pending_upload_allowed(
    struct db *, const struct caller *, size_t n, bool *allowed) MUST_CHECK;

/*
 * A blob that awaits its file, and the form to send it with.  Of the blob id,
 * kind, mime_type, filename, display_name, description and voice are the
 * caller's to fill in, and of the form its item_id; NULL: one is made.
 */
enum err pending_upload_add(struct db *, struct arena *, const struct conf *,
    const struct caller *, struct blob *, struct upload_form *) MUST_CHECK;

#endif
