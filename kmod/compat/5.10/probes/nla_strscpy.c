// SPDX-License-Identifier: GPL-2.0-only
/* nla_strscpy() of Linux 5.11, which reports a string that is too long. */
#include <net/netlink.h>

ssize_t probe(char *to, const struct nlattr *from);
ssize_t probe(char *to, const struct nlattr *from)
{
	return nla_strscpy(to, from, 8);
}
