#include "web/access_code.h"

#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "web/ratelimit.h"

#define GUESSES_OF_ADDRESS 30 /* wrong access codes a minute, for an event */
#define GUESSES_OF_EVENT 300  /* the same of all addresses */

/* In constant time, whatever the length; case does not count.  Two codes are none. */
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

/* The guesses of one address use up no more than its share of the event's. */
static bool
may_guess(struct request *rq, const char *event, const char *here, struct reply *no)
{
	return auth_guess(rq, 'g', here, GUESSES_OF_ADDRESS, no) &&
	       auth_guess(rq, 'e', event, GUESSES_OF_EVENT, no);
}

/*
 * Whether the right code opens the event now.  An address that has used up its guesses
 * is refused as if the code were wrong, so that it does not learn which one is right:
 * unless it used this code before, as a hall behind one address has.  While the event's
 * guesses are used up, so is each address that guessed wrong.
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
	struct limit own = limit_look(l, 'g', here, GUESSES_OF_ADDRESS, now),
		     all = limit_look(l, 'e', event, GUESSES_OF_EVENT, now);
	bool first = own.left == GUESSES_OF_ADDRESS;

	if (limit_known(l, 'k', used, now) || (!own.over && (first || !all.over))) {
		limit_count(l, 'k', used, INT64_MAX, now);
		return true;
	}
	*no = own.over ? auth_guessed(rq, &own, GUESSES_OF_ADDRESS)
		       : auth_guessed(rq, &all, GUESSES_OF_EVENT);
	return false;
}

/* None is no guess: a hall behind one address comes without a code at first. */
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
