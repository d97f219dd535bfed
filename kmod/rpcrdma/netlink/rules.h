/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules of rails: mounts of servers in a network connect from certain local addresses
 * (CW_C_NFS_RULE_SET).
 */
#ifndef CWR_RULES_H
#define CWR_RULES_H

#include <linux/netlink.h>
#include <linux/socket.h>

#include "../../../include/uapi/causeway.h"
#include "../../core/address/cidr.h"

struct cwr_rule {
	struct list_head entry;
	struct cw_cidr to;
	unsigned int count; /* 1 to CW_NFS_SOURCES */
	struct sockaddr_storage from[CW_NFS_SOURCES]; /* port 0 */
};

/*
 * How many local addresses there are from which to connect to @server; 0 where no rule holds it,
 * and the routing decides. Number @index of them, modulo how many, is copied to @from, which may be
 * NULL. Process context, may sleep.
 */
unsigned int cwr_rule_source(const struct sockaddr *server, unsigned int index,
			     struct sockaddr_storage *from);

/*
 * Takes a copy; replaces a rule of the same network. May sleep. -ENOMEM; -ENOSPC: too many rules.
 */
int cwr_rule_set(const struct cwr_rule *rule);
/* -ENOENT */
int cwr_rule_remove(const struct cw_cidr *to);
/* Calls @tell for the rules from number @from on, until it returns non-zero; gives that. */
int cwr_rules_each(long *from, int (*tell)(void *arg, const struct cwr_rule *rule), void *arg);
/* When the module goes. */
void cwr_rules_free(void);

#endif
