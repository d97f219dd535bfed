// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#include "queue_size.h"

/* A transfer of rdma_rw may need several requests, for fragments or registrations. */
#define CW_TRANSFER_REQUESTS 9

u32 cw_send_queue(u32 sends, u32 transfers, u32 sges, u32 most)
{
	u32 size = sends + CW_TRANSFER_REQUESTS * transfers;
	u32 largest = transfers ? (CW_FRAGMENTS_MAX + sges - 1) / sges + 2 : 0;

	if (size < 2 * CW_SIGNAL_EVERY)
		size = 2 * CW_SIGNAL_EVERY;
	if (size < CW_SIGNAL_EVERY + largest)
		size = CW_SIGNAL_EVERY + largest;
	return size < most ? size : most;
}

u32 cw_send_queue_longest(u32 size)
{
	/* Requests that are not signalled keep their room until more is sent. */
	return size - CW_SIGNAL_EVERY;
}
