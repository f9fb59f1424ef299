/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/conf_parts.h"
#include "base/credits.h"
#include "base/file.h"
#include "base/id.h"
#include "base/log.h"

#define ANY 0, INT64_MAX
#define NONE 0, 0
#define SETTING(member, is, type, name, ...)                                           \
	{ name, type, offsetof(struct conf, member), __VA_ARGS__ },

const struct setting conf_settings[] = { CONF_SETTINGS{ NULL } };

#define SECRET_LENGTH 32   /* characters of a token's secret, at least */
#define FILE_BYTES 1048576 /* longest file of settings */
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

struct reading {
	struct arena *mem;
	struct conf *conf;
	const char *from; /* origin of the value, for messages */
	bool wrong;
};

/*
 * ---- the key file, and the file that names the node ----
 *
 * The key file has 32 random bytes, from which all other keys of the installation are
 * made.  The file node.id names this host among those that share one database.
 */

/* Write a whole file of that name, synced to the disk. */
static bool
write_file(const char *path, const void *p, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool written;

	if (fd < 0)
		return false;
	written = file_write(fd, p, n) && fsync(fd) == 0;
	close(fd);
	return written;
}

/*
 * Create a file with these bytes, unless another process was faster. The lock lets all
 * processes use one temporary name, so the file of a killed process is used again.
 */
static void
make_file(
    struct arena *mem, const char *folder, const char *path, const void *p, size_t n)
{
	const char *new = arena_printf(mem, "%s.new", path);
	int lock = file_lock(arena_printf(mem, "%s.lock", path), LOCK_EX);

	if (lock < 0) {
		log_error("%s.lock: %s", path, strerror(errno));
		return;
	}
	if (access(path, F_OK) != 0) {
		if (!write_file(new, p, n) || rename(new, path) != 0)
			log_error("%s: %s", new, strerror(errno));
		/*
		 * The name must survive a power failure too: tokens are signed with the
		 * key.
		 */
		if (!file_sync_folder(folder))
			log_error("%s: %s", folder, strerror(errno));
	}
	close(lock);
}

/* A file of state.dir, of the n bytes at p. */
struct own_file {
	const char *name;
	unsigned char *p;
	size_t n;
};

/*
 * Read the file into f->p.  If make, a missing file is created from the bytes in f->p.
 */
static enum err
read_own(struct arena *mem, const struct conf *c, const struct own_file *f, bool make)
{
	const char *path = arena_printf(mem, "%s/%s", c->state_dir, f->name);
	ssize_t got = -1;
	int fd;

	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0 && errno == ENOENT && make) {
		make_file(mem, c->state_dir, path, f->p, f->n);
		fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (fd >= 0) {
		got = read(fd, f->p, f->n);
		close(fd);
	}
	if (got == (ssize_t)f->n)
		return OK;
	if (got >= 0)
		log_error("%s: has %zd bytes, not %zu", path, got, f->n);
	else
		log_error("%s: cannot be read: %s", path, strerror(errno));
	return ERR_FAILED;
}

enum err
conf_key_read(struct arena *mem, struct conf *c, bool make)
{
	const struct own_file f = { "secret.key", c->master, sizeof(c->master) };

	random_bytes(c->master, sizeof(c->master));
	return read_own(mem, c, &f, make);
}

static enum err
read_node(struct arena *mem, struct conf *c, bool make)
{
	char *text = arena_printf(mem, "%s\n", id_new(mem));
	size_t n = strlen(text);
	const struct own_file f = { "node.id", (unsigned char *)text, n };
	enum err e = read_own(mem, c, &f, make);

	if (e != OK)
		return e;
	text[n - 1] = '\0';
	if ((c->node = id_read(mem, text)) != NULL)
		return OK;
	log_error("%s/node.id: contains no uuid; without the file a new one is created",
	    c->state_dir);
	return ERR_FAILED;
}

void
conf_key(const struct conf *c, const char *purpose, unsigned char to[SHA256_BYTES])
{
	hmac(c->master, sizeof(c->master), purpose, strlen(purpose), to);
}

/* ---- reading the settings ---- */

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

/* Returns the reason why the value is refused, or NULL. */
static const char *
put(struct reading *r, const struct setting *s, const char *text)
{
	void *to = (char *)r->conf + s->at;

	switch (s->type) {
	case SET_INT:
		return conf_int(text, s->min, s->max, to);
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

/* Returns the path without its last n steps. */
static const char *
above(struct arena *mem, const char *path, int n)
{
	char *s = arena_str(mem, path), *cut;

	for (; n > 0 && (cut = strrchr(s, '/')) != NULL; n--)
		*cut = '\0';
	return s[0] != '\0' ? s : "/";
}

const char *
conf_file(struct arena *mem)
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

int64_t
conf_file_us(struct arena *mem)
{
	const char *file = conf_file(mem);
	struct stat st;

	if (file == NULL || stat(file, &st) != 0)
		return 0;
	return st.st_mtim.tv_sec * S_US + st.st_mtim.tv_nsec / 1000;
}

/* Defaults that depend on other settings. */
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

/* Answers and forms contain this address: a trailing slash breaks them all. */
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

static bool
is_one_of(const char *text, const char *const *words)
{
	while (*words != NULL && strcmp(*words, text) != 0)
		words++;
	return *words != NULL;
}

static const char *
wrong_endpoint(const struct conf *c)
{
	const char *host = strstr(c->blob_endpoint, "://");

	if (strncmp(c->blob_endpoint, "http://", 7) != 0 &&
	    strncmp(c->blob_endpoint, "https://", 8) != 0)
		return "must be the address of an S3 service, http or https";
	if (host[3] == '\0' || strpbrk(host, "?# ") != NULL ||
	    host[strlen(host) - 1] == '/')
		return "must be an address without query, and without a slash at its "
		       "end";
	if (strcmp(c->blob_addressing, "host") == 0 && strchr(host + 3, '/') != NULL)
		return "must have no path where blob.addressing is host";
	return NULL;
}

/* Old buckets may have names that are forbidden for new ones. */
static bool
is_bucket(const char *name)
{
	size_t n = strlen(name);

	return n >= 3 && n <= 255 && strspn(name, LETTERS ".") == n;
}

/* Check the settings of the store of files; faults are logged. */
static bool
good_store(const struct conf *c)
{
	static const char *const stores[] = { "disk", "s3", NULL };
	static const char *const ways[] = { "", "path", "host", "own", NULL };
	const char *why = NULL, *name = "blob.endpoint";

	if (!is_one_of(c->blob_store, stores)) {
		name = "blob.store";
		why = "must be disk or s3";
	} else if (!is_one_of(c->blob_addressing, ways)) {
		name = "blob.addressing";
		why = "must be path, host or own";
	} else if (!is_bucket(c->blob_bucket)) {
		name = "blob.bucket";
		why = "must be the name of a bucket: 3 to 255 letters, digits and .-_";
	} else if (strcmp(c->blob_store, "s3") == 0)
		why = wrong_endpoint(c);
	if (why != NULL)
		log_error("%s %s", name, why);
	return why == NULL;
}

/* Otherwise players would find no file, and no error would be reported. */
static bool
good_hls(const struct conf *c)
{
	static const char *const stores[] = { "disk", "bucket", NULL };
	static const char *const latencies[] = { "auto", "yes", "no", NULL };
	const char *why = NULL, *url = c->hls_public_url;

	if (!is_one_of(c->hls_store, stores))
		why = "hls.store must be disk or bucket";
	else if (!is_one_of(c->hls_low_latency, latencies))
		why = "hls.low_latency must be auto, yes or no";
	else if (strcmp(c->hls_store, "bucket") != 0)
		return true;
	else if (strcmp(c->blob_store, "s3") != 0)
		why = "hls.store = bucket needs a bucket: blob.store = s3";
	else if ((strncmp(url, "http://", 7) != 0 &&
		     strncmp(url, "https://", 8) != 0) ||
		 url[strlen(url) - 1] == '/')
		why = "hls.public_url must be the address of the bucket's hls/, or of "
		      "a CDN in front, without a slash at its end, where hls.store is "
		      "bucket";
	if (why != NULL)
		log_error("%s", why);
	return why == NULL;
}

/* True for addresses separated by commas that are all nats:// or all tls://. */
static bool
are_nats(const char *list)
{
	size_t scheme = strcspn(list, ":") + 3, n;

	if (strncmp(list, "nats://", 7) != 0 && strncmp(list, "tls://", 6) != 0)
		return false;
	for (const char *s = list; strncmp(s, list, scheme) == 0; s += strspn(s, " ")) {
		n = strspn(s + scheme, LETTERS ".:[]");
		s += scheme + n;
		if (n == 0 || *s != ',')
			return n > 0 && *s == '\0';
		s++;
	}
	return false;
}

/* Otherwise the gateway would try for ever what cannot work. */
static bool
good_cluster(const struct conf *c)
{
	const char *why = NULL;
	size_t n = strlen(c->cluster_prefix);

	if (c->cluster_nats[0] != '\0' && !are_nats(c->cluster_nats))
		why = "cluster.nats must be addresses separated by commas, all nats:// "
		      "or all tls://; user and password have their own settings";
	else if (n == 0 || n > 64 || strspn(c->cluster_prefix, LETTERS) != n)
		why = "cluster.prefix must be 1 to 64 letters, digits, - and _";
	else if (c->cluster_user[0] != '\0' && c->cluster_credentials[0] != '\0')
		why = "cluster.user and cluster.credentials cannot both be set";
	if (why != NULL)
		log_error("%s", why);
	return why == NULL;
}

/* Otherwise an unknown driver would make channels fail without a reason. */
static bool
good_driver(const char *driver)
{
	if (strcmp(driver, "gateway") == 0 || strcmp(driver, "janus") == 0)
		return true;
	log_error("broadcast.driver must be gateway or janus; %s%s", driver,
	    strcmp(driver, "livekit") == 0 ? " is not built" : " is no driver");
	return false;
}

static bool
read_file(const char *path, struct buf *b)
{
	FILE *f = fopen(path, "re");
	bool good = f != NULL;
	size_t n;

	while (good && b->len <= FILE_BYTES &&
	       (n = fread(buf_room(b, FILE_BYTES), 1, FILE_BYTES, f)) > 0)
		b->len += n;
	if (!good || ferror(f)) {
		log_error("%s: cannot be read: %s", path, strerror(errno));
		good = false;
	}
	if (f != NULL)
		fclose(f);
	return good;
}

/* True if inih reads the line completely. */
static bool
is_text(const char *path, struct buf *b)
{
	const char *nul = memchr(buf_text(b), '\0', b->len);
	int line = 1;

	for (const char *s = b->p; nul != NULL && s < nul; s++)
		line += *s == '\n';
	if (b->len > FILE_BYTES)
		log_error("%s: has more than %d bytes", path, FILE_BYTES);
	else if (nul != NULL)
		log_error("%s: line %d has a NUL byte", path, line);
	return b->len <= FILE_BYTES && nul == NULL;
}

/* Reads a file of settings. It must not use inih's default, which silently cuts lines
   of more than 200 bytes. */
static bool
read_settings(struct reading *r, const char *path)
{
	struct buf b = { .mem = r->mem };
	int line;

	if (!read_file(path, &b) || !is_text(path, &b))
		return false;
	r->from = path;
	ini_use_stack = false;
	ini_max_line = ini_initial_alloc = (int)b.len + 3;
	line = ini_parse_string(buf_text(&b), ini_value, r);
	if (line > 0)
		log_error("%s: line %d cannot be read", path, line);
	else if (line < 0)
		log_error("%s: cannot be read: %s", path, strerror(errno));
	return line == 0;
}

static enum err
read_all(struct arena *mem, struct conf *c, bool make)
{
	struct reading r = { .mem = mem, .conf = c, .from = "default" };
	const char *file = conf_file(mem);
	bool whole = true;
	enum err e;

	*c = (struct conf){ .prefix = file != NULL ? above(mem, file, 2) : ".",
		.file_us = conf_file_us(mem) };
	for (const struct setting *s = conf_settings; s->name != NULL; s++)
		set(&r, s, s->preset);
	if (file != NULL && access(file, F_OK) == 0)
		whole = read_settings(&r, file);
	read_environment(&r);
	if (r.wrong || !whole || !good_address(c->server_base_url) ||
	    !good_driver(c->broadcast_driver) || !good_store(c) || !good_hls(c) ||
	    !good_cluster(c))
		return ERR_REFUSED;
	if ((e = conf_key_read(mem, c, make)) == OK &&
	    (e = read_node(mem, c, make)) == OK)
		complete(mem, c);
	if (e == OK && (!good_secrets("token.secrets", c->token_secrets) ||
			   !good_secrets("session.jwt_keys", c->session_jwt_keys)))
		e = ERR_REFUSED;
	return e;
}

enum err
conf_read(struct arena *mem, struct conf *c)
{
	return read_all(mem, c, true);
}

enum err
conf_read_existing(struct arena *mem, struct conf *c)
{
	return read_all(mem, c, false);
}

/* ---- printing the settings ---- */

/* Print the section's name where it begins.  Returns the length of the name. */
static size_t
begin_section(const struct setting *s, FILE *to)
{
	size_t n = strcspn(s->name, ".");

	if (s == conf_settings)
		fprintf(to, "[%.*s]\n", (int)n, s->name);
	else if (strncmp(s->name, s[-1].name, n + 1) != 0)
		fprintf(to, "\n[%.*s]\n", (int)n, s->name);
	return n;
}

static void
print_value(struct arena *mem, const struct conf *c, const struct setting *s, FILE *to)
{
	const void *at = (const char *)c + s->at;

	switch (s->type) {
	case SET_INT:
		fprintf(to, "%" PRId64 "\n", *(const int64_t *)at);
		break;
	case SET_MICRO:
		fprintf(to, "%s\n", credits_text(mem, *(const int64_t *)at));
		break;
	case SET_BOOL:
		fprintf(to, "%s\n", *(const bool *)at ? "yes" : "no");
		break;
	case SET_SECRET:
		fprintf(to, "%s\n", **(const char *const *)at ? "********" : "");
		break;
	case SET_TEXT:
	case SET_PATH:
		fprintf(to, "%s\n", *(const char *const *)at);
		break;
	}
}

void
conf_print(const struct conf *c, FILE *to)
{
	struct arena *mem = arena_new();
	size_t n;

	for (const struct setting *s = conf_settings; s->name != NULL; s++) {
		n = begin_section(s, to);
		fprintf(to, "; %s Default: %s\n%s%s = ", s->meaning,
		    s->preset[0] != '\0' ? s->preset : "none.",
		    s->type == SET_SECRET ? "; " : "", s->name + n + 1);
		print_value(mem, c, s, to);
	}
	arena_free(mem);
}

/* "From 60 to 604800", as in dragoman.conf(5); nothing if any number is allowed. */
static void
print_limits(struct arena *mem, const struct setting *s, FILE *to)
{
	bool micro = s->type == SET_MICRO;
	const char *least =
	    micro ? credits_text(mem, s->min) : arena_printf(mem, "%" PRId64, s->min);
	const char *most =
	    micro ? credits_text(mem, s->max) : arena_printf(mem, "%" PRId64, s->max);

	if (s->type != SET_INT && !micro)
		return;
	if (s->max < INT64_MAX)
		fprintf(to, "# From %s to %s.\n", least, most);
	else if (s->min > 0)
		fprintf(to, "# At least %s.\n", least);
}

void
conf_print_example(FILE *to)
{
	static const char head[] =
	    "# All settings, with their defaults, as `dragoman config example` prints\n"
	    "# them.  etc/dragoman.conf needs only what differs: take the ; away from\n"
	    "# the line of a setting, and from none else.  Lines must not be "
	    "indented.\n"
	    "\n";
	struct arena *mem = arena_new();
	size_t n;

	fputs(head, to);
	for (const struct setting *s = conf_settings; s->name != NULL; s++) {
		n = begin_section(s, to);
		fprintf(to, "# %s\n", s->meaning);
		print_limits(mem, s, to);
		fprintf(to, ";%s =%s%s\n", s->name + n + 1,
		    s->preset[0] != '\0' ? " " : "", s->preset);
	}
	arena_free(mem);
}
