/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "channel/egress_outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/be.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "channel/caption_outputs.h"
#include "channel/channel_child.h"
#include "channel/channel_internal.h"
#include "channel/output_save.h"
#include "egress/egress_wire.h"
#include "media/picture_wire.h"
#include "service/captions.h"
#include "service/channel_outputs.h"
#include "service/recording_store.h"

#define NAME "dragoman-egress"
#define SEGMENT_BYTES ((size_t)16 << 20) /* the largest file that it may write */
#define DAY_US (86400 * S_US)
#define TURN_MESSAGES 10
#define LANGUAGE_PERCENT 10 /* percent of a processor at most for each language */
#define SPENT "The output took more processor time than broadcast.cpu_percent allows."
/*
 * A read that happens while a file is collected may count the file twice. So a
 * recording ends only after several such reads.
 */
#define FULL_READS 2
#define STORAGE_FULL "The account has stored all that its plan allows."

struct egress_output {
	struct egress_output *next; /* next output of the same channel */
	struct arena *mem;          /* owned */
	const char *order, *folder;
	bool records; /* true for a recording */
	int full;     /* successive reads at which the plan's storage was used up */
	const char *codes[EGRESS_LANGUAGES_MOST];
	size_t n;
	struct channel_child child;
	struct channel_output is; /* state to be stored */
	char why[200];            /* is.error, if that is not NULL */
	bool no_picture;          /* a picture was lost: wait for the next keyframe */
	bool unwritten;           /* the state differs from the stored one */
	int64_t saved_us;         /* last write */
};

/* ---- the outputs of a row ---- */

static struct egress_output_row
read_output(const struct conf *conf, struct arena *mem, const struct channel *c,
    const struct json *o, const struct list *made)
{
	const char *id = channel_output_id(mem, o);
	const struct channel_output *is = channel_output_of(made, id);

	return (
	    struct egress_output_row){ .order = channel_outputs_order(conf, mem, c, o),
		.folder = channel_outputs_folder(conf, mem, c, o),
		.records = channel_outputs_records(o),
		.is = is != NULL
			  ? *is
			  : (struct channel_output){
				.id = id, .runtime = "pending", .bitrate = NAN } };
}

enum err
egress_outputs_read(const struct conf *conf, struct db *db, struct arena *mem,
    const struct channel *c, struct list *to)
{
	struct buf b = { .mem = mem };
	struct egress_output_row row;
	const struct json *o;
	struct list made;
	const char *why;
	bool full = false;
	enum err e;

	*to = (struct list){ 0 };
	if (strcmp(c->outputs, "[]") == 0)
		return OK;
	if ((e = channel_output_list(db, mem, c->id, &made)) != OK ||
	    (strstr(c->outputs, "\"recording\"") != NULL &&
		(e = recording_full(conf, db, mem, c->account, &full)) != OK))
		return e;
	o = json_read(mem, c->outputs, strlen(c->outputs), &why);
	for (o = o != NULL ? o->kids : NULL; o != NULL; o = o->next)
		if (channel_outputs_makes(o) &&
		    channel_outputs_lacks(conf, o) == NULL) {
			row = read_output(conf, mem, c, o, &made);
			row.full = row.records && full;
			buf_put(&b, &row, sizeof(row));
		}
	*to = (struct list){ b.p, b.len / sizeof(row) };
	return OK;
}

/* ---- storing the state ---- */

static void
keep_unwritten(struct session *s, const char *id, const char *language)
{
	(void)language;
	for (struct egress_output *o = s->channel->egress; o != NULL; o = o->next)
		if (strcmp(o->is.id, id) == 0)
			o->unwritten = true;
}

static void
save(struct session *s, struct egress_output *o)
{
	o->unwritten = false;
	o->saved_us = monotonic_us();
	output_save(s, &o->is, NULL, keep_unwritten);
}

static void
set_runtime(struct session *s, struct egress_output *o, const char *runtime,
    const char *error, double bitrate)
{
	bool same = strcmp(o->is.runtime, runtime) == 0 &&
		    (error == NULL) == (o->is.error == NULL) &&
		    (error == NULL || strcmp(error, o->is.error) == 0);

	if (same && !channel_child_rate_is_far(bitrate, o->is.bitrate))
		return;
	if (!same && error != NULL)
		log_warn("channel %s: an output fails: %s", s->id, error);
	if (error != NULL && error != o->why)
		snprintf(o->why, sizeof(o->why), "%s", error);
	o->is.runtime = runtime;
	o->is.error = error != NULL ? o->why : NULL;
	o->is.bitrate = bitrate;
	save(s, o);
}

/* ---- the list of outputs ---- */

/* Count each output as a listener of all languages, whose sound it receives. */
static void
count(struct session *s, int by)
{
	s->wanted[FANOUT_OPUS] += by;
	s->wanted[FANOUT_ORIGINAL] += by;
	fanout_demand(s);
}

static bool
is_of(const struct egress_output *o, const struct egress_output_row *r)
{
	return strcmp(o->order, r->order) == 0;
}

static void
read_codes(struct egress_output *o)
{
	const char *why;
	const struct json *order = json_read(o->mem, o->order, strlen(o->order), &why),
			  *code = json_get_list(order, "languages");

	for (code = code != NULL ? code->kids : NULL;
	     code != NULL && o->n < EGRESS_LANGUAGES_MOST; code = code->next)
		if (code->type == JSON_TEXT)
			o->codes[o->n++] = code->u.s;
}

static void
open_output(struct session *s, const struct egress_output_row *r)
{
	struct arena *mem = arena_new();
	struct egress_output *o = arena_alloc(mem, sizeof(*o));

	*o = (struct egress_output){ .next = s->channel->egress,
		.mem = mem,
		.order = arena_str(mem, r->order),
		.folder = arena_str(mem, r->folder),
		.records = r->records,
		.full = r->full,
		.child = CHANNEL_CHILD_NONE,
		.is = { .id = arena_str(mem, r->is.id),
		    .runtime = "pending",
		    .bitrate = NAN } };
	o->unwritten = strcmp(r->is.runtime, "pending") != 0 || !isnan(r->is.bitrate);
	read_codes(o);
	s->channel->egress = o;
	count(s, 1);
}

static void
close_output(struct session *s, struct egress_output *o)
{
	channel_child_stop(s->gateway, &o->child, NAME);
	arena_free(o->mem);
	count(s, -1);
}

void
egress_outputs_follow(struct session *s, const struct list *rows)
{
	const struct egress_output_row *r = rows->items;
	struct egress_output **at = &s->channel->egress, *o;

	while ((o = *at) != NULL) {
		size_t i = 0;

		while (i < rows->n && !is_of(o, r + i))
			i++;
		if (i < rows->n) {
			o->full = r[i].full ? o->full + 1 : 0;
			at = &o->next;
			continue;
		}
		*at = o->next;
		close_output(s, o);
	}
	for (size_t i = 0; i < rows->n; i++) {
		for (o = s->channel->egress; o != NULL && !is_of(o, r + i); o = o->next)
			;
		if (o == NULL)
			open_output(s, r + i);
	}
}

void
egress_outputs_free(struct session *s)
{
	egress_outputs_follow(s, &(const struct list){ 0 });
}

/* ---- the children ---- */

/* Media time begins at the midnight before the first child, see egress/egress.h. */
static const char *
dated_order(struct session *s, struct arena *mem, const struct egress_output *o,
    const char *folder)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	if (s->channel->epoch_us == 0)
		s->channel->epoch_us = now_us() / DAY_US * DAY_US;
	jw_open(&j, NULL);
	jw_int(&j, "epoch_us", s->channel->epoch_us);
	if (o->records)
		jw_text(&j, "directory", folder);
	buf_printf(&b, ",%s", o->order + 1);
	return buf_text(&b);
}

/* Make the folder of a child; NULL: it needs none. */
static const char *
make_folder(struct session *s, struct arena *mem, const struct egress_output *o)
{
	if (o->records)
		return recording_folder(s->gateway->conf, mem, s->id);
	if (o->folder != NULL) {
		mkdir(s->gateway->conf->hls_dir, 0755);
		mkdir(o->folder, 0755);
	}
	return o->folder;
}

static void
start(struct session *s, struct egress_output *o)
{
	struct arena *mem = arena_new();
	int64_t percent = s->gateway->conf->broadcast_cpu_percent;
	const char *folder = make_folder(s, mem, o);
	const struct child what = { .reads = EGRESS_READS,
		.writes = folder,
		.out_bytes = o->records ? (size_t)s->gateway->conf->recordings_max_bytes
					: SEGMENT_BYTES,
		.tcp = folder == NULL ||
		       (!o->records && channel_outputs_has_bucket(s->gateway->conf)) };
	enum err e;

	if (percent > 0)
		percent += LANGUAGE_PERCENT * (int64_t)o->n;
	e = channel_child_start(s->gateway, &o->child, NAME, &what, percent,
	    dated_order(s, mem, o, folder));
	if (e == ERR_LIMIT)
		set_runtime(s, o, "failed", CHANNEL_CHILD_FULL, NAN);
	if (e != OK && o->records)
		rmdir(folder);
	arena_free(mem);
}

static void
receive_status(struct session *s, struct egress_output *o, const char *p, size_t n)
{
	struct arena *mem = arena_new();
	const char *why;
	const struct json *is = json_read(mem, p, n, &why);
	const char *error = json_get_text(is, "error"),
		   *status = json_get_text(is, "status");
	int64_t bitrate = json_get_int(is, "bitrate", -1);
	bool active = status != NULL && strcmp(status, "active") == 0;

	set_runtime(s, o,
	    error != NULL ? "failed"
	    : active      ? "active"
			  : "pending",
	    error, bitrate >= 0 ? (double)bitrate : NAN);
	arena_free(mem);
}

static void
receive_all(struct session *s, struct egress_output *o)
{
	static char bytes[EGRESS_MESSAGE_MOST]; /* used by the event loop only */
	ssize_t n = 1;

	for (int i = 0; i < TURN_MESSAGES && n > 0; i++) {
		n = channel_child_receive(
		    s->gateway, &o->child, NAME, bytes, sizeof(bytes));
		if (n > 0 && bytes[0] == EGRESS_STATUS)
			receive_status(s, o, bytes + 1, (size_t)n - 1);
	}
	if (n < 0)
		set_runtime(s, o, "pending",
		    channel_child_spent(&o->child) ? SPENT : o->is.error, NAN);
}

static bool
is_running(const struct session *s)
{
	return s->state != STATE_NONE && s->state != STATE_CLOSED && !s->closed &&
	       !s->gateway->stopping;
}

static void
tick(struct session *s, int64_t now)
{
	for (struct egress_output *o = s->channel->egress; o != NULL; o = o->next) {
		if (!is_running(s) && o->child.socket.pid > 0) {
			channel_child_stop(s->gateway, &o->child, NAME);
			set_runtime(s, o, o->is.runtime, o->is.error, NAN);
		}
		if (o->child.socket.pid > 0 && o->full >= FULL_READS)
			channel_child_stop(s->gateway, &o->child, NAME);
		if (o->child.socket.pid > 0)
			receive_all(s, o);
		else if (is_running(s) && o->full)
			set_runtime(s, o, "failed", STORAGE_FULL, NAN);
		else if (is_running(s) && now >= o->child.start_us)
			start(s, o);
		if (o->unwritten && now >= o->saved_us + S_US)
			save(s, o);
	}
}

/* ---- sending to the children ---- */

/* Send a message. False: the child's socket is full, and the message is lost. */
static bool
send_message(const struct egress_output *o, const struct buf *b)
{
	return b->len <= EGRESS_MESSAGE_MOST &&
	       send(o->child.socket.fd, b->p, b->len, MSG_NOSIGNAL) >= 0;
}

/*
 * The index of a target in the output's order; -1: the order does not have it. An
 * original that is not in the order comes after the languages.
 */
static int
index_of(const struct egress_output *o, const struct task *t, int target)
{
	const char *code = target < 0 ? "original" : t->targets[target].language.code;

	if (o->child.socket.pid <= 0)
		return -1;
	for (size_t i = 0; i < o->n; i++)
		if (strcmp(o->codes[i], code) == 0)
			return (int)i;
	return target < 0 ? (int)o->n : -1;
}

static void
play(struct session *s, const struct sink_audio *a)
{
	struct arena *mem;
	struct buf b;
	int i;

	if (s->channel->egress == NULL ||
	    (a->target < 0 &&
		s->channel->ingress != NULL)) /* handled by egress_outputs_original() */
		return;
	mem = arena_new();
	for (const struct egress_output *o = s->channel->egress; o != NULL; o = o->next)
		if ((i = index_of(o, a->task, a->target)) >= 0) {
			b = (struct buf){ .mem = mem };
			buf_put(
			    &b, (const char[]){ EGRESS_AUDIO, (char)i, a->last }, 3);
			buf_put(&b, a->packets.bytes, a->packets.n);
			send_message(o, &b);
		}
	arena_free(mem);
}

/* Begin a message that has a time after its first two bytes. */
static struct buf
timed(struct arena *mem, enum egress_kind kind, int64_t us, const void *p, size_t n)
{
	struct buf b = { .mem = mem };
	unsigned char head[10] = { (unsigned char)kind, 0 };

	put_be32(head + 2, (uint32_t)((uint64_t)us >> 32));
	put_be32(head + 6, (uint32_t)us);
	buf_put(&b, head, sizeof(head));
	buf_put(&b, p, n);
	return b;
}

void
egress_outputs_original(struct session *s, int64_t time_us, struct opus_packets packets)
{
	struct arena *mem = arena_new();
	struct buf b = timed(mem, EGRESS_ORIGINAL, time_us, packets.bytes, packets.n);

	for (const struct egress_output *o = s->channel->egress; o != NULL; o = o->next)
		if (o->child.socket.pid > 0)
			send_message(o, &b);
	arena_free(mem);
}

/* After a lost picture, skip the pictures that refer to it, until the next keyframe. */
void
egress_outputs_picture(
    struct session *s, int64_t base_us, const char *message, size_t n)
{
	struct arena *mem = arena_new();
	struct buf b = timed(mem, EGRESS_PICTURE, base_us, message, n);
	bool key = picture_message_is_key(message, n);

	for (struct egress_output *o = s->channel->egress; o != NULL; o = o->next)
		if (o->child.socket.pid > 0 && (!o->no_picture || key))
			o->no_picture = !send_message(o, &b);
	arena_free(mem);
}

static void
flush(struct session *s, const struct task *t, int target)
{
	for (const struct egress_output *o = s->channel->egress; o != NULL; o = o->next)
		for (int k = 0; k < (int)t->n_targets; k++) {
			int i = target < 0 || k == target ? index_of(o, t, k) : -1;
			char flush[] = { EGRESS_FLUSH, (char)i };

			if (i >= 0)
				send_message(o, &(const struct buf){
						    .p = flush, .len = sizeof(flush) });
		}
}

/* ---- captions ---- */

struct captions_for {
	const struct egress_output *output;
	size_t i;
};

static void
send_caption(void *arg, const struct caption *c)
{
	const struct captions_for *to = arg;
	struct arena *mem = arena_small(512);
	struct buf b = { .mem = mem };
	unsigned char head[6] = { EGRESS_CAPTION, (unsigned char)to->i };

	put_be32(head + 2, (uint32_t)(c->end_ms - c->start_ms));
	buf_put(&b, head, sizeof(head));
	buf_str(&b, c->rows[0]);
	if (c->rows[1] != NULL) {
		buf_str(&b, "\n");
		buf_str(&b, c->rows[1]);
	}
	send_message(to->output, &b);
	arena_free(mem);
}

static void
send_text(struct session *s, const struct task *t, const struct pipeline_event *event)
{
	const struct pipeline_line *l = &event->line;

	if (l->text == NULL || !text_valid(l->text, strlen(l->text)))
		return;
	for (const struct egress_output *o = s->channel->egress; o != NULL; o = o->next)
		for (size_t i = 0; o->child.socket.pid > 0 && i < o->n; i++)
			if (caption_is_for(o->codes[i], t, event)) {
				struct captions_for to = { o, i };

				caption_split(l, send_caption, &to);
			}
}

const struct sink_ops egress_sink = { .of_channels = true,
	.of_owner = true,
	.send_text = send_text,
	.play = play,
	.flush = flush,
	.tick = tick,
	.forget = egress_outputs_free };
