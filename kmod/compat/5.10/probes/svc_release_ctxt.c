// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operation xpo_release_ctxt of Linux 6.4, which Linux 6.1 got later. Without it NFS over RDMA
 * is not built: SunRPC of such kernels differs in too much.
 */
#include <linux/sunrpc/svc_xprt.h>

void probe(const struct svc_xprt_ops *ops);
void probe(const struct svc_xprt_ops *ops)
{
	ops->xpo_release_ctxt(NULL, NULL);
}
