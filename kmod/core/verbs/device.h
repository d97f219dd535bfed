/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RDMA devices: one struct cw_device for each ib_device that the modules can use, and protection
 * domains on it.
 */
#ifndef CW_DEVICE_H
#define CW_DEVICE_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

struct cw_endpoint;

struct cw_device {
	struct ib_device *ib;
	struct ib_event_handler handler; /* of changes of its ports */
	refcount_t users; /* 1 for the ib_client, 1 per domain */
	struct completion gone; /* the last user released it */
	spinlock_t lock; /* endpoints, going; irqsave */
	struct list_head endpoints;
	wait_queue_head_t left; /* an endpoint left the list */
	bool going;
	struct rcu_head rcu;
};

/* A change of a port, for the notifier of cw_device_watch_ports(). */
struct cw_port_change {
	const struct ib_device *ib;
	u32 port; /* 0: all ports of the device */
	bool lost; /* no connection over the port works */
	bool up; /* the port came up; if neither, its addresses changed */
};

/**
 * cw_device_watch_ports() - has a notifier called for each change of a port
 * @nb: called in process context with a struct cw_port_change. Locks of the RDMA core may be held,
 * and paths to a disk may wait for them.
 *
 * Context: Process context. May sleep.
 */
void cw_device_watch_ports(struct notifier_block *nb);

/**
 * cw_device_unwatch_ports() - undoes cw_device_watch_ports()
 * @nb: the notifier; it does not run any more when this returns
 *
 * Context: Process context. May sleep.
 */
void cw_device_unwatch_ports(struct notifier_block *nb);

/* A protection domain: one per queue pair, which alone reaches the memory of its rkeys. */
struct cw_domain {
	struct cw_device *device;
	struct ib_pd *pd;
	refcount_t users; /* endpoints, and the caller of cw_domain_create() */
};

/**
 * cw_domain_create() - allocate a protection domain
 * @ib: device of the domain. The caller holds the device, for example by a connection manager id.
 *
 * The domain keeps the device from being removed. Release it with cw_domain_put().
 *
 * Context: Process context. May sleep.
 * Return: The domain, with one reference, or an ERR_PTR(): -ENODEV if the device lacks memory
 * registration by work requests or is being removed, -ENOMEM, or the error of the driver.
 */
struct cw_domain *cw_domain_create(struct ib_device *ib);

/**
 * cw_domain_get() - take another reference to a protection domain
 * @domain: domain to which the caller has a reference
 *
 * Context: Any context.
 * Return: @domain.
 */
struct cw_domain *cw_domain_get(struct cw_domain *domain);

/**
 * cw_domain_put() - release a reference to a protection domain
 * @domain: domain. The last reference frees it.
 *
 * Context: Process context. May sleep.
 */
void cw_domain_put(struct cw_domain *domain);

/**
 * cw_device_join() - have the removal of a device kill an endpoint
 * @device: device of the endpoint
 * @ep: endpoint. Its ifindex and ipv4 are set.
 *
 * Context: Any context. Takes the lock of @device.
 * Return: 0, or -ENODEV if the device is being removed.
 */
int cw_device_join(struct cw_device *device, struct cw_endpoint *ep);

/**
 * cw_device_leave() - undo cw_device_join()
 * @device: device of the endpoint
 * @ep: endpoint that has joined @device. It is drained.
 *
 * Context: Any context. Takes the lock of @device.
 */
void cw_device_leave(struct cw_device *device, struct cw_endpoint *ep);

/**
 * cw_device_leave_interface() - end the connections that use a network interface
 * @ib: device. The caller holds it.
 * @ifindex: index of the network interface
 * @address: local IPv4 address; only connections that have it end. 0: all connections end.
 * @name: name of the interface, for the reason that the endpoints report
 * @limit_ms: time to wait, in milliseconds
 *
 * Kills the endpoints and waits until their owners have drained them, or until @limit_ms have
 * passed.
 *
 * Context: Process context. Sleeps. The caller may hold the RTNL lock, since no owner of an
 * endpoint takes that lock to drain it.
 */
void cw_device_leave_interface(struct ib_device *ib, int ifindex, __be32 address, const char *name,
			       u32 limit_ms);

/**
 * cw_device_init() - follow the RDMA devices of the machine
 *
 * Context: Process context, when the module is loaded. May sleep.
 * Return: 0 or -errno.
 */
int cw_device_init(void);

/**
 * cw_device_exit() - undo cw_device_init()
 *
 * Context: Process context, when the module is unloaded. Sleeps until no domain is left.
 */
void cw_device_exit(void);

/**
 * cw_memory_node() - find the memory node nearest to an adapter
 * @ib: device of the adapter
 *
 * Context: Any context.
 * Return: The node, or NUMA_NO_NODE if the platform does not know it.
 */
static inline int cw_memory_node(const struct ib_device *ib)
{
	return ib->dev.parent ? dev_to_node(ib->dev.parent) : NUMA_NO_NODE;
}

#endif
