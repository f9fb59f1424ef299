/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/segmenter.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "audio/vad.h"
#include "base/text.h"
#include "speech/sentence.h"

#define FRAMES(ms) ((ms) / 20)
/* silence after which speech shorter than SEGMENT_LEAST_MS is discarded */
#define GAP FRAMES(100)
#define HELD FRAMES(SEGMENT_MOST_S * 1000) /* frames stored: those of a segment */
#define LOOK FRAMES(240) /* time between two searches for a boundary */
#define CUT FRAMES(SEGMENT_CUT_S * 1000)
#define CUT_LEAST FRAMES(3500) /* shortest segment that is cut */
#define CUT_WORTH 18.0F        /* least value of a boundary at SEGMENT_CUT_S */
#define LESS_WORTH 6.0F        /* decrease of that value every second */

struct segmenter {
	struct segmenter_params params;
	struct vad *vad;
	const int16_t *in; /* input not used yet, borrowed */
	size_t nin;        /* number of samples */
	bool cut;          /* segmenter_cut() is pending */

	int64_t now;                    /* end of the frames taken so far, in samples */
	int16_t held[HELD * VAD_FRAME]; /* the last frames: taken, then ahead */
	float db[HELD];                 /* levels of these frames */
	bool is_speech[HELD], has_pitch[HELD];
	size_t nheld, ahead; /* nheld: frames taken; ahead: frames to be taken again */
	/* numbers of taken frames: to be returned, and returned so far */
	size_t due, given;
	int16_t frame[VAD_FRAME]; /* an incomplete frame */
	size_t nframe;            /* samples in frame */

	/* running: inside a segment; begins, ends: BEGINS, ENDS must be returned */
	bool running, begins, ends;
	enum segment_end why; /* reason of ENDS */
	bool looks;           /* search a boundary when the sound is returned */
	/* where the segment ended after SEGMENT_LONG was returned; 0: not cut */
	int64_t cut_at;
	const struct boundary_word *words; /* words of the segment, borrowed */
	size_t nwords;
	int64_t from;      /* first sample of the segment */
	int64_t first;     /* first sample of its (possible) speech */
	int64_t speech_at; /* end of the last speech */
	int speech, quiet; /* frames of speech, and of silence after it */
	size_t characters; /* length of its text */
	bool is_sentence;  /* its text ends with a sentence-final mark */
};

struct segmenter *
segmenter_new(struct arena *mem, const struct segmenter_params *params)
{
	struct segmenter *p = arena_alloc(mem, sizeof(*p));

	p->vad = vad_new(mem);
	p->params = *params;
	vad_set(p->vad, params->vad, params->vad_threshold);
	vad_use(p->vad, params->silero);
	return p;
}

void
segmenter_feed(struct segmenter *p, const int16_t *s, size_t n)
{
	assert(p->nin == 0);
	p->in = s;
	p->nin = n;
}

void
segmenter_text(struct segmenter *p, const char *text)
{
	p->characters = text_length(text);
	p->is_sentence = sentence_ends(text);
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

bool
segmenter_wants_words(const struct segmenter *p)
{
	return p->looks;
}

void
segmenter_words(struct segmenter *p, const struct boundary_word *words, size_t n)
{
	p->words = words;
	p->nwords = n;
}

void
segmenter_resume(struct segmenter *p, int64_t at)
{
	assert(p->cut_at > 0);
	at -= (at - p->from) % VAD_FRAME;
	p->cut_at = at <= p->from ? p->from + VAD_FRAME : at > p->now ? p->now : at;
}

static void
drop_oldest(struct segmenter *p, size_t frames)
{
	size_t left = p->nheld - frames + p->ahead;

	p->nheld -= frames;
	memmove(
	    p->held, p->held + frames * VAD_FRAME, left * VAD_FRAME * sizeof(*p->held));
	memmove(p->db, p->db + frames, left * sizeof(*p->db));
	memmove(p->is_speech, p->is_speech + frames, left * sizeof(*p->is_speech));
	memmove(p->has_pitch, p->has_pitch + frames, left * sizeof(*p->has_pitch));
}

static void
keep_padding(struct segmenter *p)
{
	size_t pad = FRAMES(SEGMENT_PAD_MS);

	if (p->nheld > pad)
		drop_oldest(p, p->nheld - pad);
}

/* Read the next whole frame of the input after the stored ones; false: there is none.
 */
static bool
read_frame(struct segmenter *p)
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
	memcpy(p->held + p->nheld * VAD_FRAME, p->frame, sizeof(p->frame));
	p->is_speech[p->nheld] = vad_frame(p->vad, p->frame);
	p->db[p->nheld] = vad_db(p->vad);
	p->has_pitch[p->nheld] = vad_has_pitch(p->vad);
	p->nframe = 0;
	p->ahead = 1;
	return true;
}

/* The next frame, from the end of a segment that was cut or from the input; false:
   none. */
static bool
next_frame(struct segmenter *p)
{
	if (p->ahead == 0 && !read_frame(p))
		return false;
	p->ahead--;
	p->nheld++;
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
	p->nwords = 0;
	p->given = 0;
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
	else if (p->nheld >= CUT && (p->nheld - CUT) % LOOK == 0)
		p->looks = true;
	p->looks |= p->nheld == HELD && !p->ends;
}

static void
ingest_frame(struct segmenter *p)
{
	bool is_speech = p->is_speech[p->nheld - 1];

	if (p->running)
		ingest_inside(p, is_speech);
	else
		ingest_outside(p, is_speech);
	if (is_speech)
		p->speech_at = p->now;
}

/*
 * All sound of the segment was returned: end it at the best boundary if that is good
 * enough.
 */
static void
find_boundary(struct segmenter *p)
{
	const struct boundary_talk talk = {
		.db = p->db,
		.n = (int)p->nheld - p->quiet,
		.words = p->words,
		.n_words = (int)p->nwords,
		.least = CUT_LEAST,
	};
	float late_s = (float)(p->nheld - CUT) / FRAMES(1000);
	bool last = p->nheld == HELD;
	int at =
	    boundary_find(&talk, last ? -INFINITY : CUT_WORTH - LESS_WORTH * late_s);

	p->looks = false;
	p->nwords = 0;
	if (at < 0)
		return;
	end(p, SEGMENT_LONG);
	p->cut_at = p->from + (int64_t)at * VAD_FRAME;
}

/* Continue with the frames after the end of the segment. */
static void
resume(struct segmenter *p)
{
	size_t taken = (size_t)(p->cut_at - p->from) / VAD_FRAME;

	p->ahead = p->nheld - taken;
	p->nheld = taken;
	p->now = p->cut_at;
	p->cut_at = 0;
	drop_oldest(p, taken);
}

static int64_t
smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static bool
begins_part(struct segmenter *p, struct segment_part *to)
{
	*to = (struct segment_part){
		.is = SEGMENT_BEGINS, .at = p->from, .speech_at = p->first
	};
	p->begins = false;
	return true;
}

static double
voiced_share(const struct segmenter *p)
{
	int speech = 0, voiced = 0;

	for (size_t i = 0; i < p->nheld; i++) {
		speech += p->is_speech[i];
		voiced += p->is_speech[i] && p->has_pitch[i];
	}
	return speech > 0 ? (double)voiced / speech : 0;
}

static bool
audio_part(struct segmenter *p, struct segment_part *to)
{
	*to = (struct segment_part){ .is = SEGMENT_AUDIO,
		.at = p->from + (int64_t)p->given * VAD_FRAME,
		.voiced = voiced_share(p),
		.sound = {
		    p->held + p->given * VAD_FRAME, (p->due - p->given) * VAD_FRAME } };
	p->given = p->due;
	return true;
}

static bool
ends_part(struct segmenter *p, struct segment_part *to)
{
	bool is_long = p->why == SEGMENT_LONG;
	int64_t at = is_long ? p->cut_at : p->from + (int64_t)p->given * VAD_FRAME;

	*to = (struct segment_part){ .is = SEGMENT_ENDS,
		.at = at,
		.speech_at = is_long ? smaller(at, p->speech_at) : p->speech_at,
		.why = p->why,
		.voiced = voiced_share(p) };
	p->running = p->ends = p->looks = false;
	p->speech = p->quiet = 0;
	if (is_long)
		return true;
	drop_oldest(p, p->given);
	keep_padding(p);
	return true;
}

/* The next pending part; false: none. */
static bool
pending_part(struct segmenter *p, struct segment_part *to)
{
	if (p->begins)
		return begins_part(p, to);
	if (p->running && p->due > p->given)
		return audio_part(p, to);
	return p->ends && ends_part(p, to);
}

/* The input is used up: return pending sound, then obey a cut. */
static bool
last_part(struct segmenter *p, struct segment_part *to)
{
	bool cut = p->cut;

	if (pending_part(p, to))
		return true;
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
	if (p->cut_at > 0 && !p->ends)
		resume(p);
	for (;;) {
		if ((p->begins || p->ends || p->looks) && pending_part(p, to))
			return true;
		if (p->looks) {
			find_boundary(p);
			continue;
		}
		if (!next_frame(p))
			return last_part(p, to);
		ingest_frame(p);
	}
}
