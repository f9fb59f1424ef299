/*
 * Checks the format of a file: first its structure (sniff.c), then one frame.
 */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "media/media_internal.h"
#include "media/source.h"

/* Whether one frame of this type of stream decodes. */
static bool
stream_decodes(
    const struct sniff_kind *kind, int64_t from, enum AVMediaType type, struct wire *w)
{
	struct source src;

	if (source_open(&src, kind, from, type, 0) != MEDIA_FINE ||
	    source_next(&src) == NULL)
		return false;
	source_describe(&src, w);
	return true;
}

static bool
kind_decodes(const struct sniff_kind *kind, int64_t from, struct wire *w)
{
	if (kind->picture != NULL)
		return picture_decodes(kind->picture);
	return stream_decodes(kind, from, AVMEDIA_TYPE_AUDIO, w) ||
	       stream_decodes(kind, from, AVMEDIA_TYPE_VIDEO, w);
}

void
media_child_name(struct wire *w, const struct sniff_kind *kind)
{
	const char *name = kind == NULL                   ? sniff_found(STDIN_FILENO)
			   : w->verdict == MEDIA_MISMATCH ? NULL
							  : kind->name;

	snprintf(w->format, sizeof(w->format), "%s", name != NULL ? name : "");
	if (kind != NULL && kind->picture != NULL)
		snprintf(w->codec, sizeof(w->codec), "%s", kind->name);
}

void
media_child_check(char **args, struct media_answer *a)
{
	int64_t from = 0;
	const struct sniff_kind *kind = sniff(STDIN_FILENO, args[0], &from);

	a->head.duration_s = NAN;
	a->head.verdict = kind != NULL && kind_decodes(kind, from, &a->head)
			      ? MEDIA_FINE
			      : MEDIA_MISMATCH;
	media_child_name(&a->head, kind);
}
