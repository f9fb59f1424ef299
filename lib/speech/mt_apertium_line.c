/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the live pipelines of Apertium, one per mode, are started and asked. */
#include <string.h>

#include "base/log.h"
#include "speech/mt_apertium_mode.h"

#define MEMORY_BYTES ((size_t)512 << 20) /* address space of a process */
#define ANSWER_BYTES (16 * MT_TEXT_BYTES)
/* Processor time until the first answer. The programs read their dictionaries with the
   first sentence, which takes four seconds for the largest. */
#define START_CPU_MS 30000
#define FIRST "1."

static enum err
plan(struct arena *mem, const char *mode, struct child_pipe_plan *to)
{
	to->memory_bytes = MEMORY_BYTES;
	return apertium_stages(mem, mode, to);
}

/*
 * Send the text and read the answer. The text ends with a numbered blank: when a
 * program dies, the programs after it end the partial text as if it were whole, and
 * only the missing blank shows it. Without a blank, a full stop at the end would be
 * lost, too.
 */
static enum err
ask(struct mt_line_programs *p, const char *text, int cpu_ms, struct buf *answer)
{
	const char *blank = arena_printf(answer->mem, "[%u]", ++p->asked);
	const char *in = arena_printf(answer->mem, "%s%s", text, blank);
	enum err e = mt_line_exchange(p, in, ANSWER_BYTES, cpu_ms, answer);

	if (e == OK && strstr(buf_text(answer), blank) != NULL)
		return OK;
	if (e == OK)
		log_warn("apertium: %s: the answer is incomplete", p->name);
	return e == ERR_TIMEOUT ? e : ERR_FAILED;
}

static enum err
begin(struct mt_line_programs *p, struct arena *mem)
{
	struct buf answer = { .mem = mem };

	return ask(p, FIRST, START_CPU_MS, &answer);
}

const struct mt_line_kind apertium_line = { "apertium:", 0, plan, begin, ask };
