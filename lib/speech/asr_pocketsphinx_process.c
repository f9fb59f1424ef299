/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/asr_pocketsphinx_process.h"

#include <limits.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "speech/asr_pocketsphinx_phrase.h"
#include "speech/model_process.h"

#define LEARN_S 60 /* for learning words, on a busy host, too */
#define PIECE (MODEL_BYTES / sizeof(int16_t)) /* samples in a message */

struct hearing {
	struct arena *mem;
	struct model_process *process;
	const char *id;
	int timeout_ms;
	bool broken, answered;
	int64_t
	    until_us; /* monotonic, for learning words; 0: there are none to learn */
	struct decoder_mean mean;
};

bool
hearing_is_possible(const struct engine_at *at)
{
	struct arena *mem = arena_new();
	bool is =
	    at->bin_dir != NULL &&
	    access(arena_printf(mem, "%s/%s", at->bin_dir, MODEL_HEARS), X_OK) == 0;

	arena_free(mem);
	return is;
}

/* A process ends with its stream, so no other stream hears what it has adapted to. */
static void
end_process(struct model_process *p)
{
	model_release(p, ERR_FAILED);
}

static enum err
start(const struct engine_at *at, struct model_process **to)
{
	struct engine_at one = *at;
	enum err e;

	one.library = one.model = decoder_model(at);
	one.parallel = INT_MAX;
	one.threads = 1;
	if ((e = model_acquire(&one, MODEL_RECOGNIZE, false, to)) != OK)
		return e == ERR_BUSY ? ERR_LIMIT : e;
	if ((e = model_await_ready(*to)) != OK)
		end_process(*to);
	return e;
}

enum err
hearing_open(const struct engine_at *at, struct hearing **to)
{
	struct arena *mem = arena_new();
	struct hearing *h = arena_alloc(mem, sizeof(*h));
	enum err e;

	*h = (struct hearing){ .mem = mem, .id = at->id, .timeout_ms = at->timeout_ms };
	if ((e = start(at, &h->process)) != OK)
		arena_free(mem);
	else
		*to = h;
	return e;
}

enum err
hearing_warm(const struct engine_at *at)
{
	struct model_process *p;
	enum err e = start(at, &p);

	if (e == OK)
		end_process(p);
	return e;
}

static enum err
break_off(struct hearing *h, const char *why)
{
	log_warn("engine %s: its process %s", h->id, why);
	h->broken = true;
	return ERR_FAILED;
}

/* Send a message and read the answer. */
static enum err
ask(struct hearing *h, enum model_kind kind, const void *p, size_t n, struct arena *mem,
    struct asr_result *to)
{
	struct model_message m;
	enum err e;

	if (h->broken)
		return ERR_FAILED;
	model_clock(h->process, h->timeout_ms);
	if (!model_send(h->process, kind, p, n))
		return break_off(h, "has ended");
	if ((e = model_await(h->process, false, &m)) != OK) {
		h->broken = true;
		return e;
	}
	if (m.kind != MODEL_HEARD || !heard_read(mem, m.p, m.n, to, &h->mean))
		return break_off(h, "has failed");
	h->answered = true;
	return OK;
}

enum err
hearing_feed(struct hearing *h, const int16_t *s, size_t n, struct arena *mem,
    struct list *words)
{
	struct asr_result r;
	enum err e = OK;

	for (size_t some; e == OK && n > 0; s += some, n -= some) {
		some = n < PIECE ? n : PIECE;
		e = ask(h, MODEL_SOUND, s, some * sizeof(*s), mem, &r);
		if (e == OK)
			*words = r.words;
	}
	return e;
}

enum err
hearing_end(struct hearing *h, struct arena *mem, struct asr_result *to)
{
	return ask(h, MODEL_END, "", 0, mem, to);
}

void
hearing_learn(struct hearing *h, const struct vocabulary *v)
{
	struct buf b = { .mem = h->mem };

	vocabulary_write(&b, v, MODEL_BYTES);
	h->broken = h->broken || !model_send(h->process, MODEL_WORDS, b.p, b.len);
	h->until_us = monotonic_us() + LEARN_S * S_US;
}

enum err
hearing_learnt(struct hearing *h)
{
	struct model_message m;
	enum err e;

	if (h->broken)
		return ERR_FAILED;
	if (h->until_us == 0)
		return OK;
	e = model_receive(h->process, &m);
	if (e == ERR_BUSY && monotonic_us() < h->until_us)
		return ERR_BUSY;
	if (e == ERR_BUSY)
		e = ERR_TIMEOUT;
	if (e == OK && (m.kind != MODEL_WORDS || m.n != 1))
		e = ERR_FAILED;
	if (e == OK && m.p[0] == 0)
		e = ERR_NOT_FOUND;
	h->broken = e != OK;
	h->until_us = 0;
	return e;
}

void
hearing_drop(struct hearing *h)
{
	h->broken = h->broken || !model_send(h->process, MODEL_DROP, "", 0);
}

bool
hearing_mean(const struct hearing *h, struct decoder_mean *to)
{
	*to = h->mean;
	return h->answered;
}

void
hearing_follow(struct hearing *h, const struct decoder_mean *mean)
{
	h->mean = *mean;
	h->broken =
	    h->broken || !model_send(h->process, MODEL_MEAN, mean, sizeof(*mean));
}

int64_t
hearing_used_us(const struct hearing *h)
{
	return model_used_by(h->process);
}

void
hearing_close(struct hearing *h)
{
	if (h == NULL)
		return;
	end_process(h->process);
	arena_free(h->mem);
}
