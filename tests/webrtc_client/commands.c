/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "client.h"
#include "livekit/data_packet.h"
#include "livekit/protobuf.h"

#define ASK_US (S_US / 5) /* after an answer that there is no task yet */
/* for an answer; without the wait too many requests would be open */
#define PATIENCE_US (3 * S_US)

static const char *
label_of(const struct client *c)
{
	return c->o->lossy ? "_lossy" : "_reliable";
}

static void
send_command(struct client *c, const char *json, size_t n)
{
	struct buf b = { .mem = c->mem };

	if (c->o->lossy)
		protobuf_write_number(&b, 1, 1); /* kind */
	data_packet_write(&b, "", c->identity, json, n);
	if (c->sides[PUBLISHER].peer == NULL ||
	    !rtc_peer_send_message(c->sides[PUBLISHER].peer, label_of(c), b.p, b.len))
		fprintf(stderr, "webrtc-client: not sent: %.*s\n", (int)n, json);
}

static void
send_text(struct client *c, const char *json)
{
	send_command(c, json, strlen(json));
}

/* "en:es,fr" */
static const char *
task_text(struct client *c)
{
	struct buf b = { .mem = c->mem };
	const char *code = c->o->task;
	size_t n = strcspn(code, ":");

	buf_printf(&b,
	    "{\"message_type\":\"set_task\",\"data\":{\"input_stream\":"
	    "{\"content_type\":\"audio\",\"source\":{\"type\":\"webrtc\"}},"
	    "\"output_stream\":{\"content_type\":\"audio\",\"target\":"
	    "{\"type\":\"webrtc\"}},\"pipeline\":{\"transcription\":"
	    "{\"source_language\":\"%.*s\"},\"translations\":[",
	    (int)n, code);
	for (code += n; *code != '\0'; code += n) {
		code++;
		n = strcspn(code, ",");
		buf_printf(&b, "%s{\"target_language\":\"%.*s\"}",
		    code[-1] == ':' ? "" : ",", (int)n, code);
	}
	buf_str(&b, "],\"allowed_message_types\":[\"partial_transcription\","
		    "\"validated_transcription\",\"translated_transcription\"]}}}");
	return buf_text(&b);
}

void
commands_tick(struct client *c, int64_t now_us)
{
	struct rtc_peer *p = c->sides[PUBLISHER].peer;

	if (p == NULL || !rtc_peer_has_channel(p, label_of(c)))
		return;
	if (!c->commanded) {
		if (c->o->task != NULL)
			send_text(c, task_text(c));
		for (int i = 0; i < c->o->n_sends; i++)
			send_text(c, c->o->sends[i]);
	}
	c->commanded = true;
	if (c->o->task != NULL && !c->tasked &&
	    now_us >= c->asked_us + (c->answered ? ASK_US : PATIENCE_US)) {
		send_text(c, "{\"message_type\":\"get_task\",\"data\":{}}");
		c->asked_us = now_us;
		c->answered = false;
	}
}

void
commands_read_input(struct client *c)
{
	ssize_t n = read(STDIN_FILENO, buf_room(&c->line, 4096), 4096);
	char *end;

	if (n <= 0) {
		c->input_over = true;
		return;
	}
	c->line.len += (size_t)n;
	while ((end = memchr(c->line.p, '\n', c->line.len)) != NULL) {
		size_t line = (size_t)(end - c->line.p);

		if (line == 5 && memcmp(c->line.p, "leave", line) == 0)
			c->ended = true;
		else if (line > 0)
			send_command(c, c->line.p, line);
		c->line.len -= line + 1;
		memmove(c->line.p, end + 1, c->line.len);
	}
}

void
commands_take(struct client *c, const void *bytes, size_t n)
{
	static const char task[] = "\"current_task\"", none[] = "\"NOT_FOUND\"",
			  text[] = "{\"message_type\":\"translated_transcription\"",
			  error[] = "{\"message_type\":\"error\"";
	struct data_packet p;
	bool is_task;

	if (!data_packet_read(bytes, n, &p)) {
		fprintf(stderr, "webrtc-client: a message that is no packet\n");
		return;
	}
	c->messages++;
	c->texts += memmem(p.payload, p.n, text, sizeof(text) - 1) != NULL;
	c->answered |= memmem(p.payload, p.n, none, sizeof(none) - 1) != NULL;
	is_task = memmem(p.payload, p.n, task, sizeof(task) - 1) != NULL;
	c->answers +=
	    is_task || memmem(p.payload, p.n, error, sizeof(error) - 1) != NULL;
	if (!c->tasked && is_task) {
		c->tasked = true;
		c->tasked_us = monotonic_us();
	}
	printf("%.*s\n", (int)p.n, (const char *)p.payload);
	fflush(stdout);
}
