/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_WEBHOOK_ROWS_H
#define TESTS_UNIT_WEBHOOK_ROWS_H

/* Webhooks and messages in a database of ledger_fixture.h. */
#include "store/webhooks.h"
#include "tests/unit/ledger_fixture.h"

#define is_ok(call) ck_assert_int_eq(call, OK)

static const char *account;

static inline const char *
webhook_of(const char *owner, const char *events)
{
	const char *id = id_new(mem);
	struct webhook w = { .id = id,
		.account = owner,
		.url = "https://example.org/hook",
		.events = events,
		.enabled = true,
		.created_us = now_us(),
		.updated_us = now_us(),
		.good_us = now_us(),
		.seed = "s" };

	is_ok(webhook_add(db, &w));
	return id;
}

static inline const char *
webhook(const char *events)
{
	return webhook_of(account, events);
}

static inline struct webhook
read_webhook(const char *id)
{
	struct webhook w;

	is_ok(webhook_get(db, mem, account, id, &w));
	return w;
}

static inline void
emit(const char *type)
{
	enum err e = db_begin(db, DB_ALL);

	if (e == OK)
		e = webhook_emit(db, mem, account, type, "{\"a\":1}");
	is_ok(kept(e));
}

#endif
