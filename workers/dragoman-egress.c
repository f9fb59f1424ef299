/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes one output of a channel. The gateway starts one process for each output;
 * egress/egress_wire.h describes the messages.
 */
#include "base/log.h"
#include "base/process.h"
#include "egress/egress.h"

int
main(void)
{
	log_program("dragoman-egress");
	process_protect_memory();
	return egress_run();
}
