/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/channel_outputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/clock.h"
#include "base/field.h"
#include "base/hash.h"
#include "base/lang.h"
#include "base/log.h"
#include "blob/blob.h"
#include "store/served.h"

#define NAME_BYTES 16 /* bytes of a folder's random name */

static bool
is_protocol(const struct json *o, const char *name)
{
	const char *protocol = json_get_text(o, "protocol");

	return protocol != NULL && strcmp(protocol, name) == 0;
}

bool
channel_outputs_makes(const struct json *o)
{
	return is_protocol(o, "hls_pull") || is_protocol(o, "rtmp_push") ||
	       is_protocol(o, "srt_push") || is_protocol(o, "icecast_push") ||
	       channel_outputs_records(o);
}

bool
channel_outputs_records(const struct json *o)
{
	return is_protocol(o, "recording");
}

const char *
channel_outputs_lacks(const struct conf *conf, const struct json *o)
{
	if (is_protocol(o, "hls_pull") && conf->hls_dir[0] == '\0')
		return "This service makes no HLS: hls.dir is empty.";
	if (channel_outputs_records(o) && conf->recordings_dir[0] == '\0')
		return "This service makes no recordings: recordings.dir is empty.";
	return NULL;
}

/* ---- HLS ---- */

static const char *
languages_of(struct arena *mem, const struct json *o)
{
	struct buf b = { .mem = mem };

	jw_json(&(struct json_writer){ .out = &b }, NULL, json_get(o, "lang_codes"));
	return buf_text(&b);
}

/* The number of HLS outputs before this one. */
static int
index_of(struct arena *mem, const struct channel *c, const struct json *output)
{
	const char *why, *languages = languages_of(mem, output);
	const struct json *o = json_read(mem, c->outputs, strlen(c->outputs), &why);
	int n = 0;

	for (o = o != NULL ? o->kids : NULL; o != NULL; o = o->next)
		if (is_protocol(o, "hls_pull")) {
			if (strcmp(languages_of(mem, o), languages) == 0)
				return n;
			n++;
		}
	return n;
}

/* The installation's key for addresses, which do not change with the session keys.
   It equals the default session key. */
static const char *
address_key(const struct conf *conf, struct arena *mem)
{
	unsigned char key[SHA256_BYTES];

	conf_key(conf, "stream token", key);
	return arena_printf(mem, "dragoman:%s", base64url(mem, key, sizeof(key)));
}

/*
 * The name does not depend on the languages, so these can change while players know the
 * address. It depends on the access code, so the old code does not lead to the new
 * address.
 */
static const char *
folder_name(const struct conf *conf, struct arena *mem, const struct channel *c,
    const struct json *o)
{
	unsigned char mac[SHA256_BYTES];
	const char *key = address_key(conf, mem),
		   *is = arena_printf(mem, "hls %s %d", c->id, index_of(mem, c, o));

	if (c->code_version > 0)
		is = arena_printf(mem, "%s %lld", is, (long long)c->code_version);
	hmac(key, strlen(key), is, strlen(is), mac);
	return hex(mem, mac, NAME_BYTES);
}

const char *
channel_outputs_folder(const struct conf *conf, struct arena *mem,
    const struct channel *c, const struct json *o)
{
	if (!is_protocol(o, "hls_pull") || conf->hls_dir[0] == '\0')
		return NULL;
	return arena_printf(mem, "%s/%s", conf->hls_dir, folder_name(conf, mem, c, o));
}

const char *
channel_outputs_hls_base(const struct conf *conf, struct arena *mem)
{
	return conf->hls_public_url[0] != '\0'
		   ? conf->hls_public_url
		   : arena_printf(mem, "%s/hls", conf->stream_public_url);
}

const char *
channel_outputs_hls_url(const struct conf *conf, struct arena *mem,
    const struct channel *c, const struct json *o, const char *file)
{
	if (!is_protocol(o, "hls_pull") || conf->hls_dir[0] == '\0')
		return NULL;
	return arena_printf(mem, "%s/%s/%s.m3u8", channel_outputs_hls_base(conf, mem),
	    folder_name(conf, mem, c, o), file);
}

static bool
has_language(const struct json *o, const char *language)
{
	const struct json *all = json_get_list(o, "lang_codes"), *code;

	for (code = all != NULL ? all->kids : NULL; code != NULL; code = code->next)
		if (code->type == JSON_TEXT && strcmp(code->u.s, language) == 0)
			return true;
	return false;
}

/* The output of HLS with this language, a folded code; NULL: none. */
static const struct json *
find_hls(struct arena *mem, const struct channel *c, const char *code)
{
	const char *why;
	const struct json *o;

	if (strstr(c->outputs, "hls_pull") == NULL)
		return NULL;
	o = json_read(mem, c->outputs, strlen(c->outputs), &why);
	o = o != NULL ? o->kids : NULL;
	while (o != NULL && (!is_protocol(o, "hls_pull") || !has_language(o, code)))
		o = o->next;
	return o;
}

const char *
channel_outputs_hls_of(const struct conf *conf, struct arena *mem,
    const struct channel *c, const char *language)
{
	const char *code = lang_fold(mem, language);
	const struct json *o = find_hls(mem, c, code);

	return o != NULL ? channel_outputs_hls_url(conf, mem, c, o, code) : NULL;
}

bool
channel_outputs_hls_first(
    struct arena *mem, const struct channel *c, const char *language)
{
	const struct json *o = find_hls(mem, c, lang_fold(mem, language));
	const char *when = o != NULL ? json_get_text(o, "attendees") : NULL;

	return when != NULL && strcmp(when, "first") == 0;
}

bool
channel_outputs_has_bucket(const struct conf *conf)
{
	return strcmp(conf->hls_store, "bucket") == 0;
}

/* The prefix of a folder's files in the bucket. */
static const char *
bucket_prefix(struct arena *mem, const char *folder)
{
	return arena_printf(mem, "hls/%s", folder);
}

/* Remove a folder with its files. */
static void
remove_folder(int at, const char *name, DIR *dir)
{
	const struct dirent *e;

	while ((e = readdir(dir)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			unlinkat(dirfd(dir), e->d_name, 0);
	unlinkat(at, name, AT_REMOVEDIR);
}

/* True if no child uses the folder; our lock keeps new ones out while it is open. */
static bool
is_left(DIR *dir, int64_t before_us)
{
	struct stat st;

	return flock(dirfd(dir), LOCK_EX | LOCK_NB) == 0 &&
	       fstat(dirfd(dir), &st) == 0 && st.st_mtime < before_us / S_US;
}

/* A file of this name marks a folder of HLS whose files in the bucket must be
   removed. */
#define GONE "gone"

/*
 * Rename the folder to a random name, so its address ends at once even if a child still
 * writes; it expires as others do. Files in a bucket have the folder's name, so with a
 * bucket the folder keeps its name and is marked.
 */
static void
forget_folder(const struct conf *conf, struct arena *mem, const char *folder)
{
	unsigned char name[NAME_BYTES];
	int fd;

	if (channel_outputs_has_bucket(conf)) {
		fd = open(arena_printf(mem, "%s/" GONE, folder),
		    O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd >= 0)
			close(fd);
		return;
	}
	random_bytes(name, sizeof(name));
	if (rename(folder, arena_printf(mem, "%s/%s", conf->hls_dir,
			       hex(mem, name, sizeof(name)))) != 0 &&
	    errno != ENOENT)
		log_error("%s: cannot be renamed: %s", folder, strerror(errno));
}

void
channel_outputs_forget(
    const struct conf *conf, struct arena *mem, const struct channel *c)
{
	const char *why, *folder;
	const struct json *o;

	if (strstr(c->outputs, "hls_pull") == NULL)
		return;
	o = json_read(mem, c->outputs, strlen(c->outputs), &why);
	for (o = o != NULL ? o->kids : NULL; o != NULL; o = o->next)
		if ((folder = channel_outputs_folder(conf, mem, c, o)) != NULL)
			forget_folder(conf, mem, folder);
}

void
channel_outputs_forget_older(
    const struct conf *conf, struct arena *mem, const struct channel *c)
{
	struct channel before = *c;

	if (c->code_version < 1)
		return;
	before.code_version--;
	channel_outputs_forget(conf, mem, &before);
}

/* Remove files from the bucket first: the folder records that they exist. */
static enum err
expire_folder(const struct conf *conf, struct arena *mem, int at, const char *name)
{
	DIR *dir = fdopendir(
	    openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	int64_t before_us = now_us();
	enum err e = OK;

	if (dir == NULL)
		return OK;
	if (faccessat(dirfd(dir), GONE, F_OK, 0) != 0)
		before_us -= HLS_KEPT_S * S_US;
	if (is_left(dir, before_us)) {
		if (channel_outputs_has_bucket(conf))
			e = blob_bucket_clear(
			    conf, mem, bucket_prefix(mem, name), before_us);
		if (e == OK)
			remove_folder(at, name, dir);
	}
	closedir(dir);
	return e;
}

enum err
channel_outputs_expire(const struct conf *conf, struct arena *mem)
{
	DIR *dir = conf->hls_dir[0] != '\0' ? opendir(conf->hls_dir) : NULL;
	const struct dirent *f;
	enum err e = OK;

	if (dir == NULL)
		return OK;
	while (e == OK && (f = readdir(dir)) != NULL)
		if (strlen(f->d_name) == 2 * NAME_BYTES)
			e = expire_folder(conf, mem, dirfd(dir), f->d_name);
	closedir(dir);
	return e;
}

/* ---- orders ---- */

bool
channel_outputs_has_low_latency(const struct conf *conf)
{
	return conf->hls_dir[0] != '\0' && !channel_outputs_has_bucket(conf) &&
	       strcmp(conf->hls_low_latency, "no") != 0 &&
	       (strcmp(conf->hls_low_latency, "yes") == 0 ||
		   conf->hls_public_url[0] == '\0');
}

static void
put_bucket(const struct conf *conf, struct json_writer *j, struct arena *mem,
    const char *folder)
{
	jw_open(j, "bucket");
	jw_text(j, "url",
	    arena_printf(
		mem, "%s/%s", blob_bucket_url(conf, mem), bucket_prefix(mem, folder)));
	jw_text(j, "access_key", conf->blob_access_key);
	jw_text(j, "secret_key", conf->blob_secret_key);
	jw_text(j, "region", conf->blob_region);
	jw_close(j);
}

/* True if the channel has this language. */
static bool
is_of_channel(struct arena *mem, const struct channel *c, const char *code)
{
	struct list targets = texts_read(mem, c->target_languages);

	return languages_have(&targets, code) || strcmp(code, "original") == 0 ||
	       strcmp(code, c->source_language) == 0;
}

/*
 * Write only languages that the channel has, because each needs an encoder; at least
 * one.
 */
static void
put_languages(struct json_writer *j, struct arena *mem, const struct channel *c,
    const struct json *o)
{
	const struct json *all = json_get_list(o, "lang_codes"), *code;
	const char *first = json_get_text(o, "lang_code");
	bool any = false;

	jw_list(j, "languages");
	for (code = all != NULL ? all->kids : NULL; code != NULL; code = code->next) {
		if (code->type != JSON_TEXT)
			continue;
		if (first == NULL)
			first = code->u.s;
		if (!is_of_channel(mem, c, code->u.s))
			continue;
		jw_text(j, NULL, code->u.s);
		any = true;
	}
	if (!any)
		jw_text(j, NULL, first);
	jw_close(j);
}

const char *
channel_outputs_order(const struct conf *conf, struct arena *mem,
    const struct channel *c, const struct json *o)
{
	static const char *const members[] = { "protocol", "server", "stream_key",
		"stream_id", "mount", "format" };
	const char *folder = channel_outputs_folder(conf, mem, c, o);
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	double delay_s = fmax(0, fmin(c->original_delay_s, CHANNEL_DELAY_S_MOST));

	jw_open(&j, NULL);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (json_get(o, members[i]) != NULL)
			jw_json(&j, members[i], json_get(o, members[i]));
	if (folder != NULL)
		jw_text(&j, "directory", folder);
	if (folder != NULL)
		jw_bool(&j, "low_latency", channel_outputs_has_low_latency(conf));
	if (folder != NULL && channel_outputs_has_bucket(conf))
		put_bucket(conf, &j, mem, folder_name(conf, mem, c, o));
	if (channel_outputs_records(o)) {
		jw_text(&j, "source_language", c->source_language);
		jw_int(&j, "max_bytes", conf->recordings_max_bytes);
		jw_int(&j, "reserve_bytes", conf->blob_reserve_bytes);
	}
	jw_int(&j, "delay_ms", (int64_t)(delay_s * 1000));
	jw_real(&j, "ducked_volume", c->original_volume);
	jw_bool(&j, "picture",
	    !c->ignore_video && strcmp(c->input_type, "webrtc_push") != 0);
	jw_bool(&j, "allow_private", conf->egress_allow_private);
	put_languages(&j, mem, c, o);
	jw_close(&j);
	return buf_text(&b);
}

/* ---- streams of a plan ---- */

int64_t
channel_streams(struct arena *mem, const struct channel *c)
{
	const char *why;
	const struct json *o = json_read(mem, c->outputs, strlen(c->outputs), &why);
	int64_t n = strcmp(c->input_type, "webrtc_push") != 0;

	for (o = o != NULL ? o->kids : NULL; o != NULL; o = o->next)
		n += channel_outputs_makes(o);
	return n;
}

enum err
channel_streams_allow(struct db *db, struct arena *mem, int64_t most,
    const struct channel *was, const struct channel *now)
{
	int64_t own = channel_streams(mem, now), others;
	enum err e;

	if (most == 0 || own <= (was != NULL ? channel_streams(mem, was) : 0))
		return OK;
	e = channels_streaming(db, now->account, now->id, &others);
	return e == OK && others + own > most ? ERR_LIMIT : e;
}
