/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An ONNX file is one Protocol Buffers message, and bytes appended to a message extend
 * it. The facts are items of field 14, metadata_props, each with a key and a value.
 */
#include "models/piper_files.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"

#define METADATA_PROPS (14 << 3 | 2)
#define KEY (1 << 3 | 2)
#define VALUE (2 << 3 | 2)
#define MOST_BYTES (1 << 20) /* size limit of the JSON file */

static void
put_length(struct buf *b, size_t n)
{
	for (; n >= 128; n >>= 7)
		buf_put(b, &(char){ (char)((n & 127) | 128) }, 1);
	buf_put(b, &(char){ (char)n }, 1);
}

static void
put_field(struct buf *b, char tag, const char *p, size_t n)
{
	buf_put(b, &tag, 1);
	put_length(b, n);
	buf_put(b, p, n);
}

static void
put_fact(struct buf *b, const char *key, const char *value)
{
	struct buf item = { .mem = b->mem };

	put_field(&item, KEY, key, strlen(key));
	put_field(&item, VALUE, value, strlen(value));
	put_field(b, METADATA_PROPS, item.p, item.len);
}

static void
put_facts(struct buf *b, const struct json *voice)
{
	const struct json *espeak = json_get(voice, "espeak");
	const struct json *language = json_get(voice, "language");
	const char *name = json_get_text(language, "name_english");
	const struct {
		const char *key;
		int64_t value;
	} numbers[] = {
		{ "sample_rate",
		    json_get_int(json_get(voice, "audio"), "sample_rate", 0) },
		{ "n_speakers", json_get_int(voice, "num_speakers", 1) },
		{ "add_blank", 1 },
		{ "has_espeak", 1 },
	};

	put_fact(b, "model_type", "vits");
	put_fact(b, "comment", "piper");
	put_fact(b, "language", name != NULL ? name : "unknown");
	put_fact(b, "voice", json_get_text(espeak, "voice"));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		put_fact(b, numbers[i].key,
		    arena_printf(b->mem, "%lld", (long long)numbers[i].value));
}

static bool
write_file(const char *path, const char *mode, const struct buf *b)
{
	FILE *f = fopen(path, mode);
	bool good = f != NULL && fwrite(b->p, 1, b->len, f) == b->len;

	return f != NULL && fclose(f) == 0 && good;
}

static const struct json *
read_voice(struct arena *mem, const char *file, const char **why)
{
	struct buf text = { .mem = mem };
	FILE *f = fopen(file, "re");
	const struct json *v;

	if (f == NULL) {
		*why = arena_printf(mem, "%s: %s", file, strerror(errno));
		return NULL;
	}
	text.len = fread(buf_room(&text, MOST_BYTES), 1, MOST_BYTES, f);
	fclose(f);
	if ((v = json_read(mem, text.p, text.len, why)) == NULL)
		*why = arena_printf(mem, "%s %s", file, *why);
	return v;
}

/* Write a line such as "_ 0" for each phoneme. */
static bool
put_tokens(struct buf *b, const struct json *map)
{
	const struct json *v = map != NULL && map->type == JSON_OBJ ? map->kids : NULL;

	for (; v != NULL; v = v->next) {
		if (v->type != JSON_LIST || v->n != 1 || v->kids->type != JSON_INT)
			return false;
		buf_printf(b, "%s %lld\n", v->key, (long long)v->kids->u.i);
	}
	return b->len > 0;
}

bool
piper_to_sherpa(struct arena *mem, const char *folder, const char **why)
{
	const char *onnx = arena_printf(mem, "%s/voice.onnx", folder);
	const char *tokens_file = arena_printf(mem, "%s/tokens.txt", folder);
	struct buf tokens = { .mem = mem }, facts = { .mem = mem };
	const struct json *voice =
	    read_voice(mem, arena_printf(mem, "%s.json", onnx), why);
	const char *type;

	if (voice == NULL)
		return false;
	if (json_get_text(json_get(voice, "espeak"), "voice") == NULL ||
	    json_get_int(json_get(voice, "audio"), "sample_rate", 0) <= 0 ||
	    !put_tokens(&tokens, json_get(voice, "phoneme_id_map"))) {
		*why = arena_printf(
		    mem, "%s.json does not describe a voice of Piper", onnx);
		return false;
	}
	if ((type = json_get_text(voice, "phoneme_type")) != NULL &&
	    strcmp(type, "espeak") != 0) {
		*why = arena_printf(mem,
		    "%s.json is of a voice that takes %s, not phonemes of eSpeak", onnx,
		    type);
		return false;
	}
	put_facts(&facts, voice);
	if (!write_file(tokens_file, "we", &tokens) ||
	    !write_file(onnx, "r+e", &(struct buf){ 0 }) ||
	    !write_file(onnx, "ae", &facts)) {
		*why = arena_printf(mem, "%s: %s", onnx, strerror(errno));
		return false;
	}
	return true;
}
