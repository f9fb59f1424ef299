/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The child that makes one output of a channel; the gateway starts one for each, see
 * egress/egress_wire.h for how they talk.
 */
#include "base/log.h"
#include "base/process.h"
#include "egress/egress.h"

int
main(void)
{
	log_program("dragoman-egress");
	process_keep_secrets();
	return egress_run();
}
