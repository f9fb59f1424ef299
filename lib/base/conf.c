#include "base/conf.h"

#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/conf_parts.h"
#include "base/credits.h"
#include "base/log.h"

#define AT(m) offsetof(struct conf, m)
#define ANY 0, INT64_MAX
#define NONE 0, 0

/* clang-format off */
const struct setting	 conf_settings[] = {
	{ "server.base_url", SET_TEXT, AT(server_base_url), "http://127.0.0.1:8080", NONE,
	  "Address clients use: scheme, host, optional port and prefix, no slash at the end." },
	{ "db.url", SET_TEXT, AT(db_url), "sqlite:var/dragoman.db", NONE,
	  "sqlite:PATH, or postgresql://... for a PostgreSQL database." },
	{ "db.busy_ms", SET_INT, AT(db_busy_ms), "5000", 0, 60000,
	  "Milliseconds to wait for another writer before answering 503." },
	{ "state.dir", SET_PATH, AT(state_dir), "var/state", NONE,
	  "Locks, shared counters and the key file. Not below the document root." },
	{ "share.dir", SET_PATH, AT(share_dir), "share", NONE,
	  "Schema, documentation and pages, as installed." },
	{ "bin.dir", SET_PATH, AT(bin_dir), "bin", NONE,
	  "Workers and the sandboxed children that decode and speak." },
	{ "blob.store", SET_TEXT, AT(blob_store), "disk", NONE,
	  "disk: files below blob.dir; s3: the bucket blob.bucket at blob.endpoint." },
	{ "blob.dir", SET_PATH, AT(blob_dir), "var/blobs", NONE,
	  "Where blob.store = disk keeps files. Not below the document root." },
	{ "blob.url_s", SET_INT, AT(blob_url_s), "3600", 60, 604800,
	  "Seconds that a signed download address is good for." },
	{ "blob.reserve_bytes", SET_INT, AT(blob_reserve_bytes), "104857600", ANY,
	  "Free bytes of the disk that uploads never touch; below it they get 507." },
	{ "blob.bucket", SET_TEXT, AT(blob_bucket), "media", NONE,
	  "Bucket, at blob.endpoint when blob.store = s3; upload forms name it always." },
	{ "blob.region", SET_TEXT, AT(blob_region), "us-east-1", NONE,
	  "Region named in upload forms." },
	{ "blob.access_key", SET_TEXT, AT(blob_access_key), "DGMLOCAL000000000001", NONE,
	  "Access key of upload forms; of the bucket when blob.store = s3." },
	{ "blob.secret_key", SET_SECRET, AT(blob_secret_key), "", NONE,
	  "Its secret; empty: made from the key file." },
	{ "blob.endpoint", SET_TEXT, AT(blob_endpoint), "", NONE,
	  "Address of the S3 service when blob.store = s3, without the bucket: https://s3.example.org." },
	{ "blob.addressing", SET_TEXT, AT(blob_addressing), "", NONE,
	  "path: the bucket is behind blob.endpoint; host: before its host name; own: the address is the bucket's; empty: path." },
	{ "upload.form_s", SET_INT, AT(upload_form_s), "3600", 60, 604800,
	  "Seconds that an upload form is good for." },
	{ "voice.sample_wait_s", SET_INT, AT(voice_sample_wait_s), "86400", 60, INT64_MAX / 1000000,
	  "Seconds to wait for the file of a form before giving up on it." },
	{ "engine.timeout_ms", SET_INT, AT(engine_timeout_ms), "30000", 100, 50000,
	  "Milliseconds that one call for a sample, a cloned voice or a bucket may take." },
	{ "engine.allow_private", SET_BOOL, AT(engine_allow_private), "no", NONE,
	  "Whether the engines of samples and cloned voices may be at private or loopback addresses." },
	{ "speech.asr", SET_TEXT, AT(speech_asr), "pocketsphinx", NONE,
	  "Engines that recognise speech as it is streamed: their ids, first able one wins." },
	{ "speech.mt", SET_TEXT, AT(speech_mt), "apertium", NONE,
	  "Engines that translate it, likewise." },
	{ "speech.pivot", SET_BOOL, AT(speech_pivot), "no", NONE,
	  "Whether they may go through a language in between, where they have no pair." },
	{ "speech.tts", SET_TEXT, AT(speech_tts), "espeak", NONE,
	  "Engines that speak the translation, likewise." },
	{ "speech.sample", SET_TEXT, AT(speech_sample), "espeak", NONE,
	  "Engine that speaks the samples of voices: its id, or none." },
	{ "speech.clone", SET_TEXT, AT(speech_clone), "profile", NONE,
	  "Engine that makes voices of recordings: its id, or none: voices get ready without a likeness." },
	{ "speech.external", SET_TEXT, AT(speech_external), "none", NONE,
	  "Engine of an external provider that voices are copied to: its id, or none." },
	{ "speech.warm", SET_INT, AT(speech_warm), "1", 0, 64,
	  "Decoders of pocketsphinx that the gateway loads before they are needed." },
	{ "plan.voices", SET_INT, AT(plan_voices), "30", ANY, "Voices of an account; 0: no limit." },
	{ "plan.parallel_sessions", SET_INT, AT(plan_parallel_sessions), "10", ANY,
	  "Open sessions of an account; 0: no limit." },
	{ "plan.event_languages", SET_INT, AT(plan_event_languages), "10", ANY,
	  "Target languages of an event; 0: no limit." },
	{ "plan.storage_bytes", SET_INT, AT(plan_storage_bytes), "5000000000", ANY,
	  "Bytes of an account's stored files; 0: no limit." },
	{ "plan.upload_min_bytes", SET_INT, AT(plan_upload_min_bytes), "100001", 1, INT64_MAX,
	  "Smallest file that is taken." },
	{ "plan.upload_max_bytes", SET_INT, AT(plan_upload_max_bytes), "9999999", 1, INT64_MAX,
	  "Largest file that is taken. The web server's own limit must be above it." },
	{ "plan.glossaries", SET_INT, AT(plan_glossaries), "1000", ANY,
	  "Glossaries of an account; 0: no limit." },
	{ "plan.requests_per_min", SET_INT, AT(plan_requests_per_min), "60000", ANY,
	  "Requests of an account in a minute; 0: no limit." },
	{ "plan.starting_credits", SET_INT, AT(plan_starting_credits), "1000", 0, 1000000000,
	  "Credits granted to a new account." },
	{ "rate.public_per_min", SET_INT, AT(rate_public_per_min), "6000", ANY,
	  "Requests of one address to public routes in a minute; 0: no limit." },
	{ "rate.auth_failures_per_min", SET_INT, AT(rate_auth_failures_per_min), "600", ANY,
	  "Failed credentials of one address in a minute before it gets 429; 0: no limit." },
	{ "cors.origins", SET_TEXT, AT(cors_origins), "*", NONE,
	  "Origins that browsers may call from: *, or a list separated by spaces." },
	{ "idempotency.keep_s", SET_INT, AT(idempotency_keep_s), "86400", 60, 2592000,
	  "Seconds that an answer is kept for its Idempotency-Key." },
	{ "token.issuer", SET_TEXT, AT(token_issuer), "dragoman", NONE, "Issuer (iss) of API tokens." },
	{ "token.secrets", SET_SECRET, AT(token_secrets), "", NONE,
	  "Up to two KID:SECRET separated by a space, the first signs; empty: from the key file." },
	{ "operator.token", SET_SECRET, AT(operator_token), "", NONE,
	  "Bearer token, dgo_..., that may read /metrics; empty: only from this host." },
	{ "operator.loopback", SET_BOOL, AT(operator_loopback), "yes", NONE,
	  "Whether this host may read /metrics without the token; no, behind a proxy on it that names nobody." },
	{ "session.jwt_keys", SET_SECRET, AT(session_jwt_keys), "", NONE,
	  "Up to two ISSUER:SECRET of stream tokens, the first signs; empty: from the key file." },
	{ "session.ttl_s", SET_INT, AT(session_ttl_s), "3600", 1, 2592000,
	  "Seconds that a new session lives; a connection and its owner make it longer." },
	{ "session.token_days", SET_INT, AT(session_token_days), "90", 1, 3650,
	  "Days that the tokens of sessions and of channels' inputs are good for." },
	{ "listener.token_s", SET_INT, AT(listener_token_s), "43200", 60, 7776000,
	  "Seconds that the token of a listener is good for; joining again renews it." },
	{ "stream.listen", SET_TEXT, AT(stream_listen), "127.0.0.1:8790", NONE,
	  "Where the real-time gateway is reached by the web server." },
	{ "stream.workers", SET_INT, AT(stream_workers), "0", 0, 1024,
	  "Threads of it that recognise, translate and speak; 0: 32 for each processor, 64 at most." },
	{ "stream.max_connections", SET_INT, AT(stream_max_connections), "2000", 1, 100000,
	  "Open sockets of it; one more gets 503. A tenth is kept for those who may write." },
	{ "stream.max_listeners", SET_INT, AT(stream_max_listeners), "10000", 1, 100000,
	  "Sockets of those who only listen to one channel or session; one more gets 503." },
	{ "stream.max_asr", SET_INT, AT(stream_max_asr), "0", 0, 1024,
	  "Streams that pocketsphinx may recognise at a time; 0: four for each processor." },
	{ "stream.public_url", SET_TEXT, AT(stream_public_url), "", NONE,
	  "Address of the real-time gateway, http or https; empty: server.base_url." },
	{ "media.url", SET_TEXT, AT(media_url), "", NONE,
	  "Address that cover_image_key of events is below; empty: only uploads are shown." },
	{ "broadcast.driver", SET_TEXT, AT(broadcast_driver), "gateway", NONE,
	  "gateway: rooms of the real-time gateway; janus: rooms of such a server." },
	{ "janus.admin_url", SET_TEXT, AT(janus_admin_url), "http://127.0.0.1:7088/admin", NONE,
	  "Admin API of Janus." },
	{ "janus.admin_secret", SET_SECRET, AT(janus_admin_secret), "", NONE,
	  "admin_secret of Janus." },
	{ "janus.admin_key", SET_SECRET, AT(janus_admin_key), "", NONE,
	  "admin_key of its plugins AudioBridge and Streaming." },
	{ "janus.public_url", SET_TEXT, AT(janus_public_url), "", NONE,
	  "Where participants reach Janus, wss or https." },
	{ "janus.rtp_host", SET_TEXT, AT(janus_rtp_host), "127.0.0.1", NONE,
	  "Address of this gateway that Janus reaches: the sound of rooms comes there." },
	{ "janus.rtp_port", SET_INT, AT(janus_rtp_port), "0", 0, 65535,
	  "UDP port there; 0: any that is free." },
	{ "backend.timeout_ms", SET_INT, AT(backend_timeout_ms), "5000", 100, 60000,
	  "Milliseconds that one call of the broadcasting backend may take." },
	{ "channel.region", SET_TEXT, AT(channel_region), "local", NONE,
	  "Region of channels that name none." },
	{ "channel.tries", SET_INT, AT(channel_tries), "12", 1, 1000,
	  "Attempts to create a channel before it is failed." },
	{ "channel.backoff_s", SET_INT, AT(channel_backoff_s), "30", 1, 86400,
	  "Seconds after the first failed attempt; each further one waits twice as long." },
	{ "channel.backoff_max_s", SET_INT, AT(channel_backoff_max_s), "3600", 1, 86400,
	  "The longest such wait." },
	{ "price.s2s", SET_MICRO, AT(price_s2s_micro), "30", ANY,
	  "Credits for an hour of speech in another language." },
	{ "price.captions", SET_MICRO, AT(price_captions_micro), "10", ANY,
	  "Credits for an hour of text in another language." },
	{ "price.stt", SET_MICRO, AT(price_stt_micro), "2", ANY,
	  "Credits for an hour of transcription." },
	{ "price.broadcast", SET_MICRO, AT(price_broadcast_micro), "80", ANY,
	  "Credits for an hour of a channel." },
	{ "price.tts", SET_MICRO, AT(price_tts_micro), "1", ANY,
	  "Credits for 1,000 characters spoken." },
	{ "billing.usd_per_credit", SET_MICRO, AT(billing_usd_micro), "1.00", ANY,
	  "US dollars that a credit is shown as." },
	{ "worker.stale_s", SET_INT, AT(worker_stale_s), "300", 60, 86400,
	  "Seconds without a sign of life before /health calls a worker silent." },
	{ "worker.linger_s", SET_INT, AT(worker_linger_s), "60", 0, 3600,
	  "Seconds that a worker stays and watches for work before cron starts the next." },
	{ "deprecation.sunset", SET_TEXT, AT(deprecation_sunset), "2027-12-31", NONE,
	  "Day before which deprecated routes are not removed." },
	{ NULL },
};
/* clang-format on */

#define SECRET_LENGTH 32 /* characters of a token's secret, at least */

struct reading {
	struct arena *mem;
	struct conf *conf;
	const char *from; /* where the value stands, for messages */
	bool wrong;
};

static const char *
put_int(const struct setting *s, const char *text, int64_t *to)
{
	char *end;

	errno = 0;
	*to = strtoll(text, &end, 10);
	if (end == text || *end != '\0' || errno != 0)
		return "must be an integer";
	return *to < s->min || *to > s->max ? "is out of range" : NULL;
}

static const char *
put_micro(const struct setting *s, const char *text, int64_t *to)
{
	if (!credits_read(text, to))
		return "must be a decimal number of at most six places";
	return *to < s->min || *to > s->max ? "is out of range" : NULL;
}

static const char *
put_bool(const char *text, bool *to)
{
	*to = strcmp(text, "yes") == 0 || strcmp(text, "on") == 0;
	return *to || strcmp(text, "no") == 0 || strcmp(text, "off") == 0
		   ? NULL
		   : "must be yes or no";
}

/* What is wrong with the value, or NULL. */
static const char *
put(struct reading *r, const struct setting *s, const char *text)
{
	void *to = (char *)r->conf + s->at;

	switch (s->type) {
	case SET_INT:
		return put_int(s, text, to);
	case SET_MICRO:
		return put_micro(s, text, to);
	case SET_BOOL:
		return put_bool(text, to);
	case SET_PATH:
		*(const char **)to = text[0] == '/' ? arena_str(r->mem, text)
						    : arena_printf(r->mem, "%s/%s",
							  r->conf->prefix, text);
		return NULL;
	case SET_TEXT:
	case SET_SECRET:
		*(const char **)to = arena_str(r->mem, text);
		return NULL;
	}
	return NULL;
}

static void
set(struct reading *r, const struct setting *s, const char *text)
{
	const char *what = put(r, s, text);

	if (what == NULL)
		return;
	log_error("%s: %s %s", r->from, s->name, what);
	r->wrong = true;
}

static int
ini_value(void *arg, const char *section, const char *key, const char *value)
{
	struct reading *r = arg;
	const char *name = arena_printf(r->mem, "%s.%s", section, key), *what;

	for (const struct setting *s = conf_settings; s->name != NULL; s++)
		if (strcmp(s->name, name) == 0) {
			set(r, s, value);
			return 1;
		}
	if (!conf_old_set(r->mem, r->conf, name, value) &&
	    (what = conf_engine_set(r->mem, r->conf, name, value)) != NULL) {
		log_error("%s: %s %s", r->from, name, what);
		r->wrong = true;
	}
	return 1;
}

static void
read_environment(struct reading *r)
{
	const char *value;

	conf_old_environment(r->mem, r->conf);
	for (const struct setting *s = conf_settings; s->name != NULL; s++) {
		r->from = conf_variable(r->mem, s->name);
		if ((value = getenv(r->from)) != NULL)
			set(r, s, value);
	}
	if (!conf_engine_environment(r->mem, r->conf))
		r->wrong = true;
}

/* path without its last n steps. */
static const char *
above(struct arena *mem, const char *path, int n)
{
	char *s = arena_str(mem, path), *cut;

	for (; n > 0 && (cut = strrchr(s, '/')) != NULL; n--)
		*cut = '\0';
	return s[0] != '\0' ? s : "/";
}

/* Where the file is; NULL when this program cannot know. */
static const char *
find_file(struct arena *mem)
{
	const char *named = getenv("DRAGOMAN_CONF");
	char exe[4096];
	ssize_t n;

	if (named != NULL)
		return realpath(named, exe) != NULL ? arena_str(mem, exe) : named;
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n < 0)
		return NULL;
	exe[n] = '\0';
	return arena_printf(mem, "%s/etc/dragoman.conf", above(mem, exe, 2));
}

/* What can only be said once everything is read. */
static void
complete(struct arena *mem, struct conf *c)
{
	unsigned char key[SHA256_BYTES];

	if (strncmp(c->db_url, "sqlite:", 7) == 0 && c->db_url[7] != '/' &&
	    c->db_url[7] != ':')
		c->db_url = arena_printf(mem, "sqlite:%s/%s", c->prefix, c->db_url + 7);
	conf_key(c, "blob link", c->link_key);
	if (c->blob_secret_key[0] == '\0') {
		conf_key(c, "upload form", key);
		c->blob_secret_key = base64url(mem, key, sizeof(key));
	}
	if (c->token_secrets[0] == '\0') {
		conf_key(c, "api token", key);
		c->token_secrets =
		    arena_printf(mem, "k1:%s", base64url(mem, key, sizeof(key)));
	}
	if (c->session_jwt_keys[0] == '\0') {
		conf_key(c, "stream token", key);
		c->session_jwt_keys =
		    arena_printf(mem, "dragoman:%s", base64url(mem, key, sizeof(key)));
	}
	if (c->stream_public_url[0] == '\0')
		c->stream_public_url = c->server_base_url;
}

static bool
good_secrets(const char *setting, const char *list)
{
	const char *s = list;
	bool good = true;
	int n = 0;

	for (size_t len, kid; *s != '\0'; s += len, n++) {
		s += strspn(s, " ");
		len = strcspn(s, " ");
		kid = strcspn(s, ": ");
		if (len > 0 && (kid == 0 || kid + 1 + SECRET_LENGTH > len))
			good = false;
	}
	if (good && (n == 1 || n == 2))
		return true;
	log_error("%s: one or two NAME:SECRET, each secret of %d characters or more",
	    setting, SECRET_LENGTH);
	return false;
}

/* Answers and forms lead there, so a slash too many breaks them all. */
static bool
good_address(const char *base)
{
	size_t n = strlen(base);

	if ((strncmp(base, "http://", 7) == 0 || strncmp(base, "https://", 8) == 0) &&
	    base[n - 1] != '/')
		return true;
	log_error("server.base_url must begin with http:// or https:// and end "
		  "without a slash");
	return false;
}

/* An unknown driver would only show as channels that fail, without a reason. */
static bool
good_driver(const char *driver)
{
	if (strcmp(driver, "gateway") == 0 || strcmp(driver, "janus") == 0)
		return true;
	log_error("broadcast.driver must be gateway or janus; %s%s", driver,
	    strcmp(driver, "livekit") == 0 ? " is not built" : " is no driver");
	return false;
}

enum err
conf_read(struct arena *mem, struct conf *c)
{
	struct reading r = { .mem = mem, .conf = c, .from = "default" };
	const char *file = find_file(mem);
	int line = 0;
	enum err e;

	*c = (struct conf){ .prefix = file != NULL ? above(mem, file, 2) : "." };
	for (const struct setting *s = conf_settings; s->name != NULL; s++)
		set(&r, s, s->preset);
	if (file != NULL && access(file, F_OK) == 0) {
		r.from = file;
		line = ini_parse(file, ini_value, &r);
	}
	if (line < 0)
		log_error("%s: cannot be read: %s", file, strerror(errno));
	else if (line > 0)
		log_error("%s: line %d cannot be read", file, line);
	read_environment(&r);
	if (r.wrong || line != 0 || !good_address(c->server_base_url) ||
	    !good_driver(c->broadcast_driver) || !conf_store_good(c))
		return ERR_REFUSED;
	if ((e = conf_key_read(mem, c)) == OK && (e = conf_node_read(mem, c)) == OK)
		complete(mem, c);
	if (e == OK && (!good_secrets("token.secrets", c->token_secrets) ||
			   !good_secrets("session.jwt_keys", c->session_jwt_keys)))
		e = ERR_REFUSED;
	return e;
}
