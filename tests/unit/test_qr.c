/* SPDX-License-Identifier: GPL-3.0-or-later */
/* QR codes: the picture is drawn as a browser would draw it, and zbarimg reads it. */
#include "base/qr.h"
#include "tests/unit/unit.h"

#define SCALE 4 /* pixels a module */

static struct arena *mem;

struct picture {
	int side; /* modules, quiet zone included */
	unsigned char dark[200][200];
};

static void
setup(void)
{
	mem = arena_new();
}

static void
teardown(void)
{
	arena_free(mem);
}

/* Draws the picture's only path: "M4 4h7v1h-7z" for every run of dark modules. */
static struct picture *
paint(const char *svg)
{
	struct picture *p = arena_alloc(mem, sizeof(*p));
	const char *d = strstr(svg, " d=\"");
	int x, y, run, back, n, tall;

	ck_assert_int_eq(
	    sscanf(strstr(svg, "viewBox"), "viewBox=\"0 0 %d %d\"", &p->side, &tall),
	    2);
	ck_assert_int_eq(p->side, tall);
	ck_assert_int_lt(p->side, 200);
	ck_assert_ptr_nonnull(d);
	for (d += 4; *d != '"'; d += n) {
		n = 0;
		sscanf(d, "M%d %dh%dv1h-%dz%n", &x, &y, &run, &back, &n);
		ck_assert_msg(n > 0, "what is this: %.30s", d);
		ck_assert_int_eq(run, back);
		ck_assert_int_le(x + run, p->side - 4);
		memset(&p->dark[y][x], 1, (size_t)run);
	}
	return p;
}

/* Writes a PGM (grey map), which every reader supports. */
static void
save(const struct picture *p, const char *path)
{
	FILE *f = fopen(path, "w");
	int side = p->side * SCALE;

	ck_assert_ptr_nonnull(f);
	fprintf(f, "P5 %d %d 255\n", side, side);
	for (int y = 0; y < side; y++)
		for (int x = 0; x < side; x++)
			fputc(p->dark[y / SCALE][x / SCALE] ? 0 : 255, f);
	ck_assert_int_eq(fclose(f), 0);
}

/* Returns the text that zbarimg reads. */
static const char *
decoded(const struct picture *p)
{
	const char *dir = unit_folder(mem);
	const char *path = arena_printf(mem, "%s/qr.pgm", dir);
	char *said = arena_alloc(mem, 4096);
	FILE *out;

	save(p, path);
	out = popen(arena_printf(mem, "zbarimg -q --raw --nodbus %s", path), "r");
	ck_assert_ptr_nonnull(out);
	said[fread(said, 1, 4095, out)] = '\0';
	ck_assert_msg(pclose(out) == 0, "zbarimg of zbar-tools reads it");
	unit_folder_drop(dir);
	return arena_dup(mem, said, strcspn(said, "\n"));
}

static const char *const texts[] = {
	"a",
	"https://speech.example.org/listen/?e=8c0a70a7-a845-47f9-953a-5154281fa6f5",
	"https://speech.example.org/listen/?e=8c0a70a7-a845-47f9-953a-5154281fa6f5"
	"&s=0db317d9-4c8e-4fa3-969a-73bf4c83cf3b",
	"http://127.0.0.1:8080/a/very/long/prefix/of/some/shared/host/with/many/"
	"folders/"
	"and/still/more/of/them/listen/?e=8c0a70a7-a845-47f9-953a-5154281fa6f5",
};

START_TEST(a_reader_reads_what_was_written)
{
	const struct picture *p = paint(qr_svg(mem, texts[_i]));

	ck_assert_str_eq(decoded(p), texts[_i]);
}
END_TEST

/* A ring of 7 by 7 around a square of 3 by 3, in three corners. */
START_TEST(the_corners_have_their_marks_and_the_margin_is_empty)
{
	static const char mark[] = "1111111"
				   "1000001"
				   "1011101"
				   "1011101"
				   "1011101"
				   "1000001"
				   "1111111";
	const struct picture *p = paint(qr_svg(mem, texts[_i]));
	int far = p->side - 4 - 7;

	for (int i = 0; i < 49; i++) {
		int x = 4 + i % 7, y = 4 + i / 7, dark = mark[i] - '0';

		ck_assert_int_eq(p->dark[y][x], dark);
		ck_assert_int_eq(p->dark[y][x - 4 + far], dark);
		ck_assert_int_eq(p->dark[y - 4 + far][x], dark);
	}
	for (int i = 0; i < p->side * 4; i++) {
		int a = i / 4, b = i % 4;

		ck_assert(!p->dark[a][b] && !p->dark[b][a]);
		ck_assert(!p->dark[a][p->side - 1 - b] && !p->dark[p->side - 1 - b][a]);
	}
	/* a version has 21, 25, ... modules */
	ck_assert_int_eq((p->side - 8 - 21) % 4, 0);
}
END_TEST

/* Error correction restores 15 %, so a stain does not matter. */
START_TEST(a_smudge_does_not_matter)
{
	struct picture *p = paint(qr_svg(mem, texts[_i]));
	int middle = p->side / 2;

	for (int y = middle; y < middle + 4; y++)
		for (int x = middle; x < middle + 4; x++)
			p->dark[y][x] = 1;
	ck_assert_str_eq(decoded(p), texts[_i]);
}
END_TEST

START_TEST(the_picture_is_xml_without_script_or_address)
{
	const char *svg = qr_svg(mem, texts[1]);

	ck_assert_int_eq(
	    strncmp(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 40), 0);
	ck_assert_ptr_nonnull(strstr(svg, "shape-rendering=\"crispEdges\""));
	ck_assert_ptr_nonnull(strstr(svg, "fill=\"#fff\"/><path "));
	ck_assert_str_eq(svg + strlen(svg) - 10, "\"/></svg>\n");
	ck_assert_ptr_null(strstr(svg, "speech.example"));
}
END_TEST

START_TEST(a_text_that_does_not_fit_is_no_picture)
{
	char *most = arena_alloc(mem, 2333);

	memset(most, 'a', 2332);
	ck_assert_ptr_null(qr_svg(mem, most));
	most[2331] = '\0';
	ck_assert_ptr_nonnull(qr_svg(mem, most));
	ck_assert_ptr_null(qr_svg(mem, ""));
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("qr");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, a_reader_reads_what_was_written, 0, COUNT(texts));
	tcase_add_loop_test(
	    t, the_corners_have_their_marks_and_the_margin_is_empty, 0, COUNT(texts));
	tcase_add_loop_test(t, a_smudge_does_not_matter, 1, COUNT(texts));
	tcase_add_test(t, the_picture_is_xml_without_script_or_address);
	tcase_add_test(t, a_text_that_does_not_fit_is_no_picture);
	suite_add_tcase(s, t);
	return unit_run(s);
}
