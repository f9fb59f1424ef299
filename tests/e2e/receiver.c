/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "receiver.h"

#include "tests/unit/webhook_receiver.h"

int
receiver_begin(void)
{
	receiver_open();
	return receiver.port;
}

int
receiver_total(void)
{
	return receiver_count();
}

const char *
receiver_body(int n)
{
	return receiver.got[n].body;
}

const char *
receiver_head(int n, const char *name)
{
	return received(n, name);
}

int
receiver_waiting(void)
{
	return receiver_hanging();
}
