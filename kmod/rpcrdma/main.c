// SPDX-License-Identifier: GPL-2.0-only
/*
 * causeway_rpcrdma.ko: RPC-over-RDMA version 1 for NFS, client and server transports of SunRPC.
 *
 * The module has the names and numbers of the in-tree rpcrdma.ko, so that mount -o rdma and
 * rpc.nfsd work unchanged. Hence only one of the two modules can be loaded. It has no aliases:
 * modprobe.d selects the module (causeway nfs transport).
 */
#include <linux/module.h>

#include "client/transport.h"
#include "netlink/handlers.h"
#include "server/server.h"

static int __init cwr_init(void)
{
	int ret;

	ret = cwrc_register();
	if (ret)
		goto failed;
	ret = cwrs_register();
	if (ret)
		goto unregister_client;
	ret = cwr_netlink_register();
	if (ret)
		goto unregister_server;
	return 0;

unregister_server:
	cwrs_unregister();
unregister_client:
	cwrc_unregister();
failed:
	if (ret == -EEXIST)
		pr_err("causeway_rpcrdma: the kernel's own rpcrdma module is loaded and holds the name \"rdma\"; unmount what uses it, run \"rmmod rpcrdma\", and choose by \"causeway nfs transport causeway\"\n");
	return ret;
}

static void __exit cwr_exit(void)
{
	cwr_netlink_unregister();
	cwrs_unregister();
	cwrc_unregister();
}

module_init(cwr_init);
module_exit(cwr_exit);

MODULE_DESCRIPTION("Causeway: RPC over RDMA for NFS, client and server");
MODULE_LICENSE("GPL");
