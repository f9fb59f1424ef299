/* The balance of an account, and how long it lasts. */
#include "service/price.h"
#include "store/ledger.h"
#include "web/web.h"

struct balance {
	double credits, usd; /* quotients of integers: as exact as JSON is read */
};

struct minutes {
	const char *left;
};

/* clang-format off */
static const struct field	 balance_fields[] = FIELDS(
	{ "credits",        F_REAL, MEMBER(balance, credits), .flags = F_OUT },
	{ "usd_equivalent", F_REAL, MEMBER(balance, usd),     .flags = F_OUT }
);

static const struct field	 minutes_fields[] = FIELDS(
	{ "minutes_left", F_TEXT, MEMBER(minutes, left), .flags = F_OUT }
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
	b.credits = (double)credits_round(micro, 100) / 1e4;
	b.usd = (double)price_cents(rq->conf, micro) / 100;
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

/* clang-format off */
const struct route	 balance_routes[] = {
	{ "GET", "/payments/v2/balance", get_balance, "balance:read",
	  .summary = "Read the balance", .shape = A_ONE, .out = balance_fields },
	{ "GET", "/billing/balance", get_minutes, "balance:read",
	  .successor = "/payments/v2/balance", .summary = "Read how many minutes are left",
	  .shape = A_ONE, .out = minutes_fields },
	ROUTES_END,
};
/* clang-format on */

PROGRAM("balance", balance_routes, account_sql, ledger_sql)
