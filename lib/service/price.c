/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prices, computed in integers only. A product that does not fit in 64 bits is split: a
 * * p / d is exactly a * (p / d) + a * (p % d) / d.
 */
#include "service/price.h"

#include <stdbool.h>

#include "base/clock.h"
#include "base/credits.h"

#define HOUR_S 3600
#define UNITS_MOST INT64_C(1000000000000) /* seconds or code points */
#define COST_MOST INT64_C(1000000000000000)

const char *const price_names[] = { [METER_S2S] = "s2s",
	[METER_CAPTIONS] = "captions",
	[METER_STT] = "stt",
	[METER_BROADCAST] = "broadcast",
	[METER_TTS] = "tts" };

static int64_t
clamp(int64_t n, int64_t least, int64_t most)
{
	return n < least ? least : n > most ? most : n;
}

/* The price of n units, given the price of `per` units. */
static int64_t
cost(int64_t n, int64_t price, int64_t per)
{
	int64_t each = price / per;

	n = clamp(n, 0, UNITS_MOST);
	if (n == 0 || price <= 0)
		return 0;
	if (each > COST_MOST / n)
		return COST_MOST;
	return clamp(n * each + n * (price % per) / per, 1, COST_MOST);
}

static int64_t
started_seconds(int64_t us)
{
	return us / S_US + (us % S_US > 0);
}

static int64_t
price_of(const struct conf *c, enum metered what)
{
	switch (what) {
	case METER_S2S:
		return c->price_s2s_micro;
	case METER_CAPTIONS:
		return c->price_captions_micro;
	case METER_STT:
		return c->price_stt_micro;
	case METER_BROADCAST:
		return c->price_broadcast_micro;
	case METER_TTS:
		return c->price_tts_micro;
	}
	return 0;
}

int64_t
price_units(enum metered what, int64_t from, int64_t to)
{
	if (what != METER_TTS) {
		from = started_seconds(from);
		to = started_seconds(to);
	}
	return to > from ? to - from : 0;
}

int64_t
price_micro(const struct conf *c, enum metered what, int64_t from, int64_t to)
{
	bool timed = what != METER_TTS;
	int64_t price = price_of(c, what), per = timed ? HOUR_S : 1000;

	from = timed ? started_seconds(from) : from;
	to = timed ? started_seconds(to) : to;
	return to > from ? cost(to, price, per) - cost(from, price, per) : 0;
}

int64_t
price_minutes(const struct conf *c, int64_t micro)
{
	int64_t hour = c->price_s2s_micro, hours;

	if (micro <= 0)
		return 0;
	hours = hour > 0 ? micro / hour : INT64_MAX;
	if (hours >= PRICE_MINUTES_MOST / 6000)
		return PRICE_MINUTES_MOST;
	return hours * 6000 + micro % hour * 6000 / hour;
}

/* The balance and the rate are each split into whole credits and a remainder. */
int64_t
price_cents(const struct conf *c, int64_t micro)
{
	int64_t b = micro / MICRO, r = micro % MICRO;
	int64_t dollars = c->billing_usd_micro / MICRO;
	int64_t rest = c->billing_usd_micro % MICRO;
	int64_t least = -PRICE_CENTS_MOST, cents;

	if (dollars > 0 && (b > PRICE_CENTS_MOST / 100 / dollars ||
			       -b > PRICE_CENTS_MOST / 100 / dollars))
		return b > 0 ? PRICE_CENTS_MOST : least;
	/*
	 * in millionths of a cent: the part that is cut off is too small to change the
	 * rounding
	 */
	cents = (b * rest + r * dollars) * 100 + r * rest / (MICRO / 100);
	return clamp(
	    b * dollars * 100 + credits_round(cents, MICRO), least, PRICE_CENTS_MOST);
}

/* ---- balances ---- */

/* clang-format off */
const struct field	 balance_fields[] = FIELDS(
	{ "credits",        F_REAL, MEMBER(balance, credits), .flags = F_OUT },
	{ "usd_equivalent", F_REAL, MEMBER(balance, usd),     .flags = F_OUT }
);
/* clang-format on */

struct balance
balance_of(const struct conf *conf, int64_t micro)
{
	return (struct balance){ (double)credits_round(micro, 100) / 1e4,
		(double)price_cents(conf, micro) / 100 };
}
