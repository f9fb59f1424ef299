/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages to webhooks: each contains the record as GET returns it, without secrets.
 * Without a webhook for the type no message is stored.
 */
#define UNIT_TEST
#include "tests/unit/channel_rows.h"

#include "base/credits.h"
#include "cgi-bin/events.c"
#include "service/channel.h"
#include "service/webhook_records.h"
#include "store/ledger.h"
#include "store/requests.h"
#include "store/webhooks.h"

#define DATA(members) "{\"data\":{" members "}}"
#define EVENT_IN                                                                       \
	DATA("\"title\":\"Forum\",\"event_type\":\"online\",\"access_code\":"          \
	     "\"SESAME26\",\"utc_start_dt\":\"2036-12-01T08:00:00Z\","                 \
	     "\"utc_end_dt\":\"2036-12-02T08:00:00Z\"")

static struct db *db;

static void
webhook(const char *events)
{
	struct webhook w = { .id = id_new(fixture.mem),
		.account = fixture.account,
		.url = "https://example.org/hook",
		.events = events,
		.enabled = true,
		.created_us = now_us(),
		.updated_us = now_us(),
		.good_us = now_us(),
		.seed = "s" };

	ck_assert_int_eq(webhook_add(db, &w), OK);
}

static void
setup(void)
{
	static const struct sql *const prepared[] = { account_sql, event_sql,
		event_search_sql, stage_sql, public_view_cache_sql, stats_sql,
		channel_sql, queue_sql, webhook_sql, NULL };

	fixture_open("events", event_routes, prepared);
	fixture.app.conf.broadcast_driver = "told";
	fixture.app.conf.billing_low_micro = 100 * MICRO;
	db = fixture.app.db;
	webhook("[\"*\"]");
}

/* Returns the types of the messages so far, in order, each followed by a comma. */
static const char *
told(void)
{
	return sql(
	    "SELECT coalesce(group_concat(type || ',', ''), '') FROM (SELECT type"
	    " FROM webhook_deliveries ORDER BY created_us, rowid)");
}

#define told_are(types) ck_assert_str_eq(told(), types "\n")

/* Returns the newest message. */
static const struct json *
newest(void)
{
	const char *why, *body = sql("SELECT opened(body) FROM webhook_deliveries"
				     " ORDER BY created_us DESC, rowid DESC LIMIT 1");

	return json_read(fixture.mem, body, strlen(body) - 1, &why);
}

static const char *
data_of(const struct json *message)
{
	return json_text(fixture.mem, json_get(message, "data"));
}

#define in_transaction(call)                                                           \
	do {                                                                           \
		ck_assert_int_eq(db_begin(db, DB_ALL), OK);                            \
		ck_assert_int_eq(call, OK);                                            \
		ck_assert_int_eq(db_commit(db), OK);                                   \
	} while (0)

/* ---- events ---- */

static const char *
made(void)
{
	struct response a = ask("POST /saas/v2/event", EVENT_IN);

	answered(a, 201);
	return said(&a, "/data/event_id");
}

START_TEST(an_event_is_told_as_it_is_read_without_its_code)
{
	const char *id = made(), *path, *record;
	struct response a;

	path = arena_printf(fixture.mem, "GET /saas/v2/event/%s", id);
	a = ask(path, NULL);
	record = json_text(fixture.mem, json_get(a.json, "data"));
	told_are("event.created,");
	ck_assert_str_eq(json_get_text(newest(), "type"), "event.created");
	ck_assert_ptr_null(strstr(data_of(newest()), "SESAME26"));
	ck_assert_ptr_nonnull(strstr(record, "\"access_code\":\"SESAME26\","));
	*strstr(record, "\"access_code\"") = '\0'; /* equal up to the id, ... */
	ck_assert_int_eq(strncmp(data_of(newest()), record, strlen(record)), 0);
	record += strlen(record) + 1; /* ... and after it */
	record = strchr(record, ',') + 1;
	ck_assert_ptr_nonnull(strstr(data_of(newest()), record));
}
END_TEST

START_TEST(a_change_is_told_and_no_change_is_not)
{
	const char *id = made(),
		   *path = arena_printf(fixture.mem, "/saas/v2/event/%s", id);

	answered(ask(arena_printf(fixture.mem, "PATCH %s", path), DATA("")), 200);
	told_are("event.created,");
	answered(ask(arena_printf(fixture.mem, "PATCH %s", path),
		     DATA("\"title\":\"Health Forum\"")),
	    200);
	told_are("event.created,event.updated,");
	ck_assert_ptr_nonnull(strstr(data_of(newest()), "\"title\":\"Health Forum\""));
	answered(ask(arena_printf(fixture.mem, "DELETE %s", path), NULL), 200);
	told_are("event.created,event.updated,event.deleted,");
	ck_assert_ptr_nonnull(strstr(data_of(newest()), id));
}
END_TEST

START_TEST(a_signed_link_to_the_cover_is_left_out)
{
	const char *id = made();
	struct event ev;

	ck_assert_int_eq(event_get(db, fixture.mem, fixture.account, id, &ev), OK);
	ev.cover_key = "u/x";
	ev.cover_url = id_new(fixture.mem); /* the blob */
	fixture.app.conf.media_url = "https://media.example.org";
	in_transaction(
	    webhook_event(db, fixture.mem, &fixture.app.conf, &ev, "event.live"));
	ck_assert_ptr_null(strstr(data_of(newest()), "cover_image_url"));
	ev.cover_url = NULL;
	in_transaction(
	    webhook_event(db, fixture.mem, &fixture.app.conf, &ev, "event.live"));
	ck_assert_ptr_nonnull(strstr(data_of(newest()),
	    "\"cover_image_url\":\"https://media.example.org/u/x\""));
}
END_TEST

/* ---- channels ---- */

static struct channel
channel(const char *event, const char *lifecycle)
{
	struct channel c;
	const char *id = put_channel(fixture.account, event, lifecycle);

	ck_assert_int_eq(channel_get(db, fixture.mem, fixture.account, id, &c), OK);
	return c;
}

/* Expects that one record went from these states to those. */
static void
moves(struct channel *c, const char *lifecycle, const char *runtime)
{
	struct channel was = *c;

	c->lifecycle = lifecycle;
	c->runtime = c->runtime_too = runtime;
	ck_assert_int_eq(db_begin(db, DB_ALL), OK);
	ck_assert_int_eq(channel_put(db, fixture.mem, &was, c), OK);
	ck_assert_int_eq(
	    webhook_channel_changed(db, fixture.mem, &fixture.app.conf, &was, c), OK);
	ck_assert_int_eq(db_commit(db), OK);
}

START_TEST(a_channel_is_told_of_as_it_moves)
{
	struct channel c = channel(NULL, "creating");

	moves(&c, "failed", NULL);
	told_are("channel.failed,");
	moves(&c, "creating", NULL);
	moves(&c, "ready", "pending");
	told_are("channel.failed,channel.ready,");
	moves(&c, "ready", "active");
	moves(&c, "ready", "active");
	moves(&c, "ready", "stopped");
	moves(&c, "ready", "failed");
	told_are("channel.failed,channel.ready,channel.live,channel.stopped,");
	moves(&c, "ready", "active");
	moves(&c, "ready", "failed");
	told_are("channel.failed,channel.ready,channel.live,channel.stopped,"
		 "channel.live,channel.stopped,");
	in_transaction(
	    webhook_channel(db, fixture.mem, &fixture.app.conf, &c, "channel.deleted"));
	ck_assert_str_eq(json_get_text(newest(), "type"), "channel.deleted");
}
END_TEST

START_TEST(a_live_channel_that_is_deleted_stops_first)
{
	const char *event = put_event(fixture.account);
	struct channel c = channel(event, "ready");
	int64_t n;

	moves(&c, "ready", "active");
	told_are("channel.live,event.live,");
	sql(arena_printf(fixture.mem, "UPDATE channels SET held = %d", _i));
	in_transaction(channels_of_event_deleting(
	    db, fixture.mem, &fixture.app.conf, fixture.account, event, &n));
	if (n > 0)
		told_are("channel.live,event.live,channel.stopped,");
	else
		told_are("channel.live,event.live,channel.stopped,channel.deleted,");
	ck_assert_int_eq(n, _i);
}
END_TEST

START_TEST(an_event_is_live_with_the_first_of_its_channels)
{
	const char *event = put_event(fixture.account);
	struct channel one = channel(event, "ready"), two = channel(event, "ready");

	moves(&one, "ready", "active");
	told_are("channel.live,event.live,");
	ck_assert_ptr_nonnull(
	    strstr(data_of(newest()), "\"lifecycle_status\":\"live\""));
	moves(&two, "ready", "active");
	moves(&one, "ready", "stopped");
	told_are("channel.live,event.live,channel.live,channel.stopped,");
	moves(&two, "ready", "stopped");
	moves(&one, "ready", "active");
	told_are("channel.live,event.live,channel.live,channel.stopped,"
		 "channel.stopped,channel.live,event.live,");
}
END_TEST

START_TEST(a_channel_is_told_without_what_opens_it)
{
	struct channel c = channel(NULL, "creating");

	c.outputs = "[{\"protocol\":\"rtmp_push\",\"stream_key\":\"SECRETKEY\"}]";
	c.broadcast = c.broadcast_too = "x-1";
	moves(&c, "ready", "pending");
	ck_assert_ptr_nonnull(strstr(data_of(newest()), "\"stream_key\":null"));
	ck_assert_ptr_null(strstr(data_of(newest()), "SECRETKEY"));
	ck_assert_ptr_nonnull(strstr(data_of(newest()), "\"token\":null"));
	ck_assert_ptr_null(strstr(data_of(newest()), "eyJ"));
}
END_TEST

/* ---- requests, voices, glossaries ---- */

START_TEST(a_request_is_told_with_its_event)
{
	const char *event = put_event(fixture.account);
	struct request_new n = { .event = event,
		.account = fixture.account,
		.type = "add_language",
		.language = "de",
		.status = "pending" };
	struct listener_request r;

	in_transaction(request_add(db, fixture.mem, &n, &r));
	in_transaction(webhook_request(
	    db, fixture.mem, fixture.account, event, r.id, "listener_request.created"));
	ck_assert_str_eq(json_get_text(json_get(newest(), "data"), "event_id"), event);
	ck_assert_str_eq(json_get_text(json_get(newest(), "data"), "request_id"), r.id);
}
END_TEST

START_TEST(a_glossary_is_told_by_its_outcome)
{
	static const char *const statuses[] = { "none", "pending", "ready", "failed" };
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO glossaries (id, account, created_us, updated_us, name, "
	    "enabled,"
	    " type, source_lang, target_lang) VALUES ('%s', '%s', 1, 1, 'Terms', 1,"
	    " 'translation', 'en', 'de')",
	    id, fixture.account));
	for (int i = 0; i < COUNT(statuses); i++) {
		sql(arena_printf(
		    fixture.mem, "UPDATE glossaries SET status = '%s'", statuses[i]));
		in_transaction(webhook_glossary(
		    db, fixture.mem, &fixture.app.conf, fixture.account, id));
	}
	told_are("glossary.ready,glossary.failed,");
	in_transaction(webhook_glossary(
	    db, fixture.mem, &fixture.app.conf, fixture.account, ID_NIL));
	told_are("glossary.ready,glossary.failed,");
}
END_TEST

START_TEST(a_voice_is_told_by_its_outcome_and_without_links)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO voices (id, account, created_us, updated_us, name, folded,"
	    " status, lang, sample, hidden, denoise, normalise) VALUES ('%s', '%s', 1, "
	    "1, 'Anna', 'anna', "
	    "'pending',"
	    " 'en', 's', 0, 0, 0);"
	    "INSERT INTO tts_samples (id, voice, account, created_us, provider, format,"
	    " codec, duration_s, mime_type, content, lang, model, filename) VALUES"
	    " ('b', '%s', '%s', 1, 'own_provider', 'mp3', 'mp3', 1, 'audio/mpeg', 'Hi',"
	    " 'en', 'm', 'f')",
	    id, fixture.account, id, fixture.account));
	in_transaction(
	    webhook_voice(db, fixture.mem, &fixture.app.conf, fixture.account, id));
	told_are("");
	sql("UPDATE voices SET status = 'ready'");
	in_transaction(
	    webhook_voice(db, fixture.mem, &fixture.app.conf, fixture.account, id));
	told_are("voice.ready,");
	ck_assert_ptr_nonnull(strstr(data_of(newest()), "\"tts_sample\":{"));
	ck_assert_ptr_nonnull(strstr(data_of(newest()), "\"url\":null"));
}
END_TEST

/* ---- the balance ---- */

/* Expects this balance, after a change by this many credits. */
static void
balance_is(int64_t credits, int64_t moved)
{
	sql(arena_printf(fixture.mem, "UPDATE accounts SET balance_micro = %lld",
	    (long long)(credits * MICRO)));
	in_transaction(webhook_balance_moved(
	    db, fixture.mem, &fixture.app.conf, fixture.account, moved * MICRO));
}

START_TEST(a_balance_that_comes_down_is_told_once)
{
	balance_is(101, -899);
	told_are("");
	balance_is(100, -1);
	told_are("balance.low,");
	ck_assert_str_eq(data_of(newest()), "{\"credits\":100,\"usd_equivalent\":100}");
	balance_is(99, -1);
	balance_is(1, -98);
	told_are("balance.low,");
	balance_is(0, -1);
	told_are("balance.low,balance.empty,");
	balance_is(-1, -1);
	balance_is(1000, 1001);
	told_are("balance.low,balance.empty,");
	balance_is(50, -950);
	told_are("balance.low,balance.empty,balance.low,");
	balance_is(50, 0);
	balance_is(100, 50);
	told_are("balance.low,balance.empty,balance.low,");
}
END_TEST

/* ---- webhooks without a message ---- */

START_TEST(where_no_webhook_takes_it_nothing_is_written)
{
	sql("UPDATE webhooks SET events = '[\"event.deleted\"]'");
	made();
	told_are("");
	balance_is(0, -1);
	told_are("");
}
END_TEST

static Suite *
all_tests(void)
{
	Suite *s = suite_create("webhook_records");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, fixture_close);
	tcase_add_test(t, an_event_is_told_as_it_is_read_without_its_code);
	tcase_add_test(t, a_change_is_told_and_no_change_is_not);
	tcase_add_test(t, a_signed_link_to_the_cover_is_left_out);
	tcase_add_test(t, a_channel_is_told_of_as_it_moves);
	tcase_add_loop_test(t, a_live_channel_that_is_deleted_stops_first, 0, 2);
	tcase_add_test(t, an_event_is_live_with_the_first_of_its_channels);
	tcase_add_test(t, a_channel_is_told_without_what_opens_it);
	tcase_add_test(t, a_request_is_told_with_its_event);
	tcase_add_test(t, a_glossary_is_told_by_its_outcome);
	tcase_add_test(t, a_voice_is_told_by_its_outcome_and_without_links);
	tcase_add_test(t, a_balance_that_comes_down_is_told_once);
	tcase_add_test(t, where_no_webhook_takes_it_nothing_is_written);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(all_tests());
}
