/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "speech/voice_profile.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/json.h"

/* The ranges of values of a voice; other values are ignored. */
/* clang-format off */
static const struct {
	const char *name;
	size_t at;
	double least, most;
	double parts; /* steps per unit, for rounding */
} members[] = {
	{ "f0_hz",         offsetof(struct voice_profile, f0_hz),         50,  600, 10 },
	{ "f0_low_hz",     offsetof(struct voice_profile, f0_low_hz),     40,  600, 10 },
	{ "f0_high_hz",    offsetof(struct voice_profile, f0_high_hz),    50,  800, 10 },
	{ "formant_scale", offsetof(struct voice_profile, formant_scale), 0.6, 1.7, 1000 },
	{ "syllables_s",   offsetof(struct voice_profile, syllables_s),   1,   12,  100 },
};
/* clang-format on */

#define MEMBERS (sizeof(members) / sizeof(members[0]))
#define LTAS_MOST 90 /* greatest dB, positive or negative */
#define EQ_MOST 24
#define VARIANT_MOST 16 /* longest name of a variant, in bytes */

static double *
member(struct voice_profile *p, size_t i)
{
	return (double *)((char *)p + members[i].at);
}

struct voice_profile
voice_profile_none(void)
{
	struct voice_profile p = { .variant = NULL };

	for (size_t i = 0; i < MEMBERS; i++)
		*member(&p, i) = NAN;
	for (int i = 0; i < PROFILE_BANDS; i++)
		p.ltas_db[i] = p.eq_db[i] = NAN;
	return p;
}

double
voice_profile_band_hz(int band)
{
	return 1000 * pow(10, (band - 9) / 10.0);
}

static void
put_bands(struct json_writer *j, const char *name, const double db[PROFILE_BANDS])
{
	jw_list(j, name);
	for (int i = 0; i < PROFILE_BANDS; i++)
		jw_real(j, NULL, round(db[i] * 10) / 10);
	jw_close(j);
}

const char *
voice_profile_write(struct arena *mem, const struct voice_profile *of)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	struct voice_profile p = *of;

	jw_open(&j, NULL);
	if (p.variant != NULL)
		jw_text(&j, "variant", p.variant);
	for (size_t i = 0; i < MEMBERS; i++)
		jw_real(&j, members[i].name,
		    round(*member(&p, i) * members[i].parts) / members[i].parts);
	put_bands(&j, "ltas_db", p.ltas_db);
	put_bands(&j, "eq_db", p.eq_db);
	jw_close(&j);
	return buf_text(&b);
}

static double
number(const struct json *v, double least, double most)
{
	double d = v->type == JSON_INT      ? (double)v->u.i
		   : v->type == JSON_NUMBER ? v->u.r
					    : NAN;

	return d >= least && d <= most ? d : NAN;
}

/* Returns the name if it can be part of a file's name, else NULL. */
static const char *
variant(const char *name)
{
	size_t n = name == NULL ? 0
				: strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					       "abcdefghijklmnopqrstuvwxyz0123456789");

	return n > 0 && n <= VARIANT_MOST && name[n] == '\0' ? name : NULL;
}

static void
get_bands(const struct json *list, double most, double db[PROFILE_BANDS])
{
	const struct json *v = list != NULL ? list->kids : NULL;

	for (int i = 0; i < PROFILE_BANDS && v != NULL; i++, v = v->next)
		db[i] = number(v, -most, most);
}

enum err
voice_profile_read(struct arena *mem, const char *text, struct voice_profile *p)
{
	const char *why;
	const struct json *obj = json_read(mem, text, strlen(text), &why), *v;

	*p = voice_profile_none();
	if (obj == NULL || obj->type != JSON_OBJ)
		return ERR_REFUSED;
	for (size_t i = 0; i < MEMBERS; i++)
		if ((v = json_get(obj, members[i].name)) != NULL)
			*member(p, i) = number(v, members[i].least, members[i].most);
	p->variant = variant(json_get_text(obj, "variant"));
	get_bands(json_get_list(obj, "ltas_db"), LTAS_MOST, p->ltas_db);
	get_bands(json_get_list(obj, "eq_db"), EQ_MOST, p->eq_db);
	return OK;
}
