#include "rtc/cookie_ack.h"

#include <string.h>

#define FIRST_WAIT_US 100000 /* doubles */
#define LAST_WAIT_US 3200000

#define CHUNK 12 /* bytes of the common header before the first chunk */
enum chunk_type { COOKIE_ECHO = 10, COOKIE_ACK = 11 };

static bool
begins_with(enum chunk_type type, const unsigned char *p, size_t n)
{
	return n > CHUNK && p[CHUNK] == type;
}

void
cookie_ack_sent(struct cookie_ack *a, const void *p, size_t n)
{
	if (!begins_with(COOKIE_ACK, p, n) || n > sizeof(a->p))
		return;
	memcpy(a->p, p, n);
	a->n = n;
	a->wait_us = FIRST_WAIT_US;
	a->due_us = 0;
}

void
cookie_ack_received(struct cookie_ack *a, const void *p, size_t n)
{
	if (!begins_with(COOKIE_ECHO, p, n))
		a->n = 0;
}

bool
cookie_ack_is_due(struct cookie_ack *a, int64_t now_us)
{
	bool due = a->n > 0 && a->due_us > 0 && now_us >= a->due_us;

	if (due)
		a->wait_us *= 2;
	if (due || a->due_us == 0)
		a->due_us = now_us + a->wait_us;
	if (a->wait_us > LAST_WAIT_US)
		a->n = 0;
	return due;
}

int64_t
cookie_ack_due_us(const struct cookie_ack *a, int64_t other_us)
{
	return a->n > 0 && a->due_us < other_us ? a->due_us : other_us;
}
