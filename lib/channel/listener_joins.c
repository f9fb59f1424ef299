/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records which languages the subscribers of an event's channels use, for the event's
 * statistics.
 */
#include <string.h>

#include "base/clock.h"
#include "base/lang.h"
#include "base/log.h"
#include "channel/channel_internal.h"
#include "store/listener_joins.h"

#define JOIN_TRIES 5 /* tries of one record, each as long as db.busy_ms */

struct join {
	struct thread_call call;
	const char *event, *listener, *language; /* ids; language: folded */
	int tries;                               /* tries so far */
};

static void
join(struct gateway *g, struct thread_call *e)
{
	struct join *j = (struct join *)e;
	struct db *db = g->app.db;
	bool first;
	enum err how = listener_join_once(
	    db, j->event, j->listener, j->language, now_us(), &first);

	if (how == OK && db_writing(db))
		how = db_commit(db);
	if (how == ERR_BUSY && ++j->tries < JOIN_TRIES) {
		mailbox_send(g->to_db_thread, &e->message);
		return;
	}
	if (how != OK)
		log_warn("a listener's language was not counted: %s", err_name(how));
	arena_free(e->message.mem);
}

void
listener_joins_count(struct connection *c)
{
	const char *event = c->session->event;
	struct join *j;
	struct arena *mem;

	if (event == NULL || c->request->listener == NULL || c->request->bystander ||
	    (!language_code_known(c->tuned.language) &&
		strcmp(c->tuned.language, "original") != 0))
		return;
	j = THREAD_CALL(struct join);
	mem = j->call.message.mem;
	j->call.run = join;
	j->event = arena_str(mem, event);
	j->listener = arena_str(mem, c->request->listener);
	j->language = arena_str(mem, c->tuned.language);
	mailbox_send(c->session->gateway->to_db_thread, &j->call.message);
}
