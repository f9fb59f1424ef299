/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The guest's side: the owner's output goes to the sinks of this session, and speakers
 * here to the owner.
 */
#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/lang.h"
#include "base/log.h"
#include "channel/relay_internal.h"
#include "channel/text_backlog.h"
#include "channel/transcript_correction.h"
#include "gateway/shared_buffer.h"

#define ASK_US S_US         /* time between two tries to own the channel */
#define ALONE_US (5 * S_US) /* without NATS and an owner the session ends */

static struct gateway *
gateway_of(const struct relay *r)
{
	return r->session->gateway;
}

static void
publish(const struct relay *r, struct json_writer *j, const void *bytes, size_t n)
{
	char subject[RELAY_SUBJECT];

	jw_text(j, "node", gateway_of(r)->conf->node);
	relay_publish(
	    gateway_of(r), relay_subject(subject, r->session->id, "in"), j, bytes, n);
}

/* ---- what local listeners want ---- */

static void receive_sound(struct gateway *, struct thread_call *);

static void
want(struct relay *r, const char *kind, const char *code)
{
	struct relay_sound *s = r->sounds;
	char name[RELAY_SUBJECT], subject[RELAY_SUBJECT];
	struct arena *mem;

	snprintf(name, sizeof(name), "%s.%s", kind, code);
	while (s != NULL && strcmp(s->want, name) != 0)
		s = s->next;
	if (s == NULL) {
		mem = arena_small(sizeof(*s) + sizeof(name));
		s = arena_alloc(mem, sizeof(*s));
		*s = (struct relay_sound){
			.next = r->sounds, .mem = mem, .want = arena_str(mem, name)
		};
		s->from = cluster_subscribe(gateway_of(r)->cluster,
		    relay_subject(subject, r->session->id, name), receive_sound, r);
		r->sounds = s;
	}
	s->wanted = true;
}

static void
want_all(struct relay *r, const char *kind)
{
	const struct task *t = session_task(r->session);

	for (size_t i = 0; t != NULL && i < t->n_targets; i++)
		want(r, kind, t->targets[i].language.code);
}

/* A participant may play the track of any language. */
static void
want_for(struct relay *r, const struct connection *c)
{
	const struct connection_request *v = c->request;
	const char *kind = c->transport->tracks || v->opus ? "opus" : "pcm",
		   *code = listeners_language(c);

	if (v->writes || !v->listens || !(v->audio || c->transport->tracks))
		return;
	if (v->signal != NULL || strcmp(c->tuned.language, "all") == 0)
		want_all(r, kind);
	if (code != NULL)
		want(r, kind, code);
}

static void
drop_sound(struct relay_sound **at)
{
	struct relay_sound *s = *at;

	*at = s->next;
	cluster_unsubscribe(s->from);
	arena_free(s->mem);
}

static void
follow_wants(struct relay *r)
{
	for (struct relay_sound *s = r->sounds; s != NULL; s = s->next)
		s->wanted = false;
	for (const struct connection *c = r->session->connections; c != NULL;
	     c = c->next)
		want_for(r, c);
	for (struct relay_sound **at = &r->sounds; *at != NULL;)
		if ((*at)->wanted)
			at = &(*at)->next;
		else
			drop_sound(at);
}

static void
send_hello(struct relay *r)
{
	struct buf b;
	struct json_writer j = relay_begin(&b, "hello", r->epoch);

	r->hello_us = monotonic_us();
	r->changed = false;
	follow_wants(r);
	jw_list(&j, "wants");
	for (const struct relay_sound *s = r->sounds; s != NULL; s = s->next)
		jw_text(&j, NULL, s->want);
	if (r->session->wanted[FANOUT_PARTIALS] > 0)
		jw_text(&j, NULL, "partials");
	jw_close(&j);
	jw_bool(&j, "waits", !r->ready);
	jw_bool(&j, "behind", r->behind);
	r->behind = false;
	publish(r, &j, "", 0);
}

static void
demand(struct session *s)
{
	s->channel->relay->changed = true;
}

/* ---- local speakers ---- */

static struct relay_writer *
writer_of(const struct relay *r, const struct connection *c)
{
	struct relay_writer *w = r->writers;

	while (w != NULL && w->connection != c)
		w = w->next;
	return w;
}

/* number: of sound, else 0. */
static void
send_input(const struct relay *r, const struct relay_writer *w, const char *type,
    int64_t number, const void *bytes, size_t n)
{
	const struct connection_request *v = w->connection->request;
	struct buf b;
	struct json_writer j = relay_begin(&b, type, r->epoch);

	jw_text(&j, "conn", w->id);
	jw_int(&j, "number", number);
	if (strcmp(type, "open") == 0) {
		jw_bool(&j, "listens", v->listens);
		jw_bool(&j, "audio", v->audio);
		jw_bool(&j, "opus", v->opus);
		jw_bool(&j, "tracks", w->connection->transport->tracks);
		jw_int(&j, "speaker_version", v->speaker_version);
	}
	publish(r, &j, bytes, n);
}

static void
open_at_owner(const struct relay *r, struct relay_writer *w)
{
	w->epoch = r->epoch;
	send_input(r, w, "open", 0, "", 0);
	if (w->set_task.len > 0)
		send_input(r, w, "say", 0, w->set_task.p, w->set_task.len);
}

/* Send the first waiting message; sound is kept until the owner confirms it. */
static void
send_first(const struct relay *r, struct relay_writer *w)
{
	const struct relay_input *k = relay_queue_first(&w->waiting);

	send_input(r, w, k->kind == RELAY_PACKET ? "packet" : "say", k->number,
	    k->bytes, k->n);
	if (k->kind != RELAY_COMMAND)
		relay_queue_move_first(&w->sent, &w->waiting);
	else
		relay_queue_drop_first(&w->waiting);
}

static void
pass(const struct relay *r, struct relay_writer *w, enum relay_input_kind kind,
    const char *p, size_t n)
{
	relay_queue_put(
	    &w->waiting, kind, kind == RELAY_COMMAND ? 0 : ++w->sounds, p, n);
	if (r->ready)
		send_first(r, w);
}

static void
enter(struct connection *c)
{
	struct relay *r = c->session->channel->relay;
	struct arena *mem = arena_new();
	struct relay_writer *w = arena_alloc(mem, sizeof(*w));

	*w = (struct relay_writer){
		.next = r->writers, .mem = mem, .id = id_new(mem), .connection = c
	};
	relay_queue_init(&w->waiting);
	relay_queue_init(&w->sent);
	r->writers = w;
	if (r->ready)
		open_at_owner(r, w);
}

static bool
sets_task(const char *p, size_t n)
{
	return memmem(p, n, "\"set_task\"", strlen("\"set_task\"")) != NULL;
}

static void
say(struct connection *c, const char *p, size_t n)
{
	struct relay *r = c->session->channel->relay;
	struct relay_writer *w = writer_of(r, c);
	enum relay_input_kind kind = relay_input_kind_of(p, n);

	if (w == NULL)
		return;
	if (kind == RELAY_COMMAND && n <= TASK_BYTES && sets_task(p, n)) {
		arena_free(w->set_mem);
		w->set_mem = arena_new();
		w->set_task = (struct buf){ .mem = w->set_mem };
		buf_put(&w->set_task, p, n);
	}
	pass(r, w, kind, p, n);
}

static void
packet(struct session *s, const void *p, size_t n)
{
	struct relay *r = s->channel->relay;
	struct relay_writer *w = r->writers;

	while (w != NULL && !w->connection->transport->tracks)
		w = w->next;
	if (w != NULL)
		pass(r, w, RELAY_PACKET, p, n);
}

static bool
is_behind(const struct session *s)
{
	return !s->channel->relay->synced;
}

static void
remove_writer(struct relay *r, struct relay_writer *w)
{
	struct relay_writer **at = &r->writers;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	relay_queue_clear(&w->waiting);
	relay_queue_clear(&w->sent);
	arena_free(w->set_mem);
	arena_free(w->mem);
}

static void
leave(struct connection *c)
{
	struct relay *r = c->session->channel->relay;
	struct relay_writer *w = writer_of(r, c);

	if (w == NULL)
		return;
	if (r->ready)
		send_input(r, w, "left", 0, "", 0);
	remove_writer(r, w);
}

const struct guest_ops relay_guest_ops = {
	.entered = enter,
	.message = say,
	.left = leave,
	.packet = packet,
	.demand = demand,
	.is_behind = is_behind,
};

bool
relay_guest_tell(struct relay *r, const struct relay_message *m)
{
	const char *id = json_get_text(m->head, "conn");
	struct relay_writer *w = r->writers;
	struct shared_buffer *p;
	int64_t why = json_get_int(m->head, "why", 0);

	while (w != NULL && id != NULL && strcmp(w->id, id) != 0)
		w = w->next;
	if (w == NULL || m->epoch != r->epoch)
		return false;
	if (strcmp(m->type, "again") == 0)
		open_at_owner(r, w);
	else if (strcmp(m->type, "end") == 0 && why >= 0 && why < CLOSE_KINDS)
		connection_end(w->connection, (enum close_why)why);
	else if (strcmp(m->type, "tell") == 0) {
		p = shared_buffer_new(m->bytes, m->n);
		connection_put(w->connection, p, 0);
		shared_buffer_drop(p);
	}
	return true;
}

void
relay_guest_replay(struct relay *r)
{
	struct session *s = r->session;
	const struct relay_input *k;
	struct relay_writer *w;

	while ((w = r->writers) != NULL) {
		struct connection *c = w->connection;

		s->ops->entered(s, c);
		if (w->set_task.len > 0)
			s->ops->message(c, w->set_task.p, w->set_task.len, false);
		relay_queue_prepend(&w->waiting, &w->sent);
		while ((k = relay_queue_first(&w->waiting)) != NULL) {
			if (k->kind == RELAY_PACKET)
				s2s_packet(s, k->bytes, k->n);
			else
				s->ops->message(c, k->bytes, k->n, false);
			relay_queue_drop_first(&w->waiting);
		}
		remove_writer(r, w);
	}
}

/* ---- the owner's state ---- */

static void
read_targets(struct arena *mem, const struct json *list, struct task *t)
{
	const struct json *pair = list != NULL ? list->kids : NULL;

	t->targets = arena_alloc(mem, TASK_TARGETS * sizeof(*t->targets));
	for (; pair != NULL && t->n_targets < TASK_TARGETS; pair = pair->next) {
		const struct json *code = pair->kids,
				  *said = code != NULL ? code->next : NULL;

		if (said == NULL || code->type != JSON_TEXT || said->type != JSON_TEXT)
			continue;
		t->targets[t->n_targets++].language =
		    (struct language_code){ .code = arena_str(mem, code->u.s),
			    .said = arena_str(mem, said->u.s) };
	}
}

/* Play the owner's languages, which may have changed. */
static void
follow_task(struct relay *r, const struct json *task)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	struct pipeline_config w = { .mem = mem };
	struct task *t;
	const char *code;

	jw_json(&j, NULL, task);
	if (r->task_text != NULL && strcmp(r->task_text, buf_text(&b)) == 0) {
		arena_free(mem);
		return;
	}
	t = arena_alloc(mem, sizeof(*t));
	code = json_get_text(task, "language");
	t->language.code = t->language.said = arena_str(mem, code != NULL ? code : "");
	read_targets(mem, json_get_list(task, "targets"), t);
	w.task = *t;
	r->session->guest_task = t;
	arena_free(r->task_mem);
	r->task_mem = mem;
	r->task_text = buf_text(&b);
	listeners_changed(r->session);
	sinks_begin(r->session, &w);
	fanout_check_all(r->session);
	r->changed = true;
}

/* The owner takes input: send what has been kept. */
static void
flush_waiting(struct relay *r)
{
	r->ready = true;
	for (struct relay_writer *w = r->writers; w != NULL; w = w->next) {
		if (w->epoch != r->epoch) {
			open_at_owner(r, w);
			relay_queue_prepend(&w->waiting, &w->sent);
		}
		while (relay_queue_first(&w->waiting) != NULL)
			send_first(r, w);
	}
}

/* Another node owns the channel now: continue there. */
static void
follow_owner(struct relay *r, int64_t epoch)
{
	r->epoch = epoch;
	r->seq = -1;
	r->behind = true;
	flush_waiting(r);
	send_hello(r);
}

/* The owner has sent the texts of this sound, or will. */
static void
confirm_sound(struct relay *r, const struct relay_message *m)
{
	const struct json *done = json_get(m->head, "done");
	bool gone = json_get_bool(m->head, "gone");

	for (struct relay_writer *w = r->writers; w != NULL; w = w->next)
		if (gone)
			relay_queue_clear(&w->sent);
		else
			relay_queue_confirm(
			    &w->sent, done != NULL ? json_get_int(done, w->id, 0) : 0);
}

/* Texts are missing: the owner sends those that it has kept. */
static void
follow_seq(struct relay *r, int64_t seq)
{
	if (r->seq >= 0 && seq > r->seq + 1 && !r->behind) {
		r->behind = true;
		r->changed = true;
	}
	r->seq = seq;
}

static void
tell_state(struct session *s, int state)
{
	struct channel_session *channel = s->channel;

	if (state < 0 || state > OUTPUT_STOPPED ||
	    channel->told_state == (enum output_channel)state)
		return;
	channel->told_state = (enum output_channel)state;
	channel_notices_states(s);
}

static void
receive_state(struct relay *r, const struct relay_message *m)
{
	struct session *s = r->session;
	const struct json *task = json_get(m->head, "task");

	r->heard_us = monotonic_us();
	if (m->epoch == r->epoch)
		confirm_sound(r, m);
	if (json_get_bool(m->head, "gone")) {
		r->changed |= r->ready;
		r->ready = false;
		return;
	}
	if (m->epoch > r->epoch)
		follow_owner(r, m->epoch);
	else if (!r->ready)
		flush_waiting(r);
	if (r->seq >= 0 && json_get_int(m->head, "seq", 0) > r->seq)
		follow_seq(r, json_get_int(m->head, "seq", 0) + 1);
	r->seq = json_get_int(m->head, "seq", 0);
	s->guest_state = (enum state)json_get_int(m->head, "status", STATE_NONE);
	if (task != NULL)
		follow_task(r, task);
	tell_state(s, (int)json_get_int(m->head, "state", -1));
	channel_notices_expire(s, json_get_int(m->head, "code_version", 0),
	    json_get_int(m->head, "speaker_version", 0));
	if (json_get_bool(m->head, "over"))
		lifecycle_dismiss(s);
}

/* ---- texts and sound ---- */

/* The target of a message; -1: the original. False: there is no such target here. */
static bool
read_target(const struct relay *r, const struct json *head, int *target)
{
	const struct task *t = r->session->guest_task;
	const char *code = json_get_text(head, "target");

	*target = -1;
	if (t == NULL || code == NULL)
		return t != NULL;
	for (size_t i = 0; i < t->n_targets; i++)
		if (strcmp(t->targets[i].language.code, code) == 0)
			*target = (int)i;
	return *target >= 0;
}

static void
receive_text(struct relay *r, const struct relay_message *m)
{
	struct pipeline_event e = { .kind = PIPELINE_TEXT,
		.session = r->session,
		.starred = (int)json_get_int(m->head, "starred", -1),
		.text = m->bytes,
		.n = m->n,
		.final = json_get_bool(m->head, "final"),
		.times.id = json_get_text(m->head, "id"),
		.line.part = (int)json_get_int(m->head, "part", 0) };
	int64_t seq = json_get_int(m->head, "seq", 0);

	if (!read_target(r, m->head, &e.target) || (e.final && e.times.id == NULL))
		return;
	confirm_sound(r, m);
	if (seq > 0)
		follow_seq(r, seq);
	else if (text_backlog_has(r->session, r->session->guest_task, &e))
		return;
	else if (!r->synced) {
		text_backlog_restore(r->session, r->session->guest_task, &e);
		return;
	}
	sinks_send_text(r->session, r->session->guest_task, &e);
}

/* Send the texts that subscribers missed, now that they are here. */
static void
finish_sync(struct relay *r)
{
	r->synced = true;
	for (struct connection *c = r->session->connections; c != NULL; c = c->next)
		if (c->waits) {
			c->waits = false;
			sinks_enter(c);
		}
}

static void
receive_flush(struct relay *r, const struct relay_message *m)
{
	int target;

	if (json_get_bool(m->head, "all") && r->session->guest_task != NULL)
		sinks_flush(r->session, r->session->guest_task, -1);
	else if (read_target(r, m->head, &target))
		sinks_flush(r->session, r->session->guest_task, target);
}

static void
receive_correction(struct relay *r, const struct relay_message *m)
{
	const struct transcript_line l = { .segment = json_get_text(m->head, "id"),
		.part = json_get_int(m->head, "part", 0),
		.original = json_get_bool(m->head, "original"),
		.language = json_get_text(m->head, "language"),
		.end_us = json_get_int(m->head, "end", 0) };
	struct buf text = { .mem = m->mem };
	int target;

	if (!read_target(r, m->head, &target) || l.segment == NULL ||
	    l.language == NULL)
		return;
	buf_put(&text, m->bytes, m->n);
	transcript_correction_tell(
	    r->session, target, (int)json_get_int(m->head, "starred", 0), &l, &text);
}

static void
receive(struct gateway *g, struct thread_call *e)
{
	const struct cluster_message *c = (const struct cluster_message *)e;
	struct relay *r = c->arg;
	struct relay_message m;

	(void)g;
	if (r->session != NULL && r->session->guest != NULL && !r->session->closed &&
	    relay_read(c, &m) && m.epoch >= r->epoch) {
		if (strcmp(m.type, "state") == 0)
			receive_state(r, &m);
		else if (m.epoch != r->epoch)
			; /* its state will come */
		else if (strcmp(m.type, "text") == 0)
			receive_text(r, &m);
		else if (strcmp(m.type, "kept") == 0)
			finish_sync(r);
		else if (strcmp(m.type, "flush") == 0)
			receive_flush(r, &m);
		else if (strcmp(m.type, "correction") == 0)
			receive_correction(r, &m);
	}
	arena_free(e->message.mem);
}

/* When sending the segment began, by this node's clock. */
static int64_t
group_since(struct relay *r, int target, int64_t was)
{
	if (target < 0)
		return 0;
	if (r->group_was[target] != was || r->group_us[target] == 0) {
		r->group_was[target] = was;
		r->group_us[target] = monotonic_us();
	}
	return r->group_us[target];
}

/* Sound in PCM is for sockets alone; the packets serve sockets, tracks and streams. */
static void
play(struct relay *r, const struct relay_message *m, bool opus)
{
	size_t text = (size_t)json_get_int(m->head, "text", 0);
	const char *said = json_get_bool(m->head, "said") ? m->bytes : NULL;
	struct pipeline_event group = { .kind = PIPELINE_GROUP },
			      e = { .kind = PIPELINE_CHUNK,
				      .session = r->session,
				      .times.id = json_get_text(m->head, "id"),
				      .chunk.last = json_get_bool(m->head, "last"),
				      .of = &group };
	struct sink_audio a = {
		.task = r->session->guest_task, .last = e.chunk.last, .event = &e
	};

	if (!read_target(r, m->head, &e.target) || text > m->n ||
	    (e.target < 0 && e.times.id == NULL))
		return;
	a.target = e.target;
	group.times.sent_us =
	    group_since(r, e.target, json_get_int(m->head, "group", 0));
	a.group = e.target < 0 ? NULL : &group;
	if (!opus) {
		e.text = said;
		e.n = text;
		fanout_sink.play(r->session, &a);
		return;
	}
	e.opus_text = said;
	e.opus_n = text;
	e.opus = a.packets =
	    (struct opus_packets){ (const unsigned char *)m->bytes + text,
		    m->n - text };
	sinks_play(r->session, &a);
}

static void
receive_sound(struct gateway *g, struct thread_call *e)
{
	const struct cluster_message *c = (const struct cluster_message *)e;
	struct relay *r = c->arg;
	struct relay_message m;

	(void)g;
	if (r->session != NULL && r->session->guest != NULL && !r->session->closed &&
	    relay_read(c, &m) && m.epoch == r->epoch && strcmp(m.type, "sound") == 0)
		play(r, &m, strstr(c->subject, ".opus.") != NULL);
	arena_free(e->message.mem);
}

/* ---- life ---- */

void
relay_guest_open(struct relay *r)
{
	char subject[RELAY_SUBJECT];

	r->session->guest = &relay_guest_ops;
	r->heard_us = monotonic_us();
	r->seq = -1;
	r->out = cluster_subscribe(gateway_of(r)->cluster,
	    relay_subject(subject, r->session->id, "out"), receive, r);
	send_hello(r);
}

void
relay_guest_close(struct relay *r)
{
	cluster_unsubscribe(r->out);
	r->out = NULL;
	while (r->sounds != NULL)
		drop_sound(&r->sounds);
	r->session->guest = NULL;
	r->session->guest_task = NULL;
	arena_free(r->task_mem);
	r->task_mem = NULL;
	r->task_text = NULL;
	r->ready = false;
	finish_sync(r);
}

bool
relay_guest_tick(struct relay *r, int64_t now)
{
	bool alone = !cluster_is_connected(gateway_of(r)->cluster);

	if (r->changed || now > r->hello_us + RELAY_HELLO_US)
		send_hello(r);
	if (now < r->heard_us + RELAY_SILENT_US)
		return false;
	r->ready = false;
	if (alone && now > r->heard_us + ALONE_US) {
		lifecycle_move(r->session);
		return false;
	}
	return !r->asking && now > r->asked_us + ASK_US;
}
