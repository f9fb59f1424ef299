#include "service/pending_upload.h"

#include "base/clock.h"
#include "base/id.h"
#include "blob/blob.h"

enum err
pending_upload_room(const struct conf *conf, const struct caller *caller, size_t n)
{
	return blob_room(conf, (int64_t)n * caller->plan.upload_min_bytes);
}

enum err
pending_upload_allowed(
    struct db *db, const struct caller *caller, size_t n, bool *allowed)
{
	const struct plan *plan = &caller->plan;
	int64_t stored, more = (int64_t)n * plan->upload_min_bytes;
	enum err e = account_stored(db, caller->account, &stored);

	*allowed = plan->storage_bytes == 0 || stored + more <= plan->storage_bytes;
	return e;
}

enum err
pending_upload_add(struct db *db, struct arena *mem, const struct conf *conf,
    const struct caller *caller, struct blob *b, struct upload_form *to)
{
	const char *item_id = to->item_id != NULL ? to->item_id : id_new(mem);

	b->account = caller->account;
	b->state = "awaiting";
	b->min_bytes = caller->plan.upload_min_bytes;
	b->max_bytes = caller->plan.upload_max_bytes;
	b->bytes = b->stored_us = NULL_INT;
	b->created_us = now_us();
	*to = upload_form_make(mem, conf,
	    &(struct upload_want){
		b->account, b->id, item_id, b->mime_type, b->min_bytes, b->max_bytes },
	    b->created_us);
	return blob_add(db, b);
}
