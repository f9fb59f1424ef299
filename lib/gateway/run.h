#ifndef GATEWAY_RUN_H
#define GATEWAY_RUN_H

#include "gateway/gate.h"
#include "speech/registry.h"
#include "speech/say_voice.h"
#include "stream/gloss.h"
#include "stream/playback.h"
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

/* What a task needs besides itself.  All of it lives in mem, which the run frees. */
struct run_want {
	struct arena *mem;
	struct task task;
	const char *account;
	struct gloss *gloss; /* NULL: there are no glossaries */
	bool truncated;      /* they had too many entries */
	struct run_voice *voices;
	size_t nvoices;
	struct registry *registry; /* held for it */
	int64_t heard_us; /* of sound that the stream had before, for its times */
	int64_t epoch_us; /* unix time of its first chunk */
};

enum said_kind {
	SAID_READY,  /* the recogniser is open */
	SAID_FAILED, /* there is none, or the last one failed too often */
	SAID_TEXT,   /* a message */
	SAID_GROUP, /* a phrase, or a part of it, will be spoken; text: its empty end */
	SAID_CHUNK, /* and this is more of that */
	SAID_ECHO,  /* all that run_echo() came behind is said */
	SAID_GONE,  /* the run is no more */
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
	struct said *of; /* CHUNK: its group */
	bool came, told; /* GROUP: its last chunk has come; its end has left */
	struct play_group group;
	struct play_chunk chunk;
};

/* The room's: what the run says is told to it by errands that run this. */
struct run *run_start(struct gate *, struct room *, struct run_want *,
    void (*told)(struct gate *, struct errand *));
const struct task *run_task(const struct run *);
/* What is heard of one target's speech, for its tempo. */
void run_level(struct run *, int target, int64_t ms);

void run_hear(struct run *, const void *, size_t n, int64_t now_us);
/* The phrase in the recogniser ends here. */
void run_cut(struct run *);
/* A text is spoken as a phrase of its own; translate: to every target. */
void run_speak(struct run *, const char *text, const char *language, bool translate);
/* What was not said yet is dropped; target -1: of all, and the running phrase. */
void run_flush(struct run *, int target);
/* The phrase ends; when all is said that was heard until now, SAID_ECHO. */
void run_echo(struct run *);
/*
 * It hears no more; what it has to say still comes, SAID_GONE last.  drop: nothing
 * more is wanted of it.
 */
void run_leave(struct run *, bool drop);
void run_free(struct run *); /* after SAID_GONE */
/* Sound that is not recognised yet. */
int64_t run_backlog_us(const struct run *);

#endif
