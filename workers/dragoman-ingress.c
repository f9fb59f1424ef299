/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Receives one sender's stream. The gateway starts one process for each channel with an
 * incoming stream; ingress/ingress_wire.h describes the messages.
 */
#include "base/log.h"
#include "base/process.h"
#include "ingress/ingress.h"

int
main(void)
{
	log_program("dragoman-ingress");
	process_protect_memory();
	return ingress_run();
}
