/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_WEBHOOK_SEND_FIXTURE_H
#define TESTS_UNIT_WEBHOOK_SEND_FIXTURE_H

/* The worker that sends messages to webhooks, and a server that receives them. */
#define UNIT_TEST
#include "tests/unit/webhook_receiver.h"

#include "base/version.h"
#include "net/http.h"
#include "store/webhooks.h"
#include "tests/unit/unit.h"

#include "workers/webhook_send.c"

#define DAY_US (86400 * S_US)

static struct work w;

static inline void
setup(void)
{
	static const struct route none[] = { ROUTES_END };
	static const struct sql *const prepared[] = { account_sql, webhook_sql,
		webhook_delivery_sql, queue_sql, NULL };

	fixture_open("webhook_send", none, prepared);
	fixture.app.conf.webhook_allow_private = true;
	w = (struct work){ fixture.app.db, fixture.wire, &fixture.app.conf };
	sender = (struct sender){ 0 };
	ck_assert(begin(&w));
	receiver_open();
}

static inline void
teardown(void)
{
	end();
	http_close();
	fixture_close();
}

static inline const char *
webhook_at(const char *url)
{
	const char *id = id_new(fixture.mem);
	struct webhook hook = { .id = id,
		.account = fixture.account,
		.url = url,
		.events = "[\"*\"]",
		.enabled = true,
		.created_us = now_us(),
		.updated_us = now_us(),
		.good_us = now_us(),
		.seed = "new" };

	ck_assert_int_eq(webhook_add(w.db, &hook), OK);
	return id;
}

/* Adds a webhook of the receiver, with that path. */
static inline const char *
webhook(const char *path)
{
	return webhook_at(
	    arena_printf(fixture.mem, "http://127.0.0.1:%d%s", receiver.port, path));
}

static inline void
emit(void)
{
	ck_assert_int_eq(db_begin(w.db, DB_ALL), OK);
	ck_assert_int_eq(webhook_emit(w.db, fixture.mem, fixture.account, "voice.ready",
			     "{\"voice_id\":\"v\"}"),
	    OK);
	ck_assert_int_eq(db_commit(w.db), OK);
}

/* Runs one round of the worker's loop. */
static inline void
step(void)
{
	ck_assert_int_eq(send_due(&w), OK);
	arena_reset(fixture.wire);
	usleep(1000);
}

static inline const char *
of(const char *id, const char *columns)
{
	const char *answer = sql(arena_printf(fixture.mem,
	    "SELECT %s FROM webhook_deliveries WHERE webhook = '%s'", columns, id));

	return arena_dup(fixture.mem, answer, strcspn(answer, "\n"));
}

static inline int
tries(void)
{
	return number("SELECT sum(tries) FROM webhook_deliveries");
}

#define send_until(condition) await_by(step(), condition)

/* Moves the times as if so much time had passed. */
static inline void
go_on(int64_t us)
{
	sql(arena_printf(fixture.mem,
	    "UPDATE webhooks SET due_us = due_us - %lld, good_us = good_us - %lld",
	    (long long)us, (long long)us));
	sql(arena_printf(fixture.mem,
	    "UPDATE webhook_deliveries SET due_us = due_us - %lld", (long long)us));
}

/* Returns the seconds until the next try. */
static inline int
wait_s(const char *id)
{
	return (int)((strtoll(of(id, "due_us"), NULL, 10) - now_us()) / S_US);
}

#endif
