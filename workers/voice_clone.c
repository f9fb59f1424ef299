/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns an uploaded recording into a voice: checks and decodes the file, has the
 * engines clone the voice, and makes its first samples.
 */
#include <math.h>
#include <string.h>

#include "audio/vad.h"
#include "base/id.h"
#include "base/log.h"
#include "base/problem.h"
#include "blob/blob.h"
#include "media/media.h"
#include "service/node.h"
#include "service/speech.h"
#include "service/webhook_records.h"
#include "work/work.h"

#define RATE_HZ 22050
#define SHORT_S 30   /* seconds of speech; with less, the voice gets a warning */
#define SHORTEST_S 3 /* seconds of speech; with less, no voice is made */
#define TRACKS 4     /* the most tracks of a file that are searched for speech */
#define EXTERNAL_TRIES 3

/* One run of the job. */
struct cloning {
	struct work *w;
	struct voice_processing voice;
	struct blob sample;
	struct blob_file file;
	struct clone_sample heard;
	struct buf warnings;
	struct spoken spoken[2];
	int nspoken;
	int64_t tries;    /* tries so far, including this one */
	enum job_end end; /* set if the step returns AGAIN */
	const char *why;
};

/* The result of a step. */
enum step { GO_ON, AGAIN, REFUSED /* the voice has failed permanently */ };

static enum step
again(struct cloning *c, const char *what, enum err e)
{
	c->why = arena_printf(c->w->mem, "%s: %s", what, err_name(e));
	c->end = e == ERR_STALE ? JOB_AGAIN : job_failed(e); /* a newer file came */
	return AGAIN;
}

/* Fail a voice in the caller's transaction, with the messages to webhooks. */
static enum err
fail_voice(struct work *w, const char *account, const char *voice, const char *errors)
{
	enum err e = voice_failed(w->db, voice, errors);

	return e != OK ? e : webhook_voice(w->db, w->mem, w->conf, account, voice);
}

/* Write the voice's failure in the transaction that ends the job. */
static enum step
refuse(struct cloning *c, enum problem p, const char *detail)
{
	enum err e;

	if ((e = db_begin(c->w->db, c->voice.account)) != OK ||
	    (e = blob_reject(c->w->db, &c->sample)) != OK)
		return again(c, "refusing the sample", e); /* stale: a newer file */
	e = fail_voice(c->w, c->voice.account, c->voice.id,
	    problem_line(c->w->mem, p, "%s", detail));
	if (e != OK && e != ERR_NOT_FOUND)
		return again(c, "refusing the sample", e);
	return REFUSED;
}

static enum step
open_sample(struct cloning *c)
{
	enum err e;

	if (c->sample.bytes < c->sample.min_bytes ||
	    c->sample.bytes > c->sample.max_bytes)
		return refuse(c, P_SAMPLE_SIZE, "The file's size is out of bounds.");
	e = blob_open(c->w->conf, c->w->mem, c->sample.file, &c->file);
	return e != OK ? again(c, "opening the sample", e) : GO_ON;
}

static enum step
judge_content(struct cloning *c, const struct media_info *info)
{
	switch (info->verdict) {
	case MEDIA_MISMATCH:
		return refuse(c, P_SAMPLE_TYPE,
		    arena_printf(c->w->mem, "The file is not %s%s%s.",
			c->sample.mime_type, info->format != NULL ? ", but " : "",
			info->format != NULL ? info->format : ""));
	case MEDIA_UNDECODABLE:
		return refuse(
		    c, P_SAMPLE_UNDECODABLE, "The file's sound cannot be decoded.");
	case MEDIA_NO_AUDIO:
		return refuse(c, P_SAMPLE_NO_AUDIO, "The file has no audio stream.");
	case MEDIA_FINE:
		break;
	}
	return GO_ON;
}

static enum step
judge_speech(struct cloning *c, double speech_s)
{
	const struct pcm *pcm = &c->heard.pcm;
	const char *found = arena_printf(c->w->mem,
	    "%.1f s of speech in %.1f s of sound", floor(speech_s * 10) / 10,
	    floor((double)pcm->n * 10 / pcm->rate_hz) / 10);

	if (speech_s < SHORTEST_S)
		return refuse(c, P_SAMPLE_TOO_SHORT,
		    arena_printf(c->w->mem,
			"The sample has %s; at least %d s are needed.", found,
			SHORTEST_S));
	if (speech_s < SHORT_S)
		buf_str(
		    &c->warnings, problem_line(c->w->mem, P_SAMPLE_SHORT,
				      "The sample has %s; %d s or more are advised.",
				      found, SHORT_S));
	return GO_ON;
}

static enum err
decode_track(struct cloning *c, int track, struct pcm *pcm, struct media_info *info)
{
	const struct media_want want = { .mime_type = c->sample.mime_type,
		.rate_hz = RATE_HZ,
		.track = track,
		.denoise = c->voice.denoise,
		.normalise = c->voice.normalise };
	struct media_at at = { arena_printf(
				   c->w->mem, "%s/dragoman-media", c->w->conf->bin_dir),
		(int)c->w->conf->engine_timeout_ms };

	return media_decode(&at, c->w->mem, c->file.path, &want, pcm, info);
}

/*
 * Cameras and OBS put the microphone on a later track. Use the first track with enough
 * speech, or else the one with most.
 */
static enum err
choose_track(struct cloning *c, struct media_info *info, double *speech_s)
{
	enum err e = decode_track(c, 0, &c->heard.pcm, info);

	if (e != OK || info->verdict != MEDIA_FINE)
		return e;
	*speech_s = vad_speech_s(&c->heard.pcm);
	for (int track = 1; track < TRACKS && *speech_s < SHORTEST_S; track++) {
		struct media_info other;
		struct pcm pcm;
		double s;

		if ((e = decode_track(c, track, &pcm, &other)) != OK)
			return e;
		if (other.verdict == MEDIA_NO_AUDIO)
			break;
		if (other.verdict == MEDIA_FINE &&
		    (s = vad_speech_s(&pcm)) > *speech_s) {
			c->heard.pcm = pcm;
			*speech_s = s;
		}
	}
	return OK;
}

/* Decode the recording. From the moment the file is known to be good, the form cannot
   replace it. */
static enum step
decode(struct cloning *c)
{
	struct media_info info;
	double speech_s = 0;
	enum step s;
	enum err e;

	if ((e = choose_track(c, &info, &speech_s)) != OK)
		return again(c, "decoding the sample", e);
	if ((s = judge_content(c, &info)) != GO_ON ||
	    (s = judge_speech(c, speech_s)) != GO_ON)
		return s;
	e = blob_checked(c->w->db, c->sample.id, c->sample.file);
	return e != OK ? again(c, "a newer file has arrived", e) : GO_ON;
}

static void
describe_sample(struct cloning *c)
{
	c->heard.name = c->voice.name;
	c->heard.ref = c->voice.id;
	c->heard.description = c->voice.description;
	c->heard.lang = c->voice.lang;
}

/*
 * Clone the voice with our own engine. Without an engine it speaks as the default
 * voice.
 */
static enum step
make_own(struct cloning *c)
{
	struct engine_at at;
	const struct clone_engine *engine =
	    speech_cloner(c->w->conf, c->w->mem, OWN_PROVIDER, &at);
	enum err e;

	describe_sample(c);
	if (engine == NULL)
		return GO_ON;
	e = engine->clone(&at, c->w->mem, &c->heard, &c->voice.own_voice);
	if (e == ERR_REFUSED || e == ERR_UNSUPPORTED)
		return refuse(
		    c, P_CLONING_FAILED, "The cloning engine refused the sample.");
	return e != OK ? again(c, "cloning", e) : GO_ON;
}

/*
 * Clone the voice at the external provider, which is optional: after a few failed tries
 * the voice is ready without it.
 */
static enum step
make_external(struct cloning *c)
{
	struct engine_at at;
	const struct clone_engine *engine =
	    speech_cloner(c->w->conf, c->w->mem, EXTERNAL_PROVIDER, &at);
	enum err e;

	if (engine == NULL || c->voice.hidden)
		return GO_ON;
	e = engine->clone(&at, c->w->mem, &c->heard, &c->voice.external_voice);
	if (e == OK)
		return GO_ON;
	if ((e == ERR_BUSY || e == ERR_TIMEOUT) && c->tries < EXTERNAL_TRIES)
		return again(c, "the external provider", e);
	c->voice.external_voice = NULL;
	buf_str(&c->warnings, problem_line(c->w->mem, P_EXTERNAL_VOICE_FAILED,
				  "The external provider refused the voice."));
	return GO_ON;
}

/* Check the disk before engines are called. */
static enum step
find_room(struct cloning *c)
{
	enum err e = blob_room(c->w->conf, 0);

	return e != OK ? again(c, "storing the first sample", e) : GO_ON;
}

/*
 * Make the first sample, one for each provider that has the voice. If that fails, the
 * voice is ready without it. Only when the disk is full the job waits, because there
 * may be room later.
 */
static enum step
first_words(struct cloning *c, const char *provider)
{
	struct speech_want want = { provider, c->voice.lang,
		id_derived(c->w->mem, c->voice.id, provider) };
	enum err e = speech_make(
	    c->w->conf, c->w->mem, &c->voice, &want, &c->spoken[c->nspoken]);

	if (e == OK) {
		c->nspoken++;
		return GO_ON;
	}
	if (e == ERR_FULL)
		return again(c, "storing the first sample", e);
	log_warn("voice %s: first sample: %s", c->voice.id, err_name(e));
	buf_str(&c->warnings,
	    problem_line(c->w->mem, P_TTS_SAMPLE_FAILED, "%s",
		e == ERR_UNSUPPORTED ? "No engine speaks the voice's language."
				     : "The first TTS sample could not be made."));
	return GO_ON;
}

static enum err
forget_at(struct work *w, const char *account, const char *voice, const char *provider)
{
	const bool own = strcmp(provider, OWN_PROVIDER) == 0;
	const char *id = own ? w->conf->speech_clone : w->conf->speech_external;
	const char *ref = arena_printf(w->mem, "%s/" CLONE_NAME, id, voice), *name;
	struct engine_at at;

	return speech_holder(w->conf, w->mem, ref, &at, &name) == NULL
		   ? OK
		   : queue_add(w->db, w->mem, "voice.forget", account, ref);
}

/* Queue the removal of copies that may exist of a deleted or failed voice. */
static enum err
forget_made(struct work *w, const char *account, const char *voice)
{
	enum err e = forget_at(w, account, voice, OWN_PROVIDER);

	return e != OK ? e : forget_at(w, account, voice, EXTERNAL_PROVIDER);
}

static enum step
finish(struct cloning *c)
{
	enum err e;

	c->voice.warnings = buf_text(&c->warnings);
	if ((e = db_begin(c->w->db, c->voice.account)) != OK)
		return again(c, "finishing", e);
	if ((e = voice_ready(c->w->db, &c->voice)) == ERR_NOT_FOUND) {
		e = forget_made(c->w, c->voice.account, c->voice.id);
		return e != OK ? again(c, "finishing", e) : GO_ON;
	}
	for (int i = 0; i < c->nspoken && e == OK; i++)
		e = speech_store(c->w->db, &c->spoken[i]);
	if (e == OK)
		e = webhook_voice(
		    c->w->db, c->w->mem, c->w->conf, c->voice.account, c->voice.id);
	return e != OK ? again(c, "finishing", e) : GO_ON;
}

static enum step
make(struct cloning *c)
{
	enum step s;

	if ((s = open_sample(c)) != GO_ON || (s = decode(c)) != GO_ON ||
	    (s = find_room(c)) != GO_ON || (s = make_own(c)) != GO_ON ||
	    (s = make_external(c)) != GO_ON ||
	    (s = first_words(c, OWN_PROVIDER)) != GO_ON)
		return s;
	if (c->voice.external_voice != NULL &&
	    (s = first_words(c, EXTERNAL_PROVIDER)) != GO_ON)
		return s;
	return finish(c);
}

static enum job_end
clone_voice(struct work *w, const struct job *jb, const char **why)
{
	struct cloning c = { .w = w, .warnings.mem = w->mem, .tries = jb->tries };
	enum err e;

	e = voice_making(w->db, w->mem, jb->ref, &c.voice);
	if (e == OK && strcmp(c.voice.status, "pending") != 0)
		return JOB_DONE; /* created before */
	if (e == ERR_NOT_FOUND && (e = db_begin(w->db, jb->account)) == OK &&
	    (e = forget_made(w, jb->account, jb->ref)) == OK)
		return JOB_DONE;
	if (e == OK)
		e = blob_get(w->db, w->mem, c.voice.sample, &c.sample);
	if (e != OK) {
		*why = err_name(e);
		return job_failed(e);
	}
	if (make(&c) != AGAIN)
		return JOB_DONE;
	*why = c.why;
	return c.end;
}

static enum err
give_up(struct work *w, const struct job *jb, const char *why)
{
	enum err e = fail_voice(w, jb->account, jb->ref,
	    problem_line(w->mem, P_CLONING_FAILED, "It failed too often."));

	(void)why;
	return e == OK || e == ERR_NOT_FOUND ? forget_made(w, jb->account, jb->ref) : e;
}

/* Delete the copy of a deleted voice that a server has. */
static enum job_end
forget(struct work *w, const struct job *jb, const char **why)
{
	struct engine_at at;
	const char *name;
	const struct clone_engine *engine =
	    speech_holder(w->conf, w->mem, jb->ref, &at, &name);
	enum err e = ERR_UNSUPPORTED;

	if (engine != NULL)
		e = engine->drop(&at, w->mem, name);
	*why = err_name(e);
	if (e == OK)
		return JOB_DONE;
	return e == ERR_BUSY || e == ERR_TIMEOUT ? JOB_RETRY : JOB_DEAD;
}

static const struct job_kind kinds[] = {
	{ "voice.clone", clone_voice, give_up, .lease_s = 600, .tries = 6 },
	{ "voice.forget", forget, NULL, .lease_s = 120, .tries = 12 },
	{ "voice.forget_live", forget, NULL, .lease_s = 120, .tries = 12 },
	{ NULL },
};

#ifndef UNIT_TEST
int
main(int argc, char **argv)
{
	static const struct worker is = { "voice_clone", kinds, NULL, node_is_fit };

	return work(&is, argc, argv);
}
#endif
