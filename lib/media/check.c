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
stream_decodes(const struct sniff_kind *kind, enum AVMediaType type, struct wire *w)
{
	struct source src;

	if (source_open(&src, kind, type) != MEDIA_FINE || source_next(&src) == NULL)
		return false;
	source_describe(&src, w);
	return true;
}

static bool
kind_decodes(const struct sniff_kind *kind, struct wire *w)
{
	if (kind->picture != NULL)
		return picture_decodes(kind->picture);
	return stream_decodes(kind, AVMEDIA_TYPE_AUDIO, w) ||
	       stream_decodes(kind, AVMEDIA_TYPE_VIDEO, w);
}

void
media_child_name(struct wire *w, const struct sniff_kind *kind)
{
	snprintf(w->format, sizeof(w->format), "%s", kind->name);
	if (kind->picture != NULL)
		snprintf(w->codec, sizeof(w->codec), "%s", kind->name);
}

void
media_child_check(char **args, struct media_answer *a)
{
	const struct sniff_kind *kind = sniff(STDIN_FILENO, args[0]);

	a->head.duration_s = NAN;
	a->head.verdict = MEDIA_MISMATCH;
	if (kind == NULL || !kind_decodes(kind, &a->head))
		return;
	a->head.verdict = MEDIA_FINE;
	media_child_name(&a->head, kind);
}
