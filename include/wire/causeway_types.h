/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The integer types and error numbers of the parsers, in the kernel and in user space.
 */
#ifndef CAUSEWAY_TYPES_H
#define CAUSEWAY_TYPES_H

#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/errno.h>
#else
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
#endif

#endif
