/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models in other layouts are converted: a Whisper of one layer made here, and the
 * files of a voice.
 */
#include <stdint.h>

#include "base/buf.h"
#include "models/piper_files.h"
#include "models/whisper_ggml.h"
#include "tests/unit/conf_fixture.h"

#define WIDTH 64
#define WORDS 51864
#define MELS 80

enum { F32 = 0, I8 = 1, F16 = 4 };

static struct buf model;
static uint32_t n_tensors;
static const char *why;

static void
put_name(const char *name)
{
	uint16_t n = (uint16_t)(strlen(name) + 1);

	buf_put(&model, &n, sizeof(n));
	buf_put(&model, name, n);
}

/*
 * Writes a tensor of up to three dimensions (0: absent) whose i-th element is i,
 * truncated.
 */
static void
tensor(const char *name, int type, uint32_t rows, uint32_t columns, uint32_t deep)
{
	const uint32_t dims[] = { rows, columns, deep };
	uint8_t rank = (uint8_t)(1 + (columns > 0) + (deep > 0)), t = (uint8_t)type;
	uint32_t n = rows * (columns > 0 ? columns : 1) * (deep > 0 ? deep : 1);
	uint32_t size = type == F32 ? 4 : type == F16 ? 2 : 1, bytes = n * size;

	put_name(name);
	buf_put(&model, &rank, 1);
	buf_put(&model, dims, rank * sizeof(dims[0]));
	buf_put(&model, &t, 1);
	buf_put(&model, &bytes, sizeof(bytes));
	for (uint32_t i = 0; i < n; i++) {
		float f = (float)(i % 1000);
		uint16_t h = (uint16_t)(i % 30000);
		int8_t q = (int8_t)(i % 100);

		buf_put(&model,
		    type == F32   ? (const void *)&f
		    : type == F16 ? (const void *)&h
				  : &q,
		    size);
	}
	n_tensors++;
}

#define N(...) arena_printf(mem, __VA_ARGS__)

static void
linear(const char *name, uint32_t rows, uint32_t columns)
{
	tensor(N("%s/weight", name), I8, rows, columns, 0);
	tensor(N("%s/weight_scale", name), F32, rows, 0, 0);
	tensor(N("%s/bias", name), F32, rows, 0, 0);
}

static void
norm(const char *name)
{
	tensor(N("%s/gamma", name), F32, WIDTH, 0, 0);
	tensor(N("%s/beta", name), F32, WIDTH, 0, 0);
}

static void
layer(const char *side, bool cross)
{
	linear(N("%s/layer_0/self_attention/linear_0", side), 3 * WIDTH, WIDTH);
	linear(N("%s/layer_0/self_attention/linear_1", side), WIDTH, WIDTH);
	norm(N("%s/layer_0/self_attention/layer_norm", side));
	if (cross) {
		linear(N("%s/layer_0/attention/linear_0", side), WIDTH, WIDTH);
		linear(N("%s/layer_0/attention/linear_1", side), 2 * WIDTH, WIDTH);
		linear(N("%s/layer_0/attention/linear_2", side), WIDTH, WIDTH);
		norm(N("%s/layer_0/attention/layer_norm", side));
	}
	norm(N("%s/layer_0/ffn/layer_norm", side));
	linear(N("%s/layer_0/ffn/linear_0", side), 4 * WIDTH, WIDTH);
	linear(N("%s/layer_0/ffn/linear_1", side), WIDTH, 4 * WIDTH);
	norm(N("%s/layer_norm", side));
}

static void
write_bytes(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(p, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}

/* Writes vocabulary.txt and model.bin, without its last `less` bytes. */
static void
write_whisper(size_t less)
{
	static const uint32_t version = 6, revision = 3;
	struct buf words = { .mem = mem };

	model = (struct buf){ .mem = mem };
	n_tensors = 0;
	buf_put(&model, &version, sizeof(version));
	put_name("WhisperSpec");
	buf_put(&model, &revision, sizeof(revision));
	buf_put(&model, &n_tensors, sizeof(n_tensors));
	tensor("decoder/embeddings/weight", F16, WORDS, WIDTH, 0);
	tensor("encoder/conv1/weight", F16, WIDTH, MELS, 3);
	tensor("encoder/conv1/bias", F32, WIDTH, 0, 0);
	tensor("encoder/conv2/weight", F16, WIDTH, WIDTH, 3);
	tensor("encoder/conv2/bias", F32, WIDTH, 0, 0);
	tensor("encoder/position_encodings/encodings", F32, 1500, WIDTH, 0);
	tensor("decoder/position_encodings/encodings", F32, 448, WIDTH, 0);
	layer("encoder", false);
	layer("decoder", true);
	memcpy(model.p + 4 + 2 + sizeof("WhisperSpec") + 4, &n_tensors, 4);
	write_bytes(below("model.bin"), model.p, model.len - less);
	for (int i = 0; i < WORDS; i++)
		buf_str(&words, i == 1 ? "\xc4\xa0of\n" : "a\n");
	write_bytes(below("vocabulary.txt"), words.p, words.len);
}

static char *
read_result(size_t *n)
{
	FILE *f = fopen(below("ggml.bin"), "r");
	char *p = arena_alloc(mem, 20000000);

	*n = f != NULL ? fread(p, 1, 20000000, f) : 0;
	if (f != NULL)
		fclose(f);
	return p;
}

/* Returns the n bytes of a tensor after its name. */
static const char *
numbers_of(const char *p, size_t n, const char *name)
{
	const char *at = memmem(p, n, name, strlen(name));

	ck_assert_msg(at != NULL, "%s is missing", name);
	return at + strlen(name);
}

START_TEST(a_whisper_of_ctranslate2_becomes_one_of_whisper_cpp)
{
	static const int32_t head[] = { 0x67676d6c, WORDS, 1500, WIDTH, 1, 1, 448,
		WIDTH, 1, 1, MELS, 1, MELS, 201 };
	const char *p, *value;
	uint16_t h[2];
	float f;
	size_t n;

	write_whisper(0);
	ck_assert_msg(whisper_to_ggml(mem, dir, below("ggml.bin"), &why), "%s", why);
	p = read_result(&n);
	ck_assert_mem_eq(p, head, sizeof(head));
	/* The second token: its first character stands for a blank. */
	ck_assert_mem_eq(p + sizeof(head) + (size_t)MELS * 201 * 4,
	    "\x50\xc4\0\0\1\0\0\0a\3\0\0\0 of", 16);
	/* Row 128, the first of the values: 128 * 64 % 100 = 92, and its scale is 128.
	 */
	value = numbers_of(p, n, "encoder.blocks.0.attn.value.weight");
	memcpy(h, value, sizeof(h));
	ck_assert_uint_eq(h[0], 0x39c0); /* 0.71875 */
	value = numbers_of(p, n, "encoder.blocks.0.attn.value.bias");
	memcpy(&f, value, sizeof(f));
	ck_assert_float_eq(f, 128);
	value = numbers_of(p, n, "decoder.token_embedding.weight");
	memcpy(h, value, sizeof(h));
	ck_assert_uint_eq(h[1], 1); /* as it was */
	ck_assert_ptr_null(memmem(p, n, "attn.key.bias", 13));
}
END_TEST

START_TEST(a_model_that_ends_too_early_is_refused)
{
	write_whisper(1);
	ck_assert(!whisper_to_ggml(mem, dir, below("ggml.bin"), &why));
	ck_assert_str_eq(why, "the model ends too early");
}
END_TEST

START_TEST(a_model_of_another_kind_is_refused)
{
	write_whisper(0);
	model.p[0] = 9;
	write_bytes(below("model.bin"), model.p, model.len);
	ck_assert(!whisper_to_ggml(mem, dir, below("ggml.bin"), &why));
	ck_assert_ptr_nonnull(strstr(why, "is not Whisper in a layout"));
	unlink(below("model.bin"));
	ck_assert(!whisper_to_ggml(mem, dir, below("ggml.bin"), &why));
	ck_assert_ptr_nonnull(strstr(why, "model.bin cannot be read"));
}
END_TEST

START_TEST(a_model_without_its_words_is_refused)
{
	write_whisper(0);
	unit_write(below("vocabulary.txt"), "a\nb\n");
	ck_assert(!whisper_to_ggml(mem, dir, below("ggml.bin"), &why));
	ck_assert_str_eq(why, "vocabulary.txt is missing or too short");
}
END_TEST

/* Wrong lengths in a model must not lead outside of the file. */
START_TEST(no_damaged_byte_of_a_head_is_fatal)
{
	write_whisper(0);
	for (size_t i = 0; i < 120; i++) {
		model.p[i] = (char)(model.p[i] ^ 0xff);
		write_bytes(below("model.bin"), model.p, 4096);
		ck_assert(!whisper_to_ggml(mem, dir, below("ggml.bin"), &why));
		ck_assert_ptr_nonnull(why);
		model.p[i] = (char)(model.p[i] ^ 0xff);
	}
}
END_TEST

START_TEST(a_voice_of_piper_gets_the_files_of_sherpa)
{
	const char *onnx;

	unit_write(below("voice.onnx"), "ONNX");
	unit_write(below("voice.onnx.json"),
	    "{\"audio\":{\"sample_rate\":22050},\"espeak\":{\"voice\":\"en-us\"},"
	    "\"language\":{\"name_english\":\"English\"},\"num_speakers\":2,"
	    "\"phoneme_id_map\":{\"_\":[0],\" \":[3],\"\xc9\x99\":[59]}}");
	ck_assert_msg(piper_to_sherpa(mem, dir, &why), "%s", why);
	ck_assert_str_eq(
	    unit_text(mem, below("tokens.txt")), "_ 0\n  3\n\xc9\x99 59\n");
	onnx = unit_text(mem, below("voice.onnx"));
	ck_assert_int_eq(strncmp(onnx, "ONNX\x72", 5), 0);
	ck_assert_ptr_nonnull(strstr(onnx, "\x72\x14\x0a\x0bsample_rate\x12\x05"
					   "22050"));
	ck_assert_ptr_nonnull(strstr(onnx, "\x0a\x05voice\x12\x05"
					   "en-us"));
	ck_assert_ptr_nonnull(strstr(onnx, "\x0a\x0an_speakers\x12\x01"
					   "2"));
}
END_TEST

static const char *const no_voices[] = { "", "[]", "{}",
	"{\"audio\":{\"sample_rate\":1},\"espeak\":{\"voice\":\"x\"}}",
	"{\"audio\":{\"sample_rate\":1},\"espeak\":{\"voice\":\"x\"},"
	"\"phoneme_id_map\":{\"a\":1}}",
	"{\"audio\":{\"sample_rate\":1},\"espeak\":{\"voice\":\"x\"},"
	"\"phoneme_type\":\"text\",\"phoneme_id_map\":{\"a\":[1]}}" };

START_TEST(files_that_are_no_voice_are_refused)
{
	unit_write(below("voice.onnx"), "ONNX");
	unit_write(below("voice.onnx.json"), no_voices[_i]);
	ck_assert(!piper_to_sherpa(mem, dir, &why));
	ck_assert_ptr_nonnull(strstr(why, "voice.onnx.json"));
	ck_assert_str_eq(unit_text(mem, below("voice.onnx")), "ONNX");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("models convert");
	TCase *t = tcase_create("models convert");

	(void)c;
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_whisper_of_ctranslate2_becomes_one_of_whisper_cpp);
	tcase_add_test(t, a_model_that_ends_too_early_is_refused);
	tcase_add_test(t, a_model_of_another_kind_is_refused);
	tcase_add_test(t, a_model_without_its_words_is_refused);
	tcase_add_test(t, no_damaged_byte_of_a_head_is_fatal);
	tcase_add_test(t, a_voice_of_piper_gets_the_files_of_sherpa);
	tcase_add_loop_test(
	    t, files_that_are_no_voice_are_refused, 0, COUNT(no_voices));
	suite_add_tcase(s, t);
	return unit_run(s);
}
