/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/caption_post.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/field.h"
#include "base/text.h"
#include "net/http.h"

#define READ_BYTES 4096                  /* bytes read of an answer */
#define WAIT_S 60                        /* longest wait that a server may ask for */
#define AHEAD_US (INT64_C(86400) * S_US) /* a larger difference is ignored */

static bool
has_member(const char *url, const char *name)
{
	size_t n = strlen(name);
	const char *at = strchr(url, '?');

	for (; at != NULL; at = strchr(at + 1, '&'))
		if (strncmp(at + 1, name, n) == 0 && at[1 + n] == '=')
			return true;
	return false;
}

/* Zoom's API token for a meeting is a signed address. */
static bool
is_zoom(const char *url)
{
	return has_member(url, "ns") && has_member(url, "signature");
}

int
caption_post_most(const char *url)
{
	return is_zoom(url) ? 1 : CAPTION_POST_CAPTIONS;
}

void
caption_post_put(struct buf *body, const char *url, int64_t start_us, const char *text)
{
	char time[TIME_TEXT];

	if (is_zoom(url)) {
		buf_put(body, text, strlen(text));
		return;
	}
	time_text(start_us, time);
	time[strlen(time) - 1] = '\0'; /* remove the Z at the end */
	buf_printf(body, "%s.%03d\n", time, (int)(start_us / 1000 % 1000));
	for (size_t n = strcspn(text, "\n"); text[n] != '\0'; n = strcspn(text, "\n")) {
		buf_printf(body, "%.*s<br>", (int)n, text);
		text += n + 1;
	}
	buf_printf(body, "%s\n", text);
}

/* Returns by how much the server's clock is ahead: its time lies between before_us and
   after_us. NULL_INT: unknown. */
static int64_t
clock_ahead(
    struct arena *mem, const struct http_answer *a, int64_t before_us, int64_t after_us)
{
	const char *text = text_trim(mem, a->body, " \r\n"), *dot = strchr(text, '.');
	double fraction_s = dot != NULL ? strtod(dot, NULL) : 0;
	int64_t ahead_us, there_us;

	if (!time_parse(text, &there_us) || !(fraction_s < 1))
		return NULL_INT;
	there_us += (int64_t)(fraction_s * (double)S_US);
	ahead_us = there_us - (before_us + (after_us - before_us) / 2);
	return llabs(ahead_us) < AHEAD_US ? ahead_us : NULL_INT;
}

/* Zoom's page recommends to try again after every status. */
static struct caption_post_result
judge(struct arena *mem, const struct http_answer *a, bool zoom)
{
	struct caption_post_result r = { .why = NULL };
	enum err e = http_verdict(a->status);

	if (e == OK)
		return r;
	r.why = arena_printf(mem, "The server answered %d%s.", a->status,
	    zoom && a->status == 400 ? ": the meeting has not started" : "");
	r.again = e == ERR_BUSY || zoom;
	r.after_s = a->retry_after_s < WAIT_S ? a->retry_after_s : WAIT_S;
	return r;
}

struct caption_post_result
caption_post_send(
    const struct conf *conf, struct arena *mem, const struct caption_post_try *t)
{
	bool zoom = is_zoom(t->url);
	const char *const headers[] = { zoom
					    ? "Content-Type: text/plain"
					    : "Content-Type: text/plain; charset=utf-8",
		NULL };
	const char *why = "no reason was given";
	const struct http_call call = { .method = "POST",
		.url = arena_printf(mem, "%s%cseq=%lld", t->url,
		    strchr(t->url, '?') != NULL ? '&' : '?', (long long)t->seq),
		.headers = headers,
		.body = t->body,
		.body_len = strlen(t->body),
		.timeout_ms = CAPTION_POST_MS,
		.max_bytes = READ_BYTES,
		.cut = true,
		.allow_private = conf->captions_allow_private,
		.why = &why };
	struct http_answer a;
	int64_t before_us = now_us();
	enum err e = http_do(mem, &call, &a);
	struct caption_post_result r;

	if (e != OK)
		return (struct caption_post_result){
			.why =
			    arena_printf(mem, "The server was not reached: %s.", why),
			.again = e != ERR_REFUSED,
			.ahead_us = NULL_INT
		};
	r = judge(mem, &a, zoom);
	r.ahead_us = clock_ahead(mem, &a, before_us, now_us());
	return r;
}
