// SPDX-License-Identifier: GPL-2.0-only
/*
 * causeway.ko: start and end of the core: verbs, links, sessions, netlink, counters. The modules
 * causeway_disk, causeway_target and causeway_rpcrdma use it.
 *
 * Memory: all allocations that a disk needs to make progress are made without I/O: in the session
 * work, and at the server in the handler of connection requests, in logins, in the ends of sessions
 * and in the workers of links. So a server never waits for a disk that it serves to its own
 * machine. The connection manager and the resolution of addresses are exceptions, because their
 * workers have no rescuer. While memory is short, a broken connection may therefore come back late,
 * and swap on an attached disk is not supported.
 */
#include <linux/module.h>
#include <net/genetlink.h>

#include "control/control.h"
#include "session/client/boot.h"
#include "session/client/ports.h"
#include "session/client/session.h"
#include "session/server/session.h"
#include "link/tcp/connect.h"
#include "verbs/device.h"
#include "verbs/interface.h"

#include "../../include/uapi/causeway.h"

static int __init cw_init(void)
{
	int ret;

	cw_identity_init();
	ret = cw_link_tcp_init();
	if (ret)
		return ret;
	ret = cw_client_init();
	if (ret)
		goto exit_tcp;
	ret = cw_server_init();
	if (ret)
		goto exit_client;
	ret = cw_device_init();
	if (ret)
		goto exit_server;
	ret = cw_client_watch_ports();
	if (ret)
		goto exit_device;
	ret = cw_interface_init();
	if (ret)
		goto unwatch_ports;
	ret = cw_control_init();
	if (ret)
		goto exit_interface;
	return 0;

exit_interface:
	cw_interface_exit();
unwatch_ports:
	cw_client_unwatch_ports();
exit_device:
	cw_device_exit();
exit_server:
	cw_server_exit();
exit_client:
	cw_client_exit();
exit_tcp:
	cw_link_tcp_exit();
	return ret;
}

static void __exit cw_exit(void)
{
	cw_control_exit();
	cw_interface_exit();
	cw_client_unwatch_ports();
	cw_device_exit();
	cw_server_exit();
	cw_client_exit();
	cw_link_tcp_exit();
}

module_init(cw_init);
module_exit(cw_exit);

MODULE_DESCRIPTION("Causeway: disks and files over RDMA, core");
MODULE_LICENSE("GPL");
MODULE_ALIAS_GENL_FAMILY("causeway");
MODULE_SOFTDEP("pre: sha256 hmac");
