/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CAUSEWAY_5_10_NETLINK_H
#define CAUSEWAY_5_10_NETLINK_H

#include_next <net/netlink.h>
#include "causeway_answers.h"

#if !CAUSEWAY_HAS_NLA_STRSCPY
/**
 * nla_strscpy() - copy the string of an attribute, which Linux before 5.11 lacks
 * @to: buffer; the string in it ends with a 0 byte
 * @from: attribute
 * @size: bytes of @to, at least 1
 *
 * Context: Any context.
 * Return: The length of the string, or -E2BIG if it was cut.
 */
static inline ssize_t nla_strscpy(char *to, const struct nlattr *from, size_t size)
{
	size_t length = nla_strlcpy(to, from, size);

	return length >= size ? -E2BIG : (ssize_t)length;
}
#endif

#endif /* CAUSEWAY_5_10_NETLINK_H */
