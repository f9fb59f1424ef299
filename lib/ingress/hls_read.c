/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ingress/hls_read.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/lang.h"

#define MARK "#EXTM3U"
#define BOM "\xef\xbb\xbf"
#define PLS "[playlist"
#define DEFINE "#EXT-X-DEFINE:"
#define UNKNOWN "The playlist uses a variable that it does not define."
#define TARGET_MOST_S 60
#define SEQUENCE_MOST (INT64_C(1) << 53)

static bool
begins(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

bool
hls_is_playlist(const char *p, size_t n)
{
	size_t at = n >= 3 && memcmp(p, BOM, 3) == 0 ? 3 : 0;

	return n - at >= strlen(MARK) && memcmp(p + at, MARK, strlen(MARK)) == 0;
}

/* The next line that is not empty; NULL: none. */
static char *
next_line(char **rest)
{
	return strtok_r(NULL, "\r\n", rest);
}

/* The value of a tag; NULL: the line is a different tag. */
static const char *
tag(const char *line, const char *name)
{
	size_t n = strlen(name);

	return begins(line, name) && line[n] == ':' ? line + n + 1 : NULL;
}

static int64_t
number(const char *text, int64_t least, int64_t most)
{
	long long n = strtoll(text, NULL, 10);

	return n < least ? least : n > most ? most : n;
}

static int64_t
milliseconds(const char *seconds)
{
	double s = strtod(seconds, NULL);

	return s > 0 ? (int64_t)((s < TARGET_MOST_S ? s : TARGET_MOST_S) * 1000) : 0;
}

const char *
hls_attribute(struct arena *mem, const char *s, const char *name)
{
	while (*(s += strspn(s, ", ")) != '\0') {
		size_t key = strcspn(s, "="), n;
		const char *value = s + key + (s[key] == '=');
		bool is = key == strlen(name) && memcmp(s, name, key) == 0;
		bool quoted = *value == '"';

		value += quoted;
		n = strcspn(value, quoted ? "\"" : ",");
		if (is)
			return arena_dup(mem, value, n);
		s = value + n + (quoted && value[n] == '"');
		s += strcspn(s, ",");
	}
	return NULL;
}

static bool
is_attribute(struct arena *mem, const char *s, const char *name, const char *value)
{
	const char *is = hls_attribute(mem, s, name);

	return is != NULL && strcmp(is, value) == 0;
}

/* ---- a multivariant playlist ---- */

struct variant {
	const char *uri, *sounds; /* group of renditions, or NULL */
	int64_t bandwidth;
};

/* The variant with the lowest bandwidth; uri NULL: there is none. */
static struct variant
find_variant(struct arena *mem, const char *text)
{
	struct variant best = { .uri = NULL }, this = best;
	char *rest = arena_str(mem, text), *line;
	bool is = false;

	while ((line = next_line(&rest)) != NULL) {
		const char *has = tag(line, "#EXT-X-STREAM-INF"), *rate;

		if (has != NULL) {
			rate = hls_attribute(mem, has, "BANDWIDTH");
			this.sounds = hls_attribute(mem, has, "AUDIO");
			this.bandwidth =
			    rate != NULL ? number(rate, 0, INT64_MAX) : INT64_MAX;
			is = true;
		} else if (is && *line != '#') {
			this.uri = line;
			if (best.uri == NULL || this.bandwidth < best.bandwidth)
				best = this;
			is = false;
		}
	}
	return best;
}

/* The preference for a rendition; 0: unusable. */
static int
worth(struct arena *mem, const char *has, const struct variant *v, const char *language)
{
	const char *is = hls_attribute(mem, has, "LANGUAGE");
	bool ours, said;

	if (!is_attribute(mem, has, "TYPE", "AUDIO"))
		return 0;
	ours = v->sounds != NULL && is_attribute(mem, has, "GROUP-ID", v->sounds);
	said = is != NULL && lang_is_named(is, language);
	if (!ours && (!said || hls_attribute(mem, has, "URI") == NULL))
		return 0;
	return 1 + 4 * said + 2 * ours + is_attribute(mem, has, "DEFAULT", "YES");
}

static const char *
choose(struct arena *mem, const char *text, const char *language)
{
	struct variant v = find_variant(mem, text);
	char *rest = arena_str(mem, text), *line;
	const char *has, *best = NULL, *uri;
	int most = 0, n;

	while ((line = next_line(&rest)) != NULL)
		if ((has = tag(line, "#EXT-X-MEDIA")) != NULL &&
		    (n = worth(mem, has, &v, language)) > most) {
			most = n;
			best = has;
		}
	uri = best != NULL ? hls_attribute(mem, best, "URI") : NULL;
	return uri != NULL ? uri
			   /* without a URI, the sound is in the variant itself */
			   : v.uri;
}

/* ---- a media playlist ---- */

static size_t
count_lines(const char *s)
{
	size_t n = 1;

	for (; *s != '\0'; s++)
		n += *s == '\n' || *s == '\r';
	return n;
}

/* Read a tag of the playlist or of the next segment. Returns an error or NULL. */
static const char *
read_tag(struct arena *mem, const char *line, struct hls_playlist *to)
{
	struct hls_segment *next = to->segments + to->n;
	const char *has;

	if ((has = tag(line, "#EXT-X-TARGETDURATION")) != NULL)
		to->target_s = number(has, 1, TARGET_MOST_S);
	else if ((has = tag(line, "#EXT-X-MEDIA-SEQUENCE")) != NULL)
		to->sequence = number(has, 0, SEQUENCE_MOST);
	else if ((has = tag(line, "#EXTINF")) != NULL)
		next->ms = milliseconds(has);
	else if ((has = tag(line, "#EXT-X-MAP")) != NULL)
		next->map = hls_attribute(mem, has, "URI");
	else if (strcmp(line, "#EXT-X-GAP") == 0)
		next->gap = true;
	else if (strcmp(line, "#EXT-X-ENDLIST") == 0)
		to->ended = true;
	if (((has = tag(line, "#EXT-X-KEY")) != NULL &&
		!is_attribute(mem, has, "METHOD", "NONE")))
		return "The stream is encrypted, which is not supported.";
	if (tag(line, "#EXT-X-BYTERANGE") != NULL ||
	    (tag(line, "#EXT-X-MAP") != NULL && strstr(line, "BYTERANGE=") != NULL))
		return "The playlist has parts of files, which is not supported.";
	return NULL;
}

static const char *
read_media(struct arena *mem, char *rest, size_t lines, struct hls_playlist *to)
{
	const char *why = NULL;
	char *line;

	to->segments = arena_alloc(mem, (lines + 1) * sizeof(*to->segments));
	while (why == NULL && (line = next_line(&rest)) != NULL) {
		if (*line == '#') {
			why = read_tag(mem, line, to);
			continue;
		}
		to->segments[to->n].uri = line;
		to->n++;
		to->segments[to->n].map = to->segments[to->n - 1].map;
	}
	return why;
}

const char *
hls_playlist_read(
    struct arena *mem, const char *text, const char *language, struct hls_playlist *to)
{
	*to = (struct hls_playlist){ .target_s = 1 };
	if (!hls_is_playlist(text, strlen(text)))
		return "This is not a valid playlist.";
	if (strstr(text, "#EXT-X-STREAM-INF:") == NULL)
		return read_media(mem, arena_str(mem, text), count_lines(text), to);
	to->media = choose(mem, text, language);
	return to->media != NULL ? NULL : "The playlist names no other playlist.";
}

/* ---- variables ---- */

static const char *
value_of(const struct hls_variables *v, const char *name, size_t n)
{
	while (v != NULL && (strlen(v->name) != n || memcmp(v->name, name, n) != 0))
		v = v->next;
	return v != NULL ? v->value : NULL;
}

/* The value of a member of the query; NULL: not found. */
static const char *
query_value(struct arena *mem, const char *url, const char *name)
{
	size_t n = strlen(name);
	const char *at = strchr(url, '?');

	for (; at != NULL; at = strpbrk(at + 1, "&#")) {
		if (*at == '#')
			return NULL;
		if (strncmp(at + 1, name, n) == 0 && at[1 + n] == '=')
			return arena_dup(mem, at + n + 2, strcspn(at + n + 2, "&#"));
	}
	return NULL;
}

/* False: the variable has no value, so the playlist cannot be read. */
static bool
define(struct arena *mem, const char *has, const char *url,
    const struct hls_variables *outer, struct hls_variables **to)
{
	struct hls_variables *v = arena_alloc(mem, sizeof(*v));

	if ((v->name = hls_attribute(mem, has, "NAME")) != NULL)
		v->value = hls_attribute(mem, has, "VALUE");
	else if ((v->name = hls_attribute(mem, has, "IMPORT")) != NULL)
		v->value = value_of(outer, v->name, strlen(v->name));
	else if ((v->name = hls_attribute(mem, has, "QUERYPARAM")) != NULL)
		v->value = query_value(mem, url, v->name);
	if (v->name == NULL || v->value == NULL)
		return false;
	v->next = *to;
	*to = v;
	return true;
}

/* True if variables are allowed in the line: an address, or a tag of HLS. */
static bool
has_variables(const char *line)
{
	return *line != '#' || strncmp(line, "#EXT-X-", strlen("#EXT-X-")) == 0;
}

/* Append a line of n bytes with its variables replaced; stop beyond `most` bytes.
   False: it has an unknown variable. */
static bool
put_line(struct buf *b, const char *line, size_t n, size_t most, bool replace,
    const struct hls_variables *v)
{
	const char *end = line + n;

	while (line < end && b->len <= most) {
		const char *at = memmem(line, (size_t)(end - line), "{$", 2), *close;
		const char *value;

		close =
		    replace && at != NULL ? memchr(at, '}', (size_t)(end - at)) : NULL;
		if (close == NULL) {
			buf_put(b, line, (size_t)(end - line));
			return true;
		}
		value = value_of(v, at + 2, (size_t)(close - at) - 2);
		if (value == NULL)
			return false;
		buf_put(b, line, (size_t)(at - line));
		buf_put(b, value, strlen(value));
		line = close + 1;
	}
	return true;
}

const char *
hls_variables_replace(struct arena *mem, const char **text, size_t most,
    const char *url, const struct hls_variables *outer, struct hls_variables **to)
{
	struct buf b = { .mem = mem };
	const char *line = *text;

	*to = NULL;
	if (strstr(line, DEFINE) == NULL)
		return NULL;
	for (size_t n; *line != '\0'; line += n) {
		const char *has = line + strlen(DEFINE);

		n = strcspn(line, "\r\n");
		if (strncmp(line, DEFINE, strlen(DEFINE)) == 0
			? !define(mem, arena_dup(mem, has, n - strlen(DEFINE)), url,
			      outer, to)
			: !put_line(&b, line, n, most, has_variables(line), *to))
			return UNKNOWN;
		n += strspn(line + n, "\r\n");
		buf_put(&b, "\n", 1);
		if (b.len > most)
			return "The playlist is too large.";
	}
	*text = buf_text(&b);
	return NULL;
}

/* ---- radio playlists ---- */

static const char *
skip_mark(const char *text)
{
	return strncmp(text, BOM, 3) == 0 ? text + 3 : text;
}

bool
radio_list_begins(const char *p, size_t n)
{
	static const char *const marks[] = { "http://", "https:/", PLS };
	size_t at = n >= 3 && memcmp(p, BOM, 3) == 0 ? 3 : 0;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t is = strlen(marks[i]);

		is = is < n - at ? is
				 : n - at; /* after a BOM there may be fewer bytes */
		if (n >= HLS_MARK_BYTES && strncasecmp(p + at, marks[i], is) == 0)
			return true;
	}
	return false;
}

bool
radio_list_is(const char *text)
{
	size_t n = strlen(text);

	return hls_is_playlist(text, n) ? strstr(text, "#EXT-X-") == NULL
					: radio_list_begins(text, n);
}

/* The address in "File1=ADDRESS" of PLS; NULL for other lines. */
static const char *
pls_address(const char *line)
{
	const char *value = strchr(line, '=');

	return strncasecmp(line, "File", 4) == 0 && value != NULL ? value + 1 : NULL;
}

const char *
radio_list_first(struct arena *mem, const char *text)
{
	bool pls = strncasecmp(skip_mark(text), PLS, strlen(PLS)) == 0;
	char *rest = arena_str(mem, skip_mark(text)), *line;

	while ((line = strsep(&rest, "\r\n")) != NULL) {
		const char *is = pls ? pls_address(line) : *line != '#' ? line : NULL;

		if (is != NULL && *(is += strspn(is, " \t")) != '\0')
			return arena_dup(mem, is, strcspn(is, " \t"));
	}
	return NULL;
}
