/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An account's balance: how long it lasts, the prices of services, and the usage. */
#include "base/clock.h"
#include "service/price.h"
#include "store/ledger.h"
#include "web/web.h"

struct minutes {
	const char *left;
};

struct prices {
	double s2s, captions, stt, broadcast, tts, usd_per_credit;
};

struct usage_query {
	struct page page;
	int64_t from_us, to_us;
	const char *group, *kind;
};

/* clang-format off */
static const struct field	 minutes_fields[] = FIELDS(
	{ "minutes_left", F_TEXT, MEMBER(minutes, left), .flags = F_OUT }
);
#define PRICE(name, per) { #name, F_REAL, MEMBER(prices, name), .flags = F_OUT, .help = "Credits for " per "." }
static const struct field	 prices_fields[] = FIELDS(
	PRICE(s2s, "an hour of speech to speech"),
	PRICE(captions, "an hour of speech to text alone"),
	PRICE(stt, "an hour of transcription"),
	PRICE(broadcast, "an hour of a channel"),
	PRICE(tts, "1,000 code points spoken"),
	{ "usd_per_credit", F_REAL, MEMBER(prices, usd_per_credit), .flags = F_OUT, .help = "US dollars that a credit is worth." }
);

static const struct field	 usage_query_fields[] = FIELDS(
	PAGE_FIELDS,
	{ "from",  F_TIME, MEMBER(usage_query, from_us), .flags = F_IO | F_OPT },
	{ "to",    F_TIME, MEMBER(usage_query, to_us),   .flags = F_IO | F_OPT },
	{ "group", F_ENUM, MEMBER(usage_query, group),   .flags = F_IO | F_OPT, .names = usage_groups },
	{ "kind",  F_ENUM, MEMBER(usage_query, kind),    .flags = F_IO | F_OPT, .names = usage_kinds }
);
/* clang-format on */

static struct reply
get_balance(struct request *rq)
{
	struct balance b;
	int64_t micro;
	enum err e;

	if ((e = ledger_balance(rq->db, rq->who->account, &micro)) != OK)
		return problem_err(rq, e);
	b = balance_of(rq->conf, micro);
	return reply_one(rq, 200, balance_fields, &b, 0);
}

static struct reply
get_minutes(struct request *rq)
{
	struct minutes m;
	int64_t micro;
	long long n;
	enum err e;

	if ((e = ledger_balance(rq->db, rq->who->account, &micro)) != OK)
		return problem_err(rq, e);
	n = price_minutes(rq->conf, micro);
	m.left = arena_printf(rq->mem, "%lld.%02lld", n / 100, n % 100);
	return reply_one(rq, 200, minutes_fields, &m, 0);
}

static double
of_micro(int64_t micro)
{
	return (double)micro / MICRO;
}

static struct reply
get_prices(struct request *rq)
{
	const struct conf *c = rq->conf;
	const struct prices p = { of_micro(c->price_s2s_micro),
		of_micro(c->price_captions_micro), of_micro(c->price_stt_micro),
		of_micro(c->price_broadcast_micro), of_micro(c->price_tts_micro),
		of_micro(c->billing_usd_micro) };

	return reply_one(rq, 200, prices_fields, &p, 0);
}

static struct reply
list_usage(struct request *rq)
{
	struct usage_query *q = rq->query;
	const struct list_cursor at = { page_ascending(&q->page), q->page.after_us,
		q->page.after_id, page_limit(&q->page) + 1 };
	const struct usage_range of = { rq->who->account,
		q->group != NULL ? q->group : "day", q->kind,
		q->from_us != NULL_INT ? q->from_us : 0,
		q->to_us != NULL_INT ? q->to_us : now_us() };
	struct list l;
	enum err e;

	if (of.from_us >= of.to_us)
		return problem_at(
		    rq, P_VALIDATION, NULL, "from", "from must be before to.");
	e = ledger_usage(rq->db, rq->mem, &of, &at, &l);
	if (e != OK)
		return problem_err(rq, e);
	return reply_page(rq, usage_sum_fields, l, ITEM(usage_sum, day_us, text));
}

/* clang-format off */
const struct route	 balance_routes[] = {
	{ "GET", "/payments/v2/balance", get_balance, "balance:read",
	  .summary = "Read the balance", .shape = A_ONE, .out = balance_fields },
	{ "GET", "/billing/balance", get_minutes, "balance:read",
	  .successor = "/payments/v2/balance", .summary = "Read how many minutes are left",
	  .shape = A_ONE, .out = minutes_fields },
	{ "GET", "/payments/v2/prices", get_prices, "balance:read",
	  .summary = "Read the prices", .shape = A_ONE, .out = prices_fields },
	{ "GET", "/payments/v2/usage", list_usage, "balance:read",
	  QUERY(usage_query_fields, struct usage_query), .token = "token",
	  .summary = "Add up what was used", .shape = A_PAGE, .out = usage_sum_fields },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("balance", balance_routes, account_sql, ledger_sql)
