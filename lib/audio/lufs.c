/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "audio/lufs.h"

#include <math.h>
#include <string.h>

#define BIN_LU 0.1
#define OFFSET_LU (-0.691)
#define GATE_LU 10
#define MOST_BLOCKS 6000 /* ten minutes */

static double
power_of(double lufs)
{
	return pow(10, (lufs - OFFSET_LU) / 10);
}

static double
lufs_of(double power)
{
	return OFFSET_LU + 10 * log10(power);
}

static double
bin_power(int bin)
{
	return power_of(LUFS_LEAST + (bin + 0.5) * BIN_LU);
}

void
lufs_add(struct lufs *to, const struct lufs *from)
{
	to->blocks = 0;
	for (int i = 0; i < LUFS_BINS; i++)
		to->blocks += to->bins[i] += from->bins[i];
	while (to->blocks > MOST_BLOCKS) {
		to->blocks = 0;
		for (int i = 0; i < LUFS_BINS; i++)
			to->blocks += to->bins[i] /= 2;
	}
}

/* The mean power of all blocks from that bin on; 0: there are no such blocks. */
static double
mean_power(const struct lufs *l, int from)
{
	double sum = 0, n = 0;

	for (int i = from; i < LUFS_BINS; i++) {
		sum += l->bins[i] * bin_power(i);
		n += l->bins[i];
	}
	return n > 0 ? sum / n : 0;
}

double
lufs_integrated(const struct lufs *l)
{
	double mean = mean_power(l, 0), gate;

	if (mean <= 0)
		return NAN;
	gate = (lufs_of(mean) - GATE_LU - LUFS_LEAST) / BIN_LU;
	return lufs_of(mean_power(l, gate > 0 ? (int)gate : 0));
}

/* ---- the meter ---- */

/*
 * The two filters of BS.1770 for any rate: a shelf, for the reflections of a head, and
 * a high pass.  Bilinear transform with k = tan(pi f / rate); the parameters of the
 * analogue filters are those of De Man, "Evaluation of implementations of the EBU R128
 * loudness measurement", AES 145, 2018.
 */
static void
set_shelf(struct lufs_meter *m, int rate_hz)
{
	const double k = tan(M_PI * 1681.974450955533 / rate_hz),
		     q = 0.7071752369554196;
	const double high = pow(10, 3.999843853973347 / 20);
	const double middle = pow(high, 0.4996667741545416);
	const double a0 = 1 + k / q + k * k;

	m->filter[0].b[0] = (high + middle * k / q + k * k) / a0;
	m->filter[0].b[1] = 2 * (k * k - high) / a0;
	m->filter[0].b[2] = (high - middle * k / q + k * k) / a0;
	m->filter[0].a[0] = 2 * (k * k - 1) / a0;
	m->filter[0].a[1] = (1 - k / q + k * k) / a0;
}

static void
set_high_pass(struct lufs_meter *m, int rate_hz)
{
	const double k = tan(M_PI * 38.13547087602444 / rate_hz),
		     q = 0.5003270373238773;
	const double a0 = 1 + k / q + k * k;

	m->filter[1].b[0] = 1;
	m->filter[1].b[1] = -2;
	m->filter[1].b[2] = 1;
	m->filter[1].a[0] = 2 * (k * k - 1) / a0;
	m->filter[1].a[1] = (1 - k / q + k * k) / a0;
}

void
lufs_begin(struct lufs_meter *m, struct lufs *to, int rate_hz)
{
	*m = (struct lufs_meter){ .to = to, .step = rate_hz / 10 };
	set_shelf(m, rate_hz);
	set_high_pass(m, rate_hz);
}

/* Transposed direct form II. */
static double
weigh(struct lufs_meter *m, double x)
{
	for (int i = 0; i < 2; i++) {
		double y = m->filter[i].b[0] * x + m->filter[i].z[0];

		m->filter[i].z[0] =
		    m->filter[i].b[1] * x - m->filter[i].a[0] * y + m->filter[i].z[1];
		m->filter[i].z[1] = m->filter[i].b[2] * x - m->filter[i].a[1] * y;
		x = y;
	}
	return x;
}

static void
count(struct lufs *to, double power)
{
	double bin = power > 0 ? (lufs_of(power) - LUFS_LEAST) / BIN_LU : -1;

	if (!(bin >= 0))
		return;
	to->bins[bin < LUFS_BINS ? (int)bin : LUFS_BINS - 1]++;
	to->blocks++;
}

static void
end_quarter(struct lufs_meter *m)
{
	double sum = 0;

	m->quarter[m->quarters++ % 4] = m->sum;
	m->sum = m->n = 0;
	for (int i = 0; i < 4; i++)
		sum += m->quarter[i];
	if (m->quarters >= 4)
		count(m->to, sum / (4.0 * m->step));
}

void
lufs_put(struct lufs_meter *m, const float *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double v = weigh(m, s[i]);

		m->sum += v * v;
		if (++m->n == m->step)
			end_quarter(m);
	}
}

void
lufs_end(struct lufs_meter *m)
{
	double sum = m->sum;
	int n = m->n + m->quarters * m->step;

	if (m->quarters >= 4 || n == 0)
		return;
	for (int i = 0; i < m->quarters; i++)
		sum += m->quarter[i];
	count(m->to, sum / n);
}
