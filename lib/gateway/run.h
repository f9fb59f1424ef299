#ifndef GATEWAY_RUN_H
#define GATEWAY_RUN_H

#include "gateway/gate.h"
#include "speech/registry.h"
#include "speech/say_voice.h"
#include "stream/gloss.h"
#include "stream/playback.h"
#include "stream/sound_in.h"
#include "stream/task.h"

/*
 * A task at work.  One actor hears, and one for each target translates and
 * speaks:
 *
 *	run_hear() -> ears: sound -> phrases -> recogniser -> glossaries
 *	                 \-> mouth: terms -> translation -> speech -> chunks
 *	                  \-> mouth ...
 *
 * What they have to say comes back to the sockets' thread, in struct said.  All
 * functions here are that thread's.
 */
struct run;
struct room;

/* A voice of the account that the task names, or one of everybody's. */
struct run_voice {
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

/* What a task needs besides itself.  All of it lives in mem, which the run frees. */
struct run_want {
	struct arena *mem;
	struct task task;
	const char *account;
	const char *media;   /* name of the room at a media server, of TASK_WEBRTC */
	struct gloss *gloss; /* NULL: there are no glossaries */
	bool truncated;      /* they had too many entries */
	struct run_voice *voices;
	size_t nvoices;
	struct registry *registry; /* held for it */
	bool instead;     /* of a run that hears: there is a place for its recogniser */
	int64_t heard_us; /* of sound that the stream had before, for its times; */
	int64_t epoch_us; /* unix time of its first chunk; run_begin() knows better */
	/* Of an STT socket: */
	const struct sound_format *sound; /* NULL: the task says it */
	const char *file;                 /* what a child decodes; NULL: sound counts */
	bool flat;                        /* its messages are those of section 12 */
	bool unfilled;                    /* hesitations are left out */
};

enum said_kind {
	SAID_READY,  /* the recogniser is open, the translators have answered once */
	SAID_FAILED, /* there is none, or the last one failed too often; text: why,
			NULL: nothing more is known */
	SAID_TEXT,   /* a message */
	SAID_GROUP, /* a phrase, or a part of it, will be spoken; text: its empty end */
	SAID_CHUNK, /* and this is more of that */
	SAID_ORIGINAL, /* and one with sound as it came in, see run_original() */
	SAID_ECHO,     /* all that run_echo() came behind is said */
	SAID_GONE,     /* the run is no more */
};

/* When what happened to a phrase, monotonic_us(). */
struct said_times {
	const char *id; /* of the phrase, or sound; NULL: none of this is to be told */
	int64_t voiced_us; /* the sound with the last of its speech came */
	int64_t validated_us, translated_us, spoken_us, sent_us;
};

struct said {
	struct errand errand;
	struct room *room;
	struct run *run;
	enum said_kind kind;
	int target;       /* of the task; -1: the source, or all */
	int starred;      /* enum task_say; -1: is always sent */
	const char *text; /* the message */
	size_t n;
	bool final;      /* a text that is counted as one of the task's */
	int epoch;       /* of its target when it was asked for, see run_epoch() */
	struct said *of; /* CHUNK: its group */
	bool came, told; /* GROUP: its last chunk has come; its end has left */
	struct said_times times; /* GROUP */
	struct play_group group;
	struct play_chunk chunk;
	const int16_t *pcm; /* CHUNK of a task at a media server: its sound */
	size_t npcm;
};

/* The room's: what the run says is told to it by errands that run this. */
struct run *run_start(struct gate *, struct room *, struct run_want *,
    void (*told)(struct gate *, struct errand *));
const struct task *run_task(const struct run *);
/* What is heard of one target's speech, for its tempo. */
void run_level(struct run *, int target, int64_t ms);

/*
 * Where its sound begins in the stream: so much was heard before, and the unix time
 * of the first chunk of all.  Before its first run_hear().
 */
void run_begin(struct run *, int64_t before_us, int64_t epoch_us);
/* sound_us: how much it is, as far as that can be told. */
void run_hear(struct run *, const void *, size_t n, int64_t sound_us);
/*
 * Whether the sound that comes from now on is said as it is: SAID_ORIGINAL, 200 ms
 * each, a group of its own from here to where it is switched off or the run leaves.
 * Off at first; may be asked for at any time.
 */
void run_original(struct run *, bool);
/* The phrase in the recogniser ends here. */
void run_cut(struct run *);
/* The same; the final text that answers it ends with STT_FIN, or is it. */
void run_finalize(struct run *);
/* A text is spoken as a phrase of its own; translate: to every target. */
void run_speak(struct run *, const char *text, const char *language, bool translate);
/* What was not said yet is dropped; target -1: of all, and the running phrase. */
void run_flush(struct run *, int target);
/* Counts the flushes: what a target was to say in an earlier epoch is stale. */
int run_epoch(const struct run *, int target);
/* The phrase ends; when all is said that was heard until now, SAID_ECHO, until which
   there is no other. */
void run_echo(struct run *);
/*
 * It hears no more; what it has to say still comes, SAID_GONE last.  drop: nothing
 * more is wanted of it.
 */
void run_leave(struct run *, bool drop);
void run_free(struct run *); /* after SAID_GONE */
/* Sound that is not recognised yet; an estimate where nobody told how much it is. */
int64_t run_backlog_us(const struct run *);
/* When the last sound with speech in it came, monotonic_us(); 0: none has. */
int64_t run_voiced_us(const struct run *);
/*
 * How far it is behind the speaker.  Over RUN_BEHIND_US it drops partial
 * translations, then partial texts, then speech.
 */
#define RUN_BEHIND_US INT64_C(3000000)
void run_behind(struct run *, int64_t us);
/* Whether it has a recogniser that is open. */
bool run_hears(const struct run *);
/* How much sound has been heard in all. */
int64_t run_decoded_us(const struct run *);

#endif
