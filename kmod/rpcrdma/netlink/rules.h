/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules for local addresses: mounts of servers in a certain network connect from the local
 * addresses of the rule for that network (CW_C_NFS_RULE_SET).
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
	struct sockaddr_storage from[CW_NFS_SOURCES]; /* with port 0 */
};

/**
 * cwr_rule_source() - finds the local addresses for a server
 * @server: address of the server
 * @index: number of the address that is wanted, taken modulo the number of addresses
 * @from: set to that address; may be NULL
 *
 * Context: Process context. May sleep.
 * Return: The number of local addresses; 0 if no rule applies, so that the routing decides.
 */
unsigned int cwr_rule_source(const struct sockaddr *server, unsigned int index,
			     struct sockaddr_storage *from);

/**
 * cwr_rule_set() - adds a rule, or replaces the one for the same network
 * @rule: copied
 *
 * Context: Process context. May sleep.
 * Return: 0; -ENOMEM; -ENOSPC: too many rules.
 */
int cwr_rule_set(const struct cwr_rule *rule);
/**
 * cwr_rule_remove() - removes the rule for exactly this network
 * @to: the network
 *
 * Context: Process context. May sleep.
 * Return: 0, or -ENOENT if there is no such rule.
 */
int cwr_rule_remove(const struct cw_cidr *to);
/**
 * cwr_rules_each() - calls a function for each rule, until it fails
 * @from: position in the list to start at; set behind the last rule that succeeded
 * @report: called under the lock of the list; 0 continues
 * @arg: for @report
 *
 * Context: Process context. May sleep. Takes the lock of the list.
 * Return: 0, or the result of @report.
 */
int cwr_rules_each(long *from, int (*report)(void *arg, struct cwr_rule *rule), void *arg);
/**
 * cwr_rules_free() - frees all rules, when the module is unloaded
 *
 * Context: Process context. May sleep.
 */
void cwr_rules_free(void);

#endif
