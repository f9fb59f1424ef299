/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_TINY_MODELS_H
#define TESTS_UNIT_TINY_MODELS_H

/*
 * Models that a test can write, with audible results: networks of a few operators in
 * the format of ONNX (onnx.proto), and a model for whisper.cpp without weights.
 */
#include "livekit/protobuf.h"
#include "tests/unit/unit.h"

/* ---- a network ---- */

enum { TINY_FLOAT = 1, TINY_INT64 = 7 };

/* Numbers of a list that ends with -1; -2 stands for a size that varies. */
#define TINY(...) ((const int[]){ __VA_ARGS__, -1 })

static struct {
	struct buf model; /* the whole model */
	size_t graph;
} tiny;

static void
tiny_begin(const char *const *metadata)
{
	size_t m;

	tiny.model = (struct buf){ .mem = fixture.mem };
	protobuf_write_number(&tiny.model, 1, 8);
	m = protobuf_begin(&tiny.model, 8);
	protobuf_write_number(&tiny.model, 2, 13);
	protobuf_end(&tiny.model, m);
	for (; *metadata != NULL; metadata += 2) {
		m = protobuf_begin(&tiny.model, 14);
		protobuf_write_text(&tiny.model, 1, metadata[0]);
		protobuf_write_text(&tiny.model, 2, metadata[1]);
		protobuf_end(&tiny.model, m);
	}
	tiny.graph = protobuf_begin(&tiny.model, 7);
	protobuf_write_text(&tiny.model, 2, "tiny");
}

/* Writes an input (11) or output (12) of the graph. */
static void
tiny_value(uint32_t field, const char *name, int type, const int *shape)
{
	struct buf *b = &tiny.model;
	size_t value = protobuf_begin(b, field), of, tensor, dims, dim;

	protobuf_write_text(b, 1, name);
	of = protobuf_begin(b, 2);
	tensor = protobuf_begin(b, 1);
	protobuf_write_number(b, 1, (uint64_t)type);
	dims = protobuf_begin(b, 2);
	for (; *shape != -1; shape++) {
		dim = protobuf_begin(b, 1);
		if (*shape > 0)
			protobuf_write_number(b, 1, (uint64_t)*shape);
		else
			protobuf_write_text(b, 2, "n");
		protobuf_end(b, dim);
	}
	protobuf_end(b, dims);
	protobuf_end(b, tensor);
	protobuf_end(b, of);
	protobuf_end(b, value);
}

#define tiny_input(...) tiny_value(11, __VA_ARGS__)
#define tiny_output(...) tiny_value(12, __VA_ARGS__)

/* Writes a constant: n equal numbers. */
static void
tiny_constant(const char *name, int type, const int *shape, double value)
{
	size_t tensor = protobuf_begin(&tiny.model, 5), n = 1;
	struct buf raw = { .mem = fixture.mem };
	int64_t whole = (int64_t)value;
	float real = (float)value;

	for (; *shape != -1; n *= (size_t)*shape++)
		protobuf_write_choice(&tiny.model, 1, (uint64_t)*shape);
	protobuf_write_number(&tiny.model, 2, (uint64_t)type);
	protobuf_write_text(&tiny.model, 8, name);
	while (n-- > 0)
		if (type == TINY_FLOAT)
			buf_put(&raw, &real, sizeof(real));
		else
			buf_put(&raw, &whole, sizeof(whole));
	protobuf_write_bytes(&tiny.model, 9, raw.p, raw.len);
	protobuf_end(&tiny.model, tensor);
}

static void
tiny_names(uint32_t field, const char *names)
{
	for (size_t n; *(names += strspn(names, " ")) != '\0'; names += n)
		protobuf_write_bytes(
		    &tiny.model, field, names, n = strcspn(names, " "));
}

/* Writes a node; attribute: NULL, or its only attribute: a number, or several. */
static void
tiny_node(const char *type, const char *in, const char *out, const char *attribute,
    const int *numbers)
{
	size_t node = protobuf_begin(&tiny.model, 1), a;
	bool one = numbers != NULL && strcmp(attribute, "axes") != 0;

	tiny_names(1, in);
	tiny_names(2, out);
	protobuf_write_text(&tiny.model, 4, type);
	if (attribute != NULL) {
		a = protobuf_begin(&tiny.model, 5);
		protobuf_write_text(&tiny.model, 1, attribute);
		for (; *numbers != -1; numbers++)
			protobuf_write_choice(
			    &tiny.model, one ? 3 : 8, (uint64_t)*numbers);
		protobuf_write_number(&tiny.model, 20, one ? 2 : 7);
		protobuf_end(&tiny.model, a);
	}
	protobuf_end(&tiny.model, node);
}

static void
tiny_write(const char *path, const struct buf *b)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(b->p, 1, b->len, f), b->len);
	ck_assert_int_eq(fclose(f), 0);
}

static void
tiny_end(const char *folder, const char *name)
{
	protobuf_end(&tiny.model, tiny.graph);
	tiny_write(arena_printf(fixture.mem, "%s/%s", folder, name), &tiny.model);
}

/* ---- recognition: a streaming transducer of sherpa-onnx ---- */

/*
 * For 0.64 s of loud sound it returns a word, HELLO and WORLD in turn. The encoder's
 * output is the mean of the features and a threshold; the decoder's output is whether
 * the last word was HELLO.
 */
static void
tiny_transducer(const char *folder)
{
	tiny_begin(HEADS("model_type", "lstm", "num_encoder_layers", "1", "T", "64",
	    "decode_chunk_len", "64", "rnn_hidden_size", "1", "d_model", "1"));
	tiny_input("x", TINY_FLOAT, TINY(-2, 64, 80));
	tiny_input("h", TINY_FLOAT, TINY(1, -2, 1));
	tiny_input("c", TINY_FLOAT, TINY(1, -2, 1));
	tiny_constant("threshold", TINY_FLOAT, TINY(1), 15);
	tiny_node("ReduceMean", "x", "mean", "axes", TINY(1, 2));
	tiny_node("Add", "mean threshold", "loud", NULL, NULL);
	tiny_node("Identity", "h", "next_h", NULL, NULL);
	tiny_node("Identity", "c", "next_c", NULL, NULL);
	tiny_output("loud", TINY_FLOAT, TINY(-2, 1, 1));
	tiny_output("next_h", TINY_FLOAT, TINY(1, -2, 1));
	tiny_output("next_c", TINY_FLOAT, TINY(1, -2, 1));
	tiny_end(folder, "encoder.onnx");

	tiny_begin(HEADS("vocab_size", "3", "context_size", "1"));
	tiny_input("y", TINY_INT64, TINY(-2, 1));
	tiny_constant("hello", TINY_INT64, TINY(1), 1);
	tiny_node("Equal", "y hello", "is", NULL, NULL);
	tiny_node("Cast", "is", "was_hello", "to", TINY(TINY_FLOAT));
	tiny_output("was_hello", TINY_FLOAT, TINY(-2, 1));
	tiny_end(folder, "decoder.onnx");

	tiny_begin(HEADS("joiner_dim", "1"));
	tiny_input("loud", TINY_FLOAT, TINY(-2, 1));
	tiny_input("was_hello", TINY_FLOAT, TINY(-2, 1));
	tiny_constant("one", TINY_FLOAT, TINY(1), 1);
	tiny_constant("none", TINY_FLOAT, TINY(1), 0);
	tiny_node("Sub", "one was_hello", "was_not", NULL, NULL);
	tiny_node("Mul", "was_hello none", "blank", NULL, NULL);
	tiny_node("Mul", "loud was_not", "hello", NULL, NULL);
	tiny_node("Mul", "loud was_hello", "world", NULL, NULL);
	tiny_node("Concat", "blank hello world", "logit", "axis", TINY(1));
	tiny_output("logit", TINY_FLOAT, TINY(-2, 3));
	tiny_end(folder, "joiner.onnx");
	unit_write(arena_printf(fixture.mem, "%s/tokens.txt", folder),
	    "<blk> 0\n\xe2\x96\x81HELLO 1\n\xe2\x96\x81WORLD 2\n");
}

/* ---- speech: VITS ---- */

#define TINY_RATE_HZ 16000
#define TINY_LETTER 400 /* samples */

/*
 * Each letter is TINY_LETTER samples times the length scale. The value of the samples
 * is a hundredth of the letter's number ("a" is 1), for the second speaker a tenth.
 */
static void
tiny_vits(const char *folder)
{
	tiny_begin(HEADS("sample_rate", "16000", "n_speakers", "2", "language", "en",
	    "comment", "tiny", "frontend", "characters", "add_blank", "0",
	    "use_eos_bos", "0"));
	tiny_input("x", TINY_INT64, TINY(-2, -2));
	tiny_input("x_length", TINY_INT64, TINY(-2));
	tiny_input("noise_scale", TINY_FLOAT, TINY(1));
	tiny_input("length_scale", TINY_FLOAT, TINY(1));
	tiny_input("noise_scale_w", TINY_FLOAT, TINY(1));
	tiny_input("sid", TINY_INT64, TINY(1));
	tiny_constant("hundredth", TINY_FLOAT, TINY(1), 0.01);
	tiny_constant("tenth", TINY_FLOAT, TINY(1), 0.1);
	tiny_constant("last", TINY_INT64, TINY(1), 2);
	tiny_constant("letter", TINY_FLOAT, TINY(1, 1, TINY_LETTER), 1);
	tiny_constant("one", TINY_INT64, TINY(2), 1);
	tiny_constant("all", TINY_INT64, TINY(1), -1);
	tiny_node("Cast", "x", "number", "to", TINY(TINY_FLOAT));
	tiny_node("Mul", "number hundredth", "loud", NULL, NULL);
	tiny_node("Cast", "sid", "speaker", "to", TINY(TINY_FLOAT));
	tiny_node("Mul", "speaker tenth", "louder", NULL, NULL);
	tiny_node("Add", "loud louder", "sum", NULL, NULL);
	tiny_node("Mul", "sum length_scale", "scaled", NULL, NULL);
	tiny_node("Unsqueeze", "scaled last", "deep", NULL, NULL);
	tiny_node("Mul", "deep letter", "sound", NULL, NULL);
	tiny_node("Concat", "one all", "shape", "axis", TINY(0));
	tiny_node("Reshape", "sound shape", "y", NULL, NULL);
	tiny_output("y", TINY_FLOAT, TINY(1, 1, -2));
	tiny_end(folder, "model.onnx");
	unit_write(
	    arena_printf(fixture.mem, "%s/tokens.txt", folder), "a 1\nb 2\nc 3\n. 4\n");
}

/* ---- whisper.cpp ---- */

enum { TINY_STATE = 64, TINY_VOCABULARY = 51865, TINY_CONTEXT = 1500, TINY_TEXT = 448 };
/* Indices in its vocabulary. */
enum {
	TINY_HELLO = 7,
	TINY_NOISE = 8,
	TINY_END = 50257,
	TINY_START = 50258,
	TINY_GERMAN = 50261,
	TINY_NO_TIMES = 50363
};

static void
tiny_int(FILE *f, int32_t v)
{
	ck_assert_uint_eq(fwrite(&v, sizeof(v), 1, f), 1);
}

/*
 * Writes a tensor of zeros, which need no space on the disk; returns where its numbers
 * begin.
 */
static long
tiny_tensor(FILE *f, const char *name, const int *shape)
{
	long n = sizeof(float), begin;
	int dimensions = 0;

	while (shape[dimensions] != -1)
		n *= shape[dimensions++];
	tiny_int(f, dimensions);
	tiny_int(f, (int32_t)strlen(name));
	tiny_int(f, 0);
	for (int i = 0; i < dimensions; i++)
		tiny_int(f, shape[i]);
	fputs(name, f);
	begin = ftell(f);
	ck_assert_int_eq(fseek(f, begin + n - 1, SEEK_SET), 0);
	fputc(0, f);
	return begin;
}

static void
tiny_pair(FILE *f, const char *name, int in, int out)
{
	tiny_tensor(f, arena_printf(fixture.mem, "%s.weight", name), TINY(in, out));
	tiny_tensor(f, arena_printf(fixture.mem, "%s.bias", name), TINY(out));
}

static void
tiny_norm(FILE *f, const char *name)
{
	tiny_tensor(f, arena_printf(fixture.mem, "%s.weight", name), TINY(TINY_STATE));
	tiny_tensor(f, arena_printf(fixture.mem, "%s.bias", name), TINY(TINY_STATE));
}

static void
tiny_attention(FILE *f, const char *name)
{
	tiny_norm(f, arena_printf(fixture.mem, "%s_ln", name));
	tiny_pair(
	    f, arena_printf(fixture.mem, "%s.query", name), TINY_STATE, TINY_STATE);
	tiny_tensor(f, arena_printf(fixture.mem, "%s.key.weight", name),
	    TINY(TINY_STATE, TINY_STATE));
	tiny_pair(
	    f, arena_printf(fixture.mem, "%s.value", name), TINY_STATE, TINY_STATE);
	tiny_pair(f, arena_printf(fixture.mem, "%s.out", name), TINY_STATE, TINY_STATE);
}

static void
tiny_block(FILE *f, const char *name)
{
	tiny_norm(f, arena_printf(fixture.mem, "%s.mlp_ln", name));
	tiny_pair(
	    f, arena_printf(fixture.mem, "%s.mlp.0", name), TINY_STATE, 4 * TINY_STATE);
	tiny_pair(
	    f, arena_printf(fixture.mem, "%s.mlp.2", name), 4 * TINY_STATE, TINY_STATE);
	tiny_attention(f, arena_printf(fixture.mem, "%s.attn", name));
}

static void
tiny_set(FILE *f, long begin, int place, float value)
{
	ck_assert_int_eq(fseek(f, begin + place * (long)sizeof(value), SEEK_SET), 0);
	ck_assert_uint_eq(fwrite(&value, sizeof(value), 1, f), 1);
}

/*
 * A token's embedding decides the next token, because all other weights are zero: HELLO
 * follows the prompt, the end follows HELLO, and the language is German.
 */
static void
tiny_tokens(FILE *f, long begin)
{
	static const struct {
		int token, at;
		float value;
	} parts[] = { { TINY_NO_TIMES, 0, 1 }, { TINY_HELLO, 0, 2 },
		{ TINY_HELLO, 1, 3 }, { TINY_END, 1, 10 }, { TINY_NOISE, 0, 4 },
		{ TINY_START, 2, 1 }, { TINY_GERMAN, 2, 2 } };

	for (int i = 0; i < COUNT(parts); i++)
		tiny_set(f, begin, parts[i].token * TINY_STATE + parts[i].at,
		    parts[i].value);
}

/* The library looks for " " and for the token of no speech. */
static const char *
tiny_word(int token)
{
	return token == 0            ? " "
	       : token == TINY_HELLO ? " hello"
	       : token == TINY_NOISE ? " ("
				     : arena_printf(fixture.mem, " %d", token);
}

/* A multilingual model that returns " hello" for every sound. */
static void
tiny_whisper(const char *path)
{
	static const int32_t shape[] = { 0x67676d6c, TINY_VOCABULARY, TINY_CONTEXT,
		TINY_STATE, 1, 1, TINY_TEXT, TINY_STATE, 1, 1, 80, 0, 80, 201 };
	static const float filters[80 * 201];
	FILE *f = fopen(path, "w+");
	long begin;

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(shape, sizeof(shape), 1, f), 1);
	ck_assert_uint_eq(fwrite(filters, sizeof(filters), 1, f), 1);
	tiny_int(f, TINY_END);
	for (int i = 0; i < TINY_END; i++) {
		const char *word = tiny_word(i);

		tiny_int(f, (int32_t)strlen(word));
		fputs(word, f);
	}
	tiny_tensor(f, "encoder.positional_embedding", TINY(TINY_STATE, TINY_CONTEXT));
	tiny_tensor(f, "encoder.conv1.weight", TINY(3, 80, TINY_STATE));
	tiny_tensor(f, "encoder.conv1.bias", TINY(1, TINY_STATE));
	tiny_tensor(f, "encoder.conv2.weight", TINY(3, TINY_STATE, TINY_STATE));
	tiny_tensor(f, "encoder.conv2.bias", TINY(1, TINY_STATE));
	tiny_norm(f, "encoder.ln_post");
	tiny_block(f, "encoder.blocks.0");
	tiny_tensor(f, "decoder.positional_embedding", TINY(TINY_STATE, TINY_TEXT));
	begin = tiny_tensor(
	    f, "decoder.token_embedding.weight", TINY(TINY_STATE, TINY_VOCABULARY));
	tiny_tokens(f, begin);
	ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
	begin = tiny_tensor(f, "decoder.ln.weight", TINY(TINY_STATE));
	for (int i = 0; i < TINY_STATE; i++)
		tiny_set(f, begin, i, 1);
	tiny_tensor(f, "decoder.ln.bias", TINY(TINY_STATE));
	tiny_block(f, "decoder.blocks.0");
	tiny_attention(f, "decoder.blocks.0.cross_attn");
	ck_assert_int_eq(fclose(f), 0);
}

#endif
