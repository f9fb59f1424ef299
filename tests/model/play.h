/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MODEL_PLAY_H
#define MODEL_PLAY_H

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "../e2e/world.h"
#include "model.h"

/*
 * A client: a process with random operations that knows the required result of each.
 * Each record belongs to one client, so its state follows from that client's
 * operations. Clients share only the limits of the plan, a glossary in which all count,
 * and an event in which each client changes a field of its own.
 */
#define ACCOUNTS 2
#define CLIENTS_EACH 3
#define CLIENTS (ACCOUNTS * CLIENTS_EACH)

/* Plan values, small enough to be hit again and again. */
enum quota { VOICES, GLOSSARIES, SESSIONS, QUOTAS };
#define LANGUAGES 4

/*
 * A limit of the plan. The true number lies between low and high; started and dropped
 * only grow, so that a client sees what others did while it waited.
 */
struct places {
	int limit;
	atomic_int low, high, started, dropped;
};

struct team {
	struct places places[QUOTAS];
	atomic_int counted, doubtful; /* the common counter */
	char counter[40], forum[40];  /* the shared glossary and event */
};

/* State that the processes of a run share. */
struct run {
	uint64_t seed;
	double until;     /* when the clients pause; see seconds() */
	atomic_int round; /* they continue when it grows */
	/* number of clients that have written down their expected records */
	atomic_int paused;
	atomic_bool deadly; /* programs are being killed, so an answer may be lost */
	atomic_long asked, lost, refused, replayed, stale;
	struct team team[ACCOUNTS];
};

#define PAST 12
struct past {
	char line[PAST][200];
	int n;
};

struct thing {
	enum kind kind;
	char id[80];
	json_t *is; /* as it must be read */
	/* alternative state, once a worker has done its work; NULL: no work */
	json_t *then;
	int version; /* version in its ETag; 0: it may have grown unseen */
	bool fading; /* a worker removes it */
	double born;
	json_t *asked;    /* event: requests by "channel language" */
	json_t *heard;    /* event: listeners, by "listener language" */
	const char *file; /* glossary: the uploaded file */
	json_t *target;   /* voice: the target of its sample */
	bool hidden;
	int bytes; /* upload or sample: size in bytes; 0: there is no file */
	struct past past;
};

#define THINGS 64
struct client {
	struct run *run;
	struct team *team;
	struct account as;
	int number, made;
	uint64_t dice;
	struct thing thing[THINGS];
	int things;
	/* the value that this client last wrote into the shared event, or "" */
	char own[64];
	bool own_lost;
	struct past past;
	json_t *read;      /* answers received until the operation is done */
	char gone[8][160]; /* paths */
	int gones;
};

/* ---- at random ---- */

unsigned roll(struct client *, unsigned n); /* 0 to n - 1 */
#define CHANCE(c, percent) (roll(c, 100) < (percent))
#define ONE_OF(c, list) ((list)[roll(c, sizeof(list) / sizeof((list)[0]))])
/* Returns a random record of this kind that is not fading, or NULL. */
struct thing *pick(struct client *, enum kind);
int count_of(const struct client *, enum kind);

/* ---- asking ---- */

/* Print the expected and the seen record, the seed and the operations on the thing;
   exit. */
_Noreturn void disagree(const struct client *, const struct thing *,
    const struct answer *, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Operations, with the kind of record that they need (NULL: none). */
struct answer call(struct client *, struct thing *, const struct ask *);
#define CALL(c, t, ...) call(c, t, &(const struct ask){ .as = &(c)->as, __VA_ARGS__ })
/* True if the answer was lost because its program was killed. */
bool lost(struct client *, const struct answer *);
/* Repeats a request until it is answered; *again: an earlier answer was lost. */
struct answer insist(struct client *, struct thing *, const struct ask *, bool *again);
/* Returns the status; a problem must have this slug, otherwise disagree. */
void must(struct client *, struct thing *, const struct answer *, int status,
    const char *slug);

/* ---- things ---- */

const char *path_of(const struct thing *);
struct thing *thing_new(struct client *, enum kind, const char *id);
time_t time_at(const json_t *record, const char *member);
/*
 * Create a record; data and prediction are consumed. NULL: the plan had no place left,
 * or the request was refused with slug, as required.
 */
struct thing *make(struct client *, enum kind, json_t *data, json_t *is);
struct thing *make_at_path(
    struct client *, enum kind, const char *path, json_t *data, json_t *is);
void refused(
    struct client *, const char *path, json_t *data, int status, const char *slug);
/* Change a record, with or without If-Match; data is consumed. */
void change(struct client *, struct thing *, json_t *data);
/* Send a change that must be refused. */
void change_badly(
    struct client *, struct thing *, json_t *data, int status, const char *slug);
/* Read the record and compare. */
void look(struct client *, struct thing *);
void drop(struct client *, struct thing *);
void forget(struct client *, struct thing *);
/* Compare a record with the prediction; pending changes of workers may be visible. */
void compare(struct client *, struct thing *, const struct answer *, json_t *seen);
/* An event's channels, oldest first. */
json_t *channels_of(const struct client *, const struct thing *event);
void gather(const struct client *, struct thing *event);
/* Wait for the result that a worker must reach; both are consumed. */
void await_worker(struct thing *, json_t *now, json_t *then);

/* Take and free a place of the plan; see struct places. */
struct span {
	int high, started, low, dropped;
};
struct span place_asked(struct client *, enum quota);
/* True if a request with this place was answered; disagree if it could not be. */
void place_answered(struct client *, enum quota, const struct span *,
    const struct answer *, bool given);
void place_leaving(struct client *, enum quota);
void place_left(struct client *, enum quota);
int quota_of(enum kind); /* -1: none */

/* ---- a client's life ---- */

void play(struct client *); /* Work until run->until. */
/*
 * Write the client's expected records into that file, for the check at a quiet point.
 */
void tell(const struct client *);
#define KNOWN_BY(client) text("%s/var/model-%d.json", instance()->dir, client)

struct deed {
	void (*run)(struct client *);
	int weight;
};
extern const struct deed deeds_of_things[], deeds_of_events[], deeds_of_listeners[],
    deeds_of_all[];

/* The client's event to which the channel belongs, or NULL. */
struct thing *event_of(struct client *, const json_t *channel);
/*
 * True if a worker is changing one of its channels; their languages are then uncertain.
 */
bool has_worker(struct client *, const struct thing *event);
/* Distinct languages of the event's channels (NULL: none), with new in place of old. */
size_t languages_with(
    const struct client *, const struct thing *event, const json_t *old, json_t *new);
#define LANGUAGE_CODES "de", "fr", "es", "it", "pt", "uk"

/* ---- a quiet point ---- */

/* Check all records of the accounts against the clients' expected records. */
void check_everything(struct run *, const struct account *, int credits);

#endif
