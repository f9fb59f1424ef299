/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_VOICE_ROWS_H
#define TESTS_UNIT_VOICE_ROWS_H

/* Voices and their samples that a test writes directly to the database. */
#include "tests/unit/unit.h"

#include "base/text.h"

/* Adds a voice; NULL account: built-in. SQL may set its other columns afterwards. */
static inline const char *
put_voice(const char *account, const char *name, int64_t created_us)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO voices (id, account, created_us, updated_us, name, folded,"
	    " status, lang, hidden, denoise, normalise) VALUES ('%s', %s, %lld, %lld,"
	    " '%s', '%s', 'ready', 'en', 0, 0, 1)",
	    id, account ? arena_printf(fixture.mem, "'%s'", account) : "NULL",
	    (long long)created_us, (long long)created_us, name,
	    text_fold(fixture.mem, name)));
	return id;
}

static inline void
set_voice(const char *id, const char *assignments)
{
	sql(arena_printf(
	    fixture.mem, "UPDATE voices SET %s WHERE id = '%s'", assignments, id));
}

/* A spoken sample of a voice, with its blob. */
static inline const char *
put_sample(const char *voice, const char *by, const char *lang, int64_t created_us)
{
	const char *id = id_new(fixture.mem);

	sql(arena_printf(fixture.mem,
	    "INSERT INTO blobs (id, account, kind, state, mime_type, filename, voice,"
	    " min_bytes, max_bytes, file, bytes, created_us) SELECT '%s', account,"
	    " 'tts_sample', 'checked', 'audio/mpeg', 'a.mp3', id, 1, 9, '%s', 5000, "
	    "%lld"
	    " FROM voices WHERE id = '%s';"
	    "INSERT INTO tts_samples (id, voice, account, created_us, provider, format,"
	    " codec, duration_s, mime_type, content, lang, model, filename) SELECT "
	    "'%s',"
	    " id, account, %lld, '%s', 'mp3', 'mp3', 6.24, 'audio/mpeg', 'Hello.', "
	    "'%s',"
	    " 'default', 'a.mp3' FROM voices WHERE id = '%s';"
	    "UPDATE accounts SET stored_bytes = stored_bytes + 5000 WHERE id ="
	    " (SELECT account FROM voices WHERE id = '%s')",
	    id, id, (long long)created_us, voice, id, (long long)created_us, by, lang,
	    voice, voice));
	return id;
}

/* Returns the names of a page's items, separated by spaces. */
static inline const char *
names_of(const struct response *a)
{
	const struct json *v = json_get(json_get(a->json, "data"), "items");
	struct buf b = { .mem = fixture.mem };

	for (v = v != NULL ? v->kids : NULL; v != NULL; v = v->next)
		buf_printf(&b, "%s%s", b.len > 0 ? " " : "", json_get_text(v, "name"));
	return buf_text(&b);
}

#endif
