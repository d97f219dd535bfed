/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_6_12_NET_H
#define CAUSEWAY_6_12_NET_H

#include_next <linux/net.h>
#include "causeway_answers.h"

/* The address of any length that kernel_bind() and kernel_connect() take, before Linux 6.19. */
#if !CAUSEWAY_HAS_SOCKADDR_UNSIZED
#define sockaddr_unsized sockaddr
#endif

#endif /* CAUSEWAY_6_12_NET_H */
