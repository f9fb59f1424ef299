/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "server/hls_reload.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* A request may be ahead by this many segments, or parts of less than a second. */
#define SEGMENTS_AHEAD 2
#define SECONDS_AHEAD 3

#define CONTROL "#EXT-X-SERVER-CONTROL:"
#define PART "#EXT-X-PART:"
#define EXTINF "#EXTINF:"

/* The end of a playlist. */
struct position {
	int64_t segment;   /* number of the last segment */
	int64_t its_parts; /* parts listed of that segment */
	int64_t parts;     /* parts of the segment after it */
};

static bool
begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

static const char *
next_line(const char *line)
{
	line += strcspn(line, "\n");
	return *line == '\n' ? line + 1 : line;
}

/* The value after this text in a playlist; 0: none. */
static double
value_of(const char *playlist, const char *text)
{
	const char *at = strstr(playlist, text);

	return at != NULL ? strtod(at + strlen(text), NULL) : 0;
}

int64_t
hls_reload_number(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n > 0 && n <= HLS_RELOAD_DIGITS && text[n] == '\0' ? atoll(text) : -1;
}

static struct position
position_of(const char *playlist)
{
	struct position p = {
		.segment = (int64_t)value_of(playlist, "\n#EXT-X-MEDIA-SEQUENCE:") - 1
	};

	for (const char *line = playlist; *line != '\0'; line = next_line(line))
		if (begins(line, PART))
			p.parts++;
		else if (*line != '#' && *line != '\n') {
			p.segment++;
			p.its_parts = p.parts;
			p.parts = 0;
		}
	return p;
}

enum hls_reload_verdict
hls_reload_verdict(const char *playlist, const struct hls_reload *r)
{
	const struct position p = position_of(playlist);
	const char *control = strstr(playlist, "\n" CONTROL);
	double target = value_of(playlist, "PART-TARGET=");
	int64_t segment = r->segment, part = r->part, ahead;

	if (segment < 0 || control == NULL ||
	    strstr(control, "CAN-BLOCK-RELOAD=YES") == NULL)
		return HLS_RELOAD_NOW;
	if (segment > p.segment + SEGMENTS_AHEAD)
		return HLS_RELOAD_NEVER;
	if (segment == p.segment && part >= p.its_parts && p.its_parts > 0) {
		segment++; /* it has ended with fewer parts: the next one follows */
		part = 0;
	}
	if (segment <= p.segment ||
	    (segment == p.segment + 1 && part >= 0 && part < p.parts))
		return HLS_RELOAD_NOW;
	ahead = segment == p.segment + 1 ? part - p.parts : part;
	return (double)ahead * target > SECONDS_AHEAD ? HLS_RELOAD_NEVER
						      : HLS_RELOAD_LATER;
}

bool
hls_reload_announces(const char *playlist, const char *file)
{
	const char *hint = strstr(playlist, "\n#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\""),
		   *uri;
	size_t n = strlen(file);

	if (hint == NULL)
		return false;
	uri = strchr(hint, '"') + 1;
	return strncmp(uri, file, n) == 0 && uri[n] == '"';
}

/* ---- what has changed ---- */

/* The seconds that a playlist lists, parts of its last segment included. */
static double
seconds_of(const char *playlist)
{
	double s = 0, parts = 0;

	for (const char *line = playlist; *line != '\0'; line = next_line(line))
		if (begins(line, PART))
			parts += value_of(line, "DURATION=");
		else if (begins(line, EXTINF)) {
			s += atof(line + strlen(EXTINF));
			parts = 0;
		}
	return s + parts;
}

/* The first line of the first segment: a tag that belongs to a segment. */
static const char *
first_segment(const char *playlist)
{
	static const char *const tags[] = { "#EXT-X-PROGRAM-DATE-TIME:", "#EXT-X-MAP:",
		"#EXT-X-GAP", PART, EXTINF, NULL };

	for (const char *line = playlist; *line != '\0'; line = next_line(line))
		for (size_t i = 0; tags[i] != NULL; i++)
			if (begins(line, tags[i]))
				return line;
	return NULL;
}

const char *
hls_reload_delta(struct arena *mem, const char *playlist)
{
	const char *first = first_segment(playlist), *rest = first;
	double until = value_of(playlist, "CAN-SKIP-UNTIL="), s = 0;
	double all = seconds_of(playlist);
	struct buf b = { .mem = mem };
	int skipped = 0;

	if (until <= 0 || first == NULL)
		return playlist;
	for (const char *line = first; *line != '\0'; line = next_line(line)) {
		if (begins(line, EXTINF))
			s += atof(line + strlen(EXTINF));
		if (all - s < until)
			break;
		if (*line != '#') {
			skipped++;
			rest = next_line(line);
		}
	}
	if (skipped == 0)
		return playlist;
	buf_put(&b, playlist, (size_t)(first - playlist));
	buf_printf(&b, "#EXT-X-SKIP:SKIPPED-SEGMENTS=%d\n", skipped);
	buf_str(&b, rest);
	return buf_text(&b);
}
