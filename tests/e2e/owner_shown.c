/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All records that an account's owner can read, as text. */
#include <string.h>

#include "base/buf.h"
#include "owner.h"

static size_t
length_of(const char *s, const char *chars)
{
	return strspn(s, chars);
}

static bool
starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static bool
is_uuid(const char *s)
{
	return length_of(s, "0123456789abcdef") == 8 && s[8] == '-' && s[13] == '-' &&
	       s[18] == '-' && s[23] == '-' &&
	       length_of(s + 24, "0123456789abcdef") == 12;
}

static bool
is_time(const char *s)
{
	return length_of(s, "0123456789") == 4 && s[4] == '-' && s[7] == '-' &&
	       strlen(s) >= 20 && s[10] == 'T' && s[19] == 'Z';
}

static bool
follows(const char *time, const char *member)
{
	size_t n = strlen(member);

	return strncmp(time - n, member, n) == 0;
}

/*
 * Two values change with each request: when statistics were computed, and when the key
 * was last used.
 */
static bool
fresh(const char *time)
{
	return follows(time, "\"stats_freshness\":\"") ||
	       follows(time, "\"last_used_at\":\"") ||
	       follows(time, "\"last_seen_at\":\"");
}

const char *
steadied(const char *s, bool ids)
{
	static const char b64[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-.";
	static const char suffix[] = "\"room_name_suffix\":\"",
			  code[] = "\"join_code\":\"", link[] = "/s/";
	struct buf b = { .mem = memory() };

	for (size_t n; *s != '\0'; s += n) {
		n = 1;
		if (ids && is_uuid(s)) {
			n = 36;
			buf_str(&b, "an id");
		} else if (is_time(s) && (ids || fresh(s))) {
			n = 20;
			buf_str(&b, "a time");
		} else if (starts(s, "eyJ")) {
			n = length_of(s, b64);
			buf_str(&b, "a token");
		} else if (starts(s, "?expires=")) {
			n = strcspn(s, "\"");
			buf_str(&b, "a signature");
		} else if (ids && starts(s, "ETag: \"v")) {
			n = strcspn(s, "\r\n");
			buf_str(&b, "a version");
		} else if (ids && starts(s, "\"request_count\":")) {
			n = strcspn(s, ",}");
			buf_str(&b, "a count");
		} else if (ids && starts(s, suffix)) {
			n = sizeof(suffix) - 1 + 8;
			buf_str(&b, "a suffix");
		} else if (ids && starts(s, code)) {
			n = sizeof(code) - 1 + 6;
			buf_str(&b, "a code");
		} else if (ids && starts(s, link)) {
			n = sizeof(link) - 1 + 10;
			buf_str(&b, "a link");
		} else
			buf_put(&b, s, 1);
	}
	return buf_text(&b);
}

static bool
is_shown_to_owners(const struct route_line *r)
{
	return strchr(r->needs, ':') != NULL || !strcmp(r->path, "/blobs/{blob_id}");
}

/* Calls each GET route: a page of every list, each record, all figures. */
const char *
all_shown(const struct owner *o)
{
	struct routes all = routes_of_instance();
	struct buf b = { .mem = memory() };

	for (size_t i = 0; i < all.n; i++) {
		const struct route_line *r = &all.r[i];
		struct holes h;

		if (strcmp(r->method, "GET") != 0 || !is_shown_to_owners(r))
			continue;
		h = holes_of(r);
		for (int t = h.n > 0 ? (int)h.hole[0].first : 0;
		     t <= (h.n > 0 ? (int)h.hole[0].last : 0); t++) {
			struct ask q = request_with(
			    r, h.n > 0 ? &h.hole[0] : NULL, o, o->thing[t]);
			struct answer a = ask(&q);

			buf_printf(&b, "%s %d %s %s\n", q.path, a.status,
			    header_of(&a, "ETag") ? header_of(&a, "ETag") : "",
			    a.json != NULL ? steadied(a.body, false)
					   : sha256_of((struct bytes){ a.body, a.n }));
		}
	}
	return buf_text(&b);
}
