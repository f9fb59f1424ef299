/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Both files contain the same tensors under different names. CTranslate2 stores the
 * queries, keys and values of an attention in one matrix, which is split here, and may
 * store weights as bytes with a scale for each row. whisper.cpp also needs the mel
 * filters, which are calculated here, and the tokens as bytes.
 */
#include "models/whisper_ggml.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

#define MAGIC 0x67676d6c
#define AUDIO_CONTEXT 1500
#define TEXT_CONTEXT 448
#define HEAD_SIZE 64
#define RATE_HZ 16000
#define FFT 400
#define BINS (FFT / 2 + 1)
#define MOST_MELS 128
#define MULTILINGUAL 51865 /* tokens of the smallest model with all languages */
#define NAME_BYTES 128
#define LINE_BYTES 4096 /* longest line of vocabulary.txt */

enum { TYPE_F32 = 0, TYPE_I8 = 1, TYPE_F16 = 4 };

struct tensor {
	char name[NAME_BYTES];
	uint32_t dims[4];
	int rank, type;
	size_t n; /* number of elements */
	const unsigned char *data;
};

struct conversion {
	struct arena *mem;
	FILE *out;
	struct tensor *tensors;
	size_t n;
	const unsigned char *p, *end; /* bytes not read yet */
	const char *why;              /* first error */
};

/* ---- reading ---- */

static bool
fail(struct conversion *c, const char *why)
{
	if (c->why == NULL)
		c->why = why;
	return false;
}

static bool
read_bytes(struct conversion *c, void *to, size_t n)
{
	if ((size_t)(c->end - c->p) < n)
		return fail(c, "the model ends too early");
	memcpy(to, c->p, n);
	c->p += n;
	return true;
}

/* Read a text preceded by its length; it is truncated if too long. */
static bool
read_name(struct conversion *c, char to[NAME_BYTES])
{
	uint16_t n;

	if (!read_bytes(c, &n, sizeof(n)) || (size_t)(c->end - c->p) < n)
		return fail(c, "the model ends too early");
	snprintf(to, NAME_BYTES, "%.*s", (int)n, (const char *)c->p);
	c->p += n;
	return true;
}

static size_t
type_bytes(int type)
{
	return type == TYPE_F32 ? 4 : type == TYPE_F16 ? 2 : 1;
}

static bool
read_tensor(struct conversion *c, struct tensor *t)
{
	uint8_t rank, type;
	uint32_t bytes;

	*t = (struct tensor){ .n = 1 };
	if (!read_name(c, t->name) || !read_bytes(c, &rank, 1))
		return false;
	if (rank > 4)
		return fail(c, "the model has a tensor of more than four dimensions");
	for (t->rank = 0; t->rank < rank; t->rank++) {
		if (!read_bytes(c, &t->dims[t->rank], 4))
			return false;
		if (t->dims[t->rank] > UINT32_MAX / 2 / t->n && t->dims[t->rank] > 0)
			return fail(c, "the model has a tensor that is too large");
		t->n *= t->dims[t->rank];
	}
	if (!read_bytes(c, &type, 1) || !read_bytes(c, &bytes, 4))
		return false;
	t->type = type;
	t->data = c->p;
	if ((size_t)(c->end - c->p) < bytes)
		return fail(c, "the model ends too early");
	c->p += bytes;
	if (type == TYPE_F32 || type == TYPE_F16 || type == TYPE_I8)
		return t->n * type_bytes(type) == bytes ||
		       fail(c, "the model has a tensor of a wrong size");
	t->rank = 0; /* integer tensors are settings of CTranslate2 and are skipped */
	return true;
}

static bool
read_tensors(struct conversion *c)
{
	uint32_t version, revision, n;
	char spec[NAME_BYTES];

	if (!read_bytes(c, &version, 4) || !read_name(c, spec) ||
	    !read_bytes(c, &revision, 4) || !read_bytes(c, &n, 4))
		return false;
	if (version < 5 || version > 6 || strcmp(spec, "WhisperSpec") != 0)
		return fail(c, "the model is not Whisper in a layout of CTranslate2 "
			       "that is known here");
	if (n > 10000)
		return fail(c, "the model has too many tensors");
	c->tensors = arena_alloc(c->mem, n * sizeof(*c->tensors));
	for (c->n = 0; c->n < n; c->n++)
		if (!read_tensor(c, &c->tensors[c->n]))
			return false;
	return true;
}

static const struct tensor *
find_tensor(const struct conversion *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->tensors[i].rank > 0 && strcmp(c->tensors[i].name, name) == 0)
			return &c->tensors[i];
	return NULL;
}

static const struct tensor *
find(struct conversion *c, const char *name)
{
	const struct tensor *t = find_tensor(c, name);

	if (t == NULL)
		fail(c, arena_printf(c->mem, "the model has no tensor %s", name));
	return t;
}

/* ---- numbers ---- */

static float
of_half(uint16_t h)
{
	int exponent = h >> 10 & 31;
	float fraction = (float)(h & 1023) / 1024, value;

	if (exponent == 31)
		value = (h & 1023) == 0 ? INFINITY : NAN;
	else
		value = exponent == 0 ? ldexpf(fraction, -14)
				      : ldexpf(1 + fraction, exponent - 15);
	return (h & 0x8000) != 0 ? -value : value;
}

/* Round to the nearest half; a tie goes to the even one. */
static uint16_t
to_half(float f)
{
	uint16_t sign = signbit(f) ? 0x8000 : 0;
	int exponent;
	float step, rounded;

	f = fabsf(f);
	if (!(f < 65520))
		return (uint16_t)(sign | (isnan(f) ? 0x7e00 : 0x7c00));
	frexpf(f, &exponent);
	step = ldexpf(1, (exponent > -13 ? exponent : -13) - 11);
	rounded = rintf(f / step) * step;
	if (rounded < ldexpf(1, -14))
		return (uint16_t)(sign | (int)ldexpf(rounded, 24));
	frexpf(rounded, &exponent);
	return (uint16_t)(sign | (exponent + 14) << 10 |
			  ((int)ldexpf(rounded, 11 - exponent) & 1023));
}

/* The tensor of row scales for a tensor of bytes; NULL for other types. */
static const struct tensor *
scale_of(struct conversion *c, const struct tensor *t)
{
	const struct tensor *scale;

	if (t->type != TYPE_I8)
		return NULL;
	scale = find(c, arena_printf(c->mem, "%s_scale", t->name));
	if (scale != NULL && (scale->type != TYPE_F32 || scale->n != t->dims[0]))
		fail(c, "the model has a scale of a wrong size");
	return scale;
}

static float
element(const struct tensor *t, const struct tensor *scale, size_t i)
{
	uint16_t h;
	float f;

	if (t->type == TYPE_F16) {
		memcpy(&h, t->data + i * 2, 2);
		return of_half(h);
	}
	if (t->type == TYPE_F32) {
		memcpy(&f, t->data + i * 4, 4);
		return f;
	}
	memcpy(&f, scale->data + i / (t->n / t->dims[0]) * 4, 4);
	return (float)(int8_t)t->data[i] / f;
}

/* ---- writing ---- */

static void
put_int(struct conversion *c, int64_t n)
{
	int32_t i = (int32_t)n;

	fwrite(&i, sizeof(i), 1, c->out);
}

static void
put_numbers(
    struct conversion *c, const struct tensor *t, size_t from, size_t to, bool half)
{
	const struct tensor *scale = scale_of(c, t);

	if (c->why != NULL)
		return;
	if (half && t->type == TYPE_F16) {
		fwrite(t->data + from * 2, 2, to - from, c->out);
		return;
	}
	for (size_t i = from; i < to; i++) {
		float f = element(t, scale, i);
		uint16_t h = half ? to_half(f) : 0;

		fwrite(half ? (const void *)&h : &f, half ? sizeof(h) : sizeof(f), 1,
		    c->out);
	}
}

/* How a tensor is written. */
struct shape {
	bool half;
	bool column; /* a row of numbers as one column of a matrix */
	/* split the rows into `of` parts and write this one; of 0: write all */
	int part, of;
	int last; /* write only this number of last dimensions; 0: all */
};

static void
put(struct conversion *c, const char *to, const char *from, struct shape s)
{
	const struct tensor *t = find(c, from);
	size_t rows, width;
	int first;

	if (t == NULL)
		return;
	first = s.last > 0 && t->rank > s.last ? t->rank - s.last : 0;
	rows = t->dims[0];
	if (s.of > 0 && (rows % (size_t)s.of != 0 || first > 0)) {
		fail(c, arena_printf(c->mem, "the tensor %s has another form", from));
		return;
	}
	rows /= s.of > 0 ? (size_t)s.of : 1;
	width = t->dims[0] > 0 ? t->n / t->dims[0] : 0;
	put_int(c, t->rank - first + s.column);
	put_int(c, (int64_t)strlen(to));
	put_int(c, s.half);
	if (s.column)
		put_int(c, 1);
	for (int i = t->rank - 1; i >= first; i--)
		put_int(c, i == 0 ? (int64_t)rows : t->dims[i]);
	fwrite(to, 1, strlen(to), c->out);
	put_numbers(c, t, (size_t)s.part * rows * width,
	    ((size_t)s.part + 1) * rows * width, s.half);
}

#define NAME(...) arena_printf(c->mem, __VA_ARGS__)

static void
put_linear(struct conversion *c, const char *to, const char *from)
{
	put(c, NAME("%s.weight", to), NAME("%s/weight", from),
	    (struct shape){ .half = true });
	put(c, NAME("%s.bias", to), NAME("%s/bias", from), (struct shape){ 0 });
}

static void
put_norm(struct conversion *c, const char *to, const char *from)
{
	put(c, NAME("%s.weight", to), NAME("%s/gamma", from), (struct shape){ 0 });
	put(c, NAME("%s.bias", to), NAME("%s/beta", from), (struct shape){ 0 });
}

/* In cross-attention, the queries have a matrix of their own. */
static void
put_attention(struct conversion *c, const char *to, const char *from, bool cross)
{
	static const char *const names[] = { "query", "key", "value" };

	for (int i = 0; i < 3; i++) {
		int matrix = cross && i > 0;
		struct shape s = { .part = cross ? (i > 0 ? i - 1 : 0) : i,
			.of = cross ? (i > 0 ? 2 : 1) : 3 };

		if (i != 1) /* the key projection has no bias */
			put(c, NAME("%s.%s.bias", to, names[i]),
			    NAME("%s/linear_%d/bias", from, matrix), s);
		s.half = true;
		put(c, NAME("%s.%s.weight", to, names[i]),
		    NAME("%s/linear_%d/weight", from, matrix), s);
	}
	put_linear(c, NAME("%s.out", to), NAME("%s/linear_%d", from, cross ? 2 : 1));
}

static void
put_block(struct conversion *c, const char *side, int i)
{
	const char *from = NAME("%s/layer_%d", side, i);
	const char *to = NAME("%s.blocks.%d", side, i);

	put_attention(c, NAME("%s.attn", to), NAME("%s/self_attention", from), false);
	put_norm(c, NAME("%s.attn_ln", to), NAME("%s/self_attention/layer_norm", from));
	if (strcmp(side, "decoder") == 0) {
		put_attention(
		    c, NAME("%s.cross_attn", to), NAME("%s/attention", from), true);
		put_norm(c, NAME("%s.cross_attn_ln", to),
		    NAME("%s/attention/layer_norm", from));
	}
	put_norm(c, NAME("%s.mlp_ln", to), NAME("%s/ffn/layer_norm", from));
	put_linear(c, NAME("%s.mlp.0", to), NAME("%s/ffn/linear_0", from));
	put_linear(c, NAME("%s.mlp.2", to), NAME("%s/ffn/linear_1", from));
}

static int
count_layers(const struct conversion *c, const char *side)
{
	int n = 0;

	while (n < 100 &&
	       find_tensor(c, NAME("%s/layer_%d/ffn/layer_norm/gamma", side, n)))
		n++;
	return n;
}

static void
put_all(struct conversion *c, int encoder_layers, int decoder_layers)
{
	const struct shape position = { .last = 2 };

	put(c, "encoder.positional_embedding", "encoder/position_encodings/encodings",
	    position);
	for (int i = 1; i <= 2; i++) {
		put(c, NAME("encoder.conv%d.weight", i),
		    NAME("encoder/conv%d/weight", i), (struct shape){ .half = true });
		put(c, NAME("encoder.conv%d.bias", i), NAME("encoder/conv%d/bias", i),
		    (struct shape){ .column = true });
	}
	for (int i = 0; i < encoder_layers; i++)
		put_block(c, "encoder", i);
	put_norm(c, "encoder.ln_post", "encoder/layer_norm");
	put(c, "decoder.positional_embedding", "decoder/position_encodings/encodings",
	    position);
	put(c, "decoder.token_embedding.weight", "decoder/embeddings/weight",
	    (struct shape){ .half = true });
	for (int i = 0; i < decoder_layers; i++)
		put_block(c, "decoder", i);
	put_norm(c, "decoder.ln", "decoder/layer_norm");
}

/* ---- mel filters ---- */

/* Slaney's scale: linear below 1 kHz, logarithmic above. */
static double
mel(double hz)
{
	return hz < 1000 ? hz * 3 / 200 : 15 + log(hz / 1000) / (log(6.4) / 27);
}

static double
hz(double m)
{
	return m < 15 ? m * 200 / 3 : 1000 * exp((m - 15) * log(6.4) / 27);
}

static void
put_mels(struct conversion *c, int n)
{
	double at[MOST_MELS + 2];

	put_int(c, n);
	put_int(c, BINS);
	for (int i = 0; i < n + 2; i++)
		at[i] = hz(mel(RATE_HZ / 2) * i / (n + 1));
	for (int i = 0; i < n; i++)
		for (int k = 0; k < BINS; k++) {
			double f = (double)k * RATE_HZ / FFT;
			double up = (f - at[i]) / (at[i + 1] - at[i]);
			double down = (at[i + 2] - f) / (at[i + 2] - at[i + 1]);
			float w =
			    (float)(fmax(0, fmin(up, down)) * 2 / (at[i + 2] - at[i]));

			fwrite(&w, sizeof(w), 1, c->out);
		}
}

/* ---- tokens ---- */

/* Decode the next UTF-8 character, which encodes a byte by GPT-2's table. */
static int
next_byte(const unsigned char **p)
{
	static const struct {
		int from, to;
	} same[] = { { 33, 126 }, { 161, 172 }, { 174, 255 } };
	int c = *(*p)++, others = 0;

	if (c >= 0xc0 && c < 0xe0)
		c = (c & 31) << 6 | (*(*p)++ & 63);
	if (c < 256)
		return c;
	for (int b = 0; b < 256; b++) {
		bool is_same = false;

		for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
			is_same |= b >= same[i].from && b <= same[i].to;
		if (!is_same && c == 256 + others++)
			return b;
	}
	return '?';
}

static void
put_token(struct conversion *c, const char *line, size_t n)
{
	const unsigned char *p = (const unsigned char *)line;
	struct buf bytes = { .mem = c->mem };

	while (p < (const unsigned char *)line + n) {
		char b = (char)next_byte(&p);

		buf_put(&bytes, &b, 1);
	}
	put_int(c, (int64_t)bytes.len);
	fwrite(bytes.p, 1, bytes.len, c->out);
}

/* Write the first n lines; later tokens are defined by the library. */
static void
put_tokens(struct conversion *c, const char *file, size_t n)
{
	FILE *f = fopen(file, "re");
	char line[LINE_BYTES];
	size_t read = 0;

	put_int(c, (int64_t)n);
	while (f != NULL && read < n && fgets(line, sizeof(line), f) != NULL) {
		put_token(c, line, strcspn(line, "\n"));
		read++;
	}
	if (read < n)
		fail(c, "vocabulary.txt is missing or too short");
	if (f != NULL)
		fclose(f);
}

/* ---- the whole ---- */

static void
convert(struct conversion *c, const char *vocabulary)
{
	const struct tensor *words = find(c, "decoder/embeddings/weight");
	const struct tensor *conv = find(c, "encoder/conv1/weight");
	int encoder = count_layers(c, "encoder"), decoder = count_layers(c, "decoder");
	uint32_t head[2];

	if (words == NULL || conv == NULL)
		return;
	if (words->rank != 2 || conv->rank != 3 || conv->dims[1] == 0 ||
	    conv->dims[1] > MOST_MELS || encoder == 0 || decoder == 0) {
		fail(c, "the model has another form than Whisper");
		return;
	}
	head[0] = words->dims[0];
	head[1] = words->dims[1];
	put_int(c, MAGIC);
	put_int(c, head[0]);
	put_int(c, AUDIO_CONTEXT);
	put_int(c, head[1]);
	put_int(c, head[1] / HEAD_SIZE);
	put_int(c, encoder);
	put_int(c, TEXT_CONTEXT);
	put_int(c, head[1]);
	put_int(c, head[1] / HEAD_SIZE);
	put_int(c, decoder);
	put_int(c, conv->dims[1]);
	put_int(c, 1); /* half precision */
	put_mels(c, (int)conv->dims[1]);
	put_tokens(c, vocabulary, head[0] >= MULTILINGUAL ? 50257 : 50256);
	put_all(c, encoder, decoder);
}

static bool
write_model(struct conversion *c, const char *vocabulary, const char *to)
{
	if ((c->out = fopen(to, "we")) == NULL)
		return fail(c, arena_printf(c->mem, "%s: %s", to, strerror(errno)));
	convert(c, vocabulary);
	if (ferror(c->out) != 0 || fflush(c->out) != 0)
		fail(c, arena_printf(c->mem, "%s: %s", to, strerror(errno)));
	fclose(c->out);
	return c->why == NULL;
}

bool
whisper_to_ggml(struct arena *mem, const char *folder, const char *to, const char **why)
{
	const char *model = arena_printf(mem, "%s/model.bin", folder);
	struct conversion c = { .mem = mem };
	int fd = open(model, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED) {
		*why = arena_printf(mem, "%s cannot be read", model);
	} else {
		c.p = p;
		c.end = c.p + st.st_size;
		if (read_tensors(&c))
			write_model(
			    &c, arena_printf(mem, "%s/vocabulary.txt", folder), to);
		munmap(p, (size_t)st.st_size);
		*why = c.why;
	}
	if (fd >= 0)
		close(fd);
	return *why == NULL;
}
