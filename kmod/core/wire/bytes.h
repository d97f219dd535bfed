/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * Helpers that the parsers share: byte order, and checks of zeroes, names and texts.
 *
 * A parser copies the record into an aligned local variable, checks all of that copy, and only then
 * writes its result. So a caller never sees a part of a refused message. Wire structs keep their
 * __le types until the last check. The conversions with the prefix __ exist in the kernel and in
 * user space.
 */
#ifndef CW_WIRE_BYTES_H
#define CW_WIRE_BYTES_H

#include <asm/byteorder.h>

#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <string.h>
#endif

#include "../../../include/wire/causeway_parse.h"

/* Offsets and sizes of a disk must fit the kernel's loff_t. */
#define CW_BYTES_MAX 0x7fffffffffffffffULL

#define CW_EXPORT_FLAGS                                                                         \
	(CW_EXPORT_READ_ONLY | CW_EXPORT_VOLATILE | CW_EXPORT_FUA | CW_EXPORT_DISCARD |         \
	 CW_EXPORT_WRITE_ZEROES | CW_EXPORT_ROTATIONAL | CW_EXPORT_EXCLUSIVE | CW_EXPORT_KEY)

/**
 * cw_is_zero() - checks whether all bytes of a field are zero
 * @data: field
 * @len: bytes of the field
 *
 * Context: Any context.
 * Return: True if all of them are zero.
 */
static inline bool cw_is_zero(const void *data, size_t len)
{
	const u8 *p = data;
	u8 any = 0;

	while (len--)
		any |= *p++;
	return !any;
}

/**
 * cw_is_power_of_2() - checks whether a number is a power of two
 * @n: number
 *
 * Context: Any context.
 * Return: True for a power of two; 0 is none.
 */
static inline bool cw_is_power_of_2(u32 n)
{
	return n && !(n & (n - 1));
}

/**
 * cw_valid_block() - checks whether a disk can have blocks of a size
 * @size: bytes
 *
 * Context: Any context.
 * Return: True if it can.
 */
static inline bool cw_valid_block(u32 size)
{
	return cw_is_power_of_2(size) && size >= 512 && size <= 4096;
}

/**
 * cw_valid_size() - checks whether a disk can have a size
 * @size: bytes
 * @block: bytes of its blocks
 *
 * Context: Any context.
 * Return: True if it can.
 */
static inline bool cw_valid_size(u64 size, u32 block)
{
	return size && size <= CW_BYTES_MAX && !(size & (block - 1));
}

/**
 * cw_valid_reason() - checks whether a reason of REFUSED is known
 * @reason: reason
 *
 * Context: Any context.
 * Return: True if the reason is known.
 */
static inline bool cw_valid_reason(u16 reason)
{
	return reason > CW_REFUSED_NONE && reason <= CW_REFUSED_TRANSPORT;
}

/**
 * cw_take_text() - copies a text of the peer that is meant for people
 * @to: set to the text, cut to fit, with '?' for each byte that is not printable ASCII
 * @from: the text as sent
 * @size: bytes of both
 *
 * Context: Any context.
 */
static inline void cw_take_text(char *to, const u8 *from, size_t size)
{
	size_t i, len = strnlen((const char *)from, size - 1);

	for (i = 0; i < len; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? (char)from[i] : '?';
	memset(to + len, 0, size - len);
}

/**
 * cw_put_text() - copies an own text and clears the rest, so that no byte behind its NUL is sent
 * @to: the field of the message
 * @from: the text
 * @size: bytes of the field
 *
 * Context: Any context.
 */
static inline void cw_put_text(u8 *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size - 1);

	memcpy(to, from, len);
	memset(to + len, 0, size - len);
}

/**
 * cw_take_name() - copies a name of a message
 * @to: set on success
 * @from: the field of the message
 *
 * Context: Any context.
 * Return: False if it is malformed: not valid, or not zero from its end to the end of the field.
 */
static inline bool cw_take_name(char *to, const u8 *from)
{
	size_t len;

	if (!cw_valid_name((const char *)from, CW_WIRE_NAME))
		return false;
	len = strnlen((const char *)from, CW_WIRE_NAME);
	if (!cw_is_zero(from + len, CW_WIRE_NAME - len))
		return false;
	memcpy(to, from, CW_WIRE_NAME);
	return true;
}

#endif
