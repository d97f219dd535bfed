// SPDX-License-Identifier: GPL-2.0-only
/*
 * The class of the server transport: parameters, registration. nfsd looks it up by its name when
 * rpc.nfsd writes "rdma 20049" to /proc/fs/nfsd/portlist.
 */
#include <linux/module.h>
#include <linux/sunrpc/xprt.h>

#include "../wire/sizes.h"
#include "backchannel.h"
#include "connection.h"
#include "listener.h"
#include "sysctl.h"
#include "server.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

unsigned int cwrs_inline = CWR_INLINE_OFFER;
module_param_named(server_inline, cwrs_inline, uint, 0644);
MODULE_PARM_DESC(server_inline,
		 "bytes of the largest message without chunks that the server offers to new connections, 1024 to 65536");

unsigned int cwrs_credits = 64;
module_param_named(server_credits, cwrs_credits, uint, 0644);
MODULE_PARM_DESC(server_credits,
		 "calls that a client of the server may have under way, of new connections, 1 to 1024");

struct workqueue_struct *cwrs_workqueue;

static const struct svc_xprt_ops cwrs_class_ops = {
	.xpo_create = cwrs_listener_create,
};

struct svc_xprt_class cwrs_class = {
	.xcl_name = "rdma",
	.xcl_owner = THIS_MODULE,
	.xcl_ops = &cwrs_class_ops,
	.xcl_max_payload = CWR_PAYLOAD_MAX,
	.xcl_ident = XPRT_TRANSPORT_RDMA,
};

int cwrs_register(void)
{
	int ret;

	cwrs_workqueue = alloc_workqueue("causeway_rpcrdma_server", WQ_UNBOUND, 0);
	if (!cwrs_workqueue)
		return -ENOMEM;
	ret = cwrs_back_register();
	if (ret)
		goto destroy_workqueue;
	ret = cwrs_listeners_register();
	if (ret)
		goto unregister_back;
	ret = svc_reg_xprt_class(&cwrs_class);
	if (ret)
		goto unregister_listeners;
	cwrs_sysctl_register();
	return 0;

unregister_listeners:
	cwrs_listeners_unregister();
unregister_back:
	cwrs_back_unregister();
destroy_workqueue:
	destroy_workqueue(cwrs_workqueue);
	return ret;
}

void cwrs_unregister(void)
{
	cwrs_sysctl_unregister();
	svc_unreg_xprt_class(&cwrs_class);
	cwrs_listeners_unregister();
	cwrs_back_unregister();
	/* Waits for free_work of connections without references. */
	destroy_workqueue(cwrs_workqueue);
}
