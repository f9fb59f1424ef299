/*
 * Which languages the listeners of an event's channels have listened in, for its
 * statistics.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "gateway/room.h"
#include "store/joins.h"
#include "stream/code.h"

#define JOIN_TRIES 5 /* each as long as db.busy_ms */

struct join {
	struct errand errand;
	const char *event, *listener, *language;
	int tries;
};

static void
join(struct gate *g, struct errand *e)
{
	struct join *j = (struct join *)e;
	struct db *db = g->app.db;
	bool first;
	enum err how =
	    join_once(db, j->event, j->listener, j->language, now_us(), &first);

	if (how == OK && db_writing(db))
		how = db_commit(db);
	if (how == ERR_BUSY && ++j->tries < JOIN_TRIES) {
		mailbox_send(g->to_desk, &e->letter);
		return;
	}
	if (how != OK)
		log_warn("a listener's language was not counted: %s", err_name(how));
	arena_free(e->letter.mem);
}

void
onair_joined(struct client *c)
{
	const char *event = onair_event(c->room->air);
	struct join *j;
	struct arena *mem;

	if (event == NULL || c->visitor->listener == NULL ||
	    (!code_known(c->tuned.language) &&
		strcmp(c->tuned.language, "original") != 0))
		return;
	j = ERRAND(struct join);
	mem = j->errand.letter.mem;
	j->errand.run = join;
	j->event = arena_str(mem, event);
	j->listener = arena_str(mem, c->visitor->listener);
	j->language = arena_str(mem, c->tuned.language);
	mailbox_send(c->room->gate->to_desk, &j->errand.letter);
}
