/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames that RFC 6455 forbids, and unusual ones that it allows.
 */
#include "attack.h"

#include <string.h>
#include <time.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define PICK(d, list) ((list)[dice_roll((d), COUNT(list))])
#define MEGA (UINT64_C(1) << 20)
#define PATIENCE_S 20 /* seconds, also enough on a busy machine */

/* ---- what attacks share ---- */

const char *
bout_head(struct attempt *b)
{
	const char *path = endpoint_path(
	    b->mem, b->endpoint, b->kind, b->query != NULL ? b->query : "");

	return path == NULL ? NULL
			    : arena_printf(b->mem,
				  "GET %s HTTP/1.1\r\nHost: gateway\r\n"
				  "Upgrade: websocket\r\nConnection: Upgrade\r\n"
				  "Sec-WebSocket-Version: 13\r\n"
				  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
				  path);
}

static bool
open_wire(struct attempt *b)
{
	b->wire = wire_open(b->mem, b->endpoint->addresses->gateway);
	if (b->wire == NULL)
		b->wrong = "no server listens";
	return b->wire != NULL;
}

bool
bout_enter(struct attempt *b, const void *early, size_t n)
{
	const char *head = bout_head(b);
	struct buf all = { .mem = b->mem };

	if (head == NULL)
		b->wrong = "no session could be made";
	if (head == NULL || !open_wire(b))
		return false;
	buf_str(&all, head);
	if (n > 0)
		buf_put(&all, early, n);
	wire_send(b->wire, all.p, all.len);
	b->status = wire_status(b->wire, PATIENCE_S);
	if (b->status == 409) /* a lingering connection still has the session */
		b->endpoint->token[0] = '\0';
	else if (b->status == 422 && b->query != NULL)
		return false; /* no audio in a format that S2S knows */
	else if (b->status != 101)
		b->wrong = arena_printf(b->mem, "the upgrade got %d", b->status);
	return b->status == 101;
}

void
bout_send(struct attempt *b, const struct buf *what)
{
	wire_send_cut(b->wire, &b->dice, what->p, what->len);
}

void
bout_frame(struct attempt *b, struct buf *to, unsigned head, const void *p, size_t n)
{
	const struct frame f = { .head = head, .p = p, .n = n };

	frame_put(to, &b->dice, &f);
}

void
bout_text(struct attempt *b, struct buf *to, const char *p, size_t n)
{
	bout_frame(b, to, TEXT, p, n);
}

void
bout_must_end(struct attempt *b)
{
	const struct heard *h = wire_hear(b->wire, 0, 0);

	for (int i = 0; i < PATIENCE_S * 10 && !h->ended && h->code == 0; i++)
		h = wire_hear(b->wire, 0.1, 0);
	if (!h->ended && h->code == 0)
		b->wrong = "it stays open";
}

void
bout_must_live(struct attempt *b)
{
	struct buf ping = { .mem = b->mem };
	const struct heard *h;

	bout_frame(b, &ping, PING, "are you there", 13);
	bout_send(b, &ping);
	for (int i = 0; i < 8; i++) {
		h = wire_hear(b->wire, PATIENCE_S, HEAR_PONG);
		if (h->ended || h->code != 0 || h->pong == NULL)
			break;
		if (h->pong_bytes == 13 && memcmp(h->pong, "are you there", 13) == 0)
			return;
	}
	b->wrong =
	    arena_printf(b->mem, "no pong; ended %d, code %d", h->ended, h->code);
}

static struct buf
some_bytes(struct attempt *b, size_t n)
{
	struct buf p = { .mem = b->mem };

	dice_fill(&b->dice, buf_room(&p, n + 1), n);
	p.len = n;
	return p;
}

/* ---- frames ---- */

static void
any_head(struct attempt *b)
{
	struct buf to = { .mem = b->mem };
	unsigned head = (unsigned)dice_roll(&b->dice, 256), opcode = head & 15;
	struct buf p = some_bytes(b, dice_roll(&b->dice, 126));

	if (!bout_enter(b, NULL, 0))
		return;
	bout_frame(b, &to, head, p.p, p.len);
	bout_send(b, &to);
	if ((head & 0x70) != 0 || (opcode > 2 && opcode < 8) || opcode > 10)
		bout_must_end(b);
}

static const uint64_t lengths[] = { 0, 1, 2, 124, 125, 126, 127, 128, 65534, 65535,
	65536, 65537, MEGA - 1, MEGA, MEGA + 1, 2 * MEGA, UINT64_C(1) << 31,
	UINT64_C(1) << 32, (UINT64_C(1) << 63) - 1, UINT64_C(1) << 63, UINT64_MAX };

/* Spaces: a complete message that is not JSON, which the gateway only refuses. */
static void
any_length(struct attempt *b)
{
	static const unsigned forms[] = { 0, 16, 64, 0 };
	static const unsigned heads[] = { TEXT, BINARY, 1, 2 };
	uint64_t says = PICK(&b->dice, lengths);
	size_t n = says <= 2 * MEGA ? (size_t)says : dice_roll(&b->dice, 4096);
	struct buf to = { .mem = b->mem }, p = { .mem = b->mem };
	struct frame f = { .head = PICK(&b->dice, heads), .says = says, .n = n };

	if (!bout_enter(b, NULL, 0))
		return;
	memset(buf_room(&p, n + 1), ' ', n);
	f.p = p.p;
	f.form = says < 65536 || says > UINT32_MAX ? PICK(&b->dice, forms) : 64;
	if (says >= 65536 && f.form == 16)
		f.form = 64;
	frame_put(&to, &b->dice, &f);
	bout_send(b, &to);
	if (says > MEGA && says <= 2 * MEGA && b->kind != KIND_STT)
		bout_must_end(b);
	else if (says <= MEGA && f.head >= TEXT && b->kind == KIND_S2S)
		bout_must_live(b);
}

/*
 * RFC 6455 section 5.1 requires that the server closes; libwebsockets 4.1 accepts the
 * frame.
 */
static void
no_mask(struct attempt *b)
{
	struct buf to = { .mem = b->mem };
	static const unsigned heads[] = { TEXT, BINARY, PING, CLOSE, 0x8a };
	const struct frame f = { .head = PICK(&b->dice, heads),
		.bare = true,
		.p = "\3\350{}",
		.n = dice_roll(&b->dice, 5) };

	if (!bout_enter(b, NULL, 0))
		return;
	frame_put(&to, &b->dice, &f);
	bout_send(b, &to);
	wire_hear(b->wire, 0.1, 0);
}

static void
fragments(struct attempt *b)
{
	static const unsigned heads[] = { 0, 0, 0x80, 0x80, 1, 2, TEXT, BINARY, PING,
		0x8a, 9, 8, CLOSE };
	struct buf to = { .mem = b->mem };

	if (!bout_enter(b, NULL, 0))
		return;
	for (size_t n = 2 + dice_roll(&b->dice, 14); n > 0; n--) {
		struct buf p = some_bytes(b, dice_roll(&b->dice, 20));

		if (dice_roll(&b->dice, 2))
			memset(p.p, '{', p.len);
		bout_frame(b, &to, PICK(&b->dice, heads), p.p, p.len);
	}
	bout_send(b, &to);
	wire_hear(b->wire, 0.2, 0);
}

/* Sends one message in this many frames, some of them empty, with pings in between. */
static void
good_fragments(struct attempt *b)
{
	static const char said[] = "{\"message_type\":\"get_task\",\"data\":{\"x\":"
				   "\"\xf0\x9f\x98\x80\xc3\xa4\"}}";
	struct buf to = { .mem = b->mem };
	size_t left = sizeof(said) - 1, pings = 0;
	unsigned head = 1;

	b->kind = KIND_S2S;
	if (!bout_enter(b, NULL, 0))
		return;
	for (const char *p = said; left > 0; head = 0) {
		size_t n = dice_roll(&b->dice, left + 1);

		bout_frame(b, &to, head, p, n);
		p += n;
		left -= n;
		if (dice_roll(&b->dice, 3) == 0 && pings++ < 20)
			bout_frame(b, &to, PING, p, n < 125 ? left % 100 : 0);
	}
	bout_frame(b, &to, 0x80, NULL, 0);
	bout_send(b, &to);
	wire_hear(b->wire, PATIENCE_S, HEAR_TEXT);
	bout_must_live(b);
	if (b->wrong == NULL && wire_hear(b->wire, 0, 0)->texts == 0)
		b->wrong = "a message in fragments is not answered";
}

/* Control frames that are too long or fragmented. */
static void
bad_control(struct attempt *b)
{
	static const unsigned opcodes[] = { 8, 9, 10 };
	struct buf to = { .mem = b->mem };
	bool pieces = dice_roll(&b->dice, 2);
	struct buf p = some_bytes(
	    b, pieces ? dice_roll(&b->dice, 126) : 126 + dice_roll(&b->dice, 70000));

	if (!bout_enter(b, NULL, 0))
		return;
	bout_frame(b, &to, (pieces ? 0 : 0x80) | PICK(&b->dice, opcodes), p.p, p.len);
	bout_send(b, &to);
	bout_must_end(b);
}

static void
any_close(struct attempt *b)
{
	unsigned code =
	    (unsigned)dice_roll(&b->dice, dice_roll(&b->dice, 2) ? 5001 : 65536);
	struct buf to = { .mem = b->mem },
		   p = some_bytes(b, 2 + dice_roll(&b->dice, 124));

	if (dice_roll(&b->dice, 2)) /* a reason that is valid UTF-8 */
		memset(p.p, 'x', p.len);
	p.p[0] = (char)(code >> 8);
	p.p[1] = (char)code;
	if (dice_roll(&b->dice, 8) == 0)
		p.len = dice_roll(&b->dice, 2);
	if (!bout_enter(b, NULL, 0))
		return;
	bout_frame(b, &to, CLOSE, p.p, p.len);
	for (size_t n = dice_roll(&b->dice, 3); n > 0; n--)
		message_add(&to, &b->dice, b->kind); /* the bytes are no frame at all */
	bout_send(b, &to);
	bout_must_end(b);
}

/* ---- text ---- */

static void
bad_utf8(struct attempt *b)
{
	static const char *const bad[] = { "\xff", "\xc0\x80", "\xed\xa0\x80", "\x80",
		"\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xe2\x82", "\xc3(" };
	const char *p = PICK(&b->dice, bad);
	struct buf to = { .mem = b->mem }, text = { .mem = b->mem };

	if (!bout_enter(b, NULL, 0))
		return;
	buf_printf(&text, "{\"message_type\":\"get_task\",\"x\":\"%s\"}", p);
	if (dice_roll(&b->dice, 2)) {
		size_t cut = dice_roll(&b->dice, text.len);

		bout_frame(b, &to, 1, text.p, cut);
		bout_frame(b, &to, 0x80, text.p + cut, text.len - cut);
	} else
		bout_text(b, &to, text.p, text.len);
	bout_send(b, &to);
	bout_must_end(b);
}

/* ---- what never gets whole ---- */

static void
half_frame(struct attempt *b)
{
	struct buf to = { .mem = b->mem },
		   p = some_bytes(b, dice_roll(&b->dice, 70000));

	if (!bout_enter(b, NULL, 0))
		return;
	bout_frame(b, &to, dice_roll(&b->dice, 2) ? TEXT : BINARY, p.p, p.len);
	to.len = dice_roll(&b->dice, to.len);
	bout_send(b, &to);
}

static void
half_head(struct attempt *b)
{
	const char *head = bout_head(b);

	if (head == NULL || !open_wire(b))
		return;
	wire_send_cut(b->wire, &b->dice, head, dice_roll(&b->dice, strlen(head)));
}

static void
spoilt_head(struct attempt *b)
{
	const char *head = bout_head(b);
	struct buf to = { .mem = b->mem };

	if (head == NULL || !open_wire(b))
		return;
	buf_str(&to, head);
	message_spoil(&to, &b->dice);
	if (dice_roll(&b->dice, 4) == 0) /* larger than the limit of any socket */
		for (int i = 0; i < 3000; i++)
			buf_str(&to, "X-More: x\r\n");
	bout_send(b, &to);
	wire_hear(b->wire, 0.1, 0);
}

/* ---- all at once ---- */

/* Sends messages in one write, directly after the head. */
static void
glued(struct attempt *b)
{
	struct buf to = { .mem = b->mem };

	for (size_t n = 1 + dice_roll(&b->dice, 12); n > 0; n--) {
		struct buf m = { .mem = b->mem };

		message_add(&m, &b->dice, b->kind);
		bout_text(b, &to, m.p, m.len);
	}
	if (!bout_enter(b, to.p, to.len))
		return;
	bout_must_live(b);
	if (b->wrong != NULL && wire_hear(b->wire, 0, 0)->code == 1000)
		b->wrong = NULL; /* one of them was an end_task */
}

/* Sends many requests and does not read the answers. */
static void
flood(struct attempt *b)
{
	struct buf to = { .mem = b->mem };
	struct buf p = some_bytes(b, 125);
	size_t most = 200 + dice_roll(&b->dice, 5000);

	if (!bout_enter(b, NULL, 0))
		return;
	for (size_t n = 0; n < most; n++)
		bout_frame(b, &to, PING, p.p, dice_roll(&b->dice, 126));
	bout_send(b, &to);
}

/* ---- the list ---- */

/* clang-format off */
const struct attack attacks[] = {
	{ "any head",        any_head },
	{ "any length",      any_length },
	{ "no mask",         no_mask },
	{ "fragments",       fragments },
	{ "good fragments",  good_fragments },
	{ "bad control",     bad_control },
	{ "any close",       any_close },
	{ "bad UTF-8",       bad_utf8 },
	{ "half a frame",    half_frame },
	{ "half a head",     half_head },
	{ "spoilt head",     spoilt_head },
	{ "glued",           glued },
	{ "flood",           flood },
	{ "spoilt messages", attack_spoilt },
	{ "spoilt messages", attack_spoilt },
	{ "spoilt messages", attack_spoilt },
	{ "task",            attack_task },
	{ "task",            attack_task },
	{ "task",            attack_task },
	{ "STT",             attack_stt },
	{ "STT",             attack_stt },
	{ "TTS",             attack_tts },
	{ "TTS",             attack_tts },
	{ "replaced",        attack_replaced },
	{ "deleted",         attack_deleted },
};
/* clang-format on */
const size_t nattacks = COUNT(attacks);
