#include "pipeline/segmenter.h"

#include <assert.h>
#include <string.h>

#include "audio/vad.h"
#include "base/text.h"

#define FRAMES(ms) ((ms) / 20)
#define GAP FRAMES(100) /* longer silence discards speech under SEGMENT_LEAST_MS */
#define HELD 128        /* frames kept; more than the 2 s of silence allowed */

struct segmenter {
	struct segmenter_params params;
	struct vad *vad;
	const int16_t *in; /* input not used yet, borrowed */
	size_t nin;        /* samples */
	bool cut;          /* segmenter_cut() is pending */

	int64_t now;                    /* samples made into frames so far */
	int16_t held[HELD * VAD_FRAME]; /* the last frames */
	size_t nheld, due, had;         /* frames held, to return, returned */
	int16_t frame[VAD_FRAME];       /* an incomplete frame */
	size_t nframe;                  /* its samples */

	bool running, begins, ends; /* in a segment; BEGINS, ENDS is to be returned */
	enum segment_end why;       /* of ENDS */
	int64_t from;               /* first sample of the segment */
	int64_t first;              /* first sample of its (possible) speech */
	int64_t speech_at;          /* end of the last speech */
	int speech, quiet;          /* frames: of speech, of silence after it */
	size_t characters;          /* length of its text */
	bool is_sentence;           /* its text ends with a sentence-final mark */
};

struct segmenter *
segmenter_new(struct arena *mem, const struct segmenter_params *params)
{
	struct segmenter *p = arena_alloc(mem, sizeof(*p));

	p->vad = vad_new(mem);
	p->params = *params;
	vad_set(p->vad, params->vad, params->vad_threshold);
	return p;
}

void
segmenter_feed(struct segmenter *p, const int16_t *s, size_t n)
{
	assert(p->nin == 0);
	p->in = s;
	p->nin = n;
}

/* Whether the text ends with a sentence-final mark; quotes and brackets are skipped. */
static bool
ends_sentence(const char *text)
{
	uint32_t cp, last = 0;

	for (const char *s = text; *s != '\0';) {
		s = text_next(s, &cp);
		if (strchr(" \"')]", (int)(cp < 0x80 ? cp : 'x')) == NULL &&
		    cp != 0x201d && cp != 0x2019 && cp != 0xbb && cp != 0x300d)
			last = cp;
	}
	return last == '.' || last == '!' || last == '?' || last == 0x2026 ||
	       last == 0x3002 || last == 0xff01 || last == 0xff1f || last == 0x61f ||
	       last == 0x6d4 || last == 0x964;
}

void
segmenter_text(struct segmenter *p, const char *text)
{
	p->characters = text_length(text);
	p->is_sentence = ends_sentence(text);
}

void
segmenter_cut(struct segmenter *p)
{
	p->cut = true;
}

int64_t
segmenter_speech_at(const struct segmenter *p)
{
	return p->speech_at;
}

static void
drop_oldest(struct segmenter *p, size_t frames)
{
	p->nheld -= frames;
	memmove(p->held, p->held + frames * VAD_FRAME,
	    p->nheld * VAD_FRAME * sizeof(*p->held));
}

static void
keep_padding(struct segmenter *p)
{
	size_t pad = FRAMES(SEGMENT_PAD_MS);

	if (p->nheld > pad)
		drop_oldest(p, p->nheld - pad);
}

/* Move the next whole frame from the input to held; false: no whole frame. */
static bool
take_frame(struct segmenter *p)
{
	size_t n = VAD_FRAME - p->nframe < p->nin ? VAD_FRAME - p->nframe : p->nin;

	if (n > 0) { /* p->in may be NULL */
		memcpy(p->frame + p->nframe, p->in, n * sizeof(*p->in));
		p->in += n;
	}
	p->nframe += n;
	p->nin -= n;
	if (p->nframe < VAD_FRAME)
		return false;
	memcpy(p->held + p->nheld++ * VAD_FRAME, p->frame, sizeof(p->frame));
	p->nframe = 0;
	p->now += VAD_FRAME;
	return true;
}

static void
end(struct segmenter *p, enum segment_end why)
{
	p->ends = true;
	p->why = why;
}

static void
begin(struct segmenter *p)
{
	p->running = p->begins = true;
	p->from = p->now - (int64_t)p->nheld * VAD_FRAME;
	p->characters = 0;
	p->is_sentence = false;
	p->due = p->nheld;
}

static void
ingest_outside(struct segmenter *p, bool is_speech)
{
	int least = p->params.vad ? FRAMES(SEGMENT_LEAST_MS) : 1;

	if (is_speech && p->speech++ == 0)
		p->first = p->now - VAD_FRAME;
	p->quiet = is_speech ? 0 : p->quiet + 1;
	if (p->quiet > GAP)
		p->speech = 0;
	if (p->speech >= least)
		begin(p);
	else if (p->speech == 0)
		keep_padding(p);
}

static bool
is_splitting(const struct segmenter *p)
{
	return p->params.split && p->characters >= (size_t)p->params.split_characters &&
	       (double)(p->now - p->from) >= p->params.split_s * HEARD_HZ &&
	       (p->is_sentence || p->quiet * 20 >= SEGMENT_PAUSE_MS);
}

static void
ingest_inside(struct segmenter *p, bool is_speech)
{
	p->quiet = is_speech ? 0 : p->quiet + 1;
	if (p->quiet <= FRAMES(SEGMENT_PAD_MS))
		p->due = p->nheld;
	if (p->quiet * 20 >= p->params.silence_ms)
		end(p, SEGMENT_SILENCE);
	else if (is_splitting(p))
		end(p, SEGMENT_SPLIT);
	else if (p->now - p->from >= SEGMENT_MOST_S * HEARD_HZ)
		end(p, SEGMENT_LONG);
}

static void
classify_frame(struct segmenter *p)
{
	bool is_speech = vad_frame(p->vad, p->held + (p->nheld - 1) * VAD_FRAME);

	if (p->running)
		ingest_inside(p, is_speech);
	else
		ingest_outside(p, is_speech);
	if (is_speech)
		p->speech_at = p->now;
}

/* The next pending part; false: none. */
static bool
pending_part(struct segmenter *p, struct segment_part *to)
{
	int64_t held_at = p->now - (int64_t)p->nheld * VAD_FRAME;

	if (p->begins) {
		*to = (struct segment_part){
			.is = SEGMENT_BEGINS, .at = p->from, .speech_at = p->first
		};
		p->begins = false;
		return true;
	}
	if (p->due > 0) {
		*to = (struct segment_part){ .is = SEGMENT_AUDIO,
			.at = held_at,
			.sound = { p->held, p->due * VAD_FRAME } };
		p->had = p->due;
		p->due = 0;
		return true;
	}
	if (!p->ends)
		return false;
	*to = (struct segment_part){ .is = SEGMENT_ENDS,
		.at = held_at,
		.speech_at = p->speech_at,
		.why = p->why };
	p->running = p->ends = false;
	p->speech = p->quiet = 0;
	keep_padding(p);
	return true;
}

/* The input is used up: return pending sound, then obey a cut. */
static bool
last_part(struct segmenter *p, struct segment_part *to)
{
	bool cut = p->cut;

	if (p->due > 0)
		return pending_part(p, to);
	p->cut = false;
	if (!cut)
		return false;
	if (p->running) {
		end(p, SEGMENT_CUT);
		return pending_part(p, to);
	}
	p->speech = 0;
	keep_padding(p);
	return false;
}

bool
segmenter_next(struct segmenter *p, struct segment_part *to)
{
	drop_oldest(p, p->had);
	p->had = 0;
	for (;;) {
		if ((p->begins || p->ends || p->nheld == HELD) && pending_part(p, to))
			return true;
		if (!take_frame(p))
			return last_part(p, to);
		classify_frame(p);
	}
}
