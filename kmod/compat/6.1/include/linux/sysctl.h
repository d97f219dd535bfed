/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of sysctl files that say how many entries they have. Where the kernel does not take the
 * number, an empty entry behind the last one has to end the table.
 */
#ifndef CAUSEWAY_6_1_SYSCTL_H
#define CAUSEWAY_6_1_SYSCTL_H

#include_next <linux/sysctl.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_REGISTER_SYSCTL_SZ
#define register_sysctl_sz(path, table, size) register_sysctl(path, table)
#endif

#endif /* CAUSEWAY_6_1_SYSCTL_H */
