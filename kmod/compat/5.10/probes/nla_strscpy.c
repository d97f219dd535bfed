// SPDX-License-Identifier: GPL-2.0-only
/* nla_strscpy(), which tells a string that is too long, of Linux 5.11. */
#include <net/netlink.h>

ssize_t probe(char *to, const struct nlattr *from);
ssize_t probe(char *to, const struct nlattr *from)
{
	return nla_strscpy(to, from, 8);
}
