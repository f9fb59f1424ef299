/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/transcript_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "service/captions.h"
#include "service/docx.h"

#define PAGE 500    /* lines read at a time */
#define PIECE 65536 /* bytes written at a time */
#define PHRASE 200  /* most lines of a phrase: its parts in all languages */

struct writer;

enum times { OF_DAY, FROM_ZERO }; /* what a format counts times from */

struct format {
	const char *name, *extension, *type;
	void (*begin)(struct writer *); /* called before the first phrase, or NULL */
	void (*phrase)(struct writer *);
	void (*end)(struct writer *); /* called after the last phrase, or NULL */
	/* Packs the n bytes of a file into another file, or NULL. */
	enum err (*pack)(struct arena *, int from, int64_t n, int to);
	enum times times;
};

/* The lines of a phrase, which have the same transcription_id. */
struct phrase {
	struct arena *mem; /* reset for each */
	struct transcript_line lines[PHRASE];
	size_t n;
};

struct writer {
	const struct transcript_file *what;
	const struct format *format;
	int64_t zero_us;
	struct list languages; /* csv: const char *, its columns */
	struct phrase phrase;
	struct captions *captions;
	int64_t shown; /* captions or phrases so far */
	struct buf out;
	struct sha256 *hash;
	int fd;
	int64_t bytes;
	enum err failed;
};

/* ---- the file ---- */

static enum err
failed(const char *doing)
{
	bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;

	log_error("transcript: cannot %s: %s", doing, strerror(errno));
	return full ? ERR_FULL : ERR_FAILED;
}

/* The file has no name, so it is deleted when its last descriptor closes. */
static enum err
open_file(const char *folder, struct arena *mem, int *fd)
{
	char *name = arena_printf(mem, "%s/transcript.XXXXXX", folder);

	*fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (*fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT) &&
	    (*fd = mkostemp(name, O_CLOEXEC)) >= 0)
		unlink(name);
	return *fd >= 0 ? OK : failed("make a file");
}

static void
flush(struct writer *w)
{
	if (w->failed == OK && !file_write(w->fd, w->out.p, w->out.len))
		w->failed = failed("write");
	sha256_put(w->hash, w->out.p, w->out.len);
	w->bytes += (int64_t)w->out.len;
	w->out.len = 0;
}

static bool
has_begun(const struct writer *w)
{
	return w->bytes > 0 || w->out.len > 0;
}

/* ---- texts of a phrase ---- */

/*
 * Join the parts in one language, or in any if language is NULL; NULL: there is none.
 */
static const char *
joined(struct phrase *p, const char *language, bool original)
{
	struct buf b = { .mem = p->mem };

	for (size_t i = 0; i < p->n; i++) {
		const struct transcript_line *l = &p->lines[i];

		if (l->text[0] == '\0' ||
		    (language != NULL &&
			(l->original != original ||
			    (!original && strcmp(l->language, language) != 0))))
			continue;
		buf_printf(&b, "%s%s", b.len > 0 ? " " : "", l->text);
	}
	return b.len > 0 ? buf_text(&b) : NULL;
}

/* ---- text ---- */

/* Replace line ends in a text, so they do not begin a new phrase. */
static void
put_line(struct buf *b, const char *s)
{
	for (; *s != '\0'; s++)
		buf_put(b, *s == '\n' || *s == '\r' ? " " : s, 1);
	buf_str(b, "\n");
}

static void
txt_phrase(struct writer *w)
{
	struct phrase *p = &w->phrase;
	const char *text = joined(p, NULL, false);

	if (text == NULL)
		return;
	if (p->lines[0].speaker != NULL)
		buf_printf(&w->out, "%s: ", p->lines[0].speaker);
	put_line(&w->out, text);
}

/* ---- captions ---- */

static void
put_time(struct buf *b, int64_t ms, char point)
{
	long long s = (long long)(ms / 1000);

	buf_printf(b, "%02lld:%02lld:%02lld%c%03d", s / 3600, s / 60 % 60, s % 60,
	    point, (int)(ms % 1000));
}

/* WebVTT, 4.2.2: escape characters that a cue's text must not contain. */
static void
put_escaped(struct buf *b, const char *s)
{
	for (; *s != '\0'; s++)
		switch (*s) {
		case '&':
			buf_str(b, "&amp;");
			break;
		case '<':
			buf_str(b, "&lt;");
			break;
		case '>':
			buf_str(b, "&gt;");
			break;
		default:
			buf_put(b, s, 1);
		}
}

/* SubRip has no escapes, so a text that looks like a line of times is changed. */
static void
put_plain(struct buf *b, const char *s)
{
	for (const char *arrow; (arrow = strstr(s, "-->")) != NULL; s = arrow + 3) {
		buf_put(b, s, (size_t)(arrow - s));
		buf_str(b, "->");
	}
	buf_str(b, s);
}

static void
put_caption(void *arg, const struct caption *c)
{
	struct writer *w = arg;
	struct buf *b = &w->out;
	bool vtt = strcmp(w->format->name, "vtt") == 0;

	if (c->end_ms <= 0) /* the phrase is before the requested beginning */
		return;
	if (!vtt)
		buf_printf(b, "%lld\n", (long long)++w->shown);
	put_time(b, c->start_ms > 0 ? c->start_ms : 0, vtt ? '.' : ',');
	buf_str(b, " --> ");
	put_time(b, c->end_ms, vtt ? '.' : ',');
	for (int i = 0; i < CAPTION_ROWS && c->rows[i] != NULL; i++) {
		buf_str(b, "\n");
		(vtt ? put_escaped : put_plain)(b, c->rows[i]);
	}
	buf_str(b, "\n\n");
}

static void
vtt_begin(struct writer *w)
{
	buf_printf(&w->out, "WEBVTT\nKind: captions\nLanguage: %s\n\n",
	    w->phrase.lines[0].language);
}

static void
caption_phrase(struct writer *w)
{
	struct phrase *p = &w->phrase;
	const struct transcript_line *l = &p->lines[0];
	const char *text = joined(p, NULL, false);

	if (text != NULL)
		captions_put(w->captions, text, l->language,
		    (l->start_us - w->zero_us) / 1000, (l->end_us - w->zero_us) / 1000);
}

static void
captions_last(struct writer *w)
{
	captions_end(w->captions);
}

/* ---- tables ---- */

static void
csv_begin(struct writer *w)
{
	const char *const *code = w->languages.items;

	buf_str(&w->out, "start,end,original");
	for (size_t i = 0; i < w->languages.n; i++)
		buf_printf(&w->out, ",%s", csv_cell_guarded(w->phrase.mem, code[i]));
	buf_str(&w->out, "\r\n");
}

static void
put_cell(struct writer *w, const char *language, bool original)
{
	const char *text = joined(&w->phrase, language, original);

	buf_printf(
	    &w->out, ",%s", text != NULL ? csv_cell_guarded(w->phrase.mem, text) : "");
}

static void
csv_phrase(struct writer *w)
{
	struct transcript_line *l = &w->phrase.lines[0];

	transcript_fill_view(w->phrase.mem, l);
	buf_printf(&w->out, "%s,%s", l->start, l->end);
	put_cell(w, "", true);
	for (size_t i = 0; i < w->languages.n; i++)
		put_cell(w, ((const char *const *)w->languages.items)[i], false);
	buf_str(&w->out, "\r\n");
}

/* ---- documents ---- */

/* Join the phrase's text on one line. NULL: it has none. */
static const char *
text_on_line(struct phrase *p)
{
	const char *text = joined(p, NULL, false);
	struct buf b = { .mem = p->mem };

	if (text == NULL)
		return NULL;
	put_line(&b, text);
	return arena_dup(p->mem, b.p, b.len - 1);
}

static void
docx_first(struct writer *w)
{
	docx_begin(&w->out);
}

static void
docx_phrase(struct writer *w)
{
	struct phrase *p = &w->phrase;
	const struct transcript_line *l = &p->lines[0];
	int64_t ms = (l->start_us - w->zero_us) / 1000;
	struct buf time = { .mem = p->mem };
	const char *text = text_on_line(p);

	if (text == NULL)
		return;
	put_time(&time, ms > 0 ? ms : 0, '.');
	time.len -= strlen(".000");
	docx_put(&w->out, p->mem,
	    &(const struct docx_paragraph){
		arena_dup(p->mem, time.p, time.len), l->speaker, text, l->language });
}

static void
docx_last(struct writer *w)
{
	if (has_begun(w))
		docx_end(&w->out);
}

/* ---- phrases for programs ---- */

static void
json_begin(struct writer *w)
{
	buf_str(&w->out, "[");
}

static void
json_phrase(struct writer *w)
{
	struct phrase *p = &w->phrase;
	const struct transcript_line *l = &p->lines[0];
	struct json_writer j = { .out = &w->out };
	const char *text = joined(p, NULL, false);

	if (text == NULL)
		return;
	buf_str(&w->out, w->shown++ > 0 ? ",\n" : "\n");
	jw_open(&j, NULL);
	jw_real(&j, "start", (double)((l->start_us - w->zero_us) / 1000) / 1000);
	jw_real(&j, "end", (double)((l->end_us - w->zero_us) / 1000) / 1000);
	jw_text(&j, "channel_id", l->channel);
	jw_text(&j, "transcription_id", l->segment);
	jw_text(&j, "language", l->language);
	jw_text(&j, "speaker", l->speaker);
	jw_text(&j, "text", text);
	jw_close(&j);
}

static void
json_end(struct writer *w)
{
	if (has_begun(w))
		buf_str(&w->out, "\n]\n");
}

/* clang-format off */
static const struct format	 formats[] = {
	{ "txt", "txt", "text/plain; charset=utf-8", NULL, txt_phrase },
	{ "srt", "srt", "application/x-subrip; charset=utf-8", NULL, caption_phrase, captions_last, .times = FROM_ZERO },
	{ "vtt", "vtt", "text/vtt; charset=utf-8", vtt_begin, caption_phrase, captions_last, .times = FROM_ZERO },
	{ "csv", "csv", "text/csv; charset=utf-8", csv_begin, csv_phrase },
	{ "docx", "docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	  docx_first, docx_phrase, docx_last, docx_pack, FROM_ZERO },
	{ "json-times", "json", "application/json", json_begin, json_phrase, json_end, .times = FROM_ZERO },
};
/* clang-format on */

static const struct format *
format_of(const char *name)
{
	const struct format *f = formats;

	while (strcmp(f->name, name) != 0)
		f++;
	return f;
}

const char *
transcript_file_type(const char *format)
{
	return format_of(format)->type;
}

const char *
transcript_file_extension(const char *format)
{
	return format_of(format)->extension;
}

/* ---- phrases ---- */

static void
end_phrase(struct writer *w)
{
	struct phrase *p = &w->phrase;

	if (p->n == 0)
		return;
	if (w->format->begin != NULL && !has_begun(w))
		w->format->begin(w);
	w->format->phrase(w);
	p->n = 0;
	arena_reset(p->mem);
	if (w->out.len > PIECE)
		flush(w);
}

static bool
continues(const struct phrase *p, const struct transcript_line *l)
{
	return p->n > 0 && p->n < PHRASE &&
	       strcmp(p->lines[0].segment, l->segment) == 0 &&
	       strcmp(p->lines[0].channel, l->channel) == 0;
}

static void
write_line(struct writer *w, const struct transcript_line *l)
{
	struct phrase *p = &w->phrase;
	struct transcript_line *to;

	if (!continues(p, l))
		end_phrase(w);
	to = &p->lines[p->n++];
	*to = (struct transcript_line){ .channel = arena_str(p->mem, l->channel),
		.segment = arena_str(p->mem, l->segment),
		.language = arena_str(p->mem, l->language),
		.original = l->original,
		.text = arena_str(p->mem, l->text),
		.speaker = arena_str(p->mem, l->speaker),
		.start_us = l->start_us,
		.end_us = l->end_us };
}

/* ---- reading ---- */

static enum err
write_lines(struct db *db, struct writer *w)
{
	const struct transcript_query *q = &w->what->lines;
	struct transcript_cursor at = { q->from_us, 0 };
	struct arena *page = arena_new();
	struct list l = { .n = PAGE };
	enum err e = OK;

	while (e == OK && w->failed == OK && l.n == PAGE) {
		const struct transcript_line *line;

		arena_reset(page);
		e = transcript_page(db, page, q, &at, PAGE, &l);
		line = l.items;
		for (size_t i = 0; e == OK && i < l.n; i++, line++) {
			write_line(w, line);
			at = (struct transcript_cursor){ line->start_us, line->id };
		}
	}
	arena_free(page);
	return e == OK ? w->failed : e;
}

static enum err
write_all(struct db *db, struct writer *w)
{
	enum err e = write_lines(db, w);

	end_phrase(w);
	if (w->format->end != NULL)
		w->format->end(w);
	flush(w);
	if (e != OK || w->failed != OK)
		return e != OK ? e : w->failed;
	return w->bytes > 0 ? OK : ERR_NOT_FOUND;
}

/* Replace the file by a packed one; the hash stays that of its contents. */
static enum err
pack(struct writer *w, const char *folder, struct arena *mem)
{
	int from = w->fd;
	enum err e = open_file(folder, mem, &w->fd);
	struct stat st;

	if (e != OK) {
		w->fd = from;
		return e;
	}
	e = w->format->pack(mem, from, w->bytes, w->fd);
	close(from);
	if (e == OK && fstat(w->fd, &st) != 0)
		e = failed("read the size");
	if (e == OK)
		w->bytes = st.st_size;
	return e;
}

static enum err
prepare(struct db *db, struct arena *mem, struct writer *w)
{
	const struct transcript_query *q = &w->what->lines;

	w->zero_us = w->what->zero_us;
	if (strcmp(w->format->name, "csv") == 0)
		return transcript_languages(db, mem, q, &w->languages);
	return w->format->times == OF_DAY || w->zero_us != NULL_INT
		   ? OK
		   : transcript_begin(db, q, &w->zero_us);
}

enum err
transcript_file_make(struct db *db, struct arena *mem, const struct conf *c,
    const struct transcript_file *what, struct transcript_made *to)
{
	struct arena *out = arena_new();
	struct writer *w = arena_alloc(mem, sizeof(*w));
	enum err e;

	*w = (struct writer){ .what = what,
		.format = format_of(what->format),
		.phrase.mem = arena_new(),
		.out.mem = out,
		.hash = sha256_new(mem) };
	w->captions = captions_new(mem, put_caption, w);
	if ((e = prepare(db, mem, w)) == OK &&
	    (e = open_file(c->state_dir, mem, &w->fd)) == OK) {
		e = write_all(db, w);
		if (e == OK && w->format->pack != NULL)
			e = pack(w, c->state_dir, mem);
		if (e != OK)
			close(w->fd);
	}
	captions_free(w->captions);
	arena_free(w->phrase.mem);
	arena_free(out);
	*to = (struct transcript_made){ w->fd, w->bytes, sha256_hex(mem, w->hash) };
	return e;
}
