/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * .../recordings of channels and events: files made by outputs of the protocol
 * recording, for organisers.
 */
#include "store/recordings.h"
#include "base/clock.h"
#include "blob/signed_url.h"
#include "store/blobs.h"
#include "store/events.h"
#include "web/web.h"

/* clang-format off */
static const struct field	 list_fields[] = FIELDS(PAGE_FIELDS);
/* clang-format on */

/* Recordings of a deleted channel stay available as long as its event exists. */
static enum err
find_channel(struct request *rq)
{
	return recording_known(rq->db, rq->who->account, rq->args[0]);
}

static enum err
find_recording(struct request *rq)
{
	rq->it = arena_alloc(rq->mem, sizeof(struct recording));
	return recording_get(
	    rq->db, rq->mem, rq->who->account, rq->args[0], rq->args[1], rq->it);
}

static enum err
find_event(struct request *rq)
{
	struct event *ev = arena_alloc(rq->mem, sizeof(*ev));

	return event_get(rq->db, rq->mem, rq->who->account, rq->args[0], ev);
}

typedef enum err (*list_of)(struct db *, struct arena *, const char *account,
    const char *id, const struct list_cursor *, struct list *);

static struct reply
list_page(struct request *rq, list_of list)
{
	const struct page *p = rq->query;
	const struct list_cursor from = { page_ascending(p), p->after_us, p->after_id,
		page_limit(p) + 1 };
	struct recording *r;
	struct list l;
	enum err e = list(rq->db, rq->mem, rq->who->account, rq->args[0], &from, &l);

	if (e != OK)
		return problem_err(rq, e);
	r = l.items;
	for (size_t i = 0; i < l.n; i++)
		r[i].url = signed_url_make(rq->conf, rq->mem, r[i].blob, now_us());
	return reply_page(rq, recording_fields, l, ITEM(recording, start_us, id));
}

static struct reply
list_recordings(struct request *rq)
{
	return list_page(rq, recording_list);
}

static struct reply
list_event(struct request *rq)
{
	return list_page(rq, recording_list_event);
}

static struct reply
drop_recording(struct request *rq)
{
	enum err e = recording_drop(rq->db, rq->it);

	return e != OK ? problem_err(rq, e) : reply_null(rq, 200);
}

/* clang-format off */
#define RECORDINGS "/saas/channel/{channel_id}/recordings"

const struct route	 recording_routes[] = {
	{ "GET",    RECORDINGS, list_recordings, "channels:read", 0, find_channel,
	  QUERY(list_fields, struct page), .token = "token", .summary = "List recordings of a channel",
	  .shape = A_PAGE, .out = recording_fields },
	{ "GET",    "/saas/v2/event/{event_id}/recordings", list_event, "channels:read", 0,
	  find_event, QUERY(list_fields, struct page), .token = "token",
	  .summary = "List recordings of all channels of an event", .shape = A_PAGE,
	  .out = recording_fields },
	{ "DELETE", RECORDINGS "/{recording_id}", drop_recording, "channels:write", LOCKED,
	  find_recording, .summary = "Delete a recording of a channel" },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("recordings", recording_routes, account_sql, blob_sql, event_sql, recording_sql)
