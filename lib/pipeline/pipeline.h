#ifndef PIPELINE_PIPELINE_H
#define PIPELINE_PIPELINE_H

#include <stdatomic.h>

#include "audio/audio_decoder.h"
#include "base/conf.h"
#include "pipeline/glossary.h"
#include "pipeline/playback.h"
#include "pipeline/thread_call.h"
#include "protocol/task.h"
#include "speech/registry.h"
#include "speech/voice_select.h"

/*
 * A task at work.  One actor hears, and one for each target translates and
 * speaks:
 *
 *	pipeline_feed() -> the recognizer: sound -> phrases -> recogniser -> glossaries
 *	                 \-> synthesizer: terms -> translation -> speech -> chunks
 *	                  \-> synthesizer ...
 *
 * What they have to say comes back to the event loop, in struct said.  All
 * functions here are that thread's.
 */
struct pipeline;
struct session;

/* A voice of the account that the task names, or one of everybody's. */
struct pipeline_voice {
	const char *id;
	struct voice_found found;
};

/* What was warned of: none repeats for one cause within ten seconds. */
#define WARNINGS 8
struct warned {
	struct warning {
		const char *code; /* a literal */
		int64_t at_us;
	} last[WARNINGS];
};

/* Whether it may be told again; then it counts as told. */
bool warned_due(struct warned *, const char *code, int64_t now_us);

/* What a task needs besides itself.  All of it lives in mem, which the pipeline frees.
 */
struct pipeline_config {
	struct arena *mem;
	struct task task;
	const char *account;
	const char *media; /* name of the session at a media server, of TASK_WEBRTC */
	struct glossary_index *glossary; /* NULL: there are no glossaries */
	bool truncated;                  /* they had too many entries */
	struct pipeline_voice *voices;
	size_t nvoices;
	struct registry *registry; /* held for it */
	bool
	    instead; /* of a pipeline that hears: there is a place for its recogniser */
	int64_t heard_us; /* of sound that the stream had before, for its times; */
	int64_t
	    epoch_us; /* unix time of its first chunk; pipeline_begin() knows better */
	/* Of an STT socket: */
	const struct audio_format *sound; /* NULL: the task says it */
	const char *file;                 /* what a child decodes; NULL: sound counts */
	bool flat;                        /* its messages are those of section 12 */
	bool unfilled;                    /* hesitations are left out */
};

enum pipeline_event_kind {
	PIPELINE_READY, /* the recogniser is open, the translators have answered once */
	PIPELINE_FAILED, /* there is none, or the last one failed too often; text: why,
			NULL: nothing more is known */
	PIPELINE_TEXT,   /* a message */
	PIPELINE_GROUP,  /* a phrase, or a part of it, will be spoken; text: its empty
			    end */
	PIPELINE_CHUNK,  /* and this is more of that */
	PIPELINE_PASSTHROUGH, /* and one with sound as it came in, see
				 pipeline_passthrough() */
	PIPELINE_DRAINED,     /* all that pipeline_drain() came behind is said */
	PIPELINE_GONE,        /* the pipeline is no more */
};

/* When what happened to a phrase, monotonic_us(). */
struct pipeline_times {
	const char *id; /* of the phrase, or sound; NULL: none of this is to be told */
	int64_t voiced_us; /* the sound with the last of its speech came */
	int64_t validated_us, translated_us, spoken_us, sent_us;
};

struct pipeline_event {
	struct thread_call call;
	struct session *session;
	struct pipeline *pipeline;
	enum pipeline_event_kind kind;
	int target;       /* of the task; -1: the source, or all */
	int starred;      /* enum task_output; -1: is always sent */
	const char *text; /* the message */
	size_t n;
	bool final;                /* a text that is counted as one of the task's */
	int generation;            /* of its target when it was asked for, see
				      pipeline_generation() */
	struct pipeline_event *of; /* CHUNK: its group */
	bool came, told; /* GROUP: its last chunk has come; its end has left */
	struct pipeline_times times; /* GROUP */
	struct playback_group group;
	struct playback_chunk chunk;
	const int16_t *pcm; /* CHUNK of a task at a media server: its sound */
	size_t npcm;
};

/* What a pipeline has of its surroundings; all of it outlives the pipeline. */
struct pipeline_host {
	const struct conf *conf;
	struct pool *pool;      /* threads of its actors */
	struct mailbox *events; /* to its owner's thread: struct pipeline_event, */
	void (*report)(
	    struct gateway *, struct thread_call *); /* which this receives */
};

struct pipeline *pipeline_start(
    const struct pipeline_host *, struct session *, struct pipeline_config *);
const struct task *pipeline_task(const struct pipeline *);
/* What is heard of one target's speech, for its tempo. */
void pipeline_level(struct pipeline *, int target, int64_t ms);

/*
 * Where its sound begins in the stream: so much was heard before, and the unix time
 * of the first chunk of all.  Before its first pipeline_feed().
 */
void pipeline_begin(struct pipeline *, int64_t before_us, int64_t epoch_us);
/* sound_us: how much it is, as far as that can be told. */
void pipeline_feed(struct pipeline *, const void *, size_t n, int64_t sound_us);
/*
 * Whether the sound that comes from now on is said as it is: PIPELINE_PASSTHROUGH, 200
 * ms each, a group of its own from here to where it is switched off or the pipeline
 * leaves. Off at first; may be asked for at any time.
 */
void pipeline_passthrough(struct pipeline *, bool);
/* The phrase in the recogniser ends here. */
void pipeline_cut(struct pipeline *);
/* The same; the final text that answers it ends with STT_FIN, or is it. */
void pipeline_finalize(struct pipeline *);
/* A text is spoken as a phrase of its own; translate: to every target. */
void pipeline_speak(
    struct pipeline *, const char *text, const char *language, bool translate);
/* What was not said yet is dropped; target -1: of all, and the running phrase. */
void pipeline_flush(struct pipeline *, int target);
/* Counts the flushes: what a target was to say in an earlier epoch is stale. */
int pipeline_generation(const struct pipeline *, int target);
/* The phrase ends; when all is said that was heard until now, PIPELINE_DRAINED, until
   which there is no other. */
void pipeline_drain(struct pipeline *);
/*
 * It hears no more; what it has to say still comes, PIPELINE_GONE last.  drop: nothing
 * more is wanted of it.
 */
void pipeline_leave(struct pipeline *, bool drop);
void pipeline_free(struct pipeline *); /* after PIPELINE_GONE */
/* Sound that is not recognised yet; an estimate where nobody told how much it is. */
int64_t pipeline_backlog_us(const struct pipeline *);
/* When the last sound with speech in it came, monotonic_us(); 0: none has. */
int64_t pipeline_voiced_us(const struct pipeline *);
/*
 * How far it is behind the speaker.  Over PIPELINE_BEHIND_US it drops partial
 * translations, then partial texts, then speech.
 */
#define PIPELINE_BEHIND_US INT64_C(3000000)
void pipeline_behind(struct pipeline *, int64_t us);
/* Whether it has a recogniser that is open. */
bool pipeline_recognizes(const struct pipeline *);
/* How much sound has been heard in all. */
int64_t pipeline_decoded_us(const struct pipeline *);

#endif
