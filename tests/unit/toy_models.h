#ifndef TESTS_UNIT_TOY_MODELS_H
#define TESTS_UNIT_TOY_MODELS_H

/*
 * Models that are small enough to be written by a test, and do something that can be
 * heard: networks of a few operators in the format of ONNX (onnx.proto), and a model of
 * whisper.cpp without weights.
 */
#include "livekit/protobuf.h"
#include "tests/unit/unit.h"

/* ---- a network ---- */

enum { TOY_FLOAT = 1, TOY_INT64 = 7 };

/* Numbers of a list that ends with -1; -2 stands for a size that varies. */
#define TOY(...) ((const int[]){ __VA_ARGS__, -1 })

static struct {
	struct buf model; /* all of it */
	size_t graph;
} toy;

static void
toy_begin(const char *const *metadata)
{
	size_t m;

	toy.model = (struct buf){ .mem = fixture.mem };
	protobuf_write_number(&toy.model, 1, 8);
	m = protobuf_begin(&toy.model, 8);
	protobuf_write_number(&toy.model, 2, 13);
	protobuf_end(&toy.model, m);
	for (; *metadata != NULL; metadata += 2) {
		m = protobuf_begin(&toy.model, 14);
		protobuf_write_text(&toy.model, 1, metadata[0]);
		protobuf_write_text(&toy.model, 2, metadata[1]);
		protobuf_end(&toy.model, m);
	}
	toy.graph = protobuf_begin(&toy.model, 7);
	protobuf_write_text(&toy.model, 2, "toy");
}

/* An input (11) or output (12) of the graph. */
static void
toy_value(uint32_t field, const char *name, int type, const int *shape)
{
	struct buf *b = &toy.model;
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

#define toy_input(...) toy_value(11, __VA_ARGS__)
#define toy_output(...) toy_value(12, __VA_ARGS__)

/* A constant: n numbers that are the same. */
static void
toy_constant(const char *name, int type, const int *shape, double value)
{
	size_t tensor = protobuf_begin(&toy.model, 5), n = 1;
	struct buf raw = { .mem = fixture.mem };
	int64_t whole = (int64_t)value;
	float real = (float)value;

	for (; *shape != -1; n *= (size_t)*shape++)
		protobuf_write_choice(&toy.model, 1, (uint64_t)*shape);
	protobuf_write_number(&toy.model, 2, (uint64_t)type);
	protobuf_write_text(&toy.model, 8, name);
	while (n-- > 0)
		if (type == TOY_FLOAT)
			buf_put(&raw, &real, sizeof(real));
		else
			buf_put(&raw, &whole, sizeof(whole));
	protobuf_write_bytes(&toy.model, 9, raw.p, raw.len);
	protobuf_end(&toy.model, tensor);
}

static void
toy_names(uint32_t field, const char *names)
{
	for (size_t n; *(names += strspn(names, " ")) != '\0'; names += n)
		protobuf_write_bytes(&toy.model, field, names, n = strcspn(names, " "));
}

/* attribute: NULL, or the one that it has: a number, or several. */
static void
toy_node(const char *type, const char *in, const char *out, const char *attribute,
    const int *numbers)
{
	size_t node = protobuf_begin(&toy.model, 1), a;
	bool one = numbers != NULL && strcmp(attribute, "axes") != 0;

	toy_names(1, in);
	toy_names(2, out);
	protobuf_write_text(&toy.model, 4, type);
	if (attribute != NULL) {
		a = protobuf_begin(&toy.model, 5);
		protobuf_write_text(&toy.model, 1, attribute);
		for (; *numbers != -1; numbers++)
			protobuf_write_choice(
			    &toy.model, one ? 3 : 8, (uint64_t)*numbers);
		protobuf_write_number(&toy.model, 20, one ? 2 : 7);
		protobuf_end(&toy.model, a);
	}
	protobuf_end(&toy.model, node);
}

static void
toy_write(const char *path, const struct buf *b)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(b->p, 1, b->len, f), b->len);
	ck_assert_int_eq(fclose(f), 0);
}

static void
toy_end(const char *folder, const char *name)
{
	protobuf_end(&toy.model, toy.graph);
	toy_write(arena_printf(fixture.mem, "%s/%s", folder, name), &toy.model);
}

/* ---- recognition: a streaming transducer of sherpa-onnx ---- */

/*
 * Of 0.64 s that are loud it says a word, HELLO and WORLD in turn: the encoder's output
 * is the mean of the features and a threshold, the decoder's whether the last word was
 * HELLO.
 */
static void
toy_transducer(const char *folder)
{
	toy_begin(HEADS("model_type", "lstm", "num_encoder_layers", "1", "T", "64",
	    "decode_chunk_len", "64", "rnn_hidden_size", "1", "d_model", "1"));
	toy_input("x", TOY_FLOAT, TOY(-2, 64, 80));
	toy_input("h", TOY_FLOAT, TOY(1, -2, 1));
	toy_input("c", TOY_FLOAT, TOY(1, -2, 1));
	toy_constant("threshold", TOY_FLOAT, TOY(1), 15);
	toy_node("ReduceMean", "x", "mean", "axes", TOY(1, 2));
	toy_node("Add", "mean threshold", "loud", NULL, NULL);
	toy_node("Identity", "h", "next_h", NULL, NULL);
	toy_node("Identity", "c", "next_c", NULL, NULL);
	toy_output("loud", TOY_FLOAT, TOY(-2, 1, 1));
	toy_output("next_h", TOY_FLOAT, TOY(1, -2, 1));
	toy_output("next_c", TOY_FLOAT, TOY(1, -2, 1));
	toy_end(folder, "encoder.onnx");

	toy_begin(HEADS("vocab_size", "3", "context_size", "1"));
	toy_input("y", TOY_INT64, TOY(-2, 1));
	toy_constant("hello", TOY_INT64, TOY(1), 1);
	toy_node("Equal", "y hello", "is", NULL, NULL);
	toy_node("Cast", "is", "was_hello", "to", TOY(TOY_FLOAT));
	toy_output("was_hello", TOY_FLOAT, TOY(-2, 1));
	toy_end(folder, "decoder.onnx");

	toy_begin(HEADS("joiner_dim", "1"));
	toy_input("loud", TOY_FLOAT, TOY(-2, 1));
	toy_input("was_hello", TOY_FLOAT, TOY(-2, 1));
	toy_constant("one", TOY_FLOAT, TOY(1), 1);
	toy_constant("none", TOY_FLOAT, TOY(1), 0);
	toy_node("Sub", "one was_hello", "was_not", NULL, NULL);
	toy_node("Mul", "was_hello none", "blank", NULL, NULL);
	toy_node("Mul", "loud was_not", "hello", NULL, NULL);
	toy_node("Mul", "loud was_hello", "world", NULL, NULL);
	toy_node("Concat", "blank hello world", "logit", "axis", TOY(1));
	toy_output("logit", TOY_FLOAT, TOY(-2, 3));
	toy_end(folder, "joiner.onnx");
	unit_write(arena_printf(fixture.mem, "%s/tokens.txt", folder),
	    "<blk> 0\n\xe2\x96\x81HELLO 1\n\xe2\x96\x81WORLD 2\n");
}

/* ---- speech: VITS ---- */

#define TOY_RATE_HZ 16000
#define TOY_LETTER 400 /* samples */

/*
 * A letter is TOY_LETTER samples that are a hundredth of its number, "a" is 1, and a
 * tenth for the second speaker; all times the length scale.
 */
static void
toy_vits(const char *folder)
{
	toy_begin(HEADS("sample_rate", "16000", "n_speakers", "2", "language", "en",
	    "comment", "toy", "frontend", "characters", "add_blank", "0", "use_eos_bos",
	    "0"));
	toy_input("x", TOY_INT64, TOY(-2, -2));
	toy_input("x_length", TOY_INT64, TOY(-2));
	toy_input("noise_scale", TOY_FLOAT, TOY(1));
	toy_input("length_scale", TOY_FLOAT, TOY(1));
	toy_input("noise_scale_w", TOY_FLOAT, TOY(1));
	toy_input("sid", TOY_INT64, TOY(1));
	toy_constant("hundredth", TOY_FLOAT, TOY(1), 0.01);
	toy_constant("tenth", TOY_FLOAT, TOY(1), 0.1);
	toy_constant("last", TOY_INT64, TOY(1), 2);
	toy_constant("letter", TOY_FLOAT, TOY(1, 1, TOY_LETTER), 1);
	toy_constant("one", TOY_INT64, TOY(2), 1);
	toy_constant("all", TOY_INT64, TOY(1), -1);
	toy_node("Cast", "x", "number", "to", TOY(TOY_FLOAT));
	toy_node("Mul", "number hundredth", "loud", NULL, NULL);
	toy_node("Cast", "sid", "speaker", "to", TOY(TOY_FLOAT));
	toy_node("Mul", "speaker tenth", "louder", NULL, NULL);
	toy_node("Add", "loud louder", "sum", NULL, NULL);
	toy_node("Mul", "sum length_scale", "scaled", NULL, NULL);
	toy_node("Unsqueeze", "scaled last", "deep", NULL, NULL);
	toy_node("Mul", "deep letter", "sound", NULL, NULL);
	toy_node("Concat", "one all", "shape", "axis", TOY(0));
	toy_node("Reshape", "sound shape", "y", NULL, NULL);
	toy_output("y", TOY_FLOAT, TOY(1, 1, -2));
	toy_end(folder, "model.onnx");
	unit_write(
	    arena_printf(fixture.mem, "%s/tokens.txt", folder), "a 1\nb 2\nc 3\n. 4\n");
}

/* ---- whisper.cpp ---- */

enum { TOY_STATE = 64, TOY_VOCABULARY = 51865, TOY_CONTEXT = 1500, TOY_TEXT = 448 };
/* Words of its vocabulary. */
enum {
	TOY_HELLO = 7,
	TOY_END = 50257,
	TOY_START = 50258,
	TOY_GERMAN = 50261,
	TOY_NO_TIMES = 50363
};

static void
toy_int(FILE *f, int32_t v)
{
	ck_assert_uint_eq(fwrite(&v, sizeof(v), 1, f), 1);
}

/* A tensor of zeros, which take no room on the disk; where its numbers begin. */
static long
toy_tensor(FILE *f, const char *name, const int *shape)
{
	long n = sizeof(float), begin;
	int dimensions = 0;

	while (shape[dimensions] != -1)
		n *= shape[dimensions++];
	toy_int(f, dimensions);
	toy_int(f, (int32_t)strlen(name));
	toy_int(f, 0);
	for (int i = 0; i < dimensions; i++)
		toy_int(f, shape[i]);
	fputs(name, f);
	begin = ftell(f);
	ck_assert_int_eq(fseek(f, begin + n - 1, SEEK_SET), 0);
	fputc(0, f);
	return begin;
}

static void
toy_pair(FILE *f, const char *name, int in, int out)
{
	toy_tensor(f, arena_printf(fixture.mem, "%s.weight", name), TOY(in, out));
	toy_tensor(f, arena_printf(fixture.mem, "%s.bias", name), TOY(out));
}

static void
toy_norm(FILE *f, const char *name)
{
	toy_tensor(f, arena_printf(fixture.mem, "%s.weight", name), TOY(TOY_STATE));
	toy_tensor(f, arena_printf(fixture.mem, "%s.bias", name), TOY(TOY_STATE));
}

static void
toy_attention(FILE *f, const char *name)
{
	toy_norm(f, arena_printf(fixture.mem, "%s_ln", name));
	toy_pair(f, arena_printf(fixture.mem, "%s.query", name), TOY_STATE, TOY_STATE);
	toy_tensor(f, arena_printf(fixture.mem, "%s.key.weight", name),
	    TOY(TOY_STATE, TOY_STATE));
	toy_pair(f, arena_printf(fixture.mem, "%s.value", name), TOY_STATE, TOY_STATE);
	toy_pair(f, arena_printf(fixture.mem, "%s.out", name), TOY_STATE, TOY_STATE);
}

static void
toy_block(FILE *f, const char *name)
{
	toy_norm(f, arena_printf(fixture.mem, "%s.mlp_ln", name));
	toy_pair(
	    f, arena_printf(fixture.mem, "%s.mlp.0", name), TOY_STATE, 4 * TOY_STATE);
	toy_pair(
	    f, arena_printf(fixture.mem, "%s.mlp.2", name), 4 * TOY_STATE, TOY_STATE);
	toy_attention(f, arena_printf(fixture.mem, "%s.attn", name));
}

static void
toy_set(FILE *f, long begin, int place, float value)
{
	ck_assert_int_eq(fseek(f, begin + place * (long)sizeof(value), SEEK_SET), 0);
	ck_assert_uint_eq(fwrite(&value, sizeof(value), 1, f), 1);
}

/*
 * What a token looks like decides what follows it, as the rest is zero: behind the
 * prompt HELLO, behind that the end; and the language is German.
 */
static void
toy_tokens(FILE *f, long begin)
{
	static const struct {
		int token, at;
		float value;
	} parts[] = { { TOY_NO_TIMES, 0, 1 }, { TOY_HELLO, 0, 2 }, { TOY_HELLO, 1, 3 },
		{ TOY_END, 1, 10 }, { TOY_START, 2, 1 }, { TOY_GERMAN, 2, 2 } };

	for (int i = 0; i < COUNT(parts); i++)
		toy_set(
		    f, begin, parts[i].token * TOY_STATE + parts[i].at, parts[i].value);
}

/* A multilingual model, which says " hello" whatever it hears. */
static void
toy_whisper(const char *path)
{
	static const int32_t shape[] = { 0x67676d6c, TOY_VOCABULARY, TOY_CONTEXT,
		TOY_STATE, 1, 1, TOY_TEXT, TOY_STATE, 1, 1, 80, 0, 80, 201 };
	static const float filters[80 * 201];
	FILE *f = fopen(path, "w+");
	long begin;

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(shape, sizeof(shape), 1, f), 1);
	ck_assert_uint_eq(fwrite(filters, sizeof(filters), 1, f), 1);
	toy_int(f, TOY_END);
	for (int i = 0; i < TOY_END; i++) {
		const char *word = arena_printf(fixture.mem, " %d", i);

		word = i == TOY_HELLO ? " hello"
		       : i == 0       ? " "
				      : word; /* it looks for " " */
		toy_int(f, (int32_t)strlen(word));
		fputs(word, f);
	}
	toy_tensor(f, "encoder.positional_embedding", TOY(TOY_STATE, TOY_CONTEXT));
	toy_tensor(f, "encoder.conv1.weight", TOY(3, 80, TOY_STATE));
	toy_tensor(f, "encoder.conv1.bias", TOY(1, TOY_STATE));
	toy_tensor(f, "encoder.conv2.weight", TOY(3, TOY_STATE, TOY_STATE));
	toy_tensor(f, "encoder.conv2.bias", TOY(1, TOY_STATE));
	toy_norm(f, "encoder.ln_post");
	toy_block(f, "encoder.blocks.0");
	toy_tensor(f, "decoder.positional_embedding", TOY(TOY_STATE, TOY_TEXT));
	begin = toy_tensor(
	    f, "decoder.token_embedding.weight", TOY(TOY_STATE, TOY_VOCABULARY));
	toy_tokens(f, begin);
	ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
	begin = toy_tensor(f, "decoder.ln.weight", TOY(TOY_STATE));
	for (int i = 0; i < TOY_STATE; i++)
		toy_set(f, begin, i, 1);
	toy_tensor(f, "decoder.ln.bias", TOY(TOY_STATE));
	toy_block(f, "decoder.blocks.0");
	toy_attention(f, "decoder.blocks.0.cross_attn");
	ck_assert_int_eq(fclose(f), 0);
}

#endif
