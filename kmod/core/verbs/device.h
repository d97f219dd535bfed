/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RDMA devices as we hold them: one struct cw_device per ib_device, and protection domains on it.
 */
#ifndef CW_DEVICE_H
#define CW_DEVICE_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

struct cw_endpoint;

struct cw_device {
	struct ib_device *ib;
	refcount_t users; /* 1 for the ib_client, 1 per domain */
	struct completion gone; /* the last user let go */
	spinlock_t lock; /* endpoints, going; irqsave */
	struct list_head endpoints;
	wait_queue_head_t left; /* an endpoint left the list */
	bool going;
	struct rcu_head rcu;
};

/* A protection domain: one per connection of a session, so that no two peers share rkeys. */
struct cw_domain {
	struct cw_device *device;
	struct ib_pd *pd;
	refcount_t users; /* endpoints and whoever made it */
};

/* ERR_PTR(-ENODEV) when the device is not ours or is being removed. Process context. */
struct cw_domain *cw_domain_create(struct ib_device *ib);
struct cw_domain *cw_domain_get(struct cw_domain *domain);
void cw_domain_put(struct cw_domain *domain);

/* A device's removal kills the endpoints that are joined to it. -ENODEV when it is under way. */
int cw_device_join(struct cw_device *device, struct cw_endpoint *ep);
void cw_device_leave(struct cw_device *device, struct cw_endpoint *ep);

/*
 * Kills all endpoints of a device whose connections go by one network interface, or only those
 * from one of its IPv4 addresses unless @address is 0, and waits up to limit_ms milliseconds until
 * their owners have drained them. The caller holds the ib_device.
 * Process context, sleeps; the RTNL lock may be held, since no owner takes it on its way out.
 */
void cw_device_leave_interface(struct ib_device *ib, int ifindex, __be32 address, const char *name,
			       u32 limit_ms);

int cw_device_init(void);
void cw_device_exit(void);

#endif
