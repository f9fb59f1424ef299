/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/access_code.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "web/ratelimit.h"

#define GUESSES_OF_ADDRESS 30 /* wrong codes a minute, for one event */
#define GUESSES_OF_EVENT 300  /* wrong codes for one event from all addresses */
#define SHORT_CODES 30        /* unknown short codes of an address in a minute */

/* Compares in constant time, whatever the length, and ignores case.  A repeated
   parameter is no code. */
static bool
is_code(struct request *rq, const struct json *given, const char *code)
{
	const char *a, *b;

	if (given->type != JSON_TEXT || strlen(given->u.s) != given->n)
		return false;
	a = text_lower(rq->mem, given->u.s);
	b = text_lower(rq->mem, code);
	return same_bytes(hash_hex(rq->mem, a, strlen(a)),
	    hash_hex(rq->mem, b, strlen(b)), 2 * SHA256_BYTES);
}

/* Counts a guess.  One address cannot use up more than its share of the event's
   guesses. */
static bool
may_guess(struct request *rq, const char *event, const char *here, struct reply *no)
{
	return auth_guess(rq, 'g', here, GUESSES_OF_ADDRESS, no) &&
	       auth_guess(rq, 'e', event, GUESSES_OF_EVENT, no);
}

/*
 * True if the code is right and opens the event now. An address that made too many
 * guesses is refused even with the right code, so that it cannot find the code by
 * guessing. An address that has used the code before is admitted: it may be a venue
 * with one address for all. While the event as a whole had too many guesses, every
 * address that guessed wrong is refused.
 */
static bool
opens(struct request *rq, const char *event, const char *here, const char *code,
    struct reply *no)
{
	const char *lower = text_lower(rq->mem, code);
	const char *used = arena_printf(
	    rq->mem, "%s %s", here, hash_hex(rq->mem, lower, strlen(lower)));
	struct limits *l = rq->app->limits;
	int64_t now = now_us();
	struct limit own = limit_peek(l, 'g', here, GUESSES_OF_ADDRESS, now),
		     all = limit_peek(l, 'e', event, GUESSES_OF_EVENT, now);
	bool first = own.left == GUESSES_OF_ADDRESS;

	if (limit_known(l, 'k', used, now) || (!own.over && (first || !all.over))) {
		limit_count(l, 'k', used, INT64_MAX, now);
		return true;
	}
	*no = own.over ? auth_guessed(rq, &own, GUESSES_OF_ADDRESS)
		       : auth_guessed(rq, &all, GUESSES_OF_EVENT);
	return false;
}

/* A request without a code is not a guess, as clients of a venue with one address first
   come without a code. */
bool
access_code_admit(
    struct request *rq, const char *event, const char *code, struct reply *no)
{
	const struct json *given = json_get(query_read(rq), "code");
	const char *here = arena_printf(rq->mem, "%s %s", event, rq->network);

	if (code == NULL)
		return true;
	if (given != NULL && is_code(rq, given, code))
		return opens(rq, event, here, code, no);
	if (given != NULL && !may_guess(rq, event, here, no))
		return false;
	*no = problem_at(rq, P_ACCESS_CODE, NULL, "code",
	    "This event is open to those who have its access code.");
	return false;
}

bool
short_code_unknown(struct request *rq, struct reply *no)
{
	return auth_guess(rq, 'j', rq->network, SHORT_CODES, no);
}

bool
short_code_admit(struct request *rq, const char *code, struct reply *no)
{
	const char *used = arena_printf(rq->mem, "%s %s", rq->network, code);
	struct limits *l = rq->app->limits;
	int64_t now = now_us();
	struct limit own = limit_peek(l, 'j', rq->network, SHORT_CODES, now);

	if (own.over && !limit_known(l, 'J', used, now)) {
		*no = auth_guessed(rq, &own, SHORT_CODES);
		return false;
	}
	limit_count(l, 'J', used, INT64_MAX, now);
	return true;
}
