/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /saas/upload: forms with which a client uploads its files. */
#include <string.h>

#include "base/id.h"
#include "base/mime.h"
#include "service/upload.h"
#include "store/idempotent_responses.h"
#include "web/web.h"

struct item {
	const char *filename, *mime_type, *display_name, *description, *item_id;
};

/* clang-format off */
static const struct field	 item_fields[] = FIELDS(
	{ "filename",     F_TEXT, MEMBER(item, filename),     3, 255,  F_IN | F_REQUIRED, filename_check },
	{ "mime_type",    F_ENUM, MEMBER(item, mime_type),    0, 0,    F_IN | F_REQUIRED | F_NOCASE, .names = mime_upload },
	{ "display_name", F_TEXT, MEMBER(item, display_name), 1, 255,  F_IN },
	{ "description",  F_TEXT, MEMBER(item, description),  0, 2000, F_IN },
	{ "item_id",      F_TEXT, MEMBER(item, item_id),      1, 36,   F_IN }
);

static const struct field	 upload_fields[] = FIELDS(
	{ "", F_LIST, 0, 1, 10, F_IN, .of = item_fields, .size = sizeof(struct item) }
);
/* clang-format on */

static bool
repeats(const struct item *items, size_t i)
{
	for (size_t k = 0; items[i].item_id != NULL && k < i; k++)
		if (items[k].item_id != NULL &&
		    strcmp(items[i].item_id, items[k].item_id) == 0)
			return true;
	return false;
}

static struct fault *
item_rules(struct request *rq)
{
	const struct list *l = rq->in;
	struct fault *all = NULL;

	for (size_t i = 1; i < l->n; i++)
		if (repeats(l->items, i))
			all = fault_add(rq->mem, all,
			    arena_printf(rq->mem, "/data/%zu/item_id", i),
			    "item_id occurs twice in the request.");
	return all;
}

static struct reply
add_uploads(struct request *rq)
{
	const struct list *items = rq->in;
	struct upload_form *to = arena_alloc(rq->mem, items->n * sizeof(*to));
	enum err room = pending_upload_room(rq->conf, rq->who, items->n), e;
	bool allowed;

	if ((e = db_begin(rq->db, rq->who->account)) != OK ||
	    (e = pending_upload_allowed(rq->db, rq->who, items->n, &allowed)) != OK)
		return problem_err(rq, e);
	if (!allowed)
		return problem(rq, P_STORAGE_LIMIT,
		    "The plan allows %lld stored bytes.",
		    (long long)rq->who->plan.storage_bytes);
	if (room != OK)
		return problem_err(rq, room);
	for (size_t i = 0; i < items->n; i++) {
		const struct item *it = (const struct item *)items->items + i;
		struct blob b = { .id = id_new(rq->mem),
			.kind = "upload",
			.mime_type = it->mime_type,
			.filename = it->filename,
			.display_name = it->display_name,
			.description = it->description };

		to[i].item_id = it->item_id;
		if ((e = pending_upload_add(
			 rq->db, rq->mem, rq->conf, rq->who, &b, &to[i])) != OK)
			return problem_err(rq, e);
	}
	return reply_listed(rq, upload_form_fields, &(struct list){ to, items->n },
	    sizeof(*to), NULL, NULL);
}

/* clang-format off */
const struct route	 upload_routes[] = {
	{ "POST", "/saas/upload", add_uploads, "uploads:write", JSON_BODY | IDEMPOTENT,
	  BODY(upload_fields, struct list), .rules = item_rules, .summary = "Get forms for uploads of files",
	  .shape = A_LIST, .out = upload_form_fields, .also = "403 507" },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("uploads", upload_routes, account_sql, idempotent_response_sql, blob_sql)
