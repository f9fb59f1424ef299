#include "ingress/hls_playlist.h"

#include <stdlib.h>
#include <string.h>

#include "base/lang.h"

#define MARK "#EXTM3U"
#define BOM "\xef\xbb\xbf"
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

/* The next line that says something; NULL: there is none. */
static char *
next_line(char **rest)
{
	return strtok_r(NULL, "\r\n", rest);
}

/* The value of a tag, or NULL: the line is of another. */
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

/* That of the lowest bandwidth; without uri: there is none. */
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

/* How much a rendition is wanted; 0: not at all. */
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
	return uri != NULL ? uri : v.uri; /* without one, it is in the variant */
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

/* A tag, of the playlist or of the segment that follows; what is wrong with it. */
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
		return "The playlist is none.";
	if (strstr(text, "#EXT-X-STREAM-INF:") == NULL)
		return read_media(mem, arena_str(mem, text), count_lines(text), to);
	to->media = choose(mem, text, language);
	return to->media != NULL ? NULL : "The playlist names no other one.";
}
