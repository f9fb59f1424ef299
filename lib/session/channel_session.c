#include "session/channel_session.h"

#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "protocol/output.h"
#include "session/session.h"
#include "store/listener_joins.h"

#define LOOK_US (3 * S_US)    /* between two reads of the row */
#define SILENT_US (10 * S_US) /* without audio: metering stops */
#define OVER_US (60 * S_US)   /* without audio: the task ends */
#define AGAIN_US (10 * S_US)  /* from a failed start to the next */
#define TRIES 3               /* to update a row that others change, too */
#define INPUT                                                                          \
	"{\"input_stream\":{\"source\":{\"type\":\"ws\",\"format\":\"pcm_s16le\","     \
	"\"sample_rate\":24000,\"channels\":1}}}"
#define MEDIA_INPUT "{\"input_stream\":{\"source\":{\"type\":\"webrtc\"}}}"

/* In the session's arena.  Times are monotonic_us(). */
struct channel_session {
	const char *event;                 /* id, or NULL */
	struct arena *row_mem, *input_mem; /* owned: pipeline and why; input */
	const char *pipeline;              /* JSON, of the row */
	const char *input;            /* JSON tree of the last set_task, or INPUT */
	int64_t begun_us, heard_us;   /* start or last set_task; last audio */
	int64_t failed_us, looked_us; /* last failed start; last read of the row */
	bool anew;           /* new publisher: next audio resets input to INPUT */
	const char *runtime; /* to write to the row, a literal; NULL: unchanged */
	const char *why;     /* error to write to the row, or NULL */
	bool told;           /* this node has written the row's error */
	size_t left_out;     /* languages without an engine in the last task read */
	bool live;           /* as sent to subscribers last */
};

/* ---- pipeline of the channel ---- */

/* The settings of a language in the channel's own translations, or NULL. */
static const struct json *
own_settings(const struct json *translations, const char *language)
{
	const struct json *t = translations != NULL && translations->type == JSON_LIST
				   ? translations->kids
				   : NULL;

	for (const char *said; t != NULL; t = t->next) {
		said = t->type == JSON_OBJ ? json_get_text(t, "target_language") : NULL;
		if (said != NULL && strcmp(said, language) == 0)
			return t;
	}
	return NULL;
}

/* Write all members of an object except one. */
static void
write_but(struct json_writer *j, const struct json *v, const char *key)
{
	const struct json *kid = v != NULL && v->type == JSON_OBJ ? v->kids : NULL;

	for (; kid != NULL; kid = kid->next)
		if (strcmp(kid->key, key) != 0)
			jw_json(j, kid->key, kid);
}

static void
write_targets(
    struct json_writer *j, const struct list *languages, const struct json *own)
{
	jw_list(j, "translations");
	for (size_t i = 0; i < languages->n; i++) {
		const char *code = ((const char *const *)languages->items)[i];

		jw_open(j, NULL);
		write_but(j, own_settings(own, code), "target_language");
		jw_text(j, "target_language", code);
		jw_close(j);
	}
	jw_close(j);
}

const char *
channel_session_pipeline(struct arena *mem, const struct channel *c)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	struct list languages = texts_read(mem, c->target_languages);
	const struct json *own = NULL, *kid;
	const char *why;

	if (c->pipeline != NULL)
		own = json_read(mem, c->pipeline, strlen(c->pipeline), &why);
	jw_open(&j, NULL);
	for (kid = own != NULL ? own->kids : NULL; kid != NULL; kid = kid->next)
		if (strcmp(kid->key, "transcription") != 0 &&
		    strcmp(kid->key, "translations") != 0)
			jw_json(&j, kid->key, kid);
	jw_open(&j, "transcription");
	write_but(
	    &j, own != NULL ? json_get(own, "transcription") : NULL, "source_language");
	jw_text(&j, "source_language", c->source_language);
	jw_close(&j);
	write_targets(
	    &j, &languages, own != NULL ? json_get(own, "translations") : NULL);
	jw_close(&j);
	return buf_text(&b);
}

/* ---- row of the channel ---- */

static enum err
put_runtime(
    struct db *db, struct arena *mem, const struct channel *was, struct channel *c)
{
	enum err e;

	if ((e = db_begin(db)) != OK || (e = channel_put(db, mem, was, c)) != OK)
		db_rollback(db);
	return e == OK ? db_commit(db) : e;
}

enum err
channel_session_reset(struct db *db, struct arena *mem, const char *node, bool begins)
{
	struct list all;
	enum err e = channels_active(db, mem, node, begins, &all);

	for (size_t i = 0; e == OK && i < all.n; i++) {
		struct channel was = ((const struct channel *)all.items)[i], c = was;

		c.runtime = c.runtime_too = "stopped";
		e = put_runtime(db, mem, &was, &c);
		e = e == ERR_STALE ? OK : e; /* changed meanwhile: leave it */
	}
	return e;
}

/* Call to the database thread: update the row and read it. */
struct channel_poll {
	struct thread_call call;
	struct session *session; /* a reference is held */
	const char *id;
	const char *event;         /* id, or NULL */
	int64_t code_version;      /* result: of the event's access code */
	const char *runtime, *why; /* to write; NULL: unchanged; no error */
	bool told;                 /* why is to be written */
	bool gone, over, moved;    /* results: deleted; event ended; at another node */
	const char *pipeline;      /* result; NULL: the row could not be read */
};

void
channel_session_follow(struct session *s, const char *pipeline)
{
	struct channel_session *channel = s->channel;

	if (strcmp(channel->pipeline, pipeline) == 0)
		return;
	arena_free(channel->row_mem);
	channel->row_mem = arena_new();
	channel->pipeline = arena_str(channel->row_mem, pipeline);
	channel->why = NULL;
	channel->failed_us = -AGAIN_US;
	if (s->state == STATE_STARTING || s->state == STATE_RUNNING)
		command_restart(s);
}

/* Close subscribers whose tokens are of another access code. */
static void
end_outdated(struct session *s, int64_t code_version)
{
	for (struct connection *c = s->connections; c != NULL; c = c->next) {
		if (c->request->listener == NULL ||
		    c->request->code_version == code_version)
			continue;
		connection_error(
		    c, "SESSION_CLOSED", "The event has another access code", NULL);
		connection_end(c, 1008, "SESSION_CLOSED");
	}
}

/* On the event loop. */
static void
looked(struct gateway *g, struct thread_call *e)
{
	struct channel_poll *l = (struct channel_poll *)e;
	struct session *s = l->session;

	(void)g;
	if (l->gone && !s->closed) {
		lifecycle_dismiss(s);
		billing_end(s, "SESSION_CLOSED", "The channel is not there any more");
	} else if (l->moved && !s->closed) {
		billing_move(s);
	} else if (l->pipeline != NULL) {
		end_outdated(s, l->code_version);
		channel_session_follow(s, l->pipeline);
	}
	if (l->over && !s->channel->live && !lifecycle_finishing(s))
		lifecycle_dismiss(s);
	arena_free(e->message.mem);
	session_unref(s);
}

static bool
is_same(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static enum err
tell_row(struct db *db, struct channel_poll *l, struct channel *c)
{
	struct channel was = *c;

	if (l->runtime != NULL)
		c->runtime = c->runtime_too = l->runtime;
	if (l->told)
		c->error = l->why;
	if (is_same(c->runtime, was.runtime) && is_same(c->error, was.error))
		return OK;
	return put_runtime(db, l->call.message.mem, &was, c);
}

/* On the database thread. */
static void
look(struct gateway *g, struct thread_call *e)
{
	struct channel_poll *l = (struct channel_poll *)e;
	struct arena *mem = e->message.mem;
	struct channel c;
	enum err how = ERR_STALE;

	for (int i = 0; i < TRIES && how == ERR_STALE; i++) {
		how = channel_on_air(g->app.db, mem, l->id, &c);
		l->moved =
		    how == OK && c.node != NULL && strcmp(c.node, g->conf->node) != 0;
		if (how == OK && !l->moved)
			how = tell_row(g->app.db, l, &c);
	}
	l->gone = how == ERR_NOT_FOUND;
	if (how == OK && c.event != NULL)
		how = listener_join_event_finished(
		    g->app.db, c.event, now_us(), &l->over);
	if (how == OK && l->event != NULL)
		how = listener_join_code(g->app.db, l->event, &l->code_version);
	if (how == OK)
		l->pipeline = channel_session_pipeline(mem, &c);
	else if (!l->gone)
		log_error("channel %s: %s", l->id, err_name(how));
	e->run = looked;
	mailbox_send(g->to_event_loop, &e->message);
}

static void
send_poll(struct session *s)
{
	struct channel_session *channel = s->channel;
	struct channel_poll *l = THREAD_CALL(struct channel_poll);

	l->call.run = look;
	l->session = s;
	l->id = arena_str(l->call.message.mem, s->id);
	l->event = arena_str(l->call.message.mem, channel->event);
	l->runtime = channel->runtime;
	l->why = arena_str(l->call.message.mem, channel->why);
	l->told = channel->told;
	channel->told &= channel->why != NULL; /* clear the error only once */
	channel->looked_us = monotonic_us();
	s->refs++;
	mailbox_send(s->gateway->to_db_thread, &l->call.message);
}

static void
set_runtime(struct session *s, const char *runtime)
{
	if (s->channel->runtime != NULL && strcmp(s->channel->runtime, runtime) == 0)
		return;
	s->channel->runtime = runtime;
	send_poll(s);
}

/* ---- task of the channel ---- */

struct channel_session *
channel_session_open(struct session *s, const struct connection_request *v)
{
	struct channel_session *channel;

	if (v->pipeline == NULL)
		return NULL;
	channel = arena_alloc(s->mem, sizeof(*channel));
	*channel = (struct channel_session){ .event = arena_str(s->mem, v->event),
		.row_mem = arena_new(),
		.input_mem = arena_new(),
		.input = INPUT,
		.failed_us = -AGAIN_US,
		.looked_us = monotonic_us() };
	channel->pipeline = arena_str(channel->row_mem, v->pipeline);
	return channel;
}

void
channel_session_close(struct session *s)
{
	if (s->channel == NULL)
		return;
	arena_free(s->channel->row_mem);
	arena_free(s->channel->input_mem);
}

const char *
channel_session_event(const struct channel_session *channel)
{
	return channel->event;
}

/* Set the channel's error; NULL: none. */
static void
set_why(struct channel_session *channel, const char *why)
{
	if (!is_same(channel->why, why))
		channel->why = arena_str(channel->row_mem, why);
	channel->told |= why != NULL;
}

size_t
channel_session_left_out(const struct channel_session *channel)
{
	return channel->left_out;
}

bool
channel_session_read(struct session *s, struct arena *mem, const struct json *tree,
    const struct task_engines *engines, struct task *t, struct validation_errors *f)
{
	struct channel_session *channel = s->channel;
	const char *input = s->bridge != NULL ? MEDIA_INPUT : channel->input, *why;
	const struct json *pipeline =
	    json_read(mem, channel->pipeline, strlen(channel->pipeline), &why);

	if (tree == NULL || s->bridge != NULL)
		tree = json_read(mem, input, strlen(input), &why);
	if (!task_read_channel(mem, tree, pipeline, engines, t, f))
		return false;
	channel->left_out = t->left_out.n;
	set_why(channel, task_left_out(mem, t));
	return true;
}

void
channel_session_keep(struct session *s, const struct json *tree)
{
	struct channel_session *channel = s->channel;
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	jw_json(&(struct json_writer){ .out = &b }, NULL, tree);
	arena_free(channel->input_mem);
	channel->input_mem = mem;
	channel->input = buf_text(&b);
	channel->begun_us = monotonic_us();
	channel->anew = false;
}

void
channel_session_replaced(struct session *s)
{
	s->channel->anew = true;
}

/* The input set by the previous publisher does not apply to the new one. */
static void
begin_anew(struct session *s)
{
	struct channel_session *channel = s->channel;

	channel->anew = false;
	if (strcmp(channel->input, INPUT) == 0)
		return;
	channel->input = INPUT;
	if (s->state == STATE_STARTING || s->state == STATE_RUNNING)
		command_restart(s);
}

/* ---- live, or a break ---- */

static void
tell_state(struct connection *c)
{
	struct arena *mem = arena_new();
	struct buf b = { .mem = mem };

	if (output_channel_state(&b, c->session->channel->live))
		connection_send_buf(c, &b);
	arena_free(mem);
}

void
channel_session_entered(struct connection *c)
{
	channel_session_joined(c);
	tell_state(c);
}

static bool
is_live(const struct session *s, int64_t now)
{
	const struct channel_session *channel = s->channel;

	return (s->state == STATE_STARTING || s->state == STATE_RUNNING) &&
	       (s->publisher != NULL || s->bridge != NULL) && channel->heard_us != 0 &&
	       now <= channel->heard_us + SILENT_US;
}

/* Send changes of the live state to subscribers; they stay connected in a break. */
static void
watch_state(struct session *s, int64_t now)
{
	bool live = is_live(s, now);

	if (live == s->channel->live)
		return;
	s->channel->live = live;
	for (struct connection *c = s->connections; c != NULL; c = c->next)
		if (!c->request->writes)
			tell_state(c);
}

/* ---- start, stop and metering ---- */

void
channel_session_runs(struct session *s, int64_t now)
{
	if (s->state != STATE_RUNNING || now > s->channel->heard_us + SILENT_US)
		return;
	billing_meter(s, true, now);
	set_runtime(s, "active");
}

void
channel_session_heard(struct session *s, int64_t now)
{
	struct channel_session *channel = s->channel;

	channel->heard_us = now;
	if (channel->anew)
		begin_anew(s);
	if (s->state == STATE_NONE && now > channel->failed_us + AGAIN_US) {
		channel->begun_us = now;
		command_restart(s);
	}
	channel_session_runs(s, now);
	watch_state(s, now);
}

void
channel_session_stopped(struct session *s, const char *why)
{
	struct channel_session *channel = s->channel;

	if (why != NULL) {
		channel->failed_us = monotonic_us();
		set_why(channel, why);
	}
	if (s->state == STATE_RUNNING || s->state == STATE_STARTING)
		send_poll(s);
	else if (why != NULL || channel->runtime != NULL)
		set_runtime(s, why != NULL ? "failed" : "stopped");
}

/* Nothing runs: channel_sessions_poll() reads the row anyway. */
static bool
is_idle(const struct session *s)
{
	return s->bridge != NULL && s->connections == NULL && s->state == STATE_NONE;
}

void
channel_session_tick(struct session *s, int64_t now)
{
	struct channel_session *channel = s->channel;
	int64_t last_us = channel->heard_us > channel->begun_us ? channel->heard_us
								: channel->begun_us;
	bool at_work = s->state != STATE_NONE && s->state != STATE_CLOSED;

	if (at_work && now > channel->heard_us + SILENT_US)
		billing_meter(s, false, now);
	if (at_work && s->state != STATE_ENDING && now > last_us + OVER_US) {
		lifecycle_over(s);
		channel_session_stopped(s, NULL);
	}
	watch_state(s, now);
	if (s->closed || is_idle(s) || now <= channel->looked_us + LOOK_US)
		return;
	if (channel->left_out > 0 &&
	    (s->state == STATE_STARTING || s->state == STATE_RUNNING))
		command_reconsider(s);
	send_poll(s);
}
