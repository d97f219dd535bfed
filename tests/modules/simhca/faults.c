// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults by debugfs: what a test does to an HCA and its ports. README.md has the list.
 */
#include <linux/debugfs.h>
#include <linux/module.h>

#include "simhca.h"

static struct dentry *top;

/* Counts a packet, and returns true if it is lost: one of so many; every = 0 loses none. */
bool simhca_drops(u32 every, atomic_t *seen)
{
	return unlikely(every) && atomic_inc_return(seen) % every == 0;
}

static int present_get(void *data, u64 *value)
{
	struct simhca_hca *hca = data;

	*value = !!rcu_access_pointer(hca->device);
	return 0;
}

static int present_set(void *data, u64 value)
{
	if (value)
		return simhca_device_add(data);
	simhca_device_remove(data);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(present_fops, present_get, present_set, "%llu\n");

static int cable_get(void *data, u64 *value)
{
	struct simhca_port *port = data;

	*value = port->cable;
	return 0;
}

static int cable_set(void *data, u64 value)
{
	struct simhca_port *port = data;
	unsigned long flags;

	if (!port->peer)
		return -ENOTCONN;
	spin_lock_irqsave(&simhca_fabric_lock, flags);
	port->cable = value;
	port->peer->cable = value;
	simhca_link_train(port);
	spin_unlock_irqrestore(&simhca_fabric_lock, flags);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(cable_fops, cable_get, cable_set, "%llu\n");

static int physical_get(void *data, u64 *value)
{
	*value = simhca_port_physical(data);
	return 0;
}

static int physical_set(void *data, u64 value)
{
	struct simhca_port *port = data;
	unsigned long flags;

	if (value < IB_PORT_PHYS_STATE_SLEEP || value > IB_PORT_PHYS_STATE_DISABLED)
		return -EINVAL;
	spin_lock_irqsave(&simhca_fabric_lock, flags);
	port->wanted = value;
	simhca_link_train(port);
	spin_unlock_irqrestore(&simhca_fabric_lock, flags);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(physical_fops, physical_get, physical_set, "%llu\n");

static int remove_pkey_set(void *data, u64 value)
{
	struct simhca_port *port = data;
	bool found = false;
	int i;

	for (i = 0; i < SIMHCA_PKEYS; i++) {
		if (!value || port->pkey[i] != value)
			continue;
		WRITE_ONCE(port->pkey[i], 0);
		found = true;
	}
	if (!found)
		return -ENOENT;
	simhca_event(port, IB_EVENT_PKEY_CHANGE);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(remove_pkey_fops, NULL, remove_pkey_set, "%llu\n");

static void show_port(struct simhca_port *port, struct dentry *above)
{
	struct dentry *folder;
	char name[16];

	snprintf(name, sizeof(name), "port%u", port->number);
	folder = debugfs_create_dir(name, above);
	debugfs_create_file_unsafe("cable", 0600, folder, port, &cable_fops);
	debugfs_create_file_unsafe("physical", 0600, folder, port, &physical_fops);
	debugfs_create_file_unsafe("remove_pkey", 0200, folder, port, &remove_pkey_fops);
	debugfs_create_u32("drop_ud", 0600, folder, &port->faults.drop_ud);
	debugfs_create_u32("drop_rc", 0600, folder, &port->faults.drop_rc);
}

void simhca_faults_init(void)
{
	int i, j;

	top = debugfs_create_dir("simhca", NULL);
	for (i = 0; i < simhca_hca_count; i++) {
		struct simhca_hca *hca = &simhca_hcas[i];
		struct dentry *folder;
		char name[16];

		snprintf(name, sizeof(name), "hca%u", i);
		folder = debugfs_create_dir(name, top);
		debugfs_create_file_unsafe("present", 0600, folder, hca, &present_fops);
		for (j = 0; j < simhca_port_count; j++)
			show_port(&hca->port[j], folder);
	}
}

/* Waits for processes that read or write one of the files. */
void simhca_faults_exit(void)
{
	debugfs_remove(top);
}
