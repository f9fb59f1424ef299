/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A workbook of an unknown program is read or refused. Input that does not begin as a
 * zip file has the letter of a part, and then the content of this part of a workbook.
 * Accepted rows are CSV that can be read, and respect the limits.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/text.h"
#include "service/xlsx.h"
#include "tests/workbook.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

#define PARTS (sizeof(workbook_parts) / sizeof(workbook_parts[0]))

static struct buf
workbook_with(struct arena *mem, char letter, const char *p, size_t n)
{
	const char *name = workbook_parts[(unsigned char)letter % PARTS].name;
	const struct workbook_part part = { name, n > 0 ? p : NULL, n };

	return workbook_pack(mem, &part, 1);
}

static bool
count_row(void *arg, const struct csv_row *row)
{
	if (row->broken != NULL || row->n < 2 || row->n > 3)
		abort();
	++*(int *)arg;
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena *mem = arena_new();
	struct buf csv = { .mem = mem }, file = { .mem = mem };
	const char *p = (const char *)data, *why = NULL;
	int rows = 0;
	enum err e;

	if (n > 0 && *p != 'P')
		file = workbook_with(mem, *p, p + 1, n - 1);
	else
		buf_put(&file, p, n);
	e = xlsx_csv(mem, file.p, file.len, &csv, &why);
	if ((e == OK) != (why == NULL))
		abort();
	if (e == OK) {
		if (!text_valid(csv.p, csv.len) || csv.len > XLSX_TEXT_BYTES)
			abort();
		csv_read(mem, csv.p, csv.len, ',', count_row, &rows);
		if (rows > XLSX_ROWS)
			abort();
	}
	arena_free(mem);
	return 0;
}
