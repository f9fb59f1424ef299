/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_WORLD_H
#define E2E_WORLD_H

#include "client.h"

/*
 * The environment of cases: accounts made by the operator's command, recordings, upload
 * forms, voices, and the database.
 */

/* ---- the operator ---- */

/* Runs a program; returns its standard output. The case fails when the program does. */
struct bytes run(const char *const argv[]);
/* Runs the operator's command on this instance, with --json; returns its output. */
const char *dragoman(const char *const args[]);
#define DRAGOMAN(...) dragoman((const char *const[]){ __VA_ARGS__, NULL })
struct account account_new(const char *name);
/* Another credential of the account with these scopes only. */
struct account account_limited(const struct account *, const char *scopes);
void account_plan(const struct account *, const char *option, const char *value);

/* ---- files ---- */

/* The path of a file that tests/e2e/recordings made, such as "speech.wav". */
struct bytes recording(const char *name);
/* A WAV of noise with exactly this many bytes. */
struct bytes wav_of(size_t bytes);
struct bytes same_bytes_of(char c, size_t n);
const char *sha256_of(struct bytes);
/* Measures the level of a sound file, 0 to 1, and its duration, after ffmpeg has
   decoded it. */
struct sound {
	double rms, seconds;
} sound_of(struct bytes);

/* ---- forms (form.c) ---- */

struct part {
	const char *name, *filename, *type; /* a field has no filename and no type */
	struct bytes value;
};

struct form {
	const char *url;
	struct part part[24];
	int n;
};

/* One target of /saas/upload. */
json_t *target_new(const struct account *, const char *mime_type);
/* Returns the target's form with the file at its end. */
struct form form_of(const json_t *target, struct bytes file);
void form_add(struct form *, const char *name, const char *value);
void form_set(struct form *, const char *name, const char *value);
void form_drop(struct form *, const char *name);
void form_first(struct form *, const char *name); /* moved to the front */
const char *form_value(const struct form *, const char *name);
#define FORM_TYPE "multipart/form-data; boundary=e2eBoundaryOfTheseTests"
struct bytes form_bytes(const struct form *);
struct answer form_send(const struct form *);
/* Uploads and expects 201; returns the id of the blob. */
const char *upload(const struct account *, const char *mime_type, struct bytes);
/* A form signed here, with this age in seconds and parts of its policy to damage. */
struct form form_aged(const char *account, const char *blob_id, int age_s);
/* As form_of(), with the condition on success_action_status changed or removed. */
struct form form_status(const json_t *target, struct bytes file, const char *status);

/* ---- voices ---- */

struct clone {
	const struct account *as;
	const char *name; /* NULL: "Anna (stage)" */
	const char *type; /* NULL: audio/wav */
	const char *lang; /* NULL: en-us */
	const char *more; /* further members of data, ",\"description\":\"x\"" */
	const char *key;  /* Idempotency-Key, or NULL */
};
#define CLONE(...) clone_voice(&(const struct clone){ __VA_ARGS__ })
struct answer clone_voice(const struct clone *);
/* Clones and uploads, and expects success; returns the voice's id. */
const char *clone_with(const struct clone *, struct bytes sample);
struct answer voice_read(const struct account *, const char *id);
/* Seconds that a voice takes at most on a busy machine. */
#define VOICE_S 180
/* Polls until the record has this status; returns it. */
json_t *voice_await(const struct account *, const char *id, const char *status);
/* A ready voice, made once per account and process from speech.wav. */
const char *voice_made(const struct account *);

/* ---- the database ---- */

/* Returns the number that a query selects; $1 is id. */
struct sql;
int64_t count_in_db(const struct sql *, const char *id);
void change_db(const struct sql *, const char *id);
const struct conf *settings(void);
/* Factor for the time limits of cases, which hold for an idle machine. */
#define PATIENCE 5
/* Polls until the condition is true; false after this many seconds x PATIENCE. */
bool becomes(bool (*)(const void *), const void *, double s);

#endif
