/* A translator for tests: what it answers, and when, follows from the text. */
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "speech/placeholders.h"

#define SLOW_MS 5000

static bool
pairs(const struct engine_at *at, const char *from, const char *to)
{
	(void)at;
	(void)from;
	(void)to;
	return true;
}

static enum err
wait_slowly(int timeout_ms)
{
	int ms = timeout_ms < SLOW_MS ? timeout_ms : SLOW_MS;
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
	if (ms == SLOW_MS)
		return OK;
	log_warn("script: no translation within %d ms", timeout_ms);
	return ERR_TIMEOUT;
}

static enum err
translate(const struct engine_at *at, struct arena *mem, const struct mt_text *t,
    const char **out, bool *guarded)
{
	enum err e;

	if (strcasestr(t->text, "slow-mt") != NULL &&
	    (e = wait_slowly(mt_time_ms(at, t))) != OK)
		return e;
	if (strcasestr(t->text, "fault-mt") != NULL) {
		log_warn("script: fault-mt");
		return ERR_FAILED;
	}
	*out = arena_printf(mem, "[%s] %s", t->to, mt_fill(mem, t, mt_slots(mem, t)));
	*guarded = true;
	return OK;
}

const struct mt_engine mt_script = { false, false, pairs, translate, mt_list_any,
	NULL };
