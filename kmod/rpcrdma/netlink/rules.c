// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules for the local addresses of mounts. fs/nfs has no option for a source address, so a rule of
 * the host names it. Among the rules whose network contains the server, the one with the longest
 * prefix counts.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "rules.h"

#define CWR_RULES 64

static DEFINE_MUTEX(lock); /* guards rules and count */
static LIST_HEAD(rules);
static unsigned int count;

/* The address of @sa in network order. NULL: another family. */
static const u8 *cwr_rules_bytes_of(const struct sockaddr *sa)
{
	switch (sa->sa_family) {
	case AF_INET:
		return (const u8 *)&((const struct sockaddr_in *)sa)->sin_addr;
	case AF_INET6:
		return (const u8 *)&((const struct sockaddr_in6 *)sa)->sin6_addr;
	default:
		return NULL;
	}
}

/* Under lock. */
static struct cwr_rule *cwr_rules_find(const struct cw_cidr *to)
{
	struct cwr_rule *rule;

	list_for_each_entry(rule, &rules, entry)
		if (rule->to.family == to->family && rule->to.prefix_len == to->prefix_len &&
		    cw_cidr_match_any(&rule->to, 1, to->family, to->prefix))
			return rule;
	return NULL;
}

unsigned int cwr_rule_source(const struct sockaddr *server, unsigned int index,
			     struct sockaddr_storage *from)
{
	const u8 *address = cwr_rules_bytes_of(server);
	const struct cwr_rule *rule, *best = NULL;
	unsigned int found = 0;

	if (!address)
		return 0;
	mutex_lock(&lock);
	list_for_each_entry(rule, &rules, entry)
		if (cw_cidr_match_any(&rule->to, 1, server->sa_family, address) &&
		    (!best || rule->to.prefix_len > best->to.prefix_len))
			best = rule;
	if (best) {
		found = best->count;
		if (from)
			*from = best->from[index % found];
	}
	mutex_unlock(&lock);
	return found;
}

int cwr_rule_set(const struct cwr_rule *rule)
{
	struct cwr_rule *copy = kmemdup(rule, sizeof(*rule), GFP_KERNEL), *old;
	int ret = 0;

	if (!copy)
		return -ENOMEM;
	mutex_lock(&lock);
	old = cwr_rules_find(&rule->to);
	if (old) {
		list_replace(&old->entry, &copy->entry);
	} else if (count == CWR_RULES) {
		old = copy;
		ret = -ENOSPC;
	} else {
		list_add_tail(&copy->entry, &rules);
		count++;
	}
	mutex_unlock(&lock);
	kfree(old);
	return ret;
}

int cwr_rule_remove(const struct cw_cidr *to)
{
	struct cwr_rule *rule;

	mutex_lock(&lock);
	rule = cwr_rules_find(to);
	if (rule) {
		list_del(&rule->entry);
		count--;
	}
	mutex_unlock(&lock);
	kfree(rule);
	return rule ? 0 : -ENOENT;
}

int cwr_rules_each(long *from, int (*report)(void *arg, struct cwr_rule *rule), void *arg)
{
	struct cwr_rule *rule;
	long i = 0;
	int ret = 0;

	mutex_lock(&lock);
	list_for_each_entry(rule, &rules, entry) {
		if (i++ < *from)
			continue;
		ret = report(arg, rule);
		if (ret)
			break;
		*from = i;
	}
	mutex_unlock(&lock);
	return ret;
}

void cwr_rules_free(void)
{
	struct cwr_rule *rule, *next;

	mutex_lock(&lock);
	list_for_each_entry_safe(rule, next, &rules, entry) {
		list_del(&rule->entry);
		kfree(rule);
	}
	count = 0;
	mutex_unlock(&lock);
}
