/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A message on a socket. The first byte selects the kind of socket. A message is
 * accepted or refused, and a refusal is a valid message. Decoded audio has the size
 * that was sent.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "protocol/message.h"
#include "protocol/output.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static void
refuse(struct arena *mem, const struct validation_errors *f)
{
	struct buf out = { .mem = mem };
	const char *why;

	if (f->n == 0 || f->n > VALIDATION_ERRORS_MAX ||
	    !output_validation_errors(&out, f) ||
	    json_read(mem, out.p, out.len, &why) == NULL)
		abort();
}

static void
use(struct arena *mem, const struct message *m, size_t sent)
{
	size_t n;

	if (m->kind == MESSAGE_UNKNOWN)
		abort();
	if (m->kind == MESSAGE_SET_TASK && m->u.task->type != JSON_OBJ)
		abort();
	if (m->kind == MESSAGE_TTS_TASK &&
	    (m->u.tts.text[0] == '\0' || m->u.tts.language.code == NULL))
		abort();
	if (m->kind != MESSAGE_AUDIO)
		return;
	const char *text = base64(mem, m->u.audio.bytes, m->u.audio.n);

	if (m->u.audio.n > sent || base64_read(mem, text, strlen(text), &n) == NULL ||
	    n != m->u.audio.n)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem;
	struct message m;
	struct validation_errors f;

	if (size == 0)
		return 0;
	mem = arena_new();
	if (message_read(mem, (enum message_socket)(data[0] % 3),
		(const char *)data + 1, size - 1, &m, &f))
		use(mem, &m, size);
	else
		refuse(mem, &f);
	arena_free(mem);
	return 0;
}
