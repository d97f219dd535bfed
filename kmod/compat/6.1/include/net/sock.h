/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_1_SOCK_H
#define CAUSEWAY_6_1_SOCK_H

#include_next <net/sock.h>
#include "causeway_answers.h"

/*
 * Linux 5.10 always takes the page fragment of the task that sends. A link over TCP sends in a
 * worker, which uses the fragment for nothing else. Linux 6.1.176 has no such member either, and
 * takes the fragment of the socket if sk_allocation is GFP_NOIO. Linux 6.1.192 has the member. The
 * bit in its place is one of UDP, and false for a socket of TCP.
 */
#if !CAUSEWAY_HAS_SK_USE_TASK_FRAG
#define sk_use_task_frag sk_no_check_tx
#endif

#endif /* CAUSEWAY_6_1_SOCK_H */
