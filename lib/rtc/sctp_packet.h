/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RTC_SCTP_PACKET_H
#define RTC_SCTP_PACKET_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True when the SCTP library may read this packet: n bytes, from the common header on.
 * The length of every chunk, parameter and error cause lies between its head of 4 bytes
 * and the bytes that follow; INIT and INIT ACK are whole and alone in their packet
 * (RFC 9260, 3).  ASCONF (RFC 5061) has no use on a path of one address and is refused.
 * The library itself never returns from an INIT with a parameter of length 0.
 */
bool sctp_packet_is_valid(const void *, size_t n);

#endif
