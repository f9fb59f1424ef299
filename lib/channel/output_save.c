/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/output_save.h"

#include "base/log.h"

struct save {
	struct thread_call call;
	struct session *session;
	const char *channel, *language;
	struct channel_output is;
	void (*failed)(struct session *, const char *id, const char *language);
	enum err how; /* result */
};

static void
saved(struct gateway *g, struct thread_call *e)
{
	struct save *v = (struct save *)e;

	(void)g;
	if (v->how != OK)
		v->failed(v->session, v->is.id, v->language);
	session_unref(v->session);
	arena_free(e->message.mem);
}

static void
save(struct gateway *g, struct thread_call *e)
{
	struct save *v = (struct save *)e;
	struct db *db = g->app.db;

	v->how = db == NULL ? ERR_FAILED : db_begin(db, DB_ROWS);
	if (v->how == OK)
		v->how = channel_output_put(db, v->channel, &v->is);
	if (v->how == OK)
		v->how = db_commit(db);
	if (v->how != OK)
		log_warn("an output of a channel is not written: %s", err_name(v->how));
	if (v->how != OK && db != NULL)
		db_rollback(db);
	session_answer(g, e, saved);
}

void
output_save(struct session *s, const struct channel_output *is, const char *language,
    void (*failed)(struct session *, const char *id, const char *language))
{
	struct save *v = THREAD_CALL(struct save);
	struct arena *mem = v->call.message.mem;

	v->call.run = save;
	v->session = s;
	v->channel = arena_str(mem, s->id);
	v->language = arena_str(mem, language);
	v->failed = failed;
	v->is = *is;
	v->is.id = arena_str(mem, is->id);
	v->is.error = arena_str(mem, is->error);
	session_ask(s, &v->call);
}
