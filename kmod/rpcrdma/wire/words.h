/* SPDX-License-Identifier: GPL-2.0-only */
/* Access to big-endian words at any alignment, in the kernel and in user space. */
#ifndef CWR_WIRE_WORDS_H
#define CWR_WIRE_WORDS_H

#include <asm/byteorder.h>

#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <string.h>
#endif

#include "../../../include/wire/causeway_types.h"

/**
 * cwr_get32() - reads a big-endian word of 32 bits
 * @from: bytes at any alignment
 *
 * Context: Any context.
 * Return: The word.
 */
static inline u32 cwr_get32(const void *from)
{
	__be32 word;

	memcpy(&word, from, sizeof(word));
	return __be32_to_cpu(word);
}

/**
 * cwr_get64() - reads a big-endian word of 64 bits
 * @from: bytes at any alignment
 *
 * Context: Any context.
 * Return: The word.
 */
static inline u64 cwr_get64(const void *from)
{
	__be64 word;

	memcpy(&word, from, sizeof(word));
	return __be64_to_cpu(word);
}

/**
 * cwr_put32() - writes a big-endian word of 32 bits
 * @to: bytes at any alignment
 * @value: the word
 *
 * Context: Any context.
 */
static inline void cwr_put32(void *to, u32 value)
{
	const __be32 word = __cpu_to_be32(value);

	memcpy(to, &word, sizeof(word));
}

/**
 * cwr_put64() - writes a big-endian word of 64 bits
 * @to: bytes at any alignment
 * @value: the word
 *
 * Context: Any context.
 */
static inline void cwr_put64(void *to, u64 value)
{
	const __be64 word = __cpu_to_be64(value);

	memcpy(to, &word, sizeof(word));
}

#endif
