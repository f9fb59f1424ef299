/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_VOICES_H
#define STORE_VOICES_H

#include "db/db.h"
#include "store/cursor.h"

struct labels { /* each is a name of the label's table, or NULL */
	const char *gender, *age_group, *mood;
};

/* A spoken sample of a voice in one language. */
struct tts_sample {
	const char *voice;
	/* the account of the voice; the nil uuid for a built-in one */
	const char *account;
	const char *provider;
	const char *blob;
	const char *url; /* the blob's id, until a program signs the address */
	struct {
		const char *format, *codec;
		double duration_s;
		const char *mime_type;
	} audio;
	struct {
		const char *content, *lang;
	} text;
	const char *model, *filename, *mime_type, *display_name;
	int64_t created_us;
};

struct voice {
	const char *id;
	const char *account; /* NULL: built-in */
	int64_t created_us, updated_us;
	const char *name;
	const char *description; /* or NULL */
	const char *type;        /* instantly_cloned, instantly_cloned_builtin */
	const char *status;      /* created, pending, ready, failed */
	struct {
		struct list warnings, errors; /* set by voice_fill_view() */
	} result;
	struct labels labels;
	const char *lang;       /* L1 code of the sample's language */
	bool external;          /* the external provider has a copy */
	const char *attributes; /* JSON array of texts */
	bool favorite;          /* the caller's favorite */
	struct tts_sample sample;
	const char *warnings, *errors; /* problem lines, as stored */
	int64_t version;
};

/* A new voice. */
struct voice_new {
	struct voice voice;
	bool hidden, denoise, normalise;
	const char *sample;    /* blob of the recording */
	const char *own_voice; /* result of the cloning engine, or NULL */
};

/* The input of clients that clone or change a voice. */
struct sample_in {
	const char *filename, *mime_type, *lang, *display_name, *description, *item_id;
	bool denoise, normalise;
};

struct voice_in {
	struct voice voice;     /* name, description, labels */
	struct list attributes; /* const char * */
	struct list samples;    /* struct sample_in */
	bool hidden;
};

struct voice_query {
	bool builtin;
	bool hidden;
	struct list_cursor from;
	const char *search; /* or NULL */
	struct list gender, age_group, mood,
	    provider;     /* const char *; one of them must match */
	const char *lang; /* or NULL */
	int64_t favorite; /* 1: favorites, 0: others, NULL_INT: both */
};

struct voice_page {
	struct list voices; /* struct voice */
	/* If fewer voices than requested fit the filters: the position at which the
	   search continues; rest_us NULL_INT: there are no more. */
	int64_t rest_us;
	const char *rest_id;
};

struct voice_limits {
	int64_t created, pending, ready, failed, total, limit, remaining;
};

extern const struct field voice_fields[], sample_fields[], label_fields[];
extern const struct field voice_limit_fields[];
extern const struct field voice_clone_fields[]; /* all of struct voice_in */
extern const struct field voice_edit_fields[];  /* all but samples and hidden */
/* A single label, as an item of a list. */
extern const struct field gender_label[], age_label[], mood_label[];
extern const struct sql voice_sql[];

/* Set warnings and errors from the stored problem lines. */
void voice_fill_view(struct arena *, struct voice *, const char *base_url);

enum err voice_add(struct db *, struct arena *, struct voice_new *) MUST_CHECK;
enum err voice_count(struct db *, const char *account, int64_t *) MUST_CHECK;

/* Read or list the account's own voices and built-in ones, with its favorites. */
enum err voice_get(struct db *, struct arena *, const char *account, const char *id,
    struct voice *) MUST_CHECK;
enum err voice_list(struct db *, struct arena *, const char *account,
    const struct voice_query *, struct voice_page *) MUST_CHECK;
/* Store name, description, labels and attributes; sets version and updated_us. */
enum err voice_put(struct db *, struct arena *, struct voice *) MUST_CHECK;
/* Delete the voice with its samples, marks and blobs. */
enum err voice_drop(struct db *, const char *account, const char *id) MUST_CHECK;
enum err voice_drop_all(struct db *, const char *account) MUST_CHECK;
/* plan: most voices of the account; 0: no limit. */
enum err voice_limits(struct db *, struct arena *, const char *account, int64_t plan,
    struct voice_limits *) MUST_CHECK;
/* The names of one voice, or of all (id NULL), at the servers that made them, as struct
   voice_copy.  A voice of the engine profile has no name there. */
struct voice_copy {
	const char *own, *external; /* at speech.clone and speech.external, or NULL */
};
enum err voice_copies(struct db *, struct arena *, const char *account, const char *id,
    struct list *) MUST_CHECK;
/* Mark or unmark as favorite; may be repeated. */
enum err voice_favorite(
    struct db *, const char *account, const char *id, bool) MUST_CHECK;

/* List the TTS samples of the account's own voices. */
enum err sample_list(struct db *, struct arena *, const char *account,
    const struct list_cursor *, struct list *) MUST_CHECK;

/*
 * Read what tasks of the account need to speak with a ready voice, its own or a
 * built-in one: the cloning engine's result and the name at the external provider, each
 * or NULL.
 */
enum err voice_spoken(struct db *, struct arena *, const char *account, const char *id,
    const char **own_voice, const char **external_voice) MUST_CHECK;

/* ---- processing ---- */

/*
 * How a voice is processed:
 *
 *	created --recording arrives--> pending --engines--> ready
 *	   +-------- no file in time, or refused ---------> failed
 */
struct voice_processing {
	const char *id, *account, *name, *description, *status, *lang;
	bool hidden, denoise, normalise;
	const char *sample;         /* blob of the recording */
	const char *own_voice;      /* result of the cloning engine, or NULL */
	const char *external_voice; /* at the external provider, or NULL */
	const char *warnings;       /* problem lines */
};

extern const struct sql voice_processing_sql[];

/* Change the status from created to pending. ERR_NOT_FOUND: deleted, or no longer
   created. */
enum err voice_arrived(struct db *, const char *id) MUST_CHECK;
enum err voice_making(
    struct db *, struct arena *, const char *id, struct voice_processing *) MUST_CHECK;
/*
 * Change the status from pending to ready, with the results of the engines.
 * ERR_NOT_FOUND: deleted meanwhile.
 */
enum err voice_ready(struct db *, const struct voice_processing *) MUST_CHECK;
/* Change the status from created or pending to failed, with these problem lines.
   ERR_NOT_FOUND: deleted, or in another status. */
enum err voice_failed(struct db *, const char *id, const char *errors) MUST_CHECK;
/* List struct voice_processing that were created before before_us and still wait for
   the file. */
enum err voice_late(
    struct db *, struct arena *, int64_t before_us, int n, struct list *) MUST_CHECK;

/* Lock a voice while a TTS sample is made. until_us identifies the lock and is its end,
   in case the process is killed.  ERR_CONFLICT: another process has the lock. */
enum err voice_lock(struct db *, const char *id, int64_t until_us) MUST_CHECK;
enum err voice_unlock(struct db *, const char *id, int64_t until_us) MUST_CHECK;

/* Add a sample, whose blob must exist. */
enum err sample_add(struct db *, const struct tts_sample *) MUST_CHECK;
/* Delete a voice's samples and mark their blobs as gone. */
enum err sample_drop_all(
    struct db *, const char *account, const char *voice) MUST_CHECK;

#endif
