#include "speech/pronunciation.h"

#include <string.h>

#include "base/buf.h"
#include "base/child.h"
#include "base/log.h"

#define MEMORY_BYTES ((size_t)512 << 20)
#define TIMEOUT_MS 20000
#define OF_A_LETTER 16 /* bytes of phones, at most */

/* The lines of the answer; false: they are not one for each word. */
static bool
read_lines(char *s, size_t bytes, const char **phones, size_t n)
{
	char *end;

	for (size_t i = 0; i < n; i++, bytes -= (size_t)(end + 1 - s), s = end + 1) {
		if ((end = memchr(s, '\n', bytes)) == NULL)
			return false;
		*end = '\0';
		phones[i] = *s != '\0' ? s : NULL;
	}
	return bytes == 0;
}

enum err
pronunciation_ask(struct arena *mem, const char *bin_dir, const struct list *words,
    const char **phones)
{
	const char *const *w = words->items;
	struct buf in = { .mem = mem };
	struct child c = { .timeout_ms = TIMEOUT_MS, .memory_bytes = MEMORY_BYTES };
	const char *argv[] = { arena_printf(mem, "%s/dragoman-speech", bin_dir),
		"--phones", NULL };
	struct child_end end;
	enum err e;

	for (size_t i = 0; i < words->n; i++)
		buf_printf(&in, "%s\n", w[i]);
	if (in.len == 0 || in.len > PRONUNCIATION_BYTES)
		return in.len == 0 ? OK : ERR_LIMIT;
	c.argv = argv;
	c.in = in.p;
	c.in_len = in.len;
	c.out_bytes = OF_A_LETTER * in.len;
	if ((e = child_run(&c, mem, &end)) != OK)
		return e;
	if (end.status == 0 && read_lines(end.out, end.out_len, phones, words->n))
		return OK;
	log_warn("speech: %zu words could not be pronounced", words->n);
	return ERR_FAILED;
}
