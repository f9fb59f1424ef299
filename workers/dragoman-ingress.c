/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The child that receives one sender's stream; the gateway starts one for each channel
 * that is sent to, see ingress/ingress_wire.h for how they talk.
 */
#include "base/log.h"
#include "base/process.h"
#include "ingress/ingress.h"

int
main(void)
{
	log_program("dragoman-ingress");
	process_keep_secrets();
	return ingress_run();
}
