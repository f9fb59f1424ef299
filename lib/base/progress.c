/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/progress.h"

#include "base/buf.h"
#include "base/clock.h"

#define WIDTH 24 /* width of the bar in characters */
#define MB 1000000

static void
put_bar(struct buf *b, const struct progress *p)
{
	int full = (int)(p->bytes * WIDTH / p->of);

	buf_put(b, "[", 1);
	for (int i = 0; i < WIDTH; i++)
		buf_put(b, i < full ? "#" : "-", 1);
	buf_printf(b, "] %3lld %% of %.1f MB", (long long)(p->bytes * 100 / p->of),
	    (double)p->of / MB);
}

const char *
progress_line(struct arena *mem, const struct progress *p, int64_t now_us)
{
	struct buf b = { .mem = mem };
	int64_t took_us = now_us - p->began_us, left_s;
	double rate; /* bytes a second */

	if (p->of > 0 && p->bytes <= p->of)
		put_bar(&b, p);
	else
		buf_printf(&b, "%.1f MB", (double)p->bytes / MB);
	if (took_us < S_US || p->bytes <= p->began_bytes)
		return buf_text(&b);
	rate = (double)(p->bytes - p->began_bytes) * S_US / (double)took_us;
	buf_printf(&b, ", %.1f MB/s", rate / MB);
	if (p->of <= 0 || p->bytes > p->of)
		return buf_text(&b);
	left_s = (int64_t)((double)(p->of - p->bytes) / rate);
	if (left_s < 360000)
		buf_printf(&b, ", %lld:%02lld left", (long long)left_s / 60,
		    (long long)left_s % 60);
	return buf_text(&b);
}
