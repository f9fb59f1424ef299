/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/account_delete.h"

#include "base/clock.h"
#include "service/channel.h"
#include "service/speech.h"
#include "service/webhook.h"
#include "store/account_data.h"
#include "store/events.h"
#include "store/voices.h"
#include "work/queue.h"

#define THINGS 20 /* events or webhooks at once */
#define ROWS 500
#define GIVE_UP_US (20 * 3600 * S_US)

static const char *
id_of(const struct list *l, size_t i)
{
	return ((const struct account_thing *)l->items)[i].id;
}

static enum err
drop_webhooks(struct db *db, struct arena *mem, const char *account)
{
	struct list l;
	enum err e = account_data_webhooks(db, mem, account, THINGS, &l);

	for (size_t i = 0; e == OK && i < l.n; i++)
		if ((e = queue_add(db, mem, WEBHOOK_PURGE, account, id_of(&l, i))) ==
		    OK)
			e = account_data_drop_webhook(db, id_of(&l, i));
	return e;
}

static enum err
drop_events(
    struct db *db, struct arena *mem, const struct conf *conf, const char *account)
{
	struct list l;
	enum err e = account_data_events(db, mem, account, THINGS, &l);
	int64_t n;

	for (size_t i = 0; e == OK && i < l.n; i++) {
		const char *id = id_of(&l, i);

		if ((e = channels_of_event_deleting(db, mem, conf, account, id, &n)) ==
			OK &&
		    (e = queue_add(db, mem, "event.purge", account, id)) == OK)
			e = event_drop(db, account, id);
	}
	return e;
}

/* Drop things that other servers hold parts of, in one transaction with the jobs
   that remove these. */
static enum err
drop_things(
    struct db *db, struct arena *mem, const struct conf *conf, const char *account)
{
	int64_t n;
	enum err e;

	if ((e = db_begin(db, account)) != OK ||
	    (e = drop_webhooks(db, mem, account)) != OK ||
	    (e = drop_events(db, mem, conf, account)) != OK ||
	    (e = channels_of_event_deleting(db, mem, conf, account, NULL, &n)) != OK ||
	    (e = voice_copies_forget(db, mem, conf, account, NULL)) != OK ||
	    (e = voice_drop_all(db, account)) != OK ||
	    (e = account_data_files(db, account, ROWS)) != OK)
		return e;
	return db_commit(db);
}

static enum err
remove_rows(struct db *db, const char *account, int64_t *removed)
{
	enum err e;

	if ((e = db_begin(db, account)) != OK ||
	    (e = account_data_remove(db, account, ROWS, removed)) != OK)
		return e;
	return db_commit(db);
}

/* Remove the account's row if nothing else is left; otherwise workers are not done
   yet. */
static enum err
end(struct db *db, const char *account, bool all, bool *left)
{
	enum err e;

	if ((e = db_begin(db, account)) != OK ||
	    (e = account_data_jobs(db, account, all)) != OK)
		return e;
	e = account_data_left(db, account);
	*left = e != ERR_NOT_FOUND;
	if (e == ERR_NOT_FOUND)
		e = account_data_end(db, account);
	return e != OK ? e : db_commit(db);
}

enum err
account_delete_step(struct db *db, struct arena *mem, const struct conf *conf,
    const struct account_thing *account, bool *left)
{
	bool late = account->since_us + GIVE_UP_US < now_us();
	int64_t removed = 0;
	enum err e;

	*left = true;
	if ((e = drop_things(db, mem, conf, account->id)) == OK)
		e = remove_rows(db, account->id, &removed);
	if (e == OK && removed == 0)
		e = end(db, account->id, late, left);
	db_rollback(db);
	return e;
}
