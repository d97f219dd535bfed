// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operation xpo_secure_port is gone since Linux 6.3: xpo_recvfrom() sets RQ_SECURE. If the
 * operation is there, the structure below has a member twice.
 */
#include <linux/sunrpc/svc_xprt.h>

struct probe {
	struct svc_xprt_ops;
	int xpo_secure_port;
};

int probe(struct probe *ops);
int probe(struct probe *ops)
{
	return ops->xpo_secure_port;
}
