#ifndef BASE_CONF_H
#define BASE_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"

/* A voice of an engine: what the API calls it, what the engine does. */
struct conf_voice {
	const char *id, *name;
	struct conf_voice *next;
};

/* A section [engine.ID]; "": not set. */
struct conf_engine {
	const char *id;
	const char *kind;
	const char *url; /* no slash at its end */
	const char *key;
	const char *model;
	const char *languages; /* codes, with blanks between them */
	const char *lines;     /* of kind script: with line ends between them */
	int64_t timeout_ms;    /* 0: not set */
	struct conf_voice *voices;
	struct conf_engine *next;
};

/* A setting of a section that is a text. */
struct conf_engine_key {
	const char *name;
	size_t at; /* offsetof() in struct conf_engine */
	const char *meaning;
	bool secret;
};

extern const struct conf_engine_key conf_engine_keys[]; /* up to one without a name */

/*
 * The settings of one installation: read once per program, never changed.
 * Their meaning, limits and defaults are told by the table in conf.c, which
 * `dragoman config` prints.  Paths are absolute by the time they are here.
 */
struct conf {
	const char *prefix; /* the folder that holds etc/ and, by default, all else */

	const char *server_base_url;
	const char *db_url;
	int64_t db_busy_ms;
	const char *state_dir;
	const char *share_dir;
	const char *bin_dir;

	const char *blob_store;
	const char *blob_dir;
	int64_t blob_url_s;
	int64_t blob_reserve_bytes;
	const char *blob_bucket;
	const char *blob_region;
	const char *blob_access_key;
	const char *blob_secret_key;
	const char *blob_endpoint;
	const char *blob_addressing;
	int64_t upload_form_s;

	int64_t voice_sample_wait_s;
	int64_t engine_timeout_ms;
	bool engine_allow_private;
	const char *speech_asr; /* ids of engines, with blanks between them */
	const char *speech_mt;
	const char *speech_tts;
	bool speech_pivot;
	const char *speech_sample; /* an id, or none */
	const char *speech_clone;
	const char *speech_external;
	int64_t speech_warm;
	struct conf_engine *engines; /* in the order of the file */

	int64_t plan_voices;
	int64_t plan_parallel_sessions;
	int64_t plan_event_languages;
	int64_t plan_storage_bytes;
	int64_t plan_upload_min_bytes;
	int64_t plan_upload_max_bytes;
	int64_t plan_glossaries;
	int64_t plan_requests_per_min;
	int64_t plan_starting_credits;

	int64_t rate_public_per_min;
	int64_t rate_auth_failures_per_min;
	const char *cors_origins;
	int64_t idempotency_keep_s;
	const char *token_issuer;
	const char *token_secrets;
	const char *operator_token;
	bool operator_loopback;
	const char *session_jwt_keys;
	int64_t session_ttl_s;
	int64_t session_token_days;
	int64_t listener_token_s;
	const char *stream_listen;
	int64_t stream_workers;
	int64_t stream_max_connections;
	int64_t stream_max_listeners;
	int64_t stream_max_asr;
	const char *stream_public_url;
	const char *media_url;
	const char *broadcast_driver;
	const char *janus_admin_url;
	const char *janus_admin_secret;
	const char *janus_admin_key;
	const char *janus_public_url;
	const char *janus_rtp_host;
	int64_t janus_rtp_port;
	int64_t backend_timeout_ms;
	const char *channel_region;
	int64_t channel_tries;
	int64_t channel_backoff_s;
	int64_t channel_backoff_max_s;
	int64_t price_s2s_micro; /* credits x 1,000,000, per hour */
	int64_t price_captions_micro;
	int64_t price_stt_micro;
	int64_t price_broadcast_micro;
	int64_t price_tts_micro; /* per 1,000 characters */
	int64_t billing_usd_micro;
	int64_t worker_stale_s;
	int64_t worker_linger_s;
	const char *deprecation_sunset;

	const char *node; /* uuid of this host among those over one database */
	unsigned char master[SHA256_BYTES];   /* of the key file; see conf_key() */
	unsigned char link_key[SHA256_BYTES]; /* made from it, for download links */
};

/*
 * Read the file named by $DRAGOMAN_CONF, else ../etc/dragoman.conf beside the
 * program's folder, then the environment (DRAGOMAN_SECTION_KEY wins).  A wrong
 * setting is told on the log and answers ERR_REFUSED.  All texts live in the
 * arena.  The key file and the file that names the node are made when there are none.
 */
enum err conf_read(struct arena *, struct conf *) MUST_CHECK;

/* A key of this installation's own for one purpose: HMAC(master, purpose). */
void conf_key(const struct conf *, const char *purpose, unsigned char[SHA256_BYTES]);

/* The section of an ID of n bytes; NULL: there is none. */
const struct conf_engine *conf_engine_find(
    const struct conf *, const char *id, size_t n);
/* One of that ID with nothing set. */
struct conf_engine conf_engine_none(const char *id);

/* The settings in force but the engines' sections, in the form of dragoman.conf;
   secrets are masked and commented out. */
void conf_print(const struct conf *, FILE *);
/* Every such setting, commented out, with its meaning, limits and default. */
void conf_print_example(FILE *);

#endif
